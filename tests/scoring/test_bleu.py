"""BLEU of one answer: bounds, scripts, and sacrebleu's own figures."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deskgym.tasks.scoring.bleu import BleuMissing, bleu_available, bleu_scorer, tokeniser_for

bleu = bleu_scorer()


def test_the_same_answer_has_1() -> None:
    assert bleu("the deposit is due in May", "the deposit is due in May") == 1.0
    assert bleu("Nordea", "Nordea") == 1.0  # short answers too: effective order


def test_nothing_in_common_has_0() -> None:
    assert bleu("red green blue", "seven eight nine") == 0.0


@pytest.mark.parametrize("prediction", [None, "", " \n"])
def test_no_answer_has_0(prediction: str | None) -> None:
    assert bleu(prediction, "Nordea") == 0.0


def test_the_geometric_mean_of_precisions_with_brevity_penalty() -> None:
    # 1-grams 4 of 5, 2-grams 2 of 4, 3-grams 1 of 3, 4-grams 0 of 2, smoothed to 1 / (2 * 2);
    # equally long, so no penalty: (4/5 * 2/4 * 1/3 * 1/4) ** (1/4)
    found = bleu("the cat sat mat on", "the cat sat on mats")
    expected = (4 / 5 * 2 / 4 * 1 / 3 * 1 / 4) ** 0.25
    assert found == pytest.approx(expected)


def test_a_shorter_answer_pays_a_penalty() -> None:
    # All n-grams of "a b c d" are there; the penalty is e^(1 - 8/4).
    assert bleu("a b c d", "a b c d e f g h") == pytest.approx(2.718281828459045**-1)


@pytest.mark.parametrize(
    ("gold", "name"),
    [
        ("due on 3 May", "13a"),
        ("押金为1070元", "zh"),
        ("家賃は85,000円です", "char"),
        ("월세는 50만원", "13a"),
    ],
)
def test_the_gold_answer_decides_the_tokeniser(gold: str, name: str) -> None:
    assert tokeniser_for(gold) == name
    assert bleu(gold, gold) == 1.0


def test_chinese_is_compared_by_characters_and_not_as_one_word() -> None:
    assert 0.3 < bleu("押金为1070元", "押金为980元") < 1.0


@given(st.text(max_size=40), st.text(min_size=1, max_size=40))
@settings(deadline=None)
def test_any_texts_score_in_bounds(prediction: str, gold: str) -> None:
    assert 0.0 <= bleu(prediction, gold) <= 1.0


def test_without_sacrebleu_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    monkeypatch.setitem(sys.modules, "sacrebleu.metrics.bleu", None)
    with pytest.raises(BleuMissing, match=r"pip install 'deskgym\[scores\]'"):
        bleu_scorer()
    assert not bleu_available()
