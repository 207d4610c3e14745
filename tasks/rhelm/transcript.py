"""A published conversation as a transcript that people can read: one markdown file a day."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime

from pydantic import BaseModel, ConfigDict, Field

# What begins a block of markdown, and so has to begin a line.
_BLOCK = re.compile(r"(?:#{1,6}\s|[-*+]\s|\d+[.)]\s|>|\||```|~~~|---)")


class Turn(BaseModel):
    """One exchange as published: what the person says, and what the assistant replies.

    ``research_document`` names the attachment (without its suffix) that is the subject. It is
    content, since a chat shows what was handed in; ``message_type`` and all that stands around
    the turns (statistics, models, file names of plans) are the generator's, and are left out.
    """

    model_config = ConfigDict(frozen=True)

    turn: int = Field(ge=1)
    timestamp: datetime
    user: str
    assistant: str
    research_document: str | None = None


class Conversation(BaseModel):
    """One day's conversation as published, as far as it is content."""

    model_config = ConfigDict(frozen=True)

    date: date
    conversation: tuple[Turn, ...]


@dataclass(frozen=True)
class Transcript:
    """A day's transcript: its text, and for each turn its lines (1-based, inclusive) and words."""

    text: str
    lines: Mapping[int, tuple[int, int]]
    turns: Mapping[int, str]
    begun: datetime
    ended: datetime


def transcript(talk: Conversation, user: str, attachments: Mapping[str, str]) -> Transcript:
    """The conversation of ``user``; ``attachments`` gives the file names by their stems.

    Each turn has a heading with its number and time, then what was attached, then who says what.
    A turn's lines are those from its heading to its last word; its words are what stands below
    the heading.

    Raises:
        ValueError: there is no turn, or two have one number.
    """
    if not talk.conversation:
        raise ValueError("a conversation without turns")
    out = [f"# {talk.date.isoformat()}: {user} and Assistant"]
    lines: dict[int, tuple[int, int]] = {}
    turns: dict[int, str] = {}
    for turn in talk.conversation:
        if turn.turn in lines:
            raise ValueError(f"turn {turn.turn} stands twice")
        when = turn.timestamp.strftime("%Y-%m-%d %H:%M")
        body = []
        if turn.research_document:
            name = attachments.get(turn.research_document, turn.research_document)
            body += [f"*Attached: {name}*", ""]
        body += [*_said(user, turn.user), "", *_said("Assistant", turn.assistant)]
        out += ["", f"## Turn {turn.turn}, {when}", ""]
        lines[turn.turn] = len(out) - 1, len(out) + len(body)
        turns[turn.turn] = "\n".join(body)
        out += body
    times = [turn.timestamp.replace(tzinfo=None) for turn in talk.conversation]
    return Transcript("\n".join(out) + "\n", lines, turns, min(times), max(times))


def _said(who: str, what: str) -> list[str]:
    lines = what.replace("\r\n", "\n").replace("\r", "\n").strip("\n").split("\n")
    if _BLOCK.match(lines[0]):
        return [f"**{who}:**", "", *lines]
    return [f"**{who}:** {lines[0]}", *lines[1:]]
