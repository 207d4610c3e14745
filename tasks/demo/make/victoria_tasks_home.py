"""Questions of fact about Victoria's flat, running, piano and daughter."""

from __future__ import annotations

from deskgym.tasks.demo.make.kit import Desk, Quote

CONDO = "Personal/Condo 214 Wexcombe"
CONTRACT = f"{CONDO}/06_contract_2025-02-14_FINAL-signed.pdf"
AMENDMENT = f"{CONDO}/08_first_amendment_2025-03-03_FINAL-signed.pdf"
LOCK = f"{CONDO}/07_rate_lock_2025-02-20.pdf"
RUN = "Personal/Running"
PIANO = "Personal/Piano"
SCHOOL = "Personal/School Ife"


def add_tasks(desk: Desk) -> None:
    """Ask about the purchase, the move, the race, the recital and the school."""
    _money(desk)
    _flat_seen_and_heard(desk)
    _two_davids(desk)
    _running(desk)
    _piano_and_school(desk)
    _unanswerable(desk)


def _money(desk: Desk) -> None:
    desk.task(
        "What did extending my mortgage rate lock cost me, in dollars?",
        "$1,152.50",
        kind="fact",
        evidence=[
            Quote(
                LOCK,
                "The fee is 0.125% of the loan amount as it stands on the day of the extension",
            ),
            Quote(LOCK, "Loan amount: 80% of the purchase price"),
            Quote(AMENDMENT, "the purchase price is changed to $1,152,500"),
            Quote(f"{CONDO}/10_lock_extended.eml", "The fee is as in section 5 of the lock"),
        ],
        steps=[
            ("One extension was granted on 17 April 2025, at the agreed fee.", [3]),
            ("The fee is 0.125% of the loan amount on that day.", [0]),
            ("The loan is 80% of the changed price: 0.8 x 1,152,500 = 922,000.", [1, 2]),
            ("0.125% of 922,000 is 1,152.50.", [0, 1, 2]),
        ],
        search=["content", "cross_file"],
        perception=["text"],
        reasoning=["arithmetic", "temporal", "verification"],
    )
    desk.task(
        "Beyond the deposit and the mortgage, how much of the purchase price of 6C did we still "
        "have to pay ourselves at closing?",
        "$114,500",
        kind="fact",
        evidence=[
            Quote(CONTRACT, "On signing, purchasers pay a deposit of $116,000"),
            Quote(CONTRACT, "Purchasers will apply for a loan of 80% of the purchase price."),
            Quote(AMENDMENT, "the purchase price is changed to $1,152,500"),
            Quote(AMENDMENT, "The deposit paid on signing is not changed."),
        ],
        steps=[
            ("The final price is $1,152,500, of which 20% is ours: $230,500.", [1, 2]),
            ("$116,000 of that was paid as the deposit, which did not change.", [0, 3]),
            ("230,500 - 116,000 = 114,500.", [0, 1, 2, 3]),
        ],
        search=["content", "cross_file"],
        perception=["text"],
        reasoning=["arithmetic", "verification"],
    )
    desk.task(
        "What was I last quoted for title insurance on the flat?",
        "$4,870",
        kind="fact",
        evidence=[
            Quote(f"{CONDO}/09_closing_costs_v2.xlsx", "Title insurance | 4870 | Fulmar Abstract")
        ],
        steps=[
            ("The sheet of January holds a guess of 5,240 only.", []),
            ("The current sheet holds the quote of 8 April.", [0]),
        ],
        search=["filename", "content"],
        perception=["table"],
        reasoning=["lookup", "verification"],
    )
    desk.task(
        "How much did I pay the movers in total in May 2025?",
        "$1,875.37",
        kind="fact",
        evidence=[Quote(f"{CONDO}/13_movers.jpg", "TOTAL PAID      1,875.37")],
        steps=[
            ("The $1,540 in the realtor's mail was what somebody else was asked.", []),
            ("Read the total on the photographed receipt.", [0]),
        ],
        search=["filename", "metadata"],
        perception=["ocr"],
        reasoning=["lookup"],
    )
    desk.task(
        "How much is the special assessment on 6C per month, and with which month does it end?",
        "$310 a month, ending with December 2026",
        kind="fact",
        evidence=[
            Quote(
                f"{CONDO}/03_letter_managing_agent.pdf",
                "Special assessment for the roof: $310.00 a month.",
            ),
            Quote(
                f"{CONDO}/03_letter_managing_agent.pdf", "The assessment ends with December 2026."
            ),
        ],
        steps=[("Read the scanned letter of the managing agent.", [0, 1])],
        search=["filename"],
        perception=["ocr"],
        reasoning=["lookup"],
    )
    desk.task(
        "How many days before my rate lock ran out did we close on the flat?",
        "6 days",
        kind="fact",
        evidence=[
            Quote(
                f"{CONDO}/10_lock_extended.eml",
                "Your rate of 6.375% is now locked until 6 May 2025",
            ),
            Quote(f"{CONDO}/10_lock_extended.eml", "Closing is set for Wednesday, 30 April 2025"),
        ],
        steps=[
            ("The lock of 21 April was extended to 6 May 2025.", [0]),
            ("Closing was on 30 April 2025; from there to 6 May are 6 days.", [0, 1]),
        ],
        search=["content"],
        perception=["text"],
        reasoning=["arithmetic", "temporal"],
    )


def _flat_seen_and_heard(desk: Desk) -> None:
    desk.task(
        "Which storage cage in the basement belongs to our flat?",
        "B2-17",
        kind="fact",
        evidence=[
            Quote(f"{CONDO}/11_walk_through.webm", "CAGE B2-17"),
            Quote(f"{CONDO}/11_walk_through.webm", "And this cage is ours."),
        ],
        steps=[
            ("The contract leaves the number open.", []),
            ("The walk-through shows the cage while I say that it is ours.", [0, 1]),
        ],
        search=["content", "filename"],
        perception=["video", "speech"],
        reasoning=["lookup"],
    )
    desk.task(
        "What did the seller of 6C insist on keeping when they named their last price?",
        "The chandelier",
        kind="fact",
        evidence=[
            Quote(
                f"{CONDO}/05_voicemail_realtor.ogg",
                "The blinds stay, but they keep the chandelier.",
            )
        ],
        steps=[("Listen to the realtor's voicemail of February 2025.", [0])],
        search=["filename"],
        perception=["speech"],
        reasoning=["lookup"],
    )
    desk.task(
        "In which month was the boiler in 6C last serviced?",
        "November 2021",
        kind="fact",
        evidence=[Quote(f"{CONDO}/04_boiler_sticker.jpg", "LAST SERVICE 11/2021")],
        steps=[("Read the sticker on the photograph.", [0])],
        search=["filename"],
        perception=["ocr"],
        reasoning=["lookup"],
    )


def _two_davids(desk: Desk) -> None:
    desk.task(
        "What is the mobile number of the David Chen who found us the flat?",
        "+1 718 555 0142",
        kind="fact",
        evidence=[
            Quote(
                "Contacts/phone_export_2025-03.vcf",
                "Organisation: Vanderhook Realty\nTitle: Associate broker\n"
                "E-mail: d.chen@vanderhook.example\nTelephone (cell): +1 718 555 0142",
            )
        ],
        steps=[
            ("There are two David Chens; the realtor is with Vanderhook Realty.", [0]),
            ("Read the number on his card.", [0]),
        ],
        search=["content"],
        perception=["text"],
        reasoning=["lookup", "entity_resolution"],
    )
    desk.task(
        "When does David Chen, our realtor, leave his firm?",
        "30 June 2025",
        kind="fact",
        evidence=[
            Quote(
                f"{CONDO}/12_from_David.eml",
                "I am leaving Vanderhook Realty on 30 June 2025",
            )
        ],
        steps=[
            ("The CFO of the same name means to stay until the end of 2026: not him.", []),
            ("The realtor's own mail names the day.", [0]),
        ],
        search=["content"],
        perception=["text"],
        reasoning=["lookup", "entity_resolution"],
    )


def _running(desk: Desk) -> None:
    desk.task(
        "Where was I when I took the photograph of my half marathon medal?",
        "Beacon, New York",
        kind="fact",
        evidence=[
            Quote(f"{RUN}/medal.jpg", "HALF MARATHON"),
            Quote(f"{RUN}/medal.jpg", "Beacon, New York"),
        ],
        steps=[
            ("Find the picture of the medal.", [0]),
            ("Its recorded place is Beacon, New York.", [1]),
        ],
        search=["metadata"],
        perception=["ocr", "visual"],
        reasoning=["lookup"],
    )
    desk.task(
        "What was my place in my age group in the 2024 marathon?",
        "612 of 1,486",
        kind="fact",
        evidence=[Quote(f"{RUN}/result_page.png", "W35-39   612 of 1,486")],
        steps=[("Read the age group on the screenshot of the results.", [0])],
        search=["filename"],
        perception=["ocr"],
        reasoning=["lookup"],
    )
    desk.task(
        "By how much did I miss the marathon time in my 2024 training plan?",
        "7 minutes 13 seconds",
        kind="fact",
        evidence=[
            Quote(f"{RUN}/marathon_plan_2024.xlsx", "Marathon | 8:58 | 3:55:04"),
            Quote(f"{RUN}/result_page.png", "Finish   4:02:17"),
        ],
        steps=[
            ("The plan's time is 3:55:04.", [0]),
            ("I finished in 4:02:17.", [1]),
            ("4:02:17 - 3:55:04 = 0:07:13.", [0, 1]),
        ],
        search=["filename", "cross_file"],
        perception=["table", "ocr"],
        reasoning=["arithmetic", "comparison"],
    )


def _piano_and_school(desk: Desk) -> None:
    desk.task(
        "On which day and at what time was my spring 2025 piano recital to begin, in the end?",
        "Sunday, 8 June 2025, 4:00 pm",
        kind="fact",
        evidence=[
            Quote(
                f"{PIANO}/recital_moved.eml",
                "The recital is now on Sunday, 8 June 2025, and begins at 4:00 pm.",
            )
        ],
        steps=[
            ("The poster says Saturday, 7 June, 3 pm.", []),
            ("A later mail of the teacher (Elena, not Ellen, Marsh) moves it.", [0]),
        ],
        search=["content", "cross_file"],
        perception=["text"],
        reasoning=["lookup", "temporal", "verification"],
    )
    desk.task(
        "To what tempo did my piano teacher tell me to set the metronome for bar 32?",
        "66",
        kind="fact",
        evidence=[
            Quote(
                f"{PIANO}/lesson_bar_32.flac",
                "Set the metronome to 66 and play the left hand alone.",
            )
        ],
        steps=[("Listen to the recording of the lesson.", [0])],
        search=["filename"],
        perception=["speech"],
        reasoning=["lookup"],
    )
    desk.task(
        "When did the autumn 2024 conference with Ife's teacher take place, after it was moved?",
        "21 November 2024, 6:10 pm",
        kind="fact",
        evidence=[
            Quote(
                f"{SCHOOL}/conference_new_time.eml",
                "The new time is Thursday, 21 November 2024, at 6:10 pm, in room 204.",
            )
        ],
        steps=[
            ("The school calendar still has 14 November, 5:40 pm.", []),
            ("The teacher's mail of 8 November moves it.", [0]),
        ],
        search=["content"],
        perception=["text"],
        reasoning=["lookup", "temporal"],
    )


def _unanswerable(desk: Desk) -> None:
    desk.task(
        "What was the name of the inspector who looked at 6C before we bought it?",
        "The files do not say what the inspector was called.",
        kind="fact",
        evidence=[],
        steps=[
            ("The amendment and the journal mention the inspection report without a name.", []),
            ("Nobody in contacts or mails is an inspector.", []),
        ],
        search=["content", "cross_file"],
        perception=["text"],
        reasoning=["verification"],
        answerable=False,
    )
    desk.task(
        "How much do Ife's swimming lessons cost?",
        "The files do not say what Ife's swimming lessons cost.",
        kind="fact",
        evidence=[],
        steps=[
            ("Swimming stands in the calendar and in the week plan, without a price.", []),
            ("The sums in the school's statement are for after-care.", []),
        ],
        search=["content", "cross_file"],
        perception=["text"],
        reasoning=["verification"],
        answerable=False,
    )
