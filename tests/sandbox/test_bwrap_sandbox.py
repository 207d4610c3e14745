"""What is bubblewrap's own of a desk: its limits, its seal, and how it can fail."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deskgym.env.sandbox import bwrap, cgroups, choose, images, stdio
from deskgym.env.sandbox.base import (
    CannotEnforce,
    DeskDied,
    EngineUnavailable,
    ExecRequest,
    ImageMissing,
    Response,
    SandboxError,
)
from deskgym.env.sandbox.bwrap import BwrapSandbox, why_not
from deskgym.env.sandbox.bwrap_plan import desk_plan
from deskgym.env.sandbox.cgroups import Groups, Hierarchy, hierarchies, make_groups
from deskgym.env.sandbox.guarantees import Guarantees, guarantees_of
from deskgym.env.sandbox.limits import MIB, DeskLimits
from deskgym.env.sandbox.rootfs import ensure_rootfs
from deskgym.env.sandbox.syscalls import UnknownMachine, filter_program
from deskgym.env.sandbox.users import Users
from deskgym.tasks.registry import load_dataset

pytestmark = [pytest.mark.docker, pytest.mark.usefixtures("made")]
CALL = "import ctypes; c = ctypes.CDLL(None, use_errno=True); print(c.{}, ctypes.get_errno())"
ROOT = Users(means="root")
ONE = Users(means="one", users=((0, 5, 1),), groups=((0, 5, 1),))


@pytest.fixture(scope="module")
def made() -> None:
    ensure_rootfs(say=print)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("alpha\n")
    tmp_path.chmod(0o755)
    return tmp_path


@pytest.fixture
def desk(files: Path) -> Iterator[BwrapSandbox]:
    with BwrapSandbox(files) as running:
        yield running


def run(desk: BwrapSandbox, command: str, timeout_s: float = 30.0) -> Response:
    return desk.request(ExecRequest(command=command, timeout_s=timeout_s))


def shown(desk: BwrapSandbox, command: str) -> str:
    response = run(desk, command)
    assert response.exit_status == 0, response.payload
    return response.payload.decode()


def own_groups() -> set[Path]:
    """The control groups of this process's desks."""
    mine = f"*-{os.getpid()}-*"
    return {f for place in hierarchies() for f in (place.folder / "deskgym").glob(mine)}


def test_limits_hold_the_desk_and_are_seen_in_it(files: Path) -> None:
    limits = DeskLimits(memory=128 * MIB, pids=40, cpus=0.5, scratch=2 * MIB, tmp=MIB, shm=MIB)
    with BwrapSandbox(files, limits=limits) as desk:
        assert desk.guarantees is not None
        assert desk.guarantees.missing == ()
        sizes = shown(desk, "df --output=size -B1 /scratch /tmp /dev/shm | tail -n +2")
        assert [int(size) for size in sizes.split()] == [2 * MIB, MIB, MIB]
        (group, *_) = own_groups()
        where = {name: place for place in hierarchies() for name in place.controllers}
        version = where["pids"].version
        inside = "/sys/fs/cgroup" if version == 2 else "/sys/fs/cgroup/pids"
        assert shown(desk, f"cat {inside}/pids.max") == "40\n"
        memory = "memory.max" if version == 2 else "memory.limit_in_bytes"
        folder = where["memory"].folder / "deskgym" / group.name
        assert (folder / memory).read_text().strip() == str(128 * MIB)
        assert "Read-only" in run(desk, f"echo 9 >{inside}/pids.max").payload.decode()


@pytest.mark.parametrize("mount", ["overlay", "bind"])
@pytest.mark.parametrize(
    "name", ["plain", "with space", "col:on", "back\\slash", "com,ma", "na\u00efve", '"quoted"']
)
def test_a_profile_may_lie_anywhere(tmp_path: Path, mount: Any, name: str) -> None:
    root = tmp_path / name
    root.mkdir()
    (root / "a.txt").write_text("alpha\n")
    with BwrapSandbox(root, limits=DeskLimits(profile_mount=mount)) as desk:
        assert shown(desk, "cat /desk/a.txt; ls /desk; touch /desk/x 2>&1 | grep -o Read.*") == (
            "alpha\na.txt\nRead-only file system\n"
        )
        assert run(desk, "cat a.txt").opened == ("a.txt",)
        assert desk.guarantees is not None
        assert desk.guarantees.own_openings is (mount == "overlay")
    assert [p.name for p in root.iterdir()] == ["a.txt"]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("unshare --user true", "not permitted"),
        ("unshare --net true", "not permitted"),
        ("cat /proc/keys", "Permission denied"),
        ("hostname elsewhere", "must be root"),
        ("ls /sys/firmware | wc -l", "0"),
        ("echo x >/proc/sys/kernel/core_pattern", "Read-only file system"),
        ("hostname", "desk"),
        ("cut -d: -f1 /proc/self/mountinfo | wc -l; grep -c lowerdir=/ /proc/mounts", "\n0\n"),
        ("tty; cat /dev/tty", "No such device or address"),
    ],
)
def test_what_an_engine_would_keep_from_it_is_kept(
    desk: BwrapSandbox, command: str, expected: str
) -> None:
    assert expected in run(desk, command).payload.decode()


@pytest.mark.parametrize(
    "call",
    ["mount(b'x', b'/scratch', b'tmpfs', 0, None)", "chroot(b'/tmp')", "acct(None)",
     "unshare(0x20000)", "setns(0, 0)", "syscall(451, 0)", "syscall(435, 0, 0)"],
)  # fmt: skip
def test_system_calls_that_reach_further_are_refused(desk: BwrapSandbox, call: str) -> None:
    """Not for want of a capability alone: what is unknown is answered with "no such call"."""
    script = CALL.format(call)
    number = "38" if call.startswith("syscall") else "1"
    assert shown(desk, f'python3 -c "{script}"') == f"-1 {number}\n"


def test_the_runner_has_three_capabilities_and_cannot_have_more(desk: BwrapSandbox) -> None:
    status = Path(f"/proc/{desk.runner_pid}/status").read_text()
    sets = dict(line.split(":\t") for line in status.splitlines() if line.startswith("Cap"))
    assert {name: int(value, 16) for name, value in sets.items()} == {
        "CapInh": 0, "CapPrm": 0xE0, "CapEff": 0xE0, "CapBnd": 0xE0, "CapAmb": 0,
    }  # fmt: skip


def test_nothing_of_the_owners_process_is_passed_on(desk: BwrapSandbox) -> None:
    folder = Path(f"/proc/{desk.runner_pid}")
    names = {word.split("=")[0] for word in (folder / "environ").read_text().split("\0") if word}
    assert names <= {"PATH", "HOME", "TZ", "LANG", "PYTHONDONTWRITEBYTECODE", "PWD"}
    targets = [str(fd.readlink()) for fd in (folder / "fd").iterdir()]
    ours = [target for target in targets if target.startswith("/") and "inotify" not in target]
    assert [name for name in ours if name != "/dev/null" and "/sys/fs/cgroup/" not in name] == []


def test_the_program_that_launches_it_is_told_no_gold(files: Path) -> None:
    person = load_dataset("demo").profile("adam")
    rootfs = ensure_rootfs()
    plan = desk_plan(rootfs, person.root, DeskLimits(), ROOT, Groups({}), prepared=None, info=9)
    text = repr(plan)
    for task in load_dataset("demo").tasks("adam"):
        secrets = {task.id, task.question, *(e.text for e in task.evidence)}
        assert [secret for secret in secrets if secret in text] == []


def test_a_profile_that_is_not_there_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    before = own_groups()
    with pytest.raises(SandboxError, match="refused to start a desk: there is no folder"):
        BwrapSandbox(tmp_path / "nowhere").start()
    assert own_groups() == before


def test_what_cannot_be_launched_says_why_and_leaves_nothing(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bwrap, "desk_plan", lambda *a, **k: {"argv": ["bwrap", "--no-such-word"]})
    before = own_groups()
    with pytest.raises(SandboxError, match="Unknown option --no-such-word"):
        BwrapSandbox(files).start()
    assert own_groups() == before


def test_a_missing_root_file_system_names_the_command_that_builds_it(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(images, "ENGINES", ())
    monkeypatch.setenv("DESKGYM_CACHE", str(files / "empty"))
    with pytest.raises(ImageMissing, match="deskgym image build --rootfs"):
        BwrapSandbox(files).start()


def test_without_bubblewrap_the_remedy_is_named(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    why_not.cache_clear()
    try:
        with pytest.raises(EngineUnavailable, match="apt-get install bubblewrap"):
            BwrapSandbox(files).start()
    finally:
        monkeypatch.undo()
        why_not.cache_clear()


@pytest.mark.parametrize(
    ("values", "remedy"),
    [
        ({"kernel/unprivileged_userns_clone": "0"}, "sysctl -w kernel.unprivileged_userns_clone=1"),
        ({"kernel/apparmor_restrict_unprivileged_userns": "1", "user/max_user_namespaces": "9"},
         "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"),
        ({"kernel/unprivileged_userns_clone": "1"}, None),
    ],
)  # fmt: skip
def test_a_setting_that_keeps_users_from_namespaces_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, values: dict[str, str], remedy: str | None
) -> None:
    for name, value in values.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"{value}\n")
    monkeypatch.setattr(os, "geteuid", lambda: 12_345)
    said = bwrap._switched_off(tmp_path)
    assert said == "" if remedy is None else said.endswith(remedy)


def test_it_is_gone_with_its_groups_when_closed(files: Path) -> None:
    before = own_groups()
    desk = BwrapSandbox(files)
    desk.start()
    runner = desk.runner_pid
    assert runner is not None
    run(desk, "sleep 300 &")
    assert len(own_groups()) > len(before)
    desk.close()
    assert not Path(f"/proc/{runner}").exists()
    assert own_groups() == before


def test_another_thread_may_close_it_in_the_middle_of_a_command(desk: BwrapSandbox) -> None:
    closer = threading.Timer(0.3, desk.close)
    closer.start()
    with pytest.raises(DeskDied):
        run(desk, "sleep 100")
    closer.join()


def test_the_thread_that_starts_it_may_end_before_it_does(files: Path) -> None:
    desk = BwrapSandbox(files)
    starter = threading.Thread(target=desk.start)
    starter.start()
    starter.join()
    time.sleep(0.2)  # for the kernel to end it, if it were to
    with contextlib.closing(desk):
        assert shown(desk, "echo on") == "on\n"


def test_when_bubblewrap_itself_is_killed_closing_still_ends_the_desk(files: Path) -> None:
    desk = BwrapSandbox(files)
    desk.start()
    runner = desk.runner_pid
    run(desk, "true")
    parent = int(Path(f"/proc/{runner}/stat").read_text().rpartition(")")[2].split()[1])
    os.kill(parent, signal.SIGKILL)
    desk.close()
    with contextlib.suppress(FileNotFoundError):  # or nobody has taken note of its end yet
        assert "State:\tZ" in Path(f"/proc/{runner}/status").read_text()


def test_a_command_can_be_ended_from_outside(desk: BwrapSandbox) -> None:
    ender = threading.Timer(0.3, desk.end_commands)
    ender.start()
    response = run(desk, "sleep 100", timeout_s=60)
    ender.join()
    assert response.exit_status == 137
    assert shown(desk, "echo on") == "on\n"


# -- what is stated ----------------------------------------------------------------------------


def groups(*held: str) -> Groups:
    return Groups({name: Path("/nowhere") for name in held})


@pytest.mark.parametrize(
    ("users", "held", "mount", "expected", "lacking"),
    [
        (ROOT, ("memory", "pids", "cpu"), "overlay", (True, "desk", "desk", True, True), []),
        (ROOT, (), "overlay", (True, "process", "none", False, True),
         ["memory", "number of processes", "processors"]),
        (ONE, (), "bind", (False, "process", "user", False, False),
         ["one user", "memory", "processors", "opened in other desks"]),
    ],
)  # fmt: skip
def test_what_a_desk_lacks_is_stated_with_its_remedy(
    users: Users, held: tuple[str, ...], mount: Any, expected: tuple[Any, ...], lacking: list[str]
) -> None:
    stated = guarantees_of(DeskLimits(profile_mount=mount), users, groups(*held))
    assert tuple(stated.model_dump().values()) == expected
    assert len(stated.missing) == len(lacking)
    for word, text in zip(lacking, stated.missing, strict=True):
        assert word in text
        assert ": " in text


def test_without_control_groups_limits_are_set_by_the_process(files: Path) -> None:
    plan = desk_plan(
        ensure_rootfs(), files, DeskLimits(memory=2048 * MIB, pids=50), ONE, Groups({}),
        prepared=None, info=9,
    )  # fmt: skip
    assert plan["rlimits"]["AS"] == [2048 * MIB, 2048 * MIB]
    assert plan["rlimits"]["NPROC"] == [50, 50]
    assert plan["cgroups"] == []


def test_a_run_without_control_groups_says_so(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bwrap, "make_groups", lambda limits: Groups({}))
    with BwrapSandbox(files) as desk:
        stated = desk.guarantees
        assert shown(desk, "ulimit -v; cat a.txt") == f"{1024 * 1024}\nalpha\n"
    assert isinstance(stated, Guarantees)
    assert (stated.memory, stated.pids, stated.cpus) == ("process", "none", False)


def test_groups_that_cannot_be_made_are_not_held(tmp_path: Path) -> None:
    place = Hierarchy(tmp_path / "missing", 1, frozenset({"memory", "pids"}))
    assert make_groups(DeskLimits(), [place]).held == frozenset()


@pytest.mark.parametrize("version", [1, 2])
def test_groups_of_either_version_are_set_to_the_limits(version: int) -> None:
    limits = DeskLimits(memory=128 * MIB, pids=40, cpus=0.5)
    files = {k: v for c in cgroups.CONTROLLERS for k, v in
             cgroups.settings_of(c, version, limits).items()}  # fmt: skip
    assert files["pids.max"] == "40"
    if version == 2:
        assert files["memory.max"] == str(128 * MIB)
        assert files["memory.swap.max?"] == "0"
        assert files["cpu.max"] == "50000 100000"
    else:
        assert files["memory.limit_in_bytes"] == files["memory.memsw.limit_in_bytes?"]
        assert int(files["cpu.cfs_quota_us"]) / int(files["cpu.cfs_period_us"]) == 0.5


def test_groups_of_the_dead_are_swept_and_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroups, "_PARENT", f"deskgym-test-{os.getpid()}")  # others sweep, too
    dead = subprocess.Popen(["true"])
    dead.wait()
    mine = make_groups(DeskLimits())
    theirs = {}
    for name, folder in mine.folders.items():
        space, _, start, rest = folder.name.split("-")
        theirs[name] = folder.with_name(f"{space}-{dead.pid}-{start}-{rest}")
        theirs[name].mkdir()
    assert theirs
    removed = " ".join(cgroups.sweep_groups())
    for name, folder in theirs.items():
        assert str(folder) in removed
        assert not folder.exists()
        assert mine.folders[name].exists()
    mine.remove()
    assert not any(folder.exists() for folder in mine.folders.values())
    for parent in {folder.parent for folder in mine.folders.values()}:
        parent.rmdir()


# -- the filter and the choice -----------------------------------------------------------------


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_every_jump_of_the_filter_stays_within_it(machine: str) -> None:
    import struct

    steps = list(struct.iter_unpack("=HBBI", filter_program(machine)))
    assert 50 < len(steps) < 250
    for at, (_, yes, no, _) in enumerate(steps):
        assert at + 1 + max(yes, no) <= len(steps) - (0 if (yes or no) == 0 else 1)
    assert steps[-3][0] == steps[-2][0] == steps[-1][0] == 0x06


def test_a_machine_without_a_list_of_calls_is_refused() -> None:
    with pytest.raises(UnknownMachine, match="riscv64"):
        filter_program("riscv64")


@pytest.mark.parametrize(("kind", "made"), [("docker", "DockerSandbox"), ("bwrap", "BwrapSandbox")])
def test_a_desk_is_made_of_the_kind_that_is_named(kind: str, made: str) -> None:
    desk = choose.make_desk(load_dataset("demo").profile("adam"), sandbox=kind)
    assert type(desk).__name__ == made


def test_auto_takes_an_engine_and_without_one_bubblewrap(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert choose.resolve_kind("auto") == "docker"
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    assert choose.resolve_kind("auto") == "bwrap"
    monkeypatch.setattr(bwrap, "why_not", lambda: "no namespaces for you")
    with pytest.raises(EngineUnavailable, match=r"(?s)none\.sock.*no namespaces for you"):
        choose.resolve_kind("auto")


def test_an_unknown_sandbox_is_named_with_those_that_there_are() -> None:
    with pytest.raises(ValueError, match="'podman'; there are auto, docker, bwrap"):
        choose.resolve_kind("podman")


def test_a_desk_with_one_user_refuses_switches_before_it_is_asked(
    desk: BwrapSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.separate = False
    with pytest.raises(CannotEnforce, match="read_text"):
        desk.configure("Ann", (), ("terminal", "list_files"))
    assert stdio.SEPARATION_REMEDY.startswith("run it as root")
