"""Questions that one record answers (Setoka's semantic level).

Each row of the table asks for a field of a kind of record and names the record by its other
fields. ``{on}`` is the day, ``{clock}`` the time of day, ``{who}`` the person in ``name``.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from deskgym.tasks.made.questions.draft import Draft, Source, text
from deskgym.tasks.made.questions.wording import day_phrase, person_phrase, quoted, sample
from deskgym.tasks.made.records.record import Record, Value
from deskgym.tasks.made.verifier.forms import shown
from deskgym.tasks.made.verifier.query import Form, Query, Step, Test
from deskgym.tasks.made.verifier.rows import TIMES

_DAY, _CLOCK = "day", "clock"


@dataclass(frozen=True)
class Ask:
    """A field to ask for, and by what its record is named."""

    schema: str
    field: str
    form: Form
    cues: tuple[str, ...]
    wordings: tuple[str, ...]


def _ask(schema: str, field: str, form: Form, cues: str, *wordings: str) -> Ask:
    return Ask(schema, field, form, tuple(cues.split()), wordings)


_ASKS: tuple[Ask, ...] = (
    _ask("contact", "phone", "text", "name", "What is {who}'s phone number?",
         "Which number do I have for {who}?", "Under what phone number can I reach {who}?"),
    _ask("contact", "email", "text", "name", "What is {who}'s mail address?",
         "Which mail address belongs to {who}?", "Where can I send {who} a mail?"),
    _ask("contact", "birthday", "date", "name", "When was {who} born?",
         "What is {who}'s date of birth?", "Which birthday did I note for {who}?"),
    _ask("contact", "address", "text", "name", "What is {who}'s address?",
         "Where does {who} live, according to my address book?"),
    _ask("contact", "company", "text", "name", "Where does {who} work?",
         "Which company did I note for {who}?"),
    _ask("contact", "role", "text", "name", "What does {who} do for a living?",
         "What is {who}'s job title in my contacts?"),
    _ask("calendar", "location", "text", "title day", "Where is “{title}” {on}?",
         "Which place does my calendar give for “{title}” {on}?"),
    _ask("calendar", "start", "clock", "title day", "At what time does “{title}” begin {on}?",
         "What time is “{title}” in my calendar {on}?"),
    _ask("calendar", "end", "clock", "title day", "Until what time did I plan “{title}” {on}?",
         "When does “{title}” end {on}, at what time?"),
    _ask("calendar", "title", "text", "day clock", "What is in my calendar {on} at {clock}?",
         "Which appointment did I have {on}, starting at {clock}?"),
    _ask("call", "seconds", "whole", "name day clock",
         "How many seconds did my call with {who} {on} at {clock} last?",
         "{who} and I spoke on the phone {on} at {clock}: for how many seconds?"),
    _ask("call", "name", "text", "day clock", "Who was the other side of the call {on} at {clock}?",
         "With whom was my phone call {on} at {clock}?"),
    _ask("message", "sender", "text", "thread text",
         "In the chat “{thread}”, who wrote {quote}?",
         "Who said {quote} in the chat “{thread}”?"),
    _ask("message", "time", "time", "thread text",
         "When, to the minute, was {quote} written in the chat “{thread}”?",
         "In the chat “{thread}” somebody wrote {quote}. On which day and at what time?"),
    _ask("transaction", "amount", "money", "payee day",
         "How much went from my account to {payee} {on}?",
         "What did I pay {payee} {on}?", "What amount does my bank list for {payee} {on}?"),
    _ask("transaction", "payee", "text", "reference",
         "Who received the payment with the reference {reference}?",
         "To whom did the bank payment {reference} go?"),
    _ask("transaction", "balance", "money", "reference",
         "What was left on my account after the payment {reference}?",
         "Which balance does my bank show after {reference}?"),
    _ask("transaction", "category", "text", "payee day",
         "Under which category did my bank book {payee} {on}?",
         "What is the category of the bank entry for {payee} {on}?"),
    _ask("order", "item", "text", "number", "What did I order under the number {number}?",
         "Which item is order {number}?"),
    _ask("order", "price", "money", "number", "What did order {number} cost?",
         "How much was my order {number}?"),
    _ask("order", "shop", "text", "number", "From which shop is order {number}?",
         "Who sold me what I ordered under {number}?"),
    _ask("order", "arrived", "date", "number", "On which day did order {number} arrive?",
         "When was order {number} delivered?"),
    _ask("app_use", "minutes", "whole", "app week_ending",
         "How many minutes was {app} open in the week that ended {on}?",
         "For how many minutes did I use {app} in the week up to and including {on_day}?"),
    _ask("app_use", "opens", "whole", "app week_ending",
         "How many times did I open {app} in the week that ended {on}?",
         "How often was {app} opened in the week up to and including {on_day}?"),
    _ask("sleep", "hours", "number", "date", "How many hours did I sleep in the night to "
         "the morning {on}?", "How long, in hours, had I slept when I got up {on}?"),
    _ask("sleep", "up", "clock", "date", "At what time did I get up {on}?",
         "What time was I out of bed {on}?"),
    _ask("sleep", "resting_pulse", "whole", "date", "What was my resting pulse {on}?",
         "How many beats a minute was my resting pulse {on}?"),
    _ask("steps", "steps", "whole", "date", "How many steps did I walk {on}?",
         "What did my step counter show {on}, in steps?"),
    _ask("steps", "km", "number", "date", "How many kilometres did the step counter add up {on}?",
         "What distance in kilometres did I walk {on} according to the step counter?"),
    _ask("steps", "floors", "whole", "date", "How many floors did I climb {on}?",
         "How many floors did the step counter note {on}?"),
    _ask("workout", "minutes", "whole", "sport day", "For how many minutes did I do {sport} {on}?",
         "How long in minutes was my workout ({sport}) {on}?"),
    _ask("workout", "kcal", "whole", "sport day", "How many kcal did {sport} burn {on}?",
         "What energy in kcal does the log give for {sport} {on}?"),
    _ask("workout", "pulse", "whole", "sport day", "What was my mean pulse during {sport} {on}?",
         "How fast was my heart on average in the workout ({sport}) {on}?"),
    _ask("trip", "destination", "text", "reference", "Where did the trip {reference} take me?",
         "What is the destination of booking {reference}?"),
    _ask("trip", "arrive", "clock", "destination day",
         "At what time did I arrive in {destination} {on}?",
         "What time was I in {destination} after travelling {on}?"),
    _ask("trip", "km", "number", "destination day",
         "How many kilometres was my trip to {destination} {on}?",
         "What distance in km did I travel to {destination} {on}?"),
    _ask("reminder", "due", "date", "title list_name",
         "For which day is the reminder “{title}” set (list {list_name})?",
         "When is “{title}” on my list {list_name} due?"),
    _ask("reminder", "done", "time", "title list_name",
         "When, to the minute, did I tick off “{title}” on the list {list_name}?",
         "On which day and at what time was “{title}” ({list_name}) done?"),
    _ask("reminder", "list_name", "text", "title day",
         "On which list is the reminder “{title}” that was due {on}?"),
    _ask("media_play", "title", "text", "day clock", "What did I play {on} at {clock}?",
         "Which title ran {on} at {clock}?"),
    _ask("media_play", "creator", "text", "title day", "By whom is “{title}”, which I played "
         "{on}?", "Who made “{title}”, played {on}?"),
    _ask("media_play", "minutes", "whole", "title day",
         "How many minutes of “{title}” did I play {on}?",
         "For how many minutes did “{title}” run {on}?"),
    _ask("visited_page", "title", "text", "url day", "What is the title of the page {url} that I "
         "visited {on}?", "Which page title did my browser note for {url} {on}?"),
    _ask("visited_page", "seconds", "whole", "title day clock",
         "How many seconds was I on the page “{title}” {on} at {clock}?",
         "For how many seconds did I look at “{title}” {on} at {clock}?"),
    _ask("photo", "place", "text", "file", "Where was the photo {file} taken?",
         "At which place did I take {file}?"),
    _ask("photo", "time", "time", "file", "When exactly was the photo {file} taken?",
         "On which day and at what time did I take {file}?"),
    _ask("photo", "people", "text", "file", "Who is in the photo {file}?",
         "Which people does my photo library name for {file}?"),
    _ask("visit", "leave", "clock", "place day arrive_clock",
         "I came to {place} {on} at {clock}. At what time did I leave?",
         "Until what time was I at {place} {on}, having arrived at {clock}?"),
    _ask("visit", "place", "text", "day clock", "Where did I arrive {on} at {clock}?",
         "According to my location history, which place did I reach {on} at {clock}?"),
    _ask("bill", "amount", "money", "supplier date", "How much was the bill from {supplier} {on}?",
         "What did {supplier} ask for {on}?"),
    _ask("bill", "reference", "text", "supplier date", "Which reference is on the bill from "
         "{supplier} {on}?", "Under what reference did {supplier} bill me {on}?"),
    _ask("bill", "item", "text", "supplier date", "What was the bill from {supplier} {on} for?",
         "For what did {supplier} send a bill {on}?"),
    _ask("mail", "subject", "text", "sender day clock",
         "What is the subject of the mail from {sender_name} {on} at {clock}?",
         "What was the subject of the mail that {sender_name} sent {on} at {clock}?"),
    _ask("mail", "time", "time", "subject", "When was the mail “{subject}” sent, to the minute?",
         "On which day and at what time is the mail “{subject}” dated?"),
    _ask("note", "time", "clock", "title", "At what time of day did I write the note “{title}”?",
         "What time stands in my note “{title}”?"),
    _ask("report", "date", "date", "title", "What date is on the report “{title}”?",
         "When did I finish the report “{title}”?"),
    _ask("report", "project", "text", "title", "Which project is the report “{title}” about?",
         "To what project does the report “{title}” belong?"),
    _ask("letter", "sender", "text", "title date", "Who sent me the letter “{title}” {on}?",
         "From whom is the letter “{title}” dated {on}?"),
    _ask("clipping", "time", "date", "title", "When did I save the page “{title}”?",
         "On which day was the article “{title}” saved?"),
    _ask("habit_log", "detail", "text", "activity day clock",
         "What exactly did I note in my diary of activities for “{activity}” {on} at {clock}?",
         "What is the detail of the entry “{activity}” {on} at {clock}?"),
    _ask("habit_log", "minutes", "whole", "activity day clock",
         "How many minutes did “{activity}” take {on} at {clock}?",
         "For how many minutes did I note “{activity}” {on} at {clock}?"),
    _ask("habit_log", "activity", "text", "day clock",
         "Which activity does my diary of activities have {on} at {clock}?",
         "What was I doing {on} at {clock}, according to my activity log?"),
    _ask("measurement", "systolic", "whole", "day clock",
         "What was my upper (systolic) blood pressure {on} at {clock}?",
         "Which systolic value did I measure {on} at {clock}?"),
    _ask("measurement", "diastolic", "whole", "day clock",
         "What was my lower (diastolic) blood pressure {on} at {clock}?"),
    _ask("social_tie", "relation", "text", "source target",
         "In the graph of my acquaintances, what binds {source} and {target}?",
         "What relation does my contact graph note between {source} and {target}?"),
    _ask("organisation", "target", "text", "source relation",
         "According to the organisation chart, to whom is {source} linked by “{relation}”?",
         "Who stands at the other end of “{relation}” from {source} in the chart?"),
    _ask("organisation", "role", "text", "source target",
         "What is the role of {source} in the organisation chart (next to {target})?"),
    _ask("membership", "since", "date", "source target",
         "Since when has {source} been part of {target}?",
         "From which day on does the graph list {source} in {target}?"),
)  # fmt: skip


def semantic(
    source: Source, most: int, kind: str = "semantic", schemas: tuple[str, ...] = ()
) -> Iterator[Draft]:
    """At most so many questions, spread over all kinds of records, or those of ``schemas``."""
    chance = source.chance("semantic", kind)
    said = Counter(fragment(record) for record in source.all_of("message"))
    possible = [
        (ask, record)
        for ask in _ASKS
        if not schemas or ask.schema in schemas
        for record in source.of(ask.schema)
        if _known(ask, record)
        # A message that many might have written names nothing.
        and (ask.schema != "message" or (said[fragment(record)] == 1 and len(_words(record)) > 4))
    ]
    for ask, record in sample(possible, most, chance):
        yield draft_of(ask, record, source, chance, kind)


def draft_of(
    ask: Ask, record: Record, source: Source, chance: random.Random, kind: str = "semantic"
) -> Draft:
    """The question that ``ask`` makes of a record."""
    which = chance.randrange(len(ask.wordings))
    question = ask.wordings[which].format(**_slots(record, source, chance))
    answer = shown(scalar(record.fields[ask.field]), ask.form)
    query = Query(
        steps=(Step(name="it", rows=ask.schema, where=tuple(_tests(ask, record))),),
        of="it",
        field=ask.field,
        form=ask.form,
    )
    return Draft(
        kind=kind,
        template=f"{ask.schema}/{ask.field}#{which}",
        question=question[0].upper() + question[1:],
        answer=answer,
        query=query,
        records=(record.id,),
        steps=((f"The {ask.schema.replace('_', ' ')} gives {answer}.", (0,)),),
        reasoning=("lookup",),
    )


QUOTED = 9
"""Words of a message that a question quotes."""


def fragment(record: Record) -> str:
    """What a question quotes of a message."""
    return " ".join(_words(record)[:QUOTED])


def _words(record: Record) -> list[str]:
    return text(record.fields["text"]).split()


def scalar(value: Value) -> str | int | float:
    """A field as the files have it: lists joined."""
    return text(value) if isinstance(value, list | bool) else value


def moment(record: Record) -> str:
    """When a record is of, from the same field as the verifier takes it."""
    return next(str(record.fields[f]) for f in TIMES if record.fields.get(f))


def _known(ask: Ask, record: Record) -> bool:
    if ask.form == "money" and ask.schema == "transaction":
        value = float(text(record.fields[ask.field]))
        # What came in was not paid, and an overdraft has a sign that answers leave out.
        if value > 0 if ask.field == "amount" else value < 0:
            return False
    wanted = (ask.field, *(cue for cue in ask.cues if cue in record.fields))
    return all(record.fields[name] not in ("", []) for name in wanted)


def _tests(ask: Ask, record: Record) -> Iterator[Test]:
    for cue in ask.cues:
        if cue == "text":
            yield Test(field="text", op="has", value=fragment(record))
        elif cue == "sender" and ask.schema == "mail":
            yield Test(field="sender", op="has", value=_name(record))
        elif cue in record.fields:
            yield Test(field=cue, value=scalar(record.fields[cue]))
        elif cue == "day":
            yield Test(field="day", value=moment(record)[:10])
        else:
            yield Test(field="clock", value=moment(record)[11:16])


def _name(record: Record) -> str:
    return text(record.fields["sender"]).partition("<")[0].strip()


def _slots(record: Record, source: Source, chance: random.Random) -> Mapping[str, str]:
    slots = {name: text(value) for name, value in record.fields.items()}
    time = next((slots[f] for f in TIMES if slots.get(f)), "")
    if time:
        slots["on"] = day_phrase(date.fromisoformat(time[:10]), chance, hard=source.hard)
        slots["on_day"] = slots["on"].removeprefix("on ")
        slots["clock"] = time[11:16]
    if "name" in slots:
        slots["who"] = person_phrase(slots["name"], source.life, hard=source.hard)
    if record.schema == "message":
        slots["quote"] = quoted(slots["text"])
    if record.schema == "mail":
        slots["sender_name"] = _name(record)
    return slots
