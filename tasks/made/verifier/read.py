"""Reading everything below a folder into rows, by what each file is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from deskgym.tasks.locators import Lines, WholeFile
from deskgym.tasks.made.verifier.agenda import ics_rows, vcf_rows
from deskgym.tasks.made.verifier.evaluate import Desk
from deskgym.tasks.made.verifier.prose import (
    docx_rows,
    eml_rows,
    html_rows,
    mbox_rows,
    pdf_rows,
    text_rows,
)
from deskgym.tasks.made.verifier.rows import Row, Value, joined, row_of
from deskgym.tasks.made.verifier.tables import (
    csv_rows,
    json_rows,
    sqlite_rows,
    value_of,
    xlsx_rows,
)

_Reader = Callable[[Path, str], Iterator[Row]]


def read_desk(files: Path) -> Desk:
    """All that the files below ``files`` say, as far as it is kept in a form for rows."""
    rows: list[Row] = []
    for file in sorted(p for p in files.rglob("*") if p.is_file()):
        reader = _READERS.get(file.suffix.lower())
        if reader is not None:
            rows += reader(file, file.relative_to(files).as_posix())
    return Desk(joined(rows), files)


def picture_rows(file: Path, path: str) -> Iterator[Row]:
    """A picture: its name, and what its EXIF says of when it was taken."""
    from PIL import Image

    with Image.open(file) as image:
        stamp = str(image.getexif().get_ifd(_EXIF).get(_TAKEN, ""))
    fields: dict[str, Value] = {"file": file.name, "title": file.stem}
    if stamp:
        fields["time"] = f"{stamp[:10].replace(':', '-')} {stamp[11:16]}"
    yield row_of("picture", fields, path, WholeFile())


_EXIF, _TAKEN = 0x8769, 0x9003


def recording_rows(file: Path, path: str) -> Iterator[Row]:
    """A sound or clip: its name, and when it was made."""
    made = datetime.fromtimestamp(file.stat().st_mtime, UTC)
    fields: dict[str, Value] = {
        "file": file.name,
        "title": file.stem,
        "time": f"{made:%Y-%m-%d %H:%M}",
    }
    yield row_of("recording", fields, path, WholeFile())


_GRAPHML: Final = "{http://graphml.graphdrawing.org/xmlns}"


def graphml_rows(file: Path, path: str) -> Iterator[Row]:
    """The edges of a graph; each is a line."""
    text = file.read_text(encoding="utf-8")
    graph = ElementTree.fromstring(text)
    numbers = [n for n, line in enumerate(text.split("\n"), 1) if line.lstrip().startswith("<edge")]
    for number, edge in zip(numbers, graph.iter(f"{_GRAPHML}edge"), strict=True):
        fields: dict[str, Value] = {
            "source": edge.get("source", ""),
            "target": edge.get("target", ""),
        }
        for data in edge.iter(f"{_GRAPHML}data"):
            fields[data.get("key", "")] = value_of(data.text or "")
        kind = _edge_kind(fields)
        if kind:
            yield row_of(kind, fields, path, Lines(start=number, end=number))


def _edge_kind(fields: Mapping[str, Value]) -> str:
    if "contacts" in fields:
        return "social_tie"
    if "unit" in fields:
        return "organisation"
    return "membership" if "since" in fields else ""


_READERS: Final[Mapping[str, _Reader]] = {
    ".csv": csv_rows,
    ".json": json_rows,
    ".sqlite": sqlite_rows,
    ".sqlite3": sqlite_rows,
    ".db": sqlite_rows,
    ".xlsx": xlsx_rows,
    ".ics": ics_rows,
    ".vcf": vcf_rows,
    ".eml": eml_rows,
    ".mbox": mbox_rows,
    ".md": text_rows,
    ".txt": text_rows,
    ".html": html_rows,
    ".htm": html_rows,
    ".docx": docx_rows,
    ".pdf": pdf_rows,
    ".graphml": graphml_rows,
    ".jpg": picture_rows,
    ".mp3": recording_rows,
    ".mp4": recording_rows,
}
