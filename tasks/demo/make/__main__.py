"""``python -m deskgym.tasks.demo.make [adam bei victoria] [--out DIR]``: make the demo desks."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from pathlib import Path

from deskgym.tasks.demo.make.things import DeskError

PEOPLE = ("adam", "bei", "victoria")
_DATA = Path(__file__).resolve().parent.parent / "data"


def main(arguments: list[str] | None = None) -> int:
    """Make the people named (or all), say how large each came out; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m deskgym.tasks.demo.make")
    parser.add_argument("people", nargs="*", metavar="NAME", help=f"{', '.join(PEOPLE)} or nobody")
    parser.add_argument("--out", type=Path, default=_DATA, help="folder for the people's folders")
    chosen = parser.parse_args(arguments)
    if unknown := sorted(set(chosen.people) - set(PEOPLE)):
        parser.error(f"nobody called {', '.join(unknown)}; there are {', '.join(PEOPLE)}")
    for name in chosen.people or PEOPLE:
        # Late, so that one person can be made while another's script is broken.
        person = importlib.import_module(f"deskgym.tasks.demo.make.{name}")
        try:
            person.build(chosen.out)
        except DeskError as error:
            print(error, file=sys.stderr)
            return 1
        print(_summary(chosen.out / name))
    return 0


def _summary(root: Path) -> str:
    files = json.loads((root / "files.json").read_text(encoding="utf-8"))
    tasks = json.loads((root / "tasks.json").read_text(encoding="utf-8"))
    types = {file["type"] for file in files}
    size = sum(file["size"] for file in files) / 1e6
    return (
        f"{root.name}: {len(files)} files of {len(types)} types, {size:.1f} MB, {len(tasks)} tasks"
    )


if __name__ == "__main__":
    sys.exit(main())
