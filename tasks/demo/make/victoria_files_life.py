"""Victoria's running, piano and school folders."""

from __future__ import annotations

from deskgym.tasks.demo.make.kit import Desk, Event, Place, Shape

RUN = "Personal/Running"
PIANO = "Personal/Piano"
SCHOOL = "Personal/School Ife"
HOME_MAIL = "Victoria Okafor-Reyes <v.okafor.reyes@postbox.example>"
BEACON = Place(41.5048, -73.9696, "Beacon, New York")

PLAN: dict[str, list[list[object]]] = {
    "Plan": [
        ["Week", "Starts", "Tuesday", "Thursday", "Long run (miles)", "Comment"],
        [1, "2024-07-15", "tempo 5", "easy 4", 10, ""],
        [2, "2024-07-22", "tempo 5", "easy 4", 11, ""],
        [3, "2024-07-29", "tempo 5", "easy 5", 12, ""],
        [4, "2024-08-05", "tempo 6", "easy 5", 12, "earnings: HLVN Tue, HVRN Thu"],
        [6, "2024-08-19", "tempo 6", "easy 5", 14, "Maine"],
        [8, "2024-09-02", "tempo 6", "easy 6", 16, ""],
        [10, "2024-09-16", "tempo 4", "easy 4", 13.1, "half, race"],
        [12, "2024-09-30", "tempo 7", "easy 6", 18, ""],
        [13, "2024-10-07", "tempo 7", "easy 6", 20, "longest"],
        [16, "2024-10-28", "easy 4", "easy 3", 26.2, "race 3 Nov"],
    ],
    "Pace": [
        ["Distance", "Goal pace", "Time"],
        ["Half", "8:50", "1:55:48"],
        ["Marathon", "8:58", "3:55:04"],
    ],
}

LOG = """
date,day,planned,miles,start,note
2024-05-04,Sat,long,9,06:20,
2024-05-07,Tue,tempo,0,,skipped - HLVN prints
2024-05-09,Thu,easy,4,05:50,
2024-05-11,Sat,long,9,06:15,
2024-06-15,Sat,long,10,06:10,heat
2024-07-16,Tue,tempo,5,05:45,
2024-07-18,Thu,easy,4,05:50,
2024-07-20,Sat,long,10,06:15,
2024-07-27,Sat,long,11,06:10,
2024-08-03,Sat,long,12,06:10,
2024-08-06,Tue,tempo,0,,skipped - HLVN prints
2024-08-08,Thu,easy,0,,skipped - HVRN prints
2024-08-10,Sat,long,12,06:15,slept five hours but went
2024-08-13,Tue,tempo,6,05:45,
2024-08-24,Sat,long,14,06:25,Maine - fog
2024-08-27,Tue,tempo,6,05:50,
2024-09-07,Sat,long,16,06:10,
2024-09-22,Sun,race,13.1,09:00,half 1:53:31 - medal for Ife
2024-10-05,Sat,long,18,06:15,
2024-10-08,Tue,tempo,7,05:45,
2024-10-13,Sun,long,20,06:20,moved from Sat: swim meet
2024-10-15,Tue,tempo,7,05:45,
2024-10-19,Sat,long,14,06:15,
2024-10-26,Sat,long,9,06:20,taper
2024-10-29,Tue,easy,4,05:50,
2024-11-03,Sun,race,26.2,09:40,4:02 - see notes
2024-11-12,Tue,easy,3,06:00,
2024-11-16,Sat,long,6,06:25,
"""

RACE_NOTES = """
MARATHON, THE DAY AFTER
4 November 2024, on the sofa

First half 1:56:40. Second half 2:05:37. Nobody needs a model for that.

I felt wonderful until mile 17 and ran with the group of the 3:50 pacer because they were
cheerful. I knew the plan. The plan said 8:58 and I ran the first six miles in 8:31.

What I would tell the Victoria of last week: the first ten miles must feel too slow. Next time I
start behind the 3:55 pacer and may not pass him before mile 16.

The knee was fine. The blue shoes were right. The gels were fine. It was only the start.

Mateo says that I do the same with price targets. I have asked him to say it again in a month.
"""

PRACTICE = """
# Practice log

Lessons with Elena Marsh, Thursdays 19:30, her studio on Pomander Lane.
(Elena = piano. Ellen = compliance. The phone mixes them up, I have been mixed up too.)

| date | day | min | what |
|---|---|---|---|
| 2024-07-18 | Thu | lesson | scales in thirds, new piece: Nocturne |
| 2024-07-25 | Thu | lesson | Nocturne, left hand only |
| 2024-08-11 | Sun | lesson | moved from Thursday, earnings. Nocturne page 1 |
| 2024-08-15 | Thu | lesson | both hands, slowly |
| 2024-10-10 | Thu | lesson | page 2. Pedal too deep |
| 2024-10-31 | Thu | lesson | page 2, bars 25 to 40 |
| 2024-11-10 | Sun | lesson | moved from Thursday, earnings. Fingers like wood |
| 2024-11-14 | Thu | lesson | page 3 |
| 2025-01-16 | Thu | lesson | from memory, page 1 |
| 2025-02-23 | Sun | lesson | moved from Thursday, earnings. Bar 32 again |
| 2025-02-27 | Thu | lesson | page 3 from memory |
| 2025-04-24 | Thu | lesson | whole piece, two stops |

Practice at home: after Ife is asleep, with the headphones on, 20 minutes, the hard bars first.
"""

MOVED = """
Dear Victoria,

the hall has let us down. There is a wedding on the Saturday and the caterers need the afternoon.
The recital is now on Sunday, 8 June 2025, and begins at 4:00 pm. The hall itself stays the same,
and so does the order of players. The printed posters are wrong and I shall go round with a pen.

You play sixth, after the two brothers with the tango. Please be there at 3:15 to try the piano;
its pedal is lower than mine.

Your Nocturne is nearly where it should be. Bar 32 is a matter of patience, not of talent.

Warmly
Elena Marsh
"""

CONFERENCE = """
Dear Ms. Okafor-Reyes, dear Mr. Reyes,

as I shall be at a training on the 14th, I have to move our conference about Ifeoma. The new
time is Thursday, 21 November 2024, at 6:10 pm, in room 204. If this clashes with work, please
write to me rather than to the office, which is short of people this month.

So that you do not worry: there is nothing to worry about. She reads two years ahead, argues
like a lawyer, and has asked for the science fair to allow teams of one. I should like to talk
about the last of these.

Please bring her reading list.

Bell Harcourt
Grade 4, Wyckoff Lane School
"""

CHARGES = """
<html><head><title>After-care statement</title></head><body>
<h1>Wyckoff Lane School, After-care</h1>
<p>Statement of extra charges for Ifeoma Reyes, 1 September 2024 to 28 February 2025</p>
<table>
<tr><th>Date</th><th>What</th><th>Collected by</th><th>Charge</th></tr>
<tr><td>2 October 2024</td><td>Clay workshop</td><td>father</td><td>$18.00</td></tr>
<tr><td>5 November 2024</td><td>Late pick-up, 6:25 pm</td><td>mother</td><td>$15.00</td></tr>
<tr><td>7 November 2024</td><td>Late pick-up, 6:40 pm</td><td>mother</td><td>$15.00</td></tr>
<tr><td>11 December 2024</td><td>Winter concert shirt</td><td>father</td><td>$12.00</td></tr>
<tr><td>18 February 2025</td><td>Late pick-up, 6:30 pm</td><td>mother</td><td>$15.00</td></tr>
</table>
<p>The monthly fee of $412 is billed separately. After-care closes at 6:00 pm.</p>
</body></html>
"""


def add_files(desk: Desk) -> None:
    """Write what Victoria keeps outside of work, bar the flat."""
    _running(desk)
    _piano(desk)
    _school(desk)


def _running(desk: Desk) -> None:
    desk.xlsx(f"{RUN}/marathon_plan_2024.xlsx", PLAN, created="2024-07-01 21:00")
    desk.text(
        f"{RUN}/running_log_2024.csv", LOG, created="2024-05-04 10:12", modified="2024-11-16 10:40"
    )
    desk.picture(
        f"{RUN}/medal.jpg",
        [
            Shape(kind="rect", box=(0.0, 0.0, 1.0, 1.0), fill="#7f9a6b"),
            Shape(kind="rect", box=(0.44, 0.0, 0.56, 0.3), fill="#1f3f8f"),
            Shape(kind="ellipse", box=(0.24, 0.16, 0.76, 0.94), fill="#c9a227"),
            Shape(kind="ellipse", box=(0.27, 0.2, 0.73, 0.9), fill="#e3c35a"),
            Shape(kind="text", box=(0.3, 0.34, 0.7, 0.46), fill="#3a2c00", text="COLD RIDGE"),
            Shape(kind="text", box=(0.29, 0.48, 0.71, 0.6), fill="#3a2c00", text="HALF MARATHON"),
            Shape(kind="text", box=(0.3, 0.63, 0.7, 0.74), fill="#3a2c00", text="FINISHER 2024"),
        ],
        place=BEACON,
        created="2024-09-22 11:24",
    )
    desk.image(
        f"{RUN}/result_page.png",
        [
            "HARBOR LOOP MARATHON 2024",
            "Okafor-Reyes, Victoria   BIB 20418",
            "Half     1:56:40",
            "Finish   4:02:17",
            "Overall  9,871 of 24,310",
            "W35-39   612 of 1,486",
        ],
        style="screenshot",
        created="2024-11-03 20:31",
    )
    desk.speech(
        f"{RUN}/after_20_miles.wav",
        [
            "Twenty miles done, the last one slow.",
            "Left knee talked from mile 14, then stopped.",
            "The blue shoes are the ones for the race.",
        ],
        voice="en-us",
        created="2024-10-13 09:51",
    )
    desk.text(f"{RUN}/race_notes.txt", RACE_NOTES, created="2024-11-04 14:20")


def _piano(desk: Desk) -> None:
    desk.text(
        f"{PIANO}/looking_for_a_teacher.txt",
        """
        Piano again after twenty years. What I wrote down at the first calls.

        - The conservatory evening class: eight people in a room, no thanks.
        - A student of the music school would come to the flat, but only at ten in the morning.
        - The lady above the bakery teaches adults and does not laugh. A trial hour in June.

        Rent an upright first. Ife wants the bench to be red.
        """,
        created="2023-06-03 20:15",
        modified="2023-06-05 21:40",
    )
    desk.text(
        f"{PIANO}/practice_log.md",
        PRACTICE,
        created="2024-07-18 21:10",
        modified="2025-04-24 21:02",
    )
    desk.speech(
        f"{PIANO}/lesson_bar_32.flac",
        [
            "Bar 32 is where you hurry, every time.",
            "Set the metronome to 66 and play the left hand alone.",
            "When it is boring, it is right. Then go up by four.",
        ],
        voice="en-gb",
        created="2025-02-23 17:40",
    )
    desk.image(
        f"{PIANO}/recital_poster.png",
        [
            "SPRING RECITAL",
            "Pupils of Elena Marsh",
            "Saturday 7 June 2025, 3 pm",
            "Quince Hall, Pomander Lane",
            "Admission free",
        ],
        style="poster",
        created="2025-04-10 18:12",
    )
    desk.eml(
        f"{PIANO}/recital_moved.eml",
        sender="Elena Marsh <elena@pomanderpiano.example>",
        to=HOME_MAIL,
        subject="Recital: please read",
        body=MOVED,
        created="2025-05-12 20:45",
    )
    desk.picture(
        f"{PIANO}/keyboard_fingering.gif",
        [
            Shape(kind="rect", box=(0.05, 0.2, 0.95, 0.8), fill="#f4f0e6"),
            Shape(kind="rect", box=(0.25, 0.2, 0.33, 0.55), fill="#202020"),
            Shape(kind="rect", box=(0.45, 0.2, 0.53, 0.55), fill="#202020"),
            Shape(kind="ellipse", box=(0.36, 0.62, 0.42, 0.74), fill="#b03030"),
            Shape(
                kind="text", box=(0.1, 0.84, 0.9, 0.96), fill="#202020", text="4 on the black key"
            ),
        ],
        caption="Left hand, bar 32",
        created="2025-02-23 18:20",
    )


def _school(desk: Desk) -> None:
    desk.eml(
        f"{SCHOOL}/conference_new_time.eml",
        sender="Bell Harcourt <b.harcourt@wyckofflane.example>",
        to=HOME_MAIL,
        cc="Mateo Reyes <mateo.reyes@postbox.example>",
        subject="Conference about Ifeoma: new time",
        body=CONFERENCE,
        created="2024-11-08 15:33",
    )
    desk.text(f"{SCHOOL}/aftercare_charges.html", CHARGES, created="2025-03-03 09:00")
    desk.image(
        f"{SCHOOL}/science_fair.webp",
        [
            "SCIENCE FAIR  28 MARCH 2025",
            "Ife Reyes, Grade 4",
            "WHICH FILTER CLEANS",
            "CANAL WATER BEST?",
            "Table 23",
            "Winner: coffee filter + sand",
        ],
        style="poster",
        created="2025-03-27 20:50",
    )
    desk.ics(
        f"{SCHOOL}/school_year_2024-25.ics",
        [
            Event("First day of school", "2024-09-05 08:30", "2024-09-05 15:00"),
            Event(
                "Parent-teacher conference, Grade 4",
                "2024-11-14 17:40",
                "2024-11-14 18:00",
                location="Room 204",
            ),
            Event("Winter concert", "2024-12-12 18:00", "2024-12-12 19:30", location="Gym"),
            Event("Science fair", "2025-03-28 13:00", "2025-03-28 16:00", location="Gym"),
            Event("Last day of school", "2025-06-26 08:30", "2025-06-26 12:00"),
        ],
        created="2024-08-20 12:00",
    )
