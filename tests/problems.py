"""Small problems, with and without models: arbitrary constraints and partly opened boards.

First as hypothesis strategies, then drawn from a numpy generator.
"""

from functools import cache

import numpy as np
from hypothesis import strategies as st

from board import Layout, Position, Problem, graph
from board.position import COVERED, HIT, UNNUMBERED
from board.topology import NAMES, named


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


# --- problems drawn from a numpy generator: quicker by far, and of shapes that seldom arise above


def drawn_problem(rng):
    """A problem of up to 30 covered cells, on a board or over arbitrary ones; some without a model, any mine count."""
    problem, planted = drawn_board(rng) if rng.random() < 0.3 else drawn_system(rng)
    return with_mines(problem, _drawn_mines(rng, planted, problem.n))


def with_mines(problem, mines):
    """The same clues with another mine count, a negative one included."""
    return Problem.trusted(problem.covered, problem.indptr, problem.cells, problem.totals, mines)


def _drawn_mines(rng, planted, n):
    kind = rng.random()
    if kind < 0.35:
        return None
    if kind < 0.75:
        return planted
    if kind < 0.93:
        return max(planted + int(rng.integers(-3, 4)), 0)
    return [0, n, n + 1, 10**30, 2**31, 2**63, -1, -5][int(rng.integers(8))]


@cache
def board_of(kind, rows, columns):
    """One of the `BOARDS`, of that size."""
    if kind in NAMES:
        return named(kind, rows, columns)
    near = []
    for row, column in np.ndindex(rows, columns):
        if kind == "knight":
            leaps = [(a, b) for a in (-2, -1, 1, 2) for b in (-2, -1, 1, 2) if abs(a) != abs(b)]
            places = [(row + a, column + b) for a, b in leaps]
        else:  # "web": a row of cells, those at these distances are neighbours: far from planar
            far = [d * sign + row * columns + column for d in (1, 2, 4, 7, 12) for sign in (-1, 1)]
            places = [divmod(c, columns) for c in far]
        near.append([a * columns + b for a, b in places if 0 <= a < rows and 0 <= b < columns])
    return graph(near, (rows, columns), kind)


BOARDS = ("grid", "torus", "hexagonal", "knight", "web")


def drawn_board(rng, most=24):
    """(the problem of a partly opened board, mines among its covered cells); some have hit mines and wrong clues."""
    rows, columns = rng.integers(1, 9, 2).tolist()
    n = rows * columns
    topology = board_of(BOARDS[rng.integers(len(BOARDS))], rows, columns)
    layout = Layout.random(rows, columns, int(n * rng.uniform(0, 0.6)), rng, topology=topology)
    opened = ~layout.mines & (rng.random((rows, columns)) < rng.uniform(0.1, 0.8))
    if rng.random() < 0.2:
        opened |= layout.mines & (rng.random((rows, columns)) < 0.3)
    opened.flat[rng.permutation(np.flatnonzero(~opened))[most:]] = True
    codes = layout.position(opened).codes.copy()
    clues = np.flatnonzero(codes >= 0)
    if clues.size:
        if rng.random() < 0.15:
            codes.flat[rng.choice(clues, clues.size // 4 + 1)] = UNNUMBERED
        if rng.random() < 0.1:
            wrong = rng.choice(clues)
            codes.flat[wrong] = abs(codes.flat[wrong] + rng.choice([-1, 1]))
    return Position(codes, topology=topology).problem(), int(np.count_nonzero(layout.mines & ~opened))


def drawn_system(rng):
    """(the problem of constraints over arbitrary cells, mines in the model it was made of); some are made wrong."""
    kinds = (_any_scopes, _groups, _groups, _boxes, _crowd, _crowd, _chain, _nested)
    scopes, planted = kinds[rng.integers(len(kinds))](rng)
    if rng.random() < 0.8:  # clues that settle their cells by themselves hide everything else
        scopes = [scope for scope in scopes if 0 < planted[scope].sum() < len(scope)]
    totals = [int(planted[scope].sum()) for scope in scopes]
    if scopes and rng.random() < 0.15:
        wrong = int(rng.integers(len(scopes)))
        totals[wrong] += int(rng.choice([-1, 1]))
    if scopes and rng.random() < 0.1:  # a clue twice, and one that says nothing
        scopes, totals = [*scopes, scopes[0], []], [*totals, totals[0], int(rng.random() < 0.1)]
    n = planted.size + int(rng.integers(0, 4))
    name = rng.permutation(n)
    constraints = [(name[scope].tolist(), total) for scope, total in zip(scopes, totals, strict=True)]
    covered = name[: planted.size].tolist()
    return Problem.from_sets(constraints, n, covered=covered), int(planted.sum())


def _planted(rng, n):
    """A model with few mines or with few safe cells, so that wide scopes have few fillings."""
    few = rng.random(n) < rng.uniform(0, 0.25)
    return few if rng.random() < 0.6 else ~few


def _any_scopes(rng):
    n = int(rng.integers(1, 27))
    sizes = rng.integers(0, n + 1, int(rng.integers(0, 8)))
    return [rng.permutation(n)[:size] for size in sizes], _planted(rng, n)


def _groups(rng):
    """Two to five small systems side by side: several components."""
    scopes, planted = [], np.zeros(0, np.bool_)
    for _ in range(int(rng.integers(2, 6))):
        n = int(rng.integers(2, 7))
        sizes = rng.integers(2, n + 1, int(rng.integers(1, 4)))
        scopes += [rng.permutation(n)[:size] + planted.size for size in sizes]
        planted = np.concatenate([planted, rng.random(n) < 0.4])
    return scopes, planted


def _boxes(rng):
    """Clues over unions of a few groups of exchangeable cells."""
    sizes = rng.integers(1, 11, int(rng.integers(1, 6)))
    box = np.repeat(np.arange(sizes.size), sizes)[:28]
    picks = rng.random((int(rng.integers(1, 6)), sizes.size)) < 0.6
    return [np.flatnonzero(pick[box]) for pick in picks], _planted(rng, box.size)


def _crowd(rng):
    """Many small clues over few cells: all are open at once."""
    n = int(rng.integers(6, 19))
    sizes = rng.integers(2, 7, int(rng.integers(n // 2, 3 * n)))
    return [rng.permutation(n)[:size] for size in sizes], rng.random(n) < rng.uniform(0.3, 0.7)


def _chain(rng):
    """A window that slides along a row of cells."""
    n, width = int(rng.integers(4, 29)), int(rng.integers(2, 10))
    starts = range(0, n, int(rng.integers(1, width + 1)))
    return [np.arange(start, min(start + width, n)) for start in starts], rng.random(n) < rng.uniform(0, 1)


def _nested(rng):
    """Scopes within scopes, some with a cell of their own."""
    n = int(rng.integers(2, 27))
    ends = rng.integers(1, n + 1, int(rng.integers(1, 7)))
    spare = rng.integers(0, n, ends.size)
    return [np.union1d(np.arange(e), s) for e, s in zip(ends, spare, strict=True)], _planted(rng, n)
