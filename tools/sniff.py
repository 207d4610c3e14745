"""What a file is, by its content: magic bytes, zip members, and the look of its text."""

from __future__ import annotations

import json
import re
import zipfile
from dataclasses import dataclass
from pathlib import Path

from deskgym.tools.decode import decode, is_text
from deskgym.tools.guards import damage, file_size, head

_HEAD = 64 * 1024
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OFFICE = "application/vnd.openxmlformats-officedocument."


@dataclass(frozen=True)
class FileType:
    """``mime``; ``modality`` (document, image, text, audio, video); ``family``: who reads it.

    Families: pdf, docx, xlsx, pptx, odt, ods, odp, doc, xls, ppt, rtf, epub, notebook, sqlite,
    parquet, html, eml, msg, mbox, ics, vcf, csv, json, text, image, audio, video,
    archive, binary.
    """

    mime: str
    modality: str
    family: str


PDF = FileType("application/pdf", "document", "pdf")
DOCX = FileType(_OFFICE + "wordprocessingml.document", "document", "docx")
XLSX = FileType(_OFFICE + "spreadsheetml.sheet", "document", "xlsx")
PPTX = FileType(_OFFICE + "presentationml.presentation", "document", "pptx")
ODT = FileType("application/vnd.oasis.opendocument.text", "document", "odt")
ODS = FileType("application/vnd.oasis.opendocument.spreadsheet", "document", "ods")
ODP = FileType("application/vnd.oasis.opendocument.presentation", "document", "odp")
EPUB = FileType("application/epub+zip", "document", "epub")
DOC = FileType("application/msword", "document", "doc")
XLS = FileType("application/vnd.ms-excel", "document", "xls")
PPT = FileType("application/vnd.ms-powerpoint", "document", "ppt")
RTF = FileType("application/rtf", "document", "rtf")
SQLITE = FileType("application/vnd.sqlite3", "document", "sqlite")
PARQUET = FileType("application/vnd.apache.parquet", "document", "parquet")
HTML = FileType("text/html", "text", "html")
EML = FileType("message/rfc822", "text", "eml")
ICS = FileType("text/calendar", "text", "ics")
VCF = FileType("text/vcard", "text", "vcf")
MSG = FileType("application/vnd.ms-outlook", "text", "msg")
MBOX = FileType("application/mbox", "text", "mbox")
CSV = FileType("text/csv", "document", "csv")
TSV = FileType("text/tab-separated-values", "document", "csv")
JSON = FileType("application/json", "text", "json")
JSONL = FileType("application/x-ndjson", "text", "text")
NOTEBOOK = FileType("application/x-ipynb+json", "document", "notebook")
SVG = FileType("image/svg+xml", "image", "text")
PLAIN = FileType("text/plain", "text", "text")
BINARY = FileType("application/octet-stream", "document", "binary")
OLE = FileType("application/x-ole-storage", "document", "binary")


def _image(subtype: str) -> FileType:
    return FileType(f"image/{subtype}", "image", "image")


def _audio(subtype: str) -> FileType:
    return FileType(f"audio/{subtype}", "audio", "audio")


def _video(subtype: str) -> FileType:
    return FileType(f"video/{subtype}", "video", "video")


def _archive(subtype: str) -> FileType:
    return FileType(f"application/{subtype}", "document", "archive")


def _source(subtype: str) -> FileType:
    return FileType(f"text/{subtype}", "text", "text")


# What a suffix promises: a tie-break between kinds of text, and the measure of a wrong name.
SUFFIXES: dict[str, FileType] = {
    "pdf": PDF, "docx": DOCX, "xlsx": XLSX, "pptx": PPTX, "odt": ODT,
    "ods": ODS, "odp": ODP, "ott": ODT, "ots": ODS, "otp": ODP, "epub": EPUB, "doc": DOC,
    "xls": XLS, "ppt": PPT, "dot": DOC, "xlt": XLS, "pps": PPT, "parquet": PARQUET,
    "sqlite": SQLITE, "sqlite3": SQLITE,
    "html": HTML, "htm": HTML, "eml": EML, "ics": ICS, "vcf": VCF,
    "msg": MSG, "mbox": MBOX,
    "csv": CSV, "tsv": TSV, "json": JSON, "jsonl": JSONL, "ipynb": NOTEBOOK, "svg": SVG,
    "txt": PLAIN, "log": PLAIN, "md": _source("markdown"), "py": _source("x-python"),
    "js": _source("javascript"), "tex": _source("x-tex"), "srt": _source("x-subrip"),
    "yaml": _source("yaml"), "yml": _source("yaml"), "xml": _source("xml"),
    "rtf": RTF,
    "png": _image("png"), "jpg": _image("jpeg"), "jpeg": _image("jpeg"), "gif": _image("gif"),
    "webp": _image("webp"), "bmp": _image("bmp"), "tif": _image("tiff"), "tiff": _image("tiff"),
    "heic": _image("heic"), "avif": _image("avif"), "ico": _image("x-icon"),
    "wav": _audio("wav"), "mp3": _audio("mpeg"), "flac": _audio("flac"), "aac": _audio("aac"),
    "m4a": _audio("mp4"), "ogg": _audio("ogg"), "opus": _audio("ogg"), "oga": _audio("ogg"),
    "aiff": _audio("aiff"), "amr": _audio("amr"), "mka": _audio("x-matroska"),
    "mp4": _video("mp4"), "m4v": _video("mp4"), "mov": _video("quicktime"),
    "3gp": _video("mp4"), "wmv": _video("x-ms-asf"), "caf": _audio("x-caf"),
    "webm": _video("webm"), "mkv": _video("x-matroska"), "avi": _video("x-msvideo"),
    "zip": _archive("zip"), "tar": _archive("x-tar"), "gz": _archive("gzip"),
    "tgz": _archive("gzip"), "7z": _archive("x-7z-compressed"), "rar": _archive("vnd.rar"),
    "bz2": _archive("x-bzip2"), "tbz2": _archive("x-bzip2"), "tbz": _archive("x-bzip2"),
    "xz": _archive("x-xz"), "txz": _archive("x-xz"),
}  # fmt: skip

_MAGIC: tuple[tuple[bytes, FileType], ...] = (
    (b"\x89PNG\r\n\x1a\n", _image("png")),
    (b"\xff\xd8\xff", _image("jpeg")),
    (b"GIF87a", _image("gif")),
    (b"GIF89a", _image("gif")),
    (b"II*\0", _image("tiff")),
    (b"MM\0*", _image("tiff")),
    (b"\0\0\1\0", _image("x-icon")),
    (b"fLaC", _audio("flac")),
    (b"ID3", _audio("mpeg")),
    (b"#!AMR", _audio("amr")),
    (b"caff", _audio("x-caf")),
    (b"\x30\x26\xb2\x75\x8e\x66\xcf\x11", _video("x-ms-asf")),
    (b"FLV\1", _video("x-flv")),
    (b"\0\0\1\xba", _video("mpeg")),
    (b"\x1f\x8b", _archive("gzip")),
    (b"7z\xbc\xaf\x27\x1c", _archive("x-7z-compressed")),
    (b"Rar!\x1a\x07", _archive("vnd.rar")),
    (b"BZh", _archive("x-bzip2")),
    (b"\xfd7zXZ\0", _archive("x-xz")),
    (b"SQLite format 3\0", SQLITE),
    (b"PAR1", PARQUET),
    (b"{\\rtf", RTF),
)
_HEADER = re.compile(r"([A-Za-z][A-Za-z0-9-]*):(?: |\t|$)")
_MAIL = {"from", "to", "subject", "date", "message-id", "mime-version", "received", "return-path",
         "cc", "reply-to", "content-type", "delivered-to", "sender"}  # fmt: skip
_MACHINE = {"message-id", "mime-version", "received", "return-path", "content-type"}
_MAILBOX = re.compile(r"From [^\n]*\d\d:\d\d[^\n]*\n(>?From [^\n]*\n)?[A-Za-z][A-Za-z0-9-]*:")
_TAG = re.compile(r"<(html|head|body|div|p|table|h[1-6]|ul|span|a)\b[^>]*>", re.I)


def sniff(path: Path) -> FileType:
    """What the file at ``path`` is; its suffix only decides between kinds of text.

    Raises:
        ToolError: not_found, not_a_file, unreadable, or empty.
    """
    size = file_size(path)
    start = head(path, _HEAD)
    promised = SUFFIXES.get(path.suffix.lower().lstrip("."))
    found = _container(path, start, promised) or _magic(start)
    if found is None and is_text(start):
        found = _text(path, start, size, promised)
    return found or BINARY


def misnamed(path: Path, found: FileType) -> str | None:
    """A note for a file whose suffix promises something that its content is not, or None."""
    suffix = path.suffix.lower().lstrip(".")
    promised = SUFFIXES.get(suffix)
    if promised is None or promised == found:
        return None
    same = promised.family == found.family and (found.family != "image")
    if same or (promised.family == "text" and found.family == "json"):
        return None
    return f"named .{suffix}, but its content is {found.mime}; read as what it is"


def _magic(start: bytes) -> FileType | None:
    # Before PDF, which need not begin a file: a tar file's first member may be one.
    if start[257:262] == b"ustar" or _is_old_tar(start):
        return _archive("x-tar")
    if b"%PDF-" in start[:1024]:
        return PDF
    for magic, found in _MAGIC:
        if start.startswith(magic):
            return found
    if len(start) > 376 and start[0] == start[188] == start[376] == 0x47 and not is_text(start):
        return _video("mp2t")
    if start.startswith(b"BM") and len(start) > 26 and start[6:10] == b"\0\0\0\0":
        return _image("bmp")
    if len(start) > 3 and start[0] == 0xFF and start[1] & 0xE0 == 0xE0 and not is_text(start):
        return _audio("aac") if start[1] & 0xF6 == 0xF0 else _audio("mpeg")
    return None


def _is_old_tar(start: bytes) -> bool:
    """Tar files of before 1988 have no magic bytes, but a sum over their first header."""
    field = start[148:156].strip(b" \0")
    if len(start) < 512 or not start[0] or not re.fullmatch(rb"[0-7]{1,7}", field):
        return False
    return int(field, 8) == sum(start[:148]) + 8 * 32 + sum(start[156:512])


def _container(path: Path, start: bytes, promised: FileType | None) -> FileType | None:
    """Formats that hold others, for which the first bytes alone do not decide."""
    if start[:4] in (b"RIFF", b"RF64"):
        kinds = {b"WAVE": _audio("wav"), b"AVI ": _video("x-msvideo"), b"WEBP": _image("webp")}
        return kinds.get(start[8:12])
    if start[:4] == b"FORM" and start[8:11] == b"AIF":
        return _audio("aiff")
    if start[:4] == b"OggS":
        return _video("ogg") if b"theora" in start[:512] else _audio("ogg")
    if start[:4] == b"\x1aE\xdf\xa3":
        kind = "webm" if b"webm" in start[:64] else "x-matroska"
        sound = b"A_" in start and b"V_" not in start
        return _audio(kind) if sound else _video(kind)
    if start[4:8] == b"ftyp":
        return _iso_media(start, promised)
    if start[4:8] in (b"moov", b"mdat", b"wide") and promised and promised.family == "video":
        return _video("quicktime")  # from before files named their brand
    if start[:4] in (b"PK\3\4", b"PK\5\6"):
        return _zip(path, start, promised)
    if start.startswith(_OLE):
        return _ole(path, promised)
    return None


def _iso_media(start: bytes, promised: FileType | None) -> FileType:
    brand = start[8:12]
    if brand in (b"heic", b"heix", b"mif1", b"msf1", b"heim", b"heis", b"hevc"):
        return _image("heic")
    if brand in (b"avif", b"avis"):
        return _image("avif")
    if brand in (b"M4A ", b"M4B "):
        return _audio("mp4")
    if promised == _audio("mp4") and b"vide" not in start:
        return _audio("mp4")  # phones give recordings the brand of any MP4
    return _video("quicktime") if brand == b"qt  " else _video("mp4")


def _zip(path: Path, start: bytes, promised: FileType | None) -> FileType:
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
            if "mimetype" in names and archive.getinfo("mimetype").file_size < 100:
                mime = archive.read("mimetype").decode("ascii", "replace").strip()
                for found in (ODT, ODS, ODP, EPUB):
                    if mime.removesuffix("-template") == found.mime:
                        return found
            if "META-INF/container.xml" in names and promised == EPUB:
                return EPUB
    except damage(RuntimeError):
        # Torn: the members at the front still tell what it was to be.
        names = {n for n in ("word/", "xl/", "ppt/") if n.encode() in start}
        for found in (ODT, ODS, ODP, EPUB):
            if b"mimetype" + found.mime.encode() in start[:200]:
                return found
        if not names and promised in (DOCX, XLSX, PPTX, ODT, ODS, ODP, EPUB):
            return promised
    for folder, found in (("word/", DOCX), ("xl/", XLSX), ("ppt/", PPTX)):
        if any(name.startswith(folder) for name in names):
            return found
    return _archive("zip")


def _ole(path: Path, promised: FileType | None) -> FileType:
    """Old office files, and new ones locked with a password, share one container."""
    content = head(path, 64 * 1024 * 1024)
    if "EncryptedPackage".encode("utf-16-le") in content:
        return promised if promised in (DOCX, XLSX, PPTX) else DOCX
    # A message may hold any of the others, a deck sheets: what holds more comes first.
    kinds = {
        "__properties_version1.0": MSG,
        "PowerPoint Document": PPT,
        "WordDocument": DOC,
        "Workbook": XLS,
        "Book": XLS,
    }
    found = [kind for name, kind in kinds.items() if name.encode("utf-16-le") in content]
    if not found:  # torn before the list of its streams, which often comes last
        return promised if promised in (DOC, XLS, PPT, MSG) else OLE
    return promised if promised in found else found[0]


def _text(path: Path, start: bytes, size: int, promised: FileType | None) -> FileType:
    """Which kind of text: what only one kind begins with, then what the suffix makes likely."""
    text = decode(start, markup=True)[0].lstrip("\ufeff \t\r\n")
    low = text[:1024].lower()
    for opening, found in (("begin:vcalendar", ICS), ("begin:vcard", VCF)):
        if low.startswith(opening):
            return found
    if low.startswith(("<!doctype html", "<html")):
        return HTML
    if low.startswith(("<?xml", "<svg", "<!--", "<!doctype svg")) and "<svg" in text[:4096].lower():
        return SVG
    if low.startswith("<?xml"):
        return HTML if "<html" in low else SUFFIXES["xml"]
    loose = promised is None or promised.family not in ("text", "csv")
    if _MAILBOX.match(text) and (loose or promised is PLAIN):
        return EML if promised is EML else MBOX
    if _is_mail(text, promised, loose):
        return EML
    if promised is HTML and _TAG.search(text):
        return HTML
    if (loose or promised is JSONL) and (found_json := _json(path, text, size, promised)):
        return found_json
    if promised in (CSV, TSV):
        return promised
    if promised is not None and promised.family == "text" and promised is not SVG:
        return promised
    return _table(text) if loose and promised is None and path.suffix == "" else PLAIN


def _is_mail(text: str, promised: FileType | None, loose: bool) -> bool:
    """A block of header fields, more of them needed the less the suffix says mail."""
    names: list[str] = []
    for line in text.splitlines()[:200]:
        if line[:1] in (" ", "\t") and names:
            continue
        if not (field := _HEADER.match(line)):
            break
        names.append(field[1].lower())
    known = _MAIL.intersection(names)
    if promised is EML:
        return len(known) >= 2
    if not known & {"from", "sender"} or len(known) < 3:
        return False
    return loose or len(known & _MACHINE) >= 2


def _json(path: Path, text: str, size: int, promised: FileType | None) -> FileType | None:
    if not text.startswith(("{", "[")):
        return None
    if promised is JSONL:
        return JSONL
    if size <= 8 * 1024 * 1024:
        try:
            content = json.loads(decode(head(path, size))[0])
        except (ValueError, RecursionError):
            return None
        if isinstance(content, dict) and "nbformat" in content:
            return NOTEBOOK
    elif promised not in (JSON, NOTEBOOK):
        return None
    return NOTEBOOK if promised is NOTEBOOK else JSON


def _table(text: str) -> FileType:
    """CSV or TSV where the first lines all hold the same number of separators, else plain."""
    lines = [line for line in text.splitlines()[:20] if line.strip()][:-1]
    for separator, found in (("\t", TSV), (",", CSV), (";", CSV)):
        counts = {line.count(separator) for line in lines}
        if len(lines) >= 2 and len(counts) == 1 and counts.pop() >= 1:
            return found
    return PLAIN
