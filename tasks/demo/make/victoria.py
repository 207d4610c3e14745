"""Victoria Okafor-Reyes, 38, equity analyst in New York: her desk from mid 2023 to mid 2025."""

from __future__ import annotations

from pathlib import Path

from deskgym.tasks.demo.make import (
    victoria_files_compliance,
    victoria_files_condo,
    victoria_files_life,
    victoria_files_office,
    victoria_files_research,
    victoria_files_research_2025,
    victoria_files_research_late,
    victoria_tasks,
    victoria_tasks_home,
    victoria_tasks_profile,
)
from deskgym.tasks.demo.make.kit import Desk, Place

DESCRIPTION = (
    "Equity analyst for water and flow equipment in New York. Earnings models, research notes in "
    "drafts and finals, memos after calls, compliance mails; the purchase of a flat in Brooklyn, "
    "marathon training, piano, and her daughter's school. Mid 2023 to mid 2025."
)


def build(out: Path) -> None:
    """Write Victoria's files and tasks below ``out / "victoria"``.

    Raises:
        DeskError: the script does not fit its own files; the message names what.
    """
    home = Place(40.6650, -73.9580, "Brooklyn, New York")
    desk = Desk("victoria", "Victoria Okafor-Reyes", DESCRIPTION, out, home=home)
    victoria_files_research.add_files(desk)
    victoria_files_research_late.add_files(desk)
    victoria_files_research_2025.add_files(desk)
    victoria_files_compliance.add_files(desk)
    victoria_files_condo.add_files(desk)
    victoria_files_life.add_files(desk)
    victoria_files_office.add_files(desk)
    victoria_tasks.add_tasks(desk)
    victoria_tasks_home.add_tasks(desk)
    victoria_tasks_profile.add_tasks(desk)
    desk.finish()
