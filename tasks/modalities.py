"""Which of the five modalities a file belongs to, by its suffix."""

from __future__ import annotations

from pathlib import PurePosixPath

from deskgym.tasks.schema import Modality

_SUFFIXES: dict[Modality, str] = {
    "text": (
        "txt md markdown log py js ts sh tex bib srt vtt json jsonl yaml yml toml ini cfg xml "
        "html htm css ics vcf eml msg"
    ),
    "document": ("pdf doc docx xls xlsx ppt pptx csv tsv odt ods odp rtf epub zip sqlite db ipynb"),
    "image": "png jpg jpeg webp gif bmp tif tiff svg heic",
    "audio": "wav mp3 m4a ogg flac opus aac",
    "video": "mp4 webm mov mkv avi m4v",
}
_MODALITY: dict[str, Modality] = {
    suffix: modality for modality, suffixes in _SUFFIXES.items() for suffix in suffixes.split()
}


def modality_of(path: str) -> Modality:
    """The modality of the file at ``path`` (a path, a name or a suffix such as ``.pdf``).

    A suffix that is not known, or none at all, counts as a document: something to open.
    """
    name = PurePosixPath(path).name
    suffix = name.rpartition(".")[2].casefold() if "." in name else ""
    return _MODALITY.get(suffix, "document")


def type_of(path: str) -> str:
    """The suffix without its dot, lower case; a file without one has the type ``file``."""
    return PurePosixPath(path).suffix.lstrip(".").casefold() or "file"
