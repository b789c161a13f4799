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
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from board.problem import Cells, Mask, Problem
from solvers.batch import Packed, on_threads, pack, thread_count
from solvers.interface import Claims, Deduction, Marginals, Status, check_budget
from solvers.layers import NO_MODEL, OK, OVER_BUDGET
from solvers.numbers import STEP
from solvers.passes import SIZES, count, count_many, entailed

_LOG_STEP = STEP * math.log(2)


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
        if _impossible(problem):
            return Deduction.inconsistent(problem.n)
        status, safe, mines, numbers = entailed(*_arguments(problem), self.max_bytes)
        stats = _stats(numbers)
        if status == NO_MODEL:
            return Deduction.inconsistent(problem.n, stats)
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
        if _impossible(problem):
            return Marginals.inconsistent(problem.n)
        if self.exact:
            from solvers.exact import exact_marginals  # only this mode needs it

            return exact_marginals(problem, self.max_bytes)
        status, probability, mantissa, power, numbers = count(*_arguments(problem), self.max_bytes)
        stats = _stats(numbers)
        if status == NO_MODEL:
            return Marginals.inconsistent(problem.n, stats)
        if status == OVER_BUDGET:
            return Marginals(np.full(problem.n, np.nan), None, np.nan, Status.PARTIAL, None, stats)
        log_models = math.log(mantissa) + power * _LOG_STEP
        return Marginals.trusted(probability, log_models, Status.COMPLETE, stats)

    def deduce_many(self, problems: Sequence[Problem], /, *, threads: int | None = None) -> list[Deduction]:
        """`deduce` of each, on so many cores (None: all of them). The budget is a problem's."""
        packed, probability, status, _, _, stats = _count_many(problems, self.max_bytes, threads)
        safe, mines = probability == 0.0, probability == 1.0
        safe.setflags(write=False)
        mines.setflags(write=False)
        answers = []
        for i, (begin, end) in enumerate(pairwise(packed.n_at.tolist())):
            if status[i] == OK:
                answers.append(Deduction.trusted(safe[begin:end], mines[begin:end], Status.COMPLETE, stats[i]))
            elif status[i] == NO_MODEL:
                answers.append(Deduction.inconsistent(end - begin, stats[i]))
            else:
                answers.append(self.deduce(problems[i]))
        return answers

    def marginals_many(self, problems: Sequence[Problem], /, *, threads: int | None = None) -> list[Marginals]:
        """`marginals` of each, on so many cores (None: all of them). The budget is a problem's.

        Exact marginals run on one core: Python's integers hold its lock.

        >>> from board import Position
        >>> problems = [Position.parse(["#1#", "###"], mines=mines).problem() for mines in (1, 2)]
        >>> [answer.probability.round(2).tolist() for answer in Counting().marginals_many(problems)]
        [[0.2, nan, 0.2, 0.2, 0.2, 0.2], [nan, nan, nan, nan, nan, nan]]
        """
        if self.exact:
            thread_count(threads)
            return [self.marginals(problem) for problem in problems]
        packed, probability, status, mantissa, power, stats = _count_many(problems, self.max_bytes, threads)
        probability.setflags(write=False)
        answers = []
        for i, (begin, end) in enumerate(pairwise(packed.n_at.tolist())):
            if status[i] == OK:
                log_models = math.log(mantissa[i]) + power[i] * _LOG_STEP
                answers.append(Marginals.trusted(probability[begin:end], log_models, Status.COMPLETE, stats[i]))
            elif status[i] == NO_MODEL:
                answers.append(Marginals.inconsistent(end - begin, stats[i]))
            else:
                answers.append(self.marginals(problems[i]))
        return answers

    def sample(self, problem: Problem, k: int, rng: int | np.random.Generator) -> NDArray[np.bool_]:
        """bool[k, n], read-only: k independent models, each drawn uniformly among all models of all covered cells.

        False where not covered; a cell in no clue is a mine with probability 1/2 if there is no mine count.
        rng: a seed, or a generator, which is drawn from. ValueError where there is no model and for a k that is not
        an integer >= 0; `solvers.Unsupported` over `max_bytes`.

        >>> from board import Position
        >>> problem = Position.parse(["1#", "##"], mines=1).problem()
        >>> models = Counting().sample(problem, 3000, rng=0)
        >>> sorted(set(models.sum(axis=1).tolist()))  # mines in each
        [1]
        >>> models.mean(axis=0).round(1).tolist()
        [0.0, 0.3, 0.3, 0.3]
        """
        from solvers.sampling import sample  # only this needs it

        return sample(problem, k, rng, self.max_bytes)


def _impossible(problem: Problem) -> bool:
    """No model can have this mine count; settled here, because a kernel takes no integer of any size."""
    return problem.mines is not None and not 0 <= problem.mines <= problem.covered.size


def _arguments(problem: Problem) -> tuple[Mask, Cells, Cells, Cells, int]:
    mines = -1 if problem.mines is None else problem.mines
    return problem.covered, problem.indptr, problem.cells, problem.totals, mines


def _count_many(
    problems: Sequence[Problem], max_bytes: int, threads: int | None
) -> tuple[Packed, NDArray[np.float64], list[int], list[float], list[int], list[dict[str, int | float | str]]]:
    """(the problems, probabilities end to end; status, mantissa, power and stats of each)."""
    packed, count = pack(problems), len(problems)
    probability, status = np.empty(packed.covered.size), np.empty(count, np.int8)
    mantissa, power, sizes = np.zeros(count), np.zeros(count, np.int64), np.zeros((count, len(SIZES)), np.int64)

    def work(first: int, end: int) -> None:
        count_many(packed, max_bytes, first, end, probability, status, mantissa, power, sizes)

    on_threads(count, threads, work)
    stats = [_stats(row) for row in sizes.tolist()]
    return packed, probability, status.tolist(), mantissa.tolist(), power.tolist(), stats


def _stats(numbers: Sequence[int]) -> dict[str, int | float | str]:
    return dict(zip(SIZES, numbers))  # noqa: B905 (`strict` takes as long again)
