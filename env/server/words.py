"""How bad input is told of: the field, and what is wrong with it, but not what was sent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from deskgym.env.actions import MAX_MESSAGE, printable


def explain(error: ValidationError) -> str:
    """What does not fit, in one line."""
    return explain_all(error.errors(include_url=False, include_input=False, include_context=False))


def explain_all(errors: Iterable[Mapping[str, Any]]) -> str:
    """The same of errors as pydantic lists them."""
    told = []
    for item in errors:
        where = ".".join(str(part) for part in item["loc"] if part != "body")
        told.append(f"{where}: {item['msg']}" if where else str(item["msg"]))
    return printable("; ".join(told))[:MAX_MESSAGE]
