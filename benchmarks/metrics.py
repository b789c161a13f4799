"""Numbers from records: pure functions of what a solver said and what is true.

Truth has two sides. A *local* question is judged against what the clues entail, a *global* one against
what the clues and the mine count entail. Recalls are pooled: cells found over cells entailed, summed over
the positions. A position in which nothing is entailed has no part in them and is counted apart.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.corpus import Answer, Entry
from benchmarks.records import Record, Run
from board import COVERED

PEER = "mstoollib"  #: whose median time the others' are divided by
FAULTS = ("false_cell", "false_complete", "false_inconsistent", "missed_inconsistent", "malformed")


def faults(record: Record, entry: Entry) -> tuple[str, ...]:
    """The kinds of wrong claims in a record, in the order of FAULTS; empty if everything it says is true.

    false_cell: a cell called safe or a mine that is not entailed. false_complete: COMPLETE, and an
    entailed cell is missing. false_inconsistent: INCONSISTENT, and there is a model. missed_inconsistent:
    COMPLETE, and there is none. malformed: a cell is called both, or is not covered, or is claimed beside
    INCONSISTENT.
    """
    if record.status is None:
        return ()
    truth = entry.answer(record.question)
    safe, mines = set(record.safe), set(record.mines)
    cells = safe | mines
    complete, inconsistent = (record.status == s for s in ("complete", "inconsistent"))
    if truth.consistent:
        false_cell = not (safe <= set(truth.safe) and mines <= set(truth.mines))
        missing = not (safe >= set(truth.safe) and mines >= set(truth.mines))
    else:
        false_cell = missing = False  # everything follows from a contradiction
    odd = cells - set(truth.safe) - set(truth.mines)
    found = {
        "false_cell": false_cell,
        "false_complete": complete and missing,
        "false_inconsistent": inconsistent and truth.consistent,
        "missed_inconsistent": complete and not truth.consistent,
        "malformed": bool(safe & mines or (inconsistent and cells) or not all(_is_covered(entry, c) for c in odd)),
    }
    return tuple(kind for kind in FAULTS if found[kind])


def explain(record: Record, entry: Entry) -> str:
    """The wrong claims of a record in words; empty if there is none."""
    kinds = faults(record, entry)
    if not kinds:
        return ""
    truth = entry.answer(record.question)
    false_safe = sorted(set(record.safe) - set(truth.safe))
    false_mines = sorted(set(record.mines) - set(truth.mines))
    missing = sorted(set(truth.safe + truth.mines) - set(record.safe + record.mines))
    words = {
        "false_cell": f"not entailed: safe {false_safe}, mines {false_mines}",
        "false_complete": f"COMPLETE without the entailed cells {missing}",
        "false_inconsistent": "INCONSISTENT, but there is a model",
        "missed_inconsistent": "COMPLETE, but there is no model",
        "malformed": "a cell is claimed both safe and a mine, is not covered, or stands beside INCONSISTENT",
    }
    return "; ".join(words[kind] for kind in kinds)


def _is_covered(entry: Entry, cell: int) -> bool:
    codes = entry.position.codes
    return 0 <= cell < codes.size and bool(codes.flat[cell] == COVERED)


@dataclass(frozen=True, slots=True)
class Score:
    """One record, judged. Times in nanoseconds, the median of its repeats; nan where there was no answer."""

    outcome: str
    faults: tuple[str, ...]
    nothing_entailed: bool
    solved: bool  # everything entailed was found, or the inconsistency was
    safe_entailed: int
    safe_found: int
    mines_entailed: int
    mines_found: int
    global_safe_entailed: int
    global_safe_found: int
    extract: float
    solve: float
    total: float


def score(record: Record, entry: Entry) -> Score:
    """Judge a record by its position's answers."""
    truth, whole = entry.answer(record.question), entry.answer("global")
    wrong = faults(record, entry)
    safe, mines = set(record.safe) & set(truth.safe), set(record.mines) & set(truth.mines)
    everything = len(safe) == len(truth.safe) and len(mines) == len(truth.mines)
    answered = record.status is not None
    extract = record.extract_nanoseconds or (0,) * len(record.solve_nanoseconds)
    totals = [a + b for a, b in zip(extract, record.solve_nanoseconds, strict=True)]
    return Score(
        outcome=record.outcome,
        faults=wrong,
        nothing_entailed=_is_empty(truth),
        solved=answered and not wrong and (everything if truth.consistent else record.status == "inconsistent"),
        safe_entailed=len(truth.safe),
        safe_found=len(safe),
        mines_entailed=len(truth.mines),
        mines_found=len(mines),
        global_safe_entailed=len(whole.safe),
        global_safe_found=len(set(record.safe) & set(whole.safe)),
        extract=_median(record.extract_nanoseconds) if answered else np.nan,
        solve=_median(record.solve_nanoseconds) if answered else np.nan,
        total=_median(totals) if answered else np.nan,
    )


def _is_empty(truth: Answer) -> bool:
    return truth.consistent and not truth.safe and not truth.mines


def summarise(scores: Sequence[Score]) -> dict[str, float]:
    """The metrics of one solver over some positions. nan where there is nothing to divide by.

    Errors count as nothing found; a solver that answered none of the positions has no recall at all. Times in
    microseconds, over the positions that were answered.
    """
    count = {name: sum(getattr(s, name) for s in scores) for name in _COUNTED}
    answered = [s for s in scores if s.outcome not in ("error", "unsupported")]
    share = _share if answered else (lambda found, entailed: np.nan)
    summary: dict[str, float] = {
        "positions": len(scores),
        "wrong": sum(bool(s.faults) for s in scores),
        **{kind: sum(kind in s.faults for s in scores) for kind in FAULTS},
        "errors": sum(s.outcome == "error" for s in scores),
        "unsupported": sum(s.outcome == "unsupported" for s in scores),
        **count,
        "safe_recall": share(count["safe_found"], count["safe_entailed"]),
        "mine_recall": share(count["mines_found"], count["mines_entailed"]),
        "recall": share(count["safe_found"] + count["mines_found"], count["safe_entailed"] + count["mines_entailed"]),
        "safe_recall_of_global": share(count["global_safe_found"], count["global_safe_entailed"]),
        "solved_share": share(
            sum(s.solved for s in scores if not s.nothing_entailed), len(scores) - count["nothing_entailed"]
        ),
    }
    for part in ("extract", "solve", "total"):
        summary |= _spread(part, [getattr(s, part) for s in answered])
    return summary


_COUNTED = (
    "nothing_entailed",
    "safe_entailed",
    "safe_found",
    "mines_entailed",
    "mines_found",
    "global_safe_entailed",
    "global_safe_found",
)


def _share(found: float, entailed: float) -> float:
    return found / entailed if entailed else np.nan


def _median(values: Sequence[int]) -> float:
    return float(statistics.median(values)) if values else np.nan


def _spread(part: str, nanoseconds: Iterable[float]) -> dict[str, float]:
    known = np.array([t for t in nanoseconds if t == t]) / 1000
    if not known.size:
        return {f"{part}_{name}_us": np.nan for name in ("median", "p95", "max")}
    return {
        f"{part}_median_us": float(np.median(known)),
        f"{part}_p95_us": float(np.percentile(known, 95)),
        f"{part}_max_us": float(known.max()),
    }


def summaries(run: Run, *, by_corpus: bool = True) -> list[dict[str, float | str]]:
    """One row a (corpus,) question and solver, in the order in which the run names them.

    `ratio` is the median total time as a multiple of the peer's in the same corpus and question, nan
    without it. Without `by_corpus` the positions of all corpora are pooled, and `corpus` is missing.
    """
    entries = run.entries()
    groups: dict[tuple[str, str, str], list[Score]] = {}
    for record in run.records:
        key = (record.corpus if by_corpus else "", str(record.question), record.solver)
        groups.setdefault(key, []).append(score(record, entries[record.corpus, record.entry]))
    found = {key: summarise(scores) for key, scores in groups.items()}
    claims = {solver["label"]: claims_text(solver["claims"]) for solver in run.header["solvers"]}
    rows: list[dict[str, float | str]] = []
    for key in sorted(found, key=lambda key: _rank(run, key)):
        corpus, question, solver = key
        peer = _peer_of(found, corpus, question)
        names = {"corpus": corpus} if by_corpus else {}
        names |= {"question": question, "solver": solver, "claims": claims[solver]}
        ratio = _share(found[key]["total_median_us"], peer)
        rows.append({**names, **found[key], "ratio": ratio})
    return rows


def _peer_of(found: Mapping[tuple[str, str, str], Mapping[str, float]], corpus: str, question: str) -> float:
    for (c, q, solver), summary in found.items():
        if (c, q) == (corpus, question) and solver.partition(":")[0] == PEER:
            return summary["total_median_us"]
    return np.nan


def claims_text(claims: Mapping[str, bool]) -> str:
    """Claims in words.

    >>> claims_text({"complete_local": True, "complete_global": True, "marginals": True, "exact": False})
    'complete, marginals'
    """
    local, whole = claims["complete_local"], claims["complete_global"]
    complete = {(True, True): "complete", (True, False): "complete local", (False, True): "complete global"}
    words = [complete.get((local, whole), ""), *(name for name in ("marginals", "exact") if claims[name])]
    return ", ".join(word for word in words if word) or "sound"


def _rank(run: Run, key: tuple[str, str, str]) -> tuple[int, int, int]:
    """Where a (corpus, question, solver) stands in the run's own order."""
    corpora = ["", *run.corpora]
    solvers = [solver["label"] for solver in run.header["solvers"]]
    return corpora.index(key[0]), run.header["questions"].index(key[1]), solvers.index(key[2])


def wrong_claims(run: Run) -> list[tuple[Record, str]]:
    """Every record that claims something false, with what it is, in the order of measurement."""
    entries = run.entries()
    said = ((r, explain(r, entries[r.corpus, r.entry])) for r in run.records)
    return [(record, words) for record, words in said if words]
