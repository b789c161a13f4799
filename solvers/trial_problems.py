"""Small problems on which solvers go wrong: boundary cases by hand, then generated ones.

Method: positions of small grids (random layouts, partly opened, with hit and unnumbered cells, flags, wrong clues
and wrong mine counts) alternate with constraints over arbitrary cells, which no board need have.
Cost: at most 14 covered cells each, so that `enumeration` answers in about a millisecond.
Source: random instances with a planted model are usual practice; the boundary cases are our own.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from board.position import COVERED, HIT, UNNUMBERED, Position
from board.problem import Problem
from board.topology import grid

_MOST_COVERED = 14
_HUGE = 10**30  # fits into no machine integer


def trial_problems(count: int, seed: int = 0) -> Iterator[Problem]:
    """The boundary cases, then `count` generated problems; the same for the same seed.

    >>> sum(1 for _ in trial_problems(10)) - sum(1 for _ in trial_problems(0))
    10
    """
    yield from _boundary_problems()
    rng = np.random.default_rng(seed)
    for i in range(count):
        yield _grid_problem(rng) if i % 2 == 0 else _set_problem(rng)


def _boundary_problems() -> Iterator[Problem]:
    positions: list[tuple[str, tuple[int | None, ...]]] = [
        ("#", (None, 0, 1, 2, _HUGE)),
        ("0", (None, 0, 1)),
        ("2", (None, 0)),
        ("1#", (None, 1, 2)),
        ("#1#1###", (None, 1, 2, 5, 6)),
        ("#2#\n###", (None, 2, 5)),
        ("###\n###\n###", (None, 0, 4, 9, 10)),
        ("**\n##", (None, 1, 2, 3)),
        ("2*1\n##2\n_##", (None, 2, 4)),
        ("___\n###", (None, 0, 1, 3)),
        ("110\n##1\n##1", (None, 1, 2, 3)),
        ("0#\n2#", (None, 2)),
        ("#0\n#1", (0, 1)),
    ]
    for text, counts in positions:
        for mines in counts:
            yield Position.parse(text, mines).problem()
    systems: list[tuple[list[tuple[set[int], int]], int, tuple[int | None, ...]]] = [
        ([], 0, (None, 0, 1)),
        ([(set(), 0)], 2, (None, 1)),
        ([(set(), 1)], 2, (None, 1)),
        ([({0, 1}, -1)], 3, (None, 1)),
        ([({0, 1}, 3)], 3, (None, 3)),
        ([({0, 1}, 1), ({0, 1}, 2)], 3, (None, 2)),
        ([({0, 1}, 1), ({0, 1}, 1)], 2, (None, 0, 1, 2)),
        # one or three mines, but not two
        ([({0, 1}, 1), ({0, 2}, 1), ({0, 3}, 1)], 4, (None, 1, 2, 3)),
        # bounds alone do not see that three pairs cannot all differ
        ([({0, 1}, 1), ({1, 2}, 1), ({0, 2}, 1)], 4, (None, 2)),
        # an implied sum is needed on the way
        ([({0, 1}, 1), ({0, 1, 2, 3}, 2), ({1, 2, 4}, 2), ({0, 3, 5}, 2)], 6, (None, 4)),
        ([(set(range(10)), 9), (set(range(5, 12)), 6)], 12, (None, 10, 11)),
    ]
    for constraints, n, counts in systems:
        for mines in counts:
            yield Problem.from_sets(constraints, n, mines)
    yield Problem.from_sets([({4}, 1)], 9, 1, covered=[4])
    yield Problem.from_sets([], 9, 1, covered=[])


def _grid_problem(rng: np.random.Generator) -> Problem:
    rows, columns = rng.integers(1, 6, 2).tolist()
    topology = grid(rows, columns)
    n = rows * columns
    layout = rng.random(n) < rng.uniform(0, 0.6)
    layout[rng.permutation(n)[_MOST_COVERED:]] = False
    opened = ~layout & (rng.random(n) < rng.uniform(0.2, 1))
    spare = int((~opened).sum()) - _MOST_COVERED
    if spare > 0:
        opened[rng.permutation(np.flatnonzero(~opened & ~layout))[:spare]] = True
    clues = np.array([layout[topology.of(c)].sum() for c in range(n)], np.int16)
    codes = np.where(opened, clues, np.int16(COVERED))
    if rng.random() < 0.1 and layout.any():
        codes[rng.choice(np.flatnonzero(layout))] = HIT
    if rng.random() < 0.1 and opened.any():
        codes[rng.choice(np.flatnonzero(opened))] = UNNUMBERED
    clue_cells = np.flatnonzero(codes >= 0)
    if rng.random() < 0.15 and clue_cells.size:
        wrong = rng.choice(clue_cells)
        codes[wrong] = abs(codes[wrong] + rng.choice([-1, 1]))
    flags = (codes == COVERED) & (rng.random(n) < 0.2)
    shape = (rows, columns)
    return Position(codes.reshape(shape), _mines(int(layout.sum()), rng), flags.reshape(shape)).problem()


def _set_problem(rng: np.random.Generator) -> Problem:
    n = int(rng.integers(1, 13))
    covered = np.flatnonzero(rng.random(n) < 0.9)
    model = rng.random(n) < rng.uniform(0.1, 0.9)
    largest = min(int(rng.integers(2, 9)), covered.size)
    constraints = []
    for _ in range(int(rng.integers(0, 8))):
        scope = rng.choice(covered, int(rng.integers(0, largest + 1)), replace=False)
        constraints.append((scope.tolist(), int(model[scope].sum())))
    if rng.random() < 0.2 and constraints:
        wrong = int(rng.integers(len(constraints)))
        scope, total = constraints[wrong]
        constraints[wrong] = (scope, total + int(rng.choice([-1, 1])))
    return Problem.from_sets(constraints, n, _mines(int(model[covered].sum()), rng), covered.tolist())


def _mines(right: int, rng: np.random.Generator) -> int | None:
    """The right count mostly, sometimes none, sometimes another."""
    kind = rng.random()
    if kind < 0.35:
        return None
    return right if kind < 0.85 else abs(right + int(rng.integers(-2, 3)))
