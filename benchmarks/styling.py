"""How the figures of a run look, and how they are written: one style a solver, labels apart, plain SVG.

Nothing here is for one figure alone; `benchmarks.plots` has the figures. Colours are those of Okabe and Ito
(Color Universal Design, 2008) without the yellow, which is lost on white paper. Markers and dashes differ
too, so that a figure can be read in grey.
"""

from __future__ import annotations

import hashlib
import io
import math
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar
from xml.etree import ElementTree

import numpy as np
import numpy.typing as npt

from solvers.interface import Unsupported

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMN_INCHES = 3.5  #: the width of a figure: one column of a paper
FORMATS = ("svg", "png", "pdf")
LONGEST_NAME = 44  #: signs; a legend with it is about as wide as a column

_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9")
_MARKERS = {"o": 4.0, "s": 3.8, "^": 4.6, "D": 3.5, "v": 4.6, "X": 5.0, "P": 5.0, "<": 4.6, "*": 6.5}  #: sizes
_DASHES: tuple[tuple[float, ...], ...] = ((), (5, 1.5), (1.2, 1.2), (6, 1.5, 1.2, 1.5))
_STYLE: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 8,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": "0.88",
    "grid.linewidth": 0.5,
    "lines.linewidth": 1.1,
    "text.parse_math": False,  # names of solvers hold $, _ and ^
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
    "svg.hashsalt": "sapper",
    "savefig.dpi": 300,
}
_METADATA: dict[str, dict[str, None]] = {
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
_LOCK = threading.RLock()  # matplotlib's settings are one dictionary for all threads

Floats = npt.NDArray[np.float64]
P = ParamSpec("P")
T = TypeVar("T", bound="Figure | None")


@contextmanager
def styled() -> Iterator[None]:
    """matplotlib's defaults and this style, whatever the caller has set; his settings come back afterwards.

    Raises Unsupported without matplotlib.
    """
    try:
        from matplotlib import style
    except ImportError as missing:
        raise Unsupported("figures need matplotlib: pip install 'sapper[report]'") from missing
    with _LOCK, style.context(_STYLE, after_reset=True):
        yield


def drawn(make: Callable[P, T]) -> Callable[P, T]:
    """A function that makes a figure, in this style to the last tick, and laid out for good."""

    @wraps(make)
    def made(*args: P.args, **kwargs: P.kwargs) -> T:
        with styled():
            figure = make(*args, **kwargs)
            if figure is not None:
                figure.draw_without_rendering()  # ticks are made when they are drawn first
                figure.set_layout_engine("none")
            return figure

    return made


def new_figure(title: str, height_inches: float, width_inches: float = COLUMN_INCHES) -> tuple[Figure, Axes]:
    """An empty figure that pyplot does not know; `title` says what it shows to who cannot see it."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width_inches, height_inches), layout="constrained")
    FigureCanvasAgg(figure)
    figure.set_label(title)
    return figure, figure.add_subplot()


@dataclass(frozen=True, slots=True)
class Look:
    """The style of one solver (or corpus) in all figures of a run."""

    colour: str
    marker: str
    dashes: tuple[float, ...]

    @property
    def line(self) -> dict[str, Any]:
        """Keyword arguments of a line with markers."""
        dashes = (0, self.dashes) if self.dashes else "-"
        return {**self.points, "linestyle": dashes}

    @property
    def points(self) -> dict[str, Any]:
        """Keyword arguments of markers without a line."""
        edge = {"markeredgecolor": "white", "markeredgewidth": 0.3}
        return {
            "color": self.colour,
            "marker": self.marker,
            "markersize": _MARKERS[self.marker],
            "linestyle": "none",
        } | edge


def look(order: int) -> Look:
    """The style of the solver with this number in its run; 252 differ, 36 of them in grey.

    >>> look(0).marker, look(1).marker, look(0) == look(252)
    ('o', 's', True)
    """
    return Look(*(cycle[order % len(cycle)] for cycle in (_COLOURS, tuple(_MARKERS), _DASHES)))  # type: ignore[arg-type]


def short_names(labels: Sequence[str], most: int = LONGEST_NAME) -> dict[str, str]:
    """Labels cut in their middle to `most` signs, still different from each other.

    >>> short_names(["sat", "sat:encoding=totalizer"], 12)
    {'sat': 'sat', 'sat:encoding=totalizer': 'sat:e…alizer'}
    """
    names: dict[str, str] = {}
    for order, label in enumerate(labels, 1):
        printable = "".join(c if c.isprintable() else " " for c in label)
        name, number = _cut(printable, most), order
        while name in names.values():
            name, number = _cut(printable, most - len(f" ({number})")) + f" ({number})", number + 1
        names[label] = name
    return names


def _cut(label: str, most: int) -> str:
    if len(label) <= most:
        return label
    head = (most - 1) // 2
    return f"{label[:head]}…{label[head + 1 - most :]}"


def legend_below(figure: Figure, handles: Sequence[Artist], names: Sequence[str]) -> None:
    """A legend under the axes, in as many columns as fit (up to four); the figure grows by its size."""
    width, height = figure.get_size_inches()
    numbers = [str(number) for number in range(len(names))]  # a label that begins with _ would be left out
    how: dict[str, Any] = {"handlelength": 2.6, "columnspacing": 1.2, "labelspacing": 0.25}
    for columns in (4, 3, 2, 1):
        lines = math.ceil(len(names) / columns)
        legend = figure.legend(handles, numbers, loc="outside lower center", ncols=math.ceil(len(names) / lines), **how)
        for text, name in zip(legend.get_texts(), names, strict=True):
            text.set_text(name)
        box = legend.get_window_extent()
        if box.width <= width * figure.dpi or columns == 1:
            break
        legend.remove()
    figure.set_size_inches(max(width, box.width / figure.dpi), height + box.height / figure.dpi)


def time_axis(axes: Axes, which: Literal["x", "y"], seconds: npt.ArrayLike, margin: float = 0.06) -> None:
    """Make an axis one of times, logarithmic, as wide as they are and a share more; its ticks carry their unit."""
    from matplotlib.ticker import EngFormatter, LogLocator, NullFormatter

    values = np.asarray(seconds, dtype=float)
    values = values[np.isfinite(values) & (values > 0)]
    low, high = np.log10([values.min(), values.max()]) if values.size else (-6.0, 0.0)
    middle, reach = (low + high) / 2, max(0.3, (0.5 + margin) * (high - low))
    axes.set(**{f"{which}scale": "log", f"{which}lim": (10 ** (middle - reach), 10 ** (middle + reach))})
    axis = axes.xaxis if which == "x" else axes.yaxis
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if reach < 0.9 else (1,)))
    axis.set_minor_locator(LogLocator(subs=range(2, 10)))
    axis.set_major_formatter(EngFormatter(unit="s"))
    axis.set_minor_formatter(NullFormatter())


_DIRECTIONS = np.array([(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1)], dtype=float)


def place_labels(axes: Axes, points: Floats, texts: Sequence[str], reach: float) -> bool:
    """Write a text near each point, none over another, over a point or a line of the axes, or outside of them.

    points: (n, 2), in data. Each text takes the first free place, nearest first, no farther than `reach`
    (points of 1/72 inch) from its point, with a thin line to it unless it is beside it. If there is no place
    for all of them, none is written, and the answer is False.
    """
    figure = axes.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()  # after it, places and sizes are known
    points_per_pixel = 72 / figure.dpi
    at = axes.transData.transform(points) * points_per_pixel
    bounds = np.array(axes.get_window_extent().extents) * points_per_pixel
    curves = [axes.transData.transform(np.column_stack(line.get_data())) * points_per_pixel for line in axes.lines]
    taken = np.vstack([_around(at, 3), *(_around(_along(curve), 1) for curve in curves)])
    boxes, places = np.empty((0, 4)), []
    for point, text in zip(at, texts, strict=True):
        sample = axes.text(0, 0, text, fontsize=7)
        size = np.array(sample.get_window_extent().size) * points_per_pixel
        sample.remove()
        box = _free_place(point, size, reach, taken, boxes, bounds)
        if box is None:
            return False
        end = np.clip(point, box[:2], box[2:])  # of the line from the point to the text
        boxes, taken = np.vstack([boxes, box]), np.vstack([taken, box, _around(_along(np.array([point, end])), 0.5)])
        places.append((box[:2] - point, (end - box[:2]) / size, np.hypot(*(end - point))))
    for xy, text, (offset, end, gap) in zip(points, texts, places, strict=True):
        line = {"arrowstyle": "-", "linewidth": 0.4, "color": "0.4", "shrinkA": 0, "shrinkB": 2, "relpos": tuple(end)}
        how: dict[str, Any] = {"textcoords": "offset points", "fontsize": 7, "verticalalignment": "bottom"}
        axes.annotate(text, xy, offset, arrowprops=line if gap > 6 else None, **how).set_in_layout(False)
    return True


def _free_place(
    point: Floats, size: Floats, reach: float, taken: Floats, boxes: Floats, bounds: Floats
) -> Floats | None:
    """The nearest (left, bottom, right, top) around a point that overlaps nothing `taken`, within the bounds.

    Nor does the line from the point to it cross the boxes.
    """
    for gap in np.arange(4, reach, 4):
        for direction in _DIRECTIONS:
            centre = point + direction * (size / 2 + gap / np.hypot(*direction))
            low, high = centre - size / 2, centre + size / 2
            inside = (low >= bounds[:2]).all() and (high <= bounds[2:]).all()
            line = _along(np.array([point, np.clip(point, low, high)]))[:, None]
            crosses = ((line > boxes[:, :2]) & (line < boxes[:, 2:])).all(axis=2).any()
            if inside and not crosses and not ((low < taken[:, 2:]) & (high > taken[:, :2])).all(axis=1).any():
                return np.hstack([low, high])
    return None


def _around(points: Floats, radius: float) -> Floats:
    return np.hstack([points - radius, points + radius])


def _along(curve: Floats) -> Floats:
    """Points about 2 apart along a polyline of shape (n, 2)."""
    pieces = [np.linspace(a, b, 2 + int(np.hypot(*(b - a)) / 2)) for a, b in pairwise(curve)]
    return np.vstack([curve, *pieces])


def save(figures: Mapping[str, Figure], folder: str | Path, formats: Sequence[str] = ("svg", "png")) -> list[Path]:
    """Write each figure as `folder/NAME.FORMAT`, the same bytes for the same figure; returns the files.

    Text stays text in svg and pdf. Raises ValueError for a format that is not in FORMATS.
    """
    unknown = [name for name in formats if name not in FORMATS]
    if unknown:
        raise ValueError(f"unknown format {unknown[0]!r}; known are {', '.join(FORMATS)}")
    Path(folder).mkdir(parents=True, exist_ok=True)
    paths = []
    for name, figure in figures.items():
        for form in formats:
            paths.append(Path(folder) / f"{name}.{form}")
            paths[-1].write_bytes(_written(figure, form))
    return paths


def _written(figure: Figure, form: str) -> bytes:
    file = io.BytesIO()
    with styled():
        figure.savefig(file, format=form, metadata=_METADATA[form])
    return file.getvalue()


def svg_text(figure: Figure) -> str:
    """The figure as an `<svg>` element to be put into HTML: an image with a title, and ids of its own.

    Only ids that something refers to are kept, made different from those of every other figure. What
    matplotlib says in a style sheet, which would be that of the whole page, is said of this element.
    """
    source = _written(figure, "svg")
    root = ElementTree.fromstring(source)
    prefix = f"f{hashlib.sha256(source).hexdigest()[:10]}"
    used = set(re.findall(r"(?:url\(|href=\")#([^)\"]+)", source.decode()))
    for parent in root.iter():
        for child in list(parent):
            if _bare(child.tag) in ("metadata", "style"):
                parent.remove(child)
    for element in root.iter():
        element.tag = _bare(element.tag)
        attributes = {_bare(key): value for key, value in element.attrib.items()}
        if attributes.get("id") not in used:
            attributes.pop("id", None)
        element.attrib = {key: _own(key, value, prefix) for key, value in attributes.items()}
    title = ElementTree.Element("title", id=f"{prefix}-title")
    title.text = str(figure.get_label()) or "figure"
    root.insert(0, title)
    root.attrib.pop("version", None)
    root.attrib |= {"role": "img", "aria-labelledby": f"{prefix}-title", "xmlns": "http://www.w3.org/2000/svg"}
    root.set("style", "stroke-linejoin:round;stroke-linecap:butt")
    return ElementTree.tostring(root, encoding="unicode")


def _bare(name: str) -> str:
    """A name without its namespace: HTML needs none."""
    return name.rpartition("}")[2]


def _own(key: str, value: str, prefix: str) -> str:
    if key == "id":
        return f"{prefix}-{value}"
    if key == "href" and value.startswith("#"):
        return f"#{prefix}-{value[1:]}"
    return value.replace("url(#", f"url(#{prefix}-")
