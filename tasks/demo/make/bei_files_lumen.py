"""Bei's two clients called Lumen: the lighting studio, and the watch repairers."""

from __future__ import annotations

from deskgym.tasks.demo.make.kit import Desk, Place, Scene, Shape

STUDIO_DIR = "Clients/Lumen Studio"
SONS_DIR = "Clients/Lumen and Sons"
CHINATOWN = Place(1.2836, 103.8440, "Chinatown, Singapore")
BEI = "Bei Lindqvist-Tan <bei@papayamoon.example>"
MAYA = "Maya Okafor <maya@lumenstudio.example>"
GERALD = "Gerald Lumen <gerald@lumenandsons.example>"


def add_files(desk: Desk) -> None:
    """Write what the two clients left on the computer."""
    _briefs(desk)
    _quotes(desk)
    _slow_light_pictures(desk)
    _slow_light_cuts(desk)
    _slow_light_mail(desk)
    _sons_papers(desk)
    _sons_mail_and_film(desk)


def _briefs(desk: Desk) -> None:
    desk.docx(
        f"{STUDIO_DIR}/brief_SlowLight_v1.docx",
        """
        # Brief: Slow Light (v1)

        Client: Lumen Studio, lamps and lighting, Singapore. Contact: Maya Okafor, brand manager.

        Lumen Studio opens a showroom in September and wants a film about its first own lamp,
        called Hesper. The film runs in the foyer and online. It should feel like the last hour of
        a working day: slow, warm, nobody speaks to the camera.

        ## What they want

        - one film of 90 seconds, and a short one of 15 seconds for phones
        - the lamp is seen within the first ten seconds
        - no people's faces, hands are fine
        - end card with the opening night

        ## Dates

        Shoot in the first week of August, first cut on 23 August, delivery on 5 September 2024.

        ## Not decided

        Music, and whether the foyer wall needs its own crop.
        """,
        created="2024-06-10 16:25",
    )
    desk.docx(
        f"{STUDIO_DIR}/brief_SlowLight_v2_final.docx",
        """
        # Brief: Slow Light (v2, final)

        Client: Lumen Studio, lamps and lighting, Singapore. Contact: Maya Okafor, brand manager.

        Changes against v1 are the length, the dates, and that the short film is gone.

        ## What they want

        - one film of 75 seconds; no short version
        - the lamp is seen within the first ten seconds
        - no people's faces, hands are fine
        - end card with the opening night; Maya confirms the date when the caterer does

        ## How we work

        First a rough cut without any sound. When Maya has signed off the picture, Idris mixes;
        captions come last. Two rounds of changes.

        ## Dates

        Shoot on 1 and 2 August, rough cut on 23 August, delivery on 12 September 2024.
        """,
        created="2024-06-21 10:12",
        modified="2024-06-21 11:40",
    )


def _quotes(desk: Desk) -> None:
    head = """
        # Quotation - Slow Light

        Papaya Moon, Bei Lindqvist-Tan, 21 Jalan Pasir Wharf #03-14, Singapore

        To: Lumen Studio, attention Maya Okafor
        """
    desk.pdf(
        f"{STUDIO_DIR}/quote_LumenStudio_v1.pdf",
        [
            head
            + """
        Date: 13 June 2024

        | Item | S$ |
        | Concept and boards, 2 days | 1,900 |
        | Shoot, 2 days | 2,500 |
        | Edit and captions | 2,400 |
        | Short version, 15 seconds | 600 |
        | Total | 7,400 |

        Sound is included. Payment within 30 days of the invoice. Valid for three weeks.
        """
        ],
        created="2024-06-13 21:33",
    )
    desk.pdf(
        f"{STUDIO_DIR}/quote_LumenStudio_v2_FINAL-signed.pdf",
        [
            head
            + """
        Date: 20 June 2024. Replaces the quotation of 13 June.

        | Item | S$ |
        | Concept and boards, 2 days | 1,900 |
        | Shoot, 2 days | 2,500 |
        | Edit and captions | 2,400 |
        | Total | 6,800 |

        Sound is included. Payment within 30 days of the invoice.

        Accepted: Maya Okafor, Lumen Studio, 21 June 2024
        """
        ],
        created="2024-06-20 20:10",
        modified="2024-06-21 09:50",
    )
    desk.pdf(
        f"{STUDIO_DIR}/INV-2024-019_LumenStudio.pdf",
        [
            """
            # Invoice INV-2024-019

            Papaya Moon, Bei Lindqvist-Tan, 21 Jalan Pasir Wharf #03-14, Singapore

            To: Lumen Studio, attention Maya Okafor

            Invoice date: 3 October 2024

            | Item | S$ |
            | Film Slow Light, as quoted on 20 June 2024 | 6,800 |

            Total due: S$6,800

            Payment due within 30 days of the invoice date. No GST.

            It was a pleasure to look at one lamp for six weeks. I now own two of them.
            """
        ],
        created="2024-10-03 23:20",
    )


def _slow_light_pictures(desk: Desk) -> None:
    desk.picture(
        f"{STUDIO_DIR}/moodboard_slowlight_v2.png",
        [
            Shape("rect", (0.04, 0.06, 0.34, 0.60), "#e9e2d0", "bone"),
            Shape("rect", (0.36, 0.06, 0.66, 0.60), "#66704a", "moss"),
            Shape("rect", (0.68, 0.06, 0.96, 0.60), "#a8763e", "brass"),
            Shape("text", (0.04, 0.66, 0.96, 0.76), "#333333", "never pure white"),
        ],
        caption="Slow Light moods v2",
        created="2024-06-27 15:48",
    )
    desk.image(
        "Desktop/Screenshot 2024-09-04 at 22.51.07.png",
        [
            "Maya Okafor",
            "Hi! Foyer wall is odd, sorry",
            "It takes 3840 x 1080 only",
            "Online stays 1920 x 1080",
            "Me: ok, two exports then",
            "Maya: you are a star",
        ],
        style="screenshot",
        created="2024-09-04 22:51",
    )


def _slow_light_cuts(desk: Desk) -> None:
    desk.video(
        f"{STUDIO_DIR}/exports/lumenstudio_slowlight_v2.mp4",
        [
            Scene(3, ["SLOW LIGHT"], "#2b2620"),
            Scene(4, ["a lamp called Hesper"], "#4a3a22"),
            Scene(3, ["brass and bone"], "#66704a"),
            Scene(4, ["OPENING NIGHT", "19 SEPTEMBER 2024"], "#1c1a18"),
        ],
        created="2024-09-02 19:44",
    )
    desk.video(
        f"{STUDIO_DIR}/exports/lumenstudio_slowlight_v3_FINAL_final.mp4",
        [
            Scene(3, ["SLOW LIGHT"], "#2b2620"),
            Scene(5, ["a lamp called Hesper"], "#4a3a22", say="Some rooms wait for the evening."),
            Scene(3, ["brass and bone"], "#66704a"),
            Scene(4, ["OPENING NIGHT", "26 SEPTEMBER 2024"], "#1c1a18"),
        ],
        created="2024-09-10 17:36",
        modified="2024-09-11 20:45",
    )
    desk.text(
        f"{STUDIO_DIR}/exports/lumenstudio_slowlight_EN.srt",
        """
        1
        00:00:03,000 --> 00:00:06,500
        Some rooms wait for the evening.

        2
        00:00:08,000 --> 00:00:10,500
        [a switch clicks]
        """,
        created="2024-09-11 18:02",
    )
    desk.speech(
        f"{STUDIO_DIR}/idris voice msg.mp3",
        [
            "Hi Bei, this is Idris.",
            "I listened to Slow Light twice, and I like the silence before the switch.",
            "For the whole mix I charge four hundred and twenty dollars, all in.",
            "I start at the weekend, as soon as the picture is locked.",
        ],
        created="2024-09-05 12:08",
    )


def _slow_light_mail(desk: Desk) -> None:
    desk.eml(
        f"{STUDIO_DIR}/mail/Re_ rough cut and the end card.eml",
        sender=MAYA,
        to=BEI,
        subject="Re: rough cut, and the end card",
        body="""
            Hi Bei,

            picture is signed off, finally, from all of us. Thank you for your patience with the
            third round; I know that we had said two. The caterer has moved the opening, so the
            date on the end card is wrong now. I wrote the new one on your notepad when I was at
            the studio; please take that.

            One more thing: could we talk it through on Wednesday?

            Maya

            > On 3 September 2024 Bei Lindqvist-Tan wrote:
            > Hi Maya, here is v2, still without any sound, as always: I only hand over to Idris
            > once the picture is signed off, otherwise we pay him twice. Captions come after
            > the mix. Please look at the order of the shots and at the end card, not at the
            > colour, which is not done.
            """,
        created="2024-09-06 10:31",
    )
    desk.eml(
        f"{STUDIO_DIR}/mail/sent_Re_ Re_ rough cut and the end card.eml",
        sender=BEI,
        to=MAYA,
        subject="Re: Re: rough cut, and the end card",
        body="""
            Hi Maya,

            hooray, and got it, the notepad was under the cat. I will change the card and send the
            picture to Idris today.

            I keep Wednesdays free of calls and meetings, it is my edit day. Could you do Thursday
            at 11, or Friday before lunch? If it is only about the foyer wall, a text is enough.

            As to the third round: let us call it a present this time. I should have written the
            number of rounds into the quotation and not only into the brief.

            Bei
            """,
        created="2024-09-06 11:15",
    )


def _sons_papers(desk: Desk) -> None:
    desk.text(
        f"{SONS_DIR}/报价单_Lumen and Sons_v2.txt",
        """
        报价单（第二版）
        日期：2024年7月8日
        致：林明父子钟表修理（Lumen & Sons），Gerald Lumen 先生
        由：木瓜月亮设计（Papaya Moon），Bei

        项目：店铺短片一支，约四十秒，含字幕（英文、中文）
        拍摄：半天，在店里，早上开门之前
        剪辑：两天
        配乐：客户自备（老先生的口琴录音）

        合计：新币 2,600 元
        订金：签约时付 40%，余款交片后付清
        修改：一次免费，之后每次新币 180 元
        交片：2024年8月30日

        备注：第一版报价为新币 2,900 元、订金 50%，已作废。
        """,
        created="2024-07-08 16:02",
    )
    desk.pdf(
        f"{SONS_DIR}/INV-2024-017_Lumen and Sons.pdf",
        [
            """
            # Invoice INV-2024-017

            Papaya Moon, Bei Lindqvist-Tan, 21 Jalan Pasir Wharf #03-14, Singapore

            To: Lumen & Sons, watch repair, attention Gerald Lumen

            Invoice date: 20 September 2024

            | Item | S$ |
            | Shop film, as quoted on 8 July 2024 | 2,600 |
            | less deposit received on 9 July 2024 | -1,040 |

            Balance due: S$1,560

            Payment due within 14 days of the invoice date. No GST.

            Please greet your father; his harmonica is still in my head.
            """
        ],
        created="2024-09-20 22:05",
    )


def _sons_mail_and_film(desk: Desk) -> None:
    desk.video(
        f"{SONS_DIR}/exports/lumensons_shopfilm_v1_FINAL_final.webm",
        [
            Scene(3, ["LUMEN & SONS", "since 1961"], "#22303c"),
            Scene(4, ["we mend what ticks"], "#3c3222"),
            Scene(4, ["Upper Cross Lane 8", "closed on Tuesdays"], "#22303c"),
        ],
        created="2024-08-28 17:58",
    )
    desk.image(
        f"{SONS_DIR}/IMG_4702.jpg",
        ["LUMEN & SONS", "WATCHES MENDED", "SINCE 1961"],
        style="photo",
        created="2024-07-03 09:20",
        place=CHINATOWN,
    )
    desk.eml(
        f"{SONS_DIR}/mail/Re_ your film is on our telly.eml",
        sender=GERALD,
        to=BEI,
        subject="Re: the film",
        body="""
            Dear Bei,

            the film runs on the little telly in the window and people stop. My father pretends
            not to care and has watched it every morning this week with his tea.

            Now that the season is over we change our closing day. From 1 October the shop is
            closed on Mondays instead of Tuesdays, because my son has his classes then. Could you
            change the last card some time? There is no hurry at all. We have stuck a piece of tape
            on the screen for now and it looks quite good.

            Your invoice has arrived. My wife does the banking and she is in Ipoh with her sister,
            so please be patient with us.

            With kind regards
            Gerald Lumen
            """,
        created="2024-09-29 08:12",
    )
    desk.eml(
        f"{SONS_DIR}/mail/sent_Re_ invoice 017.eml",
        sender=BEI,
        to=GERALD,
        subject="Re: invoice 017",
        body="""
            Dear Gerald,

            no rush about the bank, family first. I can change the card in November when I am back
            from my trip; it counts as your free round of changes.

            If you want to meet about it, any day but Wednesday is good. On Wednesdays I sit with
            my headphones on and answer nobody, not even the cat.

            Greetings to your father
            Bei
            """,
        created="2024-09-30 20:44",
    )
