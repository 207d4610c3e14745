"""Where data that is made or fetched once is kept on this computer."""

from __future__ import annotations

import os
from pathlib import Path


def cache_root() -> Path:
    """``$DESKGYM_CACHE``, else ``deskgym`` below ``$XDG_CACHE_HOME`` or ``~/.cache``. Absolute."""
    if given := os.environ.get("DESKGYM_CACHE"):
        return Path(given).resolve()
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser().resolve() / "deskgym"
