"""Zipped documents made of XML parts (OpenDocument, EPUB): opened and parsed without surprises."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.etree.ElementTree import Element, fromstring
from xml.parsers import expat

from deskgym.tools.guards import DAMAGE, check_zip_sizes, damage, file_size
from deskgym.tools.result import ToolError

_MAX_ENTITY = 1000  # characters of a harmless abbreviation


class Package:
    """A zipped document; ``what`` names its kind in errors ("OpenDocument file", "book")."""

    def __init__(self, path: Path, archive: zipfile.ZipFile, what: str) -> None:
        self.path = path
        self.what = what
        self._archive = archive
        self.names = frozenset(archive.namelist())

    def part(self, name: str) -> bytes:
        """The bytes of a member.

        Raises:
            ToolError: corrupt, if it is missing or damaged.
        """
        try:
            return self._archive.read(name)
        except damage(RuntimeError) as error:
            reason = f"its part {name!r} is missing" if isinstance(error, KeyError) else str(error)
            raise damaged(self.path, self.what, reason) from error

    def xml(self, name: str) -> Element:
        """The root element of an XML member.

        Raises:
            ToolError: corrupt, also if it declares entities to expand.
        """
        return parse_xml(self.part(name), self.path, name)


@contextmanager
def opened(path: Path, what: str) -> Iterator[Package]:
    """The zipped document at ``path``, its sizes checked; damage inside the block is corrupt.

    Raises:
        ToolError: encrypted, corrupt, too_large, or as `file_size`.
    """
    file_size(path)
    try:
        with zipfile.ZipFile(path) as archive:
            check_zip_sizes(path, archive.infolist())
            yield Package(path, archive, what)
    except DAMAGE as error:
        raise damaged(path, what, error) from error


def damaged(path: Path, what: str, reason: object) -> ToolError:
    """The error for a document whose content cannot be understood."""
    if isinstance(reason, zlib.error):
        reason = f"its content cannot be unpacked ({reason})"
    return ToolError(
        "corrupt", f"{path.name!r} is a damaged {what}: {reason}", "read_original returns the bytes"
    )


def parse_xml(data: bytes, path: Path, part: str = "") -> Element:
    """The root element of XML text that nobody needs to trust.

    Raises:
        ToolError: corrupt, if it is no well-formed XML or declares entities to expand.
    """
    refuse_entities(data, path, part)
    try:
        return fromstring(data)
    except DAMAGE as error:
        where = f"{path.name!r} ({part})" if part else f"{path.name!r}"
        raise ToolError(
            "corrupt",
            f"{where} is no well-formed XML: {error}",
            "read_original returns the bytes",
        ) from error


class _Harmless(Exception):
    """The root element is reached: nothing can be declared any more."""


def refuse_entities(data: bytes, path: Path, part: str = "") -> None:
    """Refuse XML that declares entities which grow, or which fetch something from elsewhere.

    Plain abbreviations (``<!ENTITY nbsp "&#160;">``) pass. What is not well-formed passes too:
    it is for the caller to complain about.

    Raises:
        ToolError: corrupt.
    """

    def declared(name: str, is_parameter: bool, value: str | None, *rest: object) -> None:
        if is_parameter or value is None or "&" in value or len(value) > _MAX_ENTITY:
            where = f"{path.name!r} ({part})" if part else f"{path.name!r}"
            raise ToolError(
                "corrupt",
                f"{where} declares the XML entity {name[:40]!r}, which is made to expand into "
                "something large or from elsewhere",
                "read_original returns the bytes",
            )

    def reached(*start: object) -> None:
        raise _Harmless

    parser = expat.ParserCreate()
    parser.EntityDeclHandler = declared
    parser.StartElementHandler = reached
    try:
        parser.Parse(data, True)
    except (_Harmless, expat.ExpatError, LookupError, ValueError):
        return
