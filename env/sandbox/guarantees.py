"""What a desk without an engine is held to: stated, as it depends on who runs it and where."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from deskgym.env.sandbox.cgroups import Groups
from deskgym.env.sandbox.limits import DeskLimits
from deskgym.env.sandbox.stdio import SEPARATION_REMEDY
from deskgym.env.sandbox.users import Users


class Guarantees(BaseModel):
    """Which of a container's guarantees a desk has; what it lacks is in `missing`, in words."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    separate_users: bool = Field(
        description="runner, agent and tool worker are users of their own: tools that are off "
        "cannot be got round, and what tools and commands say cannot be forged"
    )
    memory: Literal["desk", "process"] = Field(description="what the limit of memory holds")
    pids: Literal["desk", "user", "none"] = Field(description="what the limit of processes holds")
    cpus: bool
    own_openings: bool = Field(description="openings by other desks are not taken for its own")

    @property
    def missing(self) -> tuple[str, ...]:
        """What does not hold, each with its remedy."""
        root = "run it as root where control groups can be made"
        found = []
        if not self.separate_users:
            found.append(
                "the runner, the tools and the agent's commands are one user, so no tool can be "
                f"kept from commands: {SEPARATION_REMEDY}"
            )
        if self.memory == "process":
            found.append(f"the limit of memory holds each process, not the desk: {root}")
        if self.pids == "none":
            found.append(f"the number of processes is not limited to the desk's own: {root}")
        if not self.cpus:
            found.append(f"the use of processors is not limited: {root}")
        if not self.own_openings:
            found.append(
                "files opened in other desks of the same files are seen as opened here: "
                "DeskLimits(profile_mount='overlay')"
            )
        return tuple(found)


def guarantees_of(limits: DeskLimits, users: Users, groups: Groups) -> Guarantees:
    """What holds for a desk of these limits, users and control groups."""
    by_user: Literal["user", "none"] = "none" if users.means == "root" else "user"
    return Guarantees(
        separate_users=users.means != "one",
        memory="desk" if "memory" in groups.held else "process",
        pids="desk" if "pids" in groups.held else by_user,
        cpus="cpu" in groups.held,
        own_openings=limits.profile_mount == "overlay",
    )
