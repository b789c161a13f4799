"""A run as one HTML page that needs nothing else: soundness first, tables, figures, and what was missed, drawn.

The page is a pure function of the run: the same run gives the same bytes. Templates, style and script are in
`benchmarks/templates`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import prod
from typing import Any

import pandas as pd

from benchmarks import document, stats, tables
from benchmarks.batch_tables import wrong_batches
from benchmarks.metrics import PEER, claims_text, scores, wrong_claims
from benchmarks.missed import marks, missed_positions
from benchmarks.page import Table, fill
from benchmarks.records import Run
from board.drawing import THEMES


def report(run: Run, *, limit: int = 20) -> str:
    """The run as one self-contained HTML page; it loads nothing from anywhere.

    limit: how many missed positions of a solver are drawn, and how many wrong claims are listed. Which ones:
    `benchmarks.missed.choose`.

    Raises ValueError for a negative limit, Unsupported if the libraries of `sapper[report]` are missing.
    """
    if limit < 0:
        raise ValueError(f"a limit is at least 0, not {limit}")
    judged = scores(run)
    wrong = wrong_claims(run, judged)
    listed = f"Wrong claims, {min(limit, len(wrong)):,} of {len(wrong):,}"
    return fill(
        "report.html",
        title=str(run.header.get("experiment") or "Minesweeper inference strategies compared"),
        subtitle=_subtitle(run),
        soundness="wrong" if wrong or wrong_batches(run) else "sound" if judged["answered"].any() else "unknown",
        verdict=document.verdict(run, wrong),
        wrong=Table.of(listed, tables.wrong_table(wrong, limit)),
        sections=_sections(run, judged) if run.records else [],
        figures=_figures(run, judged) if run.records else [],
        marks=marks(),
        missed=list(missed_positions(run, judged, limit)) if run.records else [],
        notes=[*document.notes(run, judged), stats.LEGEND],
        facts=list(_facts(run.header)),
        run_tables=[Table.of("Corpora", _corpora(run)), Table.of("Strategies", _strategies(run))],
        repeat=_repeat(run.header),
        themes=THEMES,
    )


def _sections(run: Run, judged: pd.DataFrame) -> list[tuple[str, str, list[Table]]]:
    """(id, name, tables) a section."""
    pooled = tables.metrics_table(run, by_corpus=False, judged=judged)
    by_corpus = tables.metrics_table(run, judged=judged)
    statistics = stats.statistics_tables(run, judged=judged)
    special = document.special_tables(run, judged, pooled)
    return [
        ("headline", "Headline", [Table.of("All corpora pooled", tables.headline(pooled))]),
        ("found", "What was found", [Table.of("All corpora pooled", tables.found(pooled))]),
        ("times", "Times", [Table.of("Time a position, extract and solve apart", tables.times(pooled))]),
        ("corpora", "Corpus by corpus", list(_matrices(run, by_corpus))),
        ("statistics", "Statistics", [Table.of(name, frame) for name, frame in statistics.items()]),
        *((title.lower(), title, [Table.of(title, frame)]) for title, frame in special.items()),
    ]


def _figures(run: Run, judged: pd.DataFrame) -> list[tuple[str, str, float]]:
    """(caption, SVG, width in inches) a figure."""
    from benchmarks.plots import all_figures, svg_text

    figures = all_figures(run, judged=judged).values()
    return [(str(figure.get_label()), svg_text(figure), figure.get_figwidth()) for figure in figures]


def _subtitle(run: Run) -> str:
    header = run.header
    counts = (
        (len(header["solvers"]), "strategy", "strategies"),
        (sum(item["asked"] for item in header["corpora"]), "position", "positions"),
        (len(header["corpora"]), "corpus", "corpora"),
        (len(header["questions"]), "question", "questions"),
        (len(run.records), "record", "records"),
    )
    words = [f"{count:,} {one if count == 1 else more}" for count, one, more in counts]
    expected = prod(count for count, one, _ in counts if one in ("strategy", "position", "question"))
    if len(run.records) != expected:
        words[-1] += f" of {expected:,}: the run is not finished"
    return f"{', '.join(words)}. Started {header['started']}."


def _matrices(run: Run, metrics: pd.DataFrame) -> Iterator[Table]:
    """One metric a table: a row a corpus, a column a strategy."""
    asked, timed = run.header["questions"], run.header["questions"][-1]
    chosen: list[tuple[str, str, str, Callable[[float], str]]] = [
        *(("Safe cells found, %", "safe_recall", question, tables.percent) for question in asked),
        *(("Positions solved, %", "solved_share", question, tables.percent) for question in asked),
        ("Median time a position, µs", "total_median_us", timed, tables.number),
    ]
    if metrics["ratio"].notna().any():
        chosen.append((f"Median time as a multiple of {PEER}'s", "ratio", timed, tables.number))
    for caption, column, question, form in chosen:
        yield Table.of(f"{caption} ({question})", tables.matrix(metrics, column, question, form))


def _facts(header: Mapping[str, Any], within: str = "") -> Iterator[tuple[str, str]]:
    """Everything in the header that has no table of its own, as (name, value)."""
    for key, value in header.items():
        name = f"{within}{key.replace('_', ' ')}"
        if not within and key in ("format", "solvers", "corpora", "command", "left_out"):
            continue
        if isinstance(value, Mapping):
            yield from _facts(value, f"{name}: ")
        elif isinstance(value, list | tuple):
            yield name, ", ".join(map(str, value))
        else:
            yield name, tables.MISSING if value is None else str(value)


def _corpora(run: Run) -> pd.DataFrame:
    rows = [
        {
            "Corpus": item["name"],
            "Asked": f"{item['asked']:,}",
            "Positions": f"{item['positions']:,}",
            "What": str(run.corpora[item["name"]].header["definition"]),
            "SHA-256 begins": item["hash"][:16],
        }
        for item in run.header["corpora"]
    ]
    return pd.DataFrame(rows)


def _strategies(run: Run) -> pd.DataFrame:
    solvers = run.header["solvers"]
    return pd.DataFrame([{"Strategy": item["label"], "Claims": claims_text(item["claims"])} for item in solvers])


def _repeat(header: Mapping[str, Any]) -> str:
    """What makes this run again: the command, or the call if it was one from Python."""
    if header["command"]:
        return str(header["command"])
    names = ([item[key] for item in header[part]] for part, key in (("solvers", "label"), ("corpora", "name")))
    rest = (f"{name}={header[name]!r}" for name in ("questions", "repeats", "limit"))
    return f"compare({', '.join([*map(repr, names), *rest])})"
