"""What is said in a sound: one interface over two engines, made to invent nothing.

`openai_whisper` is the reference, `faster_whisper` several times faster on a CPU and without
torch. Both decode greedily at temperature 0, so that the same sound gives the same words. Silence
is never shown to a model; what a model itself doubts to be speech, or repeats in a loop, is
dropped. Models are files that are there: nothing is downloaded.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from deskgym.tools import pcm
from deskgym.tools.cut import time_locator
from deskgym.tools.media import probe
from deskgym.tools.result import Segment, ToolError

if TYPE_CHECKING:
    from deskgym.tools.pcm import Samples

_BEAM = 5
_MIN_LOGPROB = -1.2  # mean log probability of a stretch's words, below which they are guesses
_MAX_RATIO = 2.4  # zlib's on the text: more is a loop
_NO_SPEECH = 0.9
_PROMISING = 0.3  # up to here a second, slower search is worth its time
_NO_SPEECH_UNSURE, _UNSURE_LOGPROB = 0.6, -0.5
# Models describe what is no speech: [Music], (applause), *sighs*, ♪.
_DESCRIPTION = re.compile(r"[\[(*♪].*[\])*♪]|♪+")


@dataclass(frozen=True)
class Transcript:
    """``language`` (a code such as "en", None if nothing is said) and what is said when.

    Each segment is its start and end in seconds from the file's start, and its text.
    """

    language: str | None
    segments: tuple[tuple[float, float, str], ...]

    def located(self) -> tuple[Segment, ...]:
        """The segments with locators ``time:a-b``."""
        return tuple(Segment(time_locator(a, b), text) for a, b, text in self.segments)


class Asr(Protocol):
    """An engine with a model loaded. ``name`` tells both."""

    @property
    def name(self) -> str: ...

    def transcribe(self, path: Path, *, words: bool = False) -> Transcript:
        """What is said in the sound or video at ``path``: by sentence, or word by word.

        Raises:
            ToolError: unsupported for what has no sound; corrupt, encrypted, timeout,
                out_of_memory; not_found and the like.
        """
        ...


@dataclass(frozen=True)
class Heard:
    """A stretch of speech as an engine heard it, and how sure it was. Times count from the chunk's
    start."""

    start: float
    end: float
    text: str
    no_speech: float
    logprob: float
    ratio: float
    words: tuple[tuple[float, float, str], ...] = ()


Listen = Callable[["Samples", str | None, int, bool], tuple[str, list[Heard]]]
"""What an engine does: samples, language if known, beam size, and whether words are wanted."""


@dataclass(frozen=True)
class Recogniser:
    """An `Asr` over one engine's way to listen to at most 30 seconds.

    ``language`` is the model's only one, or None if it is to be detected.
    """

    name: str
    listen: Listen
    language: str | None = None
    window_s: float = pcm.WINDOW_S

    def transcribe(self, path: Path, *, words: bool = False) -> Transcript:
        """See `Asr`. The language is that of the first stretch in which something is said."""
        probed = probe(path)
        if probed.track("audio") is None:
            raise ToolError("unsupported", f"{path.name!r} has no sound", "there is no speech")
        spoken: str | None = None
        found: list[tuple[float, float, str]] = []
        for offset, samples in pcm.windows(path, probed, window_s=self.window_s):
            for first, last in pcm.chunks(samples):
                piece = samples[first:last]
                language, heard = self._sure(piece, self.language or spoken, words)
                if heard:
                    spoken = spoken or language
                begin = offset + first / pcm.RATE
                found += _placed(heard, begin, offset + last / pcm.RATE, words)
        return Transcript(spoken, tuple(found))

    def _sure(self, piece: Samples, language: str | None, words: bool) -> tuple[str, list[Heard]]:
        """What is certainly said in a piece; a second, wider search if the first got lost."""
        spoken, heard = self.listen(piece, language, 1, words)
        if any(_lost(h) and h.no_speech < _PROMISING for h in heard):
            spoken, heard = self.listen(piece, language, _BEAM, words)
        length = len(piece) / pcm.RATE
        kept = [h for h in heard if not (_lost(h) or _no_speech(h)) and h.start < length]
        return spoken, [h for h in kept if _says_something(h.text)]


def load(spec: str, *, folder: Path = Path("/models"), threads: int = 1) -> Asr:
    """The engine and model of "openai:tiny.en" or "faster:/path/to/model".

    A model is a path, or a name looked up in ``folder``: ``NAME.pt`` or ``whisper/NAME.pt`` for
    openai, a folder ``NAME`` or ``faster-whisper-NAME`` (or below ``faster/``) for faster.

    Raises:
        ToolError: bad_argument, not_found for a model, unsupported for a missing package,
            corrupt.
    """
    engine, _, model = spec.partition(":")
    if engine not in ("openai", "faster") or not model:
        raise ToolError(
            "bad_argument",
            f"no speech engine and model: {spec!r:.80}",
            "write openai:MODEL or faster:MODEL, such as openai:tiny.en",
        )
    found = find_model(engine, model, folder)
    make = openai_whisper if engine == "openai" else faster_whisper
    return make(found, threads=threads)


def find_model(engine: str, model: str, folder: Path) -> Path:
    """Where the model of an engine ("openai", "faster") lies, by name or path.

    Raises:
        ToolError: not_found.
    """
    if engine == "openai":
        names = [f"{model}.pt", f"whisper/{model}.pt", f"openai/{model}.pt"]
    else:
        names = [f"{n}{model}" for n in ("", "faster-whisper-", "faster/", "faster-whisper/")]
        names += [f"{n}faster-whisper-{model}" for n in ("faster/", "faster-whisper/")]
    for place in (Path(model), *(folder / name for name in names)):
        whole = place.is_file() if engine == "openai" else (place / "model.bin").is_file()
        if whole:
            return place
    raise ToolError(
        "not_found",
        f"there is no {engine} speech model {model!r:.200}, neither as a path nor in {folder}",
        f"run: deskgym models fetch {'faster-whisper' if engine == 'faster' else 'whisper'}:NAME",
    )


def openai_whisper(model: Path, *, threads: int = 1) -> Recogniser:
    """The engine of the package openai-whisper with the weights at ``model`` (a ``.pt`` file).

    Raises:
        ToolError: unsupported, corrupt.
    """
    whisper, torch = _package("whisper", "openai-whisper"), _package("torch", "torch")
    torch.set_num_threads(threads)
    try:
        loaded = whisper.load_model(str(model), device="cpu")
    except Exception as error:  # whatever torch raises for weights that are none
        raise _no_model(model, error) from error

    def listen(
        samples: Samples, language: str | None, beam: int, words: bool
    ) -> tuple[str, list[Heard]]:
        result = loaded.transcribe(
            samples.copy(),
            language=language,
            beam_size=beam if beam > 1 else None,
            word_timestamps=words,
            temperature=0.0,
            fp16=False,
            condition_on_previous_text=False,
            # How sure is sure enough is decided here, alike for both engines.
            no_speech_threshold=None,
            logprob_threshold=None,
            compression_ratio_threshold=None,
        )
        return result["language"], [_openai_heard(part) for part in result["segments"]]

    only = None if loaded.is_multilingual else "en"
    return Recogniser(f"openai:{model.name}", listen, only)


def faster_whisper(model: Path, *, threads: int = 1) -> Recogniser:
    """The engine of the package faster-whisper with the model in the folder ``model``.

    Raises:
        ToolError: unsupported, corrupt.
    """
    package = _package("faster_whisper", "faster-whisper")
    try:
        loaded = package.WhisperModel(
            str(model),
            device="cpu",
            compute_type="int8",
            cpu_threads=threads,
            local_files_only=True,
        )
    except Exception as error:  # whatever its library raises for a model that is none
        raise _no_model(model, error) from error

    def listen(
        samples: Samples, language: str | None, beam: int, words: bool
    ) -> tuple[str, list[Heard]]:
        parts, about = loaded.transcribe(
            samples,
            language=language,
            beam_size=beam,
            word_timestamps=words,
            temperature=0.0,
            condition_on_previous_text=False,
            no_speech_threshold=None,
            log_prob_threshold=None,
            compression_ratio_threshold=None,
        )
        return about.language, [_faster_heard(part) for part in parts]

    only = None if loaded.model.is_multilingual else "en"
    return Recogniser(f"faster:{model.name}", listen, only)


def _openai_heard(part: dict[str, Any]) -> Heard:
    words = tuple((w["start"], w["end"], w["word"]) for w in part.get("words", ()))
    sure = (part["no_speech_prob"], part["avg_logprob"], part["compression_ratio"])
    return Heard(part["start"], part["end"], part["text"], *sure, words)


def _faster_heard(part: Any) -> Heard:
    words = tuple((w.start, w.end, w.word) for w in part.words or ())
    sure = (part.no_speech_prob, part.avg_logprob, part.compression_ratio)
    return Heard(part.start, part.end, part.text, *sure, words)


def _lost(heard: Heard) -> bool:
    return heard.logprob < _MIN_LOGPROB or heard.ratio > _MAX_RATIO


def _no_speech(heard: Heard) -> bool:
    unsure = heard.no_speech > _NO_SPEECH_UNSURE and heard.logprob < _UNSURE_LOGPROB
    return unsure or heard.no_speech > _NO_SPEECH


def _says_something(text: str) -> bool:
    return any(c.isalnum() for c in text) and not _DESCRIPTION.fullmatch(text.strip())


def _placed(
    heard: list[Heard], begin: float, end: float, words: bool
) -> list[tuple[float, float, str]]:
    """Times from the file's start, none of them outside of the chunk from ``begin`` to ``end``."""
    parts = [word for h in heard for word in h.words] if words else []
    if not words:
        parts = [(h.start, h.end, h.text) for h in heard]
    placed = []
    for start, stop, text in parts:
        first = min(begin + float(start), end)
        last = min(max(begin + float(stop), first), end)
        if text.strip():
            placed.append((round(first, 2), round(last, 2), " ".join(text.split())))
    return placed


def _package(name: str, distribution: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ToolError(
            "unsupported",
            f"the package {distribution} is not installed here, so speech is not recognised",
            f"run: pip install {distribution}, or use the other engine",
        ) from error


def _no_model(model: Path, error: Exception) -> ToolError:
    return ToolError(
        "corrupt",
        f"{model.name!r} cannot be loaded as a speech model: {error!s:.200}",
        "run: deskgym models fetch whisper:NAME",
    )
