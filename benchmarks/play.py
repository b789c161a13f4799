"""Whole games: boards of a seed, players, what came out, kept block by block.

A player is a solver and a policy: everything the solver proves safe is opened, and where it proves nothing, the policy
guesses. Game i of a seed has the same board for every player, so players are compared game by game. Where solver
and policy have kernels, a game runs in one compiled loop (:mod:`solvers.playing`), elsewhere through the interface,
on `board.Game`, so that any solver plays.

The boards: a key a cell is drawn, and the cells with the smallest keys that the first-click rule allows are mined,
which is uniform among those layouts. Keys come in blocks of BLOCK games; guesses have a stream of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from time import perf_counter_ns
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from benchmarks.corpus import LEVELS
from benchmarks.processes import Context
from board import Game, Layout, Outcome
from board.layout import Rule, cell_of
from board.problem import whole
from board.topology import grid
from solvers import Deduction, Marginals, MarginalSolver, Unsupported, make_solver, spec_of
from solvers.policy import Policy, make_policy, policy_spec

BLOCK = 256  #: games that are drawn, played and kept together
RULES: dict[str, Rule] = {"any": "any", "sfar": "safe", "snr": "opening"}  #: first-click rules by their usual names
MOST_CELLS = 10_000
_COMPILED_SOLVERS = ("cascade", "counting")  # complete, and what the compiled loop asks
_MAX_BYTES = 2 << 30  # of counting in the compiled loop


@dataclass(frozen=True, slots=True)
class Setting:
    """A board, and how games begin on it.

    rule: of RULES. first: the cell of the first click.

    Raises ValueError for what no layout can have.

    >>> setting("expert", first="corner")
    Setting(rows=16, columns=30, mines=99, rule='sfar', first=0)
    """

    rows: int
    columns: int
    mines: int
    rule: str = "sfar"
    first: int = 0

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise ValueError(f"unknown first-click rule {self.rule!r}; known are {', '.join(RULES)}")
        if self.rows * self.columns > MOST_CELLS:
            raise ValueError(f"a board of {self.rows} x {self.columns} has over {MOST_CELLS:,} cells")
        Layout.random(self.rows, self.columns, self.mines, 0, first=self.first, rule=RULES[self.rule])

    def boards(self, seed: int, block: int) -> NDArray[np.bool_]:
        """The mines of the games of a block, bool[BLOCK, cells]."""
        topology = grid(self.rows, self.columns)
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

    Raises ValueError, quoting what is wrong.

    >>> setting("8x8/10", first="centre").first
    36
    """
    if board in LEVELS:
        rows, columns, mines = LEVELS[board]
    else:
        size, slash, count = board.partition("/")
        height, cross, width = size.partition("x")
        if not (slash and cross and all(part.isascii() and part.isdigit() for part in (height, width, count))):
            raise ValueError(f"a board is {', '.join(LEVELS)} or ROWSxCOLUMNS/MINES, not {board!r}")
        rows, columns, mines = int(height), int(width), int(count)
    if not rows or not columns:
        raise ValueError(f"a board has at least one cell, not {board!r}")
    places = {"corner": 0, "centre": rows // 2 * columns + columns // 2}
    if first in places:
        return Setting(rows, columns, mines, rule, places[first])
    row, comma, column = first.partition(",")
    if not (comma and row.strip().isdecimal() and column.strip().isdecimal()):
        raise ValueError(f"the first cell is corner, centre or ROW,COLUMN from 0, not {first!r}")
    return Setting(rows, columns, mines, rule, cell_of((rows, columns), int(row), int(column)))


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

    outcomes: a sign a game, W won, L lost. guesses: of each game, the first click not among them.
    nanoseconds: of all its games, boards not included.
    """

    player: str
    block: int
    outcomes: str
    guesses: tuple[int, ...]
    nanoseconds: int


def play_block(player: Player, setting: Setting, seed: int, block: int, games: int = BLOCK) -> Block:
    """Play the first games of a block."""
    mined = setting.boards(seed, block)[:games]
    outcomes, guesses = np.empty(games, np.int8), np.empty(games, np.int32)
    compiled = player.compiled
    if compiled is not None:
        from solvers.playing import GAVE_UP, play

        topology = grid(setting.rows, setting.columns)
        streams = np.random.default_rng([seed, block, 1]).integers(0, 2**64, games, dtype=np.uint64)
        how = topology.indptr, topology.neighbours, setting.first, compiled
        play(mined[:0], *how, streams, _MAX_BYTES, outcomes, guesses)  # compiled, where it is not yet
        begin = perf_counter_ns()
        play(mined, *how, streams, _MAX_BYTES, outcomes, guesses)
        spent = perf_counter_ns() - begin
        if (outcomes == GAVE_UP).any():
            raise Unsupported(f"counting went over {_MAX_BYTES:,} bytes on a {setting.rows} x {setting.columns} board")
    else:
        solver, policy = make_solver(player.solver), make_policy(player.policy)
        begin = perf_counter_ns()
        for i in range(games):
            rng = np.random.default_rng([seed, block, 1, i])
            layout = Layout(mined[i].reshape(setting.rows, setting.columns))
            outcomes[i], guesses[i] = play_game(layout, setting.first, solver, policy, rng)
        spent = perf_counter_ns() - begin
    signs = "".join("W" if outcome == 1 else "L" for outcome in outcomes.tolist())
    return Block(player.label, block, signs, tuple(guesses.tolist()), spent)


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


def plan_blocks(players: Sequence[Player], games: int, done: Sequence[Block]) -> list[tuple[Player, int, int]]:
    """(player, block, games of it) that are still to play."""
    known = {(block.player, block.block) for block in done}
    return [
        (player, block, min(BLOCK, games - block * BLOCK))
        for block in range(-(-games // BLOCK))
        for player in players
        if (player.label, block) not in known
    ]


def played(work: Sequence[tuple[Player, int, int]], setting: Setting, seed: int, jobs: int) -> Iterator[Block]:
    """The blocks as they are done; with several jobs on as many processes."""
    if jobs == 1:
        for player, block, games in work:
            yield play_block(player, setting, seed, block, games)
        return
    solvers = map(make_solver, dict.fromkeys(player.solver for player, *_ in work))
    with ProcessPoolExecutor(jobs, mp_context=Context(solvers)) as pool:
        tasks = [pool.submit(play_block, player, setting, seed, block, games) for player, block, games in work]
        try:
            for task in as_completed(tasks):
                yield task.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def check(players: Sequence[Player], games: int, jobs: int) -> None:
    """Raise ValueError, quoting it, for numbers below 1 and for two equal players."""
    for name, value in (("games", games), ("jobs", jobs)):
        if whole(value, f"{name}: an integer is needed") < 1:
            raise ValueError(f"{name} is at least 1, not {value}")
    labels = [player.label for player in players]
    if len(set(labels)) < len(labels):
        raise ValueError(f"a player twice: {', '.join(labels)}")


def play(
    players: Sequence[Player],
    setting: Setting,
    games: int,
    *,
    seed: int = 0,
    jobs: int = 1,
    keep: Callable[[Block], None] | None = None,
    done: Sequence[Block] = (),
    progress: Callable[[int, int], None] | None = None,
) -> list[Block]:
    """Play the games 0..games - 1 of a seed with each player: all blocks, by player and number.

    keep: told of every block as soon as it is done; done: blocks that need not be played again.
    Raises ValueError as :func:`check`.
    """
    check(players, games, jobs)
    labels = [player.label for player in players]
    work = plan_blocks(players, games, done)
    blocks = list(done)
    report = progress or (lambda done, total: None)
    report(0, len(work))
    for block in played(work, setting, seed, jobs):
        if keep is not None:
            keep(block)
        blocks.append(block)
        report(len(blocks) - len(done), len(work))
    return sorted(blocks, key=lambda block: (labels.index(block.player), block.block))
