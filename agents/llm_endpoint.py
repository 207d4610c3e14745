"""One request to an OpenAI-compatible endpoint, what its failures mean, what endpoints disagree on.

`deskgym.tasks.scoring.judge_endpoint` does the same for a judge, who needs much less: no pictures,
no tools, temperature 0 or nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from deskgym.agents.llm_config import LLMConfig, ModelUnavailable
from deskgym.agents.llm_wire import Takes, clean, tools_to_wire
from deskgym.agents.messages import ToolSpec
from deskgym.tasks.scoring.judge_endpoint import retry_after

if TYPE_CHECKING:
    from openai import APIStatusError, OpenAI

_TRY_AGAIN = (408, 409, 425, 429)
_CHECK = {
    401: "check the API key in the variable {key}",
    402: "the account cannot pay for it; add credit, or take another key or model",
    403: "the key in {key} may not use this model; check its rights and the model's name",
    404: "check the model's name and the base URL (most end in /v1)",
}
_TOO_LONG = (
    "context length", "context_length", "maximum context", "context size", "context window",
    "exceed_context", "too many tokens", "prompt is too long", "reduce the length",
)  # fmt: skip
_NO_MODEL = ("model_not_found", "invalid_model", "not a valid model", "model not found")
_MAX_MESSAGE = 300
_PLACEHOLDER = "none"  # the client insists on a key, an endpoint of one's own does not


class Again(RuntimeError):
    """It failed for now. ``kind`` is the fault's; ``wait_s`` what the endpoint asks to wait, if it
    does; ``refused``: nothing listens there."""

    def __init__(
        self, kind: str, detail: str, *, wait_s: float | None = None, refused: bool = False
    ) -> None:
        super().__init__(detail)
        self.kind = kind
        self.wait_s = wait_s
        self.refused = refused


class TooLong(RuntimeError):
    """The conversation does not fit into the model's context."""


class Unwelcome(RuntimeError):
    """Status 400, 422 or the like: something about the request is not to the endpoint's liking.

    ``param`` is the parameter that it names, if it does; ``filtered``: it is the contents.
    """

    def __init__(self, message: str, param: str | None = None, *, filtered: bool = False) -> None:
        super().__init__(message)
        self.param = param
        self.filtered = filtered


@dataclass(frozen=True)
class Options:
    """What endpoints disagree on: what is sent as long as they do not refuse it."""

    cap: str | None = "max_tokens"
    json_mode: bool = True
    temperature: bool = True
    stop: bool = True
    seed: bool = True
    takes: Takes = field(default_factory=Takes)


@dataclass(frozen=True)
class Asked:
    """What a request asks for besides the messages."""

    tools: Sequence[ToolSpec] = ()
    json_mode: bool = False
    stop: Sequence[str] = ()
    max_tokens: int = 2048


class ChatEndpoint:
    """The endpoint of a config. Its client is made when it is first needed."""

    def __init__(self, config: LLMConfig) -> None:
        self._config = config
        self._key = os.environ.get(config.api_key_env, "").strip()
        self._client: OpenAI | None = None

    @property
    def address(self) -> str:
        """Where it is, without what may be secret."""
        url = (
            self._config.base_url
            or os.environ.get("OPENAI_BASE_URL")
            or "https://api.openai.com/v1"
        )
        parts = urlsplit(url)
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))

    def post(self, messages: list[dict[str, Any]], asked: Asked, options: Options) -> Any:
        """The response's body, decoded.

        Raises:
            Again, TooLong, Unwelcome: no answer to this request.
            ModelUnavailable: there will be none to any request.
        """
        client = self._connected()
        import openai

        arguments = self._arguments(messages, asked, options)
        try:
            response = client.chat.completions.with_raw_response.create(**arguments)
        except openai.APITimeoutError:
            raise Again("timeout", f"no answer within {self._config.timeout_s:g} s") from None
        except openai.APIConnectionError as error:
            raise self._broken(error) from None
        except openai.APIStatusError as error:
            raise self._meaning(error) from None  # the original may quote the key
        try:
            # Bytes that are no UTF-8 are the model's bad luck, not ours.
            return json.loads(response.content.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            raise Again("bad_response", "the body is no JSON, or breaks off") from None

    def _arguments(
        self, messages: list[dict[str, Any]], asked: Asked, options: Options
    ) -> dict[str, Any]:
        config = self._config
        arguments: dict[str, Any] = {"model": config.model, "messages": messages}
        if options.temperature:
            arguments["temperature"] = config.temperature
        if options.cap is not None:
            arguments[options.cap] = asked.max_tokens
        if options.seed and config.seed is not None:
            arguments["seed"] = config.seed
        if options.stop and asked.stop:
            arguments["stop"] = list(asked.stop)
        if options.json_mode and asked.json_mode:
            arguments["response_format"] = {"type": "json_object"}
        if options.takes.tools and asked.tools:
            arguments["tools"] = tools_to_wire(asked.tools)
        if config.extra:
            arguments["extra_body"] = config.extra
        return arguments

    def _connected(self) -> OpenAI:
        if self._client is None:
            self._client = self._make_client()
        return self._client

    def _make_client(self) -> OpenAI:
        try:
            import openai
        except ImportError as error:
            raise ModelUnavailable(
                "asking a model needs the openai client: pip install 'deskgym[agents]'"
            ) from error
        url = self._config.base_url or os.environ.get("OPENAI_BASE_URL")
        if not self._key and not url:
            raise ModelUnavailable(
                f"no API key: set {self._config.api_key_env}, or name an endpoint of your own as "
                "base_url"
            )
        key = self._key or _PLACEHOLDER
        query, headers = {}, {}
        if url:
            parts = urlsplit(url)
            # Azure's addresses carry api-version, which belongs behind the path of each request.
            query = dict(parse_qsl(parts.query))
            url = urlunsplit((parts.scheme, parts.netloc, parts.path, "", ""))
            if (parts.hostname or "").endswith(".azure.com"):
                headers = {"api-key": key}
        try:
            # Trying again is the caller's affair, who keeps books of it.
            return openai.OpenAI(
                api_key=key,
                base_url=url,
                timeout=self._config.timeout_s,
                max_retries=0,
                default_query=query,
                default_headers=headers,
            )
        except openai.OpenAIError as error:
            raise ModelUnavailable(f"the client cannot be made: {self._short(error)}") from None

    def _broken(self, error: Exception) -> Again:
        cause = error.__cause__
        detail = self._short(cause or error)
        # The client's HTTP library is its own affair: what it calls the error is all we go by.
        return Again("connection", detail, refused=type(cause).__name__ == "ConnectError")

    def _meaning(self, error: APIStatusError) -> Exception:
        status, said = error.status_code, self._short(error)
        code, param = (getattr(error, name, None) for name in ("code", "param"))
        low = f"{error} {code}".lower()
        if status == 413 or (status in (400, 422, 500) and any(sign in low for sign in _TOO_LONG)):
            return TooLong(said)
        if status in _CHECK or (status < 500 and any(sign in low for sign in _NO_MODEL)):
            return self.unavailable(
                f"refuses it (status {status})", _CHECK.get(status, _CHECK[404]), said
            )
        if code == "insufficient_quota":
            return self.unavailable(f"refuses it (status {status})", _CHECK[402], said)
        # Some servers answer 500 to what they cannot do at all.
        if status in (400, 422) or (status == 500 and _is_about_request(low)):
            filtered = "content_filter" in low or "content management policy" in low
            return Unwelcome(said, param if isinstance(param, str) else None, filtered=filtered)
        if status in _TRY_AGAIN or status >= 500:
            kind = {429: "rate_limited", 408: "timeout"}.get(status, "server_error")
            wait = retry_after(error.response.headers, datetime.now(UTC))
            return Again(
                kind, said if str(status) in said else f"status {status}: {said}", wait_s=wait
            )
        return self.unavailable(f"refuses it (status {status})", _CHECK[404], said)

    def unavailable(self, what: str, remedy: str, said: str) -> ModelUnavailable:
        """The error that tells of ``what`` the endpoint does, with the ``remedy``."""
        remedy = remedy.format(key=self._config.api_key_env)
        return ModelUnavailable(
            f"model {self._config.model!r} at {self.address}: the endpoint {what}: {remedy}. "
            f"It says: {said}"
        )

    def _short(self, error: BaseException) -> str:
        text = " ".join((clean(str(error)) or type(error).__name__).split())
        if self._key:
            text = text.replace(self._key, "[key]")
        return text if len(text) <= _MAX_MESSAGE else f"{text[: _MAX_MESSAGE - 1]}…"


def simpler(options: Options, asked: Asked, error: Unwelcome) -> tuple[Options, str] | None:
    """What to send after a refusal, and what is left off; None if nothing can be given up.

    What the endpoint names goes first; if it names nothing, what most often is the matter.
    """
    low, takes = f"{error.param or ''} {error}".lower(), options.takes
    named = (
        ("max_completion_tokens" in low and options.cap == "max_tokens",
         replace(options, cap="max_completion_tokens"), "max_tokens"),
        ("max_tokens" in low and options.cap == "max_tokens",
         replace(options, cap="max_completion_tokens"), "max_tokens"),
        ("max_completion_tokens" in low and options.cap == "max_completion_tokens",
         replace(options, cap=None), "max_completion_tokens"),
        (("response_format" in low or "json_object" in low) and _json(options, asked),
         replace(options, json_mode=False), "response_format"),
        ("temperature" in low and options.temperature,
         replace(options, temperature=False), "temperature"),
        ("seed" in low and options.seed, replace(options, seed=False), "seed"),
        ("stop" in low and options.stop and bool(asked.stop),
         replace(options, stop=False), "stop"),
        ("system" in low and "role" in low and takes.system,
         replace(options, takes=replace(takes, system=False)), "the role of the system"),
        (("tool" in low or "function" in low) and takes.tools and bool(asked.tools),
         replace(options, takes=replace(takes, tools=False)), "tools"),
        (("image" in low or "vision" in low or "multimodal" in low) and takes.images,
         replace(options, takes=replace(takes, images=False)), "images"),
        ("audio" in low and takes.audio,
         replace(options, takes=replace(takes, audio=False)), "audio"),
        (_json(options, asked), replace(options, json_mode=False), "response_format"),
        (takes.tools and bool(asked.tools),
         replace(options, takes=replace(takes, tools=False)), "tools"),
    )  # fmt: skip
    return next(((better, what) for applies, better, what in named if applies), None)


def _json(options: Options, asked: Asked) -> bool:
    return options.json_mode and asked.json_mode


def _is_about_request(low: str) -> bool:
    signs = ("image input is not supported", "audio input is not supported", "system role not")
    return any(sign in low for sign in signs) or ("tools" in low and "--jinja" in low)
