"""Joining a Ray cluster, or starting one of this machine alone."""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from deskgym.env.sandbox.sweep import process_exists

OBJECT_STORE_BYTES = 100 << 20  # events and pictures pass through; nothing stays
_PREFIX = "deskgym-ray-"


class RayMissing(RuntimeError):
    """Ray is not installed. The message holds the command."""


class ClusterUnavailable(RuntimeError):
    """There is no cluster at that address, or nothing on it to play on."""


@contextmanager
def joined(address: str | None = None) -> Iterator[Any]:
    """The module ``ray``, connected; where it was already, that connection is used and stays.

    ``address`` is that of a cluster ("auto": the one that this machine belongs to); without one, a
    cluster of this machine alone is started, which ends with the block, and with this process.

    Raises:
        RayMissing, ClusterUnavailable: as their names say.
    """
    try:
        import ray
    except ModuleNotFoundError as error:
        if error.name != "ray":
            raise
        raise RayMissing(
            "the engine ray needs Ray, which is not installed: pip install 'deskgym[ray]'"
        ) from error
    if ray.is_initialized():
        yield ray
        return
    if address is not None:
        _connect(ray, address)
        try:
            yield ray
        finally:
            ray.shutdown()
        return
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    _clear_up()
    with tempfile.TemporaryDirectory(prefix=f"{_PREFIX}{os.getpid()}-") as folder:
        try:
            ray.init(
                address="local",
                num_cpus=1,
                include_dashboard=False,
                object_store_memory=OBJECT_STORE_BYTES,
                log_to_driver=False,
                logging_level=logging.ERROR,
                _temp_dir=folder,
            )
            yield ray
        finally:
            ray.shutdown()


def _connect(ray: Any, address: str) -> None:
    if address.startswith("ray://"):
        raise ClusterUnavailable(
            f"{address} is that of a Ray client, through which episodes cannot be followed: run "
            "on a machine of the cluster, with --address auto"
        )
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise ClusterUnavailable(
            f"there is no Ray cluster at {address} ({error}): start one with `ray start --head`, "
            "join more machines with `ray start --address HOST:6379`, or leave --address out"
        ) from error


def _clear_up() -> None:
    """Remove what clusters left behind whose starter was killed; they ended with it."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        pid = folder.name.removeprefix(_PREFIX).partition("-")[0]
        if pid.isdigit() and not process_exists(int(pid)):
            with contextlib.suppress(PermissionError):  # another user's
                shutil.rmtree(folder)
