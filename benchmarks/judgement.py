"""One record, judged by the exact answers: is everything it says true, and how much did it find?

Truth has two sides. A *local* question is judged against what the clues entail, a *global* one against
what the clues and the mine count entail.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from benchmarks.corpus import Entry
from benchmarks.records import Record
from board import COVERED

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


class Score(NamedTuple):
    """One record, judged. Times in nanoseconds, the median of its repeats; nan where there was no answer.

    solved: everything entailed was found, or the inconsistency was, and nothing is wrong.
    spread: how far the repeats lie apart, (largest - smallest) / median of the whole time; nan for one repeat.
    """

    answered: bool
    faults: tuple[str, ...]
    nothing_entailed: bool
    solved: bool
    safe_entailed: int
    safe_found: int
    mines_entailed: int
    mines_found: int
    global_safe_entailed: int
    global_safe_found: int
    extract: float
    solve: float
    total: float
    spread: float


def score(record: Record, entry: Entry) -> Score:
    """Judge a record by its position's answers."""
    truth, whole = entry.answer(record.question), entry.global_answer
    answered = record.status is not None
    safe, mines = _common(record.safe, truth.safe), _common(record.mines, truth.mines)
    everything = safe == len(truth.safe) and mines == len(truth.mines)
    # Most answers are seen to be true at once.
    entailed = truth.consistent and safe == len(record.safe) and mines == len(record.mines)
    true = entailed and (record.status == "partial" or (record.status == "complete" and everything))
    wrong = () if true else faults(record, entry)
    extract, solve, total, spread = _times(record) if answered else (np.nan,) * 4
    return Score(  # by place: with names it takes twice as long, and there are very many
        answered,
        wrong,
        truth.consistent and not truth.safe and not truth.mines,
        answered and not wrong and (everything if truth.consistent else record.status == "inconsistent"),
        len(truth.safe),
        safe,
        len(truth.mines),
        mines,
        len(whole.safe),
        safe if truth is whole else _common(record.safe, whole.safe),
        extract,
        solve,
        total,
        spread,
    )


def _common(one: tuple[int, ...], two: tuple[int, ...]) -> int:
    return len(one) if one == two else len(set(one).intersection(two))


def _times(record: Record) -> tuple[float, float, float, float]:
    """Medians of extract, solve, and both together, and how far the last lie apart."""
    extract, solve = record.extract_nanoseconds, record.solve_nanoseconds
    if len(solve) == 1:
        first = extract[0] if extract else np.nan
        return first, solve[0], solve[0] + (extract[0] if extract else 0), np.nan
    totals = [a + b for a, b in zip(extract, solve, strict=True)] if extract else solve
    total = _median(totals)
    spread = (max(totals) - min(totals)) / total if totals and total else np.nan
    return _median(extract), _median(solve), total, spread


def _median(values: Sequence[int]) -> float:
    return float(statistics.median(values)) if values else np.nan
