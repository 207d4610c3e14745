"""Adam's exams and his money."""

from __future__ import annotations

import json

from deskgym.tasks.demo.make.kit import Desk

STUDY = "03_Study"
MONEY = "04_Money"


def add_files(desk: Desk) -> None:
    """Write everything below ``03_Study`` and ``04_Money``."""
    _study(desk)
    _study_media(desk)
    _money(desk)


def _study(desk: Desk) -> None:
    desk.text(
        f"{STUDY}/Revision_Plan.md",
        """
        # Financial and Business Skills: revision plan

        Exam in October 2024. The course handbook (2023 edition) says that the pass mark is
        50 per cent; three hours, two parts, open book for the rules.

        ## How I work
        1. Read one chapter and turn it into cards on the same evening.
        2. Run the card script every evening; never more than thirty cards.
        3. Timed mock paper on Saturday at 9:30, on paper, phone in the kitchen.
        4. Every wrong answer of the mock becomes a new card on the same day.

        ## Chapters
        - [x] Client account and office account
        - [x] Interest to clients
        - [x] Reconciliations
        - [x] Transfers between ledgers
        - [ ] Delivered bills and VAT
        - [ ] Financial services: what we may and may not do

        ## Paper and pens
        Green for client money, blue for office money, so that a slip shows at once.
        """,
        created="2024-08-12 20:30",
        modified="2024-09-22 11:40",
    )
    desk.text(
        f"{STUDY}/FBS_notes.tex",
        r"""
        \documentclass[11pt]{article}
        \title{Financial and Business Skills: notes}
        \author{A. Whitlock}
        \begin{document}
        \maketitle
        \section{Two kinds of money}
        Client money belongs to the client and is kept in a client account, apart from the
        firm's own. A receipt that is partly one and partly the other is split, or paid into
        the client account first and the office part moved out within fourteen days.
        \section{Reconciliation}
        Compare three balances: the bank statement, the cash book, and the sum of the ledgers.
        \[ B_{\mathrm{bank}} = B_{\mathrm{book}} = \sum_i L_i \]
        Do it at least every five weeks and keep the working. Differences are put right at
        once, from the firm's own money if need be.
        \section{What I keep getting wrong}
        \begin{itemize}
          \item a bill must have been delivered before costs are moved;
          \item interest is fair, not fixed.
        \end{itemize}
        \end{document}
        """,
        created="2024-08-26 21:15",
        modified="2024-10-06 18:00",
    )
    cards = [
        ("Where does a mixed receipt go?", "Split it, or client account first.", "chapter 1"),
        ("How often are accounts reconciled?", "At least every five weeks.", "chapter 3"),
        ("When may costs be moved?", "After a bill has been delivered.", "mock 1, wrong"),
        ("Is interest to clients a fixed rate?", "No, a fair sum.", "mock 2, wrong"),
        ("Who may sign a withdrawal?", "A person named in the firm's policy.", "mock 3, wrong"),
    ]
    desk.text(
        f"{STUDY}/cards.json",
        json.dumps(
            [{"front": front, "back": back, "source": source} for front, back, source in cards],
            indent=2,
        ),
        created="2024-08-13 21:00",
        modified="2024-09-28 12:45",
    )
    desk.text(
        f"{STUDY}/card_script.py",
        '''
        """Evening cards: at most thirty, the ones that I got wrong in a mock come first."""

        import json
        import random

        LIMIT = 30


        def pick(cards):
            """Wrong ones first, then the rest in any order."""
            wrong = [c for c in cards if c["source"].endswith("wrong")]
            rest = [c for c in cards if not c["source"].endswith("wrong")]
            random.shuffle(rest)
            return (wrong + rest)[:LIMIT]


        if __name__ == "__main__":
            for card in pick(json.load(open("cards.json", encoding="utf-8"))):
                input(card["front"])
                print("  ", card["back"])
        ''',
        created="2024-08-14 22:05",
    )
    desk.pdf(
        f"{STUDY}/2024-11-04_FBS_Result.pdf",
        [
            """
            # Blackmoor School of Practice

            4 November 2024

            Dear Mr Whitlock,

            ## Financial and Business Skills, sitting of 10 October 2024

            I am pleased to tell you that you have passed.

            | Part | Mark |
            | A: accounts | 78 |
            | B: financial services | 70 |
            | Overall | 74 |

            A certificate follows by post. You may ask for your paper to be re-marked within 21
            days, for a fee that is returned if the mark goes up. The other parts of the course
            are reported on separately by their own tutors.

            Yours sincerely, the Registrar
            """
        ],
        created="2024-11-04 17:30",
    )


def _study_media(desk: Desk) -> None:
    desk.chart(
        f"{STUDY}/Mock_scores.png",
        "My mock papers, 2024",
        {"31 Aug": 48, "7 Sep": 57, "21 Sep": 66, "28 Sep": 71},
        kind="bar",
        unit="%",
        created="2024-09-28 12:50",
    )
    desk.speech(
        f"{STUDY}/Lecture_2024-09-19_clip.ogg",
        [
            "One thing about Financial and Business Skills before we stop.",
            "Your handbook is out of date on this point.",
            "From this autumn the pass mark is sixty per cent, not fifty.",
            "And bring a calculator that makes no noise.",
        ],
        voice="en-gb",
        speed=150,
        created="2024-09-19 16:55",
    )
    desk.image(
        f"{STUDY}/Exam_slot.webp",
        [
            "My sittings",
            "Financial and Business Skills",
            "Thursday 10 October 2024",
            "Starts 09:30, doors 09:00",
            "Hall B, seat 114",
            "Status: confirmed",
        ],
        style="screenshot",
        created="2024-08-09 12:35",
    )


def _money(desk: Desk) -> None:
    months_2024: list[list[object]] = [
        ["Month", "Paid on", "Net pay", "Rent, my part", "Food", "Saved", "Saved on"],
        ["2023-10", "2023-10-25", 2871.40, 780, 264, 250, "2023-10-26"],
        ["2023-11", "2023-11-24", 2871.40, 780, 251, 250, "2023-11-25"],
        ["2023-12", "2023-12-22", 2871.40, 780, 318, 0, "-"],
        ["2024-01", "2024-01-25", 2871.40, 780, 240, 250, "2024-01-26"],
        ["2024-02", "2024-02-23", 2871.40, 780, 236, 250, "2024-02-24"],
        ["2024-03", "2024-03-25", 2871.40, 780, 259, 250, "2024-03-26"],
        ["2024-04", "2024-04-25", 2880.10, 780, 247, 250, "2024-04-26"],
        ["2024-05", "2024-05-24", 2880.10, 780, 255, 250, "2024-05-25"],
        ["2024-06", "2024-06-25", 2880.10, 780, 262, 250, "2024-06-26"],
    ]
    months_2025: list[list[object]] = [
        ["Month", "Paid on", "Net pay", "Food", "Gym", "Saved", "Saved on"],
        ["2024-09", "2024-09-25", 3052.17, 266, 34, 300, "2024-09-26"],
        ["2024-10", "2024-10-25", 3052.17, 258, 34, 300, "2024-10-26"],
        ["2024-11", "2024-11-25", 3052.17, 271, 34, 300, "2024-11-26"],
        ["2024-12", "2024-12-20", 3052.17, 335, 34, 0, "-"],
        ["2025-01", "2025-01-24", 3052.17, 249, 39, 300, "2025-01-25"],
        ["2025-02", "2025-02-25", 3052.17, 244, 39, 300, "2025-02-26"],
        ["2025-03", "2025-03-25", 3052.17, 260, 39, 300, "2025-03-26"],
        ["2025-04", "2025-04-25", 3061.05, 268, 39, 300, "2025-04-26"],
    ]
    desk.xlsx(
        f"{MONEY}/Budget_2023-24.xlsx",
        {
            "Months": months_2024,
            "Rent split": [
                ["From", "Whole flat", "Adam", "Tom F"],
                ["2023-09-01", 1480, 780, 700],
            ],
        },
        created="2023-10-01 18:55",
        modified="2024-06-30 18:40",
    )
    desk.xlsx(
        f"{MONEY}/Budget_2024-25.xlsx",
        {
            "Months": months_2025,
            "Rent split": [
                ["From", "Whole flat", "Adam", "Tom F"],
                ["2024-09-01", 1545, 815, 730],
            ],
            "Wedding": [
                ["Item", "Planned", "Paid"],
                ["Train", 62, 58.40],
                ["Suit hire", 78, "see receipt"],
                ["Present, half with Mum", 90, 90],
            ],
        },
        created="2024-09-01 19:05",
        modified="2025-04-27 18:50",
    )
    desk.pdf(
        f"{MONEY}/Payslip_2024-09.pdf",
        [
            """
            # Harcastle Vane LLP: pay advice

            Adam Whitlock, trainee solicitor. Period: September 2024. Paid on 25 September 2024.

            | Item | Amount |
            | Basic pay | £4,395.83 |
            | Income tax | -£669.20 |
            | National Insurance | -£267.67 |
            | Student loan | -£187.00 |
            | Pension (employee, 5 per cent) | -£219.79 |
            | Net pay | £3,052.17 |

            Tax code 1257L. Questions to payroll, extension 214, by the end of the month. Please
            keep this advice; a copy costs £5.
            """
        ],
        created="2024-09-25 07:00",
    )
    desk.text(
        f"{MONEY}/Subscriptions.csv",
        """
        what,price_per_month,since,cancel_by
        Gym (Ironwharf),34.00,2023-10-02,one month
        Phone,14.00,2021-05-01,any time
        Law reports app,0.00,2023-09-04,paid by firm
        Music,5.99,2022-01-15,any time
        Broadband (half),13.50,2023-09-01,2025-08-31
        """,
        created="2023-10-03 19:00",
        modified="2024-03-03 18:45",
    )
    desk.image(
        f"{MONEY}/Receipts/2025-04-12_suit.png",
        [
            "MARLOWE & PIKE",
            "Formal hire",
            "12 Apr 2025   15:42",
            "Usher suit, grey     82.00",
            "Waistcoat            19.50",
            "TOTAL          £ 101.50",
            "Collect Thu 15 May",
        ],
        style="receipt",
        created="2025-04-12 15:50",
    )
    desk.image(
        f"{MONEY}/Receipts/2024-10-16_cafe.png",
        [
            "CORNER PRESS CAFE",
            "16 Oct 2024   08:02",
            "Flat white, oat     3.90",
            "Halloumi wrap       7.20",
            "TOTAL            £ 11.10",
            "Thank you, Adam!",
        ],
        style="receipt",
        created="2024-10-16 08:05",
    )
