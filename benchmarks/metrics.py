"""Numbers from records: every function here is a pure function of a run.

`scores` holds a row a record, judged; everything else (tables, statistics, figures) is made of it. Recalls
are pooled: cells found over cells entailed, summed over the positions. A position in which nothing is
entailed has no part in them and is counted apart.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from itertools import repeat
from operator import attrgetter
from typing import Any, get_type_hints

import numpy as np
import pandas as pd

from benchmarks.folder import without_collector
from benchmarks.judgement import FAULTS, Score, explain, score
from benchmarks.records import FAILURES, Record, Run
from board import COVERED

PEER = "mstoollib"  #: whose median time the others' are divided by
SIZES = ("variables", "clauses", "constraints", "calls", "conflicts")  #: of the work of solvers that ask a backend
_PARTS = ("encode", "search", "rest")


def scores(run: Run) -> pd.DataFrame:
    """A row a record, in the order of the run's corpora, questions and solvers.

    Columns: `corpus`, `question`, `solver` (ordered categories), `entry`, `game`, `outcome`; the fields of
    `benchmarks.judgement.Score` (times in nanoseconds), with `wrong` and a column a kind of fault instead of
    `faults`; `preempted`; `peak_bytes`, nan where unknown; `record`, its place among the run's records. Each has its
    type, bool, int64, float64 or text, whatever the records, even without any.
    """
    entries = run.entries()
    names = ("corpus", "question", "solver", "entry", "game", "outcome", "preempted", "peak_bytes")
    of_record = attrgetter(*names)
    with without_collector():
        rows = [(*of_record(r), *score(r, entries[r.corpus, r.entry])) for r in run.records]
        found = dict(zip((*names, *Score._fields), zip(*rows, strict=True) if rows else repeat(()), strict=False))
    kinds = found.pop("faults")
    types = {**get_type_hints(Score), "preempted": int, "peak_bytes": float}
    columns: dict[str, Any] = {
        name: values if name in _TEXTS else np.array(values, types[name]) for name, values in found.items()
    }
    for name, known in _order(run).items():
        columns[name] = pd.Categorical(columns[name], categories=known, ordered=True)
    columns["record"] = np.arange(len(rows))
    columns["wrong"] = np.array(list(map(bool, kinds)), np.bool_)
    for kind in FAULTS:
        columns[kind] = np.array([kind in faults for faults in kinds], np.bool_)
    frame = pd.DataFrame(columns).astype(dict.fromkeys(("entry", "game", "outcome"), str))
    return frame.sort_values(["corpus", "question", "solver"], kind="stable", ignore_index=True)


_TEXTS = {"corpus", "question", "solver", "entry", "game", "outcome"}


def _order(run: Run) -> dict[str, list[str]]:
    return {
        "corpus": list(run.corpora),
        "question": list(run.header["questions"]),
        "solver": [solver["label"] for solver in run.header["solvers"]],
    }


def features(run: Run) -> pd.DataFrame:
    """A row a position that was asked, indexed by (corpus, entry): what it looks like.

    Columns: `rows`, `columns`, `cells`; `mines` (nan if unknown) and `density`, mines over cells;
    `covered` cells; `opened_share` of the cells.
    """
    rows = []
    for (corpus, entry), found in run.entries().items():
        height, width = found.position.shape
        covered = int(np.count_nonzero(found.position.codes == COVERED))
        mines = np.nan if found.position.mines is None else found.position.mines
        rows.append((corpus, entry, height, width, height * width, mines, covered))
    columns = ["corpus", "entry", "rows", "columns", "cells", "mines", "covered"]
    frame = pd.DataFrame(rows, columns=columns).set_index(["corpus", "entry"])
    frame["density"] = frame["mines"] / frame["cells"]
    frame["opened_share"] = 1 - frame["covered"] / frame["cells"]
    return frame


_COUNTED = (
    "nothing_entailed",
    "safe_entailed",
    "safe_found",
    "mines_entailed",
    "mines_found",
    "global_safe_entailed",
    "global_safe_found",
)


def summarise(judged: pd.DataFrame, limit_seconds: float | None = None) -> dict[str, float]:
    """The metrics of one solver over some positions, rows of `scores`. nan where there is nothing to divide by.

    Failures count as nothing found; a solver that answered none of the positions has no recall at all. Times in
    microseconds, over the positions that were answered. `par2_us` is the mean time with twice the limit for
    every position that was not solved; nan without a limit. `peak_median_bytes`, `peak_max_bytes`: of the peaks of
    memory that are known.
    """
    answered = judged[judged["answered"]]
    count = {name: int(judged[name].sum()) for name in _COUNTED}
    outcomes = judged["outcome"].value_counts()
    share = _share if len(answered) else (lambda found, entailed: np.nan)
    entailing = judged[~judged["nothing_entailed"]]
    summary: dict[str, float] = {
        "positions": len(judged),
        "wrong": int(judged["wrong"].sum()),
        **{kind: int(judged[kind].sum()) for kind in FAULTS},
        "errors": int(sum(outcomes.get(name, 0) for name in FAILURES)),
        **{name: int(outcomes.get(name, 0)) for name in (*FAILURES, "unsupported")},
        **count,
        "safe_recall": share(count["safe_found"], count["safe_entailed"]),
        "mine_recall": share(count["mines_found"], count["mines_entailed"]),
        "recall": share(count["safe_found"] + count["mines_found"], count["safe_entailed"] + count["mines_entailed"]),
        "safe_recall_of_global": share(count["global_safe_found"], count["global_safe_entailed"]),
        "solved_share": share(int(entailing["solved"].sum()), len(entailing)),
        "complete_share": share(int((judged["outcome"] == "complete").sum()), len(judged)),
    }
    for part in ("extract", "solve", "total"):
        summary |= _spread(part, answered[part])
    summary["par2_us"] = _par2(judged, limit_seconds) if len(answered) else np.nan
    peaks = answered["peak_bytes"].dropna()
    summary |= {"peak_median_bytes": float(peaks.median()), "peak_max_bytes": float(peaks.max())}
    return summary


def penalised(judged: pd.DataFrame, limit_seconds: float) -> pd.Series[float]:
    """The time of each row in nanoseconds, and twice the limit where the position was not solved (PAR-2)."""
    return judged["total"].where(judged["solved"], 2e9 * limit_seconds)


def _par2(judged: pd.DataFrame, limit_seconds: float | None) -> float:
    return np.nan if limit_seconds is None else float(penalised(judged, limit_seconds).mean()) / 1000


def _share(found: float, entailed: float) -> float:
    return found / entailed if entailed else np.nan


def _spread(part: str, nanoseconds: pd.Series[float]) -> dict[str, float]:
    known = nanoseconds.dropna().to_numpy() / 1000
    if not known.size:
        return {f"{part}_{name}_us": np.nan for name in ("median", "p95", "max")}
    return {
        f"{part}_median_us": float(np.median(known)),
        f"{part}_p95_us": float(np.percentile(known, 95)),
        f"{part}_max_us": float(known.max()),
    }


def limit_seconds(run: Run) -> float | None:
    """The wall-clock limit of a call in this run, None if there was none."""
    seconds = (run.header.get("limits") or {}).get("seconds")
    return None if seconds is None else float(seconds)


def summaries(run: Run, *, by_corpus: bool = True, judged: pd.DataFrame | None = None) -> list[dict[str, Any]]:
    """One row a (corpus,) question and solver, in the order in which the run names them.

    `ratio` is the median total time as a multiple of the peer's in the same corpus and question, nan
    without it. `work_positions` of how many positions the solver told its work (:func:`work`), and of these
    the medians `encode_median_us`, `variables_median` and so on, and the means `encode_share` and so on, nan without
    them. Without `by_corpus` the positions of all corpora are pooled, and `corpus` is missing.

    judged: `scores(run)`, if it is at hand.
    """
    judged = scores(run) if judged is None else judged
    names = ["corpus", "question", "solver"] if by_corpus else ["question", "solver"]
    claims = {solver["label"]: claims_text(solver["claims"]) for solver in run.header["solvers"]}
    worked = _work_summaries(work(run), names)
    found: dict[tuple[Hashable, ...], dict[str, Any]] = {}
    for key, rows in judged.groupby(names, observed=True):
        named = dict(zip(names, key, strict=True))
        found[key] = {**named, "claims": claims[named["solver"]], **summarise(rows, limit_seconds(run))}
    for key, row in found.items():
        row["ratio"] = _share(row["total_median_us"], _peer_of(found, key[:-1]))
        row |= worked.get(key, _NO_WORK)
    return list(found.values())


def _peer_of(found: Mapping[tuple[Hashable, ...], Mapping[str, Any]], group: tuple[Hashable, ...]) -> float:
    for key, summary in found.items():
        if key[:-1] == group and str(key[-1]).partition(":")[0] == PEER:
            return float(summary["total_median_us"])
    return np.nan


def work(run: Run) -> pd.DataFrame:
    """A row a record of which the solver told how many questions it put to a backend, or how long it encoded.

    Columns: `corpus`, `question`, `solver`; of the first repeat's call of `deduce` the nanoseconds of its parts
    `encode`, `search` (the backend) and `rest` (all else: splitting, Python), and what shares of it they are
    (`encode_share` and so on); the SIZES. Numbers are nan where they were not told.
    """
    texts = ("corpus", "question", "solver")
    names: list[tuple[str, ...]] = []
    numbers: list[Any] = []
    place = attrgetter(*texts)
    with without_collector():
        for record in run.records:
            stats = record.stats
            if "calls" in stats or "encode_nanoseconds" in stats:
                names.append(place(record))
                numbers += record.solve_nanoseconds[:1] or (0,)  # the stats are the first repeat's
                numbers += map(stats.get, ("encode_nanoseconds", "solve_nanoseconds", *SIZES))
    values = np.array([x if isinstance(x, (int, float)) else np.nan for x in numbers], float)
    whole, encode, search, *sizes = values.reshape(-1, 3 + len(SIZES)).T
    parts = dict(zip(_PARTS, (encode, search, whole - encode - search), strict=True))
    columns: dict[str, Any] = {}
    for text, column in zip(texts, zip(*names, strict=True) if names else repeat(()), strict=False):
        columns[text] = pd.Categorical(column)
    with np.errstate(all="ignore"):  # a clock too coarse for the call
        columns |= parts | {f"{part}_share": spent / whole for part, spent in parts.items()}
    return pd.DataFrame(columns | dict(zip(SIZES, sizes, strict=True)))


def _work_summaries(worked: pd.DataFrame, names: list[str]) -> dict[tuple[Hashable, ...], dict[str, float]]:
    groups = worked.groupby(names, sort=False, observed=True)
    found = groups[[*_PARTS, *SIZES]].median().add_suffix("_median")
    for part in _PARTS:  # means, so that they add up to 1
        found[f"{part}_median_us"] = found.pop(f"{part}_median") / 1000
        found[f"{part}_share"] = groups[f"{part}_share"].mean()
    found["work_positions"] = groups.size()
    rows = found[list(_NO_WORK)].to_dict("index")
    return {key: {str(name): value for name, value in row.items()} for key, row in rows.items()}  # type: ignore[misc]


_NO_WORK: dict[str, float] = {
    "work_positions": 0,
    **{f"{part}_{kind}": np.nan for kind in ("median_us", "share") for part in _PARTS},
    **{f"{size}_median": np.nan for size in SIZES},
}


def peer_library_share(run: Run) -> float:
    """The median share of the peer's time that is its own library's call; nan where it answered nothing."""
    shares = [
        inside / record.solve_nanoseconds[0]  # the stats are the first repeat's
        for record in run.records
        if record.solver.partition(":")[0] == PEER and record.status and record.solve_nanoseconds[0]
        if isinstance(inside := record.stats.get("library_nanoseconds"), int)
    ]
    return float(np.median(shares)) if shares else np.nan


def claims_text(claims: Mapping[str, bool]) -> str:
    """Claims in words.

    >>> claims_text({"complete_local": True, "complete_global": True, "marginals": True, "exact": False})
    'complete, marginals'
    """
    local, whole = claims["complete_local"], claims["complete_global"]
    complete = {(True, True): "complete", (True, False): "complete local", (False, True): "complete global"}
    words = [complete.get((local, whole), ""), *(name for name in ("marginals", "exact") if claims[name])]
    return ", ".join(word for word in words if word) or "sound"


def wrong_claims(run: Run, judged: pd.DataFrame | None = None) -> list[tuple[Record, str]]:
    """Every record that claims something false, with what it is, in the order of measurement.

    judged: `scores(run)`, if it is at hand.
    """
    judged = scores(run) if judged is None else judged
    entries = run.entries()
    wrong = [run.records[i] for i in sorted(judged.loc[judged["wrong"], "record"])]
    return [(record, explain(record, entries[record.corpus, record.entry])) for record in wrong]
