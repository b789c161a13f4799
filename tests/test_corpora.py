"""1,350 positions of three levels: complete solvers find exactly the listed cells, and nobody claims more.

The listed cells come from exact solvers that agree with each other. The same for the bundled corpora of large boards.
"""

import pytest
from shared_data import corpora, listed, problem_of

from benchmarks.corpus import SHAPES, load_corpus
from solvers import Status, Unsupported, label_of, make_solver

GROUPS = sorted({name.rpartition("-")[0] for name in corpora()})

# What enumeration lists in a moment.
MOST_COVERED = 18


def entries(solver, group):
    chosen = [entry for name, entry in corpora().items() if name.rpartition("-")[0] == group]
    if label_of(solver) == "enumeration":
        return [entry for entry in chosen if "".join(entry["grid"]).count("#") <= MOST_COVERED]
    if label_of(solver) == "explanation":  # what it finds is what counting finds; here it is explained
        return chosen[::25]
    return chosen


def check(solver, chosen, question):
    """All wrong claims and misses of complete solvers, as (position, what)."""
    suffix = "_local" if question == "local" else ""
    wrong = []
    for entry in chosen:
        problem = problem_of(entry)
        expected = entry["safe" + suffix], entry["mine" + suffix]
        wrong += misjudged(
            solver, entry["id"], problem.local() if question == "local" else problem, question, *expected
        )
    return wrong


def misjudged(solver, name, problem, question, safe, mines):
    complete = solver.claims.complete_local if question == "local" else solver.claims.complete_global
    answer = solver.deduce(problem)
    wrong = []
    for kind, mask, listed_cells in (("safe", answer.safe, safe), ("mine", answer.mines, mines)):
        found, expected = set(listed(mask)), set(listed_cells)
        if found - expected:
            wrong.append((name, f"false {kind}", sorted(found - expected)))
        if expected - found and (complete or answer.status is Status.COMPLETE):
            wrong.append((name, f"missed {kind}", sorted(expected - found)))
    if answer.status is Status.INCONSISTENT or (complete and answer.status is not Status.COMPLETE):
        wrong.append((name, str(answer.status), []))
    return wrong


@pytest.mark.parametrize("question", ["global", "local"])
@pytest.mark.parametrize("group", GROUPS)
def test_nobody_makes_a_wrong_claim(solver, group, question):
    chosen = entries(solver, group)
    if not chosen:
        pytest.skip(f"enumeration is for up to {MOST_COVERED} covered cells, and all of {group} have more")
    if (label_of(solver), question) == ("mstoollib", "local"):
        with pytest.raises(Unsupported, match="local question"):
            check(solver, chosen, question)
        return
    assert check(solver, chosen, question) == []


@pytest.mark.parametrize("question", ["global", "local"])
@pytest.mark.parametrize("name", [*SHAPES, "stress"])
@pytest.mark.parametrize("spec", ["single", "subset", "minmax", "sat", "counting"])
def test_nobody_makes_a_wrong_claim_on_large_boards(spec, name, question):
    solver = make_solver(spec)
    wrong = []
    for entry in load_corpus(name):
        problem = entry.position.problem()
        answer = entry.answer(question)
        asked = problem.local() if question == "local" else problem
        wrong += misjudged(solver, entry.id, asked, question, answer.safe, answer.mines)
    assert wrong == []
