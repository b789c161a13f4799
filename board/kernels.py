"""Kernels that Ctrl-C does not break: compiled functions called from Python.

Where numba's C code calls Python, to compile a kernel, to load it from disk or to find out of what class its results
are, a KeyboardInterrupt ends the process with a segmentation fault, or comes out as a SystemError. So there must be
none in there:

- The first call for given types, which compiles or loads, is made with Ctrl-C put off until it is over.
- Later ones run no Python. What numba unpickles for results is remembered by a Python function, which sees Ctrl-C as it
  starts; a C function remembers it here, and costs less. Ctrl-C then comes as soon as the kernel is done.

Cost: none in a later call, a few microseconds in a first one.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache, wraps
from typing import Any, ParamSpec, TypeVar, cast

import numba
from numba.core import serialize

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")

#: How kernels and their parts are compiled: kept on disk, without the interpreter's lock.
OPTIONS: dict[str, Any] = {"cache": True, "nogil": True}

_unpickle = getattr(serialize, "_numba_unpickle", None)
if _unpickle is not None and not hasattr(_unpickle, "cache_info"):  # numba fetches it once, for the first kernel
    serialize._numba_unpickle = lru_cache(maxsize=None)(_unpickle)


@contextmanager
def _put_off() -> Iterator[None]:
    """Within, a Ctrl-C waits for the end, and then does what it always does. Only the main thread ever hears one."""
    previous = signal.getsignal(signal.SIGINT)
    if not callable(previous) or threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed: list[int] = []
    signal.signal(signal.SIGINT, lambda number, frame: pressed.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)
        if pressed:
            signal.raise_signal(signal.SIGINT)


def uninterrupted(function: Callable[_Parameters, _Result]) -> Callable[_Parameters, _Result]:
    """The function with Ctrl-C put off until it is done. It costs microseconds: for kernels that return named tuples.

    >>> uninterrupted(max)(1, 2)
    2
    """

    @wraps(function)
    def run(*args: _Parameters.args, **named: _Parameters.kwargs) -> _Result:
        with _put_off():
            return function(*args, **named)

    return run


def kernel(function: Callable[_Parameters, _Result]) -> Callable[_Parameters, _Result]:
    """A kernel that Python calls."""
    compiled: Any = numba.njit(**OPTIONS)(function)
    if hasattr(compiled, "_compile_for_args"):  # not with NUMBA_DISABLE_JIT
        compiled._compile_for_args = _first_call(compiled._compile_for_args)
    return cast(Callable[_Parameters, _Result], compiled)


def _first_call(compile_for: Callable[..., Callable[..., Any]]) -> Callable[..., Callable[..., Any]]:
    """In the place of what numba calls for new types, to call with the same arguments what that returns."""

    @uninterrupted
    def call(*args: Any, **named: Any) -> Callable[..., Any]:
        result = compile_for(*args, **named)(*args, **named)
        return lambda *args, **named: result

    return call
