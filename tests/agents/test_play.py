"""One episode for a framework that uses tools by name."""

from __future__ import annotations

import asyncio
import io
import json
import threading
from typing import Any

import pytest
from fake_desk import FILES, FakeDataset, FakeDesk
from PIL import Image

from deskgym.agents.adapters.chat import Message, converse, tool_definitions
from deskgym.agents.adapters.play import MAX_SIDE, DeskPlay, flat_scores
from deskgym.env.actions import ALL_TOOLS
from deskgym.env.desk_env import DeskEnv
from deskgym.env.sandbox.base import DeskDied
from deskgym.tasks.schema import Profile

GOLD = FILES["ann"]["notes/heron.txt"]
HERON = "notes/heron.txt"


def picture(width: int, height: int) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (width, height), "red").save(file, format="PNG")
    return file.getvalue()


class Table:
    """A play at ann's first task, and the desk that it has."""

    def __init__(self, **options: Any) -> None:
        self.desks: list[FakeDesk] = []
        self.play = DeskPlay(DeskEnv(FakeDataset(), sandbox=self._desk, **options))
        self.told = self.play.begin(profile="ann", task="ann-001")

    def _desk(self, person: Profile) -> FakeDesk:
        self.desks.append(FakeDesk(person))
        return self.desks[-1]


def test_the_player_is_told_whose_files_how_many_steps_and_the_question() -> None:
    table = Table(max_steps=7)
    assert "2 files of Ann" in table.told
    assert "There are 7 steps" in table.told
    assert table.play.question == "Question 1 about notes/heron.txt?"
    assert table.told.endswith(f"Question: {table.play.question}")
    assert GOLD not in table.told


def test_the_tools_are_those_that_are_on_without_notes() -> None:
    assert {spec.name for spec in Table().play.specs} == ALL_TOOLS - {"note"}
    names = [
        tool["function"]["name"] for tool in tool_definitions(Table(tools="config1").play.specs)
    ]
    assert names == ["terminal", "list_files", "metadata", "read_original", "answer"]


@pytest.mark.parametrize("arguments", [{"path": HERON}, json.dumps({"path": HERON}), HERON])
def test_arguments_come_as_an_object_as_json_or_plainly(arguments: Any) -> None:
    shown = Table().play.use("read_text", arguments)
    assert (shown.ok, shown.over) == (True, False)
    assert GOLD in shown.text


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("read_text", {"path": "no"}, "not_found"),
        ("read_text", {}, "invalid_action"),
        ("read_text", "{broken", "invalid_action"),
        ("read_text", "[1]", "invalid_action"),
        ("rm", {"path": HERON}, "invalid_action"),
        ("read_image", {"path": HERON, "tool": "answer"}, "invalid_action"),
    ],
)
def test_what_cannot_be_done_is_told_and_counts_as_a_step(
    name: str, arguments: Any, said: str
) -> None:
    play = Table(tools="config3", max_steps=5).play
    shown = play.use(name, arguments)
    assert not shown.ok
    assert said in shown.text or "switched_off" in shown.text
    assert play.outcome.steps == 1
    assert play.steps_left == 4


def test_pictures_are_made_to_fit_and_sounds_and_files_are_told_apart() -> None:
    table = Table()
    desk = table.desks[0]
    desk.media = [
        ("image/png", picture(MAX_SIDE * 2, 50)),
        ("image/png", b"no picture"),
        ("audio/mpeg", b"ID3"),
        ("application/pdf", b"%PDF"),
    ]
    shown = table.play.use("read_image", {"path": HERON})
    (fitted,) = shown.pictures
    with Image.open(io.BytesIO(fitted.data)) as image:
        assert max(image.size) == MAX_SIDE
    assert [sound.mime for sound in shown.sounds] == ["audio/mpeg"]
    assert "a picture that cannot be shown" in shown.text
    assert "a file of 4 bytes, application/pdf, is not shown" in shown.text


def test_an_answer_ends_the_episode_and_its_outcome_has_no_gold() -> None:
    play = Table().play
    shown = play.use("answer", {"text": "at quarter past nine", "cites": [{"path": HERON}]})
    assert shown.over
    outcome = play.outcome
    assert (outcome.profile, outcome.task, outcome.ended) == ("fake/ann", "ann-001", "answered")
    assert (outcome.answer, outcome.steps) == ("at quarter past nine", 1)
    assert 0 < outcome.reward < 1
    assert outcome.scores["files_cited_f1"] == 1.0
    assert GOLD not in outcome.model_dump_json()
    assert play.use("list_files", {}).text == "The episode is over."
    assert play.outcome == outcome


@pytest.mark.parametrize(("said", "answer"), [(" in May \n", "in May"), ("", "(nothing)")])
def test_the_last_word_is_the_answer(said: str, answer: str) -> None:
    play = Table().play
    assert play.say(said).over
    assert play.outcome.answer == answer


def test_an_episode_that_is_left_has_no_score() -> None:
    play = Table().play
    play.use("list_files", {})
    outcome = play.outcome
    assert (outcome.ended, outcome.reward, outcome.answer) == ("left", 0.0, None)
    assert outcome.scores == {"answer": 0.0}


def test_steps_that_run_out_end_it_without_an_answer() -> None:
    play = Table(max_steps=2).play
    assert not play.use("list_files", {}).over
    assert play.use("list_files", {}).over
    assert (play.outcome.ended, play.outcome.answer) == ("truncated", None)


def test_scores_of_files_are_left_out_where_there_are_none() -> None:
    play = DeskPlay(DeskEnv(FakeDataset(), sandbox=FakeDesk))
    play.begin(profile="ann", task="ann-003")
    play.say("The files do not say.")
    assert play.outcome.scores == {"answer": 1.0, "abstained": 1.0}
    assert flat_scores(None) == {"answer": 0.0}


def test_tools_used_at_once_take_their_steps_one_after_the_other() -> None:
    play = Table(max_steps=30).play
    threads = [threading.Thread(target=play.use, args=("list_files", {})) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert play.outcome.steps == 20


def test_a_desk_that_dies_is_an_error_and_closing_may_be_repeated() -> None:
    table = Table()
    table.desks[0].kill()
    with table.play as play, pytest.raises(DeskDied):
        play.use("terminal", {"command": "ls"})
    table.play.close()
    assert table.desks[0].closed


# --- as a chat ----------------------------------------------------------------------------------


def call(name: str, arguments: dict[str, Any], number: int = 1) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": f"call-{number}", "type": "function", "function": function}


def talk(table: Table, *replies: Message) -> list[Message]:
    left = list(replies)

    async def complete(messages: list[Message], tools: list[dict[str, Any]]) -> Message:
        assert tools == tool_definitions(table.play.specs)
        return left.pop(0)

    messages = asyncio.run(converse(table.play, table.told, complete))
    assert left == []
    return messages


def test_a_chat_goes_on_until_the_answer() -> None:
    table = Table()
    table.desks[0].media = [("image/png", picture(8, 8))]
    messages = talk(
        table,
        {"role": "assistant", "content": None, "tool_calls": [
            call("read_text", {"path": HERON}), call("read_image", {"path": HERON}, 2)]},
        {"role": "assistant", "content": None, "tool_calls": [call("answer", {"text": GOLD}, 3)]},
    )  # fmt: skip
    roles = [message["role"] for message in messages]
    assert roles == ["system", "user", "assistant", "tool", "tool", "user", "assistant", "tool"]
    assert [m["tool_call_id"] for m in messages if m["role"] == "tool"] == [
        "call-1", "call-2", "call-3",
    ]  # fmt: skip
    assert messages[5]["content"][0]["image_url"]["url"].startswith("data:image/png;base64,")
    assert table.play.outcome.reward == 1.0


def test_a_message_without_a_tool_is_the_answer() -> None:
    table = Table()
    talk(table, {"role": "assistant", "content": GOLD})
    assert (table.play.outcome.answer, table.play.outcome.reward) == (GOLD, 1.0)
