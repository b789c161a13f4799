"""Which is the smallest set that has an element of each of these sets?

Method: sets are the bits of integers. First everything superfluous goes: sets that contain another, elements that
hit no set that some other element does not hit too; what is left often falls apart. Then branch and bound: the smallest
set is branched on, one element after the other, an element that was tried is forbidden in the branches after it, and
disjoint sets bound from below. Sizes are tried from the bound upwards. Where there are many sets or that takes too many
nodes, MaxSAT is asked: 20 ms for 500 sets with a smallest of 35 elements, where CP-SAT took 300 and HiGHS 900.
Cost: microseconds for a few sets, milliseconds for dozens, exponential at worst.

Source: the reductions are those of set covering, R. Garfinkel, G. Nemhauser, "Integer Programming" (Wiley, 1972);
branching on an unhit set: R. Reiter, "A theory of diagnosis from first principles", Artificial Intelligence 32, 1987;
core-guided MaxSAT: A. Ignatiev, A. Morgado, J. Marques-Silva, "RC2: an efficient MaxSAT solver", JSAT 11, 2019.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_

from pysat.examples.rc2 import RC2
from pysat.formula import WCNF

from solvers.counts import counts
from solvers.oracles import ORACLES

_MANY_SETS = 40  # from here on MaxSAT is quicker
_NODES = 500  # of one branch and bound
_CONFLICTS = 20_000  # of one question of MaxSAT


class TooHard(Exception):
    """A deterministic budget ran out."""


def smallest_hitting_set(sets: list[int], most: int) -> int | None:
    """A smallest set that meets all the sets, as bits; None if it has over `most` elements or some set is empty.

    Raises TooHard where that takes too long.

    >>> bin(smallest_hitting_set([0b11, 0b110, 0b1000], most=2))
    '0b1010'
    >>> smallest_hitting_set([0b1, 0b10], most=1) is None
    True
    """
    taken, sets = _reduced(sets)
    if sets and not sets[0]:
        return None
    left = most - taken.bit_count()
    parts = _parts(sets)
    least = [_disjoint(part) for part in parts]
    spare = left - sum(least)
    for part, bound in zip(parts, least, strict=True):
        found = _smallest_of(part, bound, bound + spare) if spare >= 0 else None
        if found is None:
            return None
        spare -= found.bit_count() - bound
        taken |= found
    return taken if spare >= 0 else None


def _smallest_of(sets: list[int], least: int, most: int) -> int | None:
    """The same of sets that cannot be taken apart, with `least` <= its size."""
    if len(sets) > _MANY_SETS:
        return _by_maxsat(sets, most)
    search = _Search(_NODES)
    try:
        for size in range(least, most + 1):
            found = search.run(sets, size)
            if found is not None:
                return found
    except TooHard:
        return _by_maxsat(sets, most)
    return None


def _reduced(sets: list[int]) -> tuple[int, list[int]]:
    """(elements that a smallest hitting set has, the sets left to hit, over elements that none does better than)."""
    taken = 0
    while True:
        sets = _essential(sets)
        single = reduce(or_, (one for one in sets if one.bit_count() == 1), 0)
        taken |= single
        sets = [one for one in sets if not one & single]
        where: dict[int, int] = {}
        for at, one in enumerate(sets):
            for i in counts(one):
                where[i] = where.get(i, 0) | 1 << at
        best: dict[int, int] = {}  # of elements in the same sets the first one
        for i, inside in where.items():
            best[inside] = min(i, best.get(inside, i))
        kept = 0
        for inside, i in best.items():
            if not any(inside & other == inside and inside != other for other in best):
                kept |= 1 << i
        if not single and kept.bit_count() == len(where):
            return taken, sets
        sets = [one & kept for one in sets]


def _parts(sets: list[int]) -> list[list[int]]:
    """The sets in groups that share no element."""
    parts: list[tuple[int, list[int]]] = []
    for one in sets:
        elements, members = one, [one]
        apart = []
        for other, group in parts:
            if other & elements:
                elements |= other
                members = group + members
            else:
                apart.append((other, group))
        parts = [*apart, (elements, members)]
    return [sorted(group, key=int.bit_count) for _, group in parts]


def _essential(sets: list[int]) -> list[int]:
    """The sets that contain no other, smallest first."""
    kept: list[int] = []
    for one in sorted(set(sets), key=lambda x: (x.bit_count(), x)):
        if not any(one & other == other for other in kept):
            kept.append(one)
    return kept


def _disjoint(sets: list[int]) -> int:
    """How many of the sets, smallest first, are disjoint from all taken before: none hits two of them."""
    used = count = 0
    for one in sets:
        if not one & used:
            used |= one
            count += 1
    return count


class _Search:
    """Branch and bound with so many nodes in all."""

    __slots__ = ("nodes",)

    def __init__(self, nodes: int) -> None:
        self.nodes = nodes

    def run(self, sets: list[int], left: int) -> int | None:
        """A hitting set of at most `left` elements; the smallest sets stand first."""
        if not sets:
            return 0
        if _disjoint(sets) > left:
            return None
        self.nodes -= 1
        if self.nodes < 0:
            raise TooHard
        forbidden = 0
        choices = sorted(counts(sets[0]), key=lambda i: -sum(one >> i & 1 for one in sets))
        for i in choices:
            rest = [one & ~forbidden for one in sets if not one >> i & 1]
            if not all(rest):
                return None  # one of them has only forbidden elements, and so in all later branches
            if forbidden:
                rest.sort(key=int.bit_count)
            found = self.run(rest, left - 1)
            if found is not None:
                return found | 1 << i
            forbidden |= 1 << i
        return None


def _by_maxsat(sets: list[int], most: int) -> int | None:
    """The same by core-guided MaxSAT. Raises TooHard where one of its questions takes too many conflicts."""
    elements = list(counts(reduce(or_, sets)))
    variable = {element: x for x, element in enumerate(elements, 1)}
    formula = WCNF()
    for one in sets:
        formula.append([variable[element] for element in counts(one)])
    for x in variable.values():
        formula.append([-x], weight=1)
    with RC2(formula, solver="minisat22") as search:  # it counts conflicts exactly
        oracle = search.oracle

        def ask(assumptions: Sequence[int] = (), expect_interrupt: bool = False) -> bool:
            found = ORACLES["minisat22"].solve(oracle.solver, list(assumptions), _CONFLICTS)
            if found is None:
                raise TooHard
            return found

        oracle.solve = oracle.solve_limited = ask  # one or the other, by PySAT's version
        model = search.compute()
    found = [element for element in elements if model[variable[element] - 1] > 0]
    return sum(1 << element for element in found) if len(found) <= most else None
