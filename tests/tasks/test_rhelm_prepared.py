"""A profile as of a day is searched by a prepared folder of just its files."""

from __future__ import annotations

from pathlib import Path

import pytest
from rhelm_made_up import NAME, NOTES, question, write

from deskgym.env.prepare import Preparation, Settings
from deskgym.env.prepared import WrongPreparedFolder, find
from deskgym.tasks.rhelm import RhelmDataset
from deskgym.tasks.schema import Profile
from deskgym.tools.perceive import perceive
from deskgym.tools.search_index import query_index
from deskgym.tools.store import INDEX, PreparedProfile


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Profile, Profile]:
    """A whole profile, and what it was on 5 January 2024."""
    monkeypatch.setenv("DESKGYM_CACHE", str(tmp_path / "cache"))
    root = write(tmp_path / "rhelm", question(question_date="2024-01-05"))
    data = RhelmDataset(root, as_of="question")
    return data.profile(NAME), data.profile_for(data.tasks(NAME)[0])


def prepare(profile: Profile, scratch: Path, only: str | None = None) -> Path:
    work = Preparation(profile, Settings(ocr=None))
    for file in work.todo(only):
        draft = work.objects.draft(scratch, work.name_of(file))
        seen = perceive(profile.root / file.path, ocr=None, asr=None, keep=draft.keep)
        work.objects.finish(
            draft,
            work.name_of(file),
            path=file.path,
            sha256=file.sha256,
            key=work.key,
            info=seen.info,
            segments=seen.segments,
            notes=seen.notes,
            error=seen.error,
        )
    return work.assemble(done_now=1).folder


def hits(folder: Path | None, query: str) -> set[str]:
    assert folder is not None
    found = query_index(folder / INDEX, query, 50).info["hits"]
    assert isinstance(found, list)
    return {hit["path"] for hit in found}


def test_it_is_made_of_the_whole_profiles_folder_and_finds_nothing_later(
    people: tuple[Profile, Profile], tmp_path: Path
) -> None:
    whole, part = people
    prepared = prepare(whole, tmp_path / "cache" / "scratch")
    derived = find(part)
    assert derived is not None
    assert derived != prepared
    assert "Conversations/2024-02-01.md" in hits(prepared, "frogs again")
    assert hits(derived, "frogs again") == {f"Attachments/{NOTES}", "Conversations/2024-01-02.md"}
    assert hits(derived, "pump") == set()
    store = PreparedProfile(derived)
    assert store.manifest["profile_digest"] == part.digest
    assert {path for path, _ in store.records()} == {record.path for record in part.files}
    theirs = {(p.stat().st_ino, p.name) for p in prepared.rglob("record.json")}
    assert {(p.stat().st_ino, p.name) for p in derived.rglob("record.json")} < theirs


def test_it_is_made_once_and_again_when_more_is_prepared(
    people: tuple[Profile, Profile], tmp_path: Path
) -> None:
    whole, part = people
    scratch = tmp_path / "cache" / "scratch"
    prepare(whole, scratch, only="*.md")
    some = find(part)
    assert some is not None
    index = (some / INDEX).stat().st_ino
    assert find(part) == some
    assert (some / INDEX).stat().st_ino == index
    prepare(whole, scratch)
    assert find(part) == some  # nothing that it shows was added
    assert hits(some, "shed") == {f"Attachments/{NOTES}"}


def test_the_whole_profiles_folder_may_be_named(
    people: tuple[Profile, Profile], tmp_path: Path
) -> None:
    whole, part = people
    prepared = prepare(whole, tmp_path / "cache" / "scratch")
    assert find(whole, prepared) == prepared
    assert find(part, prepared) == find(part)
    with pytest.raises(WrongPreparedFolder):
        find(whole, find(part))


def test_without_a_prepared_whole_there_is_none(people: tuple[Profile, Profile]) -> None:
    assert find(people[1]) is None
