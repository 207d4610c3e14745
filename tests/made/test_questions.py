"""Questions: how many, of which kinds, how they are worded, and what their gold is like."""

from __future__ import annotations

import json
from collections import Counter
from datetime import date
from itertools import pairwise
from pathlib import Path

import pytest

from deskgym.tasks.made.dataset import MadeDataset
from deskgym.tasks.made.making import make_person
from deskgym.tasks.made.questions.wording import alternating, day_phrase
from deskgym.tasks.made.seeds import random_for
from deskgym.tasks.made.verifier.levels import TRAITS
from deskgym.validation import validate

RHELM_TYPES = {
    "fact", "aggregation", "temporal", "attachment", "mixed", "hallucination", "misleading",
}  # fmt: skip
PROFILING = {
    "preferences", "behavioural_patterns", "scheduling", "retrospective_reflections", "workflows",
}  # fmt: skip
LEAST_OF_A_LEVEL = {"semantic": 400, "episodic": 300, "behaviour": 200, "trait": 3}


def test_two_months_have_setokas_number_of_tasks_over_four_levels(setoka) -> None:
    counts = Counter(task.question_type for task in setoka.tasks)
    assert counts.total() >= 1_400
    assert counts.keys() == LEAST_OF_A_LEVEL.keys()
    assert all(counts[level] >= least for level, least in LEAST_OF_A_LEVEL.items()), counts


def test_rhelms_setting_has_all_seven_types_with_characteristics(rhelm) -> None:
    counts = Counter(task.question_type for task in rhelm.tasks)
    assert counts.keys() == RHELM_TYPES
    assert min(counts.values()) >= 4, counts
    assert all(task.labels for task in rhelm.tasks)
    assert all(task.asked is not None for task in rhelm.tasks)


def test_the_home_setting_has_both_families_and_all_subtypes(home) -> None:
    families = Counter(task.family for task in home.tasks)
    assert families.keys() == {"factual_retention", *PROFILING}
    assert min(families.values()) >= 4, families


@pytest.mark.parametrize("which", ["setoka", "rhelm", "home"])
def test_ids_and_questions_are_told_apart(which: str, request: pytest.FixtureRequest) -> None:
    tasks = request.getfixturevalue(which).tasks
    assert len({task.id for task in tasks}) == len(tasks)
    assert len({task.question for task in tasks}) == len(tasks)


def test_evidence_is_small_and_quoted(setoka) -> None:
    for task in setoka.tasks:
        assert 1 <= len(task.evidence) <= 24, task.id
        assert all(unit.text.strip() for unit in task.evidence), task.id
        assert {unit.file_path for unit in task.evidence} == set(task.files)


def test_one_record_answers_a_semantic_question_and_two_an_episodic_one(setoka) -> None:
    by_level: dict[str, list[int]] = {}
    for task in setoka.tasks:
        by_level.setdefault(str(task.question_type), []).append(len(task.evidence))
    assert set(by_level["semantic"]) == {1}
    assert set(by_level["episodic"]) <= {1, 2}  # two records may stand in one place
    assert by_level["episodic"].count(2) > 0.95 * len(by_level["episodic"])


def test_no_question_says_its_answer(setoka) -> None:
    for task in setoka.tasks:
        if len(task.answer) >= 4:
            assert task.answer.casefold() not in task.question.casefold(), task.id


def test_false_premises_are_corrected_and_the_truth_is_named(rhelm) -> None:
    corrections = [task for task in rhelm.tasks if task.question_type == "hallucination"]
    assert all(task.answerable and task.evidence for task in corrections)
    assert {label for task in corrections for label in task.labels} >= {
        "Misattribution",
        "Contextual Contradiction",
        "Fabrication",
    }


def test_misleading_requests_do_not_name_the_conflict(rhelm) -> None:
    asked = {one.id: one for one in rhelm.asked}
    warned = [task for task in rhelm.tasks if task.question_type == "misleading"]
    for task in warned:
        before, _, after = asked[task.id].answer.partition("{}")
        conflict = task.answer.removeprefix(before).removesuffix(after)
        assert conflict
        assert conflict.casefold() not in task.question.casefold()
        assert "Instead: " in task.answer


def test_trait_questions_give_levels_that_follow_from_the_truth(setoka) -> None:
    truth = json.loads((setoka.folder / "truth.json").read_text())["traits"]
    names = {name: letter for letter, name in TRAITS.items()}
    for task in setoka.tasks:
        if task.question_type == "trait":
            assert abs(int(task.answer) - truth[names[task.labels[0]]]) <= 0.5
            assert not any(name in task.question.casefold() for name in names)


def test_no_trait_is_named_and_no_gold_lies_in_any_file(setoka) -> None:
    words = [name.encode() for name in (*TRAITS.values(), "introver", "extrover", "neurotic")]
    words.remove(b"openness")  # an everyday word
    questions = [task.question.encode() for task in setoka.tasks]
    for file in (p for p in setoka.files.rglob("*") if p.is_file()):
        data = file.read_bytes()
        low = data.lower()
        assert not any(word in low for word in words), file
        if file.suffix in (".md", ".txt", ".csv", ".json", ".eml"):
            assert not any(question in data for question in questions), file


@pytest.mark.parametrize("which", ["setoka", "rhelm", "home"])
def test_the_rules_of_all_data_sets_hold(which: str, request: pytest.FixtureRequest) -> None:
    dataset = MadeDataset(request.getfixturevalue(which).root)
    found = list(validate(dataset, dataset.profiles()))
    assert [one for one in found if one.severity == "error"] == []
    # What tools read at a place of evidence is what the gold says.
    assert [one for one in found if one.rule == "evidence-text-not-found"] == []


def test_templates_take_turns() -> None:
    things = [(f"t{n % 4}", n) for n in range(200)]
    order = alternating(things, random_for(1, "turns"))
    assert sorted(order) == list(range(200))
    assert all(a % 4 != b % 4 for a, b in pairwise(order))


def test_a_template_that_is_most_of_all_is_still_told_apart_as_far_as_can_be() -> None:
    things = [("much", n) for n in range(10)] + [("little", n) for n in range(10, 19)]
    order = alternating(things, random_for(2, "turns"))
    assert [n < 10 for n in order] == [k % 2 == 0 for k in range(19)]


def test_no_template_comes_twice_in_a_row_in_what_is_asked(setoka) -> None:
    # The first words and the kind tell most templates apart.
    starts = [(t.question_type, *t.question.split()[:3]) for t in setoka.tasks]
    same = sum(a == b for a, b in pairwise(starts))
    assert same <= 0.02 * len(starts)


def test_hard_questions_name_days_in_a_roundabout_way() -> None:
    said = day_phrase(date(2024, 3, 12), random_for(1), hard=True)
    assert said == "on the second Tuesday of March 2024"


def test_another_seed_shares_no_answer_to_the_same_question(setoka, tmp_path: Path) -> None:
    other = make_person(setoka.spec.model_copy(update={"seed": 8}), 0, tmp_path)
    assert other.user != setoka.person.user
    assert {f.sha256 for f in other.files}.isdisjoint({f.sha256 for f in setoka.person.files})
