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


def checked_field(field: object, name: str = "field", highest: int = HIDDEN) -> NDArray[Any]:
    """The field itself, as an ndarray, not a copy.

    Raises ValueError, with the name, unless it is a two-dimensional array of at least one integer HIT..highest.

    >>> checked_field(np.array([[9, 10]]), "playerfield")
    Traceback (most recent call last):
    ValueError: the code 10 in the playerfield is outside -1..9
    """
    if not isinstance(field, np.ndarray) or field.dtype.kind not in "iu" or field.ndim != 2 or not field.size:
        what = f"{field.dtype} {field.shape}" if isinstance(field, np.ndarray) else repr(field)
        raise ValueError(f"the {name} is an int array (rows, columns), not {what}")
    plain = np.asarray(field)
    if plain.min() < HIT or plain.max() > highest:
        raise ValueError(
            f"the code {plain[(plain < HIT) | (plain > highest)][0]} in the {name} is outside {HIT}..{highest}"
        )
    return plain


def field_text(field: Field) -> str:
    """A player's field as lines, tiles with blanks between: `.` covered, `X` a mine that was opened.

    Raises ValueError for what is no table of codes.

    >>> print(field_text(np.array([[9, 2], [-1, 0]])))
    . 2
    X 0
    """
    signs = {HIT: "X", HIDDEN: "."}
    return "\n".join(" ".join(signs.get(tile, str(tile)) for tile in row) for row in checked_field(field).tolist())


def field_rgb(field: Field, scale: int = 2) -> RGB:
    """A player's field as a picture, uint8 (rows * 16 * scale, columns * 16 * scale, 3).

    Raises ValueError for a scale that is no integer of at least 1, and for what is no table of codes.

    >>> field_rgb(np.array([[9, 2, 0]])).shape
    (32, 96, 3)
    """
    if whole(scale, "scale: an integer is needed") < 1:
        raise ValueError(f"scale is at least 1, not {scale}")
    codes = checked_field(field).astype(np.int8)
    rows, columns = codes.shape
    picture = _tiles()[codes - HIT].swapaxes(1, 2).reshape(rows * TILE, columns * TILE, 3)
    return picture.repeat(scale, axis=0).repeat(scale, axis=1)


class Window:
    """A window that shows pictures. pygame has one a process: two of these take turns in it.

    A window that the player has closed stays closed; a copy has nothing to do with it. Raises ImportError where pygame
    is missing.
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

    def __reduce__(self) -> tuple[Any, ...]:
        return Window, (self._title,), {"_closed": self._closed}

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
