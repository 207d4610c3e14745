"""What the chaos is held against: the same run, left in peace."""

from __future__ import annotations

from pathlib import Path

import pytest
from chaos_kit import EPISODES, Run

from deskgym.env.trajectory import EpisodeResult


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory, desk_image: str) -> Path:
    """The folder of an undisturbed run."""
    run = Run(tmp_path_factory.mktemp("chaos") / "undisturbed")
    run.end()
    results = run.results()
    assert len(results) == EPISODES
    assert {result.ended for result in results} == {"answered"}
    # Answers that differ: or results could be mixed up unseen.
    assert len({result.answer for result in results}) == EPISODES
    return run.out


@pytest.fixture(scope="session")
def expected(undisturbed: Path) -> list[EpisodeResult]:
    """Its results."""
    from deskgym.env.run_reader import read_results

    return read_results(undisturbed)
