"""What went well or badly: a remark for each event, by category."""

from __future__ import annotations

import random
from collections.abc import Mapping
from types import MappingProxyType

from deskgym.tasks.made.kinds import KINDS, Kind
from deskgym.tasks.made.models import Category, Outcome

_EATEN = (
    (
        "there was plenty of it",
        "it was hot and fresh",
        "I would order it again",
        "the flavours were right",
        "it came with a smile",
        "just what I needed",
    ),
    (
        "it was lukewarm",
        "half of it was missing",
        "far too much salt",
        "I was hungry again soon",
        "it was not what I had asked for",
        "a poor meal for the money",
    ),
)
_ON_SCREEN = (
    (
        "it took two minutes",
        "there was a discount",
        "the confirmation came at once",
        "it was simpler than last time",
        "good to have it done",
        "all went through at first try",
    ),
    (
        "the page crashed twice",
        "I was charged twice at first",
        "I had to ring them up",
        "the password was gone",
        "it was dearer than announced",
        "the confirmation never came",
    ),
)
_CHORE_INSIDE = (
    (
        "it was quickly done",
        "good to have it done",
        "I hummed all the way through",
        "everything is in its place now",
        "nothing was left over",
        "it looks cared for",
    ),
    (
        "half of it was missing",
        "I lost patience",
        "I did it wrong at first",
        "it took twice as long",
        "I had to stop in the middle",
        "it was no use",
    ),
)
_WRITTEN = (
    (
        "that made my day",
        "we settled it in no time",
        "the answer came at once",
        "it cleared the air",
        "that is off my mind",
        "we understood each other at once",
    ),
    (
        "the tone was short",
        "I said it badly",
        "half of my questions stayed open",
        "it took hours until an answer came",
        "it was taken the wrong way",
        "I had to explain it twice",
    ),
)
_UNDER_ROOF = (
    (
        "my legs felt light",
        "it was my best this month",
        "I could have gone on",
        "I felt ten years younger after",
        "everything clicked",
    ),
    (
        "I was flat from the start",
        "my calf cramped",
        "the place was packed",
        "I forgot my towel and it went downhill",
        "I had to stop twice",
    ),
)
_ON_SHOW = (
    (
        "worth every minute",
        "I would go again tomorrow",
        "I had the room to myself",
        "the light was wonderful",
        "I stood there for a long time",
    ),
    (
        "it was overrun",
        "half of it was shut",
        "my feet hurt before the end",
        "the labels were all too small",
        "the way back took for ever",
    ),
)
_TURNING = (
    (
        "it went more smoothly than I had feared",
        "that is settled now",
        "I slept well after it",
        "good to have it done",
        "I would decide in the same way again",
    ),
    (
        "it will take some getting used to",
        "I did not sleep much that night",
        "it came at a bad time",
        "it left me worn out",
        "everything else had to wait",
        "I could have done without it",
    ),
)
# Kinds whose remarks differ from those of their category.
_OF_KIND: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    **dict.fromkeys(("lunch", "takeaway", "new_recipe", "cooking", "first_visit"), _EATEN),
    **dict.fromkeys(
        ("online_order", "bill", "subscription", "train_booking", "donation"), _ON_SCREEN
    ),
    **dict.fromkeys(("paperwork", "laundry", "plants_or_pet", "stretching"), _CHORE_INSIDE),
    **dict.fromkeys(("messages", "mail", "group_chat", "postcard"), _WRITTEN),
    **dict.fromkeys(("gym", "class", "swim"), _UNDER_ROOF),
    "museum": _ON_SHOW,
    **{name: _TURNING for name in KINDS if name.startswith("life_")},
}
# Category: what went well, what went badly.
_REMARKS: dict[Category, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "socialising": (
        ("we laughed until it hurt", "nobody looked at the clock", "it was as easy as ever",
         "we stayed an hour longer than planned", "an old joke came back", "the time flew by"),
        ("we ended up arguing", "I was tired before it began", "I felt out of place",
         "it was over too soon", "it was too loud to talk", "an old grudge came up"),
    ),
    "exercise": (
        ("my legs felt light", "it was my best this month", "I could have gone on",
         "the air was clear", "I felt ten years younger after", "everything clicked"),
        ("I had to stop twice", "a stitch slowed me down", "I was flat from the start",
         "my calf cramped", "it rained half of the time", "my laces came undone twice"),
    ),
    "work_planning": (
        ("everyone was prepared", "we finished early", "the numbers held",
         "nobody objected", "I got a thank-you for it", "it is off my list"),
        ("half of it has to be done again", "the figures did not match",
         "nobody had read the paper", "it was put off once more", "the projector died",
         "we ran out of time"),
    ),
    "spending": (
        ("it was on offer", "there was no queue", "I found just what I wanted",
         "it came in under the budget", "the assistant was kind", "I got a voucher on top"),
        ("I was charged twice at first", "it was the wrong size", "the queue took for ever",
         "I regretted it on the way home", "the card was refused once", "something was missing"),
    ),
    "learning": (
        ("it made sense at last", "I want to know more", "I took three pages of notes",
         "it stuck at once", "time well spent", "I told everybody about it"),
        ("I could not concentrate", "most of it went over my head", "I nodded off",
         "I had to go back to the start", "it was dull", "the connection kept breaking"),
    ),
    "creative_work": (
        ("it turned out better than the sketch", "I lost track of time", "the idea held",
         "I would show it to people", "the colours worked", "something new came of it"),
        ("I tore it up in the end", "nothing came together", "it looked better in my head",
         "I ruined the last part", "I gave up half way", "it came out flat"),
    ),
    "household": (
        ("the place looks twice as big", "it went faster than I feared", "it works again",
         "one thing less to think of", "it smells of soap now", "good to have it done"),
        ("it took twice as long", "I broke a glass over it", "it has to be done once more",
         "water went everywhere", "I could not find half of it", "I cut my finger"),
    ),
    "communication": (
        ("good to hear a friendly voice", "it cleared the air", "we settled it in no time",
         "we understood each other at once", "that made my day", "we had a good laugh"),
        ("we talked past each other", "the tone was short", "the line kept dropping",
         "I said it badly", "it ended in a huff", "half of my questions stayed open"),
    ),
    "travel": (
        ("the light was wonderful", "worth every minute", "I would go again tomorrow",
         "the views were long", "we met kind people", "everything was on time"),
        ("it rained sideways", "we missed the connection", "it was shut when we came",
         "I got lost twice", "it was overrun", "the way back took for ever"),
    ),
    "worry_and_health": (
        ("it is less bad than I thought", "I feel calmer now", "it helped",
         "that put my mind at rest", "it will pass", "I slept better after"),
        ("it got worse towards evening", "I cannot stop thinking about it", "nothing helped",
         "I am none the wiser", "it left me worn out", "I should have gone sooner"),
    ),
    "helping": (
        ("they were so pleased", "it cost me little", "I was glad to be of use",
         "it made the day worthwhile", "they would do the same for me", "we had fun doing it"),
        ("it was taken for granted", "it ate up my afternoon", "it did not help in the end",
         "I was in the way", "something got scratched", "I had promised too much"),
    ),
}  # fmt: skip

REMARKS: Mapping[Category, tuple[tuple[str, ...], tuple[str, ...]]] = MappingProxyType(_REMARKS)


def remark(kind: Kind, outcome: Outcome, chance: random.Random) -> str:
    """A clause on how an event of ``kind`` went."""
    good, bad = _OF_KIND.get(kind.name, REMARKS[kind.category])
    return chance.choice(good if outcome == "positive" else bad)
