"""What a published evidence reference points at: files, places in them, and what stands there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import PurePosixPath

from deskgym.tasks.findings import Finding, Severity
from deskgym.tasks.locators import AnyLocator, Lines, WholeFile
from deskgym.tasks.registry import BadDataset
from deskgym.tasks.rhelm.layout import Desk
from deskgym.tasks.rhelm.mails import meant
from deskgym.tasks.rhelm.pages import page_lines
from deskgym.tasks.rhelm.sections import find_section

_DAY = r"\d{4}-\d\d-\d\d"
_TURN = re.compile(rf"({_DAY}):(\d+)")
_TURNS = re.compile(rf"{_DAY}:\d+(?:\s*[,;]\s*(?:{_DAY}:)?\d+)+")
_MAILS = re.compile(rf"E-?mails?_({_DAY})(?::(.*))?", re.S | re.I)
_ATTACHMENT = re.compile(r"(\d+_[a-z]+_task_[0-9a-z]+(?:\.[a-z]+)?)(?::(.*))?", re.S | re.I)
_PAGES = frozenset({".html", ".htm"})


@dataclass(frozen=True)
class Place:
    """One place in one file, with the words there."""

    path: str
    locator: AnyLocator
    text: str


@dataclass(frozen=True)
class Fault:
    """What is wrong with a reference, and whether a rule mended it."""

    rule: str
    severity: Severity
    message: str

    def finding(self, profile_id: str, task_id: str, reference: str) -> Finding:
        return Finding(
            rule=self.rule,
            severity=self.severity,
            profile_id=profile_id,
            task_id=task_id,
            field="supporting_evidence",
            value=reference,
            message=self.message,
        )


class References:
    """Resolves the references to one person's files. Every file is taken apart once."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._lines: dict[str, list[str]] = {}
        self._stems: dict[str, list[str]] = {}
        for name in desk.attachments:
            self._stems.setdefault(PurePosixPath(name).stem, []).append(name)

    def resolve(self, reference: str) -> tuple[list[Place], list[Fault]]:
        """The places that ``reference`` means, and what is wrong with it.

        Raises:
            BadDataset: the attachment it means is not UTF-8.
        """
        said = reference.strip()
        if _TURN.fullmatch(said):
            return self._turns([said])
        if _TURNS.fullmatch(said):
            turns = list(_split(said))
            places, faults = self._turns(turns)
            told = f"{len(turns)} references joined in one; read as {', '.join(turns)}"
            return places, [Fault("joined-references", "repaired", told), *faults]
        if found := _MAILS.fullmatch(said):
            return self._mails(found[1], found[2] or "")
        name, _, section = said.partition(":")
        if name in self._desk.attachments:
            return self._section(name, section, [])
        if found := _ATTACHMENT.fullmatch(said):
            return self._attachment(found[1], found[2] or "")
        told = "neither a day and turn, nor mails of a day, nor an attachment"
        return [], [Fault("unreadable-reference", "error", told)]

    def _turns(self, turns: list[str]) -> tuple[list[Place], list[Fault]]:
        places, faults = [], []
        for turn in turns:
            day, _, number = turn.partition(":")
            known = self._desk.transcripts.get(_date(day))
            if known is None:
                faults.append(_error("no-such-day", f"there is no conversation of {day}"))
                continue
            path, made = known
            if int(number) not in made.lines:
                told = f"the conversation of {day} has turns {min(made.lines)} to {max(made.lines)}"
                faults.append(_error("no-such-turn", f"{told}, and no turn {int(number)}"))
                continue
            first, last = made.lines[int(number)]
            places.append(Place(path, Lines(start=first, end=last), made.turns[int(number)]))
        return places, faults

    def _mails(self, day: str, section: str) -> tuple[list[Place], list[Fault]]:
        mails = self._desk.mails.get(_date(day))
        if not mails:
            return [], [_error("no-such-day", f"there are no mails of {day}")]
        chosen = meant(section, tuple(mails.values()))
        if chosen == ():
            told = f"there are {len(mails)} mails of {day}, and none of that number"
            return [], [_error("no-such-mail", told)]
        faults = []
        if chosen is None:
            chosen = tuple(mails.values())
            told = f"this tells of none of the {len(mails)} mails of {day}; taken for all of them"
            faults = [Fault("mail-not-told", "warning", told)]
        places = [
            Place(path, WholeFile(), mail.readable())
            for path, mail in mails.items()
            if mail in chosen
        ]
        return places, faults

    def _attachment(self, name: str, section: str) -> tuple[list[Place], list[Fault]]:
        """An attachment whose name is not there as it stands."""
        given = PurePosixPath(name)
        alike = self._stems.get(given.stem, [])
        if len(alike) == 1:
            if given.suffix:
                rule, told = "wrong-suffix", f"there is no such file; read as {alike[0]}"
            else:
                rule, told = "missing-suffix", f"a name without its suffix; read as {alike[0]}"
            return self._section(alike[0], section, [Fault(rule, "repaired", told)])
        if alike:
            told = f"there are {', '.join(alike)}, and no {name}"
        else:
            number = name.partition("_")[0]
            near = [one for one in self._desk.attachments if one.startswith(f"{number}_")]
            told = f"there is no attachment {name}, with any suffix; "
            told += f"those of number {number} are {', '.join(near)}" if near else "nor its number"
        return [], [_error("no-such-file", told)]

    def _section(
        self, name: str, section: str, faults: list[Fault]
    ) -> tuple[list[Place], list[Fault]]:
        path = self._desk.attachments[name]
        lines = self._lines_of(path)
        found = find_section(lines, section)
        text = "\n".join(lines[found.first - 1 : found.last])
        if found.how == "unknown":
            told = f"{name} has no part of that name; taken for the whole file"
            faults = [*faults, Fault("no-such-section", "warning", told)]
        # A page has no lines of its own: read_text lays it out anew.
        whole = found.how in ("whole", "unknown") or _suffix(path) in _PAGES
        locator = WholeFile() if whole else Lines(start=found.first, end=found.last)
        return [Place(path, locator, text)], faults

    def _lines_of(self, path: str) -> list[str]:
        if path not in self._lines:
            try:
                text = self._desk.files[path].data.decode("utf-8-sig")
            except UnicodeDecodeError as error:
                raise BadDataset(f"the attachment {path} is not UTF-8: {error}") from error
            plain = text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")
            self._lines[path] = page_lines(text) if _suffix(path) in _PAGES else plain.split("\n")
        return self._lines[path]


def _split(joined: str) -> Iterator[str]:
    """The references of a list in one string; a number alone is of the day before it."""
    day = ""
    for part in re.split(r"\s*[,;]\s*", joined):
        head, _, number = part.rpartition(":")
        day = head or day
        yield f"{day}:{number}"


def _date(day: str) -> date:
    """The day, or the first there ever was if there is none such (2024-02-31)."""
    try:
        return date.fromisoformat(day)
    except ValueError:
        return date.min  # of which there is nothing


def _suffix(path: str) -> str:
    return PurePosixPath(path).suffix.lower()


def _error(rule: str, message: str) -> Fault:
    return Fault(rule, "error", message)
