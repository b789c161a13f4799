"""Whole games in one compiled loop: complete inference, and a guess wherever nothing is provably safe.

Method: single clues first, on the neighbours of what has just changed; where they run dry, exact counting with the
mine count (:mod:`solvers.passes`) on what is left to know, which gives the proved cells and the probabilities at once.
That is the inference of `cascade:stages=single+counting`, and finds what every complete solver finds. A zero opens its
neighbours by the same rule as everything else: a clue with no mines left has only safe cells.
Cost: a dozen counts of 20 microseconds a game on Expert boards. Guesses draw from a stream of their own, one a game.

Sources: the policies, see :mod:`solvers.policy`; the stream, G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom
number generators", OOPSLA 2014 (SplitMix64).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvers.compiled import ONE, ZERO, Integer, inlined, kernel, part
from solvers.layers import OK
from solvers.passes import count
from solvers.policy import TIE

Int32 = NDArray[np.int32]
Bool = NDArray[np.bool_]

COMPILED = ("random", "frontier", "safest", "smart")  #: policies, by their number in the kernel
LOST, WON, GAVE_UP = 0, 1, 2  #: outcomes; GAVE_UP: counting went over its budget

_COVERED, _OPEN, _SAFE, _MINE = 0, 1, 2, 3


class _Table(NamedTuple):
    """A game. Of each cell what is known, and of its neighbours how many are unknown and how many known mines."""

    state: NDArray[np.int8]
    unknown: Int32
    known_mines: Int32
    clue: Int32
    todo: Int32  # [0]: how many opened clues wait to be looked at, which follow
    waits: Bool
    safe: Int32  # [0]: how many known safe cells wait to be opened, which follow
    left: NDArray[np.int64]  # [0]: safe cells still covered, [1]: mines not known yet


@inlined
def _random(stream: NDArray[np.uint64]) -> Integer:
    """The next number of a stream, uint64."""
    stream[0] += np.uint64(0x9E3779B97F4A7C15)
    x = stream[0]
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@inlined
def _below(stream: NDArray[np.uint64], k: Integer) -> Integer:
    """An integer in 0..k - 1."""
    return np.int64(((_random(stream) >> np.uint64(32)) * np.uint64(k)) >> np.uint64(32))


@part
def _learn(table: _Table, indptr: Int32, neighbours: Int32, cell: int, value: int) -> None:
    """A covered cell is now open, known to be safe, or known to be a mine."""
    if table.state[cell] == _COVERED:
        mine = value == _MINE
        for j in range(indptr[cell], indptr[cell + 1]):
            near = neighbours[j]
            table.unknown[near] -= 1
            table.known_mines[near] += mine
            if table.state[near] == _OPEN and not table.waits[near]:
                table.waits[near] = True
                table.todo[0] += 1
                table.todo[table.todo[0]] = near
        table.left[1] -= mine
    table.state[cell] = value
    if value == _SAFE:
        table.safe[0] += 1
        table.safe[table.safe[0]] = cell


@part
def _open(table: _Table, mined: Bool, indptr: Int32, neighbours: Int32, cell: int) -> bool:
    """Open a cell: whether it was no mine."""
    if mined[cell]:
        return False
    _learn(table, indptr, neighbours, cell, _OPEN)
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
def _single_clues(table: _Table, mined: Bool, indptr: Int32, neighbours: Int32) -> None:
    """Open and learn what single clues tell, until they run dry."""
    while True:
        if table.todo[0]:
            cell = table.todo[table.todo[0]]
            table.todo[0] -= 1
            table.waits[cell] = False
            unknown, mines = table.unknown[cell], table.clue[cell] - table.known_mines[cell]
            if unknown and (mines == 0 or mines == unknown):
                value = _MINE if mines else _SAFE
                for j in range(indptr[cell], indptr[cell + 1]):
                    if table.state[neighbours[j]] == _COVERED:
                        _learn(table, indptr, neighbours, neighbours[j], value)
        elif table.safe[0]:
            cell = table.safe[table.safe[0]]
            table.safe[0] -= 1
            _open(table, mined, indptr, neighbours, cell)
        else:
            return


@part
def _count(
    table: _Table, indptr: Int32, neighbours: Int32, scopes: Int32, cells: Int32, totals: Int32, max_bytes: int
) -> tuple[bool, NDArray[np.float64]]:
    """(False over the budget, probabilities of the unknown cells). scopes, cells, totals: room to write in."""
    covered = table.state == _COVERED
    m = k = ZERO
    scopes[0] = 0
    for cell in range(covered.size):
        if table.state[cell] == _OPEN and table.unknown[cell]:
            for j in range(indptr[cell], indptr[cell + 1]):
                if covered[neighbours[j]]:
                    cells[k] = neighbours[j]
                    k += 1
            totals[m] = table.clue[cell] - table.known_mines[cell]
            m += 1
            scopes[m] = k
    status, probability, _, _, _ = count(covered, scopes[: m + 1], cells[:k], totals[:m], table.left[1], max_bytes)
    return status == OK, probability


@part
def _proved(table: _Table, indptr: Int32, neighbours: Int32, probability: NDArray[np.float64]) -> bool:
    """Learn the cells of probability 0 and 1: whether one of them is safe."""
    found = False
    for cell in range(table.state.size):
        if table.state[cell] == _COVERED:
            if probability[cell] == 0.0:
                _learn(table, indptr, neighbours, cell, _SAFE)
                found = True
            elif probability[cell] == 1.0:
                _learn(table, indptr, neighbours, cell, _MINE)
    return found


@part
def _guess(
    table: _Table,
    indptr: Int32,
    neighbours: Int32,
    probability: NDArray[np.float64],
    policy: int,
    stream: NDArray[np.uint64],
) -> Integer:
    """The unknown cell that a policy opens."""
    least = 2.0
    if policy >= 2:
        for cell in range(probability.size):
            if table.state[cell] == _COVERED:
                least = min(least, probability[cell])
    chosen, best, ties = -ONE, ZERO, ZERO
    for cell in range(probability.size):
        if table.state[cell] != _COVERED or (policy >= 2 and probability[cell] > least + TIE):
            continue
        rank = ZERO  # the lower, the better
        if policy == 1:
            rank = ONE
            for j in range(indptr[cell], indptr[cell + 1]):
                if table.state[neighbours[j]] == _OPEN:
                    rank = ZERO
        elif policy == 3:
            rank = np.int64(table.unknown[cell] + table.known_mines[cell])
        if chosen < 0 or rank < best:
            chosen, best, ties = np.int64(cell), rank, ONE
        elif rank == best:
            ties += 1
            if _below(stream, ties) == 0:
                chosen = np.int64(cell)
    return chosen


@kernel
def play(
    mined: NDArray[np.bool_],
    indptr: Int32,
    neighbours: Int32,
    first: int,
    policy: int,
    streams: NDArray[np.uint64],
    max_bytes: int,
    outcomes: NDArray[np.int8],
    guesses: Int32,
) -> None:
    """Play the games of the boards `mined`, bool[g, n]; write down outcomes[g] and guesses[g].

    The first click is no guess. policy: its place in COMPILED; streams: uint64[g], the state of each game's stream of
    random numbers.
    """
    games, n = mined.shape
    table = _Table(
        np.empty(n, np.int8),
        np.empty(n, np.int32),
        np.empty(n, np.int32),
        np.empty(n, np.int32),
        np.empty(n + 1, np.int32),
        np.empty(n, np.bool_),
        np.empty(n + 1, np.int32),
        np.empty(2, np.int64),
    )
    scopes, cells, totals = np.empty(n + 1, np.int32), np.empty(neighbours.size, np.int32), np.empty(n, np.int32)
    for game in range(games):
        board = mined[game]
        mines = ZERO
        for cell in range(n):
            table.state[cell] = _COVERED
            table.unknown[cell] = indptr[cell + 1] - indptr[cell]
            table.known_mines[cell] = 0
            table.waits[cell] = False
            mines += board[cell]
        table.todo[0] = table.safe[0] = 0
        table.left[0], table.left[1] = n - mines, mines
        stream = streams[game : game + 1]
        guesses[game] = 0
        outcomes[game] = WON
        cell = first
        while table.left[0]:
            if not _open(table, board, indptr, neighbours, cell):
                outcomes[game] = LOST
                break
            _single_clues(table, board, indptr, neighbours)
            known = True
            while table.left[0]:
                counted, probability = _count(table, indptr, neighbours, scopes, cells, totals, max_bytes)
                if not counted:
                    known = False
                    break
                if not _proved(table, indptr, neighbours, probability):
                    cell = _guess(table, indptr, neighbours, probability, policy, stream)
                    break
                _single_clues(table, board, indptr, neighbours)
            if not known:
                outcomes[game] = GAVE_UP
                break
            if table.left[0]:
                guesses[game] += 1
