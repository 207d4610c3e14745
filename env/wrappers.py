"""Wrappers around a `DeskEnv`."""

from __future__ import annotations

import io
import struct
import warnings
from typing import Any, cast

import gymnasium as gym
import numpy as np
from PIL import Image, ImageOps

from deskgym.env.observations import Media
from deskgym.env.options import named
from deskgym.env.spaces import MAX_PIXELS, ImagesSpace, Picture

# What Pillow raises over what is no picture, or half of one.
_DAMAGE = (OSError, ValueError, SyntaxError, struct.error, Image.DecompressionBombError)


class UndecodedPicture(Exception):
    """A picture that was not decoded; the message says why."""


class DecodeMedia(gym.Wrapper[dict[str, Any], Any, Any, Any], gym.utils.RecordConstructorArgs):
    """Adds ``images`` to the observation: what ``media`` holds of pictures, decoded.

    A tuple of uint8 arrays of shape (height, width, 3), in the order of ``media``: upright, the
    first frame of an animation, what is transparent on white. Media of other types are passed
    over. A picture of more than ``max_pixels`` pixels, or one that Pillow cannot decode, is passed
    over too and named in ``info["undecoded"]``, a tuple of messages.

    Raises:
        ValueError: ``max_pixels`` is below 1.
        TypeError: the environment's observations hold no media.
    """

    def __init__(self, env: gym.Env[Any, Any], *, max_pixels: int = MAX_PIXELS) -> None:
        if max_pixels < 1:
            raise ValueError(f"max_pixels is at least 1, not {max_pixels}")
        space = env.observation_space
        if not isinstance(space, gym.spaces.Dict) or "media" not in space.spaces:
            raise TypeError(f"DecodeMedia wraps a DeskEnv, not {env}: it observes no media")
        gym.utils.RecordConstructorArgs.__init__(self, max_pixels=max_pixels)
        super().__init__(env)
        self._max_pixels = max_pixels
        images = ImagesSpace(space["media"].max_items, max_pixels)  # type: ignore[attr-defined]
        self.observation_space = gym.spaces.Dict({**space.spaces, "images": images})

    def reset(
        self,
        *,
        seed: int | None = None,
        options: dict[str, Any] | None = None,
        profile: str | None = None,
        task: str | None = None,
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """As `DeskEnv.reset`."""
        profile, task = named(options, profile, task)
        chosen = {"profile": profile, "task": task}
        given = {name: value for name, value in chosen.items() if value is not None}
        return self._decoded(*self.env.reset(seed=seed, options=given or None))

    def step(self, action: Any) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """As `DeskEnv.step`."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        observation, info = self._decoded(observation, info)
        return observation, float(reward), terminated, truncated, info

    def _decoded(
        self, observation: Any, info: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        images = []
        undecoded = []
        for medium in observation["media"]:
            if medium.mime.startswith("image/"):
                try:
                    images.append(decode_picture(medium, self._max_pixels))
                except UndecodedPicture as error:
                    undecoded.append(str(error))
        return {**observation, "images": tuple(images)}, {**info, "undecoded": tuple(undecoded)}


def decode_picture(medium: Media, max_pixels: int = MAX_PIXELS) -> Picture:
    """The picture as an array of shape (height, width, 3).

    Raises:
        UndecodedPicture: it has more than ``max_pixels`` pixels, or is of no kind that Pillow
            knows, or damaged.
    """
    try:
        with warnings.catch_warnings():
            # Pillow warns of large pictures; the cap below is the stricter.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(medium.data)) as image:
                width, height = image.size
                if width * height > max_pixels:
                    raise UndecodedPicture(
                        f"{medium.mime} of {width} x {height} pixels, and max_pixels is "
                        f"{max_pixels}: read_image shows it smaller"
                    )
                upright = ImageOps.exif_transpose(image)
                return _on_white(upright)
    except _DAMAGE as error:
        raise UndecodedPicture(f"{medium.mime} that cannot be decoded: {error}") from error


def _on_white(image: Image.Image) -> Picture:
    if "A" in image.getbands() or "transparency" in image.info:
        layer = image.convert("RGBA")
        paper = Image.new("RGBA", layer.size, "white")
        image = Image.alpha_composite(paper, layer)
    return cast("Picture", np.asarray(image.convert("RGB"), dtype=np.uint8).copy())
