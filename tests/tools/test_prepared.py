"""Reading what was prepared gives what reading the file gives, and besides what only OCR and
speech recognition find."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from deskgym.tasks.demo import PEOPLE, DemoDataset
from deskgym.tools.ocr import OcrLine
from deskgym.tools.perceive import perceive
from deskgym.tools.prepared import Reading
from deskgym.tools.result import Segment, ToolError, ToolResult
from deskgym.tools.search_index import build_index
from deskgym.tools.speech import Transcript
from deskgym.tools.store import (
    FORMAT_VERSION,
    Objects,
    link_object,
    manifest_entry,
    object_name,
    write_manifest,
)

SHA = "0" * 64
DATA = DemoDataset()


class FakeOcr:
    """Reads the same three lines from every picture."""

    def lines(self, image: Any) -> list[OcrLine]:
        words = ("INVOICE 7", "12 May", "Total 30")
        return [
            OcrLine(text, (0.1, y / 10, 0.9, y / 10 + 0.05), 1.0) for y, text in enumerate(words)
        ]


class FakeAsr:
    """Hears one sentence every five seconds."""

    name = "fake:ears"

    def transcribe(self, path: Path, *, words: bool = False) -> Transcript:
        return Transcript("en", tuple((5.0 * n, 5.0 * n + 4, f"sentence {n}") for n in range(3)))


def prepared(desk: Path, root: Path, *paths: str, seeing: bool = False) -> Reading:
    """The tools over ``desk``, some files of which are prepared below ``root``."""
    objects, entries = Objects(root / "objects"), []
    for number, path in enumerate(sorted(paths)):
        key = f"{number:016}"
        name = object_name(path, SHA, key)
        draft = objects.draft(root / "new", name)
        found = perceive(
            desk / path,
            ocr=FakeOcr() if seeing else None,
            asr=FakeAsr() if seeing else None,
            keep=draft.keep,
        )
        objects.finish(
            draft,
            name,
            path=path,
            sha256=SHA,
            key=key,
            info=found.info,
            segments=found.segments,
            notes=found.notes,
            error=found.error,
        )
        link_object(objects, root / "profile", name)
        entries.append(manifest_entry(path, SHA, key, objects.record(name)))
    write_manifest(root / "profile", {"format_version": FORMAT_VERSION, "files": entries})
    return Reading(desk, root / "profile")


def outcome(tool: Any, path: Path, args: dict[str, Any]) -> Any:
    """A result, or an error, in a form that can be compared: pictures to the byte."""
    try:
        result: ToolResult = tool(path, **args)
    except ToolError as error:
        return error.kind, error.message, error.remedy
    return result


def selections(seed: int) -> list[dict[str, Any]]:
    """What a reader may ask for, sensible or not."""
    dice = random.Random(seed)
    asked: list[dict[str, Any]] = [{}]
    for _ in range(12):
        args: dict[str, Any] = {}
        if dice.random() < 0.6:
            first = dice.randint(1, 8)
            args[dice.choice(["lines", "lines", "pages"])] = (first, first + dice.randint(0, 9))
        if dice.random() < 0.5:
            args["offset"] = dice.choice([0, 1, 60, 400, 5_000])
        if dice.random() < 0.6:
            args["max_chars"] = dice.choice([1, 12, 100, 900, 20_000])
        if dice.random() < 0.1:
            args[dice.choice(["cells", "span_s"])] = dice.choice(["A1:B9", (1.0, 3.0)])
        asked.append(args)
    return asked


@pytest.mark.parametrize("person", PEOPLE)
def test_every_text_is_the_same_either_way(person: str, tmp_path: Path) -> None:
    profile = DATA.profile(person)
    texts = [f for f in profile.files if f.modality not in ("audio", "video", "image")]
    # Rendering takes a while: of the PDFs a few do.
    pdfs = [f.path for f in texts if f.type == "pdf"][:4]
    paths = [f.path for f in texts if f.type != "pdf"] + pdfs
    quick, plain = prepared(profile.root, tmp_path, *paths), Reading(profile.root, None)
    asked = 0
    for number, path in enumerate(paths):
        for args in selections(number):
            file = profile.root / path
            assert outcome(quick.read_text, file, args) == outcome(plain.read_text, file, args), (
                path,
                args,
            )
            asked += 1
    assert asked > 300


@pytest.mark.parametrize("args", [{}, {"page": 1}, {"page": 2}, {"page": 99}, {"dpi": 72},
                                  {"region": (0.0, 0.0, 0.5, 0.5)}, {"max_side": 100}])  # fmt: skip
def test_every_picture_is_the_same_either_way(args: dict[str, Any], tmp_path: Path) -> None:
    profile = DATA.profile("adam")
    by_type = {f.type: f.path for f in profile.files if f.modality in ("image", "document")}
    assert {"pdf", "png", "jpg", "gif", "webp"} <= by_type.keys()
    quick = prepared(profile.root, tmp_path, *by_type.values())
    for path in by_type.values():
        file = profile.root / path
        here = outcome(quick.read_image, file, args)
        assert here == outcome(Reading(profile.root, None).read_image, file, args), path


def test_a_stored_picture_is_served_and_not_made_again(tmp_path: Path) -> None:
    from PIL import Image

    desk = tmp_path / "desk"
    desk.mkdir()
    Image.new("RGB", (40, 30), "red").save(desk / "a.png")
    quick = prepared(desk, tmp_path, "a.png")
    (desk / "a.png").unlink()  # reading it live would now fail
    (media,) = quick.read_image(desk / "a.png").media
    assert (media.mime, media.width, media.height) == ("image/png", 40, 30)


def scan(tmp_path: Path) -> Path:
    """A desk with a PDF of two pages: the first has text, the second is a picture."""
    import pymupdf

    desk = tmp_path / "desk"
    desk.mkdir()
    with pymupdf.open() as document:
        document.new_page().insert_text((72, 72), "typed text")
        page = document.new_page()
        picture = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 60, 80))
        picture.set_rect(pymupdf.IRect(0, 0, 60, 40), (200, 0, 0))
        page.insert_image(page.rect, pixmap=picture)
        document.save(desk / "scan.pdf")
    return desk


def test_a_scan_has_its_text_where_only_preparing_finds_it(tmp_path: Path) -> None:
    desk = scan(tmp_path)
    quick = prepared(desk, tmp_path, "scan.pdf", seeing=True)
    second = quick.read_text(desk / "scan.pdf", pages=(2, 2))
    assert [s.text for s in second.segments] == ["INVOICE 7", "12 May", "Total 30"]
    assert all(s.locator.startswith("region:2@") for s in second.segments)
    assert not any("no text layer" in note for note in second.notes)
    first = quick.read_text(desk / "scan.pdf", pages=(1, 1))
    assert [s.locator for s in first.segments] == ["page:1"]
    assert Reading(desk, None).read_text(desk / "scan.pdf", pages=(2, 2)).segments == ()


@pytest.mark.parametrize("room", [3, 9, 14, 20])
def test_the_pieces_of_a_scan_add_up(tmp_path: Path, room: int) -> None:
    desk = scan(tmp_path)
    quick = prepared(desk, tmp_path, "scan.pdf", seeing=True)
    whole = "".join(s.text for s in quick.read_text(desk / "scan.pdf").segments)
    pieces, offset = "", 0
    while True:
        result = quick.read_text(desk / "scan.pdf", offset=offset, max_chars=room)
        assert sum(len(s.text) for s in result.segments) <= room
        pieces += "".join(s.text for s in result.segments)
        if result.next_offset is None:
            break
        assert result.next_offset > offset
        offset = result.next_offset
    assert pieces == whole
    with pytest.raises(ToolError, match="beyond the text"):
        quick.read_text(desk / "scan.pdf", offset=len(whole))


def test_speech_is_selected_by_time_and_goes_with_clips(tmp_path: Path) -> None:
    profile = DATA.profile("adam")
    path = next(f.path for f in profile.files if f.type == "wav")
    quick = prepared(profile.root, tmp_path, path, seeing=True)
    said = quick.read_text(profile.root / path, span_s=(5.5, 6.0)).segments
    assert said == (Segment("time:5-9", "sentence 1"),)
    clip = quick.read_audio(profile.root / path, start_s=0.0, end_s=2.0)
    assert [s.text for s in clip.segments] == ["sentence 0"]
    assert [m.mime for m in clip.media] == ["audio/mpeg"]


def test_what_could_not_be_read_says_so_again(tmp_path: Path) -> None:
    desk = tmp_path / "desk"
    desk.mkdir()
    (desk / "torn.pdf").write_bytes(b"%PDF-1.7\nnothing else")
    quick, plain = prepared(desk, tmp_path, "torn.pdf"), Reading(desk, None)
    expected = outcome(plain.read_text, desk / "torn.pdf", {})
    assert expected[0] == "corrupt"
    assert outcome(quick.read_text, desk / "torn.pdf", {}) == expected


def test_bad_arguments_are_refused_as_ever(tmp_path: Path) -> None:
    desk = tmp_path / "desk"
    desk.mkdir()
    (desk / "a.txt").write_text("one\ntwo\n")
    quick, plain = prepared(desk, tmp_path, "a.txt"), Reading(desk, None)
    asked: list[dict[str, Any]] = [
        {"offset": -1}, {"max_chars": 0}, {"lines": (2, 1)}, {"pages": (1, 1)}, {"lines": (9, 9)},
        {"offset": 8}, {"cells": "A1"}, {"span_s": (0.0, 1.0)},
    ]  # fmt: skip
    for args in asked:
        here = outcome(quick.read_text, desk / "a.txt", args)
        assert here == outcome(plain.read_text, desk / "a.txt", args), args
        assert here[0] in ("bad_argument", "out_of_range")


def test_without_a_prepared_folder_files_are_read_and_search_says_what_to_do(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.txt").write_text("hello\n")
    for none in (None, tmp_path / "empty"):
        reading = Reading(tmp_path, none)
        assert reading.read_text(tmp_path / "a.txt").segments[0].text == "hello\n"
        with pytest.raises(ToolError, match="not prepared") as caught:
            reading.search("hello")
        assert "deskgym prepare" in caught.value.remedy


def test_search_asks_the_folder_s_index(tmp_path: Path) -> None:
    desk = tmp_path / "desk"
    desk.mkdir()
    (desk / "a.txt").write_text("the heron by the weir\n")
    reading = prepared(desk, tmp_path, "a.txt")
    entries = [("a.txt", "text", [Segment("lines:1", "the heron by the weir\n")])]
    build_index(tmp_path / "profile" / "search.sqlite", entries)
    (hit,) = reading.search("heron").info["hits"]
    assert (hit["path"], hit["locator"]) == ("a.txt", "lines:1")


@pytest.mark.parametrize("person", PEOPLE)
def test_what_ships_with_the_demo_is_what_this_version_reads(
    person: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If not, ship again (CONTRIBUTING, "The perception image")."""
    from deskgym.env.prepared import find

    monkeypatch.setenv("DESKGYM_CACHE", str(tmp_path))
    profile = DATA.profile(person)
    shipped, plain = Reading(profile.root, find(profile)), Reading(profile.root, None)
    silent = []
    for record in profile.files:
        here = outcome(shipped.read_text, profile.root / record.path, {})
        if record.modality in ("image", "audio", "video"):
            silent += [] if isinstance(here, ToolResult) and here.segments else [record.path]
        elif record.type != "pdf" or not any(s.locator.startswith("region") for s in here.segments):
            assert here == outcome(plain.read_text, profile.root / record.path, {}), record.path
    assert shipped.search("the").info["hits"]
    # Most pictures have words in them, and most recordings someone who speaks.
    spoken = [f for f in profile.files if f.modality in ("image", "audio", "video")]
    assert len(silent) < len(spoken) / 3, silent
