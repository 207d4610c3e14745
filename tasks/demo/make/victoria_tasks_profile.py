"""Questions about Victoria herself: tastes, habits, times, lessons drawn, ways of working."""

from __future__ import annotations

from deskgym.tasks.demo.make.kit import Desk, Quote

RUN_LOG = "Personal/Running/running_log_2024.csv"
RACE = "Personal/Running/race_notes.txt"
PRACTICE = "Personal/Piano/practice_log.md"
CHARGES = "Personal/School Ife/aftercare_charges.html"
WORK_CALENDAR = "Calendar/work_2024-07_to_2025-06.ics"
CHECKLIST = "Notes/how_I_publish.md"
WEEK = "Notes/my_week.txt"
REVIEW = "Notes/self_review_2024.docx"
JOURNAL = "Notes/journal_2025.txt"
HUNT = "Personal/Condo 214 Wexcombe/01_flat_hunt.md"
DRAFT = "Research/2024Q3/HLVN/HLVN_note_v2_committee.docx"


def add_tasks(desk: Desk) -> None:
    """Ask for patterns that no single line states."""
    _preferences(desk)
    _behaviour(desk)
    _scheduling(desk)
    _reflections(desk)
    _workflows(desk)


def _preferences(desk: Desk) -> None:
    desk.task(
        "What mattered most to me in a flat, and what was I ready to do without?",
        "Quiet came first: rear-facing whatever the view, then permission to play instruments and "
        "a lift above the second floor, near Ife's school. A new kitchen was not worth paying for.",
        kind="preferences",
        evidence=[
            Quote(HUNT, "Quiet: rear-facing, whatever the view"),
            Quote(HUNT, "Instruments allowed"),
            Quote(HUNT, "A lift, if above the second floor"),
            Quote(HUNT, "Ten minutes on foot to Ife's school"),
            Quote(HUNT, "A new kitchen is nice and I would not pay for it."),
        ],
        steps=[
            ("Read the list of must haves in its order.", [0, 1, 2, 3]),
            ("Read what I would not pay for.", [4]),
        ],
        search=["content"],
        perception=["text"],
        reasoning=["aggregation", "inference"],
    )
    desk.task(
        "How do I like the charts and the opening sentence of a research note?",
        "Bars and never pies, one message a chart; and the first sentence must say what changed.",
        kind="preferences",
        evidence=[
            Quote(DRAFT, "pie replaced by bars. One message a chart, and no pies, ever."),
            Quote("Mail/2025-04-02_house_style.eml", "The first sentence says what changed."),
            Quote("Mail/2025-04-02_house_style.eml", "Bars, never pies. One message a chart"),
        ],
        steps=[
            ("In the draft of August 2024 I replace a pie by bars.", [0]),
            ("In April 2025 I tell my new associate the same.", [1, 2]),
        ],
        search=["content", "cross_file"],
        perception=["text"],
        reasoning=["aggregation", "inference"],
    )

    desk.task(
        "How exact do I like a price target to be, and do I keep to it in print?",
        "Whole dollars, no cents; the published notes round what the multiple gives, such as "
        "$57.92 to $58, $29.06 to $29 and $61.04 to $61.",
        kind="preferences",
        evidence=[
            Quote(
                "Mail/2025-04-02_house_style.eml",
                "Targets in whole dollars. Cents pretend to know something.",
            ),
            Quote(
                "Research/2023Q3/HLVN/HLVN_initiation_2023-08-22_FINAL.pdf",
                "which gives $57.92, rounded to $58",
            ),
            Quote(
                "Research/2024Q1/BRLM/BRLM_note_2024-02-29_FINAL.docx",
                "which gives $29.06, rounded to $29",
            ),
            Quote(
                "Research/2025Q1/HLVN/HLVN_downgrade_2025-02-21_FINAL.pdf",
                "which gives $61.04, rounded to $61",
            ),
        ],
        steps=[
            ("The mail to my new associate asks for whole dollars.", [0]),
            ("Three published notes show the rounding.", [1, 2, 3]),
        ],
        search=["content", "cross_file"],
        perception=["text"],
        reasoning=["aggregation", "verification"],
    )


def _behaviour(desk: Desk) -> None:
    desk.task(
        "What do the days on which I fetched Ife late from after-care have in common?",
        "Each time (5 and 7 November 2024, 18 February 2025) a company that I follow held an "
        "earnings call at 4:30 pm on that day: Halvern twice, Halvorn once.",
        kind="behavioural_patterns",
        evidence=[
            Quote(CHARGES, "5 November 2024 | Late pick-up, 6:25 pm | mother"),
            Quote(CHARGES, "7 November 2024 | Late pick-up, 6:40 pm | mother"),
            Quote(CHARGES, "18 February 2025 | Late pick-up, 6:30 pm | mother"),
            Quote(WORK_CALENDAR, "HLVN Q3 call\nStarts: Tuesday 2024-11-05 16:30"),
            Quote(WORK_CALENDAR, "HVRN Q3 call\nStarts: Thursday 2024-11-07 16:30"),
            Quote(WORK_CALENDAR, "HLVN Q4 call\nStarts: Tuesday 2025-02-18 16:30"),
        ],
        steps=[
            ("Take the three late pick-ups from the statement.", [0, 1, 2]),
            ("On each of these days the calendar has an earnings call at 16:30.", [3, 4, 5]),
        ],
        search=["cross_file", "content"],
        perception=["text", "table"],
        reasoning=["comparison", "temporal", "inference"],
    )
    desk.task(
        "Which of my runs do I skip when the job gets in the way, and which do I keep?",
        "I skip the run of a weekday on which a company reports (Tuesday tempo, Thursday easy), "
        "but never the long run: it is done tired or moved to Sunday.",
        kind="behavioural_patterns",
        evidence=[
            Quote(RUN_LOG, "2024-05-07,Tue,tempo,0,,skipped - HLVN prints"),
            Quote(RUN_LOG, "2024-08-06,Tue,tempo,0,,skipped - HLVN prints"),
            Quote(RUN_LOG, "2024-08-08,Thu,easy,0,,skipped - HVRN prints"),
            Quote(RUN_LOG, "2024-08-10,Sat,long,12,06:15,slept five hours but went"),
            Quote(RUN_LOG, "2024-10-13,Sun,long,20,06:20,moved from Sat: swim meet"),
        ],
        steps=[
            ("All skipped runs are on weekdays with earnings.", [0, 1, 2]),
            ("The long run of the same week took place, another was moved by a day.", [3, 4]),
        ],
        search=["content"],
        perception=["table"],
        reasoning=["aggregation", "comparison", "inference"],
    )

    desk.task(
        "How soon after an earnings call did I record my memos in August 2024?",
        "At once: within about ten minutes of the scheduled end at 17:30 (Halvern on 6 August at "
        "17:41, Halvorn on 8 August at 17:32).",
        kind="behavioural_patterns",
        evidence=[
            Quote(
                WORK_CALENDAR,
                "HLVN Q2 call\nStarts: Tuesday 2024-08-06 16:30\nEnds: Tuesday 2024-08-06 17:30",
            ),
            Quote("Research/2024Q3/HLVN/memo_after_call.m4a", "2024-08-06 17:41"),
            Quote(
                WORK_CALENDAR,
                "HVRN Q2 call\nStarts: Thursday 2024-08-08 16:30\nEnds: Thursday 2024-08-08 17:30",
            ),
            Quote("Research/2024Q3/HVRN/memo_after_call.mp3", "2024-08-08 17:32"),
        ],
        steps=[
            ("Both calls were to end at 17:30.", [0, 2]),
            ("The recordings were made at 17:41 and 17:32.", [1, 3]),
        ],
        search=["metadata", "cross_file"],
        perception=["text"],
        reasoning=["temporal", "comparison", "inference"],
    )


def _scheduling(desk: Desk) -> None:
    desk.task(
        "A colleague wants to meet me on a Saturday morning. What is the earliest that fits my "
        "usual Saturday, and why?",
        "Not before ten: I start the long run at about 06:15 and am back by 9:30; at 11:00 "
        "Ife has swimming.",
        kind="scheduling",
        evidence=[
            Quote(
                WEEK,
                "06:15 long run, back by nine thirty.  11:00 Ife swimming.  Nothing before ten, "
                "for anybody.",
            ),
            Quote(RUN_LOG, "2024-10-19,Sat,long,14,06:15,"),
        ],
        steps=[
            ("My week blocks Saturday until ten for the long run.", [0]),
            ("The running log shows that I keep to that time.", [1]),
        ],
        search=["content", "cross_file"],
        perception=["text", "table"],
        reasoning=["temporal", "inference"],
    )
    desk.task(
        "When do I have my piano lesson, and what becomes of it in an earnings week?",
        "Thursdays at 19:30; in an earnings week it is moved to the Sunday after.",
        kind="scheduling",
        evidence=[
            Quote(PRACTICE, "Lessons with Elena Marsh, Thursdays 19:30"),
            Quote(PRACTICE, "| 2024-08-11 | Sun | lesson | moved from Thursday, earnings."),
            Quote(PRACTICE, "| 2024-11-10 | Sun | lesson | moved from Thursday, earnings."),
            Quote(PRACTICE, "| 2025-02-23 | Sun | lesson | moved from Thursday, earnings."),
        ],
        steps=[
            ("The usual time is Thursday, 19:30.", [0]),
            ("Three times it went to the Sunday of a week with earnings.", [1, 2, 3]),
        ],
        search=["content"],
        perception=["text", "table"],
        reasoning=["temporal", "aggregation", "inference"],
    )

    desk.task(
        "On which weekdays do I collect Ife from after-care, and on which does Mateo?",
        "I collect her on Tuesdays and Thursdays, Mateo on Wednesdays.",
        kind="scheduling",
        evidence=[
            Quote(WEEK, "I collect (after-care shuts at six)."),
            Quote(WEEK, "Mateo collects."),
            Quote(WEEK, "05:50 easy run.  I collect."),
        ],
        steps=[
            ("Tuesday and Thursday are mine in the week plan.", [0, 2]),
            ("Wednesday is Mateo's.", [1]),
        ],
        search=["content"],
        perception=["text"],
        reasoning=["lookup", "aggregation"],
    )


def _reflections(desk: Desk) -> None:
    desk.task(
        "Looking back, what did I do wrong in the 2024 marathon, and what will I do next time?",
        "I started too fast, 8:31 instead of 8:58 a mile in the first six; next time I start "
        "behind the 3:55 pacer and do not pass him before mile 16.",
        kind="retrospective_reflections",
        evidence=[
            Quote(RACE, "The plan said 8:58 and I ran the first six miles in 8:31."),
            Quote(
                RACE,
                "Next time I start behind the 3:55 pacer and may not pass him before mile 16.",
            ),
        ],
        steps=[
            ("The notes compare the pace run with the pace planned.", [0]),
            ("They draw a rule from it.", [1]),
        ],
        search=["content"],
        perception=["text"],
        reasoning=["comparison", "inference"],
    )
    desk.task(
        "What do I think I got wrong on Halvern before the downgrade, and what made me do it?",
        "I saw inventory days rise to 97 in October 2024, was not worried, and cut in February "
        "2025 instead of November, because I liked and trusted the management.",
        kind="retrospective_reflections",
        evidence=[
            Quote(
                "Research/2024Q4/HLVN/dinner_2024-10-15.md",
                'Inventory days 97, from 84 a year ago. DC: "built ahead of the spring season." I '
                "am not worried.",
            ),
            Quote(REVIEW, "I like the management and I let that stand in for evidence."),
            Quote(JOURNAL, "I should have cut in November, not in February."),
        ],
        steps=[
            ("At the dinner I noted 97 days and was not worried.", [0]),
            ("The self-review names the reason.", [1]),
            ("The journal of 21 February 2025 names the consequence.", [2]),
        ],
        search=["content", "cross_file"],
        perception=["text"],
        reasoning=["temporal", "aggregation", "inference"],
    )
    desk.task(
        "What would I do differently about the mortgage if I bought a flat again?",
        "I would lock the rate for 75 days rather than 60, for peace of mind, "
        "as the building's paperwork took two months and made an extension necessary.",
        kind="retrospective_reflections",
        evidence=[
            Quote(JOURNAL, "I chose 60 days in February to save a little on the rate"),
            Quote(JOURNAL, "I should have taken the 75 days and slept."),
        ],
        steps=[
            ("The journal of 17 April 2025 recalls the choice of 60 days.", [0]),
            ("It says what would have been better.", [1]),
        ],
        search=["content"],
        perception=["text"],
        reasoning=["inference"],
    )

    desk.task(
        "What did I change in the way we work after the erratum of August 2024, and why?",
        "Tables in notes are linked to the model and no longer typed by hand, because retyping "
        "had swapped two digits of an estimate.",
        kind="retrospective_reflections",
        evidence=[
            Quote(
                "Research/2024Q3/HLVN/HLVN_erratum_2024-08-12_FINAL.pdf",
                "the table was typed again by hand instead of linked to the model",
            ),
            Quote(CHECKLIST, "Tables are linked to the model, never typed (after August 2024)."),
            Quote(REVIEW, "After it we stopped typing tables by hand."),
        ],
        steps=[
            ("The erratum says how the error arose.", [0]),
            ("The checklist and the self-review say what changed.", [1, 2]),
        ],
        search=["content", "cross_file"],
        perception=["text"],
        reasoning=["temporal", "inference"],
    )


def _workflows(desk: Desk) -> None:
    desk.task(
        "What are my steps from an earnings call to a published note, in order?",
        "Voice memo straight after the call, numbers into the model the same evening, draft v1 "
        "that night, the associate checks the numbers next day, v2 to Hal Brandvold, disclosures "
        "to Ellen Marsh a full day before, FINAL out before 7 am.",
        kind="workflows",
        evidence=[
            Quote(CHECKLIST, "Listen to the call live. Voice memo at once"),
            Quote(CHECKLIST, "Put the numbers into the model the same evening."),
            Quote(CHECKLIST, "Draft v1 that night, however bad."),
            Quote(CHECKLIST, "Associate checks every number against the release the next day."),
            Quote(CHECKLIST, "v2 to Hal Brandvold (supervisory analyst)."),
            Quote(CHECKLIST, "Disclosures to Ellen Marsh, one full day before."),
            Quote(CHECKLIST, "FINAL goes out before 7 am"),
        ],
        steps=[("Follow the numbered list from the call to the final.", [0, 1, 2, 3, 4, 5, 6])],
        search=["content"],
        perception=["text"],
        reasoning=["aggregation", "temporal"],
    )
    desk.task(
        "What do I do with the files of a note, and with my tracker, once the note is out?",
        "I zip note, model and typed memo into one package in the quarter's folder, delete no "
        "draft, and update the tracker on Friday before lunch from FINAL notes only.",
        kind="workflows",
        evidence=[
            Quote(
                CHECKLIST,
                "Zip note, model version and typed memo into one package in the same quarter's "
                "folder.",
            ),
            Quote(CHECKLIST, "Delete nothing. Drafts stay"),
            Quote(CHECKLIST, "Tracker on Friday before lunch."),
            Quote("Research/coverage_tracker.xlsx", "Only notes whose name ends in FINAL"),
        ],
        steps=[
            ("The checklist says what happens after publication.", [0, 1, 2]),
            ("The tracker itself says which notes count.", [3]),
        ],
        search=["content", "cross_file"],
        perception=["text", "table"],
        reasoning=["aggregation", "inference"],
    )
    desk.task(
        "How do I move a price target from draft to final, and who may still change it?",
        "I set a multiple on an EPS estimate in a draft, send v2 to Hal Brandvold and take his "
        "correction: in August 2024 21.2 times became 20.6 and $74 became $72.",
        kind="workflows",
        evidence=[
            Quote(DRAFT, "We apply 21.2 times to our FY25 estimate of $3.49."),
            Quote(DRAFT, "agreed, will go to 20.6 in the final"),
            Quote(
                "Research/2024Q3/HLVN/HLVN_model_2024Q3_v3.xlsx",
                "Base multiple 21.2x to 20.6x after Hal",
            ),
            Quote(
                "Research/2024Q3/HLVN/HLVN_note_2024-08-09_FINAL.pdf",
                "We raise our price target on Halvern to $72 from $64",
            ),
            Quote(CHECKLIST, "He may change the multiple. He is usually right."),
        ],
        steps=[
            ("v2 stood at 21.2 times and $74 until Hal objected.", [0, 1]),
            ("The model's log and the published note show the change.", [2, 3]),
            ("The checklist gives him that right in general.", [4]),
        ],
        search=["content", "cross_file", "filename"],
        perception=["text", "table"],
        reasoning=["comparison", "temporal", "inference"],
    )
