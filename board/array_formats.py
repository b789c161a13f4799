"""Tables of numbers, a number a cell: nested lists as JSON, and numpy's `.npy`.

A coding says what the numbers mean. Those of ms_toollib (Wang Jianing, https://github.com/eee555/ms_toollib) are what
its functions take; `playerfield` and `minefield` are the arrays of :class:`board.env.Environment`.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from board.decoding import (
    FLAGGED,
    Board,
    bounded,
    json_of,
    on_grid,
    position_of,
    shown,
    table_of,
    values_of,
)
from board.layout import Layout
from board.position import COVERED, HIT, UNNUMBERED, Position

MAGIC = b"\x93NUMPY"  #: begins every `.npy` file
_NUMBERS = {clue: clue for clue in range(9)}
_TYPE = re.compile(rb"'descr' *: *'([^']{1,20})'")
_ORDER = re.compile(rb"'fortran_order' *: *(True|False)")
_SHAPE = re.compile(rb"'shape' *: *\( *([0-9]{1,15}) *, *([0-9]{1,15}) *,? *\)")


@dataclass(frozen=True, slots=True)
class PositionCoding:
    """What the numbers of a table say about a position.

    values: the number of each code of a position, FLAGGED among them if flags have one.
    also: numbers that are read as a code, but not written.
    """

    name: str
    values: Mapping[int, int]
    also: Mapping[int, int]

    def decode(self, value: object) -> Position:
        """The position of nested lists. ValueError, with row and column, for numbers that mean nothing."""
        codes = {**{number: code for code, number in self.values.items()}, **self.also}
        table = table_of(value, codes, (int,))
        return position_of(np.array([[codes[number] for number in row] for row in table], np.int16))

    def encode(self, board: Position) -> list[list[int]]:
        """The nested lists. ValueError for a cell that they have no number for."""
        return values_of(board, self.name, self.values)


@dataclass(frozen=True, slots=True)
class LayoutCoding:
    """What the numbers of a table say about a layout: -1 a mine, else the mines beside it; or `mask`: 1 a mine."""

    name: str
    mask: bool

    def decode(self, value: object) -> Layout:
        """The layout of nested lists. Counts may all be left at 0; ValueError, with row and column, for wrong ones."""
        if self.mask:
            return Layout(np.array(table_of(value, (0, 1), (int, bool)), np.bool_))
        table = np.array(table_of(value, range(-1, 9), (int,)), np.int16)
        layout = Layout(table == -1)
        wrong = ~layout.mines & (table != layout.clues)
        if wrong.any() and (table > 0).any():
            row, column = np.argwhere(wrong)[0].tolist()
            beside = layout.clues[row, column]
            raise ValueError(
                f"{table[row, column]} at row {row}, column {column}, and {beside} of the cells beside it are -1"
            )
        return layout

    def encode(self, board: Layout) -> list[list[int]]:
        """The nested lists."""
        on_grid(board, self.name)
        if self.mask:
            table: list[list[int]] = board.mines.astype(np.int16).tolist()
        else:
            table = np.where(board.mines, np.int16(-1), board.clues).tolist()
        return table


Coding = PositionCoding | LayoutCoding

CODINGS: Mapping[str, Coding] = {
    coding.name: coding
    for coding in (
        PositionCoding("codes", _NUMBERS | {HIT: HIT, COVERED: COVERED, UNNUMBERED: UNNUMBERED}, {}),
        PositionCoding("mstoollib", _NUMBERS | {COVERED: 10, FLAGGED: 11}, {12: COVERED}),
        PositionCoding("playerfield", _NUMBERS | {HIT: -1, COVERED: 9}, {}),
        LayoutCoding("minefield", mask=False),
        LayoutCoding("mask", mask=True),
    )
}


def read_lists(coding: Coding, content: bytes) -> Board:
    """The board of nested lists as JSON."""
    return coding.decode(json_of(content))


def write_lists(table: Sequence[Sequence[int]]) -> bytes:
    """Nested lists as JSON, a row a line."""
    return ("[" + ",\n ".join(json.dumps(row) for row in table) + "]\n").encode()


def read_npy(coding: Coding, content: bytes) -> Board:
    """The board of a `.npy` file with integers, or with bools for `mask`; format versions 1 to 3.

    The header is matched, not evaluated, and its size checked before anything is allocated. ValueError, with the
    offset of the byte, for anything else: pickled objects and floats among them.
    """
    if not content.startswith(MAGIC) or len(content) < 10 or content[6] not in (1, 2, 3):
        raise ValueError(f"byte 0: a .npy file begins with \\x93NUMPY and a version of 1, 2 or 3, not {content[:8]!r}")
    start = 10 if content[6] == 1 else 12
    end = start + int.from_bytes(content[8:start], "little")
    if end > len(content):
        raise ValueError(f"byte 8: a header that ends at byte {end}, and the file has {len(content)}")
    header = content[start:end]
    kind, order, shape = (pattern.search(header) for pattern in (_TYPE, _ORDER, _SHAPE))
    if kind is None or not re.fullmatch(rb"[<>|=]?([iu][1248]|b1)", kind[1]):
        named = "an unreadable or structured type" if kind is None else f"type {shown(kind[1].decode('latin-1'))}"
        raise ValueError(f"byte {start}: {named}: only integers and bools are read, never pickled objects or floats")
    if order is None or shape is None:
        raise ValueError(f"byte {start}: no table of rows and columns: {shown(header)}")
    rows, columns = bounded(int(shape[1]), int(shape[2]))
    dtype = np.dtype(kind[1].decode("ascii"))
    if len(content) - end != rows * columns * dtype.itemsize:
        raise ValueError(
            f"byte {end}: {rows} x {columns} numbers of {dtype.itemsize} bytes are needed, "
            f"and {len(content) - end} bytes follow"
        )
    table = np.frombuffer(content, dtype, offset=end)
    return coding.decode(table.reshape((rows, columns), order="F" if order[1] == b"True" else "C").tolist())


def write_npy(coding: Coding, table: Sequence[Sequence[int]]) -> bytes:
    """A `.npy` file, int16 (rows, columns), or bool for `mask`."""
    stream = io.BytesIO()
    kind = np.bool_ if isinstance(coding, LayoutCoding) and coding.mask else np.int16
    np.save(stream, np.array(table, kind), allow_pickle=False)
    return stream.getvalue()
