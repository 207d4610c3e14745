"""One request to an OpenAI-compatible endpoint, and what its failures mean."""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from deskgym.tasks.scoring.judge_rubric import BadReply, JudgeError

if TYPE_CHECKING:
    from openai import APIStatusError, OpenAI

_TRY_AGAIN = (408, 409, 425, 429)
_CHECK = {
    401: "check the API key (argument or OPENAI_API_KEY)",
    402: "the account cannot pay for it; add credit, or take another key or model",
    403: "the key may not use this model; check the key's rights and the model's name",
    404: "check the model's name and the base URL (most end in /v1)",
}
_MAX_MESSAGE = 300


class Again(RuntimeError):
    """It failed for now: worth another try, after ``wait_s`` at least where the endpoint says so.

    ``unreachable``: no connection came about, or it broke.
    """

    def __init__(self, message: str, *, wait_s: float = 0.0, unreachable: bool = False) -> None:
        super().__init__(message)
        self.wait_s = wait_s
        self.unreachable = unreachable


class Refused(RuntimeError):
    """The endpoint will not answer this one request, however often it is asked."""


@dataclass(frozen=True)
class Completion:
    """What the model wrote, and what it took. ``text`` is None if it wrote nothing."""

    text: str | None
    prompt_tokens: int
    completion_tokens: int
    cut: bool


@dataclass(frozen=True)
class _Options:
    """What endpoints disagree on."""

    json_mode: bool = True
    cap: str = "max_tokens"


class Endpoint:
    """A model behind an endpoint. Threads may share it."""

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None,
        api_key: str | None,
        timeout_s: float,
        max_tokens: int,
        client: OpenAI | None = None,
    ) -> None:
        """``client`` is used in place of one made from ``base_url``, ``api_key``, ``timeout_s``.

        Raises:
            JudgeError: the client is not installed, or there is no key where one is needed.
        """
        self.model = model
        self._timeout_s = timeout_s
        self._max_tokens = max_tokens
        self._client = client or _make_client(base_url, api_key, timeout_s)
        self._options = _Options()
        self._lock = threading.Lock()
        self.calls = 0
        self.heard = False
        """Whether anything has ever come back."""

    @property
    def address(self) -> str:
        return str(self._client.base_url)

    def close(self) -> None:
        """Close its connections. Harmless if repeated."""
        self._client.close()

    def ask(self, messages: list[dict[str, str]]) -> Completion:
        """The model's answer at temperature 0, as JSON where the endpoint knows how to ask for it.

        An option that the endpoint refuses (status 400 or 422) is left out, and from then on, if
        the request then goes through.

        Raises:
            Again, Refused, BadReply: no usable answer to this request.
            JudgeError: there will be none to any request.
        """
        with self._lock:
            options = self._options
        while True:
            try:
                completion = self._translated(messages, options)
            except _Unwelcome as error:
                simpler = _simpler(options, error.message)
                if simpler is None:
                    raise error.judged(self.model) from error
                options = simpler
            else:
                with self._lock:
                    self._options = options
                return completion

    def _translated(self, messages: list[dict[str, str]], options: _Options) -> Completion:
        import openai

        with self._lock:
            self.calls += 1
        try:
            response = self._create(messages, options)
        except openai.APITimeoutError as error:
            raise Again(f"no answer within {self._timeout_s:g} s") from error
        except openai.APIConnectionError as error:
            cause = error.__cause__ or error
            raise Again(f"connection failed: {_short(cause)}", unreachable=True) from error
        except openai.APIStatusError as error:
            self._note_heard()
            raise self._meaning(error) from error
        except (openai.APIResponseValidationError, json.JSONDecodeError, UnicodeError) as error:
            self._note_heard()
            raise BadReply("the endpoint sent no chat completion") from error
        self._note_heard()
        return _completion(response)

    def _create(self, messages: list[dict[str, str]], options: _Options) -> Any:
        arguments: dict[str, Any] = {
            "model": self.model,
            "messages": messages,
            "temperature": 0,
            options.cap: self._max_tokens,
        }
        if options.json_mode:
            arguments["response_format"] = {"type": "json_object"}
        return self._client.chat.completions.create(**arguments)

    def _meaning(self, error: APIStatusError) -> Exception:
        status, said = error.status_code, _short(error)
        if status in (400, 422):
            return _Unwelcome(str(error), getattr(error, "param", None))
        if status in _CHECK:
            return JudgeError(
                f"the judge's endpoint {self.address} refuses model {self.model!r} "
                f"(status {status}): {_CHECK[status]}. It says: {said}"
            )
        if getattr(error, "code", None) == "insufficient_quota":
            return JudgeError(f"the judge's endpoint {self.address}: {_CHECK[402]}. {said}")
        if status in _TRY_AGAIN or status >= 500:
            wait = retry_after(error.response.headers, datetime.now(UTC))
            return Again(f"status {status}: {said}", wait_s=wait or 0.0)
        return Refused(f"status {status}: {said}")

    def _note_heard(self) -> None:
        with self._lock:
            self.heard = True


class _Unwelcome(Exception):
    """Status 400 or 422: an option or the texts are not to the endpoint's liking."""

    def __init__(self, message: str, param: str | None) -> None:
        super().__init__(message)
        self.message = message
        self.param = param

    def judged(self, model: str) -> Exception:
        if self.param in ("temperature", "model"):
            return JudgeError(
                f"the judge's endpoint does not take {self.param} as asked (a judge needs "
                f"temperature 0); take another model than {model!r}. It says: {_short(self)}"
            )
        return Refused(f"refused: {_short(self)}")


def _simpler(options: _Options, message: str) -> _Options | None:
    """The options to try after a refusal; None if there is nothing left to give up."""
    if options.cap == "max_tokens" and "max_completion_tokens" in message:
        return replace(options, cap="max_completion_tokens")
    return replace(options, json_mode=False) if options.json_mode else None


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """The seconds that a ``Retry-After`` header asks to wait (RFC 9110, 10.2.3), or None."""
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,9}(?:\.\d*)?", value):
        return float(value)
    try:
        then = parsedate_to_datetime(value)
    except ValueError:
        return None
    then = then if then.tzinfo else then.replace(tzinfo=UTC)
    return max(0.0, (then - now).total_seconds())


def _completion(response: Any) -> Completion:
    usage = getattr(response, "usage", None)
    try:
        choice = response.choices[0]
        text = choice.message.content
    except (AttributeError, IndexError, TypeError) as error:
        raise BadReply("the endpoint sent no chat completion") from error
    return Completion(
        text=text if isinstance(text, str) else None,
        prompt_tokens=_count(usage, "prompt_tokens"),
        completion_tokens=_count(usage, "completion_tokens"),
        cut=choice.finish_reason == "length",
    )


def _count(usage: Any, name: str) -> int:
    """A count of tokens; 0 where the endpoint does not tell."""
    value = getattr(usage, name, None)
    return value if isinstance(value, int) and value > 0 else 0


def _make_client(base_url: str | None, api_key: str | None, timeout_s: float) -> OpenAI:
    try:
        import openai
    except ImportError as error:
        raise JudgeError("a judge needs the openai client: pip install 'deskgym[judge]'") from error
    key = api_key or os.environ.get("OPENAI_API_KEY")
    if not key:
        if not (base_url or os.environ.get("OPENAI_BASE_URL")):
            raise JudgeError(
                "the judge has no API key: set OPENAI_API_KEY, or name an endpoint of your own "
                "by its base URL"
            )
        key = "none"  # the client insists on one, an endpoint on this machine does not
    try:
        # Trying again is the caller's affair.
        return openai.OpenAI(api_key=key, base_url=base_url, timeout=timeout_s, max_retries=0)
    except openai.OpenAIError as error:
        raise JudgeError(f"the judge's client cannot be made: {_short(error)}") from error


def _short(error: BaseException) -> str:
    text = " ".join((str(error) or type(error).__name__).split())
    return text if len(text) <= _MAX_MESSAGE else f"{text[: _MAX_MESSAGE - 1]}…"
