"""Questions about Bei herself: what she likes, does, plans, regrets, and how she works."""

from __future__ import annotations

from deskgym.tasks.demo.make.bei_files_lumen import SONS_DIR, STUDIO_DIR
from deskgym.tasks.demo.make.bei_files_travel import KYOTO, LISBON
from deskgym.tasks.demo.make.bei_files_work import KOPI, QUAY
from deskgym.tasks.demo.make.kit import Desk, Quote

CALENDAR = "Desktop/cal_export.ics"


def add_tasks(desk: Desk) -> None:
    """Add the profiling questions, of all five kinds."""
    _preferences(desk)
    _habits(desk)
    _scheduling(desk)
    _looking_back(desk)
    _workflows(desk)


def _preferences(desk: Desk) -> None:
    desk.task(
        "Which colours do I like to work with, and what do I try to talk clients out of?",
        "I work with bone instead of white and with moss green, flat and without gradients, and I "
        "try to talk clients out of pure white.",
        kind="preferences",
        evidence=[
            Quote(f"{STUDIO_DIR}/moodboard_slowlight_v2.png", "never pure white"),
            Quote(f"{KOPI}/moods_harbour.gif", "bone + moss, flat"),
            Quote(f"{KOPI}/mail/sent_where we are.eml", "May I talk you out of it?"),
            Quote(f"{QUAY}/Tidal Rooms pitch_v3_FINAL.pptx", "no gradients"),
        ],
        steps=[
            ("Two mood boards of different clients have bone and moss, not white.", [0, 1]),
            ("I ask a client to drop the white ground of her label.", [2]),
            ("The pitch of 2025 has the same colours again, without gradients.", [3]),
        ],
        search=["content", "cross_file"],
        perception=["ocr", "text"],
        reasoning=["aggregation", "inference"],
    )
    desk.task(
        "What kind of place do I like to stay at when I travel, and how do I book it?",
        "A quiet room high up in a small house, with a kitchen where I can make my own breakfast, "
        "booked directly with the host.",
        kind="preferences",
        evidence=[
            Quote(
                f"{LISBON}/Casa do Limoeiro Re_ two weeks in May.eml",
                "I would rather book with you directly",
            ),
            Quote(
                f"{LISBON}/Casa do Limoeiro Re_ two weeks in May.eml",
                "as high up and as quiet as possible",
            ),
            Quote(f"{KYOTO}/Re_ the quiet room.eml", "Do you have something high up and quiet"),
            Quote(f"{KYOTO}/Re_ the quiet room.eml", "Small houses are the best houses."),
        ],
        steps=[
            ("For Lisbon I asked a host directly for a high, quiet room with a kitchen.", [0, 1]),
            ("For Kyoto I asked for the same again, in a small house.", [2, 3]),
        ],
        search=["content", "cross_file"],
        perception=["text"],
        reasoning=["aggregation", "inference"],
    )
    desk.task(
        "Where do I like to sit when I fly?",
        "At the window, on every flight; for Lisbon I paid extra for it.",
        kind="preferences",
        evidence=[
            Quote(f"{LISBON}/eticket_SIN-LIS.pdf", "Seats at the window"),
            Quote(f"{KYOTO}/flights kyoto.txt", "seat 37A, window"),
            Quote(f"{KYOTO}/flights kyoto.txt", "seat 40A, window"),
        ],
        steps=[
            ("The ticket to Lisbon charges for seats at the window.", [0]),
            ("Both flights of the Kyoto journey have a window seat too.", [1, 2]),
        ],
        search=["content", "cross_file"],
        perception=["table", "text"],
        reasoning=["aggregation", "inference"],
    )


def _habits(desk: Desk) -> None:
    tracker = "Admin/invoice tracker.xlsx"
    desk.task(
        "How long after delivery do I usually send an invoice?",
        "About three weeks (21 days) after delivery.",
        kind="behavioural_patterns",
        evidence=[
            Quote(tracker, "2024-04-05 2024-04-26"),
            Quote(tracker, "2024-06-07 2024-06-28"),
            Quote(tracker, "2024-08-30 2024-09-20"),
            Quote(tracker, "2024-09-12 2024-10-03"),
        ],
        steps=[
            ("In the tracker each job has the dates of delivery and invoice.", [0, 1, 2, 3]),
            ("The gap is 21 days each time.", [0, 1, 2, 3]),
        ],
        search=["content"],
        perception=["table"],
        reasoning=["temporal", "aggregation"],
    )
    desk.task(
        "When do I tend to record voice memos about decisions and worries at work?",
        "After midnight, between about half past twelve and ten past one, when I lie awake over "
        "work.",
        kind="behavioural_patterns",
        evidence=[
            Quote(
                "Voice memos/New Recording 6.m4a",
                "It is ten to one at night and I am thinking about paper again.",
            ),
            Quote(
                "Voice memos/New Recording 15.flac",
                "It is ten past one and I am still cross with myself about Slow Light.",
            ),
            Quote(
                "Voice memos/New Recording 21.m4a",
                "Half past midnight, the flat is quiet, Lagom is awake too.",
            ),
        ],
        steps=[
            ("Three memos about paper, revisions and my rate name the hour.", [0, 1, 2]),
            ("All three were made between 0:31 and 1:10 at night.", [0, 1, 2]),
        ],
        search=["metadata", "content", "cross_file"],
        perception=["speech"],
        reasoning=["temporal", "aggregation", "inference"],
    )


def _scheduling(desk: Desk) -> None:
    desk.task(
        "Which day of the week do I keep free of meetings and calls, and what do I do then?",
        "Wednesday: I keep it free of meetings and calls, as my edit day.",
        kind="scheduling",
        evidence=[
            Quote(CALENDAR, "No meetings - edit day"),
            Quote(
                f"{STUDIO_DIR}/mail/sent_Re_ Re_ rough cut and the end card.eml",
                "I keep Wednesdays free of calls and meetings, it is my edit day.",
            ),
            Quote(f"{SONS_DIR}/mail/sent_Re_ invoice 017.eml", "any day but Wednesday is good"),
        ],
        steps=[
            ("The calendar has a weekly edit day without meetings.", [0]),
            ("I tell two clients that Wednesdays are not possible.", [1, 2]),
        ],
        search=["content", "cross_file"],
        perception=["text"],
        reasoning=["aggregation", "inference"],
    )
    desk.task(
        "How do I set my own deadlines compared with those I promise to clients?",
        "I set my own deadline two days before the one that the client knows.",
        kind="scheduling",
        evidence=[
            Quote(CALENDAR, "MY deadline Kopi reel"),
            Quote(CALENDAR, "Priya gets it on Friday 5 April"),
            Quote(
                "Desktop/TODO this week.txt",
                "MINE: shop film done on Wed 28, Gerald expects Fri 30",
            ),
            Quote(
                "Desktop/TODO this week.txt",
                "MINE: Slow Light done Tue 10 Sept, they get it Thu 12",
            ),
        ],
        steps=[
            ("For the Kopi reel: mine on 3 April, the client's on 5 April 2024.", [0, 1]),
            ("The shop film: 28 against 30 August; Slow Light: 10 against 12 September.", [2, 3]),
            ("Each time there are two days between them.", [0, 1, 2, 3]),
        ],
        search=["content", "cross_file"],
        perception=["text"],
        reasoning=["temporal", "aggregation", "inference"],
    )
    desk.task(
        "What do I plan for the first working day after I come back from a journey?",
        "Nothing: I keep it empty as a landing day, as after Lisbon and after Kyoto.",
        kind="scheduling",
        evidence=[
            Quote(CALENDAR, "Landing day after Lisbon - nothing"),
            Quote(CALENDAR, "Landing day after Kyoto - nothing"),
            Quote(f"{LISBON}/diary.md", "The first working day after a journey stays empty."),
        ],
        steps=[
            ("The calendar has an empty landing day after both journeys.", [0, 1]),
            ("The diary says the same as a rule.", [2]),
        ],
        search=["content", "cross_file"],
        perception=["text"],
        reasoning=["aggregation", "inference"],
    )


def _looking_back(desk: Desk) -> None:
    desk.task(
        "What lesson did I draw from the Slow Light job, and how did I act on it afterwards?",
        "That I did a third round of changes unpaid because the number of rounds was not in the "
        "quotation; in the museum pitch I wrote down two rounds and a price for a third.",
        kind="retrospective_reflections",
        evidence=[
            Quote(
                "Voice memos/New Recording 15.flac",
                "Three rounds of changes, and the third one was for free.",
            ),
            Quote("Desktop/2024 looking back.txt", "was in the brief and not in the quotation"),
            Quote(
                f"{QUAY}/Tidal Rooms pitch_v3_FINAL.pptx",
                "Two rounds of changes are included, in writing",
            ),
            Quote(f"{QUAY}/Tidal Rooms pitch_v3_FINAL.pptx", "A third round costs S$450 a day"),
        ],
        steps=[
            ("A memo after the job: the third round was for free.", [0]),
            ("The look back at 2024 names the cause, the quotation.", [1]),
            ("The pitch of January 2025 includes two rounds and prices the third.", [2, 3]),
        ],
        search=["content", "cross_file"],
        perception=["speech", "text"],
        reasoning=["temporal", "inference"],
    )
    desk.task(
        "What did Lisbon teach me about packing, and did it work on the next journey?",
        "That I carry far too much camera gear; in Kyoto I took one body and one lens, no tripod, "
        "and missed nothing.",
        kind="retrospective_reflections",
        evidence=[
            Quote(
                f"{LISBON}/tram corner note.ogg",
                "Note to self, I brought nine kilos of gear and I use two.",
            ),
            Quote(f"{KYOTO}/plan_v2.html", "one body, the 35, two batteries"),
            Quote(
                f"{KYOTO}/journal.txt",
                "One lens was right. I did not miss the others once, and my shoulder is fine.",
            ),
        ],
        steps=[
            ("In Lisbon I note that I use two of nine kilos.", [0]),
            ("The packing list for Kyoto has one body and one lens.", [1]),
            ("The journal finds that this was right.", [2]),
        ],
        search=["content", "cross_file"],
        perception=["speech", "text"],
        reasoning=["temporal", "comparison", "inference"],
    )


def _workflows(desk: Desk) -> None:
    desk.task(
        "In which order do I take a client film from the rough cut to the finished file?",
        "A rough cut without sound, then the client signs off the picture, then Idris mixes, then "
        "come the captions, and last I rename the exports with my script and send them.",
        kind="workflows",
        evidence=[
            Quote(f"{KOPI}/mail/sent_where we are.eml", "The rough cut (no sound, that is on"),
            Quote(
                f"{KOPI}/mail/sent_where we are.eml",
                "When you have signed off the picture, Idris makes the mix.",
            ),
            Quote(
                f"{STUDIO_DIR}/brief_SlowLight_v2_final.docx",
                "When Maya has signed off the picture, Idris mixes; captions come last.",
            ),
            Quote("Admin/rename_exports.py", "Run it after the captions are in"),
        ],
        steps=[
            ("The coffee job: silent rough cut, sign-off, then the mix.", [0, 1]),
            ("The lamp job has the same order, with the captions after the mix.", [2]),
            ("The script is run after the captions, before anything goes out.", [3]),
        ],
        search=["content", "cross_file"],
        perception=["text"],
        reasoning=["temporal", "aggregation", "inference"],
    )
    desk.task(
        "How and when do I back up my work?",
        "Every Friday at about half past five in the afternoon, onto two drives, the orange one "
        "and the grey one.",
        kind="workflows",
        evidence=[
            Quote("Admin/backup.log", "2024-08-30 17:41 Fri orange ok 212 GB | grey ok 212 GB"),
            Quote("Admin/backup.log", "2024-10-11 17:40 Fri orange ok 253 GB | grey ok 253 GB"),
            Quote(CALENDAR, "Backup both drives"),
        ],
        steps=[
            ("The log has Fridays only, each time with both drives.", [0, 1]),
            ("The calendar repeats it weekly at 17:30.", [2]),
        ],
        search=["content", "cross_file"],
        perception=["text"],
        reasoning=["temporal", "aggregation"],
    )
    desk.task(
        "How do I name the exports of a film, and the last one in particular?",
        "client_job_vN, and the last version gets FINAL_final at the end.",
        kind="workflows",
        evidence=[
            Quote(
                f"{STUDIO_DIR}/exports/lumenstudio_slowlight_v3_FINAL_final.mp4",
                "lumenstudio_slowlight_v3_FINAL_final.mp4",
            ),
            Quote(
                f"{SONS_DIR}/exports/lumensons_shopfilm_v1_FINAL_final.webm",
                "lumensons_shopfilm_v1_FINAL_final.webm",
            ),
            Quote("Admin/rename_exports.py", "client_job_vN.ext, last one FINAL_final"),
        ],
        steps=[
            ("Two last exports are called client, job, version, FINAL_final.", [0, 1]),
            ("The script that renames them says the same.", [2]),
        ],
        search=["filename", "content"],
        perception=["text"],
        reasoning=["aggregation", "inference"],
    )
