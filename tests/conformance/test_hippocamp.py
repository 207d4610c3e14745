"""HippoCamp's commands: called from outside as its harness calls them, with its JSON shapes."""

from __future__ import annotations

import base64
import json
import re
import shlex
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from desk_kit import TOOLS, Backend, configure, shown

from deskgym.env.sandbox.base import Sandbox
from deskgym.tasks.registry import load_dataset
from deskgym.tasks.schema import Profile

pytestmark = pytest.mark.docker

TXT = {"success", "data", "error"}
METADATA = {
    "id", "file_path", "file_type", "file_modality", "creation_date", "modification_date",
    "latitude", "longitude", "location",
}  # fmt: skip
IMG = {
    "success", "image_path", "image_paths", "image_b64", "image_b64_list", "page_count", "error",
}  # fmt: skip
PNG = b"\x89PNG\r\n"

Call = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def person() -> Profile:
    return load_dataset("demo").profile("adam")


@pytest.fixture(scope="module")
def home(backend: Backend, person: Profile) -> Iterator[Sandbox]:
    with backend.desk(person.root) as desk:
        files = tuple(record.model_dump(mode="json") for record in person.files)
        desk.configure(person.user, files, TOOLS)
        yield desk


@pytest.fixture(scope="module")
def pdf(home: Sandbox, person: Profile) -> str:
    """A document of two pages."""
    for record in person.files:
        if record.type == "pdf":
            told = shown(home, f"pdfinfo {shlex.quote(record.path)}")
            if re.search(r"^Pages: +2$", told, re.MULTILINE):
                return record.path
    raise AssertionError("the demo has no PDF of two pages")


@pytest.fixture(params=["", "sudo -u hippocamp_api /hippocamp/api/", "/hippocamp/api/"])
def call(request: pytest.FixtureRequest, backend: Backend, home: Sandbox) -> Call:
    """Runs a command from outside, in each of the ways that there are to name it."""
    home.reset()
    return caller(backend, home, request.param)


def caller(backend: Backend, desk: Sandbox, prefix: str = "") -> Call:
    def call(*words: str, succeeds: bool = True) -> dict[str, Any]:
        status, output = backend.inside(desk, "bash", "-lc", prefix + shlex.join(words))
        answer: dict[str, Any] = json.loads(output)
        assert (status == 0, answer["success"]) == (succeeds, succeeds), output[:2_000]
        assert (answer["error"] is None) == succeeds
        return answer

    return call


def test_list_files(call: Call, person: Profile) -> None:
    answer = call("list_files", "*.pdf")
    assert set(answer) == {"success", "count", "data", "error"}
    expected = sorted(f.path for f in person.files if f.path.lower().endswith(".pdf"))
    assert sorted(answer["data"]) == expected
    assert answer["count"] == len(expected)
    assert call("list_files")["count"] == len(person.files)
    assert call("list_files", "*.no-such")["data"] == []


def test_return_txt(call: Call, pdf: str) -> None:
    answer = call("return_txt", pdf)
    assert set(answer) == TXT
    assert set(answer["data"]) == {"file_info", "summary", "segments"}
    info = answer["data"]["file_info"]
    assert METADATA | {"user", "file_name"} == set(info)
    assert (info["file_path"], info["file_name"]) == (pdf, pdf.rpartition("/")[2])
    assert {s["locator"] for s in answer["data"]["segments"]} == {"page:1", "page:2"}
    assert all(segment["content"].strip() for segment in answer["data"]["segments"])
    assert call("return_txt", f"/hippocamp/data/{pdf}") == answer


def test_return_metadata(call: Call, person: Profile, pdf: str) -> None:
    answer = call("return_metadata", pdf)
    assert set(answer) == {"success", "metadata", "error"}
    assert set(answer["metadata"]) == METADATA
    record = next(f for f in person.files if f.path == pdf)
    assert answer["metadata"]["creation_date"] == record.created.isoformat(sep=" ")
    assert answer["metadata"]["file_modality"] == "document"


def test_return_img_of_one_page(backend: Backend, home: Sandbox, call: Call, pdf: str) -> None:
    answer = call("return_img", pdf, "--page", "2")
    assert set(answer) == IMG
    assert answer["page_count"] == 2
    assert len(answer["image_paths"]) == len(answer["image_b64_list"]) == 1
    assert answer["image_path"] == answer["image_paths"][0]
    assert answer["image_b64"] == answer["image_b64_list"][0]
    picture = base64.b64decode(answer["image_b64"])
    assert picture.startswith(PNG)
    size = backend.inside(home, "stat", "-Lc", "%s", answer["image_path"])
    assert size == (0, f"{len(picture)}\n")


def test_return_img_of_all_pages(call: Call, pdf: str) -> None:
    answer = call("return_img", pdf, "/hippocamp/output/mine.png")
    assert answer["image_paths"] == [
        "/hippocamp/output/mine.png",
        "/hippocamp/output/mine_page2.png",
    ]
    assert len(set(answer["image_b64_list"])) == 2


def test_return_ori(call: Call, person: Profile, pdf: str) -> None:
    answer = call("return_ori", pdf)
    assert set(answer) == {"success", "file_path", "file_b64", "error"}
    assert answer["file_path"] == f"/hippocamp/data/{pdf}"
    assert base64.b64decode(answer["file_b64"]) == (person.root / pdf).read_bytes()
    copied = call("return_ori", pdf, "/hippocamp/output/copy.pdf")
    assert copied["file_path"] == "/hippocamp/output/copy.pdf"


def test_hhelp_names_every_command(call: Call) -> None:
    text = call("hhelp")["data"]
    for name in ("list_files", "return_txt", "return_img", "return_ori", "set_flags", "hhelp"):
        assert name in text
    assert "return_metadata" in text


def test_set_flags_switches_off_and_on(call: Call, pdf: str) -> None:
    call("set_flags", "0", "1")
    assert "switched off" in call("return_txt", pdf, succeeds=False)["error"]
    call("return_img", pdf, "--page", "1")
    call("set_flags", "1", "0")
    call("return_txt", pdf)
    call("return_img", pdf, succeeds=False)
    call("set_flags", "1", "1")
    call("return_img", pdf, "--page", "1")


@pytest.mark.parametrize(
    "words",
    [
        ("return_txt",),
        ("return_txt", "a", "b"),
        ("return_txt", "missing.pdf"),
        ("return_txt", "../../etc/passwd"),
        ("return_txt", "/etc/passwd"),
        ("return_metadata", "missing.pdf"),
        ("return_img", "missing.pdf"),
        ("return_img", "PDF", "--page"),
        ("return_img", "PDF", "--page", "0"),
        ("return_img", "PDF", "--page", "three"),
        ("return_img", "PDF", "--page", "99"),
        ("return_img", "PDF", "/desk/new.png", "--page", "1"),
        ("return_img", "PDF", "/hippocamp/data/new.png", "--page", "1"),
        ("return_ori",),
        ("return_ori", "PDF", "/no/such/folder/x"),
        ("return_ori", "PDF", "/etc/x"),
        ("list_files", "a", "b"),
        ("set_flags", "1"),
        ("set_flags", "yes", "no"),
    ],
    ids=" ".join,
)
def test_a_call_that_fails_says_why_in_json(
    backend: Backend, home: Sandbox, pdf: str, words: tuple[str, ...]
) -> None:
    call = caller(backend, home)
    answer = call(*(pdf if word == "PDF" else word for word in words), succeeds=False)
    assert set(answer) == {"success", "error"}
    assert isinstance(answer["error"], str)
    assert answer["error"]


def test_what_the_environment_switched_off_stays_off(
    backend: Backend, home: Sandbox, person: Profile, pdf: str
) -> None:
    call = caller(backend, home)
    home.reset()
    configure(home, person.root, ("list_files", "read_image"))
    try:
        assert "stays off" in call("set_flags", "1", "1", succeeds=False)["error"]
        for command in ("return_txt", "return_ori", "return_metadata"):
            assert "switched off" in call(command, pdf, succeeds=False)["error"]
        call("return_img", pdf, "--page", "1")
        assert call("set_flags", "0", "1")["data"] == {"return_txt": False, "return_img": True}
    finally:
        configure(home, person.root, TOOLS)


def test_the_pictures_folder_is_made_anew_when_it_was_cleared_away(
    backend: Backend, home: Sandbox, pdf: str
) -> None:
    home.reset()
    shown(home, "rm -rf /scratch/*")
    assert '"success": true' in shown(home, f"return_img {shlex.quote(pdf)} --page 1")
    assert shown(home, "ls /hippocamp/output/ | wc -l") == "1\n"


def test_a_reader_that_stops_early_is_no_error(home: Sandbox, pdf: str) -> None:
    assert shown(home, f"return_img {shlex.quote(pdf)} | head -c 20") == '{\n  "success": true,'
