"""Where somebody puts things: names and folders by how tidy the person is.

Three sorts of people, from the habits that their questionnaire answers give: one files under
dated names in numbered or named folders, one keeps a few broad folders, one leaves most things
where they came in: on the desktop and in the downloads.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from deskgym.tasks.made.models import Life
from deskgym.tasks.made.records.dates import month
from deskgym.tasks.made.seeds import random_for
from deskgym.tasks.made.spec import MadeSpec

Sort = Literal["filed", "broad", "piled"]

_FOLDERS: dict[str, tuple[str, str, str]] = {
    # what: filed, broad, piled
    "bank": ("Documents/Money/Bank/{year}", "Documents/Money", "Downloads"),
    "statement": ("Documents/Money/Statements/{year}", "Documents/Money", "Downloads"),
    "budget": ("Documents/Money", "Documents/Money", "Desktop"),
    "orders": ("Documents/Money/Orders", "Documents/Money", "Downloads"),
    "letter": ("Documents/Letters/{year}/{month}", "Documents/Letters", "Downloads"),
    "report": ("Work/Reports/{year}", "Work", "Desktop"),
    "note": ("Notes/{year}/{month}", "Notes", "Desktop"),
    "journal": ("Journal/{year}", "Notes/Journal", "Documents"),
    "chat": ("Assistant/{year}/{month}", "Documents/Assistant", "Documents/chats"),
    "mail": ("Mail/{box}/{year}-{month}", "Mail/{box}", "Mail/{box}"),
    "bulk": ("Mail/Newsletters", "Mail/Newsletters", "Mail"),
    "clipping": ("Reading/Saved pages/{year}-{month}", "Documents/Saved", "Downloads"),
    "photo": ("Pictures/{year}/{year}-{month}", "Pictures/{year}", "Pictures/Camera"),
    "receipt": ("Documents/Money/Receipts/{year}-{month}", "Pictures/Receipts", "Pictures/Camera"),
    "memo": ("Recordings/Memos/{year}", "Recordings", "Downloads"),
    "clip": ("Recordings/Screen/{year}", "Recordings", "Desktop"),
    "calendar": ("Calendar/{year}", "Documents/Calendar", "Documents/backup"),
    "lists": ("Calendar/Lists", "Documents/Calendar", "Documents/backup"),
    "health": ("Documents/Health/Exports/{year}", "Documents/Health", "Documents/backup"),
    "phone": ("Backups/Phone/{year}", "Backups/Phone", "Documents/backup"),
    "browser": ("Backups/Browser/{year}", "Backups", "Documents/backup"),
    "people": ("Contacts", "Documents", "Documents"),
    "graphs": ("Contacts/Networks", "Documents", "Documents/backup"),
    "archive": ("Archive", "Archive", "Desktop"),
}
_BAD = re.compile(r"[^\w .,()&'+-]+")
_DATED = re.compile(r", \d{1,2} [A-Z][a-z]+$")
_STATES = ("final", "final_v2", "final_v3", "final_v3 (2)", "new", "copy", "v2", "last", "draft2")


@dataclass(frozen=True)
class Rooms:
    """Names for files. Nothing is remembered: `Home.add` sees to it that no two are the same."""

    sort: Sort
    seed: int
    owner: str

    @classmethod
    def of(cls, life: Life, spec: MadeSpec) -> Rooms:
        """The rooms of the person whose life it is."""
        tidy = life.habits.tidy
        sort: Sort = "filed" if tidy >= 0.6 else "broad" if tidy >= 0.4 else "piled"
        return cls(sort, spec.seed, life.person.id)

    def chance(self, *names: object) -> random.Random:
        """The generator for what is named."""
        return random_for(self.seed, self.owner, "rooms", *names)

    def folder(self, what: str, when: date, box: str = "") -> str:
        """The folder for ``what`` of that day."""
        template = _FOLDERS[what][("filed", "broad", "piled").index(self.sort)]
        return template.format(year=f"{when:%Y}", month=f"{when:%m}", box=box)

    def monthly(self, what: str, name: str, when: date, suffix: str) -> str:
        """The path of an export of a month."""
        stem = {
            "filed": f"{when:%Y-%m} {name}",
            "broad": f"{name} {month(when)[:3]} {when:%Y}",
            "piled": f"{name.replace(' ', '_')}_{when:%m%y}",
        }[self.sort]
        return f"{self.folder(what, when)}/{stem}.{suffix}"

    def single(self, what: str, title: str, when: datetime, suffix: str, box: str = "") -> str:
        """The path of a file of its own that is about ``title``."""
        chance = self.chance("name", what, title, when)
        words = short(title)
        match self.sort:
            case "filed":
                stem = f"{when:%Y-%m-%d} {words}"
            case "broad":
                dated = what == "report" or _DATED.search(title) is not None
                stem = words if dated else f"{words} {when:%d%m}"
            case _:
                stem = words.casefold()
                if what == "report":
                    stem = f"{stem} {chance.choice(_STATES)}"
                elif what in ("note", "letter") and chance.random() < 0.5:
                    stem = {"note": "untitled", "letter": "scan"}[what]
        return f"{self.folder(what, when, box)}/{stem}.{suffix}"


def short(title: str, most: int = 48) -> str:
    """``title`` as part of a file's name: no odd characters, not too long."""
    plain = " ".join(_BAD.sub(" ", title).split()).strip(" .")
    if len(plain) > most:
        plain = plain[:most].rsplit(" ", 1)[0].strip(" .,")
    return plain or "untitled"
