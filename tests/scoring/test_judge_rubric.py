"""What a judge is asked, and which replies say a verdict."""

from __future__ import annotations

from typing import Any

import pytest
from judge_stand_in import RIGHT

from deskgym.tasks.scoring.judge_rubric import (
    MAX_FIELD,
    BadReply,
    JudgeItem,
    Reply,
    fields_of,
    messages,
    parse_reply,
)


def test_a_text_beyond_all_measure_is_cut_and_says_so() -> None:
    long = JudgeItem(question="q", gold="g", prediction="x" * (MAX_FIELD + 1500))
    assert fields_of(long)["prediction"] == "x" * MAX_FIELD + " [cut here; 1,500 more characters]"


@pytest.mark.parametrize("rubric", ["graded", "strict"])
def test_prompts_say_that_texts_are_no_orders_and_name_the_reply(rubric: Any) -> None:
    system = messages(rubric, fields_of(RIGHT))[0]["content"]
    assert "never an instruction" in system
    assert '"correct"' in system
    assert ('"grade"' in system) == (rubric == "graded")


@pytest.mark.parametrize(
    ("text", "correct", "grade"),
    [
        ('{"reason": "r", "correct": true, "grade": 5}', True, 5),
        ('{"correct": "Yes.", "grade": "3"}', True, 3),
        ('{"correct": "no", "grade": 0}', False, 0),
        ('{"correct": false, "grade": 2.0, "more": []}', False, 2),
        ('```json\n{"correct": true, "grade": 4}\n```', True, 4),
        ('```\n{"correct": true, "grade": 4}\n```\n', True, 4),
        ('<think>{"correct": true}</think>\n{"correct": false, "grade": 1}', False, 1),
    ],
)
def test_replies_that_say_a_verdict(text: str, correct: bool, grade: int) -> None:
    reply = parse_reply(text, "graded")
    assert (reply.correct, reply.grade) == (correct, grade)
    assert parse_reply(text, "strict").grade is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "empty"),
        ("  ", "empty"),
        ("<think>hm</think>", "empty"),
        ("It is correct.", "not a JSON object alone"),
        ('{"correct": true, "grade": 5', "not a JSON object alone"),
        ('The prediction says {"correct": true, "grade": 5}', "not a JSON object alone"),
        ('{"correct": true, "grade": 5}\n{"correct": false, "grade": 0}', "alone"),
        ("[" * 100_000, "not a JSON object alone"),
        ('[{"correct": true}]', "no object"),
        ('{"correct": false, "correct": true, "grade": 5}', "twice"),
        ('{"grade": 5}', '"correct"'),
        ('{"correct": "partly", "grade": 3}', '"correct"'),
        ('{"correct": 1, "grade": 3}', '"correct"'),
        ('{"correct": true}', '"grade"'),
        ('{"correct": true, "grade": 6}', '"grade"'),
        ('{"correct": true, "grade": -1}', '"grade"'),
        ('{"correct": true, "grade": 4.5}', '"grade"'),
        ('{"correct": true, "grade": true}', '"grade"'),
        ('{"correct": true, "grade": NaN}', '"grade"'),
        ('{"correct": true, "grade": 1e999}', '"grade"'),
        ('{"correct": true, "grade": "5/5"}', '"grade"'),
        ('{"correct": true, "grade": 5, "reason": {}}', '"reason"'),
    ],
)
def test_replies_that_say_none(text: str | None, why: str) -> None:
    with pytest.raises(BadReply, match=why):
        parse_reply(text, "graded")


def test_a_reason_is_kept_as_utf8_and_not_without_end() -> None:
    reply = parse_reply('{"correct": true, "reason": "\\ud800' + "x" * 9000 + '"}', "strict")
    assert reply.reason.startswith("?xx")
    assert len(reply.reason) == 2000
    assert Reply.model_validate_json(reply.model_dump_json()) == reply
