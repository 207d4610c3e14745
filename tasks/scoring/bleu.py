"""BLEU of one answer (Papineni et al., 2002), by sacrebleu (Post, 2018)."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable

_KANA = re.compile("[\u3040-\u30ff]")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")

Bleu = Callable[[str | None, str], float]
"""Takes a prediction and the gold answer; gives their BLEU."""


class BleuMissing(RuntimeError):
    """sacrebleu is not installed. The message says how to get it."""


def bleu_available() -> bool:
    """Whether sacrebleu is installed."""
    return importlib.util.find_spec("sacrebleu") is not None


def bleu_scorer() -> Bleu:
    """A function that gives the sentence BLEU of a prediction against a gold answer, in [0, 1].

    It is sacrebleu's, with its defaults for sentences: up to 4-grams, exponential smoothing, case
    kept; and effective order, so that an answer of fewer than four tokens is scored by the n-grams
    it can have. The gold answer decides the tokeniser: ``char`` if it holds kana (Japanese words
    would need a dictionary), else ``zh`` if it holds Chinese characters, else ``13a``. No
    prediction, or one without tokens, has 0.

    Raises:
        BleuMissing: sacrebleu is not installed.
    """
    try:
        from sacrebleu.metrics.bleu import BLEU
    except ImportError as error:
        raise BleuMissing("BLEU needs sacrebleu: pip install 'deskgym[scores]'") from error
    metrics = {name: BLEU(effective_order=True, tokenize=name) for name in ("13a", "zh", "char")}

    def score(prediction: str | None, gold: str) -> float:
        if prediction is None or not prediction.strip():
            return 0.0
        metric = metrics[tokeniser_for(gold)]
        percent = float(metric.sentence_score(prediction, [gold]).score)
        # A perfect match comes out as 100.00000000000004.
        return min(max(percent / 100.0, 0.0), 1.0)

    return score


def tokeniser_for(gold: str) -> str:
    """The name of sacrebleu's tokeniser for a gold answer."""
    if _KANA.search(gold):
        return "char"
    return "zh" if _HAN.search(gold) else "13a"
