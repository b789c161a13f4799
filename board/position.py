"""What the player sees: opened clues, covered cells, flags, and the number of mines if it is known."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from board.problem import Problem, mine_count
from board.topology import Topology, fitting

HIT = -1  #: a mine that was opened
COVERED = -2  #: not opened; a flag does not change that
UNNUMBERED = -3  #: opened, but its number is not known

_SYMBOLS = {COVERED: "#", HIT: "*", UNNUMBERED: "_"}
_CODES = np.full(256, np.iinfo(np.int16).min, np.int16)
for _digit in range(9):
    _CODES[ord("0") + _digit] = _digit
for _code, _symbol in _SYMBOLS.items():
    _CODES[ord(_symbol)] = _code
_CODES[ord("F")] = COVERED


@dataclass(frozen=True, slots=True, init=False, eq=False)
class Position:
    """A board as the player sees it. Immutable; equality and hash by content.

    Parameters
    ----------
    codes: int16 (rows, columns); >= 0 an opened clue, HIT (-1), COVERED (-2), UNNUMBERED (-3).
    mines: all mines on the board, hit ones included, or None if unknown.
    flags: bool (rows, columns); the player's marks on covered cells. Inference never trusts them.
    topology: which cells are neighbours; the grid of that shape by default.

    Raises ValueError, quoting what is wrong.

    >>> position = Position.parse(["#2#", "###"], mines=2)
    >>> position.shape
    (2, 3)
    >>> [str(c) for c in position.problem().constraints]
    ['{0, 2, 3, 4, 5} = 2']
    """

    codes: NDArray[np.int16]
    mines: int | None
    flags: NDArray[np.bool_]
    topology: Topology

    def __init__(
        self,
        codes: NDArray[np.integer[Any]] | Sequence[Sequence[int]],
        mines: int | None = None,
        flags: NDArray[np.bool_] | None = None,
        topology: Topology | None = None,
    ) -> None:
        made = _codes(codes)
        marks = np.zeros(made.shape, np.bool_) if flags is None else np.array(flags)
        if marks.dtype != np.bool_ or marks.shape != made.shape:
            raise ValueError(f"flags are bool {made.shape}, not {marks.dtype} {marks.shape}")
        wrong = marks & (made != COVERED)
        if wrong.any():
            row, column = np.argwhere(wrong)[0].tolist()
            raise ValueError(f"a flag on an opened cell at row {row}, column {column}")
        rows, columns = made.shape
        topology = fitting(topology, (rows, columns), "codes")
        made.flags.writeable = False
        marks.flags.writeable = False
        put = object.__setattr__
        put(self, "codes", made)
        put(self, "mines", mine_count(mines))
        put(self, "flags", marks)
        put(self, "topology", topology)

    @classmethod
    def parse(cls, text_or_rows: str | Sequence[str], mines: int | None = None) -> Position:
        """The position of a text or of its rows: digits 0-8, `#` covered, `F` flagged, `*` hit, `_` unnumbered.

        Blanks and tabs around a line do not count, nor do empty lines around the text. Messages say line and column
        from 1 for a text, row and column from 0 for rows.

        Raises ValueError, quoting what is wrong and where.

        >>> print(Position.parse('''
        ...     1F
        ...     ##
        ... ''').text())
        1F
        ##
        >>> Position.parse("11\\n1x")
        Traceback (most recent call last):
        ValueError: unknown character 'x' at line 2, column 2; known are 0-8 # F * _
        """
        symbols = read_rows(text_or_rows, "position", "0-8 # F * _")
        return cls(_CODES[symbols], mines, symbols == ord("F"))

    @classmethod
    def read(cls, source: str | PathLike[str] | bytes, format: str | None = None, mines: int | None = None) -> Position:
        """The position in a file, or in content given as bytes; `board.formats.FORMATS` lists the formats.

        mines: all mines on the board, for formats that do not say. Without `format` it is detected.
        Raises ValueError, saying what is wrong and where, or what formats it could be, and OSError.

        >>> Position.read(b"[[1, 9]]", mines=1)
        Position.parse(['1#'], mines=1)
        """
        from board.formats import read_file

        board = read_file(source, format, mines)
        if not isinstance(board, Position):
            raise ValueError("a layout, not a position: board.formats.read_file reads it, Layout.position opens cells")
        return board

    def write(self, file: str | PathLike[str], format: str) -> None:
        """Write the position to a new file. ValueError for a format that cannot hold it; FileExistsError."""
        from board.formats import write

        content = write(self, format)
        with open(file, "xb") as stream:
            stream.write(content)

    def text(self) -> str:
        """The position as text that :meth:`parse` reads back. Clues over 8 have no symbol: ValueError."""
        return "\n".join(self.rows())

    def rows(self) -> list[str]:
        """The lines of :meth:`text`."""
        if self.codes.max() > 8:
            raise ValueError(f"the clue {int(self.codes.max())} has no symbol in text, only 0-8 have")
        symbols = np.frombuffer(b"_#*012345678", np.uint8)[self.codes + 3]
        symbols[self.flags] = ord("F")
        return [row.tobytes().decode("ascii") for row in symbols]

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        rows, columns = self.codes.shape
        return rows, columns

    def problem(self) -> Problem:
        """The constraints of the opened clues over the covered cells; a hit mine is taken off both counts."""
        topology = self.topology
        covered, clues, m, hits = _extraction()(self.codes, topology.indptr, topology.neighbours)
        covered.setflags(write=False)
        clues.setflags(write=False)  # and with it its parts
        mines = None if self.mines is None else self.mines - hits
        indptr, totals, cells = clues[: m + 1], clues[m + 1 : 2 * m + 1], clues[2 * m + 1 :]
        return Problem.frozen(covered, indptr, cells, totals, mines, self)

    def clue_cells(self) -> NDArray[np.intp]:
        """intp[m]: the cell of the clue behind each constraint of `problem()`, ascending.

        >>> Position.parse(["0011", "001#"]).clue_cells().tolist()
        [2, 3, 6]
        """
        codes, topology = self.codes.reshape(-1), self.topology
        near = np.stack([codes == COVERED, codes == HIT])[:, topology.neighbours]
        running = np.concatenate([np.zeros((2, 1), np.intp), near.cumsum(axis=1)], axis=1)
        covered, hits = np.diff(running[:, topology.indptr])
        return np.flatnonzero((codes >= 0) & ((covered > 0) | (hits != codes)))

    def _key(self) -> tuple[Any, ...]:
        return (self.codes.shape, self.codes.tobytes(), self.flags.tobytes(), self.mines)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return self._key() == other._key() and self.topology == other.topology

    def __hash__(self) -> int:
        return hash(self._key())

    def __reduce__(self) -> tuple[Any, ...]:
        return Position, (self.codes, self.mines, self.flags, self.topology)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        rows, columns = self.shape
        if self.codes.size > 1000 or self.codes.max() > 8 or self.topology.name != "grid":
            return f"<Position {rows}x{columns}, mines={self.mines}>"
        return f"Position.parse({self.rows()!r}, mines={self.mines})"

    def _repr_svg_(self) -> str | None:
        """What a notebook shows; None, which makes it show the text, for a board of over 40,000 cells."""
        from board.drawing import to_svg

        return None if self.codes.size > 40_000 else to_svg(self, coordinates=True)


@cache
def _extraction() -> Callable[..., Any]:
    from board.extraction import extract  # numba is imported at first use

    return extract


def _codes(codes: object) -> NDArray[np.int16]:
    try:
        given = np.asarray(codes)
    except ValueError:
        raise ValueError("the rows of codes have different lengths") from None
    if given.ndim != 2 or given.size == 0:
        raise ValueError(f"codes are a table of at least one cell, not of shape {given.shape}")
    if given.dtype.kind not in "iu":
        raise ValueError(f"codes are integers, not {given.dtype}")
    wrong = (given < UNNUMBERED) | (given > np.iinfo(np.int16).max)
    if wrong.any():
        row, column = np.argwhere(wrong)[0].tolist()
        raise ValueError(
            f"the code {given[row, column]} at row {row}, column {column} means nothing; "
            "clues are >= 0, a hit mine -1, a covered cell -2, an unnumbered one -3"
        )
    return np.array(given, np.int16, order="C")


def read_rows(text_or_rows: object, what: str, known: str) -> NDArray[np.uint8]:
    """The characters of a text or of its rows as a table, uint8 (rows, columns).

    what: is read, for messages; known: the characters that it may have, apart by blanks, `0-8` for the digits.

    Raises ValueError, quoting what is wrong and where: line and column from 1 for a text, row and column
    from 0 for rows.
    """
    if isinstance(text_or_rows, str):
        lines = re.split("\r\n|\r|\n", text_or_rows.removeprefix("\ufeff"))
        numbered = [(i, raw, raw.strip(" \t")) for i, raw in enumerate(lines, 1)]
        while numbered and not numbered[-1][2]:
            numbered.pop()
        while numbered and not numbered[0][2]:
            numbered.pop(0)
        rows = [text for _, _, text in numbered]
        # where row r, column c of the board stands in the text
        places = [(number, len(raw) - len(raw.lstrip(" \t")) + 1) for number, raw, _ in numbered]
        word = "line"
    else:
        try:
            rows = ["".join(row) for row in text_or_rows]  # type: ignore[attr-defined]
        except TypeError:
            raise ValueError(f"a {what} is a text or rows of text, not {text_or_rows!r}") from None
        places = [(r, 0) for r in range(len(rows))]
        word = "row"
    if not rows or not rows[0]:
        raise ValueError(f"the {what} is empty: at least one row with one cell is needed")
    allowed = known.replace("0-8", "012345678").replace(" ", "")
    for row, (line, first) in zip(rows, places, strict=True):
        if row.strip(allowed):
            column, symbol = next((c, symbol) for c, symbol in enumerate(row, first) if symbol not in allowed)
            raise ValueError(f"unknown character {symbol!r} at {word} {line}, column {column}; known are {known}")
    for row, (line, _) in zip(rows, places, strict=True):
        if len(row) != len(rows[0]):
            raise ValueError(f"{word} {line} has {len(row)} cells, the first has {len(rows[0])}: {_short(row)!r}")
    return np.frombuffer("".join(rows).encode("ascii"), np.uint8).reshape(len(rows), len(rows[0]))


def _short(text: str, limit: int = 40) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
