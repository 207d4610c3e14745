"""A Dockerfile as data: as much of the language as the recipes here are written in."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field

_VARIABLE = re.compile(r"\$\{(\w+)\}")


class RecipeError(ValueError):
    """The Dockerfile holds what is not understood here. The message holds the line."""


@dataclass(frozen=True)
class Copy:
    """``source`` of the context, or of another stage, to ``target``; of a folder, what is in it."""

    source: str
    target: str
    stage: str | None = None


@dataclass(frozen=True)
class Run:
    """A line for ``/bin/sh -c``."""

    command: str


@dataclass
class Stage:
    """What is done to a copy of ``base``, another stage's name or an image's."""

    base: str
    name: str
    steps: list[Copy | Run] = field(default_factory=list)
    env: dict[str, str] = field(default_factory=dict)
    entrypoint: tuple[str, ...] = ()


def read_recipe(text: str, arguments: Mapping[str, str]) -> list[Stage]:
    """The stages of a Dockerfile; ``arguments`` are the values of its ARGs.

    Raises:
        RecipeError: an instruction, or a form of one, that is not known here.
    """
    stages: list[Stage] = []
    for line in _lines(text):
        word, _, rest = line.partition(" ")
        rest = rest.strip()
        if word == "ARG":
            continue
        if word in ("LABEL", "WORKDIR"):  # of interest to engines alone
            continue
        if word == "FROM":
            stages.append(_stage(_filled(rest, arguments), len(stages)))
            continue
        if not stages:
            raise RecipeError(f"nothing to do this to: {line}")
        stage = stages[-1]
        if word == "COPY":
            stage.steps.append(_copy(rest))
        elif word == "RUN":
            stage.steps.append(Run(rest))
        elif word == "ENV":
            stage.env |= dict(pair.split("=", 1) for pair in shlex.split(rest))
        elif word == "ENTRYPOINT":
            stage.entrypoint = tuple(json.loads(rest))
        else:
            raise RecipeError(f"not understood: {line}")
    return stages


def _lines(text: str) -> list[str]:
    """Instructions, a line each: comments are dropped and continued lines joined."""
    kept = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [line.strip() for line in re.sub(r"\\\n", " ", "\n".join(kept)).splitlines()]


def _stage(text: str, number: int) -> Stage:
    words = text.split()
    if len(words) == 3 and words[1] == "AS":
        return Stage(words[0], words[2])
    if len(words) == 1:
        return Stage(words[0], str(number))
    raise RecipeError(f"not understood: FROM {text}")


def _copy(text: str) -> Copy:
    words = text.split()
    stage = words.pop(0).removeprefix("--from=") if words[0].startswith("--from=") else None
    if len(words) != 2 or words[0].startswith("--"):
        raise RecipeError(f"not understood: COPY {text}")
    return Copy(words[0], words[1], stage)


def _filled(text: str, arguments: Mapping[str, str]) -> str:
    def value(match: re.Match[str]) -> str:
        if match[1] not in arguments:
            raise RecipeError(f"no value for the argument {match[1]}")
        return arguments[match[1]]

    return _VARIABLE.sub(value, text)
