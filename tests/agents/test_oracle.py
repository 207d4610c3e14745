"""The oracle's walk: which actions it takes for which kind of gold evidence."""

from __future__ import annotations

from typing import Any

import pytest
from env_fakes import GOLD_TEXT, make_task

from deskgym.agents.base import TaskView
from deskgym.agents.errors import OracleError
from deskgym.agents.oracle import OracleAgent
from deskgym.env.actions import ALL_TOOLS, PRESETS, Answer
from deskgym.env.observations import Observation
from deskgym.tasks.schema import Evidence, RationaleStep, Task

ON: frozenset[str] = frozenset(ALL_TOOLS)


def unit(
    path: str, modality: Any, locator: str, text: str = "the text", id: str = "e1"
) -> Evidence:
    return Evidence(evidence_id=id, file_path=path, modality=modality, locator=locator, text=text)


def task_with(*evidence: Evidence) -> Task:
    files = tuple(dict.fromkeys(e.file_path for e in evidence))
    steps = (
        RationaleStep(step_id=1, text="so", evidence_ids=tuple(e.evidence_id for e in evidence)),
    )
    return make_task(1, evidence=evidence, files=files, rationale=steps)


def walk(
    task: Task, tools: frozenset[str] = ON, *, shows: str = "the text", steps: int = 30
) -> list[dict[str, Any]]:
    """The oracle's actions when every observation holds ``shows``; defaults are left out."""
    agent = OracleAgent([task])
    agent.reset(TaskView(task.id, task.profile_id, task.question), tools)
    actions: list[dict[str, Any]] = []
    for step in range(steps):
        action = agent.act(
            Observation(question="", text=shows, media=(), step=step, steps_left=steps - step)
        )
        actions.append({"tool": action.tool, **action.model_dump(exclude_defaults=True)})
        if isinstance(action, Answer):
            break
    return actions


@pytest.mark.parametrize(
    ("evidence", "looks"),
    [
        (
            unit("a.md", "text", "lines:3-4"),
            [{"tool": "read_text", "path": "a.md", "lines": (3, 4)}],
        ),
        (
            unit("a.pdf", "document", "page:2"),
            [{"tool": "read_text", "path": "a.pdf", "pages": (2, 2)}],
        ),
        (
            unit("a.xlsx", "document", "cells:Rent!B2:C4"),
            [{"tool": "read_text", "path": "a.xlsx", "cells": "Rent!B2:C4"}],
        ),
        (
            unit("a.jpg", "image", "region:1@0.1,0.2,0.5,0.6"),
            [{"tool": "read_image", "path": "a.jpg", "region": (0.1, 0.2, 0.5, 0.6)}],
        ),
        (
            unit("scan.pdf", "document", "region:3@0.1,0.2,0.5,0.6"),
            [{"tool": "read_image", "path": "scan.pdf", "page": 3, "region": (0.1, 0.2, 0.5, 0.6)}],
        ),
        (
            unit("a.jpg", "image", "file"),
            [{"tool": "metadata", "path": "a.jpg"}, {"tool": "read_image", "path": "a.jpg"}],
        ),
        (
            unit("a.mp3", "audio", "time:1-2"),
            [{"tool": "read_audio", "path": "a.mp3", "start_s": 1.0, "end_s": 2.0}],
        ),
        (
            unit("a.mp3", "audio", "time:3-3"),
            [{"tool": "read_audio", "path": "a.mp3", "start_s": 3.0, "end_s": 4.0}],
        ),
        (
            unit("a.mp3", "audio", "time:10-260.5"),
            [
                {"tool": "read_audio", "path": "a.mp3", "start_s": 10.0, "end_s": 130.0},
                {"tool": "read_audio", "path": "a.mp3", "start_s": 130.0, "end_s": 250.0},
                {"tool": "read_audio", "path": "a.mp3", "start_s": 250.0, "end_s": 260.5},
            ],
        ),
        (
            unit("a.mp4", "video", "time:8-9.5"),
            [{"tool": "read_video", "path": "a.mp4", "start_s": 8.0, "end_s": 9.5}],
        ),
        (
            unit("a.mp3", "audio", "file"),
            [{"tool": "metadata", "path": "a.mp3"}, {"tool": "read_audio", "path": "a.mp3"}],
        ),
    ],
)
def test_evidence_is_looked_at_where_it_stands(
    evidence: Evidence, looks: list[dict[str, Any]]
) -> None:
    *seen, note, answer = walk(task_with(evidence))
    assert seen == looks
    assert note["tool"] == "note"
    assert answer["text"] == "It is 111"
    (cite,) = answer["cites"]
    assert cite["path"] == evidence.file_path
    assert cite.get("locator", "file") == str(evidence.locator)
    readable = evidence.modality in ("text", "document") and not str(evidence.locator).startswith(
        "r"
    )
    assert cite.get("quote") == ("the text" if readable else None)


def test_a_place_with_several_units_is_looked_at_once() -> None:
    one, two = unit("a.md", "text", "lines:3"), unit("a.md", "text", "lines:3", id="e2")
    assert [a["tool"] for a in walk(task_with(one, two))] == ["read_text", "note", "answer"]


def test_a_page_without_a_text_layer_is_looked_at_as_a_picture() -> None:
    actions = walk(task_with(unit("a.pdf", "document", "page:2-3")), shows="no text layer")
    assert actions[1:3] == [
        {"tool": "read_image", "path": "a.pdf", "page": 2},
        {"tool": "read_image", "path": "a.pdf", "page": 3},
    ]


def test_an_unanswerable_task_is_answered_without_citations() -> None:
    task = make_task(1, answerable=False, files=(), evidence=(), rationale=())
    listing, answer = walk(task)
    assert listing == {"tool": "list_files"}
    assert answer == {"tool": "answer", "text": "It is 111"}


def test_with_too_few_steps_it_still_answers() -> None:
    pages = [unit(f"{n}.pdf", "document", "page:1", id=f"e{n}") for n in range(5)]
    actions = walk(task_with(*pages), steps=3)
    assert [a["tool"] for a in actions] == ["read_text", "read_text", "answer"]


@pytest.mark.parametrize(
    ("path", "locator", "start"),
    [
        ("a b.pdf", "page:2", "pdftotext -f 2 -l 2 '/desk/a b.pdf' -"),
        ("a.md", "lines:3", "cat -- /desk/a.md"),
        ("a.docx", "lines:3", "python3 -c "),
    ],
)
def test_without_read_text_it_prints_the_file_in_the_terminal(
    path: str, locator: str, start: str
) -> None:
    modality = "text" if path.endswith(".md") else "document"
    look = walk(task_with(unit(path, modality, locator)), PRESETS["config1"])[0]
    assert look["tool"] == "terminal"
    assert look["command"].startswith(start)


@pytest.mark.parametrize(
    ("tools", "look"),
    [
        (PRESETS["config1"], {"tool": "read_original", "path": "a.mp4"}),
        (frozenset({"read_text"}), {"tool": "read_text", "path": "a.mp4", "span_s": (1.0, 2.0)}),
    ],
)
def test_without_the_tools_for_it_a_video_is_perceived_as_far_as_can_be(
    tools: frozenset[str], look: dict[str, Any]
) -> None:
    assert walk(task_with(unit("a.mp4", "video", "time:1-2")), tools)[0] == look


@pytest.mark.parametrize(
    ("evidence", "tools"),
    [
        (unit("scan.pdf", "document", "region:1@0,0,1,1"), frozenset({"terminal", "read_text"})),
        (unit("a.png", "image", "region:1@0,0,1,1"), frozenset({"terminal"})),
        (unit("a.md", "text", "lines:1"), frozenset({"read_image"})),
        (unit("a.mp3", "audio", "time:1-2"), frozenset({"read_image"})),
    ],
)
def test_gold_that_no_tool_can_show_fails_loudly(evidence: Evidence, tools: frozenset[str]) -> None:
    with pytest.raises(OracleError):
        walk(task_with(evidence), tools)


def test_a_task_that_it_was_not_given_fails_loudly() -> None:
    agent = OracleAgent([make_task(1)])
    with pytest.raises(OracleError, match="ann-002"):
        agent.reset(TaskView("ann-002", "demo/ann", GOLD_TEXT), ON)
