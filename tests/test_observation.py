import warnings
from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest

from board import Layout
from board.env import REWARDS
from solvers import Claims, Deduction, Marginals, Status, Unsupported, make_solver

gymnasium = pytest.importorskip("gymnasium", reason="the extra gym is not installed")

from board.env import MinesweeperEnv  # noqa: E402
from solvers.observation import SolverObservation  # noqa: E402

BEGINNER = "sapper/Minesweeper-Beginner-v0"
SPECS = ["single", "subset", "sat", "counting", "counting:exact=true"]


@dataclass(frozen=True)
class Silent:
    """A solver of nobody's registry, which finds nothing."""

    claims = Claims()

    def deduce(self, problem, /):
        nothing = np.zeros(problem.n, bool)
        return Deduction(nothing, nothing, Status.PARTIAL)


def play(env, seed, choose):
    """The observations of an episode; choose: observation -> action."""
    observation, _ = env.reset(seed=seed)
    seen, ended = [observation], False
    while not ended:
        observation, reward, terminated, truncated, _ = env.step(choose(observation))
        ended = terminated or truncated
        seen.append(observation)
    return seen, reward


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("asked", ["subset", "counting", Silent()])
def test_gymnasium_finds_no_fault(asked):
    from gymnasium.utils.env_checker import check_env

    env = SolverObservation(gymnasium.make(BEGINNER, rows=5, columns=6, mines=4), asked)
    with warnings.catch_warnings():  # the one warning: that it is a wrapper
        warnings.filterwarnings("ignore", message=".*is different from the unwrapped version.*")
        check_env(env, skip_render_check=True)
    assert env.observation_space.spaces.keys() == env.reset(seed=1)[0].keys()


@pytest.mark.parametrize("spec", SPECS)
def test_the_answers_are_the_solver_s(spec):
    env = SolverObservation(MinesweeperEnv(5, 6, 6), spec)
    solver = make_solver(spec)
    rng = np.random.default_rng(0)
    for seed in range(10):
        observation, _ = env.reset(seed=seed)
        ended = False
        while not ended:
            problem = env.unwrapped.position().problem()
            deduction = solver.deduce(problem)
            assert observation in env.observation_space
            assert (observation["safe"].reshape(-1) == deduction.safe).all()
            assert (observation["mines"].reshape(-1) == deduction.mines).all()
            if solver.claims.marginals:
                wanted = solver.marginals(problem).probability
                got = observation["probability"].reshape(-1)
                assert np.allclose(got[problem.covered], wanted[problem.covered], atol=1e-6)
                assert (got[~problem.covered] == 0).all()
            else:
                assert "probability" not in observation
            observation, _, ended, _, _ = env.step(rng.choice(np.flatnonzero(observation["board"] == 9)))


def test_a_solver_s_answers_win_games():
    env = SolverObservation(MinesweeperEnv(rule="opening"), "counting")
    chosen = [play(env, seed, lambda seen: int(_risk(seen).argmin()))[1] for seed in range(20)]
    assert chosen.count(REWARDS["win"]) >= 15  # without an opening about 9 in 10


def _risk(seen):
    return np.where(seen["board"] == 9, seen["probability"], 2).reshape(-1)


def test_a_hit_mine_has_probability_1():
    env = SolverObservation(MinesweeperEnv(1, 4, 2), "counting")
    env.reset(options={"layout": Layout.parse("*..*")})
    env.step(1)
    observation, _, terminated, _, _ = env.step(0)
    assert terminated
    assert observation["board"].tolist() == [[-1, 1, 9, 9]]
    assert observation["probability"].tolist() == [[1, 0, 0, 1]]
    assert observation["safe"].tolist() == [[0, 0, 1, 0]]
    assert observation["mines"].tolist() == [[0, 0, 0, 1]]


def test_over_a_budget_there_is_no_number():
    env = SolverObservation(MinesweeperEnv(4, 4, 2), "counting:max_bytes=1")
    env.reset(options={"layout": Layout.parse(["*...", "....", "....", "*..."])})
    observation, *_ = env.step(3)
    covered = observation["board"] == 9
    assert (observation["probability"][covered] == -1).all()
    assert (observation["probability"][~covered] == 0).all()
    assert observation in env.observation_space
    wanted = make_solver("counting:max_bytes=1").deduce(env.unwrapped.position().problem())
    assert (observation["safe"].reshape(-1) == wanted.safe).all()


def test_marginals_that_are_not_complete_do_not_stand_in_for_deductions():
    @dataclass(frozen=True)
    class Half:
        claims = Claims(marginals=True)

        def deduce(self, problem, /):
            return make_solver("counting").deduce(problem)

        def marginals(self, problem, /):
            return Marginals(np.where(problem.covered, 0.5, np.nan), None, np.nan, Status.PARTIAL)

    env = SolverObservation(MinesweeperEnv(1, 3, 1), Half())
    env.reset(options={"layout": Layout.parse("..*")})
    observation, *_ = env.step(1)
    assert observation["probability"].tolist() == [[0.5, 0, 0.5]]
    env.reset(options={"layout": Layout.parse("..*")})
    observation, *_ = env.step(0)
    assert observation["mines"].tolist() == [[0, 0, 1]]


def test_what_a_solver_cannot_take_is_said():
    try:
        env = SolverObservation(MinesweeperEnv(1, 4, 2), "mstoollib")
    except Unsupported as missing:
        pytest.skip(str(missing))
    env.reset(options={"layout": Layout.parse("*..*")})
    observation, *_ = env.step(1)
    assert observation["mines"].tolist() == [[0, 0, 0, 1]]
    with pytest.raises(Unsupported):
        env.step(0)


def test_marginals_can_be_left_out_but_not_wished_for():
    env = SolverObservation(MinesweeperEnv(), "counting", marginals=False)
    assert "probability" not in env.observation_space.spaces
    assert "probability" not in env.reset()[0]
    with pytest.raises(ValueError, match="'sat' does not claim marginals"):
        SolverObservation(MinesweeperEnv(), "sat", marginals=True)


def test_what_is_no_solver_or_no_minesweeper_is_refused():
    with pytest.raises(ValueError, match="unlike 7"):
        SolverObservation(MinesweeperEnv(), 7)
    with pytest.raises(ValueError, match="unknown solver 'conting'; did you mean 'counting'"):
        SolverObservation(MinesweeperEnv(), "conting")
    with pytest.raises(ValueError, match=r"not of .*CartPole"):
        SolverObservation(gymnasium.make("CartPole-v1"), "counting")


def test_it_can_stand_on_another_wrapper():
    flat = gymnasium.wrappers.FlattenObservation(MinesweeperEnv(2, 3, 1))
    env = SolverObservation(flat, "counting")
    observation, _ = env.reset(seed=1)
    assert observation["board"].shape == (6,)
    assert observation["probability"].shape == (2, 3)
    assert gymnasium.wrappers.FlattenObservation(env).reset(seed=1)[0].shape == (6 + 3 * 6,)


def test_its_spec_makes_it_again():
    env = SolverObservation(gymnasium.make(BEGINNER, mines=5), "subset")
    again = gymnasium.make(env.spec)
    assert isinstance(again, SolverObservation)
    assert again.unwrapped.mines == 5
    assert set(again.observation_space.spaces) == {"board", "safe", "mines"}


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_vectors_of_environments(mode):
    wrap = partial(SolverObservation, solver="counting")
    envs = gymnasium.make_vec(BEGINNER, 2, vectorization_mode=mode, wrappers=[wrap], rows=4, columns=4, mines=3)
    try:
        observations, infos = envs.reset(seed=3)
        for _ in range(10):
            assert set(observations) == {"board", "safe", "mines", "probability"}
            assert all(part.shape == (2, 4, 4) for part in observations.values())
            assert np.allclose(observations["probability"].sum(axis=(1, 2)), 3)
            actions = [envs.single_action_space.sample(mask=mask) for mask in infos["action_mask"]]
            observations, _, _, _, infos = envs.step(np.array(actions))
    finally:
        envs.close()


@pytest.mark.slow
def test_an_agent_learns_from_it():
    sb3_contrib = pytest.importorskip("sb3_contrib", reason="sb3-contrib is not installed")
    import torch
    from stable_baselines3.common.env_util import make_vec_env

    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # small networks on several threads wait for each other

    def make():
        return SolverObservation(MinesweeperEnv(4, 4, 3, rewards={"mine": -1, "safe": 0.2, "win": 1}), "counting")

    settings = {"n_steps": 64, "batch_size": 128, "learning_rate": 2e-3, "gamma": 0.9}
    envs = make_vec_env(make, 4, seed=0)
    agent = sb3_contrib.MaskablePPO("MultiInputPolicy", envs, seed=0, device="cpu", **settings)
    agent.learn(1000)
    torch.set_num_threads(threads)
    env = make()
    observation, info = env.reset(seed=0)
    action, _ = agent.predict(observation, action_masks=info["action_mask"].astype(bool))
    assert info["action_mask"][int(action)]
