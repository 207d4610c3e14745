"""The pool on real desks: nothing of one holder reaches the next, and none outlives its process."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from docker import DockerClient

import deskgym
from deskgym.env.pool import DeskPool, PooledDesk, PoolFull, process_pool
from deskgym.env.sandbox import sweep
from deskgym.env.sandbox.base import DeskDied, EngineUnavailable, ExecRequest, ToolRequest
from deskgym.env.sandbox.docker import DockerSandbox
from deskgym.tasks.registry import load_dataset

pytestmark = [pytest.mark.docker, pytest.mark.usefixtures("desk_image")]

ADAM, BEI = (load_dataset("demo").profile(name) for name in ("adam", "bei"))
BOUND_S = 10.0
ECHO = {"tool": "terminal", "command": "echo hi"}


@pytest.fixture
def pool() -> Iterator[DeskPool]:
    with DeskPool(sandbox="docker", max_desks=6, check_s=0.5) as made:
        yield made


def containers(client: DockerClient, owner: int) -> list[str]:
    """The desks of a process, in whatever state."""
    label = f"{sweep.OWNER_PID}={owner}"
    found = client.containers.list(all=True, filters={"label": label}, ignore_removed=True)
    return [str(each.id) for each in found]


def check_gone(client: DockerClient, owner: int) -> None:
    deadline = time.monotonic() + BOUND_S
    while left := containers(client, owner):
        assert time.monotonic() < deadline, f"still there: {left}"
        time.sleep(0.05)


def container(desk: PooledDesk) -> str:
    assert isinstance(desk.carrier, DockerSandbox)
    assert desk.carrier.container_id is not None
    return desk.carrier.container_id


def shown(desk: PooledDesk, command: str) -> str:
    return desk.request(ExecRequest(command=command)).payload.decode().strip()


# -- from hand to hand -----------------------------------------------------------------------------


def test_the_next_holder_finds_the_desk_as_new(pool: DeskPool) -> None:
    with pool.desk(ADAM) as first:
        records = tuple(record.model_dump(mode="json") for record in ADAM.files)
        first.configure("Adam", records, ("metadata", "list_files"))
        assert first.request(ToolRequest(tool="list_files", args={})).ok
        shown(first, "echo secret > /scratch/s; cd /tmp; export S=secret; (sleep 100 &)")
        used = container(first)
    with pool.desk(ADAM) as second:
        assert container(second) == used
        look = "cat /scratch/s; echo $S; pwd; pgrep -u 1000 sleep; ls /desk | head -1"
        assert shown(second, f"{{ {look}; }} 2>/dev/null") == "/desk\n00_Inbox"
        refused = second.request(ToolRequest(tool="list_files", args={}))
        assert refused.error is not None
        assert refused.error.kind == "switched_off", "nothing is on until it is configured"


def test_one_killed_while_idle_is_replaced(pool: DeskPool, docker_client: DockerClient) -> None:
    pool.warm(ADAM, 1, wait=True)
    with pool.desk(ADAM) as desk:
        first = container(desk)
    docker_client.api.kill(first)
    deadline = time.monotonic() + 30
    while True:
        with pool.desk(ADAM) as desk:
            try:
                assert shown(desk, "echo hi") == "hi"
                assert container(desk) != first
                break
            except DeskDied:  # it was thought well a moment ago
                assert time.monotonic() < deadline
    while pool.stats().replaced < 1:  # found out in the background
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_many_threads_take_close_and_kill(pool: DeskPool, docker_client: DockerClient) -> None:
    """16 threads, at most 6 desks: each holder's words come back to that holder alone."""

    def work(seed: int) -> int:
        draw = random.Random(seed)
        right = 0
        for number in range(4):
            person = draw.choice((ADAM, BEI))
            word = f"{seed}-{number}"
            desk = pool.desk(person)
            desk.start()
            try:
                assert shown(desk, "ls -A /scratch/mine 2>/dev/null") == ""
                assert shown(desk, f"echo {word} > /scratch/mine; cat /scratch/mine") == word
                here = shown(desk, "ls /desk").split("\n")
                assert set(here) == {record.path.partition("/")[0] for record in person.files}
                right += 1
                if draw.random() < 0.3:
                    docker_client.api.kill(container(desk))
            finally:
                closers = [threading.Thread(target=desk.close) for _ in range(2)]
                for closer in closers:
                    closer.start()
                for closer in closers:
                    closer.join()
            assert pool.stats().total <= 6
        return right

    with ThreadPoolExecutor(16) as threads:
        assert sum(threads.map(work, range(16))) == 64
    assert (pool.stats().in_use, pool.stats().waiting) == (0, 0)


def test_a_desk_closed_from_another_thread_in_a_command(pool: DeskPool) -> None:
    desk = pool.desk(ADAM)
    desk.start()
    with ThreadPoolExecutor(1) as threads:
        command = threads.submit(shown, desk, "echo begun > /scratch/begun; sleep 100")
        while not desk._busy.locked():
            time.sleep(0.01)
        desk.close()
        assert isinstance(command.exception(timeout=30), DeskDied)
    with pool.desk(ADAM) as other:
        assert shown(other, "ls /scratch/begun 2>/dev/null") == ""


# -- environments ----------------------------------------------------------------------------------


def test_another_person_s_desk_waits_for_its_person_to_return(docker_client: DockerClient) -> None:
    env = deskgym.make()
    env.reset(profile="adam")
    env.step({"tool": "terminal", "command": "echo left > /scratch/left"})
    first = container(env._desk)  # type: ignore[arg-type]
    env.reset(profile="bei")
    assert container(env._desk) != first  # type: ignore[arg-type]
    env.reset(profile="adam")
    assert container(env._desk) == first  # type: ignore[arg-type]
    assert env.step({"tool": "terminal", "command": "cat /scratch/left"})[4]["exit_status"] == 1
    env.close()
    assert process_pool().stats().total == 0


def test_with_the_last_environment_closed_no_desk_is_left(docker_client: DockerClient) -> None:
    envs = [deskgym.make(profile=name) for name in ("adam", "bei", "adam")]
    for env in envs:
        env.reset(seed=0)
    ids = [container(env._desk) for env in envs]  # type: ignore[arg-type]
    for env in envs:
        env.close()
        env.close()
    left = {each.id for each in docker_client.containers.list(all=True, ignore_removed=True)}
    assert left.isdisjoint(ids)


def test_an_environment_on_a_pool_that_is_full() -> None:
    with DeskPool(max_desks=1, wait_s=0) as pool:
        first = deskgym.make(profile="adam", sandbox=pool.desk)
        second = deskgym.make(profile="adam", sandbox=pool.desk)
        first.reset(seed=0)
        with pytest.raises(PoolFull, match="at most 1; raise max_desks"):
            second.reset(seed=0)
        first.close()
        second.reset(seed=0)
        assert second.step(ECHO)[0]["text"] == "hi\n"
        second.close()


def test_an_environment_whose_pool_is_closed_says_that_its_desk_is_gone() -> None:
    env = deskgym.make(profile="adam")
    env.reset(seed=0)
    process_pool().close()
    with pytest.raises(DeskDied):
        env.step(ECHO)
    env.reset(seed=0)  # from the pool that the process has now
    assert env.step(ECHO)[0]["text"] == "hi\n"
    env.close()


def test_no_engine_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "tcp://127.0.0.1:1")
    env = deskgym.make(profile="adam", sandbox="docker")
    with pytest.raises(EngineUnavailable, match="no container engine answers"):
        env.reset(seed=0)
    env.close()


# -- the process's end -----------------------------------------------------------------------------

OWNER = """
import os, signal, sys, threading, time
import deskgym
from deskgym.env.pool import DeskPool, process_pool
from deskgym.env.sandbox.base import ExecRequest
from deskgym.tasks.registry import load_dataset

adam = load_dataset("demo").profile("adam")
def say(word):
    print(word, flush=True)
def desk():
    env = deskgym.make(profile="adam", max_steps=1_000_000)
    env.reset(seed=0)
    return env
def works(env):
    return env.step({"tool": "terminal", "command": "echo hi"})[0]["text"] == "hi\\n"
"""


def run(program: str) -> subprocess.Popen[str]:
    child = subprocess.Popen(
        [sys.executable, "-c", OWNER + program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parent,
    )
    assert child.stdout is not None
    assert child.stderr is not None
    line = child.stdout.readline()
    assert line == "ready\n", (line, child.stderr.read())
    return child


def ended(child: subprocess.Popen[str]) -> tuple[int, str, str]:
    assert child.stdout is not None
    assert child.stderr is not None
    with child, child.stdout as out, child.stderr as err:
        said = out.read(), err.read()  # all of it is short
    return child.returncode, *said


@pytest.mark.parametrize(
    ("end", "status"),
    [
        ("", 0),
        ("sys.exit(3)", 3),
        ("raise RuntimeError('oops')", 1),
        ("os.kill(os.getpid(), signal.SIGTERM); time.sleep(100)", -signal.SIGTERM),
        ("os.kill(os.getpid(), signal.SIGINT); time.sleep(100)", -signal.SIGINT),
        ("os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL),
        ("threading.Thread(target=works, args=(env,)).start(); sys.exit(0)", 0),
    ],
)
def test_none_outlives_its_process(docker_client: DockerClient, end: str, status: int) -> None:
    child = run(f"env = desk(); process_pool().warm(adam, 2, wait=True); say('ready')\n{end}")
    assert ended(child)[0] == status
    check_gone(docker_client, child.pid)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("where", ["background", "main thread"])
def test_a_signal_in_the_midst_of_starts(
    docker_client: DockerClient, number: signal.Signals, where: str
) -> None:
    """Also no container is left that was created and never started."""
    begin = "process_pool().warm(adam, 8)"
    if where == "main thread":
        begin = "threading.Timer(0.05, say, ['now']).start(); env = desk()"
    child = run(f"say('ready')\n{begin}\ntime.sleep(100)")
    time.sleep(random.Random(number).uniform(0.1, 0.4))
    child.send_signal(number)
    assert ended(child)[0] == -number
    check_gone(docker_client, child.pid)


def test_who_is_at_work_when_a_signal_comes_is_not_told_that_the_desk_died(
    docker_client: DockerClient,
) -> None:
    """It would go into the log as a failure, which a run that is resumed does not try again."""
    child = run(
        "def play():\n"
        "    env = desk()\n"
        "    try:\n"
        "        while works(env): pass\n"
        "    except BaseException as error: say(repr(error))\n"
        "threading.Thread(target=play, daemon=True).start()\n"
        "while not process_pool().stats().in_use: time.sleep(0.01)\n"
        "process_pool().warm(adam, 4)\n"
        "say('ready'); time.sleep(100)"
    )
    child.send_signal(signal.SIGTERM)
    status, out, _ = ended(child)
    assert (status, out) == (-signal.SIGTERM, "")
    check_gone(docker_client, child.pid)


def test_two_signals_end_it_at_once(docker_client: DockerClient) -> None:
    child = run(
        "from deskgym.env import pool_process\n"
        "pool_process._wind_down = lambda: (say('closing'), time.sleep(100))\n"
        "env = desk(); say('ready'); time.sleep(100)"
    )
    child.send_signal(signal.SIGTERM)
    assert child.stdout is not None
    assert child.stdout.readline() == "closing\n"
    child.send_signal(signal.SIGTERM)
    assert ended(child)[0] == -signal.SIGTERM
    check_gone(docker_client, child.pid)


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("signal.signal(signal.SIGTERM, mine); process_pool()", "mine"),
        ("signal.signal(signal.SIGTERM, signal.SIG_IGN); process_pool()", "ignored"),
        ("process_pool()", "ours"),
        ("pool = in_thread(DeskPool)", "default"),
        ("pool = in_thread(DeskPool); process_pool()", "ours"),
        ("process_pool().close()", "default"),
        ("pool = DeskPool(); process_pool().close()", "ours"),
        ("process_pool(); signal.signal(signal.SIGTERM, mine); process_pool().close()", "mine"),
    ],
)
def test_handlers_that_others_installed_are_left_alone(before: str, expected: str) -> None:
    program = f"""
def mine(number, frame):
    pass
def in_thread(make):
    made = []
    thread = threading.Thread(target=lambda: made.append(make()))
    thread.start(); thread.join()
    return made[0]
{before}
from deskgym.env.pool_process import _close_and_die
names = {{mine: "mine", signal.SIG_IGN: "ignored", signal.SIG_DFL: "default",
         _close_and_die: "ours"}}
say("ready")
say(names[signal.getsignal(signal.SIGTERM)])
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
"""
    status, out, err = ended(run(program))
    assert (status, out.strip()) == (0, expected), err


def test_a_forked_child_has_a_pool_of_its_own(docker_client: DockerClient) -> None:
    child = run(
        """
env = desk()
own = process_pool()
other = DeskPool()
process_pool().warm(adam, 3)  # with starts under way
pid = os.fork()
if pid == 0:
    assert process_pool() is not own and own.closed and other.closed
    assert own.stats().total == 0
    try:
        other.desk(adam)
    except Exception as error:
        assert "parent" in str(error), error
    env.reset(seed=1)  # a desk of the child's own
    assert works(env)
    mine = desk()
    assert works(mine) and process_pool().stats().in_use == 2
    env.close(); mine.close()
    assert process_pool().stats().total == 0
    os._exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
assert works(env)
say("ready")
own.close()
say(own.stats().total)
"""
    )
    status, out, err = ended(child)
    assert (status, out.strip()) == (0, "0"), err
    check_gone(docker_client, child.pid)


def test_a_forked_child_that_lives_on_holds_no_desk(docker_client: DockerClient) -> None:
    child = run(
        "env = desk(); process_pool().warm(adam, 2, wait=True)\n"
        "pid = os.fork()\n"
        "if pid == 0:\n    os.close(1); os.close(2); time.sleep(100); os._exit(0)\n"
        "say('ready'); say(pid); time.sleep(100)"
    )
    assert child.stdout is not None
    grandchild = int(child.stdout.readline())
    try:
        child.kill()
        child.wait()
        check_gone(docker_client, child.pid)
    finally:
        subprocess.run(["kill", "-9", str(grandchild)], check=True)
        ended(child)


def test_desks_of_a_multiprocessing_child_end_with_it(docker_client: DockerClient) -> None:
    program: Any = """
import multiprocessing
def work():
    desk()
    say(os.getpid())
process = multiprocessing.get_context("fork").Process(target=work)
say("ready")
process.start(); process.join()
"""
    child = run(program)
    status, out, err = ended(child)
    assert status == 0, err
    check_gone(docker_client, int(out))
