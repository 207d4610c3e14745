"""Which users a desk without an engine can have: others than its owner take user namespaces."""

from __future__ import annotations

import contextlib
import json
import os
import pwd
import shutil
import sys
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from deskgym.env.sandbox import launcher

Means = Literal["root", "ranges", "one"]
_MOST = 65_536  # as many as any container gets
_ENOUGH = 1_001  # the desk's own have the numbers up to this


class Users(BaseModel):
    """How users are had, and the rows of the user namespace that they are had by (root: none).

    ``root``: as they are. ``ranges``: by /etc/subuid. ``one``: there is this one user only.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    means: Means
    users: tuple[tuple[int, int, int], ...] = ()
    groups: tuple[tuple[int, int, int], ...] = ()

    def plan(self) -> dict[str, Any]:
        """The part of `launcher.Plan` that is about users."""
        if self.means == "root":
            return {}
        return {"users": list(self.users), "groups": list(self.groups)}


@cache
def own_users() -> Users:
    """What this process's user may have."""
    uid, gid = os.geteuid(), os.getegid()
    if uid == 0:
        return Users(means="root")
    users, groups = _range("/etc/subuid", uid), _range("/etc/subgid", uid)
    tools = shutil.which("newuidmap") and shutil.which("newgidmap")
    if users is None or groups is None or not tools:
        return Users(means="one", users=((0, uid, 1),), groups=((0, gid, 1),))
    return Users(
        means="ranges",
        users=((0, uid, 1), (1, *users)),
        groups=((0, gid, 1), (1, *groups)),
    )


def launched(plan: dict[str, Any]) -> list[str]:
    """The command that does as a `launcher.Plan` says."""
    return [sys.executable, "-I", "-S", str(Path(launcher.__file__)), json.dumps(plan)]


def _range(path: str, uid: int) -> tuple[int, int] | None:
    """The first range of a user in a file like /etc/subuid that is large enough."""
    names = {str(uid)}
    with contextlib.suppress(KeyError):  # one without a name has ranges by number, if any
        names.add(pwd.getpwuid(uid).pw_name)
    try:
        lines = Path(path).read_text().splitlines()
    except FileNotFoundError:
        return None
    for line in lines:
        name, _, rest = line.partition(":")
        first, _, count = rest.partition(":")
        if name in names and first.isdigit() and count.isdigit() and int(count) >= _ENOUGH:
            return int(first), min(int(count), _MOST)
    return None
