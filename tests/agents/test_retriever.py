"""Searches beside the desk: by words, by meaning and by both, from an index that is made once."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_retrieval import profile
from tiny_embedder import write_model

from deskgym.agents.rag import index as index_module
from deskgym.agents.rag.embed import embedder_config, open_embedder
from deskgym.agents.rag.fusion import fuse
from deskgym.agents.rag.hits import parse_hits
from deskgym.agents.rag.index import META, Index, IndexSettings, _write_words, index_of
from deskgym.agents.rag.retriever import BadRetrieval, make_retriever
from deskgym.agents.ranking import BM25, K1, terms
from deskgym.env.actions import Ranking, Search
from deskgym.env.desk_env import DeskEnv
from deskgym.env.retrieval import Passage, Retriever, RetrieverError, search_beside
from deskgym.env.sandbox.base import Response
from deskgym.env.trajectory import StepEvent
from deskgym.tasks.registry import load_dataset
from deskgym.tasks.schema import Profile

FILES = {
    "birds.txt": "The zinc heron sleeps at noon.",
    "boats.txt": "A ferry, at what price? The lamp on the ferry is lit.",
    "metal.md": "# Works\n\n## Metal\nA metal bird rests.\n\n## Hours\nThe light is on at midday.",
    "long.txt": f"{'filler ' * 40}heron",
}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DESKGYM_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "retrieval"


@pytest.fixture(scope="module")
def embedder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"onnx:{write_model(tmp_path_factory.mktemp('tiny'))}"


@pytest.fixture
def person(tmp_path: Path) -> Profile:
    (tmp_path / "desk").mkdir()
    return profile(tmp_path / "desk", FILES)


def paths(found: Sequence[Passage]) -> list[str]:
    return [passage.path for passage in found]


def search(retriever: Retriever, query: str, ranking: Ranking, top_k: int = 3) -> list[str]:
    return paths(retriever.search(query, top_k=top_k, ranking=ranking, modality=None))


# --- rankings ---


def test_words_find_words_meaning_finds_synonyms_and_both_find_both(
    person: Profile, embedder: str
) -> None:
    retriever = make_retriever({"embedder": embedder})(person)
    assert search(retriever, "zinc heron", "bm25") == ["birds.txt", "long.txt"]
    assert set(search(retriever, "zinc heron", "dense", 2)) == {"birds.txt", "metal.md"}
    assert search(retriever, "zinc heron", "hybrid", 4)[0] == "birds.txt"
    assert set(search(retriever, "zinc heron", "hybrid", 4)) >= {"birds.txt", "metal.md"}


def test_a_passage_is_whole_and_knows_its_place_and_score(person: Profile, embedder: str) -> None:
    retriever = make_retriever({"embedder": embedder})(person)
    (first, *_) = retriever.search("midday light", top_k=5, ranking="dense", modality=None)
    assert (first.path, str(first.locator)) == ("metal.md", "lines:6-7")
    assert first.text == "## Hours\nThe light is on at midday."
    assert first.score == pytest.approx(1.0)


def test_a_long_passage_ranks_by_its_best_piece(person: Profile, embedder: str) -> None:
    retriever = make_retriever({"embedder": embedder})(person)
    found = retriever.search("bird", top_k=10, ranking="dense", modality=None)
    assert paths(found).count("long.txt") == 1
    (long,) = [passage for passage in found if passage.path == "long.txt"]
    assert long.score > 0
    assert long.text.endswith("heron")


def test_a_kind_of_file_is_kept_to(tmp_path: Path, embedder: str) -> None:
    (tmp_path / "desk").mkdir()
    made = profile(tmp_path / "desk", FILES)
    files = tuple(
        f.model_copy(update={"modality": "document"}) if f.path == "metal.md" else f
        for f in made.files
    )
    retriever = make_retriever({"embedder": embedder})(made.model_copy(update={"files": files}))
    rankings: tuple[Ranking, ...] = ("bm25", "dense", "hybrid")
    for ranking in rankings:
        found = retriever.search("metal heron", top_k=9, ranking=ranking, modality="document")
        assert set(paths(found)) == {"metal.md"}
        nothing = retriever.search("metal heron", top_k=9, ranking=ranking, modality="audio")
        assert list(nothing) == []


@pytest.mark.parametrize("ranking", ["bm25", "dense", "hybrid"])
def test_nothing_is_found_where_nothing_is(tmp_path: Path, embedder: str, ranking: Ranking) -> None:
    retriever = make_retriever({"embedder": embedder})(profile(tmp_path, {"empty.txt": ""}))
    assert search(retriever, "heron", ranking) == []


@pytest.mark.parametrize("ranking", ["dense", "hybrid"])
def test_without_an_embedder_only_words_are_ranked(person: Profile, ranking: Ranking) -> None:
    retriever = make_retriever({})(person)
    assert search(retriever, "heron", "bm25") == ["birds.txt", "long.txt"]
    response = search_beside(Search(query="heron", ranking=ranking), retriever)
    assert response.error is not None
    assert response.error.kind == "unsupported"
    assert "needs an embedder" in response.error.message


@given(
    st.lists(st.text("abc de", max_size=20), min_size=1, max_size=12),
    st.text("abc de", max_size=12),
)
def test_bm25_scores_are_those_of_the_plain_ranking(
    tmp_path_factory: pytest.TempPathFactory, passages: list[str], query: str
) -> None:
    folder = tmp_path_factory.mktemp("bm25") / "made"
    expected = BM25(passages).scores(query)
    if not _write_words(folder, passages):
        assert not any(terms(passage) for passage in passages)
        return
    made = index_module._load_words(folder)
    asked = sorted(set(terms(query)))
    ids = made.get_tokens_ids(asked) if asked else []
    scores = made.get_scores_from_ids(ids) if ids else np.zeros(len(passages))
    assert (scores * (K1 + 1)).tolist() == pytest.approx(expected, rel=1e-4, abs=1e-5)


def test_vectors_are_searched_exactly(tmp_path: Path, embedder: str) -> None:
    random = np.random.default_rng(0)
    words = ["zinc", "heron", "sleeps", "lamp", "cost", "boat", "noon", "filler"]
    texts = {f"{n:02}.txt": " ".join(random.choice(words, 6)) for n in range(40)}
    person = profile(tmp_path, texts)
    made = open_embedder(embedder_config(embedder))
    index = index_of(person, IndexSettings(embedder=made))
    rows = made.passages(list(texts.values()))
    for query in ("bird metal", "price of a boat at noon", "lamp"):
        cosines = rows @ made.query(query)
        found = index.by_meaning(made.query(query), 10)
        assert [s for _, s in found] == pytest.approx(sorted(cosines, reverse=True)[:10], abs=1e-6)
        assert [s for _, s in found] == pytest.approx([cosines[n] for n, _ in found], abs=1e-6)
        assert [index.chunk(n).path for n, _ in found] == [f"{n:02}.txt" for n, _ in found]


def test_fusion_adds_what_each_ranking_gives() -> None:
    fused = fuse([[7, 8], [8, 9]], k=60)
    assert fused == [
        (8, pytest.approx(1 / 62 + 1 / 61)),
        (7, pytest.approx(1 / 61)),
        (9, pytest.approx(1 / 62)),
    ]
    assert [item for item, _ in fuse([[7, 8], [8, 9]], (3.0, 0.5), k=0)] == [7, 8, 9]


@given(st.permutations(range(6)), st.permutations(range(6)))
def test_what_stands_before_another_everywhere_does_so_when_fused(
    one: list[int], other: list[int]
) -> None:
    place = {item: n for n, (item, _) in enumerate(fuse([one, other]))}
    for a in range(6):
        for b in range(6):
            if one.index(a) < one.index(b) and other.index(a) < other.index(b):
                assert place[a] < place[b]


def test_weights_and_depth_of_a_fusion_are_settings(person: Profile, embedder: str) -> None:
    words = {"embedder": embedder, "weights": [1, 0]}
    meaning = {"embedder": embedder, "weights": [0, 1]}
    assert search(make_retriever(words)(person), "zinc heron", "hybrid", 1) == ["birds.txt"]
    by_meaning = make_retriever(meaning)(person)
    assert search(by_meaning, "light", "hybrid", 2) == search(by_meaning, "light", "dense", 2)


# --- settings ---


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"embedder": "nowhere"}, "retrieval.embedder: no embedder 'nowhere'"),
        ({"embedder": {"kind": "onnx"}}, "retrieval.embedder"),
        ({"chunking": "page"}, "retrieval.chunking"),
        ({"rrf_k": -1}, "retrieval.rrf_k"),
        ({"weights": [0, 0]}, "retrieval.weights"),
        ({"weights": [1]}, "retrieval.weights"),
        ({"depth": 0}, "retrieval.depth"),
        ({"colour": 1}, "retrieval.colour"),
    ],
)
def test_settings_that_do_not_fit_are_told_with_their_name(
    settings: dict[str, Any], field: str
) -> None:
    with pytest.raises(BadRetrieval, match=field):
        make_retriever(settings)


# --- the index on this computer ---


def folders(cache: Path) -> list[Path]:
    return sorted(path for path in cache.iterdir() if path.is_dir())


def test_an_index_is_made_once_and_found_by_another_process(
    person: Profile, embedder: str, cache: Path
) -> None:
    make_retriever({"embedder": embedder})(person)
    (folder,) = folders(cache)
    before = {file: file.stat().st_mtime_ns for file in folder.rglob("*")}
    script = (
        "import sys\n"
        "from deskgym.agents.rag.retriever import make_retriever\n"
        "from deskgym.tasks.schema import Profile\n"
        "person = Profile.model_validate_json(sys.stdin.read())\n"
        f"made = make_retriever({{'embedder': {embedder!r}}})(person)\n"
        "found = made.search('bird', top_k=9, ranking='hybrid', modality=None)\n"
        "print(*[passage.path for passage in found])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        input=person.model_dump_json(),
        capture_output=True,
        text=True,
        check=True,
    )
    again = make_retriever({"embedder": embedder})(person)
    assert done.stdout.split() == search(again, "bird", "hybrid", 9)
    assert {file: file.stat().st_mtime_ns for file in folder.rglob("*")} == before
    assert folders(cache) == [folder]


@pytest.mark.parametrize("change", [{"chunking": "window"}, {"embedder": None}])
def test_other_settings_make_another_index(
    person: Profile, embedder: str, cache: Path, change: dict[str, Any]
) -> None:
    make_retriever({"embedder": embedder})(person)
    make_retriever({"embedder": embedder} | change)(person)
    assert len(folders(cache)) == 2


def test_other_files_make_another_index_with_the_vectors_that_are_known(
    person: Profile, embedder: str, cache: Path
) -> None:
    made = open_embedder(embedder_config(embedder))
    whole = index_of(person, IndexSettings(embedder=made))
    shown = person.model_copy(update={"files": person.files[:2], "digest": "e" * 64})
    part = index_of(shown, IndexSettings(embedder=made))
    assert (whole.meta.embedded, part.meta.embedded) == (whole.meta.pieces, 0)
    assert part.meta.chunks == 2


def test_those_who_come_at_once_make_one_index(
    person: Profile, embedder: str, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    makings: list[str] = []
    make = index_module._make

    def making(*args: Any) -> None:
        makings.append("made")
        make(*args)

    monkeypatch.setattr(index_module, "_make", making)
    found: list[list[str]] = []
    threads = [
        threading.Thread(
            target=lambda: found.append(
                search(make_retriever({"embedder": embedder})(person), "bird", "hybrid")
            )
        )
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert makings == ["made"]
    assert len(found) == 4
    assert len({tuple(one) for one in found}) == 1


def test_a_making_that_fails_leaves_nothing_and_is_done_again(
    person: Profile, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(index_module, "_write_chunks", lambda *args: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            make_retriever({})(person)
    assert folders(cache) == []
    assert search(make_retriever({})(person), "heron", "bm25") == ["birds.txt", "long.txt"]


def test_what_a_killed_process_left_is_cleared(person: Profile, cache: Path) -> None:
    make_retriever({})(person)
    (folder,) = folders(cache)
    folder.rename(folder.with_name(f"{folder.name}.part"))
    make_retriever({})(person)
    assert folders(cache) == [folder]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (META, b"{"),
        (META, b'{"format_version": 1, "colour": 2}'),
        ("vectors.faiss", b"torn"),
        ("chunks.sqlite", b"torn" * 1000),
        ("bm25/params.index.json", b"{"),
    ],
)
def test_a_damaged_index_is_told_with_its_folder(
    person: Profile, embedder: str, cache: Path, name: str, content: bytes
) -> None:
    make_retriever({"embedder": embedder})(person)
    (folder,) = folders(cache)
    (folder / name).write_bytes(content)
    with pytest.raises(RetrieverError, match=rf"{folder.name}.*remove the folder"):
        search(make_retriever({"embedder": embedder})(person), "bird", "hybrid")


def test_an_index_of_another_format_is_not_used(person: Profile, cache: Path) -> None:
    make_retriever({})(person)
    (folder,) = folders(cache)
    text = (folder / META).read_text()
    (folder / META).write_text(text.replace('"format_version": 1', '"format_version": 2'))
    with pytest.raises(RetrieverError, match="remove the folder"):
        Index(folder)


def test_a_file_s_name_need_not_be_text(tmp_path: Path, cache: Path) -> None:
    person = profile(tmp_path, {"naïve – 鹭.txt": "The heron sleeps."})
    assert search(make_retriever({})(person), "heron", "bm25") == ["naïve – 鹭.txt"]


@pytest.mark.parametrize("library", ["bm25s", "faiss"])
def test_a_missing_library_is_told_with_the_extra(
    person: Profile, embedder: str, monkeypatch: pytest.MonkeyPatch, library: str
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(RetrieverError, match=r"pip install 'deskgym\[rag\]'"):
        make_retriever({"embedder": embedder})(person)


# --- in an episode ---


@pytest.mark.docker
@pytest.mark.usefixtures("desk_image")
def test_a_search_by_meaning_is_a_step_that_exposes_evidence(embedder: str) -> None:
    task = next(
        t for t in load_dataset("demo").tasks("demo/adam") if t.files and t.files[0].endswith(".md")
    )
    env = DeskEnv("demo", retriever=make_retriever({"embedder": embedder}))
    try:
        env.reset(seed=0, profile="demo/adam", task=task.id)
        query = task.evidence[0].text[:200]
        rankings: tuple[Ranking, ...] = ("bm25", "hybrid")
        for ranking in rankings:
            observation = env.step(Search(query=query, ranking=ranking, top_k=20))[0]
            hits = parse_hits(observation["text"])
            assert task.evidence[0].file_path in [hit.path for hit in hits]
            event = env.trajectory[-1]
            assert isinstance(event, StepEvent)
            assert [(r.path, r.locator) for r in event.returned] == [
                (hit.path, hit.locator) for hit in hits
            ]
            assert task.evidence[0].evidence_id in {one.evidence_id for one in event.exposed}
    finally:
        env.close()


def test_a_response_with_hits_is_what_the_desk_s_own_search_gives(person: Profile) -> None:
    answer = search_beside(Search(query="heron", ranking="bm25"), make_retriever({})(person))
    assert isinstance(answer, Response)
    assert [set(hit) for hit in answer.info["hits"]] == [
        {"path", "locator", "snippet", "score"}
    ] * 2
