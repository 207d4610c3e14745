"""Members of archives and mails: ``outer!/inner`` in every read tool, held in memory only."""

from __future__ import annotations

import io
import wave
import zipfile
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path

import docx
import openpyxl
import pymupdf
import pytest
from PIL import Image

from deskgym.tools import worker
from deskgym.tools.members import container, opened, outer_path, through_members
from deskgym.tools.registry import info, read_audio, read_image, read_original, read_text
from deskgym.tools.result import ToolError


def saved(document: object) -> bytes:
    out = io.BytesIO()
    document.save(out)  # type: ignore[attr-defined]
    return out.getvalue()


def pdf_bytes(text: str) -> bytes:
    document = pymupdf.open()
    document.new_page().insert_text((72, 72), text)
    data: bytes = document.tobytes()
    return data


def docx_bytes(text: str) -> bytes:
    document = docx.Document()
    document.add_paragraph(text)
    return saved(document)


def xlsx_bytes(value: object) -> bytes:
    book = openpyxl.Workbook()
    book.active["B2"] = value
    return saved(book)


def png_bytes() -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (30, 20), "red").save(out, "PNG")
    return out.getvalue()


def wav_bytes() -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        sound.writeframes(bytes(16_000))
    return out.getvalue()


def zip_bytes(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        for name, data in files.items():
            packed.writestr(name, data)
    return out.getvalue()


def mail_bytes(attached: dict[str, bytes]) -> bytes:
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = "a@b.org", "c@d.org", "Papers"
    made.set_content("See what is attached.\n")
    for name, data in attached.items():
        made.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    return made.as_bytes()


def put(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def inside(path: Path, *names: str) -> Path:
    return Path("!/".join((str(path), *names)))


def refused(call: Callable[[], object]) -> ToolError:
    with pytest.raises(ToolError) as caught:
        call()
    return caught.value


def text_of(path: Path) -> str:
    return "".join(segment.text for segment in read_text(path).segments)


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    files = {
        "Papers/rent.pdf": pdf_bytes("The rent is 950"),
        "Papers/letter.docx": docx_bytes("Dear Ann"),
        "sum.xlsx": xlsx_bytes(4711),
        "red.png": png_bytes(),
        "memo.wav": wav_bytes(),
        "page.html": b"<p>Hello</p>",
        "ann.vcf": b"BEGIN:VCARD\nFN:Ann\nEND:VCARD\n",
    }
    return put(tmp_path / "bundle.zip", zip_bytes(files))


@pytest.mark.parametrize(
    ("name", "text", "locator", "mime"),
    [
        ("Papers/rent.pdf", "The rent is 950", "page:1", "application/pdf"),
        ("Papers/letter.docx", "Dear Ann", "lines:1", None),
        ("sum.xlsx", "4711", "cells:Sheet!A1:B2", None),
        ("page.html", "Hello", "lines:1", "text/html"),
        ("ann.vcf", "Card: Ann", "lines:1", "text/vcard"),
    ],
)
def test_members_are_read_as_files_are(
    bundle: Path, tmp_path: Path, name: str, text: str, locator: str, mime: str | None
) -> None:
    result = read_text(inside(bundle, name))
    assert text in result.segments[0].text
    assert result.segments[0].locator.startswith(locator)
    with zipfile.ZipFile(bundle) as packed:
        alone = put(tmp_path / Path(name).name, packed.read(name))
    assert read_text(alone) == result
    assert mime in (None, result.info["mime"])


def test_pictures_sounds_and_bytes_of_members(bundle: Path) -> None:
    picture = read_image(inside(bundle, "red.png")).media[0]
    assert (picture.width, picture.height) == (30, 20)
    page = read_image(inside(bundle, "Papers/rent.pdf"), page=1, dpi=72).media[0]
    assert page.width is not None
    assert page.width > 300
    assert read_original(inside(bundle, "page.html")).media[0].data == b"<p>Hello</p>"
    assert info(inside(bundle, "memo.wav"))["duration"] == 1.0
    clip = read_audio(inside(bundle, "memo.wav"), start_s=0.0, end_s=0.5).media[0]
    assert (clip.mime, clip.locator) == ("audio/mpeg", "time:0-0.5")


def test_members_of_members(tmp_path: Path) -> None:
    inner = zip_bytes({"deep/note.txt": b"the code is 4711\n"})
    path = put(tmp_path / "outer.eml", mail_bytes({"papers.zip": inner, "b.pdf": pdf_bytes("Hi")}))
    assert text_of(inside(path, "papers.zip", "deep/note.txt")) == "the code is 4711\n"
    assert text_of(inside(path, "b.pdf")).strip() == "Hi"
    assert "deep/note.txt" in text_of(inside(path, "papers.zip"))
    outer = put(tmp_path / "outer.zip", zip_bytes({"m/x.eml": path.read_bytes()}))
    assert text_of(inside(outer, "m/x.eml", "papers.zip", "deep/note.txt")).startswith("the code")


def test_nesting_has_an_end(tmp_path: Path) -> None:
    data = b"bottom\n"
    for level in range(4):
        data = zip_bytes({"x" if level else "x.txt": data})
    path = put(tmp_path / "a.zip", data)
    assert "x.txt" in text_of(inside(path, "x", "x", "x"))
    error = refused(lambda: read_text(inside(path, "x", "x", "x", "x.txt")))
    assert (error.kind, "at most 3" in error.message) == ("too_large", True)


def test_real_files_with_such_names_go_first(tmp_path: Path) -> None:
    folder = tmp_path / "a.zip!"
    folder.mkdir()
    assert text_of(put(folder / "b.txt", b"a real file\n")) == "a real file\n"
    odd = put(tmp_path / "odd.zip", zip_bytes({"wow!/b.txt": b"one", "wow!": b"two"}))
    assert text_of(inside(odd, "wow!/b.txt")) == "one"
    assert text_of(inside(odd, "wow!")) == "two"


def test_what_is_not_there(bundle: Path, tmp_path: Path) -> None:
    error = refused(lambda: read_text(inside(bundle, "Papers/rnet.pdf")))
    assert (error.kind, "Papers/rent.pdf" in error.remedy) == ("not_found", True)
    assert refused(lambda: read_text(inside(bundle, "Papers"))).kind == "not_a_file"
    assert refused(lambda: read_text(inside(bundle, "../x"))).kind == "outside_profile"
    assert refused(lambda: read_text(inside(tmp_path / "no.zip", "a"))).kind == "not_found"
    plain = put(tmp_path / "a.txt", b"no container\n")
    assert refused(lambda: read_text(inside(plain, "a"))).kind == "unsupported"
    assert refused(lambda: read_text(inside(bundle, "red.png", "a"))).kind == "unsupported"
    assert refused(lambda: read_text(inside(bundle, "n" * 5000))).kind == "not_found"


def test_a_member_that_is_damaged(tmp_path: Path) -> None:
    whole = zip_bytes({"a.txt": b"x" * 500})
    path = put(tmp_path / "a.zip", zip_bytes({"torn.zip": whole[:300], "torn.pdf": b"%PDF-1.7\n"}))
    assert refused(lambda: read_text(inside(path, "torn.zip", "a.txt"))).kind == "corrupt"
    assert refused(lambda: read_text(inside(path, "torn.pdf"))).kind == "corrupt"
    assert str(info(inside(path, "torn.pdf"))["problem"]).startswith("corrupt")


def test_held_files_look_like_files_and_go_away(bundle: Path) -> None:
    before = len([*Path("/proc/self/fd").iterdir()])
    with opened(inside(bundle, "Papers/letter.docx")) as file:
        assert (file.name, file.suffix, file.stem) == ("letter.docx", ".docx", "letter")
        assert file.stat().st_size > 1000
        assert not str(file).startswith(str(bundle.parent))
    assert not file.exists()
    refused(lambda: read_text(inside(bundle, "red.png", "a")))
    assert len([*Path("/proc/self/fd").iterdir()]) == before
    assert [p.name for p in bundle.parent.iterdir()] == ["bundle.zip"]


def test_the_outer_file_of_a_path(bundle: Path) -> None:
    assert outer_path(inside(bundle, "a", "b")) == bundle
    assert outer_path(bundle) == bundle
    assert container(bundle).names()[0] == "Papers/rent.pdf"


def test_functions_keep_their_names_and_arguments(bundle: Path) -> None:
    @through_members
    def size(path: Path, *, times: int = 1) -> int:
        """How long a file is."""
        return path.stat().st_size * times

    assert (size.__name__, size.__doc__) == ("size", "How long a file is.")
    assert size(inside(bundle, "page.html"), times=2) == 24


def test_the_worker_reads_members(bundle: Path) -> None:
    request = {"id": 1, "op": "read_text", "path": f"{bundle}!/page.html", "args": {}}
    reply, _ = worker.answer(request)
    assert (reply["ok"], reply["segments"][0]["text"]) == (True, "Hello\n")
