"""Which of these literals are true in every model? The loops that the SAT and the CP-SAT backend share.

Method: keep the literals that all models seen so far agree on, the candidates. `backbone` asks for a model in which one
of the last few differs. If there is one, all candidates that it contradicts go; if there is none, those few
are proved, and the oracle learns them. With `chunk` 1 this is one assumption a question, which incremental SAT likes;
with all of them at once it is few questions, which suits an oracle that starts from scratch every time.
`backbone_by_cores` asks for a model in which all of them differ: a core of one literal proves it, the literals of a
larger core are set aside, and a model contradicts all that are left at once.
Cost: at most one question a candidate, usually far fewer; for cores at most two.

Source: "iterative algorithm with complement of backbone estimate", J. Marques-Silva, M. Janota, I. Lynce, "On computing
backbones of propositional theories", ECAI 2010; chunks and cores: M. Janota, I. Lynce, J. Marques-Silva, "Algorithms
for computing backbones of propositional formulae", AI Communications 28(2), 2015.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, Protocol

Answer = list[int] | Literal[False] | None  #: a model as ±1, ±2, ...; there is none; undecided


class BackboneOracle(Protocol):
    """What the loop asks. Literals are integers other than 0; -x is the negation of x."""

    def differ(self, literals: list[int]) -> Answer:
        """A model that makes one of the literals false."""
        ...

    def learn(self, literals: list[int]) -> None:
        """The literals hold in every model."""
        ...


class CoreOracle(BackboneOracle, Protocol):
    """An oracle that also says why there is no model."""

    def all_differ(self, literals: list[int]) -> Answer:
        """A model that makes all of the literals false."""
        ...

    def core(self) -> list[int]:
        """Some of the literals last asked for by `all_differ`, which are not all false in any model."""
        ...


class Backbone(NamedTuple):
    """The literals proved, and those that a budget left undecided."""

    proved: list[int]
    undecided: list[int]


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
    result = Backbone([], [])
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
            if candidates:
                oracle.learn(asked)
    return result


def backbone_by_cores(oracle: CoreOracle, candidates: list[int]) -> Backbone:
    """As `backbone`, by cores; literals that stand in larger cores only are asked one by one in the end."""
    result = Backbone([], [])
    while candidates:
        asked, model = candidates, None
        while asked and (model := oracle.all_differ(asked)) is False:
            core = set(oracle.core()) or set(asked)  # none at all would mean that there is no model
            if len(core) == 1:
                result.proved.extend(core)
                oracle.learn(list(core))
                candidates = [x for x in candidates if x not in core]
            asked = [x for x in asked if x not in core]
        if not model:
            break
        candidates = [x for x in candidates if model[abs(x) - 1] == x]
    rest = backbone(oracle, candidates, chunk=1)
    return Backbone(result.proved + rest.proved, rest.undecided)
