"""A desk as a pool lends it: the same surface as any other, and `close` gives it back."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

from deskgym.env.closing import Closing
from deskgym.env.sandbox.base import (
    ConfigureRequest,
    DeskDied,
    Request,
    Response,
    Sandbox,
    SandboxError,
)

if TYPE_CHECKING:
    from deskgym.env.pool_books import Unit


class PooledDesk(Closing):
    """A desk of a pool's. See `base.Sandbox`; made by `deskgym.env.pool.DeskPool.desk`.

    ``start`` takes a desk, and `close` gives it back: at once, as it is made new in the background.
    A desk that has failed, or is closed while another thread waits for its answer, is ended
    instead. After `close` it can be started again.
    """

    def __init__(
        self,
        take: Callable[[PooledDesk], Unit],
        give: Callable[[PooledDesk, Unit | None, bool], None],
    ) -> None:
        self._take = take
        self._give = give
        self._unit: Unit | None = None
        self._healthy = True
        # Held while a request is under way: whose desk would go to somebody else must be told
        # from whose is only to be ended. Of this desk alone, so that no desk waits for another.
        self._busy = threading.Lock()
        self._closing = threading.Lock()

    @property
    def carrier(self) -> Sandbox | None:
        """The desk itself, while it is lent."""
        unit = self._unit
        return unit.desk if unit is not None else None

    def start(self) -> None:
        """Take a warm desk of these files, or have one started.

        Raises:
            PoolFull: there was no room in time.
            SandboxError: the pool is closed, or no desk can be had (as in the desk's own `start`).
        """
        if self._unit is not None:
            raise SandboxError("this desk is already running")
        unit = self._take(self)
        self._healthy = True
        self._unit = unit

    def configure(
        self, user: str, files: tuple[dict[str, Any], ...], tools: tuple[str, ...]
    ) -> None:
        """As of any desk. One from the pool knows nothing of who had it before."""
        self.request(ConfigureRequest(user=user, files=files, tools=tools))

    def request(self, request: Request) -> Response:
        """As of any desk; for one thread at a time.

        Raises:
            DeskDied, DeskTimeout: the desk is gone.
        """
        with self._busy:
            desk = self._lent()
            self._healthy = False  # until it has answered, whatever comes between
            response = desk.request(request)
            self._healthy = True
            return response

    def reset(self) -> None:
        """Make the desk as new, in place.

        Raises:
            DeskDied, DeskTimeout: it would not come clean, and is gone.
        """
        with self._busy:
            desk = self._lent()
            self._healthy = False
            desk.reset()
            self._healthy = True

    def close(self) -> None:
        """Give the desk back. Idempotent, and for any thread."""
        with self._closing:
            unit = self._unit
            at_rest = self._busy.acquire(blocking=False)
            self._unit = None
            if at_rest:
                self._busy.release()
        self._give(self, unit, at_rest and self._healthy)

    def _lent(self) -> Sandbox:
        unit = self._unit
        if unit is None:
            raise DeskDied("this desk is not running")
        if not self._healthy:
            raise DeskDied("this desk still owes the answer to a request that was broken off")
        return unit.desk

    def __enter__(self) -> Self:
        self.start()
        return self
