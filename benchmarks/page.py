"""How a page is made of tables and templates: what is in `benchmarks/templates`, filled."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import pandas as pd

from benchmarks.tables import MISSING
from solvers.interface import Unsupported

if TYPE_CHECKING:
    import jinja2
    from markupsafe import Markup

_NUMBER = re.compile(r"[<>≤≥~]?\s*[-+−]?[\d,]*\.?\d+[^a-df-zA-Z]*")


@dataclass(frozen=True, slots=True)
class Table:
    """A frame of text for the template: (name, whether its cells are numbers) a column."""

    caption: str
    heads: tuple[tuple[str, bool], ...]
    rows: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, caption: str, frame: pd.DataFrame) -> Table:
        """The table of a frame; a column is one of numbers if each of its cells is one, or several, or missing."""
        rows = tuple(tuple(map(str, row)) for row in frame.to_numpy().tolist())
        columns = zip(*rows, strict=True) if rows else [()] * len(frame.columns)
        numeric = [all(cell == MISSING or bool(_NUMBER.fullmatch(cell)) for cell in column) for column in columns]
        return cls(caption, tuple(zip(map(str, frame.columns), numeric, strict=True)), rows)


def fill(template: str, **values: Any) -> str:
    """The text of a template with these values, all of them escaped; Unsupported without jinja2."""
    return _environment().get_template(template).render(**values)


@cache
def _environment() -> jinja2.Environment:
    try:
        import jinja2
    except ModuleNotFoundError as missing:
        raise Unsupported("the report needs jinja2: pip install 'sapper[report]'") from missing
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("benchmarks", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["breakable"] = breakable
    return environment


def breakable(text: str) -> Markup:
    """The text for HTML, in which a word of over 20 signs, such as the name of a solver, may be broken.

    That is after `,`, `:` and `=`, and after 16 signs without one, so that names neither overlap nor widen a table.

    >>> breakable("a<b sat:encoding=totalizer")
    Markup('a&lt;b sat:<wbr>encoding=<wbr>totalizer')
    """
    from markupsafe import Markup

    parts = re.split(r"(\S{21,})", text)  # every other one is a long word
    parts[1::2] = [Markup("<wbr>").join(re.findall(r"[^,:=]{0,16}[,:=]|[^,:=]{1,16}", word)) for word in parts[1::2]]
    return Markup("").join(parts)
