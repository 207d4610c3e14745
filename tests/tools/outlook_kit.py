"""Writes Outlook message files for tests: an OLE container with the streams of a message."""

from __future__ import annotations

import itertools
import struct
from typing import Any

SECTOR, MINI, CUTOFF = 512, 64, 4096
END, FAT, NONE = 0xFFFFFFFE, 0xFFFFFFFD, 0xFFFFFFFF
Tree = dict[str, Any]  # names to bytes, or to trees


def container(tree: Tree) -> bytes:
    """An OLE file (version 3) with ``tree`` as its storages and streams."""
    entries: list[tuple[str, int, bytes, int, int]] = []  # name, kind, data, child, sibling

    def add(name: str, kind: int, data: bytes, children: Tree) -> int:
        at = len(entries)
        entries.append((name, kind, data, NONE, NONE))
        numbers = []
        # Siblings form a search tree: shorter names first, then by their letters. A chain will do.
        for child in sorted(children, key=lambda n: (len(n), n.upper())):
            value = children[child]
            if isinstance(value, bytes):
                numbers.append(add(child, 2, value, {}))
            else:
                numbers.append(add(child, 1, b"", value))
        for left, right in itertools.pairwise(numbers):
            entries[left] = (*entries[left][:4], right)
        if numbers:
            entries[at] = (*entries[at][:3], numbers[0], entries[at][4])
        return at

    add("Root Entry", 5, b"", tree)
    large, small = _Space(SECTOR), _Space(MINI)
    places = {
        at: (large if len(data) >= CUTOFF else small).store(data)
        for at, (_, kind, data, _, _) in enumerate(entries)
        if kind == 2
    }
    entries[0] = (*entries[0][:2], small.bytes(), *entries[0][3:])
    places[0] = large.store(small.bytes())
    mini_at = large.store(small.table())
    mini_tables = -(-len(small.table()) // SECTOR)
    directory = b""
    for at, (name, kind, data, child, sibling) in enumerate(entries):
        first = 0 if kind == 1 else places[at]
        encoded = name.encode("utf-16-le") + b"\0\0"
        directory += encoded.ljust(64, b"\0") + struct.pack(
            "<HBBIII16sIQQIQ", len(encoded), kind, 1, NONE, sibling, child, b"", 0, 0, 0, first,
            len(data),
        )  # fmt: skip
    directory_at = large.store(directory)
    tables = 1
    while (len(large.sectors) + tables) * 4 > tables * SECTOR:
        tables += 1
    fat_at = len(large.sectors)
    large.links += [FAT] * tables
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    header += struct.pack(
        "<HHHHH6sIIIIIIIIII", 0x3E, 3, 0xFFFE, 9, 6, b"", 0, tables, directory_at, 0, CUTOFF,
        mini_at, mini_tables, END, 0, fat_at,
    )  # fmt: skip
    header += b"".join(struct.pack("<I", fat_at + n) for n in range(1, tables))
    return header.ljust(SECTOR, b"\xff") + large.bytes() + large.table().ljust(SECTOR, b"\xff")


class _Space:
    """Sectors of one size, and which follows which."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.sectors: list[bytes] = []
        self.links: list[int] = []

    def store(self, data: bytes) -> int:
        """Where ``data`` begins from now on."""
        first = len(self.sectors)
        for start in range(0, len(data), self.size):
            self.sectors.append(data[start : start + self.size].ljust(self.size, b"\0"))
            self.links.append(len(self.sectors))
        if not data:
            return END
        self.links[-1] = END
        return first

    def bytes(self) -> bytes:
        return b"".join(self.sectors)

    def table(self) -> bytes:
        found = b"".join(struct.pack("<I", link) for link in self.links)
        return found.ljust(-(-len(found) // SECTOR) * SECTOR, b"\xff")


def text(number: str, value: str) -> Tree:
    return {f"__substg1.0_{number}001F": value.encode("utf-16-le")}


def old_text(number: str, value: str, charset: str) -> Tree:
    return {f"__substg1.0_{number}001E": value.encode(charset)}


def binary(number: str, value: bytes) -> Tree:
    return {f"__substg1.0_{number}0102": value}


def fixed(head: int, **numbers: int) -> Tree:
    """The property stream: ``n0039=...`` is a time, ``n0C15=...`` a number."""
    data = bytes(head)
    for name, value in numbers.items():
        number = int(name[1:], 16)
        kind = 0x0040 if number in (0x0039, 0x0E06) else 0x0003
        data += struct.pack("<HHIQ", kind, number, 6, value)
    return {"__properties_version1.0": data}


def recipient(name: str, address: str, kind: int) -> Tree:
    return text("3001", name) | text("39FE", address) | fixed(8, n0C15=kind)
