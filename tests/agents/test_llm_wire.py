"""What goes to an endpoint is well-formed, whatever stands in a conversation."""

from __future__ import annotations

import base64
import io
import json
from typing import Any

import pytest
from PIL import Image

from deskgym.agents.llm_wire import (
    MAX_CALLS,
    MediaParts,
    Takes,
    Usage,
    reply_of,
    thought_of,
    to_wire,
    usage_of,
)
from deskgym.agents.messages import Message, Reply, ToolCall
from deskgym.env.observations import Media


def picture(side: int = 8) -> Media:
    out = io.BytesIO()
    Image.new("RGB", (side, side), "red").save(out, "PNG")
    return Media("image/png", out.getvalue())


def wire(*messages: Message, side: int = 64, **takes: bool) -> list[dict[str, Any]]:
    return to_wire(messages, Takes(**takes), MediaParts(side))


def call(own: str = "x", name: str = "look", arguments: str = "{}") -> ToolCall:
    return ToolCall(own, name, arguments)


# --- text and media ------------------------------------------------------------------------------


def test_text_goes_as_text() -> None:
    assert wire(Message("system", "s"), Message("user", "u"), Message("assistant", "a")) == [
        {"role": "system", "content": "s"},
        {"role": "user", "content": "u"},
        {"role": "assistant", "content": "a"},
    ]


def test_a_picture_goes_as_a_data_uri_no_larger_than_allowed() -> None:
    (message,) = wire(Message("user", "See:", (picture(200),)), side=50)
    text, image = message["content"]
    assert text == {"type": "text", "text": "See:"}
    head, _, data = image["image_url"]["url"].partition(",")
    assert head == "data:image/png;base64"
    assert Image.open(io.BytesIO(base64.b64decode(data))).size == (50, 50)


def test_sound_goes_as_input_audio_where_it_is_taken() -> None:
    (message,) = wire(Message("user", "Hear:", (Media("audio/mpeg", b"mp3"),)), audio=True)
    sound = {"data": base64.b64encode(b"mp3").decode(), "format": "mp3"}
    assert message["content"][1] == {"type": "input_audio", "input_audio": sound}


@pytest.mark.parametrize(
    ("media", "takes", "note"),
    [
        (picture(), {"images": False}, "not shown to this model, it takes none"),
        (Media("audio/wav", b"wav"), {}, "not shown to this model, it takes none"),
        (Media("audio/ogg", b"ogg"), {"audio": True}, "no model takes this kind"),
        (Media("video/mp4", b"mp4"), {"audio": True}, "no model takes this kind"),
        (Media("image/png", b"broken"), {}, "cannot be shown: no picture of a known kind"),
    ],
    ids=["picture", "sound", "other sound", "clip", "broken picture"],
)
def test_what_is_not_shown_is_told_of(media: Media, takes: dict[str, bool], note: str) -> None:
    (message,) = wire(Message("user", "See:", (media,)), **takes)
    assert message["content"].startswith(f"See:\n[{media.mime}")
    assert note in message["content"]


def test_only_a_user_shows_pictures() -> None:
    (message,) = wire(Message("assistant", "See:", (picture(),)))
    assert "not shown" in message["content"]


def test_messages_of_the_user_in_a_row_are_one() -> None:
    assert wire(Message("user", "a"), Message("user", "b")) == [
        {"role": "user", "content": "a\n\nb"}
    ]
    (message,) = wire(Message("user", "a"), Message("user", "b", (picture(),)))
    assert [part["type"] for part in message["content"]] == ["text", "text", "image_url"]


# --- calls and their results ---------------------------------------------------------------------


def test_calls_and_results_are_numbered_anew_and_in_order() -> None:
    sent = wire(
        Message("assistant", "I look.", calls=(call("p"), call("q"))),
        Message("tool", "of q", call_id="q"),
        Message("tool", "of p", call_id="p"),
        Message("assistant", calls=(call("p"),)),
        Message("tool", "of p again", call_id="p"),
    )
    assert [c["id"] for c in sent[0]["tool_calls"]] == ["call00001", "call00002"]
    assert [(m["tool_call_id"], m["content"]) for m in sent if m["role"] == "tool"] == [
        ("call00001", "of p"),
        ("call00002", "of q"),
        ("call00003", "of p again"),
    ]
    assert (sent[0]["content"], sent[3]["content"]) == ("I look.", None)


def test_calls_of_the_same_id_get_their_results_in_turn() -> None:
    sent = wire(
        Message("assistant", calls=(call("same"), call("same"))),
        Message("tool", "one", call_id="same"),
        Message("tool", "two", call_id="same"),
    )
    assert [m["content"] for m in sent[1:]] == ["one", "two"]


def test_a_call_without_a_result_gets_one() -> None:
    sent = wire(Message("assistant", calls=(call(),)), Message("user", "never mind"))
    assert [m["role"] for m in sent] == ["assistant", "tool", "user"]
    assert sent[1]["content"] == "[this call was not carried out]"


def test_a_result_without_a_call_is_told_in_words() -> None:
    assert wire(Message("tool", "42", call_id="gone")) == [
        {"role": "user", "content": "[tool output]\n42"}
    ]
    sent = wire(Message("assistant", calls=(call(),)), Message("tool", "42", call_id="gone"))
    assert [m["role"] for m in sent] == ["assistant", "tool", "user"]


def test_what_a_tool_shows_follows_its_text_after_all_results() -> None:
    sent = wire(
        Message("assistant", calls=(call("p"), call("q"))),
        Message("tool", "a page", (picture(),), call_id="p"),
        Message("tool", "text", call_id="q"),
    )
    assert [m["role"] for m in sent] == ["assistant", "tool", "tool", "user"]
    assert sent[3]["content"][0]["text"] == "[media of call00001]"
    assert sent[3]["content"][1]["type"] == "image_url"


@pytest.mark.parametrize("arguments", ["{broken", "", "[1]", '"text"', "[" * 100_000])
def test_arguments_that_are_no_object_are_wrapped_in_one(arguments: str) -> None:
    (message, _) = wire(Message("assistant", calls=(call(arguments=arguments),)))
    sent = message["tool_calls"][0]["function"]["arguments"]
    assert json.loads(sent) == {"malformed": arguments}


@pytest.mark.parametrize(
    ("name", "sent"), [("", "unnamed"), ("read file!", "read_file_"), ("a" * 99, "a" * 64)]
)
def test_names_are_such_as_endpoints_take(name: str, sent: str) -> None:
    (message, _) = wire(Message("assistant", calls=(call(name=name),)))
    assert message["tool_calls"][0]["function"]["name"] == sent


def test_without_tools_calls_and_results_are_told_in_words() -> None:
    sent = wire(
        Message("assistant", "I look.", calls=(call(arguments='{"at": 1}'),)),
        Message("tool", "42", (picture(),), call_id="x"),
        tools=False,
    )
    assert sent[0] == {"role": "assistant", "content": 'I look.\n[used look with {"at": 1}]'}
    assert sent[1]["role"] == "user"
    assert sent[1]["content"][0]["text"] == "[tool output]\n42"


def test_everything_that_is_sent_is_json_of_valid_unicode() -> None:
    odd = "a\ud800b\x00c"
    sent = wire(
        Message("user", odd),
        Message("assistant", odd, calls=(call(odd, odd, odd),)),
        Message("tool", odd, call_id=odd),
    )
    text = json.dumps(sent, ensure_ascii=False)
    text.encode("utf-8")
    assert "u0000" not in text


# --- what comes back -----------------------------------------------------------------------------


def read(message: Any, finish: Any = "stop", cap: int = 1000) -> tuple[Reply | None, list[str]]:
    noted: list[str] = []
    body = {"choices": [{"message": message, "finish_reason": finish}]}
    return reply_of(body, cap, lambda kind, detail: noted.append(kind)), noted


@pytest.mark.parametrize(
    ("message", "text", "noted"),
    [
        ({"content": "hi"}, "hi", []),
        ({"content": None}, "", []),
        ({}, "", []),
        ({"content": [{"type": "text", "text": "a"}, {"type": "x"}, "?", {"text": "b"}]}, "ab", []),
        ({"content": 7}, "", []),
        ({"content": None, "refusal": "I will not."}, "I will not.", ["refused"]),
        ({"content": "x" * 1001}, "x" * 1000, ["overlong"]),
        ({"content": "\ud800"}, "\ufffd", ["unicode"]),
    ],
)
def test_text_is_whatever_there_is(message: Any, text: str, noted: list[str]) -> None:
    reply, seen = read(message)
    assert reply == Reply(text)
    assert seen == noted


@pytest.mark.parametrize(
    "body",
    [
        None, 7, [], "text", {}, {"choices": []}, {"choices": {}}, {"choices": [None]},
        {"choices": [{}]}, {"choices": [{"message": None}]}, {"choices": {"message": "one"}},
        {"error": {"message": "no"}},
    ],
)  # fmt: skip
def test_what_is_no_completion_is_none(body: Any) -> None:
    assert reply_of(body, 1000, lambda kind, detail: None) is None
    assert thought_of(body) == ""
    assert usage_of(body) == Usage(None, None)


def test_calls_are_kept_as_they_were_written() -> None:
    reply, noted = read(
        {"tool_calls": [{"id": "p", "function": {"name": "look", "arguments": "{bro"}}]}, None
    )
    assert reply == Reply("", (ToolCall("p", "look", "{bro"),))
    assert noted == []


def test_calls_without_an_id_of_their_own_get_one() -> None:
    function = {"name": "look", "arguments": "{}"}
    made = [{"id": own, "function": function} for own in (None, "", "same", "same", "same_4", 5)]
    reply, noted = read({"tool_calls": made})
    assert reply is not None
    assert len({c.id for c in reply.calls}) == 6
    assert [c.id for c in reply.calls][2:3] == ["same"]
    assert set(noted) == {"tool_ids"}


@pytest.mark.parametrize(
    ("calls", "kept", "noted"),
    [
        ("look", 0, []),
        ([None, {"id": "p"}, {"function": "look"}], 0, ["malformed"] * 3),
        ([{"id": "p", "function": {"name": None, "arguments": None}}], 1, []),
        (
            [{"id": f"{n}", "function": {"name": "look"}} for n in range(99)],
            MAX_CALLS,
            ["overlong"],
        ),
    ],
)
def test_calls_that_cannot_be_told_are_dropped(calls: Any, kept: int, noted: list[str]) -> None:
    reply, seen = read({"tool_calls": calls})
    assert reply is not None
    assert len(reply.calls) == kept
    assert seen == noted


def test_arguments_that_came_as_an_object_are_text_again() -> None:
    reply, _ = read({"tool_calls": [{"id": "p", "function": {"name": "f", "arguments": {"a": 1}}}]})
    assert reply is not None
    assert reply.calls[0].arguments == '{"a": 1}'


def test_usage_is_what_can_be_believed() -> None:
    assert usage_of({"usage": {"prompt_tokens": 3, "completion_tokens": 0}}) == Usage(3, 0)
    assert usage_of({"usage": {"prompt_tokens": -3, "completion_tokens": "7"}}) == Usage(None, None)
    assert usage_of({"usage": {"prompt_tokens": True}}) == Usage(None, None)
