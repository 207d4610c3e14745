"""What `deskgym bench perception` measures: what reading gets right, and how fast it is.

Right is counted on files whose every word is known (`deskgym.bench_truth`), which are prepared as a
person's files are: in the perception container, without a network. Fast is a ratio to what one
would do without preparing, taken in turns in the same run. All is written to a folder of its own,
never to the cache.
"""

from __future__ import annotations

import math
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from deskgym import bench_truth
from deskgym.bench import Pair, Row, Skipped, ratio_row, seconds, take_turns
from deskgym.bench_baselines import CannotMeasure
from deskgym.bench_memory import pdf_memory, video_memory
from deskgym.bench_profiles import TEXT_PAGES, Bench
from deskgym.tools.store import PreparedProfile, segments_of

if TYPE_CHECKING:
    from deskgym.env.desk_env import DeskEnv

RECALL, OCR_ERRORS, WORD_ERRORS, LATE_S = 0.99, 0.05, 0.25, 1.5

# What one would do without a prepared profile: a process of its own, with all it has to import.
_EXTRACT = """
import sys, pymupdf
with pymupdf.open(sys.argv[1]) as document:
    print(sum(len(page.get_text()) for page in document))
"""
_RENDER = """
import sys, pymupdf
with pymupdf.open(sys.argv[1]) as document:
    print(len(document[int(sys.argv[2]) - 1].get_pixmap(dpi=150).tobytes("png")))
"""


# -- fidelity --------------------------------------------------------------------------------------


def _found(prepared: PreparedProfile, path: str) -> str:
    record = prepared.record(path)
    assert record is not None  # each file of the folder was prepared
    return "\n".join(segment.text for segment in segments_of(record))


def _share(name: str, what: str, value: float, target: str, met: bool, note: str = "") -> Row:
    return Row(name=name, what=what, unit="share", ours=value, target=target, met=met, note=note)


def _recall(path: str) -> Callable[[Bench], Row]:
    kind = path.rpartition(".")[2]

    def row(bench: Bench) -> Row:
        known, prepared = bench.documents
        wanted = bench_truth.words(known[path])
        share = bench_truth.in_order(wanted, bench_truth.words(_found(prepared, path)))
        what = f"of {len(wanted):,} known words of a {kind} found in order"
        return _share(f"recall-{kind}", what, share, f">= {RECALL:.0%}", share >= RECALL)

    return row


def ocr_errors(bench: Bench) -> Row:
    known, prepared = bench.documents
    rates = {}
    for path in sorted(known):
        if path.endswith(".png"):
            found = " ".join(_found(prepared, path).split())
            rates[path] = bench_truth.error_rate(known[path], found)
    worst = max(rates.values())
    each = ", ".join(f"{path} {rate:.2%}" for path, rate in rates.items())
    return _share(
        "ocr-errors",
        "of characters read wrongly on the worst of three pages of 150 dpi",
        worst,
        f"<= {OCR_ERRORS:.0%}",
        worst <= OCR_ERRORS,
        f"{each}; A4 pages of clean print in English, spaces count",
    )


def _speech(engine: str) -> Callable[[Bench], Row]:
    def row(bench: Bench) -> Row:
        heard = _transcript(bench, engine)
        known = bench_truth.words(" ".join(bench_truth.SAID))
        rate = bench_truth.error_rate(known, bench_truth.words(" ".join(text for _, text in heard)))
        late = lateness(bench.talk[1], heard)
        return _share(
            f"speech-{engine}",
            f"of {len(known)} spoken words heard wrongly by {engine} ({bench.model(engine).name})",
            rate,
            f"<= {WORD_ERRORS:.0%}, {LATE_S:g} s",
            rate <= WORD_ERRORS and late <= LATE_S,
            f"spoken by espeak-ng; the times of sentences are {late:.2f} s off at most",
        )

    return row


def _transcript(bench: Bench, engine: str) -> list[tuple[float, str]]:
    """What the engine heard when, in seconds."""
    root, _ = bench.talk
    settings = bench.settings(engine, ocr=False)
    _, prepared = bench.prepare(root, settings, bench.folder())
    record = PreparedProfile(prepared).record("talk.wav")
    assert record is not None
    return [
        (float(s.locator.removeprefix("time:").partition("-")[0]), s.text)
        for s in segments_of(record)
    ]


def lateness(said: Sequence[tuple[float, str]], heard: Sequence[tuple[float, str]]) -> float:
    """By how many seconds the worst-timed sentence is off; each is looked for among what was
    heard by its words."""
    if not heard:
        return math.inf
    off = []
    for begin, sentence in said:
        wanted = bench_truth.words(sentence)
        start, _ = min(
            heard, key=lambda part: bench_truth.error_rate(wanted, bench_truth.words(part[1]))
        )
        off.append(abs(start - begin))
    return max(off)


# -- speed -----------------------------------------------------------------------------------------


def _in_new_process(code: str, *arguments: str) -> Callable[[], float]:
    argv = [sys.executable, "-c", code, *arguments]
    return lambda: seconds(lambda: subprocess.run(argv, check=True, capture_output=True))


def _step(env: DeskEnv, action: dict[str, Any]) -> Callable[[], float]:
    def step() -> float:
        return seconds(lambda: env.step(action))

    _, _, _, _, info = env.step(action)
    if not info["ok"]:
        raise CannotMeasure(f"{action['tool']} fails: {info['error']}")
    return step


def read_text(bench: Bench) -> Row:
    env, pdf, _ = bench.long
    pair = take_turns(
        _step(env, {"tool": "read_text", "path": pdf.name}),
        _in_new_process(_EXTRACT, str(pdf)),
        rounds=bench.times(8, 2),
        ours_each=bench.times(20, 3),
    )
    return ratio_row(
        pair,
        least=50,
        name="read-text",
        what=f"env.step(read_text) of a PDF of {TEXT_PAGES} pages, prepared",
        versus="a new process that extracts its text with PyMuPDF",
        note="by way of the desk's reader, up to the observation",
    )


def read_file(bench: Bench) -> Row:
    _, pdf, prepared = bench.long
    prepared.record(pdf.name)  # the manifest is read once for all files
    pair = take_turns(
        lambda: seconds(lambda: segments_of(prepared.record(pdf.name) or {})),
        _in_new_process(_EXTRACT, str(pdf)),
        rounds=bench.times(8, 2),
        ours_each=bench.times(20, 3),
    )
    return ratio_row(
        pair,
        least=50,
        name="read-file",
        what="its record alone, read from the prepared folder",
        versus="the same",
    )


def read_image(bench: Bench) -> Row:
    env, pdf, _ = bench.long
    page = TEXT_PAGES // 2
    pair = take_turns(
        _step(env, {"tool": "read_image", "path": pdf.name, "page": page}),
        _in_new_process(_RENDER, str(pdf), str(page)),
        rounds=bench.times(8, 2),
        ours_each=bench.times(10, 3),
    )
    return ratio_row(
        pair,
        least=15,
        name="read-image",
        what="env.step(read_image) of one of its pages, prepared",
        versus="a new process that renders it at 150 dpi with PyMuPDF",
    )


def two_jobs(bench: Bench) -> Row:
    cores = len(os.sched_getaffinity(0))
    if cores < 2:
        raise CannotMeasure("this computer has one core")
    root = bench.folder()
    writer = bench_truth.Writer(10)
    for number in range(bench.times(16, 2)):
        writer.scan(root / f"{number:02d}.png")
    ours: list[float] = []
    baseline: list[float] = []
    load = os.getloadavg()[0]
    for _ in range(bench.times(3, 1)):
        for jobs, times in ((2, ours), (1, baseline)):
            prepare = partial(bench.prepare, root, bench.settings(), bench.folder(), jobs=jobs)
            times.append(seconds(prepare))
    ratios = tuple(b / a for a, b in zip(ours, baseline, strict=True))
    return ratio_row(
        Pair(statistics.median(ours), statistics.median(baseline), ratios),
        least=1.7,
        name="two-jobs",
        what=f"preparing {bench.times(16, 2)} scanned pages with two jobs",
        versus="with one job",
        note=f"the whole command, start of the container included; {cores} cores, on which "
        f"{load:.1f} processes of others were at work before",
    )


def again(bench: Bench) -> Row:
    root, cache = bench.folder(), bench.folder()
    bench_truth.documents(root)
    if not bench.quick:
        bench_truth.scans(root)
    settings = bench.settings(next(iter(bench.models), None))
    first = seconds(lambda: bench.prepare(root, settings, cache))
    later = [
        seconds(lambda: bench.prepare(root, settings, cache)) for _ in range(bench.times(5, 2))
    ]
    return ratio_row(
        Pair(statistics.median(later), first, tuple(first / took for took in later)),
        least=50,
        name="again",
        what="preparing a profile that is prepared and has not changed",
        versus="preparing it the first time",
        note="both with listing the files and taking their digests",
    )


FIDELITY: dict[str, Callable[[Bench], Row]] = {
    "recall-pdf": _recall("letters.pdf"),
    "recall-docx": _recall("report.docx"),
    "recall-xlsx": _recall("budget.xlsx"),
    "recall-pptx": _recall("talk.pptx"),
    "recall-eml": _recall("mail.eml"),
    "recall-ics": _recall("calendar.ics"),
    "ocr-errors": ocr_errors,
    "speech-openai": _speech("openai"),
    "speech-faster": _speech("faster"),
}
SPEED: dict[str, Callable[[Bench], Row]] = {
    "read-text": read_text,
    "read-file": read_file,
    "read-image": read_image,
    "two-jobs": two_jobs,
    "again": again,
}
BIG: dict[str, Callable[[Bench], Row]] = {"memory-video": video_memory, "memory-pdf": pdf_memory}
ROWS = FIDELITY | SPEED | BIG


def measure(bench: Bench, name: str) -> Row | Skipped:
    """One row of `ROWS`, or why it cannot be measured."""
    if bench.quick and name in BIG:
        return Skipped(name, "left out by --quick: it takes minutes and gigabytes")
    try:
        return ROWS[name](bench)
    except CannotMeasure as error:
        return Skipped(name, str(error))
