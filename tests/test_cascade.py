"""A cascade answers as its last stage would about the whole problem, and what is handed on has the same models."""

import math
import pickle
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems import problems
from shared_data import corpora, problem_of

from board import Position, Problem
from solvers import Claims, Status, Unsupported, check_solver, make_solver, registry, spec_of
from solvers.cascade import Cascade, simplified
from solvers.trial_problems import trial_problems

COUNTING = make_solver("counting")
EXACT = make_solver("counting:exact=true")
REFERENCE = make_solver("enumeration")


def masks(n, safe=(), mines=()):
    made = np.zeros((2, n), np.bool_)
    made[0, list(safe)] = made[1, list(mines)] = True
    return made[0], made[1]


# --- what is handed on


def test_settled_cells_leave_scopes_totals_and_count():
    position = Position.parse(["##1", "2##", "##_"], mines=4)
    problem = position.problem()  # 1: cells 1, 4, 5; 2: cells 0, 1, 4, 6, 7
    left = simplified(problem, *masks(9, safe=[1, 6], mines=[4]))
    assert left == Problem.from_sets([({5}, 0), ({0, 7}, 1)], 9, 3, covered=[0, 5, 7])
    assert left.position is None
    assert problem == position.problem()


def test_a_clue_without_cells_stays_only_if_it_is_violated():
    problem = Problem.from_sets([({0, 1}, 1), ({1}, 1), ({0, 2}, 2)], 4)
    assert list(simplified(problem, *masks(4, mines=[1])).constraints) == list(
        Problem.from_sets([({0}, 0), ({0, 2}, 2)], 4).constraints
    )
    left = simplified(problem, *masks(4, safe=[0, 1]))
    assert left == Problem.from_sets([((), 1), ((), 1), ({2}, 2)], 4, covered=[2, 3])


def test_nothing_settled_is_the_same_problem():
    for problem in trial_problems(20):
        if all(clue.scope or clue.total for clue in problem.constraints):
            assert simplified(problem, *masks(problem.n)) == problem


@given(problems(), st.data())
def test_what_is_left_has_the_models_with_these_cells(problem, data):
    """Of any cells, entailed or not: they are the models of the problem with a clue for each of them."""
    covered = np.flatnonzero(problem.covered).tolist()
    known = data.draw(st.dictionaries(st.sampled_from(covered), st.booleans())) if covered else {}
    safe, mines = masks(problem.n, [c for c in known if not known[c]], [c for c in known if known[c]])
    left = simplified(problem, safe, mines)
    if left.mines is None or left.mines >= 0:
        assert Problem(left.covered, left.indptr, left.cells, left.totals, left.mines) == left  # fits together
    assert left.covered.tolist() == (problem.covered & ~safe & ~mines).tolist()
    if problem.mines is not None and problem.mines < 0:
        return
    clues = [*problem.constraints, *(({cell}, int(value)) for cell, value in known.items())]
    whole = REFERENCE.marginals(Problem.from_sets(clues, problem.n, problem.mines, covered))
    rest = REFERENCE.marginals(left)
    assert rest.models == whole.models
    if whole.models:
        assert [rest.fractions[c] for c in np.flatnonzero(left.covered)] == [
            whole.fractions[c] for c in np.flatnonzero(left.covered)
        ]


def test_numbers_of_any_size():
    problem = Problem.from_sets([({0, 1}, -(2**31)), ({0, 1}, 2**31 - 1)], 3, 10**30)
    left = simplified(problem, *masks(3, mines=[0]))
    assert left.mines == 10**30 - 1
    assert left.totals.tolist() == [-(2**31), 2**31 - 2]  # no way round to a possible total


@pytest.mark.parametrize(
    ("safe", "mines", "said"),
    [
        (masks(4)[0], masks(3)[1], "safe and mines have the shape (3,), not (4,) and (3,)"),
        (masks(3)[0], masks(3)[1].reshape(1, 3), "safe and mines have the shape (3,), not (3,) and (1, 3)"),
        (*masks(3, [1], [0]), "cell 1 is not covered"),
        (*masks(3, [0], [1]), "cell 1 is not covered"),
        (*masks(3, [0, 2], [0, 2]), "cell 0 is both safe and a mine"),
    ],
)
def test_masks_that_do_not_fit(safe, mines, said):
    problem = Problem.from_sets([({0, 2}, 1)], 3, covered=[0, 2])
    with pytest.raises(ValueError, match=re.escape(said)):
        simplified(problem, safe, mines)


# --- the answers


CASCADES = ["single", "subset", "minmax", "single+subset", "single+subset+minmax", "subset+sat", "counting"]


@pytest.mark.parametrize("first", CASCADES)
def test_equals_its_last_stage_on_small_problems(first):
    cascade, exact = (
        make_solver(f"cascade:stages={first}+counting"),
        Cascade((*first.split("+"), "counting:exact=true")),
    )
    for problem in trial_problems(120, seed=5):
        assert cascade.deduce(problem) == COUNTING.deduce(problem)
        assert exact.marginals(problem) == EXACT.marginals(problem)
        check_floats(cascade.marginals(problem), COUNTING.marginals(problem))


def check_floats(given, right):
    assert given.status is right.status
    assert given.models == right.models
    assert given.log_models == pytest.approx(right.log_models, rel=1e-12, abs=1e-12)
    np.testing.assert_allclose(given.probability, right.probability, rtol=0, atol=1e-12)
    assert given.deduction() == right.deduction()


@pytest.mark.parametrize("local", [False, True], ids=["global", "local"])
def test_equals_its_last_stage_on_boards(local):
    cascade, exact = Cascade(), Cascade(("single", "subset", "counting:exact=true"))
    for i, entry in enumerate(list(corpora().values())[::9]):
        problem = problem_of(entry).local() if local else problem_of(entry)
        assert cascade.deduce(problem) == COUNTING.deduce(problem)
        check_floats(cascade.marginals(problem), COUNTING.marginals(problem))
        if i % 10 == 0:
            assert exact.marginals(problem) == EXACT.marginals(problem)


@pytest.mark.parametrize(
    "stages",
    ["single+subset", "minmax", "subset+sat", "sat+subset", "minmax+enumeration", "single+counting:exact=true"],
)
def test_cascades_conform(stages):
    report = check_solver(make_solver(f"cascade:stages={stages}"), problems=100)
    assert report.unsupported == 0


def test_rules_alone_find_what_the_last_one_finds():
    """The closure of pairs does not depend on where it starts; a rule proves no completeness."""
    cascade, subset = make_solver("cascade:stages=single+subset"), make_solver("subset")
    assert cascade.claims == Claims()
    entries = list(corpora().values())[::20]
    for problem in [*trial_problems(100, seed=6), *map(problem_of, entries)]:
        answer = cascade.deduce(problem)
        assert answer == subset.deduce(problem)
        assert answer.status is not Status.COMPLETE


@pytest.mark.parametrize(
    ("clues", "n", "mines", "asked"),
    [
        ([({0, 1}, 2), ({0}, 0)], 2, None, ["single"]),
        ([({0, 1}, 1), ({0, 1, 2}, 2), ({0, 1, 3}, 0), ({2, 3}, 0)], 4, None, ["single"]),
        ([({0, 1}, 1), ({0, 1, 2, 3}, 1), ({2, 3, 4, 5}, 3), ({4, 5, 6}, 1)], 7, None, ["single", "subset"]),
        ([({0, 1}, 2)], 3, 1, ["single", "subset", "counting"]),  # fewer than no mines are left
        ([({0}, 1), ({1}, 0)], 2, 2, ["single", "subset", "counting"]),  # a mine, and no cell
        ([({0}, 1)], 2, 10**30, ["single", "subset", "counting"]),
        ([({0, 1}, 1), ({1, 2}, 1), ({0, 2}, 1)], 3, None, ["single", "subset", "counting"]),
    ],
)
def test_no_model(clues, n, mines, asked):
    problem = Problem.from_sets(clues, n, mines)
    answer = Cascade().deduce(problem)
    assert answer == COUNTING.deduce(problem)
    assert answer.status is Status.INCONSISTENT
    assert [stage for stage in Cascade().stages if stage in answer.stats] == asked
    assert Cascade().marginals(problem) == COUNTING.marginals(problem)


def test_every_cell_settled_by_a_rule():
    problem = Problem.from_sets([({0}, 1), ({1, 2}, 0)], 3, 1)
    assert str(Cascade().deduce(problem)) == "<Deduction complete: safe [1, 2], mines [0]>"
    marginals = Cascade(("single", "counting:exact=true")).marginals(problem)
    assert (marginals.models, marginals.log_models, marginals.status) == (1, 0.0, Status.COMPLETE)
    assert marginals.fractions == (Fraction(1), Fraction(0), Fraction(0))


def test_a_stage_that_proves_completeness_is_the_last_one_asked():
    problem = Position.parse(["##1#1#", "##11##", "######"], mines=5).problem()
    cascade = make_solver("cascade:stages=counting+subset")
    answer = cascade.deduce(problem)
    assert answer.status is Status.COMPLETE
    assert "counting" in answer.stats
    assert "subset" not in answer.stats
    assert cascade.claims == Claims(complete_local=True, complete_global=True)
    counted = make_solver("cascade:stages=sat+counting").marginals(problem)  # which does not end a count
    check_floats(counted, COUNTING.marginals(problem))


def test_over_the_budget_the_rules_cells_remain():
    problem = Position.parse(["#1#1#1#", "#######", "#2#1#1#", "_______", "#10#___"], mines=5).problem()
    limited, single = make_solver("cascade:stages=single+counting:max_bytes=200"), make_solver("single").deduce(problem)
    assert (single.safe.sum(), single.mines.sum()) == (1, 1)
    marginals = limited.marginals(problem)
    assert marginals.status is Status.PARTIAL
    assert marginals.deduction() == single
    assert np.isnan(marginals.probability[~single.safe & ~single.mines]).all()
    assert math.isnan(marginals.log_models)
    assert limited.deduce(problem).status is Status.PARTIAL


def test_stats_say_which_stage_settled_how_many():
    problem = Problem.from_sets([({0}, 1), ({0, 1, 2}, 2), ({1, 2, 3}, 2), ({5, 6}, 1)], n=7, mines=4)
    stats = make_solver("cascade:stages=single+subset+single+counting:exact=false").deduce(problem).stats
    assert dict(list(stats.items())[:3]) == {"single": 1, "subset": 1, "counting": 1}
    assert stats["counting.boxes"] == 2
    assert "single" not in Cascade(("counting",)).marginals(problem).stats


# --- the stages


def test_the_default():
    cascade = make_solver("cascade")
    assert cascade == Cascade(("single", "subset", "counting"))
    assert cascade.claims == Claims(complete_local=True, complete_global=True, marginals=True)
    assert spec_of(cascade) == "cascade"


def test_stages_are_kept_as_specs_are_written():
    cascade = make_solver("cascade:stages=single +counting:exact=false")
    assert cascade == Cascade(("single", "counting"))
    assert spec_of(cascade) == "cascade:stages=single+counting"
    exact = Cascade(("minmax:max_clauses=7", "counting:exact=true"))
    assert spec_of(exact) == "cascade:stages=minmax:max_clauses=7+counting:exact=true"
    assert make_solver(spec_of(exact)) == exact == pickle.loads(pickle.dumps(exact))
    assert exact.claims.exact


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("cascade:stages=", "stages is a tuple of solvers' specs, at least one, not ()"),
        ("cascade:stages=single+", "the stage '' of a cascade: unknown solver ''"),
        (
            "cascade:stages=single+subst",
            "the stage 'subst' of a cascade: unknown solver 'subst'; did you mean 'subset'",
        ),
        ("cascade:stages=single+cascade", "the stage 'cascade' of a cascade is a cascade itself"),
        ("cascade:stages=cascade:stages=single", "the stage 'cascade:stages=single' of a cascade is a cascade itself"),
        ("cascade:stages=counting:exact=maybe", "the stage 'counting:exact=maybe' of a cascade: parameter 'exact'"),
        (
            "cascade:stages=subset:max_sentences=-1",
            "the stage 'subset:max_sentences=-1' of a cascade: max_sentences is",
        ),
    ],
)
def test_stages_that_cannot_be(spec, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        make_solver(spec)


@pytest.mark.parametrize("stages", ["single", ["single"], (3,), None])
def test_stages_are_a_tuple_of_specs(stages):
    with pytest.raises(ValueError, match=re.escape(repr(stages))):
        Cascade(stages)


@pytest.mark.parametrize("stage", ["single+subset", "sat:encoding=totalizer,oracle=glucose4"])
def test_a_stage_that_no_spec_could_name(stage):
    with pytest.raises(ValueError, match=re.escape(repr(stage))):
        Cascade((stage,))


def test_a_missing_library_is_named(monkeypatch):
    monkeypatch.setitem(registry._BUILT_IN, "absent", "no_such_library:X")
    with pytest.raises(Unsupported, match="'no_such_library', which is not installed"):
        make_solver("cascade:stages=single+absent")


def test_a_last_stage_without_marginals():
    problem = Position.parse("#1#", mines=1).problem()
    with pytest.raises(Unsupported, match="marginals of its last stage, and 'subset' has none"):
        make_solver("cascade:stages=counting+subset").marginals(problem)


def test_a_stage_that_reads_boards_gets_no_other_board():
    pytest.importorskip("ms_toollib")
    cascade, peer = make_solver("cascade:stages=single+mstoollib"), make_solver("mstoollib")
    nothing_settled = Position.parse("#1#", mines=1).problem()
    assert cascade.deduce(nothing_settled) == peer.deduce(nothing_settled)
    with pytest.raises(Unsupported, match="takes boards"):
        cascade.deduce(Position.parse("#1##1", mines=2).problem())
