"""The desk's actions as tools that a model is offered, and a model's use of one as an action."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from deskgym.agents.answers import AnswerFault, find_object, read_cites
from deskgym.agents.messages import ToolSpec
from deskgym.agents.model_agent import Unreadable
from deskgym.env.actions import (
    MAX_TEXT,
    Action,
    Answer,
    InvalidAction,
    Ranking,
    Search,
    parse_action,
    printable,
)
from deskgym.env.tool_schemas import ACTION_MODELS, TOLD, offered, parameters

_SHOWN = 80

# A model's thoughts are logged as they are: it is not offered `note`.
_NOT_OFFERED = frozenset({"note"})
# What is meant by a text where the arguments should be.
_MAIN = {
    "terminal": "command",
    "list_files": "pattern",
    "search": "query",
    "metadata": "path",
    "read_text": "path",
    "read_image": "path",
    "read_audio": "path",
    "read_video": "path",
    "read_original": "path",
    "note": "text",
    "answer": "text",
}
_NAMES = {"finish": "answer", "final_answer": "answer", "bash": "terminal", "shell": "terminal"}
_NAME_KEYS = ("name", "tool")
_ARGUMENT_KEYS = ("arguments", "args", "parameters", "input")


@dataclass(frozen=True)
class ToolUse:
    """What a model wants done, and what was amiss in how it said so."""

    action: Action
    faults: tuple[AnswerFault, ...] = ()


def tool_specs(tools: Collection[str]) -> tuple[ToolSpec, ...]:
    """Those of ``tools`` that a model is offered, always in the same order."""
    return tuple(
        ToolSpec(name, TOLD[name], parameters(name)) for name in offered(set(tools) - _NOT_OFFERED)
    )


def describe(specs: Collection[ToolSpec]) -> str:
    """The tools in words, a line each, for protocols that have only text."""
    lines = []
    for spec in specs:
        required = spec.parameters.get("required", ())
        fields = ", ".join(
            f'"{name}"{"" if name in required else "?"}: {_kind(schema)}'
            for name, schema in spec.parameters["properties"].items()
        )
        lines.append(f"- {spec.name} {{{fields}}}: {spec.description}")
    return "\n".join(lines)


def tool_name(name: str) -> str:
    """The tool that is meant by ``name``, whichever way it is written; it need not be one."""
    plain = name.strip().casefold()
    return _NAMES.get(plain, plain)


def read_use(
    name: str, arguments: str | Mapping[str, Any], tools: Collection[str], ranking: Ranking
) -> ToolUse:
    """The action that a model means by using the tool ``name`` with ``arguments``.

    These are an object, its JSON, or just the text that matters most (`search` with a query). A
    search that does not say how to rank does so by ``ranking``.

    Raises:
        Unreadable: there is no such tool among ``tools``, or the arguments do not fit.
    """
    name = tool_name(name)
    if name not in tools or name not in ACTION_MODELS:
        raise Unreadable(
            "unknown_tool", name[:_SHOWN], f"There is no tool {name[:_SHOWN]!r}. The tools are: "
            f"{', '.join(offered(set(tools) - _NOT_OFFERED))}.",
        )  # fmt: skip
    fields = {
        key: value
        for key, value in _fields(name, arguments).items()
        if value is not None and key != "tool"
    }
    if name == "answer":
        return _answer(fields)
    try:
        action = parse_action({**fields, "tool": name})
    except InvalidAction as error:
        raise Unreadable("bad_arguments", f"{name}: {error}", f"{name}: {error}") from error
    if isinstance(action, Search) and "ranking" not in fields:
        action = action.model_copy(update={"ranking": ranking})
    return ToolUse(action)


def written_use(text: str, tools: Collection[str], ranking: Ranking) -> ToolUse | None:
    """The use of a tool that is written in ``text`` as an object with its name and arguments, the
    latter beside the name or under a key of their own; None if there is none.

    Raises:
        Unreadable: as `read_use`.
    """
    found = find_object(text, *_NAME_KEYS)
    if found is None:
        return None
    name = next(found[key] for key in _NAME_KEYS if key in found)
    under = next((found[key] for key in _ARGUMENT_KEYS if key in found), None)
    if under is None:
        under = {key: value for key, value in found.items() if key not in _NAME_KEYS}
    if not isinstance(under, str | Mapping):
        under = json.dumps(under)
    return read_use(str(name), under, tools, ranking)


def _answer(fields: dict[str, Any]) -> ToolUse:
    """An answer, however its citations are written: it must not fail for a locator's sake."""
    text = next((fields[key] for key in ("text", "answer") if key in fields), "")
    text = printable(text if isinstance(text, str) else json.dumps(text, ensure_ascii=False))
    if not text.strip():
        remedy = 'answer: the answer itself is missing: put it into "text".'
        raise Unreadable("bad_arguments", "answer: no text", remedy)
    value = next((fields[key] for key in ("cites", "citations") if key in fields), None)
    cites, faults = read_cites(value)
    if len(text) > MAX_TEXT:
        faults += (AnswerFault("cut", f"an answer of {len(text)} characters"),)
    return ToolUse(Answer(text=text.strip()[:MAX_TEXT], cites=cites), faults)


def _fields(name: str, arguments: str | Mapping[str, Any]) -> Mapping[str, Any]:
    if isinstance(arguments, Mapping):
        return arguments
    text = arguments.strip()
    if not text:
        return {}
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        if not text.startswith("{"):
            return {_MAIN[name]: text}
        raise Unreadable(
            "malformed",
            f"the arguments of {name} are no JSON: {text[:_SHOWN]!r}",
            f"The arguments of {name} are not valid JSON ({error}). Write them as one JSON object.",
        ) from error
    if isinstance(found, Mapping):
        return found
    if isinstance(found, str):
        return {_MAIN[name]: found}
    raise Unreadable(
        "bad_arguments",
        f"the arguments of {name} are {text[:_SHOWN]}",
        f"The arguments of {name} are one JSON object.",
    )


# --- schemas -----------------------------------------------------------------------------------


def _kind(schema: Mapping[str, Any]) -> str:
    """A field in a few words."""
    if "enum" in schema:
        return " | ".join(schema["enum"])
    if "anyOf" in schema:
        return " or ".join(_kind(kind) for kind in schema["anyOf"])
    if schema.get("type") == "array":
        return f"[{_kind(schema.get('items', {}))}, ...]"
    if "properties" in schema:
        fields = ", ".join(f'"{name}"' for name in schema["properties"])
        return f"{{{fields}}}"
    told = schema.get("description")
    return f"{schema.get('type', 'any')}" + (f" ({told})" if told else "")
