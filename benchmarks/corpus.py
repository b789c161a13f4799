"""Corpora by name and as files: JSON Lines that people can read, checked line by line.

The first line is the header: format, version, name, seed, count, hash and a `definition` in one sentence.
Every other line is an entry: id, game, mines, rows (the text of the position), the local and the global
answer, and the mine cells if the layout is known. Of a board that is not the grid there is also its topology: `torus`,
`hexagonal`, or the name and the neighbours of each cell. Where a clue is over 8, which has no symbol, the rows
are lists with a cell an element, all clues as integers. Nothing depends on when or where a file was made: the same
seed gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.entries import Answer, Corpus, Entry, Question, plain
from board import Position, Topology, graph
from board.layout import LEVELS
from board.problem import mine_count
from board.topology import named

__all__ = [
    "Answer",
    "Corpus",
    "Entry",
    "KINDS",
    "LEVELS",
    "Question",
    "SHAPES",
    "build_corpus",
    "bundled_corpora",
    "corpus_names",
    "load_corpus",
    "read_corpus",
    "trusted_corpus",
    "write_corpus",
]

KINDS = ("random", "scatter", "stuck", "minmax-stuck", "endgame")
SHAPES = ("squares-0.10", "squares-0.15", "squares-0.20", "combs", "lattices")
PATTERN = f"<level>-<kind> with a level of {', '.join(LEVELS)} and a kind of {', '.join(KINDS)}"  #: for messages

_HEADER: dict[str, Any] = {"name": str, "seed": int | None, "count": int, "hash": str, "definition": str}
_ENTRY: dict[str, Any] = {
    "id": str,
    "game": str,
    "mines": int | None,
    "rows": list,
    "local": dict,
    "global": dict,
    "layout": list | None,
}
_OPTIONAL: dict[str, Any] = {"topology": str | dict}  # of an entry
_GRAPH: dict[str, Any] = {"name": str, "neighbours": list}
_ANSWER: dict[str, Any] = {"consistent": bool, "safe": list, "mines": list}


def corpus_names() -> list[str]:
    """The names of the bundled corpora.

    >>> corpus_names()[:2]
    ['beginner-random', 'beginner-scatter']
    """
    return [f"{level}-{kind}" for level in LEVELS for kind in KINDS] + ["cases", *SHAPES, "stress"]


def load_corpus(name_or_path: str | Path) -> Corpus:
    """The bundled corpus of that name, or the corpus in that .jsonl file.

    Raises ValueError for an unknown name and for a file that is no corpus.
    """
    if name_or_path in corpus_names():
        return _parse(_bundled(str(name_or_path)), f"{name_or_path}.jsonl")
    path = Path(name_or_path)
    if isinstance(name_or_path, str) and not (path.suffix or len(path.parts) > 1 or path.exists()):
        near = get_close_matches(name_or_path, corpus_names(), 1)
        known = f"known are cases, {', '.join(SHAPES)}, stress, and {PATTERN}"
        hint = f"did you mean {near[0]!r}?" if near else known
        raise ValueError(f"unknown corpus {name_or_path!r}; {hint}")
    return read_corpus(path)


def bundled_corpora() -> list[Corpus]:
    """All bundled corpora as they were written, unchecked: to list them, which is several times faster."""
    return [trusted_corpus(_bundled(name)) for name in corpus_names()]


def _bundled(name: str) -> bytes:
    return (resources.files("benchmarks.corpora") / f"{name}.jsonl").read_bytes()


def read_corpus(path: str | Path) -> Corpus:
    """The corpus in a .jsonl file. Raises ValueError naming the file, the line and the key."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {error.strerror}") from None
    return _parse(content, str(path))


def write_corpus(corpus: Corpus, path: str | Path) -> None:
    """Write a corpus as JSON Lines. The same corpus gives the same bytes."""
    lines = [corpus.header, *map(plain, corpus.entries)]
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    Path(path).write_bytes(text.encode("ascii"))


def build_corpus(name: str, count: int, seed: int, *, progress: Callable[[int, int], None] | None = None) -> Corpus:
    """The first `count` entries that a seed makes of a corpus `<level>-<kind>` or of one of SHAPES.

    Before `<level>` may stand `torus-`, `hexagonal-` or `graph-`: the same on other boards.

    See `benchmarks.generation` and, for the sizes of shapes and their order, `benchmarks.shapes`.

    progress: called with (entries made, count) after each entry.

    Raises ValueError for a name, a count or a seed that means nothing.
    """
    from benchmarks.generation import generate  # solvers are imported at first use

    return generate(name, count, seed, progress)


def trusted_corpus(content: bytes) -> Corpus:
    """The corpus of a file that `write_corpus` wrote and nobody has changed; several times faster."""
    first, *lines = content.splitlines()
    header = msgspec.json.decode(first)
    return Corpus.trusted(header["name"], tuple(map(_trusted_entry, map(msgspec.json.decode, lines))), header)


def _trusted_entry(found: dict[str, Any]) -> Entry:
    local, whole = (
        Answer(item["consistent"], tuple(item["safe"]), tuple(item["mines"]))
        for item in (found["local"], found["global"])
    )
    layout = None if found["layout"] is None else tuple(found["layout"])
    position = _position(found["rows"], found["mines"], found.get("topology", "grid"))
    return Entry.trusted(found["id"], found["game"], position, local, whole, layout)


def _parse(content: bytes, where: str) -> Corpus:
    try:
        lines = content.decode("utf-8-sig").removesuffix("\n").split("\n")
    except UnicodeDecodeError as error:
        raise ValueError(f"{where}: is not text: byte {error.start} is not UTF-8") from None
    header = _object(lines[0], f"{where}, line 1")
    if header.get("format") != "sapper-corpus":
        found = header.get("format")
        raise ValueError(f"{where}, line 1, key format: 'sapper-corpus' is needed, not {found!r}")
    if header.get("version") != 1:
        found = header.get("version")
        raise ValueError(f"{where}, line 1, key version: this program reads version 1, not {found!r}")
    _check_keys(header, _HEADER, f"{where}, line 1", more=True)
    entries = tuple(_entry(line, f"{where}, line {number}") for number, line in enumerate(lines[1:], 2))
    try:
        return Corpus(header["name"], entries, header)
    except ValueError as wrong:
        raise ValueError(f"{where}, key {wrong}") from None


def _object(line: str, where: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as wrong:
        told = wrong.msg if isinstance(wrong, json.JSONDecodeError) else str(wrong)
        raise ValueError(f"{where}: is not JSON: {told}: {line[:40]!r}") from None
    if not isinstance(found, dict):
        raise ValueError(f"{where}: a JSON object is needed, not {line[:40]!r}")
    return found


def _check_keys(found: Mapping[str, Any], known: Mapping[str, Any], where: str, *, more: bool = False) -> None:
    for key, kind in known.items():
        if key not in found:
            raise ValueError(f"{where}, key {key}: is missing")
        if not isinstance(found[key], kind) or (isinstance(found[key], bool) and kind is not bool):
            raise ValueError(f"{where}, key {key}: {str(found[key])[:40]!r} is of the wrong type")
    for key in found:
        if not more and key not in known:
            raise ValueError(f"{where}, key {key}: is unknown; known are {', '.join(known)}")


def _entry(line: str, where: str) -> Entry:
    found = _object(line, where)
    _check_keys(found, _ENTRY | {key: kind for key, kind in _OPTIONAL.items() if key in found}, where)
    answers = []
    for question in ("local", "global"):
        _check_keys(found[question], _ANSWER, f"{where}, key {question}")
        safe, mines = (_cells(found[question][k], f"{where}, key {question}.{k}") for k in ("safe", "mines"))
        answers.append(Answer(found[question]["consistent"], safe, mines))
    layout = None if found["layout"] is None else _cells(found["layout"], f"{where}, key layout")
    topology = found.get("topology", "grid")
    if isinstance(topology, dict):
        _check_keys(topology, _GRAPH, f"{where}, key topology")
    try:
        position = _position(found["rows"], found["mines"], topology)
        return Entry(found["id"], found["game"], position, answers[0], answers[1], layout)
    except ValueError as wrong:
        raise ValueError(f"{where}, key {wrong}") from None


def _position(rows: list[Any], mines: int | None, topology: str | dict[str, Any]) -> Position:
    """The position as it stands in an entry; a ValueError begins with the key that is wrong."""
    with _key("mines"):
        count = mine_count(mines)
    with _key("rows"):
        position = _parsed(rows, count)
    if topology == "grid":
        return position
    with _key("topology"):
        return Position(position.codes, count, position.flags, _topology(topology, position.shape))


def _parsed(rows: list[Any], mines: int | None) -> Position:
    if set(map(type, rows)) <= {str}:
        return Position.parse(rows, mines)
    if not all(isinstance(row, list) and set(map(type, row)) <= {str, int} for row in rows):
        raise ValueError("a list of texts is needed, or of lists of symbols and integers")
    for cell in (cell for row in rows for cell in row):
        if len(cell) != 1 if isinstance(cell, str) else cell < 0:
            raise ValueError(f"a cell is one symbol or an integer >= 0, not {cell!r}")
    shown = Position.parse(["".join("_" if isinstance(cell, int) else cell for cell in row) for row in rows])
    codes = shown.codes.tolist()
    for line, row in zip(codes, rows, strict=True):
        line[:] = [cell if isinstance(cell, int) else code for code, cell in zip(line, row, strict=True)]
    return Position(codes, mines, shown.flags)


def _topology(found: str | dict[str, Any], shape: tuple[int, int]) -> Topology:
    if isinstance(found, str):
        return named(found, *shape)
    return graph(found["neighbours"], shape, found["name"])


@contextmanager
def _key(name: str) -> Iterator[None]:
    """The message of a ValueError begins with the key."""
    try:
        yield
    except ValueError as wrong:
        raise ValueError(f"{name}: {wrong}") from None


def _cells(found: list[Any], where: str) -> tuple[int, ...]:
    if not set(map(type, found)) <= {int}:
        wrong = next(cell for cell in found if type(cell) is not int)
        raise ValueError(f"{where}: a list of cell numbers is needed, not {wrong!r}")
    return tuple(found)
