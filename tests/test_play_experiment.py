"""Experiments with games: what a file says, what is published, tables and figures, and the command."""

import json
import math
import shutil
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from benchmarks import play_folder
from benchmarks.cli import app
from benchmarks.experiment import experiment_names, load_experiment
from benchmarks.play import BLOCK, Block, Player, setting
from benchmarks.play_experiment import GamePlan, OptimumPlan, Published, load_play_experiment
from benchmarks.play_figures import play_figures
from benchmarks.play_matches import Match
from benchmarks.play_tables import experiments_table, games_table, notes, optima_table, results, standard_errors
from solvers import endgame

SMALL = """
title = "Small"
games = 300
seed = 3

[[players]]
solver = "cascade"
policy = ["random", "smart"]

[[players]]
solver = "subset"
policy = "random"
games = 20

[[boards]]
board = ["4x4/3", "torus:4x4/3"]
rule = ["sfar", "any"]

[[boards]]
board = "5x5"
densities = [0.1, 0.3]
first = "centre"
games = 100

[[published]]
source = "somebody"
games = 1_000
figures = [
    {board = "4x4/3", rule = "sfar", policy = "smart", won = 50, no_guess = 10},
    {board = "4x4/3", rule = "sfar", by = "theirs", won = 60.5},
]

[[published]]
source = "somebody else"
orientation = true
figures = [{board = "4x4/3", rule = "any", first = "corner", solver = "subset", won = 40}]
"""
SMALL_OPTIMA = """
title = "Two boards"

[[optima]]
rule = "any"
source = "somebody"
boards = {"3x3/1" = "8/9", "3x3/3" = "34/84"}
"""


def run_sapper(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def small(tmp_path):
    return write(tmp_path, SMALL)


def write(folder, text):
    file = folder / "small.toml"
    file.write_text(text)
    return file


# The file


def test_every_player_plays_on_every_board(small):
    plan = load_play_experiment(small)
    assert (plan.title, plan.seed) == ("Small", 3)
    boards = ["4x4/3 sfar 0,0", "4x4/3 any 0,0", "torus:4x4/3 sfar 0,0", "torus:4x4/3 any 0,0"]
    boards += ["5x5/2 sfar 2,2", "5x5/8 sfar 2,2"]  # 10 and 30 % of 25 cells
    players = ["cascade random", "cascade smart", "subset random"]
    assert [match.key for match in plan.matches] == [(board, player) for board in boards for player in players]
    assert [match.games for match in plan.matches] == 4 * [300, 300, 20] + 2 * [100, 100, 20]
    assert [match.games for match in plan.shortened(50).matches] == 6 * [50, 50, 20]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("games = 300", "", "small.toml: Object missing required field `games`"),
        ("games = 300", "games = 3.5", "Expected `int`, got `float`, key `games`"),
        ("games = 300", "games = 0", r"boards\[0\]: games is at least 1, not 0"),
        ("seed = 3", "seed = -3", "key seed: at least 0 is needed, not -3"),
        ("seed = 3", "sead = 3", "unknown field `sead`"),
        ('"smart"]', '"smrt"]', r"key players\[0\]: unknown policy 'smrt'; did you mean 'smart'"),
        ('"smart"]', '"smart", "smart"]', "a player twice on one board: 'cascade smart' on '4x4/3 sfar 0,0'"),
        ('board = "5x5"', 'board = "5x"', r"key boards\[1\]: a board is .*, not '5x/0'"),
        ("0.3]", "3]", r"key boards\[1\]: 75 mines: a 5x5 board has room for 24"),
        ("won = 60.5", "win = 60.5", "unknown field `win`"),
        ('rule = "any", first', 'rule = "anny", first', r"figures\[0\]: nobody plays on '4x4/3' with 'anny'"),
        ('first = "corner", solver', 'first = "1,1", solver', "nobody plays on '4x4/3' with 'any' and first '1,1'"),
        ('solver = "subset", won', 'solver = "subst", won', "no player 'subst' plays there"),
    ],
)
def test_bad_files(tmp_path, old, new, message):
    assert SMALL.count(old) == 1
    with pytest.raises(ValueError, match=message):
        load_play_experiment(write(tmp_path, SMALL.replace(old, new)))


@pytest.mark.parametrize(
    ("new", "message"),
    [('"8-9"', "'8-9' is not WON/GAMES"), ('"8/"', "'8/' is not WON/GAMES"), ("8", "Expected `str`, got `int`")],
)
def test_bad_optima(tmp_path, new, message):
    with pytest.raises(ValueError, match=message):
        load_play_experiment(write(tmp_path, SMALL_OPTIMA.replace('"8/9"', new)))


def test_players_that_cannot_play_are_left_out(tmp_path):
    plan = load_play_experiment(write(tmp_path, SMALL.replace('policy = "random"\n', 'policy = ["random", "smart"]\n')))
    assert len(plan.matches) == 18
    assert plan.notes == (
        "Left out: subset smart: policy 'smart' needs probabilities, and solver 'subset' gives none.",
    )


def test_commands_know_each_others_experiments(tmp_path):
    with pytest.raises(ValueError, match="another command: sapper play win-rates"):
        load_experiment("win-rates")
    with pytest.raises(ValueError, match="another command: sapper bench standard"):
        load_play_experiment("standard")
    with pytest.raises(ValueError, match="unknown experiment 'win-rate'; did you mean 'win-rates'"):
        load_play_experiment("win-rate")
    with pytest.raises(ValueError, match=r"small\.toml is no experiment: it has neither players nor optima"):
        load_play_experiment(write(tmp_path, ""))
    assert not set(experiment_names("play")) & set(experiment_names())


@pytest.mark.parametrize("name", experiment_names("play"))
def test_a_bundled_experiment_loads(name):
    plan = load_play_experiment(name)
    assert plan.title
    if isinstance(plan, OptimumPlan):
        return
    assert not any(note.startswith("Left out") for note in plan.notes)  # the libraries of the tests are all there
    for match in plan.matches:  # the layouts that a rule leaves room for
        assert match.setting.boards(0, 0).sum() == BLOCK * match.setting.mines


def test_what_the_bundled_ones_play():
    plans = {name: load_play_experiment(name) for name in experiment_names("play")}
    assert list(plans) == ["density", "no-guess", "tiny-optimum", "win-rates"]
    assert [len(plan.optima) for plan in plans.values() if isinstance(plan, OptimumPlan)] == [21]
    wins = plans["win-rates"]
    assert {(m.setting.board, m.setting.rule) for m in wins.matches} == {
        (board, rule) for board in ("9x9/10", "16x16/40", "16x30/99") for rule in ("sfar", "snr")
    }
    assert {"cascade progress", "subset random", "minmax lolai"} < {match.player.label for match in wins.matches}
    table = experiments_table().set_index("Experiment")
    assert table.loc["no-guess", ["Players", "Boards", "Games"]].tolist() == ["1", "3", "3,000,000"]


# What is published


def test_whom_a_published_share_is_about():
    match = Match(Player("cascade", "smart"), setting("expert", first="2,2"), 1)

    def fits(**told):
        return Published(source="", won=1, **{"board": "16x30/99", "rule": "sfar"} | told).fits(match)

    assert fits()
    assert fits(board="expert", solver="cascade", policy="smart", first="2,2")
    assert not any(fits(**told) for told in ({"rule": "snr"}, {"first": "corner"}, {"board": "16x16/40"}))
    assert not any(fits(**told) for told in ({"solver": "subset"}, {"policy": "safest"}, {"by": "somebody"}))
    assert not fits(board="torus:expert")


def test_standard_errors():
    few = Published(source="", board="expert", rule="sfar", games=100)
    assert math.isclose(standard_errors(60, 100, few, 50), 0.1 / math.sqrt(0.25 / 100 + 0.25 / 100))
    assert math.isclose(standard_errors(40, 100, Published(source="", board="expert", rule="sfar"), 50), -2)
    assert math.isnan(standard_errors(0, 0, few, 50))
    assert math.isnan(standard_errors(3, 3, few, 100))


def made_up(plan, games=10, won=6):
    """The first `won` games of each match are won, every second one without a guess."""
    signs = "W" * won + "L" * (games - won)
    return [Block(*match.key, 0, signs, tuple(i % 2 for i in range(games)), 10**9) for match in plan.matches]


def test_table(small):
    plan = load_play_experiment(small)
    table = games_table(plan, made_up(plan)).to_dict("records")
    assert len(table) == 18 + 1
    random, smart, subset, theirs, *others = table
    assert [row["Strategy"] for row in (random, smart, subset, theirs)] == ["cascade", "cascade", "subset", "theirs"]
    assert (smart["Board"], smart["Rule"], smart["First"]) == ("4x4/3", "sfar", "0,0")
    assert (smart["Games"], smart["Guesses a game"], smart["Games/s"]) == ("10", "0.50", "10.0")
    assert smart["Won %"].startswith("60.00 [")
    assert smart["No guess %"].startswith("30.00 [")
    assert (smart["Published %"], smart["z"]) == ("50", "+0.6")  # 0.1 / sqrt(0.25 / 10 + 0.25 / 1000)
    assert (smart["No guess publ. %"], smart["No guess z"]) == ("10", "+2.1")
    assert (random["Published %"], random["z"]) == ("–", "–")
    assert (theirs["Published %"], theirs["Won %"], theirs["Games"]) == ("60.5", "–", "1,000")
    assert [row["Published %"] for row in others if row["Published %"] != "–"] == ["≈ 40"]
    assert "somebody; somebody else" in notes(plan)[-1]


def test_nothing_published_no_columns(small):
    plan = load_play_experiment(small)
    bare = GamePlan(plan.matches, title="Bare")
    assert "z" not in games_table(bare, made_up(bare))
    assert not any("Published" in line for line in notes(bare))
    assert results(bare.matches, []).sum().sum() == 0
    assert set(games_table(bare, [])["Won %"]) == {"–"}


def test_optima_equal_or_not(tmp_path):
    table = optima_table(load_play_experiment(write(tmp_path, SMALL_OPTIMA)), [(8, 9, 0), (33, 84, 4)])
    assert table["What"].tolist() == ["equal", "UNEQUAL"]
    assert table.loc[1, ["Won", "Published", "Best first"]].tolist() == ["33/84", "34/84", "1,1"]


# Figures


def test_figures(small):
    plan = load_play_experiment(small)
    (name,) = figures = play_figures(plan, made_up(plan))
    assert name == "win_rates"
    panels = figures[name].axes
    assert [axes.get_title() for axes in panels] == ["4x4/3", "torus:4x4/3", "5x5/2", "5x5/8"]
    assert [label.get_text() for label in panels[0].get_yticklabels()] == [
        "cascade random",
        "cascade smart",
        "subset random",
    ]


def test_figure_by_density(tmp_path):
    three = SMALL.replace("[0.1, 0.3]", "[0.3, 0.1, 0.2]").replace('"5x5"', '["5x5", "6x6"]')
    plan = load_play_experiment(write(tmp_path, three))
    one = [match for match in plan.matches if match.player.label == "cascade smart" and match.setting.rows > 4]
    plan = GamePlan(tuple(one), title="Density")
    (name,) = figures = play_figures(plan, made_up(plan))
    assert name == "by_density"
    won, unguessed = figures[name].axes
    assert [line.get_xdata().tolist() for line in won.lines] == [
        [100 * mines / 25 for mines in (2, 5, 8)],
        [100 * mines / 36 for mines in (4, 7, 11)],
    ]
    assert set(won.lines[0].get_ydata()) == {60.0}
    assert set(unguessed.lines[1].get_ydata()) == {30.0}


def test_no_figure_for_one_player_on_a_few_boards():
    plan = GamePlan((Match(Player("cascade", "smart"), setting("4x4/3"), 10),), title="One")
    assert play_figures(plan, made_up(plan)) == {}


# The command


def test_command(small, tmp_path):
    out = tmp_path / "run"
    done = run_sapper("play", small, "--games", 30, "--seed", 9, "--out", out)
    assert done.exit_code == 0, done.stderr
    assert "theirs" in done.stdout
    assert {file.name for file in out.iterdir()} == {
        "games.jsonl",
        "header.json",
        "table.md",
        "win_rates.png",
        "win_rates.svg",
    }
    assert "| 4x4/3 | any | 0,0 | subset | random | 20 |" in (out / "table.md").read_text()
    header, plan, blocks = play_folder.read(out)
    assert plan.seed == header["plan"]["seed"] == 9
    assert plan == replace(load_play_experiment(small).shortened(30), seed=9)
    small.unlink()  # the folder is all that is needed
    kept = tmp_path / "kept"
    shutil.copytree(out, kept)
    lines = (kept / "games.jsonl").read_text().splitlines(keepends=True)
    (kept / "games.jsonl").write_text("".join(lines[:7]) + lines[7][:20])
    again = run_sapper("play", "--resume", kept)
    assert again.exit_code == 0, again.stderr

    def told(folder):
        found = map(json.loads, (folder / "games.jsonl").read_text().splitlines())
        return sorted(
            (*(block[key] for key in ("setting", "player", "outcomes")), *block["guesses"]) for block in found
        )

    assert told(kept) == told(out)
    assert len(blocks) == 18


def test_command_searches(tmp_path):
    file = write(tmp_path, SMALL_OPTIMA)
    wrong = run_sapper("play", file, "--out", tmp_path / "run")
    assert wrong.exit_code == 1
    assert "UNEQUAL" in wrong.stdout
    right = run_sapper("play", write(tmp_path, SMALL_OPTIMA.replace("34/84", "33/84")), "--out", tmp_path / "more")
    assert right.exit_code == 0, right.stderr
    assert (tmp_path / "more" / "table.md").read_text().count("| equal |") == 2
    assert run_sapper("play", "--resume", tmp_path / "more").exit_code == 2


@pytest.mark.parametrize(("ends", "code"), [(KeyboardInterrupt, 130), (ValueError("why"), 2)])
def test_a_search_that_is_broken_off_leaves_nothing(tmp_path, monkeypatch, ends, code):
    def broken_off(*_):
        raise ends

    monkeypatch.setattr(endgame, "optimum", broken_off)
    stopped = run_sapper("play", write(tmp_path, SMALL_OPTIMA), "--out", tmp_path / "run")
    assert stopped.exit_code == code
    assert [file.name for file in tmp_path.iterdir()] == ["small.toml"]


def test_a_search_whose_folder_cannot_be_made_is_not_begun(tmp_path, monkeypatch):
    monkeypatch.setattr(endgame, "optimum", None)
    refused = run_sapper("play", write(tmp_path, SMALL_OPTIMA), "--out", "/proc/x")
    assert (refused.exit_code, refused.stderr) == (2, "sapper: /proc/x: No such file or directory\n")


@pytest.mark.slow
def test_published_optima(tmp_path):
    done = run_sapper("play", "tiny-optimum", "--out", tmp_path / "run")
    assert done.exit_code == 0, done.stdout
    assert (tmp_path / "run" / "table.md").read_text().count("| equal |") == 21


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("",), "'' is not the name"),
        (("nothing",), "unknown experiment 'nothing'"),
        (("nothing.toml",), "nothing.toml: cannot be read"),
        (("density", "--policy", "random"), "--policy ['random'] does not go with it"),
        (("density", "--games", "0"), "games is at least 1, not 0"),
        (("tiny-optimum", "--seed", "1"), "--seed 1 does not go with it"),
        (("density", "--resume", "runs/x"), "NAME density does not go with it"),
    ],
)
def test_bad_input_is_one_line(arguments, message):
    done = run_sapper("play", *arguments)
    assert done.exit_code == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_list():
    done = run_sapper("experiments")
    assert done.exit_code == 0, done.stderr
    assert all(name in done.stdout for name in (*experiment_names("play"), *experiment_names()))
