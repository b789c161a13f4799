"""Figures: what they show, that names cannot break them, and that what is written is stable and text."""

import re
import sys
import threading
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import BROKEN, CLEAR, COUNTED, EVEN, MINES, failed, replace, run_of, said

from benchmarks import plots, recall_figures, time_figures
from benchmarks.metrics import scores
from benchmarks.styling import look, short_names
from solvers.interface import Unsupported

ODD = ["$x_1^2$", "$", "_hidden", "a<b>&c", 'id="q"', "sat:encoding=totalizer,oracle=glucose4", "x" * 99, "y\tz"]
RIGHT = {  # entry -> what the global question entails
    CLEAR: ((1, 4, 5), ()),
    EVEN: ((), ()),
    COUNTED: ((2, 3), ()),
    MINES: ((), (1, 2)),
}


def right(entry, solver, nanoseconds, **how):
    """A right and complete answer that took so long in all."""
    return said(entry, "complete", *RIGHT[entry], solver=solver, solve=(nanoseconds,), extract=(0,), **how)


def half(entry, solver, nanoseconds):
    """An answer that has found only the first safe cell."""
    return said(entry, "partial", RIGHT[entry][0][:1], (), solver=solver, solve=(nanoseconds,), extract=(0,))


def sample(labels, **how):
    """A run in which every solver answers, each slower than the one before."""
    return run_of(
        *(right(e, s, 1000 * (n + 1) * (k + 2), **how) for n, s in enumerate(labels) for k, e in enumerate(RIGHT))
    )


RUN = run_of(
    *(right(entry, "fast", time) for entry, time in zip(RIGHT, (1000, 2000, 3000, 4000), strict=True)),
    *(half(entry, "weak", time) for entry, time in zip(RIGHT, (100, 200, 300, 400), strict=True)),
    right(CLEAR, "shaky", 50_000),
    failed(COUNTED, "timeout", solver="shaky"),
    failed(EVEN, "crashed", solver="shaky"),
    failed(MINES, "unsupported", solver="shaky"),
    *(failed(entry, "unsupported", solver="idle") for entry in RIGHT),
)
JUDGED = scores(RUN)


@pytest.fixture(scope="module")
def figures():
    return plots.all_figures(RUN)


@pytest.fixture(scope="module")
def written(figures):
    return {name: plots.svg_text(figure) for name, figure in figures.items()}


def lines(figure):
    """Lines of the axes with data, as lists of (x, y)."""
    return [np.column_stack(line.get_data()).tolist() for line in figure.axes[0].lines]


def telling_pair(judged):
    return plots._most_telling_pair(list(plots._ranked(judged)))


def legend(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def texts(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def test_cactus_counts_positions_in_the_order_of_their_times(figures):
    figure = figures["cactus"]
    assert legend(figure) == ["fast", "weak", "shaky", "virtual best"]  # idle answered nothing
    fast, weak, shaky, best = lines(figure)
    assert fast == [[1, 1e-6], [2, 3e-6], [3, 4e-6]]  # in `even` nothing is entailed
    assert weak == []  # half of it is not solved
    assert shaky == [[1, 5e-5]]
    assert best == fast
    axes = figure.axes[0]
    assert axes.get_xlabel() == "positions solved, of 3"
    assert axes.get_ylabel() == "time per position"
    assert axes.get_yscale() == "log"
    assert all(re.fullmatch(r"[\d.]+ [nµm]?s", tick.get_text()) for tick in axes.get_yticklabels())


def test_long_lines_of_the_cactus_are_thinned_but_keep_their_ends():
    kept = time_figures._kept(7000)
    assert kept[0] == 0
    assert kept[-1] == 6999
    assert len(kept) < 700
    assert set(range(6980, 7000)) <= set(kept.tolist())
    assert time_figures._kept(600).tolist() == list(range(600))


def test_pareto_shows_pooled_recall_and_the_front(figures):
    figure = figures["pareto"]
    front, *points = lines(figure)
    assert points == [[[2.5e-6, 100]], [[2.5e-7, 40]], [[5e-5, 60]]]  # 5, 2 and 3 of 5 safe cells
    assert [xy for xy in front if xy[1] in (40, 100)] == [
        [2.5e-7, 40],
        [2.5e-6, 40],
        [2.5e-6, 100],
        [front[-1][0], 100],
    ]
    assert texts(figure) == ["fast", "weak", "shaky"]
    assert figure.axes[0].get_xlabel() == "median time per position"
    assert figure.axes[0].get_ylabel() == "safe recall, global question (%)"


def test_a_solver_that_is_wrong_is_said_to_be_and_not_on_the_front():
    run = run_of(said(CLEAR, "complete", (1, 2, 4, 5), solver="liar"), right(CLEAR, "slow", 10**6))
    figure = plots.pareto(scores(run))
    assert texts(figure) == ["liar (wrong)", "slow"]
    front = np.array(lines(figure)[0])
    assert front[:, 0].min() == 1e-3
    assert telling_pair(scores(run)) == ["slow", "liar"]


@pytest.mark.parametrize("labels", [["a", "b", "c"], [f"sat:encoding=totalizer,oracle={n}" for n in range(14)]])
def test_labels_of_the_pareto_figure_are_apart_and_inside(labels):
    figure = plots.pareto(scores(sample(labels)))
    axes = figure.axes[0]
    boxes = [text.get_window_extent() for text in axes.texts]
    assert len(boxes) == len(labels)
    for number, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:number])
        assert axes.bbox.x0 <= box.x0
        assert box.x1 <= axes.bbox.x1
    if len(labels) == 14:  # no room for such names
        assert texts(figure) == [str(number) for number in range(1, 15)]
        assert legend(figure) == [f"{number}  {label}" for number, label in enumerate(labels, 1)]


def test_time_scatter_puts_failures_on_the_border_and_leaves_out_what_is_not_taken():
    figure = plots.time_scatter(JUDGED, "fast", "shaky", limit_seconds=0.01)
    points = sorted(lines(figure)[-1])
    assert points == [[1e-6, 5e-5], [2e-6, 0.01], [3e-6, 0.01]]  # not `mines`, which shaky does not take
    diagonal, low, high = (np.array(line) for line in lines(figure)[:3])
    np.testing.assert_allclose(diagonal[:, 0], diagonal[:, 1])
    np.testing.assert_allclose(low[:, 1] * 10, low[:, 0])
    np.testing.assert_allclose(high[:, 0] * 10, high[:, 1])
    assert "no answer" in texts(figure)
    assert figure.axes[0].get_xlabel() == "fast\ntime per position"
    assert figure.axes[0].get_xlim() == figure.axes[0].get_ylim()
    assert "no answer" not in texts(plots.time_scatter(JUDGED, "fast", "weak", limit_seconds=10))
    without_limit = sorted(lines(plots.time_scatter(JUDGED, "fast", "shaky"))[-1])
    np.testing.assert_allclose(without_limit[-1], [3e-6, 7.5e-5])


def test_time_scatter_of_nothing():
    assert plots.time_scatter(JUDGED, "fast", "idle") is None
    with pytest.raises(ValueError, match="'nobody'"):
        plots.time_scatter(JUDGED, "fast", "nobody")


def test_recall_by_density_has_a_kind_a_value(figures):
    figure = figures["recall_by_density"]
    ticks = [tick.get_text() for tick in figure.axes[0].get_xticklabels()]
    assert ticks == ["12.5\nn=1", "16.7\nn=1"]  # clear and counted; in the others no safe cell is entailed
    assert legend(figure) == ["fast", "weak", "shaky"]
    recalls = [[y for _, y in line] for line in lines(figure)]
    assert [np.round(recall, 6).tolist() for recall in recalls] == [[100, 100], [33.333333, 50], [100]]
    bars = [np.array(bar)[:, 1] for lines in figure.axes[0].collections for bar in lines.get_segments()]
    low, high = bars[3]  # Wilson, 1 of 2
    assert (round(low, 2), round(high, 2)) == (9.45, 90.55)
    assert figure.axes[0].get_xlabel() == "mines per cell (%)"


def test_recall_by_needs_two_kinds_and_a_known_feature():
    assert plots.recall_by(run_of(right(CLEAR, "one", 5)), scores(run_of(right(CLEAR, "one", 5))), "density") is None
    with pytest.raises(ValueError, match="'colour'"):
        plots.recall_by(RUN, JUDGED, "colour")


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_every_share_has_a_kind_in_order(shares):
    import pandas as pd

    kinds = recall_figures._bins(pd.Series(shares))
    assert not kinds.isna().any()
    assert len(kinds.cat.categories) <= 6
    codes = [code for _, code in sorted(zip(shares, kinds.cat.codes, strict=True))]
    assert codes == sorted(codes)


def test_growth_fits_the_exponent():
    sizes = {CLEAR: 8, EVEN: 4, COUNTED: 6, MINES: 3}
    run = run_of(*(right(e, s, size**p * 10**6) for s, p in (("square", 2), ("cube", 3)) for e, size in sizes.items()))
    figure = plots.growth(run, scores(run))
    assert legend(figure) == ["square, e = 2.00", "cube, e = 3.00"]
    points, fit, *_ = lines(figure)
    np.testing.assert_allclose(points, [[n, n**2 * 1e-3] for n in (3, 4, 6, 8)])
    np.testing.assert_allclose(fit, points, rtol=1e-6)
    assert [tick.get_text() for tick in figure.axes[0].get_xticklabels()] == ["3", "4", "6", "8"]


def test_growth_needs_two_sizes():
    run = run_of(right(EVEN, "one", 10), said(BROKEN, "inconsistent"))
    assert plots.growth(run, scores(run)) is None


def test_matrix_prints_the_recalls(figures):
    figure = figures["recall_matrix"]
    axes = figure.axes[0]
    assert texts(figure) == ["100.0", "40.0", "60.0"]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["fast", "weak", "shaky"]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["tiny"]
    assert [text.get_color() for text in axes.texts] == ["white", "black", "black"]


def test_a_matrix_of_one_column_has_room_for_its_label():
    figure = plots.recall_matrix(scores(run_of(right(CLEAR, "one", 10))))
    box = figure.axes[0].xaxis.label.get_window_extent()
    assert figure.bbox.x0 <= box.x0
    assert box.x1 <= figure.bbox.x1


def test_question_that_is_shown():
    both = run_of(*sample(["one", "two"], question="local").records, *RUN.records)
    local = scores(sample(["one", "two"], question="local"))
    assert "global question" in plots.pareto(scores(both)).get_label()
    assert "local question" in plots.pareto(scores(both), "local").get_label()
    assert "local question" in plots.cactus(local).get_label()
    with pytest.raises(ValueError, match="'global' was not asked; the run has local"):
        plots.pareto(local, "global")


def test_all_figures_are_those_that_make_sense(figures):
    assert list(figures) == [
        "pareto",
        "cactus",
        "recall_matrix",
        "recall_by_density",
        "recall_by_opened_share",
        "time_scatter",
        "growth",
    ]
    nothing = run_of(*(failed(entry, solver="idle") for entry in RIGHT))
    assert plots.all_figures(nothing) == {}
    assert plots.all_figures(replace(nothing, records=[])) == {}
    assert plots.all_figures(run_of()) == {}
    alone = plots.all_figures(run_of(right(CLEAR, "one", 10)))
    assert list(alone) == ["pareto", "cactus", "recall_matrix"]
    assert legend(alone["cactus"]) == ["one"]  # no virtual best of one


def test_scores_have_their_types_even_without_records():
    without = scores(replace(RUN, records=[]))
    assert without.dtypes.astype(str).tolist() == JUDGED.dtypes.astype(str).tolist()
    assert {str(JUDGED[name].dtype) for name in ("answered", "solved", "wrong", "false_cell")} == {"bool"}
    assert {str(JUDGED[name].dtype) for name in ("safe_found", "preempted")} == {"int64"}
    assert {str(JUDGED[name].dtype) for name in ("total", "spread")} == {"float64"}


def test_the_peer_is_what_times_are_compared_with(figures):
    run = sample(["sat", "counting", "mstoollib:x=1"])
    assert telling_pair(scores(run)) == ["sat", "mstoollib:x=1"]
    assert telling_pair(JUDGED) == ["fast", "shaky"]
    axes = figures["time_scatter"].axes[0]
    assert (axes.get_xlabel()[:5], axes.get_ylabel()[:6]) == ("fast\n", "shaky\n")


@pytest.mark.slow
def test_odd_names_neither_break_nor_vanish():
    run = sample(ODD)
    figures = plots.all_figures(run)
    written = {name: ElementTree.fromstring(plots.svg_text(figure)) for name, figure in figures.items()}
    short = list(short_names(ODD).values())
    assert legend(figures["cactus"]) == [*short, "virtual best"]
    assert {root.get("role") for root in written.values()} == {"img"}
    assert set(short) <= {text.text for text in written["cactus"].iter()}


def test_a_solver_looks_the_same_in_all_figures(figures):
    for name in ("cactus", "recall_by_density"):
        handles = figures[name].axes[0].lines
        assert [h.get_marker() for h in handles[:3]] == [look(n).marker for n in range(3)]
        assert [h.get_color() for h in handles[:3]] == [look(n).colour for n in range(3)]


def test_twenty_solvers_differ_in_colour_and_in_grey():
    looks = [look(n) for n in range(20)]
    assert len({(x.colour, x.marker) for x in looks}) == 20
    assert len({(x.colour, x.dashes) for x in looks}) == 20
    assert len({(x.marker, x.dashes) for x in looks}) == 20


@given(st.lists(st.text(max_size=30), unique=True, max_size=8), st.integers(8, 20))
def test_short_names_are_short_printable_and_different(labels, most):
    names = short_names(labels, most)
    assert list(names) == labels
    assert len(set(names.values())) == len(labels)
    assert all(len(name) <= most and name.isprintable() for name in names.values())


def test_svg_is_stable_and_its_ids_are_its_own(written):
    assert {name: plots.svg_text(figure) for name, figure in plots.all_figures(RUN).items()} == written
    ids = [found for text in written.values() for found in re.findall(r'\bid="([^"]+)"', text)]
    assert len(ids) == len(set(ids))
    for text in written.values():
        assert text.startswith("<svg ")
        assert "<style" not in text
        own = set(re.findall(r'\bid="([^"]+)"', text))
        used = set(re.findall(r'(?:url\(|href="|labelledby=")#?([^)"]+)', text))
        assert used == own
    assert "<title" in written["pareto"]
    assert "Safe recall against median time per position, global question" in written["pareto"]
    assert ">fast</text>" in written["pareto"]  # text, not outlines


@pytest.mark.slow
def test_save_writes_the_same_bytes(tmp_path, figures):
    formats = ("svg", "png", "pdf")
    two = {name: figures[name] for name in ("pareto", "growth")}
    paths = plots.save(two, tmp_path / "one", formats)
    assert [path.name for path in paths] == [f"{name}.{form}" for name in two for form in formats]
    again = plots.save({"pareto": plots.pareto(JUDGED)}, tmp_path / "two", formats)
    assert [path.read_bytes() for path in paths[:3]] == [path.read_bytes() for path in again]
    assert b"<dc:date>" not in paths[0].read_bytes()
    assert b"/Type3" not in paths[2].read_bytes()
    with pytest.raises(ValueError, match="'gif'"):
        plots.save(two, tmp_path, ("gif",))


def test_a_dense_cloud_is_an_image_and_small(monkeypatch):
    assert "<image" not in plots.svg_text(plots.time_scatter(JUDGED, "fast", "weak"))
    monkeypatch.setattr(time_figures, "_MOST_VECTORS", 3)
    assert "<image" in plots.svg_text(plots.time_scatter(JUDGED, "fast", "weak"))


def test_settings_of_the_caller_stay_and_do_not_matter(written):
    with matplotlib.rc_context({"axes.facecolor": "red", "font.size": 30, "svg.fonttype": "path"}):
        before = dict(matplotlib.rcParams)
        assert plots.svg_text(plots.pareto(JUDGED)) == written["pareto"]
        assert dict(matplotlib.rcParams) == before


@pytest.mark.slow
def test_figures_can_be_made_in_threads(written):
    found = []
    threads = [threading.Thread(target=lambda: found.append(plots.svg_text(plots.cactus(JUDGED)))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [written["cactus"]] * 4


def test_without_matplotlib_it_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(Unsupported, match=r"pip install 'sapper\[report\]'"):
        plots.pareto(JUDGED)
