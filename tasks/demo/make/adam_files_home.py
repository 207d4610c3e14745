"""Adam's flat: the lease and what changed it, the inventory, the meters."""

from __future__ import annotations

from deskgym.tasks.demo.make.kit import Desk, Place, Scene

FLAT = Place(51.4739, -0.0651, "Kestrel Road, London SE15")

LEASE = "02_Home/01_Lease"
ROOMS = "02_Home/02_Flat"


def add_files(desk: Desk) -> None:
    """Write everything below ``02_Home``."""
    _lease(desk)
    _renewal(desk)
    _flat(desk)


def _lease(desk: Desk) -> None:
    desk.pdf(
        f"{LEASE}/Lease_17_Kestrel_Road_FINAL-signed.pdf",
        [
            """
            # Tenancy agreement

            Flat 3, 17 Kestrel Road, London SE15. Dated 12 August 2023.

            | Party | Name |
            | Landlord | Agnes Delacourt |
            | Agent | Lanternhill Lettings, 9 Marl Street, London SE15 |
            | Tenants | Adam Whitlock and Thomas Ferreira, jointly |

            ## 1. Term
            Twelve months from 1 September 2023 to 31 August 2024.

            ## 2. Rent
            £1,480 a month for the whole flat, due on the first of each month by bank transfer.

            ## 3. Deposit
            £1,705, held in a deposit scheme under reference KD-33817 and returned within ten
            days of the end of the tenancy, less any fair deduction shown by the inventory.

            ## 4. Bills
            The tenants pay for electricity, gas, water, council tax and broadband.
            """,
            """
            ## 5. Care of the flat
            5.1 No nails or screws in the bay window wall. 5.2 Washing is dried outside or with
            a window open. 5.3 No painting without the agent's consent in writing.

            ## 6. Access
            The agent may enter at reasonable hours on twenty-four hours' notice. The boiler is
            serviced once a year, in November.

            ## 7. End of the tenancy
            7.1 The flat is handed back clean and with all keys. 7.2 The tenants give notice of
            not less than two months, in writing, to the agent. Notice must reach the agent at
            least that long before the last day of the term. 7.3 Without notice the tenancy goes
            on from month to month.

            ## 8. Pets
            No pets, except fish, without consent.

            Signed: A. Delacourt, A. Whitlock, T. Ferreira
            """,
        ],
        created="2023-08-12 13:30",
    )
    desk.pdf(
        f"{LEASE}/Lease_Amendment_No1_2024-02.pdf",
        [
            """
            # Amendment No. 1

            to the tenancy agreement of 12 August 2023 for Flat 3, 17 Kestrel Road, London SE15,
            made on 16 February 2024 between Agnes Delacourt and the tenants Adam Whitlock and
            Thomas Ferreira.

            ## Background
            The tenants have asked for a shorter period of notice, since trainees and nurses may
            be posted elsewhere at short notice. The landlord has asked for a fixed day for the
            yearly service of the boiler. Both are content to give what the other asks.

            ## What changes
            A. In clause 7.2 the words "two months" are replaced by "six weeks".

            B. At the end of clause 6 these words are added: "The service takes place on the
            second Tuesday of November between 8:00 and 11:00, without further notice."

            ## What stays
            All other clauses remain as they are, including the second sentence of clause 7.2.
            This amendment also holds for any renewal of the tenancy unless the renewal says
            otherwise.

            Signed: A. Delacourt, A. Whitlock, T. Ferreira
            """
        ],
        created="2024-02-16 18:45",
    )


def _renewal(desk: Desk) -> None:
    desk.docx(
        f"{LEASE}/Renewal_Draft_v1.docx",
        """
        # Renewal of tenancy (draft v1)

        Lanternhill Lettings, 3 June 2024. Flat 3, 17 Kestrel Road, London SE15.

        Dear Mr Whitlock and Mr Ferreira,

        Your tenancy runs out on 31 August 2024. The landlord would be glad to keep you and
        offers a renewal on these terms:

        - Term: twelve months from 1 September 2024.
        - Rent: £1,580 a month from 1 September 2024.
        - Deposit: unchanged.
        - All other clauses as in the agreement of 12 August 2023 and its amendment.

        Rents in the area have gone up by more than nine per cent over the year, so we hope that
        you will find this fair. Please let us have your answer by 14 June.

        With kind regards,

        Sanjay, Lanternhill Lettings
        """,
        created="2024-06-03 10:30",
    )
    desk.eml(
        f"{LEASE}/2024-06-11_Renewal_rent.eml",
        sender="Adam Whitlock <adam.whitlock@postbox.example>",
        to="Sanjay <s@lh.example>",
        cc="Tom Ferreira <tom.f@postbox.example>",
        subject="RE: Renewal, Flat 3, 17 Kestrel Road",
        body="""
        Dear Sanjay,

        Thank you for the draft. We would like to stay, but £100 a month is more than we can
        justify while the window in the back bedroom still sticks. Two flats of the same size
        on the road are on offer at £1,540 and £1,550.

        Could you ask Mrs Delacourt whether she would accept £1,545, on the footing that we
        sign this month and that she has no empty weeks?

        If so please send a letter for signature. Tom is on nights until Friday.

        Kind regards,
        Adam

        > From: Sanjay, Lanternhill Lettings
        > Sent: 10 June 2024 16:02
        > Just a nudge about the renewal at £1,580. The landlord is keen to have it settled.
        """,
        created="2024-06-11 21:14",
    )
    desk.scan(
        f"{LEASE}/Renewal_Letter_signed_scan.pdf",
        [
            """
            # Lanternhill Lettings

            20 June 2024

            Flat 3, 17 Kestrel Road, London SE15

            Dear Mr Whitlock and Mr Ferreira,

            Thank you for your mail of 11 June. I have put it to Mrs Delacourt, who would sooner
            keep two careful tenants than start again with strangers, and who asks me to say so.
            The landlord has agreed to your figure.

            The new rent is £1,545 a month from 1 September 2024.

            The renewed term ends on 31 August 2025.

            The deposit stays where it is, under the same reference. All other clauses of the
            agreement go on as they stand, with what has been changed since it was signed.

            The sash window in the back bedroom will be looked at before the winter; the joiner
            will ring one of you for a time. He needs the desk to be moved away from the wall.

            Please sign below and send one copy back to the office by the end of the month. The
            other copy is for your own papers.

            Sanjay, for the landlord

            Signed: A. Whitlock, T. Ferreira
            """
        ],
        created="2024-06-24 19:20",
    )


def _flat(desk: Desk) -> None:
    desk.xlsx(
        f"{ROOMS}/Inventory_2023-09-01.xlsx",
        {
            "Inventory": [
                ["Room", "Item", "Condition at move-in", "Count"],
                ["Hall", "Front door keys", "New", 4],
                ["Hall", "Coat rail", "Two hooks missing", 1],
                ["Kitchen", "Worktop", "No marks noted", 1],
                ["Kitchen", "Hob, four rings", "Clean, one knob loose", 1],
                ["Kitchen", "Fridge freezer", "Shelf cracked", 1],
                ["Back bedroom", "Sash window", "Lock sticks", 1],
                ["Back bedroom", "Desk", "Ring stain, left", 1],
                ["Front bedroom", "Wardrobe", "Good", 1],
                ["Bathroom", "Shower screen", "Limescale", 1],
            ],
            "Who has what": [
                ["Thing", "Whose"],
                ["Sofa", "Landlord"],
                ["Toaster", "Tom F"],
                ["Kettle and scales", "Adam"],
            ],
        },
        created="2023-09-01 16:00",
        modified="2023-09-03 10:12",
    )
    desk.text(
        f"{ROOMS}/Meter_readings.csv",
        """
        date,electricity_kwh,gas_m3,read_by
        2023-10-01,48431,2210,Adam
        2024-01-01,49390,2467,Tom F
        2024-04-01,50288,2701,Adam
        2024-07-01,51012,2749,Adam
        2024-10-01,51770,2790,Tom F
        2025-01-01,52725,3041,Adam
        2025-04-01,53598,3262,Adam
        2025-06-01,54102,3290,Adam
        """,
        created="2023-10-01 11:00",
        modified="2025-06-01 10:20",
    )
    desk.image(
        f"{ROOMS}/IMG_0077_boiler.jpg",
        [
            "THERMALINE 24 COMBI",
            "Serial  TL24-90317-K",
            "Made 2016   Gas 20 mbar",
            "Last service 11/2023",
            "Set pressure 1.4 bar",
        ],
        style="photo",
        created="2023-11-14 09:40",
        place=FLAT,
    )
    desk.video(
        f"{ROOMS}/Move_in_2023-09-01.mp4",
        [
            Scene(4, ["Flat 3, 17 Kestrel Road", "Move-in film, 1 September 2023"], "#203040"),
            Scene(
                5,
                ["Hall cupboard", "Electricity meter: 48217 kWh"],
                "#303830",
                "This is the meter in the hall cupboard.",
            ),
            Scene(
                5,
                ["Kitchen worktop", "Burn mark left of hob: 6 cm"],
                "#503028",
                "And this was here before us.",
            ),
            Scene(4, ["Back bedroom", "Sash window sticks"], "#283850"),
        ],
        created="2023-09-01 12:25",
        place=FLAT,
    )
    desk.text(
        f"{ROOMS}/Bins_and_recycling.html",
        """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8"><title>Your collection days</title></head>
        <body>
        <h1>Collection days for Kestrel Road</h1>
        <p>Saved from the council's page. Bins go out by 6:30 and not before 18:00 the evening
        before. Lids must close.</p>
        <table>
        <tr><th>What</th><th>Day</th><th>How often</th></tr>
        <tr><td>Rubbish</td><td>Tuesday</td><td>every second week</td></tr>
        <tr><td>Recycling</td><td>Tuesday</td><td>every week</td></tr>
        <tr><td>Food waste</td><td>Friday</td><td>every week</td></tr>
        </table>
        <p>After a bank holiday everything is one day later.</p>
        </body></html>
        """,
        created="2023-09-05 20:10",
    )
