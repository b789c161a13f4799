"""One position from a file, one solver's answer, as text or as JSON: what `sapper solve` does."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from benchmarks.console import format_hint
from board import COVERED, HIT, Layout, Position, formats, to_svg
from board.decoding import MOST_BYTES, Board
from board.layout_formats import fits_mbf
from board.problem import mine_count
from board.render import board_text
from board.topology import named
from solvers import Deduction, Marginals, MarginalSolver, Solver, Status, label_of

LARGEST_DRAWN_CELLS = 10_000


_MOST_TEXT_BYTES = 1 << 28  # a board of 16,000 x 16,000 cells


def read_position(file: str, mines: str | None, format: str | None = None, topology: str | None = None) -> Position:
    """The position in a file (`-` is standard input), with a mine count given as text.

    format: a name of `board.formats.FORMATS`. Without it the file is the project's own text, or says itself what it is,
        as `.mine`, JSON and `.npy` do; characters of other dialects are not guessed at.
    topology: a name of `board.topology.NAMES`, for files that do not say; the grid without it.

    Raises ValueError, naming the file and where it applies line and column, and OSError.
    """
    count = None if mines is None else _count(mines)
    if not file:
        raise ValueError(f"{file!r} is not the name of a file")
    name = "standard input" if file == "-" else file
    if file == "-":
        content = _content(sys.stdin.buffer)
    else:
        with Path(file).open("rb") as stream:
            content = _content(stream)
    try:
        board = _board(content, count, format)
    except UnicodeDecodeError as wrong:
        line = wrong.object.count(b"\n", 0, wrong.start) + 1
        byte = wrong.object[wrong.start]
        raise ValueError(f"{name}: not text: byte 0x{byte:02x} on line {line} is not UTF-8") from None
    except ValueError as wrong:
        raise ValueError(f"{name}: {wrong}{format_hint(str(wrong), format)}") from None
    if isinstance(board, Layout):
        raise ValueError(f"{name}: a layout, not a position: `sapper convert --to text --open ROW,COLUMN` makes one")
    placed = on_topology(board, topology, file)
    assert isinstance(placed, Position)
    return placed


def on_topology(board: Board, topology: str | None, file: str) -> Board:
    """A file's board on the topology of that name, with which it is the same kind of board; as it is for None.

    Raises ValueError, naming the file, if that says itself which cells are neighbours.
    """
    if topology is None:
        return board
    if board.topology.name != "grid":
        name = "standard input" if file == "-" else file
        raise ValueError(
            f"{name}: the neighbours of its cells stand in the file, the topology {topology!r} has no part"
        )
    neighbours = named(topology, *board.shape)
    if isinstance(board, Layout):
        return Layout(board.mines, neighbours)
    return Position(board.codes, board.mines, board.flags, neighbours)


def _board(content: bytes, mines: int | None, format: str | None) -> Board:
    """What is written there. ValueError, UnicodeDecodeError where it is the project's own text, or should be."""
    if format is not None or _says_what_it_is(content):
        return formats.read(content, format, mines)
    if b"\0" in content:
        raise ValueError("a binary file, not text: it has a NUL byte")
    return Position.parse(content.decode("utf-8"), mines)


def _says_what_it_is(content: bytes) -> bool:
    """Whether these bytes look like one of the formats with a mark of their own, and not like rows of characters."""
    if formats.FORMATS["text"].looks(content):
        return False
    marked = (form for form in formats.FORMATS.values() if form.name != "mbf")  # which all other bytes look like
    return any(form.looks(content) for form in marked) or fits_mbf(content)


def _count(text: str) -> int | None:
    try:
        with _all_digits():
            return mine_count(int(text) if text.isascii() and text.isdigit() else text)
    except ValueError:
        shown = text if len(text) <= 40 else text[:39] + "…"
        raise ValueError(f"--mines: a mine count is an integer >= 0, not {shown!r}") from None


def _content(stream: BinaryIO) -> bytes:
    """All bytes of a stream, which need not end (/dev/zero, `yes`): of one with a NUL no more than formats read.

    Raises ValueError for what is no board of this project's text, which has no other bound.
    """
    parts, size, binary = [], 0, False
    while (not binary or size <= MOST_BYTES) and (part := stream.read(1 << 20)):
        parts.append(part)
        size += len(part)
        binary = binary or b"\0" in part
        if size > _MOST_TEXT_BYTES:
            raise ValueError(f"a board's text has at most {_MOST_TEXT_BYTES:,} bytes")
    return b"".join(parts)


@dataclass(frozen=True, slots=True)
class Solution:
    """What a solver says about a position. marginals: None if it does not count or went over its budget."""

    position: Position
    solver: Solver
    deduction: Deduction
    marginals: Marginals | None

    @property
    def status(self) -> Status:
        """The status of the deduction."""
        return self.deduction.status


def solve(position: Position, solver: Solver) -> Solution:
    """Ask for marginals and take the deduction from them, so that both agree; else ask for the deduction."""
    problem = position.problem()
    if solver.claims.marginals and isinstance(solver, MarginalSolver):
        marginals = solver.marginals(problem)
        if marginals.status is not Status.PARTIAL:
            return Solution(position, solver, marginals.deduction(), marginals)
    if problem.mines is not None and not 0 <= problem.mines <= np.count_nonzero(problem.covered):
        # no strategy is needed to see that, and the incomplete ones do not look at the mine count
        return Solution(position, solver, Deduction.inconsistent(problem.n), None)
    return Solution(position, solver, solver.deduce(problem), None)


def as_json(solution: Solution) -> str:
    """The answer as JSON: status, safe, mines, probabilities, models.

    Cells are [row, column]; probabilities a list a row, null where not covered, or null if the solver has
    none; models an exact integer as text, or null.
    """
    columns = solution.position.shape[1]
    marginals = solution.marginals
    known = marginals is not None and solution.status is not Status.INCONSISTENT
    safe, mines = (
        [list(divmod(cell, columns)) for cell in np.flatnonzero(mask).tolist()]
        for mask in (solution.deduction.safe, solution.deduction.mines)
    )
    return json.dumps(
        {
            "status": solution.status.value,
            "safe": safe,
            "mines": mines,
            "probabilities": _probabilities(solution) if known else None,
            "models": None if marginals is None or marginals.models is None else _digits(marginals.models),
        }
    )


def _probabilities(solution: Solution) -> list[list[float | None]]:
    assert solution.marginals is not None
    table = solution.marginals.probability.reshape(solution.position.shape).tolist()
    return [[None if math.isnan(p) else p for p in row] for row in table]


def _digits(models: int) -> str:
    with _all_digits():
        return str(models)


@contextmanager
def _all_digits() -> Iterator[None]:
    """Within, integers of any length are read and written; Python refuses over 4,300 digits otherwise."""
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(limit)


def drawing(solution: Solution, width: int | None) -> str | None:
    """The board with its deductions, with probabilities if they fit into `width` characters; None if too big.

    width: None for no limit.
    """
    position, deduction = solution.position, solution.deduction
    rows, columns = position.shape
    if rows * columns > LARGEST_DRAWN_CELLS:
        return None
    shares = None if solution.marginals is None else solution.marginals.probability
    for probability in (shares, None):
        text = board_text(position, deduction.safe, deduction.mines, probability)
        if width is None or max(map(len, text.splitlines())) <= width:
            return text
    return None


def svg(solution: Solution) -> str:
    """The board with the answer as one `<svg>` element."""
    deduction, marginals = solution.deduction, solution.marginals
    return to_svg(
        solution.position,
        safe=deduction.safe,
        mines=deduction.mines,
        probability=None if marginals is None else marginals.probability,
        coordinates=True,
    )


def summary(solution: Solution) -> list[str]:
    """The answer in words: a line with the counts, then what else there is to say or to do."""
    deduction, solver = solution.deduction, solution.solver
    covered = int((solution.position.codes == COVERED).sum())
    if solution.status is Status.INCONSISTENT:
        return [_inconsistent(solution.position, covered)]
    safe, mines = int(deduction.safe.sum()), int(deduction.mines.sum())
    rest = covered - safe - mines
    asked = ", from the clues alone" if solution.position.mines is None else ""
    lines = [f"{solution.status}{asked}: {safe:,} safe, {_plural(mines, 'mine')}, {rest:,} not settled"]
    if solution.marginals is not None:
        lines += _odds(solution.position, solution.marginals, safe)
    if solution.status is Status.PARTIAL:
        lines.append(_advice(solver))
    return lines


def _inconsistent(position: Position, covered: int) -> str:
    mines = position.mines
    hits = int((position.codes == HIT).sum())
    if mines is not None and mines - hits > covered:
        left = _plural(mines - hits, "mine")
        return f"inconsistent: {left} do not fit into {_plural(covered, 'covered cell')}"
    count = "" if mines is None else " and the mine count"
    return f"inconsistent: no arrangement of mines fits the clues{count}"


def _odds(position: Position, marginals: Marginals, safe: int) -> list[str]:
    lines = []
    if math.isfinite(marginals.log_models):
        lines.append(f"{_large(marginals)} of mines fit{'s' if marginals.models == 1 else ''}")
    shares = marginals.probability
    if not safe and (shares < 1).any():
        best = int(np.nanargmin(shares))
        row, column = divmod(best, position.shape[1])
        lines.append(f"least likely mine: row {row}, column {column} ({100 * shares[best]:.3g} %)")
    return lines


def _large(marginals: Marginals) -> str:
    """How many arrangements there are: exact up to 15 digits, otherwise about a power of ten."""
    if marginals.models is not None and marginals.models < 10**15:
        return _plural(marginals.models, "arrangement")
    power = marginals.log_models / math.log(10)
    if power < 15:
        return f"about {math.exp(marginals.log_models):,.0f} arrangements"
    return f"about {math.floor(100 * 10 ** (power % 1)) / 100:.2f}e{int(power)} arrangements"


def _advice(solver: Solver) -> str:
    label = label_of(solver)
    other = "counting" if label.startswith("sat") else "sat"
    if not (solver.claims.complete_local or solver.claims.complete_global):
        return f"{label} does not find everything, there may be more: try --solver {other}"
    larger = ""
    if budget := getattr(solver, "max_bytes", 0):
        raised: Any = replace(solver, max_bytes=budget * 4)  # type: ignore[type-var]
        larger = f" or --solver {label_of(raised)}"
    return f"{label} ran over its budget, there may be more: try --solver {other}{larger}"


def _plural(count: int, noun: str) -> str:
    return f"{number_text(count)} {noun}{'' if count == 1 else 's'}"


def number_text(count: int) -> str:
    """An integer >= 0 to be read by people; Python refuses to write one of over 4,300 digits.

    >>> number_text(1234), number_text(10**5000)
    ('1,234', 'over 10^15')
    """
    return f"{count:,}" if count < 10**15 else "over 10^15"
