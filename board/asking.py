"""What can be asked about a board that people change by hand: of solvers, explanations and a policy that are handed in.

`board` knows no solver: what is handed in has the interface of `solvers`, and may be anybody's. So whatever it raises
becomes one line for the reader, never the end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from board.position import Position
from board.problem import Problem

_LONGEST_LINE = 240


@dataclass(frozen=True, slots=True)
class Tools:
    """What a board can be asked; all of it may be missing.

    Parameters
    ----------
    solvers: by the names to choose from; each is a `solvers.Solver`. An error of looking one up is shown as well.
    explain: from (problem, cell) why that cell is safe or a mine, or None, as `solvers.explanation.explain`.
    steps: from a problem everything that follows in steps, as `solvers.steps.explain_steps`.
    contradiction: from a problem why it has no model, or None, as `solvers.explanation.explain_contradiction`.
    policy: a `solvers.policy.Policy`, which chooses where nothing is proved safe.
    seed: of the policy's choices; the same moves from the same board see the same choice.
    """

    solvers: Mapping[str, Any] = field(default_factory=dict)
    explain: Callable[[Problem, int], Any] | None = None
    steps: Callable[[Problem], Sequence[Any]] | None = None
    contradiction: Callable[[Problem], Any] | None = None
    policy: Any = None
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """What a solver says about a position.

    status: "complete", "partial", "inconsistent", "error", or "none" where no solver is chosen.
    deduction, marginals: as `solvers.interface` has them, None where there are none. error: one line, or "".
    """

    status: str = "none"
    deduction: Any = None
    marginals: Any = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """The cell that the policy chose, and whether it was proved safe before. share: its probability of a mine."""

    cell: int
    proved: bool
    share: float | None


def tried(tool: Callable[..., Any], *given: Any) -> Any:
    """What a tool that was handed in answers; whatever it raises becomes a ValueError of one line."""
    try:
        return tool(*given)
    except Exception as wrong:
        raise ValueError(one_line(wrong)) from wrong


def one_line(wrong: Exception) -> str:
    """An error as one line that is not too long.

    >>> one_line(ValueError("no\\n model"))
    'no model'
    """
    text = " ".join(str(wrong.args[0] if isinstance(wrong, KeyError) and wrong.args else wrong).split())
    text = text or type(wrong).__name__
    return text if len(text) <= _LONGEST_LINE else text[: _LONGEST_LINE - 1] + "…"


def answered(position: Position, name: str, tools: Tools) -> Answer:
    """What the solver of that name says about the position; nothing for ""."""
    if not name:
        return Answer()
    try:
        solver, problem = tools.solvers[name], position.problem()
        marginals = solver.marginals(problem) if solver.claims.marginals else None
        if marginals is not None and str(marginals.status) != "partial":
            return Answer(str(marginals.status), marginals.deduction(), marginals)
        deduction = solver.deduce(problem)
        return Answer(str(deduction.status), deduction, marginals)
    except Exception as wrong:  # of a solver of anybody's
        return Answer("error", error=f"{name}: {one_line(wrong)}")


def chosen(position: Position, answer: Answer, moves: int, tools: Tools) -> Choice:
    """The first cell that the answer proves safe, without a flag if there is one, or else the policy's choice.

    answer: has a deduction. moves: how many were made before, for the policy's random numbers.

    Raises ValueError, one line, where the policy does.
    """
    safe = np.flatnonzero(answer.deduction.safe)
    open_to = safe[~position.flags.flat[safe]]
    if safe.size:
        return Choice(int(open_to[0] if open_to.size else safe[0]), True, 0.0)
    given = answer.marginals if answer.marginals is not None and tools.policy.needs_marginals else answer.deduction
    rng = np.random.default_rng([tools.seed, moves])
    cell = int(tried(tools.policy.choose, position, given, rng))
    share = None if answer.marginals is None else float(answer.marginals.probability[cell])
    return Choice(cell, False, None if share is None or np.isnan(share) else share)
