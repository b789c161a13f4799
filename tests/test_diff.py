"""Two runs compared, records written by hand."""

import math

import pytest
from samples import BROKEN, CLEAR, COUNTED, EVEN, MINES, NO_MODEL, TINY, entry, failed, replace, run_of, said

from benchmarks.corpus import Corpus
from benchmarks.diff import FEWEST_GAMES, LISTED, diff
from benchmarks.judgement import faults


def changed(old, new):
    """The change between two records, None if there is none."""
    found = diff(run_of(old), run_of(new)).changes
    return found[0] if found else None


def timed(factor, *, solver="one", games=40, jitter=True):
    """A run of one solver; at every position its time is `factor` times what it is with a factor of 1."""
    entries = tuple(replace(EVEN, id=f"e{i}", game=f"g{i}") for i in range(games))
    nanoseconds = [1000 + 37 * i for i in range(games)]
    factors = [factor * (1.02 if jitter and i % 2 else 1) for i in range(games)]
    records = [
        said(e, "partial", solver=solver, solve=(round(f * n),), extract=())
        for e, n, f in zip(entries, nanoseconds, factors, strict=True)
    ]
    return run_of(*records, corpus=Corpus("tiny", entries))


def test_a_run_is_like_itself():
    run = run_of(said(CLEAR, "complete", (1, 4, 5)), said(MINES, "partial"), failed(BROKEN))
    found = diff(run, run)
    assert (found.shared, found.changes, found.slower, found.faster, found.worse) == (3, (), (), (), ())
    assert not found.regressed
    assert found.speeds[0].ratio == 1
    assert found.speeds[0].answers == 2
    assert found.verdict == "No regression: no answer is worse; too few games to tell the times of: one."
    assert "3 of 3 questions are answered alike" in found.document()


def test_a_slower_solver_is_a_regression():
    before, after = timed(1, jitter=False), timed(1.3)
    found = diff(before, after)
    speed = found.speeds[0]
    assert speed.ratio == pytest.approx(1.3 * math.sqrt(1.02), rel=1e-3)
    assert 1.29 < speed.low < speed.ratio < speed.high < 1.33
    assert (speed.answers, speed.games) == (40, 40)
    assert (found.slower, found.faster, found.regressed) == (("one",), (), True)
    assert found.document().startswith("REGRESSED: slower: one.")
    back = diff(after, before)
    assert (back.slower, back.faster, back.regressed) == ((), ("one",), False)
    assert back.verdict.endswith("faster: one.")


@pytest.mark.parametrize(("factor", "tolerance", "slower"), [(1.05, 1.1, False), (1.05, 1.0, True), (1.3, 1.5, False)])
def test_the_tolerance_decides(factor, tolerance, slower):
    assert bool(diff(timed(1, jitter=False), timed(factor), tolerance=tolerance).slower) is slower


def test_an_interval_that_reaches_into_the_tolerance_is_no_verdict():
    """One position much slower, the others alike: the mean is beyond the tolerance, its low end is not."""
    before = timed(1, games=10, jitter=False)
    slow = replace(before.records[0], solve_nanoseconds=(before.records[0].solve_nanoseconds[0] * 20,))
    found = diff(before, replace_records(before, [slow, *before.records[1:]]))
    assert found.speeds[0].ratio == pytest.approx(20 ** (1 / 10))
    assert found.speeds[0].low < 1.1
    assert not found.regressed


def replace_records(run, records):
    return replace(run, records=records)


def test_a_single_game_has_a_ratio_and_no_verdict():
    found = diff(run_of(said(CLEAR, "partial")), run_of(said(CLEAR, "partial", solve=(9_000_000,))))
    assert found.speeds[0].ratio > 1000
    assert math.isnan(found.speeds[0].low)
    assert not found.regressed
    assert "| one | 1 | 1 | 6,000 | – | too few games |" in found.document()


@pytest.mark.parametrize(("games", "told"), [(FEWEST_GAMES - 1, False), (FEWEST_GAMES, True)])
def test_a_few_games_are_no_verdict_on_times(games, told):
    """Every one of them is much slower, so the interval is narrow; that of 3 games says nothing about others."""
    before, after = timed(1, games=games, jitter=False), timed(3, games=games)
    found, back = diff(before, after), diff(after, before)
    assert found.speeds[0].low > 2
    assert (found.slower, found.regressed, back.faster) == ((("one",), True, ("one",)) if told else ((), False, ()))
    assert found.untold == (() if told else ("one",))
    assert ("too few games to tell the times of: one" in found.verdict) is not told
    assert ("| too few games |" in found.document()) is not told
    assert ("no solver slower" in diff(before, before).verdict) is told


def test_who_answered_nothing_has_no_ratio():
    found = diff(run_of(failed(CLEAR)), run_of(failed(CLEAR)))
    assert (found.speeds[0].answers, math.isnan(found.speeds[0].ratio)) == (0, True)
    assert found.untold == ()
    assert not found.regressed


ALL, SOME = (1, 4, 5), (1,)


@pytest.mark.parametrize(
    ("old", "new", "what", "worse"),
    [
        (said(CLEAR, "complete", ALL), failed(CLEAR, "timeout"), "complete → timeout: 3 lost", True),
        (said(CLEAR, "complete", ALL), said(CLEAR, "partial", ALL), "complete → partial", True),
        (said(CLEAR, "partial", ALL), said(CLEAR, "complete", ALL), "partial → complete", False),
        (said(CLEAR, "partial", SOME), said(CLEAR, "partial", ALL), "partial: 2 gained", False),
        (said(CLEAR, "partial", ALL), said(CLEAR, "partial", SOME), "partial: 2 lost", True),
        (said(CLEAR, "partial", (1,)), said(CLEAR, "partial", (4, 5)), "partial: 2 gained, 1 lost", True),
        (failed(CLEAR, "timeout"), said(CLEAR, "partial", SOME), "timeout → partial: 1 gained", False),
        (failed(CLEAR, "timeout"), failed(CLEAR, "memory"), "timeout → memory", False),
        (failed(CLEAR, "timeout"), failed(CLEAR, "crashed"), "timeout → crashed", True),
        (failed(CLEAR, "crashed"), failed(CLEAR, "timeout"), "crashed → timeout", False),
        (failed(CLEAR, "unsupported"), failed(CLEAR, "timeout"), "unsupported → timeout", False),
        (said(BROKEN, "partial", (1,)), said(BROKEN, "partial"), "partial: 1 lost", False),
        (said(BROKEN, "partial"), said(BROKEN, "partial", (1,)), "partial: 1 gained", False),
        (said(BROKEN, "partial", (1,)), said(BROKEN, "inconsistent"), "partial → inconsistent: 1 lost", False),
        (said(BROKEN, "inconsistent"), said(BROKEN, "partial"), "inconsistent → partial", True),
    ],
)
def test_every_kind_of_change(old, new, what, worse):
    change = changed(old, new)
    assert (change.what, change.worse) == (what, worse)
    assert diff(run_of(old), run_of(new)).regressed is worse


def test_wrong_answers():
    def wrong(*safe):
        record = replace(said(CLEAR, "partial", safe), outcome="wrong")
        assert faults(record, CLEAR)
        return record

    right = said(CLEAR, "partial", ALL)
    assert changed(right, wrong(1, 2, 4, 5)).worse
    assert not changed(wrong(1, 2), said(CLEAR, "partial")).worse  # it lost a true cell with the false one
    assert changed(wrong(2), wrong(2, 3)).worse
    assert not changed(wrong(2, 3), wrong(2)).worse
    assert changed(wrong(1, 2), wrong(2)).worse
    assert changed(failed(CLEAR), wrong(2)).worse


def test_the_question_decides_which_truth():
    old, new = said(COUNTED, "partial", (2, 3)), said(COUNTED, "partial")
    assert changed(old, new).worse
    local = [replace(record, question="local") for record in (old, new)]
    assert not changed(*local).worse  # without the mine count these cells are not entailed


def test_the_same_claims_are_no_change():
    record = said(CLEAR, "partial", (1, 4), (2,))
    assert changed(record, replace(record, message="other", solve_nanoseconds=(5,))) is None


def test_changes_are_by_solver_and_corpus():
    solvers, entries = ("b", "a"), (CLEAR, MINES)
    old = [said(e, "complete", e.global_answer.safe, e.global_answer.mines, solver=s) for e in entries for s in solvers]
    new = [failed(record_entry, solver=s) for record_entry in entries for s in solvers]
    found = diff(run_of(*old), run_of(*new))
    assert [(c.solver, c.entry) for c in found.changes] == [
        ("b", "clear"),
        ("b", "mines"),
        ("a", "clear"),
        ("a", "mines"),
    ]
    assert "worse answers: b 2, a 2" in found.verdict
    assert "| b | complete → error | yes | 2 |" in found.document()


def test_positions_of_other_content_are_not_compared():
    other = entry("mines", ["##1"], 2, ((), (1,)), ((), (0, 1)))
    corpus = Corpus("tiny", (CLEAR, other))
    before = run_of(said(CLEAR, "partial"), said(MINES, "partial", (), (1,)))
    found = diff(before, run_of(said(CLEAR, "partial"), failed(other), corpus=corpus))
    assert (found.shared, found.changes) == (1, ())
    assert "Not compared: 1 position of the same name with different content." in found.notes


def test_other_answers_are_other_content_and_the_game_is_not():
    renamed = Corpus("tiny", (replace(CLEAR, game="elsewhere"),))
    assert diff(run_of(said(CLEAR, "partial")), run_of(said(CLEAR, "partial"), corpus=renamed)).shared == 1
    unlike = Corpus("tiny", (replace(EVEN, local_answer=NO_MODEL, global_answer=NO_MODEL),))
    with pytest.raises(ValueError, match="1 position of different content"):
        diff(run_of(said(EVEN, "partial")), run_of(said(EVEN, "partial"), corpus=unlike))


def test_what_only_one_run_has_is_said():
    before = run_of(said(CLEAR, "partial"), said(MINES, "partial"), said(CLEAR, "partial", solver="old"))
    after = run_of(said(CLEAR, "partial"), said(CLEAR, "partial", question="local"))
    notes = diff(before, after).notes
    assert "Only before: the solver old." in notes
    assert "Only before: 1 more question to a solver that both have." in notes
    assert "Only after: the question local." in notes


def test_runs_that_share_nothing_are_refused():
    elsewhere = Corpus("elsewhere", TINY.entries)
    other = run_of(replace(said(CLEAR, "partial"), corpus="elsewhere"), corpus=elsewhere)
    with pytest.raises(ValueError, match="share nothing: one on tiny before, one on elsewhere after"):
        diff(run_of(said(CLEAR, "partial")), other)
    with pytest.raises(ValueError, match="two on tiny"):
        diff(run_of(said(CLEAR, "partial")), run_of(said(CLEAR, "partial", solver="two")))
    with pytest.raises(ValueError, match="no solver"):
        diff(run_of(), run_of())


@pytest.mark.parametrize("tolerance", [0.9, 0, math.nan])
def test_a_tolerance_is_at_least_1(tolerance):
    run = run_of(said(CLEAR, "partial"))
    with pytest.raises(ValueError, match=str(tolerance)):
        diff(run, run, tolerance=tolerance)


def test_other_machines_limits_and_commits_are_said():
    before, after = run_of(said(CLEAR, "partial")), run_of(said(CLEAR, "partial"))
    assert diff(before, after).notes == ("Commit before: abc; after: abc.",)
    after.header["machine"] = {**after.header["machine"], "cpu": "D", "commit": None, "dirty": True, "python": "4"}
    after.header["limits"] = {"seconds": 1.0, "memory_bytes": None}
    text = diff(before, after).document()
    assert "different machines: cpu C and D. Their ratios of times mean little." in text
    assert "different limits" in text
    assert "Different software: Python 3 and 4." in text
    assert "Commit before: abc; after: unknown, with changes." in text


def test_a_document_lists_some_of_the_changes_worse_first():
    entries = tuple(replace(CLEAR, id=f"e{i}", game=f"g{i}") for i in range(LISTED + 5))
    corpus = Corpus("tiny", entries)
    before = run_of(*(said(e, "partial", SOME) for e in entries), corpus=corpus)
    new = [said(e, "partial", ALL) for e in entries[:-1]] + [said(entries[-1], "partial")]
    text = diff(before, run_of(*new, corpus=corpus)).document()
    lines = [line for line in text.splitlines() if line.startswith("| one | tiny |")]
    assert len(lines) == LISTED
    assert lines[0] == f"| one | tiny | e{LISTED + 4} | global | partial: 1 lost |"
    assert "And 5 more" in text
    assert text.startswith("REGRESSED: worse answers: one 1.")
