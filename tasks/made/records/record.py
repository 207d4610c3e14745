"""What a record is, and the table of all schemas: their data model, fields and homes.

A record is one row, one document or one edge that an event (or the person's circumstances) left
behind. Every fact in its fields stands in the event, the person or the record's own text, so the
event is the single source of truth of all its records.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

DataModel = Literal["relational", "document", "graph"]
Scalar = str | int | float | bool
Value = Scalar | list[str]


@dataclass(frozen=True)
class Schema:
    """A kind of record: ``fields`` in the order in which they stand in files that have columns,
    each with what it holds; ``home`` is the form in which the files keep it."""

    name: str
    model: DataModel
    home: str
    fields: Mapping[str, str]


def _schema(name: str, model: DataModel, home: str, /, **fields: str) -> Schema:
    return Schema(name, model, home, fields)


_TIME = "local time, YYYY-MM-DD HH:MM"
_DAY = "YYYY-MM-DD"

_ALL = (
    # --- relational: rows ---
    _schema(
        "contact", "relational", "vcf",
        name="full name", relation="what they are to the person (NOTE)", phone="TEL",
        email="EMAIL", birthday="BDAY", address="ADR", company="ORG", role="TITLE",
    ),
    _schema(
        "calendar", "relational", "ics: a file a month, floating local times",
        title="SUMMARY", start=_TIME, end=_TIME, location="LOCATION; empty if none",
        with_names="people, in DESCRIPTION after 'With: '", notes="the rest of DESCRIPTION",
    ),
    _schema(
        "call", "relational", "csv: phone backup, a file a month",
        time=_TIME, name="other side", number="their number", direction="incoming or outgoing",
        seconds="length", answered="yes or no",
    ),
    _schema(
        "message", "relational", "sqlite: table messages, a database a month",
        time=_TIME, thread="whom the chat is with", sender="name; 'me' for the person",
        text="what is said",
    ),
    _schema(
        "transaction", "relational", "csv bank export a month; again in the pdf statement",
        time=_TIME, payee="who was paid", category="bank's category", amount="negative: spent",
        balance="after it", reference="unique",
    ),
    _schema(
        "order", "relational", "csv: order history, a file a year",
        number="unique", time=_TIME, shop="seller", item="what", price="amount", status="state",
        arrived=f"{_DAY}; empty while under way",
    ),
    _schema(
        "app_use", "relational", "csv: screen time by week, a file a month",
        week_ending=f"{_DAY} of the Sunday that ends the week", app="app",
        minutes="minutes in the week", opens="times opened in the week",
    ),
    _schema(
        "sleep", "relational", "json: health export, a file a month, one line a night",
        date=f"{_DAY} of waking", bed=_TIME, up=_TIME, hours="asleep", awake="times awake",
        resting_pulse="beats a minute",
    ),
    _schema(
        "steps", "relational", "csv: step counter, a file a month, with hours",
        date=_DAY, steps="count of the day", km="distance", floors="climbed",
        by_hour="steps in the hours 6 to 22, joined by /",
    ),
    _schema(
        "workout", "relational", "csv: workouts, a file a month",
        time=_TIME, sport="kind", minutes="length", km="distance; 0 if none", kcal="energy",
        pulse="mean beats a minute", place="where", rating="good or tough",
    ),
    _schema(
        "trip", "relational", "csv: trips, a file a year",
        depart=_TIME, arrive=_TIME, mode="train, car, ...", origin="from", destination="to",
        km="distance", reference="unique",
    ),
    _schema(
        "reminder", "relational", "ics (VTODO): a file a list",
        due=_TIME, title="what", list_name="which list", done="time it was ticked off; empty: open",
    ),
    _schema(
        "media_play", "relational", "csv: listening and watching history, a file a month",
        time=_TIME, kind="song, podcast, film, ...", title="title", creator="by whom",
        minutes="length",
    ),
    _schema(
        "visited_page", "relational", "sqlite: table visits, a browser history a month",
        time=_TIME, url="address", title="page title", seconds="time on the page",
    ),
    _schema(
        "photo", "relational", "csv: photo library index a month; again as jpg with EXIF",
        file="name of the picture", time=_TIME, place="name; empty if unknown",
        latitude="degrees; empty if unknown", longitude="degrees", people="names, joined by ', '",
        caption="what is drawn in it",
    ),
    _schema(
        "visit", "relational", "json: location history, one line a visit",
        arrive=_TIME, leave=_TIME, place="name", kind="kind of place", address="street and city",
    ),
    _schema(
        "habit_log", "relational", "csv: activity diary, a file a month",
        time=_TIME, activity="what", minutes="length", detail="what exactly", went="well or badly",
    ),
    _schema(
        "measurement", "relational", "csv: blood pressure, a file a year",
        time=_TIME, systolic="mmHg", diastolic="mmHg", pulse="beats a minute",
    ),
    _schema(
        "bill", "relational", "xlsx: household budget, sheet of the month",
        date=_DAY, supplier="who asks", item="for what", amount="amount", reference="unique",
    ),
    # --- documents: semi-structured and free text ---
    _schema(
        "note", "document", "md or txt: one file a note",
        time=_TIME, title="first line", text="body",
    ),
    _schema(
        "journal", "document", "md: a paragraph an event; a file a month or a day",
        date=_DAY, text="paragraph",
    ),
    _schema(
        "mail", "document", "eml in folders, mbox for bulk",
        time=_TIME, sender="name <address>", to="name <address>", subject="subject",
        folder="inbox, sent or bulk", text="body",
    ),
    _schema(
        "assistant_chat", "document", "md: a file a session; a record is one matter of a session",
        time=_TIME, session="unique: chat-YYYY-MM-DD and a letter", topic="kind of talk",
        turns="number of turns on the matter", text="the turns on the matter, with their times",
    ),
    _schema(
        "report", "document", "docx or html",
        date=_DAY, title="title", project="what it is about", text="body",
    ),
    _schema(
        "receipt", "document", "jpg photograph (multimodal); txt for orders",
        time=_TIME, shop="seller", number="unique", items="lines: item and price",
        total="sum", paid_by="card or cash",
    ),
    _schema(
        "letter", "document", "pdf: what institutions write",
        date=_DAY, sender="who", title="subject", text="body",
    ),
    _schema(
        "clipping", "document", "html: saved page",
        time=_TIME, url="address", title="page title", text="article",
    ),
    _schema(
        "voice_memo", "document", "mp3 (multimodal)",
        time=_TIME, title="name of the memo", sentences="what is said, one each",
    ),
    _schema(
        "screen_recording", "document", "mp4 (multimodal)",
        time=_TIME, title="name of the clip", scenes="what is shown and said, one each",
    ),
    # --- graphs: edges ---
    _schema(
        "social_tie", "graph", "graphml: edges of the address book's network",
        source="name", target="name", relation="what binds them", contacts="times met or spoken",
        last=f"{_DAY} of the last time; empty if never",
    ),
    _schema(
        "organisation", "graph", "graphml: organisation chart",
        source="name", target="name reported to or worked with", relation="reports_to, ...",
        role="role of the source", unit="company",
    ),
    _schema(
        "membership", "graph", "graphml: who belongs to which project or circle",
        source="name", target="project or circle", relation="part", since=_DAY,
    ),
)  # fmt: skip
SCHEMAS: Mapping[str, Schema] = {schema.name: schema for schema in _ALL}


@dataclass(frozen=True)
class Record:
    """One record. ``fields`` has exactly the fields of its schema, in their order.

    Raises:
        ValueError: the schema is unknown, or has another data model or other fields.
    """

    id: str
    """Schema and number: ``message-0042``."""
    schema: str
    model: DataModel
    time: datetime
    event: str | None
    """The event that it comes from; None: from the person's circumstances."""
    fields: Mapping[str, Value]

    def __post_init__(self) -> None:
        schema = SCHEMAS.get(self.schema)
        if schema is None:
            raise ValueError(f"schema: no {self.schema!r}; there are {', '.join(SCHEMAS)}")
        if schema.model != self.model or list(self.fields) != list(schema.fields):
            raise ValueError(
                f"fields: a {schema.name} is {schema.model} and has {list(schema.fields)}, "
                f"not {list(self.fields)}"
            )
