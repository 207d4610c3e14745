"""What is left out of a conversation so that it fits: the least, the oldest first, never a pin."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deskgym.agents.context import (
    IMAGE_TOKENS,
    cut_middle,
    fit,
    message_tokens,
    text_tokens,
    tools_tokens,
)
from deskgym.agents.messages import Message, ToolCall, ToolSpec
from deskgym.env.observations import Media

PICTURE = Media("image/png", b"png")
SYSTEM = Message("system", "You are brief.")
QUESTION = Message("user", "When is the party?", pinned=True)


def turn(number: int, output: str, media: tuple[Media, ...] = (), said: str = "") -> list[Message]:
    """The assistant looks, and a tool answers."""
    call = ToolCall(f"c{number}", "look", "{}")
    return [
        Message("assistant", said, calls=(call,)),
        Message("tool", output, media, call_id=call.id),
    ]


def total(messages: list[Message]) -> int:
    return sum(map(message_tokens, messages))


# --- estimates -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("four", 1),
        ("four words are here!", 6),
        ("12345678", 4),
        ("東京都", 3),
        ("é", 1),
        ("🎉", 3),
        ("\ud800", 1),
    ],
)
def test_text_is_counted_by_its_characters(text: str, tokens: int) -> None:
    assert text_tokens(text) == tokens


def test_english_prose_is_overestimated() -> None:
    # 44 tokens by cl100k_base, 44 by o200k_base.
    prose = (
        "The quick brown fox jumps over the lazy dog, and then it sits down by the river to think "
        "about what the dog might have said, if only it had been awake to say anything at all. "
    )
    assert 44 <= text_tokens(prose) <= 66


def test_pictures_calls_and_tools_count_too() -> None:
    bare = message_tokens(Message("tool", "x"))
    assert message_tokens(Message("tool", "x", (PICTURE,))) == bare + IMAGE_TOKENS
    assert message_tokens(Message("tool", "x", (PICTURE,)), image_tokens=9) == bare + 9
    call = Message("assistant", "x", calls=(ToolCall("1", "look", '{"path": "a.txt"}'),))
    assert message_tokens(call) > bare + text_tokens('{"path": "a.txt"}')
    assert tools_tokens([]) == 0
    assert tools_tokens([ToolSpec("look", "d" * 400)]) > 100
    assert message_tokens(Message("user", media=(Media("audio/mpeg", bytes(800_000)),))) > 1000


# --- what goes, and in which order ---------------------------------------------------------------


def test_what_fits_stays_as_it_is() -> None:
    talk = [SYSTEM, QUESTION, *turn(1, "x" * 400, (PICTURE,))]
    assert fit(talk, total(talk)) == talk
    assert fit([], 0) == []


def test_the_oldest_outputs_give_way_to_a_note_first_and_only_as_many_as_must() -> None:
    old, newer, last = (turn(n, letter * 4000) for n, letter in ((1, "a"), (2, "b"), (3, "c")))
    talk = [SYSTEM, QUESTION, *old, *newer, *last]
    note = replace(old[1], text="[output left out: 4,000 characters, step 1]")
    assert fit(talk, total(talk) - 1) == [SYSTEM, QUESTION, old[0], note, *newer, *last]


def test_without_tools_what_the_user_shows_is_an_output() -> None:
    talk = [SYSTEM, QUESTION, Message("assistant", "look"), Message("user", "a" * 4000)]
    talk += [Message("assistant", "look on"), Message("user", "b" * 40)]
    fitted = fit(talk, total(talk) - 1)
    assert [m.text for m in fitted[2:]] == [
        "look",
        "[output left out: 4,000 characters, step 1]",
        "look on",
        "b" * 40,
    ]


def test_a_short_output_is_not_replaced_by_a_longer_note() -> None:
    talk = [SYSTEM, QUESTION, *turn(1, "ok"), *turn(2, "x" * 4000), *turn(3, "done")]
    assert [m.text for m in fit(talk, total(talk) - 100) if m.role == "tool"] == [
        "ok",
        "[output left out: 4,000 characters, step 2]",
        "done",
    ]


def test_then_the_oldest_media_go() -> None:
    talk = [SYSTEM, QUESTION, *turn(1, "a", (PICTURE,)), *turn(2, "b", (PICTURE,)), *turn(3, "c")]
    fitted = fit(talk, total(talk) - 10)
    assert [(m.text, m.media) for m in fitted if m.role == "tool"] == [
        ("a\n[left out: image/png]", ()),
        ("b", (PICTURE,)),
        ("c", ()),
    ]


def test_then_the_oldest_turns_go_as_wholes() -> None:
    talk = [SYSTEM, QUESTION]
    for number in range(6):
        talk += turn(number, "ok", said="I think that I should look at this. " * 4)
    fitted = fit(talk, total(talk) - 60)
    assert fitted == [SYSTEM, QUESTION, *talk[4:]]


def test_in_the_end_the_newest_output_is_cut_in_the_middle() -> None:
    talk = [SYSTEM, QUESTION, *turn(1, "old " * 400), *turn(2, "head " + "x" * 9000 + " tail")]
    fitted = fit(talk, 300)
    assert [m.role for m in fitted] == ["system", "user", "assistant", "tool"]
    text = fitted[-1].text
    assert text.startswith("head ")
    assert text.endswith(" tail")
    assert "characters left out" in text
    assert 250 < total(fitted) <= 300


def test_outputs_of_one_turn_are_cut_alike_and_short_ones_stay() -> None:
    calls = tuple(ToolCall(f"c{n}", "look", "{}") for n in range(3))
    results = [
        Message("tool", t, call_id=f"c{n}") for n, t in enumerate(("ab", "x" * 4000, "y" * 4000))
    ]
    fitted = fit([SYSTEM, QUESTION, Message("assistant", calls=calls), *results], 600)
    short, one, two = (m.text for m in fitted[-3:])
    assert short == "ab"
    assert 0 < one.count("x") == two.count("y") < 4000


def test_the_last_picture_outlives_the_last_text() -> None:
    talk = [SYSTEM, QUESTION, *turn(1, "x" * 8000, (PICTURE,))]
    assert fit(talk, 1000)[-1].media == (PICTURE,)
    assert fit(talk, 500)[-1].media == ()
    assert total(fit(talk, 500)) <= 500


def test_a_lone_prompt_that_is_too_long_is_cut_in_the_middle() -> None:
    (fitted,) = fit([Message("user", "Q: who? " + "p" * 9000 + " Answer now.")], 200)
    assert fitted.text.startswith("Q: who? ")
    assert fitted.text.endswith(" Answer now.")


def test_the_first_question_stands_in_for_a_pinned_one() -> None:
    asked = Message("user", "When is the party?")
    talk = [asked, *turn(1, "x" * 8000), *turn(2, "fine")]
    assert fit(talk, 80)[0] == asked


def test_a_pinned_result_keeps_its_call() -> None:
    kept = turn(1, "the key passage")
    kept[1] = replace(kept[1], pinned=True)
    talk = [SYSTEM, QUESTION, *kept, *turn(2, "b" * 900), *turn(3, "c" * 900)]
    fitted = fit(talk, 90)
    assert fitted[2:4] == kept


def test_a_text_is_cut_between_its_head_and_its_tail() -> None:
    assert cut_middle("abcdefghi", 9) == "abcdefghi"
    assert cut_middle("abcdefghi", 3) == "ab\n[... 6 characters left out ...]\ni"
    assert cut_middle("abcdefghi", 0) == "\n[... 9 characters left out ...]\n"


# --- whatever the conversation -------------------------------------------------------------------

texts = st.one_of(
    st.text(max_size=40),
    st.builds(lambda letter, n: letter * n, st.sampled_from("aé東7🎉"), st.integers(0, 6000)),
)
shown = st.lists(st.just(PICTURE), max_size=2).map(tuple)


@st.composite
def conversations(draw: st.DrawFn) -> list[Message]:
    talk = [Message("system", draw(texts))] if draw(st.booleans()) else []
    for _ in range(draw(st.integers(0, 2))):
        talk.append(Message("user", draw(texts), draw(shown), pinned=draw(st.booleans())))
    number = 0
    for _ in range(draw(st.integers(0, 5))):
        calls = tuple(
            ToolCall(f"c{(number := number + 1)}", "look", draw(texts))
            for _ in range(draw(st.integers(0, 3)))
        )
        talk.append(Message("assistant", draw(texts), calls=calls, pinned=draw(st.booleans())))
        for call in calls:
            result = Message("tool", draw(texts), draw(shown), call_id=call.id)
            talk.append(replace(result, pinned=draw(st.integers(0, 4)) == 0))
        if not calls or draw(st.booleans()):
            talk.append(Message("user", draw(texts), draw(shown)))
    return talk


@settings(max_examples=150, deadline=None)
@given(conversations(), st.integers(0, 8000))
def test_it_fits_where_it_can_and_keeps_order_pairs_and_pins(
    talk: list[Message], limit: int
) -> None:
    fitted = fit(talk, limit)

    least = total(fit(talk, 0))
    assert total(fitted) <= max(limit, least)
    assert total(talk) > limit or fitted == talk

    assert [m for m in fitted if m.pinned or m.role == "system"] == [
        m for m in talk if m.pinned or m.role == "system"
    ]
    assert is_subsequence([shape(m) for m in fitted], [shape(m) for m in talk])
    calls = [call.id for m in fitted for call in m.calls]
    assert calls == [m.call_id for m in fitted if m.role == "tool"]
    if talk:
        assert shape(fitted[-1]) == shape(talk[-1])
    assert fit(fitted, limit) == fitted or total(fitted) > limit


def shape(message: Message) -> object:
    """What no shortening changes."""
    return message.role, message.calls, message.call_id, message.pinned


def is_subsequence(part: list[object], whole: list[object]) -> bool:
    rest = iter(whole)
    return all(item in rest for item in part)
