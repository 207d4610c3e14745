"""What a file is goes by its content; what cannot be read is refused with its kind of error."""

from __future__ import annotations

import io
import os
import wave
import zipfile
from collections.abc import Callable
from pathlib import Path

import docx
import openpyxl
import pptx
import pymupdf
import pytest
from PIL import Image

from deskgym.tools.guards import check_office_zip
from deskgym.tools.registry import info, read_image, read_original, read_text, sniff
from deskgym.tools.result import ToolError


def pdf_bytes(**options: object) -> bytes:
    document = pymupdf.open()
    for number in range(3):
        document.new_page().insert_text((72, 72), f"Hello {number}")
    data: bytes = document.tobytes(**options)
    return data


def saved(document: object) -> bytes:
    out = io.BytesIO()
    document.save(out)  # type: ignore[attr-defined]
    return out.getvalue()


def docx_bytes() -> bytes:
    document = docx.Document()
    document.add_paragraph("Hello")
    return saved(document)


def xlsx_bytes() -> bytes:
    book = openpyxl.Workbook()
    book.active["A1"] = "Hello"
    return saved(book)


def pptx_bytes() -> bytes:
    return saved(pptx.Presentation())


def image_bytes(form: str) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (30, 20), "red").save(out, form)
    return out.getvalue()


def wav_bytes() -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        sound.writeframes(bytes(16_000))
    return out.getvalue()


def zip_bytes(*members: tuple[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in members:
            packed.writestr(name, data)
    return out.getvalue()


def locked(packed: bytes) -> bytes:
    """A zip file that says of all its members that they are encrypted."""
    data = bytearray(packed)
    at = data.find(b"PK\1\2")
    while at >= 0:
        data[at + 8] |= 1
        at = data.find(b"PK\1\2", at + 4)
    return bytes(data)


def put(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def refused(call: Callable[[], object]) -> ToolError:
    with pytest.raises(ToolError) as caught:
        call()
    return caught.value


MAIL = b"From: a@b.org\nTo: c@d.org\nSubject: Hi\nMIME-Version: 1.0\n\nHello\n"
MKV = b"\x1aE\xdf\xa3\x93B\x82\x88"
CONTENTS: dict[str, tuple[Callable[[], bytes], str, str, str]] = {
    "a.pdf": (pdf_bytes, "application/pdf", "document", "pdf"),
    "a.png": (lambda: image_bytes("PNG"), "image/png", "image", "image"),
    "a.jpg": (lambda: image_bytes("JPEG"), "image/jpeg", "image", "image"),
    "a.gif": (lambda: image_bytes("GIF"), "image/gif", "image", "image"),
    "a.webp": (lambda: image_bytes("WEBP"), "image/webp", "image", "image"),
    "a.bmp": (lambda: image_bytes("BMP"), "image/bmp", "image", "image"),
    "a.tiff": (lambda: image_bytes("TIFF"), "image/tiff", "image", "image"),
    "a.svg": (lambda: b"<?xml version='1.0'?>\n<svg/>", "image/svg+xml", "image", "text"),
    "a.wav": (wav_bytes, "audio/wav", "audio", "audio"),
    "a.mp3": (lambda: b"ID3\4" + bytes(60), "audio/mpeg", "audio", "audio"),
    "b.mp3": (lambda: b"\xff\xfb\x90\x64" + bytes(60), "audio/mpeg", "audio", "audio"),
    "a.aac": (lambda: b"\xff\xf1\x50\x80" + bytes(60), "audio/aac", "audio", "audio"),
    "a.flac": (lambda: b"fLaC" + bytes(60), "audio/flac", "audio", "audio"),
    "a.ogg": (lambda: b"OggS\0\2" + bytes(60), "audio/ogg", "audio", "audio"),
    "a.m4a": (lambda: b"\0\0\0\x1cftypM4A \0\0", "audio/mp4", "audio", "audio"),
    "a.mp4": (lambda: b"\0\0\0\x1cftypisom\0\0", "video/mp4", "video", "video"),
    "a.mov": (lambda: b"\0\0\0\x14ftypqt  \0\0", "video/quicktime", "video", "video"),
    "a.webm": (lambda: MKV + b"webm" + b"V_VP9", "video/webm", "video", "video"),
    "a.mkv": (lambda: MKV + b"matroska", "video/x-matroska", "video", "video"),
    "a.avi": (lambda: b"RIFF\0\0\0\0AVI LIST", "video/x-msvideo", "video", "video"),
    "a.zip": (lambda: zip_bytes(("a", b"b")), "application/zip", "document", "archive"),
    "a.html": (lambda: b"<p>Hi", "text/html", "text", "html"),
    "a.eml": (lambda: MAIL, "message/rfc822", "text", "eml"),
    "a.ics": (lambda: b"BEGIN:VCALENDAR\n", "text/calendar", "text", "ics"),
    "a.vcf": (lambda: b"begin:vcard\n", "text/vcard", "text", "vcf"),
    "a.csv": (lambda: b"a\nb\n", "text/csv", "document", "csv"),
    "a.json": (lambda: b"[1]", "application/json", "text", "json"),
    "a.jsonl": (lambda: b"{}\n{}\n", "application/x-ndjson", "text", "text"),
    "a.py": (lambda: b"{1: 2}\n", "text/x-python", "text", "text"),
    "a.txt": (lambda: b"[1, 2]\n", "text/plain", "text", "text"),
    "a.db": (lambda: b"SQLite format 3\0" + bytes(99), "application/vnd.sqlite3", "document",
             "sqlite"),
    "a.bin": (lambda: bytes(range(256)), "application/octet-stream", "document", "binary"),
}  # fmt: skip


@pytest.mark.parametrize("name", CONTENTS)
def test_files_are_known_by_their_content(tmp_path: Path, name: str) -> None:
    make, mime, modality, family = CONTENTS[name]
    found = sniff(put(tmp_path / name, make()))
    assert (found.mime, found.modality, found.family) == (mime, modality, family)


@pytest.mark.parametrize("name", [n for n in CONTENTS if CONTENTS[n][2] != "text"])
def test_no_suffix_is_needed_or_believed(tmp_path: Path, name: str) -> None:
    make, mime, *_ = CONTENTS[name]
    if mime != "text/csv":  # a lone column of text
        assert sniff(put(tmp_path / "nameless", make())).mime == mime
        assert sniff(put(tmp_path / "wrong.xlsx", make())).mime == mime


@pytest.mark.parametrize(
    ("make", "family"), [(docx_bytes, "docx"), (xlsx_bytes, "xlsx"), (pptx_bytes, "pptx")]
)
def test_office_files_are_told_apart_by_their_members(
    tmp_path: Path, make: Callable[[], bytes], family: str
) -> None:
    assert sniff(put(tmp_path / "a.zip", make())).family == family
    assert sniff(put(tmp_path / f"a.{family}", make()[:3000])).family == family


def test_a_mislabelled_file_is_read_for_what_it_is(tmp_path: Path) -> None:
    result = read_text(put(tmp_path / "notes.docx", pdf_bytes()))
    assert result.segments[0].locator == "page:1"
    assert result.segments[0].text == "Hello 0"
    assert result.notes == ("named .docx, but its content is application/pdf; read as what it is",)
    picture = read_image(put(tmp_path / "a.jpg", image_bytes("PNG")))
    assert picture.media[0].mime == "image/png"
    assert "named .jpg, but its content is image/png" in picture.notes[0]
    assert read_text(put(tmp_path / "a.pdf", b"just text\n")).segments[0].text == "just text\n"


def test_a_note_that_looks_a_bit_like_mail_stays_a_note(tmp_path: Path) -> None:
    content = b"From: me\nTo: do\nSubject: garden\n\nweeds\n"
    result = read_text(put(tmp_path / "todo.txt", content))
    assert result.segments[0].text == content.decode()
    assert result.info["mime"] == "text/plain"


@pytest.mark.parametrize(
    "make",
    [
        lambda: pdf_bytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="x", owner_pw="y"),
        lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le") * 9,
        lambda: locked(docx_bytes()),
    ],
)
def test_locked_files_are_encrypted(tmp_path: Path, make: Callable[[], bytes]) -> None:
    path = put(tmp_path / "locked.docx", make())
    assert refused(lambda: read_text(path)).kind == "encrypted"
    assert str(info(path)["problem"]).startswith("encrypted: ")


def test_a_pdf_that_only_restricts_its_use_is_read(tmp_path: Path) -> None:
    data = pdf_bytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, owner_pw="y")
    assert read_text(put(tmp_path / "a.pdf", data)).segments[0].text == "Hello 0"


@pytest.mark.parametrize("make", [docx_bytes, xlsx_bytes, pptx_bytes])
def test_torn_office_files_are_corrupt(tmp_path: Path, make: Callable[[], bytes]) -> None:
    whole = make()
    path = put(tmp_path / "a.docx", whole[: len(whole) // 2])
    assert refused(lambda: read_text(path)).kind == "corrupt"


@pytest.mark.parametrize(
    ("make", "member"),
    [
        (docx_bytes, "word/document.xml"),
        (xlsx_bytes, "xl/workbook.xml"),
        (xlsx_bytes, "xl/worksheets/sheet1.xml"),
        (pptx_bytes, "ppt/presentation.xml"),
    ],
)
@pytest.mark.parametrize("content", [b"<a><b></a>", b"", b"<a/>", None])
def test_office_files_with_broken_parts_are_corrupt(
    tmp_path: Path, make: Callable[[], bytes], member: str, content: bytes | None
) -> None:
    with zipfile.ZipFile(io.BytesIO(make())) as whole:
        parts = [(n, content if n == member else whole.read(n)) for n in whole.namelist()]
    path = put(tmp_path / "a", zip_bytes(*((n, d) for n, d in parts if d is not None)))
    if member.endswith("sheet1.xml") and content == b"<a/>":
        assert read_text(path).segments == ()  # a sheet without cells
    else:
        assert refused(lambda: read_text(path)).kind == "corrupt"


@pytest.mark.parametrize("make", [docx_bytes, xlsx_bytes, pptx_bytes])
def test_an_office_file_with_flipped_bytes_is_corrupt(
    tmp_path: Path, make: Callable[[], bytes]
) -> None:
    whole = make()
    for name in zipfile.ZipFile(io.BytesIO(whole)).namelist()[:3]:
        data = bytearray(whole)
        at = data.index(name.encode()) + len(name)  # the member's packed bytes
        data[at : at + 40] = b"\xaa" * 40
        path = put(tmp_path / "a.bin", bytes(data))
        assert refused(lambda path=path: read_text(path)).kind == "corrupt"  # type: ignore[misc]


@pytest.mark.parametrize("size", [20, 100])
def test_a_torn_pdf_is_corrupt(tmp_path: Path, size: int) -> None:
    path = put(tmp_path / "a.pdf", pdf_bytes()[:size])
    assert refused(lambda: read_text(path)).kind == "corrupt"
    assert refused(lambda: read_image(path)).kind == "corrupt"


def test_a_repaired_pdf_is_read_with_a_note(tmp_path: Path) -> None:
    data = pdf_bytes()
    result = read_text(put(tmp_path / "a.pdf", data[: data.rindex(b"xref")]))
    assert result.segments[0].text == "Hello 0"
    assert "repaired" in result.notes[0]


@pytest.mark.parametrize(
    "member",
    [
        b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
        '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'.encode("utf-16"),
        b'<?xml version="1.0"?>' + b" " * 5000 + b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
    ],
)
def test_entity_bombs_are_refused(tmp_path: Path, member: bytes) -> None:
    path = put(tmp_path / "a.docx", zip_bytes(("word/document.xml", member)))
    error = refused(lambda: read_text(path))
    assert error.kind == "corrupt"
    assert "entities" in error.message


def test_zip_bombs_are_refused_unopened(tmp_path: Path) -> None:
    path = put(tmp_path / "a.xlsx", zip_bytes(("xl/workbook.xml", b"<a>" + bytes(12_000_000))))
    error = refused(lambda: read_text(path))
    assert error.kind == "too_large"
    assert "12,000,003 bytes" in error.message
    put(path, zip_bytes(("xl/a.xml", b"<a>" + bytes(9_000_000))))
    check_office_zip(path)  # below ten megabytes any ratio passes


def test_what_is_not_a_readable_file(tmp_path: Path) -> None:
    assert refused(lambda: read_text(tmp_path / "none.txt")).kind == "not_found"
    assert refused(lambda: read_text(tmp_path)).kind == "not_a_file"
    os.mkfifo(tmp_path / "pipe")
    assert refused(lambda: read_text(tmp_path / "pipe")).kind == "not_a_file"
    (tmp_path / "loop").symlink_to("loop")
    assert refused(lambda: info(tmp_path / "loop")).kind == "unreadable"
    for read in (read_text, read_image, read_original, info):
        empty = put(tmp_path / "a.pdf", b"")
        assert refused(lambda read=read, path=empty: read(path)).kind == "empty"  # type: ignore[misc]


def test_a_file_without_permission_is_unreadable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def deny(*args: object, **kwargs: object) -> None:
        raise PermissionError(13, "Permission denied")

    path = put(tmp_path / "a.txt", b"x")
    monkeypatch.setattr(Path, "open", deny)  # root may read whatever the mode says
    error = refused(lambda: read_text(path))
    assert (error.kind, error.message) == (
        "unreadable",
        "'a.txt' cannot be opened: Permission denied",
    )


def test_what_has_no_reader_is_unsupported(tmp_path: Path) -> None:
    binary = put(tmp_path / "a.bin", CONTENTS["a.bin"][0]())
    assert refused(lambda: read_text(binary)).kind == "unsupported"
    assert info(binary) == {
        "mime": "application/octet-stream",
        "modality": "document",
        "size": 256,
    }
    for content in (docx_bytes(), pptx_bytes(), b"text\n"):
        path = put(tmp_path / "a", content)
        error = refused(lambda path=path: read_image(path))  # type: ignore[misc]
        assert (error.kind, error.remedy) == ("unsupported", "read_text returns its text")


def test_sound_and_video_are_described(tmp_path: Path) -> None:
    result = read_text(put(tmp_path / "a.wav", wav_bytes()))
    assert result.segments == ()
    assert result.info["duration"] == 1.0
    [note] = result.notes
    assert note.startswith("there is no transcript of its speech here")
    assert refused(lambda: read_text(put(tmp_path / "a.wav", wav_bytes()[:20]))).kind == "corrupt"
    torn = put(tmp_path / "a.mp4", CONTENTS["a.mp4"][0]())
    assert info(torn)["modality"] == "video"
    assert str(info(torn)["problem"]).startswith("corrupt: ")


def test_originals_are_returned_whole_or_refused(tmp_path: Path) -> None:
    path = put(tmp_path / "a.pdf", pdf_bytes())
    [media] = read_original(path).media
    assert (media.mime, media.data, media.locator) == ("application/pdf", path.read_bytes(), "file")
    assert refused(lambda: read_original(path, max_bytes=100)).kind == "too_large"
    assert refused(lambda: read_original(path, max_bytes=0)).kind == "bad_argument"


def test_a_text_of_too_many_bytes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    with path.open("wb") as stream:
        stream.write(b"x\n" * 40_000)
        stream.truncate(65 * 1024 * 1024)  # sparse
    assert refused(lambda: read_text(path)).kind == "too_large"
