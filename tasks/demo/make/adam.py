"""Adam Whitlock: a trainee solicitor in London with a tidy desk of numbered folders."""

from __future__ import annotations

from pathlib import Path

from deskgym.tasks.demo.make import (
    adam_files_family,
    adam_files_home,
    adam_files_life,
    adam_files_matters,
    adam_files_study,
    adam_files_work,
    adam_tasks,
    adam_tasks_joined,
    adam_tasks_profile,
)
from deskgym.tasks.demo.make.kit import Desk, Place

HOME = Place(51.5072, -0.1276, "London")


def build(out: Path) -> None:
    """Write Adam's files and tasks below ``out``.

    Raises:
        DeskError: a file or a task cannot be made as written.
    """
    desk = Desk(
        name="adam",
        user="Adam Whitlock",
        description=(
            "Adam, 25, is a trainee solicitor in London: a training contract with four seats, a "
            "shared flat, exams, football on Thursdays and his sister's wedding. His desk is "
            "heavy with documents and filed in numbered folders, drafts beside finals."
        ),
        out=out,
        home=HOME,
    )
    adam_files_work.add_files(desk)
    adam_files_matters.add_files(desk)
    adam_files_home.add_files(desk)
    adam_files_study.add_files(desk)
    adam_files_life.add_files(desk)
    adam_files_family.add_files(desk)
    adam_tasks.add_tasks(desk)
    adam_tasks_joined.add_tasks(desk)
    adam_tasks_profile.add_tasks(desk)
    desk.finish()
