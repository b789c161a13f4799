"""Which cells follow from pairs of clues of which one lies within the other?

Method: a sentence says how many of a set of cells are mines. If A is a proper subset of B, the difference B - A
holds the difference of the counts; equal sets with different counts are a contradiction. Sentences are
simplified by the known cells and all derived ones are kept, until nothing changes: the result does not depend
on the order. The rule of single clues goes first, which changes the cost only.
Cost: each sentence meets once those that share a cell with it. A derived set lies inside a clue's scope, so there
are at most 255 sentences a clue on a grid; in a large scope there can be exponentially many: see `max_sentences`.
Source: B. Yu, D. J. Malan, *CS50's Introduction to Artificial Intelligence with Python*, project Minesweeper
(Harvard University, 2020).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from board.problem import Cells, Mask, Problem
from solvers.batch import Packed, deduce_by_rule, problem_at
from solvers.compiled import ZERO, Integer, kernel, part
from solvers.interface import Claims, Deduction, Status, check_budget
from solvers.rules import (
    BEGIN,
    HOME,
    MINES,
    SHARED,
    SIZE,
    Clause,
    Table,
    activate,
    forget,
    load,
    overlap,
    push,
    take,
)
from solvers.single import Known, masks, propagate, write_masks

MAX_SENTENCES = 1000


@part
def _twin(table: Table, hits: Integer, size: Integer) -> Integer:
    """The row of the same set, or -1."""
    for t in range(hits):
        row = table.touched[t]
        if table.rows[row, SHARED] == size and table.rows[row, SIZE] == size:
            return row
    return -1


@part
def _subtract(
    stack: Cells, top: Integer, table: Table, used: Integer, clause: Clause, hits: Integer
) -> tuple[Cells, Integer]:
    """Make the differences of the sentence in hand with its proper subsets and supersets wait."""
    end = used + clause.size
    for t in range(hits):
        row = table.touched[t]
        begin, size, mines = table.rows[row, BEGIN], table.rows[row, SIZE], table.rows[row, MINES]
        if table.rows[row, SHARED] == clause.size:
            rest, more = mines - clause.mines, size - clause.size
            stack, top = push(
                stack, top, table.nodes, begin, begin + size, used, end, rest, more - rest, table.rows[row, HOME]
            )
        elif table.rows[row, SHARED] == size:
            rest, more = clause.mines - mines, clause.size - size
            stack, top = push(stack, top, table.nodes, used, end, begin, begin + size, rest, more - rest, clause.home)
    return stack, top


@part
def close(
    indptr: Cells, cells: Cells, totals: Cells, known: Known, waiting: Cells, max_sentences: Integer
) -> tuple[bool, Integer, Integer]:
    """Add to `known` what follows from the waiting clues.

    Returns (False for a contradiction, the sentences kept, those left out over the budget).
    """
    stack, top, table = load(indptr, cells, totals, known, waiting)
    used = count = left_out = ZERO
    while True:
        stack, top, table, clause = take(stack, top, table, used, known)
        if clause.size <= 0:
            return clause.size == 0, count, left_out
        if table.kept[clause.home] > max_sentences:
            left_out += 1
            continue
        hits = overlap(table, used, clause)
        twin = _twin(table, hits, clause.size)
        if twin < 0:
            stack, top = _subtract(stack, top, table, used, clause, hits)
            forget(table, hits)
            table = activate(table, used, clause, count)
            used += clause.size
            count += 1
        elif table.rows[twin, MINES] != clause.mines:
            return False, count, left_out
        else:
            forget(table, hits)


@part
def _closed(
    n: Integer, indptr: Cells, cells: Cells, totals: Cells, max_sentences: Integer
) -> tuple[bool, Known, Integer, Integer]:
    """(False for a contradiction, what is known, the sentences kept, those left out over the budget)."""
    consistent, known, waiting = propagate(n, indptr, cells, totals)
    count = left_out = ZERO
    if consistent:
        consistent, count, left_out = close(indptr, cells, totals, known, waiting, max_sentences)
    return consistent, known, count, left_out


@kernel
def _subset(
    n: int, indptr: Cells, cells: Cells, totals: Cells, max_sentences: int
) -> tuple[bool, Mask, Mask, int, int]:
    consistent, known, count, left_out = _closed(n, indptr, cells, totals, max_sentences)
    safe, mines = masks(consistent, known)
    return consistent, safe, mines, count, left_out


@kernel
def _subset_many(
    max_sentences: int,
    packed: Packed,
    first: int,
    end: int,
    safe: Mask,
    mines: Mask,
    consistent: Mask,
    counts: NDArray[np.int64],
) -> None:
    for i in range(first, end):
        covered, indptr, cells, totals = problem_at(packed, i)
        consistent[i], known, counts[i, 0], counts[i, 1] = _closed(covered.size, indptr, cells, totals, max_sentences)
        if consistent[i]:
            write_masks(known, safe, mines, packed.n_at[i])


@dataclass(frozen=True, slots=True)
class Subset:
    """Subset inference, the rule of the CS50 course. Ignores the mine count.

    max_sentences: how many derived sentences may lie inside one clue's scope; those over it are left out.
        Scopes of up to 8 cells, as on a grid, never need as many as 255.

    >>> Subset().deduce(Problem.from_sets([({0, 1}, 1), ({0, 1, 2}, 2)], n=3))
    <Deduction partial: safe [], mines [2]>
    """

    max_sentences: int = MAX_SENTENCES

    def __post_init__(self) -> None:
        check_budget("max_sentences", self.max_sentences, 0)

    @property
    def claims(self) -> Claims:
        """Nothing beyond soundness."""
        return Claims()

    def deduce(self, problem: Problem, /) -> Deduction:
        """The cells that the closure settles: PARTIAL, or INCONSISTENT if it meets a contradiction."""
        consistent, safe, mines, count, left_out = _subset(
            problem.covered.size, problem.indptr, problem.cells, problem.totals, self.max_sentences
        )
        status = Status.PARTIAL if consistent else Status.INCONSISTENT
        return Deduction.trusted(safe, mines, status, {"sentences": count, "left_out": left_out})

    def deduce_many(self, problems: Sequence[Problem], /, *, threads: int | None = None) -> list[Deduction]:
        """`deduce` of each, on so many cores (None: all of them)."""
        rule = partial(_subset_many, self.max_sentences)
        return deduce_by_rule(problems, threads, rule, ("sentences", "left_out"))
