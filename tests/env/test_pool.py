"""The pool on desks without an engine: who gets which desk, when, and what becomes of it."""

from __future__ import annotations

import gc
import random
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fake_desk import FakeDataset
from made_desks import Desks, MadeDesk, eventually, person

from deskgym.env import pool_background, pool_room
from deskgym.env.desk_env import DeskEnv
from deskgym.env.pool import DeskPool, PoolClosed, PooledDesk, PoolFull
from deskgym.env.sandbox.base import (
    DeskDied,
    EngineUnavailable,
    ExecRequest,
    PingRequest,
    SandboxError,
)
from deskgym.env.sandbox.limits import DeskLimits

ANN, BOB = person("ann"), person("bob")
HI = ExecRequest(command="echo hi")
HELD: list[PooledDesk] = []  # what nobody holds any more would end by itself


@pytest.fixture
def desks() -> Desks:
    return Desks()


@pytest.fixture
def make_pool(desks: Desks) -> Iterator[Any]:
    """Makes pools of made-up desks; afterwards none may be left running."""
    pools = []

    def make(**options: Any) -> DeskPool:
        pools.append(DeskPool(make=desks, reserve=0, **options))
        return pools[-1]

    yield make
    desks.may_start.set()
    desks.may_answer.set()
    for pool in pools:
        pool.close()
    HELD.clear()
    assert desks.running() == []


def taken(pool: DeskPool, who: Any = ANN, **options: Any) -> PooledDesk:
    desk = pool.desk(who, **options)
    desk.start()
    HELD.append(desk)
    return desk


def carrier(desk: PooledDesk) -> MadeDesk:
    assert isinstance(desk.carrier, MadeDesk)
    return desk.carrier


def give_back(pool: DeskPool, desk: PooledDesk) -> None:
    desk.close()
    eventually(lambda: pool.stats().returning == 0)


# -- taking and giving back ------------------------------------------------------------------------


def test_who_comes_next_gets_the_desk_that_was_given_back(make_pool: Any) -> None:
    pool = make_pool()
    first = taken(pool)
    inner = carrier(first)
    give_back(pool, first)
    assert carrier(taken(pool)) is inner
    stats = pool.stats()
    assert (stats.started, stats.in_use, stats.idle) == (1, 1, 0)
    assert (stats.handed_cold, stats.handed_warm) == (1, 1)


def test_a_desk_that_is_given_back_knows_nothing_of_who_had_it(make_pool: Any) -> None:
    pool = make_pool()
    desk = taken(pool)
    desk.configure("Ann", (), ("search",))
    desk.request(HI)
    inner = carrier(desk)
    give_back(pool, desk)
    assert (inner.user, inner.dirty) == ("", False)


@pytest.mark.parametrize(
    "other",
    [{"who": BOB}, {"limits": DeskLimits(pids=17)}, {"prepared": "/made/prepared"}],
    ids=["person", "limits", "prepared folder"],
)
def test_another_key_gets_another_desk(make_pool: Any, other: dict[str, Any]) -> None:
    pool = make_pool()
    first = taken(pool)
    inner = carrier(first)
    give_back(pool, first)
    assert carrier(taken(pool, **other)) is not inner
    assert pool.stats().idle == 1


def test_changed_files_get_another_desk(make_pool: Any) -> None:
    pool = make_pool()
    give_back(pool, taken(pool))
    taken(pool, ANN.model_copy(update={"digest": "f" * 64}))
    assert pool.stats().started == 2


def test_two_who_hold_a_desk_never_hold_the_same(make_pool: Any) -> None:
    pool = make_pool()
    with ThreadPoolExecutor(8) as threads:
        held = list(threads.map(lambda _: taken(pool), range(8)))
    assert len({id(desk.carrier) for desk in held}) == 8


def test_a_desk_that_is_closed_answers_no_more_and_can_be_started_again(make_pool: Any) -> None:
    pool = make_pool()
    desk = pool.desk(ANN)
    for _ in range(2):
        with pytest.raises(DeskDied, match="not running"):
            desk.request(HI)
        desk.start()
        with pytest.raises(SandboxError, match="already running"):
            desk.start()
        assert desk.request(HI).ok
        desk.close()
        desk.close()


def test_closing_from_many_threads_gives_back_once(make_pool: Any) -> None:
    pool = make_pool()
    desk = taken(pool)
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda _: desk.close(), range(32)))
    eventually(lambda: pool.stats().idle == 1)
    assert pool.stats().total == 1


def test_a_desk_closed_while_it_works_goes_to_nobody_else(make_pool: Any, desks: Desks) -> None:
    pool = make_pool()
    desk = taken(pool)
    inner = carrier(desk)
    desks.may_answer.clear()
    with ThreadPoolExecutor(1) as threads:
        answer = threads.submit(desk.request, HI)
        eventually(desk._busy.locked)
        desk.close()
        eventually(lambda: inner.state == "gone")
        desks.may_answer.set()
        assert isinstance(answer.exception(), DeskDied)
    assert carrier(taken(pool)) is not inner


def test_a_desk_nobody_holds_any_more_is_not_counted(make_pool: Any) -> None:
    pool = make_pool(max_desks=1)
    inner = carrier(taken(pool))
    HELD.clear()  # without its being closed
    gc.collect()
    assert pool.stats().in_use == 0
    taken(pool)
    inner.close()  # as a real one does that is no longer held


def test_a_request_that_was_broken_off_ends_the_desk(
    make_pool: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its answer would be taken for the next one's."""
    pool = make_pool()
    desk = taken(pool)
    inner = carrier(desk)

    def interrupted(request: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(inner, "request", interrupted)
    with pytest.raises(KeyboardInterrupt):
        desk.request(HI)
    with pytest.raises(DeskDied, match="broken off"):
        desk.request(HI)
    desk.close()
    eventually(lambda: inner.state == "gone")


# -- health ----------------------------------------------------------------------------------------


def test_a_desk_that_died_while_idle_is_not_handed_out(
    make_pool: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool_background, "_TRUST_S", 0.0)
    pool = make_pool(check_s=100)
    first = taken(pool)
    inner = carrier(first)
    give_back(pool, first)
    inner.dead = True
    second = taken(pool)
    assert carrier(second) is not inner
    assert second.request(HI).ok
    assert pool.stats().replaced == 1


def test_idle_desks_are_looked_after_and_replaced(make_pool: Any, desks: Desks) -> None:
    pool = make_pool(check_s=0.01)
    pool.warm(ANN, 2, wait=True)
    dead, well = desks.running()
    eventually(lambda: PingRequest() in dead.requests and PingRequest() in well.requests)
    dead.dead = True
    eventually(lambda: pool.stats().idle == 2 and dead.state == "gone")
    assert well.state == "running"
    assert "exit status 137" in pool.stats().last_failure


@pytest.mark.parametrize("how", ["dies in use", "will not come clean"])
def test_a_broken_desk_is_ended_and_its_place_is_free(make_pool: Any, how: str) -> None:
    pool = make_pool(max_desks=1, wait_s=0)
    desk = taken(pool)
    inner = carrier(desk)
    if how == "dies in use":
        inner.dead = True
        with pytest.raises(DeskDied):
            desk.request(HI)
    else:
        inner.unclean = True
    desk.close()
    eventually(lambda: pool.stats().total == 0)
    assert inner.state == "gone"
    taken(pool)
    assert pool.stats().replaced == 1


@pytest.mark.parametrize(
    "failure", [EngineUnavailable("no engine"), SandboxError("refused")], ids=["engine", "start"]
)
def test_a_start_that_fails_is_told_to_who_waits_for_it(
    make_pool: Any, desks: Desks, failure: SandboxError
) -> None:
    pool = make_pool()
    desks.failure = failure
    with pytest.raises(type(failure), match=str(failure)):
        taken(pool)
    assert pool.stats().start_failures == 1
    desks.failure = None
    taken(pool)
    assert pool.stats().in_use == 1


def test_the_engines_own_errors_say_that_it_is_gone(
    make_pool: Any, desks: Desks, monkeypatch: pytest.MonkeyPatch
) -> None:
    from requests.exceptions import ConnectionError as Gone

    monkeypatch.setattr(desks, "failure", Gone("reset by peer"))
    with pytest.raises(EngineUnavailable, match="reset by peer"):
        taken(make_pool())


def test_warming_that_fails_is_told_to_who_waits_and_tried_again(
    make_pool: Any, desks: Desks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool_background, "_AGAIN_S", 0.01)
    pool = make_pool(check_s=0.05)
    desks.failure = SandboxError("refused")
    with pytest.raises(SandboxError, match="refused"):
        pool.warm(ANN, 1, wait=True)
    desks.failure = None
    eventually(lambda: pool.stats().idle == 1)


# -- room ------------------------------------------------------------------------------------------


def test_where_there_is_no_room_it_says_so_at_once_if_told_not_to_wait(make_pool: Any) -> None:
    pool = make_pool(max_desks=2, wait_s=0)
    held = [taken(pool), taken(pool, BOB)]
    with pytest.raises(PoolFull, match="2 desks, of at most 2"):
        taken(pool)
    assert (pool.stats().refused, pool.stats().waiting) == (1, 0)
    give_back(pool, held[1])
    taken(pool)


def test_a_start_is_no_lack_of_room(make_pool: Any, desks: Desks) -> None:
    """Who need not wait for room waits for the start, however long it takes."""
    pool = make_pool(max_desks=3, starts_at_once=1, wait_s=0)
    desks.may_start.clear()
    with ThreadPoolExecutor(3) as threads:
        waiting = [threads.submit(taken, pool) for _ in range(3)]
        eventually(lambda: pool.stats().waiting == 3)
        desks.may_start.set()
        held = [each.result() for each in waiting]
    assert len(held) == 3
    assert pool.stats().refused == 0


def test_a_desk_that_is_being_made_new_is_room_for_another(make_pool: Any, desks: Desks) -> None:
    pool = make_pool(max_desks=1, wait_s=0)
    desk = taken(pool)
    desks.may_answer.clear()
    desk.close()
    with ThreadPoolExecutor(1) as threads:
        other = threads.submit(taken, pool, BOB)
        eventually(lambda: pool.stats().waiting == 1)
        desks.may_answer.set()
        assert carrier(other.result()).person is BOB


def test_who_waits_for_room_gets_what_is_given_back_in_turn(make_pool: Any) -> None:
    pool = make_pool(max_desks=1)
    desk = taken(pool)
    order: list[str] = []

    def wait(name: str) -> None:
        with pool.desk(ANN):
            order.append(name)

    with ThreadPoolExecutor(3) as threads:
        for number, name in enumerate("abc", 1):
            threads.submit(wait, name)
            eventually(lambda number=number: pool.stats().waiting == number)
        desk.close()
    assert order == ["a", "b", "c"]
    assert pool.stats().started == 1


def test_the_desk_idle_for_longest_makes_room(make_pool: Any) -> None:
    pool = make_pool(max_desks=2)
    old, new = taken(pool), taken(pool, BOB)
    old_inner, new_inner = carrier(old), carrier(new)
    give_back(pool, old)
    give_back(pool, new)
    taken(pool, person("cy"))
    assert (old_inner.state, new_inner.state) == ("gone", "running")
    assert pool.stats().total == 2


def test_never_more_starts_than_agreed_and_never_more_desks(make_pool: Any, desks: Desks) -> None:
    pool = make_pool(max_desks=6, starts_at_once=2, wait_s=30)
    desks.may_start.clear()
    names = [person(f"p{n % 5}") for n in range(12)]
    done = threading.Barrier(3)

    def work(who: Any) -> None:
        with pool.desk(who) as desk:
            assert desk.request(HI).ok
            assert pool.stats().total <= 6
            done.wait(20)

    with ThreadPoolExecutor(12) as threads:
        futures = [threads.submit(work, who) for who in names]
        eventually(lambda: desks.under_way == 2)
        desks.may_start.set()
        for future in futures:
            future.result()
    assert desks.most_under_way <= 2


def test_memory_bounds_how_many_there_are(make_pool: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    free = 3 * pool_room.DESK_NEEDS
    monkeypatch.setattr(
        pool_background,
        "memory_available",
        lambda kind: free - len(pool._background.books.out) * pool_room.DESK_NEEDS,
    )
    pool = make_pool(wait_s=0)
    held = [taken(pool) for _ in range(3)]
    with pytest.raises(PoolFull, match="0 MiB of memory are free"):
        taken(pool)
    free *= 2  # somebody else has ended
    assert taken(pool).request(HI).ok
    assert len(held) == 3


def test_memory_of_an_engine_elsewhere_is_not_this_machines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("DOCKER_HOST", raising=False)
    assert pool_room.memory_available("docker")
    monkeypatch.setenv("DOCKER_HOST", "tcp://10.0.0.1:2376")
    assert pool_room.memory_available("docker") is None
    assert pool_room.fits(None, 10_000, 10**12)


# -- warm and idle desks ---------------------------------------------------------------------------


def test_warm_desks_are_there_before_anybody_asks(make_pool: Any) -> None:
    pool = make_pool(idle_s=0, max_idle=0)
    pool.warm(ANN, 3, wait=True)
    assert pool.stats().idle_by_profile == {"made/ann": 3}
    taken(pool)
    assert pool.stats().handed_warm == 1
    eventually(lambda: pool.stats().idle == 3)
    pool.warm(ANN, 0)
    eventually(lambda: pool.stats().idle == 0)


def test_spare_desks_are_kept_beside_those_in_use(make_pool: Any) -> None:
    pool = make_pool(warm=1, idle_s=0, max_idle=0)
    desk = taken(pool)
    eventually(lambda: pool.stats().idle == 1)
    desk.close()
    eventually(lambda: pool.stats().total == 0)


def test_an_idle_desk_is_ended_after_its_time(make_pool: Any) -> None:
    pool = make_pool(idle_s=0.05, check_s=0.01)
    taken(pool).close()
    eventually(lambda: pool.stats().total == 0)
    assert pool.stats().expired == 1


def test_of_too_many_idle_desks_the_oldest_go(make_pool: Any) -> None:
    pool = make_pool(max_idle=2)
    held = [taken(pool) for _ in range(4)]
    inner = [carrier(desk) for desk in held]
    for desk in held:
        give_back(pool, desk)
    eventually(lambda: pool.stats().total == 2)
    assert [desk.state for desk in inner] == ["gone", "gone", "running", "running"]


def test_with_the_last_one_given_back_none_is_left_if_so_agreed(
    make_pool: Any, desks: Desks
) -> None:
    pool = make_pool(end_unused=True)
    one, other = taken(pool), taken(pool, BOB)
    give_back(pool, one)
    assert pool.stats().idle == 1, "somebody may want it still"
    other.close()
    assert desks.running() == [], "and that was the last"
    assert pool.stats().total == 0


def test_what_is_to_be_kept_warm_is_kept_all_the_same(make_pool: Any) -> None:
    pool = make_pool(end_unused=True)
    pool.warm(ANN, 1, wait=True)
    taken(pool).close()
    eventually(lambda: pool.stats().idle == 1 == pool.stats().total)


# -- the end ---------------------------------------------------------------------------------------


def test_a_closed_pool_has_no_desks_and_gives_none(make_pool: Any, desks: Desks) -> None:
    pool = make_pool()
    desk = taken(pool)
    give_back(pool, taken(pool, BOB))
    pool.close()
    assert desks.running() == []
    with pytest.raises(DeskDied):
        desk.request(HI)
    desk.close()
    for wanted in (pool.desk, pool.warm):
        with pytest.raises(PoolClosed):
            wanted(ANN)
    with pytest.raises(PoolClosed):
        desk.start()


def test_closing_from_many_threads_in_the_midst_of_starts(make_pool: Any, desks: Desks) -> None:
    pool = make_pool()
    desks.may_start.clear()
    with ThreadPoolExecutor(8) as threads:
        waiting = [threads.submit(taken, pool) for _ in range(4)]
        eventually(lambda: desks.under_way == 4)
        closing = [threads.submit(pool.close) for _ in range(4)]
        for future in waiting:
            assert isinstance(future.exception(), PoolClosed)
        assert not any(future.done() for future in closing), "a start is still under way"
        desks.may_start.set()
        for future in closing:
            future.result()
            assert desks.running() == []


@pytest.mark.parametrize(
    ("option", "value"),
    [("max_desks", 0), ("starts_at_once", 0), ("idle_s", -1), ("wait_s", -0.1), ("check_s", 0)],
)
def test_senseless_terms_are_refused_by_name(option: str, value: float) -> None:
    with pytest.raises(ValueError, match=option):
        DeskPool(**{option: value})


def test_an_unknown_sandbox_is_refused() -> None:
    with pytest.raises(ValueError, match="no sandbox 'vm'; there are auto, docker"):
        DeskPool(sandbox="vm")


def test_an_environment_of_an_unknown_sandbox_is_refused_when_it_is_made() -> None:
    with pytest.raises(ValueError, match="no sandbox 'vm'"):
        DeskEnv(FakeDataset(), sandbox="vm")


# -- all at once -----------------------------------------------------------------------------------


def test_many_threads_take_close_and_kill_at_random(make_pool: Any, desks: Desks) -> None:
    """Nobody ever gets a desk of somebody else's files, a used one, or one that another holds."""
    pool = make_pool(max_desks=10, warm=1, check_s=0.01, idle_s=0.02, max_idle=3)
    holders: dict[int, int] = {}
    people = [person(name) for name in "abcd"]

    def work(seed: int) -> int:
        draw = random.Random(seed)
        done = 0
        for _ in range(40):
            who = draw.choice(people)
            desk = taken(pool, who)
            inner = carrier(desk)
            assert holders.setdefault(id(inner), seed) == seed
            try:
                assert inner.person is who
                assert (inner.user, inner.dirty) == ("", False)
                desk.configure(who.user, (), ())
                desk.request(HI)
                done += 1
                if draw.random() < 0.2:
                    inner.dead = True
                if draw.random() < 0.1:
                    inner.unclean = True
            except DeskDied:
                assert inner.dead
            finally:
                del holders[id(inner)]
                desk.close()
            if draw.random() < 0.1 and desks.made:
                idle = draw.choice(desks.made)
                idle.dead = True  # whoever has it
        return done

    with ThreadPoolExecutor(16) as threads:
        assert sum(threads.map(work, range(16))) > 16
    stats = pool.stats()
    assert (stats.in_use, stats.waiting) == (0, 0)
    assert stats.start_failures == 0
    pool.close()
    assert pool.stats().total == 0
