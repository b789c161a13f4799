"""Whole games: boards, the compiled loop against the interface, published rates, what is kept, the command."""

import json
from collections import Counter
from math import comb, sqrt

import msgspec
import numpy as np
import pytest
from typer.testing import CliRunner

from benchmarks import play_folder, play_matches
from benchmarks.cli import app
from benchmarks.play import BLOCK, Block, Player, Setting, play_block, play_game, setting
from benchmarks.play_cli import _kernels
from benchmarks.play_experiment import GamePlan
from benchmarks.play_matches import Match, check, plan_blocks, play
from benchmarks.play_tables import games_table
from board import Layout
from board.topology import named
from solvers import Unsupported, make_solver
from solvers.policy import make_policy


def run_sapper(*arguments):
    return CliRunner().invoke(app, arguments)


def games_of(blocks):
    signs = "".join(block.outcomes for block in blocks)
    return np.array([sign == "W" for sign in signs]), np.concatenate([block.guesses for block in blocks])


def matches_of(players, where, games):
    return [Match(player, where, games) for player in players]


# Boards


@pytest.mark.parametrize("topology", ["grid", "torus", "hexagonal"])
@pytest.mark.parametrize("rule", ["any", "sfar", "snr"])
def test_boards_obey_the_rule(rule, topology):
    where = Setting(6, 7, 9, rule, first=8, topology=topology)
    mined = where.boards(1, 0)
    assert mined.shape == (BLOCK, 42)
    assert (mined.sum(axis=1) == 9).all()
    near = [8, *named(topology, 6, 7).of(8)]
    forbidden = {"any": [], "sfar": [8], "snr": near}[rule]
    assert not mined[:, forbidden].any()
    others = [cell for cell in range(42) if cell not in forbidden]
    assert mined[:, others].any(axis=0).all()


def test_boards_are_uniform():
    """All 10 layouts of two mines in the five free cells of 2 x 3, equally often."""
    where = Setting(2, 3, 2, "sfar", first=4)
    mined = np.concatenate([where.boards(7, block) for block in range(40)])
    found = Counter(map(bytes, mined))
    expected = len(mined) / comb(5, 2)
    assert len(found) == 10
    assert sum((count - expected) ** 2 / expected for count in found.values()) < 27.9  # chi-squared, 9, p = 0.001


@pytest.mark.parametrize("board", ["8x8/10", "torus:16x16/40", "hexagonal:4x5/3", "torus:expert", "grid:3x3/1"])
def test_texts_of_settings(board):
    where = setting(board, rule="snr", first="1,2")
    assert setting(where.board, rule=where.rule, first=where.place) == where
    assert where.label == f"{where.board} snr 1,2"
    assert where.adjacency == named(where.topology, where.rows, where.columns)


def test_a_first_cell_of_a_torus_has_eight_neighbours():
    assert not setting("torus:5x5/16", rule="snr").boards(0, 0)[:, [0, 1, 4, 5, 6, 9, 20, 21, 24]].any()


def test_boards_depend_on_seed_and_block_alone():
    where = setting("beginner")
    assert (where.boards(3, 5) == where.boards(3, 5)).all()
    assert (where.boards(3, 5) != where.boards(3, 6)).any()
    assert (where.boards(3, 5) != where.boards(4, 5)).any()


@pytest.mark.parametrize(
    ("text", "extra", "message"),
    [
        ("large", {}, "not 'large'"),
        ("donut:8x8/10", {}, "not 'donut:8x8/10'"),
        ("torus:donut:8x8/10", {}, "not 'torus:donut:8x8/10'"),
        (":8x8/10", {}, "not ':8x8/10'"),
        ("8x8", {}, "not '8x8'"),
        ("8x-8/10", {}, "not '8x-8/10'"),
        ("0x8/0", {}, "at least one cell, not '0x8/0'"),
        ("8x8/64", {}, "64 mines: a 8x8 board has room for 63"),
        ("3x3/6", {"rule": "snr"}, "room for 5"),
        ("200x200/10", {}, "over 10,000 cells"),
        ("beginner", {"rule": "safe"}, "unknown first-click rule 'safe'; known are any, sfar, snr"),
        ("beginner", {"first": "middle"}, "not 'middle'"),
        ("beginner", {"first": "9,0"}, "row 9, column 0 is outside"),
        ("beginner", {"first": "1;2"}, "not '1;2'"),
    ],
)
def test_bad_setting(text, extra, message):
    with pytest.raises(ValueError, match=message):
        setting(text, **extra)


# The compiled loop


COMPILED = ("random", "frontier", "safest", "smart", "lookahead", "lookahead:depth=3", "optimal:models=20")


@pytest.mark.parametrize("policy", COMPILED)
@pytest.mark.parametrize("board", ["beginner", "6x6/9", "4x7/5", "torus:8x8/9", "hexagonal:7x7/9"])
def test_what_needs_no_guess_is_the_same_through_the_interface(policy, board):
    """Which games need none, and which of them are won, is a matter of inference alone."""
    where = setting(board, rule="snr", first="1,2")
    block = play_block(Player("cascade", policy), where, seed=5, block=0, games=60)
    solver, chooser = make_solver("sat"), make_policy("random")
    unguessed = 0
    for mined, sign, guesses in zip(where.boards(5, 0), block.outcomes, block.guesses, strict=False):
        layout = Layout(mined.reshape(where.rows, where.columns), where.adjacency)
        won, count = play_game(layout, where.first, solver, chooser, np.random.default_rng(0))
        assert (guesses == 0) == (count == 0)
        if not guesses:
            assert won
            assert sign == "W"
            unguessed += 1
    assert unguessed


@pytest.mark.parametrize("policy", ["safest", "smart", "lookahead", "optimal:models=200"])
def test_rates_equal_those_through_the_interface(policy):
    """Ties are broken by other draws, so the same in distribution: won games and guesses, within four errors."""
    where, games = setting("5x5/6"), 400
    mined = [where.boards(9, block) for block in range(2)]
    compiled = [play_block(Player("cascade", policy), where, 9, block) for block in range(2)]
    won, guesses = (x[:games] for x in games_of(compiled))
    solver, chooser = make_solver("counting"), make_policy(policy)
    other = [
        play_game(Layout(board.reshape(5, 5)), 0, solver, chooser, np.random.default_rng([1, i]))
        for i, board in enumerate(np.concatenate(mined)[:games])
    ]
    discordant = (won != np.array([w for w, _ in other])).sum()
    difference = won.sum() - sum(w for w, _ in other)
    assert abs(difference) <= 4 * sqrt(discordant + 1)
    assert abs(guesses.mean() - np.mean([g for _, g in other])) < 0.25


@pytest.mark.parametrize(
    ("board", "policy", "games", "won", "unguessed"),
    [
        ("8x8/10", "safest", 20 * BLOCK, 78.497, 36.075),
        ("16x16/40", "safest", 12 * BLOCK, 74.298, 34.5),
        ("expert", "safest", 12 * BLOCK, 35.562, 5.096),
        ("expert", "random", 12 * BLOCK, 22.83, 5.096),
        ("expert", "frontier", 12 * BLOCK, 19.8, 5.096),
        ("expert", "smart", 12 * BLOCK, 38.27, 5.096),
    ],
)
def test_published_rates(board, policy, games, won, unguessed):
    """J. Tu, T. Li, S. Chen et al. 2017, run again by others with 10^7 games; within four standard errors."""
    wins, guesses = games_of(play(matches_of([Player("cascade", policy)], setting(board), games), seed=2026))
    for found, percent in ((wins, won), (wins & (guesses == 0), unguessed)):
        share = percent / 100
        assert abs(found.mean() - share) < 4 * sqrt(share * (1 - share) / games)


@pytest.mark.parametrize(("board", "share"), [("3x3/0", 1), ("1x1/0", 1), ("1x5/4", 1)])
def test_boards_without_a_choice(board, share):
    wins, guesses = games_of(play(matches_of([Player("cascade", "safest")], setting(board), 50), seed=1))
    assert wins.mean() == share
    assert not guesses.any()


def test_first_click_can_hit_a_mine():
    """9 of 9 cells but one are mined: one board in nine is won, by the first click."""
    wins, guesses = games_of(
        play(matches_of([Player("cascade", "random")], setting("3x3/8", rule="any"), 4 * BLOCK), seed=1)
    )
    assert abs(wins.mean() - 1 / 9) < 4 * sqrt(8 / 81 / len(wins))
    assert not guesses.any()


# Players


def test_players():
    assert Player("cascade", "safest").compiled
    assert not Player("counting:exact=true", "safest").compiled
    assert not Player("subset", "random").compiled
    with pytest.raises(Unsupported, match="'safest' needs probabilities, and solver 'sat' gives none"):
        Player("sat", "safest")
    with pytest.raises(ValueError, match="unknown solver 'subsett'"):
        Player("subsett", "random")
    with pytest.raises(ValueError, match="safet"):
        Player("cascade", "safet")


@pytest.mark.parametrize(
    ("games", "jobs", "message"), [(0, 1, "games is at least 1, not 0"), (1, 0, "jobs is at least")]
)
def test_bad_numbers(games, jobs, message):
    with pytest.raises(ValueError, match=message):
        check(matches_of([Player("cascade", "random")], setting("5x5/4"), games), jobs)


def test_a_player_twice():
    with pytest.raises(ValueError, match="a player twice"):
        check(matches_of([Player("cascade", "random"), Player("cascade", "random")], setting("5x5/4"), 1))


def test_two_processes_play_the_same_games():
    players = [Player("cascade", "smart"), Player("subset", "random")]
    matches = matches_of(players, setting("5x5/4"), BLOCK + 10)
    one, two = (play(matches, seed=3, jobs=jobs) for jobs in (1, 2))

    def told(blocks):
        return [(block.player, block.block, block.outcomes, block.guesses) for block in blocks]

    assert told(one) == told(two)
    assert [len(block.guesses) for block in one] == [BLOCK, 10] * 2


def test_matches_end_together():
    """So that the blocks that are done tell how long the rest takes."""
    where, fast, slow = setting("5x5/4"), Player("cascade", "smart"), Player("cascade", "random")
    matches = [Match(fast, where, 6 * BLOCK), Match(slow, where, 2 * BLOCK - 5)]
    order = [(match.player.policy, block) for match, block in plan_blocks(matches, [])]
    smart = [("smart", block) for block in range(6)]
    assert order == [*smart[:3], ("random", 0), *smart[3:], ("random", 1)]
    done = [Block(*matches[0].key, 1, "", (), 0)]
    assert len(plan_blocks(matches, done)) == 7


def test_table_compares_on_the_same_boards():
    players = [Player("cascade", "random"), Player("cascade", "smart")]
    matches = matches_of(players, setting("5x5/4"), BLOCK + 1)
    blocks = [
        Block(*matches[0].key, 0, "WWLL", (0, 1, 2, 1), 10**9),
        Block(*matches[1].key, 0, "WLWW", (0, 1, 2, 1), 2 * 10**9),
        Block(*matches[1].key, 1, "W", (3,), 10**9),
    ]
    first, second = games_table(GamePlan(tuple(matches)), blocks).to_dict("records")
    assert (first["Games"], first["Games/s"], first["p"]) == ("4", "4.00", "–")
    assert first["Won %"].startswith("50.00 [")
    assert first["No guess %"].startswith("25.00 [")
    assert (second["Games"], second["Won alone"], second["Lost alone"]) == ("5", "2", "1")
    assert second["Guesses a game"] == "1.40"


# What is kept


def test_interrupted_games_go_on(tmp_path):
    plan = GamePlan((Match(Player("cascade", "smart"), setting("torus:9x9/10"), 5 * BLOCK),), seed=2)
    header = play_folder.header_of(plan, "test")
    folder = tmp_path / "games"

    def keep_two(block):
        play_folder.append(kept, block)
        if block.block == 1:
            raise KeyboardInterrupt

    with play_folder.start(folder, header) as kept, pytest.raises(KeyboardInterrupt):
        play(plan.matches, seed=2, keep=keep_two)
    with (folder / "games.jsonl").open("a") as file:
        file.write('{"player":"torn')
    asked = []
    with play_folder.reopen(folder):
        _, again, done = play_folder.read(folder)
        assert (again, [block.block for block in done]) == (plan, [0, 1])
        blocks = play(again.matches, seed=again.seed, done=done, keep=asked.append)
    assert [block.block for block in asked] == [2, 3, 4]
    whole = play(plan.matches, seed=2)
    assert [(b.outcomes, b.guesses) for b in blocks] == [(b.outcomes, b.guesses) for b in whole]


def text(block):
    return msgspec.json.encode(block).decode()


def test_damaged_folders(tmp_path):
    with pytest.raises(OSError, match="header"):
        play_folder.read(tmp_path)
    (tmp_path / "header.json").write_text("{}")
    with pytest.raises(ValueError, match="not the header of games"):
        play_folder.read(tmp_path)
    with pytest.raises(ValueError, match="not the header of games"):
        play_folder.reopen(tmp_path)
    assert not (tmp_path / "games.jsonl").exists()
    match = Match(Player("cascade", "smart"), setting("beginner"), 9)
    (tmp_path / "header.json").write_text(json.dumps(play_folder.header_of(GamePlan((match,)), "test")))
    block = Block(*match.key, 0, "W", (0,), 1)
    damaged = {
        '{"player":1}': "line 1: not a block of games",
        text(msgspec.structs.replace(block, block=1)): "block 1 of '9x9/10 sfar 0,0 cascade smart' is not in the plan",
        text(msgspec.structs.replace(block, setting="8x8/10 sfar 0,0")): "is not in the plan",
        f"{text(block)}\n{text(block)}": "line 2.* stands twice",
    }
    for lines, message in damaged.items():
        (tmp_path / "games.jsonl").write_text(f"{lines}\n")
        with pytest.raises(ValueError, match=message):
            play_folder.read(tmp_path)


# The command


def test_command(tmp_path):
    out = tmp_path / "games"
    arguments = ["--board", "6x6/6", "--policy", "safest", "--policy", "random", "--games", "300", "--seed", "4"]
    done = run_sapper("play", *arguments, "--out", str(out))
    assert done.exit_code == 0, done.stderr
    assert "safest" in done.stdout
    assert "random" in done.stdout
    assert (out / "table.md").read_text().count("| cascade |") == 2
    again = run_sapper("play", "--resume", str(out), "--jobs", "2")
    assert again.stdout == done.stdout
    changed = run_sapper("play", "--resume", str(out), "--games", "400")
    assert (changed.exit_code, changed.stderr.count("\n")) == (2, 1)
    assert "--games 400 does not go with it" in changed.stderr


def test_other_topologies_through_the_interface_and_more_games_than_usual(tmp_path):
    out = tmp_path / "games"
    arguments = ["--board", "hexagonal:3x3/1", "--solver", "cascade", "--solver", "sat", "--policy", "random"]
    done = run_sapper("play", *arguments, "--games", "20", "--out", str(out))
    assert done.exit_code == 0, done.stderr
    _, plan, blocks = play_folder.read(out)
    assert {match.setting for match in plan.matches} == {setting("hexagonal:3x3/1")}
    assert [len(block.guesses) for block in blocks] == [20, 20]
    many = run_sapper("play", "--board", "2x2/0", "--games", "10001", "--out", str(tmp_path / "many"))
    assert "10,001" in many.stdout
    peer = run_sapper("play", "--board", "torus:5x5/4", "--solver", "mstoollib", "--out", str(tmp_path / "peer"))
    assert (peer.exit_code, peer.stderr) == (2, "sapper: mstoollib takes the grid, not the topology 'torus'\n")


def test_optimum():
    done = run_sapper("optimum", "3x3/3", "--rule", "sfar")
    assert done.stdout == "33 of 56 games (58.93 %), first cell row 0, column 0\n"
    wrong = run_sapper("optimum", "9x9/10")
    assert (wrong.exit_code, wrong.stderr.count("\n")) == (2, 1)
    assert "too many to search" in wrong.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--board", "9x9"], "not '9x9'"),
        (["--policy", "wild"], "'wild'"),
        (["--solver", "sat"], "needs probabilities"),
        (["--games", "0"], "not 0"),
        (["--first", "99,99"], "row 99, column 99"),
        (["--resume", "nowhere"], "nowhere"),
    ],
)
def test_bad_input_is_one_line(arguments, message):
    done = run_sapper("play", *arguments)
    assert done.exit_code == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


# What is compiled first


def test_everything_is_compiled_before_the_clock_starts(monkeypatch):
    small, large = setting("3x3/1"), setting("4x4/2")
    players = [Player("cascade", "safest"), Player("counting", "safest"), Player("subset", "random")]
    matches = [match for where in (small, large) for match in matches_of(players, where, 2)]
    told = []

    def noted(player, where, seed, block, games=BLOCK):
        told.append((player.solver, games))
        return play_block(player, where, seed, block, games)

    monkeypatch.setattr(play_matches, "play_block", noted)
    blocks = play(matches, progress=lambda done, total: told.append((done, total)))
    assert len(blocks) == 6
    start = told.index((0, 6))
    assert sorted(games for _, games in told[:start]) == [0, 0]  # the loop once for both that it plays, and subset
    assert {name for name, _ in told[:start]} & {"cascade", "counting"}
    assert ("subset", 0) in told[:start]
    assert all(games == 2 for name, games in told[start:] if isinstance(name, str))


def test_processes_are_ready_before_the_first_block():
    told = []
    matches = matches_of([Player("cascade", "safest")], setting("3x3/1"), BLOCK + 1)
    assert len(play(matches, jobs=2, progress=lambda *done: told.append(done))) == 2
    assert told == [(0, 2), (1, 2), (2, 2)]


@pytest.mark.parametrize("spec", [("cascade", "safest"), ("subset", "random")])
def test_a_block_without_a_game_is_empty(spec):
    block = play_block(Player(*spec), setting("3x3/1"), 0, 0, 0)
    assert (block.outcomes, block.guesses) == ("", ())


def test_the_kernels_of_a_plan_are_of_its_players():
    def kernels(*players):
        return _kernels(GamePlan(tuple(matches_of(players, setting("3x3/1"), 1))))

    assert kernels(Player("cascade", "safest")) == ["solvers.playing"]
    assert kernels(Player("subset", "random")) == ["board.extraction", "solvers.subset"]
    assert kernels(Player("cascade", "safest"), Player("sat", "random"))[0] == "solvers.playing"
