"""How kernels are compiled: cached on disk, without the GIL."""

from __future__ import annotations

from typing import Any

import numba

_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True}

#: A kernel that Python calls.
kernel = numba.njit(**_OPTIONS)

#: A part of a kernel. Without entry points for Python and C it compiles in half the time.
part = numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **_OPTIONS)
