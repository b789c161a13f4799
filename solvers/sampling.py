"""Models drawn at random, each as likely as every other: the counts of the forward pass, read backwards.

Graph and forward pass are those of the exact count (`solvers.passes`), made once. A sample then makes the choices
that a count adds up, each with probability proportional to the models behind it: how many mines all components
hold; how many of these each component holds, from the last to the first, by the products of the polynomials before
it; by which edges to walk back from a component's last state to its root. Each box then gets its mines as a uniform
subset, and so do the untouched cells. Nothing is rejected and nothing has to converge: samples are independent, and
uniform up to the rounding of floats. Weights may be wide numbers, so the choice is made in one pass that does
not divide by their sum: each candidate replaces the one before with its share of all weights so far.

Cost of a sample: the coefficients of the components' polynomials, the edges into the states on the walks, the
cells. The edges are sorted by their targets once.

Source: the recursive method, A. Nijenhuis, H. Wilf, Combinatorial Algorithms, 1978, extended to everything that
obeys such recurrences by P. Flajolet, P. Zimmermann, B. Van Cutsem, Theoretical Computer Science 132, 1994. The
choice in one pass: M. T. Chao, Biometrika 69, 1982. The subset: D. E. Knuth, TAOCP 2, 3.4.2, Algorithm S.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from board.problem import Problem
from solvers.boxes import MINE, UNTOUCHED, Boxes
from solvers.compiled import ONE, ZERO, Integer, kernel, part
from solvers.interface import Unsupported, check_budget
from solvers.layers import NO_MODEL, OVER_BUDGET, Layers
from solvers.numbers import PLAIN_CELLS, add, dot, share
from solvers.passes import Polynomials, binomials, forward, graph, last_states, make_room, products

Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
Mask = NDArray[np.bool_]

_MEMORY = 3  #: sorting by targets takes twice what the budget counts for an edge, and less for a state


def sample(problem: Problem, k: int, rng: int | np.random.Generator, max_bytes: int) -> Mask:
    """bool[k, n], read-only: k independent models, uniform over all models of all covered cells.

    rng: a seed, or a generator, which is drawn from.

    Raises ValueError where there is no model and for a k that is not an integer >= 0; Unsupported over `max_bytes`.
    """
    check_budget("k", k, 0)
    generator = np.random.default_rng(rng)
    counted = problem.mines is not None
    boxes, layers, _ = graph(
        problem.covered, problem.indptr, problem.cells, problem.totals, counted, max(1, max_bytes // _MEMORY)
    )
    if not boxes.consistent or layers.status == NO_MODEL:
        raise ValueError("there is no model to draw: no arrangement of mines fits the clues")
    untouched, cells = boxes.untouched, boxes.untouched + boxes.cells
    mines = -1 if problem.mines is None else problem.mines - boxes.mines
    possible = not counted or 0 <= mines <= cells
    if possible and layers.status == OVER_BUDGET:
        raise Unsupported(f"drawing models of this problem takes more memory than max_bytes={max_bytes}")
    if possible:
        samples = np.empty((k, problem.n), np.bool_)
        with generator.bit_generator.lock:  # as its own methods do: the kernel runs without the GIL
            possible = _draw(boxes, layers, mines, untouched, cells > PLAIN_CELLS, generator, samples)
    if not possible:
        raise ValueError(f"there is no model to draw: no arrangement of {problem.mines} mines fits the clues")
    samples.setflags(write=False)
    return samples


class _Incoming(NamedTuple):
    """The edges by their targets; those to state v are start[v] .. start[v + 1] - 1."""

    start: Int64  # (states + 2,)
    sources: Int32  # (edges,)
    mines: Int32  # (edges,) put into the box


class _Division(NamedTuple):
    """The ways to divide the mines."""

    start: Int64  # these three: products of the components' polynomials, as `solvers.passes.products` says
    m: Float64
    e: Int32
    held_m: Float64  # (spread,) models in which all components hold their least + i mines
    held_e: Int32


@part
def _by_target(layers: Layers) -> _Incoming:
    """A counting sort."""
    states, edges = layers.low.size, layers.targets.size
    start = np.zeros(states + 2, np.int64)
    for v in layers.targets:
        start[v + 2] += 1
    for v in range(states):
        start[v + 2] += start[v + 1]
    sources, mines = np.empty(edges, np.int32), np.empty(edges, np.int32)
    for u in range(states):
        for arc in range(layers.edges[u], layers.edges[u + 1]):
            v = layers.targets[arc]
            at = start[v + 1]
            sources[at] = u
            mines[at] = layers.least[u] + arc - layers.edges[u]
            start[v + 1] = at + 1
    return _Incoming(start, sources, mines)


@part
def _divide(layers: Layers, mines: int, untouched: int, p: Polynomials) -> tuple[_Division, Integer]:
    """(the ways to divide the mines, the least that all components hold); `mines` is -1 for the local question."""
    last = last_states(layers)
    components = last.size
    start, m, e, low = products(layers, p, last)
    count = start[components + 1] - start[components]
    held_m, held_e = np.ones(count, np.float64), np.zeros(count, np.int32)
    if mines >= 0:
        # binomial(U, g - low - i) = binomial(U, U - g + low + i)
        binomials(p.wide, untouched, untouched - mines + low, held_m, held_e)
    for i in range(count):
        held_m[i], held_e[i] = dot(p.wide, m, e, start[components] + i, held_m, held_e, i, ONE)
    return _Division(start, m, e, held_m, held_e), low


@part
def _choose(wide: bool, rng: np.random.Generator, m: Float64, e: Int32, count: Integer) -> Integer:
    """An i of range(count) with probability proportional to weight i, never one of weight 0."""
    before, power, chosen = 0.0, ZERO, ZERO
    for i in range(count):
        if m[i] == 0.0:
            continue
        if rng.random() < share(m[i], np.int64(e[i]), before, power):
            chosen = i
        before, power = add(wide, before, power, m[i], np.int64(e[i]))
    return chosen


@part
def _edge_back(
    layers: Layers,
    counted: bool,
    p: Polynomials,
    incoming: _Incoming,
    box: Integer,
    v: Integer,
    mines: Integer,
    rng: np.random.Generator,
    m: Float64,
    e: Int32,
) -> Integer:
    """An edge to state v, which puts mines into `box`, when the component holds `mines` so far. `m`, `e`: scratch."""
    first, count = incoming.start[v], incoming.start[v + 1] - incoming.start[v]
    for i in range(count):
        u, k = incoming.sources[first + i], incoming.mines[first + i]
        above = mines - layers.low[u] - (k if counted else 0)
        m[i] = 0.0
        if 0 <= above <= layers.high[u] - layers.low[u]:
            way = np.int64(p.ways_at[box] + k)
            m[i], e[i] = dot(p.wide, p.m, p.e, p.at[u] + above, p.ways_m, p.ways_e, way, ONE)
    return first + _choose(p.wide, rng, m, e, count)


@part
def _walk(
    layers: Layers,
    counted: bool,
    p: Polynomials,
    incoming: _Incoming,
    division: _Division,
    rng: np.random.Generator,
    m: Float64,
    e: Int32,
    filled: Int32,
) -> Integer:
    """Write the mines of each box to `filled`; how many mines above their least all components hold.

    `m`, `e`: scratch for the weights of a choice.
    """
    held = _choose(p.wide, rng, division.held_m, division.held_e, division.held_m.size)
    left = held  # for the components not walked yet
    c = division.start.size - 2
    v = mines = ZERO  # where the walk is, and the component's mines so far
    for t in range(layers.box.size - 1, -1, -1):
        b = layers.box[t]
        if b < 0:
            v = layers.states[t]
            c -= 1
            start, length = division.start[c], division.start[c + 1] - division.start[c]
            least = max(0, left - length + 1)
            count = min(layers.high[v] - layers.low[v], left) - least + 1
            for i in range(count):
                at = p.at[v] + least + i
                m[i], e[i] = dot(p.wide, p.m, p.e, at, division.m, division.e, start + left - least - i, ONE)
            above = least + _choose(p.wide, rng, m, e, count)
            left -= above
            mines = layers.low[v] + above
        else:
            arc = _edge_back(layers, counted, p, incoming, b, v, mines, rng, m, e)
            filled[b] = incoming.mines[arc]
            v = np.int64(incoming.sources[arc])
            mines -= filled[b] if counted else 0
    return held


@part
def _scatter(boxes: Boxes, room: Int32, filled: Int32, rng: np.random.Generator, model: Mask) -> None:
    """Choose the mines among the cells of each box and among the untouched cells, which come after all boxes.

    `room`: the cells of each, `filled`: their mines; both count down. Untouched cells are free if `filled` is -1.
    """
    for c in range(model.size):
        b: Integer = np.int64(boxes.place[c])
        if b == UNTOUCHED:
            b = room.size - 1
        if b < 0:
            model[c] = b == MINE
        elif filled[b] < 0:
            model[c] = rng.random() < 0.5
        else:
            model[c] = rng.random() * room[b] < filled[b]
            room[b] -= 1
            if model[c]:
                filled[b] -= 1


@kernel
def _draw(
    boxes: Boxes,
    layers: Layers,
    mines: int,
    untouched: int,
    wide: bool,
    rng: np.random.Generator,
    samples: Mask,
) -> bool:
    """Write a model to each row of `samples`; whether there is one. `mines` is -1 for the local question."""
    counted = mines >= 0
    p = make_room(wide, boxes, layers)
    forward(layers, counted, p)
    division, low = _divide(layers, mines, untouched, p)
    possible = False
    for x in division.held_m:
        possible = possible or x != 0.0
    if not possible:
        return False
    incoming = _by_target(layers)
    candidates = division.held_m.size
    for v in range(layers.low.size):
        candidates = max(candidates, incoming.start[v + 1] - incoming.start[v])
    m, e = np.empty(candidates, np.float64), np.empty(candidates, np.int32)
    count = boxes.sizes.size
    room, filled = np.empty(count + 1, np.int32), np.empty(count + 1, np.int32)
    for row in range(samples.shape[0]):
        held = _walk(layers, counted, p, incoming, division, rng, m, e, filled)
        for b in range(count):
            room[b] = boxes.sizes[b]
        room[count] = untouched
        filled[count] = mines - low - held if counted else -1
        _scatter(boxes, room, filled, rng, samples[row])
    return True
