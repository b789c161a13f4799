"""`sapper play`: whole games, win rates, players compared on the same boards."""

from __future__ import annotations

import shlex
import sys
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchmarks.bench_cli import free_folder
from benchmarks.console import EXIT_INTERRUPTED, bad_input, console, path, progress

if TYPE_CHECKING:
    from benchmarks.play import Block, Player


def play(
    board: Annotated[
        str, typer.Option("--board", "--level", metavar="LEVEL|ROWSxCOLUMNS/MINES", help="What is played on.")
    ] = "expert",
    solver: Annotated[
        list[str] | None, typer.Option(metavar="SPEC", help="The strategy, cascade otherwise; several are compared.")
    ] = None,
    policy: Annotated[
        list[str] | None, typer.Option(metavar="SPEC", help="How it guesses, safest otherwise; several are compared.")
    ] = None,
    first: Annotated[str, typer.Option(metavar="PLACE", help="First click: corner, centre or ROW,COLUMN.")] = "corner",
    rule: Annotated[
        str, typer.Option(metavar="RULE", help="any; sfar: the first cell is safe; snr: and all its neighbours.")
    ] = "sfar",
    games: Annotated[int, typer.Option(metavar="N", help="How many each player plays.")] = 10_000,
    seed: Annotated[int, typer.Option(metavar="N", help="Of the boards and of the guesses.", min=0)] = 0,
    jobs: Annotated[int, typer.Option(metavar="N", help="Processes.", min=1)] = 1,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", parser=path, help="A new folder; runs/TIME otherwise.")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(metavar="DIR", parser=path, help="Go on with games that were broken off.")
    ] = None,
) -> int:
    """Play whole games: how often is each won, how often without a guess?

    Game i of a seed has the same board for every player.
    """
    with bad_input():
        from benchmarks import play_folder
        from benchmarks.play import Player, check, setting
        from benchmarks.play import play as run

        if resume is not None:
            folder = resume
            header, players, where, done = play_folder.read(folder)
            kept = play_folder.reopen(folder)
        else:
            players = [Player(*pair) for pair in product(solver or ["cascade"], policy or ["safest"])]
            where = setting(board, rule=rule, first=first)
            done = []
            check(players, games, jobs)
            folder = free_folder(out)
            header = play_folder.header_of(players, where, games, seed, shlex.join(["sapper", *sys.argv[1:]]))
            kept = play_folder.start(folder, header)
    with kept:
        try:
            with progress() as report, bad_input():
                blocks = run(
                    players,
                    where,
                    header["games"],
                    seed=header["seed"],
                    jobs=jobs,
                    keep=lambda block: play_folder.append(kept, block),
                    done=done,
                    progress=report,
                )
        except KeyboardInterrupt:
            print(f"sapper: stopped; go on with: sapper play --resume {shlex.quote(str(folder))}", file=sys.stderr)
            return EXIT_INTERRUPTED
    _show(players, blocks, folder)
    return 0


def optimum(
    board: Annotated[str, typer.Argument(metavar="ROWSxCOLUMNS/MINES", help="A tiny board.")],
    rule: Annotated[str, typer.Option(metavar="RULE", help="any, sfar or snr.")] = "any",
) -> int:
    """How often does the best player win on a tiny board? Exact, by search over everything that can be seen."""
    with bad_input():
        from benchmarks.play import RULES, setting
        from board.topology import grid
        from solvers.endgame import optimum as search

        where = setting(board, rule=rule)
        won, games, first = search(grid(where.rows, where.columns), where.mines, RULES[rule])
    row, column = divmod(first, where.columns)
    print(f"{won:,} of {games:,} games ({100 * won / games:.2f} %), first cell row {row}, column {column}")
    return 0


def _show(players: list[Player], blocks: list[Block], folder: Path) -> None:
    from benchmarks.play_tables import NOTE, games_table
    from benchmarks.tables import fitted, markdown, rich_table

    table = games_table(players, blocks)
    (folder / "table.md").write_text(f"{markdown(table)}\n\n{NOTE}\n", encoding="utf-8")
    terminal = console()
    for part in fitted(table, terminal.width):
        terminal.print(rich_table(part, "Games"))
    terminal.print(NOTE, style="dim", highlight=False, markup=False)
    print(f"sapper: the games and table.md are in {folder}", file=sys.stderr)
