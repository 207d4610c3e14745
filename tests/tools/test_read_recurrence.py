"""Calendars: repeating events over the window, time zones, overrides; cards of all versions."""

from __future__ import annotations

from pathlib import Path

import pytest

from deskgym.tools.recurrence import MAX_OCCURRENCES, Zones, parse_length, parse_moment
from deskgym.tools.registry import info, read_text
from deskgym.tools.result import ToolError, ToolResult


def calendar(*events: str, head: str = "") -> str:
    blocks = "".join(f"BEGIN:VEVENT\n{event.strip()}\nEND:VEVENT\n" for event in events)
    return f"BEGIN:VCALENDAR\nVERSION:2.0\n{head}{blocks}END:VCALENDAR\n"


def read(folder: Path, source: str, name: str = "a.ics") -> ToolResult:
    path = folder / name
    path.write_text(source, encoding="utf-8")
    return read_text(path, max_chars=1_000_000)


def repeated(folder: Path, source: str) -> list[str]:
    """The lines below the one that states the window."""
    lines = read(folder, source).segments[0].text.rstrip("\n").split("\n")
    [at] = [n for n, line in enumerate(lines) if line.startswith("Repeating events")]
    return lines[at + 1 :]


def test_a_single_event_reads_as_ever(tmp_path: Path) -> None:
    event = "SUMMARY:Review\nDTSTART:20241105T163000\nDTEND:20241105T173000\nLOCATION:Ash room"
    assert read(tmp_path, calendar(event)).segments[0].text == (
        "Event: Review\nStarts: Tuesday 2024-11-05 16:30\nEnds: Tuesday 2024-11-05 17:30\n"
        "Location: Ash room\n"
    )
    assert "occurrences" not in info(tmp_path / "a.ics")


def test_a_rule_is_expanded_in_local_time_over_the_change_of_clocks(tmp_path: Path) -> None:
    event = """
UID:1
SUMMARY:Choir\\, upstairs
DTSTART;TZID=Europe/London:20250315T090000
DTEND;TZID=Europe/London:20250315T103000
RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=SA;UNTIL=20250412
"""
    result = read(tmp_path, calendar(event))
    assert result.segments[0].text == (
        "Event: Choir, upstairs\n"
        "Starts: Saturday 2025-03-15 09:00 (Europe/London, UTC+00:00)\n"
        "Ends: Saturday 2025-03-15 10:30 (Europe/London, UTC+00:00)\n"
        "Repeats: every 2 weeks on Saturday, until Saturday 2025-04-12 "
        "(RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=SA;UNTIL=20250412)\n\n"
        "Repeating events, each time from 2025-03-15 to 2026-03-15:\n"
        "Saturday 2025-03-15 09:00 to 10:30 (Europe/London, UTC+00:00): Choir, upstairs\n"
        "Saturday 2025-03-29 09:00 to 10:30 (Europe/London, UTC+00:00): Choir, upstairs\n"
        "Saturday 2025-04-12 09:00 to 10:30 (Europe/London, UTC+01:00): Choir, upstairs\n"
    )
    assert result.info["occurrences"] == 3


def test_exceptions_additions_and_overrides(tmp_path: Path) -> None:
    master = """
UID:standup
SUMMARY:Stand-up
DTSTART;TZID=America/New_York:20250107T093000
DURATION:PT15M
RRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=6
EXDATE;TZID=America/New_York:20250114T093000
EXDATE:20250121T143000Z
RDATE;TZID=America/New_York:20250123T100000
"""
    moved = """
UID:standup
RECURRENCE-ID;TZID=America/New_York:20250128T093000
SUMMARY:Stand-up, long
DTSTART;TZID=America/New_York:20250129T160000
DTEND;TZID=America/New_York:20250129T170000
"""
    cancelled = """
UID:standup
RECURRENCE-ID;TZID=America/New_York:20250204T093000
SUMMARY:Stand-up
STATUS:CANCELLED
DTSTART;TZID=America/New_York:20250204T093000
"""
    zone = "(America/New_York, UTC-05:00)"
    assert repeated(tmp_path, calendar(master, moved, cancelled)) == [
        f"Tuesday 2025-01-07 09:30 to 09:45 {zone}: Stand-up",
        f"Thursday 2025-01-23 10:00 to 10:15 {zone}: Stand-up",
        f"Wednesday 2025-01-29 16:00 to 17:00 {zone}: Stand-up, long (changed)",
        f"Tuesday 2025-02-04 09:30 {zone}: Stand-up (cancelled)",
        f"Tuesday 2025-02-11 09:30 to 09:45 {zone}: Stand-up",
    ]


def test_whole_days_months_and_floating_times(tmp_path: Path) -> None:
    rent = (
        "UID:r\nSUMMARY:Rent\nDTSTART;VALUE=DATE:20250131\nRRULE:FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=3"
    )
    fair = (
        "UID:f\nSUMMARY:Fair\nDTSTART;VALUE=DATE:20250214\nDTEND;VALUE=DATE:20250217\n"
        "RDATE;VALUE=DATE:20250314"
    )
    late = (
        "UID:l\nSUMMARY:Night\nDTSTART:20250301T230000\nDTEND:20250302T010000\n"
        "RDATE:20250308T230000"
    )
    assert repeated(tmp_path, calendar(rent, fair, late)) == [
        "Friday 2025-01-31: Rent",
        "Friday 2025-02-14 to Sunday 2025-02-16: Fair",
        "Friday 2025-02-28: Rent",
        "Saturday 2025-03-01 23:00 to Sunday 2025-03-02 01:00: Night",
        "Saturday 2025-03-08 23:00 to Sunday 2025-03-09 01:00: Night",
        "Friday 2025-03-14 to Sunday 2025-03-16: Fair",
        "Monday 2025-03-31: Rent",
    ]


def test_the_window_begins_with_the_first_event_and_has_an_end(tmp_path: Path) -> None:
    early = "UID:a\nSUMMARY:First\nDTSTART:20240601T100000"
    yearly = "UID:b\nSUMMARY:Birthday\nDTSTART;VALUE=DATE:20240602\nRRULE:FREQ=YEARLY"
    text = read(tmp_path, calendar(early, yearly)).segments[0].text
    assert "each time from 2024-06-01 to 2025-06-01:\nSunday 2024-06-02: Birthday\n" in text
    assert text.count("Birthday") == 2


def test_there_is_a_limit_to_how_many_are_listed(tmp_path: Path) -> None:
    daily = "UID:{0}\nSUMMARY:{0}\nDTSTART:20250101T0{0}0000\nRRULE:FREQ=DAILY"
    result = read(tmp_path, calendar(daily.format(1), daily.format(2)))
    assert result.info["occurrences"] == MAX_OCCURRENCES == 400
    assert any("the first 400 are listed" in note for note in result.notes)
    assert result.segments[0].text.endswith("Saturday 2025-07-19 02:00: 2\n")


@pytest.mark.parametrize(
    "rule", ["FREQ=SECONDLY", "FREQ=DAILY;BYDAY=XX", "nonsense", "FREQ=DAILY;UNTIL=soon"]
)
def test_rules_that_are_not_expanded_are_noted(tmp_path: Path, rule: str) -> None:
    result = read(tmp_path, calendar(f"SUMMARY:Odd\nDTSTART:20250101T100000\nRRULE:{rule}"))
    assert f"RRULE:{rule}" in result.segments[0].text
    assert any(note.startswith(f"the rule {rule!r} was not expanded") for note in result.notes)
    assert result.info["occurrences"] == 1


def test_a_rule_that_never_comes_true_ends(tmp_path: Path) -> None:
    event = "SUMMARY:Never\nDTSTART:20250101T100000\nRRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"
    assert repeated(tmp_path, calendar(event)) == ["Wednesday 2025-01-01 10:00: Never"]


ODD_ZONE = """BEGIN:VTIMEZONE
TZID:Head office
BEGIN:STANDARD
DTSTART:19701025T030000
RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:19700329T020000
RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
END:DAYLIGHT
END:VTIMEZONE
"""


@pytest.mark.parametrize(
    ("name", "offset"),
    [
        ("Europe/Berlin", "UTC+02:00"),
        ("/freeassociation.sourceforge.net/Europe/Berlin", "UTC+02:00"),
        ("W. Europe Standard Time", "UTC+02:00"),
        ("China Standard Time", "UTC+08:00"),
        ("America/Argentina/Buenos_Aires", "UTC-03:00"),
        ("Head office", "UTC+02:00"),
    ],
)
def test_zones_by_any_name(tmp_path: Path, name: str, offset: str) -> None:
    event = f"SUMMARY:Call\nDTSTART;TZID={name}:20250701T100000"
    text = read(tmp_path, calendar(event, head=ODD_ZONE)).segments[0].text
    assert text == f"Event: Call\nStarts: Tuesday 2025-07-01 10:00 ({name}, {offset})\n"


def test_a_zone_that_nobody_knows(tmp_path: Path) -> None:
    event = "SUMMARY:Call\nDTSTART;TZID=../Mars:20250701T100000\nRRULE:FREQ=DAILY;COUNT=2"
    lines = read(tmp_path, calendar(event)).segments[0].text.splitlines()
    assert lines[1] == "Starts: Tuesday 2025-07-01 10:00 (../Mars)"
    assert lines[-1] == "Wednesday 2025-07-02 10:00 (../Mars): Call"


def test_utc_in_the_zone_that_the_calendar_is_kept_in(tmp_path: Path) -> None:
    event = "SUMMARY:Call\nDTSTART:20250701T200000Z"
    text = read(tmp_path, calendar(event, head="X-WR-TIMEZONE:Asia/Singapore\n")).segments[0].text
    assert "2025-07-01 20:00 UTC (Wednesday 2025-07-02 04:00 Asia/Singapore, UTC+08:00)" in text
    plain = read(tmp_path, calendar(event)).segments[0].text
    assert plain == "Event: Call\nStarts: Tuesday 2025-07-01 20:00 UTC\n"


def test_moments_and_lengths() -> None:
    zones = Zones({})
    for value in ("", "20250230", "20250101T250000", "2025-01-01", "99999999"):
        assert parse_moment(value, "", zones) is None
    leap = parse_moment("20241231T235960Z", "", zones)
    assert leap is not None
    assert (leap.local.isoformat(), leap.offset()) == ("2025-01-01T00:00:00", "UTC+00:00")
    lengths = {"P1W": 604_800, "PT1H30M": 5_400, "P1DT1S": 86_401, "+PT5M": 300}
    for text, seconds in lengths.items():
        found = parse_length(text)
        assert found is not None
        assert found.total_seconds() == seconds
    for text in ("", "P", "1H", "-PT5M", "P99999999999999W"):
        assert parse_length(text) is None


def test_broken_calendars(tmp_path: Path) -> None:
    cut = calendar("SUMMARY:A\nDTSTART:20250101T100000\nRRULE:FREQ=DAILY;COUNT=2").partition(
        "END:VEVENT"
    )
    result = read(tmp_path, cut[0])
    assert any("breaks off" in note for note in result.notes)
    assert result.segments[0].text.endswith("Thursday 2025-01-02 10:00: A\n")
    with pytest.raises(ToolError) as caught:
        read(tmp_path, "BEGIN:VCALENDAR\nVERSION:2.0\n")
    assert caught.value.kind == "corrupt"
    with pytest.raises(ToolError) as caught:
        read(tmp_path, "")
    assert caught.value.kind == "empty"
    odd = calendar("SUMMARY:Far\nDTSTART:99991231T100000\nRRULE:FREQ=DAILY")
    assert read(tmp_path, odd).segments[0].text.startswith("Event: Far\n")


def test_cards_of_version_4(tmp_path: Path) -> None:
    source = (
        "BEGIN:VCARD\nVERSION:4.0\nFN:김민수\nN:김;민수;;;\nBDAY:--0415\n"
        'TEL;VALUE=uri;TYPE="voice,home":tel:+82-2-555\nLANG:ko\nGENDER:M\n'
        "item1.X-ABDATE:20150620\nitem1.X-ABLABEL:_$!<Anniversary>!$_\nEND:VCARD\n"
    )
    assert read(tmp_path, source, "a.vcf").segments[0].text == (
        "Card: 김민수\nBirthday: --0415\nTelephone (home): +82-2-555\nLanguage: ko\nGender: M\n"
        "Date (Anniversary): Saturday 2015-06-20\n"
    )


def test_cards_of_version_2_in_their_charset(tmp_path: Path) -> None:
    name = "".join(f"={byte:02X}" for byte in "王小明".encode("gb18030"))
    source = (
        f"BEGIN:VCARD\nVERSION:2.1\nN;CHARSET=GB18030;ENCODING=QUOTED-PRINTABLE:{name}\n"
        "TEL;CELL;PREF:138\nADR;WORK;ENCODING=QUOTED-PRINTABLE:;;1 Long=20Street;=\nTown;;N1;\n"
        "END:VCARD\n"
    )
    assert read(tmp_path, source, "a.vcf").segments[0].text == (
        "Card: 王小明\nTelephone (cell): 138\nAddress (work): 1 Long Street, Town, N1\n"
    )
