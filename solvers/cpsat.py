"""Which cells are the same in every model? The backbone, by constraint programming.

Method: single clues first, then one CP model of all components (:mod:`solvers.components`): a variable a box of
exchangeable cells with the number of its mines, a linear equation a constraint, and, where it can matter, one more for
the mine count with a variable for all untouched cells together. After one solution, "some box that was all safe or all
mines in every solution so far is not" is added and shrunk until it is infeasible (:mod:`solvers.backbone`). With one
variable a box instead of a cell there are half as many rounds.
Cost: half a millisecond a round, since CP-SAT starts each from scratch; about five rounds on game boards.

Only a status of INFEASIBLE proves anything; UNKNOWN yields PARTIAL. Presolve stays on, with one worker and a fixed
seed: runs are repeatable, and the known false INFEASIBLEs had it off and many workers.

Source: L. Perron, F. Didier, "CP-SAT", Google OR-Tools; backbones: see :mod:`solvers.backbone`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from time import perf_counter_ns
from typing import Literal

from ortools.sat.python import cp_model

from board.problem import Problem, whole
from solvers.backbone import backbone
from solvers.boxes import MINE, SAFE, UNTOUCHED
from solvers.components import Components, effect_of_count, masks, split
from solvers.interface import Claims, Deduction, Status

_MAX_SEED = 2**31 - 1


@dataclass(frozen=True, slots=True)
class CpSat:
    """The backbone by OR-Tools' CP-SAT: complete for both questions.

    seed: of the search, 0..2**31 - 1. It changes times, never answers.

    Raises ValueError for another seed.

    >>> CpSat().deduce(Problem.from_sets([({0, 1}, 1), ({0, 1, 2}, 1)], n=4, mines=1))
    <Deduction complete: safe [2, 3], mines []>
    """

    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= whole(self.seed, "a seed of CP-SAT is an integer") <= _MAX_SEED:
            raise ValueError(f"a seed of CP-SAT is in 0..{_MAX_SEED}, not {self.seed}")

    @property
    def claims(self) -> Claims:
        """Complete."""
        return Claims(complete_local=True, complete_global=True)

    def deduce(self, problem: Problem, /) -> Deduction:
        """The cells that are the same in every model."""
        components = split(problem)
        effect = effect_of_count(components, problem.mines)
        if not components.consistent or effect == "no model":
            return Deduction.inconsistent(problem.n)
        left = problem.mines - components.placed if problem.mines is not None and effect == "some" else None
        started = perf_counter_ns()
        oracle = _Oracle(components, left, self.seed)
        encoded = perf_counter_ns()
        proved, status = oracle.backbone()
        stats = oracle.stats(encoded - started, perf_counter_ns() - encoded)
        if status is Status.INCONSISTENT:
            return Deduction.inconsistent(problem.n, stats)
        untouched = UNTOUCHED
        boxes = len(components.boxes) - 1
        for literal in proved:
            if abs(literal) > boxes:
                untouched = MINE if literal > 0 else SAFE
        safe = [-x - 1 for x in proved if -boxes <= x < 0]
        mines = [x - 1 for x in proved if 0 < x <= boxes]
        return Deduction.trusted(*masks(components, safe, mines, untouched), status, stats)


class _Oracle:
    """A CP model. Literal j + 1 says that box j is all mines, -(j + 1) that it is all safe.

    The last variable stands for the untouched cells, if `left` mines (None: any number) are to be placed.
    """

    def __init__(self, components: Components, left: int | None, seed: int) -> None:
        self.model = cp_model.CpModel()
        self.solver = cp_model.CpSolver()
        self.solver.parameters.num_workers = 1
        self.solver.parameters.random_seed = seed
        self.solver.parameters.symmetry_level = 0  # equal cells are one variable already
        self.solver.parameters.cp_model_probing_level = 0  # these two: a third faster
        self.solver.parameters.max_presolve_iterations = 1
        self.solver.parameters.catch_sigint_signal = False  # it would leave Ctrl-C to end the process at once
        self.rounds = 0
        starts = components.boxes.tolist()
        self.sizes = [b - a for a, b in pairwise(starts)]
        self.variables = [self.model.new_int_var(0, size, "") for size in self.sizes]
        first_of = {a + 1: variable for a, variable in zip(starts, self.variables, strict=False)}
        scope = components.variables.tolist()
        self.constraints = len(components.totals)
        for (a, b), total in zip(pairwise(components.indptr.tolist()), components.totals.tolist(), strict=True):
            self._add([first_of[x] for x in scope[a:b] if x in first_of], total)
        if left is not None:
            if components.untouched:
                self.sizes.append(components.untouched)
                self.variables.append(self.model.new_int_var(0, components.untouched, ""))
            self._add(self.variables, left)
            self.constraints += 1

    def _add(self, variables: list[cp_model.IntVar], total: int) -> None:
        self.model.add(cp_model.LinearExpr.sum(variables) == total)

    def backbone(self) -> tuple[list[int], Status]:
        """(the literals proved, the status)."""
        if not self.variables:
            return [], Status.COMPLETE
        model = self._solve()
        if model is None:
            return [], Status.PARTIAL
        if model is False:
            return [], Status.INCONSISTENT
        result = backbone(self, [x for x in model if x], chunk=0)
        return result.proved, Status.PARTIAL if result.undecided else Status.COMPLETE

    def differ(self, literals: list[int]) -> list[int] | Literal[False] | None:
        """A model in which some box is not as its literal says; all later ones differ from the literals, too."""
        variables = [self.variables[abs(x) - 1] for x in literals]
        signs = [-1 if x > 0 else 1 for x in literals]
        mines = sum(self.sizes[x - 1] for x in literals if x > 0)
        self.model.add(cp_model.LinearExpr.weighted_sum(variables, signs) + mines >= 1)
        return self._solve()

    def learn(self, literals: list[int]) -> None:
        """The literals hold in every model: nothing is left to ask."""

    def _solve(self) -> list[int] | Literal[False] | None:
        """±(j + 1) for a box j that is all mines or all safe, 0 for another."""
        self.rounds += 1
        status = self.solver.solve(self.model)
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            values = [self.solver.value(variable) for variable in self.variables]
            return [
                -j if value == 0 else j if value == size else 0
                for j, (value, size) in enumerate(zip(values, self.sizes, strict=True), 1)
            ]
        if status == cp_model.INFEASIBLE:
            return False
        if status == cp_model.UNKNOWN:
            return None
        raise RuntimeError(f"CP-SAT refused the model: {self.solver.status_name(status)}")

    def stats(self, encode_nanoseconds: int, solve_nanoseconds: int) -> dict[str, int | float | str]:
        """Sizes, rounds and times."""
        return {
            "variables": len(self.variables),
            "constraints": self.constraints,
            "calls": self.rounds,
            "encode_nanoseconds": encode_nanoseconds,
            "solve_nanoseconds": solve_nanoseconds,
        }
