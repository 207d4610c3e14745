"""The 60 statements of the questionnaire, and which facet each one speaks for.

The structure (15 facets of four statements, their numbers, and which ones count in reverse) is
that published for the BFI-2 (Soto and John 2017). The statements are our own: each describes
something that can be seen in how a person lives.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

Facet = Literal[
    "sociability",
    "assertiveness",
    "energy",
    "compassion",
    "respectfulness",
    "trust",
    "organization",
    "productiveness",
    "responsibility",
    "anxiety",
    "depression",
    "volatility",
    "curiosity",
    "aesthetic",
    "imagination",
]

# A number below zero counts in reverse.
KEYS: Mapping[Facet, tuple[int, int, int, int]] = MappingProxyType(
    {
        "sociability": (1, -16, -31, 46),
        "assertiveness": (6, 21, -36, -51),
        "energy": (-11, -26, 41, 56),
        "compassion": (2, -17, 32, -47),
        "respectfulness": (7, -22, -37, 52),
        "trust": (-12, 27, -42, 57),
        "organization": (-3, 18, 33, -48),
        "productiveness": (-8, -23, 38, 53),
        "responsibility": (13, -28, 43, -58),
        "anxiety": (-4, 19, 34, -49),
        "depression": (-9, -24, 39, 54),
        "volatility": (14, -29, -44, 59),
        "curiosity": (10, -25, 40, -55),
        "aesthetic": (-5, 20, 35, -50),
        "imagination": (15, -30, -45, 60),
    }
)

FACETS: Mapping[str, tuple[Facet, Facet, Facet]] = MappingProxyType(
    {
        "o": ("curiosity", "aesthetic", "imagination"),
        "c": ("organization", "productiveness", "responsibility"),
        "e": ("sociability", "assertiveness", "energy"),
        "a": ("compassion", "respectfulness", "trust"),
        "n": ("anxiety", "depression", "volatility"),
    }
)

# Statement 1 first.
STATEMENTS: tuple[str, ...] = (
    "I start talking with people I have never met.",
    "I notice when somebody near me is sad, and go to them.",
    "My desk and shelves are covered with things that belong elsewhere.",
    "I stay at ease before exams, flights and other big days.",
    "I walk past paintings and sculptures without a second look.",
    "In a group I am the one who proposes what we do.",
    "I let others finish before I speak, even in an argument.",
    "I put off starting on a task until the last evening.",
    "After a disappointment I am back to my usual self by the next day.",
    "I look up how things work because I want to know.",
    "I sit through most evenings rather than get up and do something.",
    "I check what people tell me, because they usually want something.",
    "I hand back what I borrow on the day I said.",
    "My feelings go up and down several times in a day.",
    "I find ways of doing a chore that nobody showed me.",
    "At gatherings I stand at the edge and listen.",
    "Other people's troubles are seldom on my mind.",
    "Everything I own has its place, and goes back there.",
    "I lie awake going over what might go wrong.",
    "I stop what I am doing to listen when a fine piece of music is on.",
    "I say plainly what I want from a meeting or a deal.",
    "I have snapped at people who were slow or in my way.",
    "I leave tasks half done when something else comes up.",
    "I like the person I am and rarely wish I were another.",
    "Long talks about ideas make me look at the clock.",
    "It takes me several coffees to get going on an ordinary day.",
    "I lend things to people I have known for a short while.",
    "I have missed an appointment because I did not take it seriously.",
    "People tell me that I keep level in a heated discussion.",
    "I keep to what is there and seldom picture what might be.",
    "I would rather spend a free evening by myself than in company.",
    "I give up part of my own weekend when somebody needs a hand.",
    "Before I leave a room I put it straight.",
    "I ask twice whether the door is locked or the mail was sent.",
    "My walls and screens show pictures that I chose with care.",
    "I wait for others to take charge, even if I know the way.",
    "I have made jokes at the cost of somebody who was present.",
    "I finish the day's list before I turn to pleasant things.",
    "There are days on which nothing seems worth getting up for.",
    "I read about subjects that have no use for my work.",
    "My weeks are full of things to do, and I like them so.",
    "I expect that a lost purse will come back empty.",
    "When I promise to call, I call.",
    "It takes a great deal to make me raise my voice.",
    "When I need an idea for a present I take what I gave last time.",
    "People say that I fill the room with talk.",
    "When a friend cries I wait for it to pass.",
    "I search for papers that I held in my hand the day before.",
    "I make up my mind and then do not worry about it again.",
    "I would swap a museum for nearly any other outing.",
    "I keep my opinion to myself when the group disagrees.",
    "I thank the people who serve me, and mean it.",
    "Once I have started a piece of work I keep at it until it is done.",
    "I have gone whole weeks feeling low.",
    "I skip articles that need to be read twice.",
    "I carry others along when I am keen on something.",
    "When somebody lets me down, I assume they had a reason.",
    "I have left a shared job to others and hoped that nobody would notice.",
    "A small thing, such as a lost key, can make me furious.",
    "I come up with stories, tunes or designs of my own.",
)


def facet_of(number: int) -> tuple[Facet, bool]:
    """The facet of statement ``number`` (1..60), and whether it counts in reverse."""
    for facet, keys in KEYS.items():
        if number in keys or -number in keys:
            return facet, -number in keys
    raise KeyError(number)
