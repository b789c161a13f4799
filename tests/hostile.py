"""Solvers that misbehave, importable by the processes that measure them."""

import ctypes
import os
import resource
import signal
import subprocess
import sys
import time
from dataclasses import dataclass

import numpy as np

from solvers import Claims, Deduction, Status


def nothing(problem):
    return Deduction(np.zeros(problem.n, np.bool_), np.zeros(problem.n, np.bool_), Status.PARTIAL)


def loop(problem):
    while True:
        pass


def loop_without_alarm(problem):
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    loop(problem)


def allocate(problem):
    return np.ones(50 * 2**30, np.uint8)


def grow(problem):
    taken = []
    while True:
        taken.append(np.empty(1 << 26, np.uint8))


def exit_0(problem):
    os._exit(0)


def exit_7(problem):
    os._exit(7)


def segfault(problem):
    ctypes.string_at(0)


def abort(problem):
    os.write(2, b"thread panicked at lib.rs\n")
    os.abort()


def abort_without_memory(problem):
    os.write(2, b"memory allocation of 99 bytes failed\n")
    os.abort()


def kill(problem):
    os.kill(os.getpid(), signal.SIGKILL)


def wrong_shape(problem):
    return Deduction(np.zeros(3, np.bool_), np.zeros(3, np.bool_), Status.PARTIAL)


def raises(problem):
    raise RuntimeError("not today")


def system_exit(problem):
    sys.exit(3)


def claims_mines_safe(problem):
    return Deduction(problem.covered.copy(), np.zeros(problem.n, np.bool_), Status.PARTIAL)


class Unreadable(Deduction):
    @property
    def status(self):
        raise RuntimeError("no status")


def unreadable(problem):
    answer = object.__new__(Unreadable)
    for name in ("safe", "mines"):
        object.__setattr__(answer, name, np.zeros(problem.n, np.bool_))
    return answer


def silence_for_good(problem):
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return nothing(problem)


def close_low_descriptors(problem):
    os.closerange(0, 3)
    return nothing(problem)


def own_alarm(problem):
    def ring(number, frame):
        raise RuntimeError("a soft limit of another solver")

    signal.signal(signal.SIGALRM, ring)
    return nothing(problem)


_kept = []


def keep(problem):
    _kept.append(np.ones(60 << 20, np.uint8))
    return nothing(problem)


def need(problem):
    np.ones(100 << 20, np.uint8)
    return nothing(problem)


def leave_a_child(problem):
    subprocess.Popen(["sleep", "1000"])
    return nothing(problem)


def copies_its_process(problem):
    os.fork()
    return nothing(problem)


def presses_ctrl_c(problem):
    raise KeyboardInterrupt


def lowers_limits(problem):
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
    return nothing(problem)


def blocks_signals(problem):
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))
    loop(problem)


def slowly(problem):
    time.sleep(0.4)
    return nothing(problem)


@dataclass(frozen=True)
class Hostile:
    """Does what the function of that name above does, on problems of more than `over` cells."""

    how: str = "nothing"
    over: int = 0
    claims = Claims()

    def deduce(self, problem, /):
        return globals()[self.how](problem) if problem.n > self.over else nothing(problem)
