"""Whether a locator lies within its file, from what is known of the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from deskgym.tasks.locators import (
    AnyLocator,
    Cells,
    Lines,
    Pages,
    Region,
    TimeSpan,
    Turns,
    WholeFile,
    cell_bounds,
)

SLACK_S: Final = 0.5
_COUNTS = {"page": "pages", "lines": "lines", "turns": "turns"}


def within(locator: AnyLocator, info: Mapping[str, Any]) -> bool | None:
    """Whether ``locator`` lies within the file of which ``info`` is known; None: not known.

    Of ``info`` count ``pages``, ``lines``, ``turns``, ``duration_s`` (or ``duration``) in seconds,
    ``sheets`` (names, or objects with ``name``, ``rows`` and ``columns``) and ``mime``.
    """
    match locator:
        case WholeFile():
            return True
        case Pages() | Lines() | Turns():
            last = info.get(_COUNTS[locator.kind])
            return None if last is None else locator.end <= last
        case Region():
            pages = info.get("pages")
            if pages is None and str(info.get("mime", "")).startswith("image/"):
                pages = 1
            return None if pages is None else locator.page <= pages
        case TimeSpan():
            duration = info.get("duration_s", info.get("duration"))
            return None if duration is None else locator.end_s <= duration + SLACK_S
        case Cells():
            return _cells_within(locator, info.get("sheets"))


def _cells_within(cells: Cells, sheets: Sequence[Any] | None) -> bool | None:
    if sheets is None:
        return None
    known = [sheet if isinstance(sheet, Mapping) else {"name": sheet} for sheet in sheets]
    wanted = cells.sheet.casefold()
    named = [s for s in known if not wanted or str(s.get("name", "")).casefold() == wanted]
    if not named:
        return False
    _, _, column, row = cell_bounds(cells.range)
    rows, columns = named[0].get("rows"), named[0].get("columns")
    return (rows is None or row <= rows) and (columns is None or column <= columns)
