"""Which cells are the same in every model? The backbone, by incremental SAT over the mine variables.

Method: single clues first, then components (:mod:`solvers.components`); each constraint becomes clauses or native
at-most constraints (:mod:`solvers.encodings`); one model, then one question a candidate that all models
seen so far agree on (:mod:`solvers.backbone`).

The mine count never becomes a constraint over all covered cells. The untouched cells are exchangeable: they can hold
any number from 0 to all, and so are one more part beside the components. On most positions bounds on the
components show that every combination fits, and the local answer is the global one. Elsewhere each component is asked
which counts it can have, as far as it matters (:mod:`solvers.mine_count`), and its backbone is searched again among
the models with those counts. That is exact, gaps included: "entailed" is proved over a superset of the possible
counts, "not entailed" by a model that the others' witnessed counts complete to the mine count.

Cost: a few microseconds a question on game boards, nearly all of it Python and encoding; exponential at worst.

Source: the encoding of clues as cardinality constraints is folklore; backbones: see :mod:`solvers.backbone`; MiniCard:
M. Liffiton, J. Maglalang, "A cardinality solver: more expressive constraints for free", SAT 2012.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from time import perf_counter_ns

import numpy as np
from numpy.typing import NDArray

from board.problem import Problem
from solvers.backbone import backbone
from solvers.boxes import MINE, SAFE, UNTOUCHED
from solvers.components import Components, effect_of_count, masks, split
from solvers.counts import interval
from solvers.encodings import EXTREME, check_encoding, encode
from solvers.incremental import Group, Part
from solvers.interface import Claims, Deduction, Status, Unsupported, check_budget
from solvers.mine_count import CountedPart, MineCount
from solvers.oracles import find_oracle

_GROUP_VARIABLES = 128  # components share an oracle up to this size: one question moves them all


@dataclass(frozen=True, slots=True)
class Sat:
    """The backbone by incremental SAT: complete for both questions.

    Parameters
    ----------
    encoding: of the constraints, one of `solvers.encodings.ENCODINGS`; `native` needs an oracle that has it.
    oracle: one of `solvers.oracles.ORACLES` or PySAT's aliases for it.
    conflicts: budget of each question to the oracle, 0 for none. Over it: PARTIAL.

    Raises ValueError for unknown names and Unsupported for oracles that are refused, at once; Unsupported from
    `deduce` where the encoding cannot take a clue.

    >>> Sat().deduce(Problem.from_sets([({0, 1}, 1), ({0, 1, 2}, 1)], n=4, mines=1))
    <Deduction complete: safe [2, 3], mines []>
    """

    encoding: str = "native"
    oracle: str = "minicard"
    conflicts: int = 0

    def __post_init__(self) -> None:
        check_encoding(self.encoding)
        kind = find_oracle(self.oracle)
        if self.encoding == "native" and not kind.native:
            raise Unsupported(f"oracle {self.oracle!r} has no native at-most constraints: choose another encoding")
        check_budget("conflicts", self.conflicts, 0, 2**31 - 1)  # the oracles take a C integer
        if self.conflicts and not kind.limited:
            raise Unsupported(f"oracle {self.oracle!r} takes no budget of conflicts")

    @property
    def claims(self) -> Claims:
        """Complete, unless a budget or an encoding that cannot take every clue stands in the way."""
        complete = not self.conflicts and self.encoding not in EXTREME
        return Claims(complete_local=complete, complete_global=complete)

    def deduce(self, problem: Problem, /) -> Deduction:
        """The cells that are the same in every model."""
        components = split(problem)
        effect = effect_of_count(components, problem.mines)
        if not components.consistent or effect == "no model":
            return Deduction.inconsistent(problem.n)
        search = _Search(self, components)
        try:
            status = search.run(problem.mines if effect == "some" else None)
        finally:
            for group in search.groups:
                group.close()
        if status is Status.INCONSISTENT:
            return Deduction.inconsistent(problem.n, search.stats())
        return Deduction.trusted(*search.masks(), status, search.stats())


class _Search:
    """One deduction."""

    def __init__(self, solver: Sat, components: Components) -> None:
        self.solver = solver
        self.kind = find_oracle(solver.oracle)
        self.components = components
        self.groups: list[Group] = []
        self.untouched = UNTOUCHED  # or SAFE or MINE, if all of them are
        self.complete = True
        self.encode_nanoseconds = self.solve_nanoseconds = 0

    def run(self, mines: int | None) -> Status:
        """Answer the clues alone, or with a mine count that matters."""
        started = perf_counter_ns()
        consistent = all(self._local(first, last, mines is not None) for first, last in self._spans())
        if consistent and mines is not None:
            if all(group.models for group in self.groups):
                consistent = self._global(mines - self.components.placed)
            else:
                self.complete = False
        self.solve_nanoseconds = perf_counter_ns() - started - self.encode_nanoseconds
        if not consistent:
            return Status.INCONSISTENT
        return Status.COMPLETE if self.complete else Status.PARTIAL

    def _spans(self) -> Iterator[tuple[int, int]]:
        """Which components (first, behind the last) share an oracle."""
        starts = self.components.boxes[self.components.components].tolist()
        first = 0
        for i, stop in enumerate(starts[1:], 1):
            if stop - starts[first] >= _GROUP_VARIABLES or i == len(starts) - 1:
                yield first, i
                first = i

    def _group(self, first: int, last: int, keep: bool) -> Group:
        """The oracle of the components first..last - 1, whose variables it counts from 1."""
        components, solver = self.components, self.solver
        start, stop = components.components[first], components.components[last]
        boxes = components.boxes[start : stop + 1].tolist()
        base = boxes[0]
        oracle = self.kind.open(native=boxes[-1] - base if solver.encoding == "native" else 0)
        group = Group(oracle, base, [x - base for x in boxes], solver.conflicts, keep)
        top, bottom = components.rows[first], components.rows[last]
        bounds = components.indptr[top : bottom + 1].tolist()
        variables = (components.variables[bounds[0] : bounds[-1]] - base).tolist()
        scopes = [variables[a - bounds[0] : b - bounds[0]] for a, b in pairwise(bounds)]
        group.load(encode(scopes, components.totals[top:bottom].tolist(), solver.encoding, group.size))
        return group

    def _parts(self) -> list[Part]:
        """The components, each with the counts that cheap bounds allow."""
        components = self.components
        starts, boxes = components.components.tolist(), components.boxes.tolist()
        native = self.solver.encoding == "native"
        groups = iter(self.groups)
        group = None
        for (a, b), least, most in zip(
            pairwise(starts), components.least.tolist(), components.most.tolist(), strict=True
        ):
            if group is None or boxes[a] >= group.base + group.size:
                group, offset = next(groups), a
            group.parts.append(Part(group, a - offset, b - offset, interval(least, most), native))
        return [part for group in self.groups for part in group.parts]

    def _local(self, first: int, last: int, keep: bool) -> bool:
        """The backbone of the clues of some components; False: they contradict each other."""
        started = perf_counter_ns()
        group = self._group(first, last, keep)
        self.groups.append(group)
        self.encode_nanoseconds += perf_counter_ns() - started
        model = group.ask([])
        if not model:
            self.complete = False
            return model is None
        if backbone(group, group.candidates(model), chunk=1).undecided:
            self.complete = False
        if not keep:
            group.close()
        return True

    def _global(self, target: int) -> bool:
        """Go on to the backbone of the models with `target` mines; False: there is none."""
        count = MineCount(self._parts(), self.components.untouched, target)
        last = len(count.parts)
        consistent = count.completed(last, count.untouched)
        if not consistent:
            self.complete = False
            return consistent is None
        for i, part in enumerate(count.parts):
            candidates = part.candidates(count.certain(i))
            if candidates and backbone(CountedPart(count, i), candidates, chunk=1).undecided:
                self.complete = False
        if self.components.untouched:
            all_mines = 1 << self.components.untouched
            for value, others in ((SAFE, count.untouched & ~1), (MINE, count.untouched & ~all_mines)):
                differ = count.completed(last, others)
                if differ is None:
                    self.complete = False
                elif not differ:
                    self.untouched = value
        return True

    def masks(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """The cells that were proved safe and those proved mines, bool[n] each."""
        starts = self.components.boxes.tolist()
        proved: tuple[list[int], list[int]] = [], []
        for group in self.groups:
            for literal in group.proved:
                proved[literal > 0].append(bisect_left(starts, group.base + abs(literal)) - 1)
        return masks(self.components, *proved, self.untouched)

    def stats(self) -> dict[str, int | float | str]:
        """Sizes, questions and times of the oracles. Counters of mines count as solving."""
        return {
            "components": len(self.components.least),
            "oracles": len(self.groups),
            "variables": sum(group.top for group in self.groups),
            "clauses": sum(group.clauses for group in self.groups),
            "calls": sum(group.calls for group in self.groups),
            "encode_nanoseconds": self.encode_nanoseconds,
            "solve_nanoseconds": self.solve_nanoseconds,
        }
