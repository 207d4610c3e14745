"""Mails, mailboxes, calendars and address cards of the corpus."""

from __future__ import annotations

import quopri
from datetime import datetime
from email.message import EmailMessage
from pathlib import Path

from corpus_case import Case, written
from office_made import ARABIC, CHINESE, KOREAN
from outlook_kit import Tree, binary, container, fixed, old_text, recipient, text


def _chinese_mail() -> bytes:
    """As mail programs in China write: quoted-printable GB18030, folded encoded words."""
    body = quopri.encodestring(f"{CHINESE}。\r\n> 您好\r\n".encode("gb18030"))
    return (
        b"From: =?gb2312?B?" + _base64("张伟", "gb2312") + b"?= <zhang@a.cn>\r\n"
        b"To: li@b.cn\r\nDate: Sun, 3 Mar 2024 16:30:00 +0800\r\n"
        b"Subject: =?GB18030?B?" + _base64("房租三月", "gb18030") + b"?=\r\n"
        b" =?GB18030?B?" + _base64("账单", "gb18030") + b"?=\r\n"
        b"MIME-Version: 1.0\r\nContent-Type: text/plain; charset=GB18030\r\n"
        b"Content-Transfer-Encoding: quoted-printable\r\n\r\n" + body
    )


def _base64(said: str, charset: str) -> bytes:
    import base64

    return base64.b64encode(said.encode(charset))


def attached_mail() -> bytes:
    """By Python: text and HTML, an attachment with a name in Cyrillic, a picture inline."""
    made = EmailMessage()
    made["From"], made["To"] = "Zoë Lang <zoe@a.org>", "ann@b.org"
    made["Date"], made["Subject"] = "Sun, 03 Mar 2024 08:30:00 +0100", "Lease – draft"
    made.set_content("Please sign the lease.\n")
    made.add_alternative("<p>Please <b>sign</b> the lease.</p>", subtype="html")
    made.add_attachment("the code is 4711\n", filename="договор.txt")
    return made.as_bytes()


def _outlook(path: Path) -> None:
    attachment: Tree = {
        **text("3707", "Brief ä.txt"), **binary("3701", b"the code is 4711\n"),
        **fixed(8, n3705=1),
    }  # fmt: skip
    hours = int((datetime(2024, 3, 5, 18) - datetime(1601, 1, 1)).total_seconds())
    path.write_bytes(
        container(
            {
                **text("001A", "IPM.Note"), **text("0037", "Kündigung – Frist"),
                **text("0C1A", "Jürgen Weiß"), **text("5D01", "j@b.org"),
                **text("1000", f"Hallo,\r\nbis 31. März.\r\n{KOREAN}\r\n"),
                **fixed(32, n0039=hours * 10_000_000),
                "__recip_version1.0_#00000000": recipient("Ann", "ann@c.org", 1),
                "__attach_version1.0_#00000000": attachment,
            }
        )
    )  # fmt: skip


def _old_outlook(path: Path) -> None:
    head = "From: Ivan <i@b.org>\r\nTo: c@d.org\r\nDate: Tue, 5 Mar 2024 18:20:00 +0300"
    path.write_bytes(
        container(
            {
                **old_text("001A", "IPM.Note", "cp1251"), **old_text("0037", "Отчёт", "cp1251"),
                **old_text("1000", "Встреча в три", "cp1251"), **old_text("007D", head, "cp1251"),
                **fixed(32, n3FFD=1251),
            }
        )
    )  # fmt: skip


_MBOX = (
    "From ann@a.org Sun Mar  3 08:30:00 2024\nFrom: ann@a.org\nTo: bob@b.org\nSubject: One\n\n"
    "The key is here.\n>From now on it is yours.\n\n"
    "From bob@b.org Sun Mar  3 09:30:00 2024\nFrom: bob@b.org\nSubject: Re: One\n"
    "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n"
    f"> The key is here.\n{CHINESE}\n"
)
_THUNDERBIRD = (
    "From - Sun Mar 03 08:30:00 2024\r\nX-Mozilla-Status: 0001\r\nFrom: a@a.org\r\n"
    "Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\nMIME-Version: 1.0\r\n"
    "Content-Type: text/plain; charset=iso-8859-15\r\nContent-Transfer-Encoding: 8bit\r\n\r\n"
    "950 € Miete\r\n"
).encode("iso-8859-15")


def _calendar(path: Path) -> None:
    """By icalendar: weekly in Berlin over the change to summer time."""
    from zoneinfo import ZoneInfo

    import icalendar

    made = icalendar.Calendar()
    made.add("prodid", "-//test//")
    made.add("version", "2.0")
    event = icalendar.Event()
    event.add("uid", "1")
    event.add("summary", "Chorprobe")
    event.add("location", "Köln")
    event.add("dtstart", datetime(2024, 3, 25, 19, 0, tzinfo=ZoneInfo("Europe/Berlin")))
    event.add("dtend", datetime(2024, 3, 25, 20, 30, tzinfo=ZoneInfo("Europe/Berlin")))
    event.add("rrule", {"freq": "weekly", "count": 3})
    made.add_component(event)
    path.write_bytes(made.to_ical())


_OUTLOOK_ICS = (
    "BEGIN:VCALENDAR\r\nPRODID:-//Microsoft Corporation//Outlook 16.0 MIMEDIR//EN\r\n"
    "VERSION:2.0\r\nMETHOD:REQUEST\r\nBEGIN:VEVENT\r\nUID:x\r\n"
    'DTSTART;TZID="China Standard Time":20240303T083000\r\n'
    'DTEND;TZID="China Standard Time":20240303T093000\r\n'
    f"SUMMARY;LANGUAGE=zh-cn:{CHINESE[:4]}\r\n {CHINESE[4:]}\r\n"
    "ATTENDEE;CN=Zoë;ROLE=REQ-PARTICIPANT:mailto:zoe@a.org\r\n"
    "DESCRIPTION:First line\\nsecond\\, line\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
)
_CARD_3 = (
    "BEGIN:VCARD\r\nVERSION:3.0\r\nN:Lang;Zoë;;;\r\nFN:Zoë Lang\r\n"
    "item1.TEL;type=CELL:+49 221 4711\r\nitem1.X-ABLabel:_$!<Mobile>!$_\r\n"
    f"NOTE:{ARABIC}\r\nBDAY:1990-05-04\r\nEND:VCARD\r\n"
)
_CARD_2 = (
    "BEGIN:VCARD\r\nVERSION:2.1\r\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=E6=9D=8E;=E5=9B=9B\r\n"
    "FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=E6=9D=8E=\r\n=E5=9B=9B\r\n"
    "TEL;CELL:13800004711\r\nEND:VCARD\r\n"
    "BEGIN:VCARD\r\nVERSION:2.1\r\nFN:Ann Lee\r\nEMAIL;INTERNET:ann@b.org\r\nEND:VCARD\r\n"
)

CASES = [
    Case("eml", "qp-gb18030.eml", written(_chinese_mail()),
         ("From: 张伟 <zhang@a.cn>", "Date: Sun, 3 Mar 2024 16:30:00 +0800",
          "Subject: 房租三月账单", f"\n{CHINESE}。\n> 您好\n"), info={"mime": "message/rfc822"}),
    Case("eml", "attached.eml", written(attached_mail()),
         ("From: Zoë Lang <zoe@a.org>", "Subject: Lease – draft", "Please sign the lease.",
          "[attachment: договор.txt, text/plain, 17 bytes]"),
         members={"договор.txt": "the code is 4711\n", "body.html": "Please sign the lease.\n"}),
    Case("msg", "outlook.msg", _outlook,
         ("From: Jürgen Weiß <j@b.org>", "To: Ann <ann@c.org>",
          "Date: Tue, 05 Mar 2024 18:00:00 +0000", "Subject: Kündigung – Frist",
          f"Hallo,\nbis 31. März.\n{KOREAN}", "[attachment: Brief ä.txt,"),
         members={"Brief ä.txt": "the code is 4711\n"},
         info={"mime": "application/vnd.ms-outlook"}),
    Case("msg", "outlook-97.msg", _old_outlook,
         ("From: Ivan <i@b.org>", "Date: Tue, 5 Mar 2024 18:20:00 +0300", "Subject: Отчёт",
          "Встреча в три")),
    Case("mbox", "two.mbox", written(_MBOX),
         ("=== message 1 of 2: 1.eml ===", "Subject: One", "The key is here.\nFrom now on",
          "=== message 2 of 2", "Subject: Re: One", f"> The key is here.\n{CHINESE}"),
         info={"messages": 2, "mime": "application/mbox"}),
    Case("mbox", "Inbox", written(_THUNDERBIRD), ("Subject: Grüße", "950 € Miete"),
         info={"messages": 1, "mime": "application/mbox"}),
    Case("ics", "choir.ics", _calendar,
         ("Chorprobe", "2024-03-25 19:00", "Location: Köln", "2024-04-01 19:00",
          "2024-04-08 19:00"), absent=("2024-04-15",), by=("package:icalendar",),
         info={"mime": "text/calendar"}),
    Case("ics", "outlook.ics", written(_OUTLOOK_ICS),
         (CHINESE, "2024-03-03 08:30", "UTC+08:00", "Zoë", "First line\n", "second, line")),
    Case("vcf", "apple.vcf", written(_CARD_3), ("Zoë Lang", "+49 221 4711", "1990-05-04"),
         info={"mime": "text/vcard"}),
    Case("vcf", "nokia.vcf", written(_CARD_2),
         ("李四", "13800004711", "Ann Lee", "ann@b.org")),
]  # fmt: skip
