"""Drawing a position as SVG: one self-contained text, pure functions, what to mark is handed in.

Colours are presentation attributes: there are no ids and no style sheet, so that any number of drawings stand
in one page and none changes it. Cells of one kind share one element: rows of cells are strokes as wide as a
cell, dashed into cells; signs are one path a kind; clues are one text a digit.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from board.position import COVERED, HIT, UNNUMBERED, Position

Mask = NDArray[np.bool_]
Theme = Literal["light", "dark", "page"]

CELL = 20  #: user units a cell; `cell` scales them
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

# Signs of a cell, relative to its corner, as (x, y, path from there).
_CHECK = (5, 10, "l4 5 6-10")
_BODY = (10, 10, "h0")  # by its caps a dot or a square
_SPIKES = (10, 3, "v14m-7-7h14")
_BOX = (2, 2, "h16v16h-16z")
_SQUARE = (0, 0, "h20v20h-20z")
_STRIKE = (3, 3, "l14 14")
_POLE = (8, 4, "v12m-3 0h8")
_CLOTH = (8, 3, "l8 4-8 4z")


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
    top = marks.copy()  # what is drawn: the last mark of a cell
    bare = np.ones(position.shape, np.bool_)
    for name in reversed(given):
        if name in top:
            top[name] = marks[name] & bare
            bare &= ~marks[name]
    shares = None if probability is None else _shares(probability, position, bare)
    rows, columns = position.shape
    left, above = (max(CELL, 6 * len(str(rows - 1)) + 8), CELL) if coordinates else (1, 1)
    width, height = columns * CELL + left + 1, rows * CELL + above + 1
    words = description(position, marks)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="{-left} {-above} {width} {height}" '
        f'width="{_plain(width * cell / CELL)}" height="{_plain(height * cell / CELL)}" '
        'font-family="Verdana,DejaVu Sans,Arial,sans-serif" text-anchor="middle">',
        f"<title>{escape(title or words.partition(',')[0])}</title><desc>{escape(words)}</desc>",
        *_ground(position, colour),
        *_clues(position, bare, colour),
        *_signs(position, bare if shares is None else bare & np.isnan(shares), colour),
        *_found(top, colour),
        *_missed(top, colour),
        *_false(top, colour),
        *(_percents(shares, colour) if shares is not None else ()),
        *(_labels(position, left, colour) if coordinates else ()),
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


def _shares(probability: NDArray[np.float64], position: Position, bare: Mask) -> NDArray[np.float64]:
    given = np.asarray(probability, np.float64)
    if given.size != position.codes.size:
        raise ValueError(f"probability is float64[{position.codes.size}], not of shape {given.shape}")
    return np.where(bare, given.reshape(position.shape), np.nan)


def _ground(position: Position, colour: dict[str, str]) -> Iterable[str]:
    """Every cell raised, and the opened ones over that."""
    every = _strokes(np.ones(position.shape, np.bool_))
    opened = _strokes(position.codes != COVERED)
    yield '<g fill="none" shape-rendering="crispEdges">'
    yield _tag("path", d=every, stroke=colour["face"], stroke_width=20)
    # edges of a cell: left and top light, right and bottom dark
    yield _tag("path", d=every, stroke=colour["high"], stroke_width=20, stroke_dasharray="2 18")
    yield _tag("path", d=every, stroke=colour["high"], stroke_width=2, transform="translate(0-9)")
    yield _tag("path", d=every, stroke=colour["low"], stroke_width=20, stroke_dasharray="2 18", stroke_dashoffset=2)
    yield _tag("path", d=every, stroke=colour["low"], stroke_width=2, transform="translate(0 9)")
    if opened:
        yield _tag("path", d=opened, stroke=colour["line"], stroke_width=20)
        cells = {"stroke_width": 19, "stroke_dasharray": "19 1", "transform": "translate(1 .5)"}
        yield _tag("path", d=opened, stroke=colour["open"], **cells)
    rows, columns = position.shape
    yield _tag("path", d=f"M-.5-.5h{columns * CELL + 1}v{rows * CELL + 1}H-.5z", stroke=colour["low"])
    yield "</g>"


def _clues(position: Position, bare: Mask, colour: dict[str, str]) -> Iterable[str]:
    """One text a digit, which gives every one of its characters its place; numbers over 8 one by one."""
    codes = np.where(bare, position.codes, 0)
    yield '<g font-size="15" font-weight="bold">'
    for clue, sign in (*((digit, str(digit)) for digit in range(1, 9)), (UNNUMBERED, "–")):
        rows, columns = np.nonzero(codes == clue)
        if rows.size:
            x, y = (" ".join(map(str, (at * CELL + by).tolist())) for at, by in ((columns, 10), (rows, 16)))
            fill = colour.get(sign, colour["label"])
            yield f'<text x="{x}" y="{y}" fill="{fill}">{sign * rows.size}</text>'
    yield "</g>"
    over = np.argwhere(codes > 8).tolist()
    yield from _texts(((c, r, str(codes[r, c])) for r, c in over), 10, 14, fill=colour["7"], font_weight="bold")


def _signs(position: Position, bare: Mask, colour: dict[str, str]) -> Iterable[str]:
    """Flags, and mines that were hit."""
    flags, hits = position.flags & bare, (position.codes == HIT) & bare
    if flags.any():
        yield _tag("path", d=_paths(flags, _POLE), stroke=colour["ink"], stroke_width=2, fill="none")
        yield _tag("path", d=_paths(flags, _CLOTH), fill=colour["flag"])
    if hits.any():
        yield _tag("path", d=_paths(hits, (1, 1, "h19v19h-19z")), fill=colour["hit"])
        yield from _mine(hits, colour["ink"])


def _found(marks: dict[str, Mask], colour: dict[str, str]) -> Iterable[str]:
    for name, sign in (("safe", _check), ("mines", _mine)):
        if name in marks and marks[name].any():
            kind = name.removesuffix("s")
            tint = {"stroke_width": 16, "stroke_dasharray": "16 4", "stroke_dashoffset": -2}
            yield _tag("path", d=_strokes(marks[name]), stroke=colour[f"{kind}-tint"], **tint)
            yield from sign(marks[name], colour[kind])


def _missed(marks: dict[str, Mask], colour: dict[str, str]) -> Iterable[str]:
    for name, sign in (("safe", _check), ("mines", _mine)):
        cells = marks.get(f"missed_{name}")
        if cells is not None and cells.any():
            drawn = colour[name.removesuffix("s")]
            dashes = {"stroke_width": 1.6, "stroke_dasharray": "3 1", "fill": colour["face"]}
            yield _tag("path", d=_paths(cells, _BOX), stroke=drawn, **dashes)
            yield from sign(cells, drawn, colour["open"])


def _false(marks: dict[str, Mask], colour: dict[str, str]) -> Iterable[str]:
    for name, sign in (("safe", _check), ("mines", _mine)):
        cells = marks.get(f"false_{name}")
        if cells is not None and cells.any():
            yield _tag("path", d=_paths(cells, _SQUARE), fill=colour["false"])
            yield _tag("path", d=_paths(cells, _BOX), stroke=colour["false-edge"], stroke_width=2, fill="none")
            yield from sign(cells, colour["paper"])
            yield _tag("path", d=_paths(cells, _STRIKE), stroke=colour["false-edge"], stroke_width=2)


def _check(cells: Mask, drawn: str, inside: str | None = None) -> Iterable[str]:
    """Check signs; hollow if they have an inside."""
    d = _paths(cells, _CHECK)
    yield _tag("path", d=d, stroke=drawn, stroke_width=2.6 if inside is None else 4.4, fill="none")
    if inside is not None:
        yield _tag("path", d=d, stroke=inside, stroke_width=1.8, fill="none")


def _mine(cells: Mask, drawn: str, inside: str | None = None) -> Iterable[str]:
    """Mines; hollow if they have an inside."""
    body = _paths(cells, _BODY)
    yield _tag("path", d=_paths(cells, _SPIKES), stroke=drawn, stroke_width=1.6, fill="none")
    yield _tag("path", d=body, stroke=drawn, stroke_width=9.4, stroke_linecap="square")
    yield _tag("path", d=body, stroke=drawn, stroke_width=10, stroke_linecap="round")
    if inside is not None:
        yield _tag("path", d=body, stroke=inside, stroke_width=6.4, stroke_linecap="round")


def _percents(shares: NDArray[np.float64], colour: dict[str, str]) -> Iterable[str]:
    """Shares in per cent without the sign; none strictly between 0 and 1 reads 0 or 100."""
    texts = []
    for r, c in np.argwhere(~np.isnan(shares)).tolist():
        share = float(shares[r, c])
        words = "<1" if 0 < share < 0.01 else ">99" if 0.99 < share < 1 else f"{100 * share:.0f}"
        texts.append((c, r, escape(words)))
    yield from _texts(texts, 8, 13, fill=colour["ink"])


def _labels(position: Position, left: int, colour: dict[str, str]) -> Iterable[str]:
    rows, columns = position.shape
    yield from _texts(((c, -1, str(c)) for c in range(columns)), 9, 14, fill=colour["label"])
    at = -left / 2 / CELL - 0.5  # in cells, of a column in the middle of the margin
    yield from _texts(((at, r, str(r)) for r in range(rows)), 9, 13, fill=colour["label"])


def _texts(texts: Iterable[tuple[float, int, str]], size: int, baseline: int, **attributes: object) -> Iterable[str]:
    """Texts of several characters, each in the middle of a cell: (column, row, text)."""
    spans = [
        f'<tspan x="{_plain(c * CELL + CELL / 2)}" y="{r * CELL + baseline}">{words}</tspan>' for c, r, words in texts
    ]
    if spans:
        yield _tag("text", "".join(spans), font_size=size, **attributes)


def _strokes(cells: Mask) -> str:
    """Lines through the middle of the runs of cells in each row."""
    padded = np.zeros((cells.shape[0], cells.shape[1] + 2), np.int8)
    padded[:, 1:-1] = cells
    steps = np.diff(padded, axis=1)
    rows, starts = np.nonzero(steps == 1)
    ends = np.nonzero(steps == -1)[1]
    runs = zip((starts * CELL).tolist(), (rows * CELL + 10).tolist(), ((ends - starts) * CELL).tolist(), strict=True)
    return "".join(f"M{x} {y}h{length}" for x, y, length in runs)


def _paths(cells: Mask, sign: tuple[float, float, str]) -> str:
    """One sign in each of the cells."""
    x, y, rest = sign
    rows, columns = np.nonzero(cells)
    places = zip((columns * CELL + x).tolist(), (rows * CELL + y).tolist(), strict=True)
    return "".join(f"M{_plain(a)} {_plain(b)}{rest}" for a, b in places)


def _tag(tag: str, content: str = "", /, **attributes: object) -> str:
    written = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
    return f"<{tag}{written}>{content}</{tag}>" if content else f"<{tag}{written}/>"


def _plain(value: float) -> str:
    return f"{value:g}" if value < 1e5 else f"{value:.0f}"


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
