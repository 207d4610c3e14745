"""``python -m deskgym.tasks.made.verifier DIR``: every task of a generated set, from its files.

Prints how many tasks of each person it agrees with and, of the others, why not. Exit code 1 if
there are others, 2 if ``DIR`` holds no set.
"""

from __future__ import annotations

import sys
from pathlib import Path

from deskgym.tasks.made.stored import FILES, SET_FILE, MadeSet, read_asked, read_lines, read_model
from deskgym.tasks.made.verifier.check import check
from deskgym.tasks.registry import BadDataset
from deskgym.tasks.schema import Task


def main(arguments: list[str]) -> int:
    """Verify the set in the folder that is named; the exit code."""
    if len(arguments) != 1:
        print("usage: python -m deskgym.tasks.made.verifier DIR", file=sys.stderr)
        return 2
    root = Path(arguments[0])
    try:
        people = read_model(root / SET_FILE, MadeSet).people
        bad = sum(_person(root / name) for name in people if (root / name).is_dir())
    except BadDataset as error:
        print(error, file=sys.stderr)
        return 2
    return 1 if bad else 0


def _person(folder: Path) -> int:
    """Verify one person; how many tasks do not hold."""
    asked = read_asked(folder)
    tasks = {task.id: task for task in read_lines(folder / "tasks.jsonl", Task)}
    verdicts = check(folder / FILES, asked, tasks)
    wrong = {name: verdict for name, verdict in verdicts.items() if not verdict.ok}
    unasked = sorted(tasks.keys() - verdicts.keys())
    print(f"{folder.name}: {len(verdicts) - len(wrong)} of {len(tasks)} tasks agree")
    for name, verdict in wrong.items():
        print(f"  {name}: {verdict.reason}: {verdict.detail}")
    for name in unasked:
        print(f"  {name}: no query: it cannot be verified")
    return len(wrong) + len(unasked)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
