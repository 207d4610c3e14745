"""How answers are scored, rule by rule, with near misses."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deskgym.tasks.scoring import abstains, number_match, rouge_l, score_answer, token_f1

phrases = st.lists(
    st.sampled_from(
        [
            "rent",
            "lease",
            "Berlin",
            "1,050",
            "12",
            "March",
            "2024",
            "the",
            "not",
            "18:30",
            "£5m",
            "ends",
        ]
    ),
    max_size=12,
).map(" ".join)


def score(prediction: str | None, gold: str, *, answerable: bool = True) -> float:
    return score_answer(prediction, gold, answerable=answerable).score


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  \n",
        "...?",
        "I don't know.",
        "I don’t know",
        "I do not know who paid.",
        "Unknown",
        "N/A",
        "The files do not say when he moved.",
        "The available documents don't specify this.",
        "Adam's files do not record her birthday.",
        "None of Adam's files say who paid.",
        "Nothing in the files says so.",
        "No information",
        "There is no information about that in the files.",
        "There is no record of a payment.",
        "I could not find any mention of it.",
        "Insufficient information to answer.",
        "This cannot be determined from the files.",
        "Not mentioned.",
        "The blood type is not recorded in the files.",
        "The information is not available in the files.",
        "I searched all mails and the calendar. The files do not say.",
        "The files mention a dentist but do not say when the appointment is.",
        "The files do not state it. However, his form mentions that he is a donor.",
    ],
)
def test_abstains(text: str) -> None:
    assert abstains(text)


@pytest.mark.parametrize(
    "text",
    [
        "He does not eat gluten",
        "Adam does not like cycling.",
        "No",
        "None",
        "42",
        "He gave no answer",
        "He is not available on Mondays",
        "The lease does not mention pets",
        "Tom, who does not know her",
        "His plan has no data cap",
        "No data plan",
        "The file is called information.txt",
        "The records show that he does not give money",
        "He said they do not deliver on Sundays",
        "The lease ends on 31 March 2025. The files do not say whether it can be extended.",
        "The files do not say, but it is probably Tom",
    ],
)
def test_does_not_abstain(text: str) -> None:
    assert not abstains(text)


def test_nothing_said_abstains() -> None:
    assert abstains(None)


class TestUnanswerable:
    def test_abstaining_is_right(self) -> None:
        assert score("I don't know.", "The files do not say.", answerable=False) == 1.0
        assert score(None, "The files do not say.", answerable=False) == 1.0

    def test_any_answer_is_wrong(self) -> None:
        assert score("In Berlin.", "The files do not say.", answerable=False) == 0.0


class TestAnswerable:
    def test_same_tokens(self) -> None:
        result = score_answer("The Peanuts.", "peanuts", answerable=True)
        assert (result.score, result.exact_match, result.number_match) == (1.0, 1.0, None)

    def test_same_date_and_time_in_another_form(self) -> None:
        assert score("12 March 2024, 6.30 pm", "2024-03-12 18:30") == 1.0
        assert score("EUR 1.2 million", "€1,200,000") == 1.0

    @pytest.mark.parametrize("text", [None, "", "I don't know.", "The files do not say."])
    def test_abstaining_is_wrong(self, text: str | None) -> None:
        assert score(text, "peanuts") == 0.0

    def test_short_gold_stands_whole_in_a_sentence(self) -> None:
        assert score("Adam is allergic to peanuts.", "peanuts") == 0.9

    def test_short_gold_in_a_heap_of_words_is_no_find(self) -> None:
        assert score("peanuts " + "word " * 24, "peanuts") < 0.1
        assert score("peanuts " + "word " * 23, "peanuts") == 0.9

    def test_gold_broken_up_is_not_contained(self) -> None:
        assert score("Helen met Tom Brockwell", "Helen Brockwell") == pytest.approx(4 / 6)

    def test_wrong_number_costs_all_of_it(self) -> None:
        assert score("The rent is 980 euros a month", "The rent is 1,050 euros a month") == 0.0

    def test_one_of_two_numbers_halves_it(self) -> None:
        result = score_answer("From 9 to 11 o'clock daily", "From 9 to 10 o'clock", answerable=True)
        assert result.number_match == 0.5
        assert result.score == result.token_f1 * 0.5

    def test_a_year_is_met_by_a_date_in_it(self) -> None:
        assert score("It was in March 2024", "2024") == 0.9

    def test_a_minus_sign_matters(self) -> None:
        assert score("5", "-5") == 0.0

    def test_long_gold_is_token_f1(self) -> None:
        gold = "He moved because his landlord sold the flat to her niece"
        assert score("his landlord sold the flat", gold) == token_f1(
            "his landlord sold the flat", gold
        )


def test_token_f1_as_in_squad() -> None:
    # gold: cat sat mat; prediction: cat sat; precision 1, recall 2/3
    assert token_f1("The cat sat", "a cat sat, mat") == pytest.approx(0.8)
    assert token_f1("cat cat", "cat") == pytest.approx(2 / 3)


def test_rouge_l_needs_order() -> None:
    assert rouge_l("police killed gunman", "gunman killed police") == pytest.approx(1 / 3)
    assert rouge_l("police ended gunman", "police killed gunman") == pytest.approx(2 / 3)


def test_number_match() -> None:
    assert number_match("no figures", "nor here") is None
    assert number_match(None, "5") == 0.0
    assert number_match("on 3 December 2024", "12/03/2024") == 1.0
    assert number_match("on 12 March", "12 March 2024") == 0.0
    assert number_match("on 12 March 2024", "12 March") == 1.0
    assert number_match("one", "1") == 1.0


@given(phrases, phrases)
@settings(deadline=None)
def test_symmetric_and_bounded(a: str, b: str) -> None:
    assert 0.0 <= token_f1(a, b) == token_f1(b, a) <= 1.0
    assert 0.0 <= rouge_l(a, b) == rouge_l(b, a) <= token_f1(a, b) <= 1.0


@given(st.text(min_size=1).filter(str.strip))
@settings(deadline=None)
def test_identity_scores_one(text: str) -> None:
    result = score_answer(text, text, answerable=True)
    assert (result.score, result.exact_match, result.token_f1, result.rouge_l) == (1, 1, 1, 1)
    assert result.number_match in (None, 1.0)


@given(st.text(), st.text(min_size=1), st.booleans())
@settings(deadline=None)
def test_any_texts_score_in_bounds(prediction: str, gold: str, answerable: bool) -> None:
    result = score_answer(prediction, gold, answerable=answerable)
    assert 0.0 <= result.score <= 1.0
    if not answerable:
        assert result.score == result.abstained
