"""Finding the part of a markdown text that a reference names.

A name is mostly a heading, given with or without its number (``4. Action Plan``, ``Action Plan``,
``4``, ``Section 4``) and sometimes as ``Header: ## Action Plan``; else a label in the text: the
first words of a paragraph, an item or a row.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

How = Literal["heading", "label", "mention", "whole", "unknown"]
"""What the name turned out to be; ``unknown``: nothing, so that the whole file stands for it."""

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$")
_FENCE = re.compile(r" {0,3}(```|~~~)")
_RULE = re.compile(r"[ \t]*(?:[-*_][ \t]*){3,}$")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]+")
_NUMBER = r"(?:\d+(?:\.\d+)*|[IVXLC]+|[A-Z])"
_NUMBERED = re.compile(
    rf"(?:(?i:section|part|table|appendix|step)\s+)?({_NUMBER})(?:[.):](?=\s)|\s*[–—:-](?=\s))\s*"
)
_BARE = re.compile(r"(?:\d+(?:\.\d+)*|[IVXLC]+)\.?")
_SET_OFF = re.compile(r"\s*\|?\s*(\*\*|__)(.+?)\1")
_BEFORE_COLON = re.compile(r"(\s*)([^:|]+):")
# Words that say what kind of thing is meant, not which one.
_KINDS = frozenset({"a", "and", "list", "log", "of", "section", "table", "the"})


@dataclass(frozen=True)
class Found:
    """The lines of a part (1-based, inclusive), and what its name turned out to be."""

    first: int
    last: int
    how: How


@dataclass(frozen=True)
class _Heading:
    line: int
    level: int
    text: str


def words(text: str) -> list[str]:
    """The words of ``text``, without markup, case and punctuation."""
    plain = re.sub(r"\]\([^)]*\)", "]", html.unescape(text))
    return re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", plain).casefold())


def find_section(lines: Sequence[str], name: str) -> Found:
    """The part of a text that ``name`` means.

    ``Header`` alone means what stands before the first heading, if anything does, and no name the
    whole text. The first of these that there is: a heading of that name; one of that number; one
    that begins with the name, or holds it; a label; a heading with all words that are not of a
    kind (*table*, *list*); a block that mentions it.
    """
    title = re.sub(r"^\s*(?:header|section)\s*:\s*(?=\S)", "", name, flags=re.I)
    title = re.sub(r"^\s*#+\s*", "", title).strip()
    headings = _headings(lines)
    if not title:
        return _whole(lines, "whole")
    if title.casefold() == "header" and "header" not in {h.text.casefold() for h in headings}:
        first = headings[0].line if headings else 1
        return _trimmed(lines, 1, first - 1, "heading") or _whole(lines, "whole")
    if heading := _heading_named(headings, title):
        return _below(lines, headings, heading)
    if found := _labelled(lines, words(title)):
        return found
    telling = set(words(title)) - _KINDS
    for heading in headings:
        if telling and telling <= set(words(heading.text)):
            return _below(lines, headings, heading)
    return _mention(lines, words(title)) or _whole(lines, "unknown")


def _headings(lines: Sequence[str]) -> list[_Heading]:
    found = []
    fence = ""
    for number, line in enumerate(lines, 1):
        if mark := _FENCE.match(line):
            fence = "" if fence == mark[1] else fence or mark[1]
        elif not fence and (heading := _HEADING.match(line)):
            found.append(_Heading(number, len(heading[1]), heading[2]))
    return found


def _heading_named(headings: Sequence[_Heading], title: str) -> _Heading | None:
    said, plain = words(title), words(_unnumbered(title))
    bare = _BARE.fullmatch(title)
    for heading in headings:
        if said == words(heading.text):
            return heading
    for heading in headings:
        number = _NUMBERED.match(heading.text)
        if bare and number and number[1].casefold() == title.rstrip(".").casefold():
            return heading
        if plain and not bare and plain == words(_unnumbered(heading.text)):
            return heading
    if bare or not plain:
        return None
    for heading in headings:
        text = words(heading.text)
        if text[: len(said)] == said or words(_unnumbered(heading.text))[: len(plain)] == plain:
            return heading
    for heading in headings:
        if _holds(words(heading.text), plain):
            return heading
    return None


def _unnumbered(text: str) -> str:
    return _NUMBERED.sub("", text, count=1) if _NUMBERED.match(text) else text


def _holds(text: Sequence[str], run: Sequence[str]) -> bool:
    return any(text[at : at + len(run)] == run for at in range(len(text) - len(run) + 1))


def _below(lines: Sequence[str], headings: Sequence[_Heading], heading: _Heading) -> Found:
    """From a heading to the next of the same or a higher level."""
    later = (h.line for h in headings if h.line > heading.line and h.level <= heading.level)
    end = next(later, len(lines) + 1) - 1
    found = _trimmed(lines, heading.line, end, "heading")
    return found or Found(heading.line, heading.line, "heading")


def _labelled(lines: Sequence[str], said: Sequence[str]) -> Found | None:
    """Where a line, or a cell of it, says just ``said``, else where a line begins with it."""
    for number, line in enumerate(lines, 1):
        cells = [words(cell) for cell in line.strip().strip("|").split("|")] if "|" in line else []
        if said in (words(_ITEM.sub("", line, count=1)), words(line), *cells):
            return _around(lines, number)
    for number, line in enumerate(lines, 1):
        for text in (line, _ITEM.sub("", line, count=1)):
            # A label is set off from what follows it.
            label = _SET_OFF.match(text) or _BEFORE_COLON.match(text)
            if label and words(label[2])[: len(said)] == said:
                return _around(lines, number)
    return None


def _mention(lines: Sequence[str], said: Sequence[str]) -> Found | None:
    for number, line in enumerate(lines, 1):
        if _holds(words(line), said):
            found = _around(lines, number)
            return Found(found.first, found.last, "mention")
    return None


def _around(lines: Sequence[str], number: int) -> Found:
    """The smallest block that holds a line: its row, its item, else what it introduces."""
    line = lines[number - 1]
    last = number
    if line.lstrip().startswith("|"):
        return Found(number, number, "label")
    if _ITEM.match(line):
        indent = len(line) - len(line.lstrip())
        while last < len(lines) and _indented(lines[last], indent):
            last += 1
        return Found(number, last, "label")
    last = _block_end(lines, number)
    if last == number and _introduces(line):
        following = next((n for n in range(number + 1, len(lines) + 1) if lines[n - 1].strip()), 0)
        if following and not _HEADING.match(lines[following - 1]):
            last = _block_end(lines, following)
    return Found(number, last, "label")


def _indented(line: str, indent: int) -> bool:
    return bool(line.strip()) and len(line) - len(line.lstrip()) > indent


def _block_end(lines: Sequence[str], number: int) -> int:
    """The last line before an empty one, a rule or a heading."""
    last = number
    while last < len(lines) and lines[last].strip() and not _RULE.match(lines[last]):
        if _HEADING.match(lines[last]):
            break
        last += 1
    return last


def _introduces(line: str) -> bool:
    """Whether a line by itself is a label: wholly set off, or ending in a colon."""
    text = line.strip()
    return bool(re.fullmatch(r"(\*\*|__|\*|_).+\1:?", text)) or text.rstrip("*_").endswith(":")


def _trimmed(lines: Sequence[str], first: int, last: int, how: How) -> Found | None:
    """Without empty lines and rules at both ends; None if there is nothing else."""
    while last >= first and (not lines[last - 1].strip() or _RULE.match(lines[last - 1])):
        last -= 1
    while first <= last and (not lines[first - 1].strip() or _RULE.match(lines[first - 1])):
        first += 1
    return Found(first, last, how) if first <= last else None


def _whole(lines: Sequence[str], how: How) -> Found:
    return _trimmed(lines, 1, len(lines), how) or Found(1, max(1, len(lines)), how)
