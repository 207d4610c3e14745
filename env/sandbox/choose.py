"""Which kind of desk to use here, and a desk of that kind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from deskgym.env.sandbox.base import EngineUnavailable
from deskgym.env.sandbox.limits import DeskLimits

if TYPE_CHECKING:
    from deskgym.env.sandbox.stdio import StdioSandbox
    from deskgym.tasks.schema import Profile

Say = Callable[[str], None]
Kind = Literal["docker", "bwrap"]
KINDS: tuple[Kind, ...] = get_args(Kind)
CHOICES = ("auto", *KINDS)


def check_choice(sandbox: str) -> str:
    """``sandbox`` if it is one of `CHOICES`, else `ValueError`. Asks nothing of any engine."""
    if sandbox not in CHOICES:
        raise ValueError(f"no sandbox {sandbox!r}; there are {', '.join(CHOICES)}")
    return sandbox


def resolve_kind(sandbox: str) -> Kind:
    """The kind that ``sandbox`` stands for: itself, and for ``auto`` the first that works here.

    ``auto`` is Docker (or podman's Docker socket) if an engine answers, else bubblewrap. Which it
    is is asked anew each time.

    Raises:
        ValueError: there is no such sandbox.
        EngineUnavailable: of ``auto``, none works; the message says what was tried for each.
    """
    check_choice(sandbox)
    for kind in KINDS:
        if sandbox == kind:
            return kind
    from deskgym.env.sandbox.bwrap import why_not
    from deskgym.env.sandbox.engine import connect

    try:
        connect().close()
    except EngineUnavailable as error:
        if (reason := why_not()) is not None:
            raise EngineUnavailable(f"{error}\nnor does bubblewrap do instead: {reason}") from error
        return "bwrap"
    return "docker"


def ensure_made(kind: Kind, *, build: bool = True, say: Say = lambda line: None) -> str:
    """The address of what desks of a kind are made of, image or root file system; built first if
    it is not there.

    Raises:
        EngineUnavailable: no desk of this kind can run here.
        ImageMissing: it is not there and ``build`` is false, or it cannot be built.
    """
    if kind == "bwrap":
        from deskgym.env.sandbox.bwrap import require
        from deskgym.env.sandbox.rootfs import ensure_rootfs

        require()
        return ensure_rootfs(build=build, say=say).record.address
    from deskgym.env.sandbox.engine import connect
    from deskgym.env.sandbox.images import ensure_image

    client = connect()
    try:
        return ensure_image(client, build=build, say=say)
    finally:
        client.close()


def make_desk(
    person: Profile,
    *,
    sandbox: str = "auto",
    prepared: Path | str | None = "auto",
    limits: DeskLimits | None = None,
) -> StdioSandbox:
    """A desk of a person's files, not started.

    ``prepared`` is the prepared folder of these files, "auto" the one that there is, None none.

    Raises:
        ValueError, EngineUnavailable: as in `resolve_kind`.
    """
    from deskgym.env.prepared import find

    folder = find(person, prepared)
    if resolve_kind(sandbox) == "bwrap":
        from deskgym.env.sandbox.bwrap import BwrapSandbox

        return BwrapSandbox(person.root, prepared=folder, limits=limits)
    from deskgym.env.sandbox.docker import DockerSandbox
    from deskgym.env.sandbox.engine import shared_client

    return DockerSandbox(person.root, prepared=folder, limits=limits, client=shared_client())
