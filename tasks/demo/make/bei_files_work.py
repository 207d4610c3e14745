"""Bei's coffee roaster and her museum, and the things that she shows to new clients."""

from __future__ import annotations

from deskgym.tasks.demo.make.kit import Desk, Place, Scene, Shape, Slide

KOPI = "Clients/Kopi Harbour"
QUAY = "Clients/Northquay"
BEI = "Bei Lindqvist-Tan <bei@papayamoon.example>"
PRIYA = "Priya Raman <priya@kopiharbour.example>"
HELLE = "Helle Brandt <h.brandt@northquay.example>"
MUSEUM = Place(1.2907, 103.8517, "Northquay Museum, Singapore")


def add_files(desk: Desk) -> None:
    """Write the work for Kopi Harbour and for the Northquay Museum, and the portfolio."""
    _kopi_papers(desk)
    _kopi_pictures(desk)
    _kopi_film(desk)
    _kopi_mail(desk)
    _northquay_pitch(desk)
    _northquay_award(desk)
    _northquay_planning(desk)
    _portfolio(desk)


def _kopi_papers(desk: Desk) -> None:
    desk.text(
        f"{KOPI}/brief - harbour blend.md",
        """
        # Harbour Blend, label and launch reel

        From the talk with Priya at the roastery, 22 January 2024 (it smelled very good).

        Kopi Harbour sells to cafes and now wants to sell bags to people. The first bag is the
        Harbour Blend, 250 g. They need a label and a reel of 30 seconds for the launch.

        ## Label

        - one colour print if at all possible, because of cost
        - the boat stays, the sunset goes
        - paper: not decided, three samples are with me

        ## Reel

        - real hands, the real roaster, no slow pouring of milk
        - captions in English
        - delivery on Friday 5 April 2024

        ## Money

        S$4,250 for both, after the work is delivered. Priya pays slowly but she does pay.
        """,
        created="2024-01-22 19:30",
        modified="2024-02-14 10:05",
    )
    for version, music, total in (("v1", 200, 1085), ("v3_final", 120, 1005)):
        desk.xlsx(
            f"{KOPI}/budget_{version}.xlsx",
            {
                "Costs": [
                    ["Item", "S$", "Who"],
                    ["Farah, 1.5 days", 270, "Farah"],
                    ["Music licence, one year", music, "library"],
                    ["Lens hire, 2 days", 160, "Peninsula Photo Nook"],
                    ["Paper samples", 35, "Tiong Paper"],
                    ["Taxi with lights", 70, ""],
                    ["Mix", 350, "Idris"],
                    ["Total", total, ""],
                ]
            },
            created="2024-02-01 11:20" if version == "v1" else "2024-03-12 21:15",
        )
    desk.text(
        f"{KOPI}/label_draft_v2.svg",
        """
        <svg xmlns="http://www.w3.org/2000/svg" width="400" height="560" viewBox="0 0 400 560">
          <!-- v2: boat bigger, sunset gone. Paper still open (three samples) -->
          <rect width="400" height="560" fill="#e9e2d0"/>
          <path d="M90 300 L310 300 L270 360 L130 360 Z" fill="#4b5a3c"/>
          <path d="M200 120 L200 290 L290 290 Z" fill="#4b5a3c"/>
          <text x="200" y="440" text-anchor="middle" font-size="44" fill="#4b5a3c">HARBOUR</text>
          <text x="200" y="490" text-anchor="middle" font-size="30" fill="#4b5a3c">blend</text>
          <text x="200" y="530" text-anchor="middle" font-size="16" fill="#4b5a3c">250 g</text>
        </svg>
        """,
        created="2024-02-20 15:40",
        modified="2024-03-01 18:22",
    )


def _kopi_pictures(desk: Desk) -> None:
    desk.picture(
        f"{KOPI}/moods_harbour.gif",
        [
            Shape("rect", (0.0, 0.0, 1.0, 1.0), "#e9e2d0"),
            Shape("polygon", (0.30, 0.10, 0.70, 0.50), "#4b5a3c", shows="a sail"),
            Shape("text", (0.05, 0.56, 0.95, 0.68), "#4b5a3c", "bone + moss, flat"),
            Shape("text", (0.05, 0.70, 0.95, 0.82), "#4b5a3c", "no gradients"),
            Shape("text", (0.05, 0.84, 0.95, 0.96), "#4b5a3c", "no white bags"),
        ],
        created="2024-02-06 17:10",
    )
    desk.speech(
        "Voice memos/New Recording 6.m4a",
        [
            "It is ten to one at night and I am thinking about paper again.",
            "I have now decided about the Harbour Blend label.",
            "We print it on the grey recycled board, not on the kraft paper.",
            "The kraft looks like every other coffee in town.",
            "Now I can sleep.",
        ],
        created="2024-03-06 00:48",
    )


def _kopi_film(desk: Desk) -> None:
    desk.video(
        f"{KOPI}/exports/kopi_reel_v1.mp4",
        [
            Scene(3, ["HARBOUR BLEND"], "#4b5a3c"),
            Scene(4, ["roasted on Tuesdays"], "#3a2a1c"),
            Scene(4, ["from 8 April", "in paper bags"], "#4b5a3c"),
        ],
        created="2024-03-21 18:30",
    )
    desk.archive(
        f"{KOPI}/handoff_kopi_v3_FINAL.zip",
        [
            ("README.txt", b"Harbour Blend, final files. Reel, captions, label as SVG.\n"),
            ("captions_EN.txt", b"We roast on Tuesdays.\nThe harbour smells of it by noon.\n"),
            ("settings.json", b'{"fps": 25, "codec": "prores", "loudness_lufs": -16}\n'),
        ],
        created="2024-04-04 19:12",
    )
    desk.text(
        f"{KOPI}/exports/export_settings.json",
        """
        {
          "job": "kopi_reel",
          "fps": 25,
          "size": [1080, 1920],
          "codec": "prores",
          "loudness_lufs": -16,
          "captions": "burnt in",
          "note": "Idris wants the stems next time, not the flat mix"
        }
        """,
        created="2024-03-21 18:02",
        modified="2024-04-03 17:40",
    )


def _kopi_mail(desk: Desk) -> None:
    desk.eml(
        f"{KOPI}/mail/sent_where we are.eml",
        sender=BEI,
        to=PRIYA,
        subject="where we are",
        body="""
            Hi Priya,

            a short list, so that nobody is surprised:

            1. The rough cut (no sound, that is on purpose) is with you since yesterday.
            2. When you have signed off the picture, Idris makes the mix. He needs four days.
            3. After the mix Farah sets the captions, and then I send you everything in one go.

            You asked for a label with a white ground. May I talk you out of it? Pure white looks
            cold next to the coffee, and it gets dirty in the cafes. I would stay with bone, and
            moss for the boat; it is one colour less to print as well.

            Could we move our call from Wednesday to Thursday? Wednesday is my edit day.

            Bei
            """,
        created="2024-03-22 09:40",
    )
    desk.eml(
        f"{KOPI}/mail/Re_ invoice.eml",
        sender=PRIYA,
        to=BEI,
        subject="Re: invoice INV-2024-006?",
        body="""
            Hi Bei,

            you have to remind ME to pay, I know, but this time I had to remind YOU to send the
            thing! We launched three weeks ago. It is with our bookkeeper, she pays at the end of
            the month.

            The bags look lovely. A cafe owner asked me who drew the boat and whether the boat can
            be bought as a poster. Can it?

            Have fun in Lisbon, and drink something that is not ours.

            Priya
            """,
        created="2024-04-29 15:26",
    )


def _northquay_pitch(desk: Desk) -> None:
    desk.pptx(
        f"{QUAY}/Tidal Rooms pitch_v3_FINAL.pptx",
        [
            Slide(
                "Tidal Rooms",
                ["Three films for three rooms", "Papaya Moon for the Northquay Museum"],
                notes="Breathe. Helle likes it short. Do not apologise for being one person.",
            ),
            Slide(
                "The idea",
                [
                    "The tide at the quay, filmed over one day",
                    "One room looks out, one looks down, one looks up",
                    "Colours: bone, moss, wet slate; no gradients",
                ],
            ),
            Slide(
                "How we work",
                [
                    "Two rounds of changes are included, in writing",
                    "A third round costs S$450 a day",
                    "Picture first, then sound, then captions",
                ],
                notes="Say it out loud this time: rounds. Remember last September.",
            ),
            Slide(
                "Money and time",
                ["Proposed fee, all three rooms", "Ready for the opening in July 2025"],
                table=[
                    ["Part", "S$"],
                    ["Films", "8,700"],
                    ["Sound", "1,500"],
                    ["Total", "10,200"],
                ],
            ),
        ],
        created="2025-01-15 14:20",
        modified="2025-01-21 23:31",
    )
    desk.chart(
        f"{QUAY}/how long people stay.png",
        "Minutes per visit, Northquay 2024",
        {"Rope Loft": 4.5, "Harbour Hall": 7.5, "Chart Room": 3.0, "Cafe": 12.0},
        unit=" min",
        created="2025-01-14 16:45",
    )


def _northquay_award(desk: Desk) -> None:
    desk.scan(
        f"{QUAY}/scan0031.pdf",
        [
            """
            # Northquay Museum

            12 February 2025

            Ms Bei Lindqvist-Tan, Papaya Moon

            Commission Tidal Rooms

            Dear Ms Lindqvist-Tan,

            we are glad to tell you that the committee has chosen your proposal.

            Seven studios sent us something. The committee liked that your films ask so little
            of the visitor, that nobody is told what to feel, and that the third room is above
            our heads. Two members also mentioned, without being asked, the film with the lamp.

            The fee is S$9,600, in two equal parts.

            Please note that this differs from your proposal, because the museum brings its own
            speakers and its technicians will hang the beamers.

            The first part is due when the rough cuts have been accepted, the second on the day
            of the opening. Our bookkeeping needs 45 days, for which I apologise beforehand.

            The commission gives us the right to show the films in our building for three years.
            Everything else, and your name on the wall, is as we discussed.

            Yours sincerely, Helle Brandt
            """
        ],
        created="2025-02-17 11:30",
    )
    desk.eml(
        f"{QUAY}/mail/letter is in the post.eml",
        sender=HELLE,
        to=BEI,
        subject="The letter is in the post",
        body="""
            Dear Bei,

            a proper letter is on its way, on paper, because our director likes paper. The fee is
            a little below what you proposed; I hope that the reason we give makes sense to you.

            Could you come in on Thursday 20 February at two, to plan with the technicians? I had
            first thought of the Wednesday, but I remember what you said about Wednesdays.

            The technicians ask which of the rooms needs power on the floor. They also ask for the
            names of everybody who will be on site, for the passes. Farah and Idris, I suppose?

            Looking forward to it
            Helle
            """,
        created="2025-02-13 10:02",
    )


def _northquay_planning(desk: Desk) -> None:
    desk.image(
        f"{QUAY}/IMG_5820.jpg",
        [
            "TIDAL ROOMS  20 Feb",
            "Room A looks out: wall 6 m",
            "Room B looks down: floor",
            "Room C looks up: 2 beamers",
            "SOUND ONLY IN ROOM B",
            "loops: A 4 min, B 6, C 4",
        ],
        style="whiteboard",
        created="2025-02-20 15:52",
        place=MUSEUM,
    )
    desk.docx(
        f"{QUAY}/minutes 2025-03-11.docx",
        """
        # Tidal Rooms, second meeting

        Tuesday 11 March 2025, museum workshop. Helle Brandt, two technicians, Bei, Farah.

        ## What we said

        - The photo of the whiteboard of February stays the plan; nothing changes about the rooms.
        - The floor of the middle room gets a mat, so that nobody slips in the dark.
        - The beamers come from the museum's store. One of them hums; it goes to the workshop.
        - Rough cuts are shown without sound, as always with Bei. Helle warns her director.

        ## Who does what

        | What | Who | Until |
        | Passes for Farah and Idris | Helle | 14 March |
        | Rough cuts of all rooms | Bei | 2 May |
        | Mat for the floor | museum | 16 May |
        | Captions for the wall texts | Farah | 6 June |

        Next meeting on a Thursday, since Bei does not do Wednesdays.
        """,
        created="2025-03-11 17:20",
        modified="2025-03-12 09:05",
    )


def _portfolio(desk: Desk) -> None:
    desk.pptx(
        "Desktop/PORTFOLIO 2025 draft draft.pptx",
        [
            Slide("Papaya Moon", ["Design and small films", "Bei Lindqvist-Tan, Singapore"]),
            Slide("Slow Light", ["For Lumen Studio, 2024", "A lamp, a room, an evening"]),
            Slide("We mend what ticks", ["For Lumen & Sons, 2024", "Forty seconds, one harmonica"]),
            Slide(
                "Harbour Blend",
                ["For Kopi Harbour, 2024", "Label and reel"],
                notes="Ask Priya whether I may show the boat poster too.",
            ),
            Slide("Next", ["Tidal Rooms, Northquay Museum, summer 2025"]),
        ],
        created="2025-03-02 21:00",
        modified="2025-04-20 23:58",
    )
    desk.picture(
        "Desktop/New Folder (2)/logo_papaya_v7_FINAL_final.webp",
        [
            Shape("ellipse", (0.30, 0.10, 0.70, 0.74), "#d98a3a"),
            Shape("ellipse", (0.40, 0.24, 0.60, 0.60), "#e9e2d0"),
            Shape("text", (0.15, 0.78, 0.85, 0.92), "#4b5a3c", "papaya moon"),
        ],
        created="2023-09-07 22:14",
    )
