"""The scripted endpoint does to a client what real ones do, and keeps books of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import openai
import pytest
from endpoint import (
    HOSTILE_KINDS,
    INVENTED_PATH,
    KINDS,
    UNKNOWN_TOOL,
    BrainReply,
    Endpoint,
    Fault,
    hostile,
    last_text,
    said,
    system_text,
    tool_names,
)

TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}


def ask(endpoint: Endpoint, text: str = "hello", **more: Any) -> Any:
    client = openai.OpenAI(base_url=endpoint.base_url, api_key="k", max_retries=0, timeout=5)
    messages = [{"role": "system", "content": "be brief"}, {"role": "user", "content": text}]
    with client:
        return client.chat.completions.create(model="scripted", messages=messages, **more)


def fault(kind: str, **more: Any) -> Any:
    return lambda request: Fault(kind, **more)


@pytest.fixture
def parrot() -> Iterator[Endpoint]:
    with Endpoint(lambda request: BrainReply(last_text(request), usage=(7, 3))) as endpoint:
        yield endpoint


def test_a_reply_comes_as_a_chat_completion_and_the_request_is_kept(parrot: Endpoint) -> None:
    done = ask(parrot, "polly", temperature=0, tools=[TOOL])
    assert done.choices[0].message.content == "polly"
    assert done.choices[0].finish_reason == "stop"
    assert (done.usage.prompt_tokens, done.usage.completion_tokens) == (7, 3)
    (request,) = parrot.requests
    assert request["temperature"] == 0
    assert (system_text(request), said(request, "user")) == ("be brief", "polly")
    assert tool_names(request) == {"look"}
    assert parrot.headers[0]["authorization"] == "Bearer k"
    assert parrot.served == [None]


def test_parts_of_a_message_that_are_text_are_read() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "data:"}}]
    assert last_text({"messages": [{"role": "user", "content": parts}]}) == "a"


def test_tokens_are_counted_by_characters_and_pictures_by_their_number() -> None:
    picture = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{'A' * 9_000}"}}
    with Endpoint(lambda request: BrainReply("x" * 400)) as endpoint:
        few = ask(endpoint, "hello").usage
        many = ask(endpoint, "hello" + "x" * 4_000).usage
        shown = ask(endpoint, [picture, picture]).usage  # type: ignore[arg-type]
    assert 100 <= few.completion_tokens <= 120
    assert 990 <= many.prompt_tokens - few.prompt_tokens <= 1_010
    assert 2 * 765 <= shown.prompt_tokens - few.prompt_tokens <= 2 * 800


def test_calls_have_ids_unless_they_are_given() -> None:
    calls = (("look", {"at": 1}), ("look", "{broken"))
    replies = iter([BrainReply(calls=calls), BrainReply(calls=calls, ids=(None, "same"))])
    with Endpoint(lambda request: next(replies)) as endpoint:
        first, second = (ask(endpoint).choices[0] for _ in range(2))
    assert first.finish_reason == "tool_calls"
    made = first.message.tool_calls
    assert [json.loads(made[0].function.arguments), made[1].function.arguments] == [
        {"at": 1},
        "{broken",
    ]
    assert len({call.id for call in made}) == 2
    assert [call.id for call in second.message.tool_calls] == [None, "same"]


@pytest.mark.parametrize(
    ("kind", "raised"),
    [
        ("401", openai.AuthenticationError),
        ("404", openai.NotFoundError),
        ("429", openai.RateLimitError),
        ("500", openai.InternalServerError),
        ("503", openai.InternalServerError),
        ("cut", openai.APIConnectionError),
    ],
)
def test_a_fault_of_the_server_is_an_error_of_the_client(
    kind: str, raised: type[Exception]
) -> None:
    with Endpoint(fault(kind)) as endpoint:
        with pytest.raises(raised):
            ask(endpoint)
        assert endpoint.faults == [kind]


def test_a_refusal_says_when_to_come_back() -> None:
    with Endpoint(fault("429", retry_after="3")) as endpoint:
        with pytest.raises(openai.RateLimitError) as refused:
            ask(endpoint)
        assert refused.value.response.headers["retry-after"] == "3"


def test_a_slow_reply_outlasts_a_short_patience() -> None:
    with (
        Endpoint(fault("slow", seconds=2.0)) as endpoint,
        pytest.raises(openai.APITimeoutError),
    ):
        ask(endpoint, timeout=0.1)


def test_useless_replies_arrive_whole() -> None:
    seen = {}
    for kind in ("empty", "null_content", "huge", "cut_reply"):
        with Endpoint(fault(kind)) as endpoint:
            seen[kind] = ask(endpoint)
    assert seen["empty"].choices[0].message.content == ""
    assert seen["null_content"].choices[0].message.content is None
    assert len(seen["huge"].choices[0].message.content.split()) == 100_000
    assert seen["huge"].usage.completion_tokens == 100_000
    assert seen["cut_reply"].choices[0].finish_reason == "length"


def test_bodies_can_lack_what_a_client_counts_on() -> None:
    with Endpoint(fault("no_choices")) as endpoint:
        assert ask(endpoint).choices == []
    with Endpoint(fault("no_usage", reply=BrainReply("fine"))) as endpoint:
        done = ask(endpoint)
        assert (done.usage, done.choices[0].message.content) == (None, "fine")
    with Endpoint(fault("malformed_body")) as endpoint, pytest.raises(ValueError, match=r"."):
        ask(endpoint)


def test_a_fault_that_there_is_none_of_is_refused() -> None:
    with pytest.raises(ValueError, match="no fault 'gremlins'; there are 401"):
        Fault("gremlins")


def test_a_brain_that_raises_fails_the_test() -> None:
    def broken(request: dict[str, Any]) -> BrainReply:
        raise ZeroDivisionError("in the brain")

    endpoint = Endpoint(broken).__enter__()
    with pytest.raises(openai.BadRequestError, match="ZeroDivisionError"):
        ask(endpoint)
    with pytest.raises(ZeroDivisionError, match="in the brain"):
        endpoint.__exit__(None)


def test_the_hostile_brain_spoils_every_third_reply_in_every_way_in_turn() -> None:
    body = {"messages": [{"role": "user", "content": "hi"}]}
    brain = hostile(lambda request: BrainReply("good"), every=3, seed=1)
    said = [brain(body) for _ in range(3 * len(HOSTILE_KINDS))]
    assert [reply for n, reply in enumerate(said, 1) if n % 3] == [BrainReply("good")] * (
        2 * len(HOSTILE_KINDS)
    )
    kinds = [reply.kind for reply in said[2::3]]
    assert sorted(map(str, kinds)) == sorted(HOSTILE_KINDS)
    again = hostile(lambda request: BrainReply("good"), every=3, seed=1)
    assert [again(body).kind for _ in said][2::3] == kinds


@pytest.mark.parametrize(
    ("request_", "form"),
    [
        ({"messages": [], "tools": [TOOL]}, "call"),
        ({"messages": [{"role": "system", "content": "use <tool>"}]}, "<tool>"),
        ({"messages": [{"role": "system", "content": "Action: tool[...]"}]}, "Action: "),
    ],
    ids=["native", "tags", "react"],
)
def test_spoilt_actions_are_in_the_words_of_the_protocol(
    request_: dict[str, Any], form: str
) -> None:
    for kind, name in (("unknown_tool", UNKNOWN_TOOL), ("invented_path", INVENTED_PATH)):
        reply = hostile(fault("empty"), every=1, kinds=[kind])(request_)
        assert isinstance(reply, BrainReply)
        assert name in (str(reply.calls) if form == "call" else f"{reply.text}")
        assert bool(reply.calls) == (form == "call")
        assert form == "call" or f"{reply.text}".count(form) == 1


def test_every_hostile_kind_reaches_a_client() -> None:
    assert set(HOSTILE_KINDS) - set(KINDS) > {"malformed_json", "unknown_tool", "invented_cites"}
    with Endpoint(hostile(fault("empty"), every=1)) as endpoint:
        for _ in HOSTILE_KINDS:
            try:
                ask(endpoint, tools=[TOOL])
            except (openai.OpenAIError, ValueError):
                continue  # what is seen of it stands in the tests above
        assert sorted(endpoint.faults) == sorted(HOSTILE_KINDS)
