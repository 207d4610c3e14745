"""Adam's sister's wedding, his journeys and the home calendar."""

from __future__ import annotations

from deskgym.tasks.demo.make.kit import Desk, Event, Place, Scene

HARTSMERE = Place(52.3676, -2.7180, "near Ludlow, Shropshire")

WEDDING = "06_Family/01_Beths_Wedding"
TRAVEL = "06_Family/02_Travel"


def add_files(desk: Desk) -> None:
    """Write the wedding, the tickets and the calendar of ``06_Family``."""
    _wedding(desk)
    _travel(desk)


def _wedding(desk: Desk) -> None:
    desk.image(
        f"{WEDDING}/Save_the_date.jpg",
        [
            "SAVE THE DATE",
            "Beth Whitlock & Callum Reid",
            "Saturday 10 May 2025",
            "2 o'clock",
            "Hartsmere Barn, Shropshire",
        ],
        style="card",
        created="2024-06-30 13:15",
    )
    desk.eml(
        f"{WEDDING}/2024-09-02_Change_of_plan.eml",
        sender="Beth Whitlock <beth.w@postbox.example>",
        to="Family list <family@postbox.example>",
        subject="Please read: change of plan for May",
        body="""
        Dear all,

        The barn has rung with red ears: they had promised our Saturday to somebody else a
        week before us. After some shouting (Callum) and some crying (also Callum) we have
        this to tell you:

        The wedding is now on Saturday 17 May 2025. The ceremony is at 13:30 instead of two.
        Same barn, same band, same cake.

        If you have booked a train already, send me what it costs to change it and the barn
        will pay. New cards are not worth the paper, so please cross out the old date.

        Adam, you are still an usher, and you are still reading. Suits: Callum has a quote of
        £78 each from Marlowe & Pike.

        Love,
        Beth
        """,
        created="2024-09-02 19:45",
    )

    def rota(version: str, date: str, ceremony: str, call: str) -> str:
        return f"""
            # Ushers, {version}

            {date}, Hartsmere Barn. Ceremony at {ceremony}.

            | Time | What | Who |
            | {call} | Ushers at the door of the Long Barn | Adam, Ravi, Ewan |
            | +15 minutes | Orders of service on the chairs | Ewan |
            | +30 minutes | First guests; family on the left | Adam, Ravi |
            | last | Reading from the lectern, second of two | Adam |

            ## Please remember
            Grey suits, buttonholes on the left. Two chairs in the front row stay free for
            Callum's grandparents, who need the side door. Umbrellas are in the Dairy. Phones
            off; Ravi has the rings until the ceremony begins and will not be parted from them.
            """

    desk.docx(
        f"{WEDDING}/Usher_rota_v1.docx",
        rota("v1", "Saturday 10 May 2025", "14:00", "12:15"),
        created="2024-08-04 15:20",
    )
    desk.docx(
        f"{WEDDING}/Usher_rota_v2_final.docx",
        rota("v2 final", "Saturday 17 May 2025", "13:30", "11:45"),
        created="2025-04-20 17:30",
    )
    desk.xlsx(
        f"{WEDDING}/Seating_plan.xlsx",
        {
            "Guests": [
                ["Guest", "Table", "Main course"],
                ["Grace Whitlock", 1, "Salmon"],
                ["Peter Whitlock", 1, "Beef"],
                ["Moira Reid", 1, "Beef"],
                ["Ravi Menon", 3, "Beef"],
                ["Ewan Reid", 3, "Salmon"],
                ["Adam Whitlock", 4, "Mushroom pithivier (v)"],
                ["Aunt Hilary", 4, "Salmon"],
                ["Adam Reid", 6, "Beef"],
                ["Sunniva Berg", 6, "Mushroom pithivier (v)"],
            ],
            "Tables": [
                ["Table", "Name", "Places"],
                [1, "Oak", 8],
                [3, "Ash", 8],
                [4, "Rowan", 10],
                [6, "Elm", 10],
            ],
        },
        created="2025-03-30 16:10",
        modified="2025-05-04 21:30",
    )
    desk.video(
        f"{WEDDING}/Barn_walk_2024-10-12.mov",
        [
            Scene(4, ["Hartsmere Barn", "Walk round, 12 October 2024"], "#3a3020"),
            Scene(
                5,
                ["Long Barn: ceremony", "96 chairs"],
                "#40382a",
                "This is where you stand and read.",
            ),
            Scene(5, ["Threshing floor: dancing", "Music stops at 23:45"], "#2c2c48"),
            Scene(5, ["Side door by the Dairy", "Key under the blue pot"], "#28402c"),
        ],
        created="2024-10-12 14:35",
        place=HARTSMERE,
    )
    desk.text(
        f"{WEDDING}/Reading_v3_FINAL.txt",
        """
        READING FOR BETH AND CALLUM, v3 FINAL (one minute fifty at my pace)

        When Beth was seven she kept a ledger of every favour that I owed her. It ran to four
        pages. I have it here and I do not mean to read it out.

        What I learned from the ledger is that she never once asked for a favour back. She
        only wanted it written down that somebody had been kind to somebody, on a Tuesday, for
        no reason, and that it had been noticed.

        Callum, you are now in the ledger. Be kind on Tuesdays. It will be noticed.

        (Pause. Look up. Sit down. Do NOT wave.)
        """,
        created="2025-04-27 20:10",
        modified="2025-05-11 18:50",
    )
    desk.speech(
        f"{WEDDING}/Voicemail_Mum_2025-05-14.mp3",
        [
            "Hello love, it's Mum.",
            "The taxi leaves the station ten minutes after your train gets in.",
            "It takes thirty minutes to the barn.",
            "Dad has your buttonhole, so do not buy one.",
            "See you on Saturday.",
        ],
        voice="en-gb",
        speed=155,
        created="2025-05-14 19:12",
    )


def _travel(desk: Desk) -> None:
    desk.pdf(
        f"{TRAVEL}/2025-05-17_Ludlow_ticket.pdf",
        [
            """
            # Marches & Midland Rail: your ticket

            Booking MM-77124, one adult, Saturday 17 May 2025. Paid £58.40.

            | Leg | Departs | Arrives |
            | London to Crewe | 07:04 | 08:51 |
            | Crewe to Ludlow | 09:26 | 10:52 |

            Seat on both trains: coach C (quiet coach), 21, aisle, facing forward.

            Valid only on the trains named above. Change the booking free of charge up to 18:00
            on the day before. Doors close thirty seconds before departure. Please have this
            page ready on paper or on a screen, together with your railcard.
            """
        ],
        created="2025-03-08 10:25",
    )
    desk.image(
        f"{TRAVEL}/2024-12-21_Norwich_booking.png",
        [
            "Booking EF-20518",
            "Sat 21 Dec 2024",
            "London to Norwich  10:30",
            "Quiet coach B",
            "Seat 44, aisle, forward",
            "1 adult   £ 24.60",
        ],
        style="screenshot",
        created="2024-11-16 20:05",
    )
    desk.image(
        f"{TRAVEL}/2025-03-28_Durham_booking.webp",
        [
            "Booking NB-3391",
            "Fri 28 Mar 2025",
            "London to Durham  18:30",
            "Quiet coach F",
            "Seat 09, aisle, forward",
            "1 adult   £ 47.00",
        ],
        style="screenshot",
        created="2025-02-09 18:30",
    )
    desk.ics(
        "06_Family/Calendar_home.ics",
        [
            Event(
                "Football, Tabard Rovers",
                "2023-09-07 19:30",
                "2023-09-07 20:30",
                location="Rotherfield pitches",
                notes="Nothing else on Thursdays.",
                rrule="FREQ=WEEKLY;BYDAY=TH",
            ),
            Event(
                "Ring Mum and Dad",
                "2023-09-10 18:00",
                "2023-09-10 18:30",
                rrule="FREQ=WEEKLY;BYDAY=SU",
            ),
            Event(
                "Budget and week ahead",
                "2023-10-01 18:30",
                "2023-10-01 19:15",
                notes="After the call.",
                rrule="FREQ=WEEKLY;BYDAY=SU",
            ),
            Event("Stag weekend, Durham", "2025-03-28 18:30", "2025-03-30 17:00", "Durham"),
        ],
        created="2023-09-06 22:00",
        modified="2025-02-09 18:40",
    )
