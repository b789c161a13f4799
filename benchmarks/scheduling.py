"""Who measures what next: groups of questions in batches, spread over whatever measures them."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import replace
from typing import NamedTuple

from benchmarks.interrupts import Interrupts
from benchmarks.plan import Group
from benchmarks.records import Record

_BATCH_GROUPS = 200
_DEATHS = 3  # of a solver, before it is measured apart from the others
_LOSSES = 100


class Measured(NamedTuple):
    """What came of a batch: records, and the groups that are left of it."""

    records: list[Record]
    left: list[Group]


class _Queue:
    """What is still to be measured. Who has ended processes again and again comes last, and alone.

    A new process has to load everything anew; so it only has to for the one who ends it.
    """

    def __init__(self, groups: Sequence[Group]) -> None:
        self._waiting = deque(groups)
        self._apart: dict[str, deque[Group]] = {}
        self._deaths: Counter[str] = Counter()

    def __bool__(self) -> bool:
        return bool(self._waiting) or any(self._apart.values())

    def batch(self, width: int) -> list[Group]:
        """The next groups; fewer towards the end, so that all workers end together."""
        queue = self._waiting or next(queue for queue in self._apart.values() if queue)
        size = max(1, min(_BATCH_GROUPS, len(queue) // (2 * width)))
        return [queue.popleft() for _ in range(size)]

    def give_back(self, records: Sequence[Record], left: Sequence[Group]) -> None:
        """What came of a batch, and what did not."""
        self._deaths.update(r.solver for r in records if r.outcome in ("timeout", "memory", "crashed"))
        self._waiting.extendleft(reversed(left))
        if apart := [solver for solver, deaths in self._deaths.items() if deaths >= _DEATHS]:
            for solver in apart:
                queue = self._apart.setdefault(solver, deque())
                queue.extend(replace(g, solvers=(solver,)) for g in self._waiting if solver in g.solvers)
            rest = (replace(g, solvers=tuple(s for s in g.solvers if s not in apart)) for g in self._waiting)
            self._waiting = deque(group for group in rest if group.solvers)


def spread(
    groups: Sequence[Group],
    submit: Callable[[list[Group]], Future[Measured]],
    width: Callable[[], int],
    interrupts: Interrupts,
    stop: Callable[[], None],
    losses: tuple[type[Exception], ...] = (),
) -> Generator[Record, None, None]:
    """The records of all groups, as they come; `width()` batches are under way at a time.

    At an interrupt `stop` ends those, and what they had finished still comes out before the KeyboardInterrupt.

    losses: what a batch raises that was lost through nobody's fault; it is submitted again, a hundred times in all.
    """
    queue = _Queue(groups)
    running: dict[Future[Measured], list[Group]] = {}
    lost = 0
    try:
        while queue or running:
            wide = width()
            while queue and len(running) < wide:
                batch = queue.batch(wide)
                running[submit(batch)] = batch
            for future in wait(running, timeout=0.1, return_when=FIRST_COMPLETED).done:
                batch = running.pop(future)
                try:
                    records, left = future.result()
                except losses:
                    lost += 1
                    if lost > _LOSSES:
                        raise
                    records, left = [], batch
                queue.give_back(records, left)
                yield from records
            interrupts.check()
    except KeyboardInterrupt:
        stop()
        for future in wait(running, timeout=1).done:
            if not future.cancelled() and future.exception() is None:
                yield from future.result().records
        raise
