"""Reading notes, journals, talks with an assistant, mails, saved pages, reports and letters.

A text that is a record of its own is one row; its place is the file as a whole. ``all_text`` is
everything that it says. Facts that a text lists by name (``- Dish: ...``) become fields such as
``fact:dish``.
"""

from __future__ import annotations

import email
import email.policy
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from email.message import EmailMessage
from email.utils import parsedate_to_datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

from deskgym.tasks.locators import Lines, WholeFile
from deskgym.tasks.made.verifier.rows import Row, Value, row_of

_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d")
_DAY_HEADING = re.compile(r"## \w+, (\d{1,2} \w+ \d{4})")
_TURN = re.compile(r"\*\*(Me|Assistant), (\d\d:\d\d)\*\*")
_TALK = re.compile(r"# Talk of (\d{1,2} \w+ \d{4})")
_LISTED = re.compile(r"(?m)^\s*(?:- |\| ?)?([A-Z][a-z]+(?: [a-z]+)*)(?:: | \| )(.+?)\s*\|?$")
_NOT_FACTS: Final = frozenset({"date", "item", "dear", "with"})


def text_rows(file: Path, path: str) -> Iterator[Row]:
    """The rows of a md or txt file: a note, a journal, a talk or an order's receipt."""
    lines = file.read_text(encoding="utf-8").split("\n")
    if len(lines) > 1 and _TIME.fullmatch(lines[1]):
        if (receipt := _receipt(lines)) is not None:
            yield row_of("receipt", receipt, path, WholeFile())
        else:
            yield _note(lines, path)
    elif _TALK.match(lines[0]):
        yield from _talk(lines, path)
    elif any(_DAY_HEADING.match(line) for line in lines):
        yield from _journal(lines, path)


def _note(lines: Sequence[str], path: str) -> Row:
    body = "\n".join(lines[3:]).strip()
    fields: dict[str, Value] = {
        "time": lines[1],
        "title": lines[0].removeprefix("# "),
        "text": body,
        "all_text": "\n".join(lines),
        **listed_facts(body),
    }
    return row_of("note", fields, path, WholeFile())


def _receipt(lines: Sequence[str]) -> dict[str, Value] | None:
    number = next((line for line in lines if line.startswith("No. ")), None)
    total = next((line for line in lines if line.startswith("TOTAL EUR")), None)
    if number is None or total is None:
        return None
    paid = next((line for line in lines if line.startswith("Paid by ")), "")
    return {
        "time": lines[1],
        "shop": lines[0],
        "number": number.removeprefix("No. ").strip(),
        "total": float(total.split()[-1].replace(",", "")),
        "paid_by": paid.removeprefix("Paid by ").strip(),
        "all_text": "\n".join(lines),
    }


def _journal(lines: Sequence[str], path: str) -> Iterator[Row]:
    day = ""
    for start, end in _blocks(lines):
        if heading := _DAY_HEADING.match(lines[start]):
            day = _day(heading[1])
        elif day:
            fields: dict[str, Value] = {"date": day, "text": "\n".join(lines[start:end])}
            yield row_of("journal", fields, path, Lines(start=start + 1, end=end))


def _talk(lines: Sequence[str], path: str) -> Iterator[Row]:
    found = _TALK.match(lines[0])
    assert found is not None  # `text_rows` asks first
    day = _day(found[1])
    for start, end in _blocks(lines):
        turn = _TURN.fullmatch(lines[start])
        if turn is not None and turn[1] == "Me":
            text = "\n".join(lines[start + 1 : end])
            fields: dict[str, Value] = {"time": f"{day} {turn[2]}", "text": text}
            yield row_of("assistant_chat", fields, path, Lines(start=start + 1, end=end))


def _blocks(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """First line and end of each run of lines that are not blank."""
    start = None
    for number, line in enumerate([*lines, ""]):
        if line.strip() and start is None:
            start = number
        elif not line.strip() and start is not None:
            yield start, number
            start = None


def _day(text: str) -> str:
    return f"{datetime.strptime(text, '%d %B %Y'):%Y-%m-%d}"


def eml_rows(file: Path, path: str) -> Iterator[Row]:
    """The mail that a file is."""
    fields = _mail(file.read_bytes())
    yield row_of("mail", fields, path, WholeFile())


def mbox_rows(file: Path, path: str) -> Iterator[Row]:
    """The mails of a mailbox, with the lines that the read tool shows of each."""
    line = 1
    for piece in re.split(rb"(?m)^From \S+ .*\n", file.read_bytes())[1:]:
        fields = _mail(piece.replace(b"\n>From ", b"\nFrom "))
        shown = 5 + str(fields["text"]).count("\n") + 1
        yield row_of("mail", fields, path, Lines(start=line + 1, end=line + shown))
        line += 1 + shown + 1


def _mail(data: bytes) -> dict[str, Value]:
    mail = email.message_from_bytes(data, policy=email.policy.default)
    assert isinstance(mail, EmailMessage)  # what this policy makes
    part = mail.get_body(preferencelist=("plain",))
    body = str(part.get_content()).replace("\r\n", "\n").strip() if part is not None else ""
    when = parsedate_to_datetime(str(mail["Date"]))
    head = {name: str(mail[name] or "") for name in ("From", "To", "Date", "Subject")}
    return {
        "time": f"{when:%Y-%m-%d %H:%M}",
        "sender": head["From"],
        "to": head["To"],
        "subject": head["Subject"],
        "text": body,
        "all_text": "\n".join([*(f"{name}: {value}" for name, value in head.items()), body]),
        **listed_facts(body),
    }


_SAVED = re.compile(r"Saved (\d{4}-\d\d-\d\d \d\d:\d\d) from (\S+)")


def html_rows(file: Path, path: str) -> Iterator[Row]:
    """A saved page, or a report."""
    page = _Page()
    page.feed(file.read_text(encoding="utf-8"))
    page.close()
    title, text = page.title.strip(), "\n".join(page.lines)
    fields: dict[str, Value] = {
        "title": title,
        "text": text,
        "all_text": f"{title}\n{text}",
        **listed_facts(text),
    }
    saved = _SAVED.search(text)
    if saved is not None:
        fields |= {"time": saved[1], "url": saved[2]}
        yield row_of("clipping", fields, path, WholeFile())
    else:
        yield row_of("report", fields | _report(text), path, WholeFile())


class _Page(HTMLParser):
    """The title of a page, and its lines: one a block or line break, cells of a row in one."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title = ""
        self.lines: list[str] = []
        self._in_title = False
        self._fresh = True

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in_title = tag == "title"
        if tag in ("td", "th") and not self._fresh:
            self.lines[-1] += " | "
        elif tag in ("p", "h1", "h2", "h3", "li", "tr", "br"):
            self._fresh = True

    def handle_endtag(self, tag: str) -> None:
        self._in_title = False
        self._fresh = self._fresh or tag in ("p", "h1", "h2", "h3", "li", "tr")

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data
        elif self._fresh and data.strip():
            self.lines.append(data.strip("\n"))
            self._fresh = False
        elif not self._fresh and data.strip():
            self.lines[-1] += data


def docx_rows(file: Path, path: str) -> Iterator[Row]:
    """A report."""
    import docx

    document = docx.Document(str(file))
    parts: list[str] = []
    for block in document.iter_inner_content():
        if hasattr(block, "rows"):
            parts += [" | ".join(str(cell.text) for cell in row.cells) for row in block.rows]
        else:
            parts.append(str(block.text))
    text = "\n".join(parts)
    title = next((part for part in parts if part.strip()), "")
    fields: dict[str, Value] = {
        "title": title, "text": text, "all_text": text, **listed_facts(text), **_report(text)
    }  # fmt: skip
    yield row_of("report", fields, path, WholeFile())


_DATED = re.compile(r"(?m)\b(\d{1,2} (?:January|February|March|April|May|June|July|August|"
                    r"September|October|November|December) \d{4})\b")  # fmt: skip


def _report(text: str) -> dict[str, Value]:
    fields: dict[str, Value] = {}
    if found := _DATED.search(text):
        fields["date"] = _day(found[1])
    if found := re.search(r"(?m)^(?:Project|About)[:|] ?(.+)$", text):
        fields["project"] = found[1].strip()
    return fields


def pdf_rows(file: Path, path: str) -> Iterator[Row]:
    """A letter. Statements repeat what the bank's export says and are passed over."""
    import pymupdf

    with pymupdf.open(file) as document:
        pages = [str(page.get_text("text")) for page in document]
    lines = [line.strip() for line in "\n".join(pages).split("\n") if line.strip()]
    if not lines or lines[0].startswith("Statement of account"):
        return
    text = "\n".join(lines)
    fields: dict[str, Value] = {
        "title": lines[0], "sender": lines[1] if len(lines) > 1 else "", "text": text,
        "all_text": text, **_pairs(lines),
    }  # fmt: skip
    dated = next((lines[n + 1] for n, line in enumerate(lines[:-1]) if line == "Date"), "")
    if _DATED.fullmatch(dated):
        fields["date"] = _day(dated)
    yield row_of("letter", fields, path, WholeFile())


def _pairs(lines: Sequence[str]) -> dict[str, Value]:
    """The entries of a letter's table: a name and, on the next line, what stands beside it."""
    if "Entry" not in lines:
        return {}
    facts: dict[str, Value] = {}
    rest = lines[lines.index("Entry") + 1 :]
    for name, value in zip(rest[::2], rest[1::2], strict=False):
        if not re.fullmatch(r"[A-Z][a-z]+(?: [a-z]+)*", name):
            break
        facts[f"fact:{name.casefold().replace(' ', '_')}"] = value
    return facts


def listed_facts(text: str) -> dict[str, Value]:
    """The facts that a text lists by name, a line each."""
    facts: dict[str, Value] = {}
    for name, value in _LISTED.findall(text):
        key = name.casefold().replace(" ", "_")
        if key not in _NOT_FACTS:
            facts.setdefault(f"fact:{key}", value.strip())
    return facts
