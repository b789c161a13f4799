"""Bounded processes: a wall-clock limit and a memory limit a call, and a crash that costs one record.

Method: every worker is a pool of one process (pebble) that measures batches of groups for a quarter of a
second each, so that tiny tasks travel together. The process sets an alarm before each call and keeps a journal
(`benchmarks.worker`); when it ends, the journal says which records are finished and whose call was under way.
That call's record says how the process ended, and the rest goes on in a new process.
"""

from __future__ import annotations

import json
import os
import signal
import tempfile
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from time import monotonic
from typing import Any

import cloudpickle
from pebble import ProcessExpired, ProcessPool

from benchmarks.machine import CAN_PIN
from benchmarks.measuring import Control, blank
from benchmarks.plan import Group, Plan
from benchmarks.processes import Context, Process
from benchmarks.records import Record
from benchmarks.scheduling import Measured, spread
from benchmarks.worker import (
    CALL,
    FAULT_CODE,
    PROCESS,
    WARM,
    Done,
    Files,
    initialise,
    rehearse,
    work,
)

_SLACK_SECONDS = 10.0  # beyond the alarm, for a solver that switched it off
_TAIL_BYTES = 4096  # of the journal, more than a line that names a call
_FAILURES = 3  # of a process in a row without a call, before the run is given up


class _Worker(Process):
    """A process whose end is never unremarkable."""

    @property
    def exitcode(self) -> int | None:
        # pebble takes a worker that ended with 0 for one that retired, and would wait for its answer forever
        code = super().exitcode
        return _ENDED_ITSELF if code == 0 else code


class _Context(Context):
    Process = _Worker


_ENDED_ITSELF = 256


def cold_solvers(cold: Counter[str]) -> frozenset[str]:
    """Those that are not warmed up any more: a first failure may be the position's."""
    return frozenset(solver for solver, deaths in cold.items() if deaths > 1)


def plan_bytes(plan: Plan) -> bytes:
    """The plan as it travels; a class that was defined in a script or a notebook goes along."""
    return bytes(cloudpickle.dumps(plan))


class BoundedWorker:
    """One process at a time. Only `stop` may be called from another thread.

    pickled: `plan_bytes` of the plan. cpu: the core it may run on, None for any. cold: how many processes each solver's
    warm-up has ended, shared by the workers of a run.
    """

    def __init__(self, plan: Plan, pickled: bytes, cpu: int | None = None, cold: Counter[str] | None = None) -> None:
        self.plan = plan
        self.numba_cache: dict[str, int] | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="sapper-")
        self._files = Files(Path(self._folder.name, "journal"), Path(self._folder.name, "output"))
        self._files.journal.touch()
        self._arguments = (self._files, pickled, plan.limits, cpu)
        self._read_bytes = 0
        self._cold = Counter() if cold is None else cold
        self._failures = 0
        self._processes: list[int] = []
        self._stopped = False
        self._future: Future[Done] | None = None
        self._open_pool()

    def _open_pool(self) -> None:
        context = _Context(self.plan.solvers.values())
        lifeline, self._lifeline = context.Pipe(duplex=False)
        arguments = (lifeline, *self._arguments)
        self._pool = ProcessPool(max_workers=1, initializer=initialise, initargs=arguments, context=context)

    def _close_pool(self) -> None:
        self._lifeline.close()  # ends a process that the pool does not know yet, too
        self._pool.stop()  # type: ignore[no-untyped-call]
        self._pool.join()

    def measure(self, batch: Sequence[Group]) -> Measured:
        """Measure about a quarter of a second of the batch; at least one call of it, unless a warm-up fails."""
        ended = self._run(work, list(batch))
        if isinstance(ended, Done):
            records, _ = self._journal()
            return Measured(records, list(batch[ended.groups :]))
        return self._after_death(batch, *ended)

    def rehearse(self) -> None:
        """Warm all solvers up, and end the process."""
        while not isinstance(ended := self._run(rehearse), Done):
            self._after_death([], *ended)

    def _run(self, function: Callable[..., Done], *arguments: Any) -> Done | tuple[str, str]:
        """What it says, or how the process ended: outcome and message."""
        try:
            self._future = self._pool.schedule(function, args=(*arguments, cold_solvers(self._cold)))
            done: Done = self._result(self._future)
        except ProcessExpired as expired:
            return _how(expired.exitcode, self._last_words())
        except BrokenProcessPool:  # it ended between two batches
            if self._stopped:
                raise CancelledError from None
            self._close_pool()
            self._open_pool()
            return "crashed", "the process ended"
        except TimeoutError:
            return "timeout", ""
        except CancelledError:
            raise
        except Exception as wrong:
            raise RuntimeError(f"a worker cannot load the solvers: {type(wrong).__name__}: {wrong}") from wrong
        self._failures = 0
        self.numba_cache = done.numba_cache
        return done

    def _result(self, future: Future[Done]) -> Done:
        """Its result. TimeoutError if a call goes on beyond its limit: its solver has switched the alarm off."""
        size, since = -1, monotonic()
        while wait([future], timeout=1).not_done:
            now, grown = monotonic(), self._files.journal.stat().st_size
            if grown != size:
                size, since = grown, now
            elif self.plan.limits.seconds is not None and now - since > self._longest_seconds():
                future.cancel()
                raise TimeoutError
        return future.result()

    def _longest_seconds(self) -> float:
        """How long it may take until the next line of the journal."""
        limits = self.plan.limits
        with self._files.journal.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL_BYTES))
            last = file.read().rstrip(b"\n").rpartition(b"\n")[2]
        return _SLACK_SECONDS + ((limits.seconds or 0) if last.startswith(CALL.encode()) else limits.warm_up_seconds)

    def _after_death(self, batch: Sequence[Group], outcome: str, message: str) -> Measured:
        if self._stopped:
            raise CancelledError
        records, call = self._journal()
        self._end_children()
        self._failures = self._failures + 1 if call is None and not records else 0
        if self._failures >= _FAILURES:
            raise RuntimeError(f"a worker does not start: {message or outcome} {self._last_words()}".strip())
        left = self.plan.without(batch, {record.key for record in records})
        if call and call[0] == WARM:
            self._cold.update([json.loads(call[1:])])
        elif call and left:
            culprit, first = json.loads(call[1:]), left[0]
            records.append(self._obituary(culprit, first, outcome, message))
            rest = tuple(s for s in first.solvers if s != culprit)
            left[:1] = [replace(first, solvers=rest)] if rest else []
        return Measured(records, left)

    def _obituary(self, label: str, group: Group, outcome: str, message: str) -> Record:
        if outcome == "timeout" and self.plan.limits.seconds is not None:
            message = f"over {self.plan.limits.seconds:g} s"
        return blank(label, group, self.plan.entry(group), outcome, message)

    def _journal(self) -> tuple[list[Record], str | None]:
        """The records since it was last read, and the call that was begun and not finished, if there is one."""
        with self._files.journal.open("rb") as file:
            file.seek(self._read_bytes)
            text = file.read()
        self._read_bytes += len(text)
        records: list[Record] = []
        call = None
        for line in text[: text.rfind(b"\n") + 1].decode(errors="replace").split("\n")[:-1]:
            with suppress(ValueError):  # what a solver wrote there is no record
                if line.startswith(PROCESS):
                    self._processes.append(int(line[1:]))
                elif line.startswith((CALL, WARM)):
                    call = line
                else:
                    records.append(Record.from_json(line))
                    call = None
        return records, call

    def _end_children(self, *, all_of_them: bool = False) -> None:
        """End what solvers have started and left behind, of the processes that are gone."""
        for process in list(self._processes):
            if all_of_them or not _is_alive(process):
                self._processes.remove(process)
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(process, signal.SIGKILL)

    def _last_words(self) -> str:
        """The end of what was printed in the process."""
        try:
            text = self._files.output.read_bytes()[-2000:].decode(errors="replace")
        except OSError:
            return ""
        return " ".join(text.split())[-300:]

    def stop(self) -> None:
        """End the process at once, whatever it does; `measure` then raises CancelledError."""
        self._stopped = True
        if self._future is not None:
            self._future.cancel()  # pebble leaves what waits for it waiting
        self._close_pool()

    def close(self) -> list[Record]:
        """Stop, and clean up. The records that were finished and not yet handed out."""
        self.stop()
        records = self._journal()[0] if self._files.journal.exists() else []
        self._end_children(all_of_them=True)
        self._folder.cleanup()
        return records


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def _how(code: int, printed: str) -> tuple[str, str]:
    """Outcome and message for a process that ended with this code."""
    if code == -signal.SIGALRM:
        return "timeout", "SIGALRM"
    if code == FAULT_CODE:
        return "crashed", f"nothing could be measured in its process: {printed}"
    if code == _ENDED_ITSELF:
        return "crashed", "ended its process with code 0"
    if code >= 0:
        return "crashed", f"ended its process with code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    out_of_memory = any(words in printed for words in ("memory allocation of", "bad_alloc", "out of memory"))
    return "memory" if out_of_memory else "crashed", f"{name}{': ' if printed else ''}{printed}"


def cores() -> list[int]:
    """The cores that workers may use; the first ones, which serve interrupts, come last."""
    return sorted(os.sched_getaffinity(0), reverse=True) if CAN_PIN else []


def run_bounded(plan: Plan, groups: Sequence[Group], control: Control, *, jobs: int) -> Generator[Record, None, None]:
    """Measure the groups on `jobs` bounded processes of this machine, each on a core of its own."""
    pickled, cold, usable = plan_bytes(plan), Counter[str](), cores()
    jobs = min(jobs, max(len(groups), 1))
    workers = [BoundedWorker(plan, pickled, usable[i % len(usable)] if usable else None, cold) for i in range(jobs)]
    idle: SimpleQueue[BoundedWorker] = SimpleQueue()

    def measure(batch: list[Group]) -> Measured:
        worker = idle.get()
        try:
            return worker.measure(batch)
        finally:
            control.numba_cache = worker.numba_cache
            idle.put(worker)

    def stop() -> None:
        for worker in workers:
            worker.stop()

    threads = ThreadPoolExecutor(jobs)
    try:
        with closing(BoundedWorker(plan, pickled, None, cold)) as first:
            rehearsal = threads.submit(first.rehearse)
            while wait([rehearsal], timeout=0.1).not_done:
                control.interrupts.check()
            rehearsal.result()
        control.ready()
        for worker in workers:
            idle.put(worker)
        yield from spread(groups, lambda batch: threads.submit(measure, batch), lambda: jobs, control.interrupts, stop)
    except KeyboardInterrupt:
        stop()
        for worker in workers:
            yield from worker.close()
        raise
    finally:
        control.cold = sorted(cold_solvers(cold))
        stop()
        threads.shutdown(cancel_futures=True)
        for worker in workers:
            worker.close()
