"""What was measured: one record a question put to a solver, and the run that holds them.

A run folder is self-contained: `header.json` (what was run, where), `records.jsonl` (raw answers and
unrounded nanoseconds, appended as they are measured) and `corpora/` (the positions, with their answers).
Nothing is rounded or judged for good here: metrics are functions of these files.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from benchmarks.corpus import Corpus, Entry, Question, read_corpus, write_corpus
from solvers.interface import Stats

if TYPE_CHECKING:
    import pandas as pd

FORMAT = 2  #: of the run folder; a reader refuses what it does not know
ANSWERS = ("complete", "partial", "inconsistent", "wrong")  #: outcomes with an answer
FAILURES = ("timeout", "memory", "error", "crashed")  #: outcomes that count as nothing found
OUTCOMES = (*ANSWERS, *FAILURES, "unsupported")


@dataclass(frozen=True, slots=True)
class Record:
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
    stats: Stats = field(default_factory=dict)
    preempted: int = 0

    def to_json(self) -> str:
        """One line of JSON that :meth:`from_json` reads back."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        return json.dumps(fields, separators=(",", ":"), ensure_ascii=False)

    @classmethod
    def from_json(cls, line: str) -> Record:
        """The record of a line. ValueError if it is none."""
        try:
            found = json.loads(line).items()
            fields: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in found}
            return cls(**fields)
        except (TypeError, AttributeError) as wrong:
            raise ValueError(f"not a record: {wrong}") from None


@dataclass(frozen=True, slots=True)
class Run:
    """What was run, what came out, and the positions it was run on.

    header: plain data; `corpora` by name are the positions that were asked, with their answers;
    folder: where it lies, None if only in memory.
    """

    header: Mapping[str, Any]
    records: Sequence[Record]
    corpora: Mapping[str, Corpus]
    folder: Path | None = None

    @classmethod
    def load(cls, folder: str | Path) -> Run:
        """The run in a folder, without a torn last record. ValueError, naming the file, where it is none."""
        folder = Path(folder)
        if not (folder / "header.json").is_file():
            raise ValueError(f"{str(folder)!r} is not a run folder: it has no header.json")
        try:
            header = json.loads((folder / "header.json").read_text(encoding="utf-8"))
            found = header["format"]
        except (ValueError, TypeError, KeyError) as wrong:
            raise ValueError(f"{folder / 'header.json'} is not the header of a run: {wrong!r}") from None
        if found != FORMAT:
            raise ValueError(f"{folder / 'header.json'} has format {found!r}; this version reads {FORMAT}")
        corpora = {item["name"]: read_corpus(folder / item["file"]) for item in header["corpora"]}
        return cls(header, _read_records(folder / "records.jsonl"), corpora, folder)

    def save(self, folder: str | Path) -> Run:
        """This run, written to a new folder."""
        folder = Path(folder)
        with start(folder, self.header, self.corpora) as file:
            for record in self.records:
                append(file, record)
        return Run(self.header, self.records, self.corpora, folder)

    def entries(self) -> dict[tuple[str, str], Entry]:
        """(corpus, entry id) -> entry."""
        return {(name, e.id): e for name, corpus in self.corpora.items() for e in corpus.entries}

    def table(self, *, by_corpus: bool = True) -> pd.DataFrame:
        """Every metric, unrounded: one row a (corpus,) question and solver."""
        from benchmarks.tables import metrics_table

        return metrics_table(self, by_corpus=by_corpus)

    def _repr_html_(self) -> str:
        from benchmarks.tables import headline

        return str(headline(self.table()).to_html(index=False))

    def __repr__(self) -> str:
        return f"<Run: {len(self.records)} records, corpora {', '.join(self.corpora)}>"


def corpus_file(index: int, name: str) -> str:
    """Where corpus number `index` of a run lies in its folder; the name is only there to be read."""
    readable = "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else "_" for c in name)
    return f"corpora/{index:02d}-{readable}.jsonl"


def check_free(folder: Path) -> None:
    """FileExistsError if there is something at `folder`, other than an empty folder."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FileExistsError(f"{str(folder)!r} exists already; a run is never overwritten")


def start(folder: Path, header: Mapping[str, Any], corpora: Mapping[str, Corpus]) -> TextIO:
    """Make a run folder and open its records for `append`. FileExistsError if it holds anything already."""
    check_free(folder)
    (folder / "corpora").mkdir(parents=True, exist_ok=True)
    for item in header["corpora"]:
        write_corpus(corpora[item["name"]], folder / item["file"])
    text = json.dumps(header, indent=2, ensure_ascii=False)
    (folder / "header.json").write_text(text + "\n", encoding="utf-8")
    return (folder / "records.jsonl").open("x", encoding="utf-8")


def append(file: TextIO, record: Record) -> None:
    """Write one record and hand it to the operating system at once."""
    file.write(record.to_json() + "\n")
    file.flush()


def _read_records(path: Path) -> list[Record]:
    records: list[Record] = []
    if not path.is_file():
        return records
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            try:
                records.append(Record.from_json(line))
            except ValueError as wrong:
                if not line.endswith("\n"):
                    break  # the run was killed while it wrote this
                raise ValueError(f"{path}, line {number}: {wrong}") from None
    return records
