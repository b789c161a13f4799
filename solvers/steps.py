"""In which small steps can everything that is entailed be found? Each step: few clues, and what is known by then.

Method: greedy, as in step-wise explanations: the next step is a cheapest one, that with the fewest clues, and of these
one without the mine count, and then the one with the first cells. Cells of earlier steps are facts and cost nothing:
they are taken out of the problem, and :mod:`solvers.smallest` looks for the clues in the rest. A step settles
everything that its clues entail beside the facts. In the end the facts that it does not need are dropped.
Cost: steps of one clue cost microseconds; before each of the others every cell left is explained once, which on boards
of thousands of clues adds up to minutes.

Source: B. Bogaerts, E. Gamba, T. Guns, "A framework for step-wise explaining how to solve constraint satisfaction
problems", Artificial Intelligence 300, 2021.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np

from board.problem import Problem
from solvers.clue_oracle import incidence
from solvers.explanation import ClueSet, clues_of, consistent_deduction, deduced, part_of
from solvers.interface import Deduction
from solvers.smallest import Clues, Search


@dataclass(frozen=True, slots=True)
class Step(ClueSet):
    """From these clues and facts the cells follow.

    constraints: their numbers in the problem, ascending; mine_count: whether it is needed as well.
    facts: cells of earlier steps, ascending, of which none can be left out.
    safe, mines: the cells that are new, ascending.
    smallest: proved that no step with fewer clues was there at this point.
    """

    constraints: tuple[int, ...]
    mine_count: bool
    facts: tuple[int, ...]
    safe: tuple[int, ...]
    mines: tuple[int, ...]
    smallest: bool


def explain_steps(problem: Problem) -> tuple[Step, ...]:
    """Steps that settle all entailed cells, one after the other.

    Raises ValueError for a problem without a model.

    >>> problem = Problem.from_sets([({0, 1}, 1), ({0, 1, 2}, 1), ({2, 3}, 1)], n=4)
    >>> for step in explain_steps(problem):
    ...     print(step.constraints, step.facts, step.safe, step.mines)
    (0, 1) () (2,) ()
    (2,) (2,) () (3,)
    """
    answer = consistent_deduction(problem)
    walk = _Walk(problem, answer)
    steps = []
    while walk.left:
        steps.append(walk.one_clue() or walk.count_alone() or walk.several())
    return tuple(steps)


class _Walk:
    """What is known so far, and the next step.

    left: entailed cells that are not known yet; scopes: the unknown cells of each constraint; totals: their mines.
    """

    def __init__(self, problem: Problem, answer: Deduction) -> None:
        self.problem = problem
        self.mine: list[bool] = answer.mines.tolist()
        self.left = set(np.flatnonzero(answer.safe | answer.mines).tolist())
        self.known: set[int] = set()
        self.covered = problem.covered.copy()
        self.mines = problem.mines
        self.full, self.clues = incidence(problem)
        self.scopes = [set(scope) for scope in self.full]
        self.totals: list[int] = problem.totals.tolist()
        self.ready = [i for i in range(len(self.full)) if self._decides(i)]  # a heap; some are done with

    def _decides(self, i: int) -> bool:
        return bool(self.scopes[i]) and self.totals[i] in (0, len(self.scopes[i]))

    def one_clue(self) -> Step | None:
        """The step of the first clue that settles all its cells."""
        while self.ready:
            i = heappop(self.ready)
            if self._decides(i):
                mine = self.totals[i] > 0
                # mines that are the whole total make the rest safe; without so many safe cells the rest are mines
                facts = [c for c in self.full[i] if c in self.known and self.mine[c] != mine]
                return self._step((i,), False, facts, sorted(self.scopes[i]), True)
        return None

    def count_alone(self) -> Step | None:
        """The step of the mine count by itself, if it settles all that is left."""
        unknown = np.flatnonzero(self.covered).tolist()
        if self.mines not in (0, len(unknown)):
            return None
        facts = [c for c in sorted(self.known) if self.mine[c] == (self.mines == 0)]
        return self._step((), True, facts, unknown, True)

    def several(self) -> Step:
        """A step of the fewest clues, which are more than one."""
        rest = self._rest()
        answer = deduced(rest)
        local = answer if rest.mines is None else deduced(rest.local())
        locally = local.safe | local.mines
        best: Clues | None = None
        smallest = True
        search = Search(rest, True)
        try:
            for cell in sorted(self.left, key=lambda c: (not locally[c], c)):
                if best is not None and not locally[cell] and _cost(best) <= (2, True):
                    break  # the mine count and one clue are no better
                clues = clues_of(search, cell, self.mine[cell], bool(locally[cell]))
                smallest = smallest and clues.smallest  # another cell might have had fewer
                if best is None or _cost(clues) < _cost(best):
                    best = clues
        finally:
            search.close()
        assert best is not None
        found = deduced(part_of(rest, best.constraints, best.mine_count))
        new = np.flatnonzero(found.safe | found.mines).tolist()
        return self._step(best.constraints, best.mine_count, self._needed(best, new), new, smallest)

    def _rest(self) -> Problem:
        """The problem without the known cells."""
        scopes = [sorted(scope) for scope in self.scopes]
        indptr = np.cumsum([0, *map(len, scopes)], dtype=np.int32)
        cells = np.array([c for scope in scopes for c in scope], np.int32)
        return Problem.trusted(self.covered.copy(), indptr, cells, np.array(self.totals, np.int32), self.mines)

    def _needed(self, clues: Clues, new: list[int]) -> list[int]:
        """Known cells of which the clues need each to settle all the new ones."""
        part = part_of(self.problem, clues.constraints, clues.mine_count)
        mine = np.array(self.mine)[new]
        inside = {c for i in clues.constraints for c in self.full[i]}
        facts = sorted(self.known if clues.mine_count else self.known & inside)

        def enough(facts: list[int]) -> bool:
            answer = deduced(_with_facts(part, facts, self.mine))
            return bool((answer.mines[new] == mine).all() and (answer.safe[new] != mine).all())

        if not enough(facts):
            raise RuntimeError(f"a bug: {clues} and the facts {facts} do not settle {new}, of {self.problem}")
        for fact in list(facts):
            fewer = [c for c in facts if c != fact]
            if enough(fewer):
                facts = fewer
        return facts

    def _step(
        self, constraints: tuple[int, ...], mine_count: bool, facts: list[int], new: list[int], smallest: bool
    ) -> Step:
        """The step that settles the new cells, which are known from now on."""
        for cell in new:
            self.known.add(cell)
            self.left.remove(cell)
            self.covered[cell] = False
            for i in self.clues.get(cell, ()):
                self.scopes[i].remove(cell)
                self.totals[i] -= self.mine[cell]
                if self._decides(i):
                    heappush(self.ready, i)
            if self.mines is not None:
                self.mines -= self.mine[cell]
        safe, mines = (tuple(c for c in new if self.mine[c] == mine) for mine in (False, True))
        return Step(constraints, mine_count, tuple(facts), safe, mines, smallest)


def _cost(clues: Clues) -> tuple[int, bool]:
    """What is compared: the number of clues, then whether the mine count is one of them."""
    return len(clues.constraints) + clues.mine_count, clues.mine_count


def _with_facts(part: Problem, facts: list[int], mine: list[bool]) -> Problem:
    """The same with a constraint more for each known cell."""
    last = part.cells.size
    indptr = np.concatenate([part.indptr, np.arange(last + 1, last + len(facts) + 1, dtype=np.int32)])
    cells = np.concatenate([part.cells, np.array(facts, np.int32)])
    totals = np.concatenate([part.totals, np.array([mine[c] for c in facts], np.int32)])
    return Problem.trusted(part.covered, indptr, cells, totals, part.mines)
