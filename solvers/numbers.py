"""Counts larger than a float: a mantissa and an exponent, arrays of them, compiled.

A wide number is m * 2**(256 e) with m = 0 or 2**-128 <= m < 2**128: products need one comparison to come back
into range, sums shift by at most one step, nothing ever turns into 0, infinity or nan. Where all counts
stay under 2**1000 the exponents are not used at all (`wide` false) and the same functions work on plain floats.
Relative precision is that of float64.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solvers.compiled import ZERO, Integer, inlined

Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]

STEP = 256
_UP = 2.0**256
_DOWN = 2.0**-256
_TOP = 2.0**128
_BOTTOM = 2.0**-128
PLAIN_CELLS = 1000  #: with at most so many cells every count is under 2**1000


@inlined
def normal(m: float, e: Integer) -> tuple[float, Integer]:
    """The same number with its mantissa in range, given a mantissa within 2**-384 .. 2**384."""
    if m >= _TOP:
        return m * _DOWN, e + 1
    if 0.0 < m < _BOTTOM:
        return m * _UP, e - 1
    return m, e


@inlined
def add(wide: bool, m: float, e: Integer, m2: float, e2: Integer) -> tuple[float, Integer]:
    """The sum of two numbers."""
    if not wide:
        return m + m2, 0
    if m2 == 0.0 or (m != 0.0 and e > e2 + 1):
        return m, e
    if m == 0.0 or e2 > e + 1:
        return m2, e2
    if e == e2:
        return normal(m + m2, e)
    if e > e2:
        return normal(m + m2 * _DOWN, e)
    return normal(m * _DOWN + m2, e2)


@inlined
def add_product(
    wide: bool,
    m: Float64,
    e: Int32,
    at: Integer,
    m2: Float64,
    e2: Int32,
    at2: Integer,
    count: Integer,
    factor: float,
    power: Integer,
) -> None:
    """x[at + i] += factor * x2[at2 + i] for i in range(count)."""
    if not wide:
        for i in range(count):
            m[at + i] += factor * m2[at2 + i]
        return
    for i in range(count):
        pm, pe = normal(factor * m2[at2 + i], power + e2[at2 + i])
        m[at + i], e[at + i] = add(wide, m[at + i], np.int64(e[at + i]), pm, pe)


@inlined
def dot(
    wide: bool, m: Float64, e: Int32, at: Integer, m2: Float64, e2: Int32, at2: Integer, count: Integer
) -> tuple[float, Integer]:
    """Sum of x[at + i] * x2[at2 + i] for i in range(count)."""
    total, power = 0.0, ZERO
    if not wide:
        for i in range(count):
            total += m[at + i] * m2[at2 + i]
        return total, power
    for i in range(count):
        pm, pe = normal(m[at + i] * m2[at2 + i], np.int64(e[at + i]) + np.int64(e2[at2 + i]))
        total, power = add(wide, total, power, pm, pe)
    return total, power


@inlined
def scaled(wide: bool, m: float, e: Integer, factor: float) -> tuple[float, Integer]:
    """The number times a plain factor below 2**256."""
    if not wide:
        return m * factor, 0
    return normal(m * factor, e)


@inlined
def share(m: float, e: Integer, m2: float, e2: Integer) -> float:
    """x / (x + x2): exactly 0 or 1 if and only if x or x2 is 0, whatever is rounded."""
    if m == 0.0:
        return 0.0
    if m2 == 0.0:
        return 1.0
    if e > e2 + 1:
        return 1.0 - 2.0**-53
    if e2 > e + 3:
        return 5e-324
    power = 1.0
    if e > e2:
        m2 *= _DOWN
    elif e2 > e:
        # the denominator is x2 alone to all digits
        if e2 == e + 1:
            m *= _DOWN
        else:
            power = _DOWN if e2 == e + 2 else _DOWN * _DOWN
            m *= _DOWN
    p = m / (m + m2) * power
    return min(max(p, 5e-324), 1.0 - 2.0**-53)
