"""Whole corpora put to a solver at once, which may share work between positions and use several threads.

Method: after all records are measured, in this process, where nothing limits a call: so only what was answered
position by position is asked again. Timed is what a caller waits for, extraction and solving together, with the
collector off; the answers must be those of the records. All batches of a corpus and question are repeated in turns.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import product
from time import perf_counter_ns
from typing import Any

import msgspec
import numpy as np

from benchmarks.interrupts import Interrupts
from benchmarks.measuring import SHORT_NANOSECONDS, failure
from benchmarks.plan import Plan
from benchmarks.records import Batch, BatchKey, Record
from board import Position
from solvers import Deduction, Marginals, Solver

REPEATS = 5  #: timed calls at least, after one that is not ...
MOST_REPEATS = 50  #: ... and at most, for batches that are done in no time ...
ENOUGH_NANOSECONDS = 250_000_000  #: ... until they have taken this together
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
    for corpus, question in product(plan.corpora, plan.questions):
        entries = plan.corpora[corpus].entries
        trials = []
        for label, threads in product(plan.solvers, plan.batch_threads):
            method = method_of(plan.solvers[label])
            if method is not None and (label, corpus, question, threads) not in done:
                alone = [known.get((label, corpus, entry.id, question)) for entry in entries]
                batch = Batch(label, corpus, question, method, threads, len(entries), (), 0)
                answered = [record for record in alone if record is not None and record.status is not None]
                trials.append(_Trial(batch, plan.solvers[label], answered))
        positions = [entry.position for entry in entries]
        for _ in range(1 + MOST_REPEATS):  # in turns: the machine's good and bad seconds fall on all of them
            for trial in trials:
                if not trial.enough():
                    trial.go_on(positions, interrupts)
        yield from (trial.batch for trial in trials)


@dataclass(slots=True)
class _Trial:
    """A batch on its way. alone: the records of its positions with an answer."""

    batch: Batch
    solver: Solver
    alone: Sequence[Record]
    times: list[int] = field(default_factory=list)
    warm: bool = False

    def enough(self) -> bool:
        """Whether it was repeated enough, or cannot be run: then its message says why."""
        failed = bool(self.batch.message) and not self.batch.wrong
        return failed or (len(self.times) >= REPEATS and sum(self.times) >= ENOUGH_NANOSECONDS)

    def go_on(self, positions: Sequence[Position], interrupts: Interrupts) -> None:
        """Put it once more."""
        if len(self.alone) < len(positions):
            left = len(positions) - len(self.alone)
            self._note(message=f"without an answer alone: {left} of {len(positions)} positions")
            return
        try:
            answers, nanoseconds = _ask(self.batch, self.solver, positions)
        except BaseException as raised:  # a panic in a compiled library is no Exception
            interrupts.check()  # which a library may have swallowed
            if isinstance(raised, KeyboardInterrupt):
                raise
            self._note(message=failure(raised)[1], nanoseconds=(), wrong=0)
            return
        interrupts.check()
        if self.warm:
            self.times.append(nanoseconds)
        self.warm = True
        differing, words = _differing(answers, self.alone)
        if differing > self.batch.wrong:
            self._note(wrong=differing, message=words)
        self._note(nanoseconds=tuple(self.times))

    def _note(self, **fields: Any) -> None:
        self.batch = msgspec.structs.replace(self.batch, **fields)


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
