"""Replays: files written here, byte by byte or by the library's own recorder, and played again by another program."""

import math
import os
import random
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from typer.testing import CliRunner

from benchmarks import load_corpus, replays
from benchmarks.cli import app
from benchmarks.corpus_cli import Moments
from benchmarks.replays import Moment, Replay, _checked, _Found, read_replays, replay_corpus, replay_positions
from benchmarks.solving import read_position
from board import COVERED, HIT, Game, Layout, Outcome, Position, formats
from solvers import Unsupported, make_solver

ms_toollib = pytest.importorskip("ms_toollib")

PRESS, RELEASE, FLAG, UNFLAG = 3, 5, 9, 17


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def avf(layout, events, level=3):
    """The bytes of an AVF file: version, level, mines from 1, texts, then eight bytes a mouse event."""
    mines = bytes((np.argwhere(layout.mines) + 1).astype(np.uint8).tobytes())
    head = (
        bytes([52, 0, 0, 0, 0, level]) + mines + bytes(12) + b"\x7f8[0|1.2.2021.16:39:05:9912|1.16:39:11:3325|B9T6.41]"
    )
    body = bytearray()
    for button, row, column, hundredths in events:
        x, y = column * 16 + 8, row * 16 + 8
        seconds, hundredths = divmod(hundredths, 100)
        seconds += 1
        body += bytes([button, x >> 8, seconds & 255, x & 255, hundredths, y >> 8, seconds >> 8, y & 255])
    return (
        head + body + bytes(8) + b"cs=" + bytes(14) + b"RealTime: 5.41\rSkin: 3.1\rNobody\rMinesweeper Arbiter 0.52.3."
    )


def bits_of_mvf(key):
    """At which places of forty bits an event's fields stand: the stable order of forty digits made of the key."""
    low, high = math.sqrt(key), math.sqrt(key + 1000)
    far = math.sqrt(low + 1000)
    waves = (
        math.cos(far + 1000),
        math.sin(math.sqrt(high)),
        math.cos(far),
        math.sin(math.sqrt(low) + 1000),
        math.cos(math.sqrt(high + 1000)),
    )
    digits = "".join(f"{math.floor(abs(wave) * 1e8 + 0.5):08}"[:8] for wave in waves)
    return sorted(range(40), key=digits.__getitem__)


def mvf(layout, events, key=777, version=b"5"):
    """The bytes of an MVF file of Clone 0.97: a head, mines from 1 by column and row, a name, then five bytes an event.

    After ms_toollib's reader (`base/src/videos/mvf_video.rs`), which is all the description of the format that there
    is. An event holds what is pressed at that time, the place, the hundredths and the seconds.
    """
    rows, columns = layout.shape
    mines = np.argwhere(layout.mines)[:, ::-1] + 1
    date, level, score, clicks = bytes([2, 1, 7, 229, 16, 39, 5]), bytes([1, 1]), bytes([0, 5, 41]), bytes(11)
    head = b"\x11M" + bytes(25) + version + bytes(46) + date + level + score + clicks
    board = bytes([columns, rows]) + len(mines).to_bytes(2, "big") + mines.astype(np.uint8).tobytes()
    places, body, pressed = bits_of_mvf(key), bytearray(), {PRESS: 0, FLAG: 0}
    for button, row, column, hundredths in events:
        pressed[{RELEASE: PRESS, UNFLAG: FLAG}.get(button, button)] = int(button in pressed)
        seconds, hundredths = divmod(hundredths, 100)
        place = ((row * 16 + 8, 9), (column * 16 + 8, 9))
        fields = ((pressed[FLAG], 1), (0, 1), (pressed[PRESS], 1), *place, (hundredths, 7), (seconds, 10))
        bits = [value >> bit & 1 for value, width in fields for bit in range(width)]
        body += sum(bit << to for bit, to in zip(bits, places, strict=False)).to_bytes(5, "little")
    name = b"\x06Nobody"
    return head + board + name + key.to_bytes(2, "big") + len(events).to_bytes(3, "big") + body


def click(row, column, at):
    return [(PRESS, row, column, at), (RELEASE, row, column, at)]


def flag(row, column, at):
    return [(FLAG, row, column, at), (UNFLAG, row, column, at)]


def chord(row, column, at):
    return [
        (PRESS, row, column, at),
        (FLAG, row, column, at),
        (UNFLAG, row, column, at),
        (RELEASE, row, column, at),
    ]


def save(name, content):
    with open(name, "wb") as stream:
        stream.write(content)
    return name


LAYOUT = Layout.parse(
    """
    .*.*....
    *.......
    .*......
    *.......
    ..*.....
    *.......
    .*......
    *.*.....
    """
)
OPENING = [  # what a click at the bottom right shows
    "####1000",
    "##311000",
    "##100000",
    "##210000",
    "###10000",
    "###10000",
    "###10000",
    "###10000",
]


MADE = {"avf": avf, "mvf": mvf}
OF_256_CELLS = {"avf": {"level": 4}, "mvf": {}}
each_kind = pytest.mark.parametrize("kind", MADE)


@each_kind
def test_the_moments_of_a_game(kind):
    events = flag(0, 3, 20) + click(7, 7, 50) + flag(2, 1, 75) + flag(2, 1, 80) + chord(1, 3, 90) + click(0, 0, 300)
    replay = replay_positions(save(f"a.{kind}", MADE[kind](LAYOUT, events)))
    assert replay.layout == LAYOUT
    first = ["###F1000", *OPENING[1:]]
    then = ["##2F1000", *OPENING[1:]]
    last = ["2#2F1000", *OPENING[1:]]
    assert [(moment.seconds, moment.position) for moment in replay.moments] == [
        (seconds, Position.parse(rows, 10)) for seconds, rows in ((0.0, first), (0.4, then), (2.5, last))
    ]


@each_kind
def test_a_flag_that_was_wrong_stays_a_flag_and_the_mine_is_a_hit_one(kind):
    events = click(7, 7, 0) + flag(0, 2, 10) + flag(1, 0, 20) + click(0, 1, 30)
    *_, last = replay_positions(save(f"a.{kind}", MADE[kind](LAYOUT, events))).moments
    assert last.position == Position.parse(["#*F#1000", "F#311000", *OPENING[2:]], 10)


def test_a_chord_beside_a_wrong_flag_hits():
    replay = replay_positions(save("a.avf", avf(LAYOUT, click(7, 7, 0) + flag(0, 2, 10) + chord(1, 3, 20))))
    assert [m.position.rows()[0] for m in replay.moments] == ["####1000", "##F*1000"]


def played(layout, rng):
    """(events, positions after those that opened something) of a game by chance, until it ends or for 60 events."""
    game, events, positions = Game(layout), [], []
    for at in range(0, 600, 10):
        if game.outcome is not Outcome.PLAYING:
            break
        before, flags = game.opened, game.flags
        row, column = int(rng.integers(layout.shape[0])), int(rng.integers(layout.shape[1]))
        around = np.s_[max(row - 1, 0) : row + 2, max(column - 1, 0) : column + 2]
        if before[row, column]:
            events += chord(row, column, at)
            if flags[around].sum() == layout.clues[row, column] and not (layout.mines & ~flags)[around].any():
                for r, c in np.argwhere(~flags & ~before):
                    if max(abs(r - row), abs(c - column)) <= 1 and game.outcome is Outcome.PLAYING:
                        game.open(int(r), int(c))
            elif flags[around].sum() == layout.clues[row, column]:
                del events[-4:]  # the library opens all cells, a game ends at the first mine
        elif rng.random() < (0.98 if layout.mines[row, column] else 0.02):
            events += flag(row, column, at)
            game.flag(row, column)
        else:
            events += click(row, column, at)
            game.open(row, column)
        if (game.opened != before).any():
            positions.append(game.position())
    return events, positions


@each_kind
def test_games_are_shown_as_they_were_played(kind):
    rng, names, expected = np.random.default_rng(5), [], []
    for number in range(25):
        layout = Layout.random(16, 16, 40, rng)
        events, positions = played(layout, rng)
        if positions:
            names.append(save(f"{number}.{kind}", MADE[kind](layout, events, **OF_256_CELLS[kind])))
            expected.append((layout, positions))
    found = [(replay.layout, [m.position for m in replay.moments]) for replay in read_replays(names)]
    assert found == expected
    assert max(len(positions) for _, positions in expected) > 10


@pytest.mark.parametrize("key", [0, 1, 40_000, 65_535])
def test_mvf_of_a_rectangle_whatever_the_order_of_its_bits(key):
    layout = Layout.parse(["*....*.", ".......", "......*"])
    content = mvf(layout, click(2, 0, 0) + click(0, 6, 12_345), key)
    replay = replay_positions(save("a.MVF", content))
    game = Game(layout)
    game.open(2, 0)
    first = game.position()
    game.open(0, 6)
    assert replay == Replay(layout, (Moment(0.0, first), Moment(123.45, game.position())))


def recorded(layout, clicks, cell_pixels=16):
    """The bytes of an EVF file of a finished game, from the library's recorder."""
    video = ms_toollib.BaseVideo(np.where(layout.mines, -1, layout.clues).tolist(), cell_pixels)
    for row, column in clicks:
        for button in ("lc", "lr"):
            video.step(button, (row * cell_pixels + 1, column * cell_pixels + 1))
    video.software, video.country = "none", "--"
    video.player_identifier = video.race_identifier = video.unique_identifier = ""
    video.generate_evf_v4_raw_data()
    return bytes(video.raw_data)


@pytest.mark.parametrize("cell_pixels", [16, 30])
def test_evf_of_a_rectangle(cell_pixels):
    layout = Layout.parse(["*....*.", ".......", "......*"])
    clicks = [(2, 0), (0, 1), (0, 6), (2, 5)]
    game, expected = Game(layout), []
    for row, column in clicks:
        if game.outcome is Outcome.PLAYING and game.open(row, column).size:
            expected.append(game.position())
    clicks += [(1, 6)]
    game.open(1, 6)
    assert game.outcome is Outcome.WON
    replay = replay_positions(save("a.EVF", recorded(layout, clicks, cell_pixels)))
    assert (replay.layout, [m.position for m in replay.moments]) == (layout, [*expected, game.position()])
    assert replay.moments[0].seconds == 0 <= replay.moments[-1].seconds < 10


# what is no replay


def refused(name, content=None):
    if content is not None:
        save(name, content)
    with pytest.raises(ValueError, match=r"\A[^\n]+\Z") as wrong:
        replay_positions(name)
    message = str(wrong.value)
    assert message.startswith(f"{name}: ")
    assert len(message) < 300
    return message.removeprefix(f"{name}: ")


GOOD = avf(LAYOUT, click(7, 7, 0) + click(0, 2, 10))


def test_foreign_files():
    assert refused("a.txt", b"1#") == "not the name of a replay; these end with .avf, .evf, .rmv, .mvf"
    assert refused("a.avf", b"") == "empty: there is no replay"
    assert "damaged, or no EVF replay: ms_toollib ended with" in refused("a.evf", b"1#")
    assert "damaged, or no RMV replay: ms_toollib ended with 'FileIsNotRmv'" in refused("a.rmv", GOOD)
    assert "damaged, or no MVF replay" in refused("a.mvf", GOOD)
    assert "damaged, or no MVF replay" in refused("a.mvf", mvf(LAYOUT, click(7, 7, 0))[:-1])
    assert "damaged, or no MVF replay" in refused("a.mvf", mvf(LAYOUT, click(7, 7, 0), version=b"7"))
    assert "damaged, or no AVF replay: ms_toollib ended with 'FileIsTooShort'" in refused("a.avf", GOOD[:100])
    assert "a replay is read from at most" in refused("b.avf", bytes(17 << 20))
    with pytest.raises(FileNotFoundError):
        replay_positions("missing.avf")
    assert sorted(os.listdir()) == ["a.avf", "a.evf", "a.mvf", "a.rmv", "a.txt", "b.avf"]  # no log of a crash


def test_a_board_and_a_game_that_say_nothing():
    assert refused("a.avf", avf(LAYOUT, flag(0, 0, 0))) == "nothing was opened in this game"
    twice = GOOD[:8] + GOOD[6:8] + GOOD[10:]
    assert refused("a.avf", twice) == "10 mines are announced, and 9 cells have one"


def hammered(count):
    """Damaged copies of three replays: cut off, or some bytes changed, or some left out."""
    rng = random.Random(8)
    sources = [("x.avf", GOOD), ("x.evf", recorded(LAYOUT, [(7, 7), (0, 2), (0, 1)]))]
    sources.append(("x.mvf", mvf(LAYOUT, click(7, 7, 0) + click(0, 2, 10))))
    for number in range(count):
        name, content = sources[number % 3]
        damaged, way = bytearray(content), number // 3 % 3
        if way == 0:
            del damaged[rng.randrange(1, len(damaged)) :]
        else:
            for _ in range(rng.randint(1, 4)):
                damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        if way == 2:
            del damaged[rng.randrange(len(damaged))]
        yield name, bytes(damaged)


def outcome(name):
    """The replay, or the message that refuses it."""
    try:
        return replay_positions(name)
    except ValueError as wrong:
        return str(wrong)


def never_worse_than_refused(count):
    refusals = 0
    for name, content in hammered(count):
        found = outcome(save(name, content))
        if isinstance(found, str):
            refusals += 1
            assert found.startswith(f"{name}: ")
            assert "\n" not in found
            continue
        for moment in found.moments:
            opened = moment.position.codes != COVERED
            assert moment.position == found.layout.position(opened, moment.position.flags)
    assert count * 0.3 < refusals < count
    assert sorted(os.listdir()) == ["x.avf", "x.evf", "x.mvf"]


def test_damaged_files_are_one_line():
    never_worse_than_refused(12)


@pytest.mark.slow
def test_many_damaged_files_are_one_line():
    never_worse_than_refused(150)


def test_a_file_that_takes_too_long(monkeypatch):
    monkeypatch.setattr(replays, "LIMIT_SECONDS", 1e-6)
    assert refused("a.avf", GOOD) == "damaged, or no AVF replay: not read within 1e-06 s"


def test_the_library_may_be_missing(monkeypatch):
    monkeypatch.setattr(replays.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(Unsupported, match="pip install 'sapper\\[peers\\]'"):
        replay_positions(save("a.avf", GOOD))


@pytest.mark.parametrize(
    ("boards", "message"),
    [
        ([[[1, 1, 10]]], "at 0.0 s row 0, column 1 shows 1, and the layout has a mine there"),
        ([[[10, 15, 10]], [[15, 15, 10]]], "at 1.0 s row 0, column 0 shows a mine, and the layout has 1 there"),
        ([[[2, 10, 10]]], "at 0.0 s row 0, column 0 shows 2, and the layout has 1 there"),
        ([[[9, 10, 10]]], "at 0.0 s row 0, column 0 shows 9, and the layout has 1 there"),
        ([[[1, 10, 10]], [[10, 10, 1]]], "at 1.0 s a cell is covered that was opened before"),
        ([[[1, 10]]], "at 0.0 s the board is of shape (1, 2), the layout of (1, 3)"),
        ([[[10, 10, 10]], [[10, 11, 10]]], "nothing was opened in this game"),
    ],
)
def test_what_is_shown_must_be_what_the_layout_has(boards, message):
    found = _Found([[False, True, False]], 1, [(7.0 + i, board) for i, board in enumerate(boards)])
    with pytest.raises(ValueError, match="s") as wrong:
        _checked(found)
    assert str(wrong.value) == message


def test_an_action_that_opened_nothing_is_no_moment():
    shown = [[[1, 10, 10]], [[1, 11, 10]], [[1, 11, 1]]]
    replay = _checked(_Found([[False, True, False]], 1, [(2.5 + i, board) for i, board in enumerate(shown)]))
    assert replay == Replay(
        Layout.parse([".*."]),
        (Moment(0.0, Position.parse(["1##"], 1)), Moment(2.0, Position.parse(["1F1"], 1))),
    )


# corpora


def sapper(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)))


def test_kinds_of_moments_have_the_same_names_everywhere():
    assert [m.value for m in Moments] == list(replays.DEFINITIONS) == list(get_args(replays.Moments))


def test_a_corpus_of_replays():
    save("one.avf", avf(LAYOUT, click(7, 7, 0) + click(0, 2, 10) + click(0, 1, 20)))
    save("two.evf", recorded(LAYOUT, [(7, 7), (0, 2), (0, 0), (0, 1)]))
    save("three.mvf", mvf(LAYOUT, click(7, 7, 0)))
    done = sapper("corpus", "from-replays", "one.avf", "two.evf", "three.mvf", "one.avf", "--out", "real.jsonl")
    assert done.exit_code == 0, done.stderr
    corpus = load_corpus("real.jsonl")
    assert done.stdout == f"real: 6 positions of 3 games, hash {corpus.hash}\n"
    assert [(e.id, e.game) for e in corpus] == [
        ("one.avf#0", "one.avf"),
        ("one.avf#1", "one.avf"),
        *((f"two.evf#{i}", "two.evf") for i in range(3)),
        ("three.mvf#0", "three.mvf"),
    ]
    mines = tuple(np.flatnonzero(LAYOUT.mines).tolist())
    assert {e.layout for e in corpus} == {mines}
    for entry in corpus:
        assert set(entry.global_answer.mines) <= set(mines)
        assert not set(entry.global_answer.safe) & set(mines)
        assert not (entry.position.codes == HIT).any()
    assert "one.avf#1" in sapper("corpus", "show", "real.jsonl", "--entry", "one.avf#1").stdout


def test_moments_are_chosen_by_what_is_provable():
    known = load_corpus("intermediate-stuck").entries[:3]
    names = []
    for number, entry in enumerate(known):
        mines = np.zeros(256, np.bool_)
        mines[list(entry.layout)] = True
        codes = entry.position.codes
        clicks = [cell for clue in (codes == 0, codes > 0) for cell in np.argwhere(clue).tolist()]
        events = [event for row, column in clicks for event in click(row, column, 10)]
        names.append(save(f"{number}.avf", avf(Layout(mines.reshape(16, 16)), events, level=4)))
    corner = save("guess.avf", avf(LAYOUT, click(0, 0, 0)))
    every, stuck, guess = (replay_corpus(kind, [*names, corner], kind) for kind in get_args(replays.Moments))
    assert [e.id for e in guess][-1] == "guess.avf#0"
    subset = make_solver("subset")
    finds = {e.id: bool(subset.deduce(e.position.problem()).safe.any()) for e in every}
    assert [e.id for e in stuck] == [e.id for e in every if e.global_answer.safe and not finds[e.id]]
    assert [e.id for e in guess] == [e.id for e in every if not e.global_answer.safe]
    assert set(guess) | set(stuck) < set(every)
    assert stuck.header["definition"] == replays.DEFINITIONS["stuck"]
    last = [[e for e in every if e.game == name][-1] for name in names]
    for entry, again in zip(known, last, strict=True):
        assert again in set(stuck)
        assert again == replace(entry, id=again.id, game=again.game)


def test_a_corpus_of_replays_is_refused():
    save("a.avf", GOOD)
    save("b.avf", GOOD)
    save("cut.evf", b"1")
    for arguments, message in (
        (["a.avf", "b.avf"], "b.avf: the same game as in a.avf, which would count twice"),
        (["a.avf", "cut.evf"], "cut.evf: damaged, or no EVF replay"),
        (["a.avf", "missing.avf"], "missing.avf: No such file or directory"),
        ([""], "'': not the name of a replay"),
        (["a.avf", "--moments", "stuck"], "no moment of the kind 'stuck' in 1 replays"),
        (["a.avf", "--moments", "lucky"], "--moments"),
        (["a.avf", "--out", "a.avf"], "'a.avf' exists already"),
    ):
        done = sapper("corpus", "from-replays", "--out", "new.jsonl", *arguments)
        assert done.exit_code == 2
        assert message in done.stderr
        assert done.stderr.count("\n") == 1
    with pytest.raises(ValueError, match="unknown moments 'lucky'; known are every, stuck, guess"):
        replay_corpus("x", ["a.avf"], "lucky")
    assert sorted(os.listdir()) == ["a.avf", "b.avf", "cut.evf"]


# positions of every format in commands


def test_commands_read_what_says_what_it_is():
    position = Position.parse(["1F#", "###"], 2)
    for name, form in formats.FORMATS.items():
        if form.holds == "position":
            content = formats.write(position, name)
            found = read_position(save("a", content), None, name)
            assert (found.codes != COVERED).any()
            if name in ("mine", "minesweepr-json", "minesweepr-rules", "codes-npy"):
                assert read_position("a", None) == found
    save("a.mine", b"2x1x1\n1H\n")
    save("b.json", b'{"board": "1x", "total_mines": 1}')
    save("c.txt", b"1#")
    done = sapper("corpus", "import", "a.mine", "b.json", "c.txt", "--out", "all.jsonl")
    assert done.exit_code == 0, done.stderr
    assert [entry.position for entry in load_corpus("all.jsonl")] == [
        Position.parse("1#", mines) for mines in (1, 1, None)
    ]
    assert sapper("solve", "a.mine").stdout.splitlines()[-2] == "complete: 0 safe, 1 mine, 0 not settled"


def test_a_dialect_is_named_and_not_guessed():
    save("x.txt", b"1x")
    assert "x.txt: unknown character 'x' at line 1, column 2" in sapper("solve", "x.txt").stderr
    assert sapper("corpus", "import", "x.txt", "--from", "minesweepr", "--out", "x.jsonl").exit_code == 0
    assert next(iter(load_corpus("x.jsonl"))).position == Position.parse("1#")
    save("l.json", b"[[1, 1]]")
    assert "l.json: the format must be named, this could be codes, " in sapper("solve", "l.json").stderr


@pytest.mark.parametrize("content", [b"\x03\x01\x00\x01\x02\x00", b"?b=0301&m=4"])
def test_a_layout_where_a_position_is_needed_is_one_line(content):
    save("a", content)
    for command in (["solve"], ["corpus", "import", "--out", "x.jsonl"], ["export", "--to", "dimacs"]):
        done = sapper(*command, "a")
        assert done.exit_code == 2
        assert done.stderr == (
            "sapper: a: a layout, not a position: `sapper convert --to text --open ROW,COLUMN` makes one\n"
        )
