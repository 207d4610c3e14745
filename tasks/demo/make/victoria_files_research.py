"""Victoria's research folders from the third quarter of 2023 to the second of 2024."""

from __future__ import annotations

from deskgym.tasks.demo.make.kit import Desk

INITIATION_1 = """
# Halvern Hydraulics Inc. (HLVN): Steady pressure
Larkmoor Securities LLC | Water and Flow Equipment | 22 August 2023

Analyst: Victoria Okafor-Reyes. Associate: Tomasz Wieland.

We initiate on Halvern Hydraulics with a Buy rating and a 12-month price target of $58.
Halvern makes valves and pumps for municipal water works and earns a third of its profit from
service contracts that its customers renew without much thought. We like businesses that
nobody thinks about.

## Why now
- Municipal orders have grown for nine quarters in a row and backlog covers 11 months of sales.
- The Tulsa plant, opened in 2021, reached its planned yield in June.
- Service margins of 31% are more than twice those of pumps.

## What could go wrong
- A single foundry supplies 70% of large castings.
- Inventory days of 84 are already above those of peers; we shall watch them.

Do not confuse Halvern Hydraulics (HLVN, Columbus, valves and pumps) with Halvorn Hydro (HVRN,
San Diego, desalination), which we do not cover at this time. Orders have been entered in the
wrong name before.
"""

INITIATION_2 = """
## Management
Ruth Salazar-Voss has been chief executive since 2018. David Chen joined as chief financial
officer in March 2022 from a maker of railway brakes. He is careful with guidance: in six
quarters he has not once missed the low end of a range.

## Estimates
| Year | Revenue ($m) | EPS ($) |
|---|---|---|
| FY22A | 1,207 | 2.38 |
| FY23E | 1,279 | 2.66 |
| FY24E | 1,352 | 2.97 |

## Valuation
We apply 19.5 times to our FY24 estimate of $2.97, which gives $57.92, rounded to $58. Peers
trade at 17 to 22 times.

## Disclosures
The analyst and her household hold no securities of Halvern Hydraulics. Larkmoor has not acted
for the company in the past twelve months.
"""

CHANNEL = """
# BRLM channel check, autumn 2023

Six calls between 9 and 20 October with people who buy water meters: four utilities, two
distributors. No names in this file; the list is with Ellen Marsh, as the rule says.

## What they said
- Lead times are back to 9 weeks (from 26 in the spring of 2022). Everybody over-ordered.
- Two of four utilities will take *fewer* meters in 2024 than they have on order.
- One distributor: "we have a warehouse full of the half-inch model."
- The new radio board is liked. Battery life is the only complaint.
- Price: list up 3%, but nobody pays list. Real price flat.

## What I make of it
Destocking is not in the Street's numbers. I have Buy and $33, set in the spring, and I like the
long story, so the question is how much pain I want to sit through. Ask Owen Achterberg (CFO)
in December what channel inventory is in weeks, not in dollars.

## To do
- [x] send the list of contacts to compliance
- [x] shipments by month from the customs and bid data (Tomasz)
- [ ] rebuild the model by product instead of by region
"""

HVRN_INIT_1 = """
# Halvorn Hydro Corp. (HVRN): Salt and patience
Larkmoor Securities LLC | Water and Flow Equipment | 30 January 2024

We initiate on Halvorn Hydro with a Hold rating and a 12-month price target of $41. The company
builds desalination plants and makes the membranes in them. Membranes are a good business and
plants are not: plants bring in 58% of revenue and 21% of profit.

## What we like
- Membrane replacement comes round every six years and no customer has ever left in between.
- The Carlsbad membrane line is the largest on the coast.

## What holds us back
- Four plant contracts were signed at fixed prices in 2021; two are not yet finished.
- Marta Lindqvist, chief financial officer since 2020, has warned twice about claims.
"""

HVRN_INIT_2 = """
## Estimates
| Year | Revenue ($m) | EBITDA ($m) |
|---|---|---|
| FY23E | 702 | 96 |
| FY24E | 741 | 104 |
| FY25E | 798 | 119 |

## Valuation
We value Halvorn on 9.0 times enterprise value to FY25 EBITDA, less net debt of $190m, on
21.5 million shares. That gives $41. We do not use other methods for a company whose cash flows
turn on the date at which one plant is handed over.

## Disclosures
The analyst and her household hold no securities of Halvorn Hydro.
"""

BRLM_CUT = """
# Brightloom Metering (BRLM): The warehouse is full
Larkmoor Securities LLC | 29 February 2024 | Buy (unchanged) | Price target $29 (from $33)

We cut our price target on Brightloom from $33 to $29 and keep our Buy. Management said on
Tuesday that distributors hold 19 weeks of meters against a usual 11, and that it will ship
below demand until the summer. We had expected this to last one quarter. It will last two.

The long story does not change. Utilities replace a meter after 15 to 18 years, and the big
wave of the years 2006 to 2010 comes due now. What changes is our patience with the word
"transitory".

## Estimates
| Year | Revenue ($m) | EPS ($) | Before ($) |
|---|---|---|---|
| FY23A | 388 | 1.31 | 1.31 |
| FY24E | 361 | 1.12 | 1.38 |
| FY25E | 417 | 1.49 | 1.62 |

## Valuation
We pay 19.5 times our FY25 estimate of $1.49, which gives $29.06, rounded to $29.

## Disclosures
A member of the analyst's household held securities of the company at the time of writing; see
the register kept by Compliance.
"""

MODEL_Q1: dict[str, list[list[object]]] = {
    "Assumptions": [
        ["Driver", "FY23A", "FY24E", "FY25E", "Comment"],
        ["Valves growth", "8.1%", "6.5%", "6.0%", "municipal backlog"],
        ["Pumps growth", "3.9%", "5.0%", "6.5%", "Tulsa at full yield"],
        ["Service growth", "9.4%", "9.0%", "9.0%", "renewals 96%"],
        ["Tax rate", "23.5%", "23.5%", "23.5%", ""],
        ["Diluted shares (m)", 61.2, 60.4, 59.8, "buy-back at $40m a year"],
    ],
    "Income": [
        ["$m", "FY23A", "FY24E", "FY25E"],
        ["Revenue", 1284, 1360, 1447],
        ["Gross profit", 462, 495, 533],
        ["EBIT", 225, 246, 270],
        ["EPS ($)", 2.71, 3.02, 3.37],
    ],
    "Scenarios": [
        ["Case", "FY25E EPS", "Multiple", "Value per share"],
        ["Bear", 2.90, "14.0x", 41],
        ["Base", 3.37, "19.0x", 64],
        ["Bull", 3.70, "22.5x", 83],
    ],
    "Log": [
        ["Date", "Who", "What"],
        ["2024-02-16", "TW", "FY23 actuals in"],
        ["2024-02-20", "VOR", "Base multiple 19.0x, target to $64 from $58"],
    ],
}

SHIPMENTS = """
month,half_inch_units,one_inch_units,radio_boards,source
2023-07,41200,8800,30100,bids+customs
2023-08,39800,9100,31900,bids+customs
2023-09,36100,8700,31400,bids+customs
2023-10,31900,8300,30200,bids+customs
2023-11,28400,8200,29700,bids+customs
2023-12,25100,7900,27800,bids+customs
2024-01,23600,7700,28300,bids+customs
2024-02,22900,8100,28900,bids+customs
2024-03,23300,8400,29600,bids only
2024-04,25800,8800,31200,bids only
2024-05,29100,9300,33500,bids+customs
2024-06,32700,9600,35800,bids+customs
"""

SCRAPER = '''
"""Adds up public meter bids by state. TW wrote it, VOR broke it, TW fixed it (May 2024)."""
import csv
import sys
from collections import Counter

# Only bids of at least 500 meters: the small ones are noise and often entered twice.
SMALLEST_BID = 500


def read(path):
    with open(path, newline="") as handle:
        return [row for row in csv.DictReader(handle) if int(row["units"]) >= SMALLEST_BID]


def by_state(rows):
    total, won = Counter(), Counter()
    for row in rows:
        total[row["state"]] += int(row["units"])
        if row["winner"] == "BRLM":
            won[row["state"]] += int(row["units"])
    return {state: won[state] / total[state] for state in total}


if __name__ == "__main__":
    for state, share in sorted(by_state(read(sys.argv[1])).items()):
        print(f"{state}\\t{share:.0%}")
'''

PRICES = """
date,HLVN,HVRN,BRLM
2024-07-31,61.20,38.75,25.10
2024-08-06,63.05,39.10,25.60
2024-08-08,63.40,41.30,25.85
2024-08-09,65.15,41.05,25.90
2024-08-14,64.80,42.20,26.05
2024-08-30,64.10,42.60,27.40
2024-09-13,62.95,41.70,27.95
2024-09-17,62.60,42.15,28.10
2024-09-18,62.85,40.00,28.20
2024-09-19,63.30,39.55,28.40
2024-09-30,61.90,39.80,28.75
2024-10-15,60.75,38.90,29.30
2024-11-05,57.40,37.60,30.15
2024-11-07,58.10,37.20,32.80
2024-11-25,57.05,39.45,33.10
2024-12-04,56.80,40.10,32.60
2024-12-31,55.90,39.90,32.25
"""

COVERAGE_JSON = """
{
  "as_of": "2024-12-06",
  "analyst": "V. Okafor-Reyes",
  "coverage": [
    {"ticker": "HLVN", "name": "Halvern Hydraulics Inc.", "rating": "Buy", "target": 72},
    {"ticker": "HVRN", "name": "Halvorn Hydro Corp.", "rating": "Hold", "target": 44},
    {"ticker": "BRLM", "name": "Brightloom Metering", "rating": "Buy", "target": 36}
  ],
  "pipeline": ["CSTO - Castorio Filtration, teach-in first quarter of 2025"]
}
"""


def add_files(desk: Desk) -> None:
    """Write the notes, models and data of the first year of coverage."""
    desk.pdf(
        "Research/2023Q3/HLVN/HLVN_initiation_2023-08-22_FINAL.pdf",
        [INITIATION_1, INITIATION_2],
        created="2023-08-22 06:41",
    )
    desk.text(
        "Research/2023Q4/BRLM/BRLM_channel_check_notes.md",
        CHANNEL,
        created="2023-10-20 17:55",
        modified="2023-11-02 09:12",
    )
    desk.pdf(
        "Research/2024Q1/HVRN/HVRN_initiation_2024-01-30_FINAL.pdf",
        [HVRN_INIT_1, HVRN_INIT_2],
        created="2024-01-30 06:35",
    )
    desk.docx(
        "Research/2024Q1/BRLM/BRLM_note_2024-02-29_FINAL.docx",
        BRLM_CUT,
        created="2024-02-28 22:14",
        modified="2024-02-29 06:20",
    )
    desk.xlsx(
        "Research/2024Q1/HLVN/HLVN_model_2024Q1_v2.xlsx",
        MODEL_Q1,
        created="2024-02-16 19:40",
        modified="2024-02-20 23:02",
    )
    desk.text(
        "Research/2024Q2/BRLM/brlm_meter_shipments.csv",
        SHIPMENTS,
        created="2024-03-08 11:00",
        modified="2024-07-09 16:21",
    )
    desk.text("Research/2024Q2/BRLM/bids_by_state.py", SCRAPER, created="2024-05-23 15:08")
    desk.chart(
        "Research/2024Q2/BRLM/half_inch_shipments.png",
        "BRLM half-inch meters, thousand a month",
        {"Jan": 23.6, "Feb": 22.9, "Mar": 23.3, "Apr": 25.8, "May": 29.1, "Jun": 32.7},
        kind="bar",
        unit="k",
        created="2024-07-09 16:40",
    )
    desk.text("Research/_data/close_prices_2024H2.csv", PRICES, created="2024-12-31 17:05")
    desk.text("Research/_data/coverage.json", COVERAGE_JSON, created="2024-12-06 16:30")
