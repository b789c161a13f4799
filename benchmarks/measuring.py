"""One question, put to solvers and timed.

Only the call is timed: `extract` (Position -> Problem) and `solve` (Problem -> answer) apart, with the
collector off. A short call is put again at once and timed then: what other solvers, and the system calls that
bound it, left in the processor's caches would make most of its time. An exception costs one record. What bounds a
call is the `Guard`'s business: in this process nothing does, in a worker an alarm.
"""

from __future__ import annotations

import gc
import math
import resource
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter_ns
from typing import Any, Protocol

import msgspec
import numpy as np

from benchmarks.corpus import Entry, Question
from benchmarks.interrupts import Interrupts
from benchmarks.judgement import explain
from benchmarks.plan import Group, Plan, rotated
from benchmarks.records import Record
from solvers import Deduction, Solver, Status, Unsupported
from solvers.interface import Stats

SHORT_NANOSECONDS = 1_000_000  #: a call up to this is put again, and the second one counts

# Where the system does not count a thread's own switches, the process's.
_WHO = getattr(resource, "RUSAGE_THREAD", resource.RUSAGE_SELF)


@dataclass(slots=True)
class Control:
    """What a run and the place where it is measured tell each other.

    interrupts: asked several times a second. ready: called when all is warmed up. The place tells numba_cache, cold
    (solvers that were measured without a warm-up) and machines (if these are others than this one).
    """

    interrupts: Interrupts
    ready: Callable[[], None]
    numba_cache: dict[str, int] | None = None
    cold: Sequence[str] = ()
    machines: Sequence[Mapping[str, Any]] = ()


class Guard(Protocol):
    """What stands around every call.

    interruptible: whether a KeyboardInterrupt is a person's, not the solver's. peak_bytes: the most memory that the
    process held during the last call beyond what it held before it; None where that is not measured.
    """

    interruptible: bool
    peak_bytes: int | None

    def before(self, solver: str, *, warm_up: bool) -> None:
        """A call of the solver of this label comes now."""

    def after(self) -> None:
        """It has ended."""


def warm_up(plan: Plan, group: Group, guard: Guard, solvers: Sequence[str]) -> None:
    """Put the first question of the group's corpus untimed: compiles and loads."""
    first = replace(group, index=0)
    for label in solvers:
        _ask(plan.solvers[label], plan.entry(first), group.question, label, guard, warm=True)


def measure(plan: Plan, group: Group, guard: Guard) -> Iterator[Record]:
    """The records of a group, each as soon as its last repeat is done; repeats of the solvers alternate."""
    entry = plan.entry(group)
    attempts: dict[str, list[_Attempt]] = {label: [] for label in group.solvers}
    for repeat in range(plan.repeats):
        for label in rotated(group.solvers, repeat):
            given = attempts[label]
            given.append(_ask(plan.solvers[label], entry, group.question, label, guard))
            if len(given) == plan.repeats:
                yield _record(label, group, entry, given)


@dataclass(frozen=True, slots=True)
class _Attempt:
    """One timed call. answer: None if there was none, and then `message` says why; `extract`, `solve`: ns."""

    answer: Deduction | None
    outcome: str
    message: str
    extract: int | None
    solve: int
    preempted: bool
    peak_bytes: int | None


def _ask(solver: Solver, entry: Entry, question: Question, label: str, guard: Guard, *, warm: bool = False) -> _Attempt:
    reads_position = bool(getattr(solver, "reads_position", False))
    answer: object = None
    outcome = message = ""
    collecting = gc.isenabled()
    gc.disable()
    guard.before(label, warm_up=warm)
    switches = resource.getrusage(_WHO).ru_nivcsw
    begin = middle = end = perf_counter_ns()
    n = 0
    try:
        try:
            for _ in range(1 if warm else 2):
                begin = perf_counter_ns()
                problem = entry.position.problem()
                if question == "local":
                    problem = problem.local()
                middle = perf_counter_ns()
                answer = solver.deduce(problem)
                end = perf_counter_ns()
                if end - begin > SHORT_NANOSECONDS:
                    break
            n = problem.n
        except BaseException as wrong:  # a panic in a compiled library is no Exception
            end = perf_counter_ns()
            if isinstance(wrong, KeyboardInterrupt) and guard.interruptible:
                raise
            outcome, message = failure(wrong)
    finally:
        if collecting:
            gc.enable()
        guard.after()
    preempted = resource.getrusage(_WHO).ru_nivcsw > switches
    if not outcome:
        try:
            message = _nonsense(answer, n)
        except Exception as wrong:  # what a solver gives can be anything
            message = f"its answer cannot be read: {failure(wrong)[1]}"
        outcome = "error" if message else "answered"
    given = answer if outcome == "answered" and isinstance(answer, Deduction) else None
    extract = None if reads_position else middle - begin
    return _Attempt(given, outcome, message, extract, end - middle, preempted, guard.peak_bytes)


def failure(wrong: BaseException) -> tuple[str, str]:
    """Outcome and message for what a solver raised; the message is one line."""
    try:
        text = _writable(" ".join(str(wrong).split())[:300])
    except Exception:
        text = "(its text cannot be had)"
    if isinstance(wrong, Unsupported):
        return "unsupported", text
    if isinstance(wrong, MemoryError):
        return "memory", text or "MemoryError"
    return "error", f"{type(wrong).__name__}: {text}"


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


def blank(label: str, group: Group, entry: Entry, outcome: str, message: str) -> Record:
    """The record of a question that got no answer and no time."""
    return Record(
        solver=label,
        corpus=group.corpus,
        entry=entry.id,
        game=entry.game,
        question=group.question,
        outcome=outcome,
        status=None,
        safe=(),
        mines=(),
        extract_nanoseconds=(),
        solve_nanoseconds=(),
        message=message,
    )


def _record(label: str, group: Group, entry: Entry, attempts: Sequence[_Attempt]) -> Record:
    """The record of all repeats: what they all said, or the first that went wrong."""
    fickle = msgspec.structs.replace(
        blank(label, group, entry, "error", "gave different answers to the same question"),
        extract_nanoseconds=tuple(a.extract for a in attempts if a.extract is not None),
        solve_nanoseconds=tuple(a.solve for a in attempts),
        preempted=sum(a.preempted for a in attempts),
        peak_bytes=max((a.peak_bytes for a in attempts if a.peak_bytes is not None), default=None),
    )
    read = [_read(fickle, attempt, entry) for attempt in attempts]
    for outcome in ("wrong", "memory", "error", "unsupported"):
        for record in read:
            if record.outcome == outcome:
                return record
    same = all(record.claims == read[0].claims for record in read)
    return read[0] if same else fickle


def _read(unjudged: Record, attempt: _Attempt, entry: Entry) -> Record:
    answer = attempt.answer
    if answer is None:
        return msgspec.structs.replace(unjudged, outcome=attempt.outcome, message=attempt.message)
    status = answer.status.value
    safe, mines = (tuple(np.flatnonzero(mask).tolist()) for mask in (answer.safe, answer.mines))
    stats = _plain(answer.stats)
    said = msgspec.structs.replace(
        unjudged, outcome=status, status=status, safe=safe, mines=mines, message="", stats=stats
    )
    words = explain(said, entry)
    return msgspec.structs.replace(said, outcome="wrong", message=words) if words else said


def _plain(stats: Stats) -> dict[str, int | float | str]:
    """As JSON can hold it: numpy's numbers become Python's, and what has no place there text."""
    try:
        return {_writable(str(key)): _plain_value(value) for key, value in stats.items()}
    except Exception:  # what a solver gives can be anything
        return {"stats": "cannot be read"}


def _plain_value(value: Any) -> int | float | str:
    value = getattr(value, "item", lambda: value)()
    if isinstance(value, int):  # True is one
        return int(value) if -(2**63) <= value < 2**63 else f"{'-' * (value < 0)}2^{math.log2(abs(value)):.6g}"
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return _writable(str(value)[:300])


def _writable(text: str) -> str:
    """Without halves of characters, which no file can hold."""
    return text.encode("utf-8", "replace").decode()
