"""Flood fill, compiled: which cells does one click open? Linear in the cells it opens, no recursion."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from board.kernels import kernel

Int32 = NDArray[np.int32]


@kernel
def flood(
    clues: NDArray[np.int16],
    opened: NDArray[np.bool_],
    flags: NDArray[np.bool_],
    indptr: Int32,
    neighbours: Int32,
    start: int,
    room: int,
) -> Int32:
    """Open the free cell `start` in `opened` bool[n]; a clue 0 opens its neighbours, flagged ones excepted.

    room: the safe cells that are covered; no more can open.
    Returns the newly opened cells, int32, in the order of their opening.
    """
    found = np.empty(room, np.int32)
    found[0] = start
    opened[start] = True
    size = 1
    done = 0
    while done < size:
        cell = found[done]
        done += 1
        if clues[cell] != 0:
            continue
        for i in range(indptr[cell], indptr[cell + 1]):
            near = neighbours[i]
            if not opened[near] and not flags[near]:
                opened[near] = True
                found[size] = near
                size += 1
    return found[:size].copy()
