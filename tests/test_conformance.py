"""Every solver keeps its word, and the suite catches those that do not."""

import copy
import dataclasses
import itertools
import math
import pickle
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from board import COVERED, Position, Problem
from solvers import Claims, Deduction, Marginals, Status, Unsupported, check_solver, make_solver
from solvers.conformance import ConformanceError
from solvers.enumeration import Enumeration
from solvers.trial_problems import trial_problems


def test_solver_conforms(solver):
    report = check_solver(solver)
    assert report.problems >= 100
    assert report.checks["sound"] >= 200


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1])
def test_solver_conforms_on_many_problems(solver, seed):
    check_solver(solver, problems=2000, seed=seed)


BUDGETS = ["sat:calls=2", "sat:conflicts=1", "sat:strategy=core,calls=3", "cpsat:calls=2", "cpsat:work=0.0001"]
BUDGETS += ["subset:max_sentences=3", "minmax:max_clauses=3", "enumeration:max_models=4"]
BUDGETS += ["explanation:cells=2,work=5", "cascade:stages=single+sat:calls=1"]


@pytest.mark.parametrize("spec", [BUDGETS[0], *(pytest.param(spec, marks=pytest.mark.slow) for spec in BUDGETS[1:])])
def test_what_a_budget_cuts_short_conforms(spec):
    check_solver(make_solver(spec), problems=20)


# --- the reference itself, against nothing but the definition of a model


@st.composite
def small_problems(draw):
    n = draw(st.integers(0, 8))
    covered = draw(st.lists(st.integers(0, n - 1), unique=True)) if n else []
    scopes = st.lists(st.sampled_from(covered), unique=True) if covered else st.just([])
    constraints = draw(st.lists(st.tuples(scopes, st.integers(-1, 5)), max_size=5))
    return Problem.from_sets(constraints, n, draw(st.none() | st.integers(0, n + 1)), covered)


@given(small_problems())
@settings(max_examples=300)
def test_enumeration_lists_all_models(problem):
    covered = np.flatnonzero(problem.covered).tolist()
    models = [
        dict(zip(covered, values, strict=True))
        for values in itertools.product((0, 1), repeat=len(covered))
        if problem.mines in (None, sum(values))
    ]
    models = [m for m in models if all(sum(m[c] for c in k.scope) == k.total for k in problem.constraints)]
    marginals, deduction = Enumeration().marginals(problem), Enumeration().deduce(problem)
    assert marginals.models == len(models)
    assert marginals.deduction() == deduction
    if not models:
        assert deduction.status is marginals.status is Status.INCONSISTENT
        return
    assert marginals.log_models == math.log(len(models))
    for cell in range(problem.n):
        if cell in covered:
            share = Fraction(sum(m[cell] for m in models), len(models))
            assert marginals.fractions[cell] == share
            assert marginals.probability[cell] == float(share)
            assert (deduction.safe[cell], deduction.mines[cell]) == (share == 0, share == 1)
        else:
            assert marginals.fractions[cell] is None
            assert math.isnan(marginals.probability[cell])


@pytest.mark.parametrize(
    ("limited", "n", "said"),
    [
        (Enumeration(), 18, "262144 partial models are over max_models=131072"),
        (Enumeration(max_models=8), 4, "after 4 of 4 covered cells 16 partial models are over max_models=8"),
        (Enumeration(max_nodes=8), 4, "over max_nodes=8"),
        (Enumeration(), 10**6, "1000000"),
    ],
)
def test_enumeration_refuses_what_is_too_large(limited, n, said):
    with pytest.raises(Unsupported, match=said):
        limited.deduce(Problem.from_sets([], n))


def test_enumeration_limits_are_exact():
    assert Enumeration(max_models=16).marginals(Problem.from_sets([], 4)).models == 16
    assert Enumeration().deduce(Problem.from_sets([], 40, 10**30)).status is Status.INCONSISTENT


@pytest.mark.parametrize("name", ["max_models", "max_nodes"])
def test_enumeration_limits_are_positive(name):
    with pytest.raises(ValueError, match=f"{name} is at least 1, not 0"):
        Enumeration(**{name: 0})


# --- the problems


def test_trial_problems_are_the_same_for_the_same_seed():
    assert list(trial_problems(50, 7)) == list(trial_problems(50, 7))
    assert list(trial_problems(50, 7)) != list(trial_problems(50, 8))


def test_trial_problems_cover_what_matters():
    problems = list(trial_problems(300))
    truths = [Enumeration().deduce(p) for p in problems]
    entailing = [t for t in truths if t.safe.any() or t.mines.any()]
    counted = [p for p in problems if p.mines is not None]
    assert sum(t.status is Status.INCONSISTENT for t in truths) > 50
    assert len(entailing) > 100
    assert min(len(counted), len(problems) - len(counted)) > 100
    assert sum(Enumeration().deduce(p) != Enumeration().deduce(p.local()) for p in counted) > 60
    positions = [p.position for p in problems if p.position is not None]
    assert len(positions) > 150
    assert all(any((p.codes == code).any() for p in positions) for code in (-3, -2, -1, 0, 1, 2, 3, 4))
    assert any(p.flags.any() for p in positions)
    assert max(np.diff(p.indptr).max(initial=0) for p in problems) >= 8


# --- solvers with one fault each


@dataclass(frozen=True)
class Good:
    """The reference, to be spoilt."""

    claims: ClassVar[Any] = Claims(True, True, True, True)

    def deduce(self, problem):
        return Enumeration().deduce(problem)

    def marginals(self, problem):
        return Enumeration().marginals(problem)


NOTHING_PROMISED = Claims()
FLOATING = Claims(True, True, True, False)


def partial(problem, safe=(), mines=()):
    masks = np.zeros((2, problem.n), np.bool_)
    masks[0, list(safe)] = masks[1, list(mines)] = True
    return Deduction(masks[0], masks[1], Status.PARTIAL)


class CrashesLater(Good):
    """Right the first time, whatever comes then."""

    asked: ClassVar[set[Any]] = set()

    def deduce(self, problem):
        if problem in self.asked:
            raise KeyError("asked before")
        self.asked.add(problem)
        return super().deduce(problem)


class RefusesLater(CrashesLater):
    asked: ClassVar[set[Any]] = set()

    def deduce(self, problem):
        try:
            return super().deduce(problem)
        except KeyError as error:
            raise Unsupported("asked before") from error


class ManyInAnotherOrder(Good):
    def deduce_many(self, problems, *, threads=None):
        return [self.deduce(problem) for problem in reversed(problems)]


class ManyForgetsTheLast(Good):
    def deduce_many(self, problems, *, threads=None):
        return [self.deduce(problem) for problem in problems[:-1]]


class ManyThreadsChangeTheAnswer(Good):
    def deduce_many(self, problems, *, threads=None):
        return [self.deduce(problem.local() if threads == 3 else problem) for problem in problems]


class FalseCell(Good):
    claims = NOTHING_PROMISED

    def deduce(self, problem):
        return partial(problem, safe=np.flatnonzero(problem.covered)[:1])


class FalseComplete(Good):
    claims = NOTHING_PROMISED

    def deduce(self, problem):
        found = make_solver("single").deduce(problem)
        if found.status is Status.INCONSISTENT:
            return found
        return Deduction(found.safe.copy(), found.mines.copy(), Status.COMPLETE)


class FalseInconsistent(Good):
    claims = NOTHING_PROMISED

    def deduce(self, problem):
        return Deduction.inconsistent(problem.n)


class CompleteWithoutModel(Good):
    claims = NOTHING_PROMISED

    def deduce(self, problem):
        found = super().deduce(problem)
        return dataclasses.replace(found, status=Status.COMPLETE)


class IgnoresTheCount(Good):
    claims = NOTHING_PROMISED

    def deduce(self, problem):
        return super().deduce(problem.local())


def with_mines(problem, mines):
    return Problem.trusted(problem.covered, problem.indptr, problem.cells, problem.totals, mines)


class CountsAsARange(Good):
    """Takes every mine count between the smallest and the largest possible one for possible."""

    claims = Claims(complete_global=True)

    def deduce(self, problem):
        found = super().deduce(problem)
        if found.status is Status.INCONSISTENT and problem.mines is not None and problem.mines >= 0:
            possible = [
                m
                for m in range(problem.n + 1)
                if Enumeration().deduce(with_mines(problem, m)).status is Status.COMPLETE
            ]
            if possible and possible[0] <= problem.mines <= possible[-1]:
                return partial(problem)
        return found


class PromisesTooMuch(Good):
    claims = Claims(complete_local=True)

    def deduce(self, problem):
        return make_solver("subset").deduce(problem)


class Moody(Good):
    claims = NOTHING_PROMISED
    calls = itertools.count()

    def deduce(self, problem):
        return super().deduce(problem) if next(self.calls) % 2 else partial(problem)


class Writes(Good):
    claims = NOTHING_PROMISED

    def deduce(self, problem):
        problem.totals.flags.writeable = True
        problem.totals[:] += 1
        return partial(problem)


class WritesIntoThePosition(Good):
    claims = NOTHING_PROMISED

    def deduce(self, problem):
        if problem.position is not None:
            problem.position.flags.flags.writeable = True
            problem.position.flags[:] = problem.position.codes == COVERED
        return partial(problem)


class Both(Good):
    claims = NOTHING_PROMISED

    def deduce(self, problem):
        covered = np.flatnonzero(problem.covered)
        return partial(problem, covered[:1], covered[:1])


class OpenedCells(Good):
    claims = NOTHING_PROMISED

    def deduce(self, problem):
        return partial(problem, safe=np.flatnonzero(~problem.covered))


class OnTheBoard(Good):
    claims = NOTHING_PROMISED

    def deduce(self, problem):
        return Deduction(np.zeros((1, problem.n), bool), np.zeros((1, problem.n), bool), Status.PARTIAL)


class Integers(Good):
    claims = NOTHING_PROMISED

    def deduce(self, problem):
        return Deduction(np.zeros(problem.n, int), np.zeros(problem.n, int), Status.PARTIAL)


class CellsWithoutModel(Good):
    claims = NOTHING_PROMISED

    def deduce(self, problem):
        found = super().deduce(problem)
        if found.status is Status.INCONSISTENT:
            return Deduction(problem.covered.copy(), np.zeros(problem.n, bool), found.status)
        return found


class Pair(Good):
    claims = NOTHING_PROMISED

    def deduce(self, problem):
        found = super().deduce(problem)
        return found.safe, found.mines


class TextStatus(Good):
    claims = NOTHING_PROMISED

    def deduce(self, problem):
        return dataclasses.replace(super().deduce(problem), status="partial")


class Crashes(Good):
    def deduce(self, problem):
        return 1 / problem.totals.size and super().deduce(problem)


class FirstConstraint(Good):
    claims = NOTHING_PROMISED

    def deduce(self, problem):
        for constraint in itertools.islice(problem.constraints, 1):
            if constraint.total == 0:
                return partial(problem, safe=constraint.scope)
        return partial(problem)


class TrustsFlags(Good):
    claims = NOTHING_PROMISED

    def deduce(self, problem):
        if problem.position is None or not super().deduce(problem).mines.any():
            return partial(problem)
        entailed = super().deduce(problem).mines
        return partial(problem, mines=np.flatnonzero(entailed & problem.position.flags.ravel()))


class ReadsRows(Good):
    """Sound, but sees the first row only."""

    claims = NOTHING_PROMISED

    def deduce(self, problem):
        if problem.position is None:
            raise Unsupported("takes boards")
        found = super().deduce(problem)
        first = np.arange(problem.n) < problem.position.shape[1]
        return partial(problem, np.flatnonzero(found.safe & first), np.flatnonzero(found.mines & first))


class Refuses(Good):
    def deduce(self, problem):
        raise Unsupported("nothing")


class NoClaims(Good):
    claims = None


class ClaimsForgotten:
    def deduce(self, problem):
        return partial(problem)


class DeduceForgotten:
    claims = NOTHING_PROMISED


class ExactWithoutMarginals(Good):
    claims = Claims(exact=True)


class NoMarginals:
    claims = FLOATING

    def deduce(self, problem):
        return Enumeration().deduce(problem)


class NotHashable(Good):
    __hash__ = None


@dataclass(frozen=True)
class NotPicklable(Good):
    rule: Any = field(default_factory=lambda: lambda: None)


@dataclass(frozen=True)
class ForgetsItsParameter(Good):
    depth: int = 3

    def __reduce__(self):
        return ForgetsItsParameter, ()


class Marginal(Good):
    """The reference, with marginals changed by `spoil`."""

    claims = FLOATING

    def marginals(self, problem):
        right = super().marginals(problem)
        return self.spoil(right, problem) if right.models else right


class NearlyRight(Marginal):
    def spoil(self, right, problem):
        return dataclasses.replace(right, probability=np.minimum(right.probability * (1 + 1e-9), 1))


class AlmostZero(Marginal):
    def spoil(self, right, problem):
        return dataclasses.replace(right, probability=np.maximum(right.probability, 1e-300))


class NothingIsNan(Marginal):
    def spoil(self, right, problem):
        return dataclasses.replace(right, probability=np.nan_to_num(right.probability))


class OffByOneModel(Marginal):
    claims = Claims(True, True, True, True)

    def spoil(self, right, problem):
        return dataclasses.replace(right, models=right.models + 1)


class FractionsOfFloats(Marginal):
    claims = Claims(True, True, True, True)

    def spoil(self, right, problem):
        rounded = tuple(None if math.isnan(p) else Fraction(p) for p in right.probability.tolist())
        return dataclasses.replace(right, fractions=rounded)


class LogBase2(Marginal):
    def spoil(self, right, problem):
        return dataclasses.replace(right, log_models=right.log_models / math.log(2))


class LocalMarginals(Marginal):
    def spoil(self, right, problem):
        return Enumeration().marginals(problem.local())


class HalvesWithoutModel(Good):
    claims = FLOATING

    def marginals(self, problem):
        right = super().marginals(problem)
        if right.models:
            return right
        return Marginals(np.where(problem.covered, 0.5, np.nan), None, -math.inf, Status.INCONSISTENT)


@pytest.mark.parametrize(
    ("faulty", "check"),
    [
        (ManyInAnotherOrder(), "many"),
        (ManyForgetsTheLast(), "many"),
        (ManyThreadsChangeTheAnswer(), "many"),
        (FalseCell(), "sound"),
        (FalseComplete(), "complete"),
        (FalseInconsistent(), "status"),
        (CompleteWithoutModel(), "status"),
        (IgnoresTheCount(), "complete|status"),
        (CountsAsARange(), "claims"),
        (PromisesTooMuch(), "claims"),
        (Moody(), "repeat"),
        (CrashesLater(), "answer"),
        (RefusesLater(), "repeat"),
        (Writes(), "repeat|no mutation"),
        (WritesIntoThePosition(), "no mutation"),
        (Both(), "masks"),
        (OpenedCells(), "masks"),
        (OnTheBoard(), "masks"),
        (Integers(), "masks"),
        (CellsWithoutModel(), "masks"),
        (Pair(), "answer"),
        (TextStatus(), "status"),
        (Crashes(), "answer"),
        (FirstConstraint(), "invariance"),
        (TrustsFlags(), "invariance"),
        (ReadsRows(), "invariance"),
        (Refuses(), "support"),
        (NoClaims(), "claims"),
        (ClaimsForgotten(), "claims"),
        (DeduceForgotten(), "object"),
        (ExactWithoutMarginals(), "claims"),
        (NoMarginals(), "claims"),
        (NotHashable(), "object"),
        (NotPicklable(), "object"),
        (ForgetsItsParameter(depth=4), "object"),
        (NearlyRight(), "marginals"),
        (AlmostZero(), "complete|marginals"),
        (NothingIsNan(), "marginals"),
        (OffByOneModel(), "exact"),
        (FractionsOfFloats(), "exact"),
        (LogBase2(), "marginals"),
        (LocalMarginals(), "complete|marginals"),
        (HalvesWithoutModel(), "marginals"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else "",
)
def test_faults_are_caught(faulty, check):
    with pytest.raises(ConformanceError, match=f"^({check}): {type(faulty).__name__}"):
        check_solver(faulty)


def test_what_is_missing_is_said():
    with pytest.raises(
        ConformanceError, match=r"^claims: ClaimsForgotten has no claims: write `claims = Claims\(\)` in"
    ):
        check_solver(ClaimsForgotten())
    with pytest.raises(ConformanceError, match=r"is no object with a method deduce\(problem\), but <"):
        check_solver(DeduceForgotten())
    with pytest.raises(ConformanceError, match=r"is no object with a method deduce\(problem\), but <class .*Good'>$"):
        check_solver(Good)


class EachClueAlone(Good):
    """What a clue of 0 or of as many mines as cells says, without a look at the other clues."""

    claims = NOTHING_PROMISED

    def deduce(self, problem):
        clues = list(problem.constraints)
        safe = [cell for clue in clues if clue.total == 0 for cell in clue.scope]
        return partial(problem, safe, [cell for clue in clues if clue.total == len(clue.scope) for cell in clue.scope])


def test_what_to_answer_where_clues_contradict_each_other_is_said_there_alone():
    both, advice = "calls a cell both safe and a mine", "answer Deduction.inconsistent(problem.n)"
    with pytest.raises(ConformanceError) as caught:
        check_solver(EachClueAlone())
    first = str(caught.value).splitlines()[0]
    assert first == f"masks: EachClueAlone {both}; where clues contradict each other, {advice}"
    with pytest.raises(ConformanceError) as caught:
        check_solver(Both(), problems=[Position.parse("#1#", mines=1).problem()])
    assert str(caught.value).splitlines()[0] == f"masks: Both {both}"


def test_a_solver_of_your_own_needs_no_registration():
    report = check_solver(Good(), problems=30)
    assert (report.solver, report.unsupported) == ("Good", 0)
    assert f"{report.problems} problems" in str(report)


def test_problems_of_your_own():
    position = Position.parse("#1#", mines=1)
    assert check_solver(Good(), problems=[position.problem()]).problems == 1
    with pytest.raises(ConformanceError, match="answered none of 0"):
        check_solver(Good(), problems=[])


def test_problems_of_your_own_that_are_too_large():
    problem = Position.parse("#" * 40, mines=20).problem()
    with pytest.raises(ValueError, match="a problem is too large to be checked: enumeration is for tiny problems"):
        check_solver(make_solver("counting"), problems=[problem])


def answer_of(cells):
    return Deduction(cells, np.zeros_like(cells), Status.PARTIAL), "safe"


def shares_of(cells):
    return Marginals(cells, None, math.nan, Status.PARTIAL), "probability"


@pytest.mark.parametrize(("make", "kind"), [(answer_of, np.bool_), (shares_of, np.float64)])
def test_answers_keep_no_hand_on_what_was_given(make, kind):
    own = np.zeros(3, kind)
    view = own[:]
    view.flags.writeable = False  # which says nothing of `own`
    for array in (own, view, own[::2]):
        answer, name = make(array)
        own[0] = 1  # the caller's array stays the caller's
        kept = getattr(answer, name)
        assert kept.tolist() == [0] * array.size
        own[0] = 0
        with pytest.raises(ValueError, match="read-only"):
            kept[0] = 1
    settled = np.zeros(3, kind)
    settled.flags.writeable = False
    answer, name = make(settled)
    assert getattr(answer, name) is settled  # nothing to fear: no copy


@pytest.mark.parametrize("given", [[1], (True, False), None, {1, 2}])
def test_what_is_no_array_is_quoted(given):
    whole = np.zeros(2, np.bool_)
    for masks in ((given, whole), (whole, given)):
        with pytest.raises(ValueError, match=r"^safe and mines are bool arrays of one length, not ") as caught:
            Deduction(*masks, Status.PARTIAL)
        assert str(caught.value).endswith(repr(given))
    with pytest.raises(ValueError, match=r"^probability is an array of float64, not ") as caught:
        Marginals(given, None, math.nan, Status.PARTIAL)
    assert str(caught.value).endswith(repr(given))


@pytest.mark.parametrize("make", [answer_of, shares_of])
def test_stats_are_read_only(make):
    answer, name = make(np.zeros(3, np.bool_))
    stats = {"calls": 1}
    answer = dataclasses.replace(answer, stats=stats)
    stats["calls"] = 2
    for kept in (answer, pickle.loads(pickle.dumps(answer)), copy.deepcopy(answer)):
        assert kept == answer
        assert kept.stats == {"calls": 1}
        with pytest.raises(TypeError):
            kept.stats["calls"] = 3
        assert not getattr(kept, name).flags.writeable


def test_the_failure_shows_the_position():
    with pytest.raises(ConformanceError) as caught:
        check_solver(FalseCell(), problems=[Position.parse("#1#", mines=1).problem()])
    assert str(caught.value) == ("sound: FalseCell calls safe [0] where some model has it otherwise\nmines=1\n#1#")


def test_the_failure_shows_a_problem_without_a_position():
    problem = Problem.from_sets([({0, 2}, 1)], 4, 1, covered=[0, 2])
    with pytest.raises(ConformanceError) as caught:
        check_solver(FalseCell(), problems=[problem])
    shown = str(caught.value).splitlines()[-1]
    assert shown == "Problem.from_sets([({0, 2}, 1)], 4, 1, [0, 2])"
    assert eval(shown) == problem
