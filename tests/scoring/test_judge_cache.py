"""Verdicts that are known already: what is the same, and what becomes of spoilt files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from judge_stand_in import RIGHT, WRONG, Move, Says, Status, judge_at, stand_in

from deskgym.tasks.scoring.judge import Judge, JudgeError, JudgeUsage
from deskgym.tasks.scoring.judge_cache import default_cache
from deskgym.tasks.scoring.judge_rubric import JudgeItem


def test_a_known_verdict_costs_no_call(tmp_path: Path) -> None:
    with stand_in() as endpoint:
        with judge_at(endpoint, cache=tmp_path) as judge:
            first = judge.verdicts([RIGHT, WRONG])
        with judge_at(endpoint, cache=tmp_path) as judge:
            second = judge.verdicts([WRONG, RIGHT])
            assert judge.usage == JudgeUsage(cached=2)
        assert endpoint.calls == 2
    assert [v.cached for v in first + second] == [False, False, True, True]
    assert [(v.correct, v.grade, v.reason) for v in second] == [
        (v.correct, v.grade, v.reason) for v in reversed(first)
    ]
    assert {(v.prompt_tokens, v.completion_tokens) for v in second} == {(0, 0)}


def test_equal_items_are_asked_once_even_without_a_cache() -> None:
    with stand_in() as endpoint, judge_at(endpoint) as judge:
        verdicts = judge.verdicts([RIGHT, WRONG, RIGHT, RIGHT])
        assert judge.usage.cached == 2
    assert endpoint.calls == 2
    assert [v.correct for v in verdicts] == [True, False, True, True]
    assert [v.cached for v in verdicts] == [False, False, True, True]


@pytest.mark.parametrize(
    ("item", "changes"),
    [
        (RIGHT, {"model": "n"}),
        (RIGHT, {"rubric": "strict"}),
        (JudgeItem(question="Which bank", gold="Nordea", prediction="Nordea"), {}),
        (JudgeItem(question="Which bank?", gold="Nordea?", prediction="Nordea"), {}),
        (JudgeItem(question="Which bank?", gold="Nordea", prediction="Nordea "), {}),
        (JudgeItem(question="Which bank?Nordea", gold="", prediction="Nordea"), {}),
    ],
)
def test_what_differs_at_all_is_asked(
    item: JudgeItem, changes: dict[str, Any], tmp_path: Path
) -> None:
    with stand_in() as endpoint:
        with judge_at(endpoint, cache=tmp_path) as judge:
            judge.verdicts([RIGHT])
        with judge_at(endpoint, cache=tmp_path, **changes) as judge:
            judge.verdicts([item])
        assert endpoint.calls == 2


def test_another_address_is_the_same_judge(tmp_path: Path) -> None:
    with stand_in() as one, judge_at(one, cache=tmp_path) as judge:
        judge.verdicts([RIGHT])
    with stand_in() as other, judge_at(other, cache=tmp_path) as judge:
        assert judge.verdicts([RIGHT])[0].cached
    assert other.calls == 0


def _torn(text: str) -> str:
    return text[: len(text) // 2]


def _other_key(text: str) -> str:
    return text.replace('"key":"', '"key":"0')


def _later_format(text: str) -> str:
    return text.replace('"format_version":1', '"format_version":2')


def _no_grade(text: str) -> str:
    return text.replace('"grade":5', '"grade":null')


@pytest.mark.parametrize("spoil", [_torn, _other_key, _later_format, _no_grade, lambda text: ""])
def test_a_spoilt_cache_file_is_passed_over_and_written_anew(spoil: Any, tmp_path: Path) -> None:
    with stand_in() as endpoint, judge_at(endpoint, cache=tmp_path) as judge:
        judge.verdicts([RIGHT])
        (file,) = tmp_path.glob("*/*.json")
        whole = file.read_text()
        assert spoil(whole) != whole
        file.write_text(spoil(whole))
        (verdict,) = judge.verdicts([RIGHT])
        assert endpoint.calls == 2
    assert not verdict.cached
    assert file.read_text() == whole
    assert [f for f in tmp_path.rglob("*") if f.is_file()] == [file]


def test_only_verdicts_are_kept_and_no_text_of_the_person_s(tmp_path: Path) -> None:
    def mood(request: dict[str, Any]) -> Move:
        return Says("?") if "Handelsbanken" in request["messages"][1]["content"] else None

    with stand_in(mood=mood) as endpoint, judge_at(endpoint, cache=tmp_path, retries=0) as judge:
        judge.verdicts([RIGHT, WRONG])
    (file,) = tmp_path.glob("*/*.json")
    assert file.parent.name == file.name[:2]
    assert "Nordea" not in file.read_text()


def test_a_cache_that_cannot_be_written_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    folder.write_text("a file")
    named = pytest.raises(JudgeError, match=re.escape(str(folder)))
    with stand_in() as endpoint, judge_at(endpoint, cache=folder) as judge, named:
        judge.verdicts([RIGHT])


def test_verdicts_got_before_an_error_are_not_paid_for_again(tmp_path: Path) -> None:
    badly = stand_in(None, Status(401))
    with badly as endpoint, judge_at(endpoint, cache=tmp_path, concurrency=1) as judge:
        with pytest.raises(JudgeError):
            judge.verdicts([RIGHT, WRONG])
        assert [v.cached for v in judge.verdicts([RIGHT, WRONG])] == [True, False]


def test_the_cache_lies_below_the_package_s_own_unless_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESKGYM_CACHE", str(tmp_path / "own-cache"))
    assert default_cache() == tmp_path / "own-cache" / "judge"
    with stand_in() as endpoint, Judge("m", base_url=endpoint.url, api_key="k") as judge:
        judge.verdicts([RIGHT])
    assert len(list(default_cache().glob("*/*.json"))) == 1
