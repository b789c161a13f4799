"""Cardinality constraints as formulas: clauses, and native at-most constraints where an oracle has them.

Method: "exactly `total` of these variables" is written down once for 1, 2, ..., n and kept as a template a
(n, total); a scope then only renumbers it. Variables of the caller come first, auxiliary ones after them. Totals that
decide every variable become unit clauses and impossible ones the empty clause, whatever the encoding.
Cost: the size of the formula; C(n, total + 1) + C(n, total - 1) clauses of a scope for `binomial` and `pairwise`
(totals 0, 1, n - 1, n), O(n total) to O(n log^2 n) for the others; `native` has two at-most constraints.

Sources: PySAT's `pysat.card` (A. Ignatiev, A. Morgado, J. Marques-Silva, SAT 2018), which cites the origin of each
encoding: bitwise (Prestwich 2007), ladder (Gent, Nightingale 2004), seqcounter (Sinz 2005), sortnetwrk (Batcher
1968), cardnetwrk (Asin et al. 2011), totalizer (Bailleux, Boufkhad 2003), mtotalizer (Ogawa et al. 2013), kmtotalizer
(Morgado, Ignatiev, Marques-Silva 2014), native (MiniCard: Liffiton, Maglalang 2012). `binomial` is ours: every
choice of total + 1 variables has a safe one, every choice of n - total + 1 has a mine.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import combinations, pairwise
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pysat.card import CardEnc, EncType

from board.problem import Problem
from solvers.interface import Unsupported

_PYSAT = {
    "pairwise": EncType.pairwise,
    "bitwise": EncType.bitwise,
    "ladder": EncType.ladder,
    "seqcounter": EncType.seqcounter,
    "sortnetwrk": EncType.sortnetwrk,
    "cardnetwrk": EncType.cardnetwrk,
    "totalizer": EncType.totalizer,
    "mtotalizer": EncType.mtotalizer,
    "kmtotalizer": EncType.kmtotalizer,
}
ENCODINGS = ("native", "binomial", *_PYSAT)
EXTREME = ("pairwise", "bitwise", "ladder")  #: these take only totals of 0, 1, n - 1 and n

#: With these, unit propagation settles a constraint by itself: from any partial assignment of its cells it derives
#: every cell that is entailed, and a conflict where there is no model. Measured on all partial assignments of up to 8
#: cells, the most that a clue of a grid has. The other two miss cells from 2 mines in 4 cells on.
PROPAGATION_COMPLETE = tuple(x for x in ENCODINGS if x not in ("mtotalizer", "kmtotalizer"))
#: With these, the cells decide the auxiliary variables, if there are any: a formula has as many models as its problem.
#: Measured likewise. The other three have more, of 3 mines in 6 cells (20 models) totalizer 320, cardnetwrk 6,144.
KEEPS_MODELS = tuple(x for x in ENCODINGS if x not in ("sortnetwrk", "cardnetwrk", "totalizer"))

_MAX_CLAUSES = 1_000_000  # of one binomial constraint; over it: Unsupported
_BLOCK = 32  # literals that one native node of a counter takes
_WIDEST_KEPT = 16  # variables of a template that is kept; a grid has scopes of at most 8

Clause = list[int]
AtMost = tuple[list[int], int]  #: at most that many of the literals are true


class Formula(NamedTuple):
    """Clauses and native at-most constraints over the variables 1..`variables`.

    >>> encode([[1, 2, 3]], [1], "binomial", 3)
    Formula(variables=3, clauses=[[-1, -2], [-1, -3], [-2, -3], [1, 2, 3]], at_mosts=[])
    """

    variables: int
    clauses: list[Clause]
    at_mosts: list[AtMost]


def encode(scopes: Iterable[list[int]], totals: Iterable[int], encoding: str, variables: int) -> Formula:
    """Exactly `totals[i]` of the literals `scopes[i]`, for all i. The literals are of variables 1..`variables`.

    Raises ValueError for an unknown encoding, Unsupported for a total that the encoding cannot take.

    >>> encode([[1, 2, 3, 4]], [2], "native", 4).at_mosts
    [([1, 2, 3, 4], 2), ([-1, -2, -3, -4], 2)]
    >>> encode([[1, 2, 3, 4]], [2], "pairwise", 4)
    Traceback (most recent call last):
    solvers.interface.Unsupported: encoding 'pairwise' takes totals of 0, 1, n - 1 and n, not 2 of 4
    """
    check_encoding(encoding)
    clauses: list[Clause] = []
    at_mosts: list[AtMost] = []
    native = encoding == "native"
    for scope, total in zip(scopes, totals, strict=True):
        n = len(scope)
        if not 0 < total < n:
            clauses += [[]] if not 0 <= total <= n else [[x] if total else [-x] for x in scope]
        elif native:
            safe = [-x for x in scope]
            # all but one of them: an ordinary clause
            if total == n - 1:
                clauses.append(safe)
            else:
                at_mosts.append((scope, total))
            if total == 1:
                clauses.append(scope)
            else:
                at_mosts.append((safe, n - total))
        else:
            make = _kept_template if n <= _WIDEST_KEPT else _template
            auxiliary, template = make(encoding, n, total)
            # literal x of the template stands at index x: negative literals count from the end
            literals = [*scope, *range(variables + 1, variables + auxiliary + 1)]
            literals = [0, *literals, *[-x for x in reversed(literals)]]
            clauses += [[literals[x] for x in clause] for clause in template]
            variables += auxiliary
    return Formula(variables, clauses, at_mosts)


def encode_problem(problem: Problem, encoding: str) -> tuple[Formula, NDArray[np.int32]]:
    """(the problem as a formula, int32[covered]: the cell of each variable; variable x is the cell at x - 1).

    Every constraint is written as it is. So is the mine count, over all covered cells, if there is one: fine
    for export, and ruinous for search on boards with many untouched cells.

    >>> formula, cells = encode_problem(Problem.from_sets([({1, 2}, 1)], n=3, covered=[1, 2]), "binomial")
    >>> formula.clauses, cells.tolist()
    ([[-1, -2], [1, 2]], [1, 2])
    """
    cells = np.flatnonzero(problem.covered).astype(np.int32)
    number = np.cumsum(problem.covered)
    variables = number[problem.cells].tolist()
    bounds = problem.indptr.tolist()
    scopes = [variables[a:b] for a, b in pairwise(bounds)]
    totals = problem.totals.tolist()
    if problem.mines is not None:
        scopes.append(list(range(1, cells.size + 1)))
        totals.append(problem.mines)
    return encode(scopes, totals, encoding, int(cells.size)), cells


def encode_bounds(literals: list[int], least: int, most: int, native: bool, variables: int) -> Formula:
    """Between `least` and `most` of the literals are true; the variables up to `variables` are taken.

    >>> encode_bounds([1, 2], 2, 5, True, 2).clauses, encode_bounds([1, 2], -1, 2, True, 2).clauses
    ([[1], [2]], [])
    """
    n = len(literals)
    if most < 0 or least > n:
        return Formula(variables + 1, [[variables + 1], [-variables - 1]], [])
    if most == 0 or least == n:
        return Formula(variables, [[x if most else -x] for x in literals], [])
    if least <= 0 and most >= n:
        return Formula(variables, [], [])
    formula, q = encode_counter(literals, min(most, n), native, variables)
    return formula._replace(clauses=[*formula.clauses, [q[least - 1]]]) if least > 0 else formula


def encode_counter(literals: list[int], most: int, native: bool, variables: int) -> tuple[Formula, list[int]]:
    """(a formula, q): at most `most` >= 1 of the literals are true, and q[i] is true exactly if more than i are.

    A tree adds up the counts of neighbours, natively of blocks of literals with two at-most constraints a node, else
    of single literals as a totalizer. The counts of its nodes are what an oracle can learn from: with one
    constraint over all literals a few hundred of them take minutes instead of a fraction of a second.

    >>> encode_counter([1, 2], 2, False, 2)[1]
    [3, 4]
    """
    clauses: list[Clause] = []
    at_mosts: list[AtMost] = []

    def add_up(a: list[int], b: list[int]) -> list[int]:
        nonlocal variables
        size = min(len(a) + len(b), most)
        q = list(range(variables + 1, variables + size + 1))
        variables += size
        if native:
            at_mosts.append(([*a, *b, *[-x for x in q]], size))
            at_mosts.append(([*[-x for x in (*a, *b)], *q], len(a) + len(b)))
            clauses.extend([x, -after] for x, after in pairwise(q))
        else:
            clauses.extend(_merge(a, b, q))
        return q

    width = _BLOCK if native else 1
    level = [literals[i : i + width] for i in range(0, len(literals), width)]
    if native:
        level = [add_up(block, []) for block in level]
    while len(level) > 1:
        odd = level[len(level) & ~1 :]
        level = [add_up(a, b) for a, b in zip(level[::2], level[1::2], strict=False)] + odd
    return Formula(variables, clauses, at_mosts), level[0]


def _merge(a: list[int], b: list[int], q: list[int]) -> Iterator[Clause]:
    """q counts what a and b count together, and that is at most len(q)."""
    for i in range(len(a) + 1):
        for j in range(min(len(b), len(q) + 1 - i) + 1):
            if i + j:
                yield [*[-x for x in a[:i][-1:]], *[-x for x in b[:j][-1:]], *q[i + j - 1 : i + j]]
            if i + j < len(q):
                yield [*a[i : i + 1], *b[j : j + 1], -q[i + j]]


def takes(encoding: str, n: int, total: int) -> bool:
    """Whether an encoding takes this total of n variables, in a sensible size.

    >>> takes("ladder", 8, 2), takes("totalizer", 8, 2)
    (False, True)
    """
    if total <= 0 or total >= n:
        return True
    if encoding in EXTREME:
        return total in (1, n - 1)
    return encoding != "binomial" or comb(n, total + 1) + comb(n, total - 1) <= _MAX_CLAUSES


def check_encoding(encoding: str) -> None:
    """Raise ValueError, quoting it, if there is no such encoding."""
    if encoding not in ENCODINGS:
        raise ValueError(f"unknown encoding {encoding!r}; known are {', '.join(ENCODINGS)}")


def _template(encoding: str, n: int, total: int) -> tuple[int, list[Clause]]:
    """(auxiliary variables, clauses) of "exactly `total` of 1..n", with 0 < total < n."""
    if not takes(encoding, n, total):
        if encoding in EXTREME:
            raise Unsupported(f"encoding {encoding!r} takes totals of 0, 1, n - 1 and n, not {total} of {n}")
        raise Unsupported(f"encoding {encoding!r} has over {_MAX_CLAUSES:,} clauses for {total} of {n}")
    if encoding == "binomial":
        clauses = [[-x for x in chosen] for chosen in combinations(range(1, n + 1), total + 1)]
        return 0, clauses + [list(chosen) for chosen in combinations(range(1, n + 1), n - total + 1)]
    made = CardEnc.equals(lits=list(range(1, n + 1)), bound=total, top_id=n, encoding=_PYSAT[encoding])
    return max(made.nv - n, 0), made.clauses


_kept_template = lru_cache(maxsize=None)(_template)
