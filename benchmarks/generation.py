"""How corpora are made: games played from a seed, the moments kept, and answers that two solvers agree on.

Boards that grow are drawn by `benchmarks.shapes`. Entry i of any other corpus comes from game i and from nothing
else: its generator is seeded with (seed, level, kind, i), so every entry can be made again alone. A game without a
moment of the wanted kind gives no entry. A moment is a position after the first click at which the player has to move.

The player is exact and without memory: it opens a cell of least mine probability, ties broken at random; so a
provably safe cell if there is one. For the stuck kinds it tries a weaker strategy first, and moves like the exact
player where that finds no safe cell. Such a moment counts as stuck if a safe cell is provable: where none
is, and that is most of them, no strategy could be told from another.

Levels are played on four kinds of board, with as many cells and mines: the grid, the torus, the hexagonal board, and
graphs of `benchmarks.shapes.plane`, each game on one of its own.

Answers are those of `counting`, and `sat` must give the same ones; on lattices, where the mine count can take `sat`
minutes, `cpsat` must.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray

from benchmarks.corpus import KINDS, LEVELS, PATTERN, SHAPES
from benchmarks.entries import Answer, Corpus, Entry
from benchmarks.shapes import PLANE, SCATTER, draw, plane, scattered, shape_definition
from board import COVERED, Game, Layout, Outcome, Position, Problem
from board.problem import whole
from board.topology import named
from solvers import MarginalSolver, Solver, Status, make_solver

DEFINITIONS = {
    "random": "One uniformly random moment of each game of the exact player.",
    "scatter": SCATTER,
    "stuck": "One uniformly random moment of each game at which subset inference finds no safe cell though "
    "there are provably safe ones; the player opens what subset inference finds, and moves like the exact "
    "player where it finds nothing.",
    "minmax-stuck": "One uniformly random moment of each game at which minmax inference finds no safe cell "
    "though there are provably safe ones; the player opens what minmax finds, and moves like the exact player "
    "where it finds nothing.",
    "endgame": "One uniformly random moment of each game of the exact player with few safe cells left (at "
    "most {left}) at which the mine count matters: the global answer differs from the local one.",
}
BOARDS = {
    "grid": "{rows} rows x {columns} columns, {mines} mines.",
    "torus": "A torus, {rows} rows x {columns} columns, {mines} mines.",
    "hexagonal": "Hexagons, {rows} rows x {columns} columns, odd rows half a cell to the right, {mines} mines.",
    "graph": PLANE + " {mines} of them are mines.",
}  #: what a corpus begins its definition with; all but the grid are prefixes of its name
FINDERS = {"stuck": "subset", "minmax-stuck": "minmax"}
SAFE_CELLS_LEFT = {"beginner": 12, "intermediate": 16, "expert": 20}
TIE = 1e-9  # relative: probabilities this close are the same number, computed twice


def generate(name: str, count: int, seed: int, progress: Callable[[int, int], None] | None = None) -> Corpus:
    """The corpus of the first `count` entries; see :func:`benchmarks.corpus.build_corpus`."""
    definition = _definition(name)
    count, seed = whole(count, "count: an integer is needed"), whole(seed, "seed: an integer is needed")
    if count < 1 or seed < 0:
        raise ValueError(f"a corpus needs a count >= 1 and a seed >= 0, not {count} and {seed}")
    entries: list[Entry] = []
    index = 0
    while len(entries) < count:
        entry = make_entry(name, seed, index)
        index += 1
        if entry is not None:
            entries.append(entry)
            if progress is not None:
                progress(len(entries), count)
    return Corpus(name, tuple(entries), {"seed": seed, "definition": definition})


def _definition(name: str) -> str:
    if name in SHAPES:
        return shape_definition(name)
    board, level, kind = _split(name)
    rows, columns, mines = LEVELS[level]
    first = BOARDS[board].format(rows=rows, columns=columns, mines=mines, cells=rows * columns)
    return f"{first} {DEFINITIONS[kind].format(left=SAFE_CELLS_LEFT[level])}"


def make_entry(name: str, seed: int, index: int) -> Entry | None:
    """Entry `index`, or None if its game has no moment of the wanted kind.

    Squares come without their layout, which would be most of the file.
    """
    found = draw(name, seed, index) if name in SHAPES else _moment(name, seed, index)
    if found is None:
        return None
    position, layout = found
    problem, where = position.problem(), f"game {index} of {name}"
    checker = "cpsat" if name == "lattices" else "sat"
    answers = (exact_answer(problem.local(), where, checker), exact_answer(problem, where, checker))
    cells = None if name.startswith("squares") else tuple(np.flatnonzero(layout.mines).tolist())
    return Entry(f"{name}-{index}", f"{name}/{index}", position, *answers, cells)


def _moment(name: str, seed: int, index: int) -> tuple[Position, Layout] | None:
    """One moment of the wanted kind of game `index`, and where its mines are."""
    board, level, kind = _split(name)
    other = [] if board == "grid" else [list(BOARDS).index(board)]
    rng = np.random.default_rng([seed, list(LEVELS).index(level), KINDS.index(kind), index, *other])
    rows, columns, mines = LEVELS[level]
    topology = plane(rows, columns, rng) if board == "graph" else named(board, rows, columns)
    if kind == "scatter":
        layout = Layout.random(*topology.shape, mines, rng, topology=topology)
        position = scattered(layout, rng)
        return None if position is None else (position, layout)
    first = int(rng.integers(topology.n))
    layout = Layout.random(*topology.shape, mines, rng, first=first, rule="safe", topology=topology)
    game = Game(layout)
    game.open(first)
    finder = FINDERS.get(kind)
    moments = list(_played(game, rng, make_solver(finder) if finder else None))
    if kind == "endgame":
        moments = [m for m in moments if _is_endgame(m, SAFE_CELLS_LEFT[level])]
    return (moments[int(rng.integers(len(moments)))], layout) if moments else None


def _split(name: str) -> tuple[str, str, str]:
    """(board, level, kind)."""
    board, _, rest = name.partition("-")
    if board not in list(BOARDS)[1:]:
        board, rest = "grid", name
    level, _, kind = rest.partition("-")
    if level not in LEVELS or kind not in KINDS:
        known = f"{', '.join(SHAPES)}, and {PATTERN}, also after {', '.join(list(BOARDS)[1:])} and a hyphen"
        raise ValueError(f"no way to build a corpus {name!r}; known are {known}")
    return board, level, kind


@cache
def _exact() -> MarginalSolver:
    solver = make_solver("counting")
    assert isinstance(solver, MarginalSolver)
    return solver


def _played(game: Game, rng: np.random.Generator, finder: Solver | None) -> Iterator[Position]:
    """Play the game to its end: all moments, or those at which the finder misses every provably safe cell."""
    while game.outcome is Outcome.PLAYING:
        position = game.position()
        problem = position.problem()
        choice = None if finder is None else finder.deduce(problem).safe
        if choice is None or not choice.any():
            least, choice = _least(problem)
            if finder is None or least == 0.0:
                yield position
        cells = np.flatnonzero(choice)
        game.open(int(cells[rng.integers(cells.size)]))


def _least(problem: Problem) -> tuple[float, NDArray[np.bool_]]:
    """The least mine probability, and the cells that have it, bool[n]."""
    marginals = _exact().marginals(problem)
    if marginals.status is not Status.COMPLETE:
        raise RuntimeError(f"no exact probabilities ({marginals.status}) for {problem.position!r}")
    least = float(np.nanmin(marginals.probability))
    return least, marginals.probability <= least * (1 + TIE)


def _is_endgame(position: Position, left: int) -> bool:
    if np.count_nonzero(position.codes == COVERED) - (position.mines or 0) > left:
        return False
    problem = position.problem()
    return _exact().deduce(problem) != _exact().deduce(problem.local())


def exact_answer(problem: Problem, name: str, checker: str = "sat") -> Answer:
    """What follows, or that there is no model; `counting` and the checker must agree. RuntimeError if not."""
    found, again = _exact().deduce(problem), make_solver(checker).deduce(problem)
    if found != again or found.status is Status.PARTIAL:
        raise RuntimeError(
            f"counting and {checker} disagree on {name}, {problem!r}: {found!r}, {again!r}\n{problem.position}"
        )
    consistent = found.status is Status.COMPLETE
    return Answer(consistent, tuple(np.flatnonzero(found.safe).tolist()), tuple(np.flatnonzero(found.mines).tolist()))


def entry_of(name: str, position: Position) -> Entry:
    """An entry of a position from anywhere, each a game of its own."""
    problem = position.problem()
    local = exact_answer(problem.local(), name)
    return Entry(name, name, position, local, local if problem.mines is None else exact_answer(problem, name))
