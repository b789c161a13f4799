"""The page of a run: what it says, that it needs nothing else, and that it works in a browser."""

import re
import shutil
import subprocess
import sys
from html import escape, unescape
from html.parser import HTMLParser
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import BROKEN, CLEAR, COUNTED, EVEN, MINES, TINY, failed, replace, run_of, said, shared_corpus

from benchmarks import compare
from benchmarks import missed as choosing
from benchmarks import page as templates
from benchmarks.corpus import Corpus
from benchmarks.metrics import scores
from benchmarks.missed import KINDS, choose, draw, missed_positions
from benchmarks.page import Table, breakable
from benchmarks.records import Run
from benchmarks.report import report
from solvers import Unsupported

ENTRIES = (CLEAR, EVEN, COUNTED, MINES)
LAZY = [
    said(entry, "partial", entry.local_answer.safe, entry.local_answer.mines, solver="single", question=question)
    for entry in ENTRIES
    for question in ("local", "global")
]
HONEST = run_of(*LAZY, said(BROKEN, "inconsistent", solver="single"))
LYING = run_of(
    said(CLEAR, "complete", (1, 2, 99), (4,), solver="liar"),
    said(COUNTED, "partial", solver="<b>shy</b>"),
    failed(MINES, "timeout", "over 5 s", solver="liar"),
    failed(EVEN, "error", "<script>alert(1)</script>", solver="<b>shy</b>"),
)
SIX = run_of(
    *(said(entry, "partial", solver=solver) for entry in ENTRIES[:3] for solver in ("one", "two")),
    corpus=Corpus("tiny", ENTRIES[:3]),
)
FRAME = pd.DataFrame(
    {"Strategy": list("abcdefg"), "Safe %": ["1,037", ">99.9", "–", "0.07", "97.1 [96.0, 98.0]", "<0.1", "99.9"]}
)


@pytest.fixture(scope="module")
def plain():
    """Without figures, and with a table that is known instead of the statistics: makes the page, quickly."""
    figures = SimpleNamespace(all_figures=lambda run, judged: {}, svg_text=str)
    statistics = lambda run, judged: {"Known numbers": FRAME}  # noqa: E731

    def page(run, **how):
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(sys.modules, "benchmarks.plots", figures)
            patch.setattr("benchmarks.stats.statistics_tables", statistics)
            return report(run, **how)

    return page


@pytest.fixture(scope="module")
def honest(plain):
    return plain(HONEST)


@pytest.fixture(scope="module")
def lying(plain):
    return plain(LYING)


class Elements(HTMLParser):
    """Every element that begins, and whether each that must end does."""

    def __init__(self, page):
        super().__init__()
        self.begun, self.open = [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.begun.append((tag, dict(attributes)))
        if tag not in ("meta", "link", "img", "br", "hr", "input"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.begun.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def text_of(page):
    return unescape(re.sub(r"<[^>]+>", " ", re.sub(r"(?s)<(style|script)>.*?</\1>", "", page)))


def test_soundness_comes_first(plain, honest, lying):
    assert '<p id="verdict" class="sound">No wrong claim in 9 answers.</p>' in honest
    assert '<p id="verdict" class="wrong">WRONG CLAIMS in 1 of 2 answers: liar 1.</p>' in lying
    assert lying.index("Wrong claims, 1 of 1") < lying.index('<section id="headline">')
    assert "not entailed: safe [2, 99], mines [4]" in text_of(lying)
    assert "Wrong claims" not in text_of(honest)
    unanswered = plain(run_of(failed(CLEAR)))
    assert '<p id="verdict" class="unknown">' in unanswered


def test_an_unfinished_run_says_so_at_once(plain, lying):
    assert "1 question, 6 records. Started" in text_of(plain(SIX))
    assert "1 question, 4 records of 10: the run is not finished. Started" in text_of(lying)
    unstarted = plain(replace(SIX, records=[]))
    assert "0 records of 6: the run is not finished" in text_of(unstarted)
    assert 'class="unknown"' in unstarted
    assert "Missed positions" not in unstarted


def test_a_page_is_well_formed_and_has_all_of_the_run(plain, honest, lying):
    for run, page in ((HONEST, honest), (LYING, lying), (run_of(), plain(run_of()))):
        parsed = Elements(page)
        assert parsed.open == []
        ids = [attributes["id"] for _, attributes in parsed.begun if "id" in attributes]
        assert len(ids) == len(set(ids))
        assert {a["href"][1:] for tag, a in parsed.begun if tag == "a"} <= set(ids)
        text = text_of(page)
        for part in ("Notes", "commit abc", TINY.hash[:16], "sapper bench", "Settings and machine"):
            assert part in text
        assert ("Known numbers" in text) == bool(run.records)
    assert re.search(r"repeats\s+1\s", text_of(honest))
    assert "Safe cells found, % (local)" in honest


def test_it_needs_nothing_from_anywhere(lying):
    for tag, attributes in Elements(lying).begun:
        assert tag not in ("link", "img", "iframe", "object")
        assert "src" not in attributes
        assert attributes.get("href", "#").startswith("#")
    outside = set(re.findall(r"\w+://[^\s\"'<]+", lying))
    assert outside == {"http://www.w3.org/2000/svg"}
    assert "@import" not in lying
    assert "url(" not in lying
    assert "default-src 'none'" in lying


def test_the_same_run_gives_the_same_bytes(plain, lying, tmp_path):
    assert lying == plain(Run(LYING.header, list(LYING.records), LYING.corpora, tmp_path))


def test_what_a_solver_says_is_text(lying):
    assert "<script>alert" not in lying
    assert "<b>shy" not in lying
    assert "<b>shy</b>" in text_of(lying.replace("&lt;b&gt;shy&lt;/b&gt;", "&lt;b>shy&lt;/b>"))
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in lying


@given(st.text())
def test_breaks_leave_the_text_alone_and_no_word_long(text):
    broken = str(breakable(text))
    assert unescape(broken.replace("<wbr>", "")) == unescape(str(escape(text)))
    assert all(len(unescape(word)) <= 21 for word in re.split(r"<wbr>|\s", broken))


def missed_of(run, limit=20):
    return {missed.solver: missed for missed in missed_positions(run, scores(run), limit)}


def test_what_was_missed_is_counted_by_hand():
    lazy = missed_of(HONEST)["single"]
    # counted and mines, asked with the mine count, hold more than the clues entail
    assert (lazy.total, lazy.asked, lazy.unsupported) == (2, 9, 0)
    assert [head for head, _ in lazy.counts.heads] == ["Corpus", "Asked", "Missed", "Global", "Incomplete"]
    assert lazy.counts.rows == (("tiny", "9", "2", "2", "2"),)
    assert lazy.counts.caption == "Missed, by corpus; a position counts twice, as a local and as a global question"
    one = replace(HONEST, header={**HONEST.header, "questions": ["global"]})
    assert missed_of(one)["single"].counts.caption == "Missed, by corpus"
    assert [(s.entry, s.question, s.kind, s.found) for s in lazy.shown] == [
        ("counted", "global", "incomplete", "0 of 2 entailed cells found"),
        ("mines", "global", "incomplete", "1 of 2 entailed cells found"),
    ]
    lying = missed_of(LYING)
    assert [(s.entry, s.kind) for s in lying["liar"].shown] == [("clear", "wrong"), ("mines", "timeout")]
    assert [(s.entry, s.kind) for s in lying["<b>shy</b>"].shown] == [("even", "error"), ("counted", "incomplete")]
    facts = dict(lying["liar"].shown[1].facts)
    assert facts["Message"] == "over 5 s"
    assert (facts["Outcome"], facts["Status"], facts["Solve µs"]) == ("timeout", "none", "9,000")


def test_a_question_that_is_not_taken_is_not_missed():
    run = run_of(failed(CLEAR, "unsupported", solver="picky"), said(EVEN, "partial", solver="picky"))
    missed = missed_of(run)["picky"]
    assert (missed.total, missed.asked, missed.unsupported, missed.counts, missed.shown) == (0, 1, 1, None, ())


def test_an_inconsistency_that_is_not_seen_is_missed():
    missed = missed_of(run_of(said(BROKEN, "partial")))["one"]
    assert [(s.kind, s.found) for s in missed.shown] == [("incomplete", "there is no model")]


places = st.tuples(st.sampled_from(KINDS), st.sampled_from("abcd"), st.sampled_from(["local", "global"]))


@pytest.mark.slow
@given(st.lists(places, max_size=60), st.integers(0, 30))
def test_the_chosen_are_the_worst_and_spread(rows, limit):
    frame = pd.DataFrame(rows, columns=["kind", "corpus", "question"])
    frame["kind"] = pd.Categorical(frame["kind"], KINDS, ordered=True)
    frame = frame.sort_values(["corpus", "question"], kind="stable", ignore_index=True)
    chosen = choose(frame, limit)
    assert len(chosen) == min(limit, len(frame))
    assert chosen.index.is_unique
    assert chosen["kind"].is_monotonic_increasing
    left = frame.drop(chosen.index)
    if len(chosen) and len(left):
        assert chosen["kind"].cat.codes.max() <= left["kind"].cat.codes.min()
    for _, group in chosen.groupby("kind", observed=True):
        counts = group.groupby(["corpus", "question"]).size()
        # nobody has two more than one who still has some to show
        for place, rest in left[left["kind"] == group["kind"].iat[0]].groupby(["corpus", "question"]):
            assert len(rest)
            assert counts.max() - counts.get(place, 0) <= 1


def test_a_drawing_tells_found_missed_and_false_apart():
    lie = draw(said(CLEAR, "complete", (1, 2, 99), (4,)), CLEAR)
    assert "Marked: 1 safe found, 2 safe missed, 1 safe falsely claimed, 1 mine falsely claimed." in lie
    assert "Marked: 2 safe found, 1 safe missed." in draw(said(CLEAR, "partial", (1, 4)), CLEAR)
    assert "Marked: 1 safe found." in draw(said(BROKEN, "partial", (1,)), BROKEN)
    assert "Marked: 1 mine found, 1 mine missed." in draw(said(MINES, "partial", (), (1,)), MINES)
    assert "Marked: 1 mine found." in draw(said(MINES, "partial", (), (1,), question="local"), MINES)


def test_the_command_asks_the_same_again():
    shown = missed_of(HONEST)["single"].shown[1]
    first, *rows = shown.command.splitlines()
    assert first == "sapper solve - --mines 2 --solver single <<'END'"
    assert rows == [*MINES.position.rows(), "END"]
    words = [sys.executable, "-m", "benchmarks", *first.split()[1:-1]]
    done = subprocess.run(words, input="\n".join(rows[:-1]), capture_output=True, text=True, check=True)
    assert "partial: 0 safe, 1 mine, 1 not settled" in done.stdout
    own = missed_of(LYING)["liar"].shown[0].command.splitlines()[0]
    assert own == "sapper solve - --mines 1 <<'END'"
    local = missed_of(run_of(said(CLEAR, "partial", question="local")))["one"].shown[0]
    assert local.command.startswith("sapper solve - <<'END'\n")


def test_the_limit_holds_and_large_boards_stay_text(plain, monkeypatch):
    assert plain(HONEST, limit=1).count("<details") == 1
    assert plain(HONEST, limit=0).count("<details") == 0
    with pytest.raises(ValueError, match="at least 0, not -1"):
        report(HONEST, limit=-1)
    monkeypatch.setattr(choosing, "DRAWN_BYTES", len(missed_of(HONEST)["single"].shown[0].svg))
    page = plain(HONEST)
    assert page.count("too large to be drawn here") == 1
    assert page.count("<details") == 2


def test_a_missing_library_is_named(plain, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    templates._environment.cache_clear()
    with pytest.raises(Unsupported, match=r"jinja2: pip install 'sapper\[report\]'"):
        plain(HONEST)


def test_columns_of_numbers():
    assert Table.of("", FRAME).heads == (("Strategy", False), ("Safe %", True))
    words = pd.DataFrame({"What": ["9 rows x 9 columns"], "Hash": ["123abc"], "None": ["–"], "Solved": ["0 : 203"]})
    assert [numeric for _, numeric in Table.of("", words).heads] == [False, False, True, True]


@pytest.fixture(scope="module")
def measured():
    """A small run, and its page with the real statistics and figures."""
    for needed in ("scipy", "matplotlib"):
        pytest.importorskip(needed)
    run = compare(["single", "sat"], [shared_corpus(f"{level}-random", 6) for level in ("beginner", "expert")])
    return run, report(run)


@pytest.mark.slow
def test_with_real_statistics_and_figures(measured):
    run, page = measured
    assert Elements(page).open == []
    assert '<section id="statistics">' in page
    assert page.count("<figure ") >= 2
    assert page == report(run)


@pytest.fixture(scope="module")
def browser():
    """Chromium; it is stopped with the last test of this file, so that no event loop outlives it."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium is not installed")
    arguments = (
        "--headless=new --no-sandbox --disable-gpu --disable-background-networking --disable-component-update "
        "--disable-sync --no-first-run"
    )
    with api.sync_playwright() as started:
        running = started.chromium.launch(executable_path=chromium, args=arguments.split())
        yield running
        running.close()


@pytest.fixture
def opened(browser, tmp_path):
    """Opens a page and fails if it complains or asks for anything but itself."""
    complaints, requests = [], []
    context = browser.new_context()
    page = context.new_page()
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))

    def show(html, **media):
        file = tmp_path / "report.html"
        file.write_text(html, encoding="utf-8")
        page.goto(file.as_uri())
        return page

    yield show
    context.close()
    assert complaints == []
    assert requests
    assert all(url.startswith("file://") for url in requests)


def test_a_table_sorts_and_a_position_opens(opened, lying):
    page = opened(lying)
    table = page.locator("#statistics table")
    strategies = table.locator("tbody td:first-child")
    number = table.locator("thead th").nth(1)
    assert strategies.all_text_contents() == list("abcdefg")
    number.locator("button").click()
    assert number.get_attribute("aria-sort") == "ascending"
    assert strategies.all_text_contents() == list("dfegbac")
    number.locator("button").press("Enter")  # it holds the focus
    assert number.get_attribute("aria-sort") == "descending"
    assert strategies.all_text_contents() == list("abgefdc")  # what is missing stays last
    table.locator("thead button").first.click()
    assert number.get_attribute("aria-sort") is None
    assert strategies.all_text_contents() == list("abcdefg")
    table.locator("thead button").first.click()
    assert strategies.all_text_contents() == list("gfedcba")
    table.locator("thead button").first.click()
    assert table.locator("[aria-sort]").count() == 0

    position = page.locator("details.position").first
    board = position.locator(".board svg")
    assert not board.is_visible()
    position.locator("summary").click()
    assert board.is_visible()
    assert board.bounding_box()["width"] > 60
    assert position.locator("pre").text_content().startswith("sapper solve - --mines 1 <<'END'\n0###\n")


def test_dark_and_narrow(opened, lying):
    page = opened(lying)
    colours = {}
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        colours[scheme] = page.evaluate(
            "[getComputedStyle(document.body).backgroundColor,"
            " getComputedStyle(document.querySelector('.marks path')).stroke]"
        )
    assert colours["light"] == ["rgb(255, 255, 255)", "rgb(195, 195, 198)"]
    assert colours["dark"] == ["rgb(19, 20, 23)", "rgb(86, 91, 100)"]
    page.set_viewport_size({"width": 400, "height": 800})
    page.evaluate("document.querySelectorAll('details').forEach(it => { it.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") == 400


def test_long_names_do_not_overlap(opened, plain):
    names = ["x" * 70, *(f"sat:encoding=totalizer,oracle=glucose4,deepest_search={n},seed=20260101" for n in range(6))]
    page = opened(plain(run_of(*(said(CLEAR, "partial", (1,), solver=name) for name in names))))
    outside = page.locator("th, td").evaluate_all("""cells => cells.map(cell => {
        const text = document.createRange();
        text.selectNodeContents(cell);
        const [box, its] = [cell, text].map(one => one.getBoundingClientRect());
        return its.width && Math.max(box.left - its.left, its.right - box.right);
    })""")
    assert len(outside) > 100
    assert max(outside) <= 0
    assert page.locator("#headline td:first-child").all_text_contents() == names


def test_a_measured_run_in_a_browser(opened, measured):
    page = opened(measured[1])
    first = page.locator("#headline table")
    heads = first.locator("thead th").all_text_contents()
    column = first.locator(f"tbody td:nth-child({heads.index('Median µs') + 1})")
    first.locator("thead button").nth(heads.index("Median µs")).click()
    values = [float(text.replace(",", "")) for text in column.all_text_contents()]
    assert values == sorted(values)
    assert len(values) == 2
    assert np.isfinite(values).all()
    assert page.locator("figure svg").first.is_visible()
