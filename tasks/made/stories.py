"""Stories: events that follow from one another over days, and what they hand on.

A story only says which kind of event comes next and which facts it takes over. Its events take
slots that the patterns have made anyway, so stories change no frequency.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta

from deskgym.tasks.made import names, words
from deskgym.tasks.made.models import Fact


@dataclass(frozen=True)
class Step:
    """One event of a story: ``carry`` gives facts as templates of what was before.

    It happens ``gap`` days after the last step at the earliest; ``same`` keeps its people.
    """

    kind: str
    carry: Mapping[str, str]
    gap: tuple[int, int] = (1, 4)
    same: bool = True


@dataclass(frozen=True)
class Story:
    """A chain of steps, and what is known at its beginning."""

    name: str
    steps: tuple[Step, ...]
    begin: Callable[[int, random.Random], dict[str, Fact]] = lambda seed, chance: {}


@dataclass
class Thread:
    """A story under way."""

    id: str
    story: Story
    earliest: date
    step: int = 0
    known: dict[str, Fact] = field(default_factory=dict)
    people: tuple[str, ...] = ()
    parent: str | None = None

    @property
    def next(self) -> Step | None:
        """What comes next; None if the story is over."""
        return self.story.steps[self.step] if self.step < len(self.story.steps) else None

    def given(self) -> dict[str, Fact]:
        """The facts that the next step takes over."""
        step = self.next
        if step is None:
            return {}
        return {name: form.format_map(self.known) for name, form in step.carry.items()}

    def advance(
        self, event: str, day: date, facts: Mapping[str, Fact], people: tuple[str, ...], gap: int
    ) -> None:
        """The next step has happened as ``event``; the one after waits ``gap`` days."""
        self.known.update(facts)
        self.people = self.people or people
        self.parent = event
        self.step += 1
        self.earliest = day + timedelta(days=gap)


def _mail(topic: str, subject: str) -> dict[str, str]:
    return {"topic": topic, "subject": subject}


STORIES: tuple[Story, ...] = (
    Story(
        "illness",
        (
            Step("symptom", {}),
            Step("doctor_visit", {"complaint": "{complaint}"}, same=False),
            Step("pharmacy", {"item": "{medicine} {dose_mg} mg"}, (0, 2), same=False),
            Step("phone_call", {"topic": "how {medicine} works against {complaint}"}, same=False),
        ),
    ),
    Story(
        "film",
        (
            Step("messages", {"topic": "seeing {film}"}),
            Step("film", {"title": "{film}"}),
            Step("messages", {"topic": "the ending of {film}"}),
        ),
        lambda seed, chance: {"film": names.title(chance)},
    ),
    Story(
        "concert",
        (
            Step("messages", {"topic": "tickets for the {band}"}),
            Step("concert", {"band": "{band}"}),
            Step("phone_call", {"topic": "the concert of the {band}"}, (0, 3)),
        ),
        lambda seed, chance: {"band": f"{names.surname(seed, chance)} Ensemble"},
    ),
    Story(
        "exhibition",
        (
            Step("messages", {"topic": "going to see {show}"}),
            Step("museum", {"title": "{show}"}),
            Step("postcard", {"topic": "{show} and the {favourite}"}, same=False),
        ),
        lambda seed, chance: {"show": names.title(chance)},
    ),
    Story(
        "mending",
        (
            Step("repair", {}),
            Step("tradesperson", {"item": "{item}", "fault": "{fault}"}, same=False),
            Step("mail", _mail("invoice {reference} for {item}", "Invoice {reference}"), (1, 3)),
        ),
    ),
    Story(
        "journey",
        (
            Step("train_booking", {}),
            Step("day_trip", {"destination": "{destination}", "transport": "train"}, (2, 7)),
            Step("postcard", {"topic": "{destination} and {sight}"}, (0, 3), same=False),
        ),
    ),
    Story(
        "party",
        (
            Step("group_chat", {"topic": "a present for {event}"}),
            Step("party", {"occasion": "{event}"}),
            Step("messages", {"topic": "the photos of {event}"}, (0, 3)),
        ),
        lambda seed, chance: {
            "event": f"{chance.choice(words.OCCASIONS)} at the {names.surname(seed, chance)}s'"
        },
    ),
    Story(
        "project",
        (
            Step("meeting", {}),
            Step("deadline", {"project": "{project}", "deliverable": "{topic}"}),
            Step("presentation", {"project": "{project}"}),
            Step("mail", _mail("the slides on {title}", "Slides: {title}"), (0, 3), same=False),
        ),
    ),
    Story(
        "loan",
        (
            Step("lending", {}),
            Step("messages", {"topic": "when {item} comes back"}, (3, 9)),
        ),
    ),
    Story(
        "recipe",
        (
            Step("market", {}),
            Step("new_recipe", {"ingredient": "{item}"}, (0, 2), same=False),
            Step("messages", {"topic": "the recipe for {dish}"}, same=False),
        ),
    ),
    Story(
        "borrowed book",
        (
            Step("library", {}),
            Step("phone_call", {"topic": "{title} by {author}"}, (3, 8), same=False),
        ),
    ),
    Story(
        "order",
        (
            Step("online_order", {}),
            Step("messages", {"topic": "{item} from {payee}"}, (2, 7), same=False),
        ),
    ),
    Story(
        "trouble",
        (
            Step("worry", {}),
            Step("phone_call", {"topic": "{topic}"}, (0, 3), same=False),
            Step("meditation", {}, (0, 3), same=False),
        ),
    ),
    Story(
        "lift",
        (
            Step("messages", {"topic": "moving {load}"}),
            Step("carrying", {"item": "{load}"}),
            Step("messages", {"topic": "the thank-you for moving {load}"}, (0, 3)),
        ),
        lambda seed, chance: {
            "load": f"{chance.choice(words.HEAVY)} from {names.street(seed, chance)}"
        },
    ),
    Story(
        "lesson",
        (
            Step("messages", {"topic": "help with {school}"}),
            Step("tutoring", {"topic": "{school}"}),
            Step("messages", {"topic": "the test on {school}"}, (2, 6)),
        ),
        lambda seed, chance: {"school": chance.choice(words.SCHOOL)},
    ),
    Story(
        "episode",
        (
            Step("podcast", {}),
            Step("messages", {"topic": "{topic}, in {title}"}, (0, 3), same=False),
        ),
    ),
    Story(
        "pictures",
        (
            Step("photo_walk", {}),
            Step("mail", _mail("the pictures of {subject}", "Pictures of {subject}"), same=False),
        ),
    ),
)
