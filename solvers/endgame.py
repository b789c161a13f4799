"""How often can the best player win, and where does he click? Exact search over everything that can be seen.

Method: the models that are left are split by what a click shows, until one is left. Only cells that do not show the
same in all of them matter, so the models alone say what is worth knowing, and a table keeps what each set of models is
worth, under a random key of 128 bits (A. Zobrist, *A new hashing method with application for game playing*, University
of Wisconsin, 1970). A cell that is safe in all models and tells something is opened at once, which costs nothing. Else
every cell that is safe in more models than the best one so far has won is tried, the likeliest first, for as long as
its groups of models can still win more.
Cost: exponential; hundreds of models take milliseconds, tiny boards with thousands seconds.

Source: dynamic programming over what can be known, K. J. Astrom, "Optimal control of Markov processes with incomplete
state information", Journal of Mathematical Analysis and Applications 10, 1965.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb
from typing import NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from board.layout import Rule
from board.problem import mine_count
from board.topology import Topology
from solvers.compiled import GOLDEN, ONE, ZERO, Integer, kernel, mixed, part

LARGEST = 10_000  #: layouts that `optimum` searches
_LARGEST_CELLS = 1_000_000  # of all layouts together

# A frame of the search. Its models are begin .. end - 1 of the list, and what is from `top` on is free; how many cells
# may matter, and be tried; the next one to try, and what the best one so far wins. Of the cell that is tried: how many
# groups of models, the next one, what those before it win, and how many models those after it have. Keys and slot.
_BEGIN, _END, _TOP, _COUNT, _TRIES, _NEXT, _BEST, _KINDS, _KIND, _VALUE, _LEFT, _FIRST, _SECOND, _SLOT = range(14)
_FIELDS = 14

Int16 = NDArray[np.int16]
Int64 = NDArray[np.int64]
Int32 = NDArray[np.int32]
UInt64 = NDArray[np.uint64]

_MINED = -1  # what a cell shows that is a mine
_BEYOND = 1 << 15  # more than a cell can show
SLOTS = 1 << 16  #: of the table of a search
_NO_LIMIT = 1 << 62


class Search(NamedTuple):
    """What a search goes over, and what it has found.

    shown: (k, u), what each cell shows in each model. keys: (k, 2), of the models. models: room for lists of them,
    each level's behind its parent's. live: (levels, u), the cells that do not show the same everywhere, most often
    safe first; safe: in how many models. table: (slots, 3), the two keys of a set of models and what it is worth.
    work: [0] is how many looks at a cell of a model are left, below 0 the search has been given up.
    """

    shown: Int16
    keys: UInt64
    models: Int32
    live: Int32
    safe: Int32
    table: UInt64
    work: NDArray[np.int64]


@part
def make_search(shown: Int16, table: UInt64, work: NDArray[np.int64], seed: Integer) -> Search:
    """A search over all models. seed: uint64, another one for each search that uses the table."""
    k, u = shown.shape
    keys = np.empty((k, 2), np.uint64)
    state = seed
    for i in range(k):
        for j in range(2):
            state += GOLDEN
            keys[i, j] = mixed(state)
    levels = min(u, k) + 3  # each level has a cell and a model less
    models = np.empty(k * levels, np.int32)
    for i in range(k):
        models[i] = i
    return Search(shown, keys, models, np.empty((levels, u), np.int32), np.empty((levels, u), np.int32), table, work)


@part
def _split(search: Search, begin: Integer, end: Integer, top: Integer, cell: Integer, ends: Int32) -> Integer:
    """Write the models begin .. end - 1 in which the cell is safe from `top` on, by what it shows: how many kinds.

    ends[0]: top, ends[i]: where the i-th kind ends.
    """
    kinds, at = ZERO, top
    ends[0] = top
    least = -ONE
    while True:  # the kinds are few
        following = ZERO + _BEYOND
        for i in range(begin, end):
            value = search.shown[search.models[i], cell]
            if least < value < following:
                following = value
        if following == _BEYOND:
            return kinds
        for i in range(begin, end):
            if search.shown[search.models[i], cell] == following:
                search.models[at] = search.models[i]
                at += 1
        kinds += 1
        ends[kinds] = at
        least = following


@part
def _enter(search: Search, frames: Int64, level: Integer, cells: Integer) -> Integer:
    """What the models of a level's frame are worth, where that is clear at once; -1 where cells must be tried.

    cells: how many of the level above may matter.
    """
    frame = frames[level]
    begin, end = frame[_BEGIN], frame[_END]
    k = end - begin
    if k <= 1:
        return k
    first, second = np.uint64(0), np.uint64(0)
    for i in range(begin, end):
        first ^= search.keys[search.models[i], 0]
        second ^= search.keys[search.models[i], 1]
    slot = np.int64(first & np.uint64(search.table.shape[0] - 1))
    if level > 1 and search.table[slot, 0] == first and search.table[slot, 1] == second:
        return np.int64(search.table[slot, 2])
    search.work[0] -= k * cells
    live, safe = search.live[level], search.safe[level]
    count, free = ZERO, -ONE
    for j in range(cells):
        cell = search.live[level - 1, j]
        value = search.shown[search.models[begin], cell]
        same, often = True, ZERO
        for i in range(begin, end):
            other = search.shown[search.models[i], cell]
            same &= other == value
            often += other != _MINED
        if same:
            continue
        if often == k:
            free = np.int64(count)
        at = count  # sorted by insertion, those that are alike in the order of their numbers
        while at and safe[at - 1] < often:
            live[at], safe[at] = live[at - 1], safe[at - 1]
            at -= 1
        live[at], safe[at] = cell, often
        count += 1
    frame[_COUNT] = count
    frame[_TRIES] = count if free < 0 else ONE  # a free cell comes first, being safe everywhere
    frame[_NEXT], frame[_BEST], frame[_KIND], frame[_KINDS] = 0, 0, 0, 0
    frame[_FIRST], frame[_SECOND], frame[_SLOT] = np.int64(first), np.int64(second), slot
    return -ONE


@part
def _advance(search: Search, frames: Int64, ends: Int32, level: Integer, choice: Int32) -> bool:
    """Whether there is a group of models to look at next, which becomes the frame below; if not, the best is known."""
    frame = frames[level]
    while True:
        if frame[_KIND] < frame[_KINDS] and frame[_VALUE] + frame[_LEFT] > frame[_BEST]:
            kind = frame[_KIND]
            below = frames[level + 1]
            below[_BEGIN], below[_END], below[_TOP] = ends[kind], ends[kind + 1], ends[frame[_KINDS]]
            frame[_LEFT] -= below[_END] - below[_BEGIN]
            frame[_KIND] += 1
            return True
        if frame[_KINDS] and frame[_VALUE] > frame[_BEST]:
            frame[_BEST] = frame[_VALUE]
            if level == 1:
                choice[0] = search.live[1, frame[_NEXT] - 1]
        tried = frame[_NEXT]
        if tried == frame[_TRIES] or search.safe[level, tried] <= frame[_BEST]:
            return False
        frame[_KINDS] = _split(search, frame[_BEGIN], frame[_END], frame[_TOP], search.live[level, tried], ends)
        frame[_KIND], frame[_VALUE], frame[_LEFT] = 0, 0, search.safe[level, tried]
        frame[_NEXT] += 1


@part
def wins(search: Search, choice: Int32) -> Integer:
    """In how many of the models the best player wins; means nothing once the work is over.

    choice[0] becomes the cell to click; -1 where there is one model, or no cell that is safe in any. (Not recursive,
    because numba does not keep recursive functions on disk.)
    """
    k, u = search.shown.shape
    levels = search.live.shape[0]
    frames, ends = np.zeros((levels, _FIELDS), np.int64), np.empty((levels, k + 1), np.int32)
    for cell in range(u):
        search.live[0, cell] = cell
    frames[0, _COUNT] = u
    level, choice[0] = ONE, -1
    frames[1, _END] = frames[1, _TOP] = k
    result = _enter(search, frames, level, frames[0, _COUNT])
    while search.work[0] >= 0:
        frame = frames[level]
        if result >= 0:
            level -= 1
            if level == 0:
                break
            frame = frames[level]
            frame[_VALUE] += result
        if _advance(search, frames, ends[level], level, choice):
            level += 1
            result = _enter(search, frames, level, frame[_COUNT])
        else:
            result, slot = frame[_BEST], frame[_SLOT]
            search.table[slot, 0], search.table[slot, 1] = np.uint64(frame[_FIRST]), np.uint64(frame[_SECOND])
            search.table[slot, 2] = np.uint64(result)
    return result


@kernel
def best_play(shown: Int16, table: UInt64, seed: Integer, choice: Int32) -> int:
    """In how many models the best player wins, whose first cell becomes choice[0]; see :class:`Search`."""
    work = np.empty(1, np.int64)
    work[0] = _NO_LIMIT
    won: int = wins(make_search(shown, table, work, seed), choice)
    return won


class Endgame:
    """The best play among these models.

    models: bool[k, n], mines; all different, with the same number of mines. topology: of the n cells.

    >>> from board.topology import grid
    >>> Endgame(layouts(9, 1), grid(3, 3)).wins()
    8
    """

    def __init__(self, models: NDArray[np.bool_], topology: Topology) -> None:
        self.count, self.n = models.shape
        clues = np.stack([models[:, topology.of(cell)].sum(axis=1) for cell in range(self.n)], axis=1)
        self._shown = np.where(models, _MINED, clues).astype(np.int16)
        self._table, self._searches = np.zeros((SLOTS, 3), np.uint64), 0

    def wins(self) -> int:
        """In how many of the models the best player wins, who begins with all cells covered."""
        return self._wins(np.arange(self.count))

    def wins_opening(self, cell: int) -> int:
        """The same for one who begins with this cell; a mine wins nothing."""
        shown = self._shown[:, cell]
        return sum(self._wins(np.flatnonzero(shown == clue)) for clue in np.unique(shown[shown != _MINED]).tolist())

    def _wins(self, models: NDArray[np.intp]) -> int:
        self._searches += 1
        choice = np.empty(1, np.int32)
        return int(best_play(self._shown[models], self._table, np.uint64(self._searches << 32), choice))


def optimum(topology: Topology, mines: int, rule: Rule = "any") -> tuple[int, int, int]:
    """(games won by the best player, of how many, after which first cell): over all layouts that the rule allows.

    A count of games is that of the layouts for one first cell. Raises ValueError for a rule or a number that means
    nothing, if no layout is allowed, and if there are over LARGEST, or over a million cells in all of them.

    >>> from board.topology import grid
    >>> optimum(grid(3, 3), 3), optimum(grid(3, 3), 3, "safe")
    ((33, 84, 0), (33, 56, 0))
    """
    if rule not in get_args(Rule):
        raise ValueError(f"unknown first-click rule {rule!r}; known are {', '.join(get_args(Rule))}")
    if mine_count(mines) is None:
        raise ValueError("mines: a number is needed, not None")
    best = (-1, 0, 0)
    search: Endgame | None = None
    for first in range(topology.n):
        if rule != "any" or search is None:
            free = {"any": [], "safe": [first], "opening": [first, *topology.of(first).tolist()]}[rule]
            count = comb(topology.n - len(free), mines)
            if count > LARGEST:
                raise ValueError(f"{count:,} layouts are over {LARGEST:,}, too many to search")
            if count * topology.n > _LARGEST_CELLS:
                raise ValueError(f"{count:,} layouts of {topology.n:,} cells are too many to search")
            if not count:
                continue
            search = Endgame(layouts(topology.n, mines, free), topology)
        won = search.wins_opening(first)
        if won * max(best[1], 1) > best[0] * search.count:
            best = won, search.count, first
    if best[0] < 0:
        raise ValueError(f"no layout of {mines} mines on {topology.n} cells under the rule {rule!r}")
    return best


def layouts(n: int, mines: int, safe: Sequence[int] = ()) -> NDArray[np.bool_]:
    """All layouts of so many mines on n cells, bool[k, n], in which the cells `safe` are free.

    >>> layouts(3, 1, [0]).tolist()
    [[False, True, False], [False, False, True]]
    """
    free = [cell for cell in range(n) if cell not in safe]
    chosen = np.array(list(combinations(free, mines)), np.intp).reshape(comb(len(free), mines), mines)
    models = np.zeros((len(chosen), n), np.bool_)
    np.put_along_axis(models, chosen, True, axis=1)
    return models
