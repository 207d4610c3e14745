"""What a pool does in the background: start desks, make them new, look after them, end them."""

from __future__ import annotations

import logging
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable
from functools import partial

from deskgym.env.pool_books import Books, Key, Ticket, Unit
from deskgym.env.pool_desk import PooledDesk
from deskgym.env.pool_process import not_while_forking
from deskgym.env.pool_room import DESK_NEEDS, fits, memory_available
from deskgym.env.pool_terms import Counts, PoolClosed, PoolFull, Terms, as_ours
from deskgym.env.sandbox.base import PingRequest, Sandbox, SandboxError
from deskgym.env.sandbox.limits import MIB, DeskLimits
from deskgym.tasks.schema import Profile

MakeDesk = Callable[..., Sandbox]
"""As `deskgym.env.sandbox.choose.make_desk`."""

LOOK_S = 0.25  # how often who waits looks again whether memory has become free
_TRUST_S = 1.0  # a desk that was heard of so lately is handed out unasked
_AGAIN_S = 5.0  # until a desk that is to be kept warm is tried for again after a failure
_ENDERS = 8
_PATIENCE_S = 90.0  # for what is under way when a pool closes: a start, or the engine

_log = logging.getLogger("deskgym.pool")


class Background:
    """The desks of a pool, and the threads that see to them.

    The lock is held for bookkeeping alone, never while a desk or the engine is asked. A thread
    begins when there is something to do, and ends with it.
    """

    def __init__(self, terms: Terms, make: MakeDesk) -> None:
        self.terms = terms
        self._make = make
        self.closed = ""  # and if so, why
        self.forget()

    def forget(self) -> None:
        """Know of no desk: how it begins, and what is left in a forked child."""
        self.lock = threading.Lock()
        self.changed = threading.Condition(self.lock)
        self.books = Books()
        self.counts = Counts()
        self.failure: Exception | None = None
        self.handles: weakref.WeakSet[PooledDesk] = weakref.WeakSet()
        self.retry_at = 0.0
        self._to_end: deque[Unit] = deque()
        self._enders = 0
        self._watching = False

    def forget_in_child(self) -> None:
        """In a forked child: the desks are the parent's, and this pool is of no use."""
        self.closed = "this pool of desks is the parent process's; make another here"
        self.forget()

    def check_open(self) -> None:
        if self.closed:
            raise PoolClosed(self.closed)

    # -- taking and giving back ----------------------------------------------------------------

    def take(self, handle: PooledDesk, key: Key, person: Profile) -> Unit:
        """A desk that answers.

        Raises:
            PoolFull, PoolClosed: as their names say.
            SandboxError: one had to be started, which failed.
        """
        deadline = time.monotonic() + self.terms.wait_s
        waited = False
        while True:
            ticket = Ticket(key, person)
            with self.lock:
                self.check_open()
                self.handles.add(handle)
                self.books.waiting.append(ticket)
                jobs = self._due()
                waited = waited or not ticket.ready.is_set()
            try:
                for job in jobs:
                    _in_background(job)
                self._wait_for(ticket, deadline)
                unit = ticket.unit
                assert unit is not None
                if self._is_well(unit, _TRUST_S):
                    with self.lock:
                        self.counts.handed_cold += waited
                        self.counts.handed_warm += not waited
                    return unit
            except BaseException:
                self._withdraw(ticket)
                raise
            waited = True
            with self.lock:
                self._end_lent(unit)
            self.go_on()

    def give_back(self, handle: PooledDesk, unit: Unit | None, healthy: bool) -> None:
        """Take ``unit`` back, and forget ``handle``. The last one waits until no desk is left, if
        those that nobody uses are to be ended."""
        with self.lock:
            self.handles.discard(handle)
            wanted = not self._unused() or (unit is not None and unit.key in self.books.wanted)
            renew = unit is not None and unit in self.books.out and healthy and wanted
            if unit is not None and renew:
                self.books.out.discard(unit)
                self.books.returning[unit.key] += 1
            elif unit is not None:
                self._end_lent(unit, failed=not healthy)
            last = self._unused()
        if unit is not None and renew:
            _in_background(partial(self._renew, unit))
        self.go_on()
        if last:
            self.finish()

    def _wait_for(self, ticket: Ticket, deadline: float) -> None:
        while not ticket.ready.wait(LOOK_S):
            with self.lock:
                late = ticket.lacks_room and time.monotonic() >= deadline
                if late and not ticket.ready.is_set():
                    self.counts.refused += 1
                    raise self.full(ticket.key)
            self.go_on()
        if ticket.error is not None:
            raise ticket.error

    def _withdraw(self, ticket: Ticket) -> None:
        """Nobody waits with ``ticket`` any more; what it may have got meanwhile is ended, as it
        may owe an answer."""
        with self.lock:
            if ticket in self.books.waiting:
                self.books.waiting.remove(ticket)
            if ticket.unit is not None:
                self._end_lent(ticket.unit, failed=False)
        self.go_on()

    def _end_lent(self, unit: Unit, *, failed: bool = True) -> None:
        """With the lock held: end a desk that was lent, unless the pool has done so itself."""
        if unit in self.books.out:
            self.books.out.discard(unit)
            self.counts.replaced += failed
            self._will_end([unit])

    def _will_end(self, units: list[Unit]) -> None:
        self.books.ending += len(units)
        self._to_end.extend(units)

    def _unused(self) -> bool:
        """With the lock held: whether nobody is there to want an idle desk."""
        return bool(self.closed) or (self.terms.end_unused and not self.handles)

    def full(self, key: Key) -> PoolFull:
        """With the lock held: why there is no room for one more."""
        total, most = self.books.total, self.terms.max_desks
        if total >= most:
            what = f"there are {total} desks, of at most {most}; raise max_desks"
        else:
            available = (memory_available(key.kind) or 0) // MIB
            needs = (DESK_NEEDS + self._reserve(key)) // MIB
            what = (
                f"{available} MiB of memory are free, and a desk is started if {needs} are "
                f"({total} run); lower their limits or the pool's reserve"
            )
        return PoolFull(f"no room for another desk: {what}, or close environments, or wait longer")

    # -- what there is to do -------------------------------------------------------------------

    def go_on(self) -> None:
        """Serve who waits, and begin what has become due. Never waits for a desk."""
        with self.lock:
            jobs = self._due()
        for job in jobs:
            _in_background(job)

    def _due(self) -> list[Callable[[], None]]:
        jobs: list[Callable[[], None]] = []
        terms, books, now = self.terms, self.books, time.monotonic()
        if not self.closed:
            moves = books.plan(
                starts=terms.starts_at_once,
                spare=terms.warm,
                keep=now >= self.retry_at,
                room_for=self._room_for(),
            )
            self._to_end.extend(moves.end)
            jobs += [partial(self._start, key, person) for key, person in moves.start]
            unused = self._unused()
            surplus = books.surplus(
                now,
                idle_s=0 if unused else terms.idle_s,
                most=0 if unused else terms.max_idle,
                spare=terms.warm,
            )
            self.counts.expired += len(surplus)
            self._to_end.extend(surplus)
            if self._has_to_watch() and not self._watching:
                self._watching = True
                jobs.append(self._watch)
        more = min(_ENDERS - self._enders, len(self._to_end))
        self._enders += more
        return jobs + [self._end_some] * more

    def _room_for(self) -> Callable[[Key, int], bool]:
        available: dict[str, int | None] = {}

        def room_for(key: Key, n: int) -> bool:
            if self.books.total + n > self.terms.max_desks:
                return False
            if key.kind not in available:
                available[key.kind] = memory_available(key.kind)
            # What is being started has not taken its memory yet.
            coming = n + self.books.starting.total()
            return fits(available[key.kind], coming, self._reserve(key))

        return room_for

    def _reserve(self, key: Key) -> int:
        if self.terms.reserve is not None:
            return self.terms.reserve
        return (key.limits or DeskLimits()).memory

    def _start(self, key: Key, person: Profile) -> None:
        began = time.monotonic()
        try:
            with not_while_forking():
                desk = self._make(
                    person, sandbox=key.kind, prepared=key.prepared, limits=key.limits
                )
                desk.start()
        except Exception as error:  # noqa: BLE001  (it is raised where the desk is waited for)
            self._start_failed(key, as_ours(error))
        else:
            now = time.monotonic()
            with self.lock:
                self.books.starting[key] -= 1
                self.counts.started += 1
                self.counts.start_seconds += now - began
                self._rest(Unit(key, person, desk, since=now, well=now))
        self.go_on()

    def _start_failed(self, key: Key, error: Exception) -> None:
        with self.lock:
            self.books.starting[key] -= 1
            self.counts.start_failures += 1
            self.failure = error
            ticket = next((t for t in self.books.waiting if t.key == key), None)
            if ticket is not None:
                self.books.waiting.remove(ticket)
                ticket.fail(error)
            else:
                _log.warning("a desk to be kept warm did not start: %s", error)
                self.retry_at = time.monotonic() + _AGAIN_S
            self.changed.notify_all()

    def _rest(self, unit: Unit) -> None:
        """With the lock held: ``unit`` is idle, unless it has come too late for that."""
        if self.closed:
            self._will_end([unit])
        else:
            self.books.put(unit)
        self.changed.notify_all()

    def _renew(self, unit: Unit) -> None:
        """Make a desk as new that somebody has had."""
        try:
            with not_while_forking():
                unit.desk.reset()
                unit.desk.configure("", (), ())
            well = True
        except Exception as error:  # noqa: BLE001  (whatever it is, this desk is of no use)
            self._note(error)
            well = False
        self._returned(unit, well, since=time.monotonic())

    def _returned(self, unit: Unit, well: bool, *, since: float) -> None:
        with self.lock:
            self.books.returning[unit.key] -= 1
            if well:
                unit.since, unit.well = since, time.monotonic()
                self._rest(unit)
            else:
                self.counts.replaced += 1
                self._will_end([unit])
        self.go_on()

    def _is_well(self, unit: Unit, trust_s: float) -> bool:
        if time.monotonic() - unit.well < trust_s:
            return True
        try:
            unit.desk.request(PingRequest())
        except Exception as error:  # noqa: BLE001  (whatever it is, this desk is of no use)
            self._note(error)
            return False
        return True

    def _has_to_watch(self) -> bool:
        return bool(self.books.idle or self.books.wanted or (self.terms.warm and self.books.out))

    def _watch(self) -> None:
        """Look after idle desks for as long as there are any, or are to be."""
        while True:
            with self.lock:
                if self.closed or not self._has_to_watch():
                    self._watching = False
                    return
                now = time.monotonic()
                expiry = self.books.next_expiry(self.terms.idle_s, self.terms.warm)
                self.changed.wait(max(0.05, min(self.terms.check_s, expiry - now)))
                units = self.books.unseen(time.monotonic() - self.terms.check_s)
            while units:  # and so holds on to none while it waits
                self._look_at(units.pop())
            self.go_on()

    def _look_at(self, unit: Unit) -> None:
        with not_while_forking():
            well = self._is_well(unit, 0)
        self._returned(unit, well, since=unit.since)

    # -- ending --------------------------------------------------------------------------------

    def close(self, *, lent: bool = True) -> None:
        """End all desks, and wait until they are gone; without ``lent``, all that nobody holds."""
        with self.lock:
            if not self.closed:
                self.closed = "this pool of desks is closed"
                while self.books.waiting:
                    self.books.waiting.popleft().fail(PoolClosed(self.closed))
                self.books.wanted.clear()
                self._will_end(self.books.take_all_idle())
            if lent:
                self._will_end(list(self.books.out))
                self.books.out.clear()
            self.changed.notify_all()
        self.go_on()
        self.finish()

    def finish(self) -> None:
        """Lend a hand with ending desks, and wait until none is under way any more, or somebody
        wants desks again."""
        while self._end_one():
            pass
        deadline = time.monotonic() + _PATIENCE_S
        with self.lock:
            while self._unused() and (self.books.busy or self.books.ending):
                if not self.changed.wait(max(0.0, deadline - time.monotonic())):
                    raise SandboxError(
                        f"{self.books.busy + self.books.ending} desks did not end within "
                        f"{_PATIENCE_S:g} s; remove them: deskgym clean"
                    )

    def _end_some(self) -> None:
        while self._end_one():
            pass
        with self.lock:
            self._enders -= 1
        self.go_on()

    def _end_one(self) -> bool:
        with self.lock:
            if not self._to_end:
                return False
            unit = self._to_end.popleft()
        try:
            with not_while_forking():
                unit.desk.close()
        except Exception as error:  # noqa: BLE001  (nobody waits for just this desk)
            self._note(error)
        with self.lock:
            self.books.ending -= 1
            self.changed.notify_all()
        return True

    def _note(self, error: Exception) -> None:
        _log.warning("a desk of the pool failed: %s", error)
        with self.lock:
            self.failure = error


def _in_background(job: Callable[[], None]) -> None:
    try:
        threading.Thread(target=job, name="deskgym-pool", daemon=True).start()
    except RuntimeError:  # no thread begins any more: the process is ending, or has too many
        job()
