"""A thin client of language models behind OpenAI-compatible endpoints.

It sends a conversation and gives back what the model said, unjudged. What goes wrong on the way is
tried again where that may help and always written into the books, which `LLM.take_use` hands out.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from deskgym.agents.cassette import BadCassette, Cassette, CassetteMiss, Recording, canonical
from deskgym.agents.context import fit, message_tokens
from deskgym.agents.llm_books import Books, Room
from deskgym.agents.llm_config import LLMConfig, ModelUnavailable
from deskgym.agents.llm_endpoint import (
    Again,
    Asked,
    ChatEndpoint,
    Options,
    TooLong,
    Unwelcome,
    simpler,
)
from deskgym.agents.llm_wire import (
    MediaParts,
    Takes,
    reply_of,
    thought_of,
    to_wire,
    usage_of,
)
from deskgym.agents.messages import Message, Reply, ToolCall, ToolSpec
from deskgym.env.trajectory import ModelUse

__all__ = [
    "LLM",
    "BadCassette",
    "CassetteMiss",
    "LLMConfig",
    "Message",
    "ModelUnavailable",
    "Reply",
    "ToolCall",
    "ToolSpec",
]

MAX_WAIT_S = 30.0  # between two tries, unless the endpoint asks for more
MIN_REPLY_CHARS = 16_000
REPLY_CHARS_PER_TOKEN = 8  # more than text has: beyond it, the endpoint ignores max_tokens
_MAX_TOO_LONG = 6


class LLM:
    """A model, with books of what was taken of it. For one thread.

    Waiting is done by ``sleep``, and its jitter drawn from ``rng``.
    """

    def __init__(
        self,
        config: LLMConfig | Mapping[str, Any],
        *,
        sleep: Callable[[float], None] = time.sleep,
        rng: random.Random | None = None,
    ) -> None:
        """
        Raises:
            pydantic.ValidationError: the config is not one; the message names the field.
            BadCassette: there is no cassette where one is to be replayed.
        """
        self.config = config if isinstance(config, LLMConfig) else LLMConfig.model_validate(config)
        self._sleep = sleep
        self._rng = rng or random.Random()
        self._endpoint = ChatEndpoint(self.config)
        self._options = Options(takes=Takes(images=self.config.images, audio=self.config.audio))
        self._parts = MediaParts(self.config.max_image_side)
        self._books = Books(self.config)
        self._room = Room(self.config)
        self._heard = False  # whether it has ever answered
        self._cassette: Cassette | None = None
        if self.config.cassette is not None and self.config.cassette_mode != "off":
            self._cassette = Cassette(self.config.cassette, self.config.cassette_mode)

    def chat(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[ToolSpec] = (),
        json: bool = False,
        stop: Sequence[str] = (),
        max_tokens: int | None = None,
    ) -> Reply:
        """What the model says to ``messages``.

        They are made to fit into the context first (`context.fit`). ``json`` asks for an object,
        where the endpoint knows how to; ``tools``, images and the like are left out, with a fault,
        where it refuses them. The reply may be empty or nonsense, and is cut where it goes on for
        far more than ``max_tokens``. Whatever a reply lacks, this does not raise because of it.

        Raises:
            ModelUnavailable: no answer came, after all tries, or none ever will.
            CassetteMiss, BadCassette: what is to be replayed is not there.
        """
        most = max_tokens or self.config.max_tokens
        asked = Asked(tuple(tools), json, tuple(stop), most)
        if self._cassette is None:
            body = self._ask(messages, asked)
        else:
            body = self._taped(self._cassette, messages, asked)
        return self._read(body, messages, asked)

    def start_episode(self) -> None:
        """Forget what belongs to one episode: what was learnt of the endpoint's count, takes of
        the cassette, pictures kept for sending again."""
        self._parts.clear()
        self._books.start_episode()
        self._room = Room(self.config)
        if self._cassette is not None:
            self._cassette.start_episode()

    # --- books ---

    def take_use(self) -> ModelUse:
        """What was taken of the model since this was last asked."""
        return self._books.take()

    def fault(self, kind: str, detail: str = "") -> None:
        """Write down that something was wrong: ``kind`` is a word, ``detail`` what was seen."""
        self._books.fault(kind, detail)

    def think(self, text: str) -> None:
        """Write down what the model said besides its action. What it says beside tool calls, and
        what an endpoint sends apart as reasoning, is written down already."""
        self._books.think(text)

    # --- what there is ---

    @property
    def takes_tools(self) -> bool:
        """Whether native tool calls work, as far as is known. False once they were refused."""
        return self._options.takes.tools

    def tokens(self, text: str) -> int:
        """About how many tokens ``text`` is to this model, rather too many than too few."""
        return self._room.tokens(text)

    def room(
        self,
        messages: Sequence[Message] = (),
        *,
        tools: Sequence[ToolSpec] = (),
        max_tokens: int | None = None,
    ) -> int:
        """How many tokens, as `tokens` counts, one more message may have before something must be
        left out."""
        return self._room.left(messages, tools, max_tokens or self.config.max_tokens)

    # --- asking ---

    def _taped(self, cassette: Cassette, messages: Sequence[Message], asked: Asked) -> Any:
        besides = {
            "json": asked.json_mode,
            "stop": list(asked.stop),
            "max_tokens": asked.max_tokens,
        }
        request = cassette.take(canonical(self.config, messages, asked.tools, **besides))
        recording = cassette.find(request)
        if recording is not None:
            self._books.add(recording.use)
            self._room.scale = recording.scale
            return recording.response
        before = self._books.take()
        try:
            body = self._ask(messages, asked)
        finally:
            use = self._books.take()
            self._books.add(before + use)
        scale = self._room.scale
        cassette.write(Recording(request=request, response=body, use=use, scale=scale))
        return body

    def _ask(self, messages: Sequence[Message], asked: Asked) -> Any:
        """The body of the response to ``messages``, with whatever the endpoint takes of them."""
        started = time.monotonic()
        options, given_up, too_long = self._options, [], 0
        try:
            while True:
                tools = asked.tools if options.takes.tools else ()
                limit = self._room.limit(tools, asked.max_tokens)
                fitted = fit(messages, limit, self._room.estimate)
                if tools and sum(map(self._room.estimate, fitted)) > limit:
                    # Whoever asked sees that they are off, and may offer them in words.
                    options = replace(options, takes=replace(options.takes, tools=False))
                    given_up.append("tools left off: no room for them in the context")
                    continue
                self._note_lost(messages, fitted)
                wire = to_wire(fitted, options.takes, self._parts)
                try:
                    body = self._insist(wire, asked, options, started)
                except TooLong as error:
                    self.fault("context", f"too long for the model: {error}")
                    too_long += 1
                    if too_long > _MAX_TOO_LONG:
                        return _refusal()
                    self._room.too_long()
                except Unwelcome as error:
                    less = None if error.filtered else simpler(options, asked, error)
                    if less is None:
                        return self._refused(error)
                    options = less[0]
                    given_up.append(f"{less[1]} left off: {error}")
                else:
                    # Given up for good only now that the request has gone through without.
                    for what in given_up:
                        self.fault("unsupported", what)
                    self._options, self._heard = options, True
                    self._room.learn(usage_of(body).prompt, fitted, tools)
                    return body
        finally:
            self._books.waited(time.monotonic() - started)

    def _note_lost(self, messages: Sequence[Message], fitted: Sequence[Message]) -> None:
        if list(fitted) != list(messages):
            lost = sum(len(m.text) for m in messages) - sum(len(m.text) for m in fitted)
            self.fault("context", f"{lost:,} characters left out to fit")

    def _refused(self, error: Unwelcome) -> Any:
        """The endpoint will not answer this request: the agent gets an empty reply.

        If it has never answered any, it is likelier that all will be refused.
        """
        if not self._heard and not error.filtered:
            check = "check the model's name, max_tokens and extra"
            raise self._endpoint.unavailable("refuses the request", check, str(error))
        self.fault("refused", str(error))
        return _refusal()

    def _insist(
        self, wire: list[dict[str, Any]], asked: Asked, options: Options, started: float
    ) -> Any:
        """The body of a response, after as many tries as it takes and may."""
        tries = 0
        while True:
            tries += 1
            body = None
            try:
                body = self._endpoint.post(wire, asked, options)
                if reply_of(body, 1, lambda kind, detail: None) is not None:
                    return body
                trouble = Again("bad_response", "the body is no chat completion")
            except Again as error:
                trouble = error
            wait = self._wait(trouble, tries)
            most = 1 if trouble.refused and not self._heard else self.config.retries
            over = time.monotonic() - started + wait > self.config.patience_s
            if tries <= most and not over:
                if usage_of(body).prompt is not None:
                    self._books.count(body, 0, 0)  # it cost something all the same
                self.fault(trouble.kind, f"{trouble}; waited {wait:.1f} s")
                self._sleep(wait)
                continue
            self.fault(trouble.kind, f"{trouble}; given up after {tries} tries")
            if trouble.kind == "bad_response" and (self._heard or _is_like_a_completion(body)):
                return body
            raise self._endpoint.unavailable(
                f"does not answer, after {tries} tries",
                "check that it runs and can be reached; raise retries or patience_s",
                str(trouble),
            )

    def _wait(self, trouble: Again, tries: int) -> float:
        """Seconds until the next try: as asked for, else half to all of a doubling span."""
        span = min(MAX_WAIT_S, self.config.backoff_s * 2.0 ** (tries - 1))
        wait = span * self._rng.uniform(0.5, 1)
        if trouble.wait_s is None:
            return wait
        # A little later than asked, so that not all come back at once; later still if in vain.
        asked = trouble.wait_s * self._rng.uniform(1, 1.1)
        return asked if tries == 1 else max(asked, wait)

    # --- what came ---

    def _read(self, body: Any, messages: Sequence[Message], asked: Asked) -> Reply:
        cap = max(MIN_REPLY_CHARS, REPLY_CHARS_PER_TOKEN * asked.max_tokens)
        reply = reply_of(body, cap, self.fault)
        if reply is None:
            if usage_of(body).prompt is not None:
                self._books.count(body, 0, 0)
            return Reply(finish="bad_response")
        if reply.finish == "refused":
            return reply
        prompt = min(
            sum(map(self._room.estimate, messages)), self._room.limit(asked.tools, asked.max_tokens)
        )
        self._books.count(body, prompt, message_tokens(reply.as_message()))
        self.think(thought_of(body))
        if reply.calls:
            self.think(reply.text)
        return reply


def _is_like_a_completion(body: Any) -> bool:
    return isinstance(body, dict) and "choices" in body


def _refusal() -> dict[str, Any]:
    return {"choices": [{"message": {"content": ""}, "finish_reason": "refused"}]}
