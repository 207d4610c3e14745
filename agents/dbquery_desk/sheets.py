"""Sheets, packed or plain, cell by cell and row by row."""

from __future__ import annotations

import csv
import io
import re
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Iterator
from datetime import datetime, timedelta

from .common import MAX_BYTES, Broken, Record, Value, place_of, text_of


def _sheet_records(sheet: str, rows: list[tuple[str, int, list[str]]]) -> Iterator[Record]:
    """Records of rows given as locator, number and values; the first one holds the headers."""
    headers = rows[0][2] if rows else []
    for locator, number, values in rows:
        yield Record("sheet_rows", (locator, sheet, number, " | ".join(values)))
        for at, value in enumerate(values):
            if not value:
                continue
            place = f"cells:{sheet}!{_letters(at)}{number}" if sheet else locator
            header = headers[at] if at < len(headers) else ""
            yield Record("sheets", (place, sheet, number, _letters(at), header, _number(value)))


def _number(value: str) -> Value:
    """A value that is a number, so that it sorts and adds up; what begins with 0 is a name."""
    if re.fullmatch(r"-?(?:0|[1-9]\d{0,14})(?:\.\d+)?", value):
        return float(value) if "." in value else int(value)
    return value


def _letters(at: int) -> str:
    letters, at = "", at + 1
    while at:
        at, rest = divmod(at - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def comma_separated(data: bytes, delimiter: str | None = None) -> Iterator[Record]:
    """Cells and rows of values between ``delimiter``; None: the likeliest of the usual ones."""
    text = text_of(data)
    head = text[:5000]
    delimiter = delimiter or max(",;\t|", key=lambda sign: head.count(sign))
    reader = csv.reader(io.StringIO(text), delimiter=delimiter)
    rows, before = [], 0
    for values in reader:
        first, before = before + 1, reader.line_num
        if values:
            rows.append((place_of(first, before), first, [value.strip() for value in values]))
    yield from _sheet_records("", rows)


def tab_separated(data: bytes) -> Iterator[Record]:
    """Cells and rows of values between tabs."""
    yield from comma_separated(data, "\t")


_NS = {"m": "http://schemas.openxmlformats.org/spreadsheetml/2006/main"}
_REL = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_DATE_FORMATS = frozenset((*range(14, 23), *range(45, 48)))


def workbook(data: bytes) -> Iterator[Record]:
    """Cells and rows of every sheet of an XLSX file; dates as text, formulas by their values."""
    with zipfile.ZipFile(io.BytesIO(data)) as book:
        shared = [
            "".join(t.text or "" for t in item.iter(f"{{{_NS['m']}}}t"))
            for item in _xml(book, "xl/sharedStrings.xml").findall("m:si", _NS)
        ]
        dated = _date_styles(_xml(book, "xl/styles.xml"))
        targets = {
            link.get("Id"): link.get("Target", "")
            for link in _xml(book, "xl/_rels/workbook.xml.rels")
        }
        for sheet in _xml(book, "xl/workbook.xml").findall("m:sheets/m:sheet", _NS):
            target = targets.get(sheet.get(_REL), "")
            part = target.lstrip("/") if target.startswith("/") else f"xl/{target}"
            name = sheet.get("name", "")
            yield from _sheet_records(name, list(_rows(_xml(book, part), name, shared, dated)))


def _xml(book: zipfile.ZipFile, part: str) -> ET.Element:
    if part not in book.namelist():
        return ET.Element("none")
    if book.getinfo(part).file_size > MAX_BYTES:
        raise Broken(f"{part} is too large")
    return ET.fromstring(book.read(part))


def _date_styles(styles: ET.Element) -> set[int]:
    """Which styles of cells show a number as a date."""
    dates = set(_DATE_FORMATS)
    for form in styles.findall("m:numFmts/m:numFmt", _NS):
        code = re.sub(r'"[^"]*"|\[[^\]]*\]|\\.', "", form.get("formatCode", ""))
        if re.search(r"[ymdhs]", code, re.IGNORECASE):
            dates.add(int(form.get("numFmtId", "0")))
    cells = styles.findall("m:cellXfs/m:xf", _NS)
    return {n for n, cell in enumerate(cells) if int(cell.get("numFmtId", "0")) in dates}


def _rows(
    sheet: ET.Element, name: str, shared: list[str], dated: set[int]
) -> Iterator[tuple[str, int, list[str]]]:
    for row in sheet.findall("m:sheetData/m:row", _NS):
        values: dict[int, str] = {}
        number = int(row.get("r", "0"))
        for cell in row.findall("m:c", _NS):
            place = re.fullmatch(r"([A-Z]{1,3})(\d+)", cell.get("r", ""))
            if place is not None and (value := _cell(cell, shared, dated)):
                values[_column(place[1])], number = value, int(place[2])
        if values:
            first, last = min(values), max(values)
            locator = f"cells:{name}!{_letters(first)}{number}:{_letters(last)}{number}"
            yield locator, number, [values.get(at, "") for at in range(last + 1)]


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1


def _cell(cell: ET.Element, shared: list[str], dated: set[int]) -> str:
    kind, value = cell.get("t", "n"), cell.findtext("m:v", "", _NS)
    if kind == "inlineStr":
        return "".join(t.text or "" for t in cell.iter(f"{{{_NS['m']}}}t"))
    if kind == "s" and value:
        return shared[int(value)]
    if kind == "n" and value and int(cell.get("s", "0")) in dated:
        return _day(float(value))
    return value


def _day(serial: float) -> str:
    moment = datetime(1899, 12, 30) + timedelta(seconds=round(serial * 86_400))
    return moment.strftime("%Y-%m-%d" if serial == int(serial) else "%Y-%m-%d %H:%M")
