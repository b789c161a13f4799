"""Strategies behind one interface: `make_solver(spec)` builds one, `.deduce(problem)` asks it."""

from typing import Any

from solvers.interface import Claims, Deduction, Marginals, MarginalSolver, Solver, Status, Unsupported
from solvers.registry import label_of, make_solver, solver_names, spec_of

__all__ = [
    "Claims",
    "Deduction",
    "MarginalSolver",
    "Marginals",
    "Solver",
    "Status",
    "Unsupported",
    "check_solver",
    "label_of",
    "make_solver",
    "solver_names",
    "spec_of",
]


def __getattr__(name: str) -> Any:
    if name == "check_solver":  # drags in the reference solver, so at first use
        from solvers.conformance import check_solver

        return check_solver
    raise AttributeError(f"module 'solvers' has no attribute {name!r}")
