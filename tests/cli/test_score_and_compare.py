"""`deskgym score`, `compare` and `export` as they are typed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from judge_stand_in import Status, stand_in
from made_runs import make_run
from typer.testing import CliRunner, Result

from deskgym.cli.main import app
from deskgym.compare import METRICS, CompareError, pair_agents
from deskgym.env.run_reader import read_results, read_scores
from deskgym.env.score_run import score_run


def command(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def compared(*arguments: str | Path) -> dict[str, Any]:
    result = command("compare", *arguments, "--json")
    assert result.exit_code == 0, result.output
    (only,) = json.loads(result.stdout)["comparisons"]
    return dict(only)


def every_third_wrong(_: str, number: int) -> bool:
    return number % 3 != 0


def every_third_and_fourth_wrong(_: str, number: int) -> bool:
    return number % 3 != 0 and number % 4 != 0


@pytest.fixture
def judging(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No key and no cache of this computer's."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("DESKGYM_CACHE", str(tmp_path / "cache"))


class TestScoreRun:
    def test_it_writes_the_scores_and_shows_the_report(self, tmp_path: Path) -> None:
        run = make_run(tmp_path / "run", episodes=20)
        before = (run / "results.jsonl").read_bytes()
        result = command("score", run)
        assert result.exit_code == 0, result.output
        assert "By person (judge: lexical)" in result.stdout
        assert read_scores(run) == list(score_run(run))
        assert (run / "results.jsonl").read_bytes() == before
        again = json.loads(command("score", run, "--json").stdout)
        assert again["judge"] == "lexical"
        assert sum(row["n"] for row in again["by_person"] if row["profile"] != "all") == 20

    def test_missing_logs_are_said(self, tmp_path: Path) -> None:
        run = make_run(tmp_path / "run", episodes=3)
        (run / "episodes" / "a" / "ann" / "ann-00000.jsonl").unlink()
        result = command("score", run)
        assert result.exit_code == 0, result.output
        assert "1 episodes have no log" in result.stderr

    def test_missing_sacrebleu_is_said(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for module in ("deskgym.tasks.scoring.bleu", "deskgym.env.score_run"):
            monkeypatch.setattr(f"{module}.bleu_available", lambda: False)
        run = make_run(tmp_path / "run", episodes=3)
        result = command("score", run)
        assert result.exit_code == 0, result.output
        assert result.stderr.count("pip install 'deskgym[scores]'") == 1
        assert all(score.bleu is None for score in read_scores(run))

    @pytest.mark.usefixtures("judging")
    def test_a_judge_sees_question_gold_and_answer_and_its_cost_is_said(
        self, tmp_path: Path
    ) -> None:
        run = make_run(tmp_path / "run", episodes=12)
        prices = ("--price-in", "2", "--price-out", "10")
        with stand_in() as endpoint:
            judge = ("--judge-model", "m", "--base-url", endpoint.url, *prices)
            result = command("score", run, *judge)
            assert result.exit_code == 0, result.output
            asked = {r["messages"][-1]["content"] for r in endpoint.requests}
            first = read_results(run)[0]
            assert any(
                json.loads(text)
                == {
                    "question": first.question,
                    "gold": first.gold_answer,
                    "prediction": first.answer,
                }
                for text in asked
            )
            calls = endpoint.calls
            assert f"judge: {calls} requests" in result.stderr
            assert f"{calls * 100} tokens read, {calls * 10} written" in result.stderr
            assert f"{calls * (100 * 2 + 10 * 10) / 1e6:.4f} USD" in result.stderr
            assert "judge: m (graded)" in result.stdout
            assert all(s.judge is not None and s.judge.grade in (0, 5) for s in read_scores(run))
            # What is known costs nothing; without the cache it is asked again.
            facts = json.loads(command("score", run, *judge, "--json").stdout)
            assert (endpoint.calls, facts["judge_usage"]["calls"]) == (calls, 0)
            command("score", run, *judge, "--no-cache", "--rubric", "strict")
            assert endpoint.calls == 2 * calls
            assert all(s.judge and s.judge.rubric == "strict" for s in read_scores(run))

    @pytest.mark.usefixtures("judging")
    def test_a_refused_key_leaves_the_old_scores(self, tmp_path: Path) -> None:
        run = make_run(tmp_path / "run", episodes=2)
        command("score", run)
        before = (run / "scores.jsonl").read_bytes()
        with stand_in(mood=lambda _: Status(401)) as endpoint:
            result = command("score", run, "--judge-model", "m", "--base-url", endpoint.url)
        assert result.exit_code != 0
        assert (run / "scores.jsonl").read_bytes() == before

    @pytest.mark.usefixtures("judging")
    def test_rhelm_is_judged_strictly_unless_told_otherwise(self, tmp_path: Path) -> None:
        run = make_run(tmp_path / "run", episodes=2)
        config = json.loads((run / "run.json").read_text(encoding="utf-8"))
        (run / "run.json").write_text(json.dumps(config | {"dataset": "rhelm"}), encoding="utf-8")
        with stand_in() as endpoint:
            judge = ("--judge-model", "m", "--base-url", endpoint.url)
            command("score", run, *judge)
            assert {s.judge.rubric for s in read_scores(run) if s.judge} == {"strict"}
            command("score", run, *judge, "--rubric", "graded")
            assert {s.judge.rubric for s in read_scores(run) if s.judge} == {"graded"}

    @pytest.mark.parametrize("options", [("--base-url", "http://x"), ("--rubric", "strict")])
    def test_a_judges_options_need_a_judge(self, tmp_path: Path, options: tuple[str, ...]) -> None:
        result = command("score", tmp_path, *options)
        assert result.exit_code == 2
        assert "--judge-model" in result.stderr

    def test_what_is_neither_run_nor_file(self, tmp_path: Path) -> None:
        assert command("score", tmp_path / "none").exit_code == 2


class TestScoreFile:
    def written(self, tmp_path: Path) -> Path:
        records = [
            {
                "query_id": str(n),
                "question": "Which bank?",
                "answer": answer,
                "ground_truth": "Nordea",
                "ground_file_list": ["a"],
                "agent_file_list": ["a", "b"],
                "time_ms": 40,
            }
            for n, answer in enumerate(("Nordea", "Handelsbanken"))
        ]
        file = tmp_path / "results.json"
        file.write_text(json.dumps(records), encoding="utf-8")
        return file

    def test_the_tables(self, tmp_path: Path) -> None:
        result = command("score", self.written(tmp_path))
        assert result.exit_code == 0, result.output
        rows = [line.split() for line in result.stdout.splitlines() if line.startswith("all")]
        assert rows[0] == ["all", "2", "0.500", "0.500", "0.500", "0.500", "0.500", "0"]
        assert rows[1] == ["all", "2", "0.500", "1.000", "0.667", "40"]

    @pytest.mark.usefixtures("judging")
    def test_a_judge_of_foreign_answers(self, tmp_path: Path) -> None:
        with stand_in() as endpoint:
            judge = ("--judge-model", "m", "--base-url", endpoint.url)
            facts = json.loads(command("score", self.written(tmp_path), *judge, "--json").stdout)
            shown = command("score", self.written(tmp_path), *judge).stdout
        assert facts["judge"] == "m (graded)"
        answers = facts["groups"][0]["answers"]
        assert (answers["judged"], answers["accuracy"], answers["mean_grade"]) == (2, 0.5, 2.5)
        assert "accuracy" in shown


class TestCompare:
    def test_a_run_and_itself_do_not_differ(self, tmp_path: Path) -> None:
        run = make_run(tmp_path / "run", episodes=60)
        found = compared(run, run)
        assert (found["n"], found["only_a"], found["only_b"], found["flips"]) == (60, 0, 0, [])
        assert [row["metric"] for row in found["overall"]] == list(METRICS)
        for row in (*found["overall"], *found["by_family"]):
            if row["difference"] is None:  # unanswerable tasks have no gold files
                assert row["group"] == "unanswerable"
                continue
            difference = row["difference"]
            assert difference["wins"] == difference["losses"] == 0
            assert difference["p"] == 1.0
            assert difference["difference"]["mean"] == 0
            assert difference["difference"]["low"] == difference["difference"]["high"] == 0

    def test_a_planted_difference_is_found(self, tmp_path: Path) -> None:
        better = make_run(tmp_path / "better", episodes=240, score=every_third_wrong)
        worse = make_run(tmp_path / "worse", episodes=240, score=every_third_and_fourth_wrong)
        found = compared(better, worse)
        # Of 240 tasks, 40 are numbered by 4 and not by 3.
        planted = {f"-{n:05}" for n in range(0, 240, 4) if n % 3}
        assert {flip["task_id"][-6:] for flip in found["flips"]} == planted
        assert all(flip["right_in_a"] for flip in found["flips"])
        correct = next(row for row in found["overall"] if row["metric"] == "correct")["difference"]
        assert (correct["wins"], correct["losses"], correct["ties"]) == (0, 40, 200)
        assert correct["mean_a"] == pytest.approx(160 / 240)
        assert correct["difference"]["mean"] == pytest.approx(-40 / 240)
        assert correct["difference"]["high"] < 0
        assert correct["p"] < 1e-9
        steps = next(row for row in found["overall"] if row["metric"] == "steps")["difference"]
        assert steps["ties"] == 240
        # The other way round the sign turns, and nothing else.
        back = compared(worse, better)
        assert not any(flip["right_in_a"] for flip in back["flips"])
        turned = next(row for row in back["overall"] if row["metric"] == "correct")["difference"]
        assert turned["difference"]["mean"] == pytest.approx(40 / 240)
        assert turned["p"] == correct["p"]

    def test_the_tables_name_the_tasks_that_flipped(self, tmp_path: Path) -> None:
        better = make_run(tmp_path / "better", episodes=12, score=every_third_wrong)
        worse = make_run(tmp_path / "worse", episodes=12, score=every_third_and_fourth_wrong)
        shown = command("compare", better, worse).stdout
        assert "2 tasks right in A, wrong in B" in shown
        assert "made/bo bo-00004: What was agreed about garden number 4" in shown
        assert "0 tasks wrong in A, right in B" in shown
        assert "right and wrong by: lexical" in shown

    def test_families_are_compared_each_by_itself(self, tmp_path: Path) -> None:
        run = make_run(tmp_path / "run", episodes=60)
        rows = compared(run, run, "--metric", "answer")["by_family"]
        assert sum(row["difference"]["n"] for row in rows) == 60
        assert {row["group"] for row in rows} >= {"unanswerable", "preferences", "temporal"}

    def test_tasks_that_one_run_alone_has_are_counted(self, tmp_path: Path) -> None:
        more, fewer = (
            make_run(tmp_path / name, episodes=n) for name, n in (("more", 30), ("fewer", 20))
        )
        refused = command("compare", more, fewer)
        assert isinstance(refused.exception, CompareError)
        assert "different data" in str(refused.exception)
        found = compared(more, fewer, "--force")
        assert (found["n"], found["only_a"], found["only_b"]) == (20, 10, 0)
        shown = command("compare", more, fewer, "--force").stdout
        assert "10 tasks are in run A alone" in shown

    @pytest.mark.usefixtures("judging")
    def test_runs_with_other_judges_are_said_to_be_so(self, tmp_path: Path) -> None:
        a, b = (make_run(tmp_path / name, episodes=6) for name in ("a", "b"))
        with stand_in() as endpoint:
            command("score", b, "--judge-model", "m", "--base-url", endpoint.url)
        shown = command("compare", a, b).stdout
        assert "lexical in A, m (graded) in B: score both runs with one judge" in shown
        assert compared(a, b)["judged_b"] == ["m (graded)"]

    def test_agents_pair_by_name_or_as_told(self, tmp_path: Path) -> None:
        run = make_run(tmp_path / "run", episodes=40, agents=("a", "b"))
        both = json.loads(command("compare", run, run, "--json").stdout)["comparisons"]
        assert [(one["agent_a"], one["agent_b"]) for one in both] == [("a", "a"), ("b", "b")]
        crossed = compared(run, run, "--agent-a", "a", "--agent-b", "b")
        assert crossed["flips"] != []

    def test_an_unknown_metric_is_wrong_usage(self, tmp_path: Path) -> None:
        run = make_run(tmp_path / "run", episodes=2)
        result = command("compare", run, run, "--metric", "beauty")
        assert result.exit_code == 2
        assert "no metric 'beauty'" in " ".join(result.stderr.split())


class TestPairing:
    @pytest.mark.parametrize(
        ("a", "b", "named", "pairs"),
        [
            (["x"], ["y"], (None, None), [("x", "y")]),
            (["x", "y"], ["y", "z"], (None, None), [("y", "y")]),
            (["x", "y"], ["x", "y"], ("x", "y"), [("x", "y")]),
            (["x", "y"], ["z"], ("x", None), [("x", "z")]),
            (["x", "y"], ["x", "y"], ("x", None), [("x", "x")]),
        ],
    )
    def test_who_is_set_against_whom(
        self,
        a: list[str],
        b: list[str],
        named: tuple[str | None, str | None],
        pairs: list[tuple[str, str]],
    ) -> None:
        assert pair_agents(a, b, *named) == pairs

    @pytest.mark.parametrize(
        ("a", "b", "named", "message"),
        [
            (["x"], ["y"], ("z", None), "the first run has no agent 'z'; it has x"),
            (["x"], ["y"], (None, "z"), "the second run has no agent 'z'; it has y"),
            (["x", "y"], ["v", "w"], (None, None), "no agent in common"),
            ([], ["v"], (None, None), "the first run has no episodes"),
        ],
    )
    def test_what_is_not_clear(
        self, a: list[str], b: list[str], named: tuple[str | None, str | None], message: str
    ) -> None:
        with pytest.raises(CompareError, match=message):
            pair_agents(a, b, *named)


class TestExport:
    def test_each_format_says_how_many(self, tmp_path: Path) -> None:
        run = make_run(tmp_path / "run", episodes=5)
        for form in ("hippocamp", "parquet", "chat"):
            out = tmp_path / form
            result = command("export", run, "--format", form, "--out", out)
            assert result.exit_code == 0, result.output
            assert f"5 episodes in {out}" in result.stderr
            assert out.stat().st_size > 0

    def test_gold_that_is_not_at_hand_is_said_to_be_left_out(self, tmp_path: Path) -> None:
        run = make_run(tmp_path / "run", episodes=2)
        result = command("export", run, "--format", "hippocamp", "--out", tmp_path / "x")
        assert "gold evidence and rationale are left out: no data set 'imagined'" in result.stderr

    @pytest.mark.parametrize(
        "options", [("--media",), ("--only-correct",), ("--files", "touched", "--format", "chat")]
    )
    def test_options_of_another_format_are_refused(
        self, tmp_path: Path, options: tuple[str, ...]
    ) -> None:
        run = make_run(tmp_path / "run", episodes=1)
        arguments = ("export", run, "--format", "parquet", "--out", tmp_path / "x", *options)
        assert command(*arguments).exit_code == 2
