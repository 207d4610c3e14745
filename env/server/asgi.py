"""``app`` for whoever starts ASGI applications by name: the demo people, with default settings.

`deskgym serve` is the better way: it drains, keeps tokens out of the log, and finds connections on
which nothing comes. Tokens are taken from ``DESKGYM_TOKENS`` and ``DESKGYM_ADMIN_TOKENS``.
"""

from __future__ import annotations

import os

from pydantic import SecretStr

from deskgym.env.server.app import create_app
from deskgym.env.server.auth import read_tokens
from deskgym.env.server.config import ServerConfig


def _tokens(name: str) -> tuple[SecretStr, ...]:
    text = os.environ.get(name)
    return () if text is None else tuple(SecretStr(token) for token in read_tokens(text, name))


app = create_app(
    ServerConfig(tokens=_tokens("DESKGYM_TOKENS"), admin_tokens=_tokens("DESKGYM_ADMIN_TOKENS"))
)
