"""Full-text search over a prepared profile: an index in one SQLite file, and how it is asked.

Words are matched by their English stem, without case and accents. Scripts that are written
without spaces between words (Chinese, Japanese, Korean with its endings, Thai) are indexed as
overlapping pairs of characters, so that any part of a run is found. Hits are ranked by BM25 over
the passages of `deskgym.tools.search_windows`, in which the file's name counts too.

Standard library only: it is imported in the desk.
"""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from deskgym.tools.result import Segment, ToolError, ToolResult
from deskgym.tools.search_windows import windows

FORMAT_VERSION = 1
MAX_QUERY = 2_000
MAX_TERMS = 64
MAX_TOP_K = 50
PER_FILE = 3
MODALITIES = ("document", "image", "text", "audio", "video")

Entry = tuple[str, str, Iterable[Segment]]
"""A file's path, its modality, and the segments of its whole text (none: found by its name)."""

_SNIPPET = 200
_LEAD = 40  # characters of a snippet before its first match
_NAME_WEIGHT = 1.0
_SCHEMA = f"""
PRAGMA page_size = 4096;
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA user_version = {FORMAT_VERSION};
CREATE TABLE files (id INTEGER PRIMARY KEY, path BLOB NOT NULL, modality TEXT NOT NULL);
CREATE TABLE passages (
    id INTEGER PRIMARY KEY, file INTEGER NOT NULL, locator TEXT NOT NULL, text TEXT NOT NULL
);
CREATE VIRTUAL TABLE words USING fts5(
    name, body, content = '',
    tokenize = "porter unicode61 remove_diacritics 2 categories 'L* M* N* Co'"
);
"""
_UNPREPARED = ("this person's files are not prepared", "run: deskgym prepare ID")

# Scripts without spaces: Thai, Lao, Burmese, Khmer; kana; Han; Hangul.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_RUN = re.compile(f"[{_UNSPACED}]+")
# Arrows, signs and emoji, which the tokenizer takes for punctuation.
_SIGN = re.compile("[\u2190-\u2bff\U0001f000-\U0001faff]")
# What parts the words of a query: all that ASCII, Latin-1 and CJK have besides letters and digits.
_APART = re.compile(
    "[\\s\x00-/:-@\\[-`{-\xa9\xab-\xb1\xb4\xb6-\xb8\xbb\xbf\xd7\xf7"
    "\u2000-\u206f\u3000-\u3004\u3008-\u3030\ufe00-\ufe0f]+"
)
_ENDINGS = re.compile(r"(?:ing|ies|ied|ed|es|s|e|y)$")


# -- building --------------------------------------------------------------------------------------


def build_index(db_path: Path, entries: Iterable[Entry]) -> None:
    """Write the index of ``entries`` to ``db_path``, in place of what is there.

    The same entries, in whatever order, give the same bytes (with one version of SQLite). It
    appears all at once; ``db_path`` with ``.tmp`` added is used on the way.

    Raises:
        OSError: it cannot be written.
        ValueError: a path is there twice.
    """
    ordered = sorted(entries, key=lambda entry: _stored(entry[0]))
    if len({path for path, *_ in ordered}) < len(ordered):
        raise ValueError("a path is there twice")
    unfinished = db_path.with_name(db_path.name + ".tmp")
    unfinished.unlink(missing_ok=True)
    try:
        with closing(sqlite3.connect(unfinished, isolation_level=None)) as db:
            db.executescript(_SCHEMA)
            db.execute("BEGIN")
            for number, (path, modality, segments) in enumerate(ordered, 1):
                row = (number, _stored(path), modality)
                db.execute("INSERT INTO files VALUES (?, ?, ?)", row)
                _insert(db, number, path, segments)
            db.execute("INSERT INTO words(words) VALUES ('optimize')")
            db.execute("COMMIT")
    except sqlite3.Error as error:
        unfinished.unlink(missing_ok=True)
        raise OSError(f"the search index cannot be written to {db_path}: {error}") from error
    unfinished.replace(db_path)


def _insert(db: sqlite3.Connection, file: int, path: str, segments: Iterable[Segment]) -> None:
    name = _spread(path)
    pieces = list(windows(segments)) or [Segment("file", "")]
    for piece in pieces:
        text = piece.text.encode("utf-8", "replace").decode()
        cursor = db.execute(
            "INSERT INTO passages(file, locator, text) VALUES (?, ?, ?)",
            (file, piece.locator.encode("utf-8", "replace").decode(), text),
        )
        row = (cursor.lastrowid, name, _spread(text))
        db.execute("INSERT INTO words(rowid, name, body) VALUES (?, ?, ?)", row)


def _stored(path: str) -> bytes:
    """A path need not be Unicode: names that are none hold lone surrogates."""
    return path.encode("utf-8", "surrogatepass")


# -- asking ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Hit:
    """A passage that fits: where it is, its text around the match, its score (higher is better).

    One that is found by its name alone, as its file has no text, has the locator ``file`` and the
    path as its snippet.
    """

    path: str
    locator: str
    snippet: str
    score: float


def query_index(
    db_path: Path | None, query: str, top_k: int = 10, modality: str | None = None
) -> ToolResult:
    """The best ``top_k`` passages for ``query``, in ``info["hits"]`` as dicts of `Hit`.

    Every word counts, none is required, and there are no operators: quotes, ``AND`` and ``*`` are
    words or nothing. At most three passages of a file come back. Equal scores stand in the order
    of path and place.

    Raises:
        ToolError: bad_argument; unsupported, if there is no index or one of another version;
            corrupt.
    """
    _check(query, top_k, modality)
    if db_path is None or not db_path.is_file():
        raise ToolError("unsupported", *_UNPREPARED)
    wanted = terms(query)
    if not wanted:
        return ToolResult(info={"hits": []}, notes=("there is no word in the query",))
    address = f"file:{quote(str(db_path.resolve()))}?mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(address, uri=True)) as db:
            _check_version(db)
            hits = list(_hits(db, wanted, top_k, modality))
    except sqlite3.Error as error:
        raise ToolError(
            "corrupt", f"the search index cannot be read: {error}", "run: deskgym prepare ID"
        ) from error
    notes = () if hits else ("nothing fits; try other words, or list_files",)
    return ToolResult(info={"hits": [asdict(hit) for hit in hits]}, notes=notes)


def _check(query: Any, top_k: Any, modality: Any) -> None:
    if not isinstance(query, str) or len(query) > MAX_QUERY:
        raise ToolError("bad_argument", f"query is a text of at most {MAX_QUERY} characters")
    if not isinstance(top_k, int) or isinstance(top_k, bool) or not 1 <= top_k <= MAX_TOP_K:
        raise ToolError("bad_argument", f"top_k is a whole number from 1 to {MAX_TOP_K}")
    if modality is not None and modality not in MODALITIES:
        raise ToolError("bad_argument", f"modality is one of {', '.join(MODALITIES)}")


def _check_version(db: sqlite3.Connection) -> None:
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version != FORMAT_VERSION:
        raise ToolError(
            "unsupported",
            f"the search index is of version {version}, not {FORMAT_VERSION}",
            "run: deskgym prepare ID",
        )


def _hits(
    db: sqlite3.Connection, wanted: list[str], top_k: int, modality: str | None
) -> Iterator[Hit]:
    found = db.execute(
        "SELECT f.path, p.locator, p.text, round(bm25(words, ?, 1.0), 4) AS rank FROM words"
        " JOIN passages p ON p.id = words.rowid JOIN files f ON f.id = p.file"
        " WHERE words MATCH ? AND (? IS NULL OR f.modality = ?) ORDER BY rank, p.id",
        (_NAME_WEIGHT, " OR ".join(_phrase(term) for term in wanted), modality, modality),
    )
    of_file: dict[bytes, int] = {}
    left = top_k
    for stored, locator, text, rank in found:
        of_file[stored] = of_file.get(stored, 0) + 1
        if of_file[stored] > PER_FILE:
            continue
        path = stored.decode("utf-8", "surrogatepass")
        snippet = snippet_of(text, wanted) if text else path
        yield Hit(path, locator, snippet, -rank)
        left -= 1
        if not left:
            return


def _phrase(term: str) -> str:
    """A term as FTS5 takes it; one character of an unspaced script also begins pairs."""
    return f'"{term}" *' if len(term) == 1 and _RUN.fullmatch(term) else f'"{term}"'


# -- words -----------------------------------------------------------------------------------------


def terms(query: str) -> list[str]:
    """What a query asks for, each once: its words, pairs of unspaced characters, and the parts of
    ``2024-03-01`` or ``a.b@c.org`` as a phrase besides."""
    found: list[str] = []
    for chunk in _normal(query).split():
        words = [word for word in _APART.split(_spread(chunk, ends=False)) if word]
        found += words
        if len(words) > 1 and not _RUN.search(chunk):
            found.append(" ".join(words))
    return list(dict.fromkeys(found))[:MAX_TERMS]


def _normal(text: str) -> str:
    return unicodedata.normalize("NFKC", text.encode("utf-8", "replace").decode()).lower()


def _spread(text: str, *, ends: bool = True) -> str:
    """``text`` as the tokenizer is to see it: runs without spaces as pairs, signs as words.

    With ``ends``, a run's last character stands by itself too, so that it can be found alone.
    """
    if text.isascii():
        return text

    def pairs(match: re.Match[str]) -> str:
        run = match[0]
        parts = [run[n : n + 2] for n in range(len(run) - 1)]
        return f" {' '.join([*parts, run[-1]] if ends or not parts else parts)} "

    spread = _RUN.sub(pairs, _normal(text))
    return _SIGN.sub(lambda match: f" u{ord(match[0]):x} ", spread)


# -- snippets --------------------------------------------------------------------------------------


def snippet_of(text: str, wanted: list[str]) -> str:
    """About 200 characters of ``text``, on one line, where most of the terms stand."""
    line = " ".join(text.split())
    if len(line) <= _SNIPPET:
        return line
    start = max(0, _best_start(line, wanted) - _LEAD)
    start = min(start, len(line) - _SNIPPET)
    end = start + _SNIPPET
    # Cut between words, where there is a space near.
    if start and (space := line.find(" ", start, start + _LEAD // 2)) >= 0:
        start = space + 1
    if end < len(line) and (space := line.rfind(" ", end - _LEAD // 2, end)) > 0:
        end = space
    return ("…" if start else "") + line[start:end] + ("…" if end < len(line) else "")


def _best_start(line: str, wanted: list[str]) -> int:
    """Where the stretch begins that holds the most different terms, long ones counting more."""
    parts = list(dict.fromkeys(part for term in wanted for part in term.split()))
    stems = {_stem(part) for part in parts}
    pattern = "|".join(
        re.escape(stem) if _RUN.match(stem) else rf"\b{re.escape(stem)}"
        for stem in sorted(stems, key=lambda stem: (-len(stem), stem))
    )
    matches = [(m.start(), m[0]) for m in re.finditer(pattern, _folded(line))]
    best, best_at = 0, 0
    for number, (at, _) in enumerate(matches):
        near = {stem for place, stem in matches[number : number + 40] if place < at + _SNIPPET // 2}
        if (value := sum(min(len(stem), 8) for stem in near)) > best:
            best, best_at = value, at
    return best_at


def _stem(word: str) -> str:
    """Roughly what the forms of a word share; the snippet only has to find one of them."""
    stem = _ENDINGS.sub("", _folded(word))
    return stem if len(stem) >= 3 else _folded(word)


def _folded(text: str) -> str:
    """``text`` without case and accents, of the same length."""
    if text.isascii():
        return text.lower()
    return "".join(_plain(character) for character in text)


def _plain(character: str) -> str:
    parts = unicodedata.normalize("NFD", character)
    if len(parts) > 1 and unicodedata.combining(parts[1]):
        character = parts[0]
    simple = unicodedata.normalize("NFKC", character).lower()
    return simple if len(simple) == 1 else character
