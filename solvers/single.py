"""Which cells does one clue settle by itself?

Method: a clue whose mines are all known makes its other cells safe; a clue with as many mines left as cells
makes them mines. Each settled cell is taken off the clues around it, until nothing changes. This is unit
propagation on exact cardinality constraints: the result does not depend on the order. A few sweeps over the clues
do on most boards; where cells go on settling each other in a chain, each settled cell is followed to its clues.
Cost: linear in the size of the scopes.
Source: the first rule of every player; the "single point strategy" of K. Pedersen, *The complexity of
Minesweeper and strategies for game playing* (University of Warwick, 2004).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from board.problem import Cells, Mask, Problem
from solvers.batch import Packed, deduce_by_rule, problem_at
from solvers.compiled import ZERO, Integer, kernel, part
from solvers.interface import Claims, Deduction, Status

Known = NDArray[np.int8]  # int8[n]: UNKNOWN, SAFE or MINE

UNKNOWN, SAFE, MINE = 0, 1, 2
_SWEEPS = 8


@part
def _settle(
    clue: Integer, left: Integer, indptr: Cells, cells: Cells, known: Known, trail: Cells, end: Integer
) -> Integer:
    """Settle the unknown cells of a clue with no mine left, or with as many as cells; the trail's new end."""
    for i in range(indptr[clue], indptr[clue + 1]):
        cell = cells[i]
        if known[cell] == UNKNOWN:
            known[cell] = MINE if left else SAFE
            trail[end] = cell
            end += 1
    return end


@part
def _sweep(
    indptr: Cells, cells: Cells, totals: Cells, known: Known, waiting: Cells, count: Integer, trail: Cells, end: Integer
) -> tuple[Integer, Integer]:
    """Try the first `count` clues of `waiting` once, and keep those that are open.

    Returns (the clues kept, the trail's new end); -1 clues for a contradiction.
    """
    kept = 0
    for w in range(count):
        clue = waiting[w]
        left, free = totals[clue], 0
        for i in range(indptr[clue], indptr[clue + 1]):
            state = known[cells[i]]
            free += state == UNKNOWN
            left -= state == MINE
        if left < 0 or left > free:
            return -1, end
        if left == 0 or left == free:
            end = _settle(clue, left, indptr, cells, known, trail, end)
        else:
            waiting[kept] = clue
            kept += 1
    return kept, end


@part
def _follow(indptr: Cells, cells: Cells, totals: Cells, known: Known, trail: Cells, end: Integer) -> bool:
    """Take the cells of the trail off their clues, which may settle more. False for a contradiction."""
    head = np.full(known.size, -1, np.int32)
    clues = np.empty((cells.size, 2), np.int32)  # a clue of a cell, and where the cell's next clue stands
    left = totals.copy()
    free = np.empty(totals.size, np.int32)
    for clue in range(totals.size):
        free[clue] = indptr[clue + 1] - indptr[clue]
        for i in range(indptr[clue], indptr[clue + 1]):
            clues[i, 0] = clue
            clues[i, 1] = head[cells[i]]
            head[cells[i]] = i
    done = 0
    while done < end:
        cell = trail[done]
        done += 1
        i = head[cell]
        while i >= 0:
            clue, i = clues[i]
            free[clue] -= 1
            left[clue] -= known[cell] == MINE
            if left[clue] < 0 or left[clue] > free[clue]:
                return False
            if left[clue] == 0 or left[clue] == free[clue]:
                end = _settle(clue, left[clue], indptr, cells, known, trail, end)
    return True


@part
def propagate(n: Integer, indptr: Cells, cells: Cells, totals: Cells) -> tuple[bool, Known, Cells]:
    """The rule's fixpoint: (False for a contradiction, what is known of the n cells, the clues that may be open)."""
    known = np.zeros(n, np.int8)
    trail = np.empty(n, np.int32)
    waiting = np.arange(totals.size, dtype=np.int32)
    count, end = totals.size, ZERO
    for _ in range(_SWEEPS):
        before = end
        count, end = _sweep(indptr, cells, totals, known, waiting, count, trail, end)
        if count < 0 or end == before:
            return count >= 0, known, waiting[:count]
    return _follow(indptr, cells, totals, known, trail, end), known, waiting[:count]


@part
def write_masks(known: Known, safe: Mask, mines: Mask, at: Integer) -> None:
    """Write what is known to two masks, from place `at` on."""
    for cell in range(known.size):
        safe[at + cell] = known[cell] == SAFE
        mines[at + cell] = known[cell] == MINE


@part
def masks(consistent: bool, known: Known) -> tuple[Mask, Mask]:
    """Two masks, safe and mines; empty where there is no model."""
    safe = np.zeros(known.size, np.bool_)
    mines = np.zeros(known.size, np.bool_)
    if consistent:
        write_masks(known, safe, mines, ZERO)
    return safe, mines


@kernel
def _single(n: int, indptr: Cells, cells: Cells, totals: Cells) -> tuple[bool, Mask, Mask]:
    consistent, known, _ = propagate(n, indptr, cells, totals)
    safe, mines = masks(consistent, known)
    return consistent, safe, mines


@kernel
def _single_many(
    packed: Packed, first: int, end: int, safe: Mask, mines: Mask, consistent: Mask, counts: NDArray[np.int64]
) -> None:
    for i in range(first, end):
        covered, indptr, cells, totals = problem_at(packed, i)
        consistent[i], known, _ = propagate(covered.size, indptr, cells, totals)
        if consistent[i]:
            write_masks(known, safe, mines, packed.n_at[i])


@dataclass(frozen=True, slots=True)
class Single:
    """The rule of single clues. Ignores the mine count.

    >>> Single().deduce(Problem.from_sets([({0, 1}, 2), ({1, 2, 3}, 1), ({3, 4}, 1)], n=5))
    <Deduction partial: safe [2, 3], mines [0, 1, 4]>
    """

    @property
    def claims(self) -> Claims:
        """Nothing beyond soundness."""
        return Claims()

    def deduce(self, problem: Problem, /) -> Deduction:
        """The cells that single clues settle: PARTIAL, or INCONSISTENT if a clue is contradicted."""
        consistent, safe, mines = _single(problem.covered.size, problem.indptr, problem.cells, problem.totals)
        return Deduction.trusted(safe, mines, Status.PARTIAL if consistent else Status.INCONSISTENT, {})

    def deduce_many(self, problems: Sequence[Problem], /, *, threads: int | None = None) -> list[Deduction]:
        """`deduce` of each, on so many cores (None: all of them)."""
        return deduce_by_rule(problems, threads, _single_many, ())
