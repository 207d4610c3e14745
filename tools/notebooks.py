"""Notebooks (ipynb): cells and their outputs as lines, in order."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from deskgym.tools.cut import Request, clean, cut_lines
from deskgym.tools.data import read_json
from deskgym.tools.html import to_text
from deskgym.tools.result import ToolResult
from deskgym.tools.sniff import FileType
from deskgym.tools.text import decoded

_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def read(path: Path, kind: FileType, request: Request) -> ToolResult:
    """The lines of a notebook, with ``[kind number]`` before each cell, ``[output]`` after it.

    Raises:
        ToolError: too_large, out_of_range, bad_argument.
    """
    request.allow("lines", "a notebook")
    text, info, notes = decoded(path)
    book = _parsed(text)
    cells = _cells(book)
    if cells is None:
        result = read_json(path, kind, request)
        note = "a notebook without cells as they should be, shown as its source"
        return ToolResult(
            result.segments, result.media, result.info, (note, *result.notes), result.next_offset
        )
    pictures = [0]
    lines = [line for n, cell in enumerate(cells, 1) for line in _cell(n, cell, pictures)]
    if pictures[0]:
        notes.append(f"{pictures[0]} pictures in the outputs are named only")
    info |= {"cells": len(cells)}
    if language := _language(book):
        info["language"] = language
    body = clean("\n".join(lines).rstrip("\n") + "\n")
    return cut_lines(body, request, info, notes)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _cells(book: Any) -> list[Any] | None:
    """The cells, also of the old layout with worksheets; None if there are none."""
    if not isinstance(book, dict):
        return None
    cells = book.get("cells")
    if isinstance(cells, list):
        return cells
    sheets = book.get("worksheets")
    if not isinstance(sheets, list):
        return None
    found = [sheet.get("cells", []) for sheet in sheets if isinstance(sheet, dict)]
    return [cell for cells in found if isinstance(cells, list) for cell in cells]


def _language(book: Any) -> str:
    about = book.get("metadata")
    for key in ("kernelspec", "language_info"):
        part = about.get(key) if isinstance(about, dict) else None
        if isinstance(part, dict):
            name = part.get("language") or (part.get("name") if key == "language_info" else "")
            if isinstance(name, str) and name:
                return name
    return ""


def _cell(number: int, cell: Any, pictures: list[int]) -> Iterator[str]:
    if not isinstance(cell, dict):
        return
    source = cell.get("source", cell.get("input", ""))
    yield f"[{cell.get('cell_type', 'cell')} {number}]"
    yield from _lines(source)
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else []:
        if isinstance(output, dict):
            yield f"[{'error' if output.get('output_type') in ('error', 'pyerr') else 'output'}]"
            yield from _output(output, pictures)
    yield ""


def _output(output: dict[str, Any], pictures: list[int]) -> Iterator[str]:
    """One output: its plain text, else its HTML as text; pictures by their type."""
    trace = output.get("traceback")
    if output.get("output_type") in ("error", "pyerr"):
        yield from _lines(trace if trace else output.get("evalue", ""), joiner="\n")
        return
    data = output.get("data")
    data = data if isinstance(data, dict) else output
    for kind in sorted(data):
        if kind.startswith("image/") or kind in ("png", "jpeg", "svg"):
            pictures[0] += 1
            yield f"[picture: {kind}]"
    text = data.get("text/plain", output.get("text"))
    if text is None and (html := data.get("text/html", data.get("html"))) is not None:
        text = to_text("".join(_strings(html)))
    for kind in ("text/markdown", "text/latex", "application/json"):
        if text is None and (other := data.get(kind)) is not None:
            text = other if isinstance(other, (str, list)) else json.dumps(other, indent=1)
    yield from _lines(text or "")


def _lines(text: Any, joiner: str = "") -> list[str]:
    whole = _COLOUR.sub("", joiner.join(_strings(text))).rstrip("\n")
    return clean(whole).split("\n") if whole else []


def _strings(text: Any) -> list[str]:
    """A string, or a list of them, as a list; anything else is none."""
    if isinstance(text, str):
        return [text]
    return [t for t in text if isinstance(t, str)] if isinstance(text, list) else []
