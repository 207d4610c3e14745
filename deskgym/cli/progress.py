"""Saying what a slow command is doing: a spinner on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def saying() -> Iterator[Callable[[str], None]]:
    """A function that shows its line on standard error; the last one spins until the end."""
    if not sys.stderr.isatty():
        yield lambda line: print(line, file=sys.stderr, flush=True)
        return
    from rich.console import Console
    from rich.markup import escape

    console = Console(stderr=True)
    with console.status("") as status:

        def say(line: str) -> None:
            console.print(escape(line), highlight=False)
            status.update(escape(line))

        yield say
