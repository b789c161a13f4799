"""`sapper corpus`: list the bundled corpora, show one, build one from a seed, from positions, from replays."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchmarks.console import (
    Mines,
    NewDrawing,
    Source,
    TopologyName,
    bad_input,
    check_new,
    coloured,
    console,
    path,
    progress,
    write_drawing,
)

if TYPE_CHECKING:
    from benchmarks.corpus import Corpus, Question

app = typer.Typer()

NewCorpus = Annotated[Path, typer.Option("--out", metavar="FILE", parser=path, help="A new .jsonl file.")]


class Moments(StrEnum):
    """Which moments of a replay; see `benchmarks.replays`."""

    EVERY = "every"
    STUCK = "stuck"
    GUESS = "guess"


@app.callback(invoke_without_command=True)
def _root(context: typer.Context) -> int:
    if context.invoked_subcommand is None:
        print(context.get_help())
    return 0


@app.command("list")
def list_corpora() -> int:
    """List the bundled corpora."""
    with bad_input():
        import pandas as pd

        from benchmarks.corpus import bundled_corpora
        from benchmarks.tables import rich_table

        rows = [
            {
                "Corpus": corpus.name,
                "Positions": f"{len(corpus):,}",
                "Games": f"{len({entry.game for entry in corpus}):,}",
                "Hash": corpus.hash[:12],
                "What": corpus.header["definition"],
            }
            for corpus in bundled_corpora()
        ]
    console().print(rich_table(pd.DataFrame(rows), "Corpora"))
    return 0


@app.command()
def show(
    name: Annotated[str, typer.Argument(metavar="NAME|FILE", help="A bundled corpus or a file.")],
    entry: Annotated[str | None, typer.Option(metavar="ID", help="The position to draw; else the first.")] = None,
    svg: NewDrawing = None,
) -> int:
    """Say what a corpus holds, and draw one of its positions with everything entailed."""
    with bad_input():
        import numpy as np

        from benchmarks.corpus import load_corpus
        from board import to_svg
        from board.render import board_text

        check_new(svg)
        if not name:
            raise ValueError(f"{name!r} is not the name of a corpus or a file")
        corpus = load_corpus(name)
        chosen = next((e for e in corpus if entry in (None, e.id)), None)
        if chosen is None:
            raise ValueError(f"no position {entry!r} in the corpus {corpus.name!r}")
        position, answer = chosen.position, chosen.global_answer
        safe, mines = (np.isin(np.arange(position.codes.size), cells) for cells in (answer.safe, answer.mines))
        if svg is not None:
            title = f"{corpus.name}, {chosen.id}"
            write_drawing(to_svg(position, safe=safe, mines=mines, coordinates=True, title=title), svg)
    lines = [f"{key}: {value}" for key, value in corpus.header.items()]
    lines += [_contents(corpus, "local"), _contents(corpus, "global")]
    lines += ["", f"{chosen.id}, game {chosen.game}, mines: {position.mines}"]
    terminal = console()
    for line in lines:
        terminal.print(line, highlight=False, markup=False, soft_wrap=True)
    terminal.print(coloured(board_text(position, safe, mines)), soft_wrap=True)
    return 0


def _contents(corpus: Corpus, question: Question) -> str:
    answers = [entry.answer(question) for entry in corpus]
    safe, mines = sum(len(a.safe) for a in answers), sum(len(a.mines) for a in answers)
    nothing = sum(a.consistent and not a.safe and not a.mines for a in answers)
    inconsistent = sum(not a.consistent for a in answers)
    return (
        f"{question}: {safe:,} safe cells and {mines:,} mines entailed; nothing entailed in {nothing:,} "
        f"positions; {inconsistent:,} inconsistent"
    )


@app.command()
def build(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="LEVEL-KIND, such as expert-stuck, after torus-, hexagonal- or graph- if you like; or a shape: combs.",
        ),
    ],
    count: Annotated[int, typer.Option(metavar="N", min=1, help="How many positions.")],
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="The same seed makes the same positions.")],
    out: NewCorpus,
) -> int:
    """Make a corpus from a seed."""
    with bad_input():
        from benchmarks.corpus import build_corpus, write_corpus

        check_new(out)
        with progress() as report:
            made = build_corpus(name, count, seed, progress=report)
        write_corpus(made, out)
    print(f"{made.name}: {len(made):,} positions, hash {made.hash}")
    return 0


@app.command("import")
def import_positions(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Positions, one a file: text, or as `sapper formats` lists.")
    ],
    out: NewCorpus,
    mines: Mines = None,
    source: Source = None,
    topology: TopologyName = None,
) -> int:
    """Make a corpus of positions from files; what follows from each is computed.

    --mines, --from and --topology are about all files.
    """
    with bad_input():
        from benchmarks.corpus import Corpus, write_corpus
        from benchmarks.generation import entry_of
        from benchmarks.solving import read_position

        check_new(out)
        positions = {file: read_position(file, mines, source, topology) for file in dict.fromkeys(files)}
        entries = tuple(entry_of(file, position) for file, position in positions.items())
        made = Corpus(out.stem, entries, {"definition": f"Positions from {len(entries):,} files."})
        write_corpus(made, out)
    print(f"{made.name}: {len(made):,} positions, hash {made.hash}")
    return 0


@app.command("from-replays")
def from_replays(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Replays: .avf, .evf, .rmv, .mvf.")],
    out: NewCorpus,
    moments: Annotated[
        Moments,
        typer.Option(
            help="Each at which the player has to move; those at which subset inference finds no safe cell though "
            "some are provable; or those at which none is."
        ),
    ] = Moments.EVERY,
) -> int:
    """Make a corpus of what players saw in real games, after each move that opened something.

    An entry is called FILE#NUMBER, by the moment counted from 0; all entries of a file are of one game.
    """
    with bad_input():
        from benchmarks.corpus import write_corpus
        from benchmarks.replays import replay_corpus

        check_new(out)
        with progress() as report:
            made = replay_corpus(out.stem, files, moments.value, progress=report)
        write_corpus(made, out)
    games = len({entry.game for entry in made})
    print(f"{made.name}: {len(made):,} positions of {games:,} games, hash {made.hash}")
    return 0
