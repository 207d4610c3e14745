"""What a desk may use, and what it is sealed off from."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

MIB = 1 << 20


class DeskLimits(BaseModel):
    """The caps of one desk. Sizes in bytes; the writable folders lie in memory and count to it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    memory: int = Field(default=1024 * MIB, ge=64 * MIB)
    pids: int = Field(default=256, ge=16)
    cpus: float = Field(default=2.0, gt=0)
    scratch: int = Field(default=256 * MIB, ge=MIB)
    tmp: int = Field(default=64 * MIB, ge=MIB)
    shm: int = Field(default=16 * MIB, ge=MIB)
    start_timeout_s: float = Field(default=60.0, gt=0)
    profile_mount: Literal["overlay", "bind"] = Field(
        default="overlay",
        description=(
            "overlay: each desk has a read-only view of its own, so that it is told which files "
            "were opened in it. bind: where the engine cannot mount overlays; desks that share a "
            "profile then also see each other's openings."
        ),
    )
