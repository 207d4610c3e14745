"""``python -m deskgym.tasks.made.files.contact_sheet --out docs/made``: what made files look like.

Writes one picture: for each kind of file some that were drawn by lot, as a reader would see them,
with pages rendered, pictures and frames shrunk, and what is heard written out.
"""

from __future__ import annotations

import argparse
import html
import io
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections import defaultdict
from pathlib import Path, PurePosixPath

import docx
import pymupdf
from PIL import Image, ImageDraw, ImageOps

from deskgym.tasks.demo.make.drawing import wrap
from deskgym.tasks.demo.make.fonts import BOLD, REGULAR, pixel_font
from deskgym.tasks.demo.make.things import DeskError
from deskgym.tasks.made.files.home import make_home
from deskgym.tasks.made.files.placed import Home, MadeFile
from deskgym.tasks.made.life import make_life
from deskgym.tasks.made.records import make_records
from deskgym.tasks.made.seeds import random_for
from deskgym.tasks.made.spec import MadeSpec
from deskgym.tasks.modalities import type_of

_TILE = (330, 240)
_GAP = 12
_TYPE = 11
_ORDER = ("pdf", "docx", "html", "xlsx", "jpg", "mp4", "mp3", "eml", "mbox", "md", "txt", "ics",
          "vcf", "csv", "json", "sqlite", "graphml", "zip")  # fmt: skip
_SHOWN = 22  # lines of text in a tile


def contact_sheet(home: Home, seed: int, each: int) -> Image.Image:
    """A picture of ``each`` files of every kind, drawn by lot."""
    kinds: dict[str, list[MadeFile]] = defaultdict(list)
    for path in sorted(home.files):
        kinds[type_of(path)].append(home.files[path])
    said: dict[str, list[str]] = defaultdict(list)
    for place in home.placed:
        if not place.part:
            said[place.file_path].append(f"[{place.locator}] {place.text}")
    rows = [kind for kind in _ORDER if kind in kinds]
    width = each * (_TILE[0] + _GAP) + _GAP
    row = _TILE[1] + 46
    sheet = Image.new("RGB", (width, len(rows) * row + _GAP), "#e4e6ea")
    draw = ImageDraw.Draw(sheet)
    for number, kind in enumerate(rows):
        top = number * row + _GAP
        head = f"{kind} ({len(kinds[kind])} files)"
        draw.text((_GAP, top), head, font=pixel_font(head, BOLD, 16), fill="#202428")
        chosen = random_for(seed, "sheet", kind).sample(kinds[kind], min(each, len(kinds[kind])))
        for column, file in enumerate(chosen):
            left = _GAP + column * (_TILE[0] + _GAP)
            sheet.paste(_tile(file, said[file.path]), (left, top + 22))
            name = file.path if len(file.path) < 58 else f"...{file.path[-54:]}"
            at = (left, top + 24 + _TILE[1])
            draw.text(at, name, font=pixel_font(name, REGULAR, _TYPE), fill="#404448")
    return sheet


def _tile(file: MadeFile, said: list[str]) -> Image.Image:
    kind = type_of(file.path)
    if kind == "pdf":
        with pymupdf.open(stream=file.data, filetype="pdf") as document:
            pixels = document[0].get_pixmap(dpi=60)
            picture = Image.frombytes("RGB", (pixels.width, pixels.height), pixels.samples)
        return ImageOps.fit(picture, _TILE, centering=(0.5, 0.0))
    if kind == "jpg":
        return ImageOps.pad(Image.open(io.BytesIO(file.data)), _TILE, color="#ffffff")
    if kind == "mp4":
        return _frame(file, said)
    if kind == "docx":
        return _text_tile(
            "\n".join(p.text for p in docx.Document(io.BytesIO(file.data)).paragraphs)
        )
    if kind == "zip":
        with zipfile.ZipFile(io.BytesIO(file.data)) as archive:
            return _text_tile("\n".join(archive.namelist()))
    if kind == "html":
        plain = re.sub(r"<(?!/?(?:tr|p|h\d|li)\b)[^>]*>", " ", file.data.decode())
        return _text_tile(html.unescape(re.sub(r"\s*<[^>]*>\s*", "\n", plain)).strip())
    if kind in ("xlsx", "mp3", "sqlite"):
        return _text_tile("\n".join(said) or f"{len(file.data):,} bytes")
    return _text_tile(file.data.decode("utf-8", "replace"))


def _frame(file: MadeFile, said: list[str]) -> Image.Image:
    """The frame in the third second of a clip, and below it what is said in all of it."""
    program = shutil.which("ffmpeg")
    if program is None:
        raise DeskError("ffmpeg is not installed; run: apt-get install ffmpeg")
    with tempfile.TemporaryDirectory() as name:
        source = Path(name) / PurePosixPath(file.path).name
        source.write_bytes(file.data)
        target = Path(name) / "frame.png"
        command = [program, "-nostdin", "-v", "error", "-ss", "2", "-i", str(source)]
        subprocess.run([*command, "-frames:v", "1", str(target)], check=True)
        with Image.open(target) as frame:
            shown = ImageOps.fit(frame.convert("RGB"), (_TILE[0], 150))
    tile = _text_tile("\n" * 11 + "\n".join(said))
    tile.paste(shown, (0, 0))
    return tile


def _text_tile(text: str) -> Image.Image:
    tile = Image.new("RGB", _TILE, "#ffffff")
    draw = ImageDraw.Draw(tile)
    rows: list[str] = []
    for line in text.expandtabs(4).split("\n")[:60]:
        plain = "".join(c if c.isprintable() else " " for c in line)
        rows += wrap(plain, REGULAR, _TYPE, _TILE[0] - 16) or [""]
        if len(rows) > _SHOWN:
            break
    for number, row in enumerate(rows[: (_TILE[1] - 12) // (_TYPE + 3)]):
        at = (8, 6 + number * (_TYPE + 3))
        draw.text(at, row, font=pixel_font(row, REGULAR, _TYPE), fill="#202428")
    return tile


def main(arguments: list[str] | None = None) -> int:
    """Make a person and the picture of their files; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m deskgym.tasks.made.files.contact_sheet")
    parser.add_argument("--out", type=Path, required=True, help="the folder for the picture")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--months", type=int, default=2)
    parser.add_argument("--each", type=int, default=5, help="files of each kind (5)")
    chosen = parser.parse_args(arguments)
    spec = MadeSpec(seed=chosen.seed, months=chosen.months)
    life = make_life(spec, 0)
    try:
        home = make_home(life, make_records(life, spec), spec)
        sheet = contact_sheet(home, chosen.seed, chosen.each)
    except DeskError as error:
        print(error, file=sys.stderr)
        return 1
    chosen.out.mkdir(parents=True, exist_ok=True)
    target = chosen.out / "contact_sheet.png"
    sheet.quantize(128).save(target, optimize=True)
    print(f"{target}: {len(home.files)} files of {life.person.full_name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
