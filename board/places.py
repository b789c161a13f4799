"""Where the cells of a drawing lie and what shape they have: squares, hexagons, or circles joined by lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from board.topology import Topology

CELL = 20  #: user units a cell: the signs of a cell stand in a square of that size
Outline = Literal["square", "hexagon", "circle"]

_RADIUS = {"square": CELL / 2, "hexagon": 11, "circle": 12}  # of the circle that a cell's outline holds
_SLANT = 3**-0.5
_HEXAGON_PITCH = 2 * _RADIUS["hexagon"] * 3**0.5 / 2  # from row to row
_APART = 36  # user units between neighbours on a circle: room for a number under each


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """The geometry of n cells, in user units; y grows downwards.

    x, y: float64[n], the upper left corner of the square of CELL units in which a cell's signs stand.
    outline: the shape of all cells, about the middle of that square.
    shape: (rows, columns) of the board.
    box: (left, top, right, bottom) of all outlines.
    edges: int32 (k, 2), pairs of neighbours to be joined by a line, the smaller cell first; none where cells that
        touch are the neighbours.
    """

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    outline: Outline
    shape: tuple[int, int]
    box: tuple[float, float, float, float]
    edges: NDArray[np.int32]


def places(topology: Topology, at: NDArray[np.float64] | None = None) -> Places:
    """Where the cells of a topology are drawn.

    at: float64[n, 2], x and y of the middles of the cells in cells, y downwards: circles there, neighbours joined by
        lines. Cells less than 1.2 apart overlap. Without it a board whose neighbours are those of a
        hexagonal one, every other row shifted by half a cell, is hexagons; another board of several rows, the torus
        among them, a table of squares, and so is the grid; any other graph is a circle, in the order of the cells.

    Raises ValueError for coordinates that are not finite or not one pair a cell.

    >>> from board.topology import grid
    >>> places(grid(2, 3)).outline, places(grid(2, 3)).box
    ('square', (0, 0, 60, 40))
    """
    rows, columns = topology.shape
    if at is not None:
        given = np.asarray(at, np.float64)
        if given.shape != (topology.n, 2) or not np.isfinite(given).all():
            raise ValueError(f"places are finite float64[{topology.n}, 2], not of shape {given.shape}: {_short(given)}")
        return _joined(topology, (given - given.min(axis=0)) * CELL)
    row, column = np.divmod(np.arange(topology.n), columns)
    shifted = _shifted_rows(topology)
    if shifted is not None:
        wide = _RADIUS["hexagon"] * 2
        x = column * wide + (row % 2 == shifted) * (wide / 2) + 1.0
        y = np.round(row * _HEXAGON_PITCH, 1) + _RADIUS["hexagon"] * 2 * _SLANT - CELL / 2
        y = np.round(y, 1)
        right = (columns + (rows > 1) / 2) * wide
        box = (0.0, 0.0, right, float(y[-1]) + CELL / 2 + wide * _SLANT)
        return Places(x, y, "hexagon", topology.shape, box, _none())
    if rows > 1 or topology.name in ("grid", "torus"):
        box = (0, 0, columns * CELL, rows * CELL)
        return Places(column * float(CELL), row * float(CELL), "square", topology.shape, box, _none())
    angle = 2 * np.pi * np.arange(topology.n) / topology.n
    radius = 0 if topology.n == 1 else _APART / 2 / np.sin(np.pi / topology.n)
    middle = radius * np.column_stack([np.sin(angle), -np.cos(angle)])  # the first cell on top, on clockwise
    return _joined(topology, middle - middle.min(axis=0))


def outline(kind: Outline, inset: float = 0) -> tuple[float, float, str]:
    """The outline of a cell, that far inside: (x, y, path from there), relative to the cell's corner.

    >>> outline("square", 2)
    (2, 2, 'h16v16h-16z')
    """
    middle, radius = CELL / 2, _RADIUS[kind] - inset
    if kind == "square":
        return inset, inset, f"h{2 * radius:g}v{2 * radius:g}h{-2 * radius:g}z"
    if kind == "circle":
        arc = f"a{radius:g} {radius:g} 0 1 1 "
        return middle - radius, middle, f"{arc}{2 * radius:g} 0{arc}{-2 * radius:g} 0z"
    slope = round(radius * _SLANT, 2)
    lines = f"l{radius:g} {-slope:g} {radius:g} {slope:g}v{2 * slope:g}l{-radius:g} {slope:g} {-radius:g} {-slope:g}z"
    return middle - radius, round(middle - slope, 2), lines


def rims(kind: Outline, inset: float = 1) -> tuple[tuple[float, float, str], tuple[float, float, str]]:
    """The upper and the lower half of an outline that is no square, as in :func:`outline`."""
    middle, radius = CELL / 2, _RADIUS[kind] - inset
    if kind == "circle":
        arc = f"a{radius:g} {radius:g} 0 0 1 "
        aslant = round(radius * 0.5**0.5, 2)
        low, high = round(middle - aslant, 2), round(middle + aslant, 2)
        return (low, high, f"{arc}{2 * aslant:g} {-2 * aslant:g}"), (high, low, f"{arc}{-2 * aslant:g} {2 * aslant:g}")
    slope = round(radius * _SLANT, 2)
    upper = f"v{-2 * slope:g}l{radius:g} {-slope:g} {radius:g} {slope:g}"
    lower = f"v{2 * slope:g}l{-radius:g} {slope:g} {-radius:g} {-slope:g}"
    return (middle - radius, round(middle + slope, 2), upper), (middle + radius, round(middle - slope, 2), lower)


def _joined(topology: Topology, middle: NDArray[np.float64]) -> Places:
    """Circles about these points, float64[n, 2], the least of which are 0."""
    radius = _RADIUS["circle"]
    corner = np.round(middle + radius - CELL / 2, 1)
    right, bottom = (middle.max(axis=0) + 2 * radius).tolist()
    owner = np.repeat(np.arange(topology.n, dtype=np.int32), np.diff(topology.indptr))
    pairs = np.column_stack([owner, topology.neighbours])
    # a neighbourhood need not be mutual: a line wherever one counts the other
    edges = np.unique(np.sort(pairs, axis=1), axis=0)
    return Places(corner[:, 0], corner[:, 1], "circle", topology.shape, (0.0, 0.0, right, bottom), edges)


def _shifted_rows(topology: Topology) -> int | None:
    """Of a hexagonal board which rows are shifted to the right: 0 the even ones, 1 the odd ones; else None."""
    rows, columns = topology.shape
    if topology.name == "grid" or (rows == 1 and not topology.name.startswith("hex")):
        return None
    row, column = np.divmod(np.arange(topology.n), columns)
    for shifted in (1, 0):
        right = (row % 2 == shifted).astype(np.int64)
        steps = [(-1, right - 1), (-1, right), (0, -1), (0, 1), (1, right - 1), (1, right)]
        near_row = np.stack([row + down for down, _ in steps], axis=1)
        near_column = np.stack([column + across for _, across in steps], axis=1)
        inside = (near_row >= 0) & (near_row < rows) & (near_column >= 0) & (near_column < columns)
        same_counts = np.array_equal(np.diff(topology.indptr), inside.sum(axis=1))
        if same_counts and np.array_equal(topology.neighbours, (near_row * columns + near_column)[inside]):
            return shifted
    return None


def _none() -> NDArray[np.int32]:
    return np.empty((0, 2), np.int32)


def _short(array: NDArray[np.float64]) -> str:
    return np.array2string(array, threshold=6, edgeitems=2, separator=", ").replace("\n", "")
