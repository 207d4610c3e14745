"""The three kinds of embedders: an ONNX model, sentence-transformers, an endpoint.

Each takes its config and gives a function from texts to rows of numbers, which need not be of
length 1; one that cuts a text into pieces that the model reads whole; and what tells its vectors
from another's.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import numpy as np

from deskgym.agents.rag.embed import Cut, EmbedderConfig, Encode, Matrix
from deskgym.env.retrieval import RetrieverError

_MODEL_PLACES = ("model.onnx", "onnx/model.onnx")
_LENGTHS = (
    ("sentence_bert_config.json", "max_seq_length"),
    ("config.json", "max_position_embeddings"),
)
MAX_PIECES = 8  # of a text; more is no prose
_LONGEST = 512  # tokens, where the model's folder does not say
_PLACEHOLDER = "none"  # the client insists on a key, an endpoint of one's own does not


Made = tuple[Encode, Cut, str]


def onnx(config: EmbedderConfig) -> Made:
    """A transformer that was exported to ONNX. Texts are batched by length, to pad little.

    What the model gives for each token is pooled; if it gives a row a text, that is taken.

    Raises:
        RetrieverError: a file or library is missing, or the model is none of text.
    """
    try:
        import onnxruntime
        import tokenizers
    except ImportError as error:
        raise _missing("an ONNX embedder", error) from error
    model = _onnx_file(cast(Path, config.path))
    words = config.tokenizer or _beside(model, "tokenizer.json")
    if words is None or not words.is_file():
        raise RetrieverError(
            f"{model} has no tokenizer.json beside it; name it as 'tokenizer' in its config"
        )
    longest = config.max_tokens or _longest(words)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = config.threads
    # Threads that wait in a loop take the processor from whoever shares it.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        tokenizer = tokenizers.Tokenizer.from_file(str(words))
        uncut = tokenizers.Tokenizer.from_file(str(words))
        session = onnxruntime.InferenceSession(
            str(model), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # both raise bare ones for damaged files
        raise RetrieverError(f"cannot load {model} with {words}: {error}") from error
    tokenizer.enable_truncation(longest)
    tokenizer.no_padding()
    uncut.no_truncation()
    uncut.no_padding()
    wanted = [item.name for item in session.get_inputs()]
    if unknown := set(wanted) - {"input_ids", "attention_mask", "token_type_ids"}:
        raise RetrieverError(f"{model} wants {', '.join(sorted(unknown))}: no model of text")

    def batch(ids: Sequence[Sequence[int]]) -> Matrix:
        shape = len(ids), max(1, *map(len, ids))
        tokens, mask = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        for row, own in enumerate(ids):
            tokens[row, : len(own)], mask[row, : len(own)] = own, 1
        given = {"input_ids": tokens, "attention_mask": mask, "token_type_ids": mask * 0}
        try:
            out = session.run(None, {name: given[name] for name in wanted})
        except Exception as error:  # the runtime's have no class of their own
            raise RetrieverError(f"{model} failed: {error}") from error
        return _pooled([np.asarray(one, np.float32) for one in out], mask, config.pooling)

    def encode(texts: Sequence[str]) -> Matrix:
        ids = [one.ids for one in tokenizer.encode_batch(list(texts))]
        order = sorted(range(len(ids)), key=lambda n: len(ids[n]))
        parts = [
            batch([ids[n] for n in order[at : at + config.batch]])
            for at in range(0, len(order), config.batch)
        ]
        if not parts:
            return np.zeros((0, 0), np.float32)
        rows = np.concatenate(parts)
        rows[order] = rows.copy()
        return rows

    def cut(text: str) -> list[str]:
        places = uncut.encode(text, add_special_tokens=False).offsets
        return _pieces(text, places, longest - uncut.num_special_tokens_to_add(False))

    said = (_digest([model, words]), str(longest), config.pooling)
    return encode, cut, "onnx " + " ".join(said)


def sentence_transformers(config: EmbedderConfig) -> Made:
    """A model in the layout of sentence-transformers, by that library, on the processor.

    Raises:
        RetrieverError: the folder or the library is missing.
    """
    folder = cast(Path, config.path)
    if not (folder / "modules.json").is_file():
        raise RetrieverError(f"{folder} holds no modules.json, so no model of this kind")
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise RetrieverError(
            "this embedder needs sentence-transformers, which needs torch: "
            "pip install sentence-transformers; an ONNX build of the model needs neither"
        ) from error
    model = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    if config.max_tokens is not None:
        model.max_seq_length = config.max_tokens
    turns = threading.Lock()  # its tokenizer is not made for threads

    def encode(texts: Sequence[str]) -> Matrix:
        with turns:
            rows = model.encode(
                list(texts),
                batch_size=config.batch,
                convert_to_numpy=True,
                show_progress_bar=False,
            )
        return np.asarray(rows, np.float32)

    def cut(text: str) -> list[str]:
        longest = model.max_seq_length
        if longest is None:
            return [text]
        with turns:
            made = model.tokenizer(
                text,
                add_special_tokens=False,
                truncation=False,
                return_offsets_mapping=True,
                verbose=False,
            )
        special = model.tokenizer.num_special_tokens_to_add(False)
        return _pieces(text, made["offset_mapping"], longest - special)

    weights = _digest(sorted(p for p in folder.rglob("*") if p.is_file()))
    return encode, cut, f"sentence-transformers {weights} {config.max_tokens}"


def endpoint(config: EmbedderConfig) -> Made:
    """An OpenAI-compatible endpoint. The client tries again what failed for now, with waits that
    grow, or as long as the endpoint asks for. Texts go there whole: such models read thousands of
    tokens.

    Raises:
        RetrieverError: the client is not installed, or there is no key.
    """
    try:
        import openai
    except ImportError as error:
        raise RetrieverError("an endpoint needs: pip install 'deskgym[agents]'") from error
    url = config.base_url or os.environ.get("OPENAI_BASE_URL") or "https://api.openai.com/v1"
    key = os.environ.get(config.api_key_env, "").strip()
    if not key and config.base_url is None and "OPENAI_BASE_URL" not in os.environ:
        raise RetrieverError(f"the embedder needs a key in the variable {config.api_key_env}")
    client = openai.OpenAI(
        base_url=url,
        api_key=key or _PLACEHOLDER,
        timeout=config.timeout_s,
        max_retries=config.retries,
    )
    model = cast(str, config.model)

    def batch(texts: Sequence[str]) -> Matrix:
        # An empty text is refused by most.
        texts = [text if text.strip() else "-" for text in texts]
        try:
            reply = client.embeddings.create(
                model=model, input=list(texts), encoding_format="float"
            )
            rows = {one.index: one.embedding for one in reply.data}
            return np.asarray([rows[n] for n in range(len(texts))], np.float32)
        except openai.APIStatusError as error:
            # The original may quote the key.
            raise RetrieverError(
                f"the embedder {model} refused with status {error.status_code}; check its name, "
                f"the base URL and the key in {config.api_key_env}"
            ) from None
        except openai.OpenAIError as error:
            raise RetrieverError(
                f"the embedder {model} is out of reach: {type(error).__name__}; check the base URL"
            ) from None
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise RetrieverError(
                f"the embedder {model} did not give one vector for each text: {error!r}"
            ) from error

    def encode(texts: Sequence[str]) -> Matrix:
        if not texts:
            return np.zeros((0, 0), np.float32)
        parts = [batch(texts[at : at + config.batch]) for at in range(0, len(texts), config.batch)]
        if len({part.shape[1:] for part in parts}) > 1:
            raise RetrieverError(f"the embedder {model} gave vectors of several lengths")
        return np.concatenate(parts)

    return encode, lambda text: [text], f"endpoint {model} {url}"


def _pieces(text: str, places: Sequence[tuple[int, int]], longest: int) -> list[str]:
    """``text`` in pieces of about equal length and at most ``longest`` tokens, which stand at
    ``places``; the first `MAX_PIECES` of them."""
    if len(places) <= longest:
        return [text]
    count = -(-len(places) // longest)
    marks = [len(places) * n // count for n in range(count + 1)][: MAX_PIECES + 1]
    return [text[places[a][0] : places[b - 1][1]] for a, b in pairwise(marks)]


def _pooled(out: Sequence[Matrix], mask: Any, pooling: str) -> Matrix:
    """A row a text, from what a model gives."""
    for one in out:
        if one.ndim == 2:
            return one
    tokens = out[0]
    if tokens.ndim != 3:
        raise RetrieverError(f"the model gives numbers of shape {tokens.shape}, no vectors")
    if pooling == "first":
        return tokens[:, 0]
    weights = mask[:, :, None].astype(np.float32)
    return cast(Matrix, (tokens * weights).sum(axis=1) / weights.sum(axis=1).clip(min=1))


def _onnx_file(path: Path) -> Path:
    if path.suffix == ".onnx" and path.is_file():
        return path
    for place in _MODEL_PLACES:
        if (path / place).is_file():
            return path / place
    raise RetrieverError(f"{path} holds none of {', '.join(_MODEL_PLACES)}")


def _beside(model: Path, name: str) -> Path | None:
    """A file of this name in the model's folder, or in the one above it."""
    places = (model.parent / name, model.parent.parent / name)
    return next((place for place in places if place.is_file()), None)


def _longest(tokenizer: Path) -> int:
    """The longest text that the model was made for, in tokens, as its folder says."""
    for name, key in _LENGTHS:
        file = tokenizer.with_name(name)
        if file.is_file():
            value = json.loads(file.read_text(encoding="utf-8")).get(key)
            if isinstance(value, int) and value > 1:
                return min(value, 8192)
    return _LONGEST


def _digest(files: Sequence[Path]) -> str:
    digest = hashlib.sha256()
    for file in files:
        with file.open("rb") as stream:
            digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()


def _missing(what: str, error: ImportError) -> RetrieverError:
    return RetrieverError(f"{what} needs {error.name}: pip install 'deskgym[rag]'")
