"""The structured query behind a question: what to look up, without the answer.

A query selects rows step by step and says what to give of the last ones. Rows are what the
verifier reads from the files: a kind (``schema``), fields, and places. A later step may refer to
the one row that an earlier one took. A query is data, so that the verifier can run it knowing
nothing of the life from which the question was made.

Fields of a row are text, numbers, or times (2024-03-05 18:30). Besides its own each row has what
follows from its time (`deskgym.tasks.made.verifier.rows.TIMES`): ``time``, ``day``, ``month``
(2024-03), ``weekday`` (Monday), ``clock`` (18:30) and ``hour``.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Scalar = str | int | float

Operator = Literal[
    "is", "is_not", "in", "has", "has_not", "inside", "from", "until", "above", "below", "after",
    "next_day", "day_before",
]  # fmt: skip
"""``is`` and ``in`` compare whole values without case; ``has`` looks for a text in the field,
``inside`` for the field in a text; ``from`` and ``until`` include the value, ``above``, ``below``
and ``after`` do not; ``next_day`` and ``day_before`` are of the day of the value."""
Take = Literal["one", "all", "first", "last", "most", "least"]
"""``one``: there must be exactly one. ``first`` and ``last`` go by ``time``, ``most`` and ``least``
by the field ``by``; there must be one such row, not two that tie."""
Give = Literal[
    "value", "count", "count_distinct", "sum", "mean", "median", "mode", "least_common", "nothing",
    "span_days", "trend", "order", "absent", "present", "difference", "level", "seen", "heard",
]  # fmt: skip
"""What of the last step's rows is the answer.

``nothing``: that there are none. ``span_days``: days from the first to the last. ``trend``:
whether the field's mean rose or fell from the first half of the rows to the second. ``order``:
values of the field in the order of time. ``absent``: the one of ``among`` that no row has;
``present``: the one of ``among`` that stands in the rows' text. ``difference``: of the last row's
number and the first's. ``level``: the level of the trait ``field``
(`deskgym.tasks.made.verifier.levels`). ``seen``, ``heard``: the one of ``among`` that stands in
the gap ``{}`` of ``field`` in a picture, clip or sound (`deskgym.tasks.made.verifier.media`).
"""
Form = Literal["text", "money", "number", "whole", "date", "clock", "month", "weekday", "time"]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Ref(_Model):
    """The value of a field of the row that an earlier step took."""

    step: str
    field: str


class Test(_Model):
    """A condition on a field."""

    __test__ = False  # no test of pytest's

    field: str
    op: Operator = "is"
    value: Scalar | tuple[Scalar, ...] | Ref


class Step(_Model):
    """Rows of a kind that pass all tests, and which of them are taken."""

    name: str
    rows: str = Field(description="the kind of rows: a schema of the records")
    where: tuple[Test, ...] = ()
    take: Take = "one"
    by: str = ""
    evidence: bool = Field(default=True, description="whether its rows support the answer")


class Query(_Model):
    """Steps in order, and what to give of the step ``of``."""

    steps: tuple[Step, ...] = Field(min_length=1)
    of: str
    give: Give = "value"
    field: str = ""
    form: Form = "text"
    among: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _known(self) -> Query:
        known: set[str] = set()
        for step in self.steps:
            refs = {t.value.step for t in step.where if isinstance(t.value, Ref)}
            if missing := sorted(refs - known):
                raise ValueError(f"step {step.name!r} refers to {missing}, which come no earlier")
            if step.name in known:
                raise ValueError(f"two steps are called {step.name!r}")
            known.add(step.name)
        if self.of not in known:
            raise ValueError(f"the answer is of step {self.of!r}, which there is not")
        return self


class Asked(_Model):
    """What the verifier is given of a question: its id, its query and its other conditions.

    ``answer`` is a pattern with ``{}`` where the query's value goes. ``premise`` is what a
    question wrongly takes for granted: a query that must find nothing.
    """

    id: str
    query: Query
    answer: str = "{}"
    premise: Query | None = None
