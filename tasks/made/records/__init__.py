"""Records: the rows, documents and edges that a life leaves behind."""

from __future__ import annotations

from deskgym.tasks.made.models import Life
from deskgym.tasks.made.records.daily import daily_rows
from deskgym.tasks.made.records.draft import Draft, Source, numbered
from deskgym.tasks.made.records.graphs import graphs
from deskgym.tasks.made.records.media import media
from deskgym.tasks.made.records.papers import papers
from deskgym.tasks.made.records.prose import prose
from deskgym.tasks.made.records.record import SCHEMAS, DataModel, Record, Schema, Value
from deskgym.tasks.made.records.rows import event_rows, payments
from deskgym.tasks.made.records.talk import talk
from deskgym.tasks.made.spec import MadeSpec

__all__ = ["SCHEMAS", "DataModel", "Record", "Schema", "Value", "make_records"]


def make_records(life: Life, spec: MadeSpec) -> tuple[Record, ...]:
    """All records of ``life`` in time order; the same for the same life and spec.

    Every event has at least one record. A text-only person has the records of sounds and
    pictures as well: what falls away are their files.
    """
    source = Source(life, spec)
    drafts: list[Draft] = []
    for event in life.events:
        drafts += event_rows(source, event)
    for maker in (payments, daily_rows, talk, prose, papers, media, graphs):
        drafts += maker(source)
    return numbered(drafts)
