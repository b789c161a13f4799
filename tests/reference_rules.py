"""The incomplete rules in plain Python: what each one means, without a thought for speed.

Each function answers a problem with a `Deduction`, as the compiled solver of the same name must.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from board import Problem
from solvers.interface import Deduction, Status

Scope = frozenset[int]
Clauses = dict[Scope, tuple[int, int]]  # {least <= cells <= most}


class Contradiction(Exception):
    """The clues have no model."""


def single(problem: Problem) -> Deduction:
    """A clue with none of its mines left, or with as many as cells, settles its cells; to a fixpoint."""
    return _answer(problem, _single)


def subset(problem: Problem) -> Deduction:
    """If A = a and B = b with A a proper subset of B, then B - A = b - a; to a fixpoint."""
    return _answer(problem, _subset)


def minmax(problem: Problem) -> Deduction:
    """Two clauses bound their intersection and both differences; equal sets intersect; to a fixpoint."""
    return _answer(problem, _minmax)


def _answer(problem: Problem, rule) -> Deduction:
    try:
        known: Mapping[int, bool] = rule([(c.scope, c.total) for c in problem.constraints])
    except Contradiction:
        return Deduction.inconsistent(problem.n)
    safe, mines = np.zeros((2, problem.n), np.bool_)
    for cell, is_mine in known.items():
        (mines if is_mine else safe)[cell] = True
    return Deduction(safe, mines, Status.PARTIAL)


def _simplified(sentences: list[tuple[Scope, int]], known: Mapping[int, bool]) -> dict[Scope, int]:
    """The sentences without the cells that are known. Equal sets must have equal counts."""
    simpler: dict[Scope, int] = {}
    for scope, count in sentences:
        rest = scope.difference(known)
        left = count - sum(known[cell] for cell in scope.intersection(known))
        if not 0 <= left <= len(rest) or simpler.setdefault(rest, left) != left:
            raise Contradiction
    return simpler


def _single(sentences: list[tuple[Scope, int]]) -> dict[int, bool]:
    known: dict[int, bool] = {}
    before = -1
    while len(known) > before:
        before = len(known)
        for scope, count in sentences:
            # One at a time: this rule does not compare clues.
            for rest, left in _simplified([(scope, count)], known).items():
                if left in (0, len(rest)):
                    known.update(dict.fromkeys(rest, left > 0))
    return known


def _subset(sentences: list[tuple[Scope, int]]) -> dict[int, bool]:
    known: dict[int, bool] = {}
    before = None
    current = _simplified(sentences, known)
    while (known, current) != before:
        before = dict(known), dict(current)
        for scope, count in current.items():
            if count in (0, len(scope)):
                known.update(dict.fromkeys(scope, count > 0))
        derived = [(b - a, current[b] - current[a]) for a in current for b in current if a < b]
        current = _simplified([*current.items(), *derived], known)
    return known


def _minmax(sentences: list[tuple[Scope, int]]) -> dict[int, bool]:
    clauses: Clauses = {}
    agenda = [scope for scope, count in sentences if _merge(clauses, scope, count, count)]
    while agenda:
        first = agenda.pop()
        overlapping = [second for second in clauses if first != second and first & second]
        for scope, least, most in [
            *_settled(first, *clauses[first]),
            *(new for second in overlapping for new in _pair(first, second, clauses)),
        ]:
            if _merge(clauses, scope, least, most):
                agenda.append(scope)
    return {min(scope): least > 0 for scope, (least, most) in clauses.items() if len(scope) == 1 and least == most}


def _merge(clauses: Clauses, scope: Scope, least: int, most: int) -> bool:
    """Intersect with what is known of the same set. Whether that says more; trivial clauses are left out."""
    before = clauses.get(scope, (0, len(scope)))
    now = max(least, before[0]), min(most, before[1])
    if now[0] > now[1]:
        raise Contradiction
    if now == before:
        return False
    clauses[scope] = now
    return True


def _settled(scope: Scope, least: int, most: int) -> Iterator[tuple[Scope, int, int]]:
    """A clause that leaves no choice settles its cells one by one."""
    if most == 0 or least == len(scope):
        for cell in scope:
            yield frozenset({cell}), least > 0, least > 0


def _pair(c1: Scope, c2: Scope, clauses: Clauses) -> Iterator[tuple[Scope, int, int]]:
    """LolAI's N1, N2 and N3: bounds for the intersection and for the differences."""
    (min1, max1), (min2, max2) = clauses[c1], clauses[c2]
    n1, n2, n3 = c1 & c2, c1 - c2, c2 - c1
    yield n1, max(0, min1 - len(n2), min2 - len(n3)), min(len(n1), max1, max2)
    yield n2, max(0, min1 - min(len(n1), max2)), min(len(n2), max1 - max(0, min2 - len(n3)))
    yield n3, max(0, min2 - min(len(n1), max1)), min(len(n3), max2 - max(0, min1 - len(n2)))
