"""Which cells follow from pairs of overlapping clues, with bounds in the place of counts?

Method: a clause {min <= cells <= max}. Two that overlap bound their intersection and both differences, and equal
sets keep the intersection of their intervals, until nothing changes: the result does not depend on the order.
An empty interval is a contradiction.

With at most h mines in A, at most s safe cells in B and i cells in both, the differences get

    at most h - (i - s) mines in A - B  if i > s,    at most s - (i - h) safe cells in B - A  if i > h,

and i > h + s is a contradiction. Every other bound that the formulas give, those of the intersection above all,
is that of A or B again, carried over to fewer cells. Such a bound is never needed: of all that it entails together
with a third clause, the bound it comes from entails as much or more. The same holds for a bound that
follows from *one* other by adding cells. So the table keeps only bounds that no other one implies; what
two clauses imply together it keeps, because later pairs need it.
Cost: each clause meets once those that share a cell with it. A derived set lies inside a clue's scope, so
there are at most 255 a clue on a grid (in practice two or three bounds for each clue); in a large scope there can be
exponentially many: see `max_clauses`.
Source: AmosYang, LolAI, PTT board java (2010).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from board.problem import Cells, Mask, Problem
from solvers import subset
from solvers.batch import Packed, deduce_by_rule, problem_at
from solvers.compiled import ZERO, Integer, kernel, part
from solvers.interface import Claims, Deduction, Status, check_budget
from solvers.rules import (
    BEGIN,
    CELL,
    MINES,
    SAFES,
    SHARED,
    SIZE,
    Clause,
    Table,
    activate,
    drop,
    forget,
    load,
    overlap,
    push,
    take,
)
from solvers.single import MINE, Known, masks, propagate, write_masks


@part
def _news(table: Table, clause: Clause, hits: Integer) -> Clause:
    """The clause in hand, a bound made trivial (the size) where an active clause implies it."""
    size, mines, safes, home = clause
    for t in range(hits):
        row = table.touched[t]
        outside = size - table.rows[row, SHARED]
        if mines >= table.rows[row, MINES] + outside:
            mines = size
        if safes >= table.rows[row, SAFES] + outside:
            safes = size
    return Clause(size, mines, safes, home)


@part
def _thin(table: Table, clause: Clause, hits: Integer) -> None:
    """Make the bounds trivial that the clause in hand implies, and drop clauses that have no other."""
    rows = table.rows
    for t in range(hits):
        row = table.touched[t]
        size = rows[row, SIZE]
        outside = size - rows[row, SHARED]
        if rows[row, MINES] >= clause.mines + outside:
            rows[row, MINES] = size
        if rows[row, SAFES] >= clause.safes + outside:
            rows[row, SAFES] = size
        if rows[row, MINES] == size and rows[row, SAFES] == size:
            drop(table, row)


@part
def _outside(
    size: Integer, mines: Integer, safes: Integer, shared: Integer, other_mines: Integer, other_safes: Integer
) -> tuple[Integer, Integer, Integer]:
    """(Cells, mines, safes) of what a clause holds outside another one; trivial where that says nothing new."""
    rest = size - shared
    rest_mines = mines - (shared - other_safes) if shared > other_safes else rest
    rest_safes = safes - (shared - other_mines) if shared > other_mines else rest
    return rest, min(rest_mines, rest), min(rest_safes, rest)


@part
def _pair(
    stack: Cells, top: Integer, table: Table, used: Integer, clause: Clause, hits: Integer
) -> tuple[Cells, Integer]:
    """Make what the clause in hand entails together with each of the others wait."""
    size, mines, safes, home = clause
    end = used + size
    for t in range(hits):
        row = table.touched[t]
        begin, other, m, s, its_home, shared = table.rows[row]
        rest, rest_mines, rest_safes = _outside(size, mines, safes, shared, m, s)
        if rest_mines < rest or rest_safes < rest:
            stack, top = push(stack, top, table.nodes, used, end, begin, begin + other, rest_mines, rest_safes, home)
        rest, rest_mines, rest_safes = _outside(other, m, s, shared, mines, safes)
        if rest_mines < rest or rest_safes < rest:
            stack, top = push(
                stack, top, table.nodes, begin, begin + other, used, end, rest_mines, rest_safes, its_home
            )
    return stack, top


@part
def close(
    indptr: Cells, cells: Cells, totals: Cells, known: Known, waiting: Cells, max_clauses: Integer
) -> tuple[bool, Integer, Integer, Table]:
    """Add to `known` what follows from the waiting clues.

    Returns (False for a contradiction, the clauses kept, those left out over the budget, the table).
    """
    stack, top, table = load(indptr, cells, totals, known, waiting)
    used = count = left_out = ZERO
    while True:
        stack, top, table, clause = take(stack, top, table, used, known)
        if clause.size <= 0:
            return clause.size == 0, count, left_out, table
        if table.kept[clause.home] > max_clauses:
            left_out += 1
            continue
        hits = overlap(table, used, clause)
        clause = _news(table, clause, hits)
        if clause.mines < clause.size or clause.safes < clause.size:
            _thin(table, clause, hits)
            stack, top = _pair(stack, top, table, used, clause, hits)
            forget(table, hits)
            table = activate(table, used, clause, count)
            used += clause.size
            count += 1
        else:
            forget(table, hits)


@part
def _closed(
    n: Integer, indptr: Cells, cells: Cells, totals: Cells, max_clauses: Integer
) -> tuple[bool, Known, Integer, Integer]:
    """(False for a contradiction, what is known, the clauses kept, those left out over the budget)."""
    consistent, known, waiting = propagate(n, indptr, cells, totals)
    count = left_out = ZERO
    if consistent:
        consistent, count, left_out, _ = close(indptr, cells, totals, known, waiting, max_clauses)
    if consistent and left_out:  # no less than `subset`
        consistent, _, _ = subset.close(indptr, cells, totals, known, waiting, subset.MAX_SENTENCES)
    return consistent, known, count, left_out


@kernel
def _minmax(n: int, indptr: Cells, cells: Cells, totals: Cells, max_clauses: int) -> tuple[bool, Mask, Mask, int, int]:
    consistent, known, count, left_out = _closed(n, indptr, cells, totals, max_clauses)
    safe, mines = masks(consistent, known)
    return consistent, safe, mines, count, left_out


@kernel
def _fixpoint(
    n: int, indptr: Cells, cells: Cells, totals: Cells, max_clauses: int
) -> tuple[bool, Known, NDArray[np.int32], NDArray[np.int32]]:
    """(False for a contradiction, what is known, the table's nodes, its rows so far)."""
    consistent, known, waiting = propagate(n, indptr, cells, totals)
    if not consistent:
        return False, known, np.empty((0, 3), np.int32), np.empty((0, 6), np.int32)
    consistent, count, _, table = close(indptr, cells, totals, known, waiting, max_clauses)
    return consistent, known, table.nodes, table.rows[:count]


@kernel
def _minmax_many(
    max_clauses: int,
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
        consistent[i], known, counts[i, 0], counts[i, 1] = _closed(covered.size, indptr, cells, totals, max_clauses)
        if consistent[i]:
            write_masks(known, safe, mines, packed.n_at[i])


def _tightened(bounds: list[tuple[tuple[int, ...], int, int]]) -> Iterator[tuple[int, tuple[int, ...], int]]:
    """Clauses (minimum, cells, maximum) of (cells, mines, safes): a bound that another clause implies is that one's."""
    scopes = {cells: frozenset(cells) for cells, _, _ in bounds}
    holding: dict[int, list[int]] = defaultdict(list)  # cell -> the places of what holds it
    for place, (cells, _, _) in enumerate(bounds):
        for cell in cells:
            holding[cell].append(place)
    for cells, scope in scopes.items():  # equal sets are one clause
        mines = safes = len(cells)
        for place in dict.fromkeys(chain.from_iterable(holding[cell] for cell in cells)):
            other, other_mines, other_safes = bounds[place]
            outside = len(scope - scopes[other])
            mines, safes = min(mines, other_mines + outside), min(safes, other_safes + outside)
        yield len(cells) - safes, cells, mines


@dataclass(frozen=True, slots=True)
class MinMax:
    """LolAI's clauses. Ignores the mine count; finds all that `subset` finds, and more, within the budgets.

    Where clauses are left out, a run of `subset` with its default budget follows; where that leaves out sentences
    too, a `subset` by itself may find a cell that is not found here.

    max_clauses: how many derived clauses may lie inside one clue's scope; those over it are left out.
        Scopes of up to 8 cells, as on a grid, never need as many as 510.

    >>> clues = [({0, 1}, 1), ({0, 1, 2, 3}, 2), ({1, 2, 4}, 2), ({0, 3, 5}, 2)]
    >>> MinMax().deduce(Problem.from_sets(clues, n=6))
    <Deduction partial: safe [], mines [4, 5]>
    """

    max_clauses: int = 1000

    def __post_init__(self) -> None:
        check_budget("max_clauses", self.max_clauses, 0)

    @property
    def claims(self) -> Claims:
        """Nothing beyond soundness."""
        return Claims()

    def deduce(self, problem: Problem, /) -> Deduction:
        """The cells that the closure settles: PARTIAL, or INCONSISTENT if it meets a contradiction."""
        consistent, safe, mines, count, left_out = _minmax(
            problem.covered.size, problem.indptr, problem.cells, problem.totals, self.max_clauses
        )
        status = Status.PARTIAL if consistent else Status.INCONSISTENT
        return Deduction.trusted(safe, mines, status, {"clauses": count, "left_out": left_out})

    def clauses(self, problem: Problem, /) -> list[tuple[int, tuple[int, ...], int]]:
        """The clauses of the fixpoint: (minimum, cells ascending, maximum), by their cells.

        A settled cell is a clause of its own, and stands in no other. Clauses that say nothing, or nothing that one
        other does not say about more cells or fewer, are left out. Bounds are as tight as the fixpoint makes them.

        Raises ValueError where there is no model.

        >>> MinMax().clauses(Problem.from_sets([({0, 1, 2}, 1), ({1, 2, 3}, 2)], n=4))
        [(0, (0,), 0), (1, (1, 2), 1), (1, (3,), 1)]
        """
        consistent, known, nodes, rows = _fixpoint(
            problem.covered.size, problem.indptr, problem.cells, problem.totals, self.max_clauses
        )
        if not consistent:
            raise ValueError(f"{problem!r} has no model")
        settled = [(int(known[c] == MINE), (c,), int(known[c] == MINE)) for c in np.flatnonzero(known).tolist()]
        open_rows = rows[rows[:, SIZE] > 0].tolist()
        bounds: list[tuple[tuple[int, ...], int, int]] = []
        for row in open_rows:
            begin, size = row[BEGIN], row[SIZE]
            bounds.append((tuple(nodes[begin : begin + size, CELL].tolist()), row[MINES], row[SAFES]))
        return sorted([*settled, *_tightened(bounds)], key=lambda clause: clause[1])

    def deduce_many(self, problems: Sequence[Problem], /, *, threads: int | None = None) -> list[Deduction]:
        """`deduce` of each, on so many cores (None: all of them)."""
        rule = partial(_minmax_many, self.max_clauses)
        return deduce_by_rule(problems, threads, rule, ("clauses", "left_out"))
