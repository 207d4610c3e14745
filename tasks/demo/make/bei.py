"""Bei Lindqvist-Tan: a freelance designer and film maker in Singapore with a messy desk."""

from __future__ import annotations

from pathlib import Path

from deskgym.tasks.demo.make import (
    bei_files_admin,
    bei_files_home,
    bei_files_lumen,
    bei_files_office,
    bei_files_travel,
    bei_files_work,
    bei_tasks,
    bei_tasks_media,
    bei_tasks_profile,
)
from deskgym.tasks.demo.make.kit import Desk


def build(out: Path) -> None:
    """Write Bei's files and tasks below ``out``.

    Raises:
        DeskError: a file or a task cannot be made as written.
    """
    desk = Desk(
        name="bei",
        user="Bei Lindqvist-Tan",
        description=(
            "Bei, 31, designs and makes small films in Singapore, alone but for a helper and a "
            "cat. Client work, invoices, voice memos at night, a studio lease, camera gear, "
            "journeys to Lisbon and Kyoto; notes in English and Chinese; a messy desk."
        ),
        out=out,
        home=bei_files_home.HOME,
    )
    bei_files_admin.add_files(desk)
    bei_files_office.add_files(desk)
    bei_files_lumen.add_files(desk)
    bei_files_work.add_files(desk)
    bei_files_travel.add_files(desk)
    bei_files_home.add_files(desk)
    bei_tasks.add_tasks(desk)
    bei_tasks_media.add_tasks(desk)
    bei_tasks_profile.add_tasks(desk)
    desk.finish()
