"""A small HippoCamp of our own content in the published layout: six configurations, and gold text.

Each annotation file is written in another style of JSON, as files from different hands are.
"""

from __future__ import annotations

import json
import wave
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import fitz
import openpyxl
from PIL import Image

CONFIGS = ("adam", "adam_subset", "bei", "bei_subset", "victoria", "victoria_subset")
CONTRACT = ("Lease of a flat", "The monthly rent is 1,450 pounds.", "Signed in Leeds.")
TODO = "Buy oat milk\nCall the dentist on Friday\nWater the fern\n"
MAIL = (
    "From: landlord@example.org\nTo: me@example.org\nSubject: Keys\n"
    "Date: Tue, 5 Mar 2024 14:30:00 +0000\n\nThe keys lie under the blue pot.\n"
)
SAID = "remember to renew the bus pass"
FULL = (
    "Home/lease.pdf", "Home/costs.xlsx", "Notes/to do.txt", "Mail/keys.eml", "Photos/café.png",
    "Voice/memo.wav",
)  # fmt: skip
SUBSET = ("Home/lease.pdf", "Notes/to do.txt", "Photos/café.png", "Voice/memo.wav")
UNLISTED = "Notes/unlisted.txt"
JUNK = ("Home/.DS_Store", "Home/~$costs.xlsx")
PLACE = (51.5074, -0.1278, "London, UK")


def _plain(records: Any) -> bytes:
    return json.dumps(records).encode()


def _indented(records: Any) -> bytes:
    return json.dumps(records, indent=4, ensure_ascii=False).encode()


def _tidy(records: Any) -> bytes:
    return (json.dumps(records, indent=2, ensure_ascii=False) + "\n").encode()


def _compact(records: Any) -> bytes:
    return json.dumps(records, separators=(",", ":")).encode()


def _slashed(records: Any) -> bytes:
    """As pandas writes it."""
    text = json.dumps(records, indent=4, separators=(",", ":"), ensure_ascii=True)
    return text.replace("/", "\\/").encode()


def _windows(records: Any) -> bytes:
    text = json.dumps(records, indent="\t", ensure_ascii=False) + "\n"
    return b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()


STYLES: dict[str, Callable[[Any], bytes]] = {
    "adam": _indented,
    "adam_subset": _tidy,
    "bei": _compact,
    "bei_subset": _slashed,
    "victoria": _windows,
    "victoria_subset": _plain,
}


def make(root: Path) -> Path:
    """All six configurations and the gold text below ``root``, which comes back."""
    for user in ("Adam", "Bei", "Victoria"):
        _config(root / user / "Fullset", user, user, f"{user}_files.xlsx", FULL)
        stem = f"{user}_Subset"
        _config(root / user / "Subset", user, stem, f"{stem}.xlsx", SUBSET)
        make_gold(root / "HippoCamp_Gold" / user, user)
    return root


def _config(folder: Path, user: str, stem: str, sheet: str, paths: tuple[str, ...]) -> None:
    raw = folder / stem
    for path in paths:
        file = raw / path
        file.parent.mkdir(parents=True, exist_ok=True)
        _MAKERS[file.suffix](file)
    if paths == FULL:
        (raw / UNLISTED).write_text("Nobody wrote this down.\n", encoding="utf-8")
        for junk in JUNK:
            (raw / junk).write_bytes(b"\0")
    make_sheet(folder / sheet, list(paths))
    name = user.lower() if stem == user else f"{user.lower()}_subset"
    data = STYLES[name](records(user, paths))
    (folder / f"{stem}.json").write_bytes(data)


def make_sheet(file: Path, paths: list[str], more: list[list[Any]] | None = None) -> None:
    """A metadata sheet: dates as text and as dates, a place for the picture, rows for folders."""
    book = openpyxl.Workbook()
    page = book.active
    page.append(
        ["FilePath", "FileType", "creation_date", "modification_date", "latitude", "longitude",
         "location", "QANum"]
    )  # fmt: skip
    for folder in sorted({path.partition("/")[0] for path in paths}):
        page.append([f"{folder}/", "folder", "2023/01/01 09:00", "2023/01/02 09:00"])
    for number, path in enumerate(paths):
        row: list[Any] = [path, path.rpartition(".")[2]]
        if number % 2:
            row += [datetime(2024, 3, 5 + number, 14, 30), datetime(2024, 4, 5 + number, 8, 0)]
        else:
            row += [f"2024/03/{5 + number:02} 14:30", f"2024/04/{5 + number:02} 08:00"]
        page.append(row + (list(PLACE) if path.endswith(".png") else ["", None, "N/A"]) + [1])
    for extra in more or []:
        page.append(extra)
    book.save(file)


# -- the files -------------------------------------------------------------------------------------


def _pdf(file: Path) -> None:
    with fitz.open() as document:
        for text in CONTRACT:
            document.new_page().insert_text((72, 72), text)
        document.save(file)


def _xlsx(file: Path) -> None:
    book = openpyxl.Workbook()
    book.active.title = "Rent"
    for row in (["Month", "Paid"], ["January", 1450], ["February", 1475]):
        book.active.append(row)
    book.save(file)


def _wav(file: Path) -> None:
    with wave.open(str(file), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        sound.writeframes(b"\0\0" * 8000 * 4)


_MAKERS: dict[str, Callable[[Path], Any]] = {
    ".pdf": _pdf,
    ".xlsx": _xlsx,
    ".txt": lambda file: file.write_text(TODO, encoding="utf-8"),
    ".eml": lambda file: file.write_text(MAIL, encoding="utf-8"),
    ".png": lambda file: Image.new("RGB", (40, 30), (200, 30, 30)).save(file),
    ".wav": _wav,
}


# -- the annotations -------------------------------------------------------------------------------


def records(user: str, paths: tuple[str, ...]) -> list[dict[str, Any]]:
    """What is asked about ``paths``, with the quirks of published records."""
    found = [
        record(
            user, "1", "How much is my rent?", "1,450 pounds", ["Home/lease.pdf"],
            [("1", ["Page 2"], CONTRACT[1], "document")],
            agent_cap=json.dumps(
                {"search": ["content"], "evidence_perception": ["document_understanding"],
                 "reasoning": ["lookup"]}
            ),
        ),
        record(
            user, "2", "What did I tell myself to renew?", "the bus pass", ["Voice/memo.wav"],
            [("1", "00:01 - 00:03", SAID, "audio")], agent_cap="search+evidence_perception",
        ),
        record(
            user, 3, "What colour is the picture of the café?", "Red – très rouge 🎈",
            ["Photos/café.png"], [("1", [], "a red surface", "image")],
            agent_cap={"search": [], "evidence_perception": ["image_understanding"]},
            float_score=1.0, whole_score=1, unheard_of={"deep": [None, {"b": 1, "a": "x/y"}]},
        ),
        record(
            user, "101", "What are my mornings like?", "I buy oat milk and pay rent.",
            ["Notes/to do.txt", "Home/lease.pdf"],
            [("1", [], "Buy oat milk", "text"), ("2", [], CONTRACT[1], "document")],
            QA_type="profiling", profiling_type="Behavioral Patterns",
            agent_cap=json.dumps({"search": ["semantic"], "reasoning": ["aggregate"]}),
            rationale=[
                {"evidence_id": ["1", "2"], "rationale_text": "Look at both."},
                {"evidence_id": "2", "rationale_text": "The rent comes monthly."},
                {"evidence_id": [], "rationale_text": "So it goes."},
            ],
            file_text=[TODO, "\n".join(CONTRACT)],
        ),
    ]  # fmt: skip
    if "Home/costs.xlsx" in paths:
        found.append(
            record(
                user, "4", "What did I pay in February?", "1475", ["Home/costs.xlsx"],
                [("1", 'Sheet "Rent", cell B3', "1475", "document")], agent_cap=None,
            )
        )  # fmt: skip
    return found


def record(
    user: str,
    name: str | int,
    question: str,
    answer: str,
    paths: list[str],
    evidence: list[tuple[str, Any, str, str]],
    **more: Any,
) -> dict[str, Any]:
    """A published record; ``evidence`` as id, locator, text and modality."""
    joined = [f"[{paths[min(n, len(paths) - 1)]}]\n{one[2]}" for n, one in enumerate(evidence)]
    return {
        "id": name,
        "QA_type": "factual_retention",
        "question": question,
        "answer": answer,
        "data_source": user,
        "profiling_type": "",
        "file_path": paths,
        "file_modality": sorted({one[3] for one in evidence}),
        "file_type": sorted({path.rpartition(".")[2] for path in paths}),
        "file_text": [],
        "gold_text": "",
        "file_number": len(paths),
        "agent_cap": "{}",
        "evidence": [
            {
                "evidence_id": e,
                "evidence_locator": locator,
                "evidence_text": text,
                "modality": modality,
            }
            for e, locator, text, modality in evidence
        ],
        "evidence_text_joined": "\n\n".join(joined),
        "rationale": [{"step_id": 1, "evidence_id": [evidence[0][0]], "rationale_text": "Look."}],
        **more,
    }


# -- the gold text ---------------------------------------------------------------------------------


def make_gold(folder: Path, user: str) -> None:
    """The parsed text of all files but the workbook, each where the file lies, with ``.json``."""
    texts: dict[str, tuple[str, list[dict[str, Any]]]] = {
        "Home/lease.pdf": (
            "A lease.",
            [{"content": text, "page_number": n} for n, text in enumerate(CONTRACT, 1)],
        ),
        "Notes/to do.txt": ("", [{"content": TODO}]),
        "Mail/keys.eml": ("", [{"content": MAIL, "start_time": 0, "end_time": 0}]),
        "Photos/café.png": ("A red surface in a café.", []),
        "Voice/memo.wav": (
            "",
            [
                {"content": "hello", "start": "00:00", "end": "00:01"},
                {"content": SAID, "start": "00:01", "end": "00:03"},
            ],
        ),
    }
    for number, (path, (summary, segments)) in enumerate(texts.items()):
        file = folder / f"{path}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        info = {
            "id": number, "user": user, "file_path": path, "file_name": path.rpartition("/")[2],
            "file_type": path.rpartition(".")[2],
        }  # fmt: skip
        gold = {"file_info": info, "summary": summary, "segments": segments}
        file.write_text(json.dumps(gold, ensure_ascii=False), encoding="utf-8")
