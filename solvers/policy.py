"""Which cell is opened when none is proved safe? Policies: guessing lives only here and in `solvers.lolai`.

A policy is asked with a position and a solver's answer to it, and names a cell. It never opens a cell that is open
or that the answer proves a mine (only `lolai:goal=mines`, which plays another game, looks for these); flags are not
trusted. Ties are broken uniformly at random.

| policy | opens | needs |
|---|---|---|
| random | any cell that is not proved a mine | a deduction |
| frontier | one of these beside a clue, if there is one | a deduction |
| safest | the least probable mine | marginals |
| smart | of the safest those with the fewest covered neighbours | marginals |
| progress | of the safest those with the best chance to prove something new | marginals |
| lookahead:depth=d | the best chance to survive this guess and the d - 1 after it | marginals |
| optimal:models=N | the best play to the end where at most N models are left, else as lookahead | marginals |
| lolai | the best of minmax's clauses, see :mod:`solvers.lolai` | a deduction |

Cost: linear in the cells; `progress` counts once for each clue that each kind of tied cell can show.
Sources: `random` is the player of B. Yu, D. J. Malan, *CS50's Introduction to Artificial Intelligence with Python*,
project Minesweeper (Harvard University, 2020). `safest` is in C. Studholme, *Minesweeper as a constraint satisfaction
problem* (University of Toronto, 2000). The two ways to break ties are players' common knowledge.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from board.position import COVERED, HIT, Position
from solvers.interface import Deduction, Marginals, Unsupported
from solvers.registry import build, nearest, with_parameters

Kind: TypeAlias = tuple[tuple[int, ...], tuple[tuple[tuple[int, ...], int], ...]]

TIE = 1e-9  #: numbers no further apart are the same

_POLICIES = {
    "random": "solvers.policy:Random",
    "frontier": "solvers.policy:Frontier",
    "safest": "solvers.policy:Safest",
    "smart": "solvers.policy:Smart",
    "progress": "solvers.policy:Progress",
    "lookahead": "solvers.foresight:Lookahead",
    "optimal": "solvers.foresight:Optimal",
    "lolai": "solvers.lolai:LolAI",
}


@runtime_checkable
class Policy(Protocol):
    """Anything that chooses a cell."""

    @property
    def needs_marginals(self) -> bool:
        """Whether the answer must be marginals; a deduction does otherwise."""
        ...

    def choose(self, position: Position, answer: Deduction | Marginals, rng: np.random.Generator, /) -> int:
        """The cell to open, 0..n-1.

        answer: of a solver, about `position.problem()`. rng: is drawn from.

        Raises ValueError if all covered cells are proved mines, for an answer about another number of cells, and for
        a deduction, or marginals without a number, where probabilities are needed.
        """
        ...


def policy_names() -> list[str]:
    """The names that `make_policy` knows, simple ones first.

    >>> policy_names()
    ['random', 'frontier', 'safest', 'smart', 'progress', 'lookahead', 'optimal', 'lolai']
    """
    return list(_POLICIES)


def make_policy(spec: str) -> Policy:
    """The policy that a spec describes: `name` or `name:key=value`, as :func:`solvers.make_solver` reads it.

    Raises ValueError quoting an unknown name, parameter or value.

    >>> make_policy("lolai:goal=mines")
    LolAI(goal='mines')
    >>> make_policy("safst")
    Traceback (most recent call last):
    ValueError: unknown policy 'safst'; did you mean 'safest'?
    """
    made: Policy = build(spec, "policy", _policy_class)
    return made


def policy_spec(policy: Policy) -> str:
    """The spec that makes this policy, with the parameters that differ from the defaults.

    Raises ValueError for a policy of another class.

    >>> policy_spec(make_policy("lookahead:depth=2")), policy_spec(make_policy("lookahead:depth=3"))
    ('lookahead', 'lookahead:depth=3')
    """
    kind = type(policy)
    for name, target in _POLICIES.items():
        if target == f"{kind.__module__}:{kind.__qualname__}":
            return with_parameters(name, policy)
    raise ValueError(f"{kind.__qualname__} is not one of the policies {', '.join(_POLICIES)}")


def _policy_class(name: str) -> type[Any]:
    if name not in _POLICIES:
        raise ValueError(f"unknown policy {name!r}{nearest(name, policy_names())}")
    module, _, attribute = _POLICIES[name].partition(":")
    found: type[Any] = getattr(import_module(module), attribute)
    return found


@dataclass(frozen=True, slots=True)
class Random:
    """Any cell that is not proved a mine.

    >>> position = Position.parse(["1#", "11"], mines=1)
    >>> Random().choose(position, Deduction.inconsistent(4), np.random.default_rng(0))
    1
    """

    needs_marginals: ClassVar[bool] = False

    def choose(self, position: Position, answer: Deduction | Marginals, rng: np.random.Generator, /) -> int:
        """A cell drawn uniformly."""
        return pick(candidates(position, answer), rng)


@dataclass(frozen=True, slots=True)
class Frontier:
    """A cell beside a clue; any other where there is none."""

    needs_marginals: ClassVar[bool] = False

    def choose(self, position: Position, answer: Deduction | Marginals, rng: np.random.Generator, /) -> int:
        """A cell drawn uniformly among those beside a clue."""
        cells = candidates(position, answer)
        beside = np.zeros(position.codes.size, np.bool_)
        beside[position.problem().cells] = True
        near = cells[beside[cells]]
        return pick(near if near.size else cells, rng)


@dataclass(frozen=True, slots=True)
class Safest:
    """The cell that is least probably a mine.

    >>> from solvers import make_solver
    >>> position = Position.parse(["#1#", "###", "1##"], mines=2)
    >>> answer = make_solver("counting").marginals(position.problem())
    >>> answer.probability.reshape(position.shape).round(2).tolist()
    [[0.2, nan, 0.2], [0.2, 0.2, 0.2], [nan, 0.6, 0.4]]
    >>> Safest().choose(position, answer, np.random.default_rng(0)) in (0, 2, 3, 4, 5)
    True
    """

    needs_marginals: ClassVar[bool] = True

    def choose(self, position: Position, answer: Deduction | Marginals, rng: np.random.Generator, /) -> int:
        """One of the safest cells, drawn uniformly."""
        return pick(safest(position, answer), rng)


@dataclass(frozen=True, slots=True)
class Smart:
    """Of the safest cells one with the fewest covered neighbours: a corner before an edge, a clue that tells more."""

    needs_marginals: ClassVar[bool] = True

    def choose(self, position: Position, answer: Deduction | Marginals, rng: np.random.Generator, /) -> int:
        """One of these cells, drawn uniformly."""
        return pick(fewest_covered(position, safest(position, answer)), rng)


@dataclass(frozen=True, slots=True)
class Progress:
    """Of the safest cells one with the best chance to prove something new, see :func:`chance_of_progress`."""

    needs_marginals: ClassVar[bool] = True

    def choose(self, position: Position, answer: Deduction | Marginals, rng: np.random.Generator, /) -> int:
        """One of these cells, drawn uniformly."""
        cells = safest(position, answer)
        if cells.size == 1:
            return int(cells[0])
        chance = chance_of_progress(position, cells)
        return pick(cells[chance >= chance.max() - TIE], rng)


def chance_of_progress(position: Position, cells: NDArray[np.intp]) -> NDArray[np.float64]:
    """float64[len(cells)]: the probability that a cell is safe, and its clue makes another one provably safe.

    A clue that wins the game, because only mines stay covered, counts as well. Models are uniform, as in
    :class:`solvers.interface.Marginals`. 0 for all cells where the position has no model. Raises
    Unsupported for a count over the budget of `counting`.

    Each clue that a cell may show is a position to count; cells of the same kind are counted once.

    >>> position = Position.parse(["##1#"])  # one of 1 and 3 is the mine; opening 3 tells nothing
    >>> chance_of_progress(position, np.array([0, 1, 3])).tolist()
    [0.5, 0.5, 0.0]
    """
    alike = kinds(position)
    found: dict[Kind, float] = {}
    for cell in cells.tolist():
        if alike[cell] not in found:
            found[alike[cell]] = sum(
                share
                for after, answer, share in outcomes(position, cell)
                if (answer.probability == 0).any()
                or (answer.probability[after.codes.reshape(-1) == COVERED] == 1).all()
            )
    return np.array([found[alike[cell]] for cell in cells.tolist()], np.float64)


def kinds(position: Position) -> list[Kind]:
    """Of each cell its kind: the clues it is beside, and those of its covered neighbours, with how many have these.

    Covered cells beside the same clues are exchangeable, so opening cells of the same kind shows as much.
    """
    problem = position.problem()
    clues: list[list[int]] = [[] for _ in range(problem.n)]
    for clue, (begin, end) in enumerate(zip(problem.indptr[:-1].tolist(), problem.indptr[1:].tolist(), strict=True)):
        for cell in problem.cells[begin:end].tolist():
            clues[cell].append(clue)
    around = [
        Counter(tuple(clues[other]) for other in position.topology.of(cell).tolist() if problem.covered[other])
        for cell in range(problem.n)
    ]
    return [(tuple(clues[cell]), tuple(sorted(around[cell].items()))) for cell in range(problem.n)]


def outcomes(position: Position, cell: int) -> list[tuple[Position, Marginals, float]]:
    """What opening a covered cell may show: the position then, its marginals, and the probability of that clue.

    What hits a mine is left out, so the probabilities add up to that of a safe cell. Models are uniform. Nothing where
    the position has no model. Raises Unsupported for a count over the budget of `counting`.
    """
    from solvers.counting import Counting  # compiled code, which not every policy needs

    near = position.codes.reshape(-1)[position.topology.of(cell)]
    hits = int(np.count_nonzero(near == HIT))
    shown = []
    for clue in [*range(hits, hits + int(np.count_nonzero(near == COVERED)) + 1), HIT]:
        after = position.codes.copy()
        after.flat[cell] = clue
        shown.append(Position(after, position.mines, topology=position.topology))
    answers = Counting().marginals_many([after.problem() for after in shown], threads=1)
    logs = np.array([answer.log_models for answer in answers])
    if np.isnan(logs).any():
        raise Unsupported(f"counting what cell {cell} may show goes over the budget of {Counting().max_bytes:,} bytes")
    if logs.max() == -np.inf:
        return []
    models = np.exp(logs - logs.max())
    shares = (models / models.sum()).tolist()
    return [found for found in zip(shown[:-1], answers, shares[:-1], strict=False) if found[2] > 0]


def candidates(position: Position, answer: Deduction | Marginals) -> NDArray[np.intp]:
    """The covered cells that the answer does not prove mines, ascending. ValueError if there are none."""
    mines = answer.mines if isinstance(answer, Deduction) else answer.probability == 1
    if mines.size != position.codes.size:
        raise ValueError(f"an answer about {mines.size} cells for a position of {position.codes.size}")
    cells = np.flatnonzero((position.codes.reshape(-1) == COVERED) & ~mines)
    if not cells.size:
        raise ValueError(f"no cell to open: all that are covered are proved mines in {position!r}")
    return cells


def pick(cells: NDArray[np.intp], rng: np.random.Generator) -> int:
    """One of the cells, drawn uniformly."""
    return int(cells[rng.integers(cells.size)])


def probabilities(position: Position, answer: Deduction | Marginals) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """(the candidates that the answer has a number for, ascending; these). ValueError if there are none."""
    if isinstance(answer, Deduction):
        raise ValueError(f"this policy needs probabilities, and {answer!r} has none: ask the solver for marginals")
    cells = candidates(position, answer)
    cells = cells[~np.isnan(answer.probability[cells])]
    if not cells.size:
        raise ValueError(f"this policy needs probabilities, and {answer!r} has none for the covered cells")
    return cells, answer.probability[cells]


def safest(position: Position, answer: Deduction | Marginals) -> NDArray[np.intp]:
    """The cells that are least probably mines, ascending. ValueError as :func:`probabilities`."""
    cells, share = probabilities(position, answer)
    least: NDArray[np.intp] = cells[share <= share.min() + TIE]
    return least


def fewest_covered(position: Position, cells: NDArray[np.intp]) -> NDArray[np.intp]:
    """Of these cells those with the fewest covered neighbours."""
    covered = position.codes.reshape(-1) == COVERED
    around = np.array([np.count_nonzero(covered[position.topology.of(cell)]) for cell in cells.tolist()])
    fewest: NDArray[np.intp] = cells[around == around.min()]
    return fewest
