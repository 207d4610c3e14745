"""The fixture corpus: every type that a desk holds, made at test time, with what reading it gives.

A folder can be made by hand, to look at it: ``python tests/perception/corpus.py FOLDER``.
"""

from __future__ import annotations

import concurrent.futures
import os
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))  # makers shared with its tests

import corpus_archives
import corpus_documents
import corpus_mail
import corpus_media
import corpus_pictures
import corpus_sheets
import corpus_text
from corpus_case import Case, missing

CASES: list[Case] = [
    *corpus_documents.CASES,
    *corpus_text.CASES,
    *corpus_sheets.CASES,
    *corpus_mail.CASES,
    *corpus_pictures.CASES,
    *corpus_media.CASES,
    *corpus_archives.CASES,
]
# Every type that the read tools promise, by the family it is listed under.
TYPES: dict[str, str] = {
    "documents": "pdf docx doc odt rtf epub html markdown txt tex code ipynb",
    "sheets": "xlsx xls ods csv tsv",
    "slides": "pptx ppt odp",
    "data": "json jsonl xml yaml sqlite parquet",
    "mail and calendar": "eml msg mbox ics vcf",
    "images": "png jpg gif webp tiff bmp svg heic",
    "audio": "mp3 m4a aac wav flac ogg opus",
    "video": "mp4 mkv mov avi webm",
    "archives": "zip tar tar.gz tar.xz 7z",
}


def all_types() -> list[str]:
    """The types of all families, in order."""
    return [kind for kinds in TYPES.values() for kind in kinds.split()]


def build(folder: Path, cases: Sequence[Case] = tuple(CASES)) -> dict[str, str]:
    """Make the files of ``cases`` in ``folder``; returns, by name, why one could not be made."""
    absent: dict[str, str] = {}
    to_convert: dict[str, list[tuple[Case, Path]]] = defaultdict(list)
    for case in cases:
        if lacking := missing(case.by):
            absent[case.name] = f"{', '.join(lacking)} is not installed"
        elif case.source:
            source = folder / "sources" / f"{Path(case.name).stem}.{case.source}"
            source.parent.mkdir(exist_ok=True)
            case.make(source)
            to_convert[case.filter or Path(case.name).suffix[1:]].append((case, source))
        else:
            case.make(folder / case.name)
    # Programs of their own, two at a time: the time goes into starting them.
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(_convert, folder, kind, group) for kind, group in to_convert.items()]
        for job in jobs:
            job.result()
    shutil.rmtree(folder / "sources", ignore_errors=True)
    return absent


def _convert(folder: Path, kind: str, group: list[tuple[Case, Path]]) -> None:
    """Have LibreOffice write all sources of a group in one go."""
    with tempfile.TemporaryDirectory(prefix="office-") as name:
        command = [
            "soffice", f"-env:UserInstallation={Path(name, 'profile').as_uri()}", "--headless",
            "--convert-to", kind, "--outdir", str(Path(name, "out")),
            *(str(source) for _, source in group),
        ]  # fmt: skip
        for _ in range(3):
            # On a busy machine its first start now and then ends with status 1 and no word.
            done = subprocess.run(
                command, capture_output=True, timeout=120, env={**os.environ, "HOME": name}
            )
            if done.returncode == 0:
                break
        assert done.returncode == 0, done.stderr.decode()
        for case, source in group:
            made = Path(name, "out", f"{source.stem}.{kind.partition(':')[0]}")
            shutil.move(made, folder / case.name)


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.mkdir(parents=True)
    for missed, reason in build(target).items():
        print(f"not made: {missed}: {reason}", file=sys.stderr)
