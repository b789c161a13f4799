"""One SAT oracle for all questions about parts of a problem: do these clues, and the mine count, settle this cell?

Method: every constraint has a selector; assumed, the constraint holds, else it says nothing. So one oracle serves
all sets of constraints and all cells, and learns from each question for the others. A constraint is written when it is
first needed, as native at-most constraints: "at most k of n, if s" is "at most n of the n and n - k copies of s".
Cells in the same constraints are exchangeable, so their variables are ordered: one of them is a mine exactly if the
first one is, and all are if the last one is.

The mine count is never written over all covered cells: those in no constraint are exchangeable, so that the others
and one of them, which stands for all, hold between `mines - untouched + 1` and `mines` mines: a counter of mines or of
safe cells, whichever are fewer. Cells of constraints that are left out are free in it, which is what leaving them out
means.

Source: selectors and cores: N. Een, N. Sorensson, "Temporal induction by incremental SAT solving", BMC 2003;
MiniCard: M. Liffiton, J. Maglalang, SAT 2012.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np

from board.problem import Problem
from solvers.encodings import encode_bounds
from solvers.hitting import TooHard
from solvers.oracles import ORACLES, delete

_KIND = ORACLES["minicard"]
_CONFLICTS = 20_000  # of one question; over them: TooHard
_DEAR = 30  # a conflict is as dear as so many assumptions
_VARIABLES = 1_500  # of an oracle without the mine count; a board of the expert level has less

Model = list[int]  #: ±1, ±2, ... over all variables there were


def incidence(problem: Problem) -> tuple[list[list[int]], dict[int, list[int]]]:
    """(the cells of each constraint, the constraints of each cell that is in one).

    >>> incidence(Problem.from_sets([({0, 2}, 1), ({2}, 0)], n=3))
    ([[0, 2], [2]], {0: [0], 2: [0, 1]})
    """
    cells = problem.cells.tolist()
    scopes: list[list[int]] = [cells[a:b] for a, b in pairwise(problem.indptr.tolist())]
    clues: dict[int, list[int]] = {}
    for i, scope in enumerate(scopes):
        for cell in scope:
            clues.setdefault(cell, []).append(i)
    return scopes, clues


class ClueOracle:
    """An oracle over the covered cells of a problem, with its mine count if `counted`. To be closed.

    scopes: the cells of each constraint; totals: its mines; clues: the constraints of each cell that is in one.
    work: assumptions in all questions so far, and a multiple of the conflicts.
    """

    __slots__ = (
        "_boxes",
        "_conflicts",
        "_oracle",
        "_selector",
        "_top",
        "_variable",
        "clues",
        "scopes",
        "totals",
        "work",
    )

    def __init__(self, problem: Problem, counted: bool = False) -> None:
        self.scopes, self.clues = incidence(problem)
        self.totals: list[int] = problem.totals.tolist()
        self.work = 0
        self._open()
        if counted and problem.mines is not None:
            self._write_count(np.flatnonzero(problem.covered).tolist(), problem.mines)

    def _open(self) -> None:
        self._oracle: Any = _KIND.open()
        self._top = self._conflicts = 0
        self._variable: dict[int, int] = {}
        self._boxes: dict[tuple[int, ...], list[int]] = {}
        self._selector: dict[int, int] = {}

    def shrink(self) -> None:
        """Forget all constraints without the mine count if there are many: every model is over all variables."""
        if self._top > _VARIABLES:
            delete(self._oracle)
            self._open()

    def close(self) -> None:
        """Free the oracle."""
        delete(self._oracle)

    def against(self, cell: int, mine: bool) -> int:
        """The literal that says that some cell of its box is not so."""
        box = self._box(cell)
        return -box[-1] if mine else box[0]

    def _box(self, cell: int) -> list[int]:
        """The variables of the cells in the same constraints, each of which implies the one before it."""
        key = tuple(self.clues.get(cell, ()))
        box = self._boxes.get(key)
        if box is None:
            cells = [c for c in self.scopes[key[0]] if self.clues[c] == self.clues[cell]] if key else [cell]
            box = self._boxes[key] = list(range(self._top + 1, self._top + len(cells) + 1))
            self._top += len(cells)
            self._variable.update(zip(cells, box, strict=True))
            for before, x in pairwise(box):
                self._oracle.add_clause([-x, before])
        return box

    def _literals(self, scope: list[int]) -> list[int]:
        for cell in scope:
            if cell not in self._variable:
                self._box(cell)
        return [self._variable[cell] for cell in scope]

    def ask(self, constraints: Iterable[int], literals: list[int]) -> Model | None:
        """A model of these constraints in which the literals hold, or None. Raises TooHard over a budget."""
        assumed = [*literals, *map(self._selected, constraints)]
        self.work += len(assumed)
        oracle = self._oracle
        found = _KIND.solve(oracle, assumed, _CONFLICTS)
        conflicts = oracle.accum_stats()["conflicts"]
        self.work += _DEAR * (conflicts - self._conflicts)
        self._conflicts = conflicts
        if found is None:
            raise TooHard
        return oracle.get_model() if found else None

    def core(self, constraints: Iterable[int]) -> list[int]:
        """Those of the constraints just asked about that have no model with the literals, in their order."""
        core = set(self._oracle.get_core() or ())
        return [i for i in constraints if self._selector[i] in core]

    def violated(self, constraints: Iterable[int], model: Model) -> list[int]:
        """The constraints that a model does not satisfy, or that it says nothing about."""
        selector, variable, scopes, totals = self._selector, self._variable, self.scopes, self.totals
        known = len(model)
        return [
            i
            for i in constraints
            if selector.get(i, known + 1) > known or sum(model[variable[c] - 1] > 0 for c in scopes[i]) != totals[i]
        ]

    def _selected(self, i: int) -> int:
        selector = self._selector.get(i)
        if selector is None:
            selector = self._selector[i] = self._write(i)
        return selector

    def _write(self, i: int) -> int:
        scope = self._literals(self.scopes[i])
        n, total = len(scope), self.totals[i]
        self._top += 1
        selector = self._top
        add = self._oracle.add_clause
        if not 0 <= total <= n:
            add([-selector])
            return selector
        safe = [-x for x in scope]
        if not total or total == n:
            for x in scope if total else safe:
                add([-selector, x])
            return selector
        needed = max(0 if total == n - 1 else n - total, 0 if total == 1 else total)
        copies = list(range(self._top + 1, self._top + needed + 1))
        self._top += needed
        for copy in copies:
            add([-selector, copy])
        for literals, bound in ((scope, total), (safe, n - total)):
            if bound == n - 1:  # an ordinary clause
                add([-selector, *[-x for x in literals]])
            else:
                self._oracle.add_atmost([*literals, *copies[: n - bound]], n)
        return selector

    def _write_count(self, covered: list[int], mines: int) -> None:
        untouched = [cell for cell in covered if cell not in self.clues]
        cells = sorted((c for c in covered if c in self.clues), key=lambda c: self.clues[c]) + untouched[:1]
        most, least = mines, mines - len(untouched[1:])
        literals = self._literals(cells)
        if len(cells) - least < most:  # safe cells are fewer
            most, least = len(cells) - least, len(cells) - most
            literals = [-x for x in literals]
        formula = encode_bounds(literals, least, most, True, self._top)
        self._top = formula.variables
        for clause in formula.clauses:
            self._oracle.add_clause(clause)
        for at_most in formula.at_mosts:
            self._oracle.add_atmost(*at_most)
