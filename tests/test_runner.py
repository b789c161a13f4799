"""Bounded processes: what a solver does costs its own records; kills and interrupts cost none."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hostile import Hostile, nothing
from samples import CLEAR, COUNTED, EVEN, MINES, Corpus, replace

from benchmarks import Run, compare
from benchmarks.comparison import resume
from benchmarks.folder import reopen
from benchmarks.memory import PeakMemory
from benchmarks.metrics import summaries
from benchmarks.plan import Limits, make_plan
from solvers import Claims, Deduction, Status

# Too short for solvers whose kernels may have to be compiled.
SHORT = Limits(seconds=1.0, memory_bytes=1 << 30, warm_up_seconds=1.0)
LONG = Limits(seconds=30.0, memory_bytes=1 << 30)
CORPUS = Corpus("tiny", (CLEAR, EVEN, COUNTED, MINES))  # of 8, 4, 6 and 3 cells


def deterministic(run):
    return {(*r.key, r.outcome, r.status, r.safe, r.mines, r.game) for r in run.records}


@pytest.mark.parametrize(
    ("how", "outcome", "message"),
    [
        ("loop", "timeout", "over 1 s"),
        ("allocate", "memory", "50.0 GiB"),
        ("grow", "memory", "Unable to allocate"),
        ("abort_without_memory", "memory", "SIGABRT: memory allocation of 99 bytes failed"),
        ("exit_0", "crashed", "ended its process with code 0"),
        pytest.param("exit_7", "crashed", "ended its process with code 7", marks=pytest.mark.slow),
        ("segfault", "crashed", "SIGSEGV"),
        pytest.param("abort", "crashed", "SIGABRT: thread panicked at lib.rs", marks=pytest.mark.slow),
        pytest.param("kill", "crashed", "SIGKILL", marks=pytest.mark.slow),
        ("wrong_shape", "error", "safe is bool"),
        ("raises", "error", "RuntimeError: not today"),
        ("system_exit", "error", "SystemExit: 3"),
        ("presses_ctrl_c", "error", "KeyboardInterrupt"),
        ("unreadable", "error", "its answer cannot be read: RuntimeError: no status"),
        ("claims_mines_safe", "wrong", "not entailed"),
    ],
)
def test_a_hostile_solver_costs_only_its_own_records(how, outcome, message):
    bad = Hostile(how, over=5)  # on two of the four positions, not on the smallest
    limits = SHORT if how == "loop" else LONG
    run = compare([Hostile(over=1), bad, Hostile()], CORPUS, questions="global", jobs=1, limits=limits)
    assert len({r.key for r in run.records}) == len(run.records) == 3 * len(CORPUS)
    said = {r.entry: r for r in run.records if r.solver == run.header["solvers"][1]["label"]}
    assert {name: r.outcome for name, r in said.items()} == {
        "clear": outcome,
        "even": "partial",
        "counted": outcome,
        "mines": "partial",
    }
    assert message in said["clear"].message
    assert {r.outcome for r in run.records if r not in said.values()} == {"partial"}


def test_whoever_ends_every_process_is_measured_apart_and_all_answer():
    bad = [Hostile("segfault"), Hostile("exit_0")]
    corpus = Corpus("many", tuple(replace(e, id=f"{e.id}-{i}") for i in range(5) for e in (CLEAR, COUNTED)))
    run = compare([*bad, "subset", "single"], corpus, jobs=2, limits=LONG, repeats=2)
    assert len({r.key for r in run.records}) == len(run.records) == 4 * 2 * 10
    assert {(r.solver, r.outcome) for r in run.records} == {
        ("Hostile:how=segfault", "crashed"),
        ("Hostile:how=exit_0", "crashed"),
        ("subset", "partial"),
        ("single", "partial"),
    }
    assert all(len(r.solve_nanoseconds) == 2 for r in run.records if r.outcome == "partial")


@pytest.mark.parametrize("how", ["loop_without_alarm", pytest.param("blocks_signals", marks=pytest.mark.slow)])
def test_a_solver_that_switches_the_alarm_off_is_ended_all_the_same(monkeypatch, how):
    monkeypatch.setattr("benchmarks.runner._SLACK_SECONDS", 0.5)
    limits = replace(SHORT, seconds=0.3, warm_up_seconds=0.3)
    run = compare(Hostile(how, over=5), CORPUS, questions="global", jobs=1, limits=limits)
    assert sorted(r.outcome for r in run.records) == ["partial", "partial", "timeout", "timeout"]


def test_bounded_processes_say_what_this_process_says():
    solvers = ["single", "subset", "minmax", "sat", "counting", "mstoollib"]
    here = compare(solvers, "beginner-stuck", limit=10)
    there = compare(solvers, "beginner-stuck", limit=10, jobs=2, limits=Limits(20.0, 2 << 30), seed=3)
    assert deterministic(here) == deterministic(there)
    assert [r.entry for r in there.records] != [r.entry for r in here.records]  # shuffled


def test_a_solver_defined_in_a_function_is_measured_too():
    class Local:
        claims = Claims()

        def deduce(self, problem, /):
            return Deduction(problem.covered & False, problem.covered & False, Status.PARTIAL)

    run = compare(Local(), CORPUS, jobs=1)
    assert [r.outcome for r in run.records] == ["partial"] * 8


def test_a_script_without_a_main_guard_works(tmp_path):
    (tmp_path / "script.py").write_text(
        "print('once')\n"
        "from benchmarks import compare\n"
        "from solvers import Claims\n"
        "class Mine:\n"
        "    claims = Claims()\n"
        "    def deduce(self, problem, /):\n"
        "        raise RuntimeError('mine')\n"
        "print({r.message for r in compare(Mine(), 'beginner-random', limit=1, jobs=2).records})\n"
    )
    done = subprocess.run([sys.executable, tmp_path / "script.py"], capture_output=True, text=True, check=True)
    assert done.stdout == "once\n{'RuntimeError: mine'}\n"


@pytest.mark.parametrize(
    "how",
    [
        "leave_a_child",
        pytest.param("own_alarm", marks=pytest.mark.slow),
        *(pytest.param(how, marks=pytest.mark.slow) for how in ("silence_for_good", "close_low_descriptors")),
        pytest.param("copies_its_process", marks=pytest.mark.slow),
    ],
)
def test_what_a_solver_leaves_behind_is_not_the_others_burden(how):
    solvers = [Hostile(how), Hostile("loop", over=7), Hostile()]
    run = compare(solvers, CORPUS, questions="global", jobs=1, limits=SHORT)
    outcomes = {(r.solver, r.outcome) for r in run.records}
    assert outcomes == {
        (f"Hostile:how={how}", "partial"),
        ("Hostile:how=loop,over=7", "partial"),
        ("Hostile:how=loop,over=7", "timeout"),
        ("Hostile", "partial"),
    }
    if how == "leave_a_child":  # tests of the others may run beside this one
        until = time.monotonic() + 5  # what is killed ends in its own time
        while (left := "sleep\0001000" in command_lines()) and time.monotonic() < until:
            time.sleep(0.05)
        assert not left


def command_lines():
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            found.append(path.read_text())
    return "\n".join(found)


def test_who_lowers_the_limits_of_all_is_the_only_one_to_feel_it():
    solvers = [Hostile(), Hostile("lowers_limits"), Hostile(over=1)]
    run = compare(solvers, CORPUS, questions="global", jobs=1, limits=SHORT)
    outcomes = {(r.solver, r.outcome) for r in run.records if "lowers" not in r.solver}
    assert outcomes == {("Hostile", "partial"), ("Hostile:over=1", "partial")}
    assert len(run.records) == 12


def test_the_memory_limit_is_a_calls_and_not_the_processs():
    limits = Limits(seconds=30, memory_bytes=150 << 20)
    corpus = Corpus("many", tuple(replace(CLEAR, id=str(i)) for i in range(6)))
    run = compare([Hostile("keep"), Hostile("need")], corpus, questions="global", jobs=1, limits=limits)
    assert {r.outcome for r in run.records} == {"partial"}


@pytest.mark.slow
def test_a_group_may_take_as_long_as_all_its_calls(monkeypatch):
    monkeypatch.setattr("benchmarks.runner._SLACK_SECONDS", 0.0)
    limits = Limits(seconds=0.6, warm_up_seconds=0.6)
    solvers = [Hostile("slowly"), Hostile("slowly", over=1)]
    run = compare(solvers, Corpus("one", (CLEAR,)), questions="global", jobs=1, limits=limits, repeats=3)
    assert [r.outcome for r in run.records] == ["partial", "partial"]


def test_the_main_module_is_back_after_a_run():
    main = sys.modules["__main__"]
    compare("single", CORPUS, jobs=4)
    assert sys.modules["__main__"] is main


def test_one_run_is_measured_by_one_process_at_a_time(tmp_path):
    compare("single", CORPUS, folder=tmp_path / "run")
    with reopen(tmp_path / "run"), pytest.raises(ValueError, match="is being measured by another process"):
        resume(tmp_path / "run")
    assert resume(tmp_path / "run").records


class Unloadable:
    """Cannot be brought to another process."""

    claims = Claims()

    def deduce(self, problem, /):
        raise AssertionError

    def __reduce__(self):
        return _not_there, ()


def _not_there():
    raise ModuleNotFoundError("No module named 'elsewhere'")


def test_solvers_that_cannot_be_loaded_are_one_clear_error():
    with pytest.raises(RuntimeError, match="cannot load the solvers: ModuleNotFoundError: No module named 'elsewhere'"):
        compare(Unloadable(), CORPUS, jobs=1)


def test_limits_need_processes_and_make_sense():
    with pytest.raises(ValueError, match="limits need bounded processes"):
        compare("single", CORPUS, limits=SHORT)
    with pytest.raises(ValueError, match="at least 1 job, not 0"):
        compare("single", CORPUS, jobs=0)
    for wrong in ({"seconds": 0.0}, {"memory_bytes": -5}, {"seconds": float("nan")}):
        with pytest.raises(ValueError, match=f"{next(iter(wrong))} is more than 0"):
            Limits(**wrong)


def test_the_seed_decides_the_order_and_every_group_comes_once():
    def order(seed):
        return list(make_plan(["single", "subset"], CORPUS, seed=seed)[0].groups())

    assert order(1) == order(1) != order(2)
    assert len(order(1)) == len(order(None)) == 8
    assert {(g.index, g.question) for g in order(1)} == {(g.index, g.question) for g in order(None)}


# Runs that are broken off


def sapper(*arguments, **more):
    return subprocess.Popen(
        [sys.executable, "-m", "benchmarks", *map(str, arguments)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        **more,
    )


ARGUMENTS = ["bench", "--corpus", "beginner-random", "--limit", 60, "--repeats", 2]
ARGUMENTS += [word for spec in ("single", "subset", "sat", "cpsat") for word in ("--solver", spec)]


def measured(folder):
    path = folder / "records.jsonl"
    return len(path.read_bytes()) if path.exists() else 0


@pytest.mark.slow
@pytest.mark.parametrize(("kills", "jobs"), [(6, 1), (6, 2)])
def test_kills_at_random_moments_cost_nothing_but_time(tmp_path, kills, jobs):
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    sapper(*ARGUMENTS, "--out", whole).wait()
    moments = random.Random(jobs)

    def go_on():
        begin = ["bench", "--resume", broken] if broken.exists() else [*ARGUMENTS, "--out", broken]
        return sapper(*begin, "--jobs", jobs)

    for kill in range(kills):
        process, before = go_on(), measured(broken)
        if kill:  # once it measures, unless this is the first, which is killed anywhere
            while measured(broken) == before and process.poll() is None:
                time.sleep(0.01)
        time.sleep(moments.uniform(0.0, 0.2))
        process.send_signal(signal.SIGKILL)
        process.wait()
        if kill % 2 and measured(broken):  # as if it had died in the middle of a line
            with (broken / "records.jsonl").open("rb+") as file:
                file.truncate(measured(broken) - 7)
    assert go_on().wait() == 0
    one, two = Run.load(whole), Run.load(broken)
    assert len({r.key for r in two.records}) == len(two.records) == len(one.records) == 60 * 2 * 4
    assert deterministic(one) == deterministic(two)
    assert two.header["resumed"]
    assert two.header["finished"]


def test_a_finished_run_that_is_resumed_stays_as_it_is(tmp_path):
    run = compare(["single", Hostile()], CORPUS, jobs=1, folder=tmp_path / "run")
    again = resume(tmp_path / "run", solvers=[Hostile()])
    assert again.records == run.records
    with pytest.raises(ValueError, match="'Hostile' of this run is not registered: give it"):
        resume(tmp_path / "run")
    with pytest.raises(ValueError, match="has the solver 'Hostile', not 'Hostile:how=loop'"):
        resume(tmp_path / "run", solvers=[Hostile("loop")])
    with pytest.raises(ValueError, match="not a run folder"):
        resume(tmp_path / "none")


SCRIPT = """
import sys
from benchmarks import compare
from benchmarks.folder import reopen
from benchmarks.memory import PeakMemory
from benchmarks.metrics import summaries
from benchmarks.plan import Limits
from hostile import Hostile
corpus = "beginner-random"
compare(["subset", Hostile("loop", over=1)], corpus, jobs=2, limits=Limits(seconds=60, warm_up_seconds=1),
        folder=sys.argv[1], progress=lambda done, total: print(done, flush=True))
"""


def alive(mark):
    """The processes that have this in their environment."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark.encode() in path.read_bytes():
                found.append(path.parent.name)
        except OSError:
            continue
    return found


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize("with_signal", [signal.SIGINT, pytest.param(signal.SIGKILL, marks=pytest.mark.slow)])
def test_an_interrupt_ends_everything_and_keeps_the_records(tmp_path, with_signal):
    mark = f"SAPPER_TEST={os.getpid()}-{with_signal}"
    name, _, value = mark.partition("=")
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent), name: value}
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, tmp_path / "run"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert process.stdout.readline() == "0\n"  # all is warmed up; `loop` is measured now
    time.sleep(1)
    process.send_signal(with_signal)
    _, printed = process.communicate(timeout=30)  # all that write there have ended
    assert ("KeyboardInterrupt" in printed) == (with_signal == signal.SIGINT)
    assert {r.solver for r in Run.load(tmp_path / "run").records} <= {"subset"}
    assert not alive(mark)


# the most memory that a call takes

MEASURES_MEMORY = PeakMemory().read() is not None
only_where_measured = pytest.mark.skipif(not MEASURES_MEMORY, reason="the system does not tell the peak of memory")


@only_where_measured
def test_a_call_is_charged_with_the_memory_it_takes_and_with_no_other(tmp_path):
    corpus = Corpus("many", tuple(replace(CLEAR, id=str(i)) for i in range(4)))
    solvers = [Hostile("need"), Hostile(), Hostile("keep"), Hostile("raises")]
    compare(solvers, corpus, questions="global", jobs=1, repeats=2, folder=tmp_path / "run")
    run = Run.load(tmp_path / "run")
    for record in run.records:
        peak = record.peak_bytes / (1 << 20)
        most = {"Hostile:how=need": (98, 105), "Hostile:how=keep": (58, 65)}.get(record.solver, (0, 3))
        assert most[0] <= peak <= most[1], record.solver
    row = next(row for row in summaries(run) if row["solver"] == "Hostile:how=need")
    assert 98 << 20 <= row["peak_median_bytes"] <= row["peak_max_bytes"] <= 105 << 20


class Grows:
    """Takes 10 MB more at every call."""

    claims = Claims()
    calls = 0

    def deduce(self, problem, /):
        self.calls += 1
        np.ones((self.calls % 4) * 10 << 20, np.uint8)
        return nothing(problem)


@only_where_measured
def test_the_largest_of_the_repeats_counts():
    run = compare(Grows(), Corpus("one", (CLEAR,)), questions="global", jobs=1, repeats=3)  # and two warm-ups
    assert 28 <= run.records[0].peak_bytes / (1 << 20) <= 32


def test_in_this_process_and_of_who_ends_his_process_no_peak_is_known():
    assert {r.peak_bytes for r in compare("single", CORPUS).records} == {None}
    assert {r.peak_bytes for r in compare(Hostile("exit_7"), CORPUS, jobs=1).records} == {None}


def test_where_the_system_does_not_tell_there_is_no_peak(monkeypatch):
    def refuse(*_, **__):
        raise PermissionError

    monkeypatch.setattr("benchmarks.memory.os.open", refuse)
    peak = PeakMemory()
    peak.reset()
    assert peak.read() is None


@only_where_measured
def test_a_peak_whose_file_a_solver_has_closed_is_unknown():
    peak = PeakMemory()
    peak.reset()
    assert peak.read() == 0
    os.close(peak._file)
    peak.reset()
    assert peak.read() is None
