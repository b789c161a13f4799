"""`sapper cs50`: the player of the CS50 course plays a game, in the terminal or in a window."""

from __future__ import annotations

import random
import time
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

from benchmarks.console import bad_input, coloured, console

if TYPE_CHECKING:
    from benchmarks.cs50_play import Play

PAUSE_SECONDS = 0.1
LONGEST_SIDE_CELLS = 100


def cs50(
    height: Annotated[int, typer.Option(min=1, max=LONGEST_SIDE_CELLS, help="Rows.")] = 8,
    width: Annotated[int, typer.Option(min=1, max=LONGEST_SIDE_CELLS, help="Columns.")] = 8,
    mines: Annotated[int, typer.Option(min=0, help="Mines on the board.")] = 8,
    seed: Annotated[int | None, typer.Option(min=0, help="The same seed plays the same game.")] = None,
    delay: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help=f"From move to move; {PAUSE_SECONDS} on a terminal, else 0."),
    ] = None,
    window: Annotated[bool, typer.Option("--window", help="Play yourself in a window, with the AI's help.")] = False,
) -> int:
    """Let the player of the CS50 course play a game: by the subset rule, at random when that finds no safe cell."""
    with bad_input():
        from benchmarks.cs50_play import Play

        if delay is not None and not 0 <= delay <= 60:
            raise ValueError(f"--delay: from 0 to 60 seconds, not {delay}")
        if delay is not None and window:
            raise ValueError("--delay is for the game in the terminal, not for --window")
        if seed is None:
            seed = random.SystemRandom().randrange(10**6)
        random.seed(seed)
        play = Play(height, width, mines)
        if window:
            from benchmarks.cs50_window import show

            show(play)
            return 0
    print(f"{height} x {width} cells, {_count(mines, 'mine')}, seed {seed}", flush=True)
    _play(play, delay)
    return 0


def _play(play: Play, delay: float | None) -> None:
    """The whole game, a line a move; on a terminal the board changes below them."""
    from rich.live import Live

    from board.render import board_text

    terminal = console()
    seconds = delay if delay is not None else PAUSE_SECONDS if terminal.is_terminal else 0
    live = Live(console=terminal, auto_refresh=False, transient=True) if terminal.is_terminal else None
    with live or nullcontext():
        while not play.over:
            play.ai_move()
            style = "red" if play.hit is not None else "yellow" if play.why == "random" else "green"
            terminal.print(_move(play), style=style, highlight=False, soft_wrap=True)
            if live is not None:
                live.update(coloured(board_text(play.position())), refresh=True)
            time.sleep(0 if play.over else seconds)
    terminal.print(coloured(board_text(play.position(), mines=play.missed())), soft_wrap=True)
    terminal.print(_end(play), style="bold green" if play.won else "bold red", highlight=False, soft_wrap=True)


def _move(play: Play) -> str:
    assert play.last is not None
    row, column = play.last
    seen = "a mine" if play.hit is not None else f"shows {play.opened[play.last]}"
    rows, columns, moves = (
        len(str(n)) for n in (play.game.height - 1, play.game.width - 1, play.game.height * play.game.width)
    )
    return f"move {play.moves:>{moves}}: row {row:>{rows}}, column {column:>{columns}}  {play.why:<10}  {seen}"


def _end(play: Play) -> str:
    moves = f"after {_count(play.moves, 'move')}, {play.random_moves:,} of them random"
    if play.won:
        return f"won: {_count(len(play.game.mines), 'mine')} flagged {moves}"
    return f"lost: a mine was opened {moves}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
