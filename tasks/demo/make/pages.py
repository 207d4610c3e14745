"""PDF files: with a text layer, and scans that are pixels only."""

from __future__ import annotations

import io
import math
from dataclasses import dataclass, field
from datetime import datetime

import numpy
import pymupdf
from PIL import Image

from deskgym.tasks.demo.make.deterministic import digest, generator
from deskgym.tasks.demo.make.fonts import BOLD, REGULAR, font_name_for, page_font
from deskgym.tasks.demo.make.markup import Block, Bullet, Heading, Paragraph, Table, parse
from deskgym.tasks.demo.make.things import DeskError, Mark
from deskgym.tasks.locators import Region

_WIDTH, _HEIGHT, _MARGIN = 595.0, 842.0, 56.0
_SIZES = (11.0, 10.0, 9.0, 8.0)
_DPI = 140


@dataclass(frozen=True)
class _Line:
    """Text to be set with its baseline's left end at (x, y)."""

    x: float
    y: float
    text: str
    size: float
    bold: bool = False

    def width(self) -> float:
        return _measure(self.text, self.size, self.bold)


@dataclass
class _Page:
    """A page being filled from the top; it only records, so a smaller type can be tried."""

    size: float
    y: float = _MARGIN
    lines: list[_Line] = field(default_factory=list)
    rules: list[tuple[float, float, float, float]] = field(default_factory=list)

    def add(self, block: Block) -> None:
        match block:
            case Heading(level, text):
                size = self.size * (1.6 if level == 1 else 1.25)
                self.y += size * 0.5
                self._flow(text, _MARGIN, size, bold=True)
                self.y += size * 0.3
            case Bullet(text):
                self._flow(f"• {text}", _MARGIN + self.size, self.size)
                self.y += self.size * 0.2
            case Paragraph(lines):
                for line in lines:
                    self._flow(line, _MARGIN, self.size)
                self.y += self.size * 0.7
            case Table(rows):
                self._table(rows)
                self.y += self.size

    def _flow(self, text: str, x: float, size: float, *, bold: bool = False) -> None:
        for line in _wrap(text, size, _WIDTH - _MARGIN - x, bold):
            self.y += size * 1.35
            self.lines.append(_Line(x, self.y, line, size, bold))

    def _table(self, rows: tuple[tuple[str, ...], ...]) -> None:
        pad, size = 4.0, self.size * 0.95
        space = _WIDTH - 2 * _MARGIN
        widths = [
            max(_measure(row[c], size, r == 0) for r, row in enumerate(rows)) + 2 * pad + 1
            for c in range(len(rows[0]))
        ]
        if sum(widths) > space:
            fair = space / len(widths)
            spare = space - sum(w for w in widths if w <= fair)
            wide = sum(w for w in widths if w > fair)
            widths = [w if w <= fair else w / wide * spare for w in widths]
        edges = [_MARGIN + sum(widths[:c]) for c in range(len(widths) + 1)]
        top = self.y = self.y + self.size * 0.5
        self.rules.append((edges[0], top, edges[-1], top))
        for r, row in enumerate(rows):
            height = 0.0
            for c, cell in enumerate(row):
                wrapped = _wrap(cell, size, widths[c] - 2 * pad, r == 0)
                for n, line in enumerate(wrapped, 1):
                    y = self.y + n * size * 1.3
                    self.lines.append(_Line(edges[c] + pad, y, line, size, r == 0))
                height = max(height, len(wrapped) * size * 1.3)
            self.y += height + size * 0.5
            self.rules.append((edges[0], self.y, edges[-1], self.y))
        self.rules += [(x, top, x, self.y) for x in edges]


def _measure(text: str, size: float, bold: bool) -> float:
    font = page_font(font_name_for(text, BOLD if bold else REGULAR))
    return float(font.text_length(text, size))


def _wrap(text: str, size: float, width: float, bold: bool) -> list[str]:
    lines, line = [], ""
    for word in text.split():
        if line and _measure(f"{line} {word}", size, bold) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
        while _measure(line, size, bold) > width and len(line) > 1:
            cut = next(n for n in range(len(line) - 1, 0, -1) if _fits(line[:n], size, width, bold))
            lines.append(line[:cut])
            line = line[cut:]
    return [*lines, line] if line else lines


def _fits(text: str, size: float, width: float, bold: bool) -> bool:
    return len(text) == 1 or _measure(text, size, bold) <= width


def _lay_out(path: str, pages: list[str]) -> list[_Page]:
    if not pages:
        raise DeskError(f"{path}: a PDF needs at least one page")
    done = []
    for number, content in enumerate(pages, 1):
        blocks = parse(content)
        for size in _SIZES:
            page = _Page(size)
            for block in blocks:
                page.add(block)
            if page.y <= _HEIGHT - _MARGIN:
                done.append(page)
                break
        else:
            raise DeskError(
                f"{path}: page {number} is too long for one sheet; "
                "spread it over two strings of `pages`"
            )
    return done


def _document(pages: list[_Page]) -> pymupdf.Document:
    document = pymupdf.open()
    for laid in pages:
        page = document.new_page(width=_WIDTH, height=_HEIGHT)
        writer = pymupdf.TextWriter(page.rect)
        for line in laid.lines:
            font = page_font(font_name_for(line.text, BOLD if line.bold else REGULAR))
            writer.append((line.x, line.y), line.text, font=font, fontsize=line.size)
        if laid.lines:
            writer.write_text(page)
        for x0, y0, x1, y1 in laid.rules:
            page.draw_line((x0, y0), (x1, y1), width=0.6)
    return document


def _saved(
    document: pymupdf.Document, path: str, author: str, created: datetime, modified: datetime
) -> bytes:
    document.set_metadata(
        {
            "author": author,
            "creationDate": f"D:{created:%Y%m%d%H%M%S}Z",
            "modDate": f"D:{modified:%Y%m%d%H%M%S}Z",
        }
    )
    # The id would otherwise be random.
    name = digest(path)
    document.xref_set_key(-1, "ID", f"[<{name}><{name}>]")
    return bytes(document.tobytes(garbage=3, deflate=True, deflate_fonts=True, no_new_id=True))


def pdf_bytes(
    path: str, pages: list[str], author: str, created: datetime, modified: datetime
) -> bytes:
    """A PDF with a text layer; each string of ``pages`` (in the kit's markup) fills one sheet.

    A long page is set in smaller type.

    Raises:
        DeskError: a page does not fit on a sheet even so.
    """
    with _document(_lay_out(path, pages)) as document:
        document.subset_fonts()
        return _saved(document, path, author, created, modified)


def scan_bytes(
    path: str, pages: list[str], author: str, created: datetime, modified: datetime
) -> tuple[bytes, list[Mark]]:
    """A PDF of page images, each a little askew and grainy, and where every line stands."""
    laid = _lay_out(path, pages)
    chance = generator(path)
    marks: list[Mark] = []
    with _document(laid) as clean, pymupdf.open() as document:
        for number, page in enumerate(laid, 1):
            degrees = chance.choice((-1, 1)) * chance.uniform(0.3, 0.8)
            image = _scanned(clean[number - 1], degrees, chance.randrange(2**32))
            sheet = document.new_page(width=_WIDTH, height=_HEIGHT)
            sheet.insert_image(sheet.rect, stream=image)
            marks += [Mark(line.text, _region(number, line, degrees)) for line in page.lines]
        return _saved(document, path, author, created, modified), marks


def _scanned(page: pymupdf.Page, degrees: float, seed: int) -> bytes:
    pixels = page.get_pixmap(dpi=_DPI, colorspace=pymupdf.csGRAY)
    image = Image.frombytes("L", (pixels.width, pixels.height), pixels.samples)
    image = image.rotate(degrees, Image.Resampling.BICUBIC, fillcolor=255)
    grain = numpy.random.default_rng(seed).normal(0, 5, (image.height, image.width))
    grey = numpy.asarray(image, dtype=float) * 0.92 + 10 + grain
    buffer = io.BytesIO()
    scanned = Image.fromarray(grey.clip(0, 255).astype("uint8"))
    scanned.save(buffer, "JPEG", quality=55, optimize=True)
    return buffer.getvalue()


def _region(number: int, line: _Line, degrees: float) -> Region:
    """Where ``line`` lies once its page has been turned about its middle."""
    angle = math.radians(-degrees)  # an image's y axis points downwards
    cx, cy = _WIDTH / 2, _HEIGHT / 2
    xs, ys = [], []
    for x in (line.x, line.x + line.width()):
        for y in (line.y - line.size, line.y + line.size * 0.3):
            xs.append(cx + (x - cx) * math.cos(angle) - (y - cy) * math.sin(angle))
            ys.append(cy + (x - cx) * math.sin(angle) + (y - cy) * math.cos(angle))
    return fraction_region(
        (min(xs), min(ys), max(xs), max(ys)), (_WIDTH, _HEIGHT), page=number, pad=4
    )


def fraction_region(
    box: tuple[float, float, float, float],
    size: tuple[float, float],
    *,
    page: int = 1,
    pad: float = 0,
) -> Region:
    """``box`` within a page of ``size``, padded, as a locator with three decimals."""
    (x0, y0, x1, y1), (width, height) = box, size
    return Region(
        page=page,
        x0=round(max(0.0, (x0 - pad) / width), 3),
        y0=round(max(0.0, (y0 - pad) / height), 3),
        x1=round(min(1.0, (x1 + pad) / width), 3),
        y1=round(min(1.0, (y1 + pad) / height), 3),
    )
