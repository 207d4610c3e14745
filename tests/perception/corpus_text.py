"""Plain texts of the corpus, and data: each in encodings and layouts as they are met."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

from corpus_case import Case, written
from office_made import ARABIC, CHINESE, HEBREW, KOREAN

_GERMAN = "Größe: 42 m²\r\nMiete: 950 €\r\n"
_JAPANESE = "家賃は毎月三日に払います。\n鍵は二本あります。\n"
_NOTEBOOK = {
    "nbformat": 4, "nbformat_minor": 5,
    "metadata": {"kernelspec": {"name": "python3", "language": "python"}},
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Bills\n", "of 2024"]},
        {"cell_type": "code", "metadata": {}, "execution_count": 1, "source": ["sum([19, 23])"],
         "outputs": [{"output_type": "execute_result", "execution_count": 1, "metadata": {},
                      "data": {"text/plain": ["42"]}}]},
    ],
}  # fmt: skip
_OLD_NOTEBOOK = {
    "nbformat": 3, "nbformat_minor": 0, "metadata": {"name": "alt"},
    "worksheets": [{"cells": [
        {"cell_type": "heading", "level": 1, "source": "Stromzähler"},
        {"cell_type": "code", "language": "python", "input": "print(48213)",
         "outputs": [{"output_type": "stream", "stream": "stdout", "text": "48213\n"}]},
    ]}],
}  # fmt: skip


def _shop(path: Path) -> None:
    with sqlite3.connect(path) as made:
        made.execute("CREATE TABLE bills (id INTEGER PRIMARY KEY, what TEXT, euro REAL)")
        made.executemany("INSERT INTO bills VALUES (?, ?, ?)", [(1, "Gas", 61.5), (2, CHINESE, 7)])
        made.execute("CREATE VIEW dear AS SELECT * FROM bills WHERE euro > 50")
    made.close()


def _utf16_shop(path: Path) -> None:
    made = sqlite3.connect(path, isolation_level=None)
    made.execute("PRAGMA encoding = 'UTF-16le'")
    made.execute("PRAGMA page_size = 1024")
    made.execute("CREATE TABLE 'a b' (k TEXT PRIMARY KEY, v BLOB) WITHOUT ROWID")
    made.execute("INSERT INTO 'a b' VALUES (?, ?)", (KOREAN, b"\0\1\2"))
    made.close()


def _parquet(path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    table = pyarrow.table({"what": ["Gas", CHINESE], "euro": [61.5, 7.0], "n": [1, None]})
    pyarrow.parquet.write_table(table, path)


def _other_parquet(path: Path) -> None:
    from datetime import UTC, datetime

    import pyarrow
    import pyarrow.parquet

    table = pyarrow.table(
        {
            "at": pyarrow.array([datetime(2024, 3, 3, 8, 30, tzinfo=UTC)] * 3),
            "who": pyarrow.array(["Zoë", "Zoë", "Ann"]).dictionary_encode(),
            "tags": [["a", "b"], [], ["c"]],
        }
    )
    pyarrow.parquet.write_table(
        table, path, compression="zstd", version="1.0", row_group_size=2, data_page_version="2.0"
    )


_BIG_JSON = json.dumps({"bills": [{"what": "Gas", "n": n} for n in range(40)]})

CASES = [
    Case("markdown", "readme.md",
         written("# Flat\n\n- two keys\n\n| A | B |\n|---|---|\n| 1 | ½ |\n"),
         ("# Flat", "- two keys", "| 1 | ½ |"),
         info={"mime": "text/markdown", "encoding": "utf-8"}),
    Case("markdown", "hebrew.md", written(f"\ufeff# {HEBREW}\r\n\r\nסוף\r\n"),
         (f"# {HEBREW}\n\nסוף",),
         info={"newline": "crlf"}),
    Case("txt", "utf8.txt", written(f"{CHINESE}\n{ARABIC}\n{KOREAN}\nnaïve 🙂\n"),
         (f"{CHINESE}\n{ARABIC}\n{KOREAN}\nnaïve 🙂\n",), info={"encoding": "utf-8", "lines": 4}),
    Case("txt", "latin.txt", written(_GERMAN, "cp1252"), ("Größe: 42 m²\nMiete: 950 €\n",)),
    Case("txt", "notepad.txt", written("\ufeff" + _GERMAN, "utf-16-le"),
         ("Größe: 42 m²\nMiete: 950 €\n",)),
    Case("txt", "gb18030.txt", written(f"{CHINESE}。\n" * 5, "gb18030"), (f"{CHINESE}。\n" * 5,)),
    Case("txt", "sjis.txt", written(_JAPANESE * 5, "cp932"), (_JAPANESE * 5,)),
    Case("tex", "letter.tex",
         written("\\documentclass{letter}\n\\begin{document}\n$a^2$ owes 5\\,€\n"
                                      "\\end{document}\n"),
         ("\\documentclass{letter}", "$a^2$ owes 5\\,€"), info={"mime": "text/x-tex"}),
    Case("tex", "alt.tex", written("\\usepackage[latin1]{inputenc}\nDie Straße für Müller\n",
         "latin-1"),
         ("[latin1]{inputenc}\nDie Straße für Müller\n",)),
    Case("code", "tool.py", written("# -*- coding: utf-8 -*-\nNAME = 'Zoë'  # 名字\n"),
         ("NAME = 'Zoë'  # 名字\n",), info={"mime": "text/x-python"}),
    Case("code", "app.js", written("'use strict';\r\nconst rent = 950; // €\r\n"),
         ("const rent = 950; // €",), info={"mime": "text/javascript"}),
    Case("code", "main.c", written("/* Müller */\nint main(void) { return 42; }\n", "latin-1"),
         ("/* Müller */\nint main(void) { return 42; }\n",)),
    Case("ipynb", "bills.ipynb", written(json.dumps(_NOTEBOOK)),
         ("[markdown 1]\n# Bills\nof 2024", "[code 2]\nsum([19, 23])", "[output]\n42"),
         info={"cells": 2, "language": "python"}),
    Case("ipynb", "old.ipynb", written(json.dumps(_OLD_NOTEBOOK, indent=1)),
         ("Stromzähler", "print(48213)", "[output]\n48213"), info={"cells": 2}),
    Case("csv", "excel-de.csv", written('Monat;Miete\r\n"März; April";950,50\r\n', "cp1252"),
         ("Monat;Miete", '"März; April";950,50'),
         info={"delimiter": ";", "rows": 2, "columns": 2}),
    Case("csv", "bank.csv", written('\ufeffdate,what\n2024-03-03,"two\nlines, ""quoted"""\n'),
         ('date,what\n2024-03-03,"two\nlines, ""quoted"""',),
         info={"delimiter": ",", "rows": 2, "columns": 2}),
    Case("tsv", "excel.tsv", written("\ufeff名前\t円\r\n山田\t9500\r\n", "utf-16-le"),
         ("名前\t円\n山田\t9500\n",), info={"rows": 2, "columns": 2, "delimiter": "\t"}),
    Case("tsv", "export.tsv", written(f"k\tv\nrent\t{ARABIC}\n"), (f"k\tv\nrent\t{ARABIC}\n",),
         info={"rows": 2, "mime": "text/tab-separated-values"}),
    Case("json", "pretty.json", written(json.dumps({"rent": 950, "who": "Zoë"}, indent=2)),
         ('"rent": 950,', '"who": "Zo\\u00eb"'), info={"mime": "application/json"}),
    Case("json", "minified.json", written(_BIG_JSON), ('      "what": "Gas",\n      "n": 0\n',),
         notes=("minified JSON, shown indented",)),
    Case("jsonl", "log.jsonl", written('{"a": 1}\n{"a": "' + KOREAN + '"}\n'),
         ('{"a": 1}\n{"a": "' + KOREAN + '"}\n',), info={"records": 2}),
    Case("jsonl", "crlf.jsonl", written('\ufeff[1, 2]\r\n\r\n{"b": null}\r\n'),
         ("[1, 2]", '{"b": null}'), info={"records": 2}),
    Case("xml", "note.xml",
         written('<?xml version="1.0" encoding="UTF-16"?>\n<note><to>Zoë</to></note>\n',
                                    "utf-16"),
         ("<note><to>Zoë</to></note>",), info={"root": "note", "mime": "text/xml"}),
    Case("xml", "minified.xml", written("<r>" + "<e k='ä'>1</e>" * 60 + "</r>"),
         ("<r>\n  <e k='ä'>1</e>\n",), notes=("minified XML, shown indented",)),
    Case("yaml", "config.yaml", written("rent: 950\nwho: &z Zoë\nagain: *z\n"),
         ("rent: 950\nwho: &z Zoë\nagain: *z\n",), info={"documents": 1, "mime": "text/yaml"}),
    Case("yaml", "two.yml", written(f"---\n- {CHINESE}\n---\n!!str 3\n..."), (f"- {CHINESE}\n---",),
         info={"documents": 2}),
    Case("sqlite", "shop.sqlite", _shop,
         ("CREATE TABLE bills", "2 rows:", "| id | what | euro |", "| 1 | Gas | 61.5 |",
          f"| 2 | {CHINESE} | 7 |", "## view dear"), info={"tables": {"bills": 2}}),
    Case("sqlite", "phone.db", _utf16_shop, ("## table a b", f"| {KOREAN} | <3 bytes> |"),
         info={"tables": {"a b": 1}, "mime": "application/vnd.sqlite3"}),
    Case("parquet", "bills.parquet", _parquet,
         ("what: string", "euro: double", "2 rows:", "| what | euro | n |", "| Gas | 61.5 | 1 |",
          f"| {CHINESE} | 7 |"), info={"rows": 2, "columns": 3}, by=("package:pyarrow",),
         to_read=("package:pyarrow",)),
    Case("parquet", "spark.parquet", _other_parquet,
         ("at: timestamp", "3 rows:", "2024-03-03", "Zoë", "Ann"), info={"rows": 3},
         by=("package:pyarrow",), to_read=("package:pyarrow",)),
]  # fmt: skip
