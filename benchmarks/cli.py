"""The command `sapper`.

Exit codes: 0 answered, 1 wrong claims, 2 bad input, 3 inconsistent position, 130 Ctrl-C. Bad input is one
line on standard error. What takes time to import is imported inside the commands.
"""

from __future__ import annotations

import dataclasses
import shlex
import sys
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchmarks.console import (
    EXIT_INCONSISTENT,
    EXIT_INTERRUPTED,
    EXIT_WRONG,
    Commands,
    bad_input,
    coloured,
    console,
    progress,
)
from benchmarks.corpus_cli import app as corpus_app

if TYPE_CHECKING:
    from benchmarks.records import Run

STANDARD = ("single", "subset", "minmax", "sat", "cpsat", "counting", "mstoollib")
STANDARD_POSITIONS = 100  #: a corpus, where no corpus is named
NOT_STANDARD = ("cases",)  # one of these positions takes a peer all memory there is
app = typer.Typer(cls=Commands, add_completion=False, pretty_exceptions_enable=False)
app.add_typer(corpus_app, name="corpus", help="Sets of positions with exact answers: list, show, build.")


def main() -> None:
    """The entry point."""
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]
    app()


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


class Question(StrEnum):
    """What to ask."""

    LOCAL = "local"
    GLOBAL = "global"
    BOTH = "both"


class Format(StrEnum):
    """How to write a table."""

    MARKDOWN = "markdown"
    CSV = "csv"
    LATEX = "latex"


class By(StrEnum):
    """What to tell apart."""

    CORPUS = "corpus"


@app.command()
def bench(
    solver: Annotated[
        list[str] | None,
        typer.Option(metavar="SPEC", help="A strategy, such as sat:encoding=totalizer. Repeat."),
    ] = None,
    corpus: Annotated[
        list[str] | None, typer.Option(metavar="NAME|FILE", help="A bundled corpus or a file. Repeat.")
    ] = None,
    question: Annotated[
        Question, typer.Option(help="From the clues alone, with the mine count, or both.")
    ] = Question.BOTH,
    limit: Annotated[
        int | None,
        typer.Option(min=1, help=f"Positions a corpus; {STANDARD_POSITIONS} if no corpus is named, otherwise all."),
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, help="How often each question is timed.")] = 1,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="A new folder for the run; runs/TIME otherwise.")
    ] = None,
) -> int:
    """Compare strategies on the same positions: how sound, how complete, how fast.

    Without arguments the standard comparison. Exit code 1 if anyone claims something false.
    """
    with bad_input():
        from benchmarks.comparison import compare
        from benchmarks.corpus import corpus_names, load_corpus

        solvers, left_out = _solvers(solver)
        standard = [name for name in corpus_names() if name not in NOT_STANDARD]
        corpora = [load_corpus(name) for name in corpus or standard]
        folder = _free_folder(out)
        if limit is None and not corpus:
            limit = STANDARD_POSITIONS
        try:
            with progress() as report:
                run = compare(
                    solvers,
                    corpora,
                    questions=("local", "global") if question is Question.BOTH else question.value,
                    repeats=repeats,
                    limit=limit,
                    progress=report,
                    folder=folder,
                    command=shlex.join(["sapper", *sys.argv[1:]]),
                )
        except KeyboardInterrupt:
            kept = f"; what was measured is in {folder}" if folder.exists() else ""
            print(f"sapper: stopped{kept}", file=sys.stderr)
            return EXIT_INTERRUPTED
    for line in left_out:
        print(f"sapper: left out: {line}", file=sys.stderr)
    return _show_run(run, folder)


def _solvers(specs: list[str] | None) -> tuple[list[Any], list[str]]:
    """The solvers of the specs, or the standard ones; and which of those are not installed."""
    from solvers import Unsupported, make_solver

    if specs:
        return [make_solver(spec) for spec in specs], []
    made, missing = [], []
    for name in STANDARD:
        try:
            made.append(make_solver(name))
        except Unsupported as wrong:
            missing.append(str(wrong))
    return made, missing


def _free_folder(out: Path | None) -> Path:
    """The folder that was asked for, if it is free, or a new name under runs/."""
    from benchmarks.records import check_free

    if out is not None:
        check_free(out)
        return out
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    names = (stamp, *(f"{stamp}-{number}" for number in range(2, 1000)))
    return next(folder for folder in (Path("runs", name) for name in names) if not folder.exists())


def _show_run(run: Run, folder: Path) -> int:
    from benchmarks import tables
    from benchmarks.metrics import PEER, wrong_claims

    pooled, metrics = (tables.metrics_table(run, by_corpus=by) for by in (False, True))
    (folder / "table.md").write_text(tables.document(run), encoding="utf-8")
    terminal = console()
    wrong = wrong_claims(run)
    style = "bold red" if wrong else "bold green"
    terminal.print(tables.verdict(run, wrong), style=style, highlight=False)
    shown = [(tables.wrong_table(wrong), "Wrong claims")] if wrong else []
    names = f"All {len(run.corpora)} corpora, pooled" if len(run.corpora) > 1 else next(iter(run.corpora))
    shown += [(tables.headline(pooled), names), (tables.times(pooled), "Time a position, extract and solve apart")]
    for question in run.header["questions"]:
        safe = tables.matrix(metrics, "safe_recall", question, tables.percent)
        shown.append((safe, f"Safe cells found, % ({question})"))
    timed = run.header["questions"][-1]
    median = tables.matrix(metrics, "total_median_us", timed, tables.number)
    shown.append((median, f"Median time a position, µs ({timed})"))
    if metrics["ratio"].notna().any():
        ratio = tables.matrix(metrics, "ratio", timed, tables.number)
        shown.append((ratio, f"Median time as a multiple of {PEER}'s ({timed})"))
    for frame, title in shown:
        terminal.print(tables.rich_table(frame, title))
    for line in tables.notes(run):
        terminal.print(line, style="dim", highlight=False, markup=False)
    print(f"sapper: records and table.md are in {folder}", file=sys.stderr)
    return EXIT_WRONG if wrong else 0


@app.command("table")
def write_table(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The folder of a run.")],
    form: Annotated[Format, typer.Option("--format", help="csv holds every metric, unrounded.")] = Format.MARKDOWN,
    by: Annotated[By | None, typer.Option(help="A row for each corpus instead of all pooled.")] = None,
) -> int:
    """Write the tables of a run: wrong claims first, then what was found and how long it took."""
    with bad_input():
        from benchmarks.records import Run
        from benchmarks.tables import document

        loaded = Run.load(run)
        try:
            text = document(loaded, by_corpus=by is By.CORPUS, form=form.value)
        except (KeyError, TypeError, ValueError) as wrong:
            raise ValueError(f"the run {run!r} is damaged: {type(wrong).__name__}: {wrong}") from None
    sys.stdout.write(text)
    return 0


@app.command()
def solve(
    file: Annotated[str, typer.Argument(metavar="FILE|-", help="A position as text: 0-8 # F * _.")],
    mines: Annotated[
        str | None, typer.Option(metavar="N", help="All mines on the board; only the clues count without it.")
    ] = None,
    solver: Annotated[str, typer.Option(metavar="SPEC", help="The strategy.")] = "counting:exact=true",
    json: Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")] = False,
) -> int:
    """Draw a position with what follows from it: safe cells, mines, probabilities.

    Exit code 3 if there is no arrangement of mines that fits.
    """
    with bad_input():
        from benchmarks import solving
        from board.render import legend
        from solvers import Status, make_solver

        position = solving.read_position(file, mines)
        solution = solving.solve(position, make_solver(solver))
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


@app.command("solvers")
def list_solvers() -> int:
    """List the strategies: what each claims with its default parameters, and what these are."""
    import pandas as pd

    from benchmarks.metrics import claims_text
    from benchmarks.tables import rich_table
    from solvers import Unsupported, make_solver, solver_names
    from solvers.registry import write_value

    rows = []
    for name in solver_names():
        row = dict.fromkeys(("Strategy", "Claims", "Parameters", "What"), "")
        row["Strategy"] = name
        try:
            made: Any = make_solver(name)
        except (Unsupported, ValueError, ImportError) as missing:
            row["What"] = str(missing)
        else:
            row["Claims"] = claims_text(dataclasses.asdict(made.claims))
            row["Parameters"] = " ".join(
                f"{f.name}={write_value(getattr(made, f.name))}" for f in dataclasses.fields(made)
            )
            row["What"] = (sys.modules[type(made).__module__].__doc__ or "").partition("\n")[0]
        rows.append(row)
    console().print(rich_table(pd.DataFrame(rows), "Strategies"))
    return 0
