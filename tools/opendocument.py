"""OpenDocument texts, sheets and slides (odt, ods, odp), read from their ``content.xml``."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

from deskgym.tools.cut import Request, clean, clip, cut_lines, cut_pages, listing
from deskgym.tools.grid import (
    MAX_COLUMNS,
    Box,
    Sheet,
    bounded,
    column_letters,
    range_name,
    read_sheets,
    value_text,
    window,
)
from deskgym.tools.odftext import (
    DRAW,
    OFFICE,
    PRESENTATION,
    STYLE,
    TABLE,
    Writer,
    shown,
    table_rows,
)
from deskgym.tools.packages import Package, damaged, opened
from deskgym.tools.result import ToolError, ToolResult
from deskgym.tools.sniff import FileType

_WHAT = "OpenDocument file"
_META = {
    "title": "{http://purl.org/dc/elements/1.1/}title",
    "author": "{urn:oasis:names:tc:opendocument:xmlns:meta:1.0}initial-creator",
}
_DURATION = re.compile(r"(-?)PT?(\d+)H(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?")
_REFERENCE = re.compile(r"\[([^\]]*)\]")


def read_text(path: Path, kind: FileType, request: Request) -> ToolResult:
    """The lines of a text: headings, paragraphs, lists and tables, then margins and notes.

    Raises:
        ToolError: encrypted, corrupt, too_large, out_of_range, bad_argument.
    """
    request.allow("lines", "a text document")
    with opened(path, _WHAT) as package:
        body = _body(package, "text")
        writer = Writer()
        lines = list(writer.blocks(body))
        lines += _margins(package)
        lines += writer.notes
        info = _about(package)
    text = clean("\n".join(lines).strip("\n"))
    return cut_lines(text + "\n" if text else "", request, info, [])


def read_slides(path: Path, kind: FileType, request: Request) -> ToolResult:
    """The text of the slides, one segment ``page:n`` each, speaker's notes last.

    Raises:
        ToolError: encrypted, corrupt, too_large, out_of_range, bad_argument.
    """
    request.allow("pages", "a slide deck")
    notes: list[str] = []
    with opened(path, _WHAT) as package:
        root = _content(package)
        slides = _part(package, root, "presentation").findall(DRAW + "page")
        first, last = clip(request.pages, len(slides), "slide", notes)
        texts = [(n, clean("\n".join(_slide(slides[n - 1])))) for n in range(first, last + 1)]
        pictured = [n for n in range(first, last + 1) if _has_picture(slides[n - 1])]
        unseen = _styles_with(root, "drawing-page", PRESENTATION + "visibility", "hidden")
        hidden = [n for n, s in enumerate(slides, 1) if s.get(DRAW + "style-name") in unseen]
        info = {"pages": len(slides), "slides": len(slides), **_about(package)}
    if hidden:
        notes.append(f"hidden when shown: slide {listing(hidden)}")
    if pictured:
        notes.append(f"pictures, which are not in the text, on slide {listing(pictured)}")
    if empty := [n for n, text in texts if not text]:
        notes.append(f"no text on slide {listing(empty)}")
    segments, next_offset = cut_pages(texts, request, notes)
    return ToolResult(segments=segments, info=info, notes=tuple(notes), next_offset=next_offset)


def read_sheet(path: Path, kind: FileType, request: Request) -> ToolResult:
    """One segment a sheet (or the selected cells): stored values, dates as dates.

    Raises:
        ToolError: encrypted, corrupt, too_large, out_of_range, bad_argument.
    """
    request.allow("cells", "a workbook")
    with opened(path, _WHAT) as package:
        root = _content(package)
        tables = _part(package, root, "spreadsheet").findall(TABLE + "table")
        names = [table.get(TABLE + "name", "") for table in tables]
        unseen = _styles_with(root, "table", TABLE + "display", "false")

        def load(index: int, wanted: Box | None) -> Sheet:
            hidden = tables[index].get(TABLE + "style-name") in unseen
            return _sheet(names[index], tables[index], hidden, wanted)

        return read_sheets(names, load, request, [])


def _content(package: Package) -> Element:
    """The root of ``content.xml``.

    Raises:
        ToolError: encrypted, corrupt.
    """
    manifest = "META-INF/manifest.xml"
    if manifest in package.names and b"encryption-data" in package.part(manifest):
        raise ToolError(
            "encrypted",
            f"{package.path.name!r} is protected by a password",
            "it cannot be read without the password; look for the same facts in another file",
        )
    return package.xml("content.xml")


def _part(package: Package, root: Element, kind: str) -> Element:
    found = root.find(f"{OFFICE}body/{OFFICE}{kind}")
    if found is None:
        raise damaged(package.path, _WHAT, f"there is no {kind} in it")
    return found


def _body(package: Package, kind: str) -> Element:
    return _part(package, _content(package), kind)


def _about(package: Package) -> dict[str, object]:
    """Title and author, where the file names them."""
    if "meta.xml" not in package.names:
        return {}
    meta = package.xml("meta.xml")
    found = {key: (meta.findtext(f".//{tag}") or "").strip() for key, tag in _META.items()}
    return {key: clean(value) for key, value in found.items() if value}


def _margins(package: Package) -> list[str]:
    """Headers and footers, each different one once."""
    if "styles.xml" not in package.names:
        return []
    lines: list[str] = []
    for page in package.xml("styles.xml").iter(STYLE + "master-page"):
        for part in page:
            label = part.tag.removeprefix(STYLE).partition("-")[0]
            if label in ("header", "footer"):
                text = " ".join(" ".join(Writer().blocks(part)).split())
                line = f"[{label}] {text}"
                if text and line not in lines:
                    lines.append(line)
    return lines


def _styles_with(root: Element, family: str, attribute: str, value: str) -> set[str | None]:
    """Names of the styles of ``family`` whose properties hold ``attribute="value"``."""
    return {
        style.get(STYLE + "name")
        for style in root.iter(STYLE + "style")
        if style.get(STYLE + "family") == family
        and any(properties.get(attribute) == value for properties in style)
    }


def _slide(page: Element) -> list[str]:
    writer = Writer(spaced=False)
    title: list[str] = []
    lines: list[str] = []
    notes: list[str] = []
    for shape in page:
        if shape.tag == PRESENTATION + "notes":
            notes += writer.blocks(shape)
        elif shape.get(PRESENTATION + "class") == "title" and not title:
            title = [" ".join(" ".join(writer.blocks(shape)).split())]
        else:
            lines += writer.block(shape)
    head = [f"# {text}" for text in title if text]
    told = ["", "Notes:", *notes] if any(note.strip() for note in notes) else []
    return [*head, *lines, *told, *writer.notes]


def _has_picture(page: Element) -> bool:
    return any(
        page_part.tag == DRAW + "image"
        for shape in page
        if shape.tag != PRESENTATION + "notes"
        for page_part in shape.iter()
    )


def _sheet(name: str, table: Element, hidden: bool, wanted: Box | None) -> Sheet:
    formulas: dict[str, str] = {}
    merged: list[str] = []
    view = window(wanted)

    def rows() -> Iterator[tuple[int, list[str]]]:
        number = 1
        for row in table_rows(table):
            repeated = _count(row, "number-rows-repeated")
            last = number + repeated - 1
            if last >= view.r0:
                texts = _cells(row, number, formulas, merged)
                if any(texts):
                    # One row beyond the view is enough to know that there is more.
                    for n in range(max(number, view.r0), min(last, view.r1 + 1) + 1):
                        yield n, texts
            number = last + 1

    box, kept, capped = bounded(rows(), wanted)
    inside = {cell: text for cell, text in formulas.items() if _within(cell, view)}
    return Sheet(name, hidden, box, kept, capped, inside, tuple(merged))


def _cells(row: Element, number: int, formulas: dict[str, str], merged: list[str]) -> list[str]:
    """The texts of a row's cells; notes formulas and merged ranges on the way."""
    texts: list[str] = []
    for cell in row:
        if cell.tag not in (TABLE + "table-cell", TABLE + "covered-table-cell"):
            continue
        column = len(texts) + 1
        if column > MAX_COLUMNS * 65:  # further than any sheet reaches
            break
        repeated = min(_count(cell, "number-columns-repeated"), MAX_COLUMNS * 65)
        text = _cell_text(cell)
        if formula := cell.get(TABLE + "formula"):
            written = "=" + _REFERENCE.sub(_plain_reference, formula.partition("=")[2])
            if text:
                formulas[f"{column_letters(column)}{number}"] = written
            text = text or written
        wide, high = _count(cell, "number-columns-spanned"), _count(cell, "number-rows-spanned")
        if wide > 1 or high > 1:
            merged.append(range_name(Box(column, number, column + wide - 1, number + high - 1)))
        texts += [text] * repeated
    return texts


def _count(element: Element, name: str) -> int:
    value = element.get(TABLE + name, "1")
    return int(value) if value.isdecimal() and len(value) < 8 else 1


def _plain_reference(match: re.Match[str]) -> str:
    """``Rent!B2:C3`` for ``[$Rent.B2:.C3]``."""
    sheet, dot, cells = match[1].partition(".")
    cells = cells.replace(":.", ":")
    return f"{sheet.lstrip('$')}!{cells}" if dot and sheet else cells


def _cell_text(cell: Element) -> str:
    kind = cell.get(OFFICE + "value-type", "")
    if kind in ("float", "percentage", "currency"):
        if (truth := shown(cell)) in ("TRUE", "FALSE"):  # LibreOffice stores these as 1 and 0
            return truth
        return _number_text(cell.get(OFFICE + "value", "")) or shown(cell)
    if kind == "date" and (date := cell.get(OFFICE + "date-value", "")):
        return _date_text(date)
    if kind == "time" and (match := _DURATION.fullmatch(cell.get(OFFICE + "time-value", ""))):
        sign, hours, minutes, seconds = match.groups()
        return f"{sign}{int(hours):02}:{int(minutes or 0):02}:{int(float(seconds or 0)):02}"
    if kind == "boolean":
        return cell.get(OFFICE + "boolean-value", "").upper()
    return shown(cell)


def _number_text(text: str) -> str:
    try:
        return value_text(float(text))
    except ValueError:
        return ""


def _date_text(text: str) -> str:
    try:
        return value_text(dt.datetime.fromisoformat(text))
    except ValueError:
        return text


def _within(cell: str, box: Box) -> bool:
    letters = cell.rstrip("0123456789")
    row = int(cell[len(letters) :])
    column = 0
    for letter in letters:
        column = column * 26 + ord(letter) - ord("A") + 1
    return box.c0 <= column <= box.c1 and box.r0 <= row <= box.r1
