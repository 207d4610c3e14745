"""Questions about who somebody is (Setoka's trait level): levels from 1 to 5.

People are ranked by the levels that an agent gives each of them, one desk at a time; what counts
in the end is Kendall's tau over people. The answer is the trait that the life was made from; no
file says it, and the verifier lets a question pass only where what the files show speaks for the
same level.
"""

from __future__ import annotations

from collections.abc import Iterator

from deskgym.tasks.made.questions.draft import Draft, Source
from deskgym.tasks.made.verifier.levels import TRAITS, level, tables_for
from deskgym.tasks.made.verifier.query import Query, Step

_LIKE = {
    "o": ("curious and fond of new ideas, art and places", "much drawn to learning and making"),
    "c": ("orderly, dependable and hard-working", "much given to order and to finishing things"),
    "e": ("outgoing and lively among people", "much drawn to company, talk and action"),
    "a": ("warm, helpful and considerate with others", "ready to help and to think well of people"),
    "n": ("easily worried, sad or upset", "much given to worry and changing moods"),
}
_ASKED = (
    "Judging from all that my files show: how {like} am I, compared with people in general, on a "
    "scale from 1 (hardly at all) to 5 (very much)? Answer with one number.",
    "If people were ranked by being {like}, at which level from 1 (lowest) to 5 (highest) would I "
    "stand? One number, going by how I live.",
    "From 1 to 5, what level would somebody who has seen all my records give me for being {like}?",
)


def trait(source: Source) -> Iterator[Draft]:
    """Questions about each of the five traits."""
    chance = source.chance("trait")
    scores = dict(zip(TRAITS, source.life.traits.scores(), strict=True))
    for letter, name in TRAITS.items():
        tables = tables_for(letter)
        records = tuple(record.id for kind in tables for record in source.all_of(kind))
        answer = str(level(scores[letter]))
        for number, wording in enumerate(_ASKED):
            like = chance.choice(_LIKE[letter])
            yield Draft(
                kind="trait",
                template=f"trait#{number}",
                question=wording.format(like=like),
                answer=answer,
                query=Query(
                    steps=tuple(Step(name=kind, rows=kind, take="all") for kind in tables),
                    of=tables[0],
                    give="level",
                    field=letter,
                    form="whole",
                ),
                records=records,
                steps=(("How often I do what, and how much of it, speaks for that level.",
                        tuple(range(len(records)))),),
                reasoning=("aggregation", "inference"),
                labels=(name,),
            )  # fmt: skip
