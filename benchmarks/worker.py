"""What runs inside a bounded process: calls under an alarm, and a journal that outlives it.

Before each call the journal says whose it is, after it stands the finished record. When the process ends in
the middle (alarm, crash, kill), whoever started it reads there what was done and whose call ended it, so that
nothing is measured twice and a crash costs one record.
"""

from __future__ import annotations

import fcntl
import json
import os
import pickle
import resource
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from benchmarks.machine import CAN_BOUND_MEMORY, CAN_PIN, address_space_bytes, numba_cache
from benchmarks.measuring import measure, warm_up
from benchmarks.memory import PeakMemory
from benchmarks.plan import Group, Limits, Plan

BATCH_SECONDS = 0.25  #: after so long a worker gives back what it has not begun
CALL, WARM = ">", "~"  #: how lines of the journal begin that name a call: the solver; records are JSON
PROCESS = "@"  #: how the line begins that names the process
FAULT_CODE = 70  #: how a process ends in which the measuring itself failed, because of what a solver left behind
_WARM_UP_BYTES = 4 << 30  # compiling takes more than solving
_OUT_OF_REACH = 500  # file descriptors from here on are not closed by a solver that closes a few


class Done(NamedTuple):
    """What a worker says of a batch: how many groups it has finished, and `machine.numba_cache`."""

    groups: int
    numba_cache: dict[str, int] | None


class Files(NamedTuple):
    """Where a worker writes: its journal, and what compiled libraries print."""

    journal: Path
    output: Path


class _State(NamedTuple):
    lifeline: Connection
    process: int
    journal: int  # file descriptor
    output: int  # file descriptor
    plan_bytes: bytes
    limits: Limits
    peak: PeakMemory


_state: _State | None = None
_plan: Plan | None = None
_warm: set[tuple[str, str, str]] = set()  # solver, corpus, question


def initialise(lifeline: Connection, files: Files, plan_bytes: bytes, limits: Limits, cpu: int | None) -> None:
    """Prepare this process: signals, output, limits, one core. Nothing here depends on the solvers.

    lifeline: the reading end of a pipe whose other end nobody but the starting process has.
    """
    global _state
    os.setsid()  # so that children that a solver starts can be ended with it
    # When that end closes, or its process is gone, the system sends the signal of O_ASYNC; that ends this process.
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    if hasattr(fcntl, "F_SETSIG"):  # one that nobody can block
        fcntl.fcntl(lifeline.fileno(), fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(lifeline.fileno(), fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(lifeline.fileno(), fcntl.F_SETFL, fcntl.fcntl(lifeline.fileno(), fcntl.F_GETFL) | os.O_ASYNC)
    if lifeline.poll():  # it was closed before
        os._exit(0)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # at once, also in the middle of a compiled call
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a crash need not leave gigabytes behind
    sys.stdout.flush()
    output, journal = map(_opened, (files.output, files.journal))
    os.dup2(output, 1)
    os.dup2(output, 2)
    if cpu is not None and CAN_PIN:
        os.sched_setaffinity(0, {cpu})
    _write(journal, f"{PROCESS}{os.getpid()}")
    _state = _State(lifeline, os.getpid(), journal, output, plan_bytes, limits, PeakMemory(_OUT_OF_REACH))


def _opened(path: Path) -> int:
    low = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    high = fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, _OUT_OF_REACH)
    os.close(low)
    return high


def _bound_memory(more_bytes: int | None) -> None:
    """From now on this process may take so much more; None is no limit."""
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    soft = resource.RLIM_INFINITY if more_bytes is None else address_space_bytes() + more_bytes
    unlimited = hard == resource.RLIM_INFINITY
    resource.setrlimit(resource.RLIMIT_AS, (soft if unlimited or 0 <= soft < hard else hard, hard))


class _Alarm:
    """Names each call in the journal, and has the system end the process if it takes too long."""

    interruptible = False
    peak_bytes: int | None = None

    def __init__(self, state: _State) -> None:
        self.state = state
        self.bounds = _bounds()

    def before(self, solver: str, *, warm_up: bool) -> None:
        limits = self.state.limits
        os.ftruncate(self.state.output, 0)  # what is printed is only of interest where the process ends
        if limits.memory_bytes is not None and CAN_BOUND_MEMORY:
            _bound_memory(max(limits.memory_bytes, _WARM_UP_BYTES) if warm_up else limits.memory_bytes)
        _write(self.state.journal, (WARM if warm_up else CALL) + json.dumps(solver))
        self.state.peak.reset()
        if limits.seconds is not None:
            # The system's default for this signal ends the process, whatever the solver does.
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGALRM])
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_REAL, limits.warm_up_seconds if warm_up else limits.seconds)

    def after(self) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        if os.getpid() != self.state.process:
            os._exit(0)  # a copy of the process, made by the solver
        self.peak_bytes = self.state.peak.read()
        if self.state.limits.memory_bytes is not None and CAN_BOUND_MEMORY:
            _bound_memory(None)

    def spoiled(self) -> bool:
        """Whether a solver has lowered what others may use."""
        return _bounds() != self.bounds


def _bounds() -> list[Any]:
    files = (resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE)
    return [resource.getrlimit(resource.RLIMIT_AS)[1], *map(resource.getrlimit, files)]


def _write(journal: int, line: str) -> None:
    """One line, handed to the operating system at once."""
    os.write(journal, line.encode() + b"\n")


def work(batch: Sequence[Group], cold: frozenset[str]) -> Done:
    """Measure the batch, group by group, for about BATCH_SECONDS.

    cold: solvers that are not warmed up, because that ended processes before.
    """
    state, plan = _loaded()
    return _or_end(state, lambda alarm: _work(state, plan, batch, cold, alarm))


def _or_end(state: _State, function: Callable[[_Alarm], Done]) -> Done:
    """What the function says; a solver can leave a process behind in which nothing works, and that ends it."""
    try:
        return function(_Alarm(state))
    except BaseException:
        os.write(state.output, traceback.format_exc().encode())
        os._exit(FAULT_CODE)


def _work(state: _State, plan: Plan, batch: Sequence[Group], cold: frozenset[str], alarm: _Alarm) -> Done:
    until = None
    for number, group in enumerate(batch):
        _warm_up(plan, group, alarm, cold)
        until = until or perf_counter() + BATCH_SECONDS
        if number and perf_counter() > until:
            return Done(number, numba_cache())
        for record in measure(plan, group, alarm):
            _write(state.journal, record.to_json())
            if record.outcome == "memory" or alarm.spoiled():
                os._exit(0)  # what is left of such a call must not be another's burden
    return Done(len(batch), numba_cache())


def rehearse(cold: frozenset[str]) -> Done:
    """Put one question to each solver, untimed: kernels are compiled and kept on disk, so that others load them."""
    state, plan = _loaded()
    corpus = next(iter(plan.corpora))

    def warm(alarm: _Alarm) -> Done:
        for question in plan.questions:
            _warm_up(plan, Group(corpus, 0, question, tuple(plan.solvers)), alarm, cold)
        return Done(0, numba_cache())

    return _or_end(state, warm)


def _warm_up(plan: Plan, group: Group, alarm: _Alarm, cold: frozenset[str]) -> None:
    for label in group.solvers:
        call = (label, group.corpus, group.question)
        if call not in _warm and label not in cold:
            warm_up(plan, group, alarm, [label])
        _warm.add(call)


def _loaded() -> tuple[_State, Plan]:
    global _plan
    if _state is None:
        raise RuntimeError("this process was not initialised")
    if _plan is None:
        _plan = pickle.loads(_state.plan_bytes)
    return _state, _plan
