"""Records: their number and kinds, and that they say what the events say."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from datetime import date, datetime, timedelta
from itertools import pairwise

import pytest

from deskgym.tasks.made.kinds import KINDS
from deskgym.tasks.made.life import make_life
from deskgym.tasks.made.models import CATEGORIES, Life
from deskgym.tasks.made.records import SCHEMAS, Record, make_records
from deskgym.tasks.made.records.advice import ADVICE, TOPICS, USER_TURNS
from deskgym.tasks.made.records.rows import CARD_CATEGORY
from deskgym.tasks.made.records.thoughts import THOUGHTS, fitting
from deskgym.tasks.made.records.titles import CALENDAR, LOGGED, PICTURED
from deskgym.tasks.made.spec import MadeSpec

TRAIT_WORDS = re.compile(
    r"extravert|extrovert|introvert|neurotic|conscientious|agreeable|openness|big five"
    r"|personality|trait",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"\w+|[^\w\s]")


@pytest.fixture(scope="module")
def people() -> list[tuple[Life, tuple[Record, ...]]]:
    lives = [(make_life(MadeSpec(seed=seed), 0), MadeSpec(seed=seed)) for seed in range(5)]
    return [(life, make_records(life, spec)) for life, spec in lives]


def tokens(records: tuple[Record, ...]) -> int:
    return sum(len(_TOKEN.findall(json.dumps(dict(r.fields)))) for r in records)


def test_two_months_have_setokas_shape(people: list[tuple[Life, tuple[Record, ...]]]) -> None:
    for _, records in people:
        assert 1_280 <= len(records) <= 1_920
        assert len({r.schema for r in records}) >= 23
        assert {r.model for r in records} == {"relational", "document", "graph"}
        assert 300_000 <= tokens(records) <= 450_000


def test_records_are_numbered_in_time_order(people: list[tuple[Life, tuple[Record, ...]]]) -> None:
    for _, records in people:
        times = [r.time for r in records]
        assert times == sorted(times)
        numbers: dict[str, list[str]] = defaultdict(list)
        for record in records:
            numbers[record.schema].append(record.id)
        for schema, ids in numbers.items():
            assert ids == [f"{schema}-{n:04d}" for n in range(1, len(ids) + 1)]


def test_every_event_has_a_record(people: list[tuple[Life, tuple[Record, ...]]]) -> None:
    for life, records in people:
        known = {r.event for r in records}
        assert [e.kind for e in life.events if e.id not in known] == []
        assert known - {None} <= {e.id for e in life.events}


def test_what_was_paid_is_what_the_events_say(
    people: list[tuple[Life, tuple[Record, ...]]],
) -> None:
    for life, records in people:
        paid = {r.event: r.fields for r in records if r.schema == "transaction" and r.event}
        costly = [e for e in life.events if "amount" in e.facts]
        assert costly
        for event in costly:
            assert paid[event.id]["amount"] == -float(event.facts["amount"])


def test_balances_add_up_and_references_are_unique(
    people: list[tuple[Life, tuple[Record, ...]]],
) -> None:
    for _, records in people:
        rows = [r.fields for r in records if r.schema == "transaction"]
        for before, after in pairwise(rows):
            expected = float(str(before["balance"])) + float(str(after["amount"]))
            assert float(str(after["balance"])) == pytest.approx(expected, abs=0.006)
        references = [str(row["reference"]) for row in rows]
        assert len(set(references)) == len(references)


def test_a_chat_has_all_its_messages_its_topic_first_and_what_was_agreed_last(
    people: list[tuple[Life, tuple[Record, ...]]],
) -> None:
    for life, records in people:
        said: dict[str | None, list[str]] = defaultdict(list)
        for record in records:
            if record.schema == "message":
                said[record.event].append(str(record.fields["text"]))
        chats = [e for e in life.events if e.kind in ("messages", "group_chat")]
        assert chats
        for event in chats:
            texts = said[event.id]
            assert len(texts) == int(event.facts["messages"])
            assert str(event.facts["topic"]) in texts[0]
            assert str(event.facts["agreed"]) in texts[-1]


def test_a_talk_with_the_assistant_is_over_on_the_day_of_its_heading(
    people: list[tuple[Life, tuple[Record, ...]]],
) -> None:
    for life, records in people:
        talks = [r for r in records if r.schema == "assistant_chat"]
        days = {e.id: e.start.date() for e in life.events}
        rare = {e.id for e in life.events if e.kind.startswith("life_")}
        assert rare <= {r.event for r in talks}
        for talk in talks:
            assert talk.fields["session"] == f"chat-{talk.time.date()}"
            assert days[str(talk.event)] == talk.time.date()
            clocks = re.findall(
                r"^\*\*\w+, (\d\d:\d\d)\*\*$", str(talk.fields["text"]), re.MULTILINE
            )
            assert clocks == sorted(clocks)
            assert clocks[0] == f"{talk.time:%H:%M}"


def at(value: object) -> datetime:
    return datetime.fromisoformat(str(value))


def test_nobody_sleeps_before_the_evening_is_over_or_is_in_two_places(
    people: list[tuple[Life, tuple[Record, ...]]],
) -> None:
    for life, records in people:
        over: dict[date, datetime] = {}
        for event in life.events:
            end = event.start + timedelta(minutes=event.minutes)
            over[event.start.date()] = max(end, over.get(event.start.date(), end))
        for night in (r.fields for r in records if r.schema == "sleep"):
            bed, up = at(night["bed"]), at(night["up"])
            assert bed >= over.get(up.date() - timedelta(days=1), bed)
            assert (up - bed).total_seconds() / 3600 > float(str(night["hours"])) - 0.1
        visits = [r.fields for r in records if r.schema == "visit"]
        for before, after in pairwise(sorted(visits, key=lambda one: str(one["arrive"]))):
            assert at(before["leave"]) <= at(after["arrive"])


def test_letters_go_to_where_the_person_lives() -> None:
    spec = MadeSpec(seed=31)
    life = make_life(spec, 0)
    (move,) = [event for event in life.events if event.kind == "life_move"]
    letters = [r for r in make_records(life, spec) if r.schema == "letter"]
    after = [r for r in letters if at(r.fields["date"]) > move.start]
    assert 0 < len(after) < len(letters)
    for letter in letters:
        home = move.facts["new_address" if letter in after else "old_address"]
        if letter.event != move.id:
            assert str(home) in str(letter.fields["text"])


def test_receipts_add_up(people: list[tuple[Life, tuple[Record, ...]]]) -> None:
    for _, records in people:
        for record in records:
            if record.schema == "receipt":
                items = record.fields["items"]
                assert isinstance(items, list)
                prices = [float(one.rpartition(": ")[2]) for one in items]
                assert sum(prices) == pytest.approx(float(str(record.fields["total"])), abs=0.006)
                assert min(prices) > 0


def test_no_trait_is_written_down(people: list[tuple[Life, tuple[Record, ...]]]) -> None:
    for _, records in people:
        said = [str(v) for r in records for v in r.fields.values()]
        assert [one[:80] for one in said if TRAIT_WORDS.search(one)] == []


def test_same_seed_same_records_and_text_only_has_them_too() -> None:
    spec = MadeSpec(seed=3, months=1)
    text_only = MadeSpec(seed=3, months=1, multimodal=False)
    first = make_records(make_life(spec, 0), spec)
    assert first == make_records(make_life(spec, 0), spec)
    assert first == make_records(make_life(text_only, 0), text_only)


def test_rhelm_has_dated_sessions_of_all_kinds() -> None:
    spec = MadeSpec(seed=2, months=12, setting="rhelm", multimodal=False)
    records = make_records(make_life(spec, 0), spec)
    talks = [r for r in records if r.schema == "assistant_chat"]
    assert len({r.fields["session"] for r in talks}) >= 50
    assert {r.fields["topic"] for r in talks} == set(TOPICS)
    papers = [r for r in records if r.schema in ("report", "letter", "clipping", "note", "mail")]
    assert len(papers) >= 200
    for talk in talks:
        datetime.fromisoformat(str(talk.fields["time"]))
        assert str(talk.fields["text"]).count("**") // 2 == talk.fields["turns"]


def test_every_kind_has_words_and_templates_use_its_facts() -> None:
    assert set(THOUGHTS) == set(ADVICE) == set(CATEGORIES)
    assert set(USER_TURNS) == set(TOPICS)
    for category, said in THOUGHTS.items():
        own = {kind.name for kind in KINDS.values() if kind.category == category}
        assert {name for kinds in said.values() for name in kinds.split()} <= own
    for kind in KINDS.values():
        assert len(fitting(kind.category, kind.name)) >= 7, kind.name
    templates = dict(CALENDAR)
    templates |= {kind: (*templates.get(kind, ()), *pair) for kind, pair in LOGGED.items()}
    templates |= {kind: (*templates.get(kind, ()), text) for kind, text in PICTURED.items()}
    for kind, options in templates.items():
        used = {name for text in options for name in re.findall(r"{(\w+)}", text)}
        assert used - {"with", "at"} <= set(KINDS[kind].facts), kind
    assert set(CARD_CATEGORY) == {k.name for k in KINDS.values() if "amount" in k.facts}


def test_a_record_refuses_fields_that_its_schema_lacks() -> None:
    with pytest.raises(ValueError, match="a sleep is relational and has"):
        Record("sleep-0001", "sleep", "relational", datetime(2025, 1, 1), None, {"hours": 7})
    with pytest.raises(ValueError, match="no 'nap'"):
        Record("nap-0001", "nap", "relational", datetime(2025, 1, 1), None, {})
    assert len(SCHEMAS) >= 23
