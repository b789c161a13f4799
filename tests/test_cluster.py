"""Dask: the same records as on this machine, also when a worker is lost on the way."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
from hostile import Hostile
from test_runner import CORPUS, LONG, deterministic

from benchmarks import compare
from benchmarks.plan import Limits

pytest.importorskip("distributed", reason="needs Dask")
WORKER = ["--nthreads", "1", "--no-dashboard", "--host", "127.0.0.1"]


def started(*command, folder):
    path = str(os.path.dirname(__file__))
    environment = {**os.environ, "PYTHONPATH": path, "DASK_DISTRIBUTED__SCHEDULER__DASHBOARD__ENABLED": "False"}
    return subprocess.Popen(
        [sys.executable, "-m", *command],
        env=environment,
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


@contextmanager
def cluster(folder):
    """The address of a scheduler on loopback with two worker processes, and these."""
    file = folder / "scheduler.json"
    scheduler = ["distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
    processes = [started(*scheduler, "--scheduler-file", str(file), folder=folder)]
    try:
        until = time.monotonic() + 60
        while not file.exists() and time.monotonic() < until:
            time.sleep(0.1)
        worker = ["distributed.cli.dask_worker", "--scheduler-file", str(file), *WORKER, "--no-nanny"]
        processes += [started(*worker, folder=folder) for _ in range(2)]

        yield json.loads(file.read_text())["address"], processes[1:]
    finally:
        for process in reversed(processes):
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def on_loopback(tmp_path_factory):
    with cluster(tmp_path_factory.mktemp("dask")) as (address, _):
        yield address


SOLVERS = ["single", "subset", "sat", "counting"]


def test_a_cluster_says_what_one_process_says(on_loopback, tmp_path):
    one = compare(SOLVERS, "beginner-stuck", limit=20, jobs=1, limits=LONG)
    many = compare(SOLVERS, "beginner-stuck", limit=20, cluster=on_loopback, limits=LONG, folder=tmp_path / "run")
    assert deterministic(one) == deterministic(many)
    assert len(many.records) == 20 * 2 * len(SOLVERS)
    assert many.header["cluster"] == on_loopback


@pytest.mark.slow
def test_hostile_solvers_cost_their_own_records_there_too(on_loopback):
    bad = [Hostile("exit_0", over=5), Hostile("segfault", over=5), Hostile("loop", over=5)]
    limits = Limits(seconds=2.0, memory_bytes=1 << 30, warm_up_seconds=2.0)
    run = compare([*bad, Hostile(over=1)], CORPUS, questions="global", cluster=on_loopback, limits=limits)
    outcomes = {
        how: sorted(r.outcome for r in run.records if how in r.solver) for how in ("exit", "segf", "loop", "over=1")
    }
    assert outcomes["exit"] == outcomes["segf"] == ["crashed", "crashed", "partial", "partial"]
    assert outcomes["loop"] == ["partial", "partial", "timeout", "timeout"]
    assert outcomes["over=1"] == ["partial"] * 4


@pytest.mark.slow
def test_a_lost_worker_costs_nothing(tmp_path):
    one = compare(["sat", "cpsat"], "beginner-random", limit=60, jobs=1, limits=LONG)
    with cluster(tmp_path) as (address, workers):

        def kill(done, total):
            if done and workers[0].poll() is None:
                workers[0].send_signal(signal.SIGKILL)

        many = compare(
            ["sat", "cpsat"],
            "beginner-random",
            limit=60,
            cluster=address,
            limits=LONG,
            folder=tmp_path / "run",
            progress=kill,
        )
        assert workers[0].wait() == -signal.SIGKILL
    assert len({r.key for r in many.records}) == len(many.records)
    assert deterministic(one) == deterministic(many)


def test_an_address_where_nobody_listens_is_named(monkeypatch):
    monkeypatch.setattr("benchmarks.cluster._START_SECONDS", 1)
    with pytest.raises(ValueError, match=r"no Dask scheduler answers at 'tcp://127\.0\.0\.1:9'"):
        compare("single", CORPUS, cluster="tcp://127.0.0.1:9")


@pytest.mark.slow
def test_a_cluster_that_is_started_here():
    one = compare(SOLVERS, "beginner-random", limit=5)
    assert deterministic(one) == deterministic(compare(SOLVERS, "beginner-random", limit=5, cluster="local", jobs=2))
