"""Victoria's research folders of 2025, and the tracker of her targets."""

from __future__ import annotations

from deskgym.tasks.demo.make.kit import Desk, Place, Scene, Slide

MILWAUKEE = Place(43.0330, -87.9250, "Menomonee Valley, Milwaukee")

DOWNGRADE = """
# Halvern Hydraulics (HLVN): We waited too long
Larkmoor Securities LLC | 21 February 2025 | Hold (from Buy)

We cut Halvern to Hold from Buy and our price target to $61 from $72. Fourth-quarter results on
Tuesday showed what inventories had been telling since the autumn: the valves built ahead of
spring were built for orders that have moved to 2026.

## Estimates
| Year | Revenue ($m) | EPS ($) | Before ($) |
|---|---|---|---|
| FY24A | 1,352 | 3.03 | 3.12 |
| FY25E | 1,389 | 3.18 | 3.49 |
| FY26E | 1,447 | 3.41 | 3.83 |

## Valuation
We apply 17.9 times to our FY26 estimate of $3.41, which gives $61.04, rounded to $61.

## Disclosures
The analyst and her household hold no securities of Halvern Hydraulics.
"""

BRLM_MAY = """
# Brightloom Metering (BRLM): Batteries not included
Larkmoor Securities LLC | 8 May 2025 | Buy (unchanged)

We lower our price target on Brightloom to $34 from $36 and keep our Buy. First-quarter orders
were strong, but the recall of radio boards with weak batteries will cost about $11m and, worse,
the time of the people who should be installing new ones. Owen Achterberg puts the end of the
recall at September.

## Estimates
| Year | Revenue ($m) | EPS ($) | Before ($) |
|---|---|---|---|
| FY24A | 372 | 1.19 | 1.15 |
| FY25E | 421 | 1.46 | 1.58 |
| FY26E | 468 | 1.87 | 1.90 |

The valuation is set out in a separate appendix. Junie Abara rebuilt it as a cash flow model,
the first in this coverage, because the recall makes a multiple of one year's profit misleading.
"""

APPENDIX = r"""
\documentclass[11pt]{article}
\usepackage{booktabs}
\title{Brightloom Metering: valuation appendix}
\author{J. Abara, V. Okafor-Reyes}
\date{8 May 2025}
\begin{document}
\maketitle
\section{Method}
Free cash flow is forecast to FY31. We discount at 9.2\% and let cash flow grow at 2.5\% for ever
after. One point on the discount rate moves the value by \$5 a share.
\begin{tabular}{lr}
\toprule
Present value of FY25 to FY31 & \$312m \\
Present value of later years & \$688m \\
Net cash & \$37m \\
Shares (diluted) & 30.5m \\
\midrule
Value per share & \$34 \\
\bottomrule
\end{tabular}
\section{What would change our mind}
A second recall, or a channel above 14 weeks.
\end{document}
"""

TRACKER: dict[str, list[list[object]]] = {
    "Targets": [
        ["Ticker", "Company", "Rating", "Target ($)", "Since", "Note on file"],
        ["HLVN", "Halvern Hydraulics", "Hold", 61, "2025-02-21", "FINAL"],
        ["HVRN", "Halvorn Hydro", "Hold", 44, "2024-12-04", "reinstated after restriction"],
        ["BRLM", "Brightloom Metering", "Buy", 36, "2024-11-07", "FINAL"],
        ["CSTO", "Castorio Filtration", "Buy", 27, "2025-03-19", "initiation"],
    ],
    "History HLVN": [
        ["Date", "Rating", "Target ($)"],
        ["2023-08-22", "Buy", 58],
        ["2024-02-20", "Buy", 64],
        ["2024-08-09", "Buy", 72],
        ["2025-02-21", "Hold", 61],
    ],
    "ReadMe": [
        ["What", "How"],
        ["Update", "Every Friday before lunch, never in the week itself"],
        ["Source", "Only notes whose name ends in FINAL"],
    ],
}


def add_files(desk: Desk) -> None:
    """Write the notes, decks and recordings from January to June 2025."""
    desk.pdf(
        "Research/2025Q1/HLVN/HLVN_downgrade_2025-02-21_FINAL.pdf",
        [DOWNGRADE],
        created="2025-02-21 06:38",
    )
    desk.pptx(
        "Research/2025Q1/CSTO/CSTO_teach_in_v2.pptx",
        [
            Slide(
                "Castorio Filtration: teach-in for the sales desk",
                ["12 March 2025", "V. Okafor-Reyes", "Initiation planned for 19 March"],
            ),
            Slide(
                "What a cartridge is",
                ["Thrown away every 90 days", "72% of revenue repeats", "Two rivals, both private"],
                notes="Bring a real cartridge. Rocco will want to hold it.",
            ),
            Slide(
                "Numbers so far",
                ["Margins widen as line 3 fills up"],
                table=[
                    ["Year", "Revenue $m", "EPS $"],
                    ["FY24A", "254", "0.92"],
                    ["FY25E", "291", "1.17"],
                ],
            ),
        ],
        created="2025-03-07 20:15",
        modified="2025-03-11 21:50",
    )
    desk.video(
        "Research/2025Q1/CSTO/plant_tour.mov",
        [
            Scene(
                6,
                ["CASTORIO - HALL A", "LINE 1   210 / shift", "visitors: yellow vest"],
                say="Hall A, the old line, still by hand.",
            ),
            Scene(
                7,
                ["CASTORIO - HALL B", "LINE 3   340 / shift", "since 09/2024"],
                say="Hall B, the new line, no people at all.",
            ),
            Scene(
                7,
                ["HALL C - EMPTY"],
                say="The guide says a fourth line comes here in October.",
            ),
        ],
        place=MILWAUKEE,
        created="2025-03-05 10:52",
    )
    desk.docx(
        "Research/2025Q2/BRLM/BRLM_note_2025-05-08_FINAL.docx",
        BRLM_MAY,
        created="2025-05-07 22:05",
        modified="2025-05-08 06:31",
    )
    desk.text(
        "Research/2025Q2/BRLM/BRLM_valuation_appendix.tex", APPENDIX, created="2025-05-07 19:27"
    )
    desk.xlsx(
        "Research/coverage_tracker.xlsx",
        TRACKER,
        created="2024-01-05 11:15",
        modified="2025-05-02 11:48",
    )
