"""A real model in ONNX, some hundred bytes: a vector for each word, looked up.

Written by hand in the format's own encoding (onnx.proto), so that tests need no library that makes
models. Words of one meaning have one vector, so that it knows synonyms.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

MEANINGS = (
    ("zinc", "metal"),
    ("heron", "bird"),
    ("sleeps", "sleep", "rests", "slumbers"),
    ("lamp", "light"),
    ("cost", "price"),
    ("boat", "ferry"),
    ("noon", "midday"),
    ("filler",),
)
SPECIAL = ("[PAD]", "[UNK]")
LONGEST = 16


def write_model(folder: Path) -> Path:
    """Make the model's folder; also what is returned."""
    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = {word: n for n, word in enumerate(SPECIAL)}
    rows = [np.zeros(len(MEANINGS)) for _ in SPECIAL]
    for meaning, words in enumerate(MEANINGS):
        for word in words:
            vocabulary[word] = len(vocabulary)
            rows.append(np.eye(len(MEANINGS))[meaning])
    tokenizer = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": None,
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]"},
    }
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer), encoding="utf-8")
    (folder / "config.json").write_text(json.dumps({"max_position_embeddings": LONGEST}), "utf-8")
    (folder / "model.onnx").write_bytes(_model(np.array(rows, dtype="<f4")))
    return folder


def _model(table: np.ndarray) -> bytes:
    """``last_hidden_state = table[input_ids]``."""
    node = _field(1, b"table") + _field(1, b"input_ids")
    node += _field(2, b"last_hidden_state") + _field(4, b"Gather")
    tensor = _number(1, table.shape[0]) + _number(1, table.shape[1]) + _number(2, 1)
    tensor += _field(8, b"table") + _field(9, table.tobytes())
    graph = _field(1, node) + _field(2, b"lookup") + _field(5, tensor)
    for name in (b"input_ids", b"attention_mask"):
        graph += _field(11, _value(name, 7, (b"texts", b"tokens")))
    graph += _field(12, _value(b"last_hidden_state", 1, (b"texts", b"tokens", b"numbers")))
    operators = _field(1, b"") + _number(2, 13)
    return _number(1, 8) + _field(7, graph) + _field(8, operators)


def _value(name: bytes, kind: int, sizes: Sequence[bytes]) -> bytes:
    shape = b"".join(_field(1, _field(2, size)) for size in sizes)
    return _field(1, name) + _field(2, _field(1, _number(1, kind) + _field(2, shape)))


def _field(number: int, payload: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(payload)) + payload


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value)


def _varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])
