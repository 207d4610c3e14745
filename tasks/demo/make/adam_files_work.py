"""Adam's training contract, his seats and his contacts."""

from __future__ import annotations

from deskgym.tasks.demo.make.kit import Desk, Slide

WORK = "01_Work"
SEATS = f"{WORK}/02_Seats"

ADAM = "Adam Whitlock <adam.whitlock@harcastlevane.example>"


def add_files(desk: Desk) -> None:
    """Write the contract, the seats and the contacts of ``01_Work``."""
    _contract(desk)
    _seats(desk)


def _contract(desk: Desk) -> None:
    def terms(status: str, first: str, second: str, study: str) -> list[str]:
        return [
            f"""
            # Training contract ({status})

            This agreement is made between Harcastle Vane LLP of 40 Bellmaker Lane, London EC4
            ("the Firm") and Adam Whitlock ("the Trainee").

            ## 1. Term
            The training contract starts on 4 September 2023 and ends on 3 September 2025. It is
            made up of four seats of about six months each. The Firm will try to meet the
            Trainee's wishes for seats but may change the order at one month's notice.

            ## 2. Pay
            The Trainee is paid {first} a year in the first year and {second} a year in the
            second year, in twelve equal parts, on the 25th of each month or on the last working
            day before it.

            ## 3. Hours and holiday
            Normal hours are 9.30 to 17.30. The holiday year is the calendar year and the
            Trainee has 25 days in addition to public holidays.
            """,
            f"""
            ## 4. Study
            The Firm pays the fees of the Professional Skills Course and grants {study} days of
            paid study leave over the two years.

            ## 5. Pension
            The Trainee may join the Firm's pension scheme after three months. The rates are set
            out in the staff handbook, which does not form part of this agreement.

            ## 6. Supervision
            The training principal is Ruth Adeyemi. Each seat has its own supervisor, who holds a
            review in the last fortnight of the seat.

            ## 7. Confidentiality
            The Trainee keeps the affairs of clients confidential, during the contract and after
            it, and does not take client papers home without leave of the supervisor.
            """,
        ]

    desk.pdf(
        f"{WORK}/01_Contract/Training_Contract_Offer_v1.pdf",
        terms("offer, draft of 12 June 2023", "£46,000", "£49,500", "6"),
        created="2023-06-12 11:05",
    )
    desk.pdf(
        f"{WORK}/01_Contract/Training_Contract_FINAL-signed.pdf",
        terms("signed 30 June 2023", "£47,500", "£51,000", "8"),
        created="2023-06-30 16:40",
    )
    desk.pdf(
        f"{WORK}/01_Contract/2024-08-05_Salary_Letter.pdf",
        [
            """
            # Harcastle Vane LLP

            5 August 2024

            Dear Adam,

            ## Pay from 1 September 2024

            The partners have looked again at trainee pay in the light of the market and of the
            work that your intake has done. I am glad to tell you that your salary in the second
            year of your training contract will be £52,750 a year, in place of the figure in
            clause 2 of the contract. The change takes effect on 1 September 2024 and will show
            in the pay of that month.

            Nothing else in your contract changes. In particular the holiday entitlement and the
            days of study leave stay as they are, and pay day is still the 25th or the last
            working day before it.

            Thank you for your hard work in the real estate team this summer, about which Oliver
            has written very warmly. Please keep the contents of this letter to yourself until
            the partners have spoken to the whole intake on Friday.

            Yours sincerely,

            Ruth Adeyemi, Training Principal
            """
        ],
        created="2024-08-05 10:15",
    )


def _seats(desk: Desk) -> None:
    desk.docx(
        f"{SEATS}/Seat_Rotation_Plan_v1.docx",
        """
        # Seat rotation plan, September 2023 intake

        Trainee: Adam Whitlock. Prepared by Dinah Coles, Early Careers, 28 August 2023.

        | Seat | Department | From | To | Supervisor |
        | 1 | Commercial Litigation | 4 September 2023 | 1 March 2024 | Priya Nandakumar |
        | 2 | Real Estate | 4 March 2024 | 30 August 2024 | Oliver Strand |
        | 3 | Corporate | 2 September 2024 | 28 February 2025 | Gareth Lyle |
        | 4 | Employment | 3 March 2025 | 29 August 2025 | Helen Brockwell |

        Seats three and four are provisional. Requests for a change go to Dinah Coles at least
        two months before the seat starts. Each trainee hands over with a written note and a
        zipped folder of precedents on the last day of the seat.

        Mid-seat reviews take place in the third month, end-of-seat reviews in the last
        fortnight. Please bring your training diary to both.
        """,
        created="2023-08-28 14:30",
    )
    desk.eml(
        f"{SEATS}/2024-07-09_Seat_change.eml",
        sender="Dinah Coles <dinah.coles@harcastlevane.example>",
        to=ADAM,
        cc="Ruth Adeyemi <ruth.adeyemi@harcastlevane.example>",
        subject="RE: September rotation",
        body="""
        Hi Adam,

        Thanks for coming up to talk about September. Gareth's team has no room for a trainee
        this autumn, so here is what Ruth and I have settled:

        Your third seat, from 2 September 2024, is Employment with Helen Brockwell.
        Your fourth seat, from 3 March 2025, is Private Client with Marcus Thorne.

        Corporate drops out of your rotation altogether. This replaces seats three and four of
        the plan that I gave you in August 2023; seats one and two stand as they were.

        Best wishes,
        Dinah

        > From: Adam Whitlock
        > Sent: 2 July 2024 09:12
        >
        > Dear Dinah, could you tell me whether seat three is still Corporate? Oliver has
        > asked when I finish here and I would like to read myself in over August.
        > Many thanks, Adam
        """,
        created="2024-07-09 11:52",
    )
    reviews = {
        "1_Litigation": (
            "Commercial Litigation, September 2023 to March 2024, with Priya Nandakumar",
            "Bundles, attendance notes and a case management hearing in Brackwater.",
            "I asked my questions too late. Twice I lost a day on a draft because I did not"
            " check what Priya wanted; from now on I ask within the first hour.",
            "2024-02-28 17:20",
        ),
        "2_RealEstate": (
            "Real Estate, March to August 2024, with Oliver Strand",
            "The bakery lease from heads of terms to completion; eleven title reports.",
            "Asking early has worked. My weak point was time recording: I filled in whole weeks"
            " from memory, so from now on I record my time before I leave the desk.",
            "2024-08-27 17:45",
        ),
        "3_Employment": (
            "Employment, September 2024 to February 2025, with Helen Brockwell",
            "The Osei claim, two settlement agreements and a handbook review.",
            "Time is recorded every day now. What I still do is take on too much: in January I"
            " said yes to everybody, so in the last seat I ask who needs it first, and by when.",
            "2025-02-26 18:05",
        ),
    }
    for name, (seat, work, lesson, when) in reviews.items():
        desk.docx(
            f"{SEATS}/Seat_Review_{name}.docx",
            f"""
            # End-of-seat review: my own notes

            Seat: {seat}.

            ## What I did
            {work} The full list is in the training diary, which I keep on the firm's system.

            ## What went well
            Files were always in order, and the supervisor said that my notes of meetings could
            be used as they were. I was trusted to ring clients on my own from the second month.

            ## What I would do differently
            {lesson}

            ## For the meeting
            Bring the diary, the list of hours and two questions about the next seat.
            """,
            created=when,
        )
    desk.pptx(
        f"{SEATS}/Trainee_Induction_2023-09.pptx",
        [
            Slide(
                "Welcome to Harcastle Vane",
                ["September 2023 intake: nine trainees", "Training principal: Ruth Adeyemi"],
                notes="Fire alarm test at 11:00, do not leave the building.",
            ),
            Slide(
                "Attendance notes",
                [
                    "Take the note on the day of the meeting or call",
                    "Your supervisor has it by 10:00 the next morning",
                    "Save it in the matter folder and record the time",
                ],
                notes="Ask the room who has written one before.",
            ),
            Slide(
                "Practical matters",
                ["Library: 08:00 to 20:00", "Lockers on floor two", "Post goes at 16:45"],
                table=[["Room", "Seats"], ["Ash", "6"], ["Beech", "10"], ["Cedar", "18"]],
            ),
        ],
        created="2023-09-04 09:10",
    )
    desk.vcf(
        f"{WORK}/Contacts.vcf",
        [
            _card("J. Marsh", "Brackwater Timber Ltd", "07700 900118", "jm@brackwater.example"),
            _card("J. Marsh", "Crumb & Copper Ltd", "07700 900352", "j.marsh@crumb.example"),
            _card("Priya Nandakumar", "Harcastle Vane LLP", "020 7946 0140", "priya.n@hv.example"),
            _card("Oliver Strand", "Harcastle Vane LLP", "020 7946 0152", "oliver.s@hv.example"),
            _card("Helen Brockwell", "Harcastle Vane LLP", "020 7946 0167", "helen.b@hv.example"),
            _card("Tom Ferreira", "flat", "07700 900461", "tom.f@postbox.example"),
            _card("Tom Okafor", "Tabard Rovers", "07700 900274", "tom.o@rovers.example"),
            _card("Sanjay (lettings)", "Lanternhill Lettings", "020 7946 0333", "s@lh.example"),
        ],
        created="2023-09-12 08:30",
        modified="2024-05-22 09:05",
    )


def _card(name: str, org: str, phone: str, email: str) -> dict[str, str]:
    return {"name": name, "org": org, "phone": phone, "email": email}
