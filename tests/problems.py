"""Hypothesis strategies of small problems: arbitrary constraints and partly opened boards, with and without models."""

import numpy as np
from hypothesis import strategies as st

from board import Position, Problem
from board.position import COVERED, HIT


@st.composite
def systems(draw, most=11, max_scope=9):
    """Constraints over arbitrary cells; mostly with a planted model."""
    n = draw(st.integers(1, most))
    planted = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    scopes = draw(st.lists(st.sets(st.integers(0, n - 1), max_size=max_scope), max_size=7))
    errors = draw(st.lists(st.sampled_from([0] * 12 + [1, -1]), min_size=len(scopes), max_size=len(scopes)))
    totals = [sum(planted[c] for c in scope) + error for scope, error in zip(scopes, errors, strict=True)]
    mines = draw(st.one_of(st.none(), st.just(sum(planted)), st.integers(0, n + 1)))
    return Problem.from_sets(zip(scopes, totals, strict=True), n=n, mines=mines)


@st.composite
def boards(draw, most=12):
    """Positions of games on grids, some with hit mines, some with a wrong mine count."""
    rows = draw(st.integers(1, 5))
    columns = draw(st.integers(1, 6))
    cells = rows * columns
    planted = np.array(draw(st.lists(st.integers(0, 3), min_size=cells, max_size=cells))).reshape(rows, columns) == 0
    hidden = draw(st.lists(st.booleans(), min_size=cells, max_size=cells))
    around = np.pad(planted, 1).astype(int)
    counts = sum(around[1 + a : 1 + a + rows, 1 + b : 1 + b + columns] for a in (-1, 0, 1) for b in (-1, 0, 1))
    codes = np.where(planted | np.array(hidden).reshape(rows, columns), COVERED, counts)
    for extra in np.flatnonzero(codes == COVERED)[most:].tolist():
        codes.flat[extra] = HIT if planted.flat[extra] else counts.flat[extra]
    mines = draw(st.one_of(st.none(), st.just(int(planted.sum())), st.integers(0, cells)))
    return Position(codes, mines).problem()


def problems():
    """Both kinds."""
    return st.one_of(systems(), boards())
