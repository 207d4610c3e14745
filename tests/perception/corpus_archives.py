"""Archives of the corpus: packed by Python, 7-Zip's library, tar, and byte by byte."""

from __future__ import annotations

import io
import shutil
import subprocess
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from corpus_case import Case, Maker
from office_made import CHINESE, HEBREW

FILES = {"in/note.txt": "the code is 4711\n", "名单.txt": f"{CHINESE}\n"}


def _zip(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in FILES.items():
            packed.writestr(zipfile.ZipInfo(name, (2024, 3, 3, 8, 30, 0)), text)
        packed.writestr("mail.zip", _inner())


def _inner() -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as packed:
        packed.writestr("deep.txt", f"{HEBREW}\n")
    return held.getvalue()


class _OldName(zipfile.ZipInfo):
    """A name in the code page of China without the mark of UTF-8."""

    def _encodeFilenameFlags(self) -> tuple[bytes, int]:  # noqa: N802 - zipfile's own name
        return self.filename.encode("gbk"), self.flag_bits & ~0x800


def _gbk_zip(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as packed:
        packed.writestr(_OldName("房租/三月账单明细.txt"), "950\n")


def _tar(mode: str, **options: Any) -> Maker:
    def make(path: Path) -> None:
        writing: Any = mode
        with tarfile.open(path, writing, **options) as packed:
            for name, text in FILES.items():
                entry = tarfile.TarInfo(name)
                entry.size, entry.mtime = len(text.encode()), 1_709_454_600  # 2024-03-03 08:30 UTC
                packed.addfile(entry, io.BytesIO(text.encode()))

    return make


def _by_tar(*options: str) -> Callable[[Path], None]:
    """By GNU tar itself, with a name above 100 characters."""

    def make(path: Path) -> None:
        folder = path.with_name(f"{path.name}-source")
        deep = folder / ("long-" * 24)
        deep.mkdir(parents=True)
        (deep / "note.txt").write_text("the code is 4711\n")
        (folder / "list.txt").write_text(f"{HEBREW}\n", encoding="utf-8")
        command = ["tar", *options, "-cf", str(path), "-C", str(folder), deep.name, "list.txt"]
        subprocess.run(command, check=True, timeout=60)
        shutil.rmtree(folder)

    return make


def _seven(filters: list[dict[str, Any]] | None) -> Maker:
    def make(path: Path) -> None:
        import py7zr

        with py7zr.SevenZipFile(path, "w", filters=filters) as packed:
            for name, text in FILES.items():
                packed.writestr(text.encode(), name)

    return make


def _bzip2(path: Path) -> None:
    import py7zr

    _seven([{"id": py7zr.FILTER_BZIP2}])(path)


_LONG = {f"{'long-' * 24}/note.txt": "the code is 4711\n", "list.txt": f"{HEBREW}\n"}
_DATED = ("17 bytes, 2024-03-03 08:30", "in/note.txt", "名单.txt")
_7Z = ("package:py7zr",)

CASES = [
    Case("zip", "python.zip", _zip, _DATED, info={"members": 3, "mime": "application/zip"},
         members={**FILES, "mail.zip!/deep.txt": f"{HEBREW}\n"}),
    Case("zip", "windows.zip", _gbk_zip, ("房租/三月账单明细.txt",),
         members={"房租/三月账单明细.txt": "950\n"}),
    Case("tar", "ustar.tar", _tar("w", format=tarfile.USTAR_FORMAT), _DATED, members=FILES),
    Case("tar", "gnu.tar", _by_tar("--format=gnu"), ("long-long-", "list.txt"), members=_LONG,
         by=("tar",)),
    Case("tar.gz", "python.tar.gz", _tar("w:gz"), _DATED, members=FILES,
         info={"mime": "application/gzip"}),
    Case("tar.gz", "gnu.tgz", _by_tar("--format=posix", "-z"), ("long-long-", "list.txt"),
         members=_LONG, by=("tar", "gzip")),
    Case("tar.xz", "python.tar.xz", _tar("w:xz"), _DATED, members=FILES,
         info={"mime": "application/x-xz"}),
    Case("tar.xz", "gnu.txz", _by_tar("--format=gnu", "-J"), ("long-long-", "list.txt"),
         members=_LONG, by=("tar", "xz")),
    Case("7z", "lzma2.7z", _seven(None), ("in/note.txt", "名单.txt"), members=FILES, by=_7Z,
         to_read=_7Z, info={"mime": "application/x-7z-compressed", "members": 2}),
    Case("7z", "bzip2.7z", _bzip2, ("in/note.txt", "名单.txt"), members=FILES, by=_7Z,
         to_read=_7Z),
]  # fmt: skip
