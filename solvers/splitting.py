"""The compiled half of :mod:`solvers.components`: a problem stripped, taken apart and numbered, with bounds.

Equal constraints are merged, boxes that share a constraint, directly or through others, form a component, and the
cells are numbered as variables 1, 2, ... so that a component's boxes and a box's cells are neighbours in number.

The bounds are greedy covers: every cell is charged to one constraint that it stands in, a constraint charged
with c cells holds at most min(c, total) mines, and the constraint that saves most comes first. The same
over safe cells bounds the mines from below. On Expert positions each is 0.3 mines from the truth on average.
Cost: linear in the size of the scopes.

Source: greedy set cover, V. Chvatal, "A greedy heuristic for the set-covering problem", Mathematics of Operations
Research 4(3), 1979, used here as a bound.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solvers.boxes import Boxes, make_boxes, row_hash, same_rows
from solvers.compiled import kernel, part

Int32 = NDArray[np.int32]
Place = NDArray[np.int64]  #: as an index it is used as it is


@part
def _distinct(boxes: Boxes) -> tuple[bool, NDArray[np.bool_]]:
    """(False on equal scopes with unequal totals, which constraints stay: one of each scope that is left)."""
    start, members = boxes.back_indptr, boxes.boxes
    m = boxes.totals.size
    size = 16
    while size < 2 * m:
        size *= 2
    table = np.full(size, -1, np.int32)
    keep = np.zeros(m, np.bool_)
    for i in range(m):
        length = start[i + 1] - start[i]
        if length == 0:
            continue
        slot = np.int64(row_hash(members, start[i], length) & np.uint64(size - 1))
        while True:
            o = table[slot]
            if o < 0:
                table[slot] = i
                keep[i] = True
                break
            if start[o + 1] - start[o] == length and same_rows(members, start[o], start[i], length):
                if boxes.totals[o] != boxes.totals[i]:
                    return False, keep
                break
            slot = (slot + 1) & (size - 1)
    return True, keep


@part
def _label(boxes: Boxes, keep: NDArray[np.bool_]) -> tuple[int, Int32, Int32]:
    """(components, component of each box, component of each constraint or -1)."""
    b = boxes.sizes.size
    of_box = np.full(b, -1, np.int32)
    of_row = np.full(keep.size, -1, np.int32)
    stack = np.empty(b, np.int32)
    k = 0
    for first in range(b):
        if of_box[first] >= 0:
            continue
        of_box[first] = k
        stack[0] = first
        top = 1
        while top:
            top -= 1
            box = stack[top]
            for r in range(boxes.indptr[box], boxes.indptr[box + 1]):
                i = boxes.constraints[r]
                if not keep[i] or of_row[i] >= 0:
                    continue
                of_row[i] = k
                for q in range(boxes.back_indptr[i], boxes.back_indptr[i + 1]):
                    other = boxes.boxes[q]
                    if of_box[other] < 0:
                        of_box[other] = k
                        stack[top] = other
                        top += 1
        k += 1
    return k, of_box, of_row


@part
def _starts(labels: Int32, k: int) -> tuple[Int32, Int32]:
    """(the items with a label, sorted by it and then by number; where each label starts)."""
    start = np.zeros(k + 1, np.int32)
    for label in labels:
        if label >= 0:
            start[label + 1] += 1
    for i in range(k):
        start[i + 1] += start[i]
    fill = start[:k].copy()
    order = np.empty(start[k], np.int32)
    for item in range(labels.size):
        label = labels[item]
        if label >= 0:
            order[fill[label]] = item
            fill[label] += 1
    return order, start


@part
def _cover(indptr: Int32, variables: Int32, budgets: Int32, first: int, last: int, free: NDArray[np.bool_]) -> int:
    """An upper bound on the sum of the `free` variables under "at most budgets[r] in row r", first <= r < last.

    Rows wait in one list a saving; savings only shrink, so the lists are walked once from the largest down.
    """
    widest = 0
    for r in range(first, last):
        widest = max(widest, indptr[r + 1] - indptr[r] - budgets[r])
    head = np.full(widest + 1, -1, np.int32)
    following = np.empty(last - first, np.int32)
    for r in range(last - 1, first - 1, -1):
        saving = max(0, indptr[r + 1] - indptr[r] - budgets[r])
        following[r - first] = head[saving]
        head[saving] = r
    bound = 0
    for level in range(widest, 0, -1):
        while head[level] >= 0:
            r = head[level]
            head[level] = following[r - first]
            left = 0
            for j in range(indptr[r], indptr[r + 1]):
                left += free[variables[j] - 1]
            saving = max(0, left - budgets[r])
            if saving < level:
                following[r - first] = head[saving]
                head[saving] = r
                continue
            bound += budgets[r]
            for j in range(indptr[r], indptr[r + 1]):
                free[variables[j] - 1] = False
    return bound


@part
def _bounds(
    starts: Int32, rows: Int32, indptr: Int32, variables: Int32, totals: Int32, least: Int32, most: Int32
) -> None:
    """Write down the least and the most mines of each component: the variables `starts[i] + 1 .. starts[i + 1]`."""
    k = starts.size - 1
    safe = (indptr[1:] - indptr[:-1] - totals).astype(np.int32)
    free = np.ones((2, starts[k]), np.bool_)
    for i in range(k):
        mines = _cover(indptr, variables, totals, rows[i], rows[i + 1], free[0])
        others = _cover(indptr, variables, safe, rows[i], rows[i + 1], free[1])
        for v in range(starts[i], starts[i + 1]):
            mines += free[0, v]
            others += free[1, v]
        most[i] = mines
        least[i] = starts[i + 1] - starts[i] - others


@part
def _renumbered(place: Int32, number: Int32) -> Place:
    """`place` with the boxes' new numbers."""
    result = np.empty(place.size, np.int64)
    for c in range(place.size):
        result[c] = number[place[c]] if place[c] >= 0 else place[c]
    return result


@kernel
def split_arrays(
    covered: NDArray[np.bool_], indptr: Int32, cells: Int32, totals: Int32
) -> tuple[NDArray[np.int64], Int32]:
    """(place, all other fields of `solvers.components.Components` one behind the other, in front their sizes).

    Two arrays, because each that is handed to Python costs as much as a small problem.
    """
    boxes = make_boxes(covered, indptr, cells, totals)
    consistent, keep = _distinct(boxes)
    consistent = consistent and boxes.consistent
    k, of_box, of_row = _label(boxes, keep)
    box_order, component_start = _starts(of_box, k)
    row_order, row_start = _starts(of_row, k)
    b, m = box_order.size, row_order.size
    number = np.empty(b, np.int32)  # old box -> new box
    v = 0
    for j in range(b):
        number[box_order[j]] = j
        v += boxes.sizes[box_order[j]]
    place = _renumbered(boxes.place, number)
    w = 0
    for r in range(m):
        i = row_order[r]
        for q in range(boxes.back_indptr[i], boxes.back_indptr[i + 1]):
            w += boxes.sizes[boxes.boxes[q]]

    packed = np.empty(8 + v + (b + 1) + 2 * (k + 1) + (m + 1) + w + m + 2 * k, np.int32)
    for at, value in enumerate((int(consistent), boxes.mines, boxes.untouched, v, b, k, m, w)):
        packed[at] = value
    cell_of, rest = packed[8 : 8 + v], packed[8 + v :]
    box_start, rest = rest[: b + 1], rest[b + 1 :]
    box_start[0] = 0
    for j in range(b):
        box_start[j + 1] = box_start[j] + boxes.sizes[box_order[j]]
    fill = box_start.copy()
    for c in range(covered.size):
        j = place[c]
        if j >= 0:
            cell_of[fill[j]] = c
            fill[j] += 1
    for i in range(k + 1):
        rest[i] = component_start[i]
        rest[k + 1 + i] = row_start[i]
    rest = rest[2 * (k + 1) :]

    new_indptr, variables = rest[: m + 1], rest[m + 1 : m + 1 + w]
    new_totals = rest[m + 1 + w : 2 * m + 1 + w]
    new_indptr[0] = at = 0
    for r in range(m):
        i = row_order[r]
        for q in range(boxes.back_indptr[i], boxes.back_indptr[i + 1]):
            j = number[boxes.boxes[q]]
            for x in range(box_start[j], box_start[j + 1]):
                variables[at] = x + 1
                at += 1
        new_indptr[r + 1] = at
        new_totals[r] = boxes.totals[i]
    rest = rest[2 * m + 1 + w :]
    if consistent:
        _bounds(box_start[component_start], row_start, new_indptr, variables, new_totals, rest[:k], rest[k:])
    return place, packed
