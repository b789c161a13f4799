"""Why is this cell safe, or a mine, and in which steps is everything found? What `sapper solve --explain` says."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.solving import LARGEST_DRAWN_CELLS, number_text
from board import Position, to_svg
from board.render import board_text
from solvers import Status
from solvers.counting import Counting
from solvers.explanation import Contradiction, Explanation, explain, explain_contradiction
from solvers.steps import Step, explain_steps

_LISTED = 8  # clues or facts in a sentence; of more it says how many

Mask = NDArray[np.bool_]
Place = list[int]  #: [row, column]


@dataclass(frozen=True, slots=True)
class Answer:
    """What is to be printed: a drawing, sentences, and the same for programs.

    marks: of the drawing, as `board.render.board_text` and `board.drawing.to_svg` take them. cell: the one explained.
    """

    status: Status
    position: Position
    marks: dict[str, Any]
    lines: list[str]
    content: dict[str, Any]
    cell: int | None = None

    @property
    def drawn(self) -> str | None:
        """The board as text; None if it is too large."""
        return board_text(self.position, **self.marks) if _is_drawn(self.position) else None

    def as_json(self) -> str:
        """The content as JSON."""
        return json.dumps({"status": self.status.value, **self.content})


def read_cell(text: str, position: Position) -> int:
    """The number of the covered cell at ROW,COLUMN. ValueError, quoting it, for anything else.

    >>> read_cell("0,1", Position.parse("1#"))
    1
    >>> read_cell("0;1", Position.parse("1#"))
    Traceback (most recent call last):
    ValueError: --explain: a cell is ROW,COLUMN, rows 0..0 and columns 0..1, not '0;1'
    """
    rows, columns = position.shape
    shown = text if len(text) <= 40 else text[:39] + "…"
    found = re.fullmatch(r" *([0-9]{1,9}) *, *([0-9]{1,9}) *", text)
    row, column = map(int, found.groups()) if found else (rows, columns)
    if row >= rows or column >= columns:
        raise ValueError(
            f"--explain: a cell is ROW,COLUMN, rows 0..{rows - 1} and columns 0..{columns - 1}, not {shown!r}"
        )
    cell = row * columns + column
    if not position.problem().covered[cell]:
        raise ValueError(f"--explain: {shown!r} is opened: only covered cells have an explanation")
    return cell


def explain_cell(position: Position, cell: int) -> Answer:
    """Why the cell is safe or a mine, or with what probability it is a mine."""
    problem = position.problem()
    if (contradiction := explain_contradiction(problem)) is not None:
        return _contradiction(position, contradiction)
    place = list(divmod(cell, position.shape[1]))
    found = explain(problem, cell)
    if found is None:
        return _open(position, cell, place)
    marked = np.arange(problem.n) == cell
    clues = position.clue_cells()[list(found.constraints)]
    value = "mine" if found.mine else "safe"
    marks = {"safe": marked & (not found.mine), "mines": marked & found.mine, "used": _mask(position, clues)}
    is_so = f"{_at(place)} is {'a mine' if found.mine else 'safe'}"
    line = f"{is_so}: it follows from {_clues(position, clues, found.mine_count)}"
    content = {"cell": place, "value": value, **_content(position, clues, found)}
    return Answer(Status.COMPLETE, position, marks, [line, _proved(found, "settle it")], content, cell)


def explain_position(position: Position, progress: Callable[[int, int], None] | None = None) -> Answer:
    """The steps that settle everything entailed. progress: see `solvers.steps.explain_steps`."""
    problem = position.problem()
    if (contradiction := explain_contradiction(problem)) is not None:
        return _contradiction(position, contradiction)
    clues = position.clue_cells()
    steps = explain_steps(problem, progress=progress)
    marks = {name: np.zeros(problem.n, np.bool_) for name in ("safe", "mines")}
    for step in steps:
        for name, mask in marks.items():
            mask[list(getattr(step, name))] = True
    settled, covered = sum(int(mask.sum()) for mask in marks.values()), int(problem.covered.sum())
    count = f"{len(steps)} step{'' if len(steps) == 1 else 's'}"
    lines = [f"{count} settle{'s' if len(steps) == 1 else ''} {settled} of {covered} covered cells, (row, column):"]
    width = len(str(len(steps)))
    lines += [
        f"{number:>{width}}. {_step(position, clues[list(step.constraints)], step, marks['mines'])}"
        for number, step in enumerate(steps, 1)
    ]
    content = [
        {
            **_content(position, clues[list(step.constraints)], step),
            **{name: _places(position, getattr(step, name)) for name in ("facts", "safe", "mines")},
        }
        for step in steps
    ]
    return Answer(Status.COMPLETE, position, marks, lines, {"steps": content})


def svg(answer: Answer) -> str:
    """The board as one `<svg>` element: the cells found, the clues used, the cell explained."""
    return to_svg(answer.position, **answer.marks, explained=answer.cell, coordinates=True)


def _contradiction(position: Position, found: Contradiction) -> Answer:
    clues = position.clue_cells()[list(found.constraints)]
    said = _clues(position, clues, found.mine_count)
    line = f"inconsistent: no arrangement of mines fits {said}"
    lines = [line, _proved(found, "contradict each other" if found.size > 1 else "are impossible")]
    marks = {"used": _mask(position, clues)}
    return Answer(Status.INCONSISTENT, position, marks, lines, _content(position, clues, found))


def _open(position: Position, cell: int, place: Place) -> Answer:
    """The answer about a cell that is not entailed."""
    marginals = Counting(exact=True).marginals(position.problem())
    shares = np.where(np.arange(marginals.probability.size) == cell, marginals.probability, np.nan)
    share = None if np.isnan(shares[cell]) else float(shares[cell])
    asked = "" if position.mines is not None else " by the clues alone"
    line = f"{_at(place)} is not settled{asked}"
    if share is not None:
        line += f": it is a mine with probability {100 * share:.3g} %"
    content = {"cell": place, "value": None, "probability": share}
    return Answer(Status.COMPLETE, position, {"probability": shares}, [line], content, cell)


def _is_drawn(position: Position) -> bool:
    return position.codes.size <= LARGEST_DRAWN_CELLS


def _mask(position: Position, cells: NDArray[np.int64]) -> Mask:
    mask = np.zeros(position.codes.size, np.bool_)
    mask[cells] = True
    return mask


def _content(position: Position, clues: NDArray[np.int64], found: Explanation | Contradiction | Step) -> dict[str, Any]:
    return {
        "clues": _places(position, clues),
        "mine_count": found.mine_count,
        "smallest": found.smallest,
    }


def _places(position: Position, cells: Iterable[int]) -> list[Place]:
    return [list(divmod(int(cell), position.shape[1])) for cell in cells]


def _clues(position: Position, clues: NDArray[np.int64], mine_count: bool) -> str:
    """The clues in words."""
    words = [f"the {position.codes[row, column]} at {_at([row, column])}" for row, column in _places(position, clues)]
    if len(words) > _LISTED and _is_drawn(position):
        words = [f"the {len(words)} marked clues"]
    if mine_count and position.mines is not None:
        words.append(f"the mine count of {number_text(position.mines)}")
    return _and(words)


def _proved(found: Explanation | Contradiction, done: str) -> str:
    if not found.smallest:
        return f"none of these {found.size} can be left out; whether fewer others {done} was too hard to prove"
    return "no other clue is needed" if found.size == 1 else f"these are {found.size} clues; no fewer {done}"


def _step(position: Position, clues: NDArray[np.int64], step: Step, mine: Mask) -> str:
    """A step in one line."""
    columns = position.shape[1]
    words = [f"the {position.codes.flat[cell]} at {_pair(cell, columns)}" for cell in clues.tolist()]
    said = _and([*words, *(["the mine count"] if step.mine_count else [])])
    known = _named([c for c in step.facts if not mine[c]], [c for c in step.facts if mine[c]], columns)
    if len(step.facts) > _LISTED:
        known = f"{len(step.facts)} cells"
    return f"{said}{f', with {known} known' if known else ''}: {_named(step.safe, step.mines, columns)}"


def _named(safe: Sequence[int], mines: Sequence[int], columns: int) -> str:
    kinds = (("safe", safe), ("mine" if len(mines) == 1 else "mines", mines))
    return ", ".join(f"{name} {' '.join(_pair(cell, columns) for cell in cells)}" for name, cells in kinds if cells)


def _pair(cell: int, columns: int) -> str:
    row, column = divmod(cell, columns)
    return f"({row}, {column})"


def _at(place: Sequence[int]) -> str:
    row, column = place
    return f"row {row}, column {column}"


def _and(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{'; '.join(words[:-1])} and {words[-1]}"
