"""Victoria's purchase of Unit 6C: offer, contract, amendment, mortgage, move."""

from __future__ import annotations

from deskgym.tasks.demo.make.kit import Desk, Place, Scene

CONDO = "Personal/Condo 214 Wexcombe"
HOUSE = Place(40.6602, -73.9620, "Wexcombe Street, Brooklyn")
HOME_MAIL = "Victoria Okafor-Reyes <v.okafor.reyes@postbox.example>"
REALTOR = "David Chen <d.chen@vanderhook.example>"

SEARCH = """
# Flat hunt, autumn 2024 to January 2025
With David Chen (the realtor, Vanderhook, not the other one). Saturdays after eleven only.

## Seen
- 12 Oct  Orrin Place 3A. Bright, but over a bar. Could hear the bass at noon. NO.
- 19 Oct  Tilbury Ave 1B. Ground floor, dark, bars on the windows. NO. No more ground floors.
- 26 Oct  Marl Street 5. Walk-up, five flights, M. counted them aloud. NO.
- 16 Nov  Orrin Place 7D. Back of the house, silent. Piano rule: "no instruments". NO, a pity.
- 23 Nov  Kestrel Row 2F. Lovely kitchen, faces the avenue, trucks all night. NO.
- 11 Jan  Wexcombe 214, 6C. Rear, trees, lift, laundry in the basement, instruments until nine.
  Asked $1,195,000. Ife chose her room within a minute. YES.

## Must haves, in this order
1. Quiet: rear-facing, whatever the view
2. Instruments allowed
3. A lift, if above the second floor
4. Ten minutes on foot to Ife's school

A new kitchen is nice and I would not pay for it.
"""

OFFER = """
# Offer to purchase
27 January 2025

To: Sedge Hill Holdings LLC, seller, through Vanderhook Realty

Re: 214 Wexcombe Street, Unit 6C, Brooklyn

Dear Sirs,

My husband Mateo Reyes and I offer to buy the unit named above for $1,145,000, with twenty per
cent paid by us and the rest by a mortgage from Tidewell Home Lending, which has given us a
letter of approval dated 20 January 2025.

We can sign within three weeks and close in the middle of April. We would be glad to have the
chandelier in the dining room and the blinds, which were surely cut for these windows.

We have lived four streets away for nine years. Our daughter can walk to her school from this
door. This is not an investment.

The offer stands until 5 February 2025.

Victoria Okafor-Reyes
"""

CONTRACT_1 = """
# Contract of sale - condominium unit
Signed on 14 February 2025

Seller: Sedge Hill Holdings LLC. Purchasers: Victoria Okafor-Reyes and Mateo Reyes.

Premises: 214 Wexcombe Street, Unit 6C, Brooklyn, with one storage cage, to be assigned before
closing.

## 1. Price
1.1 The purchase price is $1,160,000.

1.2 On signing, purchasers pay a deposit of $116,000, held in escrow by the seller's attorney.

1.3 The balance is paid at closing.

## 2. Closing
2.1 Closing takes place on or about 15 April 2025.

2.2 Either party may adjourn once, by up to 20 days.

## 3. Mortgage
3.1 Purchasers will apply for a loan of 80% of the purchase price.
"""

CONTRACT_2 = """
## 4. What goes with the unit
4.1 Included: kitchen appliances, blinds, built-in shelves.

4.2 Not included: whatever is not named.

## 5. Condition
5.1 The unit is sold as it is, subject to an inspection report that purchasers may obtain within
ten business days from signing.

5.2 Heating in the unit is by its own boiler, in the kitchen closet.

## 6. Access
Purchasers may walk through the unit within 48 hours before closing.

Signed: V. Okafor-Reyes, M. Reyes, for the seller: P. Alderney, manager
"""

FIRST_AMENDMENT = """
# First amendment to contract of sale
3 March 2025 | 214 Wexcombe Street, Unit 6C

The parties to the contract of 14 February 2025 agree as follows.

1. In clause 1.1 the purchase price is changed to $1,152,500. The difference is a credit for the
boiler, which the inspection report found to be beyond its service life.

2. The deposit paid on signing is not changed.

3. Clause 3.1 applies to the changed price.

4. Everything else in the contract remains in force.

Signed: V. Okafor-Reyes, M. Reyes, for the seller: P. Alderney, manager
"""

LOCK = """
# Rate lock agreement
Tidewell Home Lending | 20 February 2025 | Loan 25-04471

Borrowers: Victoria Okafor-Reyes and Mateo Reyes

1. Loan amount: 80% of the purchase price, at present $928,000.

2. Rate: 6.375% fixed, 30 years.

3. Lock period: 60 days. The lock expires on 21 April 2025 at 5:00 pm.

4. If the purchase price changes, the loan amount changes with it and the rate does not.

5. Extension: one extension of 15 days may be granted. The fee is 0.125% of the loan amount as it
stands on the day of the extension, due at closing.

6. If the lock expires, the rate will be the higher of the locked rate and the market.

Priya Sandoval, loan officer
"""

EXTENSION = """
Dear Victoria,

the building's managing agent has still not sent the signed questionnaire, so the file cannot
be cleared by Monday. I have therefore asked for the extension and it was granted this morning.

Your rate of 6.375% is now locked until 6 May 2025, 5:00 pm. The fee is as in section 5 of the
lock agreement. I tried to have it waived, as the delay is not yours, and was told no.

Closing is set for Wednesday, 30 April 2025, 10:00 am, at the office of the seller's attorney.
Please bring two forms of identification each. Mateo's middle name is missing on one document,
I shall have it corrected.

Kind regards
Priya Sandoval
Tidewell Home Lending

> On 16 April 2025 Victoria Okafor-Reyes wrote:
> Priya, the lock runs out on the 21st and nobody at Copperline answers the telephone.
> What happens on the 22nd?
"""

AGENT_LETTER = """
# Copperline Management

6 January 2025

To whom it may concern: Unit 6C, 214 Wexcombe Street

At the request of the seller's attorney we confirm the following for the unit named above, as of
the date of this letter. We have no duty to tell anybody of later changes.

Common charges: $1,284.00 a month.

Special assessment for the roof: $310.00 a month.

The assessment ends with December 2026.

The charges are due on the first of the month and late from the tenth. The unit owed nothing on
31 December 2024. The building has a reserve of $402,000 and no lawsuit is pending, other than
one about a bicycle.

Instruments may be played from 9 am to 9 pm. Dogs up to 40 pounds are welcome; the board has
met every dog in the house and asks to meet yours.

Moves in and out: Monday to Saturday, deposit $500, returned if the lift survives. Please book
the lift two weeks ahead with the superintendent, Mr. Bartosz.

Storage cages are assigned by the seller. A lender's questionnaire takes us ten business days
from the day on which the fee of $175 arrives, and longer in spring.

R. Quill, managing agent
"""

LEAVING = """
Dear Victoria and Mateo,

congratulations again, and thank you for the cake. Three things before I forget.

The keys to the side gate are with the superintendent, Mr. Bartosz, who will want to see the deed
or at least a photograph of it. The walk-through on Monday evening took longer than I had said;
sorry about Ife's dinner.

Second, a personal matter. I am leaving Vanderhook Realty on 30 June 2025 and opening an office
of my own around the corner. My mobile number stays the same, the mail address does not.

Third: movers. I know two good firms. The one I used asked $1,540 for a flat of your size, but
that was a Tuesday in February.

All the best
David Chen
"""

CLOSING: dict[str, list[list[object]]] = {
    "Closing": [
        ["Item", "Amount ($)", "Paid to", "Status"],
        ["Title insurance", 4870, "Fulmar Abstract", "quoted 8 April"],
        ["Our attorney", 3200, "Ines Valdovinos", "fixed fee"],
        ["Bank attorney", 1250, "Tidewell", "fixed fee"],
        ["Recording", 385, "County", "tariff"],
        ["Move-in deposit", 500, "Copperline", "refundable"],
        ["Lock extension", "see lender", "Tidewell", "hope not"],
    ],
    "Old estimate Jan": [
        ["Item", "Amount ($)", "Paid to", "Status"],
        ["Title insurance", 5240, "guess", "web table"],
        ["Our attorney", 3000, "guess", ""],
        ["Bank attorney", 1100, "guess", ""],
        ["Recording", 400, "guess", ""],
    ],
    "Monthly": [
        ["Item", "Now (rent)", "Then (6C)"],
        ["Rent / mortgage", 4350, "depends on price"],
        ["Common charges", 0, "agent's letter"],
        ["After-care", 412, 412],
    ],
}


def add_files(desk: Desk) -> None:
    """Write the papers of the purchase, in the order in which they came."""
    desk.text(
        f"{CONDO}/01_flat_hunt.md", SEARCH, created="2024-10-12 21:30", modified="2025-01-11 20:04"
    )
    desk.docx(f"{CONDO}/02_offer_2025-01-27.docx", OFFER, created="2025-01-27 21:12")
    desk.scan(f"{CONDO}/03_letter_managing_agent.pdf", [AGENT_LETTER], created="2025-01-29 18:40")
    desk.image(
        f"{CONDO}/04_boiler_sticker.jpg",
        [
            "BOILER - UNIT 6C",
            "Ostrander Heating Co.",
            "INSTALLED   06/2004",
            "LAST SERVICE 11/2021",
        ],
        style="photo",
        place=HOUSE,
        created="2025-02-08 11:37",
    )
    desk.speech(
        f"{CONDO}/05_voicemail_realtor.ogg",
        [
            "Hi Victoria, David Chen from Vanderhook.",
            "The seller takes one million one hundred and sixty thousand, final word.",
            "The blinds stay, but they keep the chandelier.",
            "They want to sign on Valentine's Day. Call me on my mobile.",
        ],
        voice="en-us",
        created="2025-02-04 18:22",
    )
    desk.pdf(
        f"{CONDO}/06_contract_2025-02-14_FINAL-signed.pdf",
        [CONTRACT_1, CONTRACT_2],
        created="2025-02-14 15:05",
    )
    desk.pdf(f"{CONDO}/07_rate_lock_2025-02-20.pdf", [LOCK], created="2025-02-20 16:48")
    desk.pdf(
        f"{CONDO}/08_first_amendment_2025-03-03_FINAL-signed.pdf",
        [FIRST_AMENDMENT],
        created="2025-03-03 17:30",
    )
    desk.xlsx(
        f"{CONDO}/09_closing_costs_v2.xlsx",
        CLOSING,
        created="2025-01-19 15:00",
        modified="2025-04-10 21:26",
    )
    desk.eml(
        f"{CONDO}/10_lock_extended.eml",
        sender="Priya Sandoval <p.sandoval@tidewell.example>",
        to=HOME_MAIL,
        subject="Loan 25-04471: lock extended, closing date",
        body=EXTENSION,
        created="2025-04-17 14:06",
    )
    desk.video(
        f"{CONDO}/11_walk_through.webm",
        [
            Scene(5, ["UNIT 6C", "28 April 2025", "kitchen, empty"], say="Last look, kitchen."),
            Scene(5, ["ELECTRIC METER", "48213 kWh"], say="Meter, before anything is ours."),
            Scene(6, ["BASEMENT", "CAGE B2-17", "padlock, no key"], say="And this cage is ours."),
            Scene(4, ["LAUNDRY", "4 washers, 3 dryers"], say="Laundry, at last."),
        ],
        place=HOUSE,
        created="2025-04-28 19:14",
    )
    desk.eml(
        f"{CONDO}/12_from_David.eml",
        sender=REALTOR,
        to=HOME_MAIL,
        subject="Keys, and a bit of news",
        body=LEAVING,
        created="2025-05-02 10:31",
    )
    desk.image(
        f"{CONDO}/13_movers.jpg",
        [
            "FENWICK & DAUGHTERS",
            "Movers since 1988",
            "10 May 2025",
            "3 men x 7.5 h   1,462.50",
            "Piano, extra      260.00",
            "Tax               152.87",
            "TOTAL PAID      1,875.37",
            "card, thank you",
        ],
        style="receipt",
        place=HOUSE,
        created="2025-05-10 17:02",
    )
