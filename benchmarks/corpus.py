"""Corpora by name and as files: JSON Lines that people can read, checked line by line.

The first line is the header: format, version, name, seed, count, hash and a `definition` in one sentence.
Every other line is an entry: id, game, mines, rows (the text of the position), the local and the global
answer, and the mine cells if the layout is known. Nothing depends on when or where a file was made: the same
seed gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.entries import Answer, Corpus, Entry, Question, plain
from board import Position
from board.layout import LEVELS
from board.problem import mine_count

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
    position = Position.parse(found["rows"], found["mines"])
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
    _check_keys(found, _ENTRY, where)
    answers = []
    for question in ("local", "global"):
        _check_keys(found[question], _ANSWER, f"{where}, key {question}")
        safe, mines = (_cells(found[question][k], f"{where}, key {question}.{k}") for k in ("safe", "mines"))
        answers.append(Answer(found[question]["consistent"], safe, mines))
    if not all(isinstance(row, str) for row in found["rows"]):
        raise ValueError(f"{where}, key rows: a list of texts is needed")
    layout = None if found["layout"] is None else _cells(found["layout"], f"{where}, key layout")
    try:
        count = mine_count(found["mines"])
    except ValueError as wrong:
        raise ValueError(f"{where}, key mines: {wrong}") from None
    try:
        position = Position.parse(found["rows"], count)
    except ValueError as wrong:
        raise ValueError(f"{where}, key rows: {wrong}") from None
    try:
        return Entry(found["id"], found["game"], position, answers[0], answers[1], layout)
    except ValueError as wrong:
        raise ValueError(f"{where}, key {wrong}") from None


def _cells(found: list[Any], where: str) -> tuple[int, ...]:
    if not set(map(type, found)) <= {int}:
        wrong = next(cell for cell in found if type(cell) is not int)
        raise ValueError(f"{where}: a list of cell numbers is needed, not {wrong!r}")
    return tuple(found)
