"""What a model says in the end, read as an answer with citations.

A model is asked for JSON, ``{"answer": "...", "cites": [{"path", "locator", "quote"}]}``, or for
text in which ``[2]`` stands for the second of the passages that it was shown. What it writes may be
neither: `parse_answer` takes what can be taken and says what was wrong with the rest.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from deskgym.agents.null import ABSTENTION
from deskgym.env.actions import MAX_PATH, MAX_TEXT, Answer, Cite, printable
from deskgym.tasks.locators import AnyLocator, WholeFile, parse_locator

MAX_CITES = 100
_MAX_READ = 200_000  # characters of a reply that are looked at
_MAX_TRIES = 50  # places at which an object may begin
_SHOWN = 80  # characters of what was wrong that a fault quotes
_MAX_RANGE = 20  # passages that one [3-9] may name

_ANSWER_KEYS = ("answer", "text", "final_answer")
_CITE_KEYS = ("cites", "citations", "sources", "evidence")
_PATH_KEYS = ("path", "file", "file_path", "source")
_LOCATOR_KEYS = ("locator", "place", "location")

_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"\A```\w*\s*\n(.*?)\n?```\Z", re.DOTALL)
_LABEL = re.compile(r"\A\W{0,3}(?:the )?(?:final )?answer\W{0,3}[:：]\W{0,2}\s*", re.IGNORECASE)
_MARKER = re.compile(r"\s*[\[【]\s*(\d{1,4}(?:\s*[-–,;]\s*\d{1,4})*)\s*[\]】]")
_SPOKEN_STRING = re.compile(r'"(?:answer|text|final_answer)"\s*:\s*"((?:[^"\\]|\\.)*)', re.DOTALL)
_LOOSE_PLACE = re.compile(
    r"\W*(page|pages|p|slide|slides|line|lines|l|turn|turns)\.?\s*[:#]?\s*"
    r"(\d+)\s*(?:[-–]\s*(\d+))?\W*",
    re.IGNORECASE,
)
_STRING_CITE = re.compile(r"\s*(.+?)\s*[\[(]([^\[\]()]+)[\])]\s*", re.DOTALL)


class AnswerFault(NamedTuple):
    """What was wrong with an answer: ``malformed``, ``citation``, ``cut`` or ``empty``, and what
    was seen. ``llm.fault(*fault)`` puts it into the books."""

    kind: str
    detail: str


class Shown(Protocol):
    """A passage as the model was shown it."""

    @property
    def path(self) -> str: ...

    @property
    def locator(self) -> AnyLocator | str: ...


@dataclass(frozen=True)
class ParsedAnswer:
    """The answer's text, which may be empty, its citations, and what was wrong with them."""

    text: str
    cites: tuple[Cite, ...] = ()
    faults: tuple[AnswerFault, ...] = ()

    def action(self) -> Answer:
        """The answer as an action; without a text it is the abstention, which cites nothing."""
        if not self.text:
            return Answer(text=ABSTENTION)
        return Answer(text=self.text, cites=self.cites)


def parse_answer(text: str, passages: Sequence[Shown] | None = None) -> ParsedAnswer:
    """The answer in what a model wrote. Never raises, whatever ``text`` holds.

    With ``passages``, ``[n]`` in the answer (and ``n`` among its cites) cites the n-th of them,
    counted from 1, and the marks are taken out of the text. A locator in no known form is dropped
    and the file stays cited as a whole; a citation without a path is dropped.
    """
    faults: list[AnswerFault] = []
    text = printable(text)
    if len(text) > _MAX_READ:
        faults.append(AnswerFault("cut", f"{len(text)} characters, read to {_MAX_READ}"))
        text = text[:_MAX_READ]
    text = _unwrapped(_THOUGHT.sub("", text))
    spoken, cites = _from_json(text, passages, faults)
    if spoken is None:
        spoken = _LABEL.sub("", text)
    if passages is not None:
        cites += _marked(spoken, passages, faults)
        spoken = _MARKER.sub("", spoken)
    spoken = spoken.strip()
    if len(spoken) > MAX_TEXT:
        faults.append(AnswerFault("cut", f"an answer of {len(spoken)} characters"))
        spoken = spoken[:MAX_TEXT]
    if not spoken:
        faults.append(AnswerFault("empty", "no answer in the reply"))
    kept = _distinct(cites)
    if len(kept) > MAX_CITES:
        faults.append(AnswerFault("cut", f"{len(kept)} citations"))
    return ParsedAnswer(spoken, tuple(kept[:MAX_CITES]), tuple(faults))


def read_cites(
    value: Any, passages: Sequence[Shown] | None = None
) -> tuple[tuple[Cite, ...], tuple[AnswerFault, ...]]:
    """The citations in a piece of JSON, such as the argument of a tool call, and what was wrong."""
    faults: list[AnswerFault] = []
    return tuple(_distinct(_cites(value, passages, faults))[:MAX_CITES]), tuple(faults)


def find_object(text: str, *keys: str) -> dict[str, Any] | None:
    """The first JSON object in ``text`` that has one of ``keys`` (any object if there are none)."""
    return next((o for o in json_objects(text) if not keys or any(k in o for k in keys)), None)


def json_objects(text: str) -> Iterator[dict[str, Any]]:
    """The outermost JSON objects in ``text``, whatever stands around them."""
    decoder = json.JSONDecoder()
    at = 0
    for _ in range(_MAX_TRIES):
        at = text.find("{", at)
        if at < 0:
            return
        try:
            found, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1  # what begins here is no JSON; something further on may be
            continue
        if isinstance(found, dict):
            yield found


def _from_json(
    text: str, passages: Sequence[Shown] | None, faults: list[AnswerFault]
) -> tuple[str | None, list[Cite]]:
    """The answer and the citations of an object; None if there is no such object."""
    found = find_object(text, *_ANSWER_KEYS)
    if found is not None:
        spoken = _first(found, _ANSWER_KEYS)
        cites = _cites(_first(found, _CITE_KEYS), passages, faults)
        return _plain(spoken), cites
    if not text.startswith(("{", "[")):
        return None, []
    # It was meant to be JSON and is broken, most often cut off: take the strings that are whole.
    faults.append(AnswerFault("malformed", f"no JSON: {text[:_SHOWN]!r}"))
    told = _SPOKEN_STRING.search(text)
    cites = [
        cite
        for item in json_objects(text)
        if _first(item, _PATH_KEYS) is not None
        for cite in _cites([item], passages, faults)
    ]
    return (_unescaped(told[1]) if told else ""), cites


def _cites(value: Any, passages: Sequence[Shown] | None, faults: list[AnswerFault]) -> list[Cite]:
    if value is None:
        return []
    found = []
    for item in value if isinstance(value, list | tuple) else [value]:
        if isinstance(item, str) and passages is not None and item.strip(" []").isdecimal():
            item = int(item.strip(" []")[:9])
        if isinstance(item, int) and not isinstance(item, bool) and passages is not None:
            found += _numbered(item, passages, faults)
        elif (cite := _cite(item, faults)) is not None:
            found.append(cite)
    return found


def _cite(item: Any, faults: list[AnswerFault]) -> Cite | None:
    if isinstance(item, str):
        split = _STRING_CITE.fullmatch(item)
        # "report (final).pdf" is a name, "report.pdf [page:2]" a name and a place.
        if split is not None and _place(split[2]) is not None:
            item = {"path": split[1], "locator": split[2]}
        else:
            item = {"path": item}
    path = _first(item, _PATH_KEYS) if isinstance(item, dict) else None
    if not isinstance(path, str) or not 0 < len(path.strip()) <= MAX_PATH:
        faults.append(AnswerFault("citation", f"no path in {_short(item)}"))
        return None
    written = _first(item, _LOCATOR_KEYS)
    told = written not in (None, "")
    locator = _place(written) if told else None
    if told and locator is None:
        faults.append(AnswerFault("citation", f"no locator: {_short(written)}"))
    quote = item.get("quote")
    if quote is not None and (not isinstance(quote, str) or len(quote) > MAX_TEXT):
        faults.append(AnswerFault("citation", f"no quote: {_short(quote)}"))
        quote = None
    return Cite(path=path.strip(), locator=locator or WholeFile(), quote=quote or None)


def _place(written: Any) -> AnyLocator | None:
    """A locator as tools write it, or nearly so: ``[lines:3-4]``, ``page 3``, ``slide 2``."""
    if not isinstance(written, str):
        return None
    try:
        return parse_locator(written.strip().strip("[]()"))
    except ValueError:
        loose = _LOOSE_PLACE.fullmatch(written)
    if loose is None:
        return None
    kind = {"p": "page", "s": "page", "l": "lines", "t": "turns"}[loose[1][0].casefold()]
    try:
        return parse_locator(f"{kind}:{loose[2]}-{loose[3] or loose[2]}")
    except ValueError:
        return None  # from 7 to 3, or page 0


def _marked(text: str, passages: Sequence[Shown], faults: list[AnswerFault]) -> list[Cite]:
    """The passages that the marks in ``text`` name, in that order."""
    found = []
    for mark in _MARKER.finditer(text):
        for piece in re.split(r"[,;]", mark[1]):
            first, *rest = (int(number) for number in re.split(r"[-–]", piece))
            last = rest[-1] if rest else first
            for number in range(first, min(last, first + _MAX_RANGE) + 1):
                found += _numbered(number, passages, faults)
    return found


def _numbered(number: int, passages: Sequence[Shown], faults: list[AnswerFault]) -> list[Cite]:
    if not 1 <= number <= len(passages):
        faults.append(AnswerFault("citation", f"no passage [{number}] of {len(passages)}"))
        return []
    passage = passages[number - 1]
    written = passage.locator
    place = _place(written) if isinstance(written, str) else written
    if place is None:
        faults.append(AnswerFault("citation", f"no locator: {_short(written)}"))
    return [Cite(path=passage.path, locator=place or WholeFile())]


def _distinct(cites: Sequence[Cite]) -> list[Cite]:
    """Each place once, in order; of two, the one with a quote."""
    kept: dict[tuple[str, str], Cite] = {}
    for cite in cites:
        place = (cite.path, str(cite.locator))
        if place not in kept or (kept[place].quote is None and cite.quote is not None):
            kept[place] = cite
    return list(kept.values())


def _first(found: dict[str, Any], keys: Sequence[str]) -> Any:
    return next((found[key] for key in keys if key in found), None)


def _plain(value: Any) -> str:
    """An answer that is a number, a list or nothing, as text."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return ", ".join(_plain(item) for item in value)
    return json.dumps(value, ensure_ascii=False)


def _unwrapped(text: str) -> str:
    text = text.strip()
    fenced = _FENCE.match(text)
    return fenced[1].strip() if fenced else text


def _unescaped(text: str) -> str:
    try:
        return str(json.loads(f'"{text}"'))
    except ValueError:
        return text.rstrip("\\")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
