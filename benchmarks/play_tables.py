"""Games as tables: how often each player won, how often without a guess, against others and what is published."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.bootstrap import UNKNOWN, Interval, wilson
from benchmarks.experiment import experiment_names
from benchmarks.paired import mcnemar
from benchmarks.play import Block, Setting
from benchmarks.play_experiment import GamePlan, OptimumPlan, Published, load_play_experiment
from benchmarks.play_matches import Match
from benchmarks.stats import p_text
from benchmarks.tables import MISSING, as_text, number, with_interval
from solvers import Unsupported

NOTE = (
    "In brackets 95 % intervals (Wilson). No guess: won without one, the first click not counted. Games/s: on one "
    "core, boards not included."
)
PAIRED = "p: McNemar's test against the first player, on the same boards."
FIRST = "First: row and column of the first click, from 0."
COMPARED = (
    "z: the difference to the published share, in standard errors of both together. ≈: first cell or policy differ or "
    "are not known, so z only says by how much."
)

_PUBLISHED = {"won": ("Published %", "z"), "no_guess": ("No guess publ. %", "No guess z")}  # share -> columns


def results(matches: Sequence[Match], blocks: Sequence[Block]) -> pd.DataFrame:
    """A row a match, in their order: games, won, no_guess (won without a guess), guesses, seconds."""
    of: dict[tuple[str, str], list[Block]] = {match.key: [] for match in matches}
    for block in blocks:
        of[block.key].append(block)
    return pd.DataFrame(
        {
            "games": sum(len(block.guesses) for block in mine),
            "won": sum(block.outcomes.count("W") for block in mine),
            "no_guess": sum(int((_wins(block) & (np.array(block.guesses) == 0)).sum()) for block in mine),
            "guesses": sum(sum(block.guesses) for block in mine),
            "seconds": sum(block.nanoseconds for block in mine) / 1e9,
        }
        for mine in of.values()
    )


def games_table(plan: GamePlan, blocks: Sequence[Block]) -> pd.DataFrame:
    """A row a match, as text. In an experiment with what is published, else with a comparison of the players."""
    rows = []
    found = results(plan.matches, blocks).to_dict("records")
    for number_of, (match, row) in enumerate(zip(plan.matches, found, strict=True)):
        line = (_place(match.setting) if plan.title else {}) | _line(match, row)
        if plan.title:
            rows.append(line | _published(plan, match, row))
            if all(match.setting != other.setting for other in plan.matches[number_of + 1 :]):
                rows += [_row(match.setting, item) for item in plan.published if item.by and item.is_on(match.setting)]
        else:
            rows.append(line | _paired(match, plan.matches, blocks))
    table = as_text(rows)
    compared = [heading for headings in _PUBLISHED.values() for heading in headings]
    return table.drop(columns=[name for name in compared if name in table and (table[name] == MISSING).all()])


def notes(plan: GamePlan) -> list[str]:
    """What a reader of the table must know."""
    if not plan.title:
        return [f"{NOTE} {PAIRED}" if len(plan.matches) > 1 else NOTE]
    sources = dict.fromkeys(item.source for item in plan.published)
    said = [COMPARED, f"Published: {'; '.join(sources)}."] if sources else []
    return [f"{NOTE} {FIRST}", *plan.notes, *said]


def optima_table(plan: OptimumPlan, found: Sequence[tuple[int, int, int]]) -> pd.DataFrame:
    """A row a board: what the search has found, (won, of how many games, first cell) each, and what is published."""
    rows = []
    for item, (won, games, first) in zip(plan.optima, found, strict=True):
        row, column = divmod(first, item.setting.columns)
        rows.append(
            {
                "Board": item.board,
                "Rule": item.rule,
                "Won": f"{won:,}/{games:,}",
                "Won %": f"{100 * won / games:.2f}",
                "Best first": f"{row},{column}",
                "Published": f"{item.won:,}/{item.games:,}",
                "What": "equal" if (won, games) == (item.won, item.games) else "UNEQUAL",
            }
        )
    return as_text(rows)


def optima_notes(plan: OptimumPlan) -> list[str]:
    """What a reader of this table must know."""
    sources = dict.fromkeys(item.source for item in plan.optima)
    said = "Won: layouts in which the best player wins, of all. Best first: one of the best first cells, from 0."
    return [said, *plan.notes, f"Published: {'; '.join(sources)}."]


def experiments_table() -> pd.DataFrame:
    """The bundled experiments of `sapper play`."""
    rows = []
    for name in experiment_names("play"):
        plan = load_play_experiment(name)
        row = {"Experiment": name, "What": plan.title}
        if isinstance(plan, OptimumPlan):
            rows.append(row | {"Players": MISSING, "Boards": f"{len(plan.optima)}", "Games": MISSING})
        else:
            players, places = ({match.key[side] for match in plan.matches} for side in (1, 0))
            games = f"{sum(match.games for match in plan.matches):,}"
            rows.append(row | {"Players": f"{len(players)}", "Boards": f"{len(places)}", "Games": games})
    return as_text(rows)


def standard_errors(found: int, games: int, item: Published, percent: float) -> float:
    """By how many standard errors of both shares a found one differs from a published one, in per cent; nan: unknown.

    Both errors are those of the published share, which the found one is tested against.

    >>> round(standard_errors(60, 100, Published(source="", board="3x3/1", rule="any"), 50), 9)
    2.0
    """
    share = percent / 100
    if not games or not 0 < share < 1:
        return float("nan")
    parts = 1 / games + (1 / item.games if item.games else 0)
    return (found / games - share) / sqrt(share * (1 - share) * parts)


def share_interval(found: int, games: int) -> Interval:
    """Wilson's interval of a share; nan without the library of statistics, which is in an extra."""
    try:
        return wilson(found, games)
    except Unsupported:
        return UNKNOWN


def _line(match: Match, row: dict[Any, Any]) -> dict[str, str]:
    games, seconds = row["games"], row["seconds"]
    return {
        "Strategy": match.player.solver,
        "Policy": match.player.policy,
        "Games": f"{games:,}",
        "Won %": _share(row["won"], games),
        "No guess %": _share(row["no_guess"], games),
        "Guesses a game": number(row["guesses"] / games) if games else MISSING,
        "Games/s": number(games / seconds) if seconds else MISSING,
    }


def _place(where: Setting) -> dict[str, str]:
    return {"Board": where.board, "Rule": where.rule, "First": where.place}


def _published(plan: GamePlan, match: Match, row: dict[Any, Any]) -> dict[str, str]:
    line: dict[str, str] = {}
    for key, (heading, z_heading) in _PUBLISHED.items():
        told, z = MISSING, MISSING
        for item in plan.published:
            percent = getattr(item, key)
            if percent is not None and item.fits(match):
                difference = standard_errors(row[key], row["games"], item, percent)
                told, z = _told(item, percent), MISSING if np.isnan(difference) else f"{difference:+.1f}"
                break
        line |= {heading: told, z_heading: z}
    return line


def _row(where: Setting, item: Published) -> dict[str, str]:
    """A row of a player that is none of ours."""
    told = {}
    for key, (heading, _) in _PUBLISHED.items():
        if (percent := getattr(item, key)) is not None:
            told[heading] = _told(item, percent)
    games = {"Games": f"{item.games:,}"} if item.games else {}
    return {**_place(where), "Strategy": item.by or "", "Policy": MISSING, **games, **told}


def _told(item: Published, percent: float) -> str:
    return f"{'≈ ' if item.orientation else ''}{percent:g}"


def _paired(match: Match, matches: Sequence[Match], blocks: Sequence[Block]) -> dict[str, str]:
    """Against the first player; blocks that only one of the two has played are not compared."""
    if len(matches) == 1:
        return {}
    won, first = (_won(key, blocks) for key in (match.key, matches[0].key))
    both = [(wins, first[block]) for block, wins in won.items() if block in first]
    only, other = sum(int((a & ~b).sum()) for a, b in both), sum(int((b & ~a).sum()) for a, b in both)
    against = {"Won alone": f"{only:,}", "Lost alone": f"{other:,}", "p": _p(only, other)}
    return dict.fromkeys(against, MISSING) if match is matches[0] else against


def _won(key: tuple[str, str], blocks: Sequence[Block]) -> dict[int, NDArray[np.bool_]]:
    """Block -> which of its games were won in this match."""
    return {block.block: _wins(block) for block in blocks if block.key == key}


def _wins(block: Block) -> NDArray[np.bool_]:
    return np.array([sign == "W" for sign in block.outcomes])


def _share(found: int, games: int) -> str:
    if not games:
        return MISSING
    interval = share_interval(found, games)
    return with_interval(100 * found / games, 100 * interval.low, 100 * interval.high, lambda share: f"{share:.2f}")


def _p(only: int, other: int) -> str:
    try:
        return p_text(mcnemar(only, other))
    except Unsupported:
        return MISSING
