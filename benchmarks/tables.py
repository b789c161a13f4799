"""Metrics as tables, and how tables are written.

`metrics_table` holds every metric, unrounded. `headline`, `found`, `times` and `matrix` choose from it and
round: frames of text. `markdown`, `latex` (booktabs), `html` and `rich_table` write any frame of text;
`benchmarks.document` puts a run's tables together.
"""

from __future__ import annotations

import dataclasses
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from benchmarks.metrics import claims_text, summaries
from benchmarks.records import Record, Run
from solvers import Unsupported, make_solver, solver_names
from solvers.registry import write_value

if TYPE_CHECKING:
    from rich.table import Table

MISSING = "–"
Row = Mapping[str, Any]

_NAMES = {"Corpus", "Board", "Rule", "First", "Strategy", "Policy", "Question", "Threads", "Value"}
_LEFT = _NAMES - {"Threads"} | {"Claims", "Method", "Position", "Parameters", "What"}
_QUESTIONS = ("local", "global")


def metrics_table(run: Run, *, by_corpus: bool = True, judged: pd.DataFrame | None = None) -> pd.DataFrame:
    """Every metric of `benchmarks.metrics.summaries`, unrounded: a row a (corpus,) question and solver.

    judged: `benchmarks.metrics.scores(run)`, if it is at hand.
    """
    return pd.DataFrame(summaries(run, by_corpus=by_corpus, judged=judged))


def percent(share: float) -> str:
    """A share in per cent, one decimal; only what is exactly all or nothing reads 100.0 or 0.0.

    >>> percent(0.5), percent(0.99999), percent(1.0), percent(float("nan"))
    ('50.0', '>99.9', '100.0', '–')
    """
    if math.isnan(share):
        return MISSING
    if share not in (0, 1) and not 0.0005 <= share < 0.9995:
        return "<0.1" if share < 0.5 else ">99.9"
    return f"{100 * share:.1f}"


def number(value: float) -> str:
    """A positive number to about three digits.

    >>> number(0.1234), number(12.34), number(12345.6), number(float("nan"))
    ('0.12', '12.3', '12,346', '–')
    """
    if math.isnan(value):
        return MISSING
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def ratio(value: float) -> str:
    """As `number`; two digits of a small one.

    >>> ratio(1.234), ratio(0.00123)
    ('1.23', '0.0012')
    """
    return number(value) if math.isnan(value) or value >= 0.1 else f"{value:#.2g}"


def with_interval(value: float, low: float, high: float, form: Callable[[float], str]) -> str:
    """A value and the interval it lies in, if there is one.

    >>> with_interval(1.5, 1.0, 2.0, number)
    '1.50 [1.00, 2.00]'
    """
    return form(value) if math.isnan(low) else f"{form(value)} [{form(low)}, {form(high)}]"


def headline(metrics: pd.DataFrame) -> pd.DataFrame:
    """One row a (corpus and) strategy, both questions side by side.

    Times are of extract and solve together, for the question with the mine count if that was asked.
    """
    pairs: dict[tuple[str, str], dict[str, Row]] = {}
    for row in _rows(metrics):
        pairs.setdefault((row.get("corpus", ""), row["solver"]), {})[row["question"]] = row
    table = []
    for sides in pairs.values():
        timed = sides.get("global") or sides["local"]
        claims = timed["claims"].partition(",")[0]
        line = {**_names(timed), "Claims": claims if claims.startswith("complete") else "sound"}
        line["Wrong"] = _sum(sides, "wrong")
        line["Failed"] = _sum(sides, "errors")
        for heading, key in (("Safe", "safe_recall"), ("Solved", "solved_share")):
            line |= {f"{heading} {q} %": percent(sides[q][key]) for q in _QUESTIONS if q in sides}
        line["Complete %"] = percent(timed["complete_share"])
        spread = _spread(timed)
        del spread["Max µs"]
        table.append({**line, **spread, "PAR-2 ms": number(timed["par2_us"] / 1000)})
    return as_text(table)


def found(metrics: pd.DataFrame) -> pd.DataFrame:
    """What was found, a row a (corpus,) question and strategy: recalls of the question's own truth.

    `Safe of global %`: what part of the safe cells that the clues and the mine count entail.
    """
    table = []
    for row in _rows(metrics):
        counts = {
            "Positions": row["positions"],
            "Nothing entailed": row["nothing_entailed"],
            "Wrong": row["wrong"],
            "Timeouts": row["timeout"],
            "Memory": row["memory"],
            "Crashes": row["crashed"],
            "Errors": row["error"],
            "Unsupported": row["unsupported"],
        }
        shares = {
            "Safe %": "safe_recall",
            "Mines %": "mine_recall",
            "Both %": "recall",
            "Safe of global %": "safe_recall_of_global",
            "Solved %": "solved_share",
        }
        table.append({**_names(row, question=True), **counts, **{h: percent(row[key]) for h, key in shares.items()}})
    return as_text(table)


def times(metrics: pd.DataFrame) -> pd.DataFrame:
    """How long a position took, a row a (corpus,) question and strategy: extract, solve, both together.

    `Peak MB`: the most memory that any of the calls took; only if it was measured.
    """
    table = []
    for row in _rows(metrics):
        parts = {f"{part.capitalize()} µs": number(row[f"{part}_median_us"]) for part in ("extract", "solve")}
        peak = {"Peak MB": number(row["peak_max_bytes"] / 1e6)}
        table.append({**_names(row, question=True), **parts, **_spread(row), **peak})
    return as_text(table)


def matrix(metrics: pd.DataFrame, column: str, question: str, form: Callable[[float], str]) -> pd.DataFrame:
    """One metric of one question: a row a corpus, a column a strategy."""
    rows: dict[str, dict[str, str]] = {}
    for row in _rows(metrics):
        if row["question"] == question:
            line = rows.setdefault(row["corpus"], {"Corpus": row["corpus"]})
            line[row["solver"]] = form(row[column])
    return as_text(list(rows.values()))


def wrong_table(wrong: Sequence[tuple[Record, str]], limit: int = 20) -> pd.DataFrame:
    """The first of `benchmarks.metrics.wrong_claims`, one a row."""
    return as_text(
        [
            {
                "Strategy": record.solver,
                "Corpus": record.corpus,
                "Position": record.entry,
                "Question": record.question,
                "What": words if len(words) <= 100 else words[:99] + "…",
            }
            for record, words in wrong[:limit]
        ]
    )


def strategies_table() -> pd.DataFrame:
    """A row a strategy of the registry: what it claims with its default parameters, these, and what it does."""
    rows = []
    for name in solver_names():
        row = dict.fromkeys(("Strategy", "Claims", "Parameters", "What"), "")
        row["Strategy"] = name
        try:
            made: Any = make_solver(name)
        except (Unsupported, ValueError) as missing:
            row["What"] = str(missing)
        else:
            fields = dataclasses.fields(made)
            row["Claims"] = claims_text(dataclasses.asdict(made.claims))
            row["Parameters"] = " ".join(f"{f.name}={write_value(getattr(made, f.name))}" for f in fields)
            row["What"] = (sys.modules[type(made).__module__].__doc__ or "").partition("\n")[0]
        rows.append(row)
    return pd.DataFrame(rows)


def markdown(frame: pd.DataFrame) -> str:
    """A frame of text as a markdown table.

    >>> print(markdown(pd.DataFrame({"Strategy": ["sat"], "Wrong": ["0"]})))
    | Strategy | Wrong |
    |:---|---:|
    | sat | 0 |
    """
    rule = "".join(":---|" if column in _LEFT else "---:|" for column in frame.columns)
    lines = [list(frame.columns), *frame.to_numpy().tolist()]
    escaped = [[str(cell).replace("|", "\\|") for cell in line] for line in lines]
    head, *body = [f"| {' | '.join(line)} |" for line in escaped]
    return "\n".join([head, f"|{rule}", *body])


_LATEX = str.maketrans(
    {
        **{c: f"\\{c}" for c in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "–": "--",
        "…": r"\dots{}",
        "×": r"$\times$",
        "µ": r"$\mu$",
    }
)


def latex(frame: pd.DataFrame) -> str:
    """A frame of text as a LaTeX tabular; needs the package booktabs."""
    columns = "".join("l" if column in _LEFT else "r" for column in frame.columns)
    head, *body = [
        " & ".join(str(cell).translate(_LATEX) for cell in line) + r" \\"
        for line in (list(frame.columns), *frame.to_numpy().tolist())
    ]
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            head,
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def html(frame: pd.DataFrame) -> str:
    """A frame of text as an HTML table."""
    return frame.to_html(index=False, border=0)


def fitted(frame: pd.DataFrame, width: int) -> list[pd.DataFrame]:
    """The frame in as few parts as fit a terminal of so many columns, each with the columns that name its rows.

    >>> frame = pd.DataFrame({"Strategy": ["sat"], "Median µs": ["370"], "p95 µs": ["841"]})
    >>> [list(part.columns) for part in fitted(frame, 26)]
    [['Strategy', 'Median µs'], ['Strategy', 'p95 µs']]
    """
    names = [column for column in frame.columns if column in _NAMES]
    space = {column: 2 + max(map(len, [column, *frame[column]])) for column in frame.columns}
    parts: list[list[str]] = [[]]
    for column in (column for column in frame.columns if column not in _NAMES):
        if parts[-1] and sum(space[c] for c in (*names, *parts[-1], column)) > width - 2:
            parts.append([])
        parts[-1].append(column)
    return [frame[[*names, *part]] for part in parts]


def rich_table(frame: pd.DataFrame, title: str) -> Table:
    """A frame of text for a terminal."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0), min_width=len(title))
    for column in frame.columns:
        table.add_column(
            Text(column),
            justify="left" if column in _LEFT else "right",
            no_wrap=column in ("Corpus", "Strategy"),
            min_width=len("complete") if column == "Claims" else None,
        )
    for line in frame.to_numpy().tolist():
        table.add_row(*(Text(str(cell)) for cell in line))
    return table


def _rows(metrics: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(key): value for key, value in row.items()} for row in metrics.to_dict("records")]


def _names(row: Row, *, question: bool = False) -> dict[str, Any]:
    names = {"Corpus": row["corpus"]} if "corpus" in row else {}
    names |= {"Question": row["question"]} if question else {}
    return {**names, "Strategy": row["solver"]}


def _spread(row: Row) -> dict[str, str]:
    spread = {"Median µs": "total_median_us", "p95 µs": "total_p95_us", "Max µs": "total_max_us"}
    return {h: number(row[key]) for h, key in spread.items()} | {"× peer": number(row["ratio"])}


def _sum(sides: Mapping[str, Row], key: str) -> int:
    return sum(int(row[key]) for row in sides.values())


def as_text(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """The rows as text, without the columns in which nobody has a value."""
    frame = pd.DataFrame(rows).fillna(MISSING).astype(str)
    empty = {"Failed": "0", "Errors": "0", "Unsupported": "0", "× peer": MISSING}
    empty |= dict.fromkeys(("Timeouts", "Memory", "Crashes", "Wrong positions"), "0")
    empty |= dict.fromkeys(("PAR-2 ms", "Peak MB", "× one thread"), MISSING)
    empty |= dict.fromkeys(("Variables", "Clauses", "Constraints", "Calls", "Conflicts"), MISSING)
    keep = [c for c in frame.columns if c not in empty or (frame[c] != empty[c]).any()]
    return frame[keep]
