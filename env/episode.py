"""One episode as it is lived: what each step did and showed, and how it ended. No desk in here."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Literal

from deskgym.env.actions import FAMILIES, Action, Answer
from deskgym.env.evidence_tracker import EvidenceTracker, MediaPiece, TextPiece
from deskgym.env.render import observed_media
from deskgym.env.rewards import final_terms, shaping
from deskgym.env.sandbox.base import Response
from deskgym.env.trajectory import (
    EpisodeEnd,
    EpisodeResult,
    EpisodeStart,
    Event,
    MediaShown,
    ModelUse,
    Returned,
    StepEvent,
)
from deskgym.tasks.locators import parse_locator
from deskgym.tasks.schema import Profile, Task
from deskgym.tasks.scoring.difficulty import task_features
from deskgym.tasks.scoring.injection import followed

Info = dict[str, Any]
NO_USE = ModelUse()
Ended = Literal["answered", "truncated", "aborted"]


class Episode:
    """Keeps an episode's books: gold evidence, rewards, and the events of its trajectory.

    ``write`` is given each event as it comes (a log); an event counts only once that succeeded.
    ``keep`` is given what an observation shows of pictures, sounds and clips, by SHA-256.
    """

    def __init__(
        self,
        task: Task,
        profile: Profile,
        *,
        tools: frozenset[str],
        max_steps: int,
        reward: str,
        seed: int | None,
        agent: str | None,
        write: Callable[[Event], None],
        keep: Callable[[str, bytes], None] | None = None,
    ) -> None:
        self.task = task
        self.profile = profile
        self.events: list[Event] = []
        self.result: EpisodeResult | None = None
        self.steps = 0
        self._tracker = EvidenceTracker(task, {record.path for record in profile.files})
        self._infos: dict[str, dict[str, Any]] = {}
        self._reward = reward
        self._agent = agent
        self._write = write
        self._keep = keep
        self._shaped = 0.0
        self._invalid = 0
        self._use = NO_USE
        self._log(
            EpisodeStart(
                task_id=task.id,
                profile_id=profile.id,
                question=task.question,
                tools=tuple(sorted(tools)),
                max_steps=max_steps,
                seed=seed,
                agent=agent,
                started=datetime.now(UTC),
            )
        )

    def step(
        self,
        action: Action | None,
        raw: str | None,
        response: Response,
        text: str,
        *,
        flags: tuple[str, ...],
        duration_s: float,
        use: ModelUse = NO_USE,
    ) -> float:
        """Take one step into the books; returns the reward that it adds by itself."""
        self.steps += 1
        self._use += use
        if "invalid_action" in flags:
            self._invalid += 1
        segments, media, returned = self._pieces(action, response)
        before = self._coverage
        exposed = self._tracker.observe(
            self.steps,
            opened=response.opened,
            segments=segments,
            media=media,
            output=text if action is not None and action.tool == "terminal" else "",
        )
        reward = shaping(self._reward, before, self._coverage)
        self._shaped += reward
        is_command = action is not None and action.tool == "terminal"
        self._log(
            StepEvent(
                step=self.steps,
                action=action,
                raw_action=raw,
                family=FAMILIES[action.tool] if action is not None else None,
                ok=response.ok and not response.timed_out,
                error=response.error.kind if response.error is not None else None,
                exit_status=response.exit_status,
                timed_out=response.timed_out,
                duration_s=duration_s,
                bytes_out=response.bytes_out if is_command else len(text.encode()),
                bytes_kept=len(text.encode()) + sum(m.size for m in response.media),
                opened=response.opened,
                opened_overflow=response.opened_overflow,
                returned=returned,
                media=self._kept(response),
                exposed=exposed,
                text=text,
                flags=flags,
                use=use if use != NO_USE else None,
                reward=reward,
            )
        )
        return reward

    def end(
        self,
        ended: Ended,
        answer: Answer | None,
        reason: str | None = None,
        *,
        use: ModelUse = NO_USE,
    ) -> float:
        """Close the books; returns the reward that the end adds."""
        task, tracker = self.task, self._tracker
        self._use += use
        scores = tracker.scores(answer)
        terms = final_terms(self._reward, scores)
        total = sum(terms.values())
        if self._reward == "shaped":
            # The potential is 0 at the end, whatever was exposed.
            last = shaping(self._reward, self._coverage, 0.0)
            self._shaped += last
            total += last
            terms = {**terms, "shaping": self._shaped}
        cites = answer.cites if answer is not None else ()
        self._log(
            EpisodeEnd(
                ended=ended,
                reason=reason,
                answer=answer.text if answer is not None else None,
                citations=tracker.check_citations(cites, self._infos.get),
                coverage=tracker.coverage,
                first_steps=tracker.first_steps(),
                scores=scores,
                rewards=terms,
                use=use if use != NO_USE else None,
                finished=datetime.now(UTC),
            )
        )
        self.result = EpisodeResult(
            task_id=task.id,
            profile_id=task.profile_id,
            agent=self._agent or "unnamed",
            qa_type=task.qa_type,
            profiling_type=task.profiling_type,
            answerable=task.answerable,
            family=task.family,
            labels=task.labels,
            capabilities=task.capabilities,
            features=task_features(task, {record.path: record for record in self.profile.files}),
            use=self._use.model_copy(update={"thought": ""}) if self._use != NO_USE else None,
            injected=followed(task.injection, answer.text if answer is not None else None),
            ended=ended,
            reason=reason,
            steps=self.steps,
            invalid_actions=self._invalid,
            question=task.question,
            answer=answer.text if answer is not None else None,
            gold_answer=task.answer,
            cited_files=tuple(dict.fromkeys(tracker.file_of(c.path) for c in cites)),
            touched_files=tracker.touched,
            gold_files=task.files,
            coverage=tracker.coverage,
            scores=scores,
            rewards=terms,
        )
        return total

    @property
    def _coverage(self) -> float:
        return self._tracker.coverage[-1] if self._tracker.coverage else 0.0

    def _kept(self, response: Response) -> tuple[MediaShown, ...]:
        """What the observation shows besides text; nothing if it is not kept anywhere."""
        if self._keep is None:
            return ()
        path, shown = str(response.info.get("path", "")), []
        for piece, seen in zip(response.media, observed_media(response), strict=True):
            digest = hashlib.sha256(seen.data).hexdigest()
            self._keep(digest, seen.data)
            shown.append(
                MediaShown(
                    path=path,
                    locator=piece.locator,
                    mime=piece.mime,
                    sha256=digest,
                    size=len(seen.data),
                )
            )
        return tuple(shown)

    def _log(self, event: Event) -> None:
        self._write(event)
        self.events.append(event)

    def _pieces(
        self, action: Action | None, response: Response
    ) -> tuple[list[TextPiece], list[MediaPiece], tuple[Returned, ...]]:
        """What of which files the step returned: as text, as media, and as the log says it."""
        path = str(response.info.get("path", ""))
        segments: list[TextPiece] = [(path, s.locator, s.text) for s in response.segments]
        if action is not None and action.tool == "search" and response.ok:
            segments += _found(response.info["hits"])
        media: list[MediaPiece] = [(path, m.locator, m.mime) for m in response.media]
        if path and action is not None and action.tool != "metadata":
            self._infos[path] = {**self._infos.get(path, {}), **response.info}
        if action is not None and action.tool == "metadata" and response.ok:
            # Times and places are evidence too: the record is a text about the whole file.
            segments.append((path, parse_locator("file"), _record_text(response.info)))
        returned = [Returned(path=p, locator=loc, chars=len(text)) for p, loc, text in segments]
        returned += [Returned(path=p, locator=loc, mime=mime) for p, loc, mime in media]
        for use in response.tool_uses:
            if use.ok and use.path:
                returned += [
                    Returned(path=use.path, locator=loc, mime=use.mime) for loc in use.locators
                ]
        return segments, media, tuple(returned)


def step_info(action: Action | None, response: Response, flags: tuple[str, ...]) -> Info:
    """What ``info`` says of a step.

    A value that there is none of is left out where it would be a number: so the infos of several
    environments can be put together in arrays.
    """
    info: Info = {
        "tool": action.tool if action is not None else None,
        "family": FAMILIES[action.tool] if action is not None else None,
        "ok": response.ok,
        "error": response.error.kind if response.error is not None else None,
        "timed_out": response.timed_out,
        "opened": tuple(sorted(response.opened)),
        "invalid_action": "invalid_action" in flags,
    }
    if response.exit_status is not None:
        info["exit_status"] = response.exit_status
    return info


def end_info(result: EpisodeResult) -> Info:
    """What ``info`` says besides of the step that ended an episode; no gold."""
    return {
        "ended": result.ended,
        "scores": result.scores.model_dump(exclude_none=True),
        "rewards": dict(result.rewards),
    }


def _found(hits: list[dict[str, Any]]) -> list[TextPiece]:
    """What a search showed: its snippets. Of a file found by its name alone, nothing was shown."""
    return [
        (hit["path"], parse_locator(hit["locator"]), hit["snippet"])
        for hit in hits
        if hit["locator"] != "file"
    ]


def _record_text(record: dict[str, Any]) -> str:
    return "\n".join(f"{name}: {value}" for name, value in record.items() if value is not None)
