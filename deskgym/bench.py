"""What `deskgym bench` measures: each figure beside a baseline, taken in turns in the same run.

Times say more about a machine than about a program, so every row is a ratio, and the two sides of
it alternate (A B A B ...). The figure is the median over the rounds' ratios of medians; the least
and the greatest of them say how far to trust it.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from deskgym.bench_baselines import (
    CannotMeasure,
    container_run,
    host_bash,
    memory_of,
    peer_server,
    shim_memory,
    through_docker_cli,
)

if TYPE_CHECKING:
    from docker import DockerClient

    from deskgym.env.desk_env import DeskEnv
    from deskgym.tasks.schema import Profile

PROFILE = "adam"
DESKS = 8
MIB = 1 << 20
ECHO = {"tool": "terminal", "command": "echo hi"}
WRITE = {"tool": "terminal", "command": "echo hi > /scratch/note"}
TEXT_FILE = "03_Study/2024-11-04_FBS_Result.pdf"

Unit = Literal["s", "1/s", "MiB", "share"]


@dataclass(frozen=True)
class Row:
    """One line of the table. ``ratio`` is how many times as fast, as long or as many as the
    baseline, as ``means`` says; without a baseline it is None, as is ``met`` without a target."""

    name: str
    what: str
    unit: Unit
    ours: float
    baseline: float | None = None
    versus: str = ""
    ratio: float | None = None
    lowest: float | None = None
    highest: float | None = None
    means: str = ""
    target: str = ""
    met: bool | None = None
    note: str = ""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Skipped:
    """A row that could not be measured here, and why."""

    name: str
    reason: str

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Pair:
    """The medians of two sides that took turns, and the ratio baseline : ours of every round."""

    ours: float
    baseline: float
    ratios: tuple[float, ...]


@dataclass(frozen=True)
class Desk:
    """An environment with an episode under way, and what its container holds."""

    env: DeskEnv
    root: Path
    container: str


@dataclass(frozen=True)
class Bench:
    """What the measurements share. ``stack`` ends what they start. ``desks`` are how many are to
    be alive for `scale`; ``raise_limits`` lets it raise the kernel's for as long as it takes."""

    client: DockerClient
    image: str
    quick: bool
    stack: ExitStack
    desks: int | None = None
    raise_limits: bool = False

    def desk(self) -> Desk:
        """A desk of its own."""
        import deskgym
        from deskgym.env.sandbox.docker import DockerSandbox

        made: list[tuple[DockerSandbox, Path]] = []

        def make(person: Profile) -> DockerSandbox:
            made.append((DockerSandbox(person.root, client=self.client), person.root))
            return made[-1][0]

        env = deskgym.make(sandbox=make, max_steps=10_000_000)
        self.stack.callback(env.close)
        env.reset(seed=0, profile=PROFILE)
        sandbox, root = made[-1]
        assert sandbox.container_id is not None  # it runs
        return Desk(env, root, sandbox.container_id)

    def times(self, thorough: int, quick: int) -> int:
        return quick if self.quick else thorough


def seconds(do: Callable[[], object]) -> float:
    """How long ``do`` takes."""
    started = time.perf_counter()
    do()
    return time.perf_counter() - started


def take_turns(
    ours: Callable[[], float],
    baseline: Callable[[], float],
    *,
    rounds: int,
    ours_each: int = 1,
    baseline_each: int = 1,
) -> Pair:
    """Let two measurements alternate, ``*_each`` times a round, after one of each to warm up."""
    ours(), baseline()
    left: list[float] = []
    right: list[float] = []
    ratios = []
    for _ in range(rounds):
        a = [ours() for _ in range(ours_each)]
        b = [baseline() for _ in range(baseline_each)]
        ratios.append(statistics.median(b) / statistics.median(a))
        left += a
        right += b
    return Pair(statistics.median(left), statistics.median(right), tuple(ratios))


def ratio_row(
    pair: Pair, *, least: float | None = None, most: float | None = None, **rest: Any
) -> Row:
    """A row out of a pair: "times faster" with a target to reach, else "times as long as"."""
    ratios = pair.ratios if least is not None else tuple(1 / ratio for ratio in pair.ratios)
    ratio = statistics.median(ratios)
    return Row(
        ours=pair.ours,
        baseline=pair.baseline,
        ratio=ratio,
        lowest=min(ratios),
        highest=max(ratios),
        target=f">= {least:g}x" if least is not None else f"<= {most:g}x",
        met=ratio >= least if least is not None else most is not None and ratio <= most,
        **{"unit": "s", "means": "times faster" if least is not None else "times as long", **rest},
    )


# -- the rows --------------------------------------------------------------------------------------


def step_cli(bench: Bench) -> Row:
    desk = bench.desk()
    env, command = desk.env, through_docker_cli(desk.container)
    pair = take_turns(
        lambda: seconds(lambda: env.step(ECHO)),
        lambda: seconds(command),
        rounds=bench.times(10, 2),
        ours_each=bench.times(20, 3),
        baseline_each=bench.times(3, 1),
    )
    return ratio_row(
        pair,
        least=30,
        name="step-cli",
        what='env.step(terminal "echo hi")',
        versus='docker exec CONTAINER bash -c "echo hi"',
    )


def step_peer(bench: Bench) -> Row:
    desk = bench.desk()
    env = desk.env
    server = peer_server(bench.client, bench.image, desk.root)
    ask, reached = bench.stack.enter_context(server)
    pair = take_turns(
        lambda: seconds(lambda: env.step(ECHO)),
        lambda: seconds(ask),
        rounds=bench.times(15, 2),
        ours_each=bench.times(20, 3),
        baseline_each=bench.times(20, 3),
    )
    return ratio_row(
        pair,
        least=2.5,
        name="step-peer",
        what='env.step(terminal "echo hi")',
        versus="a web server in a container that runs bash -c",
        note=f"a stand-in: the standard library's server, leaner than the peers' own; {reached}",
    )


def step_host(bench: Bench) -> Row:
    env = bench.desk().env
    pair = take_turns(
        lambda: seconds(lambda: env.step(ECHO)),
        lambda: seconds(host_bash),
        rounds=bench.times(25, 2),
        ours_each=bench.times(20, 3),
        baseline_each=bench.times(20, 3),
    )
    return ratio_row(
        pair,
        most=1.5,
        name="step-host",
        what='env.step(terminal "echo hi")',
        versus='subprocess.run(["bash", "-c", "echo hi"]) on the host',
    )


def warm_reset(bench: Bench) -> Row:
    desk = bench.desk()
    env = desk.env
    run, versus = container_run(bench.client, bench.image, desk.root)

    def reset() -> float:
        env.step(WRITE)
        return seconds(lambda: env.reset(seed=0, profile=PROFILE))

    pair = take_turns(
        reset,
        lambda: seconds(run),
        rounds=bench.times(8, 2),
        ours_each=bench.times(5, 2),
    )
    return ratio_row(
        pair,
        least=40,
        name="reset",
        what="env.reset() after a command that wrote a file",
        versus=versus,
    )


def cold_start(bench: Bench) -> Row:
    import deskgym

    desk = bench.desk()  # brings in modules and data
    run, versus = container_run(bench.client, bench.image, desk.root)

    def start() -> float:
        env = deskgym.make()
        try:
            return seconds(lambda: (env.reset(seed=0, profile=PROFILE), env.step(ECHO)))
        finally:
            env.close()

    pair = take_turns(
        start,
        lambda: seconds(run),
        rounds=bench.times(8, 2),
    )
    return ratio_row(
        pair,
        most=0.7,
        name="cold-start",
        what="a new environment up to its first command's output",
        versus=versus,
    )


def memory(bench: Bench) -> Row:
    container = bench.desk().container
    used = memory_of(bench.client, container) / MIB
    shim = shim_memory(container)
    beside = "unknown (it is on another machine)" if shim is None else f"{shim / MIB:.1f} MiB"
    return Row(
        name="memory",
        what="memory of a desk that waits",
        unit="MiB",
        ours=used,
        target="<= 12 MiB",
        met=used <= 12,
        note="the container's: all its processes and the kernel's share, without file cache that "
        f"can be dropped; beside it the engine's shim, resident: {beside}",
    )


def read_text(bench: Bench) -> Row:
    env = bench.desk().env
    action = {"tool": "read_text", "path": TEXT_FILE}
    cold = seconds(lambda: env.step(action))
    warm = statistics.median(seconds(lambda: env.step(action)) for _ in range(bench.times(20, 3)))
    return Row(
        name="read-text",
        what="env.step(read_text) of a PDF, not prepared",
        unit="s",
        ours=warm,
        note=f"the first one, which starts the reader: {cold:.2f} s; for prepared ones see: "
        "deskgym bench perception",
    )


def measure(
    row: Callable[[Bench], Row],
    name: str,
    client: DockerClient,
    image: str,
    *,
    quick: bool = False,
    desks: int | None = None,
    raise_limits: bool = False,
) -> Row | Skipped:
    """Measure one row; what it starts is ended before this returns."""
    with ExitStack() as stack:
        try:
            return row(Bench(client, image, quick, stack, desks, raise_limits))
        except CannotMeasure as error:
            return Skipped(name, str(error))
