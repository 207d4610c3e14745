"""A desk with a prepared folder: the tools read it, the agent cannot."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from deskgym.env.sandbox.base import ExecRequest, Response, ToolRequest
from deskgym.env.sandbox.docker import DockerSandbox
from deskgym.tools.result import Media, Segment
from deskgym.tools.search_index import build_index
from deskgym.tools.store import (
    FORMAT_VERSION,
    Objects,
    link_object,
    manifest_entry,
    object_name,
    write_manifest,
)

pytestmark = pytest.mark.docker

SECRET = "written on the photograph"
SHA, KEY = "0" * 64, "k" * 16


@pytest.fixture
def desk(tmp_path: Path, desk_image: str) -> Iterator[DockerSandbox]:
    """A desk whose one picture was prepared to say more than can be seen in it."""
    from PIL import Image

    files = tmp_path / "files"
    files.mkdir()
    files.chmod(0o755)
    Image.new("RGB", (40, 30), "red").save(files / "a.png")
    Image.new("RGB", (40, 30), "red").save(files / "b.png")
    objects, name = Objects(tmp_path / "objects"), object_name("a.png", SHA, KEY)
    draft = objects.draft(tmp_path / "new", name)
    draft.keep(Media("image/png", b"a stored picture", "file", 40, 30))
    text = Segment("region:1@0.1,0.1,0.9,0.2", SECRET)
    info = {"mime": "image/png", "modality": "image", "size": 1}
    objects.finish(draft, name, path="a.png", sha256=SHA, key=KEY, info=info, segments=[text])
    root = tmp_path / "prepared"
    link_object(objects, root, name)
    build_index(root / "search.sqlite", [("a.png", "image", [text])])
    entry = manifest_entry("a.png", SHA, KEY, objects.record(name))
    write_manifest(root, {"format_version": FORMAT_VERSION, "files": [entry]})
    with DockerSandbox(files, prepared=root) as sandbox:
        record = {"created": "2024-01-01T00:00:00", "modified": "2024-01-01T00:00:00"}
        records = tuple(
            {"id": n, "path": path, "type": "png", "modality": "image", **record}
            for n, path in enumerate(("a.png", "b.png"), 1)
        )
        sandbox.configure("Ann", records, ("terminal", "read_text", "read_image", "search"))
        yield sandbox


def ask(desk: DockerSandbox, tool: str, **args: object) -> Response:
    return desk.request(ToolRequest.model_validate({"tool": tool, "args": args}))


def test_the_tools_answer_from_it(desk: DockerSandbox) -> None:
    read = ask(desk, "read_text", path="a.png")
    assert [s.text for s in read.segments] == [SECRET]
    assert read.opened == ("a.png",)
    assert ask(desk, "read_image", path="a.png").payload == b"a stored picture"
    (hit,) = ask(desk, "search", query="photograph").info["hits"]
    assert hit["path"] == "a.png"


def test_what_it_does_not_hold_is_read_from_the_file(desk: DockerSandbox) -> None:
    assert ask(desk, "read_text", path="b.png").segments == ()
    cropped = ask(desk, "read_image", path="a.png", region=(0.0, 0.0, 0.5, 0.5))
    assert cropped.payload.startswith(b"\x89PNG")


def test_the_agent_can_neither_reach_nor_change_it(desk: DockerSandbox) -> None:
    script = """
        for path in /opt/deskgym/private /opt/deskgym/private/prepared \
                /opt/deskgym/private/prepared/manifest.json; do
            ls "$path" && echo "listed $path"
            cat "$path" && echo "read $path"
            cd "$path" && echo "entered $path"
        done
        touch /opt/deskgym/private/prepared/x && echo written
        grep -rl 'written on the photograph' / --exclude-dir=proc --exclude-dir=sys
        env | grep -i prepared
        echo end
    """
    response = desk.request(ExecRequest(command=f"({script}) 2>/dev/null", timeout_s=60))
    assert response.payload.decode().split() == ["end"]
