"""What an agent sees beside the board: the answers of a solver, in the observation.

`SolverObservation` wraps `board.env.MinesweeperEnv` for Gymnasium (the extra `gym`). Cost: one call of the solver a
step. Deductions and marginals are of the global question, with the number of mines on the board; the rule for the first
cell is no part of it, so before the first step nothing is proved.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray

from board.gym_env import MinesweeperEnv
from board.position import COVERED, HIT
from solvers.interface import Deduction, MarginalSolver, Solver, Status
from solvers.registry import make_solver

Planes = dict[str, NDArray[Any]]


class SolverObservation(gymnasium.ObservationWrapper[Planes, Any, Any], RecordConstructorArgs):
    """The observation of a Minesweeper environment, with a solver's answers.

    Parameters
    ----------
    env: a :class:`board.env.MinesweeperEnv`, wrapped or not.
    solver: a spec such as "counting", or a solver, also one of your own.
    marginals: whether to add "probability"; by default if the solver claims marginals.

    Observations are dictionaries of

    - "board": what the environment observes;
    - "safe", "mines": int8 (rows, columns), 1 for a covered cell that is proved safe, or a mine;
    - "probability": float32 (rows, columns), the share of models in which a covered cell is a mine, 0 for an opened
      cell, 1 for a mine that was opened, -1 where the solver has no number (over its budget). Shares are
      rounded to float32: what is proved is in "safe" and "mines".

    Raises ValueError for another environment, for what is no solver, and for marginals that the solver does not
    claim; :class:`solvers.Unsupported` where its library is missing, and what the solver raises: one that takes no
    board with a mine that was hit, as `mstoollib`, raises Unsupported when a game is lost.

    >>> from board import Layout
    >>> env = SolverObservation(MinesweeperEnv(1, 4, 1), "counting")
    >>> observation, info = env.reset(seed=1, options={"layout": Layout.parse("..*.")})
    >>> observation["probability"].tolist()
    [[0.25, 0.25, 0.25, 0.25]]
    >>> observation, *_ = env.step(1)
    >>> observation["board"].tolist(), observation["probability"].tolist(), observation["safe"].tolist()
    ([[9, 1, 9, 9]], [[0.5, 0.0, 0.5, 0.0]], [[0, 0, 0, 1]])
    """

    def __init__(
        self, env: gymnasium.Env[Any, Any], solver: Solver | str = "counting", marginals: bool | None = None
    ) -> None:
        RecordConstructorArgs.__init__(self, solver=solver, marginals=marginals)
        super().__init__(env)
        base = env.unwrapped
        if not isinstance(base, MinesweeperEnv):
            raise ValueError(f"the observation of a MinesweeperEnv is needed, not of {base!r}")
        asked = make_solver(solver) if isinstance(solver, str) else solver
        if not isinstance(asked, Solver):
            raise ValueError(f"a solver has claims and deduce, unlike {asked!r}")
        counting = asked if asked.claims.marginals and isinstance(asked, MarginalSolver) else None
        if marginals and counting is None:
            raise ValueError(f"{solver!r} does not claim marginals")
        self._base = base
        self._solver = asked
        self._counting = None if marginals is False else counting
        shape = (base.rows, base.columns)
        parts: dict[str, gymnasium.Space[Any]] = {
            "board": env.observation_space,
            "safe": spaces.Box(0, 1, shape, np.int8),
            "mines": spaces.Box(0, 1, shape, np.int8),
        }
        if self._counting is not None:
            parts["probability"] = spaces.Box(-1, 1, shape, np.float32)
        space: gymnasium.Space[Any] = spaces.Dict(parts)
        self.observation_space = space

    def observation(self, observation: Any) -> Planes:
        """The observation with the solver's answers for the environment's position."""
        position = self._base.position()
        problem = position.problem()
        found: Deduction | None = None
        added: Planes = {}
        if self._counting is not None:
            answer = self._counting.marginals(problem)
            if answer.status is Status.COMPLETE:
                found = answer.deduction()
            shares = np.nan_to_num(answer.probability.reshape(position.shape), nan=-1)
            shares = np.where(position.codes == COVERED, shares, position.codes == HIT)
            added["probability"] = shares.astype(np.float32)
        if found is None:  # marginals that are not complete may miss what the same solver can prove
            found = self._solver.deduce(problem)
        masks = {"safe": found.safe, "mines": found.mines}
        planes = {name: mask.astype(np.int8).reshape(position.shape) for name, mask in masks.items()}
        return {"board": observation, **planes, **added}
