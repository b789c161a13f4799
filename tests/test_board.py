"""Problems, positions, topologies: values that cannot be changed, and messages that quote what is wrong."""

import pickle
import re
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from board import COVERED, HIT, UNNUMBERED, Constraint, Position, Problem, Topology, grid
from board.problem import mine_count

# --- mine counts


@pytest.mark.parametrize("value", [0, 7, 10**30, np.int64(7), np.uint8(7)])
def test_mine_counts(value):
    assert mine_count(value) == int(value)
    assert type(mine_count(value)) is int


@pytest.mark.parametrize(
    "value", [-1, 2.5, 2.0, True, False, np.True_, float("nan"), np.float64(3), "3", b"3", [3], Decimal(3)]
)
def test_no_mine_counts(value):
    for make in (mine_count, lambda v: Position([[COVERED]], v), lambda v: Problem.from_sets([], 1, v)):
        with pytest.raises(ValueError, match="a mine count is an integer >= 0, not") as caught:
            make(value)
        assert repr(value) in str(caught.value)


# --- problems


@st.composite
def systems(draw):
    """(constraints as (scope, total), n, mines, covered)."""
    n = draw(st.integers(0, 12))
    covered = sorted(draw(st.sets(st.integers(0, n - 1)))) if n else []
    scopes = st.sets(st.sampled_from(covered)) if covered else st.just(set())
    constraints = draw(st.lists(st.tuples(scopes, st.integers(-3, 9)), max_size=6))
    return constraints, n, draw(st.none() | st.integers(0, 20)), covered


@given(systems())
def test_problems_are_what_they_were_made_of(system):
    constraints, n, mines, covered = system
    problem = Problem.from_sets(constraints, n, mines, covered)
    assert (problem.n, problem.mines) == (n, mines)
    assert np.flatnonzero(problem.covered).tolist() == covered
    assert [(c.scope, c.total) for c in problem.constraints] == constraints
    assert {a.dtype for a in (problem.indptr, problem.cells, problem.totals)} == {np.dtype(np.int32)}
    again = Problem(problem.covered, problem.indptr, problem.cells, problem.totals, mines)
    from_constraints = Problem.from_sets(problem.constraints, n, mines, covered)
    assert again == from_constraints == problem
    assert hash(again) == hash(from_constraints) == hash(problem)


@given(systems(), systems())
def test_problems_differ_if_their_content_does(one, other):
    problems = [Problem.from_sets(*system) for system in (one, other)]
    assert (problems[0] == problems[1]) == (one == other)


@given(systems())
def test_pickled_problems_are_equal_and_read_only(system):
    problem = Problem.from_sets(*system)
    copy = pickle.loads(pickle.dumps(problem))
    assert copy == problem
    for array in (copy.covered, copy.indptr, copy.cells, copy.totals):
        assert not array.flags.writeable


def test_problems_are_read_only_and_keep_no_hand_on_what_was_given():
    arrays = [np.array([True, True]), np.array([0, 2]), np.array([0, 1]), np.array([1])]
    problem = Problem(*arrays)
    for array in arrays:
        array[0] = 0
    assert [str(c) for c in problem.constraints] == ["{0, 1} = 1"]
    with pytest.raises(ValueError, match="read-only"):
        problem.totals[0] = 2
    with pytest.raises(AttributeError):
        problem.mines = 3


def test_the_position_is_no_part_of_equality():
    problem = Position.parse("#1#", 1).problem()
    bare = Problem(problem.covered, problem.indptr, problem.cells, problem.totals, 1)
    assert problem.position is not None
    assert bare.position is None
    assert bare == problem
    assert hash(bare) == hash(problem)


def test_the_local_question():
    problem = Position.parse("#1#", 1).problem()
    local = problem.local()
    assert (local.mines, local.position) == (None, problem.position)
    assert local == Position.parse("#1#").problem()
    assert local.local() is local


def test_a_constraint_reads_like_one():
    assert str(Constraint(frozenset({10, 2}), 1)) == "{2, 10} = 1"
    assert repr(Problem.from_sets([({0}, 1)], 3, 2, [0, 1])) == (
        "<Problem: 2 covered cells of 3, 1 constraints, mines=2>"
    )


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        (([[True]], [0], [], []), "one-dimensional"),
        (([True], [0], [], [1]), "indptr has 1 entries for 1 totals"),
        (([True], [], [], []), "indptr has 0 entries for 0 totals"),
        (([True], [0, 2], [0], [1]), "does not climb from 0 to the 1 cells"),
        (([True], [1, 1], [0], [1]), "does not climb"),
        (([True] * 2, [0, 2, 1, 2], [0, 1], [1] * 3), "does not climb"),
        (([True], [0, 1], [1], [1]), "cell 1 is outside 0..0"),
        (([True], [0, 1], [-1], [1]), "cell -1 is outside 0..0"),
        (([True, False], [0, 2], [0, 1], [1]), "cell 1 stands in a constraint but is not covered"),
        (([True] * 2, [0, 2], [1, 0], [1]), "ascending and distinct"),
        (([True] * 2, [0, 2], [1, 1], [1]), "ascending and distinct"),
        (([True] * 2, [0, 1], [0], [0.5]), "totals has dtype float64"),
        (([True] * 2, [0, 1], [0], [2**40]), "totals has a number outside int32"),
    ],
)
def test_arrays_that_do_not_fit(arrays, said):
    with pytest.raises(ValueError, match=said):
        Problem(*arrays)


def test_scopes_may_start_below_the_one_before_and_be_empty():
    problem = Problem([True] * 3, [0, 0, 2, 3, 3, 4, 4], [1, 2, 0, 0], [0, 1, 0, 2, 1, 0])
    assert [sorted(c.scope) for c in problem.constraints] == [[], [1, 2], [0], [], [0], []]


# --- topologies


@given(st.integers(1, 7), st.integers(1, 7))
def test_the_grid_has_eight_neighbours_but_none_across_the_edge(rows, columns):
    topology = grid(rows, columns)
    assert (topology.n, topology.shape, topology.name) == (rows * columns, (rows, columns), "grid")
    for cell in range(topology.n):
        row, column = divmod(cell, columns)
        near = [r * columns + c for r in range(rows) for c in range(columns) if max(abs(r - row), abs(c - column)) == 1]
        assert topology.of(cell).tolist() == near


def test_equal_topologies():
    pair = Topology((1, 2), [0, 1, 2], [1, 0])
    assert pair == Topology((1, 2), np.array([0, 1, 2]), np.array([1, 0]), "graph")
    assert pair == pickle.loads(pickle.dumps(pair))
    assert hash(pair) == hash(pickle.loads(pickle.dumps(pair)))
    assert pair != grid(1, 2)  # the same neighbours under another name
    assert Topology((1, 2), [0, 1, 2], [1, 0], "grid") == grid(1, 2)
    assert pair != Topology((2, 1), [0, 1, 2], [1, 0])
    assert pair != Topology((1, 2), [0, 1, 1], [1])
    assert pickle.loads(pickle.dumps(grid(2, 3))) is grid(2, 3)
    with pytest.raises(ValueError, match="read-only"):
        pair.neighbours[0] = 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (((0, 2), [0], []), "not 0 rows x 2 columns"),
        (((1, 2), [0, 1], [1]), "does not describe 2 cells with 1 neighbours"),
        (((1, 2), [0, 2, 1], [1]), "does not describe 2 cells"),
        (((1, 2), [0, 1, 2], [0, 1]), "another cell of 0..1"),
        (((1, 2), [0, 1, 2], [1, -1]), "another cell of 0..1"),
        (((1, 2), [0, 1, 2], [2, 0]), "another cell of 0..1"),
        (((1, 3), [0, 2, 2, 2], [2, 1]), "ascending and distinct"),
        (((1, 3), [0, 2, 2, 2], [1, 1]), "ascending and distinct"),
        (((1, 2), [0, 1, 1], [1], "grid"), "not the neighbours of the 1x2 grid: give it another name"),
        (((1, 3), [0, 2, 4, 6], [1, 2, 0, 2, 0, 1], "grid"), "not the neighbours of the 1x3 grid"),
    ],
)
def test_neighbours_that_do_not_fit(arguments, said):
    with pytest.raises(ValueError, match=said):
        Topology(*arguments)


def test_cells_outside_have_no_neighbours():
    with pytest.raises(ValueError, match="a board has at least one cell, not 0 rows x 3 columns"):
        grid(0, 3)
    for cell in (-1, 4):
        with pytest.raises(ValueError, match=f"cell {cell} is outside 0..3"):
            grid(2, 2).of(cell)


# --- positions


@st.composite
def positions(draw, largest=8, graphs=True):
    """Any codes, consistent or not, on the grid or on a random graph."""
    rows, columns = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    n = rows * columns
    codes = draw(st.lists(st.integers(UNNUMBERED, largest), min_size=n, max_size=n))
    marks = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    table = np.array(codes).reshape(rows, columns)
    flags = np.array(marks).reshape(rows, columns) & (table == COVERED)
    topology = None
    if graphs and draw(st.booleans()):
        near = [sorted(draw(st.sets(st.integers(0, n - 1))) - {c}) for c in range(n)]
        indptr = np.cumsum([0, *map(len, near)])
        topology = Topology((rows, columns), indptr, [d for some in near for d in some])
    return Position(table, draw(st.none() | st.integers(0, 30)), flags, topology)


@given(positions(largest=20))
def test_the_problem_of_a_position(position):
    codes = position.codes.ravel()
    problem = position.problem()
    covered = codes == COVERED
    expected = []
    for cell in np.flatnonzero(codes >= 0):
        near = position.topology.of(cell)
        scope = frozenset(near[covered[near]].tolist())
        total = int(codes[cell]) - int((codes[near] == HIT).sum())
        if scope or total:  # a satisfied clue without covered neighbours says nothing
            expected.append(Constraint(scope, total))
    assert list(problem.constraints) == expected
    assert np.array_equal(problem.covered, covered)
    hits = int((codes == HIT).sum())
    assert problem.mines == (None if position.mines is None else position.mines - hits)
    assert problem.position is position
    checked = Problem(problem.covered, problem.indptr, problem.cells, problem.totals)
    assert checked == problem.local()


@given(positions())
def test_flags_are_no_knowledge(position):
    plain = Position(position.codes, position.mines, topology=position.topology)
    assert plain.problem() == position.problem()
    assert (plain == position) == (not position.flags.any())


@given(positions(graphs=False))
def test_text_round_trip(position):
    assert Position.parse(position.text(), position.mines) == position
    assert Position.parse(position.rows(), position.mines) == position
    assert eval(repr(position)) == position
    assert str(position) == position.text()


@given(positions(largest=300))
def test_positions_are_values(position):
    copy = pickle.loads(pickle.dumps(position))
    assert copy == position
    assert hash(copy) == hash(position)
    assert position.shape == position.codes.shape == position.flags.shape
    for array in (position.codes, position.flags, copy.codes, copy.flags):
        assert not array.flags.writeable
    assert Position(position.codes, 31, position.flags, position.topology) != position


def test_positions_keep_no_hand_on_what_was_given():
    codes, flags = np.array([[COVERED, 1]]), np.array([[True, False]])
    position = Position(codes, 1, flags)
    codes[0, 1], flags[0, 0] = 5, False
    assert position.text() == "F1"


def test_white_space_around_a_text_does_not_count():
    for text in ("\n\n  #1\n\t2F  \n \n", "\ufeff#1\r\n2F\r\n", "#1\r2F"):
        assert Position.parse(text) == Position.parse(["#1", "2F"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the position is empty"),
        (" \n\t\n", "the position is empty"),
        ([], "the position is empty"),
        ([""], "the position is empty"),
        ("#1\n#", "line 2 has 1 cells, the first has 2: '#'"),
        ("\n\n##\n\n##", "line 4 has 0 cells, the first has 2: ''"),
        (["#1", "#"], "row 1 has 1 cells, the first has 2: '#'"),
        ("##\n" + "#" * 60, "line 2 has 60 cells, the first has 2: '" + "#" * 39 + "…'"),
        ("##\n #x", "unknown character 'x' at line 2, column 3"),
        ("##\n#\n#x", "unknown character 'x' at line 3, column 2"),  # rather than the ragged line 2
        ("##\n1 #", "unknown character ' ' at line 2, column 2"),
        (["##", "#x#"], "unknown character 'x' at row 1, column 1"),
        (["##", "#x"], "unknown character 'x' at row 1, column 1"),
        (" 1 2", "unknown character ' ' at line 1, column 3"),
        ("9#", "unknown character '9' at line 1, column 1"),
        ("-1#", "unknown character '-'"),
        ("f#", "unknown character 'f'"),
        ("٣#", "unknown character '٣'"),
        ("²#", "unknown character '²'"),
        ("#\U0001f6a9", "unknown character '\U0001f6a9' at line 1, column 2"),
        ("\x00\x01", r"unknown character '\x00' at line 1, column 1"),
    ],
)
def test_bad_text_is_quoted_with_its_place(text, said):
    with pytest.raises(ValueError, match=re.escape(said)) as caught:
        Position.parse(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (([[1, 2], [3]],), "different lengths"),
        (([],), "not of shape (0,)"),
        (([[]],), "not of shape (1, 0)"),
        (([1, 2],), "not of shape (2,)"),
        (([[1.0]],), "codes are integers, not float64"),
        (([[float("nan")]],), "codes are integers, not float64"),
        (([[True]],), "codes are integers, not bool"),
        (([["#"]],), "codes are integers, not <U1"),
        (([[0, 0], [0, -4]],), "the code -4 at row 1, column 1 means nothing"),
        (([[40000]],), "the code 40000 at row 0, column 0"),
        (([[COVERED]], 1, [[1]]), "flags are bool (1, 1), not int64 (1, 1)"),
        (([[COVERED]], 1, [True]), "flags are bool (1, 1), not bool (1,)"),
        (([[COVERED, 0]], 1, [[False, True]]), "a flag on an opened cell at row 0, column 1"),
        (([[COVERED]], 1, None, grid(1, 2)), "a topology of shape (1, 2) for codes of shape (1, 1)"),
    ],
)
def test_bad_codes_are_quoted(arguments, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        Position(*arguments)


def test_clues_over_eight_have_no_text():
    star = Topology((1, 11), [0, 10, *[10] * 10], list(range(1, 11)))
    position = Position([[9] + [COVERED] * 10], topology=star)
    assert [c.total for c in position.problem().constraints] == [9]
    with pytest.raises(ValueError, match="the clue 9 has no symbol"):
        position.text()
    assert repr(position) == "<Position 1x11, mines=None>"


def test_hit_mines_leave_both_counts():
    problem = Position.parse("*2#\n###", 2).problem()
    assert [str(c) for c in problem.constraints] == ["{2, 3, 4, 5} = 1"]
    assert problem.mines == 1
    assert Position.parse("**\n##", 1).problem().mines == -1  # a question without a model


@pytest.mark.parametrize(("text", "mines"), [("#", 0), ("#", 1), ("0", 0), ("*", 1), ("#" * 500, 250)])
def test_any_size(text, mines):
    position = Position.parse(text, mines)
    assert position.shape == (1, len(text))
    assert position.problem().n == len(text)


def test_a_million_cells():
    codes = np.full((1000, 1000), COVERED)
    codes[::2] = 3
    problem = Position(codes, 10**5).problem()
    assert problem.totals.size == 500_000
    assert Position.parse(Position(codes).text()).codes.sum() == codes.sum()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"constraints": [], "n": 4, "covered": [-1]}, "cell -1 is outside 0..3"),
        ({"constraints": [], "n": 4, "covered": [10]}, "cell 10 is outside 0..3"),
        ({"constraints": [({0}, 0.5)], "n": 4}, "totals has dtype float64, not integers"),
        ({"constraints": [({0.5}, 1)], "n": 4}, "cells has dtype float64, not integers"),
        ({"constraints": [({7}, 1)], "n": 4}, "cell 7 is outside 0..3"),
    ],
)
def test_from_sets_refuses_what_it_cannot_hold(arguments, message):
    with pytest.raises(ValueError, match=message):
        Problem.from_sets(**arguments)


def test_parse_refuses_what_is_no_text():
    for value in (b"##", 5, [["#"], 1]):
        with pytest.raises(ValueError, match="a position is a text or rows of text"):
            Position.parse(value)


@pytest.mark.parametrize("separator", ["\u2028", "\x0b", "\x0c", "\x85", "\x1c"])
def test_only_line_ends_end_lines(separator):
    with pytest.raises(ValueError, match="at line 1, column 3"):
        Position.parse(f"1#{separator}##")
    assert Position.parse("1#\r\n##\r").shape == Position.parse("1#\r##").shape == (2, 2)
