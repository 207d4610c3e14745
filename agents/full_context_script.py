"""What runs in the desk to print many files' texts with their places in few steps."""

from __future__ import annotations

MAX_SHOWN = 45_000
"""Bytes that one part of the texts may have: below what an observation holds of a command."""

# `read BUDGET FILE` reads the paths on its standard input in order, until BUDGET characters or the
# time are used up, writes pieces of their texts to FILE as lines of JSON, and says how many paths
# and lines that were. `show LINE FILE` prints lines from that one on. A piece's lines are counted
# within its segment, from 0.
SCRIPT = r"""
import concurrent.futures as futures, json, sys, time
sys.path.insert(0, "/opt/deskgym")
from desk.commands import Refused, return_txt  # the command itself, without a process for each file

SECONDS, AT_ONCE, SHOWN, PIECE = 40, 4, 45_000, 6_000

def segments(path):
    try:
        told = return_txt([path])["data"]["segments"]
        return [(segment["locator"], segment["content"]) for segment in told]
    except Refused:
        pass  # it has no text, or return_txt is off: what is plain text can be read all the same
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except (OSError, ValueError):
        return []
    if not text or "\0" in text:
        return []
    lines = text.rstrip("\n").split("\n")
    return [(f"lines:1-{len(lines)}", "\n".join(lines))]

def parts(path):
    for locator, text in segments(path):
        lines = text.split("\n")
        first = 0
        while first < len(lines):
            last, size = first + 1, len(lines[first])
            while last < len(lines) and size + len(lines[last]) < PIECE:
                size += len(lines[last]) + 1
                last += 1
            piece = "\n".join(lines[first:last])[: 2 * PIECE]
            yield {"path": path, "locator": locator, "first": first, "of": len(lines),
                   "text": piece}
            first = last

def read(budget, target):
    paths = [path for path in sys.stdin.read().split("\n") if path]
    until, done, lines, chars = time.monotonic() + SECONDS, 0, 0, 0
    with open(target, "w", encoding="utf-8") as file, futures.ThreadPoolExecutor(AT_ONCE) as pool:
        while done < len(paths) and chars < budget and time.monotonic() < until:
            batch = paths[done : done + 2 * AT_ONCE]
            for found in pool.map(lambda path: list(parts(path)), batch):
                for piece in found:
                    print(json.dumps(piece, ensure_ascii=False), file=file)
                    lines, chars = lines + 1, chars + len(piece["text"])
            done += len(batch)
    print(json.dumps({"done": done, "lines": lines, "chars": chars}))

def show(line, target):
    with open(target, encoding="utf-8") as file:
        room = SHOWN
        for number, text in enumerate(file, 1):
            if number >= line:
                room -= len(text.encode())
                if room < 0 and number > line:
                    return
                sys.stdout.write(text)

{"read": read, "show": show}[sys.argv[1]](int(sys.argv[2]), sys.argv[3])
"""
