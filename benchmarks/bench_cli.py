"""`sapper bench` and `sapper experiments`: from an experiment and what the command line changes in it to a run."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchmarks.console import (
    COUNTING,
    EXIT_INTERRUPTED,
    EXIT_WRONG,
    EXTRACTION,
    NewFolder,
    bad_input,
    console,
    kernels_of,
    path,
    progress,
)

if TYPE_CHECKING:
    from benchmarks.experiment import Experiment
    from benchmarks.records import Run


class Question(StrEnum):
    """What to ask."""

    LOCAL = "local"
    GLOBAL = "global"
    BOTH = "both"


def bench(
    experiment: Annotated[
        str | None,
        typer.Argument(metavar="NAME|FILE", help="A bundled experiment or a .toml file."),
    ] = None,
    solver: Annotated[
        list[str] | None,
        typer.Option(metavar="SPEC", help="Instead of the experiment's; +SPEC beside them; may be repeated."),
    ] = None,
    corpus: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME|FILE", help="Instead of the experiment's; +NAME beside them; may be repeated."),
    ] = None,
    question: Annotated[
        Question | None, typer.Option(help="From the clues alone, with the mine count, or both.")
    ] = None,
    limit: Annotated[int | None, typer.Option(metavar="N", min=1, help="Positions a corpus.")] = None,
    repeats: Annotated[int | None, typer.Option(metavar="N", min=1, help="How often each question is timed.")] = None,
    seconds: Annotated[
        float | None, typer.Option(metavar="SECONDS", min=0.001, help="Wall-clock limit of a call.")
    ] = None,
    megabytes: Annotated[int | None, typer.Option(metavar="N", min=1, help="Memory limit of a call.")] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", min=0, help="Shuffles the order of the questions.")] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Processes that measure side by side, each on its own core; 1 otherwise."
        ),
    ] = None,
    dask: Annotated[
        str | None, typer.Option(metavar="ADDRESS|local", help="Measure on a Dask cluster, such as tcp://host:8786.")
    ] = None,
    out: NewFolder = None,
    resume: Annotated[
        Path | None,
        typer.Option(metavar="RUN", parser=path, help="Measure what is missing in a run that was broken off."),
    ] = None,
) -> int:
    """Compare strategies on the same positions: how sound, how complete, how fast.

    Without a name the experiment `standard`. Every call is bounded: one that takes too long or ends its process
    costs its own record. Exit code 1 if anyone claims something false.
    """
    with bad_input():
        from benchmarks import comparison
        from benchmarks.left_out import left_out_notes

        if resume is not None:
            changed = (experiment, solver, corpus, question, limit, repeats, seconds, megabytes, seed, out)
            if any(
                value is not None and value != [] for value in changed
            ):  # no option at all is a list for some Typers
                raise ValueError("--resume goes on with a run as it was planned: only --jobs and --dask go with it")
            return _measure(resume, lambda report: comparison.resume(resume, jobs=jobs, cluster=dask, progress=report))
        chosen = _changed(experiment, solver or [], corpus or [], limit)
        chosen = _override(chosen, question, repeats, seconds, megabytes, seed)
        for line in left_out_notes(chosen.left_out):
            print(f"sapper: {line}", file=sys.stderr)
        folder = free_folder(out)
        return _measure(
            folder,
            lambda report: comparison.run_experiment(
                chosen,
                jobs=jobs if jobs or dask else 1,
                cluster=dask,
                progress=report,
                folder=folder,
                command=shlex.join(["sapper", *sys.argv[1:]]),
            ),
            kernels_of(chosen.solvers),
        )


def _changed(name: str | None, solvers: list[str], corpora: list[str], limit: int | None) -> Experiment:
    """The experiment with other or more solvers and corpora; named ones are asked whole, unless there is a limit."""
    from benchmarks.corpus import load_corpus
    from benchmarks.experiment import load_experiment
    from solvers import make_solver

    if name is not None and not name:
        raise ValueError(f"{name!r} is not the name of an experiment or a file")
    chosen = load_experiment("standard" if name is None else name)
    for spec in solvers:
        make_solver(spec.removeprefix("+"))
    for corpus in corpora:
        if not corpus.removeprefix("+"):
            raise ValueError(f"--corpus: {corpus!r} is not the name of a corpus or a file")
        load_corpus(corpus.removeprefix("+"))
    if name is None and any(not corpus.startswith("+") for corpus in corpora):
        chosen = replace(chosen, limit=None)
    return replace(
        chosen,
        solvers=_replaced(chosen.solvers, solvers),
        corpora=_replaced(chosen.corpora, corpora),
        left_out=() if any(not spec.startswith("+") for spec in solvers) else chosen.left_out,
        limit=limit or chosen.limit,
    )


def _replaced(known: tuple[str, ...], given: list[str]) -> tuple[str, ...]:
    """`given` instead of what is known; what begins with + beside it."""
    instead = [item for item in given if not item.startswith("+")]
    more = [item[1:] for item in given if item.startswith("+")]
    return (*(instead or known), *more)


def _override(
    chosen: Experiment,
    question: Question | None,
    repeats: int | None,
    seconds: float | None,
    megabytes: int | None,
    seed: int | None,
) -> Experiment:
    limits = chosen.limits
    if seconds is not None:
        limits = replace(limits, seconds=seconds)
    if megabytes is not None:
        limits = replace(limits, memory_bytes=megabytes * 1_000_000)
    asked = chosen.questions
    if question is not None:
        asked = ("local", "global") if question is Question.BOTH else (question.value,)
    return replace(
        chosen,
        questions=asked,
        repeats=repeats or chosen.repeats,
        limits=limits,
        seed=chosen.seed if seed is None else seed,
    )


def _measure(folder: Path, start: Any, kernels: tuple[str, ...] = (EXTRACTION, COUNTING)) -> int:
    """Run it, with progress, and show it; what was measured is kept when it is broken off, and shown by resuming."""
    try:
        with progress(kernels) as report:
            run: Run = start(report)
        return _show(run, folder)
    except KeyboardInterrupt:
        kept = f"; go on with: sapper bench --resume {shlex.quote(str(folder))}" if folder.exists() else ""
        print(f"sapper: stopped{kept}", file=sys.stderr)
        return EXIT_INTERRUPTED


def free_folder(out: Path | None) -> Path:
    """The folder that was asked for, if it is free, or a new name under runs/."""
    from benchmarks.folder import check_free

    if out is not None:
        check_free(out)
        return out
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    names = (stamp, *(f"{stamp}-{number}" for number in range(2, 1000)))
    return next(folder for folder in (Path("runs", name) for name in names) if not folder.exists())


def _show(run: Run, folder: Path) -> int:
    from benchmarks import document, tables
    from benchmarks.batch_tables import wrong_batches
    from benchmarks.metrics import PEER, scores, wrong_claims

    judged = scores(run)
    pooled, metrics = (tables.metrics_table(run, by_corpus=by, judged=judged) for by in (False, True))
    (folder / "table.md").write_text(document.document(run, judged=judged), encoding="utf-8")
    terminal = console()
    wrong = wrong_claims(run, judged)
    lied = bool(wrong or wrong_batches(run))
    style = "bold red" if lied else "bold green"
    terminal.print(document.verdict(run, wrong), style=style, highlight=False)
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
    shown += [(frame, title) for title, frame in document.special_tables(run, judged, pooled).items()]
    for frame, title in shown:
        for part in tables.fitted(frame, terminal.width):
            terminal.print(tables.rich_table(part, title))
    for line in document.notes(run, judged, pooled):
        terminal.print(line, style="dim", highlight=False, markup=False)
    print(f"sapper: records and table.md are in {folder}; a page with figures: sapper report {folder}", file=sys.stderr)
    return EXIT_WRONG if lied else 0


def list_experiments() -> int:
    """List the bundled experiments."""
    with bad_input():
        import pandas as pd

        from benchmarks.experiment import experiment_names, load_experiment
        from benchmarks.play_tables import experiments_table
        from benchmarks.tables import rich_table

        rows = []
        for name in experiment_names():
            found = load_experiment(name)
            limits = found.limits
            bounds = [f"{limits.seconds:g} s"] if limits.seconds else []
            bounds += [f"{limits.memory_bytes / 1e6:,.0f} MB"] if limits.memory_bytes else []
            rows.append(
                {
                    "Experiment": name,
                    "What": found.title,
                    "Strategies": str(len(found.solvers)),
                    "Corpora": str(len(found.corpora)),
                    "Positions": str(found.limit or "all"),
                    "Repeats": str(found.repeats),
                    "Limits": ", ".join(bounds),
                }
            )
        played = experiments_table()
    terminal = console()
    terminal.print(rich_table(pd.DataFrame(rows), "Experiments: sapper bench NAME"))
    terminal.print(rich_table(played, "Whole games: sapper play NAME"))
    return 0
