"""Position -> Problem, compiled: one pass over the opened cells and their neighbours."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from board.position import COVERED, HIT

Int32 = NDArray[np.int32]


@numba.njit(cache=True, nogil=True)
def extract(
    codes: NDArray[np.int16], indptr: Int32, neighbours: Int32
) -> tuple[NDArray[np.bool_], Int32, Int32, Int32, int]:
    """(covered bool[n], indptr, cells, totals, hit mines) of `codes` int16[n].

    A clue none of whose neighbours is covered is kept only if it is violated: as an empty constraint with
    a total other than 0.
    """
    n = codes.size
    covered = np.empty(n, np.bool_)
    hits = 0
    clues = 0
    pairs = 0
    for c in range(n):
        code = codes[c]
        covered[c] = code == COVERED
        if code == HIT:
            hits += 1
        elif code >= 0:
            clues += 1
            pairs += indptr[c + 1] - indptr[c]
    out_indptr = np.empty(clues + 1, np.int32)
    totals = np.empty(clues, np.int32)
    cells = np.empty(pairs, np.int32)
    m = 0
    k = 0
    out_indptr[0] = 0
    for c in range(n):
        if codes[c] < 0:
            continue
        total = np.int32(codes[c])
        start = k
        for i in range(indptr[c], indptr[c + 1]):
            d = neighbours[i]
            if covered[d]:
                cells[k] = d
                k += 1
            elif codes[d] == HIT:
                total -= 1
        if k > start or total != 0:
            totals[m] = total
            m += 1
            out_indptr[m] = k
    return covered, out_indptr[: m + 1].copy(), cells[:k].copy(), totals[:m].copy(), hits
