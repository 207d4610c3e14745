"""The profile as the runner knows it: its records, and which paths may be read."""

from __future__ import annotations

import fnmatch
import os
from typing import Any

from .identity import ALIASES, DESK

MAX_PATH = 4096
SEPARATOR = "!/"  # between a file and a member of it


class ToolFault(Exception):
    """A tool that could not do as asked: its kind, what is wrong, and what to do."""

    def __init__(self, kind: str, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.remedy = remedy

    def as_reply(self) -> dict[str, Any]:
        error = {"kind": self.kind, "message": self.message, "remedy": self.remedy}
        return {"ok": False, "error": error}


def relative(path: object) -> str:
    """``path`` as one relative to the profile, spelled without detours.

    Raises:
        ToolFault: it is no path, or leads out of the profile.
    """
    if not isinstance(path, str) or not path:
        raise ToolFault("bad_argument", "a path is a non-empty string", "see list_files")
    shown = path[:80]
    try:
        size = len(os.fsencode(path))
    except UnicodeEncodeError as error:  # half of a surrogate pair, as JSON can spell it
        raise ToolFault("bad_argument", f"not a path: {shown!r}", "see list_files") from error
    if size > MAX_PATH:
        raise ToolFault("bad_argument", f"a path of {len(path)} characters: {shown!r}...")
    if "\0" in path:
        raise ToolFault("bad_argument", f"a path holds no NUL: {shown!r}")
    inner = path
    for alias in ALIASES:
        if path == alias or path.startswith(alias + "/"):
            inner = path[len(alias) + 1 :]
            break
    if inner.startswith("/") or ".." in inner.split("/"):
        raise ToolFault(
            "outside_profile",
            f"outside of the profile: {shown!r}",
            "give a path relative to /desk, as list_files does",
        )
    return os.path.normpath(inner) if inner else "."


def outer(inner: str) -> str:
    """The file on the desk that holds what a relative path names: of ``a.zip!/b.txt`` it is
    ``a.zip``, if that is a file and nothing has the whole name; of any other path itself."""
    at = inner.find(SEPARATOR)
    if at < 0 or os.path.lexists(os.path.join(DESK, inner)):
        return inner
    while at >= 0:
        if os.path.isfile(os.path.join(DESK, inner[:at])):
            return inner[:at]
        at = inner.find(SEPARATOR, at + 1)
    return inner


class Files:
    """What `configure` told about the profile's files."""

    def __init__(self, records: list[dict[str, Any]]) -> None:
        self._records = {record["path"]: record for record in records}

    def resolve(self, path: object) -> str:
        """The relative path of a regular file of the profile, or of a member of one, such as
        ``a.zip!/b.txt``: of that only the outer file is looked at.

        Raises:
            ToolFault: there is none, or it is a link that leads out.
        """
        inner = relative(path)
        self._check(outer(inner))
        return inner

    def _check(self, inner: str) -> None:
        full = os.path.join(DESK, inner)
        real = os.path.realpath(full)
        if real != DESK and not real.startswith(DESK + "/"):
            raise ToolFault("outside_profile", f"a link that leads out of the profile: {inner!r}")
        if not os.path.lexists(full):
            raise ToolFault("not_found", f"no such file: {inner!r}", self._near(inner))
        if not os.path.isfile(full):
            raise ToolFault(
                "not_a_file", f"not a file: {inner!r}", "list_files shows what is in it"
            )
        if not os.access(full, os.R_OK):
            raise ToolFault("unreadable", f"the file may not be read: {inner!r}")

    def _near(self, inner: str) -> str:
        import difflib

        name = os.path.basename(inner).casefold()
        by_name = {os.path.basename(p).casefold(): p for p in self._records}
        near = difflib.get_close_matches(name, by_name, n=3, cutoff=0.6)
        if not near:
            return "see list_files"
        return "did you mean " + " or ".join(repr(by_name[n]) for n in near) + "?"

    def metadata(self, path: object) -> dict[str, Any]:
        """The record of one file."""
        inner = self.resolve(path)
        record = self._records.get(inner)
        if record is None:
            raise ToolFault(
                "not_found",
                f"nothing is known about {inner!r}",
                f"ask for {outer(inner)!r}" if outer(inner) != inner else "see list_files",
            )
        return record

    def select(
        self,
        pattern: object = None,
        modality: object = None,
        modified_after: object = None,
        modified_before: object = None,
    ) -> list[dict[str, Any]]:
        """The records that fit, by path.

        A pattern with ``*``, ``?`` or ``[`` is a glob over the whole path or the name, in which
        ``*`` crosses folders; any other is a folder, or part of a path. Case does not matter.
        Times are ISO 8601 and compared as text, which for one format is comparing times.
        """
        wanted = str(pattern).casefold() if pattern else ""
        for alias in ALIASES:
            wanted = wanted.removeprefix(alias + "/")
        wanted = wanted.removeprefix("./")
        glob = any(c in wanted for c in "*?[")

        def fits(record: dict[str, Any]) -> bool:
            path = record["path"].casefold()
            if glob:
                name = os.path.basename(path)
                if not (fnmatch.fnmatchcase(path, wanted) or fnmatch.fnmatchcase(name, wanted)):
                    return False
            elif wanted not in ("", ".") and wanted not in path:
                return False
            modified = record["modified"]
            return (
                (not modality or record["modality"] == modality)
                and (not modified_after or modified >= str(modified_after))
                and (not modified_before or modified <= str(modified_before))
            )

        return [r for path, r in sorted(self._records.items()) if fits(r)]
