"""What a corpus holds: positions, their exact answers, and the game each came from; identified by content.

The hash of a corpus is SHA-256 over its entries in their order, each as JSON with sorted keys and without
white space, one a line. Its header and the formatting of a file are no part of it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from operator import lt
from typing import Any, Literal

import numpy as np

from board import COVERED, UNNUMBERED, Layout, Position, Topology
from board.topology import NAMES

Question = Literal["local", "global"]


@dataclass(frozen=True, slots=True)
class Answer:
    """The exact answer to one question: is there a model, and what is true in all of them.

    safe, mines: covered cells, ascending; both empty if there is no model.
    """

    consistent: bool
    safe: tuple[int, ...]
    mines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """A position with its exact answers.

    Parameters
    ----------
    id: unique in its corpus.
    game: the game the position came from; positions of one game are not independent.
    local_answer, global_answer: from the clues alone, and with the mine count. The same if the position has
        no mine count.
    layout: the mine cells, ascending, or None if they are not known.

    Raises ValueError, naming the key, where these do not fit together.
    """

    id: str
    game: str
    position: Position
    local_answer: Answer
    global_answer: Answer
    layout: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        for question in ("local", "global"):
            _check_answer(question, self.answer(question), self.position)
        local, whole = self.local_answer, self.global_answer
        if self.position.mines is None and local != whole:
            raise ValueError("global: without a mine count it is the local answer, but differs from it")
        if whole.consistent and local != whole:
            if not local.consistent:
                raise ValueError("local: no model, where the global answer has one")
            if not (set(local.safe) <= set(whole.safe) and set(local.mines) <= set(whole.mines)):
                raise ValueError("global: misses a cell of the local answer")
        if self.layout is not None:
            _check_layout(self)

    @classmethod
    def trusted(cls, *values: Any) -> Entry:
        """An entry of these fields, in their order, that was checked before."""
        entry = object.__new__(cls)
        for name, value in zip(cls.__slots__, values, strict=True):
            object.__setattr__(entry, name, value)
        return entry

    def answer(self, question: Question) -> Answer:
        """The answer to the "local" or the "global" question; ValueError for any other."""
        if question == "local":
            return self.local_answer
        if question == "global":
            return self.global_answer
        raise ValueError(f"unknown question {question!r}; known are local, global")


@dataclass(frozen=True, slots=True)
class Corpus:
    """Named entries. `len`, iteration; `hash` identifies the content.

    header: may hold "seed", "definition" and more; "format", "version", "name", "count" and "hash" are
        filled in.

    Raises ValueError for ids that repeat and for a header that contradicts the entries.
    """

    name: str
    entries: tuple[Entry, ...]
    header: Mapping[str, Any] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        seen: dict[str, int] = {}
        digest = hashlib.sha256()
        for number, entry in enumerate(self.entries, 1):
            if seen.setdefault(entry.id, number) != number:
                raise ValueError(f"id: {entry.id!r} stands twice, in entries {seen[entry.id]} and {number}")
            digest.update(json.dumps(plain(entry), sort_keys=True, separators=(",", ":")).encode())
            digest.update(b"\n")
        known = {
            "format": "sapper-corpus",
            "version": 1,
            "name": self.name,
            "seed": None,
            "count": len(self.entries),
            "hash": digest.hexdigest(),
            "definition": "",
        }
        for key in ("format", "version", "name", "count", "hash"):
            if self.header.get(key, known[key]) != known[key]:
                raise ValueError(f"{key}: the header says {self.header[key]!r}, the entries {known[key]!r}")
        object.__setattr__(self, "header", known | dict(self.header))

    @classmethod
    def trusted(cls, name: str, entries: tuple[Entry, ...], header: Mapping[str, Any]) -> Corpus:
        """A corpus of these fields that was checked before."""
        corpus = object.__new__(cls)
        for key, value in zip(cls.__slots__, (name, entries, header), strict=True):
            object.__setattr__(corpus, key, value)
        return corpus

    @property
    def hash(self) -> str:
        """SHA-256 of the entries, 64 hexadecimal digits."""
        return str(self.header["hash"])

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __repr__(self) -> str:
        return f"<Corpus {self.name}: {len(self)} entries, {self.hash[:12]}>"


def plain(entry: Entry) -> dict[str, Any]:
    """The entry as it stands in a file; see `benchmarks.corpus`."""
    position = entry.position
    found = {
        "id": entry.id,
        "game": entry.game,
        "mines": position.mines,
        "rows": plain_rows(position),
        "local": _plain_answer(entry.local_answer),
        "global": _plain_answer(entry.global_answer),
        "layout": None if entry.layout is None else list(entry.layout),
    }
    if position.topology.name != "grid":  # without the key corpora of grids keep their hashes
        found["topology"] = _plain_topology(position.topology)
    return found


def plain_rows(position: Position) -> list[str] | list[list[str | int]]:
    """The lines of its text; where a clue is over 8, which has no symbol, a list a row, clues as integers."""
    if position.codes.max() <= 8:
        return position.rows()
    rows = Position(np.minimum(position.codes, 8), None, position.flags, position.topology).rows()
    return [
        [symbol if code < 0 else code for symbol, code in zip(row, codes, strict=True)]
        for row, codes in zip(rows, position.codes.tolist(), strict=True)
    ]


def _plain_topology(topology: Topology) -> str | dict[str, Any]:
    if topology.name in NAMES:
        return topology.name
    neighbours = [cells.tolist() for cells in np.split(topology.neighbours, topology.indptr[1:-1])]
    return {"name": topology.name, "neighbours": neighbours}


def _plain_answer(answer: Answer) -> dict[str, Any]:
    return {"consistent": answer.consistent, "safe": list(answer.safe), "mines": list(answer.mines)}


def _check_answer(key: str, answer: Answer, position: Position) -> None:
    if not answer.consistent and (answer.safe or answer.mines):
        raise ValueError(f"{key}: cells are entailed, but there is no model")
    covered = position.codes.reshape(-1) == COVERED
    for part, cells in (("safe", answer.safe), ("mines", answer.mines)):
        _check_cells(f"{key}.{part}", cells, covered.size)
        numbers = np.array(cells, np.intp)
        opened = numbers[~covered[numbers]]
        if opened.size:
            raise ValueError(f"{key}.{part}: cell {opened[0]} is not covered")
    twice = set(answer.safe).intersection(answer.mines)
    if twice:
        raise ValueError(f"{key}.mines: cell {min(twice)} is listed as safe too")


def _check_layout(entry: Entry) -> None:
    """The layout must be a model of what the player sees, so it contradicts no answer."""
    position, mines = entry.position, entry.layout or ()
    _check_cells("layout", mines, position.codes.size)
    if position.mines not in (None, len(mines)):
        raise ValueError(f"layout: has {len(mines)} mines, the position {position.mines}")
    mask = np.zeros(position.codes.size, np.bool_)
    mask[list(mines)] = True
    shown = Layout(mask.reshape(position.shape), position.topology).position(position.codes != COVERED)
    unlike = (shown.codes != position.codes) & ((position.codes != UNNUMBERED) | (shown.codes < 0))
    if unlike.any():
        row, column = np.argwhere(unlike)[0].tolist()
        raise ValueError(f"layout: does not fit what the position shows at row {row}, column {column}")
    for key, answer in (("local", entry.local_answer), ("global", entry.global_answer)):
        if not answer.consistent or mask[list(answer.safe)].any() or not mask[list(answer.mines)].all():
            raise ValueError(f"{key}: contradicts the layout")


def _check_cells(key: str, cells: tuple[int, ...], n: int) -> None:
    if cells and cells[0] >= 0 and cells[-1] < n and all(map(lt, cells, cells[1:])):
        return  # the loops are for the message: large boards have ten thousands of cells
    for cell in cells:
        if not 0 <= cell < n:
            raise ValueError(f"{key}: cell {cell} is outside 0..{n - 1}")
    for one, two in pairwise(cells):
        if one >= two:
            raise ValueError(f"{key}: cells are ascending and distinct, not {one}, {two}")
