"""Texts beside the points of a figure, apart from each other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]

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
