"""Position -> Problem, compiled: one pass over the opened cells and their neighbours."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from board.kernels import kernel
from board.position import COVERED, HIT

Int32 = NDArray[np.int32]


@kernel
def extract(board: NDArray[np.int16], indptr: Int32, neighbours: Int32) -> tuple[NDArray[np.bool_], Int32, int, int]:
    """(covered bool[n], clues, m, hit mines) of `board` int16 (rows, columns), n cells.

    `clues` holds the m constraints in one array, because each array that is handed over costs as much as fifty cells:
    indptr (m + 1), totals (m), cells. A clue none of whose neighbours is covered is kept only if it is violated: as an
    empty constraint with a total other than 0.
    """
    codes = board.reshape(-1)
    n = codes.size
    covered = np.empty(n, np.bool_)
    hits = 0
    clues = 0
    pairs = 0
    for c in range(n):
        code = codes[c]
        covered[c] = code == COVERED
        if code >= 0:
            clues += 1
            pairs += indptr[c + 1] - indptr[c]
        elif code == HIT:
            hits += 1
    ends = np.empty(clues + 1, np.int32)
    totals = np.empty(clues, np.int32)
    cells = np.empty(pairs, np.int32)
    m = 0
    k = 0
    ends[0] = 0
    for c in range(n):
        if codes[c] < 0:
            continue
        total = np.int32(codes[c])
        start = k
        for i in range(indptr[c], indptr[c + 1]):
            d = neighbours[i]
            cells[k] = d
            k += covered[d]  # without a branch, which nothing could predict
            total -= codes[d] == HIT
        if k > start or total != 0:
            totals[m] = total
            m += 1
            ends[m] = k
    out = np.empty(2 * m + 1 + k, np.int32)
    for i in range(m):
        out[i] = ends[i]
        out[m + 1 + i] = totals[i]
    out[m] = k
    for i in range(k):
        out[2 * m + 1 + i] = cells[i]
    return covered, out, m, hits
