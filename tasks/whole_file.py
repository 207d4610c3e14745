"""A file put in another's place at once, or not at all."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(file: Path) -> Iterator[Path]:
    """A path beside ``file`` to write to, which takes its place when the block ends well.

    Otherwise what was written is removed and ``file`` is as it was. Several processes and threads
    may replace the same file at a time: one of them wins.

    Raises:
        OSError: it cannot be moved into place.
    """
    draft = file.with_name(f".{uuid.uuid4().hex[:12]}.new")
    try:
        yield draft
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)
