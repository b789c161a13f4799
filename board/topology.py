"""Neighbourhoods: which cells a clue counts. Compressed sparse rows, so any graph is a board.

Three boards have names: the `grid`; the `torus`, a grid whose opposite edges touch; and the `hexagonal` board, whose
odd rows (the second, the fourth, ...) stand half a cell to the right, so that a cell inside has six neighbours.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from board.problem import whole

NAMES = ("grid", "torus", "hexagonal")  #: of the boards that :func:`named` makes
MOST_CELLS = 2**28  #: that a board can have: with eight neighbours each, int32 still counts them


@dataclass(frozen=True, slots=True, eq=False)
class Topology:
    """The neighbours of each cell.

    Parameters
    ----------
    shape: (rows, columns); cells are numbered row-major. A board without rows is (1, n).
    indptr: int32[n + 1], neighbours: int32[k]; cell c's neighbours are
        `neighbours[indptr[c]:indptr[c + 1]]`, ascending, without c.
    name: what a topology of your own calls itself, one of NAMES only if it is that board; two topologies are equal
        if shape, name and neighbours are.

    Raises ValueError where the arrays do not fit together.

    >>> grid(2, 3).of(0).tolist()
    [1, 3, 4]
    """

    shape: tuple[int, int]
    indptr: NDArray[np.int32]
    neighbours: NDArray[np.int32]
    name: str = "graph"

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise ValueError(f"the name of a topology is a text, not {self.name!r}")
        rows, columns = shape_of(self.shape)
        n = rows * columns
        indptr, neighbours = _int32(self.indptr, "indptr"), _int32(self.neighbours, "neighbours")
        if indptr.size != n + 1 or indptr[0] != 0 or indptr[-1] != neighbours.size or (np.diff(indptr) < 0).any():
            raise ValueError(f"indptr does not describe {n} cells with {neighbours.size} neighbours")
        owner = np.repeat(np.arange(n, dtype=np.int64), np.diff(indptr))
        if neighbours.size and (neighbours.min() < 0 or neighbours.max() >= n or (owner == neighbours).any()):
            raise ValueError(f"a neighbour is another cell of 0..{n - 1}")
        if (np.diff(owner * n + neighbours) <= 0).any():
            raise ValueError("the neighbours of a cell must be ascending and distinct")
        if self.name in NAMES:
            near, ends = _neighbours(self.name, rows, columns)
            if not np.array_equal(indptr, ends) or not np.array_equal(neighbours, near):
                raise ValueError(
                    f"these are not the neighbours of the {rows}x{columns} {self.name}: give it another name"
                )
        for array in (indptr, neighbours):
            array.flags.writeable = False
        for name, value in (("shape", (rows, columns)), ("indptr", indptr), ("neighbours", neighbours)):
            object.__setattr__(self, name, value)

    @property
    def n(self) -> int:
        """The number of cells."""
        return self.shape[0] * self.shape[1]

    def of(self, cell: int) -> NDArray[np.int32]:
        """The neighbours of one cell, int32, ascending."""
        if not 0 <= cell < self.n:
            raise ValueError(f"cell {cell} is outside 0..{self.n - 1}")
        return self.neighbours[self.indptr[cell] : self.indptr[cell + 1]]

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Topology):
            return NotImplemented
        return (
            self.shape == other.shape
            and self.name == other.name
            and np.array_equal(self.indptr, other.indptr)
            and np.array_equal(self.neighbours, other.neighbours)
        )

    def __hash__(self) -> int:
        return hash((self.shape, self.name))

    def __reduce__(self) -> tuple[Any, ...]:
        if self.name in NAMES:  # the cached one, instead of a copy with every pickled position
            return named, (self.name, *self.shape)
        return Topology, (self.shape, self.indptr, self.neighbours, self.name)

    def __repr__(self) -> str:
        return f"<Topology {self.name} {self.shape[0]}x{self.shape[1]}>"


def grid(rows: int, columns: int) -> Topology:
    """The ordinary board: up to eight neighbours, none across the edges. Cached; cost linear in cells."""
    return named("grid", rows, columns)


def torus(rows: int, columns: int) -> Topology:
    """The board without edges: its first row is below the last one, its first column right of the last one. Cached.

    Eight neighbours, fewer where one cell is reached by two ways: in fewer than three rows or columns.

    >>> torus(4, 4).of(0).tolist(), torus(1, 2).of(0).tolist()
    ([1, 3, 4, 5, 7, 12, 13, 15], [1])
    """
    return named("torus", rows, columns)


def hexagonal(rows: int, columns: int) -> Topology:
    """The board of hexagons: up to six neighbours, none across the edges. Cached.

    Odd rows, counted from 0, stand half a cell to the right.

    >>> hexagonal(3, 3).of(4).tolist(), hexagonal(3, 3).of(1).tolist()
    ([1, 2, 3, 5, 7, 8], [0, 2, 3, 4])
    """
    return named("hexagonal", rows, columns)


def graph(neighbours: Sequence[Collection[int]], shape: tuple[int, int] | None = None, name: str = "graph") -> Topology:
    """The board of these neighbours, a collection a cell, in any order; of one row unless a shape is given.

    One cell may count another that does not count it. Of a networkx graph whose nodes are 0..n-1: `graph([graph[c]
    for c in range(n)])`.

    Raises ValueError for neighbours that are no other cells or stand twice.

    >>> graph([{1}, {0, 2}, {1}]).of(1).tolist()
    [0, 2]
    """
    try:
        lists = [sorted(whole(cell, "a neighbour is the number of a cell") for cell in cells) for cells in neighbours]
    except TypeError:
        raise ValueError(f"neighbours are a list of cells for each cell, not {neighbours!r:.40}") from None
    size = (1, len(lists)) if shape is None else shape_of(shape)
    if len(lists) != size[0] * size[1]:
        raise ValueError(f"the neighbours of {len(lists)} cells for a board of shape {size}")
    indptr = np.zeros(len(lists) + 1, np.int64)
    np.cumsum([len(cells) for cells in lists], out=indptr[1:])
    cells = [cell for cells in lists for cell in cells]
    return Topology(size, _int32(indptr, "indptr"), _int32(cells, "neighbours"), name)


def named(name: str, rows: int, columns: int) -> Topology:
    """The board of that name, one of NAMES. Cached; cost linear in cells.

    Raises ValueError for another name or a shape that means nothing.

    >>> named("donut", 3, 3)
    Traceback (most recent call last):
    ValueError: unknown topology 'donut'; known are grid, torus, hexagonal
    """
    if name not in NAMES:
        raise ValueError(f"unknown topology {name!r}; known are {', '.join(NAMES)}")
    return _named(name, *shape_of((rows, columns)))


def fitting(topology: Topology | None, shape: tuple[int, int], what: str) -> Topology:
    """The topology of something of this shape: the one given, or the grid for None.

    Raises ValueError for what is no topology and for one of another shape; `what` has that shape, in the message.
    """
    if topology is None:
        return grid(*shape)
    if not isinstance(topology, Topology):
        raise ValueError(f"a topology is a Topology, not {topology!r}")
    if topology.shape != shape:
        raise ValueError(f"a topology of shape {topology.shape} for {what} of shape {shape}")
    return topology


def shape_of(shape: object) -> tuple[int, int]:
    """(rows, columns) as integers; ValueError for a shape that no board has.

    >>> shape_of((np.int8(100), 100))
    (100, 100)
    """
    needed = "the shape of a board is two integers"
    if not isinstance(shape, tuple | list) or len(shape) != 2:
        raise ValueError(f"{needed}, not {shape!r}")
    rows, columns = (whole(size, needed) for size in shape)
    if rows < 1 or columns < 1:
        raise ValueError(f"a board has at least one cell, not {rows} rows x {columns} columns")
    if rows * columns > MOST_CELLS:
        raise ValueError(f"a board has at most {MOST_CELLS:,} cells, not {rows} rows x {columns} columns")
    return rows, columns


def _int32(given: object, name: str) -> NDArray[np.int32]:
    """A copy as int32[k]; ValueError for anything but integers of that size in a row."""
    try:
        array = np.asarray(given)
    except ValueError:
        raise ValueError(f"{name}: rows of different lengths") from None
    if array.ndim != 1:
        raise ValueError(f"{name} is one-dimensional, not of shape {array.shape}")
    if array.size and array.dtype.kind not in "iu":
        raise ValueError(f"{name} has dtype {array.dtype}, not integers")
    made = array.astype(np.int32)
    if not np.array_equal(made, array):
        raise ValueError(f"{name} has a number outside int32")
    return made


@lru_cache(maxsize=64)
def _named(name: str, rows: int, columns: int) -> Topology:
    neighbours, indptr = _neighbours(name, rows, columns)
    made = Topology((rows, columns), indptr, neighbours, name)
    _neighbours.cache_clear()  # its arrays are no longer needed
    return made


@lru_cache(maxsize=1)  # `_named` asks, and Topology asks again
def _neighbours(name: str, rows: int, columns: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """(neighbours, indptr) of a board in NAMES."""
    cell = np.arange(rows * columns, dtype=np.int32)[:, None]
    row, column = np.divmod(cell, np.int32(columns))
    down, across = np.array([(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b], np.int32).T
    if name == "torus":
        near = np.sort((row + down) % rows * columns + (column + across) % columns, axis=1)
        kept = near != cell
        kept[:, 1:] &= near[:, 1:] != near[:, :-1]
    else:
        near_row, near_column = row + down, column + across
        kept = (near_row >= 0) & (near_row < rows) & (near_column >= 0) & (near_column < columns)
        if name == "hexagonal":  # a row to the right meets in the next ones the columns 0 and 1 on, the others 0 and -1
            kept &= (down == 0) | (across != np.where(row % 2 == 1, -1, 1))
        near = near_row * columns + near_column
    indptr = np.zeros(rows * columns + 1, np.int32)
    np.cumsum(kept.sum(axis=1), out=indptr[1:])
    return near[kept], indptr
