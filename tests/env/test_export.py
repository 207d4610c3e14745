"""A run written for other programs."""

from __future__ import annotations

import base64
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from made_runs import make_run
from made_tasks import made_task, picture, sound

from deskgym.env.actions import (
    Action,
    Answer,
    ListFiles,
    Metadata,
    Note,
    ReadAudio,
    ReadImage,
    ReadOriginal,
    ReadText,
    ReadVideo,
    Search,
    Terminal,
)
from deskgym.env.export import (
    chat_record,
    command_of,
    export_chat,
    export_hippocamp,
)
from deskgym.env.export_table import COLUMNS, MissingLibrary, episode_row, export_parquet
from deskgym.env.foreign import read_foreign, score_foreign
from deskgym.env.run_reader import TrajectoryError, episode_path, read_config, read_results
from deskgym.env.score_run import score_run
from deskgym.env.trajectory import EpisodeStart, Event, StepEvent
from deskgym.tasks.schema import Task


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("made") / "run", episodes=80, agents=("a", "b"))


def chats(run: Path, out: Path, **options: Any) -> list[dict[str, Any]]:
    count = export_chat(run, out, **options)
    records = [json.loads(line) for line in out.read_text(encoding="utf-8").split("\n") if line]
    assert len(records) == count
    return records


class TestHippocamp:
    def test_a_record_has_the_published_fields(self, run: Path, tmp_path: Path) -> None:
        out = tmp_path / "out.json"
        assert export_hippocamp(run, out, agent="a", gold=None) == 40
        records = json.loads(out.read_text(encoding="utf-8"))
        result, record = read_results(run)[0], records[0]
        assert record["query_id"] == result.task_id
        assert record["question"] == record["query"] == result.question
        assert record["answer"] == result.answer
        assert record["ground_truth"] == result.gold_answer
        assert record["ground_file_list"] == record["file_list"] == list(result.gold_files)
        assert record["agent_file_list"] == record["retrieved_file_list"]
        assert record["agent_file_list"] == list(result.cited_files)
        assert record["agent"] == "a"
        assert record["bench"] == "ann"
        assert record["QA_type"] == "factual_retention"
        assert json.loads(record["agent_cap"])["search"] == ["keyword"]
        assert record["time_ms"] == record["execution_time_ms"] > 0
        assert record["evidence"] is record["rationale"] is None
        assert record["steps"]["step_7"] == {"command": f"return_txt {result.gold_files[0]}"}
        assert "step_8" not in record["steps"]  # the answer is no command
        assert all(r["answer"] is not None for r in records)  # as the published scripts

    def test_evidence_comes_from_the_data_set_if_it_is_there(
        self, run: Path, tmp_path: Path
    ) -> None:
        tasks = {task.id: task for task in map(made_task, range(40))}

        def gold(profile_id: str, task_id: str) -> Task | None:
            assert tasks[task_id].profile_id == profile_id
            return tasks[task_id]

        out = tmp_path / "out.json"
        export_hippocamp(run, out, agent="a", gold=gold)
        first = json.loads(out.read_text(encoding="utf-8"))[0]
        assert first["evidence"][0]["evidence_locator"] == "lines:3-4"
        assert first["rationale"][0]["evidence_id"] == ["e1"]

    def test_query_ids_stay_unique_with_several_agents(self, run: Path, tmp_path: Path) -> None:
        out = tmp_path / "out.json"
        export_hippocamp(run, out, gold=None)
        ids = Counter(r["query_id"] for r in json.loads(out.read_text(encoding="utf-8")))
        assert len(ids) == 80
        assert "b/made/ann/ann-00000" in ids

    def test_all_scores_survive_the_round_trip(self, run: Path, tmp_path: Path) -> None:
        out = tmp_path / "out.json"
        export_hippocamp(run, out, gold=None)
        back = [score_foreign(record) for record in read_foreign(out)]
        own = [result.scores for result in read_results(run)]
        assert [score.answer for score in back] == [scores.answer for scores in own]
        assert [score.files for score in back] == [scores.files_cited for scores in own]

    @pytest.mark.parametrize(
        ("action", "command"),
        [
            (Terminal(command="grep -r x ."), "grep -r x ."),
            (ListFiles(), "list_files"),
            (ListFiles(pattern="*.pdf"), "list_files '*.pdf'"),
            (Search(query="a b"), "search 'a b'"),
            (Metadata(path="a"), "return_metadata a"),
            (ReadText(path="a b's"), """return_txt 'a b'"'"'s'"""),
            (ReadImage(path="a"), "return_img a"),
            (ReadAudio(path="a"), "return_ori a"),
            (ReadVideo(path="a"), "return_ori a"),
            (ReadOriginal(path="a"), "return_ori a"),
            (Note(text="x"), None),
            (Answer(text="x"), None),
        ],
    )
    def test_actions_as_commands(self, action: Action, command: str | None) -> None:
        assert command_of(action) == command


class TestChat:
    def test_a_chat_is_the_question_calls_with_outputs_and_the_answer(
        self, run: Path, tmp_path: Path
    ) -> None:
        messages = chats(run, tmp_path / "out.jsonl")[0]["messages"]
        result = read_results(run)[0]
        assert messages[0] == {"role": "user", "content": result.question}
        assert [m["role"] for m in messages[1:-1]] == ["assistant", "tool"] * 7
        for said, shown in zip(messages[1:-1:2], messages[2:-1:2], strict=True):
            (call,) = said["tool_calls"]
            assert call["id"] == shown["tool_call_id"]
            assert isinstance(json.loads(call["function"]["arguments"]), dict)
        last = messages[-1]
        assert (last["role"], last["content"]) == ("assistant", result.answer)
        arguments = json.loads(last["tool_calls"][0]["function"]["arguments"])
        assert arguments["cites"][0]["path"] == result.cited_files[0]

    def test_no_gold_is_in_it_but_what_the_agent_saw(self, run: Path, tmp_path: Path) -> None:
        kept = chats(run, tmp_path / "out.jsonl", agent="a")
        blind = 0
        for result, record in zip(read_results(run), kept, strict=False):
            text = json.dumps(record, ensure_ascii=False)
            assert "gold" not in text
            assert "evidence" not in text
            task = made_task(int(result.task_id.rpartition("-")[2]))
            if result.coverage[-1] == 0 and task.evidence:
                blind += 1
                assert task.evidence[0].text not in text
                assert result.gold_answer not in text
        assert blind > 0

    def test_only_right_ones(self, run: Path, tmp_path: Path) -> None:
        right = chats(run, tmp_path / "out.jsonl", only_correct=True, agent="b")
        wanted = [s for s in score_run(run, logs=False) if s.correct and s.agent == "b"]
        assert 0 < len(right) == len(wanted) < 40

    def test_media_are_named_and_follow_if_asked_for(self, run: Path, tmp_path: Path) -> None:
        plain = chats(run, tmp_path / "plain.jsonl")
        assert any("[image/png: pictures/board.png, file]" in str(r) for r in plain)
        assert not any("base64" in str(r) for r in plain)
        full = chats(run, tmp_path / "full.jsonl", media=True)
        parts = [
            part
            for record in full
            for message in record["messages"]
            if isinstance(message["content"], list)
            for part in message["content"]
        ]
        images = [p["image_url"]["url"] for p in parts if p["type"] == "image_url"]
        sounds = [p["input_audio"] for p in parts if p["type"] == "input_audio"]
        prefix = "data:image/png;base64,"
        assert base64.b64decode(images[0].removeprefix(prefix)) == picture()
        assert sounds[0]["format"] == "wav"
        assert base64.b64decode(sounds[0]["data"]) == sound()

    def test_what_was_no_action_is_said_and_answered_in_words(self) -> None:
        start = EpisodeStart(
            task_id="t",
            profile_id="made/ann",
            question="Where?",
            tools=(),
            max_steps=3,
            seed=None,
            agent="a",
            started="2025-01-01T00:00:00Z",
        )
        step = StepEvent(
            step=1,
            action=None,
            raw_action="let me see",
            family=None,
            ok=False,
            duration_s=0,
            bytes_out=0,
            bytes_kept=0,
            text="not an action",
        )
        assert chat_record([start, step])["messages"][1:] == [
            {"role": "assistant", "content": "let me see"},
            {"role": "user", "content": "not an action"},
        ]

    def test_a_missing_log_is_an_error(self, tmp_path: Path) -> None:
        run = make_run(tmp_path / "run", episodes=2)
        episode_path(run, "a", "made/ann", "ann-00000").unlink()
        out = tmp_path / "out.jsonl"
        with pytest.raises(TrajectoryError, match="there is no episode log"):
            export_chat(run, out)
        assert [f.name for f in tmp_path.iterdir()] == ["run"]  # nor is there half a file


class TestParquet:
    def test_a_row_an_episode_with_all_scores(self, run: Path, tmp_path: Path) -> None:
        out = tmp_path / "out.parquet"
        assert export_parquet(run, out) == 80
        rows = pyarrow.parquet.read_table(out).to_pylist()
        config = read_config(run)
        scores = list(score_run(run))
        for row, result, score in zip(rows, read_results(run), scores, strict=True):
            wanted = episode_row(config, result, score)
            assert row == {k: list(v) if isinstance(v, tuple) else v for k, v in wanted.items()}

    def test_columns_without_values_have_their_type(self, run: Path, tmp_path: Path) -> None:
        out = tmp_path / "out.parquet"
        export_parquet(run, out, agent="b")
        table = pyarrow.parquet.read_table(out)
        assert table.num_rows == 40
        assert [f.name for f in table.schema] == [name for name, _ in COLUMNS]
        assert str(table.schema.field("judge_grade").type) == "int64"
        assert table.column("judge_grade").null_count == 40
        assert str(table.schema.field("answer_number_match").type) == "double"
        assert str(table.schema.field("answer_abstained").type) == "bool"

    def test_without_pyarrow_it_says_how_to_get_it(
        self, run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        with pytest.raises(MissingLibrary, match=r"pip install 'deskgym\[export\]'"):
            export_parquet(run, tmp_path / "out.parquet")


@pytest.mark.parametrize("export", [export_chat, export_parquet])
def test_an_unknown_agent_is_named_with_those_there_are(
    run: Path, tmp_path: Path, export: Any
) -> None:
    with pytest.raises(TrajectoryError, match="no agent 'c'; it has a, b"):
        export(run, tmp_path / "out", agent="c")


def test_a_folder_that_is_not_there_is_an_error_and_leaves_nothing(
    run: Path, tmp_path: Path
) -> None:
    for export in (export_chat, export_parquet):
        with pytest.raises(TrajectoryError, match="cannot write"):
            export(run, tmp_path / "none" / "out")
    assert list(tmp_path.iterdir()) == []


def test_events_are_needed_for_nothing_but_steps_and_times(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", episodes=1)
    events: list[Event] = []
    episode_path(run, "a", "made/ann", "ann-00000").unlink()
    export_hippocamp(run, tmp_path / "out.json", gold=None)
    (record,) = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert (record["steps"], record["time_ms"]) == ({}, None)
    assert chat_record(events) == {"messages": []}
