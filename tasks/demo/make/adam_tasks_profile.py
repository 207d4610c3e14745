"""Questions about what Adam is like: his tastes, habits, time, hindsight and ways of working."""

from __future__ import annotations

from deskgym.tasks.demo.make.adam_files_family import TRAVEL, WEDDING
from deskgym.tasks.demo.make.adam_files_life import GYM, INBOX, PHYSIO, VOICE
from deskgym.tasks.demo.make.adam_files_matters import BAKERY, BRACKWATER, EMPLOYMENT
from deskgym.tasks.demo.make.adam_files_study import MONEY, STUDY
from deskgym.tasks.demo.make.adam_files_work import SEATS, WORK
from deskgym.tasks.demo.make.kit import Desk, Quote


def add_tasks(desk: Desk) -> None:
    """Add the profiling questions, of all five kinds."""
    _preferences(desk)
    _behaviour(desk)
    _scheduling(desk)
    _retrospective(desk)
    _workflows(desk)


def _preferences(desk: Desk) -> None:
    desk.task(
        "What kind of seat do I choose when I book a long train journey?",
        "A seat in the quiet coach, on the aisle and facing forward, on every booking (Norwich, "
        "Durham and Ludlow).",
        kind="preferences",
        evidence=[
            Quote(
                f"{TRAVEL}/2025-05-17_Ludlow_ticket.pdf",
                "coach C (quiet coach), 21, aisle, facing forward",
            ),
            Quote(f"{TRAVEL}/2024-12-21_Norwich_booking.png", "Quiet coach B"),
            Quote(f"{TRAVEL}/2024-12-21_Norwich_booking.png", "Seat 44, aisle, forward"),
            Quote(f"{TRAVEL}/2025-03-28_Durham_booking.webp", "Quiet coach F"),
            Quote(f"{TRAVEL}/2025-03-28_Durham_booking.webp", "Seat 09, aisle, forward"),
        ],
        steps=[
            ("Three bookings name the coach and the seat.", [0, 1, 2, 3, 4]),
            ("All three are in the quiet coach, on the aisle, facing forward.", [0, 1, 2, 3, 4]),
        ],
        search=["content", "cross_file"],
        perception=["text", "ocr"],
        reasoning=["aggregation", "inference"],
    )
    desk.task(
        "If somebody ordered a meal for me, what should they pick, to judge by what I usually "
        "choose?",
        "A vegetarian dish: I picked the mushroom pithivier for the wedding, the squash risotto "
        "at the Christmas lunch and a halloumi wrap at the café, never meat or fish.",
        kind="preferences",
        evidence=[
            Quote(f"{WEDDING}/Seating_plan.xlsx", "Adam Whitlock | 4 | Mushroom pithivier (v)"),
            Quote(
                f"{INBOX}/2024-11-26_Christmas_lunch.eml",
                "The squash risotto for me, please, and the pear for pudding.",
            ),
            Quote(f"{MONEY}/Receipts/2024-10-16_cafe.png", "Halloumi wrap       7.20"),
        ],
        steps=[
            ("Three meals of mine are on the desk, with other choices open each time.", [0, 1, 2]),
            ("None of them has meat or fish.", [0, 1, 2]),
        ],
        search=["content", "cross_file"],
        perception=["text", "table", "ocr"],
        reasoning=["aggregation", "inference"],
    )


def _behaviour(desk: Desk) -> None:
    before = ["2024-09-09,Mon,06:39,07:36", "2024-09-11,Wed,06:44,07:40"]
    during = [
        "2024-09-16,Mon,06:40,07:20",
        "2024-09-23,Mon,06:41,07:18",
        "2024-09-30,Mon,06:40,07:15",
        "2024-10-07,Mon,06:43,07:10",
    ]
    after = ["2024-10-14,Mon,06:40,07:36", "2024-10-16,Wed,06:41,07:39"]
    desk.task(
        "How does my gym routine change when an exam comes near?",
        "I normally go twice a week, on Monday and Wednesday at about 06:40; in the four weeks "
        "before the exam of 10 October 2024 I dropped the Wednesday and kept only a shorter "
        "Monday, and went back to both days afterwards.",
        kind="behavioural_patterns",
        evidence=[
            *(Quote(f"{GYM}/Gym_log_2024.csv", row) for row in before + during + after),
            Quote(f"{STUDY}/Exam_slot.webp", "Thursday 10 October 2024"),
        ],
        steps=[
            ("Up to 11 September the log has Monday and Wednesday at 06:40.", [0, 1]),
            (
                "From 16 September to 7 October it has Mondays only, and shorter ones.",
                [2, 3, 4, 5],
            ),
            ("The exam was on 10 October 2024.", [8]),
            ("From 14 October both days are back.", [6, 7]),
        ],
        search=["content", "cross_file"],
        perception=["table", "ocr"],
        reasoning=["temporal", "aggregation", "inference"],
    )
    first, second = f"{MONEY}/Budget_2023-24.xlsx", f"{MONEY}/Budget_2024-25.xlsx"
    desk.task(
        "What is my habit with savings, and in which month do I break it?",
        "I move a fixed sum (£250 a month, later £300) to savings on the day after I am paid, "
        "every month except December, when I save nothing.",
        kind="behavioural_patterns",
        evidence=[
            Quote(first, "2023-11-24 | 2871.4 | 780 | 251 | 250 | 2023-11-25"),
            Quote(first, "2023-12-22 | 2871.4 | 780 | 318 | 0"),
            Quote(second, "2024-11-25 | 3052.17 | 271 | 34 | 300 | 2024-11-26"),
            Quote(second, "2024-12-20 | 3052.17 | 335 | 34 | 0"),
        ],
        steps=[
            ("In both budgets the saving is dated one day after pay day.", [0, 2]),
            ("The sum is 250 in the first and 300 in the second.", [0, 2]),
            ("December has 0 in both years.", [1, 3]),
        ],
        search=["content", "cross_file"],
        perception=["table"],
        reasoning=["aggregation", "temporal", "inference"],
    )


def _scheduling(desk: Desk) -> None:
    desk.task(
        "Which evening of the week do I keep free, and what do I do when work falls on it?",
        "Thursday evening, for football: I ask for work meetings to be moved, as I did with the "
        "catch-up (to Thursday 08:45) and the know-how hour (to Wednesday 12:30).",
        kind="scheduling",
        evidence=[
            Quote("06_Family/Calendar_home.ics", "Nothing else on Thursdays."),
            Quote(
                f"{EMPLOYMENT}/2024-09-17_Catch-up.eml",
                "from Thursday 17:30 to Thursday 08:45? I keep Thursday evenings free for football",
            ),
            Quote(f"{WORK}/Calendar_work.ics", "Moved from Thursday 18:00 at my request."),
        ],
        steps=[
            ("The home calendar keeps Thursdays for football.", [0]),
            ("I asked Helen to move the catch-up to the morning.", [1]),
            ("The know-how hour moved to Wednesday at my request.", [2]),
        ],
        search=["content", "cross_file"],
        perception=["text"],
        reasoning=["aggregation", "inference"],
    )
    rows = [
        "Response form,Fri 2024-10-18,Wed 2024-10-16",
        "List of documents,Thu 2024-11-28,Tue 2024-11-26",
        "Agree the bundle,Mon 2025-01-20,Thu 2025-01-16",
        "Witness statements,Fri 2025-02-14,Wed 2025-02-12",
    ]
    desk.task(
        "How far ahead of an official deadline do I set my own?",
        "Two working days: in Brackwater and at every step of the Osei claim my own deadline is "
        "two working days before that of the court or tribunal, weekends not counted.",
        kind="scheduling",
        evidence=[
            Quote(
                f"{BRACKWATER}/Bundle_Index.xlsx",
                "Friday 9 February 2024 | Wednesday 7 February 2024",
            ),
            *(Quote(f"{EMPLOYMENT}/Deadlines.csv", row) for row in rows),
        ],
        steps=[
            ("The bundle is due on Friday 9 February, for me on Wednesday 7 February.", [0]),
            ("The four steps of Osei have the same distance, over a weekend too.", [1, 2, 3, 4]),
        ],
        search=["content", "cross_file"],
        perception=["table"],
        reasoning=["temporal", "aggregation", "inference"],
    )

    calendar = "06_Family/Calendar_home.ics"
    desk.task(
        "How is my Sunday evening laid out?",
        "I ring Mum and Dad at 18:00, then from 18:30 I do the budget and plan the week, and clear "
        "out my inbox folder with it.",
        kind="scheduling",
        evidence=[
            Quote(calendar, "Ring Mum and Dad"),
            Quote(calendar, "Sunday 2023-09-10 18:00"),
            Quote(calendar, "Budget and week ahead"),
            Quote(calendar, "Sunday 2023-10-01 18:30"),
            Quote(
                f"{INBOX}/README_How_I_file.md",
                "Everything lands in 00_Inbox and leaves it on Sunday, when I do the budget.",
            ),
        ],
        steps=[
            ("Every Sunday at 18:00 the calendar has the call to my parents.", [0, 1]),
            ("At 18:30 it has the budget and the week ahead.", [2, 3]),
            ("My filing rules empty the inbox folder at the same time.", [4]),
        ],
        search=["content", "cross_file"],
        perception=["text"],
        reasoning=["aggregation", "temporal"],
    )


def _retrospective(desk: Desk) -> None:
    desk.task(
        "Looking back over my first three seats, what did I want to do better after each of them?",
        "After Litigation: ask questions early, within the first hour. After Real Estate: record "
        "my time every day before I leave. After Employment: stop taking on too much, and ask who "
        "needs the work first and by when.",
        kind="retrospective_reflections",
        evidence=[
            Quote(
                f"{SEATS}/Seat_Review_1_Litigation.docx",
                "from now on I ask within the first hour",
            ),
            Quote(
                f"{SEATS}/Seat_Review_2_RealEstate.docx",
                "from now on I record my time before I leave the desk",
            ),
            Quote(
                f"{SEATS}/Seat_Review_3_Employment.docx",
                "in the last seat I ask who needs it first, and by when",
            ),
        ],
        steps=[
            ("The first review regrets late questions.", [0]),
            ("The second regrets late time recording.", [1]),
            ("The third regrets saying yes to everybody.", [2]),
        ],
        search=["filename", "cross_file"],
        perception=["text"],
        reasoning=["aggregation", "temporal"],
    )
    desk.task(
        "What did I resolve to do differently at the next hearing after Brackwater, and why?",
        "To bring two spare copies of the bundle index, because the judge had none and we lost "
        "ten minutes.",
        kind="retrospective_reflections",
        evidence=[
            Quote(
                f"{VOICE}/2024-02-14_After_hearing.wav",
                "Next time I bring two spare copies of the index.",
            ),
            Quote(
                f"{VOICE}/2024-02-14_After_hearing.wav",
                "The judge had none, and we lost ten minutes.",
            ),
        ],
        steps=[("The memo spoken after the hearing says what and why.", [0, 1])],
        search=["content"],
        perception=["speech"],
        reasoning=["inference"],
    )
    desk.task(
        "What did I blame for my ankle injury, and how did I mean to avoid another one?",
        "Coming straight from the office and skipping the warm-up; from January I meant to get "
        "there early and warm up for fifteen minutes.",
        kind="retrospective_reflections",
        evidence=[
            Quote(f"{PHYSIO}/2024-11-18_Physio_scan.pdf", "Cause: sudden turn, no warm-up."),
            Quote(
                f"{VOICE}/2024-11-18_Ankle.m4a",
                "I came straight from the office and skipped the warm up.",
            ),
            Quote(
                f"{VOICE}/2024-11-18_Ankle.m4a",
                "From January I get there early and warm up for fifteen minutes.",
            ),
        ],
        steps=[
            ("The physiotherapist noted that there was no warm-up.", [0]),
            ("In my memo I say the same, and what I do from January.", [1, 2]),
        ],
        search=["content", "cross_file"],
        perception=["ocr", "speech"],
        reasoning=["inference", "verification"],
    )


def _workflows(desk: Desk) -> None:
    readme = f"{INBOX}/README_How_I_file.md"
    desk.task(
        "How do I take a paper from its first draft to the version that counts, and what do I do "
        "when a signed one changes?",
        "Drafts are v1, v2, the one that counts is called final, and once signed it ends in "
        "FINAL-signed and is never edited; old drafts stay beside it, and a change becomes a "
        "separate new paper, as with Amendment No. 1 to the lease.",
        kind="workflows",
        evidence=[
            Quote(readme, "Drafts are v1, v2; the one that counts is called final."),
            Quote(
                readme,
                "Old drafts stay beside the final one. Changes to a signed paper are a new paper.",
            ),
            Quote("02_Home/01_Lease/Lease_Amendment_No1_2024-02.pdf", "Amendment No. 1"),
        ],
        steps=[
            ("My filing rules give the names and say that drafts stay.", [0, 1]),
            ("The lease and its amendment are an example.", [2]),
        ],
        search=["content", "filename"],
        perception=["text"],
        reasoning=["inference", "verification"],
    )
    desk.task(
        "What are my steps from a client meeting to a finished attendance note?",
        "I dictate a memo straight after the meeting, type the note the same evening, send it to "
        "the supervisor before ten the next morning, and file it in the matter's folder with the "
        "time recorded.",
        kind="workflows",
        evidence=[
            Quote(
                f"{VOICE}/2024-05-21_Marsh_memo.flac",
                "I type the note tonight and Oliver has it before ten tomorrow.",
            ),
            Quote(
                f"{VOICE}/2024-05-21_Marsh_memo.flac",
                "Then it goes into folder four, with the time recorded.",
            ),
            Quote(
                f"{BAKERY}/Attendance_Note_J_Marsh_2024-05-21.pdf",
                "Dictated after the meeting, typed the same evening, sent to OS on 22 May 2024",
            ),
            Quote(
                f"{BRACKWATER}/Attendance_Note_J_Marsh_2024-01-11.pdf",
                "Dictated after the meeting, typed the same evening, sent to PN on 12 January 2024",
            ),
        ],
        steps=[
            ("The memo of May 2024 lists the steps.", [0, 1]),
            ("Both notes were made in this way and sent before ten the next day.", [2, 3]),
        ],
        search=["content", "cross_file"],
        perception=["speech", "text"],
        reasoning=["aggregation", "inference"],
    )
    desk.task(
        "How do I revise for an exam, from the chapter to the mistakes I make in a mock?",
        "I turn each chapter into cards on the evening I read it, run a script with at most "
        "thirty cards every evening, sit a timed mock on Saturday at 9:30, and make a new card "
        "of every wrong answer, which the script then asks first.",
        kind="workflows",
        evidence=[
            Quote(
                f"{STUDY}/Revision_Plan.md",
                "Read one chapter and turn it into cards on the same evening.",
            ),
            Quote(f"{STUDY}/Revision_Plan.md", "Timed mock paper on Saturday at 9:30"),
            Quote(
                f"{STUDY}/Revision_Plan.md",
                "Every wrong answer of the mock becomes a new card on the same day.",
            ),
            Quote(
                f"{STUDY}/card_script.py",
                "Evening cards: at most thirty, the ones that I got wrong in a mock come first.",
            ),
        ],
        steps=[
            ("The plan gives cards, evenings, the Saturday mock and cards of mistakes.", [0, 1, 2]),
            ("The script caps the cards at thirty and puts wrong ones first.", [3]),
        ],
        search=["content", "cross_file"],
        perception=["text"],
        reasoning=["aggregation", "inference"],
    )
