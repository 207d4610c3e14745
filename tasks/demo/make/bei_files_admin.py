"""Bei's paperwork: lease, camera warranty, gear, invoices and rates."""

from __future__ import annotations

from deskgym.tasks.demo.make.kit import Desk, Place, Scene

STUDIO = Place(1.3162, 103.8951, "Geylang, Singapore")
PENINSULA = Place(1.2925, 103.8507, "North Bridge Road, Singapore")


def add_files(desk: Desk) -> None:
    """Write the papers that keep the business going."""
    _lease(desk)
    _warranty(desk)
    _gear(desk)
    _money(desk)


def _lease(desk: Desk) -> None:
    desk.pdf(
        "Downloads/Tenancy Agreement 03-14 signed.pdf",
        [
            """
            # Tenancy Agreement - Unit #03-14

            This agreement is made on 3 July 2023 between Wharfside Workrooms Pte. Ltd. (the
            Landlord) and Bei Lindqvist-Tan, trading as Papaya Moon (the Tenant), for the workroom
            at 21 Jalan Pasir Wharf, Unit #03-14, Singapore (the Premises).

            1. The Term begins on 15 July 2023 and its last day is 14 July 2025.

            2. The rent is S$1,850 a month, payable in advance on the first day of each month by
            bank transfer. A late payment bears interest of one per cent a month.

            3. On signing, the Tenant pays a deposit of two months' rent, S$3,700. The Landlord
            returns it within thirty days of the end of the Term, less the cost of any repairs
            that go beyond fair wear and tear.

            4. The Tenant may use the Premises as a design and video workroom only. Nobody may
            sleep there. Visitors leave the building by 22:30.

            5. The Landlord keeps the lift, the loading bay and the roof in repair.
            """,
            """
            ## Continued

            6. The Tenant may paint the walls and put up shelves, and makes good all screw holes
            before handing the Premises back.

            7. One cat may be brought to the Premises during the day. It may not go into the lift
            lobby. The Tenant answers for damage done by it.

            8. Electricity is metered and billed every two months. Water is included in the rent.

            9. A Tenant who does not wish to go on after the Term gives the Landlord written notice
            at least two calendar months before the last day of the Term. Without such notice the
            tenancy runs on for twelve months at the rent then due.

            10. Changes to this agreement are valid only in writing and signed by both parties.

            Signed: R. Sivanathan for the Landlord; Bei Lindqvist-Tan, Tenant. 3 July 2023.
            """,
        ],
        created="2023-07-03 19:42",
    )
    desk.scan(
        "Downloads/scan0007 (1).pdf",
        [
            """
            # Amendment No. 1

            to the Tenancy Agreement of 3 July 2023, Unit #03-14, 21 Jalan Pasir Wharf

            The parties agree on 26 February 2024:

            A. In clause 9 the words "two calendar months" are replaced by "three calendar months".

            B. In clause 4 the time "22:30" is replaced by "23:00".

            C. All other clauses stay as they are.

            Signed: R. Sivanathan, Wharfside Workrooms Pte. Ltd.

            Signed: Bei Lindqvist-Tan
            """
        ],
        created="2024-02-26 17:05",
        modified="2024-02-26 17:09",
    )


def _warranty(desk: Desk) -> None:
    desk.image(
        "Desktop/New Folder (2)/IMG_4471.jpg",
        [
            "PENINSULA PHOTO NOOK",
            "North Bridge Road",
            "18 NOV 2023  15:12",
            "VELTRA M5 BODY  3,249.00",
            "SD CARD 128 x2     96.00",
            "TOTAL S$        3,345.00",
            "PAID BY CARD",
        ],
        style="receipt",
        created="2023-11-18 15:31",
        place=PENINSULA,
    )
    desk.pdf(
        "Downloads/veltra_warranty_EN.pdf",
        [
            """
            # Veltra cameras - limited warranty (Asia Pacific)

            Thank you for choosing a Veltra camera. Please read this sheet and keep it together
            with your proof of purchase.

            ## 1. How long

            Veltra repairs or replaces a faulty camera free of charge for 24 months from the date
            of purchase shown on the receipt.

            The period is extended by a further 12 months if the owner registers the camera on our
            website within 30 days of purchase. Later registrations do not extend it.

            ## 2. What is covered

            | Part | Covered |
            | Body, sensor, shutter | yes |
            | Rubber grips and eye cup | first 12 months only |
            | Batteries and straps | no |

            ## 3. What is not

            Damage by water, sand, or drops; cameras opened by anybody but a Veltra service desk;
            cameras whose serial number cannot be read.

            ## 4. How to claim

            Bring camera and receipt to a service desk, or write to us first and we will send a
            padded box. Repairs take ten working days on average.
            """
        ],
        created="2023-11-20 09:14",
    )
    desk.eml(
        "Admin/mail/Your Veltra registration.eml",
        sender="Veltra Owners <owners@veltra.example>",
        to="Bei Lindqvist-Tan <bei@papayamoon.example>",
        subject="We have registered your camera",
        body="""
            Dear Bei,

            thank you for registering with Veltra Owners.

            Camera: Veltra M5
            Serial number: VM5-20731-K
            Registered on: 2 December 2023

            As an owner you get our letter four times a year, early news of firmware, and a free
            sensor cleaning in the first year (please book ahead, the desk is small and popular).

            What this registration means for your warranty depends on the date of your purchase;
            the warranty sheet that came with the camera explains it. We do not keep your receipt,
            so please do.

            Best wishes
            Veltra Owners, Singapore service desk
            """,
        created="2023-12-02 21:47",
    )


def _gear(desk: Desk) -> None:
    desk.xlsx(
        "Admin/gear list.xlsx",
        {
            "Gear": [
                ["Item", "Serial", "Bought", "Price S$", "Insured S$", "Notes"],
                [
                    "Veltra M5 body",
                    "VM5-20731-K",
                    "Nov 2023",
                    3249,
                    3100,
                    "warranty Nov 2025 (std)",
                ],
                ["Orbis 35 mm f/1.8", "worn off??", "Feb 2024, from Daniel", 640, 780, "2nd hand"],
                ["Orbis 85 mm f/2", "OB85-11830", "Jun 2024", 910, 1050, ""],
                ["Tern R4 recorder", "R4-55172", "Aug 2023", 389, 350, "eats batteries"],
                ["Halde travel tripod", "-", "Apr 2024", 268, 210, "one foot missing"],
                ["LED panel x2", "LP-0918 / LP-0921", "Sep 2023", 440, 400, "box 2"],
            ],
            "Insurance": [
                ["What", "Value"],
                ["Insurer", "Straits Mutual"],
                ["Renewal", "every 1 September"],
                ["Excess S$", 150],
                ["Abroad", "yes, up to 30 days a trip"],
            ],
        },
        created="2023-11-19 10:20",
        modified="2024-08-31 23:52",
    )
    desk.video(
        "Desktop/New Folder (2)/shelves after tidy.mov",
        [
            Scene(3, ["STUDIO SHELVES", "so I stop asking"], "#3a3a34"),
            Scene(3, ["BOX 2", "LED panels"], "#4a4238"),
            Scene(3, ["BOX 4", "cables + clamps"], "#38424a"),
            Scene(4, ["BOX 7", "orange drive: Lisbon rushes"], "#5a3a20"),
            Scene(4, ["BOX 9", "grey drive: Kyoto rushes"], "#444444"),
            Scene(3, ["BOX 11", "tax papers, do not open"], "#2a2a3a"),
        ],
        created="2025-01-11 16:20",
        place=STUDIO,
    )


def _rows(*lines: str) -> list[list[object]]:
    """Rows of a sheet from lines with bars between the cells; whole numbers become numbers."""
    cells = [[cell.strip() for cell in line.split("|")] for line in lines]
    return [[int(cell) if cell.isdigit() else cell for cell in row] for row in cells]


def _money(desk: Desk) -> None:
    head = "No | Client | Job | Delivered | Invoiced | S$ | Terms | Paid"
    desk.xlsx(
        "Admin/invoice tracker.xlsx",
        {
            "2024": _rows(
                head,
                "INV-2024-006|Kopi Harbour|launch reel|2024-04-05|2024-04-26|4250|30 d|2024-05-31",
                "INV-2024-011|Foldwell Books|cover|2024-06-07|2024-06-28|1380|30 d|2024-07-22",
                "INV-2024-017|Lumen & Sons|shop film|2024-08-30|2024-09-20|1560|14 d|??",
                "INV-2024-019|Lumen Studio|Slow Light|2024-09-12|2024-10-03|6800|30 d|see bank",
            ),
            "2025": _rows(
                head,
                "INV-2025-002|Foldwell Books|clips|2025-01-20|2025-02-10|1650|30 d|2025-03-04",
                "INV-2025-005|Northquay|Tidal Rooms 1/2|2025-05-02|2025-05-23|4800|45 d|",
            ),
        },
        created="2024-01-04 11:00",
        modified="2025-05-23 18:40",
    )
    desk.text(
        "Downloads/statement_2024-10.csv",
        """
        date,description,out,in,balance
        2024-10-01,WHARFSIDE WORKROOMS RENT,1850.00,,9412.35
        2024-10-02,PASAR FRESH MART,48.20,,9364.15
        2024-10-04,F YUSOF AUG SEP,1440.00,,7924.15
        2024-10-07,HORIZON MOBILE,38.00,,7886.15
        2024-10-11,LUMEN & SONS INV-2024-017,,1560.00,9446.15
        2024-10-14,STRAITS MUTUAL GEAR,31.50,,9414.65
        2024-10-18,WHISKER CLINIC,92.00,,9322.65
        2024-10-21,FOLDWELL BOOKS DEPOSIT,,500.00,9822.65
        2024-10-25,LUMEN STUDIO INV-2024-019,,6800.00,16622.65
        2024-10-30,CARD PAYMENT,612.88,,16009.77
        """,
        created="2024-11-02 08:58",
    )
    desk.pdf(
        "Admin/rate card 2023-24.pdf",
        [
            """
            # Papaya Moon - rate card 2023/24

            Bei Lindqvist-Tan, design and small films. 21 Jalan Pasir Wharf #03-14, Singapore.

            | Work | Rate |
            | Day rate, design or edit | S$950 |
            | Half day | S$520 |
            | Shoot day, own camera | S$1,250 |
            | Captions, per finished minute | S$45 |

            Prices hold until the end of 2024. One round of changes is included unless we agree
            something else in writing. Rush work (less than five working days) costs a quarter more.
            Travel outside Singapore is charged at cost. I am not registered for GST.

            Files are kept for two years after delivery, on two drives, and then deleted unless
            you ask me not to.
            """
        ],
        created="2023-10-02 14:10",
    )
    desk.docx(
        "Admin/for Mrs Chua - tax YA2025 (draft).docx",
        """
        # Notes for Mrs Chua, tax for 2024

        Dear Mrs Chua, here is what I have so far. The receipts are in two shoeboxes and a folder
        on my desktop whose name I am not proud of.

        ## Income

        All invoices of 2024 are in the tracker. Please note that there are two Lumens: the
        lighting people (Studio) and the watch repairers (and Sons). Last year we mixed them up
        and had to write to the tax office twice.

        ## Costs

        - rent for the workroom, twelve months
        - Farah's days, see her hours sheet
        - camera and lenses (the camera was bought in 2023, so only this year's share)
        - a third of my phone

        ## Open questions

        - Is the Kyoto trip private? I shot nothing for clients there, so I think yes.
        - Can the cat's second bed count as studio furniture? (A joke. Mostly.)

        I will bring the papers on a Thursday, as usual in the afternoon. Thank you!
        """,
        created="2025-02-27 22:16",
        modified="2025-03-05 23:30",
    )
