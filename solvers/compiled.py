"""How kernels are compiled: cached on disk, without the interpreter's lock.

Cold kernels take seconds, and two things made most of them: numba compiles a part once more for every literal that it
is handed, also for a 0 that a counter only starts with (hence `ZERO`), and an assignment to a slice brings along
the text of its error, five seconds of it (hence loops). Warm ones test each signed index for being negative; in the
hottest loops indices are unsigned (`np.uint32(...)`), and used for nothing else, because numba makes floats of sums of
unsigned and signed integers.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, cast

import numba
import numpy as np

from board.kernels import OPTIONS, kernel, uninterrupted

__all__ = ["GOLDEN", "ONE", "ZERO", "Integer", "forget_stale", "inlined", "kernel", "mixed", "part", "uninterrupted"]

_Function = TypeVar("_Function", bound=Callable[..., Any])

#: An integer inside a kernel: of Python, or of any width that numba makes of it.
Integer: TypeAlias = Any

ZERO: Integer = np.int64(0)  #: a 0 that is no literal, to start from or to hand to a part
ONE: Integer = np.int64(1)

_NO_ENTRY: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def forget_stale(folder: Path) -> None:
    """Remove the cached kernels of a folder's modules that are older than a module they may have been made of.

    numba looks at the module of the kernel alone, so after an edit of a part old code would run on, and be measured.
    """
    made = [(path, path.stat().st_mtime_ns) for path in (folder / "__pycache__").glob("*.nbi")]
    sources = {folder / (path.name.partition(".")[0] + ".py") for path, _ in made}
    newest = max((source.stat().st_mtime_ns for source in sources if source.exists()), default=0)
    for path, time in made:
        if time < newest:
            path.unlink(missing_ok=True)


with suppress(OSError):  # somebody else's folder
    forget_stale(Path(__file__).parent)


def part(function: _Function) -> _Function:
    """A part of a kernel. Without entry points for Python and C it compiles faster."""
    return cast(_Function, numba.njit(**OPTIONS, **_NO_ENTRY)(function))


def inlined(function: _Function) -> _Function:
    """A part so small that calling it, with seven words an array, would cost more than what it does."""
    return cast(_Function, numba.njit(**OPTIONS, **_NO_ENTRY, forceinline=True)(function))


GOLDEN: Integer = np.uint64(0x9E3779B97F4A7C15)  #: from one state of a stream of random numbers to the next


@inlined
def mixed(state: Integer) -> Integer:
    """The random number of a state, uint64 (SplitMix64).

    Source: G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
    """
    x = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
