"""The folder of a run: how it is made, appended to and read.

It is self-contained: `header.json` (what was run, where), `records.jsonl` (raw answers and unrounded nanoseconds,
appended as they are measured), `batches.jsonl` (the same of whole corpora put at once; only if that was asked),
`corpora/` (the positions, with their answers) and `corpora.sha256` (by which it is seen if these were changed).
"""

from __future__ import annotations

import fcntl
import gc
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

from benchmarks.corpus import Corpus, trusted_corpus, write_corpus
from benchmarks.header import check_header

if TYPE_CHECKING:
    from benchmarks.records import Batch, Record

    Line = TypeVar("Line", Record, Batch)

HEADER, RECORDS, BATCHES, SUMS = "header.json", "records.jsonl", "batches.jsonl", "corpora.sha256"
FORMAT = 2  #: of the run folder; a reader refuses what it does not know
_LONGEST_LINE_BYTES = 1 << 26


def read_header(folder: Path) -> dict[str, Any]:
    """The header of the run in a folder. ValueError, naming the file, where it is none."""
    path = folder / HEADER
    if not path.is_file():
        raise ValueError(f"{str(folder)!r} is not a run folder: it has no {HEADER}")
    try:
        header: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        found = header["format"]
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not the header of a run: it is no text") from None
    except (ValueError, TypeError, KeyError) as wrong:
        raise ValueError(f"{path} is not the header of a run: {wrong!r}") from None
    if found != FORMAT:
        raise ValueError(f"{path} has format {found!r}; this version reads {FORMAT}")
    try:
        check_header(header)
    except ValueError as wrong:
        raise ValueError(f"{path}, {wrong}") from None
    return header


def read_corpora(folder: Path, header: Mapping[str, Any]) -> dict[str, Corpus]:
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
        raise FileExistsError(
            f"{str(folder)!r} exists already; a run is never overwritten: name another folder, or delete it"
        )


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """A place to write what becomes `folder` in one step at the end, so that a kill leaves a whole one or none.

    FileExistsError as :func:`check_free`.
    """
    check_free(folder)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        beside = TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent)
    except OSError as wrong:
        raise OSError(wrong.errno, wrong.strerror, str(folder)) from None  # the name that was asked for
    with beside as scratch:
        made = Path(scratch, "made")
        made.mkdir()
        yield made
        made.replace(folder)


def start(folder: Path, header: Mapping[str, Any], corpora: Mapping[str, Corpus]) -> TextIO:
    """Make a run folder and open its records for `append`. FileExistsError if it holds anything already."""
    with new_folder(folder) as made:
        (made / "corpora").mkdir()
        for item in header["corpora"]:
            write_corpus(corpora[item["name"]], made / item["file"])
        (made / SUMS).write_text("".join(_sum(made, item["file"]) for item in header["corpora"]), encoding="utf-8")
        write_header(made, header)
        (made / RECORDS).touch()
    return locked((folder / RECORDS).open("a", encoding="utf-8"), folder)


def locked(file: TextIO, folder: Path) -> TextIO:
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
    """Open the records of a run that was broken off, for `append`; torn last lines, of batches too, are cut off.

    ValueError if another process is measuring it.
    """
    kept = locked((folder / RECORDS).open("a", encoding="utf-8"), folder)
    for path in (folder / RECORDS, folder / BATCHES):
        if path.exists():
            cut_torn_line(path)
    return kept


def cut_torn_line(path: Path) -> None:
    """Cut off what stands behind the last end of a line."""
    with path.open("rb+") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _LONGEST_LINE_BYTES))
        tail = file.read()
        file.truncate(size - (len(tail) - 1 - tail.rfind(b"\n")))


def append(file: TextIO, record: Record) -> None:
    """Write one record and hand it to the operating system at once."""
    file.write(record.to_json() + "\n")
    file.flush()


def append_batch(folder: Path, batch: Batch) -> None:
    """Write one batch to a run folder at once."""
    with (folder / BATCHES).open("a", encoding="utf-8") as file:
        file.write(batch.to_json() + "\n")


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


def read_lines(path: Path, read: Callable[[bytes], Line]) -> list[Line]:
    """What the lines hold, each key once, without a torn last line. ValueError, naming the line, for what is none."""
    lines: list[Line] = []
    seen: dict[tuple[Any, ...], int] = {}
    with path.open("rb") as file, without_collector():
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                break  # the run was killed while it wrote this
            try:
                made = read(line)
            except ValueError as wrong:
                raise ValueError(f"{path}, line {number}: {wrong}") from None
            first = seen.setdefault(made.key, number)
            if first != number:
                what, key = type(made).__name__.lower(), ", ".join(map(str, made.key))
                raise ValueError(f"{path}, line {number}: the {what} of line {first} again: {key}")
            lines.append(made)
    return lines
