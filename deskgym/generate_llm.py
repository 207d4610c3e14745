"""A language model that rewrites what made people tell, with all facts pinned.

Only prose is given to it: a paragraph of a journal, or what is told to an assistant. A rewrite in
which a pinned fact is lost, or that is no single paragraph of like length, is dropped, and the text
stays as it was made. So questions and their gold hold whatever the model does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from deskgym.agents.llm import LLM, LLMConfig, Message
from deskgym.tasks.made.making import Rewritten
from deskgym.tasks.made.models import Event, Life
from deskgym.tasks.made.records.record import Record

_ASKED: Final = (
    "You rewrite a private note so that it sounds like a real person wrote it. Keep the first "
    "person, keep one paragraph, keep about the same length. Keep every one of the pinned pieces "
    "word for word. Add no facts, names, numbers or dates. Answer with the rewritten text alone."
)
LENGTHS: Final = (0.5, 2.0)
"""How much shorter or longer a rewrite may be."""
_TRAITS: Final = re.compile(
    r"\b(?:extra|intro)vert|conscientious|neuroti|agreeable|personality\b", re.IGNORECASE
)
_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_FIRST_TURN = re.compile(r"(\*\*Me, \d\d:\d\d\*\*\n)(.+)")


class Narrator:
    """Rewrites the prose of a life's records with a model."""

    def __init__(self, llm: LLM) -> None:
        self._llm = llm

    def __call__(self, life: Life, records: tuple[Record, ...]) -> Rewritten:
        """The records with what could be rewritten, and how many rewrites were kept and dropped.

        Raises:
            ModelUnavailable: the model does not answer.
        """
        events = {event.id: event for event in life.events}
        made, kept, dropped = [], 0, 0
        for record in records:
            text, put = _prose(record)
            if not text:
                made.append(record)
                continue
            new = self._rewritten(text, pinned(text, events.get(record.event or ""), life))
            kept, dropped = kept + (new is not None), dropped + (new is None)
            made.append(record if new is None else put(new))
        return Rewritten(tuple(made), kept, dropped)

    def _rewritten(self, text: str, pins: tuple[str, ...]) -> str | None:
        wanted = "\n".join(f"- {pin}" for pin in pins)
        reply = self._llm.chat(
            [Message("system", _ASKED), Message("user", f"Pinned:\n{wanted}\n\nText:\n{text}")]
        )
        new = reply.text.strip()
        return new if holds(text, new, pins) else None


def pinned(text: str, event: Event | None, life: Life) -> tuple[str, ...]:
    """What of ``text`` must not be lost: facts, names, places, and every number."""
    person = life.person
    pieces: list[str] = []
    if event is not None:
        pieces += [str(value) for value in event.facts.values()]
        pieces += [person.contact(one).name for one in event.people]
        pieces += [person.place(event.place).name] if event.place else []
    pieces += [contact.name for contact in person.contacts]
    low = text.casefold()
    said = [piece for piece in pieces if piece and piece.casefold() in low]
    return tuple(dict.fromkeys([*said, *_NUMBER.findall(text)]))


def holds(text: str, new: str, pins: Iterable[str]) -> bool:
    """Whether ``new`` may stand for ``text``: nothing is lost, nothing countable is added."""
    low = new.casefold()
    if "\n" in new or _TRAITS.search(new):
        return False
    if not LENGTHS[0] * len(text) <= len(new) <= LENGTHS[1] * len(text):
        return False
    if set(_NUMBER.findall(new)) - set(_NUMBER.findall(text)):
        return False
    return all(pin.casefold() in low for pin in pins)


def narrator(config: LLMConfig | Mapping[str, Any]) -> Narrator:
    """A narrator with a client of its own."""
    return Narrator(LLM(config))


def _prose(record: Record) -> tuple[str, Any]:
    """The text of a record that may be rewritten, and what puts another in its place."""
    text = str(record.fields.get("text", ""))
    if record.schema == "journal" and "\n" not in text:
        return text, lambda new: _with_text(record, new)
    if record.schema == "assistant_chat" and (found := _FIRST_TURN.match(text)):
        head, tail = found[1], text[found.end() :]
        return found[2], lambda new: _with_text(record, f"{head}{new}{tail}")
    return "", None


def _with_text(record: Record, text: str) -> Record:
    return replace(record, fields={**record.fields, "text": text})
