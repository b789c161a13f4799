"""Ctrl-C that is not lost in a compiled library.

An interrupt that arrives while a compiled function builds its result comes out as a SystemError, and one in a
destructor not at all. So it is also written down, and whoever works in steps asks after each.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType


@dataclass(slots=True)
class Interrupts:
    """Whether Ctrl-C was pressed."""

    seen: bool = False

    def check(self) -> None:
        """KeyboardInterrupt if Ctrl-C was pressed."""
        if self.seen:
            raise KeyboardInterrupt


@contextmanager
def noticed(*, at_once: bool = True) -> Iterator[Interrupts]:
    """Within, a Ctrl-C is written down and then does what it always does; the main thread's only.

    at_once: without it the first one is only written down, for who asks several times a second.

    >>> with noticed() as interrupts:
    ...     interrupts.check()
    """
    interrupts = Interrupts()
    previous = signal.getsignal(signal.SIGINT)
    if not callable(previous) or threading.current_thread() is not threading.main_thread():
        yield interrupts
        return

    def handler(number: int, frame: FrameType | None) -> None:
        first, interrupts.seen = not interrupts.seen, True
        if at_once or not first:
            previous(number, frame)

    signal.signal(signal.SIGINT, handler)
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, previous)
