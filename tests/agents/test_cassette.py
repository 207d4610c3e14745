"""A cassette repeats an experiment: the same replies, the same costs, and no model."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from endpoint import BrainReply, Endpoint, Fault
from stand_in import Answer, StandIn, completion

from deskgym.agents.cassette import BadCassette, CassetteMiss, Recording, canonical
from deskgym.agents.llm import LLM, LLMConfig, Message, ToolCall, ToolSpec
from deskgym.env.observations import Media
from deskgym.env.trajectory import ModelUse

KEY = "sk-very-secret"
ASKED = [Message("system", "Be brief."), Message("user", "Who?", pinned=True)]
NOWHERE = "http://127.0.0.1:9/v1"


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def a_model(folder: Path, mode: str, base_url: str = NOWHERE, **config: Any) -> LLM:
    full = {"model": "m", "base_url": base_url, "cassette": str(folder), "cassette_mode": mode}
    return LLM(full | config, sleep=lambda seconds: None)


class Counting:
    """A brain that says how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, request: dict[str, Any]) -> BrainReply:
        self.asked += 1
        return BrainReply(f"reply {self.asked}", usage=(100 * self.asked, self.asked))


def test_what_was_recorded_is_replayed_without_a_model_at_the_same_cost(tmp_path: Path) -> None:
    replies = iter([Fault("429"), BrainReply("Ann.", usage=(90, 4)), BrainReply("Bob.")])
    with Endpoint(lambda request: next(replies)) as endpoint:
        live = a_model(tmp_path, "record", endpoint.base_url, price_in=1.0)
        said = [live.chat(ASKED), live.chat([*ASKED, Message("assistant", "Ann.")])]
    use = live.take_use()
    assert use.faults != ()
    taped = a_model(tmp_path, "replay", price_in=1.0)
    assert [taped.chat(ASKED), taped.chat([*ASKED, Message("assistant", "Ann.")])] == said
    assert taped.take_use() == use


def test_calls_come_back_as_calls(tmp_path: Path) -> None:
    tools = [ToolSpec("look", "Look.", {"type": "object"})]
    with Endpoint(lambda request: BrainReply(calls=[("look", {"at": 1})])) as endpoint:
        said = a_model(tmp_path, "record", endpoint.base_url).chat(ASKED, tools=tools)
    assert len(said.calls) == 1
    assert a_model(tmp_path, "replay").chat(ASKED, tools=tools) == said


def test_no_key_and_no_address_is_on_disk(tmp_path: Path) -> None:
    with Endpoint(Counting()) as endpoint:
        a_model(tmp_path, "record", endpoint.base_url).chat(ASKED)
        (file,) = tmp_path.rglob("*.json")
        text = file.read_text()
        assert KEY not in text
        assert endpoint.base_url not in text
    assert file.parent.name == file.stem[:2]
    assert json.loads(text)["format_version"] == 1
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == [file.name]


def test_a_miss_names_the_file_and_what_to_do(tmp_path: Path) -> None:
    with Endpoint(Counting()) as endpoint:
        a_model(tmp_path, "record", endpoint.base_url).chat(ASKED)
    with pytest.raises(CassetteMiss, match=r"no recording .*\.json.*'Why\?'.*'auto'") as raised:
        a_model(tmp_path, "replay").chat([*ASKED, Message("user", "Why?")])
    assert str(tmp_path) in str(raised.value)


def test_a_cassette_that_is_not_there_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(BadCassette, match="cassette_mode='record'"):
        a_model(tmp_path / "none", "replay")


def test_auto_asks_only_for_what_is_missing(tmp_path: Path) -> None:
    brain = Counting()
    with Endpoint(brain) as endpoint:
        for _ in range(2):
            llm = a_model(tmp_path, "auto", endpoint.base_url)
            assert llm.chat(ASKED).text == "reply 1"
        assert llm.chat([*ASKED, Message("user", "Why?")]).text == "reply 2"
    assert brain.asked == 2


def test_record_asks_again_and_writes_over(tmp_path: Path) -> None:
    with Endpoint(Counting()) as endpoint:
        for _ in range(2):
            a_model(tmp_path, "record", endpoint.base_url).chat(ASKED)
    assert a_model(tmp_path, "replay").chat(ASKED).text == "reply 2"


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_the_same_request_has_takes_counted_in_each_episode(
    tmp_path: Path, temperature: float
) -> None:
    with Endpoint(Counting()) as endpoint:
        live = a_model(tmp_path, "auto", endpoint.base_url, temperature=temperature)
        assert [live.chat(ASKED).text for _ in range(2)] == ["reply 1", "reply 2"]
        live.start_episode()
        assert [live.chat(ASKED).text for _ in range(3)] == ["reply 1", "reply 2", "reply 3"]
    taped = a_model(tmp_path, "replay", temperature=temperature)
    assert [taped.chat(ASKED).text for _ in range(3)] == ["reply 1", "reply 2", "reply 3"]
    with pytest.raises(CassetteMiss, match="take 4"):
        taped.chat(ASKED)


def test_replay_learns_the_endpoints_count_as_recording_did(tmp_path: Path) -> None:
    long = [*ASKED, Message("user", "word " * 1000)]
    with Endpoint(lambda request: BrainReply("fine", usage=(4000, 1))) as endpoint:
        live = a_model(tmp_path, "record", endpoint.base_url)
        live.chat(long)
    taped = a_model(tmp_path, "replay")
    before = taped.room()
    taped.chat(long)
    assert taped.room() == live.room()
    assert taped.tokens("word " * 100) == live.tokens("word " * 100) > 200
    assert before > 0


def test_what_the_model_saw_in_pieces_is_one_request(tmp_path: Path) -> None:
    """What an endpoint takes, and what fits, is no part of what was asked."""
    talk = [*ASKED, Message("user", "word " * 8000, (Media("image/png", b"never mind"),))]

    def no_images(request: dict[str, Any]) -> Answer:
        if "response_format" in request:
            return Answer(400, {"error": {"message": "response_format: no"}})
        return Answer(200, completion("fine"))

    with StandIn(no_images) as stand_in:
        live = a_model(tmp_path, "record", stand_in.base_url, context_tokens=3000)
        live.chat(talk, json=True)
    use = live.take_use()
    assert {fault.partition(":")[0] for fault in use.faults} == {"unsupported", "context"}
    taped = a_model(tmp_path, "replay", context_tokens=3000)
    assert taped.chat(talk, json=True).text == "fine"
    assert taped.take_use() == use


def test_odd_text_survives(tmp_path: Path) -> None:
    talk = [Message("user", "half \ud800 and \x00 and 東京")]
    with StandIn(lambda request: Answer(200, completion("half \udc00"))) as stand_in:
        a_model(tmp_path, "record", stand_in.base_url).chat(talk)
    assert a_model(tmp_path, "replay").chat(talk).text == "half \ufffd"


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format_version": 2}', "\x00\xff"], ids=str)
def test_a_broken_recording_is_named(tmp_path: Path, content: str) -> None:
    with Endpoint(Counting()) as endpoint:
        a_model(tmp_path, "record", endpoint.base_url).chat(ASKED)
    (file,) = tmp_path.rglob("*.json")
    file.write_bytes(content.encode("latin-1"))
    for mode in ("replay", "auto"):
        with pytest.raises(BadCassette, match=rf"{file.name}.*Delete the file"):
            a_model(tmp_path, mode).chat(ASKED)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with Endpoint(Counting()) as endpoint:
        llm = a_model(tmp_path / "file", "record", endpoint.base_url)
        with pytest.raises(BadCassette, match=r"cannot write .*file.*can be written to"):
            llm.chat(ASKED)


def test_writers_of_the_same_file_do_not_mix(tmp_path: Path) -> None:
    from deskgym.agents.cassette import Cassette

    request = canonical(LLMConfig(model="m"), ASKED)
    bodies = [{"text": letter * 50_000} for letter in "abcdefgh"]

    def write(body: dict[str, str]) -> None:
        for _ in range(5):
            recording = Recording(request=request, response=body, use=ModelUse())
            Cassette(str(tmp_path), "record").write(recording)

    threads = [threading.Thread(target=write, args=(body,)) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = Cassette(str(tmp_path), "replay").find(request)
    assert found is not None
    assert found.response in bodies
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 1


# --- what makes a request another ----------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [{"model": "other"}, {"temperature": 0.5}, {"seed": 1}, {"extra": {"top_k": 1}}],
    ids=str,
)
def test_a_change_of_what_is_asked_is_another_request(change: dict[str, Any]) -> None:
    plain = {"model": "m", "base_url": NOWHERE}
    assert canonical(LLMConfig(**plain), ASKED) != canonical(
        LLMConfig(**{**plain, **change}), ASKED
    )


@pytest.mark.parametrize(
    "change",
    [
        {"base_url": "https://other.example/v1"},
        {"api_key_env": "OTHER"},
        {"timeout_s": 1.0},
        {"retries": 0},
        {"price_in": 1.0},
        {"cassette": "elsewhere"},
    ],
    ids=str,
)
def test_a_change_of_how_it_is_asked_is_not(change: dict[str, Any]) -> None:
    plain = {"model": "m", "base_url": NOWHERE}
    assert canonical(LLMConfig(**plain), ASKED) == canonical(
        LLMConfig(**{**plain, **change}), ASKED
    )


def test_ids_of_calls_do_not_matter_but_which_result_is_whose_does() -> None:
    def talk(one: str, two: str, *order: str) -> Any:
        calls = (ToolCall(one, "look", "{}"), ToolCall(two, "look", "{}"))
        results = [Message("tool", "x", call_id=own) for own in order]
        return canonical(LLMConfig(model="m"), [Message("assistant", calls=calls), *results])

    assert talk("a", "b", "a", "b") == talk("p", "q", "p", "q")
    assert talk("a", "b", "a", "b") != talk("a", "b", "b", "a")


def test_media_count_by_their_bytes_and_are_not_kept() -> None:
    def shown(data: bytes) -> Any:
        return canonical(LLMConfig(model="m"), [Message("user", "", (Media("image/png", data),))])

    assert shown(b"one") == shown(b"one") != shown(b"two")
    assert len(json.dumps(shown(b"x" * 100_000))) < 1000
