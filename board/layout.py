"""Where the mines are: layouts drawn from a seed under a first-click rule, written down, or read from text.

A layout is drawn uniformly among all those with the given number of mines that the rule allows: one random
key a free cell, the cells with the smallest keys are mined. Cost linear in cells. The stream of keys depends
on the generator alone, so a seed gives the same layout on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from board.position import COVERED, HIT, Position, read_rows
from board.problem import mine_count, whole
from board.topology import Topology, fitting, shape_of

LEVELS = {"beginner": (9, 9, 10), "intermediate": (16, 16, 40), "expert": (16, 30, 99)}  #: rows, columns, mines
Rule = Literal["any", "safe", "opening"]
Seed: TypeAlias = "int | Sequence[int] | np.random.Generator"  # a text: numpy imports `random` at first use


@dataclass(frozen=True, slots=True, init=False, eq=False)
class Layout:
    """The mines of a board. Immutable; equality and hash by content.

    Parameters
    ----------
    mines: bool (rows, columns).
    topology: which cells are neighbours; the grid of that shape by default.

    `clues` is computed: int16 (rows, columns), the mines beside each cell, for mined cells too.

    Raises ValueError, quoting what is wrong.

    >>> layout = Layout.parse(["*..", "..."])
    >>> layout.count, layout.clues.tolist()
    (1, [[0, 1, 0], [1, 1, 0]])
    """

    mines: NDArray[np.bool_]
    topology: Topology
    clues: NDArray[np.int16]

    def __init__(self, mines: NDArray[np.bool_] | Sequence[Sequence[bool]], topology: Topology | None = None) -> None:
        made = np.array(mines)
        if made.dtype != np.bool_ or made.ndim != 2 or made.size == 0:
            raise ValueError(f"mines are a bool table of at least one cell, not {made.dtype} {made.shape}")
        made = np.ascontiguousarray(made)
        rows, columns = made.shape
        topology = fitting(topology, (rows, columns), "mines")
        clues = _clues(made, topology)
        made.flags.writeable = False
        clues.flags.writeable = False
        put = object.__setattr__
        put(self, "mines", made)
        put(self, "topology", topology)
        put(self, "clues", clues)

    @classmethod
    def random(
        cls,
        rows: int,
        columns: int,
        mines: int,
        seed: Seed,
        *,
        first: int | tuple[int, int] | None = None,
        rule: Rule = "any",
        topology: Topology | None = None,
    ) -> Layout:
        """A layout drawn uniformly among those that the rule for the first click allows.

        Parameters
        ----------
        seed: what `numpy.random.default_rng` takes; a generator is used as it is.
        first: the cell of the first click, as a number or as (row, column); the rule "any" needs none.
        rule: "any" layout; "safe": the first cell is free; "opening": its neighbours are free too.

        Raises ValueError for a size, a count, a cell or a rule that means nothing, and for more mines than
        the rule leaves room for.

        >>> print(Layout.random(3, 3, 5, 0, first=(0, 0), rule="opening").text())
        ..*
        ..*
        ***
        >>> Layout.random(3, 3, 6, 0, first=(0, 0), rule="opening")
        Traceback (most recent call last):
        ValueError: 6 mines: a 3x3 board has room for 5 at most under the rule 'opening' with cell 0 first
        """
        rows, columns = whole(rows, "rows: an integer is needed"), whole(columns, "columns: an integer is needed")
        topology = fitting(topology, shape_of((rows, columns)), "a board")
        count = mine_count(mines)
        if count is None:
            raise ValueError("a layout needs a mine count, not None")
        room, told = _room(topology, first, rule)
        if count > room.size:
            raise ValueError(f"{count} mines: a {rows}x{columns} board has room for {room.size} at most{told}")
        keys = np.random.default_rng(seed).random(room.size)
        mask = np.zeros(topology.n, np.bool_)
        mask[room[np.argpartition(keys, count - 1)[:count]] if count else []] = True
        return cls(mask.reshape(rows, columns), topology)

    @classmethod
    def parse(cls, text_or_rows: str | Sequence[str]) -> Layout:
        """The layout of a text or of its rows: `*` a mine, `.` none.

        Blanks and tabs around a line do not count, nor do empty lines around the text.

        Raises ValueError, quoting what is wrong and where: line and column from 1 for a text, row and
        column from 0 for rows.

        >>> Layout.parse("*.\\n.x")
        Traceback (most recent call last):
        ValueError: unknown character 'x' at line 2, column 2; known are * .
        """
        return cls(read_rows(text_or_rows, "layout", "* .") == ord("*"))

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        rows, columns = self.mines.shape
        return rows, columns

    @property
    def count(self) -> int:
        """The number of mines."""
        return int(np.count_nonzero(self.mines))

    def position(self, opened: NDArray[np.bool_] | None = None, flags: NDArray[np.bool_] | None = None) -> Position:
        """What a player sees who has opened these cells: bool (rows, columns), by default none.

        An opened mine is a hit one. Cells are shown as they are: no flood fill (see :class:`board.Game`).
        Raises ValueError for a mask of another kind or shape.
        """
        mask = np.zeros(self.shape, np.bool_) if opened is None else np.asarray(opened)
        if mask.dtype != np.bool_ or mask.shape != self.mines.shape:
            raise ValueError(f"opened is bool {self.shape}, not {mask.dtype} {mask.shape}")
        codes = np.where(mask, np.where(self.mines, np.int16(HIT), self.clues), np.int16(COVERED))
        return Position(codes, self.count, flags, self.topology)

    def text(self) -> str:
        """The layout as text that :meth:`parse` reads back."""
        return "\n".join("".join("*" if mine else "." for mine in row) for row in self.mines.tolist())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Layout):
            return NotImplemented
        return self.topology == other.topology and np.array_equal(self.mines, other.mines)

    def __hash__(self) -> int:
        return hash((self.shape, self.mines.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        return Layout, (self.mines, self.topology)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        rows, columns = self.shape
        if self.mines.size > 1000 or self.topology.name != "grid":
            return f"<Layout {rows}x{columns}, mines={self.count}>"
        return f"Layout.parse({self.text().splitlines()!r})"


def cell_of(shape: tuple[int, int], row: object, column: object = None) -> int:
    """The cell at (row, column), or the cell numbered `row` if there is no column.

    Raises ValueError for a place outside the board.
    """
    rows, columns = shape
    if column is None:
        cell = whole(row, "cell: an integer is needed")
        if not 0 <= cell < rows * columns:
            raise ValueError(f"cell {cell} is outside 0..{rows * columns - 1}")
        return cell
    r, c = whole(row, "row: an integer is needed"), whole(column, "column: an integer is needed")
    if not (0 <= r < rows and 0 <= c < columns):
        raise ValueError(f"row {r}, column {c} is outside a board of {rows} rows x {columns} columns")
    return r * columns + c


def _clues(mines: NDArray[np.bool_], topology: Topology) -> NDArray[np.int16]:
    """int16 (rows, columns): differences of a running count of mined neighbours (no neighbours: 0)."""
    running = np.zeros(topology.neighbours.size + 1, np.int32)
    np.cumsum(mines.reshape(-1)[topology.neighbours], out=running[1:])
    clues = np.diff(running[topology.indptr])
    if clues.size and clues.max() > np.iinfo(np.int16).max:
        raise ValueError(f"a cell with {clues.max()} mined neighbours: clues end at {np.iinfo(np.int16).max}")
    return clues.astype(np.int16).reshape(mines.shape)


def _room(topology: Topology, first: object, rule: str) -> tuple[NDArray[np.intp], str]:
    """(the cells that may be mined, ascending; the words for the rule in a message)."""
    if rule not in get_args(Rule):
        raise ValueError(f"unknown first-click rule {rule!r}; known are {', '.join(get_args(Rule))}")
    if first is None and rule != "any":
        raise ValueError(f"the rule {rule!r} needs the first cell")
    free = np.ones(topology.n, np.bool_)
    told = ""
    if first is not None:
        pair = first if isinstance(first, tuple | list) else (first,)
        if len(pair) > 2:
            raise ValueError(f"the first cell is a number or (row, column), not {first!r}")
        cell = cell_of(topology.shape, *pair)
        if rule != "any":
            told = f" under the rule {rule!r} with cell {cell} first"
            free[cell] = False
        if rule == "opening":
            free[topology.of(cell)] = False
    return np.flatnonzero(free), told
