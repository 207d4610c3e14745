"""Other users for the tests: without any right to more users, and with ranges of them.

A program of theirs runs in mounts of its own, over which files in /etc are laid for the time:
nothing of this machine is changed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

ALONE, RANGED = 61_234, 61_235
_FIRST, _COUNT = 700_000, 65_536
_SELF_TEST = """
import subprocess, sys
import deskgym.env.sandbox.bwrap, deskgym.cli.main
subprocess.run([sys.executable, "-c", ""], check=True)
"""
_LAY = """
for name in passwd subuid subgid; do mount --bind "$1/$name" "/etc/$name" || exit 97; done
shift
exec "$@"
"""


@dataclass(frozen=True)
class Stranger:
    """An unprivileged user with a home of its own below ``home``."""

    uid: int
    home: Path
    python: str

    def run(self, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a Python program as this user, which finds this very package."""
        etc = self.home.parent / "etc"
        etc.mkdir(exist_ok=True)
        name = f"stranger{self.uid}"
        passwd = Path("/etc/passwd").read_text()
        (etc / "passwd").write_text(f"{passwd}{name}:x:{self.uid}:{self.uid}::/:/bin/sh\n")
        ranges = f"{name}:{_FIRST}:{_COUNT}\n" if self.uid == RANGED else ""
        (etc / "subuid").write_text(ranges)
        (etc / "subgid").write_text(ranges)
        become = ["setpriv", f"--reuid={self.uid}", f"--regid={self.uid}", "--clear-groups"]
        # Where this package is installed for editing, its folder alone does not do.
        purelib = sysconfig.get_path("purelib")
        (etc / "sitecustomize.py").write_text(f"import site; site.addsitedir({purelib!r})\n")
        words = [self.python, "-c", program, *arguments]
        return subprocess.run(
            ["unshare", "--mount", "sh", "-c", _LAY, "sh", str(etc), *become, *words],
            env={
                "PATH": "/usr/local/bin:/usr/bin:/bin",
                "HOME": str(self.home),
                "DOCKER_HOST": f"unix://{self.home}/none.sock",
                "PYTHONDONTWRITEBYTECODE": "1",
                "PYTHONPATH": f"{etc}:{purelib}",
            },
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )


@contextmanager
def open_folder() -> Iterator[Path]:
    """A folder that others may look into, as pytest's own are closed to them."""
    with tempfile.TemporaryDirectory(prefix="deskgym-strangers-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


def stranger(uid: int, home: Path) -> Stranger:
    """A user who can run this package; skips where there can be none."""
    if os.geteuid() != 0:
        pytest.skip("only root can become somebody else")
    for file in ("/etc/subuid", "/etc/subgid"):
        if not Path(file).exists():
            pytest.skip(f"there is no {file} to lay another over")
    home.mkdir()
    os.chown(home, uid, uid)
    for python in dict.fromkeys((sys.executable, "/usr/bin/python3")):
        if shutil.which(python) is None:
            continue
        user = Stranger(uid, home, python)
        if user.run(_SELF_TEST).returncode == 0:
            return user
    pytest.skip("no Python here that another user can run this package with")
