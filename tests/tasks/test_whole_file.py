"""A file is replaced at once or not at all, and no draft is left."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from deskgym.tasks.whole_file import replacing


def test_what_was_written_takes_the_place_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "kept.json"
    file.write_text("old")
    with replacing(file) as draft:
        draft.write_text("new")
        assert file.read_text() == "old"
    assert file.read_text() == "new"
    assert list(tmp_path.iterdir()) == [file]


def test_a_failure_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "kept.json"
    file.write_text("old")

    def fail() -> None:
        with replacing(file) as draft:
            draft.write_text("half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_nothing_written_is_an_error_and_loses_nothing(tmp_path: Path) -> None:
    file = tmp_path / "kept.json"
    file.write_text("old")
    with pytest.raises(FileNotFoundError), replacing(file):
        pass
    assert file.read_text() == "old"


def test_several_writers_do_not_mix(tmp_path: Path) -> None:
    file = tmp_path / "kept.txt"

    def write(word: str) -> None:
        with replacing(file) as draft:
            draft.write_text(word * 10_000)

    threads = [threading.Thread(target=write, args=(word,)) for word in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    text = file.read_text()
    assert len(text) == 10_000
    assert len(set(text)) == 1
    assert list(tmp_path.iterdir()) == [file]
