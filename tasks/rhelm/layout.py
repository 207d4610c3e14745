"""The published layout: who is in it, and each person's files as they go onto the desk."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time
from pathlib import Path

from pydantic import ValidationError

from deskgym.tasks.findings import Finding
from deskgym.tasks.registry import BadDataset
from deskgym.tasks.rhelm.mails import Mail, message, parse_mails
from deskgym.tasks.rhelm.transcript import Conversation, Transcript, transcript

QUESTIONS, CONVERSATIONS, MAILS, ATTACHMENTS = (
    "QA_final",
    "conversations",
    "emails",
    "attachments",
)
_QUESTIONS_NAME = re.compile(r"(?:.*_)?qa_(?P<person>.+?)(?:_all_validated)?\.jsonl")
_DAY_NAME = re.compile(r"(?:(?P<number>\d+)_)?[a-z]+_(?P<day>\d{4}_\d\d_\d\d)\.(?:json|txt)")
_NUMBER = re.compile(r"(\d+)_")
_GET = "get the data set again (deskgym datasets fetch rhelm)"


@dataclass(frozen=True)
class Person:
    """One person of the published layout. ``folder`` is how all folders there spell the name."""

    name: str
    folder: str
    questions: Path | None

    @property
    def id(self) -> str:
        return f"rhelm/{self.name}"

    @property
    def user(self) -> str:
        return self.folder.replace("_", " ")


@dataclass(frozen=True)
class DeskFile:
    """A file as it goes onto the desk; ``day`` is the day it is of."""

    path: str
    data: bytes
    created: datetime
    modified: datetime
    day: date


@dataclass
class Desk:
    """All of one person: the files by path, and what they were made from."""

    files: dict[str, DeskFile] = field(default_factory=dict)
    transcripts: dict[date, tuple[str, Transcript]] = field(default_factory=dict)
    mails: dict[date, dict[str, Mail]] = field(default_factory=dict)
    attachments: dict[str, str] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def put(self, path: str, data: bytes, day: date, begun: datetime, ended: datetime) -> None:
        self.files[path] = DeskFile(path, data, begun, ended, day)


def short_name(folder: str) -> str:
    """A published name as part of a profile's id: ``Dr._Elias_Romero`` is ``dr_elias_romero``."""
    plain = unicodedata.normalize("NFKD", folder).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "_", plain).strip("_")


def people(root: Path) -> tuple[Person, ...]:
    """The people who have a folder of files below ``root``, by their published names.

    Raises:
        BadDataset: this is no such layout, a file of questions is of nobody here, or two people
            would have one id.
    """
    if not (root / QUESTIONS).is_dir():
        raise BadDataset(f"{root} has no folder {QUESTIONS}, so it is not RHELM's layout; {_GET}")
    folders = sorted(
        {
            entry.name
            for kind in (CONVERSATIONS, MAILS, ATTACHMENTS)
            if (root / kind).is_dir()
            for entry in _visible(root / kind)
            if entry.is_dir()
        }
    )
    asked: dict[str, Path] = {}
    for file in _visible(root / QUESTIONS):
        found = _QUESTIONS_NAME.fullmatch(file.name)
        if found is None:
            raise BadDataset(f"{file} is not named like a file of questions; remove it")
        if found["person"] not in folders:
            raise BadDataset(
                f"{file.name} asks about {found['person']!r}, who has no folder in "
                f"{CONVERSATIONS}, {MAILS} or {ATTACHMENTS} of {root}; {_GET}, or remove the file"
            )
        asked[found["person"]] = file
    here = tuple(Person(short_name(name), name, asked.get(name)) for name in folders)
    by_name: dict[str, Person] = {}
    for person in here:
        other = by_name.setdefault(person.name, person)
        if not person.name or other is not person:
            raise BadDataset(
                f"{root}: the folder {person.folder!r} gives the id {person.id!r}, as does "
                f"{other.folder!r}; rename one"
            )
    return here


def read_desk(root: Path, person: Person) -> Desk:
    """The person's files: a transcript a day, a message a mail, attachments as they are.

    Raises:
        BadDataset: a file is not what it should be; the message names it.
    """
    desk = Desk()
    days: dict[int, date] = {}
    folder = root / ATTACHMENTS / person.folder
    published = sorted(p for p in folder.rglob("*") if p.is_file()) if folder.is_dir() else []
    published = [p for p in published if not p.name.startswith(".")]
    stems = {p.stem: p.name for p in published}
    _read_conversations(root / CONVERSATIONS / person.folder, person, stems, desk)
    _read_mails(root / MAILS / person.folder, person, days, desk)
    _complete(days, list(desk.transcripts))
    last = max([*desk.transcripts, *desk.mails], default=date(1970, 1, 1))
    for file in published:
        found = _NUMBER.match(file.name)
        day = days.get(int(found[1])) if found else None
        relative = file.relative_to(folder).as_posix()
        if day is None:
            desk.findings.append(_undated(person, relative, last))
        path = f"Attachments/{relative}"
        desk.attachments[relative] = path
        midnight = datetime.combine(day or last, time())
        desk.put(path, file.read_bytes(), day or last, midnight, midnight)
    return desk


def _read_conversations(folder: Path, person: Person, stems: Mapping[str, str], desk: Desk) -> None:
    for file, day, _ in _dated(folder):
        try:
            talk = Conversation.model_validate_json(file.read_bytes())
            made = transcript(talk, person.user, stems)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"]))
            raise BadDataset(f"{file}: {place}: {first['msg']}; {_GET}") from error
        except ValueError as error:
            raise BadDataset(f"{file}: {error}; {_GET}") from error
        if talk.date != day:
            raise BadDataset(f"{file} says that it is of {talk.date}; {_GET}")
        if day in desk.transcripts:
            raise BadDataset(f"{file}: another file holds the conversation of {day}; {_GET}")
        path = f"Conversations/{day.isoformat()}.md"
        desk.transcripts[day] = path, made
        desk.put(path, made.text.encode(), day, made.begun, made.ended)


def _read_mails(folder: Path, person: Person, days: dict[int, date], desk: Desk) -> None:
    for file, day, number in _dated(folder):
        if number is not None and days.setdefault(number, day) != day:
            raise BadDataset(f"{file}: number {number} is of {days[number]} already; {_GET}")
        if day in desk.mails:
            raise BadDataset(f"{file}: another file holds the mails of {day}; {_GET}")
        try:
            mails = parse_mails(file.read_text("utf-8-sig"), day)
        except ValueError as error:
            raise BadDataset(f"{file}: {error}; {_GET}") from error
        desk.mails[day] = {f"Mail/{mail.file_name}": mail for mail in mails}
        midnight = datetime.combine(day, time())
        for path, mail in desk.mails[day].items():
            desk.put(path, message(mail, person.name), day, midnight, midnight)


def _complete(days: dict[int, date], talks: list[date]) -> None:
    """Numbers count the days on which there is a conversation or mail: those that no file of mails
    has are told by the conversations, as long as the two agree."""
    talks = sorted(talks)
    if all(talks[n - 1] == day for n, day in days.items() if n <= len(talks)):
        for number, day in enumerate(talks, 1):
            days.setdefault(number, day)


def _undated(person: Person, name: str, day: date) -> Finding:
    return Finding(
        rule="undated-attachment",
        severity="warning",
        profile_id=person.id,
        field=f"{ATTACHMENTS}/{person.folder}/{name}",
        value=name,
        message=f"its number is of no conversation or mail; dated {day}, the last day there is",
    )


def _dated(folder: Path) -> Iterator[tuple[Path, date, int | None]]:
    """The files of a folder with the day and number in their names; none if it is not there."""
    for file in _visible(folder) if folder.is_dir() else ():
        found = _DAY_NAME.fullmatch(file.name)
        try:
            day = date.fromisoformat(found["day"].replace("_", "-")) if found else None
        except ValueError:
            day = None
        if found is None or day is None:
            raise BadDataset(f"{file} is not named with a day (..._2024_01_31); remove it")
        yield file, day, int(found["number"]) if found["number"] else None


def _visible(folder: Path) -> list[Path]:
    return sorted(entry for entry in folder.iterdir() if not entry.name.startswith("."))
