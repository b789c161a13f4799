"""Which SAT oracles there are, what each can do, and which are refused.

All are PySAT's (A. Ignatiev, A. Morgado, J. Marques-Silva, "PySAT: A Python toolkit for prototyping with SAT oracles",
SAT 2018). The table is what tests measure on the build at hand, not what documentation says; an oracle that a build of
PySAT lacks is refused when it is asked for.

All that are let in take assumptions and, between questions, more clauses; of assumptions that contradict the formula
they name a core (`get_core()`: None, not an empty list, if no assumption is to blame); and they count the conflicts of
all questions so far (`accum_stats()["conflicts"]`; a closed oracle has forgotten them).
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Literal, TypeVar

import pysat.solvers
import pysolvers

from solvers.interface import Unsupported

_Answer = TypeVar("_Answer")

_SLICE = 1000  # conflicts: a tenth of a second or so on large boards


class Minicard(pysat.solvers.Minicard):  # type: ignore[misc]
    """PySAT's, with what is asked most often handed to the extension at once; small problems notice."""

    minicard: Any = None

    def __init__(self) -> None:
        self.status: bool | None = None
        self.use_timer = False
        self.minicard = handle = pysolvers.minicard_new()
        self.add_clause = partial(pysolvers.minicard_add_cl, handle)
        self.add_atmost = partial(pysolvers.minicard_add_am, handle)
        self.set_phases = partial(pysolvers.minicard_setphases, handle)

    def solve_deaf(self, assumptions: list[int]) -> bool | None:
        """As `solve_limited`, straight from the extension."""
        self.status = pysolvers.minicard_solve_lim(self.minicard, assumptions, 0, 1)
        return self.status


@dataclass(frozen=True, slots=True)
class Oracle:
    """A kind of oracle. `open()` makes one, to be closed by `delete`.

    kind: its class in pysat.solvers.
    native: takes at-most constraints natively; `activate`: only once told to.
    limited: takes a budget of conflicts, which is to be set before each question: some forget it after one, others add
        them up. Glucose and Gluecard look at it only when they restart, after up to a thousand conflicts.
    propagates: does unit propagation of assumptions. It lists what follows from them, not what holds without them.
    native_propagates: likewise through native constraints. The others overlook some of what follows from those.
    phases: takes values that variables should preferably have. Cadical195 heeds those of its first question only.
    """

    kind: str
    native: bool = False
    activate: bool = False
    limited: bool = True
    propagates: bool = True
    native_propagates: bool = False
    phases: bool = True

    def open(self, native: int = 0) -> Any:
        """A fresh oracle, ready for native constraints over the variables 1..`native`, now or later."""
        oracle = Minicard() if self.kind == "Minicard" else getattr(pysat.solvers, self.kind)()
        if native and self.activate:
            oracle.activate_atmost()
            # Trivial, but later constraints may not meet a variable that was simplified away: cadical300 aborts.
            oracle.add_atmost(list(range(1, native + 1)), native)
        return oracle

    def solve(self, oracle: Any, assumptions: list[int], conflicts: int = 0) -> bool | None:
        """Whether what an oracle of this kind was told has a model in which the assumptions hold.

        conflicts: None after so many; 0: no such budget. Asked in slices of conflicts, between which Ctrl-C is heard;
        of an oracle that takes no budget after its answer.
        """
        if not self.limited:
            found: bool | None = _deaf(oracle.solve, assumptions)
            return found
        left = conflicts
        while True:
            oracle.conf_budget(min(left, _SLICE) if conflicts else _SLICE)
            found = _deaf(oracle.solve_limited, assumptions)
            left -= _SLICE
            if found is not None or (conflicts and left <= 0):
                return found

    def propagate(self, oracle: Any, assumptions: list[int]) -> list[int] | Literal[False]:
        """What unit propagation derives from the assumptions, these included; False: a contradiction."""
        consistent, found = _deaf(oracle.propagate, assumptions)
        return found if consistent else False


ORACLES = {
    "minicard": Oracle("Minicard", native=True, native_propagates=True),
    "gluecard3": Oracle("Gluecard3", native=True, native_propagates=True),
    "gluecard4": Oracle("Gluecard4", native=True, native_propagates=True),
    "cadical195": Oracle("Cadical195", native=True, activate=True),
    "cadical300": Oracle("Cadical300", native=True, activate=True),
    "ergo": Oracle("Ergo", native=True, activate=True),
    "minisat22": Oracle("Minisat22"),
    "minisatgh": Oracle("MinisatGH"),
    "minisatep": Oracle("MinisatEP"),  # its native constraints crash the process
    "glucose3": Oracle("Glucose3"),
    "glucose4": Oracle("Glucose4"),
    "glucose42": Oracle("Glucose42"),
    "maplechrono": Oracle("MapleChrono"),
    "maplecm": Oracle("MapleCM"),
    "maplesat": Oracle("Maplesat"),
    "mergesat3": Oracle("Mergesat3"),
    "cadical153": Oracle("Cadical153"),
    "cadical103": Oracle("Cadical103", propagates=False, phases=False),
    # aborts on a second question about a variable that no clause knows
    "lingeling": Oracle("Lingeling", limited=False, propagates=False),
}
REFUSED = {
    "kissat404": "it ignores assumptions and then answers wrongly",
    "cryptosat": "it needs the library pycryptosat and was never tested here",
}

Need = Literal["native", "limited", "propagates", "native_propagates", "phases"]
_LACKS: dict[Need, str] = {
    "native": "has no native at-most constraints: choose another encoding",
    "limited": "takes no budget of conflicts",
    "propagates": "does no unit propagation on demand",
    "native_propagates": "does no unit propagation through native constraints",
    "phases": "takes no preferred values",
}


class _Deaf:
    """In the place of what PySAT asks before it listens to Ctrl-C."""

    @staticmethod
    def check() -> bool:
        return False


_LISTENING = pysat.solvers.MainThread


def _deaf(question: Callable[[list[int]], _Answer], assumptions: list[int]) -> _Answer:
    """The answer of an oracle that does not listen to Ctrl-C: PySAT would jump out of it wherever it is.

    That may be within malloc, and the process then hangs. Python hears the Ctrl-C as soon as there is an answer.
    """
    pysat.solvers.MainThread = _Deaf
    try:
        return question(assumptions)
    finally:
        pysat.solvers.MainThread = _LISTENING


class _Freed:
    """What is left of an oracle. PySAT's have a `__del__`, in which Python would lose a Ctrl-C."""


def delete(oracle: Any) -> None:
    """Free an oracle, but never twice: a Ctrl-C may come between its end and its being noted."""
    try:
        oracle.delete()
    finally:
        oracle.__dict__ = {}
        oracle.__class__ = _Freed


@cache
def find_oracle(name: str, *needs: Need) -> Oracle:
    """The oracle of a name or of one of PySAT's aliases for it, which must have the abilities named by `needs`.

    Raises ValueError quoting an unknown name, Unsupported for one that is refused, not in this build, or lacks a need.

    >>> find_oracle("mgh").kind
    'MinisatGH'
    >>> find_oracle("lingeling", "propagates")
    Traceback (most recent call last):
    solvers.interface.Unsupported: oracle 'lingeling' does no unit propagation on demand
    >>> find_oracle("kissat404")
    Traceback (most recent call last):
    solvers.interface.Unsupported: oracle 'kissat404' is refused: it ignores assumptions and then answers wrongly
    """
    known = [*ORACLES, *REFUSED]
    canonical = next((k for k in known if name == k or name in getattr(pysat.solvers.SolverNames, k, ())), None)
    if canonical is None:
        close = difflib.get_close_matches(name, known, 1)
        hint = f"did you mean {close[0]!r}?" if close else f"known are {', '.join(ORACLES)}"
        raise ValueError(f"unknown oracle {name!r}; {hint}")
    if canonical in REFUSED:
        raise Unsupported(f"oracle {name!r} is refused: {REFUSED[canonical]}")
    oracle = ORACLES[canonical]
    built = getattr(pysat.solvers, f"{canonical}_present", hasattr(pysat.solvers, oracle.kind))
    if not built:
        raise Unsupported(f"oracle {name!r} is not in this build of PySAT ({pysat.__version__})")
    for need in needs:
        if not getattr(oracle, need):
            raise Unsupported(f"oracle {name!r} {_LACKS[need]}")
    return oracle
