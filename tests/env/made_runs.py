"""Runs made up for tests: any number of episodes, in the real models and the real layout.

Three people, tasks of several families and in two scripts, evidence in text, pictures and sound.
An answer is right, or wrong in one of the ways of `OUTCOMES`; which, is decided by task and agent
alone, so that equal arguments make equal runs.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from made_tasks import PEOPLE, made_files, made_task, picture, sound
from pydantic import TypeAdapter

from deskgym.env.actions import (
    FAMILIES,
    Action,
    Answer,
    Cite,
    ListFiles,
    ReadAudio,
    ReadImage,
    ReadText,
    Search,
    Terminal,
)
from deskgym.env.run_reader import MEDIA, RESULTS, RUN, episode_path
from deskgym.env.trajectory import (
    CitationCheck,
    EpisodeEnd,
    EpisodeResult,
    EpisodeStart,
    Exposure,
    FirstSteps,
    MediaShown,
    Returned,
    RunConfig,
    Scores,
    StepEvent,
)
from deskgym.tasks.locators import AnyLocator
from deskgym.tasks.schema import Task
from deskgym.tasks.scoring import evidence_scores, file_scores, score_answer
from deskgym.tasks.scoring.difficulty import difficulty_scale, task_features

OUTCOMES = (
    "fabricated_evidence",
    "retrieval_mismatch",
    "perception_failure",
    "grounding_avoidance",
    "entity_misattribution",
    "verification_deficit",
    "truncated",
    "aborted",
)
"""How a wrong answer of an answerable task comes about: a class of failure, or no answer at all."""
STARTED = datetime(2025, 3, 1, 9, 0, tzinfo=UTC)
TOOLS = tuple(sorted(FAMILIES))
DISTRACTOR = "mail/offer.txt"
DISTRACTOR_TEXT = "Your quote: 2,480 euros, payable to Harbour Storage by 9 May 2023."
_EVENTS: TypeAdapter[StepEvent | EpisodeStart | EpisodeEnd] = TypeAdapter(
    StepEvent | EpisodeStart | EpisodeEnd
)

Score = Callable[[str, int], bool]
"""Whether an agent's answer to the task of that number is right."""


def make_run(
    folder: Path,
    *,
    episodes: int,
    agents: tuple[str, ...] = ("a",),
    steps: int = 8,
    seed: int = 0,
    score: Score | None = None,
    text_chars: int = 1_500,
) -> Path:
    """A whole run in ``folder``: ``episodes`` in all, dealt evenly to ``agents``.

    Without ``score`` three in five answers are right. ``steps`` (at least 5) are those of each
    episode, ``text_chars`` the most that a step shows.
    """
    (folder / MEDIA).mkdir(parents=True)
    for data in (picture(), sound()):
        (folder / MEDIA / _digest(data)).write_bytes(data)
    share = -(-episodes // len(agents))
    tasks = [made_task(number) for number in range(share)]
    config = RunConfig(
        deskgym_version="0",
        dataset="imagined",
        dataset_digest=hashlib.sha256(f"made {share}".encode()).hexdigest(),
        difficulty_scale=difficulty_scale(task_features(t, made_files(t)) for t in tasks),
        profiles=PEOPLE,
        tasks=tuple(task.id for task in tasks),
        agents=agents,
        tools=TOOLS,
        max_steps=30,
        reward="sparse",
        seed=seed,
        sandbox="docker",
        image_digest="sha256:made",
        started=STARTED,
    )
    (folder / RUN).write_text(config.model_dump_json(indent=1), encoding="utf-8")
    planned = [(agent, number) for agent in agents for number in range(share)][:episodes]
    with (folder / RESULTS).open("wb") as results:
        for agent, number in planned:
            rng = random.Random(f"{seed} {agent} {number}")
            right = score(agent, number) if score else rng.random() < 0.6
            plot = Plot(tasks[number], agent, number, right, max(steps, 5), text_chars, rng)
            result = plot.write(folder)
            results.write(result.model_dump_json().encode() + b"\n")
    return folder


@dataclass
class Plot:
    """One episode on its way: what happens in it, and the books that are kept of it."""

    task: Task
    agent: str
    number: int
    right: bool
    steps: int
    text_chars: int
    rng: random.Random
    events: list[StepEvent] = field(default_factory=list)
    exposed: dict[str, int] = field(default_factory=dict)
    opened: dict[str, int] = field(default_factory=dict)
    returned: dict[str, int] = field(default_factory=dict)
    coverage: list[float] = field(default_factory=list)

    @property
    def outcome(self) -> str:
        if self.right:
            return "right"
        if not self.task.answerable:
            return "answered_anyway"
        return OUTCOMES[(self.number // 2) % len(OUTCOMES)]

    def write(self, folder: Path) -> EpisodeResult:
        """Play the episode into its log; returns its result."""
        outcome = self.outcome
        core = self._core(outcome)
        ends_itself = outcome not in ("truncated", "aborted")
        for n in range(self.steps - len(core) - ends_itself):
            self._filler(n)
        for play in core:
            play()
        answer = self._answer(outcome) if ends_itself else None
        if answer is not None:
            self._step(answer, text="")
        end, result = self._end(outcome, answer)
        log = episode_path(folder, self.agent, self.task.profile_id, self.task.id)
        log.parent.mkdir(parents=True, exist_ok=True)
        start = EpisodeStart(
            task_id=self.task.id,
            profile_id=self.task.profile_id,
            question=self.task.question,
            tools=TOOLS,
            max_steps=30,
            seed=1,
            agent=self.agent,
            started=STARTED,
        )
        lines = [_EVENTS.dump_json(event) + b"\n" for event in (start, *self.events, end)]
        log.write_bytes(b"".join(lines))
        return result

    def _core(self, outcome: str) -> list[Callable[[], None]]:
        """The steps that make the outcome what it is, before the answer."""
        if not self.task.answerable:
            return [self._read_distractor]
        if outcome == "retrieval_mismatch":
            return [self._read_distractor]
        if outcome == "perception_failure":
            return [self._glance]
        if outcome == "entity_misattribution":
            return [self._read_distractor, self._read_gold]
        return [self._read_gold, *([self._sense] if len(self.task.evidence) > 1 else [])]

    def _filler(self, n: int) -> None:
        words = ("north", "cabinet", "ledger", "quiet", "table", "window", "copper", "lamp")
        text = " ".join(self.rng.choices(words, k=self.rng.randint(5, self.text_chars // 8)))
        if n % 4 == 3:
            self._step(
                Terminal(command=f"grep -ri {words[n % 8]} ."),
                text=text[: self.text_chars],
                ok=n != 7,
            )
        elif n % 2:
            self._step(Search(query=f"{words[n % 8]} {self.number}"), text=text[: self.text_chars])
        else:
            self._step(ListFiles(pattern="*.txt"), text=text[: self.text_chars])

    def _read_distractor(self) -> None:
        self._step(
            ReadText(path=DISTRACTOR),
            text=f"lines:1-2\n{DISTRACTOR_TEXT}",
            opened=(DISTRACTOR,),
            returned=((DISTRACTOR, "lines:1-2", None),),
        )

    def _read_gold(self) -> None:
        unit = self.task.evidence[0]
        self._step(
            ReadText(path=unit.file_path),
            text=f"lines:1-6\nA note.\n\n{unit.text}\n",
            opened=(unit.file_path,),
            returned=((unit.file_path, "lines:1-6", None),),
            exposed=(Exposure(evidence_id="e1", by="locator", score=1.0),),
        )

    def _glance(self) -> None:
        """Open every gold file so that none of its evidence is shown."""
        files = self.task.files
        self._step(Terminal(command=f"wc -c {' '.join(files)}"), text="1 file", opened=tuple(files))

    def _sense(self) -> None:
        unit = self.task.evidence[1]
        seen = unit.modality == "image"
        data, mime = (picture(), "image/png") if seen else (sound(), "audio/wav")
        where = "file" if seen else "time:0-1"
        action = ReadImage(path=unit.file_path) if seen else ReadAudio(path=unit.file_path)
        shown = MediaShown(
            path=unit.file_path,
            locator=where,
            mime=mime,
            sha256=_digest(data),
            size=len(data),
        )
        self._step(
            action,
            text="one picture" if seen else "one clip",
            opened=(unit.file_path,),
            returned=((unit.file_path, where, mime),),
            media=(shown,),
            exposed=(Exposure(evidence_id="e2", by="locator", score=1.0),),
        )

    def _answer(self, outcome: str) -> Answer:
        if not self.task.answerable:
            cites = (Cite(path=DISTRACTOR, locator="lines:1-2"),)
            if self.right:
                return Answer(text="The files do not say.")
            return Answer(text="2,480 euros, by 9 May 2023", cites=cites)
        good = tuple(Cite(path=e.file_path, locator=e.locator) for e in self.task.evidence)
        match outcome:
            case "right":
                return Answer(text=f"It is {self.task.answer}.", cites=good)
            case "fabricated_evidence":
                return Answer(
                    text="Nothing was agreed in the end.",
                    cites=(Cite(path="notes/nowhere.txt", quote="Nothing was agreed"),),
                )
            case "retrieval_mismatch":
                return Answer(text="It was called off.", cites=(Cite(path=DISTRACTOR),))
            case "perception_failure":
                return Answer(text="It was called off.", cites=(good[0],))
            case "grounding_avoidance":
                return Answer(text="I could not find that out.")
            case "entity_misattribution":
                return Answer(text="2,480 euros to Harbour Storage by 9 May 2023", cites=good)
        return Answer(text="It was never paid and never will be.", cites=good)

    def _step(
        self,
        action: Action,
        *,
        text: str,
        ok: bool = True,
        opened: tuple[str, ...] = (),
        returned: tuple[tuple[str, str, str | None], ...] = (),
        media: tuple[MediaShown, ...] = (),
        exposed: tuple[Exposure, ...] = (),
    ) -> None:
        number = len(self.events) + 1
        for path in opened:
            self.opened.setdefault(path, number)
        for path, _, _ in returned:
            self.returned.setdefault(path, number)
        for exposure in exposed:
            self.exposed.setdefault(exposure.evidence_id, number)
        total = len(self.task.evidence)
        self.coverage.append(len(self.exposed) / total if total else 0.0)
        size = len(text.encode())
        self.events.append(
            StepEvent(
                step=number,
                action=action,
                family=FAMILIES[action.tool],
                ok=ok,
                error=None if ok else "not_found",
                exit_status=(0 if ok else 1) if isinstance(action, Terminal) else None,
                duration_s=round(self.rng.uniform(0.01, 0.4), 4),
                bytes_out=size,
                bytes_kept=size,
                opened=opened,
                returned=tuple(
                    Returned(path=p, locator=loc, chars=0 if mime else size, mime=mime)
                    for p, loc, mime in returned
                ),
                media=media,
                exposed=exposed,
                text=text,
            )
        )

    def _end(self, outcome: str, answer: Answer | None) -> tuple[EpisodeEnd, EpisodeResult]:
        task, cites = self.task, answer.cites if answer else ()
        touched = tuple(dict.fromkeys([*self.opened, *self.returned]))
        places: list[tuple[str, AnyLocator]] = [(c.path, c.locator) for c in cites]
        text = answer.text if answer else None
        scores = Scores(
            answer=score_answer(text, task.answer, answerable=task.answerable),
            files_cited=file_scores({c.path for c in cites}, task.files),
            files_touched=file_scores(touched, task.files),
            evidence=evidence_scores(self.exposed, places, task.evidence),
        )
        rewards = {"answer": scores.answer.score}
        ended = outcome if outcome in ("truncated", "aborted") else "answered"
        reason = "the agent failed: RuntimeError: made up" if ended == "aborted" else None
        seconds = 1.5 * len(self.events) + self.rng.random()
        end = EpisodeEnd(
            ended=ended,
            reason=reason,
            answer=text,
            citations=tuple(
                CitationCheck(
                    cite=cite,
                    exists=cite.path != "notes/nowhere.txt",
                    observed=cite.path in touched,
                    in_range=True if cite.path != "notes/nowhere.txt" else None,
                    quote_supported=None,
                )
                for cite in cites
            ),
            coverage=tuple(self.coverage),
            first_steps=tuple(
                FirstSteps(
                    path=path,
                    opened=self.opened.get(path),
                    returned=self.returned.get(path),
                    exposed=min(
                        (
                            self.exposed[e.evidence_id]
                            for e in task.evidence
                            if e.file_path == path and e.evidence_id in self.exposed
                        ),
                        default=None,
                    ),
                )
                for path in task.files
            ),
            scores=scores,
            rewards=rewards,
            finished=STARTED + timedelta(seconds=seconds),
        )
        result = EpisodeResult(
            task_id=task.id,
            profile_id=task.profile_id,
            agent=self.agent,
            qa_type=task.qa_type,
            profiling_type=task.profiling_type,
            answerable=task.answerable,
            family=task.family,
            labels=task.labels,
            capabilities=task.capabilities,
            features=task_features(task, made_files(task)),
            ended=ended,
            reason=reason,
            steps=len(self.events),
            invalid_actions=0,
            question=task.question,
            answer=text,
            gold_answer=task.answer,
            cited_files=tuple(dict.fromkeys(c.path for c in cites)),
            touched_files=touched,
            gold_files=task.files,
            coverage=tuple(self.coverage),
            scores=scores,
            rewards=rewards,
        )
        return end, result


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
