"""What a data set has on the Hugging Face hub, through the hub's own library.

Getting it is `deskgym.datasets_fetch`.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import sys
import time
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from deskgym.tasks.schema import RelativePath

PAUSES_S: Final = (1.0, 3.0, 10.0)
"""How long to wait before each new try after a network error."""
TIMEOUT_S: Final = 30.0
_PASSING: Final = frozenset({408, 416, 425, 429, 500, 502, 503, 504})

T = TypeVar("T")


class FetchError(RuntimeError):
    """Fetching cannot go on. The message says why, and what to do."""


class HubMissing(FetchError):
    """The hub's library is not installed."""


class HubUnavailable(FetchError):
    """The hub does not answer, or not with what was asked for."""


class NoSpace(FetchError):
    """The disk has too little room."""


class WrongContent(FetchError):
    """What came is not what the hub's list says; it was deleted."""


class BadListing(FetchError):
    """The hub's list of files cannot be used: no sizes, or names outside of the folder."""


class HubFile(BaseModel):
    """A file of a data set: large ones have a SHA-256, all others git's hash of a blob."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: RelativePath
    size: int = Field(ge=0, description="bytes")
    sha256: str | None = Field(default=None, pattern=r"^[0-9a-f]{64}$")
    blob_id: str | None = Field(default=None, pattern=r"^[0-9a-f]{40}$")

    @property
    def key(self) -> str:
        """A name for its content."""
        return self.sha256 or self.blob_id or hashlib.sha256(self.path.encode()).hexdigest()


class Listing(BaseModel):
    """The files of a data set on the hub as of one commit."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    repo: str
    commit: str
    files: tuple[HubFile, ...]


def listing(repo: str) -> Listing:
    """The files of the data set ``repo`` (``owner/name``) with sizes and hashes.

    ``$HF_ENDPOINT`` names another hub.

    Raises:
        HubMissing, HubUnavailable: the library is not there, or the hub does not say.
        BadListing: a file of the list would lie outside of the data set's folder.
    """
    api = library().HfApi(endpoint=endpoint())

    def ask() -> Any:
        return api.dataset_info(repo, files_metadata=True, timeout=TIMEOUT_S)

    info = patiently(ask, f"the list of {repo}", "the same command tries again")
    try:
        files = tuple(
            HubFile(
                path=sibling.rfilename,
                size=sibling.size,
                sha256=sibling.lfs.sha256 if sibling.lfs else None,
                blob_id=None if sibling.lfs else sibling.blob_id,
            )
            for sibling in info.siblings or ()
        )
    except ValidationError as error:
        fault = error.errors()[0]
        raise BadListing(
            f"the hub's list of {repo} cannot be trusted: {fault['loc'][0]}: {fault['msg']} "
            f"({str(fault['input'])[:80]!r}); nothing was fetched"
        ) from error
    for file in files:
        plain = str(PurePosixPath(file.path)) == file.path
        if not plain or file.path.startswith(".deskgym"):
            raise BadListing(f"the hub's list of {repo} names {file.path!r}; nothing was fetched")
    return Listing(repo=repo, commit=info.sha or "main", files=files)


def size_of(count: int) -> str:
    """A number of bytes to read: ``1.5 GB``."""
    value, unit = float(count), "B"
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if value < 1000 or unit == "TB":
            break
        value /= 1000
    return f"{count} B" if unit == "B" else f"{value:.1f} {unit}"


def library() -> Any:
    """The hub's library, set to send no data about its use.

    Raises:
        HubMissing: it is not installed.
    """
    # Read once, when the library is imported: no data about its use is sent, and nothing is
    # fetched by another protocol than HTTP.
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    os.environ.setdefault("HF_HUB_DISABLE_XET", "1")
    try:
        import huggingface_hub
    except ImportError as error:
        raise HubMissing(
            "fetching needs the hub's library; install it: pip install 'deskgym[hub]'"
        ) from error
    return huggingface_hub


def request_headers() -> dict[str, str]:
    """What requests to the hub carry: who asks, and the user's token, if there is one."""
    utils = importlib.import_module("huggingface_hub.utils")
    headers: dict[str, str] = utils.build_hf_headers(library_name="deskgym")
    return headers


def endpoint() -> str | None:
    """The hub that ``$HF_ENDPOINT`` names; None: the usual one."""
    return (os.environ.get("HF_ENDPOINT") or "").rstrip("/") or None


def _network_errors() -> tuple[type[Exception], ...]:
    """What the hub's library raises when the network fails: its HTTP client's errors, and which
    client that is has changed over its versions."""
    found: list[type[Exception]] = [ConnectionError]
    clients = (
        ("requests", "RequestException"),
        ("httpx", "TransportError"),
        ("httpx2", "TransportError"),
    )
    for module, name in clients:
        if module in sys.modules:
            found.append(getattr(sys.modules[module], name))
    return tuple(found)


def patiently(
    do: Callable[[], T],
    what: str,
    remedy: str,
    progress: Callable[[], int] = lambda: 0,
) -> T:
    """What ``do`` returns, tried again after errors that may pass.

    ``progress`` grows as long as the tries get on; after such a try patience begins anew.

    Raises:
        HubUnavailable: an error that does not pass.
    """
    import requests
    from huggingface_hub.errors import HfHubHTTPError

    tries, before = 0, progress()
    while True:
        try:
            return do()
        except (HfHubHTTPError, requests.HTTPError) as error:
            last: Exception = error
            status = error.response.status_code if error.response is not None else None
            if status not in _PASSING:
                raise _refused(what, status, error) from error
        except _network_errors() as error:
            last = error
        now = progress()
        tries, before = (0 if now > before else tries), now
        if tries == len(PAUSES_S):
            raise HubUnavailable(
                f"{what} did not come, after {tries + 1} tries: {_line(last)}; {remedy}"
            ) from last
        time.sleep(PAUSES_S[tries])
        tries += 1


def _refused(what: str, status: int | None, error: Exception) -> HubUnavailable:
    if status in (401, 403):
        return HubUnavailable(
            f"the hub does not give {what} to you (status {status}): ask for access on its page, "
            "then log in (hf auth login) or set HF_TOKEN"
        )
    return HubUnavailable(f"the hub does not give {what}: {_line(error)}")


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__
