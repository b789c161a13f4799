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

from solvers.compiled import ZERO, Integer, inlined, part

Int32 = NDArray[np.int32]

MINE, SAFE, UNTOUCHED, NOT_COVERED, OPEN = -1, -2, -3, -4, -5  #: a cell outside of boxes; OPEN: not known yet


class Boxes(NamedTuple):
    """The stripped problem. c constraints, b boxes; constraints keep their numbers."""

    consistent: bool  # False: a clue cannot be met; there are no boxes then
    place: Int32  # (n,) the cell's box, or MINE, SAFE, UNTOUCHED (in no constraint), NOT_COVERED
    mines: Integer  # how many cells are MINE
    untouched: Integer  # ... UNTOUCHED
    cells: Integer  # ... in a box
    totals: Int32  # (c,) mines still to place
    sizes: Int32  # (b,) cells in a box
    indptr: Int32  # (b + 1,) box -> its constraints
    constraints: Int32
    back_indptr: Int32  # (c + 1,) constraint -> its boxes
    boxes: Int32


@inlined
def _rows(start: Int32, indptr: Int32, cells: Int32) -> Int32:
    """cell -> constraints, ascending, those of cell c from start[c] on."""
    fill = np.empty(start.size - 1, np.int32)
    for c in range(fill.size):
        fill[c] = start[c]
    rows = np.empty(cells.size, np.int32)
    for i in range(indptr.size - 1):
        for j in range(indptr[i], indptr[i + 1]):
            d = np.uint32(cells[j])
            rows[fill[d]] = i
            fill[d] += 1
    return rows


@inlined
def _strip(
    place: Int32, indptr: Int32, cells: Int32, start: Int32, rows: Int32, totals: Int32, left: Int32
) -> tuple[bool, Integer, Integer]:
    """Settle cells by single clues until nothing changes: (False on a contradiction, safe cells, mines).

    `totals` and `left` (open cells of a constraint) are updated in place.
    """
    m = totals.size
    stack = np.empty(m, np.int32)
    queued = np.ones(m, np.bool_)
    top = m
    safe = mines = ZERO
    for i in range(m):
        stack[i] = m - 1 - i
    while top:
        top -= 1
        i = stack[top]
        queued[i] = False
        if totals[i] < 0 or totals[i] > left[i]:
            return False, safe, mines
        if left[i] == 0 or (totals[i] != 0 and totals[i] != left[i]):
            continue
        mine = totals[i] != 0
        mines += left[i] if mine else 0
        safe += 0 if mine else left[i]
        for j in range(indptr[i], indptr[i + 1]):
            c = np.uint32(cells[j])
            if place[c] != OPEN:
                continue
            place[c] = MINE if mine else SAFE
            for r in range(start[c], start[c + 1]):
                d = np.uint32(rows[r])
                left[d] -= 1
                totals[d] -= mine
                if not queued[d]:
                    queued[d] = True
                    stack[top] = d
                    top += 1
    return True, safe, mines


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
def _group(place: Int32, start: Int32, rows: Int32, cells: Int32) -> tuple[Int32, Int32]:
    """(representative of each box, cells in each box), by equal rows of the transpose; writes the boxes to `place`.

    Boxes are numbered as their cells first stand in a clue.
    """
    count = min(place.size, cells.size)  # at most so many boxes
    size = 16
    while size < 2 * count:
        size *= 2
    table = np.full(size, -1, np.int32)
    head = np.empty(count, np.int32)
    sizes = np.empty(count, np.int32)
    boxes = 0
    for j in range(cells.size):
        c = np.uint32(cells[j])
        if place[c] != OPEN:
            continue
        length = start[c + 1] - start[c]
        slot = row_hash(rows, start[c], length) & np.uint64(size - 1)
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
            slot = (slot + np.uint64(1)) & np.uint64(size - 1)
        place[c] = b
        sizes[b] += 1
    return head[:boxes], sizes[:boxes]


@part
def make_boxes(covered: NDArray[np.bool_], indptr: Int32, cells: Int32, totals: Int32) -> Boxes:
    """Strip the problem and group what is left."""
    n = covered.size
    m = totals.size
    start = np.zeros(n + 1, np.int32)
    for j in range(cells.size):
        start[cells[j] + 1] += 1
    place = np.empty(n, np.int32)
    untouched = constrained = ZERO
    for c in range(n):
        touched = start[c + 1] != 0
        place[c] = OPEN if touched else UNTOUCHED if covered[c] else NOT_COVERED
        constrained += touched
        untouched += covered[c]
        start[c + 1] += start[c]
    untouched -= constrained
    rows = _rows(start, indptr, cells)
    to_place = np.empty(m, np.int32)
    left = np.empty(m, np.int32)
    for i in range(m):
        to_place[i] = totals[i]
        left[i] = indptr[i + 1] - indptr[i]
    consistent, safe, mines = _strip(place, indptr, cells, start, rows, to_place, left)
    if not consistent:  # nothing that is built on the clues would mean anything
        for c in range(n):
            place[c] = NOT_COVERED
    head, sizes = _group(place, start, rows, cells)
    count = sizes.size
    box_indptr = np.empty(count + 1, np.int32)
    box_indptr[0] = 0
    back_indptr = np.zeros(m + 1, np.int32)
    for b in range(count):
        box_indptr[b + 1] = box_indptr[b] + start[head[b] + 1] - start[head[b]]
    constraints = np.empty(box_indptr[count], np.int32)
    for b in range(count):
        first = start[head[b]]
        for i in range(box_indptr[b + 1] - box_indptr[b]):
            constraints[box_indptr[b] + i] = rows[first + i]
            back_indptr[rows[first + i] + 1] += 1
    for i in range(m):
        back_indptr[i + 1] += back_indptr[i]
    boxes = _rows(back_indptr, box_indptr, constraints)
    inside = constrained - safe - mines
    return Boxes(
        consistent, place, mines, untouched, inside, to_place, sizes, box_indptr, constraints, back_indptr, boxes
    )
