"""The interactive board: what may be done to it, what it shows, the widget around it, and JupyterLab itself."""

import json
import os
import secrets
import subprocess
import sys
import time

import numpy as np
import pytest
import traitlets
from browsing import chromium
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.exploring import explore, project_tools
from board import HIT, Game, Layout, Position, Topology, graph, grid, hexagonal, torus
from board.asking import Tools
from board.interaction import MOST_CELLS, begin, changed
from board.showing import explained, said, shown
from board.widget import Board
from solvers import Unsupported, make_solver
from solvers.explanation import explain, explain_contradiction
from solvers.policy import make_policy
from solvers.steps import explain_steps

LAYOUT = Layout.parse(["*..*", "....", "...."])
HEXAGONS = Layout(Layout.parse(["*.*.", "....", "...."]).mines, hexagonal(3, 4))
OPEN = Position.parse(["##1#1#", "##11##", "######"], mines=5)
BROKEN = Position.parse(["1#1", "###", "8##"], mines=4)
NONE = Tools()


class Faulty:
    """A solver that fails, with this."""

    claims = make_solver("single").claims

    def __init__(self, wrong):
        self.wrong = wrong

    def deduce(self, problem, /):
        raise self.wrong


@pytest.fixture(scope="module")
def tools():
    names = ("counting", "single", "sat")
    return Tools(
        {name: make_solver(name) for name in names},
        explain,
        explain_steps,
        explain_contradiction,
        make_policy("smart"),
    )


def done(scene, tools, *actions):
    for action in actions:
        scene = changed(scene, action, tools)
    return scene


def text(scene):
    return scene.position.rows()


def test_open_flag_undo_redo():
    start = begin(LAYOUT, NONE)
    opened = done(start, NONE, {"do": "open", "cell": 8})
    assert text(opened) == ["####", "1111", "0000"]
    assert text(start) == ["####"] * 3
    flagged = done(opened, NONE, {"do": "flag", "cell": 0})
    assert text(flagged)[0] == "F###"
    assert done(flagged, NONE, {"do": "open", "cell": 0}) is flagged  # locked
    assert done(opened, NONE, {"do": "open", "cell": 8}) is opened
    assert done(opened, NONE, {"do": "flag", "cell": 8}) is opened
    back = done(flagged, NONE, {"do": "undo"}, {"do": "undo"})
    assert text(back) == text(start)
    assert done(back, NONE, {"do": "undo"}) is back
    assert text(done(back, NONE, {"do": "redo"}, {"do": "redo"})) == text(flagged)
    other = done(back, NONE, {"do": "redo"}, {"do": "open", "cell": 0})
    assert text(other)[0] == "*###"
    assert shown(other, NONE)["game"] == {"outcome": "lost", "undo": 2, "redo": 0, "choice": None}
    assert done(other, NONE, {"do": "redo"}) is other  # a new move ends what was undone
    with pytest.raises(ValueError, match="the game is lost"):
        changed(other, {"do": "open", "cell": 1}, NONE)
    won = done(other, NONE, {"do": "undo"}, {"do": "open", "cell": 1}, {"do": "open", "cell": 2})
    assert shown(won, NONE)["game"]["outcome"] == "won"


def test_a_game_goes_on_in_a_copy():
    game = Game(LAYOUT)
    game.open(8)
    game.flag(0)
    scene = done(begin(game, NONE), NONE, {"do": "flag", "cell": 0}, {"do": "open", "cell": 0})
    assert shown(scene, NONE)["game"]["outcome"] == "lost"
    assert str(game.outcome) == "playing"
    assert game.position().rows()[0] == "F###"


def test_a_position_is_set_up_by_hand():
    scene = done(begin(LAYOUT, NONE), NONE, {"do": "open", "cell": 8})
    for symbol in "012345678#F*_":
        painted = done(scene, NONE, {"do": "paint", "cells": [0, 5, 11], "as": symbol})
        assert [painted.position.text().replace("\n", "")[cell] for cell in (0, 5, 11)] == [symbol] * 3
        if painted is not scene:  # painting what is there changes nothing
            assert painted.game is None
            assert done(painted, NONE, {"do": "undo"}).game is scene.game  # one stroke, and the game is there again
    flagged = done(begin(OPEN, NONE), NONE, {"do": "flag", "cell": 0}, {"do": "mines", "count": None})
    assert (flagged.position.mines, text(flagged)[0]) == (None, "F#1#1#")
    assert done(flagged, NONE, {"do": "flag", "cell": 0}).position.mines is None
    assert text(done(flagged, NONE, {"do": "clear"})) == ["######"] * 3
    wider = done(flagged, NONE, {"do": "position", "text": "1#\n##\n##"})
    assert wider.position.shape == (3, 2)
    assert done(wider, NONE, {"do": "undo"}).position == flagged.position
    with pytest.raises(ValueError, match="set up by hand"):
        changed(flagged, {"do": "open", "cell": 0}, NONE)


@pytest.mark.parametrize(
    "action",
    [
        {},
        {"do": None},
        {"do": ["open"]},
        {"do": "explode"},
        {"do": "open"},
        {"do": "open", "cell": 12},
        {"do": "open", "cell": -1},
        {"do": "open", "cell": 1.0},
        {"do": "open", "cell": True},
        {"do": "flag", "cell": "0"},
        {"do": "paint", "cells": 0, "as": "#"},
        {"do": "paint", "cells": "0", "as": "#"},
        {"do": "paint", "cells": [0] * 13, "as": "#"},
        {"do": "paint", "cells": [12], "as": "#"},
        {"do": "paint", "cells": [0], "as": "9"},
        {"do": "paint", "cells": [0], "as": "##"},
        {"do": "paint", "cells": [0], "as": ""},
        {"do": "paint", "cells": [0]},
        {"do": "mines", "count": -1},
        {"do": "mines", "count": 2.5},
        {"do": "mines", "count": float("nan")},
        {"do": "mines", "count": "2"},
        {"do": "position", "text": "1x"},
        {"do": "position", "text": ""},
        {"do": "position", "text": ["##"]},
        {"do": "position", "text": "\n".join(["#" * 101] * 100)},
        {"do": "solver", "name": "nobody"},
        {"do": "solver", "name": None},
        {"do": "steps"},
        {"do": "next"},
    ],
    ids=lambda action: json.dumps(action)[:40],
)
def test_what_means_nothing_is_refused_in_one_line(action):
    with pytest.raises(ValueError, match=r"^[^\n]+$") as raised:
        changed(begin(LAYOUT, NONE), action, NONE)
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 250


def test_boards_that_are_no_table_or_too_large_are_refused():
    line = Topology((1, 3), np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1]), "line")
    for topology in (line, graph([{1, 2}, {0, 2}, {0, 1}])):
        message = f"a table of squares or hexagons, not of topology '{topology.name}'"
        with pytest.raises(ValueError, match=message):
            begin(Position([[-2, -2, -2]], topology=topology), NONE)
        with pytest.raises(ValueError, match=message):
            begin(Layout([[True, False, False]], topology), NONE)
    with pytest.raises(ValueError, match=f"{MOST_CELLS:,}"):
        begin(Position(np.full((101, 100), -2)), NONE)
    with pytest.raises(ValueError, match="clue 9"):
        begin(Position([[9, -2]]), NONE)
    with pytest.raises(ValueError, match="unknown solver 'x'"):
        begin(OPEN, NONE, "x")
    with pytest.raises(ValueError, match="a Position, a Layout or a Game, not 7"):
        begin(7, NONE)


def test_the_answer_is_the_solver_s(tools):
    for name in ("counting", "single", "sat"):
        scene = done(begin(OPEN, tools), tools, {"do": "solver", "name": name})
        found = make_solver(name).deduce(OPEN.problem())
        answer = shown(scene, tools)["answer"]
        assert answer["status"] == str(found.status)
        assert [mark == "s" for mark in answer["marks"]] == found.safe.tolist()
        assert [mark == "m" for mark in answer["marks"]] == found.mines.tolist()
        assert (answer["odds"] is not None) == (name == "counting")
    assert shown(begin(OPEN, tools), tools)["answer"]["text"] == "complete: 3 safe, 0 mines, 11 not settled"
    assert shown(begin(OPEN, tools, ""), tools)["answer"]["text"] == "no solver"
    local = begin(Position.parse(["1#", "##"]), tools, "single")
    assert shown(local, tools)["answer"]["text"] == (
        "partial, from the clues alone: 0 safe, 0 mines, 3 not settled; there may be more"
    )
    odds = shown(begin(OPEN, tools), tools)["answer"]["odds"]
    exact = make_solver("counting").marginals(OPEN.problem()).probability
    assert odds == [None if p != p else "<1" if 0 < p < 0.01 else f"{100 * p:.0f}" for p in exact.tolist()]
    assert odds[1] == "48"  # 16 of 33


def test_what_is_not_certain_never_looks_certain(tools):
    wide = Position(np.full((40, 50), -2), mines=1)
    scene = begin(wide, tools)
    assert set(shown(scene, tools)["answer"]["odds"]) == {"<1"}
    assert explained(scene, 0, tools)["text"] == "row 0, column 0 is not settled: a mine with probability 0.05 %"
    full = begin(Position(np.full((40, 50), -2), mines=1999), tools)
    assert set(shown(full, tools)["answer"]["odds"]) == {">99"}


def test_errors_of_solvers_are_one_line(tools):
    class Shelf(dict):
        def __missing__(self, name):
            raise Unsupported("needs a library\nthat is missing")

        def __contains__(self, name):
            return True

    for wrong, line in (
        (ValueError("no\n  such"), "bad: no such"),
        (RuntimeError(), "bad: RuntimeError"),
        (KeyError("k"), "bad: k"),
        (MemoryError("x" * 1000), f"bad: {'x' * 239}…"),
    ):
        kit = Tools({"bad": Faulty(wrong), "counting": make_solver("counting")})
        scene = begin(OPEN, kit)
        answer = shown(scene, kit)["answer"]
        assert (answer["status"], answer["text"], answer["marks"], answer["odds"]) == ("error", line, "", None)
        assert done(scene, kit, {"do": "solver", "name": "counting"}).answer.status == "complete"
    shelf = Tools(Shelf())
    assert begin(OPEN, shelf, "missing").answer.error == "missing: needs a library that is missing"


def test_errors_of_other_tools_are_one_line():
    def fails(*given):
        raise RuntimeError("out of\nluck")

    kit = Tools({"counting": make_solver("counting")}, fails, fails, fails, None)
    scene = begin(OPEN, kit)
    assert scene.answer.status == "complete"
    assert scene.answer.error == "out of luck"
    assert explained(scene, 0, kit)["text"] == "out of luck"
    with pytest.raises(ValueError, match="out of luck"):
        changed(scene, {"do": "steps"}, kit)


def test_a_contradiction_is_shown_whoever_is_asked(tools):
    for name in ("counting", "single", ""):
        scene = begin(BROKEN, tools, name)
        conflict = shown(scene, tools)["answer"]["conflict"]
        assert conflict == {"clues": [6], "text": "contradiction: no arrangement of mines fits the marked clue"}
        assert explained(scene, 1, tools) == {"cell": 1, **conflict}
    with pytest.raises(ValueError, match="no arrangement of mines fits"):
        changed(begin(BROKEN, tools), {"do": "next"}, tools)
    with pytest.raises(ValueError, match="no model"):
        changed(begin(BROKEN, tools), {"do": "steps"}, tools)
    many = begin(Position.parse("1#", mines=2), tools)
    assert shown(many, tools)["answer"]["conflict"] == {
        "clues": [],
        "text": "contradiction: no arrangement of mines fits the mine count",
    }
    mended = done(begin(BROKEN, tools), tools, {"do": "paint", "cells": [6], "as": "2"})
    assert shown(mended, tools)["answer"]["conflict"] is None


def test_explanations(tools):
    scene = begin(OPEN, tools)
    why = explain(OPEN.problem(), 13)
    assert why is not None
    content = explained(scene, 13, tools)
    assert content["clues"] == OPEN.clue_cells()[list(why.constraints)].tolist()
    assert content["text"] == f"row 2, column 1 is safe: follows from {why.size} clue{'s' if why.size > 1 else ''}"
    assert explained(scene, 2, tools) == {"cell": 2, "clues": [], "text": ""}
    assert explained(begin(OPEN, NONE), 0, NONE)["text"] == "row 0, column 0 is covered"
    counted = begin(Position.parse(["1##", "###"], mines=1), tools)
    assert explained(counted, 2, tools)["text"] == "row 0, column 2 is safe: follows from 1 clue and the mine count"
    with pytest.raises(ValueError, match="outside"):
        explained(scene, 18, tools)
    assert said(scene, {"do": "undo"}, tools) is None


def test_steps_settle_what_the_solver_proves(tools):
    scene = done(begin(OPEN, tools), tools, {"do": "steps"})
    steps = shown(scene, tools)["steps"]
    assert sorted(cell for step in steps for cell in step["safe"]) == [13, 14, 15]
    clues = set(OPEN.clue_cells().tolist())
    assert all(set(step["clues"]) <= clues for step in steps)
    assert steps[0]["text"].startswith(f"step 1 of {len(steps)}: ")
    assert shown(done(scene, tools, {"do": "flag", "cell": 0}), tools)["steps"] is None
    assert done(scene, tools, {"do": "solver", "name": "sat"}).steps is not None  # they are the position's


def test_the_policy_plays_a_game_to_its_end(tools):
    layout = Layout.random(9, 9, 10, 5, first=0, rule="opening")
    scene = done(begin(layout, tools), tools, {"do": "open", "cell": 0})
    while shown(scene, tools)["game"]["outcome"] == "playing":
        before, scene = scene, changed(scene, {"do": "next"}, tools)
        assert scene.choice is not None
        assert not (scene.choice.proved and layout.mines.flat[scene.choice.cell])
        assert scene.choice == changed(before, {"do": "next"}, tools).choice  # the same again
    with pytest.raises(ValueError, match="the game is"):
        changed(scene, {"do": "next"}, tools)


def test_for_a_position_set_up_by_hand_the_policy_only_says(tools):
    scene = done(begin(OPEN, tools), tools, {"do": "next"})
    assert scene.position == OPEN
    assert shown(scene, tools)["game"]["choice"] == {
        "cell": 13,
        "text": "the policy would open row 2, column 1: proved safe",
    }
    guess = done(begin(Position.parse("##1##", mines=2), tools), tools, {"do": "next"})
    assert shown(guess, tools)["game"]["choice"]["text"].endswith(": a guess with probability 50 % of a mine")
    for name, message in (("sat", "probabilities"), ("", "choose one")):
        with pytest.raises(ValueError, match=message):
            changed(begin(Position.parse("#1#", mines=1), tools, name), {"do": "next"}, tools)


def test_a_flag_in_the_way_of_the_policy_is_not_opened(tools):
    scene = begin(Layout.parse(["..*", "...", "..."]), tools)
    scene = done(scene, tools, {"do": "flag", "cell": 5}, {"do": "open", "cell": 6})
    assert text(scene) == ["01#", "01F", "000"]
    with pytest.raises(ValueError, match="there is a flag on row 1, column 2, which would be opened next"):
        changed(scene, {"do": "next"}, tools)


@given(st.data())
def test_clue_cells_are_those_of_the_problem(data):
    rows, columns = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 4))
    codes = data.draw(st.lists(st.integers(-3, 4), min_size=rows * columns, max_size=rows * columns))
    position = Position(np.array(codes).reshape(rows, columns))
    cells = position.clue_cells().tolist()
    problem = position.problem()
    assert len(cells) == len(problem.totals)
    for cell, constraint in zip(cells, problem.constraints, strict=True):
        near = position.topology.of(cell)
        assert constraint.scope == {c for c in near.tolist() if position.codes.flat[c] == -2}
        assert constraint.total == position.codes.flat[cell] - np.count_nonzero(position.codes.flat[near] == HIT)


CELLS = st.integers(0, 11)
ACTIONS = st.one_of(
    st.fixed_dictionaries({"do": st.sampled_from(["open", "flag"]), "cell": CELLS}),
    st.fixed_dictionaries(
        {"do": st.just("paint"), "cells": st.lists(CELLS, max_size=4), "as": st.sampled_from("012345678#F*_")}
    ),
    st.fixed_dictionaries({"do": st.just("mines"), "count": st.none() | st.integers(0, 15)}),
    st.fixed_dictionaries({"do": st.just("solver"), "name": st.sampled_from(["counting", "single", "sat", ""])}),
    st.fixed_dictionaries({"do": st.sampled_from(["undo", "redo", "steps", "next", "clear"])}),
    st.fixed_dictionaries({"do": st.just("explain"), "cell": CELLS}),
)


@settings(max_examples=60)
@given(actions=st.lists(ACTIONS, max_size=15), game=st.booleans())
def test_whatever_is_done_there_is_something_to_show_and_a_way_back(tools, actions, game):
    start = scene = begin(LAYOUT if game else Position.parse(["1###", "####", "###1"], mines=3), tools)
    for action in actions:
        try:
            answer = said(scene, action, tools)
            scene = scene if answer is not None else changed(scene, action, tools)
        except ValueError:
            pass
        content = shown(scene, tools)
        json.dumps(content, allow_nan=False)
        assert Position.parse(content["position"], content["mines"]) == scene.position
        assert len(content["answer"]["marks"]) in (0, 12)
    last = scene
    while scene.past:
        scene = changed(scene, {"do": "undo"}, tools)
    assert scene.position == start.position
    while scene.future:
        scene = changed(scene, {"do": "redo"}, tools)
    if not last.future:
        assert scene.position == last.position


@pytest.mark.parametrize("shape", [(1, 1), (1, 50), (50, 1), (50, 50)])
@pytest.mark.parametrize("mines", [None, 1])
def test_all_sizes(tools, shape, mines):
    scene = begin(Position(np.full(shape, -2), mines), tools)
    if shape != (1, 1) or mines is None:
        scene = done(scene, tools, {"do": "next"})
    scene = done(scene, tools, {"do": "steps"}, {"do": "flag", "cell": shape[0] * shape[1] - 1})
    assert len(json.dumps(shown(scene, tools))) < 30_000
    assert explained(scene, 0, tools)["text"]


def test_a_torus_stays_one(tools):
    cells = np.arange(9).reshape(3, 3)
    near = [
        sorted({int(np.roll(cells, (r, c), (0, 1)).flat[i]) for r in (-1, 0, 1) for c in (-1, 0, 1)} - {i})
        for i in range(9)
    ]
    torus = Topology((3, 3), np.arange(0, 73, 8), np.concatenate(near), "torus")
    scene = begin(Position(np.full((3, 3), -2), 1, topology=torus), tools)
    scene = done(scene, tools, {"do": "paint", "cells": [0], "as": "1"}, {"do": "position", "text": "2##\n###\n###"})
    assert scene.position.topology == torus
    assert done(scene, tools, {"do": "position", "text": "2##"}).position.topology == grid(1, 3)


def test_a_game_of_hexagons(tools):
    scene = begin(HEXAGONS, tools)
    assert shown(scene, tools)["table"] == {"shifted": 1, "text": "hexagonal"}
    scene = done(scene, tools, {"do": "open", "cell": 8})
    # row 1 stands to the right: above cell 4 there are 0 and 1, above 5 there are 1 and 2, above 7 only 3, no mine
    assert text(scene) == ["###1", "1110", "0000"]
    scene = done(scene, tools, {"do": "flag", "cell": 0}, {"do": "open", "cell": 1})
    assert text(scene) == ["F2#1", "1110", "0000"]
    assert shown(scene, tools)["game"]["outcome"] == "won"
    scene = done(scene, tools, {"do": "undo"})
    assert scene.position.topology == hexagonal(3, 4)
    assert explained(scene, 0, tools)["text"].startswith("row 0, column 0 is a mine")
    clues = explained(scene, 1, tools)["clues"]
    assert 5 in clues  # and one that says that 2 is a mine
    assert len(set(clues) & {3, 6}) == 1
    assert shown(done(scene, tools, {"do": "steps"}), tools)["steps"]
    painted = done(scene, tools, {"do": "paint", "cells": [2, 9], "as": "_"}, {"do": "mines", "count": None})
    assert text(painted) == ["F#_1", "1110", "0_00"]
    assert painted.position.topology == hexagonal(3, 4)
    won = done(scene, tools, {"do": "next"})
    assert shown(won, tools)["game"]["outcome"] == "won"


def test_a_hexagon_s_clue_counts_its_six_neighbours(tools):
    for cell, near in ((4, [1, 2, 3, 5, 7, 8]), (1, [0, 2, 3, 4])):
        scene = begin(Position(np.full((3, 3), -2), topology=hexagonal(3, 3)), tools)
        scene = done(scene, tools, {"do": "paint", "cells": [cell], "as": str(len(near))})
        assert np.flatnonzero([mark == "m" for mark in shown(scene, tools)["answer"]["marks"]]).tolist() == near


def test_the_front_end_hears_what_table_it_is():
    def table(topology, shape=(2, 2)):
        return shown(begin(Position(np.full(shape, -2), topology=topology), NONE), NONE)["table"]

    assert table(None) == {"shifted": None, "text": ""}
    assert table(torus(2, 2)) == {"shifted": None, "text": "torus: opposite edges meet"}
    assert table(hexagonal(2, 2)) == {"shifted": 1, "text": "hexagonal"}
    even = graph([{1, 2, 3}, {0, 3}, {0, 3}, {0, 1, 2}], (2, 2), "even rows")
    assert table(even) == {"shifted": 0, "text": "topology even rows"}
    for shape in ((1, 1), (1, 3), (3, 1)):
        assert table(hexagonal(*shape), shape)["shifted"] == 1
    board = Board(Position(np.full((2, 2), -2), topology=hexagonal(2, 2)))
    board.position = "##\n#2"
    assert board.table["shifted"] == 1
    board.position = "###\n###"  # another shape: the grid again
    assert board.table == {"shifted": None, "text": ""}
    board.act({"do": "undo"})
    assert board.table["shifted"] == 1


# ---- the widget


@pytest.fixture
def board(tools):
    return Board(LAYOUT, tools.solvers, explain=explain, steps=explain_steps, policy=tools.policy)


def hear(board, message):
    """What the widget answers to a message of its front end."""
    sent = []
    board.send = sent.append
    board._handle_custom_msg(message, [])
    return sent


def test_messages_change_traits_and_observers_see_it(board):
    seen = []
    board.observe(lambda change: seen.append((change["new"], board.game["undo"], board.current.text())), "position")
    assert hear(board, {"do": "open", "cell": 8}) == []
    assert board.position == "####\n1111\n0000"
    assert seen == [(board.position, 1, board.position)]
    assert board.answer["status"] == "complete"
    assert hear(board, {"do": "explain", "cell": 1})[0]["text"] == "row 0, column 1 is safe: follows from 2 clues"
    assert hear(board, {"do": "open", "cell": 99}) == [{"error": "cell 99 is outside 0..11"}]
    assert "error" in hear(board, ["open"])[0]
    assert hear(board, {"do": "steps"}) == []
    assert board.steps
    board.act({"do": "undo"})
    assert board.position == "####\n####\n####"
    assert board.steps is None


def test_traits_are_set_from_python(board):
    board.solver = "single"
    assert board.answer["status"] == "partial"
    board.position = "1#\n##\n"
    assert (board.position, board.current.shape, board.game["outcome"]) == ("1#\n##", (2, 2), "")
    board.mines = 1
    assert board.current == Position.parse(["1#", "##"], mines=1)
    board.mines = None
    for name, wrong, message in (
        ("position", "1x", "unknown character 'x'"),
        ("position", "\n".join(["#" * 101] * 100), "10,000"),
        ("mines", -1, "a mine count is an integer >= 0"),
        ("solver", "x", "unknown solver 'x'"),
    ):
        with pytest.raises(traitlets.TraitError, match=message):
            setattr(board, name, wrong)
        assert (board.position, board.mines, board.solver) == ("1#\n##", None, "single")
        assert board.current == Position.parse(["1#", "##"])


def test_a_front_end_sets_the_solver_and_only_what_changed_is_sent(board):
    board.set_state({"solver": "sat"})
    assert board.answer["odds"] is None
    names = set()
    board.observe(lambda change: names.add(change["name"]))
    hear(board, {"do": "flag", "cell": 0})
    assert names == {"position", "game"}


def test_a_board_without_anything_to_ask():
    board = Board("1#")
    assert board.offers == {"solvers": [], "explain": False, "steps": False, "policy": False}
    assert board.answer["text"] == "no solver"
    assert "render" in board._esm
    assert "--board-safe-tint:" in board._css


def test_explore_hands_in_all_there_is():
    board = explore(OPEN, "sat:encoding=seqcounter")
    assert board.offers["solvers"][:2] == ["sat:encoding=seqcounter", "single"]
    assert board.offers["policy"]
    assert board.solver == "sat:encoding=seqcounter"
    assert explore("1#").solver == "counting"
    with pytest.raises(ValueError, match="nobody"):
        project_tools("nobody")
    assert list(project_tools("single").solvers).count("single") == 1


def test_a_solver_without_its_library_is_one_line(monkeypatch):
    def missing(spec):
        raise Unsupported(f"solver {spec!r} needs a library")

    board = explore(OPEN)
    monkeypatch.setattr("benchmarks.exploring.make_solver", missing)
    board.solver = "mstoollib"
    assert board.answer["text"] == "mstoollib: solver 'mstoollib' needs a library"
    assert hear(board, {"do": "solver", "name": "counting"}) == []
    assert board.answer["status"] == "complete"


# ---- JupyterLab

CELLS_OF_NOTEBOOK = [
    "from benchmarks.exploring import explore\n"
    "from board import Layout\n"
    "seen = []\n"
    "board = explore(Layout.parse(['*..*', '....', '....']))\n"
    "board.observe(lambda change: seen.append(change['new']), 'position')\n"
    "board",
    "print(len(seen), repr(board.position), board.solver)",
]


def notebook():
    cells = [
        {
            "cell_type": "code",
            "id": f"cell-{i}",
            "metadata": {},
            "source": source,
            "outputs": [],
            "execution_count": None,
        }
        for i, source in enumerate(CELLS_OF_NOTEBOOK)
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return json.dumps({"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5})


@pytest.fixture
def lab(tmp_path):
    """JupyterLab on this machine, with the dark theme and nothing of the user's; the address of a notebook in it."""
    settings_folder = tmp_path / "settings" / "@jupyterlab" / "apputils-extension"
    settings_folder.mkdir(parents=True)
    quiet = {"fetchNews": "false", "checkForUpdates": False}
    (settings_folder / "notification.jupyterlab-settings").write_text(json.dumps(quiet))
    (settings_folder / "themes.jupyterlab-settings").write_text(json.dumps({"theme": "JupyterLab Dark"}))
    root = tmp_path / "root"
    root.mkdir()
    (root / "board.ipynb").write_text(notebook())
    names = ("CONFIG", "DATA", "RUNTIME")
    own = {f"JUPYTER_{name}_DIR": str(tmp_path / name.lower()) for name in names} | {
        "JUPYTERLAB_SETTINGS_DIR": str(tmp_path / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(tmp_path / "workspaces"),
        "IPYTHONDIR": str(tmp_path / "ipython"),
    }
    token = secrets.token_hex(16)
    arguments = f"lab --no-browser --ip=127.0.0.1 --port=0 --IdentityProvider.token={token} --allow-root"
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "jupyter", *arguments.split(), f"--ServerApp.root_dir={root}"],
            env={**os.environ, **own},
            stdout=log,
            stderr=log,
        )
    try:
        yield f"{address(process, tmp_path)}lab/tree/board.ipynb?token={token}"
    finally:
        process.terminate()
        process.wait(30)


def address(process, folder):
    for _ in range(600):
        for file in (folder / "runtime").glob("jpserver-*.json"):
            content = file.read_text()
            if content.endswith("}"):
                return json.loads(content)["url"]
        assert process.poll() is None, (folder / "log").read_text()
        time.sleep(0.1)
    raise AssertionError((folder / "log").read_text())


@pytest.mark.slow
def test_in_jupyterlab(lab):
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 1200, "height": 1000})
        page.set_default_timeout(60_000)
        errors = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(lab)
        page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
        page.locator(".jp-Cell .cm-content").first.click()
        page.keyboard.press("Shift+Enter")
        widget = page.locator(".sapper-board")
        cells = widget.locator(".cell")
        cells.first.wait_for()
        assert "dark" in widget.get_attribute("class").split()
        cells.nth(8).click()
        widget.get_by_text("complete: 2 safe, 2 mines, 0 not settled").wait_for()
        assert cells.nth(0).get_attribute("aria-label") == "row 0, column 0: covered, proved a mine"
        cells.nth(1).hover()
        widget.get_by_text("row 0, column 1 is safe: follows from 2 clues").wait_for()
        assert widget.locator(".cell.used").count() == 2
        cells.nth(0).click(button="right")
        widget.get_by_label("row 0, column 0: flag, proved a mine").wait_for()
        cells.nth(8).focus()
        for key in ("ArrowUp", "ArrowUp", "ArrowRight", "Enter"):  # Enter is the board's here, not the notebook's
            page.keyboard.press(key)
        widget.get_by_label("row 0, column 1: clue 1").wait_for()
        widget.get_by_role("button", name="Undo").click()
        widget.get_by_label("row 0, column 1: covered, proved safe").wait_for()
        widget.get_by_label("Solver").select_option("sat")
        widget.get_by_text("Probabilities").wait_for(state="hidden")
        page.locator(".jp-Cell .cm-content").nth(1).click()
        page.keyboard.press("Shift+Enter")
        page.get_by_text(r"4 'F###\n1111\n0000' sat").wait_for()
        assert errors == []
