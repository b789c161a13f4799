"""The parts of a drawing: SVG of everything of one kind in all the cells that have it.

A cell is a square of CELL user units, the first at (0, 0). `colour` names colours as in `board.drawing.THEMES`.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

import numpy as np
from numpy.typing import NDArray

from board.position import COVERED, HIT, UNNUMBERED, Position

Mask = NDArray[np.bool_]
Colours = dict[str, str]

CELL = 20  #: user units a cell

# Signs of a cell, relative to its corner, as (x, y, path from there).
_CHECK = (5, 10, "l4 5 6-10")
_BODY = (10, 10, "h0")  # by its caps a dot or a square
_SPIKES = (10, 3, "v14m-7-7h14")
_BOX = (2, 2, "h16v16h-16z")
_FRAME = (1.5, 1.5, "h17v17h-17z")
_SQUARE = (0, 0, "h20v20h-20z")
_STRIKE = (3, 3, "l14 14")
_POLE = (8, 4, "v12m-3 0h8")
_CLOTH = (8, 3, "l8 4-8 4z")


def ground(position: Position, colour: Colours) -> Iterable[str]:
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


def frames(cells: Mask, colour: Colours) -> Iterable[str]:
    """Cells on a tint in a frame; what stands in them is drawn later."""
    if cells.any():
        d = _paths(cells, _FRAME)
        yield _tag("path", d=d, fill=colour["used-tint"], stroke=colour["used"], stroke_width=2)


def clues(position: Position, bare: Mask, colour: Colours) -> Iterable[str]:
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


def signs(position: Position, bare: Mask, colour: Colours) -> Iterable[str]:
    """Flags, and mines that were hit."""
    flags, hits = position.flags & bare, (position.codes == HIT) & bare
    if flags.any():
        yield _tag("path", d=_paths(flags, _POLE), stroke=colour["ink"], stroke_width=2, fill="none")
        yield _tag("path", d=_paths(flags, _CLOTH), fill=colour["flag"])
    if hits.any():
        yield _tag("path", d=_paths(hits, (1, 1, "h19v19h-19z")), fill=colour["hit"])
        yield from _mine(hits, colour["ink"])


def mark(name: str, cells: Mask, colour: Colours) -> Iterable[str]:
    """Cells with a mark: `safe` or `mines`, found; after `missed_` hollow; after `false_` struck through."""
    if not cells.any():
        return
    kind, _, thing = name.rpartition("_")
    sign, drawn = (_check, "safe") if thing == "safe" else (_mine, "mine")
    if kind == "missed":
        dashes = {"stroke_width": 1.6, "stroke_dasharray": "3 1", "fill": colour["face"]}
        yield _tag("path", d=_paths(cells, _BOX), stroke=colour[drawn], **dashes)
        yield from sign(cells, colour[drawn], colour["open"])
    elif kind == "false":
        yield _tag("path", d=_paths(cells, _SQUARE), fill=colour["false"])
        yield _tag("path", d=_paths(cells, _BOX), stroke=colour["false-edge"], stroke_width=2, fill="none")
        yield from sign(cells, colour["paper"])
        yield _tag("path", d=_paths(cells, _STRIKE), stroke=colour["false-edge"], stroke_width=2)
    else:
        tint = {"stroke_width": 16, "stroke_dasharray": "16 4", "stroke_dashoffset": -2}
        yield _tag("path", d=_strokes(cells), stroke=colour[f"{drawn}-tint"], **tint)
        yield from sign(cells, colour[drawn])


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


def percents(shares: NDArray[np.float64], colour: Colours) -> Iterable[str]:
    """Shares in per cent without the sign; none strictly between 0 and 1 reads 0 or 100."""
    texts = []
    for r, c in np.argwhere(~np.isnan(shares)).tolist():
        share = float(shares[r, c])
        words = "<1" if 0 < share < 0.01 else ">99" if 0.99 < share < 1 else f"{100 * share:.0f}"
        texts.append((c, r, escape(words)))
    yield from _texts(texts, 8, 13, fill=colour["ink"])


def labels(position: Position, left: int, colour: Colours) -> Iterable[str]:
    """Numbers of columns above and of rows in the margin, which is `left` wide."""
    rows, columns = position.shape
    yield from _texts(((c, -1, str(c)) for c in range(columns)), 9, 14, fill=colour["label"])
    at = -left / 2 / CELL - 0.5  # in cells, of a column in the middle of the margin
    yield from _texts(((at, r, str(r)) for r in range(rows)), 9, 13, fill=colour["label"])


def _texts(texts: Iterable[tuple[float, int, str]], size: int, baseline: int, **attributes: object) -> Iterable[str]:
    """Texts of several characters, each in the middle of a cell: (column, row, text)."""
    spans = [
        f'<tspan x="{plain(c * CELL + CELL / 2)}" y="{r * CELL + baseline}">{words}</tspan>' for c, r, words in texts
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
    return "".join(f"M{plain(a)} {plain(b)}{rest}" for a, b in places)


def _tag(tag: str, content: str = "", /, **attributes: object) -> str:
    written = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
    return f"<{tag}{written}>{content}</{tag}>" if content else f"<{tag}{written}/>"


def plain(value: float) -> str:
    """A number without needless zeros, and without an exponent."""
    return f"{value:g}" if value < 1e5 else f"{value:.0f}"
