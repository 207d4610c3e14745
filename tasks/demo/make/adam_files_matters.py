"""Adam's three matters: Brackwater, the bakery lease and the Osei claim."""

from __future__ import annotations

from deskgym.tasks.demo.make.kit import Desk, Event, Place

COURT = Place(51.5155, -0.1119, "Lincoln's Inn Fields, London")
OFFICE = Place(51.5126, -0.1012, "Bellmaker Lane, London EC4")

WORK = "01_Work"
BRACKWATER = f"{WORK}/03_Litigation_Brackwater"
BAKERY = f"{WORK}/04_RealEstate_Crumb_and_Copper"
EMPLOYMENT = f"{WORK}/05_Employment_Osei"

ADAM = "Adam Whitlock <adam.whitlock@harcastlevane.example>"


def add_files(desk: Desk) -> None:
    """Write the matter folders of ``01_Work`` and its calendar."""
    _litigation(desk)
    _real_estate(desk)
    _employment(desk)


def _litigation(desk: Desk) -> None:
    def note(version: str, date: str, room: str, todo: str) -> str:
        return f"""
            # Hearing note, {version}

            Brackwater Timber Ltd v Colne Joinery Ltd: case management conference

            | What | Details |
            | Date and time | {date}, 10:30 |
            | Place | Thames Civil Court Centre, {room} |
            | Judge | District Judge Ellery |
            | For us | Imogen Vale of counsel, Priya Nandakumar, Adam Whitlock |
            | For the defendant | Pell Roxby, solicitors |

            ## What the case is about
            Our client delivered kiln-dried oak under invoice 2209 for £61,240. The defendant
            says that the moisture content was above twelve per cent and paid nothing. Each side
            has its own expert; the judge will be asked to order a joint one.

            ## What we ask for
            Approval of our costs budget of £96,500. Disclosure by 8 March 2024. Witness
            statements six weeks later. A single joint expert on timber.

            ## To do
            {todo}
            """

    desk.docx(
        f"{BRACKWATER}/Hearing_Note_v1.docx",
        note(
            "draft v1",
            "Wednesday 7 February 2024",
            "room not yet known",
            "Ask counsel's clerk for a fee note. Check the dress rules. Book a taxi for bundles.",
        ),
        created="2024-01-15 17:10",
    )
    desk.docx(
        f"{BRACKWATER}/Hearing_Note_v2_final.docx",
        note(
            "v2 final",
            "Wednesday 14 February 2024",
            "Court 22 (check the list on the day)",
            "Fee note received. No robes before a District Judge. Bundles go by courier.",
        ),
        created="2024-01-23 16:35",
        modified="2024-02-12 18:02",
    )
    desk.eml(
        f"{BRACKWATER}/2024-01-22_Hearing_moved.eml",
        sender="Priya Nandakumar <priya.nandakumar@harcastlevane.example>",
        to=ADAM,
        subject="Brackwater: CMC moved",
        body="""
        Adam,

        The court has moved the case management conference by a week, from 7 to 14 February,
        because the judge is sitting elsewhere. Same time, same estimate of one hour.

        Please (1) tell J. Marsh, (2) tell Imogen's clerk, (3) change the hearing note, and
        (4) work out when the bundle has to be lodged. The rule is two clear working days.

        J. Marsh may still be away afterwards, so get any signature before the hearing.

        P.
        """,
        created="2024-01-22 09:48",
    )
    desk.image(
        f"{BRACKWATER}/IMG_0131_list.jpg",
        [
            "THAMES CIVIL COURT CENTRE",
            "DAILY LIST",
            "Wednesday 14 February 2024",
            "COURT 22  DJ Amory",
            "10:30 Harrow Lets v Dunn",
            "COURT 37  DJ Ellery",
            "11:15 Brackwater v Colne Joinery",
        ],
        style="photo",
        created="2024-02-14 09:51",
        place=COURT,
    )
    desk.pdf(
        f"{BRACKWATER}/Attendance_Note_J_Marsh_2024-01-11.pdf",
        [
            """
            # Attendance note

            Client: Brackwater Timber Ltd. Attending: J. Marsh (operations director), Priya
            Nandakumar, Adam Whitlock. 11 January 2024, 14:00 to 15:10, Beech room.

            J. Marsh went through the delivery of the oak in order. The lorry left the yard at
            05:40 on 3 October 2022 and was signed for at Colne's gate without remark. The first
            complaint came nineteen days later, by telephone. Nobody from Colne measured the
            moisture at the gate. The yard's own readings, taken the evening before, were
            between nine and eleven per cent, and J. Marsh will look for the sheets.

            We explained what a case management conference is and that J. Marsh need not come.
            The budget was discussed; J. Marsh is content with it but wants to be told before
            any expert is paid.

            Contact: by telephone and only before 9:00, since the yard is too loud after that.
            J. Marsh is away from 19 February to 1 March 2024.

            Dictated after the meeting, typed the same evening, sent to PN on 12 January 2024
            at 09:40. Time recorded: 1.4 hours.
            """
        ],
        created="2024-01-11 20:15",
        modified="2024-01-12 09:38",
    )
    desk.xlsx(
        f"{BRACKWATER}/Bundle_Index.xlsx",
        {
            "Index": [
                ["Tab", "Document", "Pages"],
                [1, "Claim form and particulars", 14],
                [2, "Defence", 11],
                [3, "Directions questionnaires", 18],
                [4, "Costs budgets", 9],
                [5, "Draft order", 3],
            ],
            "Dates": [
                ["Step", "Due at court", "My own deadline"],
                ["Lodge bundle", "Friday 9 February 2024", "Wednesday 7 February 2024"],
            ],
        },
        created="2024-01-24 12:10",
        modified="2024-02-06 19:30",
    )
    desk.text(
        f"{BRACKWATER}/Court_Dress_Notes.md",
        """
        # Court dress: notes to self

        - Case management before a District Judge: no robes. Dark suit, plain tie, black shoes.
        - Open court, trial: counsel and solicitor advocates robe. Trainees sit behind, no robe.
        - Advocacy assessment on 15 March 2024 (Professional Skills Course): the assessor wants
          us robed. Gown and bands, no wig.
        - Gowns come in chest sizes. Mine is 38. Hire, do not buy; the shop in Fleet Passage
          does two nights.
        - Bands: borrow Priya's spare pair, wash them before they go back.

        ## What I saw on 14 February
        Counsel kept her bag under the bench, never on it. Phones off, not silent. One stands
        when the judge speaks to one, even in a small room with only five people in it.
        """,
        created="2024-02-08 21:05",
        modified="2024-02-15 20:40",
    )
    desk.image(
        f"{BRACKWATER}/gown_slip.jpg",
        [
            "FLEET PASSAGE ROBES",
            "Hire slip 5512   13 Mar 2024",
            "Gown, chest 38        32.00",
            "Deposit, refundable   60.00",
            "Paid by card       £ 92.00",
            "BACK BY MON 18 MAR, 17:00",
            "Late: £12 per day",
        ],
        style="receipt",
        created="2024-03-13 18:22",
        place=OFFICE,
    )


def _real_estate(desk: Desk) -> None:
    def heads(version: str, rent: str, free: str) -> str:
        return f"""
            # Heads of terms, {version}

            Premises: 8 Tanner's Parade, Deptford, ground floor and basement (bakery)

            | Clause | Term |
            | 1 Landlord | Quillmere Estates Ltd |
            | 2 Tenant | Crumb & Copper Ltd |
            | 3 Term | 10 years from completion |
            | 4 Break | Tenant only, at the end of year five, six months' notice |
            | 5 Rent | {rent} a year, payable in twelve equal instalments in advance |
            | 6 Rent-free period | {free} months from completion, then the first instalment |
            | 7 Repair | Internal only, by reference to a schedule of condition |

            Subject to contract. The rent-free period starts on the day of completion and ends
            on the eve of the same day of the month in which it runs out. Each side pays its own
            costs. The tenant may fit ovens of up to 40 kilowatts without further consent.
            """

    desk.docx(
        f"{BAKERY}/Heads_of_Terms_v1.docx",
        heads("v1", "£30,000", "three"),
        created="2024-05-14 15:00",
    )
    desk.docx(
        f"{BAKERY}/Heads_of_Terms_v2_final.docx",
        heads("v2 final", "£28,500", "five"),
        created="2024-05-30 17:25",
    )
    desk.eml(
        f"{BAKERY}/2024-06-04_Rent_free.eml",
        sender="Oliver Strand <oliver.strand@harcastlevane.example>",
        to=ADAM,
        subject="RE: Tanner's Parade, clause 6",
        body="""
        Adam,

        Quillmere's solicitors rang. They will live with the lower rent but not with five
        months as well. I have spoken to J. Marsh and we have agreed as follows:

        the rent-free period is four months from completion and clause 6 of the heads is
        changed accordingly. Rent and everything else stay as in v2.

        Please put this into the draft lease and send me a comparison by tomorrow noon.

        Oliver

        > From: Adam Whitlock
        > Sent: 3 June 2024 18:31
        >
        > Oliver, v2 of the heads has gone across. They have not come back on clause 6 yet.
        > J. Marsh would take three months if it came to that, but has not said so to them.
        """,
        created="2024-06-04 12:20",
    )
    desk.pdf(
        f"{BAKERY}/Attendance_Note_J_Marsh_2024-05-21.pdf",
        [
            """
            # Attendance note

            Client: Crumb & Copper Ltd. Attending: J. Marsh (owner and head baker), Oliver
            Strand, Adam Whitlock. 21 May 2024, 15:30 to 16:40, Ash room.

            J. Marsh has baked at a market stall for six years and now takes a first shop, at 8
            Tanner's Parade. The daughter, who does the books, joins the business in the
            autumn. The ovens are ordered and need three-phase power; the landlord's surveyor
            has to confirm that by the end of the month.

            We went through the first heads of terms. The rent is above what was said on the
            telephone, and the fit-out will take longer than three months, so Oliver will ask
            for a lower rent and a longer rent-free period. A break after five years is a must.

            Contact: by email, since J. Marsh is at the ovens until 14:00.
            J. Marsh is away from 8 to 16 June 2024.

            Dictated after the meeting, typed the same evening, sent to OS on 22 May 2024 at
            08:55. Time recorded: 1.3 hours.
            """
        ],
        created="2024-05-21 20:50",
        modified="2024-05-22 08:53",
    )
    desk.image(
        f"{BAKERY}/IMG_0398_board.jpg",
        [
            "TANNER'S PARADE",
            "engrossments: OS  Mon 24 June",
            "funds in:  Thu 27 June",
            "COMPLETION  Fri 28 June 2024",
            "tax return: AW  by 8 July",
            "keys: at the agent's desk",
        ],
        style="whiteboard",
        created="2024-06-19 17:15",
        place=OFFICE,
    )


def _employment(desk: Desk) -> None:
    desk.text(
        f"{EMPLOYMENT}/Deadlines.csv",
        """
        matter,step,tribunal deadline,my own deadline,done
        Osei v Larkhill Logistics,Response form,Fri 2024-10-18,Wed 2024-10-16,yes
        Osei v Larkhill Logistics,List of documents,Thu 2024-11-28,Tue 2024-11-26,yes
        Osei v Larkhill Logistics,Agree the bundle,Mon 2025-01-20,Thu 2025-01-16,yes
        Osei v Larkhill Logistics,Witness statements,Fri 2025-02-14,Wed 2025-02-12,yes
        """,
        created="2024-10-07 12:40",
        modified="2025-02-12 17:05",
    )
    desk.eml(
        f"{EMPLOYMENT}/2024-09-17_Catch-up.eml",
        sender=ADAM,
        to="Helen Brockwell <helen.brockwell@harcastlevane.example>",
        subject="Weekly catch-up",
        body="""
        Dear Helen,

        Thank you for putting a weekly catch-up in the diary. Would you mind if we moved it
        from Thursday 17:30 to Thursday 08:45? I keep Thursday evenings free for football, and
        I would rather not have to look at the clock while we talk.

        If mornings are no good for you then any time on Tuesday or Wednesday works for me.

        The Larkhill response form is drafted and in your tray. Two points are marked in
        green where I was not sure whether we admit the dates.

        Best wishes,
        Adam
        """,
        created="2024-09-17 08:20",
    )
    desk.ics(
        f"{WORK}/Calendar_work.ics",
        [
            Event(
                "Know-how hour",
                "2024-10-02 12:30",
                "2024-10-02 13:30",
                location="Cedar room",
                notes="Moved from Thursday 18:00 at my request.",
                rrule="FREQ=WEEKLY;BYDAY=WE",
            ),
            Event(
                "Catch-up with Helen",
                "2024-09-26 08:45",
                "2024-09-26 09:15",
                location="Helen's room",
                rrule="FREQ=WEEKLY;BYDAY=TH",
            ),
            Event("End-of-seat review", "2025-02-27 11:00", "2025-02-27 12:00", "Ash room"),
            Event("First day Private Client", "2025-03-03 09:30", "2025-03-03 10:00"),
        ],
        created="2024-09-23 09:00",
        modified="2025-02-20 09:00",
    )
