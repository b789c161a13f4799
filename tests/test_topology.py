"""Boards other than the grid: who is whose neighbour, what is refused, and that every solver takes them."""

import json
import pickle
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from benchmarks import Corpus, Run, compare, load_corpus, write_corpus
from benchmarks.cli import app
from benchmarks.corpus import build_corpus
from benchmarks.exports import positions_frame
from benchmarks.generation import entry_of
from benchmarks.metrics import scores
from benchmarks.missed import draw, missed_positions
from benchmarks.shapes import REACH, plane
from board import COVERED, Layout, Position, Topology, graph, grid, hexagonal, torus
from board.places import outline
from board.render import board_text
from board.topology import MOST_CELLS, NAMES, named
from solvers import Claims, Deduction, Status, Unsupported, label_of, make_solver

sizes = st.integers(1, 7)
KINDS = ("torus", "hexagonal", "graph")


def neighbours(topology):
    return [topology.of(cell).tolist() for cell in range(topology.n)]


@given(sizes, sizes)
def test_a_torus_has_no_edges(rows, columns):
    topology = torus(rows, columns)
    places = list(np.ndindex(rows, columns))

    def apart(one, other, size):
        return min((one - other) % size, (other - one) % size)

    expected = [
        [c for c, (a, b) in enumerate(places) if max(apart(a, row, rows), apart(b, column, columns)) == 1]
        for row, column in places
    ]
    assert neighbours(topology) == expected
    assert (topology.name, topology.shape) == ("torus", (rows, columns))


@given(sizes, sizes)
def test_hexagons_touch_their_neighbours(rows, columns):
    topology = hexagonal(rows, columns)
    row, column = np.divmod(np.arange(topology.n), columns)
    middle = np.column_stack([column + row % 2 / 2, row * 3**0.5 / 2])
    distance = np.hypot(*(middle[:, None] - middle).transpose(2, 0, 1))
    assert neighbours(topology) == [np.flatnonzero(np.abs(far - 1) < 1e-9).tolist() for far in distance]


def test_tiny_boards():
    assert neighbours(torus(1, 1)) == neighbours(hexagonal(1, 1)) == [[]]
    assert neighbours(torus(1, 2)) == neighbours(torus(2, 1)) == [[1], [0]]
    assert neighbours(torus(2, 2)) == neighbours(grid(2, 2)) == [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]]
    assert neighbours(torus(1, 4)) == [[1, 3], [0, 2], [1, 3], [0, 2]]
    assert neighbours(torus(3, 3)) == [[c for c in range(9) if c != cell] for cell in range(9)]
    assert neighbours(hexagonal(2, 2)) == [[1, 2], [0, 2, 3], [0, 1, 3], [1, 2]]


@pytest.mark.parametrize("name", NAMES)
def test_named_boards_are_made_once(name):
    board = named(name, 4, np.int8(5))
    assert board is named(name, 4, 5)
    assert board is {"grid": grid, "torus": torus, "hexagonal": hexagonal}[name](4, 5)
    assert pickle.loads(pickle.dumps(board)) is board
    assert Topology((4, 5), board.indptr, board.neighbours, name) == board
    assert all(type(size) is int for size in board.shape)
    for other in NAMES:
        if other != name:
            said = re.escape(f"these are not the neighbours of the 4x5 {other}: give it another name")
            with pytest.raises(ValueError, match=said):
                Topology((4, 5), board.indptr, board.neighbours, other)


def test_small_integers_do_not_overflow():
    size = np.int8(100)  # 100 * 100 is over 127
    assert grid(size, size).n == hexagonal(size, size).n == torus(size, size).n == 10_000
    indptr, near = np.array([0, 1, 2], np.uint8), np.array([1, 0], np.uint8)
    assert neighbours(Topology((np.int8(1), np.int8(2)), indptr, near)) == [[1], [0]]
    assert Layout.random(size, size, np.int8(120), 1).count == 120


def test_a_graph_of_lists():
    board = graph([{2, 1}, (0,), [0]], name="path")
    assert (neighbours(board), board.shape, board.name) == ([[1, 2], [0], [0]], (1, 3), "path")
    assert graph([[1], [], [], [0]], (2, 2)).shape == (2, 2)
    assert graph([[]]).neighbours.dtype == np.int32
    assert graph([row.tolist() for row in map(torus(3, 4).of, range(12))], (3, 4), "torus") == torus(3, 4)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: graph([[0]]), "a neighbour is another cell of 0..0"),
        (lambda: graph([[1], [2]]), "a neighbour is another cell of 0..1"),
        (lambda: graph([[1, 1], []]), "ascending and distinct"),
        (lambda: graph([[1.0], [0]]), "a neighbour is the number of a cell, not 1.0"),
        (lambda: graph([[True], [0]]), "a neighbour is the number of a cell, not True"),
        (lambda: graph([[2**32 + 1], [0]]), "neighbours has a number outside int32"),
        (lambda: graph([1, 0]), "neighbours are a list of cells for each cell, not [1, 0]"),
        (lambda: graph(7), "neighbours are a list of cells for each cell, not 7"),
        (lambda: graph([]), "a board has at least one cell, not 1 rows x 0 columns"),
        (lambda: graph([[1], [0]], (1, 3)), "the neighbours of 2 cells for a board of shape (1, 3)"),
        (lambda: named("donut", 2, 2), "unknown topology 'donut'; known are grid, torus, hexagonal"),
        (lambda: torus(0, 3), "a board has at least one cell, not 0 rows x 3 columns"),
        (lambda: hexagonal(2.0, 3), "the shape of a board is two integers, not 2.0"),
        (lambda: torus(2, True), "the shape of a board is two integers, not True"),
        (lambda: grid(MOST_CELLS, 2), "a board has at most 268,435,456 cells"),
        (lambda: Topology((1, 2, 1), [0, 1, 2], [1, 0]), "the shape of a board is two integers, not (1, 2, 1)"),
        (lambda: Topology(2, [0, 1, 2], [1, 0]), "the shape of a board is two integers, not 2"),
        (lambda: Topology((1, 2), [0, 1, 2], np.array([2**32 + 1, 2**32])), "neighbours has a number outside int32"),
        (lambda: Topology((1, 2), [0, 1, 2**70], [1, 0]), "indptr has dtype object, not integers"),
        (lambda: Topology((1, 2), [[0, 1, 2]], [1, 0]), "indptr is one-dimensional, not of shape (1, 3)"),
        (lambda: Topology((1, 2), [0, 1, 2], [[1], [0]]), "neighbours is one-dimensional, not of shape (2, 1)"),
        (lambda: Topology((1, 2), [0, 1, 2], [[1], []]), "neighbours: rows of different lengths"),
        (lambda: Topology((1, 2), [0, 1, 2], [1.0, 0.0]), "neighbours has dtype float64, not integers"),
        (lambda: Topology((1, 2), [0, 1, 2], [1, 0], 5), "the name of a topology is a text, not 5"),
    ],
)
def test_what_is_no_board_is_quoted(make, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        make()


def test_a_plane_joins_near_points():
    board = plane(5, 6, np.random.default_rng(3))
    assert board.shape == (1, 30)
    assert board == plane(5, 6, np.random.default_rng(3)) != plane(5, 6, np.random.default_rng(4))
    near = neighbours(board)
    assert all(one in near[other] for one in range(30) for other in near[one])
    many = plane(30, 30, np.random.default_rng(1))
    assert 6.9 < many.neighbours.size / many.n < np.pi * REACH**2  # fewer at the edges


def test_a_hexagonal_board_as_text():
    position = Position.parse("12#\n#F#\n###", 3)
    position = Position(position.codes, 3, position.flags, hexagonal(3, 3))
    assert board_text(position) == "   0 1 2\n0  1 2 #\n1   # F #\n2  # # #"
    shares = np.where(np.arange(9) == 8, 0.25, np.nan)
    assert board_text(position, probability=shares) == (
        "     0   1   2\n0    1   2   #\n1      #   F   #\n2    #   # 25%"
    )
    used = np.arange(9) == 0
    assert board_text(position, used=used) == "     0   1   2\n0  [ 1]  2   #\n1      #   F   #\n2    #   #   #"


def drawn(kind, rng):
    """A random position of up to 14 covered cells and its layout."""
    rows, columns = rng.integers(2, 6, 2).tolist()
    topology = plane(rows, columns, rng) if kind == "graph" else named(kind, rows, columns)
    layout = Layout.random(*topology.shape, int(rng.integers(1, topology.n // 3 + 2)), rng, topology=topology)
    opened = ~layout.mines & (rng.random(topology.shape) < 0.6)
    opened.flat[np.flatnonzero(~opened & ~layout.mines)[14 - layout.count :]] = True
    return layout.position(opened)


@pytest.mark.parametrize("kind", KINDS)
def test_every_solver_agrees_with_enumeration(solver, kind):
    reference = make_solver("enumeration")
    rng = np.random.default_rng([8, KINDS.index(kind)])
    if label_of(solver) == "mstoollib":
        with pytest.raises(Unsupported, match=f"mstoollib takes the grid, not the topology {kind!r}"):
            solver.deduce(drawn(kind, rng).problem())
        return
    entailed = 0
    for _ in range(12):
        position = drawn(kind, rng)
        assert (position.codes == COVERED).sum() <= 14
        for problem in (position.problem(), position.problem().local()):
            truth = reference.deduce(problem)
            found = solver.deduce(problem)
            assert truth.status is Status.COMPLETE
            assert not (found.safe & ~truth.safe).any()
            assert not (found.mines & ~truth.mines).any()
            if found.status is Status.COMPLETE:
                assert found == truth
            complete = solver.claims.complete_local if problem.mines is None else solver.claims.complete_global
            assert found.status is Status.COMPLETE or not complete
            entailed += int(truth.safe.sum())
            if solver.claims.marginals:
                share, expected = solver.marginals(problem).probability, reference.marginals(problem).probability
                assert np.allclose(share, expected, equal_nan=True, atol=1e-12)
    assert entailed > 20


# --- the command line


def sapper(*words, text=None):
    result = CliRunner().invoke(app, list(words), input=text)
    return result.exit_code, result.stdout, result.stderr


def test_solving_on_other_boards():
    # on the torus of one row the ends touch, and the clue sees both covered cells
    code, out, _ = sapper("solve", "-", "--mines", "1", "--topology", "torus", "--json", text="1##\n")
    assert (code, json.loads(out)["probabilities"]) == (0, [[None, 0.5, 0.5]])
    code, out, _ = sapper("solve", "-", "--mines", "1", "--json", text="1##\n")
    assert (code, json.loads(out)["mines"]) == (0, [[0, 1]])
    # the middle cell of the odd row touches no corner on the left
    code, out, _ = sapper("solve", "-", "--topology", "hexagonal", text="###\n#2#\n###\n")
    assert code == 0
    assert [line.split() for line in out.splitlines()[1:4]] == [
        ["0", "50%", "33%", "33%"],
        ["1", "33%", "2", "33%"],
        ["2", "50%", "33%", "33%"],
    ]
    code, out, _ = sapper("solve", "-", "--topology", "torus", "--explain", "0,1", "--mines", "2", text="2##\n")
    assert code == 0
    assert "row 0, column 1 is a mine" in out
    code, _, said = sapper("solve", "-", "--topology", "donut", text="1#\n")
    assert (code, "unknown topology 'donut'; known are grid, torus, hexagonal" in said) == (2, True)
    rules = '{"rules": [{"num_mines": 1, "cells": ["a", "b"]}], "total_cells": 3, "total_mines": 1}'
    assert sapper("solve", "-", text=rules)[0] == 0
    code, _, said = sapper("solve", "-", "--topology", "torus", text=rules)
    assert code == 2
    assert "standard input: the neighbours of its cells stand in the file, the topology 'torus' has no part" in said


def test_corpora_of_other_boards(tmp_path):
    made, taken, board = (str(tmp_path / name) for name in ("made.jsonl", "taken.jsonl", "board.txt"))
    words = ("corpus", "build", "hexagonal-beginner-random", "--count", "2", "--seed", "1", "--out", made)
    assert sapper(*words)[0] == 0
    code, out, _ = sapper("corpus", "show", made)
    drawn = out.splitlines()[-10:]
    assert code == 0
    assert all(line.startswith(f"{row}  {'' if row % 2 == 0 else ' '}") for row, line in enumerate(drawn[1:]))
    assert {len(line) for line in drawn[2::2]} == {21}
    assert {len(line) for line in drawn[1::2]} == {20}
    (tmp_path / "board.txt").write_text("1##\n###\n")
    assert sapper("corpus", "import", board, "--mines", "1", "--topology", "torus", "--out", taken)[0] == 0
    assert load_corpus(taken).entries[0].position == Position([[1, -2, -2], [-2] * 3], 1, topology=torus(2, 3))


def test_comparing_on_other_boards(tmp_path):
    path, run = str(tmp_path / "hexagonal.jsonl"), str(tmp_path / "run")
    write_corpus(build_corpus("hexagonal-beginner-stuck", 2, 1), path)
    words = ("--corpus", path, "--solver", "counting", "--solver", "sat", "--solver", "mstoollib", "--out", run)
    code, out, _ = sapper("bench", *words)
    assert code == 0
    assert "mstoollib takes the grid, not the topology 'hexagonal'" in out
    loaded = Run.load(run)
    for record in loaded.records:
        entry = loaded.entries()[record.corpus, record.entry]
        if record.solver == "mstoollib":
            assert record.outcome == "unsupported"
        else:
            answer = entry.answer(record.question)
            assert (record.outcome, record.safe, record.mines) == ("complete", answer.safe, answer.mines)
    svg = draw(record, entry)
    assert outline("hexagon")[2] in svg


def test_reports_and_exports_of_boards_that_no_text_holds():
    """A star: the clue in its middle is 12, and has no symbol. A clue on a torus has eight neighbours in any place."""
    star = graph([list(range(1, 13)), *([0] for _ in range(12))])
    odd = Position([[12, *[COVERED] * 12]], 12, topology=star)
    rounded = Position([[0, *[COVERED] * 4], *[[COVERED] * 5] * 4], 2, topology=torus(5, 5))
    corpus = Corpus("odd", (entry_of("star", odd), entry_of("round", rounded)))
    run = compare(Silent(), corpus, questions="global")
    commands = {s.entry: s.command for m in missed_positions(run, scores(run), 5) for s in m.shown}
    assert commands["round"].startswith("sapper solve - --topology torus --mines 2")
    assert positions_frame(run).set_index("entry")["text"]["star"] == "12" + " #" * 12
    assert commands["star"] == "sapper corpus show odd star"


class Silent:
    """Finds nothing."""

    claims = Claims()

    def deduce(self, problem, /):
        return Deduction(problem.covered & False, problem.covered & False, Status.PARTIAL)
