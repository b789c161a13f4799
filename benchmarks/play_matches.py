"""Matches: which players play how many games on which boards, on one process or several, kept block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass

from pebble import ProcessPool

from benchmarks.play import BLOCK, Block, Player, Setting, play_block
from benchmarks.processes import Context
from board.problem import whole
from solvers import make_solver


@dataclass(frozen=True, slots=True)
class Match:
    """The games 0..games - 1 of a seed that a player plays on a board. ValueError for fewer than one game."""

    player: Player
    setting: Setting
    games: int

    def __post_init__(self) -> None:
        if whole(self.games, "games: an integer is needed") < 1:
            raise ValueError(f"games is at least 1, not {self.games}")

    @property
    def key(self) -> tuple[str, str]:
        """What tells it from others, and whose a block is: (setting, player)."""
        return self.setting.label, self.player.label

    @property
    def blocks(self) -> int:
        """In how many blocks its games are played."""
        return -(-self.games // BLOCK)


def plan_blocks(matches: Sequence[Match], done: Sequence[Block]) -> list[tuple[Match, int]]:
    """(match, block) of all that is still to play.

    All matches begin together and end together, so the share of the blocks that is done tells how long the rest takes.
    """
    known = {(*block.key, block.block) for block in done}
    work = [(match, block) for match in matches for block in range(match.blocks)]
    work.sort(key=lambda task: (task[1] + 1) / task[0].blocks)
    return [(match, block) for match, block in work if (*match.key, block) not in known]


def _rehearsals(work: Sequence[tuple[Match, int]], seed: int) -> list[tuple[Player, Setting, int, int, int]]:
    """Blocks without a game, to compile what is not yet: one a player, one for all that the compiled loop plays."""
    matches = dict.fromkeys(match for match, _ in work)
    needed = {None if match.player.compiled else match.player: match for match in matches}
    return [(match.player, match.setting, seed, 0, 0) for match in needed.values()]


def played(work: Sequence[tuple[Match, int]], seed: int, jobs: int, ready: Callable[[], None]) -> Iterator[Block]:
    """The blocks as they are done; with several jobs on as many processes, which end at once if nobody waits.

    ready: called when everything is compiled, before the first game.
    """
    tasks = ((m.player, m.setting, seed, block, min(BLOCK, m.games - block * BLOCK)) for m, block in work)
    if jobs == 1:
        for task in _rehearsals(work, seed):
            play_block(*task)
        ready()
        for task in tasks:
            yield play_block(*task)
        return
    solvers = map(make_solver, dict.fromkeys(match.player.solver for match, _ in work))
    pool = ProcessPool(min(jobs, max(len(work), 1)), context=Context(solvers))
    try:
        for rehearsed in [pool.schedule(play_block, args=task) for task in _rehearsals(work, seed)]:
            rehearsed.result()
        ready()
        for future in as_completed([pool.schedule(play_block, args=task) for task in tasks]):
            yield future.result()
    finally:
        pool.stop()  # type: ignore[no-untyped-call]
        pool.join()


def check(matches: Sequence[Match], jobs: int = 1) -> None:
    """Raise ValueError, quoting it, for fewer than one job and for two equal matches."""
    if whole(jobs, "jobs: an integer is needed") < 1:
        raise ValueError(f"jobs is at least 1, not {jobs}")
    seen = set[tuple[str, str]]()
    for match in matches:
        if match.key in seen:
            raise ValueError(f"a player twice on one board: {match.player.label!r} on {match.setting.label!r}")
        seen.add(match.key)


def play(
    matches: Sequence[Match],
    *,
    seed: int = 0,
    jobs: int = 1,
    keep: Callable[[Block], None] | None = None,
    done: Sequence[Block] = (),
    progress: Callable[[int, int], None] | None = None,
) -> list[Block]:
    """Play all games of the matches: all blocks, by match and number.

    keep: told of every block as soon as it is done; done: blocks that need not be played again. progress: called with
    (blocks done, blocks in all), first when everything is compiled.
    Raises ValueError as :func:`check`.
    """
    check(matches, jobs)
    work = plan_blocks(matches, done)
    blocks = list(done)
    report = progress or (lambda done, total: None)
    for block in played(work, seed, jobs, lambda: report(0, len(work))):
        if keep is not None:
            keep(block)
        blocks.append(block)
        report(len(blocks) - len(done), len(work))
    order = {match.key: number for number, match in enumerate(matches)}
    return sorted(blocks, key=lambda block: (order[block.key], block.block))
