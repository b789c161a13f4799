"""`sapper cs50`: the player of the CS50 course plays a game, in the terminal or in a window."""

from __future__ import annotations

import random
import time
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

from benchmarks.console import bad_input, coloured, console

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from rich.text import Text

    from benchmarks.cs50_play import Play

PAUSE_SECONDS, ALL_PAUSES_SECONDS = 0.1, 30
FRAME_SECONDS, MOST_FRAMES = 0.05, 500  # moves that follow each other faster share a drawing of a large board
LONGEST_SIDE_CELLS = 100
LINES_BESIDES_ROWS = 4  # on a terminal: a move, the columns' numbers, what part is shown, the cursor


def cs50(
    height: Annotated[int, typer.Option(metavar="N", min=1, max=LONGEST_SIDE_CELLS, help="Rows.")] = 8,
    width: Annotated[int, typer.Option(metavar="N", min=1, max=LONGEST_SIDE_CELLS, help="Columns.")] = 8,
    mines: Annotated[int, typer.Option(metavar="N", min=0, help="All mines on the board.")] = 8,
    seed: Annotated[int | None, typer.Option(metavar="N", min=0, help="The same seed plays the same game.")] = None,
    delay: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS", help=f"From move to move; {PAUSE_SECONDS} on a terminal, less on a large board, else 0."
        ),
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

    terminal = console()
    cells = play.game.height * play.game.width
    pause = min(PAUSE_SECONDS, ALL_PAUSES_SECONDS / cells) if terminal.is_terminal else 0
    seconds = pause if delay is None else delay
    every = 1 if seconds >= FRAME_SECONDS else 1 + cells // MOST_FRAMES
    live = Live(console=terminal, auto_refresh=False, transient=True) if terminal.is_terminal else None
    told: list[Text] = []
    with live or nullcontext():
        while not play.over:
            play.ai_move()
            told.append(_move(play))
            if live is None or play.over or play.moves % every == 0:
                terminal.print(*told, sep="\n", soft_wrap=True)
                told.clear()
            if live is not None and not told:
                drawn = coloured(board_part(play, terminal.width, terminal.height - LINES_BESIDES_ROWS))
                drawn.no_wrap, drawn.overflow = True, "crop"
                live.update(drawn, refresh=True)
            time.sleep(0 if play.over else seconds)
    end = board_part(play, terminal.width if terminal.is_terminal else None, mines=play.missed())
    terminal.print(coloured(end), soft_wrap=True)
    terminal.print(_end(play), style="bold green" if play.won else "bold red", highlight=False, soft_wrap=True)


def board_part(
    play: Play, width: int | None = None, height: int | None = None, mines: NDArray[np.bool_] | None = None
) -> str:
    """The board as :func:`board.render.board_text` has it; of a large one a part around the last move, and which.

    width: the characters, height: the rows there is room for, None for any number; a cell is shown in any case.
    mines: bool[n], the cells to mark as mines.
    """
    from board.render import symbols

    rows, columns = play.game.height, play.game.width
    label = len(str(rows - 1)) + 2
    row, column = play.last or (0, 0)
    top, bottom = _around(row, rows, rows if height is None else height)
    left, right = _around(column, columns, columns if width is None else (width - label + 1) // 2)
    shown = symbols(play.position(), mines=mines)[top:bottom, left:right].tolist()
    lines = [" " * label + " ".join(str(c)[-1] for c in range(left, right))]
    lines += [f"{r:>{label - 2}}  {' '.join(line)}" for r, line in enumerate(shown, top)]
    if (bottom - top, right - left) != (rows, columns):
        lines.append(f"rows {top} to {bottom - 1}, columns {left} to {right - 1} of {rows} x {columns} cells")
    return "\n".join(lines)


def _around(place: int, size: int, room: int) -> tuple[int, int]:
    """(first, end) of `room` of `size` places, one at least, with this one in the middle or as near to it as can be."""
    length = min(size, max(1, room))
    first = min(max(0, place - length // 2), size - length)
    return first, first + length


def _move(play: Play) -> Text:
    from rich.text import Text

    assert play.last is not None
    row, column = play.last
    seen = "a mine" if play.hit is not None else f"shows {play.opened[play.last]}"
    rows, columns, moves = (
        len(str(n)) for n in (play.game.height - 1, play.game.width - 1, play.game.height * play.game.width)
    )
    line = f"move {play.moves:>{moves}}: row {row:>{rows}}, column {column:>{columns}}  {play.why:<10}  {seen}"
    return Text(line, "red" if play.hit is not None else "yellow" if play.why == "random" else "green")


def _end(play: Play) -> str:
    moves = f"after {_count(play.moves, 'move')}, {play.random_moves:,} of them random"
    if play.won:
        return f"won: {_count(len(play.game.mines), 'mine')} flagged {moves}"
    return f"lost: a mine was opened {moves}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
