"""A board that people change by hand: what may be done to it, and what follows from it?

Pure functions over a :class:`Scene`. The widget of notebooks (:mod:`board.widget`) and the page of `sapper view` are
shells around them: each turns what its reader does into an action, a small JSON object, and shows what
:func:`board.showing.shown` says. What is asked of solvers is in :mod:`board.asking`.

Actions, by `do`: `open`, `flag` (a `cell`), `paint` (`cells`, `as` a symbol of a position's text), `mines` (a `count`
or null), `position` (a `text`), `clear`, `solver` (a `name`), `undo`, `redo`, `steps`, `next` (the policy's move).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from board.asking import Answer, Choice, Tools, answered, chosen, tried
from board.decoding import MOST_MINES, shown
from board.game import Game, Outcome
from board.layout import Layout, cell_of
from board.places import places
from board.position import COVERED, Position
from board.problem import mine_count

MOST_CELLS = 10_000
MOST_MOMENTS = 1000  #: that can be undone

Action = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Scene:
    """A board at a moment of its use.

    game: that is played here, None for a position set up by hand; never changed, moves are made on copies.
    past, future: the moments that undo and redo go to, the nearest last. solver: its name, "" for none.
    answer: the solver's. conflict: why no mines fit the position, None if some do or nobody looked.
    steps: None until they were asked for. choice: of the policy, if that was the last thing done.
    """

    position: Position
    game: Game | None
    solver: str
    past: tuple[tuple[Position, Game | None], ...] = ()
    future: tuple[tuple[Position, Game | None], ...] = ()
    answer: Answer = field(default_factory=Answer)
    conflict: Any = None
    steps: tuple[Any, ...] | None = None
    choice: Choice | None = None


def begin(board: Position | Layout | Game, tools: Tools, solver: str | None = None) -> Scene:
    """The scene of a position set up by hand, or of a game: one that goes on in a copy, or a new one on a layout.

    solver: the name of the first to be asked; the first of the tools by default, "" for none.

    Raises ValueError for a board that is no table of squares or hexagons, or has over 10,000 cells, or a clue over 8,
    and for an unknown solver.

    >>> begin(Position.parse("1#"), Tools()).answer.status
    'none'
    """
    game = Game(board) if isinstance(board, Layout) else deepcopy(board) if isinstance(board, Game) else None
    position = board if isinstance(board, Position) else game.position() if game is not None else None
    if position is None:
        raise ValueError(f"a board is a Position, a Layout or a Game, not {board!r}")
    _check(position)
    name = next(iter(tools.solvers), "") if solver is None else solver
    if name and name not in tools.solvers:
        raise ValueError(f"unknown solver {name!r}; known are {', '.join(tools.solvers)}")
    return _asked(Scene(position, game, name), tools)


def _check(position: Position) -> None:
    if position.codes.size > MOST_CELLS:
        raise ValueError(f"a board to look at has at most {MOST_CELLS:,} cells, not {position.codes.size:,}")
    if places(position.topology).outline == "circle":
        raise ValueError(
            f"a board to look at is a table of squares or hexagons, not of topology {position.topology.name!r}"
        )
    position.text()  # has symbols for all its clues


def changed(scene: Scene, action: Action, tools: Tools) -> Scene:
    """The scene after an action; the same scene if it changes nothing.

    Raises ValueError, one line for the reader, for an action that means nothing or cannot be done here.

    >>> scene = begin(Layout.parse("*.."), Tools())
    >>> scene = changed(scene, {"do": "open", "cell": 2}, Tools())
    >>> scene.position.text(), changed(scene, {"do": "undo"}, Tools()).position.text()
    ('#10', '###')
    """
    do = action.get("do")
    if not isinstance(do, str) or do not in _ACTIONS:
        raise ValueError(f"unknown action {do!r}; known are {', '.join(_ACTIONS)}")
    return _ACTIONS[do](scene, action, tools)


def cell_in(scene: Scene, cell: object) -> int:
    """`cell` as the number of a cell of the board; ValueError, quoting it, otherwise."""
    return cell_of(scene.position.shape, cell)


def _asked(scene: Scene, tools: Tools, conflict: bool = True) -> Scene:
    """The scene with what its solver says now. conflict: whether the position is new."""
    answer = answered(scene.position, scene.solver, tools)
    if not conflict:
        return replace(scene, answer=answer, choice=None)
    found = None
    if tools.contradiction is not None:
        try:
            found = tried(tools.contradiction, scene.position.problem())
        except ValueError as wrong:
            answer = answer if answer.error else replace(answer, error=str(wrong))
    return replace(scene, answer=answer, conflict=found, steps=None, choice=None)


def _moved(scene: Scene, position: Position, game: Game | None, tools: Tools) -> Scene:
    """The scene one moment later."""
    if position == scene.position and game is scene.game:
        return scene
    past = (*scene.past, (scene.position, scene.game))[-MOST_MOMENTS:]
    return _asked(replace(scene, position=position, game=game, past=past, future=()), tools)


def _open(scene: Scene, action: Action, tools: Tools) -> Scene:
    return _opened(scene, cell_in(scene, action.get("cell")), tools)


def _opened(scene: Scene, cell: int, tools: Tools) -> Scene:
    if scene.game is None:
        raise ValueError("nobody knows what is under this cell: the position was set up by hand, it is no game")
    game = deepcopy(scene.game)
    return _moved(scene, game.position(), game, tools) if game.open(cell).size else scene


def _flag(scene: Scene, action: Action, tools: Tools) -> Scene:
    cell = cell_in(scene, action.get("cell"))
    position = scene.position
    if position.codes.flat[cell] != COVERED:
        return scene
    if scene.game is not None:
        game = deepcopy(scene.game)
        game.flag(cell)
        return _moved(scene, game.position(), game, tools)
    flags = position.flags.copy()
    flags.flat[cell] ^= True
    return _moved(scene, Position(position.codes, position.mines, flags, position.topology), None, tools)


def _by_hand(scene: Scene, position: Position, tools: Tools) -> Scene:
    """The scene with another position, which is the end of a game; the same scene for the same position."""
    return scene if position == scene.position else _moved(scene, position, None, tools)


def _paint(scene: Scene, action: Action, tools: Tools) -> Scene:
    cells, symbol = action.get("cells"), action.get("as")
    if not isinstance(cells, list | tuple) or len(cells) > scene.position.codes.size:
        raise ValueError(f"cells to paint are a list of cells of the board, not {str(cells)[:40]}")
    if not isinstance(symbol, str) or len(symbol) != 1:
        raise ValueError(f"a cell is painted as one of 0-8 # F * _, not {str(symbol)[:40]!r}")
    one = Position.parse(symbol)
    codes, flags = scene.position.codes.copy(), scene.position.flags.copy()
    for cell in [cell_in(scene, cell) for cell in cells]:
        codes.flat[cell], flags.flat[cell] = one.codes[0, 0], one.flags[0, 0]
    return _by_hand(scene, Position(codes, scene.position.mines, flags, scene.position.topology), tools)


def _mines(scene: Scene, action: Action, tools: Tools) -> Scene:
    old = scene.position
    count = mine_count(action.get("count"))
    if count is not None and count > MOST_MINES:
        raise ValueError(f"a mine count is at most {MOST_MINES:,} here, not {shown(count)}")
    return _by_hand(scene, Position(old.codes, count, old.flags, old.topology), tools)


def _position(scene: Scene, action: Action, tools: Tools) -> Scene:
    text = action.get("text")
    if not isinstance(text, str):
        raise ValueError(f"a position is a text, not {text!r}")
    if len(text) > 2 * MOST_CELLS:
        raise ValueError(f"a board of at most {MOST_CELLS:,} cells is drawn, not a text of {len(text):,} characters")
    old, new = scene.position, Position.parse(text)
    new = Position(new.codes, old.mines, new.flags, old.topology if new.shape == old.shape else None)
    _check(new)
    return _by_hand(scene, new, tools)


def _clear(scene: Scene, action: Action, tools: Tools) -> Scene:
    old = scene.position
    return _by_hand(scene, Position(np.full(old.shape, COVERED), old.mines, None, old.topology), tools)


def _solver(scene: Scene, action: Action, tools: Tools) -> Scene:
    name = action.get("name")
    if not isinstance(name, str) or (name and name not in tools.solvers):
        raise ValueError(f"unknown solver {name!r}; known are {', '.join(tools.solvers)}")
    return scene if name == scene.solver else _asked(replace(scene, solver=name), tools, conflict=False)


def _undo(scene: Scene, action: Action, tools: Tools) -> Scene:
    if not scene.past:
        return scene
    *past, (position, game) = scene.past
    future = (*scene.future, (scene.position, scene.game))
    return _asked(replace(scene, position=position, game=game, past=tuple(past), future=future), tools)


def _redo(scene: Scene, action: Action, tools: Tools) -> Scene:
    if not scene.future:
        return scene
    *future, (position, game) = scene.future
    past = (*scene.past, (scene.position, scene.game))
    return _asked(replace(scene, position=position, game=game, past=past, future=tuple(future)), tools)


def _steps(scene: Scene, action: Action, tools: Tools) -> Scene:
    if tools.steps is None:
        raise ValueError("no way to deduce in steps was handed in")
    return (
        scene if scene.steps is not None else replace(scene, steps=tuple(tried(tools.steps, scene.position.problem())))
    )


def _next(scene: Scene, action: Action, tools: Tools) -> Scene:
    """The policy's move in a game; for a position set up by hand the cell that it would open."""
    if tools.policy is None:
        raise ValueError("no policy was handed in")
    if scene.game is not None and scene.game.outcome is not Outcome.PLAYING:
        raise ValueError(f"the game is {scene.game.outcome}: no move is left")
    if scene.answer.deduction is None:
        raise ValueError(scene.answer.error or "a policy needs the answer of a solver: choose one")
    if scene.answer.status == "inconsistent":
        raise ValueError("no arrangement of mines fits: there is no sensible move")
    choice = chosen(scene.position, scene.answer, len(scene.past), tools)
    if scene.game is None:
        return replace(scene, choice=choice)
    if scene.position.flags.flat[choice.cell]:
        row, column = divmod(choice.cell, scene.position.shape[1])
        raise ValueError(f"there is a flag on row {row}, column {column}, which would be opened next")
    return replace(_opened(scene, choice.cell, tools), choice=choice)


_ACTIONS: Mapping[str, Callable[[Scene, Action, Tools], Scene]] = {
    "open": _open,
    "flag": _flag,
    "paint": _paint,
    "mines": _mines,
    "position": _position,
    "clear": _clear,
    "solver": _solver,
    "undo": _undo,
    "redo": _redo,
    "steps": _steps,
    "next": _next,
}
