"""Answers in Chinese, Japanese and Korean: tokens, amounts, dates, abstentions."""

from __future__ import annotations

from datetime import date, time
from decimal import Decimal

import pytest

from deskgym.tasks.scoring import abstains, number_match, rouge_l, score_answer, token_f1
from deskgym.tasks.scoring.normalise import DayMonth, Value, YearMonth, facts, tokens


def score(prediction: str, gold: str) -> float:
    return score_answer(prediction, gold, answerable=True).score


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("押金为1,070元", ["押", "金", "为", "1070", "元"]),
        ("共12个人", ["共", "12", "个", "人"]),
        ("家賃は85,000円です", ["家", "賃", "は", "85000", "円", "で", "す"]),
        ("월세는 50만원", ["월", "세", "는", "50", "만", "원"]),
        ("WiFi密码", ["wifi", "密", "码"]),
    ],
)
def test_each_character_is_a_token_and_numbers_stay_whole(text: str, found: list[str]) -> None:
    assert tokens(text) == found


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("押金为1,070元", Decimal(1070)),
        ("气温-5度", Decimal(-5)),
        ("房租是1.5万元", Decimal(15_000)),
        ("売上は3億円", Decimal(300_000_000)),
        ("월세는 50만원", Decimal(500_000)),
        ("在2024年3月12日到期", date(2024, 3, 12)),
        ("2024 年 3 月 12 日", date(2024, 3, 12)),
        ("2024年3月", YearMonth(2024, 3)),
        ("3月12号见面", DayMonth(3, 12)),
        ("下午3点30分", time(15, 30)),
        ("15時", time(15)),
        ("午後3時半", time(15, 30)),
        ("3時間かかる", Decimal(3)),
        ("需要3小时", Decimal(3)),
    ],
)
def test_numbers_dates_and_times_are_read_between_characters(text: str, value: Value) -> None:
    assert facts(text) == [frozenset({value})]


def test_the_same_amount_in_another_form_is_the_same_answer() -> None:
    assert score("押金为1070元。", "押金为1,070元") == 1.0
    assert score("1.5万元", "15,000元") == 1.0
    assert number_match("due on 2024-03-12", "2024年3月12日") == 1.0


def test_another_amount_is_another_answer() -> None:
    assert score("押金为980元", "押金为1070元") == 0.0


def test_overlap_is_counted_by_characters_and_order() -> None:
    assert token_f1("北京", "北京市") == pytest.approx(0.8)
    assert rouge_l("京北", "北京") == pytest.approx(0.5)
    assert rouge_l("北大京", "北京") == pytest.approx(0.8)


@pytest.mark.parametrize(
    "text",
    [
        "文件中没有提到。",
        "我不知道",
        "无法确定他的生日",
        "没有找到相关信息",
        "资料里没有说明付款人",
    ],
)
def test_abstains(text: str) -> None:
    assert abstains(text)


@pytest.mark.parametrize("text", ["没有", "他不知道密码", "不是他", "文件在桌上", "没有信号"])
def test_does_not_abstain(text: str) -> None:
    assert not abstains(text)
