"""Figures of games: how often they are won, and without a guess, by density of mines or by player.

Pure functions of a plan and its blocks. They need matplotlib, and raise `solvers.Unsupported` without.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from benchmarks.play import Block
from benchmarks.play_experiment import GamePlan
from benchmarks.play_tables import results, share_interval
from benchmarks.styling import COLUMN_INCHES, drawn, empty_figure, legend_below, look, short_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_FEWEST_DENSITIES = 3  # of a size, to draw a line over them
_LANE = 0.34  # of a rule, as part of a player's row
_WIDTH_INCHES = 2 * COLUMN_INCHES


def play_figures(plan: GamePlan, blocks: Sequence[Block]) -> dict[str, Figure]:
    """The figures in which these games have something to show, by name; a name can be that of a file."""
    found = _found(plan, blocks)
    figures = {}
    if found.groupby(["size", "player"])["density"].nunique().max() >= _FEWEST_DENSITIES:
        for order, (player, mine) in enumerate(found.groupby("player", sort=False)):
            figures[f"by_density-{order + 1}" if order else "by_density"] = by_density(str(player), mine)
    elif found["player"].nunique() > 1:
        figures["win_rates"] = win_rates(plan, found)
    return figures


@drawn
def by_density(player: str, found: pd.DataFrame) -> Figure:
    """Games won, and won without a guess, by the density of mines: a line a size, with bands of 95 % (Wilson)."""
    figure = empty_figure(f"Games of {player} by density of mines", 2.4, _WIDTH_INCHES)
    figure.set_layout_engine("constrained")
    won, unguessed = figure.subplots(1, 2, sharey=True)
    handles, names = [], []
    for order, (size, mine) in enumerate(found.groupby("size", sort=False)):
        mine = mine.sort_values("density")
        for axes, key in ((won, "won"), (unguessed, "no_guess")):
            style = look(order)
            density, share, low, high = (
                mine[name].to_numpy(np.float64) for name in ("density", key, f"{key}_low", f"{key}_high")
            )
            axes.fill_between(density, low, high, color=style.colour, alpha=0.25, linewidth=0)
            (line,) = axes.plot(density, share, **style.line)
        handles.append(line)
        names.append(str(size))
    won.set(ylabel="share of games (%)", ylim=(-2, 102), yticks=range(0, 101, 20))
    won.set_title(f"won, {player}", fontsize=8)
    unguessed.set_title("won without a guess", fontsize=8)
    for axes in (won, unguessed):
        axes.set(xlabel="density of mines (%)")
        axes.grid(True)
    legend_below(figure, handles, names)
    return figure


@drawn
def win_rates(plan: GamePlan, found: pd.DataFrame) -> Figure:
    """Games won: a panel a board, a row a player, a marker a rule, with intervals of 95 % (Wilson).

    A black line across a row is what is published.
    """
    boards, rules, players = (list(dict.fromkeys(found[key])) for key in ("board", "rule", "player"))
    height = 0.2 * len(players) + 0.75
    figure = empty_figure("Games won by board, player and first-click rule", height, _WIDTH_INCHES)
    figure.set_layout_engine("constrained")
    panels: Sequence[Axes] = figure.subplots(1, len(boards), sharey=True, squeeze=False)[0]
    for board, axes in zip(boards, panels, strict=True):
        for order, rule in enumerate(rules):
            mine = found[(found["board"] == board) & (found["rule"] == rule)]
            lane = _LANE * (order - (len(rules) - 1) / 2)
            rows = np.array([players.index(player) + lane for player in mine["player"]])
            axes.hlines(rows, mine["won_low"], mine["won_high"], color=look(order).colour, linewidth=1)
            axes.plot(mine["won"], rows, **look(order).points)
            axes.vlines(mine["published"], rows - 0.16, rows + 0.16, color="black", linewidth=0.9)
        axes.set_title(board, fontsize=8)
        axes.set(xlabel="games won (%)")
        axes.grid(True)
    panels[0].set_yticks(range(len(players)), list(short_names(players).values()))
    panels[0].set_ylim(len(players) - 0.4, -0.6)
    _legend(figure, rules, published=bool(found["published"].notna().any()))
    return figure


def _legend(figure: Figure, rules: Sequence[str], *, published: bool) -> None:
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], **look(order).points) for order in range(len(rules))]
    names = list(rules)
    if published:
        handles.append(Line2D([], [], color="black", marker="|", markersize=8, markeredgewidth=0.9, linestyle="none"))
        names.append("published")
    legend_below(figure, handles, names)


def _found(plan: GamePlan, blocks: Sequence[Block]) -> pd.DataFrame:
    """A row a match that has games: what it is, and shares of its games with their intervals, in per cent."""
    rows = []
    several = len({match.setting.rule for match in plan.matches}) > 1
    for match, row in zip(plan.matches, results(plan.matches, blocks).to_dict("records"), strict=True):
        where, games = match.setting, row["games"]
        if not games:
            continue
        rule = f"{where.rule}, first {where.place}"
        size = where.board.partition("/")[0] + (f" {where.rule}" if several else "")
        line: dict[str, Any] = {"player": match.player.label, "board": where.board, "rule": rule}
        line |= {"size": size, "density": 100 * where.mines / (where.rows * where.columns)}
        for key in ("won", "no_guess"):
            interval = share_interval(row[key], games)
            shares = (row[key] / games, interval.low, interval.high)
            line |= dict(zip((key, f"{key}_low", f"{key}_high"), (100 * share for share in shares), strict=True))
        fitting = [item.won for item in plan.published if item.won is not None and item.fits(match)]
        rows.append(line | {"published": fitting[0] if fitting else np.nan})
    return pd.DataFrame(rows)
