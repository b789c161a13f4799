"""Explanations: against all subsets of the constraints, by hand, step by step, and as the command prints them."""

import json
from itertools import combinations

import numpy as np
import pytest
from problems import drawn_problem
from samples import shared_corpus
from typer.testing import CliRunner

from benchmarks.cli import app
from board import COVERED, HIT, Position, Problem, to_svg
from board.drawing import THEMES
from board.render import board_text, legend
from solvers import Status, make_solver
from solvers.clue_oracle import ClueOracle
from solvers.counts import counts
from solvers.explanation import Contradiction, explain, explain_all, explain_contradiction, part_of
from solvers.hitting import TooHard, smallest_hitting_set
from solvers.steps import explain_steps

ENUMERATION = make_solver("enumeration")


def entailed(answer):
    return {cell: bool(answer.mines[cell]) for cell in np.flatnonzero(answer.safe | answer.mines).tolist()}


def ask(problem, constraints, mine_count):
    return ENUMERATION.deduce(part_of(problem, constraints, mine_count))


def all_sets(problem):
    """All sets of clues, the best first: few ones, and of as many those without the mine count."""
    numbers = range(problem.totals.size)
    sets = [(s, False) for size in range(len(numbers) + 1) for s in combinations(numbers, size)]
    if problem.mines is not None:
        sets += [(s, True) for s, _ in sets]
    return sorted(sets, key=lambda one: (len(one[0]) + one[1], one[1]))


def by_trying_all(problem):
    """The cost of the best explanation of each cell, or of the best contradiction, by trying all sets."""
    wanted, best = ENUMERATION.deduce(problem), {}
    for constraints, mine_count in all_sets(problem):
        cost = len(constraints) + mine_count, mine_count
        answer = ask(problem, constraints, mine_count)
        if answer.status is Status.INCONSISTENT:
            return cost
        for cell in entailed(answer):
            best.setdefault(cell, cost)
        if wanted.status is not Status.INCONSISTENT and len(best) == len(entailed(wanted)):
            break
    return best


def cost(found):
    return found.size, found.mine_count


def drawn(seeds, most_constraints=7, most_cells=13):
    for seed in seeds:
        problem = drawn_problem(np.random.default_rng([30, seed]))
        if problem.totals.size <= most_constraints and problem.covered.sum() <= most_cells:
            yield problem


def check_minimal(problem, found, follows):
    assert follows(found.constraints, found.mine_count)
    if found.mine_count:
        assert not follows(found.constraints, False)
    for left_out in found.constraints:
        assert not follows(tuple(i for i in found.constraints if i != left_out), found.mine_count)


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.slow) for part in (1, 2, 3))])
def test_no_set_is_smaller(part):
    kinds = {"cells": 0, "counted": 0, "contradictions": 0, "wide": 0}
    for problem in drawn(range(400 * part, 400 * part + 400)):
        best = by_trying_all(problem)
        if isinstance(best, tuple):
            kinds["contradictions"] += 1
            for found in (explain_contradiction(problem), explain_contradiction(problem, smallest=False)):
                check_minimal(problem, found, lambda *s, p=problem: ask(p, *s).status is Status.INCONSISTENT)
                assert cost(found) == best or not found.smallest
            assert explain_contradiction(problem).smallest
            with pytest.raises(ValueError, match="has no model: explain_contradiction says why"):
                explain_all(problem)
            continue
        assert explain_contradiction(problem) is None
        found = explain_all(problem)
        assert {one.cell: cost(one) for one in found} == best
        assert {one.cell: one.mine for one in found} == entailed(ENUMERATION.deduce(problem))
        assert all(one.smallest for one in found)
        for one in [*found, *explain_all(problem, smallest=False)]:
            check_minimal(problem, one, lambda *s, p=problem, c=one.cell: c in entailed(ask(p, *s)))
            assert cost(one) == best[one.cell] or not one.smallest
        for cell in np.flatnonzero(problem.covered).tolist()[:4]:
            one = explain(problem, cell)
            assert (None if one is None else (cell, cost(one))) == ((cell, best[cell]) if cell in best else None)
        kinds["cells"] += len(found)
        kinds["counted"] += sum(one.mine_count for one in found)
        kinds["wide"] += sum(problem.indptr[i + 1] - problem.indptr[i] > 8 for one in found for i in one.constraints)
    assert min(kinds.values()) > 10


def test_every_step_follows_and_none_is_cheaper():
    several = 0
    for problem in drawn(range(700), most_constraints=6, most_cells=12):
        answer = ENUMERATION.deduce(problem)
        if answer.status is Status.INCONSISTENT:
            with pytest.raises(ValueError, match="has no model"):
                explain_steps(problem)
            continue
        known = {}

        def given(facts, constraints, mine_count, problem=problem, known=known):
            part = part_of(problem, constraints, mine_count)
            clues = [*part.constraints, *(({c}, int(known[c])) for c in facts)]
            return entailed(
                ENUMERATION.deduce(
                    Problem.from_sets(clues, problem.n, part.mines, np.flatnonzero(problem.covered).tolist())
                )
            )

        for step in explain_steps(problem):
            new = {**dict.fromkeys(step.safe, False), **dict.fromkeys(step.mines, True)}
            assert new
            assert not new.keys() & known.keys()
            assert known.keys() >= set(step.facts)
            assert step.smallest
            assert new.items() <= given(step.facts, step.constraints, step.mine_count).items()
            for fact in step.facts:
                fewer = [c for c in step.facts if c != fact]
                assert not new.items() <= given(fewer, step.constraints, step.mine_count).items()
            everything = given(known, step.constraints, step.mine_count)
            assert everything.keys() == known.keys() | new.keys()  # and nothing more follows
            for constraints, mine_count in all_sets(problem):
                if (len(constraints) + mine_count, mine_count) >= cost(step):
                    break
                assert given(known, constraints, mine_count).keys() <= known.keys()
            known.update(new)
            several += step.size > 1
        assert known == entailed(answer)
    assert several > 50


def values(*rows, mines=None):
    return {one.cell: (one.mine, one.constraints) for one in explain_all(Position.parse(rows, mines).problem())}


def test_patterns_by_hand():
    # one less and one more: the cells that they do not share
    assert values("#####", "_121_") == {
        0: (False, (0, 1)),
        1: (True, (1, 2)),
        2: (False, (0, 1, 2)),
        3: (True, (0, 1)),
        4: (False, (1, 2)),
    }
    assert values("#####", "11___") == {2: (False, (0, 1))}
    assert values("######", "_1221_") == {
        0: (False, (0, 1)),
        1: (False, (0, 2, 3)),
        2: (True, (2, 3)),
        3: (True, (0, 1)),
        4: (False, (0, 1, 3)),
        5: (False, (2, 3)),
    }


def test_the_mine_count_is_one_clue_and_the_last_resort():
    def found(constraints, n, mines, cell):
        one = explain(Problem.from_sets(constraints, n, mines), cell)
        return one.mine, one.constraints, one.mine_count

    assert found([], 3, 0, 1) == (False, (), True)
    assert found([], 3, 3, 1) == (True, (), True)
    assert found([({0, 1}, 0)], 3, 0, 0) == (False, (0,), False)  # a clue rather than the mine count
    assert found([({0, 1}, 1)], 40, 1, 30) == (False, (0,), True)  # untouched
    assert found([({0, 1}, 1)], 40, 39, 30) == (True, (0,), True)
    chain = [({0, 1}, 1), ({1, 2}, 1), ({2, 3}, 1), ({3, 4}, 1), ({4, 5}, 1), ({0}, 1)]
    assert found(chain, 6, None, 5) == (False, (0, 1, 2, 3, 4, 5), False)
    assert found(chain, 6, 3, 5) == (False, (1, 3, 5), True)  # a mine in each of them, and that is all


def test_odd_constraints():
    assert explain_contradiction(Problem.from_sets([({0}, 1), (set(), 0)], 1)) is None
    nothing = Problem.from_sets([({0, 1}, 1), (set(), 1)], 2, mines=5)
    assert explain_contradiction(nothing) == Contradiction((1,), False, True)
    assert explain_contradiction(Problem.from_sets([], 2, mines=3)) == Contradiction((), True, True)
    negative = Problem.trusted(*(getattr(nothing, name) for name in ("covered", "indptr", "cells", "totals")), -1)
    assert explain_contradiction(negative).size == 1
    twice = Problem.from_sets([({0, 1}, 1), ({0, 1}, 1), ({0, 1, 2}, 2)], 3)
    assert explain(twice, 2).size == 2
    wide = Problem.from_sets([(range(30), 11), (range(1, 31), 12), ({30}, 1), (range(31, 60), 29)], 70, mines=50)
    assert explain(wide, 0).constraints == (0, 1)
    assert explain(wide, 30).constraints == (2,)
    assert explain(wide, 1) is None
    assert explain(wide, 40).constraints == (3,)
    assert explain_all(Problem.from_sets([], 0)) == []
    assert explain_steps(Problem.from_sets([], 0)) == ()


@pytest.mark.parametrize("cell", [-1, 3, 1.0, True, "0", 2])
def test_a_bad_cell_is_quoted(cell):
    problem = Problem.from_sets([({0, 1}, 1)], 3, covered=[0, 1])
    with pytest.raises(ValueError, match=repr(cell).replace(".", "[.]")):
        explain(problem, cell)


def test_over_a_budget_sets_are_minimal(monkeypatch):
    problem = Position.parse(["######", "_1221_"]).problem()
    best = explain_all(problem)
    later = explain_all(problem, work=1)
    assert [one.size for one in best] == [one.size for one in later] == [2, 3, 2, 2, 3, 2]
    assert [one.smallest for one in later] == [one.size == 2 for one in later]
    contradiction = Problem.from_sets([*problem.constraints, ({1, 4}, 1)], problem.n)
    assert explain_contradiction(contradiction, work=1).size == 3
    assert not explain_contradiction(contradiction, work=1).smallest

    def too_hard(*_):
        raise TooHard

    monkeypatch.setattr(ClueOracle, "ask", too_hard)  # `counting` divides and conquers
    for one in explain_all(problem):
        check_minimal(problem, one, lambda *s, c=one.cell: c in entailed(ask(problem, *s)))
        assert not one.smallest
    found = explain_contradiction(contradiction)
    check_minimal(contradiction, found, lambda *s: ask(contradiction, *s).status is Status.INCONSISTENT)
    counted = explain(Problem.from_sets([({0, 1}, 1), ({2, 3}, 1)], 9, mines=2), 8)
    assert counted.constraints == (0, 1)
    assert counted.mine_count


@pytest.mark.parametrize("kind", ["expert-stuck", "intermediate-endgame"])
def test_game_positions(kind):
    counting = make_solver("counting")
    for entry in shared_corpus(kind, 6).entries:
        problem = entry.position.problem()
        answer = counting.deduce(problem)
        found = explain_all(problem)
        assert {one.cell: one.mine for one in found} == entailed(answer)
        assert all(one.smallest for one in found)
        local = entailed(counting.deduce(problem.local()))
        assert all(one.mine_count for one in found if one.cell not in local)
        settled = [cell for step in explain_steps(problem) for cell in (*step.safe, *step.mines)]
        assert sorted(settled) == [one.cell for one in found]


def test_hitting_sets_against_all_sets():
    rng = np.random.default_rng(3)
    for _ in range(300):
        n = int(rng.integers(1, 9))
        sets = [int(x) for x in rng.integers(0 if rng.random() < 0.1 else 1, 1 << n, int(rng.integers(0, 9)))]
        hitting = [x for x in range(1 << n) if all(x & one for one in sets)]
        least = min((x.bit_count() for x in hitting), default=99)
        most = int(rng.integers(0, n + 1))
        found = smallest_hitting_set(sets, most)
        assert (found is None) == (least > most)
        assert found is None or (found in hitting and found.bit_count() == least)


def test_large_hitting_sets_are_proved_by_another_method():
    rng = np.random.default_rng(4)
    sets = [sum(1 << int(i) for i in rng.permutation(60)[:3]) for _ in range(80)]
    found = smallest_hitting_set(sets, 60)
    assert all(found & one for one in sets)
    assert smallest_hitting_set(sets, found.bit_count() - 1) is None
    assert list(counts(found)) == sorted(set(counts(found)))


def test_constraints_are_traced_to_their_clues():
    for entry in shared_corpus("beginner-random", 10).entries:
        position = entry.position
        codes = position.codes.copy()
        mines = np.flatnonzero(make_solver("counting").deduce(position.problem()).mines)
        codes.flat[mines[::2]] = HIT  # and so some clues have nothing left to say
        position = Position(codes)
        problem = position.problem()
        cells = position.clue_cells().tolist()
        assert len(cells) == problem.totals.size
        assert cells == sorted(cells)
        for cell, constraint in zip(cells, problem.constraints, strict=True):
            around = position.topology.neighbours[position.topology.indptr[cell] : position.topology.indptr[cell + 1]]
            assert constraint.scope == {c for c in around.tolist() if problem.covered[c]}
            assert constraint.total == codes.flat[cell] - sum(codes.flat[c] == HIT for c in around.tolist())
    wrong = Position.parse(["13", "*1"])  # every clue is violated or says nothing
    assert wrong.clue_cells().tolist() == [1]
    assert wrong.problem().totals.tolist() == [2]


def test_drawings_mark_the_clues():
    position = Position.parse("1#2")
    used = np.array([True, False, False])
    text = board_text(position, safe=np.array([False, True, False]), used=used)
    assert text.splitlines() == ["    0  1  2", "0  [1] S  2"]
    assert legend(text) == "S safe, [ ] clue used"
    svg = to_svg(position, used=used, theme="light")
    assert "Used: 1 clue." in svg
    assert svg.count(THEMES["light"]["used-tint"]) == 1
    assert "Used" not in to_svg(position)
    with pytest.raises(ValueError, match="used is bool"):
        to_svg(position, used=used[:2])


def sapper(*arguments, position="#####\n12321\n"):
    return CliRunner().invoke(app, ["solve", "-", *arguments], input=position)


def test_the_command_explains_a_cell():
    shown = sapper("--explain", "0,0")
    assert shown.exit_code == 0
    assert shown.stdout.splitlines() == [
        "    0  1  2  3  4",
        "0   S  #  #  #  #",
        "1  [1] 2 [3] 2  1",
        "S safe, # covered, [ ] clue used",
        "row 0, column 0 is safe: it follows from the 1 at row 1, column 0 and the 3 at row 1, column 2",
        "these are 2 clues; no fewer settle it",
    ]
    assert json.loads(sapper("--explain", " 0, 0 ", "--json").stdout) == {
        "status": "complete",
        "cell": [0, 0],
        "value": "safe",
        "clues": [[1, 0], [1, 2]],
        "mine_count": False,
        "smallest": True,
    }
    counted = sapper("--explain", "1,1", "--mines", "1", position="1##\n###\n").stdout
    assert "row 1, column 1 is not settled: it is a mine with probability 33.3 %" in counted
    counted = sapper("--explain", "0,2", "--mines", "1", position="1##\n###\n").stdout
    assert "safe: it follows from the 1 at row 0, column 0 and the mine count of 1" in counted
    open_cell = json.loads(sapper("--explain", "0,1", "--json", position="1##\n").stdout)
    assert open_cell == {"status": "complete", "cell": [0, 1], "value": "mine", "clues": [[0, 0]]} | {
        "mine_count": False,
        "smallest": True,
    }


@pytest.mark.parametrize("cell", ["2,0", "0,5", "0", "a,b", "0,-1", "1,0", "", "0,0,0", "9" * 5000 + ",0"])
def test_the_command_quotes_a_bad_cell(cell):
    wrong = sapper(f"--explain={cell}")
    assert wrong.exit_code == 2
    assert not wrong.stdout
    assert len(wrong.stderr.splitlines()) == 1
    assert f"'{cell[:30]}" in wrong.stderr
    assert sapper("--explain", "0,0", "--steps").exit_code == 2


@pytest.mark.parametrize("options", [["--explain", "0,1"], ["--steps"]])
def test_the_command_says_what_contradicts_itself(options):
    wrong = sapper(*options, position="1#3\n")
    assert wrong.exit_code == 3
    assert "inconsistent: no arrangement of mines fits the 3 at row 0, column 2\n" in wrong.stdout
    found = json.loads(sapper(*options, "--json", position="1#0\n").stdout)
    assert found == {"status": "inconsistent", "clues": [[0, 0], [0, 2]], "mine_count": False, "smallest": True}


def test_the_command_lists_steps():
    shown = sapper("--steps")
    assert shown.exit_code == 0
    assert shown.stdout.splitlines()[-4:] == [
        "3 steps settle 5 of 5 covered cells, (row, column):",
        "1. the 3 at (1, 2): mines (0, 1) (0, 2) (0, 3)",
        "2. the 1 at (1, 0), with mine (0, 1) known: safe (0, 0)",
        "3. the 2 at (1, 3), with mines (0, 2) (0, 3) known: safe (0, 4)",
    ]
    steps = json.loads(sapper("--steps", "--json").stdout)["steps"]
    assert [step["facts"] for step in steps] == [[], [[0, 1]], [[0, 2], [0, 3]]]
    nothing = sapper("--steps", position="1##\n###\n")
    assert nothing.exit_code == 0
    assert "0 steps settle 0 of 5 covered cells" in nothing.stdout


def test_a_step_is_proved_smallest_only_if_every_other_was_looked_at(monkeypatch):
    """If the search for another cell gives up, a step of fewer clues may exist."""
    from solvers import steps

    problem = Position.parse(["######", "_1221_"]).problem()
    first = explain_steps(problem)[0]
    assert first.smallest
    assert first.size == 2
    local_clues = steps.local_clues

    calls = []

    def first_gives_up(oracle, cell, mine, size):
        calls.append(cell)
        return ((0, 1, 2), False) if len(calls) == 1 else local_clues(oracle, cell, mine, size)

    monkeypatch.setattr(steps, "local_clues", first_gives_up)
    again = explain_steps(problem)[0]
    assert again.size == 2
    assert calls[0] not in (*again.safe, *again.mines)
    assert not again.smallest


@pytest.mark.parametrize(
    "options", [{"work": "x"}, {"work": -5}, {"work": True}, {"work": 0}, {"smallest": "no"}, {"smallest": 1}]
)
def test_bad_options_are_quoted(options):
    problem = Problem.from_sets([({0, 1}, 2)], 2)
    ((name, value),) = options.items()
    for asked in (lambda: explain(problem, 0, **options), lambda: explain_all(problem, **options)):
        with pytest.raises(ValueError, match=f"{name}.*{value!r}"):
            asked()
    with pytest.raises(ValueError, match=f"{name}.*{value!r}"):
        explain_contradiction(problem, **options)


def half_open(size, share, rng):
    mines = rng.random((size, size)) < share
    padded = np.pad(mines.astype(int), 1)
    around = sum(padded[a : size + a, b : size + b] for a in range(3) for b in range(3))
    return Position(np.where(~mines & (rng.random((size, size)) < 0.5), around, COVERED), int(mines.sum()))


def test_after_a_step_only_cells_near_it_are_asked_about_again(monkeypatch):
    from solvers import steps

    local_clues, asked, told = steps.local_clues, [], []

    def counted(*arguments):
        asked.append(arguments[1])
        return local_clues(*arguments)

    monkeypatch.setattr(steps, "local_clues", counted)
    problem = half_open(36, 0.22, np.random.default_rng(1)).problem()
    found = explain_steps(problem, progress=lambda *done: told.append(done))
    several = sum(step.size > 1 for step in found)
    assert several > 10
    assert len(asked) < 12 * several  # it was every cell left, hundreds, before each of them
    settled = [cell for step in found for cell in (*step.safe, *step.mines)]
    assert sorted(settled) == sorted(entailed(make_solver("sat").deduce(problem)))
    assert told[0] == (0, len(settled))
    assert len(told) == len(found)


def test_a_mine_count_of_any_length_is_told():
    for options in (["--explain", "0,1"], ["--steps"]):
        told = sapper(*options, "--mines", "9" * 5000, position="1#\n")
        assert told.exit_code == 3
        assert "fits the mine count of over 10^15" in told.stdout


@pytest.mark.parametrize("options", [["--explain", "0,1"], ["--steps"]])
@pytest.mark.parametrize("spec", ["nobody", "sat"])
def test_a_strategy_has_no_part_in_explanations(options, spec):
    wrong = sapper(*options, "--solver", spec, position="1#\n")
    assert wrong.exit_code == 2
    assert repr(spec) in wrong.stderr
    assert len(wrong.stderr.splitlines()) == 1


def test_bad_numbers_of_cells():
    problem = Problem.from_sets([({0, 1}, 2)], 2)
    assert len(explain_all(problem, most=1)) == 1
    assert explain_all(problem, most=0) == []
    with pytest.raises(ValueError, match="most is at least 0, not -1"):
        explain_all(problem, most=-1)


def test_hitting_sets_give_up(monkeypatch):
    rng = np.random.default_rng(0)
    sets = [sum(1 << i for i in rng.choice(40, 3, replace=False).tolist()) for _ in range(120)]
    assert smallest_hitting_set(sets, 40).bit_count() > 10
    monkeypatch.setattr("solvers.hitting._CONFLICTS", 1)
    with pytest.raises(TooHard):
        smallest_hitting_set(sets, 40)
