"""Whole games in one compiled loop: complete inference, and a guess wherever nothing is provably safe.

Method: inference as in :mod:`solvers.table`, and a policy's choice wherever it proves nothing safe.
Cost: a dozen counts of 20 microseconds a game on Expert boards. Guesses draw from a stream of their own, one a game.

Sources: see :mod:`solvers.policy`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solvers.compiled import GOLDEN, ONE, ZERO, Integer, inlined, kernel, mixed, part
from solvers.endgame import SLOTS
from solvers.ending import last_cell
from solvers.foresight import Lookahead, Optimal
from solvers.layers import OK
from solvers.lookahead import by_safety, kind_of, survives_three, survives_two
from solvers.policy import TIE, Frontier, Policy, Random, Safest, Smart
from solvers.table import (
    COVERED,
    OPEN,
    Counted,
    Room,
    Table,
    count_table,
    learn_proved,
    make_room,
    make_table,
    open_cell,
    single_clues,
)

Int32 = NDArray[np.int32]
Float64 = NDArray[np.float64]

RANDOM, FRONTIER, SAFEST, SMART, LOOKAHEAD = range(5)  #: policies by their numbers in the kernel
_DEEPEST = 3  # lookahead
LOST, WON, GAVE_UP = 0, 1, 2  #: outcomes; GAVE_UP: counting went over its budget


def how(policy: Policy) -> tuple[int, int, int] | None:
    """How :func:`play` plays a policy: its number, depth of lookahead, models to search to the end; None: it cannot.

    >>> from solvers.policy import Smart
    >>> how(Smart())
    (3, 1, 0)
    """
    if isinstance(policy, Lookahead | Optimal):
        return (LOOKAHEAD, policy.depth, getattr(policy, "models", 0)) if policy.depth <= _DEEPEST else None
    simple: dict[type, int] = {Random: RANDOM, Frontier: FRONTIER, Safest: SAFEST, Smart: SMART}
    return (simple[type(policy)], 1, 0) if type(policy) in simple else None


@inlined
def _random(stream: NDArray[np.uint64]) -> Integer:
    """The next number of a stream, uint64."""
    stream[0] += GOLDEN
    return mixed(stream[0])


@inlined
def _below(stream: NDArray[np.uint64], k: Integer) -> Integer:
    """An integer in 0..k - 1."""
    return np.int64(((_random(stream) >> np.uint64(32)) * np.uint64(k)) >> np.uint64(32))


@part
def _values(
    table: Table, indptr: Int32, neighbours: Int32, room: Room, counted: Counted, policy: int, depth: int
) -> Float64:
    """What each unknown cell is worth to a policy, at most 1; -1 for all others."""
    probability = counted.probability
    values = np.full(probability.size, -1.0)
    if policy == LOOKAHEAD and depth > 1:
        kinds, best = np.full(probability.size + 1, -1.0), 0.0
        for cell in by_safety(table, indptr, neighbours, probability):
            if 1.0 - probability[cell] < best - TIE:
                break
            if depth == 2:
                value = survives_two(table, indptr, neighbours, room, counted, cell, best - TIE)
            else:
                value = survives_three(table, indptr, neighbours, room, counted, cell, best - TIE)
            best = max(best, value)
            values[cell] = value
            kind = kind_of(table, indptr, neighbours, cell)
            if kind >= 0:
                kinds[kind] = value
        for cell in range(probability.size):
            if table.state[cell] == COVERED and values[cell] < 0:
                kind = kind_of(table, indptr, neighbours, cell)
                if kind >= 0:
                    values[cell] = kinds[kind]
        return values
    for cell in range(probability.size):
        if table.state[cell] == COVERED:
            values[cell] = 1.0 - probability[cell] if policy >= SAFEST else 1.0
    return values


@part
def _guess(
    table: Table,
    indptr: Int32,
    neighbours: Int32,
    room: Room,
    counted: Counted,
    policy: int,
    depth: int,
    stream: NDArray[np.uint64],
) -> Integer:
    """The unknown cell that a policy opens: one of the highest value and, among these, of the lowest rank."""
    values = _values(table, indptr, neighbours, room, counted, policy, depth)
    least = values.max() - TIE
    chosen, best, ties = -ONE, ZERO, ZERO
    for cell in range(values.size):
        if values[cell] < 0 or values[cell] < least:
            continue
        rank = ZERO
        if policy == FRONTIER:
            rank = ONE
            for j in range(indptr[cell], indptr[cell + 1]):
                if table.state[neighbours[j]] == OPEN:
                    rank = ZERO
        elif policy >= SMART:
            rank = np.int64(table.unknown[cell] + table.known_mines[cell])
        if chosen < 0 or rank < best:
            chosen, best, ties = np.int64(cell), rank, ONE
        elif rank == best:
            ties += 1
            if _below(stream, ties) == 0:
                chosen = np.int64(cell)
    return chosen


@part
def _choose(
    table: Table,
    indptr: Int32,
    neighbours: Int32,
    room: Room,
    counted: Counted,
    how: tuple[int, int, int],
    memo: NDArray[np.uint64],
    stream: NDArray[np.uint64],
) -> Integer:
    """The unknown cell to open. how: of :func:`play`."""
    policy, depth, models = how
    if models and np.log2(counted.mantissa) + counted.exponent < np.log2(models + 0.5):
        cell = last_cell(table, indptr, neighbours, models, memo, _random(stream))
        if cell >= 0:
            return cell
    return _guess(table, indptr, neighbours, room, counted, policy, depth, stream)


@kernel
def play(
    mined: NDArray[np.bool_],
    indptr: Int32,
    neighbours: Int32,
    first: int,
    how: tuple[int, int, int],
    streams: NDArray[np.uint64],
    max_bytes: int,
    outcomes: NDArray[np.int8],
    guesses: Int32,
) -> None:
    """Play the games of the boards `mined`, bool[g, n]; write down outcomes[g] and guesses[g].

    The first click is no guess. how: number of the policy, depth of lookahead, and how many models are searched to the
    end. streams: uint64[g], the state of each game's stream of random numbers.
    """
    games, n = mined.shape
    table, room = make_table(n), make_room(n, neighbours.size, max_bytes)
    memo = np.zeros((SLOTS if how[2] else 1, 3), np.uint64)
    for game in range(games):
        board = mined[game]
        mines = ZERO
        for cell in range(n):
            table.state[cell] = COVERED
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
            if not open_cell(table, board, indptr, neighbours, cell):
                outcomes[game] = LOST
                break
            single_clues(table, board, indptr, neighbours)
            status = OK
            while table.left[0]:
                status, counted = count_table(table, indptr, neighbours, room)
                if status != OK:
                    break
                if not learn_proved(table, indptr, neighbours, counted.probability):
                    cell = _choose(table, indptr, neighbours, room, counted, how, memo, stream)
                    status = room.status[0]
                    break
                single_clues(table, board, indptr, neighbours)
            if status != OK:
                outcomes[game] = GAVE_UP
                break
            if table.left[0]:
                guesses[game] += 1
