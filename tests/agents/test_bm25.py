"""The ranking by value, and the agent against a handful of files."""

from __future__ import annotations

import math

import pytest

from deskgym.agents.base import TaskView
from deskgym.agents.bm25 import BM25Agent, passages
from deskgym.agents.null import ABSTENTION
from deskgym.agents.ranking import BM25, terms
from deskgym.env.actions import ALL_TOOLS, Answer, ListFiles, ReadText, Terminal
from deskgym.env.observations import Observation
from deskgym.tasks.scoring import abstains


def test_terms_leave_out_stop_words_case_and_plurals() -> None:
    assert terms("When do the Leases of my flat's glass end?") == [
        "lease",
        "flat",
        "s",
        "glass",
        "end",
    ]


def test_scores_by_hand() -> None:
    ranking = BM25(["red fish", "blue fish fish", "green"])
    # N = 3, mean length 2; idf(fish) = ln(1 + (3 - 2 + 0.5) / (2 + 0.5)).
    idf = math.log(1 + 1.5 / 2.5)
    first = idf * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 2 / 2))
    second = idf * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 3 / 2))
    assert ranking.scores("the fish") == pytest.approx([first, second, 0.0])


def test_nothing_at_all_scores_nothing() -> None:
    assert BM25([]).scores("fish") == []
    assert BM25(["", "fish"]).scores("") == [0.0, 0.0]


FILES = {
    "home/lease.md": (
        "[lines:1-3]\nThe flat in Hill Road.\nThe lease ends on 31 August 2025.\nSigned."
    ),
    "work/plan.pdf": "[page:1]\nA plan.\n[page:2]\nThe lease of the office ended long ago.",
    "photo.jpg": "",
}


def play(question: str, tools: frozenset[str], steps: int = 30) -> tuple[Answer, list[object]]:
    agent = BM25Agent()
    agent.reset(TaskView("t", "demo/ann", question), tools)
    text, actions = "welcome", []
    for step in range(steps):
        action = agent.act(
            Observation(question=question, text=text, media=(), step=step, steps_left=steps - step)
        )
        actions.append(action)
        if isinstance(action, Answer):
            return action, actions
        if isinstance(action, ListFiles):
            text = "\n".join(FILES)
        elif isinstance(action, ReadText):
            text = FILES[action.path]
        elif isinstance(action, Terminal):
            text = "      2 ./home/lease.md:lease\n      1 ./home/lease.md:Ends"
    raise AssertionError("it never answered")


def test_it_answers_with_the_best_sentence_and_cites_its_line() -> None:
    answer, actions = play("When does my lease end?", frozenset(ALL_TOOLS))
    assert answer.text == "The lease ends on 31 August 2025."
    assert [(c.path, str(c.locator)) for c in answer.cites] == [("home/lease.md", "lines:2")]
    read = [a.path for a in actions if isinstance(a, ReadText)]
    assert read == ["home/lease.md", "work/plan.pdf"]  # the picture holds no text


def test_equal_input_gives_equal_actions() -> None:
    first, second = (play("When does my lease end?", frozenset(ALL_TOOLS)) for _ in range(2))
    assert first == second


def test_it_answers_within_the_steps_it_has() -> None:
    answer, actions = play("When does my lease end?", frozenset(ALL_TOOLS), steps=4)
    assert len(actions) == 4
    assert answer.cites


def test_without_a_word_in_common_or_any_tool_it_abstains() -> None:
    assert abstains(ABSTENTION)
    assert play("xylophone?", frozenset(ALL_TOOLS))[0] == Answer(text=ABSTENTION)
    assert play("When does my lease end?", frozenset())[0] == Answer(text=ABSTENTION)


def test_passages_know_their_place() -> None:
    text = "\n".join(["[lines:11-16]", *(f"line {n}" for n in range(11, 17))])
    found = [(str(p.locator), p.text.split("\n")[0]) for p in passages("a.txt", text)]
    assert found == [("lines:11-14", "line 11"), ("lines:13-16", "line 13")]


def test_a_row_of_a_sheet_is_a_passage_with_its_cells() -> None:
    text = (
        "[cells:Rent!A1:C3]\n|   | A | B | C |\n"
        "| 1 | Month | Rent | Paid |\n| 3 | May | 1,450 | yes |"
    )
    found = [(str(p.locator), p.text) for p in passages("b.xlsx", text)]
    assert found == [
        ("cells:Rent!A1:C1", "| 1 | Month | Rent | Paid |\n"),
        ("cells:Rent!A3:C3", "| 3 | May | 1,450 | yes |\n| 1 | Month | Rent | Paid |"),
    ]
