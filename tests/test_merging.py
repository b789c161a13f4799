"""Runs made into one: what was measured in parts is what was measured at once."""

from itertools import product

import pandas as pd
import pytest
from samples import BROKEN, CLEAR, COUNTED, EVEN, MINES, TINY, at_once, failed, replace, run_of, said

from benchmarks import Corpus, Run
from benchmarks.comparison import compare
from benchmarks.corpus import Entry
from benchmarks.diff import diff
from benchmarks.document import document, notes
from benchmarks.merging import merge, repeated
from benchmarks.tables import metrics_table

OTHER = Corpus("other", (COUNTED, CLEAR))
SOLVERS = ("enumeration", "enumeration:max_models=3", "enumeration:max_nodes=1")  # no kernels to compile
TIMED = ("extract_nanoseconds", "solve_nanoseconds", "stats", "preempted")


def measured(solvers=SOLVERS, corpora=(TINY, OTHER), questions=("local", "global"), **more):
    return compare(solvers, corpora, questions=questions, **more)


def answers(run):
    """What is deterministic in the records, by what they answer."""
    return {record.key: replace(record, **dict.fromkeys(TIMED, ())) for record in run.records}


def table(run, by_corpus):
    """What is deterministic in the metrics; the order of the rows counts."""
    frame = metrics_table(run, by_corpus=by_corpus)
    return frame[[column for column in frame if not column.endswith("_us") and column != "ratio"]]


def same(merged, whole):
    assert answers(merged) == answers(whole)
    assert len(merged.records) == len(whole.records)
    for by_corpus in (True, False):
        pd.testing.assert_frame_equal(table(merged, by_corpus), table(whole, by_corpus))
    for key in ("solvers", "corpora", "questions", "repeats", "limits", "limit"):
        assert merged.header[key] == whole.header[key], key
    assert merged.corpora == whole.corpora
    assert "not finished" not in " ".join(notes(merged))


PARTS = {
    "solvers": [{"solvers": SOLVERS[:1]}, {"solvers": SOLVERS[1:]}],
    "questions": [{"questions": "local"}, {"questions": "global"}],
    "questions turned": [{"questions": "global"}, {"questions": "local"}],
    "positions": [{"limit": 2}, {}],
    "positions turned": [{}, {"limit": 2}],
    "corpora": [{"corpora": TINY}, {"corpora": OTHER}],
    "overlap": [{"solvers": SOLVERS[:2]}, {"solvers": SOLVERS[1:]}],
    "the same twice": [{}, {}],
    "three": [{"solvers": solver} for solver in SOLVERS],
    "quarters": [
        {"solvers": solvers, "questions": question}
        for solvers, question in product((SOLVERS[:2], SOLVERS[2:]), ("local", "global"))
    ],
}


@pytest.fixture(scope="module")
def whole():
    return measured()


@pytest.mark.parametrize("parts", PARTS.values(), ids=PARTS)
def test_parts_become_what_was_measured_at_once(parts, whole, tmp_path):
    merged = merge([measured(**part) for part in parts])
    same(merged, whole)
    same(Run.load(merged.save(tmp_path / "run").folder), whole)
    assert len(merged.header["merged"]) == len(parts)


def test_the_larger_limit_counts():
    merged = merge([measured(limit=1), measured(limit=2)])
    same(merged, measured(limit=2))


def test_what_is_missing_is_said():
    merged = merge([measured(SOLVERS[0], questions="local"), measured(SOLVERS[1], questions="global")])
    assert "The run is not finished: 14 of 28 records." in notes(merged)


def test_of_two_records_the_first_counts_with_its_times():
    slow, fast = said(CLEAR, "partial", solve=(9000,)), said(CLEAR, "partial", solve=(10,))
    more = said(EVEN, "partial", solver="two")
    merged = merge([run_of(slow), run_of(more, fast)])
    assert merged.records == [slow, more]
    assert merge([run_of(more, fast), run_of(slow)]).records == [more, fast]


def test_what_was_asked_twice_is_counted():
    one, more = said(CLEAR, "partial"), said(EVEN, "partial")
    assert repeated([run_of(one), run_of(more)]) == 0
    assert repeated([run_of(one, more), run_of(more)]) == 1
    assert repeated([run_of(one, more), run_of(more, one), run_of(one)]) == 2


def test_a_failure_contradicts_no_answer():
    one, two = failed(CLEAR, "timeout"), said(CLEAR, "partial", (1,))
    assert merge([run_of(one), run_of(two)]).records == [one]
    assert merge([run_of(two), run_of(one)]).records == [two]


def test_the_result_merges_again_and_keeps_every_machine(whole, tmp_path):
    parts = []
    for number, solver in enumerate(SOLVERS):
        run = measured(solver, seed=number)
        parts.append(replace(run, header={**run.header, "machine": {**run.header["machine"], "cpu": f"cpu {number}"}}))
    first = merge(parts[:2]).save(tmp_path / "first")
    again = merge([Run.load(tmp_path / "first"), parts[2]])
    same(again, whole)
    assert [origin["machine"]["cpu"] for origin in again.header["merged"]] == ["cpu 0", "cpu 1", "cpu 2"]
    assert [origin["seed"] for origin in again.header["merged"]] == [0, 1, 2]
    assert [origin["records"] for origin in again.header["merged"]] == [14, 14, 14]
    assert first.header["merged"] == again.header["merged"][:2]


def test_everything_else_takes_a_merged_run(whole):
    merged = merge([measured(SOLVERS[0]), measured(SOLVERS[1:])])
    said_first = document(merged).partition("\n")[0]
    assert said_first == document(whole).partition("\n")[0]
    assert said_first.startswith("No wrong claim in ")
    assert not diff(whole, merged).changes


def test_of_two_batches_the_first_counts(tmp_path):
    one = headed(run_of(said(CLEAR, "partial"), batches=[at_once(1), at_once(2)]), batch_threads=[1, 2])
    two = run_of(said(EVEN, "partial"), batches=[at_once(1, (7,)), at_once(4, question="local")])
    two = headed(two, batch_threads=[1, 4], questions=["local", "global"])
    merged = merge([one, two, run_of(said(MINES, "partial"))])
    assert merged.batches == [at_once(1), at_once(2), at_once(4, question="local")]
    assert merged.header["batch_threads"] == [1, 2, 4]
    assert Run.load(merged.save(tmp_path / "run").folder).batches == merged.batches


# what does not fit

ONE = run_of(said(CLEAR, "partial", (1,), (), solver="one"), said(EVEN, "partial", solver="one"))


def headed(run, **header):
    return replace(run, header={**run.header, **header})


def content(*entries):
    corpus = Corpus("tiny", entries)
    return run_of(said(CLEAR, "partial", (1,)), corpus=corpus)


def claiming(**claims):
    (solver,) = ONE.header["solvers"]
    return headed(ONE, solvers=[{**solver, "claims": {**solver["claims"], **claims}}])


MOVED = Entry("clear", "elsewhere", CLEAR.position, CLEAR.local_answer, CLEAR.global_answer)
UNFIT = {
    "one": ([ONE], "to merge takes at least two runs"),
    "none": ([], "to merge takes at least two runs"),
    "repeats": ([ONE, headed(ONE, repeats=3)], r"different repeats: 1 and 3; .* `repeats=` of `compare`"),
    "limits": (
        [ONE, ONE, headed(ONE, limits={"seconds": 5})],
        r"different limits: .*'seconds': None.*'seconds': 5.*; .* `limits=",
    ),
    "corpus, one less": (
        [ONE, content(CLEAR, EVEN)],
        "the corpus 'tiny' is not the same: [0-9a-f]{12} and [0-9a-f]{12}",
    ),
    "corpus, another game": ([ONE, content(MOVED, *TINY.entries[1:])], "the corpus 'tiny' is not the same"),
    "claims": ([ONE, claiming(exact=True)], "the solver 'one' is not the same in all runs"),
    "safe": ([ONE, run_of(said(CLEAR, "partial", (4,)))], "different answers to one, tiny, clear, global"),
    "more safe": ([ONE, run_of(said(CLEAR, "partial", (1, 4)))], "different answers to one, tiny, clear, global"),
    "mines": ([ONE, run_of(said(CLEAR, "partial", (1,), (2,)))], "different answers to one, tiny, clear, global"),
    "status": ([ONE, run_of(said(CLEAR, "complete", (1,)))], "different answers to one, tiny, clear, global"),
    "third": ([ONE, ONE, run_of(said(EVEN, "inconsistent"))], "different answers to one, tiny, even, global"),
}


@pytest.mark.parametrize(("runs", "message"), UNFIT.values(), ids=UNFIT)
def test_what_does_not_fit_is_refused(runs, message):
    with pytest.raises(ValueError, match=message):
        merge(runs)
    with pytest.raises(ValueError, match=message if len(runs) < 2 else "different|not the same"):
        merge(runs[::-1])


def test_the_same_answer_to_another_question_is_no_contradiction():
    local = run_of(said(BROKEN, "partial", question="local"))
    merged = merge([run_of(said(BROKEN, "inconsistent")), local])
    assert [record.question for record in merged.records] == ["global", "local"]
    assert merged.header["questions"] == ["local", "global"]
