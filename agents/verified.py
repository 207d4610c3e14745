"""The terminal agent with a last stage of its own: no claim without evidence that was opened twice.

Before it answers, its draft is taken apart into claims. The places that a claim cites are opened
again; the claim stands if its quotes and its numbers are there and the model, shown nothing but
these places, finds it supported. What does not stand sends the agent back to search, or is dropped.
The answer is written from the claims that stand, and keeps the fewest citations that carry them:
without any one of them, a claim would fall.

No published method that we know of has this stage. Its parts are of old: splitting into claims,
entailment by a model, greedy minimal sets.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from deskgym.agents.base import TaskView
from deskgym.agents.claims import (
    Claim,
    Opened,
    is_covered,
    minimal_sets,
    missing_facts,
    new_facts,
    read_claims,
    unusable,
)
from deskgym.agents.llm import LLM, Message
from deskgym.agents.null import ABSTENTION
from deskgym.agents.prompts import fill, prompt
from deskgym.agents.reopen import MAX_PARTS, enough, joined, looks, next_part
from deskgym.agents.steps import Play
from deskgym.agents.terminal import TerminalAgent
from deskgym.env.actions import Action, Answer, Cite
from deskgym.env.observations import Observation
from deskgym.tasks.scoring.answers import abstains

MAX_OPENED = 12  # citations of one draft
MAX_POOL = 8  # citations up to which all claims are held against all of them
MAX_SHOWN = 6_000  # characters of one place that the judge is shown
_LAST = 2  # with so many steps left, only the answer may follow

Looking = Generator[Action, Observation, None]


@dataclass(frozen=True)
class Verdict:
    """Whether a claim stands; ``cites`` are those of its citations that something may rest on, and
    ``why`` says what is wrong with a claim that does not."""

    claim: Claim
    stands: bool
    cites: tuple[Cite, ...] = ()
    why: str = ""


@dataclass(frozen=True)
class _Judgement:
    supported: bool
    needed: tuple[Cite, ...] = ()
    why: str = ""


@dataclass
class _Desk:
    """What is known in one episode: the places that were opened again, and what was judged."""

    task: TaskView
    tools: frozenset[str]
    left: int
    opened: dict[Cite, Opened] = field(default_factory=dict)
    judged: dict[tuple[str, str, frozenset[Cite]], _Judgement] = field(default_factory=dict)
    standing: tuple[Verdict, ...] = ()


class VerifiedAgent(TerminalAgent):
    """`TerminalAgent` whose every claim is checked against its citations before it answers.

    At most ``rounds`` times it is sent back to search for what does not stand. ``reserve`` steps
    are kept for opening citations (half of all steps if there are few), and the model judges at
    most ``max_judgements`` times an episode. ``terminal`` is as for `TerminalAgent`.
    """

    name = "verified"

    def __init__(
        self,
        llm: Mapping[str, Any] | LLM,
        *,
        rounds: int = 2,
        reserve: int = 8,
        max_judgements: int = 80,
        **terminal: Any,
    ) -> None:
        """
        Raises:
            ValueError: a number is out of range.
        """
        if rounds < 0 or reserve < 1 or max_judgements < 1:
            raise ValueError(
                "rounds is at least 0, reserve and max_judgements at least 1, not "
                f"{rounds}, {reserve} and {max_judgements}"
            )
        super().__init__(llm, **terminal)
        self._rounds = rounds
        self._reserve = reserve
        self._max_judgements = max_judgements
        self._desk: _Desk | None = None

    @property
    def desk(self) -> _Desk:
        """What is known in the episode under way."""
        if self._desk is None:
            raise RuntimeError("there is no episode under way")
        return self._desk

    def play(self, task: TaskView, tools: frozenset[str], welcome: Observation) -> Play:
        """Draft, check, search on, until what is left stands."""
        desk = self._desk = _Desk(task, tools, welcome["steps_left"])
        reserve = max(_LAST, min(self._reserve, desk.left // 2))
        self.begin(task, tools, welcome)
        for number in range(self._rounds + 1):
            draft = yield from self._draft(reserve)
            if abstains(draft.text):
                break
            verdicts = yield from self._check(draft)
            fallen = [verdict for verdict in verdicts if not verdict.stands]
            standing = tuple(verdict for verdict in verdicts if verdict.stands)
            desk.standing = standing or desk.standing
            if not fallen:
                return self._answer(draft.text)
            for verdict in fallen:
                self.llm.fault("unsupported_claim", f"{verdict.claim.text[:120]!r}: {verdict.why}")
            # Searching on makes sense with steps for it besides those for opening again.
            if number == self._rounds or desk.left <= reserve + 1:
                break
            self.say(
                fill("verified_search", unsupported=_listed(fallen), supported=_listed(standing))
            )
        return self._answer("")

    def conclude(self, observation: Observation) -> Answer:
        """The answer from what stands so far: there is no step left to check anything else."""
        if not self.desk.standing:
            self.llm.fault("out_of_steps", "before any claim was checked")
        return self._answer("")

    # --- the draft ---

    def _draft(self, reserve: int) -> Play:
        """The terminal agent's answer; it is asked for when only the reserve of steps is left."""
        work = self.work()
        try:
            action = next(work)
            while self.desk.left > reserve:
                observation = yield action
                self.desk.left = observation["steps_left"]
                if self.desk.left <= reserve:
                    self._take(observation)
                    break
                action = work.send(observation)
        except StopIteration as done:
            answer: Answer = done.value
            return answer
        work.close()
        return self.last_word()

    # --- checking ---

    def _check(self, draft: Answer) -> Generator[Action, Observation, tuple[Verdict, ...]]:
        """What becomes of each claim of the draft."""
        claims = self._claims(draft)
        cited = dict.fromkeys(cite for claim in claims for cite in claim.cites)
        for cite in list(cited)[:MAX_OPENED]:
            if cite not in self.desk.opened:
                yield from self._open(cite)
        return tuple(self._verdict(claim) for claim in claims)

    def _claims(self, draft: Answer) -> tuple[Claim, ...]:
        """The claims of the draft; if the model cannot tell, the draft as a single one."""
        cites = "\n".join(
            f"[{n}] {cite.path} [{cite.locator}]" + (f" {cite.quote!r}" if cite.quote else "")
            for n, cite in enumerate(draft.cites, 1)
        )
        asked = fill(
            "verified_draft",
            question=self.desk.task.question,
            draft=draft.text,
            cites=cites or "none",
        )
        messages = [
            Message("system", prompt("verified_claims"), pinned=True),
            Message("user", asked),
        ]
        found = self.ask_json(messages, "claims")
        claims: tuple[Claim, ...] = ()
        if found is not None:
            claims, faults = read_claims(found, draft.cites)
            for fault in faults:
                self.llm.fault(*fault)
        if claims:
            return claims
        return (Claim(text=draft.text[:2_000], cites=draft.cites),)

    def _open(self, cite: Cite) -> Looking:
        """Open a citation's place again, as far as steps allow."""
        opened = Opened(cite, problem="no tool that is on opens it")
        for n, look in enumerate(looks(cite, self.desk.tools)):
            opened = Opened(cite, opened.text, opened.media) if n == 0 else opened
            action: Action | None = look
            for _ in range(MAX_PARTS):
                if action is None:
                    break
                if self.desk.left <= _LAST:
                    opened = Opened(
                        cite,
                        opened.text,
                        opened.media,
                        opened.problem or "no steps left to open it",
                    )
                    self.desk.opened[cite] = opened
                    return
                observation = yield action
                self.desk.left = observation["steps_left"]
                opened = joined(opened, action, observation)
                if enough(opened):
                    break
                action = next_part(action, observation) if cite.quote else None
            if enough(opened):
                break
        self.desk.opened[cite] = opened

    def _verdict(self, claim: Claim) -> Verdict:
        if not claim.cites:
            return Verdict(claim, False, why="no citation is given for it")
        problems = {cite: unusable(self._opened(cite)) for cite in claim.cites}
        wrong = [problem for problem in problems.values() if problem]
        cites = tuple(cite for cite, problem in problems.items() if not problem)
        if not cites:
            return Verdict(claim, False, why="; ".join(wrong))
        judgement = self._judged(claim, cites)
        # What the judge can do without goes last, so that it is the first to be taken out.
        ordered = (
            *(c for c in cites if c in judgement.needed),
            *(c for c in cites if c not in judgement.needed),
        )
        why = "; ".join(filter(None, (judgement.why, *wrong)))
        return Verdict(claim, judgement.supported, ordered, why)

    def _opened(self, cite: Cite) -> Opened:
        return self.desk.opened.get(cite) or Opened(cite, problem="too many citations")

    def _judged(self, claim: Claim, cites: Sequence[Cite]) -> _Judgement:
        """Whether these places alone support the claim; asked at most once of each set."""
        key = claim.text, claim.working, frozenset(cites)
        if key not in self.desk.judged:
            self.desk.judged[key] = self._judge(claim, tuple(cites))
        return self.desk.judged[key]

    def _judge(self, claim: Claim, cites: tuple[Cite, ...]) -> _Judgement:
        places = [self.desk.opened[cite] for cite in cites]
        if not places:
            return _Judgement(False, why="nothing is cited")
        if missing := missing_facts(claim, places, self.desk.task.question):
            return _Judgement(False, why="; ".join(missing))
        if len(self.desk.judged) >= self._max_judgements:
            self.llm.fault("out_of_judgements", claim.text[:80])
            return _Judgement(False, why="it could not be judged any more")
        asked = fill(
            "verified_claim",
            question=self.desk.task.question,
            claim=claim.text,
            working=claim.working or "none",
            places="\n\n".join(_place(n, place) for n, place in enumerate(places, 1)),
        )
        messages = [
            Message("system", prompt("verified_judge"), pinned=True),
            Message("user", asked, tuple(m for place in places for m in place.media)),
        ]
        found = self.ask_json(messages, "supported")
        if found is None or not isinstance(found["supported"], bool):
            if found is not None:
                self.llm.fault("malformed", f"no verdict: {found['supported']!r:.80}")
            return _Judgement(False, why="it could not be judged")
        needed = found.get("needed")
        numbers = [n for n in needed if isinstance(n, int)] if isinstance(needed, list) else []
        return _Judgement(
            found["supported"],
            tuple(cites[n - 1] for n in numbers if 1 <= n <= len(cites)),
            str(found.get("why") or "what is cited does not say it")[:300],
        )

    # --- the answer ---

    def _answer(self, draft: str) -> Answer:
        """The answer from the claims that stand; ``draft`` if it says no more than they do."""
        standing = self.desk.standing
        if not standing:
            return Answer(text=ABSTENTION)
        claims = [verdict.claim for verdict in standing]
        text = draft
        if not draft or self._added(draft, claims) or not self._covers(claims, draft):
            text = self._rewritten(claims)
        if abstains(text):
            return Answer(text=ABSTENTION)
        kept = minimal_sets(self._pooled(standing), self._supports)
        for claim, own in zip(claims, kept, strict=True):
            places = ", ".join(f"{cite.path} [{cite.locator}]" for cite in own)
            self.llm.think(f"Stands: {claim.text} ({places})")
        return Answer(text=text, cites=tuple(dict.fromkeys(c for cites in kept for c in cites)))

    def _pooled(self, standing: Sequence[Verdict]) -> list[Claim]:
        """The claims, each held against all citations of the answer, its own ones first."""
        everything = dict.fromkeys(cite for verdict in standing for cite in verdict.cites)
        shared = tuple(everything) if len(everything) <= MAX_POOL else ()
        return [
            verdict.claim.model_copy(
                update={"cites": tuple(dict.fromkeys((*verdict.cites, *shared)))}
            )
            for verdict in standing
        ]

    def _supports(self, claim: Claim, cites: tuple[Cite, ...]) -> bool:
        return self._judged(claim, cites).supported

    def _added(self, text: str, claims: Sequence[Claim]) -> tuple[str, ...]:
        return new_facts(text, [self.desk.task.question, *(claim.text for claim in claims)])

    def _covers(self, claims: Sequence[Claim], text: str) -> bool:
        return is_covered(text, [self.desk.task.question, *(claim.text for claim in claims)])

    def _rewritten(self, claims: Sequence[Claim]) -> str:
        """An answer in the words of the claims; they themselves, if the model adds to them."""
        asked = fill(
            "verified_supported",
            question=self.desk.task.question,
            claims="\n".join(f"- {claim.text}" for claim in claims),
        )
        found = self.ask_json(
            [Message("system", prompt("verified_rewrite"), pinned=True), Message("user", asked)],
            "answer",
        )
        plain = " ".join(claim.text for claim in claims)
        if found is None:
            return plain
        if found["answer"] is None:
            return ABSTENTION
        text = str(found["answer"]).strip()
        if not text:
            return plain
        if abstains(text):
            return ABSTENTION
        if added := self._added(text, claims):
            self.llm.fault("unsupported_claim", f"added in the answer: {', '.join(added)}")
            return plain
        if not self._covers(claims, text):
            self.llm.fault("unsupported_claim", f"beyond the claims: {text[:120]!r}")
            return plain
        return text


def _listed(verdicts: Sequence[Verdict]) -> str:
    lines = []
    for verdict in verdicts:
        if verdict.stands:
            places = ", ".join(f"{c.path} [{c.locator}]" for c in verdict.cites)
            lines.append(f"- {verdict.claim.text} ({places})")
        else:
            lines.append(f"- {verdict.claim.text} ({verdict.why})")
    return "\n".join(lines) or "- nothing"


def _place(number: int, opened: Opened) -> str:
    """A place as the judge is shown it: of a long text, what stands around the quote."""
    text, quote = opened.text, (opened.cite.quote or "").strip()
    at = text.casefold().find(quote[:30].casefold()) if quote else -1
    begin = max(0, at - MAX_SHOWN // 2) if at >= 0 else 0
    shown = text[begin : begin + MAX_SHOWN]
    if shown != text:
        shown = f"... {shown} ..."
    kinds = ", ".join(medium.mime for medium in opened.media)
    parts = [f"[{number}] {opened.cite.path} [{opened.cite.locator}]", shown]
    parts += [f"(with {kinds}, attached)"] if kinds else []
    return "\n".join(part for part in parts if part)
