"""Evening cards: at most thirty, the ones that I got wrong in a mock come first."""

import json
import random

LIMIT = 30


def pick(cards):
    """Wrong ones first, then the rest in any order."""
    wrong = [c for c in cards if c["source"].endswith("wrong")]
    rest = [c for c in cards if not c["source"].endswith("wrong")]
    random.shuffle(rest)
    return (wrong + rest)[:LIMIT]


if __name__ == "__main__":
    for card in pick(json.load(open("cards.json", encoding="utf-8"))):
        input(card["front"])
        print("  ", card["back"])
