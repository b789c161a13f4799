"""What the figures of a run have in common: one style a solver, legends, axes of time, and which rows they show.

Colours are those of Okabe and Ito
(Color Universal Design, 2008) without the yellow, which is lost on white paper. Markers and dashes differ
too, so that a figure can be read in grey.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from solvers.interface import Unsupported

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMN_INCHES = 3.5  #: the width of a figure: one column of a paper
LONGEST_NAME = 44  #: signs; a legend with it is about as wide as a column
TIME = "time per position"  #: the label of an axis

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
_LOCK = threading.RLock()  # matplotlib's settings are one dictionary for all threads

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
    """A figure that pyplot does not know, with empty axes; `title` says what it shows to who cannot see it."""
    figure = empty_figure(title, height_inches, width_inches)
    figure.set_layout_engine("constrained")
    return figure, figure.add_subplot()


def empty_figure(title: str, height_inches: float, width_inches: float) -> Figure:
    """A figure without axes, which its maker places."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width_inches, height_inches))
    FigureCanvasAgg(figure)
    figure.set_label(title)
    return figure


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


def asked_rows(judged: pd.DataFrame, question: str | None) -> tuple[pd.DataFrame, str]:
    """The rows of a question, and which it is if it was not told. ValueError if it was not asked."""
    asked = list(judged["question"].cat.categories) or ["global"]
    chosen = question or ("global" if "global" in asked else asked[0])
    if chosen not in asked:
        raise ValueError(f"question {chosen!r} was not asked; the run has {', '.join(asked)}")
    return judged[judged["question"] == chosen], chosen


def places(rows: pd.DataFrame) -> pd.MultiIndex:
    """(corpus, entry) of each row, as in the index of `benchmarks.metrics.features`."""
    return pd.MultiIndex.from_frame(rows[["corpus", "entry"]].astype(str))


def by_solver(rows: pd.DataFrame) -> Iterator[tuple[int, str, pd.DataFrame]]:
    """(number in the run, name, its rows) of each solver that answered something."""
    labels = list(rows["solver"].cat.categories)
    names = short_names(labels)
    for order, label in enumerate(labels):
        mine = rows[rows["solver"] == label]
        if mine["answered"].any():
            yield order, names[label], mine
