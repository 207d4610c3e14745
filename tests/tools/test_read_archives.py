"""Archives: every member listed, bombs and damage refused, nothing unpacked to disk."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import py7zr
import pytest

from deskgym.tools import archives
from deskgym.tools.registry import info, read_text
from deskgym.tools.result import ToolError

WHEN = (2024, 3, 5, 18, 20, 0)
FILES = {"notes/plan.txt": b"Meet at nine.\n", "list.csv": b"day,what\n1,a\n2,b\n"}


def put(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def text_of(path: Path) -> str:
    return read_text(path, max_chars=10_000_000).segments[0].text


def refused(call: Callable[[], object]) -> ToolError:
    with pytest.raises(ToolError) as caught:
        call()
    return caught.value


def zip_bytes(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in files.items():
            packed.writestr(zipfile.ZipInfo(name, WHEN), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def tar_bytes(files: dict[str, bytes], mode: str = "w") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as packed:  # type: ignore[call-overload]
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size, member.mtime = len(data), 1_709_662_800
            packed.addfile(member, io.BytesIO(data))
    return out.getvalue()


def seven_bytes(files: dict[str, bytes], **options: object) -> bytes:
    out = io.BytesIO()
    with py7zr.SevenZipFile(out, "w", **options) as packed:
        for name, data in files.items():
            packed.writef(io.BytesIO(data), name)
    return out.getvalue()


ARCHIVES: dict[str, Callable[[], bytes]] = {
    "a.zip": lambda: zip_bytes(FILES),
    "a.tar": lambda: tar_bytes(FILES),
    "a.tar.gz": lambda: tar_bytes(FILES, "w:gz"),
    "a.tgz": lambda: tar_bytes(FILES, "w:gz"),
    "a.tar.xz": lambda: tar_bytes(FILES, "w:xz"),
    "a.tar.bz2": lambda: tar_bytes(FILES, "w:bz2"),
    "a.7z": lambda: seven_bytes(FILES),
    "named wrongly.zip": lambda: seven_bytes(FILES),
    "without suffix": lambda: tar_bytes(FILES, "w:xz"),
}


@pytest.mark.parametrize("name", ARCHIVES)
def test_members_are_listed_and_read(tmp_path: Path, name: str) -> None:
    path = put(tmp_path / name, ARCHIVES[name]())
    lines = text_of(path).splitlines()
    assert [line.rpartition(", ")[2] for line in lines] == ["notes/plan.txt", "list.csv"]
    assert lines[0].startswith("14 bytes, ")
    assert (info(path)["members"], info(path)["unpacked_size"]) == (2, 31)
    inside = read_text(Path(f"{path}!/notes/plan.txt"))
    assert inside.segments[0].text == "Meet at nine.\n"
    assert (inside.info["mime"], inside.info["size"]) == ("text/plain", 14)
    table = read_text(Path(f"{path}!/list.csv"))
    assert (table.info["mime"], table.info["rows"]) == ("text/csv", 3)
    assert [p.name for p in tmp_path.iterdir()] == [name]


def test_dates_stand_in_the_list(tmp_path: Path) -> None:
    assert "2024-03-05 18:20" in text_of(put(tmp_path / "a.zip", zip_bytes(FILES)))
    assert "2024-03-05 18:20" in text_of(put(tmp_path / "a.tar", tar_bytes(FILES)))


@pytest.mark.parametrize(
    ("name", "pack"),
    [("log.txt.gz", gzip.compress), ("log.txt.bz2", bz2.compress), ("log.txt.xz", lzma.compress)],
)
def test_one_packed_file(tmp_path: Path, name: str, pack: Callable[[bytes], bytes]) -> None:
    path = put(tmp_path / name, pack(b"started\nstopped\n"))
    result = read_text(path)
    assert result.segments[0].text == "16 bytes, no date, log.txt\n"
    assert any("one packed file" in note for note in result.notes)
    assert text_of(Path(f"{path}!/log.txt")) == "started\nstopped\n"


def test_a_tar_file_from_before_the_magic_bytes(tmp_path: Path) -> None:
    header = bytearray(tar_bytes({"old.txt": b"hello"})[:512])
    header[257:265] = bytes(8)
    header[148:156] = b" " * 8
    header[148:156] = f"{sum(header):06o}\0 ".encode()
    path = put(tmp_path / "old", bytes(header) + b"hello".ljust(512, b"\0") + bytes(1024))
    assert info(path)["mime"] == "application/x-tar"
    assert text_of(Path(f"{path}!/old.txt")) == "hello"


def test_a_tar_file_that_begins_with_a_pdf_is_a_tar_file(tmp_path: Path) -> None:
    path = put(tmp_path / "a.tar", tar_bytes({"a.pdf": b"%PDF-1.7\n", "b.txt": b"hello"}))
    assert info(path)["mime"] == "application/x-tar"
    assert text_of(Path(f"{path}!/b.txt")) == "hello"


def test_names_from_other_countries(tmp_path: Path) -> None:
    raw = "报告/三月总结.txt".encode("gb18030")
    data = zip_bytes({"x" * len(raw): b"ok"}).replace(b"x" * len(raw), raw)
    path = put(tmp_path / "a.zip", data)
    assert text_of(path) == "2 bytes, 2024-03-05 18:20, 报告/三月总结.txt\n"
    assert text_of(Path(f"{path}!/报告/三月总结.txt")) == "ok"
    windows = put(tmp_path / "b.zip", zip_bytes({"in\\side.txt": b"yes"}))
    assert text_of(Path(f"{windows}!/in/side.txt")) == "yes"


def test_names_that_lead_out_are_listed_and_refused(tmp_path: Path) -> None:
    names = ["../up.txt", "/etc/passwd", "in/../../up.txt", "C:\\boot.ini"]
    for path in (
        put(tmp_path / "a.zip", zip_bytes(dict.fromkeys(names, b"no"))),
        put(tmp_path / "a.tar", tar_bytes(dict.fromkeys(names, b"no"))),
    ):
        lines = text_of(path).splitlines()
        assert len(lines) == 4
        assert all(line.endswith("(refused: its name leads out of the archive)") for line in lines)
        for name in ("../up.txt", "in/../../up.txt"):
            assert refused(lambda p=path, n=name: read_text(Path(f"{p}!/{n}"))).kind == (
                "outside_profile"
            )


def test_links_are_listed_and_refused(tmp_path: Path) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as packed:
        link = tarfile.TarInfo("secret")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        packed.addfile(link)
        device = tarfile.TarInfo("null")
        device.type = tarfile.CHRTYPE
        packed.addfile(device)
    path = put(tmp_path / "a.tar", out.getvalue())
    assert text_of(path) == (
        "0 bytes, 1970-01-01 00:00, secret (refused: it is a link to /etc/passwd)\n"
        "0 bytes, 1970-01-01 00:00, null (refused: it is a device)\n"
    )
    assert refused(lambda: read_text(Path(f"{path}!/secret"))).kind == "outside_profile"
    member = zipfile.ZipInfo("link", WHEN)
    member.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as zipped:
        zipped.writestr(member, "/etc/passwd")
    zip_path = tmp_path / "a.zip"
    assert "(refused: it is a link)" in text_of(zip_path)
    assert refused(lambda: read_text(Path(f"{zip_path}!/link"))).kind == "outside_profile"


def test_folders_are_no_files(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as packed:
        packed.mkdir("empty")
        packed.writestr("in/b.txt", "x")
    path = tmp_path / "a.zip"
    assert text_of(path).splitlines()[0].endswith("empty/")
    for name in ("in", "empty"):
        kind = refused(lambda n=name: read_text(Path(f"{path}!/{n}"))).kind
        assert kind in ("not_a_file", "not_found")


def test_encrypted_members(tmp_path: Path) -> None:
    data = bytearray(zip_bytes({"a.txt": b"hidden"}))
    for mark, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        data[data.find(mark) + flags] |= 1
    path = put(tmp_path / "a.zip", bytes(data))
    assert text_of(path) == "6 bytes, 2024-03-05 18:20, a.txt (encrypted)\n"
    assert refused(lambda: read_text(Path(f"{path}!/a.txt"))).kind == "encrypted"
    seven = put(tmp_path / "a.7z", seven_bytes({"a.txt": b"hidden"}, password="x"))
    assert text_of(seven).endswith("a.txt (encrypted)\n")
    assert refused(lambda: read_text(Path(f"{seven}!/a.txt"))).kind == "encrypted"
    sealed = seven_bytes({"a.txt": b"hidden"}, password="x", header_encryption=True)
    assert refused(lambda: read_text(put(tmp_path / "b.7z", sealed))).kind == "encrypted"


@pytest.mark.parametrize("name", ["a.zip", "a.tar", "a.tar.gz", "a.tar.xz", "a.tar.bz2", "a.7z"])
def test_truncated_archives_are_corrupt(tmp_path: Path, name: str) -> None:
    whole = ARCHIVES[name]()
    # What is behind a tar file's last member is padding.
    path = put(tmp_path / name, whole[: 1024 + 100 if name == "a.tar" else len(whole) * 2 // 3])
    if name == "a.tar":
        put(path, tar_bytes({"big.bin": bytes(5000)})[:3000])
    error = refused(lambda: read_text(path))
    assert (error.kind, path.name in error.message) == ("corrupt", True)
    assert refused(lambda: read_text(Path(f"{path}!/list.csv"))).kind == "corrupt"


def test_damage_inside_of_a_member(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        packed.writestr("a.txt", b"the sum of this is known")
    path = put(tmp_path / "a.zip", out.getvalue().replace(b"the sum", b"a lie !"))
    assert text_of(path).endswith("a.txt\n")
    assert refused(lambda: read_text(Path(f"{path}!/a.txt"))).kind == "corrupt"


def test_empty_archives_and_empty_members(tmp_path: Path) -> None:
    assert refused(lambda: read_text(put(tmp_path / "0.zip", b""))).kind == "empty"
    none = put(tmp_path / "none.zip", zip_bytes({}))
    assert (read_text(none).segments, info(none)["members"]) == ((), 0)
    error = refused(lambda: read_text(Path(f"{none}!/a")))
    assert (error.kind, error.remedy) == ("not_found", "it has no members")
    hollow = put(tmp_path / "hollow.zip", zip_bytes({"a.txt": b""}))
    assert text_of(hollow) == "0 bytes, 2024-03-05 18:20, a.txt\n"
    assert refused(lambda: read_text(Path(f"{hollow}!/a.txt"))).kind == "empty"


@pytest.mark.parametrize("name", ["a.zip", "a.tar.gz", "a.7z"])
def test_bombs_are_listed_but_not_set_off(tmp_path: Path, name: str) -> None:
    files = {"small.txt": b"hi", "zeros": bytes(30_000_000)}
    made = {
        "a.zip": lambda: zip_bytes(files),
        "a.tar.gz": lambda: tar_bytes(files, "w:gz"),
        "a.7z": lambda: seven_bytes(files),
    }[name]()
    path = put(tmp_path / name, made)
    result = read_text(path)
    assert "30,000,000 bytes" in result.segments[0].text
    assert any("200 times its size" in note for note in result.notes)
    error = refused(lambda: read_text(Path(f"{path}!/small.txt")))
    assert (error.kind, "bomb" in error.message) == ("too_large", True)


def test_a_packed_bomb_is_measured_no_further_than_the_limit(tmp_path: Path) -> None:
    path = put(tmp_path / "zeros.gz", gzip.compress(bytes(30_000_000)))
    assert info(path)["unpacked_size"] == archives.RATIO_FROM + 1
    assert refused(lambda: read_text(Path(f"{path}!/zeros"))).kind == "too_large"


def test_a_member_above_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_MEMBER", 10)
    for name, make in (("a.zip", zip_bytes), ("a.tar", tar_bytes), ("a.7z", seven_bytes)):
        path = put(tmp_path / name, make({"fits": b"0123456789", "not": b"0123456789a"}))
        assert text_of(Path(f"{path}!/fits")) == "0123456789"
        error = refused(lambda p=path: read_text(Path(f"{p}!/not")))
        assert (error.kind, "limit for a member is 10" in error.message) == ("too_large", True)


def test_too_many_members(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_MEMBERS", 3)
    for name, make in (("a.zip", zip_bytes), ("a.tar", tar_bytes), ("a.7z", seven_bytes)):
        path = put(tmp_path / name, make({f"{n}.txt": b"x" for n in range(6)}))
        result = read_text(path)
        assert result.info["members"] == 3
        assert any("only the first 3 members" in note for note in result.notes)
        assert refused(lambda p=path: read_text(Path(f"{p}!/5.txt"))).kind == "not_found"


def test_rar_has_no_reader(tmp_path: Path) -> None:
    path = put(tmp_path / "a.rar", b"Rar!\x1a\x07\0" + bytes(40))
    assert refused(lambda: read_text(path)).kind == "unsupported"
