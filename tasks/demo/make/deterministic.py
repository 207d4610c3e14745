"""Bytes that come out the same on every run: seeds, zip files, dates inside office files."""

from __future__ import annotations

import hashlib
import io
import random
import re
import zipfile
from datetime import datetime

_CORE = "docProps/core.xml"


def digest(text: str) -> str:
    """A short hexadecimal name that depends on ``text`` alone."""
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def generator(path: str) -> random.Random:
    """A random generator seeded by the path of the file that it serves."""
    return random.Random(digest(path))


def zip_bytes(members: list[tuple[str, bytes]], when: datetime) -> bytes:
    """A zip file of ``members`` in the order given, all dated ``when``."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in members:
            # Zip keeps even seconds only, and nothing before 1980.
            info = zipfile.ZipInfo(name, max(when, datetime(1980, 1, 1)).timetuple()[:6])
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            info.create_system = 3
            archive.writestr(info, data)
    return buffer.getvalue()


def office_bytes(data: bytes, created: datetime, modified: datetime) -> bytes:
    """An office file (docx, xlsx, pptx) with its members sorted and all its dates fixed.

    The libraries stamp the time of saving into the zip directory and, some of them, into the core
    properties too; both are replaced. ``[Content_Types].xml`` stays first, as readers expect.
    """
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = [(name, archive.read(name)) for name in archive.namelist()]
    members.sort(key=lambda m: (m[0] != "[Content_Types].xml", m[0]))
    dated = [(n, _dated(d, created, modified) if n == _CORE else d) for n, d in members]
    return zip_bytes(dated, modified)


def _dated(core: bytes, created: datetime, modified: datetime) -> bytes:
    for field, when in (("created", created), ("modified", modified)):
        stamp = when.strftime("%Y-%m-%dT%H:%M:%SZ").encode()
        core = re.sub(
            rf"(<dcterms:{field}[^>]*>)[^<]*(</dcterms:{field}>)".encode(),
            rb"\g<1>" + stamp + rb"\g<2>",
            core,
        )
    return core
