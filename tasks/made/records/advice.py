"""What an assistant says, and how the person talks to it. None of it holds a fact."""

from __future__ import annotations

import random
from collections.abc import Mapping

from deskgym.tasks.made.models import Category

ADVICE: Mapping[Category, tuple[str, ...]] = {
    "socialising": (
        "Agreeing on the next date before everybody leaves is the simplest way "
        "to keep such evenings going.",
        "If you want to follow up, a short message with one thing that you "
        "enjoyed is quite enough.",
        "Groups of three or four leave room for everybody to speak; larger "
        "ones tend to fall apart into pairs.",
        "You could take turns in choosing the place, so that no one has to organise it every time.",
        "When a topic gets heavy, a walk after the meal often helps more than another round.",
        "It is fair to leave early if you say so at the beginning.",
    ),
    "exercise": (
        "Two easy sessions for each hard one is a sensible balance for most people.",
        "Add no more than about a tenth to the weekly amount, and take a "
        "lighter week every fourth one.",
        "Five minutes of easy movement before and after make more difference "
        "than the choice of shoes.",
        "If the pulse stays high on an easy day, that is usually a sign to "
        "rest rather than to push.",
        "A short session that happens beats a long one that does not.",
        "Note how you felt rather than only the figures; it explains the figures later.",
    ),
    "work_planning": (
        "Write the decision, the person and the date on one line each, and "
        "send that within the hour.",
        "Put the hardest task into the first quiet slot of the day, before the inbox is opened.",
        "Leave about a fifth of the week unplanned; something will want it.",
        "If two priorities compete, ask which of them somebody else is waiting for.",
        "A draft that is shared early gets better comments than a finished "
        "paper that is shared late.",
        "For the figures, one sheet with a column for what was planned and one "
        "for what was spent will do.",
    ),
    "spending": (
        "A look at the last three months tells more than any single receipt.",
        "For larger purchases a waiting list of a week weeds out about half of the wishes.",
        "Keep the receipt with the date in its name, so that a return does not turn into a search.",
        "Set aside the fixed costs first; what is left is the real budget.",
        "Prices by the kilogram or the litre are the only ones that can be compared.",
        "If the parcel is late, write to the shop with the order number rather "
        "than to the carrier.",
    ),
    "learning": (
        "Test yourself before you read the chapter again; it feels harder and works better.",
        "Spread the same minutes over more days, and the material stays longer.",
        "Write one sentence of summary from memory at the end of each session.",
        "Mix old and new exercises, so that you have to recognise which method is wanted.",
        "If a unit went badly, sleep on it and repeat only the part that went wrong.",
        "Explaining it to somebody who knows nothing of it shows the gaps at once.",
    ),
    "creative_work": (
        "Stop at a point where you know what comes next; it is easier to begin again.",
        "Limit yourself to three colours, or one scene, or eight bars, and see how far it goes.",
        "Keep the failed attempts for a month before you judge them.",
        "Work on the whole before the details, so that nothing small becomes too dear to change.",
        "A fixed half hour at the same time of day is worth more than a free Sunday.",
        "Show it to one person whose taste you trust rather than to many.",
    ),
    "household": (
        "Do the room that you see first when you come home; the rest feels lighter afterwards.",
        "Small repairs are cheaper in the week in which you notice them.",
        "A list on the inside of a cupboard door is seen more often than one in the phone.",
        "For stains, time matters more than the remedy: cold water at once, anything else later.",
        "Keep the manuals and receipts of appliances in a single folder.",
        "If it has been moved three times without being used, it can probably go.",
    ),
    "communication": (
        "Say in the first line what you need and by when; the background can follow.",
        "Repeat what was agreed in your own words, so that a misunderstanding shows at once.",
        "When the tone gets sharp in writing, a call of five minutes usually settles it.",
        "It is fine to answer that you will answer on another day, as long as you name the day.",
        "One message for each subject is easier to find again.",
        "If you are waiting for a reply, a friendly reminder after a week is not impolite.",
    ),
    "travel": (
        "Leave a gap of half an hour at each change; it costs little and saves "
        "the day when something is late.",
        "Take a picture of the timetable at the stop when you arrive, for the way back.",
        "Pack layers rather than one thick jacket.",
        "The best hour at a popular place is the first one after it opens.",
        "Tell somebody which way you are going and when you mean to be back.",
        "Look up the closing day of the week before you set out.",
    ),
    "worry_and_health": (
        "Note the time, what came before and how strong it was; after a week a "
        "pattern is easier to see.",
        "If it gets worse, lasts longer than you expect or simply worries you, "
        "ask your practice; I cannot examine you.",
        "Write the worry down and next to it the one thing that you can do about it tomorrow.",
        "A fixed time for getting up helps more than a fixed time for going to bed.",
        "Take medicine as it was prescribed, and ask before you combine it with something else.",
        "Try a few slow breaths, out longer than in; it is simple and costs nothing.",
    ),
    "helping": (
        "Ask what would help most before you begin; it is often something smaller.",
        "Agree on an end as well as on a beginning, so that it stays a pleasure.",
        "If you lend something, a note of the day spares both of you the awkward question.",
        "Let the other person do the part that they can do; it makes it easier to accept the rest.",
        "A regular hour is easier to keep than a general promise.",
        "It is fine to say no this time and to suggest somebody else.",
    ),
}
"""What an assistant advises, by category."""

OPENERS: tuple[str, ...] = (
    "Thanks for telling me about this.",
    "That is helpful to know.",
    "I have taken that down.",
    "Good, that gives me a clear picture.",
    "Understood.",
    "Thank you, I will keep that in mind.",
    "That sounds like a full day.",
    "I see.",
    "Noted, with the date.",
    "Let me sum up before I add anything.",
    "Happy to go through it with you.",
    "All right, one thing after the other.",
)
CLOSERS: tuple[str, ...] = (
    "Shall I keep this for later, so that you can come back to it?",
    "Is there something about it that you would like to change next time?",
    "Would you like a short list of next steps?",
    "Tell me how it goes.",
    "If that does not fit, say what is different and we will start from there.",
    "How much of that sounds doable this week?",
    "I can put it into a note if you like.",
    "Do you want to look at it from the other side as well?",
    "That is my view; you know the people and I do not.",
    "Would a reminder help?",
)
USER_TURNS: Mapping[str, tuple[str, ...]] = {
    "information_sharing": (
        "Just so that it is written down somewhere:",
        "I wanted to tell you about this:",
        "For your notes:",
        "Something to remember:",
        "Here is what happened:",
        "Let me tell you while it is fresh:",
    ),
    "status_update": (
        "Where things stand:",
        "Quick update:",
        "Update from today:",
        "To keep you up to date:",
        "News on my side:",
        "An interim report, so to speak:",
    ),
    "attachment_consultation": (
        "I have a paper here that belongs to this:",
        "I am looking at my own write-up of this:",
        "The attached paper is about this:",
        "Could you look at my write-up with me? It says:",
        "From the document that I saved:",
        "I would like a second opinion on this paper:",
    ),
    "scheduling": (
        "Help me to fit things around this:",
        "I need to plan around the following:",
        "My calendar is a puzzle again. The fixed part:",
        "Please keep this in mind when we plan:",
        "Let us sort out the dates. What I know:",
        "For the planning:",
    ),
    "advice_seeking": (
        "What would you do?",
        "I would like your advice on this:",
        "I am not sure what to make of this:",
        "Can you help me think this through?",
        "Tell me honestly what you think:",
        "A question, and I need to explain first:",
    ),
}
"""How the person begins, by kind of talk. The kinds are the five that RHELM tells apart."""
TOPICS: tuple[str, ...] = tuple(USER_TURNS)
FOLLOW_UPS: tuple[str, ...] = (
    "That makes sense. What else should I think of?",
    "Fine, but I do not have much time this week. What is the least that would help?",
    "I had not looked at it that way. Go on.",
    "Partly. The first point I can do, the second is not like me.",
    "Good. And if it goes wrong again?",
    "Could you put it more simply?",
    "I tried something like that before and gave up after a week.",
    "All right. How would I notice that it works?",
    "Is that what most people do, or what one ought to do?",
    "Thank you. I will sleep on it.",
    "I am writing this on my phone, so keep it short.",
    "And what should I not do?",
)
_ACTIONS: tuple[str, ...] = (
    "set aside a quarter of an hour", "write down three points", "leave one thing out",
    "begin with the part that you like least", "ask one person for an opinion",
    "put it into the calendar with a time", "do half of it today",
    "compare it with how it went last time", "take a photograph of how it looks now",
    "say out loud what you want from it", "read through your own notes first",
    "choose a day on which nothing else is planned", "make a version that is good enough",
    "stop as soon as the first step is done", "tell somebody when you mean to finish",
    "keep the evening free of it", "cross out what no longer matters",
    "move the papers out of sight until then", "note what it costs in time and in money",
)  # fmt: skip
_MOMENTS: tuple[str, ...] = (
    "before the week is over", "in the morning", "after a short walk", "when the house is quiet",
    "right after breakfast", "before you look at the phone", "at the weekend",
    "on the way home", "while the kettle boils", "before you talk to anybody about it",
    "on the same evening", "as soon as you have slept on it",
)  # fmt: skip
_GROUNDS: tuple[str, ...] = (
    "because a small step is easier to take than a large one",
    "since the memory of it fades quickly", "so that it does not follow you into the night",
    "because you will then see what is really missing", "which makes the next talk easier",
    "so that you do not have to decide twice", "because nobody does it well when tired",
    "and you may find that the rest takes care of itself", "since no first version is the last",
    "so that you notice early if it goes wrong", "because the others are waiting for a sign",
    "and it costs next to nothing to try", "which is how most people get over the threshold",
    "since it is easier to keep than to begin", "because it leaves room for surprises",
)  # fmt: skip
_COUNSEL: tuple[str, ...] = (
    "You could {a} {m}, {g}.", "I would {a} {m}, {g}.", "It may help to {a} {m}, {g}.",
    "One way is to {a} {m}, {g}.", "If it were up to me, I would {a} {m}, {g}.",
    "Some people {a} {m}, {g}.", "My suggestion is to {a} {m}, {g}.", "Why not {a} {m}, {g}?",
)  # fmt: skip


def counsel(chance: random.Random, count: int) -> list[str]:
    """``count`` pieces of general advice that fit any matter."""
    made = []
    for action in chance.sample(_ACTIONS, count):
        form = chance.choice(_COUNSEL)
        made.append(form.format(a=action, m=chance.choice(_MOMENTS), g=chance.choice(_GROUNDS)))
    return made
