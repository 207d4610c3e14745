"""Files whose every word is known, and how far a text is from what it should be.

`deskgym bench perception` writes them, has them prepared, and compares. Words are drawn from a
fixed list with a fixed seed, so that every run measures the same.
"""

from __future__ import annotations

import hashlib
import importlib
import random
import re
import shutil
import subprocess
import wave
from collections.abc import Callable, Hashable, Sequence
from datetime import UTC, date, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any, cast

from deskgym.bench_baselines import CannotMeasure
from deskgym.tasks.schema import FileRecord, Modality, Profile
from deskgym.tools.sniff import sniff

_VOCABULARY = """
account after agreement annual answer apartment arrival balcony because before between birthday
bridge builder building calendar carpenter ceiling certificate change chapter children city
client clinic coffee colour company contract copper corner country cupboard customer daughter
decision delivery deposit dinner director doctor drawing early electric evening exactly family
February festival figure finance forty garden general grocery half handle harbour heating
holiday hospital however hundred insurance invoice journey kitchen landlord language lawyer
letter library little machine manager March market measure meeting minute monthly morning
mountain museum neighbour north notebook number office opening orange paper parcel partner
passport payment pencil perhaps piano picture planning please police price printer project
quarter question quickly railway reading receipt record rent report request river roof Saturday
school season second secretary seven shipping signature silver simple sister station street
summer supplier surgery table teacher telephone theatre thirty ticket together tomorrow train
travel umbrella under until upstairs usually village violin visit waiter warranty water weather
Wednesday weekend window winter without workshop yellow
"""
_WORDS = tuple(_VOCABULARY.split())
# Latin letters beyond ASCII, which every one of the formats can hold.
_FOREIGN = ("Zürich", "café", "naïve", "Málaga", "Øresund", "Łódź", "São", "Köln")
_LATIN_1 = tuple(word for word in _FOREIGN if word != "Łódź")
_PAGE = (595.0, 842.0)  # A4 in points
_MARGIN = 60.0

SAID = (
    "Please remember to call the landlord about the broken radiator on Thursday.",
    "The dentist moved my appointment to the beginning of March.",
    "We should invite your sister and her family to the garden party.",
    "The train to the airport leaves from the platform behind the library.",
    "My neighbour wants to borrow the ladder and the yellow paint this weekend.",
)


def words(text: str) -> list[str]:
    """What counts as a word: letters and digits, without regard to case."""
    return re.findall(r"\w+", text.casefold())


def in_order(known: Sequence[Hashable], found: Sequence[Hashable]) -> float:
    """The share of ``known`` that stands in ``found`` in the same order: their longest common
    subsequence by the length of ``known``."""
    if not known:
        raise ValueError("nothing is known")
    where: dict[Hashable, int] = {}
    for place, item in enumerate(known):
        where[item] = where.get(item, 0) | 1 << place
    every = (1 << len(known)) - 1
    free = every  # the bits that are cleared count the subsequence
    for item in found:
        hits = free & where.get(item, 0)
        free = (free + hits | free - hits) & every
    return (len(known) - free.bit_count()) / len(known)


def error_rate(known: Sequence[Hashable], found: Sequence[Hashable]) -> float:
    """The least number of insertions, deletions and replacements that turn ``found`` into
    ``known``, by the length of ``known``."""
    if not known:
        raise ValueError("nothing is known")
    where: dict[Hashable, int] = {}
    for place, item in enumerate(known):
        where[item] = where.get(item, 0) | 1 << place
    every, last = (1 << len(known)) - 1, 1 << len(known) - 1
    # A column of the table of distances as bits: where it rises by one, where it falls by one.
    up, down, distance = every, 0, len(known)
    for item in found:
        same = where.get(item, 0)
        across = ((same & up) + up ^ up) | same
        rise, fall = (down | ~(across | up)) & every, up & across
        distance += bool(rise & last) - bool(fall & last)
        rise, fall = rise << 1 | 1, fall << 1
        level = same | down
        up, down = (fall | ~(level | rise)) & every, rise & level & every
    return distance / len(known)


def scan(root: Path, person: str) -> Profile:
    """The files below ``root`` as the profile ``bench/<person>``."""
    stamp = datetime(2025, 1, 1)
    records = []
    for number, file in enumerate(sorted(p for p in root.rglob("*") if p.is_file()), 1):
        with file.open("rb") as stream:
            sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
        records.append(
            FileRecord(
                id=number,
                path=file.relative_to(root).as_posix(),
                type=file.suffix.lstrip(".").lower(),
                modality=cast(Modality, sniff(file).modality),
                size=file.stat().st_size,
                sha256=sha256,
                created=stamp,
                modified=stamp,
            )
        )
    lines = "".join(f"{record.sha256} {record.path}\n" for record in records)
    return Profile(
        id=f"bench/{person}",
        user=person,
        root=root,
        files=tuple(records),
        digest=hashlib.sha256(lines.encode()).hexdigest(),
    )


class Writer:
    """Draws words and writes files of them."""

    def __init__(self, seed: int = 7) -> None:
        self._random = random.Random(seed)

    def prose(self, count: int, foreign: Sequence[str] = ()) -> str:
        """Sentences of ``count`` words in all, some of them numbers, dates and amounts."""
        out: list[str] = []
        left = 0
        for number in range(count):
            word = self._word(foreign)
            if left == 0:
                left = self._random.randint(6, 14)
                word = word[0].upper() + word[1:]
            left -= 1
            out.append(word + ("." if left == 0 or number == count - 1 else ""))
        return " ".join(out)

    def _word(self, foreign: Sequence[str]) -> str:
        kind = self._random.random()
        if kind < 0.04:
            return f"{self._random.randint(1, 9999)}"
        if kind < 0.07:
            return f"{self._random.randint(10, 999)}.{self._random.randint(10, 99)}"
        if kind < 0.10 and foreign:
            return self._random.choice(foreign)
        return self._random.choice(_WORDS)

    def pdf(self, path: Path, pages: int, per_page: int = 320) -> str:
        """Pages of prose; every third in two columns."""
        fitz = library("pymupdf")
        texts = []
        with fitz.open() as document:
            for number in range(pages):
                page = document.new_page(width=_PAGE[0], height=_PAGE[1])
                columns = 2 if number % 3 == 2 else 1
                wide = (_PAGE[0] - 2 * _MARGIN - 24 * (columns - 1)) / columns
                for column in range(columns):
                    left = _MARGIN + column * (wide + 24)
                    box = fitz.Rect(left, _MARGIN, left + wide, _PAGE[1] - _MARGIN)
                    texts.append(self.prose(per_page // columns, _LATIN_1))
                    _fill(page, box, texts[-1], "tiro", 11)
            document.save(path, deflate=True)
        return "\n".join(texts)

    def docx(self, path: Path) -> str:
        """Headings, paragraphs, a list and a table."""
        document = library("docx").Document()
        texts: list[str] = []

        def say(text: str) -> str:
            texts.append(text)
            return text

        for _ in range(4):
            document.add_heading(say(self.prose(5)), level=1)
            for _ in range(3):
                document.add_paragraph(say(self.prose(60, _FOREIGN)))
            for _ in range(3):
                document.add_paragraph(say(self.prose(8)), style="List Bullet")
            table = document.add_table(rows=0, cols=3)
            for _ in range(4):
                for cell in table.add_row().cells:
                    cell.text = say(self.prose(2, _FOREIGN))
        document.save(path)
        return "\n".join(texts)

    def xlsx(self, path: Path) -> str:
        """Three sheets of words, numbers and dates."""
        book = library("openpyxl").Workbook()
        book.remove(book.active)
        texts: list[str] = []
        for number in range(3):
            sheet = book.create_sheet(f"Sheet {number + 1}")
            for row in range(40):
                day = date(2025, 1, 1) + timedelta(days=17 * row + number)
                cents = self._random.randint(10_000, 99_999) * 10 + 5  # never ends with a zero
                values = (self.prose(3, _FOREIGN), self._random.randint(1, 9999), cents / 100, day)
                sheet.append(values)
                texts += [values[0], str(values[1]), f"{cents / 100:.2f}", day.isoformat()]
        book.save(path)
        return "\n".join(texts)

    def pptx(self, path: Path) -> str:
        """Slides with a title, lines, a table, and notes."""
        deck = library("pptx").Presentation()
        texts: list[str] = []
        for _ in range(6):
            slide = deck.slides.add_slide(deck.slide_layouts[1])
            title, body, notes = self.prose(5), self.prose(40, _FOREIGN), self.prose(30, _FOREIGN)
            cells = [self.prose(2) for _ in range(4)]
            slide.shapes.title.text = title
            slide.placeholders[1].text = body
            inch = 914_400
            frame = slide.shapes.add_table(2, 2, inch, 5 * inch, 6 * inch, inch)
            for place, text in enumerate(cells):
                frame.table.cell(place // 2, place % 2).text = text
            slide.notes_slide.notes_text_frame.text = notes
            texts += [title, body, *cells, notes]
        deck.save(path)
        return "\n".join(texts)

    def eml(self, path: Path) -> str:
        """A mail in two versions, of which the plain one counts, with encoded headers."""
        mail = EmailMessage()
        subject = self.prose(8, _FOREIGN) + " Zürich"
        body = "\n\n".join(self.prose(70, _FOREIGN) for _ in range(4))
        mail["From"] = "Jörg Müller <joerg@example.org>"
        mail["To"] = "adam@example.org"
        mail["Subject"] = subject
        mail["Date"] = "Fri, 14 Mar 2025 09:30:00 +0000"
        mail.set_content(body)
        mail.add_alternative(f"<p>{body}</p>", subtype="html")
        path.write_bytes(mail.as_bytes())
        return f"Jörg Müller {subject}\n{body}"

    def ics(self, path: Path) -> str:
        """Events with a title, a place and a long description."""
        icalendar = library("icalendar")
        calendar = icalendar.Calendar()
        calendar.add("prodid", "-//bench//EN")
        calendar.add("version", "2.0")
        texts: list[str] = []
        for number in range(12):
            event = icalendar.Event()
            begin = datetime(2025, 3, 1, 9, 30, tzinfo=UTC) + timedelta(days=number)
            event.add("uid", f"{number}@example.org")
            event.add("dtstamp", begin)
            event.add("dtstart", begin)
            event.add("dtend", begin + timedelta(hours=1))
            for name, count in (("summary", 5), ("location", 3), ("description", 40)):
                texts.append(self.prose(count, _FOREIGN))
                event.add(name, texts[-1])
            calendar.add_component(event)
        path.write_bytes(calendar.to_ical(sorted=False))
        return "\n".join(texts)

    def scan(self, path: Path, font: str = "tiro", size: float = 11, count: int = 330) -> str:
        """A page of English prose as nothing but its picture, rendered at 150 dpi."""
        fitz = library("pymupdf")
        text = self.prose(count)
        with fitz.open() as document:
            page = document.new_page(width=_PAGE[0], height=_PAGE[1])
            box = fitz.Rect(_MARGIN, _MARGIN, _PAGE[0] - _MARGIN, _PAGE[1] - _MARGIN)
            _fill(page, box, text, font, size)
            page.get_pixmap(dpi=150).save(path)
        return text


def documents(root: Path) -> dict[str, str]:
    """Write a file of each kind below ``root``; what stands in each, in order, by path."""
    writer = Writer()
    makers: dict[str, Callable[[Path], str]] = {
        "letters.pdf": lambda path: writer.pdf(path, 6),
        "report.docx": writer.docx,
        "budget.xlsx": writer.xlsx,
        "talk.pptx": writer.pptx,
        "mail.eml": writer.eml,
        "calendar.ics": writer.ics,
    }
    return {name: make(root / name) for name, make in makers.items()}


def scans(root: Path) -> dict[str, str]:
    """Write pages as pictures below ``root``, in three kinds of letters; what stands on each."""
    writer = Writer(8)
    kinds = {"serif": ("tiro", 11.0, 330), "sans": ("helv", 10.0, 330), "mono": ("cour", 10, 250)}
    return {
        f"scan-{kind}.png": writer.scan(root / f"scan-{kind}.png", font, size, count)
        for kind, (font, size, count) in kinds.items()
    }


def talk(path: Path, pause_s: float = 4.0) -> tuple[tuple[float, str], ...]:
    """Have `SAID` spoken into a WAV with a pause before each; when each begins, in seconds.

    Raises:
        CannotMeasure: there is no espeak-ng.
    """
    if (program := shutil.which("espeak-ng")) is None:
        raise CannotMeasure("nobody is here to speak; install espeak-ng")
    sound, begins = bytearray(), []
    rate = 0
    for number, sentence in enumerate(SAID):
        part = path.with_name(f"{path.stem}-{number}.wav")
        argv = [program, "-v", "en", "-s", "150", "-w", str(part), sentence]
        subprocess.run(argv, check=True, capture_output=True)
        with wave.open(str(part)) as spoken:
            rate = spoken.getframerate()
            sound += bytes(2 * round(pause_s * rate))
            begins.append(len(sound) / 2 / rate)
            sound += spoken.readframes(spoken.getnframes())
        part.unlink()
    with wave.open(str(path), "wb") as whole:
        whole.setparams((1, 2, rate, 0, "NONE", ""))
        whole.writeframes(bytes(sound))
    return tuple(zip(begins, SAID, strict=True))


def _fill(page: Any, box: Any, text: str, font: str, size: float) -> None:
    if page.insert_textbox(box, text, fontname=font, fontsize=size) < 0:
        raise ValueError("the text is longer than the page")


def library(name: str) -> Any:
    """What a format's files are written with.

    Raises:
        CannotMeasure: it is not installed.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise CannotMeasure(
            f"the files to read cannot be made without {name}; run: pip install 'deskgym[tools]'"
        ) from error
