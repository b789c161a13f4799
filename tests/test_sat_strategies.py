"""How the SAT backend can be varied: strategies, the mine count, boxes, budgets. Each against enumeration."""

import random
from dataclasses import replace
from functools import cache
from itertools import product

import pytest
from hypothesis import given, settings
from problems import problems
from shared_data import corpora, listed, problem_of

from board import Position, Problem
from solvers import Status, Unsupported, make_solver, spec_of
from solvers.backbone import backbone_by_cores
from solvers.encodings import ENCODINGS, EXTREME
from solvers.sat import COUNTS, PROPAGATING, STRATEGIES, Sat
from solvers.trial_problems import trial_problems

PAIRS = [("native", "minicard"), ("native", "gluecard4"), ("seqcounter", "cadical153"), ("binomial", "minisat22")]
SEARCHING = [strategy for strategy in STRATEGIES if strategy not in PROPAGATING]


@cache
def answered():
    """(problem, the answer of enumeration), each."""
    reference = make_solver("enumeration")
    return [(problem, reference.deduce(problem)) for problem in trial_problems(80, seed=9)]


def sound(answer, expected):
    return (
        answer.status in (Status.PARTIAL, expected.status)
        and not (expected.status is not Status.INCONSISTENT and (answer.safe & ~expected.safe).any())
        and not (expected.status is not Status.INCONSISTENT and (answer.mines & ~expected.mines).any())
    )


@pytest.mark.parametrize(("encoding", "oracle"), PAIRS)
@pytest.mark.parametrize(("strategy", "chunk"), [("iterate", 1), ("iterate", 3), ("iterate", 0), ("core", 8)])
def test_every_search_finds_the_backbone(encoding, oracle, strategy, chunk):
    for boxes, count in product((True, False), COUNTS):
        if (count, encoding) == ("naive", "binomial"):
            continue
        solver = Sat(encoding, oracle, strategy, count, boxes, chunk)
        assert solver.claims.complete_local
        assert solver.claims.complete_global
        for problem, expected in answered():
            assert solver.deduce(problem) == expected, (solver, problem)


@settings(max_examples=150, deadline=None)
@given(problems())
def test_naive_count_is_the_same_question(problem):
    assert Sat(count="naive").deduce(problem) == make_solver("enumeration").deduce(problem)


def test_naive_count_is_over_all_covered_cells():
    problem = Problem.from_sets([({0, 1, 2}, 1), ({1, 2, 3}, 1)], n=30, mines=4)
    assert Sat(count="naive").deduce(problem).stats["variables"] >= 30
    assert Sat().deduce(problem).stats["variables"] < 10
    assert not Sat("binomial", "minisat22", count="naive").claims.complete_global
    with pytest.raises(Unsupported, match="over 1,000,000 clauses for 4 of 400"):
        Sat("binomial", "minisat22", count="naive").deduce(Problem.from_sets([], n=400, mines=4))


@pytest.mark.parametrize("spec", ["sat:strategy=core", "sat:chunk=1", "sat:boxes=false", "sat:boxes=false,chunk=0"])
def test_game_positions(spec):
    solver = make_solver(spec)
    assert spec_of(solver) == spec
    for entry in list(corpora().values())[::45]:
        problem = problem_of(entry)
        whole, local = solver.deduce(problem), solver.deduce(problem.local())
        assert (listed(whole.safe), listed(whole.mines)) == (entry["safe"], entry["mine"])
        assert (listed(local.safe), listed(local.mines)) == (entry["safe_local"], entry["mine_local"])


def test_boxes_are_asked_for_once():
    """Two boxes of four cells: with boxes one literal each, without one a cell."""
    problem = Problem.from_sets(
        [({0, 1, 2, 3, 4, 5, 6, 7}, 4), ({4, 5, 6, 7, 8, 9}, 4), ({8, 9}, 1), ({8, 10}, 1)], n=11
    )
    grouped, single = (Sat(boxes=boxes, chunk=1).deduce(problem) for boxes in (True, False))
    assert grouped == single
    assert grouped.stats["calls"] < single.stats["calls"]


@cache
def gapped():
    """Stars, which hold one mine or all but one, pairs, and untouched cells, near both ends of the count."""
    reference, found = make_solver("enumeration"), []
    for seed in range(120):
        rng = random.Random(seed)
        scopes, n = [], 0
        for leaves in rng.choices((1, 2, 3, 4), k=rng.randint(1, 3)):
            scopes += [({n, n + i}, 1) for i in range(1, leaves + 1)]
            n += leaves + 1
        covered = n + rng.randint(0, 3)
        problem = Problem.from_sets(scopes, n=covered, mines=rng.randint(0, covered))
        found.append((problem, reference.deduce(problem)))
    return found


@pytest.mark.parametrize("spec", ["sat", "sat:chunk=1", "sat:strategy=core", "sat:encoding=totalizer,oracle=glucose4"])
@pytest.mark.parametrize("shared", [1, 128])
def test_counts_component_by_component(monkeypatch, spec, shared):
    """What large problems are answered with, on small ones; with a budget of calls nothing false is said."""
    monkeypatch.setattr("solvers.sat._BOUND_VARIABLES", 0)
    monkeypatch.setattr("solvers.sat._GROUP_VARIABLES", shared)
    solver = make_solver(spec)
    for problem, expected in (*gapped(), *answered()):
        assert solver.deduce(problem) == expected, problem
        for calls in (3, 6):
            assert sound(replace(solver, calls=calls).deduce(problem), expected)


# Propagation alone


@pytest.mark.parametrize("strategy", PROPAGATING)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_propagation_claims_nothing_false(encoding, strategy):
    oracle = "minicard" if encoding == "native" else "minisat22"
    for count in COUNTS:
        solver = Sat(encoding, oracle, strategy, count)
        assert not solver.claims.complete_local
        for problem, expected in answered():
            try:
                answer = solver.deduce(problem)
            except Unsupported:
                assert encoding in (*EXTREME, "binomial")
                continue
            assert answer.status is not Status.COMPLETE
            assert sound(answer, expected), (solver, problem)


def test_propagation_is_what_single_clues_settle():
    """With an encoding on which it is complete; the clues alone, where every scope has at most eight cells."""
    single = make_solver("single")
    found = 0
    for entry in list(corpora().values())[::20]:
        problem = problem_of(entry).local()
        expected = single.deduce(problem)
        for encoding, oracle in (("native", "minicard"), ("seqcounter", "glucose4"), ("totalizer", "cadical195")):
            answer = Sat(encoding, oracle, "propagate").deduce(problem)
            assert (answer.safe == expected.safe).all()
            assert (answer.mines == expected.mines).all()
            found += answer.safe.sum()
    assert found


def test_probing_finds_more():
    """1-2-1 along a wall: the cells beside the 2 are safe, the outer ones mines, which no single clue tells."""
    problem = Position.parse(["###", "121", "___"]).problem()
    alone, probed = (Sat(strategy=strategy).deduce(problem) for strategy in PROPAGATING)
    assert listed(alone.safe) == listed(alone.mines) == []
    assert (listed(probed.safe), listed(probed.mines)) == ([1], [0, 2])


@pytest.mark.parametrize("strategy", PROPAGATING)
def test_oracles_agree_on_what_propagates(strategy):
    entries = [problem_of(entry) for entry in list(corpora().values())[::90]]
    solvers = [
        Sat("kmtotalizer", oracle, strategy) for oracle in ("minisat22", "glucose4", "cadical153", "maplechrono")
    ]
    for problem in entries:
        first, *others = (solver.deduce(problem) for solver in solvers)
        assert all(first == other for other in others)


@pytest.mark.parametrize(
    ("encoding", "oracle", "message"),
    [
        ("totalizer", "lingeling", "'lingeling' does no unit propagation"),
        ("totalizer", "cadical103", "'cadical103' does no unit propagation"),
        ("native", "ergo", "'ergo' does no unit propagation through native"),
    ],
)
def test_oracle_that_cannot_propagate(encoding, oracle, message):
    for strategy in PROPAGATING:
        with pytest.raises(Unsupported, match=message):
            Sat(encoding, oracle, strategy)


# Budgets and parameters


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("calls", [1, 2, 3, 5, 8])
def test_calls_run_out(strategy, calls):
    solver = Sat(strategy=strategy, calls=calls)
    assert not solver.claims.complete_local
    short = 0
    for problem, expected in answered():
        answer = solver.deduce(problem)
        assert answer.stats.get("calls", 0) <= calls
        assert sound(answer, expected), problem
        if answer.status is Status.COMPLETE:
            assert answer == expected
        short += answer.status is Status.PARTIAL and expected.status is Status.COMPLETE
        assert solver.deduce(problem) == answer
    assert short or calls > 2


@pytest.mark.parametrize("strategy", SEARCHING)
def test_enough_calls(strategy):
    for problem, expected in answered():
        assert Sat(strategy=strategy, calls=10_000).deduce(problem) == expected


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"strategy": "iterative"}, "unknown strategy 'iterative'; known are iterate, core"),
        ({"count": "none"}, "unknown count 'none'; known are collapsed, naive"),
        ({"boxes": 1}, "boxes is true or false, not 1"),
        ({"chunk": -1}, "chunk is at least 0, not -1"),
        ({"chunk": 1.5}, "chunk is an integer"),
        ({"calls": -1}, "calls is at least 0, not -1"),
    ],
)
def test_bad_parameter(parameters, message):
    with pytest.raises(ValueError, match=message):
        Sat(**parameters)


def test_conflicts_are_told():
    """A position that cannot be answered without any."""
    parity = [({i, (i + 1) % 9}, 1) for i in range(9)]  # a ring of nine: no model
    answer = Sat(boxes=False).deduce(Problem.from_sets(parity, n=9))
    assert answer.status is Status.INCONSISTENT
    assert answer.stats["conflicts"] > 0


class Table:
    """An oracle over listed models, with cores that are as large as can be or as small."""

    def __init__(self, models, small):
        self.models = models
        self.small = small
        self.asked = []

    def differ(self, literals):
        return next((m for m in self.models if any(m[abs(x) - 1] != x for x in literals)), False)

    def all_differ(self, literals):
        self.asked = literals
        return next((m for m in self.models if all(m[abs(x) - 1] != x for x in literals)), False)

    def core(self):
        alone = [x for x in self.asked if all(m[abs(x) - 1] == x for m in self.models)]
        return alone[:1] if self.small and alone else self.asked

    def learn(self, literals):
        assert all(set(literals) <= set(model) for model in self.models)


@pytest.mark.parametrize("small", [True, False])
def test_backbone_by_cores(small):
    rng = random.Random(small)
    for _ in range(300):
        n = rng.randint(1, 6)
        models = [[x if rng.random() < 0.8 else -x for x in range(1, n + 1)] for _ in range(rng.randint(1, 4))]
        result = backbone_by_cores(Table(models, small), list(models[0]))
        assert set(result.proved) == set(models[0]).intersection(*models)
        assert result.undecided == []
