"""Files: the home directory in which a life's records stand."""

from __future__ import annotations

from pathlib import Path

from deskgym.tasks.made.files.home import make_home
from deskgym.tasks.made.files.placed import Home, MadeFile, Placed
from deskgym.tasks.made.models import Life
from deskgym.tasks.made.records import Record
from deskgym.tasks.made.spec import MadeSpec

__all__ = ["Home", "MadeFile", "Placed", "make_home", "write_home"]


def write_home(
    life: Life, records: tuple[Record, ...], root: Path, spec: MadeSpec
) -> tuple[Placed, ...]:
    """Write the person's home directory below ``root``; where each record stands in it.

    Files have the times of the life. Equal arguments write equal bytes.

    Raises:
        DeskError: espeak-ng or FFmpeg is missing and sound is wanted.
        OSError: it cannot be written.
    """
    home = make_home(life, records, spec)
    home.write(root)
    return tuple(home.placed)
