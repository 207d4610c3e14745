"""The parts of a page: charts with their numbers, text made safe, pictures and sounds."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from deskgym.env.trajectory import MediaShown
from deskgym.report_html import charts, media
from deskgym.report_html.escaping import escaped, plain
from deskgym.report_html.figure import ChartsMissing
from deskgym.report_html.page import Section, document

pytest.importorskip("matplotlib", reason="matplotlib is missing: CHARTS WERE NOT TESTED")

EACH = {
    "bars": lambda title: charts.bars(title, ["a", "b"], [0.5, None], intervals=[(0.4, 0.6), None]),
    "stacked": lambda title: charts.stacked(title, ["a", "b"], {"x": [1, 2], "y": [3, 0]}),
    "histogram": lambda title: charts.histogram(title, [1, 2, 2.5, 9], unit="s"),
    "curves": lambda title: charts.curves(title, {"a": [(0, 0), (1, 0.5)]}, "step", "share"),
    "points": lambda title: charts.points(title, [(12.5, 0.5, 0.4, 0.6, 10)], "x", "y"),
}


def cells(figure: str) -> list[list[str]]:
    """The rows of a figure's table."""
    rows = re.findall(r"<tr>(.*?)</tr>", figure)
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]


@pytest.mark.parametrize("kind", EACH)
def test_a_chart_names_itself_and_shares_no_id_with_another(kind: str) -> None:
    one, other = EACH[kind]("One"), EACH[kind]("Other")
    ids = re.findall(r"""\bid=["']([^"']+)""", one + other)
    assert len(set(ids)) == len(ids) > 2
    for pointed in re.findall(r'(?:href="|url\()#([^")]+)', one):
        assert pointed in ids
    assert "<title id='" in one
    assert "<desc id='" in one
    assert 'role="img"' in one
    assert EACH[kind]("One") == one


@pytest.mark.parametrize("kind", EACH)
def test_a_chart_has_the_pages_colours_and_font_and_brings_no_style(kind: str) -> None:
    figure = EACH[kind]("One")
    assert "var(--c1)" in figure
    assert "var(--muted)" in figure
    assert re.findall(r"(?:fill|stroke): #[0-9a-f]+", figure) == []
    for foreign in ("<style", "<metadata", "DejaVu", "xlink", "<?xml", "<!DOCTYPE"):
        assert foreign not in figure


def test_the_numbers_of_a_chart_stand_in_its_table() -> None:
    assert cells(EACH["bars"]("One")) == [
        ["", "value", "low", "high"],
        ["a", "0.500", "0.400", "0.600"],
        ["b", "–", "", ""],
    ]
    assert cells(EACH["stacked"]("One")) == [["", "x", "y"], ["a", "1", "3"], ["b", "2", "0"]]
    assert cells(EACH["points"]("One"))[1] == ["12.5", "0.500", "0.400", "0.600", "10"]
    lines = {"a": [(1.0, 0.0), (2.0, 1.0)], "b": [(2.0, 0.25)]}
    assert cells(charts.curves("C", lines, "step", "share")) == [
        ["step", "a", "b"], ["1", "0", "–"], ["2", "1", "0.250"],
    ]  # fmt: skip


def test_every_value_is_in_one_bin_of_a_histogram() -> None:
    values = [0.0, 1.0, 1.0, 2.0, 10.0]
    rows = cells(charts.histogram("H", values))[1:]
    assert [row[2] for row in rows] == ["3", "1", "0", "0", "1"]
    assert sum(int(row[2]) for row in cells(charts.histogram("H", [3.0] * 7))[1:]) == 7


@pytest.mark.parametrize(
    "label",
    ["<b>&\"'", "$x^2$ and \\frac{1}", "日本語 العربية", "\x00\x1b\udc80", "x" * 500, "", "a\nb"],
)
def test_any_label_can_be_drawn(label: str) -> None:
    figure = charts.bars(label, [label], [1.0])
    figure += charts.curves(label, {label: [(0, 1)], "b": [(0, 2)]}, label, label)
    figure.encode()
    assert "<b>" not in figure
    assert re.search("[\x00-\x08\x0e-\x1f]", figure) is None


@pytest.mark.parametrize(
    "figure",
    [
        charts.bars("Empty", [], []),
        charts.stacked("Empty", [], {}),
        charts.histogram("Empty", []),
        charts.curves("Empty", {"a": []}, "x", "y"),
        charts.points("Empty", [], "x", "y"),
    ],
)
def test_a_chart_of_nothing_says_so(figure: str) -> None:
    assert "Nothing to show" in figure
    assert "<svg" not in figure


def test_lists_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="Mine: 2 labels, 1 values"):
        charts.bars("Mine", ["a", "b"], [1.0])
    with pytest.raises(ValueError, match="Mine: x has 1 values for 2 labels"):
        charts.stacked("Mine", ["a", "b"], {"x": [1.0]})


def test_without_the_library_the_error_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ChartsMissing, match=r"pip install 'deskgym\[report\]'"):
        charts.bars("Mine", ["a"], [1.0])


def test_drawing_leaves_the_librarys_own_settings_alone() -> None:
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    EACH["curves"]("One")
    assert dict(mpl.rcParams) == before


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<a href='x'>&", "&lt;a href=&#x27;x&#x27;&gt;&amp;"),
        ("a\tb\r\nc", "a\tb\nc"),
        ("\x00\x1b[0m\x7f\x9f", "\\x00\\x1b[0m\\x7f\\x9f"),
        ("\udc80\ud83d", "\\udc80\\ud83d"),
        ("\U0001f600 ✓ é", "\U0001f600 ✓ é"),
        ("\ufffe\uffff", "\\ufffe\\uffff"),
    ],
)
def test_text_is_escaped_and_what_no_page_can_hold_is_named(text: str, shown: str) -> None:
    assert escaped(text) == shown
    escaped(text).encode()
    assert plain(plain(text)) == plain(text)


def test_a_document_lets_in_its_own_script_alone() -> None:
    page = document("A & b", [Section("one", "First <1>", "<p>x</p>"), Section("two", "2", "")])
    assert "default-src 'none'" in page
    assert re.search(r"script-src 'sha256-[A-Za-z0-9+/]{43}='", page)
    assert "<title>A &amp; b</title>" in page
    assert '<a href="#one">First &lt;1&gt;</a>' in page
    assert page.index("<p>x</p>") < page.index('id="two"')
    assert "http://" not in page
    assert "https://" not in page


def png(size: tuple[int, int], *, mode: str = "RGB", kind: str = "PNG") -> bytes:
    out = io.BytesIO()
    Image.effect_noise(size, 80).convert(mode).save(out, kind)
    return out.getvalue()


def test_a_small_picture_is_taken_as_it_is() -> None:
    data = png((40, 30))
    assert media.picture(data) == ("image/png", data)


@pytest.mark.parametrize(
    ("size", "mode", "kind"),
    [
        ((1600, 400), "RGB", "PNG"),
        ((700, 700), "RGBA", "PNG"),
        ((300, 900), "L", "JPEG"),
        ((900, 10), "P", "GIF"),
        ((20, 20), "RGB", "BMP"),
        ((20, 20), "CMYK", "TIFF"),
    ],
)
def test_a_large_or_uncommon_picture_is_scaled_to_a_jpeg(
    size: tuple[int, int], mode: str, kind: str
) -> None:
    mime, data = media.picture(png(size, mode=mode, kind=kind))
    image = Image.open(io.BytesIO(data))
    assert (mime, image.format) == ("image/jpeg", "JPEG")
    assert max(image.size) == min(max(size), media.MAX_SIDE)


@pytest.mark.parametrize("data", [b"", b"no picture", png((900, 900))[:5_000]])
def test_a_picture_that_cannot_be_read_is_said_to_be(data: bytes) -> None:
    with pytest.raises(media.NotShown, match="cannot be read"):
        media.picture(data)


@pytest.fixture
def gallery(tmp_path: Path) -> media.Gallery:
    (tmp_path / "media").mkdir()
    (tmp_path / "media" / ("a" * 64)).write_bytes(png((8, 8)))
    (tmp_path / "secret").write_bytes(png((8, 8)))
    return media.Gallery(tmp_path)


def shown(**changes: Any) -> MediaShown:
    fields = {"path": "a.png", "locator": "file", "mime": "image/png", "sha256": "a" * 64}
    return MediaShown(**{**fields, "size": 70, **changes})


@pytest.mark.parametrize(
    ("changes", "has"),
    [
        ({}, '<img alt="a.png file" src="data:image/png;base64,'),
        ({"mime": "audio/mp3"}, '<audio controls preload="none" src="data:audio/mpeg;base64,'),
        ({"mime": "audio/wav", "size": 2_000_000}, "too long a sound"),
        ({"mime": "video/mp4"}, "not of a kind that a page shows"),
        ({"mime": "audio/x-evil;<b>"}, "audio/x-evil;&lt;b&gt;, 70 bytes: not of a kind"),
        ({"sha256": "b" * 64}, "not in the run’s media folder"),
        ({"sha256": "../secret"}, "its name in the log is damaged"),
        ({"path": '"><script>'}, 'alt="&quot;&gt;&lt;script&gt; file"'),
    ],
)
def test_media_are_shown_or_it_is_said_why_not(
    gallery: media.Gallery, changes: dict[str, Any], has: str
) -> None:
    html = gallery.shown([shown(**changes)])
    assert has in html
    assert html.count("<figure>") == 1


def test_a_full_page_takes_no_more_media_and_counts_what_it_left_out(
    gallery: media.Gallery,
) -> None:
    gallery.taken = media.MAX_TOTAL
    assert "the page is full" in gallery.shown([shown(), shown()])
    assert gallery.left_out == 2
    assert gallery.shown([]) == ""
