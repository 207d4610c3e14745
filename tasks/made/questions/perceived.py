"""Questions whose answer is seen or heard: signs in photographs, receipts, memos, clips.

The verifier is told the sentence or line with a gap, and values of which one stands in it.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from deskgym.tasks.made.files.placed import Placed
from deskgym.tasks.made.models import Event
from deskgym.tasks.made.questions.draft import Draft, Source, text
from deskgym.tasks.made.questions.facts import distinct, fact_name, kind_phrase
from deskgym.tasks.made.questions.wording import sample
from deskgym.tasks.made.records.record import Record
from deskgym.tasks.made.verifier.query import Give, Query, Step, Test

CANDIDATES = 5
"""Values that the verifier is given, the right one among them."""
_NOT_SAID = re.compile(r"\d{4}-\d\d-\d\d")
_SCENE = re.compile(r"(.*) \[(.*)\]")


def perceived(source: Source, most: int, kind: str = "semantic") -> Iterator[Draft]:
    """At most so many questions about pictures, sounds and clips; none of a text-only person."""
    chance = source.chance("perceived", kind)
    for make, share in ((_signs, 0.35), (_receipts, 0.25), (_memos, 0.3), (_clips, 0.1)):
        drafts = list(make(source, chance, kind))
        yield from sample(drafts, round(most * share), chance)


def _signs(source: Source, chance: random.Random, kind: str) -> Iterator[Draft]:
    photos = source.of("photo")
    captions = tuple(dict.fromkeys(text(record.fields["caption"]) for record in photos))
    for record in photos:
        place = _place(record, source, ".jpg", "")
        caption = text(record.fields["caption"])
        if place is None or not caption:
            continue
        wordings = (
            "What does the sign in the photo {file} say?",
            "Which words are to be read in the picture {file}?",
        )
        yield _draft(
            record, place, "seen", "{}", caption, _few(caption, captions, chance), wordings, kind,
            chance,
        )  # fmt: skip


def _receipts(source: Source, chance: random.Random, kind: str) -> Iterator[Draft]:
    receipts = source.of("receipt")
    sums = tuple(f"{float(text(r.fields['total'])):.2f}" for r in receipts)
    for record in receipts:
        place = _place(record, source, ".jpg", "")
        if place is None:
            continue
        total = f"{float(text(record.fields['total'])):.2f}"
        others = tuple(f"{one:>9}" for one in _few(total, sums, chance))
        yield _draft(
            record, place, "seen", f"line:{'TOTAL EUR':<25}{{}}", f"{total:>9}", others,
            ("What is the sum on the receipt in the picture {file}?",
             "How much does the photographed receipt {file} come to?"), kind, chance, "€{}",
        )  # fmt: skip
        paid = text(record.fields["paid_by"])
        yield _draft(
            record, place, "seen", "line:Paid by {}", paid, ("card", "cash"),
            ("How was the receipt in the picture {file} paid?",
             "Card or cash: what does the receipt in {file} say?"), kind, chance,
        )  # fmt: skip


def _memos(source: Source, chance: random.Random, kind: str) -> Iterator[Draft]:
    values = _values(source)
    for record in source.of("voice_memo"):
        event = source.events.get(record.event or "")
        said = record.fields["sentences"]
        if event is None or not isinstance(said, list):
            continue
        for fact, value in _facts(event):
            place = _place(record, source, ".mp3", fact)
            sentence = next((one for one in said if one.count(value) == 1), None)
            if place is None or sentence is None:
                continue
            name, _ = fact_name(fact)
            wordings = (
                f"Which {name} do I mention in the voice memo “{{title}}”?",
                f"In the recording {{file}}: what do I say is the {name} of the "
                f"{kind_phrase(event.kind)}?",
            )
            few = _few(value, values[fact], chance)
            carrier = sentence.replace(value, "{}")
            yield _draft(record, place, "heard", carrier, value, few, wordings, kind, chance)


def _clips(source: Source, chance: random.Random, kind: str) -> Iterator[Draft]:
    values = _values(source)
    for record in source.of("screen_recording"):
        event = source.events.get(record.event or "")
        scenes = record.fields["scenes"]
        if event is None or not isinstance(scenes, list):
            continue
        for fact, value in _facts(event):
            place = _place(record, source, ".mp4", fact)
            for scene in scenes:
                found = _SCENE.fullmatch(scene)
                if place is None or found is None or found[1].count(value) != 1:
                    continue
                name, _ = fact_name(fact)
                wordings = (
                    f"Which {name} is shown in the screen recording “{{title}}”?",
                    f"What is the {name} on the screen in {{file}}?",
                )
                carrier = "\n".join(found[1].replace(value, "{}").split(" / "))
                few = _few(value, values[fact], chance)
                yield _draft(record, place, "seen", carrier, value, few, wordings, kind, chance)


def _draft(
    record: Record,
    place: Placed,
    give: Give,
    carrier: str,
    value: str,
    among: Sequence[str],
    wordings: tuple[str, ...],
    kind: str,
    chance: random.Random,
    pattern: str = "{}",
) -> Draft:
    which = chance.randrange(len(wordings))
    file = PurePosixPath(place.file_path)
    rows = "picture" if file.suffix == ".jpg" else "recording"
    answer = pattern.replace("{}", value.strip())
    return Draft(
        kind=kind,
        template=f"{record.schema}/{give}/{len(wordings[0])}#{which}",
        question=wordings[which].format(file=file.name, title=file.stem),
        answer=answer,
        query=Query(
            steps=(Step(name="it", rows=rows, where=(Test(field="file", value=file.name),)),),
            of="it",
            give=give,
            field=carrier,
            among=tuple(among),
        ),
        pattern=pattern,
        records=(record.id,),
        places={record.id: place},
        steps=((f"It is there to be {give}: {answer}.", (0,)),),
        reasoning=("lookup",),
        labels=("Fact Retrieval",),
    )


def _place(record: Record, source: Source, suffix: str, part: str) -> Placed | None:
    return next(
        (
            place
            for place in source.placed[record.id]
            if place.file_path.endswith(suffix) and place.part == part
        ),
        None,
    )


def _facts(event: Event) -> Iterator[tuple[str, str]]:
    for fact, value in event.facts.items():
        if fact == "remark" or _NOT_SAID.match(str(value)) or len(str(value)) < 3:
            continue
        if isinstance(value, str):
            yield fact, value


def _values(source: Source) -> dict[str, tuple[str, ...]]:
    values: dict[str, dict[str, None]] = defaultdict(dict)
    for event in source.life.events:
        for fact, value in _facts(event):
            values[fact][value] = None
    return {fact: tuple(found) for fact, found in values.items()}


def _few(value: str, values: Sequence[str], chance: random.Random) -> tuple[str, ...]:
    """``value`` and some others, in an order that does not tell which it is."""
    others = [one for one in distinct(value, tuple(values)) if one != value]
    return tuple(sorted([value, *sample(others, CANDIDATES - 1, chance)]))
