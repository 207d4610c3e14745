"""The fields of a published record, read with errors that say which file, record and field."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Any, Final, get_args

from deskgym.tasks.hippocamp.annotations import Record
from deskgym.tasks.registry import BadDataset
from deskgym.tasks.schema import Capabilities, ProfilingType, QAType

_MISSING: Final = object()
_NOTHING: Final = frozenset({"", "none", "null", "n/a", "nan"})
# What each kind of profiling has in its name, whatever the spelling.
_KINDS: Final[tuple[tuple[str, ProfilingType], ...]] = (
    ("preference", "preferences"),
    ("behavio", "behavioural_patterns"),
    ("schedul", "scheduling"),
    ("retrospect", "retrospective_reflections"),
    ("reflect", "retrospective_reflections"),
    ("workflow", "workflows"),
)
_FAMILIES: Final = {
    "search": "search",
    "perception": "perception",
    "evidence_perception": "perception",
    "reasoning": "reasoning",
}


class Fields:
    """One object of an annotation file: a record, or (``within``) a part of one."""

    def __init__(self, record: Record, file: str, number: int, within: str = "") -> None:
        self.record = record
        self._file, self._number, self._within = file, number, within

    def where(self, field: str) -> str:
        """How errors name a field: the file, the record by index and id, the field."""
        name = (
            f" (id {self.record.get('id')!r})" if not self._within and "id" in self.record else ""
        )
        return f"{self._file}, record {self._number}{name}, field '{self._within}{field}'"

    def text(self, field: str, default: str | None = None) -> str:
        """A text; with a ``default``, it may be missing or null."""
        value = self.value(field, default)
        if isinstance(value, str):
            return value
        raise self.wrong(field, "a text", value)

    def id(self, field: str = "id", default: str | None = None) -> str:
        """An id, which is a text or a whole number."""
        value = self.value(field, default)
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            return str(value)
        raise self.wrong(field, "a text or a whole number", value)

    def boolean(self, field: str, *, default: bool) -> bool:
        """True or false."""
        value = self.value(field, default)
        if isinstance(value, bool):
            return value
        raise self.wrong(field, "true or false", value)

    def whole_number(self, field: str, *, default: int) -> int:
        """A whole number from 1, also as a text; ``default`` if there is none."""
        value = self.record.get(field)
        if isinstance(value, str) and value.isdecimal() and len(value) < 10:
            value = int(value)
        return value if type(value) is int and value >= 1 else default

    def texts(self, field: str) -> tuple[str, ...]:
        """A list of texts, or one text alone."""
        value = self.value(field, None)
        value = [value] if isinstance(value, str) else value
        if isinstance(value, list) and all(isinstance(one, str) and one.strip() for one in value):
            return tuple(value)
        raise self.wrong(field, "a list of texts", value)

    def objects(self, field: str) -> list[Fields]:
        """A list of objects; null is an empty one."""
        value = [] if self.record.get(field, _MISSING) is None else self.value(field, None)
        if not isinstance(value, list):
            raise self.wrong(field, "a list", value)
        for index, one in enumerate(value):
            if not isinstance(one, dict):
                raise self.wrong(f"{field}[{index}]", "an object", one)
        return [
            Fields(one, self._file, self._number, f"{self._within}{field}[{index}].")
            for index, one in enumerate(value)
        ]

    def value(self, field: str, default: Any) -> Any:
        """A field's value; ``default`` if it is missing or null, unless that is None."""
        value = self.record.get(field, _MISSING)
        if value is _MISSING and default is None:
            raise BadDataset(f"{self.where(field)}: it is missing; fetch the file again")
        return default if value is _MISSING or (value is None and default is not None) else value

    def wrong(self, field: str, wanted: str, value: Any) -> BadDataset:
        """The error for a field that holds ``value`` and not ``wanted``."""
        return BadDataset(f"{self.where(field)}: {str(value)[:60]!r} is not {wanted}; mend it")


def qa_type(fields: Fields) -> QAType:
    """The task's family, in any case, with spaces or hyphens."""
    match _plain(fields.text("QA_type")):
        case "factual_retention" | "profiling" as found:
            return found
    raise BadDataset(
        f"{fields.where('QA_type')}: {fields.record['QA_type']!r} is neither factual_retention "
        "nor profiling; mend it"
    )


def profiling_type(fields: Fields, kind: QAType) -> tuple[ProfilingType | None, str | None]:
    """The kind of profiling: one of ours, else the record's own name for it. A task that is not
    of profiling has neither."""
    written = fields.text("profiling_type", default="")
    if kind != "profiling":
        return None, None
    plain = _plain(written)
    for ours in get_args(ProfilingType):
        if plain == ours:
            return ours, None
    for part, found in _KINDS:
        if part in plain:
            return found, None
    return None, "profiling" if plain in _NOTHING else plain


def capabilities(fields: Fields) -> tuple[Capabilities, tuple[str, ...]]:
    """What the task asks for, and labels that belong to no family.

    ``agent_cap`` is an object of lists, such an object as a text, or words (``search+reasoning``),
    of which each is a family that the task needs without saying more.
    """
    value: Any = fields.value("agent_cap", None)
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            value = re.split(r"[+,;/|&\s]+", value.strip())
    found: dict[str, tuple[str, ...]] = {}
    odd: list[str] = []
    if isinstance(value, dict):
        for name, labels in value.items():
            family = _FAMILIES.get(_plain(str(name)))
            listed = [labels] if isinstance(labels, str) else labels or []
            if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
                raise fields.wrong(f"agent_cap.{name}", "a list of texts", labels)
            if family is None:
                odd.append(str(name))
            else:
                found[family] = (*found.get(family, ()), *(one for one in listed if one))
    elif isinstance(value, list) and all(isinstance(one, str) for one in value):
        for word in filter(None, value):
            family = _FAMILIES.get(_plain(word))
            if family is None:
                odd.append(word)
            else:
                found[family] = (family,)
    elif value is not None:
        raise fields.wrong("agent_cap", "an object of lists, or words", value)
    return Capabilities(**found), tuple(odd)


def evidence_ids(fields: Fields, known: Collection[str]) -> list[str]:
    """The evidence that a step cites: one id, a list of them, or several in one text."""
    value = fields.record.get("evidence_id")
    values = value if isinstance(value, list) else [] if value is None else [value]
    found: dict[str, None] = {}
    for one in values:
        if not isinstance(one, str | int) or isinstance(one, bool):
            raise fields.wrong("evidence_id", "an id or a list of ids", value)
        name = str(one).strip()
        parts = [name] if name in known else re.split(r"[,;\s]+", name)
        found.update(dict.fromkeys(part for part in parts if part))
    return list(found)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.strip().casefold()).strip("_")
