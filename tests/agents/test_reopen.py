"""Which actions open a citation again, and when they have shown enough."""

from __future__ import annotations

from typing import Any

import pytest

from deskgym.agents.claims import Opened
from deskgym.agents.reopen import enough, joined, looks, next_part
from deskgym.env.actions import ALL_TOOLS, Cite, Metadata, ReadText, Terminal
from deskgym.env.observations import Media, Observation

PICTURE = Media("image/png", b"\x89PNG")


def seen(text: str, *media: Media) -> Observation:
    return Observation(question="", text=text, media=media, step=1, steps_left=9)


@pytest.mark.parametrize(
    ("path", "locator", "first", "then"),
    [
        ("a.txt", "lines:4-7", {"tool": "read_text", "lines": (4, 7)}, []),
        ("a.txt", "file", {"tool": "read_text"}, ["metadata"]),
        ("a.docx", "turns:3", {"tool": "read_text"}, ["metadata"]),
        ("a.pdf", "page:2-3", {"tool": "read_text", "pages": (2, 3)}, ["read_image"]),
        ("a.xlsx", "cells:My Sheet!A2:D2",
         {"tool": "read_text", "cells": "My Sheet!A2:D2"}, []),
        ("a.xlsx", "cells:B2", {"tool": "read_text", "cells": "B2"}, []),
        ("a.pdf", "region:2@0.1,0.2,0.5,0.6",
         {"tool": "read_image", "page": 2, "region": (0.1, 0.2, 0.5, 0.6)}, ["read_text"]),
        ("a.JPG", "region:1@0.1,0.2,0.5,0.6",
         {"tool": "read_image", "page": None, "region": (0.1, 0.2, 0.5, 0.6)}, ["read_text"]),
        ("old.zip!/a.png", "file", {"tool": "read_image"}, ["metadata"]),
        ("a.png", "page:1", {"tool": "read_image"}, ["read_text"]),
        ("a.mp3", "time:8-9.5", {"tool": "read_audio", "start_s": 7.5, "end_s": 10.0},
         ["read_text"]),
        ("a.mp3", "time:0-900", {"tool": "read_audio", "start_s": 0.0, "end_s": 120.0},
         ["read_text"]),
        ("a.mov", "time:5-5", {"tool": "read_video", "start_s": 4.5, "end_s": 5.5},
         ["read_text"]),
        ("a.m4a", "file", {"tool": "read_audio"}, ["metadata"]),
    ],
)  # fmt: skip
def test_a_citation_is_opened_at_its_place_by_the_tool_for_its_kind(
    path: str, locator: str, first: dict[str, Any], then: list[str]
) -> None:
    actions = looks(Cite(path=path, locator=locator), frozenset(ALL_TOOLS))
    fields = actions[0].model_dump()
    assert fields["path"] == path
    assert {key: fields[key] for key in first} == first
    assert [action.tool for action in actions[1:]] == then


@pytest.mark.parametrize(
    ("path", "locator", "command"),
    [
        ("it's.txt", "lines:4", "head -c 20000 -- 'it'\"'\"'s.txt'"),
        ("-n.txt", "file", "head -c 20000 -- ./-n.txt"),
        ("a.pdf", "page:2-3", "pdftotext -layout -f 2 -l 3 a.pdf -"),
        ("a.pdf", "file", "pdftotext -layout a.pdf -"),
    ],
)
def test_without_the_read_tools_a_text_is_printed(path: str, locator: str, command: str) -> None:
    cite = Cite(path=path, locator=locator)
    assert looks(cite, frozenset({"terminal"})) == (Terminal(command=command),)
    assert looks(cite, frozenset({"search"})) == ()


def test_a_picture_is_not_printed() -> None:
    assert looks(Cite(path="a.png"), frozenset({"terminal"})) == ()


@pytest.mark.parametrize(
    ("path", "quote", "text", "media", "is_enough"),
    [
        ("a.txt", None, "anything", (), True),
        ("a.txt", None, "", (), False),
        ("a.txt", "so it is", "well, so it is.", (), True),
        ("a.txt", "so it is", "it is so", (), False),
        ("a.pdf", "so it is", "", (PICTURE,), False),
        # What is recorded of a whole picture is looked at as well.
        ("a.png", None, "", (PICTURE,), False),
    ],
)
def test_it_is_enough_when_the_place_shows_what_is_quoted(
    path: str, quote: str | None, text: str, media: tuple[Media, ...], is_enough: bool
) -> None:
    assert enough(Opened(Cite(path=path, quote=quote), text, media)) is is_enough


def test_looks_add_up_and_a_failed_one_says_why() -> None:
    cite = Cite(path="a.png")
    opened = joined(Opened(cite), ReadText(path="a.png"), seen("error (damaged): no picture"))
    assert (opened.is_there, opened.problem) == (False, "error (damaged): no picture")
    opened = joined(opened, ReadText(path="a.png"), seen("a.png\n[region:1@0,0,1,1]\nHI", PICTURE))
    opened = joined(opened, Metadata(path="a.png"), seen("location: Margate"))
    assert (opened.text, opened.media) == ("HI\nlocation: Margate", (PICTURE,))
    failed = joined(Opened(cite), Terminal(command="x"), seen("no such file\n[exit status 1]"))
    assert not failed.is_there


def test_a_long_text_is_read_on() -> None:
    action = ReadText(path="a.txt", lines=(1, 9))
    more = next_part(action, seen("a.txt\n[lines:1-9]\nx\nthere is more: go on with offset=500"))
    assert more == ReadText(path="a.txt", lines=(1, 9), offset=500)
    assert next_part(action, seen("a.txt\n[lines:1-9]\nx")) is None
