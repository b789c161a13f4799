"""LolAI: the worked examples of its source, its clauses against the whole fixpoint, its guesses and its game."""

from __future__ import annotations

import numpy as np
import pytest
import reference_rules
from hypothesis import HealthCheck, given, settings
from problems import problems

from board import COVERED, Layout, Position, Problem, Topology
from solvers import Deduction, Status, make_solver
from solvers.lolai import Clause, LolAI, clauses, play_mines, shares, told, wild_cells, without_implied
from solvers.minmax import MinMax

# The two boards that the source draws: ? is covered, X a known mine, _ opened without a number that counts.
FIRST = ["###", "#3_", "*__"]
SECOND = ["__#", "_1#", "_2#", "__#"]


def written(position):
    return [clause.text(position.shape[1]) for clause in clauses(position.problem())]


def nothing(position):
    n = position.codes.size
    return Deduction(np.zeros(n, bool), np.zeros(n, bool), Status.PARTIAL)


def best(goal, position, answer=None, draws=80):
    rng, answer = np.random.default_rng(0), nothing(position) if answer is None else answer
    return sorted({LolAI(goal).choose(position, answer, rng) for _ in range(draws)})


# --- the source, section 1: what one cell tells


def test_a_known_mines_and_cells_without_number_tell_nothing():
    assert written(Position.parse(["*_", "_#"])) == []
    assert written(Position.parse(["__#", "___"])) == []


def test_b_wild_cells_have_no_known_neighbour():
    assert np.flatnonzero(wild_cells(Position.parse(FIRST))).tolist() == []
    assert np.flatnonzero(wild_cells(Position.parse(SECOND))).tolist() == []
    assert np.flatnonzero(wild_cells(Position.parse(["1###", "####", "###*"]))).tolist() == [2, 3, 8, 9]
    assert wild_cells(Position.parse(["##", "##"])).all()


def test_c1_and_c2_the_clause_of_a_cell():
    """A known mine beside a 3 and four covered cells: at least two and at most two among these are mines."""
    assert written(Position.parse(FIRST)) == ["{ 2 <= [ (0,0) (0,1) (1,0) (2,0) ] <= 2 }"]


def test_c1_a_mine_that_is_proved_counts_as_known():
    # As FIRST, but X is covered, and the clue 1 in the corner below it proves the mine.
    assert written(Position.parse(["###", "#3_", "#__", "1__"])) == [
        "{ 2 <= [ (0,0) (0,1) (1,0) (2,0) ] <= 2 }",
        "{ 1 <= [ (0,2) ] <= 1 }",
    ]


# --- section 2: deduction


def test_the_clauses_c1_and_c2():
    one = ["__#", "_1#", "__#", "__#"]
    two = ["__#", "__#", "_2#", "__#"]
    assert written(Position.parse(one)) == ["{ 1 <= [ (2,0) (2,1) (2,2) ] <= 1 }"]
    assert written(Position.parse(two)) == ["{ 2 <= [ (2,1) (2,2) (2,3) ] <= 2 }"]


def test_the_clauses_n1_n2_n3():
    n2, n1, n3 = clauses(Position.parse(SECOND).problem())
    assert n1.text(3) == "{ 1 <= [ (2,1) (2,2) ] <= 1 }"
    assert n2.text(3) == "{ 0 <= [ (2,0) ] <= 0 }"
    assert n3.text(3) == "{ 1 <= [ (2,3) ] <= 1 }"
    assert (n1.minimum, n1.maximum, n2.minimum, n2.maximum, n3.minimum, n3.maximum) == (1, 1, 0, 0, 1, 1)
    c1, c2 = {2, 5, 8}, {5, 8, 11}
    assert [set(n.cells) for n in (n1, n2, n3)] == [c1 & c2, c1 - c2, c2 - c1]


# --- section 3: the choice


def test_what_is_settled_is_fed_first():
    position = Position.parse(SECOND)
    answer = make_solver("minmax").deduce(position.problem())
    assert np.flatnonzero(answer.mines).tolist() == [11]  # N3
    assert np.flatnonzero(answer.safe).tolist() == [2]  # N2
    assert best("mines", position, answer) == [11]
    assert best("safe", position, answer) == [2]


def test_then_n1_which_has_a_hit_rate_of_a_half():
    """N3 has been found and stays shown: of what is left, N1 hits with 50 %, N2 never."""
    position = Position.parse(["__#", "_1#", "_2#", "__*"])
    worst, expected = shares(position.problem(), seek=True)
    assert worst[[2, 5, 8]].tolist() == expected[[2, 5, 8]].tolist() == [0, 0.5, 0.5]
    assert best("mines", position) == [5, 8]


def test_c1_and_c2_are_no_longer_among_the_clauses():
    assert [clause.cells for clause in clauses(Position.parse(SECOND).problem())] == [(2,), (5, 8), (11,)]


# --- clauses


def whole_fixpoint(problem):
    """All clauses of the rule with intersections and differences, none left out but trivial ones."""
    found = {}
    agenda = [c.scope for c in problem.constraints if reference_rules._merge(found, c.scope, c.total, c.total)]
    while agenda:
        first = agenda.pop()
        new = [*reference_rules._settled(first, *found[first])]
        for second in list(found):
            if first != second and first & second:
                new += reference_rules._pair(first, second, found)
        agenda += [scope for scope, least, most in new if reference_rules._merge(found, scope, least, most)]
    return found


@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(problems())
def test_clauses_have_the_bounds_of_the_whole_fixpoint(problem):
    try:
        whole = whole_fixpoint(problem)
    except reference_rules.Contradiction:
        with pytest.raises(ValueError, match="has no model"):
            clauses(problem)
        return
    found = clauses(problem)
    assert [c.cells for c in found] == sorted({c.cells for c in found})
    for clause in found:
        assert whole[frozenset(clause.cells)] == (clause.minimum, clause.maximum)
        assert (clause.minimum, clause.maximum) != (0, len(clause.cells))
    settled = {
        clause.cells[0]: clause.minimum
        for clause in found
        if clause.minimum == clause.maximum and len(clause.cells) == 1
    }
    for scope, (least, most) in whole.items():  # nothing is lost: each bound is that of one clause, carried over
        known = sum(settled[c] for c in scope & settled.keys())
        rest = scope - settled.keys()
        sets = [(set(c.cells), c) for c in found if rest & set(c.cells)]
        high = min([len(rest), *(c.maximum + len(rest - s) for s, c in sets)])
        safes = min([len(rest), *(len(s) - c.minimum + len(rest - s) for s, c in sets)])
        assert known + high <= most
        assert known + len(rest) - safes >= least


@settings(max_examples=100)
@given(problems())
def test_settled_cells_are_what_minmax_deduces(problem):
    deduction = MinMax().deduce(problem)
    if deduction.status is not Status.INCONSISTENT:
        single = [c for c in clauses(problem) if len(c.cells) == 1]
        assert [c.cells[0] for c in single if c.maximum == 0] == np.flatnonzero(deduction.safe).tolist()
        assert [c.cells[0] for c in single if c.minimum == 1] == np.flatnonzero(deduction.mines).tolist()


def test_an_implied_clause_is_hidden_but_used():
    """The four clauses of which {a,b,c,d}=2 is implied by {a,b}=1 and the clause that it makes with it."""
    problem = Problem.from_sets([({0, 1}, 1), ({0, 1, 2, 3}, 2), ({1, 2, 4}, 2), ({0, 3, 5}, 2)], n=6)
    found = clauses(problem)
    assert [c.cells for c in found if c.minimum == c.maximum == len(c.cells) == 1] == [(4,), (5,)]
    both = [Clause(1, (0, 1), 1), Clause(1, (2, 3), 1), Clause(2, (0, 1, 2, 3), 2)]
    assert without_implied(both) == both[:2]


def test_which_clauses_are_implied():
    pair, other = Clause(1, (0, 1), 1), Clause(0, (2, 3), 1)
    assert without_implied([pair, other, Clause(1, (0, 1, 2, 3), 2)]) == [pair, other]
    tighter = [Clause(2, (0, 1, 2, 3), 2), Clause(1, (0, 1, 2, 3), 1)]
    for clause in tighter:
        assert without_implied([clause, pair, other]) == [clause, pair, other]
    overlapping = [Clause(1, (0, 1), 1), Clause(1, (1, 2), 1), Clause(1, (0, 1, 2), 2)]
    assert without_implied(overlapping) == overlapping
    free = Clause(1, (0, 1, 2, 3, 4), 3)  # one cell in neither
    assert without_implied([pair, other, free]) == [pair, other]
    bound = Clause(1, (0, 1, 2, 3, 4), 2)
    assert without_implied([pair, other, bound]) == [pair, other, bound]
    assert without_implied([]) == []


@settings(max_examples=100)
@given(problems())
def test_hidden_clauses_do_follow_from_the_others(problem):
    try:
        found = clauses(problem)
    except ValueError:
        return
    shown = without_implied(found)
    if len(problem.covered) > 12:
        return
    used = sorted({cell for clause in found for cell in clause.cells})
    models = (np.arange(2 ** len(used))[:, None] >> np.arange(len(used))) & 1

    def fitting(these):
        fits = np.ones(len(models), bool)
        for clause in these:
            mines = models[:, [used.index(cell) for cell in clause.cells]].sum(axis=1)
            fits &= (clause.minimum <= mines) & (mines <= clause.maximum)
        return fits

    assert np.array_equal(fitting(shown), fitting(found))


def test_notation():
    assert Clause(0, (7,), 1).text(columns=5) == "{ 0 <= [ (2,1) ] <= 1 }"
    assert Clause(2, (0, 1, 2, 3), 2).text(columns=3) == "{ 2 <= [ (0,0) (0,1) (1,0) (2,0) ] <= 2 }"


# --- guesses


def test_the_smallest_worst_case_against_the_density():
    few = Position.parse(["#1##", "####", "####"], mines=2)  # the clue: 1/5; two mines for eleven cells: 0.18
    assert best("safe", few) == [3, 7, 8, 9, 10, 11]
    assert best("mines", few) == [0, 2, 4, 5, 6]
    many = Position.parse(["#1##", "####", "####"], mines=5)
    assert best("safe", many) == [0, 2, 4, 5, 6]
    assert best("mines", many) == [3, 7, 8, 9, 10, 11]


def test_a_density_is_what_is_left():
    """Proved mines are taken off both counts; a hit mine was already."""
    position = Position.parse(["1#__*", "_____", "#####"], mines=4)
    worst, _ = shares(position.problem())
    assert worst[1] == 1
    assert worst[10:].tolist() == [0.4] * 5  # 4 - 1 hit - 1 proved for five cells


def test_without_a_mine_count_a_wild_cell_is_even():
    worst, expected = shares(Position.parse(["1####", "#####"]).problem())
    assert worst[[1, 9]].tolist() == pytest.approx([1 / 3, 0.5])
    assert np.isnan(worst[0])
    assert np.isnan(expected[0])


def test_an_impossible_density_is_a_share_all_the_same():
    worst, _ = shares(Position.parse(["1#_#"], mines=7).problem())
    assert worst[3] == 1


def test_equal_worst_cases_are_told_apart_by_the_mean():
    """{0, 1, 2} = 1 and {2, 3} = 1: all three promise 1/3, but cell 2 is also in a clause of 1/2."""
    problem = Problem.from_sets([({0, 1, 2}, 1), ({2, 3}, 1)], n=4)
    worst, expected = shares(problem)
    assert worst.tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3, 1 / 2])
    assert expected[2] > expected[0]
    most, _ = shares(problem, seek=True)
    assert most.tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 2, 1 / 2])
    # The same on a board: the last two cells of a row see the others as the clues do.
    topology = Topology((1, 6), np.array([0, 0, 0, 0, 0, 3, 5]), np.array([0, 1, 2, 2, 3]), "two clues")
    position = Position([[COVERED] * 4 + [1, 1]], topology=topology)
    assert best("safe", position) == [0, 1]
    assert best("mines", position) == [3]


def test_a_bound_holds_however_the_mines_lie():
    """The mean over a clause's cells of the mine probabilities is between min/size and max/size, in any model."""
    rng = np.random.default_rng(4)
    for _ in range(40):
        layout = Layout.random(6, 6, 9, rng)
        position = layout.position(~layout.mines & (rng.random((6, 6)) < 0.4))
        for clause in clauses(position.problem()):
            mines = int(layout.mines.reshape(-1)[list(clause.cells)].sum())
            assert clause.minimum <= mines <= clause.maximum


def test_what_a_stronger_solver_proves_is_used():
    """The mine count settles the row below; `minmax` does not know it."""
    position = Position.parse(["#1#", "___", "###"], mines=1)
    answer = make_solver("counting").deduce(position.problem())
    assert np.flatnonzero(answer.safe).tolist() == [6, 7, 8]
    assert best("safe", position, answer) == [6, 7, 8]
    assert best("mines", position, answer) == [0, 2]
    assert [str(c) for c in told(position.problem(), answer).constraints][1:] == ["{6} = 0", "{7} = 0", "{8} = 0"]


def test_an_answer_that_cannot_be():
    position = Position.parse(["#1#"])
    wrong = Deduction(np.array([True, False, True]), np.zeros(3, bool), Status.PARTIAL)
    with pytest.raises(ValueError, match="has no model"):
        LolAI().choose(position, wrong, np.random.default_rng(0))


def test_a_goal_is_one_of_two():
    with pytest.raises(ValueError, match="safe or mines, not 'win'"):
        LolAI("win")


# --- the game of finding mines


def test_all_mines_are_found_and_no_cell_is_chosen_twice():
    for seed in range(12):
        layout = Layout.random(8, 8, 10, seed)
        hits = list(play_mines(layout, np.random.default_rng(seed)))
        assert sum(hits) == 10
        assert hits[-1]
        assert len(hits) <= 64
        assert hits == list(play_mines(layout, np.random.default_rng(seed)))


def test_nothing_to_find_and_nothing_else():
    rng = np.random.default_rng(0)
    assert list(play_mines(Layout.parse(["..", ".."]), rng)) == []
    assert list(play_mines(Layout.parse(["**", "**"]), rng)) == [True] * 4


def test_what_is_proved_costs_no_miss():
    """Once the inside is open, every mine around it is proved."""
    layout = Layout.parse(["*****", "*...*", "*...*", "*...*", "*****"])
    hits = list(play_mines(layout, np.random.default_rng(2)))
    assert sum(hits) == 16
    assert len(hits) - sum(hits) <= 9


def test_it_misses_less_than_chance():
    """Drawn at random, ten mines among 64 cells take 49 misses on average before the last is found."""
    misses = [
        sum(not hit for hit in play_mines(Layout.random(8, 8, 10, s), np.random.default_rng(s))) for s in range(30)
    ]
    assert np.mean(misses) < 25
