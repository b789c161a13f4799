"""What every exact count starts from: the problem stripped, its boxes, its components. Compiled.

Cells settled by a single clue are taken out first. The remaining cells that stand in the same clues are
exchangeable and form a *box*; only the number of mines in a box matters. Boxes that share a clue, directly or
through others, form a *component*. Nothing here is geometric. Cost: linear in the size of the scopes.

Source: merging cells that always occur together is A. Greaves, D. Roberts 2012 (minesweepr) and older folklore.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvers.compiled import Integer, inlined

Int32 = NDArray[np.int32]

SAFE, MINE, OPEN, UNTOUCHED, NOT_COVERED = 0, 1, -1, -2, -3


class Boxes(NamedTuple):
    """The stripped problem. c constraints, b boxes; constraints keep their numbers."""

    consistent: bool  # False: a clue cannot be met; there are no boxes then
    settled: NDArray[np.int8]  # (n,) SAFE, MINE, OPEN (in a box), UNTOUCHED (in no constraint), NOT_COVERED
    box_of: Int32  # (n,) -1 where not OPEN
    totals: Int32  # (c,) mines still to place
    sizes: Int32  # (b,) cells in a box
    indptr: Int32  # (b + 1,) box -> its constraints
    constraints: Int32
    back_indptr: Int32  # (c + 1,) constraint -> its boxes
    boxes: Int32


@inlined
def _transpose(n: int, indptr: Int32, cells: Int32) -> tuple[Int32, Int32]:
    """cell -> constraints, ascending."""
    start = np.zeros(n + 1, np.int32)
    for c in cells:
        start[c + 1] += 1
    for c in range(n):
        start[c + 1] += start[c]
    fill = np.empty(n, np.int32)
    for c in range(n):
        fill[c] = start[c]
    rows = np.empty(cells.size, np.int32)
    for i in range(indptr.size - 1):
        for j in range(indptr[i], indptr[i + 1]):
            c = cells[j]
            rows[fill[c]] = i
            fill[c] += 1
    return start, rows


@inlined
def _strip(
    settled: NDArray[np.int8],
    indptr: Int32,
    cells: Int32,
    start: Int32,
    rows: Int32,
    totals: Int32,
    left: Int32,
) -> bool:
    """Settle cells by single clues until nothing changes; False on a contradiction.

    `totals` and `left` (open cells of a constraint) are updated in place.
    """
    m = totals.size
    stack = np.empty(m, np.int32)
    queued = np.ones(m, np.bool_)
    top = m
    for i in range(m):
        stack[i] = m - 1 - i
    while top:
        top -= 1
        i = stack[top]
        queued[i] = False
        if totals[i] < 0 or totals[i] > left[i]:
            return False
        if left[i] == 0 or (totals[i] != 0 and totals[i] != left[i]):
            continue
        value = np.int8(MINE if totals[i] else SAFE)
        for j in range(indptr[i], indptr[i + 1]):
            c = cells[j]
            if settled[c] != OPEN:
                continue
            settled[c] = value
            for r in range(start[c], start[c + 1]):
                d = rows[r]
                left[d] -= 1
                totals[d] -= value
                if not queued[d]:
                    queued[d] = True
                    stack[top] = d
                    top += 1
    return True


@inlined
def row_hash(members: Int32, start: Integer, length: Integer) -> Integer:
    """A hash of the row `members[start : start + length]`, uint64."""
    code = np.uint64(length)
    for r in range(start, start + length):
        code = (code ^ np.uint64(members[r])) * np.uint64(0x9E3779B97F4A7C15)
        code ^= code >> np.uint64(29)
    return code


@inlined
def same_rows(members: Int32, one: Integer, other: Integer, length: Integer) -> bool:
    """Whether the rows of this length that start at `one` and at `other` are equal."""
    for r in range(length):  # noqa: SIM110 (a loop compiles, a generator does not)
        if members[one + r] != members[other + r]:
            return False
    return True


@inlined
def _group(settled: NDArray[np.int8], start: Int32, rows: Int32, cells: Int32) -> tuple[Int32, Int32, Int32]:
    """(box of each cell, representative of each box, cells in each box), by equal rows of the transpose.

    Boxes are numbered as their cells first stand in a clue.
    """
    n = settled.size
    box_of = np.full(n, -1, np.int32)
    count = min(n, cells.size)  # at most so many boxes
    size = 16
    while size < 2 * count:
        size *= 2
    table = np.full(size, -1, np.int32)
    head = np.empty(count, np.int32)
    sizes = np.empty(count, np.int32)
    boxes = 0
    for c in cells:
        if settled[c] != OPEN or box_of[c] >= 0:
            continue
        length = start[c + 1] - start[c]
        slot = np.int64(row_hash(rows, start[c], length) & np.uint64(size - 1))
        while True:
            b = table[slot]
            if b < 0:
                table[slot] = boxes
                head[boxes] = c
                sizes[boxes] = 0
                b = np.int32(boxes)
                boxes += 1
                break
            o = head[b]
            if start[o + 1] - start[o] == length and same_rows(rows, start[o], start[c], length):
                break
            slot = (slot + 1) & (size - 1)
        box_of[c] = b
        sizes[b] += 1
    return box_of, head[:boxes], sizes[:boxes]


@inlined
def make_boxes(covered: NDArray[np.bool_], indptr: Int32, cells: Int32, totals: Int32) -> Boxes:
    """Strip the problem and group what is left."""
    n = covered.size
    m = totals.size
    start, rows = _transpose(n, indptr, cells)
    settled = np.empty(n, np.int8)
    for c in range(n):
        if not covered[c]:
            settled[c] = NOT_COVERED
        elif start[c + 1] == start[c]:
            settled[c] = UNTOUCHED
        else:
            settled[c] = OPEN
    to_place = np.empty(m, np.int32)
    left = np.empty(m, np.int32)
    for i in range(m):
        to_place[i] = totals[i]
        left[i] = indptr[i + 1] - indptr[i]
    consistent = _strip(settled, indptr, cells, start, rows, to_place, left)
    if not consistent:  # nothing that is built on the clues would mean anything
        for c in range(n):
            settled[c] = NOT_COVERED
    box_of, head, sizes = _group(settled, start, rows, cells)
    count = sizes.size
    box_indptr = np.zeros(count + 1, np.int32)
    for b in range(count):
        box_indptr[b + 1] = box_indptr[b] + start[head[b] + 1] - start[head[b]]
    constraints = np.empty(box_indptr[count], np.int32)
    for b in range(count):
        for i in range(box_indptr[b + 1] - box_indptr[b]):
            constraints[box_indptr[b] + i] = rows[start[head[b]] + i]
    back_indptr, boxes = _transpose(m, box_indptr, constraints)
    return Boxes(consistent, settled, box_of, to_place, sizes, box_indptr, constraints, back_indptr, boxes)
