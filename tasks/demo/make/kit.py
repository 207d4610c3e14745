"""Making one demo person's desk: a writer for each kind of file, and tasks with found evidence.

A person's script builds a `Desk`, calls its writers and `Desk.task`, and ends with
`Desk.finish`. Everything comes out byte for byte the same on every run.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Required, TypedDict, Unpack

from deskgym.tasks.demo.make import drawing, mail, office, sound
from deskgym.tasks.demo.make.deterministic import zip_bytes
from deskgym.tasks.demo.make.gold import Draft, as_json, file_record, task_of, validate
from deskgym.tasks.demo.make.locate import find, find_cells, nearest, read_marks
from deskgym.tasks.demo.make.markup import tidy
from deskgym.tasks.demo.make.pages import pdf_bytes, scan_bytes
from deskgym.tasks.demo.make.things import (
    DeskError,
    Event,
    Mark,
    Place,
    Quote,
    Scene,
    Shape,
    Slide,
)
from deskgym.tasks.locators import AnyLocator, Cells, WholeFile
from deskgym.tasks.modalities import type_of
from deskgym.tasks.records import record_from_task
from deskgym.tasks.schema import FORMAT_VERSION, MODALITIES, Injection, relative_path

__all__ = ["About", "Desk", "DeskError", "Event", "Place", "Quote", "Scene", "Shape", "Slide"]


class About(TypedDict, total=False):
    """What every writer takes by keyword: times such as ``2024-03-05 18:20``, and a place."""

    created: Required[str]
    modified: str | None
    place: Place | None


@dataclass
class _Written:
    """A file of the desk, and what its writer knows about the places in it."""

    created: datetime
    modified: datetime
    place: Place | None
    marks: list[Mark] = field(default_factory=list)
    rows: list[list[tuple[list[str], Cells]]] = field(default_factory=list)
    read: list[Mark] | None = None


class Desk:
    """One person's desk, written below ``out / name``.

    What an earlier run left there is removed. Every writer takes the file's relative path and,
    by keyword, ``created`` (``2024-03-05 18:20``), ``modified`` (as created, if not given) and
    ``place`` (for the file's record the person's home, if not given).

    Raises:
        DeskError: by every method, if what is asked cannot be; the message says what to change.
    """

    def __init__(
        self, name: str, user: str, description: str, out: Path, home: Place | None = None
    ) -> None:
        self.name, self.user, self.home = name, user, home
        self.root = Path(out) / name
        self._written: dict[str, _Written] = {}
        self._drafts: list[Draft] = []
        if self.root.exists() and not (self.root / "person.json").exists():
            raise DeskError(f"{self.root} exists and is no desk; remove it or choose another place")
        if self.root.exists():
            shutil.rmtree(self.root)
        self.files.mkdir(parents=True)
        person = {
            "format_version": FORMAT_VERSION,
            "name": name,
            "user": user,
            "description": tidy(description),
        }
        (self.root / "person.json").write_text(as_json(person), encoding="utf-8")

    @property
    def files(self) -> Path:
        """The folder that holds the person's files."""
        return self.root / "files"

    # --- writers ---

    def text(
        self,
        path: str,
        content: str,
        *,
        encoding: str = "utf-8",
        newline: str = "\n",
        **about: Unpack[About],
    ) -> None:
        """Any text format. ``content`` loses the script's indentation and ends in a new line."""
        lines = tidy(content) + "\n"
        self._plan(path, **about)
        self._write(path, lines.replace("\n", newline).encode(encoding))

    def pdf(self, path: str, pages: list[str], **about: Unpack[About]) -> None:
        """A PDF with a text layer; each string (in markup) is one page."""
        file = self._plan(path, **about)
        self._write(path, pdf_bytes(path, pages, self.user, file.created, file.modified))

    def scan(self, path: str, pages: list[str], **about: Unpack[About]) -> None:
        """A PDF whose pages (in markup) are pixels only, a little askew; no text layer."""
        file = self._plan(path, **about)
        data, file.marks = scan_bytes(path, pages, self.user, file.created, file.modified)
        self._write(path, data)

    def docx(self, path: str, content: str, **about: Unpack[About]) -> None:
        """A Word file of ``content`` in markup."""
        file = self._plan(path, **about)
        self._write(path, office.docx_bytes(content, self.user, file.created, file.modified))

    def xlsx(
        self,
        path: str,
        sheets: dict[str, list[list[object]]],
        **about: Unpack[About],
    ) -> None:
        """A workbook. The first row is bold, ``=`` starts a formula, which nobody computes."""
        file = self._plan(path, **about)
        file.rows = office.cell_rows(sheets)
        self._write(path, office.xlsx_bytes(path, sheets, self.user, file.created, file.modified))

    def pptx(self, path: str, slides: list[Slide], **about: Unpack[About]) -> None:
        """A slide deck."""
        file = self._plan(path, **about)
        self._write(path, office.pptx_bytes(slides, self.user, file.created, file.modified))

    def eml(
        self,
        path: str,
        *,
        sender: str,
        to: str,
        subject: str,
        body: str,
        cc: str = "",
        html: str | None = None,
        attachments: list[tuple[str, bytes]] | None = None,
        reply_to: str | None = None,
        **about: Unpack[About],
    ) -> None:
        """A mail; its Date header is ``created``."""
        file = self._plan(path, **about)
        file.marks = office.member_marks(attachments or [])
        data = mail.eml_bytes(
            f"{self.name}/{path}",
            file.created,
            sender=sender,
            to=to,
            subject=subject,
            body=body,
            cc=cc,
            reply_to=reply_to,
            html=html,
            attachments=attachments or [],
        )
        self._write(path, data)

    def ics(self, path: str, events: list[Event], **about: Unpack[About]) -> None:
        """A calendar."""
        file = self._plan(path, **about)
        key = f"{self.name}/{path}"
        self._write(path, mail.ics_bytes(key, file.created, file.modified, events))

    def vcf(self, path: str, cards: list[dict[str, str]], **about: Unpack[About]) -> None:
        """An address book; a card has name, and may have org, title, email, phone, note."""
        self._plan(path, **about)
        self._write(path, mail.vcf_bytes(path, cards))

    def image(
        self,
        path: str,
        lines: list[str],
        *,
        style: str = "note",
        size: tuple[int, int] | None = None,
        shows: str = "",
        model: str = "Pixel 8",
        **about: Unpack[About],
    ) -> None:
        """Lines of text as pixels. ``shows`` says in words what else is to be seen, for quotes."""
        file = self._plan(path, **about)
        picture, marks = drawing.text_image(path, lines, style, size)
        file.marks = marks + drawing.described(shows)
        self._write(path, drawing.encoded(path, picture, file.created, model, about.get("place")))

    def chart(
        self,
        path: str,
        title: str,
        values: dict[str, float],
        *,
        kind: str = "bar",
        unit: str = "",
        **about: Unpack[About],
    ) -> None:
        """A chart. Quote an entry as its label and its value: ``March £1,250``."""
        file = self._plan(path, **about)
        picture, file.marks = drawing.chart_image(path, title, values, kind, unit)
        self._write(path, drawing.encoded(path, picture, file.created, "", about.get("place")))

    def picture(
        self,
        path: str,
        scene: list[Shape],
        caption: str = "",
        *,
        size: tuple[int, int] = (960, 640),
        shows: str = "",
        model: str = "Pixel 8",
        **about: Unpack[About],
    ) -> None:
        """Shapes, and a caption drawn below. ``shows`` is not drawn: it is there for quotes."""
        file = self._plan(path, **about)
        picture, marks = drawing.picture_image(path, scene, caption, size)
        file.marks = marks + drawing.described(shows)
        self._write(path, drawing.encoded(path, picture, file.created, model, about.get("place")))

    def speech(
        self,
        path: str,
        sentences: list[str],
        *,
        voice: str = "en-gb",
        speed: int = 150,
        **about: Unpack[About],
    ) -> None:
        """Sentences spoken by espeak-ng."""
        file = self._plan(path, **about)
        data, file.marks = sound.speech_bytes(path, sentences, voice, speed)
        self._write(path, data)

    def video(
        self,
        path: str,
        scenes: list[Scene],
        *,
        voice: str = "en-gb",
        speed: int = 150,
        **about: Unpack[About],
    ) -> None:
        """Scenes of text with speech; a scene is held until its speech is over."""
        file = self._plan(path, **about)
        data, file.marks = sound.video_bytes(path, scenes, voice, speed)
        self._write(path, data)

    def archive(self, path: str, members: list[tuple[str, bytes]], **about: Unpack[About]) -> None:
        """A zip file of ``members`` (name and content)."""
        file = self._plan(path, **about)
        file.marks = office.member_marks(members)
        self._write(path, zip_bytes(members, file.created))

    # --- tasks ---

    def task(
        self,
        question: str,
        answer: str,
        *,
        kind: str,
        evidence: list[Quote],
        steps: list[tuple[str, list[int]]],
        search: list[str],
        perception: list[str],
        reasoning: list[str],
        answerable: bool = True,
        injection: Injection | None = None,
    ) -> None:
        """A question with its answer; its quotes are looked up by `finish`.

        ``kind``: ``fact`` or a profiling type; ``steps`` name evidence by 0-based index.
        """
        number = len(self._drafts) + 1
        draft = Draft(
            id=f"{self.name}-{number:03d}",
            question=tidy(question),
            answer=tidy(answer),
            kind=kind,
            evidence=tuple(evidence),
            steps=tuple((text, tuple(used)) for text, used in steps),
            search=tuple(search),
            perception=tuple(perception),
            reasoning=tuple(reasoning),
            answerable=answerable,
            injection=injection,
        )
        draft.check()
        self._drafts.append(draft)

    def locate(self, path: str, text: str) -> AnyLocator:
        """Where in the file at ``path`` the text first stands.

        Looked for, in this order: what the writer put into pixels, sound and cells; what the read
        tool gives; members of archives and mails; the file's record (path, times, place).

        Raises:
            DeskError: there is no such file, or it does not hold the text.
        """
        file = self._written.get(path)
        if file is None:
            raise DeskError(f"a quote from {path!r}, which was not written: {text[:80]!r}")
        suffix = type_of(path)
        placed = [mark for mark in file.marks if not isinstance(mark.locator, WholeFile)]
        whole = [mark for mark in file.marks if isinstance(mark.locator, WholeFile)]
        found = find_cells(file.rows, text) if file.rows else find(placed, text, suffix)
        if found is None and not placed and not file.rows:
            if file.read is None:
                file.read = read_marks(self.files / path)
            found = find(file.read, text, suffix)
        for mark in [*whole, *self._record_marks(path, file)]:
            found = found or find([mark], text, suffix)
        if found is None:
            cells = [Mark(" | ".join(t[0] for t, _ in row if t), WholeFile()) for row in file.rows]
            held = nearest(placed or cells or file.read or whole, text)
            raise DeskError(f"{path} does not hold {text!r}; the nearest it holds: {held!r}")
        return found

    def _record_marks(self, path: str, file: _Written) -> list[Mark]:
        said = [path]
        for when in (file.created, file.modified):
            said += [f"{when:%Y-%m-%d %H:%M}", f"{when:%Y-%m-%d %H:%M:%S}"]
        if file.place:
            said.append(file.place.name)
        return [Mark(text, WholeFile()) for text in said]

    def finish(self, *, files: int = 45, types: int = 16, tasks: int = 24) -> None:
        """Set the files' times, find every quote, and write the data.

        Raises:
            DeskError: quotes that are not where they should be (all of them are named), or fewer
                files, types of file, tasks or modalities than asked.
        """
        records = [
            file_record(n, path, self.files / path, file.created, file.modified, place)
            for n, (path, file) in enumerate(sorted(self._written.items()), 1)
            for place in [file.place or self.home]
        ]
        by_path = {record.path: record for record in records}
        problems, made = [], []
        for draft in self._drafts:
            locators = []
            for quote in draft.quotes:
                try:
                    locators.append(self.locate(quote.path, quote.text))
                except DeskError as error:
                    problems.append(f"{draft.id}: {error}")
            if len(locators) == len(draft.quotes):
                made.append(task_of(draft, f"demo/{self.name}", locators, by_path))
        counts = {
            "files": (len(records), files),
            "file types": (len({record.type for record in records}), types),
            "tasks": (len(self._drafts), tasks),
            "modalities": (len({record.modality for record in records}), len(MODALITIES)),
        }
        problems += [f"{had} {what}; make it {n}" for what, (had, n) in counts.items() if had < n]
        if problems:
            raise DeskError("\n".join([f"{self.name} is not finished:", *problems]))
        rows = [record_from_task(task, by_path) for task in made]
        validate(made, rows, f"demo/{self.name}", self.files)
        file_rows = [record.model_dump(mode="json") for record in records]
        (self.root / "files.json").write_text(as_json(file_rows), encoding="utf-8")
        (self.root / "tasks.json").write_text(as_json(rows), encoding="utf-8")

    # --- shared ---

    def _plan(
        self, path: str, *, created: str, modified: str | None = None, place: Place | None = None
    ) -> _Written:
        try:
            relative_path(path)
        except ValueError as error:
            raise DeskError(str(error)) from error
        if path.casefold() in {other.casefold() for other in self._written}:
            raise DeskError(f"{path} is written twice")
        file = _Written(mail.moment(created), mail.moment(modified or created), place)
        if file.modified < file.created:
            raise DeskError(f"{path} is modified before it is created")
        self._written[path] = file
        return file

    def _write(self, path: str, data: bytes) -> None:
        target = self.files / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
