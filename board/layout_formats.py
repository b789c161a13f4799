"""Layouts in other programs' files: MBF, and the address of a board editor.

MBF is what JSMinesweeper (D. N. Hill) and others write: bytes for width, height, and the number of mines, high byte
first, then a byte for the column and one for the row of each mine. The address `?b=...&m=...` is that of the editors
PTTA and LlamaSweeper: b is 1, 2 or 3 for a level, or width and height in halves of equal length; m has five cells a
digit to base 32, row by row, the first cell the highest bit, the last digit filled up with zeros.
"""

from __future__ import annotations

import re

import numpy as np

from board.decoding import bounded, on_grid, rows_of, shown, text_of
from board.layout import LEVELS, Layout

_DIGITS = "0123456789abcdefghijklmnopqrstuv"
_LEVELS = {str(number): level[:2] for number, level in enumerate(LEVELS.values(), 1)}


def read_layout(content: bytes) -> Layout:
    """The layout of the project's own text."""
    return Layout.parse(rows_of(text_of(content)))


def write_layout(layout: Layout) -> bytes:
    """The project's own text."""
    on_grid(layout, "layout")
    return f"{layout.text()}\n".encode()


def fits_mbf(content: bytes) -> bool:
    """Whether the length is that of an MBF file with the number of mines that it says."""
    return len(content) >= 4 and len(content) == 4 + 2 * int.from_bytes(content[2:4], "big")


def read_mbf(content: bytes) -> Layout:
    """MBF. ValueError with the offset of the byte that is wrong."""
    if len(content) < 4:
        raise ValueError(f"{len(content)} bytes, and width, height and mine count take 4")
    columns, rows, count = content[0], content[1], int.from_bytes(content[2:4], "big")
    if not rows or not columns:
        raise ValueError(f"byte {0 if not columns else 1}: a board of {columns} columns x {rows} rows has no cell")
    if count > rows * columns:
        raise ValueError(f"byte 2: {count} mines on {columns} x {rows} cells")
    if not fits_mbf(content):
        raise ValueError(f"byte 2: {count} mines make a file of {4 + 2 * count} bytes, and it has {len(content)}")
    pairs = np.frombuffer(content, np.uint8, offset=4).reshape(count, 2).astype(np.intp)
    outside = np.argwhere(pairs >= [columns, rows])
    if outside.size:
        mine, part = outside[0].tolist()
        what, limit = (("column", columns), ("row", rows))[part]
        raise ValueError(f"byte {4 + 2 * mine + part}: {what} {pairs[mine, part]} is outside 0..{limit - 1}")
    cells = pairs[:, 1] * columns + pairs[:, 0]
    mines = np.zeros(rows * columns, np.bool_)
    mines[cells] = True
    if np.count_nonzero(mines) < count:
        _, first = np.unique(cells, return_index=True)
        again = int(np.setdiff1d(np.arange(count), first)[0])
        column, row = pairs[again].tolist()
        raise ValueError(f"byte {4 + 2 * again}: the mine at row {row}, column {column} stands twice")
    return Layout(mines.reshape(rows, columns))


def write_mbf(layout: Layout) -> bytes:
    """MBF, mines row by row. ValueError for more than 255 rows or columns."""
    on_grid(layout, "mbf")
    rows, columns = layout.shape
    if rows > 255 or columns > 255:
        raise ValueError(f"mbf has room for 255 rows and columns, not for {rows} x {columns}")
    pairs = np.argwhere(layout.mines)[:, ::-1].astype(np.uint8)
    return bytes([columns, rows]) + layout.count.to_bytes(2, "big") + pairs.tobytes()


def looks_like_ptta(text: str) -> bool:
    """Whether this is one line, with both parameters of the address."""
    query = text.strip()
    return not re.search(r"\s", query) and all(re.search(rf"(^|[?&]){name}=", query) for name in "bm")


def read_ptta(content: bytes) -> Layout:
    """The address, or what follows its `?`; other parameters do not count.

    ValueError with the column of what is wrong.
    """
    text = text_of(content).rstrip()
    size, _ = _parameter(text, "b")
    digits, start = _parameter(text, "m")
    rows, columns = _size(size)
    cells = rows * columns
    length = -(-cells // 5)
    for place, digit in enumerate(digits):
        if digit not in _DIGITS:
            raise ValueError(f"column {start + place}: {digit!r} is no digit to base 32, 0-9 and a-v")
    if len(digits) != length:
        raise ValueError(f"column {start}: {columns} x {rows} cells take {length} digits, and m has {len(digits)}")
    values = np.array([_DIGITS.index(digit) for digit in digits], np.uint8)
    bits = np.unpackbits(values[:, np.newaxis], axis=1)[:, 3:].reshape(-1).astype(np.bool_)
    if bits[cells:].any():
        raise ValueError(f"column {start + length - 1}: {digits[-1]!r} has a mine beyond the last of {cells} cells")
    return Layout(bits[:cells].reshape(rows, columns))


def write_ptta(layout: Layout) -> bytes:
    """`?b=...&m=...`, to be put behind the address of an editor."""
    on_grid(layout, "ptta")
    rows, columns = layout.shape
    width = max(2, len(str(max(rows, columns))))
    bits = np.zeros(-(-layout.mines.size // 5) * 5, np.int64)
    bits[: layout.mines.size] = layout.mines.reshape(-1)
    digits = "".join(_DIGITS[value] for value in (bits.reshape(-1, 5) @ [16, 8, 4, 2, 1]).tolist())
    return f"?b={columns:0{width}}{rows:0{width}}&m={digits}\n".encode()


def _parameter(text: str, name: str) -> tuple[str, int]:
    """(the value of a parameter, its column from 1)."""
    found = list(re.finditer(rf"(?:^\s*|[?&]){name}=([^&#]*)", text))
    if len(found) != 1:
        raise ValueError(f"{'no' if not found else 'more than one'} parameter {name}= in {shown(text)}")
    return found[0][1], found[0].start(1) + 1


def _size(text: str) -> tuple[int, int]:
    """(rows, columns) of the parameter b."""
    if text in _LEVELS:
        return _LEVELS[text]
    if not re.fullmatch("[0-9]{2,20}", text) or len(text) % 2:
        raise ValueError(f"b is 1, 2, 3, or width and height in halves of equal length, not {shown(text)}")
    half = len(text) // 2
    return bounded(int(text[half:]), int(text[:half]))
