"""A pool of desks: warm ones are kept by whose files they show, and lent in milliseconds.

Starting, making as new and ending happen in the background. No lock is shared by two desks at
work: the pool is asked when one is taken and when it is given back, and never in between.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from deskgym.env.closing import Closing
from deskgym.env.pool_background import LOOK_S, Background, MakeDesk
from deskgym.env.pool_books import Key
from deskgym.env.pool_desk import PooledDesk
from deskgym.env.pool_process import process_pool, stop_watching, watch_over
from deskgym.env.pool_room import memory_available
from deskgym.env.pool_terms import PoolClosed, PoolFull, Terms
from deskgym.env.sandbox.choose import Kind, check_choice, make_desk, resolve_kind
from deskgym.env.sandbox.limits import DeskLimits
from deskgym.tasks.schema import Profile

__all__ = ["DeskPool", "PoolClosed", "PoolFull", "PoolStats", "PooledDesk", "process_pool"]

MOST_DESKS = 1_000


class PoolStats(BaseModel):
    """A pool at one moment, and what it has done since it was made.

    ``in_use`` are lent, ``idle`` ready, ``starting`` and ``ending`` on their way, ``returning``
    being made as new or looked after; ``waiting`` is how many wait for one. ``handed_warm`` and
    ``handed_cold`` count desks lent at once and after a wait; ``replaced`` those that had died
    while idle, would not come clean or failed in use; ``expired`` those that nobody wanted again;
    ``refused`` how often there was no room. ``start_seconds`` is the sum over all starts,
    ``memory_available`` in bytes, None where it cannot be told.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    in_use: int
    idle: int
    starting: int
    returning: int
    ending: int
    waiting: int
    idle_by_profile: Mapping[str, int]
    max_desks: int
    memory_available: int | None
    started: int
    start_failures: int
    start_seconds: float
    handed_warm: int
    handed_cold: int
    replaced: int
    expired: int
    refused: int
    last_failure: str | None = Field(description="what went wrong last with a desk")

    @property
    def total(self) -> int:
        """All desks that there are, or are about to be, or are not gone yet."""
        return self.in_use + self.idle + self.starting + self.returning + self.ending


class DeskPool(Closing):
    """Desks of one process, for any of its threads. A context manager.

    A desk is taken and given back through `desk`. What is idle is kept by person, files, prepared
    folder and limits, is looked after, and replaced where it is to be kept `warm`. Who finds none
    waits for one to be started or given back; who came first is served first. Where there is no
    room, the desk that has been idle for longest makes some.

    Args:
        sandbox: ``auto``, ``docker`` or ``bwrap``, for all that do not say otherwise.
        max_desks: the most desks at any time, whatever they do; by default 1,000. Memory bounds
            them too: one is started only if this machine has ``reserve`` bytes besides.
        warm: how many idle desks to keep beside those in use, of each person that is in use.
        starts_at_once: how many desks may be starting at any time.
        idle_s: how long an idle desk waits to be wanted again before it is ended, in seconds.
        max_idle: how many wait so at most; what `warm` asks for comes on top.
        wait_s: how long who takes a desk waits for room, in seconds; the start is not counted.
        check_s: how often idle desks are looked after, in seconds.
        end_unused: end idle desks, and wait until they are gone, once nobody holds one any more;
            those that `warm` asks for stay.
        reserve: bytes to leave free for what desks do; by default what one may take.
        make: makes a desk that is not started, as `deskgym.env.sandbox.choose.make_desk`; for a
            backend of one's own.

    Raises:
        ValueError: there is no such sandbox, or a number is out of range.
    """

    def __init__(
        self,
        *,
        sandbox: str = "auto",
        max_desks: int | None = None,
        warm: int = 0,
        starts_at_once: int = 4,
        idle_s: float = 60.0,
        max_idle: int = 16,
        wait_s: float = 60.0,
        check_s: float = 5.0,
        end_unused: bool = False,
        reserve: int | None = None,
        make: MakeDesk | None = None,
    ) -> None:
        terms = Terms(
            max_desks=MOST_DESKS if max_desks is None else max_desks,
            warm=warm,
            starts_at_once=starts_at_once,
            idle_s=idle_s,
            max_idle=max_idle,
            wait_s=wait_s,
            check_s=check_s,
            end_unused=end_unused,
            reserve=reserve,
        )
        self._sandbox = check_choice(sandbox)
        self._own_make = make
        self._kinds: dict[str, Kind] = {}
        self._background = Background(terms, make or make_desk)
        watch_over(self._background)

    def desk(
        self,
        person: Profile,
        *,
        prepared: Path | str | None = "auto",
        limits: DeskLimits | None = None,
        sandbox: str | None = None,
    ) -> PooledDesk:
        """A desk of a person's files, not started; its ``start`` takes one, ``close`` returns it.

        Raises:
            PoolClosed: as its name says.
            EngineUnavailable: of ``auto``, no kind of desk works here.
            ValueError: there is no such sandbox.
            WrongPreparedFolder: ``prepared`` is no prepared folder of these files.
        """
        background = self._background
        key = self._key(person, prepared, limits, sandbox)
        handle = PooledDesk(
            lambda handle: background.take(handle, key, person), background.give_back
        )
        with background.lock:
            background.check_open()
            background.handles.add(handle)
        return handle

    def warm(
        self,
        person: Profile,
        n: int = 1,
        *,
        prepared: Path | str | None = "auto",
        limits: DeskLimits | None = None,
        sandbox: str | None = None,
        wait: bool = False,
    ) -> None:
        """Keep ``n`` idle desks of ``person`` from now on, as far as there is room; 0 for none.

        They are started in the background. With ``wait``, return when they are there; the first
        failure to start one is raised then, and `PoolFull` after ``wait_s`` without room.

        Raises:
            PoolClosed, EngineUnavailable, ValueError, WrongPreparedFolder: as in `desk`.
        """
        background = self._background
        key = self._key(person, prepared, limits, sandbox)
        with background.lock:
            background.check_open()
            if n > 0:
                background.books.wanted[key] = (person, n)
            else:
                background.books.wanted.pop(key, None)
            background.retry_at = 0.0
            failures = background.counts.start_failures
        background.go_on()
        deadline = time.monotonic() + background.terms.wait_s
        while wait:
            with background.lock:
                background.check_open()
                if len(background.books.idle.get(key, ())) >= n:
                    return
                if background.counts.start_failures > failures:
                    assert background.failure is not None
                    raise background.failure
                under_way = background.books.busy or background.books.ending
                if not under_way and time.monotonic() >= deadline:
                    raise background.full(key)
                background.changed.wait(LOOK_S)
            background.go_on()

    def stats(self) -> PoolStats:
        """How things stand."""
        background = self._background
        kind = self._kinds.get(self._sandbox, "docker")
        with background.lock:
            books = background.books
            idle = [unit.person.id for units in books.idle.values() for unit in units]
            return PoolStats(
                in_use=len(books.out),
                idle=len(idle),
                starting=books.starting.total(),
                returning=books.returning.total(),
                ending=books.ending,
                waiting=len(books.waiting),
                idle_by_profile=dict(sorted(Counter(idle).items())),
                max_desks=background.terms.max_desks,
                memory_available=memory_available(kind),
                last_failure=None if background.failure is None else str(background.failure),
                **asdict(background.counts),
            )

    @property
    def closed(self) -> bool:
        return bool(self._background.closed)

    def close(self) -> None:
        """End all desks, also those in use, and wait until they are gone. Idempotent, and for any
        thread: each call returns when they are."""
        try:
            self._background.close()
        finally:
            stop_watching(self._background)

    def _key(
        self,
        person: Profile,
        prepared: Path | str | None,
        limits: DeskLimits | None,
        sandbox: str | None,
    ) -> Key:
        if self._own_make is not None:
            folder = None if prepared in (None, "auto") else Path(prepared)
            return Key("own", person.root, person.digest, folder, limits)
        from deskgym.env.prepared import find

        choice = sandbox or self._sandbox
        if choice not in self._kinds:
            self._kinds[choice] = resolve_kind(choice)
        folder = find(person, prepared)
        return Key(self._kinds[choice], person.root, person.digest, folder, limits)
