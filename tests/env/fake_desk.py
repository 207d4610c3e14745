"""A desk without an engine, and a small data set, for tests of the environment itself."""

from __future__ import annotations

import hashlib
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from deskgym.env.sandbox.base import (
    ConfigureRequest,
    DeskDied,
    DeskError,
    ExecRequest,
    Request,
    ResetRequest,
    Response,
    ToolRequest,
    WireMedia,
    WireSegment,
)
from deskgym.tasks.findings import Finding
from deskgym.tasks.registry import profile_id
from deskgym.tasks.schema import Evidence, FileRecord, Profile, RationaleStep, Task

FILES = {
    "ann": {
        "notes/heron.txt": "the zinc heron sleeps at quarter past nine",
        "notes/lamp.txt": "the copper lamp was sold in May for 300 euros",
    },
    "bob": {"list.txt": "five green apples"},
}


class FakeDataset:
    """Two people: ann has three tasks (one unanswerable), bob one."""

    name = "fake"
    digest = "d" * 64

    def profiles(self) -> tuple[str, ...]:
        return tuple(f"fake/{name}" for name in FILES)

    def profile(self, name: str) -> Profile:
        full = profile_id(self, name)
        person = full.partition("/")[2]
        return Profile(
            id=full,
            user=person.title(),
            root=Path("/nowhere"),
            files=tuple(
                FileRecord(
                    id=number,
                    path=path,
                    type="txt",
                    modality="text",
                    size=len(text),
                    sha256=hashlib.sha256(text.encode()).hexdigest(),
                    created=datetime(2024, 5, 1),
                    modified=datetime(2024, 5, 2),
                )
                for number, (path, text) in enumerate(FILES[person].items(), 1)
            ),
            digest="e" * 64,
        )

    def profile_for(self, task: Task) -> Profile:
        return self.profile(task.profile_id)

    def findings(self, name: str) -> tuple[Finding, ...]:
        return ()

    def tasks(self, name: str) -> tuple[Task, ...]:
        if profile_id(self, name) == "fake/bob":
            return (_task("bob", 1, "list.txt", "five green apples"),)
        return (
            _task("ann", 1, "notes/heron.txt", FILES["ann"]["notes/heron.txt"]),
            _task("ann", 2, "notes/lamp.txt", FILES["ann"]["notes/lamp.txt"]),
            Task(
                id="ann-003",
                profile_id="fake/ann",
                question="When was the lamp bought?",
                answer="The files do not say.",
                answerable=False,
                qa_type="factual_retention",
            ),
        )


def _task(person: str, number: int, path: str, text: str) -> Task:
    evidence = Evidence(
        evidence_id="e1", file_path=path, modality="text", locator="lines:1", text=text
    )
    return Task(
        id=f"{person}-{number:03d}",
        profile_id=f"fake/{person}",
        question=f"Question {number} about {path}?",
        answer=text,
        qa_type="factual_retention",
        files=(path,),
        evidence=(evidence,),
        rationale=(RationaleStep(step_id=1, text="Read it.", evidence_ids=("e1",)),),
    )


class FakeDesk:
    """Shows the person's texts; ``kill`` makes it die at the next request."""

    def __init__(self, person: Profile) -> None:
        self.texts = FILES[person.name]
        self.requests: list[Request] = []
        self.media: list[tuple[str, bytes]] = []
        self.started = self.closed = self.dead = False
        self.resets = 0

    def start(self) -> None:
        self.started = True

    def configure(
        self, user: str, files: tuple[dict[str, Any], ...], tools: tuple[str, ...]
    ) -> None:
        self.request(ConfigureRequest(user=user, files=files, tools=tools))

    def kill(self) -> None:
        self.dead = True

    def request(self, request: Request) -> Response:
        if self.dead or self.closed:
            raise DeskDied("the desk ended; exit status 137")
        self.requests.append(request)
        if isinstance(request, ExecRequest):
            return self._run(request.command)
        if isinstance(request, ToolRequest):
            return self._tool(request.tool, request.args)
        return Response(ok=True)

    def reset(self) -> None:
        self.resets += 1
        self.request(ResetRequest())

    def close(self) -> None:
        self.closed = True

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _run(self, command: str) -> Response:
        """``cat PATH`` works, ``sleep`` runs out of time, and all else prints itself."""
        name, _, path = command.partition(" ")
        if name == "sleep":
            return Response(ok=True, timed_out=True, payload=b"\n[timed out]\n")
        if name == "cat" and path in self.texts:
            text = self.texts[path].encode()
            return Response(ok=True, exit_status=0, payload=text, opened=(path,))
        status = 1 if name == "false" else 0
        return Response(ok=True, exit_status=status, payload=command.encode())

    def _tool(self, tool: str, args: dict[str, Any]) -> Response:
        if tool == "list_files":
            files = [
                {"path": p, "modality": "text", "size": len(t), "modified": "2024-05-02T00:00:00"}
                for p, t in self.texts.items()
            ]
            return Response(ok=True, info={"files": files})
        if tool == "search":
            return self._search(args["query"])
        path = args["path"]
        if path not in self.texts:
            return Response(
                ok=False, error=DeskError(kind="not_found", message=f"no such file: {path!r}")
            )
        if tool == "metadata":
            return Response(ok=True, info={"path": path, "size": len(self.texts[path])})
        if tool == "read_text":
            segment = WireSegment(locator="lines:1", text=self.texts[path])
            info = {"path": path, "mime": "text/plain", "lines": 1}
            return Response(ok=True, info=info, segments=(segment,), opened=(path,))
        place = "file"
        if tool in ("read_audio", "read_video"):
            place = f"time:{args.get('start_s', 0):g}-{args.get('end_s', 1):g}"
        media = tuple(WireMedia(mime=m, size=len(d), locator=place) for m, d in self.media)
        return Response(
            ok=True,
            info={"path": path},
            media=media,
            opened=(path,),
            payload=b"".join(data for _, data in self.media),
        )

    def _search(self, query: str) -> Response:
        """The files that hold the query: first by their text, then by their name alone."""
        hits = [
            {"path": p, "locator": "lines:1", "snippet": t, "score": 2.5}
            for p, t in self.texts.items()
            if query in t
        ]
        hits += [
            {"path": p, "locator": "file", "snippet": p, "score": 1.0}
            for p in self.texts
            if query in p and query not in self.texts[p]
        ]
        return Response(ok=True, info={"hits": hits}, notes=() if hits else ("nothing fits",))
