"""The client of a model: what it sends, what it makes of what comes, and what it writes down."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from endpoint import HOSTILE_KINDS, BrainReply, Endpoint, Fault, hostile, last_text
from llm_kit import ASKED, KEY, LOOK, a_model, in_turn, kinds
from stand_in import Answer, StandIn, completion

from deskgym.agents.errors import AgentError
from deskgym.agents.llm import LLM, Message, ModelUnavailable
from deskgym.env.trajectory import ModelUse


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


# --- plain questions and answers -----------------------------------------------------------------


def test_it_asks_and_counts() -> None:
    with Endpoint(lambda request: BrainReply("Ann.", usage=(1000, 10))) as endpoint:
        llm = a_model(endpoint.base_url, price_in=2.0, price_out=10.0, seed=7, extra={"top_k": 5})
        reply = llm.chat(ASKED, json=True, stop=["\n"], max_tokens=50)
        (request,) = endpoint.requests
    assert (reply.text, reply.calls, reply.finish) == ("Ann.", (), "stop")
    assert request == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Who?"},
        ],
        "max_tokens": 50,
        "temperature": 0.0,
        "seed": 7,
        "stop": ["\n"],
        "response_format": {"type": "json_object"},
        "top_k": 5,
    }
    use = llm.take_use()
    assert (use.calls, use.prompt_tokens, use.completion_tokens) == (1, 1000, 10)
    assert use.cost_usd == pytest.approx(0.0021)
    assert use.seconds > 0
    assert use.faults == ()
    assert llm.take_use() == ModelUse()


def test_tools_are_offered_and_calls_come_back_as_the_model_wrote_them() -> None:
    calls = [("look", {"path": "a.txt"}), ("look", "{broken")]
    with Endpoint(lambda request: BrainReply("I look.", calls=calls)) as endpoint:
        llm = a_model(endpoint.base_url)
        reply = llm.chat(ASKED, tools=[LOOK])
        (tool,) = endpoint.requests[0]["tools"]
    assert tool["function"] == {
        "name": "look",
        "description": "Look at a file.",
        "parameters": LOOK.parameters,
    }
    assert [(c.name, c.arguments) for c in reply.calls] == [
        ("look", '{"path": "a.txt"}'),
        ("look", "{broken"),
    ]
    assert llm.take_use().thought == "I look."


def test_an_endpoint_of_ones_own_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with Endpoint(in_turn(BrainReply("hi"))) as endpoint:
        assert a_model(endpoint.base_url).chat(ASKED).text == "hi"
        assert KEY not in str(endpoint.headers)


def test_the_key_comes_from_the_variable_that_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-mine")
    with Endpoint(in_turn(BrainReply("hi"))) as endpoint:
        a_model(endpoint.base_url, api_key_env="MY_KEY").chat(ASKED)
        assert endpoint.headers[0]["authorization"] == "Bearer sk-mine"


def test_without_key_and_address_it_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(ModelUnavailable, match=r"set OPENAI_API_KEY, or name .* base_url"):
        LLM({"model": "m"}).chat(ASKED)


def test_without_the_client_it_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['openai'] = None\n"
        "from deskgym.agents.llm import LLM, Message\n"
        "LLM({'model': 'm', 'base_url': 'http://localhost:9/v1'}).chat([Message('user', 'a')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "ModelUnavailable" in done.stderr
    assert "pip install 'deskgym[agents]'" in done.stderr


def test_the_client_is_imported_only_when_it_is_needed() -> None:
    code = (
        "import sys, deskgym.agents.model_agent as m; m.LLM({'model': 'm'})\n"
        "assert 'openai' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# --- faults of the wire --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("429", "rate_limited"),
        ("500", "server_error"),
        ("503", "server_error"),
        ("cut", "connection"),
        ("malformed_body", "bad_response"),
        ("bad_shape", "bad_response"),
        ("no_choices", "bad_response"),
    ],
)
def test_a_passing_fault_is_tried_again_and_written_down(fault: str, kind: str) -> None:
    with Endpoint(in_turn(Fault(fault), BrainReply("at last", usage=(7, 3)))) as endpoint:
        llm, waits = a_model(endpoint.base_url, sleeps := []), sleeps
        assert llm.chat(ASKED).text == "at last"
        assert len(endpoint.requests) == 2
    assert len(waits) == 1
    assert kinds(llm.take_use()) == [kind]


def test_a_slow_reply_is_given_up_and_asked_for_again() -> None:
    with Endpoint(in_turn(Fault("slow", seconds=0.6), BrainReply("fast"))) as endpoint:
        llm = a_model(endpoint.base_url, timeout_s=0.2, retries=3)
        assert llm.chat(ASKED).text == "fast"
        assert set(kinds(llm.take_use())) == {"timeout"}


def test_waits_double_with_jitter_and_end() -> None:
    with Endpoint(in_turn(Fault("500"))) as endpoint:
        llm = a_model(endpoint.base_url, waits := [], retries=4, backoff_s=1.0)
        with pytest.raises(ModelUnavailable, match=r"does not answer, after 5 tries.*no luck: 500"):
            llm.chat(ASKED)
        assert len(endpoint.requests) == 5
    assert all(span / 2 <= wait <= span for wait, span in zip(waits, (1, 2, 4, 8), strict=True))
    assert len(set(waits)) == 4
    use = llm.take_use()
    assert kinds(use) == ["server_error"] * 5
    assert use.calls == 0
    assert use.seconds > 0


@pytest.mark.parametrize("status", ["429", "503"])
def test_it_waits_as_long_as_it_is_asked_to(status: str) -> None:
    brain = in_turn(Fault(status, retry_after="20"), BrainReply("thanks"))
    with Endpoint(brain) as endpoint:
        llm = a_model(endpoint.base_url, waits := [])
        assert llm.chat(ASKED).text == "thanks"
    assert 20 <= waits[0] <= 22


def test_it_does_not_wait_beyond_its_patience() -> None:
    with Endpoint(in_turn(Fault("429", retry_after="3600"))) as endpoint:
        llm = a_model(endpoint.base_url, waits := [], patience_s=60)
        with pytest.raises(ModelUnavailable, match=r"after 1 tries.*raise retries or patience_s"):
            llm.chat(ASKED)
    assert waits == []


@pytest.mark.parametrize(
    ("status", "remedy"),
    [
        ("401", "check the API key in the variable OPENAI_API_KEY"),
        ("403", "check its rights"),
        ("404", r"check the model's name and the base URL \(most end in /v1\)"),
    ],
)
def test_what_no_patience_mends_is_an_error_at_once(status: str, remedy: str) -> None:
    with Endpoint(in_turn(Fault(status))) as endpoint:
        with pytest.raises(ModelUnavailable, match=remedy) as raised:
            a_model(endpoint.base_url).chat(ASKED)
        assert len(endpoint.requests) == 1
        assert endpoint.base_url in str(raised.value)
    assert isinstance(raised.value, AgentError)


def test_where_nobody_listens_it_does_not_wait_for_long() -> None:
    llm = a_model("http://127.0.0.1:9/v1", waits := [], retries=50)
    with pytest.raises(ModelUnavailable, match="check that it runs"):
        llm.chat(ASKED)
    assert len(waits) == 1


def test_a_key_that_the_endpoint_quotes_is_not_passed_on() -> None:
    def refuse(request: dict[str, Any]) -> Answer:
        return Answer(401, {"error": {"message": f"bad key {KEY}"}})

    with StandIn(refuse) as stand_in, pytest.raises(ModelUnavailable) as raised:
        a_model(stand_in.base_url).chat(ASKED)
    assert KEY not in str(raised.value)
    assert "[key]" in str(raised.value)
    assert raised.value.__cause__ is None


def test_no_quota_is_not_waited_for() -> None:
    error = {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}
    with StandIn(lambda request: Answer(429, error)) as stand_in:
        with pytest.raises(ModelUnavailable, match="cannot pay"):
            a_model(stand_in.base_url).chat(ASKED)
        assert len(stand_in.requests) == 1


# --- useless replies -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "text", "faults"),
    [
        ("empty", "", []),
        ("null_content", "", []),
        ("cut_reply", "I think that the ans", []),
        ("no_usage", "late", ["no_usage"]),
    ],
)
def test_a_useless_reply_is_the_agents_affair(fault: str, text: str, faults: list[str]) -> None:
    with Endpoint(in_turn(Fault(fault))) as endpoint:
        llm = a_model(endpoint.base_url)
        reply = llm.chat(ASKED)
        assert len(endpoint.requests) == 1
    assert reply.text == text
    assert (reply.finish == "length") == (fault == "cut_reply")
    assert kinds(llm.take_use()) == faults


def test_a_reply_without_end_is_cut_and_paid_for() -> None:
    with Endpoint(in_turn(Fault("huge"))) as endpoint:
        llm = a_model(endpoint.base_url)
        assert len(llm.chat(ASKED).text) < 20_000
    use = llm.take_use()
    assert kinds(use) == ["overlong"]
    assert use.completion_tokens == 100_000


@pytest.mark.parametrize("fault", ["no_choices", "bad_shape"])
def test_what_is_never_a_reply_is_an_empty_one_in_the_end(fault: str) -> None:
    with Endpoint(in_turn(Fault(fault))) as endpoint:
        llm = a_model(endpoint.base_url, retries=1)
        reply = llm.chat(ASKED)
    assert (reply.text, reply.finish) == ("", "bad_response")
    assert kinds(llm.take_use()).count("bad_response") == 2


def test_an_address_of_something_else_is_an_error() -> None:
    with StandIn(lambda request: Answer(200, {"hello": "world"})) as stand_in:
        llm = a_model(stand_in.base_url, retries=1)
        with pytest.raises(ModelUnavailable, match="no chat completion"):
            llm.chat(ASKED)


def test_tokens_that_are_not_counted_are_estimated_and_it_is_said_once() -> None:
    with Endpoint(in_turn(Fault("no_usage", reply=BrainReply("word " * 100)))) as endpoint:
        llm = a_model(endpoint.base_url, price_out=1.0)
        llm.chat(ASKED)
        llm.chat(ASKED)
    use = llm.take_use()
    assert kinds(use) == ["no_usage"]
    assert 2 * 100 <= use.completion_tokens <= 2 * 200
    assert use.prompt_tokens > 0
    assert use.cost_usd > 0


def test_reasoning_that_is_sent_apart_is_a_thought() -> None:
    body = completion("Ann.", reasoning_content="She said so.")
    with StandIn(lambda request: Answer(200, body)) as stand_in:
        llm = a_model(stand_in.base_url)
        assert llm.chat(ASKED).text == "Ann."
    assert llm.take_use().thought == "She said so."


def test_text_that_is_no_unicode_goes_out_and_comes_in() -> None:
    with StandIn(lambda request: Answer(200, completion("half \ud83d done"))) as stand_in:
        llm = a_model(stand_in.base_url)
        reply = llm.chat([Message("user", "cut \udc80 in \x00 half")])
        (request,) = stand_in.requests
    assert reply.text == "half \ufffd done"
    assert last_text(request) == "cut \ufffd in \ufffd half"
    assert "unicode" in kinds(llm.take_use())


def test_faults_and_thoughts_of_the_agent_are_in_the_same_books() -> None:
    llm = LLM({"model": "m"})
    llm.fault("malformed", "no JSON\nin 'Sure!'")
    llm.fault("empty")
    llm.fault("long", "x" * 1000 + "\ud800")
    llm.think(" So be it. ")
    use = llm.take_use()
    assert use.faults[:2] == ("malformed: no JSON in 'Sure!'", "empty")
    assert len(use.faults[2]) < 250
    assert use.thought == "So be it."
    use.model_dump_json()  # which is how it gets out of the agent's process


def test_no_kind_of_fault_gets_the_better_of_it() -> None:
    brain = hostile(in_turn(BrainReply("good")), every=2, seed=3)
    with Endpoint(brain) as endpoint:
        llm = a_model(endpoint.base_url)
        while set(endpoint.faults) != set(HOSTILE_KINDS):
            llm.chat(ASKED, tools=[LOOK])
        served = endpoint.faults
    seen = kinds(llm.take_use())
    for kind, names in {
        "rate_limited": ["429"],
        "server_error": ["500", "503"],
        "connection": ["cut"],
        "bad_response": ["malformed_body", "bad_shape", "no_choices"],
        "overlong": ["huge"],
    }.items():
        assert seen.count(kind) == sum(served.count(name) for name in names)
    assert "tool_ids" in seen
