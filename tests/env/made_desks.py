"""Desks without an engine for tests of the pool: they can be held up, fail, and die."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from deskgym.env.sandbox.base import (
    ConfigureRequest,
    DeskDied,
    PingRequest,
    Request,
    ResetRequest,
    Response,
    SandboxError,
)
from deskgym.tasks.schema import Profile

PATIENCE_S = 20.0


def person(name: str) -> Profile:
    """Somebody with no files, whose digest is their own."""
    digest = hashlib.sha256(name.encode()).hexdigest()
    return Profile(
        id=f"made/{name}", user=name.title(), root=Path(f"/made/{name}"), files=(), digest=digest
    )


def eventually(holds: Callable[[], bool]) -> None:
    """Wait for what threads bring about; fail if they do not."""
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline, "this never came to hold"
        time.sleep(0.005)


class MadeDesk:
    """One of `Desks`' desks; remembers what it was asked, and whom it was configured for."""

    def __init__(self, desks: Desks, who: Profile) -> None:
        self.desks, self.person = desks, who
        self.requests: list[Request] = []
        self.user = ""
        self.dirty = self.dead = self.unclean = False
        self.state = "made"

    def start(self) -> None:
        with self.desks.lock:
            self.desks.under_way += 1
            self.desks.most_under_way = max(self.desks.most_under_way, self.desks.under_way)
        try:
            assert self.desks.may_start.wait(PATIENCE_S)
            if self.desks.failure is not None:
                raise self.desks.failure
            self.state = "running"
        finally:
            with self.desks.lock:
                self.desks.under_way -= 1

    def configure(
        self, user: str, files: tuple[dict[str, Any], ...], tools: tuple[str, ...]
    ) -> None:
        self.request(ConfigureRequest(user=user, files=files, tools=tools))

    def request(self, request: Request) -> Response:
        if self.dead or self.state != "running":
            raise DeskDied("the desk ended; exit status 137")
        if not isinstance(request, PingRequest):
            assert self.desks.may_answer.wait(PATIENCE_S)
        if self.state != "running":
            raise DeskDied("this desk is not running")
        self.requests.append(request)
        if isinstance(request, ConfigureRequest):
            self.user = request.user
        else:
            self.dirty = not isinstance(request, ResetRequest | PingRequest) or self.dirty
        return Response(ok=True)

    def reset(self) -> None:
        self.request(ResetRequest())
        if self.unclean:
            self.close()
            raise DeskDied("the desk did not come clean: test")
        self.dirty = False

    def close(self) -> None:
        self.state = "gone"

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class Desks:
    """Makes `MadeDesk`s, as a pool's ``make``. ``may_start`` and ``may_answer`` hold them up."""

    def __init__(self) -> None:
        self.made: list[MadeDesk] = []
        self.failure: SandboxError | None = None
        self.lock = threading.Lock()
        self.under_way = self.most_under_way = 0
        self.may_start, self.may_answer = threading.Event(), threading.Event()
        self.may_start.set()
        self.may_answer.set()

    def __call__(self, who: Profile, **options: Any) -> MadeDesk:
        desk = MadeDesk(self, who)
        with self.lock:
            self.made.append(desk)
        return desk

    def running(self) -> list[MadeDesk]:
        return [desk for desk in self.made if desk.state == "running"]
