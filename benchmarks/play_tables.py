"""Games as a table: how often each player won, how often without a guess, and against the first player."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.bootstrap import UNKNOWN, wilson
from benchmarks.paired import mcnemar
from benchmarks.play import Block, Player
from benchmarks.stats import p_text
from benchmarks.tables import MISSING, as_text, number, with_interval
from solvers import Unsupported

NOTE = (
    "In brackets 95 % intervals (Wilson). No guess: won without one, the first click not counted. Games/s: on one "
    "core, boards not included. p: McNemar's test against the first player, on the same boards."
)


def games_table(players: Sequence[Player], blocks: Sequence[Block]) -> pd.DataFrame:
    """A row a player, as text. Blocks that only one of two players has played are not compared."""
    won = {player.label: _won(player, blocks) for player in players}
    first = won[players[0].label]
    table = []
    for player in players:
        played = [block for block in blocks if block.player == player.label]
        games = sum(len(block.guesses) for block in played)
        guesses = sum(sum(block.guesses) for block in played)
        mine = won[player.label]
        unguessed = sum(int(mine[block.block][np.array(block.guesses) == 0].sum()) for block in played)
        seconds = sum(block.nanoseconds for block in played) / 1e9
        line = {
            "Strategy": player.solver,
            "Policy": player.policy,
            "Games": f"{games:,}",
            "Won %": _share(sum(int(wins.sum()) for wins in mine.values()), games),
            "No guess %": _share(unguessed, games),
            "Guesses a game": number(guesses / games) if games else MISSING,
            "Games/s": number(games / seconds) if seconds else MISSING,
        }
        if len(players) > 1:
            both = [(wins, first[block]) for block, wins in mine.items() if block in first]
            only, other = sum(int((a & ~b).sum()) for a, b in both), sum(int((b & ~a).sum()) for a, b in both)
            against = {"Won alone": f"{only:,}", "Lost alone": f"{other:,}", "p": _p(only, other)}
            line |= dict.fromkeys(against, MISSING) if player is players[0] else against
        table.append(line)
    return as_text(table)


def _won(player: Player, blocks: Sequence[Block]) -> dict[int, NDArray[np.bool_]]:
    """Block -> which of its games this player won."""
    mine = [block for block in blocks if block.player == player.label]
    return {block.block: np.array([sign == "W" for sign in block.outcomes]) for block in mine}


def _share(found: int, games: int) -> str:
    if not games:
        return MISSING
    try:
        interval = wilson(found, games)
    except Unsupported:  # statsmodels is in an extra
        interval = UNKNOWN
    return with_interval(100 * found / games, 100 * interval.low, 100 * interval.high, lambda share: f"{share:.2f}")


def _p(only: int, other: int) -> str:
    try:
        return p_text(mcnemar(only, other))
    except Unsupported:
        return MISSING
