"""Broken files, read by the real worker: a typed error or a note, within memory and time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import corpus
import pytest
from broken import BROKEN, Broken
from corpus_case import missing
from worker_client import MEMORY, WorkerClient

Made = Callable[[str], Path]


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in BROKEN])
def test_what_is_broken_says_so(
    made: Made, tmp_path: Path, reader: WorkerClient, case: Broken
) -> None:
    if lacking := missing(case.by):
        pytest.skip(f"{case.name} WAS NOT READ: {', '.join(lacking)} is not installed")
    path = tmp_path / case.name
    case.make(path, made)
    asked = f"{path}!/{case.member}" if case.member else path
    reply, _ = reader.ask(case.op, asked, **case.args)
    if case.kind:
        assert not reply["ok"], reply
        assert reply["error"]["kind"] == case.kind, reply["error"]
        assert len(reply["error"]["message"]) > 20
    else:
        assert reply["ok"], reply["error"]
        assert any(case.note in note for note in ["", *reply["notes"]]), reply
        assert {key: reply["info"].get(key) for key in case.info} == case.info
        if case.text:
            assert reply["segments"][0]["text"] == case.text


def test_each_says_something_that_can_be_wrong() -> None:
    for case in BROKEN:
        assert case.kind or case.note or case.text or case.info, case.name


@pytest.mark.parametrize("kind", corpus.all_types())
def test_a_file_of_no_bytes_is_empty(tmp_path: Path, reader: WorkerClient, kind: str) -> None:
    first = next(case.name for case in corpus.CASES if case.type == kind)
    path = tmp_path / first
    path.touch()
    for op in ("read_text", "read_image"):
        reply, _ = reader.ask(op, path)
        assert (reply["ok"], reply["error"]["kind"]) == (False, "empty")


_SLOW = ("doc", "ppt")  # read by starting LibreOffice, which the table above does often enough


@pytest.mark.parametrize("kind", [kind for kind in corpus.all_types() if kind not in _SLOW])
def test_a_third_of_any_file_is_answered(
    made: Made, tmp_path: Path, reader: WorkerClient, kind: str
) -> None:
    """Whatever is left of it: a reading, or one of the errors that a torn file may be."""
    first = next(case.name for case in corpus.CASES if case.type == kind)
    data = made(first).read_bytes()
    (tmp_path / first).write_bytes(data[: len(data) // 3])
    reply, _ = reader.ask("read_text", tmp_path / first)
    if reply["ok"]:
        assert reply["segments"] or reply["notes"]
    else:
        assert reply["error"]["kind"] in ("corrupt", "unsupported")


def test_reading_a_column_file_leaves_room_for_others(made: Made, reader: WorkerClient) -> None:
    """Its library would set aside a gigabyte of addresses for good."""
    reply, _ = reader.ask("read_text", made("bills.parquet"))
    assert reply["ok"], reply["error"]
    assert reader.addresses() < MEMORY // 2


def test_every_type_has_a_broken_file() -> None:
    """The table: broken files a type (besides those without bytes), and the ways they are."""
    files = Counter(case.type for case in BROKEN)
    ways = Counter(case.how for case in BROKEN)
    print(*(f"{kind:10} {files[kind]}" for kind in corpus.all_types()), sep="\n")
    assert sorted(files) == sorted(corpus.all_types())
    assert len({case.name for case in BROKEN}) == len(BROKEN)
    assert {
        "truncated", "wrong suffix", "encrypted", "bomb", "hostile XML", "absurd dimensions",
        "endless media header",
    } <= set(ways)  # fmt: skip
