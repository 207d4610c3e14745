"""What a server is started with."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, SecretStr

MIB = 1 << 20


class ServerConfig(BaseModel):
    """Settings of `deskgym.env.server.app.create_app`. Times in seconds, sizes in bytes."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    dataset: str = "demo"
    dataset_options: dict[str, Any] = Field(default_factory=dict)
    tools: str | tuple[str, ...] | None = None
    max_steps: int = Field(default=30, ge=1)
    reward: str = "sparse"
    sandbox: str = "auto"
    command_timeout_s: float = Field(default=60.0, gt=0)
    max_output_bytes: int = Field(default=50_000, ge=1)

    max_sessions: int = Field(default=16, ge=1, description="desks at a time")
    idle_timeout_s: float = Field(default=300.0, gt=0, description="of a session, between messages")
    lease_s: float = Field(default=3_600.0, gt=0, description="the most that a session may live")
    drain_s: float = Field(default=30.0, ge=0, description="what episodes get on SIGTERM")

    tokens: tuple[SecretStr, ...] = Field(default=(), description="none: whoever reaches it may")
    admin_tokens: tuple[SecretStr, ...] = Field(default=(), description="may see gold too")
    allowed_hosts: tuple[str, ...] | None = Field(
        default=("127.0.0.1", "localhost", "::1"),
        description=(
            "the names by which it may be addressed where there are no tokens, so that no web page "
            "reaches it by a name of its own; None for any"
        ),
    )

    max_message_bytes: int = Field(default=MIB, ge=1_024, description="of a request or message")
    body_timeout_s: float = Field(default=15.0, gt=0, description="for a request to arrive whole")
    send_timeout_s: float = Field(default=60.0, gt=0, description="for an answer to be taken")
    ping_interval_s: float = Field(default=20.0, gt=0)
    ping_timeout_s: float = Field(default=20.0, gt=0, description="then a socket is half-open")
