"""Why is this cell safe, or a mine? The smallest set of clues from which it follows.

Method: what is entailed at all is known from `counting`; :mod:`solvers.smallest` then looks for the clues. The mine
count is one of the clues, and is left out where as many others do. Every set that is handed out was given to `counting`
once more as a problem of its own, in which all other constraints are missing.
Cost: see :mod:`solvers.smallest`; cells in the same clues share an explanation.

Source: explanations as minimal unsatisfiable sets: U. Junker, "QuickXplain: preferred explanations and relaxations for
over-constrained problems", AAAI 2004, whose divide and conquer stands in where SAT takes too long.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from board.problem import Problem, whole
from solvers.counting import Counting
from solvers.hitting import TooHard
from solvers.interface import Deduction, Status, check_budget
from solvers.sat import Sat
from solvers.smallest import WORK, Clues, Search

_COUNTING = Counting(max_bytes=1 << 25)  # what is wider than that takes SAT well under a second, and counting minutes


class ClueSet:
    """Constraints, by their numbers in a problem, and perhaps its mine count."""

    __slots__ = ()
    constraints: tuple[int, ...]
    mine_count: bool

    @property
    def size(self) -> int:
        """The number of clues, the mine count included."""
        return len(self.constraints) + self.mine_count


@dataclass(frozen=True, slots=True)
class Explanation(ClueSet):
    """Why a cell is safe or a mine: from these constraints, and the mine count if `mine_count`, it follows.

    cell, mine: the cell and its value in every model.
    constraints: their numbers in the problem, ascending.
    smallest: proved that no smaller set does; otherwise only that nothing in this one can be left out.
    """

    cell: int
    mine: bool
    constraints: tuple[int, ...]
    mine_count: bool
    smallest: bool


@dataclass(frozen=True, slots=True)
class Contradiction(ClueSet):
    """Why there is no model: none fits these constraints, and the mine count if `mine_count`.

    constraints: their numbers in the problem, ascending.
    smallest: proved that no smaller set is without a model; otherwise only that nothing in this one can be left out.
    """

    constraints: tuple[int, ...]
    mine_count: bool
    smallest: bool


def explain(problem: Problem, cell: int, *, smallest: bool = True, work: int = WORK) -> Explanation | None:
    """Why `cell` is safe or a mine; None if it is neither in all models.

    smallest: else the set is only minimal, which is quicker.
    work: budget of the search for a smallest set, about a microsecond each; over it the set is only minimal.

    Raises ValueError for a cell that is none of the covered ones, for a problem without a model, for `smallest` that
    is no bool and for `work` that is no integer >= 1.

    >>> problem = Problem.from_sets([({0, 1}, 1), ({0, 1, 2}, 1), ({2, 3}, 1)], n=5, mines=3)
    >>> explain(problem, 2)
    Explanation(cell=2, mine=False, constraints=(0, 1), mine_count=False, smallest=True)
    >>> explain(problem, 4)
    Explanation(cell=4, mine=True, constraints=(1,), mine_count=True, smallest=True)
    >>> explain(problem, 0) is None
    True
    """
    _check(smallest, work)
    number = whole(cell, "a cell is an integer")
    if not 0 <= number < problem.n:
        raise ValueError(f"cell {cell!r} is outside 0..{problem.n - 1}")
    if not problem.covered[number]:
        raise ValueError(f"cell {cell!r} is not covered: there is nothing to explain")
    answer = consistent_deduction(problem)
    if not (answer.safe[number] or answer.mines[number]):
        return None
    return explained(problem, [number], answer, smallest, work)[0]


def explain_all(
    problem: Problem, *, smallest: bool = True, most: int | None = None, work: int = WORK
) -> list[Explanation]:
    """The explanations of all entailed cells, ascending, or of the first `most`. work: for each, as in `explain`.

    Raises ValueError for a problem without a model, and for arguments as in `explain`.

    >>> problem = Problem.from_sets([({0, 1}, 1), ({0, 1, 2}, 1), ({2, 3}, 1)], n=4)
    >>> [(e.cell, e.mine, e.constraints) for e in explain_all(problem)]
    [(2, False, (0, 1)), (3, True, (0, 1, 2))]
    """
    _check(smallest, work)
    if most is not None:
        check_budget("most", most, 0)
    answer = consistent_deduction(problem)
    return explained(problem, np.flatnonzero(answer.safe | answer.mines).tolist()[:most], answer, smallest, work)


def explain_contradiction(problem: Problem, *, smallest: bool = True, work: int = WORK) -> Contradiction | None:
    """Why the problem has no model; None if it has one. smallest, work: as in `explain`.

    >>> problem = Problem.from_sets([({0, 1}, 1), ({2}, 1), ({0, 1, 2}, 1)], n=4)
    >>> explain_contradiction(problem)
    Contradiction(constraints=(0, 1, 2), mine_count=False, smallest=True)
    """
    _check(smallest, work)
    if deduced(problem).status is not Status.INCONSISTENT:
        return None
    locally = problem.mines is None or deduced(problem.local()).status is Status.INCONSISTENT
    search = Search(problem, smallest, work)
    try:
        clues = search.of_contradiction(locally)
    except TooHard:
        clues = divided(problem, not locally, _has_no_model)
    finally:
        search.close()
    if not _has_no_model(part_of(problem, clues.constraints, clues.mine_count)):
        raise RuntimeError(f"a bug: {clues} contradict each other no more in a problem of their own, of {problem}")
    return Contradiction(*clues)


def _check(smallest: object, work: int) -> None:
    if not isinstance(smallest, bool):
        raise ValueError(f"smallest is true or false, not {smallest!r}")
    check_budget("work", work, 1)


def deduced(problem: Problem) -> Deduction:
    """Everything entailed, whatever it takes."""
    answer = _COUNTING.deduce(problem)
    return Sat().deduce(problem) if answer.status is Status.PARTIAL else answer


def consistent_deduction(problem: Problem) -> Deduction:
    """Everything entailed. Raises ValueError for a problem without a model."""
    answer = deduced(problem)
    if answer.status is Status.INCONSISTENT:
        raise ValueError(f"{problem} has no model: explain_contradiction says why")
    return answer


def part_of(problem: Problem, constraints: Sequence[int], mine_count: bool) -> Problem:
    """The same covered cells with these constraints only, and the mine count if `mine_count`."""
    chosen = np.array(constraints, np.int64)
    starts, ends = problem.indptr[chosen], problem.indptr[chosen + 1]
    indptr = np.zeros(chosen.size + 1, np.int32)
    np.cumsum(ends - starts, out=indptr[1:])
    slices = [problem.cells[a:b] for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
    cells = np.concatenate(slices) if slices else np.zeros(0, np.int32)
    return Problem.trusted(
        problem.covered, indptr, cells, problem.totals[chosen], problem.mines if mine_count else None
    )


def explained(problem: Problem, cells: list[int], answer: Deduction, smallest: bool, work: int) -> list[Explanation]:
    """The explanations of these cells, which are entailed. answer: everything entailed, as of :func:`deduced`."""
    local = answer if problem.mines is None else deduced(problem.local())
    locally = local.safe | local.mines
    checked: dict[tuple[tuple[int, ...], bool], Deduction] = {}
    explanations = []
    search = Search(problem, smallest, work)
    try:
        for cell in cells:
            mine = bool(answer.mines[cell])
            clues = clues_of(search, cell, mine, bool(locally[cell]))
            key = clues[:2]
            if key not in checked:
                checked[key] = deduced(part_of(problem, *key))
            if not (checked[key].mines if mine else checked[key].safe)[cell]:
                raise RuntimeError(f"a bug: {clues} do not settle cell {cell} in a problem of their own, of {problem}")
            explanations.append(Explanation(cell, mine, *clues))
    finally:
        search.close()
    return explanations


def clues_of(search: Search, cell: int, mine: bool, locally: bool) -> Clues:
    """Why a cell is a mine or not, which is known; locally: from the clues alone."""

    def settled(part: Problem) -> bool:
        answer = deduced(part)
        return bool((answer.mines if mine else answer.safe)[cell])

    try:
        return search.of_cell(cell, mine, locally)
    except TooHard:
        return divided(search.problem, not locally, settled)


def _has_no_model(part: Problem) -> bool:
    return deduced(part).status is Status.INCONSISTENT


def divided(problem: Problem, mine_count: bool, enough: Callable[[Problem], bool]) -> Clues:
    """A minimal set of clues that is enough, by QuickXplain, with `counting` as the oracle."""

    def conflict(background: list[int], changed: bool, clues: list[int]) -> list[int]:
        if changed and enough(part_of(problem, background, mine_count)):
            return []
        if len(clues) == 1:
            return clues
        half = len(clues) // 2
        first, second = clues[:half], clues[half:]
        of_second = conflict(background + first, True, second)
        of_first = conflict(background + of_second, bool(of_second), first)
        return of_first + of_second

    clues = list(range(problem.totals.size))
    found = conflict([], True, clues) if clues else []
    return Clues(tuple(sorted(found)), mine_count, False)
