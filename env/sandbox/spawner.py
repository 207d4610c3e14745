"""Starting processes that are to end with this one, from a thread that lasts as long as it.

The kernel ends such a process with the *thread* that started it, so that a desk must not be started
by a thread that may be done before its desk is.
"""

from __future__ import annotations

import os
import queue
import subprocess
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

_Job = tuple[Callable[[], "subprocess.Popen[bytes]"], "Future[subprocess.Popen[bytes]]"]

_lock = threading.Lock()
_jobs: queue.SimpleQueue[_Job] | None = None


def spawn(argv: list[str], **options: Any) -> subprocess.Popen[bytes]:
    """`subprocess.Popen(argv, **options)`, called by that thread. For any thread."""
    future: Future[subprocess.Popen[bytes]] = Future()
    _queue().put((lambda: subprocess.Popen(argv, **options), future))
    return future.result()


def _queue() -> queue.SimpleQueue[_Job]:
    global _jobs
    with _lock:
        if _jobs is None:
            _jobs = queue.SimpleQueue()
            # A daemon: it ends with the process and not a moment before.
            threading.Thread(
                target=_work, args=(_jobs,), name="deskgym-spawner", daemon=True
            ).start()
        return _jobs


def _work(jobs: queue.SimpleQueue[_Job]) -> None:
    while True:
        start, future = jobs.get()
        try:
            future.set_result(start())
        except BaseException as error:  # noqa: BLE001  (raised where it was asked for)
            future.set_exception(error)


def _forget_in_child() -> None:
    global _jobs, _lock
    _jobs, _lock = None, threading.Lock()


os.register_at_fork(after_in_child=_forget_in_child)
