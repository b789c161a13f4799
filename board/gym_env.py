"""Minesweeper for Gymnasium: a step opens a cell.

What is in an observation, an action and an information is said at `MinesweeperEnv`; `board.env` registers it. With an
agent that draws covered cells at random a step takes about 40 microseconds on a Beginner board, of which half is
drawing the next layout, because such games last five steps.

Source of the rewards and of the first safe cell: see `board.env`. Of the interface: M. Towers et al., Gymnasium: A
Standard Interface for Reinforcement Learning Environments, arXiv 2407.17032, 2024.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, SupportsIndex, get_args

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from board.env import MOST_CELLS, REWARDS
from board.env_view import HIDDEN, HIT, RGB, Window, field_rgb, field_text
from board.game import Game, Outcome
from board.layout import Layout, Rule, cell_of
from board.position import COVERED, Position
from board.problem import mine_count, whole

Observation = NDArray[np.int8]


class MinesweeperEnv(gymnasium.Env[Observation, np.int64]):
    """A game of Minesweeper. An action opens a cell, numbered `row * columns + column`; there are no flags.

    Parameters
    ----------
    rows, columns, mines: the board; there is at least one cell without a mine.
    rule: what holds for the first cell opened: "any", "safe", or "opening" (its neighbours are safe too). The layout is
        drawn with it, uniformly among those that the rule allows, so it depends on seed and first action.
    rewards: in the place of those in `board.env.REWARDS`: "mine", "safe", "win", "opened" (a cell that was open).
    render_mode: "human" shows a window at each step and needs the extra `gui`; "rgb_array" is a picture, uint8
        (32 * rows, 32 * columns, 3); "ansi" is text.

    Observations are what the player sees, int8 (rows, columns): -1 a mine that was opened, 0-8 a clue, 9 covered.

    Informations have "action_mask", int8[rows * columns], 1 for a covered cell, after the end of an episode too (as
    `action_space.sample` takes it), and "is_success", whether the game is won (as Stable-Baselines3 logs it).

    An episode terminates when the game is won or lost. It is truncated after as many steps as there are cells: who
    only opens covered cells never gets there.

    Raises ValueError, quoting what is wrong.

    >>> env = MinesweeperEnv(4, 5, 3, rule="opening", render_mode="ansi")
    >>> observation, info = env.reset(seed=1)
    >>> observation, reward, terminated, truncated, info = env.step(0)
    >>> reward, terminated, truncated, int(info["action_mask"].sum())
    (10.0, False, False, 6)
    >>> print(env.render())
    0 0 0 1 .
    0 0 1 2 .
    0 0 2 . .
    0 0 2 . .
    """

    metadata: dict[str, Any] = {"render_modes": ["human", "rgb_array", "ansi"], "render_fps": 4}  # noqa: RUF012

    def __init__(
        self,
        rows: int = 9,
        columns: int = 9,
        mines: int = 10,
        *,
        rule: Rule = "safe",
        rewards: Mapping[str, float] | None = None,
        render_mode: str | None = None,
    ) -> None:
        self._rows, self._columns, self._mines = _board(rows, columns, mines, rule)
        self._rule: Rule = rule
        self._rewards = _rewards(rewards)
        modes = self.metadata["render_modes"]
        if render_mode is not None and not (isinstance(render_mode, str) and render_mode in modes):
            known = ", ".join(modes)
            raise ValueError(f"unknown render_mode {render_mode!r}; known are {known}")
        self.render_mode = render_mode
        self.observation_space = spaces.Box(HIT, HIDDEN, (self.rows, self.columns), np.int8)
        self.action_space = spaces.Discrete(self.rows * self.columns)
        self._codes = np.full((self.rows, self.columns), HIDDEN, np.int8)
        self._game: Game | None = None  # from the first step on
        self._steps = 0
        self._idle: str | None = "before the first reset()"  # why no step can be taken
        self._window: Window | None = None

    @property
    def rows(self) -> int:
        """The rows of the board. No parameter can be changed: the spaces depend on them."""
        return self._rows

    @property
    def columns(self) -> int:
        """The columns of the board."""
        return self._columns

    @property
    def mines(self) -> int:
        """The mines on the board."""
        return self._mines

    @property
    def rule(self) -> Rule:
        """What holds for the first cell opened."""
        return self._rule

    @property
    def rewards(self) -> Mapping[str, float]:
        """All four rewards; read-only."""
        return MappingProxyType(self._rewards)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode: (observation, information).

        seed: an integer >= 0, of this and all later episodes. options: {"layout": a `board.Layout`} to play that one,
        whatever the rule. Raises ValueError, and begins nothing, for other seeds and options and for a layout of
        another shape or mine count.
        """
        layout = self._layout(options)
        super().reset(seed=_seed(seed))
        self._game = None if layout is None else Game(layout)
        self._codes.fill(HIDDEN)
        self._steps = 0
        self._idle = None
        if self.render_mode == "human":
            self._show()
        return self._codes.copy(), self._info()

    def step(self, action: SupportsIndex) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Open a cell: (observation, reward, terminated, truncated, information).

        Raises ValueError before `reset`, after the end of an episode and outside the board.
        """
        cell = cell_of(self._codes.shape, action)
        if self._idle is not None:
            raise ValueError(f"step({cell}) {self._idle}")
        if self._game is None:
            drawn = Layout.random(self.rows, self.columns, self.mines, self.np_random, first=cell, rule=self.rule)
            self._game = Game(drawn)
        kind = self._open(self._game, cell)
        self._steps += 1
        terminated = kind in ("mine", "win")
        truncated = not terminated and self._steps >= self._codes.size
        if terminated or truncated:
            self._idle = f"after the end of an episode, which is {'truncated' if truncated else self._game.outcome}"
        if self.render_mode == "human":
            self._show()
        return self._codes.copy(), self._rewards[kind], terminated, truncated, self._info()

    def action_masks(self) -> NDArray[np.bool_]:
        """bool[rows * columns], the covered cells: the name under which sb3-contrib's MaskablePPO asks for it."""
        mask: NDArray[np.bool_] = self._codes.reshape(-1) == HIDDEN
        return mask

    def position(self) -> Position:
        """What the player sees, with the number of mines: what a solver can be asked about."""
        return Position(np.where(self._codes == HIDDEN, COVERED, self._codes), self.mines)

    def render(self) -> RGB | str | None:
        """The board in the render mode: a picture, a text, or None where a window shows it."""
        if self.render_mode is None:
            gymnasium.logger.warn('render() without a render_mode: give one to make(), such as render_mode="ansi"')
            return None
        if self.render_mode == "ansi":
            return field_text(self._codes)
        if self.render_mode == "rgb_array":
            return field_rgb(self._codes)
        self._show()
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None

    def _open(self, game: Game, cell: int) -> str:
        """Open the cell and keep what the player sees: which of the rewards that is worth."""
        opened = game.open(cell)
        if not opened.size:
            return "opened"
        if game.outcome is Outcome.LOST:
            self._codes.flat[cell] = HIT
            return "mine"
        self._codes.flat[opened] = game.layout.clues.flat[opened]
        return "win" if game.outcome is Outcome.WON else "safe"

    def _info(self) -> dict[str, Any]:
        won = self._game is not None and self._game.outcome is Outcome.WON
        return {"action_mask": self.action_masks().view(np.int8), "is_success": won}

    def _show(self) -> None:
        if self._window is None:
            self._window = Window("Minesweeper")
        self._window.show(field_rgb(self._codes), self.metadata["render_fps"])

    def _layout(self, options: object) -> Layout | None:
        """The layout among the options of `reset`, if there is one."""
        if options is None:
            return None
        if not isinstance(options, Mapping):
            raise ValueError(f"options are a dict, of which the only key is 'layout', not {options!r}")
        if unknown := [key for key in options if key != "layout"]:
            raise ValueError(f"unknown option {unknown[0]!r}; known is 'layout'")
        layout = options.get("layout")
        if layout is None:
            return None
        if not isinstance(layout, Layout):
            raise ValueError(f"the option 'layout' is a board.Layout, not {layout!r}")
        if layout.shape != (self.rows, self.columns) or layout.count != self.mines or layout.topology.name != "grid":
            raise ValueError(f"{layout!r} is not a grid of {self.rows}x{self.columns} cells with {self.mines} mines")
        return layout


def _board(rows: object, columns: object, mines: object, rule: object) -> tuple[int, int, int]:
    """(rows, columns, mines); ValueError unless, whatever cell is first, the mines fit under the rule."""
    r, c = whole(rows, "rows: an integer is needed"), whole(columns, "columns: an integer is needed")
    if r < 1 or c < 1:
        raise ValueError(f"a board has at least one cell, not {r} rows x {c} columns")
    if r * c > MOST_CELLS:
        raise ValueError(f"a board has at most {MOST_CELLS} cells, not {r} rows x {c} columns")
    if not (isinstance(rule, str) and rule in get_args(Rule)):
        raise ValueError(f"unknown first-click rule {rule!r}; known are {', '.join(get_args(Rule))}")
    count = mine_count(mines)
    room = r * c - (min(r, 3) * min(c, 3) if rule == "opening" else 1)
    if count is None or count > room:
        told = "" if rule == "any" else f" under the rule {rule!r} whatever cell is first"
        raise ValueError(f"{count} mines: a {r}x{c} board has room for 0 to {room}{told}")
    return r, c, count


def _rewards(given: object) -> dict[str, float]:
    """All rewards, with the given ones in the place of the usual."""
    if given is None:
        given = {}
    if not isinstance(given, Mapping):
        raise ValueError(f"rewards are a dict, of which the keys are among {', '.join(REWARDS)}, not {given!r}")
    made = {kind: float(reward) for kind, reward in REWARDS.items()}
    for kind, reward in given.items():
        if kind not in REWARDS:
            raise ValueError(f"unknown reward {kind!r}; known are {', '.join(REWARDS)}")
        made[kind] = _finite(kind, reward)
    return made


def _finite(kind: str, reward: object) -> float:
    """The reward as a float; none that is not finite, because no learner can add it up."""
    if isinstance(reward, int | float | np.integer | np.floating) and not isinstance(reward, bool):
        try:
            number = float(reward)
        except OverflowError:  # an integer too large
            number = math.inf
        if math.isfinite(number):
            return number
    raise ValueError(f"the reward {kind!r} is a finite number, not {reward!r}")


def _seed(seed: object) -> int | None:
    """A seed that Gymnasium takes: NumPy's integers, too."""
    if seed is None:
        return None
    needed = "a seed is an integer >= 0 or None"
    number = whole(seed, needed)
    if number < 0:
        raise ValueError(f"{needed}, not {seed!r}")
    return number
