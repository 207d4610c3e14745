"""HippoCamp's tags, as models write them."""

from __future__ import annotations

import pytest

from deskgym.agents.terminal_tags import read_tags

TOOL = '{"name": "list_files"}'


@pytest.mark.parametrize(
    ("text", "kind", "content", "thought"),
    [
        (f"<think>a</think><tool>{TOOL}</tool>", "tool", TOOL, "a"),
        (f"<think>a</think>\n\nb <tool>\n{TOOL}\n</tool> c", "tool", TOOL, "a\nb"),
        (f"<THINK>a</THINK><Tool>{TOOL}</Tool>", "tool", TOOL, "a"),
        (f"<think>a<tool>{TOOL}", "tool", TOOL, "a"),
        (f"<think>a <tool>no</tool></think><tool>{TOOL}</tool>", "tool", TOOL, "a <tool>no</tool>"),
        ("<answer>At nine.</answer>", "answer", "At nine.", ""),
        ("<answer>At nine.", "answer", "At nine.", ""),
        ("<think>a", None, "", "a"),
        ("just words", None, "", "just words"),
        ("", None, "", ""),
    ],
)
def test_tags_are_read_as_models_write_them(
    text: str, kind: str | None, content: str, thought: str
) -> None:
    tagged = read_tags(text)
    assert (tagged.kind, tagged.content, tagged.thought, tagged.more) == (
        kind,
        content,
        thought,
        False,
    )


def test_any_number_of_tags_is_read() -> None:
    for text in ("<think>" * 20_000, "<tool>" * 20_000, "<" * 100_000, "<think></think>" * 9_000):
        assert read_tags(text).kind in (None, "tool")
