"""Metrics of records written by hand, with numbers worked out by hand."""

import math

import pytest
from samples import BROKEN, CLEAR, COUNTED, EVEN, MINES, TINY, failed, replace, run_of, said

from benchmarks.judgement import explain, faults, score
from benchmarks.metrics import claims_text, summaries, wrong_claims


def only(rows, **wanted):
    found = [row for row in rows if all(row[key] == value for key, value in wanted.items())]
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(
    ("record", "entry", "kinds"),
    [
        (said(CLEAR, "complete", (1, 4, 5)), CLEAR, ()),
        (said(CLEAR, "partial", (1,)), CLEAR, ()),
        (said(CLEAR, "partial"), CLEAR, ()),
        (said(CLEAR, "partial", (1, 2)), CLEAR, ("false_cell",)),
        (said(CLEAR, "partial", (), (1,)), CLEAR, ("false_cell",)),
        (said(CLEAR, "complete", (1, 4)), CLEAR, ("false_complete",)),
        (said(CLEAR, "complete", (1, 4, 2)), CLEAR, ("false_cell", "false_complete")),
        (said(CLEAR, "inconsistent"), CLEAR, ("false_inconsistent",)),
        (said(CLEAR, "partial", (1,), (1,)), CLEAR, ("false_cell", "malformed")),
        (said(CLEAR, "partial", (0,)), CLEAR, ("false_cell", "malformed")),
        (said(CLEAR, "partial", (99,)), CLEAR, ("false_cell", "malformed")),
        (said(EVEN, "complete"), EVEN, ()),
        (said(COUNTED, "complete", (2, 3)), COUNTED, ()),
        (said(COUNTED, "complete", (2, 3), question="local"), COUNTED, ("false_cell",)),
        (said(COUNTED, "complete", question="local"), COUNTED, ()),
        (said(COUNTED, "complete"), COUNTED, ("false_complete",)),
        (said(BROKEN, "inconsistent"), BROKEN, ()),
        (said(BROKEN, "partial", (1,), (3,)), BROKEN, ()),
        (said(BROKEN, "complete"), BROKEN, ("missed_inconsistent",)),
        (said(BROKEN, "inconsistent", (1,)), BROKEN, ("malformed",)),
        (said(BROKEN, "partial", (1,), (1,)), BROKEN, ("malformed",)),
        (failed(CLEAR), CLEAR, ()),
    ],
)
def test_every_kind_of_wrong_claim(record, entry, kinds):
    assert faults(record, entry) == kinds
    assert bool(explain(record, entry)) is bool(kinds)


def test_an_explanation_names_the_cells():
    words = explain(said(CLEAR, "complete", (1, 2), (3,)), CLEAR)
    assert words == "not entailed: safe [2], mines [3]; COMPLETE without the entailed cells [4, 5]"


def test_recalls_are_pooled_over_cells_not_averaged_over_positions():
    run = run_of(said(CLEAR, "partial", (1,)), said(COUNTED, "partial", (2, 3)), said(MINES, "partial", (), (1,)))
    row = only(summaries(run))
    assert (row["safe_found"], row["safe_entailed"], row["safe_recall"]) == (3, 5, 3 / 5)
    assert (row["mines_found"], row["mines_entailed"], row["mine_recall"]) == (1, 2, 1 / 2)
    assert row["recall"] == 4 / 7
    assert row["solved_share"] == 1 / 3


def test_each_question_is_judged_by_its_own_truth():
    run = run_of(
        *(
            said(e, "partial", e.local_answer.safe, e.local_answer.mines, question=q)
            for q in ("local", "global")
            for e in (CLEAR, COUNTED, MINES)
        )
    )
    local, whole = (only(summaries(run), question=q) for q in ("local", "global"))
    assert (local["safe_recall"], local["mine_recall"], local["solved_share"]) == (1, 1, 1)
    assert (whole["safe_recall"], whole["mine_recall"], whole["solved_share"]) == (3 / 5, 1 / 2, 1 / 3)
    assert local["safe_recall_of_global"] == whole["safe_recall_of_global"] == 3 / 5


def test_positions_in_which_nothing_is_entailed_are_counted_apart():
    alone = only(summaries(run_of(said(EVEN, "complete"))))
    assert (alone["positions"], alone["nothing_entailed"]) == (1, 1)
    assert all(math.isnan(alone[key]) for key in ("safe_recall", "mine_recall", "recall", "solved_share"))
    both = only(summaries(run_of(said(EVEN, "complete"), said(CLEAR, "partial", (1, 4)))))
    assert (both["safe_recall"], both["solved_share"], both["nothing_entailed"]) == (2 / 3, 0, 1)


def test_an_inconsistency_is_solved_by_saying_so():
    assert score(said(BROKEN, "inconsistent"), BROKEN).solved
    assert not score(said(BROKEN, "partial"), BROKEN).solved
    assert not score(said(BROKEN, "inconsistent"), BROKEN).nothing_entailed
    assert math.isnan(only(summaries(run_of(said(BROKEN, "inconsistent"))))["safe_recall"])


def test_a_wrong_answer_is_not_solved_even_if_it_has_all_cells():
    assert not score(said(CLEAR, "partial", (1, 2, 4, 5)), CLEAR).solved


def test_wrong_claims_are_counted_by_kind_and_once_a_record():
    run = run_of(
        said(CLEAR, "complete", (1, 2)), said(MINES, "inconsistent"), said(BROKEN, "complete"), said(EVEN, "complete")
    )
    row = only(summaries(run))
    assert row["wrong"] == 3
    assert [row[k] for k in ("false_cell", "false_complete", "false_inconsistent", "missed_inconsistent")] == [1] * 4
    assert [record.entry for record, _ in wrong_claims(run)] == ["clear", "mines", "broken"]


def test_errors_found_nothing_and_have_no_time():
    run = run_of(said(CLEAR, "complete", (1, 4, 5)), failed(COUNTED), failed(MINES, "unsupported"))
    row = only(summaries(run))
    assert (row["errors"], row["unsupported"], row["wrong"]) == (1, 1, 0)
    assert row["safe_recall"] == 3 / 5
    assert row["total_max_us"] == 1.5


def test_who_answered_nothing_has_no_recall():
    row = only(summaries(run_of(failed(CLEAR, "unsupported"), failed(MINES, "unsupported"))))
    assert math.isnan(row["safe_recall"])
    assert math.isnan(row["solved_share"])
    assert math.isnan(row["total_median_us"])


def test_times_are_medians_of_repeats_then_spread_over_positions():
    run = run_of(
        said(CLEAR, "partial", extract=(1000, 9000, 2000), solve=(10_000, 20_000, 60_000)),  # 11, 29, 62
        said(EVEN, "partial", extract=(1000,), solve=(4000,)),
        said(MINES, "partial", extract=(3000,), solve=(96_000,)),
    )
    row = only(summaries(run))
    assert (row["extract_median_us"], row["extract_max_us"]) == (2, 3)
    assert (row["solve_median_us"], row["solve_max_us"]) == (20, 96)
    assert (row["total_median_us"], row["total_max_us"]) == (29, 99)
    assert row["total_p95_us"] == pytest.approx(29 + 0.9 * (99 - 29))


def test_a_reader_of_positions_is_timed_by_its_solving_and_the_rest_relative_to_it():
    run = run_of(
        said(CLEAR, "partial", solver="mstoollib", extract=(), solve=(3000,)),
        said(CLEAR, "partial", solver="one", extract=(500,), solve=(1000,)),
    )
    peer, one = (only(summaries(run), solver=name) for name in ("mstoollib", "one"))
    assert (peer["total_median_us"], peer["ratio"]) == (3, 1)
    assert math.isnan(peer["extract_median_us"])
    assert (one["total_median_us"], one["ratio"]) == (1.5, 0.5)


def test_without_the_peer_there_is_no_ratio():
    assert math.isnan(only(summaries(run_of(said(CLEAR, "partial"))))["ratio"])


def test_rows_follow_the_run_and_can_be_pooled():
    records = [said(CLEAR, "partial", solver=s, question=q) for q in ("global", "local") for s in ("b", "a")]
    run = run_of(*records)
    order = [("local", "b"), ("local", "a"), ("global", "b"), ("global", "a")]
    assert [(row["question"], row["solver"]) for row in summaries(run)] == order
    assert all(row["corpus"] == TINY.name for row in summaries(run))
    assert all("corpus" not in row for row in summaries(run, by_corpus=False))


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ((), "sound"),
        (("complete_local",), "complete local"),
        (("complete_global", "marginals"), "complete global, marginals"),
        (("complete_local", "complete_global", "marginals", "exact"), "complete, marginals, exact"),
    ],
)
def test_claims_in_words(names, text):
    known = ("complete_local", "complete_global", "marginals", "exact")
    assert claims_text({name: name in names for name in known}) == text


def test_peaks_of_memory_are_those_that_are_known_of_answers():
    known = [
        replace(said(entry, "partial"), peak_bytes=peak)
        for entry, peak in ((CLEAR, 10), (EVEN, 1000), (MINES, 30), (COUNTED, None))
    ]
    row = only(summaries(run_of(*known, replace(failed(BROKEN, "memory"), peak_bytes=10**9))))
    assert (row["peak_median_bytes"], row["peak_max_bytes"]) == (30, 1000)
    row = only(summaries(run_of(said(CLEAR, "partial"))))
    assert math.isnan(row["peak_median_bytes"])
    assert math.isnan(row["peak_max_bytes"])
