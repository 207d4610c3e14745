"""The fonts that the kit draws with: those inside PyMuPDF, so that no system font is needed."""

from __future__ import annotations

import io
from functools import cache

import pymupdf
from PIL import ImageFont

from deskgym.tasks.demo.make.things import DeskError

REGULAR, BOLD, MONO = "helv", "hebo", "cobo"
_FALLBACK = "cjk"


@cache
def page_font(name: str) -> pymupdf.Font:
    """The font ``name`` for PDF pages."""
    return pymupdf.Font(name)


@cache
def _pixel_font(name: str, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(io.BytesIO(page_font(name).buffer), size)


def font_name_for(text: str, name: str) -> str:
    """``name``, or the fallback font if ``name`` lacks a letter of ``text``.

    Raises:
        DeskError: neither has it; it would come out as an empty box.
    """
    missing = [c for c in text if not page_font(name).has_glyph(ord(c))]
    if not missing:
        return name
    if lost := [c for c in missing if not page_font(_FALLBACK).has_glyph(ord(c))]:
        raise DeskError(f"no font has {''.join(lost)!r}, which {text[:60]!r} needs; leave it out")
    return _FALLBACK


def pixel_font(text: str, name: str, size: int) -> ImageFont.FreeTypeFont:
    """A font in which every letter of ``text`` can be drawn into an image."""
    return _pixel_font(font_name_for(text, name), size)
