"""Measuring on a Dask cluster: the same bounded processes, on other machines.

A hostile task can take a Dask worker down with it, and a cancelled one runs on; so each thread of a worker
keeps a bounded process of its own (`benchmarks.runner`) and hands it the batches. The plan, with its corpora,
is sent once a worker. A lost worker's batches are run again by others; nothing of these was handed out before.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import pickle
import threading
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from benchmarks.machine import describe
from benchmarks.measuring import Control
from benchmarks.plan import Group, Plan
from benchmarks.processes import without_main
from benchmarks.records import Record
from benchmarks.runner import BoundedWorker, plan_bytes
from benchmarks.scheduling import Measured, spread
from solvers import Unsupported

LOCAL = "local"  #: instead of an address: a cluster that is started here and ends with the run
_START_SECONDS = 10


def run_on_cluster(
    plan: Plan, groups: Sequence[Group], control: Control, *, address: str, jobs: int | None
) -> Generator[Record, None, None]:
    """Measure the groups on the cluster of the scheduler at `address`; workers may come and go.

    jobs: how many workers a local cluster has; one a core by default.

    Raises ValueError for an address where there is none, Unsupported without Dask.
    """
    run = uuid4().hex
    with _client(address, jobs) as client:
        from distributed import KilledWorker

        # Not scattered data, of which Dask keeps one copy only: with its worker it would be gone.
        client.register_plugin(_plugin(run, plan_bytes(plan)), name=run)
        executor = client.get_executor(pure=False)
        control.machines = list(client.run(describe).values())

        def submit(batch: list[Group]) -> Future[Measured]:
            future: Future[Measured] = executor.submit(_measure, run, batch)
            return future

        control.ready()
        try:
            yield from spread(
                groups,
                submit,
                lambda: max(1, 2 * sum(client.nthreads().values())),
                control.interrupts,
                lambda: None,
                (KilledWorker, CancelledError),
            )
        finally:
            executor.shutdown(wait=False)
            with contextlib.suppress(Exception):  # what is gone needs no tidying
                client.unregister_worker_plugin(run)


@contextlib.contextmanager
def _client(address: str, jobs: int | None) -> Iterator[Any]:
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise Unsupported("--dask needs Dask: pip install 'sapper[cluster]'") from None
    if address == LOCAL:
        with without_main():
            made = LocalCluster(n_workers=jobs, threads_per_worker=1, host="127.0.0.1", dashboard_address=None)
        with made as cluster, Client(cluster) as client:
            yield client
        return
    client = _connected(address)
    with client:
        try:
            client.wait_for_workers(1, timeout=_START_SECONDS)
        except TimeoutError:
            raise ValueError(f"the scheduler at {address!r} has no workers: start some with `dask worker`") from None
        yield client


def _connected(address: str) -> Any:
    """A client of the scheduler; in a thread, because what is no scheduler can make Dask wait forever."""
    from distributed import Client

    found: list[Any] = []

    def connect() -> None:
        try:
            found.append(Client(address, timeout=_START_SECONDS))
        except (OSError, ValueError) as wrong:
            found.append(wrong)

    thread = threading.Thread(target=connect, daemon=True)
    thread.start()
    thread.join(_START_SECONDS + 5)
    client = found[0] if found else TimeoutError("what listens there does not speak Dask's language")
    if isinstance(client, Exception):
        raise ValueError(f"no Dask scheduler answers at {address!r}: {client}")
    return client


# What follows runs on the workers of Dask.


@dataclass(slots=True)
class _Bounded:
    """The bounded processes of one run on this worker of Dask, one a thread."""

    plan: Plan
    pickled: bytes
    cold: Counter[str] = field(default_factory=Counter)
    by_thread: dict[int, BoundedWorker] = field(default_factory=dict)


_runs: dict[str, _Bounded] = {}
_lock = threading.Lock()


def _plugin(run: str, pickled: bytes) -> Any:
    """What brings a plan to every worker, also to those that come later, and ends its processes."""
    from distributed import WorkerPlugin

    class Bring(WorkerPlugin):
        def setup(self, worker: object) -> None:
            _begin(run, pickled)

        def teardown(self, worker: object) -> None:
            _end(run)

    return Bring()


def _begin(run: str, pickled: bytes) -> None:
    # Dask's workers are daemons, which may have no children unless they say that they are none. Ours end with the
    # process that started them all the same.
    multiprocessing.current_process()._config["daemon"] = False  # type: ignore[attr-defined]
    _runs[run] = _Bounded(pickle.loads(pickled), pickled)


def _measure(run: str, batch: list[Group]) -> Measured:
    bounded, thread = _runs[run], threading.get_ident()
    with _lock:
        if thread not in bounded.by_thread:
            bounded.by_thread[thread] = BoundedWorker(bounded.plan, bounded.pickled, None, bounded.cold)
    return bounded.by_thread[thread].measure(batch)


def _end(run: str) -> None:
    bounded = _runs.pop(run, None)
    if bounded is not None:
        for worker in bounded.by_thread.values():
            worker.close()
