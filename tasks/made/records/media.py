"""Records of what is seen and heard: photographs and screen recordings."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from deskgym.tasks.made.models import Event
from deskgym.tasks.made.records.dates import month
from deskgym.tasks.made.records.draft import Draft, Fields, Source, euros, stamp
from deskgym.tasks.made.records.titles import PICTURED, filled

RECORDED = {
    "online_order": (("{payee}", "Basket: {item}"), ("Order {reference}", "To pay: {sum}")),
    "train_booking": (
        ("{payee}", "To {destination}"),
        ("Booking {reference}", "Carriage {carriage}, seat {seat}"),
    ),
    "course_module": (("{platform}", "{title}"), ("Module {module}", "Result: {score}%")),
    "language_lesson": (
        ("{language}, unit {unit}", "{topic}"),
        ("{words} new words", "Result: {score}%"),
    ),
    "budget_check": (("{project}", "Spent: {spent}"), ("Left: {left}", "{supplier}")),
    "bill": (("{payee}", "{utility}"), ("Invoice {reference}", "To pay: {sum}")),
    "subscription": (("{payee}", "{title}"), ("Renews {next_date}", "Price: {sum}")),
}
"""What a recording of the screen shows: two scenes of lines, the second of which is the result."""

_PHOTO_SHARE = 0.75
_CLIP_SHARE = 0.08


def media(source: Source) -> Iterator[Draft]:
    """All photographs and screen recordings of the life."""
    taken, clips = 0, 1.0  # the first occasion is always recorded
    for event in source.life.events:
        share = _PHOTO_SHARE * source.life.habits.photos * source.leisure * source.thin
        sure = event.kind.startswith("life_")
        if event.kind in PICTURED and (sure or source.chance("photo?", event.id).random() < share):
            taken += 1
            yield _photo(source, event, taken)
        if event.kind in RECORDED and source.chance("clip?", event.id).random() < clips:
            clips = _CLIP_SHARE * source.thin
            yield _recording(source, event)


def _photo(source: Source, event: Event, number: int) -> Draft:
    chance = source.chance("photo", event.id)
    when = event.start + timedelta(minutes=chance.randrange(0, max(1, event.minutes)))
    place = source.place(event)
    caption = filled(source, event, PICTURED[event.kind])
    fields: Fields = {
        "file": f"IMG_{when:%Y%m%d}_{number:04d}.jpg",
        "time": stamp(when),
        "place": place.name if place else "",
        "latitude": place.latitude if place else "",
        "longitude": place.longitude if place else "",
        "people": ", ".join(one.name for one in source.contacts(event)),
        "caption": caption[0].upper() + caption[1:],
    }
    return Draft("photo", when, event.id, fields)


def _recording(source: Source, event: Event) -> Draft:
    chance = source.chance("clip", event.id)
    when = event.start + timedelta(minutes=max(1, event.minutes - 2))
    paid = euros(event.facts["amount"]) if "amount" in event.facts else ""
    # Figures of a braces template that no fact has come from here.
    scenes = []
    for lines, say in zip(RECORDED[event.kind], _SAID[chance.randrange(len(_SAID))], strict=True):
        shown = [filled(source, event, line.replace("{sum}", paid)) for line in lines]
        scenes.append(" / ".join(shown) + f" [{say}]")
    fields: Fields = {
        "time": stamp(when),
        "title": f"Screen {when.day} {month(when)[:3]}, {when:%H.%M}",
        "scenes": scenes,
    }
    return Draft("screen_recording", when, event.id, fields)


_SAID = (
    ("This is the page as it looked before.", "And this is what came out at the end."),
    ("I record this so that I can show it later.", "There, that is the result."),
    ("First the beginning.", "And that was the last step."),
    ("Recording, in case it goes wrong.", "It worked. I keep this as a proof."),
)
