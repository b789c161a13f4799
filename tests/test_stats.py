"""Statistics against hand calculations, scipy, statsmodels and theory."""

import math
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import BROKEN, CLEAR, COUNTED, EVEN, MINES, failed, replace, run_of, said

from benchmarks import stats
from benchmarks.bootstrap import Games, ratio_intervals, totals
from benchmarks.document import unstable
from benchmarks.metrics import scores, summarise
from benchmarks.stats import (
    Interval,
    contributions,
    growth,
    holm,
    mcnemar,
    pairwise,
    recall_interval,
    signed_rank,
    statistics_tables,
    virtual_best,
    wilson,
)
from benchmarks.tables import latex, markdown, rich_table
from solvers import Unsupported


@pytest.fixture(autouse=True)
def _no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def judged(solver="one", *, found, entailed, game=None, total=None, solved=None, corpus="c", question="global"):
    """Rows as those of `scores`, a number a position."""
    n = len(found)
    rows = pd.DataFrame(
        {"corpus": corpus, "question": question, "solver": solver, "entry": [f"e{i}" for i in range(n)]}
    )
    rows["game"] = [f"g{i}" for i in (range(n) if game is None else game)]
    rows["safe_found"], rows["safe_entailed"] = found, entailed
    rows["mines_found"] = rows["mines_entailed"] = 0
    rows["total"] = 1000.0 if total is None else np.asarray(total, float)
    rows["answered"] = rows["total"].notna()
    rows["nothing_entailed"] = rows["safe_entailed"] == 0
    rows["solved"] = (rows["safe_found"] == rows["safe_entailed"]) & rows["answered"] if solved is None else solved
    rows["wrong"] = False
    return rows


def is_unknown(interval):
    return math.isnan(interval.low) and math.isnan(interval.high)


# --- Shares -----------------------------------------------------------------------------------------------------


def test_wilson_is_the_score_interval():
    z, n, p = 1.959963984540054, 20, 0.25
    middle, half = (
        (p + z * z / 2 / n) / (1 + z * z / n),
        z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + (z / 2 / n) ** 2),
    )
    found = wilson(5, 20)
    assert (found.low, found.high) == pytest.approx((middle - half, middle + half))
    assert wilson(0, 10).low == 0
    assert wilson(0, 10).high == pytest.approx(z * z / (10 + z * z))
    assert is_unknown(wilson(0, 0))


@pytest.mark.parametrize(("found", "total"), [(3, 2), (-1, 2)])
def test_wilson_refuses_what_is_no_share(found, total):
    with pytest.raises(ValueError, match=str(found)):
        wilson(found, total)


@pytest.mark.parametrize("confidence", [0, 1, 95, math.nan])
def test_a_confidence_is_between_0_and_1(confidence):
    with pytest.raises(ValueError, match=str(confidence)):
        wilson(1, 2, confidence)


def test_a_missing_library_is_unsupported(monkeypatch):
    monkeypatch.setitem(sys.modules, "statsmodels.stats.proportion", None)
    with pytest.raises(Unsupported, match=r"needs statsmodels: pip install 'sapper\[report\]'"):
        wilson(1, 2)


def test_importing_does_not_import_the_libraries():
    code = "import sys, benchmarks.stats, benchmarks.diff; print({'scipy', 'statsmodels'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"


# --- The bootstrap ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kinds", [3, 10**6], ids=["few kinds of games", "all games different"])
def test_resampled_totals_have_the_moments_of_drawing_with_replacement(kinds):
    rng = np.random.default_rng(1)
    sums = rng.integers(0, kinds, (60, 2)).astype(float)
    strata = np.repeat([0, 1], [20, 40])
    drawn = totals(sums, strata, resamples=20_000, seed=2)
    expected = sums.sum(axis=0)
    covariance = sum(n * np.cov(sums[strata == s].T, bias=True) for s, n in ((0, 20), (1, 40)))
    assert np.abs(drawn.mean(axis=0) - expected).max() < 5 * np.sqrt(covariance.max() / 20_000)
    assert np.cov(drawn.T) == pytest.approx(covariance, rel=0.06, abs=0.03 * covariance.max())


def test_a_resample_draws_as_many_games_of_each_stratum_as_there_are():
    sums = np.eye(2)[[0, 0, 0, 1, 1]]
    assert (totals(sums, np.array([0, 0, 0, 1, 1]), resamples=50) == [3, 2]).all()


def test_blocks_and_seeds(monkeypatch):
    sums, strata = np.random.default_rng(0).random((30, 1)), np.zeros(30, np.int64)
    first = totals(sums, strata, resamples=100, seed=3)
    assert (first == totals(sums, strata, resamples=100, seed=3)).all()
    assert (first != totals(sums, strata, resamples=100, seed=4)).any()
    monkeypatch.setattr("benchmarks.bootstrap._BLOCK", 31)
    assert totals(sums, strata, resamples=100, seed=3) == pytest.approx(first)


def test_games_are_of_a_corpus():
    frame = pd.DataFrame({"corpus": ["b", "b", "a", "a", "a"], "game": ["1", "2", "1", "2", "1"]})
    games = Games.of(frame)
    assert games.of_row.tolist() == [0, 1, 2, 3, 2]
    assert games.strata.tolist() == [0, 0, 1, 1]
    assert games.sums([1, 2, 3, 4, 5]).tolist() == [[1], [2], [8], [4]]


def test_a_corpus_of_a_single_game_joins_the_others():
    frame = pd.DataFrame({"corpus": ["a", "a", "b", "c"], "game": ["1", "2", "1", "1"]})
    assert Games.of(frame).strata.tolist() == [0, 0, 0, 0]


def test_the_interval_agrees_with_scipys_bootstrap():
    from scipy.stats import bootstrap

    rng = np.random.default_rng(5)
    entailed = rng.integers(1, 20, 80)
    found = rng.binomial(entailed, rng.beta(4, 1, 80))
    theirs = bootstrap(
        (found, entailed),
        lambda f, e, axis: f.sum(axis) / e.sum(axis),
        paired=True,
        method="percentile",
        n_resamples=20_000,
        random_state=rng,
    ).confidence_interval
    ours = recall_interval(judged(found=found, entailed=entailed), resamples=20_000)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.003)


def test_positions_of_one_game_count_as_one():
    """Every position ten times: the interval is that of the games, not narrower."""
    found, entailed = np.arange(20) % 4, np.full(20, 4)
    once = recall_interval(judged(found=found, entailed=entailed))
    tenfold = judged(found=np.tile(found, 10), entailed=np.tile(entailed, 10), game=np.tile(np.arange(20), 10))
    assert recall_interval(tenfold) == once


def test_coverage_of_the_clustered_interval():
    """Recall varies from game to game: intervals of games cover it, intervals of positions do not."""
    rng, hits, naive_hits, runs = np.random.default_rng(7), 0, 0, 120
    game = np.repeat(np.arange(50), 8)
    for i in range(runs):
        found = rng.binomial(5, np.repeat(rng.beta(3, 1, 50), 8))  # a mean recall of 3/4
        rows = judged(found=found, entailed=np.full(400, 5), game=game)
        for clustered in (True, False):
            interval = recall_interval(rows if clustered else rows.assign(game=rows["entry"]), resamples=300, seed=i)
            inside = interval.low <= 0.75 <= interval.high
            hits, naive_hits = hits + (inside and clustered), naive_hits + (inside and not clustered)
    assert 0.90 <= hits / runs <= 0.99
    assert naive_hits / runs < 0.75


# --- Recall -----------------------------------------------------------------------------------------------------


def test_a_perfect_recall_has_the_interval_of_its_games():
    everything = recall_interval(judged(found=[3, 1, 5, 0], entailed=[3, 1, 5, 0]))
    assert (everything.low, everything.high) == pytest.approx((wilson(3, 3).low, 1))
    nothing = recall_interval(judged(found=[0] * 100, entailed=[2] * 100))
    assert (nothing.low, nothing.high) == pytest.approx((0, wilson(0, 100).high))


def test_a_recall_of_nothing_is_unknown():
    assert is_unknown(recall_interval(judged(found=[], entailed=[])))
    assert is_unknown(recall_interval(judged(found=[0, 0], entailed=[0, 0])))
    assert is_unknown(recall_interval(judged(found=[1], entailed=[2])))
    assert is_unknown(recall_interval(judged(found=[0, 0], entailed=[2, 2], total=[math.nan, math.nan])))


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 3)), min_size=1, max_size=12))
def test_an_interval_of_a_recall_is_within_0_and_1_and_has_the_recall(positions):
    found, more, game = zip(*positions, strict=True)
    rows = judged(found=found, entailed=np.add(found, more), game=game)
    interval = recall_interval(rows, resamples=300, confidence=0.999)
    if rows.groupby("game")["safe_entailed"].sum().gt(0).sum() < 2:
        assert is_unknown(interval)
    else:
        recall = rows["safe_found"].sum() / rows["safe_entailed"].sum()
        assert -1e-12 <= interval.low <= recall + 1e-12
        assert recall - 1e-12 <= interval.high <= 1 + 1e-12


# --- Tests and families -----------------------------------------------------------------------------------------


def test_mcnemar_by_hand():
    from scipy.stats import binom, chi2

    assert mcnemar(0, 0) == 1
    assert mcnemar(1, 5) == pytest.approx(2 * (1 + 6) / 64)
    assert mcnemar(9, 15) == pytest.approx(2 * binom.cdf(9, 24, 0.5))
    assert mcnemar(20, 10) == mcnemar(10, 20) == pytest.approx(chi2.sf((10 - 1) ** 2 / 30, 1))
    assert mcnemar(3, 3) == 1


def test_signed_rank_by_hand():
    assert signed_rank([1, 2, 3, 4, 5]) == pytest.approx(2 / 2**5)
    assert signed_rank([0, 1, 2, 3, 4, 5]) == pytest.approx(2 / 2**5)
    assert signed_rank([0, 0]) == 1
    assert math.isnan(signed_rank([]))
    assert 0.1 < signed_rank([1.0, 1.0]) <= 1  # ties and few values: no warning
    assert signed_rank(np.ones(200)) < 0.001


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([]) == []
    assert math.isnan(holm([math.nan])[0])


# --- Pairs ------------------------------------------------------------------------------------------------------


def test_a_pair_by_hand():
    base = judged("base", found=[4, 2, 0, 3], entailed=[4, 4, 0, 4], total=[100, 200, 300, 400])
    other = judged("other", found=[4, 4, 0, 0], entailed=[4, 4, 0, 4], total=[200, 200, 300, math.nan])
    found = pairwise(pd.concat([base, other]), "base", limit_seconds=1e-6)
    assert len(found) == 1
    row = found.iloc[0]
    assert (row["solver"], row["baseline"], row["positions"], row["games"], row["timed"]) == ("other", "base", 4, 4, 3)
    assert row["recall_difference"] == pytest.approx((8 - 9) / 12)
    assert row["recall_low"] <= row["recall_difference"] <= row["recall_high"]
    assert (row["only_solver"], row["only_baseline"], row["mcnemar_p"]) == (1, 0, 1)
    assert row["time_ratio"] == pytest.approx(2 ** (1 / 3))
    assert row["time_low"] <= row["time_ratio"] <= row["time_high"]
    assert row["par2_ratio"] == pytest.approx((200 + 200 + 300 + 2000) / (100 + 2000 + 300 + 2000))
    assert row["par2_low"] <= row["par2_ratio"] <= row["par2_high"]


def test_positions_where_nothing_is_entailed_have_no_part_in_mcnemar():
    base = judged("base", found=[4, 0], entailed=[4, 0], game=[0, 0])
    other = judged("other", found=[4, 0], entailed=[4, 0], game=[0, 0], total=[1000, math.nan])
    row = pairwise(pd.concat([base, other]), "base").iloc[0]
    assert (row["only_solver"], row["only_baseline"]) == (0, 0)


def test_equal_solvers_differ_in_nothing():
    rows = pd.concat([judged(name, found=[4] * 30, entailed=[4] * 30) for name in ("base", "other")])
    row = pairwise(rows, "base").iloc[0]
    assert (row["recall_difference"], row["mcnemar_holm_p"], row["wilcoxon_holm_p"]) == (0, 1, 1)
    assert (row["time_ratio"], row["time_low"], row["time_high"]) == (1, 1, 1)
    assert (row["recall_low"], row["recall_high"]) == pytest.approx((-wilson(0, 30).high, wilson(0, 30).high))
    assert math.isnan(row["par2_ratio"])


def test_a_single_game_has_no_interval():
    rows = [
        judged(name, found=[2, 3], entailed=[4, 4], game=[0, 0], total=[t, t]) for name, t in (("base", 1), ("o", 4))
    ]
    row = pairwise(pd.concat(rows), "base", limit_seconds=1).iloc[0]
    assert (row["positions"], row["games"]) == (2, 1)
    assert row["time_ratio"] == pytest.approx(4)
    assert row[["recall_low", "recall_high", "time_low", "time_high", "par2_low", "par2_high"]].isna().all()
    assert row["wilcoxon_p"] == 1


def test_who_shares_no_position_or_answers_nothing_has_only_counts():
    base = judged("base", found=[4, 4], entailed=[4, 4])
    elsewhere = judged("elsewhere", found=[4], entailed=[4], corpus="d")
    silent = judged("silent", found=[0, 0], entailed=[4, 4], total=[math.nan] * 2)
    found = pairwise(pd.concat([base, elsewhere, silent]), "base", limit_seconds=1).set_index("solver")
    assert found["positions"].to_dict() == {"elsewhere": 0, "silent": 2}
    names = ["recall_difference", "recall_low", "mcnemar_p", "mcnemar_holm_p", "time_ratio", "time_low", "wilcoxon_p"]
    assert found[[*names, "par2_ratio", "par2_high"]].isna().all(axis=None)
    backwards = pairwise(pd.concat([base, silent]), "silent")
    assert math.isnan(backwards.iloc[0]["recall_difference"])


def test_tests_count_a_game_once():
    """Ten positions a game, all alike: the p-values are those of the games."""
    once = [
        judged(n, found=f, entailed=[4] * 8, total=t)
        for n, f, t in (("b", [0] * 8, [1] * 8), ("o", [4] * 8, range(2, 10)))
    ]
    tenfold = []
    for rows in once:
        copies = pd.concat([rows.assign(entry=rows["entry"] + f"-{i}") for i in range(10)])
        tenfold.append(copies)
    one, ten = (pairwise(pd.concat(rows), "b").iloc[0] for rows in (once, tenfold))
    assert ten["mcnemar_p"] == one["mcnemar_p"] == pytest.approx(2 / 2**8)
    assert ten["wilcoxon_p"] == pytest.approx(one["wilcoxon_p"])
    assert (ten["time_low"], ten["time_high"]) == pytest.approx((one["time_low"], one["time_high"]))


def testp_texts_are_corrected_for_the_family():
    base = judged("base", found=[0] * 8, entailed=[4] * 8)
    others = [judged(f"o{i}", found=[4] * 8, entailed=[4] * 8, total=[2000.0] * 8) for i in range(3)]
    found = pairwise(pd.concat([base, *others]), "base")
    assert found["mcnemar_holm_p"].tolist() == pytest.approx([3 * 2 / 2**8] * 3)
    assert found["wilcoxon_holm_p"].tolist() == pytest.approx((3 * found["wilcoxon_p"]).tolist())


def test_a_pair_is_resampled_together():
    """Both find the same but for one cell a game: far narrower than the intervals of the two."""
    found = np.arange(1, 61) % 30 + 1
    base = judged("base", found=found, entailed=np.full(60, 31))
    row = pairwise(
        pd.concat([base, judged("o", found=found - (np.arange(60) % 2), entailed=np.full(60, 31))]), "base"
    ).iloc[0]
    alone = recall_interval(base)
    assert row["recall_high"] - row["recall_low"] < (alone.high - alone.low) / 10


def test_pairwise_refuses():
    rows = judged("base", found=[1], entailed=[1])
    with pytest.raises(ValueError, match="'absent'; known are base"):
        pairwise(rows, "absent")
    with pytest.raises(ValueError, match="local"):
        pairwise(pd.concat([rows, rows.assign(question="local")]), "base")
    assert pairwise(rows, "base").empty


def test_the_time_of_a_clock_that_did_not_move_is_one_nanosecond():
    rows = pd.concat(
        [
            judged("base", found=[1, 1], entailed=[1, 1], total=[0, 0]),
            judged("o", found=[1, 1], entailed=[1, 1], total=[7, 7]),
        ]
    )
    assert pairwise(rows, "base").iloc[0]["time_ratio"] == pytest.approx(7)


# --- The virtual best -------------------------------------------------------------------------------------------


def three_solvers():
    """CLEAR: fast and slow solve it; MINES: slow alone; COUNTED: nobody, fast finds more; BROKEN: only failures."""
    return run_of(
        said(CLEAR, "complete", (1, 4, 5), solver="fast", solve=(500,)),
        said(CLEAR, "complete", (1, 4, 5), solver="slow", solve=(2500,)),
        said(CLEAR, "partial", (1,), solver="weak", solve=(100,)),
        said(MINES, "partial", (), (1,), solver="fast", solve=(500,)),
        said(MINES, "complete", (), (1, 2), solver="slow", solve=(2500,)),
        said(MINES, "partial", solver="weak", solve=(100,)),
        said(COUNTED, "partial", (2,), solver="fast", solve=(500,)),
        said(COUNTED, "partial", (), solver="slow", solve=(100,)),
        said(COUNTED, "partial", (1, 2, 3), solver="weak", solve=(100,)),
        failed(BROKEN, solver="fast"),
        said(BROKEN, "complete", solver="slow"),
        failed(BROKEN, "timeout", solver="weak"),
    )


def test_the_virtual_best_is_the_fastest_that_solved_it():
    frame = scores(three_solvers())
    best = virtual_best(frame)
    assert list(best.columns) == list(frame.columns)
    assert set(best["solver"]) == {"virtual best"}
    best = best.set_index("entry")
    assert best["total"].loc[["clear", "mines", "counted"]].tolist() == [1000, 3000, 1000]
    assert best["solved"].to_dict() == {"clear": True, "mines": True, "counted": False, "broken": False}
    assert best.loc["counted", "safe_found"] == 1
    assert best.loc["broken", "outcome"] in ("error", "timeout")
    assert not best["wrong"].any()
    assert summarise(best.reset_index(), 1.0)["safe_recall"] == 4 / 5


def test_contributions_by_hand():
    found = contributions(scores(three_solvers()), 1e-3).set_index("solver")
    assert found["positions"].tolist() == [4, 4, 4]
    assert found["solved"].to_dict() == {"fast": 1, "slow": 2, "weak": 0}
    assert found["fastest"].to_dict() == {"fast": 1, "slow": 1, "weak": 0}
    assert found["only"].to_dict() == {"fast": 0, "slow": 1, "weak": 0}
    penalty = 2000
    assert found["par2_us"].tolist() == pytest.approx([(1 + 3 + 2 * penalty) / 4] * 3)
    assert found["par2_without_us"].to_dict() == pytest.approx(
        {"fast": (3 + 3 + 2 * penalty) / 4, "slow": (1 + 3 * penalty) / 4, "weak": (1 + 3 + 2 * penalty) / 4}
    )
    assert found["marginal_us"].to_dict() == pytest.approx({"fast": 0.5, "slow": (penalty - 3) / 4, "weak": 0})


def test_ties_are_fastest_for_each_and_one_solver_alone_is_all_of_it():
    tied = scores(run_of(*(said(CLEAR, "complete", (1, 4, 5), solver=name) for name in ("a", "b"))))
    assert contributions(tied)["fastest"].tolist() == [1, 1]
    assert contributions(tied)["par2_us"].isna().all()
    alone = contributions(tied[tied["solver"] == "a"], 1.0).iloc[0]
    assert (alone["only"], alone["par2_without_us"]) == (1, 2e6)


# --- Growth -----------------------------------------------------------------------------------------------------


def test_growth_is_that_of_linregress():
    from scipy.stats import linregress, t

    rng = np.random.default_rng(3)
    sizes = np.repeat([10, 20, 50, 100], 3)
    seconds = 2e-6 * sizes**1.5 * np.exp(rng.normal(0, 0.3, 12))
    fit, found = linregress(np.log(sizes), np.log(seconds)), growth(sizes, seconds)
    half = t.ppf(0.975, 10) * fit.stderr
    assert (found.low, found.exponent, found.high) == pytest.approx((fit.slope - half, fit.slope, fit.slope + half))
    assert found.coefficient == pytest.approx(math.exp(fit.intercept))
    assert (found.r_squared, found.n) == (pytest.approx(fit.rvalue**2), 12)


def test_a_power_law_is_found_exactly():
    sizes = np.array([1, 2, 4, 8, 16, 32])
    found = growth(sizes, 3e-6 * sizes**2.0, games=list("aabbcc"))
    assert (found.exponent, found.low, found.high) == pytest.approx((2, 2, 2))
    assert (found.coefficient, found.r_squared) == pytest.approx((3e-6, 1))


def test_growth_resamples_games():
    """Games with an exponent of their own: the points of a game count as one."""
    rng = np.random.default_rng(4)
    games = np.repeat(np.arange(40), 25)
    sizes = np.tile(np.arange(10, 260, 10), 40)
    seconds = sizes ** np.repeat(rng.normal(2, 0.5, 40), 25)
    found = growth(sizes, seconds, games)
    assert found.low < 2 < found.high
    assert found.high - found.low == pytest.approx(2 * 1.96 * 0.5 / math.sqrt(40), rel=0.3)
    tenfold = growth(np.tile(sizes, 10), np.tile(seconds, 10), np.tile(games, 10))
    assert (tenfold.low, tenfold.high) == pytest.approx((found.low, found.high))


def test_growth_of_too_little_is_nan():
    found = growth([5, 5], [1, 2])
    assert (found.n, math.isnan(found.exponent), math.isnan(found.r_squared)) == (2, True, True)
    assert growth([], []).n == 0
    two = growth([1, 10], [1, 100])
    assert two.exponent == pytest.approx(2)
    assert math.isnan(two.low)
    assert math.isnan(growth([1, 10, 20], [1, 100, 200], games=["a", "a", "a"]).high)
    flat = growth([1, 2, 4], [1, 1, 1])
    assert (flat.exponent, math.isnan(flat.r_squared)) == (0, True)
    single_sizes = growth([1, 1, 2, 2], [1, 1, 2, 2], games=["a", "a", "b", "b"])
    assert (single_sizes.low, single_sizes.high) == pytest.approx((1, 1))


@pytest.mark.parametrize(
    ("sizes", "seconds", "message"),
    [
        ([1, 0], [1, 1], "size .* not 0.0"),
        ([1, 2], [1, -3.5], "time .* not -3.5"),
        ([1, math.nan], [1, 1], "nan"),
        ([1, 2], [1], "2, 1"),
    ],
)
def test_growth_refuses(sizes, seconds, message):
    with pytest.raises(ValueError, match=message):
        growth(sizes, seconds)


# --- Runs -------------------------------------------------------------------------------------------------------


def test_a_quiet_run_has_stable_times():
    run = run_of(said(CLEAR, "partial", solve=(1000, 1100), extract=(500, 500)))
    run.header["machine"]["load"] = 0.5
    assert unstable(run, scores(run)) == []


def test_what_makes_times_unstable_is_said():

    wide = said(CLEAR, "partial", solve=(1000, 3000), extract=(500, 500))
    run = run_of(
        wide, replace(said(EVEN, "partial"), preempted=2), said(MINES, "partial", solve=(10, 10), extract=(1, 1))
    )
    run.header["machine"].update(load=1.25, cores=2)
    spread, preempted, load = unstable(run, scores(run))
    assert "1 of 2 records (50.0 %)" in spread
    assert "1 of 3 records (33.3 %)" in preempted
    assert "1.2 on 2 cores" in load


def labelled(run, complete):
    for solver in run.header["solvers"]:
        solver["claims"] = {**solver["claims"], "complete_global": solver["label"] in complete}
    return run


def test_the_tables_hold_text_and_can_be_written():
    tables = statistics_tables(labelled(three_solvers(), {"slow"}))
    names = ["Recall", "Virtual best solver", "Who is the fastest where", "Against slow, global question"]
    assert list(tables) == names
    for title, frame in tables.items():
        assert all(type(cell) is str for cell in frame.to_numpy().flat)
        assert markdown(frame)
        assert latex(frame)
        assert rich_table(frame, title).row_count == len(frame)
    recall = tables["Recall"].set_index("Strategy")
    assert recall.loc["fast", "Safe %"].startswith("80.0 [")
    assert recall.loc["fast", "Mines %"] == "50.0"  # of one game
    assert tables["Virtual best solver"]["Strategy"].tolist() == ["virtual best", "fast", "slow", "weak"]


def test_solved_counts_what_solved_percent_leaves_out_and_the_legend_says_so():
    tables = statistics_tables(run_of(said(CLEAR, "partial", (1,)), said(EVEN, "partial")))
    assert tables["Recall"]["Solved %"].tolist()[0].startswith("0.0")
    assert tables["Virtual best solver"]["Solved"].tolist() == ["1", "1"]  # nothing is entailed, and nothing was said
    assert "Solved have also those in which nothing is, solved by saying nothing" in stats.LEGEND


def test_the_baseline_is_the_peer_the_first_complete_or_the_first():
    records = [said(CLEAR, "partial", (1,), solver=name) for name in ("a", "b", "mstoollib")]
    local = [said(CLEAR, "partial", (1,), solver=name, question="local") for name in ("a", "b")]
    refused = failed(CLEAR, "unsupported", solver="mstoollib", question="local")
    run = run_of(*records, *local, refused)
    labelled(run, {"a"})
    run.header["solvers"][1]["claims"]["complete_local"] = True
    titles = [title for title in statistics_tables(run) if title.startswith("Against")]
    assert titles == ["Against b, local question", "Against mstoollib, global question"]
    assert "Against a, local question" in statistics_tables(run, "a")
    assert [t for t in statistics_tables(run, "mstoollib") if t.startswith("Against")] == titles[1:]
    assert "Against a, global question" in statistics_tables(run_of(*records[:2]))
    with pytest.raises(ValueError, match="'absent'"):
        statistics_tables(run, "absent")


def test_a_run_without_records_or_answers_has_no_tables():
    assert statistics_tables(run_of()) == {}
    assert statistics_tables(run_of(failed(CLEAR))) == {}


def test_with_a_limit_the_tables_have_par2():
    run = three_solvers()
    run.header["limits"] = {"seconds": 1.0, "memory_bytes": None}
    tables = statistics_tables(run, "fast")
    assert tables["Virtual best solver"]["PAR-2 ms"].iloc[0] == "1,000"
    assert tables["Against fast, global question"]["× PAR-2"].str.contains(r"\[").all()


@pytest.mark.parametrize(
    ("form", "value", "text"),
    [
        (stats.p_text, 0.0004, "<0.001"),
        (stats.p_text, 0.0456, "0.046"),
        (stats.p_text, math.nan, "–"),
        (stats._points, -0.0123, "-1.2"),
        (stats._points, 0.0001, "+0.01"),
        (stats._points, 0.0, "0.0"),
        (stats._ratio, 0.0701, "0.070"),
        (stats._ratio, 12.34, "12.3"),
    ],
)
def test_numbers_as_text(form, value, text):
    assert form(value) == text


def test_shared_resamples_give_each_column_its_own_interval():
    over = np.random.default_rng(0).random((50, 2))
    both = ratio_intervals(over, np.ones((50, 2)), np.zeros(50, np.int64), bounds=[None, None], resamples=2000)
    assert both[0] != both[1]
    for j, interval in enumerate(both):
        half = 1.96 * over[:, j].std() / math.sqrt(50)
        assert (interval.low, interval.high) == pytest.approx(
            (over[:, j].mean() - half, over[:, j].mean() + half), abs=0.02
        )
    assert isinstance(both[0], Interval)
