"""Annotation files come back byte for byte, and a change changes what it says and no more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hippocamp_made import STYLES, records
from hypothesis import given
from hypothesis import strategies as st

from deskgym.tasks.hippocamp.annotations import (
    CannotRewrite,
    Style,
    read_records,
    style_of,
    write_annotations,
)
from deskgym.tasks.registry import BadDataset

# What JSON and UTF-8 can hold; numbers of any kind, 1.0 beside 1.
_TEXT = st.text(st.characters(codec="utf-8"), max_size=8)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from([1, 1.0, 0.0, -0.0])
    | _TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3),
    max_leaves=8,
)  # fmt: skip
_RECORDS = st.lists(st.dictionaries(_TEXT, _VALUES, max_size=4), max_size=3)
_EACH_STYLE = pytest.mark.parametrize("written", STYLES.values(), ids=STYLES.keys())


def copied(data: bytes) -> bytes:
    found = read_records(data, "x.json")
    return write_annotations(found, style_of(data, found, "x.json"))


@_EACH_STYLE
def test_published_records_come_back(written: Callable[[Any], bytes]) -> None:
    data = written(records("Adam", ("Home/costs.xlsx",)))
    assert copied(data) == data


@_EACH_STYLE
@given(content=_RECORDS)
def test_whatever_records_hold_comes_back(
    written: Callable[[Any], bytes], content: list[dict[str, Any]]
) -> None:
    data = written(content)
    assert copied(data) == data


@given(content=_RECORDS, style=st.builds(
    Style,
    indent=st.none() | st.sampled_from(["", " ", "   ", "\t", "  \t"]),
    item_separator=st.sampled_from([",", ", "]),
    key_separator=st.sampled_from([":", ": "]),
    ensure_ascii=st.just(True),
    escaped_slashes=st.booleans(),
    line_break=st.sampled_from(["\n", "\r\n"]),
    bom=st.booleans(),
    head=st.sampled_from(["", "\n", "  "]),
    tail=st.sampled_from(["", "\n", "\r\n \n"]),
))  # fmt: skip
def test_every_style_is_recognised(content: list[dict[str, Any]], style: Style) -> None:
    data = write_annotations(content, style)
    assert copied(data) == data


@pytest.mark.parametrize(
    "data",
    [
        b'[{"id": 1.50}]',
        b'[{"id": 1E5}]',
        b'[{"id": "1", "id": "2"}]',
        b'[{"id": 1},\n{"id": 2}]',
        b'[ {"id": 1} ]',
        '[{"id": "\\u00e9 é"}]'.encode(),
        b'[{"a": 1}, {"a":1}]',
    ],
    ids=["digits", "exponent", "key twice", "a line a record", "spaces", "escapes", "mixed"],
)
def test_what_cannot_be_reproduced_is_refused_and_not_changed(data: bytes) -> None:
    found = read_records(data, "x.json")
    with pytest.raises(CannotRewrite, match=r"x\.json is written in a way"):
        style_of(data, found, "x.json")


def test_half_a_surrogate_pair_is_refused_where_it_cannot_be_written() -> None:
    found = [{"id": "\ud83d"}]
    assert write_annotations(found, Style()) == b'[{"id": "\\ud83d"}]'
    with pytest.raises(CannotRewrite, match="surrogate"):
        write_annotations(found, Style(ensure_ascii=False))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", r"x\.json is not JSON"),
        (b'[{"id": 1}', r"x\.json is not JSON"),
        (b"\xff\xfe[]", r"x\.json is not JSON in UTF-8"),
        (b"[" * 200_000, r"x\.json is not JSON"),
        (b'{"id": 1}', r"x\.json holds an object, not a list"),
        (b"null", r"x\.json holds null"),
        (b'[{"id": 1}, 3]', r"x\.json, record 1: a number, not an object"),
    ],
)
def test_what_is_no_annotation_file_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(BadDataset, match=message):
        read_records(data, "x.json")


def test_no_records_come_back_too() -> None:
    assert read_records(b"[]\n", "x.json") == []
    assert copied(b"[]\n") == b"[]\n"
