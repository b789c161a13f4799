"""What was measured: one record a question put to a solver, and the run that holds them.

A run folder is self-contained: `header.json` (what was run, where), `records.jsonl` (raw answers and
unrounded nanoseconds, appended as they are measured), `corpora/` (the positions, with their answers) and
`corpora.sha256` (by which it is seen if these were changed).
Nothing is rounded or judged for good here: metrics are functions of these files.
"""

from __future__ import annotations

import fcntl
import gc
import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TextIO

import msgspec

from benchmarks.corpus import Corpus, Entry, Question, trusted_corpus, write_corpus
from benchmarks.header import check_header
from solvers.interface import Stats

if TYPE_CHECKING:
    import pandas as pd

HEADER, RECORDS, SUMS = "header.json", "records.jsonl", "corpora.sha256"
FORMAT = 2  #: of the run folder; a reader refuses what it does not know
Key = tuple[str, str, str, str]  #: solver, corpus, entry, question: what a record answers
ANSWERS = ("complete", "partial", "inconsistent", "wrong")  #: outcomes with an answer
FAILURES = ("timeout", "memory", "error", "crashed")  #: outcomes that count as nothing found
OUTCOMES = (*ANSWERS, *FAILURES, "unsupported")
_STATUSES: dict[str, tuple[str | None, ...]] = {
    **{answer: (answer,) for answer in ANSWERS},
    "wrong": ("complete", "partial", "inconsistent"),
    **dict.fromkeys((*FAILURES, "unsupported"), (None,)),
}
_LONGEST_LINE_BYTES = 1 << 26


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

    ValueError for an outcome that does not go with the status, or times that do not go together.
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


_decoder = msgspec.json.Decoder(Record)  # checks the types as it reads


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
        header = read_header(folder)
        corpora = _read_corpora(folder, header)
        run = cls(header, _read_records(folder / RECORDS), corpora, folder)
        run.check()
        return run

    def save(self, folder: str | Path) -> Run:
        """This run, written to a new folder."""
        folder = Path(folder)
        with start(folder, self.header, self.corpora) as file:
            for record in self.records:
                append(file, record)
        return Run(self.header, self.records, self.corpora, folder)

    def check(self) -> None:
        """ValueError for a record of a position, a solver or a question that is not the run's."""
        entries = self.entries()
        labels = {solver["label"] for solver in self.header["solvers"]}
        for record in self.records:
            if (record.corpus, record.entry) not in entries:
                raise ValueError(f"a record of {record.entry!r}, which is not in the corpus {record.corpus!r}")
            if record.solver not in labels or record.question not in self.header["questions"]:
                raise ValueError(f"a record of {record.solver!r}, {record.question!r}, which the header does not name")

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

    def __str__(self) -> str:
        from benchmarks.tables import headline, markdown

        return markdown(headline(self.table(by_corpus=False)))

    def __repr__(self) -> str:
        return f"<Run: {len(self.records)} records, corpora {', '.join(self.corpora)}>"


def read_header(folder: Path) -> dict[str, Any]:
    """The header of the run in a folder. ValueError, naming the file, where it is none."""
    path = folder / HEADER
    if not path.is_file():
        raise ValueError(f"{str(folder)!r} is not a run folder: it has no {HEADER}")
    try:
        header: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        found = header["format"]
    except (ValueError, TypeError, KeyError) as wrong:
        raise ValueError(f"{path} is not the header of a run: {wrong!r}") from None
    if found != FORMAT:
        raise ValueError(f"{path} has format {found!r}; this version reads {FORMAT}")
    try:
        check_header(header)
    except ValueError as wrong:
        raise ValueError(f"{path}, {wrong}") from None
    return header


def _read_corpora(folder: Path, header: Mapping[str, Any]) -> dict[str, Corpus]:
    """By name; ValueError for one that is not as it was written, which would make every record of it false."""
    try:
        known = (folder / SUMS).read_text(encoding="utf-8").splitlines(keepends=True)
        for item in header["corpora"]:
            if _sum(folder, item["file"]) not in known:
                raise ValueError(f"{folder / item['file']} is not what was asked in this run: it was changed")
    except OSError as wrong:
        raise ValueError(f"{wrong.filename}: cannot be read: {wrong.strerror}") from None
    return {item["name"]: trusted_corpus((folder / item["file"]).read_bytes()) for item in header["corpora"]}


def _sum(folder: Path, file: str) -> str:
    """A line that `sha256sum --check` reads."""
    return f"{hashlib.sha256((folder / file).read_bytes()).hexdigest()}  {file}\n"


def corpus_file(index: int, name: str) -> str:
    """Where corpus number `index` of a run lies in its folder; the name is only there to be read."""
    readable = "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else "_" for c in name)
    return f"corpora/{index:02d}-{readable}.jsonl"


def check_free(folder: Path) -> None:
    """FileExistsError if there is something at `folder`, other than an empty folder."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FileExistsError(f"{str(folder)!r} exists already; a run is never overwritten")


def start(folder: Path, header: Mapping[str, Any], corpora: Mapping[str, Corpus]) -> TextIO:
    """Make a run folder and open its records for `append`. FileExistsError if it holds anything already.

    The folder comes into being in one step, so that a kill leaves a whole one or none.
    """
    check_free(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as scratch:
        made = Path(scratch, "run")
        (made / "corpora").mkdir(parents=True)
        for item in header["corpora"]:
            write_corpus(corpora[item["name"]], made / item["file"])
        (made / SUMS).write_text("".join(_sum(made, item["file"]) for item in header["corpora"]), encoding="utf-8")
        write_header(made, header)
        (made / RECORDS).touch()
        made.replace(folder)
    return _locked((folder / RECORDS).open("a", encoding="utf-8"), folder)


def _locked(file: TextIO, folder: Path) -> TextIO:
    """The file, if nobody else measures this run. ValueError if somebody does."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise ValueError(f"the run {str(folder)!r} is being measured by another process") from None
    return file


def write_header(folder: Path, header: Mapping[str, Any]) -> None:
    """Write a run's header, or a new one in the place of the old, in one step."""
    text = json.dumps(header, indent=2, ensure_ascii=False)
    scratch = folder / "header.json.new"
    scratch.write_text(text + "\n", encoding="utf-8")
    scratch.replace(folder / HEADER)


def reopen(folder: Path) -> TextIO:
    """Open the records of a run that was broken off, for `append`; a torn last line is cut off.

    ValueError if another process is measuring it.
    """
    path = folder / RECORDS
    kept = _locked(path.open("a", encoding="utf-8"), folder)
    with path.open("rb+") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _LONGEST_LINE_BYTES))
        tail = file.read()
        file.truncate(size - (len(tail) - 1 - tail.rfind(b"\n")))
    return kept


def append(file: TextIO, record: Record) -> None:
    """Write one record and hand it to the operating system at once."""
    file.write(record.to_json() + "\n")
    file.flush()


@contextmanager
def without_collector() -> Iterator[None]:
    """Around what makes very many objects and no cycles: Python's collector would look at all of them again and again.

    >>> with without_collector():
    ...     gc.isenabled()
    False
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _read_records(path: Path) -> list[Record]:
    records: list[Record] = []
    seen: dict[Key, int] = {}
    with path.open("rb") as file, without_collector():
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                break  # the run was killed while it wrote this
            try:
                record = Record.from_json(line)
            except ValueError as wrong:
                raise ValueError(f"{path}, line {number}: {wrong}") from None
            first = seen.setdefault(record.key, number)
            if first != number:
                raise ValueError(f"{path}, line {number}: the record of line {first} again: {', '.join(record.key)}")
            records.append(record)
    return records
