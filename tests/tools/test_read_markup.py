"""JSON, tables, HTML, mail, calendars, address cards, and lists of archives."""

from __future__ import annotations

import io
import json
import tarfile
import zipfile
from email.message import EmailMessage
from pathlib import Path

import pytest

from deskgym.tools.data import indented
from deskgym.tools.html import to_text
from deskgym.tools.registry import info, read_text
from deskgym.tools.result import ToolError


def text_of(path: Path) -> str:
    result = read_text(path, max_chars=1_000_000)
    assert [s.locator.partition(":")[0] for s in result.segments] == ["lines"]
    return result.segments[0].text


def put(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_json_stays_as_it_is_written(tmp_path: Path) -> None:
    source = '{"b": 1.10,\n "a": [1, 2]}\n'
    assert text_of(put(tmp_path / "a.json", source)) == source
    assert info(tmp_path / "a.json")["mime"] == "application/json"


def test_minified_json_is_indented_without_loss(tmp_path: Path) -> None:
    items = [{"name": f"item {n}", "note": 'a, "b": {c}', "empty": {}} for n in range(20)]
    source = json.dumps(items, separators=(",", ":"))
    result = read_text(put(tmp_path / "a.json", source))
    assert result.segments[0].text.startswith('[\n  {\n    "name": "item 0",\n')
    assert '"empty": {}' in result.segments[0].text
    assert json.loads(text_of(tmp_path / "a.json")) == items
    assert any("shown indented" in note for note in result.notes)
    assert indented('{"a":1.10,"a":1e400}') == '{\n  "a": 1.10,\n  "a": 1e400\n}\n'


def test_broken_json_is_shown_as_text_with_a_note(tmp_path: Path) -> None:
    result = read_text(put(tmp_path / "a.json", '{"a": 1,\n'))
    assert result.segments[0].text == '{"a": 1,\n'
    assert "text/plain" in result.notes[0]


@pytest.mark.parametrize(
    ("name", "source", "delimiter", "mime"),
    [
        ("a.csv", 'day,what\n1,"a, b"\n2,c\n', ",", "text/csv"),
        ("a.csv", "day;what\n1;a, b\n2;c\n", ";", "text/csv"),
        ("a.tsv", "day\twhat\n1\ta\n2\tc\n", "\t", "text/tab-separated-values"),
        ("nameless", "day,what\n1,b\n2,c\n", ",", "text/csv"),
    ],
)
def test_tables_keep_their_lines(
    tmp_path: Path, name: str, source: str, delimiter: str, mime: str
) -> None:
    path = put(tmp_path / name, source)
    assert text_of(path) == source
    found = info(path)
    assert (found["mime"], found["delimiter"], found["rows"], found["columns"]) == (
        mime,
        delimiter,
        3,
        2,
    )
    assert found["modality"] == "document"


PAGE = """<!DOCTYPE html><html><head><title>Trip</title><style>p {}</style>
<script>alert("no")</script></head><body><h2>Plan &amp; costs</h2>
<p>Meet at <b>nine</b>,
see <a href="https://example.org/map">the map</a> or <a href="mailto:a@b.org">a@b.org</a>.</p>
<ul><li>Boots<li>Tent<ul><li>pegs</ul></ul><ol><li>Go</li><li>Return</li></ol>
<table><tr><th>Item</th><th>Price</th></tr><tr><td>Tent</td><td>90&nbsp;&euro;</td></tr></table>
<img src="x.png" alt="a hill"><pre>a  b
 c</pre><!-- hidden --></body></html>"""


def test_html_becomes_readable_text(tmp_path: Path) -> None:
    assert text_of(put(tmp_path / "a.html", PAGE)) == (
        "Trip\n\n## Plan & costs\n\n"
        "Meet at nine, see the map (https://example.org/map) or a@b.org.\n\n"
        "- Boots\n- Tent\n\n  - pegs\n\n1. Go\n2. Return\n\n"
        "| Item | Price |\n| --- | --- |\n| Tent | 90 € |\n\n"
        "[image: a hill]\n\na  b\n c\n"
    )


def test_layout_tables_become_blocks() -> None:
    source = (
        "<table><tr><td><p>Dear Ann,</p><table><tr><td>a</td><td>b</td></tr></table></td></tr>"
        "<tr><td>Bye</td></tr></table>"
    )
    assert to_text(source) == "Dear Ann,\n\n| a | b |\n| --- | --- |\n\nBye\n".replace(
        "\n\nBye", "\nBye"
    )


def test_broken_html_is_no_reason_to_fail() -> None:
    assert to_text("<table><tr><td>open <b>cell<p>more</table></div></ul>&bogus;") == (
        "open cell\n\nmore\n\n&bogus;\n"
    )


def test_html_in_the_charset_that_it_declares(tmp_path: Path) -> None:
    page = '<html><meta charset="iso-8859-2"><p>Łódź</p></html>'.encode("iso-8859-2")
    assert text_of(put(tmp_path / "a.html", page)) == "Łódź\n"


def message(**more: str) -> EmailMessage:
    made = EmailMessage()
    made["From"] = "Jürgen Weiß <j@example.org>"
    made["To"] = "ann@example.org"
    made["Date"] = "Tue, 05 Mar 2024 18:20:00 +0000"
    made["Subject"] = "Kündigung – Frist"
    for name, value in more.items():
        made[name] = value
    return made


def test_mail_shows_headers_body_and_attachments(tmp_path: Path) -> None:
    made = message(Cc="bob@example.org")
    made.set_content("Hallo Ann,\n\nbis 31. März.\n")
    made.add_alternative("<p>Hallo <b>Ann</b></p>", subtype="html")
    made.add_attachment(b"%PDF-1234", maintype="application", subtype="pdf", filename="Brief ä.pdf")
    result = read_text(put(tmp_path / "a.eml", made.as_bytes()))
    assert result.segments[0].text == (
        "From: Jürgen Weiß <j@example.org>\nTo: ann@example.org\nCc: bob@example.org\n"
        "Date: Tue, 05 Mar 2024 18:20:00 +0000\nSubject: Kündigung – Frist\n\n"
        "Hallo Ann,\n\nbis 31. März.\n\n\n"
        "[attachment: Brief ä.pdf, application/pdf, 9 bytes]\n"
    )
    assert result.info["attachments"] == ["Brief ä.pdf, application/pdf, 9 bytes"]
    assert result.info["mime"] == "message/rfc822"


def test_mail_without_plain_text_is_converted(tmp_path: Path) -> None:
    made = message()
    made.set_content("<h1>Hi</h1><p>See you</p>", subtype="html")
    assert text_of(put(tmp_path / "a.eml", made.as_bytes())).endswith("\n\n# Hi\n\nSee you\n")


def test_mail_in_a_wrongly_declared_charset_is_read_all_the_same(tmp_path: Path) -> None:
    raw = (
        b"From: a@b.org\nTo: c@d.org\nSubject: =?x-unknown?q?caf=E9?=\nMIME-Version: 1.0\n"
        b'Content-Type: text/plain; charset="x-none"\n\nh\xe9llo\n'
    )
    result = read_text(put(tmp_path / "a.eml", raw))
    assert "héllo" in result.segments[0].text
    assert any("read as cp1252" in note for note in result.notes)


def test_a_forwarded_message_is_shown_inside(tmp_path: Path) -> None:
    inner = message()
    inner.set_content("The code is 4711.\n")
    made = message()
    made.set_content("See below.\n")
    made.add_attachment(inner)
    text = text_of(put(tmp_path / "a.eml", made.as_bytes()))
    assert "> Subject: Kündigung – Frist" in text
    assert "> The code is 4711." in text


CALENDAR = """BEGIN:VCALENDAR\r
BEGIN:VTIMEZONE\r
TZID:Europe/London\r
BEGIN:STANDARD\r
DTSTART:19701025T020000\r
END:STANDARD\r
END:VTIMEZONE\r
BEGIN:VEVENT\r
UID:1\r
SUMMARY:Choir\\, upstairs\r
DTSTART;TZID=Europe/London:20250301T090000\r
DTEND;TZID=Europe/London:20250301T103000\r
RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=SA;UNTIL=20250601\r
LOCATION:St Mary's\r
DESCRIPTION:Bring the\r
  folder.\\nPay Ann.\r
ATTENDEE;CN="Lee: Kim";PARTSTAT=ACCEPTED:mailto:kim@example.org\r
BEGIN:VALARM\r
TRIGGER:-PT15M\r
END:VALARM\r
END:VEVENT\r
BEGIN:VTODO\r
SUMMARY:Tax\r
DUE;VALUE=DATE:20250131\r
END:VTODO\r
END:VCALENDAR\r
"""


def test_calendar_events_are_blocks(tmp_path: Path) -> None:
    path = put(tmp_path / "a.ics", CALENDAR)
    blocks, _, occurrences = text_of(path).partition("\n\nRepeating events")
    assert "2025-03-15" in occurrences
    assert blocks + "\n" == (
        "Event: Choir, upstairs\n"
        "Starts: Saturday 2025-03-01 09:00 (Europe/London, UTC+00:00)\n"
        "Ends: Saturday 2025-03-01 10:30 (Europe/London, UTC+00:00)\n"
        "Repeats: every 2 weeks on Saturday, until Sunday 2025-06-01 "
        "(RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=SA;UNTIL=20250601)\n"
        "Location: St Mary's\nDescription: Bring the folder.\nPay Ann.\n"
        "Attendee: Lee: Kim <kim@example.org> (accepted)\nReminder: -PT15M\n\n"
        "Task: Tax\nDue: Friday 2025-01-31\n"
    )
    assert info(path)["events"] == 2


def test_a_calendar_that_breaks_off(tmp_path: Path) -> None:
    cut = CALENDAR[: CALENDAR.index("LOCATION")]
    result = read_text(put(tmp_path / "a.ics", cut))
    assert result.segments[0].text.startswith("Event: Choir, upstairs\n")
    assert "breaks off" in result.notes[0]
    with pytest.raises(ToolError) as caught:
        read_text(put(tmp_path / "b.ics", CALENDAR[:40]))
    assert caught.value.kind == "corrupt"


def test_address_cards_are_blocks(tmp_path: Path) -> None:
    source = (
        "BEGIN:VCARD\nVERSION:3.0\nN:Weiß;Jürgen;;;\nFN:Jürgen Weiß\nORG:Acme;Sales\n"
        "item1.TEL;TYPE=HOME,VOICE:+44 20 1\nEMAIL;TYPE=work:j@example.org\nBDAY:19800229\n"
        "PHOTO;ENCODING=b:AAAA\nNOTE:Likes\\nchess\nEND:VCARD\n"
        "BEGIN:VCARD\nVERSION:2.1\nN:Kim;Lee\nTEL;CELL:123\n"
        "NOTE;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:caf=C3=A9 =\nround the corner\nEND:VCARD\n"
    )
    path = put(tmp_path / "a.vcf", source)
    assert text_of(path) == (
        "Card: Jürgen Weiß\nOrganisation: Acme, Sales\nTelephone (home): +44 20 1\n"
        "E-mail (work): j@example.org\nBirthday: Friday 1980-02-29\nPhoto: (left out)\n"
        "Note: Likes\nchess\n\n"
        "Card: Lee Kim\nTelephone (cell): 123\nNote: café round the corner\n"
    )
    assert info(path)["cards"] == 2


def test_archives_are_listed_not_unpacked(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as packed:
        packed.writestr(zipfile.ZipInfo("in/note.txt", (2024, 3, 5, 18, 20, 0)), "hello")
    assert text_of(tmp_path / "a.zip") == "5 bytes, 2024-03-05 18:20, in/note.txt\n"
    with tarfile.open(tmp_path / "a.tgz", "w:gz") as tar:
        member = tarfile.TarInfo("b.txt")
        member.size = 3
        tar.addfile(member, io.BytesIO(b"abc"))
    assert text_of(tmp_path / "a.tgz") == "3 bytes, 1970-01-01 00:00, b.txt\n"
    with pytest.raises(ToolError) as caught:
        read_text(put(tmp_path / "a.7z", b"7z\xbc\xaf\x27\x1c\0\4" + bytes(40)))
    assert caught.value.kind == "corrupt"
