"""The home directory of a life, put together file by file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from deskgym.tasks.demo.make.things import Place
from deskgym.tasks.made.files import agenda, money, networks, pictures, post, recordings, writing
from deskgym.tasks.made.files.facts import Facts, facts_of
from deskgym.tasks.made.files.old import add_drafts, add_old
from deskgym.tasks.made.files.placed import Home, Spot
from deskgym.tasks.made.files.rooms import Rooms
from deskgym.tasks.made.files.tables import csv_file, json_file, sqlite_file
from deskgym.tasks.made.models import Life
from deskgym.tasks.made.records import Record
from deskgym.tasks.made.records.dates import month
from deskgym.tasks.made.spec import MadeSpec

_CSV = {
    "transaction": ("bank", "transactions"),
    "call": ("phone", "calls"),
    "app_use": ("phone", "screen time"),
    "steps": ("health", "steps"),
    "workout": ("health", "workouts"),
    "habit_log": ("health", "activity diary"),
    "media_play": ("phone", "played"),
    "photo": ("phone", "photo index"),
}
_YEARLY = {
    "order": ("orders", "orders"),
    "trip": ("orders", "trips"),
    "measurement": ("health", "blood pressure"),
}
_JSON = {"sleep": ("health", "sleep"), "visit": ("phone", "places")}
_SQLITE = {
    "message": ("phone", "messages", "messages"),
    "visited_page": ("browser", "history", "visits"),
}
_GRAPHS = {
    "social_tie": "people",
    "organisation": "organisation",
    "membership": "circles",
}
_NOTE_SUFFIXES = {"filed": ["md"], "broad": ["md", "txt"], "piled": ["txt", "txt", "md"]}
_FEW_MONTHS = 6
_SINGLE_SHARE = 0.2
Made = tuple[bytes, list[Spot]]


@dataclass(frozen=True)
class _Desk:
    """What every writer below needs."""

    life: Life
    spec: MadeSpec
    home: Home
    rooms: Rooms
    facts: Facts
    by_schema: dict[str, list[Record]]

    def months(self, schema: str) -> Iterable[tuple[datetime, list[Record]]]:
        """The records of a schema by month, with the morning after its end."""
        for group in _grouped(self.by_schema[schema], lambda r: f"{r.time:%Y-%m}"):
            yield self.exported(group[-1].time), group

    def exported(self, last: datetime) -> datetime:
        """When a month's export is made: on the first of the next, or on the life's last day."""
        following = (last.replace(day=1) + timedelta(days=32)).replace(day=1)
        end = datetime.combine(self.life.last, time(23, 59))
        return min(datetime.combine(following.date(), time(7, 15)), end)


def make_home(life: Life, records: Sequence[Record], spec: MadeSpec) -> Home:
    """The whole home directory in memory.

    Raises:
        DeskError: espeak-ng or FFmpeg is missing and sound is wanted.
    """
    by_schema: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        by_schema[record.schema].append(record)
    desk = _Desk(life, spec, Home(), Rooms.of(life, spec), facts_of(life), by_schema)
    _exports(desk)
    _money(desk)
    _people(desk)
    _mails(desk)
    _prose(desk)
    add_old(desk.home, life, desk.rooms)
    add_drafts(desk.home, by_schema["report"], life.person.full_name, desk.rooms)
    if spec.multimodal:
        _pictures(desk)
        _recordings(desk)
    return desk.home


def _grouped(records: Iterable[Record], key: Callable[[Record], str]) -> list[list[Record]]:
    """``records`` by ``key``, in order of first appearance."""
    groups: dict[str, list[Record]] = {}
    for record in records:
        groups.setdefault(key(record), []).append(record)
    return list(groups.values())


def _put(desk: _Desk, path: str, made: Made, when: datetime, since: datetime | None = None) -> None:
    data, spots = made
    desk.home.add(path, data, since or when, when, spots)


def _exports(desk: _Desk) -> None:
    for schema, (what, name) in _CSV.items():
        for when, group in desk.months(schema):
            path = desk.rooms.monthly(what, name, group[0].time, "csv")
            _put(desk, path, csv_file(group), when)
    for schema, (what, name) in _JSON.items():
        for when, group in desk.months(schema):
            path = desk.rooms.monthly(what, name, group[0].time, "json")
            _put(desk, path, json_file(group), when)
    for schema, (what, name, table) in _SQLITE.items():
        for when, group in desk.months(schema):
            path = desk.rooms.monthly(what, name, group[0].time, "sqlite")
            _put(desk, path, sqlite_file(table, group), when)
    for schema, (what, name) in _YEARLY.items():
        for group in _grouped(desk.by_schema[schema], lambda r: f"{r.time:%Y}"):
            first = group[0].time
            path = f"{desk.rooms.folder(what, first)}/{name} {first:%Y}.csv"
            _put(desk, path, csv_file(group), group[-1].time + timedelta(hours=1), first)
    for when, group in desk.months("calendar"):
        path = desk.rooms.monthly("calendar", "calendar", group[0].time, "ics")
        first = group[0].time.replace(day=1, hour=8, minute=0)
        _put(desk, path, agenda.calendar_file(path, group, first, when), when, first)
    for group in _grouped(desk.by_schema["reminder"], lambda r: str(r.fields["list_name"])):
        first, last = group[0].time, group[-1].time
        path = f"{desk.rooms.folder('lists', first)}/{group[0].fields['list_name']}.ics"
        _put(desk, path, agenda.list_file(path, group, first), last, first)


def _money(desk: _Desk) -> None:
    life, rooms = desk.life, desk.rooms
    owner = life.person.full_name
    for when, group in desk.months("transaction"):
        titled = f"{month(group[0].time)} {group[0].time.year}"
        path = rooms.monthly("statement", "statement", group[0].time, "pdf")
        made = money.statement_file(path, owner, life.person.iban, titled, group, when)
        _put(desk, path, made, when)
    for group in _grouped(desk.by_schema["bill"], lambda r: f"{r.time:%Y}"):
        first, last = group[0].time, group[-1].time
        months = {month(m[0].time)[:3]: m for m in _grouped(group, lambda r: f"{r.time:%m}")}
        path = f"{rooms.folder('budget', first)}/Household budget {first:%Y}.xlsx"
        plan = _plan(desk, first)
        made = money.budget_file(path, months, plan, owner, first, last)
        _put(desk, path, made, last, first)
    for record in desk.by_schema["letter"]:
        path = rooms.single("letter", str(record.fields["title"]), record.time, "pdf")
        _put(desk, path, money.letter_file(path, record, desk.facts), record.time)


def _plan(desk: _Desk, first: datetime) -> list[list[object]]:
    """What the person means to spend; round figures, and nothing that happened."""
    chance = desk.rooms.chance("plan", first.year)
    names = ("Food", "Eating out", "Clothes", "Travel", "Gifts", "Sport", "Books", "Savings")
    rows = [[name, 10 * chance.randrange(4, 40)] for name in names]
    return [["Purpose", "Planned a month"], *rows]


def _people(desk: _Desk) -> None:
    life, rooms = desk.life, desk.rooms
    first = datetime.combine(life.first, time(8, 30))
    path = f"{rooms.folder('people', life.first)}/contacts.vcf"
    _put(desk, path, agenda.address_book(path, desk.by_schema["contact"]), first)
    for schema, name in _GRAPHS.items():
        if records := desk.by_schema[schema]:
            path = f"{rooms.folder('graphs', life.last)}/{name}.graphml"
            _put(desk, path, networks.graphml_file(records), records[-1].time)


def _mails(desk: _Desk) -> None:
    for record in desk.by_schema["mail"]:
        f = record.fields
        if f["folder"] == "bulk" or _bundled(desk, record):
            continue
        box = str(f["folder"]).capitalize()
        path = desk.rooms.single("mail", str(f["subject"]), record.time, "eml", box)
        _put(desk, path, post.eml_file(path, record, desk.facts), record.time)
    boxed = [r for r in desk.by_schema["mail"] if _bundled(desk, r)]
    for group in _grouped(boxed, lambda r: f"{r.time:%Y-%m} {r.fields['folder']}"):
        box = str(group[0].fields["folder"]).capitalize()
        path = f"Mail/{box}/{group[0].time:%Y-%m}.mbox"
        made = post.mbox_file(path, group, desk.facts)
        _put(desk, path, made, group[-1].time, group[0].time)
    bulk = [r for r in desk.by_schema["mail"] if r.fields["folder"] == "bulk"]
    for group in _grouped(bulk, lambda r: f"{r.time:%Y-%m}"):
        first, last = group[0].time, group[-1].time
        path = desk.rooms.monthly("bulk", "newsletters", first, "mbox")
        _put(desk, path, post.mbox_file(path, group, desk.facts), last, first)


def _bundled(desk: _Desk, record: Record) -> bool:
    """Whether a mail lies in the mailbox of its month: most do in a life of many months."""
    if desk.spec.months <= _FEW_MONTHS or record.fields["folder"] == "bulk":
        return False
    return desk.rooms.chance("bundled", record.id).random() > _SINGLE_SHARE


def _prose(desk: _Desk) -> None:
    rooms, facts, author = desk.rooms, desk.facts, desk.life.person.full_name
    for record in desk.by_schema["note"]:
        suffix = rooms.chance("note", record.id).choice(_NOTE_SUFFIXES[rooms.sort])
        path = rooms.single("note", str(record.fields["title"]), record.time, suffix)
        _put(desk, path, writing.note_file(record, facts, suffix), record.time)
    for group in _grouped(desk.by_schema["journal"], lambda r: f"{r.time:%Y-%m}"):
        first, last = group[0].time, group[-1].time
        path = rooms.monthly("journal", "journal", first, "md")
        made = writing.journal_file(f"{month(first)} {first.year}", group, facts)
        _put(desk, path, made, last, first)
    for group in _grouped(desk.by_schema["assistant_chat"], lambda r: str(r.fields["session"])):
        first, last = group[0].time, group[-1].time
        path = f"{rooms.folder('chat', first)}/{group[0].fields['session']}.md"
        _put(desk, path, writing.chat_file(group, facts), last + timedelta(minutes=9), first)
    for record in desk.by_schema["report"]:
        title = str(record.fields["title"])
        if rooms.chance("report", record.id).random() < 0.3:
            path = rooms.single("report", title, record.time, "html")
            _put(desk, path, writing.html_file(record, facts), record.time)
        else:
            path = rooms.single("report", title, record.time, "docx")
            _put(desk, path, writing.docx_file(record, facts, author, record.time), record.time)
    for record in desk.by_schema["clipping"]:
        path = rooms.single("clipping", str(record.fields["title"]), record.time, "html")
        _put(desk, path, writing.html_file(record, facts), record.time)


def _pictures(desk: _Desk) -> None:
    for record in desk.by_schema["photo"]:
        f = record.fields
        path = f"{desk.rooms.folder('photo', record.time)}/{f['file']}"
        chance = desk.rooms.chance("scene", record.id)
        data, spots = pictures.photo_file(path, record, desk.facts, chance)
        where = None
        if f["place"]:
            where = (float(str(f["latitude"])), float(str(f["longitude"])), str(f["place"]))
        desk.home.add(path, data, record.time, record.time, spots, where)
    events = {event.id: event for event in desk.life.events}
    for record in desk.by_schema["receipt"]:
        event = events[str(record.event)]
        at, where, place = None, None, None
        if event.place:
            at = desk.life.person.place(event.place)
            where = (at.latitude, at.longitude, at.name)
            place = Place(*where)
        name = {"piled": f"IMG_{record.time:%Y%m%d_%H%M}"}.get(
            desk.rooms.sort, f"{record.time:%Y-%m-%d} {record.fields['shop']}"
        )
        path = f"{desk.rooms.folder('receipt', record.time)}/{name}.jpg".replace("?", "")
        data, spots = pictures.receipt_file(path, record, desk.facts, place)
        desk.home.add(path, data, record.time, record.time, spots, where)


def _recordings(desk: _Desk) -> None:
    voice = recordings.voice_of(desk.life)
    for schema, what, suffix in (
        ("voice_memo", "memo", "mp3"),
        ("screen_recording", "clip", "mp4"),
    ):
        make = recordings.memo_file if suffix == "mp3" else recordings.clip_file
        for record in desk.by_schema[schema]:
            title = str(record.fields["title"])
            path = f"{desk.rooms.folder(what, record.time)}/{title}.{suffix}"
            _put(desk, path, make(path, record, desk.facts, voice), record.time)
