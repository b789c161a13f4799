"""One incremental SAT oracle over a few components, and what it can be asked about their numbers of mines.

Cells of a box are exchangeable, so its variables are ordered: x implies the one before it. Then a box is all safe
exactly when its first variable is false, all mines when its last one is true, and one literal a box is tested.

Numbers of mines are not asked for until they matter. Then the whole group gets bounds on its mines, or a component a
unary counter q_1 >= q_2 >= ... of them, so that an interval of counts is two assumptions.

Source: unary counters are from O. Bailleux, Y. Boufkhad, "Efficient CNF encoding of Boolean cardinality constraints",
CP 2003.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal

from solvers.backbone import Answer
from solvers.counts import counts, interval
from solvers.encodings import Clause, Formula, encode_bounds, encode_counter
from solvers.oracles import Oracle, delete

_DEAF_CONFLICTS = 20_000  # of a group, a fraction of a second, within which Ctrl-C is not heard
_WIDEST = 32  # literals of a native bound; a counter with nodes learns better over more


@dataclass(slots=True)
class Budget:
    """What a deduction may still ask. calls: below 0 for any number. conflicts: of each question, 0 for any."""

    calls: int
    conflicts: int

    def take(self) -> bool:
        """Whether one more question may be put, which is then counted."""
        if not self.calls:
            return False
        self.calls -= 1
        return True


class Group:
    """An oracle over the variables 1..`size` of some components. To be closed.

    models: those seen so far if `keep`, as a byte a variable, 0 or 1.
    proved: the literals that hold in every model.
    guard: if there is one, clauses of fewer than two literals hold only under it.
    conflicts: of all questions, known once it is closed.
    """

    __slots__ = (
        "_quick",
        "base",
        "boxes",
        "budget",
        "calls",
        "clauses",
        "conflicts",
        "guard",
        "keep",
        "kind",
        "models",
        "oracle",
        "parts",
        "proved",
        "size",
        "top",
    )

    def __init__(self, kind: Oracle, native: bool, base: int, boxes: list[int], budget: Budget, keep: bool) -> None:
        self.kind = kind
        self.oracle: Any = kind.open(native=boxes[-1] if native else 0)
        self.base = base  # variable x is the components' variable base + x
        self.boxes = boxes  # box j: the variables boxes[j] + 1 .. boxes[j + 1]
        self.size = self.top = boxes[-1]
        # Asked without PySAT between, once the budget is set: Minicard counts the conflicts of all questions together.
        self._quick = kind.kind == "Minicard" and not budget.conflicts
        if self._quick:
            self.oracle.conf_budget(_DEAF_CONFLICTS)
        self.budget = budget
        self.keep = keep
        self.guard = self.calls = self.clauses = self.conflicts = 0
        self.models: list[bytes] = []
        self.parts: list[Part] = []
        self.proved: list[int] = []
        self.add([[x, -x - 1] for a, b in pairwise(boxes) if b > a + 1 for x in range(a + 1, b)])

    def load(self, formula: Formula) -> None:
        """Add a formula."""
        self.top = formula.variables
        self.add(formula.clauses)
        if [] in formula.clauses:  # an oracle takes no notice of an empty clause
            self.top += 1
            self.add([[self.top], [-self.top]])
        for literals, bound in formula.at_mosts:
            self.oracle.add_atmost(literals, bound)
        self.clauses += len(formula.at_mosts)

    def add(self, clauses: list[Clause]) -> None:
        """Add clauses."""
        if self.guard:
            clauses = [clause if len(clause) > 1 else [*clause, -self.guard] for clause in clauses]
        add_clause = self.oracle.add_clause
        for clause in clauses:
            if clause:
                add_clause(clause)
        self.clauses += len(clauses)

    def bound(self, least: int, most: int, native: bool) -> None:
        """Add that `least` to `most` of the variables 1..`size` are mines."""
        n = self.size
        variables = list(range(1, n + 1))
        if native and n <= _WIDEST and least < n and most > 0:
            if most < n:
                self.oracle.add_atmost(variables, most)
            if least > 0:
                self.oracle.add_atmost([-x for x in variables], n - least)
            self.clauses += (most < n) + (least > 0)
        else:
            self.load(encode_bounds(variables, least, most, native, self.top))

    def ask(self, assumptions: list[int]) -> Answer:
        """A model in which the assumptions hold."""
        if not self.budget.take():
            return None
        self.calls += 1
        found = self.oracle.solve_deaf(assumptions) if self._quick else None
        if found is None:
            self._quick = False
            found = self.kind.solve(self.oracle, assumptions, self.budget.conflicts)
        if not found:
            return False if found is False else None
        model: list[int] = self.oracle.get_model()
        if self.keep:
            self.models.append(bytes([x > 0 for x in model[: self.size]]))
        return model

    def propagate(self, assumptions: list[int]) -> list[int] | Literal[False] | None:
        """What unit propagation derives from the assumptions, these included; False: a contradiction."""
        if not self.budget.take():
            return None
        self.calls += 1
        return self.kind.propagate(self.oracle, assumptions)

    def one_false(self, literals: list[int]) -> list[int]:
        """Assumptions that make one of the literals false."""
        if len(literals) == 1:
            return [-literals[0]]
        self.top = selector = self.top + 1
        self.add([[-selector, *[-x for x in literals]]])
        return [selector]

    def differ(self, literals: list[int]) -> Answer:
        """A model in which one of the literals is false."""
        return self.ask(self.one_false(literals))

    def all_differ(self, literals: list[int]) -> Answer:
        """A model in which all of the literals are false."""
        return self.ask([-x for x in literals])

    def core(self) -> list[int]:
        """Some of the literals last asked for by `all_differ`, which are not all false in any model."""
        return [-x for x in self.oracle.get_core() or ()]

    def avoid(self, literals: list[int]) -> None:
        """The next models shall make as many of the literals false as they can."""
        if self.kind.phases:
            self.oracle.set_phases([-x for x in literals])

    def learn(self, literals: list[int]) -> None:
        """The literals hold in every model."""
        for literal in literals:
            self.oracle.add_clause([literal])

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
        """Free the oracle, if it is not yet."""
        if self.oracle is not None:
            self.conflicts = (self.oracle.accum_stats() or {}).get("conflicts", 0)
            oracle, self.oracle = self.oracle, None
            delete(oracle)


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
