"""The Python and the experiment in README.md run as they stand."""

from __future__ import annotations

from pathlib import Path

import pytest
from documents import blocks, run
from samples import TINY

from benchmarks import Run, load_experiment, write_corpus

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
PYTHON = blocks(README, "python")
(EXPERIMENT,) = blocks(README, "toml")

# Instead of jobs on SLURM, workers on this machine.
STAND_IN = """
from distributed import LocalCluster

class SLURMCluster(LocalCluster):
    def __init__(self, cores, processes, memory, walltime):
        super().__init__(n_workers=0, threads_per_worker=cores, host="127.0.0.1", dashboard_address=None)

    def scale(self, jobs):
        super().scale(2)
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "dask_jobqueue.py").write_text(STAND_IN)
    (tmp_path / "my.toml").write_text(EXPERIMENT.code.replace("limit = 100", "limit = 3"))
    write_corpus(TINY, tmp_path / "my-positions.jsonl")
    return tmp_path


@pytest.mark.parametrize(
    "block",
    [
        pytest.param(block, marks=pytest.mark.slow if "dask" in block else (), id=str(i))
        for i, block in enumerate(PYTHON)
    ],
)
def test_block_runs(block, folder):
    if "dask" in block.code:
        pytest.importorskip("distributed")
    fault = run([block], folder, "README.md")
    if fault:
        pytest.fail(fault, pytrace=False)
    if "slurm" in block.code:
        assert Run.load(folder / "runs" / "slurm").header["finished"]


def test_the_experiment_loads(folder):
    found = load_experiment(folder / "my.toml")
    assert len(found.solvers) + len(found.left_out) == 5


def test_there_are_blocks():
    assert len(PYTHON) == 4
