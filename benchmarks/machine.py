"""Where a run was measured: versions, processor, commit. What cannot be found out is None."""

from __future__ import annotations

import os
import platform
import resource
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

_LIBRARIES = ("numpy", "numba", "python-sat", "ortools", "pandas", "ms-toollib")


def describe() -> dict[str, Any]:
    """The machine and the software, as plain data for a run's header.

    >>> describe()["python"].split(".")[0]
    '3'
    """
    commit, dirty = _commit(Path(__file__).resolve())
    return {
        "sapper": version("sapper"),
        "commit": commit,
        "dirty": dirty,
        "python": platform.python_version(),
        "libraries": {name: version(name) for name in _LIBRARIES},
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "platform": platform.platform(),
        "load": load_average(),
        "bounds_memory": CAN_BOUND_MEMORY,
        "pins": CAN_PIN,
    }


CAN_BOUND_MEMORY = Path("/proc/self/statm").exists()  #: elsewhere the system refuses, or does not say what is in use
CAN_PIN = hasattr(os, "sched_setaffinity")  #: a process to a core


def address_space_bytes() -> int:
    """The address space of this process; only where CAN_BOUND_MEMORY."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def load_average() -> float | None:
    """How many processes wanted to run, on average over the last minute."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def version(distribution: str) -> str | None:
    """The installed version of a distribution, None if it is not installed."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def numba_cache() -> dict[str, int] | None:
    """How many kernels of this project were loaded from numba's cache and how many compiled, so far.

    A kernel loaded from the cache can run at another speed than one compiled afresh, so a run notes it.
    None if nothing has used numba.
    """
    if "numba" not in sys.modules:
        return None
    kernels = {
        id(value): value.stats
        for name, module in list(sys.modules.items())
        if name.partition(".")[0] in ("board", "solvers")
        for value in list(vars(module).values())
        if type(value).__name__ == "CPUDispatcher"
    }
    return {
        "loaded": sum(sum(stats.cache_hits.values()) for stats in kernels.values()),
        "compiled": sum(sum(stats.cache_misses.values()) for stats in kernels.values()),
    }


def _cpu() -> str | None:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or None


def _commit(file: Path) -> tuple[str | None, bool | None]:
    """(commit, whether tracked files differ from it) of the checkout that tracks `file`."""
    try:
        _git(file.parent, "ls-files", "--error-unmatch", file.name)
        commit = _git(file.parent, "rev-parse", "HEAD").strip()
        return commit, bool(_git(file.parent, "status", "--porcelain", "--untracked-files=no"))
    except (OSError, subprocess.SubprocessError):
        return None, None


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "--no-optional-locks", "-C", str(folder), *arguments],
        capture_output=True,
        text=True,
        check=True,
        timeout=10,
    )
    return done.stdout
