"""Many problems in one call: their arrays laid end to end, so that a kernel runs over all of them without Python.

A kernel holds no lock of the interpreter, so threads of Python run it on several cores; each takes the next few
problems when it has done its last. The answers are those of one call a problem, in order.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from board.problem import Cells, Mask, Problem
from solvers.compiled import Integer, inlined
from solvers.interface import Deduction, Status, check_budget

Int64 = NDArray[np.int64]
_Array = TypeVar("_Array", bound=NDArray[Any])
IMPOSSIBLE = -2  #: the mine count of a question that no model can answer
_CHUNKS = 4  # a thread: what is uneven between problems evens out


class Packed(NamedTuple):
    """p problems end to end; all arrays are read-only, as a problem's are, so that a kernel is compiled once."""

    covered: Mask  # (sum of n,)
    indptr: Cells  # (sum of m + 1,) each problem's from 0
    cells: Cells  # (sum of k,)
    totals: Cells  # (sum of m,)
    n_at: Int64  # (p + 1,) where each problem's cells begin ...
    k_at: Int64  # ... the entries of its scopes ...
    m_at: Int64  # ... its totals; its indptr begins at m_at[i] + i
    mines: Int64  # (p,) -1 for the local question, IMPOSSIBLE for a count that no model can have


def pack(problems: Sequence[Problem]) -> Packed:
    """The problems end to end."""
    covered = [p.covered for p in problems]
    cells = [p.cells for p in problems]
    totals = [p.totals for p in problems]
    mines = [-1 if p.mines is None else p.mines if 0 <= p.mines <= p.covered.size else IMPOSSIBLE for p in problems]
    packed = Packed(
        _joined(covered, np.bool_),
        _joined([p.indptr for p in problems], np.int32),
        _joined(cells, np.int32),
        _joined(totals, np.int32),
        _starts(covered),
        _starts(cells),
        _starts(totals),
        np.array(mines, np.int64),
    )
    for array in packed:
        array.setflags(write=False)
    return packed


def _joined(arrays: list[_Array], dtype: type[np.generic]) -> _Array:
    return cast(_Array, np.concatenate(arrays) if arrays else np.empty(0, dtype))


def _starts(arrays: Sequence[NDArray[Any]]) -> Int64:
    starts = np.zeros(len(arrays) + 1, np.int64)
    np.cumsum([a.size for a in arrays], out=starts[1:])
    return starts


@inlined
def problem_at(packed: Packed, i: Integer) -> tuple[Mask, Cells, Cells, Cells]:
    """(covered, indptr, cells, totals) of problem i."""
    a, b = packed.m_at[i], packed.m_at[i + 1]
    return (
        packed.covered[packed.n_at[i] : packed.n_at[i + 1]],
        packed.indptr[a + i : b + i + 1],
        packed.cells[packed.k_at[i] : packed.k_at[i + 1]],
        packed.totals[a:b],
    )


def thread_count(threads: int | None) -> int:
    """The number of threads that is meant; None: one for each core that this process may use. ValueError under 1."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    check_budget("threads", threads, 1)
    return threads


def on_threads(count: int, threads: int | None, work: Callable[[int, int], object]) -> None:
    """Call work(first, end) on ranges that make up 0 .. count - 1, on `thread_count(threads)` threads."""
    threads = thread_count(threads)
    if threads == 1 or count <= 1:
        work(0, count)
        return
    bounds = np.linspace(0, count, min(count, _CHUNKS * threads) + 1).astype(int).tolist()
    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(work, bounds[:-1], bounds[1:]):
            pass  # raises what a thread raised


def deduce_by_rule(
    problems: Sequence[Problem],
    threads: int | None,
    rule: Callable[[Packed, int, int, Mask, Mask, Mask, Int64], object],
    names: tuple[str, ...],
) -> list[Deduction]:
    """What a rule derives from each: PARTIAL, or INCONSISTENT.

    rule(packed, first, end, safe, mines, consistent, counts) writes the answers to the problems first .. end - 1: the
    two masks end to end, which start as False, consistent bool[p], and counts int64[p, len(names)], the stats.
    """
    packed, count = pack(problems), len(problems)
    safe, mines = np.zeros(packed.covered.size, np.bool_), np.zeros(packed.covered.size, np.bool_)
    consistent, counts = np.zeros(count, np.bool_), np.zeros((count, len(names)), np.int64)
    on_threads(count, threads, lambda first, end: rule(packed, first, end, safe, mines, consistent, counts))
    safe.setflags(write=False)
    mines.setflags(write=False)
    return [
        Deduction.trusted(
            safe[begin:end],
            mines[begin:end],
            Status.PARTIAL if right else Status.INCONSISTENT,
            dict(zip(names, numbers, strict=True)),
        )
        for (begin, end), right, numbers in zip(
            pairwise(packed.n_at.tolist()), consistent.tolist(), counts.tolist(), strict=True
        )
    ]
