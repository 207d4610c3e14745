"""`deskgym datasets fetch`, from a hub on loopback that fails as told."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
from collections import namedtuple
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hub_stand_in import StandIn, serving
from typer.testing import CliRunner, Result

from deskgym import datasets_hub
from deskgym.cli import datasets as command
from deskgym.cli.main import app, exit_status
from deskgym.datasets_choice import NoSubset
from deskgym.datasets_fetch import PARTS
from deskgym.datasets_hub import (
    BadListing,
    HubMissing,
    HubUnavailable,
    NoSpace,
    WrongContent,
)
from deskgym.tasks.locations import dataset_folder, default_folder
from deskgym.tasks.registry import UnknownProfile

BIG = "Adam/Fullset/Adam/film.mp4"
SMALL = "Adam/Fullset/Adam/notes.txt"
HIPPOCAMP = {
    "README.md": b"about",
    "LICENSE": b"terms",
    SMALL: b"notes",
    BIG: bytes(range(256)) * 8_000,
    "Adam/Fullset/Adam/empty.log": b"",
    "Adam/Fullset/Adam.json": b"[]",
    "Adam/Fullset/Adam_files.xlsx": b"sheet",
    "Adam/Subset/Adam_Subset/one.txt": b"one",
    "Adam/Subset/Adam_Subset.json": b"[]",
    "Bei/Fullset/Bei/b.txt": b"b",
    "Bei/Fullset/Bei.json": b"[]",
    "HippoCamp_Gold/Adam/a.json": b"{}",
    "HippoCamp_Gold/Bei/b.json": b"{}",
}
RHELM = {
    "README.md": b"about",
    "QA_final/low_score_qa_David_Reyes_all_validated.jsonl": b"1",
    "QA_final/low_score_qa_Dr._Elena_Markovic_all_validated.jsonl": b"2",
    "conversations/David_Reyes/1.txt": b"3",
    "conversations/Dr._Elena_Markovic/1.txt": b"4",
    "emails/David_Reyes/1.json": b"5",
    "attachments/Dr._Elena_Markovic/x.md": b"6",
}
ADAM = {p for p in HIPPOCAMP if p.startswith(("Adam/Fullset", "HippoCamp_Gold/Adam"))}
BEI = {p for p in HIPPOCAMP if p.startswith(("Bei/Fullset", "HippoCamp_Gold/Bei"))}
ADAM_SUBSET = {p for p in HIPPOCAMP if p.startswith(("Adam/Subset", "HippoCamp_Gold/Adam"))}
TOP = {"README.md", "LICENSE"}
PIECE = 1 << 16  # what is written at a time


@pytest.fixture(autouse=True)
def _own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKGYM_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("DESKGYM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(datasets_hub, "PAUSES_S", (0.0, 0.0, 0.0))


def hub_of(repo: str, files: dict[str, bytes], large: set[str]) -> StandIn:
    return StandIn(repo, dict(files), large=set(large))


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    """The hub with a small HippoCamp in the published layout."""
    with serving(hub_of("MMMem-org/HippoCamp", HIPPOCAMP, {BIG})) as running:
        monkeypatch.setenv("HF_ENDPOINT", running.url)
        yield running


def invoke(*arguments: str, keys: str | None = None) -> Result:
    return CliRunner().invoke(app, ["datasets", *arguments], input=keys)


def fetch(*arguments: str) -> Result:
    return invoke("fetch", "hippocamp", "--yes", *arguments)


def error_of(result: Result) -> Exception:
    assert isinstance(result.exception, Exception), result.output
    return result.exception


def lying(folder: Path) -> set[str]:
    return {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}


class TestFetching:
    def test_what_was_chosen_lies_in_the_cache_whole_and_readable_to_all(
        self, hub: StandIn
    ) -> None:
        result = fetch("--profile", "adam", "--json")
        assert result.exit_code == 0, result.output
        folder = default_folder("hippocamp")
        assert lying(folder) == ADAM | TOP
        for path in ADAM | TOP:
            assert (folder / path).read_bytes() == HIPPOCAMP[path]
            assert (folder / path).stat().st_mode & 0o777 == 0o644
        done = json.loads(result.stdout)
        assert done["fetched_files"] == done["files"] == len(ADAM | TOP)
        assert done["bytes"] == sum(len(HIPPOCAMP[path]) for path in ADAM | TOP)

    def test_a_second_time_nothing_is_fetched(self, hub: StandIn) -> None:
        fetch()
        hub.requests.clear()
        result = fetch("--json")
        assert hub.fetched() == set()
        assert json.loads(result.stdout)["fetched_files"] == 0

    def test_a_file_that_was_changed_here_is_fetched_again(self, hub: StandIn) -> None:
        fetch()
        changed = [default_folder("hippocamp") / path for path in (BIG, SMALL)]
        for file in changed:
            file.write_bytes(b"x" * file.stat().st_size)
        hub.requests.clear()
        assert fetch().exit_code == 0
        assert hub.fetched() == {BIG, SMALL}
        assert [f.read_bytes() for f in changed] == [HIPPOCAMP[BIG], HIPPOCAMP[SMALL]]

    def test_a_folder_of_ones_own_is_noted(self, hub: StandIn, tmp_path: Path) -> None:
        fetch("--dir", str(tmp_path / "mine"), "--profile", "bei")
        assert lying(tmp_path / "mine") == BEI | TOP
        assert dataset_folder("hippocamp") == tmp_path / "mine"
        fetch("--profile", "adam")
        assert lying(tmp_path / "mine") == ADAM | BEI | TOP


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), ADAM | BEI | TOP),
        (("--profile", "adam"), ADAM | TOP),
        (("--profile", "hippocamp/Bei"), BEI | TOP),
        (("--profile", "adam", "--subset"), ADAM_SUBSET | TOP),
        (("--profile", "adam_subset"), ADAM_SUBSET | TOP),
        (("--subset",), ADAM_SUBSET | TOP | {"HippoCamp_Gold/Bei/b.json"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_hippocamp_is_chosen_by_person_and_scope(
    hub: StandIn, options: tuple[str, ...], expected: set[str]
) -> None:
    result = fetch(*options)
    assert result.exit_code == 0, result.output
    assert lying(default_folder("hippocamp")) == expected
    assert hub.fetched() == expected


@pytest.mark.parametrize(
    ("profile", "names"),
    [(None, ("Reyes", "Markovic")), ("david_reyes", ("Reyes",)), ("dr_elena_markovic", ("Mar",))],
)
def test_rhelm_is_chosen_by_the_names_of_folders(
    monkeypatch: pytest.MonkeyPatch, profile: str | None, names: tuple[str, ...]
) -> None:
    with serving(hub_of("microsoft/RHELM", RHELM, set())) as running:
        monkeypatch.setenv("HF_ENDPOINT", running.url)
        options = ("--profile", profile) if profile else ()
        assert invoke("fetch", "rhelm", "--yes", *options).exit_code == 0
        expected = {p for p in RHELM if "/" not in p or any(name in p for name in names)}
        assert lying(default_folder("rhelm")) == expected
        assert isinstance(error_of(invoke("fetch", "rhelm", "--yes", "--subset")), NoSubset)


def test_an_unknown_person_is_answered_with_those_near(hub: StandIn) -> None:
    error = error_of(fetch("--profile", "adm"))
    assert isinstance(error, UnknownProfile)
    assert "did you mean 'adam'" in str(error)
    assert hub.fetched() == set()


class TestBreaks:
    def test_a_cut_connection_is_gone_on_with_where_it_was(self, hub: StandIn) -> None:
        hub.cut_after[BIG] = [10 * PIECE, 5 * PIECE]
        assert fetch().exit_code == 0
        assert hub.asked(BIG) == [None, f"bytes={10 * PIECE}-", f"bytes={15 * PIECE}-"]
        assert (default_folder("hippocamp") / BIG).read_bytes() == HIPPOCAMP[BIG]

    def test_a_later_command_goes_on_where_an_earlier_one_gave_up(self, hub: StandIn) -> None:
        hub.cut_after[BIG] = [8 * PIECE, 0, 0, 0, 0]
        error = error_of(fetch())
        assert isinstance(error, HubUnavailable)
        assert BIG in str(error)
        assert "goes on" in str(error)
        assert not (default_folder("hippocamp") / BIG).exists()
        hub.requests.clear()
        hub.cut_after.clear()
        assert fetch().exit_code == 0
        assert hub.asked(BIG) == [f"bytes={8 * PIECE}-"]
        assert (default_folder("hippocamp") / BIG).read_bytes() == HIPPOCAMP[BIG]
        assert not (default_folder("hippocamp") / PARTS).exists()

    def test_a_server_without_ranges_begins_anew(self, hub: StandIn) -> None:
        hub.ignore_ranges = True
        hub.cut_after[BIG] = [8 * PIECE]
        assert fetch().exit_code == 0
        assert hub.asked(BIG) == [None, f"bytes={8 * PIECE}-"]
        assert (default_folder("hippocamp") / BIG).read_bytes() == HIPPOCAMP[BIG]

    def test_ctrl_c_leaves_what_is_whole_and_says_so(self, hub: StandIn) -> None:
        hub.stall_after[BIG] = 400_000
        run = subprocess.Popen(
            [sys.executable, "-m", "deskgym", "datasets", "fetch", "hippocamp", "--yes"],
            env=os.environ | {"HF_ENDPOINT": hub.url},
            stderr=subprocess.PIPE,
            text=True,
        )
        assert hub.stalled.wait(60)
        run.send_signal(signal.SIGINT)
        _, said = run.communicate(timeout=60)
        assert run.returncode == 1
        assert "Traceback" not in said
        assert "The same command goes on" in said
        assert SMALL in lying(default_folder("hippocamp"))
        hub.go_on.set()
        hub.requests.clear()
        assert fetch().exit_code == 0
        (span,) = hub.asked(BIG)
        assert span in (None, *(f"bytes={n * PIECE}-" for n in range(1, 7)))  # as far as it was
        assert hub.fetched().isdisjoint({SMALL, "README.md"})
        assert (default_folder("hippocamp") / BIG).read_bytes() == HIPPOCAMP[BIG]

    @pytest.mark.parametrize("what", ["list", SMALL, BIG])
    def test_what_passes_is_waited_for(self, hub: StandIn, what: str) -> None:
        hub.statuses[what] = [503, 429]
        assert fetch().exit_code == 0

    @pytest.mark.parametrize(
        ("status", "remedy"), [(401, "log in"), (403, "ask for access"), (404, "does not give")]
    )
    @pytest.mark.parametrize("what", ["list", SMALL])
    def test_a_refusal_is_told_at_once(
        self, hub: StandIn, what: str, status: int, remedy: str
    ) -> None:
        hub.statuses[what] = [status]
        error = error_of(fetch())
        assert isinstance(error, HubUnavailable)
        assert remedy in str(error)
        assert [r.path for r in hub.requests].count(what) == 1

    def test_no_hub_at_all_is_one_clear_message(
        self, hub: StandIn, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
        error = error_of(fetch())
        assert isinstance(error, HubUnavailable)
        assert "after 4 tries" in str(error)
        assert exit_status(error) == 1

    def test_two_fetches_at_once_do_not_mix(self, hub: StandIn) -> None:
        import fcntl

        parts = default_folder("hippocamp") / PARTS
        parts.mkdir(parents=True)
        with (parts / "lock").open("wb") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            assert "another process" in str(error_of(fetch()))


class TestWrongContent:
    @pytest.mark.parametrize("path", [BIG, SMALL], ids=["sha256", "git blob"])
    @pytest.mark.parametrize("change", ["other", "longer"])
    def test_is_deleted_and_named_and_the_rest_is_whole(
        self, hub: StandIn, path: str, change: str
    ) -> None:
        right = HIPPOCAMP[path]
        hub.served_as[path] = right[::-1] if change == "other" else right + b"more"
        error = error_of(fetch())
        assert isinstance(error, WrongContent)
        assert path in str(error)
        assert "Run the same command again" in str(error)
        folder = default_folder("hippocamp")
        assert lying(folder) - {f"{PARTS}/lock"} == (ADAM | BEI | TOP) - {path}
        hub.served_as.clear()
        hub.requests.clear()
        assert fetch().exit_code == 0
        assert hub.fetched() == {path}
        assert (folder / path).read_bytes() == right


class TestSpace:
    def test_too_little_is_told_before_anything_is_fetched(
        self, hub: StandIn, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        usage = namedtuple("usage", "total used free")
        monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(10**9, 10**9, 1_500_000))
        error = error_of(fetch())
        assert isinstance(error, NoSpace)
        for part in ("2.0 MB", "1.5 MB", str(default_folder("hippocamp"))):
            assert part in str(error)
        assert hub.fetched() == set()
        assert not default_folder("hippocamp").exists()

    def test_what_is_here_needs_no_space(
        self, hub: StandIn, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        fetch()
        usage = namedtuple("usage", "total used free")
        monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(10**9, 10**9, 0))
        assert fetch().exit_code == 0

    def test_a_disk_that_fills_up_is_told_and_gone_on_with(
        self, hub: StandIn, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        folder = default_folder("hippocamp")

        class Full:
            def __enter__(self) -> Full:
                return self

            def __exit__(self, *of: object) -> None:
                return

            def write(self, data: bytes) -> int:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        real = Path.open

        def fills_up(path: Path, mode: str = "r", *args: Any, **options: Any) -> Any:
            if path.suffix == ".part" and mode in ("wb", "ab") and (folder / SMALL).exists():
                return Full()
            return real(path, mode, *args, **options)

        with monkeypatch.context() as full:
            full.setattr(Path, "open", fills_up)
            error = error_of(fetch())
        assert isinstance(error, NoSpace)
        assert str(folder) in str(error)
        assert SMALL in lying(folder)
        assert fetch().exit_code == 0


@pytest.mark.parametrize(
    "name", ["../x", "/etc/x", "Adam/../../x", "Adam//x", "./x", f"{PARTS}/x", "", "a\0b"]
)
def test_a_list_that_names_files_outside_is_refused(hub: StandIn, name: str) -> None:
    hub.listed.append(name)
    error = error_of(fetch())
    assert isinstance(error, BadListing)
    assert "nothing was fetched" in str(error)
    assert hub.fetched() == set()


class TestAsking:
    @pytest.fixture(autouse=True)
    def _terminal(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(command, "_may_ask", lambda: True)

    @pytest.mark.parametrize("keys", ["n\n", "\n"])
    def test_a_no_fetches_nothing(self, hub: StandIn, keys: str) -> None:
        result = invoke("fetch", "hippocamp", keys=keys)
        assert result.exit_code == 1
        assert "HippoCamp Research License" in result.stderr
        assert "11 files, 2.0 MB" in result.stderr
        assert "nothing was fetched" in result.stderr
        assert hub.fetched() == set()

    def test_a_yes_does(self, hub: StandIn) -> None:
        assert invoke("fetch", "hippocamp", "--profile", "bei", keys="y\n").exit_code == 0
        assert hub.fetched() == BEI | TOP
        again = invoke("fetch", "hippocamp", "--profile", "bei", keys="n\n")
        assert "here already: 5 files, 15 B; to fetch: 0 B" in again.stderr


def test_without_a_terminal_it_takes_a_yes_beforehand(hub: StandIn) -> None:
    result = invoke("fetch", "hippocamp")
    assert result.exit_code == 2
    assert "--yes" in result.output
    assert hub.requests == []


def test_without_the_hubs_library_the_extra_is_named(
    hub: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    error = error_of(fetch())
    assert isinstance(error, HubMissing)
    assert "pip install 'deskgym[hub]'" in str(error)
