"""Settings of agents, as they may be written down."""

from __future__ import annotations

import re
from collections.abc import Mapping


class KeyInSettings(ValueError):
    """Settings hold a key, which would be written into ``run.json``."""


def check_no_key(settings: object, place: str = "") -> None:
    """Make sure that no key stands in settings that are to be written down.

    Raises:
        KeyInSettings: one does; the message names the place and never the key.
    """
    if isinstance(settings, Mapping):
        for name, value in settings.items():
            here = f"{place}.{name}" if place else str(name)
            plain = re.sub(r"[^a-z]", "", str(name).lower())
            if plain in _KEYS and value:
                raise KeyInSettings(
                    f"{here} would be written into the run's files: put the key into an "
                    f"environment variable and name it by api_key_env"
                )
            if plain == "apikeyenv" and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", str(value)):
                raise KeyInSettings(
                    f"{here} is no name of an environment variable: it names the variable that "
                    "holds the key, not the key itself"
                )
            check_no_key(value, here)
    elif isinstance(settings, list | tuple):
        for at, value in enumerate(settings):
            check_no_key(value, f"{place}[{at}]")
    elif isinstance(settings, str) and re.search(r"https?://[^/?#\s]*@", settings):
        raise KeyInSettings(f"{place} holds a user or password: name the key by api_key_env")


_KEYS = frozenset({"apikey", "authorization", "xapikey"})
