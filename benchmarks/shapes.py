"""Positions that grow: square boards opened at random, combs and lattices, drawn from a seed. And random graphs.

They show how time grows with size. The sizes of a shape stand in a fixed order, and entry i has size number i modulo
their number: a corpus of as many entries as there are sizes holds each once, a longer one begins again with other
draws. Entry i depends on (seed, shape, i) and on nothing else.

*Squares* fall into many small components. In a *comb*, with every second cell of every second row open, all
clues hang together, so the cost of counting is exponential in the shorter side. A *lattice* is the regular comb:
every clue has eight covered neighbours and says 4, of all clues the one with the most arrangements. Nearly such a
lattice was reported as what never ends (xienaoban/minesweeper, issue 3; it is in the corpus `cases`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.corpus import SHAPES
from board import Game, Layout, Outcome, Position, Topology, graph

SQUARES = (16, 32, 64, 128, 256)  # cells a side
COMBS = (
    *((n, n) for n in range(5, 20, 2)),
    *((5, columns) for columns in (21, 41, 81, 161)),
    *((7, columns) for columns in (21, 41, 81)),
    *((9, columns) for columns in (21, 41)),
)  # rows, columns
COMB_PERCENT = 35  # of the covered cells are mines, rounded down
LATTICES = (1, 2, 3, 4, 5, 6)  # clues a side
SCATTER = (
    "Safe cells of a random layout opened at random, with the flood fill, until a share of them drawn uniformly "
    "from 0.05 to 0.95 is open."
)
REACH = 1.6  #: of a point of a plane: eight others are nearer on average, far from the edges
PLANE = (
    "{cells} points at random in a rectangle of {rows} x {columns}, one graph a game; those nearer than "
    f"{REACH} are neighbours."
)


def plane(rows: int, columns: int, rng: np.random.Generator) -> Topology:
    """A graph of rows x columns cells, which are points drawn uniformly in a rectangle of that size, one a unit area.

    Those nearer than REACH are neighbours, so cells have different numbers of them; from top to bottom, in one row.
    Cost quadratic in cells. Source: E. N. Gilbert, Random plane networks, J. SIAM, 1961.
    """
    points = rng.random((rows * columns, 2)) * (rows, columns)
    points = points[np.argsort(points[:, 0], kind="stable")]
    distance = np.hypot(*(points[:, None] - points).transpose(2, 0, 1))
    np.fill_diagonal(distance, np.inf)
    return graph([np.flatnonzero(row < REACH).tolist() for row in distance])


def shape_definition(name: str) -> str:
    """What a corpus of this shape holds, in a few sentences for people."""
    if name == "combs":
        return (
            f"Every second cell of every second row is open, without the flood fill; {COMB_PERCENT} % of the other "
            f"cells, at random, are mines. In turn {', '.join(f'{rows} x {columns}' for rows, columns in COMBS)} cells."
        )
    if name == "lattices":
        return (
            f"k x k clues, k = {', '.join(map(str, LATTICES))} in turn, on boards of 2 k + 1 rows and columns: each "
            "clue has eight covered neighbours and says 4. The mine count is that of a layout drawn at random from "
            "a family that fits."
        )
    sizes = ", ".join(map(str, SQUARES))
    return f"n x n boards, n = {sizes} in turn, {_percent(name)} % of the cells are mines. {SCATTER}"


def draw(name: str, seed: int, index: int) -> tuple[Position, Layout] | None:
    """The position of entry `index` and where its mines are, or None if opening cells won its game."""
    rng = np.random.default_rng([seed, 100 + SHAPES.index(name), index])
    if name == "combs":
        return _comb(*COMBS[index % len(COMBS)], rng)
    if name == "lattices":
        return _lattice(LATTICES[index % len(LATTICES)], rng)
    n = SQUARES[index % len(SQUARES)]
    layout = Layout.random(n, n, round(_percent(name) * n * n / 100), rng)
    position = scattered(layout, rng)
    return None if position is None else (position, layout)


def _percent(name: str) -> int:
    """The mines of a hundred cells, which the name of a corpus of squares ends with: 20 for squares-0.20."""
    return int(name[-2:])


def scattered(layout: Layout, rng: np.random.Generator) -> Position | None:
    """Safe cells opened in random order until the share of them drawn first is open; None if that won the game."""
    safe = np.flatnonzero(~layout.mines)
    wanted = rng.uniform(0.05, 0.95) * safe.size
    game = Game(layout)
    opened = 0
    for cell in safe[np.argsort(rng.random(safe.size))].tolist():
        if opened >= wanted:
            break
        opened += game.open(cell).size
    return game.position() if game.outcome is Outcome.PLAYING else None


def _comb(rows: int, columns: int, rng: np.random.Generator) -> tuple[Position, Layout]:
    opened = np.zeros((rows, columns), np.bool_)
    opened[::2, ::2] = True
    covered = np.flatnonzero(~opened)
    mines = np.zeros((rows, columns), np.bool_)
    mines.flat[covered[np.argsort(rng.random(covered.size))[: covered.size * COMB_PERCENT // 100]]] = True
    layout = Layout(mines)
    return layout.position(opened), layout


def _lattice(k: int, rng: np.random.Generator) -> tuple[Position, Layout]:
    """Each row between the clues puts 2 mines or 1 beside every clue, by choice; the sides make up for 4."""
    mines = np.zeros((2 * k + 1, 2 * k + 1), np.bool_)
    twos: NDArray[np.int64] = rng.integers(2, size=k + 1)
    for row, two in enumerate(twos.tolist()):
        mines[2 * row, 1 - two :: 2] = True  # all corners of the clues, or all cells between two corners
    for row, sides in enumerate((2 - twos[:-1] - twos[1:]).tolist()):
        if sides == 2:
            mines[2 * row + 1, ::2] = True
        elif sides == 1:
            mines[2 * row + 1, 2 * int(rng.integers(2)) :: 4] = True
    opened = np.zeros(mines.shape, np.bool_)
    opened[1::2, 1::2] = True
    layout = Layout(mines)
    return layout.position(opened), layout
