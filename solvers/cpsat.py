"""Which cells are the same in every model? The backbone, by constraint programming.

Method: single clues first, then components (:mod:`solvers.components`). A CP model has an integer variable a box of
exchangeable cells, the number of its mines, or a Boolean one a cell, and a linear equation a constraint. After one
solution, "some variable that was all safe or all mines in every solution so far is not" is added and shrunk until it is
infeasible (:mod:`solvers.backbone`); hints ask the next solution to differ in as many of them as it can.

Components share a model up to 32 variables. Where the mine count can matter, one more equation ties all of them and
the untouched cells together; above 32 variables what the clues alone entail is found first and fixed in that model.
Measured, in CPU time with OR-Tools 9.15: without the mine count, shared models are as fast as one of all components
on stuck Expert positions and 12 % faster than a model each, and 27 % faster than one of all on `stress`; with the
mine count, this and finding the clues' part first make `stress` 2.8 times as fast.

Cost: half a millisecond a question, since CP-SAT starts each from scratch; about five on stuck Expert positions.

Only a status of INFEASIBLE proves anything; UNKNOWN yields PARTIAL. Presolve stays on, with one worker and a fixed
seed: runs are repeatable, and the known false INFEASIBLEs had it off and many workers.

Source: L. Perron, F. Didier, "CP-SAT", Google OR-Tools; backbones: see :mod:`solvers.backbone`; flipping as many
candidates as possible: A. Biere, N. Froleyks, W. Wang, "CadiBack: extracting backbones with CaDiCaL", SAT 2023.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from time import perf_counter_ns
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from ortools.sat.python import cp_model

from board.problem import Problem, whole
from solvers.backbone import backbone
from solvers.components import Components, effect_of_count, masks, split, ungrouped, with_untouched
from solvers.interface import Claims, Deduction, Status, check_budget
from solvers.registry import label_of, make_solver

_MAX_SEED = 2**31 - 1
_SHARED_VARIABLES = 32  # components share a CP model up to this size
_HALF_UNIT = 5e-13  # work is rounded, since the last bits of CP-SAT's sums differ from call to call
_CHECKER = "sat"  # the backend that cross-checks

Variables = Literal["box", "cell"]
Answer = list[int] | Literal[False] | None  #: a model, 0 for a box that is neither all safe nor all mines


@dataclass(frozen=True, slots=True)
class CpSat:
    """The backbone by OR-Tools' CP-SAT: complete for both questions.

    Parameters
    ----------
    model: what a variable is: a `box` of exchangeable cells, or every `cell` for itself.
    seed: of the search, 0..2**31 - 1. It changes times, never complete answers.
    work: budget of the whole deduction in CP-SAT's deterministic seconds, 0 for none: each question gets what those
        before it have left. Over it: PARTIAL, the same every time. Expert positions take about 0.00001.
    calls: budget of the whole deduction in questions, 0 for none. Over it: PARTIAL.
    verify: whether `sat` answers, too, wherever a claim rests on an INFEASIBLE.

    Raises ValueError for other values, and with `verify` RuntimeError from `deduce` where `sat` refutes a claim.

    >>> CpSat().deduce(Problem.from_sets([({0, 1}, 1), ({0, 1, 2}, 1)], n=4, mines=1))
    <Deduction complete: safe [2, 3], mines []>
    """

    model: Variables = "box"
    seed: int = 0
    work: float = 0.0
    calls: int = 0
    verify: bool = False

    def __post_init__(self) -> None:
        if self.model not in get_args(Variables):
            raise ValueError(f"model is box or cell, not {self.model!r}")
        if not 0 <= whole(self.seed, "a seed of CP-SAT is an integer") <= _MAX_SEED:
            raise ValueError(f"a seed of CP-SAT is in 0..{_MAX_SEED}, not {self.seed}")
        if isinstance(self.work, bool) or not isinstance(self.work, int | float):
            raise ValueError(f"work is a number, not {self.work!r}")
        if not 0 <= self.work <= sys.float_info.max:
            raise ValueError(f"work is finite and at least 0, not {self.work!r}")
        object.__setattr__(self, "work", float(self.work))  # one label for 1 and 1.0
        check_budget("calls", self.calls, 0)
        if not isinstance(self.verify, bool):
            raise ValueError(f"verify is true or false, not {self.verify!r}")

    @property
    def claims(self) -> Claims:
        """Complete, unless a budget stands in the way."""
        complete = not self.work and not self.calls
        return Claims(complete_local=complete, complete_global=complete, steady=complete)

    def deduce(self, problem: Problem, /) -> Deduction:
        """The cells that are the same in every model."""
        components = split(problem)
        effect = effect_of_count(components, problem.mines)
        if not components.consistent or effect == "no model":
            return Deduction.inconsistent(problem.n)
        left = problem.mines - components.placed if problem.mines is not None and effect == "some" else None
        if left is not None:
            components = with_untouched(components)
        if self.model == "cell":
            components = ungrouped(components)
        search = _Search(self, components)
        status = search.run(left)
        if status is Status.INCONSISTENT:
            answer = Deduction.inconsistent(problem.n, search.stats())
        else:
            answer = Deduction.trusted(*search.masks(), status, search.stats())
        if self.verify and (search.proved or status is Status.INCONSISTENT):
            self._check(problem, answer)
        return answer

    def _check(self, problem: Problem, answer: Deduction) -> None:
        """Raise RuntimeError if the other backend refutes a claim."""
        other = make_solver(_CHECKER).deduce(problem)
        refuted = []
        if (answer.status is Status.INCONSISTENT) != (other.status is Status.INCONSISTENT):
            refuted.append(f"that there is {'no' if answer.status is Status.INCONSISTENT else 'a'} model")
        for what, mine, its in (("safe", answer.safe, other.safe), ("mines", answer.mines, other.mines)):
            if other.status is not Status.INCONSISTENT and (mine & ~its).any():
                refuted.append(f"that the cells {np.flatnonzero(mine & ~its).tolist()} are {what}")
        if refuted:
            raise RuntimeError(f"{label_of(self)} claims {' and '.join(refuted)}, which {_CHECKER} refutes")


class _Search:
    """One deduction: CP-SAT, what it was asked, and what is proved.

    The literal j + 1 says that box j is all mines, -(j + 1) that it is all safe. A box is a variable.
    """

    def __init__(self, options: CpSat, components: Components) -> None:
        self.options = options
        self.components = components
        starts = components.boxes
        self.sizes = [b - a for a, b in pairwise(starts)]
        box_of = {a + 1: j for j, a in enumerate(starts)}
        scopes = components.variables
        self.scopes = [[box_of[x] for x in scopes[a:b] if x in box_of] for a, b in pairwise(components.indptr)]
        self.proved: list[int] = []
        self.models = self.variables = self.constraints = self.calls = 0
        self.encode_nanoseconds = self.solve_nanoseconds = 0
        self.work = 0.0
        self.solver = cp_model.CpSolver()
        parameters = self.solver.parameters
        parameters.num_workers = 1
        parameters.random_seed = options.seed
        parameters.catch_sigint_signal = False  # it would leave Ctrl-C to end the process at once
        parameters.hint_conflict_limit = 100  # with the usual 10 hints go unheard where all hangs together
        parameters.symmetry_level = 0  # equal cells are one variable already
        parameters.cp_model_probing_level = 0  # these three: a third faster on game boards
        parameters.cp_model_use_sat_presolve = False
        parameters.max_presolve_iterations = 1

    def run(self, left: int | None) -> Status:
        """Answer the clues alone, or with `left` mines to place."""
        components, scopes, totals = self.components, self.scopes, self.components.totals
        status = Status.COMPLETE
        if left is None or len(self.sizes) > _SHARED_VARIABLES:
            self.solver.parameters.linearization_level = 0
            for i, j in self._spans():
                first, last = components.components[i], components.components[j]
                a, b = components.rows[i], components.rows[j]
                found = self._settle(_Oracle(self, first, last, scopes[a:b], totals[a:b]))
                if found is Status.INCONSISTENT:
                    return found
                if found is Status.PARTIAL:
                    status = found
        if left is None:
            return status
        every = list(range(len(self.sizes)))
        self.solver.parameters.linearization_level = 1  # hard sums need the relaxation
        return self._settle(_Oracle(self, 0, len(every), [*scopes, every], [*totals, left]))

    def _spans(self) -> Iterator[tuple[int, int]]:
        """Which components (first, behind the last) share a model."""
        # the untouched cells, in no constraint, come last
        k = sum(a < b for a, b in pairwise(self.components.rows))
        starts = self.components.components
        first = 0
        for i in range(1, k + 1):
            if i == k or starts[i + 1] - starts[first] > _SHARED_VARIABLES:
                yield first, i
                first = i

    def _settle(self, oracle: _Oracle) -> Status:
        """Find the backbone of a model, beyond what was proved before."""
        model = oracle.ask()
        if model is None:
            return Status.PARTIAL
        if model is False:
            return Status.INCONSISTENT
        candidates = [x for x in model if x and abs(x) not in oracle.known]
        result = backbone(oracle, candidates, chunk=0)
        self.proved += [x + oracle.first if x > 0 else x - oracle.first for x in result.proved]
        return Status.PARTIAL if result.undecided else Status.COMPLETE

    def ask(self, model: Any) -> list[int] | Literal[False] | None:
        """The values of a CP model's variables in a solution; False: there is none; None: undecided."""
        options, left = self.options, self.options.work - self.work
        if options.calls == self.calls > 0 or (options.work and left <= 0):
            return None
        if options.work:
            self.solver.parameters.max_deterministic_time = left + _HALF_UNIT
        started = perf_counter_ns()
        self.calls += 1
        status = self.solver.solve(model)
        response = self.solver.response_proto
        self.work = round(self.work + response.deterministic_time, 12)
        self.solve_nanoseconds += perf_counter_ns() - started
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return list(response.solution)
        if status == cp_model.INFEASIBLE:
            return False
        if status == cp_model.UNKNOWN:
            return None
        raise RuntimeError(f"CP-SAT refused the model: {self.solver.status_name(status)}")

    def masks(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """The cells that were proved safe and those proved mines, bool[n] each."""
        safe, mines = [-x - 1 for x in self.proved if x < 0], [x - 1 for x in self.proved if x > 0]
        return masks(self.components, safe, mines)

    def stats(self) -> dict[str, int | float | str]:
        """Sizes, questions, deterministic seconds and times; the sizes are sums over all models."""
        return {
            "models": self.models,
            "variables": self.variables,
            "constraints": self.constraints,
            "calls": self.calls,
            "work": self.work,
            "encode_nanoseconds": self.encode_nanoseconds,
            "solve_nanoseconds": self.solve_nanoseconds,
        }


class _Model(cp_model.CpModel):
    """A CP model without the old names of its methods, which 9.15 binds one by one: as long as a short question."""

    def _add_pre_pep8_methods(self) -> None:
        pass


class _Oracle:
    """The CP model of the variables first..last - 1 of a search. Here the literal 1 is variable `first`."""

    def __init__(self, search: _Search, first: int, last: int, scopes: list[list[int]], totals: list[int]) -> None:
        started = perf_counter_ns()
        self.search = search
        self.first = first
        self.sizes = search.sizes[first:last]
        self.known = {abs(x) - first: x > 0 for x in search.proved} if first == 0 else {}
        self.model = _Model()
        variables = []
        for literal, size in enumerate(self.sizes, 1):
            mine = self.known.get(literal)
            variables.append(self.model.new_int_var(size if mine else 0, 0 if mine is False else size, ""))
        for scope, total in zip(scopes, totals, strict=True):
            self.model.add(cp_model.LinearExpr.sum([variables[x - first] for x in scope]) == total)
        self.clause: Any = None
        search.models += 1
        search.variables += len(variables)
        search.constraints += len(totals)
        search.encode_nanoseconds += perf_counter_ns() - started

    def ask(self) -> Answer:
        """±x for a variable x that is all mines or all safe in a solution, 0 for another."""
        values = self.search.ask(self.model)
        if not values:
            return False if values is False else None
        pairs = zip(values, self.sizes, strict=True)
        return [-x if value == 0 else x if value == size else 0 for x, (value, size) in enumerate(pairs, 1)]

    def differ(self, literals: list[int]) -> Answer:
        """A model in which some variable is not as its literal says; all later ones differ from the literals, too."""
        proto = self.model.proto
        if self.clause is None:
            self.clause = proto.constraints.add().linear
        variables = [abs(x) - 1 for x in literals]
        least = 1 - sum(self.sizes[x - 1] for x in literals if x > 0)
        _put(self.clause.vars, variables)  # in the place of the last clause, which this one implies
        _put(self.clause.coeffs, [-1 if x > 0 else 1 for x in literals])
        _put(self.clause.domain, [least, cp_model.INT_MAX])
        _put(proto.solution_hint.vars, variables)
        _put(proto.solution_hint.values, [0 if x > 0 else self.sizes[-x - 1] for x in literals])
        return self.ask()

    def learn(self, literals: list[int]) -> None:
        """The literals hold in every model: nothing is left to ask."""


def _put(field: Any, values: list[int]) -> None:
    """Replace the values of a repeated field."""
    field.clear()
    field.extend(values)
