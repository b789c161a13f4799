"""`sapper export`: a position as a formula for other tools."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.console import bad_input, path


def export(
    file: Annotated[str, typer.Argument(metavar="FILE|-", help="A position as text: 0-8 # F * _.")],
    to: Annotated[str, typer.Option(metavar="FORMAT", help="dimacs, wcnf, opb, mps or minizinc.")],
    mines: Annotated[
        str | None, typer.Option(metavar="N", help="All mines on the board; only the clues count without it.")
    ] = None,
    encoding: Annotated[
        str | None, typer.Option(metavar="NAME", help="Of the clauses of dimacs and wcnf; kmtotalizer otherwise.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", parser=path, help="A new file; else standard output.")
    ] = None,
) -> int:
    """Write a position as a formula for other tools: counters and solvers of SAT, MaxSAT, PB, MIP, CP."""
    with bad_input():
        from benchmarks.folder import without_collector
        from benchmarks.solving import read_position
        from solvers.formulas import formula_text

        if out is not None and out.exists():
            raise ValueError(f"{str(out)!r} exists already")
        problem = read_position(file, mines).problem()
        with without_collector():
            text = formula_text(problem, to, encoding)
        if out is not None:
            out.write_text(text, encoding="utf-8")
    if out is None:
        sys.stdout.write(text)
    else:
        print(out)
    return 0
