"""Mail in all its parts: bodies, alternatives, attachments, mailboxes, Outlook's files."""

from __future__ import annotations

import base64
import io
import struct
import zipfile
from collections.abc import Callable
from datetime import datetime
from email.message import EmailMessage
from pathlib import Path

import pytest
from outlook_kit import binary, container, fixed, old_text, recipient, text

from deskgym.tools.mail import split_mailbox
from deskgym.tools.mail_parts import decoded_words, safe_name
from deskgym.tools.outlook import unpack_rtf
from deskgym.tools.registry import info, read_image, read_original, read_text
from deskgym.tools.result import ToolError

HEAD = b"From: a@b.org\nTo: c@d.org\nSubject: Hi\nMIME-Version: 1.0\n"
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def put(path: Path, data: bytes | EmailMessage) -> Path:
    path.write_bytes(data if isinstance(data, bytes) else data.as_bytes())
    return path


def text_of(path: Path | str) -> str:
    return read_text(Path(path), max_chars=1_000_000).segments[0].text


def body_of(path: Path) -> str:
    return text_of(path).partition("\n\n")[2]


def refused(call: Callable[[], object]) -> ToolError:
    with pytest.raises(ToolError) as caught:
        call()
    return caught.value


def message(subject: str = "Papers") -> EmailMessage:
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = "a@b.org", "c@d.org", subject
    return made


def test_alternatives_are_both_readable(tmp_path: Path) -> None:
    made = message()
    made.set_content("Meet at nine.\n")
    made.add_alternative("<p>Meet at <b>nine</b>.</p>", subtype="html")
    path = put(tmp_path / "a.eml", made)
    assert body_of(path) == "Meet at nine.\n"
    assert text_of(f"{path}!/body.html") == "Meet at nine.\n"
    assert info(Path(f"{path}!/body.html"))["mime"] == "text/html"
    assert any("body.html" in note for note in read_text(path).notes)


def test_plain_text_that_only_points_to_the_html(tmp_path: Path) -> None:
    made = message()
    made.set_content("Please view this in a browser.\n")
    made.add_alternative(f"<p>{'The price of the flat is 950 a month. ' * 8}</p>", subtype="html")
    body = body_of(put(tmp_path / "a.eml", made))
    assert body.startswith(
        "Please view this in a browser.\n\n[its HTML form says more:]\nThe price"
    )


def test_all_text_parts_are_shown_in_order(tmp_path: Path) -> None:
    raw = HEAD + (
        b'Content-Type: multipart/mixed; boundary="x"\n\n--x\nContent-Type: text/plain\n\nbefore\n'
        b"--x\nContent-Type: application/pdf; name=m.pdf\n\nbytes\n"
        b"--x\nContent-Type: text/plain\n\nafter\n--x--\n"
    )
    path = put(tmp_path / "a.eml", raw)
    assert body_of(path) == "before\nafter\n\n[attachment: m.pdf, application/pdf, 5 bytes]\n"


def test_attachments_are_members(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("in/note.txt", "the code is 4711\n")
    made = message()
    made.set_content("See below.\n")
    made.add_attachment(packed.getvalue(), maintype="application", subtype="zip", filename="p.zip")
    for data in (b"one", b"two"):
        made.add_attachment(data, maintype="text", subtype="plain", filename="list.txt")
    made.add_attachment(b"%PDF-", maintype="application", subtype="pdf")
    path = put(tmp_path / "a.eml", made)
    assert read_text(path).info["attachments"] == [
        f"p.zip, application/zip, {len(packed.getvalue())} bytes",
        "list.txt, text/plain, 3 bytes",
        "list (2).txt, text/plain, 3 bytes",
        "part-4.pdf, application/pdf, 5 bytes",
    ]
    assert text_of(f"{path}!/p.zip!/in/note.txt") == "the code is 4711\n"
    assert [text_of(f"{path}!/{name}") for name in ("list.txt", "list (2).txt")] == ["one", "two"]
    assert read_original(Path(f"{path}!/part-4.pdf")).media[0].data == b"%PDF-"
    assert refused(lambda: text_of(f"{path}!/lits.txt")).remedy.startswith("it holds 'list.txt'")


def test_inline_pictures_are_named_and_shown(tmp_path: Path) -> None:
    made = message()
    made.set_content("<p>Look: <img src='cid:pic'></p>", subtype="html")
    made.add_related(PNG, maintype="image", subtype="png", cid="<pic>")
    path = put(tmp_path / "a.eml", made)
    assert body_of(path) == f"Look:\n\n\n[inline: part-1.png, image/png, {len(PNG)} bytes]\n"
    assert read_image(Path(f"{path}!/part-1.png")).media[0].width == 1


def test_forwarded_messages_are_members(tmp_path: Path) -> None:
    inner = message("Contract")
    inner.set_content("Signed.\n")
    inner.add_attachment(b"signature", maintype="text", subtype="plain", filename="s.txt")
    made = message("Fwd: Contract")
    made.set_content("See below.\n")
    made.add_attachment(inner)
    path = put(tmp_path / "a.eml", made)
    assert "[attachment: forwarded-1.eml, forwarded message, message/rfc822]\n> From:" in text_of(
        path
    )
    assert body_of(Path(f"{path}!/forwarded-1.eml")).startswith("Signed.\n")
    assert text_of(f"{path}!/forwarded-1.eml!/s.txt") == "signature"


def test_a_forwarded_message_in_base64(tmp_path: Path) -> None:
    inner = base64.encodebytes(HEAD + b"\nThe code is 4711.\n")
    raw = HEAD + (
        b'Content-Type: multipart/mixed; boundary="x"\n\n--x\nContent-Type: message/rfc822\n'
        b"Content-Transfer-Encoding: base64\n\n" + inner + b"--x--\n"
    )
    path = put(tmp_path / "a.eml", raw)
    assert "> The code is 4711." in text_of(path)
    assert "The code is 4711." in text_of(f"{path}!/forwarded-1.eml")


@pytest.mark.parametrize(
    ("charset", "codec", "words"),
    [
        ("gb18030", "gb18030", "朱镕基总理 三月报告"),
        ("gb2312", "gb18030", "朱镕基总理"),
        ("iso-2022-jp", "iso-2022-jp", "会議は午後三時です"),
        ("Shift_JIS", "cp932", "①会議"),
        ("koi8-r", "koi8-r", "Встреча в три часа"),
        ("windows-1251", "cp1251", "Встреча"),
        ("ks_c_5601-1987", "cp949", "회의는 세 시 뷁"),
        ("big5", "big5", "會議三點"),
        ("iso-8859-15", "iso-8859-15", "Größe 5 €"),
        ("utf-7", "utf-7", "Größe ä"),
    ],
)
def test_charsets_in_bodies_and_headers(
    tmp_path: Path, charset: str, codec: str, words: str
) -> None:
    word = base64.b64encode(words.encode(codec)).decode()
    raw = (
        f"From: a@b.org\nTo: c@d.org\nSubject: =?{charset}?B?{word}?=\nMIME-Version: 1.0\n"
        f"Content-Type: text/plain; charset={charset}\n"
        f"Content-Transfer-Encoding: base64\n\n{word}\n"
    )
    result = read_text(put(tmp_path / "a.eml", raw.encode()))
    assert result.segments[0].text == (f"From: a@b.org\nTo: c@d.org\nSubject: {words}\n\n{words}\n")
    assert not any("its text was read as" in note for note in result.notes)


def test_encoded_words() -> None:
    cut = "会議".encode()
    first, second = (base64.b64encode(part).decode() for part in (cut[:4], cut[4:]))
    assert decoded_words(f"=?utf-8?B?{first}?= =?UTF-8?b?{second}?= x") == "会議 x"
    assert decoded_words("Re: =?iso-8859-1?Q?Gr=F6=DFe_?= =?utf-8?q?=E2=82=AC?=") == "Re: Größe €"
    assert decoded_words('"=?utf-8*de?q?J=C3=BCrgen?=" <j@b.org>') == '"Jürgen" <j@b.org>'
    assert decoded_words("=?utf-8?B?YQ?= a=?b?= =?x?y?z?=") == "a a=?b?= =?x?y?z?="


@pytest.mark.parametrize(
    ("header", "name"),
    [
        (b"attachment; filename*=utf-8''Br%C3%BCcke%20%E2%82%AC.txt", "Brücke €.txt"),
        (b"attachment; filename*0*=gb18030''%B1%A8; filename*1*=%B8%E6.txt", "报告.txt"),
        (b'attachment; filename="=?utf-8?B?5oql5ZGK?=.txt"', "报告.txt"),
        ('attachment; filename="报告.txt"'.encode(), "报告.txt"),
        (b'attachment; filename="../../etc/x.txt"', ".._.._etc_x.txt"),
        (b'attachment; filename=".."', "part-1.txt"),
    ],
)
def test_names_of_attachments(tmp_path: Path, header: bytes, name: str) -> None:
    raw = HEAD + (
        b'Content-Type: multipart/mixed; boundary="x"\n\n--x\nContent-Type: text/plain\n'
        b"Content-Disposition: " + header + b"\n\ninside\n--x--\n"
    )
    path = put(tmp_path / "a.eml", raw)
    assert f"[attachment: {name}, text/plain, 6 bytes]" in text_of(path)
    assert text_of(f"{path}!/{name}") == "inside"


def test_safe_names() -> None:
    assert safe_name("a/b\\c\0d\n.txt") == "a_b_c_d_.txt"
    assert [safe_name(name) for name in ("", ".", "..", "/", " _ ")] == [""] * 5
    assert len(safe_name("x" * 500 + ".pdf")) == 154
    assert safe_name("x" * 500 + ".pdf").endswith("x.pdf")


def test_headers_in_raw_bytes(tmp_path: Path) -> None:
    raw = "From: Jürgen <a@b.org>\nTo: c@d.org\nSubject: Größe\n\nHallo\n".encode()
    assert text_of(put(tmp_path / "a.eml", raw)) == raw.decode()


def test_quoted_history_is_kept_and_marked(tmp_path: Path) -> None:
    made = message()
    made.set_content(
        "Yes.\n\nOn Monday Ann wrote:\n> Nine?\n>> Ten?\n\n-----Original Message-----\n"
        "From: Ann\nSent: Monday\n\nEleven?\n"
    )
    result = read_text(put(tmp_path / "a.eml", made))
    lines = result.segments[0].text.split("\n")
    quoted = [n for n, line in enumerate(lines, 1) if line in ("> Nine?", ">> Ten?")]
    below = lines.index("-----Original Message-----") + 1
    assert result.info["quoted_lines"] == (
        f"{quoted[0]}-{quoted[1]}, {below}-{below + 2}, {below + 4}"
    )
    assert any("quoted from earlier mail" in note for note in result.notes)


def test_quotations_in_html_are_marked(tmp_path: Path) -> None:
    made = message()
    made.set_content(
        "<p>Yes.</p><blockquote type='cite'><p>Nine?</p><blockquote>Ten?<br>Or not.</blockquote>"
        "</blockquote><p>Bye</p>",
        subtype="html",
    )
    path = put(tmp_path / "a.eml", made)
    assert [line for line in body_of(path).split("\n") if line.strip("> ")] == [
        "Yes.", "> Nine?", ">> Ten?", ">> Or not.", "Bye",
    ]  # fmt: skip


def test_damaged_mails_give_what_is_there(tmp_path: Path) -> None:
    raw = HEAD + (
        b'Content-Type: multipart/mixed; boundary="x"\n\n--x\nContent-Type: text/plain\n\nhello\n'
        b"--x\nContent-Type: application/pdf; name=a.pdf\nContent-Transfer-Encoding: base64\n\nJVB"
    )
    path = put(tmp_path / "a.eml", raw)
    assert body_of(path).startswith("hello\n\n[attachment: a.pdf, application/pdf, ")
    assert refused(lambda: read_text(put(tmp_path / "0.eml", b""))).kind == "empty"
    assert info(put(tmp_path / "b.eml", HEAD + b"\n"))["mime"] == "message/rfc822"
    assert body_of(tmp_path / "b.eml") == "" or "(no text)" in text_of(tmp_path / "b.eml")


def test_a_mailbox(tmp_path: Path) -> None:
    second = message("Second")
    second.set_content("From here on it is easy.\n")
    second.add_attachment(b"inside", maintype="text", subtype="plain", filename="a.txt")
    source = second.as_bytes().replace(b"\nFrom here", b"\n>From here")
    box = (
        b"From a@b.org Tue Mar  5 18:20:00 2024\n" + HEAD + b"\nFirst body\n\n"
        b"From - Tue Mar  5 18:21:00 2024\n" + source + b"\n"
    )
    path = put(tmp_path / "box", box)
    result = read_text(path)
    shown = result.segments[0].text
    assert (result.info["mime"], result.info["messages"]) == ("application/mbox", 2)
    assert shown.startswith("=== message 1 of 2: 1.eml ===\nFrom: a@b.org\n")
    assert "First body\n\n=== message 2 of 2: 2.eml ===\n" in shown
    assert body_of(Path(f"{path}!/2.eml")).startswith("From here on it is easy.\n")
    assert text_of(f"{path}!/2.eml!/a.txt") == "inside"
    assert refused(lambda: text_of(f"{path}!/3.eml")).kind == "not_found"


def test_what_parts_the_messages_of_a_mailbox() -> None:
    box = (
        b"From x 1:00\r\nA: b\r\n\r\nFrom the beginning\r\n\r\n"
        b"From y 2:00\r\nA: c\r\n\r\n>>From z\r\n"
    )
    assert list(split_mailbox(box)) == [
        b"A: b\n\nFrom the beginning\n",
        b"A: c\n\n>From z\n",
    ]
    assert list(split_mailbox(b"no mailbox\n")) == []


SENT = int((datetime(2024, 3, 5, 18) - datetime(1601, 1, 1)).total_seconds()) * 10_000_000


def outlook_tree() -> dict[str, object]:
    inner = (
        text("0037", "Inner") | text("1000", "The code is 4711.\r\n") | fixed(24)
        | text("0C1A", "Bob") | text("5D01", "bob@b.org")
    )  # fmt: skip
    return {
        **text("0037", "Kündigung – Frist"),
        **text("1000", "Hallo,\r\nbis 31. März.\r\n"),
        **text("0C1A", "Jürgen Weiß"),
        **text("5D01", "j@b.org"),
        **binary("1013", "<p>Hallo,<br>bis 31. März.</p>".encode("cp1252")),
        **fixed(32, n0039=SENT, n3FDE=1252),
        "__recip_version1.0_#00000000": recipient("Ann", "ann@c.org", 1),
        "__recip_version1.0_#00000001": recipient("Bea", "bea@c.org", 2),
        "__attach_version1.0_#00000000": text("3707", "Brief ä.txt") | text("370E", "text/plain")
        | binary("3701", b"inside" * 1000) | fixed(8),
        "__attach_version1.0_#00000001": {"__substg1.0_3701000D": inner} | fixed(8),
    }  # fmt: skip


def test_outlook_messages(tmp_path: Path) -> None:
    path = put(tmp_path / "a.msg", container(outlook_tree()))
    result = read_text(path)
    assert result.segments[0].text == (
        "From: Jürgen Weiß <j@b.org>\nTo: Ann <ann@c.org>\nCc: Bea <bea@c.org>\n"
        "Date: Tue, 05 Mar 2024 18:00:00 +0000\nSubject: Kündigung – Frist\n\n"
        "Hallo,\nbis 31. März.\n\n\n"
        "[attachment: Brief ä.txt, text/plain, 6,000 bytes]\n\n"
        "[attachment: forwarded-2.eml, forwarded message, message/rfc822]\n"
        "> From: Bob <bob@b.org>\n> Subject: Inner\n>\n> The code is 4711.\n>\n"
    )
    assert (result.info["mime"], result.info["modality"]) == ("application/vnd.ms-outlook", "text")
    assert text_of(f"{path}!/Brief ä.txt") == "inside" * 1000
    assert "The code is 4711." in text_of(f"{path}!/forwarded-2.eml")
    assert text_of(f"{path}!/body.html") == "Hallo,\nbis 31. März.\n"


def test_outlook_messages_of_old_programs(tmp_path: Path) -> None:
    tree = {
        **old_text("0037", "Отчёт", "cp1251"),
        **old_text("1000", "Встреча в три", "cp1251"),
        **fixed(32, n3FFD=1251),
        **text(
            "007D", "From: Ivan <i@b.org>\r\nTo: c@d.org\r\nDate: Tue, 5 Mar 2024 18:20:00 +0300"
        ),
    }
    assert text_of(put(tmp_path / "a.msg", container(tree))) == (
        "From: Ivan <i@b.org>\nTo: c@d.org\nDate: Tue, 5 Mar 2024 18:20:00 +0300\n"
        "Subject: Отчёт\n\nВстреча в три\n"
    )


def test_compressed_rich_text() -> None:
    # The example of MS-OXRTFCP 3.1: literals, and references into the text before.
    packed = bytes.fromhex(
        "2d0000002b0000004c5a4675f1c5c7a703000a00726370673132354232"
        "0af32068656c090020627705b06c647d0a800fa0"
    )
    assert unpack_rtf(packed) == b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"
    stored = struct.pack("<IIII", 20, 5, 0x414C454D, 0) + b"hello"
    assert unpack_rtf(stored) == b"hello"
    for broken in (b"", packed[:8], packed[:8] + b"none" + packed[12:]):
        with pytest.raises(ValueError, match="rich text"):
            unpack_rtf(broken)


def test_an_outlook_message_in_rich_text_only(tmp_path: Path) -> None:
    source = rb"{\rtf1\ansi Hello \b world\b0}"
    packed = struct.pack("<IIII", len(source) + 12, len(source), 0x414C454D, 0) + source
    tree = {**text("0037", "Hi"), **binary("1009", packed), **fixed(32)}
    path = put(tmp_path / "a.msg", container(tree))
    assert "[attachment: body.rtf, application/rtf" in text_of(path)
    assert "Hello" in text_of(f"{path}!/body.rtf")


def test_damaged_outlook_messages(tmp_path: Path) -> None:
    whole = container(outlook_tree())
    for name, data in (("a.msg", whole[:1500]), ("b.msg", whole[: len(whole) * 2 // 3])):
        assert refused(lambda n=name, d=data: read_text(put(tmp_path / n, d))).kind in (
            "corrupt",
            "unsupported",
        )
    assert refused(lambda: read_text(put(tmp_path / "0.msg", b""))).kind == "empty"
