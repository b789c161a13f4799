"""Which of these literals are true in every model? The loop that the SAT and the CP-SAT backend share.

Method: keep the literals that all models seen so far agree on, the candidates. Ask for a model in which one of
the last few differs. If there is one, all candidates that it contradicts go; if there is none, those few
are proved, and the oracle learns them. With `chunk` 1 this is one assumption a question, which incremental SAT likes;
with all of them at once it is few questions, which suits an oracle that starts from scratch every time.
Cost: at most one question a candidate, usually far fewer.

Source: "iterative algorithm with complement of backbone estimate", J. Marques-Silva, M. Janota, I. Lynce, "On computing
backbones of propositional theories", ECAI 2010; chunks: M. Janota, I. Lynce, J. Marques-Silva, "Algorithms for
computing backbones of propositional formulae", AI Communications 28(2), 2015.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, Protocol


class BackboneOracle(Protocol):
    """What the loop asks. Literals are integers other than 0; -x is the negation of x."""

    def differ(self, literals: list[int]) -> list[int] | Literal[False] | None:
        """A model that makes one of the literals false, as ±1, ±2, ...; False: there is none; None: undecided."""
        ...

    def learn(self, literals: list[int]) -> None:
        """The literals hold in every model."""
        ...


@dataclass(frozen=True, slots=True)
class Backbone:
    """The literals proved, and those that a budget left undecided."""

    proved: list[int] = field(default_factory=list)
    undecided: list[int] = field(default_factory=list)


def backbone(oracle: BackboneOracle, candidates: list[int], chunk: int) -> Backbone:
    """Decide the candidates, which are true in at least one model. `chunk`: literals asked at once, 0 for all.

    >>> class Table:  # an oracle over listed models
    ...     models = [[1, 2, -3], [1, -2, -3]]
    ...     def differ(self, literals):
    ...         return next((m for m in self.models if not set(literals) <= set(m)), False)
    ...     def learn(self, literals): pass
    >>> backbone(Table(), [1, 2, -3], chunk=1).proved
    [-3, 1]
    """
    result = Backbone()
    while candidates:
        asked = candidates[-chunk:] if chunk else candidates
        model = oracle.differ(asked)
        if model:
            candidates = [x for x in candidates if model[abs(x) - 1] == x]
            continue
        candidates = candidates[: -len(asked)]
        if model is None:
            result.undecided.extend(asked)
        else:
            result.proved.extend(asked)
            oracle.learn(asked)
    return result
