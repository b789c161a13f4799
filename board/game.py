"""A game being played: a layout, the cells opened so far, the player's flags, and how it stands."""

from __future__ import annotations

from enum import Enum

import numpy as np
from numpy.typing import NDArray

from board.layout import Layout, cell_of
from board.position import Position


class Outcome(Enum):
    """How a game stands."""

    PLAYING = "playing"
    WON = "won"  #: no safe cell is covered
    LOST = "lost"  #: a mine was opened

    def __str__(self) -> str:
        return self.value


class Game:
    """A layout in play. Mutable: `open` and `flag` are moves, `position()` is what the player sees.

    Opening a cell whose clue is 0 opens its neighbours, and so on. A flag locks its cell: a click on it does
    nothing and the flood fill leaves it covered, until the flag is taken off. Flags mean nothing else: they
    may be wrong, and are not needed to win.

    A game is won as soon as no safe cell is covered. So a board of mines only is won before the first move,
    and a board without mines is won by opening all of it.

    >>> game = Game(Layout.parse(["*..", "...", "..."]))
    >>> game.open(2, 2).tolist()
    [1, 2, 3, 4, 5, 6, 7, 8]
    >>> game.outcome
    <Outcome.WON: 'won'>
    """

    __slots__ = ("_flags", "_layout", "_lost", "_opened", "_safe_left")

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._opened = np.zeros(layout.mines.size, np.bool_)
        self._flags = np.zeros(layout.mines.size, np.bool_)
        self._safe_left = layout.mines.size - layout.count
        self._lost = False

    @property
    def layout(self) -> Layout:
        """Where the mines are."""
        return self._layout

    @property
    def outcome(self) -> Outcome:
        """PLAYING, WON or LOST."""
        if self._lost:
            return Outcome.LOST
        return Outcome.PLAYING if self._safe_left else Outcome.WON

    @property
    def opened(self) -> NDArray[np.bool_]:
        """A copy of the mask of opened cells, a hit mine included: bool (rows, columns)."""
        return self._opened.reshape(self._layout.shape).copy()

    @property
    def flags(self) -> NDArray[np.bool_]:
        """A copy of the mask of flagged cells: bool (rows, columns)."""
        return self._flags.reshape(self._layout.shape).copy()

    def open(self, row: int, column: int | None = None) -> NDArray[np.int32]:
        """Open the cell at (row, column), or the cell numbered `row`: the cells that this opened, ascending.

        An opened or flagged cell stays as it is: no cells. Raises ValueError outside the board and after
        the end of the game.
        """
        cell = self._move(row, column)
        if self._opened[cell] or self._flags[cell]:
            return np.empty(0, np.int32)
        layout = self._layout
        if layout.mines.flat[cell]:
            self._opened[cell] = True
            self._lost = True
            return np.array([cell], np.int32)
        from board.flood import flood  # numba is imported at first use

        found: NDArray[np.int32] = flood(
            layout.clues.reshape(-1),
            self._opened,
            self._flags,
            layout.topology.indptr,
            layout.topology.neighbours,
            cell,
            self._safe_left,
        )
        self._safe_left -= found.size
        found.sort()
        return found

    def flag(self, row: int, column: int | None = None) -> bool:
        """Put a flag on a covered cell or take it off: whether it is flagged now. An opened cell takes none.

        Raises ValueError outside the board and after the end of the game.
        """
        cell = self._move(row, column)
        if not self._opened[cell]:
            self._flags[cell] ^= True
        return bool(self._flags[cell])

    def position(self) -> Position:
        """What the player sees: clues, a hit mine, covered cells, flags, and the number of mines."""
        shape = self._layout.shape
        return self._layout.position(self._opened.reshape(shape), self._flags.reshape(shape))

    def _move(self, row: int, column: int | None) -> int:
        cell = cell_of(self._layout.shape, row, column)
        if self.outcome is not Outcome.PLAYING:
            raise ValueError(f"the game is {self.outcome}: no move is left, not even cell {cell}")
        return cell

    def __repr__(self) -> str:
        rows, columns = self._layout.shape
        return f"<Game {rows}x{columns}, {self.outcome}, safe cells left: {self._safe_left}>"
