"""A board in a notebook: click, flag, set up a position, and see what a solver says of it.

The front end (`static/widget.js`) sends actions and shows traits; what an action does is in :mod:`board.interaction`,
what there is to show in :mod:`board.showing`. Needs anywidget: `pip install 'sapper[notebooks]'`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from board.asking import Tools, one_line
from board.game import Game
from board.interaction import Action, begin, changed
from board.layout import Layout
from board.position import Position
from board.problem import Problem, mine_count
from board.showing import offered, said, script, shown, style

try:
    import anywidget
    import traitlets
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        f"the board in a notebook needs {missing.name}: pip install 'sapper[notebooks]'", name=missing.name
    ) from missing


class Board(anywidget.AnyWidget):
    """A board to work with by hand.

    Parameters
    ----------
    board: a Position, or its text; or a Layout or a Game, which can be played (a game goes on in a copy).
    solvers, explain, steps, contradiction, policy, seed: see :class:`board.asking.Tools`;
        `benchmarks.exploring.explore(board)` hands in those of this project.
    solver: the name of the one to begin with, the first by default, "" for none.

    Raises ValueError for a board that is no table of squares or hexagons or has over 10,000 cells, and for an unknown
    solver.

    Traits, which can be observed, and the first three set as well: `position`, the text that `Position.parse` reads;
    `mines`, the mine count or None; `solver`, a name; `table`, `answer`, `game`, `steps` as in
    :func:`board.showing.shown`.

    >>> board = Board("1#")
    >>> board.mines = 1
    >>> board.current
    Position.parse(['1#'], mines=1)
    """

    _esm = script()
    _css = style()

    position = traitlets.Unicode().tag(sync=True)
    mines = traitlets.Any(None, allow_none=True).tag(sync=True)
    solver = traitlets.Unicode().tag(sync=True)
    table = traitlets.Dict().tag(sync=True)
    answer = traitlets.Dict().tag(sync=True)
    game = traitlets.Dict().tag(sync=True)
    steps: traitlets.List[Any] = traitlets.List(None, allow_none=True).tag(sync=True)
    offers = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        board: Position | Layout | Game | str,
        solvers: Mapping[str, Any] | None = None,
        *,
        explain: Callable[[Problem, int], Any] | None = None,
        steps: Callable[[Problem], Sequence[Any]] | None = None,
        contradiction: Callable[[Problem], Any] | None = None,
        policy: Any = None,
        seed: int = 0,
        solver: str | None = None,
    ) -> None:
        self._tools = Tools({} if solvers is None else solvers, explain, steps, contradiction, policy, seed)
        self._scene = begin(Position.parse(board) if isinstance(board, str) else board, self._tools, solver)
        self._showing = True  # traits change because there is something new to show, not from outside
        super().__init__(offers=offered(self._tools), **shown(self._scene, self._tools))
        self._showing = False
        self.on_msg(self._heard)

    @property
    def current(self) -> Position:
        """The position that is shown."""
        return self._scene.position

    def act(self, action: Action) -> None:
        """Do what the reader could: an action of :mod:`board.interaction`, such as `{"do": "open", "cell": 0}`.

        Raises ValueError for one that means nothing or cannot be done here.
        """
        self._scene = changed(self._scene, action, self._tools)
        self._show()

    def _show(self) -> None:
        before, self._showing = self._showing, True
        try:
            with self.hold_sync(), self.hold_trait_notifications():
                for name, value in shown(self._scene, self._tools).items():
                    setattr(self, name, value)
        finally:
            self._showing = before

    def _heard(self, widget: object, message: object, buffers: object) -> None:
        """A message of the front end."""
        try:
            if not isinstance(message, dict):
                raise ValueError(f"a message is an object, not {message!r}")
            answer = said(self._scene, message, self._tools)
            if answer is None:
                self.act(message)
        except ValueError as wrong:
            answer = {"error": one_line(wrong)}
        if answer is not None:
            self.send(answer)

    @traitlets.validate("position", "mines", "solver")
    def _valid(self, proposal: Any) -> Any:
        if self._showing:
            return proposal["value"]
        name, value = proposal["trait"].name, proposal["value"]
        try:
            if name == "position":
                return Position.parse(value).text()
            if name == "mines":
                return mine_count(value)
            if value and value not in self._tools.solvers:
                raise ValueError(f"unknown solver {value!r}; known are {', '.join(self._tools.solvers)}")
        except ValueError as wrong:
            raise traitlets.TraitError(str(wrong)) from None
        return value

    @traitlets.observe("position", "mines", "solver")
    def _set(self, change: Any) -> None:
        """One of these was set from outside."""
        if self._showing:
            return
        actions: dict[str, Action] = {
            "position": {"do": "position", "text": change["new"]},
            "mines": {"do": "mines", "count": change["new"]},
            "solver": {"do": "solver", "name": change["new"]},
        }
        try:
            self.act(actions[change["name"]])
        except ValueError as wrong:
            self._show()
            raise traitlets.TraitError(str(wrong)) from None
