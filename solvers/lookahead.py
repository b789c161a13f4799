"""How likely is it to survive a guess, and the guesses after it?

Method: a cell is opened in thought, with each clue that it may show. Each is a position to count, which says how
likely the clue is and which cell is then the safest; a position in which some cell is provably safe, or that is won,
counts as survived. (A count over its budget is told in `Room.status`, and makes values worthless.) Cells are tried
from the safest on, for as long as they can still be better than the best so far.
Cells beside no clue, whose neighbours are not either, are alike if they have as many unknown neighbours, and one stands
for all (beyond depth 2 that is an approximation).
Cost: a count a clue and a candidate, for depth d to the power d - 1. An Expert game takes about 2 milliseconds at depth
2.

Sources: secondary safety, which is what this adds to the safest cell, is D. N. Hill's (JSMinesweeper, 2020 on); depth-d
search of this kind over positions with unknown state, S. Ross, J. Pineau, S. Paquet, B. Chaib-draa, "Online planning
algorithms for POMDPs", Journal of Artificial Intelligence Research 32, 2008.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solvers.compiled import ONE, ZERO, Integer, inlined, part
from solvers.layers import OK
from solvers.table import COVERED, OPEN, Counted, Room, Table, count_table

Int32 = NDArray[np.int32]
Float64 = NDArray[np.float64]


@inlined
def _share(part_of: Counted, whole: Counted) -> float:
    return part_of.mantissa / whole.mantissa * 2.0 ** (part_of.exponent - whole.exponent)


@part
def kind_of(table: Table, indptr: Int32, neighbours: Int32, cell: int) -> Integer:
    """How many unknown neighbours a cell has that is far from all clues; -1 if it is not."""
    for j in range(indptr[cell], indptr[cell + 1]):
        near = neighbours[j]
        if table.state[near] == OPEN:
            return -ONE
        for i in range(indptr[near], indptr[near + 1]):
            if table.state[near] == COVERED and table.state[neighbours[i]] == OPEN:
                return -ONE
    return np.int64(table.unknown[cell])


@part
def by_safety(table: Table, indptr: Int32, neighbours: Int32, probability: Float64) -> Int32:
    """The cells to try, the safest first; of those that are alike the first."""
    n = probability.size
    cells, k = np.empty(n, np.int32), ZERO
    met = np.zeros(n + 1, np.bool_)  # kinds
    for cell in range(n):
        if table.state[cell] != COVERED or not probability[cell] < 1.0:
            continue
        kind = kind_of(table, indptr, neighbours, cell)
        if kind >= 0:
            if met[kind]:
                continue
            met[kind] = True
        cells[k] = cell
        k += 1
    cells = cells[:k]
    keys = np.empty(k)
    for i in range(k):
        keys[i] = probability[cells[i]]
    return cells[np.argsort(keys)]


@inlined
def _think(table: Table, indptr: Int32, neighbours: Int32, cell: int, step: int) -> None:
    """Open a cell in thought (step 1), its clue still to be set, or take that back (-1)."""
    table.state[cell] = OPEN if step == 1 else COVERED
    table.left[0] -= step
    for j in range(indptr[cell], indptr[cell + 1]):
        table.unknown[neighbours[j]] -= step


@part
def survives_two(
    table: Table, indptr: Int32, neighbours: Int32, room: Room, counted: Counted, cell: int, bar: float
) -> float:
    """The chance that a cell is safe, and so is the next guess.

    counted: of the table as it is. What cannot exceed `bar` may be anything up to it.
    """
    rest: float = 1.0 - counted.probability[cell]
    if table.left[0] == 1:
        return rest
    value = 0.0
    _think(table, indptr, neighbours, cell, ONE)
    for clue in range(table.known_mines[cell], table.known_mines[cell] + table.unknown[cell] + 1):
        if value + rest <= bar:
            break
        table.clue[cell] = clue
        status, then = count_table(table, indptr, neighbours, room)
        if status == OK:
            share = _share(then, counted)
            rest -= share
            value += share * _safety(table, then)
    _think(table, indptr, neighbours, cell, -ONE)
    return value


@part
def survives_three(
    table: Table, indptr: Int32, neighbours: Int32, room: Room, counted: Counted, cell: int, bar: float
) -> float:
    """The chance that a cell is safe, and so are the next two guesses. (One function a depth: numba does not keep
    recursive ones on disk.)"""
    rest: float = 1.0 - counted.probability[cell]
    if table.left[0] == 1:
        return rest
    value = 0.0
    _think(table, indptr, neighbours, cell, ONE)
    for clue in range(table.known_mines[cell], table.known_mines[cell] + table.unknown[cell] + 1):
        if value + rest <= bar:
            break
        table.clue[cell] = clue
        status, then = count_table(table, indptr, neighbours, room)
        if status != OK:
            continue
        share = _share(then, counted)
        rest -= share
        best = _safety(table, then)
        if best < 1.0:
            best = 0.0
            for other in by_safety(table, indptr, neighbours, then.probability):
                if 1.0 - then.probability[other] <= best:
                    break
                best = max(best, survives_two(table, indptr, neighbours, room, then, other, best))
        value += share * best
    _think(table, indptr, neighbours, cell, -ONE)
    return value


@part
def _safety(table: Table, counted: Counted) -> float:
    """The chance that the safest unknown cell is safe."""
    best = 0.0
    for cell in range(counted.probability.size):
        if table.state[cell] == COVERED:
            best = max(best, 1.0 - counted.probability[cell])
    return best
