"""`sapper export`: a position as a formula for other tools."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from benchmarks.console import Mines, NewFile, PositionFile, Source, TopologyName, bad_input, check_new


def export(
    file: PositionFile,
    to: Annotated[str, typer.Option(metavar="FORMAT", help="dimacs, wcnf, opb, mps or minizinc.")],
    mines: Mines = None,
    source: Source = None,
    topology: TopologyName = None,
    encoding: Annotated[
        str | None, typer.Option(metavar="NAME", help="Of the clauses of dimacs and wcnf; kmtotalizer otherwise.")
    ] = None,
    out: NewFile = None,
) -> int:
    """Write a position as a formula for other tools: counters and solvers of SAT, MaxSAT, PB, MIP, CP."""
    with bad_input():
        from benchmarks.folder import without_collector
        from benchmarks.solving import read_position
        from solvers.formulas import formula_text

        check_new(out)
        problem = read_position(file, mines, source, topology).problem()
        with without_collector():
            text = formula_text(problem, to, encoding)
        if out is not None:
            out.write_text(text, encoding="utf-8")
    if out is None:
        sys.stdout.write(text)
    else:
        print(out)
    return 0
