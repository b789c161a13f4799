"""The game of the CS50 course in a window: a click opens, a right click flags, a button lets the AI move.

`draw` makes a picture of a game, `handle` lets an event change it, `show` opens the window and does both in turn.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from benchmarks.cs50_play import Play
from solvers import Unsupported
from solvers.cs50 import Cell

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
try:
    import pygame
except ImportError as missing:
    raise Unsupported("--window needs pygame-ce: pip install 'sapper[gui]'") from missing

Color = tuple[int, int, int]

MARGIN, PANEL, BUTTON = 24, 248, 48  # pixels
LEAST_HEIGHT = 2 * MARGIN + 420  # of a window, so that all of the panel is seen
MOST_ROWS, MOST_COLUMNS = 40, 60

BACKGROUND, PAPER, LINE = (24, 28, 36), (236, 238, 242), (150, 157, 170)
COVER, INK, PALE = (112, 124, 146), (24, 28, 36), (170, 178, 192)
RED, GREEN, LAST = (214, 52, 52), (76, 190, 112), (245, 176, 45)
DIGITS: tuple[Color, ...] = (
    (170, 176, 186),
    (29, 78, 216),
    (21, 128, 61),
    (200, 30, 30),
    (88, 28, 135),
    (146, 64, 14),
    (14, 116, 144),
    (24, 28, 36),
    (90, 96, 108),
)

SAID = {
    "": "",
    "known safe": "The AI makes a safe move.",
    "random": "No safe move is known, the AI makes a random move.",
}


@dataclass(frozen=True, slots=True)
class Places:
    """Where things are in a window, in pixels. cell: the side of a cell."""

    cell: int
    board: pygame.Rect
    panel: pygame.Rect
    ai_button: pygame.Rect
    reset_button: pygame.Rect

    def rect(self, cell: Cell) -> pygame.Rect:
        """Where a cell is."""
        row, column = cell
        return pygame.Rect(self.board.left + column * self.cell, self.board.top + row * self.cell, self.cell, self.cell)

    def cell_at(self, point: tuple[int, int]) -> Cell | None:
        """The cell under a point, if there is one."""
        if not self.board.collidepoint(point):
            return None
        return (point[1] - self.board.top) // self.cell, (point[0] - self.board.left) // self.cell


def places(play: Play, size: tuple[int, int]) -> Places:
    """Where things are in a window of that size (width, height): the board in what the panel leaves."""
    rows, columns = play.game.height, play.game.width
    room = pygame.Rect(MARGIN, MARGIN, size[0] - PANEL - 2 * MARGIN, size[1] - 2 * MARGIN)
    cell = max(4, min(room.width // columns, room.height // rows, 64))
    board = pygame.Rect(0, 0, cell * columns, cell * rows)
    board.center = room.center
    board.left, board.top = max(0, board.left), max(0, board.top)
    panel = pygame.Rect(size[0] - PANEL, MARGIN, PANEL - MARGIN, size[1] - 2 * MARGIN)
    ai_button = pygame.Rect(panel.left, panel.top, panel.width, BUTTON)
    return Places(cell, board, panel, ai_button, ai_button.move(0, BUTTON + MARGIN // 2))


def window_size(play: Play) -> tuple[int, int]:
    """(width, height) in pixels of a window for that board. Raises ValueError for one that is too large."""
    rows, columns = play.game.height, play.game.width
    if rows > MOST_ROWS or columns > MOST_COLUMNS:
        raise ValueError(f"a window has room for {MOST_ROWS} x {MOST_COLUMNS} cells, not for {rows} x {columns}")
    cell = min(56, 960 // columns, 720 // rows)
    return cell * columns + 2 * MARGIN + PANEL, max(cell * rows + 2 * MARGIN, LEAST_HEIGHT)


def handle(play: Play, event: pygame.event.Event, size: tuple[int, int]) -> None:
    """Let a click in a window of that size change the game; other events do not."""
    if event.type != pygame.MOUSEBUTTONDOWN:
        return
    where = places(play, size)
    cell = where.cell_at(event.pos)
    if event.button == pygame.BUTTON_RIGHT and cell is not None:
        play.flag(cell)
    elif event.button != pygame.BUTTON_LEFT:
        return
    elif where.ai_button.collidepoint(event.pos):
        play.ai_move()
    elif where.reset_button.collidepoint(event.pos):
        play.reset()
    elif cell is not None:
        play.open(cell)


def draw(play: Play, size: tuple[int, int]) -> pygame.Surface:
    """A picture of the game, of that size (width, height) in pixels."""
    if not pygame.font.get_init():
        pygame.font.init()
        _font.cache_clear()  # a font does not outlive the end of its module
    surface = pygame.Surface(size)
    surface.fill(BACKGROUND)
    where = places(play, size)
    for row in range(play.game.height):
        for column in range(play.game.width):
            _draw_cell(surface, play, (row, column), where.rect((row, column)))
    if play.last is not None:
        pygame.draw.rect(surface, LAST, where.rect(play.last), max(2, where.cell // 16))
    _draw_panel(surface, play, where)
    return surface


def _draw_cell(surface: pygame.Surface, play: Play, cell: Cell, rect: pygame.Rect) -> None:
    """A number, a flag, a mine once the game is lost, or nothing; a flag where no mine was is crossed out."""
    flagged = cell in play.game.mines_found
    mine = play.hit is not None and play.game.is_mine(cell)
    fill = RED if cell == play.hit else PAPER if cell in play.opened else COVER
    pygame.draw.rect(surface, LINE, rect)
    pygame.draw.rect(surface, fill, rect.inflate(-2, -2))
    if cell in play.opened:
        _text(surface, str(play.opened[cell]), rect.width * 5 // 8, DIGITS[play.opened[cell]], center=rect.center)
    elif flagged:
        surface.blit(_picture(_flag, rect.width), rect)
        if play.hit is not None and not mine:
            surface.blit(_picture(_cross, rect.width), rect)
    elif mine:
        surface.blit(_picture(_mine, rect.width), rect)


def _draw_panel(surface: pygame.Surface, play: Play, where: Places) -> None:
    for rect, label, active in ((where.ai_button, "AI Move", not play.over), (where.reset_button, "Reset", True)):
        pygame.draw.rect(surface, PAPER if active else COVER, rect, border_radius=8)
        _text(surface, label, 28, INK, center=rect.center)
    left, top = where.reset_button.left, where.reset_button.bottom + MARGIN
    if play.over:
        end, color = ("You won", GREEN) if play.won else ("You lost", RED)
        _text(surface, end, 48, color, topleft=(left, top))
    top += 56
    mines = len(play.game.mines)
    safe = play.game.height * play.game.width - mines
    for line in (f"Flags: {len(play.game.mines_found)}, mines: {mines}", f"Opened: {len(play.opened)} of {safe}", ""):
        _text(surface, line, 24, PAPER, topleft=(left, top))
        top += 28
    for line in _wrapped(SAID[play.why], 24, where.panel.width):
        _text(surface, line, 24, LAST, topleft=(left, top))
        top += 26
    hints = ("Click opens a cell.", "Right click flags a mine.", "Flag all mines to win.")
    for i, line in enumerate(reversed(hints)):
        if where.panel.bottom - 24 * (i + 1) >= top:  # there is no room in a window made small
            _text(surface, line, 22, PALE, bottomleft=(left, where.panel.bottom - 24 * i))


@lru_cache(maxsize=64)
def _font(pixels: int) -> pygame.font.Font:
    return pygame.font.Font(None, pixels)


def _text(surface: pygame.Surface, text: str, pixels: int, color: Color, **at: tuple[int, int]) -> None:
    """Write a line; `at` says where, with the name of a point of a rectangle."""
    drawn = _font(max(8, pixels)).render(text, True, color)
    surface.blit(drawn, drawn.get_rect(**at))


def _wrapped(text: str, pixels: int, width: int) -> list[str]:
    """The text in lines that are no wider than `width`."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and _font(pixels).size(longer)[0] <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


Picture = Callable[[pygame.Surface, float], None]


@lru_cache(maxsize=64)
def _picture(paint: Picture, pixels: int) -> pygame.Surface:
    """A picture for a cell, drawn large and made smaller, because what pygame draws has rough edges."""
    large = pygame.Surface((8 * pixels, 8 * pixels), pygame.SRCALPHA)
    paint(large, 8 * pixels / 100)
    return pygame.transform.smoothscale(large, (pixels, pixels))


def _flag(surface: pygame.Surface, per_cent: float) -> None:
    pygame.draw.rect(surface, INK, _scaled((38, 20, 6, 58), per_cent))
    pygame.draw.rect(surface, INK, _scaled((26, 74, 34, 8), per_cent))
    pygame.draw.polygon(surface, RED, [(x * per_cent, y * per_cent) for x, y in ((44, 18), (78, 35), (44, 52))])


def _mine(surface: pygame.Surface, per_cent: float) -> None:
    middle = (50 * per_cent, 50 * per_cent)
    for x, y in ((50, 16), (74, 26), (84, 50), (74, 74)):
        ends = (x * per_cent, y * per_cent), ((100 - x) * per_cent, (100 - y) * per_cent)
        pygame.draw.line(surface, INK, *ends, round(7 * per_cent))
    pygame.draw.circle(surface, INK, middle, 25 * per_cent)
    pygame.draw.circle(surface, PAPER, (42 * per_cent, 42 * per_cent), 6 * per_cent)


def _cross(surface: pygame.Surface, per_cent: float) -> None:
    for start, end in (((18, 18), (82, 82)), ((18, 82), (82, 18))):
        ends = [(x * per_cent, y * per_cent) for x, y in (start, end)]
        pygame.draw.line(surface, PAPER, ends[0], ends[1], round(9 * per_cent))


def _scaled(rect: tuple[int, int, int, int], per_cent: float) -> pygame.Rect:
    return pygame.Rect(*(round(part * per_cent) for part in rect))


def show(play: Play) -> None:
    """Open a window and play until it is closed.

    Raises ValueError for a board that is too large, Unsupported where no window can be opened.
    """
    size = window_size(play)
    try:
        pygame.display.init()
        pygame.display.set_caption("Minesweeper")
        screen = pygame.display.set_mode(size, pygame.RESIZABLE)
    except pygame.error as wrong:
        raise Unsupported(f"--window: no window can be opened here: {wrong}") from None
    if pygame.display.get_driver() == "offscreen" and not {"SDL_VIDEODRIVER", "SDL_VIDEO_DRIVER"} & os.environ.keys():
        pygame.quit()  # SDL's choice where there is no screen; nobody could close that window
        raise Unsupported("--window: no window can be opened here: there is no screen")
    pygame.event.set_blocked(pygame.MOUSEMOTION)  # nothing to draw again for
    try:
        while True:
            screen.blit(draw(play, screen.get_size()), (0, 0))
            pygame.display.flip()
            event = pygame.event.wait(500)  # so that a Ctrl-C is noticed
            if event.type == pygame.QUIT:
                return
            handle(play, event, screen.get_size())
    finally:
        pygame.quit()
