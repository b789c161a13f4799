"""Several solvers on the same positions: in this process, on bounded processes, or on a cluster.

Method: each question is put to all solvers before the next one comes, in an order that rotates from
question to question, so that a drift of the machine falls on all alike (`benchmarks.measuring`). Without
`jobs` everything happens in this process, where nothing limits a call: quick, and made for notebooks. With it
every call is bounded (`benchmarks.runner`).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, TextIO

from benchmarks.batching import measure_batches
from benchmarks.corpus import Corpus
from benchmarks.experiment import Experiment
from benchmarks.folder import FORMAT, append, append_batch, check_free, read_header, reopen, start, write_header
from benchmarks.interrupts import Interrupts, noticed
from benchmarks.left_out import LeftOut
from benchmarks.machine import describe, load_average, numba_cache
from benchmarks.measuring import Control, measure, warm_up
from benchmarks.plan import QUESTIONS, Group, Limits, Plan, make_plan
from benchmarks.records import Batch, Record, Run
from solvers import Solver

Progress = Callable[[int, int], None]
Place = Callable[[Plan, Sequence[Group], Control], Generator[Record, None, None]]  #: where it is measured


def compare(
    solvers: Iterable[Solver | str] | Solver | str,
    corpora: Iterable[Corpus | str | Path] | Corpus | str | Path,
    *,
    questions: Sequence[str] | str = QUESTIONS,
    repeats: int = 1,
    limit: int | None = None,
    jobs: int | None = None,
    cluster: str | None = None,
    limits: Limits | None = None,
    seed: int | None = None,
    batch_threads: Sequence[int] = (),
    progress: Progress | None = None,
    folder: str | Path | None = None,
    experiment: str | None = None,
    command: str | None = None,
    left_out: Sequence[LeftOut] = (),
) -> Run:
    """Put every question of the corpora to every solver.

    Parameters
    ----------
    solvers: spec strings, or objects with `claims` and `deduce(problem)`; a class of your own needs no registration.
        Of two with the same label the second is called `label (2)`.
    corpora: names of bundled ones, files, or `Corpus` objects.
    questions: `local` (clues only), `global` (with the mine count), or both.
    repeats: how often each question is timed; an answer that changes from one to the next is an error.
    limit: only the first so many positions of each corpus.
    jobs: how many bounded processes measure; None measures in this process.
    cluster: the address of a Dask scheduler, or `local` for one that is started here with `jobs` workers.
    limits: what a call may use, on bounded processes only.
    seed: shuffles the order of the questions; None keeps the corpora's.
    batch_threads: in the end each corpus is put at once to each solver that has `marginals_many` or `deduce_many`,
        with so many threads, in this process (`benchmarks.batching`).
    progress: called with (records done, records in all) between measurements, first when all is warmed up.
    folder: a new folder; records are appended to it as they are measured, so that an interrupt keeps them.
    experiment, command: what the header says about where this came from. left_out: and of strategies that were meant
        to be asked, too.

    Raises ValueError for bad arguments, Unsupported for a spec whose library is missing, FileExistsError for
    a folder that holds anything.

    >>> from board import Position
    >>> from benchmarks.corpus import Answer, Corpus, Entry
    >>> position = Position.parse(["1#", "1#"], mines=1)
    >>> entry = Entry("a", "game", position, Answer(True, (), ()), Answer(True, (), ()), None)
    >>> run = compare("single", Corpus("tiny", (entry,), {}))
    >>> [(r.question, r.outcome) for r in run.records]
    [('local', 'partial'), ('global', 'partial')]
    """
    plan, planned = make_plan(solvers, corpora, questions, repeats, limit, limits, seed, batch_threads)
    _check_place(plan, jobs, cluster)
    if folder is not None:
        check_free(Path(folder))  # before the warm-up, which can take long
    header = {
        "format": FORMAT,
        "experiment": experiment,
        "command": command,
        **planned,
        "left_out": [asdict(one) for one in left_out],
        "jobs": jobs,
        "cluster": cluster,
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "finished": None,
        "resumed": [],
        "machine": {**describe(), "numba_cache": None},
    }
    return _execute(plan, Run(header, [], plan.corpora, None if folder is None else Path(folder)), progress)


def run_experiment(
    experiment: Experiment,
    *,
    jobs: int | None = 1,
    cluster: str | None = None,
    progress: Progress | None = None,
    folder: str | Path | None = None,
    command: str | None = None,
) -> Run:
    """`compare` with what an experiment says."""
    return compare(
        experiment.solvers,
        experiment.corpora,
        questions=experiment.questions,
        repeats=experiment.repeats,
        limit=experiment.limit,
        limits=experiment.limits,
        seed=experiment.seed,
        batch_threads=experiment.batch_threads,
        experiment=experiment.name,
        left_out=experiment.left_out,
        jobs=None if jobs == 1 and cluster else jobs,
        cluster=cluster,
        progress=progress,
        folder=folder,
        command=command,
    )


def resume(
    folder: str | Path,
    *,
    solvers: Iterable[Solver] = (),
    jobs: int | None = None,
    cluster: str | None = None,
    progress: Progress | None = None,
) -> Run:
    """Measure what is missing in a run that was broken off, as it was planned, and only that.

    solvers: those of the run that are not registered; the others are made from their specs. jobs, cluster: as the
    run had them, unless given.

    Raises ValueError for a folder that holds no run and for a solver that is not given.
    """
    folder = Path(folder)
    header = read_header(folder)
    with reopen(folder) as opened:
        before = Run.load(folder)
        plan = _plan_of(header, before.corpora, list(solvers))
        if jobs is not None or cluster is not None:
            header |= {"jobs": jobs, "cluster": cluster}
        _check_place(plan, header["jobs"], header["cluster"])
        header["resumed"].append({"at": datetime.now(UTC).isoformat(timespec="seconds"), "machine": describe()})
        return _execute(plan, replace(before, header=header), progress, opened)


def _plan_of(header: Mapping[str, Any], corpora: Mapping[str, Corpus], given: list[Solver]) -> Plan:
    made: list[Solver | str] = []
    for item in header["solvers"]:
        if item["spec"] is not None:
            made.append(item["spec"])
        elif given:
            made.append(given.pop(0))
        else:
            raise ValueError(f"the solver {item['label']!r} of this run is not registered: give it")
    limits = Limits(**header["limits"])
    asked = (header["questions"], header["repeats"], None, limits, header["seed"], header.get("batch_threads", ()))
    plan, planned = make_plan(made, corpora.values(), *asked)
    for now, then in zip(planned["solvers"], header["solvers"], strict=True):
        if now["label"] != then["label"]:
            raise ValueError(f"the run has the solver {then['label']!r}, not {now['label']!r}")
    return plan


def _check_place(plan: Plan, jobs: int | None, cluster: str | None) -> None:
    if jobs is not None and jobs < 1:
        raise ValueError(f"at least 1 job, not {jobs}")
    if jobs is None and cluster is None and plan.limits != Limits():
        raise ValueError("limits need bounded processes: give jobs as well")


def _execute(plan: Plan, before: Run, progress: Progress | None, opened: TextIO | None = None) -> Run:
    """Measure what the run before lacks; the header is brought up to date in the end."""
    header, folder = dict(before.header), before.folder
    groups = plan.missing({record.key for record in before.records})
    if folder is not None and opened is not None:
        write_header(folder, header)
    elif folder is not None:
        opened = start(folder, header, plan.corpora)
    with opened or nullcontext() as file:
        records, told = _records(plan, groups, before, file, progress or (lambda done, total: None))
        batches = _batches(plan, records, before)
    header["finished"] = datetime.now(UTC).isoformat(timespec="seconds")
    header["machine"] |= {"load_after": load_average(), "numba_cache": told.numba_cache}
    header |= {"cold": list(told.cold), "workers": list(told.machines)}
    if folder:
        write_header(folder, header)
    return Run(header, records, plan.corpora, folder, batches)


def _records(
    plan: Plan, groups: Sequence[Group], before: Run, file: TextIO | None, report: Progress
) -> tuple[list[Record], Control]:
    """The records of the run before and those of the groups, and what the place told."""
    records = list(before.records)
    done = {record.key for record in records}
    place = _place(before.header["jobs"], before.header["cluster"])
    with noticed(at_once=place is _here) as interrupts:
        control = Control(interrupts, lambda: report(len(records), len(plan)))
        with closing(place(plan, groups, control)) as measured:
            for record in measured:
                if record.key in done:
                    continue  # a solver that copied its process can say things twice
                done.add(record.key)
                if file:
                    append(file, record)
                records.append(record)
                report(len(records), len(plan))
    return records, control


def _batches(plan: Plan, records: Sequence[Record], before: Run) -> list[Batch]:
    """The batches of the run before, and those that it lacks."""
    batches = list(before.batches)
    with noticed() as interrupts:
        for batch in measure_batches(plan, records, {batch.key for batch in batches}, interrupts):
            if before.folder is not None:
                append_batch(before.folder, batch)
            batches.append(batch)
    return batches


def _place(jobs: int | None, cluster: str | None) -> Place:
    """Where to measure."""
    if cluster is not None:
        from benchmarks.cluster import run_on_cluster

        return partial(run_on_cluster, address=cluster, jobs=jobs)
    if jobs is not None:
        from benchmarks.runner import run_bounded

        return partial(run_bounded, jobs=jobs)
    return _here


class _Unbounded:
    """Nothing limits a call in this process; a Ctrl-C that it swallowed is seen after it."""

    interruptible = True
    peak_bytes: int | None = None

    def __init__(self, interrupts: Interrupts) -> None:
        self.interrupts = interrupts

    def before(self, solver: str, *, warm_up: bool) -> None:
        pass

    def after(self) -> None:
        self.interrupts.check()


def _here(plan: Plan, groups: Sequence[Group], control: Control) -> Generator[Record, None, None]:
    guard = _Unbounded(control.interrupts)
    labels = tuple(plan.solvers)
    for corpus, question in product(plan.corpora, plan.questions):
        warm_up(plan, Group(corpus, 0, question, labels), guard, labels)
    control.numba_cache = numba_cache()
    control.ready()
    for group in groups:
        yield from measure(plan, group, guard)
