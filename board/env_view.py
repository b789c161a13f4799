"""How reinforcement-learning environments show a board: as text, as pixels, in a window.

A player's field is a table of codes: HIT a mine that was opened, 0-8 an opened clue, HIDDEN a covered tile. A picture
puts one of eleven tiles of 16 x 16 pixels on each; its colours are those of `board.drawing`. The window, which needs
pygame, shows that picture, so that a video and a window look the same.
"""

from __future__ import annotations

from functools import cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from board.drawing import THEMES
from board.problem import whole

HIT = -1  #: a mine that was opened
HIDDEN = 9  #: a covered tile

TILE = 16  #: pixels a tile at scale 1

Field: TypeAlias = NDArray[np.integer[Any]]
RGB = NDArray[np.uint8]

# 1 to 8, side by side
_DIGITS = """
...##... .######. #######. ...####. ######## .######. ######## .######.
..###... ######## ######## ..##.##. ######## #######. ######## ########
.####... ##....## ......## ..##.##. ##...... ##...... ......## ##....##
...##... ......## ......## .##..##. ##...... ##...... .....##. ##....##
...##... ....###. ..#####. .##..##. #######. #######. .....##. .######.
...##... ..####.. ..#####. ######## ######## ######## ....##.. .######.
...##... .###.... ......## ######## ......## ##....## ....##.. ##....##
...##... ###..... ......## .....##. ......## ##....## ...##... ##....##
.######. ######## ######## .....##. ######## ######## ...##... ########
.######. ######## #######. .....##. #######. .######. ...##... .######.
"""
_MINE = """
......#......
......#......
..#.#####.#..
...#######...
..#########..
..##++#####..
####++#######
..#########..
..#########..
...#######...
..#.#####.#..
......#......
......#......
"""


def field_text(field: Field) -> str:
    """A player's field as lines, tiles with blanks between: `.` covered, `X` a mine that was opened.

    >>> print(field_text(np.array([[9, 2], [-1, 0]])))
    . 2
    X 0
    """
    signs = {HIT: "X", HIDDEN: "."}
    return "\n".join(" ".join(signs.get(tile, str(tile)) for tile in row) for row in field.tolist())


def field_rgb(field: Field, scale: int = 2) -> RGB:
    """A player's field as a picture, uint8 (rows * 16 * scale, columns * 16 * scale, 3).

    Raises ValueError for a scale that is no integer of at least 1, and for a code that means nothing.

    >>> field_rgb(np.array([[9, 2, 0]])).shape
    (32, 96, 3)
    """
    if whole(scale, "scale: an integer is needed") < 1:
        raise ValueError(f"scale is at least 1, not {scale}")
    if ((field < HIT) | (field > HIDDEN)).any():
        raise ValueError(f"the code {field[(field < HIT) | (field > HIDDEN)][0]} is outside {HIT}..{HIDDEN}")
    rows, columns = field.shape
    picture = _tiles()[field - HIT].swapaxes(1, 2).reshape(rows * TILE, columns * TILE, 3)
    return picture.repeat(scale, axis=0).repeat(scale, axis=1)


class Window:
    """A window that shows pictures. pygame has one a process: two of these take turns in it.

    A window that the player has closed stays closed. Raises ImportError where pygame is missing.
    """

    def __init__(self, title: str) -> None:
        try:
            import pygame
        except ModuleNotFoundError as missing:
            raise ImportError(
                "a window needs the library pygame, which is not installed: pip install 'sapper[gui]'"
            ) from missing
        self._pygame = pygame
        self._title = title
        self._clock = pygame.time.Clock()
        self._closed = False

    def show(self, picture: RGB, per_second: float = 0) -> None:
        """Show uint8 (height, width, 3), at most so many times per second (0: at once)."""
        pygame = self._pygame
        if self._closed:
            return
        height, width, _ = picture.shape
        pygame.display.init()
        surface = pygame.display.get_surface()
        if surface is None or surface.get_size() != (width, height):
            surface = pygame.display.set_mode((width, height))
        pygame.display.set_caption(self._title)
        surface.blit(pygame.image.frombuffer(picture.tobytes(), (width, height), "RGB"), (0, 0))
        pygame.display.flip()
        if any(event.type == pygame.QUIT for event in pygame.event.get()):
            self.close()
        self._clock.tick(per_second)

    def close(self) -> None:
        """Close the window, once and for all; closing it again does nothing."""
        if not self._closed:
            self._closed = True
            self._pygame.display.quit()


@cache
def _tiles() -> RGB:
    """uint8 (11, 16, 16, 3): a tile a code, HIT first."""
    colour = {name: tuple(bytes.fromhex(code[1:])) for name, code in THEMES["light"].items()}
    flat = np.empty((TILE, TILE, 3), np.uint8)
    flat[:] = colour["open"]
    flat[0] = flat[:, 0] = colour["line"]
    made = np.stack([flat] * 11)
    hit = made[0]
    hit[1:, 1:] = colour["hit"]
    _draw(hit, _MINE.split(), {"#": colour["ink"], "+": colour["paper"]}, 2, 2)
    for digit in range(1, 9):
        rows = [line.split()[digit - 1] for line in _DIGITS.strip().splitlines()]
        _draw(made[digit - HIT], rows, {"#": colour[str(digit)]}, 3, 4)
    covered = made[HIDDEN - HIT]
    covered[:] = colour["face"]
    for i in range(2):  # the edges of a raised tile meet at its corners
        covered[i, : TILE - i] = covered[: TILE - i, i] = colour["high"]
        covered[-1 - i, i + 1 :] = covered[i + 1 :, -1 - i] = colour["low"]
    made.setflags(write=False)
    return made


def _draw(tile: RGB, rows: list[str], colours: dict[str, tuple[int, ...]], top: int, left: int) -> None:
    """Put the signs of the rows that have a colour on the tile."""
    for r, row in enumerate(rows, top):
        for c, sign in enumerate(row, left):
            if sign in colours:
                tile[r, c] = colours[sign]
