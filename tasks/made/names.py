"""Invented names: of people, towns, streets, shops, brands and works.

Surnames are put together from syllables. Each seed uses its own share of them (every 61st), so
people made from seeds that differ by less than 61 share no surname, and so no full name.
"""

from __future__ import annotations

import math
import random

from deskgym.tasks.made.seeds import number


def words_of(text: str) -> tuple[str, ...]:
    """The words of ``text``, parted at spaces."""
    return tuple(text.split())


_HEADS = words_of(
    "Al Bar Bel Bran Cal Cor Dal Del Dor Ed Eld Fal Fen Gar Gil Hal Har Hol Is Jar Kel Kor "
    "Lan Lor Mal Mar Mer Mor Nar Nor Or Pel Per Quil Rav Ros Sal Sar Sel Sol Tar Tel Tor Ul "
    "Val Ver Wal Wen Wil Yar Zan Zel"
)
_MIDDLES = words_of(
    "a ab am an ar ba be bo cha da de do e en er ga go i il in ka ki la le li lo ma me mi mo "
    "na ne o on or ra re ri ro sa so ta te ti to u va ve vi"
)
_TAILS = words_of(
    "barth bec bell berg by cott dal dane dell den dine don ford gan gard gate greave ham "
    "hart holm hurst kin lan land leigh ley lin lock low man mark mere mond more nell ney "
    "quist rick roth row ruth sen set shaw sley stad sted stone stow tane ter thorn ton vane "
    "vik ville wald ward well wick wold worth"
)
_SHARES = 61

_WOMEN = words_of(
    "Ada Agnes Aileen Alma Amara Anika Anouk Astrid Beatriz Birgit Brenda Camila Carla Cecily "
    "Chiara Clodagh Dagmar Daniela Daria Edith Eileen Elena Elin Elise Emma Esme Eva Fatima "
    "Fenna Fiona Freya Gemma Greta Hana Hanna Hazel Helga Ida Imani Ines Ingrid Irene Iris "
    "Ivana Jana Jasmin Joanna Jolanda Judith Julia Kaja Karin Katja Keira Klara Lara Leila "
    "Lena Linnea Lotte Lucia Maeve Magda Malin Mara Marta Maya Meera Mila Mina Mirjam Nadia "
    "Naomi Nell Nina Noor Odile Olga Orla Paula Petra Priya Ragna Renata Rosa Ruth Saga Salma "
    "Sanne Selma Silvia Sofia Stella Sunniva Svea Tamar Tess Thea Tilda Una Ursula Vera Wanda "
    "Yara Yvonne Zara Zoe"
)
_MEN = words_of(
    "Adil Aidan Alban Aleks Anders Andrei Anton Arjun Arne Aron Bastian Benno Bjarne Bruno "
    "Callum Carlos Casper Cillian Conor Cyril Dag Damian Dario Declan Dirk Eamon Edgar Eino "
    "Elias Emil Enzo Erik Ewan Felix Fergus Filip Finn Florian Gabor Georg Goran Gustav "
    "Hamish Hans Hector Henrik Hugo Ibrahim Igor Isak Ivan Jakob Jan Jasper Joel Jonas Joris "
    "Kaspar Keir Kilian Klaus Lars Leo Levi Lorenz Luca Magnus Malik Marek Mats Matteo Milan "
    "Moritz Nestor Nico Nils Oisin Olaf Omar Oscar Otto Pascal Pavel Pieter Rafael Ralf Ravi "
    "Remy Rene Rolf Ronan Ruben Rune Samir Sander Sean Simon Stefan Sven Tadeo Tarek Theo "
    "Till Tomas Tor Ugo Uwe Viktor Wim Xaver Yann Yusuf Zeno"
)

_STREET_ENDS = words_of(
    "Lane Street Road Row Terrace Close Gate Hill Walk Place Square Avenue Court Rise "
    "Crescent Quay Green Passage"
)
_TOWN_ENDS = ("bridge", "haven", "mouth", "minster", "cross", "port", "sund", "fold", "stead")

ADJECTIVES = words_of(
    "Amber Ancient Bitter Blue Borrowed Brass Bright Broken Burning Careful Clever Cold "
    "Copper Crooked Distant Drowsy Dusty Early Eastern Empty Faded False Fallen Far Final "
    "First Floating Folded Forgotten Frozen Gentle Glass Golden Green Grey Half Hidden Hollow "
    "Honest Idle Iron Last Late Left Little Long Lost Loud Lucky Midnight Missing Narrow "
    "Northern Old Open Painted Paper Patient Plain Quiet Red Restless Salt Second Secret "
    "Seven Shallow Silent Silver Simple Sleeping Slow Small Southern Spare Stolen Stone Stray "
    "Sudden Tall Third Thirsty Twelve Uneven Velvet Wandering Western White Wild Winter "
    "Wooden Yellow"
)
NOUNS = words_of(
    "Almanac Anchor Apprentice Arcade Archive Atlas Autumn Balcony Ballad Barrel Bell Bicycle "
    "Boundary Bridge Candle Cartographer Causeway Ceiling Cellar Chimney Clerk Clock Compass "
    "Corridor Cousin Crossing Daughter Ditch Doctor Door Drummer Echo Engine Errand Estuary "
    "Ferry Fiddler Field Fountain Gardener Gate Glacier Guest Harbour Harvest Heron Hour "
    "Index Island Janitor Journey Kettle Key Kingdom Kitchen Ladder Lamp Lantern Ledger "
    "Letter Library Lighthouse Lock Machine Map Market Meadow Messenger Mirror Moth Museum "
    "Neighbour Notebook Orchard Organist Oven Passenger Pavilion Pendulum Piano Pilot Pocket "
    "Postcard Promise Quarry Rain Recipe Ribbon River Roof Room Sailor Season Secretary "
    "Shadow Shelf Signal Sister Staircase Station Stranger Summer Table Tailor Telegram "
    "Theatre Ticket Tower Tunnel Umbrella Valley Verdict Village Violin Visitor Voyage Wall "
    "Warehouse Watchmaker Weather Well Whistle Window Winter Witness Workshop Year"
)


def surname(seed: int, chance: random.Random) -> str:
    """A surname out of the share of ``seed``."""
    return _surname(seed, chance.randrange(_surnames()))


def person_name(seed: int, index: int, gender: str) -> tuple[str, str]:
    """First and last name of main person ``index``: no two of a seed below 50,000 are alike."""
    first = _WOMEN if gender == "f" else _MEN
    total = _surnames() * min(len(_WOMEN), len(_MEN))
    stride = number(seed, "name stride") % total
    while math.gcd(stride, total) != 1:
        stride += 1
    at = (number(seed, "name offset") + index * stride) % total
    return first[at % min(len(_WOMEN), len(_MEN))], _surname(
        seed, at // min(len(_WOMEN), len(_MEN))
    )


def first_name(gender: str, chance: random.Random) -> str:
    """A first name for a woman (``f``) or a man (``m``)."""
    return chance.choice(_WOMEN if gender == "f" else _MEN)


def town(seed: int, chance: random.Random) -> str:
    """The name of a town that does not exist."""
    return surname(seed, chance).rstrip("e") + chance.choice(_TOWN_ENDS)


def street(seed: int, chance: random.Random) -> str:
    """A street, without a number."""
    return f"{surname(seed, chance)} {chance.choice(_STREET_ENDS)}"


def title(chance: random.Random) -> str:
    """The title of a book, film or piece of music."""
    adjective, (noun, other) = chance.choice(ADJECTIVES), chance.sample(NOUNS, 2)
    a = "An" if noun[0] in "AEIO" or noun == "Umbrella" else "A"
    return chance.choice(
        (
            f"The {adjective} {noun}",
            f"The {adjective} {noun}",
            f"{adjective} {_plural(noun)}",
            f"The {noun} and the {other}",
            f"{a} {noun} for the {other}",
            f"{other} without {a.lower()} {noun}",
            f"The {other}'s {adjective} {noun}",
        )
    )


def _plural(noun: str) -> str:
    if noun.endswith(("s", "x", "ch", "sh")):
        return f"{noun}es"
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}s"


def code(chance: random.Random, letters: int = 2, digits: int = 6) -> str:
    """A reference such as ``KV-204518``, without letters that look like digits."""
    head = "".join(chance.choice("ABCDEFGHJKLMNPQRSTUVWXYZ") for _ in range(letters))
    return f"{head}-{chance.randrange(10**digits):0{digits}d}"


def _surnames() -> int:
    """How many surnames a seed has."""
    return len(_HEADS) * len(_MIDDLES) * len(_TAILS) // _SHARES


def _surname(seed: int, index: int) -> str:
    at = index * _SHARES + seed % _SHARES
    at, tail = divmod(at, len(_TAILS))
    head, middle = at // len(_MIDDLES), at % len(_MIDDLES)
    return _HEADS[head] + _MIDDLES[middle] + _TAILS[tail]
