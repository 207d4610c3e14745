"""The ranking by value, and the agent against a handful of files."""

from __future__ import annotations

import math

import pytest

from deskgym.agents.base import TaskView
from deskgym.agents.bm25 import BM25Agent, found_files, listed_paths
from deskgym.agents.null import ABSTENTION
from deskgym.agents.passages import sentences
from deskgym.agents.ranking import BM25, terms
from deskgym.env.actions import ALL_TOOLS, Answer, ListFiles, ReadText, Search, Terminal
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
        "home/lease.md; mime text/plain\n[lines:1-4]\nThe flat in Hill Road. The lease\n"
        "ends on 31 August 2025. It was\nsigned in June.\n- a key\nnote: nothing else"
    ),
    "work/plan.pdf": "[page:1]\nA plan.\n[page:2]\nThe lease of the office ended long ago.",
    "photo.jpg": "",
}


NOT_PREPARED = "error (unsupported): this person's files are not prepared\nrun: deskgym prepare ID"
FOUND = """3 hits
1. home/lease.md  [lines:1-4]  (score 7.25)
   The flat in Hill Road. The lease ends
2. photo.jpg  [region:1@0.1,0.2,0.5,0.6]  (score 2)
   99. lease.md  [lines:1]  (score 3)
3. home/lease.md  [lines:9]  (score 1.5)
   lease"""


def play(
    question: str, tools: frozenset[str], steps: int = 30, found: str = NOT_PREPARED
) -> tuple[Answer, list[object]]:
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
        if isinstance(action, Search):
            text = found
        elif isinstance(action, ListFiles):
            text = "\n".join(f"{path}  (text, 9 bytes)" for path in FILES)
        elif isinstance(action, ReadText):
            text = FILES[action.path]
        elif isinstance(action, Terminal):
            text = "home/lease.md\tlease\t2\nhome/lease.md\tend\t1"
    raise AssertionError("it never answered")


def test_it_answers_with_the_best_sentence_and_cites_its_line() -> None:
    answer, actions = play("When does my lease end?", frozenset(ALL_TOOLS))
    assert answer.text == "The lease ends on 31 August 2025. It was signed in June. - a key"
    assert [(c.path, str(c.locator)) for c in answer.cites] == [("home/lease.md", "lines:1-2")]
    read = [a.path for a in actions if isinstance(a, ReadText)]
    assert read == ["home/lease.md", "work/plan.pdf"]  # the picture holds no text


def test_where_it_can_search_it_reads_what_is_found() -> None:
    answer, actions = play("When does my lease end?", frozenset(ALL_TOOLS), found=FOUND)
    assert [type(a) for a in actions] == [Search, ReadText, ReadText, Answer]
    assert [a.path for a in actions if isinstance(a, ReadText)] == ["home/lease.md", "photo.jpg"]
    assert answer.cites[0].path == "home/lease.md"


def test_found_files_are_those_of_the_hits_and_not_of_their_snippets() -> None:
    assert found_files(FOUND) == {"home/lease.md": 7.25, "photo.jpg": 2.0}
    one = "1 hits\n1. a  b (1).md  [file]  (score 1e-06)\n   a"
    assert found_files(one) == {"a  b (1).md": 1e-06}
    assert found_files(NOT_PREPARED) == found_files("0 hits\nnote: nothing fits") == {}


def test_a_file_that_fits_about_as_well_is_cited_too() -> None:
    found = FOUND.replace("photo.jpg", "work/plan.pdf").replace("(score 2)", "(score 3)")
    answer, _ = play("Is it the flat or the office?", frozenset(ALL_TOOLS), found=found)
    places = [(c.path, str(c.locator)) for c in answer.cites]
    assert places == [("work/plan.pdf", "page:2"), ("home/lease.md", "lines:1")]
    assert answer.text == "The lease of the office ended long ago."


def test_equal_input_gives_equal_actions() -> None:
    first, second = (play("When does my lease end?", frozenset(ALL_TOOLS)) for _ in range(2))
    assert first == second


def test_it_answers_within_the_steps_it_has() -> None:
    answer, actions = play("When does my lease end?", frozenset(ALL_TOOLS), steps=5)
    assert len(actions) == 5
    assert answer.cites


def test_without_a_word_in_common_or_any_tool_it_abstains() -> None:
    assert abstains(ABSTENTION)
    assert play("xylophone?", frozenset(ALL_TOOLS))[0] == Answer(text=ABSTENTION)
    assert play("When does my lease end?", frozenset())[0] == Answer(text=ABSTENTION)


def test_listed_paths_are_those_of_list_files_and_of_find() -> None:
    assert listed_paths("2 files\na b/c (1).md  (text, 9 bytes)\nd.pdf\n") == [
        "a b/c (1).md",
        "d.pdf",
    ]


def place_and_text(path: str, text: str) -> list[tuple[str, str]]:
    return [(str(s.locator), s.text) for s in sentences(path, text)]


def test_sentences_know_their_lines_and_leave_out_what_is_not_the_files() -> None:
    assert place_and_text("home/lease.md", FILES["home/lease.md"]) == [
        ("lines:1", "The flat in Hill Road."),
        ("lines:1-2", "The lease ends on 31 August 2025."),
        ("lines:2-3", "It was signed in June."),
        ("lines:4", "- a key"),
    ]


def test_sentences_of_pages_carry_the_page() -> None:
    assert place_and_text("work/plan.pdf", FILES["work/plan.pdf"]) == [
        ("page:1", "A plan."),
        ("page:2", "The lease of the office ended long ago."),
    ]


def test_a_row_of_a_sheet_carries_its_cells_and_the_heading_as_context() -> None:
    text = (
        "[cells:Rent!A1:C3]\n|   | A | B | C |\n"
        "| 1 | Month | Rent | Paid |\n| 3 | May | 1,450 | yes |"
    )
    assert place_and_text("b.xlsx", text)[1:] == [
        ("cells:Rent!A1:C1", "| 1 | Month | Rent | Paid |"),
        ("cells:Rent!A3:C3", "| 3 | May | 1,450 | yes |"),
    ]
    assert list(sentences("b.xlsx", text))[2].context.startswith("|   | A | B | C | | 3 | May")


def test_a_printed_file_is_one_whole_and_an_error_is_nothing() -> None:
    assert place_and_text("a.txt", "One.\n\nTwo.") == [("file", "One."), ("file", "Two.")]
    assert place_and_text("a.txt", "error (encrypted): no way in") == []
