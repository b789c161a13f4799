"""Minesweeper, and a player who reasons about it: the classes of the CS50 course, under its names.

Question: which cells follow from sentences `{cells} = count`, each told with a cell that was opened?
Method: a sentence with as many mines as cells, or with none, settles its cells; known cells are taken out of all
sentences; of a sentence within another one the difference is a sentence too. All sentences are kept until their cells
are known, so that the conclusions are those of the strategy `subset` about the same cells, in whatever order
they were opened. The mine count is not used.
Cost: each call compares each sentence with those that share one of its cells. A derived sentence lies within the
neighbourhood of one opened cell, which has at most 255 subsets.
Source: B. Yu, D. J. Malan, *CS50's Introduction to Artificial Intelligence with Python*, project Minesweeper
(Harvard University, 2020).

A cell is a pair (row, column), both from 0. Random choices come from the module `random`. This file needs nothing
but the standard library: under the name `minesweeper.py` it takes the place of the course's own.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator

Cell = tuple[int, int]


def _neighbours(cell: Cell, height: int, width: int) -> Iterator[Cell]:
    """The cells that touch `cell`, by rows."""
    row, column = cell
    for i in range(max(0, row - 1), min(height, row + 2)):
        for j in range(max(0, column - 1), min(width, column + 2)):
            if (i, j) != cell:
                yield i, j


class Minesweeper:
    """The game: where the mines are, and which of them have been found.

    height, width: of the board, in cells. mines: how many of these, drawn at random.
    Raises ValueError for a board without cells and for mines that do not fit.
    """

    def __init__(self, height: int = 8, width: int = 8, mines: int = 8) -> None:
        if height < 1 or width < 1:
            raise ValueError(f"a board needs a row and a column at least, not {height} x {width}")
        if not 0 <= mines <= height * width:
            raise ValueError(f"{mines} mines do not fit on a board of {height} x {width} cells")
        self.height = height
        self.width = width
        self.mines: set[Cell] = set()
        self.board = [[False] * width for _ in range(height)]
        while len(self.mines) < mines:
            i = random.randrange(height)
            j = random.randrange(width)
            self.mines.add((i, j))
            self.board[i][j] = True
        self.mines_found: set[Cell] = set()

    def print(self) -> None:
        """Print the board, an X for each mine."""
        rule = "--" * self.width + "-"
        for row in self.board:
            print(rule)
            print("".join("|X" if mine else "| " for mine in row) + "|")
        print(rule)

    def is_mine(self, cell: Cell) -> bool:
        """Whether there is a mine."""
        i, j = cell
        return self.board[i][j]

    def nearby_mines(self, cell: Cell) -> int:
        """How many mines touch the cell; one on the cell itself does not count."""
        return sum(self.is_mine(other) for other in _neighbours(cell, self.height, self.width))

    def won(self) -> bool:
        """Whether exactly the mines have been found."""
        return self.mines_found == self.mines


class Sentence:
    """Exactly `count` of the `cells` are mines.

    >>> sentence = Sentence([(0, 0), (0, 1), (0, 2)], 2)
    >>> sentence.mark_safe((0, 2))
    >>> sorted(sentence.known_mines())
    [(0, 0), (0, 1)]
    """

    def __init__(self, cells: Iterable[Cell], count: int) -> None:
        self.cells = set(cells)
        self.count = count

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sentence):
            return NotImplemented
        return self.cells == other.cells and self.count == other.count

    def __str__(self) -> str:
        return f"{self.cells} = {self.count}"

    def __repr__(self) -> str:
        return f"Sentence({self.cells}, {self.count})"

    def known_mines(self) -> set[Cell]:
        """All cells if all are mines, else none: a new set."""
        return set(self.cells) if self.count == len(self.cells) else set()

    def known_safes(self) -> set[Cell]:
        """All cells if none is a mine, else none: a new set."""
        return set(self.cells) if self.count == 0 else set()

    def mark_mine(self, cell: Cell) -> None:
        """Take the cell out of the sentence, if it is there, knowing that it is a mine."""
        if cell in self.cells:
            self.cells.remove(cell)
            self.count -= 1

    def mark_safe(self, cell: Cell) -> None:
        """Take the cell out of the sentence, if it is there, knowing that it is safe."""
        self.cells.discard(cell)


class MinesweeperAI:
    """A player who learns what opened cells show, and knows what follows from that by the subset rule.

    `moves_made`, `mines` and `safes` are what is known of cells, `knowledge` the sentences about the others. All four
    may be changed from outside between calls: each call looks at them anew.

    >>> ai = MinesweeperAI(height=1, width=3)
    >>> ai.add_knowledge((0, 0), 1)
    >>> ai.mines, ai.make_safe_move()
    ({(0, 1)}, None)
    """

    def __init__(self, height: int = 8, width: int = 8) -> None:
        self.height = height
        self.width = width
        self.moves_made: set[Cell] = set()
        self.mines: set[Cell] = set()
        self.safes: set[Cell] = set()
        self.knowledge: list[Sentence] = []

    def mark_mine(self, cell: Cell) -> None:
        """Note that the cell is a mine, in all sentences too."""
        self.mines.add(cell)
        for sentence in self.knowledge:
            sentence.mark_mine(cell)

    def mark_safe(self, cell: Cell) -> None:
        """Note that the cell is safe, in all sentences too."""
        self.safes.add(cell)
        for sentence in self.knowledge:
            sentence.mark_safe(cell)

    def add_knowledge(self, cell: Cell, count: int) -> None:
        """Learn that the cell was opened, is safe and touches `count` mines, and conclude all that follows.

        A sentence that cannot be true, because a caller was wrong about a cell or a count, is left out.
        """
        self.moves_made.add(cell)
        self.mark_safe(cell)
        self.knowledge.append(Sentence(_neighbours(cell, self.height, self.width), count))
        self._take_out_known_cells()
        self._settle()
        while derived := self._differences():
            self.knowledge += derived
            self._settle()

    def make_safe_move(self) -> Cell | None:
        """A cell that is known to be safe and has not been opened, the first by rows; None if there is none."""
        return min(self.safes - self.moves_made, default=None)

    def make_random_move(self) -> Cell | None:
        """A random cell that has not been opened and is not known to be a mine; None if there is none."""
        cells = ((i, j) for i in range(self.height) for j in range(self.width))
        moves = [cell for cell in cells if cell not in self.moves_made and cell not in self.mines]
        return random.choice(moves) if moves else None

    def _take_out_known_cells(self) -> None:
        """Reduce the sentences by the known cells: those in the new one, and those a caller has noted."""
        for sentence in self.knowledge:
            for mine in sentence.cells & self.mines:
                sentence.mark_mine(mine)
            sentence.cells -= self.safes

    def _settle(self) -> None:
        """Mark the cells of sentences that settle all of theirs, until none does; keep one of the others a set."""
        changed = True
        while changed:
            changed = False
            for sentence in self.knowledge:
                for mine in sentence.known_mines():
                    self.mark_mine(mine)
                    changed = True
                for safe in sentence.known_safes():
                    self.mark_safe(safe)
                    changed = True
        kept: dict[frozenset[Cell], Sentence] = {}
        for sentence in self.knowledge:
            if 0 < sentence.count < len(sentence.cells):
                kept.setdefault(frozenset(sentence.cells), sentence)
        self.knowledge[:] = kept.values()

    def _differences(self) -> list[Sentence]:
        """The differences of sentences one within the other, as far as they are about new sets of cells."""
        counts = {frozenset(sentence.cells): sentence.count for sentence in self.knowledge}
        holding = defaultdict(list)  # cell -> the sets that it is in
        for cells in counts:
            for cell in cells:
                holding[cell].append(cells)
        derived = {}
        for part, count in counts.items():
            for whole in holding[next(iter(part))]:  # what holds all cells of `part` holds this one
                if part < whole:
                    rest, mines = whole - part, counts[whole] - count
                    if rest not in counts and 0 <= mines <= len(rest):
                        derived[rest] = Sentence(rest, mines)
        return list(derived.values())
