"""How often can the best player win? Exact search over everything that can be seen.

Method: the models that are left are a set of bits, and for each cell and clue the models in which the cell is safe and
shows that clue another: what a click shows is an intersection. Cells that are safe in all models are opened at
once, which costs nothing and tells something. Else every cell that is safe in more models than the best one so far has
won is tried, the likeliest first; equal sets of models with the same cells left are looked up.
Cost: exponential; a few hundred models take milliseconds, tiny boards with thousands seconds to minutes.

Source: dynamic programming over what can be known, K. J. Astrom, "Optimal control of Markov processes with incomplete
state information", Journal of Mathematical Analysis and Applications 10, 1965.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from board.layout import Rule
from board.topology import Topology

LARGEST = 10_000  #: layouts that `optimum` searches


class Endgame:
    """The best play among these models.

    models: bool[k, n], mines; all with the same number of mines. topology: of the n cells.

    >>> from board.topology import grid
    >>> Endgame(layouts(9, 1), grid(3, 3)).wins()
    8
    """

    def __init__(self, models: NDArray[np.bool_], topology: Topology) -> None:
        self.count, self.n = models.shape
        clues = np.stack([models[:, topology.of(cell)].sum(axis=1) for cell in range(self.n)], axis=1)
        shown = np.where(models, -1, clues)
        self._groups = [_bitsets(shown[:, cell]) for cell in range(self.n)]
        self._safe = [sum(groups) for groups in self._groups]  # disjoint, so this is their union
        self._known: dict[tuple[int, int], int] = {}

    def wins(self) -> int:
        """In how many of the models the best player wins, who begins with all cells covered."""
        return self._wins((1 << self.count) - 1, (1 << self.n) - 1)

    def wins_opening(self, cell: int, left: int, covered: int) -> int:
        """The same after `cell`, for the models `left` and the cells `covered`, both as bits; a mine wins nothing."""
        covered &= ~(1 << cell)
        return sum(self._wins(group & left, covered) for group in self._groups[cell] if group & left)

    def _wins(self, left: int, covered: int) -> int:
        if left & (left - 1) == 0:
            return 1
        key = left, covered
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._best(left, covered)
        return found

    def _best(self, left: int, covered: int) -> int:
        cells = []
        rest = covered
        while rest:
            cell = (rest & -rest).bit_length() - 1
            rest &= rest - 1
            safe = (self._safe[cell] & left).bit_count()
            if safe and (self._safe[cell] & left) == left:
                return self.wins_opening(cell, left, covered)
            cells.append((safe, cell))
        best = 0
        for safe, cell in sorted(cells, reverse=True):
            if safe <= best:
                break
            best = max(best, self.wins_opening(cell, left, covered))
        return best


def optimum(topology: Topology, mines: int, rule: Rule = "any") -> tuple[int, int, int]:
    """(games won by the best player, of how many, after which first cell): over all layouts that the rule allows.

    A count of games is that of the layouts for one first cell. Raises ValueError if no layout is allowed, and if there
    are over LARGEST.

    >>> from board.topology import grid
    >>> optimum(grid(3, 3), 3), optimum(grid(3, 3), 3, "safe")
    ((33, 84, 0), (33, 56, 0))
    """
    best = (-1, 0, 0)
    everything = (1 << topology.n) - 1
    search: Endgame | None = None
    for first in range(topology.n):
        if rule != "any" or search is None:
            free = {"any": [], "safe": [first], "opening": [first, *topology.of(first).tolist()]}[rule]
            count = comb(topology.n - len(free), mines)
            if count > LARGEST:
                raise ValueError(f"{count:,} layouts are over {LARGEST:,}, too many to search")
            if not count:
                continue
            search = Endgame(layouts(topology.n, mines, free), topology)
        won = search.wins_opening(first, (1 << search.count) - 1, everything)
        if won * max(best[1], 1) > best[0] * search.count:
            best = won, search.count, first
    if best[0] < 0:
        raise ValueError(f"no layout of {mines} mines on {topology.n} cells under the rule {rule!r}")
    return best


def _bitsets(shown: NDArray[np.int_]) -> list[int]:
    """For each clue that is shown the models that show it, as bits; -1 is a mine."""
    return [
        int.from_bytes(np.packbits(shown == clue, bitorder="little").tobytes(), "little")
        for clue in np.unique(shown[shown >= 0]).tolist()
    ]


def layouts(n: int, mines: int, safe: Sequence[int] = ()) -> NDArray[np.bool_]:
    """All layouts of so many mines on n cells, bool[k, n], in which the cells `safe` are free.

    >>> layouts(3, 1, [0]).tolist()
    [[False, True, False], [False, False, True]]
    """
    free = [cell for cell in range(n) if cell not in safe]
    chosen = np.array(list(combinations(free, mines)), np.intp).reshape(-1, mines)
    models = np.zeros((len(chosen), n), np.bool_)
    np.put_along_axis(models, chosen, True, axis=1)
    return models
