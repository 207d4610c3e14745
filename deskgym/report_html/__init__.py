"""A run as one page: its figures, its charts, and every episode's steps."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from deskgym.report_cases import Case


def write_html(
    run: Path, out: Path, *, cases: Sequence[Case] | None = None, episodes: int = 300
) -> None:
    """Write the page of the run in the folder ``run`` to ``out``, in whole or not at all.

    ``cases`` are the run's (`report_cases.read_cases`), if they are read already. The steps of at
    most ``episodes`` are shown, those with a wrong answer first; of the others there is a line
    each.

    Raises:
        TrajectoryError: there is no run, or a file of it cannot be read.
        ReportError: its scores are not of its results, or ``out`` cannot be written.
        ChartsMissing: matplotlib is not installed.
    """
    from deskgym.env.run_reader import read_config
    from deskgym.report import report_of
    from deskgym.report_cases import ReportError, read_cases
    from deskgym.report_html import page, sections
    from deskgym.report_html.episodes import listing, ranked, shown_episodes
    from deskgym.tasks.whole_file import replacing

    config = read_config(run)
    found = read_cases(run) if cases is None else cases
    parts = sections.summary(config, report_of(found), found)
    links = [*((part.id, part.heading) for part in parts), ("episodes", "Episodes")]
    order = ranked(found)
    try:
        with replacing(out) as draft, draft.open("w", encoding="utf-8", newline="\n") as stream:
            stream.write(page.opening(f"Run {run.resolve().name}", links))
            for part in parts:
                stream.write(page.section_start(part.id, part.heading))
                stream.write(part.body)
                stream.write(page.SECTION_END)
            stream.write(page.section_start("episodes", "Episodes"))
            stream.writelines(listing(order, inline=episodes))
            stream.writelines(shown_episodes(run, order[:episodes]))
            stream.write(page.SECTION_END)
            stream.write(page.closing())
    except OSError as error:
        raise ReportError(
            f"cannot write {out}: {error.strerror or error}; choose another place"
        ) from error
