"""What the person makes of things: sentences without a fact, and the kinds that each one fits."""

from __future__ import annotations

from collections.abc import Mapping

from deskgym.tasks.made.models import Category

THOUGHTS: Mapping[Category, Mapping[str, str]] = {
    "socialising": {
        "We talked until the chairs were put on the tables.": "dinner_out drinks date_evening",
        "It is good to sit across from people and not from a screen.": "",
        "I laughed more than I spoke, and I spoke a lot.": "",
        "Somebody always tells the same story, and it always gets longer.": "dinner_out party "
        "family_visit drinks",
        "On the way home the street was quiet and I walked slowly.": "",
        "We said we would do it again soon, and this time somebody took out a diary.": "",
        "There was a moment when nobody said anything and nobody minded.": "",
        "I had nearly called it off. I am glad I did not.": "",
        "The table was too small for all the plates, as it should be.": "dinner_out party "
        "family_visit",
        "I listened for most of it, which suited me.": "",
        "I had been looking forward to it all week.": "",
    },
    "exercise": {
        "The first ten minutes are the ones to get through.": "",
        "I was heavy at the start and light at the end.": "",
        "I kept the pace steady instead of racing the first stretch.": "run swim cycle walk",
        "There were two others out there, and we nodded like old friends.": "run cycle walk",
        "A hot shower afterwards is half of the reason for going.": "run gym swim cycle class",
        "I must remember to drink something before, not only after.": "",
        "My shoes will not see another season.": "run walk",
        "I counted breaths instead of minutes, and it helped.": "",
        "I stretched properly for once and it paid off later.": "run gym swim cycle",
        "The air smelled of wet leaves.": "run walk cycle",
        "I nearly stayed at home.": "run gym swim cycle class walk",
        "My head was clear afterwards.": "",
        "I wrote the figures down so that I can compare.": "",
        "I shall feel it on the stairs.": "",
        "The bag stands packed for the next time.": "gym swim class",
        "It is only the beginning that costs something.": "",
    },
    "work_planning": {
        "The list is long, but at least it is a list now.": "planning meeting",
        "We spent more time on the wording than on the matter.": "meeting deadline presentation",
        "I wrote the main points down while they were fresh.": "",
        "The next step is clear, which is more than I could say last week.": "",
        "I asked for the figures in writing.": "",
        "Two people wanted the same slot, so we drew lots, more or less.": "meeting planning",
        "I kept an hour free for quiet work and needed it.": "",
        "Somebody has to decide, and in the end somebody did.": "",
        "I moved three small things to next week and felt lighter at once.": "",
        "The coffee machine was broken, so we came to the point.": "meeting one_to_one "
        "budget_check",
        "There will be questions, but not today.": "",
        "I took a turn round the building before the next thing.": "",
        "It is easier once the first line stands.": "planning deadline late_evening presentation",
    },
    "spending": {
        "I put the slip with the others so that the month adds up.": "groceries market clothes "
        "lunch takeaway",
        "Not cheap, but I would have paid more for worse elsewhere.": "",
        "I compared two others before and they were no better.": "clothes online_order "
        "subscription",
        "I went in for one thing and came out with more, as always.": "groceries market clothes",
        "The queue was long and the person in front paid in coins.": "groceries market clothes "
        "lunch",
        "I will see at the end of the month what it did to the budget.": "",
        "I checked the total twice.": "",
        "They asked whether I wanted a bag. I had brought three.": "groceries market clothes",
        "The price has gone up since last time, I am fairly sure.": "",
        "It was on the list, so it does not count as a treat.": "groceries market online_order",
        "I could do without it, but I do not want to.": "takeaway lunch subscription",
        "It will be the only one this week, or so I say.": "takeaway lunch clothes online_order",
        "I have put a reminder into the calendar for the next one.": "bill subscription",
        "One ought to look at these things once a year.": "bill subscription",
        "I rounded it up in my head and moved on.": "",
        "Money comes and goes, mostly the latter.": "",
    },
    "learning": {
        "I wrote the difficult parts on a card to look at tomorrow.": "language_lesson "
        "course_module lecture",
        "It makes more sense the second time round.": "language_lesson course_module book podcast",
        "I had to go back a page twice because my mind had wandered.": "book course_module",
        "There is always one example that makes it click.": "course_module lecture "
        "language_lesson podcast",
        "I underlined too much, which is the same as underlining nothing.": "book course_module",
        "A little every day does more than a long evening once a week.": "",
        "I explained it aloud to the kitchen wall. It helped.": "language_lesson course_module "
        "lecture podcast",
        "I want to look up where the idea came from.": "",
        "I stopped in the middle so that it is easy to start again.": "book course_module podcast",
        "What I learnt last month is coming back without effort.": "language_lesson course_module",
        "I thought of it again while washing up.": "",
        "I know somebody who would like this.": "",
        "There is more to it than I had thought.": "",
        "I made room on the shelf for it.": "book library",
        "The pile by the bed is not getting smaller.": "book library",
        "My questions come later, always on the way home.": "lecture library",
    },
    "creative_work": {
        "The first attempt went into the bin, the second one may stay.": "painting writing craft "
        "new_recipe",
        "I like the middle of it best, when it is neither begun nor done.": "painting writing "
        "craft",
        "The light went before I did.": "painting photo_walk",
        "I left it on the table to see what I think of it in the morning.": "painting writing "
        "craft",
        "There is a corner that still looks wrong and I cannot say why.": "painting craft",
        "I stopped while it was going well, which is hard to do.": "",
        "It does not have to be good, it has to be finished.": "painting writing craft",
        "I found an old attempt in a drawer and was kinder to it than I thought.": "painting "
        "writing craft",
        "My hands knew what to do before I did.": "",
        "I was slow at first, and then it went by itself.": "",
        "I will do it again and change one thing.": "",
        "An hour went by without a thought of anything else.": "",
        "I kept to the plan for half of it and then made it up.": "",
        "It took more patience than skill.": "",
    },
    "household": {
        "The flat looks as if somebody lives in it on purpose.": "cleaning",
        "I found three things that I had been looking for.": "cleaning paperwork",
        "It is never finished, but it is done for now.": "",
        "I opened all the windows and let the cold in.": "cleaning cooking laundry",
        "With the radio on it is half the work.": "",
        "I made a note of what has run out.": "cleaning cooking laundry",
        "One bag went to the charity shop, one to the bin.": "cleaning",
        "I should oil the hinge while I remember it.": "cleaning repair tradesperson",
        "Afterwards I sat down with a cup of tea.": "",
        "The neighbours must think I am moving furniture.": "cleaning repair tradesperson",
        "I did it before I could think of an excuse.": "",
        "Next time I will not wait so long with it.": "",
        "I put everything back where it belongs.": "",
        "It is a small thing, but I had walked past it for days.": "",
    },
    "communication": {
        "I read it twice before I sent it.": "messages mail group_chat postcard",
        "We had not been in touch for too long, and it showed.": "",
        "The line was bad, so we kept it short.": "phone_call video_call",
        "I wrote down what we agreed, so that nobody has to remember.": "phone_call video_call "
        "messages mail group_chat",
        "It is easier to say some things in writing.": "messages mail postcard",
        "I answered at once, or else it would have sunk to the bottom.": "messages mail group_chat",
        "There was a pause, and then we both began at the same time.": "phone_call video_call",
        "We got sidetracked twice and came back to the point.": "phone_call video_call messages "
        "group_chat",
        "I had meant to ask something else as well. Next time.": "",
        "A quick word settles what ten mails do not.": "phone_call video_call",
        "It had been on my list since the weekend.": "",
        "One ought to do it more often.": "",
        "I thought of what I should have said an hour later.": "",
        "It took less time than I had put it off for.": "",
    },
    "travel": {
        "I took the slow way on purpose.": "day_trip car_trip hike new_quarter",
        "The map and the ground did not agree everywhere.": "day_trip car_trip hike new_quarter",
        "I ate my sandwich on a wall with a view.": "day_trip hike car_trip",
        "It is odd how close it is and how seldom I go.": "day_trip car_trip hike museum "
        "new_quarter first_visit",
        "The last stretch was longer than it looked.": "day_trip hike car_trip new_quarter",
        "I kept the ticket as a bookmark.": "day_trip museum",
        "I asked the way and got a story as well.": "day_trip hike new_quarter first_visit",
        "I would go back in another season.": "day_trip car_trip hike museum new_quarter "
        "first_visit",
        "My feet knew about it in the evening.": "day_trip hike museum new_quarter",
        "I compared three connections first.": "train_booking",
        "A seat by the window decided it.": "train_booking",
        "I printed it, to be safe.": "train_booking",
        "It was cheaper a week ago.": "train_booking",
        "The bag can stay small.": "train_booking",
        "I had it on a list of places, and now it is crossed out.": "museum first_visit "
        "new_quarter",
        "One should be a visitor at home from time to time.": "museum first_visit new_quarter",
        "I have told two people about it already.": "",
        "A change does one good.": "",
        "I had been thinking of it for a month.": "",
    },
    "worry_and_health": {
        "I wrote it down so that it does not go round in my head.": "",
        "I decided to watch it for some days before making a fuss.": "symptom bad_night worry "
        "measurement",
        "A glass of water and a walk did more than thinking about it.": "",
        "I turned the phone off earlier than usual.": "",
        "Talking about it made it smaller.": "doctor_visit worry symptom",
        "I put it on the list of things to ask about.": "symptom bad_night worry measurement "
        "pharmacy",
        "It is probably nothing, and I will still keep an eye on it.": "symptom doctor_visit "
        "measurement",
        "Rest is not the same as doing nothing, I keep telling myself.": "",
        "I read too much about it, as always, and was none the wiser.": "symptom doctor_visit "
        "worry pharmacy",
        "I will look at it again in the morning.": "",
        "It is better to do it regularly than well.": "meditation measurement",
        "The quiet afterwards is the best of it.": "meditation",
        "There was a leaflet longer than my arm.": "pharmacy doctor_visit",
        "One thing at a time.": "",
        "I made it an early evening.": "",
    },
    "helping": {
        "It cost me little and them a great deal less trouble.": "",
        "I learnt something about how other people arrange their cupboards.": "neighbour_help "
        "carrying",
        "I stayed longer than I had planned.": "neighbour_help volunteering babysitting tutoring",
        "They said I should call when I need a hand, and I believe they mean it.": "neighbour_help "
        "carrying lending advice",
        "One does it once and becomes the person who does it.": "",
        "It is easier to see what is missing in somebody else's mess.": "advice tutoring carrying",
        "We worked without talking much, and it was pleasant.": "volunteering carrying",
        "I remembered who helped me last time.": "",
        "The day was different from what I had planned, and no worse.": "",
        "We laughed more than I had expected.": "babysitting tutoring volunteering carrying",
        "I did it the same day, before I could forget.": "neighbour_help lending donation",
        "I would rather do it than talk about it.": "",
        "There is not much to it once one has begun.": "",
        "It is odd how rarely people ask.": "neighbour_help lending advice tutoring",
        "I asked twice whether it was of use, and it was.": "neighbour_help advice tutoring "
        "volunteering",
        "Nobody needs to know what it was.": "donation",
        "I wish that more could be done.": "donation volunteering",
    },
}
"""Sentences by category, each with the kinds that it fits; none named: all of the category."""

TURNING: tuple[str, ...] = (
    "It will take a while to get used to it.",
    "I told the people who ought to know.",
    "I wrote down what has to be changed because of it.",
    "I keep thinking of what it means for the next weeks.",
    "I have put the papers together in one place.",
    "Everything takes longer on such a day.",
    "One thing after another, I tell myself.",
    "In the evening I sat still for an hour.",
    "It is good to have it in writing.",
)
"""What fits a life event, of whatever category."""


def fitting(category: Category, kind: str) -> tuple[str, ...]:
    """What the person may make of an event of ``kind``."""
    if kind.startswith("life_"):
        return TURNING
    return tuple(
        said for said, kinds in THOUGHTS[category].items() if not kinds or kind in kinds.split()
    )
