"""How many models are there, and in what share of them is each cell a mine? Dynamic programming, exact.

The problem is stripped, its cells are grouped into boxes, the boxes into components (`solvers.boxes`); each
component becomes a layered graph (`solvers.layers`) along a good order (`solvers.elimination`). One forward pass
gives each component's models as a polynomial in its mines. The components are joined by the mine count, the
untouched cells weigh in as a binomial; then a backward pass, seeded with the weight of all the rest, gives every
box's marginals: for each edge the product of what leads to it and what follows. Cost: linear in the edges of the
graph times the spread of mine counts; exponential only in the number of clues open at once.

Compiled floats (`solvers.passes`) serve `deduce` and the ordinary marginals: sums of positive numbers that never
underflow, so a share is 0 or 1 exactly if the cell is entailed. `exact=true` runs the same two passes over
the same graph with Python integers (`solvers.exact`).

Source: counting a Minesweeper frontier by components and joining them by the mine count is described by
C. Studholme, Minesweeper as a constraint satisfaction problem, 2000; the backward pass is that of Baum and Welch
(L. Rabiner, Proceedings of the IEEE 77, 1989).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from board.problem import Problem
from solvers.interface import Claims, Deduction, Marginals, Status, check_budget
from solvers.layers import NO_MODEL, OVER_BUDGET
from solvers.numbers import STEP
from solvers.passes import SIZES, count


@dataclass(frozen=True, slots=True)
class Counting:
    """Exact counting.

    Parameters
    ----------
    exact: marginals with the integer number of models and `fractions.Fraction` probabilities.
    max_bytes: bound for the graph and its coefficients; over it the answer is PARTIAL.

    >>> from board import Position
    >>> problem = Position.parse(["1#", "##"], mines=1).problem()
    >>> Counting().marginals(problem).probability.round(4).tolist()
    [nan, 0.3333, 0.3333, 0.3333]
    >>> Counting(exact=True).marginals(problem).models
    3
    """

    exact: bool = False
    max_bytes: int = 2 << 30

    def __post_init__(self) -> None:
        check_budget("max_bytes", self.max_bytes, 1)

    @property
    def claims(self) -> Claims:
        """Complete and counting, within the budget."""
        return Claims(complete_local=True, complete_global=True, marginals=True, exact=self.exact)

    def deduce(self, problem: Problem, /) -> Deduction:
        """Everything entailed; over the budget what the clues alone entail, or what single clues settle."""
        n = problem.n
        if _impossible(problem):
            return Deduction.inconsistent(n)
        status, probability, _, _, numbers = _count(problem, self.max_bytes)
        stats = _stats(numbers)
        if status == NO_MODEL:
            return Deduction.inconsistent(n, stats)
        safe, mines = probability == 0.0, probability == 1.0
        if status == OVER_BUDGET:
            if problem.mines is not None:
                local = self.deduce(problem.local())
                if local.status is Status.INCONSISTENT:
                    return local
                safe, mines = local.safe, local.mines
            return Deduction.trusted(safe, mines, Status.PARTIAL, stats)
        return Deduction.trusted(safe, mines, Status.COMPLETE, stats)

    def marginals(self, problem: Problem, /) -> Marginals:
        """The share of models in which each cell is a mine; all nan over the budget."""
        n = problem.n
        if _impossible(problem):
            return Marginals.inconsistent(n)
        if self.exact:
            from solvers.exact import exact_marginals  # only this mode needs it

            return exact_marginals(problem, self.max_bytes)
        status, probability, mantissa, power, numbers = _count(problem, self.max_bytes)
        stats = _stats(numbers)
        if status == NO_MODEL:
            return Marginals.inconsistent(n, stats)
        if status == OVER_BUDGET:
            return Marginals(np.full(n, np.nan), None, np.nan, Status.PARTIAL, None, stats)
        log_models = math.log(mantissa) + power * STEP * math.log(2)
        return Marginals(probability, None, log_models, Status.COMPLETE, None, stats)


def _impossible(problem: Problem) -> bool:
    """No model can have this mine count; settled here, because a kernel takes no integer of any size."""
    return problem.mines is not None and not 0 <= problem.mines <= problem.n


def _count(
    problem: Problem, max_bytes: int
) -> tuple[int, np.ndarray[tuple[int], np.dtype[np.float64]], float, int, tuple[int, ...]]:
    return count(
        problem.covered,
        problem.indptr,
        problem.cells,
        problem.totals,
        -1 if problem.mines is None else problem.mines,
        max_bytes,
    )


def _stats(numbers: tuple[int, ...]) -> dict[str, int | float | str]:
    return dict(zip(SIZES, numbers, strict=True))
