"""The process's own pool, and the ways in which a process ends or doubles.

Desks end by themselves when their owner does. What has to be seen to is what they cannot see to
themselves: a container that has been created and not started yet.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import threading
import weakref
from collections.abc import Iterator
from types import FrameType
from typing import TYPE_CHECKING

import deskgym.env.sandbox.stdio  # noqa: F401  (before what is registered below)

if TYPE_CHECKING:
    from deskgym.env.pool import DeskPool
    from deskgym.env.pool_background import Background

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_LAST_WORDS_S = 15.0  # for closing after a signal
_FORK_WAITS_S = 10.0

# A plain set, which can be listed while another thread adds to it.
_open: set[weakref.ref[Background]] = set()
_own: DeskPool | None = None
_making_own = threading.Lock()
_making = threading.Lock()
_installed: set[signal.Signals] = set()
_ending = False


# Whom a fork waits for, and how many forks there are. A child has but the thread that forked: a
# lock that another one held is held for ever in it, a wire that it was opening stays open.
_gate = threading.Condition()
_at_work: set[int] = set()
_forks = 0


@contextlib.contextmanager
def not_while_forking() -> Iterator[None]:
    """A piece of a pool's work that a fork does not fall into. Not to be nested."""
    me = threading.get_ident()
    with _gate:
        while _forks:
            _gate.wait()
        _at_work.add(me)
    try:
        yield
    finally:
        with _gate:
            _at_work.discard(me)
            _gate.notify_all()


def _before_fork() -> None:
    global _forks
    with _gate:
        _forks += 1
        # Not for long: a child that may get stuck is better than a parent that surely does.
        _gate.wait_for(lambda: not _at_work - {threading.get_ident()}, _FORK_WAITS_S)


def _after_fork() -> None:
    global _forks
    with _gate:
        _forks -= 1
        _gate.notify_all()


def watch_over(pool: Background) -> None:
    """See to it that a pool is closed when this process ends, and forgotten in forked children."""
    with _making:
        _open.add(weakref.ref(pool, _open.discard))
    _handle_signals()


def stop_watching(pool: Background) -> None:
    """It is closed. With the last one the signals' handlers are as they were before the first."""
    with _making:
        _open.discard(weakref.ref(pool))
        left = len(_open)
    if not left:
        _leave_signals()


def process_pool() -> DeskPool:
    """The pool that every environment of this process takes its desks from.

    Made when first asked for, and anew after it was closed. Once nobody holds a desk any more,
    none is left: idle ones wait for the next person only while others are in use. Closed at exit,
    and by SIGINT and SIGTERM where these would end the process at once; a handler that somebody
    has installed is left alone, as is Python's own, which raises KeyboardInterrupt.

    Raises:
        PoolClosed: such a signal has come.
    """
    global _own
    from deskgym.env.pool import DeskPool, PoolClosed

    if _ending:
        raise PoolClosed("this process is ending by a signal")

    _handle_signals()  # the pool may have been made where that was not possible
    with _making_own:
        if _own is None or _own.closed:
            _own = DeskPool(end_unused=True)
        return _own


def _handle_signals() -> None:
    """Handle signals that would end this process at once, so that what is being started ends too.

    Handlers can be installed by the main thread alone; elsewhere it is left to a later pool.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    for number in _SIGNALS:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _close_and_die)
            _installed.add(number)


def _leave_signals() -> None:
    if threading.current_thread() is not threading.main_thread():
        return
    for number in list(_installed):
        if signal.getsignal(number) is _close_and_die:  # and nobody has taken it over since
            signal.signal(number, signal.SIG_DFL)
        _installed.discard(number)


def _close_and_die(number: int, frame: FrameType | None) -> None:
    """See to what would be left, then die of the signal as if it had not been handled. A second
    signal does not wait.

    Desks that are in use end with this process. They are not ended before it, so that nobody who
    works with one still takes that for the desk's own failure, and notes it down.
    """
    global _ending
    if not _ending:
        _ending = True
        # In another thread: this one may hold just the lock that closing needs. It is then let
        # down after a while, and the desks end with their owner.
        closing = threading.Thread(target=_wind_down, name="deskgym-pool-end", daemon=True)
        with contextlib.suppress(RuntimeError):  # no thread begins any more
            closing.start()
            closing.join(_LAST_WORDS_S)
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def _still_open() -> list[Background]:
    return [pool for reference in list(_open) if (pool := reference()) is not None]


def _close_all() -> None:
    for pool in _still_open():
        pool.close()


def _wind_down() -> None:
    for pool in _still_open():
        pool.close(lent=False)


def _forget_in_child() -> None:
    global _own, _making, _making_own, _ending, _gate, _forks
    _making, _making_own = threading.Lock(), threading.Lock()
    _gate, _forks = threading.Condition(), 0
    _at_work.clear()
    _own, _ending = None, False
    for pool in _still_open():
        pool.forget_in_child()
    _open.clear()
    _leave_signals()


# After what `deskgym.env.sandbox.stdio` has registered: in a forked child, our ends of the wires
# are to be closed while they are known still, and at exit in turn the pools come first.
atexit.register(_close_all)
os.register_at_fork(
    before=_before_fork, after_in_parent=_after_fork, after_in_child=_forget_in_child
)
