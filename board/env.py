"""Reinforcement-learning environments: a board to step through, with rewards.

`Environment` has the names, arguments and values of a course's environment (J. Lee and J. Son, 24 June 2024, in
Korean) and needs no library. `MinesweeperEnv` is the same game for Gymnasium (the extra `gym`); importing this module
registers it, where Gymnasium is installed, as

    sapper/Minesweeper-Beginner-v0        9 x 9, 10 mines
    sapper/Minesweeper-Intermediate-v0    16 x 16, 40 mines
    sapper/Minesweeper-Expert-v0          16 x 30, 99 mines

and `gymnasium.make` takes its parameters: `gymnasium.make("sapper/Minesweeper-Beginner-v0", mines=12, rule="opening")`.
`"board.env:sapper/Minesweeper-Beginner-v0"` imports this module as well.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from board.env_view import HIDDEN, HIT, Window, checked_field, field_rgb, field_text
from board.layout import LEVELS, Layout, Seed, cell_of
from board.problem import mine_count, whole
from board.topology import grid

if TYPE_CHECKING:
    from board.gym_env import MinesweeperEnv

__all__ = ["MOST_CELLS", "REWARDS", "Environment", "MinesweeperEnv"]

#: What a step is worth that opens a mine, a safe tile, the last safe tile, or nothing.
REWARDS = {"mine": -10, "safe": 10, "win": 100, "opened": 0}

#: Of a board to step through: its neighbours, up to eight a cell, are far fewer than the kernels' int32 can number.
MOST_CELLS = 2**24

Mode = Literal["text", "window"]


class Environment:
    """A square board to step through; a tile is (x, y), row and column from 0, or `x * grid_size + y`.

    The first tile that is opened is never a mine: one that is there moves to a tile without, drawn uniformly.
    :meth:`draw_tile` draws a tile without a mine.

    Parameters
    ----------
    grid_size: rows, and columns, at most 4096.
    num_mines: from 0 to `grid_size * grid_size`. Both may be changed; that holds from the next `reset` on.
    seed: what `numpy.random.default_rng` takes, or None for an unforeseeable one; of all boards, not only the first.

    Attributes
    ----------
    minefield: int (grid_size, grid_size); -1 a mine, otherwise the mines around, 0-8. Empty before `reset`.
    playerfield: int (grid_size, grid_size), what the player sees; -1 a mine that was opened, 0-8, 9 hidden.
    explode: a mine was opened.
    done: the game is over, won or lost.
    first_move: no tile was opened yet.

    The fields may be changed, too, or replaced by others of one shape: they are the board that `step` plays on.

    Raises ValueError, quoting what is wrong.

    >>> env = Environment(grid_size=4, num_mines=2, seed=1)
    >>> state = env.reset()
    >>> state, reward, done = env.step(15)
    >>> reward, done
    (10, False)
    >>> env.render()
    . . . .
    . . 2 1
    . . 1 0
    . . 1 0
    <BLANKLINE>
    <BLANKLINE>
    """

    minefield: NDArray[np.int_]
    playerfield: NDArray[np.int_]
    explode: bool
    done: bool
    first_move: bool

    def __init__(self, grid_size: int = 9, num_mines: int = 10, seed: Seed | None = None) -> None:
        self.grid_size = grid_size
        self.num_mines = num_mines
        self._clear()
        self._placed = False
        try:
            self._rng = np.random.default_rng(seed)
        except (TypeError, ValueError):
            raise ValueError(
                f"seed is an integer >= 0, a sequence of these, a generator or None, not {seed!r}"
            ) from None
        self._window: Window | None = None

    @property
    def state_size(self) -> int:
        """The number of tiles."""
        return self._fields()[1].size

    def reset(self) -> NDArray[np.int_]:
        """Begin a new game: place the mines, hide every tile. The state, as of :meth:`get_state`."""
        self._clear()
        self.place_mines()
        self._placed = True
        return self.get_state()

    def step(self, action: int) -> tuple[NDArray[np.int_], int, bool]:
        """Open the tile `action`, and with a 0 the tiles around it, and so on: (state, reward, done).

        The reward is -10 for a mine, 100 if only mines are hidden then, 10 for any other hidden tile, and 0 for a tile
        that is open. The state is int[state_size].

        Raises ValueError before `reset`, after the end of the game and outside the board.
        """
        minefield, playerfield = self._fields()
        tile = cell_of((len(playerfield), len(playerfield)), action)
        if not self._placed:
            raise ValueError(f"step({tile}) before the first reset(): no mine is placed")
        if self.done:
            raise ValueError(f"step({tile}) after the end of the game, which is {'lost' if self.explode else 'won'}")
        if playerfield.flat[tile] != HIDDEN:
            return self.get_state(), REWARDS["opened"], False
        if self.first_move and minefield.flat[tile] == HIT:
            self._move_mine(tile)
        self.first_move = False
        self.auto_reveal_tiles(*divmod(tile, len(playerfield)))
        if self.minefield.flat[tile] == HIT:
            self.explode = self.done = True
            return self.get_state(), REWARDS["mine"], True
        self.done = not ((self.playerfield == HIDDEN) & (self.minefield != HIT)).any()
        return self.get_state(), REWARDS["win" if self.done else "safe"], self.done

    def get_state(self) -> NDArray[np.int_]:
        """A copy of the playerfield, int[state_size], row by row."""
        return self._fields()[1].flatten()

    def draw_tile(self) -> int:
        """A tile to open, drawn uniformly among the hidden ones without a mine: a good first `action`.

        Raises ValueError before `reset`, and where there is none.
        """
        if not self._placed:
            raise ValueError("draw_tile() before the first reset(): no mine is placed")
        minefield, playerfield = self._fields()
        hidden = playerfield == HIDDEN
        tiles = np.flatnonzero((minefield != HIT) & hidden)
        if not tiles.size:
            raise ValueError(f"draw_tile(): every hidden tile of {np.count_nonzero(hidden)} has a mine")
        return int(self._rng.choice(tiles))

    def place_mines(self) -> None:
        """Place `num_mines` mines, drawn uniformly, and write the number of mines around into all other tiles."""
        rows, columns = self._fields()[1].shape
        self._put(Layout.random(rows, columns, self.num_mines, self._rng))

    def count_adjacent_mines(self, x: int, y: int) -> int:
        """The mines among the up to nine tiles around and at (x, y). ValueError outside the board."""
        minefield, _ = self._fields()
        x, y = divmod(_tile(minefield.shape, x, y), len(minefield))
        return int(np.count_nonzero(minefield[max(0, x - 1) : x + 2, max(0, y - 1) : y + 2] == HIT))

    def auto_reveal_tiles(self, x: int, y: int) -> NDArray[np.int_]:
        """Open (x, y) and, from each tile with a 0 on, all tiles around: the playerfield itself, not flat.

        No reward, no end of the game: `step` sees to these. ValueError outside the board.
        """
        from board.flood import flood  # numba is imported at first use

        minefield, playerfield = self._fields()
        tile = _tile(minefield.shape, x, y)
        topology = grid(len(playerfield), len(playerfield))
        clues = minefield.astype(np.int16).reshape(-1)
        clues.setflags(write=False)  # as of a Layout, so that one compiled kernel serves both
        seen, flags = np.zeros((2, clues.size), np.bool_)
        found = flood(clues, seen, flags, topology.indptr, topology.neighbours, tile, clues.size)
        playerfield.flat[found] = minefield.flat[found]
        return self.playerfield

    def check_boundary(self, x: int, y: int) -> bool:
        """Whether (x, y) is on the board."""
        size = len(self._fields()[1])
        return 0 <= x < size and 0 <= y < size

    def render(self, mode: Mode = "text") -> None:
        """Print the playerfield (`.` hidden, `X` a mine), or show it in a window, which needs the extra `gui`.

        Raises ValueError for another mode, ImportError where pygame is missing.
        """
        if not isinstance(mode, str) or mode not in get_args(Mode):
            raise ValueError(f"unknown mode {mode!r}; known are {', '.join(get_args(Mode))}")
        if mode == "text":
            print(field_text(self._fields()[1]))
            print("\n")
            return
        if self._window is None:
            self._window = Window("Minesweeper")
        self._window.show(field_rgb(self._fields()[1]))

    def close(self) -> None:
        """Close the window, if there is one; the next `render` opens another."""
        if self._window is not None:
            self._window.close()
            self._window = None

    def _clear(self) -> None:
        size = whole(self.grid_size, "grid_size is an integer")
        mines = mine_count(self.num_mines)
        if size < 1:
            raise ValueError(f"grid_size is at least 1, not {size}")
        if size * size > MOST_CELLS:
            raise ValueError(f"grid_size is at most {math.isqrt(MOST_CELLS)}, not {size}")
        if mines is None or mines > size * size:
            raise ValueError(f"num_mines is in 0..{size * size} on a {size}x{size} board, not {mines}")
        self.minefield = np.zeros((size, size), dtype=int)
        self.playerfield = np.full((size, size), HIDDEN, dtype=int)
        self.explode = False
        self.done = False
        self.first_move = True

    def _fields(self) -> tuple[NDArray[np.int_], NDArray[np.int_]]:
        """The minefield and the playerfield, as views.

        All that a kernel is given comes from here: callers may have put anything in their place.
        """
        minefield = checked_field(self.minefield, "minefield", HIDDEN - 1)
        playerfield = checked_field(self.playerfield, "playerfield", HIDDEN)
        shape = minefield.shape
        if shape != playerfield.shape or shape[0] != shape[1]:
            raise ValueError(f"the fields are square and of one size, not {shape} and {playerfield.shape}")
        return minefield, playerfield

    def _put(self, layout: Layout) -> None:
        self.minefield = np.where(layout.mines, HIT, layout.clues).astype(int)

    def _move_mine(self, tile: int) -> None:
        """Move the mine on `tile` to a tile without one; if there is none, it stays."""
        mines = self._fields()[0] == HIT
        free = np.flatnonzero(~mines)
        if free.size:
            mines.flat[tile] = False
            mines.flat[self._rng.choice(free)] = True
            self._put(Layout(mines))


def _tile(shape: tuple[int, int], x: object, y: object) -> int:
    """The number of the tile at (x, y). ValueError outside the board."""
    return cell_of(shape, x, whole(y, "column: an integer is needed"))


def __getattr__(name: str) -> Any:
    if name == "MinesweeperEnv":  # at first use, so that this module needs no Gymnasium
        try:
            from board.gym_env import MinesweeperEnv
        except ModuleNotFoundError as missing:
            if missing.name != "gymnasium":
                raise
            raise ImportError(
                "MinesweeperEnv needs the library gymnasium, which is not installed: pip install 'sapper[gym]'"
            ) from missing
        return MinesweeperEnv
    raise AttributeError(f"module 'board.env' has no attribute {name!r}")


def _register() -> None:
    """Tell Gymnasium of the three levels, if it is installed."""
    try:
        import gymnasium
    except ModuleNotFoundError as missing:
        if missing.name != "gymnasium":
            raise
        return
    for level, (rows, columns, mines) in LEVELS.items():
        gymnasium.register(
            f"sapper/Minesweeper-{level.capitalize()}-v0",
            entry_point="board.gym_env:MinesweeperEnv",
            kwargs={"rows": rows, "columns": columns, "mines": mines},
        )


_register()
