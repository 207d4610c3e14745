"""How much memory preparing takes of the largest files, beyond the models that it loads."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from deskgym import bench_truth
from deskgym.bench import MIB, Row
from deskgym.bench_baselines import CannotMeasure, memory_peak
from deskgym.bench_profiles import Bench
from deskgym.tools.store import PreparedProfile

BIG_VIDEO = 2_000_000_000
SMALL_VIDEO = 300_000_000  # long enough for the first words
BIG_PAGES = 3_000


def video_memory(bench: Bench) -> Row:
    engine = next(iter(bench.models), None)
    small, big = bench.folder(), bench.folder()
    sound = bench.talk[0] / "talk.wav"
    _video(small / "video.mkv", sound, SMALL_VIDEO)
    _video(big / "video.mkv", sound, BIG_VIDEO)
    size = (big / "video.mkv").stat().st_size
    row = memory_row(bench, "memory-video", f"a video of {size / 1e9:.2f} GB", small, big, engine)
    (big / "video.mkv").unlink()
    return row


def pdf_memory(bench: Bench) -> Row:
    small, big = bench.folder(), bench.folder()
    book(small / "book.pdf", 2)
    book(big / "book.pdf", BIG_PAGES)
    what = f"a PDF of {BIG_PAGES:,} pages, some of them scans"
    return memory_row(bench, "memory-pdf", what, small, big, None)


def memory_row(
    bench: Bench, name: str, what: str, small: Path, big: Path, engine: str | None
) -> Row:
    """How much more memory the big file takes than a small one of its kind, for which the same
    models are loaded."""
    settings = bench.settings(engine)
    peaks = []
    for root in (small, big):
        with memory_peak("prepare") as peak:
            _, folder = bench.prepare(root, settings, bench.folder())
        (entry,) = PreparedProfile(folder).manifest["files"]
        if entry["status"] != "ok":
            raise CannotMeasure(f"{entry['path']} was not read: {entry['error']['message']}")
        peaks.append(peak() / MIB)
    return Row(
        name=name,
        what=f"memory for {what}, beyond the models",
        unit="MiB",
        ours=max(0.0, peaks[1] - peaks[0]),
        target="< 1024 MiB",
        met=peaks[1] - peaks[0] < 1024,
        note=f"the container's peak of {peaks[1]:.0f} MiB less that for a small file of the kind, "
        f"{peaks[0]:.0f} MiB, which needs the same models; without file cache, sampled all the "
        "time",
    )


def _video(path: Path, sound: Path, size: int) -> None:
    """Uncompressed pictures with speech: as large a file as can be had cheaply.

    Raises:
        CannotMeasure: there is no ffmpeg, or no room.
    """
    if (program := shutil.which("ffmpeg")) is None:
        raise CannotMeasure("there is no ffmpeg to make a video")
    if shutil.disk_usage(path.parent).free < 2 * size:
        raise CannotMeasure(f"{path.parent} has too little room for a video of {size / 1e9:.1f} GB")
    argv = [
        program, "-nostdin", "-v", "error",
        "-f", "lavfi", "-i", "testsrc2=size=1280x720:rate=25", "-stream_loop", "-1",
        "-i", str(sound), "-c:v", "rawvideo", "-pix_fmt", "yuv420p", "-c:a", "pcm_s16le",
        "-fs", str(size), str(path),
    ]  # fmt: skip
    subprocess.run(argv, check=True, capture_output=True)


def book(path: Path, pages: int) -> None:
    """Pages of print, every hundredth a scan; the first is one."""
    pymupdf = bench_truth.library("pymupdf")
    writer = bench_truth.Writer(11)
    picture = path.with_suffix(".png")
    writer.scan(picture)
    text = writer.prose(330)
    with pymupdf.open() as document:
        for number in range(pages):
            page = document.new_page(width=595, height=842)
            if number % 100 == 0:
                page.insert_image(page.rect, filename=picture)
            else:
                page.insert_textbox(
                    pymupdf.Rect(60, 60, 535, 782), f"{number} {text}", fontname="tiro"
                )
        document.save(path, deflate=True)
    picture.unlink()
