"""Drawing a position as SVG: what stands where, what it says to those who do not see it, and how large it is."""

import re
import sys
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from problems import board_of
from samples import shared_corpus

from board import COVERED, HIT, UNNUMBERED, Position, Topology, grid, to_svg
from board.drawing import CELL, THEMES, differences
from board.places import places
from board.png import to_png

SVG = "{http://www.w3.org/2000/svg}"
LIGHT = THEMES["light"]
WHOLE = ("safe", "mines", "missed_safe", "missed_mines", "false_safe", "false_mines")
HALVES = ("first_safe", "first_mines", "second_safe", "second_mines")
MARKS = (*WHOLE[:2], *HALVES, *WHOLE[2:])
KEY = r"(board|title|desc)-[0-9a-f]{12}"


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
    masks = {name: data.draw(arrays.arrays(np.bool_, codes.size)) for name in WHOLE}
    root = tree(to_svg(Position(codes), **masks))
    shown, left = {}, np.ones(codes.size, bool)
    for name in reversed(WHOLE):
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


@given(boards, st.data())
def test_halves_leave_each_other_room(codes, data):
    masks = {name: data.draw(arrays.arrays(np.bool_, codes.size)) for name in (*HALVES, "false_safe", "safe")}
    root = tree(to_svg(Position(codes), **masks))
    whole = masks["false_safe"]
    for side, start in (("first", "h16l-16 16z"), ("second", "h-16l16-16z")):
        mines = masks[f"{side}_mines"] & ~whole
        safe = masks[f"{side}_safe"] & ~mines & ~whole
        for tint, shown in (("safe-tint", safe), ("mine-tint", mines)):
            found = [p for p in paths(root, fill=LIGHT[tint]) if start in p.get("d")]
            assert set().union(*map(begun, found)) == cells(shown, codes.shape)
    taken = np.logical_or.reduce(list(masks.values()))
    found = paths(root, stroke=LIGHT["safe-tint"])
    unhidden = masks["safe"] & ~whole & ~np.logical_or.reduce([masks[name] for name in HALVES])
    assert set().union(*map(stroked, found)) == cells(unhidden, codes.shape)
    assert set(digits(root)) <= cells(~taken, codes.shape)


@given(arrays.arrays(np.bool_, (4, 6)))
def test_differences_share_out_what_two_found(found):
    found[1] &= ~found[0]
    found[3] &= ~found[2]
    parts = differences(*found)
    for thing, one, other in (("safe", 0, 2), ("mines", 1, 3)):
        both, first, second = parts[thing], parts[f"first_{thing}"], parts[f"second_{thing}"]
        assert not (both & first).any()
        assert not (first & second).any()
        assert np.array_equal(both | first, found[one])
        assert np.array_equal(both | second, found[other])
    to_svg(Position(np.full((2, 3), COVERED)), **parts)


def described(svg):
    return tree(svg).find(f"{SVG}desc").text


def test_the_description_counts():
    position = Position.parse(["1#F#", "*_##", "####"], mines=3)
    masks = {name: np.arange(12) < count for count, name in enumerate(MARKS, 1)}
    svg = to_svg(position, **masks)
    assert tree(svg).find(f"{SVG}title").text == "3 rows x 4 columns"
    assert described(svg) == (
        "3 rows x 4 columns, 3 mines, 9 covered, 1 flagged, 1 hit. Marked: 1 safe found, 2 mines found, "
        "3 safe found by the first only, 4 mines found by the first only, 5 safe found by the second only, "
        "6 mines found by the second only, 7 safe missed, 8 mines missed, 9 safe falsely claimed, "
        "10 mines falsely claimed."
    )
    shares = np.array([np.nan, 0.125, 0.5, np.nan] + [np.nan] * 7 + [1])
    parts = np.array([7, 3, 3, -1] + [-1] * 7 + [5])
    svg = to_svg(position, probability=shares, components=parts, used=np.arange(12) == 0, explained=6)
    assert described(svg).partition(". ")[2] == (
        "Explained: row 1, column 2. Used: 1 clue. Probabilities: 3 cells, 12.5 to 100 per cent. Components: 2."
    )
    torus = Position(np.full((3, 3), COVERED), topology=board_of("torus", 3, 3))
    assert described(to_svg(torus)) == "3 rows x 3 columns, topology torus, mines unknown, 9 covered."


def test_texts_are_escaped():
    named = board_of("torus", 3, 3)
    wild = Topology(named.shape, named.indptr, named.neighbours, "</desc><script> & \"'")
    root = tree(to_svg(Position(np.full((3, 3), COVERED), topology=wild), title='<a> & b"'))
    assert root.find(f"{SVG}title").text == '<a> & b"'
    assert "</desc><script> & \"'" in root.find(f"{SVG}desc").text


def test_a_drawing_names_its_description():
    svg = to_svg(Position.parse("1#"))
    root = tree(svg)
    assert root.get("role") == "img"
    named = root.get("aria-labelledby").split()
    assert named == [root.find(f"{SVG}{tag}").get("id") for tag in ("title", "desc")]
    assert svg == to_svg(Position.parse("1#"))  # ids come from the content alone
    others = [
        to_svg(Position.parse("1#"), theme="light"),
        to_svg(Position.parse("1#"), title="other"),
        to_svg(Position.parse("1#"), cell=10),
        to_svg(Position.parse("#1")),
        to_svg(Position.parse("1#", mines=1)),
    ]
    assert len({tree(one).get("id") for one in [svg, *others]}) == 6


def test_it_leaves_the_page_around_it_alone():
    masks = {name: np.arange(12) % 10 == i for i, name in enumerate(MARKS)}
    for theme in ("light", "dark", "page", "auto"):
        svg = to_svg(Position([[1, 9, -2, -1, -3, -2]] * 2), theme=theme, coordinates=True, **masks)
        root = tree(svg)
        assert not {name for element in root.iter() for name in element.attrib} & {"class", "style", "href"}
        ids = [element.get("id") for element in root.iter() if element.get("id")]
        assert len(ids) == 3
        assert all(re.fullmatch(KEY, name) for name in ids)
        assert "url(" not in svg
        assert ("<style" in svg) == (theme == "auto")


def uncoloured(svg):
    """Without what themes and ids differ in."""
    return re.sub(r"<style>.*?</style>", "", re.sub(KEY, "", svg))


def test_themes_have_the_same_names_and_a_page_overrides_them():
    assert list(THEMES["light"]) == list(THEMES["dark"])
    position = Position([[1, -2]])
    light, dark, page = (uncoloured(to_svg(position, theme=theme)) for theme in ("light", "dark", "page"))
    assert light != dark
    assert page != light
    assert re.sub(r"var\(--board-[\w-]+,(#\w+)\)", r"\1", page) == light


def test_auto_is_the_light_drawing_with_rules_that_make_it_the_dark_one():
    masks = {name: np.arange(30) == 12 + i for i, name in enumerate(MARKS)}
    position = Position([[-2] * 6, [1, 2, 3, 4, 5, 6], [7, 8, 9, -1, -3, -2], [-2] * 6, [-2] * 6])
    more = {
        "probability": np.linspace(0, 1, 30),
        "components": np.arange(30),
        "used": np.arange(30) < 3,
        "explained": 7,
    }
    auto, light, dark = (
        to_svg(position, theme=theme, coordinates=True, **masks, **more) for theme in ("auto", "light", "dark")
    )
    assert uncoloured(auto) == uncoloured(light)
    inside = re.fullmatch(r"@media\(prefers-color-scheme:dark\)\{(.*)\}", tree(auto).find(f"{SVG}style").text)[1]
    name = tree(auto).get("id")
    rules = re.findall(r'#([\w-]+) \[(fill|stroke)="(#\w+)"\]\{(fill|stroke):(#\w+)\}', inside)
    assert "".join(f'#{a} [{b}="{c}"]{{{d}:{e}}}' for a, b, c, d, e in rules) == inside
    assert {one for one, *_ in rules} == {name}
    turned = {(kind, old): new for _, kind, old, same, new in rules if kind == same}
    assert len(turned) == len(rules)
    changed = re.sub(
        r'(fill|stroke)="(#\w+)"', lambda found: f'{found[1]}="{turned[found[1], found[2]]}"', uncoloured(light)
    )
    assert changed == uncoloured(dark)


def test_a_light_colour_has_one_dark_one():
    names = {}
    for name, light in LIGHT.items():
        assert names.setdefault(light, THEMES["dark"][name]) == THEMES["dark"][name], name


def test_a_notebook_shows_it():
    position = Position.parse(["1#", "##"])
    assert position._repr_svg_() == to_svg(position, coordinates=True)
    assert Position(np.full((201, 200), COVERED))._repr_svg_() is None


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
    for name, value in colour.items():
        if name.startswith(("heat-", "part-")):
            assert contrast(colour["ink"], value) >= 4.5, name
    for digit in "12345678":
        assert contrast(colour[digit], colour["used-tint"]) >= 4.5, digit
    for page in ("#ffffff", "#111111"):  # the numbers outside stand on whatever the page has
        assert contrast(colour["label"], page) >= 3


@pytest.mark.parametrize("theme", THEMES)
def test_probabilities_go_from_pale_to_strong(theme):
    heats = [luminance(THEMES[theme][f"heat-{i}"]) for i in range(10)]
    assert heats == sorted(heats, reverse=theme == "light")
    assert len(set(heats)) == 10


def ring_of_three(name):
    return Topology((1, 3), np.array([0, 2, 4, 6]), np.array([1, 2, 0, 2, 0, 1]), name)


def test_numbers_over_8():
    root = tree(to_svg(Position([[-2, 12, 300]], topology=ring_of_three("torus"))))
    assert [(s.get("x"), s.text) for s in root.iter(f"{SVG}tspan")] == [("30", "12"), ("50", "300")]


def written(root, size):
    """The texts whose characters have places of their own, of a font size: (x of the first, y, whole text)."""
    groups = [g for g in root.iter(f"{SVG}g") if g.get("font-size") == size]
    return [(float(t.get("x").split()[0]), float(t.get("y")), t.text) for g in groups for t in g]


def test_probabilities_only_where_nothing_is_marked():
    shares = np.array([0.001, 0.999, 0.25, 0, 1, np.nan, 0.5, 0.5])
    root = tree(to_svg(Position.parse(["####F##2"]), probability=shares, safe=np.arange(8) == 6))
    assert written(root, "9") == [(7, 13, "<1>99250100")]
    (text,) = (t for t in root.iter(f"{SVG}text") if t.get("y") == "13")
    assert text.get("x") == "7 13 24 30 36 47 53 70 84 90 96"
    assert not paths(root, fill=LIGHT["flag"])  # the flag makes room for its share
    for level, cell in ((0, {0, 3}), (2, {2}), (9, {1, 4})):
        (path,) = paths(root, stroke=LIGHT[f"heat-{level}"])
        assert stroked(path) == {(0, column) for column in cell}
    assert not paths(root, stroke=LIGHT["heat-5"])
    assert paths(tree(to_svg(Position.parse("F"))), fill=LIGHT["flag"])


def test_components_have_tints_and_numbers():
    root = tree(to_svg(Position.parse(["####", "##1#"]), components=np.array([0, 1, 8, 12, -1, 1, 1, -5])))
    tinted = {i: set().union(*map(stroked, paths(root, stroke=LIGHT[f"part-{i}"]))) for i in range(8)}
    assert {i: cells for i, cells in tinted.items() if cells} == {
        0: {(0, 0), (0, 2)},
        1: {(0, 1), (1, 1)},
        4: {(0, 3)},
    }
    assert written(root, "6.5") == [(15, 18, "01812"), (35, 38, "1")]


def test_the_explained_cell_is_in_a_ring():
    root = tree(to_svg(Position.parse(["1##", "###"]), used=np.arange(6) == 0, explained=4))
    assert [begun(path) for path in paths(root, stroke=LIGHT["ring"])] == [{(1, 1)}]
    assert [begun(path) for path in paths(root, stroke=LIGHT["used"])] == [{(0, 0)}]


@pytest.mark.parametrize(("kind", "outline"), [("hexagonal", "hexagon"), ("torus", "square"), ("knight", "square")])
def test_boards_of_rows_have_their_shape(kind, outline):
    topology = board_of(kind, 4, 5)
    where = places(topology)
    assert where.outline == outline
    assert not where.edges.size
    if kind == "hexagonal":  # neighbours touch, others do not
        middle = np.column_stack([where.x, where.y])
        distance = np.hypot(*(middle[:, None] - middle[None]).transpose(2, 0, 1))
        for cell in range(20):
            near = np.flatnonzero((distance[cell] < 24) & (distance[cell] > 0))
            assert np.array_equal(near, topology.of(cell))


def test_hexagonal_boards_of_either_shift():
    odd = board_of("hexagonal", 5, 4)
    assert places(odd).x[4] > places(odd).x[0]
    kept = [near[near >= 4] - 4 for near in map(odd.of, range(4, 20))]  # without its first row
    even = Topology((4, 4), np.cumsum([0, *map(len, kept)]), np.concatenate(kept), "even")
    assert places(even).outline == "hexagon"
    assert places(even).x[0] > places(even).x[4]


def test_a_graph_is_a_circle_with_lines():
    position = Position([[-2, 12, 300]], topology=ring_of_three("ring"))
    where = places(position.topology)
    assert where.outline == "circle"
    assert where.edges.tolist() == [[0, 1], [0, 2], [1, 2]]
    middle = np.column_stack([where.x, where.y])
    sides = [np.hypot(*(middle[a] - middle[b])) for a, b in where.edges]
    assert sides == pytest.approx([36] * 3, abs=0.2)
    root = tree(to_svg(position, coordinates=True))
    assert [s.text for s in root.iter(f"{SVG}tspan")] == ["12", "300", "0", "1", "2"]
    lines = paths(root, stroke=LIGHT["line"])[0].get("d")
    assert lines.count("L") == 3
    inside(root)
    assert places(grid(1, 3)).outline == "square"
    lone = Topology((1, 1), np.array([0, 0]), np.array([], np.int32), "lone")
    inside(tree(to_svg(Position([[-2]], topology=lone), coordinates=True)))


def test_given_places():
    at = np.array([[0, 0], [3, 0], [-1, 2.5]])
    where = places(ring_of_three("ring"), at)
    assert (np.column_stack([where.x, where.y]) - [where.x[0], where.y[0]]).tolist() == (at * 20).tolist()
    assert (where.x.min(), where.y.min()) == (2, 2)
    assert where.box == (0, 0, 104, 74)
    drawn = to_svg(Position([[-2, 2, -2]], topology=ring_of_three("ring")), at=at, explained=0)
    assert tree(drawn).get("viewBox") == "-1 -1 106 76"
    for wrong in (at[:2], at * np.nan, at.T[:, :2]):
        with pytest.raises(ValueError, match=r"places are finite float64\[3, 2\]"):
            places(ring_of_three("ring"), wrong)


def inside(root):
    """Every text stands inside the picture."""
    left, above, width, height = map(float, root.get("viewBox").split())
    for span in root.iter(f"{SVG}tspan"):
        assert left + 2 < float(span.get("x")) < left + width - 2
        assert above + 5 < float(span.get("y")) < above + height


def test_coordinates_and_the_size_of_a_cell():
    plain, numbered = (tree(to_svg(Position.parse(["#" * 12] * 3), coordinates=c, cell=10)) for c in (False, True))
    assert not list(plain.iter(f"{SVG}tspan"))
    assert [s.text for s in numbered.iter(f"{SVG}tspan")] == [*map(str, range(12)), "0", "1", "2"]
    assert (plain.get("viewBox"), plain.get("width"), plain.get("height")) == ("-1 -1 242 62", "121", "31")
    inside(numbered)
    hexagons = tree(
        to_svg(Position(np.full((12, 3), COVERED), topology=board_of("hexagonal", 12, 3)), coordinates=True)
    )
    assert [s.text for s in hexagons.iter(f"{SVG}tspan")] == [*map(str, range(3)), *map(str, range(12))]
    inside(hexagons)


def test_boards_are_small():
    for kind in ("random", "scatter", "endgame"):
        for entry in shared_corpus(f"expert-{kind}", 20):
            safe, mines = np.zeros((2, 480), bool)
            safe[list(entry.global_answer.safe)] = mines[list(entry.global_answer.mines)] = True
            assert len(to_svg(entry.position, theme="light")) < 9_000
            assert len(to_svg(entry.position, safe=safe, mines=mines, theme="light")) < 15_000
    assert len(to_svg(Position(np.full((16, 30), COVERED)))) < 2_500
    large = Position(np.full((100, 100), COVERED))
    shares = np.random.default_rng(1).random(10_000)
    assert len(to_svg(large, probability=shares, coordinates=True)) < 250_000


def test_what_means_nothing_is_refused():
    position = Position.parse("##")
    with pytest.raises(ValueError, match=r"missed_safe is bool\[2\], not bool \(3,\)"):
        to_svg(position, missed_safe=np.zeros(3, bool))
    with pytest.raises(ValueError, match=r"mines is bool\[2\], not int64 \(2,\)"):
        to_svg(position, mines=np.zeros(2, np.int64))
    with pytest.raises(ValueError, match=r"probability is float64\[2\], not of shape \(1,\)"):
        to_svg(position, probability=np.zeros(1))
    with pytest.raises(ValueError, match="unknown theme 'blue'; known are light, dark, auto, page"):
        to_svg(position, theme="blue")
    with pytest.raises(ValueError, match="at least 1 pixel wide, not 0"):
        to_svg(position, cell=0)
    with pytest.raises(ValueError, match="at least 1 pixel wide, not nan"):
        to_svg(position, cell=float("nan"))
    with pytest.raises(ValueError, match=r"between 0 and 1, not 1\.5"):
        to_svg(position, probability=np.array([np.nan, 1.5]))
    with pytest.raises(ValueError, match=r"components are integers\[2\], not float64 \(2,\)"):
        to_svg(position, components=np.zeros(2))
    for cell, message in ((2, r"cell 2 is outside 0\.\.1"), (-1, "cell -1 is outside"), (0.5, "an integer, not 0.5")):
        with pytest.raises(ValueError, match=message):
            to_svg(position, explained=cell)


def test_pixels():
    pytest.importorskip("resvg_py")
    position = Position.parse(["1#", "F*"])
    svg = to_svg(position, coordinates=True)
    picture = to_png(svg, zoom=3)
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    size = [int.from_bytes(picture[i : i + 4], "big") for i in (16, 20)]
    assert size == [3 * int(tree(svg).get(name)) for name in ("width", "height")]
    light, dark = (to_svg(position, coordinates=True, theme=theme) for theme in ("light", "dark"))
    assert to_png(light, zoom=3) == picture  # what a reader prefers is not known
    assert to_png(dark, zoom=3) != picture
    assert to_png(light, zoom=3, background="#fff") != picture
    with pytest.raises(ValueError, match="no picture of 'no svg' on background None"):
        to_png("no svg")


def test_pixels_are_refused_where_they_cannot_be_right(monkeypatch):
    svg = to_svg(Position.parse("1#"))
    for zoom in (0, -1, float("nan"), float("inf")):
        with pytest.raises(ValueError, match=f"zoom is above 0, not {zoom}"):
            to_png(svg, zoom=zoom)
    with pytest.raises(ValueError, match='"page"'):
        to_png(to_svg(Position.parse("1#"), theme="page"))
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(ImportError, match="sapper\\[png\\]"):
        to_png(svg)
