"""The facts of events at work, between people, in mind and body, and for others."""

from __future__ import annotations

from collections.abc import Mapping

from deskgym.tasks.made import names, words
from deskgym.tasks.made.scene import FactMaker, Facts, Scene


def _meeting(s: Scene) -> Facts:
    owners = [s.person.full_name, *(c.name for c in s.people)]
    return {
        "project": s.project(),
        "topic": s.pick(words.DELIVERABLES),
        "decision": s.pick(words.DECISIONS),
        "owner": s.chance.choice(owners),
        "due": s.later(3, 24),
    }


def _deadline(s: Scene) -> Facts:
    return {
        "project": s.project(),
        "deliverable": s.pick(words.DELIVERABLES),
        "pages": s.between(3, 88),
        "due": s.later(0, 6),
    }


def _planning(s: Scene) -> Facts:
    return {
        "tasks": s.between(4, 19),
        "priority": s.pick(words.DELIVERABLES),
        "hours": s.between(6, 38),
    }


def _one_to_one(s: Scene) -> Facts:
    return {
        "topic": words.topic(s.chance) if s.chance.random() < 0.3 else s.pick(words.DELIVERABLES),
        "action": f"to finish {s.pick(words.DELIVERABLES)}",
        "next_date": s.later(9, 23),
    }


def _presentation(s: Scene) -> Facts:
    return {
        "project": s.project(),
        "title": s.title(),
        "slides": s.between(8, 44),
        "audience": s.between(5, 120),
    }


def _budget_check(s: Scene) -> Facts:
    return {
        "project": s.project(),
        "spent": 10 * s.between(120, 4800),
        "left": 10 * s.between(80, 9000),
        "supplier": f"{s.surname()} {s.pick(('Supplies', 'Print', 'Hire', 'Logistics'))}",
    }


def _late_evening(s: Scene) -> Facts:
    return {
        "project": s.project(),
        "reason": s.pick(words.REASONS),
        "hours": round(s.minutes / 60, 1),
    }


def _topic(s: Scene) -> str:
    """What one talks about with who is there: with a plumber the boiler, not the choir."""
    if s.people and s.people[0].relation in words.BUSINESS:
        return words.business(s.chance, s.people[0].relation)
    return words.topic(s.chance)


def _phone_call(s: Scene) -> Facts:
    if s.people and s.people[0].relation in words.BUSINESS:
        news = words.business_news(s.chance, s.people[0].company)
    else:
        news = words.news(s.chance, s.full_name())
    return {
        "topic": _topic(s),
        "news": news,
        "agreed": words.agreed(s.chance),
    }


def _messages(s: Scene) -> Facts:
    return {
        "topic": words.topic(s.chance),
        "messages": s.few(2, 6),
        "agreed": words.agreed(s.chance),
    }


def _mail(s: Scene) -> Facts:
    topic = _topic(s)
    return {
        "subject": f"{topic[0].upper()}{topic[1:]} ({s.start.day}/{s.start.month})",
        "topic": topic,
        "agreed": words.agreed(s.chance),
        "due": s.later(2, 18),
    }


def _postcard(s: Scene) -> Facts:
    return {
        "motif": s.pick(words.MOTIFS),
        "topic": words.topic(s.chance),
        "amount": s.money(1.2, 4.8),
        "payee": f"{s.surname()} Post Shop",
    }


def _group_chat(s: Scene) -> Facts:
    chance = s.serial("group", s.between(0, 1))
    group = chance.choice(("Sunday crowd", "Allotment gang", "Quiz team", "Old class", "Choir row"))
    return {
        "group": f"{names.surname(s.seed, chance)} {group}",
        "topic": words.topic(s.chance),
        "messages": s.few(3, 9),
        "agreed": words.agreed(s.chance),
    }


def _doctor_visit(s: Scene) -> Facts:
    return {
        "complaint": s.pick(words.COMPLAINTS),
        "medicine": s.pick(words.MEDICINES),
        "dose_mg": s.chance.choice((5, 10, 20, 25, 40, 50, 75, 100, 150, 200, 250, 400, 500)),
        "next_date": s.later(8, 60),
    }


def _symptom(s: Scene) -> Facts:
    return {
        "complaint": s.pick(words.COMPLAINTS),
        "severity": s.between(1, 5) if s.good else s.between(4, 10),
        "remedy": s.pick(words.REMEDIES),
    }


def _bad_night(s: Scene) -> Facts:
    return {
        "cause": s.pick(words.NIGHT_CAUSES),
        "slept_hours": round(s.chance.uniform(2.5, 5.9), 1),
        "woke_at": f"{s.between(1, 4):02d}:{s.between(0, 59):02d}",
    }


def _worry(s: Scene) -> Facts:
    return {
        "topic": s.pick(words.WORRIES),
        "level": s.between(2, 6) if s.good else s.between(5, 10),
        "plan": s.pick(words.ADVICE),
    }


def _meditation(s: Scene) -> Facts:
    return {"title": s.pick(words.CALMING), "breaths": s.between(40, 260)}


def _pharmacy(s: Scene) -> Facts:
    return {
        "item": s.pick(words.PACKS),
        "amount": s.money(4, 34),
        "packs": s.between(2, 4),
        "reference": s.code(),
    }


def _measurement(s: Scene) -> Facts:
    high = 0 if s.good else 14
    return {
        "systolic": s.between(108, 132) + high,
        "diastolic": s.between(66, 84) + high // 2,
        "pulse": s.between(54, 82) + high // 2,
    }


def _neighbour_help(s: Scene) -> Facts:
    return {"task": s.pick(words.TASKS), "thanks": s.pick(words.THANKS)}


def _volunteering(s: Scene) -> Facts:
    return {
        "organisation": s.where.name if s.where else f"{s.surname()} Community House",
        "duty": s.pick(words.DUTIES),
        "served": s.between(6, 140),
    }


def _lending(s: Scene) -> Facts:
    return {"item": s.pick(words.LENT), "due": s.later(4, 25)}


def _donation(s: Scene) -> Facts:
    return {
        "payee": f"{s.surname()} Fund",
        "amount": float(s.chance.choice((5, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 75))),
        "reference": s.code(),
        "cause": s.pick(words.CAUSES),
    }


def _babysitting(s: Scene) -> Facts:
    return {
        "child": names.first_name(s.chance.choice("fm"), s.chance),
        "game": s.pick(words.CHILD_GAMES),
        "asleep_at": f"{s.between(19, 21)}:{s.between(0, 59):02d}",
    }


def _tutoring(s: Scene) -> Facts:
    exercises = s.between(6, 30)
    correct = round(exercises * s.percent() / 100)
    return {"topic": s.pick(words.SCHOOL), "exercises": exercises, "correct": correct}


def _carrying(s: Scene) -> Facts:
    return {"item": s.pick(words.HEAVY), "boxes": s.between(6, 60), "floor": s.between(1, 6)}


def _advice(s: Scene) -> Facts:
    return {"topic": words.topic(s.chance), "advice": s.pick(words.ADVICE)}


FACTS: Mapping[str, FactMaker] = {
    "meeting": _meeting,
    "deadline": _deadline,
    "planning": _planning,
    "one_to_one": _one_to_one,
    "presentation": _presentation,
    "budget_check": _budget_check,
    "late_evening": _late_evening,
    "phone_call": _phone_call,
    "messages": _messages,
    "mail": _mail,
    "video_call": _phone_call,
    "postcard": _postcard,
    "group_chat": _group_chat,
    "doctor_visit": _doctor_visit,
    "symptom": _symptom,
    "bad_night": _bad_night,
    "worry": _worry,
    "meditation": _meditation,
    "pharmacy": _pharmacy,
    "measurement": _measurement,
    "neighbour_help": _neighbour_help,
    "volunteering": _volunteering,
    "lending": _lending,
    "donation": _donation,
    "babysitting": _babysitting,
    "tutoring": _tutoring,
    "carrying": _carrying,
    "advice": _advice,
}
