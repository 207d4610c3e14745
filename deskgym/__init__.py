"""DeskGym: an agent answers questions over one person's computer, inside a sealed container.

>>> import deskgym
>>> env = deskgym.make()
>>> observation, info = env.reset(profile="adam")
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import gymnasium as gym

if TYPE_CHECKING:
    from gymnasium.vector import VectorEnv

    from deskgym.env.desk_env import DeskEnv as DeskEnv
    from deskgym.env.server.client import AsyncDeskClient as AsyncDeskClient
    from deskgym.env.server.client import DeskClient as DeskClient

__version__ = version("deskgym")

ENV_ID = "DeskGym/Desk-v0"

gym.register(id=ENV_ID, entry_point="deskgym.env.desk_env:DeskEnv")


def make(
    dataset: str = "demo", *, made: Mapping[str, Any] | None = None, **options: Any
) -> DeskEnv:
    """A desk environment. ``options`` are those of `DeskEnv`.

    ``made`` says whom the data set ``made`` consists of: ``people``, ``months``, ``seed``,
    ``difficulty``, ``setting``, ``multimodal``, or the ``path`` of a set that
    ``deskgym generate`` wrote. People are made when an episode first needs them.

    The same as ``gymnasium.make("deskgym:DeskGym/Desk-v0", dataset=...)`` without its wrappers,
    so that ``env.reset(profile=...)`` can be said as it is.
    """
    from deskgym.env.desk_env import DeskEnv

    if made is not None:
        if dataset != "made":
            raise ValueError(f"made: goes with dataset='made', not with {dataset!r}")
        options["dataset_options"] = {**(options.get("dataset_options") or {}), **made}
    return DeskEnv(dataset, **options)


def make_vec(n: int, **options: Any) -> VectorEnv[Any, Any, Any]:
    """``n`` desk environments as one; see `deskgym.env.vector.make_vec` for the options.

    >>> envs = deskgym.make_vec(8, profiles=["adam", "bei"])
    """
    from deskgym.env.vector import make_vec

    return make_vec(n, **options)


# Late, so that `import deskgym` and the command line bring in neither the engine's client nor what
# is an extra.
_LATE = {
    "DeskEnv": "deskgym.env.desk_env",
    "DeskClient": "deskgym.env.server.client",
    "AsyncDeskClient": "deskgym.env.server.client",
}
# verifiers looks for its classes in the package that an id names; nobody else is shown them.
_FOR_VERIFIERS = dict.fromkeys(
    ("DeskHarness", "DeskSeatEnv", "DeskTaskset"), "deskgym.agents.adapters.verifiers_v1"
)


def __getattr__(name: str) -> Any:
    if name == "__all__":
        there = {"ENV_ID", "make", "make_vec", *_LATE}
        return sorted(there | set(_FOR_VERIFIERS) if "verifiers.v1" in sys.modules else there)
    module = _LATE.get(name) or _FOR_VERIFIERS.get(name)
    if module is None:
        raise AttributeError(f"module 'deskgym' has no attribute {name!r}")
    return getattr(importlib.import_module(module), name)
