"""Hashes are right, cost nothing the second time, and are never those of another file."""

from __future__ import annotations

import hashlib
import json
import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from deskgym.tasks import file_hashes
from deskgym.tasks.file_hashes import cache_file, hashes


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two files, and a cache of its own."""
    monkeypatch.setenv("DESKGYM_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "files"
    (folder / "b").mkdir(parents=True)
    (folder / "a.txt").write_bytes(b"one")
    (folder / "b/ü x.txt").write_bytes(b"two")
    return folder


PATHS = ("a.txt", "b/ü x.txt")


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that are read from now on."""
    names: list[str] = []
    really = file_hashes._sha256

    def counted(file: Path) -> str:
        names.append(file.name)
        return really(file)

    monkeypatch.setattr(file_hashes, "_sha256", counted)
    return names


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_each_file_is_read_once(root: Path, read: list[str]) -> None:
    expected = {"a.txt": sha(b"one"), "b/ü x.txt": sha(b"two")}
    assert hashes(root, PATHS) == expected
    assert hashes(root, iter(PATHS)) == expected
    assert read == ["a.txt", "ü x.txt"]


@pytest.mark.parametrize("change", ["content", "time"])
def test_a_changed_file_is_read_again(root: Path, read: list[str], change: str) -> None:
    hashes(root, PATHS)
    if change == "content":
        (root / "a.txt").write_bytes(b"other")
    else:
        (root / "a.txt").write_bytes(b"ONE")  # the same size
        os.utime(root / "a.txt", ns=(0, 123_456_789))
    assert hashes(root, PATHS)["a.txt"] == sha((root / "a.txt").read_bytes())
    assert read == ["a.txt", "ü x.txt", "a.txt"]


def test_what_other_calls_found_is_kept(root: Path, read: list[str]) -> None:
    hashes(root, PATHS[:1])
    hashes(root, PATHS[1:])
    hashes(root, PATHS)
    assert len(read) == 2


def test_what_was_read_before_an_error_is_kept(root: Path, read: list[str]) -> None:
    with pytest.raises(FileNotFoundError) as raised:
        hashes(root, ["a.txt", "gone.txt"])
    assert raised.value.filename == str(root / "gone.txt")
    hashes(root, ["a.txt"])
    assert read == ["a.txt"]


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"format_version": 0}', b'{"format_version": 1, "files": 3}',
                b'{"format_version": 1, "files": {"a.txt": ["3", 0, "x"]}}'],
)  # fmt: skip
def test_a_cache_that_cannot_be_used_is_made_anew(root: Path, content: bytes) -> None:
    expected = hashes(root, PATHS)
    cache_file(root).write_bytes(content)
    assert hashes(root, PATHS) == expected
    assert set(json.loads(cache_file(root).read_bytes())["files"]) == set(PATHS)


def test_folders_do_not_share(root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.txt").write_bytes(b"eno")
    stat = (root / "a.txt").stat()
    os.utime(other / "a.txt", ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert hashes(root, ["a.txt"]) != hashes(other, ["a.txt"])


def test_processes_do_not_disturb_each_other(root: Path) -> None:
    for number in range(20):
        (root / f"{number}.txt").write_bytes(bytes([number]))
    chosen = [[f"{n}.txt" for n in range(first, 20, 2)] for first in (0, 1)] * 3
    with ProcessPoolExecutor(2) as pool:
        results = list(pool.map(hashes, [root] * len(chosen), chosen))
    for paths, found in zip(chosen, results, strict=True):
        assert found == {path: sha((root / path).read_bytes()) for path in paths}
    json.loads(cache_file(root).read_bytes())
    assert [p.name for p in cache_file(root).parent.iterdir()] == [cache_file(root).name]
