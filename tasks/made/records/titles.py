"""How calendars, logs and pictures name what happens: short, with the facts of the kind.

A title uses only facts that its kind has (`deskgym.tasks.made.kinds`), ``{with}`` for the people
and ``{at}`` for the place. Titles leave amounts and results out, so that a question about those
needs the record that has them.
"""

from __future__ import annotations

import random
from collections.abc import Mapping

from deskgym.tasks.made.models import Event
from deskgym.tasks.made.records.draft import Source

CALENDAR: Mapping[str, tuple[str, ...]] = {
    "dinner_out": ("Dinner at {at}", "Table at {at}", "Dinner with {with}"),
    "party": ("{occasion} party", "Party: {occasion}", "{occasion} with {with}"),
    "board_games": ("Games evening: {title}", "{title} at ours", "Board games with {with}"),
    "film": ("Cinema: {title}", "{title}, {at}", "Film night: {title}"),
    "family_visit": ("Lunch with {with}", "Visit {with}", "Family at {at}"),
    "drinks": ("Drinks at {at}", "{at} with {with}", "After-work drinks"),
    "concert": ("Concert: {band}", "{band} live at {at}", "{band}, {at}"),
    "date_evening": ("Dinner with {with}", "Evening out with {with}", "{at}, the two of us"),
    "class": ("{title} with {teacher}", "{title}, {at}", "Class: {title}"),
    "meeting": ("{project}: {topic}", "Meeting {project}", "{topic} ({project})"),
    "deadline": ("Deadline: {deliverable}", "Hand in {deliverable}", "{project}: {deliverable}"),
    "one_to_one": ("One-to-one with {with}", "Talk with {with}", "Catch-up with {with}"),
    "presentation": ("Present: {title}", "{title} ({project})", "Talk: {title}"),
    "budget_check": ("Budget {project}", "{project}: figures", "Budget review {project}"),
    "lecture": ("Lecture: {title}", "{speaker}: {title}", "{title}, {at}"),
    "tradesperson": ("{payee}: {item}", "Fitter for {item}", "{item}, {payee} comes"),
    "video_call": ("Video call with {with}", "Call {with}", "Screen time with {with}"),
    "day_trip": ("Trip to {destination}", "{destination}", "Day out: {destination}"),
    "car_trip": ("Drive to {destination}", "{destination} by car", "Car: {destination}"),
    "hike": ("Hike: {route}", "{route}", "Walking the {route}"),
    "museum": ("{title}, {at}", "Exhibition: {title}", "Museum: {title}"),
    "doctor_visit": ("Doctor: {complaint}", "Appointment {with}", "{with}, {at}"),
    "volunteering": ("{organisation}: {duty}", "Shift at {organisation}", "{organisation}"),
    "babysitting": ("Look after {child}", "{child}, evening", "Babysitting {child}"),
    "tutoring": ("Help with {topic}", "{topic} with {with}", "Tutoring: {topic}"),
    "carrying": ("Help {with} move things", "Carry {item}", "{with}: {item}"),
    "first_visit": ("Try {at}", "{at}, first time", "New place: {at}"),
    "life_injury": ("Clinic: {body_part}", "X-ray {body_part}", "{at}, {body_part}"),
    "life_move": ("Move to {new_address}", "Removal van", "Moving day"),
    "life_job_change": ("Contract with {new_employer}", "{new_employer}, signing", "New contract"),
    "life_new_allergy": ("Allergy test", "{at}: test", "Test with {with}"),
    "life_car_sold": ("Hand over the {car}", "Buyer for the car", "{car}: hand-over"),
    "life_new_medicine": ("Doctor: {reason}", "Prescription {medicine}", "{with}: {medicine}"),
}
"""Titles of the kinds that are planned and stand in a calendar."""

LOGGED: Mapping[str, tuple[str, str]] = {
    "stretching": ("Stretching", "{title}, {rounds} rounds"),
    "planning": ("Planning", "{tasks} tasks, first {priority}"),
    "late_evening": ("Overtime", "{project}: {reason}"),
    "language_lesson": ("{language} lesson", "unit {unit}, {topic}: {words} words, {score}%"),
    "course_module": ("{title}", "module {module} on {platform}, {score}%"),
    "book": ("Reading", "{title} by {author}, pages {from_page} to {to_page}"),
    "library": ("Library", "{title} by {author}, shelf {shelf}"),
    "painting": ("Painting", "{title}, {medium}, {width_cm} x {height_cm} cm"),
    "music_practice": ("Music practice", "{instrument}: {title} at {tempo} beats a minute"),
    "writing": ("Writing", "{title}, chapter {chapter}: {words} words"),
    "photo_walk": ("Photo walk", "{subject}: {shots} shots, kept {kept}, {lens}"),
    "craft": ("Crafts", "{item}, {material}, {colour}, piece {piece}"),
    "new_recipe": ("New recipe", "{dish} with {ingredient} for {servings}, {rating}/10"),
    "cleaning": ("Cleaning", "{room}: {chore}; found {found}"),
    "laundry": ("Laundry", "{loads} loads, {programme}, {temperature} degrees"),
    "garden": ("Garden", "{number} x {plant}, {spot}"),
    "cooking": ("Cooking", "{dish} for {servings}, with {ingredient}"),
    "paperwork": ("Paperwork", "{paper}, {pages} pages, folder {folder}"),
    "plants_or_pet": ("Care", "{name}: {care}, {number} minutes"),
    "symptom": ("Symptom", "{complaint}, severity {severity}, {remedy}"),
    "bad_night": ("Bad night", "{cause}: {slept_hours} hours, awake at {woke_at}"),
    "worry": ("Worry", "{topic}, level {level}; plan: {plan}"),
    "meditation": ("Meditation", "{title}, {breaths} breaths"),
    "neighbour_help": ("Helped out", "{task} for {with}; thanks: {thanks}"),
    "lending": ("Lent", "{item} to {with}, back {due}"),
    "advice": ("Advice", "{with}, {topic}: {advice}"),
    "new_quarter": ("Explored", "{find} in {street}, tried {tried}, {rating}/10"),
}
"""What an activity diary calls a kind, and what it says of it."""

PICTURED: Mapping[str, str] = {
    "dinner_out": "{dish}",
    "party": "{occasion}",
    "concert": "{band}",
    "photo_walk": "{subject}",
    "day_trip": "{sight}, {destination}",
    "car_trip": "{destination}",
    "hike": "{route}",
    "museum": "{favourite}",
    "new_quarter": "{find}, {street}",
    "first_visit": "{tried}",
    "painting": "{title}",
    "craft": "{item}, {colour}",
    "new_recipe": "{dish}",
    "garden": "{plant}",
    "market": "{stall}: {item}",
    "cycle": "{route}",
    "walk": "{route}",
    "family_visit": "{dish}",
    "life_move": "{new_address}",
}
"""The lettering in a picture of a kind: a sign, a label, a menu."""


def filled(source: Source, event: Event, template: str) -> str:
    """``template`` with the facts of ``event``, its people and its place."""
    names = [one.name for one in source.contacts(event)]
    place = source.place(event)
    company = " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
    values = {**event.facts, "with": company or "nobody", "at": place.name if place else "home"}
    return template.format_map(values)


def title(source: Source, event: Event, chance: random.Random) -> str:
    """What a calendar or list calls ``event``."""
    options = CALENDAR.get(event.kind)
    if options is None:
        activity, _ = LOGGED.get(event.kind, ("", ""))
        options = (activity or event.kind.replace("_", " ").capitalize(),)
    elif not event.people:
        options = tuple(one for one in options if "{with}" not in one) or options
    text = filled(source, event, chance.choice(options))
    return text[0].upper() + text[1:]
