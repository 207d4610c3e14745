"""Office files from before 2007: xls by xlrd; doc and ppt by way of LibreOffice, where it is."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from deskgym.tools import documents, slides
from deskgym.tools.cut import Request
from deskgym.tools.grid import Box, Sheet, bounded, range_name, read_sheets, value_text, window
from deskgym.tools.guards import damage, load
from deskgym.tools.result import ToolError, ToolResult
from deskgym.tools.sniff import DOCX, PPTX, FileType

MAX_BYTES = 128 * 1024 * 1024
_TIMEOUT_S = 50.0
_Reader = Callable[[Path, FileType, Request], ToolResult]
# The header of a Word file, from 97 on, and of a deck's "current user" when it is locked.
_WORD_HEAD = re.compile(rb"\xec\xa5[\xc1-\xff\x00-\x12][\x00\x01]")
_LOCKED_DECK = re.compile(rb"\x00\x00\xf6\x0f.{4}\x14\x00\x00\x00\xdf\xc4\xd1\xf3", re.S)
# LibreOffice reads no macro and follows no link, whatever a file says.
_SETTINGS = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry"
 xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<item oor:path="/org.openoffice.Office.Common/Security/Scripting">
<prop oor:name="DisableMacrosExecution" oor:op="fuse"><value>true</value></prop></item>
<item oor:path="/org.openoffice.Office.Common/Security/Scripting">
<prop oor:name="MacroSecurityLevel" oor:op="fuse"><value>3</value></prop></item>
<item oor:path="/org.openoffice.Office.Writer/Content/Update">
<prop oor:name="Link" oor:op="fuse"><value>0</value></prop></item>
</oor:items>
"""


def read_doc(path: Path, kind: FileType, request: Request) -> ToolResult:
    """The lines of an old Word document, as those of a docx.

    Raises:
        ToolError: unsupported (without LibreOffice), encrypted, corrupt, too_large, timeout,
            out_of_range, bad_argument.
    """
    request.allow("lines", "a Word document")
    data = load(path, MAX_BYTES)
    found = next((m.start() for m in _WORD_HEAD.finditer(data) if m.start() % 512 == 0), None)
    if found is not None and len(data) > found + 11 and data[found + 11] & 1:
        raise _locked(path)
    return _converted(path, request, "an old Word document", "doc", DOCX, documents.read_docx)


def read_ppt(path: Path, kind: FileType, request: Request) -> ToolResult:
    """The slides of an old deck, as those of a pptx.

    Raises:
        ToolError: as `read_doc`.
    """
    request.allow("pages", "a slide deck")
    if _LOCKED_DECK.search(load(path, MAX_BYTES)):
        raise _locked(path)
    return _converted(path, request, "an old slide deck", "ppt", PPTX, slides.read)


def _locked(path: Path) -> ToolError:
    return ToolError(
        "encrypted",
        f"{path.name!r} is protected by a password",
        "it cannot be read without the password; look for the same facts in another file",
    )


def _converted(
    path: Path, request: Request, what: str, suffix: str, kind: FileType, read: _Reader
) -> ToolResult:
    """What ``read`` gives for the file's modern form.

    Raises:
        ToolError: unsupported, corrupt, timeout, or what ``read`` raises.
    """
    program = shutil.which("soffice")
    if program is None:
        raise ToolError(
            "unsupported",
            f"{path.name!r} is {what}, which needs to be prepared",
            "run: deskgym prepare ID",
        )
    with tempfile.TemporaryDirectory(prefix="deskgym-office-") as name:
        folder = Path(name)
        source = folder / f"in.{suffix}"
        shutil.copyfile(path, source)
        made = folder / "out" / f"in.{suffix}x"
        _convert(program, source, made, path)
        try:
            result = read(made, kind, request)
        except ToolError as error:
            message = error.message.replace(repr(made.name), repr(path.name))
            raise ToolError(error.kind, message, error.remedy) from error
    return replace(result, notes=(f"{what}, converted to be read", *result.notes))


def _convert(program: str, source: Path, made: Path, path: Path) -> None:
    """Have LibreOffice write ``source`` in the format of ``made``.

    Raises:
        ToolError: corrupt or timeout.
    """
    folder = source.parent
    profile = folder / "profile"
    (profile / "user").mkdir(parents=True)
    (profile / "user" / "registrymodifications.xcu").write_text(_SETTINGS, encoding="utf-8")
    command = [
        program, f"-env:UserInstallation={profile.as_uri()}", "--headless", "--norestore",
        "--nologo", "--nolockcheck", "--nodefault", "--convert-to", made.suffix[1:],
        "--outdir", str(made.parent), str(source),
    ]  # fmt: skip
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "LANG": "C.UTF-8",
    }
    process = subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        process.wait(_TIMEOUT_S)
    except subprocess.TimeoutExpired as error:
        raise ToolError(
            "timeout", f"{path.name!r} was not converted within {_TIMEOUT_S:g} s"
        ) from error
    finally:
        # The program that was started has helpers, which must not outlive it.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if not made.is_file():
        raise ToolError(
            "corrupt",
            f"{path.name!r} is damaged: LibreOffice cannot read it",
            "read_original returns the bytes",
        )


def read_xls(path: Path, kind: FileType, request: Request) -> ToolResult:
    """One segment a sheet (or the selected cells) of an old workbook: stored values.

    Raises:
        ToolError: encrypted, corrupt, too_large, out_of_range, bad_argument.
    """
    request.allow("cells", "a workbook")
    import xlrd
    from xlrd.compdoc import CompDocError

    data = load(path, MAX_BYTES)
    notes: list[str] = []
    try:
        # What it complains about goes to a log of its own, not to the screen.
        book = _open_xls(xlrd, data, notes)
        names = [str(name) for name in book.sheet_names()]

        def read_one(index: int, wanted: Box | None) -> Sheet:
            return _xls_sheet(xlrd, book, book.sheet_by_index(index), wanted)

        return read_sheets(names, read_one, request, notes)
    except damage(xlrd.XLRDError, CompDocError) as error:
        if "encrypted" in str(error).lower():
            raise _locked(path) from error
        raise ToolError(
            "corrupt",
            f"{path.name!r} is a damaged workbook: {type(error).__name__}: {error}",
            "read_original returns the bytes",
        ) from error


def _open_xls(xlrd: Any, data: bytes, notes: list[str]) -> Any:
    """The workbook, with its formats (which tell merged cells) if these are in order."""
    options: dict[str, Any] = {"file_contents": data, "logfile": io.StringIO()}
    try:
        return xlrd.open_workbook(formatting_info=True, **options)
    except damage() as error:
        book = xlrd.open_workbook(formatting_info=False, **options)
        notes.append(f"the formats of its cells are damaged ({type(error).__name__})")
        return book


def _xls_sheet(xlrd: Any, book: Any, sheet: Any, wanted: Box | None) -> Sheet:
    view = window(wanted)

    def rows() -> Iterator[tuple[int, list[str]]]:
        for index in range(view.r0 - 1, sheet.nrows):
            cells = sheet.row(index)
            yield index + 1, [_xls_text(xlrd, cell, book.datemode) for cell in cells]

    box, kept, capped = bounded(rows(), wanted)
    merged = [
        range_name(Box(left + 1, top + 1, right, bottom))
        for top, bottom, left, right in sheet.merged_cells
    ]
    return Sheet(str(sheet.name), sheet.visibility != 0, box, kept, capped, {}, tuple(merged))


def _xls_text(xlrd: Any, cell: Any, datemode: int) -> str:
    if cell.ctype == xlrd.XL_CELL_DATE:
        if 0 <= cell.value < 1:  # a time of day
            return value_text(xlrd.xldate_as_datetime(cell.value, datemode).time())
        return value_text(xlrd.xldate_as_datetime(cell.value, datemode))
    if cell.ctype == xlrd.XL_CELL_BOOLEAN:
        return value_text(bool(cell.value))
    if cell.ctype == xlrd.XL_CELL_ERROR:
        return str(xlrd.error_text_from_code.get(cell.value, "#ERROR"))
    return value_text(cell.value)
