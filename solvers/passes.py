"""The two passes over the layered graphs, in compiled floats.

Forward: the polynomial (in the mines placed so far) of the fillings that lead to each state. Join: the product of
the components' polynomials against the binomial of the untouched cells. Backward: for each state the weight of
all that can follow, the other components and the untouched cells included, as a function of the mines so far.
Numbers are plain floats where no count can pass 2**1000, else wide (`solvers.numbers`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solvers.boxes import MINE, OPEN, SAFE, UNTOUCHED, Boxes, make_boxes
from solvers.compiled import kernel, part
from solvers.elimination import Orders, choose_orders
from solvers.layers import NO_MODEL, OK, OVER_BUDGET, Layers, make_layers
from solvers.numbers import PLAIN_CELLS, STEP, add, add_product, dot, normal, scaled, share

Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]

#: What `stats` counts; "widest": clues open at once, "peak_states": in one layer.
SIZES = ("boxes", "components", "widest", "peak_states", "states", "transitions", "coefficients")


@part
def _offsets(layers: Layers) -> Int64:
    """(states + 1,) where each state's coefficients begin."""
    out = np.empty(layers.low.size + 1, np.int64)
    out[0] = 0
    for u in range(layers.low.size):
        out[u + 1] = out[u] + layers.high[u] - layers.low[u] + 1
    return out


@part
def _binomials(wide: bool, n: int, first: int, m: Float64, e: Int32) -> None:
    """Write binomial(n, first + i) to each place i of m, e; 0 outside 0..n."""
    m[:] = 0.0
    k = max(first, 0)
    value, power = 1.0, 0
    for i in range(1, min(k, n - k) + 1):
        value, power = scaled(wide, value, power, (n - i + 1.0) / i)
    for j in range(k, min(n, first + m.size - 1) + 1):
        m[j - first] = value
        e[j - first] = power
        value, power = scaled(wide, value, power, (n - j) / (j + 1.0))


@part
def _forward(wide: bool, boxes: Boxes, layers: Layers, polynomial: bool, at: Int64, m: Float64, e: Int32) -> None:
    """Fill m, e with the polynomial of each state."""
    most = 1
    for size in boxes.sizes:
        most = max(most, size)
    cm, ce = np.empty(most + 1, np.float64), np.zeros(most + 1, np.int32)
    root = True
    for t in range(layers.box.size):
        b = layers.box[t]
        if root:
            m[at[layers.states[t]]] = 1.0
        root = b < 0
        if root:
            continue
        _binomials(wide, boxes.sizes[b], 0, cm[: boxes.sizes[b] + 1], ce)
        for u in range(layers.states[t], layers.states[t + 1]):
            for arc in range(layers.edges[u], layers.edges[u + 1]):
                k = layers.least[u] + arc - layers.edges[u]
                v = layers.targets[arc]
                to = at[v] + layers.low[u] - layers.low[v] + (k if polynomial else 0)
                add_product(wide, m, e, to, m, e, at[u], at[u + 1] - at[u], cm[k], np.int64(ce[k]))


@part
def _backward(
    wide: bool,
    boxes: Boxes,
    layers: Layers,
    polynomial: bool,
    at: Int64,
    m: Float64,
    e: Int32,
    bm: Float64,
    be: Int32,
) -> Float64:
    """(b,) the share of models in which a cell of each box is a mine.

    m, e: the forward polynomials; bm, be: 0 but for the last state of each component, which holds the weight of all
    the rest. It is filled on the way.
    """
    most = 1
    for size in boxes.sizes:
        most = max(most, size)
    cm, ce = np.empty(most + 1, np.float64), np.zeros(most + 1, np.int32)
    shares = np.empty(boxes.sizes.size, np.float64)
    for t in range(layers.box.size - 1, -1, -1):
        b = layers.box[t]
        if b < 0:
            continue
        size = boxes.sizes[b]
        _binomials(wide, size, 0, cm[: size + 1], ce)
        xm, xe, ym, ye = 0.0, 0, 0.0, 0  # mines and free cells of the box, summed over all models
        for u in range(layers.states[t], layers.states[t + 1]):
            length = at[u + 1] - at[u]
            for arc in range(layers.edges[u], layers.edges[u + 1]):
                k = layers.least[u] + arc - layers.edges[u]
                v = layers.targets[arc]
                to = at[v] + layers.low[u] - layers.low[v] + (k if polynomial else 0)
                add_product(wide, bm, be, at[u], bm, be, to, length, cm[k], np.int64(ce[k]))
                wm, we = dot(wide, m, e, at[u], bm, be, to, length)
                wm, we = scaled(wide, wm, we + ce[k], cm[k])
                pm, pe = scaled(wide, wm, we, float(k))
                xm, xe = add(wide, xm, xe, pm, pe)
                pm, pe = scaled(wide, wm, we, float(size - k))
                ym, ye = add(wide, ym, ye, pm, pe)
        shares[b] = share(xm, xe, ym, ye)
    return shares


@part
def _join(
    wide: bool,
    layers: Layers,
    mines: int,
    untouched: int,
    at: Int64,
    m: Float64,
    e: Int32,
    bm: Float64,
    be: Int32,
) -> tuple[float, int, float]:
    """(mantissa and exponent of the number of models, share of an untouched cell).

    Writes to bm, be at the last state of each component the weight of all the rest for each of its mine counts.
    `mines` is -1 for the local question, whose polynomials have one coefficient.
    """
    last = np.empty(layers.box.size, np.int64)
    components = 0
    for t in range(layers.box.size):
        if layers.box[t] < 0:
            last[components] = layers.states[t]
            components += 1
    # prefix[c]: the product of the components before c
    start = np.zeros(components + 2, np.int64)
    start[1] = 1
    low = 0
    for c in range(components):
        spread = layers.high[last[c]] - layers.low[last[c]]
        start[c + 2] = start[c + 1] + (start[c + 1] - start[c]) + spread
        low += layers.low[last[c]]
    pm, pe = np.zeros(start[components + 1], np.float64), np.zeros(start[components + 1], np.int32)
    pm[0] = 1.0
    for c in range(components):
        u = last[c]
        for i in range(layers.high[u] - layers.low[u] + 1):
            if m[at[u] + i] != 0.0:
                add_product(
                    wide,
                    pm,
                    pe,
                    start[c + 1] + i,
                    pm,
                    pe,
                    start[c],
                    start[c + 1] - start[c],
                    m[at[u] + i],
                    np.int64(e[at[u] + i]),
                )
    # rest[i]: the ways to place what is left when the components hold low + i mines
    count = start[components + 1] - start[components]
    rm, re = np.zeros(count, np.float64), np.zeros(count, np.int32)
    if mines < 0:
        power = np.int64(untouched) // STEP if wide else 0
        rm[0], re[0] = normal(2.0 ** (untouched - power * STEP), power) if wide else (2.0**untouched, 0)
    else:
        # binomial(U, g - low - i) = binomial(U, U - g + low + i)
        _binomials(wide, untouched, untouched - mines + low, rm, re)
    tm, te = dot(wide, pm, pe, start[components], rm, re, 0, count)
    outside = 0.5
    if mines >= 0 and tm != 0.0:
        xm, xe, ym, ye = 0.0, 0, 0.0, 0
        for i in range(count):
            k = mines - low - i  # mines among the untouched cells
            if rm[i] == 0.0:
                continue
            wm, we = dot(wide, pm, pe, start[components] + i, rm, re, i, 1)
            am, ae = scaled(wide, wm, we, float(k))
            xm, xe = add(wide, xm, xe, am, ae)
            am, ae = scaled(wide, wm, we, float(untouched - k))
            ym, ye = add(wide, ym, ye, am, ae)
        outside = share(xm, xe, ym, ye)
    for c in range(components - 1, -1, -1):
        u = last[c]
        width = layers.high[u] - layers.low[u] + 1
        length = start[c + 1] - start[c]
        for i in range(width):
            bm[at[u] + i], be[at[u] + i] = dot(wide, pm, pe, start[c], rm, re, i, length)
        nm, ne = np.zeros(length, np.float64), np.zeros(length, np.int32)
        for i in range(length):
            nm[i], ne[i] = dot(wide, m, e, at[u], rm, re, i, width)
        rm, re = nm, ne
    return tm, te, outside


@part
def _graph(
    covered: NDArray[np.bool_], indptr: Int32, cells: Int32, totals: Int32, polynomial: bool, max_bytes: int
) -> tuple[Boxes, Orders, Layers]:
    """All structure of a count."""
    boxes = make_boxes(covered, indptr, cells, totals)
    orders = choose_orders(boxes)
    return boxes, orders, make_layers(boxes, orders, polynomial, max_bytes)


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


@kernel
def graph(
    covered: NDArray[np.bool_], indptr: Int32, cells: Int32, totals: Int32, polynomial: bool, max_bytes: int
) -> tuple[Boxes, Layers, tuple[int, int, int, int, int, int, int]]:
    """(boxes, layers, sizes): what the exact count runs over."""
    boxes, orders, layers = _graph(covered, indptr, cells, totals, polynomial, max_bytes)
    return boxes, layers, _sizes_of(boxes, orders, layers)


@kernel
def count(
    covered: NDArray[np.bool_], indptr: Int32, cells: Int32, totals: Int32, mines: int, max_bytes: int
) -> tuple[int, Float64, float, int, tuple[int, int, int, int, int, int, int]]:
    """(OK, NO_MODEL or OVER_BUDGET; share (n,); mantissa and exponent of the number of models; sizes).

    `mines` is -1 for the local question. Over the budget only shares settled by single clues are given.
    """
    n = covered.size
    polynomial = mines >= 0
    probability = np.full(n, np.nan)
    boxes, orders, layers = _graph(covered, indptr, cells, totals, polynomial, max_bytes)
    sizes = _sizes_of(boxes, orders, layers)
    if not boxes.consistent or layers.status == NO_MODEL:
        return NO_MODEL, probability, 0.0, 0, sizes
    untouched, open_cells, placed = 0, 0, 0
    for c in range(n):
        if boxes.settled[c] == UNTOUCHED:
            untouched += 1
        elif boxes.settled[c] == OPEN:
            open_cells += 1
        elif boxes.settled[c] == MINE:
            placed += 1
            probability[c] = 1.0
        elif boxes.settled[c] == SAFE:
            probability[c] = 0.0
    if layers.status == OVER_BUDGET:
        return OVER_BUDGET, probability, np.nan, 0, sizes
    left = mines - placed if polynomial else -1
    if polynomial and not 0 <= left <= untouched + open_cells:
        return NO_MODEL, probability, 0.0, 0, sizes
    wide = untouched + open_cells > PLAIN_CELLS
    at = _offsets(layers)
    size = at[at.size - 1]
    m, e = np.zeros(size, np.float64), np.zeros(size, np.int32)
    bm, be = np.zeros(size, np.float64), np.zeros(size, np.int32)
    _forward(wide, boxes, layers, polynomial, at, m, e)
    tm, te, outside = _join(wide, layers, left, untouched, at, m, e, bm, be)
    if tm == 0.0:
        return NO_MODEL, probability, 0.0, 0, sizes
    shares = _backward(wide, boxes, layers, polynomial, at, m, e, bm, be)
    for c in range(n):
        if boxes.settled[c] == UNTOUCHED:
            probability[c] = outside
        elif boxes.settled[c] == OPEN:
            probability[c] = shares[boxes.box_of[c]]
    return OK, probability, tm, te, sizes
