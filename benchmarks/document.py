"""A run's tables put together as one text: wrong claims first, then the tables, then what a reader must know."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from html import escape

import pandas as pd

from benchmarks.backend_tables import work_notes, work_table
from benchmarks.batch_tables import batch_notes, batches_table, wrong_batches
from benchmarks.explanation_tables import clues_table, explanation_notes, found_table
from benchmarks.left_out import LeftOut, left_out_notes
from benchmarks.metrics import PEER, peer_library_share, scores, wrong_claims
from benchmarks.records import Record, Run, failure_notes
from benchmarks.scaling import growth_notes, growth_table
from benchmarks.tables import found, headline, html, latex, markdown, metrics_table, percent, times, wrong_table

FORMS = ("markdown", "csv", "latex", "html")
UNSTABLE_SPREAD = 0.5  #: repeats that lie further apart than this part of their median
UNSTABLE_LOAD = 0.5  #: a load above this part of the cores


def verdict(run: Run, wrong: Sequence[tuple[Record, str]]) -> str:
    """One sentence on soundness, of a run and its wrong claims: the first thing to read; another on wrong batches."""
    batches = Counter(batch.solver for batch in wrong_batches(run))
    said = ", ".join(f"{solver} {count}" for solver, count in batches.items())
    return _of_records(run, wrong) + (f" WRONG BATCHES, of whole corpora put at once: {said}." if said else "")


def _of_records(run: Run, wrong: Sequence[tuple[Record, str]]) -> str:
    answers = sum(record.status is not None for record in run.records)
    if not answers:
        return "No answers."
    if not wrong:
        return f"No wrong claim in {answers:,} answers."
    counts = Counter(record.solver for record, _ in wrong)
    by_solver = ", ".join(f"{solver} {count}" for solver, count in counts.items())
    return f"WRONG CLAIMS in {len(wrong):,} of {answers:,} answers: {by_solver}."


def notes(run: Run, judged: pd.DataFrame | None = None, metrics: pd.DataFrame | None = None) -> list[str]:
    """What a reader of the tables must know: how to read them, what is special, where they come from.

    judged: `scores(run)`, metrics: `benchmarks.tables.metrics_table(run)`, if they are at hand.
    """
    header = run.header
    judged = scores(run) if judged is None else judged
    metrics = metrics_table(run, judged=judged) if metrics is None else metrics
    lines = [
        "Safe, Mines, Both: share of the entailed cells that were found, pooled over the positions. local: "
        "from the clues alone; global: with the mine count. Positions in which nothing is entailed have no "
        "part in it. Solved: share of the other positions in which everything entailed was found. Complete: share of "
        "the positions answered with a claim that nothing is missing. Times in "
        f"microseconds a position, extract and solve together; × peer: multiple of {PEER}'s median.",
    ]
    share = peer_library_share(run)
    if not math.isnan(share):
        lines.append(
            f"Of {PEER}'s time {percent(share)} % (median) is its library's own call; in the rest its board is made of "
            "the position, and its answer is read."
        )
    if judged["peak_bytes"].notna().any():
        lines.append(
            "Peak MB: the most memory that the process held during a call beyond what it held before it, known to a "
            "few 0.1 MB; memory that it kept from an earlier call and used again is not in it."
        )
    limits = header["limits"]
    if limits["seconds"] is not None:
        lines.append(
            f"Limits of a call: {limits['seconds']:g} s"
            + (f", {limits['memory_bytes'] / 1e6:,.0f} MB. " if limits["memory_bytes"] else ". ")
            + ("" if header["machine"].get("bounds_memory", True) else "This system did not bound the memory. ")
            + "Failed: questions without an answer. PAR-2: mean time, twice the limit where not all was found."
        )
    stuck = [name for name in run.corpora if name.endswith("stuck")]
    if stuck:
        lines.append(
            f"The positions of {', '.join(stuck)} were chosen because subset inference (in minmax-stuck: "
            "minmax too) finds no safe cell there: its safe recall of 0 is that choice, not a result."
        )
    asked = sum(item["asked"] for item in header["corpora"])
    expected = asked * len(header["questions"]) * len(header["solvers"])
    if len(run.records) != expected:
        lines.append(f"The run is not finished: {len(run.records):,} of {expected:,} records.")
    lines += failure_notes(run.records)
    lines += left_out_notes([LeftOut(**item) for item in header.get("left_out", ())])
    lines += [
        *work_notes(metrics),
        *explanation_notes(run),
        *growth_notes(run),
        *batch_notes(run),
        *unstable(run, judged),
    ]
    corpora = ", ".join(
        f"{item['name']} {item['hash'][:12]} ({item['asked']} of {item['positions']})" for item in header["corpora"]
    )
    machine = header["machine"]
    commit = f"{machine['commit'] or 'unknown'}{', with changes' if machine['dirty'] else ''}"
    lines += [
        f"Corpora: {corpora}.",
        f"Made by `{header['command'] or 'compare()'}` at {header['started']}, sapper {machine['sapper']}, "
        f"commit {commit}, Python {machine['python']}, {machine['cpu']}, {machine['cores']} cores.",
    ]
    for part in header.get("merged", ()):
        where = part["machine"]
        lines.append(
            f"A part of it, {part['records']:,} records: `{part['command'] or 'compare()'}` at {part['started']}, "
            f"commit {where['commit'] or 'unknown'}, {where['cpu']}, {where['cores']} cores."
        )
    return lines


def unstable(run: Run, judged: pd.DataFrame) -> list[str]:
    """What makes the times of a run doubtful, a sentence each; empty if nothing does."""
    sentences = []
    repeated = judged["spread"].notna()
    wide = int((judged["spread"] > UNSTABLE_SPREAD).sum())
    if wide:
        sentences.append(
            f"Repeats lie more than half of their median apart in {wide:,} of {int(repeated.sum()):,} records "
            f"({percent(wide / int(repeated.sum()))} %)."
        )
    preempted = int((judged["preempted"] > 0).sum())
    if preempted:
        sentences.append(
            f"The operating system interrupted {preempted:,} of {len(judged):,} records "
            f"({percent(preempted / len(judged))} %) for another process."
        )
    if cold := run.header.get("cold"):
        sentences.append(f"Measured without a warm-up, because that ended the process: {', '.join(cold)}.")
    load, cores = run.header["machine"].get("load"), run.header["machine"].get("cores")
    if load is not None and cores and load > UNSTABLE_LOAD * cores:
        sentences.append(f"The machine was busy at the start: a load of {load:.1f} on {cores} cores.")
    return sentences


def special_tables(run: Run, judged: pd.DataFrame, metrics: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Title -> the tables that only some runs have.

    They are of the work of solvers that ask a backend, of the clues that cells need, of growth on boards of several
    sizes, and of whole corpora put at once. judged: `benchmarks.metrics.scores(run)`; metrics:
    `benchmarks.tables.metrics_table(run)`.
    """
    made = {
        "Work": work_table(metrics),
        "Clues needed": clues_table(run),
        "Found by clues needed": found_table(run),
        "Growth": growth_table(run, judged),
        "Batches": batches_table(run, judged),
    }
    return {title: frame for title, frame in made.items() if len(frame)}


def document(run: Run, *, by_corpus: bool = False, form: str = "markdown", judged: pd.DataFrame | None = None) -> str:
    """All of a run as one text: `markdown`, `latex` or `html`; `csv` is every metric, unrounded, and nothing else.

    Raises ValueError for an unknown form.
    """
    if form not in FORMS:
        raise ValueError(f"unknown format {form!r}; known are {', '.join(FORMS)}")
    judged = scores(run) if judged is None else judged
    metrics = metrics_table(run, by_corpus=by_corpus, judged=judged)
    if form == "csv":
        return metrics.to_csv(index=False)
    write = {"markdown": markdown, "latex": latex, "html": html}[form]
    wrong = wrong_claims(run, judged)
    tables = [wrong_table(wrong)] if wrong else []
    tables += [headline(metrics), found(metrics), times(metrics)]
    titled = {title: write(frame) for title, frame in special_tables(run, judged, metrics).items()}
    said = (verdict(run, wrong), *notes(run, judged, metrics))
    if form == "markdown":
        written = [*map(write, tables), *(f"{title}\n\n{text}" for title, text in titled.items())]
        return "\n\n".join([said[0], *written, *said[1:]]) + "\n"
    if form == "html":
        written = [*map(write, tables), *(f"<p>{title}</p>\n{text}" for title, text in titled.items())]
        return "\n".join([f"<p>{escape(said[0])}</p>", *written, *(f"<p>{escape(line)}</p>" for line in said[1:])])
    written = [*map(write, tables), *(f"% {title}\n{text}" for title, text in titled.items())]
    return "\n\n".join(["\n".join(f"% {line}" for line in said), *written]) + "\n"
