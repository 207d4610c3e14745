"""The page of a run in a browser: whole, quiet, offline, and proof against its contents."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from made_runs import make_run
from PIL import Image
from typer.testing import CliRunner

from deskgym.cli.main import app
from deskgym.env.run_reader import read_results
from deskgym.env.score_run import score_run
from deskgym.env.trajectory_log import write_scores
from deskgym.tasks.scoring.models import JudgeVerdict

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytest.importorskip("matplotlib", reason="matplotlib is missing: REPORT PAGES WERE NOT TESTED")
CHROMIUM = Path("/usr/bin/chromium")
EPISODES = 72
HOSTILE = (
    "<script>window.hacked = 1</script></script></style></pre></details>"
    '<img src=x onerror="window.hacked = 2"> "><svg onload=window.hacked=3> & &amp; '
    "]]> --> javascript:window.hacked=4 \x00\x01\x1b[31m\x7f\x85\u202e $x^2$ 'quoted' {{7*7}}"
)


def write_page(run: Path, *arguments: str) -> Path:
    out = run / "report.html"
    done = CliRunner().invoke(app, ["report", str(run), str(out), "--html", *arguments])
    assert done.exit_code == 0, done.output + repr(done.exception)
    assert str(out) in done.output
    return out


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run") / "made"
    return make_run(folder, episodes=EPISODES, agents=("bm25", "reader"))


@pytest.fixture(scope="module")
def page_file(run: Path) -> Path:
    return write_page(run)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A headless Chromium; without one nothing can be said of what a page looks like."""
    sync_api = pytest.importorskip(
        "playwright.sync_api", reason="playwright is missing: NO PAGE WAS OPENED IN A BROWSER"
    )
    if not CHROMIUM.exists():
        pytest.skip(f"{CHROMIUM} is missing: NO PAGE WAS OPENED IN A BROWSER")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(CHROMIUM), args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        browser.close()


class Opened:
    """A page that was opened, and all that it complained of or asked the network for."""

    def __init__(self, browser: Browser, file: Path, **context: Any) -> None:
        self._context = browser.new_context(**context)
        self.page: Page = self._context.new_page()
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda m: self.complaints.append(f"{m.type}: {m.text}"))
        self.page.on("pageerror", lambda e: self.complaints.append(str(e)))
        self.page.on("request", lambda r: self._asked(r.url, file))
        self.page.goto(file.as_uri())

    def _asked(self, url: str, file: Path) -> None:
        if url != file.as_uri() and not url.startswith("data:"):
            self.requests.append(url)

    def __enter__(self) -> Opened:
        return self

    def __exit__(self, *_: object) -> None:
        self._context.close()


def test_it_opens_without_a_complaint_and_asks_the_network_for_nothing(
    browser: Browser, page_file: Path
) -> None:
    with Opened(browser, page_file) as opened:
        for details in opened.page.query_selector_all("details"):
            details.evaluate("each => each.open = true")
        opened.page.mouse.wheel(0, 100_000)
        opened.page.wait_for_load_state("networkidle")
        headings = opened.page.locator("h2").all_text_contents()
        assert headings == [
            "Run", "Scores", "Capabilities", "Difficulty", "Evidence", "Diagnosis", "Tools",
            "Time", "Episodes",
        ]  # fmt: skip
        assert opened.page.locator("details.episode").count() == EPISODES
        assert opened.page.locator("img").count() > 0
        assert opened.page.locator("audio").count() > 0
        broken = "[...document.images].filter(i => i.complete && !i.naturalWidth).length"
        assert opened.page.evaluate(broken) == 0
        assert opened.complaints == []
        assert opened.requests == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_chart_shows_its_data_and_its_words(
    browser: Browser, page_file: Path, scheme: str
) -> None:
    with Opened(browser, page_file, color_scheme=scheme) as opened:
        colours = {
            name: opened.page.evaluate(
                "name => getComputedStyle(document.documentElement).getPropertyValue(name)", name
            ).strip()
            for name in ("--card", "--muted", *(f"--c{n}" for n in range(1, 10)))
        }
        charts = opened.page.query_selector_all("figure.chart svg")
        # Two agents, with a chart each but for the curves.
        assert len(charts) == 5 * 2 + 1
        for chart in charts:
            seen = pixels(chart.screenshot())
            total = sum(seen.values())
            data = sum(seen.get(rgb(colours[f"--c{n}"]), 0) for n in range(1, 10))
            assert data > 30, f"no data in {chart.text_content()}"
            assert seen.get(rgb(colours["--muted"]), 0) > 20  # the axes' words
            assert len(seen) > 20
            assert 0.4 * total < seen.get(rgb(colours["--card"]), 0) < 0.99 * total


def pixels(png: bytes) -> dict[tuple[int, int, int], int]:
    """How often each colour stands in a picture."""
    image = Image.open(io.BytesIO(png)).convert("RGB")
    found = image.getcolors(image.width * image.height)
    assert found is not None
    return {colour: count for count, colour in found if isinstance(colour, tuple)}


def rgb(hexadecimal: str) -> tuple[int, int, int]:
    red, green, blue = bytes.fromhex(hexadecimal.removeprefix("#"))
    return red, green, blue


@pytest.mark.parametrize("width", [320, 360, 768])
def test_on_a_narrow_screen_the_page_does_not_scroll_sideways(
    browser: Browser, page_file: Path, width: int
) -> None:
    with Opened(browser, page_file, viewport={"width": width, "height": 700}) as opened:
        opened.page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        assert opened.page.evaluate("document.documentElement.scrollWidth") == width


def test_a_filter_leaves_the_episodes_that_fit_both_as_rows_and_as_details(
    browser: Browser, page_file: Path, run: Path
) -> None:
    results = read_results(run)
    theirs = [r for r in results if r.profile_id == "made/bo"]
    both = [r for r in theirs if r.agent == "reader"]
    assert 0 < len(both) < len(theirs) < len(results)
    with Opened(browser, page_file) as opened:
        rows = opened.page.locator("tr[data-episode]:not([hidden])")
        details = opened.page.locator("details.episode:not([hidden])")
        assert rows.count() == details.count() == len(results)
        opened.page.select_option("select[name=person]", "made/bo")
        assert rows.count() == details.count() == len(theirs)
        opened.page.select_option("select[name=agent]", "reader")
        assert rows.count() == details.count() == len(both)
        assert opened.page.locator("#shown").text_content() == f"{len(both)} shown"
        opened.page.select_option("select[name=person]", "")
        opened.page.select_option("select[name=outcome]", "right")
        assert set(rows.locator(".good").all_text_contents()) == {"✓ right"}
        assert 0 < rows.count() < EPISODES // 2


def test_the_keyboard_reaches_an_episode_and_opens_it(browser: Browser, page_file: Path) -> None:
    with Opened(browser, page_file) as opened:
        opened.page.locator("tr[data-episode] a").first.focus()
        opened.page.keyboard.press("Enter")
        first = opened.page.locator("details.episode").first
        assert first.evaluate("each => each.open")
        assert first.locator("ol.steps > li").count() >= 5


def test_the_button_turns_the_light_off_and_on(browser: Browser, page_file: Path) -> None:
    paper = "getComputedStyle(document.body).backgroundColor"
    with Opened(browser, page_file, color_scheme="light") as opened:
        light = opened.page.evaluate(paper)
        opened.page.click("#theme")
        dark = opened.page.evaluate(paper)
        opened.page.click("#theme")
        assert opened.page.evaluate(paper) == light != dark
    with Opened(browser, page_file, color_scheme="dark") as opened:
        assert opened.page.evaluate(paper) == dark


def test_gold_evidence_is_marked_where_it_was_shown(browser: Browser, page_file: Path) -> None:
    with Opened(browser, page_file) as opened:
        opened.page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        marks = opened.page.locator("li.shows .badge:not(.error)").all_text_contents()
        assert set(marks) == {"gold e1, by locator 1.00", "gold e2, by locator 1.00"}
        assert opened.page.locator("li:not(.shows) .badge:not(.error)").count() == 0
        wrong = opened.page.locator("details.episode", has_text="fabricated evidence, step").first
        assert "✗ exists" in (wrong.locator("ul.cites").text_content() or "")
        assert wrong.locator(".badge.error", has_text="fabricated evidence").count() == 1


def test_what_a_run_holds_is_shown_and_never_obeyed(browser: Browser, tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", episodes=12, agents=(f"agent {HOSTILE[:60]}",))
    shown_in_results = ("question", "answer", "gold_answer", "family", "reason")
    _spoil(run / "results.jsonl", lambda key: key in shown_in_results)
    for log in (run / "episodes").rglob("*.jsonl"):
        _spoil(log, lambda key: key in ("text", "command", "query", "quote", "pattern", "answer"))
    file = write_page(run)
    with Opened(browser, file) as opened:
        page = opened.page
        page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        page.wait_for_load_state("networkidle")
        assert page.evaluate("typeof window.hacked") == "undefined"
        assert page.locator("script").count() == 1
        assert page.locator("style").count() == 1
        attributes = "[...document.querySelectorAll('*')].flatMap(e => e.getAttributeNames())"
        assert [name for name in page.evaluate(attributes) if name.startswith("on")] == []
        sources = "[...document.querySelectorAll('[src]')].map(e => e.getAttribute('src'))"
        assert all(source.startswith("data:") for source in page.evaluate(sources))
        links = "[...document.querySelectorAll('a[href]')].map(e => e.getAttribute('href'))"
        assert all(link.startswith("#") for link in page.evaluate(links))
        visible = HOSTILE.replace("\x00", "\\x00").replace("\x01", "\\x01")
        visible = visible.replace("\x1b", "\\x1b").replace("\x7f", "\\x7f").replace("\x85", "\\x85")
        answers = page.locator("details.episode dl.answers dd").all_text_contents()
        assert visible in answers
        assert visible in page.locator("ol.steps pre").all_text_contents()
        assert page.locator("details.episode").count() == 12
        assert opened.complaints == []
        assert opened.requests == []


def _spoil(file: Path, spoilt: Any) -> None:
    """Put the hostile text in the place of every string of a field that is to be spoilt."""

    def walk(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {name: walk(own, name) for name, own in value.items()}
        if isinstance(value, list):
            return [walk(own, key) for own in value]
        return HOSTILE if isinstance(value, str) and spoilt(key) else value

    lines = [walk(json.loads(line)) for line in file.read_bytes().splitlines()]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="ascii")


def test_of_a_long_run_the_wrong_answers_have_their_steps_and_the_page_says_so(
    run: Path, tmp_path: Path
) -> None:
    out = tmp_path / "few.html"
    done = CliRunner().invoke(app, ["report", str(run), str(out), "--html", "--episodes", "5"])
    assert done.exit_code == 0
    text = out.read_text(encoding="utf-8")
    assert text.count('<details class="episode"') == 5
    assert text.count("<tr data-episode") == EPISODES
    assert "The steps of 5 of the 72 episodes are on this page" in text
    # The wrong ones come first.
    details = text[text.index('<details class="episode"') :]
    assert details.count("✗ wrong") == 5
    assert "The steps of" not in (run / "report.html").read_text(encoding="utf-8")


def test_a_judges_word_is_on_the_page_and_what_it_left_out_is_counted(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", episodes=4, score=lambda agent, number: True)
    scores = list(score_run(run, bleu=False))
    said = JudgeVerdict(
        status="scored", rubric="strict", model="m<1>", correct=False, reason="It is late."
    )
    lost = JudgeVerdict(status="unscored", rubric="strict", model="m<1>", error="no reply")
    write_scores(
        run,
        [
            score.model_copy(update={"judge": verdict, "correct": verdict.correct})
            for score, verdict in zip(scores, (said, said, said, lost), strict=True)
        ],
    )
    text = write_page(run).read_text(encoding="utf-8")
    assert "m&lt;1&gt; (strict), 1 unscored" in text
    assert text.count("<dd>wrong: It is late.</dd>") == 3
    assert text.count("<dd>unscored: no reply</dd>") == 1
    # The wrong ones stand first, then what nobody knows.
    assert text.rindex("It is late.") < text.index("unscored: no reply")


def test_equal_runs_make_equal_pages(run: Path, page_file: Path, tmp_path: Path) -> None:
    before = page_file.read_bytes()
    out = tmp_path / "again.html"
    CliRunner().invoke(app, ["report", str(run), str(out), "--html"])
    assert out.read_bytes() == before


def test_a_run_that_has_just_begun_has_a_page(browser: Browser, tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", episodes=1)
    (run / "results.jsonl").write_bytes(b"")
    with Opened(browser, write_page(run)) as opened:
        assert opened.page.locator("h2").all_text_contents() == ["Run", "Scores", "Episodes"]
        assert "No episode has finished yet" in opened.page.inner_text("#episodes")
        assert opened.complaints == []


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nowhere"], "there is no run in nowhere"),
        (["{run}", "/nowhere/at/all.html", "--html"], "cannot write /nowhere/at/all.html"),
        (["{run}", "page.html"], "goes with --html"),
    ],
)
def test_what_cannot_be_done_is_said(run: Path, arguments: list[str], says: str) -> None:
    argv = ["report", *(own.format(run=run) for own in arguments)]
    done = CliRunner().invoke(app, argv)
    assert done.exit_code != 0
    assert says in done.output + str(done.exception)


def test_a_file_that_cannot_be_finished_leaves_the_old_page(
    run: Path, page_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    before = page_file.read_bytes()
    monkeypatch.setattr("deskgym.report_html.page.closing", full)
    done = CliRunner().invoke(app, ["report", str(run), "--html"])
    assert "No space left on device" in str(done.exception)
    assert page_file.read_bytes() == before
    assert not list(run.glob(".report*"))
