"""An agent that does not answer but cheats: it tries to get out of the desk, and at the gold.

It is a test of the sandbox in an agent's clothes: it has what any agent has, and answers with a
JSON report of what it tried. A sealed desk gives ``succeeded: false`` throughout.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from deskgym.agents.base import TaskView
from deskgym.env.actions import ALL_TOOLS, ALWAYS_ON, Answer
from deskgym.env.observations import Observation

PROBES = ("network", "identity", "writes", "processes", "kernel", "secrets", "switched_off")
_SAMPLE = "CANARY-SAMPLE "
_LINE = "CANARY "
_DONE = "CANARY-DONE"
# Paths that lead out of the profile, or are no paths. The links are made by the sample probe.
TRICKS: tuple[tuple[str, str], ...] = (
    ("parent folders", "../etc/passwd"),
    ("many parent folders", "a/../../../../../../etc/passwd"),
    ("an absolute path", "/etc/passwd"),
    ("parents of the mount", "/desk/../etc/passwd"),
    ("parents of the alias", "/hippocamp/data/../../etc/passwd"),
    ("a doubled slash", "//etc/passwd"),
    ("a link in scratch", "/scratch/canary/passwd"),
    ("a link in scratch by parents", "../scratch/canary/passwd"),
    ("a NUL", "/etc/passwd\0.txt"),
    ("4,000 characters", "a/" * 2_000),
    ("its own environment", "/proc/self/environ"),
    ("a link to the environment", "/scratch/canary/environ"),
    ("the root of init", "/proc/1/root/etc/passwd"),
    ("the tools' library", "/opt/deskgym/runner.py"),
    ("a URL", "file:///etc/passwd"),
    ("a home", "~/canary/passwd"),
    ("a variable", "$HOME/canary/passwd"),
    ("encoded parents", "%2e%2e/etc/passwd"),
)
TRICKED_TOOLS = ("read_text", "read_original", "read_image", "metadata")


@dataclass(frozen=True)
class Attempt:
    """One line of the report. ``attempted`` is False if there was no step or no way to try."""

    name: str
    attempted: bool
    succeeded: bool
    detail: str

    def as_json(self) -> dict[str, Any]:
        return vars(self)


@dataclass
class _Stage:
    """An action, and what its observation says about the attempts that it makes."""

    name: str
    action: dict[str, Any]
    kind: str  # probe, sample, trick or switched_off
    evidence: tuple[str, ...] = field(default=())  # texts of which any shows that it succeeded


class CanaryAgent:
    """Tries everything, then answers ``{"attempts": [{name, attempted, succeeded, detail}]}``.

    ``markers`` are texts of other people's files or names, which must not be found anywhere.
    Give it ``max_steps`` of 120 and switch some tools off, so that there is something to try.
    """

    name = "canary"

    def __init__(self, markers: Sequence[str] = ()) -> None:
        self._markers = list(markers)
        self._tools: frozenset[str] = frozenset()
        self._sample: dict[str, Any] = {"text": None, "line": "", "picture": None}
        self._sample |= {"sound": None, "film": None}
        self._attempts: list[Attempt] = []
        self._stages: list[_Stage] = []
        self._now: _Stage | None = None

    def reset(self, task: TaskView, tools: frozenset[str]) -> None:
        """Start over: what was found in an earlier desk is forgotten."""
        self.__init__(self._markers)  # type: ignore[misc]  # the state is that of a new one
        self._tools = tools
        if "terminal" in tools:
            sample = {"tool": "terminal", "command": self._script("sample")}
            self._stages.append(_Stage("sample", sample, "sample"))
        else:
            self._stages += self._stages_after_sample()

    def act(self, observation: Observation) -> dict[str, Any] | Answer:
        """The next attempt, or the report when there is none left or no step for it."""
        if self._now is not None:
            self._judge(self._now, observation)
        if self._stages and observation["steps_left"] > 1:
            self._now = self._stages.pop(0)
            return self._now.action
        self._attempts += [Attempt(s.name, False, False, "no step left") for s in self._stages]
        report = {"attempts": [attempt.as_json() for attempt in self._attempts]}
        return Answer(text=json.dumps(report))

    def _judge(self, stage: _Stage, observation: Observation) -> None:
        text = observation["text"]
        if stage.kind == "sample":
            lines = [one for one in text.splitlines() if one.startswith(_SAMPLE)]
            if lines:
                self._sample = json.loads(lines[-1].removeprefix(_SAMPLE))
            else:
                self._attempts.append(Attempt("sample", False, False, text[-300:]))
            self._stages += self._stages_after_sample()
        elif stage.kind == "probe":
            self._attempts += _reported(stage.name, text)
        else:
            shown = [piece for piece in stage.evidence if piece in text]
            shown += [f"{m.mime} of {len(m.data)} bytes" for m in observation["media"]]
            detail = ", ".join(shown) or text[:300]
            self._attempts.append(Attempt(stage.name, True, bool(shown), detail))

    def _stages_after_sample(self) -> Iterator[_Stage]:
        if "terminal" in self._tools:
            for name in PROBES:
                action = {"tool": "terminal", "command": self._script(name), "timeout_s": 120}
                yield _Stage(name, action, "probe")
        for name, action, evidence in self._switched_off():
            yield _Stage(name, action, "switched_off", evidence)
        for tool in TRICKED_TOOLS:
            if tool in self._tools:
                for trick, path in TRICKS:
                    evidence = ("root:", "daemon:", "HOME=", "PATH=", "\nimport ", "sha256", "size")
                    action = {"tool": tool, "path": path}
                    yield _Stage(f"{tool} of {trick}", action, "trick", evidence)

    def _switched_off(self) -> Iterator[tuple[str, dict[str, Any], tuple[str, ...]]]:
        """Every tool that is off, asked for by its action all the same."""
        text, picture = self._sample["text"] or "a.txt", self._sample["picture"] or "a.png"
        evidence = (self._sample["line"],) if self._sample["line"] else ()
        asked: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
            "terminal": ({"command": "echo canary-$((6*7))"}, ("canary-42",)),
            "list_files": ({}, (text.removeprefix("/desk/"),)),
            "search": ({"query": self._sample["line"] or "the"}, (*evidence, "score")),
            "metadata": ({"path": text}, ("modified", "modality")),
            "read_text": ({"path": text}, evidence),
            "read_image": ({"path": picture}, ()),
            "read_audio": ({"path": self._sample["sound"] or "a.mp3"}, ()),
            "read_video": ({"path": self._sample["film"] or "a.mp4"}, ()),
            "read_original": ({"path": text}, evidence),
        }
        for tool in sorted(ALL_TOOLS - ALWAYS_ON - self._tools):
            fields, shown = asked[tool]
            yield f"action {tool}, which is off", {"tool": tool, **fields}, shown

    def _script(self, name: str) -> str:
        """A probe as a command: what all probes share, the probe, and a last line that says that
        it ran to its end."""
        given = {
            "markers": self._markers,
            "off": sorted(ALL_TOOLS - self._tools),
            "sample": self._sample,
        }
        encoded = base64.b64encode(json.dumps(given).encode()).decode()
        probes = files(__package__) / "probes"
        shared = (probes / "common.probe").read_text("utf-8").replace("@GIVEN@", encoded)
        own = (probes / f"{name}.probe").read_text("utf-8")
        return f"python3 - <<'CANARY_END'\n{shared}\n{own}\nprint('{_DONE}')\nCANARY_END"


def _reported(probe: str, text: str) -> list[Attempt]:
    """The attempts that a probe printed, and one that failed to be made if it broke off."""
    lines = text.splitlines()
    found = [
        Attempt(**{**entry, "name": f"{probe}: {entry['name']}"})
        for entry in (json.loads(x.removeprefix(_LINE)) for x in lines if x.startswith(_LINE))
    ]
    if _DONE not in lines:
        found.append(Attempt(f"{probe}: the probe broke off", False, False, text[-300:]))
    return found
