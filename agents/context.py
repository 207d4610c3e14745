"""What to leave out of a conversation so that it fits into a model's context."""

from __future__ import annotations

import json
import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from deskgym.agents.messages import Message, ToolSpec
from deskgym.env.observations import Media

IMAGE_TOKENS = 765  # OpenAI's count for a square of 1024 pixels
AUDIO_BYTES_PER_TOKEN = 800  # ten tokens a second (OpenAI's) of a 64 kbit/s file
OTHER_MEDIA_TOKENS = 40  # told of in a line
MESSAGE_TOKENS = 6  # its role and the marks around it
CALL_TOKENS = 12

_WORDS = (string.ascii_letters + " ").encode("ascii")
_HEAD = 2 / 3  # of a text that is cut in the middle, the share kept of its beginning

Estimate = Callable[[Message], int]


# --- how much it is ----------------------------------------------------------------------------


def text_tokens(text: str) -> int:
    """About how many tokens ``text`` is, rather too many than too few.

    A quarter for an ASCII letter or space, a half for any other ASCII character, three for one
    beyond the basic plane, one for all the rest.
    """
    ascii_ = text.encode("ascii", "ignore")
    plain, marks = len(ascii_), len(ascii_.translate(None, _WORDS))
    wide = len(text.encode("utf-16-le", "surrogatepass")) // 2 - len(text)
    return -(-(plain + marks + 12 * wide + 4 * (len(text) - plain - wide)) // 4)


def message_tokens(message: Message, image_tokens: int = IMAGE_TOKENS) -> int:
    """About how many tokens ``message`` is; a picture counts as ``image_tokens``."""
    calls = sum(
        CALL_TOKENS + text_tokens(call.name) + text_tokens(call.arguments) for call in message.calls
    )
    media = sum(_media_tokens(item, image_tokens) for item in message.media)
    return MESSAGE_TOKENS + text_tokens(message.text) + calls + media


def tools_tokens(tools: Sequence[ToolSpec]) -> int:
    """About how many tokens it takes to offer ``tools``."""
    told = ((tool.name, tool.description, json.dumps(tool.parameters)) for tool in tools)
    return sum(CALL_TOKENS + sum(map(text_tokens, texts)) for texts in told)


def _media_tokens(media: Media, image_tokens: int) -> int:
    if media.mime.startswith("image/"):
        return image_tokens
    if media.mime.startswith("audio/"):
        return max(OTHER_MEDIA_TOKENS, len(media.data) // AUDIO_BYTES_PER_TOKEN)
    return OTHER_MEDIA_TOKENS


# --- what goes ---------------------------------------------------------------------------------


@dataclass
class _Item:
    """A message on its way through; None once it is left out."""

    message: Message | None
    turn: int  # 0 before the assistant first speaks, then counted by its messages
    step: int  # of an output, which in order
    kept: bool  # never touched
    first_question: bool  # stands in for a pinned one, so is only cut, and last of all


def fit(
    messages: Sequence[Message], limit: int, estimate: Estimate = message_tokens
) -> list[Message]:
    """``messages`` in order, made to fit into ``limit`` tokens by ``estimate``, where possible.

    Outputs are what tools and, where a protocol has no tools, unpinned messages of the user say. A
    turn is a message of the assistant with all that comes before its next. Until it fits:

    1. the oldest outputs give way to a line that says so, those of the last turn excepted;
    2. the oldest media go, likewise;
    3. the oldest turns go as wholes, the last excepted, so that no call is without its result;
    4. the texts of the last turn are cut in the middle, the longest first;
    5. its media go.

    What the system says and what is pinned stays as it is. If no message of the user is pinned, the
    first is taken for the question: it is only cut in steps 4 and 5. What is left may still exceed
    the limit: nothing more can go.
    """
    items = _items(messages)
    for stage in (_elide_outputs, _drop_media, _drop_turns, _cut_last):
        if _total(items, estimate) <= limit:
            break
        stage(items, limit, estimate)
    return [item.message for item in items if item.message is not None]


def cut_middle(text: str, keep: int) -> str:
    """``text`` with ``keep`` characters left, and a note between its head and its tail."""
    if len(text) <= keep:
        return text
    head = round(keep * _HEAD)
    tail = text[len(text) - (keep - head) :]
    return f"{text[:head]}\n[... {len(text) - keep:,} characters left out ...]\n{tail}"


def _items(messages: Sequence[Message]) -> list[_Item]:
    nothing_pinned = not any(m.pinned and m.role == "user" for m in messages)
    items: list[_Item] = []
    turn = step = 0
    for message in messages:
        turn += message.role == "assistant"
        question = nothing_pinned and message.role == "user"
        nothing_pinned &= not question
        kept = message.pinned or message.role == "system"
        step += _is_output(message) and not question and not kept
        items.append(_Item(message, turn, step, kept, question))
    return items


def _is_output(message: Message) -> bool:
    return message.role in ("tool", "user")


def _total(items: Sequence[_Item], estimate: Estimate) -> int:
    return sum(estimate(item.message) for item in items if item.message is not None)


def _older(items: Sequence[_Item]) -> list[tuple[_Item, Message]]:
    """What may go of the turns before the last, in order."""
    last = items[-1].turn
    return [
        (item, item.message)
        for item in items
        if item.turn < last and not item.kept and not item.first_question and item.message
    ]


def _elide_outputs(items: Sequence[_Item], limit: int, estimate: Estimate) -> None:
    excess = _total(items, estimate) - limit
    for item, message in _older(items):
        if excess <= 0:
            return
        note = f"[output left out: {len(message.text):,} characters, step {item.step}]"
        brief = replace(message, text=note)
        saved = estimate(message) - estimate(brief)
        if _is_output(message) and saved > 0:
            item.message = brief
            excess -= saved


def _drop_media(items: Sequence[_Item], limit: int, estimate: Estimate) -> None:
    excess = _total(items, estimate) - limit
    for item, message in _older(items):
        if excess <= 0:
            return
        if message.media:
            item.message = _without_media(message)
            excess -= estimate(message) - estimate(item.message)


def _without_media(message: Message) -> Message:
    kinds = ", ".join(media.mime for media in message.media)
    return replace(message, text=f"{message.text}\n[left out: {kinds}]".strip(), media=())


def _drop_turns(items: Sequence[_Item], limit: int, estimate: Estimate) -> None:
    last = items[-1].turn
    for turn in range(last):
        if _total(items, estimate) <= limit:
            return
        of_turn = [item for item in items if item.turn == turn]
        calls = {c.id for item in of_turn for c in (item.message.calls if item.message else ())}
        bound = any(
            item.kept
            and item.message is not None
            and (item.message.calls or item.message.call_id in calls)
            for item in of_turn
        )
        if bound:
            continue  # a pinned call or result holds the turn together
        for item in of_turn:
            if not item.kept and not item.first_question:
                item.message = None


def _cut_last(items: Sequence[_Item], limit: int, estimate: Estimate) -> None:
    last = items[-1].turn
    loose = [
        item
        for item in items
        if not item.kept and item.message and (item.turn == last or item.first_question)
    ]
    whole = [item.message for item in loose if item.message]
    if not _cut_to_fit(items, loose, whole, limit, estimate):
        bare = [_without_media(m) if m.media else m for m in whole]
        _cut_to_fit(items, loose, bare, limit, estimate)


def _cut_to_fit(
    items: Sequence[_Item],
    loose: Sequence[_Item],
    whole: Sequence[Message],
    limit: int,
    estimate: Estimate,
) -> bool:
    """Cut ``loose`` to the same most characters, as many as fit. Whether it then fits."""

    def cut(keep: int) -> bool:
        for item, message in zip(loose, whole, strict=True):
            short = replace(message, text=cut_middle(message.text, keep))
            # The note may be longer than what it stands for.
            item.message = min(message, short, key=estimate)
        return _total(items, estimate) <= limit

    most = max((len(message.text) for message in whole), default=0)
    if cut(most):
        return True
    fits, too_long = -1, most
    while too_long - fits > 1:
        middle = (fits + too_long) // 2
        if cut(middle):
            fits = middle
        else:
            too_long = middle
    return cut(max(fits, 0))
