"""`sapper play`: whole games, win rates, players compared on the same boards, experiments; `sapper optimum`."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchmarks.bench_cli import free_folder
from benchmarks.console import EXIT_INTERRUPTED, EXIT_WRONG, NewFolder, bad_input, console, kernels_of, path, progress

if TYPE_CHECKING:
    import pandas as pd

    from benchmarks.play import Block
    from benchmarks.play_experiment import GamePlan, OptimumPlan

_GAMES = 10_000  # a player's, unless told otherwise


def play(
    experiment: Annotated[
        str | None, typer.Argument(metavar="NAME|FILE", help="A bundled experiment or a .toml file.")
    ] = None,
    board: Annotated[
        str | None,
        typer.Option(
            "--board",
            "--level",
            metavar="LEVEL|ROWSxCOLUMNS/MINES",
            help="What is played on, expert otherwise; after torus: or hexagonal: on such a board.",
        ),
    ] = None,
    solver: Annotated[
        list[str] | None, typer.Option(metavar="SPEC", help="The strategy, cascade otherwise; may be repeated.")
    ] = None,
    policy: Annotated[
        list[str] | None, typer.Option(metavar="SPEC", help="How it guesses, safest otherwise; may be repeated.")
    ] = None,
    first: Annotated[
        str | None, typer.Option(metavar="PLACE", help="First click: corner (otherwise), centre or ROW,COLUMN.")
    ] = None,
    rule: Annotated[
        str | None,
        typer.Option(metavar="RULE", help="any; sfar (otherwise): the first cell is safe; snr: its neighbours, too."),
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(metavar="N", help=f"How many each player plays, {_GAMES:,} otherwise; at most, in an experiment."),
    ] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Of the boards and of the guesses.", min=0)] = None,
    jobs: Annotated[int, typer.Option(metavar="N", help="Processes.", min=1)] = 1,
    out: NewFolder = None,
    resume: Annotated[
        Path | None, typer.Option(metavar="DIR", parser=path, help="Go on with games that were broken off.")
    ] = None,
) -> int:
    """Play whole games: how often is each won, how often without a guess?

    Game i of a seed has the same board for every player. An experiment has players, boards and published shares.
    """
    chosen = {"--board": board, "--solver": solver, "--policy": policy, "--first": first, "--rule": rule}
    numbers = {"--games": games, "--seed": seed}
    with bad_input():
        if resume is not None:
            _refuse("--resume goes on as it was planned", {"NAME": experiment, **chosen, **numbers, "--out": out})
            return _go_on(resume, jobs)
        if experiment is None:
            plan: GamePlan | OptimumPlan = _single(board, solver, policy, first, rule, games)
        else:
            from benchmarks.play_experiment import load_play_experiment

            _refuse("an experiment says itself what is played", chosen)
            if not experiment:
                raise ValueError(f"{experiment!r} is not the name of an experiment or a file")
            plan = load_play_experiment(experiment)
        folder = free_folder(out)
        from benchmarks.play_experiment import OptimumPlan

        if isinstance(plan, OptimumPlan):
            _refuse("this experiment searches, it plays no games", numbers)
            return _search(plan, folder)
        if games is not None:
            plan = plan.shortened(games)
        return _begin(plan if seed is None else replace(plan, seed=seed), folder, jobs)


def optimum(
    board: Annotated[str, typer.Argument(metavar="ROWSxCOLUMNS/MINES", help="A tiny board.")],
    rule: Annotated[str, typer.Option(metavar="RULE", help="any, sfar or snr.")] = "any",
) -> int:
    """How often does the best player win on a tiny board? Exact, by search over everything that can be seen."""
    with bad_input():
        from benchmarks.play import RULES, setting
        from solvers.endgame import optimum as search

        where = setting(board, rule=rule)
        won, games, first = search(where.adjacency, where.mines, RULES[rule])
    row, column = divmod(first, where.columns)
    print(f"{won:,} of {games:,} games ({100 * won / games:.2f} %), first cell row {row}, column {column}")
    return 0


def _refuse(why: str, options: Mapping[str, object]) -> None:
    """ValueError for the first of these options that was given: no option at all is a list for some Typers."""
    for name, value in options.items():
        if value is not None and value != []:
            raise ValueError(f"{why}: {name} {value} does not go with it")


def _single(
    board: str | None,
    solver: list[str] | None,
    policy: list[str] | None,
    first: str | None,
    rule: str | None,
    games: int | None,
) -> GamePlan:
    """Games that the options describe."""
    from benchmarks.play import Player, setting
    from benchmarks.play_experiment import GamePlan
    from benchmarks.play_matches import Match

    where = setting(
        "expert" if board is None else board,
        rule="sfar" if rule is None else rule,
        first="corner" if first is None else first,
    )
    players = [Player(*pair) for pair in product(solver or ["cascade"], policy or ["safest"])]
    return GamePlan(tuple(Match(player, where, _GAMES if games is None else games) for player in players))


def _begin(plan: GamePlan, folder: Path, jobs: int) -> int:
    from benchmarks import play_folder

    header = play_folder.header_of(plan, _command())
    play_folder.start(folder, header).close()
    return _go_on(folder, jobs)


def _go_on(folder: Path, jobs: int) -> int:
    """Play what is missing, and show all; what was played is kept when it is broken off."""
    from benchmarks import play_folder
    from benchmarks.play_matches import play as run

    with play_folder.reopen(folder) as kept:
        header, plan, done = play_folder.read(folder)
        try:
            with progress(_kernels(plan)) as report:
                blocks = run(
                    plan.matches,
                    seed=plan.seed,
                    jobs=jobs,
                    keep=lambda block: play_folder.append(kept, block),
                    done=done,
                    progress=report,
                )
            return _show(plan, blocks, folder, play_folder.made_by(header))
        except KeyboardInterrupt:
            print(f"sapper: stopped; go on with: sapper play --resume {shlex.quote(str(folder))}", file=sys.stderr)
            return EXIT_INTERRUPTED


def _kernels(plan: GamePlan) -> list[str]:
    """The modules of the kernels that its players need."""
    players = dict.fromkeys(match.player for match in plan.matches)
    slow = [player.solver for player in players if player.compiled is None]
    loop = ["solvers.playing"] if len(slow) < len(players) else []
    return [*loop, *(kernels_of(slow) if slow else ())]


def _show(plan: GamePlan, blocks: list[Block], folder: Path, made_by: str) -> int:
    from benchmarks.play_tables import games_table, notes

    _write(games_table(plan, blocks), plan.title or "Games", [*notes(plan), made_by], folder)
    drawn = _figures(plan, blocks, folder) if plan.title else []
    names = ", ".join(["table.md", *(file.name for file in drawn)])
    print(f"sapper: the games, {names} are in {folder}", file=sys.stderr)
    return 0


def _figures(plan: GamePlan, blocks: list[Block], folder: Path) -> list[Path]:
    from benchmarks.figure_output import save
    from benchmarks.play_figures import play_figures
    from solvers import Unsupported

    try:
        return save(play_figures(plan, blocks), folder)
    except Unsupported as missing:  # the table is there
        print(f"sapper: no figure: {missing}", file=sys.stderr)
        return []


def _search(plan: OptimumPlan, folder: Path) -> int:
    """Search the tiny boards; exit code 1 where another number is published."""
    from benchmarks import play_folder
    from benchmarks.folder import new_folder, write_header
    from benchmarks.play import RULES
    from benchmarks.play_tables import optima_notes, optima_table
    from solvers.endgame import optimum as search

    header, found = play_folder.header_of(plan, _command()), []
    with new_folder(folder) as made:
        write_header(made, header)
        with progress(kernels=()) as report:
            for number, item in enumerate(plan.optima):
                report(number, len(plan.optima))
                where = item.setting
                found.append(search(where.adjacency, where.mines, RULES[item.rule]))
        table = optima_table(plan, found)
        _write(table, plan.title, [*optima_notes(plan), play_folder.made_by(header)], made)
    print(f"sapper: table.md is in {folder}", file=sys.stderr)
    return EXIT_WRONG if (table["What"] != "equal").any() else 0


def _write(table: pd.DataFrame, title: str, lines: list[str], folder: Path) -> None:
    """A table and what is to be known about it, into the folder and to the terminal."""
    from benchmarks.tables import fitted, markdown, rich_table

    text = "\n\n".join([markdown(table), *lines])
    (folder / "table.md").write_text(f"{text}\n", encoding="utf-8")
    terminal = console()
    for part in fitted(table, terminal.width):
        terminal.print(rich_table(part, title))
    for line in lines:
        terminal.print(line, style="dim", highlight=False, markup=False)


def _command() -> str:
    return shlex.join(["sapper", *sys.argv[1:]])
