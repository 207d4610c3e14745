"""The verifier's word on tasks: does what the files say give the same answer and evidence?

It is told of a question its query (`Asked`), reads the files, and recomputes the answer and the
rows that it rests on. Only then is that held against the task's gold.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from deskgym.tasks.locators import Region, TimeSpan, WholeFile, overlaps
from deskgym.tasks.made.verifier.evaluate import Desk, Found, NoAnswer, run
from deskgym.tasks.made.verifier.query import Asked
from deskgym.tasks.made.verifier.read import read_desk
from deskgym.tasks.made.verifier.rows import Atom, Row, atoms, same_text
from deskgym.tasks.schema import Evidence, Task


@dataclass(frozen=True)
class Verdict:
    """What became of a task: ``reason`` is empty if it may ship, else a short kind.

    ``not-unique``, ``nothing-found``, ``missing-field``, ``found-after-all``, ``undecided``: the
    files do not answer the question. ``other-answer``, ``missing-evidence``,
    ``superfluous-evidence``, ``other-text``: they answer it otherwise than the task says.
    ``premise-holds``: what is to be false is true.
    """

    reason: str = ""
    detail: str = ""

    @property
    def ok(self) -> bool:
        """Whether the verifier agrees."""
        return not self.reason


def check(
    files: Path, asked: Iterable[Asked], tasks: Mapping[str, Task], desk: Desk | None = None
) -> dict[str, Verdict]:
    """The verdict on each question, by its id, from what is below the folder ``files``.

    Raises:
        KeyError: a question has no task.
    """
    desk = desk or read_desk(files)
    return {one.id: _verdict(one, tasks[one.id], desk) for one in asked}


def _verdict(asked: Asked, task: Task, desk: Desk) -> Verdict:
    try:
        found = run(asked.query, desk)
    except NoAnswer as error:
        return Verdict(error.reason, str(error))
    if asked.premise is not None:
        try:
            run(asked.premise, desk)
        except NoAnswer as error:
            if error.reason != "nothing-found":
                return Verdict(error.reason, f"premise: {error}")
        else:
            return Verdict("premise-holds", "the files say what the question takes for granted")
    answer = asked.answer.replace("{}", found.text)
    if same_text(answer) != same_text(task.answer):
        return Verdict("other-answer", f"the files give {answer!r}")
    return _evidence(found, task.evidence)


def _evidence(found: Found, units: Sequence[Evidence]) -> Verdict:
    """Whether the units are in the rows that the answer rests on, and each row has one."""
    places = {id(row): _atoms(row) for row in found.rows}
    whole = {
        id(row): {path for path, spot in row.places if isinstance(spot, WholeFile)}
        for row in found.rows
    }
    used: set[int] = set()
    for unit in units:
        own = atoms(unit.file_path, unit.locator)
        left = set(own)
        for row in found.rows:
            if unit.file_path in whole[id(row)]:
                left.clear()
                used.add(id(row))
                if (verdict := _said(unit, row)) is not None:
                    return verdict
            elif _overlapping(unit, row):
                left.clear()
                used.add(id(row))
            elif own & places[id(row)]:
                left -= places[id(row)]
                used.add(id(row))
        if left:
            return Verdict("superfluous-evidence", f"{unit.file_path} {unit.locator} is not needed")
    if missing := [row for row in found.rows if id(row) not in used]:
        return Verdict(
            "missing-evidence", f"{len(missing)} {missing[0].schema}: {dict(missing[0].fields)}"
        )
    return Verdict()


def _overlapping(unit: Evidence, row: Row) -> bool:
    """Whether the unit lies where something was seen or heard: such places have no exact edges."""
    return any(
        path == unit.file_path
        and isinstance(spot, Region | TimeSpan)
        and overlaps(spot, unit.locator)
        for path, spot in row.places
    )


def _said(unit: Evidence, row: Row) -> Verdict | None:
    """A file that is one record is a place as a whole: then what is quoted must stand in it."""
    text = row.get("all_text")
    if text is None or isinstance(unit.locator, WholeFile):
        return None
    if _letters(unit.text) in _letters(str(text)):
        return None
    return Verdict("other-text", f"{unit.file_path} does not say {unit.text[:80]!r}")


def _letters(text: str) -> str:
    """``text`` without signs and blanks: tools show tables and lists with different ones."""
    return "".join(c for c in text.casefold() if c.isalnum())


def _atoms(row: Row) -> frozenset[Atom]:
    return frozenset().union(*(atoms(path, spot) for path, spot in row.places))
