"""A board to look at with this project's solvers, explanations and policies: in a notebook, or for `sapper view`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from board import Game, Layout, Position
from board.asking import Tools
from board.problem import Problem
from solvers import Solver, Unsupported, label_of, make_solver, solver_names

if TYPE_CHECKING:
    from board.widget import Board

FIRST = "counting"  #: the solver to begin with
POLICY = "smart"
_WORK = 300_000  # microseconds or so: somebody waits for the explanation with the pointer on the cell


class _Known(Mapping[str, Solver]):
    """Solvers by their specs, made when they are first asked: some import a large library."""

    def __init__(self, specs: Iterable[str]) -> None:
        self._made: dict[str, Solver | None] = dict.fromkeys(specs)

    def __getitem__(self, spec: str) -> Solver:
        made = self._made[spec]
        if made is None:
            made = self._made[spec] = make_solver(spec)
        return made

    def __contains__(self, spec: object) -> bool:
        return spec in self._made  # whether or not its library is there

    def __iter__(self) -> Iterator[str]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)


def project_tools(solver: Solver | str | None = None, policy: str = POLICY) -> Tools:
    """All registered solvers, `solver` (or its spec) in front, explanations, steps and a policy.

    Raises ValueError or Unsupported for a solver or policy that cannot be made.

    >>> list(project_tools("sat").solvers)[:3]
    ['sat', 'single', 'subset']
    """
    from solvers.policy import make_policy

    own = make_solver(FIRST if solver is None else solver) if solver is None or isinstance(solver, str) else solver
    name = label_of(own)
    known = _Known(dict.fromkeys([name, *solver_names()]))
    known._made[name] = own
    return Tools(known, _explain, _steps, _contradiction, make_policy(policy))


def explore(board: Position | Layout | Game | str, solver: Solver | str | None = None, policy: str = POLICY) -> Board:
    """The board as a widget for a notebook, with everything of this project to ask.

    board: a Position, its text, or a Layout or a Game to be played. solver: to begin with, `counting` by default.

    Raises ValueError as :class:`board.widget.Board` and :func:`project_tools`, Unsupported without anywidget.
    """
    try:
        from board.widget import Board
    except ModuleNotFoundError as missing:
        raise Unsupported(str(missing)) from missing
    tools = project_tools(solver, policy)
    return Board(
        board,
        tools.solvers,
        explain=tools.explain,
        steps=tools.steps,
        contradiction=tools.contradiction,
        policy=tools.policy,
    )


def _explain(problem: Problem, cell: int) -> Any:
    from solvers.explanation import explain

    return explain(problem, cell, work=_WORK)


def _contradiction(problem: Problem) -> Any:
    from solvers.explanation import explain_contradiction

    return explain_contradiction(problem, work=_WORK)


def _steps(problem: Problem) -> Any:
    from solvers.steps import explain_steps

    return explain_steps(problem)
