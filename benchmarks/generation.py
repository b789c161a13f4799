"""How corpora are made: games played from a seed, the moments kept, and answers that two solvers agree on.

Entry i of a corpus comes from game i and from nothing else: its generator is seeded with (seed, level,
kind, i), so every entry can be made again alone. A game without a moment of the wanted kind gives no entry. A
moment is a position after the first click at which the player has to move.

The player is exact and without memory: it opens a cell of least mine probability, ties broken at random; so a
provably safe cell if there is one. For the stuck kinds it tries a weaker strategy first, and moves like the exact
player where that finds no safe cell. Such a moment counts as stuck if a safe cell is provable: where none
is, and that is most of them, no strategy could be told from another. Answers are those of `counting`, and `sat`
must give the same ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray

from benchmarks.corpus import KINDS, LEVELS
from benchmarks.entries import Answer, Corpus, Entry
from board import COVERED, Game, Layout, Outcome, Position, Problem
from board.problem import whole
from solvers import MarginalSolver, Solver, Status, make_solver

DEFINITIONS = {
    "random": "One uniformly random moment of each game of the exact player.",
    "scatter": "Safe cells of a random layout opened at random, with the flood fill, until a share of them "
    "drawn uniformly from 0.05 to 0.95 is open.",
    "stuck": "One uniformly random moment of each game at which subset inference finds no safe cell though "
    "there are provably safe ones; the player opens what subset inference finds, and moves like the exact "
    "player where it finds nothing.",
    "minmax-stuck": "One uniformly random moment of each game at which minmax inference finds no safe cell "
    "though there are provably safe ones; the player opens what minmax finds, and moves like the exact player "
    "where it finds nothing.",
    "endgame": "One uniformly random moment of each game of the exact player with few safe cells left (at "
    "most {left}) at which the mine count matters: the global answer differs from the local one.",
}
FINDERS = {"stuck": "subset", "minmax-stuck": "minmax"}
SAFE_CELLS_LEFT = {"beginner": 12, "intermediate": 16, "expert": 20}
TIE = 1e-9  # relative: probabilities this close are the same number, computed twice


def generate(name: str, count: int, seed: int, progress: Callable[[int, int], None] | None = None) -> Corpus:
    """The corpus of the first `count` entries; see :func:`benchmarks.corpus.build_corpus`."""
    level, kind = _split(name)
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
    rows, columns, mines = LEVELS[level]
    definition = DEFINITIONS[kind].format(left=SAFE_CELLS_LEFT[level])
    header = {"seed": seed, "definition": f"{rows} rows x {columns} columns, {mines} mines. {definition}"}
    return Corpus(name, tuple(entries), header)


def make_entry(name: str, seed: int, index: int) -> Entry | None:
    """The entry of game `index`, or None if that game has no moment of the wanted kind."""
    level, kind = _split(name)
    rng = np.random.default_rng([seed, list(LEVELS).index(level), KINDS.index(kind), index])
    rows, columns, mines = LEVELS[level]
    if kind == "scatter":
        layout = Layout.random(rows, columns, mines, rng)
        moments = _scattered(layout, rng)
    else:
        first = int(rng.integers(rows * columns))
        layout = Layout.random(rows, columns, mines, rng, first=first, rule="safe")
        game = Game(layout)
        game.open(first)
        finder = FINDERS.get(kind)
        moments = list(_played(game, rng, make_solver(finder) if finder else None))
        if kind == "endgame":
            moments = [m for m in moments if _is_endgame(m, SAFE_CELLS_LEFT[level])]
    if not moments:
        return None
    position = moments[int(rng.integers(len(moments)))]
    cells = tuple(np.flatnonzero(layout.mines).tolist())
    problem, where = position.problem(), f"game {index} of {name}"
    answers = (exact_answer(problem.local(), where), exact_answer(problem, where))
    return Entry(f"{name}-{index}", f"{name}/{index}", position, *answers, cells)


def _split(name: str) -> tuple[str, str]:
    level, _, kind = name.partition("-")
    if level not in LEVELS or kind not in KINDS:
        known = f"<level>-<kind> with a level of {', '.join(LEVELS)} and a kind of {', '.join(KINDS)}"
        raise ValueError(f"no way to build a corpus {name!r}; known are {known}")
    return level, kind


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


def _scattered(layout: Layout, rng: np.random.Generator) -> list[Position]:
    safe = np.flatnonzero(~layout.mines)
    wanted = rng.uniform(0.05, 0.95) * safe.size
    game = Game(layout)
    opened = 0
    for cell in safe[np.argsort(rng.random(safe.size))].tolist():
        if opened >= wanted:
            break
        opened += game.open(cell).size
    return [game.position()] if game.outcome is Outcome.PLAYING else []


def _is_endgame(position: Position, left: int) -> bool:
    if np.count_nonzero(position.codes == COVERED) - (position.mines or 0) > left:
        return False
    problem = position.problem()
    return _exact().deduce(problem) != _exact().deduce(problem.local())


def exact_answer(problem: Problem, name: str) -> Answer:
    """What follows, or that there is no model; of two solvers that must agree. RuntimeError if they do not."""
    found, again = _exact().deduce(problem), make_solver("sat").deduce(problem)
    if found != again or found.status is Status.PARTIAL:
        raise RuntimeError(
            f"counting and sat disagree on {name}, {problem!r}: {found!r}, {again!r}\n{problem.position}"
        )
    consistent = found.status is Status.COMPLETE
    return Answer(consistent, tuple(np.flatnonzero(found.safe).tolist()), tuple(np.flatnonzero(found.mines).tolist()))


def entry_of(name: str, position: Position) -> Entry:
    """An entry of a position from anywhere, each a game of its own."""
    problem = position.problem()
    local = exact_answer(problem.local(), name)
    return Entry(name, name, position, local, local if problem.mines is None else exact_answer(problem, name))
