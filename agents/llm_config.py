"""How to reach a model, and what to ask of it. Never its key."""

from __future__ import annotations

from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from deskgym.agents.errors import AgentError

# What of a request is the client's own affair, and how keys get into files.
_NOT_EXTRA = frozenset({"model", "messages", "tools", "stream", "n"})
_SECRET = ("api_key", "api-key", "apikey", "authorization")


class ModelUnavailable(AgentError):
    """There is no model to ask: no client, no key, no such model, or it stays out of reach.

    The message names the endpoint and what to do.
    """


class LLMConfig(BaseModel):
    """A model behind an OpenAI-compatible endpoint.

    The key is read from the environment, from the variable that ``api_key_env`` names. It is never
    part of a config, so that a config can be written down; an endpoint of one's own needs none.
    """

    # An error must not quote a key that somebody put in the wrong place.
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    model: str = Field(min_length=1)
    base_url: str | None = Field(default=None, description="None: OpenAI's, or OPENAI_BASE_URL")
    api_key_env: str = Field(default="OPENAI_API_KEY", min_length=1)
    temperature: float = Field(default=0.0, ge=0, le=2)
    max_tokens: int = Field(default=2048, gt=0, description="of one reply")
    timeout_s: float = Field(default=120.0, gt=0, description="of one request")
    retries: int = Field(default=5, ge=0, description="further tries at one request")
    backoff_s: float = Field(default=0.5, ge=0, description="the first wait; doubled each time")
    patience_s: float = Field(
        default=400.0, gt=0, description="no further try after this long over one request"
    )
    context_tokens: int = Field(default=32_000, gt=0, description="of messages, tools and reply")
    price_in: float = Field(default=0.0, ge=0, description="USD per million prompt tokens")
    price_out: float = Field(default=0.0, ge=0, description="USD per million completion tokens")
    images: bool = True
    audio: bool = False
    max_image_side: int = Field(default=1024, ge=16, description="pixels")
    seed: int | None = None
    cassette: str | None = Field(default=None, description="a folder; see agents/cassette.py")
    cassette_mode: Literal["off", "record", "replay", "auto"] = "off"
    extra: dict[str, Any] = Field(default={}, description="more of the request's body, as it is")

    @field_validator("base_url")
    @classmethod
    def _is_an_address(cls, url: str | None) -> str | None:
        if url is None:
            return None
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise ValueError("must begin with http:// or https:// and name a host")
        if "@" in parts.netloc:
            raise ValueError("must hold no user or password: name the key's variable (api_key_env)")
        return url

    @field_validator("extra")
    @classmethod
    def _is_the_users(cls, extra: dict[str, Any]) -> dict[str, Any]:
        if own := sorted(_NOT_EXTRA & set(extra)):
            raise ValueError(f"must not set {', '.join(own)}: the client does")
        if any(name.lower() in _SECRET for name in extra):
            raise ValueError("must hold no key: name the key's variable (api_key_env)")
        return extra

    @model_validator(mode="after")
    def _fits_together(self) -> LLMConfig:
        if self.max_tokens >= self.context_tokens:
            raise ValueError(
                f"context_tokens ({self.context_tokens}) must exceed max_tokens "
                f"({self.max_tokens}): the reply takes its room from it"
            )
        if self.cassette_mode != "off" and self.cassette is None:
            raise ValueError(f"cassette_mode {self.cassette_mode!r} needs a folder: set cassette")
        return self
