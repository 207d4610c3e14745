"""The image that the desk image starts from: Debian's slim one, or the same made on the spot."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from deskgym.env.sandbox.base import ImageMissing, SandboxError

if TYPE_CHECKING:
    from docker import DockerClient

Say = Callable[[str], None]

SUITE = "bookworm"
PUBLISHED = ("debian", f"{SUITE}-slim")
_REGISTRY_TIMEOUT_S = 15


class BaseImageUnavailable(ImageMissing):
    """No registry answers and the base cannot be bootstrapped here. The message says why."""


class AptFailed(SandboxError):
    """Debian packages could not be installed. The message holds apt's own words."""


def ensure_base(client: DockerClient, bootstrap: Path, machine: str, say: Say) -> str:
    """The name of a Debian base image on the engine, pulled or bootstrapped if need be."""
    from docker.errors import ImageNotFound

    digest = hashlib.sha256(bootstrap.read_bytes() + f"{SUITE} {machine}".encode())
    own = f"deskgym/base:{digest.hexdigest()[:16]}"
    published = ":".join(PUBLISHED)
    # One that was used before comes first: another base would rebuild every layer.
    for name in (own, published):
        try:
            client.images.get(name)
        except ImageNotFound:
            continue
        return name
    if _pull(client, say):
        return published
    _bootstrap(client, bootstrap, own, machine, say)
    return own


def _pull(client: DockerClient, say: Say) -> bool:
    """Whether the published base could be pulled."""
    from docker.errors import APIError
    from requests.exceptions import RequestException

    name = ":".join(PUBLISHED)
    say(f"pulling {name}")
    try:
        if _registry_hangs(client, name):
            say(f"no registry answered within {_REGISTRY_TIMEOUT_S} s")
            return False
        client.images.pull(*PUBLISHED)
    except (APIError, RequestException) as error:
        reason = getattr(error, "explanation", None) or str(error)
        say(f"could not pull {name}: {reason}")
        return False
    return True


def _registry_hangs(client: DockerClient, name: str) -> bool:
    """Ask for the image's manifest first: a pull itself knows no time limit."""
    from docker.errors import APIError
    from requests.exceptions import Timeout

    usual = client.api.timeout
    client.api.timeout = _REGISTRY_TIMEOUT_S
    try:
        api: Any = client.api  # its stubs leave this call untyped
        api.inspect_distribution(name)
    except Timeout:
        return True
    except APIError:
        # A refusal, or an engine without this call (podman): the pull will tell.
        return False
    finally:
        client.api.timeout = usual
    return False


def _bootstrap(client: DockerClient, script: Path, tag: str, machine: str, say: Say) -> None:
    say(f"bootstrapping {tag} from Debian's packages")
    with tempfile.NamedTemporaryFile(suffix=".tar") as file:
        bootstrap_into(file, script, machine, say)
        repository, _, version = tag.partition(":")
        client.api.import_image_from_file(file.name, repository=repository, tag=version)


def bootstrap_into(file: IO[bytes], script: Path, machine: str, say: Say) -> None:
    """Write a Debian root file system as a tar archive, with mmdebstrap.

    Raises:
        BaseImageUnavailable: it is not to be had here; the message says why and what to do.
        AptFailed: mmdebstrap is missing and could not be installed.
    """
    _require_mmdebstrap(machine, say)
    text = script.read_text()
    if os.geteuid() != 0:  # then a user namespace does, given ranges of users
        text = text.replace("--mode=root", "--mode=unshare")
    run = subprocess.run(
        ["sh", "-c", text, str(script), SUITE, *_host_sources()],
        stdout=file,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        check=False,
    )
    if run.returncode != 0:
        raise BaseImageUnavailable(
            f"{run.stderr.strip()}\nmmdebstrap could not make a Debian {SUITE} base; "
            "check that apt-get update works on this machine"
        )


def _require_mmdebstrap(machine: str, say: Say) -> None:
    ours = {"arm64": "aarch64", "amd64": "x86_64"}.get(platform.machine(), platform.machine())
    remedy = f"make {':'.join(PUBLISHED)} known to the engine (docker pull, or docker load)"
    if ours != machine:
        raise BaseImageUnavailable(
            f"no registry answers, and a base for {machine} cannot be made on {ours}; {remedy}"
        )
    if shutil.which("mmdebstrap") is not None:
        return
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        raise BaseImageUnavailable(
            "no registry answers, and bootstrapping the base needs mmdebstrap, which root can "
            f"install on Debian or Ubuntu: apt-get install mmdebstrap; or {remedy}"
        )
    say("installing mmdebstrap")
    apt_install("mmdebstrap", "debian-archive-keyring")


def apt_install(*packages: str) -> None:
    """Install Debian packages as root; raise `AptFailed` if that does not work."""
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for command in (
        ["apt-get", "update", "-q"],
        ["apt-get", "install", "-y", "-q", "--no-install-recommends", *packages],
    ):
        options: dict[str, Any] = {"capture_output": True, "text": True, "check": False}
        run = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, **options)
        # A source of somebody else's may be out of reach; what counts is whether install works.
        if run.returncode != 0 and command[1] != "update":
            raise AptFailed(f"{run.stderr.strip()}\n`{' '.join(command)}` failed; see above")


def _host_sources() -> list[str]:
    """One-line apt sources for the suite on the mirrors that this machine itself uses.

    Empty where they cannot be told (Ubuntu, say): mmdebstrap then chooses by itself.
    """
    fields = "$(REPO_URI) $(RELEASE) $(ORIGIN) $(COMPONENT)"
    run = subprocess.run(
        ["apt-get", "indextargets", "--format", fields, "Created-By: Packages"],
        capture_output=True,
        text=True,
        check=False,
    )
    found: dict[str, str] = {}
    for line in run.stdout.splitlines():
        uri, release, origin, component = (*line.split(" "), "", "", "", "")[:4]
        if origin != "Debian" or component != "main":
            continue
        # trixie-security -> bookworm-security, trixie -> bookworm; no backports and the like.
        _, dash, pocket = release.partition("-")
        if pocket in ("", "updates", "security"):
            found.setdefault(pocket, f"deb {uri} {SUITE}{dash}{pocket} main")
    return list(found.values()) if "" in found else []
