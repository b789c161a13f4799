"""In which order to eliminate boxes: several orders a component, the cheapest by an estimate of states.

A layer's state is the vector of remaining counts of the open clues (begun, not finished), so the width of an
order decides everything. Tried are a greedy order (the box that finishes the most and begins the least) from
both ends of the component, the breadth-first layering from one end, and cell order (a sweep along the rows of a
grid); more starts are tried only where the best so far is expensive. An order's estimate is the sum over its
layers of the product of the values each open clue can still take.

Source: bucket elimination and its greedy orders, R. Dechter, Artificial Intelligence 113, 1999; pseudo-peripheral
ends by repeated breadth-first search, A. George, J. Liu, ACM TOMS 5, 1979.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvers.boxes import Boxes
from solvers.compiled import part

Int32 = NDArray[np.int32]
Float64 = NDArray[np.float64]

CHEAP = 256.0  #: estimated states below which no further order is tried
STARTS = 12  #: further starts of the greedy order where it is dear


class Orders(NamedTuple):
    """Boxes of all components, each component's in the order chosen for it."""

    indptr: Int32  # (components + 1,) into boxes
    boxes: Int32
    cost: Float64  # (components,) estimated states
    widest: Int32  # (components,) clues open at once


@part
def _breadth_first(boxes: Boxes, root: int, mark: Int32, stamp: int, out: Int32) -> int:
    """Write the boxes reachable from `root` to `out` in breadth-first order; their number. `mark` by stamp."""
    out[0] = root
    mark[root] = stamp
    count = 1
    at = 0
    while at < count:
        b = out[at]
        at += 1
        for i in range(boxes.indptr[b], boxes.indptr[b + 1]):
            c = boxes.constraints[i]
            for j in range(boxes.back_indptr[c], boxes.back_indptr[c + 1]):
                d = boxes.boxes[j]
                if mark[d] != stamp:
                    mark[d] = stamp
                    out[count] = d
                    count += 1
    return count


@part
def _log_values(total: int, done: int, left: int) -> float:
    """log2 of how many values the remaining count of an open clue can have, `done` and `left` in cells."""
    return float(np.log2(min(total, left) - max(0, total - done) + 1.0))


@part
def _estimate(boxes: Boxes, order: Int32, done: Int32, left: Int32, best: float) -> tuple[float, int]:
    """(estimated states of all layers, clues open at once); stops once the estimate passes `best`.

    `done` and `left` are scratch over the constraints.
    """
    for b in order:
        for i in range(boxes.indptr[b], boxes.indptr[b + 1]):
            done[boxes.constraints[i]] = 0
            left[boxes.constraints[i]] = 0
    for b in order:
        for i in range(boxes.indptr[b], boxes.indptr[b + 1]):
            left[boxes.constraints[i]] += boxes.sizes[b]
    cost = 0.0
    log_states = 0.0
    open_clues = 0
    widest = 0
    for b in order:
        size = boxes.sizes[b]
        began = 0
        ended = 0
        for i in range(boxes.indptr[b], boxes.indptr[b + 1]):
            c = boxes.constraints[i]
            total = boxes.totals[c]
            if done[c] == 0:
                began += 1
            else:
                log_states -= _log_values(total, done[c], left[c])
            done[c] += size
            left[c] -= size
            if left[c] == 0:
                ended += 1
            else:
                log_states += _log_values(total, done[c], left[c])
        open_clues += began
        widest = max(widest, open_clues)
        open_clues -= ended
        cost += 2.0 ** min(log_states, 200.0)
        if cost >= best:
            return np.inf, widest
    return cost, widest


@part
def _greedy(
    boxes: Boxes,
    root: int,
    count: int,
    mark: Int32,
    stamp: int,
    left: Int32,
    opened: Int32,
    candidates: Int32,
    out: Int32,
) -> None:
    """Write the greedy order of `root`'s component to `out`: least (clues begun - clues ended), oldest clue first.

    `left` holds the boxes not yet taken of each constraint (scratch, filled here); `opened` the time a clue began.
    """
    waiting = 1
    candidates[0] = root
    mark[root] = stamp
    for step in range(count):
        best = 0
        best_score = 1 << 30
        best_age = 1 << 30
        for k in range(waiting):
            b = candidates[k]
            score = 0
            age = 1 << 30
            for i in range(boxes.indptr[b], boxes.indptr[b + 1]):
                c = boxes.constraints[i]
                if opened[c] < 0:
                    score += 1
                else:
                    age = min(age, opened[c])
                if left[c] == 1:
                    score -= 1
            if score < best_score or (score == best_score and age < best_age):
                best, best_score, best_age = k, score, age
        b = candidates[best]
        waiting -= 1
        candidates[best] = candidates[waiting]
        out[step] = b
        for i in range(boxes.indptr[b], boxes.indptr[b + 1]):
            c = boxes.constraints[i]
            left[c] -= 1
            if opened[c] >= 0:
                continue
            opened[c] = step
            for j in range(boxes.back_indptr[c], boxes.back_indptr[c + 1]):
                d = boxes.boxes[j]
                if mark[d] != stamp:
                    mark[d] = stamp
                    candidates[waiting] = d
                    waiting += 1


@part
def _try_greedy(boxes: Boxes, root: int, component: Int32, mark: Int32, stamp: int, scratch: Int32, out: Int32) -> None:
    """`_greedy` with its scratch (3 rows over the constraints, one over the boxes) made ready."""
    for b in component:
        for i in range(boxes.indptr[b], boxes.indptr[b + 1]):
            c = boxes.constraints[i]
            scratch[0, c] = boxes.back_indptr[c + 1] - boxes.back_indptr[c]
            scratch[1, c] = -1
    _greedy(boxes, root, component.size, mark, stamp, scratch[0], scratch[1], scratch[2], out)


@part
def _split(boxes: Boxes, found: Int32, seen: Int32) -> tuple[Int32, Int32]:
    """(indptr, boxes) of the components, each in ascending order. `found`, `seen` are scratch over the boxes."""
    count = boxes.sizes.size
    indptr = np.zeros(count + 1, np.int32)
    components = 0
    for root in range(count):
        if seen[root] == 0:
            components += 1
            indptr[components] = indptr[components - 1] + _breadth_first(boxes, root, seen, components, found)
    fill = np.empty(components, np.int32)
    for i in range(components):
        fill[i] = indptr[i]
    members = np.empty(count, np.int32)
    for b in range(count):
        members[fill[seen[b] - 1]] = b
        fill[seen[b] - 1] += 1
    return indptr[: components + 1], members


@part
def _copy(source: Int32, into: Int32) -> None:
    for i in range(source.size):
        into[i] = source[i]


@part
def choose_orders(boxes: Boxes) -> Orders:
    """Split into components and choose an order for each."""
    count = boxes.sizes.size
    mark = np.zeros(count, np.int32)
    trial = np.empty(count, np.int32)
    indptr, all_members = _split(boxes, trial, mark)
    components = indptr.size - 1
    ordered = np.empty(count, np.int32)
    costs = np.empty(components, np.float64)
    widths = np.empty(components, np.int32)
    scratch = np.empty((3, max(count, boxes.totals.size)), np.int32)
    stamp = components
    for i in range(components):
        members = all_members[indptr[i] : indptr[i + 1]]
        order = ordered[indptr[i] : indptr[i + 1]]
        size = members.size
        here = trial[:size]
        stamp += 2
        _breadth_first(boxes, members[0], mark, stamp - 1, here)
        _breadth_first(boxes, here[size - 1], mark, stamp, here)  # from one end ...
        near, far = here[0], here[size - 1]  # ... to the other
        _copy(here, order)
        cost, widest = _estimate(boxes, order, scratch[0], scratch[1], np.inf)
        tries = 2
        k = -1
        while k < tries:
            if k < 0:
                _copy(members, here)  # cell order
            else:
                start = near if k == 0 else far if k == 1 else members[(k - 2) * size // STARTS]
                stamp += 1
                _try_greedy(boxes, start, members, mark, stamp, scratch, here)
            new_cost, new_widest = _estimate(boxes, here, scratch[0], scratch[1], cost)
            if new_cost < cost:
                cost, widest = new_cost, new_widest
                _copy(here, order)
            k += 1
            if k == tries == 2 and cost > CHEAP * size:
                tries += min(size, STARTS)
        costs[i] = cost
        widths[i] = widest
    return Orders(indptr, ordered, costs, widths)
