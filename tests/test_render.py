"""Drawing a position as text."""

import numpy as np

from board import Position
from board.render import board_text, legend, symbols


def test_every_symbol():
    position = Position.parse(["012345678", "#F*_#####"])
    safe, mines = np.zeros((2, 18), np.bool_)
    safe[13], mines[[10, 14]] = True, True
    assert ["".join(row) for row in symbols(position, safe, mines)] == ["012345678", "#M*_SM###"]
    assert "".join(symbols(position)[1]) == "#F*_#####"
    assert "".join(symbols(Position([[9, 20, -2]]))[0]) == "++#"


def test_the_unmarked_drawing_is_the_text_with_numbers():
    position = Position.parse(["1" + "#" * 11] * 12)
    lines = board_text(position).splitlines()
    assert lines[0] == "    0 1 2 3 4 5 6 7 8 9 0 1"
    assert [line[4:].replace(" ", "") for line in lines[1:]] == position.rows()
    assert [line[:2] for line in lines[1:]] == [f"{row:2}" for row in range(12)]


def test_no_probability_between_reads_as_certain():
    position = Position.parse("#####")
    shares = np.array([0.001, 0.999, 0.5, 0.0, np.nan])
    safe = np.array([False, False, False, True, False])
    line = board_text(position, safe, None, shares).splitlines()[1]
    assert line.split()[1:] == ["<1%", ">99%", "50%", "S", "#"]
    assert legend(line) == "S safe, % risk, # covered"
