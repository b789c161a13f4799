"""Figures written: as files, and as SVG for a page. The same figure gives the same bytes."""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from benchmarks.styling import styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_METADATA: dict[str, dict[str, None]] = {
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
FORMATS = tuple(_METADATA)


def save(figures: Mapping[str, Figure], folder: str | Path, formats: Sequence[str] = ("svg", "png")) -> list[Path]:
    """Write each figure as `folder/NAME.FORMAT`; returns the files.

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
