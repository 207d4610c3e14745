"""Tables of separated values, XML, YAML, JSON a line, and databases."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from office_made import SCRIPTS

from deskgym.tools.registry import info, read_text, sniff
from deskgym.tools.result import ToolError
from deskgym.tools.structured import indented


def put(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def only(path: Path) -> str:
    [segment] = read_text(path, max_chars=1_000_000).segments
    return segment.text


def refused(path: Path) -> ToolError:
    with pytest.raises(ToolError) as caught:
        read_text(path)
    return caught.value


@pytest.mark.parametrize(
    ("source", "delimiter", "rows", "columns"),
    [
        ("day;what;cost\n1;a, b, c, d;9\n2;e, f, g, h;8\n", ";", 3, 3),
        ('a|b\n"x, y|z"|2\n', "|", 2, 2),
        ('a,b\n"one\ntwo; three; four",2\n"it ""was""",3\n', ",", 3, 2),
        ("sep=;\na;b\n1,5;2,5\n", ";", 2, 2),
        ("1,50\t2,50\n3,50\t4,50\n", "\t", 2, 2),
        ("alone\nwords\n", ",", 2, 1),
    ],
)
def test_the_dialect_of_a_table(
    tmp_path: Path, source: str, delimiter: str, rows: int, columns: int
) -> None:
    path = put(tmp_path / "a.csv", source)
    assert only(path) == source
    about = info(path)
    assert (about["delimiter"], about["rows"], about["columns"]) == (delimiter, rows, columns)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("script", SCRIPTS)
def test_every_script_survives(tmp_path: Path, script: str, encoding: str) -> None:
    source = f"no;what\n1;{script}\n"
    path = put(tmp_path / "a.csv", source.encode(encoding))
    assert only(path) == source
    assert (info(path)["encoding"], info(path)["delimiter"]) == (encoding, ";")


OLD_ENCODINGS = {
    "cp949": "월세는 매달 삼일에 냅니다. 감사합니다.",
    "cp932": "家賃は毎月三日までに払います。よろしくお願いします。",
    "euc-jp": "家賃は毎月三日までに払います。よろしくお願いします。",
    "big5": "房租每月五千元，三月三日之前付清。謝謝您的來信",
    "gb18030": "房租每月五千元，三月三日之前付清。谢谢您的来信",
    "cp1251": "Квартплата до третьего числа каждого месяца, спасибо.",
    "koi8-r": "Квартплата до третьего числа каждого месяца, спасибо.",
    "cp1256": "الإيجار الشهري 950 جنيها، شكرا",
    "cp1255": "שכר הדירה לחודש מרץ 950",
    "cp1253": "Το ενοίκιο είναι 950 ευρώ τον μήνα",
    "cp1252": "Der Mietvertrag läuft über fünf Jahre – „fest“, 300 €, à Évian, œuvre",
}


@pytest.mark.parametrize("encoding", OLD_ENCODINGS)
def test_old_encodings_are_told_by_their_bytes(tmp_path: Path, encoding: str) -> None:
    text = f"Mail: x@y.org; No. 7\n{OLD_ENCODINGS[encoding]}\n"
    path = put(tmp_path / "note.txt", text.encode(encoding))
    assert only(path) == text
    assert info(path)["encoding"] == encoding
    assert read_text(path).notes == (f"not UTF-8; read as {encoding}, which is a guess",)


def test_xml_stays_as_it_is_written(tmp_path: Path) -> None:
    source = '<?xml version="1.0" encoding="utf-8"?>\n<!-- a -->\n<rent>\n <sum a="1"/>\n</rent>\n'
    path = put(tmp_path / "a.xml", source)
    assert only(path) == source
    assert read_text(path).notes == ()
    assert (info(path)["root"], info(path)["mime"]) == ("rent", "text/xml")


def test_minified_xml_is_indented_without_loss(tmp_path: Path) -> None:
    row = '<row id="1 > 0"><!-- a > b --><name>rent &amp; heat</name><x/><![CDATA[<raw>]]></row>'
    source = f'<?xml version="1.0"?><rows>{row * 10}</rows>'
    result = read_text(put(tmp_path / "a.xml", source))
    assert result.segments[0].text == (
        '<?xml version="1.0"?>\n<rows>\n'
        + '  <row id="1 > 0">\n    <!-- a > b -->\n    <name>rent &amp; heat</name>\n    <x/>\n'
        "    <![CDATA[<raw>]]>\n  </row>\n" * 10 + "</rows>\n"
    )
    assert any("shown indented" in note for note in result.notes)
    assert indented("<a>x<b>y</b>z</a>") == "<a>x\n  <b>y</b>\n  z\n</a>\n"


def test_xml_in_another_encoding(tmp_path: Path) -> None:
    source = '<?xml version="1.0" encoding="windows-1251"?>\n<a>Привет</a>\n'
    path = put(tmp_path / "a.xml", source.encode("cp1251"))
    assert only(path) == source
    assert (info(path)["encoding"], read_text(path).notes) == ("windows-1251", ())


@pytest.mark.parametrize(
    "declared",
    [
        '<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">',
        '<!ENTITY b SYSTEM "file:///etc/passwd">',
        '<!ENTITY % b "x">',
        f'<!ENTITY b "{"x" * 2000}">',
    ],
)
def test_hostile_xml_is_refused(tmp_path: Path, declared: str) -> None:
    path = put(tmp_path / "a.xml", f'<?xml version="1.0"?><!DOCTYPE a [{declared}]><a>&b;</a>')
    error = refused(path)
    assert error.kind == "corrupt"
    assert "declares the XML entity" in error.message


def test_xml_with_plain_abbreviations_or_mistakes_is_shown(tmp_path: Path) -> None:
    plain = '<!DOCTYPE a [<!ENTITY nbsp "&#160;">]>\n<a>1&nbsp;2</a>\n'
    path = put(tmp_path / "a.xml", plain)
    assert (only(path), read_text(path).notes) == (plain, ())
    torn = read_text(put(tmp_path / "b.xml", "<a>\n<b>\n"))
    assert torn.segments[0].text == "<a>\n<b>\n"
    assert torn.notes == ("not well-formed XML: no element found: line 3, column 0",)


def test_yaml_is_shown_and_checked_but_never_built(tmp_path: Path) -> None:
    fine = "a: &x [1, 2]\nb: *x\n---\nc: !!python/object/apply:os.getcwd []\n"
    path = put(tmp_path / "a.yaml", fine)
    assert (only(path), read_text(path).notes) == (fine, ())
    assert info(path)["documents"] == 2
    broken = read_text(put(tmp_path / "b.yml", "a: 1\nb: [2\nc: 3\n"))
    assert broken.segments[0].text == "a: 1\nb: [2\nc: 3\n"
    assert broken.notes[0].startswith("not valid YAML (line 3: ")


def test_lines_of_json_are_counted_and_checked(tmp_path: Path) -> None:
    source = '{"a": 1}\n\n[2]\n{"b":\n3\n'
    result = read_text(put(tmp_path / "a.jsonl", source))
    assert (result.segments[0].text, result.info["records"]) == (source, 4)
    assert result.notes == ("no JSON on line 4",)


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    path = tmp_path / "led?er#1.sqlite"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE rent (month TEXT, sum REAL, scan BLOB, note)")
        rows = [("2024-03", 950.0, b"\0\1\2", script) for script in SCRIPTS]
        database.executemany("INSERT INTO rent VALUES (?, ?, ?, ?)", rows)
        database.execute('CREATE TABLE "odd "" name" (n INTEGER)')
        database.executemany('INSERT INTO "odd "" name" VALUES (?)', [(n,) for n in range(300)])
        database.execute("CREATE VIEW endless AS WITH RECURSIVE x(n) AS "
                         "(SELECT 1 UNION ALL SELECT n FROM x) SELECT n FROM x")  # fmt: skip
        database.execute("CREATE TABLE long (t)")
        database.execute("INSERT INTO long VALUES (?)", ("y" * 1000,))
    database.close()
    return path


def test_a_database_gives_schema_and_first_rows(ledger: Path) -> None:
    text = only(ledger)
    assert text.startswith(
        "## table rent\nCREATE TABLE rent (month TEXT, sum REAL, scan BLOB, note)\n\n4 rows:\n"
        "| month | sum | scan | note |\n| --- | --- | --- | --- |\n"
        f"| 2024-03 | 950 | <3 bytes> | {SCRIPTS[0]} |\n"
    )
    assert '## table odd " name\n' in text
    assert "300 rows, the first 200:\n| n |\n| --- |\n| 0 |\n" in text
    assert "| 199 |\n" in text
    assert "| 200 |\n" not in text
    assert "## view endless\n" in text
    assert f"| {'y' * 300}... (1,000 characters) |\n" in text
    assert info(ledger)["tables"] == {"rent": 4, 'odd " name': 300, "long": 1}
    assert sorted(p.name for p in ledger.parent.iterdir()) == [ledger.name]


def test_a_log_beside_a_database_is_named(ledger: Path) -> None:
    put(ledger.with_name(ledger.name + "-wal"), b"x")
    assert any("which is not read" in note for note in read_text(ledger).notes)


def test_broken_databases(ledger: Path, tmp_path: Path) -> None:
    whole = ledger.read_bytes()
    assert refused(put(tmp_path / "a.db", whole[:5000])).kind == "corrupt"
    assert refused(put(tmp_path / "b.db", whole[:100])).kind == "corrupt"
    noise = whole[:100] + bytes(n % 251 for n in range(len(whole) - 100))
    assert refused(put(tmp_path / "c.db", noise)).kind == "corrupt"
    assert sniff(put(tmp_path / "d.txt", whole)).family == "sqlite"


def test_a_database_that_takes_too_long_is_given_up(
    ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deskgym.tools.databases._STEPS", 10)
    monkeypatch.setattr("deskgym.tools.databases._MAX_LOOKS", 3)
    assert refused(ledger).kind == "too_large"


def test_a_column_file_gives_schema_and_first_rows(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is missing: parquet is not tested")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pyarrow.table({"month": ["2024-03"] * 250, "sum": [950.5] * 250})
    parquet.write_table(table, tmp_path / "a.parquet")
    assert only(tmp_path / "a.parquet").startswith(
        "month: string\nsum: double\n\n250 rows, the first 200:\n"
        "| month | sum |\n| --- | --- |\n| 2024-03 | 950.5 |\n"
    )
    about = info(tmp_path / "a.parquet")
    assert (about["rows"], about["columns"]) == (250, 2)
    whole = (tmp_path / "a.parquet").read_bytes()
    assert refused(put(tmp_path / "b.parquet", whole[:-20])).kind == "corrupt"
    assert refused(put(tmp_path / "c.parquet", b"PAR1" + whole[4:-200] + b"PAR1")).kind == "corrupt"


def test_without_pyarrow_a_column_file_needs_to_be_prepared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    error = refused(put(tmp_path / "a.parquet", b"PAR1" + bytes(20) + b"PAR1"))
    assert (error.kind, error.remedy) == ("unsupported", "run: deskgym prepare ID")
