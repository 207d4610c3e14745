"""The tools, for the host and for the in-desk commands alike, under the same switches."""

from __future__ import annotations

from typing import Any

from .files import MAX_PATH, Files, ToolFault, outer, relative
from .identity import DESK
from .worker import Reply, Worker

READ_TOOLS = ("read_text", "read_image", "read_audio", "read_video", "read_original")
TOOLS = ("list_files", "search", "metadata", *READ_TOOLS)
# What goes off together if the agent sets return_txt or return_img to 0.
FLAGS = {
    "return_txt": ("read_text", "search"),
    "return_img": ("read_image", "read_video"),
}
MAX_FRAMES = 32
_ARGS = {
    "list_files": ("pattern", "modality", "modified_after", "modified_before"),
    "search": ("query", "top_k", "modality"),
    "metadata": ("path",),
    "read_text": ("path", "pages", "lines", "cells", "span_s", "offset", "max_chars"),
    "read_image": ("path", "page", "region", "dpi", "max_side"),
    "read_audio": ("path", "start_s", "end_s"),
    "read_video": ("path", "start_s", "end_s", "frames"),
    "read_original": ("path", "max_bytes"),
}


class Service:
    """Answers tool requests. ``on`` are the tools that the environment switched on; the agent can
    switch the tools of `FLAGS` off and on again within them (``set_flags``)."""

    def __init__(self) -> None:
        self.worker = Worker()
        self.user = ""
        self._files = Files([])
        self._on: frozenset[str] = frozenset()
        self._off_by_agent: set[str] = set()

    def configure(self, user: str, records: list[dict[str, Any]], on: list[str]) -> None:
        self.user = user
        self._files = Files(records)
        self._on = frozenset(on)
        self._off_by_agent.clear()

    def forget_flags(self) -> None:
        self._off_by_agent.clear()

    def is_on(self, tool: str) -> bool:
        return tool in self._on and tool not in self._off_by_agent

    def handle(self, tool: object, args: object, reply: Reply, *, urgent: bool = False) -> None:
        """Do as asked and call ``reply`` once, now or later. What is urgent does not wait for
        what others have asked."""
        try:
            if not isinstance(tool, str) or not isinstance(args, dict):
                raise ToolFault("bad_argument", "a request names a tool and its arguments")
            if tool in ("set_flags", "describe"):
                reply(
                    {
                        "ok": True,
                        "info": self._flags(args) if tool == "set_flags" else self._describe(),
                    },
                    b"",
                )
                return
            if tool not in TOOLS:
                raise ToolFault("bad_argument", f"no such tool: {tool[:40]!r}")
            if not self.is_on(tool):
                raise ToolFault("switched_off", f"{tool} is switched off in this environment")
            given = {k: v for k, v in args.items() if v is not None}
            if unknown := sorted(set(given) - set(_ARGS[tool])):
                raise ToolFault("bad_argument", f"{tool} takes no {unknown[0][:40]!r}")
            for name, value in given.items():
                _check_plain(name, value)
            self._dispatch(tool, given, reply, urgent)
        except ToolFault as fault:
            reply(fault.as_reply(), b"")

    def _dispatch(self, tool: str, args: dict[str, Any], reply: Reply, urgent: bool) -> None:
        if tool == "list_files":
            reply({"ok": True, "info": {"files": self._files.select(**args)}}, b"")
            return
        if tool == "search":
            if not isinstance(args.get("query"), str):
                raise ToolFault("bad_argument", "search takes a query")
            self.worker.ask("search", "", args, reply, urgent=urgent)
            return
        path = args.pop("path", None)
        if tool == "metadata":
            record = self._files.metadata(path)
            reply({"ok": True, "info": record, "opened": []}, b"")
            return
        inner = self._files.resolve(path)

        def answer(header: dict[str, Any], payload: bytes) -> None:
            header.setdefault("info", {})["path"] = inner
            header["opened"] = [outer(inner)]
            if tool in ("read_audio", "read_video") and not self.is_on("read_text"):
                _withhold_words(header)
            reply(_hide_folder(header), payload)

        self.worker.ask(tool, f"{DESK}/{inner}", args, answer, urgent=urgent)

    def _flags(self, args: dict[str, Any]) -> dict[str, Any]:
        for name, tools in FLAGS.items():
            if name in args:
                wanted = bool(args[name])
                if wanted and tools[0] not in self._on:
                    raise ToolFault(
                        "switched_off", f"{name} is switched off by the environment and stays off"
                    )
                off = self._off_by_agent
                off.difference_update(tools) if wanted else off.update(tools)
        return {"return_txt": self.is_on("read_text"), "return_img": self.is_on("read_image")}

    def _describe(self) -> dict[str, Any]:
        return {"user": self.user, "on": [t for t in TOOLS if self.is_on(t)]}


def _check_plain(name: str, value: object) -> None:
    """Refuse what no tool takes: anything long or nested. The agent can ask by itself."""
    most = MAX_FRAMES if name == "frames" else 4
    for item in value if isinstance(value, list) and len(value) <= most else [value]:
        if not isinstance(item, (bool, int, float, str)):
            raise ToolFault("bad_argument", f"{name} is a plain value or up to {most} of them")
        # A path has a limit, and a message, of its own.
        if isinstance(item, str) and len(item) > MAX_PATH and name != "path":
            raise ToolFault("bad_argument", f"{name} has {len(item)} characters")


def _withhold_words(header: dict[str, Any]) -> None:
    """A clip without what is said in it: text is off, whichever way it might come."""
    if header.get("segments"):
        header["segments"] = []
        header["notes"] = [*header.get("notes", []), "read_text is off: the words are left out"]


def _hide_folder(header: dict[str, Any]) -> dict[str, Any]:
    """Errors name files as the agent knows them."""
    error = header.get("error")
    if isinstance(error, dict) and isinstance(error.get("message"), str):
        error["message"] = error["message"].replace(DESK + "/", "")
    return header


def path_of(args: object) -> str | None:
    """The path that a request is about, as far as it is one."""
    if isinstance(args, dict) and "path" in args:
        try:
            return relative(args["path"])
        except ToolFault:
            return None
    return None
