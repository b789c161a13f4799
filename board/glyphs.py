"""The parts of a drawing: SVG of everything of one kind in all the cells that have it.

Masks are bool[n]; where a cell lies and what shape it has, `places` says. `colour` names colours as in
`board.drawing.THEMES`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from board.places import CELL, Places, outline, rims
from board.position import COVERED, HIT, UNNUMBERED, Position
from board.words import per_cent

Mask = NDArray[np.bool_]
Colours = dict[str, str]

HEATS = 10  #: colours of probabilities, a tenth each
TINTS = 8  #: colours of components; the ninth has that of the first

# Signs of a cell, relative to its corner, as (x, y, path from there).
_CHECK = (5, 10, "l4 5 6-10")
_BODY = (10, 10, "h0")  # a dot by its caps
_SPIKES = (10, 3, "v14m-7-7h14m-2.4-4.6l-9.2 9.2m0-9.2l9.2 9.2")
_STRIKE = (3, 3, "l14 14")
_POLE = (8, 4, "v12m-3 0h8")
_CLOTH = (8, 3, "l8 4-8 4z")
# Halves of a cell, with the middle of the small sign in each.
_HALVES = {"first": ((2, 2, "h16l-16 16z"), 7), "second": ((18, 18, "h-16l16-16z"), 13)}


def ground(position: Position, places: Places, colour: Colours) -> Iterable[str]:
    """Every cell raised, and the opened ones over that."""
    opened = position.codes.ravel() != COVERED
    yield '<g fill="none" shape-rendering="crispEdges">' if places.outline == "square" else '<g fill="none">'
    yield from (_raised_squares if places.outline == "square" else _raised)(places, ~opened, colour)
    if opened.any():
        yield _filled(places, opened, 0, colour["line"])
        if places.outline == "square":  # one line between two cells, not two
            cells = {"stroke_width": 19, "stroke_dasharray": "19 1", "transform": "translate(1 .5)"}
            yield _tag("path", d=_strokes(places, opened), stroke=colour["open"], **cells)
        else:
            yield _filled(places, opened, 0.6, colour["open"])
    if places.outline == "square":
        _, _, right, bottom = places.box
        yield _tag("path", d=f"M-.5-.5h{right + 1}v{bottom + 1}H-.5z", stroke=colour["low"])
    yield "</g>"


def _raised_squares(places: Places, covered: Mask, colour: Colours) -> Iterable[str]:
    every = _strokes(places, np.ones_like(covered))
    yield _tag("path", d=every, stroke=colour["face"], stroke_width=20)
    # edges of a cell: left and top light, right and bottom dark
    yield _tag("path", d=every, stroke=colour["high"], stroke_width=20, stroke_dasharray="2 18")
    yield _tag("path", d=every, stroke=colour["high"], stroke_width=2, transform="translate(0-9)")
    yield _tag("path", d=every, stroke=colour["low"], stroke_width=20, stroke_dasharray="2 18", stroke_dashoffset=2)
    yield _tag("path", d=every, stroke=colour["low"], stroke_width=2, transform="translate(0 9)")


def _raised(places: Places, covered: Mask, colour: Colours) -> Iterable[str]:
    """Lines between neighbours, and the covered cells."""
    if places.edges.size:
        x, y = ([plain(at) for at in (axis + CELL / 2).tolist()] for axis in (places.x, places.y))
        lines = "".join(f"M{x[a]} {y[a]}L{x[b]} {y[b]}" for a, b in places.edges.tolist())
        yield _tag("path", d=lines, stroke=colour["line"], stroke_width=1.2)
    if covered.any():
        yield _filled(places, covered, 0, colour["low"])
        yield _filled(places, covered, 0.4, colour["face"])
        for rim, name in zip(rims(places.outline, 1.4), ("high", "low"), strict=True):
            yield _tag("path", d=_paths(places, covered, rim), stroke=colour[name], stroke_width=2)


def tints(places: Places, levels: NDArray[np.int64], inset: float, names: Sequence[str]) -> Iterable[str]:
    """Cells filled by level, int64[n], in the colours of the levels; -1 is none."""
    for level, fill in enumerate(names):
        if (cells := levels == level).any():
            yield _filled(places, cells, inset, fill)


def frames(places: Places, cells: Mask, colour: Colours) -> Iterable[str]:
    """Cells on a tint in a frame; what stands in them is drawn later."""
    if cells.any():
        d = _paths(places, cells, outline(places.outline, 1.5))
        yield _tag("path", d=d, fill=colour["used-tint"], stroke=colour["used"], stroke_width=2)


def ring(places: Places, cells: Mask, colour: Colours) -> Iterable[str]:
    """A broad double ring about cells, over everything in them."""
    if cells.any():
        d = _paths(places, cells, outline(places.outline, 1.5))
        yield _tag("path", d=d, fill="none", stroke=colour["ink"], stroke_width=4.6)
        yield _tag("path", d=d, fill="none", stroke=colour["ring"], stroke_width=2.2)


def clues(position: Position, places: Places, bare: Mask, colour: Colours) -> Iterable[str]:
    """One text a digit, which gives every one of its characters its place; numbers over 8 one by one."""
    codes = np.where(bare, position.codes.ravel(), 0)
    yield '<g font-size="15" font-weight="bold">'
    for clue, sign in (*((digit, str(digit)) for digit in range(1, 9)), (UNNUMBERED, "–")):
        cells = np.flatnonzero(codes == clue)
        if cells.size:
            x, y = (" ".join(map(plain, (at[cells] + by).tolist())) for at, by in ((places.x, 10), (places.y, 16)))
            fill = colour.get(sign, colour["label"])
            yield f'<text x="{x}" y="{y}" fill="{fill}">{sign * cells.size}</text>'
    yield "</g>"
    over = [(places.x[cell] + 10, places.y[cell] + 14, str(codes[cell])) for cell in np.flatnonzero(codes > 8)]
    yield from _texts(over, 10, fill=colour["7"], font_weight="bold")


def signs(position: Position, places: Places, bare: Mask, colour: Colours) -> Iterable[str]:
    """Flags, and mines that were hit."""
    flags, hits = position.flags.ravel() & bare, (position.codes.ravel() == HIT) & bare
    if flags.any():
        yield _tag("path", d=_paths(places, flags, _POLE), stroke=colour["ink"], stroke_width=2, fill="none")
        yield _tag("path", d=_paths(places, flags, _CLOTH), fill=colour["flag"])
    if hits.any():
        whole = (1, 1, "h19v19h-19z") if places.outline == "square" else outline(places.outline, 0.6)
        yield _tag("path", d=_paths(places, hits, whole), fill=colour["hit"])
        yield from _mine(places, hits, colour["ink"])


def mark(name: str, places: Places, cells: Mask, colour: Colours) -> Iterable[str]:
    """Cells with a mark: `safe` or `mines`, found; after `missed_` hollow; after `false_` struck through.

    After `first_` or `second_` it takes one half of the cell, the upper left or the lower right one.
    """
    if not cells.any():
        return
    kind, _, thing = name.rpartition("_")
    sign, drawn = (_check, "safe") if thing == "safe" else (_mine, "mine")
    if kind == "missed":
        dashes = {"stroke_width": 1.6, "stroke_dasharray": "3 1", "fill": colour["face"]}
        yield _tag("path", d=_paths(places, cells, outline(places.outline, 2)), stroke=colour[drawn], **dashes)
        yield from sign(places, cells, colour[drawn], colour["open"])
    elif kind == "false":
        box = _paths(places, cells, outline(places.outline, 2))
        yield _tag("path", d=_paths(places, cells, outline(places.outline)), fill=colour["false"])
        yield _tag("path", d=box, stroke=colour["false-edge"], stroke_width=2, fill="none")
        yield from sign(places, cells, colour["paper"])
        yield _tag("path", d=_paths(places, cells, _STRIKE), stroke=colour["false-edge"], stroke_width=2)
    elif kind in _HALVES:
        half, middle = _HALVES[kind]
        yield _tag("path", d=_paths(places, cells, half), fill=colour[f"{drawn}-tint"])
        yield from _small(thing, places, cells, middle, colour[drawn])
    else:
        yield _filled(places, cells, 2, colour[f"{drawn}-tint"])
        yield from sign(places, cells, colour[drawn])


def _check(places: Places, cells: Mask, drawn: str, inside: str | None = None) -> Iterable[str]:
    """Check signs; hollow if they have an inside."""
    d = _paths(places, cells, _CHECK)
    yield _tag("path", d=d, stroke=drawn, stroke_width=2.6 if inside is None else 4.4, fill="none")
    if inside is not None:
        yield _tag("path", d=d, stroke=inside, stroke_width=1.8, fill="none")


def _mine(places: Places, cells: Mask, drawn: str, inside: str | None = None) -> Iterable[str]:
    """Mines; hollow if they have an inside."""
    body = _paths(places, cells, _BODY)
    yield _tag("path", d=_paths(places, cells, _SPIKES), stroke=drawn, stroke_width=1.6, fill="none")
    yield _tag("path", d=body, stroke=drawn, stroke_width=10, stroke_linecap="round")
    if inside is not None:
        yield _tag("path", d=body, stroke=inside, stroke_width=6.4, stroke_linecap="round")


def _small(thing: str, places: Places, cells: Mask, middle: int, drawn: str) -> Iterable[str]:
    """Small checks or mines about a point of the diagonal."""
    if thing == "safe":
        d = _paths(places, cells, (middle - 3, middle, "l2 2.5 4-5.5"))
        yield _tag("path", d=d, stroke=drawn, stroke_width=1.8, fill="none")
    else:
        d = _paths(places, cells, (middle, middle, "h0"))
        spikes = _paths(places, cells, (middle, middle - 4.2, "v8.4m-4.2-4.2h8.4"))
        yield _tag("path", d=spikes, stroke=drawn, stroke_width=1.2, fill="none")
        yield _tag("path", d=d, stroke=drawn, stroke_width=5.8, stroke_linecap="round")


def percents(places: Places, shares: NDArray[np.float64], colour: Colours) -> Iterable[str]:
    """Shares, float64[n], as :func:`board.words.per_cent` writes them."""
    words = {cell: per_cent(float(shares[cell])) for cell in np.flatnonzero(~np.isnan(shares)).tolist()}
    yield from _lines(places, words, 10, 13, 6, font_size=9, fill=colour["ink"])


def numbers(places: Places, values: NDArray[np.int64], colour: Colours) -> Iterable[str]:
    """Small numbers, int64[n], in the lower right corner; none below 0."""
    words = {cell: str(values[cell]) for cell in np.flatnonzero(values >= 0).tolist()}
    yield from _lines(places, words, 15, 18, 4, font_size=6.5, fill=colour["ink"])


def labels(places: Places, left: int, colour: Colours) -> Iterable[str]:
    """Numbers of columns above and of rows in the margin, which is `left` wide; of circles that of the cell outside."""
    if places.outline == "circle":
        yield from _texts(_outside(places), 8, fill=colour["label"])
        return
    rows, columns = places.shape
    x, y = places.x[:columns].tolist(), places.y[::columns].tolist()
    yield from _texts(((x[c] + 10, places.box[1] - 6, str(c)) for c in range(columns)), 9, fill=colour["label"])
    yield from _texts(((-left / 2, y[r] + 13, str(r)) for r in range(rows)), 9, fill=colour["label"])


def _outside(places: Places) -> Iterable[tuple[float, float, str]]:
    """The number of each cell beside it, away from the middle of the drawing, where fewer lines are."""
    x0, y0, x1, y1 = places.box
    for cell, (x, y) in enumerate(zip((places.x + CELL / 2).tolist(), (places.y + CELL / 2).tolist(), strict=True)):
        across, down = x - (x0 + x1) / 2, y - (y0 + y1) / 2
        far = (across**2 + down**2) ** 0.5
        across, down = (across / far, down / far) if far > 1 else (0, 1)
        yield round(x + 19 * across, 1), round(y + 19 * down + 3, 1), str(cell)


def _texts(texts: Iterable[tuple[float, float, str]], size: int, **attributes: object) -> Iterable[str]:
    """Texts of several characters: (middle, baseline, text)."""
    spans = [f'<tspan x="{plain(x)}" y="{plain(y)}">{words}</tspan>' for x, y, words in texts]
    if spans:
        yield _tag("text", "".join(spans), font_size=size, **attributes)


def _lines(
    places: Places, words: dict[int, str], middle: int, baseline: int, advance: int, **attributes: object
) -> Iterable[str]:
    """Words in cells: one text for all that stand side by side, with a place a character. Half as long as `_texts`."""
    written = []
    for y, cells in groupby(words, key=lambda cell: float(places.y[cell])):
        xs, text = [], []
        for cell in cells:
            first = float(places.x[cell]) + middle - advance * (len(words[cell]) - 1) / 2
            xs += [plain(first + advance * i) for i in range(len(words[cell]))]
            text.append(words[cell])
        written.append(f'<text y="{plain(y + baseline)}" x="{" ".join(xs)}">{escape("".join(text))}</text>')
    if written:
        yield _tag("g", "".join(written), **attributes)


def _filled(places: Places, cells: Mask, inset: float, fill: str) -> str:
    """The insides of cells; squares are strokes as wide as they are high, dashed into cells."""
    if places.outline != "square":
        return _tag("path", d=_paths(places, cells, outline(places.outline, inset)), fill=fill)
    size = plain(CELL - 2 * inset)
    dashes = {"stroke_dasharray": f"{size} {plain(2 * inset)}", "stroke_dashoffset": plain(-inset)} if inset else {}
    return _tag("path", d=_strokes(places, cells), stroke=fill, stroke_width=size, **dashes)


def _strokes(places: Places, cells: Mask) -> str:
    """Lines through the middle of the runs of square cells in each row."""
    rows, columns = places.shape
    padded = np.zeros((rows, columns + 2), np.int8)
    padded[:, 1:-1] = cells.reshape(places.shape)
    steps = np.diff(padded, axis=1)
    at, starts = np.nonzero(steps == 1)
    ends = np.nonzero(steps == -1)[1]
    runs = zip((starts * CELL).tolist(), (at * CELL + 10).tolist(), ((ends - starts) * CELL).tolist(), strict=True)
    return "".join(f"M{x} {y}h{length}" for x, y, length in runs)


def _paths(places: Places, cells: Mask, sign: tuple[float, float, str]) -> str:
    """One sign in each of the cells."""
    x, y, rest = sign
    corners = zip((places.x[cells] + x).tolist(), (places.y[cells] + y).tolist(), strict=True)
    return "".join(f"M{plain(a)} {plain(b)}{rest}" for a, b in corners)


def _tag(tag: str, content: str = "", /, **attributes: object) -> str:
    written = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
    return f"<{tag}{written}>{content}</{tag}>" if content else f"<{tag}{written}/>"


def plain(value: float) -> str:
    """A number without needless zeros, and without an exponent."""
    return f"{value:g}" if abs(value) < 1e5 else f"{value:.0f}"
