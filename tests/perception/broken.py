"""Files that are broken, each in a way that real ones are, and what reading them must say."""

from __future__ import annotations

import gzip
import io
import random
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from corpus_case import written
from corpus_pictures import png_chunk
from office_made import odf
from outlook_kit import container

Find = Callable[[str], Path]
BrokenMaker = Callable[[Path, Find], object]
LAUGHS = '<!DOCTYPE l [<!ENTITY a "ha">' + "".join(
    f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefghi", "bcdefghij", strict=True)
) + "]>"  # fmt: skip
ZEROS = bytes(300 * 1024 * 1024)


@dataclass(frozen=True)
class Broken:
    """A broken file. ``make`` gets its path, and finds whole files of the corpus by name.

    Asking the worker for ``op`` gives an error of ``kind``; without a kind, a reading with
    ``note`` in one of its notes, or (where nothing is lost) with just ``text`` first, or ``info``.
    """

    type: str
    name: str
    how: str
    make: BrokenMaker
    kind: str = ""
    note: str = ""
    text: str = ""
    info: Mapping[str, Any] = field(default_factory=dict)
    op: str = "read_text"
    args: Mapping[str, Any] = field(default_factory=dict)
    by: tuple[str, ...] = ()
    member: str = ""


def holds(content: bytes | str) -> BrokenMaker:
    """A file with just this content."""
    plain = written(content)
    return lambda path, find: plain(path)


def cut(name: str, share: float = 0.5) -> BrokenMaker:
    """The first ``share`` of a file of the corpus."""

    def make(path: Path, find: Find) -> None:
        data = find(name).read_bytes()
        path.write_bytes(data[: int(len(data) * share)])

    return make


def renamed(name: str) -> BrokenMaker:
    """A whole file of the corpus under another name."""
    return lambda path, find: path.write_bytes(find(name).read_bytes())


def changed(name: str, part: str, change: Callable[[bytes], bytes]) -> BrokenMaker:
    """A zipped file of the corpus with one part changed."""

    def make(path: Path, find: Find) -> None:
        with zipfile.ZipFile(find(name)) as old, zipfile.ZipFile(path, "w", 8) as new:
            for member in old.infolist():
                data = old.read(member)
                new.writestr(member.filename, change(data) if member.filename == part else data)

    return make


def hostile(name: str, part: str) -> BrokenMaker:
    """A zipped file of the corpus, one part of which laughs a billion times."""

    def laughing(data: bytes) -> bytes:
        head, mark, rest = data.partition(b"?>")
        return head + mark + LAUGHS.encode() + rest

    return changed(name, part, laughing)


def bomb(name: str, part: str) -> BrokenMaker:
    """A zipped file of the corpus, one part of which unpacks to 300 MB."""
    return changed(name, part, lambda data: data + ZEROS)


def overwritten(name: str, start: int, data: bytes) -> BrokenMaker:
    """A file of the corpus with some bytes changed."""

    def make(path: Path, find: Find) -> None:
        old = bytearray(find(name).read_bytes())
        old[start : start + len(data)] = data
        path.write_bytes(old)

    return make


def noise(head: bytes, size: int = 20_000) -> BrokenMaker:
    """The right beginning, then nothing that makes sense; the same bytes each time."""
    return holds(head + random.Random(4711).randbytes(size))


def _locked_pdf(path: Path, find: Find) -> None:
    import pymupdf

    with pymupdf.open(find("lease.pdf")) as made:
        made.save(path, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="x", owner_pw="y")


def _huge_page(path: Path, find: Find) -> None:
    import pymupdf

    with pymupdf.open() as made:
        made.new_page(width=14_000_000, height=14_000_000).insert_text((72, 72), "small")
        made.save(path)


def _locked_office(path: Path, find: Find) -> None:
    path.write_bytes(container({"EncryptedPackage": b"x" * 5000, "EncryptionInfo": b"y" * 200}))


def _locked_doc(path: Path, find: Find) -> None:
    head = b"\xec\xa5\xc1\0" + bytes(7) + b"\1" + bytes(5000)
    path.write_bytes(container({"WordDocument": head, "1Table": b"x" * 5000}))


def _far_cell(data: bytes) -> bytes:
    far = b'<row r="1048576"><c r="XFD1048576"><v>7</v></c></row></sheetData>'
    return data.replace(b"</sheetData>", far)


def _endless_ods(path: Path, find: Find) -> None:
    cell = '<table:table-cell table:number-columns-repeated="16384" office:value-type="float" '
    cell += 'office:value="1"><text:p>1</text:p></table:table-cell>'
    row = f'<table:table-row table:number-rows-repeated="1048576">{cell}</table:table-row>'
    odf(path, "spreadsheet", f'<table:table table:name="S">{row}</table:table>')


def _locked_zip(path: Path, find: Find) -> None:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as packed:
        packed.writestr("a.txt", "secret")
    data = bytearray(held.getvalue())
    data[6] |= 1
    data[data.index(b"PK\1\2") + 8] |= 1
    path.write_bytes(data)


def _zip_bomb(path: Path, find: Find) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("a.txt", ZEROS)


def _leading_out(path: Path, find: Find) -> None:
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("../../etc/passwd", "root")


def _tar_of_zeros() -> bytes:
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w") as packed:
        entry = tarfile.TarInfo("a.txt")
        entry.size = len(ZEROS)
        packed.addfile(entry, io.BytesIO(ZEROS))
    return held.getvalue()


def _packed_bomb(pack: Callable[[bytes], bytes]) -> BrokenMaker:
    return lambda path, find: path.write_bytes(pack(_tar_of_zeros()))


def _png(width: int, height: int) -> bytes:
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", head)
        + png_chunk(b"IDAT", zlib.compress(bytes(1000))) + png_chunk(b"IEND", b"")
    )  # fmt: skip


def _endless_wav() -> bytes:
    """A header that promises 4 GiB of sound, and a second of it."""
    sound = bytes(16_000)
    form = struct.pack("<HHIIHH", 1, 1, 8000, 16_000, 2, 16)
    return (
        b"RIFF\xff\xff\xff\xffWAVEfmt " + struct.pack("<I", 16) + form
        + b"data" + struct.pack("<I", 0xFFFF_FFF0) + sound
    )  # fmt: skip


def _promising(path: Path, find: Find) -> None:
    """A FLAC file whose header promises nearly two million hours."""
    data = bytearray(find("waltz.flac").read_bytes())
    data[21] |= 0x0F  # the number of samples: 36 bits within STREAMINFO
    data[22:26] = b"\xff\xff\xff\xff"
    path.write_bytes(data)


def _looping_tiff() -> bytes:
    """Its list of pages leads back to the first."""
    tags = [(256, 4, 1, 1), (257, 4, 1, 1), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1),
            (273, 4, 1, 4), (278, 4, 1, 1), (279, 4, 1, 1)]  # fmt: skip
    entries = b"".join(struct.pack("<HHII", *tag) for tag in tags)
    return b"II*\0" + struct.pack("<IH", 8, len(tags)) + entries + struct.pack("<I", 8)


def _cut_box(name: str, box: bytes) -> BrokenMaker:
    """A file of the corpus up to this part of it."""

    def make(path: Path, find: Find) -> None:
        data = find(name).read_bytes()
        path.write_bytes(data[: data.rindex(box)])

    return make


def _nested_mail(depth: int) -> bytes:
    head = b"From: a@b.org\nTo: c@d.org\nSubject: deep\nMIME-Version: 1.0\n"
    lines = [
        b'Content-Type: multipart/mixed; boundary="b%d"\n\n--b%d\n' % (n, n) for n in range(depth)
    ]
    return head + b"".join(lines) + b"Content-Type: text/plain\n\nat the bottom\n"


_SEALED = (
    b"From: a@b.org\nTo: c@d.org\nSubject: sealed\nMIME-Version: 1.0\n"
    b"Content-Type: application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m\n"
    b"Content-Transfer-Encoding: base64\n\nMIAGCSqGSIb3DQEHA6CAMIACAQAxggFXMIIBUwIBADA7\n"
)
_OFTEN = (
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:1\r\nSUMMARY:Tick\r\n"
    "DTSTART:20240303T083000Z\r\nRRULE:FREQ=SECONDLY\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
)

BROKEN = [
    Broken("pdf", "cut.pdf", "truncated", cut("old.pdf", 0.02), "corrupt"),
    Broken("pdf", "torn.pdf", "truncated", cut("old.pdf", 0.8), note="was repaired"),
    Broken("pdf", "locked.pdf", "encrypted", _locked_pdf, "encrypted", by=("package:pymupdf",)),
    Broken("pdf", "huge.pdf", "absurd dimensions", _huge_page, note="to fit 1600 pixels",
           op="read_image",
           by=("package:pymupdf",)),
    Broken("docx", "cut.docx", "truncated", cut("word.docx"), "corrupt"),
    Broken("docx", "locked.docx", "encrypted", _locked_office, "encrypted"),
    Broken("docx", "laughs.docx", "hostile XML", hostile("word.docx", "word/document.xml"),
           "corrupt"),
    Broken("docx", "bomb.docx", "bomb", bomb("word.docx", "word/document.xml"), "too_large"),
    Broken("doc", "cut.doc", "truncated", cut("letter.doc", 0.15), "corrupt", by=("soffice",)),
    Broken("doc", "locked.doc", "encrypted", _locked_doc, "encrypted"),
    Broken("odt", "cut.odt", "truncated", cut("garden.odt"), "corrupt"),
    Broken("odt", "laughs.odt", "hostile XML", hostile("garden.odt", "content.xml"), "corrupt"),
    Broken("rtf", "cut.rtf", "truncated", cut("chinese.rtf"), note="breaks off"),
    Broken("rtf", "deep.rtf", "bomb", holds("{\\rtf1 " + "{" * 300_000), "corrupt"),
    Broken("epub", "cut.epub", "truncated", cut("walks.epub"), "corrupt"),
    Broken("epub", "laughs.epub", "hostile XML", hostile("walks.epub", "OEBPS/one.xhtml"),
           text="# The Weir\n\nTurn left at the mill & go on.\n"),
    Broken("epub", "bomb.epub", "bomb", bomb("walks.epub", "OEBPS/one.xhtml"), "too_large"),
    Broken("html", "deep.html", "bomb", holds("<html><body>" + "<div>" * 200_000 + "end"),
           text="end\n"),
    Broken("html", "photo.html", "wrong suffix", renamed("photo.jpg"), note="named .html, but"),
    Broken("markdown", "photo.md", "wrong suffix", renamed("photo.jpg"), note="named .md, but"),
    Broken("txt", "noise.txt", "wrong suffix", noise(b"\0\1"), "unsupported"),
    Broken("txt", "endless.txt", "bomb", lambda path,
           find: path.write_bytes(b"a" * (80 << 20)),
           "too_large"),
    Broken("tex", "lease.tex", "wrong suffix", renamed("lease.pdf"), note="named .tex, but"),
    Broken("code", "python.py", "wrong suffix", renamed("python.zip"), note="named .py, but"),
    Broken("ipynb", "cut.ipynb", "truncated", cut("old.ipynb"),
           note="named .ipynb, but its content is text"),
    Broken("xlsx", "cut.xlsx", "truncated", cut("rent.xlsx"), "corrupt"),
    Broken("xlsx", "far.xlsx", "absurd dimensions",
           changed("rent.xlsx", "xl/worksheets/sheet1.xml", _far_cell),
           note="goes on beyond 20,000 rows"),
    Broken("xlsx", "laughs.xlsx", "hostile XML", hostile("rent-lo.xlsx", "xl/workbook.xml"),
           "corrupt"),
    Broken("xlsx", "locked.xlsx", "encrypted", _locked_office, "encrypted"),
    Broken("xls", "cut.xls", "truncated", cut("rent-lo.xls", 0.3), "corrupt"),
    Broken("xls", "letter.xls", "wrong suffix", renamed("letter.docx"), note="named .xls, but"),
    Broken("ods", "cut.ods", "truncated", cut("miete.ods"), "corrupt"),
    Broken("ods", "endless.ods", "absurd dimensions", _endless_ods,
           note="goes on beyond 20,000 rows"),
    Broken("csv", "quote.csv", "truncated", holds('a,b\n1,"' + "x\n" * 100_000),
           note="not a clean table"),
    Broken("tsv", "rent.tsv", "wrong suffix", renamed("rent.xlsx"), note="named .tsv, but"),
    Broken("pptx", "cut.pptx", "truncated", cut("moving.pptx"), "corrupt"),
    Broken("pptx", "laughs.pptx", "hostile XML", hostile("moving.pptx", "ppt/slides/slide1.xml"),
           "corrupt"),
    Broken("ppt", "cut.ppt", "truncated", cut("moving.ppt", 0.05), "corrupt", by=("soffice",)),
    Broken("odp", "cut.odp", "truncated", cut("ausflug.odp"), "corrupt"),
    Broken("odp", "laughs.odp", "hostile XML", hostile("ausflug.odp", "content.xml"), "corrupt"),
    Broken("json", "cut.json", "truncated", cut("minified.json"),
           note="named .json, but its content is text"),
    Broken("json", "deep.json", "bomb", holds("[" * 500_000),
           note="named .json, but its content is text"),
    Broken("jsonl", "cut.jsonl", "truncated", cut("log.jsonl", 0.7), note="no JSON on line 2"),
    Broken("xml", "laughs.xml", "hostile XML", holds(f"<?xml version='1.0'?>{LAUGHS}<l>&j;</l>"),
           "corrupt"),
    Broken("xml", "cut.xml", "truncated", cut("minified.xml"), note="not well-formed XML"),
    Broken("yaml", "cut.yaml", "truncated", holds("a: [1, 2\nb: {"), note="not valid YAML"),
    Broken("sqlite", "cut.sqlite", "truncated", cut("shop.sqlite", 0.4), "corrupt"),
    Broken("sqlite", "noise.sqlite", "truncated", noise(b"SQLite format 3\0"), "corrupt"),
    Broken("parquet", "cut.parquet", "truncated", cut("bills.parquet"), "corrupt",
           by=("package:pyarrow",)),
    Broken("eml", "sealed.eml", "encrypted", holds(_SEALED), note="encrypted or sealed"),
    Broken("eml", "deep.eml", "bomb", holds(_nested_mail(5000)), "corrupt"),
    Broken("msg", "cut.msg", "truncated", cut("outlook.msg"), "corrupt"),
    Broken("mbox", "photo.mbox", "wrong suffix", renamed("photo.jpg"), note="named .mbox, but"),
    Broken("ics", "often.ics", "bomb", holds(_OFTEN), note="was not expanded"),
    Broken("ics", "cut.ics", "truncated", cut("outlook.ics", 0.7),
           note="breaks off inside its last event"),
    Broken("vcf", "cut.vcf", "truncated", cut("nokia.vcf", 0.5),
           note="breaks off inside its last card"),
    Broken("png", "cut.png", "truncated", cut("deep.png", 0.8), "corrupt", op="read_image"),
    Broken("png", "huge.png", "absurd dimensions", holds(_png(200_000, 200_000)), "too_large"),
    Broken("jpg", "cut.jpg", "truncated", cut("photo.jpg", 0.9), "corrupt", op="read_image"),
    Broken("jpg", "halves.jpg", "wrong suffix", renamed("halves.png"), note="named .jpg, but"),
    Broken("gif", "cut.gif", "truncated", cut("ffmpeg.gif"), "corrupt", op="read_image"),
    Broken("gif", "huge.gif", "absurd dimensions", overwritten("ffmpeg.gif", 6,
           b"\xff\xff\xff\xff"),
           "too_large", op="read_image"),
    Broken("webp", "cut.webp", "truncated", cut("lossless.webp"), "corrupt", op="read_image"),
    Broken("tiff", "cut.tiff", "truncated", cut("scanner.tiff", 0.6), "corrupt"),
    Broken("tiff", "loop.tiff", "endless media header", holds(_looping_tiff()),
           info={"width": 1, "height": 1}),
    Broken("bmp", "huge.bmp", "absurd dimensions",
           overwritten("paint.bmp", 18, struct.pack("<ii", 1 << 20, 1 << 20)), "too_large"),
    Broken("bmp", "cut.bmp", "truncated", cut("paint.bmp"), "corrupt", op="read_image"),
    Broken("svg", "laughs.svg", "hostile XML",
           holds(f'{LAUGHS.replace("DOCTYPE l", "DOCTYPE svg")}<svg xmlns="http://www.w3.org/2000/svg">'
                 "<text>&j;</text></svg>"), "corrupt", op="read_image"),
    Broken("heic", "cut.heic", "truncated", cut("phone.heic"), "corrupt", op="read_image"),
    Broken("mp3", "noise.mp3", "truncated", noise(b"ID3\3\0\0\0\0\0\0"), "corrupt"),
    Broken("m4a", "cut.m4a", "truncated", _cut_box("waltz.m4a", b"moov"), "corrupt"),
    Broken("aac", "lease.aac", "wrong suffix", renamed("lease.pdf"), note="named .aac, but"),
    Broken("aac", "noise.aac", "truncated", noise(b"\xff\xf1\x50\x80"), "corrupt"),
    Broken("wav", "endless.wav", "endless media header", holds(_endless_wav()),
           info={"duration_s": 1.0}),
    Broken("flac", "promising.flac", "endless media header", _promising,
           note="the rest is missing"),
    Broken("ogg", "cut.ogg", "truncated", cut("vorbis.ogg", 0.01), "corrupt"),
    Broken("opus", "noise.opus", "truncated", noise(b"OggS\0\2"), "corrupt"),
    Broken("mp4", "cut.mp4", "truncated", _cut_box("part4.mp4", b"moov"), "corrupt"),
    Broken("mkv", "cut.mkv", "truncated", cut("trip.mkv"), note="the rest is missing"),
    Broken("mov", "cut.mov", "truncated", _cut_box("camera.mov", b"moov"), "corrupt"),
    Broken("avi", "cut.avi", "truncated", cut("camera.avi"), note="the rest is missing"),
    Broken("webm", "noise.webm", "truncated", noise(b"\x1aE\xdf\xa3\x9fB\x86\x81\1B\x82\x84webm"),
           "corrupt"),
    Broken("zip", "cut.zip", "truncated", cut("python.zip"), "corrupt"),
    Broken("zip", "bomb.zip", "bomb", _zip_bomb, note="unpacks to more than"),
    Broken("zip", "bomb-inside.zip", "bomb", _zip_bomb, "too_large", member="a.txt"),
    Broken("zip", "locked.zip", "encrypted", _locked_zip, "encrypted", member="a.txt"),
    Broken("zip", "out.zip", "hostile names", _leading_out, "outside_profile",
           member="../../etc/passwd"),
    Broken("tar", "cut.tar", "truncated", cut("ustar.tar", 0.07), "corrupt"),
    Broken("tar.gz", "cut.tar.gz", "truncated", cut("python.tar.gz"), "corrupt"),
    Broken("tar.gz", "bomb.tar.gz", "bomb", _packed_bomb(lambda data: gzip.compress(data, 1)),
           note="unpacks to"),
    Broken("tar.xz", "cut.tar.xz", "truncated", cut("python.tar.xz"), "corrupt"),
    Broken("7z", "cut.7z", "truncated", cut("lzma2.7z"), "corrupt", by=("package:py7zr",)),
]  # fmt: skip
