"""What lies about besides the records: archives of the years before, drafts, notes of no use."""

from __future__ import annotations

import random
from datetime import datetime, timedelta

from deskgym.tasks.demo.make.deterministic import zip_bytes
from deskgym.tasks.demo.make.office import docx_bytes
from deskgym.tasks.made.files.placed import Home
from deskgym.tasks.made.files.rooms import Rooms, short
from deskgym.tasks.made.models import Life
from deskgym.tasks.made.records import Record
from deskgym.tasks.made.records.papers import paragraph
from deskgym.tasks.made.records.stock import BANDS, PAGES, SONG_NOUNS, SONG_WORDS
from deskgym.tasks.made.records.talk import article

_KEPT = ("Inventory of the cellar", "Packing list", "Garden plan", "Reading list", "Old passwords",
         "Questions for the landlord", "Christmas cards", "Songs to learn")  # fmt: skip


def add_old(home: Home, life: Life, rooms: Rooms) -> None:
    """Zips of the two years before the life begins; nothing in them is about the life."""
    for year in (life.first.year - 2, life.first.year - 1):
        chance = rooms.chance("old", year)
        members = [
            (f"{year}/{_KEPT[n]}.txt", _kept(chance, year).encode())
            for n in sorted(chance.sample(range(len(_KEPT)), 4))
        ]
        members += [
            (f"{year}/Saved pages/{head}.txt", article(chance, 8).encode() + b"\n")
            for head in map(short, chance.sample(PAGES, 5))
        ]
        packed = datetime(year + 1, 1, chance.randrange(2, 25), chance.randrange(9, 22))
        name = {"filed": f"{year}", "broad": f"old {year}", "piled": f"stuff_{year}"}[rooms.sort]
        path = f"{rooms.folder('archive', packed)}/{name}.zip"
        home.add(path, zip_bytes(members, packed), packed)


def _kept(chance: random.Random, year: int) -> str:
    lines = [f"As of {chance.randrange(1, 13):02d}/{year}", ""]
    lines += [
        f"- {chance.choice(SONG_WORDS).lower()} {chance.choice(SONG_NOUNS).lower()}"
        for _ in range(chance.randrange(5, 12))
    ]
    return "\n".join([*lines, "", chance.choice(BANDS), ""])


def add_drafts(home: Home, reports: list[Record], author: str, rooms: Rooms) -> None:
    """Unfinished versions of some reports, in which everything that counts is still missing.

    Tidy people have thrown them away.
    """
    share = {"filed": 0.0, "broad": 0.25, "piled": 0.6}[rooms.sort]
    for record in reports:
        chance = rooms.chance("draft", record.id)
        if chance.random() >= share:
            continue
        title = str(record.fields["title"])
        text = f"# {title}\n\nDraft, not for circulation.\n\n## Summary\nTo follow.\n\n"
        text += f"## Background\n{paragraph(chance, 6)}\n\n## Next steps\n- to be written\n"
        made = record.time - timedelta(days=chance.randrange(1, 5), minutes=chance.randrange(300))
        state = chance.choice(("draft", "v1", "old", "final", "final_v2"))
        path = f"{rooms.folder('report', made)}/{short(title).casefold()} {state}.docx"
        home.add(path, docx_bytes(text, author, made, made), made)
