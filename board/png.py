"""A drawing as pixels. Needs the library resvg_py (the Rust renderer resvg), which comes with the extra `png`."""

from __future__ import annotations

import math


def to_png(svg: str, *, zoom: float = 2.0, background: str | None = None) -> bytes:
    """The PNG of a drawing by :func:`board.drawing.to_svg`.

    The theme "auto" comes out light, as what a reader prefers is not known here. Digits need a font that is installed.

    svg: any SVG text without the theme "page".
    zoom: pixels for each of the drawing's.
    background: a CSS colour behind the drawing; None leaves it transparent.

    Raises ValueError for a drawing of the theme "page", whose colours are those of a page, for a zoom that is not above
    0, and for what is no SVG; ImportError where resvg_py is missing.
    """
    if not 0 < zoom < math.inf:
        raise ValueError(f"zoom is above 0, not {zoom}")
    if "var(--" in svg:
        raise ValueError('a drawing of the theme "page" has its colours from a page: draw it with another theme')
    try:
        from resvg_py import svg_to_bytes
    except ModuleNotFoundError as missing:
        raise ImportError(
            "a PNG needs the library resvg_py, which is not installed: pip install 'sapper[png]'"
        ) from missing
    try:
        return bytes(svg_to_bytes(svg_string=svg, zoom=zoom, background=background))
    except ValueError as wrong:
        raise ValueError(f"no picture of {svg[:40]!r} on background {background!r}: {wrong}") from None
