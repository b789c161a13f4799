"""The peer: what it cannot take, how its quirks are met, and the faults that were found in it."""

import subprocess
import sys

import numpy as np
import pytest

from board import Position, Problem, Topology
from solvers import Status, Unsupported, make_solver
from solvers.registry import solver_class

ms_toollib = pytest.importorskip("ms_toollib")
PEER = make_solver("mstoollib")


def problem(text, mines):
    return Position.parse(text, mines).problem()


def test_it_says_that_it_takes_boards():
    assert solver_class("mstoollib").reads_position


RING = Topology((1, 3), [0, 2, 4, 6], [1, 2, 0, 2, 0, 1], "ring")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (Problem.from_sets([({0, 1}, 1)], 2, 1), "not made of a position"),
        (problem("#1#", None), "local question"),
        (Position([[1, -2, -2]], 1, topology=RING).problem(), "'ring'"),
        (problem("*1#", 2), "a hit mine"),
        (problem("_1#", 1), "without a number"),
    ],
)
def test_what_it_cannot_take(asked, said):
    for method in (PEER.deduce, PEER.marginals):
        with pytest.raises(Unsupported, match=said):
            method(asked)


@pytest.mark.parametrize(
    ("text", "mines"),
    [
        ("#", 2),
        ("#", 10**30),
        ("#1#", 0),
        ("#1#", 2),
        ("#1###", 4),
        ("0", 1),
        ("#1#1#", 3),
    ],
)
def test_impossible_counts_are_not_replaced(text, mines):
    assert PEER.deduce(problem(text, mines)).status is Status.INCONSISTENT
    assert PEER.marginals(problem(text, mines)).models == 0


def test_no_mine_is_a_count_and_not_a_density():
    answer = PEER.deduce(problem("###\n#0#", 0))
    assert answer.status is Status.COMPLETE
    assert answer.safe.sum() == 5


@pytest.mark.parametrize(("text", "mines"), [("8#\n##", 3), ("3##\n111", 3), ("1#0##", 2), ("2", 0), ("100\n000", 0)])
def test_contradictions(text, mines):
    assert PEER.deduce(problem(text, mines)).status is Status.INCONSISTENT


def test_other_errors_of_the_library_are_not_taken_for_contradictions(monkeypatch):
    def fail(board, mines):
        raise RuntimeError("out of order")

    monkeypatch.setattr(ms_toollib, "cal_probability_onboard", fail)
    with pytest.raises(RuntimeError, match="out of order"):
        PEER.deduce(problem("#1#", 1))


@pytest.mark.parametrize("near", [1e-12, 1 - 1e-12, np.nextafter(1, 0)])
def test_close_to_0_or_1_nothing_is_called_a_mine(monkeypatch, near):
    rows = [[1.0, 1.0, near, 0.0]]
    monkeypatch.setattr(ms_toollib, "cal_probability_onboard", lambda board, mines: (rows, (0, mines, 4)))
    answer = PEER.marginals(problem("####", 2 + round(near)))
    assert answer.status is Status.PARTIAL
    assert not answer.deduction().mines.any()


# --- faults of the library, found with the tests: should one of these fail, the library has been mended


@pytest.mark.parametrize(("rows", "mines"), [(["#0", "#1"], 0), (["10", "##", "##"], 1), (["##0#", "##10"], 2)])
def test_fault_a_contradiction_with_a_zero_is_not_noticed(rows, mines):
    assert make_solver("counting").deduce(problem(rows, mines)).status is Status.INCONSISTENT
    assert library(rows, mines) is not None
    answer = PEER.marginals(problem(rows, mines))
    assert answer.status is Status.PARTIAL
    assert np.isnan(answer.probability).all()
    assert PEER.deduce(problem(rows, mines)).status is Status.PARTIAL


def test_fault_a_rare_model_is_rounded_away():
    """The corner has models with 9 mines; cell (1, 1) is safe only in some with 13, which leave no other mine."""
    size = 200
    corner = ["#######", "2#3223#", "23#3###", "#####5#", "#######"]
    rows = [row + "#" * (size - len(row)) for row in corner] + ["#" * size] * (size - len(corner))
    assert library(rows, 13)[1][1] == 1.0
    assert not make_solver("sat").deduce(problem(rows, 13)).mines.any()
    answer = PEER.deduce(problem(rows, 13))
    assert answer.status is Status.PARTIAL
    assert not (answer.safe | answer.mines).any()
    assert PEER.marginals(problem(rows, 13)).probability[size + 1] == np.nextafter(1, 0)


def test_fault_many_cells_beside_no_clue_are_called_a_contradiction():
    rows = ["1" + "#" * 65_003]
    with pytest.raises(RuntimeError):
        library(rows, 5)
    with pytest.raises(Unsupported, match="65000 cells in no clue, not 65002"):
        PEER.deduce(problem(rows, 5))
    assert PEER.deduce(problem(["1" + "#" * 65_001], 5)).status is Status.COMPLETE


def test_fault_its_local_deductions_end_the_process(tmp_path):
    code = "import ms_toollib; ms_toollib.get_all_not_and_is_mine_on_board([[2, 10]])"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=tmp_path)  # it writes a crash.log
    assert ended.returncode not in (0, 1)  # 1 would be an exception


def library(rows, mines):
    """The library's own probabilities."""
    board = [[10 if cell == "#" else int(cell) for cell in row] for row in rows]
    return ms_toollib.cal_probability_onboard(board, mines)[0]
