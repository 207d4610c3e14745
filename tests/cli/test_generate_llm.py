"""`deskgym generate --llm`: a model tells prose anew, and no fact is lost by it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from deskgym.agents.messages import Message, Reply
from deskgym.generate_llm import Narrator, holds, pinned
from deskgym.tasks.made.life import make_life
from deskgym.tasks.made.making import make_person
from deskgym.tasks.made.records import make_records
from deskgym.tasks.made.spec import MadeSpec

SPEC = MadeSpec(months=1, seed=3, multimodal=False, setting="home")
TEXT = "Dinner at Bar Moor with Ada Vale: I had the goulash and paid 12.50 euros."


class Model:
    """Stands in for a client: answers what ``tell`` makes of the text."""

    def __init__(self, tell: Any) -> None:
        self.tell, self.asked = tell, 0

    def chat(self, messages: list[Message]) -> Reply:
        self.asked += 1
        content = messages[-1].text
        return Reply(text=self.tell(content.partition("\n\nText:\n")[2], self.asked))


@pytest.mark.parametrize(
    ("new", "ok"),
    [
        ("At Bar Moor I paid 12.50 euros for the goulash, and Ada Vale was with me.", True),
        ("At Bar Moor I paid 12.50 euros for the goulash, and a friend was with me.", False),
        ("At Bar Moor I paid 12.50 euros for the goulash with Ada Vale on the 4th.", False),
        ("At Bar Moor, Ada Vale.\n\nThe goulash was 12.50 euros.", False),
        ("Bar Moor Ada Vale goulash 12.50", False),
        ("Ada Vale is an extravert; goulash at Bar Moor for 12.50 euros, that was that.", False),
        ("", False),
    ],
)
def test_what_a_rewrite_must_keep(new: str, ok: bool) -> None:
    assert holds(TEXT, new, ("goulash", "Ada Vale", "Bar Moor", "12.50")) is ok


def test_facts_names_places_and_numbers_are_pinned() -> None:
    life = make_life(SPEC, 0)
    event = next(e for e in life.events if e.kind == "coffee")
    pins = pinned(event.detail, event, life)
    assert str(event.facts["drink"]) in pins
    assert life.person.contact(event.people[0]).name in pins
    assert set(re.findall(r"\d+(?:[.,:/-]\d+)*", event.detail)) <= set(pins)


def test_rewrites_are_kept_where_they_hold_and_dropped_where_not() -> None:
    life = make_life(SPEC, 0)
    records = make_records(life, SPEC)
    # Every second time the model says nothing of use.
    model = Model(lambda text, n: f"Well. {text}" if n % 2 else "I cannot help with that.")
    told = Narrator(model)(life, records)  # type: ignore[arg-type]
    prose = [r for r in records if r.schema in ("journal", "assistant_chat")]
    assert (told.kept, told.dropped) == (-(-len(prose) // 2), len(prose) // 2)
    changed = [b for a, b in zip(records, told.records, strict=True) if a != b]
    assert len(changed) == told.kept
    assert all("Well. " in str(record.fields["text"]) for record in changed)


def test_gold_holds_over_rewritten_prose(tmp_path: Path) -> None:
    model = Model(lambda text, n: f"Well, so it was. {text}")
    person = make_person(SPEC, 0, tmp_path, Narrator(model))  # type: ignore[arg-type]
    plain = make_person(SPEC, 0, tmp_path / "plain")
    assert person.counts.rewritten > 10
    assert person.counts.rewrites_dropped == 0
    assert person.counts.tasks == plain.counts.tasks
    assert person.digest != plain.digest
