"""The two passes over the layered graphs, in Python integers: exact counts and fractions.

The same graph and the same recurrences as `solvers.passes`, whose comments hold here. The weight of the untouched
cells is kept relative: binomial(U, j) over the window of possible j, divided by what they share, so that only the
final number of models meets integers the size of the board.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from operator import mul

import numpy as np

from board.problem import Problem
from solvers.boxes import MINE, SAFE, UNTOUCHED
from solvers.interface import Marginals, Status
from solvers.layers import NO_MODEL, OVER_BUDGET, Layers
from solvers.passes import SIZES, graph

Polynomial = list[int]  # coefficient i belongs to `low + i` mines


def exact_marginals(problem: Problem, max_bytes: int) -> Marginals:
    """Marginals with the integer number of models and every probability as a fraction; nan over the budget."""
    n = problem.n
    polynomial = problem.mines is not None
    # A Python integer takes several times the bytes of a float.
    boxes, layers, numbers = graph(
        problem.covered, problem.indptr, problem.cells, problem.totals, polynomial, max(1, max_bytes // 4)
    )
    stats = dict(zip(SIZES, numbers, strict=True))
    if not boxes.consistent or layers.status == NO_MODEL:
        return Marginals.inconsistent(n, stats)
    if layers.status == OVER_BUDGET:
        return Marginals(np.full(n, np.nan), None, np.nan, Status.PARTIAL, None, stats)
    left = problem.mines - boxes.mines if problem.mines is not None else None
    sizes = boxes.sizes.tolist()
    passes = _Passes(layers, sizes, polynomial)
    passes.forward()
    models, outside, weights = _join(passes, left, boxes.untouched)
    if models == 0:
        return Marginals.inconsistent(n, stats)
    shares = passes.backward(weights)
    by_kind = {SAFE: Fraction(0), MINE: Fraction(1), UNTOUCHED: outside}
    fractions = tuple(shares[at] if at >= 0 else by_kind.get(at) for at in boxes.place.tolist())
    floats = {id(f): _float(f) for f in (*shares, *by_kind.values())}
    probability = np.array([np.nan if f is None else floats[id(f)] for f in fractions])
    return Marginals(probability, models, math.log(models), Status.COMPLETE, fractions, stats)


def _float(share: Fraction) -> float:
    """The nearest float that is 0 or 1 only if the share is."""
    if share.denominator == 1:
        return float(share)
    return min(max(share.numerator / share.denominator, 5e-324), 1.0 - 2.0**-53)


class _Passes:
    """The graph as Python lists, with the polynomials of its states."""

    def __init__(self, layers: Layers, sizes: list[int], polynomial: bool) -> None:
        self.sizes = sizes
        self.polynomial = polynomial
        self.box = layers.box.tolist()
        self.states = layers.states.tolist()
        self.edges = layers.edges.tolist()
        self.least = layers.least.tolist()
        self.targets = layers.targets.tolist()
        self.low = layers.low.tolist()
        self.high = layers.high.tolist()
        self.last = [self.states[t] for t, b in enumerate(self.box) if b < 0]
        self.ways: list[Polynomial] = []

    def forward(self) -> None:
        """The fillings that lead to each state, by the mines placed."""
        low, targets, edges = self.low, self.targets, self.edges
        self.ways = ways = [[0] * (h - s + 1) for s, h in zip(low, self.high, strict=True)]
        root = True
        for t, b in enumerate(self.box):
            if root:
                ways[self.states[t]][0] = 1
            root = b < 0
            if root:
                continue
            row = [math.comb(self.sizes[b], k) for k in range(self.sizes[b] + 1)]
            for u in range(self.states[t], self.states[t + 1]):
                mine, k = ways[u], self.least[u]
                for v in targets[edges[u] : edges[u + 1]]:
                    into, factor = ways[v], row[k]
                    for i, x in enumerate(mine, low[u] - low[v] + (k if self.polynomial else 0)):
                        into[i] += factor * x
                    k += 1

    def backward(self, weights: Sequence[Polynomial]) -> list[Fraction]:
        """The share of mines of each box, given for each component the weight of all the rest."""
        low, targets, edges = self.low, self.targets, self.edges
        follows: list[Polynomial] = [[] for _ in low]
        for u, weight in zip(self.last, weights, strict=True):
            follows[u] = weight
        shares = [Fraction(0)] * len(self.sizes)
        for t in range(len(self.box) - 1, -1, -1):
            b = self.box[t]
            if b < 0:
                continue
            size, mines, models = self.sizes[b], 0, 0
            row = [math.comb(size, k) for k in range(size + 1)]
            for u in range(self.states[t], self.states[t + 1]):
                mine, k = self.ways[u], self.least[u]
                follow = [0] * len(mine)
                for v in targets[edges[u] : edges[u + 1]]:
                    to = low[u] - low[v] + (k if self.polynomial else 0)
                    after = follows[v][to : to + len(mine)]
                    factor = row[k]
                    follow = [x + factor * y for x, y in zip(follow, after, strict=True)]
                    mass = factor * sum(map(mul, mine, after))
                    models += mass
                    mines += k * mass
                    k += 1
                follows[u] = follow
            for u in range(self.states[t + 1], self.states[t + 2] if t + 2 < len(self.states) else 0):
                follows[u] = []  # no longer needed
            shares[b] = Fraction(mines, size * models)
        return shares


def _relative_binomials(n: int, first: int, count: int) -> tuple[Polynomial, Fraction]:
    """(w, scale) with w[i] * scale = binomial(n, first - i) for i in range(count), w integer."""
    least, most = max(first - count + 1, 0), min(first, n)
    if least > most:
        return [0] * count, Fraction(1)
    climbing = [1]  # binomial(n, j) / binomial(n, least) * (product of least + 1 .. j)
    for j in range(least + 1, most + 1):
        climbing.append(climbing[-1] * (n - j + 1))
    falling = [1]  # product of j + 1 .. most
    for j in range(most, least, -1):
        falling.append(falling[-1] * j)
    by_j = [x * y for x, y in zip(climbing, reversed(falling), strict=True)]
    weights = [by_j[first - i - least] if least <= first - i <= most else 0 for i in range(count)]
    return weights, Fraction(math.comb(n, least), falling[-1])


def _product(p: Polynomial, q: Polynomial) -> Polynomial:
    out = [0] * (len(p) + len(q) - 1)
    for i, x in enumerate(p):
        if x:
            for j, y in enumerate(q, i):
                out[j] += x * y
    return out


def _join(passes: _Passes, left: int | None, untouched: int) -> tuple[int, Fraction, list[Polynomial]]:
    """(models, share of an untouched cell, weight of all the rest for each component by its mines)."""
    polynomials = [passes.ways[u] for u in passes.last]
    low = sum(passes.low[u] for u in passes.last)
    prefix = [[1]]
    for p in polynomials:
        prefix.append(_product(prefix[-1], p))
    together = prefix[-1]
    if left is None:
        rest, scale = [1], Fraction(1 << untouched)
        outside = Fraction(1, 2)
    else:
        rest, scale = _relative_binomials(untouched, left - low, len(together))
    total = sum(map(mul, together, rest))
    if total and left is not None:
        mines = sum((left - low - i) * x * y for i, (x, y) in enumerate(zip(together, rest, strict=True)))
        outside = Fraction(mines, untouched * total) if untouched else Fraction(0)
    weights: list[Polynomial] = []
    for before, p in zip(reversed(prefix[:-1]), reversed(polynomials), strict=True):
        weights.append([sum(map(mul, before, rest[i:])) for i in range(len(p))])
        rest = [sum(map(mul, p, rest[i:])) for i in range(len(before))]
    models = total * scale
    return int(models), outside if total else Fraction(0), weights[::-1]
