"""What can go wrong with an agent, as opposed to with the desk."""

from __future__ import annotations


class AgentError(RuntimeError):
    """The agent raised, died or took too long; the message holds its traceback or last words.

    A run notes the episode as aborted for this reason and goes on with a new agent.
    """


class AgentTimeout(AgentError):
    """The agent took longer over one call than it may."""


class OracleError(AgentError):
    """The oracle cannot show the gold evidence with the tools that are on."""
