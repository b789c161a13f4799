"""What inference is asked: which cells are covered, what the clues say, how many mines there are.

A :class:`Problem` knows no geometry. It is a system of exact cardinality constraints over cells
0..n-1, held in compressed sparse rows so that kernels take its arrays as they are; people read the
same content through :attr:`Problem.constraints`.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from board.position import Position

Cells = NDArray[np.int32]
Mask = NDArray[np.bool_]


def whole(value: object, needed: str) -> int:
    """`value` as an integer; ValueError that says what is needed for anything else, a bool included."""
    if not isinstance(value, bool | np.bool_):
        try:
            return operator.index(value)  # type: ignore[arg-type]
        except TypeError:
            pass
    raise ValueError(f"{needed}, not {value!r}")


def mine_count(value: object) -> int | None:
    """`value` as a mine count: an integer >= 0, or None for an unknown one.

    Raises ValueError quoting the value for anything else (a bool, a float, a text, a negative number).

    >>> mine_count(10)
    10
    >>> mine_count(2.5)
    Traceback (most recent call last):
    ValueError: a mine count is an integer >= 0, not 2.5
    """
    if value is None:
        return None
    needed = "a mine count is an integer >= 0"
    count = whole(value, needed)
    if count < 0:
        raise ValueError(f"{needed}, not {value!r}")
    return count


@dataclass(frozen=True, slots=True)
class Constraint:
    """Exactly `total` of the cells in `scope` are mines. No model if `total` is outside 0..len(scope)."""

    scope: frozenset[int]
    total: int

    def __str__(self) -> str:
        return f"{{{', '.join(map(str, sorted(self.scope)))}}} = {self.total}"


_put = object.__setattr__


@dataclass(frozen=True, slots=True, init=False, eq=False)
class Problem:
    """Covered cells, constraints over them, and the number of mines among them.

    Parameters
    ----------
    covered: bool[n]; the cells a model assigns.
    indptr: int32[m + 1], cells: int32[k]; the scope of constraint i is
        `cells[indptr[i]:indptr[i + 1]]`, ascending, without repeats, all covered.
    totals: int32[m].
    mines: mines among the covered cells, or None for the local question. (A position in which more mines
        were hit than it has makes a problem with a negative count: a question without a model.)
    position: what the problem was made of, if anything; no part of equality.

    Raises ValueError where the arrays do not fit together.

    >>> problem = Problem.from_sets([({0, 1}, 1), ({0, 1, 2}, 1)], n=4, mines=2)
    >>> [str(c) for c in problem.constraints]
    ['{0, 1} = 1', '{0, 1, 2} = 1']
    """

    covered: Mask
    indptr: Cells
    cells: Cells
    totals: Cells
    mines: int | None
    position: Position | None

    def __init__(
        self,
        covered: Mask,
        indptr: Cells,
        cells: Cells,
        totals: Cells,
        mines: int | None = None,
        position: Position | None = None,
    ) -> None:
        covered = np.array(covered)
        if covered.dtype != np.bool_:
            raise ValueError(f"covered has dtype {covered.dtype}, not bool")
        indptr, cells, totals = (
            _int32(a, name) for a, name in ((indptr, "indptr"), (cells, "cells"), (totals, "totals"))
        )
        _check(covered, indptr, cells, totals)
        for array in (covered, indptr, cells, totals):
            array.setflags(write=False)
        given = (covered, indptr, cells, totals, mine_count(mines), position)
        for name, value in zip(self.__slots__, given, strict=True):
            _put(self, name, value)

    @classmethod
    def trusted(
        cls,
        covered: Mask,
        indptr: Cells,
        cells: Cells,
        totals: Cells,
        mines: int | None,
        position: Position | None = None,
    ) -> Problem:
        """The problem of arrays known to be right: neither checked nor copied, but made read-only."""
        for array in (covered, indptr, cells, totals):
            array.setflags(write=False)
        return cls.frozen(covered, indptr, cells, totals, mines, position)

    @classmethod
    def frozen(
        cls,
        covered: Mask,
        indptr: Cells,
        cells: Cells,
        totals: Cells,
        mines: int | None,
        position: Position | None = None,
    ) -> Problem:
        """The problem of arrays known to be right and read-only already: the quickest way."""
        problem = object.__new__(cls)
        _put(problem, "covered", covered)
        _put(problem, "indptr", indptr)
        _put(problem, "cells", cells)
        _put(problem, "totals", totals)
        _put(problem, "mines", mines)
        _put(problem, "position", position)
        return problem

    @classmethod
    def from_sets(
        cls,
        constraints: Iterable[tuple[Collection[int], int] | Constraint],
        n: int,
        mines: int | None = None,
        covered: Iterable[int] | None = None,
    ) -> Problem:
        """The problem over cells 0..n-1 (all covered, or those listed) of plain (scope, total) pairs."""
        scopes: list[list[int]] = []
        totals: list[int] = []
        for item in constraints:
            scope, total = (item.scope, item.total) if isinstance(item, Constraint) else item
            scopes.append(sorted(set(scope)))
            totals.append(total)
        mask = np.zeros(n, np.bool_)
        if covered is None:
            mask[:] = True
        else:
            listed = _int32(list(covered), "covered")
            _check_cells(listed, n)
            mask[listed] = True
        indptr = np.zeros(len(scopes) + 1, np.int32)
        np.cumsum([len(s) for s in scopes], out=indptr[1:])
        cells = _int32([c for s in scopes for c in s], "cells")
        return cls(mask, indptr, cells, _int32(totals, "totals"), mines)

    @property
    def n(self) -> int:
        """The number of cells, covered or not."""
        return int(self.covered.size)

    @property
    def constraints(self) -> Iterator[Constraint]:
        """The constraints one by one, for reading."""
        bounds = self.indptr.tolist()
        cells = self.cells.tolist()
        for i, total in enumerate(self.totals.tolist()):
            yield Constraint(frozenset(cells[bounds[i] : bounds[i + 1]]), total)

    def local(self) -> Problem:
        """The same clues without the mine count: the local question."""
        if self.mines is None:
            return self
        return Problem.trusted(self.covered, self.indptr, self.cells, self.totals, None, self.position)

    def _key(self) -> tuple[bytes, bytes, bytes, bytes, int | None]:
        return (
            self.covered.tobytes(),
            self.indptr.tobytes(),
            self.cells.tobytes(),
            self.totals.tobytes(),
            self.mines,
        )

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Problem) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __reduce__(self) -> tuple[Any, ...]:
        # Through `trusted`, because numpy forgets on unpickling that an array was read-only.
        return Problem.trusted, (
            self.covered,
            self.indptr,
            self.cells,
            self.totals,
            self.mines,
            self.position,
        )

    def __repr__(self) -> str:
        return (
            f"<Problem: {int(self.covered.sum())} covered cells of {self.n}, "
            f"{self.totals.size} constraints, mines={self.mines}>"
        )


def _int32(array: object, name: str) -> Cells:
    given = np.asarray(array)
    if given.size == 0:
        given = given.astype(np.int64)
    if given.dtype.kind not in "iu":
        raise ValueError(f"{name} has dtype {given.dtype}, not integers")
    made = given.astype(np.int32)
    if not np.array_equal(made, given):
        raise ValueError(f"{name} has a number outside int32")
    return made


def _check_cells(cells: Cells, n: int) -> None:
    outside = (cells < 0) | (cells >= n)
    if outside.any():
        raise ValueError(f"cell {cells[outside][0]} is outside 0..{n - 1}")


def _check(covered: Mask, indptr: Cells, cells: Cells, totals: Cells) -> None:
    if any(a.ndim != 1 for a in (covered, indptr, cells, totals)):
        raise ValueError("covered, indptr, cells and totals are one-dimensional")
    if indptr.size != totals.size + 1:
        raise ValueError(f"indptr has {indptr.size} entries for {totals.size} totals, not one more")
    if indptr[0] != 0 or indptr[-1] != cells.size or (np.diff(indptr) < 0).any():
        raise ValueError(f"indptr does not climb from 0 to the {cells.size} cells")
    _check_cells(cells, covered.size)
    if not covered[cells].all():
        raise ValueError(f"cell {cells[~covered[cells]][0]} stands in a constraint but is not covered")
    climbs = np.diff(cells) > 0
    starts = indptr[1:-1]
    climbs[starts[(starts > 0) & (starts < cells.size)] - 1] = True
    if not climbs.all():
        raise ValueError("the cells of a constraint must be ascending and distinct")
