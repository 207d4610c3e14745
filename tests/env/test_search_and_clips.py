"""What searching and listening come to in an episode: the text shown, the files, the evidence."""

from __future__ import annotations

from typing import Any

import pytest
from fake_desk import FakeDataset, FakeDesk

from deskgym.env.actions import Cite, ReadVideo, Search, parse_action
from deskgym.env.desk_env import DeskEnv
from deskgym.env.evidence_tracker import EvidenceTracker
from deskgym.env.render import observation_text
from deskgym.env.sandbox.base import Response, ToolRequest, WireMedia, WireSegment
from deskgym.env.trajectory import StepEvent
from deskgym.tasks.locators import parse_locator
from deskgym.tasks.schema import Evidence, Profile, Task


class Desks:
    def __init__(self) -> None:
        self.last: FakeDesk | None = None

    def __call__(self, person: Profile) -> FakeDesk:
        self.last = FakeDesk(person)
        return self.last


@pytest.fixture
def desks() -> Desks:
    return Desks()


@pytest.fixture
def env(desks: Desks) -> DeskEnv:
    made = DeskEnv(FakeDataset(), "ann", max_steps=9, sandbox=desks)
    made.reset(task="ann-001")
    return made


def last_step(env: DeskEnv) -> StepEvent:
    event = env.trajectory[-1]
    assert isinstance(event, StepEvent)
    return event


def test_a_search_shows_its_hits_and_so_the_evidence_in_them(env: DeskEnv) -> None:
    observation, _, _, _, info = env.step({"tool": "search", "query": "heron"})
    assert observation["text"] == (
        "1 hits\n"
        "1. notes/heron.txt  [lines:1]  (score 2.5)\n"
        "   the zinc heron sleeps at quarter past nine"
    )
    assert (info["family"], info["ok"], info["opened"]) == ("search", True, ())
    event = last_step(env)
    assert [(e.evidence_id, e.by) for e in event.exposed] == [("e1", "locator")]
    assert [(r.path, str(r.locator)) for r in event.returned] == [("notes/heron.txt", "lines:1")]
    env.step({"tool": "answer", "text": "x"})
    assert env.result is not None
    assert env.result.touched_files == ("notes/heron.txt",)


def test_a_name_alone_shows_nothing_of_the_file(env: DeskEnv) -> None:
    observation = env.step({"tool": "search", "query": "notes/heron"})[0]
    assert "1. notes/heron.txt  [file]" in observation["text"]
    assert last_step(env).returned == last_step(env).exposed == ()


def test_no_hits_are_told(env: DeskEnv) -> None:
    assert env.step({"tool": "search", "query": "xyz"})[0]["text"] == "0 hits\nnote: nothing fits"


def test_the_desk_is_asked_with_the_fields_that_are_given(env: DeskEnv, desks: Desks) -> None:
    for action in (
        {"tool": "search", "query": "a", "modality": "audio"},
        {"tool": "read_audio", "path": "a.mp3", "end_s": 3},
        {"tool": "read_video", "path": "a.mp4", "frames": [0, 8.25]},
        {"tool": "read_video", "path": "a.mp4", "start_s": 1, "frames": 4},
        {"tool": "read_text", "path": "a.mp4", "span_s": [1, 2]},
    ):
        env.step(action)
    assert desks.last is not None
    asked = [(r.tool, r.args) for r in desks.last.requests if isinstance(r, ToolRequest)]
    assert asked == [
        ("search", {"query": "a", "top_k": 10, "modality": "audio"}),
        ("read_audio", {"path": "a.mp3", "end_s": 3.0}),
        ("read_video", {"path": "a.mp4", "frames": [0.0, 8.25]}),
        ("read_video", {"path": "a.mp4", "start_s": 1.0, "frames": 4}),
        ("read_text", {"path": "a.mp4", "span_s": [1.0, 2.0], "offset": 0}),
    ]


def test_what_is_off_is_off(desks: Desks) -> None:
    env = DeskEnv(FakeDataset(), "ann", tools="config1", sandbox=desks)
    env.reset(task="ann-001")
    for action in (
        {"tool": "search", "query": "heron"},
        {"tool": "read_audio", "path": "a.mp3"},
        {"tool": "read_video", "path": "a.mp4"},
    ):
        observation, *_, info = env.step(action)
        assert info["error"] == "switched_off"
        assert "zinc" not in observation["text"]


def test_clips_are_media_and_their_places_are_told(env: DeskEnv, desks: Desks) -> None:
    assert desks.last is not None
    desks.last.media = [("audio/mpeg", b"mp3")]
    fields = {"tool": "read_audio", "path": "notes/lamp.txt", "start_s": 1, "end_s": 2.5}
    observation = env.step(fields)[0]
    assert [(m.mime, m.data) for m in observation["media"]] == [("audio/mpeg", b"mp3")]
    assert "[time:1-2.5] audio/mpeg, 3 bytes" in observation["text"]
    assert [str(r.locator) for r in last_step(env).returned] == ["time:1-2.5"]


def test_frames_come_with_their_words_and_sizes() -> None:
    frame = WireMedia(mime="image/jpeg", size=9, locator="time:8-8", width=640, height=360)
    response = Response(
        ok=True,
        info={"path": "a.mp4", "mime": "video/mp4", "duration_s": 12.5},
        segments=(WireSegment(locator="time:7.5-9", text="BOX 7"),),
        media=(frame,),
        notes=("scaled",),
    )
    assert observation_text(ReadVideo(path="a.mp4"), response) == (
        "a.mp4; mime video/mp4; duration_s 12.5\n"
        "[time:7.5-9]\nBOX 7\n"
        "[time:8-8] image/jpeg, 9 bytes, 640 x 360 pixels\n"
        "note: scaled"
    )


def test_an_action_can_be_written_down_and_read_again() -> None:
    for action in (
        Search(query="会议", top_k=3, modality="text"),
        ReadVideo(path="a", frames=(1.0, 2.5)),
        ReadVideo(path="a", frames=5),
    ):
        assert parse_action(action.model_dump_json()) == parse_action(action) == action


# -- evidence in sound, video and archives ---------------------------------------------------------

FILES = {"memo.mp3", "film.mp4", "old.zip", "odd!/b.txt"}
WORDS = "The lease ends on the last day of August."


def tracker(path: str, modality: Any, locator: str) -> EvidenceTracker:
    unit = Evidence(evidence_id="e", file_path=path, modality=modality, locator=locator, text=WORDS)
    task = Task(
        id="t", profile_id="demo/x", question="?", answer="a", qa_type="factual_retention",
        files=(path,), evidence=(unit,),
    )  # fmt: skip
    return EvidenceTracker(task, FILES)


@pytest.mark.parametrize(
    ("path", "modality", "mime", "place", "shown"),
    [
        ("memo.mp3", "audio", "audio/mpeg", "time:6-9", True),
        ("memo.mp3", "audio", "audio/mpeg", "time:0-3", False),
        ("memo.mp3", "audio", "audio/mpeg", "file", False),
        ("memo.mp3", "audio", "image/jpeg", "time:6-9", False),
        ("film.mp4", "video", "image/jpeg", "time:6.5-6.5", True),
        ("film.mp4", "video", "image/jpeg", "time:2-2", False),
        ("film.mp4", "video", "audio/mpeg", "time:5-7", True),
    ],
)
def test_a_clip_or_frame_of_the_right_moment_shows_it(
    path: str, modality: Any, mime: str, place: str, shown: bool
) -> None:
    follow = tracker(path, modality, "time:5-8")
    assert bool(follow.observe(1, media=[(path, parse_locator(place), mime)])) == shown


@pytest.mark.parametrize(
    ("place", "text", "shown"),
    [("time:4-6", WORDS, True), ("time:4-6", "Hello.", False), ("time:20-22", WORDS, False)],
)
def test_a_transcript_of_the_right_moment_that_says_it_shows_it(
    place: str, text: str, shown: bool
) -> None:
    follow = tracker("memo.mp3", "audio", "time:5-8")
    assert bool(follow.observe(1, segments=[("memo.mp3", parse_locator(place), text)])) == shown


def test_what_is_in_an_archive_belongs_to_the_archive() -> None:
    follow = tracker("old.zip", "document", "file")
    piece = ("old.zip!/inner/letter.txt", parse_locator("lines:1-3"), WORDS)
    assert follow.observe(1, segments=[piece])
    assert follow.touched == ("old.zip",)
    assert follow.file_of("/desk/old.zip!/inner/a.zip!/b.txt") == "old.zip"
    assert follow.file_of("odd!/b.txt") == "odd!/b.txt"
    assert follow.file_of("none.zip!/b.txt") == "none.zip!/b.txt"


def test_a_cited_member_is_checked_against_its_own_extent() -> None:
    follow = tracker("old.zip", "document", "file")
    known = {"old.zip": {"lines": 2}, "old.zip!/a.txt": {"lines": 40}}
    cites = [Cite(path=p, locator=parse_locator("lines:30")) for p in known]
    checks = follow.check_citations(cites, known.get)
    assert [(c.exists, c.in_range) for c in checks] == [(True, False), (True, True)]
