"""Policies that think ahead: against plain searches over all models, and the compiled loop against the interface."""

import os
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from test_endgame import plain
from test_policy import answer_of, drawn_positions

from benchmarks.play import BLOCK, Player, play_block, setting
from board import COVERED, Layout, Position
from board.topology import grid
from solvers import Marginals, Status, Unsupported
from solvers.endgame import optimum
from solvers.foresight import Lookahead, ending_cell
from solvers.playing import how
from solvers.policy import make_policy


def models_of(position):
    """All models as sets of mined cells, by trying everything."""
    problem = position.problem()
    covered = np.flatnonzero(problem.covered).tolist()
    sizes = range(len(covered) + 1) if problem.mines is None else [problem.mines]
    found = [set(mines) for size in sizes for mines in combinations(covered, size)]
    return [m for m in found if all(len(c.scope & m) == c.total for c in problem.constraints)]


def small_positions(count, seed, cells=9):
    for position in drawn_positions(4 * count, seed):
        if 2 <= position.problem().covered.sum() <= cells:
            yield position
            count -= 1
            if not count:
                return


def survives(models, covered, near, depth):
    """By the definition: the best share of the models in which `depth` guesses are survived."""
    if all(m == set(covered) for m in models) or any(not any(c in m for m in models) for c in covered):
        return len(models)
    if depth == 0:
        return len(models)
    return max(opening(models, covered, near, c, depth) for c in covered)


def opening(models, covered, near, cell, depth):
    groups = {}
    for m in models:
        if cell not in m:
            groups.setdefault(len(m & near[cell]), []).append(m)
    rest = [c for c in covered if c != cell]
    return sum(survives(group, rest, near, depth - 1) for group in groups.values())


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_values_are_shares_of_all_models(depth):
    checked = 0
    for position in small_positions(60, depth):
        models = models_of(position)
        covered = np.flatnonzero(position.problem().covered).tolist()
        near = [set(position.topology.of(cell).tolist()) for cell in range(position.codes.size)]
        answer = answer_of(position)
        far = [c for c in covered if not any(position.codes.flat[o] >= 0 for n in near[c] for o in near[n] | {n})]
        if (answer.probability == 0).any() or (depth > 2 and len(far) > 1):
            continue
        cells, values = Lookahead(depth).values(position, answer)
        expected = {c: opening(models, covered, near, c, depth) / len(models) for c in covered}
        assert values == pytest.approx([expected[c] for c in cells.tolist()], abs=1e-12)
        assert values.max() == pytest.approx(max(expected.values()), abs=1e-12)
        checked += 1
    assert checked > 10


def test_what_is_looked_at_goes_from_the_safest_on():
    position = Position.parse(["#1#", "###", "1##"], mines=2)
    cells, values = Lookahead(2).values(position, answer_of(position))
    assert cells.tolist() == [0, 2, 3, 4, 5]  # 7, a mine with 0.6, cannot be the best
    assert values.tolist() == pytest.approx([0.8, 0.8, 0.8, 0.6, 0.8])


def test_depth_one_is_smart():
    for position in drawn_positions(40, 3):
        answer = answer_of(position)
        for seed in range(3):
            one, other = (
                make_policy(spec).choose(position, answer, np.random.default_rng(seed))
                for spec in ("lookahead:depth=1", "smart")
            )
            assert one == other


# --- the end


def best_first_clicks(position):
    """Cells whose opening wins in most models, by plain search."""
    models = np.array(
        [[cell in m for cell in range(position.codes.size)] for m in models_of(position)], np.bool_
    ).reshape(-1, position.codes.size)
    covered = np.flatnonzero(position.codes.reshape(-1) == COVERED).tolist()
    worth = {}
    for cell in covered:
        clues = models[:, position.topology.of(cell)].sum(axis=1)
        groups = [models[~models[:, cell] & (clues == clue)] for clue in np.unique(clues)]
        worth[cell] = sum(plain(group, position.topology) for group in groups if len(group))
    return worth


def test_the_cell_is_one_of_the_best():
    checked = 0
    for position in small_positions(60, 11, cells=6):
        if position.mines is None:
            continue
        models = models_of(position)
        cell = ending_cell(position, 200)
        if len(models) == 1:
            assert cell is None  # nothing is left to find out
            continue
        worth = best_first_clicks(position)
        assert worth[cell] == max(worth.values())
        checked += 1
    assert checked > 8


def test_more_models_than_asked_for():
    position = Position.parse(["###", "###", "###"], mines=4)
    assert ending_cell(position, 125) is None
    assert ending_cell(position, 126) is not None


def test_listing_is_bounded():
    """A wide board with few models asked for: given up, not searched for ever."""
    assert ending_cell(Layout.random(40, 40, 200, 1).position(), 10) is None


@pytest.mark.parametrize(("rows", "mines"), [(["3#"], 1), (["1#"], 1), (["11", "1#"], 1), (["2#", "##"], 1)])
def test_nothing_is_left_to_find_out(rows, mines):
    """No model, or one."""
    assert ending_cell(Position.parse(rows, mines=mines), 10) is None


def test_hit_and_unnumbered_cells():
    position = Position.parse(["*2#", "_##"], mines=2)  # one more mine, in 2, 4 or 5; each tells as much
    worth = best_first_clicks(position)
    assert worth[ending_cell(position, 10)] == max(worth.values())


def test_a_count_over_the_budget_is_no_value(monkeypatch):
    monkeypatch.setattr(
        "solvers.counting.Counting.marginals_many",
        lambda self, problems, **_: [Marginals(np.full(p.n, np.nan), None, np.nan, Status.PARTIAL) for p in problems],
    )
    position = Position.parse(["##1##"], mines=2)
    with pytest.raises(Unsupported, match="over the budget"):
        Lookahead(2).values(position, answer_of(position))


COMPARE = """
import numpy as np
from test_foresight import small_positions
from test_policy import answer_of
from solvers.foresight import Lookahead
from solvers.playing import LOOKAHEAD, _values
from solvers.table import COVERED, OPEN, SAFE, count_table, make_room, make_table
compared = 0
for position in small_positions(60, 21, cells=12):
    if position.mines is None or (answer_of(position).probability == 0).any():
        continue  # in no game does anybody have to guess here
    codes, topology = position.codes.reshape(-1), position.topology
    near = [topology.of(c) for c in range(codes.size)]
    table, room = make_table(codes.size), make_room(codes.size, topology.neighbours.size, 1 << 30)
    table.state[:] = np.where(codes == -2, COVERED, np.where(codes >= 0, OPEN, SAFE))
    table.unknown[:] = [(codes[n] == -2).sum() for n in near]
    table.clue[:] = [max(codes[c], 0) - (codes[n] == -1).sum() for c, n in enumerate(near)]
    table.known_mines[:] = 0
    hits = (codes == -1).sum()
    table.left[:] = (codes == -2).sum() - (position.mines - hits), position.mines - hits
    _, counted = count_table(table, topology.indptr, topology.neighbours, room)
    for depth in (2, 3):
        found = _values(table, topology.indptr, topology.neighbours, room, counted, LOOKAHEAD, depth)
        cells, values = Lookahead(depth).values(position, answer_of(position))
        best = cells[values >= values.max() - 1e-9]
        assert abs(found.max() - values.max()) < 1e-9, (position, found, values)
        assert sorted(best.tolist()) == np.flatnonzero(found >= found.max() - 1e-9).tolist(), (position, found, values)
    compared += 1
print("equal" if compared > 6 else compared)
"""


def test_the_kernels_say_the_same():
    """As Python, because parts of kernels have no entry points."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(Path(__file__).parent)}
    done = subprocess.run([sys.executable, "-c", COMPARE], env=environment, capture_output=True, text=True, timeout=300)
    assert done.stdout == "equal\n", done.stderr


def test_no_mine_count_is_lookahead():
    position = Position.parse(["##1##"])
    answer = answer_of(position)
    cells = [make_policy(spec).choose(position, answer, np.random.default_rng(4)) for spec in ("optimal", "lookahead")]
    assert cells[0] == cells[1]


def test_the_best_player_reaches_the_optimum():
    """4 x 4 with 4 mines: 961 of 1,365 games, within four errors, where the first cell is the best one."""
    won, total, first = optimum(grid(4, 4), 4, "safe")
    where = setting("4x4/4", first=f"{first // 4},{first % 4}")
    blocks = [play_block(Player("cascade", "optimal:models=2000"), where, 5, block) for block in range(4)]
    share = sum(block.outcomes.count("W") for block in blocks) / (4 * BLOCK)
    assert abs(share - won / total) < 4 * (0.25 / (4 * BLOCK)) ** 0.5
    smart = [play_block(Player("cascade", "smart"), where, 5, block) for block in range(4)]
    assert sum(block.outcomes.count("W") for block in smart) < share * 4 * BLOCK


def test_how_the_compiled_loop_plays_them():
    assert how(make_policy("lookahead:depth=3")) == (4, 3, 0)
    assert how(make_policy("optimal:models=7")) == (4, 2, 7)
    assert how(make_policy("progress")) is None
