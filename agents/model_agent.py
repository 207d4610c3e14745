"""What agents that ask a language model have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from deskgym.agents.answers import find_object
from deskgym.agents.base import TaskView
from deskgym.agents.llm import LLM, Message, Reply, ToolSpec
from deskgym.agents.steps import StepAgent
from deskgym.env.trajectory import ModelUse

REPAIRS = 2
_SHOWN = 80

T = TypeVar("T")


class Unreadable(ValueError):
    """A reply is not what was asked for.

    ``kind`` and ``detail`` go into the books; ``remedy`` is what the model is told, so that it can
    do better.
    """

    def __init__(self, kind: str, detail: str, remedy: str) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind = kind
        self.detail = detail
        self.remedy = remedy


class ModelAgent(StepAgent):
    """A `StepAgent` with a model, ``self.llm``, whose books are logged with each step."""

    def __init__(self, llm: Mapping[str, Any] | LLM) -> None:
        """``llm`` is the model or its config (`LLMConfig`)."""
        super().__init__()
        self.llm = llm if isinstance(llm, LLM) else LLM(llm)

    def reset(self, task: TaskView, tools: frozenset[str]) -> None:
        """Forget the last episode."""
        super().reset(task, tools)
        self.llm.start_episode()

    def take_use(self) -> ModelUse:
        """What was taken of the model since this was last asked."""
        return self.llm.take_use()

    def ask(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[ToolSpec] = (),
        json: bool = False,
        stop: Sequence[str] = (),
        max_tokens: int | None = None,
    ) -> Reply:
        """What the model says to ``messages``; see `LLM.chat`. An empty reply is noted as such."""
        reply = self.llm.chat(messages, tools=tools, json=json, stop=stop, max_tokens=max_tokens)
        if not reply.text.strip() and not reply.calls and reply.finish not in _NOTED:
            self.llm.fault("empty", f"finish {reply.finish}")
        return reply

    def ask_until(
        self,
        read: Callable[[Reply], T],
        messages: Sequence[Message],
        *,
        repairs: int = REPAIRS,
        tools: Sequence[ToolSpec] = (),
        json: bool = False,
        stop: Sequence[str] = (),
        max_tokens: int | None = None,
    ) -> T | None:
        """What ``read`` makes of the reply; None if it still cannot after ``repairs`` more.

        ``read`` raises `Unreadable` for a reply that will not do. That is noted as a fault, and the
        model sees its reply and the remedy and is asked again.
        """
        said = list(messages)
        for _ in range(1 + repairs):
            reply = self.ask(said, tools=tools, json=json, stop=stop, max_tokens=max_tokens)
            try:
                return read(reply)
            except Unreadable as error:
                if reply.text.strip() or reply.calls:  # that it is empty is noted already
                    self.llm.fault(error.kind, error.detail)
                # What was asked before, its own words, and what was wrong with them: never more.
                said = [*messages, *corrected(reply, error.remedy)]
        return None

    def ask_text(
        self, messages: Sequence[Message], *, repairs: int = REPAIRS, **how: Any
    ) -> str | None:
        """The text that the model says; None if it says none. ``how`` is as for `ask`."""
        return self.ask_until(_text, messages, repairs=repairs, **how)

    def ask_json(
        self, messages: Sequence[Message], *keys: str, repairs: int = REPAIRS, **how: Any
    ) -> dict[str, Any] | None:
        """The first JSON object with one of ``keys`` that the model says; None if it says none.

        What stands under the keys is not checked. ``how`` is as for `ask`.
        """

        def read(reply: Reply) -> dict[str, Any]:
            found = find_object(reply.text, *keys)
            if found is None:
                wanted = ", ".join(f'"{key}"' for key in keys) or "what was asked for"
                raise Unreadable(
                    "malformed",
                    f"no JSON with {wanted} in {reply.text[:_SHOWN]!r}",
                    f"That was not the JSON object asked for. Reply with one JSON object that "
                    f"holds {wanted}, and nothing else.",
                )
            return found

        return self.ask_until(read, messages, repairs=repairs, json=True, **how)


_NOTED = ("refused", "bad_response")  # the client has put these into the books


def corrected(reply: Reply, remedy: str) -> list[Message]:
    """``reply`` as it is answered by ``remedy``, to each of its calls if it has any."""
    if reply.calls:
        results = [Message("tool", remedy, call_id=call.id) for call in reply.calls]
        return [reply.as_message(), *results]
    if not reply.text.strip():
        return [Message("user", remedy)]
    return [reply.as_message(), Message("user", remedy)]


def _text(reply: Reply) -> str:
    text = reply.text.strip()
    if not text:
        raise Unreadable("empty", f"finish {reply.finish}", "Your reply was empty. Please answer.")
    return text
