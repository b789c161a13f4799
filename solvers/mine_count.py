"""Which numbers of mines can the components have if the whole problem has exactly so many?

Method: the untouched cells are exchangeable and hold any number from 0 to all, so they are one more part beside the
components. Every component keeps the counts that a model of it was seen with (witnessed) and those that
were not excluded (possible). What the others' witnessed counts complete to the mine count is certain; what their
possible counts cannot complete is refuted; only where the two disagree, and only if it matters for a cell,
the oracles are asked, about the smallest component that could close the gap first. Gaps in the counts are respected.
Cost: one question decides at least one count of one component; none where the witnessed counts suffice.

Source: lazy bounds on both sides, as in counterexample-guided refinement (E. Clarke et al., CAV 2000); the sums are
those of :mod:`solvers.counts`.
"""

from __future__ import annotations

from solvers.backbone import Answer
from solvers.counts import completing, interval
from solvers.incremental import Part


class MineCount:
    """The counts of the parts of a problem with `target` mines in `parts` and `untouched` cells together."""

    __slots__ = ("_certain", "_stuck", "_witnessed", "parts", "target", "untouched")

    def __init__(self, parts: list[Part], untouched: int, target: int) -> None:
        self.parts = parts
        self.target = target
        self.untouched = interval(0, min(untouched, target))  # mines that the untouched cells can hold
        self._stuck: set[int] = set()  # parts with a question that a budget left undecided
        masks = [*[part.possible for part in parts], self.untouched]
        for part, mask in zip(parts, completing(masks, target), strict=False):
            part.possible &= mask
            part.look()
        self._witnessed = self._all_witnessed()
        self._certain = completing(self._witnessed, target)

    def ask(self, i: int, assumptions: list[int], among: int) -> Answer:
        """A model of part i in which the assumptions hold and that has one of these possible counts."""
        answer = self.parts[i].ask(assumptions, among)
        if answer:
            witnessed = self._all_witnessed()
            if witnessed != self._witnessed:
                self._witnessed = witnessed
                self._certain = completing(witnessed, self.target)
        return answer

    def _all_witnessed(self) -> list[int]:
        return [*[part.witnessed for part in self.parts], self.untouched]

    def certain(self, i: int) -> int:
        """The counts of part i that witnessed counts of the others complete. The last i is the untouched cells."""
        return self._certain[i]

    def completed(self, i: int, wanted: int) -> bool | None:
        """Whether counts of the other parts complete one of the wanted counts of part i; None: undecided."""
        while not self.certain(i) & wanted:
            possible = [*[part.possible for part in self.parts], self.untouched]
            possible[i] = wanted
            left = [mask & ok for mask, ok in zip(possible, completing(possible, self.target), strict=True)]
            if not all(left):
                return False
            witnessed = self._all_witnessed()
            witnessed[i] = wanted
            closing = completing(witnessed, self.target)
            choices = [
                (not new & closing[j], part.size, j, new & closing[j] or new)
                for j, part in enumerate(self.parts)
                if j != i and j not in self._stuck and (new := left[j] & ~part.witnessed)
            ]
            if not choices:
                return None
            _, _, j, asked = min(choices)
            answer = self.ask(j, [], asked)
            if answer is None:
                self._stuck.add(j)
            elif answer is False:
                self.parts[j].possible &= ~asked
        return True


class CountedPart:
    """One part as an oracle of the backbone: its models are those that extend to the whole problem."""

    __slots__ = ("count", "i", "part")

    def __init__(self, count: MineCount, i: int) -> None:
        self.count = count
        self.i = i
        self.part = count.parts[i]

    def differ(self, literals: list[int]) -> Answer:
        """A model in which one of the literals is false."""
        one_false = self.part.group.one_false(literals)
        refuted = 0  # counts with which none of the literals is ever false
        while True:
            left = self.part.possible & ~refuted
            if not left:
                return False
            asked = left & self.count.certain(self.i) or left
            model = self.count.ask(self.i, one_false, asked)
            if model is None:
                return None
            if model is False:
                refuted |= asked
                continue
            wanted = 1 << self.part.seen[-1]
            completed = self.count.completed(self.i, wanted)
            if completed is None:
                return None
            if completed:
                return model
            self.part.possible &= ~wanted

    def learn(self, literals: list[int]) -> None:
        """The literals hold in every model."""
        self.part.group.learn(literals)
