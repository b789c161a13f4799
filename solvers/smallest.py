"""Which is the smallest set of clues that settles a cell? Smallest unsatisfiable subsets by implicit hitting sets.

Method: the clues and the contrary of what is to be explained have no model; wanted is a smallest part of the clues
for which this is still so. Every model of some clues tells which others it violates, and one of these must be in
every explanation. A smallest set that hits all such sets found so far is asked for a model: none, and it is
the explanation; else the model, extended to satisfy as many clues as it can, tells one more set to hit, and more sets
disjoint from it follow at once. Without the mine count a smallest set hangs together: clues come in rings around
the cell, the first ring that settles it gives a first set of k clues, and no smaller one reaches beyond ring k - 1.

The mine count is one more clue. It cannot say anything beside j clues unless they could hold more mines, or more safe
cells, than there are, which rules it out at sight on most positions.
Cost: microseconds a question to the oracle, a few dozen questions a cell, several hundred where the mine count needs
dozens of clues beside it; exponential at worst, and then given up: the set is minimal, but not proved smallest.

Source: A. Ignatiev, A. Previti, M. Liffiton, J. Marques-Silva, "Smallest MUS extraction with minimal hitting set
dualization", CP 2015. The first set is reduced by deletion: J. Marques-Silva, "Minimal unsatisfiability: models,
algorithms and applications", ISMVL 2010.
"""

from __future__ import annotations

from itertools import accumulate
from typing import NamedTuple

import numpy as np

from board.problem import Problem
from solvers.clue_oracle import ClueOracle, Model
from solvers.counts import counts
from solvers.hitting import TooHard, smallest_hitting_set

WORK = 3_000_000  #: of an oracle in one search unless told otherwise: assumptions of its questions, and conflicts
_ROUND = 5_000  # what an element of a hitting set adds to it
_MANY = 30  # cuts from which on two are looked for at once

Cut = tuple[Model, int]  #: a model, and the clues that it violates as bits


class Clues(NamedTuple):
    """Constraints, ascending, and whether the mine count is one of the clues; smallest: no fewer clues do the same."""

    constraints: tuple[int, ...]
    mine_count: bool
    smallest: bool


class Search:
    """Explanations of one problem, which share two oracles. To be closed.

    smallest: whether to look for smallest sets, else for minimal ones.
    work: budget of each search for a smallest one.
    All methods raise TooHard if not even a minimal set was found.
    """

    def __init__(self, problem: Problem, smallest: bool, work: int = WORK) -> None:
        self.problem = problem
        self.smallest = smallest
        self.work = work
        self.covered = int(np.count_nonzero(problem.covered))
        self.local = ClueOracle(problem)
        self._counted: ClueOracle | None = None
        self._known: dict[tuple[int, ...], Clues] = {}
        self._seen: list[Cut] = []  # with the mine count, among all clues
        scopes, totals = self.local.scopes, self.local.totals
        self._most_mines = _largest_sums(totals)
        self._most_safe = _largest_sums([len(s) - t for s, t in zip(scopes, totals, strict=True)])

    def close(self) -> None:
        """Free the oracles."""
        self.local.close()
        if self._counted is not None:
            self._counted.close()

    def of_cell(self, cell: int, mine: bool, locally: bool) -> Clues:
        """Why a cell is a mine or not, which is known; locally: from the clues alone."""
        box = tuple(self.local.clues.get(cell, ()))
        found = self._known.get(box)
        if found is None:  # cells in the same clues are exchangeable
            found = self._known[box] = self._of_box(box, cell, mine, locally)
        return found

    def of_contradiction(self, locally: bool) -> Clues:
        """Why there is no model, which is known; locally: of the clues alone."""
        oracle, mines = self.local, self.problem.mines
        for i, (scope, total) in enumerate(zip(oracle.scopes, oracle.totals, strict=True)):
            if not 0 <= total <= len(scope):
                return Clues((i,), False, True)
        if mines is not None and not 0 <= mines <= self.covered:
            return Clues((), True, True)
        best = None
        if locally:
            every = list(range(len(oracle.scopes)))
            best = self._best(oracle, every, [], None)
        return self.with_count(best, None)

    def _of_box(self, box: tuple[int, ...], cell: int, mine: bool, locally: bool) -> Clues:
        oracle, mines = self.local, self.problem.mines
        for i in box:
            if oracle.totals[i] == (len(oracle.scopes[i]) if mine else 0):
                return Clues((i,), False, True)
        if mines is not None and mines == (self.covered if mine else 0):
            return Clues((), True, True)
        return self.with_count(self._ringed(cell, mine) if locally else None, (cell, mine))

    def _ringed(self, cell: int, mine: bool) -> Clues:
        """The best set without the mine count; there is one, of more than one clue."""
        oracle = self.local
        oracle.shrink()
        against = [oracle.against(cell, mine)]
        rings = _Rings(oracle, cell)
        while oracle.ask(rings.clues, against) is not None:
            if len(rings.ends) > len(oracle.scopes):
                raise RuntimeError(f"cell {cell} does not follow from the clues of {self.problem}")
            rings.grow()
        return self._best(oracle, rings.clues, against, rings)

    def with_count(self, best: Clues | None, target: tuple[int, bool] | None) -> Clues:
        """`best`, also of another cell, or fewer clues with the mine count. target: the cell; None: no model."""
        if best is not None:
            most = len(best.constraints) + best.mine_count - 2
            if not self._count_bites(most, target is not None):
                return best
            if not self.smallest:
                return best._replace(smallest=False)
        if self._counted is None:
            self._counted = ClueOracle(self.problem, counted=True)
        oracle = self._counted
        against = [] if target is None else [oracle.against(*target)]
        every = list(range(len(oracle.scopes)))
        if best is None:
            return self._best(oracle, every, against, None)._replace(mine_count=True)
        found, proved = _smallest(oracle, every, against, most, self._seen, self.work)
        proved = proved and best.smallest
        return best._replace(smallest=proved) if found is None else Clues(tuple(sorted(found)), True, proved)

    def _best(self, oracle: ClueOracle, clues: list[int], against: list[int], rings: _Rings | None) -> Clues:
        """A set of clues that has no model with the literals, if these have none; rings: around the cell."""
        if oracle.ask(clues, against) is not None:
            raise RuntimeError(f"clues {clues} have a model with the literals {against}, of {self.problem}")
        best = _reduced(oracle, oracle.core(clues), against)
        least = 2 if rings is None else max(2, len(rings.ends))
        proved = len(best) <= least and rings is not None
        if self.smallest and not proved:
            if rings is not None:
                while len(rings.ends) < len(best) - 1:
                    rings.grow()
                clues = rings.clues[: rings.ends[len(best) - 2]]
            seen = self._seen if oracle is self._counted else []
            found, proved = _smallest(oracle, clues, against, len(best) - 1, seen, self.work)
            best = best if found is None else found
        return Clues(tuple(sorted(best)), False, proved)

    def _count_bites(self, clues: int, cells: int) -> bool:
        """Whether so many clues and cells beside could have more mines, or more safe cells, than there are."""
        mines = self.problem.mines
        if mines is None or clues < 0:
            return False
        last = min(clues, len(self.local.totals))
        return self._most_mines[last] + cells > mines or self._most_safe[last] + cells > self.covered - mines


def local_clues(
    oracle: ClueOracle, cell: int, mine: bool, size: int, work: int = WORK
) -> tuple[tuple[int, ...] | None, bool]:
    """(clues that settle a cell, which has no fewer than `size`; whether it is proved that no `size` others do).

    The first are None where everything that is near enough does not settle it; no mine count is looked at. Raises
    TooHard if not even a minimal set was found.
    """
    oracle.shrink()
    against = [oracle.against(cell, mine)]
    rings = _Rings(oracle, cell)
    while len(rings.ends) < size:
        rings.grow()
    if oracle.ask(rings.clues, against) is not None:
        return None, True
    best = _reduced(oracle, oracle.core(rings.clues), against)
    proved = True
    if len(best) > size:
        found, proved = _smallest(oracle, rings.clues, against, size, [], work)
        best = best if found is None else found
    return tuple(sorted(best)), proved


def _largest_sums(numbers: list[int]) -> list[int]:
    """The sums of the 0, 1, 2, ... largest numbers.

    >>> _largest_sums([1, 3, 2])
    [0, 3, 5, 6]
    """
    return [0, *accumulate(sorted(numbers, reverse=True))]


class _Rings:
    """The clues around a cell: those on it, those that share a cell with one of these, and so on.

    ends: how many clues there are in the first ring, in the first two, ...
    """

    def __init__(self, oracle: ClueOracle, cell: int) -> None:
        self.oracle = oracle
        self.clues = list(oracle.clues[cell])
        self.ends = [len(self.clues)]
        self._seen = set(self.clues)

    def grow(self) -> None:
        """Take the next ring."""
        oracle, seen = self.oracle, self._seen
        for i in self.clues[self.ends[-2] if len(self.ends) > 1 else 0 :]:
            for cell in oracle.scopes[i]:
                for j in oracle.clues[cell]:
                    if j not in seen:
                        seen.add(j)
                        self.clues.append(j)
        self.ends.append(len(self.clues))


def _reduced(oracle: ClueOracle, core: list[int], against: list[int]) -> list[int]:
    """A minimal part of a core that still has no model with the literals; its last clues are the first to go."""
    needed: list[int] = []
    while core:
        rest = [*needed, *core[:-1]]
        if oracle.ask(rest, against) is not None:
            needed.append(core.pop())
        else:
            kept = set(oracle.core(rest))
            core = [i for i in core[:-1] if i in kept]
    return needed


def _smallest(
    oracle: ClueOracle, clues: list[int], against: list[int], most: int, seen: list[Cut], work: int
) -> tuple[list[int] | None, bool]:
    """(a smallest set of up to `most` of the clues that has no model with the literals; whether that is proved).

    seen: cuts of earlier searches among the same clues; those found are added.
    """
    place = {i: j for j, i in enumerate(clues)}
    cuts = [mask for model, mask in seen if all(model[abs(x) - 1] == x for x in against)]
    end = oracle.work + work
    try:
        while (hit := smallest_hitting_set(cuts, most)) is not None:
            chosen = [clues[j] for j in counts(hit)]
            size = len(chosen)
            oracle.work += _ROUND * size
            while (model := oracle.ask(chosen, against)) is not None:
                if oracle.work > end:
                    raise TooHard
                for ascending in (False, True)[: 1 + (len(cuts) > _MANY)]:
                    wider, cut = _correction(oracle, clues, against, model, ascending)
                    if not cut:
                        return None, True
                    seen.append((wider, sum(1 << place[i] for i in cut)))
                    cuts.append(seen[-1][1])
                chosen += cut
            if len(chosen) == size:
                return chosen, True
    except TooHard:
        return None, False
    return None, True


def _correction(
    oracle: ClueOracle, clues: list[int], against: list[int], model: Model, ascending: bool
) -> tuple[Model, list[int]]:
    """(a model of as many clues as possible, found from this one; the others, of which every explanation has one).

    ascending: the order in which the violated clues are tried; other orders end in other models.
    """
    left = oracle.violated(clues, model)
    out = set(left)
    kept = [i for i in clues if i not in out]
    needed = []
    if ascending:
        left.reverse()
    while left:
        i = left.pop()
        wider = oracle.ask([*kept, i], against)
        if wider is None:
            needed.append(i)
            continue
        model = wider
        out = set(oracle.violated(left, model))
        kept += [i, *(j for j in left if j not in out)]
        left = [j for j in left if j in out]
    return model, needed
