"""What the SAT and CP-SAT backends start from: components, boxes of variables, bounds on their mines. Compiled.

The problem comes stripped of what single clues settle (:mod:`solvers.boxes`). Equal constraints are merged, boxes
that share a constraint, directly or through others, form a component, and the cells are numbered as variables
1, 2, ... so that a component's boxes and a box's cells are neighbours in number. Cheap bounds on the mines of each
component then tell most positions on which the mine count cannot matter.

The bounds are greedy covers: every cell is charged to one constraint that it stands in, a constraint charged
with c cells holds at most min(c, total) mines, and the constraint that saves most comes first. The same
over safe cells bounds the mines from below. On Expert positions each is 0.3 mines from the truth on average.
Cost: linear in the size of the scopes.

Source: greedy set cover, V. Chvatal, "A greedy heuristic for the set-covering problem", Mathematics of Operations
Research 4(3), 1979, used here as a bound.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from board.problem import Problem
from solvers.boxes import MINE, SAFE, UNTOUCHED, Boxes, make_boxes, row_hash, same_rows
from solvers.compiled import kernel, part

Int32 = NDArray[np.int32]


class Components(NamedTuple):
    """The stripped problem in variables. v variables, b boxes, m constraints, k components.

    Variable x is the cell `cells[x - 1]`. Box j holds the variables `boxes[j] + 1 .. boxes[j + 1]`, component i
    the boxes `components[i] .. components[i + 1] - 1` and the constraints `rows[i] .. rows[i + 1] - 1`; the scope of
    constraint r is `variables[indptr[r]:indptr[r + 1]]`, ascending.
    """

    consistent: bool  # False: the clues contradict each other, and the rest means nothing
    place: Int32  # (n,) as in Boxes
    placed: int  # mines that single clues settle
    untouched: int  # covered cells in no constraint
    cells: Int32  # (v,)
    boxes: Int32  # (b + 1,)
    components: Int32  # (k + 1,)
    rows: Int32  # (k + 1,)
    indptr: Int32  # (m + 1,)
    variables: Int32
    totals: Int32  # (m,)
    least: Int32  # (k,) no model has fewer mines in the component
    most: Int32  # (k,) nor more


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
def _bounds(starts: Int32, rows: Int32, indptr: Int32, variables: Int32, totals: Int32) -> tuple[Int32, Int32]:
    """(least, most) mines of each component, which holds the variables `starts[i] + 1 .. starts[i + 1]`."""
    k = starts.size - 1
    least = np.empty(k, np.int32)
    most = np.empty(k, np.int32)
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
    return least, most


@kernel
def _split(covered: NDArray[np.bool_], indptr: Int32, cells: Int32, totals: Int32) -> Components:
    """The components of a problem's arrays, see :func:`split`."""
    boxes = make_boxes(covered, indptr, cells, totals)
    consistent, keep = _distinct(boxes)
    k, of_box, of_row = _label(boxes, keep)
    box_order, component_start = _starts(of_box, k)
    row_order, row_start = _starts(of_row, k)

    number = np.empty(box_order.size, np.int32)  # old box -> new box
    box_start = np.zeros(box_order.size + 1, np.int32)
    for j in range(box_order.size):
        number[box_order[j]] = j
        box_start[j + 1] = box_start[j] + boxes.sizes[box_order[j]]
    cell_of = np.empty(box_start[-1], np.int32)
    fill = box_start.copy()
    for c in range(covered.size):
        if boxes.place[c] >= 0:
            j = number[boxes.place[c]]
            cell_of[fill[j]] = c
            fill[j] += 1

    new_indptr = np.zeros(row_order.size + 1, np.int32)
    variables = np.empty(cells.size, np.int32)
    at = 0
    for r in range(row_order.size):
        i = row_order[r]
        for q in range(boxes.back_indptr[i], boxes.back_indptr[i + 1]):
            j = number[boxes.boxes[q]]
            for x in range(box_start[j], box_start[j + 1]):
                variables[at] = x + 1
                at += 1
        new_indptr[r + 1] = at
    new_totals = boxes.totals[row_order]
    consistent = consistent and boxes.consistent
    least, most = np.zeros(k, np.int32), np.zeros(k, np.int32)
    if consistent:
        least, most = _bounds(box_start[component_start], row_start, new_indptr, variables[:at], new_totals)
    return Components(
        consistent,
        boxes.place,
        boxes.mines,
        boxes.untouched,
        cell_of,
        box_start,
        component_start,
        row_start,
        new_indptr,
        variables[:at].copy(),
        new_totals,
        least,
        most,
    )


def split(problem: Problem) -> Components:
    """The components of a problem's constraints.

    >>> components = split(Problem.from_sets([({0, 1}, 1), ({1, 2, 3}, 2), ({5}, 1)], n=7))
    >>> components.cells.tolist(), components.untouched, components.placed
    ([0, 1, 2, 3], 2, 1)
    """
    components: Components = _split(problem.covered, problem.indptr, problem.cells, problem.totals)
    return components


def effect_of_count(components: Components, mines: int | None) -> Literal["none", "some", "no model"]:
    """What cheap bounds say about a mine count: can it matter beside the clues, and can there be a model?

    "none" holds for every model of the clues: the untouched cells take up what is left, and each of them can be either.
    """
    if mines is None:
        return "none"
    left = mines - components.placed
    least, most = sum(components.least.tolist()), sum(components.most.tolist())
    untouched = components.untouched
    if not least <= left <= most + untouched:
        return "no model"
    edge = untouched > 0
    return "none" if most + edge <= left and left + edge <= least + untouched else "some"


def masks(
    components: Components, safe: list[int], mines: list[int], untouched: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """(safe cells, mines), bool[n]: those that single clues settle, the boxes listed, and the untouched cells.

    untouched: SAFE or MINE if they all are, else UNTOUCHED.
    """
    place = components.place
    result = place == SAFE, place == MINE
    if untouched != UNTOUCHED:
        result[untouched == MINE][place == UNTOUCHED] = True
    for mask, boxes in zip(result, (safe, mines), strict=True):
        if boxes:
            starts, cells = components.boxes.tolist(), components.cells.tolist()
            mask[[c for j in boxes for c in cells[starts[j] : starts[j + 1]]]] = True
    return result
