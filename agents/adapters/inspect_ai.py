"""Inspect AI: the questions as a task, the actions as tools that return pictures, our scores.

``inspect eval deskgym/demo --model ...`` finds it by its entry point. Any agent of Inspect's may
play: ``desk(solver=...)`` takes one, and gives it the tools.
"""

from __future__ import annotations

import asyncio
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ContentAudio, ContentImage
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Content, ContentText, Tool, ToolDef, ToolError, ToolParams

from deskgym.agents.adapters.play import DeskPlay, MakeEnv, Outcome, Shown, data_url
from deskgym.agents.messages import ToolSpec
from deskgym.env.desk_env import DeskEnv
from deskgym.tasks.registry import load_dataset, profile_id

_OUTCOME = "deskgym_outcome"
_PARTS = ("answer", "files_cited_f1", "files_touched_recall", "evidence_exposed_recall", "reward")
_FORMATS = {"audio/mpeg": "mp3", "audio/mp3": "mp3", "audio/wav": "wav", "audio/x-wav": "wav"}


@task
def demo(
    profile: str | None = None,
    tools: str | None = None,
    max_steps: int = 30,
    reward: str = "sparse",
    sandbox: str = "auto",
) -> Task:
    """The questions of the demo people, or of one of them."""
    return desk("demo", profile, tools=tools, max_steps=max_steps, reward=reward, sandbox=sandbox)


@task
def desk(
    dataset: str = "demo",
    profile: str | None = None,
    *,
    tools: str | None = None,
    max_steps: int = 30,
    reward: str = "sparse",
    sandbox: str = "auto",
    player: Solver | None = None,
) -> Task:
    """The questions of a data set's people, or of one of them.

    ``player`` plays in place of the plain loop of tool calls; the rest is as for `DeskEnv`.
    """
    data = load_dataset(dataset)
    people = data.profiles() if profile is None else (profile_id(data, profile),)

    def make() -> DeskEnv:
        on = tools.split(",") if tools and "," in tools else tools
        return DeskEnv(data, tools=on, max_steps=max_steps, reward=reward, sandbox=sandbox)

    samples = [
        Sample(
            id=one.id,
            input=one.question,
            target=one.answer,  # stays with the log and the scorer; no model is shown it
            metadata={"profile": one.profile_id, "qa_type": one.qa_type, "family": one.family},
        )
        for person in people
        for one in data.tasks(person)
    ]
    return Task(
        dataset=MemoryDataset(samples, name=f"deskgym/{dataset}"),
        solver=at_desk(make, player),
        scorer=desk_scores(),
        version=1,
    )


@solver
def at_desk(make_env: MakeEnv, player: Solver | None = None) -> Solver:
    """Play the sample's episode: ``player``, or the model with the tools until the episode ends."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        play = DeskPlay(await asyncio.to_thread(make_env))
        try:
            told = await asyncio.to_thread(
                play.begin, profile=state.metadata["profile"], task=str(state.sample_id)
            )
            # The question stays the user's message, as any player expects.
            state.messages.insert(0, ChatMessageSystem(content=told))
            state.tools = [_tool(play, spec) for spec in play.specs]
            state = await (player or _loop(play))(state, generate)
            if not play.over and state.output.completion.strip():
                await asyncio.to_thread(play.say, state.output.completion)
            state.store.set(_OUTCOME, play.outcome.model_dump(mode="json"))
        finally:
            await asyncio.shield(asyncio.to_thread(play.close))
        return state

    return solve


@scorer(metrics={part: [mean(), stderr()] for part in _PARTS})
def desk_scores() -> Scorer:
    """The scores of the episode, as `deskgym.env` gives them: answer, files, evidence, reward."""

    async def score(state: TaskState, target: Target) -> Score:
        told = state.store.get(_OUTCOME)
        if told is None:  # it came to no end: an error or a limit of Inspect's
            return Score(value=dict.fromkeys(_PARTS, 0.0), explanation="no episode was played")
        outcome = Outcome.model_validate(told)
        values = {**outcome.scores, "reward": outcome.reward}
        return Score(
            # Of a task without gold files, that part is left unscored.
            value={part: values.get(part, float("nan")) for part in _PARTS},
            answer=outcome.answer,
            explanation=f"{outcome.ended} after {outcome.steps} steps",
            metadata=told,
        )

    return score


def _loop(play: DeskPlay) -> Solver:
    """The model and its tools, until the episode ends or the model uses none."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        while not play.over:
            state = await generate(state, tool_calls="single")
            if state.completed or not state.output.message.tool_calls:
                break
        return state

    return solve


def _tool(play: DeskPlay, spec: ToolSpec) -> Tool:
    async def execute(**arguments: Any) -> list[Content]:
        shown = await asyncio.to_thread(play.use, spec.name, arguments)
        if not shown.ok:
            raise ToolError(shown.text)
        return _content(shown)

    return ToolDef(
        execute,
        name=spec.name,
        description=spec.description,
        parameters=_params(spec),
        max_output=0,  # the environment caps what it shows
    ).as_tool()


def _params(spec: ToolSpec) -> ToolParams:
    """The arguments, each with a description: Inspect takes no tool without."""
    params = ToolParams.model_validate(spec.parameters)
    for name, param in params.properties.items():
        param.description = param.description or name.replace("_", " ")
    return params


def _content(shown: Shown) -> list[Content]:
    content: list[Content] = [ContentText(text=shown.text)]
    content += [ContentImage(image=data_url(picture)) for picture in shown.pictures]
    for sound in shown.sounds:
        if sound.mime in _FORMATS:
            form: Any = _FORMATS[sound.mime]
            content.append(ContentAudio(audio=data_url(sound), format=form))
    return content
