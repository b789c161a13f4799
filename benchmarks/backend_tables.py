"""Solvers that ask a backend, as tables: where their time goes, how much they ask, and who is the fastest where."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.metrics import SIZES
from benchmarks.tables import MISSING, as_text, number, percent, ratio

LEGEND = (
    "Fastest: share of the positions that anyone solved on which the strategy solved it first, in per cent (ties count "
    "for each), of all corpora and of each; × next: by which factor the next one was slower there, a geometric mean. "
    "Strategies that are never the fastest are left out."
)


def work_table(metrics: pd.DataFrame) -> pd.DataFrame:
    """What solvers told of their work, as text: a row a (corpus,) question and strategy that told any.

    metrics: `benchmarks.tables.metrics_table`. Times and sizes are medians, shares are means over the positions.
    """
    table: list[dict[str, Any]] = []
    for found in metrics.to_dict("records"):
        row = {str(key): value for key, value in found.items()}
        if not row["work_positions"]:
            continue
        line = {"Corpus": row["corpus"]} if "corpus" in row else {}
        line |= {"Question": row["question"], "Strategy": row["solver"], "Positions": f"{row['work_positions']:,.0f}"}
        parts = ("encode", "search", "rest")
        line |= {f"{part.capitalize()} µs": number(row[f"{part}_median_us"]) for part in parts}
        line |= {f"{part.capitalize()} %": percent(row[f"{part}_share"]) for part in parts}
        table.append(line | {size.capitalize(): _count(row[f"{size}_median"]) for size in SIZES})
    return as_text(table)


def _count(median: float) -> str:
    """A median of whole numbers.

    >>> _count(1234.0), _count(2.5), _count(float("nan"))
    ('1,234', '2.5', '–')
    """
    return MISSING if math.isnan(median) else f"{median:,.0f}" if median == int(median) else f"{median:,.1f}"


def work_notes(metrics: pd.DataFrame) -> list[str]:
    """How to read the table, if there is one."""
    if not len(metrics) or not metrics["work_positions"].any():
        return []
    return [
        "Work: what a call of `deduce` was spent on, by clocks inside of it. Encode: the problem written down for the "
        "backend; Search: in the backend; Rest: splitting into components, and Python around them. µs are medians, "
        "shares are means over the positions; Variables, Clauses, Constraints, Calls (of the backend) and Conflicts "
        "are medians. Positions: of how many this is known; those that are settled without the backend are not."
    ]


def wins(times: pd.DataFrame) -> pd.DataFrame:
    """Which solver is the fastest, and by how much: a row a solver, by its label.

    times: of :func:`solved_times`. A position counts if anyone solved it, and for the fastest of those who did, by its
    median time; ties count for each. Columns: `fastest`, the share of these positions; `lead`: how many times as long
    the next fastest took where this one was the fastest (geometric mean over the positions that others solved, too);
    `behind`: the time as a multiple of the fastest's (geometric mean over the positions that it solved itself). nan
    without any such position.

    >>> wins(pd.DataFrame({"one": [2.0, 8.0, 1.0], "two": [4.0, 1.0, np.inf]})).round(3).to_dict("list")
    {'fastest': [0.667, 0.333], 'lead': [2.0, 8.0], 'behind': [2.0, 1.414]}
    """
    values = times.to_numpy(float)
    best = values.min(axis=1, initial=np.inf)
    solved = np.isfinite(best)
    values, best = values[solved], best[solved, None]
    first = values == best
    next_best = np.sort(values, axis=1)[:, 1:2] if values.shape[1] > 1 else np.full_like(best, np.inf)
    found = {
        "fastest": first.mean(axis=0) if len(first) else np.nan,
        "lead": _geometric_means(next_best / best, first & np.isfinite(next_best)),
        "behind": _geometric_means(values / best, np.isfinite(values)),
    }
    return pd.DataFrame(found, index=times.columns)


def solved_times(asked: pd.DataFrame) -> pd.DataFrame:
    """Nanoseconds of each position, (corpus, entry), with each solver; inf where it did not solve it."""
    solved = asked["total"].where(asked["solved"], np.inf)
    places = [asked["corpus"].astype(object), asked["entry"]]
    return solved.groupby([*places, asked["solver"].astype(object)], sort=False).min().unstack().fillna(np.inf)


def _geometric_means(ratios: NDArray[np.float64], chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Of each column, over the rows that are chosen; nan without any. The ratios may be one column for all."""
    logarithms = np.log(np.broadcast_to(ratios, chosen.shape), out=np.zeros(chosen.shape), where=chosen)
    counts = chosen.sum(axis=0)
    means = np.divide(logarithms.sum(axis=0), counts, out=np.full(len(counts), np.nan), where=counts > 0)
    return np.asarray(np.exp(means))


def wins_rows(question: str, times: pd.DataFrame) -> list[dict[str, str]]:
    """:func:`wins` of all corpora and of each, as text: the solvers that win anywhere, those that win most first."""
    found = wins(times)
    corpora = {str(corpus): dict(wins(part)["fastest"]) for corpus, part in times.groupby(level="corpus", sort=False)}
    table = []
    for solver, row in found[found["fastest"] > 0].sort_values("fastest", ascending=False, kind="stable").iterrows():
        line = {"Question": question, "Strategy": str(solver), "Fastest %": percent(row["fastest"])}
        if len(corpora) > 1:
            line |= {f"{corpus} %": percent(shares[solver]) for corpus, shares in corpora.items()}
        table.append(line | {"× next": ratio(row["lead"])})
    return table
