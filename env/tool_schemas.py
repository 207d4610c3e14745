"""The actions as tools: what each is told to be good for, and the JSON schema of its fields.

The one description of the tools for all who are offered them: models behind an endpoint, clients
of the Model Context Protocol, other frameworks.
"""

from __future__ import annotations

import typing
from collections.abc import Collection, Mapping
from typing import Any

from pydantic import BaseModel

from deskgym.env import actions

# In the order in which they are offered.
TOLD: dict[str, str] = {
    "terminal": "Run a bash command in the folder with the person's files (/desk, read-only). The "
    "folder and exported variables carry over to the next command; /scratch can be written.",
    "list_files": "List the files with kind, size and time of change. In the pattern * also "
    "crosses folders.",
    "search": "Find words in all that the files say, show and sound; best passages first, with "
    "path and place. No operators; rarer words count more.",
    "metadata": "A file's kind, size, times and, for a picture, where it was taken.",
    "read_text": "The text of a file, with places to cite. Long texts come in parts: go on with "
    "the offset that is given.",
    "read_image": "Look at a picture, or at a page of a document as a picture.",
    "read_audio": "Listen to a sound, or to that of a video; gives its transcript if there is one.",
    "read_video": "See frames of a video, with its transcript if there is one.",
    "read_original": "A file's bytes as they are.",
    "note": "Write down a thought. It is logged and has no effect.",
    "answer": "Give the answer and end. Cite the places that it rests on.",
}
ACTION_MODELS: dict[str, type[BaseModel]] = {
    model.model_fields["tool"].default: model
    for model in typing.get_args(typing.get_args(actions.Action)[0])
}


def offered(tools: Collection[str]) -> tuple[str, ...]:
    """Those of ``tools`` that there are, always in the same order."""
    return tuple(name for name in TOLD if name in tools)


def parameters(tool: str) -> dict[str, Any]:
    """The JSON schema of the fields of ``tool``, in the plain dialect that all endpoints take."""
    # A locator is written as text: that is its schema of serialisation.
    schema = ACTION_MODELS[tool].model_json_schema(mode="serialization")
    plain: dict[str, Any] = _plain(schema, schema.get("$defs", {}))
    for hidden in ("tool", "ranking"):
        plain["properties"].pop(hidden, None)
    plain["required"] = [name for name in plain.get("required", ()) if name in plain["properties"]]
    del plain["description"]
    return plain


def _plain(schema: Any, defs: Mapping[str, Any]) -> Any:
    """``schema`` without references, titles, nulls and tuples of their own."""
    if isinstance(schema, list):
        return [_plain(item, defs) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _plain(defs[schema["$ref"].rpartition("/")[2]], defs)
    if "properties" in schema:
        fields = {name: _plain(field, defs) for name, field in schema["properties"].items()}
        return {**_rest(schema, defs), "properties": fields}
    plain = _rest(schema, defs)
    if "anyOf" in plain:
        kinds = [kind for kind in plain.pop("anyOf") if kind != {"type": "null"}]
        plain = {**kinds[0], **plain} if len(kinds) == 1 else {"anyOf": kinds, **plain}
    if "prefixItems" in plain:
        plain["items"] = plain.pop("prefixItems")[0]
    return plain


def _rest(schema: Mapping[str, Any], defs: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: _plain(value, defs)
        for key, value in schema.items()
        if key not in ("$defs", "title", "properties") and (key, value) != ("default", None)
    }
