"""Spaces for what Gymnasium has none of: text of any script, media, and actions."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from typing import Any, cast

import gymnasium as gym
import numpy as np

from deskgym.env.actions import InvalidAction, ToolName, parse_action
from deskgym.env.observations import Media, Observation

Picture = np.ndarray[Any, np.dtype[np.uint8]]

MAX_MEDIA = 64
MAX_PIXELS = 4_000_000
_SAMPLE_ALPHABET = "abcdefghijklmnopqrstuvwxyz ÄÖüßéñ 北京 한국 0123456789 .,:;!?€"


class Unicode(gym.Space[str]):
    """Any string of at most ``max_length`` characters.

    `gymnasium.spaces.Text` lists the characters that may occur; people's files know no such list.
    """

    def __init__(self, max_length: int = 10_000_000, seed: int | np.random.Generator | None = None):
        super().__init__(seed=seed)
        self.max_length = max_length

    @property
    def is_np_flattenable(self) -> bool:
        return False

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """Up to 40 characters of several scripts."""
        letters = list(_SAMPLE_ALPHABET)
        size = int(self.np_random.integers(0, min(40, self.max_length) + 1))
        return "".join(self.np_random.choice(letters, size=size)) if size else ""

    def contains(self, x: Any) -> bool:
        return isinstance(x, str) and len(x) <= self.max_length

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unicode) and other.max_length == self.max_length

    def __hash__(self) -> int:
        return hash(("Unicode", self.max_length))

    def __repr__(self) -> str:
        return f"Unicode({self.max_length})"


class MediaSpace(gym.Space[tuple[Media, ...]]):
    """A tuple of at most ``max_items`` `Media`."""

    def __init__(self, max_items: int = MAX_MEDIA, seed: int | np.random.Generator | None = None):
        super().__init__(seed=seed)
        self.max_items = max_items

    @property
    def is_np_flattenable(self) -> bool:
        return False

    def sample(self, mask: Any = None, probability: Any = None) -> tuple[Media, ...]:
        """Up to two small PNG pictures of noise."""
        count = int(self.np_random.integers(0, min(2, self.max_items) + 1))
        return tuple(Media("image/png", _noise(self.np_random)) for _ in range(count))

    def contains(self, x: Any) -> bool:
        return (
            isinstance(x, tuple)
            and len(x) <= self.max_items
            and all(isinstance(m, Media) and "/" in m.mime and isinstance(m.data, bytes) for m in x)
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MediaSpace) and other.max_items == self.max_items

    def __hash__(self) -> int:
        return hash(("MediaSpace", self.max_items))

    def __repr__(self) -> str:
        return f"MediaSpace({self.max_items})"


class ActionSpace(gym.Space[str]):
    """Actions as JSON strings; models and dicts that stand for one are contained too.

    Samples are harmless: they list, look and note, and sometimes answer.
    """

    def __init__(
        self,
        tools: Sequence[ToolName] | frozenset[ToolName],
        seed: int | np.random.Generator | None = None,
    ):
        super().__init__(seed=seed)
        self.tools = frozenset(tools)

    @property
    def is_np_flattenable(self) -> bool:
        return False

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        patterns = ("*", "*.pdf", "*.txt", "*.jpg", "*20*")
        choices: list[dict[str, Any]] = [{"tool": "note", "text": "a thought"}]
        if "list_files" in self.tools:
            pattern = patterns[int(self.np_random.integers(len(patterns)))]
            choices.append({"tool": "list_files", "pattern": pattern})
        if "terminal" in self.tools:
            choices.append({"tool": "terminal", "command": "ls"})
        if self.np_random.random() < 0.1:
            choices = [{"tool": "answer", "text": "I do not know."}]
        return json.dumps(choices[int(self.np_random.integers(len(choices)))])

    def contains(self, x: Any) -> bool:
        try:
            return parse_action(x).tool in self.tools
        except InvalidAction:
            return False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ActionSpace) and other.tools == self.tools

    def __hash__(self) -> int:
        return hash(("ActionSpace", self.tools))

    def __repr__(self) -> str:
        return f"ActionSpace({', '.join(sorted(self.tools))})"


class ImagesSpace(gym.Space[tuple[Picture, ...]]):
    """A tuple of at most ``max_items`` pictures: uint8 arrays of shape (height, width, 3)."""

    def __init__(
        self,
        max_items: int = MAX_MEDIA,
        max_pixels: int = MAX_PIXELS,
        seed: int | np.random.Generator | None = None,
    ):
        super().__init__(seed=seed)
        self.max_items = max_items
        self.max_pixels = max_pixels

    @property
    def is_np_flattenable(self) -> bool:
        return False

    def sample(self, mask: Any = None, probability: Any = None) -> tuple[Picture, ...]:
        """Up to two small pictures of noise."""
        count = int(self.np_random.integers(0, min(2, self.max_items) + 1))
        side = max(1, min(8, int(self.max_pixels**0.5)))
        shape = (side, side, 3)
        return tuple(
            self.np_random.integers(0, 256, size=shape, dtype=np.uint8) for _ in range(count)
        )

    def contains(self, x: Any) -> bool:
        return (
            isinstance(x, tuple)
            and len(x) <= self.max_items
            and all(isinstance(p, np.ndarray) and self._is_picture(p) for p in x)
        )

    def _is_picture(self, array: np.ndarray[Any, Any]) -> bool:
        return (
            array.dtype == np.uint8
            and array.ndim == 3
            and array.shape[2] == 3
            and 0 < array.shape[0] * array.shape[1] <= self.max_pixels
        )

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ImagesSpace)
            and other.max_items == self.max_items
            and other.max_pixels == self.max_pixels
        )

    def __hash__(self) -> int:
        return hash(("ImagesSpace", self.max_items, self.max_pixels))

    def __repr__(self) -> str:
        return f"ImagesSpace({self.max_items}, {self.max_pixels})"


def observation_space(max_steps: int) -> gym.Space[Observation]:
    """The space of `Observation`, in episodes of at most ``max_steps`` steps."""
    spaces: dict[str, gym.Space[Any]] = {
        "question": Unicode(),
        "text": Unicode(),
        "media": MediaSpace(),
        "step": gym.spaces.Discrete(max_steps + 1),
        "steps_left": gym.spaces.Discrete(max_steps + 1),
    }
    return cast("gym.Space[Observation]", gym.spaces.Dict(spaces))


def _noise(rng: np.random.Generator) -> bytes:
    from PIL import Image

    file = io.BytesIO()
    pixels = rng.integers(0, 256, size=(8, 8, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(file, format="PNG")
    return file.getvalue()
