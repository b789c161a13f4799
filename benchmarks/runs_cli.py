"""Commands about runs that are finished, or were broken off: tables, figures, the report, comparisons."""

from __future__ import annotations

import sys
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchmarks.console import EXIT_INTERRUPTED, EXIT_WRONG, bad_input, check_new, path, progress

if TYPE_CHECKING:
    from benchmarks.records import Run

RunFolder = Annotated[str, typer.Argument(metavar="RUN", help="The folder of a run.")]


class Format(StrEnum):
    """How to write a table."""

    MARKDOWN = "markdown"
    CSV = "csv"
    LATEX = "latex"
    HTML = "html"


class Text(StrEnum):
    """How to write a table that is rounded."""

    MARKDOWN = "markdown"
    LATEX = "latex"
    HTML = "html"


class Drawn(StrEnum):
    """How to write a figure."""

    SVG = "svg"
    PDF = "pdf"
    PNG = "png"


class By(StrEnum):
    """What to tell apart."""

    CORPUS = "corpus"


def _load(folder: str) -> Run:
    from benchmarks.records import Run

    if not folder:
        raise ValueError(f"{folder!r} is not the name of a run folder")
    return Run.load(folder)


def write_table(
    run: RunFolder,
    form: Annotated[Format, typer.Option("--format", help="csv holds every metric, unrounded.")] = Format.MARKDOWN,
    by: Annotated[By | None, typer.Option(help="A row for each corpus instead of all pooled.")] = None,
) -> int:
    """Write the tables of a run: wrong claims first, then what was found and how long it took."""
    with bad_input():
        from benchmarks.document import document
        from benchmarks.folder import without_collector

        with without_collector():
            text = document(_load(run), by_corpus=by is By.CORPUS, form=form.value)
    sys.stdout.write(text)
    return 0


def statistics(
    run: RunFolder,
    against: Annotated[
        str | None, typer.Option(metavar="SOLVER", help="The solver that the others are compared with.")
    ] = None,
    form: Annotated[Text, typer.Option("--format", help="How to write the tables.")] = Text.MARKDOWN,
) -> int:
    """Intervals and tests: recalls, pairs of strategies on the same positions, the virtual best strategy."""
    with bad_input():
        from benchmarks import tables
        from benchmarks.stats import LEGEND, statistics_tables

        made = statistics_tables(_load(run), baseline=against)
        write: Callable[..., str] = getattr(tables, form.value)
    for title, frame in made.items():
        print(f"{title}\n\n{write(frame)}\n")
    print(LEGEND)
    return 0


def plot(
    run: RunFolder,
    out: Annotated[Path | None, typer.Option(metavar="DIR", parser=path, help="RUN/figures otherwise.")] = None,
    form: Annotated[
        list[Drawn] | None, typer.Option("--format", help="svg and png otherwise; may be repeated.")
    ] = None,
) -> int:
    """Draw the figures of a run."""
    with bad_input():
        from benchmarks.plots import all_figures, save

        formats = [one.value for one in form or (Drawn.SVG, Drawn.PNG)]
        paths = save(all_figures(_load(run)), out or Path(run, "figures"), formats)
    for file in paths:
        print(file)
    return 0


def report(
    run: RunFolder,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", parser=path, help="A new file; RUN/report.html, which is made again, otherwise."),
    ] = None,
    limit: Annotated[int, typer.Option(metavar="N", min=0, help="Missed positions to draw, a strategy.")] = 20,
) -> int:
    """Write one self-contained page: tables to sort, figures, and the positions that each strategy missed."""
    with bad_input():
        from benchmarks import report as reporting

        check_new(out)
        made = _load(run)
        file = out or Path(run, "report.html")
        file.write_text(reporting.report(made, limit=limit), encoding="utf-8")
    print(file)
    return 0


def diff(
    before: Annotated[str, typer.Argument(metavar="BEFORE", help="The folder of a run.")],
    after: Annotated[str, typer.Argument(metavar="AFTER", help="The folder of another.")],
    tolerance: Annotated[
        float, typer.Option(metavar="FACTOR", min=1.0, help="How much slower is not yet slower.")
    ] = 1.1,
) -> int:
    """Say what changed from one run to another. Exit code 1 if a strategy became worse or slower."""
    with bad_input():
        from benchmarks import diff as differing

        found = differing.diff(_load(before), _load(after), tolerance=tolerance)
    sys.stdout.write(found.document())
    return EXIT_WRONG if found.regressed else 0


def merge(
    runs: Annotated[list[str], typer.Argument(metavar="RUN RUN...", help="Folders of runs.")],
    out: Annotated[Path, typer.Option(metavar="DIR", parser=path, help="A new folder.")],
) -> int:
    """Make one run of several, such as parts that were measured on different machines."""
    with bad_input():
        from benchmarks.merging import merge as merged
        from benchmarks.merging import repeated

        loaded = [_load(run) for run in runs]
        made, twice = merged(loaded).save(out), repeated(loaded)
    more = f"; {twice:,} questions were asked more than once, of each the first record is kept" if twice else ""
    print(f"{len(made.records):,} records in {out}{more}")
    return 0


def records(
    run: RunFolder,
    out: Annotated[Path, typer.Option(metavar="FILE", parser=path, help="A new file: .parquet, .csv or .sqlite.")],
) -> int:
    """Write the raw records for other programs."""
    with bad_input():
        from benchmarks.exports import export

        export(_load(run), out)
    print(out)
    return 0


def reproduce(
    tables: Annotated[list[str] | None, typer.Argument(metavar="TABLE", help="Their names; all without one.")] = None,
    file: Annotated[Path, typer.Option(metavar="FILE", parser=path, help="The document with the tables.")] = Path(
        "README.md"
    ),
    run: Annotated[
        str | None, typer.Option(metavar="RUN", help="Take this run of the one table named instead of measuring.")
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Write nothing: only compare what is deterministic.")] = False,
) -> int:
    """Make the document's tables again. Exit code 1 if something deterministic came out different."""
    with bad_input():
        from benchmarks import reproduce as reproducing
        from benchmarks.batch_tables import wrong_words

        document = _read_document(file)
        known = reproducing.table_names(document)
        for name in tables or []:
            if name not in known:
                raise ValueError(f"{file} has no table {name!r}; it has {', '.join(known) or 'none'}")
        if not known:
            raise ValueError(f"{file} has no table")
        if run is not None and len(tables or []) != 1:
            raise ValueError("--run goes with one table")
        try:
            runs = _runs(list(dict.fromkeys(tables or known)), run)
        except KeyboardInterrupt:
            return EXIT_INTERRUPTED
        blocks = {name: reproducing.block(name, made) for name, made in runs.items()}
        found: list[object] = [*reproducing.differences(document, blocks)]
        found += [f"table {name}: {said}" for name, made in runs.items() if made for said in wrong_words(made)]
        if not check:
            file.write_bytes(reproducing.replaced(document, blocks).encode())
    for difference in found:
        print(difference)
    verdict = f"{len(found)} deterministic values differ" if found else "everything deterministic came out equal"
    print(f"{', '.join(blocks)}: {verdict}")
    return EXIT_WRONG if found else 0


def _read_document(file: Path) -> str:
    """Its text with the line ends it has."""
    try:
        return file.read_bytes().decode()
    except UnicodeDecodeError as wrong:
        raise ValueError(f"{file}: is not text: byte {wrong.start} is not UTF-8") from None


def _runs(names: list[str], folder: str | None) -> dict[str, Run | None]:
    """The run behind each table, None for the one that needs none: measured, or the only one taken from a folder."""
    from benchmarks.comparison import run_experiment
    from benchmarks.experiment import load_experiment
    from benchmarks.left_out import left_out_notes
    from benchmarks.reproduce import STRATEGIES

    if folder is not None:
        (name,), run = names, _load(folder)
        if run.header.get("experiment") not in (name, Path(name).stem):
            raise ValueError(f"{folder!r} is a run of the experiment {run.header.get('experiment')!r}, not of {name!r}")
        return {name: run}
    experiments = {name: None if name == STRATEGIES else load_experiment(name) for name in names}
    runs: dict[str, Run | None] = {}
    for name, experiment in experiments.items():
        if experiment is None:
            runs[name] = None
            continue
        print(f"sapper: {name}", file=sys.stderr)
        for line in left_out_notes(experiment.left_out):
            print(f"sapper: {line}", file=sys.stderr)
        with progress() as told:
            runs[name] = run_experiment(experiment, progress=told)
    return runs
