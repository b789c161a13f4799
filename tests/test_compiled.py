import os
import subprocess
import sys
from pathlib import Path

import pytest

from solvers.compiled import forget_stale

WITHIN = """
import json
from pathlib import Path

from board import Position
from solvers import make_solver
from solvers.trial_problems import trial_problems

problems = list(trial_problems(60, seed=5))
wanted = {"comb13", "combstrip7x41", "scatter50-f0.7"}
for line in Path("tests/data/stress.jsonl").read_text().splitlines():
    data = json.loads(line)
    if data["id"] in wanted:
        problems.append(Position.parse(data["grid"], mines=data["mines"]).problem())
problems += [problem.local() for problem in problems]
for name in ("single", "subset", "minmax", "counting", "cascade"):
    solver = make_solver(name)
    for problem in problems:
        solver.deduce(problem)
    if name in ("subset", "counting"):
        solver.deduce_many(problems[:60])
for problem in problems[-3:]:
    make_solver("counting").sample(problem, 2, rng=1)
print("all within")
"""


def written(path, seconds):
    path.parent.mkdir(exist_ok=True)
    path.touch()
    os.utime(path, (seconds, seconds))
    return path


def test_kernels_older_than_a_part_are_forgotten(tmp_path):
    written(tmp_path / "whole.py", 100)
    written(tmp_path / "part.py", 300)
    written(tmp_path / "other.py", 900)  # has no kernels
    old = written(tmp_path / "__pycache__" / "whole.count-12.py311.nbi", 200)
    new = written(tmp_path / "__pycache__" / "part.step-7.py311.nbi", 400)
    forget_stale(tmp_path)
    assert (old.exists(), new.exists()) == (False, True)
    written(tmp_path / "whole.py", 100)
    forget_stale(tmp_path)
    assert new.exists()


@pytest.mark.slow
def test_no_kernel_leaves_its_arrays():
    """Compiled code looks at no bounds; as Python it does."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    root = Path(__file__).parents[1]
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", WITHIN], cwd=root, env=environment, capture_output=True, text=True
    )
    assert run.stdout == "all within\n", run.stderr[-2000:]
