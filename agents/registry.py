"""Agents by name: the built-in ones, and anybody's own by its import path."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from deskgym.agents.base import Agent
from deskgym.agents.host import AgentProcess
from deskgym.agents.oracle import OracleAgent
from deskgym.env.trajectory import ModelUse
from deskgym.tasks.schema import Task

BUILT_IN: dict[str, str] = {
    "null": "deskgym.agents.null:NullAgent",
    "bm25": "deskgym.agents.bm25:BM25Agent",
    "canary": "deskgym.agents.canary:CanaryAgent",
    "terminal": "deskgym.agents.terminal:TerminalAgent",
    "react": "deskgym.agents.react:ReActAgent",
    "dbquery": "deskgym.agents.dbquery:DBQueryAgent",
    "verified": "deskgym.agents.verified:VerifiedAgent",
    "rag": "deskgym.agents.rag_agent:RagAgent",
    "self_rag": "deskgym.agents.self_rag:SelfRagAgent",
    "corrective_rag": "deskgym.agents.corrective_rag:CorrectiveRagAgent",
    "hyde": "deskgym.agents.hyde:HydeAgent",
    "ircot": "deskgym.agents.ircot:IrcotAgent",
    "decompose": "deskgym.agents.decompose:DecomposeAgent",
    "search_r1": "deskgym.agents.search_r1:SearchR1Agent",
    "full_context": "deskgym.agents.full_context:FullContextAgent",
}
MODEL_AGENTS: frozenset[str] = frozenset(
    {
        "terminal",
        "react",
        "dbquery",
        "verified",
        "rag",
        "self_rag",
        "corrective_rag",
        "hyde",
        "ircot",
        "decompose",
        "search_r1",
        "full_context",
    }
)
"""Those of them that ask a language model: their settings hold ``llm``, see `LLMConfig`."""
ORACLE = "oracle"
NAMES: tuple[str, ...] = (ORACLE, *BUILT_IN)


class UnknownAgent(KeyError):
    """No agent of that name, or nothing at that import path. The message says what there is."""

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError would show the message's repr


class BadAgent(TypeError):
    """What stands at the import path cannot be made with the given config, or is no agent."""


class RunningAgent(Agent, Protocol):
    """An agent that holds something (a process) until it is closed. Closing twice is fine.

    ``kill`` may be called from another thread while an ``act`` is under way, which then raises.
    """

    def take_use(self) -> ModelUse: ...

    def kill(self) -> None: ...

    def close(self) -> None: ...


def make_agent(
    name: str,
    config: Mapping[str, Any] | None = None,
    *,
    tasks: Iterable[Task] = (),
    act_timeout_s: float = 600.0,
) -> RunningAgent:
    """The agent called ``name``, ready for its first ``reset``.

    Every agent runs in a process of its own that never holds gold, except ``oracle``, which is
    made from the gold of ``tasks`` and runs in this one.

    Raises:
        UnknownAgent: neither a built-in name nor an import path that leads anywhere.
        AgentError: the agent's process could not make it; the message holds its traceback.
    """
    if name == ORACLE:
        return OracleAgent(tasks, **dict(config or {}))
    check_agent_name(name)
    return AgentProcess(name, config, act_timeout_s=act_timeout_s)


def check_agent_name(name: str) -> None:
    """Make sure that ``name`` is built in or has the form of an import path.

    Raises:
        UnknownAgent: it is neither; the message names near matches.
    """
    if name in NAMES or (":" in name and all(name.partition(":")[::2])):
        return
    near = difflib.get_close_matches(name, NAMES, n=2, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    raise UnknownAgent(
        f"no agent {name!r}: {hint}There are {', '.join(NAMES)}; "
        "your own is named by its import path, package.module:Class"
    )


def build_agent(name: str, config: Mapping[str, Any]) -> Agent:
    """Make the agent in this process; any but the oracle. `AgentProcess` calls it in the child.

    Raises:
        UnknownAgent: nothing is there.
        BadAgent: what is there is no agent.
    """
    check_agent_name(name)
    if name == ORACLE:
        raise BadAgent("the oracle is made from gold and has no process of its own")
    module_name, _, attribute = BUILT_IN.get(name, name).partition(":")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        # A module that the agent's own module fails to import is the agent's fault, not a typo.
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise
        raise UnknownAgent(f"no module {error.name!r}, so no agent {name!r}") from error
    factory: Callable[..., Any] | None = getattr(module, attribute, None)
    if factory is None:
        near = difflib.get_close_matches(attribute, dir(module), n=2)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise UnknownAgent(f"{module_name} holds no {attribute!r}{hint}")
    agent = factory(**config)
    for method in ("reset", "act"):
        if not callable(getattr(agent, method, None)):
            raise BadAgent(f"{name} is no agent: it has no method {method!r}")
    return agent  # type: ignore[no-any-return]  # whatever it is, it has the two methods
