"""Victoria's research folders for the third and fourth quarter of 2024."""

from __future__ import annotations

from deskgym.tasks.demo.make.kit import Desk, Place, Scene

Q3 = "Research/2024Q3/HLVN"
OFFICE = Place(40.7048, -74.0080, "Water Street, New York")

NOTE_BODY = """
## What happened
Halvern reported second-quarter EPS of $0.81 against our $0.77. Valves grew 7%, service 10%.
Pumps fell 2%, all of it in Tulsa, where a furnace lining failed on 19 July. The plant is
expected back at full output in October.

## What we think
The quarter was better than it looks. Price increases of last autumn have now come through in
full, and the mix keeps moving towards service. The outage is a one-off and the cost of it is
in guidance.
"""

NOTE_V1 = f"""
# DRAFT v1 - Halvern Hydraulics (HLVN): Good valves, bad furnace
VOR, Tuesday night, 6 August 2024. Not for distribution.

We raise our price target to $71 from $64 and keep our Buy. We apply 20.5 times to our FY25
estimate of $3.46.
{NOTE_BODY}
## To fix
- Tomasz: numbers in the segment table do not add up to the total.
- Chart: pie of revenue by segment. (Why is there a pie?)
- Wording of the Tulsa paragraph after my voice memo.
"""

NOTE_V2 = f"""
# DRAFT v2 - Halvern Hydraulics (HLVN): Good valves, bad furnace
VOR with comments of the review committee, 8 August 2024. Not for distribution.

We raise our price target to $74 from $64 and keep our Buy. We apply 21.2 times to our FY25
estimate of $3.49.
{NOTE_BODY}
## Comments
VOR: pie replaced by bars. One message a chart, and no pies, ever.

VOR: the first sentence must say what changed. It now does.

Hal Brandvold: 21.2 times is above the top of your own range of 17 to 21. Either move the range
with a reason or bring the multiple down. I would not sign 74.

VOR: agreed, will go to 20.6 in the final.
"""

NOTE_FINAL_1 = f"""
# Halvern Hydraulics (HLVN): Good valves, bad furnace
Larkmoor Securities LLC | 9 August 2024 | Buy (unchanged)

We raise our price target on Halvern to $72 from $64 and keep our Buy after second-quarter
results.
{NOTE_BODY}
"""

NOTE_FINAL_2 = """
## Estimates
| Year | Revenue ($m) | EPS ($) |
|---|---|---|
| FY23A | 1,284 | 2.71 |
| FY24E | 1,371 | 3.12 |
| FY25E | 1,468 | 3.94 |

## Valuation
We apply a multiple of 20.6 times to our FY25 EPS estimate. Peers trade at 17 to 21 times.

## Disclosures
The analyst and her household hold no securities of Halvern Hydraulics. Approved by Hal
Brandvold, supervisory analyst; disclosures checked by Ellen Marsh, Compliance.
"""

ERRATUM = """
# Erratum: Halvern Hydraulics (HLVN)
Larkmoor Securities LLC | 12 August 2024

In our note of 9 August 2024, the table of estimates on page 2 shows two digits in the wrong
order. Our FY25 EPS estimate is $3.49, not $3.94.

The price target of $72 and the rating were computed with the right figure and do not change:
20.6 times $3.49 is $71.89. All other figures stand. We apologise for the error, which was made
when the table was typed again by hand instead of linked to the model.
"""

MODEL_Q3: dict[str, list[list[object]]] = {
    "Assumptions": [
        ["Driver", "FY23A", "FY24E", "FY25E", "Comment"],
        ["Valves growth", "8.1%", "7.0%", "6.5%", "municipal backlog"],
        ["Pumps growth", "3.9%", "2.5%", "7.5%", "Tulsa out until October"],
        ["Service growth", "9.4%", "9.5%", "9.0%", "renewals 96%"],
        ["Tax rate", "23.5%", "23.0%", "23.0%", "new state credit"],
        ["Diluted shares (m)", 61.2, 60.1, 59.3, "buy-back raised to $55m a year"],
    ],
    "Segments": [
        ["Revenue $m", "FY23A", "FY24E", "FY25E"],
        ["Valves", 588, 629, 670],
        ["Pumps", 402, 412, 443],
        ["Service", 294, 330, 355],
        ["Total", 1284, 1371, 1468],
    ],
    "Income": [
        ["$m", "FY23A", "FY24E", "FY25E"],
        ["Revenue", 1284, 1371, 1468],
        ["Gross profit", 462, 503, 548],
        ["EBIT", 225, 252, 278],
        ["EPS ($)", 2.71, 3.12, 3.49],
        ["Inventory days", 84, 89, 86],
    ],
    "Scenarios": [
        ["Case", "FY25E EPS", "Multiple", "Value per share"],
        ["Bear", 3.05, "15.5x", 47],
        ["Base", 3.49, "20.6x", 72],
        ["Bull", 3.80, "23.5x", 89],
    ],
    "Log": [
        ["Date", "Who", "What"],
        ["2024-08-06", "VOR", "Q2 in, straight after the call"],
        ["2024-08-07", "TW", "Checked segments against the release"],
        ["2024-08-08", "VOR", "Base multiple 21.2x to 20.6x after Hal"],
    ],
}

HVRN_NOTE = """
# Halvorn Hydro (HVRN): One plant down, one to go
Larkmoor Securities LLC | 14 August 2024 | Hold (unchanged)

We raise our price target on Halvorn Hydro to $46 from $41 and keep our Hold. The third of the
four fixed-price plants was handed over in July, two months early, and the claim against the
builder was settled for less than the reserve.

## What still holds us back
The fourth plant is the hardest. Marta Lindqvist expects it in the first quarter of 2025 and
did not repeat the words "with confidence". The outage at the Carlsbad membrane line is small
but comes at the worst time of the year.

## Valuation
We now apply 9.4 times enterprise value to FY25 EBITDA of $124m, less net debt of $177m, on
21.5 million shares. That gives $46.

## Disclosures
The analyst and her household hold no securities of Halvorn Hydro.
"""

DINNER = """
# Dinner with Halvern management, Tue 15 October 2024

Ruth Salazar-Voss, David Chen (CFO), Dana Whitcombe (IR); six investors; me. Public matters
only, Dana minuted it. (Note to self: in the contacts there are two David Chens. The CFO has
the 614 number.)

- Tulsa back at full output since 7 October. Lining replaced, second furnace gets the same in May.
- DC means to stay through the Tulsa rebuild, at least until the end of 2026. He said so
  when somebody asked about his old company.
- Inventory days 97, from 84 a year ago. DC: "built ahead of the spring season." I am not worried.
- Ruth talks about service all evening. Renewals 96%, new contracts slower than she likes.
- One investor asked about Halvorn Hydro and meant Halvern. Dana is tired of it.
- DC does not eat shellfish. Remember for the conference in May.

Follow up: ask Dana for inventory by segment with the Q3 release.
"""


def add_files(desk: Desk) -> None:
    """Write the notes, recordings and models from July to December 2024."""
    _halvern_2024q3(desk)
    _halvorn_and_brightloom_2024(desk)


def _halvern_2024q3(desk: Desk) -> None:
    desk.docx(f"{Q3}/HLVN_note_v1.docx", NOTE_V1, created="2024-08-06 22:48")
    desk.docx(
        f"{Q3}/HLVN_note_v2_committee.docx",
        NOTE_V2,
        created="2024-08-07 20:10",
        modified="2024-08-08 18:33",
    )
    desk.pdf(
        f"{Q3}/HLVN_note_2024-08-09_FINAL.pdf",
        [NOTE_FINAL_1, NOTE_FINAL_2],
        created="2024-08-09 06:52",
    )
    desk.pdf(f"{Q3}/HLVN_erratum_2024-08-12_FINAL.pdf", [ERRATUM], created="2024-08-12 07:30")
    desk.xlsx(
        f"{Q3}/HLVN_model_2024Q3_v3.xlsx",
        MODEL_Q3,
        created="2024-08-06 18:20",
        modified="2024-08-08 19:05",
    )
    desk.speech(
        f"{Q3}/memo_after_call.m4a",
        [
            "Tuesday, sixth of August, straight after the Halvern Hydraulics call, H L V N.",
            "David Chen says the Tulsa outage will cost 9 million dollars in the third quarter.",
            "None of that is in my model yet.",
            "He keeps free cash flow at 140 million dollars for the year.",
            "Tone calm, no dodging. Raise the target, but not by much.",
        ],
        voice="en-us",
        created="2024-08-06 17:41",
    )
    desk.image(
        f"{Q3}/wall_margin_bridge.jpg",
        [
            "HLVN  EBIT margin FY24 -> FY25",
            "Price      + 70 bps",
            "Mix        + 45 bps",
            "Tulsa      - 90 bps",
            "Freight    + 30 bps",
            "NET        + 55 bps",
            "ask Dana: is mix real??",
        ],
        style="whiteboard",
        place=OFFICE,
        created="2024-08-07 12:26",
    )
    desk.chart(
        f"{Q3}/HLVN_segment_margin.png",
        "HLVN segment margin, Q2 2024",
        {"Valves": 21.4, "Pumps": 12.9, "Service": 31.8},
        kind="bar",
        unit="%",
        created="2024-08-08 14:02",
    )
    desk.archive(
        f"{Q3}/HLVN_2024-08-09_package.zip",
        [
            (
                "index.txt",
                b"FINAL note, model v3, memo after the call. Erratum of 12 August added.\n",
            ),
            ("memo_typed.txt", b"Halvern call 6 Aug. Tone calm. Raise target, not by much.\n"),
        ],
        created="2024-08-12 08:05",
    )


def _halvorn_and_brightloom_2024(desk: Desk) -> None:
    desk.speech(
        "Research/2024Q3/HVRN/memo_after_call.mp3",
        [
            "Thursday, eighth of August, after the Halvorn Hydro call, H V R N.",
            "Marta Lindqvist says the Carlsbad outage will cost 4 million dollars this quarter.",
            "The third plant was handed over two months early.",
            "She did not repeat the words with confidence about the fourth.",
        ],
        voice="en-us",
        created="2024-08-08 17:32",
    )
    desk.docx(
        "Research/2024Q3/HVRN/HVRN_note_2024-08-14_FINAL.docx",
        HVRN_NOTE,
        created="2024-08-13 21:30",
        modified="2024-08-14 06:44",
    )
    desk.text(
        "Research/2024Q4/HLVN/dinner_2024-10-15.md",
        DINNER,
        created="2024-10-15 23:10",
        modified="2024-10-16 08:02",
    )
    desk.video(
        "Research/2024Q4/BRLM/dashboard_walkthrough.mp4",
        [
            Scene(
                5,
                ["BRLM DASHBOARD", "Overview, week 44", "Channel inventory 12 weeks"],
                say="This is the meter dashboard, week forty four.",
            ),
            Scene(
                6,
                ["BIDS WON, LAST 90 DAYS", "Texas     61%", "Ohio      47%", "Florida   38%"],
                say="Here is our share of bids by state.",
            ),
            Scene(
                6,
                ["BACKLOG BY REGION", "Southeast  $212m", "Midwest    $148m", "West       $97m"],
                say="Backlog by region, the Southeast leads.",
            ),
            Scene(5, ["TO DO", "Refresh on Mondays", "Owner: Tomasz"]),
        ],
        created="2024-11-06 19:48",
    )
