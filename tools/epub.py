"""Electronic books (epub): the chapters in reading order, a page each."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from deskgym.tools.cut import Request, clean, clip, cut_pages, listing
from deskgym.tools.decode import decode
from deskgym.tools.html import to_text
from deskgym.tools.packages import Package, damaged, opened
from deskgym.tools.result import ToolError, ToolResult
from deskgym.tools.sniff import FileType

_WHAT = "book"
_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_DC = "{http://purl.org/dc/elements/1.1/}"
_MAX_CHAPTERS = 10_000
_MAX_TITLES = 200
# Scrambled fonts: these hide no text.
_FONT_SCRAMBLERS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")


def read(path: Path, kind: FileType, request: Request) -> ToolResult:
    """One segment ``page:n`` for each chapter of the book's reading order.

    Raises:
        ToolError: encrypted, corrupt, too_large, out_of_range, bad_argument.
    """
    request.allow("pages", "a book")
    notes: list[str] = []
    bare: list[int] = []
    missing: list[int] = []
    with opened(path, _WHAT) as package:
        _refuse_locked(package)
        chapters, info = _spine(package)
        first, last = clip(request.pages, len(chapters), "chapter", notes)

        def texts() -> Iterator[tuple[int, str]]:
            for number in range(first, last + 1):
                name = chapters[number - 1]
                if name not in package.names:
                    missing.append(number)
                    continue
                text = clean(to_text(decode(package.part(name), markup=True)[0]))
                if not text.strip():
                    bare.append(number)
                yield number, text if text.strip() else ""

        segments, next_offset = cut_pages(texts(), request, notes)
    notes.insert(0, "the pages are the book's chapters")
    if bare:
        notes.append(f"no text in chapter {listing(bare)}; pictures are not in the text")
    if missing:
        notes.append(f"the file is damaged: chapter {listing(missing)} is missing")
    return ToolResult(segments=segments, info=info, notes=tuple(notes), next_offset=next_offset)


def _refuse_locked(package: Package) -> None:
    if _ENCRYPTION not in package.names:
        return
    locks = [
        method
        for method in package.xml(_ENCRYPTION).iter()
        if method.tag.endswith("}EncryptionMethod")
        and method.get("Algorithm", "") not in _FONT_SCRAMBLERS
    ]
    if locks:
        raise ToolError(
            "encrypted",
            f"{package.path.name!r} is a book with copy protection",
            "it cannot be read without its shop's key; look for the same facts elsewhere",
        )


def _spine(package: Package) -> tuple[list[str], dict[str, object]]:
    """The chapters' members in reading order, and what the book says of itself."""
    root_file = package.xml(_CONTAINER).find(".//{*}rootfile")
    opf_name = root_file.get("full-path", "") if root_file is not None else ""
    opf = package.xml(opf_name)
    folder = posixpath.dirname(opf_name)
    members = {
        item.get("id", ""): _member(folder, item.get("href", ""))
        for item in opf.iterfind(".//{*}manifest/{*}item")
    }
    order = [item.get("idref", "") for item in opf.iterfind(".//{*}spine/{*}itemref")]
    chapters = [members.get(name, name) for name in order][:_MAX_CHAPTERS]
    if not chapters:
        raise damaged(package.path, _WHAT, "it names no chapter")
    info: dict[str, object] = {"pages": len(chapters)}
    for key, tag in (("title", "title"), ("author", "creator"), ("language", "language")):
        if value := " ".join((opf.findtext(f".//{_DC}{tag}") or "").split()):
            info[key] = clean(value)
    if titles := _outline(package, opf, members, chapters):
        info["outline"] = titles
    return chapters, info


def _outline(
    package: Package, opf: Element, members: dict[str, str], chapters: list[str]
) -> list[dict[str, object]]:
    """The table of contents: each title with the chapter (page) that it begins in."""
    spine = opf.find(".//{*}spine")
    name = members.get(spine.get("toc", ""), "") if spine is not None else ""
    if name not in package.names:
        return []
    pages = {chapter: number for number, chapter in enumerate(chapters, 1)}
    titles: list[dict[str, object]] = []
    for point in package.xml(name).iter("{http://www.daisy.org/z3986/2005/ncx/}navPoint"):
        content = point.find("{*}content")
        source = content.get("src", "") if content is not None else ""
        target = _member(posixpath.dirname(name), source)
        title = " ".join((point.findtext("{*}navLabel/{*}text") or "").split())
        if title and target in pages and len(titles) < _MAX_TITLES:
            titles.append({"title": clean(title), "page": pages[target]})
    return titles


def _member(folder: str, link: str) -> str:
    """The member that a link from a file in ``folder`` leads to."""
    return posixpath.normpath(posixpath.join(folder, unquote(link.partition("#")[0])))
