"""The judge, against an endpoint that behaves in every way that endpoints do."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from judge_stand_in import (
    RIGHT,
    WRONG,
    Drop,
    Hang,
    Move,
    Raw,
    Says,
    Status,
    judge_at,
    stand_in,
)

from deskgym.tasks.scoring.judge import Judge, JudgeError, JudgeUsage, Patience
from deskgym.tasks.scoring.judge_endpoint import retry_after
from deskgym.tasks.scoring.judge_rubric import JudgeItem

YES = json.dumps({"reason": "same", "correct": True, "grade": 4})


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No key, no endpoint and no cache of the machine's own."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DESKGYM_CACHE", str(tmp_path / "own-cache"))


def ask(*script: Move, **changes: Any) -> Any:
    """The verdict on `RIGHT` of a judge whose endpoint plays ``script``; and the endpoint."""
    with stand_in(*script) as endpoint, judge_at(endpoint, **changes) as judge:
        (verdict,) = judge.verdicts([RIGHT])
    return verdict, endpoint


# --- what is asked --------------------------------------------------------------------------------


@pytest.mark.parametrize("rubric", ["graded", "strict"])
def test_the_request_holds_the_three_texts_and_nothing_else_of_the_episode(rubric: Any) -> None:
    verdict, endpoint = ask(rubric=rubric)
    (request,) = endpoint.requests
    system, user = request["messages"]
    assert (system["role"], user["role"]) == ("system", "user")
    assert json.loads(user["content"]) == RIGHT.model_dump()
    assert request.keys() == {"model", "messages", "temperature", "max_tokens", "response_format"}
    assert request["temperature"] == 0
    assert request["response_format"] == {"type": "json_object"}
    assert "JSON" in system["content"]  # endpoints want the word where they are to write it
    assert verdict.correct is True
    assert verdict.grade == (5 if rubric == "graded" else None)


def test_verdicts_come_in_the_order_of_the_items_and_progress_counts_up() -> None:
    items = [
        JudgeItem(question=f"q{n}", gold="a", prediction="a" if n % 3 else "b") for n in range(20)
    ]
    told: list[tuple[int, int]] = []
    with stand_in() as endpoint, judge_at(endpoint) as judge:
        verdicts = judge.verdicts(items, lambda done, total: told.append((done, total)))
        assert judge.usage == JudgeUsage(calls=20, prompt_tokens=2000, completion_tokens=200)
    assert [v.correct for v in verdicts] == [bool(n % 3) for n in range(20)]
    assert told == [(n, 20) for n in range(21)]
    assert judge.usage.cost(2.0, 10.0) == pytest.approx(0.006)


@pytest.mark.parametrize("blank", [None, "", " \n\t\u3000"])
@pytest.mark.parametrize(("rubric", "grade"), [("graded", 0), ("strict", None)])
def test_no_answer_is_wrong_without_a_call(blank: str | None, rubric: Any, grade: Any) -> None:
    with stand_in() as endpoint, judge_at(endpoint, rubric=rubric) as judge:
        (verdict,) = judge.verdicts([JudgeItem(question="q", gold="g", prediction=blank)])
    assert endpoint.calls == 0
    assert (verdict.status, verdict.correct, verdict.grade) == ("scored", False, grade)
    assert (verdict.reason, verdict.model, verdict.prompt_tokens) == ("no answer", "m", 0)


def test_no_more_requests_at_a_time_than_allowed() -> None:
    items = [JudgeItem(question=f"q{n}", gold="a", prediction="b") for n in range(12)]
    with stand_in() as endpoint, judge_at(endpoint, concurrency=3) as judge:
        endpoint.gate = threading.Barrier(3)  # passes three at a time: fewer would be stuck
        judge.verdicts(items)
    assert endpoint.calls == 12
    assert endpoint.most_at_once == 3


def test_texts_that_utf8_cannot_hold_are_judged_all_the_same() -> None:
    odd = JudgeItem(question="q\ud800", gold="g", prediction="a\ud83d\0")
    with stand_in() as endpoint, judge_at(endpoint) as judge:
        (verdict,) = judge.verdicts([odd])
    assert verdict.correct is False
    assert json.loads(endpoint.requests[0]["messages"][1]["content"])["question"] == "q?"


# --- what goes wrong on the way -------------------------------------------------------------------


@pytest.mark.parametrize(
    "trouble",
    [
        Status(429),
        Status(500),
        Status(503, {"Retry-After": "0.01"}),
        Status(408),
        Drop(),
        Raw(b'{"choices": ['),
        Raw(b"<html>gateway</html>", "text/html"),
        Raw(b"{}"),
        Raw(b'{"choices": []}'),
        Raw(b"[1]"),
        Raw(b"\xff\xfe"),
        Says(None),
        Says("no JSON"),
        Says(YES, finish_reason="length"),
        Says('{"correct": true, "grade": 17}'),
    ],
    ids=repr,
)
def test_a_passing_trouble_is_asked_through(trouble: Move) -> None:
    verdict, endpoint = ask(trouble, Says(YES))
    assert (verdict.status, verdict.grade, endpoint.calls) == ("scored", 4, 2)


def test_a_timeout_is_asked_again() -> None:
    verdict, endpoint = ask(Hang(), timeout_s=0.3)
    assert (verdict.status, endpoint.calls) == ("scored", 2)


def test_all_tries_count_in_the_usage() -> None:
    with stand_in(Says("?"), Status(500), Says(YES)) as endpoint, judge_at(endpoint) as judge:
        (verdict,) = judge.verdicts([RIGHT])
        assert judge.usage == JudgeUsage(
            calls=3, retries=2, prompt_tokens=200, completion_tokens=20
        )
    assert (verdict.prompt_tokens, verdict.completion_tokens) == (200, 20)


@pytest.mark.parametrize(
    ("trouble", "calls", "error"),
    [
        (Status(500, message="overload"), 3, "status 500: .*overload.*tried 3 times"),
        (Says("no JSON"), 3, "no verdict: it is not a JSON object alone.*tried 3 times"),
        (Says('{"correct": true, "grade": 6}'), 3, '"grade" is no whole number'),
        (Status(429, {"Retry-After": "3600"}), 1, "status 429.*asks to wait 3600 s"),
        (Status(400, message="too long"), 2, "refused: .*too long"),  # without JSON mode, too
        (Status(413, message="too long"), 1, "status 413: .*too long"),
    ],
    ids=repr,
)
def test_a_lasting_trouble_leaves_the_answer_unscored(
    trouble: Move, calls: int, error: str
) -> None:
    always = stand_in(mood=lambda request: trouble)
    with always as endpoint, judge_at(endpoint, retries=2) as judge:
        (verdict,) = judge.verdicts([RIGHT])
    assert endpoint.calls == calls
    assert verdict.status == "unscored"
    assert verdict.correct is None
    assert verdict.grade is None
    assert verdict.error is not None
    assert re.search(error, verdict.error), verdict.error


def test_one_lost_answer_does_not_harm_the_others() -> None:
    def mood(request: dict[str, Any]) -> Move:
        return Drop() if "Handelsbanken" in request["messages"][1]["content"] else None

    with stand_in(mood=mood) as endpoint, judge_at(endpoint, retries=1, concurrency=1) as judge:
        verdicts = judge.verdicts([RIGHT, WRONG])
    assert [v.status for v in verdicts] == ["scored", "unscored"]
    assert "connection failed" in (verdicts[1].error or "")


@pytest.mark.parametrize(
    ("trouble", "remedy"),
    [
        (Status(401), "check the API key"),
        (Status(402), "add credit"),
        (Status(403), "the key's rights"),
        (Status(404), "the model's name and the base URL"),
        (Status(429, code="insufficient_quota"), "add credit"),
        (Status(400, message="only 1 is supported", param="temperature"), "take another model"),
    ],
    ids=repr,
)
def test_what_will_hold_for_all_answers_is_an_error_at_once(trouble: Move, remedy: str) -> None:
    items = [JudgeItem(question=f"q{n}", gold="a", prediction="b") for n in range(50)]
    always = stand_in(mood=lambda request: trouble)
    with always as endpoint, judge_at(endpoint, concurrency=2) as judge:
        with pytest.raises(JudgeError, match=remedy):
            judge.verdicts(items)
        assert endpoint.calls < 50


def test_an_endpoint_that_is_not_there_is_an_error_that_names_it() -> None:
    with stand_in() as gone:
        pass
    told = r"127\.0\.0\.1.*cannot be reached.*base URL"
    with judge_at(gone, retries=1) as judge, pytest.raises(JudgeError, match=told):
        judge.verdicts([RIGHT, WRONG])


@pytest.mark.parametrize("status", [400, 422])
def test_an_endpoint_without_json_mode_is_asked_without_it_and_not_again_with_it(
    status: int,
) -> None:
    def mood(request: dict[str, Any]) -> Move:
        return Status(status, message="what is it?") if "response_format" in request else None

    with stand_in(mood=mood) as endpoint, judge_at(endpoint, concurrency=1) as judge:
        assert [v.correct for v in judge.verdicts([RIGHT, WRONG])] == [True, False]
    assert ["response_format" in request for request in endpoint.requests] == [True, False, False]


def test_a_refusal_for_another_reason_does_not_give_up_json_mode() -> None:
    def mood(request: dict[str, Any]) -> Move:
        return Status(400) if "Handelsbanken" in request["messages"][1]["content"] else None

    with stand_in(mood=mood) as endpoint, judge_at(endpoint, concurrency=1) as judge:
        assert [v.status for v in judge.verdicts([WRONG, RIGHT])] == ["unscored", "scored"]
    assert ["response_format" in r for r in endpoint.requests] == [True, False, True]


def test_an_endpoint_that_calls_the_cap_otherwise_gets_it_so() -> None:
    def mood(request: dict[str, Any]) -> Move:
        wrong = "max_tokens" in request
        return Status(400, message="use 'max_completion_tokens' instead") if wrong else None

    with stand_in(mood=mood) as endpoint, judge_at(endpoint, max_tokens=77) as judge:
        assert judge.verdicts([RIGHT])[0].correct is True
    assert endpoint.requests[-1]["max_completion_tokens"] == 77
    assert "response_format" in endpoint.requests[-1]


# --- patience -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("retry", "asked", "chance", "wait"),
    [
        (0, 0.0, 0.0, 0.5),
        (0, 0.0, 0.5, 0.75),
        (3, 0.0, 0.0, 4.0),
        (3, 0.0, 0.999, 7.996),
        (99, 0.0, 0.0, 30.0),  # at most longest_s
        (0, 7.0, 0.9, 7.0),  # as the endpoint asks
        (3, 2.0, 0.0, 4.0),  # never sooner than our own wait
        (0, 61.0, 0.0, None),
    ],
)
def test_waits_double_are_spread_and_heed_the_endpoint(
    retry: int, asked: float, chance: float, wait: float | None
) -> None:
    found = Patience(first_s=1.0, longest_s=60.0).wait_s(retry, asked, chance)
    assert found == (None if wait is None else pytest.approx(wait))


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("12", 12.0),
        ("0.5", 0.5),
        ("Wed, 01 Jan 2025 00:00:30 GMT", 30.0),
        ("Tue, 31 Dec 2024 23:00:00 GMT", 0.0),
        ("soon", None),
        ("-3", None),
        ("inf", None),
        ("", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(value: str, seconds: float | None) -> None:
    now = datetime(2025, 1, 1, tzinfo=UTC)
    assert retry_after({"retry-after": value}, now) == seconds


# --- setting up -----------------------------------------------------------------------------------


def test_the_key_is_the_argument_or_the_environment_s_or_none_for_an_endpoint_of_ones_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with stand_in() as endpoint:
        for setting, argument in ((None, None), ("env", None), ("env", "given")):
            if setting:
                monkeypatch.setenv("OPENAI_API_KEY", setting)
            with judge_at(endpoint, api_key=argument) as judge:
                judge.verdicts([RIGHT])
    sent = [headers["authorization"] for headers in endpoint.headers]
    assert sent == ["Bearer none", "Bearer env", "Bearer given"]


def test_no_key_and_no_endpoint_says_what_to_set() -> None:
    with pytest.raises(JudgeError, match="OPENAI_API_KEY"):
        Judge("m")


def test_without_the_client_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(JudgeError, match=r"pip install 'deskgym\[judge\]'"):
        Judge("m", api_key="k")


def test_the_client_is_imported_late() -> None:
    program = "import sys, deskgym.tasks.scoring.judge; assert 'openai' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize(
    "wrong",
    [{"rubric": "kind"}, {"concurrency": 0}, {"retries": -1}, {"timeout_s": 0}, {"max_tokens": 0}],
)
def test_settings_that_cannot_be_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"rubric|above 0"):
        Judge("m", api_key="k", **wrong)


def test_ctrl_c_ends_it_although_requests_hang() -> None:
    program = """
import os, signal, sys, threading
from deskgym.tasks.scoring.judge import Judge, JudgeItem
judge = Judge("m", base_url=sys.argv[1], cache=None, concurrency=2, timeout_s=600)
threading.Thread(target=lambda: (sys.stdin.readline(), os.kill(os.getpid(), signal.SIGINT))).start()
try:
    judge.verdicts(JudgeItem(question=str(n), gold="a", prediction="b") for n in range(9))
except KeyboardInterrupt:
    print("stopped")
"""
    both = threading.Event()

    def mood(request: dict[str, Any]) -> Move:
        if endpoint.calls >= 2:
            both.set()
        return Hang()

    with stand_in(mood=mood) as endpoint:
        process = subprocess.Popen(
            [sys.executable, "-c", program, endpoint.url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert both.wait(60)
        out, _ = process.communicate("now\n", timeout=60)
    assert out == "stopped\n"
    assert process.returncode == 0
    assert endpoint.calls == 2
