"""Layouts: clues, drawing under the first-click rules, text, and what a player sees of them."""

import json
import pickle
import re
from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from board import COVERED, HIT, Layout, Position, Topology, grid

BEHAVIOURS = {
    b["id"]: b for b in map(json.loads, (Path(__file__).parent / "data/behaviours.jsonl").open(encoding="utf-8"))
}
ring = Topology((1, 5), np.arange(0, 11, 2), np.array([1, 4, 0, 2, 1, 3, 2, 4, 0, 3]), "ring")
alone = Topology((1, 3), np.zeros(4, np.int32), np.zeros(0, np.int32), "alone")


@st.composite
def requests(draw):
    """(rows, columns, mines, first, rule, allowed cells) with room for the mines."""
    rows, columns = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    rule = draw(st.sampled_from(["any", "safe", "opening"]))
    first = draw(st.integers(0, rows * columns - 1))
    row, column = divmod(first, columns)
    reach = {"any": -1, "safe": 0, "opening": 1}[rule]
    allowed = {
        r * columns + c for r in range(rows) for c in range(columns) if max(abs(r - row), abs(c - column)) > reach
    }
    mines = draw(st.integers(0, len(allowed)))
    return rows, columns, mines, draw(st.sampled_from([first, (row, column)])), rule, allowed


@given(requests(), st.integers(0, 2**64))
def test_random_obeys_the_count_and_the_rule(request, seed):
    rows, columns, mines, first, rule, allowed = request
    layout = Layout.random(rows, columns, mines, seed, first=first, rule=rule)
    cells = np.flatnonzero(layout.mines).tolist()
    assert layout.shape == (rows, columns)
    assert layout.count == len(cells) == mines
    assert allowed.issuperset(cells)
    assert layout == Layout.random(rows, columns, mines, np.random.default_rng(seed), first=first, rule=rule)


@given(requests())
def test_one_mine_more_than_the_room_is_refused_with_the_limit(request):
    rows, columns, _, first, rule, allowed = request
    full = Layout.random(rows, columns, len(allowed), 0, first=first, rule=rule)
    assert set(np.flatnonzero(full.mines).tolist()) == allowed
    with pytest.raises(ValueError, match=f"{len(allowed) + 1} mines: .* room for {len(allowed)} at most"):
        Layout.random(rows, columns, len(allowed) + 1, 0, first=first, rule=rule)


def test_random_is_uniform_over_the_allowed_layouts():
    rng = np.random.default_rng(5)
    draws = 6000
    seen = Counter(
        tuple(np.flatnonzero(Layout.random(2, 3, 2, rng, first=0, rule="safe").mines).tolist()) for _ in range(draws)
    )
    allowed = list(combinations(range(1, 6), 2))
    assert sorted(seen) == allowed
    expected = draws / len(allowed)
    chi_squared = sum((seen[pair] - expected) ** 2 / expected for pair in allowed)
    assert chi_squared < 33.7  # 9 degrees of freedom, p = 0.0001


def test_a_seed_is_a_layout_for_good():
    drawn = Layout.random(4, 6, 7, [3, 1, 4], first=(1, 1), rule="opening")
    assert drawn.text().splitlines() == [".....*", "...*.*", ".....*", ".**..*"]
    assert drawn != Layout.random(4, 6, 7, [3, 1, 5], first=(1, 1), rule="opening")


@given(st.data())
def test_clues_count_the_mined_neighbours_on_any_topology(data):
    topology = data.draw(st.sampled_from([grid(1, 1), grid(1, 6), grid(5, 1), grid(4, 5), ring, alone]))
    mines = np.array(data.draw(st.lists(st.booleans(), min_size=topology.n, max_size=topology.n)))
    layout = Layout(mines.reshape(topology.shape), topology)
    assert layout.clues.dtype == np.int16
    assert layout.clues.ravel().tolist() == [int(mines[topology.of(c)].sum()) for c in range(topology.n)]


def test_clues_can_exceed_eight():
    star = Topology((1, 21), np.array([0, 20, *range(21, 41)]), np.array([*range(1, 21), *[0] * 20]), "star")
    layout = Layout.random(1, 21, 20, 1, first=0, rule="safe", topology=star)
    assert layout.clues[0, 0] == 20
    opened = np.arange(21).reshape(1, 21) == 0
    assert layout.position(opened).codes[0, 0] == 20


@given(requests(), st.integers(0, 99))
def test_text_round_trip(request, seed):
    rows, columns, mines, first, rule, _ = request
    layout = Layout.random(rows, columns, mines, seed, first=first, rule=rule)
    assert Layout.parse(layout.text()) == Layout.parse(layout.text().split("\n")) == layout
    assert hash(Layout.parse(layout.text())) == hash(layout)
    assert eval(repr(layout)) == layout


def test_position_shows_clues_hits_and_covered_cells():
    layout = Layout.parse(["*..", "..*"])
    opened = np.array([[True, True, False], [False, False, False]])
    position = layout.position(opened)
    assert position == Position([[HIT, 2, COVERED], [COVERED] * 3], mines=2)
    assert (layout.position().codes == COVERED).all()
    flags = np.array([[False, False, True], [False] * 3])
    assert layout.position(opened, flags).text() == "*2F\n###"
    for wrong in (opened.T, opened.astype(int)):
        with pytest.raises(ValueError, match="opened is bool"):
            layout.position(wrong)


def test_layouts_are_values():
    layout = Layout.parse("*.\n..")
    for array in (layout.mines, layout.clues):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 0
    copy = pickle.loads(pickle.dumps(layout))
    assert copy == layout
    assert not copy.mines.flags.writeable
    assert layout != Layout(layout.mines, Topology((2, 2), np.zeros(5, np.int32), np.zeros(0, np.int32), "alone"))
    mask = np.zeros((2, 2), bool)
    made = Layout(mask)
    mask[0, 0] = True
    assert made.count == 0


@pytest.mark.parametrize("size", [(1, 1), (1, 50), (50, 1), (1000, 1000)])
def test_any_size_from_no_mine_to_all(size):
    cells = size[0] * size[1]
    for mines in {0, cells // 7, cells}:
        assert Layout.random(*size, mines, 1).count == mines


def test_behaviour_more_mines_than_cells():
    given = BEHAVIOURS["b-mines-over-cells"]["input"]
    with pytest.raises(ValueError, match=r"450 mines: a 20x20 board has room for 400 at most$"):
        Layout.random(given["rows"], given["cols"], given["mines"], 1)


@pytest.mark.parametrize("mines", [*BEHAVIOURS["b-mines-negative"]["input"]["mines"], None, float("nan")])
def test_behaviour_a_count_that_is_none(mines):
    with pytest.raises(ValueError, match="mine count"):
        Layout.random(3, 3, mines, 1)


@pytest.mark.parametrize(
    ("arguments", "options", "said"),
    [
        ((0, 3, 0), {}, "0 rows x 3 columns"),
        ((3, 2.5, 1), {}, "columns: an integer is needed, not 2.5"),
        ((True, 3, 1), {}, "rows: an integer is needed, not True"),
        ((3, 3, 1), {"first": 9}, "cell 9 is outside 0..8"),
        ((3, 3, 1), {"first": -1, "rule": "safe"}, "cell -1 is outside 0..8"),
        ((3, 3, 1), {"first": (0, 3)}, "row 0, column 3 is outside a board of 3 rows x 3 columns"),
        ((3, 3, 1), {"first": (0, 1, 2)}, "not (0, 1, 2)"),
        ((3, 3, 1), {"rule": "safe"}, "the rule 'safe' needs the first cell"),
        (
            (3, 3, 1),
            {"first": 0, "rule": "snr"},
            "unknown first-click rule 'snr'; known are any, safe, opening",
        ),
        ((3, 3, 1), {"topology": "torus"}, "a topology is a Topology, not 'torus'"),
        ((3, 3, 1), {"topology": grid}, "a topology is a Topology, not <function grid"),
        ((2**20, 2**20, 1), {}, "a board has at most 268,435,456 cells, not 1048576 rows x 1048576 columns"),
        ((1, 4, 1), {"topology": ring}, "a topology of shape (1, 5) for a board of shape (1, 4)"),
    ],
)
def test_bad_requests_are_quoted(arguments, options, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        Layout.random(*arguments, 1, **options)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the layout is empty"),
        ([], "the layout is empty"),
        ([""], "the layout is empty"),
        ("\n  *.\n  *1\n", "unknown character '1' at line 3, column 4; known are * ."),
        (["*.", "*1"], "unknown character '1' at row 1, column 1; known are * ."),
        ("*.\n*", "line 2 has 1 cells, the first has 2: '*'"),
        ("*.\n*\n1.", "unknown character '1' at line 3, column 1; known are * ."),  # rather than the ragged line 2
        (7, "a layout is a text or rows of text, not 7"),
        (["*.", "*.."], "row 1 has 3 cells, the first has 2: '*..'"),
        ("*.\n\n*.", "line 2 has 0 cells, the first has 2: ''"),
    ],
)
def test_bad_text_is_quoted(text, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        Layout.parse(text)


@pytest.mark.parametrize("mines", [[[0, 1]], [True], [], [[True], [True, False]], "*."])
def test_mines_are_a_bool_table(mines):
    with pytest.raises(ValueError, match=r"mines are a bool table|inhomogeneous"):
        Layout(mines)


@pytest.mark.parametrize("topology", ["grid", 5, [[1], [0]], np.zeros(3), Topology])
def test_a_topology_is_one(topology):
    with pytest.raises(ValueError, match="a topology is a Topology, not "):
        Layout(np.zeros((1, 2), np.bool_), topology)
    with pytest.raises(ValueError, match=re.escape("a topology of shape (1, 5) for mines of shape (1, 2)")):
        Layout(np.zeros((1, 2), np.bool_), ring)
