"""The layered graph of a component: every way to fill its boxes one after the other, merged by state. Compiled.

Boxes are eliminated in a fixed order; after each, two partial fillings with the same remaining counts of all open
clues are the same *state*. An edge puts k mines into a box of s cells, in binomial(s, k) ways. Paths from the
root to the last layer are the component's models (grouped). The graph carries no numbers: float and exact counts
run over the same graph. Cost: states times edges a state; states are bounded by the order's width, not by the
number of models.

Source: dynamic programming over a frontier, as in Simpath (D. E. Knuth, TAOCP 4A, 7.1.4, 2009).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvers.boxes import Boxes
from solvers.compiled import ZERO, Integer, inlined, part
from solvers.elimination import Orders

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
Uint64 = NDArray[np.uint64]
Mask = NDArray[np.bool_]

OK, NO_MODEL, OVER_BUDGET = 0, 1, 2
_COEFFICIENT_BYTES = 24  # forward and backward mantissa, both exponents


class Layers(NamedTuple):
    """All components' graphs in flat arrays. Layer t turns into layer t + 1 by box `box[t]`.

    A component with k boxes has k + 1 layers; its last layer is one state without edges, for which `box` is -1.
    Edge e of state u puts `least[u] + e - edges[u]` mines and leads to state `targets[e]`.
    """

    status: int  # OK, NO_MODEL (some component), OVER_BUDGET
    box: Int32  # (layers,)
    states: Int64  # (layers + 1,) first state of each layer
    edges: Int64  # (states + 1,) first edge of each state
    least: Int32  # (states,)
    targets: Int32  # (edges,)
    low: Int32  # (states,) fewest mines placed so far in the component ...
    high: Int32  # (states,) ... and most; 0 where mines are not counted


class Fields(NamedTuple):
    """Where the remaining count of each constraint stands in a state's key while it is open."""

    words: int  # 64-bit words a key
    word: Int32  # (c,)
    shift: Int32  # (c,)
    mask: Uint64  # (c,) unshifted


@inlined
def _power(value: Integer) -> int:
    """The least power of two that is at least `value`."""
    power = 1
    while power < value:
        power *= 2
    return power


@inlined
def _first_fit(taken: Uint64, mask: np.uint64) -> tuple[int, Integer]:
    """(word, shift) of the first free place for a field; the word may be one past the end."""
    for w in range(taken.size):
        s = np.uint64(0)
        while True:
            field = mask << s
            if taken[w] & field == np.uint64(0):
                return w, np.int64(s)
            if field >> np.uint64(63):
                break
            s += np.uint64(1)
    return taken.size, 0


@inlined
def _place(boxes: Boxes, orders: Orders) -> Fields:
    """Give each constraint a bit field from its first box to its last; fields are used again after that."""
    m = boxes.totals.size
    left = np.empty(m, np.int32)
    for c in range(m):
        left[c] = boxes.back_indptr[c + 1] - boxes.back_indptr[c]
    word, shift, mask = np.full(m, -1, np.int32), np.zeros(m, np.int32), np.zeros(m, np.uint64)
    taken = np.zeros(1, np.uint64)
    for b in orders.boxes:
        for i in range(boxes.indptr[b], boxes.indptr[b + 1]):
            c = boxes.constraints[i]
            if word[c] >= 0:
                continue
            mask[c] = np.uint64(_power(boxes.totals[c] + 1) - 1)
            word[c], shift[c] = _first_fit(taken, mask[c])
            if word[c] == taken.size:
                more = np.zeros(taken.size + 1, np.uint64)
                for w in range(taken.size):
                    more[w] = taken[w]
                taken = more
            taken[word[c]] |= mask[c] << np.uint64(shift[c])
        for i in range(boxes.indptr[b], boxes.indptr[b + 1]):
            c = boxes.constraints[i]
            left[c] -= 1
            if left[c] == 0:
                taken[word[c]] &= ~(mask[c] << np.uint64(shift[c]))
    return Fields(taken.size, word, shift, mask)


@inlined
def _slot(table: Int32, first: int, keys: Uint64, words: int, row: int) -> Integer:
    """Where key `row` stands in the table or would stand. Entries below `first` are an earlier layer's: free."""
    mask = np.uint64(table.size - 1)
    code = np.uint64(0)
    for w in range(words):
        code = (code ^ keys[row * words + w]) * np.uint64(0x9E3779B97F4A7C15)
        code ^= code >> np.uint64(32)
    at = code & mask
    while True:
        state = table[at]
        if state < first:
            return at
        same = True
        for w in range(words):
            if keys[(state - first) * words + w] != keys[row * words + w]:
                same = False
                break
        if same:
            return at
        at = (at + np.uint64(1)) & mask


@inlined
def _grown(array: Any, size: Integer) -> Any:
    """A copy with room for `size` items."""
    more = np.empty(size, array.dtype)
    for i in range(array.size):
        more[i] = array[i]
    return more


@inlined
def _begin(boxes: Boxes, b: int, cells_left: Int32, fields: Fields, begun: Mask, start: Uint64, step: Uint64) -> None:
    """What a state's key gains before box b (the totals of the clues that begin), and loses for each mine in it."""
    for word in range(fields.words):
        start[word] = 0
        step[word] = 0
    for i in range(boxes.indptr[b], boxes.indptr[b + 1]):
        c = np.uint32(boxes.constraints[i])
        w, s = fields.word[c], np.uint64(fields.shift[c])
        if not begun[c]:
            begun[c] = True
            start[w] += np.uint64(boxes.totals[c]) << s
        step[w] += np.uint64(1) << s
        cells_left[c] -= boxes.sizes[b]


@inlined
def _ranges(
    boxes: Boxes,
    b: int,
    cells_left: Int32,
    fields: Fields,
    keys: Uint64,
    first: int,
    last: int,
    least: Int32,
    edges: Int64,
) -> None:
    """The fewest mines of box b for states first .. last - 1, and where their edges end; `edges[first]` is known."""
    at = edges[first]
    for u in range(first, last):
        fewest, most = 0, np.int64(boxes.sizes[b])
        for i in range(boxes.indptr[b], boxes.indptr[b + 1]):
            c = np.uint32(boxes.constraints[i])
            word = keys[(u - first) * fields.words + fields.word[c]]
            remaining = np.int64((word >> np.uint64(fields.shift[c])) & fields.mask[c])
            most = min(most, remaining)
            fewest = max(fewest, remaining - cells_left[c])
        least[u] = fewest
        at += max(0, most - fewest + 1)
        edges[u + 1] = at


@inlined
def _connect(
    polynomial: bool,
    first: int,
    last: int,
    keys: Uint64,
    step: Uint64,
    edges: Int64,
    least: Int32,
    targets: Int32,
    low: Int32,
    high: Int32,
    following: Uint64,
    table: Int32,
) -> int:
    """Follow the edges of states first .. last - 1; the number of all states after it. All arrays have room."""
    used = last
    words = step.size
    for u in range(first, last):
        k = np.int64(least[u])
        for arc in range(edges[u], edges[u + 1]):
            row = used - last
            for w in range(words):
                following[row * words + w] = keys[(u - first) * words + w] - np.uint64(k) * step[w]
            at = _slot(table, last, following, words, row)
            v: Integer = table[at]
            mines = k if polynomial else 0
            if v < last:
                v = used
                used += 1
                table[at] = v
                low[v] = low[u] + mines
                high[v] = high[u] + mines
            else:
                low[v] = min(low[v], low[u] + mines)
                high[v] = max(high[v], high[u] + mines)
            targets[arc] = v
            k += np.int64(1)
    return used


@part
def make_layers(boxes: Boxes, orders: Orders, polynomial: bool, max_bytes: int) -> Layers:
    """Build the graphs of all components.

    `polynomial` says whether counts will be polynomials in the number of mines; `max_bytes` bounds the graph and
    the two numbers a coefficient that a count will need.
    """
    components = orders.indptr.size - 1
    box = np.full(orders.boxes.size + components, -1, np.int32)
    states = np.zeros(box.size + 1, np.int64)
    fields = _place(boxes, orders)
    words = fields.words
    cells_left = np.zeros(boxes.totals.size, np.int32)
    for b in range(boxes.sizes.size):
        for i in range(boxes.indptr[b], boxes.indptr[b + 1]):
            cells_left[boxes.constraints[i]] += boxes.sizes[b]
    begun = np.zeros(boxes.totals.size, np.bool_)
    room = box.size + 64  # of states; what more is needed is seen layer by layer
    edges, targets = np.zeros(room + 1, np.int64), np.empty(room, np.int32)
    least, low, high = np.zeros(room, np.int32), np.zeros(room, np.int32), np.zeros(room, np.int32)
    keys, following = np.empty(32 * words, np.uint64), np.empty(32 * words, np.uint64)
    start, step = np.empty(words, np.uint64), np.empty(words, np.uint64)
    table = np.full(64, -1, np.int32)
    status = OK
    used = t = coefficients = ZERO
    for component in range(components):
        first, used = used, used + 1
        if used > room:
            room *= 2
            edges, least, low, high = (
                _grown(edges, room + 1),
                _grown(least, room),
                _grown(low, room),
                _grown(high, room),
            )
        low[first], high[first] = 0, 0
        for w in range(words):
            keys[w] = 0
        states[t] = first
        for at in range(orders.indptr[component], orders.indptr[component + 1]):
            b = orders.boxes[at]
            box[t] = b
            last = used
            _begin(boxes, b, cells_left, fields, begun, start, step)
            for row in range(last - first):
                for w in range(words):
                    keys[row * words + w] += start[w]
            _ranges(boxes, b, cells_left, fields, keys, first, last, least, edges)
            more = edges[last] - edges[first]
            if 4 * edges[last] + 20 * (last + more) + _COEFFICIENT_BYTES * coefficients > max_bytes:
                status = OVER_BUDGET
                break
            if edges[last] > targets.size:
                targets = _grown(targets, 2 * edges[last])
            if last + more > room:
                room = 2 * (last + more)
                edges, least, low, high = (
                    _grown(edges, room + 1),
                    _grown(least, room),
                    _grown(low, room),
                    _grown(high, room),
                )
            if (more + 1) * words > following.size:
                following = np.empty(2 * (more + 1) * words, np.uint64)
            if table.size < 2 * more:
                table = np.full(_power(4 * more), -1, np.int32)
            used = _connect(polynomial, first, last, keys, step, edges, least, targets, low, high, following, table)
            if used == last:
                status = NO_MODEL
                break
            for v in range(last, used):
                coefficients += high[v] - low[v] + 1
            t += 1
            states[t] = last
            first = last
            keys, following = following, keys
        if status != OK:
            break
        edges[used] = edges[used - 1]
        least[used - 1] = 0
        t += 1
        states[t] = used
    return Layers(status, box, states, edges[: used + 1], least[:used], targets[: edges[used]], low[:used], high[:used])
