"""What one file of the fixture corpus is, how it is made, and what reading it must give."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from office_made import odf_part

Maker = Callable[[Path], None]


@dataclass(frozen=True)
class Picture:
    """What `read_image` gives: its size, and colours at points (fractions of width and height)."""

    size: tuple[int, int]
    colours: Mapping[tuple[float, float], tuple[int, int, int]] = field(default_factory=dict)
    page: int | None = None


@dataclass(frozen=True)
class Case:
    """One file. ``make`` writes it at the path that it is given.

    ``text`` are pieces that stand in the text as `read_text` gives it, in this order; ``absent``
    are pieces that do not. ``info`` is part of the reading's info, ``notes`` are pieces of its
    notes, ``members`` are texts of members. ``by`` names the programs and packages that make it,
    ``to_read`` those that read it. With ``source`` (a suffix), ``make`` writes a file of that kind
    and LibreOffice converts it to the format of ``name`` (by ``filter``).
    """

    type: str
    name: str
    make: Maker
    text: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    info: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    members: Mapping[str, str] = field(default_factory=dict)
    pictures: tuple[Picture, ...] = ()
    read: Mapping[str, Any] = field(default_factory=dict)
    by: tuple[str, ...] = ()
    to_read: tuple[str, ...] = ()
    source: str = ""
    filter: str = ""


def missing(programs: tuple[str, ...]) -> list[str]:
    """Those of the programs (and packages, named ``package:...``) that are not here."""
    return [name for name in programs if not _is_here(name)]


def _is_here(name: str) -> bool:
    kind, _, package = name.partition(":")
    if kind == "package":
        return importlib.util.find_spec(package) is not None
    return shutil.which(name) is not None


def written(content: bytes | str, encoding: str = "utf-8") -> Maker:
    """A maker of a file with just this content."""
    data = content if isinstance(content, bytes) else content.encode(encoding)

    def make(path: Path) -> None:
        path.write_bytes(data)

    return make


def flat_odf(path: Path, kind: str, body: str) -> None:
    """An OpenDocument file as one XML file, which LibreOffice opens without a manifest."""
    mime = f"application/vnd.oasis.opendocument.{kind}"
    inside = f"<office:body><office:{kind}>{body}</office:{kind}></office:body>"
    root = f'<office:document office:version="1.3" office:mimetype="{mime}" '
    part = odf_part("document", inside)
    path.write_text(part.replace("<office:document ", root, 1), encoding="utf-8")
