"""What was taken of a model, and how much room there is for more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from deskgym.agents.context import (
    IMAGE_TOKENS,
    MESSAGE_TOKENS,
    message_tokens,
    text_tokens,
    tools_tokens,
)
from deskgym.agents.llm_config import LLMConfig
from deskgym.agents.llm_wire import clean, usage_of
from deskgym.agents.messages import Message, ToolSpec
from deskgym.env.trajectory import ModelUse

MAX_FAULT = 200
MAX_THOUGHT = 8_000

_PIXELS_PER_TOKEN = 750  # of the models that count pictures by their area
_MARGIN = 1.05
_SCALES = (0.5, 4.0)  # what an endpoint may be believed
_LEARN_FROM = 256  # tokens: of less, most is the template's
_RESERVE = 64  # tokens that a template may add
_TOO_LONG_STEP = 1.6


class Books:
    """Calls, tokens, cost, waiting, faults and thoughts since they were last taken."""

    def __init__(self, config: LLMConfig) -> None:
        self._config = config
        self._use = ModelUse()
        self._told_no_usage = False

    def start_episode(self) -> None:
        """From now on it is news again that the endpoint does not count."""
        self._told_no_usage = False

    def take(self) -> ModelUse:
        """What was added since this was last called."""
        use, self._use = self._use, ModelUse()
        return use

    def add(self, use: ModelUse) -> None:
        self._use += use

    def waited(self, seconds: float) -> None:
        self.add(ModelUse(seconds=seconds))

    def fault(self, kind: str, detail: str = "") -> None:
        """``kind`` is a word, ``detail`` what was seen: kept in one line, cut if long."""
        seen = " ".join(clean(detail).split())
        seen = seen if len(seen) <= MAX_FAULT else f"{seen[: MAX_FAULT - 1]}…"
        self.add(ModelUse(faults=(f"{kind}: {seen}" if seen else kind,)))

    def think(self, text: str) -> None:
        if text := clean(text).strip():
            self.add(ModelUse(thought=text[:MAX_THOUGHT]))

    def count(self, body: Any, prompt: int, completion: int) -> None:
        """One answer, by the endpoint's count; by those given where it does not count."""
        usage = usage_of(body)
        if (usage.prompt is None or usage.completion is None) and not self._told_no_usage:
            self.fault("no_usage", "the endpoint does not count tokens; they are estimated")
            self._told_no_usage = True
        prompt = prompt if usage.prompt is None else usage.prompt
        completion = completion if usage.completion is None else usage.completion
        cost = (prompt * self._config.price_in + completion * self._config.price_out) / 1e6
        self.add(
            ModelUse(calls=1, prompt_tokens=prompt, completion_tokens=completion, cost_usd=cost)
        )


class Room:
    """The context of a model, by estimates that follow what its endpoint counts.

    ``scale`` is tokens as counted there per token as estimated here: 1 until something is known,
    then the highest ratio seen, with a margin. It is learnt anew in each episode, so that what an
    agent does in one does not depend on which came before.
    """

    def __init__(self, config: LLMConfig) -> None:
        self._config = config
        self._image_tokens = max(IMAGE_TOKENS, config.max_image_side**2 // _PIXELS_PER_TOKEN)
        self.scale: float | None = None

    def tokens(self, text: str) -> int:
        """About how many tokens ``text`` is, as counted there."""
        return round(text_tokens(text) * (self.scale or 1.0))

    def left(self, messages: Sequence[Message], tools: Sequence[ToolSpec], reply: int) -> int:
        """How many tokens, as counted there, one more message may have."""
        used = sum(map(self.estimate, messages)) + MESSAGE_TOKENS
        return round(max(0, self.limit(tools, reply) - used) * (self.scale or 1.0))

    def limit(self, tools: Sequence[ToolSpec], reply: int) -> int:
        """What messages may take, beside ``tools`` and a reply of so many tokens, as estimated."""
        left = self._config.context_tokens - reply - _RESERVE
        return max(0, int(left / (self.scale or 1.0)) - tools_tokens(tools))

    def estimate(self, message: Message) -> int:
        """What ``message`` takes."""
        if not self._config.images:
            message = replace(
                message,
                media=tuple(m for m in message.media if not m.mime.startswith("image/")),
            )
        return message_tokens(message, self._image_tokens)

    def learn(
        self, counted: int | None, messages: Sequence[Message], tools: Sequence[ToolSpec]
    ) -> None:
        """Go by what the endpoint counted of ``messages`` and ``tools``, once that is much."""
        estimated = sum(map(self.estimate, messages)) + tools_tokens(tools)
        if counted is None or estimated < _LEARN_FROM:
            return
        low, high = _SCALES
        scale = min(high, max(low, _MARGIN * counted / estimated))
        self.scale = scale if self.scale is None else max(self.scale, scale)

    def too_long(self) -> None:
        """The endpoint says that what should fit does not."""
        self.scale = (self.scale or 1.0) * _TOO_LONG_STEP
