"""Corpora: files, hashes, bad files' messages, the bundled ones, and making them again from their seeds."""

import dataclasses
import json
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.corpus import (
    KINDS,
    LEVELS,
    SHAPES,
    Answer,
    Corpus,
    Entry,
    build_corpus,
    bundled_corpora,
    corpus_names,
    load_corpus,
    read_corpus,
    trusted_corpus,
    write_corpus,
)
from benchmarks.generation import SAFE_CELLS_LEFT, entry_of, exact_answer, make_entry
from benchmarks.shapes import COMBS, LATTICES, SQUARES, draw
from board import COVERED, HIT, UNNUMBERED, Position, graph, grid, hexagonal, torus
from solvers import Status, make_solver

DATA = Path(__file__).parent / "data"
NONE = Answer(True, (), ())
GENERATED = [f"{level}-{kind}" for level in LEVELS for kind in KINDS]


def entry(name="a", grid=("1#", "##"), mines=1, layout=(1,), local=None, whole=None):
    nothing = Answer(True, (), ())
    return Entry(name, "g", Position.parse(list(grid), mines), local or nothing, whole or nothing, layout)


SMALL = Corpus(
    "small",
    (
        entry("one"),
        entry("two", ["01", "F#"], None, None),
        entry("three", ["*1", "1#"], 1, (0,), whole=Answer(True, (3,), ())),
        entry("four", ["2#", "__"], 1, None, Answer(False, (), ()), Answer(False, (), ())),
    ),
    {"seed": 5, "definition": "By hand.", "note": "kept"},
)


@pytest.fixture
def lines(tmp_path):
    """The small corpus as a file's lines, parsed."""
    write_corpus(SMALL, tmp_path / "small.jsonl")
    return [json.loads(line) for line in (tmp_path / "small.jsonl").read_text().splitlines()]


@pytest.fixture
def message(tmp_path):
    """What reading a file of this content says."""

    def read(content):
        path = tmp_path / "bad.jsonl"
        if isinstance(content, list):
            content = "".join(json.dumps(line) + "\n" for line in content)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        with pytest.raises(ValueError, match=f"^{re.escape(str(path))}") as caught:
            read_corpus(path)
        assert "\n" not in str(caught.value)
        return str(caught.value).removeprefix(f"{path}, ").removeprefix(f"{path}: ")

    return read


# The form


def test_round_trip(tmp_path):
    path = tmp_path / "small.jsonl"
    write_corpus(SMALL, path)
    again = load_corpus(str(path))
    assert again == SMALL
    assert dict(again.header) == dict(SMALL.header)
    assert (again.header["note"], again.header["seed"], len(again)) == ("kept", 5, 4)
    assert [e.id for e in again] == ["one", "two", "three", "four"]
    write_corpus(again, tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == path.read_bytes()
    assert pickle.loads(pickle.dumps(SMALL)) == SMALL


def test_the_hash_is_the_content_alone(tmp_path, lines):
    path = tmp_path / "other.jsonl"
    header, *entries = [dict(reversed(line.items())) for line in lines]
    header["definition"] = "Other words."
    text = "\r\n".join(json.dumps(line, separators=(" , ", " : ")) for line in [header, *entries])
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    other = read_corpus(path)
    assert other == SMALL
    assert other.hash == SMALL.hash == ("e22631a3e2e1ad427839f8a303023c9bdf492e8c5a409b0387bffe5c10c7e400")


@pytest.mark.parametrize(
    "change",
    [
        {"id": "x"},
        {"game": "x"},
        {"layout": None},
        {"layout": (2,)},
        {"position": Position.parse(["1#", "#F"], 1)},
        {"position": Position.parse(["1#", "##"], None)},
        {"global_answer": Answer(True, (3,), ())},
        {"global_answer": Answer(True, (), (1,))},
        {"layout": None, "global_answer": Answer(False, (), ())},
    ],
)
def test_the_hash_changes_with_any_part(change):
    one, *others = SMALL.entries
    changed = dataclasses.replace(one, **change)
    assert Corpus("small", (changed, *others)).hash != SMALL.hash
    assert Corpus("small", SMALL.entries).hash == SMALL.hash


def test_the_order_of_entries_is_content():
    assert Corpus("small", SMALL.entries[::-1]).hash != SMALL.hash


def test_answer_by_question():
    one = SMALL.entries[2]
    assert one.answer("local") is one.local_answer
    assert one.answer("global") is one.global_answer
    with pytest.raises(ValueError, match="unknown question 'both'; known are local, global"):
        one.answer("both")


# Other boards

STAR = graph([range(1, 13), *[[0]] * 12], name="star")


def other_boards():
    """An entry on each kind of board; of the star, clues over 8, a flag, a hit mine and an opened cell."""
    flags = np.arange(13).reshape(1, 13) == 2
    boards = {
        "torus": Position([[1, COVERED], [COVERED, COVERED]], 1, topology=torus(2, 2)),
        "hexagonal": Position([[1, COVERED, 0]], None, [[False, True, False]], hexagonal(1, 3)),
        "path": Position([[1, COVERED, COVERED]], 1, topology=graph([[1], [0, 2], [1]])),
        "one way": Position([[1, COVERED], [COVERED, 0]], 1, topology=graph([[1], [], [], []], (2, 2))),
        "star": Position([[12, HIT, COVERED, UNNUMBERED, *[COVERED] * 9]], 13, flags, STAR),
    }
    return Corpus("boards", tuple(entry_of(name, position) for name, position in boards.items()))


def test_other_boards_are_kept(tmp_path):
    corpus = other_boards()
    path = tmp_path / "boards.jsonl"
    write_corpus(corpus, path)
    assert read_corpus(path) == trusted_corpus(path.read_bytes()) == corpus
    assert read_corpus(path).hash == corpus.hash
    kept = [json.loads(line) for line in path.read_text().splitlines()[1:]]
    path_of_three, one_way = [[1], [0, 2], [1]], [[1], [], [], []]
    star = {"name": "star", "neighbours": [list(range(1, 13)), *[[0]] * 12]}
    assert [line["topology"] for line in kept] == [
        "torus",
        "hexagonal",
        {"name": "graph", "neighbours": path_of_three},
        {"name": "graph", "neighbours": one_way},
        star,
    ]
    assert kept[1]["rows"] == ["1F0"]
    assert kept[4]["rows"] == [[12, "*", "F", "_", *["#"] * 9]]
    for one, other in zip(read_corpus(path), corpus, strict=True):
        assert one.position.topology == other.position.topology
        assert one.position.problem() == other.position.problem()


def test_the_board_is_part_of_the_hash():
    hashes = {
        Corpus("x", (Entry("a", "g", Position([[0, COVERED, COVERED]], 1, topology=board), NONE, NONE),)).hash
        for board in (grid(1, 3), torus(1, 3), hexagonal(1, 3), graph([[1], [0, 2], [1]]), graph([[1], [0], []]))
    }
    assert len(hashes) == 5
    assert other_boards().hash == "017bc0e29fc7b4269c823e76c25417053b5e3d6560369b64773fa35912e716cc"


# Bad content


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"local": Answer(True, (0,), ())}, "local.safe: cell 0 is not covered"),
        ({"whole": Answer(True, (4,), ())}, "global.safe: cell 4 is outside 0..3"),
        ({"whole": Answer(True, (), (-1,))}, "global.mines: cell -1 is outside 0..3"),
        ({"whole": Answer(True, (3, 2), ())}, "global.safe: cells are ascending and distinct, not 3, 2"),
        ({"whole": Answer(True, (2, 2), ())}, "global.safe: cells are ascending and distinct, not 2, 2"),
        ({"whole": Answer(True, (2,), (2,))}, "global.mines: cell 2 is listed as safe too"),
        ({"whole": Answer(False, (2,), ())}, "global: cells are entailed, but there is no model"),
        ({"local": Answer(True, (2,), ())}, "global: misses a cell of the local answer"),
        ({"local": Answer(False, (), ())}, "local: no model, where the global answer has one"),
        (
            {"mines": None, "whole": Answer(True, (2,), ())},
            "global: without a mine count it is the local answer",
        ),
        ({"layout": (1, 2)}, "layout: has 2 mines, the position 1"),
        ({"layout": (7,)}, "layout: cell 7 is outside 0..3"),
        ({"layout": (0,)}, "layout: does not fit what the position shows at row 0, column 0"),
        ({"grid": ["2#", "##"]}, "layout: does not fit what the position shows at row 0, column 0"),
        ({"grid": ["#_", "##"]}, "layout: does not fit what the position shows at row 0, column 1"),
        ({"whole": Answer(True, (1,), ())}, "global: contradicts the layout"),
        ({"whole": Answer(True, (), (2,))}, "global: contradicts the layout"),
        ({"whole": Answer(False, (), ())}, "global: contradicts the layout"),
    ],
)
def test_entries_that_do_not_fit_together(parts, said):
    with pytest.raises(ValueError, match=f"^{re.escape(said)}"):
        entry(**parts)


def test_a_corpus_refuses_repeated_ids():
    with pytest.raises(ValueError, match="'one' stands twice, in entries 1 and 3"):
        Corpus("x", (*SMALL.entries[:2], SMALL.entries[0]))


def test_a_torn_file(message, lines, tmp_path):
    text = (tmp_path / "small.jsonl").read_text()
    assert message(text[:-20]).startswith("line 5: is not JSON: ")
    whole_lines = text[: text[:-1].rindex("\n") + 1]
    assert message(whole_lines) == "key count: the header says 4, the entries 3"
    assert message(text + "\n").startswith("line 6: is not JSON: ")


def test_a_missing_header(message, lines):
    assert message(lines[1:]) == "line 1, key format: 'sapper-corpus' is needed, not None"
    assert message("").startswith("line 1: is not JSON: ")
    assert message("[1]\n") == "line 1: a JSON object is needed, not '[1]'"
    assert message("[" * 100_000).startswith("line 1: is not JSON: ")
    lines[0]["version"] = 2
    assert message(lines) == "line 1, key version: this program reads version 1, not 2"


def test_a_wrong_hash(message, lines):
    lines[1]["game"] = "another"
    assert re.fullmatch(r"key hash: the header says '[0-9a-f]{64}', the entries '[0-9a-f]{64}'", message(lines))
    lines[0]["hash"] = 7
    assert message(lines) == "line 1, key hash: '7' is of the wrong type"


@pytest.mark.parametrize(
    ("line", "key", "value", "said"),
    [
        (1, "seed", "x", "key seed: 'x' is of the wrong type"),
        (1, "count", True, "key count: 'True' is of the wrong type"),
        (2, "id", 7, "key id: '7' is of the wrong type"),
        (2, "mines", 1.5, "key mines: '1.5' is of the wrong type"),
        (2, "mines", True, "key mines: 'True' is of the wrong type"),
        (2, "mines", -1, "key mines: a mine count is an integer >= 0, not -1"),
        (2, "rows", "1#", "key rows: '1#' is of the wrong type"),
        (2, "rows", ["1#", 3], "key rows: a list of texts is needed"),
        (2, "rows", ["1#", "#"], "key rows: row 1 has 1 cells, the first has 2: '#'"),
        (2, "rows", ["1#", "9#"], "key rows: unknown character '9' at row 1, column 0"),
        (2, "rows", [], "key rows: the position is empty"),
        (2, "layout", [1.0], "key layout: a list of cell numbers is needed, not 1.0"),
        (2, "layout", [2, 3], "key layout: has 2 mines, the position 1"),
        (3, "local", None, "key local: 'None' is of the wrong type"),
        (3, "local", {"safe": [], "mines": []}, "key local, key consistent: is missing"),
        (3, "global", {"consistent": True, "safe": [True], "mines": []}, "key global.safe: a list of cell"),
        (
            3,
            "global",
            {"consistent": True, "safe": [9], "mines": []},
            "key global.safe: cell 9 is outside 0..3",
        ),
        (3, "extra", 1, "key extra: is unknown; known are id, game"),
        (4, "game", ..., "key game: is missing"),
        (2, "topology", "donut", "key topology: unknown topology 'donut'; known are grid, torus, hexagonal"),
        (2, "topology", 5, "key topology: '5' is of the wrong type"),
        (2, "topology", None, "key topology: 'None' is of the wrong type"),
        (2, "topology", {"name": "x"}, "key topology, key neighbours: is missing"),
        (2, "topology", {"name": "x", "neighbours": [], "n": 4}, "key topology, key n: is unknown; known are name,"),
        (2, "topology", {"name": "x", "neighbours": [[1]]}, "key topology: the neighbours of 1 cells for a board"),
        (2, "topology", {"name": "x", "neighbours": [1, 0, 0, 0]}, "key topology: neighbours are a list of cells for"),
        (2, "topology", {"name": "x", "neighbours": [[4], [], [], []]}, "key topology: a neighbour is another cell"),
        (2, "topology", {"name": "x", "neighbours": [["1"], [], [], []]}, "key topology: a neighbour is the number of"),
        (2, "topology", {"name": "torus", "neighbours": [[1], [], [], []]}, "key topology: these are not the neigh"),
        (2, "topology", {"name": "x", "neighbours": [[2], [], [], []]}, "key layout: does not fit"),
        (2, "rows", [["1", "#"], "##"], "key rows: a list of texts is needed, or of lists of symbols and integers"),
        (2, "rows", [[1, True], ["#", "#"]], "key rows: a list of texts is needed, or of lists of symbols and"),
        (2, "rows", [[1, "##"], ["#", "#"]], "key rows: a cell is one symbol or an integer >= 0, not '##'"),
        (2, "rows", [[1, -2], ["#", "#"]], "key rows: a cell is one symbol or an integer >= 0, not -2"),
        (2, "rows", [[1, "x"], ["#", "#"]], "key rows: unknown character 'x' at row 0, column 1"),
        (2, "rows", [[1, "#"], ["#"]], "key rows: row 1 has 1 cells, the first has 2"),
        (2, "rows", [[1, 40000], ["#", "#"]], "key rows: the code 40000 at row 0, column 1 means nothing"),
        (2, "rows", [[]], "key rows: the position is empty"),
    ],
)
def test_a_wrong_key_is_named_with_its_line(message, lines, line, key, value, said):
    if value is ...:
        del lines[line - 1][key]
    else:
        lines[line - 1][key] = value
    assert message(lines).startswith(f"line {line}, {said}")


def test_no_text_no_file_a_folder(message, tmp_path):
    assert message(b'{"format": \xff') == "is not text: byte 11 is not UTF-8"
    for path, said in [(tmp_path, "Is a directory"), (tmp_path / "none.jsonl", "No such file")]:
        for read in (read_corpus, load_corpus):
            with pytest.raises(ValueError, match=f"{re.escape(str(path))}: cannot be read: {said}"):
                read(path)


def test_unknown_names():
    with pytest.raises(ValueError, match="unknown corpus 'expert-stuk'; did you mean 'expert-stuck'"):
        load_corpus("expert-stuk")
    said = (
        "unknown corpus '????'; known are cases, squares-0.10, squares-0.15, squares-0.20, combs, lattices, stress, and"
    )
    with pytest.raises(ValueError, match=f"{re.escape(said)} <level>-<kind> with a level of beginner"):
        load_corpus("????")


# The bundled corpora


@pytest.mark.parametrize("name", GENERATED)
def test_bundled_corpora_obey_their_definitions(name):
    level, _, kind = name.partition("-")
    corpus = load_corpus(name)
    rows, columns, mines = LEVELS[level]
    assert (corpus.name, len(corpus), corpus.header["name"]) == (name, 200, name)
    assert f"{rows} rows x {columns} columns, {mines} mines" in corpus.header["definition"]
    assert len({e.game for e in corpus}) == 200
    finder = make_solver({"stuck": "subset", "minmax-stuck": "minmax"}.get(kind, "single"))
    for e in corpus:
        opened = e.position.codes >= 0
        assert (e.position.shape, e.position.mines) == ((rows, columns), mines)
        assert len(e.layout) == mines
        assert opened.any()
        assert rows * columns - mines > opened.sum()
        if "stuck" in kind:
            assert e.global_answer.safe
            assert not finder.deduce(e.position.problem()).safe.any()
        if kind == "endgame":
            assert rows * columns - mines - opened.sum() <= SAFE_CELLS_LEFT[level]
            assert e.local_answer != e.global_answer
        for zero in np.flatnonzero(e.position.codes == 0):
            assert (e.position.codes.flat[e.position.topology.of(zero)] >= 0).all()


@pytest.mark.parametrize("name", GENERATED)
def test_bundled_answers_hold_for_another_solver(name):
    solver = make_solver("sat")
    for e in list(load_corpus(name))[::10]:
        for question, problem in [("local", e.position.problem().local()), ("global", e.position.problem())]:
            found = solver.deduce(problem)
            answer = e.answer(question)
            assert found.status is Status.COMPLETE
            assert tuple(np.flatnonzero(found.safe).tolist()) == answer.safe
            assert tuple(np.flatnonzero(found.mines).tolist()) == answer.mines


@pytest.mark.parametrize("name", [n for n in SHAPES if n.startswith("squares")])
def test_bundled_squares_obey_their_definition(name):
    corpus = load_corpus(name)
    assert [e.id for e in corpus] == [e.game.replace("/", "-") for e in corpus] == [f"{name}-{i}" for i in range(15)]
    for i, e in enumerate(corpus):
        n = SQUARES[i % 5]
        opened = e.position.codes >= 0
        safe = n * n - e.position.mines
        assert e.position.shape == (n, n)
        assert e.position.mines == round(float(name.removeprefix("squares-")) * n * n)
        assert 0.05 * safe <= opened.sum() < safe
        assert e.layout is None
        for zero in np.flatnonzero(e.position.codes == 0):
            assert (e.position.codes.flat[e.position.topology.of(zero)] >= 0).all()


def test_bundled_combs_obey_their_definition():
    corpus = load_corpus("combs")
    assert [e.position.shape for e in corpus] == list(COMBS)
    for e in corpus:
        covered = e.position.codes == COVERED
        assert not covered[::2, ::2].any()
        assert covered[1::2].all()
        assert covered[:, 1::2].all()
        assert e.position.mines == len(e.layout) == covered.sum() * 35 // 100


def test_bundled_lattices_obey_their_definition():
    corpus = load_corpus("lattices")
    for e, k in zip(corpus, LATTICES, strict=True):
        assert (e.position.codes[1::2, 1::2] == 4).all()
        assert (e.position.codes == COVERED).sum() == (2 * k + 1) ** 2 - k * k
        # Turn every mine into a free cell and every free cell into a mine: all clues still hold.
        assert e.local_answer == Answer(True, (), ())


def test_the_stress_positions_are_those_of_the_shared_file():
    shared = [json.loads(line) for line in (DATA / "stress.jsonl").open(encoding="utf-8")]
    corpus = load_corpus("stress")
    found = [(e.id, e.game, e.position.rows(), e.position.mines, e.layout) for e in corpus]
    assert found == [(d["id"], d["id"], d["grid"], d["mines"], None) for d in shared]
    assert len(corpus) == 37


def test_the_bundled_corpora_as_they_were_written():
    assert bundled_corpora() == [load_corpus(name) for name in corpus_names()]


def test_the_data_stays_small():
    import benchmarks.corpora

    files = sorted(Path(benchmarks.corpora.__file__).parent.glob("*.jsonl"))
    assert sorted(corpus_names()) == [f.stem for f in files]
    assert sum(f.stat().st_size for f in files) < 6_500_000
    assert all(set(f.read_bytes()) <= set(range(32, 127)) | {10} for f in files)


def test_the_cases_are_those_of_the_shared_file():
    corpus = load_corpus("cases")
    shared = [json.loads(line) for line in (DATA / "cases.jsonl").open(encoding="utf-8")]
    assert [e.id for e in corpus] == [c["id"] for c in shared]
    for e, case in zip(corpus, shared, strict=True):
        expect = case["expect"]
        columns = len(case["grid"][0])
        assert e.game == e.id
        assert (e.position.rows(), e.position.mines) == (case["grid"], case["mines"])
        for answer, end, consistent in [
            (e.local_answer, "_local", "consistent_local"),
            (e.global_answer, "", "consistent"),
        ]:
            assert answer.consistent == expect[consistent]
            assert list(answer.safe) == sorted(r * columns + c for r, c in expect[f"safe{end}"])
            assert list(answer.mines) == sorted(r * columns + c for r, c in expect[f"mines{end}"])


# Making them


@pytest.mark.parametrize("name", [n for n in GENERATED if n.startswith("beginner")])
def test_a_seed_makes_the_same_corpus(name):
    told = []
    made = build_corpus(name, 3, 11, progress=lambda done, count: told.append((done, count)))
    assert made == build_corpus(name, 3, 11)
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert made.hash != build_corpus(name, 3, 12).hash
    assert (made.header["seed"], made.name) == (11, name)
    assert made.entries[:2] == build_corpus(name, 2, 11).entries


@pytest.mark.parametrize(
    ("board", "kind"),
    [  # on so small a torus the one left out takes a thousand games
        *(("torus", kind) for kind in KINDS if kind != "minmax-stuck"),
        *((board, kind) for board in ("hexagonal", "graph") for kind in KINDS),
    ],
)
def test_levels_are_played_on_other_boards(board, kind, tmp_path):
    name = f"{board}-beginner-{kind}"
    made = build_corpus(name, 2, 11)
    write_corpus(made, tmp_path / "made.jsonl")
    assert read_corpus(tmp_path / "made.jsonl") == made == build_corpus(name, 2, 11)
    finder = make_solver({"stuck": "subset", "minmax-stuck": "minmax"}.get(kind, "single"))
    for e in made:
        topology = e.position.topology
        assert (topology.name, topology.n, e.position.mines, len(e.layout)) == (board, 81, 10, 10)
        assert topology.shape == ((1, 81) if board == "graph" else (9, 9))
        assert e.id == e.game.replace("/", "-")
        for zero in np.flatnonzero(e.position.codes == 0):
            assert (e.position.codes.flat[topology.of(zero)] >= 0).all()
        if "stuck" in kind:
            assert e.global_answer.safe
            assert not finder.deduce(e.position.problem()).safe.any()
        if kind == "endgame":
            assert e.local_answer != e.global_answer
    assert (made.entries[0].position.topology == made.entries[1].position.topology) == (board != "graph")
    what = {
        "torus": "A torus, 9 rows x 9 columns, 10 mines. ",
        "hexagonal": "Hexagons, 9 rows x 9",
        "graph": "81 points",
    }
    assert made.header["definition"].startswith(what[board])


@pytest.mark.parametrize("name", GENERATED)
def test_bundled_entries_are_made_again_one_by_one(name):
    corpus = load_corpus(name)
    again(corpus, corpus.entries[7])


@pytest.mark.slow
@pytest.mark.parametrize("name", GENERATED)
def test_bundled_corpora_are_made_again(name):
    corpus = load_corpus(name)
    assert build_corpus(name, 20, corpus.header["seed"]).entries == corpus.entries[:20]


@pytest.mark.parametrize("name", SHAPES)
def test_bundled_shapes_are_made_again_one_by_one(name):
    corpus = load_corpus(name)
    for i in (1, 3):
        again(corpus, corpus.entries[i])


@pytest.mark.slow
@pytest.mark.parametrize("name", SHAPES)
def test_bundled_shapes_are_made_again_byte_by_byte(name, tmp_path):
    import benchmarks.corpora

    bundled = (Path(benchmarks.corpora.__file__).parent / f"{name}.jsonl").read_bytes()
    made = build_corpus(name, bundled.count(b"\n") - 1, 1)
    write_corpus(made, tmp_path / "made.jsonl")
    assert (tmp_path / "made.jsonl").read_bytes() == bundled


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("squares-0.15", [(n, n) for n in SQUARES]),
        ("combs", list(COMBS)),
        ("lattices", [(2 * k + 1, 2 * k + 1) for k in LATTICES]),
    ],
)
def test_a_shape_begins_again_with_other_draws(name, sizes):
    drawn = [draw(name, 3, i) for i in range(2 * len(sizes))]
    assert [position.shape for position, _ in drawn] == 2 * sizes
    small, later = drawn[0], drawn[len(sizes)]
    assert small == draw(name, 3, 0)
    assert small[1] != draw(name, 4, 0)[1]
    assert small[1] != later[1] or name == "lattices"  # a lattice of one clue has eight layouts
    assert all(position == layout.position(position.codes >= 0) for position, layout in drawn)


@settings(max_examples=50)
@given(st.integers(0, 1000), st.integers(0, 100))
def test_every_clue_of_a_lattice_is_four(seed, index):
    k = LATTICES[index % len(LATTICES)]
    position, layout = draw("lattices", seed, index)
    assert position.codes[1::2, 1::2].tolist() == [[4] * k] * k
    assert position.mines == layout.count
    assert (k + 1) ** 2 <= layout.count <= 2 * k * (k + 1)


def test_no_answer_without_a_second_solver_that_agrees():
    problem = Position.parse(["1#", "0#"], 1).problem()
    assert exact_answer(problem, "x", "cpsat") == Answer(False, (), ())
    problem = Position.parse(["1##", "##1"], 1).problem()
    assert exact_answer(problem, "x") == exact_answer(problem, "x", "cpsat") == Answer(True, (2, 3), ())
    with pytest.raises(RuntimeError, match="counting and single disagree on x"):
        exact_answer(problem, "x", "single")


def again(corpus, wanted):
    index = int(wanted.game.rpartition("/")[2])
    assert make_entry(corpus.name, corpus.header["seed"], index) == wanted


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("cases", 1, 1), "no way to build a corpus 'cases'; known are squares-0.10, "),
        (("squares-0.12", 1, 1), "combs, lattices, and <level>-<kind> with a level of beginner"),
        (("combs", 0, 1), "a count >= 1 and a seed >= 0, not 0 and 1"),
        (("torus-combs", 1, 1), "and a kind of random, scatter, stuck, minmax-stuck, endgame, also after torus, "),
        (("grid-expert-stuck", 1, 1), "no way to build a corpus 'grid-expert-stuck'"),
        (("expert", 1, 1), "no way to build a corpus 'expert'"),
        (("expert-easy", 1, 1), "no way to build a corpus 'expert-easy'"),
        (("expert-stuck", 0, 1), "a count >= 1 and a seed >= 0, not 0 and 1"),
        (("expert-stuck", 1, -1), "a count >= 1 and a seed >= 0, not 1 and -1"),
        (("expert-stuck", 2.0, 1), "count: an integer is needed, not 2.0"),
        (("expert-stuck", 1, True), "seed: an integer is needed, not True"),
    ],
)
def test_bad_requests_to_build(arguments, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        build_corpus(*arguments)
