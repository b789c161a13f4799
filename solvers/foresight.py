"""Policies that think further than the next click: survive as many guesses as possible, play the end exactly.

The compiled loop of :mod:`solvers.playing` has both as kernels; here they are asked like every other policy.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from board.position import COVERED, HIT, Position
from solvers.interface import Deduction, Marginals, check_budget
from solvers.policy import TIE, Kind, fewest_covered, kinds, outcomes, pick, probabilities

MOST_MODELS = 10_000  #: that `optimal` takes
DEEPEST = 5  #: lookahead


@dataclass(frozen=True, slots=True)
class Lookahead:
    """The cell with the best chance to survive its guess and the depth - 1 guesses after it.

    A position with a provably safe cell counts as survived. Ties go to the fewest covered neighbours. Cells of the same
    kind are alike at depth 2; beyond, cells far from all clues are taken for alike if they have as many neighbours.
    Cost: a count a clue and a cell at depth 2, to the power d - 1 beyond.

    >>> from solvers import make_solver
    >>> position = Position.parse(["#1#", "_#_"], mines=1)  # all are mines with 1/3; opening 4 shows a 1 in any case
    >>> cells, values = Lookahead(2).values(position, make_solver("counting").marginals(position.problem()))
    >>> dict(zip(cells.tolist(), values.round(2).tolist()))
    {0: 0.67, 2: 0.67, 4: 0.33}
    """

    needs_marginals: ClassVar[bool] = True

    depth: int = 2

    def __post_init__(self) -> None:
        check_budget("depth", self.depth, 1, DEEPEST)

    def choose(self, position: Position, answer: Deduction | Marginals, rng: np.random.Generator, /) -> int:
        """One of the best cells, drawn uniformly."""
        cells, value = self.values(position, answer)
        return pick(fewest_covered(position, cells[value >= value.max() - TIE]), rng)

    def values(
        self, position: Position, answer: Deduction | Marginals, /
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """(cells, the chance that each survives): of all that can be best, the safest first."""
        cells, share = probabilities(position, answer)
        order = np.argsort(share, kind="stable")
        return _values(position, cells[order], 1 - share[order], self.depth)


def _values(
    position: Position, cells: NDArray[np.intp], safety: NDArray[np.float64], depth: int
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """As `Lookahead.values`; cells: the safest first."""
    if depth == 1 or safety[0] == 1:
        return cells, safety
    alike: list[Kind | int] = [
        kind if depth == 2 or _is_far(kind) else cell for cell, kind in enumerate(kinds(position))
    ]
    found, best = dict[Kind | int, float](), 0.0
    values = []
    for cell, bound in zip(cells.tolist(), safety.tolist(), strict=True):
        if bound < best - TIE:
            break
        if alike[cell] not in found:
            found[alike[cell]] = sum(
                share * _outlook(after, answer, depth - 1) for after, answer, share in outcomes(position, cell)
            )
        values.append(found[alike[cell]])
        best = max(best, values[-1])
    return cells[: len(values)], np.array(values)


def _is_far(kind: Kind) -> bool:
    """Whether neither such a cell nor a neighbour is beside a clue."""
    clues, around = kind
    return not clues and all(not near for near, _ in around)


def _outlook(position: Position, answer: Marginals, depth: int) -> float:
    """The chance to survive so many more guesses."""
    cells = np.flatnonzero(position.codes.reshape(-1) == COVERED)
    safety = 1 - answer.probability[cells]
    if not safety.any():  # only mines are left
        return 1.0
    order = np.argsort(-safety, kind="stable")
    return float(_values(position, cells[order], safety[order], depth)[1].max())


@dataclass(frozen=True, slots=True)
class Optimal:
    """The best play to the end where at most so many models are left; else as :class:`Lookahead`.

    A search that takes too long (`solvers.ending.SEARCH_STEPS`), and a position without a mine count, are left to
    lookahead as well.
    """

    needs_marginals: ClassVar[bool] = True

    models: int = 500
    depth: int = 2

    def __post_init__(self) -> None:
        check_budget("models", self.models, 0, MOST_MODELS)
        Lookahead(self.depth)

    def choose(self, position: Position, answer: Deduction | Marginals, rng: np.random.Generator, /) -> int:
        """The best cell, or one of lookahead's, drawn uniformly."""
        probabilities(position, answer)
        if self.models and isinstance(answer, Marginals) and answer.log_models <= log(self.models + 0.5):
            cell = ending_cell(position, self.models)
            if cell is not None:
                return cell
        return Lookahead(self.depth).choose(position, answer, rng)


def ending_cell(position: Position, models: int) -> int | None:
    """The cell of the best play to the end; None over the budgets, and where fewer than two models are left.

    >>> ending_cell(Position.parse(["#1#", "_#_"], mines=1), 10)
    0
    """
    from solvers.ending import last_cell_of

    if position.mines is None:
        return None
    codes = position.codes.reshape(-1)
    topology = position.topology
    hit = codes == HIT
    near = [topology.of(cell) for cell in range(codes.size)]
    cell = last_cell_of(
        codes == COVERED,
        codes >= 0,
        np.where(codes >= 0, codes, 0).astype(np.int32) - np.array([hit[cells].sum() for cells in near], np.int32),
        position.mines - int(hit.sum()),
        topology.indptr,
        topology.neighbours,
        models,
    )
    return None if cell < 0 else int(cell)
