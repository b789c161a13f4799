"""Policies: known best cells, ties, what is never chosen, and a plain reimplementation."""

from __future__ import annotations

import pickle
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from problems import BOARDS, board_of

from board import COVERED, HIT, UNNUMBERED, Layout, Position, Topology
from solvers import Deduction, Marginals, Status, make_solver
from solvers.policy import Policy, Progress, chance_of_progress, make_policy, policy_names

NAMES = policy_names()
NEED = ("safest", "smart", "progress", "lookahead", "optimal")
SPECS = [*NAMES, "lolai:goal=mines"]


def answer_of(position):
    return make_solver("counting").marginals(position.problem())


def chosen(spec, position, draws=60, seed=0, answer=None):
    """The cells that a policy chooses, ascending."""
    rng = np.random.default_rng(seed)
    answer = answer_of(position) if answer is None else answer
    return sorted({make_policy(spec).choose(position, answer, rng) for _ in range(draws)})


def drawn_positions(count, seed, topologies=BOARDS):
    """Partly opened boards of all kinds on which some covered cell may be safe, with and without a mine count."""
    rng = np.random.default_rng(seed)
    made = 0
    while made < count:
        rows, columns = rng.integers(2, 6, 2).tolist()
        topology = board_of(topologies[rng.integers(len(topologies))], rows, columns)
        layout = Layout.random(rows, columns, int(rows * columns * rng.uniform(0.1, 0.5)), rng, topology=topology)
        opened = ~layout.mines & (rng.random((rows, columns)) < rng.uniform(0, 0.8))
        opened |= layout.mines & (rng.random((rows, columns)) < 0.05)
        codes = np.where(rng.random((rows, columns)) < 0.05, UNNUMBERED, layout.position(opened).codes)
        codes = np.where(opened, np.where(layout.mines, HIT, codes), COVERED)
        flags = (codes == COVERED) & (rng.random((rows, columns)) < 0.2)
        mines = layout.count if rng.random() < 0.7 else None
        position = Position(codes, mines, flags, topology)
        probability = answer_of(position).probability
        if (probability < 1).any():
            made += 1
            yield position


# --- specs


def test_specs():
    assert NAMES == ["random", "frontier", "safest", "smart", "progress", "lookahead", "optimal", "lolai"]
    for spec in SPECS:
        policy = make_policy(spec)
        assert isinstance(policy, Policy)
        assert policy.needs_marginals == (spec in NEED)
        assert policy == make_policy(f" {spec} ")
        assert pickle.loads(pickle.dumps(policy)) == policy
        assert hash(policy) == hash(make_policy(spec))
    assert make_policy("lolai") == make_policy("lolai:goal=safe") != make_policy("lolai:goal=mines")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("lucky", "unknown policy 'lucky'; known are random, frontier"),
        ("smrt", "unknown policy 'smrt'; did you mean 'smart'"),
        ("random:seed=1", "policy 'random' has no parameter 'seed'; it takes none"),
        ("lolai:goal=win", "parameter 'goal' of policy 'lolai': 'win' is none of safe, mines"),
        ("lookahead:depth=0", "depth is at least 1, not 0"),
        ("lookahead:depth=6", "depth is at most 5, not 6"),
        ("optimal:models=-1", "models is at least 0, not -1"),
        ("optimal:depth=0", "depth is at least 1, not 0"),
        ("lolai:goal", "'goal' in the policy spec 'lolai:goal' is not of the form key=value"),
        ("lolai:goal=safe,goal=safe", "parameter 'goal' stands twice in the policy spec"),
    ],
)
def test_wrong_specs(spec, message):
    with pytest.raises(ValueError, match=message):
        make_policy(spec)


# --- known best cells


def test_random_takes_any_cell_that_is_not_proved_a_mine():
    position = Position.parse(["1#1#1", "#####"], mines=3)
    deduction = Deduction(np.zeros(10, bool), np.arange(10) == 1, Status.PARTIAL)
    assert chosen("random", position, 200, answer=deduction) == [3, 5, 6, 7, 8, 9]


def test_frontier_takes_a_cell_beside_a_clue():
    position = Position.parse(["1###_", "####*", "#####"], mines=3)
    nothing = Deduction(np.zeros(15, bool), np.zeros(15, bool), Status.PARTIAL)
    assert chosen("frontier", position, answer=nothing) == [1, 5, 6]
    mines = np.isin(np.arange(15), [1, 5, 6])
    beyond = Deduction(np.zeros(15, bool), mines, Status.PARTIAL)
    assert chosen("frontier", position, 300, answer=beyond) == [2, 3, 7, 8, 10, 11, 12, 13, 14]


def test_frontier_without_a_clue_takes_any():
    assert chosen("frontier", Position.parse(["##", "_#"], mines=1)) == [0, 1, 3]


def test_safest_takes_the_least_probable_mine():
    # Each of cells 1, 4, 5 holds the mine of the clue in a third of the models; the others share one among four.
    position = Position.parse(["1###", "####"], mines=2)
    assert answer_of(position).probability[[1, 2]].round(4).tolist() == [0.3333, 0.25]
    assert chosen("safest", position, 200) == [2, 3, 6, 7]


def test_smart_takes_the_fewest_covered_neighbours():
    position = Position.parse(["1###", "####"], mines=2)  # the ends have three, cells 2 and 6 five
    assert chosen("smart", position, 200) == [3, 7]
    empty = Position.parse(["####", "####", "####"], mines=2)
    assert chosen("smart", empty, 200) == [0, 3, 8, 11]


def test_progress_takes_the_cell_that_tells_most():
    # One of cells 1 and 3 is the mine. Opening 1 shows 0 or 1, and 0 is settled; opening 3 tells nothing about 0.
    position = Position.parse(["##1#"])
    assert chance_of_progress(position, np.array([0, 1, 3])).tolist() == [0.5, 0.5, 0.0]
    assert chosen("safest", position) == [0, 1, 3]
    assert chosen("progress", position) == [0, 1]


def test_progress_looks_at_the_safest_only():
    position = Position.parse(["##1##2#"], mines=4)
    probability = answer_of(position).probability
    best = np.flatnonzero(probability <= np.nanmin(probability) + 1e-9)
    assert set(chosen("progress", position)) <= set(best.tolist())


def test_a_won_game_is_progress():
    # Whichever of the clue's two cells is safe, once it is open only the mine is covered; cell 3 is safe before.
    assert chance_of_progress(Position.parse(["#1#"], mines=1), np.array([0, 2])).tolist() == [0.5, 0.5]
    assert chance_of_progress(Position.parse(["#1##"], mines=1), np.array([0, 2])).tolist() == [0.5, 0.5]


def test_a_hit_mine_counts_in_the_clue_that_is_shown():
    position = Position.parse(["##*"], mines=2)  # one of the two: cell 1 shows a 2 if it is cell 0
    assert chance_of_progress(position, np.array([1])).tolist() == [0.5]


def test_cells_beside_different_clues_are_told_apart():
    """Cells 0 and 5 are in no clue; 0 tells whether 1 or 3 is the mine, but what 5 tells, that 6 is one, is known."""
    assert chance_of_progress(Position.parse(["##1#_##2*"]), np.array([0, 5])).tolist() == [0.5, 0.0]


def test_no_model_is_no_progress():
    assert chance_of_progress(Position.parse(["#0#"], mines=1), np.array([0, 2])).tolist() == [0, 0]


def plain_chance(position, cell):
    """By listing all models: the share of those in which the cell is safe and its clue leaves another safe one."""
    problem = position.problem()
    covered = np.flatnonzero(problem.covered).tolist()
    sizes = range(len(covered) + 1) if problem.mines is None else [problem.mines]
    everywhere = [set(mines) for size in sizes for mines in combinations(covered, size)]
    constraints = list(problem.constraints)
    models = [mines for mines in everywhere if all(len(c.scope & mines) == c.total for c in constraints)]
    near = set(position.topology.of(cell).tolist())
    good = 0
    for seen in models:
        if cell not in seen:
            same = [m for m in models if cell not in m and len(m & near) == len(seen & near)]
            rest = set(covered) - {cell}
            good += bool(rest - set.union(*same)) or rest == set.intersection(*same)
    return good / len(models)


def test_chances_are_those_of_all_models():
    rng = np.random.default_rng(5)
    checked = 0
    for position in drawn_positions(120, 5):
        cells = np.flatnonzero(position.problem().covered)
        if cells.size <= 9:
            checked += 1
            some = rng.permutation(cells)[:4]
            found = chance_of_progress(position, some)
            assert found == pytest.approx([plain_chance(position, cell) for cell in some.tolist()], abs=1e-12)
    assert checked > 30


def test_progress_on_a_large_covered_board_counts_few_kinds():
    position = Layout.random(40, 40, 200, 1).position()
    cells = np.arange(1600)
    chance = chance_of_progress(position, cells).reshape(40, 40)
    assert len(set(chance.reshape(-1).tolist())) == 3  # a corner, an edge, the inside
    assert Progress().choose(position, answer_of(position), np.random.default_rng(0)) in (0, 39, 1560, 1599)


# --- against a plain reimplementation


def plain_choices(position, probability):
    """(what `safest` may choose, what `smart` may choose), cell by cell."""
    least = min(p for p in probability.tolist() if p == p)
    codes = position.codes.reshape(-1).tolist()
    safest = [c for c, p in enumerate(probability.tolist()) if p == p and p <= least + 1e-9]
    around = {c: sum(codes[other] == COVERED for other in position.topology.of(c).tolist()) for c in safest}
    return safest, [c for c in safest if around[c] == min(around.values())]


def test_safest_and_smart_are_the_plain_ones():
    for position in drawn_positions(60, 1):
        answer = answer_of(position)
        safest, smart = plain_choices(position, answer.probability)
        assert chosen("safest", position, 12 * len(safest), answer=answer) == safest
        assert chosen("smart", position, 12 * len(smart), answer=answer) == smart


# --- ties


@pytest.mark.parametrize(
    ("spec", "rows", "mines", "cells"),
    [
        ("random", ["1###", "####"], 2, [1, 2, 3, 4, 5, 6, 7]),
        ("frontier", ["1###", "####"], 2, [1, 4, 5]),
        ("safest", ["1###", "####"], 2, [2, 3, 6, 7]),
        ("smart", ["####", "####", "####"], 2, [0, 3, 8, 11]),
        ("progress", ["##1#"], None, [0, 1]),
        ("lolai", ["#1##", "####"], 2, [0, 2, 4, 5, 6]),
        ("lolai:goal=mines", ["#1##", "####"], 2, [3, 7]),
    ],
)
def test_ties_are_broken_uniformly(spec, rows, mines, cells):
    position = Position.parse(rows, mines)
    answer, policy, rng = answer_of(position), make_policy(spec), np.random.default_rng(3)
    draws = 500 if spec == "progress" else 2000  # it counts anew each time
    seen = Counter(policy.choose(position, answer, rng) for _ in range(draws))
    assert sorted(seen) == cells
    expected = draws / len(cells)
    squares = sum((count - expected) ** 2 / expected for count in seen.values())
    bound = {1: 10.8, 2: 13.8, 3: 16.3, 4: 18.5, 6: 22.5}[len(cells) - 1]  # passed by one run in a thousand
    assert squares < bound


def test_numbers_closer_than_a_billionth_tie():
    position = Position.parse(["###"], mines=1)
    near = Marginals(np.array([0.3, 0.3 + 5e-10, 0.3 + 3e-9]), None, 0.0, Status.COMPLETE)
    assert chosen("safest", position, answer=near) == [0, 1]


@pytest.mark.parametrize("spec", [spec for spec in SPECS if spec != "optimal"])  # which does not draw here
def test_a_seed_repeats_exactly(spec):
    position = Position.parse(["1####", "#####", "####1"], mines=4)
    answer, policy = answer_of(position), make_policy(spec)
    runs = []
    for seed in (7, 7, 8):
        rng = np.random.default_rng(seed)
        runs.append([policy.choose(position, answer, rng) for _ in range(25)])
    assert runs[0] == runs[1] != runs[2]


# --- what is never chosen


@pytest.mark.parametrize("spec", NAMES)
def test_never_an_opened_cell_nor_a_proved_mine(spec):
    for position in drawn_positions(60, 2):
        answer = answer_of(position)
        rng = np.random.default_rng(0)
        for _ in range(3):
            cell = make_policy(spec).choose(position, answer, rng)
            assert type(cell) is int
            assert position.codes.flat[cell] == COVERED
            assert answer.probability[cell] < 1


@pytest.mark.parametrize("spec", NAMES)
def test_flags_mean_nothing(spec):
    plain, flagged = Position.parse(["1##", "###"], mines=2), Position.parse(["1F#", "FFF"], mines=2)
    assert chosen(spec, plain, 200) == chosen(spec, flagged, 200)


@pytest.mark.parametrize("spec", NAMES)
def test_all_that_is_covered_is_a_mine(spec):
    position = Position.parse(["2#", "#2"], mines=2)
    with pytest.raises(ValueError, match="no cell to open"):
        make_policy(spec).choose(position, answer_of(position), np.random.default_rng(0))


@pytest.mark.parametrize("spec", SPECS)
def test_nothing_is_covered(spec):
    position = Position.parse(["00", "00"], mines=0)
    with pytest.raises(ValueError, match=r"no cell (to open|is covered)"):
        make_policy(spec).choose(position, answer_of(position), np.random.default_rng(0))


@pytest.mark.parametrize("spec", NEED)
def test_a_deduction_has_no_probabilities(spec):
    position = Position.parse(["1##"], mines=1)
    deduction = make_solver("single").deduce(position.problem())
    with pytest.raises(ValueError, match="needs probabilities, and <Deduction partial"):
        make_policy(spec).choose(position, deduction, np.random.default_rng(0))


@pytest.mark.parametrize("spec", NEED)
def test_marginals_without_numbers(spec):
    position = Position.parse(["###"], mines=1)
    over_budget = Marginals(np.full(3, np.nan), None, np.nan, Status.PARTIAL)
    for answer in (over_budget, Marginals.inconsistent(3)):
        with pytest.raises(ValueError, match="needs probabilities"):
            make_policy(spec).choose(position, answer, np.random.default_rng(0))


@pytest.mark.parametrize("spec", NEED)
def test_cells_without_a_number_are_left_alone(spec):
    position = Position.parse(["###"], mines=1)
    partial = Marginals(np.array([np.nan, 0.5, 0.9]), None, np.nan, Status.PARTIAL)
    assert chosen(spec, position, answer=partial) == [1]


@pytest.mark.parametrize("spec", SPECS)
def test_an_answer_about_another_board(spec):
    with pytest.raises(ValueError, match=r"an answer about 4 cells for a (position|problem) of 3"):
        make_policy(spec).choose(
            Position.parse(["###"], mines=1), answer_of(Position.parse(["####"], mines=1)), np.random.default_rng(0)
        )


@pytest.mark.parametrize("spec", SPECS)
def test_on_a_graph_with_large_clues(spec):
    n = 12  # a star: the middle, cell 0, sees eleven cells
    indptr = np.array([0, *range(n - 1, 2 * n - 1)])
    star = Topology((1, n), indptr, np.array([*range(1, n), *([0] * (n - 1))]), "star")
    position = Position([[9, *([COVERED] * (n - 1))]], topology=star)
    assert make_policy(spec).choose(position, answer_of(position), np.random.default_rng(0)) in range(1, n)
