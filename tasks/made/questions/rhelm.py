"""RHELM's seven types of question, with its characteristics as labels.

*fact* and *temporal* are about talks with the assistant and what happened around them,
*aggregation* adds up, *attachment* is about mails, notes and documents, *mixed* leads from a talk
to a document about the same matter; *hallucination* and *misleading* are in
`deskgym.tasks.made.questions.special`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from deskgym.tasks.made.questions.behaviour import behaviour
from deskgym.tasks.made.questions.draft import Draft, Source, text
from deskgym.tasks.made.questions.episodic import episodic
from deskgym.tasks.made.questions.facts import (
    DOCUMENTS,
    TALKS,
    cue_in,
    fact_name,
    facts,
    kind_phrase,
    listed_in,
)
from deskgym.tasks.made.questions.semantic import moment, semantic
from deskgym.tasks.made.questions.special import hallucination, misleading
from deskgym.tasks.made.questions.wording import day_phrase, sample
from deskgym.tasks.made.verifier.forms import shown
from deskgym.tasks.made.verifier.query import Query, Ref, Step, Test

# Questions of each type, for a life of twelve months.
_TYPES = {
    "fact": 45, "aggregation": 40, "temporal": 40, "attachment": 50, "mixed": 40,
    "hallucination": 42, "misleading": 20,
}  # fmt: skip
_DOCUMENT_KINDS = ("mail", "report", "letter", "clipping", "note")


def rhelm(source: Source) -> Iterator[Draft]:
    """All questions of a life in this setting; each is asked when the life ends."""
    for draft in _drafts(source):
        yield replace(draft, asked=draft.asked or source.life.last)


def _drafts(source: Source) -> Iterator[Draft]:
    most = {name: max(6, round(n * source.spec.months / 12)) for name, n in _TYPES.items()}
    for draft in facts(source, most["fact"], "fact", TALKS):
        yield replace(draft, labels=("State-Dependent Attribute",))
    for draft in behaviour(source, most["aggregation"]):
        yield replace(draft, kind="aggregation")
    for draft in episodic(source, most["temporal"]):
        yield replace(draft, kind="temporal")
    half = most["attachment"] // 2
    for draft in semantic(source, half, "attachment", _DOCUMENT_KINDS):
        yield replace(draft, labels=("Email Localization",))
    yield from facts(source, most["attachment"] - half, "attachment", DOCUMENTS)
    yield from mixed(source, most["mixed"])
    yield from hallucination(source, most["hallucination"])
    yield from misleading(source, most["misleading"])


def mixed(source: Source, most: int) -> Iterator[Draft]:
    """Questions that lead from a talk with the assistant to a paper about the same matter."""
    chance = source.chance("mixed")
    possible = []
    for talk in source.of("assistant_chat"):
        event = source.events.get(talk.event or "")
        for paper in source.by_event.get(talk.event or "", ()):
            if event is None or paper.schema not in ("note", "letter"):
                continue
            if moment(paper)[:10] != moment(talk)[:10]:
                continue
            for fact in listed_in(paper, event):
                cue = cue_in(talk, event, str(event.facts[fact]), source)
                if cue and cue.casefold() in text(paper.fields["text"]).casefold():
                    possible.append((talk, paper, event, fact, cue))
    for talk, paper, event, fact, cue in sample(possible, most, chance):
        name, form = fact_name(fact)
        day = date.fromisoformat(moment(talk)[:10])
        on = day_phrase(day, chance, hard=source.hard)
        answer = shown(event.facts[fact], form)
        wordings = (
            f"I talked with the assistant {on} about “{cue}”. There is a {paper.schema} about the "
            f"same matter: which {name} does it give?",
            f"Find the {paper.schema} of the day on which I told the assistant about “{cue}” "
            f"({on.removeprefix('on ')}). What is the {name} in it?",
            f"Which {name} stands in the {paper.schema} about the {kind_phrase(event.kind)} that I "
            f"discussed with the assistant {on}, mentioning “{cue}”?",
        )
        which = chance.randrange(len(wordings))
        said = Test(field="text", op="has", value=cue)
        query = Query(
            steps=(
                Step(
                    name="talk",
                    rows="assistant_chat",
                    where=(Test(field="day", value=day.isoformat()), said),
                ),
                Step(
                    name="paper",
                    rows=paper.schema,
                    where=(Test(field="day", value=Ref(step="talk", field="day")), said),
                ),
            ),
            of="paper",
            field=f"fact:{fact}",
            form=form,
        )
        part = next((n for n, v in event.facts.items() if str(v) == cue), "")
        yield Draft(
            kind="mixed",
            template=f"mixed/{paper.schema}#{which}",
            question=wordings[which],
            answer=answer,
            query=query,
            records=(talk.id, paper.id),
            parts={talk.id: part or fact, paper.id: fact},
            steps=(
                (f"The talk of {day.isoformat()} is about {cue}.", (0,)),
                (f"The {paper.schema} of that day gives {answer}.", (1,)),
            ),
            reasoning=("entity_resolution", "lookup"),
            labels=("Contextual Retrieval",),
        )
