"""Bei's two journeys: Lisbon in May 2024, Kyoto in November 2024."""

from __future__ import annotations

from deskgym.tasks.demo.make.kit import Desk, Place, Scene, Shape

LISBON = "Travel/Lisbon 2024"
KYOTO = "Travel/Kyoto 2024"
BEI = "Bei Lindqvist-Tan <bei@papayamoon.example>"
ALFAMA = Place(38.7120, -9.1300, "Alfama, Lisbon")
SINTRA = Place(38.7970, -9.3900, "Sintra, Portugal")
BELEM = Place(38.6970, -9.2060, "Belém, Lisbon")
PONTOCHO = Place(35.0060, 135.7710, "Pontocho, Kyoto")
NISHIJIN = Place(35.0300, 135.7440, "Nishijin, Kyoto")


def add_files(desk: Desk) -> None:
    """Write what is left of the journeys."""
    _lisbon_bookings(desk)
    _lisbon_diary(desk)
    _lisbon_money_and_sound(desk)
    _lisbon_photos(desk)
    _kyoto_bookings(desk)
    _kyoto_plan(desk)
    _kyoto_journal(desk)
    _kyoto_pictures(desk)


def _lisbon_bookings(desk: Desk) -> None:
    desk.pdf(
        f"{LISBON}/eticket_SIN-LIS.pdf",
        [
            """
            # Electronic ticket

            Passenger: LINDQVIST-TAN / BEI. Issued on 9 February 2024 by Meridian Gulf Airways.

            | Flight | From | To | Departs | Seat |
            | MG 353 | Singapore | Doha | 12 May 2024 02:15 | 41A window |
            | MG 343 | Doha | Lisbon | 12 May 2024 08:05 | 38A window |
            | MG 344 | Lisbon | Doha | 24 May 2024 15:30 | 40A window |
            | MG 944 | Doha | Singapore | 25 May 2024 02:10 | 39A window |

            ## Fare

            | Item | S$ |
            | Fare | 1,118.00 |
            | Taxes and fees | 204.60 |
            | Seats at the window | 60.00 |
            | Total | 1,382.60 |

            Luggage: 1 x 23 kg, cabin bag 7 kg. Cameras in the cabin, please, not in the hold.
            Changes cost S$90 a flight. No refund after departure.
            """
        ],
        created="2024-02-09 23:10",
    )
    desk.eml(
        f"{LISBON}/Casa do Limoeiro Re_ two weeks in May.eml",
        sender="Amélia Brandão <amelia@casadolimoeiro.example>",
        to=BEI,
        subject="Re: two weeks in May",
        body="""
            Dear Bei,

            the room on the top floor is yours from 12 to 24 May, 57 euros a night. It has its own
            small kitchen and it is under the roof, so nobody walks above you. There is no lift
            and it is 74 steps; you said that you do not mind.

            We do not take money before you arrive. The key is with the baker next door, his name
            is Armando, he closes at eight.

            Amélia

            > On 14 February 2024 Bei Lindqvist-Tan wrote:
            > I would rather book with you directly than through one of the big websites. I look
            > for a room in a small house, as high up and as quiet as possible, with a kitchen, so
            > that I can make my own breakfast. I do not need a view or a television.
            """,
        created="2024-02-15 18:22",
    )


def _lisbon_diary(desk: Desk) -> None:
    desk.text(
        f"{LISBON}/diary.md",
        """
        # Lisbon

        **12 May.** Arrived at noon. 74 steps, I counted. Armando the baker gave me the key and a
        bun. Slept under the roof with the window open, swallows all evening.

        **14 May.** Carried everything up to the viewpoint: both lenses, tripod, recorder, drone
        that I am not allowed to fly. Used the 35 and nothing else.

        **16 May.** Tile museum. Two hours in front of one blue wall. The woman at the ticket desk
        let me in again after lunch for nothing.

        **18 May.** Day out by train, went home with forty pictures of front doors. Rain, then
        such a light. Tram back from the station, no seat.

        **20 May.** My shoulder hurts. I have now carried the tripod for nine days and opened it
        twice. Rested, wrote postcards to Mamma and Pa, ate oranges on the roof.

        **22 May.** Recorded the number 28 at the corner for an hour. A boy asked what I was
        listening to. I said brakes.

        **24 May.** Home. The first working day after a journey stays empty. I have learnt that much
        about myself: nothing booked, wash clothes, lie on the floor with Lagom.

        *Later:* next time one body, one lens, no tripod.
        """,
        created="2024-05-12 22:40",
        modified="2024-05-26 19:15",
    )


def _lisbon_money_and_sound(desk: Desk) -> None:
    desk.text(
        f"{LISBON}/lisboa costs.csv",
        """
        date,what,kind,eur
        2024-05-12,airport bus,transport,2.10
        2024-05-12,bread and cheese,food,9.40
        2024-05-13,transport card,transport,20.00
        2024-05-14,puppet museum,museum,7.50
        2024-05-15,fish with Amelia,food,18.00
        2024-05-16,tile museum,museum,8.00
        2024-05-16,museum shop: two tiles,gift,22.00
        2024-05-17,design museum,museum,10.00
        2024-05-18,train day return,transport,4.60
        2024-05-19,oranges,food,3.20
        2024-05-21,tram museum,museum,5.50
        2024-05-22,stamps,post,11.60
        2024-05-23,dinner for Armando and Amelia,food,61.00
        2024-05-24,room 12 nights,room,684.00
        """,
        created="2024-05-13 08:30",
        modified="2024-05-24 12:05",
    )
    desk.speech(
        f"{LISBON}/tram corner note.ogg",
        [
            "Lisbon, twenty second of May, at the corner below the church.",
            "The number twenty eight brakes here every six minutes.",
            "Note to self, I brought nine kilos of gear and I use two.",
            "Next journey, one camera, one lens.",
        ],
        created="2024-05-22 17:18",
        place=ALFAMA,
    )


def _lisbon_photos(desk: Desk) -> None:
    desk.image(
        f"{LISBON}/IMG_4913.jpg",
        ["No. 112"],
        style="photo",
        created="2024-05-15 10:02",
        place=ALFAMA,
    )
    desk.image(
        f"{LISBON}/IMG_4931.jpg",
        ["No. 47"],
        style="photo",
        created="2024-05-18 16:41",
        place=SINTRA,
    )
    desk.picture(
        f"{LISBON}/IMG_4940.jpg",
        [
            Shape("rect", (0.0, 0.0, 1.0, 0.55), "#9fb6c9"),
            Shape("rect", (0.0, 0.55, 1.0, 1.0), "#46647c"),
            Shape("polygon", (0.55, 0.22, 0.75, 0.58), "#e9e2d0", shows="a white sail"),
        ],
        created="2024-05-19 18:20",
        place=BELEM,
    )


def _kyoto_bookings(desk: Desk) -> None:
    desk.eml(
        f"{KYOTO}/Re_ the quiet room.eml",
        sender="Maya Okada <okada@mayagatehouse.example>",
        to=BEI,
        subject="Re: the quiet room, 9 to 18 November",
        body="""
            Dear Bei-san,

            thank you for writing to me directly, I like it better too. I keep the upper room at
            the back for you, from 9 November, nine nights, 8,200 yen a night. It is the quietest;
            only the bell of the temple at a quarter past six in the evening. You may use the
            kitchen next to it as your own.

            The front door has a number lock. I never write the number in a mail; you find it on
            a card at your room when you come, and until then please ring.

            One request. Many guests bring sweets. I cannot eat nuts of any kind, so please, if
            you bring something, bring the pandan biscuits without nuts, or only your photographs.

            Maya Okada

            > On 1 September 2024 Bei Lindqvist-Tan wrote:
            > You were recommended to me by a friend. Do you have something high up and quiet,
            > with a kitchen where I can cook breakfast? Small houses are the best houses.
            """,
        created="2024-09-02 09:10",
    )
    desk.text(
        f"{KYOTO}/flights kyoto.txt",
        """
        Kyoto flights (booked with Pa's miles plus some money, receipt must be in Pa's mail)

        out   Sat 9 Nov 2024   SIN 01:25 - KIX 08:45   seat 37A, window
        back  Mon 18 Nov 2024  KIX 10:55 - SIN 17:05   seat 40A, window

        train from the airport: the slow one, it has the better windows
        23 kg allowed, will take 11
        liquids!! the good soy sauce goes in the big bag
        Farah feeds Lagom and sleeps in the flat on both weekends
        """,
        created="2024-08-25 20:14",
        modified="2024-11-05 21:33",
    )


def _kyoto_plan(desk: Desk) -> None:
    desk.text(
        f"{KYOTO}/plan_v2.html",
        """
        <!DOCTYPE html>
        <html lang="en">
        <head><meta charset="utf-8"><title>Kyoto plan v2</title></head>
        <body>
        <h1>Kyoto, plan v2</h1>
        <p>Day 1 is Saturday 9 November, the day I land. No plan before ten in the morning.</p>
        <h2>Wishes</h2>
        <ul>
        <li>one weaver's workshop in Nishijin (white lanterns outside, ask first)</li>
        <li>the canal lane after dark</li>
        <li>paper shop, for samples, mind the weight</li>
        <li>a day of doing nothing on the river bank</li>
        </ul>
        <h2>Packing</h2>
        <ul>
        <li>one body, the 35, two batteries - and nothing else, see Lisbon</li>
        <li>no tripod. No. Tripod.</li>
        <li>rain jacket, the flat shoes</li>
        <li>pandan biscuits for Maya</li>
        </ul>
        <h2>After</h2>
        <p>Tuesday 19 November stays empty: landing day.</p>
        </body>
        </html>
        """,
        created="2024-09-15 21:05",
        modified="2024-11-03 22:10",
    )


def _kyoto_journal(desk: Desk) -> None:
    desk.text(
        f"{KYOTO}/journal.txt",
        """
        KYOTO JOURNAL (only what I ate and what I saw, Farah's rule)

        Day 1. Landed, slow train, slept. Dinner: rice balls from the station, on the floor.
        Day 2. Rain on the roof all day. Dinner: Maya O. made miso soup and watched me eat it.
        Day 3. Nishijin, the weaver let me film her feet. Dinner: grilled mackerel, alone, bliss.
        Day 4. Paper shop. Bought far too much of it. Dinner: curry rice near the bath house.
        Day 5. Slept late, then walked until dark. Dinner: yuba hotpot, a place with four stools.
        Day 6. River bank, nothing. Dinner: leftover rice with an egg, in my kitchen.
        Day 7. Filmed the temple bell. Dinner: buckwheat noodles, cold, in November, no regrets.
        Day 8. The garden with the moss, two hours. Dinner: okonomiyaki with the two Danes.
        Day 9. Wrote postcards. Dinner: eel, because it was the last evening.
        Day 10. Flight home, seat at the window, slept over half of the sea.

        One lens was right. I did not miss the others once, and my shoulder is fine.
        """,
        created="2024-11-09 20:30",
        modified="2024-11-18 16:02",
    )


def _kyoto_pictures(desk: Desk) -> None:
    night = Shape("rect", (0.0, 0.0, 1.0, 1.0), "#1b1d2a")
    desk.picture(
        f"{KYOTO}/IMG_5340.jpg",
        [
            night,
            Shape("ellipse", (0.2, 0.2, 0.4, 0.7), "#f4f1e6", shows="a white paper lantern"),
            Shape("ellipse", (0.6, 0.2, 0.8, 0.7), "#f4f1e6", shows="another white paper lantern"),
        ],
        created="2024-11-11 17:58",
        place=NISHIJIN,
    )
    desk.picture(
        f"{KYOTO}/IMG_5377.jpg",
        [
            night,
            Shape("rect", (0.0, 0.8, 1.0, 1.0), "#2c3a4c"),
            Shape("ellipse", (0.35, 0.15, 0.65, 0.75), "#c0392b", shows="a red paper lantern"),
        ],
        created="2024-11-13 18:12",
        place=PONTOCHO,
    )
    desk.image(
        f"{KYOTO}/IMG-20241109-WA0003.webp",
        ["Welcome Bei-san!", "Front door: 4071, then bell key", "Bath from 5 pm", "Maya O."],
        style="note",
        created="2024-11-09 13:40",
    )
    desk.video(
        f"{KYOTO}/bell.webm",
        [
            Scene(4, ["18:15", "the bell, from my room"], "#2a2f26"),
            Scene(4, ["it is lower than I thought"], "#33402f"),
            Scene(3, ["Day 7"], "#2a2f26"),
        ],
        created="2024-11-15 18:15",
        place=NISHIJIN,
    )
