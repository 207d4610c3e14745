"""All mails and attachments of ten people of a published benchmark: none fails, no word is lost."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from deskgym.tools.store import Objects, object_name

SHARED = Path(os.environ.get("DESKGYM_SHARED") or Path(__file__).parents[3] / "shared")
RHELM = SHARED / "data" / "rhelm"
KEY = "test"
INLINE = {"a", "abbr", "b", "code", "del", "em", "i", "small", "span", "strong", "sub", "sup", "u"}

Records = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Records:
    """What the program of the perception container makes of every file, by path; without engines,
    for there are neither pictures nor sounds."""
    if not RHELM.is_dir():
        pytest.skip(f"{RHELM} is not there (see DESKGYM_SHARED), so RHELM WAS NOT READ")
    out = tmp_path_factory.mktemp("rhelm")
    files = [p for kind in ("attachments", "emails") for p in (RHELM / kind).rglob("*")]
    listed = []
    for file in sorted(p for p in files if p.is_file()):
        path, data = file.relative_to(RHELM).as_posix(), file.read_bytes()
        sha256 = hashlib.sha256(data).hexdigest()
        name = object_name(path, sha256, KEY)
        listed.append({"path": path, "sha256": sha256, "size": len(data), "object": name})
    plan = {
        "run": "test", "tool_key": KEY, "ocr": None, "asr": None, "jobs": 2, "memory": 2 << 30,
        "timeout_s": 120, "files": listed,
    }  # fmt: skip
    messages = _prepared(out, plan)
    assert messages[-1] == {"end": True}
    failed = [message for message in messages[:-1] if message["error"] is not None]
    assert failed == []
    # Equal files are read once.
    assert {m["done"] for m in messages[:-1]} <= {file["path"] for file in listed}
    assert len(messages) - 1 == len({file["object"] for file in listed})
    objects = Objects(out / "objects")
    return {file["path"]: objects.record(file["object"]) for file in listed}


def _prepared(out: Path, plan: dict[str, Any]) -> list[dict[str, Any]]:
    """What the program tells, line by line."""
    argv = [sys.executable, "-m", "deskgym.tools.prepare", "--desk", str(RHELM), "--out", str(out)]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        program.stdin.write(json.dumps(plan).encode() + b"\n")
        program.stdin.flush()  # and left open: at its end the program would take us for gone
        messages = [json.loads(line) for line in program.stdout]
        program.stdin.close()
    assert program.returncode == 0
    return messages


def _text(record: dict[str, Any]) -> str:
    return "".join(segment["text"] for segment in record["segments"])


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def _holds(found: list[str], shown: list[str]) -> bool:
    """Whether ``found`` holds all words of ``shown`` in their order."""
    rest = iter(found)
    return all(word in rest for word in shown)


def _source(path: str) -> str:
    return (RHELM / path).read_bytes().decode("utf-8")


def test_all_ten_people_are_there(records: Records) -> None:
    people = Counter(path.split("/")[1] for path in records)
    assert len(people) == 10
    assert {path.partition("/")[0] for path in records} == {"attachments", "emails"}
    assert Counter(Path(path).suffix for path in records) == {".md": 784, ".html": 269, ".txt": 625}


def test_no_record_has_an_error_or_is_empty(records: Records) -> None:
    assert [path for path, record in records.items() if record["error"] is not None] == []
    empty = [path for path, record in records.items() if not _text(record).strip()]
    assert [path for path in empty if _source(path).strip()] == []


def test_mails_and_notes_read_as_they_are_written(records: Records) -> None:
    written = [path for path in records if not path.endswith(".html")]
    assert len(written) == 784 + 625
    for path in written:
        source = _source(path).removeprefix("\ufeff")
        # Line ends may differ, and nothing else.
        assert _text(records[path]).splitlines() == source.splitlines(), path


@pytest.fixture(scope="module")
def pages(records: Records) -> dict[str, Any]:
    """Each HTML file as another reader has it, without what is not shown, and with spaces where
    the end of an element ends a word."""
    html = pytest.importorskip("lxml.html", reason="no second reader of HTML: PAGES NOT COMPARED")
    trees = {}
    for path in (path for path in records if path.endswith(".html")):
        trees[path] = tree = html.document_fromstring((RHELM / path).read_bytes())
        for hidden in tree.xpath("//script | //style | //comment()"):
            hidden.drop_tree()
        for element in tree.iter():
            if element.tag not in INLINE:
                element.text = f" {element.text or ''}"
                element.tail = f" {element.tail or ''}"
    assert len(trees) == 269
    return trees


def test_every_word_that_a_page_shows_is_read_in_order(
    records: Records, pages: dict[str, Any]
) -> None:
    for path, tree in pages.items():
        shown = _words(tree.text_content())
        assert shown, path
        assert _holds(_words(_text(records[path])), shown), f"{path}: a word is lost or misplaced"


def test_the_rows_of_tables_stay_together(records: Records, pages: dict[str, Any]) -> None:
    compared = 0
    for path, tree in pages.items():
        lines = _text(records[path]).splitlines()
        read = [_words(line) for line in lines if line.startswith("| ")]
        for row in tree.xpath("//tr"):
            cells = [cell.text_content() for cell in row.xpath("./th | ./td")]
            if len(cells) > 1 and any(map(_words, cells)):
                shown = _words(" ".join(cells))
                # A link's address may stand between them.
                assert any(_holds(line, shown) for line in read), f"{path}: {cells}"
                compared += 1
    assert compared > 100
