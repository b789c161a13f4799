"""Batches of a run (`benchmarks.batching`) as a table, and what a reader must know of them."""

from __future__ import annotations

import math
from collections import Counter
from statistics import median

import pandas as pd

from benchmarks.batching import REPEATS
from benchmarks.metrics import PEER
from benchmarks.records import Batch, Run
from benchmarks.tables import as_text, number, ratio


def wrong_batches(run: Run) -> list[Batch]:
    """Those in which a position was answered otherwise than alone."""
    return [batch for batch in run.batches if batch.wrong]


def wrong_words(run: Run) -> list[str]:
    """A sentence a wrong batch."""
    return [
        f"Wrong in a batch: {batch.solver}, {batch.corpus}, {batch.question}, threads {batch.threads}: "
        f"{batch.wrong:,} of {batch.positions:,} positions; {batch.message}."
        for batch in wrong_batches(run)
    ]


def batches_table(run: Run, judged: pd.DataFrame) -> pd.DataFrame:
    """A row a batch that was timed, as text: microseconds a position, and as a multiple of other times.

    judged: `benchmarks.metrics.scores(run)`. `× peer`: of the peer's times on the same positions one by one, summed,
    if it answered them all; `× one thread`: of the same batch's with one thread, below 1 where more are faster.
    """
    whole = {batch.key: median(batch.nanoseconds) for batch in run.batches if batch.nanoseconds}
    labels = [solver["label"] for solver in run.header["solvers"]]
    corpora, questions = list(run.corpora), list(run.header["questions"])

    def place(batch: Batch) -> tuple[int, int, int, int]:
        return (
            corpora.index(batch.corpus),
            questions.index(batch.question),
            labels.index(batch.solver),
            batch.threads,
        )

    peer = _peer_nanoseconds(judged)
    table = []
    for batch in sorted((batch for batch in run.batches if batch.key in whole), key=place):
        nanoseconds = whole[batch.key]
        entries = run.corpora[batch.corpus].entries[: batch.positions]
        alone = sum(peer.get((batch.corpus, batch.question, entry.id), math.nan) for entry in entries)
        one = whole.get((batch.solver, batch.corpus, batch.question, 1), math.nan)
        table.append(
            {
                "Corpus": batch.corpus,
                "Question": batch.question,
                "Strategy": batch.solver,
                "Method": batch.method,
                "Threads": str(batch.threads),
                "Positions": f"{batch.positions:,}",
                "Wrong positions": f"{batch.wrong:,}",
                "µs a position": number(nanoseconds / batch.positions / 1000),
                "× peer": ratio(nanoseconds / alone),
                "× one thread": ratio(nanoseconds / one),
            }
        )
    return as_text(table)


def _peer_nanoseconds(judged: pd.DataFrame) -> dict[tuple[str, str, str], float]:
    """(corpus, question, entry) -> the peer's time, where it answered."""
    known = [name for name in judged["solver"].cat.categories if name.partition(":")[0] == PEER][:1]
    mine = judged[judged["answered"] & judged["solver"].isin(known)]
    keys = zip(mine["corpus"], mine["question"], mine["entry"], strict=True)
    return dict(zip(keys, mine["total"], strict=True))


def batch_notes(run: Run) -> list[str]:
    """How to read the table, what is wrong, and what could not be run."""
    if not run.batches:
        return []
    lines = [
        "Batches: all positions of a corpus put to a strategy at once, extraction and solving together, the median of "
        f"at least {REPEATS} repeats. × peer: multiple of {PEER}'s times on the same positions, one by one and summed, "
        "if it answered them all; × one thread: time as a multiple of the same batch's with one thread, below 1 is "
        "faster."
    ]
    skipped = Counter((batch.solver, batch.message) for batch in run.batches if not batch.nanoseconds)
    lines += wrong_words(run)
    return lines + [
        f"{solver}, {'one batch' if count == 1 else f'{count:,} batches'} not run: {message}"
        for (solver, message), count in skipped.most_common(5)
    ]
