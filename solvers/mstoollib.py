"""The probabilities of ms_toollib, a toolbox in Rust: a peer to compare with.

Method: logic on the matrix of clues first, then enumeration of the blocks that remain, joined by the mine
count. Floating point; a cell counts as proved where its probability is exactly 0 or 1.
Cost: exponential in the widest block: seconds and a gigabyte for a 7x41 comb, all memory for the 10x21 lattice
among the `cases`. It takes no limit: bound the process, or leave such boards out.
Source: Wang Jianing, ms_toollib, https://github.com/eee555/ms_toollib; tried with 1.5.20.

It takes boards, not constraints, so this backend reads `problem.position`. What tests found:

- No local question: it wants a number of mines (and takes one below 1 for a density). Its deductions from
  clues alone miss cells, and end the whole process on a contradiction, so they are not used.
- An impossible mine count is replaced by the nearest possible one, which shows in the range that it returns.
- A contradiction is a RuntimeError, but not always: where a 0 clears the cells of another clue, or nothing
  is covered beside a violated clue, probabilities come back that do not add up. Such an answer is PARTIAL.
- Over 65,000 cells in no clue raise the same RuntimeError on consistent boards.
- A probability of 1 can be a rounded one. Where models are so rare that it happens, other probabilities are
  within 1e-9 of 0 or 1 without being so; then no cell is called a mine and the answer is PARTIAL.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from time import perf_counter_ns
from typing import ClassVar

import ms_toollib
import numpy as np
from numpy.typing import NDArray

from board.position import COVERED, HIT, Position
from board.problem import Problem
from solvers.interface import Claims, Deduction, Marginals, Status, Unsupported

_COVERED_SIGN = 10
_NO_MODEL = ("标记阶段无解的局面", "枚举阶段无解的局面")  # "no solution", while marking or enumerating
_MOST_UNTOUCHED = 65_000
_ADDS_UP = 1e-6  # sums of probabilities against clues and mine count
_RARE = 1e-9


@dataclass(frozen=True, slots=True)
class MsToollib:
    """Deductions and probabilities of ms_toollib, for the global question on the grid.

    Unsupported: a problem without a position or a mine count, another topology, hit or unnumbered cells.

    Attributes
    ----------
    reads_position: it takes the board instead of the constraints, so its time is `solve` alone.

    >>> from board import Position
    >>> MsToollib().deduce(Position.parse("#1###", mines=1).problem())
    <Deduction complete: safe [3, 4], mines []>
    """

    reads_position: ClassVar[bool] = True

    @property
    def claims(self) -> Claims:
        """Marginals. Most answers are COMPLETE, but see the module for contradictions and rounding."""
        return Claims(marginals=True)

    def deduce(self, problem: Problem, /) -> Deduction:
        """The cells of probability 0 and 1."""
        return self.marginals(problem).deduction()

    def marginals(self, problem: Problem, /) -> Marginals:
        """Probabilities to about 1e-12 relative. The library counts no models: None, and log_models nan.

        `stats["library_nanoseconds"]` is how long the library's own call took, if it was asked.
        PARTIAL with nan where the answer does not add up; PARTIAL with numbers where ones may be rounded.
        """
        board, mines = _request(problem)
        covered = problem.covered
        if not 0 <= mines <= covered.sum() or (problem.totals > np.diff(problem.indptr)).any():
            return Marginals.inconsistent(problem.n)
        begin = perf_counter_ns()
        try:
            rows, (fewest, _, most) = ms_toollib.cal_probability_onboard(board, mines)
            consistent = fewest <= mines <= most
        except RuntimeError as error:
            if str(error) not in _NO_MODEL:
                raise
            _check_size(problem)
            consistent = False
        stats = {"library_nanoseconds": perf_counter_ns() - begin}
        if not consistent:
            return Marginals.inconsistent(problem.n, stats)
        given = np.fromiter(chain.from_iterable(rows), np.float64, problem.n)
        probability = np.where(covered, given, np.nan)
        status = Status.COMPLETE
        if not _adds_up(problem, probability):
            status = Status.PARTIAL
            probability = np.full(problem.n, np.nan)
        elif _some_rare(probability):
            status = Status.PARTIAL
            probability[probability == 1] = np.nextafter(1, 0)
        return Marginals(probability, None, np.nan, status, stats=stats)


def _some_rare(probability: NDArray[np.float64]) -> bool:
    """Whether a probability is so close to 0 or 1 that rounding may have made others 1."""
    distance = np.minimum(probability, 1 - probability)
    return bool(((distance > 0) & (distance < _RARE)).any())


def _request(problem: Problem) -> tuple[list[list[int]], int]:
    """The library's board and the mine count, if it can take the problem."""
    position = problem.position
    if position is None:
        raise Unsupported("mstoollib takes boards, and this problem was not made of a position")
    if problem.mines is None:
        raise Unsupported("mstoollib needs a mine count; it does not answer the local question")
    if position.topology.name != "grid":
        raise Unsupported(f"mstoollib takes the grid, not the topology {position.topology.name!r}")
    codes = np.where(position.codes == COVERED, _COVERED_SIGN, position.codes)
    if codes.min() < 0:
        raise Unsupported(f"mstoollib has no sign for {_unknown(position)}")
    return codes.tolist(), problem.mines


def _unknown(position: Position) -> str:
    return "a hit mine" if (position.codes == HIT).any() else "an opened cell without a number"


def _check_size(problem: Problem) -> None:
    untouched = int(problem.covered.sum()) - np.unique(problem.cells).size
    if untouched > _MOST_UNTOUCHED:
        raise Unsupported(f"mstoollib takes up to {_MOST_UNTOUCHED} cells in no clue, not {untouched}")


def _adds_up(problem: Problem, probability: NDArray[np.float64]) -> bool:
    """Whether the expected mines are those of the clues and of the mine count."""
    sums = np.concatenate(([0.0], np.cumsum(probability[problem.cells])))
    clues = sums[problem.indptr[1:]] - sums[problem.indptr[:-1]]
    mines = probability[problem.covered].sum()
    expected = problem.mines or 0
    return bool(
        (np.abs(clues - problem.totals) <= _ADDS_UP).all() and abs(mines - expected) <= _ADDS_UP * max(1, expected)
    )
