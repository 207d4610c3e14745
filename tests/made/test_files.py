"""Homes: every record stands where it is said to, times follow the life, bytes do not vary."""

from __future__ import annotations

import hashlib
import io
import re
from collections import Counter
from datetime import UTC, datetime, time, timedelta
from pathlib import Path

import pytest
from PIL import Image

from deskgym.tasks.locators import Lines, TimeSpan, WholeFile, parse_locator
from deskgym.tasks.made.files import Home, make_home, write_home
from deskgym.tasks.made.files.contact_sheet import contact_sheet
from deskgym.tasks.made.life import make_life
from deskgym.tasks.made.models import Life
from deskgym.tasks.made.records import Record, make_records
from deskgym.tasks.made.spec import MadeSpec
from deskgym.tasks.modalities import type_of
from deskgym.tasks.validate import Contents, text_at
from deskgym.tools.registry import read_text

TRAIT_WORDS = re.compile(
    rb"extravert|extrovert|introvert|neurotic|conscientious|agreeable|openness|big five", re.I
)
NOT_READ = {"jpg", "mp3", "mp4"}


def made(spec: MadeSpec) -> tuple[Life, tuple[Record, ...]]:
    life = make_life(spec, 0)
    return life, make_records(life, spec)


@pytest.fixture(scope="module")
def text_only(tmp_path_factory: pytest.TempPathFactory) -> tuple[Home, Path, Life]:
    spec = MadeSpec(seed=11, months=1, multimodal=False)
    life, records = made(spec)
    home = make_home(life, records, spec)
    root = tmp_path_factory.mktemp("text")
    home.write(root)
    return home, root, life


@pytest.fixture(scope="module")
def multimodal() -> tuple[Home, tuple[Record, ...]]:
    spec = MadeSpec(seed=12, months=1)
    life, records = made(spec)
    return make_home(life, records, spec), records


def contents(path: Path) -> Contents:
    """All that the read tool gives for a file."""
    segments, offset = [], 0
    while True:
        result = read_text(path, offset=offset, max_chars=2_000_000)
        segments += [(parse_locator(s.locator), s.text) for s in result.segments]
        if result.next_offset is None:
            return Contents(info=result.info, segments=tuple(segments))
        offset = result.next_offset


def plain(text: str) -> str:
    """``text`` without blanks and the bars of tables, as a page or a cell may break it anywhere."""
    return "".join(text.replace("|", "").split())


def test_the_read_tools_find_every_record_where_it_is_placed(
    text_only: tuple[Home, Path, Life],
) -> None:
    home, root, _ = text_only
    read: dict[str, Contents] = {}
    wrong = []
    for place in home.placed:
        if place.file_path not in read:
            read[place.file_path] = contents(root / place.file_path)
        found = text_at(read[place.file_path], place.locator)
        # The database reader shows no more of a table than its first rows.
        if isinstance(place.locator, WholeFile) and place.file_path.endswith(".sqlite"):
            continue
        if plain(place.text) not in plain(found):
            wrong.append((place, found[:200]))
    assert wrong[:3] == []
    assert len(read) > 80


def test_places_of_lines_are_no_wider_than_their_text(text_only: tuple[Home, Path, Life]) -> None:
    home, _, _ = text_only
    for place in home.placed:
        if isinstance(place.locator, Lines) and not place.file_path.endswith((".csv", ".sqlite")):
            assert place.locator.end - place.locator.start == place.text.count("\n"), place


def test_all_kinds_of_text_files_are_there(text_only: tuple[Home, Path, Life]) -> None:
    home, _, _ = text_only
    kinds = Counter(type_of(path) for path in home.files)
    assert set(kinds) >= {
        *("ics", "vcf", "eml", "mbox", "sqlite", "csv", "xlsx", "pdf", "docx", "html", "md"),
        *("graphml", "json", "zip"),
    }
    assert not NOT_READ & set(kinds)


def test_every_record_has_a_place(multimodal: tuple[Home, tuple[Record, ...]]) -> None:
    home, records = multimodal
    placed = {place.record_id for place in home.placed}
    assert [r.id for r in records if r.id not in placed] == []
    assert placed == {r.id for r in records}
    assert all(place.file_path in home.files for place in home.placed)


def test_a_text_only_home_lacks_sound_and_pictures_alone() -> None:
    spec, text = MadeSpec(seed=5, months=1), MadeSpec(seed=5, months=1, multimodal=False)
    whole, bare = make_home(*made(spec), spec), make_home(*made(text), text)
    assert set(bare.files) <= set(whole.files)
    assert {type_of(p) for p in set(whole.files) - set(bare.files)} == NOT_READ
    assert all(whole.files[p].data == bare.files[p].data for p in bare.files)


def test_equal_specs_write_equal_bytes_and_other_seeds_others(tmp_path: Path) -> None:
    sums = []
    for folder, seed in (("a", 12), ("b", 12), ("c", 13)):
        spec = MadeSpec(seed=seed, months=1)
        write_home(*made(spec), tmp_path / folder, spec)
        files = sorted(p for p in (tmp_path / folder).rglob("*") if p.is_file())
        sums.append(
            {
                p.relative_to(tmp_path / folder).as_posix(): (
                    hashlib.sha256(p.read_bytes()).hexdigest(),
                    p.stat().st_mtime,
                )
                for p in files
            }
        )
    assert sums[0] == sums[1]
    shared = {digest for digest, _ in sums[0].values()} & {digest for digest, _ in sums[2].values()}
    assert shared == set()


def test_times_follow_the_life(text_only: tuple[Home, Path, Life]) -> None:
    home, root, life = text_only
    end = datetime.combine(life.last, time()) + timedelta(days=2)
    for path, file in home.files.items():
        assert file.created <= file.modified < end, path
        on_disk = datetime.fromtimestamp((root / path).stat().st_mtime, UTC).replace(tzinfo=None)
        assert on_disk == file.modified


def test_photographs_say_when_and_where(multimodal: tuple[Home, tuple[Record, ...]]) -> None:
    home, records = multimodal
    by_id = {r.id: r for r in records}
    photos = [p for p in home.placed if by_id[p.record_id].schema == "photo" and not p.part]
    pictures = [p for p in photos if p.file_path.endswith(".jpg")]
    assert pictures
    for place in pictures:
        fields = by_id[place.record_id].fields
        exif = Image.open(io.BytesIO(home.files[place.file_path].data)).getexif()
        taken = exif.get_ifd(0x8769)[0x9003]
        assert taken.replace(":", "-", 2)[:16] == fields["time"]
        assert bool(exif.get_ifd(0x8825)) == bool(fields["place"])
        assert place.text == fields["caption"]


def test_sound_lies_within_its_file(
    multimodal: tuple[Home, tuple[Record, ...]], tmp_path: Path
) -> None:
    home, _ = multimodal
    heard = [p for p in home.placed if p.file_path.endswith((".mp3", ".mp4"))]
    assert heard
    for number, place in enumerate(heard):
        assert isinstance(place.locator, TimeSpan)
        if number % 9 == 0:
            target = tmp_path / f"{number}.{type_of(place.file_path)}"
            target.write_bytes(home.files[place.file_path].data)
            seconds = float(read_text(target).info["duration_s"])
            assert place.locator.end_s <= seconds + 0.5


def test_names_and_folders_follow_the_habits() -> None:
    spec = MadeSpec(seed=4, months=1, multimodal=False)
    life, records = made(spec)
    homes = {}
    for tidy in (0.05, 0.95):
        habits = life.habits.model_copy(update={"tidy": tidy})
        homes[tidy] = make_home(life.model_copy(update={"habits": habits}), records, spec)
    piled, filed = homes[0.05].files, homes[0.95].files
    on_top = ("Desktop/", "Downloads/")
    assert sum(p.startswith(on_top) for p in piled) > 40
    assert not any(p.startswith(on_top) for p in filed)
    assert {p.rpartition("/")[0] for p in filed} > {"Contacts", "Archive"}


def test_no_trait_word_in_any_file(text_only: tuple[Home, Path, Life]) -> None:
    home, _, _ = text_only
    assert [p for p, file in home.files.items() if TRAIT_WORDS.search(file.data)] == []


def test_a_name_that_is_taken_gets_a_number() -> None:
    home, when = Home(), datetime(2025, 1, 1)
    paths = [home.add(path, b"x", when) for path in ("a/b.txt", "a/B.txt", "a/b.txt", "a/c", "a/c")]
    assert paths == ["a/b.txt", "a/B (2).txt", "a/b (3).txt", "a/c", "a/c (2)"]
    with pytest.raises(ValueError, match="not a path inside a profile"):
        home.add("../x", b"", when)


def test_the_contact_sheet_shows_every_kind(multimodal: tuple[Home, tuple[Record, ...]]) -> None:
    home, _ = multimodal
    kinds = {type_of(path) for path in home.files}
    sheet = contact_sheet(home, seed=1, each=2)
    assert sheet == contact_sheet(home, seed=1, each=2)
    assert sheet != contact_sheet(home, seed=2, each=2)
    assert sheet.height > 240 * len(kinds)
    colours = sheet.getcolors(1 << 24)
    assert colours is not None
    assert len(colours) > 500  # pictures and pages, not blank tiles
