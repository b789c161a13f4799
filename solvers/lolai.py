"""LolAI, a player on `minmax`: which guess is best, when clauses {min <= cells <= max} prove nothing more?

Method: all clauses of the fixpoint (:meth:`solvers.minmax.MinMax.clauses`), less those that others imply, are guesses,
and so are the wild cells, those in no clause, at the density of mines that is left. Whoever opens a random
cell of a clause meets a mine with a probability between min/size and max/size, however the mines lie. A cell
is as good as the best bound that its clauses promise; of equal ones that with the better mean, over its
clauses, of (min + max) / 2 size.
Cost: that of `minmax`, and for each clause the pairs of clauses within it.

Two games are played. In the ordinary one (`goal=safe`) mines are avoided. In that of the source (`goal=mines`)
they are looked for: "N3 is settled, so it goes to the game driver first", and of the others the one with the best
hit rate. How it is scored the source does not say, so :func:`play_mines` gives the whole sequence of hits and misses.

The source drops the clauses that it derived others from; here they are only hidden, when guessing and printing,
because later deductions need them.
Source: AmosYang, LolAI, PTT board java (2010), who says that this choice decides the match.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from board.layout import Layout
from board.position import COVERED, Position
from board.problem import Mask, Problem
from solvers.interface import Deduction, Marginals
from solvers.minmax import MinMax
from solvers.policy import TIE, candidates, pick


@dataclass(frozen=True, slots=True)
class Clause:
    """At least `minimum` and at most `maximum` of the cells, ascending, are mines."""

    minimum: int
    cells: tuple[int, ...]
    maximum: int

    def text(self, columns: int) -> str:
        """The clause as its author writes it, cells as (x, y), column first, on a board of so many columns.

        >>> Clause(1, (2, 5), 1).text(columns=3)
        '{ 1 <= [ (2,0) (2,1) ] <= 1 }'
        """
        places = sorted((cell % columns, cell // columns) for cell in self.cells)
        return f"{{ {self.minimum} <= [ {' '.join(f'({x},{y})' for x, y in places)} ] <= {self.maximum} }}"


def clauses(problem: Problem) -> list[Clause]:
    """What clues say, at the fixpoint of `minmax`: each settled cell, and bounds for sets of the others.

    Raises ValueError where they have no model.

    >>> position = Position.parse(["__#", "_1#", "_2#", "__#"])
    >>> for clause in clauses(position.problem()):
    ...     print(clause.text(columns=3))
    { 0 <= [ (2,0) ] <= 0 }
    { 1 <= [ (2,1) (2,2) ] <= 1 }
    { 1 <= [ (2,3) ] <= 1 }
    """
    return [Clause(*clause) for clause in MinMax().clauses(problem)]


def without_implied(all_clauses: Sequence[Clause]) -> list[Clause]:
    """The clauses that do not follow from two others that lie side by side within them.

    A bound follows from two such clauses if it is the sum of theirs, and the cells in neither are free.

    >>> pair, other, both = Clause(1, (0, 1), 1), Clause(1, (2, 3), 1), Clause(2, (0, 1, 2, 3), 2)
    >>> without_implied([pair, both, other]) == [pair, other]
    True
    """
    scopes = [frozenset(clause.cells) for clause in all_clauses]
    holding: dict[int, list[int]] = defaultdict(list)  # cell -> the places of what holds it
    for place, scope in enumerate(scopes):
        for cell in sorted(scope):
            holding[cell].append(place)
    kept = []
    for place, clause in enumerate(all_clauses):
        near = dict.fromkeys(other for cell in clause.cells for other in holding[cell])
        within = [other for other in near if scopes[other] < scopes[place]]
        least, most = 0, len(clause.cells)
        for a, b in combinations(within, 2):
            if scopes[a].isdisjoint(scopes[b]):
                first, second = all_clauses[a], all_clauses[b]
                free = len(clause.cells) - len(first.cells) - len(second.cells)
                least = max(least, first.minimum + second.minimum)
                most = min(most, first.maximum + second.maximum + free)
        if least < clause.minimum or most > clause.maximum:
            kept.append(clause)
    return kept


def wild_cells(position: Position) -> Mask:
    """The covered cells without an opened neighbour, bool[n]: guesses about which no clue says anything.

    >>> np.flatnonzero(wild_cells(Position.parse(["1###"]))).tolist()
    [2, 3]
    """
    codes, topology = position.codes.reshape(-1), position.topology
    owner = np.repeat(np.arange(topology.n), np.diff(topology.indptr))
    beside = np.bincount(owner[codes[topology.neighbours] != COVERED], minlength=topology.n)
    wild: Mask = (codes == COVERED) & (beside == 0)
    return wild


@dataclass(frozen=True, slots=True)
class LolAI:
    """The best guess among the clauses and the wild cells.

    goal: `safe` chooses the cell with the smallest worst-case share of mines, then the smallest expected one;
        `mines` the cell with the largest share that is certain, then the largest expected one. A proved mine
        is the best cell for `mines`, and no cell at all for `safe`.

    What the answer proves is used as clues are. Without a mine count a wild cell is a mine with probability 1/2.

    >>> position = Position.parse(["#1#", "###", "###", "###"], mines=2)  # five cells hold one, six the other
    >>> LolAI("safe").choose(position, Deduction.inconsistent(12), np.random.default_rng(0)) >= 6
    True
    """

    goal: Literal["safe", "mines"] = "safe"

    needs_marginals: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.goal not in ("safe", "mines"):
            raise ValueError(f"a goal is safe or mines, not {self.goal!r}")

    def choose(self, position: Position, answer: Deduction | Marginals, rng: np.random.Generator, /) -> int:
        """One of the best cells, drawn uniformly. ValueError where clues and answer have no model."""
        seek = self.goal == "mines"
        proved = answer if isinstance(answer, Deduction) else answer.deduction()
        cells = np.flatnonzero(position.codes.reshape(-1) == COVERED) if seek else candidates(position, proved)
        if not cells.size:
            raise ValueError(f"no cell is covered in {position!r}")
        worst, expected = shares(told(position.problem(), proved), seek=seek)
        for share in (worst, expected):
            best = share[cells].max() - TIE if seek else share[cells].min() + TIE
            cells = cells[share[cells] >= best if seek else share[cells] <= best]
        return pick(cells, rng)


def told(problem: Problem, proved: Deduction) -> Problem:
    """The problem with what is proved as further clues, one a cell. ValueError for another number of cells."""
    if proved.safe.size != problem.n:
        raise ValueError(f"an answer about {proved.safe.size} cells for a problem of {problem.n}")
    cells = np.flatnonzero(proved.safe | proved.mines).astype(np.int32)
    indptr = np.concatenate([problem.indptr, problem.indptr[-1] + np.arange(1, cells.size + 1, dtype=np.int32)])
    totals = np.concatenate([problem.totals, proved.mines[cells].astype(np.int32)])
    return Problem.trusted(problem.covered, indptr, np.concatenate([problem.cells, cells]), totals, problem.mines)


def shares(problem: Problem, *, seek: bool = False) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Of each cell its worst-case and its expected share of mines, float64[n]; nan where not covered.

    The worst case is the smallest of the upper bounds that the cell's clauses promise, or with `seek` the largest of
    the lower ones. A cell in no clause has the density that is left.

    Raises ValueError where the clues have no model.

    >>> worst, expected = shares(Problem.from_sets([({0, 1, 2}, 1)], n=5, mines=2))
    >>> worst.round(2).tolist(), expected.round(2).tolist()
    ([0.33, 0.33, 0.33, 0.4, 0.4], [0.33, 0.33, 0.33, 0.4, 0.4])
    """
    worst = np.full(problem.n, -1.0 if seek else 2.0)
    total, count = np.zeros(problem.n), np.zeros(problem.n, np.int64)
    unsettled, mines_left = problem.covered.copy(), problem.mines
    for clause in without_implied(clauses(problem)):
        cells, size = list(clause.cells), len(clause.cells)
        bound = clause.minimum / size if seek else clause.maximum / size
        worst[cells] = np.maximum(worst[cells], bound) if seek else np.minimum(worst[cells], bound)
        total[cells] += (clause.minimum + clause.maximum) / (2 * size)
        count[cells] += 1
        if size == 1 and clause.minimum == clause.maximum:
            unsettled[cells] = False
            mines_left = None if mines_left is None else mines_left - clause.minimum
    expected = np.divide(total, count, out=np.full(problem.n, np.nan), where=count > 0)
    wild = problem.covered & (count == 0)
    if wild.any():
        density = 0.5 if mines_left is None else mines_left / np.count_nonzero(unsettled)
        worst[wild] = expected[wild] = min(max(density, 0.0), 1.0)
    worst[~problem.covered] = np.nan
    return worst, expected


def play_mines(layout: Layout, rng: np.random.Generator) -> Iterator[bool]:
    """The game of finding mines, to the last one: for each cell that the player chooses, whether it is a mine.

    The player starts on a covered board, hands in mines that `minmax` proves and guesses where it proves none. A
    mine stays shown; a miss opens its cell, and with a zero the cells around it. Any score is a function of the
    sequence: mines before the first miss, misses in all.

    >>> list(play_mines(Layout.parse(["..*", "..."]), np.random.default_rng(0)))
    [False, True]
    """
    from board.flood import flood  # compiled

    player = LolAI("mines")
    mines, topology = layout.mines.reshape(-1), layout.topology
    opened, flags = np.zeros(mines.size, np.bool_), np.zeros(mines.size, np.bool_)
    while (mines & ~opened).any():
        position = layout.position(opened.reshape(layout.shape))
        cell = player.choose(position, MinMax().deduce(position.problem()), rng)
        if mines[cell]:
            opened[cell] = True
        else:
            room = int(np.count_nonzero(~mines & ~opened))
            flood(layout.clues.reshape(-1), opened, flags, topology.indptr, topology.neighbours, cell, room)
        yield bool(mines[cell])
