"""What do cheap rules leave to be asked? Solvers in turn, each about what those before it have left.

Method: the cells that a stage settles are taken out of the problem, out of its clues and off its mine count. A
model of what is left, together with these cells, is a model of the whole; and as each of them is entailed, every
model of the whole arises so, once. What is left therefore has as many models, in the same share of them a cell is
a mine, and the entailed cells of the whole are those of what is left and the settled ones. So the last answer, too,
holds for the whole: that nothing more is entailed, or that there is no model. (Where there is none a stage may
settle anything: what is left has none either.) A stage that answers COMPLETE ends the deduction.
Cost: that of the stages, and one pass over the scopes after each stage that settles something.
Source: putting the backbone into a formula before its models are counted is one of the preprocessings of
J.-M. Lagniez and P. Marquis, "Preprocessing for propositional model counting", AAAI 2014.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from board.problem import Cells, Mask, Problem
from solvers.compiled import ZERO, kernel
from solvers.interface import Claims, Deduction, Marginals, Solver, Stats, Status, Unsupported
from solvers.registry import make_solver, spec_of

_LEAST = np.int64(-(2**31))  # int32 goes no further down


@kernel
def _take_out(
    covered: Mask, indptr: Cells, cells: Cells, totals: Cells, safe: Mask, mines: Mask
) -> tuple[bool, int, Mask, Cells, Cells, Cells]:
    """(whether these cells can be taken out, the mines among them, what is left: covered, indptr, cells, totals)."""
    fits, taken = True, ZERO
    left = np.empty(covered.size, np.bool_)
    for cell in range(covered.size):
        known = safe[cell] | mines[cell]
        left[cell] = covered[cell] & (not known)
        fits &= (covered[cell] | (not known)) & (not (safe[cell] & mines[cell]))
        taken += mines[cell]
    left_indptr = np.empty(indptr.size, np.int32)
    left_cells = np.empty(cells.size, np.int32)
    left_totals = np.empty(totals.size, np.int32)
    left_indptr[0] = 0
    kept = end = ZERO
    for clue in range(totals.size):
        start, total = end, np.int64(totals[clue])
        for i in range(indptr[clue], indptr[clue + 1]):
            cell = cells[i]
            left_cells[end] = cell
            end += left[cell]
            total -= mines[cell]
        if end > start or total != 0:
            left_totals[kept] = max(total, _LEAST)
            kept += 1
            left_indptr[kept] = end
    return fits, taken, left, left_indptr[: kept + 1].copy(), left_cells[:end].copy(), left_totals[:kept].copy()


def simplified(problem: Problem, safe: Mask, mines: Mask) -> Problem:
    """The problem of the other cells if these are known: they are no longer covered, and in no scope.

    safe, mines: bool[n] each, disjoint, covered cells only, as of a `Deduction`. The mines among them are taken
    off the totals of their clues and off the mine count, which may fall below 0: a question without a model. A
    clue with no cell left is kept only if it is violated, as an empty constraint with a total other than 0.

    The models of what is left, with these cells added, are the models of the problem that have these cells so. The
    `position` is not kept: a solver that reads boards would answer another question.

    Raises ValueError quoting a shape that does not fit, or a cell that is not covered or is in both masks.

    >>> left = simplified(Problem.from_sets([({0, 1, 2}, 2), ({2, 3}, 1)], 4, 3), *np.eye(4, dtype=bool)[:2])
    >>> [str(clue) for clue in left.constraints], left.mines, left.covered.tolist()
    (['{2} = 1', '{2, 3} = 1'], 2, [False, False, True, True])
    """
    if safe.shape != problem.covered.shape or mines.shape != problem.covered.shape:
        raise ValueError(f"safe and mines have the shape ({problem.n},), not {safe.shape} and {mines.shape}")
    fits, taken, covered, indptr, cells, totals = _take_out(
        problem.covered, problem.indptr, problem.cells, problem.totals, safe, mines
    )
    if not fits:
        both = safe & mines
        wrong = np.flatnonzero(both | ((safe | mines) & ~problem.covered))[0]
        raise ValueError(f"cell {wrong} is {'both safe and a mine' if both[wrong] else 'not covered'}")
    return Problem.trusted(covered, indptr, cells, totals, None if problem.mines is None else problem.mines - taken)


@dataclass(frozen=True, slots=True)
class Cascade:
    """Cheap solvers first, the last one about what they leave.

    stages: specs of solvers, written in a spec as `single+subset+counting:exact=true`; of at most one parameter
        each, and no cascades, because that notation knows neither. Written as `spec_of` writes them.

    A stage gets the board only while nothing has been settled before it: later, one that reads boards refuses.

    Raises ValueError quoting a stage that is unknown or cannot be one, or that there is none; Unsupported for a
    missing library.

    >>> problem = Problem.from_sets([({0}, 1), ({0, 1, 2}, 2), ({1, 2, 3}, 2)], n=5, mines=3)
    >>> answer = Cascade().deduce(problem)
    >>> answer, [answer.stats[stage] for stage in Cascade().stages]
    (<Deduction complete: safe [4], mines [0, 3]>, [1, 1, 1])
    """

    stages: tuple[str, ...] = ("single", "subset", "counting")

    def __post_init__(self) -> None:
        stages: object = self.stages
        if not (isinstance(stages, tuple) and stages and all(isinstance(spec, str) for spec in stages)):
            raise ValueError(f"stages is a tuple of solvers' specs, at least one, not {stages!r}")
        object.__setattr__(self, "stages", tuple(spec_of(_stage(spec)) for spec in self.stages))

    @property
    def claims(self) -> Claims:
        """The last stage's; complete as well where another stage is."""
        every = [_stage(spec).claims for spec in self.stages]
        return Claims(
            complete_local=any(claims.complete_local for claims in every),
            complete_global=any(claims.complete_global for claims in every),
            marginals=every[-1].marginals,
            exact=every[-1].exact,
            steady=all(claims.steady for claims in every),
        )

    def deduce(self, problem: Problem, /) -> Deduction:
        """What the stages settle together, with the status of the last one that had to be asked.

        stats: how many cells each stage settled, under its spec, and its own stats under its name, as `counting.boxes`.
        """
        status, safe, mines, stats = _ask(self.stages, problem)
        if status is Status.INCONSISTENT:
            return Deduction.inconsistent(problem.n, stats)
        return Deduction.trusted(safe, mines, status, stats)

    def marginals(self, problem: Problem, /) -> Marginals:
        """The last stage's about what the others leave; what they settle has exactly 0 or 1.

        Raises Unsupported if the last stage has none.
        """
        *first, last = self.stages
        count: Any = getattr(_stage(last), "marginals", None)
        if count is None:
            raise Unsupported(f"a cascade has the marginals of its last stage, and {last!r} has none")
        status, safe, mines, stats = _ask(first, problem)
        if status is Status.INCONSISTENT:
            return Marginals.inconsistent(problem.n, stats)
        answer: Marginals = count(simplified(problem, safe, mines) if safe.any() or mines.any() else problem)
        stats |= _own(last, answer.stats)
        if answer.status is Status.INCONSISTENT:
            return Marginals.inconsistent(problem.n, stats)
        probability = answer.probability.copy()
        probability[safe], probability[mines] = 0.0, 1.0
        fractions = None if answer.fractions is None else _with(answer.fractions, safe, mines)
        return Marginals(probability, answer.models, answer.log_models, answer.status, fractions, stats)


def _ask(stages: Iterable[str], problem: Problem) -> tuple[Status, Mask, Mask, dict[str, int | float | str]]:
    """Ask stages until one settles the question: (the status of the last one asked, safe, mines, stats)."""
    safe, mines = np.zeros(problem.n, np.bool_), np.zeros(problem.n, np.bool_)
    counts: dict[str, int] = {}
    stats: dict[str, int | float | str] = {}
    status, rest, found = Status.PARTIAL, problem, 0
    for spec in stages:
        if found:
            rest = simplified(problem, safe, mines)
        answer = _stage(spec).deduce(rest)
        status = answer.status
        found = int(np.count_nonzero(answer.safe)) + int(np.count_nonzero(answer.mines))
        counts[spec] = counts.get(spec, 0) + found
        stats |= _own(spec, answer.stats)
        if found:
            safe |= answer.safe
            mines |= answer.mines
        if status is not Status.PARTIAL:
            break
    return status, safe, mines, {**counts, **stats}


def _with(fractions: Sequence[Fraction | None], safe: Mask, mines: Mask) -> tuple[Fraction | None, ...]:
    """The fractions, 0 for the safe cells and 1 for the mines."""
    put = list(fractions)
    for mask, share in ((safe, Fraction(0)), (mines, Fraction(1))):
        for cell in np.flatnonzero(mask).tolist():
            put[cell] = share
    return tuple(put)


def _own(spec: str, stats: Stats) -> dict[str, int | float | str]:
    """What a stage says of its work, under its name."""
    name = spec.partition(":")[0]
    return {f"{name}.{key}": value for key, value in stats.items()}


@cache
def _stage(spec: str) -> Solver:
    """The solver of a stage. ValueError that quotes it if it cannot be one."""
    if "+" in spec or "," in spec:
        raise ValueError(f"the stage {spec!r} of a cascade has more than one parameter or value")
    if spec.strip().partition(":")[0] == "cascade":
        raise ValueError(f"the stage {spec!r} of a cascade is a cascade itself")
    try:
        return make_solver(spec)
    except ValueError as wrong:
        raise ValueError(f"the stage {spec!r} of a cascade: {wrong}") from None
