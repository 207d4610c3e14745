"""Many clients at once, most of them rude, and whether the server bears it.

    python tests/server/soak.py --sessions 64 --minutes 5

Clients play episodes over a WebSocket, and in the midst of one, at random, hang up without a word,
fall silent with the connection open, or are killed. Each checks that it sees its own person's
files, only what it wrote itself, and nothing of who had the desk before. In the end no session and
no desk may be left, and the server's memory may not have grown.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import random
import statistics
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import websockets
from docker import DockerClient
from server_kit import DeafClient, Served, desks_of, in_process, until

from deskgym.env.sandbox.engine import connect
from deskgym.tasks.registry import load_dataset

PEOPLE = {
    person: sorted(record.path for record in load_dataset("demo").profile(person).files)
    for person in load_dataset("demo").profiles()
}
HABITS = {
    "polite": 0.70,
    "hangs up": 0.13,
    "hangs up in a step": 0.07,
    "deaf": 0.06,
    "killed": 0.04,
}
PING_S = 3.0
SLOW = {"tool": "terminal", "command": "sleep 55", "timeout_s": 58}
PATIENCE_S = 25.0  # not as long as that takes: a step ends with its session
_GROWTH = 1.15  # of the resident memory, from the second quarter to the last
_LONG_ENOUGH_S = 120.0  # for the memory to say anything

KILLED_CLIENT = """
import json, sys, time
from websockets.sync.client import connect
with connect(sys.argv[1], proxy=None) as socket:
    socket.send(json.dumps({"type": "reset", "data": {"profile": sys.argv[2]}}))
    socket.recv()
    socket.send(json.dumps({"type": "step", "data": json.loads(sys.argv[3])}))
    print("under way", flush=True)
    time.sleep(600)
"""


class Wrong(AssertionError):
    """A client saw what it should not have seen."""


@dataclass
class Tally:
    """What happened."""

    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    step_seconds: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)  # MiB, evenly spread over time


class Client:
    """One client with one session."""

    def __init__(self, socket: websockets.ClientConnection, tally: Tally) -> None:
        self.socket = socket
        self._tally = tally

    async def ask(self, kind: str, **data: Any) -> dict[str, Any]:
        # Where there is no room, the server has said so and closed before it was asked anything.
        with contextlib.suppress(websockets.ConnectionClosed):
            await self.socket.send(json.dumps({"type": kind, "data": data}))
        answer = json.loads(await self.socket.recv())
        if answer["type"] == "error":
            raise Refused(answer["data"]["code"], answer["data"]["message"])
        told: dict[str, Any] = answer["data"]
        return told

    async def shell(self, command: str) -> str:
        started = time.perf_counter()
        told = await self.ask("step", tool="terminal", command=command)
        self._tally.step_seconds.append(time.perf_counter() - started)
        text: str = told["observation"]["text"]
        return text


class Refused(Exception):
    """The server answered with an error."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


def check(same: bool, what: str) -> None:
    if not same:
        raise Wrong(what)


async def episode(client: Client, tally: Tally, dice: random.Random) -> None:
    """Play an episode and check every observation of it."""
    person = dice.choice(list(PEOPLE))
    begun = await client.ask("reset", profile=person, seed=dice.randrange(1_000_000))
    check(begun["metadata"]["profile"] == person, f"wanted {person}, got {begun['metadata']}")
    check(f"{len(PEOPLE[person])} files" in begun["observation"]["text"], "the wrong welcome")
    left = await client.shell("find /scratch /tmp -type f; echo end $MARK")
    check(left.split() == ["end"], f"left by someone before: {left!r}")
    listed = await client.shell("find /desk -type f -printf '%P\\n'")
    check(
        sorted(listed.splitlines()) == PEOPLE[person],
        f"not the files of {person}: {listed[:200]!r}",
    )
    mark = f"mark-{dice.getrandbits(64):x}"
    await client.shell(f"echo {mark} > /scratch/mark; export MARK={mark}")
    for _ in range(dice.randrange(1, 5)):
        await asyncio.sleep(dice.random() * 0.5)
        seen = await client.shell("cat /scratch/mark; echo $MARK")
        check(seen.split() == [mark, mark], f"not my own mark: {seen!r}")
        tally.counts["steps checked"] += 1
    found = await client.ask("step", tool="list_files")
    text = found["observation"]["text"]
    check(any(path in text for path in PEOPLE[person]), f"list_files shows others: {text[:200]!r}")
    done = await client.ask("step", tool="answer", text="I do not know.")
    check(done["done"] is True, "an answer ends the episode")
    tally.counts["episodes"] += 1


async def one_client(served: Served, tally: Tally, dice: random.Random, until_s: float) -> None:
    """Clients one after the other, each with a habit of its own, until the time is up."""
    while time.monotonic() < until_s:
        habit = dice.choices(list(HABITS), list(HABITS.values()))[0]
        try:
            await asyncio.wait_for(HANDLERS[habit](served, tally, dice), 120)
            tally.counts[habit] += 1
        except Wrong as error:
            tally.wrong.append(str(error))
        except Refused as error:
            tally.counts[f"refused: {error.code}"] += 1
            if error.code != "CAPACITY_REACHED":
                tally.wrong.append(str(error))
            await asyncio.sleep(0.3)
        except (OSError, websockets.WebSocketException, TimeoutError) as error:
            tally.wrong.append(f"{habit}: {type(error).__name__}: {error}")


def _connect(served: Served) -> Any:
    return websockets.connect(served.ws, proxy=None, max_size=None, open_timeout=60)


async def _polite(served: Served, tally: Tally, dice: random.Random) -> None:
    async with _connect(served) as socket:
        for _ in range(dice.randrange(1, 4)):
            await episode(Client(socket, tally), tally, dice)


async def _hangs_up(served: Served, tally: Tally, dice: random.Random) -> None:
    socket = await _connect(served)
    try:
        await Client(socket, tally).ask("reset", profile=dice.choice(list(PEOPLE)))
    finally:
        socket.transport.abort()


async def _hangs_up_in_a_step(served: Served, tally: Tally, dice: random.Random) -> None:
    socket = await _connect(served)
    try:
        await Client(socket, tally).ask("reset", profile=dice.choice(list(PEOPLE)))
        await socket.send(json.dumps({"type": "step", "data": SLOW}))
        await asyncio.sleep(dice.random())
    finally:
        socket.transport.abort()


async def _deaf(served: Served, tally: Tally, dice: random.Random) -> None:
    message = {"type": "reset", "data": {"profile": dice.choice(list(PEOPLE))}}
    deaf = await asyncio.to_thread(DeafClient, served.port, message)
    try:
        await asyncio.sleep(3 * PING_S)
    finally:
        deaf.close()


async def _killed(served: Served, tally: Tally, dice: random.Random) -> None:
    arguments = (served.ws, dice.choice(list(PEOPLE)), json.dumps(SLOW))
    command = [sys.executable, "-c", KILLED_CLIENT, *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    try:
        await asyncio.to_thread(process.stdout.readline)  # empty if there was no room for it
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


HANDLERS = {
    "polite": _polite,
    "hangs up": _hangs_up,
    "hangs up in a step": _hangs_up_in_a_step,
    "deaf": _deaf,
    "killed": _killed,
}


def resident(process: int) -> float:
    """MiB of memory that a process has."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024


async def soak(served: Served, sessions: int, seconds: float, seed: int) -> Tally:
    """All clients at once, for ``seconds``."""
    assert served.process is not None
    tally, until_s = Tally(), time.monotonic() + seconds

    async def weigh() -> None:
        assert served.process is not None
        while True:
            tally.memory.append(resident(served.process.pid))
            await asyncio.sleep(1)

    weighing = asyncio.create_task(weigh())
    dice = [random.Random(f"{seed}-{number}") for number in range(sessions)]
    await asyncio.gather(*(one_client(served, tally, die, until_s) for die in dice))
    weighing.cancel()
    return tally


def run(sessions: int, seconds: float, seed: int, client: DockerClient) -> Tally:
    """Start a server, let the clients at it, and check what is left."""
    options = ("--max-sessions", str(sessions), "--ping", str(PING_S), "--drain", "5")
    with in_process(*options) as served:
        assert served.process is not None
        tally = asyncio.run(soak(served, sessions, seconds, seed))
        until(lambda: served.sessions() == 0, "all sessions end", PATIENCE_S)
        until(
            lambda: served.metrics()['deskgym_pool{figure="in_use"}'] == 0,
            "no desk is lent",
            PATIENCE_S,
        )
        process = served.process
    assert process.returncode == 0, served.log[-2_000:]
    until(lambda: not desks_of(client, process.pid), "no desk is left")
    assert not tally.wrong, tally.wrong[:5]
    assert tally.counts["steps checked"] > 0
    faults = [line for line in served.lines if '"level": "error"' in line]
    assert not faults, faults[:3]
    if seconds >= _LONG_ENOUGH_S:
        quarter = len(tally.memory) // 4
        early = statistics.mean(tally.memory[quarter : 2 * quarter])
        late = statistics.mean(tally.memory[-quarter:])
        assert late <= early * _GROWTH, f"the server grew from {early:.0f} to {late:.0f} MiB"
    return tally


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sessions", type=int, default=64)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    client = connect()
    tally = run(given.sessions, given.minutes * 60, given.seed, client)
    for name, count in sorted(tally.counts.items()):
        print(f"{name:>24}: {count}")
    times = sorted(tally.step_seconds)
    print(f"{'steps':>24}: {len(times)}, median {times[len(times) // 2] * 1000:.1f} ms")
    spread = [f"{tally.memory[int(i * (len(tally.memory) - 1) / 10)]:.0f}" for i in range(11)]
    print(f"{'memory of the server':>24}: {' '.join(spread)} MiB")


if __name__ == "__main__":
    main()
