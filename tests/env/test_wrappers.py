"""`DecodeMedia`: pictures as arrays."""

from __future__ import annotations

import io
import warnings
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from fake_desk import FakeDataset, FakeDesk
from gymnasium.utils.env_checker import check_env
from PIL import Image

import deskgym
from deskgym.env.desk_env import DeskEnv
from deskgym.env.observations import Media
from deskgym.env.wrappers import DecodeMedia, UndecodedPicture, decode_picture
from deskgym.tasks.schema import Profile

LOOK = {"tool": "read_image", "path": "list.txt"}


def encoded(image: Image.Image, form: str = "PNG", **options: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, form, **options)
    return file.getvalue()


def env_showing(*media: tuple[str, bytes], **options: Any) -> DecodeMedia:
    def desk(person: Profile) -> FakeDesk:
        made = FakeDesk(person)
        made.media = list(media)
        return made

    return DecodeMedia(DeskEnv(FakeDataset(), "bob", sandbox=desk), **options)


def test_pictures_are_decoded_in_order_and_the_rest_is_passed_over() -> None:
    red = encoded(Image.new("RGB", (4, 2), "red"))
    grey = encoded(Image.new("L", (3, 3), 128), "WEBP", lossless=True)
    env = env_showing(("image/png", red), ("audio/wav", b"RIFF"), ("image/webp", grey))
    observation, info = env.reset()
    assert (observation["images"], info["undecoded"]) == ((), ())
    observation, _, _, _, info = env.step(LOOK)
    first, second = observation["images"]
    assert first.shape == (2, 4, 3)
    assert (first == [255, 0, 0]).all()
    assert second.shape == (3, 3, 3)
    assert abs(second.astype(int) - 128).max() <= 1
    assert [m.mime for m in observation["media"]] == ["image/png", "audio/wav", "image/webp"]
    assert info["undecoded"] == ()
    assert env.observation_space.contains(observation)
    second[0, 0, 0] = 1  # the arrays are the caller's own
    env.close()


def test_what_cannot_be_decoded_is_named() -> None:
    large = encoded(Image.new("RGB", (11, 10)))
    small = encoded(Image.new("RGB", (10, 10)))
    env = env_showing(
        ("image/png", large),
        ("image/png", small),
        ("image/svg+xml", b"<svg/>"),
        ("image/png", small[:-30]),
        max_pixels=100,
    )
    env.reset()
    observation, _, _, _, info = env.step(LOOK)
    assert [image.shape for image in observation["images"]] == [(10, 10, 3)]
    too_large, svg, cut = info["undecoded"]
    assert too_large.startswith("image/png of 11 x 10 pixels, and max_pixels is 100")
    assert svg.startswith("image/svg+xml that cannot be decoded")
    assert cut.startswith("image/png that cannot be decoded")
    assert env.observation_space.contains(observation)


def test_a_bomb_is_refused_by_its_size_alone() -> None:
    bomb = encoded(Image.new("1", (20_000, 20_000)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UndecodedPicture):
            decode_picture(Media("image/png", bomb))


def test_pictures_stand_upright_on_white() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by a quarter
    turned = encoded(Image.new("RGB", (6, 2), "blue"), "JPEG", exif=exif)
    assert decode_picture(Media("image/jpeg", turned)).shape == (6, 2, 3)
    clear = encoded(Image.new("RGBA", (2, 2), (0, 0, 0, 0)))
    assert (decode_picture(Media("image/png", clear)) == 255).all()
    palette = Image.new("P", (2, 2), 0)
    see_through = encoded(palette, "GIF", transparency=0)
    assert (decode_picture(Media("image/gif", see_through)) == 255).all()


def test_reset_takes_names_and_options() -> None:
    env = DecodeMedia(DeskEnv(FakeDataset(), sandbox=FakeDesk))
    assert env.reset(profile="ann", task="ann-002")[1]["task_id"] == "ann-002"
    assert env.reset(options={"profile": "bob"})[1]["task_id"] == "bob-001"
    with pytest.raises(ValueError, match="no option"):
        env.reset(options={"who": "bob"})


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="max_pixels is at least 1"):
        DecodeMedia(DeskEnv(FakeDataset(), sandbox=FakeDesk), max_pixels=0)
    with pytest.raises(TypeError, match="it observes no media"):
        DecodeMedia(gym.make("CartPole-v1"))


def test_check_env_has_nothing_to_say() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # It says of every wrapper that it is one.
        warnings.filterwarnings("ignore", message=".*different from the unwrapped version")
        check_env(DecodeMedia(DeskEnv(FakeDataset(), sandbox=FakeDesk)))


@pytest.mark.docker
@pytest.mark.usefixtures("desk_image")
def test_a_real_picture_and_a_real_page() -> None:
    env = DecodeMedia(deskgym.make(profile="adam"))
    env.reset(seed=0)
    records = env.unwrapped.dataset.profile("adam").files  # type: ignore[attr-defined]
    for suffix, fields in ((".jpg", {}), (".pdf", {"page": 1, "dpi": 72})):
        path = next(r.path for r in records if r.path.endswith(suffix))
        observation = env.step({"tool": "read_image", "path": path, **fields})[0]
        (image,) = observation["images"]
        assert image.dtype == np.uint8
        assert image.std() > 1
        assert env.observation_space.contains(observation)
    env.close()
