"""The command `sapper`.

Exit codes: 0 answered, 1 wrong claims or a full disk, 2 bad input, 3 inconsistent position, 130 Ctrl-C. Bad input is
one line on standard error. What takes time to import is imported inside the commands.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from benchmarks import runs_cli
from benchmarks.bench_cli import bench, list_experiments
from benchmarks.console import (
    EXIT_INCONSISTENT,
    Commands,
    Mines,
    NewDrawing,
    PositionFile,
    Source,
    TopologyName,
    bad_input,
    check_new,
    coloured,
    console,
    progress,
    write_drawing,
)
from benchmarks.convert_cli import convert, list_formats
from benchmarks.corpus_cli import app as corpus_app
from benchmarks.cs50_cli import cs50
from benchmarks.export_cli import export
from benchmarks.play_cli import optimum, play
from benchmarks.view_cli import view

app = typer.Typer(cls=Commands, add_completion=False, pretty_exceptions_enable=False)
app.add_typer(corpus_app, name="corpus", help="Sets of positions with exact answers: list, show, build.")


def main() -> None:
    """The entry point."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started the command
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w"))  # noqa: SIM115
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]
    signal.signal(signal.SIGTERM, _time_is_up)
    app()


def _time_is_up(number: int, frame: FrameType | None) -> None:
    """What Ctrl-C does, for a batch system; also where Ctrl-C itself is ignored, as in a background job."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        raise KeyboardInterrupt
    signal.raise_signal(signal.SIGINT)


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
) -> int:
    """Which cells are safe, which are mines? Minesweeper inference strategies, compared."""
    if version:
        from benchmarks.machine import version as version_of

        print(f"sapper {version_of('sapper')}")
    elif context.invoked_subcommand is None:
        print(context.get_help())
    return 0


app.command()(bench)
app.command("experiments")(list_experiments)
app.command("table")(runs_cli.write_table)
for _command in (runs_cli.statistics, runs_cli.report, runs_cli.plot, runs_cli.diff, runs_cli.merge, runs_cli.records):
    app.command()(_command)
app.command()(runs_cli.reproduce)
app.command()(export)
app.command()(convert)
app.command("formats")(list_formats)
app.command()(cs50)
app.command()(play)
app.command()(optimum)
app.command()(view)


@app.command()
def solve(
    file: PositionFile,
    mines: Mines = None,
    solver: Annotated[
        str | None,
        typer.Option(
            metavar="SPEC", help="The strategy, counting:exact=true otherwise; not with --explain or --steps."
        ),
    ] = None,
    source: Source = None,
    topology: TopologyName = None,
    json: Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")] = False,
    explain: Annotated[
        str | None,
        typer.Option(metavar="ROW,COLUMN", help="Say instead which fewest clues settle this cell; both count from 0."),
    ] = None,
    steps: Annotated[bool, typer.Option("--steps", help="Say instead in which steps everything follows.")] = False,
    svg: NewDrawing = None,
) -> int:
    """Draw a position with what follows from it: safe cells, mines, probabilities.

    Exit code 3 if there is no arrangement of mines that fits.
    """
    if explain is not None or steps:
        return _explain(file, mines, solver, explain, steps, json, source, topology, svg)
    with bad_input():
        from benchmarks import solving
        from board.render import legend
        from solvers import Status, make_solver

        check_new(svg)
        position = solving.read_position(file, mines, source, topology=topology)
        solution = solving.solve(position, make_solver("counting:exact=true" if solver is None else solver))
        if svg is not None:
            write_drawing(solving.svg(solution), svg)
    if json:
        print(solving.as_json(solution))
    else:
        terminal = console()
        drawn = solving.drawing(solution, terminal.width if terminal.is_terminal else None)
        if drawn is None:
            rows, columns = position.shape
            terminal.print(f"a board of {rows} x {columns} cells, too large to be drawn here", soft_wrap=True)
        else:
            terminal.print(coloured(drawn), soft_wrap=True)
            terminal.print(legend(drawn), style="dim", highlight=False, soft_wrap=True)
        for line in solving.summary(solution):
            terminal.print(line, highlight=False, markup=False, soft_wrap=True)
    return EXIT_INCONSISTENT if solution.status is Status.INCONSISTENT else 0


def _explain(
    file: str,
    mines: str | None,
    solver: str | None,
    cell: str | None,
    steps: bool,
    json: bool,
    source: str | None,
    topology: str | None,
    svg: Path | None,
) -> int:
    """`sapper solve` with --explain or --steps."""
    with bad_input():
        from benchmarks import explaining, solving
        from board.render import legend
        from solvers import Status

        if cell is not None and steps:
            raise ValueError("--explain and --steps: one of them at a time")
        if solver is not None:
            raise ValueError(f"--solver: explanations are the same for every strategy, {solver!r} has no part in them")
        check_new(svg)
        position = solving.read_position(file, mines, source, topology=topology)
        number = None if cell is None else explaining.read_cell(cell, position)
    if number is not None:
        answer = explaining.explain_cell(position, number)
    else:
        with progress() as report:
            answer = explaining.explain_position(position, report)
    if svg is not None:
        with bad_input():
            write_drawing(explaining.svg(answer), svg)
    if json:
        print(answer.as_json())
    else:
        terminal = console()
        if answer.drawn is not None:
            drawn = coloured(answer.drawn)
            drawn.highlight_regex(r"\[[^\]]+\]", "bold cyan")
            terminal.print(drawn, soft_wrap=True)
            terminal.print(legend(answer.drawn), style="dim", highlight=False, markup=False, soft_wrap=True)
        for line in answer.lines:
            terminal.print(line, highlight=False, markup=False, soft_wrap=True)
    return EXIT_INCONSISTENT if answer.status is Status.INCONSISTENT else 0


@app.command("solvers")
def list_solvers() -> int:
    """List the strategies: what each claims with its default parameters, and what these are."""
    from benchmarks.tables import rich_table, strategies_table

    console().print(rich_table(strategies_table(), "Strategies"))
    return 0
