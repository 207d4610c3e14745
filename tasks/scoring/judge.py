"""A language model that says whether answers are right.

It sees the question, the gold answer and the prediction, and no more. What it says is a
`JudgeVerdict`; what could not be had from it is one too, ``unscored``, and never counts as wrong.
"""

from __future__ import annotations

import queue
import random
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self

from deskgym.tasks.scoring.judge_cache import JudgeCache, default_cache, key_of
from deskgym.tasks.scoring.judge_endpoint import Again, Completion, Endpoint, Refused
from deskgym.tasks.scoring.judge_rubric import (
    RUBRICS,
    BadReply,
    JudgeError,
    JudgeItem,
    Reply,
    Rubric,
    fields_of,
    messages,
    parse_reply,
)
from deskgym.tasks.scoring.models import JudgeVerdict

if TYPE_CHECKING:
    from openai import OpenAI

__all__ = ["RUBRICS", "Judge", "JudgeError", "JudgeItem", "JudgeUsage", "Patience", "Rubric"]

Progress = Callable[[int, int], None]
"""Is told how many answers are done, and of how many."""


@dataclass(frozen=True)
class JudgeUsage:
    """What judging took so far.

    ``calls``: requests sent; ``retries``: those of them that repeat one; ``cached``: answers whose
    verdict was known already.
    """

    calls: int = 0
    cached: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    retries: int = 0

    def cost(self, price_in: float, price_out: float) -> float:
        """The cost in USD, at so many USD per million tokens read and written."""
        return (self.prompt_tokens * price_in + self.completion_tokens * price_out) / 1e6


@dataclass(frozen=True)
class Patience:
    """How long a judge waits before it asks again.

    Before retry ``n`` (from 0) it waits between half of ``first_s * 2**n`` and the whole of it, at
    most ``longest_s``, and never less than the endpoint asks for (``Retry-After``). An endpoint
    that asks for more than ``longest_s`` is not waited for: the answer is left unscored.
    """

    first_s: float = 1.0
    longest_s: float = 60.0

    def wait_s(self, retry: int, asked_s: float, chance: float) -> float | None:
        """Seconds to wait; None: too long. ``chance``, in [0, 1), spreads the waits."""
        if asked_s > self.longest_s:
            return None
        whole = min(self.longest_s, self.first_s * 2.0 ** min(retry, 30))
        return max(asked_s, whole * (1 + chance) / 2)


class Judge:
    """A judge behind an OpenAI-compatible endpoint. A context manager."""

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        rubric: Rubric = "graded",
        cache: Path | Literal["default"] | None = "default",
        concurrency: int = 8,
        timeout_s: float = 60.0,
        max_tokens: int = 2_000,
        retries: int = 4,
        patience: Patience | None = None,
        seed: int = 0,
        client: OpenAI | None = None,
    ) -> None:
        """A judge that has asked nothing yet.

        Args:
            model: the model's name, as the endpoint knows it.
            base_url: the endpoint's; the client's own default if left out.
            api_key: else ``OPENAI_API_KEY``; an endpoint given by ``base_url`` may need none.
            rubric: ``graded`` or ``strict``.
            cache: the folder of verdicts (`judge_cache.default_cache`), or None to keep none.
            concurrency: requests at a time.
            timeout_s: how long to wait for an answer.
            max_tokens: the longest reply, with what a model thinks before it.
            retries: how often an answer is asked for again.
            patience: how long to wait in between.
            seed: of the spread of these waits.
            client: to be used in place of one made from the above.

        Raises:
            ValueError: a number or the rubric is none that can be.
            JudgeError: the client is not installed, or there is no key.
        """
        if rubric not in RUBRICS:
            raise ValueError(f"no rubric {rubric!r}; there are {', '.join(RUBRICS)}")
        if concurrency < 1 or retries < 0 or timeout_s <= 0 or max_tokens < 1:
            raise ValueError("concurrency, timeout_s and max_tokens are above 0, retries from 0")
        self.model = model
        self.rubric: Rubric = rubric
        self._endpoint = Endpoint(
            model,
            base_url=base_url,
            api_key=api_key,
            timeout_s=timeout_s,
            max_tokens=max_tokens,
            client=client,
        )
        folder = default_cache() if cache == "default" else cache
        self._cache = JudgeCache(folder) if folder is not None else None
        self._concurrency = concurrency
        self._retries = retries
        self._patience = patience or Patience()
        self._chance = random.Random(seed)
        self._usage = JudgeUsage()
        self._lock = threading.Lock()

    @property
    def usage(self) -> JudgeUsage:
        """What it took so far, over all calls of `verdicts`."""
        with self._lock:
            return replace(self._usage, calls=self._endpoint.calls)

    def verdicts(
        self, items: Iterable[JudgeItem], progress: Progress | None = None
    ) -> list[JudgeVerdict]:
        """A verdict for each of ``items``, in their order.

        A blank answer is wrong (grade 0) without asking. Equal items are asked once. Verdicts are
        kept as they come, so that after Ctrl-C or an error the same call goes on where it was.
        ``progress`` is called in this thread.

        Raises:
            JudgeError: the endpoint refuses the key or the model, cannot be reached at all, or
                the cache cannot be written.
        """
        wanted = list(items)
        done: dict[int, JudgeVerdict] = {}
        pending: dict[str, list[int]] = {}
        fields: dict[str, dict[str, str]] = {}
        for index, item in enumerate(wanted):
            if item.blank:
                grade = 0 if self.rubric == "graded" else None
                done[index] = self._scored(Reply(correct=False, grade=grade, reason="no answer"))
                continue
            texts = fields_of(item)
            key = key_of(self.model, self.rubric, texts)
            known = self._cache.get(key) if self._cache and key not in pending else None
            if known:
                done[index] = self._known(known)
            else:
                pending.setdefault(key, []).append(index)
                fields[key] = texts

        def note(key: str, verdict: JudgeVerdict) -> None:
            first, *equal = pending[key]
            done[first] = verdict
            for index in equal:
                done[index] = self._same(verdict)
            if progress:
                progress(len(done), len(wanted))

        if progress:
            progress(len(done), len(wanted))
        self._ask_all(fields, note)
        return [done[index] for index in range(len(wanted))]

    def close(self) -> None:
        """Close the connections. Harmless if repeated."""
        self._endpoint.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _ask_all(
        self, wanted: Mapping[str, dict[str, str]], note: Callable[[str, JudgeVerdict], None]
    ) -> None:
        """Ask for all of ``wanted``, some at a time; ``note`` is called in this thread."""
        todo: queue.SimpleQueue[tuple[str, dict[str, str]]] = queue.SimpleQueue()
        for pair in wanted.items():
            todo.put(pair)
        answers: queue.SimpleQueue[tuple[str, JudgeVerdict] | BaseException] = queue.SimpleQueue()
        stop = threading.Event()

        def work() -> None:
            while not stop.is_set():
                try:
                    key, texts = todo.get_nowait()
                except queue.Empty:
                    return
                try:
                    answers.put((key, self._ask(key, texts, stop)))
                except BaseException as error:  # noqa: BLE001  # it is raised where it is waited for
                    answers.put(error)

        # Daemons: after Ctrl-C nobody waits for requests under way.
        for _ in range(min(self._concurrency, len(wanted))):
            threading.Thread(target=work, name="judge", daemon=True).start()
        try:
            for _ in range(len(wanted)):
                answer = answers.get()
                if isinstance(answer, BaseException):
                    raise answer
                note(*answer)
        finally:
            stop.set()

    def _ask(self, key: str, texts: dict[str, str], stop: threading.Event) -> JudgeVerdict:
        """The verdict, after as many tries as it takes or are allowed."""
        spent = _Tokens()
        fault: str | None = None
        for retry in range(self._retries + 1):
            last = retry == self._retries
            try:
                reply = self._try(texts, fault, spent)
            except BadReply as error:
                fault = str(error)
                failure, wait = f"the reply is no verdict: {fault}", 0.0
            except Refused as error:
                return self._unscored(str(error), spent)
            except Again as error:
                if last and error.unreachable and not self._endpoint.heard:
                    raise JudgeError(
                        f"the judge's endpoint {self._endpoint.address} cannot be reached: "
                        f"{error}; check the base URL, and that it is running"
                    ) from error
                failure = str(error)
                asked = self._wait_s(retry, error.wait_s)
                if asked is None:
                    return self._unscored(
                        f"{failure} (it asks to wait {error.wait_s:.0f} s)", spent
                    )
                wait = asked
            else:
                if self._cache:
                    self._cache.put(key, self.model, self.rubric, reply)
                return self._scored(reply, spent)
            if last or stop.wait(wait):
                break
            self._add(retries=1)
        return self._unscored(f"{failure} (tried {retry + 1} times)", spent)

    def _try(self, texts: dict[str, str], fault: str | None, spent: _Tokens) -> Reply:
        completion = self._endpoint.ask(messages(self.rubric, texts, fault))
        self._add(
            prompt_tokens=completion.prompt_tokens, completion_tokens=completion.completion_tokens
        )
        spent.add(completion)
        if completion.cut:
            raise BadReply("it is too long, and was cut off")
        return parse_reply(completion.text, self.rubric)

    def _wait_s(self, retry: int, asked_s: float) -> float | None:
        with self._lock:
            chance = self._chance.random()
        return self._patience.wait_s(retry, asked_s, chance)

    def _scored(self, reply: Reply, spent: _Tokens | None = None) -> JudgeVerdict:
        return JudgeVerdict(
            status="scored",
            rubric=self.rubric,
            model=self.model,
            correct=reply.correct,
            grade=reply.grade,
            reason=reply.reason,
            prompt_tokens=spent.read if spent else 0,
            completion_tokens=spent.written if spent else 0,
        )

    def _unscored(self, error: str, spent: _Tokens) -> JudgeVerdict:
        return JudgeVerdict(
            status="unscored",
            rubric=self.rubric,
            model=self.model,
            error=error,
            prompt_tokens=spent.read,
            completion_tokens=spent.written,
        )

    def _known(self, reply: Reply) -> JudgeVerdict:
        self._add(cached=1)
        return self._scored(reply).model_copy(update={"cached": True})

    def _same(self, verdict: JudgeVerdict) -> JudgeVerdict:
        """The verdict on an item that is equal to one that was asked."""
        scored = verdict.status == "scored"
        self._add(cached=int(scored))
        free = {"cached": scored, "prompt_tokens": 0, "completion_tokens": 0}
        return verdict.model_copy(update=free)

    def _add(self, **counts: int) -> None:
        with self._lock:
            before = self._usage
            self._usage = replace(
                before, **{name: getattr(before, name) + n for name, n in counts.items()}
            )


class _Tokens:
    """Tokens that one verdict took, over all tries."""

    def __init__(self) -> None:
        self.read = 0
        self.written = 0

    def add(self, completion: Completion) -> None:
        self.read += completion.prompt_tokens
        self.written += completion.completion_tokens
