"""One person's index on this computer: the chunks, their words and their vectors.

It is a folder below the cache, named by the person's files and by all else that decides what is in
it, made aside and moved into place, and never changed::

    meta.json      what is in it, and how long that took
    chunks.sqlite  the chunks
    bm25/          the postings (bm25s)
    vectors.faiss  the chunks' vectors, with an embedder (faiss)

Vectors are searched exactly: a person has some thousands of passages, for which an approximate
index would gain nothing. Postings and vectors are mapped into memory, so that processes share
them.

A chunk that is longer than what the embedder reads has a vector for each of its pieces and ranks
by the best of them (Z. Dai and J. Callan, "Deeper Text Understanding for IR with Contextual Neural
Language Modeling", SIGIR 2019: MaxP).
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import shutil
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from deskgym.agents import ranking
from deskgym.agents.rag import chunks as chunks_module
from deskgym.agents.rag.chunks import Chunk, Chunking, profile_chunks, source_mark
from deskgym.agents.rag.embed import Embedder, Matrix
from deskgym.agents.rag.vectors import Told, embed_all
from deskgym.agents.ranking import K1, B, terms
from deskgym.env.retrieval import RetrieverError
from deskgym.tasks.cache import cache_root
from deskgym.tasks.locators import parse_locator
from deskgym.tasks.schema import Modality, Profile

if TYPE_CHECKING:
    from bm25s import BM25

FORMAT_VERSION: Final = 1
META, CHUNKS, WORDS, VECTORS = "meta.json", "chunks.sqlite", "bm25", "vectors.faiss"
_SOURCES = (chunks_module.__file__, ranking.__file__)  # how texts are cut, and what words count
_NAMES = ("utf-8", "surrogatepass")  # a file's name need not be text
_TABLE = """
CREATE TABLE chunks (
    id INTEGER PRIMARY KEY, path BLOB NOT NULL, locator TEXT NOT NULL, modality TEXT NOT NULL,
    text TEXT NOT NULL
)
"""

Ranked = list[tuple[int, float]]
"""Numbers of chunks with their scores, best first."""


class Meta(BaseModel):
    """What is in an index. Seconds are of the machine that made it: ``words_s`` for all chunks,
    ``embed_s`` for the ``embedded`` pieces whose vectors were not known yet."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format_version: Literal[1] = FORMAT_VERSION
    profile_id: str
    chunks: int
    unread: int
    has_words: bool
    dimension: int | None = None
    pieces: int = 0
    most_pieces: int = Field(default=0, description="of one chunk")
    words_s: float = 0.0
    embedded: int = 0
    embed_s: float = 0.0


@dataclass(frozen=True)
class IndexSettings:
    """What an index is made with. Without an embedder it ranks by words alone."""

    chunking: Chunking = "turn"
    embedder: Embedder | None = None


class Index:
    """An index that was made. For one thread at a time.

    Raises:
        RetrieverError: it is damaged, or a library is missing.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            self.meta = Meta.model_validate_json((folder / META).read_bytes())
            self._words = _load_words(folder / WORDS) if self.meta.has_words else None
            self._vectors = _load_vectors(folder / VECTORS) if self.meta.dimension else None
            # It never changes, so needs no lock; an environment may pass from thread to thread.
            uri = f"{(folder / CHUNKS).as_uri()}?mode=ro&immutable=1"
            self._db = sqlite3.connect(uri, uri=True, check_same_thread=False)
        except (OSError, ValidationError, ValueError, sqlite3.DatabaseError) as error:
            raise _damaged(folder, error) from error
        self._modalities: NDArray[np.str_] | None = None

    def by_words(self, query: str, depth: int, modality: Modality | None = None) -> Ranked:
        """The chunks that hold words of ``query``, ranked by BM25."""
        asked = sorted(set(terms(query)))
        if self._words is None or not asked:
            return []
        ids = self._words.get_tokens_ids(asked)
        if not ids:
            return []
        scores = self._words.get_scores_from_ids(ids)
        if modality is not None:
            scores = np.where(self._kinds() == modality, scores, 0.0)
        # Equal scores keep the order of the files.
        order = np.argsort(-scores, kind="stable")[:depth]
        return [(int(n), float(scores[n])) for n in order if scores[n] > 0]

    def by_meaning(self, vector: Matrix, depth: int, modality: Modality | None = None) -> Ranked:
        """The chunks nearest to ``vector``, with the cosine of the angle.

        Raises:
            RetrieverError: the index holds no vectors, or others.
        """
        if self._vectors is None or self.meta.dimension != len(vector):
            raise RetrieverError(
                f"the query's vector has {len(vector)} numbers, those of the index "
                f"{self.meta.dimension or 'none'}"
            )
        faiss = _faiss()
        chosen = None
        if modality is not None:
            (among,) = np.nonzero(self._kinds() == modality)
            chosen = faiss.SearchParameters(sel=faiss.IDSelectorBatch(among))
        pieces = min(depth * self.meta.most_pieces, self.meta.pieces)  # so many are never too few
        scores, numbers = self._vectors.search(vector[None, :], pieces, params=chosen)
        best: dict[int, float] = {}
        for number, score in zip(numbers[0].tolist(), scores[0].tolist(), strict=True):
            if number >= 0:  # else there are no more
                best[number] = max(score, best.get(number, -1.0))
        # Equal scores keep the order of the files.
        return sorted(best.items(), key=lambda pair: (-pair[1], pair[0]))[:depth]

    def chunk(self, number: int) -> Chunk:
        """The chunk of that number."""
        ((path, locator, text),) = self._select(
            "SELECT path, locator, text FROM chunks WHERE id = ?", [number]
        )
        return Chunk(path.decode(*_NAMES), parse_locator(locator), text)

    def close(self) -> None:
        """Let go of the files."""
        self._db.close()

    def _kinds(self) -> NDArray[np.str_]:
        """The modality of each chunk."""
        if self._modalities is None:
            rows = self._select("SELECT modality FROM chunks ORDER BY id", [])
            self._modalities = np.array([kind for (kind,) in rows], dtype=np.str_)
        return self._modalities

    def _select(self, query: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        try:
            return self._db.execute(query, values).fetchall()
        except sqlite3.DatabaseError as error:
            raise _damaged(self.folder, error) from error


def index_of(profile: Profile, settings: IndexSettings, tell: Told | None = None) -> Index:
    """The index of ``profile``, made if it is not there yet; others who want it wait meanwhile.

    Raises:
        RetrieverError: a library is missing, the embedder fails, or what is there is damaged.
    """
    root = cache_root() / "retrieval"
    folder = root / f"{profile.digest[:16]}-{_mark(profile, settings)}"
    if not (folder / META).is_file():
        root.mkdir(parents=True, exist_ok=True)
        with (root / f"{folder.name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (folder / META).is_file():
                _make(profile, settings, folder, tell)
    return Index(folder)


def _mark(profile: Profile, settings: IndexSettings) -> str:
    """What decides an index besides the person's files."""
    libraries = [_bm25s().__version__]
    if settings.embedder is not None:
        libraries += [_faiss().__version__, settings.embedder.fingerprint]
    sources = [hashlib.sha256(Path(file).read_bytes()).hexdigest() for file in _SOURCES]
    said = [FORMAT_VERSION, settings.chunking, source_mark(profile), *sources, *libraries]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:16]


def _make(profile: Profile, settings: IndexSettings, folder: Path, tell: Told | None) -> None:
    """Write the index aside, then move it into place. The caller holds its lock."""
    aside = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(aside, ignore_errors=True)  # of one that was broken off
    aside.mkdir()
    try:
        chunks, unread = profile_chunks(profile, settings.chunking)
        texts = [chunk.text for chunk in chunks]
        begun = time.perf_counter()
        has_words = _write_words(aside / WORDS, texts)
        meta = Meta(
            profile_id=profile.id,
            chunks=len(chunks),
            unread=len(unread),
            has_words=has_words,
            words_s=time.perf_counter() - begun,
        )
        if settings.embedder is not None and chunks:
            store = folder.parent / f"vectors-{settings.embedder.fingerprint[:16]}.sqlite"
            found = _add_vectors(aside / VECTORS, texts, settings.embedder, store, tell)
            meta = meta.model_copy(update=found)
        modality = {record.path: record.modality for record in profile.files}
        _write_chunks(aside / CHUNKS, chunks, modality)
        (aside / META).write_text(meta.model_dump_json(indent=1), encoding="utf-8")
        shutil.rmtree(folder, ignore_errors=True)  # without meta.json it is none
        aside.rename(folder)
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        raise


def _write_words(folder: Path, texts: Sequence[str]) -> bool:
    """Write the postings; False if there is not one word, of which there can be none."""
    tokens = [terms(text) for text in texts]
    if not any(tokens):
        return False
    bm25s = _bm25s()
    made = bm25s.BM25(k1=K1, b=B, method="lucene")
    made.index(tokens, show_progress=False)
    made.save(str(folder), show_progress=False)
    return True


def _load_words(folder: Path) -> BM25:
    made: BM25 = _bm25s().BM25.load(str(folder), mmap=True)
    return made


def _write_chunks(file: Path, chunks: Sequence[Chunk], modality: dict[str, Modality]) -> None:
    rows = [
        (number, chunk.path.encode(*_NAMES), str(chunk.locator), modality[chunk.path], chunk.text)
        for number, chunk in enumerate(chunks)
    ]
    with closing(sqlite3.connect(file)) as db, db:
        db.execute(_TABLE)
        db.executemany("INSERT INTO chunks VALUES (?, ?, ?, ?, ?)", rows)


def _add_vectors(
    file: Path, texts: Sequence[str], embedder: Embedder, store: Path, tell: Told | None
) -> dict[str, Any]:
    """Write the vectors of the pieces of ``texts``; what the index's meta says of them."""
    cut = [embedder.cut(text) for text in texts]
    made = embed_all([piece for pieces in cut for piece in pieces], embedder, store, tell)
    faiss = _faiss()
    # Of vectors of length 1 the inner product is the cosine. Each bears its chunk's number.
    index = faiss.IndexIDMap(faiss.IndexFlatIP(made.rows.shape[1]))
    numbers = np.repeat(np.arange(len(cut), dtype=np.int64), [len(pieces) for pieces in cut])
    index.add_with_ids(made.rows, numbers)
    faiss.write_index(index, str(file))
    return {
        "dimension": made.rows.shape[1],
        "pieces": len(numbers),
        "most_pieces": max(map(len, cut)),
        "embedded": made.fresh,
        "embed_s": made.seconds,
    }


def _load_vectors(file: Path) -> Any:
    faiss = _faiss()
    try:
        return faiss.read_index(str(file), faiss.IO_FLAG_MMAP_IFC)
    except RuntimeError as error:  # faiss has no other
        raise ValueError(str(error)) from error


def _bm25s() -> Any:
    try:
        import bm25s
    except ImportError as error:
        raise RetrieverError("ranking needs bm25s: pip install 'deskgym[rag]'") from error
    return bm25s


def _faiss() -> Any:
    try:
        import faiss
    except ImportError as error:
        raise RetrieverError("vectors need faiss: pip install 'deskgym[rag]'") from error
    return faiss


def _damaged(folder: Path, error: Exception) -> RetrieverError:
    told = str(error).partition("\n")[0]
    return RetrieverError(f"the index {folder} cannot be used ({told}); remove the folder")
