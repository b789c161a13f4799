"""Processes that start quickly, and load nothing of the main script.

All of them are copies of one process of this machine's user (forkserver) that has imported what is ours once. Whoever
starts it first decides what that is, so everyone starts it here.
"""

from __future__ import annotations

import multiprocessing
import sys
import threading
import types
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from multiprocessing.context import ForkServerContext, ForkServerProcess
from typing import Any


@contextmanager
def without_main() -> Iterator[None]:
    """Processes that are started within do not load the main script.

    What they need comes with their task, and a script without a main guard must not be run again.
    """
    with _main_lock:
        main = sys.modules["__main__"]
        sys.modules["__main__"] = types.ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = main


_main_lock = threading.Lock()


class Process(ForkServerProcess):
    """A process that loads nothing of the main script."""

    @staticmethod
    def _Popen(process_obj: Any) -> Any:
        with without_main():
            return ForkServerProcess._Popen(process_obj)


class Context(ForkServerContext):
    """What pools of processes take to start theirs, with the modules of these solvers imported where they are ours."""

    Process = Process

    def __init__(self, solvers: Iterable[object] = ()) -> None:
        super().__init__()
        # Others' modules may do anything when they are imported.
        modules = {type(solver).__module__ for solver in solvers}
        ours = sorted(name for name in modules if name.startswith("solvers."))
        multiprocessing.set_forkserver_preload(["benchmarks.preload", "benchmarks.worker", *ours])
