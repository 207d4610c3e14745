"""What to make: how many people, for how long, and from which distribution."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from deskgym.tasks.made.traits import TraitModel

Difficulty = Literal["easy", "mixed", "hard"]
Setting = Literal["setoka", "rhelm", "home"]


class MadeSpec(BaseModel):
    """An order for people. Equal specs make equal lives, files and tasks, byte for byte.

    ``people`` says how many are ordered; person ``index`` of a spec does not depend on it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    people: int = Field(default=1, ge=1, le=100_000)
    months: int = Field(default=2, ge=1, le=60, description="calendar months that a life covers")
    seed: int = Field(default=0, ge=0, lt=2**63)
    difficulty: Difficulty = "easy"
    setting: Setting = "setoka"
    multimodal: bool = Field(default=True, description="make sound, pictures and clips too")
    inventory: TraitModel = TraitModel()
