"""A console that is wide enough for tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


def wide_console(tables: Sequence[Table]) -> Console:
    """A console as wide as the terminal, or as the widest of ``tables``: on a narrow terminal a
    wrapped line still reads better than cells that are cut off."""
    from rich.console import Console
    from rich.measure import Measurement

    console = Console()
    roomy = Console(width=1_000).options
    widest = max(Measurement.get(console, roomy, table).maximum for table in tables)
    return Console(width=widest) if console.width < widest else console
