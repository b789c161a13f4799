"""Whole corpora put to a solver at once, which may share work between positions and use several threads.

Method: after all records are measured, in this process, where nothing limits a call: so only what was answered
position by position is asked again. Timed is what a caller waits for, extraction and solving together, with the
collector off; the answers must be those of the records.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import product
from time import perf_counter_ns

import msgspec
import numpy as np

from benchmarks.interrupts import Interrupts
from benchmarks.measuring import SHORT_NANOSECONDS, failure
from benchmarks.plan import Plan
from benchmarks.records import Batch, BatchKey, Record
from board import Position
from solvers import Deduction, Marginals, Solver

REPEATS = 5  #: timed calls, after one that is not
_METHODS = ("marginals_many", "deduce_many")  # the first that a solver has
_MOST_CELLS = 10  # that a message names


def method_of(solver: Solver) -> str | None:
    """The method that takes many problems at once, None if the solver has none.

    >>> from solvers import make_solver
    >>> method_of(make_solver("enumeration"))
    """
    return next((name for name in _METHODS if callable(getattr(solver, name, None))), None)


def measure_batches(
    plan: Plan, records: Sequence[Record], done: AbstractSet[BatchKey], interrupts: Interrupts
) -> Iterator[Batch]:
    """A batch a corpus, question, solver that takes many, and number of threads; without those that are done.

    records: of all questions of the plan. A solver that did not answer each position alone is not asked.
    """
    known = {record.key: record for record in records}
    for corpus, question, label, threads in product(plan.corpora, plan.questions, plan.solvers, plan.batch_threads):
        method = method_of(plan.solvers[label])
        if method is None or (label, corpus, question, threads) in done:
            continue
        entries = plan.corpora[corpus].entries
        alone = [known.get((label, corpus, entry.id, question)) for entry in entries]
        answered = [record for record in alone if record is not None and record.status is not None]
        batch = Batch(label, corpus, question, method, threads, len(entries), (), 0)
        if len(answered) == len(entries):
            yield _measured(batch, plan.solvers[label], [entry.position for entry in entries], answered, interrupts)
        else:
            left = len(entries) - len(answered)
            yield msgspec.structs.replace(batch, message=f"without an answer alone: {left} of {len(entries)} positions")


def _measured(
    batch: Batch, solver: Solver, positions: Sequence[Position], alone: Sequence[Record], interrupts: Interrupts
) -> Batch:
    times, wrong, message = [], 0, ""
    for repeat in range(1 + REPEATS):
        try:
            answers, nanoseconds = _ask(batch, solver, positions)
        except BaseException as raised:  # a panic in a compiled library is no Exception
            interrupts.check()  # which a library may have swallowed
            if isinstance(raised, KeyboardInterrupt):
                raise
            return msgspec.structs.replace(batch, message=failure(raised)[1])
        interrupts.check()
        if repeat:
            times.append(nanoseconds)
        differing, words = _differing(answers, alone)
        if differing > wrong:
            wrong, message = differing, words
    return msgspec.structs.replace(batch, nanoseconds=tuple(times), wrong=wrong, message=message)


def _ask(batch: Batch, solver: Solver, positions: Sequence[Position]) -> tuple[object, int]:
    """What it answers, and in how many nanoseconds."""
    ask = getattr(solver, batch.method)
    local = batch.question == "local"
    collecting = gc.isenabled()
    gc.disable()
    try:
        for _ in range(2):  # as a single short call is: put again at once, and timed then
            begin = perf_counter_ns()
            problems = [position.problem() for position in positions]
            if local:
                problems = [problem.local() for problem in problems]
            answers = ask(problems, threads=batch.threads)
            nanoseconds = perf_counter_ns() - begin
            if nanoseconds > SHORT_NANOSECONDS * len(positions):
                break
        return answers, nanoseconds
    finally:
        if collecting:
            gc.enable()


def _differing(answers: object, alone: Sequence[Record]) -> tuple[int, str]:
    """How many answers are not those of the records, and what is wrong with the first."""
    if not isinstance(answers, list | tuple) or len(answers) != len(alone):
        given = f"{len(answers)} answers" if isinstance(answers, list | tuple) else type(answers).__name__
        return len(alone), f"gave {given} to {len(alone)} problems"
    words = [said for answer, record in zip(answers, alone, strict=True) if (said := _difference(answer, record))]
    return len(words), words[0] if words else ""


def _difference(answer: object, record: Record) -> str:
    try:
        said = answer.deduction() if isinstance(answer, Marginals) else answer
        if not isinstance(said, Deduction):
            return f"{record.entry}: gave {type(answer).__name__}, not a Deduction"
        safe, mines = (tuple(np.flatnonzero(mask).tolist()) for mask in (said.safe, said.mines))
        status = said.status.value
    except Exception as wrong:  # what a solver gives can be anything
        return f"{record.entry}: its answer cannot be read: {failure(wrong)[1]}"
    if (status, safe, mines) == record.claims:
        return ""
    cells = sorted((set(safe) ^ set(record.safe)) | (set(mines) ^ set(record.mines)))
    more = ", …" if len(cells) > _MOST_CELLS else ""
    named = ", ".join(map(str, cells[:_MOST_CELLS]))
    return f"{record.entry}: {status} at once, {record.status} alone; other claims about the cells [{named}{more}]"
