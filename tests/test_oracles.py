"""What each SAT oracle can do, measured against brute force: the table in solvers/oracles.py is what comes out here."""

import pickle
import random
import subprocess
import sys
from functools import cache
from itertools import combinations, product

import pysat.solvers
import pytest

from board import Problem
from solvers import Unsupported
from solvers.oracles import ORACLES, REFUSED, find_oracle
from solvers.sat import Sat

NAMES = [name for name in vars(pysat.solvers.SolverNames) if not name.startswith("_")]
NATIVE = [name for name, oracle in ORACLES.items() if oracle.native]
ACTIVATED = [name for name, oracle in ORACLES.items() if oracle.activate]
N = 7  # variables of a random formula


def built(name):
    """The oracle; skips where this build of PySAT has none."""
    try:
        return find_oracle(name)
    except Unsupported as missing:
        if "not in this build" in str(missing):
            pytest.skip(str(missing))
        raise


def alone(name, lines):
    """(return code, output, errors) of lines of Python about a fresh oracle, in a process of its own."""
    start = ["import pysat.solvers", f"oracle = pysat.solvers.{name}()"]
    command = [sys.executable, "-c", "\n".join(start + lines)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout.strip(), done.stderr


@cache
def formulas():
    """(clauses, at-most constraints, sets of assumptions) over N variables, at random, satisfiable or not."""
    rng = random.Random(3)

    def literals(least, most):
        return tuple(x if rng.random() < 0.5 else -x for x in rng.sample(range(1, N + 1), rng.randint(least, most)))

    made = []
    for _ in range(40):
        # the first knows all variables: lingeling aborts when it is asked about others, see below
        clauses = (literals(N, N), *[literals(2, 3) for _ in range(rng.randint(4, 18))])
        scopes = [literals(3, 6) for _ in range(rng.randint(1, 3))]
        at_mosts = tuple((scope, rng.randint(1, len(scope) - 1)) for scope in scopes)
        made.append((clauses, at_mosts, [literals(0, 5) for _ in range(6)]))
    return made


@cache
def models(clauses, at_mosts, assumptions):
    """All models, by brute force, as sets of literals."""
    found = []
    for signs in product((1, -1), repeat=N):
        model = {x * sign for x, sign in enumerate(signs, 1)}
        if (
            model.issuperset(assumptions)
            and all(not model.isdisjoint(clause) for clause in clauses)
            and all(len(model.intersection(scope)) <= bound for scope, bound in at_mosts)
        ):
            found.append(model)
    return found


@cache
def unit_propagation(clauses, at_mosts, assumptions):
    """The literals that unit propagation derives, with the assumptions, or None for a conflict."""
    rules = [[-x for x in chosen] for scope, bound in at_mosts for chosen in combinations(scope, bound + 1)]
    rules += clauses
    true = set(assumptions)
    while True:
        left = [[x for x in rule if -x not in true] for rule in rules if true.isdisjoint(rule)]
        if [] in left:
            return None
        units = {rule[0] for rule in left if len(rule) == 1}
        if not units:
            return true
        if any(-x in units for x in units):
            return None
        true |= units


def loaded(oracle, clauses, at_mosts):
    for clause in clauses:
        oracle.add_clause(clause)
    for scope, bound in at_mosts:
        oracle.add_atmost(scope, bound)
    return oracle


def pigeons(oracle, holes, selector, native=False):
    """One pigeon more than holes if the selector is true: many conflicts, and no model."""
    place = [range(1 + pigeon * holes, 1 + (pigeon + 1) * holes) for pigeon in range(holes + 1)]
    for row in place:
        oracle.add_clause([*row, -selector])
    for column in zip(*place, strict=True):
        if native:
            oracle.add_atmost(list(column), 1)
        else:
            for a, b in combinations(column, 2):
                oracle.add_clause([-a, -b])


def conflicts(oracle):
    return oracle.accum_stats()["conflicts"]


# Which there are


def test_every_name_is_used_or_refused():
    assert not ORACLES.keys() & REFUSED
    assert set(NAMES) <= ORACLES.keys() | REFUSED.keys()
    for name in ORACLES.keys() - set(NAMES):  # an older PySAT
        with pytest.raises(Unsupported, match=f"'{name}' is not in this build of PySAT"):
            find_oracle(name)


@pytest.mark.parametrize("name", ORACLES)
def test_aliases(name):
    """Ours and PySAT's mean the same class, which is the one in the table."""
    oracle = built(name)
    for alias in getattr(pysat.solvers.SolverNames, name):
        assert find_oracle(alias) is oracle
        with pysat.solvers.Solver(alias) as opened:
            assert type(opened.solver).__name__ == oracle.kind


def test_two_aliases():
    assert find_oracle("mgh") is ORACLES["minisatgh"]
    with pytest.raises(Unsupported, match="'cms' is refused: it needs the library pycryptosat"):
        find_oracle("cms")


@pytest.mark.parametrize("name", REFUSED)
def test_refused_oracle(name):
    with pytest.raises(Unsupported, match=f"'{name}' is refused: "):
        Sat("totalizer", name)


def test_oracle_that_is_not_built(monkeypatch):
    monkeypatch.delattr(pysat.solvers, "Glucose42")
    with pytest.raises(Unsupported, match="'g42' is not in this build of PySAT"):
        find_oracle.__wrapped__("g42")


def test_kissat_ignores_assumptions():
    """The reason for refusing it; if this fails, it can be let in."""
    if "kissat404" not in NAMES:
        pytest.skip("kissat404 is not in this build of PySAT")
    with pysat.solvers.Kissat404([[1, 2]]) as oracle:
        with pytest.warns(RuntimeWarning, match="does not support assumptions"):
            answer = oracle.solve([-1, -2])
        assert answer
        with pytest.raises(NotImplementedError):
            oracle.get_core()


def test_cryptosat_needs_a_library():
    if pysat.solvers.cms_present:
        pytest.skip("pycryptosat is installed")
    code, _, error = alone("CryptoMinisat", [])
    assert code == 1
    assert "AssertionError: Package 'pycryptosat' is unavailable" in error


# What all can do, else they are refused


@pytest.mark.parametrize("name", ORACLES)
def test_answers_with_assumptions_and_more_clauses_between_questions(name):
    kind = built(name)
    for clauses, at_mosts, questions in formulas():
        oracle, known, bounds = kind.open(N if kind.native else 0), (), ()
        for half in range(2):
            more, more_bounds = clauses[half::2], at_mosts[half::2] if kind.native else ()
            loaded(oracle, more, more_bounds)
            known, bounds = known + more, bounds + more_bounds
            for assumptions in [*questions, ()]:
                expected = models(known, bounds, assumptions)
                assert oracle.solve(assumptions) is bool(expected)
                if expected:
                    assert {x for x in oracle.get_model() if abs(x) <= N} in expected
        oracle.delete()


@pytest.mark.parametrize("name", ORACLES)
def test_cores(name):
    """Some of the assumptions, which contradict the formula by themselves; None where none is to blame."""
    kind = built(name)
    cores = 0
    for clauses, at_mosts, questions in formulas():
        bounds = at_mosts if kind.native else ()
        oracle = loaded(kind.open(N if kind.native else 0), clauses, bounds)
        for assumptions in map(list, questions):  # CaDiCaL and Lingeling give cores of lists only
            if not oracle.solve(assumptions):
                core = oracle.get_core()
                assert set(core or []) <= set(assumptions)
                assert not models(clauses, bounds, tuple(core or ()))
                assert core != []
                cores += core is not None and len(core) < len(assumptions)
        oracle.delete()
    assert cores > 10  # many are smaller than what was asked: no oracle just repeats the question


@pytest.mark.parametrize("name", ORACLES)
def test_cores_leave_out_what_does_not_matter(name):
    oracle = loaded(built(name).open(), [[-1, 2], [-2, 3], [-4, -3], [-5, 6]], [])
    assert not oracle.solve([5, 1, 4, 7])
    assert set(oracle.get_core()) == {1, 4}
    assert oracle.solve([5, 1, 7])
    assert oracle.get_core() is None
    oracle.delete()


@pytest.mark.parametrize("name", ORACLES)
def test_counts_conflicts(name):
    oracle = built(name).open()
    pigeons(oracle, 6, 100)
    assert conflicts(oracle) == 0
    assert oracle.solve([-100])
    easy = conflicts(oracle)
    assert not oracle.solve([100])
    hard = conflicts(oracle)
    assert easy < 100 < hard
    assert oracle.solve([-100])
    assert hard <= conflicts(oracle) < hard + 100
    oracle.delete()
    assert oracle.accum_stats() is None


@pytest.mark.parametrize("name", ORACLES)
def test_oracles_cannot_be_pickled_and_solvers_keep_none(name):
    oracle = built(name).open()
    with pytest.raises(TypeError):
        pickle.dumps(oracle)
    oracle.delete()
    solver, problem = Sat("seqcounter", name), Problem.from_sets([({0, 1}, 1), ({0, 1, 2}, 1)], n=4, mines=1)
    answer = solver.deduce(problem)
    copy = pickle.loads(pickle.dumps(solver))
    assert copy == solver
    assert copy.deduce(problem) == answer


# What some can do


@pytest.mark.parametrize("name", ORACLES)
def test_budget_of_conflicts(name):
    kind = built(name)
    oracle = kind.open()
    pigeons(oracle, 7, 100)
    if not kind.limited:
        with pytest.raises(NotImplementedError):
            oracle.solve_limited([100])
        oracle.delete()
        return
    late = 1000 if name.startswith(("glucose", "gluecard")) else 5  # they look at it when they restart
    for budget in (1, 10, 100):
        before = conflicts(oracle)
        oracle.conf_budget(budget)
        assert oracle.solve_limited([100]) is None
        assert budget <= conflicts(oracle) - before <= budget + late
    oracle.conf_budget(10)
    assert oracle.solve_limited([-100]) is True
    oracle.conf_budget(1)
    # one budget for two questions: forgotten after the first, or used up
    assert [oracle.solve_limited([100]) for _ in range(2)] == [None, False if name.startswith("cadical") else None]
    oracle.delete()


@pytest.mark.parametrize("name", ORACLES)
def test_propagation(name):
    """Exactly unit propagation on a fresh oracle; no less, and nothing false, once it has learnt."""
    kind = built(name)
    if not kind.propagates:
        with pytest.raises(NotImplementedError), getattr(pysat.solvers, kind.kind)() as oracle:
            oracle.propagate([1])
        return
    conflicting = 0
    for clauses, _, questions in formulas():
        oracle = loaded(kind.open(), clauses, ())
        for assumptions in questions:
            expected = unit_propagation(clauses, (), assumptions)
            consistent, found = oracle.propagate(assumptions)
            assert consistent == (expected is not None)
            conflicting += not consistent
            assert not consistent or set(found) == expected
        oracle.solve()
        assert not missed(oracle, clauses, (), questions)
        oracle.delete()
    assert conflicting > 10


def missed(oracle, clauses, at_mosts, questions):
    """The questions of which it derives less than unit propagation does. What it derives is entailed in any case."""
    without = models(clauses, at_mosts, ())
    without = set.intersection(*without) if without else set()  # what holds without assumptions is not listed
    less = []
    for assumptions in questions:
        consistent, found = oracle.propagate(assumptions)
        entailing = models(clauses, at_mosts, assumptions)
        assert all(model.issuperset(found) for model in entailing) if consistent else not entailing
        expected = unit_propagation(clauses, at_mosts, assumptions)
        if consistent and (expected is None or not expected <= without.union(found)):
            less.append(assumptions)
    return less


@pytest.mark.parametrize("name", [name for name, oracle in ORACLES.items() if oracle.propagates])
def test_propagation_does_not_list_what_holds_without_assumptions(name):
    oracle = loaded(built(name).open(), [[1], [-1, 2], [-3, 4]], [])
    assert oracle.propagate([]) == (True, [])
    assert oracle.propagate([3]) == (True, [3, 4])
    assert not oracle.propagate([-2])[0]
    oracle.delete()


@pytest.mark.parametrize("name", ORACLES)
def test_phases(name):
    """Of many models the preferred one; later preferences count, too, unless an oracle keeps the model that it has."""
    kind = built(name)
    if not kind.phases:
        with pytest.raises(NotImplementedError), getattr(pysat.solvers, kind.kind)() as oracle:
            oracle.set_phases([1])
        return
    wishes = [[1, -2, 3, -4, 5, -6], [-1, 2, -3, 4, -5, 6], [1, 2, -3, -4, -5, 6]]
    formula = [[1, 2, 3, 4, 5, 6], [-1, -2, -3, -4, -5, -6]]
    assert [preferred(loaded(kind.open(), formula, []), [wish]) for wish in wishes] == [[wish] for wish in wishes]
    kept = [wishes[0]] * 3 if name == "cadical195" else wishes
    assert preferred(loaded(kind.open(), formula, []), wishes) == kept


def preferred(oracle, wishes):
    """The model after each wish, of the first six variables."""
    found = []
    for wish in wishes:
        oracle.set_phases(wish)
        assert oracle.solve()
        found.append(oracle.get_model()[:6])
    oracle.delete()
    return found


@pytest.mark.parametrize("name", ORACLES)
def test_assumptions_about_variables_in_no_clause(name):
    """Lingeling aborts at the second one; so nothing is asked about a variable before a clause knows it."""
    kind = built(name)
    code, output, error = alone(kind.kind, ["print([oracle.solve([x]) for x in (4, -7, 4)])"])
    if name == "lingeling":
        assert code < 0
        assert "assuming melted literal" in error
    else:
        assert (code, output) == (0, "[True, True, True]")


# Native constraints. That they are answered rightly, with cores, is above.


@pytest.mark.parametrize("name", [name for name in ORACLES if name not in NATIVE])
def test_no_native_constraints(name):
    kind = built(name)
    with pytest.raises(NotImplementedError), getattr(pysat.solvers, kind.kind)() as oracle:
        oracle.add_atmost([1, 2, 3], 1)
    with pytest.raises(Unsupported, match=f"'{name}' has no native at-most constraints"):
        Sat("native", name)


@pytest.mark.parametrize("name", NATIVE)
def test_native_constraints_count_conflicts(name):
    oracle = built(name).open(42)
    pigeons(oracle, 6, 100, native=True)
    assert not oracle.solve([100])
    assert conflicts(oracle) > 10
    assert oracle.solve([-100])
    oracle.delete()


@pytest.mark.parametrize("name", NATIVE)
def test_native_propagation(name):
    kind = built(name)
    less = []
    for clauses, at_mosts, questions in formulas():
        oracle = loaded(kind.open(N), clauses, at_mosts)
        for _ in range(2):
            less += missed(oracle, clauses, at_mosts, questions)
            oracle.solve()
        oracle.delete()
    assert kind.native_propagates == (not less)


@pytest.mark.parametrize("name", ACTIVATED)
def test_native_constraints_must_be_activated(name):
    code, _, error = alone(built(name).kind, ["oracle.add_atmost([1, 2, 3], 1)"])
    assert code == 1
    assert "NotImplementedError: Native atmost constraints are currently disabled" in error


@pytest.mark.parametrize("name", ACTIVATED)
def test_native_constraints_over_variables_that_were_simplified_away(name):
    """The reason for the trivial constraint that `open` adds: without it cadical300 aborts."""
    kind = built(name)
    questions = [
        "for clause in [1], [-1, 2], [3, 4]: oracle.add_clause(clause)",
        "oracle.solve()",
        "oracle.add_atmost([1, 2, 3, 4], 3)",
        "print(oracle.solve([3, 4]), oracle.solve([3]))",
    ]
    code, output, error = alone(kind.kind, ["oracle.activate_atmost()", *questions])
    if name == "cadical300":
        assert code < 0
        assert "Only clean variables are allowed to be observed" in error
    else:
        assert (code, output) == (0, "False True")
    oracle = loaded(kind.open(4), [[1], [-1, 2], [3, 4]], [])
    assert oracle.solve()
    oracle.add_atmost([1, 2, 3, 4], 3)
    assert [oracle.solve([3, 4]), oracle.solve([3])] == [False, True]
    oracle.delete()


def test_native_constraints_crash_minisatep():
    """The reason why the table says it has none; if this fails, it may."""
    kind = built("minisatep")
    code, output, _ = alone(
        kind.kind,
        [
            "oracle.activate_atmost()",
            "for clause in [3, 6], [4, 9], [17, 21], [-6, -9]: oracle.add_clause(clause)",
            "oracle.add_atmost([1, 2, 3, 4], 1)",
            "oracle.add_atmost([-2, -4, -7, -8, -9], 3)",
            "for scope in [7, 8, 10], [-8, -10, -11], [10, 11, 12], [-11, -12, -13], [12, 13, 14], [-13, -14, -15]:",
            "    oracle.add_atmost(scope, 1)",
            "print(oracle.solve())",
        ],
    )
    assert code < 0
    assert output == ""


# What is missing


@pytest.mark.parametrize(
    ("name", "need", "message"),
    [
        ("lgl", "limited", "'lgl' takes no budget of conflicts"),
        ("lingeling", "propagates", "'lingeling' does no unit propagation on demand"),
        ("cadical103", "propagates", "'cadical103' does no unit propagation on demand"),
        ("cadical103", "phases", "'cadical103' takes no preferred values"),
        ("glucose4", "native", "'glucose4' has no native at-most constraints: choose another encoding"),
        ("glucose4", "native_propagates", "'glucose4' does no unit propagation through native constraints"),
    ],
)
def test_what_an_oracle_lacks_is_refused_where_it_is_needed(name, need, message):
    find_oracle(name)
    with pytest.raises(Unsupported, match=message):
        find_oracle(name, need)
    assert find_oracle("minicard", need, "native") is ORACLES["minicard"]
