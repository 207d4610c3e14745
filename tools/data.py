"""JSON (indented where it is minified) and tables of separated values (as their lines stand)."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

from deskgym.tools.cut import Request, cut_lines
from deskgym.tools.result import ToolResult
from deskgym.tools.sniff import TSV, FileType
from deskgym.tools.text import decoded

_SEPARATOR_LINE = re.compile(r"sep=([,;|\t])\n", re.I)  # how Excel is told
_SAMPLE = 20_000
_LONG_LINE = 300  # characters a line on average, above which JSON counts as minified


def read_json(path: Path, kind: FileType, request: Request) -> ToolResult:
    """A JSON file's lines; a minified one is indented first, which a note says.

    Raises:
        ToolError: too_large, out_of_range, bad_argument.
    """
    request.allow("lines", "a JSON file")
    text, info, notes = decoded(path)
    body = text.strip()
    if len(body) > _LONG_LINE * (body.count("\n") + 1) and _is_json(body):
        text = indented(body)
        notes.append("minified JSON, shown indented; line numbers are those of the indented text")
    return cut_lines(text, request, info, notes)


def read_table(path: Path, kind: FileType, request: Request) -> ToolResult:
    """The lines of a CSV or TSV file; ``info`` names its separator, rows and columns.

    Raises:
        ToolError: too_large, out_of_range, bad_argument.
    """
    request.allow("lines", "a table of separated values")
    text, info, notes = decoded(path)
    delimiter = "\t" if kind == TSV else _delimiter(text)
    body = text[text.index("\n") + 1 :] if _SEPARATOR_LINE.match(text) else text
    rows = columns = 0
    try:
        for row in csv.reader(io.StringIO(body), delimiter=delimiter):
            rows += bool(row)
            columns = max(columns, len(row))
    except csv.Error as error:
        notes.append(f"not a clean table from row {rows + 1} on: {error}")
    info |= {"delimiter": delimiter, "rows": rows, "columns": columns}
    return cut_lines(text, request, info, notes)


def _delimiter(text: str) -> str:
    """The separator that splits the first rows most evenly, quoted fields kept whole."""
    if declared := _SEPARATOR_LINE.match(text):
        return declared[1]
    sample = text[:_SAMPLE]
    best, score = ",", 0.0
    # The comma comes last: where another splits as evenly, commas are those of decimals.
    for candidate in ("\t", ";", "|", ","):
        widths = _widths(sample, candidate)
        if len(sample) < len(text):
            widths = widths[:-1]  # the sample may end within a row
        usual = max(set(widths), key=lambda n: (widths.count(n), n), default=0)
        if usual > 1 and (even := widths.count(usual) / len(widths)) > score:
            best, score = candidate, even
    return best


def _widths(sample: str, delimiter: str) -> list[int]:
    """The numbers of fields in the rows of ``sample``."""
    try:
        return [len(row) for row in csv.reader(io.StringIO(sample), delimiter=delimiter) if row]
    except csv.Error:
        return []


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def indented(text: str) -> str:
    """Valid JSON with two spaces a level; every value stays written as it was.

    Parsing and writing it again would lose repeated keys and the digits of numbers.
    """
    out: list[str] = []
    depth = 0
    i = 0
    while i < len(text):
        c = text[i]
        if c == '"':
            end = _string_end(text, i)
            out.append(text[i:end])
            i = end
            continue
        if c in "{[":
            closing = _next_visible(text, i + 1)
            if text[closing] in "}]":
                out.append(c + text[closing])
                i = closing + 1
                continue
            depth += 1
            out.append(c + "\n" + "  " * depth)
        elif c in "}]":
            depth -= 1
            out.append("\n" + "  " * depth + c)
        elif c == ",":
            out.append(",\n" + "  " * depth)
        elif c == ":":
            out.append(": ")
        elif not c.isspace():
            out.append(c)
        i += 1
    return "".join(out) + "\n"


def _string_end(text: str, start: int) -> int:
    i = start + 1
    while text[i] != '"':
        i += 2 if text[i] == "\\" else 1
    return i + 1


def _next_visible(text: str, start: int) -> int:
    while text[start].isspace():
        start += 1
    return start
