"""What was measured: one record a question put to a solver, and the run that holds them.

A run lies in a folder of its own, see `benchmarks.folder`.
Nothing is rounded or judged for good here: metrics are functions of these files.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from benchmarks.corpus import Corpus, Entry, Question
from benchmarks.folder import BATCHES, RECORDS, append, append_batch, read_corpora, read_header, read_lines, start
from solvers.interface import Stats

if TYPE_CHECKING:
    import pandas as pd

Key = tuple[str, str, str, str]  #: solver, corpus, entry, question: what a record answers
BatchKey = tuple[str, str, str, int]  #: solver, corpus, question, threads: what a batch was put to
ANSWERS = ("complete", "partial", "inconsistent", "wrong")  #: outcomes with an answer
FAILURES = ("timeout", "memory", "error", "crashed")  #: outcomes that count as nothing found
REASONS = 3  #: of failures, listed for a solver
OUTCOMES = (*ANSWERS, *FAILURES, "unsupported")
_STATUSES: dict[str, tuple[str | None, ...]] = {
    **{answer: (answer,) for answer in ANSWERS},
    "wrong": ("complete", "partial", "inconsistent"),
    **dict.fromkeys((*FAILURES, "unsupported"), (None,)),
}


class Record(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """One question put to one solver.

    outcome: one of OUTCOMES. `complete`, `partial` or `inconsistent` as the solver said, `wrong` if that is
        false; without an answer `timeout` and `memory` (a limit of the run), `error` (it raised, or what it gave
        is no deduction), `crashed` (it ended its process) or `unsupported`.
    status: what the solver said, None where it said nothing.
    safe, mines: the cells it claimed, ascending.
    extract_nanoseconds, solve_nanoseconds: one number a repeat; the first is empty for a solver that reads
        the position itself, both where the process ended.
    message: why there is no answer, or what is wrong with it.
    stats: what the solver told of its work.
    preempted: how many of the repeats the operating system interrupted for another process.
    peak_bytes: the most memory that the process held during a call (extraction and solving; the largest of the
        repeats) beyond what it held before it, see `benchmarks.memory`; None where it was not measured.

    ValueError for an outcome that does not go with the status, times that do not go together, or sizes of explanations
    (`solvers.explained`) that are none, or not as many as were explained.
    """

    solver: str
    corpus: str
    entry: str
    game: str
    question: Question
    outcome: str
    status: str | None
    safe: tuple[int, ...]
    mines: tuple[int, ...]
    extract_nanoseconds: tuple[int, ...]
    solve_nanoseconds: tuple[int, ...]
    message: str = ""
    stats: Stats = {}
    preempted: int = 0
    peak_bytes: int | None = None

    def to_json(self) -> str:
        """One line of JSON that :meth:`from_json` reads back."""
        fields = {name: getattr(self, name) for name in self.__struct_fields__}
        return json.dumps(fields, separators=(",", ":"), allow_nan=False)

    @property
    def key(self) -> Key:
        """(solver, corpus, entry, question): what it answers; once a run."""
        return self.solver, self.corpus, self.entry, self.question

    @property
    def claims(self) -> tuple[str | None, tuple[int, ...], tuple[int, ...]]:
        """(status, safe, mines): everything it says."""
        return self.status, self.safe, self.mines

    @classmethod
    def from_json(cls, line: str | bytes) -> Record:
        """The record of a line. ValueError if it is none."""
        try:
            return _decoder.decode(line)
        except msgspec.DecodeError as wrong:
            raise ValueError(f"not a record: {wrong}") from None

    def __post_init__(self) -> None:
        if self.status not in _STATUSES.get(self.outcome, ()):
            raise ValueError(f"outcome {self.outcome!r} with status {self.status!r}")
        if len(self.extract_nanoseconds) not in (0, len(self.solve_nanoseconds)):
            raise ValueError("extract_nanoseconds and solve_nanoseconds are of different lengths")
        if self.stats and self.solver.partition(":")[0] == "explanation":  # other solvers' stats are their own affair
            self._check_explained()

    def _check_explained(self) -> None:
        """What :mod:`benchmarks.explanation_tables` reads."""
        clues, count = self.stats.get("clues"), self.stats.get("explained")
        cells = len(self.safe) + len(self.mines)
        if not isinstance(clues, str) or not re.fullmatch(r"([1-9][0-9]{0,8}\*?~?( (?!$)|$))*", clues):
            raise ValueError(f"the stats have clues {_shown(clues)}, which are no sizes of explanations")
        if not isinstance(count, int) or isinstance(count, bool) or count != len(clues.split()):
            raise ValueError(f"the stats have {len(clues.split())} sizes of explanations, and explained {count!r}")
        if self.outcome in ANSWERS and count > cells:
            raise ValueError(f"the stats have {count} sizes of explanations, the record {cells} cells")
        spent = self.stats.get("explain_nanoseconds")
        if not isinstance(spent, int | float) or isinstance(spent, bool) or not 0 <= spent < float("inf"):
            raise ValueError(f"the stats have explain_nanoseconds {spent!r}, which is no time")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


class Batch(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """All positions of a corpus, put to one solver at once.

    method: `marginals_many` or `deduce_many`. threads: how many it was told to use. positions: how many of the
    corpus it got, the first ones.
    nanoseconds: one number a repeat, extraction and solving together; empty if it could not be run.
    wrong: how many positions were answered otherwise than in the run's records.
    message: why it could not be run, or what is wrong.
    """

    solver: str
    corpus: str
    question: Question
    method: str
    threads: int
    positions: int
    nanoseconds: tuple[int, ...]
    wrong: int
    message: str = ""

    @property
    def key(self) -> BatchKey:
        """(solver, corpus, question, threads): once a run."""
        return self.solver, self.corpus, self.question, self.threads

    def to_json(self) -> str:
        """One line of JSON that :meth:`from_json` reads back."""
        return msgspec.json.encode(self).decode()

    @classmethod
    def from_json(cls, line: str | bytes) -> Batch:
        """The batch of a line. ValueError if it is none."""
        try:
            return msgspec.json.decode(line, type=cls)
        except msgspec.DecodeError as wrong:
            raise ValueError(f"not a batch: {wrong}") from None

    def __post_init__(self) -> None:
        if self.threads < 1 or self.positions < 1 or not 0 <= self.wrong <= self.positions:
            raise ValueError(f"{self.wrong} wrong of {self.positions} positions with {self.threads} threads")


_decoder = msgspec.json.Decoder(Record)  # checks the types as it reads


def failure_notes(records: Iterable[Record]) -> list[str]:
    """Why solvers left questions without an answer: a line a reason, for each of them its most frequent ones.

    The solver with most such questions comes first. Behind a solver's REASONS a line says how many more there were.
    """
    reasons: dict[str, Counter[str]] = {}
    for record in records:
        if record.outcome in (*FAILURES, "unsupported"):
            reasons.setdefault(record.solver, Counter())[record.message] += 1
    lines = []
    for solver, counts in sorted(reasons.items(), key=lambda item: -item[1].total()):
        shown = counts.most_common(REASONS)
        lines += [f"{solver}, {_times(count)}: {message}" for message, count in shown]
        if more := len(counts) - len(shown):
            rest = counts.total() - sum(count for _, count in shown)
            lines.append(f"{solver}, {_times(rest)}: {more:,} other {'reason' if more == 1 else 'reasons'}")
    return lines


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


@dataclass(frozen=True, slots=True)
class Run:
    """What was run, what came out, and the positions it was run on.

    As text and in a notebook it is the headline table, all corpora pooled, and why solvers failed.
    header: plain data; `corpora` by name are the positions that were asked, with their answers;
    folder: where it lies, None if only in memory; batches: what came out where a whole corpus was put at once.
    """

    header: Mapping[str, Any]
    records: Sequence[Record]
    corpora: Mapping[str, Corpus]
    folder: Path | None = None
    batches: Sequence[Batch] = ()

    @classmethod
    def load(cls, folder: str | Path) -> Run:
        """The run in a folder, without a torn last record. ValueError, naming the file, where it is none."""
        folder = Path(folder)
        header = read_header(folder)
        corpora = read_corpora(folder, header)
        batches = read_lines(folder / BATCHES, Batch.from_json) if (folder / BATCHES).exists() else []
        run = cls(header, read_lines(folder / RECORDS, Record.from_json), corpora, folder, batches)
        run.check()
        return run

    def save(self, folder: str | Path) -> Run:
        """This run, written to a new folder."""
        folder = Path(folder)
        with start(folder, self.header, self.corpora) as file:
            for record in self.records:
                append(file, record)
            for batch in self.batches:
                append_batch(folder, batch)
        return Run(self.header, self.records, self.corpora, folder, self.batches)

    def check(self) -> None:
        """ValueError for a record or a batch of a position, a solver or a question that is not the run's."""
        entries = self.entries()
        labels = {solver["label"] for solver in self.header["solvers"]}
        for record in self.records:
            if (record.corpus, record.entry) not in entries:
                raise ValueError(f"a record of {record.entry!r}, which is not in the corpus {record.corpus!r}")
            if record.solver not in labels or record.question not in self.header["questions"]:
                raise ValueError(f"a record of {record.solver!r}, {record.question!r}, which the header does not name")
        for batch in self.batches:
            if batch.positions > len(self.corpora.get(batch.corpus, ())):
                raise ValueError(f"a batch of {batch.positions} positions, which the corpus {batch.corpus!r} has not")
            if batch.solver not in labels or batch.question not in self.header["questions"]:
                raise ValueError(f"a batch of {batch.solver!r}, {batch.question!r}, which the header does not name")

    def entries(self) -> dict[tuple[str, str], Entry]:
        """(corpus, entry id) -> entry."""
        return {(name, e.id): e for name, corpus in self.corpora.items() for e in corpus.entries}

    def table(self, *, by_corpus: bool = True) -> pd.DataFrame:
        """Every metric, unrounded: one row a (corpus,) question and solver."""
        from benchmarks.tables import metrics_table

        return metrics_table(self, by_corpus=by_corpus)

    def _repr_html_(self) -> str:
        from benchmarks.tables import headline, html

        failed = [f"<p>{escape(line)}</p>" for line in failure_notes(self.records)]
        return "\n".join([html(headline(self.table(by_corpus=False))), *failed])

    def __str__(self) -> str:
        from benchmarks.tables import headline, markdown

        failed = failure_notes(self.records)
        return "\n".join([markdown(headline(self.table(by_corpus=False))), *([""] if failed else []), *failed])

    def __repr__(self) -> str:
        return f"<Run: {len(self.records)} records, corpora {', '.join(self.corpora)}>"
