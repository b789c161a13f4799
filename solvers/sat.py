"""Which cells are the same in every model? The backbone, by incremental SAT over the mine variables.

Method: single clues first, then components of boxes (:mod:`solvers.components`); each constraint becomes clauses or
native at-most constraints (:mod:`solvers.encodings`); one model, then questions about the literals that all models
seen so far agree on, one a box (:mod:`solvers.backbone`). `strategy` says how these are put: `chunk` of them at once
(`iterate`), or all at once and by cores (`core`). `propagate` and `probe` do not search: they show how far unit
propagation gets with an encoding (:mod:`solvers.propagation`), and take the clues as they are.

The mine count never becomes a constraint over all covered cells (`count=naive` does that, to show what it costs).
The untouched cells are exchangeable: they hold any number from 0 to all, so the count is two bounds on the
other cells, and on one untouched cell that stands for all. Cheap bounds on the components show on most positions that
neither can be reached, and the local answer is the global one. Large problems are not tied together by the
bounds: each component is asked which counts it can have, as far as it matters (:mod:`solvers.mine_count`), and its
backbone is searched again among the models with those counts. That is exact, gaps included: "entailed" is proved
over a superset of the possible counts, "not entailed" by a model that the others' witnessed counts complete.

Cost: a few microseconds a question on game boards, nearly all of it Python and encoding; exponential at worst.

Source: the encoding of clues as cardinality constraints is folklore; backbones: see :mod:`solvers.backbone`; MiniCard:
M. Liffiton, J. Maglalang, "A cardinality solver: more expressive constraints for free", SAT 2012.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from time import perf_counter_ns

import numpy as np
from numpy.typing import NDArray

from board.problem import Problem
from solvers.backbone import BackboneOracle, backbone, backbone_by_cores
from solvers.components import Components, effect_of_count, masks, split, ungrouped, unsplit, with_untouched
from solvers.counts import interval
from solvers.encodings import EXTREME, check_encoding, encode
from solvers.incremental import Budget, Group, Part
from solvers.interface import Claims, Deduction, Status, check_budget
from solvers.mine_count import CountedPart, MineCount
from solvers.oracles import Need, find_oracle
from solvers.propagation import closure, probe

STRATEGIES = ("iterate", "core", "propagate", "probe")
PROPAGATING = ("propagate", "probe")  #: those of them without search
COUNTS = ("collapsed", "naive")

_AUTO = ("minicard", "gluecard3")  # for small groups of components, and for others
_SMALL_VARIABLES = 64
_GROUP_VARIABLES = 128  # components share an oracle until they have so many: one question moves them all
_BOUND_VARIABLES = 64  # up to this size the mine count bounds all of them at once


@dataclass(frozen=True, slots=True)
class Sat:
    """The backbone by incremental SAT: complete for both questions unless a parameter says otherwise.

    Parameters
    ----------
    encoding: of the constraints, one of `solvers.encodings.ENCODINGS`; `native` needs an oracle that has it.
    oracle: one of `solvers.oracles.ORACLES` or PySAT's aliases for it; `auto`: minicard, the fastest, for up to 64
        variables, beyond them gluecard3, which does not lose itself in half a million conflicts at times.
    strategy: one of STRATEGIES. `propagate` and `probe` are incomplete, and neither strip nor group.
    count: `collapsed`, or `naive`: the mine count as one constraint over all covered cells, in the same encoding.
    boxes: whether exchangeable cells are ordered and asked for together.
    chunk: how many literals `iterate` asks for at once, 0 for all.
    conflicts: budget of each question to the oracle, 0 for none. Over it: PARTIAL.
    calls: budget of questions, 0 for none. Over it: PARTIAL.

    Raises ValueError for unknown names and Unsupported for oracles that are refused or lack what a parameter needs, at
    once; Unsupported from `deduce` where the encoding cannot take a clue.

    >>> Sat().deduce(Problem.from_sets([({0, 1}, 1), ({0, 1, 2}, 1)], n=4, mines=1))
    <Deduction complete: safe [2, 3], mines []>
    """

    encoding: str = "native"
    oracle: str = "auto"
    strategy: str = "iterate"
    count: str = "collapsed"
    boxes: bool = True
    chunk: int = 8
    conflicts: int = 0
    calls: int = 0

    def __post_init__(self) -> None:
        check_encoding(self.encoding)
        for name, value, known in (("strategy", self.strategy, STRATEGIES), ("count", self.count, COUNTS)):
            if value not in known:
                raise ValueError(f"unknown {name} {value!r}; known are {', '.join(known)}")
        if not isinstance(self.boxes, bool):
            raise ValueError(f"boxes is true or false, not {self.boxes!r}")
        check_budget("chunk", self.chunk, 0)
        check_budget("conflicts", self.conflicts, 0, 2**31 - 1)  # the oracles take a C integer
        check_budget("calls", self.calls, 0)
        needs: tuple[Need, ...] = ("native",) if self.encoding == "native" else ()
        if self.strategy in PROPAGATING:
            needs += ("native_propagates",) if needs else ("propagates",)
        for name in _AUTO if self.oracle == "auto" else (self.oracle,):
            find_oracle(name, *needs, *(("limited",) if self.conflicts else ()))

    @property
    def claims(self) -> Claims:
        """Complete, unless a budget, a strategy without search or an encoding that cannot take every clue is chosen."""
        complete = not (self.conflicts or self.calls or self.strategy in PROPAGATING or self.encoding in EXTREME)
        # binomial takes every clue of a grid, and refuses scopes of dozens of cells, such as all of them
        whole = complete and not (self.count == "naive" and self.encoding == "binomial")
        steady = not (self.conflicts or self.calls)
        return Claims(complete_local=complete, complete_global=whole, steady=steady)

    def deduce(self, problem: Problem, /) -> Deduction:
        """The cells that are the same in every model."""
        components = unsplit(problem) if self.strategy in PROPAGATING else split(problem)
        mines = problem.mines
        if mines is not None and self.count == "naive":
            effect = "some"
            components = with_untouched(components)
        else:
            effect = effect_of_count(components, mines)
        if not components.consistent or effect == "no model":
            return Deduction.inconsistent(problem.n)
        if not self.boxes or self.strategy in PROPAGATING:
            components = ungrouped(components)
        search = _Search(self, components)
        try:
            status = search.run(mines if effect == "some" else None)
        finally:
            search.close()
        if status is Status.INCONSISTENT:
            return Deduction.inconsistent(problem.n, search.stats())
        return Deduction.trusted(*search.masks(), status, search.stats())


class _Search:
    """One deduction."""

    def __init__(self, solver: Sat, components: Components) -> None:
        self.solver = solver
        self.native = solver.encoding == "native"
        self.components = components
        self.budget = Budget(solver.calls or -1, solver.conflicts)
        self.groups: list[Group] = []
        self.settled: tuple[list[int], list[int]] = [], []  # boxes proved safe, and mines, beside those of the groups
        self.complete = True
        self.encode_nanoseconds = self.solve_nanoseconds = 0

    def run(self, mines: int | None) -> Status:
        """Answer the clues alone, or with a mine count that matters."""
        started = perf_counter_ns()
        consistent = self._run(None if mines is None else mines - self.components.placed)
        self.solve_nanoseconds = perf_counter_ns() - started - self.encode_nanoseconds
        if not consistent:
            return Status.INCONSISTENT
        return Status.COMPLETE if self.complete else Status.PARTIAL

    def _run(self, left: int | None) -> bool:
        """The backbone with `left` mines in the components and the untouched cells; False: there is no model."""
        components, solver = self.components, self.solver
        k = len(components.least)
        if solver.strategy in PROPAGATING:
            return self._propagate(self._group(0, k, False, left))
        if left is not None and (solver.count == "naive" or len(components.cells) < _BOUND_VARIABLES):
            return self._decide(self._group(0, k, False, left))
        keep = left is not None
        for first, last in self._spans():
            group = self._group(first, last, keep)
            if not self._decide(group):
                return False
            if not keep:
                group.close()
        if left is None:
            return True
        if all(group.models for group in self.groups):
            return self._global(left)
        self.complete = False
        return True

    def _spans(self) -> Iterator[tuple[int, int]]:
        """Which components (first, behind the last) share an oracle."""
        boxes = self.components.boxes
        starts = [boxes[j] for j in self.components.components]
        first = 0
        for i, stop in enumerate(starts[1:], 1):
            if stop - starts[first] >= _GROUP_VARIABLES or i == len(starts) - 1:
                yield first, i
                first = i

    def _group(self, first: int, last: int, keep: bool, left: int | None = None) -> Group:
        """The oracle of the components first..last - 1, whose variables it counts from 1.

        left: mines to place, if they are all components; then the last box stands for the untouched cells.
        """
        started = perf_counter_ns()
        components, encoding = self.components, self.solver.encoding
        boxes = components.boxes[components.components[first] : components.components[last] + 1]
        base = boxes[0]
        boxes = [x - base for x in boxes] if base else boxes
        size = boxes[-1]
        untouched = components.untouched if left is not None else 0
        if untouched:
            boxes.append(size + 1)
        name = _AUTO[size > _SMALL_VARIABLES] if self.solver.oracle == "auto" else self.solver.oracle
        group = Group(find_oracle(name), self.native, base, boxes, self.budget, keep)
        self.groups.append(group)
        if self.solver.strategy in PROPAGATING:
            group.guard = group.top = group.top + 1
        top, bottom = components.rows[first], components.rows[last]
        variables, bounds = components.variables, components.indptr[top : bottom + 1]
        if base:
            scopes = [[x - base for x in variables[a:b]] for a, b in pairwise(bounds)]
        else:
            scopes = [variables[a:b] for a, b in pairwise(bounds)]
        group.load(encode(scopes, components.totals[top:bottom], encoding, group.top))
        if left is not None and self.solver.count == "naive":
            group.load(encode([list(range(1, size + 1))], [left], encoding, group.top))
        elif left is not None:
            others = max(untouched - 1, 0)
            group.bound(left - others, left, self.native)
        self.encode_nanoseconds += perf_counter_ns() - started
        return group

    def _parts(self) -> list[Part]:
        """The components, each with the counts that cheap bounds allow."""
        components = self.components
        starts, boxes = components.components, components.boxes
        groups = iter(self.groups)
        group = None
        for (a, b), least, most in zip(pairwise(starts), components.least, components.most, strict=True):
            if group is None or boxes[a] >= group.base + group.size:
                group, offset = next(groups), a
            group.parts.append(Part(group, a - offset, b - offset, interval(least, most), self.native))
        return [part for group in self.groups for part in group.parts]

    def _decide(self, group: Group) -> bool:
        """The backbone of a group; False: it has no model."""
        model = group.ask([])
        if model:
            candidates = group.candidates(model)
            if len(candidates) > self.solver.chunk > 0:  # else the next question is about all of them anyway
                group.avoid(candidates)
            self._search(group, group, candidates)
        elif model is None:
            self.complete = False
        return model is not False

    def _search(self, group: Group, oracle: BackboneOracle, candidates: list[int]) -> None:
        """Decide the candidates by the solver's strategy; with counts component by component there are no cores."""
        if self.solver.strategy == "core" and isinstance(oracle, Group):
            found = backbone_by_cores(oracle, candidates)
        else:
            found = backbone(oracle, candidates, self.solver.chunk)
        group.proved += found.proved
        if found.undecided:
            self.complete = False

    def _propagate(self, group: Group) -> bool:
        """What propagation alone finds; False: a contradiction."""
        self.complete = False
        run = probe if self.solver.strategy == "probe" else closure
        return run(group) is not False

    def _global(self, target: int) -> bool:
        """Go on to the backbone of the models with `target` mines; False: there is none."""
        count = MineCount(self._parts(), self.components.untouched, target)
        last = len(count.parts)
        consistent = count.completed(last, count.untouched)
        if not consistent:
            self.complete = False
            return consistent is None
        for i, part in enumerate(count.parts):
            self._search(part.group, CountedPart(count, i), part.candidates(count.certain(i)))
        if self.components.untouched:
            all_mines = 1 << self.components.untouched
            for settled, others in zip(self.settled, (count.untouched & ~1, count.untouched & ~all_mines), strict=True):
                differ = count.completed(last, others)
                if differ is None:
                    self.complete = False
                elif not differ:
                    settled.append(len(self.components.boxes) - 1)
        return True

    def close(self) -> None:
        """Free the oracles."""
        for group in self.groups:
            group.close()

    def masks(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """The cells that were proved safe and those proved mines, bool[n] each."""
        starts = self.components.boxes
        box_at = {start: j for j, start in enumerate(starts)}
        box_at[starts[-1] + 1] = len(starts)  # behind the last box, the untouched cells
        safe, mines = self.settled
        for group in self.groups:
            base, proved = group.base, group.proved
            safe = safe + [box_at[base - x - 1] for x in proved if x < 0]
            mines = mines + [box_at[base + x] - 1 for x in proved if x > 0]
        return masks(self.components, safe, mines)

    def stats(self) -> dict[str, int | float | str]:
        """Sizes, questions and times of the oracles. Counters of mines count as solving if they were needed late."""
        groups = self.groups
        return {
            "components": len(self.components.least),
            "oracles": len(groups),
            "variables": sum([group.top for group in groups]),
            "clauses": sum([group.clauses for group in groups]),
            "calls": sum([group.calls for group in groups]),
            "conflicts": sum([group.conflicts for group in groups]),
            "encode_nanoseconds": self.encode_nanoseconds,
            "solve_nanoseconds": self.solve_nanoseconds,
        }
