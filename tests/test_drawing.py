"""Drawing a position as SVG: what stands where, what it says to those who do not see it, and how large it is."""

import re
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from samples import shared_corpus

from board import COVERED, HIT, UNNUMBERED, Position, Topology, to_svg
from board.drawing import CELL, THEMES

SVG = "{http://www.w3.org/2000/svg}"
LIGHT = THEMES["light"]
MARKS = ("safe", "mines", "missed_safe", "missed_mines", "false_safe", "false_mines")


def tree(svg):
    return ElementTree.fromstring(svg)


def digits(root):
    """(row, column) -> sign, of the texts whose characters have places of their own."""
    found = {}
    for text in root.iter(f"{SVG}text"):
        if "x" in text.attrib:
            xs, ys = (list(map(int, text.get(name).split())) for name in ("x", "y"))
            assert len(xs) == len(ys) == len(text.text)
            for x, y, sign in zip(xs, ys, text.text, strict=True):
                assert found.setdefault((y // CELL, x // CELL), sign) == sign
                assert (x % CELL, y % CELL) == (10, 16)
    return found


def stroked(path):
    """The cells under the runs of a path."""
    cells = set()
    for x, y, length in re.findall(r"M(\d+) (\d+)h(\d+)", path.get("d")):
        row, first = int(y) // CELL, int(x) // CELL
        cells |= {(row, first + step) for step in range(int(length) // CELL)}
    return cells


def begun(path):
    """The cells in which the subpaths of a path begin."""
    return {(int(float(y)) // CELL, int(float(x)) // CELL) for x, y in re.findall(r"M(\S+) ([\d.]+)", path.get("d"))}


def paths(root, **attributes):
    wanted = {name.replace("_", "-"): value for name, value in attributes.items()}
    return [p for p in root.iter(f"{SVG}path") if all(p.get(k) == v for k, v in wanted.items())]


def cells(mask, shape):
    return {tuple(map(int, cell)) for cell in np.argwhere(np.reshape(mask, shape))}


boards = st.tuples(st.integers(1, 7), st.integers(1, 9)).flatmap(
    lambda shape: arrays.arrays(np.int16, shape, elements=st.integers(UNNUMBERED, 8))
)


@given(boards)
def test_clues_and_covered_cells_stand_where_they_are(codes):
    root = tree(to_svg(Position(codes)))
    clues = {
        c: "–" if codes[c] == UNNUMBERED else str(codes[c])
        for c in cells((codes > 0) | (codes == UNNUMBERED), codes.shape)
    }
    assert digits(root) == clues
    opened = paths(root, stroke=LIGHT["open"])
    assert set().union(*map(stroked, opened)) == cells(codes != COVERED, codes.shape)
    every = paths(root, stroke=LIGHT["face"])
    assert stroked(every[0]) == cells(np.ones(codes.shape, bool), codes.shape)
    hits = paths(root, fill=LIGHT["hit"])
    assert set().union(*map(begun, hits)) == cells(codes == HIT, codes.shape)


@given(boards, st.data())
def test_a_cell_shows_its_last_mark_and_nothing_under_it(codes, data):
    masks = {name: data.draw(arrays.arrays(np.bool_, codes.size)) for name in MARKS}
    root = tree(to_svg(Position(codes), **masks))
    shown, left = {}, np.ones(codes.size, bool)
    for name in reversed(MARKS):
        shown[name] = masks[name] & left
        left &= ~masks[name]
    for name, tint in (("safe", "safe-tint"), ("mines", "mine-tint")):
        found = paths(root, stroke=LIGHT[tint])
        assert set().union(*map(stroked, found)) == cells(shown[name], codes.shape)
    missed = paths(root, stroke_dasharray="3 1")
    assert set().union(*map(begun, missed)) == cells(shown["missed_safe"] | shown["missed_mines"], codes.shape)
    false = paths(root, fill=LIGHT["false"])
    assert set().union(*map(begun, false)) == cells(shown["false_safe"] | shown["false_mines"], codes.shape)
    assert set(digits(root)) <= cells(left, codes.shape)


def test_the_description_counts():
    position = Position.parse(["1#F#", "*_##"], mines=3)
    masks = {name: np.arange(8) < count for count, name in enumerate(MARKS, 1)}
    root = tree(to_svg(position, **masks))
    assert root.get("role") == "img"
    assert root.find(f"{SVG}title").text == "2 rows x 4 columns"
    assert root.find(f"{SVG}desc").text == (
        "2 rows x 4 columns, 3 mines, 5 covered, 1 flagged, 1 hit. Marked: 1 safe found, 2 mines found, "
        "3 safe missed, 4 mines missed, 5 safe falsely claimed, 6 mines falsely claimed."
    )
    assert tree(to_svg(position, title="<a> & b")).find(f"{SVG}title").text == "<a> & b"


def test_it_leaves_the_page_around_it_alone():
    masks = {name: np.arange(12) % 6 == i for i, name in enumerate(MARKS)}
    for theme in ("light", "dark", "page"):
        svg = to_svg(Position([[1, 9, -2, -1, -3, -2]] * 2), theme=theme, coordinates=True, **masks)
        names = {name for element in tree(svg).iter() for name in element.attrib}
        assert not names & {"id", "class", "style", "href"}
        assert "<style" not in svg
        assert "url(" not in svg


def test_themes_have_the_same_names_and_a_page_overrides_them():
    assert THEMES["light"].keys() == THEMES["dark"].keys()
    position = Position([[1, -2]])
    light, dark, page = (to_svg(position, theme=theme) for theme in ("light", "dark", "page"))
    assert light != dark
    assert page != light
    assert re.sub(r"var\(--board-[\w-]+,(#\w+)\)", r"\1", page) == light


def luminance(colour):
    parts = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722]


def contrast(one, two):
    """WCAG 2, relative luminance."""
    low, high = sorted((luminance(one), luminance(two)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", THEMES)
def test_what_is_to_be_read_can_be_read(theme):
    colour = THEMES[theme]
    for digit in "12345678":
        assert contrast(colour[digit], colour["open"]) >= 4.5, digit
    for one, two in combinations("12345678", 2):
        assert colour[one] != colour[two]
    assert contrast(colour["safe"], colour["safe-tint"]) >= 4.5
    assert contrast(colour["mine"], colour["mine-tint"]) >= 4.5
    assert contrast(colour["safe"], colour["face"]) >= 3
    assert contrast(colour["mine"], colour["face"]) >= 3
    assert contrast(colour["paper"], colour["false"]) >= 4.5
    assert contrast(colour["ink"], colour["face"]) >= 4.5


def test_numbers_over_8_and_other_topologies():
    ring = Topology((1, 3), np.array([0, 2, 4, 6]), np.array([1, 2, 0, 2, 0, 1]))
    root = tree(to_svg(Position([[-2, 12, 300]], topology=ring)))
    assert [(s.get("x"), s.text) for s in root.iter(f"{SVG}tspan")] == [("30", "12"), ("50", "300")]


def test_probabilities_only_where_nothing_is_marked():
    shares = np.array([0.001, 0.999, 0.25, 0, 1, np.nan, 0.5])
    root = tree(to_svg(Position.parse("####F##"), probability=shares, safe=np.arange(7) == 6))
    assert [s.text for s in root.iter(f"{SVG}tspan")] == ["<1", ">99", "25", "0", "100"]
    assert not paths(root, fill=LIGHT["flag"])  # the flag makes room for its share
    assert paths(tree(to_svg(Position.parse("F"))), fill=LIGHT["flag"])


def test_coordinates_and_the_size_of_a_cell():
    plain, numbered = (tree(to_svg(Position.parse(["#" * 12] * 3), coordinates=c, cell=10)) for c in (False, True))
    assert not list(plain.iter(f"{SVG}tspan"))
    assert [s.text for s in numbered.iter(f"{SVG}tspan")] == [*map(str, range(12)), "0", "1", "2"]
    assert (plain.get("viewBox"), plain.get("width"), plain.get("height")) == ("-1 -1 242 62", "121", "31")
    left, above, width, height = map(float, numbered.get("viewBox").split())
    for span in numbered.iter(f"{SVG}tspan"):
        assert left < float(span.get("x")) < left + width
        assert above < float(span.get("y")) < above + height


def test_boards_are_small():
    for kind in ("random", "scatter", "endgame"):
        for entry in shared_corpus(f"expert-{kind}", 20):
            safe, mines = np.zeros((2, 480), bool)
            safe[list(entry.global_answer.safe)] = mines[list(entry.global_answer.mines)] = True
            assert len(to_svg(entry.position)) < 9_000
            assert len(to_svg(entry.position, safe=safe, mines=mines)) < 15_000
    assert len(to_svg(Position(np.full((16, 30), COVERED)))) < 2_000


def test_what_means_nothing_is_refused():
    position = Position.parse("##")
    with pytest.raises(ValueError, match=r"missed_safe is bool\[2\], not bool \(3,\)"):
        to_svg(position, missed_safe=np.zeros(3, bool))
    with pytest.raises(ValueError, match=r"mines is bool\[2\], not int64 \(2,\)"):
        to_svg(position, mines=np.zeros(2, np.int64))
    with pytest.raises(ValueError, match=r"probability is float64\[2\], not of shape \(1,\)"):
        to_svg(position, probability=np.zeros(1))
    with pytest.raises(ValueError, match="unknown theme 'blue'; known are light, dark, page"):
        to_svg(position, theme="blue")
    with pytest.raises(ValueError, match="at least 1 pixel wide, not 0"):
        to_svg(position, cell=0)
