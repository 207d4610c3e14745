"""Making many people at once: in processes of this machine, or through Ray."""

from __future__ import annotations

import importlib
import multiprocessing
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from functools import partial
from pathlib import Path
from typing import Any

from deskgym.tasks.made.making import make_person, person_name, write_set
from deskgym.tasks.made.spec import MadeSpec
from deskgym.tasks.made.stored import MadePerson, read_model

PEOPLE_A_PROCESS = 25
"""After so many people a process is replaced, so that none grows with the number of people."""

_MakeOne = Callable[[int], MadePerson]


class NoRay(ModuleNotFoundError):
    """Ray was asked for and is not installed."""


def generate_people(
    spec: MadeSpec,
    out: Path,
    *,
    jobs: int = 1,
    engine: str = "processes",
    resume: bool = False,
    llm: Mapping[str, Any] | None = None,
) -> Iterator[MadePerson]:
    """Make the people of ``spec`` in ``out`` and give each once it is whole, in any order.

    What is made does not depend on ``jobs`` or ``engine``. With ``resume`` people who are there
    already are given first and stay as they are. ``llm`` are the settings of a language model
    (`deskgym.agents.llm.LLMConfig`) that tells prose anew; what it says is then not the same twice,
    unless it comes from a cassette.

    Raises:
        NoRay: ``engine`` is ``ray``, which is not installed.
        ModelUnavailable: the language model does not answer.
        ValueError: there is no such engine.
        OSError: something cannot be written.
    """
    if engine not in ("processes", "ray"):
        raise ValueError(f"engine: processes or ray, not {engine!r}")
    ray = _ray() if engine == "ray" else None
    out = out.resolve()  # workers may stand elsewhere
    write_set(spec, out)
    left = []
    for index in range(spec.people):
        done = out / person_name(spec, index) / "person.json"
        if resume and done.is_file():
            yield read_model(done, MadePerson)
        else:
            left.append(index)
    if ray is not None:
        yield from _through_ray(ray, partial(_make, spec, out, llm), left, jobs)
    elif jobs == 1 or len(left) < 2:
        for index in left:
            yield _make(spec, out, llm, index)
    else:
        yield from _in_processes(partial(_make, spec, out, llm), left, jobs)


def _make(spec: MadeSpec, out: Path, llm: Mapping[str, Any] | None, index: int) -> MadePerson:
    """One person, in whichever process this runs."""
    if llm is None:
        return make_person(spec, index, out)
    from deskgym.generate_llm import narrator

    return make_person(spec, index, out, narrator(llm))


def _in_processes(make: _MakeOne, left: list[int], jobs: int) -> Iterator[MadePerson]:
    # Spawned, so that a child starts as the same clean interpreter everywhere.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(
        min(jobs, len(left)), mp_context=context, max_tasks_per_child=PEOPLE_A_PROCESS
    ) as pool:
        waiting: set[Future[MadePerson]] = set()
        queue = iter(left)
        try:
            # Few at a time: a thousand results need not be held.
            for index in queue:
                waiting.add(pool.submit(make, index))
                if len(waiting) >= 2 * jobs:
                    done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                    yield from (future.result() for future in done)
            while waiting:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _through_ray(ray: Any, make: _MakeOne, left: list[int], jobs: int) -> Iterator[MadePerson]:
    """The same by Ray's workers, which share the file system that is written to."""
    started = not ray.is_initialized()
    if started:
        ray.init(num_cpus=jobs, include_dashboard=False, log_to_driver=False)
    try:
        # Ray takes functions, and no other callables.
        task = ray.remote(lambda index: make(index)).options(num_cpus=1)
        waiting: list[Any] = []
        for index in left:
            waiting.append(task.remote(index))
            if len(waiting) >= 2 * jobs:
                done, waiting = ray.wait(waiting, num_returns=1)
                yield from ray.get(done)
        while waiting:
            done, waiting = ray.wait(waiting, num_returns=1)
            yield from ray.get(done)
    finally:
        if started:
            ray.shutdown()


def _ray() -> Any:
    try:
        return importlib.import_module("ray")
    except ModuleNotFoundError as error:
        raise NoRay(
            "engine ray: Ray is not installed; pip install ray, or leave out --engine"
        ) from error
