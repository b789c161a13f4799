"""Every encoding with every oracle: exactly the listed cells on game positions, refusals with a reason, and no leak."""

import json
import re
import subprocess
import sys
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from shared_data import cases, cell_numbers, corpora, problem_of

from solvers import Deduction, Status, Unsupported, make_solver
from solvers.encodings import ENCODINGS, EXTREME
from solvers.oracles import ORACLES, REFUSED, find_oracle
from solvers.sat import Sat
from solvers.trial_problems import trial_problems

ALL_PAIRS = list(product(ENCODINGS, [*ORACLES, *REFUSED]))
PAIRS = [
    (encoding, oracle)
    for encoding, oracle in product(ENCODINGS, ORACLES)
    if encoding != "native" or ORACLES[oracle].native
]
# Native constraints that an oracle must activate are propagated in Python: this lattice takes them minutes.
TOO_SLOW = [("xie-3-lattice-full", oracle) for oracle, kind in ORACLES.items() if kind.activate]


def solver_of(encoding, oracle):
    """The solver; skips where this build of PySAT lacks the oracle."""
    try:
        find_oracle(oracle)
    except Unsupported as missing:
        pytest.skip(str(missing))
    return Sat(encoding, oracle)


def deduction(n, safe, mines, consistent=True):
    if not consistent:
        return Deduction.inconsistent(n)
    masks = np.zeros((2, n), np.bool_)
    masks[0, safe] = masks[1, mines] = True
    return Deduction(*masks, Status.COMPLETE)


@cache
def positions():
    """(name, problem, its exact answer) each, with and without the mine count: 200 of the corpora and all cases."""
    asked = []
    entries = list(corpora().values())  # level by level, kind by kind
    for entry in (entries[i * len(entries) // 200] for i in range(200)):
        problem = problem_of(entry)
        asked.append((entry["id"], problem, deduction(problem.n, entry["safe"], entry["mine"])))
        local = deduction(problem.n, entry["safe_local"], entry["mine_local"])
        asked.append((entry["id"] + " local", problem.local(), local))
    for name, case in cases().items():
        problem = problem_of(case)
        for suffix in ("_local",) if case["mines"] is None else ("", "_local"):
            cells = (cell_numbers(case, what + suffix) for what in ("safe", "mines"))
            expected = deduction(problem.n, *cells, case["expect"]["consistent" + suffix])
            asked.append((name + suffix.replace("_", " "), problem.local() if suffix else problem, expected))
    return asked


@cache
def made_up():
    """(name, problem, the answer of enumeration): contradictions, gaps in the counts, cells in no constraint."""
    reference = make_solver("enumeration")
    return [(f"made up {i}", p, reference.deduce(p)) for i, p in enumerate(trial_problems(60, seed=5))]


def check(encoding, oracle, asked):
    """It answers exactly, or says which total it cannot take; how many questions were refused and how many answered."""
    solver = solver_of(encoding, oracle)
    refused = answered = 0
    for name, problem, expected in asked:
        if encoding == "native" and (name, oracle) in TOO_SLOW:
            continue
        try:
            found = solver.deduce(problem)
        except Unsupported as why:
            message = str(why)
            refused += 1
        else:
            answered += 1
            assert found == expected, name
            continue
        total, n = map(int, re.fullmatch(rf"encoding '{encoding}' takes .*, not (\d+) of (\d+)", message).groups())
        assert 1 < total < n - 1
    assert bool(refused) == (encoding in EXTREME)
    return refused, answered


@pytest.mark.parametrize(("encoding", "oracle"), PAIRS)
def test_a_few_problems_with_each_pair(encoding, oracle):
    check(encoding, oracle, made_up() + positions()[::29])


@pytest.mark.slow
@pytest.mark.parametrize(("encoding", "oracle"), PAIRS)
def test_all_positions_with_each_pair(encoding, oracle):
    _, answered = check(encoding, oracle, positions())
    assert answered > 200


@pytest.mark.parametrize(("encoding", "oracle"), [pair for pair in ALL_PAIRS if pair not in PAIRS])
def test_refused_pair_says_why(encoding, oracle):
    reason = REFUSED.get(oracle, "has no native at-most constraints: choose another encoding")
    with pytest.raises(Unsupported, match=f"^oracle '{oracle}' .*{reason}|is not in this build of PySAT"):
        Sat(encoding, oracle)


def test_positions_are_of_all_levels_and_kinds():
    names = [name for name, _, _ in positions()]
    assert (
        len(names) == len(set(names)) == 2 * 200 + len(cases()) + sum(c["mines"] is not None for c in cases().values())
    )
    kinds = {re.sub(r"-\d+$", "", name) for name in corpora()}
    counts = [sum(name.startswith(kind) for name in names) for kind in sorted(kinds)]
    assert len(kinds) == 9
    assert min(counts) >= 44


# Memory


GROWTH = """
import json, sys
from board import Problem
from solvers.sat import Sat

problem = Problem.from_sets([({0, 1, 2}, 1), ({1, 2, 3, 4}, 2), ({3, 4, 5}, 1)], n=8, mines=3)

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

def repeat(times):
    for _ in range(times):
        assert len(Sat(encoding, oracle).deduce(problem).stats)

grown = {}
for encoding, oracle in json.loads(sys.argv[1]):
    repeat(100)
    before = resident()
    repeat(1000)
    grown[oracle] = (resident() - before) / 2**20
print(json.dumps(grown))
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads the memory of a process from /proc")
@pytest.mark.parametrize("oracles", [["minicard", "glucose4"], pytest.param(list(ORACLES), marks=pytest.mark.slow)])
def test_a_thousand_solvers_do_not_grow_memory(oracles):
    """For each oracle in turn, in MiB, with a question that needs counters of mines."""
    pairs = []
    for oracle in oracles:
        try:
            pairs.append(("native" if find_oracle(oracle).native else "totalizer", oracle))
        except Unsupported:
            continue  # not in this build
    command = [sys.executable, "-c", GROWTH, json.dumps(pairs)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    grown = json.loads(done.stdout)
    assert grown.keys() == {oracle for _, oracle in pairs} != set()
    assert max(grown.values()) < 4, grown  # oracles that are not deleted take 6 to 33
