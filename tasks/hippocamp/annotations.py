"""HippoCamp's annotation files: a JSON array of records, read and written back byte for byte."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

from deskgym.tasks.registry import BadDataset

Record = dict[str, Any]
_BOM: Final = b"\xef\xbb\xbf"
_SPACE: Final = " \t\r\n"


class CannotRewrite(BadDataset):
    """A file that no style of writing JSON that we know reproduces byte for byte."""


@dataclass(frozen=True)
class Style:
    """How a file's JSON is written.

    ``head`` and ``tail`` are the white space around the array; ``escaped_slashes``: ``/`` in texts
    is written ``\\/``, as pandas does.
    """

    indent: str | None = None
    item_separator: str = ", "
    key_separator: str = ": "
    ensure_ascii: bool = True
    escaped_slashes: bool = False
    line_break: str = "\n"
    bom: bool = False
    head: str = ""
    tail: str = ""


def read_records(data: bytes, file: str) -> list[Record]:
    """The records in the annotation file with the content ``data``; ``file`` names it in errors.

    Raises:
        BadDataset: it is not a JSON array of objects in UTF-8.
    """
    try:
        records = json.loads(data.removeprefix(_BOM).decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise BadDataset(f"{file} is not JSON in UTF-8 ({error}); fetch it again") from error
    if not isinstance(records, list):
        raise BadDataset(
            f"{file} holds {_kind(records)}, not a list of annotation records; fetch it again"
        )
    for number, record in enumerate(records):
        if not isinstance(record, dict):
            raise BadDataset(f"{file}, record {number}: {_kind(record)}, not an object")
    return records


def style_of(data: bytes, records: Sequence[Record], file: str) -> Style:
    """How the file with the content ``data`` is written; ``records`` is what it holds.

    Raises:
        CannotRewrite: it holds what reading does not keep (numbers such as ``1.50``, a key twice)
            or mixes styles, so that writing it back would change what nobody has changed.
    """
    text = data.removeprefix(_BOM).decode("utf-8")
    body = text.strip(_SPACE)
    start = text.index(body[:1]) if body else 0
    line = re.match(r"\[(\r?\n)([ \t]*)", body)
    is_ascii = body.isascii()
    for item, key, slashes in product((", ", ","), (": ", ":"), (False, True)):
        style = Style(
            indent=line[2] if line else None,
            item_separator=item,
            key_separator=key,
            ensure_ascii=is_ascii,
            escaped_slashes=slashes,
            line_break=line[1] if line else "\n",
            bom=data.startswith(_BOM),
            head=text[:start],
            tail=text[start + len(body) :],
        )
        # The beginning tells most of them apart; only then is all of it written.
        if _begins(style, records, body) and _written(records, style) == data:
            return style
    raise CannotRewrite(
        f"{file} is written in a way that cannot be reproduced byte for byte (a number such as "
        "1.50, a key twice in an object, or lines broken otherwise); write to a new file from "
        "json.dumps instead"
    )


def write_annotations(records: Sequence[Record], style: Style) -> bytes:
    """The content of an annotation file that holds ``records``, written in ``style``.

    With the records and the style that were read from a file, it is that file's content.

    Raises:
        CannotRewrite: a text is no Unicode (half a surrogate pair) and cannot be written so.
    """
    data = _written(records, style)
    if data is None:
        raise CannotRewrite("a text holds half a surrogate pair, which UTF-8 cannot carry")
    return data


def _written(records: Sequence[Record], style: Style) -> bytes | None:
    text = style.head + _dumped(list(records), style) + style.tail
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError:
        return None
    return _BOM + data if style.bom else data


def _begins(style: Style, records: Sequence[Record], body: str) -> bool:
    """Whether ``body`` begins as the first record does in ``style``."""
    if not records:
        return True
    first = _dumped([records[0]], style)
    # Without what closes the array, which another record may follow.
    return body.startswith(first.removesuffix("]").rstrip(_SPACE))


def _dumped(records: list[Record], style: Style) -> str:
    text = json.dumps(
        records,
        ensure_ascii=style.ensure_ascii,
        indent=style.indent,
        separators=(style.item_separator, style.key_separator),
    )
    if style.escaped_slashes:
        text = text.replace("/", "\\/")
    # A line break within a text is escaped: those in sight are all between values.
    return text if style.line_break == "\n" else text.replace("\n", style.line_break)


def _kind(value: Any) -> str:
    return {
        dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null",
    }.get(type(value), "a number")  # fmt: skip
