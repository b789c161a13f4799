"""The best click when few models are left: they are listed, and searched to the end (:mod:`solvers.endgame`).

Method: unknown cells are set one after the other, those beside the same clue together, and given up as soon as a clue
or the mine count cannot be met.
Cost: what `models` and the budgets of steps allow; beyond them there is no answer, and nothing is claimed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solvers.compiled import ONE, ZERO, Integer, kernel, part
from solvers.endgame import SLOTS, make_search, wins
from solvers.table import COVERED, OPEN, SAFE, Table, make_table

Int16 = NDArray[np.int16]
Int32 = NDArray[np.int32]
Bool = NDArray[np.bool_]

LIST_STEPS = 200  #: how many cells may be set a model asked for, before listing is given up
SEARCH_STEPS = 20_000_000  #: how many looks at a cell of a model a search may take: about 20 ms


@part
def _in_order(table: Table, indptr: Int32, neighbours: Int32) -> Int32:
    """The unknown cells, clue by clue, and those beside none last."""
    n = table.state.size
    cells, taken, u = np.empty(n, np.int32), np.zeros(n, np.bool_), ZERO
    queue, waits = np.empty(n, np.int32), np.zeros(n, np.bool_)
    for start in range(n):
        if table.state[start] != OPEN or not table.unknown[start] or waits[start]:
            continue
        queue[0], waits[start] = start, True
        first, last = ZERO, ONE
        while first < last:
            clue = queue[first]
            first += 1
            for j in range(indptr[clue], indptr[clue + 1]):
                cell = neighbours[j]
                if table.state[cell] != COVERED:
                    continue
                if not taken[cell]:
                    taken[cell] = True
                    cells[u] = cell
                    u += 1
                for i in range(indptr[cell], indptr[cell + 1]):
                    other = neighbours[i]
                    if table.state[other] == OPEN and not waits[other]:
                        waits[other] = True
                        queue[last] = other
                        last += 1
    for cell in range(n):
        if table.state[cell] == COVERED and not taken[cell]:
            cells[u] = cell
            u += 1
    return cells[:u]


@part
def list_models(
    table: Table, indptr: Int32, neighbours: Int32, cells: Int32, most: int
) -> tuple[bool, NDArray[np.int8]]:
    """(whether these are all, the models of the unknown `cells`, int8[k, u]); at most so many are listed."""
    u = cells.size
    models = np.empty((most, u), np.int8)
    mines_to_go, cells_to_go = table.clue - table.known_mines, table.unknown.copy()
    left = table.left[1]
    value = np.full(u + 1, np.int8(-1))
    found, at, steps = ZERO, ZERO, ZERO + most * LIST_STEPS
    while at >= 0:
        if at == u:
            if left == 0:
                if found == most:
                    return False, models
                for i in range(u):
                    models[found, i] = value[i]
                found += 1
            at -= 1
            continue
        steps -= 1
        if steps < 0:
            return False, models
        cell, before = cells[at], value[at]
        if before >= 0:  # take it back
            left += before
            for j in range(indptr[cell], indptr[cell + 1]):
                mines_to_go[neighbours[j]] += before
                cells_to_go[neighbours[j]] += 1
        if before == 1:
            value[at] = -1
            at -= 1
            continue
        value[at] = before + 1
        left -= value[at]
        fits = 0 <= left < u - at
        for j in range(indptr[cell], indptr[cell + 1]):
            near = neighbours[j]
            mines_to_go[near] -= value[at]
            cells_to_go[near] -= 1
            if table.state[near] == OPEN:
                fits &= 0 <= mines_to_go[near] <= cells_to_go[near]
        if fits:
            at += 1
    return True, models[:found]


@part
def last_cell(
    table: Table, indptr: Int32, neighbours: Int32, most: int, memo: NDArray[np.uint64], seed: Integer
) -> Integer:
    """The cell of the best play to the end; -1 if there are over `most` models or fewer than 2, or it was given up.

    memo, seed: of :func:`solvers.endgame.make_search`.
    """
    cells = _in_order(table, indptr, neighbours)
    complete, models = list_models(table, indptr, neighbours, cells, most)
    k, u = models.shape
    if not complete or k < 2:
        return -ONE
    place = np.full(table.state.size, np.int32(-1))
    for i in range(u):
        place[cells[i]] = i
    shown = np.empty((k, u), np.int16)
    for i in range(u):
        cell = cells[i]
        for model in range(k):
            clue = ZERO
            for j in range(indptr[cell], indptr[cell + 1]):
                other = place[neighbours[j]]
                if other >= 0:
                    clue += models[model, other]
            shown[model, i] = -1 if models[model, i] else clue
    work, choice = np.empty(1, np.int64), np.empty(1, np.int32)
    work[0] = SEARCH_STEPS
    wins(make_search(shown, memo, work, seed), choice)
    return np.int64(cells[choice[0]]) if work[0] >= 0 and choice[0] >= 0 else -ONE


@kernel
def last_cell_of(
    covered: Bool, opened: Bool, clues: Int32, mines: int, indptr: Int32, neighbours: Int32, most: int
) -> int:
    """`last_cell` of a position: its covered cells, those with a clue, the clues, the mines among the covered ones."""
    n = covered.size
    table = make_table(n)
    for cell in range(n):
        table.state[cell] = COVERED if covered[cell] else OPEN if opened[cell] else SAFE
        table.clue[cell], table.known_mines[cell], table.unknown[cell] = clues[cell], 0, 0
        for j in range(indptr[cell], indptr[cell + 1]):
            table.unknown[cell] += covered[neighbours[j]]
    table.left[0], table.left[1] = n, mines
    found: int = last_cell(table, indptr, neighbours, most, np.zeros((SLOTS, 3), np.uint64), np.uint64(0))
    return found
