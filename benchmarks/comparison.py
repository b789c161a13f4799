"""Several solvers on the same positions, in this process, on one core.

Method: each question is put to all solvers before the next one comes, in an order that rotates from
question to question, so that a drift of the machine falls on all alike. Only the call is timed:
`extract` (Position -> Problem) and `solve` (Problem -> answer) apart, with the collector off and after one
untimed call a corpus and question. An exception costs one record. Nothing limits a call here: a solver
that loops holds the comparison up.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from time import perf_counter_ns
from typing import Any

import numpy as np

from benchmarks.corpus import Corpus, Entry, Question, load_corpus
from benchmarks.interrupts import Interrupts, noticed
from benchmarks.judgement import explain
from benchmarks.machine import describe, numba_cache
from benchmarks.records import FORMAT, Record, Run, append, check_free, corpus_file, start
from solvers import Claims, Deduction, Solver, Status, Unsupported, label_of, make_solver

QUESTIONS: tuple[Question, ...] = ("local", "global")
Progress = Callable[[int, int], None]


def compare(
    solvers: Iterable[Solver | str] | Solver | str,
    corpora: Iterable[Corpus | str | Path] | Corpus | str | Path,
    *,
    questions: Sequence[str] | str = QUESTIONS,
    repeats: int = 1,
    limit: int | None = None,
    progress: Progress | None = None,
    folder: str | Path | None = None,
    experiment: str | None = None,
    command: str | None = None,
) -> Run:
    """Put every question of the corpora to every solver.

    Parameters
    ----------
    solvers: spec strings, or objects with `deduce(problem)`; a class of your own needs no registration.
        Of two with the same label the second is called `label (2)`.
    corpora: names of bundled ones, files, or `Corpus` objects.
    questions: `local` (clues only), `global` (with the mine count), or both.
    repeats: how often each question is timed.
    limit: only the first so many positions of each corpus.
    progress: called with (records done, records in all) between measurements, first when all is warmed up.
    folder: a new folder; records are appended to it as they are measured, so that an interrupt keeps them.
    experiment, command: what the header says about where this came from.

    Raises ValueError for bad arguments, Unsupported for a spec whose library is missing, FileExistsError for
    a folder that holds anything.

    >>> from board import Position
    >>> from benchmarks.corpus import Answer, Corpus, Entry
    >>> position = Position.parse(["1#", "1#"], mines=1)
    >>> entry = Entry("a", "game", position, Answer(True, (), ()), Answer(True, (), ()), None)
    >>> run = compare("single", Corpus("tiny", (entry,), {}))
    >>> [(r.question, r.outcome) for r in run.records]
    [('local', 'partial'), ('global', 'partial')]
    """
    named = _named([solvers] if _is_one(solvers) else solvers)  # type: ignore[list-item, arg-type]
    chosen = _corpora([corpora] if isinstance(corpora, Corpus | str | Path) else corpora, limit)
    asked = _questions((questions,) if isinstance(questions, str) else questions)
    if repeats < 1:
        raise ValueError(f"a question is put at least once, not {repeats} times")
    if folder is not None:
        check_free(Path(folder))  # before the warm-up, which can take long
    used = {name: part for name, (_, part) in chosen.items()}
    with noticed() as interrupts:
        cache = _warm_up(named.values(), used.values(), asked, interrupts)
    header = {
        "format": FORMAT,
        "experiment": experiment,
        "command": command,
        **_plan_header(named, chosen),
        "questions": list(asked),
        "repeats": repeats,
        "limit": limit,
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {**describe(), "numba_cache": cache},
    }
    total = len(named) * len(asked) * sum(map(len, used.values()))
    records: list[Record] = []
    report = progress or (lambda done, total: None)
    keep = nullcontext() if folder is None else start(Path(folder), header, used)
    with keep as file, noticed() as interrupts:
        report(0, total)
        for record in _measure(named, used, asked, repeats, interrupts):
            if file:
                append(file, record)
            records.append(record)
            report(len(records), total)
    return Run(header, records, used, None if folder is None else Path(folder))


def _is_one(solvers: object) -> bool:
    return isinstance(solvers, str) or hasattr(solvers, "deduce")


def _named(solvers: Iterable[Solver | str]) -> dict[str, Solver]:
    """Label -> solver, in the order given."""
    named: dict[str, Solver] = {}
    for given in solvers:
        solver = make_solver(given) if isinstance(given, str) else given
        if isinstance(solver, type) or not callable(getattr(solver, "deduce", None)):
            raise ValueError(f"{solver!r} is no solver: an object with a method deduce(problem) is needed")
        label, number = label_of(solver), 1
        while (name := label if number == 1 else f"{label} ({number})") in named:
            number += 1
        named[name] = solver
    if not named:
        raise ValueError("no solver was given")
    return named


def _questions(given: Iterable[str]) -> tuple[Question, ...]:
    given = list(given)
    for question in given:
        if question not in QUESTIONS:
            raise ValueError(f"unknown question {question!r}; known are {', '.join(QUESTIONS)}")
    if not given:
        raise ValueError("no question was given")
    return tuple(question for question in QUESTIONS if question in given)


def _corpora(given: Iterable[Corpus | str | Path], limit: int | None) -> dict[str, tuple[Corpus, Corpus]]:
    """Name -> (the whole corpus, the part of it that is asked)."""
    if limit is not None and limit < 1:
        raise ValueError(f"a limit is at least 1, not {limit}")
    chosen: dict[str, tuple[Corpus, Corpus]] = {}
    for item in given:
        corpus = item if isinstance(item, Corpus) else load_corpus(item)
        if corpus.name in chosen:
            raise ValueError(f"two corpora are called {corpus.name!r}")
        if not corpus.entries:
            raise ValueError(f"the corpus {corpus.name!r} is empty")
        part = {key: value for key, value in corpus.header.items() if key not in ("count", "hash")}
        chosen[corpus.name] = corpus, Corpus(corpus.name, corpus.entries[:limit], part)
    if not chosen:
        raise ValueError("no corpus was given")
    return chosen


def _claims_of(solver: Solver) -> Claims:
    claims = getattr(solver, "claims", None)
    return claims if isinstance(claims, Claims) else Claims()


def _plan_header(
    named: Mapping[str, Solver], chosen: Mapping[str, tuple[Corpus, Corpus]]
) -> dict[str, list[dict[str, Any]]]:
    solvers = [{"label": label, "claims": asdict(_claims_of(solver))} for label, solver in named.items()]
    corpora = [
        {
            "name": name,
            "hash": whole.hash,
            "positions": len(whole),
            "asked": len(part),
            "file": corpus_file(index, name),
        }
        for index, (name, (whole, part)) in enumerate(chosen.items())
    ]
    return {"solvers": solvers, "corpora": corpora}


def _warm_up(
    solvers: Iterable[Solver],
    corpora: Iterable[Corpus],
    questions: Sequence[Question],
    interrupts: Interrupts,
) -> dict[str, int] | None:
    """Put each corpus's first questions untimed: compiles and loads. Where numba's kernels came from."""
    for corpus, question, solver in product(corpora, questions, solvers):
        _ask(solver, corpus.entries[0], question, interrupts)
    return numba_cache()


def _measure(
    solvers: Mapping[str, Solver],
    corpora: Mapping[str, Corpus],
    questions: Sequence[Question],
    repeats: int,
    interrupts: Interrupts,
) -> Iterator[Record]:
    turn = 0
    labels = list(solvers)
    for name, corpus in corpora.items():
        for entry, question in product(corpus, questions):
            attempts: dict[str, list[_Attempt]] = {label: [] for label in labels}
            for _ in range(repeats):
                first = turn % len(labels)
                for label in labels[first:] + labels[:first]:
                    attempts[label].append(_ask(solvers[label], entry, question, interrupts))
                turn += 1
            for label in labels:
                yield _record(label, name, entry, question, attempts[label])


@dataclass(frozen=True, slots=True)
class _Attempt:
    """One timed call. answer: None if there was none, and then `message` says why; `extract`, `solve`: ns."""

    answer: Deduction | None
    outcome: str
    message: str
    extract: int | None
    solve: int


def _ask(solver: Solver, entry: Entry, question: Question, interrupts: Interrupts) -> _Attempt:
    reads_position = bool(getattr(solver, "reads_position", False))
    answer: object = None
    outcome = message = ""
    collecting = gc.isenabled()
    gc.disable()
    begin = perf_counter_ns()
    try:
        problem = entry.position.problem()
        if question == "local":
            problem = problem.local()
        middle = perf_counter_ns()
        try:
            answer = solver.deduce(problem)
        except KeyboardInterrupt:
            raise
        except BaseException as wrong:  # a panic in a compiled library is no Exception
            outcome = "unsupported" if isinstance(wrong, Unsupported) else "error"
            message = _one_line(wrong)
        end = perf_counter_ns()
    finally:
        if collecting:
            gc.enable()
        interrupts.check()
    if not outcome:
        message = _nonsense(answer, problem.n)
        outcome = "error" if message else "answered"
    given = answer if outcome == "answered" and isinstance(answer, Deduction) else None
    return _Attempt(given, outcome, message, None if reads_position else middle - begin, end - middle)


def _one_line(wrong: BaseException) -> str:
    text = " ".join(str(wrong).split())
    name = "" if isinstance(wrong, Unsupported) else f"{type(wrong).__name__}: "
    return f"{name}{text}"[:300]


def _nonsense(answer: object, n: int) -> str:
    """Why this cannot be read as a deduction over n cells; empty if it can."""
    if not isinstance(answer, Deduction):
        return f"gave {type(answer).__name__}, not a Deduction"
    for name in ("safe", "mines"):
        mask = getattr(answer, name)
        if not (isinstance(mask, np.ndarray) and mask.dtype == np.bool_ and mask.shape == (n,)):
            found = f"{getattr(mask, 'dtype', type(mask).__name__)} {getattr(mask, 'shape', '')}".strip()
            return f"{name} is bool ({n},), not {found}"
    return "" if isinstance(answer.status, Status) else f"{answer.status!r} is no Status"


def _record(label: str, corpus: str, entry: Entry, question: Question, attempts: Sequence[_Attempt]) -> Record:
    """The record of all repeats: what they all said, or the first that went wrong."""
    blank = Record(
        solver=label,
        corpus=corpus,
        entry=entry.id,
        game=entry.game,
        question=question,
        outcome="error",
        status=None,
        safe=(),
        mines=(),
        extract_nanoseconds=tuple(a.extract for a in attempts if a.extract is not None),
        solve_nanoseconds=tuple(a.solve for a in attempts),
        message="gave different answers to the same question",
    )
    read = [_read(blank, attempt, entry) for attempt in attempts]
    for outcome in ("wrong", "error", "unsupported"):
        for record in read:
            if record.outcome == outcome:
                return record
    return read[0] if all(record == read[0] for record in read) else blank


def _read(blank: Record, attempt: _Attempt, entry: Entry) -> Record:
    answer = attempt.answer
    if answer is None:
        return replace(blank, outcome=attempt.outcome, message=attempt.message)
    status = answer.status.value
    safe, mines = (tuple(np.flatnonzero(mask).tolist()) for mask in (answer.safe, answer.mines))
    said = replace(blank, outcome=status, status=status, safe=safe, mines=mines, message="")
    words = explain(said, entry)
    return replace(said, outcome="wrong", message=words) if words else said
