"""Drawing a position, with cells marked as safe or as mines. Pure functions; what to mark is handed in."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from board.position import COVERED, HIT, UNNUMBERED, Position
from board.words import per_cent

Mask = NDArray[np.bool_]

_MEANINGS = {
    "S": "safe",
    "M": "mine",
    "%": "risk",
    "#": "covered",
    "F": "flagged",
    "*": "hit mine",
    "_": "no number",
    "+": "over 8",
}


def symbols(position: Position, safe: Mask | None = None, mines: Mask | None = None) -> NDArray[np.str_]:
    """One character a cell, (rows, columns): those of :meth:`Position.text`, and `S`, `M` for marked cells.

    safe, mines: bool[n], the cells to mark. A clue over 8, which only other topologies have, is a `+`.

    >>> symbols(Position.parse("1#"), mines=np.array([False, True])).tolist()
    [['1', 'M']]
    """
    drawn = np.full(position.shape, "+")
    for digit in range(9):
        drawn[position.codes == digit] = str(digit)
    for code, symbol in ((COVERED, "#"), (HIT, "*"), (UNNUMBERED, "_")):
        drawn[position.codes == code] = symbol
    drawn[position.flags] = "F"
    for mask, symbol in ((safe, "S"), (mines, "M")):
        if mask is not None:
            drawn[mask.reshape(position.shape)] = symbol
    return drawn


def board_text(
    position: Position,
    safe: Mask | None = None,
    mines: Mask | None = None,
    probability: NDArray[np.float64] | None = None,
    used: Mask | None = None,
) -> str:
    """The position as lines of :func:`symbols` with spaces between, rows and columns numbered from 0.

    Of a column's number only as many last digits stand there as a cell has room for. On a hexagonal board odd rows
    stand half a cell to the right.

    probability: float64[n]; cells that are not marked show theirs in per cent, where it is no nan.
    used: bool[n]; cells to put in brackets, the clues of an explanation.

    >>> print(board_text(Position.parse("1##"), np.array([False, True, False])))
       0 1 2
    0  1 S #
    >>> print(board_text(Position.parse("#1#"), probability=np.array([0.5, np.nan, 0.5])))
         0   1   2
    0  50%   1 50%
    >>> print(board_text(Position.parse("#1#"), used=np.array([False, True, False])))
        0  1  2
    0   # [1] #
    """
    rows, columns = position.shape
    drawn = symbols(position, safe, mines).tolist()
    if probability is not None:
        shares = probability.reshape(position.shape)
        for row, column in np.argwhere(~np.isnan(shares)).tolist():
            if drawn[row][column] not in "SM":
                drawn[row][column] = per_cent(float(shares[row, column])) + "%"
    label = len(str(rows - 1))
    cell = max(len(text) for line in drawn for text in line)
    indent = ""
    if position.topology.name == "hexagonal":
        gap = 1 if used is None else 2
        cell += (cell + gap) % 2  # half of it and of the gap is a whole number of characters
        indent = " " * ((cell + gap) // 2)
    names = [" " * label, *(f"{row:>{label}}{indent * (row % 2)}" for row in range(rows))]
    head = [str(column)[-cell:] for column in range(columns)]
    if used is None:
        lines = zip(names, [head, *drawn], strict=True)
        return "\n".join(f"{name}  {' '.join(f'{text:>{cell}}' for text in line)}" for name, line in lines)
    # brackets take the place of blanks between the cells, and there is room for one more digit above them
    head = [f"{str(column)[-cell - 1 :]:>{cell + 1}} " for column in range(columns)]
    edges = np.where(used.reshape(position.shape), "[]", "  ").tolist()
    body = [
        [f"{edge[0]}{text:>{cell}}{edge[1]}" for edge, text in zip(*row, strict=True)]
        for row in zip(edges, drawn, strict=True)
    ]
    lines = zip(names, [head, *body], strict=True)
    return "\n".join(f"{name}  {''.join(line)}".rstrip() for name, line in lines)


def legend(drawn: str) -> str:
    """What the symbols in a drawing mean; empty if there are only clues.

    >>> legend(board_text(Position.parse("1#F")))
    '# covered, F flagged'
    """
    brackets = ["[ ] clue used"] if "[" in drawn else []
    return ", ".join([f"{symbol} {meaning}" for symbol, meaning in _MEANINGS.items() if symbol in drawn] + brackets)
