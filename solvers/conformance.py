"""Does a solver keep its word? The public conformance suite, for built-in solvers and yours.

Method: every answer on many small problems is compared with `enumeration`, which lists all models, and with the
solver's own answers on the same problem told differently (turned, renumbered, reordered, flagged, asked again,
asked of a pickled copy).
Cost: about a dozen calls of the solver a problem.
Source: the idea of one public check for everybody's implementations is scikit-learn's `check_estimator`, L. Buitinck
et al., "API design for machine learning software", ECML PKDD workshop, 2013.
"""

from __future__ import annotations

import dataclasses
import math
import pickle
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from board.position import COVERED, Position
from board.problem import Problem
from solvers.enumeration import Enumeration
from solvers.interface import HOW_TO_CLAIM, Claims, Deduction, Marginals, Solver, Status, Unsupported
from solvers.registry import label_of
from solvers.trial_problems import trial_problems

_RELATIVE = 1e-10
_Answer = TypeVar("_Answer", bound=Deduction | Marginals)


class ConformanceError(AssertionError):
    """A solver broke a rule; the message names the check and shows the problem."""


@dataclass(frozen=True, slots=True)
class Conformance:
    """What was checked: nothing failed, or there would be no report.

    problems: how many were answered; unsupported: how many were refused with `Unsupported`.
    checks: how often each check held.
    """

    solver: str
    problems: int
    unsupported: int
    checks: Mapping[str, int]

    def __str__(self) -> str:
        counts = ", ".join(f"{name} {count}" for name, count in self.checks.items())
        return f"{self.solver}: {self.problems} problems, {self.unsupported} unsupported; {counts}"


def check_solver(solver: Solver, *, problems: int | Iterable[Problem] = 500, seed: int = 0) -> Conformance:
    """Check `solver` on small problems; raise :class:`ConformanceError` at the first broken rule.

    Parameters
    ----------
    problems: how many to generate beside the boundary cases, or problems of your own that
        `enumeration` can take.
    seed: of the generated ones.

    The rules: masks are bool[n], disjoint, on covered cells; nothing is claimed that some model contradicts
    (COMPLETE and INCONSISTENT are claims too); the promises of `claims` hold; marginals agree with the exact ones
    to 1e-10 relative (are equal if `exact`) and with `deduce`; answers do not depend on orientation, numbering,
    order or flags where there is a model, unless `claims` says that they may; problems are left alone; asking
    again, a pickled copy, or many problems at once (`deduce_many`, `marginals_many`, where they exist) gives the
    same.
    A problem refused with `Unsupported` is skipped and counted;
    refusing all of them is an error. Raises ValueError for a problem of yours that `enumeration` cannot take.

    >>> from solvers import make_solver
    >>> check_solver(make_solver("enumeration"), problems=10).unsupported
    0
    """
    checker = _Checker(solver, label_of(solver))
    checker.check_object()
    given = trial_problems(problems, seed) if isinstance(problems, int) else problems
    for problem in given:
        checker.check_problem(problem)
    checker.check_many()
    if not checker.answered:
        raise ConformanceError(f"support: {checker.label} answered none of {checker.refused} problems")
    return Conformance(checker.label, checker.answered, checker.refused, dict(checker.held))


class _Checker:
    """One run over many problems. `problem` is the one that a failure shows, `before` a copy of it."""

    def __init__(self, solver: Solver, label: str) -> None:
        self.solver: Any = solver
        self.label = label
        self.copy: Any = None
        self.problem: Problem | None = None
        self.before: Problem | None = None
        self.held: Counter[str] = Counter()
        self.answers: list[tuple[Problem, Deduction]] = []
        self.refused = 0

    @property
    def answered(self) -> int:
        return len(self.answers)

    def hold(self, check: str, condition: object, message: str, *values: object) -> None:
        if not condition:
            shown = "" if self.problem is None else f"\n{_show(self.problem)}"
            raise ConformanceError(f"{check}: {self.label} {message.format(*values)}{shown}")
        self.held[check] += 1

    def call(self, method: Callable[[Problem], _Answer], problem: Problem, kind: type[_Answer]) -> _Answer:
        try:
            answer = method(problem)
        except Unsupported:
            raise
        except Exception as error:
            raise ConformanceError(
                f"answer: {self.label} raised {error!r} from {kind.__name__}\n{_show(problem)}"
            ) from error
        self.hold("answer", isinstance(answer, kind), "answered {!r}, which is no {}", answer, kind.__name__)
        return answer

    def check_object(self) -> None:
        solver = self.solver
        deduces = callable(getattr(solver, "deduce", None)) and not isinstance(solver, type)
        self.hold("object", deduces, "is no object with a method deduce(problem), but {!r}", solver)
        self.hold("claims", hasattr(solver, "claims"), "has no claims: {}", HOW_TO_CLAIM)
        self.hold("claims", isinstance(solver.claims, Claims), "has claims {!r}: {}", solver.claims, HOW_TO_CLAIM)
        self.hold("claims", solver.claims.marginals or not solver.claims.exact, "is exact without marginals")
        if solver.claims.marginals:
            self.hold("claims", callable(getattr(solver, "marginals", None)), "has no method marginals")
        try:
            hash(solver)
            self.copy = pickle.loads(pickle.dumps(solver))
        except Exception as error:
            raise ConformanceError(
                f"object: {self.label} must be hashable and picklable, so that other processes can take it "
                f"(a frozen dataclass at the top of a module or notebook is): {error!r}"
            ) from error
        if dataclasses.is_dataclass(solver):
            same = self.copy == solver and hash(self.copy) == hash(solver)
            self.hold("object", same, "differs from its pickled copy")
        self.hold("object", self.copy.claims == solver.claims, "claims something else than its pickled copy")

    def check_problem(self, problem: Problem) -> None:
        self.problem = problem
        self.before = pickle.loads(pickle.dumps(problem))
        try:
            truth = Enumeration().marginals(problem)
        except Unsupported as refusal:
            raise ValueError(f"a problem is too large to be checked: {refusal}\n{_show(problem)}") from None
        try:
            answer = self.call(self.solver.deduce, problem, Deduction)
        except Unsupported:
            self.refused += 1
            return
        self.answers.append((problem, answer))
        self.check_masks(problem, answer, truth)
        self.check_status(answer.status, truth)
        expected = truth.deduction()
        self.check_cells(answer, expected)
        self.check_repeats("deduce", problem, answer)
        if truth.models:
            self.check_invariance(problem, answer, expected)
        if self.solver.claims.marginals:
            self.check_marginals(problem, answer, truth)

    def check_many(self) -> None:
        """All problems put at once are answered as one by one, in order, with any number of threads."""
        self.problem = None
        problems = [problem for problem, _ in self.answers]
        for method, one in (("deduce_many", "deduce"), ("marginals_many", "marginals")):
            if not hasattr(self.solver, method):
                continue
            alone = [a for _, a in self.answers] if one == "deduce" else list(map(self.solver.marginals, problems))
            for threads in (None, 1, 3):
                at_once = list(getattr(self.solver, method)(problems, threads=threads))
                self.hold("many", len(at_once) == len(alone), "{} gives {} answers", method, len(at_once))
                for self.problem, answer, expected in zip(problems, at_once, alone, strict=True):
                    self.hold("many", answer == expected, "{} gives {!r}, not {!r}", method, answer, expected)

    def check_masks(self, problem: Problem, answer: Deduction, truth: Marginals) -> None:
        for name in ("safe", "mines"):
            mask = getattr(answer, name)
            right = isinstance(mask, np.ndarray) and mask.dtype == np.bool_ and mask.shape == (problem.n,)
            self.hold("masks", right, "gives as {} {!r}, not bool[{}]", name, mask, problem.n)
            self.hold("masks", not (mask & ~problem.covered).any(), "lists an opened cell as {}", name)
        advice = "" if truth.models else "; where clues contradict each other, answer Deduction.inconsistent(problem.n)"
        self.hold("masks", not (answer.safe & answer.mines).any(), "calls a cell both safe and a mine{}", advice)
        if answer.status is Status.INCONSISTENT:
            self.hold("masks", not (answer.safe | answer.mines).any(), "lists cells, being INCONSISTENT")

    def check_status(self, status: object, truth: Marginals) -> None:
        self.hold("status", isinstance(status, Status), "has the status {!r}", status)
        claims, problem = self.solver.claims, self.problem
        assert problem is not None
        promised = claims.complete_local if problem.mines is None else claims.complete_global
        if not truth.models:
            self.hold("status", status is not Status.COMPLETE, "says COMPLETE where there is no model")
        else:
            self.hold("status", status is not Status.INCONSISTENT, "sees none of {} models", truth.models)
        if promised:
            self.hold("claims", status is truth.status, "claims completeness but says {}", status)

    def check_cells(self, answer: Deduction, expected: Deduction) -> None:
        if expected.status is Status.INCONSISTENT:
            return
        for name in ("safe", "mines"):
            found, entailed = getattr(answer, name), getattr(expected, name)
            false = np.flatnonzero(found & ~entailed).tolist()
            self.hold("sound", not false, "calls {} {} where some model has it otherwise", name, false)
            if answer.status is Status.COMPLETE:
                missed = np.flatnonzero(entailed & ~found).tolist()
                self.hold("complete", not missed, "says COMPLETE but misses {} {}", name, missed)

    def check_repeats(self, method: str, problem: Problem, answer: Deduction | Marginals) -> None:
        for solver, words in (
            (self.solver, "answers {} differently the second time"),
            (self.copy, "answers {} differently from its pickled copy"),
        ):
            try:
                again: Deduction | Marginals | None = self.call(getattr(solver, method), problem, type(answer))
            except Unsupported:
                again = None
            self.hold("repeat", again == answer, words, method)
        assert self.before is not None
        same = problem == self.before and problem.position == self.before.position
        self.hold("no mutation", same, "changed the problem in {}", method)

    def check_invariance(self, problem: Problem, answer: Deduction, expected: Deduction) -> None:
        for name, variant, cells in _variants(problem):
            try:
                other = self.call(self.solver.deduce, variant, Deduction)
            except Unsupported:
                continue
            back = Deduction(other.safe[cells], other.mines[cells], other.status)
            self.check_cells(back, expected)
            if self.solver.claims.steady:
                self.hold("invariance", back == answer, "answers {}, but {} with {}", answer, back, name)

    def check_marginals(self, problem: Problem, answer: Deduction, truth: Marginals) -> None:
        try:
            marginals = self.call(self.solver.marginals, problem, Marginals)
        except Unsupported:
            return
        hold = partial(self.hold, "marginals")
        given = marginals.probability
        hold(given.dtype == np.float64 and given.shape == (problem.n,), "gives {!r}", given)
        hold(np.isnan(given[~problem.covered]).all(), "gives opened cells a probability")
        self.check_status(marginals.status, truth)
        self.check_cells(marginals.deduction(), truth.deduction())
        self.check_repeats("marginals", problem, marginals)
        if marginals.status is Status.INCONSISTENT:
            hold(np.isnan(given).all() and not marginals.models, "counts models, being INCONSISTENT")
        if marginals.status is Status.COMPLETE and truth.models:
            hold(_close(given, truth.probability), "gives {}, not {}", given, truth.probability)
            if problem.mines is not None:
                total = float(np.nansum(given))
                hold(math.isclose(total, problem.mines, abs_tol=1e-9), "expects {} mines", total)
            if answer.status is Status.COMPLETE:
                hold(marginals.deduction() == answer, "deduces other cells than those of probability 0 and 1")
        if marginals.status is not Status.PARTIAL:
            self.check_counts(marginals, truth)

    def check_counts(self, marginals: Marginals, truth: Marginals) -> None:
        log_models = marginals.log_models
        if self.solver.claims.exact:
            same = (marginals.models, marginals.fractions) == (truth.models, truth.fractions)
            self.hold("exact", same, "counts {} models, not {}", marginals.models, truth.models)
            self.hold("exact", _close(marginals.probability, truth.probability, 0), "rounds probabilities")
        elif math.isnan(log_models):  # it does not count
            return
        near = math.isclose(log_models, truth.log_models, rel_tol=_RELATIVE, abs_tol=_RELATIVE)
        self.hold("marginals", near, "has log_models {}, not {}", log_models, truth.log_models)


def _close(given: NDArray[Any], exact: NDArray[Any], relative: float = _RELATIVE) -> bool:
    return np.allclose(given, exact, rtol=relative, atol=0, equal_nan=True)


def _variants(problem: Problem) -> Iterator[tuple[str, Problem, NDArray[np.intp]]]:
    """(what is different, the problem told so, for each cell its number there)."""
    n = problem.n
    constraints = list(problem.constraints)
    covered = np.flatnonzero(problem.covered)
    same = np.arange(n)
    rng = np.random.default_rng(n + 1000 * len(constraints))
    if problem.mines is None or problem.mines >= 0:  # `from_sets` takes no count below 0
        order = rng.permutation(len(constraints)).tolist()
        reordered = [constraints[i] for i in [*order, *order[:1]]]
        yield (
            "constraints in another order, one of them twice",
            Problem.from_sets(reordered, n, problem.mines, covered.tolist()),
            same,
        )
        moved = rng.permutation(n + 2)[:n]
        renumbered = [(moved[list(c.scope)].tolist(), c.total) for c in constraints]
        yield (
            "cells renumbered",
            Problem.from_sets(renumbered, n + 2, problem.mines, moved[covered].tolist()),
            moved,
        )
    position = problem.position
    if position is None:
        return
    numbers = same.reshape(position.shape)
    turns: list[tuple[str, Callable[[NDArray[Any]], NDArray[Any]]]] = [
        ("rows flipped", np.flipud),
        ("columns flipped", np.fliplr),
        ("rows and columns exchanged", np.transpose),
    ]
    if position.topology.name == "grid":
        for name, turn in turns:
            turned = Position(turn(position.codes), position.mines, turn(position.flags))
            yield name, turned.problem(), np.argsort(turn(numbers).reshape(-1))
    flags = (position.codes == COVERED) & ~position.flags
    flagged = Position(position.codes, position.mines, flags, position.topology)
    yield "flags elsewhere", flagged.problem(), same


def _show(problem: Problem) -> str:
    position = problem.position
    if position is not None and position.codes.max() <= 8:
        return f"mines={position.mines}\n{position.text()}"
    constraints = ", ".join(f"({{{', '.join(map(str, sorted(c.scope)))}}}, {c.total})" for c in problem.constraints)
    covered = np.flatnonzero(problem.covered).tolist()
    return f"Problem.from_sets([{constraints}], {problem.n}, {problem.mines}, {covered})"
