"""In which order to eliminate boxes: several orders a component, the cheapest by an estimate of states.

A layer's state is the vector of remaining counts of the open clues (begun, not finished), so the width of an
order decides everything. A greedy order (the box that finishes the most and begins the least) from an end of the
component is nearly always good; only where it is not cheap are others tried: breadth-first layerings from two ends, a
greedy order from the other end, cell order (a sweep along the rows of a grid), and where it is still dear greedy
orders from more boxes. An order's estimate is the sum over its layers of the product of the values that each open
clue can still take.

Source: bucket elimination and its greedy orders, R. Dechter, Artificial Intelligence 113, 1999; pseudo-peripheral
ends by repeated breadth-first search, A. George, J. Liu, ACM TOMS 5, 1979.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvers.boxes import Boxes
from solvers.compiled import ZERO, Integer, inlined, part

Int32 = NDArray[np.int32]

CHEAP = 8.0  #: estimated states a box up to which no other order is tried: a try would cost as much as it could save
DEAR = 256.0  #: and above which greedy orders from more boxes are tried
STARTS = 12  #: so many


class Orders(NamedTuple):
    """Boxes of all components, each component's in the order chosen for it."""

    indptr: Int32  # (components + 1,) into boxes
    boxes: Int32
    widest: Int32  # (components,) clues open at once


class _Scratch(NamedTuple):
    """What the passes over a component work with; each leaves it as it was."""

    cells: Int32  # (c,) cells of a clue
    done: Int32  # (c,) 0, later cells of the boxes that were taken
    began: Int32  # (c,) -1, later the step at which a clue began
    waiting: Int32  # (c,) boxes of a clue, later those that were not taken
    candidates: Int32  # (b,)
    mark: Int32  # (b,) the last pass that saw the box


@inlined
def _make_scratch(boxes: Boxes) -> _Scratch:
    m, count = boxes.totals.size, boxes.sizes.size
    cells, done = np.zeros(m, np.int32), np.zeros(m, np.int32)
    began, waiting = np.empty(m, np.int32), np.empty(m, np.int32)
    for c in range(m):
        began[c] = -1
        waiting[c] = boxes.back_indptr[c + 1] - boxes.back_indptr[c]
    for b in range(count):
        for i in range(boxes.indptr[b], boxes.indptr[b + 1]):
            cells[boxes.constraints[i]] += boxes.sizes[b]
    return _Scratch(cells, done, began, waiting, np.empty(count, np.int32), np.zeros(count, np.int32))


@part
def _breadth_first(boxes: Boxes, root: int, mark: Int32, stamp: int, out: Int32, first: int) -> int:
    """Write the boxes reachable from `root` to `out`, from place `first` on; the place after the last."""
    out[first] = root
    mark[root] = stamp
    at, end = first, first + 1
    while at < end:
        b = np.uint32(out[at])
        at += 1
        for i in range(boxes.indptr[b], boxes.indptr[b + 1]):
            c = np.uint32(boxes.constraints[i])
            for j in range(boxes.back_indptr[c], boxes.back_indptr[c + 1]):
                d = np.uint32(boxes.boxes[j])
                if mark[d] != stamp:
                    mark[d] = stamp
                    out[end] = d
                    end += 1
    return end


@inlined
def _values(total: int, done: int, left: int) -> float:
    """How many values the remaining count of an open clue can have, `done` and `left` in cells."""
    return min(total, left) - max(0, total - done) + 1.0


@part
def _estimate(boxes: Boxes, order: Int32, first: int, end: int, s: _Scratch, best: float) -> tuple[float, int]:
    """(estimated states of all layers, clues open at once) of a component in this order; inf once not under `best`."""
    cost, states = 0.0, 1.0
    open_clues, widest = 0, 0
    for t in range(first, end):
        b = np.uint32(order[t])
        ended = 0
        for i in range(boxes.indptr[b], boxes.indptr[b + 1]):
            c = np.uint32(boxes.constraints[i])
            total, done = boxes.totals[c], s.done[c]
            if done == 0:
                open_clues += 1
            else:
                states /= _values(total, done, s.cells[c] - done)
            done += boxes.sizes[b]
            if done == s.cells[c]:
                ended += 1
                done = 0
            else:
                states *= _values(total, done, s.cells[c] - done)
            s.done[c] = done
        widest = max(widest, open_clues)
        open_clues -= ended
        cost += states
        if cost >= best:
            for u in range(first, t + 1):
                for i in range(boxes.indptr[order[u]], boxes.indptr[order[u] + 1]):
                    s.done[boxes.constraints[i]] = 0
            return np.inf, widest
    return cost, widest


@part
def _greedy(boxes: Boxes, root: int, stamp: int, s: _Scratch, out: Int32, first: int) -> None:
    """Write the greedy order of `root`'s component to `out`: least (clues begun - clues ended), oldest clue first."""
    end = 1
    s.candidates[0] = root
    s.mark[root] = stamp
    step = first
    while end:
        best = 0
        best_score, best_age = 1 << 30, 1 << 30
        for k in range(end):
            b = np.uint32(s.candidates[k])
            score, age = 0, 1 << 30
            for i in range(boxes.indptr[b], boxes.indptr[b + 1]):
                c = np.uint32(boxes.constraints[i])
                if s.began[c] < 0:
                    score += 1
                else:
                    age = min(age, s.began[c])
                if s.waiting[c] == 1:
                    score -= 1
            if score < best_score or (score == best_score and age < best_age):
                best, best_score, best_age = k, score, age
        b = np.uint32(s.candidates[best])
        end -= 1
        s.candidates[best] = s.candidates[end]
        out[step] = b
        for i in range(boxes.indptr[b], boxes.indptr[b + 1]):
            c = np.uint32(boxes.constraints[i])
            if s.began[c] < 0:
                for j in range(boxes.back_indptr[c], boxes.back_indptr[c + 1]):
                    d = np.uint32(boxes.boxes[j])
                    if s.mark[d] != stamp:
                        s.mark[d] = stamp
                        s.candidates[end] = d
                        end += 1
                s.began[c] = step
            s.waiting[c] -= 1
            if s.waiting[c] == 0:  # nobody asks for it any more
                s.began[c] = -1
                s.waiting[c] = boxes.back_indptr[c + 1] - boxes.back_indptr[c]
        step += 1


@part
def _better(
    boxes: Boxes, trial: Int32, order: Int32, first: int, end: int, s: _Scratch, cost: float, widest: int
) -> tuple[float, int]:
    """(cost, widest) of the better of the two orders of a component, which stands in `order` afterwards."""
    new_cost, new_widest = _estimate(boxes, trial, first, end, s, cost)
    if new_cost >= cost:
        return cost, widest
    for t in range(first, end):
        order[t] = trial[t]
    return new_cost, new_widest


@part
def _improve(
    boxes: Boxes, trial: Int32, order: Int32, first: int, end: int, s: _Scratch, cost: float, widest: int, stamp: int
) -> tuple[int, int]:
    """(clues open at once, last stamp) after other orders were tried: the best one stands in `order`."""
    here = s.mark[order[first]]
    least, most = order[first], order[first]
    for t in range(first, end):
        least, most = min(least, order[t]), max(most, order[t])
    members = np.empty(end - first, np.int32)
    count = 0
    for b in range(least, most + 1):  # boxes of a component are near each other
        if s.mark[b] == here:
            members[count] = b
            trial[first + count] = b
            count += 1
    cost, widest = _better(boxes, trial, order, first, end, s, cost, widest)
    near = members[0]
    for _ in range(2):  # from an end to the other
        stamp += 1
        _breadth_first(boxes, near, s.mark, stamp, trial, first)
        near = trial[end - 1]
        cost, widest = _better(boxes, trial, order, first, end, s, cost, widest)
    starts = min(count, STARTS) if cost > DEAR * count else 0
    for k in range(-1, starts):
        stamp += 1
        _greedy(boxes, near if k < 0 else members[k * count // STARTS], stamp, s, trial, first)
        cost, widest = _better(boxes, trial, order, first, end, s, cost, widest)
    return widest, stamp


@part
def choose_orders(boxes: Boxes) -> Orders:
    """Split into components and choose an order for each."""
    count = boxes.sizes.size
    s = _make_scratch(boxes)
    order, trial = np.empty(count, np.int32), np.empty(count, np.int32)
    indptr, widths = np.empty(count + 1, np.int32), np.empty(count, np.int32)
    indptr[0] = 0
    components = stamp = first = ZERO
    for root in range(count):
        if s.mark[root] != 0:
            continue
        stamp += 1
        end: Integer = _breadth_first(boxes, root, s.mark, stamp, trial, first)
        stamp += 1
        _greedy(boxes, trial[end - 1], stamp, s, order, first)
        cost, widest = _estimate(boxes, order, first, end, s, np.inf)
        if cost > CHEAP * (end - first):
            widest, stamp = _improve(boxes, trial, order, first, end, s, cost, widest, stamp)
        widths[components] = widest
        components += 1
        indptr[components] = first = end
    return Orders(indptr[: components + 1], order, widths[:components])
