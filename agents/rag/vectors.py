"""Vectors of texts, made once: kept by the text's digest, whatever index it is part of.

So a person whose desk shows other files every day, or a second way to cut the same files, costs
only what is new. One SQLite file for each embedder; what is done is kept if the work is broken off.
"""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from deskgym.agents.rag.embed import Embedder, Matrix
from deskgym.env.retrieval import RetrieverError

GROUP = 256  # texts between two commits
_LOOKUP = 500  # digests in a query; SQLite takes no more than 999 in old versions
_WAIT_S = 120.0  # for another process that writes

Told = Callable[[int, int], None]


@dataclass(frozen=True)
class Embedded:
    """The row of each text; how many were new, and how many seconds the embedder took for them."""

    rows: Matrix
    fresh: int
    seconds: float


def embed_all(
    texts: Sequence[str], embedder: Embedder, file: Path, tell: Told | None = None
) -> Embedded:
    """The vectors of ``texts``, from ``file`` as far as they are there; the rest is added to it.

    ``tell`` is called with how many of the new ones are done, and how many there are.

    Raises:
        RetrieverError: the embedder fails, or ``file`` is damaged.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    keys = [
        hashlib.blake2b(t.encode("utf-8", "surrogatepass"), digest_size=16).digest() for t in texts
    ]
    try:
        with closing(sqlite3.connect(file, timeout=_WAIT_S)) as db:
            with db:
                db.execute(_TABLE)
            known = _known(db, keys)
            # The longest first, each with others of its length: little is padded, and what is left
            # goes ever faster.
            texts_of = dict(zip(keys, texts, strict=True))
            missing = sorted(set(keys) - known.keys(), key=lambda k: (-len(texts_of[k]), k))
            seconds = 0.0
            for at in range(0, len(missing), GROUP):
                if tell is not None:
                    tell(at, len(missing))
                group = missing[at : at + GROUP]
                begun = time.perf_counter()
                rows = embedder.passages([texts_of[key] for key in group])
                seconds += time.perf_counter() - begun
                made = dict(zip(group, rows, strict=True))
                with db:
                    db.executemany(_ADD, [(key, row.tobytes()) for key, row in made.items()])
                known |= made
    except sqlite3.DatabaseError as error:
        raise RetrieverError(f"{file} cannot be used ({error}); remove it") from error
    wanted = [known[key] for key in keys]
    if len({len(row) for row in wanted}) > 1:
        raise RetrieverError(f"{file} holds vectors of several lengths; remove it")
    matrix = np.stack(wanted) if wanted else np.zeros((0, 0), np.float32)
    return Embedded(matrix, len(missing), seconds)


_TABLE = "CREATE TABLE IF NOT EXISTS vectors (text BLOB PRIMARY KEY, row BLOB NOT NULL)"
_ADD = "INSERT OR REPLACE INTO vectors VALUES (?, ?)"


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _known(db: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, Matrix]:
    found: dict[bytes, Matrix] = {}
    for at in range(0, len(keys), _LOOKUP):
        some = keys[at : at + _LOOKUP]
        marks = ",".join("?" * len(some))
        for key, row in db.execute(f"SELECT text, row FROM vectors WHERE text IN ({marks})", some):
            found[key] = np.frombuffer(row, np.float32)
    return found
