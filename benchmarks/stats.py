"""Statistics of a run: intervals, comparisons, the virtual best solver, growth; made of `benchmarks.metrics.scores`.

Positions of one game are not independent; a game is (corpus, game). So every interval resamples games, and the
tests are made over games: see `benchmarks.bootstrap` and `benchmarks.paired`.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.backend_tables import LEGEND as _WINS_LEGEND
from benchmarks.backend_tables import solved_times, wins, wins_rows
from benchmarks.bootstrap import (
    RESAMPLES,
    UNKNOWN,
    Games,
    Interval,
    ratio_intervals,
    wilson,
)
from benchmarks.metrics import PEER, limit_seconds, penalised, scores
from benchmarks.paired import holm, mcnemar, pairwise, signed_rank
from benchmarks.records import Run
from benchmarks.scaling import Growth, growth
from benchmarks.tables import MISSING, number, percent, with_interval
from benchmarks.tables import ratio as _ratio

__all__ = [
    "Growth",
    "Interval",
    "VIRTUAL_BEST",
    "contributions",
    "growth",
    "holm",
    "mcnemar",
    "pairwise",
    "recall_interval",
    "signed_rank",
    "statistics_tables",
    "virtual_best",
    "wilson",
]

VIRTUAL_BEST = "virtual best"
LEGEND = (
    "In brackets: intervals of 95 %, by a bootstrap over games, since positions of one game are not independent. "
    "Safe % is the safe recall of the figures. Solved % is of the positions in which something is entailed; the counts "
    "of Solved have also those in which nothing is, solved by saying nothing: they, too, take time. "
    "Each strategy is compared with another one on the positions that both were asked: the difference of the shares "
    "of safe cells found, in points; how many more and fewer games it solved, with McNemar's test; the geometric mean "
    "of its times as a multiple of the other's, with Wilcoxon's test on games. p values are corrected by Holm's "
    "method for the number of strategies in the table. The virtual best strategy takes for each position the fastest "
    "that solved it; × best: the time as a multiple of its, a geometric mean over the positions that were solved; "
    "PAR-2 of the others: what the virtual best would have without this one. "
) + _WINS_LEGEND


def recall_interval(
    judged: pd.DataFrame,
    found: str = "safe_found",
    entailed: str = "safe_entailed",
    *,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Interval:
    """The interval of a pooled recall, sum of `found` over sum of `entailed`, of one solver's rows.

    A percentile interval of the clustered bootstrap. If the recall is exactly 0 or 1 it is Wilson's interval for
    the share of games in which anything, or everything, is found, which weighs games alike; see
    `benchmarks.bootstrap.ratio_intervals`. nan if fewer than two games have anything entailed, and if nothing
    was answered, where `benchmarks.metrics.summarise` has no recall either.
    """
    if not judged["answered"].any():
        return UNKNOWN
    return _recall_intervals([judged], [(found, entailed)], confidence, resamples, seed)[0][0]


def _recall_intervals(
    judged: Sequence[pd.DataFrame], recalls: Sequence[tuple[str, str]], confidence: float, resamples: int, seed: int
) -> list[list[Interval]]:
    """For each frame the interval of each recall (found, entailed); all share their resamples."""
    games = Games.of(pd.concat([rows[["corpus", "game"]].astype(object) for rows in judged]))
    ends = np.cumsum([len(rows) for rows in judged])
    columns = []
    for rows, of_row in zip(judged, np.split(games.of_row, ends[:-1]), strict=True):
        parts = [rows[name] for names in zip(*recalls, strict=True) for name in names]
        columns.append(np.hsplit(Games(of_row, games.strata).sums(*parts), 2))
    over, under = (np.hstack(side) for side in zip(*columns, strict=True))
    found = ratio_intervals(
        over,
        under,
        games.strata,
        bounds=[(0, 1)] * over.shape[1],
        confidence=confidence,
        resamples=resamples,
        seed=seed,
    )
    return [found[i : i + len(recalls)] for i in range(0, len(found), len(recalls))]


def virtual_best(judged: pd.DataFrame) -> pd.DataFrame:
    """The virtual best solver: at each position the fastest of those that solved it. Rows like those of `scores`.

    A row a (corpus, question, entry), with the solver "virtual best". Where nothing is entailed, saying nothing
    solves it. A position that nobody solved has the row of an answer that is not wrong with the most cells found,
    the fastest of these; without one a failure's.
    """
    order = judged.assign(
        unsolved=~judged["solved"],
        unanswered=~judged["answered"],
        missing=-judged["safe_found"] - judged["mines_found"],
    )
    order = order.sort_values(["unsolved", "wrong", "unanswered", "missing", "total"], kind="stable")
    chosen = order.drop_duplicates(["corpus", "question", "entry"]).index
    best = judged.loc[chosen.sort_values()].copy()
    best["solver"] = pd.Categorical([VIRTUAL_BEST] * len(best), categories=[VIRTUAL_BEST], ordered=True)
    return best.sort_values(["corpus", "question"], kind="stable", ignore_index=True)


def contributions(judged: pd.DataFrame, limit_seconds: float | None = None) -> pd.DataFrame:
    """What each solver adds to the virtual best solver: a row a question and solver that answered anything.

    `solved`: positions it solved; `fastest`: of these, where no solver that solved it was faster (ties count for
    each); `only`: where no other solved it. `par2_us`: PAR-2 of the virtual best of all; `par2_without_us`:
    of the virtual best of the others, at twice the limit where none of them solved it; `marginal_us`: the
    difference, the marginal contribution (Xu, Hutter, Hoos and Leyton-Brown, SAT 2012). These are nan without a limit.
    """
    rows = []
    for question, asked in judged.groupby("question", observed=True):
        values = solved_times(asked)
        whole = _par2(values, limit_seconds)
        answered = asked.groupby("solver", observed=True)["answered"].any()
        for solver in answered.index[answered]:
            own, others = values[solver], values.drop(columns=solver)
            best_of_others = others.min(axis=1) if others.shape[1] else pd.Series(np.inf, own.index)
            has, without = np.isfinite(own), _par2(others, limit_seconds)
            rows.append(
                {
                    "question": question,
                    "solver": solver,
                    "positions": len(own),
                    "solved": int(has.sum()),
                    "fastest": int((has & (own <= best_of_others)).sum()),
                    "only": int((has & ~np.isfinite(best_of_others)).sum()),
                    "par2_us": whole,
                    "par2_without_us": without,
                    "marginal_us": without - whole,
                }
            )
    return pd.DataFrame(rows)


def _par2(times: pd.DataFrame, limit_seconds: float | None) -> float:
    """PAR-2 in microseconds of the best of the columns, times in nanoseconds, inf where not solved."""
    if limit_seconds is None:
        return math.nan
    best = times.min(axis=1) if times.shape[1] else pd.Series(np.inf, times.index)
    return float(best.where(np.isfinite(best), 2e9 * limit_seconds).mean()) / 1000


def statistics_tables(
    run: Run, baseline: str | None = None, judged: pd.DataFrame | None = None, *, seed: int = 0
) -> dict[str, pd.DataFrame]:
    """Title -> frame of text, for the writers of `benchmarks.tables`; all intervals are of 95 %.

    Recalls of every question and solver that answered anything, a comparison with the baseline a question, the
    virtual best solver, and who is the fastest where, over the positions of all corpora.

    baseline: a solver's label; by default the peer if it answered the question, else the first that claims to be
    complete, else the first. A question that the baseline did not answer has no comparison.

    Raises ValueError for a baseline that is not in the run.
    """
    judged = scores(run) if judged is None else judged
    labels = [solver["label"] for solver in run.header["solvers"]]
    if baseline is not None and baseline not in labels:
        raise ValueError(f"unknown baseline {baseline!r}; known are {', '.join(labels)}")
    limit = limit_seconds(run)
    recalls, best, fastest, compared = [], [], [], {}
    for question, asked in judged.groupby("question", observed=True):
        by_solver = {str(name): rows for name, rows in asked.groupby("solver", observed=True)}
        answered = {name: rows for name, rows in by_solver.items() if rows["answered"].any()}
        if not answered:
            continue
        recalls += _recall_rows(str(question), answered, seed)
        common = _asked_of_all(asked)
        times = solved_times(common)
        best += _best_rows(str(question), common, answered, wins(times)["behind"], limit)
        fastest += wins_rows(str(question), times) if len(answered) > 1 else []
        against = _default_baseline(run, str(question), list(answered)) if baseline is None else baseline
        if against in answered and len(answered) > 1:
            rows = pairwise(pd.concat(answered.values()), against, seed=seed, limit_seconds=limit)
            compared[f"Against {against}, {question} question"] = _pairwise_table(rows)
    tables = {"Recall": recalls, "Virtual best solver": best, "Who is the fastest where": fastest}
    named = {title: pd.DataFrame(rows) for title, rows in tables.items() if rows}
    return {title: frame for title, frame in {**named, **compared}.items() if len(frame)}


def _asked_of_all(asked: pd.DataFrame) -> pd.DataFrame:
    """Without the positions that some solver was not asked yet: in an unfinished run these are no failures of it."""
    solvers = asked.groupby(["corpus", "entry"], observed=True)["solver"].transform("nunique")
    return asked[solvers == asked["solver"].nunique()]


def _default_baseline(run: Run, question: str, answered: Sequence[str]) -> str:
    claims = {solver["label"]: solver["claims"] for solver in run.header["solvers"]}
    peers = [name for name in answered if name.partition(":")[0] == PEER]
    complete = [name for name in answered if claims[name][f"complete_{question}"]]
    return [*peers, *complete, *answered][0]


_RECALLS = {
    "Safe %": ("safe_found", "safe_entailed"),
    "Mines %": ("mines_found", "mines_entailed"),
    "Solved %": ("solved_entailing", "entailing"),
}


def _recall_rows(question: str, answered: Mapping[str, pd.DataFrame], seed: int) -> list[dict[str, str]]:
    frames = []
    for rows in answered.values():
        entailing = ~rows["nothing_entailed"]
        frames.append(rows.assign(entailing=entailing, solved_entailing=rows["solved"] & entailing))
    found = _recall_intervals(frames, list(_RECALLS.values()), 0.95, RESAMPLES, seed)
    table = []
    for name, rows, intervals in zip(answered, frames, found, strict=True):
        counts = {"Positions": f"{len(rows):,}", "Games": f"{len(rows.drop_duplicates(['corpus', 'game'])):,}"}
        line = {"Question": question, "Strategy": name, **counts}
        for (heading, (over, under)), interval in zip(_RECALLS.items(), intervals, strict=True):
            entailed = int(rows[under].sum())
            recall = int(rows[over].sum()) / entailed if entailed else math.nan
            line[heading] = with_interval(recall, interval.low, interval.high, percent)
        table.append(line)
    return table


def _best_rows(
    question: str,
    asked: pd.DataFrame,
    answered: Mapping[str, pd.DataFrame],
    behind: pd.Series[float],
    limit: float | None,
) -> list[dict[str, str]]:
    added = {str(row["solver"]): row for row in contributions(asked, limit).to_dict("records")}
    table = []
    common = {name: asked[asked["solver"] == name] for name in answered}
    for name, rows in {VIRTUAL_BEST: virtual_best(asked), **common}.items():
        own: Mapping[Hashable, Any] = added.get(name, {})
        line = {"Question": question, "Strategy": name, "Solved": f"{int(rows['solved'].sum()):,}"}
        for heading, column in (("Fastest", "fastest"), ("Only it solved", "only")):
            line[heading] = f"{own[column]:,}" if own else MISSING
        line["Median µs"] = number(float(rows["total"].median()) / 1000)
        line["× best"] = _ratio(1.0 if name == VIRTUAL_BEST else float(behind.get(name, math.nan)))
        if limit is not None:
            line["PAR-2 ms"] = number(float(penalised(rows, limit).mean()) / 1e6)
            line["PAR-2 of the others ms"] = number(own.get("par2_without_us", math.nan) / 1000)
        table.append(line)
    return table


def _pairwise_table(compared: pd.DataFrame) -> pd.DataFrame:
    table = []
    for row in compared.to_dict("records"):
        line = {"Strategy": row["solver"], "Positions": f"{row['positions']:,}", "Games": f"{row['games']:,}"}
        recall = (row["recall_difference"], row["recall_low"], row["recall_high"])
        line["Safe, points"] = with_interval(*recall, _points)
        line["Solved more : fewer"] = f"{row['only_solver']:,} : {row['only_baseline']:,}"
        line["McNemar p"] = p_text(row["mcnemar_holm_p"])
        line["× time"] = with_interval(row["time_ratio"], row["time_low"], row["time_high"], _ratio)
        line["Wilcoxon p"] = p_text(row["wilcoxon_holm_p"])
        if compared["par2_ratio"].notna().any():
            line["× PAR-2"] = with_interval(row["par2_ratio"], row["par2_low"], row["par2_high"], _ratio)
        table.append(line)
    return pd.DataFrame(table)


def _points(share: float) -> str:
    if math.isnan(share):
        return MISSING
    points = 100 * share
    if points == 0:
        return "0.0"
    return f"{points:+.1f}" if abs(points) >= 0.05 else f"{points:+.1g}"


def p_text(p: float) -> str:
    return MISSING if math.isnan(p) else "<0.001" if p < 0.001 else f"{p:.3f}"
