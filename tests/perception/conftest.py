"""The fixture corpus, made once a session, and the worker that reads its broken files.

These tests run on any machine: what a program or package is missing for is skipped, and said so.
In the perception container, which has all that reading takes but neither pytest nor espeak-ng,
the same tests read with the container's own libraries. From the project's root:

    pip install --target build/pytest pytest pytest-timeout
    docker run --rm --network none --entrypoint python3 -v "$PWD/tests:/tests:ro" \\
        -v "$PWD/build/pytest:/pytest:ro" -e PYTHONPATH=/opt/deskgym/lib:/pytest \\
        deskgym/perception:TAG -m pytest -p no:cacheprovider --rootdir /tests/perception \\
        --confcutdir /tests/perception /tests/perception/test_{corpus,broken}.py

(``docker images deskgym/perception`` names TAG; ``deskgym image build --perception`` builds it.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import corpus
import pytest
from corpus_case import missing
from worker_client import MEMORY, WorkerClient

Made = Callable[[str], Path]


@pytest.fixture(scope="session")
def corpus_folder(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """The corpus, and why some of it may not be there."""
    folder = tmp_path_factory.mktemp("corpus")
    return folder, corpus.build(folder)


@pytest.fixture(scope="session")
def made(corpus_folder: tuple[Path, dict[str, str]]) -> Made:
    """The file of the corpus by a name; the test is skipped if it could not be made or read."""
    folder, absent = corpus_folder
    by_name = {case.name: case for case in corpus.CASES}

    def find(name: str) -> Path:
        if name in absent:
            pytest.skip(f"{name} WAS NOT MADE: {absent[name]}")
        if lacking := missing(by_name[name].to_read):
            pytest.skip(f"{name} WAS NOT READ: {', '.join(lacking)} is not installed")
        return folder / name

    return find


@pytest.fixture(scope="module")
def reader() -> Iterator[WorkerClient]:
    """A worker process. At its end it, and all that it started, must have kept to the memory."""
    client = WorkerClient()
    yield client
    code, peak = client.end()
    assert code == 0, f"the worker ended with {code}"
    assert peak <= MEMORY, f"the worker or a program it ran took {peak:,} bytes"
