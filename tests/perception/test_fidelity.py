"""What reading gets right of files whose every word is known, in the perception container.

Each figure is the one that `deskgym bench perception` prints.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from docker import DockerClient
from hypothesis import given
from hypothesis import strategies as st

from deskgym.bench import Row, Skipped
from deskgym.bench_perception import FIDELITY, lateness, measure
from deskgym.bench_profiles import Bench, known_models
from deskgym.bench_truth import error_rate, in_order, words
from deskgym.env.models import recipe_with
from deskgym.env.sandbox.images import ensure_image

text = st.text("abc", max_size=12)
known = st.text("abc", min_size=1, max_size=12)


@pytest.fixture(scope="module")
def bench(docker_client: DockerClient) -> Iterator[Bench]:
    models = known_models()
    for model in (None, *models.values()):
        ensure_image(docker_client, recipe_with(docker_client, model), say=print)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        yield Bench(docker_client, Path(folder), models, stack, quick=True)


def _row(bench: Bench, name: str) -> Row:
    row = measure(bench, name)
    if isinstance(row, Skipped):
        pytest.skip(f"{name} WAS NOT MEASURED: {row.reason}")
    return row


@pytest.mark.docker
@pytest.mark.parametrize("kind", ["pdf", "docx", "xlsx", "pptx", "eml", "ics"])
def test_the_words_of_documents_are_found_in_order(bench: Bench, kind: str) -> None:
    row = _row(bench, f"recall-{kind}")
    assert 0.99 <= row.ours <= 1
    assert row.met


@pytest.mark.docker
def test_printed_pages_are_read_letter_by_letter(bench: Bench) -> None:
    row = _row(bench, "ocr-errors")
    assert 0 <= row.ours <= 0.05
    assert row.met


@pytest.mark.docker
@pytest.mark.parametrize("engine", ["openai", "faster"])
def test_speech_is_heard_and_timed(bench: Bench, engine: str) -> None:
    row = _row(bench, f"speech-{engine}")
    assert 0 <= row.ours <= 0.25
    late = float(row.note.rpartition(" are ")[2].partition(" s off")[0])
    assert 0 <= late <= 1.5
    assert row.met


def test_every_kind_of_file_has_its_row() -> None:
    kinds = {name.partition("-")[0] for name in FIDELITY}
    assert kinds == {"recall", "ocr", "speech"}
    assert len(FIDELITY) == 9


@pytest.mark.parametrize(
    ("said", "heard", "share"),
    [("abcd", "abcd", 1), ("abcd", "xaxbxcxd", 1), ("abcd", "dcba", 0.25), ("abcd", "", 0)],
)
def test_recall_counts_what_is_in_order(said: str, heard: str, share: float) -> None:
    assert in_order(said, heard) == share


@pytest.mark.parametrize(
    ("said", "heard", "rate"),
    [("abcd", "abcd", 0), ("abcd", "abd", 0.25), ("abcd", "", 1), ("ab", "xaby", 1), ("a", "b", 1)],
)
def test_errors_are_insertions_deletions_and_replacements(
    said: str, heard: str, rate: float
) -> None:
    assert error_rate(said, heard) == rate


@given(known, text)
def test_recall_is_that_of_the_table_of_subsequences(said: str, heard: str) -> None:
    row = [0] * (len(heard) + 1)
    for letter in said:
        before = row
        row = [0]
        for place, other in enumerate(heard, 1):
            better = before[place - 1] + 1 if letter == other else max(row[-1], before[place])
            row.append(better)
    assert in_order(said, heard) == row[-1] / len(said)


@given(known, text)
def test_the_error_rate_is_that_of_the_table_of_distances(said: str, heard: str) -> None:
    row = list(range(len(heard) + 1))
    for number, letter in enumerate(said, 1):
        before = row
        row = [number]
        for place, other in enumerate(heard, 1):
            row.append(min(before[place] + 1, row[-1] + 1, before[place - 1] + (letter != other)))
    assert error_rate(said, heard) == row[-1] / len(said)


def test_nothing_known_is_refused() -> None:
    with pytest.raises(ValueError, match="nothing is known"):
        in_order("", "a")
    with pytest.raises(ValueError, match="nothing is known"):
        error_rate("", "a")


def test_words_leave_marks_and_case_aside() -> None:
    assert words("| **Zürich**, 1,234.50 | it's |") == ["zürich", "1", "234", "50", "it", "s"]


def test_a_sentence_is_timed_where_its_words_are_heard() -> None:
    said = [(4.0, "call the landlord"), (9.0, "paint the fence")]
    heard = [(0.0, "hello"), (4.5, "Call the landlord."), (8.0, "paint a fence")]
    assert lateness(said, heard) == 1.0
    assert lateness(said, []) == float("inf")
