"""Drawing a position as SVG: one self-contained text, pure functions, what to mark is handed in.

Colours are presentation attributes, so that any number of drawings stand in one page and none changes it; ids are
derived from the content. Only the theme "auto" has a style sheet, which speaks of its own drawing alone and
replaces the light colours where dark ones are preferred: a viewer without style sheets shows the light drawing. Cells
of one kind share one element: rows of cells are strokes as wide as a cell, dashed into cells; signs are one path a
kind; clues are one text a digit.

Colours for eyes that tell red from green badly: safe is blue, a mine orange, probabilities go from pale to dark in one
hue, components have the "light" palette of P. Tol, "Colour schemes", SRON/EPS/TN/09-002, 2021. No kind of mark is
told by its colour alone.
"""

from __future__ import annotations

import re
from hashlib import blake2s
from html import escape
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from board.glyphs import (
    HEATS,
    TINTS,
    Colours,
    Mask,
    clues,
    frames,
    ground,
    labels,
    mark,
    numbers,
    percents,
    plain,
    ring,
    signs,
    tints,
)
from board.places import CELL, Places, places
from board.position import COVERED, Position
from board.problem import whole
from board.words import description

Theme = Literal["auto", "light", "dark", "page"]

# name: light, dark
_COLOURS = {
    "face": ("#c3c3c6", "#565b64"),
    "high": ("#fdfdfd", "#848a95"),
    "low": ("#85858c", "#33363d"),
    "open": ("#f4f4f4", "#1d1f24"),
    "line": ("#a9a9b0", "#41454d"),
    "ink": ("#17171a", "#f1f1f3"),
    "label": ("#6c6f76", "#8b9099"),  # outside the board: both can be read on white and on black
    "paper": ("#ffffff", "#ffffff"),
    "flag": ("#cc1111", "#ff8a80"),
    "hit": ("#ff6b5e", "#b3261e"),
    "safe": ("#003f75", "#d3ebff"),
    "safe-tint": ("#9fd2f7", "#1f5f94"),
    "mine": ("#762b00", "#ffe0c4"),
    "mine-tint": ("#ffbe82", "#94460f"),
    "false": ("#c4007a", "#d6008a"),
    "false-edge": ("#ffe100", "#ffe200"),
    "used": ("#7a35c9", "#c9a2ff"),
    "used-tint": ("#f1e6ff", "#3d2a5c"),
    "ring": ("#ffd500", "#1a1a1d"),
    "1": ("#0000f0", "#82aaff"),
    "2": ("#007000", "#6fdc7c"),
    "3": ("#d40000", "#ff8078"),
    "4": ("#00007b", "#c4a7ff"),
    "5": ("#7b0000", "#ffa562"),
    "6": ("#007272", "#4fd6cc"),
    "7": ("#000000", "#f5f5f5"),
    "8": ("#606060", "#b3b7bf"),
}
_PARTS = ("#77aadd", "#ee8866", "#eedd88", "#ffaabb", "#99ddff", "#44bb99", "#bbcc33", "#aaaa00")
_HEAT = {"light": ("#fff7dc", "#f08a3c"), "dark": ("#2b2e36", "#a34f14")}  # from 0 to 1


def _mixed(one: str, other: str, share: float) -> str:
    """The colour so far on the way from one to the other."""
    pairs = zip(bytes.fromhex(one[1:]), bytes.fromhex(other[1:]), strict=True)
    return "#" + bytes(round(a + (b - a) * share) for a, b in pairs).hex()


THEMES = {theme: {name: pair[i] for name, pair in _COLOURS.items()} for i, theme in enumerate(("light", "dark"))}
for _theme, _ends in _HEAT.items():
    THEMES[_theme] |= {f"heat-{i}": _mixed(*_ends, i / (HEATS - 1)) for i in range(HEATS)}
    _to_black = 0 if _theme == "light" else 0.5
    THEMES[_theme] |= {f"part-{i}": _mixed(tint, "#000000", _to_black) for i, tint in enumerate(_PARTS)}


def to_svg(
    position: Position,
    *,
    safe: Mask | None = None,
    mines: Mask | None = None,
    first_safe: Mask | None = None,
    first_mines: Mask | None = None,
    second_safe: Mask | None = None,
    second_mines: Mask | None = None,
    missed_safe: Mask | None = None,
    missed_mines: Mask | None = None,
    false_safe: Mask | None = None,
    false_mines: Mask | None = None,
    probability: NDArray[np.float64] | None = None,
    components: NDArray[np.integer[Any]] | None = None,
    used: Mask | None = None,
    explained: int | None = None,
    coordinates: bool = False,
    theme: Theme = "auto",
    title: str | None = None,
    cell: float = CELL,
    at: NDArray[np.float64] | None = None,
) -> str:
    """The position as one `<svg>` element.

    A board of several rows is a table of squares, a torus too; one with the neighbours of a hexagonal board is
    hexagons, every other row shifted; a graph without rows is circles on a circle, neighbours joined by lines.

    Parameters
    ----------
    safe, mines: bool[n], cells that were found; a check and a mine on a tint.
    first_safe, first_mines, second_safe, second_mines: bool[n], cells that only one of two solvers found
        (:func:`differences`); the same, small, in the upper left half of the cell or the lower right one.
    missed_safe, missed_mines: bool[n], entailed cells that were not found; the same signs, hollow, in a dashed box.
    false_safe, false_mines: bool[n], false claims; the same signs, struck through, in a glaring colour.
        A cell in several masks is drawn as the last of them, though halves leave each other room. A mark hides
        the flag or the clue of its cell.
    probability: float64[n], 0 to 1; covered cells without a mark show theirs in per cent on a tint, where it is no nan.
    components: integers[n], -1 for none; covered cells show theirs as a tint and a small number.
    used: bool[n], cells to frame on a tint, which hides nothing: the clues of an explanation.
    explained: the cell that they explain, in a broad ring.
    coordinates: number rows and columns from 0 at the edge, or cells where there are none.
    theme: "light", "dark", "auto": what the reader's system prefers, or "page": the custom properties `--board-NAME`
        of the page around it, NAME as in `THEMES`; a page that sets none gets the light ones.
    title: of the drawing, for screen readers and as a tooltip; the size by default.
    cell: pixels a cell.
    at: float64[n, 2], where the cells' middles lie, x and y (downwards) in cells: circles there, joined by lines.

    Raises ValueError, quoting what means nothing.

    >>> svg = to_svg(Position.parse("1#"), mines=np.array([False, True]))
    >>> svg[:42]
    '<svg xmlns="http://www.w3.org/2000/svg" ro'
    >>> svg[svg.index(">1 row") : svg.index("</title>")], svg[svg.rindex("Marked") : svg.index("</desc>")]
    ('>1 row x 2 columns', 'Marked: 1 mine found.')
    """
    if not 1 <= cell < np.inf:
        raise ValueError(f"a cell is at least 1 pixel wide, not {cell}")
    colour = _colours(theme)
    given = {
        "safe": safe,
        "mines": mines,
        "first_safe": first_safe,
        "first_mines": first_mines,
        "second_safe": second_safe,
        "second_mines": second_mines,
        "missed_safe": missed_safe,
        "missed_mines": missed_mines,
        "false_safe": false_safe,
        "false_mines": false_mines,
    }
    marks = {name: _mask(name, mask, position) for name, mask in given.items() if mask is not None}
    top, bare = _topmost(marks, position.codes.size)
    framed = np.zeros(position.codes.size, np.bool_) if used is None else _mask("used", used, position)
    ringed = np.arange(position.codes.size) == _cell(explained, position)
    shares = _shares(probability, position, bare)
    parts = _parts(components, position)
    where = places(position.topology, at)
    body = [
        *ground(position, where, colour),
        *tints(where, np.where(parts < 0, -1, parts % TINTS), 0.5, [colour[f"part-{i}"] for i in range(TINTS)]),
        *tints(where, _levels(shares), 2, [colour[f"heat-{i}"] for i in range(HEATS)]),
        *frames(where, framed, colour),
        *clues(position, where, bare, colour),
        *signs(position, where, bare & np.isnan(shares), colour),
        *(part for name, cells in top.items() for part in mark(name, where, cells, colour)),
        *percents(where, shares, colour),
        *numbers(where, np.where(bare & np.isnan(shares), parts, -1), colour),
        *ring(where, ringed, colour),
    ]
    words = description(position, marks, shares, parts, framed, None if explained is None else int(ringed.argmax()))
    return _element("".join(body), where, words, title, theme, colour, cell, coordinates)


def differences(safe: Mask, mines: Mask, other_safe: Mask, other_mines: Mask) -> dict[str, Mask]:
    """What two solvers found, as marks for :func:`to_svg`: both, only the first, only the second; all bool[n].

    >>> a, b, none = np.array([True, True, False]), np.array([True, False, False]), np.zeros(3, bool)
    >>> {name: mask.tolist() for name, mask in differences(a, none, b, none).items() if mask.any()}
    {'safe': [True, False, False], 'first_safe': [False, True, False]}
    """
    pairs = {"safe": (safe, other_safe), "mines": (mines, other_mines)}
    both = {name: one & other for name, (one, other) in pairs.items()}
    first = {f"first_{name}": one & ~other for name, (one, other) in pairs.items()}
    return both | first | {f"second_{name}": other & ~one for name, (one, other) in pairs.items()}


def _element(
    body: str, where: Places, words: str, title: str | None, theme: Theme, colour: Colours, cell: float, numbered: bool
) -> str:
    """The `<svg>` around a body, with the numbers in its margin if it is `numbered`."""
    left, above, beyond = 1, 1, 1
    if numbered and where.outline == "circle":
        left = above = beyond = 8 + 3 * len(str(where.x.size - 1))
    elif numbered:
        left, above = max(CELL, 6 * len(str(where.shape[0] - 1)) + 8), CELL
    x, y, right, bottom = where.box
    width, height = right - x + left + beyond, bottom - y + above + beyond
    name = escape(title or words.partition(",")[0].rstrip("."))
    body += "".join(labels(where, left, colour)) if numbered else ""
    # of everything that can differ, so that an id stands twice in a page only where a whole drawing does
    key = blake2s(f"{theme} {cell} {name} {words} {body}".encode(), digest_size=6).hexdigest()
    style = _dark_style(f"board-{key}", body) if theme == "auto" else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" id="board-{key}" aria-labelledby="title-{key} desc-{key}" '
        f'viewBox="{plain(x - left)} {plain(y - above)} {plain(width)} {plain(height)}" '
        f'width="{plain(width * cell / CELL)}" height="{plain(height * cell / CELL)}" '
        'font-family="Verdana,DejaVu Sans,Arial,sans-serif" text-anchor="middle">'
        f'<title id="title-{key}">{name}</title><desc id="desc-{key}">{escape(words)}</desc>{style}{body}</svg>'
    )


def _dark_style(name: str, body: str) -> str:
    """A style sheet that gives the light colours of one drawing their dark ones."""
    dark = dict(zip(THEMES["light"].values(), THEMES["dark"].values(), strict=True))
    used = dict.fromkeys(re.findall(r'(fill|stroke)="(#\w+)"', body))
    rules = "".join(f'#{name} [{kind}="{light}"]{{{kind}:{dark[light]}}}' for kind, light in used)
    return f"<style>@media(prefers-color-scheme:dark){{{rules}}}</style>"


def _colours(theme: str) -> Colours:
    if theme == "page":
        return {name: f"var(--board-{name},{value})" for name, value in THEMES["light"].items()}
    if theme == "auto":
        return THEMES["light"]
    if theme not in THEMES:
        raise ValueError(f"unknown theme {theme!r}; known are {', '.join(THEMES)}, auto, page")
    return THEMES[theme]


def _mask(name: str, mask: Mask, position: Position) -> Mask:
    given = np.asarray(mask)
    if given.dtype != np.bool_ or given.size != position.codes.size:
        raise ValueError(f"{name} is bool[{position.codes.size}], not {given.dtype} {given.shape}")
    return given.ravel()


def _cell(explained: int | None, position: Position) -> int:
    """The number of the cell; -1 for none."""
    if explained is None:
        return -1
    cell = whole(explained, "explained: a cell is an integer")
    if not 0 <= cell < position.codes.size:
        raise ValueError(f"explained: cell {explained!r} is outside 0..{position.codes.size - 1}")
    return cell


def _topmost(marks: dict[str, Mask], n: int) -> tuple[dict[str, Mask], Mask]:
    """Of each mark the cells in which it is the last one, and the cells without any."""
    taken = {side: np.zeros(n, np.bool_) for side in ("first", "second")}  # halves of cells
    top = {}
    for name, mask in reversed(marks.items()):
        side = name.partition("_")[0]
        sides = [side] if side in taken else list(taken)
        top[name] = mask & ~np.logical_or.reduce([taken[side] for side in sides])
        for side in sides:
            taken[side] = taken[side] | mask
    return dict(reversed(top.items())), ~(taken["first"] | taken["second"])


def _shares(probability: NDArray[np.float64] | None, position: Position, bare: Mask) -> NDArray[np.float64]:
    """What is written on the cells, float64[n]; nan where nothing is."""
    if probability is None:
        return np.full(position.codes.size, np.nan)
    given = np.asarray(probability, np.float64)
    if given.size != position.codes.size:
        raise ValueError(f"probability is float64[{position.codes.size}], not of shape {given.shape}")
    wrong = (given < 0) | (given > 1)
    if wrong.any():
        raise ValueError(f"a probability is between 0 and 1, not {given[wrong][0]}")
    return np.where(bare & (position.codes.ravel() == COVERED), given.ravel(), np.nan)


def _levels(shares: NDArray[np.float64]) -> NDArray[np.int64]:
    """The colour of each probability, int64[n]: its tenth; -1 where there is none."""
    tenth = np.minimum(np.nan_to_num(shares) * HEATS, HEATS - 1).astype(np.int64)
    return np.where(np.isnan(shares), -1, tenth)


def _parts(components: NDArray[np.integer[Any]] | None, position: Position) -> NDArray[np.int64]:
    """The component of each covered cell, int64[n]; -1 for none."""
    if components is None:
        return np.full(position.codes.size, -1)
    given = np.asarray(components)
    if given.dtype.kind not in "iu" or given.size != position.codes.size:
        raise ValueError(f"components are integers[{position.codes.size}], not {given.dtype} {given.shape}")
    return np.where(position.codes.ravel() == COVERED, np.maximum(given.ravel().astype(np.int64), -1), -1)
