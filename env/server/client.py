"""A desk on a server, with the surface of a desk at hand.

>>> with DeskClient("http://127.0.0.1:8000") as env:
...     observation, info = env.reset(profile="adam", seed=7)
...     observation, reward, terminated, truncated, info = env.step({"tool": "list_files"})

`AsyncDeskClient` is the same with ``await``. Observations, rewards and infos are those that
`DeskEnv` gives; what goes wrong is a `RemoteError` (`deskgym.env.server.client_wire`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from gymnasium.error import ResetNeeded

from deskgym.env.closing import Closing
from deskgym.env.options import named
from deskgym.env.server import client_wire as wire
from deskgym.env.server.client_wire import Info, Stepped
from deskgym.env.server.models import State

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection as AsyncConnection
    from websockets.sync.client import ClientConnection

    from deskgym.env.observations import Observation

DEFAULT_URL = "http://127.0.0.1:8000"


class _Client:
    """What both clients know; no connection in here."""

    def __init__(
        self,
        url: str = DEFAULT_URL,
        *,
        token: str | None = None,
        timeout_s: float = 300.0,
        connect_timeout_s: float = 30.0,
    ) -> None:
        """Nothing is connected to before the first `reset`.

        Args:
            url: the server's address: http, https, ws or wss.
            token: an API token of the server's, if it asks for one.
            timeout_s: the most that an answer may take, a desk's start included.
            connect_timeout_s: the most that connecting may take.

        Raises:
            ValueError: ``url`` is no such address.
            ModuleNotFoundError: websockets is not installed; says how.
        """
        try:
            import websockets  # noqa: F401
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(wire.INSTALL, name="websockets") from error
        self.url = wire.websocket_url(url)
        self.tools: frozenset[str] = frozenset()
        """The tools that are on; empty before the first `reset`."""
        self._timeout_s = timeout_s
        self._under_way = False
        self._options: dict[str, Any] = {
            "additional_headers": wire.headers(token),
            "open_timeout": connect_timeout_s,
            "max_size": wire.MAX_MESSAGE,
            # A proxy is for hosts elsewhere.
            "proxy": None if _is_loopback(self.url) else True,
        }

    def _begin(self, data: dict[str, Any]) -> tuple[Observation, Info]:
        seen, info = wire.begun(data)
        self.tools = frozenset(info.get("tools", ()))
        self._under_way = True
        return seen, info

    def _went_on(self, data: dict[str, Any]) -> Stepped:
        done = wire.stepped(data)
        self._under_way = not (done[2] or done[3])
        return done

    def _check_under_way(self) -> None:
        if not self._under_way:
            raise ResetNeeded("there is no episode under way: call reset()")


class DeskClient(_Client, Closing):
    """A desk on a server. One thread at a time; one session, and so one desk, a client."""

    _socket: ClientConnection | None = None

    def reset(
        self,
        *,
        seed: int | None = None,
        options: dict[str, Any] | None = None,
        profile: str | None = None,
        task: str | None = None,
    ) -> tuple[Observation, Info]:
        """Begin an episode, as `DeskEnv.reset` does, in a new session if there is none.

        Raises:
            ServerUnreachable, NoDeskServer, Unauthorised: there is no server, or not for us.
            CapacityReached, Draining: it takes no session now.
            BadRequest: there is no such person or task.
            EpisodeFailed, SessionLost: see there.
            ValueError: ``options`` has other keys, or contradicts the arguments.
        """
        profile, task = named(options, profile, task)
        self._under_way = False
        if self._socket is None:
            self._connect()
        message = wire.reset_message(seed=seed, profile=profile, task=task)
        return self._begin(self._ask(message, "observation"))

    def step(self, action: Any) -> Stepped:
        """Do ``action``, as `DeskEnv.step` does.

        Raises:
            ResetNeeded: there is no episode under way.
            EpisodeFailed: the desk died.
            SessionLost, ServerTimeout: the session is gone, and its desk with it.
            BadRequest: the action is larger than the server takes.
        """
        self._check_under_way()
        try:
            return self._went_on(self._ask(wire.step_message(action), "observation"))
        except wire.EpisodeFailed:
            self._under_way = False
            raise

    def state(self) -> State:
        """Where the session stands. It needs one: after `reset`."""
        return wire.state_of(self._ask(wire.STATE_MESSAGE, "state"))

    def close(self) -> None:
        """End the session, and with it its desk. Idempotent; `reset` would begin a new one."""
        from websockets.exceptions import ConnectionClosed

        socket, self._socket, self._under_way = self._socket, None, False
        if socket is None:
            return
        try:
            socket.send(wire.CLOSE_MESSAGE)
        except ConnectionClosed:
            return  # what was to be brought about
        finally:
            socket.close()

    def _connect(self) -> None:
        from websockets.sync.client import connect

        with _connecting(self.url):
            # As `with` would: the one way in that all versions have. `close` is the way out.
            self._socket = connect(self.url, **self._options).__enter__()

    def _ask(self, message: str, expected: str) -> dict[str, Any]:
        from websockets.exceptions import ConnectionClosed

        socket = self._socket
        if socket is None:
            raise wire.SessionLost("there is no session: reset() begins one")
        try:
            # What the server said before it closed is what there is to know, so it is read even
            # if nothing could be sent.
            try:
                socket.send(message)
            except ConnectionClosed:
                return wire.read_answer(socket.recv(), expected)
            return wire.read_answer(socket.recv(self._timeout_s), expected)
        except ConnectionClosed as error:
            self._give_up(socket)
            raise _lost(error) from error
        except TimeoutError as error:
            self._give_up(socket)
            raise _late(self._timeout_s) from error
        except (wire.EpisodeFailed, wire.BadRequest):
            raise  # the session goes on
        except BaseException:
            # Also Ctrl-C: the answer would be taken for that to the next message.
            self._give_up(socket)
            raise

    def _give_up(self, socket: ClientConnection) -> None:
        self._socket, self._under_way = None, False
        socket.close()


class AsyncDeskClient(_Client):
    """`DeskClient` with ``await``. One task at a time; one session, and so one desk, a client."""

    _socket: AsyncConnection | None = None

    async def reset(
        self,
        *,
        seed: int | None = None,
        options: dict[str, Any] | None = None,
        profile: str | None = None,
        task: str | None = None,
    ) -> tuple[Observation, Info]:
        """See `DeskClient.reset`."""
        profile, task = named(options, profile, task)
        self._under_way = False
        if self._socket is None:
            await self._connect()
        message = wire.reset_message(seed=seed, profile=profile, task=task)
        return self._begin(await self._ask(message, "observation"))

    async def step(self, action: Any) -> Stepped:
        """See `DeskClient.step`."""
        self._check_under_way()
        try:
            return self._went_on(await self._ask(wire.step_message(action), "observation"))
        except wire.EpisodeFailed:
            self._under_way = False
            raise

    async def state(self) -> State:
        """See `DeskClient.state`."""
        return wire.state_of(await self._ask(wire.STATE_MESSAGE, "state"))

    async def close(self) -> None:
        """See `DeskClient.close`."""
        from websockets.exceptions import ConnectionClosed

        socket, self._socket, self._under_way = self._socket, None, False
        if socket is None:
            return
        try:
            await socket.send(wire.CLOSE_MESSAGE)
        except ConnectionClosed:
            return  # what was to be brought about
        finally:
            await socket.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def _connect(self) -> None:
        from websockets.asyncio.client import connect

        with _connecting(self.url):
            self._socket = await connect(self.url, **self._options)

    async def _ask(self, message: str, expected: str) -> dict[str, Any]:
        from websockets.exceptions import ConnectionClosed

        socket = self._socket
        if socket is None:
            raise wire.SessionLost("there is no session: reset() begins one")
        try:
            try:
                await socket.send(message)
            except ConnectionClosed:
                return wire.read_answer(await socket.recv(), expected)
            async with asyncio.timeout(self._timeout_s):
                answer = await socket.recv()
            return wire.read_answer(answer, expected)
        except ConnectionClosed as error:
            await self._give_up(socket)
            raise _lost(error) from error
        except TimeoutError as error:
            await self._give_up(socket)
            raise _late(self._timeout_s) from error
        except (wire.EpisodeFailed, wire.BadRequest):
            raise
        except BaseException:
            await self._give_up(socket)
            raise

    async def _give_up(self, socket: AsyncConnection) -> None:
        self._socket, self._under_way = None, False
        await socket.close()


@contextmanager
def _connecting(url: str) -> Iterator[None]:
    """Errors of connecting, by our names."""
    from websockets.exceptions import InvalidHandshake, InvalidStatus

    try:
        yield
    except InvalidStatus as error:
        raise wire.refused(error.response.status_code, bytes(error.response.body or b"")) from error
    except TimeoutError as error:
        raise wire.ServerUnreachable(f"{url} does not answer in time; is the server up?") from error
    except InvalidHandshake as error:
        raise wire.NoDeskServer(f"{url} does not speak as a server of desks: {error}") from error
    except OSError as error:
        remedy = "start one with: deskgym serve"
        raise wire.ServerUnreachable(f"no server answers at {url}: {error}; {remedy}") from error


def _lost(error: Any) -> wire.RemoteError:
    closed = error.rcvd
    return wire.lost(closed.code if closed else None, closed.reason if closed else "")


def _late(timeout_s: float) -> wire.ServerTimeout:
    return wire.ServerTimeout(
        f"the server took longer than {timeout_s:g} s, and the session is given up; reset() "
        "begins a new one, a larger timeout_s waits longer"
    )


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")
