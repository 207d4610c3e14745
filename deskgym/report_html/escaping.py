"""Untrusted text made fit to stand in a page."""

from __future__ import annotations

import html
import re
from typing import Final

# What HTML may not hold or would not show: control characters but tab and line break, halves of
# surrogate pairs, and non-characters.
_UNFIT: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


def plain(text: str) -> str:
    """``text`` with what a page cannot hold shown as an escape: ``\\x1b``, ``\\udc80``."""
    return _UNFIT.sub(_named, text.replace("\r\n", "\n"))


def escaped(text: str) -> str:
    """``text`` as HTML, between tags or within a quoted attribute."""
    return html.escape(plain(text))


def _named(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
