"""A run written for other programs: HippoCamp's batch shape, Parquet, chat messages."""

from __future__ import annotations

import base64
import json
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from deskgym.env.actions import (
    Action,
    Answer,
    ListFiles,
    Metadata,
    Note,
    ReadAudio,
    ReadImage,
    ReadOriginal,
    ReadText,
    ReadVideo,
    Search,
    Terminal,
)
from deskgym.env.run_reader import (
    MEDIA,
    TrajectoryError,
    episode_path,
    failed,
    iter_results,
    read_config,
    read_episode,
)
from deskgym.env.score_run import elapsed_s, scored_results
from deskgym.env.trajectory import (
    EpisodeResult,
    EpisodeStart,
    Event,
    MediaShown,
    RunConfig,
    StepEvent,
)
from deskgym.tasks.schema import Task
from deskgym.tasks.whole_file import replacing

Gold = Callable[[str, str], Task | None]
"""The task of a profile id and task id, where it can be had."""
Files = Literal["cited", "touched"]
Message = dict[str, Any]


class MissingLibrary(RuntimeError):
    """A library that an export needs is not installed. The message says how to get it."""


def export_hippocamp(
    run: Path, out: Path, *, files: Files = "cited", agent: str | None = None, gold: Gold | None
) -> int:
    """Write a run's episodes as a JSON list in HippoCamp's batch shape; returns how many.

    A record has the fields of the published batch scripts (``query_id, question, answer, steps,
    ground_truth, ground_file_list, agent_file_list, time_ms, ...``) and, with the same values,
    those by which the published evaluator calls them (``query, file_list, retrieved_file_list,
    execution_time_ms, bench``), besides ``answerable``, which is ours. ``files`` says which are
    the agent's files: those that its answer cites, or all that it touched. Where several episodes
    are of one task id, ``query_id`` says the agent and the person too. ``evidence`` and
    ``rationale`` come from ``gold``, and are null without it; ``steps`` and times come from the
    logs.

    Raises:
        TrajectoryError: the run cannot be read, has no such agent, or ``out`` cannot be written.
    """
    check_agent(run, read_config(run), agent)
    ids = Counter(result.task_id for result in _only(iter_results(run), agent))

    def lines() -> Iterator[str]:
        yield "["
        between = "\n"
        for result in _only(iter_results(run), agent):
            record = hippocamp_record(
                result,
                _log(run, result),
                task=gold(result.profile_id, result.task_id) if gold else None,
                files=files,
                shared_id=ids[result.task_id] > 1,
            )
            yield between + json.dumps(record, ensure_ascii=False)
            between = ",\n"
        yield "\n]\n"

    _write(out, lines())
    return ids.total()


def hippocamp_record(
    result: EpisodeResult,
    events: Sequence[Event],
    *,
    task: Task | None,
    files: Files = "cited",
    shared_id: bool = False,
) -> dict[str, Any]:
    """One episode in HippoCamp's batch shape; see `export_hippocamp`."""
    used = list(result.cited_files if files == "cited" else result.touched_files)
    wanted, time_ms = list(result.gold_files), _time_ms(events)
    capabilities = result.capabilities
    names = [result.agent, result.profile_id, result.task_id]
    return {
        "agent": result.agent,
        "query_id": "/".join(names) if shared_id else result.task_id,
        "question": result.question,
        "query": result.question,
        "answer": result.answer or "",  # as the published scripts write no answer
        "steps": {f"step_{n}": {"command": command} for n, command in _commands(events)},
        "ground_file_list": wanted,
        "file_list": wanted,
        "agent_file_list": used,
        "retrieved_file_list": used,
        "ground_truth": result.gold_answer,
        "answerable": result.answerable,
        "evidence": [
            {
                "evidence_id": unit.evidence_id,
                "file_path": unit.file_path,
                "modality": unit.modality,
                "evidence_locator": str(unit.locator),
                "evidence_text": unit.text,
            }
            for unit in task.evidence
        ]
        if task
        else None,
        "rationale": [
            {"step_id": s.step_id, "evidence_id": list(s.evidence_ids), "rationale_text": s.text}
            for s in task.rationale
        ]
        if task
        else None,
        "data_source": result.profile_id,
        "bench": result.profile_id.partition("/")[2],
        "profiling_type": result.profiling_type or "",
        "agent_cap": json.dumps(
            {
                "search": capabilities.search,
                "evidence_perception": capabilities.perception,
                "reasoning": capabilities.reasoning,
            }
        ),
        "QA_type": result.qa_type,
        "time_ms": time_ms,
        "execution_time_ms": time_ms,
    }


def command_of(action: Action) -> str | None:
    """The command of HippoCamp's terminal that an action is nearest to; None: there is none.

    It is for reading, and for counting files by: pages, offsets and the like are left out.
    """
    match action:
        case Terminal():
            return action.command
        case ListFiles():
            return f"list_files {shlex.quote(action.pattern)}" if action.pattern else "list_files"
        case Search():
            return f"search {shlex.quote(action.query)}"
        case Metadata():
            return f"return_metadata {shlex.quote(action.path)}"
        case ReadText():
            return f"return_txt {shlex.quote(action.path)}"
        case ReadImage():
            return f"return_img {shlex.quote(action.path)}"
        case ReadAudio() | ReadVideo() | ReadOriginal():
            return f"return_ori {shlex.quote(action.path)}"
        case Note() | Answer():
            return None


def export_chat(
    run: Path,
    out: Path,
    *,
    agent: str | None = None,
    media: bool = False,
    only_correct: bool = False,
) -> int:
    """Write a run's episodes as JSON lines of chat messages; returns how many. See `chat_record`.

    With ``only_correct``, those alone whose answer is right.

    Raises:
        TrajectoryError: the run or a log cannot be read, there is no such agent, or ``out`` cannot
            be written.
    """
    check_agent(run, read_config(run), agent)
    count = 0

    def lines() -> Iterator[str]:
        nonlocal count
        for result in _chosen(run, agent, only_correct):
            log = episode_path(run, result.agent, result.profile_id, result.task_id)
            record = chat_record(read_episode(log), media_folder=run / MEDIA if media else None)
            count += 1
            yield json.dumps(record, ensure_ascii=False) + "\n"

    _write(out, lines())
    return count


def chat_record(events: Sequence[Event], *, media_folder: Path | None = None) -> dict[str, Any]:
    """An episode as ``{"messages": [...]}`` in the form of OpenAI's chat completions.

    The user's question; each action as a tool call of the assistant with what the agent was shown
    as the tool's message; last the answer, as text and as the call that held its citations. What
    was no action stands as the assistant's text, and what the desk said to it as the user's.
    Pictures and sounds are named in the text; with ``media_folder`` they follow, encoded, in a
    message of the user, for tools' messages hold text alone. Of the gold there is nothing but what
    the agent saw.
    """
    messages: list[Message] = []
    for event in events:
        if isinstance(event, EpisodeStart):
            messages.append({"role": "user", "content": event.question})
        elif isinstance(event, StepEvent):
            messages += _turn(event, media_folder)
    return {"messages": messages}


def _turn(step: StepEvent, media_folder: Path | None) -> list[Message]:
    if step.action is None:
        raw = {"role": "assistant", "content": step.raw_action or ""}
        return [raw, {"role": "user", "content": step.text}]
    call_id = f"call_{step.step}"
    arguments = step.action.model_dump(mode="json", exclude={"tool"}, exclude_none=True)
    function = {
        "name": step.action.tool,
        "arguments": json.dumps(arguments, ensure_ascii=False),
    }
    call = {"id": call_id, "type": "function", "function": function}
    content = step.action.text if isinstance(step.action, Answer) else None
    said: Message = {"role": "assistant", "content": content, "tool_calls": [call]}
    if isinstance(step.action, Answer):
        return [said]
    named = [f"[{shown.mime}: {shown.path}, {shown.locator}]" for shown in step.media]
    text = "\n".join([step.text, *named]) if named else step.text
    turn: list[Message] = [said, {"role": "tool", "tool_call_id": call_id, "content": text}]
    if media_folder is not None and step.media:
        parts = [_part(media_folder, shown) for shown in step.media]
        turn.append({"role": "user", "content": parts})
    return turn


def _part(folder: Path, shown: MediaShown) -> dict[str, Any]:
    try:
        data = base64.b64encode((folder / shown.sha256).read_bytes()).decode("ascii")
    except OSError as error:
        raise failed("read", folder / shown.sha256, error) from error
    if shown.mime.startswith("audio/"):
        kind = {"audio/mpeg": "mp3", "audio/wav": "wav", "audio/x-wav": "wav"}
        form = kind.get(shown.mime, shown.mime.partition("/")[2])
        return {"type": "input_audio", "input_audio": {"data": data, "format": form}}
    return {"type": "image_url", "image_url": {"url": f"data:{shown.mime};base64,{data}"}}


def check_agent(run: Path, config: RunConfig, agent: str | None) -> None:
    """Make sure that the run has episodes by ``agent``, if one is named.

    Raises:
        TrajectoryError: it has not; the message lists the agents.
    """
    if agent is not None and agent not in config.agents:
        raise TrajectoryError(
            f"the run in {run} has no agent {agent!r}; it has {', '.join(config.agents)}"
        )


def _chosen(run: Path, agent: str | None, only_correct: bool) -> Iterator[EpisodeResult]:
    if not only_correct:
        yield from _only(iter_results(run), agent)
        return
    for result, score in scored_results(run, logs=False, bleu=False):
        if score.correct and agent in (None, result.agent):
            yield result


def _only(results: Iterable[EpisodeResult], agent: str | None) -> Iterator[EpisodeResult]:
    return (result for result in results if agent in (None, result.agent))


def _log(run: Path, result: EpisodeResult) -> list[Event]:
    """The episode's log; empty if there is none."""
    log = episode_path(run, result.agent, result.profile_id, result.task_id)
    return read_episode(log) if log.exists() else []


def _commands(events: Sequence[Event]) -> Iterator[tuple[int, str]]:
    for event in events:
        if isinstance(event, StepEvent) and event.action is not None:
            command = command_of(event.action)
            if command is not None:
                yield event.step, command


def _time_ms(events: Sequence[Event]) -> int | None:
    seconds = elapsed_s(events)
    return None if seconds is None else round(seconds * 1_000)


def _write(out: Path, lines: Iterable[str]) -> None:
    """Put ``lines`` into the file ``out``, at once or not at all."""
    try:
        with replacing(out) as draft, draft.open("w", encoding="utf-8", newline="\n") as stream:
            stream.writelines(lines)
    except OSError as error:
        raise TrajectoryError(f"cannot write {out}: {error.strerror or error}") from error
