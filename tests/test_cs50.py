"""The CS50 course's game and player: what its document says, word by word, and what the window and the command do."""

import io
import itertools
import random
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console
from typer.testing import CliRunner

from benchmarks import cs50_cli
from benchmarks.cli import app
from benchmarks.cs50_cli import board_part
from benchmarks.cs50_play import Play
from board import Position
from board.render import board_text
from solvers import make_solver
from solvers.cs50 import Minesweeper, MinesweeperAI, Sentence

ROOT = Path(__file__).parent.parent


def known(ai):
    """The sentences of a player, as a set."""
    return {(frozenset(sentence.cells), sentence.count) for sentence in ai.knowledge}


def state(ai):
    return set(ai.moves_made), set(ai.mines), set(ai.safes), known(ai)


def game_with(height, width, mines):
    game = Minesweeper(height, width, 0)
    for i, j in mines:
        game.board[i][j] = True
        game.mines.add((i, j))
    return game


def told(game, opened):
    ai = MinesweeperAI(game.height, game.width)
    for cell in opened:
        ai.add_knowledge(cell, game.nearby_mines(cell))
    return ai


def is_tidy(ai):
    """Sentences only about unknown cells, none settled, none twice."""
    sets = [frozenset(sentence.cells) for sentence in ai.knowledge]
    return (
        len(set(sets)) == len(sets)
        and all(0 < sentence.count < len(sentence.cells) for sentence in ai.knowledge)
        and not any(cells & (ai.mines | ai.safes) for cells in sets)
    )


# --- the game


def test_a_board_has_the_size_and_the_mines_asked_for():
    game = Minesweeper(height=3, width=5, mines=4)
    assert (game.height, game.width, len(game.mines)) == (3, 5, 4)
    cells = set(itertools.product(range(3), range(5)))
    assert {cell for cell in cells if game.is_mine(cell)} == game.mines <= cells
    assert [[bool(mine) for mine in row] for row in game.board] == [
        [(i, j) in game.mines for j in range(5)] for i in range(3)
    ]


def test_the_defaults_are_8_by_8_with_8_mines():
    game, ai = Minesweeper(), MinesweeperAI()
    assert (game.height, game.width, len(game.mines)) == (ai.height, ai.width, 8) == (8, 8, 8)


def test_the_neighbours_of_a_cell_are_counted_and_not_the_cell():
    game = game_with(3, 3, [(0, 0), (1, 1), (2, 2)])
    counts = [[game.nearby_mines((i, j)) for j in range(3)] for i in range(3)]
    assert counts == [[1, 2, 1], [2, 2, 2], [1, 2, 1]]


def test_won_is_every_mine_flagged_and_nothing_else():
    game = game_with(2, 2, [(0, 0), (1, 1)])
    assert not game.won()
    game.mines_found.add((0, 0))
    assert not game.won()
    game.mines_found.add((1, 1))
    assert game.won()
    game.mines_found.add((0, 1))
    assert not game.won()


def test_the_board_is_printed(capsys):
    game_with(2, 3, [(0, 1), (1, 2)]).print()
    assert capsys.readouterr().out == "-------\n| |X| |\n-------\n| | |X|\n-------\n"


def test_the_same_seed_makes_the_same_board_and_the_same_moves():
    def moves():
        random.seed(7)
        game, ai = Minesweeper(), MinesweeperAI()
        return sorted(game.mines), [ai.make_random_move() for _ in range(20)]

    assert moves() == moves()
    assert len(set(moves()[1])) > 5


def test_mines_are_drawn_row_then_column_until_there_are_enough():
    random.seed(11)
    drawn = set()
    while len(drawn) < 9:
        drawn.add((random.randrange(3), random.randrange(5)))
    random.seed(11)
    assert Minesweeper(3, 5, 9).mines == drawn


@pytest.mark.parametrize(("height", "width", "mines"), [(2, 2, 5), (2, 2, -1), (0, 3, 0), (3, -1, 0)])
def test_a_board_that_cannot_be_is_a_value_error_that_quotes_it(height, width, mines):
    with pytest.raises(ValueError, match=str(mines) if height > 0 < width else f"{height} x {width}"):
        Minesweeper(height, width, mines)


def test_all_cells_can_be_mines():
    assert len(Minesweeper(3, 4, 12).mines) == 12


# --- sentences: the document's examples


def test_a_sentence_is_its_cells_and_its_count():
    assert Sentence(["A", "B"], 1) == Sentence({"B", "A"}, 1)
    assert Sentence("AB", 1) != Sentence("AB", 2)
    assert Sentence("AB", 1) != Sentence("AC", 1)
    assert Sentence("AB", 1) != ("AB", 1)
    assert str(Sentence([(0, 1)], 1)) == "{(0, 1)} = 1"


def test_a_sentence_does_not_share_the_set_it_was_made_of():
    cells = {"A", "B"}
    Sentence(cells, 1).mark_safe("A")
    assert cells == {"A", "B"}


def test_one_mine_of_eight_cells_says_nothing_of_any():
    sentence = Sentence("ABCDEFGH", 1)
    assert sentence.known_mines() == sentence.known_safes() == set()


def test_a_count_of_zero_makes_all_cells_safe():
    sentence = Sentence("DEG", 0)
    assert (sentence.known_safes(), sentence.known_mines()) == ({"D", "E", "G"}, set())


def test_as_many_mines_as_cells_makes_all_of_them_mines():
    sentence = Sentence("EFH", 3)
    assert (sentence.known_mines(), sentence.known_safes()) == ({"E", "F", "H"}, set())


def test_a_safe_cell_leaves_a_sentence():
    sentence = Sentence("ABC", 2)
    sentence.mark_safe("C")
    assert sentence == Sentence("AB", 2)
    assert sentence.known_mines() == {"A", "B"}


def test_a_mine_leaves_a_sentence_and_its_count():
    sentence = Sentence("ABC", 2)
    sentence.mark_mine("C")
    assert sentence == Sentence("AB", 1)
    assert sentence.known_mines() == set()


def test_a_cell_that_is_not_in_a_sentence_changes_nothing():
    sentence = Sentence("ABC", 2)
    sentence.mark_mine("D")
    sentence.mark_safe("E")
    assert sentence == Sentence("ABC", 2)


@pytest.mark.parametrize("count", [0, 3])
def test_what_is_known_is_a_new_set(count):
    sentence = Sentence("ABC", count)
    for cell in sentence.known_mines():
        sentence.mark_mine(cell)
    for cell in sentence.known_safes():
        sentence.mark_safe(cell)
    assert sentence == Sentence("", 0)
    sentence = Sentence("ABC", count)
    (sentence.known_mines() or sentence.known_safes()).clear()
    assert sentence.cells == {"A", "B", "C"}


# --- the player: the document's boards

LETTERS = dict(zip("ABCDEFGH", [c for c in itertools.product(range(3), range(3)) if c != (1, 1)], strict=True))


def test_three_ones_and_four_zeros_settle_two_corners():
    game = game_with(3, 3, [(2, 2)])
    ai = told(game, [c for c in itertools.product(range(3), range(3)) if c not in ((0, 0), (2, 2))])
    assert (ai.mines, (0, 0) in ai.safes, ai.make_safe_move(), ai.knowledge) == ({(2, 2)}, True, (0, 0), [])


def test_the_middle_cell_makes_a_sentence_of_eight():
    ai = MinesweeperAI(3, 3)
    ai.add_knowledge((1, 1), 1)
    assert ai.knowledge == [Sentence(LETTERS.values(), 1)]
    assert (ai.mines, ai.safes, ai.moves_made) == (set(), {(1, 1)}, {(1, 1)})


def test_a_zero_in_the_corner_makes_three_cells_safe():
    ai = MinesweeperAI(3, 3)
    ai.add_knowledge((2, 0), 0)
    assert ai.safes == {(2, 0), (1, 0), (1, 1), (2, 1)}
    assert (ai.mines, ai.knowledge) == (set(), [])


def test_a_three_in_the_corner_makes_three_mines():
    ai = MinesweeperAI(3, 3)
    ai.add_knowledge((2, 2), 3)
    assert ai.mines == {(1, 1), (1, 2), (2, 1)}
    assert (ai.safes, ai.knowledge) == ({(2, 2)}, [])


def test_a_sentence_within_another_leaves_the_difference():
    ai = MinesweeperAI(3, 3)
    ai.safes |= {(0, 0), (0, 2)}  # the top row is opened; A, B, C are the second, D and E the corners below
    ai.add_knowledge((0, 1), 1)
    ai.add_knowledge((2, 1), 2)
    (a, b, c), d, e = ((1, 0), (1, 1), (1, 2)), (2, 0), (2, 2)
    assert known(ai) == {(frozenset({a, b, c}), 1), (frozenset({a, b, c, d, e}), 2), (frozenset({d, e}), 1)}


def test_a_set_of_cells_known_from_two_sides_is_subtracted_to_the_last_cell():
    ai = MinesweeperAI(2, 4)
    ai.safes |= {(1, j) for j in range(4)}
    ai.add_knowledge((1, 0), 1)  # {0, 1} = 1
    ai.add_knowledge((1, 1), 1)  # {0, 1, 2} = 1
    ai.add_knowledge((1, 2), 1)  # {1, 2, 3} = 1
    assert (0, 2) in ai.safes
    assert known(ai) == {(frozenset({(0, 0), (0, 1)}), 1), (frozenset({(0, 1), (0, 3)}), 1)}
    ai.add_knowledge((1, 3), 0)
    assert (ai.mines, (0, 0) in ai.safes, ai.knowledge) == ({(0, 1)}, True, [])


# --- the player: what the course checks


@pytest.mark.parametrize(
    ("cell", "count", "cells"),
    [
        ((2, 2), 3, {(i, j) for i in (1, 2, 3) for j in (1, 2, 3)} - {(2, 2)}),
        ((0, 4), 1, {(0, 3), (1, 3), (1, 4)}),
        ((0, 2), 2, {(0, 1), (0, 3), (1, 1), (1, 2), (1, 3)}),
    ],
)
def test_an_opened_cell_adds_its_sentence(cell, count, cells):
    ai = MinesweeperAI(height=4, width=5)
    ai.add_knowledge(cell, count)
    assert ai.knowledge == [Sentence(cells, count)]
    assert ai.moves_made == ai.safes == {cell}


def test_known_mines_are_taken_off_a_new_sentence():
    ai = MinesweeperAI(height=4, width=5)
    ai.add_knowledge((3, 4), 3)
    assert ai.mines == {(2, 3), (2, 4), (3, 3)}
    ai.add_knowledge((3, 2), 3)
    assert ai.knowledge == [Sentence({(2, 1), (2, 2), (3, 1)}, 1)]


def test_known_safe_cells_are_left_out_of_a_new_sentence():
    ai = MinesweeperAI(height=4, width=5)
    ai.add_knowledge((3, 4), 0)
    ai.add_knowledge((3, 2), 2)
    assert ai.knowledge == [Sentence({(2, 1), (2, 2), (3, 1)}, 2)]


def test_a_mine_follows_from_safe_cells_that_come_later():
    ai = MinesweeperAI(height=3, width=3)
    ai.add_knowledge((0, 1), 1)
    assert ai.mines == set()
    ai.add_knowledge((2, 0), 0)
    ai.add_knowledge((1, 0), 0)
    assert ai.mines == set()
    ai.add_knowledge((2, 1), 0)
    assert (ai.mines, ai.knowledge) == ({(0, 2)}, [])


def test_conclusions_lead_to_conclusions():
    # {0, 1} = 1 within {0, 1, 2} = 2 makes 2 a mine; that settles {2, 3} = 1, and 3 being safe settles {3, 4} = 1
    ai = MinesweeperAI(height=1, width=9)
    ai.knowledge += [
        Sentence([(0, 3), (0, 4)], 1),
        Sentence([(0, 2), (0, 3)], 1),
        Sentence([(0, j) for j in range(3)], 2),
    ]
    ai.knowledge.append(Sentence([(0, 0), (0, 1)], 1))
    ai.add_knowledge((0, 8), 0)
    assert (ai.mines, (0, 3) in ai.safes) == ({(0, 2), (0, 4)}, True)
    assert ai.knowledge == [Sentence([(0, 0), (0, 1)], 1)]


def test_marking_a_cell_tells_all_sentences():
    ai = MinesweeperAI(height=4, width=5)
    ai.knowledge = [Sentence({(0, 0), (0, 1), (0, 2)}, 1), Sentence({(0, 1), (0, 2), (0, 3)}, 2)]
    ai.mark_mine((0, 1))
    ai.mark_safe((0, 3))
    assert ai.knowledge == [Sentence({(0, 0), (0, 2)}, 0), Sentence({(0, 2)}, 1)]
    assert (ai.mines, ai.safes) == ({(0, 1)}, {(0, 3)})


def test_a_safe_move_is_safe_and_new_and_changes_nothing():
    ai = MinesweeperAI(height=3, width=3)
    ai.add_knowledge((0, 0), 0)
    before = state(ai)
    assert ai.make_safe_move() in {(0, 1), (1, 0), (1, 1)}
    assert state(ai) == before


def test_no_safe_move_is_none():
    ai = MinesweeperAI(height=3, width=3)
    assert ai.make_safe_move() is None
    ai.add_knowledge((1, 1), 3)
    assert ai.make_safe_move() is None


def test_a_random_move_is_new_and_no_known_mine_and_reaches_all_others():
    ai = MinesweeperAI(height=3, width=3)
    ai.add_knowledge((0, 0), 3)
    before = state(ai)
    assert {ai.make_random_move() for _ in range(300)} == {(0, 2), (1, 2), (2, 0), (2, 1), (2, 2)}
    assert state(ai) == before


def test_no_random_move_is_none():
    ai = MinesweeperAI(height=2, width=2)
    ai.add_knowledge((0, 0), 3)
    assert ai.make_random_move() is None


# --- the player: sets that callers change


def test_sets_changed_from_outside_count_at_the_next_call():
    ai = MinesweeperAI(height=2, width=2)
    ai.safes.add((0, 1))
    assert ai.make_safe_move() == (0, 1)
    ai.moves_made.add((0, 1))
    assert ai.make_safe_move() is None
    ai.mines |= {(0, 0), (1, 0)}
    assert {ai.make_random_move() for _ in range(20)} == {(1, 1)}
    ai.moves_made = {(1, 1)}
    ai.mines = {(0, 0)}
    assert {ai.make_random_move() for _ in range(40)} == {(0, 1), (1, 0)}


def test_sentences_are_reduced_by_what_callers_noted():
    ai = MinesweeperAI(height=5, width=5)
    ai.add_knowledge((0, 0), 2)
    ai.mines.add((0, 1))
    ai.add_knowledge((4, 4), 0)
    assert ai.knowledge == [Sentence({(1, 0), (1, 1)}, 1)]
    ai.safes.add((1, 1))
    ai.add_knowledge((4, 3), 0)
    assert (ai.mines, ai.knowledge) == ({(0, 1), (1, 0)}, [])


def test_the_same_cell_again_adds_nothing():
    game = game_with(4, 4, [(0, 0), (1, 2), (3, 1)])
    ai = told(game, [(0, 1), (2, 2), (1, 1)])
    before = state(ai)
    for cell in ((0, 1), (2, 2), (1, 1), (2, 2)):
        ai.add_knowledge(cell, game.nearby_mines(cell))
        assert state(ai) == before
        assert is_tidy(ai)


@given(st.integers(0, 10**9))
@settings(deadline=None, max_examples=100)
def test_false_information_does_no_more_harm_than_that(seed):
    drawn = random.Random(seed)
    ai = MinesweeperAI(5, 6)
    for cell in drawn.choices(list(itertools.product(range(5), range(6))), k=40):
        ai.add_knowledge(cell, drawn.randrange(9))
        drawn.choice((ai.mines, ai.safes, ai.moves_made)).add((drawn.randrange(5), drawn.randrange(6)))
        assert len(ai.knowledge) <= 300
    ai.add_knowledge((0, 0), 1)
    assert is_tidy(ai)


# --- the player against the strategy


@given(st.integers(0, 10**9), st.sampled_from([(4, 4), (8, 8), (5, 12), (1, 9)]), st.integers(5, 40))
@settings(deadline=None, max_examples=150)
def test_in_any_order_the_conclusions_are_those_of_subset(seed, shape, per_cent):
    random.seed(seed)
    height, width = shape
    game = Minesweeper(height, width, height * width * per_cent // 100)
    safe = sorted(set(itertools.product(range(height), range(width))) - game.mines)
    opened = random.sample(safe, random.randrange(len(safe) + 1))
    codes = np.full(shape, -2)
    for cell in opened:
        codes[cell] = game.nearby_mines(cell)
    deduction = make_solver("subset").deduce(Position(codes).problem())
    one, other = told(game, opened), told(game, random.sample(opened, len(opened)))
    for ai in (one, other):
        assert {divmod(cell, width) for cell in np.flatnonzero(deduction.mines).tolist()} == ai.mines
        assert {divmod(cell, width) for cell in np.flatnonzero(deduction.safe).tolist()} == ai.safes - ai.moves_made
        assert is_tidy(ai)
    assert state(one) == state(other)


def expert_games(games, choose):
    """(seconds of each call, sentences after it) over Expert games that are opened to the last safe cell."""
    measured = []
    for seed in range(games):
        random.seed(seed)
        game, ai = Minesweeper(16, 30, 99), MinesweeperAI(16, 30)
        while len(ai.moves_made) < 16 * 30 - 99:
            move = choose(ai)
            while move is None or game.is_mine(move) or move in ai.moves_made:
                move = ai.make_random_move()
            clue, begun = game.nearby_mines(move), time.perf_counter()
            ai.add_knowledge(move, clue)
            measured.append((time.perf_counter() - begun, len(ai.knowledge)))
        assert ai.mines <= game.mines
        assert not ai.safes & game.mines
        assert ai.knowledge == [] or ai.mines < game.mines
    return np.array(measured).T


@pytest.mark.parametrize("choose", [MinesweeperAI.make_safe_move, MinesweeperAI.make_random_move])
@pytest.mark.parametrize("games", [3, pytest.param(50, marks=pytest.mark.slow)])
def test_an_expert_game_stays_small_and_fast(games, choose):
    seconds, sentences = expert_games(games, choose)
    assert sentences.max() < 300
    assert np.percentile(seconds, 99) < 0.020


def test_the_file_alone_serves_as_the_courses_own(tmp_path):
    shutil.copy(ROOT / "solvers" / "cs50.py", tmp_path / "minesweeper.py")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import random; random.seed(1)\n"
        "from minesweeper import Minesweeper, MinesweeperAI, Sentence\n"
        "game, ai = Minesweeper(height=8, width=8, mines=8), MinesweeperAI(height=8, width=8)\n"
        "while (move := ai.make_safe_move() or ai.make_random_move()) and not game.is_mine(move):\n"
        "    ai.add_knowledge(move, game.nearby_mines(move))\n"
        "print(len(ai.moves_made) > 0, [m for m in sys.modules if m.split('.')[0] in ('numpy', 'board', 'solvers')])\n"
    )
    command = [sys.executable, "-I", "-S", "-c", code]
    made = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert made.stdout == "True []\n"


# --- a game under way


def play_of(height, width, mines):
    """A game whose mines are these."""
    play = Play(height, width, 0)
    play.game = game_with(height, width, mines)
    return play


def ended(won):
    for seed in itertools.count():
        random.seed(seed)
        play = Play(8, 8, 8)
        while not play.over:
            play.ai_move()
        if play.won == won and play.moves > 10:
            return seed, play
    return None


def test_opening_tells_the_ai_and_a_mine_ends_the_game():
    play = play_of(2, 2, [(1, 1)])
    play.open((0, 0))
    assert (play.opened, play.ai.moves_made, play.last, play.over) == ({(0, 0): 1}, {(0, 0)}, (0, 0), False)
    play.open((1, 1))
    assert (play.hit, play.over, play.won, play.moves) == ((1, 1), True, False, 2)
    play.open((0, 1))
    play.flag((0, 1))
    play.ai_move()
    assert (play.opened, play.game.mines_found, play.moves) == ({(0, 0): 1}, set(), 2)
    assert play.position().text() == "1#\n#*"
    assert play.missed().sum() == 0


def test_flagging_every_mine_wins():
    play = play_of(2, 2, [(1, 1), (0, 1)])
    play.flag((1, 1))
    play.open((1, 1))  # a flag protects
    assert (play.over, play.hit) == (False, None)
    play.flag((0, 0))
    play.flag((0, 1))
    assert not play.won
    play.flag((0, 0))  # takes it away again
    assert play.won


def test_opening_every_safe_cell_wins_and_flags_the_rest():
    play = play_of(2, 2, [(1, 1)])
    for cell in ((0, 0), (0, 1)):
        play.open(cell)
        assert not play.over
    play.open((1, 0))
    assert play.won
    assert play.game.mines_found == {(1, 1)}


def test_the_ai_opens_what_a_wrong_flag_covers():
    play = play_of(1, 5, [(0, 4)])
    play.open((0, 0))
    play.flag((0, 1))
    play.ai_move()
    assert (play.why, play.last, play.game.mines_found) == ("known safe", (0, 1), set())
    assert play.position().text() == "00###"


def test_the_ai_flags_the_mines_that_it_knows():
    play = play_of(1, 6, [(0, 1), (0, 5)])
    play.open((0, 0))
    assert (play.ai.mines, play.game.mines_found) == ({(0, 1)}, set())
    random.seed(next(s for s in itertools.count() if random.Random(s).choice(range(4)) == 0))  # opens (0, 2)
    play.ai_move()
    assert (play.why, play.last, play.game.mines_found) == ("random", (0, 2), {(0, 1)})


def test_the_ai_says_why_and_a_known_safe_cell_is_never_a_mine():
    reasons = set()
    for seed in range(40):
        random.seed(seed)
        play = Play(6, 6, 7)
        while not play.over:
            play.ai_move()
            reasons.add((play.why, play.hit is not None))
        assert play.won == (play.game.mines_found == play.game.mines)
        assert play.moves == len(play.opened) + (play.hit is not None)
    assert reasons == {("known safe", False), ("random", False), ("random", True)}


def test_a_reset_begins_another_board_of_the_same_size():
    _, play = ended(won=False)
    before = set(play.game.mines)
    play.reset()
    assert (play.game.height, play.game.width, len(play.game.mines)) == (8, 8, 8)
    assert (play.opened, play.hit, play.last, play.moves, play.ai.knowledge) == ({}, None, None, 0, [])
    assert play.game.mines != before


# --- the command


def sapper(*arguments):
    return CliRunner().invoke(app, ["cs50", *map(str, arguments)])


@pytest.mark.parametrize("won", [True, False])
def test_the_command_tells_each_move_and_the_end(won):
    seed, play = ended(won)
    said = sapper("--seed", seed)
    lines = said.stdout.splitlines()
    moves = [line for line in lines if line.startswith("move")]
    assert said.exit_code == 0
    assert lines[0] == f"8 x 8 cells, 8 mines, seed {seed}"
    assert len(moves) == play.moves
    assert all(("known safe" in line) != ("random" in line) for line in moves)
    assert sum("random" in line for line in moves) == play.random_moves
    row, column = play.last
    assert f"row {row}, column {column}" in moves[-1]
    assert lines[-1].startswith("won: 8 mines flagged" if won else "lost: a mine was opened")
    assert ("*" in said.stdout) == (not won) == ("a mine" in moves[-1])
    assert "\x1b" not in said.stdout
    assert sapper("--seed", seed).stdout == said.stdout


def test_without_a_seed_the_one_used_is_told():
    said = sapper("--height", 4, "--width", 5, "--mines", 2)
    seed = said.stdout.splitlines()[0].rpartition(" ")[2]
    assert sapper("--height", 4, "--width", 5, "--mines", 2, "--seed", seed).stdout == said.stdout


def test_no_mines_are_found_at_once():
    assert (
        sapper("--mines", 0, "--seed", 1).stdout.splitlines()[-1]
        == "won: 0 mines flagged after 0 moves, 0 of them random"
    )


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--mines", 65], "65 mines do not fit"),
        (["--mines", -1], "-1"),
        (["--height", 0], "0"),
        (["--width", "x"], "x"),
        (["--width", 101], "101"),
        (["--delay", "nan"], "nan"),
        (["--delay", -1], "-1"),
        (["--delay", 1, "--window"], "--delay"),
        (["--seed", "x"], "x"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(arguments, named):
    said = sapper(*arguments)
    assert (said.exit_code, said.stdout) == (2, "")
    assert len(said.stderr.splitlines()) == 1
    assert named in said.stderr


def test_a_terminal_shows_the_board_in_colour_as_it_changes(monkeypatch):
    out, slept = io.StringIO(), []
    monkeypatch.setattr(cs50_cli, "console", lambda: Console(file=out, force_terminal=True, width=80, height=30))
    monkeypatch.setattr(time, "sleep", slept.append)
    _, play = ended(won=True)
    seed = next(s for s in itertools.count() if ended_at(s) == sorted(play.game.mines))
    assert sapper("--seed", seed).exit_code == 0
    assert "\x1b[32m" in out.getvalue()
    assert out.getvalue().count("0 1 2 3 4 5 6 7") > play.moves
    assert slept == [cs50_cli.PAUSE_SECONDS] * (play.moves - 1) + [0]


def shown_on(monkeypatch, width, height, *arguments):
    """What the command writes to a terminal of that size: (its lines, blocks drawn at once, the pauses)."""
    out, slept, parts = io.StringIO(), [], []
    terminal = Console(file=out, force_terminal=True, width=width, height=height, color_system=None)
    monkeypatch.setattr(cs50_cli, "console", lambda: terminal)
    monkeypatch.setattr(time, "sleep", slept.append)
    drawn = cs50_cli.board_part
    monkeypatch.setattr(cs50_cli, "board_part", lambda *a, **k: parts.append(drawn(*a, **k)) or parts[-1])
    assert sapper(*arguments).exit_code == 0
    return re.sub("\x1b[^A-Za-z]*[A-Za-z]", "", out.getvalue()).splitlines(), parts, slept


@pytest.mark.parametrize(("width", "height"), [(80, 24), (60, 10), (200, 24), (400, 200)])
def test_a_board_larger_than_the_terminal_is_shown_in_part(monkeypatch, width, height):
    arguments = ("--height", 40, "--width", 100, "--mines", 40, "--seed", 1)
    lines, parts, slept = shown_on(monkeypatch, width, height, *arguments)
    assert max(map(len, lines)) <= width  # nothing wraps
    assert all(len(part.splitlines()) <= height - 2 for part in parts[:-1])  # room for a move and the cursor
    assert len(parts) <= cs50_cli.MOST_FRAMES + 2
    assert sum(slept) <= cs50_cli.ALL_PAUSES_SECONDS
    moves = [line for line in lines if line.startswith("move")]
    assert [int(line.split()[1].rstrip(":")) for line in moves] == list(range(1, len(moves) + 1))
    assert lines[-1].startswith("won")
    assert len([line for line in parts[-1].splitlines() if line[1:2].isdigit()]) >= 40  # all rows in the end
    assert ("columns" in parts[-1]) == (width < 203)


def test_a_pause_that_is_asked_for_shows_each_move(monkeypatch):
    arguments = ("--height", 30, "--width", 30, "--mines", 120, "--seed", 2, "--delay", 2)
    lines, parts, slept = shown_on(monkeypatch, 80, 24, *arguments)
    moves = sum(line.startswith("move") for line in lines)
    assert slept == [2] * (moves - 1) + [0]
    assert len(parts) == moves + 1


@given(
    shape=st.tuples(st.integers(1, 30), st.integers(1, 30)),
    width=st.none() | st.integers(-1, 70),
    height=st.none() | st.integers(-3, 40),
    data=st.data(),
)
def test_the_part_of_a_board_fits_and_has_the_last_move(shape, width, height, data):
    rows, columns = shape
    play = Play(rows, columns, 0)
    play.last = row, column = data.draw(st.tuples(st.integers(0, rows - 1), st.integers(0, columns - 1)))
    play.opened = {play.last: 7}
    part = board_part(play, width, height)
    head, *body = part.splitlines()
    label = len(str(rows - 1)) + 2
    if part == board_text(play.position()):
        assert width is None or len(head) <= width or columns == 1
        assert height is None or len(body) <= max(1, height)
        return
    *body, told = body
    top, bottom, left, right = map(int, re.match(r"rows (\d+) to (\d+), columns (\d+) to (\d+) of", told).groups())
    assert told.endswith(f"of {rows} x {columns} cells")
    assert top <= row <= bottom < rows
    assert left <= column <= right < columns
    assert [int(line[: label - 2]) for line in body] == list(range(top, bottom + 1))
    assert head[label::2] == "".join(str(c % 10) for c in range(left, right + 1))
    assert body[row - top][label + 2 * (column - left)] == "7"
    assert "".join(body).count("7") - sum("7" in line[:label] for line in body) == 1
    cells = 1 + right - left
    room = columns if width is None else max(1, (width - label + 1) // 2)
    assert cells == min(columns, room)
    assert len(body) == (rows if height is None else min(rows, max(1, height)))
    assert (cells, len(body)) != (columns, rows)


def test_a_full_disk_is_one_line():
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    for arguments in ([], ["--height", "40", "--width", "40"]):
        with open("/dev/full", "w") as full:
            command = [sys.executable, "-m", "benchmarks", "cs50", "--seed", "1", *arguments]
            made = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, cwd=ROOT)
        assert made.returncode == 1
        assert len(made.stderr.splitlines()) == 1
        assert "No space left on device" in made.stderr


def test_a_reader_that_goes_away_ends_the_game_without_a_word():
    command = [sys.executable, "-m", "benchmarks", "cs50", "--seed", "1", "--height", "60", "--width", "60"]
    piped = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "cwd": ROOT}
    with subprocess.Popen(command, **piped) as made:
        assert made.stdout.readline() == "60 x 60 cells, 8 mines, seed 1\n"
        made.stdout.close()
        assert made.stderr.read() == ""
    assert made.returncode == 1


def ended_at(seed):
    random.seed(seed)
    return sorted(Play(8, 8, 8).game.mines)


def test_a_window_without_pygame_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pygame", None)
    monkeypatch.delitem(sys.modules, "benchmarks.cs50_window", raising=False)
    said = sapper("--window")
    assert (said.exit_code, said.stderr) == (2, "sapper: --window needs pygame-ce: pip install 'sapper[gui]'\n")


# --- the window


@pytest.fixture
def window(monkeypatch):
    pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    from benchmarks import cs50_window

    return cs50_window


def click(window, point, button=1):
    return window.pygame.event.Event(window.pygame.MOUSEBUTTONDOWN, pos=point, button=button)


def pixels(window, surface, rect=None):
    part = surface if rect is None else surface.subsurface(rect)
    return window.pygame.image.tobytes(part, "RGB")


def test_clicks_open_flag_let_the_ai_move_and_reset(window):
    play = play_of(3, 4, [(2, 3)])
    size = window.window_size(play)
    where = window.places(play, size)
    window.handle(play, click(window, where.rect((2, 3)).center, 3), size)
    assert play.game.mines_found == {(2, 3)}
    assert play.won
    play = play_of(3, 4, [(2, 3), (0, 3)])
    window.handle(play, click(window, where.rect((2, 3)).topleft, 3), size)
    window.handle(play, click(window, where.rect((2, 3)).center), size)  # flagged, so not opened
    window.handle(play, click(window, where.rect((1, 0)).center, 2), size)
    window.handle(play, click(window, where.rect((0, 0)).center), size)
    window.handle(play, window.pygame.event.Event(window.pygame.KEYDOWN, key=32), size)
    assert (play.opened, play.game.mines_found, play.why) == ({(0, 0): 0}, {(2, 3)}, "")
    window.handle(play, click(window, where.ai_button.center), size)
    assert (len(play.opened), play.why) == (2, "known safe")
    window.handle(play, click(window, where.ai_button.center, 3), size)
    window.handle(play, click(window, (1, 1)), size)
    assert len(play.opened) == 2
    window.handle(play, click(window, where.reset_button.center), size)
    assert (play.opened, play.game.mines_found) == ({}, set())


@pytest.mark.parametrize("shape", [(1, 1), (1, 60), (40, 1), (8, 8), (16, 30), (40, 60)])
@pytest.mark.parametrize("resized", [None, (1500, 900), (640, 500)])
def test_everything_is_in_its_place(window, shape, resized):
    play = Play(*shape, 1)
    size = resized or window.window_size(play)
    where, whole = window.places(play, size), window.pygame.Rect(0, 0, *size)
    for cell in {(0, 0), (shape[0] - 1, shape[1] - 1)}:
        rect = where.rect(cell)
        assert whole.contains(rect)
        assert where.cell_at(rect.topleft) == where.cell_at((rect.right - 1, rect.bottom - 1)) == cell
    assert where.cell_at((where.board.right, where.board.top)) is None
    assert whole.contains(where.ai_button)
    assert whole.contains(where.reset_button)
    assert not where.ai_button.colliderect(where.reset_button)
    assert not where.board.colliderect(where.panel)


def test_a_picture_shows_what_happened(window):
    play = play_of(3, 4, [(2, 3), (0, 3), (1, 3)])
    size = window.window_size(play)
    where = window.places(play, size)

    def look(*cells):
        drawn = window.draw(play, size)
        assert drawn.get_size() == size
        return [pixels(window, drawn, where.rect(cell)) for cell in cells]

    covered, mine = look((0, 0), (2, 3))
    assert covered == mine
    play.flag((2, 3))
    play.flag((2, 0))
    covered, flag, wrong = look((1, 0), (2, 3), (2, 0))
    assert flag == wrong != covered
    play.open((0, 0))
    zero, missed = look((0, 0), (0, 3))
    assert zero != covered == missed
    play.open((1, 3))
    hit, mine, flag_left, wrong_now, safe = look((1, 3), (0, 3), (2, 3), (2, 0), (1, 0))
    assert len({hit, mine, flag_left, wrong_now, safe}) == 5
    red = bytes(window.RED)
    assert (red in hit, red in mine) == (True, False)
    assert (flag_left, safe) == (flag, covered)


def test_a_picture_is_the_same_each_time_and_changes_nothing(window):
    _, play = ended(won=False)
    size = window.window_size(play)
    before = state(play.ai), dict(play.opened), random.getstate()
    assert pixels(window, window.draw(play, size)) == pixels(window, window.draw(play, size))
    assert (state(play.ai), dict(play.opened), random.getstate()) == before


def test_the_message_is_wrapped_within_the_panel(window):
    window.pygame.font.init()
    for text in window.SAID.values():
        lines = window._wrapped(text, 24, window.PANEL - window.MARGIN)
        assert " ".join(lines) == text
        assert all(window._font(24).size(line)[0] <= window.PANEL - window.MARGIN for line in lines)


def test_a_window_is_played_until_it_is_closed(window):
    pygame = window.pygame
    play = play_of(3, 4, [(2, 3), (0, 3)])
    where = window.places(play, window.window_size(play))
    pygame.display.init()
    for event in (
        click(window, where.rect((0, 0)).center),
        click(window, where.rect((2, 3)).center, 3),
        click(window, where.ai_button.center),
        pygame.event.Event(pygame.QUIT),
        click(window, where.rect((0, 3)).center),
    ):
        pygame.event.post(event)
    window.show(play)
    assert ((0, 0) in play.opened, len(play.opened), play.game.mines_found, play.hit) == (True, 2, {(2, 3)}, None)
    assert not pygame.display.get_init()


def test_the_command_opens_a_window(window):
    window.pygame.display.init()
    window.pygame.event.post(window.pygame.event.Event(window.pygame.QUIT))
    said = sapper("--window", "--seed", 1)
    assert (said.exit_code, said.stdout, said.stderr) == (0, "", "")


@pytest.mark.parametrize("driver", ["none", ""])
def test_no_screen_is_one_line(window, monkeypatch, driver):
    if driver:
        monkeypatch.setenv("SDL_VIDEODRIVER", driver)  # not a driver: as if there were none
    else:
        monkeypatch.delenv("SDL_VIDEODRIVER")
        monkeypatch.setattr(window.pygame.display, "get_driver", lambda: "offscreen")
        monkeypatch.setattr(window.pygame.display, "set_mode", lambda *_: None)
    said = sapper("--window")
    assert said.exit_code == 2
    assert said.stderr.startswith("sapper: --window: no window can be opened here")
    assert len(said.stderr.splitlines()) == 1


def test_a_board_too_large_for_a_window_is_one_line(window):
    said = sapper("--window", "--height", 41)
    assert said.exit_code == 2
    assert "41 x 8" in said.stderr
