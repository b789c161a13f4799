"""How few clues does each entailed cell need? Everything entailed, each cell with a smallest set of clues.

Method: `counting` finds what is entailed, :mod:`solvers.explanation` the clues of every cell; the answer's stats tell
how many there are of each, so that a run of the harness holds the hardness of every cell beside what other strategies
found.
Cost: see :mod:`solvers.explanation`; about a millisecond a cell on game boards.

Source: see :mod:`solvers.explanation`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter_ns

import numpy as np

from board.problem import Problem
from solvers.explanation import Explanation, deduced, explained
from solvers.interface import Claims, Deduction, Status, check_budget
from solvers.smallest import WORK


@dataclass(frozen=True, slots=True)
class Explained:
    """Complete for both questions; the explanations are in the stats.

    smallest: else the sets are only minimal, which is quicker.
    cells: so many entailed cells are explained, the first ones; 0 for all.
    work: budget of the search for a cell's smallest set, see `solvers.explanation.explain`.

    Stats: `explained`, how many cells; `clues`, see :func:`clues_text`; `explain_nanoseconds`.

    >>> problem = Problem.from_sets([({0, 1}, 1), ({0, 1, 2}, 1), ({2, 3}, 1)], n=5, mines=2)
    >>> answer = Explained().deduce(problem)
    >>> answer, answer.stats["clues"]
    (<Deduction complete: safe [2, 4], mines [3]>, '2 3 3*')
    """

    smallest: bool = True
    cells: int = 1000
    work: int = WORK

    def __post_init__(self) -> None:
        if not isinstance(self.smallest, bool):
            raise ValueError(f"smallest is true or false, not {self.smallest!r}")
        check_budget("cells", self.cells, 0)
        check_budget("work", self.work, 1)

    @property
    def claims(self) -> Claims:
        """Complete."""
        return Claims(complete_local=True, complete_global=True)

    def deduce(self, problem: Problem, /) -> Deduction:
        """The cells that are the same in every model."""
        answer = deduced(problem)
        if answer.status is Status.INCONSISTENT:
            return Deduction.inconsistent(problem.n)
        started = perf_counter_ns()
        cells = np.flatnonzero(answer.safe | answer.mines).tolist()[: self.cells or None]
        found = explained(problem, cells, answer, self.smallest, self.work)
        stats: dict[str, int | float | str] = {
            "explained": len(found),
            "clues": clues_text(found),
            "explain_nanoseconds": perf_counter_ns() - started,
        }
        return Deduction(answer.safe, answer.mines, answer.status, stats)


def clues_text(explanations: Sequence[Explanation]) -> str:
    """The sizes of explanations as text, in order, with `*` if the mine count is one of the clues, `~` if not smallest.

    >>> clues_text([Explanation(3, False, (0, 2), False, True), Explanation(5, True, (1,), True, False)])
    '2 2*~'
    """
    return " ".join(f"{e.size}{'*' * e.mine_count}{'~' * (not e.smallest)}" for e in explanations)


def read_clues(text: str) -> list[tuple[int, bool, bool]]:
    """(size, whether the mine count is one of the clues, whether it is proved the smallest), each.

    >>> read_clues("2 2*~")
    [(2, False, True), (2, True, False)]
    """
    return [(int(word.rstrip("*~")), "*" in word, "~" not in word) for word in text.split()]
