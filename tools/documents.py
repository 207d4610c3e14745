"""PDF by page and DOCX in document order."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from deskgym.tools.cut import Request, clean, clip, cut_lines, cut_pages, listing, markdown_row
from deskgym.tools.guards import check_office_zip, damage, load
from deskgym.tools.reading import page_text
from deskgym.tools.result import ToolError, ToolResult
from deskgym.tools.sniff import FileType

_MAX_OUTLINE = 500
_OUTLINE_SHOWN = 8
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MC_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"


@contextmanager
def open_pdf(path: Path, *, drawing: bool = False) -> Iterator[Any]:
    """The PDF (or SVG ``drawing``, as one page) at ``path``, closed afterwards.

    Raises:
        ToolError: encrypted, corrupt, or out_of_memory (also for what fails inside the block).
    """
    import pymupdf

    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    try:
        if drawing:
            # From memory, so that nothing it refers to is looked for beside it.
            document = pymupdf.open(stream=load(path), filetype="svg")
        else:
            document = pymupdf.open(path, filetype="pdf")
    except (RuntimeError, ValueError) as error:  # all that MuPDF raises derives from these
        raise _damaged(path, error) from error
    with document:
        if document.needs_pass:
            raise ToolError(
                "encrypted",
                f"{path.name!r} is protected by a password",
                "it cannot be read without the password; look for the same facts elsewhere",
            )
        if document.page_count == 0:
            raise _damaged(path, "not one page can be found in it")
        try:
            yield document
        except (RuntimeError, ValueError) as error:
            raise _damaged(path, error) from error


def _damaged(path: Path, reason: object) -> ToolError:
    if "malloc" in str(reason):
        return ToolError("out_of_memory", f"{path.name!r} needs more memory than there is")
    return ToolError(
        "corrupt", f"{path.name!r} is damaged: {reason}", "read_original returns the bytes"
    )


def read_pdf(path: Path, kind: FileType, request: Request) -> ToolResult:
    """A segment a page, in reading order; pages without text are named in a note.

    Raises:
        ToolError: encrypted, corrupt, out_of_range, bad_argument.
    """
    request.allow("pages", "a PDF")
    notes: list[str] = []
    bare: list[int] = []
    with open_pdf(path) as document:
        total = document.page_count
        first, last = clip(request.pages, total, "page", notes)
        info: dict[str, Any] = {"pages": total}
        for key in ("title", "author"):
            if value := (document.metadata or {}).get(key):
                info[key] = clean(value)
        if outline := _outline(document):
            info["outline"] = outline
            heads = "; ".join(f"{e['title']} (page {e['page']})" for e in outline[:_OUTLINE_SHOWN])
            more = len(outline) - _OUTLINE_SHOWN
            notes.append(f"outline: {heads}" + (f"; and {more} more in metadata" * (more > 0)))
        if attached := document.embfile_names():
            info["attachments"] = [clean(name) for name in attached]
            notes.append(f"{len(attached)} files are attached to it, and not in its text")
        if document.is_repaired:
            notes.append("the file is damaged and was repaired; some of it may be missing")

        def pages() -> Iterator[tuple[int, str]]:
            for number in range(first, last + 1):
                text = clean(page_text(document[number - 1]))
                if not text.strip():
                    bare.append(number)
                    text = ""
                yield number, text

        segments, next_offset = cut_pages(pages(), request, notes)
    if bare:
        notes.append(bare_note(bare))
    return ToolResult(segments=segments, info=info, notes=tuple(notes), next_offset=next_offset)


def bare_note(pages: list[int]) -> str:
    """Says which pages have no text layer."""
    noun = "page" if len(pages) == 1 else "pages"
    return f"no text layer on {noun} {listing(pages)}; use read_image to look at them"


def _outline(document: Any) -> list[dict[str, Any]]:
    """The outline's entries with their level and page."""
    return [
        {"level": level, "title": " ".join(clean(title).split()), "page": page}
        for level, title, page, *_ in document.get_toc(simple=True)[:_MAX_OUTLINE]
        if page > 0 and title.strip()
    ]


def read_docx(path: Path, kind: FileType, request: Request) -> ToolResult:
    """Paragraphs, lists and tables in document order, then headers, footers and notes.

    Raises:
        ToolError: encrypted, corrupt, too_large, out_of_range, bad_argument.
    """
    request.allow("lines", "a Word document")
    check_office_zip(path)
    import docx
    from docx.opc.exceptions import OpcError

    try:
        document = docx.Document(str(path))
        styles = {s.style_id: s.name or "" for s in document.styles}
        lines = list(_blocks(document.element.body, styles))
        lines += _margins(document)
        lines += _notes(document)
    except damage(OpcError) as error:
        raise ToolError(
            "corrupt",
            f"{path.name!r} is a damaged Word document: {type(error).__name__}: {error}",
            "read_original returns the bytes",
        ) from error
    text = clean("\n".join(lines).rstrip("\n"))
    return cut_lines(text + "\n" if text else "", request, {}, [])


def _blocks(parent: Any, styles: dict[str, str]) -> Iterator[str]:
    for child in parent:
        if child.tag == _W + "p":
            yield from _paragraph(child, styles)
        elif child.tag == _W + "tbl":
            yield from _table(child)
            yield ""
        elif child.tag in (_W + "sdt", _W + "sdtContent", _W + "ins", _W + "customXml"):
            yield from _blocks(child, styles)


def _paragraph(paragraph: Any, styles: dict[str, str]) -> Iterator[str]:
    """The paragraph's lines, marked as heading or list item, and an empty one after prose."""
    text = _text(paragraph).strip("\n")
    if not text.strip():
        return
    style = paragraph.find(f"{_W}pPr/{_W}pStyle")
    name = styles.get(style.get(_W + "val"), "") if style is not None else ""
    level = name.removeprefix("Heading ")
    listed = name.startswith("List") or paragraph.find(f"{_W}pPr/{_W}numPr") is not None
    if name == "Title" or (name.startswith("Heading ") and level.isdigit()):
        yield "#" * (1 if name == "Title" else int(level)) + " " + text
    elif listed:
        yield "- " + text
        return
    else:
        yield from text.split("\n")
    yield ""


def _table(table: Any) -> Iterator[str]:
    rows = []
    for row in table.iter(_W + "tr"):
        # Rows of a table inside a cell are part of that cell's text.
        if next(row.iterancestors(_W + "tbl")) is table:
            cells = [c for c in row.iter(_W + "tc") if next(c.iterancestors(_W + "tr")) is row]
            rows.append([_text(cell) for cell in cells])
    width = max((len(row) for row in rows), default=0)
    for number, row in enumerate(rows):
        yield markdown_row(row + [""] * (width - len(row)))
        if number == 0:
            yield "|" + " --- |" * width


def _text(element: Any) -> str:
    """All text below an element, also of insertions, links, fields and text boxes.

    Deleted text (w:delText) is left out, and the copy that is kept for old programs.
    """
    parts: list[str] = []

    def walk(node: Any) -> None:
        for child in node:
            tag = child.tag
            if tag == _W + "t":
                parts.append(child.text or "")
            elif tag == _W + "tab":
                parts.append("\t")
            elif tag in (_W + "br", _W + "cr"):
                parts.append("\n")
            elif tag == _W + "noBreakHyphen":
                parts.append("-")
            elif tag in (_W + "pPr", _W + "rPr", _MC_FALLBACK):
                continue
            elif tag == _W + "p":
                if parts and not parts[-1].endswith("\n"):
                    parts.append("\n")
                walk(child)
                parts.append("\n")
            else:
                walk(child)

    walk(element)
    return "".join(parts)


def _margins(document: Any) -> Iterator[str]:
    """Headers and footers, each different one once."""
    seen: set[str] = set()
    for section in document.sections:
        for label, part in (("header", section.header), ("footer", section.footer),
                            ("header", section.first_page_header),
                            ("footer", section.first_page_footer)):  # fmt: skip
            if part.is_linked_to_previous:
                continue
            line = f"[{label}] {' '.join(_text(part._element).split())}"
            if line not in seen and line != f"[{label}] ":
                seen.add(line)
                yield line


def _notes(document: Any) -> Iterator[str]:
    """Footnotes, endnotes and comments, which are stored apart from the text."""
    from docx.oxml import parse_xml

    for part in document.part.package.iter_parts():
        for label in ("footnote", "endnote", "comment"):
            if str(part.partname) == f"/word/{label}s.xml":
                for note in parse_xml(part.blob).iterchildren(f"{_W}{label}"):
                    if text := " ".join(_text(note).split()):
                        yield f"[{label} {note.get(_W + 'id')}] {text}"
