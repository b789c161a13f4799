"""compare(): any solver, any corpus, one record a question, and a run that can be read back."""

import gc
import itertools
import json
import signal
import sys
import threading
import time
from dataclasses import dataclass

import numpy as np
import pytest
from samples import BROKEN, CLEAR, EVEN, MINES, TINY, Corpus, replace, shared_corpus

from benchmarks import Record, Run, compare, write_corpus
from benchmarks.batch_tables import wrong_batches
from benchmarks.comparison import resume
from benchmarks.document import document
from benchmarks.judgement import faults
from benchmarks.records import FAILURES, failure_notes
from benchmarks.tables import headline, html, markdown
from board import COVERED
from solvers import Claims, Deduction, Marginals, Status, Unsupported, make_solver


def masks(n, safe=(), mines=()):
    found = np.zeros((2, n), np.bool_)
    found[0, list(safe)] = found[1, list(mines)] = True
    return found[0].copy(), found[1].copy()


@dataclass(frozen=True)
class Says:
    """Gives the same answer to everything."""

    status: Status = Status.PARTIAL
    safe: tuple = ()
    mines: tuple = ()
    claims = Claims()

    def deduce(self, problem, /):
        return Deduction(*masks(problem.n, self.safe, self.mines), self.status)


class Does:
    """Calls a function; not even a dataclass."""

    claims = Claims()

    def __init__(self, function):
        self.function = function

    def deduce(self, problem, /):
        return self.function(problem)


class Unclaimed:
    def deduce(self, problem, /):
        return Deduction(*masks(problem.n), Status.PARTIAL)


def only(corpus_entry, solver, question="global", **more):
    run = compare(solver, Corpus("tiny", (corpus_entry,)), questions=question, **more)
    (record,) = run.records
    return record


def test_a_solver_of_your_own_next_to_known_ones():
    run = compare(["subset", Says(), make_solver("enumeration")], TINY)
    assert [s["label"] for s in run.header["solvers"]] == ["subset", "Says", "enumeration"]
    assert len(run.records) == 3 * 2 * len(TINY)
    assert {(r.solver, r.entry, r.question) for r in run.records} == {
        (s, e.id, q) for s in ("subset", "Says", "enumeration") for e in TINY for q in ("local", "global")
    }
    for entry in TINY:
        for question in ("local", "global"):
            truth = entry.answer(question)
            (record,) = (
                r for r in run.records if (r.solver, r.entry, r.question) == ("enumeration", entry.id, question)
            )
            assert record.outcome == record.status == ("complete" if truth.consistent else "inconsistent")
            assert (record.safe, record.mines, record.game) == (truth.safe, truth.mines, entry.game)
            assert faults(record, entry) == ()


def test_the_local_question_hides_the_mine_count(monkeypatch):
    monkeypatch.setattr("benchmarks.measuring.SHORT_NANOSECONDS", 0)  # each call once
    seen = []
    compare(Does(lambda problem: seen.append(problem.mines)), Corpus("tiny", (CLEAR,)))
    assert seen == [None, 1, None, 1]  # the warm-up comes first


@pytest.mark.parametrize(
    ("strategy", "entry", "outcome", "words"),
    [
        (Says(Status.COMPLETE, (1, 4, 5)), CLEAR, "complete", ""),
        (Says(Status.PARTIAL, (1,)), CLEAR, "partial", ""),
        (Says(Status.PARTIAL, (2,)), CLEAR, "wrong", "not entailed: safe [2]"),
        (Says(Status.PARTIAL, (), (1,)), CLEAR, "wrong", "mines [1]"),
        (Says(Status.COMPLETE), CLEAR, "wrong", "COMPLETE without the entailed cells [1, 4, 5]"),
        (Says(Status.INCONSISTENT), CLEAR, "wrong", "INCONSISTENT, but there is a model"),
        (Says(Status.COMPLETE), BROKEN, "wrong", "COMPLETE, but there is no model"),
        (Says(Status.PARTIAL, (0,)), CLEAR, "wrong", "is not covered"),
        (Says(Status.PARTIAL, (1,), (1,)), BROKEN, "wrong", "both safe and a mine"),
        (Says(Status.INCONSISTENT), BROKEN, "inconsistent", ""),
    ],
)
def test_what_is_said_is_judged_at_once(strategy, entry, outcome, words):
    record = only(entry, strategy)
    assert record.outcome == outcome
    assert record.status == strategy.status.value
    assert (record.safe, record.mines) == (strategy.safe, strategy.mines)
    assert words in record.message
    assert bool(record.message) is (outcome == "wrong")


class Panic(BaseException):
    """As a compiled library raises it."""


def raising(wrong):
    def function(problem):
        raise wrong

    return Does(function)


@pytest.mark.parametrize(
    ("strategy", "outcome", "message"),
    [
        (raising(RuntimeError("two\nlines")), "error", "RuntimeError: two lines"),
        (raising(RecursionError()), "error", "RecursionError: "),
        (raising(Panic("panic")), "error", "Panic: panic"),
        (raising(SystemExit(3)), "error", "SystemExit: 3"),
        (raising(Unsupported("not this one")), "unsupported", "not this one"),
        (Does(lambda problem: None), "error", "gave NoneType, not a Deduction"),
        (Does(lambda problem: Deduction(*masks(3), Status.PARTIAL)), "error", "safe is bool (8,), not bool (3,)"),
        (
            Does(lambda problem: Deduction(np.zeros(8), np.zeros(8), Status.PARTIAL)),
            "error",
            "safe is bool (8,), not float64 (8,)",
        ),
        (Does(lambda problem: Deduction(*masks(8), "complete")), "error", "'complete' is no Status"),
    ],
)
def test_an_exception_or_nonsense_costs_one_record_only(strategy, outcome, message):
    run = compare([strategy, Says()], Corpus("tiny", (CLEAR, CLEAR_TOO)), questions="global")
    bad, good = run.records[0].solver, run.records[1].solver
    assert [r.outcome for r in run.records if r.solver == good] == ["partial"] * 2
    said = [r for r in run.records if r.solver == bad]
    assert [(r.outcome, r.message, r.status) for r in said] == [(outcome, message, None)] * 2
    assert all(len(r.solve_nanoseconds) == 1 for r in run.records)


CLEAR_TOO = type(CLEAR)("clear-2", "game-2", CLEAR.position, CLEAR.local_answer, CLEAR.global_answer)


def test_a_run_as_text_and_in_a_notebook_says_why_solvers_failed():
    def fickle(problem):
        if problem.mines is None:
            raise KeyError("<a>")
        raise Unsupported("not this one")

    corpus = Corpus("tiny", (CLEAR, CLEAR_TOO))
    run = compare([Does(fickle), Says(), raising(ValueError("oh & ah"))], corpus)
    reasons = ["Does (2), 4 times: ValueError: oh & ah"]
    reasons += ["Does, 2 times: KeyError: '<a>'", "Does, 2 times: not this one"]
    blank, *said = str(run).splitlines()[5:]  # below the table's two lines of head and three solvers
    assert (blank, sorted(said)) == ("", sorted(reasons))
    assert all(reason in document(run).splitlines() for reason in reasons)
    assert "<p>Does (2), 4 times: ValueError: oh &amp; ah</p>" in run._repr_html_()
    assert "<p>Does, 2 times: KeyError: &#x27;&lt;a&gt;&#x27;</p>" in run._repr_html_()


def test_every_solver_that_failed_is_listed_with_its_most_frequent_reasons():
    def record(number, solver, outcome, message):
        return Record(solver, "tiny", str(number), "game", "local", outcome, None, (), (), (), (5,), message)

    said = {"a": "x", "b": "wyyz", "c": "vwxyzyy"}
    failed = [(solver, FAILURES[i % 4], message) for solver, all_of in said.items() for i, message in enumerate(all_of)]
    records = [record(i, *one) for i, one in enumerate(failed)]
    assert failure_notes(records) == [
        *("c, 3 times: y", "c, once: v", "c, once: w", "c, 2 times: 2 other reasons"),
        *("b, 2 times: y", "b, once: w", "b, once: z"),
        "a, once: x",
    ]
    assert failure_notes([record(0, "a", "unsupported", "x")]) == ["a, once: x"]
    assert failure_notes([]) == []


def test_an_answer_that_changes_is_an_error():
    turn = iter(range(100))
    fickle = Does(lambda p: Deduction(*masks(p.n, [(1, 4, 5)[next(turn) % 3]]), Status.PARTIAL))
    record = only(CLEAR, fickle, repeats=3)
    assert (record.outcome, record.message) == ("error", "gave different answers to the same question")
    turn = iter(range(100))
    sometimes = Does(lambda p: Deduction(*masks(p.n, [2] if next(turn) == 2 else [1]), Status.PARTIAL))
    assert only(CLEAR, sometimes, repeats=3).outcome == "wrong"


def test_every_repeat_is_stored_unrounded_and_extraction_apart():
    record = only(CLEAR, Says(), repeats=5)
    assert len(record.extract_nanoseconds) == len(record.solve_nanoseconds) == 5
    assert all(type(t) is int and t > 0 for t in record.extract_nanoseconds + record.solve_nanoseconds)


def test_a_solver_that_reads_positions_has_no_extraction():
    class Reader(Says):
        reads_position = True

        def deduce(self, problem, /):
            assert problem.position is CLEAR.position
            return super().deduce(problem)

    record = only(CLEAR, Reader())
    assert record.outcome == "partial"
    assert record.extract_nanoseconds == ()


def test_nobody_always_comes_first_or_after_the_same_one(monkeypatch):
    monkeypatch.setattr("benchmarks.measuring.SHORT_NANOSECONDS", 0)  # each call once
    order = []
    named = [Does(lambda p, i=i: order.append(i)) for i in range(3)]
    corpus = Corpus("tiny", tuple(replace(EVEN, id=f"even-{i}") for i in range(60)))
    compare(named, corpus, questions="global")
    warm_up, *turns = (tuple(order[i : i + 3]) for i in range(0, len(order), 3))
    assert warm_up == (0, 1, 2)
    assert all(sorted(turn) == [0, 1, 2] for turn in turns)
    assert min(turns.count(turn) for turn in itertools.permutations(range(3))) >= 3
    order.clear()
    compare(named[:2], Corpus("tiny", (CLEAR,)), questions="global", repeats=2)
    assert order[2:4] == order[:-3:-1]  # the second repeat in the other order


def test_a_short_call_is_put_again_at_once_and_timed_then(monkeypatch):
    monkeypatch.setattr("benchmarks.measuring.SHORT_NANOSECONDS", 10**10)
    calls = []

    def slow_at_first(problem):
        calls.append(problem)
        if len(calls) == 2:  # after the warm-up
            time.sleep(0.2)

    (record,) = compare(Does(slow_at_first), Corpus("tiny", (CLEAR,)), questions="global").records
    assert record.solve_nanoseconds[0] < 200_000_000
    calls.clear()
    monkeypatch.setattr("benchmarks.measuring.SHORT_NANOSECONDS", 10**6)
    compare(Does(lambda problem: calls.append(time.sleep(0.002))), Corpus("tiny", (CLEAR,)), questions="global")
    assert len(calls) == 2


def test_the_collector_is_off_during_calls_and_back_on_after():
    seen = []
    compare(Does(lambda p: seen.append(gc.isenabled())), Corpus("tiny", (CLEAR,)))
    assert set(seen) == {False}
    assert gc.isenabled()


def test_the_same_label_twice_is_numbered():
    run = compare(["single", "single", Says(), Says(Status.PARTIAL)], Corpus("tiny", (EVEN,)), questions="local")
    assert [s["label"] for s in run.header["solvers"]] == ["single", "single (2)", "Says", "Says (2)"]
    assert {r.solver for r in run.records} == {"single", "single (2)", "Says", "Says (2)"}


def test_several_corpora_a_limit_and_progress(tmp_path):
    write_corpus(Corpus("file", (EVEN, CLEAR)), tmp_path / "file.jsonl")
    calls = []
    run = compare(
        "single",
        [TINY, tmp_path / "file.jsonl"],
        questions=["global", "local"],
        limit=2,
        progress=lambda done, total: calls.append((done, total)),
    )
    assert [(r.corpus, r.entry, r.question) for r in run.records] == [
        (corpus, entry, question)
        for corpus, entries in (("tiny", ("clear", "even")), ("file", ("even", "clear")))
        for entry in entries
        for question in ("local", "global")
    ]
    assert calls == [(done, 8) for done in range(9)]
    whole, part = (item for item in run.header["corpora"])
    assert (whole["hash"], whole["positions"], whole["asked"]) == (TINY.hash, len(TINY), 2)
    assert (part["positions"], part["asked"]) == (2, 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([], TINY), "no solver"),
        ((["single"], []), "no corpus"),
        ((["single"], Corpus("none", ())), "'none' is empty"),
        ((["single"], [TINY, TINY]), "two corpora are called 'tiny'"),
        ((["singel"], TINY), "did you mean 'single'"),
        (([Says], TINY), "is no solver"),
        ((["single", 3], TINY), "3 is no solver"),
        ((["single", Unclaimed()], TINY), r"^Unclaimed has no claims: write `claims = Claims\(\)` in its class"),
        ((["single"], "beginer-random"), "unknown corpus 'beginer-random'"),
    ],
)
def test_bad_arguments_are_quoted(arguments, message):
    with pytest.raises(ValueError, match=message):
        compare(*arguments)


@pytest.mark.parametrize(
    ("more", "message"),
    [({"questions": "both"}, "'both'"), ({"questions": []}, "no question"), ({"limit": 0}, "0"), ({"repeats": 0}, "0")],
)
def test_bad_options_are_quoted(more, message):
    with pytest.raises(ValueError, match=message):
        compare("single", TINY, **more)


def test_a_run_folder_reads_back_as_it_was(tmp_path):
    run = compare(["subset", Says()], TINY, limit=3, repeats=2, folder=tmp_path / "run", command="made by hand")
    read = Run.load(tmp_path / "run")
    assert read.records == run.records
    assert read.header == run.header
    assert read.corpora == run.corpora
    assert read.header["command"] == "made by hand"
    assert document(read, form="csv") == document(run, form="csv")
    saved = run.save(tmp_path / "again")
    for name in ("header.json", "records.jsonl"):
        assert (saved.folder / name).read_bytes() == (tmp_path / "run" / name).read_bytes()


def test_the_header_says_where_it_was_measured():
    header = compare("single", TINY, limit=1).header
    machine = header["machine"]
    assert machine["python"] == ".".join(map(str, sys.version_info[:3]))
    assert machine["libraries"]["numpy"] == np.__version__
    assert {"sapper", "cpu", "cores", "commit", "dirty", "numba_cache"} <= set(machine)
    assert machine["numba_cache"]["loaded"] + machine["numba_cache"]["compiled"] > 0
    json.dumps(header)


def test_a_run_is_never_overwritten(tmp_path):
    (tmp_path / "kept").write_text("mine")
    with pytest.raises(FileExistsError, match=r"never overwritten: name another folder, or delete it$"):
        compare("single", TINY, folder=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


def test_an_interrupt_keeps_what_was_measured(tmp_path):
    def stop(done, total):
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compare(["single", "subset"], TINY, progress=stop, folder=tmp_path / "run")
    read = Run.load(tmp_path / "run")
    assert len(read.records) == 3
    assert "not finished: 3 of 20 records" in document(read)


def test_an_interrupt_inside_a_solver_is_no_error_record():
    with pytest.raises(KeyboardInterrupt):
        compare(raising(KeyboardInterrupt()), TINY)
    assert gc.isenabled()


def test_records_are_on_the_disk_as_they_are_measured(tmp_path):
    lengths = []
    path = tmp_path / "run" / "records.jsonl"
    compare(
        "single",
        TINY,
        folder=tmp_path / "run",
        progress=lambda done, total: lengths.append(len(path.read_text().splitlines())),
    )
    assert lengths == list(range(11))


def test_a_torn_last_record_is_left_out_and_a_bad_one_named(tmp_path):
    compare("single", TINY, folder=tmp_path / "run")
    path = tmp_path / "run" / "records.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:4]) + lines[4][:30])
    assert len(Run.load(tmp_path / "run").records) == 4
    path.write_text(lines[0] + "{}\n" + lines[1])
    with pytest.raises(ValueError, match=r"records.jsonl, line 2: not a record"):
        Run.load(tmp_path / "run")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "no header.json"),
        ("nonsense", "header"),
        ("\udcff\udcfe", "it is no text"),
        ('{"format": 99}', "format 99"),
    ],
)
def test_what_is_no_run_is_named(tmp_path, content, message):
    if content is not None:
        (tmp_path / "header.json").write_text(content, errors="surrogateescape")
    with pytest.raises(ValueError, match=message):
        Run.load(tmp_path)


def test_an_empty_run_has_tables(tmp_path):
    compare("single", TINY, limit=1, folder=tmp_path / "run")
    (tmp_path / "run" / "records.jsonl").write_text("")
    for form in ("markdown", "latex", "csv"):
        document(Run.load(tmp_path / "run"), form=form)


def test_a_record_is_one_line():
    record = Record("s", "c", "é\n", "g", "local", "error", None, (), (1, 2), (), (5,), "one\nline")
    assert Record.from_json(record.to_json()) == record
    assert "\n" not in record.to_json()


@pytest.mark.parametrize(
    "stats",
    [
        {"loss": float("nan"), "most": float("inf"), "models": 10**400, "negative": -(10**30), "np": np.float32(1.5)},
        {"text": "half \udc80", "array": np.arange(3), "object": object(), 3: "a key", "nested": {"a": [1]}},
        7,
    ],
)
def test_whatever_a_solver_says_can_be_read_back(stats, tmp_path):
    corpus = Corpus("tiny", (CLEAR,))
    odd = Does(lambda p: Deduction(*masks(p.n), Status.PARTIAL, stats))
    worse = raising(ValueError("bad file \udc80"))
    run = compare([odd, worse], corpus, questions="global", folder=tmp_path / "run")
    assert Run.load(tmp_path / "run").records == run.records
    assert sorted(r.outcome for r in run.records) in (["error", "partial"], ["error", "error"])


def test_on_real_positions_the_complete_find_everything_and_nobody_lies():
    corpora = [shared_corpus(f"{level}-random", 10) for level in ("beginner", "intermediate", "expert")]
    run = compare(["single", "subset", "minmax", "counting"], corpora)
    table = run.table(by_corpus=False)
    assert table["wrong"].sum() == table["errors"].sum() == 0
    assert (table[table["solver"] == "counting"]["recall"] == 1).all()
    weak = table[(table["solver"] == "single") & (table["question"] == "global")].iloc[0]
    assert 0.5 < weak["safe_recall"] < 1
    assert run._repr_html_() == html(headline(run.table(by_corpus=False)))
    assert str(run) == markdown(headline(run.table(by_corpus=False)))
    assert all((e.position.codes == COVERED).any() for c in corpora for e in c)


def test_an_interrupt_that_a_library_swallows_is_noticed(tmp_path, monkeypatch):
    monkeypatch.setattr("benchmarks.measuring.SHORT_NANOSECONDS", 0)  # each call once
    calls = []

    def swallow(problem):
        calls.append(problem)
        if len(calls) == 5:
            try:
                signal.raise_signal(signal.SIGINT)
            except KeyboardInterrupt as interrupt:
                raise SystemError("returned a result with an exception set") from interrupt
        return Deduction(*masks(problem.n), Status.PARTIAL)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job starts with it ignored
    try:
        with pytest.raises(KeyboardInterrupt):
            compare(Does(swallow), TINY, folder=tmp_path / "run")
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert [r.outcome for r in Run.load(tmp_path / "run").records] == ["partial"] * 2


def test_it_runs_in_a_thread():
    results = []
    thread = threading.Thread(target=lambda: results.append(compare("single", TINY)))
    thread.start()
    thread.join()
    assert len(results[0].records) == 10


# whole corpora at once

ENUMERATION = make_solver("enumeration")


@pytest.fixture(autouse=True)
def _no_more_repeats_than_needed(monkeypatch):
    monkeypatch.setattr("benchmarks.batching.ENOUGH_NANOSECONDS", 0)


class Many:
    """Takes many problems; `change` may do anything to the answers; what it was given is in `seen`."""

    claims = ENUMERATION.claims

    def __init__(self, change=lambda answers: answers):
        self.change = change
        self.seen = []

    def deduce(self, problem, /):
        return ENUMERATION.deduce(problem)

    def deduce_many(self, problems, *, threads=None):
        self.seen.append((len(problems), problems[0].mines, threads, gc.isenabled()))
        return self.change([ENUMERATION.deduce(problem) for problem in problems])


class ManyMarginals(Many):
    def marginals(self, problem, /):
        return ENUMERATION.marginals(problem)

    def marginals_many(self, problems, *, threads=None):
        return self.change([ENUMERATION.marginals(problem) for problem in problems])


def test_a_batch_is_the_whole_corpus_with_each_number_of_threads(tmp_path, monkeypatch):
    monkeypatch.setattr("benchmarks.batching.SHORT_NANOSECONDS", 0)  # each call once
    many, other = Many(), Corpus("other", (MINES, EVEN, CLEAR))
    run = compare(
        ["enumeration", many, ManyMarginals()],
        [TINY, other],
        limit=2,
        batch_threads=[2, 1, 2],
        folder=tmp_path / "run",
    )
    assert run.header["batch_threads"] == [2, 1]
    assert [(*b.key, b.method, b.positions, b.wrong, b.message, len(b.nanoseconds)) for b in run.batches] == [
        (solver, corpus, question, threads, method, 2, 0, "", 5)
        for corpus in ("tiny", "other")
        for question in ("local", "global")
        for solver, method in (("Many", "deduce_many"), ("ManyMarginals", "marginals_many"))
        for threads in (2, 1)
    ]
    assert many.seen == [
        (2, mines, threads, False)
        for local_and_global in ((None, 1), (None, 2))
        for mines in local_and_global
        for _ in range(6)  # one of them to warm up
        for threads in (2, 1)
    ]
    assert gc.isenabled()
    assert all(nanoseconds > 0 for batch in run.batches for nanoseconds in batch.nanoseconds)
    assert Run.load(tmp_path / "run").batches == run.batches
    assert Run.load(run.save(tmp_path / "again").folder).batches == run.batches
    assert len((tmp_path / "run" / "batches.jsonl").read_text().splitlines()) == 16


def test_without_threads_or_a_method_nothing_is_put_at_once(tmp_path):
    assert compare(Many(), TINY, folder=tmp_path / "run").batches == []
    assert compare(["enumeration", Says()], TINY, batch_threads=[1]).batches == []
    assert not (tmp_path / "run" / "batches.jsonl").exists()
    assert Run.load(tmp_path / "run").batches == []


def but_the_first(answer):
    return lambda answers: [answer, *answers[1:]]


@pytest.mark.parametrize(
    ("many", "wrong", "words"),
    [
        (
            Many(but_the_first(Deduction(*masks(8, [1, 4]), Status.COMPLETE))),
            1,
            "alone; other claims about the cells [5]",
        ),
        (
            Many(but_the_first(Deduction(*masks(8, [1, 4, 5]), Status.PARTIAL))),
            1,
            "clear: partial at once, complete alone",
        ),
        (Many(but_the_first(Deduction(*masks(8, [1, 4], [5]), Status.COMPLETE))), 1, "about the cells [5]"),
        (Many(but_the_first(Deduction(*masks(3), Status.COMPLETE))), 1, "about the cells [1, 4, 5]"),
        (Many(lambda answers: answers[::-1]), 4, "clear: inconsistent at once, complete alone"),
        (Many(but_the_first(None)), 1, "clear: gave NoneType, not a Deduction"),
        (Many(but_the_first(Deduction(*masks(8), "complete"))), 1, "clear: its answer cannot be read: AttributeError"),
        (Many(lambda answers: answers[:3]), 5, "gave 3 answers to 5 problems"),
        (Many(lambda answers: iter(answers)), 5, "gave list_iterator to 5 problems"),
        (ManyMarginals(but_the_first(Marginals(np.full(8, 0.5), None, 1.0, Status.COMPLETE))), 1, "about the cells"),
    ],
)
def test_a_batch_with_other_answers_is_wrong(many, wrong, words):
    run = compare(many, TINY, questions="global", batch_threads=[1])
    (batch,) = run.batches
    assert wrong_batches(run) == [batch]
    assert batch.wrong == wrong
    assert words in batch.message
    assert len(batch.nanoseconds) == 5
    text = document(run)
    assert text.startswith(
        f"No wrong claim in 5 answers. WRONG BATCHES, of whole corpora put at once: {batch.solver} 1."
    )
    assert (
        f"Wrong in a batch: {batch.solver}, tiny, global, threads 1: {wrong} of 5 positions; {batch.message}." in text
    )


def test_one_repeat_of_six_that_differs_is_enough(monkeypatch):
    monkeypatch.setattr("benchmarks.batching.SHORT_NANOSECONDS", 0)  # each call once
    turns = itertools.count()
    fickle = Many(lambda answers: answers if next(turns) != 2 else answers[::-1])
    (batch,) = compare(fickle, TINY, questions="global", batch_threads=[1]).batches
    assert (batch.wrong, len(batch.nanoseconds)) == (4, 5)


def test_a_batch_that_cannot_be_run_is_kept_with_the_reason():
    def refuse(answers):
        raise Unsupported("not so many")

    def panic(answers):
        raise Panic("at\nonce")

    sometimes = Many()
    sometimes.deduce = lambda problem: ENUMERATION.deduce(problem) if problem.n > 3 else 7 / 0
    run = compare([Many(refuse), Many(panic), sometimes], TINY, questions="global", batch_threads=[1, 2])
    assert [(b.solver, b.nanoseconds, b.wrong, b.message) for b in run.batches] == [
        (solver, (), 0, message)
        for solver, message in (
            ("Many", "not so many"),
            ("Many (2)", "Panic: at once"),
            ("Many (3)", "without an answer alone: 1 of 5 positions"),
        )
        for _ in (1, 2)
    ]
    assert sometimes.seen == []
    assert not wrong_batches(run)
    text = document(run)
    assert "Many, 2 batches not run: not so many" in text
    assert "\nBatches\n" not in text


def test_an_interrupt_keeps_batches_and_resuming_measures_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.setattr("benchmarks.batching.SHORT_NANOSECONDS", 0)  # each call once
    calls = itertools.count()

    def stop(answers):
        if next(calls) == 14:  # in the third batch
            raise KeyboardInterrupt
        return answers

    with pytest.raises(KeyboardInterrupt):
        compare(Many(stop), TINY, batch_threads=[1, 2], folder=tmp_path / "run")
    broken = Run.load(tmp_path / "run")
    assert len(broken.records) == 10
    assert [b.key for b in broken.batches] == [("Many", "tiny", "local", 1), ("Many", "tiny", "local", 2)]
    assert gc.isenabled()
    with (tmp_path / "run" / "batches.jsonl").open("a") as file:
        file.write('{"solver":"Many","corp')  # as if it had died in the middle of a line
    assert Run.load(tmp_path / "run").batches == broken.batches
    many = Many()
    run = resume(tmp_path / "run", solvers=[many])
    assert [seen[1:3] for seen in many.seen] == [(1, 1), (1, 2)] * 6
    assert [b.key[2:] for b in run.batches] == [("local", 1), ("local", 2), ("global", 1), ("global", 2)]
    assert run.batches[0] == broken.batches[0]
    assert Run.load(tmp_path / "run").batches == run.batches
    assert resume(tmp_path / "run", solvers=[Many()]).batches == run.batches


def test_an_interrupt_that_a_library_swallows_in_a_batch_is_noticed():
    def swallow(answers):
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt as interrupt:
            raise SystemError("returned a result with an exception set") from interrupt

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            compare(Many(swallow), TINY, batch_threads=[1])
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("threads", [[0], [1, -1], [True], [1.0], ["2"], [[1]], [None]])
def test_a_number_of_threads_is_one_or_more(threads):
    with pytest.raises(ValueError, match="a number of threads is an integer of at least 1, not ") as caught:
        compare("single", TINY, batch_threads=threads)
    assert repr(threads[-1]) in str(caught.value)


def test_ours_answer_at_once_what_they_answer_alone():
    solvers = [make_solver(spec) for spec in ("single", "subset", "minmax", "counting", "counting:exact=true")]
    run = compare(solvers, shared_corpus("expert-random", 4), batch_threads=[1, 2])
    assert not wrong_batches(run)
    assert not [batch.message for batch in run.batches if batch.message]
