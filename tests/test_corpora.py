"""1,350 positions of three levels: complete solvers find exactly the listed cells, and nobody claims more.

The listed cells come from exact solvers that agree with each other.
"""

import pytest
from shared_data import corpora, listed, problem_of

from solvers import Status, Unsupported, label_of

GROUPS = sorted({name.rpartition("-")[0] for name in corpora()})

# What enumeration lists in a moment.
MOST_COVERED = 18


def entries(solver, group):
    chosen = [entry for name, entry in corpora().items() if name.rpartition("-")[0] == group]
    if label_of(solver) == "enumeration":
        return [entry for entry in chosen if "".join(entry["grid"]).count("#") <= MOST_COVERED]
    return chosen


def check(solver, chosen, question):
    """All wrong claims and misses of complete solvers, as (position, what)."""
    suffix = "_local" if question == "local" else ""
    claims = solver.claims
    complete = claims.complete_local if question == "local" else claims.complete_global
    wrong = []
    for entry in chosen:
        problem = problem_of(entry)
        answer = solver.deduce(problem.local() if question == "local" else problem)
        for kind, mask in (("safe", answer.safe), ("mine", answer.mines)):
            found, expected = set(listed(mask)), set(entry[kind + suffix])
            if found - expected:
                wrong.append((entry["id"], f"false {kind}", sorted(found - expected)))
            if expected - found and (complete or answer.status is Status.COMPLETE):
                wrong.append((entry["id"], f"missed {kind}", sorted(expected - found)))
        if answer.status is Status.INCONSISTENT or (complete and answer.status is not Status.COMPLETE):
            wrong.append((entry["id"], str(answer.status), []))
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
