"""The board of a compiled game: what is known of each cell, what single clues tell, and the exact count of the rest.

Method: after each opened cell its clue and those of its neighbours are looked at; where single clues run dry, exact
counting with the mine count (:mod:`solvers.passes`) gives the proved cells and the probabilities at once. That is the
inference of `cascade:stages=single+counting`, and finds what every complete solver finds. A zero opens its neighbours
by the same rule as everything else: a clue with no mines left has only safe cells.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvers.compiled import ZERO, inlined, part
from solvers.layers import OK, OVER_BUDGET
from solvers.passes import count

Int32 = NDArray[np.int32]
Float64 = NDArray[np.float64]
Bool = NDArray[np.bool_]

COVERED, OPEN, SAFE, MINE = 0, 1, 2, 3  #: what is known of a cell: nothing, its clue, that it is safe, or a mine


class Table(NamedTuple):
    """A game. Of each cell what is known, and of its neighbours how many are unknown and how many known mines."""

    state: NDArray[np.int8]
    unknown: Int32
    known_mines: Int32
    clue: Int32
    todo: Int32  # [0]: how many opened clues wait to be looked at, which follow
    waits: Bool
    safe: Int32  # [0]: how many known safe cells wait to be opened, which follow
    left: NDArray[np.int64]  # [0]: safe cells still covered, [1]: mines not known yet


class Room(NamedTuple):
    """Where the clues to count are written, and the budget of counting."""

    scopes: Int32
    cells: Int32
    totals: Int32
    max_bytes: NDArray[np.int64]  # [0]
    status: NDArray[np.int64]  # [0]: OK, or OVER_BUDGET as soon as one count was


class Counted(NamedTuple):
    """A count: the probability of each cell, and the number of models as mantissa and exponent."""

    probability: Float64
    mantissa: float
    exponent: int


@inlined
def make_table(n: int) -> Table:
    """Room for a board of n cells."""
    return Table(
        np.empty(n, np.int8),
        np.empty(n, np.int32),
        np.empty(n, np.int32),
        np.empty(n, np.int32),
        np.empty(n + 1, np.int32),
        np.empty(n, np.bool_),
        np.empty(n + 1, np.int32),
        np.empty(2, np.int64),
    )


@part
def learn(table: Table, indptr: Int32, neighbours: Int32, cell: int, value: int) -> None:
    """A covered cell is now open, known to be safe, or known to be a mine."""
    if table.state[cell] == COVERED:
        mine = value == MINE
        for j in range(indptr[cell], indptr[cell + 1]):
            near = neighbours[j]
            table.unknown[near] -= 1
            table.known_mines[near] += mine
            if table.state[near] == OPEN and not table.waits[near]:
                table.waits[near] = True
                table.todo[0] += 1
                table.todo[table.todo[0]] = near
        table.left[1] -= mine
    table.state[cell] = value
    if value == SAFE:
        table.safe[0] += 1
        table.safe[table.safe[0]] = cell


@part
def open_cell(table: Table, mined: Bool, indptr: Int32, neighbours: Int32, cell: int) -> bool:
    """Open a cell: whether it was no mine."""
    if mined[cell]:
        return False
    learn(table, indptr, neighbours, cell, OPEN)
    clue = 0
    for j in range(indptr[cell], indptr[cell + 1]):
        clue += mined[neighbours[j]]
    table.clue[cell] = clue
    table.left[0] -= 1
    if not table.waits[cell]:
        table.waits[cell] = True
        table.todo[0] += 1
        table.todo[table.todo[0]] = cell
    return True


@part
def single_clues(table: Table, mined: Bool, indptr: Int32, neighbours: Int32) -> None:
    """Open and learn what single clues tell, until they run dry."""
    while True:
        if table.todo[0]:
            cell = table.todo[table.todo[0]]
            table.todo[0] -= 1
            table.waits[cell] = False
            unknown, mines = table.unknown[cell], table.clue[cell] - table.known_mines[cell]
            if unknown and (mines == 0 or mines == unknown):
                value = MINE if mines else SAFE
                for j in range(indptr[cell], indptr[cell + 1]):
                    if table.state[neighbours[j]] == COVERED:
                        learn(table, indptr, neighbours, neighbours[j], value)
        elif table.safe[0]:
            cell = table.safe[table.safe[0]]
            table.safe[0] -= 1
            open_cell(table, mined, indptr, neighbours, cell)
        else:
            return


@inlined
def make_room(n: int, entries: int, max_bytes: int) -> Room:
    """For a board of n cells with so many neighbours altogether."""
    sizes = np.empty(1, np.int64)
    sizes[0] = max_bytes
    status = np.full(1, np.int64(OK))
    return Room(np.empty(n + 1, np.int32), np.empty(entries, np.int32), np.empty(n, np.int32), sizes, status)


@part
def count_table(table: Table, indptr: Int32, neighbours: Int32, room: Room) -> tuple[int, Counted]:
    """(status of :func:`solvers.passes.count`, what it says of the unknown cells)."""
    covered = table.state == COVERED
    m = k = ZERO
    room.scopes[0] = 0
    for cell in range(covered.size):
        if table.state[cell] == OPEN and table.unknown[cell]:
            for j in range(indptr[cell], indptr[cell + 1]):
                if covered[neighbours[j]]:
                    room.cells[k] = neighbours[j]
                    k += 1
            room.totals[m] = table.clue[cell] - table.known_mines[cell]
            m += 1
            room.scopes[m] = k
    status, probability, mantissa, exponent, _ = count(
        covered, room.scopes[: m + 1], room.cells[:k], room.totals[:m], table.left[1], room.max_bytes[0]
    )
    if status == OVER_BUDGET:
        room.status[0] = status
    return status, Counted(probability, mantissa, exponent)


@part
def learn_proved(table: Table, indptr: Int32, neighbours: Int32, probability: NDArray[np.float64]) -> bool:
    """Learn the cells of probability 0 and 1: whether one of them is safe."""
    found = False
    for cell in range(table.state.size):
        if table.state[cell] == COVERED:
            if probability[cell] == 0.0:
                learn(table, indptr, neighbours, cell, SAFE)
                found = True
            elif probability[cell] == 1.0:
                learn(table, indptr, neighbours, cell, MINE)
    return found
