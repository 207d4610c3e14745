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
        print(f"{state}\t{share:.0%}")
