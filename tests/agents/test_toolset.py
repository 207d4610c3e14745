"""The desk's actions as tools: what a model is offered, and what is made of how it uses them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from deskgym.agents.model_agent import Unreadable
from deskgym.agents.toolset import describe, read_use, tool_name, tool_specs, written_use
from deskgym.env.actions import ALL_TOOLS, PRESETS, Action, Answer, parse_action


def read(name: str, arguments: Any = "", tools: Any = ALL_TOOLS) -> Action:
    return read_use(name, arguments, tools, "words").action


@pytest.mark.parametrize("preset", PRESETS)
def test_a_model_is_offered_what_is_on_and_no_notes(preset: str) -> None:
    names = [spec.name for spec in tool_specs(PRESETS[preset])]
    assert set(names) == PRESETS[preset] - {"note"}
    assert names[-1] == "answer"
    assert [s.name for s in tool_specs(sorted(PRESETS[preset]))] == names


def test_schemas_are_plain_and_say_what_actions_take() -> None:
    written = json.dumps([spec.parameters for spec in tool_specs(ALL_TOOLS)])
    for word in ("$ref", "$defs", "prefixItems", '"null"', '"title"', '"ranking"', '"tool"'):
        assert word not in written
    schemas = {spec.name: spec.parameters for spec in tool_specs(ALL_TOOLS)}
    assert schemas["terminal"]["required"] == ["command"]
    assert schemas["read_text"]["properties"]["pages"]["items"]["type"] == "integer"
    assert schemas["list_files"]["properties"]["modality"]["enum"][0] == "document"
    cite = schemas["answer"]["properties"]["cites"]["items"]
    assert cite["properties"]["locator"]["type"] == "string"
    assert cite["required"] == ["path"]


def test_tools_are_described_in_a_line_each() -> None:
    lines = describe(tool_specs(ALL_TOOLS)).splitlines()
    assert len(lines) == len(ALL_TOOLS) - 1
    assert lines[0].startswith('- terminal {"command": string, "timeout_s"?: number}: Run a bash')
    assert '"cites"?: [{"path", "locator", "quote"}, ...]' in lines[-1]


@pytest.mark.parametrize(
    ("name", "arguments", "action"),
    [
        ("search", {"query": "zinc", "top_k": 3}, {"query": "zinc", "top_k": 3}),
        ("search", '{"query": "zinc"}', {"query": "zinc"}),
        ("search", "zinc heron", {"query": "zinc heron"}),
        ("search", '"zinc heron"', {"query": "zinc heron"}),
        ("Search", {"query": "zinc", "modality": None}, {"query": "zinc"}),
        ("read_text", {"path": "a.md", "lines": [3, 4], "tool": "read_text"},
         {"path": "a.md", "lines": [3, 4]}),
        ("list_files", "", {}),
        ("terminal", "ls -l", {"command": "ls -l"}),
        ("note", {"text": "hm"}, {"text": "hm"}),
    ],
)  # fmt: skip
def test_arguments_are_taken_as_they_come(name: str, arguments: Any, action: Any) -> None:
    assert read(name, arguments) == parse_action({"tool": tool_name(name), **action})


def test_a_search_is_ranked_as_told_unless_it_says_how() -> None:
    assert read_use("search", "zinc", ALL_TOOLS, "hybrid").action.ranking == "hybrid"  # type: ignore[union-attr]
    says = {"query": "zinc", "ranking": "words"}
    assert read_use("search", says, ALL_TOOLS, "hybrid").action.ranking == "words"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("name", "arguments", "kind", "remedy"),
    [
        ("open_everything", {}, "unknown_tool", "The tools are: terminal, list_files, search"),
        ("", {}, "unknown_tool", "There is no tool ''"),
        ("x" * 500, {}, "unknown_tool", "xxx"),
        ("read_text", {"file": 7}, "bad_arguments", "read_text.path: Field required"),
        ("read_text", {"path": "a", "pages": "all"}, "bad_arguments", "read_text.pages"),
        ("read_text", '{"path": "a', "malformed", "not valid JSON"),
        ("read_text", "[1, 2]", "bad_arguments", "one JSON object"),
        ("read_text", "{" * 50_000, "malformed", "not valid JSON"),
        ("search", {"query": ""}, "bad_arguments", "at least 1 character"),
        ("answer", {"cites": []}, "bad_arguments", "the answer itself is missing"),
        ("answer", {"text": " "}, "bad_arguments", "the answer itself is missing"),
    ],
)
def test_what_cannot_be_done_says_why(name: str, arguments: Any, kind: str, remedy: str) -> None:
    with pytest.raises(Unreadable) as problem:
        read(name, arguments)
    assert problem.value.kind == kind
    assert remedy in problem.value.remedy


def test_a_tool_that_is_off_is_none() -> None:
    with pytest.raises(Unreadable, match="unknown_tool: terminal") as problem:
        read("bash", "ls", {"search", "answer"})
    assert problem.value.remedy.endswith("The tools are: search, answer.")


def test_an_answer_survives_its_citations() -> None:
    cites = [{"path": "a.md", "locator": "chapter seven"}, {"locator": "page:1"}, "b.pdf [page:2]"]
    use = read_use("finish", {"answer": 9, "citations": cites}, ALL_TOOLS, "words")
    assert isinstance(use.action, Answer)
    assert use.action.text == "9"
    assert [(c.path, str(c.locator)) for c in use.action.cites] == [
        ("a.md", "file"),
        ("b.pdf", "page:2"),
    ]
    assert [fault.kind for fault in use.faults] == ["citation", "citation"]


def test_an_answer_without_end_is_cut() -> None:
    use = read_use("answer", {"text": "\ud800" + "well " * 30_000}, ALL_TOOLS, "words")
    assert [fault.kind for fault in use.faults] == ["cut"]
    assert parse_action(use.action.model_dump_json()) == use.action


@pytest.mark.parametrize(
    "written",
    [
        '{"name": "search", "arguments": {"query": "zinc"}}',
        '{"tool": "search", "query": "zinc"}',
        'I will use ```json\n{"name": "search", "parameters": {"query": "zinc"}}\n```',
        '{"tool": "search", "args": "zinc"}',
        '{"name": "search", "arguments": "{\\"query\\": \\"zinc\\"}"}',
    ],
)
def test_a_use_may_be_written_out(written: str) -> None:
    use = written_use(written, ALL_TOOLS, "words")
    assert use is not None
    assert use.action == parse_action({"tool": "search", "query": "zinc"})


def test_what_is_no_use_is_none() -> None:
    assert written_use('{"answer": "At nine."}', ALL_TOOLS, "words") is None
    assert written_use("Sure!", ALL_TOOLS, "words") is None
