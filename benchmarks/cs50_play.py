"""A game of the CS50 course under way: who opens what, what is flagged, and how it ends."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from board import COVERED, HIT, Position
from solvers.cs50 import Cell, Minesweeper, MinesweeperAI


class Play:
    """A game under way: the board, the course's player who sees what is opened, and what happened last.

    `opened` are the cells that show a number, `hit` the mine that ended the game, `moves` counts both; `last` is the
    newest of them, and `why` says why the AI opened it, if the AI did. The flags are the game's `mines_found`: it is
    won when these are the mines. That is so too when all other cells are opened, because then the rest is flagged.
    Changes through its methods, of which only `reset` does anything after the end.
    Raises ValueError for a board that cannot be.
    """

    def __init__(self, height: int, width: int, mines: int) -> None:
        self._size = height, width, mines
        self.reset()

    def reset(self) -> None:
        """Begin a new game on a new board of the same size."""
        height, width, mines = self._size
        self.game = Minesweeper(height, width, mines)
        self.ai = MinesweeperAI(height, width)
        self.opened: dict[Cell, int] = {}
        self.hit: Cell | None = None
        self.last: Cell | None = None
        self.moves = self.random_moves = 0
        self.why: Literal["", "known safe", "random"] = ""

    @property
    def won(self) -> bool:
        """Whether the mines are flagged, and nothing else."""
        return self.hit is None and self.game.won()

    @property
    def over(self) -> bool:
        """Whether the game is won or lost."""
        return self.hit is not None or self.won

    def flag(self, cell: Cell) -> None:
        """Flag a covered cell, or take its flag away."""
        if not self.over and cell not in self.opened:
            self.game.mines_found ^= {cell}
            self.why = ""

    def open(self, cell: Cell) -> None:
        """Open a covered cell without a flag; the player learns what it shows."""
        if self.over or cell in self.opened or cell in self.game.mines_found:
            return
        self.why = ""
        self._open(cell)

    def ai_move(self) -> None:
        """Let the player open a cell, known to be safe or at random, and flag the mines that it knows."""
        if self.over:
            return
        move = self.ai.make_safe_move()
        self.why = "known safe"
        if move is None:
            move = self.ai.make_random_move()
            self.why = "random"
            self.random_moves += 1
        assert move is not None, "there is a covered safe cell until the end, and what the AI takes for mines are some"
        self.game.mines_found.discard(move)
        self._open(move)
        if self.hit is None:
            self.game.mines_found |= self.ai.mines

    def _open(self, cell: Cell) -> None:
        self.last = cell
        self.moves += 1
        if self.game.is_mine(cell):
            self.hit = cell
            return
        self.opened[cell] = self.game.nearby_mines(cell)
        self.ai.add_knowledge(cell, self.opened[cell])
        if len(self.opened) + len(self.game.mines) == self.game.height * self.game.width:
            self.game.mines_found = set(self.game.mines)

    def position(self) -> Position:
        """What is seen."""
        codes = np.full((self.game.height, self.game.width), COVERED, np.int16)
        flags = np.zeros(codes.shape, np.bool_)
        for cell, clue in self.opened.items():
            codes[cell] = clue
        for cell in self.game.mines_found:
            flags[cell] = True
        if self.hit is not None:
            codes[self.hit] = HIT
        return Position(codes, len(self.game.mines), flags)

    def missed(self) -> NDArray[np.bool_]:
        """The mines that are neither flagged nor opened: bool (height, width)."""
        mask = np.zeros((self.game.height, self.game.width), np.bool_)
        for cell in self.game.mines - self.game.mines_found - {self.hit}:
            mask[cell] = True
        return mask
