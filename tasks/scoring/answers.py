"""A lexical judge of answers. Pure functions: the same texts always score the same.

Token F1 follows SQuAD (Rajpurkar et al., 2016), ROUGE-L follows Lin (2004) with beta = 1.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from deskgym.tasks.scoring.models import AnswerScores
from deskgym.tasks.scoring.normalise import canonical, facts, folded, stated, tokens

SHORT_GOLD = 6
"""A gold answer of at most this many tokens counts as given when it stands whole in a reply."""
CONTAINED_SCORE = 0.9


def score_answer(prediction: str | None, gold: str, *, answerable: bool) -> AnswerScores:
    """How ``prediction`` compares with ``gold``.

    ``score`` is, for an unanswerable task, 1 if the prediction abstains and else 0. For an
    answerable one it is the first of these that applies (``n`` is the token count of gold):

    1. 1, if prediction and gold have the same tokens and there are any;
    2. 0, if the prediction is empty or abstains;
    3. ``max(0.9, F1)``, if ``n <= 6``, the gold's tokens stand in the prediction as one
       unbroken run, all the gold's numbers are there, and the prediction has at most
       ``4 n + 20`` tokens;
    4. ``F1 * number_match``, if the gold states numbers, dates or times: a right sentence with
       a wrong number is worth little;
    5. ``F1``.

    Tokens are compared as written and again with numbers, dates and times in one form
    (`canonical`); the better of the two counts, in every measure.
    """
    forms = _forms(prediction or "", gold)
    exact = float(any(given == wanted and wanted for given, wanted in forms))
    f1 = max(_f1(given, wanted) for given, wanted in forms)
    matched = number_match(prediction, gold)
    abstained = abstains(prediction)
    if not answerable:
        score = float(abstained)
    elif exact:
        score = 1.0
    elif abstained:
        score = 0.0
    elif any(_stands_in(wanted, given) for given, wanted in forms) and matched in (None, 1.0):
        score = max(CONTAINED_SCORE, f1)
    else:
        score = f1 if matched is None else f1 * matched
    return AnswerScores(
        score=score,
        exact_match=exact,
        token_f1=f1,
        rouge_l=max(_rouge_l(given, wanted) for given, wanted in forms),
        number_match=matched,
        abstained=abstained,
    )


def token_f1(prediction: str, gold: str) -> float:
    """F1 over the two bags of tokens; symmetric; 1 if neither text has any."""
    return max(_f1(a, b) for a, b in _forms(prediction, gold))


def rouge_l(prediction: str, gold: str) -> float:
    """F of the longest common subsequence of tokens; symmetric; 1 if neither text has any."""
    return max(_rouge_l(a, b) for a, b in _forms(prediction, gold))


def number_match(prediction: str | None, gold: str) -> float | None:
    """The share of the gold's numbers, dates and times that the prediction states too.

    A gold fact with several readings is met by any of them, and a prediction's full date also
    states its month, its day of the month and its year. ``None`` if the gold holds no such fact.
    """
    wanted = facts(gold)
    if not wanted:
        return None
    given = stated(prediction or "")
    return sum(not fact.isdisjoint(given) for fact in wanted) / len(wanted)


def _forms(a: str, b: str) -> tuple[tuple[list[str], list[str]], ...]:
    return (tokens(a), tokens(b)), (tokens(canonical(a)), tokens(canonical(b)))


def _f1(a: Sequence[str], b: Sequence[str]) -> float:
    if not a and not b:
        return 1.0
    return 2 * (Counter(a) & Counter(b)).total() / (len(a) + len(b))


def _rouge_l(a: Sequence[str], b: Sequence[str]) -> float:
    if not a and not b:
        return 1.0
    return 2 * common_subsequence(a, b) / (len(a) + len(b))


def _stands_in(gold: Sequence[str], given: Sequence[str]) -> bool:
    if not 0 < len(gold) <= SHORT_GOLD or len(given) > 4 * len(gold) + 20:
        return False
    return contains_run(given, gold)


def contains_run(tokens: Sequence[str], run: Sequence[str]) -> bool:
    """Whether ``run`` stands in ``tokens`` whole and unbroken."""
    wanted = list(run)
    return any(
        list(tokens[i : i + len(wanted)]) == wanted for i in range(len(tokens) - len(wanted) + 1)
    )


def token_masks(a: Sequence[str]) -> dict[str, int]:
    """For each token of ``a`` the set of its positions, as the bits of an integer."""
    masks: dict[str, int] = {}
    for position, token in enumerate(a):
        masks[token] = masks.get(token, 0) | 1 << position
    return masks


def common_subsequence(
    a: Sequence[str], b: Sequence[str], masks: dict[str, int] | None = None
) -> int:
    """Length of the longest common subsequence of ``a`` and ``b``.

    One big-integer step per token of ``b`` (the bit-vector method: a zero bit is a token of
    ``a`` that is matched). ``masks`` may hold `token_masks` of ``a``, for many ``b``.
    """
    masks = token_masks(a) if masks is None else masks
    full = (1 << len(a)) - 1
    open_bits = full
    for token in b:
        if mask := masks.get(token):
            used = open_bits & mask
            open_bits = ((open_bits + used) | (open_bits - used)) & full
    return len(a) - open_bits.bit_count()


# --- abstaining ---------------------------------------------------------------------------------

_OWNER = r"(?:(?:the|these|those|any|all|his|her|their|my|your|its|of|\w+'s?)\s+){0,3}"
_ADJECTIVE = r"(?:(?:available|provided|given|accessible|mounted|personal)\s+)?"
_FILES = (
    rf"{_OWNER}{_ADJECTIVE}(?:files?|documents?|records?|desk|data|sources?|materials?|"
    r"information|documentation|computer|folders?|archive)"
)
_SAY = (
    r"(?:say|state|mention|tell|specify|record|show|contain|give|indicate|reveal|include|provide|"
    r"hold|list|answer|name|disclose|note|cover|address)"
)
_SAID = r"(?:mentioned|stated|recorded|specified|documented|disclosed|indicated|noted|said)"
_FOUND = r"(?:available|found|given|listed|known|present|contained|included|provided)"
_NOT = r"(?:do|does|did)(?:\s+not|n't)(?:\s+\w+ly)?"
_CANNOT = r"(?:can\s?not|can't|could\s+not|couldn't)"
_INFORMATION = r"(?:information|evidence|data|mention|records?|indication|details?|trace|reference)"
# What tells "no information about it" from "no data plan".
_ENDS = (
    r"(?=\W*$|[.,;:]|\s+(?:is|was|are|were|about|of|on|for|in|that|whether|available|found|"
    r"given|regarding|concerning|to|can|could|anywhere)\b)"
)
_ABSTENTIONS = re.compile(
    "|".join(
        (
            rf"^(?:\w+\W+){{0,2}}{_FILES}\s+{_NOT}\s+{_SAY}\b",
            rf"\b{_FILES}\s+(?:[^.;]{{0,80}}\bbut\s+)?(?:they\s+|it\s+)?{_NOT}\s+{_SAY}\b",
            rf"^(?:but\s+|however,?\s+)?(?:they|it)\s+{_NOT}\s+{_SAY}\b",
            rf"\bnone\s+of\s+{_FILES}\s+(?:\w+ly\s+)?{_SAY}s?\b",
            rf"\b(?:no|nothing\s+in|nowhere\s+in)\s+{_FILES}\s+(?:\w+ly\s+)?{_SAY}s?\b",
            rf"\bnothing\s+(?:is|was)\s+(?:{_SAID}|{_FOUND})",
            rf"(?:^|\bthere\s+(?:is|was|are|were)\s+|\b{_FILES}\s+(?:have|has|hold|contain|give)s?\s+"
            rf"|\b(?:find|found|have|see|saw)\s+)(?:no|any|not\s+enough|insufficient|too\s+little)"
            rf"\s+(?:\w+\s+)?{_INFORMATION}{_ENDS}",
            rf"\b(?:not\s+enough|insufficient)\s+{_INFORMATION}\b",
            r"\b(?:i|we)\s+(?:do\s+not|don't|did\s+not|didn't|cannot|can\s+not|can't|could\s+not|"
            r"couldn't)\s+(?:know|tell|say|find|determine|answer|locate|establish)\b",
            r"\bunable\s+to\s+(?:tell|say|find|determine|answer|locate|establish)\b",
            rf"\b{_CANNOT}\s+be\s+(?:determined|established|answered|found|inferred|known|derived|"
            r"told|confirmed|verified)\b",
            r"\b(?:not\s+possible|impossible)\s+to\s+(?:determine|say|tell|answer|know|establish)\b",
            r"\b(?:unanswerable|not\s+answerable)\b",
            rf"\bnot\s+(?:\w+ly\s+)?{_SAID}(?:\s+anywhere)?(?=\W*$)",
            rf"\bnot\s+(?:\w+ly\s+)?(?:{_SAID}|{_FOUND})\s+(?:anywhere\s+)?(?:in|by|from)\s+"
            rf"(?:any\s+(?:of\s+)?)?{_FILES}\b",
            rf"^(?:\w+\W+){{0,4}}not\s+in\s+{_FILES}\W*$",
            r"^(?:it\s+is\s+|it's\s+|that\s+is\s+)?(?:unclear|unknown|not\s+known|not\s+clear)\b",
            # Chinese: the files do not mention it; no such record; (I) do not know, cannot tell.
            r"(?:文件|文档|资料|記錄|记录|檔案)(?:中|里|裡)?(?:都|均|并|並)?(?:没有|沒有|未)"
            r"(?:明确|明確)?(?:提到|提及|说明|說明|记录|記錄|显示|顯示|包含|给出|給出)",
            r"^(?:没有|沒有|未)(?:找到|相关|相關|任何|足够)+的?(?:信息|记录|記錄|资料|資料|内容)",
            r"^(?:我|我们|我們)?(?:不知道|不清楚|(?:无法|無法)(?:确定|確定|得知|回答|判断|判斷|找到))",
            r"^(?:n/a|not\s+available|not\s+found|no\s+idea|no\s+answer|cannot\s+say)\W*$",
        )
    )
)
_SEARCH_TALK = re.compile(
    r"^(?:i|we|after|having)\b|\b(?:searched|looked|checked|read|reviewed|went\s+through|mentions?|"
    r"refers?)\b"
)
_ANSWER_AFTER_ALL = re.compile(r"\b(?:but|however|nevertheless|though|best\s+guess)\b(?P<rest>.*)")
_REPORTS = re.compile(
    r"\b(?:mentions?|refers?|contains?|lists?|describes?|includes?|discuss(?:es)?|notes?|shows?)\b"
)


def abstains(text: str | None) -> bool:
    """Whether ``text`` says that the answer is not to be had, or says nothing.

    The abstention has to be the main statement: it stands in the first sentence, or in a later
    one after nothing but talk of searching. One that is taken back ("the files do not say, but
    it is probably Tom") is none.
    """
    if text is None or not re.search(r"\w", text):
        return True
    sentences = [s for s in re.split(r"(?<=[.!?])\s+|\n+", folded(text).strip()) if s.strip()]
    for number, sentence in enumerate(sentences):
        if found := _ABSTENTIONS.search(sentence):
            rest = " ".join([sentence[found.end() :], *sentences[number + 1 :]])
            return not _takes_back(rest)
        if not _SEARCH_TALK.search(sentence):
            return False
    return False


def _takes_back(rest: str) -> bool:
    after = _ANSWER_AFTER_ALL.search(rest)
    if after is None:
        return False
    return not (_ABSTENTIONS.search(after["rest"]) or _REPORTS.search(after["rest"]))
