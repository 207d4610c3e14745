"""The client of a model: what endpoints do not take, what a context does not hold, bad configs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from endpoint import BrainReply, Endpoint, last_text
from llm_kit import ASKED, KEY, LOOK, a_model, in_turn, kinds
from pydantic import ValidationError
from stand_in import Answer, StandIn, completion

from deskgym.agents.llm import LLM, LLMConfig, Message, ModelUnavailable, ToolCall, ToolSpec
from deskgym.env.observations import Media


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


# --- what endpoints do not take ------------------------------------------------------------------


def refusing(message: str, when: Callable[[dict[str, Any]], Any], status: int = 400) -> Any:
    def answer(request: dict[str, Any]) -> Answer:
        if when(request):
            return Answer(status, {"error": {"message": message}})
        return Answer(200, completion("fine"))

    return answer


@contextmanager
def talking_to(answer: Any, **config: Any) -> Iterator[tuple[LLM, StandIn]]:
    with StandIn(answer) as stand_in:
        yield a_model(stand_in.base_url, **config), stand_in


SHOWN = [*ASKED, Message("user", "See:", (Media("image/png", b"no picture"),))]


@pytest.mark.parametrize(
    ("message", "sent", "status"),
    [
        ("response_format is not supported", "response_format", 400),
        ("Unrecognized request argument", "response_format", 422),
        ("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'", "max_tokens", 400),
        ("Unsupported value: 'temperature' does not support 0", "temperature", 400),
        ("this model does not support tools", "tools", 400),
        ("tools param requires --jinja flag", "tools", 500),
        ("Unsupported parameter: 'stop'", "stop", 400),
        ("seed: extra fields not permitted", "seed", 422),
    ],
)
def test_a_parameter_that_is_refused_is_left_off_from_then_on(
    message: str, sent: str, status: int
) -> None:
    answer = refusing(message, lambda request: sent in request, status)
    with talking_to(answer, seed=1) as (llm, stand_in):
        for _ in range(2):
            assert llm.chat(ASKED, tools=[LOOK], json=True, stop=["x"]).text == "fine"
        refused, *others = stand_in.requests
    assert sent in refused
    assert len(others) == 2
    assert all(sent not in request for request in others)
    everything = {"tools", "response_format", "temperature", "stop", "seed"} - {sent}
    assert all(everything <= set(request) for request in others)
    use = llm.take_use()
    assert kinds(use) == ["unsupported"]
    assert f"{sent} left off" in use.faults[0]
    assert llm.takes_tools == (sent != "tools")


def test_the_cap_takes_its_other_name_where_it_must() -> None:
    answer = refusing("use max_completion_tokens", lambda request: "max_tokens" in request)
    with talking_to(answer) as (llm, stand_in):
        llm.chat(ASKED)
        assert stand_in.requests[1]["max_completion_tokens"] == 2048


def test_a_model_that_sees_nothing_is_told_what_it_does_not_see() -> None:
    picture = Media("image/png", PNG)
    answer = refusing(
        "image input is not supported", lambda request: "image_url" in str(request), 500
    )
    with talking_to(answer) as (llm, stand_in):
        assert llm.chat([*ASKED, Message("user", "See:", (picture,))]).text == "fine"
        assert "image/png" in last_text(stand_in.requests[1])
        assert "not shown" in last_text(stand_in.requests[1])


def test_a_template_without_a_system_gets_it_from_the_user() -> None:
    answer = refusing(
        "System role not supported", lambda r: r["messages"][0]["role"] == "system", 500
    )
    with talking_to(answer) as (llm, stand_in):
        assert llm.chat(ASKED).text == "fine"
        assert stand_in.requests[1]["messages"] == [
            {"role": "user", "content": "Be brief.\n\nWho?"}
        ]


def test_a_request_that_is_refused_after_others_were_not_is_an_empty_reply() -> None:
    answer = refusing("I will not", lambda request: "bomb" in last_text(request))
    with talking_to(answer) as (llm, _):
        llm.chat(ASKED)
        llm.take_use()
        reply = llm.chat([Message("user", "bomb")])
    assert (reply.text, reply.finish) == ("", "refused")
    use = llm.take_use()
    assert kinds(use) == ["refused"]
    assert use.calls == 0


def test_an_endpoint_that_refuses_the_first_request_refuses_all() -> None:
    with talking_to(refusing("that is not how I work", lambda request: True)) as (llm, _):  # noqa: SIM117
        with pytest.raises(ModelUnavailable, match=r"refuses the request.*not how I work"):
            llm.chat(ASKED)


def test_a_filter_of_contents_is_no_reason_to_stop() -> None:
    answer = refusing("content_filter: triggered", lambda request: True)
    with talking_to(answer) as (llm, _):
        assert llm.chat(ASKED).finish == "refused"


# --- the context ---------------------------------------------------------------------------------


def a_long_talk(turns: int = 8, chars: int = 4000) -> list[Message]:
    talk = list(ASKED)
    for number in range(turns):
        call = ToolCall(f"c{number}", "look", "{}")
        talk.append(Message("assistant", calls=(call,)))
        talk.append(Message("tool", f"{number} " + "word " * (chars // 5), call_id=call.id))
    return talk


def test_a_long_conversation_is_made_to_fit_and_it_is_written_down() -> None:
    with Endpoint(in_turn(BrainReply("fine", usage=(10, 1)))) as endpoint:
        llm = a_model(endpoint.base_url, context_tokens=4000, max_tokens=500)
        llm.chat(a_long_talk(), tools=[LOOK])
        (request,) = endpoint.requests
    said = [m["content"] for m in request["messages"] if m["role"] == "tool"]
    assert said[0].startswith("[output left out: 4,00")
    assert said[-1].startswith("7 word")
    assert len(json.dumps(request)) < 4 * 4000
    assert request["messages"][1]["content"] == "Who?"
    assert kinds(llm.take_use()) == ["context"]


def test_it_goes_by_what_the_endpoint_counts() -> None:
    # This one counts two tokens where we estimate one.
    def twice(request: dict[str, Any]) -> BrainReply:
        return BrainReply("fine", usage=(len(json.dumps(request)) // 2, 1))

    with Endpoint(twice) as endpoint:
        llm = a_model(endpoint.base_url, context_tokens=8000, max_tokens=500)
        before, room = llm.tokens("word " * 100), llm.room(ASKED)
        assert room > 7000
        llm.chat(a_long_talk(4))
        assert 1.5 * before < llm.tokens("word " * 100) < 3 * before
        llm.chat(a_long_talk(40))
        sizes = [len(json.dumps(request)) // 2 for request in endpoint.requests]
        llm.start_episode()
        assert llm.tokens("word " * 100) == before
    assert sizes[1] < 8000


def test_a_context_that_is_shorter_than_was_said_is_found_out() -> None:
    short = refusing(
        "This model's maximum context length is 2000 tokens",
        lambda request: len(json.dumps(request)) > 8000,
    )
    with talking_to(short, context_tokens=16_000, max_tokens=500) as (llm, stand_in):
        assert llm.chat(a_long_talk()).text == "fine"
        assert 1 < len(stand_in.requests) < 8
    assert set(kinds(llm.take_use())) >= {"context"}


def test_a_question_that_no_context_holds_is_an_empty_reply() -> None:
    short = refusing("maximum context length is 20", lambda request: True)
    with talking_to(short) as (llm, _):
        reply = llm.chat([Message("user", "why " * 4000, pinned=True)])
    assert (reply.text, reply.finish) == ("", "refused")


def test_tools_that_leave_no_room_are_left_off_and_the_agent_sees_it() -> None:
    wordy = [ToolSpec(f"look{n}", "Look at it well. " * 40, LOOK.parameters) for n in range(20)]
    with talking_to(lambda request: Answer(200, completion("fine"))) as (_, stand_in):
        llm = a_model(stand_in.base_url, context_tokens=3_000, max_tokens=500)
        assert llm.chat(ASKED, tools=wordy).text == "fine"
        assert [set(request) & {"tools"} for request in stand_in.requests] == [set()]
    assert not llm.takes_tools
    assert llm.take_use().faults == (
        "unsupported: tools left off: no room for them in the context",
    )


# --- configs -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"model": ""}, "model"),
        ({"modle": "m"}, "modle"),
        ({"temperature": 3}, "temperature"),
        ({"base_url": "localhost:8000"}, "must begin with http:// or https://"),
        ({"base_url": f"http://me:{KEY}@host/v1"}, "api_key_env"),
        ({"extra": {"api_key": KEY}}, "must hold no key"),
        ({"api_key": KEY}, "api_key"),
        ({"extra": {"stream": True}}, "must not set stream"),
        ({"max_tokens": 9000, "context_tokens": 9000}, "must exceed max_tokens"),
        ({"cassette_mode": "replay"}, "needs a folder"),
        ({"max_image_side": 0}, "max_image_side"),
    ],
)
def test_a_wrong_config_is_refused_by_field_and_never_quotes_a_key(
    wrong: dict[str, Any], why: str
) -> None:
    with pytest.raises(ValidationError, match=why) as raised:
        LLM({"model": "m", **wrong})
    assert KEY not in str(raised.value)


def test_a_config_goes_through_json() -> None:
    config = LLMConfig(model="m", base_url="http://localhost:8080/v1", extra={"top_k": 1})
    assert LLMConfig.model_validate_json(config.model_dump_json()) == config


def test_what_belongs_behind_an_address_goes_behind_each_request() -> None:
    with StandIn(lambda request: Answer(200, completion("fine"))) as stand_in:
        llm = a_model(f"{stand_in.base_url}?api-version=2024-10-21")
        assert llm.chat(ASKED).text == "fine"
        assert stand_in.paths == ["/v1/chat/completions?api-version=2024-10-21"]


PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360f8cfc0f01f00050001ff56c72f0d0000000049454e44ae426082"
)
