"""Files for the tests, written part by part, or converted by LibreOffice where it is installed."""

from __future__ import annotations

import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

ARABIC = "الإيجار الشهري ٩٥٠ جنيها"
HEBREW = "שכר הדירה לחודש מרץ"
CHINESE = "房租每月五千元，三月三日之前付清"
KOREAN = "월세는 매달 삼일에 냅니다"
SCRIPTS = [ARABIC, HEBREW, CHINESE, KOREAN]
_NAMESPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{long}:1.0"'
    for name, long in [
        ("office", "office"),
        ("text", "text"),
        ("table", "table"),
        ("draw", "drawing"),
        ("style", "style"),
        ("presentation", "presentation"),
        ("svg", "svg-compatible"),
        ("meta", "meta"),
    ]
)


def odf_part(root: str, inside: str) -> str:
    """An OpenDocument XML part with the usual name spaces."""
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<office:{root} {_NAMESPACES} '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/">{inside}</office:{root}>'
    )


def odf(
    path: Path,
    kind: str,
    body: str,
    styles: str = "",
    parts: dict[str, str] | None = None,
    manifest: str = "<manifest/>",
) -> Path:
    """An OpenDocument file of ``kind`` (text, spreadsheet, presentation)."""
    automatic = f"<office:automatic-styles>{styles}</office:automatic-styles>"
    content = f"{automatic}<office:body><office:{kind}>{body}</office:{kind}></office:body>"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        mime = f"application/vnd.oasis.opendocument.{kind}"
        packed.writestr(zipfile.ZipInfo("mimetype"), mime)
        packed.writestr("content.xml", odf_part("document-content", content))
        packed.writestr("META-INF/manifest.xml", manifest)
        for name, part in (parts or {}).items():
            packed.writestr(name, part)
    return path


def epub(path: Path, chapters: dict[str, str], more: dict[str, str] | None = None) -> Path:
    """A book with ``chapters`` (file name to HTML body) in this order."""
    items = "".join(
        f'<item id="{n}" href="{name}" media-type="application/xhtml+xml"/>'
        for n, name in reversed(list(enumerate(chapters)))
    )
    order = "".join(f'<itemref idref="{n}"/>' for n in range(len(chapters)))
    opf = (
        '<package xmlns="http://www.idpf.org/2007/opf"><metadata '
        'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Walks</dc:title>'
        "<dc:creator>Ann Lee</dc:creator><dc:language>en</dc:language></metadata>"
        f'<manifest>{items}<item id="ncx" href="toc.ncx"/></manifest>'
        f'<spine toc="ncx">{order}</spine></package>'
    )
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="OEBPS/content.opf"/></rootfiles></container>'
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(zipfile.ZipInfo("mimetype"), "application/epub+zip")
        packed.writestr("META-INF/container.xml", container)
        packed.writestr("OEBPS/content.opf", opf)
        for name, body in chapters.items():
            packed.writestr(
                f"OEBPS/{name.replace('%20', ' ')}",
                f'<?xml version="1.0"?>\n<!DOCTYPE html>\n<html><head><style>p {{}}</style></head>'
                f"<body>{body}</body></html>",
            )
        for name, part in (more or {}).items():
            packed.writestr(name, part)
    return path


def converted(source: Path, suffix: str) -> Path:
    """``source`` in another format, by LibreOffice; the test is skipped where it is missing."""
    program = shutil.which("soffice")
    if program is None:
        pytest.skip("LibreOffice (soffice) is not installed: old office files are not tested")
    folder = source.parent / "made"
    profile = (source.parent / "office-profile").as_uri()
    subprocess.run(
        [program, f"-env:UserInstallation={profile}", "--headless", "--convert-to", suffix,
         "--outdir", str(folder), str(source)],
        check=True, capture_output=True, timeout=120,
    )  # fmt: skip
    return folder / f"{source.stem}.{suffix.partition(':')[0]}"
