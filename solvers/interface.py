"""The one interface: what a solver claims, and what it answers.

A solver is a frozen dataclass whose fields are its parameters, and a pure function of the problem. It
answers `deduce`, and `marginals` if it can count. No model is an answer (INCONSISTENT); exceptions are for
callers' errors (ValueError) and for what a solver cannot take (:class:`Unsupported`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from board.problem import Problem, whole

Stats = Mapping[str, int | float | str]


class Unsupported(Exception):
    """This solver cannot take this request: a missing library, an encoding's bound, an unsound oracle."""


class Status(Enum):
    """What an answer claims for the question asked."""

    COMPLETE = "complete"  #: every cell that is not listed is not entailed
    PARTIAL = "partial"  #: there may be more
    INCONSISTENT = "inconsistent"  #: there is no model

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Claims:
    """What a solver instance promises. Conformance proves it."""

    complete_local: bool = False  #: COMPLETE or INCONSISTENT on every local question
    complete_global: bool = False  #: the same with a mine count
    marginals: bool = False  #: answers `marginals`
    exact: bool = False  #: with integers and fractions
    steady: bool = True  #: finds the same however a problem is told; a search under a budget may stop elsewhere


HOW_TO_CLAIM = "write `claims = Claims()` in its class, which promises sound answers and no more"


def check_budget(name: str, value: object, least: int, most: int = 2**63 - 1) -> None:
    """Raise ValueError, quoting the value, unless a solver's budget is an integer in least..most.

    >>> check_budget("max_nodes", -1, 1)
    Traceback (most recent call last):
    ValueError: max_nodes is at least 1, not -1
    """
    number = whole(value, f"{name} is an integer")
    if number < least:
        raise ValueError(f"{name} is at least {least}, not {value!r}")
    if number > most:  # a C integer somewhere behind
        raise ValueError(f"{name} is at most {most}, not {value!r}")


def _frozen(array: NDArray[Any], needed: str) -> NDArray[Any]:
    """A read-only copy, or the array itself if nothing can write to it: it is read-only and owns its memory.

    ValueError, saying what is needed, for what is no array; its dtype and shape are for those who judge answers.
    """
    try:
        flags = array.flags
        open_to_others = flags.writeable or not flags.owndata
    except AttributeError:
        raise ValueError(f"{needed}, not {array!r}") from None
    if open_to_others:
        array = array.copy()
        array.setflags(write=False)
    return array


_put = object.__setattr__
_MASKS = "safe and mines are bool arrays of one length"


@dataclass(frozen=True, slots=True, eq=False)
class Deduction:
    """Cells proved safe and cells proved mines.

    safe, mines: bool[n], kept as read-only copies; disjoint, only covered cells, empty if INCONSISTENT.
    stats: sizes, calls, nanoseconds measured inside, read-only as well; no part of equality.
    """

    safe: NDArray[np.bool_]
    mines: NDArray[np.bool_]
    status: Status
    stats: Stats = field(default_factory=dict)

    def __post_init__(self) -> None:
        _put(self, "safe", _frozen(self.safe, _MASKS))
        _put(self, "mines", _frozen(self.mines, _MASKS))
        _put(self, "stats", MappingProxyType(dict(self.stats)))

    @classmethod
    def trusted(
        cls, safe: NDArray[np.bool_], mines: NDArray[np.bool_], status: Status, stats: dict[str, int | float | str]
    ) -> Deduction:
        """The answer of arrays and stats that nobody else holds: not copied, but made read-only."""
        safe.setflags(write=False)
        mines.setflags(write=False)
        made = object.__new__(cls)
        _put(made, "safe", safe)
        _put(made, "mines", mines)
        _put(made, "status", status)
        _put(made, "stats", MappingProxyType(stats))
        return made

    @classmethod
    def inconsistent(cls, n: int, stats: Stats | None = None) -> Deduction:
        """There is no model: empty masks."""
        return cls.trusted(np.zeros(n, np.bool_), np.zeros(n, np.bool_), Status.INCONSISTENT, dict(stats or {}))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Deduction):
            return NotImplemented
        return (
            self.status is other.status
            and np.array_equal(self.safe, other.safe)
            and np.array_equal(self.mines, other.mines)
        )

    def __hash__(self) -> int:
        return hash((self.safe.tobytes(), self.mines.tobytes(), self.status))

    def __reduce__(self) -> tuple[Any, ...]:
        return Deduction, (self.safe, self.mines, self.status, dict(self.stats))

    def __repr__(self) -> str:
        return (
            f"<Deduction {self.status}: safe {np.flatnonzero(self.safe).tolist()}, "
            f"mines {np.flatnonzero(self.mines).tolist()}>"
        )


@dataclass(frozen=True, slots=True, eq=False)
class Marginals:
    """For each cell the share of models in which it is a mine.

    probability: float64[n], a read-only copy, nan where not covered (everywhere if INCONSISTENT or over a budget).
    models: the number of models, exact solvers only; 0 if INCONSISTENT.
    log_models: its natural logarithm; -inf if INCONSISTENT, nan over a budget or where it is not counted.
    status: COMPLETE if the cells of probability 0 and 1 are all that are entailed; PARTIAL may carry numbers.
    fractions: the probabilities as fractions, exact solvers only; None where not covered.
    stats: read-only; no part of equality.
    """

    probability: NDArray[np.float64]
    models: int | None
    log_models: float
    status: Status
    fractions: tuple[Fraction | None, ...] | None = None
    stats: Stats = field(default_factory=dict)

    def __post_init__(self) -> None:
        _put(self, "probability", _frozen(self.probability, "probability is an array of float64"))
        _put(self, "stats", MappingProxyType(dict(self.stats)))

    @classmethod
    def trusted(
        cls,
        probability: NDArray[np.float64],
        log_models: float,
        status: Status,
        stats: dict[str, int | float | str],
    ) -> Marginals:
        """The answer in floats of an array and stats that nobody else holds: not copied, but made read-only."""
        probability.setflags(write=False)
        made = object.__new__(cls)
        _put(made, "probability", probability)
        _put(made, "models", None)
        _put(made, "log_models", log_models)
        _put(made, "status", status)
        _put(made, "fractions", None)
        _put(made, "stats", MappingProxyType(stats))
        return made

    @classmethod
    def inconsistent(cls, n: int, stats: Stats | None = None) -> Marginals:
        """There is no model: 0 models, all probabilities nan."""
        return cls(np.full(n, np.nan), 0, -np.inf, Status.INCONSISTENT, None, stats or {})

    def deduction(self) -> Deduction:
        """The cells of probability 0 and 1, with the same status."""
        return Deduction(self.probability == 0, self.probability == 1, self.status, self.stats)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Marginals):
            return NotImplemented
        return (
            self.status is other.status
            and self.models == other.models
            and (self.log_models == other.log_models or bool(np.isnan(self.log_models) and np.isnan(other.log_models)))
            and np.array_equal(self.probability, other.probability, equal_nan=True)
            and self.fractions == other.fractions
        )

    def __hash__(self) -> int:
        return hash((self.probability.tobytes(), self.models, self.status))

    def __reduce__(self) -> tuple[Any, ...]:
        return Marginals, (
            self.probability,
            self.models,
            self.log_models,
            self.status,
            self.fractions,
            dict(self.stats),
        )

    def __repr__(self) -> str:
        return f"<Marginals {self.status}: log_models {self.log_models:.6g}, models {self.models}>"


@runtime_checkable
class Solver(Protocol):
    """Anything that deduces. `claims` is the instance's: its parameters may change them."""

    @property
    def claims(self) -> Claims:
        """What this instance promises."""
        ...

    def deduce(self, problem: Problem, /) -> Deduction:
        """The entailed cells that this strategy finds."""
        ...


@runtime_checkable
class MarginalSolver(Solver, Protocol):
    """A solver that also counts."""

    def marginals(self, problem: Problem, /) -> Marginals:
        """The share of models in which each cell is a mine."""
        ...
