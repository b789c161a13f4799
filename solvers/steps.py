"""In which small steps can everything that is entailed be found? Each step: few clues, and what is known by then.

Method: greedy, as in step-wise explanations: the next step is a cheapest one, that with the fewest clues, and of these
one without the mine count, and then the one with the first cells. Cells of earlier steps are facts and cost nothing:
they are taken out of the clues, and :mod:`solvers.smallest` looks for the smallest set in the rest. A step settles
everything that its clues entail beside the facts. In the end the facts that it does not need are dropped.

Of every cell it is known how many clues it needs at least. The cell with the smallest bound is asked about: so many
clues settle it, and that is the step, or its bound rises. A set without the mine count hangs together, so after a step
bounds fall only around the clues that it changed, and not below the distance to these. Only where the mine count could
say something beside few clues are all cells asked about again.
Cost: steps of one clue cost microseconds, the others about a millisecond; where the mine count is needed, as much for
every cell that is left.

Source: B. Bogaerts, E. Gamba, T. Guns, "A framework for step-wise explaining how to solve constraint satisfaction
problems", Artificial Intelligence 300, 2021.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np

from board.problem import Problem
from solvers.clue_oracle import ClueOracle
from solvers.explanation import ClueSet, clues_of, consistent_deduction, deduced, divided, part_of
from solvers.hitting import TooHard
from solvers.interface import Deduction
from solvers.smallest import Clues, Search, local_clues


@dataclass(frozen=True, slots=True)
class Step(ClueSet):
    """From these clues and facts the cells follow.

    constraints: their numbers in the problem, ascending; mine_count: whether it is needed as well.
    facts: cells of earlier steps, ascending, of which none can be left out.
    safe, mines: the cells that are new, ascending.
    smallest: proved that no step with fewer clues was there at this point.
    """

    constraints: tuple[int, ...]
    mine_count: bool
    facts: tuple[int, ...]
    safe: tuple[int, ...]
    mines: tuple[int, ...]
    smallest: bool


def explain_steps(problem: Problem, *, progress: Callable[[int, int], None] | None = None) -> tuple[Step, ...]:
    """Steps that settle all entailed cells, one after the other.

    progress: called with (cells settled, cells to be settled) before each step.

    Raises ValueError for a problem without a model.

    >>> problem = Problem.from_sets([({0, 1}, 1), ({0, 1, 2}, 1), ({2, 3}, 1)], n=4)
    >>> for step in explain_steps(problem):
    ...     print(step.constraints, step.facts, step.safe, step.mines)
    (0, 1) () (2,) ()
    (2,) (2,) () (3,)
    """
    walk = _Walk(problem, consistent_deduction(problem))
    total = len(walk.left)
    steps = []
    try:
        while walk.left:
            if progress is not None:
                progress(total - len(walk.left), total)
            steps.append(walk.one_clue() or walk.count_alone() or walk.several())
    finally:
        walk.oracle.close()
    return tuple(steps)


class _Oracle(ClueOracle):
    """An oracle about the clues without the cells that are known."""

    __slots__ = ()

    def settle(self, cell: int, mine: bool) -> list[int]:
        """Take a cell out of its clues, which are written anew when they are needed; which these are."""
        changed = self.clues.pop(cell, [])
        for i in changed:
            self.scopes[i].remove(cell)
            self.totals[i] -= mine
            self._selector.pop(i, None)
        return changed


class _Walk:
    """What is known so far, and the next step.

    left: entailed cells that are not known yet; oracle: the clues without the known cells.
    """

    def __init__(self, problem: Problem, answer: Deduction) -> None:
        self.problem = problem
        self.mine: list[bool] = answer.mines.tolist()
        self.left = set(np.flatnonzero(answer.safe | answer.mines).tolist())
        self.known: set[int] = set()
        self.covered = problem.covered.copy()
        self.unknown = int(np.count_nonzero(self.covered))
        self.mines = problem.mines
        self.oracle = _Oracle(problem)
        self.full = [tuple(scope) for scope in self.oracle.scopes]
        self.widest = max(map(len, self.full), default=0)
        self.ready = [i for i in range(len(self.full)) if self._decides(i)]  # a heap; some are done with
        self.bounds = _Bounds(self.oracle, self.mine, self._local_rest)
        self.bounds.add(answer if problem.mines is None else deduced(problem.local()))

    def _decides(self, i: int) -> bool:
        size = len(self.oracle.scopes[i])
        return size > 0 and self.oracle.totals[i] in (0, size)

    def one_clue(self) -> Step | None:
        """The step of the first clue that settles all its cells."""
        while self.ready:
            i = heappop(self.ready)
            if self._decides(i):
                mine = self.oracle.totals[i] > 0
                # mines that are the whole total make the rest safe; without so many safe cells the rest are mines
                facts = [c for c in self.full[i] if c in self.known and self.mine[c] != mine]
                return self._step(Clues((i,), False, True), facts, sorted(self.oracle.scopes[i]))
        return None

    def count_alone(self) -> Step | None:
        """The step of the mine count by itself, if it settles all that is left."""
        if self.mines not in (0, self.unknown):
            return None
        facts = [c for c in sorted(self.known) if self.mine[c] == (self.mines == 0)]
        return self._step(Clues((), True, True), facts, np.flatnonzero(self.covered).tolist())

    def several(self) -> Step:
        """A step of the fewest clues, which are more than one."""
        best = self.bounds.lowest()
        if self.mines is not None and (best is None or self._count_may_bite(len(best.constraints) - 2)):
            best = self._with_count(best)
        assert best is not None
        found = deduced(self._rest(best.constraints, best.mine_count))
        new = np.flatnonzero(found.safe | found.mines).tolist()
        step = self._step(best, self._needed(best, new), new)
        if best.mine_count and self.left:
            self.bounds.add(deduced(self._local_rest()))  # clues say more beside what only the mine count tells
        return step

    def _count_may_bite(self, clues: int) -> bool:
        """Whether so many clues could leave too few mines, or safe cells, for another cell; never wrongly no."""
        assert self.mines is not None
        return clues * self.widest + 1 > min(self.mines, self.unknown - self.mines)

    def _with_count(self, best: Clues | None) -> Clues | None:
        """`best`, of the clues alone, or a set of fewer clues with the mine count; looked for at every cell left."""
        rest = self._rest(range(len(self.full)), True)
        search = Search(rest, True)
        asked: set[tuple[int, ...]] = set()
        try:
            for cell in sorted(self.left):
                box = tuple(self.oracle.clues.get(cell, ()))
                if box in asked:
                    continue  # cells in the same clues are exchangeable
                asked.add(box)
                if best is None:
                    best = clues_of(search, cell, self.mine[cell], False)
                    continue
                try:
                    best = search.with_count(best, (cell, self.mine[cell]))
                except TooHard:
                    best = best._replace(smallest=False)
        finally:
            search.close()
        return best

    def _rest(self, constraints: Sequence[int], mine_count: bool) -> Problem:
        """The problem of these constraints, and perhaps the mine count, without the known cells."""
        scopes = [self.oracle.scopes[i] for i in constraints]
        indptr = np.cumsum([0, *map(len, scopes)], dtype=np.int32)
        cells = np.array([c for scope in scopes for c in scope], np.int32)
        totals = np.array([self.oracle.totals[i] for i in constraints], np.int32)
        return Problem.trusted(self.covered.copy(), indptr, cells, totals, self.mines if mine_count else None)

    def _local_rest(self) -> Problem:
        return self._rest(range(len(self.full)), False)

    def _needed(self, clues: Clues, new: list[int]) -> list[int]:
        """Known cells of which the clues need each to settle all the new ones, ascending."""
        part = part_of(self.problem, clues.constraints, clues.mine_count)
        mine = np.array(self.mine)[new]
        inside = {c for i in clues.constraints for c in self.full[i]}

        def enough(facts: list[int]) -> bool:
            answer = deduced(_with_facts(part, facts, self.mine))
            return bool((answer.mines[new] == mine).all() and (answer.safe[new] != mine).all())

        kept = sorted(self.known & inside)
        # without a clue on them cells tell by their number alone: so few of each kind that the rest does
        counted = sorted(self.known - inside) if clues.mine_count else []
        outside = [[c for c in counted if self.mine[c] == kind] for kind in (False, True)]
        if not enough(sorted([*kept, *outside[0], *outside[1]])):
            raise RuntimeError(f"a bug: {clues} and what is known do not settle {new}, of {self.problem}")
        for fact in list(kept):
            fewer = [c for c in kept if c != fact]
            if enough(sorted([*fewer, *outside[0], *outside[1]])):
                kept = fewer
        for kind in (0, 1):
            every, others = outside[kind], [*kept, *outside[1 - kind]]
            count = bisect_left(range(len(every)), True, key=lambda k: enough(sorted([*every[:k], *others])))
            outside[kind] = every[:count]
        return sorted([*kept, *outside[0], *outside[1]])

    def _step(self, clues: Clues, facts: list[int], new: list[int]) -> Step:
        """The step that settles the new cells, which are known from now on."""
        self.known.update(new)
        self.left.difference_update(new)
        self.covered[new] = False
        self.unknown -= len(new)
        changed: dict[int, None] = {}
        for cell in new:
            changed.update(dict.fromkeys(self.oracle.settle(cell, self.mine[cell])))
            if self.mines is not None:
                self.mines -= self.mine[cell]
        for i in changed:
            if self._decides(i):
                heappush(self.ready, i)
        self.bounds.known(new, changed)
        safe, mines = (tuple(c for c in new if self.mine[c] == mine) for mine in (False, True))
        return Step(clues.constraints, clues.mine_count, tuple(facts), safe, mines, clues.smallest)


class _Bounds:
    """How many clues, without the mine count, each cell needs at least.

    Cells in the same clues are exchangeable: only the first one of them is looked at.

    at: the bound of each such cell that the clues entail. rest: makes the problem of the clues as they are.
    """

    def __init__(self, oracle: _Oracle, mine: list[bool], rest: Callable[[], Problem]) -> None:
        self.oracle, self.mine, self.rest = oracle, mine, rest
        self.at: dict[int, int] = {}
        self._heap: list[tuple[int, int]] = []  # (bound, cell); those that are not `at` count no more
        self._enough: dict[int, tuple[int, ...]] = {}  # a minimal set of clues that settles the cell
        self._given_up: set[int] = set()  # cells of which it is not proved that no fewer clues settle them
        self._changed: dict[int, None] = {}

    def add(self, answer: Deduction) -> None:
        """More cells, which the clues entail."""
        clues = self.oracle.clues
        boxes = {tuple(clues[cell]) for cell in self.at}
        for cell in np.flatnonzero(answer.safe | answer.mines).tolist():
            box = tuple(clues[cell])
            if box not in boxes:
                boxes.add(box)
                self._put(cell, 2)

    def _put(self, cell: int, bound: int) -> None:
        self.at[cell] = bound
        heappush(self._heap, (bound, cell))

    def known(self, cells: Iterable[int], changed: dict[int, None]) -> None:
        """These cells are known from now on, which changes these clues."""
        for cell in cells:
            if self.at.pop(cell, None) is not None:
                self._enough.pop(cell, None)
                self._given_up.discard(cell)
        self._changed.update(changed)

    def lowest(self) -> Clues | None:
        """The smallest set that settles a cell, for the first of these; None if the clues settle none."""
        self._lower()
        while self._heap:
            bound, cell = self._heap[0]
            if self.at.get(cell) != bound:
                heappop(self._heap)
                continue
            enough = self._enough.get(cell)
            if enough is None or len(enough) != bound:
                enough = self._ask(cell, bound)
            if enough is not None and len(enough) <= bound:
                return Clues(enough, False, not self._given_up)
            heappop(self._heap)
            self._put(cell, len(enough) if enough is not None and cell in self._given_up else bound + 1)
        return None

    def _ask(self, cell: int, bound: int) -> tuple[int, ...] | None:
        """Clues that settle the cell: `bound` ones if there are so many; None if nothing near enough does."""
        mine = self.mine[cell]

        def settled(part: Problem) -> bool:
            answer = deduced(part)
            return bool((answer.mines if mine else answer.safe)[cell])

        try:
            enough, proved = local_clues(self.oracle, cell, mine, bound)
        except TooHard:
            enough, proved = divided(self.rest(), False, settled).constraints, False
        if enough is not None:
            self._enough[cell] = enough
        (self._given_up.discard if proved else self._given_up.add)(cell)
        return enough

    def _lower(self) -> None:
        """Lower the bounds around the clues that changed: a set with one of these reaches from it to the cell."""
        changed, self._changed = self._changed, {}
        for cell in [cell for cell, clues in self._enough.items() if any(i in changed for i in clues)]:
            del self._enough[cell]
        scopes, clues = self.oracle.scopes, self.oracle.clues
        highest = max(self.at.values(), default=0)
        ring, seen, hops = list(changed), set(changed), 0
        while ring and (bound := max(2, hops + 1)) < highest:
            wider = []
            for cell in dict.fromkeys(cell for i in ring for cell in scopes[i]):
                if self.at.get(cell, 0) > bound:
                    self._put(cell, bound)
                more = [i for i in clues[cell] if i not in seen]
                seen.update(more)
                wider += more
            ring, hops = wider, hops + 1


def _with_facts(part: Problem, facts: list[int], mine: list[bool]) -> Problem:
    """The same with a constraint more for each known cell."""
    last = part.cells.size
    indptr = np.concatenate([part.indptr, np.arange(last + 1, last + len(facts) + 1, dtype=np.int32)])
    cells = np.concatenate([part.cells, np.array(facts, np.int32)])
    totals = np.concatenate([part.totals, np.array([mine[c] for c in facts], np.int32)])
    return Problem.trusted(part.covered, indptr, cells, totals, part.mines)
