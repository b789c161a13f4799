"""File formats: round trips, detection, what malformed input is told, mutated input, `sapper convert`."""

import io
import json
import os
import pickle
import pty
import re
import subprocess
import sys
import tracemalloc
from pathlib import Path

import ms_toollib
import numpy as np
import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from benchmarks.console import Commands
from benchmarks.convert_cli import convert, list_formats
from board import COVERED, HIT, UNNUMBERED, Game, Layout, Position, Topology
from board.array_formats import CODINGS
from board.decoding import MOST_BYTES, MOST_CELLS, is_text
from board.env import Environment
from board.formats import FORMATS, read, read_file, write

POSITIONS = [name for name, form in FORMATS.items() if form.holds == "position"]
LAYOUTS = [name for name, form in FORMATS.items() if form.holds == "layout"]
HOLDS = {  # beside covered cells and 0-8: what a format keeps
    "text": {"flags", HIT, UNNUMBERED},
    "mine": {"flags", HIT, "mines"},
    "minesweepr": {HIT},
    "minesweepr-json": {HIT, "mines"},
    "codes": {HIT, UNNUMBERED},
    "mstoollib": {"flags"},
    "playerfield": {HIT},
}
HOLDS |= {f"{name}-npy": HOLDS[name] for name in CODINGS if name in HOLDS}
GRIDS = [name for name in POSITIONS if name != "minesweepr-rules"]
each_format = pytest.mark.parametrize("name", FORMATS)

BOARD = Position.parse(["##1#1#", "##11F#", "######"], mines=5)
MINES = Layout.parse(["*..", "..*"])


def tables(values):
    return st.tuples(st.integers(1, 7), st.integers(1, 7)).flatmap(
        lambda shape: st.lists(
            st.lists(values, min_size=shape[1], max_size=shape[1]), min_size=shape[0], max_size=shape[0]
        )
    )


@st.composite
def positions(draw, keeps):
    cells = [*range(9), COVERED, *(["F"] if "flags" in keeps else []), *(c for c in (HIT, UNNUMBERED) if c in keeps)]
    table = np.array(draw(tables(st.sampled_from(cells))), object)
    flags = table == "F"
    mines = draw(st.integers(0, 99)) if "mines" in keeps else None
    return Position(np.where(flags, COVERED, table).astype(np.int16), mines, flags)


layouts = tables(st.booleans()).map(lambda table: Layout(np.array(table)))


def npy(array, **more):
    stream = io.BytesIO()
    np.save(stream, array, **more)
    return stream.getvalue()


def header(kind, shape, data=b"", order="False", version=1):
    text = f"{{'descr': {kind}, 'fortran_order': {order}, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY" + bytes([version, 0]) + len(text).to_bytes(2 if version == 1 else 4, "little") + text + data


def outcome(content, name=None):
    """(board, None), or (None, what the ValueError says): one line that can be printed."""
    try:
        return read(content, name), None
    except ValueError as wrong:
        told = str(wrong)
    assert told
    assert "\n" not in told
    told.encode()
    return None, told


def clause(*rules, cells=1):
    rules = [{"num_mines": count, "cells": names} for count, names in rules]
    return json.dumps({"rules": rules, "total_cells": cells, "total_mines": 1})


# what is written is read back


def test_a_row_that_looks_like_the_first_line_of_another_format():
    assert read(b"1x1x1\n") == Position.parse("1#1#1")
    assert read(b"1x1x1\n11111\n") == Position.parse(["1#1#1", "11111"])
    assert read(b"2x1x0\n00\n") == Position.parse("00", mines=0)
    with pytest.raises(ValueError, match="must be named, this could be mine, minesweepr"):
        read(b"5x1x0\n00000\n")


@pytest.mark.parametrize("name", GRIDS)
@given(st.data())
def test_a_position_comes_back(name, data):
    position = data.draw(positions(HOLDS[name]))
    content = write(position, name)
    assert read(content, name) == position
    found, told = outcome(content)  # detected, or told to name one of several that fit
    assert found == position or re.search(rf"could be .*\b{name}(,|$)", told)


@pytest.mark.parametrize("name", LAYOUTS)
@given(layouts)
def test_a_layout_comes_back(name, layout):
    content = write(layout, name)
    assert read(content, name) == layout
    found, told = outcome(content)
    assert found == layout or re.search(rf"could be .*\b{name}(,|$)", told)


@given(positions({HIT, "mines"}))
def test_rules_ask_what_the_position_asks(position):
    """The same clues over as many cells, up to their names; and the second time nothing changes."""
    problem = position.problem()
    if problem.mines < 0 or any(c.total < 0 for c in problem.constraints):
        with pytest.raises(ValueError, match=r"minesweepr-rules has no (clue|mine count) below 0"):
            write(position, "minesweepr-rules")
        return
    if not problem.covered.any() and not problem.totals.size:
        with pytest.raises(ValueError, match="at least one cell"):
            read(write(position, "minesweepr-rules"), "minesweepr-rules")
        return
    made = read(write(position, "minesweepr-rules"))
    asked = made.problem()
    assert (asked.covered.sum(), asked.mines) == (problem.covered.sum(), problem.mines)
    names = {}
    for c in problem.constraints:
        for cell in sorted(c.scope):
            names.setdefault(cell, len(names))
    expected = [({names[cell] for cell in c.scope}, c.total) for c in problem.constraints]
    assert [(set(c.scope), c.total) for c in asked.constraints] == expected
    assert read(write(made, "minesweepr-rules")) == made


@given(positions({"flags", HIT, "mines"}))
def test_what_a_format_has_no_place_for_is_left_out(position):
    bare = Position(position.codes)
    assert read(write(position, "minesweepr"), "minesweepr") == bare
    assert read(write(position, "codes"), "codes", mines=position.mines) == Position(position.codes, position.mines)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("text", b"##1#1#\n##11F#\n######\n"),
        ("mine", b"6x3x5\nHH1H1H\nHH11FH\nHHHHHH\n"),
        ("minesweepr", b"xx1x1x\nxx11xx\nxxxxxx\n"),
        ("minesweepr-json", b'{"board": "xx1x1x\\nxx11xx\\nxxxxxx", "total_mines": 5}\n'),
        ("codes", b"[[-2, -2, 1, -2, 1, -2],\n [-2, -2, 1, 1, -2, -2],\n [-2, -2, -2, -2, -2, -2]]\n"),
        ("mstoollib", b"[[10, 10, 1, 10, 1, 10],\n [10, 10, 1, 1, 11, 10],\n [10, 10, 10, 10, 10, 10]]\n"),
        ("playerfield", b"[[9, 9, 1, 9, 1, 9],\n [9, 9, 1, 1, 9, 9],\n [9, 9, 9, 9, 9, 9]]\n"),
    ],
)
def test_positions_as_they_are_written(name, content):
    assert write(BOARD, name) == content
    assert read(content, name, mines=5).codes.tolist() == BOARD.codes.tolist()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("layout", b"*..\n..*\n"),
        ("mbf", bytes([3, 2, 0, 2, 0, 0, 2, 1])),
        ("ptta", b"?b=0302&m=gg\n"),  # 10000 1|0000
        ("minefield", b"[[-1, 2, 1],\n [1, 2, -1]]\n"),
        ("mask", b"[[1, 0, 0],\n [0, 0, 1]]\n"),
    ],
)
def test_layouts_as_they_are_written(name, content):
    assert write(MINES, name) == content
    assert read(content, name) == MINES
    if name in ("mbf", "ptta"):  # the others have several readings
        assert read(content) == MINES


@each_format
def test_binary_formats_are_those_without_text(name):
    form = FORMATS[name]
    content = write(MINES if form.holds == "layout" else BOARD, name)
    assert form.looks(content)
    assert is_text(content) is not form.binary


def test_npy_is_what_numpy_loads():
    field = np.load(io.BytesIO(write(BOARD, "playerfield-npy")), allow_pickle=False)
    assert (field.dtype, field[0].tolist()) == (np.int16, [9, 9, 1, 9, 1, 9])
    assert np.load(io.BytesIO(write(MINES, "mask-npy"))).tolist() == MINES.mines.tolist()
    for kind in ("i1", ">i2", "<i4", "u1", "<i8", ">u8"):
        table = np.array([[9, 1], [9, 9]], kind)
        assert read(npy(table)).text() == "#1\n##"
        assert read(npy(np.asfortranarray(table))).text() == "#1\n##"
    for version in ((1, 0), (2, 0), (3, 0)):
        stream = io.BytesIO()
        np.lib.format.write_array(stream, np.array([[9, 1]]), version=version)
        assert read(stream.getvalue()).text() == "#1"


# the formats' own facts


def test_levels_and_sizes_of_an_address():
    for level, (rows, columns) in enumerate([(9, 9), (16, 16), (16, 30)], 1):
        digits = "0" * (-(-rows * columns // 5) - 1)
        layout = read(f"https://example.org/#/game/board-editor?x=1&b={level}&m=1{digits}#top")
        assert layout.shape == (rows, columns)
        assert np.flatnonzero(layout.mines).tolist() == [4]  # 1 is 00001
    assert read("b=21&m=g") == Layout.parse(["*."])
    assert read("?m=8&b=0102") == Layout.parse([".", "*"])
    assert write(Layout(np.zeros((1, 100), bool)), "ptta") == b"?b=100001&m=" + b"0" * 20 + b"\n"


def test_known_mines_are_taken_off_as_hit_ones():
    position = read("x2*\nxxx", "minesweepr", mines=2)
    assert position.text() == "#2*\n###"
    assert [str(c) for c in position.problem().constraints] == ["{0, 3, 4, 5} = 1"]
    assert read("3x1x1\n?1H").text() == "*1#"
    assert read(".1x").text() == "01#"
    assert read("01x") == read(".1x")


def test_rules_are_a_board_without_geometry():
    text = (
        '{"rules": [{"num_mines": 1, "cells": ["A", "B"]}, {"num_mines": 2, "cells": ["C", "B", 7]}, '
        '{"num_mines": 0, "cells": []}], "total_cells": 85, "total_mines": 10}'
    )
    position = read(text)
    assert (position.shape, position.mines, position.topology.name) == ((1, 87), 10, "rules")
    problem = position.problem()
    assert [str(c) for c in problem.constraints] == ["{0, 1} = 1", "{1, 2, 3} = 2"]
    assert problem.covered.sum() == 85


def test_rules_of_a_clue_that_cannot_be_met():
    assert [str(c) for c in read(clause((3, ["A"]), (1, []))).problem().constraints] == ["{0} = 3", "{} = 1"]


def test_arrays_of_the_environment():
    environment = Environment(seed=1)
    environment.reset()
    environment.step(0)
    position = read(json.dumps(environment.playerfield.tolist()), mines=10)
    assert np.array_equal(position.codes == COVERED, environment.playerfield == 9)
    layout = read(npy(environment.minefield), "minefield-npy")
    assert np.array_equal(layout.mines, environment.minefield == -1)


def test_arrays_of_ms_toollib():
    laid = ms_toollib.laymine(5, 7, 8, 0, 0)
    layout = read(json.dumps(laid), "minefield")
    assert json.loads(write(layout, "minefield")) == laid
    game = Game(layout)
    game.open(0, 0)
    table = json.loads(write(game.position(), "mstoollib"))
    probabilities, _ = ms_toollib.cal_probability_onboard(table, 8)
    assert np.shape(probabilities) == (5, 7)
    assert read("[[12, 1, 11, 10]]").rows() == ["#1F#"]


def test_counts_of_a_minefield_may_be_left_at_0():
    assert read("[[-1, 0, 0], [0, 0, -1]]", "minefield") == MINES
    with pytest.raises(ValueError, match=r"as minefield: 1 at row 0, column 1, and 2 of the cells beside it are -1"):
        read("[[-1, 1, 1], [1, 2, -1]]", "minefield")


# detection


@pytest.mark.parametrize(
    ("content", "among"),
    [
        ("*.", "layout, minesweepr"),
        ("**", "text, layout, minesweepr"),
        ("*\n*", "text, layout, minesweepr"),
        ("..", "layout, minesweepr"),
    ],
)
def test_two_readings_are_no_guess(content, among):
    assert outcome(content) == (None, f"the format must be named, this could be {among}")


@pytest.mark.parametrize(
    ("content", "among"),
    [
        ("[[0, 1]]", "codes, mstoollib, playerfield, mask"),
        ("[[-1, 1]]", "codes, playerfield, minefield"),
        ("[[0, 0]]", "codes, mstoollib, playerfield, minefield, mask"),
    ],
)
def test_numbers_with_several_meanings_are_no_guess(content, among):
    with pytest.raises(ValueError, match=f"^the format must be named, this could be {among}$"):
        read(content)


def test_different_dialects_that_say_the_same_need_no_name():
    assert read("12\n21").text() == "12\n21"
    assert read("1*").text() == "1*"
    assert read("[[2, 3], [4, 5]]").text() == "23\n45"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("#1", "#1"),
        ("x1.", "#10"),
        ("[[9, 1]]", "#1"),
        ("[[10, 1]]", "#1"),
        ("[[-2, -3]]", "#_"),
        ("\ufeff2x1x1\r\nH1\r\n", "#1"),
    ],
)
def test_one_reading_is_found(content, text):
    assert read(content).text() == text


# what is wrong, and where


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (None, "", "empty: there is no board"),
        (None, b"\n \n", "empty: there is no board"),
        ("text", "#1\n#q", "unknown character 'q' at line 2, column 2; known are 0-8 # F * _"),
        ("text", b"#1\n\xff", "not text: byte 0xff at offset 3, on line 2, is not UTF-8"),
        ("layout", "*.\n*", "line 2 has 1 cells, the first has 2: '*'"),
        ("minesweepr", "x1\n#x", "unknown character '#' at line 2, column 1; known are 0-8 . x *"),
        (None, "#1\n.x", "as text: unknown character '.' at line 2, column 1; "),
        ("mine", "9x9\n", "line 1 is WIDTHxHEIGHTxMINES, not '9x9'"),
        ("mine", "2x2x1\nHH\nHX", "unknown character 'X' at line 3, column 2; known are 0-8 H F ?"),
        ("mine", "2x2x1\nHH", "line 1 says 2 columns x 2 rows, and 2 x 1 follow"),
        ("mine", "2x1x1\nHH\nHH", "line 1 says 2 columns x 1 rows, and 2 x 2 follow"),
        ("mine", "99999x99999x1\nH", "99999 rows x 99999 columns: a board is read with at most 1,048,576"),
        ("mine", "0x1x1\nH", "a board has at least one cell, not 1 rows x 0 columns"),
        ("mbf", b"\x01\x01", "2 bytes, and width, height and mine count take 4"),
        ("mbf", b"\0\1\0\0", "byte 0: a board of 0 columns x 1 rows has no cell"),
        ("mbf", b"\1\0\0\0", "byte 1: a board of 1 columns x 0 rows has no cell"),
        ("mbf", b"\2\2\0\5" + bytes(10), "byte 2: 5 mines on 2 x 2 cells"),
        ("mbf", b"\2\2\0\1\0", "byte 2: 1 mines make a file of 6 bytes, and it has 5"),
        ("mbf", b"\3\2\0\2\0\0\1\2", "byte 7: row 2 is outside 0..1"),
        ("mbf", b"\3\2\0\2\0\0\3\1", "byte 6: column 3 is outside 0..2"),
        ("mbf", b"\3\2\0\3\2\1\0\0\2\1", "byte 8: the mine at row 1, column 2 stands twice"),
        ("ptta", "?b=0202", "no parameter m= in '?b=0202'"),
        ("ptta", "?b=0202&m=0&m=0", "more than one parameter m= in '?b=0202&m=0&m=0'"),
        ("ptta", "?b=5&m=0", "b is 1, 2, 3, or width and height in halves of equal length, not '5'"),
        ("ptta", "?b=020&m=0", "b is 1, 2, 3, or width and height in halves of equal length, not '020'"),
        ("ptta", "?b=0202&m=w", "column 11: 'w' is no digit to base 32, 0-9 and a-v"),
        ("ptta", "?b=0202&m=01", "column 11: 2 x 2 cells take 1 digits, and m has 2"),
        ("ptta", "?b=0202&m=1", "column 11: '1' has a mine beyond the last of 4 cells"),
        ("ptta", "?b=9999999999&m=0", "99999 rows x 99999 columns: a board is read with at most 1,048,576"),
        ("minesweepr-json", "{", "not JSON: Expecting property name enclosed in double quotes at line 1"),
        ("minesweepr-json", '{"board": "x"}', "total_mines: an integer of 0..999999999 is needed, not None"),
        (
            "minesweepr-json",
            '{"board": "x1\\n#", "total_mines": 1}',
            "board: unknown character '#' at line 2, column 1",
        ),
        ("minesweepr-json", '{"board": 1, "total_mines": 1}', 'an object is needed whose "board" is a text'),
        (
            "minesweepr-rules",
            '{"rules": [1], "total_cells": 1, "total_mines": 1}',
            'rule 0: an object is needed whose "cells" is a list',
        ),
        ("minesweepr-rules", '{"rules": [], "mine_prob": 0.2}', "mine_prob: a density"),
        (
            "minesweepr-rules",
            '{"rules": [], "total_cells": 1000000000, "total_mines": 1}',
            "total_cells: an integer of 0..1048576 is needed",
        ),
        ("minesweepr-rules", clause((1, ["a", "a"])), "rule 0: the cell 'a' stands twice"),
        ("minesweepr-rules", clause((1, ["a", [0]])), "rule 0: a cell is named by a text or an integer, not a list"),
        ("minesweepr-rules", clause((1, ["a", "b"])), "total_cells: 1, and the rules name 2 cells"),
        ("minesweepr-rules", clause((True, [])), "rule 0: num_mines: an integer of 0..32767 is needed, not True"),
        ("mstoollib", "[[10, 13]]", "13 at row 0, column 1 means nothing; known are 0 1 2 3 4 5 6 7 8 10 11 12"),
        ("mstoollib", "[[10], [1, 1]]", "row 1 has 2 cells, row 0 has 1"),
        ("playerfield", "[[9, true]]", "True at row 0, column 1 means nothing"),
        ("playerfield", "[[9, 1.0]]", "1.0 at row 0, column 1 means nothing"),
        ("playerfield", "[[9, 1],\n [9 1]]", "not JSON: Expecting ',' delimiter at line 2, column 5"),
        ("codes", "[]", "a table is a list of at least one row, each a list of numbers"),
        ("codes", "[[]]", "a board has at least one cell, not 1 rows x 0 columns"),
        ("codes", "[1]", "a table is a list of at least one row"),
        (
            None,
            "[" * 100_000,
            "as codes, mstoollib, playerfield, minefield, mask: not a board: JSON that is nested too deep",
        ),
        ("codes", "[[" + "9" * 200_000 + "]]", "not a board: JSON with a number of thousands of digits"),
        ("codes-npy", b"PK", "byte 0: a .npy file begins with"),
        ("codes-npy", b"\x93NUMPY\x01\x00\xff\xff{", "byte 8: a header that ends at byte 65545, and the file has 11"),
        ("codes-npy", header("'<f8'", "(1, 1)", bytes(8)), "byte 10: type '<f8': only integers and bools are read"),
        ("codes-npy", npy(np.array([["a", 1]], object), allow_pickle=True), "byte 10: type '|O': only integers"),
        ("codes-npy", header("[('a', '<i8')]", "(1, 1)", bytes(8)), "byte 10: an unreadable or structured type"),
        (
            "codes-npy",
            header("'<i8'", "(100000, 100000)", version=2),
            "100000 rows x 100000 columns: a board is read with at most",
        ),
        ("codes-npy", header("'<i8'", "(3,)", bytes(24)), "byte 10: no table of rows and columns"),
        ("codes-npy", header("'<i8'", "(1, 1, 1)", bytes(8)), "byte 10: no table of rows and columns"),
        (
            "codes-npy",
            header("'<i8'", "(2, 2)", bytes(31)),
            "byte 70: 2 x 2 numbers of 8 bytes are needed, and 31 bytes follow",
        ),
        ("codes-npy", header("'<u8'", "(1, 1)", b"\xff" * 8), "18446744073709551615 at row 0, column 0 means nothing"),
        ("mask-npy", npy(np.array([[0, 2]])), "2 at row 0, column 1 means nothing; known are 0 1"),
        (None, pickle.dumps([[1]]), "as mbf: byte "),
        ("nope", "#", "unknown format 'nope'; known are text, layout, mine, "),
    ],
)
def test_malformed_input_is_told_what_and_where(name, content, message):
    board, told = outcome(content, name)
    assert board is None
    assert told.startswith(message if name in (None, "nope") else f"as {name}: {message}")


def test_a_board_too_large_is_refused_before_it_is_made():
    row = "#" * (MOST_CELLS + 1)
    for name in ("text", "layout", "minesweepr"):
        with pytest.raises(ValueError, match=r"1,048,577 cells: a board is read with at most 1,048,576 cells"):
            read(row, name)
    with pytest.raises(ValueError, match="a board is read from at most 16,777,216 bytes"):
        read(b" " * (MOST_BYTES + 1))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("mine", "32000x32000x5\nH"),
        ("mine", "1x999999999x5\nH"),
        ("ptta", "?b=3200032000&m=0"),
        ("minesweepr-rules", clause(cells=10**9)),
        ("codes-npy", header("'|i1'", "(32000, 32000)")),
        ("codes-npy", header("'<i8'", "(1, 999999999999999)")),
        ("mask-npy", header("'|b1'", "(1048576, 1)")),
    ],
)
def test_a_size_that_is_only_claimed_takes_no_memory(name, content):
    tracemalloc.start()
    try:
        board, _ = outcome(content, name)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert board is None
    assert peak_bytes < 1 << 20


@pytest.mark.slow
def test_the_largest_board_comes_back():
    layout = Layout.random(1024, 1024, 200_000, 1)
    position = Position(layout.position(np.arange(1 << 20).reshape(1024, 1024) % 3 == 0).codes)
    for name in ("text", "minesweepr", "codes", "codes-npy"):
        assert read(write(position, name)) == position
    for name in ("ptta", "mask", "layout", "minefield-npy"):
        assert read(write(layout, name), name) == layout


def test_what_a_format_cannot_hold():
    ring = Topology((1, 3), np.arange(0, 7, 2), np.array([1, 2, 0, 2, 0, 1]), "ring")
    for name in GRIDS:
        with pytest.raises(ValueError, match="on the grid, not on 'ring'"):
            write(Position([[1, COVERED, COVERED]], 1, topology=ring), name)
        with pytest.raises(ValueError, match=r"the clue 9"):
            write(Position([[9, COVERED]], 1), name)
    for name in LAYOUTS:
        with pytest.raises(ValueError, match="on the grid, not on 'ring'"):
            write(Layout([[True, False, False]], ring), name)
        with pytest.raises(ValueError, match=f"{name} holds layouts: a position does not say where the mines are"):
            write(BOARD, name)
    for name in POSITIONS:
        with pytest.raises(ValueError, match=f"{name} holds positions: say of the layout which cells are opened"):
            write(MINES, name)
    for name in ("mine", "minesweepr-json", "minesweepr-rules"):
        with pytest.raises(ValueError, match=f"{name} needs the number of all mines on the board"):
            write(Position.parse("#1"), name)
    with pytest.raises(ValueError, match="mine has nothing for an opened cell without a number, at row 0, column 1"):
        write(Position.parse("#_", mines=1), "mine")
    with pytest.raises(ValueError, match="mstoollib has nothing for a hit mine, at row 1, column 0"):
        write(Position.parse("#1\n*1"), "mstoollib")
    with pytest.raises(ValueError, match="mbf has room for 255 rows and columns, not for 1 x 256"):
        write(Layout(np.zeros((1, 256), bool)), "mbf")


def test_a_mine_count_that_contradicts_is_refused():
    assert read("#1", mines=1).mines == 1
    assert read("2x1x1\nH1", mines=1).mines == 1
    assert read("*.", "layout", mines=1).count == 1
    for content, name in (("2x1x1\nH1", None), ("*.", "layout")):
        with pytest.raises(ValueError, match="2 mines: the board says 1"):
            read(content, name, mines=2)


def test_files(tmp_path):
    file = tmp_path / "a.mine"
    BOARD.write(file, "mine")
    assert Position.read(file) == Position.read(str(file), "mine") == Position.read(file.read_bytes()) == BOARD
    with pytest.raises(FileExistsError):
        BOARD.write(file, "text")
    assert Position.read(file) == BOARD
    (tmp_path / "b.mbf").write_bytes(write(MINES, "mbf"))
    assert read_file(tmp_path / "b.mbf") == MINES
    with pytest.raises(ValueError, match=r"a layout, not a position"):
        Position.read(tmp_path / "b.mbf")
    with pytest.raises(ValueError, match=r"a\.mine: as text: unknown character 'x' at line 1"):
        Position.read(file, "text")
    with pytest.raises(ValueError, match="nothing for a hit mine"):
        Position.parse("*1").write(tmp_path / "c", "mstoollib")
    assert not (tmp_path / "c").exists()


# mutated input


def samples():
    rng = np.random.default_rng(3)
    for seed in range(3):
        layout = Layout.random(int(rng.integers(1, 8)), int(rng.integers(1, 8)), 1, seed)
        position = Position(layout.position(rng.random(layout.shape) < 0.5).codes, layout.count)
        for name, form in FORMATS.items():
            try:
                yield name, form.write(layout if form.holds == "layout" else position)
            except ValueError:  # a hit mine, where the format has none
                yield name, form.write(BOARD)


def mutate(content, rng):
    """A few bytes changed, cut out, doubled, put in; numbers made large."""
    data = bytearray(content)
    for _ in range(int(rng.integers(1, 4))):
        at = int(rng.integers(0, len(data) + 1))
        to = min(len(data), at + int(rng.integers(0, 6)))
        match rng.integers(0, 7):
            case 0 if at < len(data):
                data[at] = int(rng.integers(0, 256))
            case 1:
                del data[at:to]
            case 2:
                data[at:at] = data[at:to]
            case 3:
                data[at:at] = rng.bytes(int(rng.integers(1, 4)))
            case 4:
                data[at:to] = str(10 ** int(rng.integers(0, 25))).encode()
            case 5:
                put = [b"[", b"]", b"{", b"null", b"-", b"1e999", b"NaN", b"\n", b"x", b'"', b",", b"\\ud800", b"&m="]
                data[at:at] = put[int(rng.integers(0, len(put)))]
            case _ if at < len(data):
                data[at] ^= 1 << int(rng.integers(0, 8))
    return bytes(data)


def attack(count, seed):
    rng = np.random.default_rng(seed)
    contents = list(samples())
    told = 0
    for i in range(count):
        name, content = contents[i % len(contents)]
        changed = mutate(content, rng)
        for format in (name, None):
            board, _ = outcome(changed, format)
            told += board is None
            assert board is None or board.topology.n <= MOST_CELLS
    assert count / 2 < told < 2 * count


def test_mutated_input_raises_nothing_but_value_errors():
    attack(2000, seed=1)


@pytest.mark.slow
def test_much_mutated_input_raises_nothing_but_value_errors():
    attack(10_000, seed=2)


@given(
    st.binary(max_size=60),
    st.sampled_from([None, *FORMATS]),
    st.sampled_from([b"", b"\x93NUMPY\x01\x00", b"[[", b"2x2x1\n"]),
)
def test_any_bytes_raise_nothing_but_value_errors(content, name, start):
    outcome(start + content, name)


# sapper convert

app = typer.Typer(cls=Commands, add_completion=False, pretty_exceptions_enable=False)
app.callback()(lambda: None)
app.command()(convert)
app.command("formats")(list_formats)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text(BOARD.text())
    (tmp_path / "a.mbf").write_bytes(write(Layout.parse(["....", "....", "...*"]), "mbf"))
    return tmp_path


def sapper(*arguments, **more):
    return CliRunner().invoke(app, ["convert", *map(str, arguments)], **more)


def complaint(*arguments, **more):
    done = sapper(*arguments, **more)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("sapper: ")
    assert done.stderr.count("\n") == 1
    return done.stderr.removeprefix("sapper: ").strip()


def test_convert_writes_to_standard_output_or_a_new_file(elsewhere):
    done = sapper("a.txt", "--to", "mine", "--mines", 5)
    assert (done.exit_code, done.stdout_bytes) == (0, write(BOARD, "mine"))
    assert sapper("-", "--to", "text", input=done.stdout).stdout == BOARD.text() + "\n"
    assert sapper("a.mbf", "--to", "mask-npy").stdout_bytes[:6] == b"\x93NUMPY"
    done = sapper("a.mbf", "--to", "mask-npy", "--out", "b.npy")
    assert (done.exit_code, done.stdout) == (0, "b.npy\n")
    assert np.load("b.npy").sum() == 1
    assert complaint("a.mbf", "--to", "mask", "--out", "b.npy") == "'b.npy' exists already"
    assert np.load("b.npy").sum() == 1


def test_convert_opens_cells_of_a_layout():
    assert sapper("a.mbf", "--to", "text").stdout == "####\n####\n####\n"
    assert sapper("a.mbf", "--to", "mine", "--open", "1,2", "--open", "1,3").stdout == "4x3x1\nHHHH\nHH11\nHHHH\n"
    assert sapper("a.mbf", "--to", "text", "--open", "1,3").stdout == "####\n###1\n####\n"
    assert sapper("a.mbf", "--to", "text", "--open", "2,3").stdout == "####\n####\n###*\n"
    assert sapper("a.mbf", "--to", "mine", "--open", "0,0").stdout == "4x3x1\n0000\n0011\n001H\n"


def test_convert_refuses():
    assert complaint("a.txt", "--to", "mbf") == "mbf holds layouts: a position does not say where the mines are"
    assert complaint("a.txt", "--to", "mine").startswith("mine needs the number of all mines on the board")
    assert complaint("a.txt", "--to", "text", "--open", "0,0").startswith("--open: only on the way from a layout")
    assert complaint("a.mbf", "--to", "ptta", "--open", "0,0").startswith("--open: only on the way from a layout")
    assert complaint("a.mbf", "--to", "text", "--open", "0;0").startswith("--open: a cell is ROW,COLUMN")
    assert complaint("a.mbf", "--to", "text", "--open", "9,0").startswith("--open 9,0: row 9, column 0 is outside")
    assert complaint("a.mbf", "--to", "text", "--mines", "7") == "a.mbf: 7 mines: the board says 1"
    assert complaint("a.txt", "--to", "docx").startswith("unknown format 'docx'; known are text, ")
    assert complaint("a.txt", "--to", "text", "--from", "mbf").startswith("a.txt: as mbf: byte 2: ")
    assert complaint("-", "--to", "text", input="*.") == (
        "standard input: the format must be named, this could be layout, minesweepr; "
        "name it by --from, `sapper formats` lists them"
    )
    assert complaint("gone", "--to", "text") == "gone: No such file or directory"
    assert complaint("", "--to", "text") == "'' is not the name of a file"


def test_binary_is_not_for_a_terminal():
    code = (
        f"import sys; sys.path.append({str(Path(__file__).parent)!r}); from test_formats import app; app(sys.argv[1:])"
    )
    ours, theirs = pty.openpty()
    try:
        for to, refused in (("mbf", True), ("mask", False)):
            done = subprocess.run(
                [sys.executable, "-c", code, "convert", "a.mbf", "--to", to],
                stdout=theirs,
                stderr=subprocess.PIPE,
                env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)},
                timeout=60,
            )
            told = b"sapper: mbf is binary and not for a terminal: name a file with --out FILE\n"
            assert (done.returncode, done.stderr) == ((2, told) if refused else (0, b""))
        assert os.read(ours, 100) == b"[[0, 0, 0, 0],\r\n [0, 0, 0, 0],\r\n [0, 0, 0, 1]]\r\n"
    finally:
        os.close(ours)
        os.close(theirs)


def test_formats_are_listed():
    lines = CliRunner().invoke(app, ["formats"]).stdout.splitlines()
    assert [line.split()[:2] for line in lines] == [[form.name, form.holds] for form in FORMATS.values()]
    assert lines[0] == "text              position  the project's own: 0-8 # F * _"
