"""Drawing a position as SVG: one self-contained text, pure functions, what to mark is handed in.

Colours are presentation attributes: there are no ids and no style sheet, so that any number of drawings stand
in one page and none changes it. Cells of one kind share one element: rows of cells are strokes as wide as a
cell, dashed into cells; signs are one path a kind; clues are one text a digit.
"""

from __future__ import annotations

from html import escape
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from board.glyphs import CELL, Mask, clues, frames, ground, labels, mark, percents, plain, signs
from board.position import COVERED, HIT, Position

Theme = Literal["light", "dark", "page"]

# name: light, dark
_COLOURS = {
    "face": ("#c3c3c6", "#565b64"),
    "high": ("#fdfdfd", "#848a95"),
    "low": ("#85858c", "#33363d"),
    "open": ("#f4f4f4", "#1d1f24"),
    "line": ("#a9a9b0", "#41454d"),
    "ink": ("#17171a", "#f1f1f3"),
    "label": ("#66666e", "#a3a7b0"),
    "paper": ("#ffffff", "#ffffff"),
    "flag": ("#cc1111", "#ff8a80"),
    "hit": ("#ff6b5e", "#b3261e"),
    "safe": ("#0a5c22", "#b6ffc8"),
    "safe-tint": ("#8fe0a4", "#1a6b33"),
    "mine": ("#8f0a14", "#ffd4d0"),
    "mine-tint": ("#ffb3ad", "#8e1f26"),
    "false": ("#c4007a", "#d6008a"),
    "false-edge": ("#ffe100", "#ffe100"),
    "used": ("#e07b00", "#ffb347"),
    "used-tint": ("#ffe9b8", "#57410f"),
    "1": ("#0000f0", "#82aaff"),
    "2": ("#007000", "#6fdc7c"),
    "3": ("#d40000", "#ff8078"),
    "4": ("#00007b", "#c4a7ff"),
    "5": ("#7b0000", "#ffa562"),
    "6": ("#007272", "#4fd6cc"),
    "7": ("#000000", "#f5f5f5"),
    "8": ("#606060", "#b3b7bf"),
}
THEMES = {theme: {name: pair[i] for name, pair in _COLOURS.items()} for i, theme in enumerate(("light", "dark"))}


def to_svg(
    position: Position,
    *,
    safe: Mask | None = None,
    mines: Mask | None = None,
    missed_safe: Mask | None = None,
    missed_mines: Mask | None = None,
    false_safe: Mask | None = None,
    false_mines: Mask | None = None,
    probability: NDArray[np.float64] | None = None,
    used: Mask | None = None,
    coordinates: bool = False,
    theme: Theme = "light",
    title: str | None = None,
    cell: int = CELL,
) -> str:
    """The position as one `<svg>` element, a table of rows x columns whatever its topology.

    Parameters
    ----------
    safe, mines: bool[n], cells that were found; a check and a mine on a tint.
    missed_safe, missed_mines: bool[n], entailed cells that were not found; the same signs, hollow, in a dashed box.
    false_safe, false_mines: bool[n], false claims; the same signs, struck through, in a glaring colour.
        A cell in several masks is drawn as the last of them. A mark hides the flag or the clue of its cell.
    probability: float64[n]; cells without a mark show theirs in per cent, where it is no nan.
    used: bool[n], cells to frame on a tint, which hides nothing: the clues of an explanation.
    coordinates: number rows and columns from 0 at the edge.
    theme: "light", "dark", or "page": the custom properties `--board-NAME` of the page around it, NAME as in
        `THEMES`; a page that sets none gets the light ones.
    title: of the drawing, for screen readers and as a tooltip; the size by default.
    cell: pixels a cell.

    Raises ValueError for a mask, theme or cell size that means nothing.

    >>> svg = to_svg(Position.parse("1#"), mines=np.array([False, True]))
    >>> svg[:42]
    '<svg xmlns="http://www.w3.org/2000/svg" ro'
    >>> svg[svg.index("<desc>") : svg.index("</desc>")]
    '<desc>1 row x 2 columns, mines unknown, 1 covered. Marked: 1 mine found.'
    """
    if cell < 1:
        raise ValueError(f"a cell is at least 1 pixel wide, not {cell}")
    colour = _colours(theme)
    given = {
        "safe": safe,
        "mines": mines,
        "missed_safe": missed_safe,
        "missed_mines": missed_mines,
        "false_safe": false_safe,
        "false_mines": false_mines,
    }
    marks = {name: _mask(name, mask, position) for name, mask in given.items() if mask is not None}
    top, bare = _topmost(marks, position.shape)
    framed = np.zeros(position.shape, np.bool_) if used is None else _mask("used", used, position)
    shares = _shares(probability, position, bare)
    rows, columns = position.shape
    left, above = (max(CELL, 6 * len(str(rows - 1)) + 8), CELL) if coordinates else (1, 1)
    width, height = columns * CELL + left + 1, rows * CELL + above + 1
    words = description(position, marks) + (f" Used: {_count(int(framed.sum()), 'clue')}." if framed.any() else "")
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="{-left} {-above} {width} {height}" '
        f'width="{plain(width * cell / CELL)}" height="{plain(height * cell / CELL)}" '
        'font-family="Verdana,DejaVu Sans,Arial,sans-serif" text-anchor="middle">',
        f"<title>{escape(title or words.partition(',')[0])}</title><desc>{escape(words)}</desc>",
        *ground(position, colour),
        *frames(framed, colour),
        *clues(position, bare, colour),
        *signs(position, bare & np.isnan(shares), colour),
        *(part for name, cells in top.items() for part in mark(name, cells, colour)),
        *percents(shares, colour),
        *(labels(position, left, colour) if coordinates else ()),
        "</svg>",
    ]
    return "".join(parts)


def description(position: Position, marks: dict[str, Mask]) -> str:
    """The drawing in words, for those who do not see it: size, mines, and how many cells are what.

    marks: by the names that they have in :func:`to_svg`.

    >>> description(Position.parse("1#F", mines=1), {})
    '1 row x 3 columns, 1 mine, 2 covered, 1 flagged.'
    """
    rows, columns = position.shape
    mines = "mines unknown" if position.mines is None else _count(position.mines, "mine")
    words = [f"{_count(rows, 'row')} x {_count(columns, 'column')}", mines]
    for cells, name in (
        (position.codes == COVERED, "covered"),
        (position.flags, "flagged"),
        (position.codes == HIT, "hit"),
    ):
        if (count := int(np.count_nonzero(cells))) or name == "covered":
            words.append(f"{count} {name}")
    marked = []
    for name, mask in marks.items():
        kind, _, thing = name.rpartition("_")
        if count := int(np.count_nonzero(mask)):
            what = f"{count} safe" if thing == "safe" else _count(count, "mine")
            marked.append(f"{what} {'falsely claimed' if kind == 'false' else kind or 'found'}")
    return f"{', '.join(words)}.{' Marked: ' if marked else ''}{', '.join(marked)}{'.' if marked else ''}"


def _colours(theme: str) -> dict[str, str]:
    if theme == "page":
        return {name: f"var(--board-{name},{value})" for name, value in THEMES["light"].items()}
    if theme not in THEMES:
        raise ValueError(f"unknown theme {theme!r}; known are {', '.join(THEMES)}, page")
    return THEMES[theme]


def _mask(name: str, mask: Mask, position: Position) -> Mask:
    given = np.asarray(mask)
    if given.dtype != np.bool_ or given.size != position.codes.size:
        raise ValueError(f"{name} is bool[{position.codes.size}], not {given.dtype} {given.shape}")
    return given.reshape(position.shape)


def _topmost(marks: dict[str, Mask], shape: tuple[int, int]) -> tuple[dict[str, Mask], Mask]:
    """Of each mark the cells in which it is the last one, and the cells without any."""
    bare = np.ones(shape, np.bool_)
    top = {}
    for name, mask in reversed(marks.items()):
        top[name] = mask & bare
        bare &= ~mask
    return top, bare


def _shares(probability: NDArray[np.float64] | None, position: Position, bare: Mask) -> NDArray[np.float64]:
    """What is written on the cells, shape (rows, columns); nan where nothing is."""
    if probability is None:
        return np.full(position.shape, np.nan)
    given = np.asarray(probability, np.float64)
    if given.size != position.codes.size:
        raise ValueError(f"probability is float64[{position.codes.size}], not of shape {given.shape}")
    return np.where(bare, given.reshape(position.shape), np.nan)


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
