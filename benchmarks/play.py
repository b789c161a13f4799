"""Whole games: boards of a seed, players, what came out, block by block.

A player is a solver and a policy: everything the solver proves safe is opened, and where it proves nothing, the policy
guesses. Game i of a seed has the same board for every player, so players are compared game by game. Where solver
and policy have kernels, a game runs in one compiled loop (:mod:`solvers.playing`), elsewhere through the interface,
on `board.Game`, so that any solver plays. :mod:`benchmarks.play_matches` has many blocks played.

The boards: a key a cell is drawn, and the cells with the smallest keys that the first-click rule allows are mined,
which is uniform among those layouts. Keys come in blocks of BLOCK games; guesses have a stream of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from time import perf_counter_ns
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from benchmarks.corpus import LEVELS
from board import Game, Layout, Outcome
from board.layout import Rule, cell_of
from board.topology import NAMES, Topology, named
from solvers import Deduction, Marginals, MarginalSolver, Unsupported, make_solver, spec_of
from solvers.policy import Policy, make_policy, policy_spec

BLOCK = 256  #: games that are drawn, played and kept together
RULES: dict[str, Rule] = {"any": "any", "sfar": "safe", "snr": "opening"}  #: first-click rules by their usual names
MOST_CELLS = 10_000
_COMPILED_SOLVERS = ("cascade", "counting")  # complete, and what the compiled loop asks
_MAX_BYTES = 2 << 30  # of counting in the compiled loop
_AT_ONCE = 32  # games in one call of the compiled loop, which no Ctrl-C can end


@dataclass(frozen=True, slots=True)
class Setting:
    """A board, and how games begin on it.

    rule: of RULES. first: the cell of the first click. topology: of `board.topology.NAMES`.

    Raises ValueError for what no layout can have.

    >>> setting("expert", first="corner")
    Setting(rows=16, columns=30, mines=99, rule='sfar', first=0, topology='grid')
    """

    rows: int
    columns: int
    mines: int
    rule: str = "sfar"
    first: int = 0
    topology: str = "grid"

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise ValueError(f"unknown first-click rule {self.rule!r}; known are {', '.join(RULES)}")
        if self.rows * self.columns > MOST_CELLS:
            raise ValueError(f"a board of {self.rows} x {self.columns} has over {MOST_CELLS:,} cells")
        size, rule = (self.rows, self.columns), RULES[self.rule]
        Layout.random(*size, self.mines, 0, first=self.first, rule=rule, topology=self.adjacency)

    @property
    def adjacency(self) -> Topology:
        """Which cells are neighbours."""
        return named(self.topology, self.rows, self.columns)

    @property
    def board(self) -> str:
        """The board as :func:`setting` reads it.

        >>> setting("torus:beginner").board, setting("expert").board
        ('torus:9x9/10', '16x30/99')
        """
        name = "" if self.topology == "grid" else f"{self.topology}:"
        return f"{name}{self.rows}x{self.columns}/{self.mines}"

    @property
    def place(self) -> str:
        """The first cell as :func:`setting` reads it: ROW,COLUMN."""
        return "{},{}".format(*divmod(self.first, self.columns))

    @property
    def label(self) -> str:
        """All of it, as text."""
        return f"{self.board} {self.rule} {self.place}"

    def boards(self, seed: int, block: int) -> NDArray[np.bool_]:
        """The mines of the games of a block, bool[BLOCK, cells]."""
        topology = self.adjacency
        keys = np.random.default_rng([seed, block]).random((BLOCK, topology.n))
        if self.rule != "any":
            keys[:, self.first] = 2
        if self.rule == "snr":
            keys[:, topology.of(self.first)] = 2
        mined = np.zeros(keys.shape, np.bool_)
        if self.mines:
            cells = np.argpartition(keys, self.mines - 1, axis=1)[:, : self.mines]
            np.put_along_axis(mined, cells, True, axis=1)
        return mined


def setting(board: str, *, rule: str = "sfar", first: str = "corner") -> Setting:
    """The setting of texts: a level or `ROWSxCOLUMNS/MINES`; `corner`, `centre` or `ROW,COLUMN`.

    A topology may stand before the board: `torus:16x16/40`. Raises ValueError, quoting what is wrong.

    >>> setting("8x8/10", first="centre").first
    36
    """
    name, colon, text = board.rpartition(":")
    topology = name if colon else "grid"
    if text in LEVELS and topology in NAMES:
        rows, columns, mines = LEVELS[text]
    else:
        size, slash, count = text.partition("/")
        height, cross, width = size.partition("x")
        numbers = slash and cross and all(part.isascii() and part.isdigit() for part in (height, width, count))
        if not numbers or topology not in NAMES:
            known = f"{', '.join(LEVELS)} or ROWSxCOLUMNS/MINES, after {': or '.join(NAMES[1:])}: if it is one"
            raise ValueError(f"a board is {known}, not {board!r}")
        rows, columns, mines = int(height), int(width), int(count)
    if not rows or not columns:
        raise ValueError(f"a board has at least one cell, not {board!r}")
    places = {"corner": 0, "centre": rows // 2 * columns + columns // 2}
    if first in places:
        return Setting(rows, columns, mines, rule, places[first], topology)
    row, comma, column = first.partition(",")
    if not (comma and row.strip().isdecimal() and column.strip().isdecimal()):
        raise ValueError(f"the first cell is corner, centre or ROW,COLUMN from 0, not {first!r}")
    return Setting(rows, columns, mines, rule, cell_of((rows, columns), int(row), int(column)), topology)


@dataclass(frozen=True, slots=True)
class Player:
    """Specs of a solver and of a policy. ValueError and Unsupported as these raise, and if they do not go together."""

    solver: str
    policy: str

    def __post_init__(self) -> None:
        solver, policy = make_solver(self.solver), make_policy(self.policy)
        object.__setattr__(self, "solver", spec_of(solver))
        object.__setattr__(self, "policy", policy_spec(policy))
        if policy.needs_marginals and not (solver.claims.marginals and isinstance(solver, MarginalSolver)):
            raise Unsupported(f"policy {self.policy!r} needs probabilities, and solver {self.solver!r} gives none")

    @property
    def label(self) -> str:
        """Both, as text."""
        return f"{self.solver} {self.policy}"

    @property
    def compiled(self) -> tuple[int, int, int] | None:
        """How the compiled loop plays it (see :func:`solvers.playing.play`); None if it does not."""
        from solvers.playing import how

        return how(make_policy(self.policy)) if self.solver in _COMPILED_SOLVERS else None


class Block(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What came out of a block of games.

    setting, player: labels. outcomes: a sign a game, W won, L lost. guesses: of each game, the first click not among
    them. nanoseconds: of all its games, boards not included.
    """

    setting: str
    player: str
    block: int
    outcomes: str
    guesses: tuple[int, ...]
    nanoseconds: int

    @property
    def key(self) -> tuple[str, str]:
        """That of its match: (setting, player)."""
        return self.setting, self.player


def play_block(player: Player, setting: Setting, seed: int, block: int, games: int = BLOCK) -> Block:
    """Play the first games of a block."""
    mined = setting.boards(seed, block)[:games]
    outcomes, guesses = np.empty(games, np.int8), np.empty(games, np.int32)
    compiled = player.compiled
    if compiled is not None:
        streams = np.random.default_rng([seed, block, 1]).integers(0, 2**64, games, dtype=np.uint64)
        spent = _play_compiled(compiled, setting, mined, streams, outcomes, guesses)
    else:
        solver, policy = make_solver(player.solver), make_policy(player.policy)
        _warm_up(player)
        begin = perf_counter_ns()
        for i in range(games):
            rng = np.random.default_rng([seed, block, 1, i])
            layout = Layout(mined[i].reshape(setting.rows, setting.columns), setting.adjacency)
            outcomes[i], guesses[i] = play_game(layout, setting.first, solver, policy, rng)
        spent = perf_counter_ns() - begin
    signs = "".join("W" if outcome == 1 else "L" for outcome in outcomes.tolist())
    return Block(setting.label, player.label, block, signs, tuple(guesses.tolist()), spent)


def _play_compiled(
    how: tuple[int, int, int],
    setting: Setting,
    mined: NDArray[np.bool_],
    streams: NDArray[np.uint64],
    outcomes: NDArray[np.int8],
    guesses: NDArray[np.int32],
) -> int:
    """The games of these boards in the compiled loop: the nanoseconds they took."""
    from solvers.playing import GAVE_UP, play

    topology = setting.adjacency
    game = topology.indptr, topology.neighbours, setting.first, how
    play(mined[:0], *game, streams, _MAX_BYTES, outcomes, guesses)  # compiled, where it is not yet
    begin = perf_counter_ns()
    for at in range(0, len(mined), _AT_ONCE):
        some = slice(at, at + _AT_ONCE)
        play(mined[some], *game, streams[some], _MAX_BYTES, outcomes[some], guesses[some])
    spent = perf_counter_ns() - begin
    if (outcomes == GAVE_UP).any():
        raise Unsupported(f"counting went over {_MAX_BYTES:,} bytes on a board {setting.board}")
    return spent


@cache
def _warm_up(player: Player) -> None:
    """Let everything that a player loads or compiles be ready, once in a process."""
    tiny, solver, policy = Setting(5, 5, 5), make_solver(player.solver), make_policy(player.policy)
    for mined in tiny.boards(0, 0)[:4]:
        play_game(Layout(mined.reshape(5, 5)), 0, solver, policy, np.random.default_rng(0))


def play_game(layout: Layout, first: int, solver: Any, policy: Policy, rng: np.random.Generator) -> tuple[bool, int]:
    """(whether it was won, guesses) of a game through the interface."""
    game = Game(layout)
    if game.outcome is Outcome.PLAYING:
        game.open(first)
    guesses = 0
    while game.outcome is Outcome.PLAYING:
        position = game.position()
        problem = position.problem()
        answer: Deduction | Marginals = solver.marginals(problem) if policy.needs_marginals else solver.deduce(problem)
        deduction = answer.deduction() if isinstance(answer, Marginals) else answer
        cells = np.flatnonzero(deduction.safe).tolist()
        if not cells:
            cells = [policy.choose(position, answer, rng)]
            guesses += 1
        for cell in cells:
            if game.outcome is Outcome.PLAYING:
                game.open(cell)
    return game.outcome is Outcome.WON, guesses
