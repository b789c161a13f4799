"""Imported once by the process that new workers are forked from: they start with numba and extraction loaded."""

from board import Position

Position.parse("1#").problem()
