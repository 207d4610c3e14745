"""A small desk, and what `verified` plays on it against a model without fault."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from endpoint import Brain, said, system_text
from oracle_model import DirectLLM, Draft, Judge, Place, Said, Scenario, oracle_model

from deskgym.agents.base import TaskView
from deskgym.agents.verified import VerifiedAgent
from deskgym.env.actions import (
    ALL_TOOLS,
    Action,
    Answer,
    ListFiles,
    Metadata,
    ReadAudio,
    ReadImage,
    ReadText,
    Terminal,
)
from deskgym.env.observations import Media, Observation

QUESTION = "What is my rent from May 2025, and who told me?"
FILES = {
    "rent.eml": ["From: Sanjay", "Your rent is £815 a month.", "It begins on 1 May 2025."],
    "old.eml": ["From: Sanjay", "Your rent is £780 a month."],
    "copy.txt": ["Your rent is £815 a month."],
    "plan.txt": ["Rent was 780 and rises by 35."],
}

PICTURE = Media("image/png", b"\x89PNG")
RENT, WHO, FLAT = "The rent is £815 a month.", "Sanjay told it.", "The flat is in Leeds."
WRONG, CAT = "The rent is £816 a month.", "The cat agreed to it."
RENT_CITE = ("rent.eml", "lines:2", "Your rent is £815 a month.")
WHO_CITE = ("rent.eml", "lines:1", "From: Sanjay")
NEEDS = {RENT: ("£815",), WHO: ("Sanjay",), FLAT: ("Leeds",), WRONG: ("£816",)}


def by_words(claim: str, places: Sequence[Place]) -> bool:
    """Judges by whether the words that a claim needs stand in what is shown."""
    shown = "\n".join(place.text for place in places)
    return claim in NEEDS and all(word in shown for word in NEEDS[claim])


def desk(action: Action) -> tuple[str, tuple[Media, ...]]:
    """What a desk with `FILES` and a picture puts out."""
    if isinstance(action, ListFiles):
        lines = [f"{path}  (text, 9 bytes, modified 2025-01-01T00:00)" for path in FILES]
        return f"{len(FILES)} files\n" + "\n".join(lines), ()
    if isinstance(action, ReadImage) and action.path == "photo.jpg":
        return "photo.jpg; width 9\n[region:1@0,0,1,1] image/png, 5 bytes", (PICTURE,)
    if isinstance(action, Metadata) and action.path == "photo.jpg":
        return "path: photo.jpg\nlocation: Leeds, Yorkshire", ()
    if isinstance(action, ReadAudio):
        return "m.wav\n[time:1-2]\nyour rent is £815\n[time:1-2] audio/mpeg, 5 bytes", ()
    if isinstance(action, ReadText) and action.path in FILES:
        first, last = action.lines or (1, len(FILES[action.path]))
        lines = FILES[action.path][first - 1 : last]
        place = f"lines:{first}-{last}" if action.lines else f"lines:1-{last}"
        return f"{action.path}; lines 3\n[{place}]\n" + "\n".join(lines), ()
    if isinstance(action, Terminal) and "rent.eml" in action.command:
        return "\n".join(FILES["rent.eml"]), ()
    return f"error (not_found): no such file: {getattr(action, 'path', '')!r}", ()


class Played:
    """An episode: its answer, its actions, the faults, and the requests."""

    def __init__(
        self,
        brain: Brain | Scenario,
        *,
        steps: int = 30,
        tools: frozenset[str] = ALL_TOOLS,
        **config: Any,
    ) -> None:
        if isinstance(brain, Scenario):
            brain = oracle_model({QUESTION: brain})
        self.actions: list[Action] = []
        self.faults: tuple[str, ...] = ()
        self.thought = ""
        llm = DirectLLM(brain)
        agent = VerifiedAgent(llm, **config)
        agent.reset(TaskView("t", "demo/ann", QUESTION), tools)
        text, media = "These are the files.", ()
        for step in range(steps):
            action = agent.act(
                Observation(
                    question=QUESTION,
                    text=text,
                    media=media,
                    step=step,
                    steps_left=steps - step,
                )
            )
            use = agent.take_use()
            self.faults += use.faults
            self.thought += use.thought
            self.actions.append(action)
            if isinstance(action, Answer):
                break
            text, media = desk(action)
        self.requests = llm.requests
        assert isinstance(self.actions[-1], Answer), "no answer"
        self.answer: Answer = self.actions[-1]

    @property
    def cited(self) -> list[tuple[str, str]]:
        return [(cite.path, str(cite.locator)) for cite in self.answer.cites]

    def kinds(self) -> list[str]:
        return [fault.split(":")[0] for fault in self.faults]

    def asked_for(self, role: str) -> list[str]:
        """What was asked of the model in one of its roles."""
        return [said(r, "user") for r in self.requests if role in system_text(r)]


def scenario(*drafts: Draft, judge: Judge = by_words) -> Scenario:
    return Scenario(
        drafts,
        judge,
        {
            (RENT, WHO): "£815 a month; Sanjay told me",
            (RENT,): "£815 a month",
            (FLAT,): "in Leeds",
        },
    )


GOOD = Draft(
    "£815 a month. Sanjay told me.",
    (RENT_CITE, WHO_CITE),
    (Said(RENT, (1,)), Said(WHO, (2,))),
)
