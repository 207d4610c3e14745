"""What is wrong with a data set: one finding a fault, with what was done about it."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Severity = Literal["error", "repaired", "warning"]


class Finding(BaseModel):
    """One fault of a profile or a task.

    ``error``: it stands, and scores may suffer; ``repaired``: a rule mended it when loading;
    ``warning``: worth a look.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    rule: str = Field(description="the rule's name, in kebab case: no-such-file, joined-references")
    severity: Severity
    profile_id: str
    task_id: str | None = Field(default=None, description="None: it is of the profile itself")
    field: str = Field(default="", description="the field or file that is at fault")
    value: str = Field(default="", description="what stands there")
    message: str = Field(description="what is wrong, and what was or can be done")
