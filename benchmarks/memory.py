"""The most memory that a process held during a call, beyond what it held before it; on Linux.

Method: writing "5" to /proc/self/clear_refs sets the peak of the resident memory (VmHWM) to what is held now, and
getrusage tells it (proc(5)); in a process that came of a fork and loaded no other program, which would count its
parent's peak too. It costs about 10 microseconds a call. The system counts in pages and adds up late: what a call
takes is known to a few 100 kB, and memory that the process keeps from an earlier call and uses again is not seen.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import resource

_RESET = b"5"
_TRIAL_BYTES = 1 << 24
_KIBIBYTE = 1024  # the unit of ru_maxrss on Linux


class PeakMemory:
    """Between `reset` and `read` lies the call; for one process, its own.

    >>> peak = PeakMemory()
    >>> peak.reset()
    >>> (peak.read() or 0) >= 0
    True
    """

    def __init__(self, out_of_reach: int = 0) -> None:
        """out_of_reach: the least number that the file descriptor may have."""
        self._before = 0
        self._file = -1  # where the peak cannot be had
        try:
            low = os.open("/proc/self/clear_refs", os.O_WRONLY | os.O_CLOEXEC)
        except OSError:
            return
        try:
            self._file = fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, out_of_reach)
        finally:
            os.close(low)
        if not self._is_seen():
            os.close(self._file)
            self._file = -1

    def _is_seen(self) -> bool:
        """Whether memory that was taken and given back counts before a reset and no more after it."""
        self.reset()
        mmap.mmap(-1, _TRIAL_BYTES, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | mmap.MAP_POPULATE).close()
        taken_bytes = self.read() or 0
        self.reset()
        left_bytes = self.read()
        return left_bytes is not None and taken_bytes - left_bytes > _TRIAL_BYTES // 2

    def reset(self) -> None:
        """From now on."""
        if self._file < 0:
            return
        try:
            os.pwrite(self._file, _RESET, 0)
        except OSError:  # a solver has closed it
            self._file = -1
        self._before = _most_bytes()

    def read(self) -> int | None:
        """The most bytes held since `reset`, beyond what was held then; None where the system does not tell."""
        return None if self._file < 0 else max(0, _most_bytes() - self._before)


def _most_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _KIBIBYTE
