"""One incremental SAT oracle over a few components, and what it can be asked about their numbers of mines.

Cells of a box are exchangeable, so its variables are ordered: x implies the one before it. Then a box is all safe
exactly when its first variable is false, all mines when its last one is true, and one literal a box is tested.

Numbers of mines are not asked for until they matter. Then a component gets a unary counter q_1 >= q_2 >= ... of
its mines, and an interval of counts is two assumptions.

Source: unary counters are from O. Bailleux, Y. Boufkhad, "Efficient CNF encoding of Boolean cardinality constraints",
CP 2003.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal

from solvers.counts import counts, interval
from solvers.encodings import Formula, encode_counter

Answer = list[int] | Literal[False] | None  #: a model as ±1, ±2, ...; there is none; the budget ran out


class Group:
    """An oracle over the variables 1..`size` of some components. To be closed.

    conflicts: budget of each question, 0 for none.
    models: those seen so far if `keep`, as a byte a variable, 0 or 1.
    proved: the literals that hold in every model.
    """

    __slots__ = (
        "base",
        "boxes",
        "calls",
        "clauses",
        "conflicts",
        "keep",
        "models",
        "oracle",
        "parts",
        "proved",
        "size",
        "top",
    )

    def __init__(self, oracle: Any, base: int, boxes: list[int], conflicts: int, keep: bool) -> None:
        self.oracle = oracle
        self.base = base  # variable x is the components' variable base + x
        self.boxes = boxes  # box j: the variables boxes[j] + 1 .. boxes[j + 1]
        self.size = self.top = boxes[-1]
        self.conflicts = conflicts
        self.keep = keep
        self.calls = self.clauses = 0
        self.models: list[bytes] = []
        self.parts: list[Part] = []
        self.proved: list[int] = []
        self.add([[x, -x - 1] for a, b in pairwise(boxes) if b > a + 1 for x in range(a + 1, b)])

    def load(self, formula: Formula) -> None:
        """Add a formula."""
        self.top = formula.variables
        self.add(formula.clauses)
        for literals, bound in formula.at_mosts:
            self.oracle.add_atmost(literals, bound)
        self.clauses += len(formula.at_mosts)

    def add(self, clauses: list[list[int]]) -> None:
        """Add clauses."""
        add_clause = self.oracle.add_clause
        for clause in clauses:
            add_clause(clause)
        self.clauses += len(clauses)

    def ask(self, assumptions: list[int]) -> Answer:
        """A model in which the assumptions hold."""
        self.calls += 1
        if self.conflicts:
            self.oracle.conf_budget(self.conflicts)
            found = self.oracle.solve_limited(assumptions)
        else:
            found = self.oracle.solve(assumptions)
        if not found:
            return False if found is False else None
        model: list[int] = self.oracle.get_model()
        if self.keep:
            self.models.append(bytes([x > 0 for x in model[: self.size]]))
        return model

    def differ(self, literals: list[int]) -> Answer:
        """A model in which the one literal is false."""
        (literal,) = literals
        return self.ask([-literal])

    def learn(self, literals: list[int]) -> None:
        """The literals hold in every model."""
        for literal in literals:
            self.oracle.add_clause([literal])
        self.proved += literals

    def candidates(self, model: list[int]) -> list[int]:
        """One literal for each box that is all safe or all mines in a model."""
        literals = []
        for a, b in pairwise(self.boxes):
            if model[a] < 0:
                literals.append(-a - 1)
            elif model[b - 1] > 0:
                literals.append(b)
        return literals

    def close(self) -> None:
        """Free the oracle."""
        self.oracle.delete()


@dataclass(slots=True)
class Part:
    """One component of a group and its numbers of mines, as sets of counts.

    start, stop: its boxes in the group.
    possible: no model of the whole problem has another count here.
    witnessed: a model of the component has this count.
    seen: the count in each of the group's models.
    """

    group: Group
    start: int
    stop: int
    possible: int
    native: bool
    witnessed: int = 0
    seen: list[int] = field(default_factory=list)
    _base: int = -1  # -1: not counted yet
    _q: list[int] = field(default_factory=list)  # q[i] says: more than _base + i mines

    @property
    def size(self) -> int:
        """The number of variables."""
        return self.group.boxes[self.stop] - self.group.boxes[self.start]

    def look(self) -> None:
        """Take note of the group's new models."""
        a, b = self.group.boxes[self.start], self.group.boxes[self.stop]
        for model in self.group.models[len(self.seen) :]:
            count = sum(model[a:b])
            self.seen.append(count)
            self.witnessed |= 1 << count

    def candidates(self, among: int) -> list[int]:
        """The unproved literals that are true in all models seen with these counts, of which there is one."""
        models = [m for m, count in zip(self.group.models, self.seen, strict=True) if among >> count & 1]
        literals = []
        for a, b in pairwise(self.group.boxes[self.start : self.stop + 1]):
            if not any(m[a] for m in models):
                literals.append(-a - 1)
            elif all(m[b - 1] for m in models):
                literals.append(b)
        proved = set(self.group.proved)
        return [x for x in literals if x not in proved]

    def ask(self, assumptions: list[int], among: int) -> Answer:
        """A model in which the assumptions hold and that has one of these possible counts."""
        if self._base < 0:
            self._count()
        low, high = (among & -among).bit_length() - 1, among.bit_length() - 1
        if low > self._base:
            assumptions = [*assumptions, self._q[low - self._base - 1]]
        if high < self._base + len(self._q):
            assumptions = [*assumptions, -self._q[high - self._base]]
        gaps = interval(low, high) & ~among
        if gaps:
            self.group.top = selector = self.group.top + 1
            assumptions = [*assumptions, selector]
            for i in (gap - self._base for gap in counts(gaps)):
                self.group.add([[-selector, -self._q[i - 1], self._q[i]]])
        answer = self.group.ask(assumptions)
        for part in self.group.parts:
            part.look()
        return answer

    def _count(self) -> None:
        """Write down the counter, from the least to the most possible number."""
        group = self.group
        most = self.possible.bit_length() - 1
        self._base = (self.possible & -self.possible).bit_length() - 1
        cells = list(range(group.boxes[self.start] + 1, group.boxes[self.stop] + 1))
        formula, q = encode_counter(cells, most, self.native, group.top)
        group.load(formula)
        self._q = q[self._base : most]
        if self._base:
            group.add([[q[self._base - 1]]])
