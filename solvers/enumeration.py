"""Which cells are the same in every model, and how often is each a mine? By listing all models.

Method: a table with one row a partial model. Cell by cell every row is written twice, with the cell safe
and with a mine, and the rows that no constraint can still be met from are dropped; the mine count is one more
constraint, over all covered cells. What is left in the end are the models, each once.
Cost: exponential in the cells; meant for tiny problems, as the plain reference that the other
solvers are compared with, and therefore without components, symmetries or formulas.
Source: exhaustive generation with pruning, D. E. Knuth, "The Art of Computer Programming", volume 4B,
section 7.2.2 (Addison-Wesley, 2022).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from board.problem import Constraint, Problem
from solvers.interface import Claims, Deduction, Marginals, Stats, Status, Unsupported, check_budget

_MAX_SIZE = 1000  # covered cells and constraints, each: the table is one byte and four bytes wide for them


@dataclass(frozen=True, slots=True)
class Enumeration:
    """All models, one by one: complete and exact for both questions, on tiny problems.

    Parameters
    ----------
    max_models: rows of the table, models or partial ones.
    max_nodes: partial models looked at in all.

    Over a limit: Unsupported, saying what is too large.

    >>> problem = Problem.from_sets([({0, 1}, 1), ({0, 1, 2}, 1)], n=4)
    >>> Enumeration().deduce(problem)
    <Deduction complete: safe [2], mines []>
    >>> Enumeration().marginals(problem).models
    4
    """

    max_models: int = 1 << 17
    max_nodes: int = 1 << 20

    def __post_init__(self) -> None:
        for name in ("max_models", "max_nodes"):
            check_budget(name, getattr(self, name), 1)

    @property
    def claims(self) -> Claims:
        """Everything, on what it can take."""
        return Claims(complete_local=True, complete_global=True, marginals=True, exact=True)

    def deduce(self, problem: Problem, /) -> Deduction:
        """The cells that are safe in all models, and those that are mines in all."""
        cells, models, stats = self._enumerate(problem)
        if not len(models):
            return Deduction.inconsistent(problem.n, stats)
        safe, mines = np.zeros((2, problem.n), np.bool_)
        safe[cells] = ~models.any(axis=0)
        mines[cells] = models.all(axis=0)
        return Deduction(safe, mines, Status.COMPLETE, stats)

    def marginals(self, problem: Problem, /) -> Marginals:
        """The share of models in which each cell is a mine, as fractions and floats."""
        cells, models, stats = self._enumerate(problem)
        if not len(models):
            return Marginals.inconsistent(problem.n, stats)
        fractions: list[Fraction | None] = [None] * problem.n
        probability = np.full(problem.n, np.nan)
        for cell, count in zip(cells, models.sum(axis=0).tolist(), strict=True):
            share = Fraction(count, len(models))
            fractions[cell] = share
            probability[cell] = float(share)
        return Marginals(probability, len(models), math.log(len(models)), Status.COMPLETE, tuple(fractions), stats)

    def _enumerate(self, problem: Problem) -> tuple[list[int], NDArray[np.bool_], Stats]:
        """(covered cells, bool[models, covered cells], stats)."""
        covered = np.flatnonzero(problem.covered).tolist()
        if max(len(covered), problem.totals.size) > _MAX_SIZE:
            raise Unsupported(
                f"enumeration takes up to {_MAX_SIZE} covered cells and constraints, not "
                f"{len(covered)} and {problem.totals.size}"
            )
        constraints = list(problem.constraints)
        touched = frozenset[int]().union(*(c.scope for c in constraints))
        # Cells in no constraint come last: they multiply the rows and rule none out.
        cells = [c for c in covered if c in touched] + [c for c in covered if c not in touched]
        if problem.mines is not None:
            # A count that no cells could hold may not fit into the arrays either; one too many says the same.
            constraints.append(Constraint(frozenset(covered), min(problem.mines, len(covered) + 1)))
        totals = np.array([c.total for c in constraints], np.int64)
        room = np.array([len(c.scope) for c in constraints], np.int64)  # cells still to come
        counts = np.zeros((1, len(constraints)), np.int32)  # mines so far, a row a partial model
        models = np.zeros((1, len(cells)), np.bool_)
        nodes = 1
        for column in range(len(cells) + 1):
            possible = ((counts <= totals) & (counts + room >= totals)).all(axis=1)
            counts, models = counts[possible], models[possible]
            self._limit(nodes, len(models), column, len(cells))
            if column == len(cells) or not len(models):
                break
            nodes += 2 * len(models)
            inside = np.array([cells[column] in c.scope for c in constraints], np.bool_)
            counts = np.concatenate([counts, counts + inside.astype(np.int32)])
            models = np.concatenate([models, models])
            models[len(models) // 2 :, column] = True
            room = room - inside
        return cells, models, {"models": len(models), "nodes": nodes}

    def _limit(self, nodes: int, rows: int, column: int, cells: int) -> None:
        for name, count in (("max_models", rows), ("max_nodes", nodes)):
            if count > getattr(self, name):
                raise Unsupported(
                    f"enumeration is for tiny problems: after {column} of {cells} covered cells {count} "
                    f"partial models are over {name}={getattr(self, name)}"
                )
