"""The RAG family over a full demo person: with a capable model, and with one that misbehaves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from endpoint import INVENTED_PATH, Endpoint, hostile
from family_brain import FamilyBrain
from family_desk import llm

from deskgym.agents.null import ABSTENTION
from deskgym.agents.rag.chunks import profile_chunks
from deskgym.agents.ranking import BM25
from deskgym.agents.rollout import RunOutcome, RunSpec, run
from deskgym.env.actions import Ranking
from deskgym.env.desk_env import DeskEnv
from deskgym.env.retrieval import Passage as Found
from deskgym.env.run_reader import episode_path, read_episode
from deskgym.env.trajectory import CitationCheck, EpisodeEnd
from deskgym.env.trajectory_log import RunFolder
from deskgym.tasks.registry import load_dataset
from deskgym.tasks.schema import Modality, Profile

pytestmark = [pytest.mark.docker, pytest.mark.usefixtures("desk_image")]

PERSON = "demo/adam"
# Of each agent: tasks that a capable model solves with it, all evidence cited.
SOLVED = {
    "rag": "001 002 005 006 008 014 018 019 023 024 036 037",
    "self_rag": "001 002 003 004 005 006 007 008 010 012 023 027 028 033",
    "corrective_rag": "001 002 003 004 005 006 008 014 019 023 024",
    "hyde": "001 002 003 004 005 006 007 010 023 024 027 028",
    "ircot": "001 002 003 004 005 006 007 008 010 023 027 028",
    "decompose": "001 002 003 004 005 006 007 008 023 030 036",
    "search_r1": "001 002 003 004 005 006 007 008 010 023 027 028",
    "full_context": "001 002 003 005 007 012 025 027 029 031 034",
}
# Kinds of fault that the client notes, by what the endpoint did.
NOTED = {
    "429": "rate_limited",
    "500": "server_error",
    "503": "server_error",
    "cut": "connection",
    "malformed_body": "bad_response",
    "bad_shape": "bad_response",
    "no_choices": "bad_response",
    "empty": "empty",
    "null_content": "empty",
}


def over_adam(agent: str, endpoint: Endpoint, out: Path) -> RunOutcome:
    settings: dict[str, Any] = {"llm": llm(endpoint)}
    if agent != "full_context":
        settings["ranking"] = "words"
    spec = RunSpec(
        profiles=(PERSON,), agents=(agent,), max_steps=12, jobs=2, agent_config={agent: settings}
    )
    return run(spec, out / "run")


@pytest.mark.parametrize("agent", SOLVED)
def test_with_a_capable_model_stated_tasks_are_solved_with_evidence(
    agent: str, tmp_path: Path
) -> None:
    with Endpoint(FamilyBrain(load_dataset("demo").tasks(PERSON))) as endpoint:
        outcome = over_adam(agent, endpoint, tmp_path)
    assert len(outcome.results) == 41
    assert {result.ended for result in outcome.results} == {"answered"}
    assert sum(result.invalid_actions for result in outcome.results) == 0
    by_id = {result.task_id: result for result in outcome.results}
    for number in SOLVED[agent].split():
        result = by_id[f"adam-{number}"]
        assert result.scores.answer.score == 1, result
        assert result.scores.files_cited is not None
        assert result.scores.files_cited.f1 == 1, result
        assert result.scores.evidence is not None
        assert result.scores.evidence.cited_recall == 1, result
    for number in ("020", "021", "022"):
        assert by_id[f"adam-{number}"].answer == ABSTENTION


@pytest.mark.parametrize("agent", SOLVED)
def test_with_a_hostile_model_no_run_breaks_and_every_fault_is_in_the_log(
    agent: str, tmp_path: Path
) -> None:
    brain = hostile(FamilyBrain(load_dataset("demo").tasks(PERSON)), every=2)
    with Endpoint(brain) as endpoint:
        outcome = over_adam(agent, endpoint, tmp_path)
    assert len(outcome.results) == 41
    assert {result.ended for result in outcome.results} == {"answered"}
    logged = [fault for r in outcome.results if r.use is not None for fault in r.use.faults]
    # An answer without a word is another thing than a reply without one.
    kinds = [fault.partition(":")[0] for fault in logged if "no answer in the" not in fault]
    for noted in set(NOTED.values()):
        served = [kind for kind in endpoint.faults if NOTED.get(kind) == noted]
        assert served
        assert kinds.count(noted) == len(served)
    # What a model says that is of no use is either refused or in what its answer cites.
    assert kinds.count("malformed") + kinds.count("uncited") >= 5
    for check in _citations(outcome):
        assert check.exists == (check.cite.path != INVENTED_PATH)


class Chunks:
    """A retriever by words over whole passages, as plain as can be."""

    def __init__(self, profile: Profile) -> None:
        self._chunks = profile_chunks(profile)[0]
        self._ranking = BM25([f"{chunk.path} {chunk.text}" for chunk in self._chunks])

    def search(
        self, query: str, *, top_k: int, ranking: Ranking, modality: Modality | None
    ) -> list[Found]:
        scores = self._ranking.scores(query)
        best = sorted(range(len(scores)), key=lambda n: -scores[n])[:top_k]
        chunks = [(self._chunks[n], scores[n]) for n in best]
        return [Found(c.path, c.locator, c.text, score) for c, score in chunks]


@pytest.mark.parametrize("agent", ["rag", "corrective_rag"])
def test_a_retrievers_whole_passages_are_read_and_cited_by_their_places(
    agent: str, tmp_path: Path
) -> None:
    def make_env(spec: RunSpec, folder: RunFolder, name: str) -> DeskEnv:
        return DeskEnv("demo", max_steps=12, run=folder, agent=name, retriever=Chunks)

    with Endpoint(FamilyBrain(load_dataset("demo").tasks(PERSON))) as endpoint:
        spec = RunSpec(
            profiles=(PERSON,),
            agents=(agent,),
            tasks=("adam-00[1-8]",),
            agent_config={agent: {"llm": llm(endpoint)}},
        )
        results = run(spec, tmp_path / "run", make_env=make_env).results
    for result in results:
        assert result.use is not None
        assert result.use.faults == ()
        assert result.scores.answer.score == 1, result
        assert result.scores.evidence is not None
        assert result.scores.evidence.cited_recall == 1, result


def _citations(outcome: RunOutcome) -> list[CitationCheck]:
    logs = [
        episode_path(outcome.folder, result.agent, result.profile_id, result.task_id)
        for result in outcome.results
    ]
    ends = [event for log in logs for event in read_episode(log) if isinstance(event, EpisodeEnd)]
    assert len(ends) == len(outcome.results)
    return [check for end in ends for check in end.citations]
