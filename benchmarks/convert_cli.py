"""`sapper convert`: a board from one file format into another. `sapper formats`: which there are."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from benchmarks.console import NewFile, bad_input, check_new, read_board

if TYPE_CHECKING:
    from board import Layout, Position


def convert(
    file: Annotated[str, typer.Argument(metavar="FILE|-", help="A board in one of the formats.")],
    to: Annotated[str, typer.Option(metavar="FORMAT", help="`sapper formats` lists them.")],
    source: Annotated[str | None, typer.Option("--from", metavar="FORMAT", help="Detected where it is clear.")] = None,
    mines: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="All mines on the board, where FILE does not say.")
    ] = None,
    opened: Annotated[
        list[str] | None,
        typer.Option("--open", metavar="ROW,COLUMN", help="Click here, from a layout to a position; may be repeated."),
    ] = None,
    out: NewFile = None,
) -> int:
    """Convert a board between file formats.

    A layout becomes the position in which all cells are covered but those that --open opens, as clicks in a game do.
    A position never becomes a layout: it does not say where the mines are.
    """
    with bad_input():
        from board import Layout, formats

        form = formats.format_of(to)
        check_new(out)
        if out is None and form.binary and sys.stdout.isatty():
            raise ValueError(f"{to} is binary and not for a terminal: name a file with --out FILE")
        board = read_board(file, source, mines)
        if opened and (form.holds == "layout" or not isinstance(board, Layout)):
            raise ValueError("--open: only on the way from a layout to a position")
        if isinstance(board, Layout) and form.holds == "position":
            board = _clicked(board, opened or [])
        content = formats.write(board, to)
        if out is not None:
            with out.open("xb") as stream:
                stream.write(content)
    if out is not None:
        print(out)
    else:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    return 0


def list_formats() -> int:
    """List the file formats of `sapper convert`: what each holds, a position or a layout, and how."""
    from board.formats import FORMATS

    widths = [max(map(len, column)) for column in zip(*((f.name, f.holds) for f in FORMATS.values()), strict=True)]
    for form in FORMATS.values():
        print(f"{form.name:{widths[0]}}  {form.holds:{widths[1]}}  {form.what}")
    return 0


def _clicked(layout: Layout, clicks: list[str]) -> Position:
    """What the player sees after these clicks, each ROW,COLUMN. ValueError, quoting it, for one that is none."""
    from board import Game

    game = Game(layout)
    for click in clicks:
        found = re.fullmatch(r" *([0-9]{1,9}) *, *([0-9]{1,9}) *", click)
        if not found:
            raise ValueError(f"--open: a cell is ROW,COLUMN, both counted from 0, not {click[:40]!r}")
        try:
            game.open(int(found[1]), int(found[2]))
        except ValueError as wrong:
            raise ValueError(f"--open {click.strip()}: {wrong}") from None
    return game.position()
