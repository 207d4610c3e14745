"""What `deskgym bench` measures of many desks: the pool, vector environments, hundreds alive."""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from deskgym.bench import (
    DESKS,
    ECHO,
    MIB,
    PROFILE,
    Bench,
    Pair,
    Row,
    ratio_row,
    seconds,
    take_turns,
)
from deskgym.bench_baselines import (
    CannotMeasure,
    container_run,
    host_bash,
    through_docker_cli,
    through_docker_py,
)

if TYPE_CHECKING:
    from deskgym.env.pool import DeskPool, PooledDesk
    from deskgym.tasks.schema import Profile

FEW = 8
MANY, MANY_QUICK = 400, 40
_MARGIN = 8  # inotify instances for whatever else begins meanwhile
_ROOM_EACH = 24 * MIB  # a desk that waits, and the engine's process beside it
_INSTANCES = Path("/proc/sys/fs/inotify/max_user_instances")


def step_docker_py(bench: Bench) -> Row:
    desk = bench.desk()
    env, run = desk.env, through_docker_py(bench.client, desk.container)
    pair = take_turns(
        lambda: seconds(lambda: env.step(ECHO)),
        lambda: seconds(run),
        rounds=bench.times(10, 2),
        ours_each=bench.times(20, 3),
        baseline_each=bench.times(3, 1),
    )
    return ratio_row(
        pair,
        least=10,
        name="step-docker-py",
        what='env.step(terminal "echo hi")',
        versus="docker-py: container.exec_run of the same",
    )


def parallel(bench: Bench) -> Row:
    envs = [bench.desk().env for _ in range(DESKS)]
    each = bench.times(40, 3)

    def steps() -> float:
        return DESKS * each / in_threads(lambda number: envs[number].step(ECHO), each)

    return rate_row(
        take_turns(steps, lambda: bash_rate(each), rounds=bench.times(8, 2)),
        name="parallel",
        what=f"{DESKS} environments in as many threads: steps a second",
    )


def vector(bench: Bench) -> Row:
    import deskgym

    envs = deskgym.make_vec(DESKS, profiles=[PROFILE], max_steps=10_000_000, sandbox="docker")
    bench.stack.callback(envs.close)
    envs.reset(seed=0)
    each = bench.times(40, 3)

    def steps() -> float:
        return DESKS * each / seconds(lambda: [envs.step((ECHO,) * DESKS) for _ in range(each)])

    return rate_row(
        take_turns(steps, lambda: bash_rate(each), rounds=bench.times(8, 2)),
        name="vector",
        what=f"make_vec({DESKS}), each step waits for all: steps a second",
    )


def in_threads(work: Callable[[int], object], each: int) -> float:
    """How long `DESKS` threads take that do ``work`` with their number, ``each`` times."""

    def repeated(number: int) -> None:
        for _ in range(each):
            work(number)

    with ThreadPoolExecutor(DESKS) as threads:
        return seconds(lambda: list(threads.map(repeated, range(DESKS))))


def bash_rate(each: int) -> float:
    """How many bash the host starts a second when as many threads ask for them."""
    return DESKS * each / in_threads(lambda number: host_bash(), each)


def rate_row(pair: Pair, *, name: str, what: str) -> Row:
    """A row of steps a second. These are rates and not times, so that "ours in baselines" is the
    inverse of what a pair holds."""
    ratios = tuple(1 / ratio for ratio in pair.ratios)
    return Row(
        name=name,
        what=what,
        versus=f"bash started on the host by {DESKS} threads",
        unit="1/s",
        ours=pair.ours,
        baseline=pair.baseline,
        ratio=statistics.median(ratios),
        lowest=min(ratios),
        highest=max(ratios),
        means="times as many",
        target=">= 0.6x",
        met=statistics.median(ratios) >= 0.6,
    )


# -- the pool --------------------------------------------------------------------------------------


def pool_take(bench: Bench) -> Row:
    """The baseline by the engine's command line if it is here; besides, what others take."""
    from deskgym.env.sandbox.base import ExecRequest

    pool, person = own_pool(bench), who()
    pool.warm(person, 1, prepared=None, wait=True)
    run, versus = container_run(bench.client, bench.image, person.root)
    command = ExecRequest(command="true")

    def take() -> float:
        desk = pool.desk(person, prepared=None)

        def take_and_use() -> None:
            desk.start()
            desk.request(command)

        try:
            return seconds(take_and_use)
        finally:
            desk.close()
            # It is made new in the background, which is no part of the measurement.
            pool.warm(person, 1, prepared=None, wait=True)

    pair = take_turns(
        take, lambda: seconds(run), rounds=bench.times(8, 2), ours_each=bench.times(5, 2)
    )
    stats = pool.stats()
    return ratio_row(
        pair,
        least=40,
        name="pool",
        what="a warm desk taken from the pool, with its first command",
        versus=versus,
        note=f"{beside(bench, pool, person)}; a start takes the pool "
        f"{stats.start_seconds / stats.started * 1000:.0f} ms, in the background",
    )


def beside(bench: Bench, pool: DeskPool, person: Profile) -> str:
    """What one command takes in a container that runs already, by the engine's own ways."""
    from deskgym.env.sandbox.docker import DockerSandbox

    said = []
    with pool.desk(person, prepared=None) as desk:
        assert isinstance(desk.carrier, DockerSandbox)
        container = desk.carrier.container_id
        assert container is not None
        ways: dict[str, Callable[[], Callable[[], None]]] = {
            "docker exec": partial(through_docker_cli, container),
            "docker-py's exec_run": partial(through_docker_py, bench.client, container),
        }
        for name, way in ways.items():
            try:
                run = way()
                took = statistics.median(seconds(run) for _ in range(bench.times(10, 2)))
                said.append(f"{name} {took * 1000:.0f} ms")
            except CannotMeasure as error:
                said.append(f"{name}: {error}")
    return "a command in a container that runs already: " + ", ".join(said)


def own_pool(bench: Bench, max_desks: int | None = None) -> DeskPool:
    from deskgym.env.pool import DeskPool

    return bench.stack.enter_context(DeskPool(sandbox="docker", max_desks=max_desks))


def who() -> Profile:
    from deskgym.tasks.registry import load_dataset

    return load_dataset("demo").profile(PROFILE)


# -- hundreds alive --------------------------------------------------------------------------------


def scale(bench: Bench) -> Row:
    """The same few desks, alone and among many: before them, with them, and after them."""
    wanted = bench.desks or bench.times(MANY, MANY_QUICK)
    if bench.raise_limits:
        bench.stack.enter_context(raised_instances(wanted))
    many, held_by = most_alive(wanted)
    if many <= FEW:
        raise CannotMeasure(f"there is room for {many} desks alone: {held_by}")
    pool, person = own_pool(bench, many), who()
    few = [taken(bench.stack, pool, person) for _ in range(FEW)]
    rounds = bench.times(40, 5)
    before = latency(few, rounds)
    free = available()
    with ExitStack() as stack:
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(lambda _: taken(stack, pool, person), range(many - FEW)))
        each = (free - available()) / (many - FEW) / MIB
        among = latency(few, rounds)
        alive = pool.stats().in_use
    after = latency(few, rounds)
    alone = statistics.median([before, after])
    note = f"with each of the others this machine had {each:.1f} MiB less, the engine's share "
    note += "included"
    if many < wanted:
        note += f"; {wanted} were wanted, but {held_by}"
    return ratio_row(
        Pair(among, alone, (before / among, after / among)),
        most=1.3,
        name="scale",
        what=f"a command in {FEW} desks in turn, of {alive} alive",
        versus=f"the same with none but these {FEW}",
        note=note,
    )


def taken(stack: ExitStack, pool: DeskPool, person: Profile) -> PooledDesk:
    return stack.enter_context(pool.desk(person, prepared=None))


def latency(desks: list[PooledDesk], rounds: int) -> float:
    """The median time of a command, over all ``desks`` in turn."""
    from deskgym.env.sandbox.base import ExecRequest

    request = ExecRequest(command="echo hi")
    for desk in desks:
        desk.request(request)
    return statistics.median(
        seconds(lambda desk=desk: desk.request(request))  # type: ignore[misc]
        for _ in range(rounds)
        for desk in desks
    )


def most_alive(wanted: int) -> tuple[int, str]:
    """How many desks, up to ``wanted``, can be alive here, and what holds back more."""
    bounds = [(wanted, "")]
    room = (available() - 1024 * MIB) // _ROOM_EACH
    bounds.append((room, f"{available() // MIB} MiB of memory are free"))
    if _INSTANCES.exists():
        limit = int(_INSTANCES.read_text())
        bounds.append(
            (
                limit - instances_in_use() - _MARGIN,
                f"fs.inotify.max_user_instances is {limit}; as root: "
                f"sysctl -w fs.inotify.max_user_instances={2 * wanted}, or bench --raise-limits",
            )
        )
    return min(bounds, key=lambda bound: bound[0])


def available() -> int:
    from deskgym.env.pool_room import memory_available

    free = memory_available("docker")
    if free is None:
        raise CannotMeasure("the engine's memory is not to be seen from here")
    return free


def instances_in_use() -> int:
    """How many inotify instances root's processes have open."""
    found = 0
    for folder in Path("/proc").glob("[0-9]*/fd"):
        try:
            if folder.stat().st_uid == 0:
                links = (str(link.readlink()) for link in folder.iterdir())
                found += sum(link == "anon_inode:inotify" for link in links)
        except OSError:
            continue  # it has ended meanwhile, or is not ours to look into
    return found


@contextmanager
def raised_instances(desks: int) -> Iterator[None]:
    """Let root's processes have inotify instances enough for ``desks`` more; put back afterwards.

    Raises:
        CannotMeasure: this is not root, or the kernel's settings are not to be written here.
    """
    before = int(_INSTANCES.read_text())
    needed = instances_in_use() + desks + _MARGIN
    try:
        if needed > before:
            _INSTANCES.write_text(str(needed))
        yield
    except PermissionError as error:
        raise CannotMeasure(f"--raise-limits cannot write {_INSTANCES}: {error}") from error
    finally:
        if needed > before and os.access(_INSTANCES, os.W_OK):
            _INSTANCES.write_text(str(before))
