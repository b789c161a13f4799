"""Tables and figures about solvers that ask a backend: their work, who is the fastest where, swept parameters."""

import io
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from samples import CLEAR, COUNTED, EVEN, MINES, TINY, Corpus, failed, replace, run_of, said

from benchmarks import compare, plots
from benchmarks.backend_tables import solved_times, wins, wins_rows, work_table
from benchmarks.document import document, notes, special_tables
from benchmarks.merging import merge
from benchmarks.metrics import scores, work
from benchmarks.records import Run
from benchmarks.stats import statistics_tables
from benchmarks.sweep_figures import grids, sweep, swept_names
from benchmarks.tables import as_text, metrics_table

RIGHT = {CLEAR: ((1, 4, 5), ()), EVEN: ((), ()), COUNTED: ((2, 3), ()), MINES: ((), (1, 2))}


def told(entry, solver, nanoseconds, **stats):
    """A right answer, extracted in no time, of a solver that tells this of its work."""
    taken = {"solve": (nanoseconds, nanoseconds), "extract": (0, 0)}
    return replace(said(entry, "complete", *RIGHT[entry], solver=solver, **taken), stats=stats)


def oracle(entry, solver, call, encode, search, **sizes):
    return told(entry, solver, call, encode_nanoseconds=encode, solve_nanoseconds=search, **sizes)


WORKED = run_of(
    oracle(CLEAR, "sat", 10_000, 2_000, 3_000, variables=4, clauses=1, calls=2, conflicts=0),
    oracle(COUNTED, "sat", 20_000, 4_000, 6_000, variables=8, clauses=2, calls=2, conflicts=1),
    oracle(MINES, "sat", 40_000, 20_000, 10_000, variables=1200, clauses=3, calls=3, conflicts=5),
    said(EVEN, "complete", solver="sat"),  # settled without an oracle
    oracle(CLEAR, "cpsat", 10_000, 5_000, 5_000, variables=3, constraints=7, calls=2),
    told(CLEAR, "old", 10_000, calls=3, encode_nanoseconds="soon"),
    told(CLEAR, "minmax", 10_000, clauses=9),
)


def test_work_by_hand():
    table = work_table(metrics_table(WORKED, by_corpus=False)).set_index("Strategy")
    assert list(table.index) == ["sat", "cpsat", "old"]  # minmax asks no backend
    assert table.loc["sat"].to_dict() == {
        "Question": "global",
        "Positions": "3",
        "Encode µs": "4.00",
        "Search µs": "6.00",
        "Rest µs": "10.0",
        "Encode %": "30.0",  # the mean of 20, 20 and 50
        "Search %": "28.3",
        "Rest %": "41.7",
        "Variables": "8",
        "Clauses": "2",
        "Constraints": "–",
        "Calls": "2",
        "Conflicts": "1",
    }
    assert table.loc["cpsat", ["Rest µs", "Rest %", "Clauses", "Constraints"]].tolist() == ["0.00", "0.0", "–", "7"]
    assert table.loc["old", ["Encode µs", "Search %", "Variables", "Calls"]].tolist() == ["–", "–", "–", "3"]


def test_columns_that_nobody_tells_are_left_out_and_so_is_an_empty_table():
    sat_alone = run_of(*(r for r in WORKED.records if r.solver == "sat"))
    assert "Constraints" not in work_table(metrics_table(sat_alone))
    assert work_table(metrics_table(sat_alone))["Corpus"].tolist() == ["tiny"]
    for run in (run_of(told(CLEAR, "minmax", 10_000, clauses=9)), run_of(failed(CLEAR)), run_of()):
        judged = scores(run)
        metrics = metrics_table(run, judged=judged)
        assert "Work" not in special_tables(run, judged, metrics)
        assert not [line for line in notes(run) if line.startswith("Work:")]
        assert work(run).empty


@pytest.mark.parametrize("form", ["markdown", "latex", "html"])
def test_a_document_has_the_table_of_work(form):
    text = document(WORKED, form=form)
    assert "Conflicts" in text
    assert "1,200" not in text  # medians


def test_csv_has_the_unrounded_medians():
    read = pd.read_csv(io.StringIO(document(WORKED, form="csv"))).set_index("solver")
    assert read.loc["sat", ["encode_median_us", "rest_share", "conflicts_median"]].tolist() == [4, 1.25 / 3, 1]
    assert read["work_positions"].to_dict() == {"sat": 3, "cpsat": 1, "old": 1, "minmax": 0}
    assert math.isnan(read.loc["minmax", "clauses_median"])


def test_a_clock_that_is_too_coarse_has_no_shares():
    run = run_of(oracle(CLEAR, "sat", 0, 0, 0, calls=1))
    assert work_table(metrics_table(run))["Encode %"].tolist() == ["–"]


def test_real_solvers_tell_their_work_within_their_time():
    run = compare(["sat", "sat:encoding=totalizer", "cpsat"], TINY)
    found = work(run)
    assert {"sat", "sat:encoding=totalizer", "cpsat"} == set(found["solver"])
    assert (found[["encode", "search", "rest"]] >= 0).all(axis=None)
    shares = found[["encode_share", "search_share", "rest_share"]].sum(axis=1)
    np.testing.assert_allclose(shares, 1)


# who is the fastest where


def raced(**times):
    """A run in which each solver takes so many nanoseconds for `clear`, `counted` and `mines`, None: it fails."""
    return run_of(
        *(
            failed(entry, "timeout", solver=solver) if time is None else told(entry, solver, time)
            for solver, of_entry in times.items()
            for entry, time in zip((CLEAR, COUNTED, MINES), of_entry, strict=True)
        )
    )


RACE = raced(one=(100, 400, None), two=(200, 100, None), three=(None, 400, None))


def test_wins_by_hand():
    found = wins(solved_times(scores(RACE)))
    assert found["fastest"].to_dict() == {"one": 0.5, "two": 0.5, "three": 0}  # nobody solved `mines`
    assert found["lead"].iloc[:2].tolist() == pytest.approx([2, 4])
    assert math.isnan(found.loc["three", "lead"])
    assert found["behind"].to_dict() == pytest.approx({"one": 2, "two": math.sqrt(2), "three": 4})


def test_who_never_wins_has_no_row_and_who_wins_most_comes_first():
    times = solved_times(scores(raced(slow=(9, 9, 9), rare=(1, 4, 4), often=(4, 1, 1))))
    assert wins_rows("local", times) == [
        {"Question": "local", "Strategy": "often", "Fastest %": "66.7", "× next": "4.00"},
        {"Question": "local", "Strategy": "rare", "Fastest %": "33.3", "× next": "4.00"},
    ]


def test_ties_count_for_each_and_nobody_beats_one_alone():
    tied = wins(solved_times(scores(raced(a=(5, 5, 5), b=(5, 5, 5)))))
    assert tied.to_numpy().tolist() == [[1, 1, 1], [1, 1, 1]]
    alone = wins(solved_times(scores(raced(a=(5, 6, 7)))))
    assert alone["fastest"].tolist() == [1]
    assert alone["lead"].isna().all()


def test_each_corpus_has_a_column_if_there_are_several():
    times = pd.DataFrame(
        {"a": [1.0, 1.0, 3.0], "b": [2.0, 2.0, 1.0]},
        index=pd.MultiIndex.from_tuples([("x", "1"), ("x", "2"), ("y", "1")], names=["corpus", "entry"]),
    )
    one, two = wins_rows("global", times)
    assert (one["Strategy"], one["x %"], one["y %"], one["× next"]) == ("a", "100.0", "0.0", "2.00")
    assert (two["Strategy"], two["Fastest %"], two["y %"], two["× next"]) == ("b", "33.3", "100.0", "3.00")


@given(arrays(float, st.tuples(st.integers(1, 8), st.integers(1, 5)), elements=st.floats(1, 1e9) | st.just(np.inf)))
def test_shares_add_up_and_nobody_is_before_the_best(values):
    found = wins(pd.DataFrame(values))
    if not np.isfinite(values).any():
        assert found.isna().all(axis=None)
        return
    assert found["fastest"].sum() >= 1 - 1e-9
    assert (found[["lead", "behind"]].fillna(1) >= 1 - 1e-9).all(axis=None)


def test_the_tables_of_statistics_say_who_wins_and_by_how_much():
    tables = statistics_tables(RACE)
    assert tables["Who is the fastest where"]["Strategy"].tolist() == ["one", "two"]
    best = tables["Virtual best solver"].set_index("Strategy")["× best"]
    assert best.to_dict() == {"virtual best": "1.00", "one": "2.00", "two": "1.41", "three": "4.00"}
    assert "Who is the fastest where" not in statistics_tables(raced(alone=(1, 2, 3)))
    assert as_text([]).empty


# swept parameters


def swept(*combinations, refused=(), limit=None):
    """A run with solvers `sat` of these (encoding, oracle, strategy, nanoseconds, or None for a failure)."""
    records, parameters = [], {}
    for *values, time in combinations:
        label = f"sat:encoding={values[0]},oracle={values[1]},strategy={values[2]}"
        parameters[label] = dict(zip(("encoding", "oracle", "strategy"), values, strict=True)) | {"conflicts": "0"}
        for entry in (CLEAR, COUNTED, MINES):
            if time is None:
                records.append(failed(entry, "timeout", solver=label))
            else:
                records.append(told(entry, label, time))
    run = run_of(*records, said(CLEAR, "partial", solver="single"))
    for solver in run.header["solvers"]:
        solver["parameters"] = parameters.get(solver["label"], {})
    run.header["left_out"] = [
        {
            "spec": f"{name}:encoding={e},oracle={o},strategy={s}",
            "why": "no",
            "parameters": {"encoding": e, "oracle": o, "strategy": s},
        }
        for name, e, o, s in refused
    ]
    run.header["limits"]["seconds"] = limit
    return run


GRID = swept(
    ("native", "minicard", "iterate", 1000),
    ("totalizer", "minicard", "iterate", 2000),
    ("totalizer", "glucose4", "iterate", 4000),
    ("binomial", "minicard", "iterate", None),
    ("totalizer", "minicard", "core", 3000),
    ("totalizer", "glucose4", "core", 5000),
    refused=[("sat", "native", "glucose4", "iterate"), ("other", "native", "glucose4", "core")],
    limit=10,
)


def test_the_panels_of_a_sweep():
    axes, (iterate, core) = grids(GRID, scores(GRID), "sat")
    assert axes == ["encoding", "oracle"]
    assert (iterate.title, core.title) == ("strategy = iterate", "strategy = core")
    assert (iterate.rows, iterate.columns) == (("native", "totalizer", "binomial"), ("minicard", "glucose4"))
    expected = [[1e-6, np.nan], [2e-6, 4e-6], [np.inf, np.nan]]
    np.testing.assert_allclose(iterate.seconds, expected)
    assert iterate.refused.tolist() == [[False, True], [False, False], [False, False]]
    assert (core.rows, core.refused.any()) == (("totalizer",), False)


def test_a_median_counts_what_was_not_answered_as_slowest():
    def some(failures):
        fails = [failed(e, "timeout", solver=r.solver) for r in GRID.records[:1] for e in (CLEAR, COUNTED, MINES)]
        return Run(GRID.header, [*fails[:failures], *GRID.records[failures:]], GRID.corpora)

    medians = [grids(run, scores(run), "sat")[1][0].seconds[0, 0] for run in (some(1), some(2))]
    assert medians == [1e-6, math.inf]


def test_the_figure_of_a_sweep_writes_times_into_cells_and_tells_the_others_apart():
    figure = sweep(GRID, scores(GRID), "sat")
    iterate, core, *_ = figure.axes
    written = [text.get_text() for text in iterate.texts]
    assert written == ["1.00", "2.00", "4.00", ">10 s", "encoding \\ oracle", "strategy = iterate"]
    assert len(iterate.patches) == 1
    assert [text.get_text() for text in core.texts][:2] == ["3.00", "5.00"]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["refused", "not asked"]
    assert figure.get_label() == "Median time by encoding and oracle of sat, global question"
    inside = figure.bbox
    for axes in (iterate, core):
        for text in (*axes.texts, *axes.get_xticklabels(), *axes.get_yticklabels()):
            if text.get_text() and text.get_visible():
                box = text.get_window_extent()
                assert inside.x0 <= box.x0, text
                assert box.x1 <= inside.x1, text
                assert box.y1 <= inside.y1, text


def test_all_figures_have_the_sweep_of_two_parameters_with_two_values_each():
    assert swept_names(GRID) == ["sat"]
    assert "sweep_1" in plots.all_figures(GRID)
    one = swept(("native", "minicard", "iterate", 1), ("totalizer", "minicard", "iterate", 2))
    assert swept_names(one) == []
    assert sweep(one, scores(one), "sat") is None
    old = swept(("a", "b", "c", 1), ("d", "e", "f", 2))
    for solver in old.header["solvers"]:
        del solver["parameters"]
    assert swept_names(old) == []  # runs of before


def test_of_many_strategies_figures_show_those_that_lied_and_the_best():
    race = raced(**{f"s{number:02}": (number + 1,) * 3 for number in range(20)})
    run = run_of(*race.records, said(CLEAR, "complete", (2,), solver="liar"))
    figures = plots.all_figures(run)
    names = [text.get_text() for text in figures["cactus"].legends[0].get_texts()]
    assert names == [*(f"s{number:02}" for number in range(15)), "liar", "virtual best"]
    assert figures["cactus"].get_label().endswith("; 16 of 21 strategies")


# what headers keep


def test_runs_with_different_parameters_of_one_label_are_not_merged():
    one, two = (compare("sat", Corpus("tiny", (CLEAR,), {}), questions=q) for q in ("local", "global"))
    assert one.header["solvers"][0]["parameters"]["encoding"] == "native"
    del two.header["solvers"][0]["parameters"]  # older
    one.header["left_out"] = [{"spec": "sat:x", "why": "no", "parameters": {}}]
    assert merge([one, two]).header["left_out"] == one.header["left_out"]
    two.header["solvers"][0]["parameters"] = {"encoding": "totalizer"}
    with pytest.raises(ValueError, match="not the same"):
        merge([one, two])
