"""What a judge is asked, and how its reply is read. Pure: no network, no clock, no state.

The rubrics' prompts are ours; what they ask for is the papers': yes or no and 0 to 5 (HippoCamp,
appendix D), and yes or no by everything that the gold asks (RHELM).
"""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

Rubric = Literal["graded", "strict"]
RUBRICS: tuple[Rubric, ...] = get_args(Rubric)
TOP_GRADE = 5
MAX_FIELD = 20_000
"""Characters of a field that a judge is shown; what is longer is cut, and says so."""
MAX_REASON = 2_000

_ASK_AGAIN = (
    "\nYour last reply to this very message could not be used: {fault}. "
    "Reply with the JSON object alone."
)
# JSON leaves them as they are, and a reader may take them for the end of a line.
_LINE_ENDS = {ord(c): f"\\u{ord(c):04x}" for c in "\x85\u2028\u2029"}
_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_FENCE = re.compile(r"\A```(?:json)?\s*\n(.*)\n\s*```\Z", re.DOTALL | re.IGNORECASE)
_YES_NO = {"yes": True, "true": True, "no": False, "false": False}


class JudgeItem(BaseModel):
    """One answer to judge. A judge sees these three texts and nothing else."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    question: str
    gold: str
    prediction: str | None = Field(description="None or blank: there is no answer")

    @property
    def blank(self) -> bool:
        return self.prediction is None or not self.prediction.strip()


class JudgeError(RuntimeError):
    """The judge cannot work as it is set up. The message says what to check."""


class BadReply(ValueError):
    """A judge's reply that says no verdict. The message says why, and quotes none of the reply."""


class Reply(BaseModel):
    """What a judge said, checked: ``grade`` lies in 0..5, and is None for the strict rubric."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    correct: bool
    grade: int | None = Field(default=None, ge=0, le=TOP_GRADE)
    reason: str = ""


@cache
def prompt(rubric: Rubric) -> str:
    """The system prompt of a rubric."""
    return (files(__package__) / "prompts" / f"{rubric}.txt").read_text(encoding="utf-8")


def fields_of(item: JudgeItem) -> dict[str, str]:
    """The three texts as they are sent: cut to `MAX_FIELD`, half surrogates replaced."""
    return {
        "question": _sendable(item.question),
        "gold": _sendable(item.gold),
        "prediction": _sendable(item.prediction or ""),
    }


def messages(
    rubric: Rubric, fields: dict[str, str], fault: str | None = None
) -> list[dict[str, str]]:
    """The chat that asks for a verdict on `fields_of` an item.

    The texts stand in one JSON object on one line, where every quote and line break is escaped:
    there is no marker that a prediction could close. ``fault`` is what was wrong with the last
    reply (a `BadReply`'s message).
    """
    system = prompt(rubric) + (_ASK_AGAIN.format(fault=fault) if fault else "")
    data = json.dumps(fields, ensure_ascii=False).translate(_LINE_ENDS)
    return [{"role": "system", "content": system}, {"role": "user", "content": data}]


def parse_reply(text: str | None, rubric: Rubric) -> Reply:
    """The verdict in a judge's reply.

    The reply is a JSON object, alone or as the one code block; what a model thinks aloud before
    it (``<think>``) is passed over. An object in the midst of other text is not searched for: it
    might be one that the judge quotes from the prediction.

    Raises:
        BadReply: there is no such object, a key is there twice, or a value is out of range.
    """
    data = _object(text)
    reason = data.get("reason", "")
    if not isinstance(reason, str):
        raise BadReply('"reason" is not a text')
    return Reply(
        correct=_yes_or_no(data),
        grade=_grade(data) if rubric == "graded" else None,
        reason=_whole(reason)[:MAX_REASON],
    )


def _object(text: str | None) -> dict[str, Any]:
    body = _THOUGHT.sub("", text or "").strip()
    if not body:
        raise BadReply("it is empty")
    if fenced := _FENCE.match(body):
        body = fenced[1]
    try:
        data = json.loads(body, object_pairs_hook=_once)
    except BadReply:
        raise
    except (ValueError, RecursionError) as error:
        raise BadReply("it is not a JSON object alone") from error
    if not isinstance(data, dict):
        raise BadReply("it is JSON, but no object")
    return data


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise BadReply("a key is there twice")
    return found


def _yes_or_no(data: dict[str, Any]) -> bool:
    value = data.get("correct")
    if isinstance(value, str):
        value = _YES_NO.get(value.strip().casefold().rstrip("."))
    if not isinstance(value, bool):
        raise BadReply('"correct" is neither true nor false')
    return value


def _grade(data: dict[str, Any]) -> int:
    value = data.get("grade")
    if isinstance(value, str) and re.fullmatch(r"\s*[0-9]\s*", value):
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= TOP_GRADE:
        raise BadReply(f'"grade" is no whole number from 0 to {TOP_GRADE}')
    return value


def _sendable(text: str) -> str:
    text = _whole(text)
    if len(text) <= MAX_FIELD:
        return text
    return f"{text[:MAX_FIELD]} [cut here; {len(text) - MAX_FIELD:,} more characters]"


def _whole(text: str) -> str:
    """``text`` as UTF-8 can hold it."""
    return text.encode("utf-8", "replace").decode("utf-8")
