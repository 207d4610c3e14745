"""A desk's life: brought up, used, ended, and ended by others."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from desk_kit import Backend, check_works, run, running, shown

from deskgym.env.sandbox.base import DeskDied, PingRequest, SandboxError

pytestmark = pytest.mark.docker


def test_a_context_manager_starts_and_ends_it(backend: Backend, files: Path) -> None:
    with backend.desk(files) as desk:
        assert desk.request(PingRequest()).ok
        check_works(desk)
    with pytest.raises(DeskDied, match="not running"):
        desk.request(PingRequest())


def test_closing_is_idempotent(backend: Backend, files: Path) -> None:
    desk = backend.desk(files)
    desk.close()
    desk.start()
    desk.close()
    desk.close()
    with pytest.raises(DeskDied):
        run(desk, "true")
    with pytest.raises(DeskDied):
        desk.reset()


def test_starting_twice_is_refused_and_harms_nothing(backend: Backend, files: Path) -> None:
    with backend.desk(files) as desk:
        with pytest.raises(SandboxError, match="already running"):
            desk.start()
        check_works(desk)


def test_one_that_was_closed_can_be_started_anew(backend: Backend, files: Path) -> None:
    desk = backend.desk(files)
    for _ in range(2):
        with desk:
            assert shown(desk, "ls -A /scratch; pwd") == "output\n/desk\n"
            shown(desk, "cd /tmp; touch /scratch/x")


def test_a_request_before_the_start_is_refused(backend: Backend, files: Path) -> None:
    with pytest.raises(DeskDied, match="not running"):
        backend.desk(files).request(PingRequest())


def test_one_that_is_killed_in_the_middle_of_a_command_says_how(
    backend: Backend, files: Path
) -> None:
    with running(backend, files) as desk:
        killer = threading.Timer(0.3, backend.end, [desk])
        killer.start()
        with pytest.raises(DeskDied, match="the desk ended; exit status 137"):
            run(desk, "sleep 100", timeout_s=20)
        killer.join()
        with pytest.raises(DeskDied, match="not running"):
            run(desk, "true")


def test_one_that_is_killed_between_commands_says_so_at_the_next(
    backend: Backend, files: Path
) -> None:
    with running(backend, files) as desk:
        check_works(desk)
        backend.end(desk)
        with pytest.raises(DeskDied):
            run(desk, "true")


def test_desks_share_nothing_but_the_files(backend: Backend, files: Path) -> None:
    with running(backend, files) as one, running(backend, files) as two:
        shown(one, "touch /scratch/x /tmp/y; export A=1; cd /tmp; sleep 100 &")
        assert shown(two, "ls /tmp /scratch; echo $A; pwd; pgrep -u 1000 sleep || echo none") == (
            "/scratch:\noutput\n\n/tmp:\n\n/desk\nnone\n"
        )
        run(one, "kill -9 -1")
        check_works(two)
