"""Neighbourhoods: which cells a clue counts. Compressed sparse rows, so any graph is a board."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from board.problem import whole


@dataclass(frozen=True, slots=True, eq=False)
class Topology:
    """The neighbours of each cell.

    Parameters
    ----------
    shape: (rows, columns); cells are numbered row-major. A board without rows is (1, n).
    indptr: int32[n + 1], neighbours: int32[k]; cell c's neighbours are
        `neighbours[indptr[c]:indptr[c + 1]]`, ascending, without c.
    name: what a topology of your own calls itself, `grid` only if it is the grid; two topologies are equal
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
        rows, columns = (whole(size, "the shape of a board is two integers") for size in self.shape)
        object.__setattr__(self, "shape", (rows, columns))
        n = rows * columns
        for array, name in ((self.indptr, "indptr"), (self.neighbours, "neighbours")):
            if np.size(array) and np.asarray(array).dtype.kind not in "iu":
                raise ValueError(f"{name} has dtype {np.asarray(array).dtype}, not integers")
        indptr = np.array(self.indptr, np.int32)
        neighbours = np.array(self.neighbours, np.int32)
        if rows < 1 or columns < 1:
            raise ValueError(f"a board has at least one cell, not {rows} rows x {columns} columns")
        if indptr.size != n + 1 or indptr[0] != 0 or indptr[-1] != neighbours.size or (np.diff(indptr) < 0).any():
            raise ValueError(f"indptr does not describe {n} cells with {neighbours.size} neighbours")
        owner = np.repeat(np.arange(n, dtype=np.int64), np.diff(indptr))
        if neighbours.size and (neighbours.min() < 0 or neighbours.max() >= n or (owner == neighbours).any()):
            raise ValueError(f"a neighbour is another cell of 0..{n - 1}")
        if (np.diff(owner * n + neighbours) <= 0).any():
            raise ValueError("the neighbours of a cell must be ascending and distinct")
        for array in (indptr, neighbours):
            array.flags.writeable = False
        if self.name == "grid":
            near, ends = _grid(rows, columns)
            if not np.array_equal(indptr, ends) or not np.array_equal(neighbours, near):
                raise ValueError(f"these are not the neighbours of the {rows}x{columns} grid: give it another name")
        object.__setattr__(self, "indptr", indptr)
        object.__setattr__(self, "neighbours", neighbours)

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
        if self.name == "grid":  # the cached one, instead of a copy with every pickled position
            return grid, self.shape
        return Topology, (self.shape, self.indptr, self.neighbours, self.name)

    def __repr__(self) -> str:
        return f"<Topology {self.name} {self.shape[0]}x{self.shape[1]}>"


def grid(rows: int, columns: int) -> Topology:
    """The ordinary board: up to eight neighbours, none across the edges. Cached; cost linear in cells."""
    return _made(*(whole(size, "the shape of a board is two integers") for size in (rows, columns)))


@lru_cache(maxsize=64)
def _made(rows: int, columns: int) -> Topology:
    if rows < 1 or columns < 1:
        raise ValueError(f"a board has at least one cell, not {rows} rows x {columns} columns")
    neighbours, indptr = _grid(rows, columns)
    made = Topology((rows, columns), indptr, neighbours, "grid")
    _grid.cache_clear()  # its arrays are no longer needed
    return made


@lru_cache(maxsize=1)  # `grid` asks, and Topology asks again
def _grid(rows: int, columns: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """(neighbours, indptr) of the grid."""
    row, column = np.divmod(np.arange(rows * columns, dtype=np.int32), np.int32(columns))
    steps = [(dr, dc) for dr in (-1, 0, 1) for dc in (-1, 0, 1) if dr or dc]
    near_row = np.stack([row + dr for dr, _ in steps], axis=1)
    near_column = np.stack([column + dc for _, dc in steps], axis=1)
    inside = (near_row >= 0) & (near_row < rows) & (near_column >= 0) & (near_column < columns)
    indptr = np.zeros(rows * columns + 1, np.int32)
    np.cumsum(inside.sum(axis=1), out=indptr[1:])
    return (near_row * columns + near_column)[inside], indptr
