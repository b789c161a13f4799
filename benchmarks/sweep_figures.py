"""Figures of swept parameters: the median time of every combination of two, a panel each value of the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from benchmarks.metrics import limit_seconds
from benchmarks.records import Run
from benchmarks.styling import COLUMN_INCHES, asked_rows, drawn, empty_figure
from benchmarks.tables import ratio

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap, LogNorm
    from matplotlib.figure import Figure

_WIDEST_INCHES = 7.2  #: both columns of a paper; panels that do not fit go below
_CELL_INCHES = (0.4, 0.19)
_SIGN_INCHES = 0.062  #: of a label
_FOOT_INCHES = 0.7
_REFUSED: dict[str, Any] = {"facecolor": "white", "edgecolor": "0.75", "hatch": "//////", "linewidth": 0}


@dataclass(frozen=True, slots=True)
class Grid:
    """One panel.

    title: the values of the parameters that are no axes. corner: the names of those that are. rows, columns: their
    values.
    seconds: float64[rows, columns], the median times, inf where fewer than half of the questions were answered, nan
    where it was not asked; refused: bool[rows, columns].
    """

    title: str
    corner: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    seconds: npt.NDArray[np.float64]
    refused: npt.NDArray[np.bool_]

    @property
    def margins(self) -> tuple[float, float]:
        """Inches of the labels to the left and above."""
        left, top = (max(map(len, names)) * _SIGN_INCHES for names in (self.rows, self.columns))
        corner = 0.8 * _SIGN_INCHES * len(self.corner)  # in smaller signs
        return max(left, corner) + 0.2, 0.6 * top + 0.2 + (0.2 if self.title else 0)

    @property
    def inches(self) -> tuple[float, float]:
        """Width and height, labels and all; slanted labels of the last column reach beyond the cells."""
        left, top = self.margins
        width = max(left + _CELL_INCHES[0] * len(self.columns), 1.15 * _SIGN_INCHES * len(self.title))
        return width + 0.3, top + _CELL_INCHES[1] * len(self.rows) + 0.12


def swept_names(run: Run) -> list[str]:
    """The names of solvers that the run has with at least two values in each of two parameters."""
    names = dict.fromkeys(solver["label"].partition(":")[0] for solver in run.header["solvers"])
    return [name for name in names if len(_varied(_asked(run, name).values())) > 1]


def _asked(run: Run, name: str) -> dict[str, Mapping[str, str]]:
    """Label -> parameters of the solvers of one name; runs of an older version do not know them."""
    solvers = [solver for solver in run.header["solvers"] if solver["label"].partition(":")[0] == name]
    return {solver["label"]: solver["parameters"] for solver in solvers if solver.get("parameters")}


def _varied(found: Iterable[Mapping[str, str]]) -> dict[str, list[str]]:
    """The parameters with at least two values, and these in order; those with the most values come first."""
    values: dict[str, dict[str, None]] = {}
    for parameters in found:
        for key, value in parameters.items():
            values.setdefault(key, {})[value] = None
    varied = {key: list(known) for key, known in values.items() if len(known) > 1}
    return dict(sorted(varied.items(), key=lambda item: -len(item[1])))


def grids(run: Run, judged: pd.DataFrame, name: str, question: str | None = None) -> tuple[list[str], list[Grid]]:
    """(the parameters of rows and columns, the panels) of the solvers of one name.

    The two parameters with the most values are the axes. A median is over the positions of all corpora, with those
    that were not answered as the slowest. Rows and columns of a panel are the values that are asked or refused in it.
    """
    rows, question = asked_rows(judged, question)
    asked = _asked(run, name)
    taken = rows[rows["solver"].isin(list(asked))]
    seconds = taken["total"].where(taken["answered"], np.inf).groupby(taken["solver"], observed=True).median() / 1e9
    refused = [one["parameters"] for one in run.header.get("left_out", ()) if one["spec"].partition(":")[0] == name]
    varied = _varied(asked.values())
    axes, others = list(varied)[:2], list(varied)[2:]
    panels: dict[tuple[str, ...], dict[tuple[str, str], float]] = {}
    for label, parameters in asked.items():
        panel = panels.setdefault(tuple(parameters[key] for key in others), {})
        panel[parameters[axes[0]], parameters[axes[1]]] = float(seconds.get(label, np.nan))
    for parameters in refused:
        panel = panels.get(tuple(parameters.get(key, "") for key in others), {})
        panel.setdefault((parameters.get(axes[0], ""), parameters.get(axes[1], "")), -1.0)
    found = []
    for values, cells in panels.items():
        title = ", ".join(f"{key} = {value}" for key, value in zip(others, values, strict=True))
        sides = [_ordered(cells, axis, varied[key]) for axis, key in enumerate(axes)]
        found.append(_grid(title, f"{axes[0]} \\ {axes[1]}", cells, *sides))
    return axes, found


def _ordered(cells: Mapping[tuple[str, str], float], axis: int, known: Sequence[str]) -> tuple[str, ...]:
    """The values on one axis in the order of the run; then those that were refused with everything."""
    there = dict.fromkeys(place[axis] for place in cells)
    return tuple(value for value in dict.fromkeys([*known, *there]) if value in there)


def _grid(
    title: str, corner: str, cells: Mapping[tuple[str, str], float], rows: tuple[str, ...], columns: tuple[str, ...]
) -> Grid:
    values = np.array([[cells.get((row, column), np.nan) for column in columns] for row in rows])
    return Grid(title, corner, rows, columns, np.where(values < 0, np.nan, values), values < 0)


@drawn
def sweep(run: Run, judged: pd.DataFrame, name: str, question: str | None = None) -> Figure | None:
    """The median time of every combination of two swept parameters, a panel each combination of the others.

    The darker, the slower, on a logarithmic scale; a combination that the solver refused is hatched, one that was not
    asked is blank. None without a median, or if fewer than two parameters have two values (:func:`swept_names`).
    """
    from matplotlib.colors import LogNorm

    if name not in swept_names(run):
        return None
    question = asked_rows(judged, question)[1]
    axes, panels = grids(run, judged, name, question)
    known = np.concatenate([panel.seconds[np.isfinite(panel.seconds)] for panel in panels])
    known = known[known > 0]
    if not known.size:
        return None
    scale = LogNorm(known.min(), max(1.5 * known.min(), known.max()))
    unit, factor = ("ms", 1e3) if known.max() >= 0.1 else ("µs", 1e6)
    limit = limit_seconds(run)
    late = "–" if limit is None else f">{limit:g} s"
    places, (width, height) = _placed(panels)
    figure = empty_figure(f"Median time by {axes[0]} and {axes[1]} of {name}, {question} question", height, width)
    for panel, (left, top) in zip(panels, places, strict=True):
        margin_left, margin_top = panel.margins
        cells = _CELL_INCHES[0] * len(panel.columns), _CELL_INCHES[1] * len(panel.rows)
        into = _axes(figure, left + margin_left, height - top - margin_top - cells[1], *cells)
        _draw(into, panel, scale, lambda seconds: ratio(seconds * factor), late)
    _draw_foot(figure, panels, scale, f"median time per position (numbers: {unit})")
    return figure


def _placed(panels: Sequence[Grid]) -> tuple[list[tuple[float, float]], tuple[float, float]]:
    """(left, top) of each panel in inches, in lines as wide as fits, and the size of the figure with its foot."""
    places: list[tuple[float, float]] = []
    left = top = deep = wide = 0.0
    for panel in panels:
        width, height = panel.inches
        if left and left + width > _WIDEST_INCHES:
            left, top, deep = 0.0, top + deep, 0.0
        places.append((left, top))
        left, deep = left + width, max(deep, height)
        wide = max(wide, left)
    return places, (max(COLUMN_INCHES, wide), top + deep + _FOOT_INCHES)


def _axes(figure: Figure, left: float, bottom: float, width: float, height: float) -> Axes:
    """Axes at a place in inches."""
    across, up = figure.get_size_inches()
    return figure.add_axes((left / across, bottom / up, width / across, height / up))


def _draw(axes: Axes, panel: Grid, scale: LogNorm, form: Callable[[float], str], late: str) -> None:
    """One panel. form: a time as the text of its cell; late: that of a cell without a median."""
    from matplotlib.patches import Rectangle

    size = len(panel.columns), len(panel.rows)
    never = np.isinf(panel.seconds)
    shown = np.where(never, scale.vmax or 0.0, panel.seconds)
    axes.pcolormesh(np.ma.masked_invalid(shown), norm=scale, cmap=_colours(), edgecolors="white", linewidth=0.8)
    how: dict[str, Any] = {"fontsize": 6, "ha": "center", "va": "center_baseline"}
    for (row, column), seconds in np.ndenumerate(panel.seconds):
        if panel.refused[row, column]:
            axes.add_patch(Rectangle((column, row), 1, 1, **_REFUSED))
        elif not np.isnan(seconds):
            dark = float(scale(shown[row, column])) > 0.6  # there white is read better than black
            text = late if never[row, column] else form(seconds)
            axes.text(column + 0.5, row + 0.5, text, color="white" if dark else "black", **how)
    axes.set(xlim=(0, size[0]), ylim=(size[1], 0))
    axes.set_xticks(np.arange(size[0]) + 0.5, panel.columns, rotation=45, ha="left", rotation_mode="anchor")
    axes.set_yticks(np.arange(size[1]) + 0.5, panel.rows)
    axes.tick_params(length=0, top=False, labeltop=True, labelbottom=False)
    axes.spines[:].set_visible(False)
    left, top = (72 * inches for inches in panel.margins)
    at: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points"}
    axes.annotate(panel.corner, (0, 1), (-4, 3), ha="right", fontsize=6, color="0.4", **at)
    if panel.title:
        axes.annotate(panel.title, (0, 1), (4 - left, top - 11), fontsize=8, **at)


def _colours() -> Colormap:
    """From light blue to dark blue; white is for what was not asked."""
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap

    return ListedColormap(colormaps["Blues"](np.linspace(0.12, 0.95, 256)))


def _draw_foot(figure: Figure, panels: Sequence[Grid], scale: LogNorm, label: str) -> None:
    """The scale of colours, and what the other cells are."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.patches import Patch
    from matplotlib.ticker import EngFormatter, LogLocator, NullLocator

    span = (scale.vmax or 1) / (scale.vmin or 1)
    subs = (1, 2, 5) if span < 8 else (1, 3) if span < 80 else (1,)
    how: dict[str, Any] = {"ticks": LogLocator(subs=subs), "format": EngFormatter(unit="s")}
    mappable = ScalarMappable(scale, _colours())
    bar = figure.colorbar(mappable, cax=_axes(figure, 0.15, 0.36, 2.0, 0.09), orientation="horizontal", **how)
    bar.ax.xaxis.set_minor_locator(NullLocator())
    bar.outline.set_visible(False)
    bar.ax.annotate(label, (0, 1), (0, 4), "axes fraction", "offset points", fontsize=6.5)
    refused = any(panel.refused.any() for panel in panels)
    blank = any((np.isnan(panel.seconds) & ~panel.refused).any() for panel in panels)
    kinds = [("refused", _REFUSED)] * refused + [("not asked", {"facecolor": "white"})] * blank
    if kinds:
        patches = [Patch(**{**look, "edgecolor": "0.6", "linewidth": 0.5}) for _, look in kinds]
        place = (2.3 / figure.get_figwidth(), 0.18 / figure.get_figheight())
        figure.legend(patches, [name for name, _ in kinds], loc="lower left", bbox_to_anchor=place, borderpad=0)
