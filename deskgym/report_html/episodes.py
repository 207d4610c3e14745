"""The episodes of a page: a list that can be filtered, and each episode's steps below it.

All that a run holds is untrusted: an agent may answer in HTML, a file may be named in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from deskgym.env.actions import Answer, Note
from deskgym.env.run_reader import episode_path, iter_results, read_episode
from deskgym.env.trajectory import (
    CitationCheck,
    EpisodeEnd,
    EpisodeResult,
    Event,
    Returned,
    StepEvent,
)
from deskgym.report_cases import Case, Key
from deskgym.report_html import use
from deskgym.report_html.escaping import escaped
from deskgym.report_html.media import Gallery

MAX_OBSERVATION: Final = 4_000
"""Characters of an observation's text that are shown."""
_MAX_FILES: Final = 12
_FILTERS: Final = ("agent", "person", "family", "outcome", "failure")


def ranked(cases: Iterable[Case]) -> list[tuple[int, Case]]:
    """The cases with their numbers on the page: wrong ones first, then the unscored, the right."""
    place = {False: 0, None: 1, True: 2}
    ordered = sorted(cases, key=lambda case: place[case.correct])  # stable: the run's order within
    return list(enumerate(ordered, 1))


def listing(order: Sequence[tuple[int, Case]], *, inline: int) -> Iterator[str]:
    """The filters and the table of all episodes; the first ``inline`` link to their steps."""
    if not order:
        yield '<p class="none">No episode has finished yet.</p>\n'
        return
    facets = [_facets(case) for _, case in order]
    yield '<form id="filters" class="filters" aria-label="Filter the episodes" hidden>\n'
    for name in _FILTERS:
        values = list(dict.fromkeys(facet[name] for facet in facets if facet[name]))
        if len(values) > 1:
            options = "".join(
                f'<option value="{escaped(value)}">{_words(value, name)}</option>'
                for value in values
            )
            yield (
                f'<label>{name}<select name="{name}"><option value="">all</option>{options}'
                "</select></label>\n"
            )
    yield '<output id="shown" class="note"></output></form>\n'
    if len(order) > inline:
        yield (
            f'<p class="note">The steps of {inline:,} of the {len(order):,} episodes are on this '
            "page, those with a wrong answer first; of the others there is a line each. "
            "<code>--episodes</code> sets how many.</p>\n"
        )
    yield (
        '<div class="list" role="region" aria-label="Episodes" tabindex="0"><table><thead><tr>'
        '<th scope="col" class="text">task</th><th scope="col" class="text">question</th>'
        '<th scope="col" class="text">agent</th><th scope="col" class="text">person</th>'
        '<th scope="col" class="text">family</th><th scope="col" class="text">answer</th>'
        '<th scope="col" class="text">failure</th><th scope="col">score</th>'
        '<th scope="col">difficulty</th><th scope="col">steps</th></tr></thead>\n<tbody>\n'
    )
    for (number, case), facet in zip(order, facets, strict=True):
        name = escaped(case.task_id)
        task = f'<a href="#e{number}">{name}</a>' if number <= inline else name
        hard = "–" if case.difficulty is None else f"{case.difficulty:.0f}"
        yield (
            f'<tr{_data(facet)}><th scope="row">{task}</th>'
            f'<td class="ask">{escaped(case.question)}</td>'
            f'<td class="text">{escaped(case.agent)}</td>'
            f'<td class="text">{escaped(case.profile)}</td>'
            f'<td class="text">{escaped(case.family)}</td>'
            f'<td class="text">{_outcome(case)}</td>'
            f'<td class="text">{_words(facet["failure"], "failure")}</td>'
            f"<td>{case.scores.answer.score:.3f}</td>"
            f"<td>{hard}</td><td>{case.steps}</td></tr>\n"
        )
    yield "</tbody></table></div>\n"


def shown_episodes(run: Path, order: Sequence[tuple[int, Case]]) -> Iterator[str]:
    """Each episode of ``order`` in full, one at a time.

    Raises:
        TrajectoryError: the results, or an episode's log, cannot be read.
    """
    wanted = {case.key for _, case in order}
    results: dict[Key, EpisodeResult] = {
        key: result for result in iter_results(run) if (key := _key(result)) in wanted
    }
    gallery = Gallery(run)
    for number, case in order:
        result = results.pop(case.key)
        log = episode_path(run, *case.key)
        yield from _episode(
            number, case, result, read_episode(log) if log.exists() else [], gallery
        )
    if gallery.left_out:
        yield (
            f'<p class="note">{gallery.left_out:,} pictures and sounds more would make the page '
            "too large; they are in the run’s media folder.</p>\n"
        )


def _episode(
    number: int, case: Case, result: EpisodeResult, events: Sequence[Event], gallery: Gallery
) -> Iterator[str]:
    who = f"{case.task_id} · {case.agent} · {case.profile} · {case.family}"
    yield (
        f'<details class="episode" id="e{number}"{_data(_facets(case))}><summary>'
        f'{_outcome(case)} {escaped(case.question)} <span class="who">{escaped(who)}</span>'
        '</summary><div class="body">\n'
    )
    yield _answers(case, result)
    for event in events:
        if isinstance(event, EpisodeEnd) and event.citations:
            yield "<h3>Citations</h3>\n" + _citations(event.citations)
    yield "<h3>Steps</h3>\n"
    if not events:
        yield '<p class="none">The run has no log of this episode.</p>\n'
    else:
        yield '<ol class="steps">\n'
        for event in events:
            if isinstance(event, StepEvent):
                yield _step(event, case, gallery)
            elif isinstance(event, EpisodeEnd) and event.use is not None:
                yield f'<li><b class="muted">broken off</b>\n{use.of_step(event.use)}</li>\n'
        yield "</ol>\n"
    yield "</div></details>\n"


def _answers(case: Case, result: EpisodeResult) -> str:
    scores = case.scores
    facts = {
        "question": escaped(result.question),
        "answer": _none if result.answer is None else escaped(result.answer),
        "gold answer": escaped(result.gold_answer),
        "gold files": escaped("\n".join(result.gold_files)),
        "ended": "" if case.ended == "answered" else escaped(_because(result)),
        "labels": escaped(", ".join(case.labels)),
        **use.facts(result),
    }
    numbers = {
        "answer score": scores.answer.score,
        "token F1": scores.answer.token_f1,
        "file F1": scores.files_cited and scores.files_cited.f1,
        "evidence shown": scores.evidence and scores.evidence.exposed_recall,
        "cited evidence F1": scores.evidence and scores.evidence.cited_f1,
    }
    facts["scores"] = " · ".join(
        f"{name} {value:.3f}" for name, value in numbers.items() if value is not None
    )
    if case.judge is not None:
        verdict = case.judge
        grade = "" if verdict.grade is None else f", grade {verdict.grade} of 5"
        word = {True: "right", False: "wrong", None: "unscored"}[verdict.correct]
        why = verdict.error if verdict.status == "unscored" else verdict.reason
        facts["judge"] = escaped(f"{word}{grade}{': ' if why else ''}{why or ''}")
    found = case.diagnosis
    if found is not None and found.failure is not None:
        at = "" if found.step is None else f", step {found.step}"
        ids = f" ({', '.join(found.evidence)})" if found.evidence else ""
        facts["diagnosis"] = escaped(
            f"{found.failure.replace('_', ' ')}{at}{ids}: {found.detail}".rstrip(": ")
        )
    rows = "".join(f"<dt>{name}</dt><dd>{text}</dd>" for name, text in facts.items() if text)
    return f'<dl class="answers">{rows}</dl>\n'


_none: Final = '<span class="muted">none</span>'


def _citations(checks: Sequence[CitationCheck]) -> str:
    items = []
    for check in checks:
        marks = " ".join(
            _mark(name, value)
            for name, value in (
                ("exists", check.exists),
                ("observed", check.observed),
                ("in range", check.in_range),
                ("quote", check.quote_supported),
            )
            if name != "quote" or check.cite.quote is not None
        )
        quote = f"<br>“{escaped(_cut(check.cite.quote))}”" if check.cite.quote else ""
        where = escaped(f"{check.cite.path} {check.cite.locator}")
        items.append(f"<li><code>{where}</code> {marks}{quote}</li>")
    return f'<ul class="cites">{"".join(items)}</ul>\n'


def _mark(name: str, value: bool | None) -> str:
    sign, style = {True: ("✓", "good"), False: ("✗", "bad"), None: ("?", "muted")}[value]
    word = {True: "yes", False: "no", None: "not known"}[value]
    return f'<span class="{style}" title="{name}: {word}">{sign} {name}</span>'


def _step(event: StepEvent, case: Case, gallery: Gallery) -> str:
    points_here = case.diagnosis is not None and case.diagnosis.step == event.step
    badges = [
        f'<span class="badge">gold {escaped(unit.evidence_id)}, '
        f"by {unit.by} {unit.score:.2f}</span>"
        for unit in event.exposed
    ]
    problems = [*event.flags, *([event.error] if event.error else [])]
    problems += ["timed out"] if event.timed_out else []
    problems += [f"exit {event.exit_status}"] if event.exit_status else []
    if points_here and case.diagnosis is not None and case.diagnosis.failure is not None:
        problems.append(case.diagnosis.failure.replace("_", " "))
    badges += [
        f'<span class="badge error">{escaped(word)}</span>' for word in dict.fromkeys(problems)
    ]
    return (
        f'<li{" class=shows" if event.exposed else ""}><div class="step-head"><b>{event.step}</b> '
        f"<span>{_action(event)}</span> {' '.join(badges)} "
        f'<span class="muted">{event.duration_s:.2f} s</span></div>\n'
        f"{use.of_step(event.use)}{_touched(event)}{_observation(event)}{gallery.shown(event.media)}</li>\n"
    )


def _action(event: StepEvent) -> str:
    action = event.action
    if action is None:
        return f"no action: <code>{escaped(_cut(event.raw_action or ''))}</code>"
    if action.tool == "terminal":
        return f"terminal <code>$ {escaped(_cut(action.command))}</code>"
    fields = action.model_dump(mode="json", exclude_defaults=True)
    fields.pop("tool", None)
    if isinstance(action, Answer | Note):
        fields["cites"] = [f"{cite.path} {cite.locator}" for cite in action.cites]
    shown = escaped(
        _cut(", ".join(f"{name}={value}" for name, value in fields.items() if value != []))
    )
    return f"{action.tool} <code>{shown}</code>" if shown else action.tool


def _touched(event: StepEvent) -> str:
    lines = []
    if event.opened:
        more = " and more than could be noted" if event.opened_overflow else ""
        lines.append(f"opened {_some(event.opened)}{more}")
    if event.returned:
        lines.append(f"returned {_some([_piece(piece) for piece in event.returned])}")
    return "".join(f'<p class="files">{line}</p>\n' for line in lines)


def _some(names: Sequence[str]) -> str:
    more = len(names) - _MAX_FILES
    shown = ", ".join(f"<code>{escaped(name)}</code>" for name in names[:_MAX_FILES])
    return f"{shown} and {more} more" if more > 0 else shown


def _piece(piece: Returned) -> str:
    return f"{piece.path} {piece.locator}" + (f" {piece.mime}" if piece.mime else "")


def _observation(event: StepEvent) -> str:
    if not event.text:
        return ""
    lost = event.bytes_out - event.bytes_kept
    note = f"; {lost:,} bytes of output were cut in the episode itself" if lost > 0 else ""
    left = len(event.text) - MAX_OBSERVATION
    if left > 0:
        note = f"; {left:,} characters more are in the episode’s log{note}"
    below = f'<p class="note">{note[2:]}</p>\n' if note else ""
    return f'<pre tabindex="0">{escaped(event.text[:MAX_OBSERVATION])}</pre>\n{below}'


def _cut(text: str) -> str:
    left = len(text) - MAX_OBSERVATION
    return f"{text[:MAX_OBSERVATION]} … and {left:,} characters more" if left > 0 else text


def _because(result: EpisodeResult) -> str:
    return result.ended + (f": {result.reason}" if result.reason else "")


def _facets(case: Case) -> dict[str, str]:
    """What the filters tell episodes apart by."""
    failure = case.diagnosis.failure if case.diagnosis is not None else None
    return {
        "agent": case.agent,
        "person": case.profile,
        "family": case.family,
        "outcome": _WORDS[case.correct],
        "failure": failure or "",
    }


_WORDS: Final = {True: "right", False: "wrong", None: "unscored"}


def _outcome(case: Case) -> str:
    sign, style = {True: ("✓", "good"), False: ("✗", "bad"), None: ("?", "muted")}[case.correct]
    return f'<span class="{style}">{sign} {_WORDS[case.correct]}</span>'


def _words(value: str, name: str) -> str:
    return escaped(value.replace("_", " ") if name in ("failure", "family") else value)


def _data(facets: Mapping[str, str]) -> str:
    own = "".join(f' data-{name}="{escaped(value)}"' for name, value in facets.items())
    return f" data-episode{own}"


def _key(result: EpisodeResult) -> Key:
    return (result.agent, result.profile_id, result.task_id)
