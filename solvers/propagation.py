"""How far does unit propagation alone get? Without search, so incomplete, and different with each encoding.

Method: `closure` is what unit propagation derives from the formula. `probe` adds failed literals: a cell that
propagation alone refutes as a mine is safe, and the other way round, until nothing changes. Unit clauses wait for a
guard, an assumption (see :class:`solvers.incremental.Group`), so that nothing is fixed before it and every oracle
gives the literals derived in full.
Cost: linear in the formula for the closure; two closures a cell and round for probes.

Source: unit propagation on encodings of cardinality: O. Bailleux, Y. Boufkhad, CP 2003; failed literals: J. W. Freeman,
"Improvements to propositional satisfiability search algorithms", PhD thesis, University of Pennsylvania, 1995.
"""

from __future__ import annotations

from solvers.incremental import Group


def closure(group: Group) -> bool | None:
    """Put what propagation derives of the variables into `group.proved`. False: a contradiction; None: no budget."""
    found = group.propagate([group.guard])
    if not found:
        return found if found is None else False
    proved = set(group.proved)
    group.proved += [x for x in sorted(found, key=abs) if abs(x) <= group.size and x not in proved]
    return True


def probe(group: Group) -> bool | None:
    """The same with failed literals, until nothing changes."""
    consistent, changed = closure(group), True
    while consistent and changed:
        changed = False
        for x in range(1, group.size + 1):
            for literal in (x, -x):
                if x in group.proved or -x in group.proved:
                    break
                found = group.propagate([group.guard, literal])
                if found is None:
                    return None
                if not found:
                    changed = True
                    group.add([[-group.guard, -literal]])
                    consistent = closure(group)
                    if not consistent:
                        return consistent
    return consistent
