"""A drawing in words, for those who do not see it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from board.position import COVERED, HIT, Position

Mask = NDArray[np.bool_]

_DONE = {
    "": "found",
    "first": "found by the first only",
    "second": "found by the second only",
    "missed": "missed",
    "false": "falsely claimed",
}


def description(
    position: Position,
    marks: Mapping[str, Mask],
    shares: NDArray[np.float64] | None = None,
    parts: NDArray[np.int64] | None = None,
    used: Mask | None = None,
    explained: int | None = None,
) -> str:
    """Size, mines, how many cells are what, and what else is drawn.

    marks: by the names that they have in :func:`board.drawing.to_svg`; shares, parts: float64[n], int64[n] of the
        cells that show theirs, nan and -1 elsewhere.

    >>> description(Position.parse("1#F", mines=1), {})
    '1 row x 3 columns, 1 mine, 2 covered, 1 flagged.'
    """
    rows, columns = position.shape
    words = [f"{count(rows, 'row')} x {count(columns, 'column')}"]
    if position.topology.name != "grid":
        words.append(f"topology {position.topology.name}")
    words.append("mines unknown" if position.mines is None else count(position.mines, "mine"))
    for cells, name in (
        (position.codes == COVERED, "covered"),
        (position.flags, "flagged"),
        (position.codes == HIT, "hit"),
    ):
        if (number := int(np.count_nonzero(cells))) or name == "covered":
            words.append(f"{number} {name}")
    sentences = [", ".join(words)]
    marked = []
    for name, mask in marks.items():
        kind, _, thing = name.rpartition("_")
        if number := int(np.count_nonzero(mask)):
            marked.append(f"{f'{number} safe' if thing == 'safe' else count(number, 'mine')} {_DONE[kind]}")
    if marked:
        sentences.append(f"Marked: {', '.join(marked)}")
    if explained is not None:
        row, column = divmod(explained, columns)
        sentences.append(f"Explained: row {row}, column {column}")
    if used is not None and used.any():
        sentences.append(f"Used: {count(int(used.sum()), 'clue')}")
    if shares is not None and not np.isnan(shares).all():
        least, most = 100 * np.nanmin(shares), 100 * np.nanmax(shares)
        number = int(np.count_nonzero(~np.isnan(shares)))
        sentences.append(f"Probabilities: {count(number, 'cell')}, {least:.3g} to {most:.3g} per cent")
    if parts is not None and (parts >= 0).any():
        sentences.append(f"Components: {np.unique(parts[parts >= 0]).size}")
    return "".join(f"{sentence}. " for sentence in sentences).rstrip()


def count(number: int, noun: str) -> str:
    """A number and its noun.

    >>> count(1, "mine"), count(2, "mine")
    ('1 mine', '2 mines')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"


def per_cent(share: float) -> str:
    """A share in whole per cent, without the sign; none strictly between 0 and 1 reads 0 or 100.

    >>> per_cent(16 / 33), per_cent(1e-9), per_cent(0.999), per_cent(1)
    ('48', '<1', '>99', '100')
    """
    if 0 < share < 0.01:
        return "<1"
    return ">99" if 0.99 < share < 1 else f"{100 * share:.0f}"
