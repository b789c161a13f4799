"""Games: the flood fill, flags, the outcome, and what the player sees."""

import json
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from board import COVERED, HIT, Game, Layout, Outcome, Topology, grid

BEHAVIOURS = {
    b["id"]: b for b in map(json.loads, (Path(__file__).parent / "data/behaviours.jsonl").open(encoding="utf-8"))
}


def reachable(layout, start, flags):
    """The cells that opening `start` opens, by the definition: a closure over sets."""
    opened, new = set(), {start}
    while new:
        opened |= new
        zeros = [c for c in new if layout.clues.flat[c] == 0]
        new = {int(d) for c in zeros for d in layout.topology.of(c) if not flags.flat[d]} - opened
    return opened


@st.composite
def boards(draw):
    """A layout with few mines on a small grid or a sparse graph."""
    if draw(st.booleans()):
        topology = grid(draw(st.integers(1, 8)), draw(st.integers(1, 8)))
    else:
        n = draw(st.integers(1, 12))
        near = [draw(st.sets(st.integers(0, n - 1), max_size=4)) - {c} for c in range(n)]
        indptr = np.cumsum([0, *map(len, near)])
        topology = Topology((1, n), indptr, np.array([d for ds in near for d in sorted(ds)], np.int32))
    count = draw(st.integers(0, min(topology.n, 6)))
    return Layout.random(*topology.shape, count, draw(st.integers(0, 2**32)), topology=topology)


@given(boards(), st.data())
def test_open_is_the_closure_and_the_outcome_follows(layout, data):
    game = Game(layout)
    n = layout.mines.size
    for move in data.draw(st.lists(st.tuples(st.booleans(), st.integers(0, n - 1)), max_size=30)):
        if game.outcome is not Outcome.PLAYING:
            break
        flagging, cell = move
        opened, flags = game.opened, game.flags
        if flagging:
            assert game.flag(cell) == (not opened.flat[cell] and not flags.flat[cell])
            assert (game.opened == opened).all()
            continue
        found = game.open(cell)
        if opened.flat[cell] or flags.flat[cell]:
            expected = set()
        elif layout.mines.flat[cell]:
            expected = {cell}
        else:
            expected = reachable(layout, cell, flags) - set(np.flatnonzero(opened).tolist())
        assert found.dtype == np.int32
        assert found.tolist() == sorted(expected)
        assert set(np.flatnonzero(game.opened != opened).tolist()) == expected
    hit = (game.opened & layout.mines).any()
    done = (game.opened | layout.mines).all()
    assert game.outcome is (Outcome.LOST if hit else Outcome.WON if done else Outcome.PLAYING)
    position = game.position()
    assert position.mines == layout.count
    assert (position.flags == game.flags).all()
    assert not (position.flags & game.opened).any()
    assert ((position.codes == COVERED) == ~game.opened).all()
    assert ((position.codes == HIT) == (game.opened & layout.mines)).all()
    clues = position.codes >= 0
    assert (position.codes[clues] == layout.clues[clues]).all()


@given(boards(), st.integers(0, 2**32))
def test_opening_every_safe_cell_wins_in_any_order(layout, seed):
    game = Game(layout)
    for cell in np.random.default_rng(seed).permutation(np.flatnonzero(~layout.mines)).tolist():
        if game.outcome is Outcome.PLAYING:
            game.open(cell)
    assert game.outcome is Outcome.WON


def test_row_and_column_or_the_number_of_the_cell():
    layout = Layout.parse(["..*", "...", "*.."])
    one, two = Game(layout), Game(layout)
    assert one.open(1, 2).tolist() == two.open(5).tolist() == [5]
    assert one.flag(0, 2) is two.flag(2) is True
    assert one.position() == two.position()
    assert one.position().text() == "##F\n##1\n###"


def test_a_flag_locks_its_cell_for_clicks_and_for_the_flood():
    game = Game(Layout.parse("....*"))
    assert game.flag(2) is True
    assert game.open(2).size == 0
    assert game.open(0).tolist() == [0, 1]
    assert game.outcome is Outcome.PLAYING
    assert game.position().text() == "00F##"
    assert game.flag(2) is False
    assert game.open(2).tolist() == [2, 3]
    assert game.outcome is Outcome.WON


def test_a_wrong_flag_is_no_knowledge():
    game = Game(Layout.parse("..*"))
    game.open(1)
    game.flag(0)
    assert game.position().problem() == Game(Layout.parse("..*")).layout.position(game.opened).problem()


def test_an_opened_cell_stays_as_it_is():
    game = Game(Layout.parse("*.."))
    assert game.open(1).tolist() == [1]
    assert game.open(1).size == 0
    assert game.flag(1) is False
    assert not game.flags.any()


def test_a_hit_mine_ends_the_game():
    game = Game(Layout.parse("*.."))
    assert game.open(0).tolist() == [0]
    assert game.outcome is Outcome.LOST
    assert game.position().text() == "*##"
    assert game.position().problem().mines == 0
    for move in (game.open, game.flag):
        with pytest.raises(ValueError, match="the game is lost: no move is left, not even cell 2"):
            move(0, 2)


@pytest.mark.parametrize("where", [(-1,), (6,), (0, 3), (2, 0), (-1, 0), (0, -1), (1.0,), (True, 0), ("0", 0)])
def test_no_move_outside_the_board(where):
    game = Game(Layout.parse(["*..", "..."]))
    for move in (game.open, game.flag):
        with pytest.raises(ValueError, match=r"outside|an integer is needed"):
            move(*where)
    assert not game.opened.any()


def test_boards_without_mines_and_without_safe_cells():
    game = Game(Layout.parse("."))
    assert game.outcome is Outcome.PLAYING
    assert game.open(0).tolist() == [0]
    assert game.outcome is Outcome.WON
    full = Game(Layout.parse(["**", "**"]))
    assert full.outcome is Outcome.WON
    with pytest.raises(ValueError, match="the game is won"):
        full.open(0)


def test_masks_are_copies():
    game = Game(Layout.parse("*.."))
    game.opened[0, 0] = True
    game.flags[0, 0] = True
    before = game.position()
    game.open(2)
    assert before.text() == "###"
    assert game.outcome is Outcome.WON


@pytest.mark.parametrize("name", ["b-flood-1000", "b-flood-zero"])
def test_behaviour_floods(name):
    given = BEHAVIOURS[name]["input"]
    mines = np.zeros((given["rows"], given["cols"]), bool)
    for row, column in given["mine_layout"]:
        mines[row, column] = True
    game = Game(Layout(mines))
    began = time.perf_counter()
    assert game.open(*given["open"]).size == mines.size - mines.sum()
    assert time.perf_counter() - began < 10
    assert game.outcome is Outcome.WON


def test_a_winding_corridor_is_flooded():
    mines = np.zeros((399, 401), bool)
    mines[3::4] = True  # walls, each with a gap at one end
    mines[3::8, -3:] = False
    mines[7::8, :3] = False
    game = Game(Layout(mines))
    assert game.open(0, 0).size == (~mines).sum()
    assert game.outcome is Outcome.WON
