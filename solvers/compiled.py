"""How kernels are compiled: cached on disk, without the GIL."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar, cast

import numba

_Function = TypeVar("_Function", bound=Callable[..., Any])

#: An integer inside a kernel: of Python, or of any width that numba makes of it.
Integer: TypeAlias = Any

_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True}
_NO_ENTRY: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def kernel(function: _Function) -> _Function:
    """A kernel that Python calls."""
    return cast(_Function, numba.njit(**_OPTIONS)(function))


def part(function: _Function) -> _Function:
    """A part of a kernel. Without entry points for Python and C it compiles faster."""
    return cast(_Function, numba.njit(**_OPTIONS, **_NO_ENTRY)(function))
