"""Rich text (rtf) as lines: paragraphs, table rows as markdown, notes at the end."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from deskgym.tools.cut import Request, clean, cut_lines, markdown_row
from deskgym.tools.guards import load
from deskgym.tools.result import ToolError, ToolResult
from deskgym.tools.sniff import FileType

_TOKEN = re.compile(
    rb"\\(?P<word>[A-Za-z]{1,40})(?P<number>-?\d{1,10})? ?"
    rb"|\\'(?P<hex>[0-9A-Fa-f]{2})"
    rb"|\\(?P<symbol>[^A-Za-z'])"
    rb"|(?P<brace>[{}])"
    rb"|(?P<text>[^\\{}\r\n]+)"
    rb"|[\r\n]+|\\"
)
_MAX_DEPTH = 1000
# Groups that hold no text of the document.
_HIDDEN = {
    "colortbl", "stylesheet", "pict", "object", "themedata", "colorschememapping", "datastore",
    "latentstyles", "listtable", "listoverridetable", "revtbl", "rsidtbl", "generator", "xmlnstbl",
    "fldinst", "filetbl", "bkmkstart", "bkmkend", "pntext", "listtext", "nonshppict",
    "mmathPr", "author", "operator", "company", "keywords", "comment", "doccomm", "subject",
    "creatim", "revtim", "printim", "buptim", "manager", "category", "hlinkbase", "falt",
    "panose", "atnid", "atnauthor", "atntime", "atnref", "atnparent", "atndate", "wgrffmtfilter",
    "pgdsctbl", "userprops", "docvar", "fchars", "lchars", "blipuid", "picprop", "sp", "background",
}  # fmt: skip
_NOTES = {"footnote": "footnote", "annotation": "comment", "header": "header", "footer": "footer",
          "headerl": "header", "headerr": "header", "headerf": "header",
          "footerl": "footer", "footerr": "footer", "footerf": "footer"}  # fmt: skip
_SYMBOLS = {
    "par": "\n", "line": "\n", "sect": "\n", "page": "\n", "tab": "\t", "emdash": "—",
    "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”",
    "bullet": "•", "emspace": " ", "enspace": " ", "qmspace": " ", "zwj": "\u200d",
    "zwnj": "\u200c", "rtlmark": "\u200f", "ltrmark": "\u200e",
}  # fmt: skip
_ESCAPES = {b"~": "\u00a0", b"_": "\u2011", b"\n": "\n", b"\r": "\n", b"\t": "\t"}
_CHARSETS = {
    0: "cp1252", 1: "cp1252", 77: "mac-roman", 128: "cp932", 129: "cp949", 130: "cp1361",
    134: "gb18030", 136: "cp950", 161: "cp1253", 162: "cp1254", 163: "cp1258", 177: "cp1255",
    178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250", 255: "cp437",
}  # fmt: skip


@dataclass
class _State:
    """What a group inherits from the one around it."""

    target: str = "text"  # text, fonts, title, hidden, or a key of _NOTES
    font: int | None = None
    fallback: int = 1  # bytes that follow a \u character for programs that do not know it
    in_table: bool = False
    listed: bool = False
    muted: bool = False  # hidden or deleted characters


@dataclass
class _Sink:
    """A run of text that is being collected, with its bytes not yet decoded."""

    parts: list[str] = field(default_factory=list)


def read(path: Path, kind: FileType, request: Request) -> ToolResult:
    """The lines of a rich text file.

    Raises:
        ToolError: corrupt, too_large, out_of_range, bad_argument.
    """
    request.allow("lines", "a rich text file")
    parser = _Parser()
    complete = parser.run(load(path), path)
    notes = [] if complete else ["the file breaks off; its end is missing"]
    text = clean(parser.text())
    if not complete and not text.strip():
        raise ToolError(
            "corrupt", f"{path.name!r} is a rich text file that breaks off before any text"
        )
    info: dict[str, object] = {"title": parser.title} if parser.title else {}
    return cut_lines(text, request, info, notes)


class _Parser:
    """Goes through the tokens once; text lands in the sink of the innermost group's target."""

    def __init__(self) -> None:
        self._state = _State()
        self._stack: list[tuple[_State, _Sink]] = []
        self._main = self._sink = _Sink()
        self._pending = bytearray()
        self._codepage = "cp1252"
        self._fonts: dict[int, str] = {}
        self._skip = 0
        self._high: int | None = None
        self._fresh = False  # directly after an opening brace
        self._optional = False  # after \*
        self._row: list[str] = []
        self._rows: list[list[str]] = []
        self._cell_from: int | None = None  # where the open cell's text begins, in a table
        self._told: list[str] = []
        self.title = ""

    def text(self) -> str:
        """The text so far, ended by headers, footers, notes and comments."""
        self._end_table()
        body = "".join(self._main.parts)
        lines = [line.rstrip(" ") for line in body.split("\n")]
        text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")
        return "".join(part + "\n" for part in (text, *self._told) if part)

    def run(self, data: bytes, path: Path) -> bool:
        """Read it all; returns whether every group was closed.

        Raises:
            ToolError: corrupt, for groups nested beyond reason.
        """
        at, end = 0, len(data)
        while at < end and (token := _TOKEN.match(data, at)):
            at = token.end()
            if token["brace"] == b"{":
                self._open()
                if len(self._stack) > _MAX_DEPTH:
                    raise ToolError("corrupt", f"{path.name!r} nests its groups without end")
            elif token["brace"]:
                if not self._stack:
                    break
                self._close()
                if not self._stack:
                    return True
            elif token["word"]:
                word = token["word"].decode("ascii")
                number = int(token["number"]) if token["number"] else None
                if word == "bin" and number:
                    at += max(0, number)
                self._word(word, number)
            elif token["hex"]:
                self._byte(int(token["hex"], 16))
            elif token["symbol"]:
                self._symbol(token["symbol"])
            elif token["text"]:
                self._literal(token["text"])
        self._flush()
        while self._stack:
            self._close()
        return False

    def _open(self) -> None:
        self._flush()
        self._skip = 0
        self._stack.append((self._state, self._sink))
        self._state = replace(self._state)
        self._fresh, self._optional = True, False

    def _close(self) -> None:
        self._flush()
        self._skip = 0
        inner, sink = self._state, self._sink
        self._state, self._sink = self._stack.pop()
        self._fresh = False
        if inner.target != self._state.target:
            text = " ".join("".join(sink.parts).split())
            if inner.target == "title":
                self.title = text
            elif inner.target in _NOTES and text:
                note = f"[{_NOTES[inner.target]}] {text}"
                if note not in self._told:
                    self._told.append(note)

    def _word(self, word: str, number: int | None) -> None:
        state = self._state
        opens, self._fresh = self._fresh, False
        optional, self._optional = self._optional, False
        if word == "u" and number is not None:
            self._unicode(number)
            return
        if self._skip and word not in ("uc", "par", "cell", "row"):
            self._skip -= 1  # a word counts as one character of the fallback
            return
        self._flush()
        if word in _NOTES:
            self._divert(word)
        elif word == "fonttbl":
            self._divert("fonts")
        elif word == "title" and opens:
            self._divert("title")
        elif word == "shptxt":
            state.target, self._sink = "text", self._main
        elif word in _HIDDEN or optional:
            if word == "pntext":
                self._stack[-1][0].listed = True
            self._divert("hidden")
        elif word == "uc":
            state.fallback = max(0, number or 0)
        elif word == "ansicpg" and number:
            self._codepage = _known(f"cp{number}") or ("gb18030" if number == 936 else "cp1252")
        elif word in ("mac", "pc", "pca"):
            self._codepage = {"mac": "mac-roman", "pc": "cp437", "pca": "cp850"}[word]
        elif word == "f":
            state.font = number
        elif word == "fcharset" and state.target == "fonts" and state.font is not None:
            self._fonts[state.font] = _CHARSETS.get(number or 0, "") if number else ""
        elif word == "plain":
            state.font, state.muted = None, False
        elif word == "pard":
            state.in_table = state.listed = False
        elif word == "ls":
            state.listed = True
        elif word in ("v", "deleted"):
            state.muted = number != 0
        elif word in ("intbl", "trowd"):
            self._in_table()
        elif word in ("cell", "nestcell"):
            self._end_cell()
        elif word == "row":
            self._end_row()
        elif word in _SYMBOLS:
            self._put(_SYMBOLS[word])

    def _divert(self, target: str) -> None:
        """Collect what follows in this group apart from the text."""
        if self._state.target != "hidden":
            self._state.target = target
            self._sink = _Sink()

    def _symbol(self, symbol: bytes) -> None:
        self._fresh = False
        if symbol == b"*":
            self._optional = True
            return
        if self._skip:
            self._skip -= 1
            return
        if symbol in b"\\{}":
            self._pending += symbol  # it may be the second byte of a character
            return
        self._flush()
        self._put(_ESCAPES.get(symbol, ""))

    def _literal(self, text: bytes) -> None:
        self._fresh = False
        skipped = min(self._skip, len(text))
        self._skip -= skipped
        self._pending += text[skipped:]

    def _byte(self, value: int) -> None:
        self._fresh = False
        if self._skip:
            self._skip -= 1
        else:
            self._pending.append(value)

    def _unicode(self, number: int) -> None:
        self._flush()
        code = number & 0xFFFF if number < 0 else number
        self._skip = self._state.fallback
        if 0xD800 <= code < 0xDC00:
            self._high = code
            return
        if 0xDC00 <= code < 0xE000 and self._high is not None:
            code = 0x10000 + ((self._high - 0xD800) << 10) + (code - 0xDC00)
        self._high = None
        self._put(chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd")

    def _flush(self) -> None:
        """Decode the bytes collected so far, in the charset of their font."""
        if self._pending:
            charset = self._codepage
            if self._state.font is not None:
                charset = self._fonts.get(self._state.font) or charset
            text = self._pending.decode(charset, "replace")
            self._pending.clear()
            self._put(text)

    def _put(self, text: str) -> None:
        state = self._state
        if state.target in ("hidden", "fonts") or state.muted or not text:
            return
        if state.target == "text":
            if self._rows and not (state.in_table or self._row) and text.strip():
                self._end_table()
            if state.listed and (not self._sink.parts or self._sink.parts[-1].endswith("\n")):
                text = "- " + text if text.strip() else text
        self._sink.parts.append(text)

    def _in_table(self) -> None:
        if self._state.target == "text":
            self._state.in_table = True
            if self._cell_from is None:
                self._cell_from = len(self._main.parts)

    def _end_cell(self) -> None:
        if self._state.target == "text":
            parts = self._main.parts
            start = len(parts) if self._cell_from is None else self._cell_from
            self._row.append("".join(parts[start:]).strip())
            del parts[start:]
            self._cell_from = start

    def _end_row(self) -> None:
        if self._state.target == "text" and self._row:
            self._rows.append(self._row)
            self._row, self._cell_from = [], None

    def _end_table(self) -> None:
        """Write the rows collected so far as a table."""
        if not self._rows:
            return
        rows, self._rows = self._rows, []
        width = max(len(row) for row in rows)
        lines = [markdown_row(row + [""] * (width - len(row))) for row in rows]
        lines.insert(1, "|" + " --- |" * width)
        self._main.parts.append("\n" + "\n".join(lines) + "\n\n")


def _known(charset: str) -> str | None:
    try:
        return codecs.lookup(charset).name
    except LookupError:
        return None
