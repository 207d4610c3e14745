"""DeskGym: an agent answers questions over one person's computer, inside a sealed container.

>>> import deskgym
>>> env = deskgym.make()
>>> observation, info = env.reset(profile="adam")
"""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import gymnasium as gym

if TYPE_CHECKING:
    from deskgym.env.desk_env import DeskEnv

__version__ = version("deskgym")
__all__ = ["ENV_ID", "DeskEnv", "make"]

ENV_ID = "DeskGym/Desk-v0"

gym.register(id=ENV_ID, entry_point="deskgym.env.desk_env:DeskEnv")


def make(dataset: str = "demo", **options: Any) -> DeskEnv:
    """A desk environment. ``options`` are those of `DeskEnv`.

    The same as ``gymnasium.make("deskgym:DeskGym/Desk-v0", dataset=...)`` without its wrappers,
    so that ``env.reset(profile=...)`` can be said as it is.
    """
    from deskgym.env.desk_env import DeskEnv

    return DeskEnv(dataset, **options)


def __getattr__(name: str) -> Any:
    # Late, so that `import deskgym` and the command line do not bring in the engine's client.
    if name == "DeskEnv":
        from deskgym.env.desk_env import DeskEnv

        return DeskEnv
    raise AttributeError(f"module 'deskgym' has no attribute {name!r}")
