"""Text that has a grammar (XML, YAML, JSON a line): checked, and laid out where it needs to be."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from xml.parsers import expat

from deskgym.tools.packages import refuse_entities

_LONG_LINE = 300  # characters a line on average, above which XML counts as minified
_MAX_CHECKED = 1_000_000  # characters of YAML that are checked
_MAX_DEPTH = 200
_PIECE = re.compile(
    r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<!DOCTYPE(?:[^\[>]|\[.*?\])*>"
    r"|<(?:[^<>\"']|\"[^\"]*\"|'[^']*')+>|[^<]+",
    re.S,
)

Examiner = Callable[[Path, str, dict[str, object], list[str]], str]
"""Takes a file's text, adds to its info and notes, and returns the text to show."""


def examine_xml(path: Path, text: str, info: dict[str, object], notes: list[str]) -> str:
    """XML as it stands; on lines of its own where it is minified. Entities are never expanded.

    Raises:
        ToolError: corrupt, for entities made to expand.
    """
    # The text is decoded already: what its declaration says of an encoding no longer holds.
    data = re.sub(r"^\s*<\?xml.*?\?>", "", text, count=1, flags=re.S).encode()
    refuse_entities(data, path)
    root: list[str] = []
    parser = expat.ParserCreate("utf-8")
    parser.StartElementHandler = lambda name, _: root.append(name) if not root else None
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        notes.append(f"not well-formed XML: {error}")
        return text
    info["root"] = root[0]
    if len(text) > _LONG_LINE * (text.count("\n") + 1):
        notes.append("minified XML, shown indented; line numbers are those of the indented text")
        return indented(text)
    return text


def indented(text: str) -> str:
    """Well-formed XML with an element a line, two spaces a level; no character else is changed."""
    lines: list[str] = []
    depth = 0
    inline = False  # after an opening tag, and only text since
    for piece in _PIECE.findall(text):
        if piece.startswith("</"):
            depth = max(0, depth - 1)
            if inline:
                lines[-1] += piece
            else:
                lines.append("  " * min(depth, _MAX_DEPTH) + piece)
            inline = False
        elif piece[0] != "<" or piece.startswith("<![CDATA["):
            if inline:
                lines[-1] += piece.strip("\n")
            elif piece.strip():
                lines.append("  " * min(depth, _MAX_DEPTH) + piece.strip())
        else:
            lines.append("  " * min(depth, _MAX_DEPTH) + piece)
            opening = piece[1] not in "?!" and not piece.endswith("/>")
            depth += opening
            inline = opening
    return "\n".join(lines) + "\n"


def examine_yaml(path: Path, text: str, info: dict[str, object], notes: list[str]) -> str:
    """YAML as it stands; a note says where it is not valid. Nothing is built from it."""
    import yaml

    if len(text) > _MAX_CHECKED:
        return text
    documents = 0
    try:
        # Events come before aliases are followed and tags are made into objects.
        for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            documents += isinstance(event, yaml.DocumentStartEvent)
    except yaml.MarkedYAMLError as error:
        where = f"line {error.problem_mark.line + 1}" if error.problem_mark else "somewhere"
        notes.append(f"not valid YAML ({where}: {error.problem})")
    except (yaml.YAMLError, RecursionError) as error:
        notes.append(f"not valid YAML: {error}")
    else:
        info["documents"] = documents
    return text


def examine_jsonl(path: Path, text: str, info: dict[str, object], notes: list[str]) -> str:
    """A JSON value a line, as they stand; a note names lines that are none."""
    records = 0
    bad: list[int] = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            records += 1
            if not _is_json(line):
                bad.append(number)
    info["records"] = records
    if bad:
        more = f" and {len(bad) - 5:,} more" if len(bad) > 5 else ""
        notes.append(f"no JSON on line {', '.join(map(str, bad[:5]))}{more}")
    return text


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


EXAMINERS: dict[str, Examiner] = {
    "text/xml": examine_xml,
    "text/yaml": examine_yaml,
    "application/x-ndjson": examine_jsonl,
}
"""Who looks at a text file of a type before it is shown."""
