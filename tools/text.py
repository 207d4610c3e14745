"""Plain text of any kind (notes, logs, source, subtitles, markup), as its lines stand."""

from __future__ import annotations

from pathlib import Path

from deskgym.tools.cut import Request, clean, cut_lines
from deskgym.tools.decode import decode, newline_style
from deskgym.tools.guards import load
from deskgym.tools.result import ToolResult
from deskgym.tools.sniff import SVG, FileType
from deskgym.tools.structured import EXAMINERS


def read(path: Path, kind: FileType, request: Request) -> ToolResult:
    """The lines of a text file.

    Raises:
        ToolError: too_large, out_of_range, bad_argument; corrupt for hostile XML.
    """
    request.allow("lines", "a text file")
    text, info, notes = decoded(path, markup=kind.mime in ("text/xml", "image/svg+xml"))
    if examine := EXAMINERS.get(kind.mime):
        text = examine(path, text, info, notes)
    if kind == SVG:
        notes.append("a drawing, shown as its source; use read_image to look at it")
    return cut_lines(text, request, info, notes)


def decoded(path: Path, *, markup: bool = False) -> tuple[str, dict[str, object], list[str]]:
    """A text file's text, with what is known of it and a note where its encoding is a guess.

    Raises:
        ToolError: too_large.
    """
    raw, encoding = decode(load(path), markup=markup)
    notes = []
    if not encoding.startswith("utf") and not markup:
        notes.append(f"not UTF-8; read as {encoding}, which is a guess")
    info: dict[str, object] = {"encoding": encoding, "newline": newline_style(raw)}
    return clean(raw), info, notes
