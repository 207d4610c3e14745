"""The loop of agents that are given tools: the model says what it wants done, it is done, the model
sees what came of it, until it answers.

How the model says so is a `Form`: native tool calls, tags, or lines of text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, Protocol

from deskgym.agents.answers import AnswerFault, ParsedAnswer, find_object, parse_answer
from deskgym.agents.base import TaskView
from deskgym.agents.llm import LLM, Message, Reply, ToolSpec
from deskgym.agents.model_agent import REPAIRS, ModelAgent, Unreadable
from deskgym.agents.null import ABSTENTION
from deskgym.agents.prompts import fill
from deskgym.agents.steps import Play
from deskgym.agents.toolset import tool_specs
from deskgym.env.actions import Action, Answer, Ranking
from deskgym.env.observations import Observation

FEW_STEPS = 4  # from here on the model is told how many are left
NO_USE = frozenset({"no_call", "no_tag", "no_action"})  # a reply that only talks, by form
_SHOWN = 80


@dataclass(frozen=True)
class Use:
    """One tool that the model wants used: what to do, or what is wrong with it.

    ``call_id`` is the id of a native call, to which its result goes.
    """

    action: Action | None
    call_id: str | None = None
    problem: Unreadable | None = None
    faults: tuple[AnswerFault, ...] = ()


@dataclass(frozen=True)
class Turn:
    """What one reply asks for. ``message`` is what the conversation keeps of it."""

    message: Message
    uses: tuple[Use, ...]
    thought: str = ""
    faults: tuple[AnswerFault, ...] = ()


class Form(Protocol):
    """How a model uses tools and answers."""

    stop: Sequence[str]

    @property
    def instead(self) -> Form | None:
        """The form to go over to where the endpoint refuses to be offered tools."""
        ...

    def system(self) -> str:
        """What the model is told of its tools and of how to use them."""
        ...

    def offered(self) -> tuple[ToolSpec, ...]:
        """The tools that go with each request."""
        ...

    def read(self, reply: Reply) -> Turn:
        """What a reply asks for: at least one use that can be done.

        Raises:
            Unreadable: it asks for nothing that can be done; of a kind of `NO_USE` if it does not
                even try.
        """
        ...

    def result(self, use: Use, text: str) -> Message:
        """What came of a use, as the model is told it."""
        ...

    def final(self) -> str:
        """What the model is told when it has to answer at once."""
        ...

    def read_final(self, reply: Reply) -> ParsedAnswer:
        """The answer in a reply to that; its text is empty if there is none."""
        ...


class _ToolsRefused(Exception):
    """The endpoint does not take tools; the talk goes on in another form."""

    def __init__(self, instead: Form) -> None:
        super().__init__("the endpoint does not take tools")
        self.instead = instead


@dataclass
class Talk:
    """One episode's conversation."""

    form: Form
    messages: list[Message]
    waiting: Use | None = None  # what was last done, its result not yet told
    seen: list[str] = field(default_factory=list)  # texts of observations


class ToolAgent(ModelAgent):
    """A model with tools. Subclasses say in which form, by `form`.

    A reply that asks for nothing that can be done is answered by what is wrong with it, at most
    ``repairs`` times in a row: that takes no step of the environment. After that, and on the last
    step, the model is asked for its answer at once.

    For whoever builds on it: `begin` opens the conversation, `work` runs until the model answers,
    `say` tells it something more, after which `work` may be called again; `last_word` asks for the
    answer without any further step.
    """

    def __init__(
        self,
        llm: Mapping[str, Any] | LLM,
        *,
        repairs: int = REPAIRS,
        ranking: Ranking = "words",
    ) -> None:
        """``ranking`` is how searches rank; other than ``words`` it needs a retriever.

        Raises:
            ValueError: ``repairs`` is less than 0.
        """
        if repairs < 0:
            raise ValueError(f"repairs is at least 0, not {repairs}")
        super().__init__(llm)
        self._repairs = repairs
        self._ranking: Ranking = ranking
        self._talk: Talk | None = None

    def form(self, tools: frozenset[str]) -> Form:
        """The form in which the model uses ``tools``."""
        raise NotImplementedError

    @property
    def talk(self) -> Talk:
        """The conversation of the episode under way."""
        if self._talk is None:
            raise RuntimeError("there is no conversation before begin()")
        return self._talk

    def play(self, task: TaskView, tools: frozenset[str], welcome: Observation) -> Play:
        """Use tools until the model answers."""
        self.begin(task, tools, welcome)
        if welcome["steps_left"] <= 1:
            return self.last_word()
        return (yield from self.work())

    def conclude(self, observation: Observation) -> Answer:
        """The model's answer by what it has seen."""
        self._take(observation)
        return self.last_word()

    # --- what it is made of ---

    def begin(self, task: TaskView, tools: frozenset[str], welcome: Observation) -> None:
        """Open the conversation of an episode."""
        form = self.form(tools)
        if form.instead is not None and not self.llm.takes_tools:
            form = form.instead
        asked = fill(
            "terminal_question",
            question=task.question,
            welcome=welcome["text"],
            steps=welcome["steps_left"],
        )
        messages = [
            Message("system", form.system(), pinned=True),
            Message("user", asked, pinned=True),
        ]
        self._talk = Talk(form, messages, seen=[welcome["text"]])

    def work(self) -> Play:
        """Do what the model wants until it answers."""
        while True:
            turn = self._turn()
            if turn is None:
                return self.last_word()
            talk = self.talk
            talk.messages.append(turn.message)
            for use in turn.uses:
                for fault in use.faults:
                    self.llm.fault(*fault)
                if use.problem is not None:
                    self.llm.fault(use.problem.kind, use.problem.detail)
                    talk.messages.append(talk.form.result(use, f"error: {use.problem.remedy}"))
                elif isinstance(use.action, Answer):
                    talk.waiting = use  # `say` is the result of an answer that is not accepted
                    return self._checked(use.action)
                elif use.action is not None:
                    talk.waiting = use
                    observation = yield use.action
                    self._take(observation)

    def say(self, text: str) -> None:
        """Tell the model ``text``: as the result of its answer, if that is what it last gave."""
        talk = self.talk
        use, talk.waiting = talk.waiting, None
        talk.messages.append(Message("user", text) if use is None else talk.form.result(use, text))

    def last_word(self) -> Answer:
        """The model's answer without any further step; the abstention if it gives none.

        Words that are in no form at all are taken for the answer if nothing better comes.
        """
        form, spoken = self.talk.form, ""

        def read(reply: Reply) -> ParsedAnswer:
            nonlocal spoken
            parsed = form.read_final(reply)
            if not parsed.text:
                if _is_words(form, reply):
                    spoken = parse_answer(reply.text).text or spoken
                seen = f"no answer in {reply.text[:_SHOWN]!r}"
                raise Unreadable("malformed", seen, form.final())
            return parsed

        asked = [*self.talk.messages, Message("user", form.final(), pinned=True)]
        only_answer = tool_specs({"answer"}) if form.offered() else ()
        parsed = self.ask_until(read, asked, repairs=self._repairs, tools=only_answer)
        if parsed is None:
            return Answer(text=spoken or ABSTENTION)
        for fault in parsed.faults:
            self.llm.fault(*fault)
        return self._checked(parsed.action())

    # --- inside ---

    def _turn(self) -> Turn | None:
        """What the model wants done; None if it does not manage to say so."""
        talk = self.talk
        try:
            turn = self.ask_until(
                self._read,
                talk.messages,
                repairs=self._repairs,
                tools=talk.form.offered(),
                stop=talk.form.stop,
            )
        except _ToolsRefused as refused:
            talk.form = refused.instead
            talk.messages[0] = Message("system", talk.form.system(), pinned=True)
            return self._turn()
        if turn is not None:
            self.llm.think(turn.thought)
            for fault in turn.faults:
                self.llm.fault(*fault)
        return turn

    def _read(self, reply: Reply) -> Turn:
        form = self.talk.form
        if form.instead is not None and not self.llm.takes_tools:
            raise _ToolsRefused(form.instead)  # nor did the model see them when it said this
        return form.read(reply)

    def _take(self, observation: Observation) -> None:
        """Put what came of the last use into the conversation."""
        talk = self.talk
        use, talk.waiting = talk.waiting, None
        if use is None:
            return
        talk.seen.append(observation["text"])
        text = observation["text"] or "(nothing came back)"
        left = observation["steps_left"]
        if 1 < left <= FEW_STEPS:
            text = f"{text}\n\n[{left} steps left; the last one must be the answer]"
        told = talk.form.result(use, text)
        talk.messages.append(
            Message(told.role, told.text, observation["media"], call_id=told.call_id)
        )

    def _checked(self, answer: Answer) -> Answer:
        """``answer`` as it is; that it cites what never was shown is noted as a fault."""
        for path in dict.fromkeys(cite.path for cite in answer.cites):
            name = PurePosixPath(path).name or path
            if not any(name in text for text in self.talk.seen):
                self.llm.fault("citation", f"never seen: {path[:_SHOWN]!r}")
        return answer


def _is_words(form: Form, reply: Reply) -> bool:
    """Whether a reply only talks, without any attempt at a tool or at an answer in the form."""
    try:
        form.read(reply)
    except Unreadable as problem:
        return problem.kind in NO_USE
    return False


def stated(text: str) -> ParsedAnswer | None:
    """The answer that an object in ``text`` states; None if none does."""
    if find_object(text, "answer", "text", "final_answer") is None:
        return None
    return parse_answer(text)
