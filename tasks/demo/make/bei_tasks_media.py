"""Facts that stand in one picture, sound, film, sheet or record only, and some that are nowhere."""

from __future__ import annotations

from deskgym.tasks.demo.make.bei_files_home import CAT
from deskgym.tasks.demo.make.bei_files_lumen import STUDIO_DIR
from deskgym.tasks.demo.make.bei_files_travel import LISBON
from deskgym.tasks.demo.make.bei_files_work import KOPI, QUAY
from deskgym.tasks.demo.make.kit import Desk, Quote


def add_tasks(desk: Desk) -> None:
    """Add the questions that one place answers, or none."""
    _pictures(desk)
    _sounds(desk)
    _films(desk)
    _tables_and_metadata(desk)
    _not_there(desk)


def _pictures(desk: Desk) -> None:
    desk.task(
        "Which resolution did Maya give me for the foyer wall?",
        "3840 x 1080",
        kind="fact",
        evidence=[
            Quote("Desktop/Screenshot 2024-09-04 at 22.51.07.png", "It takes 3840 x 1080 only")
        ],
        steps=[("In the screenshot of our chat the foyer wall takes 3840 x 1080 only.", [0])],
        search=["content"],
        perception=["ocr"],
        reasoning=["lookup"],
    )
    desk.task(
        "In which of the Tidal Rooms will there be sound, as we planned it with the technicians?",
        "Room B",
        kind="fact",
        evidence=[Quote(f"{QUAY}/IMG_5820.jpg", "SOUND ONLY IN ROOM B")],
        steps=[("The photographed whiteboard says that there is sound in room B only.", [0])],
        search=["content"],
        perception=["ocr"],
        reasoning=["lookup"],
    )
    desk.task(
        "What is the number of Lagom's microchip?",
        "702 098 114 630 755",
        kind="fact",
        evidence=[Quote(f"{CAT}/IMG_4120.jpg", "CHIP 702 098 114 630 755")],
        steps=[("The adoption paper points to the clinic's card; its photo has the number.", [0])],
        search=["content"],
        perception=["ocr"],
        reasoning=["lookup"],
    )
    desk.task(
        "In which exhibition hall of the Northquay Museum did people stay longest in 2024, and "
        "for how many minutes? Leave out the cafe.",
        "Harbour Hall, 7.5 minutes",
        kind="fact",
        evidence=[Quote(f"{QUAY}/how long people stay.png", "Harbour Hall 7.5 min")],
        steps=[
            ("The chart's longest bar is the cafe, which does not count.", []),
            ("The next is Harbour Hall with 7.5 minutes.", [0]),
        ],
        search=["content"],
        perception=["visual", "ocr"],
        reasoning=["comparison"],
    )


def _sounds(desk: Desk) -> None:
    desk.task(
        "Which day rate did I settle on for 2025?",
        "S$1,050",
        kind="fact",
        evidence=[
            Quote(
                "Voice memos/New Recording 21.m4a",
                "My day rate from January is one thousand and fifty dollars.",
            )
        ],
        steps=[
            ("The rate card with S$950 holds until the end of 2024 only.", []),
            ("In the memo of 28 December 2024 I decide on 1,050 dollars from January.", [0]),
        ],
        search=["content"],
        perception=["speech"],
        reasoning=["lookup", "temporal"],
    )
    desk.task(
        "On which material did I decide to have the Harbour Blend label printed?",
        "Grey recycled board",
        kind="fact",
        evidence=[
            Quote(
                "Voice memos/New Recording 6.m4a",
                "We print it on the grey recycled board, not on the kraft paper.",
            )
        ],
        steps=[
            ("Brief and label draft leave the paper open.", []),
            ("In a voice memo of March 2024 I choose the grey recycled board.", [0]),
        ],
        search=["content"],
        perception=["speech"],
        reasoning=["lookup"],
    )


def _films(desk: Desk) -> None:
    desk.task(
        "Which date stands on the end card of the final cut of Slow Light?",
        "26 September 2024",
        kind="fact",
        evidence=[
            Quote(
                f"{STUDIO_DIR}/exports/lumenstudio_slowlight_v3_FINAL_final.mp4",
                "OPENING NIGHT\n26 SEPTEMBER 2024",
            )
        ],
        steps=[
            ("The earlier cut has 19 September, which Maya called wrong.", []),
            ("The end card of the third, final cut shows 26 September 2024.", [0]),
        ],
        search=["filename", "content"],
        perception=["video"],
        reasoning=["lookup", "verification"],
    )
    desk.task(
        "In which box at the studio is the drive with the rushes from Lisbon?",
        "Box 7",
        kind="fact",
        evidence=[
            Quote(
                "Desktop/New Folder (2)/shelves after tidy.mov",
                "BOX 7\norange drive: Lisbon rushes",
            )
        ],
        steps=[("In the film of the shelves box 7 holds the orange drive, Lisbon rushes.", [0])],
        search=["content"],
        perception=["video"],
        reasoning=["lookup"],
    )


def _tables_and_metadata(desk: Desk) -> None:
    desk.task(
        "On what date did Kopi Harbour pay me for the launch reel?",
        "31 May 2024",
        kind="fact",
        evidence=[Quote("Admin/invoice tracker.xlsx", "2024-05-31")],
        steps=[("The tracker's row for INV-2024-006 has 2024-05-31 under Paid.", [0])],
        search=["content"],
        perception=["table"],
        reasoning=["lookup"],
    )
    desk.task(
        "For how much is my Orbis 35 mm lens insured?",
        "S$780",
        kind="fact",
        evidence=[Quote("Admin/gear list.xlsx", "780")],
        steps=[("The lens's row has 780 under Insured S$; 640 is what I paid.", [0])],
        search=["content"],
        perception=["table"],
        reasoning=["lookup"],
    )
    museums = [
        "2024-05-14,puppet museum,museum,7.50",
        "2024-05-16,tile museum,museum,8.00",
        "2024-05-17,design museum,museum,10.00",
        "2024-05-21,tram museum,museum,5.50",
    ]
    desk.task(
        "How much did I pay for museum tickets in Lisbon altogether?",
        "31 euros",
        kind="fact",
        evidence=[Quote(f"{LISBON}/lisboa costs.csv", row) for row in museums],
        steps=[
            ("Four rows are tickets; what the museum shop sold me was a gift.", [0, 1, 2, 3]),
            ("7.50 + 8.00 + 10.00 + 5.50 = 31.00.", [0, 1, 2, 3]),
        ],
        search=["content"],
        perception=["table"],
        reasoning=["aggregation", "arithmetic"],
    )
    desk.task(
        "In which town was I when I photographed the door with the number 47?",
        "Sintra",
        kind="fact",
        evidence=[
            Quote(f"{LISBON}/IMG_4931.jpg", "No. 47"),
            Quote(f"{LISBON}/IMG_4931.jpg", "Sintra, Portugal"),
        ],
        steps=[
            ("The photo that shows No. 47 is one of the Lisbon folder.", [0]),
            ("Its place in the metadata is Sintra, not Lisbon.", [1]),
        ],
        search=["metadata", "content"],
        perception=["ocr"],
        reasoning=["lookup"],
    )


def _not_there(desk: Desk) -> None:
    desk.task(
        "What is the serial number of my Orbis 35 mm lens?",
        "The files do not say what the serial number of the 35 mm lens is.",
        kind="fact",
        evidence=[],
        steps=[
            ("The gear list marks it as worn off; the 85 mm lens's number is another's.", []),
            ("No other file gives it.", []),
        ],
        search=["content"],
        perception=["table"],
        reasoning=["verification"],
        answerable=False,
    )
    desk.task(
        "How much did my flights to Kyoto and back cost in dollars?",
        "The files do not say what the flights to Kyoto cost.",
        kind="fact",
        evidence=[],
        steps=[
            ("The note on the flights gives times and seats but no price.", []),
            ("The ticket with a price is the one to Lisbon.", []),
        ],
        search=["content", "cross_file"],
        perception=["text"],
        reasoning=["verification"],
        answerable=False,
    )
    desk.task(
        "Who composed the music in the Harbour Blend launch reel?",
        "The files do not say who composed the music of the launch reel.",
        kind="fact",
        evidence=[],
        steps=[
            (f"The budgets in {KOPI} name a licence from a library and its price only.", []),
            ("Idris mixed the sound; nobody is named as composer.", []),
        ],
        search=["content", "cross_file"],
        perception=["table", "text"],
        reasoning=["verification"],
        answerable=False,
    )
