"""Questions about Adam's desk that only several files together answer."""

from __future__ import annotations

from deskgym.tasks.demo.make.adam_files_family import TRAVEL, WEDDING
from deskgym.tasks.demo.make.adam_files_home import LEASE, ROOMS
from deskgym.tasks.demo.make.adam_files_life import FOOTBALL, VOICE
from deskgym.tasks.demo.make.adam_files_matters import BAKERY, BRACKWATER
from deskgym.tasks.demo.make.kit import Desk, Quote


def add_tasks(desk: Desk) -> None:
    """Add the questions that need a sum, a date or a name from two or three files."""
    _home_and_work(desk)
    _three_files(desk)


def _home_and_work(desk: Desk) -> None:
    desk.task(
        "By how much did the judge cut the costs budget that we asked for in Brackwater?",
        "£12,500",
        kind="fact",
        evidence=[
            Quote(
                f"{BRACKWATER}/Hearing_Note_v2_final.docx",
                "Approval of our costs budget of £96,500.",
            ),
            Quote(
                f"{VOICE}/2024-02-14_After_hearing.wav",
                "The judge approved our costs budget at eighty four thousand pounds.",
            ),
        ],
        steps=[
            ("We asked for £96,500.", [0]),
            ("The judge approved £84,000.", [1]),
            ("96,500 - 84,000 = 12,500.", [0, 1]),
        ],
        search=["content", "cross_file"],
        perception=["text", "speech"],
        reasoning=["arithmetic", "comparison"],
    )
    desk.task(
        "How much electricity, in kWh, did the flat use from the day we moved in to the reading "
        "of 1 June 2025?",
        "5,885 kWh",
        kind="fact",
        evidence=[
            Quote(f"{ROOMS}/Move_in_2023-09-01.mp4", "Electricity meter: 48217 kWh"),
            Quote(f"{ROOMS}/Meter_readings.csv", "2025-06-01,54102,3290,Adam"),
        ],
        steps=[
            ("The list of readings begins a month late; the film shows 48217 at move-in.", [0]),
            ("On 1 June 2025 the meter stood at 54102.", [1]),
            ("54,102 - 48,217 = 5,885.", [0, 1]),
        ],
        search=["content", "cross_file"],
        perception=["video", "table"],
        reasoning=["arithmetic", "temporal"],
    )
    played = [
        "2025-01-09,Lock Keepers,2,y",
        "2025-01-16,Gull Rock,1,y",
        "2025-01-30,Paper Mill,2,y",
        "2025-02-06,Half Moon,1,y",
        "2025-02-20,Gull Rock,3,y",
        "2025-02-27,Old Quay,1,y",
    ]
    desk.task(
        "How much did I owe Sunil altogether for my football matches in January and February 2025?",
        "£42",
        kind="fact",
        evidence=[
            Quote(
                f"{FOOTBALL}/2025-01-07_Spring_season.eml",
                "From January each match is £7 a head, up from £6.",
            ),
            *(Quote(f"{FOOTBALL}/Fixtures_2024-25.csv", row) for row in played),
        ],
        steps=[
            ("From January a match costs £7, for those who play.", [0]),
            ("I played three times in January and three times in February.", [1, 2, 3, 4, 5, 6]),
            ("6 x 7 = 42.", list(range(7))),
        ],
        search=["content", "cross_file"],
        perception=["text", "table"],
        reasoning=["aggregation", "arithmetic"],
    )


def _three_files(desk: Desk) -> None:
    desk.task(
        "What is the last day on which our notice can reach the agent if we leave when the "
        "renewed term ends?",
        "20 July 2025",
        kind="fact",
        evidence=[
            Quote(
                f"{LEASE}/Lease_17_Kestrel_Road_FINAL-signed.pdf",
                "Notice must reach the agent at least that long before the last day of the term.",
            ),
            Quote(
                f"{LEASE}/Lease_Amendment_No1_2024-02.pdf",
                'In clause 7.2 the words "two months" are replaced by "six weeks".',
            ),
            Quote(
                f"{LEASE}/Renewal_Letter_signed_scan.pdf",
                "The renewed term ends on 31 August 2025.",
            ),
        ],
        steps=[
            ("Notice has to reach the agent that long before the last day of the term.", [0]),
            ("The period is six weeks since the amendment, which holds for renewals.", [1]),
            ("The renewed term ends on 31 August 2025.", [2]),
            ("42 days before 31 August 2025 is 20 July 2025.", [0, 1, 2]),
        ],
        search=["content", "cross_file"],
        perception=["text", "ocr"],
        reasoning=["temporal", "arithmetic"],
    )
    desk.task(
        "On what date did the bakery's first rent instalment fall due, and how much was it?",
        "28 October 2024, £2,375",
        kind="fact",
        evidence=[
            Quote(f"{BAKERY}/IMG_0398_board.jpg", "COMPLETION  Fri 28 June 2024"),
            Quote(
                f"{BAKERY}/2024-06-04_Rent_free.eml",
                "the rent-free period is four months from completion",
            ),
            Quote(f"{BAKERY}/Heads_of_Terms_v2_final.docx", "£28,500 a year"),
        ],
        steps=[
            ("Completion is on 28 June 2024.", [0]),
            ("The rent-free period is four months, not three or five, so to 27 October.", [1]),
            ("£28,500 a year in twelve equal instalments is £2,375.", [2]),
        ],
        search=["content", "cross_file"],
        perception=["text", "ocr"],
        reasoning=["temporal", "arithmetic", "verification"],
    )
    desk.task(
        "How many minutes shall I have between my taxi reaching the barn and the time when the "
        "ushers have to be at the door?",
        "13 minutes",
        kind="fact",
        evidence=[
            Quote(f"{TRAVEL}/2025-05-17_Ludlow_ticket.pdf", "Crewe to Ludlow 09:26 10:52"),
            Quote(
                f"{WEDDING}/Voicemail_Mum_2025-05-14.mp3",
                "The taxi leaves the station ten minutes after your train gets in.",
            ),
            Quote(
                f"{WEDDING}/Voicemail_Mum_2025-05-14.mp3",
                "It takes thirty minutes to the barn.",
            ),
            Quote(
                f"{WEDDING}/Usher_rota_v2_final.docx",
                "11:45 | Ushers at the door of the Long Barn",
            ),
        ],
        steps=[
            ("My train gets in at 10:52.", [0]),
            ("The taxi leaves at 11:02 and arrives at 11:32.", [1, 2]),
            ("The final rota wants the ushers at 11:45, 13 minutes later.", [3]),
        ],
        search=["content", "cross_file"],
        perception=["text", "table", "speech"],
        reasoning=["temporal", "arithmetic"],
    )
