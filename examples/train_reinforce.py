"""A policy learns at the desk: REINFORCE with a baseline, no language model, numpy alone.

    pip install deskgym
    python examples/train_reinforce.py            # three seeds, about a minute each
    python examples/train_reinforce.py --seeds 1 --rounds 6

An episode has two decisions. After a search for the question's words the policy chooses which of
the files found to open, then which sentence of it to answer with. Each choice is a softmax over
linear features of what the episode itself has shown: how the search ranks a file and what kind it
is, how a sentence fits the question. All weights start at zero, so the untrained policy draws
evenly. What it learns from is the reward of the answer and nothing else.

It trains on the questions of two people of the demo and is measured on those of the third, whose
files and questions it has never met. Trained or not, it draws its choices when it is measured.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import deskgym
from deskgym.agents.passages import Sentence, sentences
from deskgym.agents.rag.hits import Hit, parse_hits
from deskgym.agents.ranking import BM25, terms
from deskgym.env.desk_env import DeskEnv
from deskgym.tasks.registry import load_dataset

Array = np.ndarray[Any, np.dtype[np.float64]]
Say = Callable[[str], None]

HELD_OUT = "victoria"
TOP_K, FILES = 30, 10
ROUNDS, BATCH, LEARNING_RATE = 12, 16, 3.0
GOES = 4  # at each held-out question, when measured

KINDS = (
    ("pdf", "docx", "odt", "rtf", "pptx"),
    ("eml", "mbox", "msg"),
    ("xlsx", "csv", "ods", "tsv"),
    ("txt", "md", "html", "ics", "json"),
    ("png", "jpg", "jpeg", "webp", "heic", "gif"),
    ("mp3", "wav", "m4a", "ogg", "mp4", "webm", "mov"),
)
# What a question asks for, and what such an answer looks like.
ASKED = (
    (r"\bwhen\b|what (?:date|day|month|time)|which (?:date|day|month)", r"\d{4}|\d{1,2} [A-Z]|day"),
    (r"how (?:much|many|long|often)|\bnumber\b|\bprice\b|\bpaid?\b", r"\d"),
    (r"\bwho\b|\bwhose\b|which (?:city|town|person|firm)", r"(?<=[a-z,] )[A-Z][a-z]+"),
)


@dataclass
class Policy:
    """Two linear softmax choosers: ``file`` and ``sentence``."""

    weights: dict[str, Array] = field(default_factory=dict)

    def chances(self, head: str, features: Array) -> Array:
        """How likely each row of ``features`` is chosen."""
        weights = self.weights.setdefault(head, np.zeros(features.shape[1]))
        scores = features @ weights
        odds: Array = np.exp(scores - scores.max())
        return odds / odds.sum()


@dataclass(frozen=True)
class Choice:
    """One decision: among which it was made, with which chances, and what was taken."""

    head: str
    features: Array
    chances: Array
    taken: int

    @property
    def gradient(self) -> Array:
        """Of the logarithm of the taken one's chance, by the weights."""
        pull: Array = self.features[self.taken] - self.chances @ self.features
        return pull


@dataclass(frozen=True)
class Lived:
    """An episode: its decisions and its reward."""

    choices: tuple[Choice, ...]
    reward: float


def play(env: DeskEnv, task: str, policy: Policy, random: np.random.Generator) -> Lived:
    """One episode: search, open one file, answer with one sentence."""
    choices: list[Choice] = []

    def choose(head: str, features: Array) -> int:
        chances = policy.chances(head, features)
        choices.append(Choice(head, features, chances, int(random.choice(len(chances), p=chances))))
        return choices[-1].taken

    seen, _ = env.reset(task=task)
    question = seen["question"]
    seen, *_ = env.step({"tool": "search", "query": question, "top_k": TOP_K})
    found = by_file(parse_hits(seen["text"]))
    answer: dict[str, Any] = {"tool": "answer", "text": "The files do not say."}
    if found:
        path = list(found)[choose("file", file_features(question, found))]
        seen, *_ = env.step({"tool": "read_text", "path": path})
        if said := list(sentences(path, seen["text"])):
            chosen = said[choose("sentence", sentence_features(question, said))]
            answer["text"] = chosen.text
            answer["cites"] = [{"path": path, "locator": str(chosen.locator)}]
    _, reward, _, _, _ = env.step(answer)
    return Lived(tuple(choices), float(reward))


# --- what a choice is made by: never more than the episode has shown ------------------------------


def by_file(hits: Sequence[Hit]) -> dict[str, list[Hit]]:
    """The hits of each file, for the first files found."""
    found: dict[str, list[Hit]] = defaultdict(list)
    for hit in hits:
        found[hit.path].append(hit)
    return dict(list(found.items())[:FILES])


def file_features(question: str, found: dict[str, list[Hit]]) -> Array:
    """A row a file."""
    asked = set(terms(question))
    most = max(hits[0].score for hits in found.values()) or 1.0
    rows = []
    for rank, (path, hits) in enumerate(found.items(), 1):
        suffix = path.rpartition(".")[2].lower()
        shown = set(terms(" ".join(hit.text for hit in hits)))
        rows.append(
            [
                hits[0].score / most,
                1 / rank,
                len(hits) / 3,
                len(asked & shown) / max(len(asked), 1),
                len(asked & set(terms(path))) / max(len(asked), 1),
                float("draft" in path.lower() or "old" in path.lower()),
                *(float(suffix in kind) for kind in KINDS),
            ]
        )
    return np.array(rows)


def sentence_features(question: str, said: Sequence[Sentence]) -> Array:
    """A row a sentence."""
    asked = set(terms(question))
    own = scaled(BM25([one.text for one in said]).scores(question))
    around = scaled(BM25([one.context for one in said]).scores(question))
    forms = [form for ask, form in ASKED if re.search(ask, question, re.IGNORECASE)]
    rows = []
    for place, one in enumerate(said):
        words = one.text.split()
        rows.append(
            [
                own[place],
                around[place],
                own[place] * around[place],
                len(asked & set(terms(one.text))) / max(len(asked), 1),
                float(bool(forms) and all(re.search(form, one.text) for form in forms)),
                float(any(letter.isdigit() for letter in one.text)),
                math.log1p(len(words)) / 3,
                float(len(words) < 4),
                float(len(words) > 30),
                float(one.text.startswith("|")),
                float(one.text.endswith((":", "?"))),
                place / len(said),
            ]
        )
    return np.array(rows)


def scaled(scores: Sequence[float]) -> list[float]:
    """``scores`` as parts of the best."""
    most = max(scores) or 1.0
    return [score / most for score in scores]


# --- learning -------------------------------------------------------------------------------------


@dataclass
class Learner:
    """REINFORCE: the gradient of each choice, by how much better than usual the episode went.

    What is usual at a question is the mean of its own episodes so far (the mean of all, at first).
    """

    policy: Policy
    rate: float = LEARNING_RATE
    usual: dict[str, tuple[float, int]] = field(default_factory=dict)
    overall: tuple[float, int] = (0.0, 0)

    def learn(self, lived: Sequence[tuple[str, Lived]]) -> None:
        """One step of gradient ascent on the rewards of a batch, added up."""
        step: dict[str, Array] = {}
        for task, episode in lived:
            gain = episode.reward - self.usual.get(task, self.overall)[0]
            for choice in episode.choices:
                pull = gain * choice.gradient
                step[choice.head] = step.get(choice.head, np.zeros_like(pull)) + pull
        for head, pull in step.items():
            before = self.policy.weights.get(head, np.zeros_like(pull))
            self.policy.weights[head] = before + self.rate * pull
        for task, episode in lived:
            self.usual[task] = more(self.usual.get(task, (0.0, 0)), episode.reward)
            self.overall = more(self.overall, episode.reward)


def more(mean: tuple[float, int], value: float) -> tuple[float, int]:
    """A running mean, and of how many, with one value more."""
    was, count = mean
    return was + (value - was) / (count + 1), count + 1


@dataclass(frozen=True)
class Outcome:
    """Mean rewards on the held-out questions, before and after, and in each round of training."""

    seed: int
    before: float
    after: float
    curve: tuple[float, ...]

    @property
    def factor(self) -> float:
        """How many times its start the policy has come to."""
        return self.after / self.before if self.before else math.inf


def train(
    seed: int,
    *,
    rounds: int = ROUNDS,
    goes: int = GOES,
    held_out: str = HELD_OUT,
    say: Say = print,
) -> Outcome:
    """Train one policy from zero; ``rounds`` times through the questions of the other people.

    ``goes`` is how often each question of ``held_out`` is played to measure the policy.
    """
    data = load_dataset("demo")
    people = {name.rpartition("/")[2]: [t.id for t in data.tasks(name)] for name in data.profiles()}
    unseen = people.pop(held_out)
    random = np.random.default_rng(seed)
    policy = Policy()
    learner = Learner(policy)
    envs = {name: deskgym.make(profile=name) for name in (*people, held_out)}
    try:
        before = measure(envs[held_out], unseen, policy, seed, goes)
        say(f"seed {seed}: untrained, mean reward on {held_out} {before:.3f}")
        known = [(name, task) for name, tasks in people.items() for task in tasks]
        curve = []
        for turn in range(rounds):
            order = [known[place] for place in random.permutation(len(known))]
            rewards: list[float] = []
            for start in range(0, len(order), BATCH):
                batch = order[start : start + BATCH]
                lived = [(task, play(envs[name], task, policy, random)) for name, task in batch]
                learner.learn(lived)
                rewards += [episode.reward for _, episode in lived]
            curve.append(float(np.mean(rewards)))
            say(f"seed {seed}: round {turn + 1}, mean reward in training {curve[-1]:.3f}")
        after = measure(envs[held_out], unseen, policy, seed, goes)
        say(f"seed {seed}: trained, mean reward on {held_out} {after:.3f}")
    finally:
        for env in envs.values():
            env.close()
    return Outcome(seed, before, after, tuple(curve))


def measure(
    env: DeskEnv, tasks: Sequence[str], policy: Policy, seed: int, goes: int = GOES
) -> float:
    """The mean reward of ``policy``, which draws its choices, on ``tasks``."""
    random = np.random.default_rng([seed, 1])
    rewards = [play(env, task, policy, random).reward for task in tasks for _ in range(goes)]
    return float(np.mean(rewards))


def main(arguments: Sequence[str] | None = None) -> int:
    """Train with some seeds; 1 if the mean over them is not twice that of the start."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=3, help="how many (3)")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"through all tasks ({ROUNDS})")
    parser.add_argument("--hold-out", default=HELD_OUT, help=f"a demo person ({HELD_OUT})")
    chosen = parser.parse_args(arguments)
    outcomes = [
        train(seed, rounds=chosen.rounds, held_out=chosen.hold_out) for seed in range(chosen.seeds)
    ]
    for one in outcomes:
        print(f"seed {one.seed}: {one.before:.3f} -> {one.after:.3f}, {one.factor:.1f} times")
    before = float(np.mean([one.before for one in outcomes]))
    after = float(np.mean([one.after for one in outcomes]))
    print(f"mean over seeds: {before:.3f} -> {after:.3f}, {after / before:.1f} times")
    return 0 if after >= 2 * before else 1


if __name__ == "__main__":
    sys.exit(main())
