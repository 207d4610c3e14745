"""The terminal agent in both of its protocols: what it does, sees, repairs and writes down."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from endpoint import (
    HOSTILE_KINDS,
    Brain,
    BrainReply,
    Endpoint,
    Fault,
    hostile,
    last_text,
    said,
    system_text,
    tool_names,
)
from stand_in import Answer as Raw
from stand_in import StandIn, completion
from tool_talks import QUESTION, Played, call, in_turn, play, tag

from deskgym.agents.null import ABSTENTION
from deskgym.agents.terminal import TerminalAgent
from deskgym.env.actions import ALL_TOOLS, PRESETS, Answer, Cite, ListFiles, ReadText, Terminal
from deskgym.env.observations import Media

PNG = Path(__file__).parents[2] / "tasks/demo/data/adam/files/04_Money/Receipts/2025-04-12_suit.png"
CITE = {"path": "notes/a.md", "locator": "lines:3", "quote": "zinc heron"}
NINE = Answer(text="At nine.", cites=(Cite(**CITE),))


def config(base_url: str, **llm: Any) -> dict[str, Any]:
    return {"model": "m", "base_url": base_url, "backoff_s": 0.001, **llm}


def played(
    brain: Brain, *, protocol: Any = "native", repairs: int = 2, llm: Any = None, **how: Any
) -> tuple[Played, list[dict[str, Any]]]:
    """An episode with ``brain``, and the requests that it took."""
    with Endpoint(brain) as endpoint:
        agent = TerminalAgent(config(endpoint.base_url, **(llm or {})), protocol, repairs)
        return play(agent, **how), endpoint.requests


def answered(protocol: str) -> BrainReply:
    if protocol == "native":
        return call("answer", text="At nine.", cites=[CITE])
    written = json.dumps({"answer": "At nine.", "cites": [CITE]})
    return BrainReply(f"<think>So it is.</think><answer>{written}</answer>")


def used(protocol: str, name: str, **arguments: Any) -> BrainReply:
    return (call if protocol == "native" else tag)(name, **arguments)


both = pytest.mark.parametrize("protocol", ["native", "tags"])


def shows_the_note(action: Any) -> str:
    return "notes/a.md\nthe zinc heron sleeps at nine"


# --- what it does ---------------------------------------------------------------------------------


@both
def test_it_looks_and_then_answers_with_citations(protocol: str) -> None:
    brain = in_turn(
        used(protocol, "terminal", command="ls"),
        used(protocol, "read_text", path="notes/a.md", lines=[1, 5]),
        answered(protocol),
    )
    done, requests = played(brain, protocol=protocol, reply=shows_the_note)
    assert done.actions == [
        Terminal(command="ls"),
        ReadText(path="notes/a.md", lines=(1, 5)),
        NINE,
    ]
    assert done.faults == []
    assert sum(use.calls for use in done.uses) == 3
    assert QUESTION in said(requests[0], "user")
    assert "These are the 2 files of Ann." in said(requests[0], "user")
    assert "never an instruction" in system_text(requests[0])
    assert "the zinc heron sleeps at nine" not in system_text(requests[2])
    assert said(requests[2]).count("the zinc heron sleeps at nine") == 2


@both
@pytest.mark.parametrize("preset", PRESETS)
def test_only_what_is_on_is_offered(protocol: str, preset: str) -> None:
    _, requests = played(in_turn(answered(protocol)), protocol=protocol, tools=PRESETS[preset])
    (request,) = requests
    if protocol == "native":
        assert tool_names(request) == PRESETS[preset] - {"note"}
    else:
        assert tool_names(request) == set()
        told = {name for name in ALL_TOOLS if f"\n- {name} {{" in system_text(request)}
        assert told == PRESETS[preset] - {"note", "answer"}


def test_several_calls_are_done_in_order_with_a_step_each() -> None:
    calls = (("list_files", {"pattern": "*.md"}), ("terminal", {"command": "pwd"}))
    replies = in_turn(BrainReply("Two at once.", calls=calls), answered("native"))
    done, requests = played(replies, reply=lambda action: f"did {action.tool} notes/a.md")
    assert [action.tool for action in done.actions] == ["list_files", "terminal", "answer"]
    results = [m for m in requests[1]["messages"] if m["role"] == "tool"]
    asked = requests[1]["messages"][2]["tool_calls"]
    assert [m["tool_call_id"] for m in results] == [c["id"] for c in asked]
    assert [m["content"].split()[1] for m in results] == ["list_files", "terminal"]
    assert done.thought == "Two at once."


def test_a_bad_call_among_good_ones_is_answered_and_the_others_are_done() -> None:
    calls = (("open_everything", {}), ("list_files", {}), ("read_text", {"file": 7}))
    done, requests = played(
        in_turn(BrainReply(calls=calls), answered("native")), reply=shows_the_note
    )
    assert done.actions == [ListFiles(), NINE]
    assert done.kinds == ["unknown_tool", "bad_arguments"]
    results = [m["content"] for m in requests[1]["messages"] if m["role"] == "tool"]
    assert "There is no tool" in results[0]
    assert "zinc heron" in results[1]
    assert "path: Field required" in results[2]


def test_what_comes_before_an_answer_is_done_and_what_comes_after_is_not() -> None:
    calls = (
        ("list_files", {}),
        ("answer", {"text": "At nine.", "cites": [CITE]}),
        ("terminal", {"command": "ls"}),
    )
    done, _ = played(in_turn(BrainReply(calls=calls)), reply=shows_the_note)
    assert done.actions == [ListFiles(), NINE]


@both
def test_pictures_go_to_the_model_as_pictures(protocol: str) -> None:
    picture = Media("image/png", PNG.read_bytes())
    brain = in_turn(used(protocol, "read_image", path="a.png"), answered(protocol))
    _, requests = played(
        brain, protocol=protocol, reply=lambda action: ("a.png, 8 x 8 pixels", (picture,))
    )
    parts = [
        p for m in requests[1]["messages"] if isinstance(m["content"], list) for p in m["content"]
    ]
    (shown,) = [part for part in parts if part["type"] == "image_url"]
    assert shown["image_url"]["url"].startswith("data:image/png;base64,")
    _, requests = played(
        in_turn(used(protocol, "read_image", path="a.png"), answered(protocol)),
        protocol=protocol,
        llm={"images": False},
        reply=lambda action: ("a.png", (picture,)),
    )
    assert "image_url" not in json.dumps(requests[1])
    assert "not shown to this model" in json.dumps(requests[1])


@both
def test_thoughts_are_written_down(protocol: str) -> None:
    first = used(protocol, "list_files")
    if protocol == "native":
        first = BrainReply("I look.", calls=first.calls)
    done, _ = played(in_turn(first, answered(protocol)), protocol=protocol)
    assert done.uses[0].thought == "I look."


# --- steps ----------------------------------------------------------------------------------------


@both
def test_the_model_is_told_when_few_steps_are_left(protocol: str) -> None:
    brain = lambda request: (  # noqa: E731
        answered(protocol)
        if "no steps left" in last_text(request)
        else used(protocol, "list_files")
    )
    done, requests = played(brain, protocol=protocol, max_steps=6, reply=shows_the_note)
    assert [action.tool for action in done.actions] == ["list_files"] * 5 + ["answer"]
    assert done.answer == NINE
    notes = [
        next((n for n in (5, 4, 3, 2) if f"[{n} steps left" in last_text(request)), None)
        for request in requests[1:5]
    ]
    assert notes == [None, 4, 3, 2]
    # What the last step showed is in the last request.
    assert said(requests[-1]).count("heron sleeps at nine") == 5


@both
def test_a_model_that_never_stops_ends_by_steps_and_is_asked_once_more(protocol: str) -> None:
    done, requests = played(
        in_turn(used(protocol, "terminal", command="ls")), protocol=protocol, max_steps=5, repairs=1
    )
    assert [action.tool for action in done.actions] == ["terminal"] * 4 + ["answer"]
    assert done.answer == Answer(text=ABSTENTION)  # a tool is no answer
    assert len(requests) == 4 + 2
    if protocol == "native":
        assert tool_names(requests[-1]) == {"answer"}
    assert set(done.kinds) == {"malformed"}


@both
def test_with_one_step_it_answers_at_once(protocol: str) -> None:
    done, requests = played(in_turn(answered(protocol)), protocol=protocol, max_steps=1)
    assert [action.tool for action in done.actions] == ["answer"]
    assert "no steps left" in last_text(requests[0])


def test_the_last_word_may_be_text_if_nothing_better_comes() -> None:
    done, _ = played(in_turn(BrainReply("Nine, I think.")), repairs=1, max_steps=1)
    assert done.answer == Answer(text="Nine, I think.")
    done, _ = played(in_turn(Fault("empty")), repairs=1, max_steps=1)
    assert done.answer == Answer(text=ABSTENTION)
    assert done.kinds == ["empty", "empty"]


# --- repair ---------------------------------------------------------------------------------------

BAD: dict[str, list[tuple[str, BrainReply, str]]] = {
    "native": [
        ("no_call", BrainReply("Let me think."), "You called no tool"),
        ("unknown_tool", call("open_everything"), "There is no tool 'open_everything'"),
        ("bad_arguments", call("read_text", file=7), "path: Field required"),
        ("malformed", BrainReply(calls=(("read_text", '{"path": "a'),)), "not valid JSON"),
    ],
    "tags": [
        ("no_tag", BrainReply("Let me think."), "neither <tool>"),
        ("unknown_tool", tag("open_everything"), "There is no tool 'open_everything'"),
        ("bad_arguments", tag("read_text", file=7), "path: Field required"),
        ("malformed", BrainReply('<tool>{"name": "read_te</tool>'), "no valid JSON object"),
        ("malformed", BrainReply('<answer>{"answer": "At ni</answer>'), "no answer to be read"),
    ],
}
_BAD = [(p, *case) for p, cases in BAD.items() for case in cases]


@pytest.mark.parametrize(("protocol", "kind", "bad", "remedy"), _BAD)
def test_a_bad_reply_is_answered_by_what_is_wrong_and_takes_no_step(
    protocol: str, kind: str, bad: BrainReply, remedy: str
) -> None:
    done, requests = played(
        in_turn(bad, bad, used(protocol, "list_files"), answered(protocol)),
        protocol=protocol,
        reply=shows_the_note,
    )
    assert done.actions == [ListFiles(), NINE]
    assert done.kinds == [kind, kind]
    assert remedy in last_text(requests[1])
    assert remedy not in said(requests[3])  # once repaired, it is forgotten


@pytest.mark.parametrize(("protocol", "kind", "bad", "remedy"), _BAD)
def test_after_enough_bad_replies_in_a_row_the_answer_is_asked_for(
    protocol: str, kind: str, bad: BrainReply, remedy: str
) -> None:
    done, requests = played(
        in_turn(used(protocol, "list_files"), bad, bad, bad, answered(protocol)),
        protocol=protocol,
        reply=shows_the_note,
    )
    assert done.actions == [ListFiles(), NINE]
    assert done.kinds == [kind] * 3
    assert "no steps left" in last_text(requests[-1])


def test_good_turns_between_bad_ones_start_the_count_anew() -> None:
    bad, good = BrainReply("Hm."), call("list_files")
    done, _ = played(in_turn(bad, bad, good, bad, bad, good, answered("native")))
    assert [action.tool for action in done.actions] == ["list_files", "list_files", "answer"]
    assert done.kinds == ["no_call"] * 4 + ["citation"]


@pytest.mark.parametrize(
    ("written", "tool"),
    [
        ('{"name": "list_files", "arguments": {}}', "list_files"),
        ('I do this: {"tool": "terminal", "command": "ls"}', "terminal"),
        (json.dumps({"answer": "At nine.", "cites": [CITE]}), "answer"),
    ],
)
def test_a_native_model_may_write_out_what_it_should_call(written: str, tool: str) -> None:
    done, requests = played(in_turn(BrainReply(written), answered("native")), reply=shows_the_note)
    assert done.actions[0].tool == tool
    assert done.answer == NINE
    if tool != "answer":
        assert "[tool output]\nnotes/a.md" in last_text(requests[1])


def test_odd_ids_of_calls_do_not_matter() -> None:
    calls = (("list_files", {}), ("terminal", {"command": "ls"}))
    for ids in ((None, ""), ("same", "same")):
        done, requests = played(
            in_turn(BrainReply(calls=calls, ids=ids), answered("native")), reply=shows_the_note
        )
        assert [action.tool for action in done.actions] == ["list_files", "terminal", "answer"]
        assert set(done.kinds) == {"tool_ids"}
        results = [m["tool_call_id"] for m in requests[1]["messages"] if m["role"] == "tool"]
        assert len(set(results)) == 2


def test_citations_of_what_was_never_seen_are_noted() -> None:
    cites = [CITE, {"path": "invented/never.txt"}, {"path": "notes/a.md", "locator": "chapter 7"}]
    done, _ = played(
        in_turn(call("list_files"), call("answer", text="x", cites=cites)), reply=shows_the_note
    )
    assert done.faults == [
        "citation: no locator: 'chapter 7'",
        "citation: never seen: 'invented/never.txt'",
    ]
    assert done.answer is not None
    assert [cite.path for cite in done.answer.cites] == [
        "notes/a.md",
        "invented/never.txt",
        "notes/a.md",
    ]


def test_an_endpoint_that_refuses_tools_is_spoken_to_in_tags() -> None:
    def answer(request: dict[str, Any]) -> Raw:
        if "tools" in request:
            return Raw(400, {"error": {"message": "this model does not support tools"}})
        if "<tool>" not in system_text(request):
            return Raw(200, completion("Which tools?"))
        done = any(m["role"] == "assistant" for m in request["messages"])
        reply = answered("tags") if done else tag("list_files")
        return Raw(200, completion(reply.text))

    with StandIn(answer) as endpoint:
        agent = TerminalAgent(config(endpoint.base_url))
        for _ in range(2):  # in the second episode it knows from the start
            done = play(agent, shows_the_note)
            assert done.actions == [ListFiles(), NINE]
    assert sum("tools" in request for request in endpoint.requests) == 1


def test_a_long_episode_fits_into_a_small_context() -> None:
    long = "notes/a.md\n" + "the zinc heron sleeps " * 2_000
    brain = lambda request: (  # noqa: E731
        answered("native") if "no steps left" in last_text(request) else call("list_files")
    )
    llm = {"context_tokens": 16_000, "max_tokens": 500}
    done, requests = played(brain, max_steps=12, llm=llm, reply=lambda action: long)
    assert done.answer == NINE
    assert max(len(json.dumps(request["messages"])) for request in requests) < 16_000 * 5
    assert all(QUESTION in said(request, "user") for request in requests)
    assert set(done.kinds) == {"context"}


@both
def test_nothing_that_a_hostile_endpoint_does_ends_it_without_an_answer(protocol: str) -> None:
    spoilt = hostile(in_turn(used(protocol, "list_files")), every=2)
    with Endpoint(spoilt) as endpoint:
        agent = TerminalAgent(config(endpoint.base_url), protocol)
        for _ in range(8):
            done = play(agent, shows_the_note, max_steps=6)
            assert done.answer is not None
            assert len(done.faults) >= 1
    assert set(endpoint.faults) == set(HOSTILE_KINDS)


USELESS = (
    "empty", "malformed_json", "unknown_tool", "huge", "bad_arguments", "null_content",
    "cut_reply", "chatter", "invented_path", "invented_cites",
)  # fmt: skip


@both
def test_a_model_that_only_ever_does_one_thing_wrong_is_survived(protocol: str) -> None:
    wrong = {kind: hostile(in_turn(BrainReply()), every=1, kinds=[kind]) for kind in USELESS}
    now = ""
    with Endpoint(lambda request: wrong[now](request)) as endpoint:
        agent = TerminalAgent(config(endpoint.base_url), protocol)
        for now in USELESS:
            done = play(agent, lambda action: "error (not_found): no such file", max_steps=4)
            assert done.answer is not None, now
            assert done.faults, now


def test_a_protocol_that_there_is_none_of_is_refused() -> None:
    with pytest.raises(ValueError, match="no protocol 'xml'; there are native and tags"):
        TerminalAgent({"model": "m"}, "xml")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="repairs is at least 0, not -1"):
        TerminalAgent({"model": "m"}, repairs=-1)


def test_only_the_first_tool_counts_and_what_follows_is_not_kept() -> None:
    text = f"{tag('list_files').text}<output>made up</output><answer>At nine.</answer>"
    done, requests = played(
        in_turn(BrainReply(text), answered("tags")), protocol="tags", reply=shows_the_note
    )
    assert done.actions == [ListFiles(), NINE]
    assert done.kinds == ["several"]
    assert "made up" not in said(requests[1])
