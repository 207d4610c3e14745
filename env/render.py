"""Responses and steps as text: for the agent's observation, and for a person who watches."""

from __future__ import annotations

from typing import Any

from deskgym.env.actions import Action, ReadText
from deskgym.env.observations import Media
from deskgym.env.sandbox.base import DeskError, Response

INDENT = "   "
"""What each line of a found passage begins with."""

_SHOWN_INFO = (
    "mime", "pages", "slides", "sheets", "lines", "width", "height", "duration_s", "language",
)  # fmt: skip


def observation_text(action: Action, response: Response) -> str:
    """What an agent is told of ``response``."""
    if response.error is not None:
        return error_text(response.error.kind, response.error.message, response.error.remedy)
    if action.tool == "terminal":
        return _terminal(response)
    if action.tool == "list_files":
        return _listing(response.info["files"])
    if action.tool == "search":
        return _hits(response)
    if action.tool == "metadata":
        return "\n".join(f"{name}: {value}" for name, value in response.info.items())
    return _reading(action, response)


def observed_media(response: Response) -> tuple[Media, ...]:
    """The media that follow a tool's answer, cut out of its payload."""
    media = []
    at = 0
    for item in response.media:
        media.append(Media(item.mime, response.payload[at : at + item.size]))
        at += item.size
    return tuple(media)


def refusal(kind: str, message: str) -> tuple[Response, str]:
    """The answer to an action that never reaches the desk, and its text."""
    response = Response(ok=False, error=DeskError(kind=kind, message=message))
    return response, error_text(kind, message)


def error_text(kind: str, message: str, remedy: str = "") -> str:
    return f"error ({kind}): {message}" + (f"\n{remedy}" if remedy else "")


def _terminal(response: Response) -> str:
    text = response.payload.decode("utf-8", errors="replace")
    if response.exit_status:
        gap = "" if not text or text.endswith("\n") else "\n"
        text += f"{gap}[exit status {response.exit_status}]"
    return text


def _listing(records: list[dict[str, Any]]) -> str:
    lines = [
        f"{r['path']}  ({r['modality']}, {r['size']} bytes, modified {r['modified'][:16]})"
        for r in records
    ]
    return "\n".join([f"{len(records)} files", *lines])


def _hits(response: Response) -> str:
    hits = response.info["hits"]
    lines = [f"{len(hits)} hits"]
    for number, hit in enumerate(hits, 1):
        lines.append(f"{number}. {hit['path']}  [{hit['locator']}]  (score {hit['score']:g})")
        # All of it is indented, so that nothing it quotes passes for a hit of its own.
        lines.append(INDENT + hit["snippet"].replace("\n", f"\n{INDENT}"))
    return "\n".join([*lines, *(f"note: {note}" for note in response.notes)])


def _reading(action: Action, response: Response) -> str:
    info = response.info
    head = [str(info.get("path", ""))]
    head += [f"{name} {_plain(info[name])}" for name in _SHOWN_INFO if info.get(name) is not None]
    parts = ["; ".join(head)]
    parts += [f"[{segment.locator}]\n{segment.text}" for segment in response.segments]
    if not isinstance(action, ReadText):
        parts += [
            _medium(m.mime, m.size, m.width, m.height, str(m.locator)) for m in response.media
        ]
    parts += [f"note: {note}" for note in response.notes]
    if response.next_offset is not None:
        parts.append(f"there is more: go on with offset={response.next_offset}")
    return "\n".join(parts)


def _medium(mime: str, size: int, width: int | None, height: int | None, locator: str) -> str:
    pixels = f", {width} x {height} pixels" if width and height else ""
    return f"[{locator}] {mime}, {size} bytes{pixels}"


def _plain(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def welcome(user: str, tools: frozenset[str], files: int) -> str:
    """The first observation's text."""
    return (
        f"These are the {files} files of {user}, read-only in /desk. Answer the question from "
        f"them. Tools: {', '.join(sorted(tools))}."
    )
