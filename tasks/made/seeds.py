"""Where all chance comes from: generators named after what they are for.

A generator depends on the seed and its name only, so each part of a life is the same whatever
was made before it, in whichever process.
"""

from __future__ import annotations

import random
from hashlib import sha256

import numpy as np


def number(seed: int, *names: object) -> int:
    """A 256-bit number that belongs to ``seed`` and ``names`` (strings and whole numbers)."""
    text = "\x1f".join([str(seed), *(str(name) for name in names)])
    return int.from_bytes(sha256(text.encode("utf-8")).digest(), "big")


def rng(seed: int, *names: object) -> np.random.Generator:
    """The numpy generator of that name: for draws of many numbers at once."""
    return np.random.Generator(np.random.PCG64(number(seed, *names)))


def random_for(seed: int, *names: object) -> random.Random:
    """The standard library's generator of that name: for choices and few numbers."""
    return random.Random(number(seed, *names))
