"""The commands of HippoCamp's container, with its JSON shapes, over this desk's tools.

Shapes: HippoCamp's "Docker Interface Reference" (``docs/docker_api.md`` of its repository) and the
examples of its agents' prompts. Left out on purpose: ``QAID`` and ``QANum`` in ``file_info``, which
tell which questions a file belongs to.
"""

from __future__ import annotations

import base64
import json
import os
import socket
import sys
from collections.abc import Callable
from typing import Any

from .framing import FrameReader, pack
from .identity import ALIASES, SOCKET
from .identity import OUTPUT as OUTPUT_FOLDER

RENDER_DPI = 200
MAX_SIDE = 4000
MAX_PAGES = 40
ALL_TEXT = 50_000_000
OUTPUT = "/hippocamp/output"
DATA = "/hippocamp/data"

HELP = """AVAILABLE COMMANDS:
  list_files [pattern]                             files by glob, folder or part of the path
  return_txt <file_path>                           a file's text
  return_img <file_path> [output_path] [--page N]  a file or one of its pages as a picture
  return_ori <file_path> [output_path]             a file's bytes
  search <words> [--top N] [--modality M]          passages that hold the words, best first
  return_metadata <file_path>                      kind, times and place of a file
  set_flags <return_txt 0|1> <return_img 0|1>      switch two of them off and on again
  hhelp                                            this text
Paths are relative to /hippocamp/data (the same folder as /desk).
"""


class Refused(Exception):
    """What is wrong with a call, or why the tool could not do as asked."""


def ask(tool: str, **args: Any) -> tuple[dict[str, Any], bytes]:
    """Have the runner use a tool.

    Raises:
        Refused: it could not, or may not.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as runner:
        try:
            runner.connect(SOCKET)
        except OSError as error:
            raise Refused(f"the desk does not answer: {error}") from error
        runner.sendall(pack({"tool": tool, "args": args}))
        frames = FrameReader()
        while (frame := frames.next()) is None:
            data = runner.recv(1 << 20)
            if not data:
                raise Refused("the desk broke off")
            frames.feed(data)
    header, payload = frame
    if not header["ok"]:
        fault = header["error"]
        remedy = f" ({fault['remedy']})" if fault.get("remedy") else ""
        raise Refused(fault["message"] + remedy)
    return header, payload


def list_files(argv: list[str]) -> dict[str, Any]:
    if len(argv) > 1:
        raise Refused("list_files takes one pattern; put it in quotes: list_files '*.pdf'")
    header, _ = ask("list_files", pattern=argv[0] if argv else None)
    paths = [record["path"] for record in header["info"]["files"]]
    return {"success": True, "count": len(paths), "data": paths, "error": None}


def return_metadata(argv: list[str]) -> dict[str, Any]:
    path = _one_path("return_metadata", argv)
    header, _ = ask("metadata", path=path)
    return {"success": True, "metadata": _metadata(header["info"]), "error": None}


def search(argv: list[str]) -> dict[str, Any]:
    options, words = _options(argv, ("--top", "--modality"))
    top = options.get("--top", "10")
    if not words or not top.isdecimal():
        raise Refused("search takes words, and --top N or --modality M if you like")
    header, _ = ask(
        "search", query=" ".join(words), top_k=int(top), modality=options.get("--modality")
    )
    hits = header["info"]["hits"]
    return {"success": True, "count": len(hits), "data": hits, "error": None}


def return_txt(argv: list[str]) -> dict[str, Any]:
    path = _one_path("return_txt", argv)
    header, _ = ask("read_text", path=path, max_chars=ALL_TEXT)
    info = header["info"]
    described, _ = ask("describe")
    file_info: dict[str, Any] = {
        "user": described["info"]["user"],
        "file_path": info["path"],
        "file_name": os.path.basename(info["path"]),
    }
    if "metadata" in described["info"]["on"]:
        # Of what is in an archive or a mail, it is the file that has been made some day.
        file_info |= _metadata(ask("metadata", path=header["opened"][0])[0]["info"])
        file_info["file_path"] = info["path"]
    segments = [{"content": s["text"], "locator": s["locator"]} for s in header["segments"]]
    notes = header.get("notes") or []
    return {
        "success": True,
        "data": {"file_info": file_info, "summary": " ".join(notes), "segments": segments},
        "error": None,
    }


def return_img(argv: list[str]) -> dict[str, Any]:
    path, target, page = _image_arguments(argv)
    pictures: list[tuple[int, str, bytes]] = []
    page_count = 1
    number = page or 1
    while True:
        wanted = number if page is not None or number > 1 else None
        header, payload = ask(
            "read_image", path=path, page=wanted, dpi=RENDER_DPI, max_side=MAX_SIDE
        )
        page_count = int(header["info"].get("pages") or 1)
        pictures.append((number, header["media"][0]["mime"], payload))
        if page is not None or number >= min(page_count, MAX_PAGES):
            break
        number += 1
    paths = [_store(path, target, *picture, many=page_count > 1) for picture in pictures]
    encoded = [base64.b64encode(data).decode() for _, _, data in pictures]
    return {
        "success": True,
        "image_path": paths[0],
        "image_paths": paths,
        "image_b64": encoded[0],
        "image_b64_list": encoded,
        "page_count": page_count,
        "error": None,
    }


def return_ori(argv: list[str]) -> dict[str, Any]:
    if not 1 <= len(argv) <= 2:
        raise Refused("return_ori takes a file path and, if you like, an output path")
    header, payload = ask("read_original", path=argv[0])
    path = f"{DATA}/{header['info']['path']}"
    if len(argv) == 2:
        path = _write(argv[1], payload)
    return {
        "success": True,
        "file_path": path,
        "file_b64": base64.b64encode(payload).decode(),
        "error": None,
    }


def set_flags(argv: list[str]) -> dict[str, Any]:
    if len(argv) != 2 or any(a not in ("0", "1") for a in argv):
        raise Refused("set_flags takes two times 0 or 1: return_txt and return_img")
    header, _ = ask("set_flags", return_txt=argv[0] == "1", return_img=argv[1] == "1")
    return {"success": True, "data": header["info"], "error": None}


def hhelp(argv: list[str]) -> dict[str, Any]:
    return {"success": True, "data": HELP, "error": None}


COMMANDS: dict[str, Callable[[list[str]], dict[str, Any]]] = {
    "list_files": list_files,
    "return_txt": return_txt,
    "return_img": return_img,
    "return_ori": return_ori,
    "return_metadata": return_metadata,
    "search": search,
    "set_flags": set_flags,
    "hhelp": hhelp,
}


def main(argv: list[str]) -> int:
    """Run the command that ``argv[0]`` names, print its JSON; 0 if it succeeded, else 1."""
    name = os.path.basename(argv[0])
    try:
        result = COMMANDS[name](argv[1:])
    except KeyError:
        result = {"success": False, "error": f"no command {name!r}; see hhelp"}
    except (Refused, OSError) as error:
        result = {"success": False, "error": str(error)}
    try:
        print(json.dumps(result, ensure_ascii=False, indent=2))
    except BrokenPipeError:  # `return_txt x | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0 if result["success"] else 1


def _one_path(command: str, argv: list[str]) -> str:
    if len(argv) != 1:
        raise Refused(f"{command} takes exactly one file path; put it in quotes if it has spaces")
    return argv[0]


def _options(argv: list[str], names: tuple[str, ...]) -> tuple[dict[str, str], list[str]]:
    """The options of ``names`` with their values, and what else there is."""
    options: dict[str, str] = {}
    plain: list[str] = []
    rest = iter(argv)
    for word in rest:
        if word not in names:
            plain.append(word)
        elif (value := next(rest, None)) is None:
            raise Refused(f"{word} takes a value")
        else:
            options[word] = value
    return options, plain


def _image_arguments(argv: list[str]) -> tuple[str, str | None, int | None]:
    options, plain = _options(argv, ("--page",))
    page = None
    if (number := options.get("--page")) is not None:
        if not number.isdecimal() or int(number) < 1:
            raise Refused("--page takes a number from 1")
        page = int(number)
    if not 1 <= len(plain) <= 2:
        raise Refused("return_img takes a file path, an output path if you like, and --page N")
    return plain[0], plain[1] if len(plain) == 2 else None, page


def _metadata(record: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": record["id"],
        "file_path": record["path"],
        "file_type": record["type"],
        "file_modality": record["modality"],
        "creation_date": record["created"].replace("T", " "),
        "modification_date": record["modified"].replace("T", " "),
        "latitude": record["latitude"],
        "longitude": record["longitude"],
        "location": record["location"],
    }


def _store(
    path: str, target: str | None, number: int, mime: str, data: bytes, *, many: bool
) -> str:
    suffix = {"image/png": ".png", "image/jpeg": ".jpg"}.get(mime, "")
    if target is None:
        os.makedirs(OUTPUT_FOLDER, exist_ok=True)  # it lies where the agent may have cleared up
        stem = os.path.splitext(os.path.basename(path))[0]
        return _write(f"{OUTPUT}/{stem}{f'_page{number}' if many else ''}{suffix}", data)
    if many and number > 1:
        stem, given = os.path.splitext(target)
        target = f"{stem}_page{number}{given}"
    return _write(target, data)


def _write(path: str, data: bytes) -> str:
    if any(path == alias or path.startswith(alias + "/") for alias in ALIASES):
        raise Refused(f"{path} lies in the person's files, which are read-only; use {OUTPUT}/")
    with open(path, "wb") as file:
        file.write(data)
    return path
