"""Prose as files: notes, journals, talks, saved pages, reports; and where each line is read."""

from __future__ import annotations

import html
from collections.abc import Sequence
from datetime import date, datetime

from deskgym.tasks.demo.make.markup import Block, Bullet, Heading, Paragraph, Table, parse
from deskgym.tasks.demo.make.office import docx_bytes
from deskgym.tasks.made.files.facts import Facts, line_spots
from deskgym.tasks.made.files.placed import Spot
from deskgym.tasks.made.records import Record
from deskgym.tasks.made.records.dates import long_day, weekday


def _joined(lines: list[str]) -> bytes:
    return ("\n".join(lines) + "\n").encode()


def note_file(record: Record, facts: Facts, suffix: str) -> tuple[bytes, list[Spot]]:
    """A note: its title, when it was written, and its lines."""
    title = str(record.fields["title"])
    head = [f"# {title}"] if suffix == "md" else [title]
    lines = [*head, str(record.fields["time"]), "", *str(record.fields["text"]).split("\n")]
    return _joined(lines), line_spots(record, facts, lines, 1)


def journal_file(heading: str, records: Sequence[Record], facts: Facts) -> tuple[bytes, list[Spot]]:
    """A journal: a heading a day, a paragraph an event. A record's place has its day's heading
    only if it comes first below it."""
    lines, spots, day = [f"# {heading}"], [], ""
    for record in records:
        if record.fields["date"] != day:
            day = str(record.fields["date"])
            shown = date.fromisoformat(day)
            lines += ["", f"## {weekday(shown)}, {long_day(shown)}"]
        lines.append("")
        text = str(record.fields["text"]).split("\n")
        spots += line_spots(record, facts, text, len(lines) + 1)
        lines += text
    return _joined(lines), spots


def chat_file(records: Sequence[Record], facts: Facts) -> tuple[bytes, list[Spot]]:
    """A session with the assistant; the matters follow each other."""
    day = records[0].time
    topic = str(records[0].fields["topic"]).replace("_", " ")
    lines = [f"# Talk of {long_day(day)}", f"Begun: {day:%Y-%m-%d %H:%M}", f"About: {topic}"]
    spots = []
    for record in records:
        lines.append("")
        text = str(record.fields["text"]).split("\n")
        spots += line_spots(record, facts, text, len(lines) + 1)
        lines += text
    return _joined(lines), spots


def docx_file(
    record: Record, facts: Facts, author: str, created: datetime
) -> tuple[bytes, list[Spot]]:
    """A report as a Word file."""
    text = str(record.fields["text"])
    lines: list[str] = []
    for block in parse(text):
        lines += _shown(block)
        if not isinstance(block, Bullet):
            lines.append("")
    return docx_bytes(text, author, created, created), line_spots(record, facts, lines, 1)


def html_file(record: Record, facts: Facts) -> tuple[bytes, list[Spot]]:
    """A report or a saved page as HTML."""
    title = str(record.fields["title"])
    text = str(record.fields["text"])
    if record.schema == "clipping":
        text = f"# {title}\n\nSaved {record.fields['time']} from {record.fields['url']}\n\n{text}"
    blocks = parse(text)
    lines, out, listed = [title, ""], [], False
    for number, block in enumerate(blocks):
        bullet = isinstance(block, Bullet)
        if bullet != listed:
            out.append("<ul>" if bullet else "</ul>")
            listed = bullet
        out.append(_tagged(block))
        lines += _shown(block)
        last = number == len(blocks) - 1
        if not bullet or last or not isinstance(blocks[number + 1], Bullet):
            lines.append("")
    out += ["</ul>"] if listed else []
    body = "\n".join(out)
    page = (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{html.escape(title)}</title>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )
    return page.encode(), line_spots(record, facts, lines, 1)


def _tagged(block: Block) -> str:
    match block:
        case Heading(level, text):
            return f"<h{level}>{html.escape(text)}</h{level}>"
        case Bullet(text):
            return f"<li>{html.escape(text)}</li>"
        case Paragraph(lines):
            return f"<p>{'<br>'.join(html.escape(line) for line in lines)}</p>"
        case Table(rows):
            shown = []
            for r, row in enumerate(rows):
                tag = "td" if r else "th"
                cells = "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row)
                shown.append(f"<tr>{cells}</tr>")
            return "<table>\n" + "\n".join(shown) + "\n</table>"


def _shown(block: Block) -> list[str]:
    """The lines that the read tools show for a block."""
    match block:
        case Heading(level, text):
            return [f"{'#' * level} {text}"]
        case Bullet(text):
            return [f"- {text}"]
        case Paragraph(lines):
            return list(lines)
        case Table(rows):
            shown = ["| " + " | ".join(row) + " |" for row in rows]
            return [shown[0], "|" + " --- |" * len(rows[0]), *shown[1:]]
