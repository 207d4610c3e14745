"""Who may ask: API tokens, and the doors that are closed to web pages.

A token comes as ``Authorization: Bearer TOKEN``; for a WebSocket, whose headers a browser does not
let a page set, also as ``?token=TOKEN``.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from deskgym.env.server.config import ServerConfig
from deskgym.env.server.models import Error, ErrorCode
from deskgym.env.server.refusal import refuse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

OPEN_PATHS = frozenset({"/health"})
"""What is answered without a token: whether the server is well, and no more."""
MIN_TOKEN = 16
_FITS = re.compile(r"[\x21-\x7e]+")


class BadToken(ValueError):
    """A token is no good: too short to be a secret, or not to be sent in a header."""


def read_tokens(text: str, where: str) -> tuple[str, ...]:
    """Tokens separated by white space or commas, as an environment variable or file holds them.

    A line that begins with ``#`` is a comment.

    Raises:
        BadToken: there are none, or one is too short or has odd characters. ``where`` is named.
    """
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    found = tuple(re.split(r"[\s,]+", " ".join(lines).strip(", \t")))
    if found == ("",):
        raise BadToken(f"{where} holds no token; put one there, of {MIN_TOKEN} characters or more")
    for number, token in enumerate(found, 1):
        if len(token) < MIN_TOKEN or not _FITS.fullmatch(token):
            raise BadToken(
                f"token {number} in {where} is no good: {MIN_TOKEN} or more visible ASCII "
                "characters are needed, for example from: openssl rand -hex 24"
            )
    return found


@dataclass(frozen=True)
class Caller:
    """Who asks. ``key`` tells callers apart and is no token."""

    key: str
    admin: bool


ANYONE = Caller("anyone", admin=False)


class Tokens:
    """The tokens that are good, kept as digests."""

    def __init__(self, tokens: Iterable[str], admin_tokens: Iterable[str]) -> None:
        self._known = [(_digest(token), False) for token in tokens]
        self._known += [(_digest(token), True) for token in admin_tokens]

    @property
    def required(self) -> bool:
        """Whether nobody is let in without one."""
        return any(not admin for _, admin in self._known)

    def caller(self, token: str | None) -> Caller | None:
        """Whose token it is; None if nobody's. Takes as long for any."""
        if token is None:
            return None if self.required else ANYONE
        digest, found = _digest(token), None
        for known, admin in self._known:
            if hmac.compare_digest(known, digest):
                found = Caller(digest.hex()[:16], admin)
        return found


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()


class Gate:
    """The first thing that a request meets: lets in who may, and notes in the scope who it is."""

    def __init__(self, app: ASGIApp, config: ServerConfig) -> None:
        self._app = app
        self._tokens = Tokens(
            (token.get_secret_value() for token in config.tokens),
            (token.get_secret_value() for token in config.admin_tokens),
        )
        self._hosts = None if self._tokens.required else config.allowed_hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value for name, value in scope["headers"]}
        if (why := self._stranger(headers)) is not None:
            await refuse(scope, send, 403, Error(message=why, code=ErrorCode.FORBIDDEN))
            return
        caller = self._tokens.caller(_token(scope, headers))
        if caller is None and scope["path"] not in OPEN_PATHS:
            message = "a token is needed: send the header 'Authorization: Bearer TOKEN'"
            await refuse(scope, send, 401, Error(message=message, code=ErrorCode.UNAUTHORISED))
            return
        scope.setdefault("state", {})["caller"] = caller or ANYONE
        await self._app(scope, receive, send)

    def _stranger(self, headers: dict[str, bytes]) -> str | None:
        """Why a request seems to come from a web page that has no business here; None if not."""
        host = headers.get("host", b"").decode("latin-1")
        name = urlsplit(f"//{host}").hostname if _FITS.fullmatch(host) else None
        if self._hosts is not None and name not in self._hosts:
            return "this server goes by another name; see --allow-host, or use tokens"
        origin = headers.get("origin", b"").decode("latin-1")
        if origin and urlsplit(origin).netloc != host:
            return "pages of other origins may not use this server"
        return None


def caller_of(scope: Any) -> Caller:
    """Who the gate let in with a request or a WebSocket."""
    caller: Caller = scope["state"]["caller"]
    return caller


def _token(scope: Scope, headers: dict[str, bytes]) -> str | None:
    scheme, _, token = headers.get("authorization", b"").decode("latin-1").partition(" ")
    if scheme.lower() == "bearer" and token.strip():
        return token.strip()
    if scope["type"] == "websocket":
        query = parse_qs(scope["query_string"].decode("latin-1"))
        return next(iter(query.get("token", ())), None)
    return None
