"""The two passes over the layered graphs, in compiled floats.

Forward: the polynomial (in the mines placed so far) of the fillings that lead to each state. Join: the product of
the components' polynomials against the binomial of the untouched cells. Backward: for each state the weight of
all that can follow, the other components and the untouched cells included, as a function of the mines so far.
Numbers are plain floats where no count can pass 2**1000, else wide (`solvers.numbers`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solvers.batch import IMPOSSIBLE, Packed, problem_at
from solvers.boxes import MINE, SAFE, UNTOUCHED, Boxes, make_boxes
from solvers.compiled import ONE, ZERO, Integer, inlined, kernel, part, uninterrupted
from solvers.elimination import Orders, choose_orders
from solvers.layers import NO_MODEL, OK, OVER_BUDGET, Layers, make_layers
from solvers.numbers import PLAIN_CELLS, STEP, add, add_product, dot, scaled, share

Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]

#: What `stats` counts; "widest": clues open at once, "peak_states": in one layer.
SIZES = ("boxes", "components", "widest", "peak_states", "states", "transitions", "coefficients")


@inlined
def binomials(wide: bool, n: Integer, first: Integer, m: Float64, e: Int32) -> None:
    """Write binomial(n, first + i) to each place i of m, e; 0 outside 0..n."""
    for i in range(m.size):
        m[i] = 0.0
    k = max(first, 0)
    value, power = 1.0, ZERO
    for i in range(1, min(k, n - k) + 1):
        value, power = scaled(wide, value, power, (n - i + 1.0) / i)
    for j in range(k, min(n, first + m.size - 1) + 1):
        m[j - first] = value
        e[j - first] = power
        value, power = scaled(wide, value, power, (n - j) / (j + 1.0))


class Polynomials(NamedTuple):
    """What the passes run on: a number for each state and count of mines, and the ways to fill each box."""

    wide: bool
    at: Int64  # (states + 1,) where each state's coefficients begin
    m: Float64  # (coefficients,) forward: ways to reach a state
    e: Int32
    bm: Float64  # (coefficients,) backward: weight of all that can follow
    be: Int32
    ways_at: Int32  # (b,) where each box's binomials begin
    ways_m: Float64
    ways_e: Int32


@inlined
def make_room(wide: bool, boxes: Boxes, layers: Layers) -> Polynomials:
    """All coefficients 0, and the binomials of the boxes."""
    at = np.empty(layers.low.size + 1, np.int64)
    at[0] = 0
    for u in range(layers.low.size):
        at[u + 1] = at[u] + layers.high[u] - layers.low[u] + 1
    size = at[layers.low.size]
    ways_at = np.zeros(boxes.sizes.size + 1, np.int32)
    for b in range(boxes.sizes.size):
        ways_at[b + 1] = ways_at[b] + boxes.sizes[b] + 1
    ways_m, ways_e = np.zeros(ways_at[boxes.sizes.size], np.float64), np.zeros(ways_at[boxes.sizes.size], np.int32)
    for b in range(boxes.sizes.size):
        first, last = ways_at[b], ways_at[b + 1]
        binomials(wide, np.int64(boxes.sizes[b]), ZERO, ways_m[first:last], ways_e[first:last])
    m, e = np.zeros(size, np.float64), np.zeros(size, np.int32)
    bm, be = np.zeros(size, np.float64), np.zeros(size, np.int32)
    return Polynomials(wide, at, m, e, bm, be, ways_at, ways_m, ways_e)


@inlined
def forward(layers: Layers, polynomial: bool, p: Polynomials) -> None:
    """Fill p.m, p.e."""
    root = True
    for t in range(layers.box.size):
        b = layers.box[t]
        if root:
            p.m[p.at[layers.states[t]]] = 1.0
        root = b < 0
        if root:
            continue
        for u in range(layers.states[t], layers.states[t + 1]):
            for arc in range(layers.edges[u], layers.edges[u + 1]):
                k = layers.least[u] + arc - layers.edges[u]
                v = np.uint32(layers.targets[arc])
                to = p.at[v] + layers.low[u] - layers.low[v] + (k if polynomial else 0)
                way = p.ways_at[b] + k
                length = p.at[u + 1] - p.at[u]
                add_product(p.wide, p.m, p.e, to, p.m, p.e, p.at[u], length, p.ways_m[way], np.int64(p.ways_e[way]))


@inlined
def _share_of_mines(wide: bool, m: Float64, e: Int32, mines: Integer, step: Integer, size: Integer) -> float:
    """The share of mines among `size` cells, where weight i belongs to `mines` + i * `step` mines."""
    xm, xe, ym, ye = 0.0, ZERO, 0.0, ZERO
    for i in range(m.size):
        if m[i] == 0.0:
            continue
        pm, pe = scaled(wide, m[i], np.int64(e[i]), float(mines + i * step))
        xm, xe = add(wide, xm, xe, pm, pe)
        pm, pe = scaled(wide, m[i], np.int64(e[i]), float(size - mines - i * step))
        ym, ye = add(wide, ym, ye, pm, pe)
    return share(xm, xe, ym, ye)


@inlined
def _backward(boxes: Boxes, layers: Layers, polynomial: bool, p: Polynomials, shares: Float64) -> None:
    """Write the share of models in which a cell of each box is a mine.

    Fills p.bm, p.be, given the weight of all the rest at the last state of each component.
    """
    weights_m, weights_e = np.zeros(p.ways_m.size, np.float64), np.zeros(p.ways_m.size, np.int32)
    for t in range(layers.box.size - 1, -1, -1):
        b = layers.box[t]
        if b < 0:
            continue
        for u in range(layers.states[t], layers.states[t + 1]):
            length = p.at[u + 1] - p.at[u]
            for arc in range(layers.edges[u], layers.edges[u + 1]):
                k = layers.least[u] + arc - layers.edges[u]
                v = np.uint32(layers.targets[arc])
                to = p.at[v] + layers.low[u] - layers.low[v] + (k if polynomial else 0)
                way = p.ways_at[b] + k
                factor, power = p.ways_m[way], np.int64(p.ways_e[way])
                add_product(p.wide, p.bm, p.be, p.at[u], p.bm, p.be, to, length, factor, power)
                wm, we = dot(p.wide, p.m, p.e, p.at[u], p.bm, p.be, to, length)
                wm, we = scaled(p.wide, wm, we + power, factor)
                weights_m[way], weights_e[way] = add(p.wide, weights_m[way], np.int64(weights_e[way]), wm, we)
        first, last = p.ways_at[b], p.ways_at[b + 1]
        size = np.int64(boxes.sizes[b])
        shares[b] = _share_of_mines(p.wide, weights_m[first:last], weights_e[first:last], ZERO, ONE, size)


@inlined
def products(layers: Layers, p: Polynomials, last: Int64) -> tuple[Int64, Float64, Int32, Integer]:
    """(start, m, e, low): entry start[c] + i is the ways of the components before c to hold their least + i mines.

    `last`: the last state of each component. `low`: the least mines of all components.
    """
    start = np.zeros(last.size + 2, np.int64)
    start[1] = 1
    low = np.int64(0)
    for c in range(last.size):
        spread = layers.high[last[c]] - layers.low[last[c]]
        start[c + 2] = start[c + 1] + (start[c + 1] - start[c]) + spread
        low += layers.low[last[c]]
    m, e = np.zeros(start[last.size + 1], np.float64), np.zeros(start[last.size + 1], np.int32)
    m[0] = 1.0
    for c in range(last.size):
        for i in range(p.at[last[c]], p.at[last[c] + 1]):
            to = start[c + 1] + i - p.at[last[c]]
            if p.m[i] != 0.0:
                add_product(p.wide, m, e, to, m, e, start[c], start[c + 1] - start[c], p.m[i], np.int64(p.e[i]))
    return start, m, e, low


@inlined
def last_states(layers: Layers) -> Int64:
    """The last state of each component."""
    last = np.empty(layers.box.size, np.int64)
    components = 0
    for t in range(layers.box.size):
        if layers.box[t] < 0:
            last[components] = layers.states[t]
            components += 1
    return last[:components]


@inlined
def _join(layers: Layers, mines: int, untouched: int, p: Polynomials) -> tuple[float, Integer, float]:
    """(mantissa and exponent of the number of models, share of an untouched cell).

    Writes to p.bm, p.be at the last state of each component the weight of all the rest for each of its mine counts.
    `mines` is -1 for the local question, whose polynomials have one coefficient.
    """
    wide = p.wide
    last = last_states(layers)
    components = last.size
    start, m, e, low = products(layers, p, last)
    # rest[i]: the ways to place what is left when the components hold low + i mines
    count = start[components + 1] - start[components]
    rm, re = np.zeros(count, np.float64), np.zeros(count, np.int32)
    if mines >= 0:
        # binomial(U, g - low - i) = binomial(U, U - g + low + i)
        binomials(wide, untouched, untouched - mines + low, rm, re)
    elif wide:
        rm[0], re[0] = 2.0 ** (untouched % STEP - STEP // 2), untouched // STEP
        rm[0], re[0] = scaled(wide, rm[0], np.int64(re[0]), 2.0 ** (STEP // 2))
    else:
        rm[0] = 2.0**untouched
    tm, te = dot(wide, m, e, start[components], rm, re, ZERO, count)
    outside = 0.5
    if mines >= 0:
        wm, we = np.zeros(count, np.float64), np.zeros(count, np.int32)
        for i in range(count):
            wm[i], we[i] = dot(wide, m, e, start[components] + i, rm, re, i, ONE)
        outside = _share_of_mines(wide, wm, we, mines - low, -ONE, untouched)
    for c in range(components - 1, -1, -1):
        first, width = p.at[last[c]], p.at[last[c] + 1] - p.at[last[c]]
        length = start[c + 1] - start[c]
        for i in range(width):
            p.bm[first + i], p.be[first + i] = dot(wide, m, e, start[c], rm, re, i, length)
        for i in range(length):  # in place: entry i reads only from i on
            rm[i], re[i] = dot(wide, p.m, p.e, first, rm, re, i, width)
    return tm, te, outside


@inlined
def _run(
    wide: bool, boxes: Boxes, layers: Layers, polynomial: bool, left: Integer, untouched: Integer, shares: Float64
) -> tuple[float, Integer, float]:
    """(mantissa and exponent of the number of models, share of an untouched cell); writes each box's to `shares`."""
    p = make_room(wide, boxes, layers)
    forward(layers, polynomial, p)
    tm, te, outside = _join(layers, left, untouched, p)
    if tm != 0.0:
        _backward(boxes, layers, polynomial, p, shares)
    return tm, te, outside


@part
def _sizes_of(boxes: Boxes, orders: Orders, layers: Layers) -> tuple[int, int, int, int, int, int, int]:
    """The numbers that `SIZES` names."""
    widest, peak, coefficients = 0, 0, 0
    for width in orders.widest:
        widest = max(widest, width)
    for t in range(layers.box.size):
        peak = max(peak, layers.states[t + 1] - layers.states[t])
    for u in range(layers.low.size):
        coefficients += layers.high[u] - layers.low[u] + 1
    return (
        boxes.sizes.size,
        orders.indptr.size - 1,
        widest,
        peak,
        layers.low.size,
        layers.targets.size,
        coefficients,
    )


@uninterrupted
@kernel
def graph(
    covered: NDArray[np.bool_], indptr: Int32, cells: Int32, totals: Int32, polynomial: bool, max_bytes: int
) -> tuple[Boxes, Layers, tuple[int, int, int, int, int, int, int]]:
    """(boxes, layers, sizes): what the exact count runs over."""
    boxes = make_boxes(covered, indptr, cells, totals)
    orders = choose_orders(boxes)
    layers = make_layers(boxes, orders, polynomial, max_bytes)
    return boxes, layers, _sizes_of(boxes, orders, layers)


@part
def _count(
    covered: NDArray[np.bool_],
    indptr: Int32,
    cells: Int32,
    totals: Int32,
    mines: int,
    max_bytes: int,
    probability: Float64,
    at: Integer,
) -> tuple[int, float, int, tuple[int, int, int, int, int, int, int]]:
    """(OK, NO_MODEL or OVER_BUDGET; mantissa and exponent of the number of models; sizes).

    Writes n probabilities from place `at` on: nan where there is none, over the budget those that single clues settle.
    """
    polynomial = mines >= 0
    boxes = make_boxes(covered, indptr, cells, totals)
    orders = choose_orders(boxes)
    layers = make_layers(boxes, orders, polynomial, max_bytes)
    sizes = _sizes_of(boxes, orders, layers)
    left = mines - boxes.mines if polynomial else -ONE
    cells_left = boxes.untouched + boxes.cells
    status = OK
    tm, te, outside = 0.0, ZERO, np.nan
    if not boxes.consistent or layers.status == NO_MODEL or (polynomial and not 0 <= left <= cells_left):
        status = NO_MODEL
    elif layers.status == OVER_BUDGET:
        status = OVER_BUDGET
    # by a cell's place: boxes, then, as negative numbers count from the end, OPEN .. MINE
    shares = np.full(boxes.sizes.size + 5, np.nan)
    if status == OK:
        if cells_left > PLAIN_CELLS:
            tm, te, outside = _run(True, boxes, layers, polynomial, left, boxes.untouched, shares)
        else:
            tm, te, outside = _run(False, boxes, layers, polynomial, left, boxes.untouched, shares)
        if tm == 0.0:
            status = NO_MODEL
    if status != NO_MODEL:
        shares[SAFE], shares[MINE], shares[UNTOUCHED] = 0.0, 1.0, outside
    for c in range(covered.size):
        probability[at + c] = shares[boxes.place[c]]
    return status, tm, te, sizes


@kernel
def count(
    covered: NDArray[np.bool_], indptr: Int32, cells: Int32, totals: Int32, mines: int, max_bytes: int
) -> tuple[int, Float64, float, int, tuple[int, int, int, int, int, int, int]]:
    """(OK, NO_MODEL or OVER_BUDGET; share (n,); mantissa and exponent of the number of models; sizes).

    `mines` is -1 for the local question. Over the budget only shares settled by single clues are given.
    """
    probability = np.empty(covered.size)
    status, m, e, sizes = _count(covered, indptr, cells, totals, mines, max_bytes, probability, ZERO)
    return status, probability, m, e, sizes


@kernel
def entailed(
    covered: NDArray[np.bool_], indptr: Int32, cells: Int32, totals: Int32, mines: int, max_bytes: int
) -> tuple[int, NDArray[np.bool_], NDArray[np.bool_], tuple[int, int, int, int, int, int, int]]:
    """(status as of `count`, the cells whose share is 0, those whose share is 1, sizes)."""
    n = covered.size
    probability = np.empty(n)
    status, _, _, sizes = _count(covered, indptr, cells, totals, mines, max_bytes, probability, ZERO)
    safe, mine = np.empty(n, np.bool_), np.empty(n, np.bool_)
    for c in range(n):
        safe[c] = probability[c] == 0.0
        mine[c] = probability[c] == 1.0
    return status, safe, mine, sizes


@kernel
def count_many(
    packed: Packed,
    max_bytes: int,
    first: int,
    end: int,
    probability: Float64,
    status: NDArray[np.int8],
    m: Float64,
    e: Int64,
    sizes: Int64,
) -> None:
    """`count` for the problems first .. end - 1, written to arrays over all of them; `sizes` is (p, 7)."""
    for i in range(first, end):
        mines = packed.mines[i]
        if mines == IMPOSSIBLE:
            for c in range(packed.n_at[i], packed.n_at[i + 1]):
                probability[c] = np.nan
            status[i] = NO_MODEL
            continue
        covered, indptr, cells, totals = problem_at(packed, i)
        status[i], m[i], e[i], found = _count(
            covered, indptr, cells, totals, mines, max_bytes, probability, packed.n_at[i]
        )
        for k, number in enumerate(found):
            sizes[i, k] = number
