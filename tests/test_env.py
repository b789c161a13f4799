import copy
import pickle
import re
import subprocess
import sys
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from board import Game, Layout, Outcome, Position
from board.env import REWARDS, Environment
from board.env_view import HIDDEN, HIT, Window, field_rgb, field_text
from board.topology import grid

# A board of the document's size, its clues counted by hand.
FIELD = np.array(
    [
        [0, 0, 0, 0, 0, 0, 0, 1, -1],
        [0, 0, 0, 0, 0, 0, 0, 1, 1],
        [0, 0, 0, 1, 1, 1, 0, 0, 0],
        [0, 0, 1, 2, -1, 1, 0, 0, 0],
        [0, 0, 1, -1, 2, 1, 0, 0, 0],
        [1, 1, 2, 1, 1, 0, 0, 1, 1],
        [1, -1, 2, 1, 1, 1, 1, 1, -1],
        [1, 2, -1, 2, 3, -1, 3, 2, 2],
        [0, 1, 1, 2, -1, -1, 3, -1, 1],
    ]
)


@pytest.fixture
def env():
    """A game on FIELD."""
    made = Environment(seed=0)
    made.reset()
    made.minefield = FIELD.copy()
    return made


def small(rows, **kwargs):
    """A game on a small board, from its mines as text."""
    layout = Layout.parse(rows)
    made = Environment(len(rows), layout.count, **kwargs)
    made.place_mines = lambda: made._put(layout)
    made.reset()
    return made


def by_the_document(minefield, num_mines, actions):
    """What the document's `step` returns, in plain loops; states always flat, first tiles as they are."""
    size = len(minefield)
    state = [9] * size**2
    for action in actions:
        x, y = divmod(action, size)
        if state[action] != 9:
            yield list(state), 0, False
            continue
        to_open = [(x, y)]
        while to_open:
            a, b = to_open.pop()
            if not (0 <= a < size and 0 <= b < size) or state[a * size + b] != 9:
                continue
            state[a * size + b] = minefield[a][b]
            if minefield[a][b] == 0:
                to_open += [(a + da, b + db) for da in (-1, 0, 1) for db in (-1, 0, 1)]
        if minefield[x][y] == -1:
            yield list(state), -10, True
            return
        done = state.count(9) == num_mines
        yield list(state), 100 if done else 10, done
        if done:
            return


def test_the_attributes_before_reset():
    env = Environment()
    assert (env.grid_size, env.num_mines, env.state_size) == (9, 10, 81)
    for field, value in ((env.minefield, 0), (env.playerfield, 9)):
        assert isinstance(field, np.ndarray)
        assert field.shape == (9, 9)
        assert field.dtype == int
        assert (field == value).all()
    assert (env.explode, env.done, env.first_move) == (False, False, True)


def test_reset_places_mines_counts_them_and_returns_a_flat_hidden_state():
    env = Environment(seed=3)
    state = env.reset()
    assert state.shape == (81,)
    assert (state == 9).all()
    assert np.count_nonzero(env.minefield == -1) == 10
    for x, y in np.argwhere(env.minefield != -1):
        around = env.minefield[max(0, x - 1) : x + 2, max(0, y - 1) : y + 2]
        assert env.minefield[x, y] == np.count_nonzero(around == -1) == env.count_adjacent_mines(x, y)


def test_reset_begins_again_after_the_end(env):
    env.step(0)
    env.step(8)
    assert (env.explode, env.done, env.first_move) == (True, True, False)
    state = env.reset()
    assert (state == 9).all()
    assert (env.playerfield == 9).all()
    assert (env.explode, env.done, env.first_move) == (False, False, True)


def test_a_mine_ends_the_game_for_minus_10(env):
    env.step(0)
    state, reward, done = env.step(3 * 9 + 4)
    assert (reward, done, env.done, env.explode) == (-10, True, True, True)
    assert state[3 * 9 + 4] == env.playerfield[3, 4] == -1


def test_a_number_opens_alone_for_10(env):
    state, reward, done = env.step(4 * 9 + 4)
    assert (reward, done, env.done, env.explode, env.first_move) == (10, False, False, False, False)
    assert state[4 * 9 + 4] == 2
    assert np.count_nonzero(state == 9) == 80
    assert (state == env.playerfield.reshape(-1)).all()


def test_a_zero_opens_what_is_around_for_10_and_the_state_is_flat(env):
    state, reward, done = env.step(0)
    assert (reward, done) == (10, False)
    assert state.shape == (81,)
    shown = np.where(env.playerfield == 9, 9, FIELD)
    assert (env.playerfield == shown).all()
    assert field_text(env.playerfield).splitlines() == [
        "0 0 0 0 0 0 0 1 .",
        "0 0 0 0 0 0 0 1 1",
        "0 0 0 1 1 1 0 0 0",
        "0 0 1 2 . 1 0 0 0",
        "0 0 1 . 2 1 0 0 0",
        "1 1 2 . 1 0 0 1 1",
        ". . . . 1 1 1 1 .",
        ". . . . . . . . .",
        ". . . . . . . . .",
    ]


def test_an_open_tile_is_worth_0_and_changes_nothing(env):
    before, _, _ = env.step(0)
    state, reward, done = env.step(1)
    assert (reward, done) == (0, False)
    assert (state == before).all()


@pytest.mark.parametrize(("rows", "last"), [(["*..", "...", "..."], 8), (["*.*", "...", "*.*"], 4)])
def test_the_last_safe_tile_is_worth_100_whether_a_zero_or_a_number(rows, last):
    env = small(rows)
    safe = [tile for tile in np.flatnonzero(env.minefield != -1) if env.minefield.flat[tile] and tile != last]
    for tile in safe:
        assert env.step(tile)[1:] == (10, False)
    state, reward, done = env.step(last)
    assert (reward, done, env.done, env.explode) == (100, True, True, False)
    assert np.count_nonzero(state == 9) == env.num_mines


def test_one_step_can_win():
    env = Environment(3, 0)
    env.reset()
    assert env.step(4)[1:] == (100, True)


def test_states_are_copies(env):
    state, _, _ = env.step(0)
    state[:] = 7
    env.get_state()[:] = 7
    assert (env.playerfield != 7).any()
    assert env.get_state()[80] == 9


def test_count_adjacent_mines_knows_corners_edges_and_the_middle(env):
    assert env.count_adjacent_mines(0, 0) == 0
    assert env.count_adjacent_mines(1, 8) == 1
    assert env.count_adjacent_mines(7, 6) == 3
    assert env.count_adjacent_mines(8, 3) == 2
    assert env.count_adjacent_mines(8, 4) == 3  # of a mine itself too, as in the document
    with pytest.raises(ValueError, match="row 9, column 0"):
        env.count_adjacent_mines(9, 0)


def test_auto_reveal_tiles_returns_the_playerfield(env):
    assert env.auto_reveal_tiles(8, 0) is env.playerfield
    opened = np.argwhere(env.playerfield != 9).tolist()
    assert opened == [[7, 0], [7, 1], [8, 0], [8, 1]]
    env.auto_reveal_tiles(0, 8)
    assert env.playerfield[0, 8] == -1
    with pytest.raises(ValueError, match="row 0, column -1"):
        env.auto_reveal_tiles(0, -1)


def test_check_boundary():
    env = Environment(4, 1)
    assert [env.check_boundary(x, y) for x, y in ((0, 0), (3, 3), (-1, 0), (0, -1), (4, 0), (0, 4))] == [
        True,
        True,
        False,
        False,
        False,
        False,
    ]


def test_render_prints_as_the_document_does(capsys):
    env = small(["*..", "...", ".*."])
    env.step(2)
    env.step(7)
    env.render()
    assert capsys.readouterr().out == ". 1 0\n. 2 1\n. X .\n\n\n"
    with pytest.raises(ValueError, match="'colour'"):
        env.render(mode="colour")


@given(st.integers(1, 7), st.data())
def test_every_step_is_as_in_the_document(size, data):
    mines = data.draw(st.integers(0, size**2 - 1))
    env = Environment(size, mines, seed=data.draw(st.integers(0, 1000)))
    env.reset()
    actions = [env.draw_tile(), *data.draw(st.lists(st.integers(0, size**2 - 1), max_size=30))]
    for action, (state, reward, done) in zip(actions, by_the_document(env.minefield, mines, actions), strict=False):
        got = env.step(action)
        assert (got[0].tolist(), *got[1:]) == (state, reward, done)
        assert env.done is done
        assert env.explode is (reward == -10)


@given(st.integers(1, 6), st.data())
def test_a_first_mine_moves_and_the_counts_follow(size, data):
    mines = data.draw(st.integers(1, size**2))
    env = Environment(size, mines, seed=data.draw(st.integers(0, 1000)))
    env.reset()
    tile = int(data.draw(st.sampled_from(np.flatnonzero(env.minefield == -1).tolist())))
    before = env.minefield.copy()
    _, reward, _ = env.step(tile)
    assert np.count_nonzero(env.minefield == -1) == mines
    if mines == size**2:
        assert reward == -10  # there was no tile to move it to
        return
    assert reward in (10, 100)
    moved = (before == -1) != (env.minefield == -1)
    assert moved.sum() == 2
    assert moved.flat[tile]
    for x, y in np.argwhere(env.minefield != -1):
        assert env.minefield[x, y] == env.count_adjacent_mines(x, y)


def test_the_mine_moves_to_each_free_tile_equally_often():
    counts = np.zeros(9, int)
    env = small(["**.", "...", "..*"], seed=0)
    for _ in range(3000):
        env.reset()
        env.step(0)
        counts += (env.minefield == -1).reshape(-1)
    assert counts[[0, 1, 8]].tolist() == [0, 3000, 3000]
    assert np.abs(counts[2:8] - 500).max() < 100  # a standard deviation is 20


def test_only_the_first_move_is_safe(env):
    env.step(0)
    assert env.step(8)[1] == -10


def test_draw_tile_draws_each_hidden_tile_without_a_mine_equally_often():
    env = small(["*..", "...", "..."], seed=0)
    counts = np.bincount([env.draw_tile() for _ in range(4000)], minlength=9)
    assert counts[0] == 0
    assert np.abs(counts[1:] - 500).max() < 100
    env = small(["*.*", "...", "..."])
    env.step(env.draw_tile())
    assert all(env.playerfield.flat[env.draw_tile()] == 9 for _ in range(20))


def test_a_full_board_has_no_tile_to_draw():
    env = Environment(2, 4)
    env.reset()
    with pytest.raises(ValueError, match="every hidden tile of 4 has a mine"):
        env.draw_tile()


def test_seeds_give_the_same_boards_and_resets_others():
    first, second = Environment(seed=5), Environment(seed=5)
    fields = []
    for _ in range(3):
        first.reset(), second.reset()
        assert (first.minefield == second.minefield).all()
        fields.append(first.minefield.tobytes())
    assert len(set(fields)) == 3
    third = Environment(seed=6)
    third.reset()
    assert third.minefield.tobytes() not in fields


def test_a_size_changed_by_hand_holds_from_the_next_reset():
    env = Environment(seed=1)
    env.grid_size, env.num_mines = 16, 40
    assert env.reset().shape == (256,)
    assert env.state_size == 256
    assert np.count_nonzero(env.minefield == -1) == 40


@pytest.mark.parametrize("size", [1, 3, 200, np.int8(16), 2.5, "9", None, -4, 10**30])
def test_a_size_changed_during_a_game_changes_nothing_in_it(env, size):
    env.grid_size = size
    assert env.step(8 * 9)[1] == 10
    assert np.argwhere(env.playerfield != 9).tolist() == [[7, 0], [7, 1], [8, 0], [8, 1]]
    assert env.auto_reveal_tiles(0, 0).shape == (9, 9)
    assert (env.playerfield != 9).sum() > 20
    assert (env.count_adjacent_mines(7, 6), env.state_size, env.get_state().size) == (3, 81, 81)
    assert [env.check_boundary(x, 0) for x in (8, 9, 20, 199)] == [True, False, False, False]
    for outside in (lambda: env.step(81), lambda: env.auto_reveal_tiles(9, 0), lambda: env.count_adjacent_mines(0, 9)):
        with pytest.raises(ValueError, match="outside"):
            outside()


def test_the_kernel_s_arrays_are_of_a_board_whose_size_is_a_small_numpy_integer():
    env = Environment(np.int8(16), np.int8(40), seed=1)  # 16 * 16 is 0 in eight bits
    env.reset()
    env.step(env.draw_tile())
    assert grid(16, 16).n == 256
    assert env.auto_reveal_tiles(15, 15).shape == (16, 16)


@pytest.mark.parametrize("mines", [0, 200, -1, "x", None])
def test_a_mine_count_changed_during_a_game_changes_nothing_in_it(mines):
    env = small(["*..", "...", "..."])
    env.num_mines = mines
    assert env.step(8)[1:] == (100, True)


def test_a_size_or_count_that_means_nothing_is_refused_by_the_next_reset(env):
    for name, value in (("grid_size", 0), ("grid_size", "9"), ("grid_size", 10**5), ("num_mines", 82)):
        env = Environment(seed=1)
        env.reset()
        setattr(env, name, value)
        with pytest.raises(ValueError, match=f"{name}.*{value}"):
            env.reset()
        assert env.step(env.draw_tile())[1] == 10  # the game goes on


@pytest.mark.parametrize(
    ("field", "told"),
    [
        (np.zeros((2, 2), int), r"\(2, 2\)"),
        (np.zeros((200, 200), int), r"\(200, 200\)"),
        (np.zeros((3, 27), int), r"\(3, 27\)"),
        (np.zeros(81, int), r"int64 \(81,\)"),
        (np.zeros((9, 9)), "float64"),
        (np.full((9, 9), None), "object"),
        (np.zeros((0, 0), int), r"\(0, 0\)"),
        (np.full((9, 9), 10), "code 10"),
        (np.full((9, 9), -2), "code -2"),
        (np.full((9, 9), 2**16), "code 65536"),
        ([[0] * 9] * 9, r"not \[\[0"),
        (None, "not None"),
    ],
)
@pytest.mark.parametrize("name", ["minefield", "playerfield"])
def test_fields_that_are_no_board_are_refused_before_anything_is_done(env, name, field, told):
    setattr(env, name, field)
    for act in (
        lambda: env.step(80),
        lambda: env.auto_reveal_tiles(8, 8),
        lambda: env.count_adjacent_mines(8, 8),
        env.draw_tile,
        env.render,
        lambda: env.render("window"),
    ):
        with pytest.raises(ValueError, match=told):
            act()
    assert env.reset().size == 81


def test_fields_of_any_layout_and_integers_are_played_on(env):
    env.minefield = np.asfortranarray(FIELD.astype(np.int8))
    env.playerfield = np.full((18, 18), 9, np.uint8)[::2, ::2]
    assert env.step(0)[1] == 10
    assert (env.playerfield == np.where(env.playerfield == 9, 9, FIELD)).all()
    other = Environment(3, 1, seed=1)
    other.reset()
    other.minefield, other.playerfield = FIELD.copy(), np.full((9, 9), 9)  # both: a board of another size
    assert other.step(80)[1] == 10
    assert other.state_size == 81
    env.reset()
    env.minefield = np.ma.masked_array(FIELD)
    assert env.step(0)[0].tolist().count(9) == 27


@pytest.mark.parametrize("place", [(True, 0), (0, None), (80, None), (0.0, 0), ("0", 0), (0, 10**30), (-1, 0)])
def test_tiles_that_are_none_are_refused(env, place):
    for act in (env.auto_reveal_tiles, env.count_adjacent_mines):
        with pytest.raises(ValueError, match=r"integer is needed|outside"):
            act(*place)
    assert (env.playerfield == 9).all()


@pytest.mark.parametrize("seed", [-1, "x", 1.5, {}, [-1]])
def test_seeds_that_mean_nothing_are_refused(seed):
    with pytest.raises(ValueError, match=re.escape(f"not {seed!r}")):
        Environment(seed=seed)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_of_an_environment_play_on_alone_though_it_has_a_window(env, pygame, copied):
    env.render("window")
    made = copied(env)
    assert (made.step(0)[0] == made.get_state()).all()
    assert (env.playerfield == 9).all()
    made.render("window")
    made.close()
    env.render("window")
    assert (shown(pygame) == field_rgb(env.playerfield)).all()
    env.close()


@pytest.mark.parametrize("action", [-1, 81, 2.5, "3", None, True])
def test_actions_outside_the_board_are_refused(env, action):
    with pytest.raises(ValueError, match=repr(action) if action not in (-1, 81) else f"cell {action}"):
        env.step(action)


def test_numpy_actions_are_taken(env):
    assert env.step(np.int64(0))[1] == 10
    assert env.step(np.array(3 * 9 + 3))[1] == 0


def test_no_step_before_reset_or_after_the_end(env):
    with pytest.raises(ValueError, match=r"step\(3\) before the first reset"):
        Environment().step(3)
    with pytest.raises(ValueError, match=r"draw_tile\(\) before the first reset"):
        Environment().draw_tile()
    env.step(0)
    env.step(8)
    with pytest.raises(ValueError, match=r"step\(5\) after the end of the game, which is lost"):
        env.step(5)
    won = Environment(2, 0)
    won.reset()
    won.step(0)
    with pytest.raises(ValueError, match="which is won"):
        won.step(0)


@pytest.mark.parametrize(
    ("size", "mines", "told"), [(0, 0, "not 0"), (2, 5, "not 5"), (3.5, 1, "3.5"), (3, -1, "-1"), (3, None, "None")]
)
def test_boards_that_mean_nothing_are_refused(size, mines, told):
    with pytest.raises(ValueError, match=told):
        Environment(size, mines)


def test_a_large_board_without_mines_opens_at_once():
    env = Environment(200, 0)
    env.reset()
    state, reward, done = env.step(20_100)
    assert (reward, done) == (100, True)
    assert not state.any()


# Pictures and windows


def test_a_picture_has_a_tile_a_code():
    field = np.array([[HIDDEN, HIT, *range(9)]])
    picture = field_rgb(field, scale=1)
    assert picture.shape == (16, 176, 3)
    assert picture.dtype == np.uint8
    tiles = {picture[:, i * 16 : (i + 1) * 16].tobytes() for i in range(11)}
    assert len(tiles) == 11
    assert (field_rgb(field, 3)[::3, ::3] == picture).all()
    down = field_rgb(field.T, 1)
    assert (down[16 * 4 : 16 * 5] == picture[:, 16 * 4 : 16 * 5]).all()


def test_pictures_of_nothing_are_refused():
    with pytest.raises(ValueError, match="not 0"):
        field_rgb(np.zeros((1, 1), int), 0)
    for draw in (field_rgb, field_text):
        for field, told in (
            (np.array([[10]]), "code 10"),
            (np.array([9]), r"int64 \(1,\)"),
            (np.array([[np.nan]]), "float64"),
            ([[9]], r"\[\[9\]\]"),
        ):
            with pytest.raises(ValueError, match=told):
                draw(field)
    assert (field_rgb(np.array([[9]], np.uint8)) == field_rgb(np.array([[9]]))).all()


@pytest.fixture
def pygame(monkeypatch):
    """pygame without a screen."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    yield pytest.importorskip("pygame", reason="the extra gui is not installed")
    sys.modules["pygame"].display.quit()


def shown(pygame):
    """The pixels in the window."""
    return pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)


def test_a_window_shows_the_playerfield(env, pygame):
    env.step(0)
    env.step(8)
    env.render(mode="window")
    assert (shown(pygame) == field_rgb(env.playerfield)).all()
    env.reset()
    env.render("window")
    assert (shown(pygame) == field_rgb(env.playerfield)).all()
    env.close()
    assert not pygame.display.get_init()
    env.close()
    env.render("window")
    assert pygame.display.get_init()
    env.close()


def test_a_window_that_the_player_closed_stays_closed(env, pygame):
    env.render("window")
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    env.render("window")
    env.render("window")
    assert not pygame.display.get_init()
    env.close()


def test_a_window_without_pygame_says_what_is_missing(env, monkeypatch):
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(ImportError, match=r"pip install 'sapper\[gui\]'"):
        env.render("window")
    with pytest.raises(ImportError, match="pygame"):
        Window("title")


# Gymnasium


@pytest.fixture
def gymnasium():
    """Gymnasium, if it is installed."""
    return pytest.importorskip("gymnasium", reason="the extra gym is not installed")


@pytest.fixture
def minesweeper(gymnasium):
    """The class."""
    from board.env import MinesweeperEnv

    return MinesweeperEnv


LEVELS = {"Beginner": (9, 9, 10), "Intermediate": (16, 16, 40), "Expert": (16, 30, 99)}
BEGINNER = "sapper/Minesweeper-Beginner-v0"
PARAMETERS = [{}, {"rows": 2, "columns": 7, "mines": 3, "rule": "any"}, {"mines": 12, "rule": "opening"}]


def test_environment_works_without_gymnasium():
    code = (
        "import sys; sys.modules['gymnasium'] = None\n"
        "import board.env as env\n"
        "e = env.Environment(seed=1); e.reset(); e.step(e.draw_tile())\n"
        "try:\n    env.MinesweeperEnv\nexcept ImportError as error:\n    print(error)\n"
        "try:\n    from board.env import MinesweeperEnv\nexcept ImportError as error:\n    print(error)\n"
        "assert 'pygame' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    told = "MinesweeperEnv needs the library gymnasium, which is not installed: pip install 'sapper[gym]'\n"
    assert done.stdout == told * 2


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("parameters", PARAMETERS)
def test_gymnasium_finds_no_fault(gymnasium, pygame, level, parameters, monkeypatch):
    from gymnasium.utils.env_checker import check_env

    env = gymnasium.make(f"sapper/Minesweeper-{level}-v0", **parameters)
    monkeypatch.setitem(env.unwrapped.metadata, "render_fps", 1000)  # no waiting
    check_env(env.unwrapped)
    rows, columns, mines = LEVELS[level]
    wanted = {"rows": rows, "columns": columns, "mines": mines, "rule": "safe", **parameters}
    assert {name: getattr(env.unwrapped, name) for name in wanted} == wanted


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
def test_stable_baselines_finds_no_fault_that_matters(minesweeper):
    checker = pytest.importorskip("stable_baselines3.common.env_checker", reason="stable-baselines3 is not installed")
    import warnings

    with warnings.catch_warnings():  # a table that is no picture: it is flattened for an MlpPolicy
        warnings.filterwarnings("ignore", message=".*unconventional shape.*")
        checker.check_env(minesweeper())


def test_the_spaces_have_the_board_s_size(minesweeper):
    env = minesweeper(16, 30, 99)
    assert env.observation_space.shape == (16, 30)
    assert env.observation_space.dtype == np.int8
    assert (env.observation_space.low == -1).all()
    assert (env.observation_space.high == 9).all()
    assert env.action_space.n == 480


def test_what_is_seen_is_what_a_game_shows(minesweeper):
    env = minesweeper(6, 7, 8)
    rng = np.random.default_rng(0)
    ends = set()
    for seed in range(100):
        layout = Layout.random(6, 7, 8, seed)
        game = Game(layout)
        observation, info = env.reset(seed=seed, options={"layout": layout})
        assert (observation == 9).all()
        while game.outcome is Outcome.PLAYING:
            assert (info["action_mask"] == ~game.opened.reshape(-1)).all()
            assert info["action_mask"].dtype == np.int8
            assert (env.action_masks() == info["action_mask"]).all()
            assert info["is_success"] is False
            safe_only = seed % 2 and not layout.mines.all()
            cells = np.flatnonzero(info["action_mask"] & ~(layout.mines.reshape(-1) & bool(safe_only)))
            cell = rng.choice(cells)
            game.open(cell)
            observation, reward, terminated, truncated, info = env.step(cell)
            assert env.position() == game.position()
            wanted = {Outcome.PLAYING: "safe", Outcome.WON: "win", Outcome.LOST: "mine"}[game.outcome]
            assert (reward, terminated, truncated) == (REWARDS[wanted], game.outcome is not Outcome.PLAYING, False)
            assert (np.where(observation == 9, -2, observation) == game.position().codes).all()
        assert info["is_success"] is (game.outcome is Outcome.WON)
        ends.add(game.outcome)
    assert ends == {Outcome.WON, Outcome.LOST}


def test_rewards_can_be_others(minesweeper):
    env = minesweeper(2, 2, 1, rewards={"mine": -1, "opened": -0.5})
    layout = Layout.parse(["*.", ".."])
    env.reset(options={"layout": layout})
    rewards = [env.step(cell)[1] for cell in (1, 1, 0)]
    assert rewards == [10.0, -0.5, -1.0]
    assert all(type(reward) is float for reward in rewards)


KINDS = "mine, safe, win, opened"


@pytest.mark.parametrize(
    ("rewards", "told"),
    [
        ({"lose": 1}, f"unknown reward 'lose'; known are {KINDS}"),
        ({5: 1}, f"unknown reward 5; known are {KINDS}"),
        *(({"win": value}, f"'win' is a finite number, not {value!r}") for value in ("much", True, None, 1j, [1])),
        *(({"win": value}, f"'win' is a finite number, not {value!r}") for value in (np.nan, np.inf, -np.inf, 10**400)),
        *((value, f"{KINDS}, not {value!r}") for value in (5, 0, "", "win", [], [("win", 1)], False, np.zeros(2))),
    ],
)
def test_rewards_that_mean_nothing_are_refused(minesweeper, gymnasium, rewards, told):
    for make in (minesweeper, partial(gymnasium.make, BEGINNER)):
        with pytest.raises(ValueError, match=re.escape(told)):
            make(rewards=rewards)


def test_parameters_stay_what_they_are(minesweeper):
    env = minesweeper(2, 2, 1, rewards={"win": np.float32(1)})
    assert dict(env.rewards) == {**REWARDS, "win": 1}
    for name in ("rows", "columns", "mines", "rule", "rewards"):
        with pytest.raises(AttributeError, match=name):
            setattr(env, name, 50)
    with pytest.raises(TypeError):
        env.rewards["win"] = "much"


@pytest.mark.parametrize("rule", ["any", "safe", "opening"])
def test_the_rule_holds_for_the_first_cell(minesweeper, rule):
    env = minesweeper(4, 4, 6, rule=rule)
    first = []
    for seed in range(60):
        env.reset(seed=seed)
        observation, *_ = env.step(seed % 16)
        first.append(int(observation.flat[seed % 16]))
    assert (-1 in first) is (rule == "any")
    assert (set(first) == {0}) is (rule == "opening")


def test_an_episode_of_idle_steps_is_truncated(minesweeper):
    env = minesweeper(2, 3, 1)
    env.reset(options={"layout": Layout.parse(["*..", "..."])})
    ends = [env.step(1)[2:4] for _ in range(6)]
    assert ends == [(False, False)] * 5 + [(False, True)]
    with pytest.raises(ValueError, match=r"step\(1\) after the end of an episode, which is truncated"):
        env.step(1)
    # a game in which each cell is opened alone is not
    env = minesweeper(1, 3, 0)
    env.reset()
    env = minesweeper(2, 2, 1)
    env.reset(options={"layout": Layout.parse(["*.", ".."])})
    assert [env.step(cell)[2:4] for cell in (1, 2, 3)][-1] == (True, False)


def test_seeds_and_actions_decide_everything(minesweeper):
    def play(seed):
        env = minesweeper(rule="opening")
        seen = [env.reset(seed=seed)[0].tobytes()]
        for cell in (40, 0, 80, 8):
            if env.action_masks()[cell] and env._idle is None:
                seen.append(env.step(cell)[0].tobytes())
        seen.append(env.reset()[0].tobytes())
        seen.append(env.step(40)[0].tobytes())
        return seen

    assert play(1) == play(1)
    assert play(1) != play(2)


def test_no_step_of_an_environment_out_of_turn(minesweeper):
    env = minesweeper(2, 2, 1)
    with pytest.raises(ValueError, match=r"step\(1\) before the first reset"):
        env.step(1)
    env.reset(options={"layout": Layout.parse(["*.", ".."])})
    for action in (4, -1):
        with pytest.raises(ValueError, match=f"cell {action} is outside"):
            env.step(action)
    env.step(0)
    with pytest.raises(ValueError, match=r"step\(1\) after the end of an episode, which is lost"):
        env.step(1)


@pytest.mark.parametrize(
    ("parameters", "told"),
    [
        ({"mines": 81}, "81 mines: a 9x9 board has room for 0 to 80 under the rule 'safe'"),
        ({"mines": 81, "rule": "any"}, "81 mines: a 9x9 board has room for 0 to 80$"),
        ({"mines": 73, "rule": "opening"}, "73 mines: a 9x9 board has room for 0 to 72 under the rule 'opening'"),
        ({"rule": "kind"}, "'kind'"),
        ({"rows": 0}, "0 rows"),
        ({"columns": 2.5}, "2.5"),
        ({"mines": None}, "None mines"),
        ({"render_mode": "svg"}, "'svg'"),
        ({"render_mode": np.array(["ansi", "human"])}, "render_mode array.*known are human, rgb_array, ansi"),
        ({"rule": np.array(["any", "safe"])}, "rule array.*known are any, safe, opening"),
        ({"rule": ["any"]}, r"\['any'\]"),
        ({"rows": True}, "True"),
        ({"rows": 10**5, "columns": 10**5}, "100000 rows x 100000"),
    ],
)
def test_parameters_that_mean_nothing_are_refused(minesweeper, parameters, told):
    with pytest.raises(ValueError, match=told):
        minesweeper(**parameters)


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 5), (2, 2), (2, 5), (4, 3)])
@pytest.mark.parametrize("rule", ["any", "safe", "opening"])
def test_as_many_mines_as_are_taken_fit_wherever_the_first_cell_is(minesweeper, rows, columns, rule):
    with pytest.raises(ValueError, match="room for 0 to") as refused:
        minesweeper(rows, columns, 99, rule=rule)
    most = int(str(refused.value).split("room for 0 to ")[1].split()[0])
    env = minesweeper(rows, columns, most, rule=rule)
    for cell in range(rows * columns):
        env.reset(seed=cell)
        env.step(cell)


def test_options_that_mean_nothing_are_refused(minesweeper):
    env = minesweeper(2, 2, 1)
    for options, told in (
        ({"board": 1}, "'board'"),
        ({"layout": "*."}, "not '*.'"),
        ({"layout": Layout.parse(["*.", ".*"])}, "2x2 cells with 1 mines"),
        ({5: 1}, "unknown option 5; known is 'layout'"),
        *(
            (wrong, f"the only key is 'layout', not {wrong!r}")
            for wrong in (5, 0, "x", "", [], ["layout"], np.zeros(2))
        ),
    ):
        with pytest.raises(ValueError, match=re.escape(told)):
            env.reset(options=options)
    for options in (None, {}, {"layout": None}):
        env.reset(options=options)


@pytest.mark.parametrize("seed", [-1, "x", 1.5, True, [1]])
def test_a_reset_that_is_refused_begins_nothing(minesweeper, seed):
    env, other = minesweeper(rule="opening"), minesweeper(rule="opening")
    for each in (env, other):
        each.reset(seed=1)
        each.step(40)
    with pytest.raises(ValueError, match=re.escape(f"not {seed!r}")):
        env.reset(seed=seed)
    with pytest.raises(ValueError, match="'board'"):
        env.reset(seed=2, options={"board": 1})
    assert env.position() == other.position()
    for each in (env, other):
        each.reset()
    assert (env.step(0)[0] == other.step(0)[0]).all()


def test_numpy_integers_are_seeds(minesweeper):
    env, other = minesweeper(), minesweeper()
    env.reset(seed=np.int64(3)), other.reset(seed=3)
    assert (env.step(np.uint8(0))[0] == other.step(0)[0]).all()


@pytest.mark.parametrize("action", [np.array([3]), np.array(True), True, np.nan, 2.5, "3", None, 10**30])
def test_actions_that_mean_nothing_are_refused(minesweeper, action):
    env = minesweeper()
    env.reset()
    with pytest.raises(ValueError, match=re.escape(repr(action))):
        env.step(action)
    assert (env.step(np.array(3))[0] != 9).any()


def test_render_modes(minesweeper, gymnasium, pygame, monkeypatch):
    layout = Layout.parse(["*..", "..."])
    drawn = {}
    for mode in ("ansi", "rgb_array", "human"):
        env = minesweeper(2, 3, 1, render_mode=mode)
        monkeypatch.setitem(env.metadata, "render_fps", 1000)
        env.reset(options={"layout": layout})
        env.step(2)
        drawn[mode] = env.render()
    assert drawn["ansi"] == ". 1 0\n. 1 0"
    assert drawn["rgb_array"].shape == (64, 96, 3)
    assert drawn["human"] is None
    assert (shown(pygame) == drawn["rgb_array"]).all()
    env.close()
    env.close()
    with pytest.warns(UserWarning, match="render_mode"):
        assert minesweeper().render() is None


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_vectors_of_environments(gymnasium, mode):
    envs = gymnasium.make_vec(BEGINNER, 3, vectorization_mode=mode, rows=5, columns=4, mines=3)
    try:
        observations, infos = envs.reset(seed=7)
        assert observations.shape == (3, 5, 4)
        ended = 0
        for _ in range(30):
            masks = tuple(infos["action_mask"])
            assert (np.array(masks) == (observations.reshape(3, -1) == 9)).all()
            actions = np.array([envs.single_action_space.sample(mask=mask) for mask in masks])
            observations, rewards, terminated, truncated, infos = envs.step(actions)
            assert set(rewards.tolist()) <= {-10.0, 0.0, 10.0, 100.0}
            assert not truncated.any()
            ended += int(terminated.sum())
        assert ended
    finally:
        envs.close()


def test_vectors_of_environments_with_different_parameters(gymnasium, minesweeper):
    parameters = [{}, {"rule": "any", "rewards": {"safe": 1}}, {"rule": "opening", "mines": 2}]
    makes = [partial(minesweeper, **{"rows": 4, "columns": 4, "mines": 3, **given}) for given in parameters]
    envs = gymnasium.vector.SyncVectorEnv(makes)
    assert envs.get_attr("mines") == (3, 3, 2)
    observations, _ = envs.reset(seed=[1, 2, 3])
    seen, rewards, *_ = envs.step(np.array([0, 5, 10]))
    for i, make in enumerate(makes):
        alone = make()
        assert (alone.reset(seed=i + 1)[0] == observations[i]).all()
        observation, reward, *_ = alone.step([0, 5, 10][i])
        assert (observation == seen[i]).all()
        assert reward == rewards[i]
    envs.close()


@pytest.mark.parametrize("render_mode", [None, "human"])
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_play_on_alone(minesweeper, pygame, monkeypatch, render_mode, copied):
    env = minesweeper(rule="opening", render_mode=render_mode)
    monkeypatch.setitem(env.metadata, "render_fps", 1000)
    env.reset(seed=1)
    env.step(40)
    made = copied(env)
    cell = int(np.flatnonzero(env.action_masks())[0])
    before = env.position()
    observation, *_ = made.step(cell)
    assert env.position() == before
    assert (env.step(cell)[0] == observation).all()


def test_a_name_with_its_module_needs_no_import(gymnasium):
    code = f"import gymnasium; print(gymnasium.make('board.env:{BEGINNER}').unwrapped.mines)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "10\n"


def test_a_position_before_the_first_step_is_all_covered(minesweeper):
    env = minesweeper(1, 3, 1)
    env.reset()
    assert env.position() == Position.parse("###", mines=1)


def one_hot(env):
    """A plane a code, as networks like it."""
    import gymnasium

    space = gymnasium.spaces.Box(0, 1, (*env.observation_space.shape, 11), np.int8)
    planes = np.arange(HIT, HIDDEN + 1)
    return gymnasium.wrappers.TransformObservation(
        env, lambda codes: (codes[..., None] == planes).astype(np.int8), space
    )


def games_won(choose, games=300):
    """Of games on the seeds 0, 1, ...; choose: (observation, mask) -> action."""
    from board.env import MinesweeperEnv

    env = one_hot(MinesweeperEnv(4, 4, 3))
    won = 0
    for seed in range(games):
        observation, info = env.reset(seed=seed)
        ended = False
        while not ended:
            observation, _, ended, truncated, info = env.step(choose(observation, info["action_mask"].astype(bool)))
            assert not truncated
        won += info["is_success"]
    return won


@pytest.fixture
def one_thread():
    """Small networks on several threads wait for each other ten times as long as they compute."""
    torch = pytest.importorskip("torch", reason="torch is not installed")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.slow
def test_an_agent_learns(minesweeper, one_thread):
    sb3_contrib = pytest.importorskip("sb3_contrib", reason="sb3-contrib is not installed")
    from stable_baselines3.common.env_util import make_vec_env

    rewards = {"mine": -1, "safe": 0.2, "win": 1}
    envs = make_vec_env(lambda: one_hot(minesweeper(4, 4, 3, rewards=rewards)), 8, seed=0)
    settings = {"n_steps": 64, "batch_size": 128, "learning_rate": 2e-3, "gamma": 0.9}
    agent = sb3_contrib.MaskablePPO("MlpPolicy", envs, seed=0, device="cpu", **settings)
    agent.learn(8000)

    def learned(observation, mask):
        return agent.predict(observation, action_masks=mask, deterministic=True)[0]

    rng = np.random.default_rng(0)
    by_chance = games_won(lambda _, mask: rng.choice(np.flatnonzero(mask)))
    assert games_won(learned) > 1.5 * by_chance  # 17 by chance; 48 to 66 learned, with three seeds


@pytest.mark.slow
def test_an_agent_without_a_mask_learns_to_leave_open_tiles_alone(minesweeper, one_thread):
    stable_baselines3 = pytest.importorskip("stable_baselines3", reason="stable-baselines3 is not installed")
    from stable_baselines3.common.env_util import make_vec_env

    make = partial(minesweeper, 4, 4, 3, rewards={"mine": -1, "safe": 0.2, "win": 1, "opened": -1})
    envs = make_vec_env(lambda: one_hot(make()), 8, seed=0)
    agent = stable_baselines3.PPO(
        "MlpPolicy", envs, n_steps=64, batch_size=128, learning_rate=2e-3, seed=0, device="cpu"
    )

    def idle(games=100):
        """The share of steps that open nothing."""
        env, idle_steps, steps = one_hot(make()), 0, 0
        for seed in range(games):
            observation, _ = env.reset(seed=seed)
            ended = False
            while not ended:
                action = int(agent.predict(observation)[0])
                idle_steps += not env.unwrapped.action_masks()[action]
                observation, _, terminated, truncated, _ = env.step(action)
                ended = terminated or truncated
                steps += 1
        return idle_steps / steps

    before = idle()
    agent.learn(8000)
    assert idle() < before / 2
