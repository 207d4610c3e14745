"""Agents in a process of their own, so that gold is never in the memory of the one who answers.

The environment's process holds the tasks with their answers. `AgentProcess` is the agent as that
process sees it; ``python -m deskgym.agents.host NAME`` is the process in which the agent lives.
They speak frames over the child's stdin and stdout::

    {"op": "start", "config": {...}}                       -> {"name": "..."}
    {"op": "reset", "task": {...}, "tools": [...]}         -> {}
    {"op": "act", "observation": {...}} + bytes of media   -> {"action": ..., "use": {...}}
    {"op": "close"}                                        -> the child exits

or ``{"error": "<traceback>"}`` to any of them. ``use`` is there if the agent asked a model.

This keeps gold out by construction, not by force: the child is an ordinary process of the same
user and is trusted not to look for data sets on disk.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, BinaryIO, cast

from pydantic import BaseModel

from deskgym.agents.base import Agent, TaskView
from deskgym.agents.errors import AgentError, AgentTimeout
from deskgym.env.closing import Closing
from deskgym.env.observations import Media, Observation
from deskgym.env.trajectory import ModelUse
from deskgym.tools.frames import FrameError, read_frame, write_frame

START_TIMEOUT_S = 120.0
CLOSE_TIMEOUT_S = 5.0
STDERR_KEPT = 16_000


class AgentProcess(Closing):
    """An agent in a child process. Satisfies `deskgym.agents.base.Agent`.

    Anything that goes wrong in the child is an `AgentError`; after one, close it and make another.
    What the agent prints goes to its stderr, of which the end is quoted when it dies.
    """

    def __init__(
        self,
        name: str,
        config: Mapping[str, Any] | None = None,
        *,
        act_timeout_s: float = 600.0,
    ) -> None:
        self.name = name
        self._act_timeout_s = act_timeout_s
        self._use = ModelUse()
        self._child = subprocess.Popen(
            # -P keeps the current folder from shadowing installed packages; the child adds it last.
            [sys.executable, "-P", "-m", "deskgym.agents.host", name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is the run's to handle
        )
        # All three are pipes, as asked for above, so none of them is None.
        self._to_child = cast(BinaryIO, self._child.stdin)
        self._from_child = cast(BinaryIO, self._child.stdout)
        self._last_words = _Tail(cast(BinaryIO, self._child.stderr))
        try:
            self._call({"op": "start", "config": dict(config or {})}, timeout_s=START_TIMEOUT_S)
        except BaseException:
            self.close()
            raise

    def reset(self, task: TaskView, tools: frozenset[str]) -> None:
        """Tell the agent its next task.

        Raises:
            AgentError: see the class.
        """
        self._call(
            {"op": "reset", "task": asdict(task), "tools": sorted(tools)},
            timeout_s=self._act_timeout_s,
        )

    def act(self, observation: Observation) -> dict[str, Any] | str:
        """The agent's next action, as a dict or a string, not yet checked.

        Raises:
            AgentError: see the class.
        """
        media = observation["media"]
        header: dict[str, Any] = {**observation}
        header["media"] = [{"mime": m.mime, "size": len(m.data)} for m in media]
        reply = self._call(
            {"op": "act", "observation": header},
            b"".join(m.data for m in media),
            timeout_s=self._act_timeout_s,
        )
        action: dict[str, Any] | str = reply["action"]
        return action

    def take_use(self) -> ModelUse:
        """What the agent took of a model since this was last asked."""
        use, self._use = self._use, ModelUse()
        return use

    def kill(self) -> None:
        """End the child at once. From any thread: an `act` that waits for it raises."""
        try:
            os.killpg(self._child.pid, signal.SIGKILL)
        except ProcessLookupError:
            return  # nobody left in the group

    def close(self) -> None:
        """End the child and whatever it started in its process group. Idempotent."""
        if self._child.poll() is None:
            try:
                write_frame(self._to_child, {"op": "close"})
                self._child.wait(CLOSE_TIMEOUT_S)
            except (OSError, ValueError, subprocess.TimeoutExpired):
                self.kill()  # it no longer listens: gone already, or stuck
        self.kill()
        self._child.wait()
        for stream in (self._to_child, self._from_child):
            try:
                stream.close()
            except OSError:
                continue  # a frame that never got through: the reader is gone, as intended
        self._last_words.close()

    def _call(
        self, header: dict[str, Any], payload: bytes = b"", *, timeout_s: float
    ) -> dict[str, Any]:
        late = threading.Event()

        def give_up() -> None:
            late.set()
            self.kill()

        timer = threading.Timer(timeout_s, give_up)
        timer.daemon = True
        timer.start()
        try:
            write_frame(self._to_child, header, payload)
            frame = read_frame(self._from_child)
        except (OSError, ValueError, FrameError):
            frame = None  # the stream is of no use any more; said below
        finally:
            timer.cancel()
        if frame is None:
            self.kill()
            status = self._child.wait()
            if late.is_set():
                raise AgentTimeout(
                    f"{self.name} took longer than {timeout_s:g} s to {header['op']}"
                )
            raise AgentError(
                f"the process of {self.name} ended with status {status}\n{self._last_words.text()}"
            )
        if "use" in frame[0]:
            self._use += ModelUse.model_validate(frame[0]["use"])
        if "error" in frame[0]:
            raise AgentError(str(frame[0]["error"]))
        return frame[0]


class _Tail:
    """The end of what a stream says, read in the background so that the writer never blocks."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._kept = b""
        self._thread = threading.Thread(target=self._drain, daemon=True)
        self._thread.start()

    def text(self) -> str:
        self._thread.join(CLOSE_TIMEOUT_S)
        return self._kept.decode("utf-8", "replace").strip()

    def close(self) -> None:
        self._thread.join(CLOSE_TIMEOUT_S)
        if not self._thread.is_alive():
            self._stream.close()

    def _drain(self) -> None:
        while part := os.read(self._stream.fileno(), 65_536):
            self._kept = (self._kept + part)[-STDERR_KEPT:]


# --- the child ---------------------------------------------------------------------------------


def main(name: str) -> None:
    """Serve the agent called ``name`` over stdin and stdout until told to close."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # Whatever prints, here or in a program that the agent starts, must not reach the frames.
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123  (a descriptor is wanted, not a path)
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    sys.path.append(os.getcwd())  # noqa: PTH109  (a path of the import system is a string)
    threading.Thread(target=_exit_with_owner, args=(requests.fileno(),), daemon=True).start()

    agent: Agent | None = None
    while (frame := read_frame(requests)) is not None and frame[0]["op"] != "close":
        header, payload = frame
        try:
            agent, reply = _serve(name, agent, header, payload)
        except Exception:  # noqa: BLE001  (an agent may raise anything; the owner gets all of it)
            reply = {"error": traceback.format_exc()}
        reply |= _use_of(agent)
        write_frame(replies, reply)


def _serve(
    name: str, agent: Agent | None, header: dict[str, Any], payload: bytes
) -> tuple[Agent, dict[str, Any]]:
    if agent is None:
        from deskgym.agents.registry import build_agent

        agent = build_agent(name, header["config"])
        return agent, {"name": getattr(agent, "name", name)}
    if header["op"] == "reset":
        agent.reset(TaskView(**header["task"]), frozenset(header["tools"]))
        return agent, {}
    action: Any = agent.act(_observation(header["observation"], payload))
    if isinstance(action, BaseModel):
        action = action.model_dump(mode="json")
    # What is no JSON goes on as its repr: the environment answers that it is no action.
    return agent, {"action": json.loads(json.dumps(action, default=repr))}


def _use_of(agent: Agent | None) -> dict[str, Any]:
    """What the agent says it took of a model, if it keeps such books."""
    take = getattr(agent, "take_use", None)
    return {} if take is None else {"use": take().model_dump(mode="json")}


def _observation(header: dict[str, Any], payload: bytes) -> Observation:
    media, at = [], 0
    for item in header["media"]:
        media.append(Media(item["mime"], payload[at : at + item["size"]]))
        at += item["size"]
    return Observation(
        question=header["question"],
        text=header["text"],
        media=tuple(media),
        step=header["step"],
        steps_left=header["steps_left"],
    )


def _exit_with_owner(requests: int) -> None:
    """End this process when the owner is gone, even in the middle of an ``act``."""
    poll = select.poll()
    poll.register(requests, 0)  # only the hang-up, which is always reported
    poll.poll()
    os._exit(1)


if __name__ == "__main__":
    main(sys.argv[1])
