"""What the readers of file formats share: limits of size, text, JSON, and cells as symbols or numbers."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from board.layout import Layout
from board.position import COVERED, HIT, UNNUMBERED, Position, read_rows

Board: TypeAlias = Position | Layout
Value = TypeVar("Value", int, str)

MOST_CELLS = 1 << 20  #: of a board that is read, 1024 x 1024: its neighbours take about 250 MB on the way
MOST_BYTES = 16 * MOST_CELLS  #: of a file that is read: nested lists take 30 times as much in memory
MOST_MINES = 10**9 - 1  #: a mine count that is read or written ends here

FLAGGED = -4  #: beside the codes of a position: a covered cell with a flag

_NAMES = {HIT: "a hit mine", UNNUMBERED: "an opened cell without a number"}


def shown(value: object) -> str:
    """`value` for a message, in at most 40 characters."""
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    text = repr(value[:41] if isinstance(value, str | bytes) else value)
    return text if len(text) <= 40 else text[:39] + "…"


def bounded(rows: int, columns: int) -> tuple[int, int]:
    """(rows, columns), if a board of that size may be read; ValueError otherwise, before anything is allocated."""
    if rows < 1 or columns < 1:
        raise ValueError(f"a board has at least one cell, not {rows} rows x {columns} columns")
    if rows * columns > MOST_CELLS:
        raise ValueError(f"{rows} rows x {columns} columns: a board is read with at most {MOST_CELLS:,} cells")
    return rows, columns


def is_text(content: bytes) -> bool:
    """Whether these are bytes of a text: UTF-8 without control characters."""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return not content.translate(None, bytes(set(range(0x20, 0x100)) | set(b"\t\n\r")))


def text_of(content: bytes) -> str:
    """The text, without a byte order mark. ValueError, saying where, for bytes that are no UTF-8."""
    try:
        return content.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as wrong:
        line = content.count(b"\n", 0, wrong.start) + 1
        raise ValueError(
            f"not text: byte 0x{content[wrong.start]:02x} at offset {wrong.start}, on line {line}, is not UTF-8"
        ) from None


def rows_of(text: str) -> str:
    """The text of a board, a character a cell. ValueError for more cells than are read."""
    cells = sum(map(len, text.split()))
    if cells > MOST_CELLS:
        raise ValueError(f"{cells:,} cells: a board is read with at most {MOST_CELLS:,} cells")
    return text


def json_of(content: bytes) -> Any:
    """The value of a JSON text. ValueError, with line and column, for anything else."""
    try:
        return json.loads(text_of(content))
    except json.JSONDecodeError as wrong:
        raise ValueError(f"not JSON: {wrong.msg} at line {wrong.lineno}, column {wrong.colno}") from None
    except RecursionError:
        raise ValueError("not a board: JSON that is nested too deep") from None
    except ValueError as wrong:
        if isinstance(wrong, UnicodeError) or "digits" not in str(wrong):
            raise
        raise ValueError("not a board: JSON with a number of thousands of digits") from None


def symbols_of(text: str, what: str, symbols: Mapping[int, str]) -> NDArray[np.int16]:
    """The codes, int16 (rows, columns), of a text with a symbol a cell; FLAGGED among them.

    Raises ValueError, quoting what is wrong, with line and column from 1.
    """
    letters = [symbol for code, symbol in symbols.items() if not 0 <= code <= 8 or symbol != str(code)]
    table = np.zeros(256, np.int16)
    for code, symbol in symbols.items():
        table[ord(symbol)] = code
    for digit in range(9):  # a symbol for 0 does not forbid the digit
        table[ord(str(digit))] = digit
    return table[read_rows(rows_of(text), what, " ".join(["0-8", *letters]))]


def position_of(codes: NDArray[np.int16], mines: int | None = None) -> Position:
    """The position of codes with FLAGGED among them."""
    flags = codes == FLAGGED
    return Position(np.where(flags, np.int16(COVERED), codes), mines, flags)


def on_grid(board: Board, name: str) -> None:
    """ValueError if the board has another topology than the grid, which the format `name` cannot hold."""
    if board.topology.name != "grid":
        raise ValueError(f"{name} holds boards on the grid, not on {board.topology.name!r}")


def values_of(position: Position, name: str, values: Mapping[int, Value]) -> list[list[Value]]:
    """The value that each cell has in the format `name`, row by row; a flag is left out where it has none.

    Raises ValueError, saying where, for a cell that the format cannot hold.
    """
    on_grid(position, name)
    codes = np.where(position.flags & (FLAGGED in values), np.int16(FLAGGED), position.codes)
    for code in np.unique(codes).tolist():
        if code not in values:
            row, column = np.argwhere(codes == code)[0].tolist()
            what = _NAMES.get(code, f"the clue {code}")
            raise ValueError(f"{name} has nothing for {what}, at row {row}, column {column}")
    return [[values[code] for code in row] for row in codes.tolist()]


def needed_mines(position: Position, name: str) -> int:
    """The mine count; ValueError if it is not known, which the format `name` needs."""
    if position.mines is None:
        raise ValueError(f"{name} needs the number of all mines on the board, which this position does not say")
    if position.mines > MOST_MINES:
        raise ValueError(f"{name} holds a mine count up to {MOST_MINES}, not {shown(position.mines)}")
    return position.mines


def whole_of(value: object, name: str, most: int) -> int:
    """`value` as an integer of 0..most; ValueError naming it for anything else."""
    if type(value) is not int or not 0 <= value <= most:
        raise ValueError(f"{name}: an integer of 0..{most} is needed, not {shown(value)}")
    return value


def table_of(value: object, known: Collection[int], types: tuple[type, ...]) -> Sequence[Sequence[int]]:
    """`value` as a table of at least one cell, checked: lists of equal length, with known numbers of these types.

    Raises ValueError, quoting what is wrong, with row and column from 0.
    """
    if not isinstance(value, list) or not value or not all(isinstance(row, list) for row in value):
        raise ValueError("a table is a list of at least one row, each a list of numbers")
    bounded(len(value), max(map(len, value)))
    for r, row in enumerate(value):
        if len(row) != len(value[0]):
            raise ValueError(f"row {r} has {len(row)} cells, row 0 has {len(value[0])}")
        for c, cell in enumerate(row):
            if type(cell) not in types or cell not in known:
                listed = " ".join(map(str, sorted(known)))
                raise ValueError(f"{shown(cell)} at row {r}, column {c} means nothing; known are {listed}")
    return value
