"""Cardinality encodings, exhaustively for up to six variables: the projected models are those of the constraint."""

import random
from itertools import combinations, islice, product
from math import comb

import pytest
from pysat.card import CardEnc, EncType
from pysat.formula import IDPool
from pysat.solvers import Minicard

from board import Problem
from solvers import Unsupported
from solvers.encodings import (
    ENCODINGS,
    EXTREME,
    KEEPS_MODELS,
    PROPAGATION_COMPLETE,
    encode,
    encode_counter,
    encode_problem,
    takes,
)

SMALL_AND_LARGE = [*range(7), pytest.param(7, marks=pytest.mark.slow), pytest.param(8, marks=pytest.mark.slow)]


def projected(formula, n):
    """The assignments of 1..n that some model extends, as tuples of 0 and 1."""
    with Minicard() as oracle:
        for clause in formula.clauses:
            oracle.add_clause(clause)
        for literals, bound in formula.at_mosts:
            oracle.add_atmost(literals, bound)
        return {bits for bits in product((0, 1), repeat=n) if oracle.solve(literals_of(bits))}


def literals_of(bits):
    return [x if bit else -x for x, bit in enumerate(bits, 1)]


def choices(n, total):
    return (
        {tuple(int(i in chosen) for i in range(n)) for chosen in combinations(range(n), total)} if total >= 0 else set()
    )


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("n", range(7))
def test_models_are_those_of_the_constraint(encoding, n):
    for total in range(-1, n + 2):
        if takes(encoding, n, total):
            formula = encode([list(range(1, n + 1))], [total], encoding, n)
            assert projected(formula, n) == choices(n, total), total
            assert formula.variables >= n


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_auxiliary_variables_do_not_collide(encoding):
    """Overlapping scopes, negative literals, and totals that need auxiliary variables twice."""
    scopes, totals = [[1, 2, 3, 4], [2, 3, 4, 5], [-1, 5, 3]], ([1, 3, 1] if encoding in EXTREME else [2, 2, 1])
    formula = encode(scopes, totals, encoding, 5)
    expected = {
        bits
        for bits in product((0, 1), repeat=5)
        if all(sum(bits[abs(x) - 1] == (x > 0) for x in s) == t for s, t in zip(scopes, totals, strict=True))
    }
    assert projected(formula, 5) == expected
    used = {abs(x) for clause in formula.clauses for x in clause}
    assert max(used | {5}) <= formula.variables


@pytest.mark.parametrize("encoding", EXTREME)
def test_total_that_an_encoding_cannot_take(encoding):
    for n in range(7):
        for total in range(-1, n + 2):
            assert takes(encoding, n, total) == (total not in range(2, n - 1))
    with pytest.raises(Unsupported, match=f"'{encoding}' takes totals of 0, 1, n - 1 and n, not 3 of 6"):
        encode([[1, 2, 3, 4, 5, 6]], [3], encoding, 6)


def test_binomial_refuses_millions_of_clauses():
    with pytest.raises(Unsupported, match="over 1,000,000 clauses for 15 of 30"):
        encode([list(range(1, 31))], [15], "binomial", 30)


def test_unknown_encoding():
    with pytest.raises(ValueError, match="unknown encoding 'totaliser'; known are native, binomial"):
        encode([], [], "totaliser", 0)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_problem_as_a_formula(encoding):
    """Cells come first, in order, and the mine count is one more constraint over all of them."""
    problem = Problem.from_sets([({1, 3, 4}, 1), ({3, 4, 6}, 2)], n=8, covered=[1, 3, 4, 6, 7], mines=4)
    formula, cells = encode_problem(problem, encoding)
    assert cells.tolist() == [1, 3, 4, 6, 7]
    expected = {
        bits
        for bits in product((0, 1), repeat=5)
        if bits[0] + bits[1] + bits[2] == 1 and bits[1] + bits[2] + bits[3] == 2 and sum(bits) == 4
    }
    assert projected(formula, 5) == expected
    assert len(projected(encode_problem(problem.local(), encoding)[0], 5)) == 2 * len(expected) or expected == set()


# What the tables say


def unsettled(encoding, n, total):
    """The partial assignments (1, -1, 0 for open) from which unit propagation derives too little."""
    formula = encode([list(range(1, n + 1))], [total], encoding, n)
    given = formula.variables + 1  # so that nothing holds without an assumption: that would not be listed
    with Minicard() as oracle:
        for clause in formula.clauses:
            oracle.add_clause([*clause, -given])
        for literals, bound in formula.at_mosts:
            oracle.add_atmost(literals, bound)
        found = []
        for signs in product((1, -1, 0), repeat=n):
            consistent, derived = oracle.propagate([given, *[x * sign for x, sign in enumerate(signs, 1) if sign]])
            least, most = signs.count(1), n - signs.count(-1)
            if not least <= total <= most:
                settled = not consistent
            else:
                free = [x for x, sign in enumerate(signs, 1) if not sign]
                entailed = [-x for x in free] if total == least else free if total == most else []
                settled = consistent and set(entailed) <= set(derived)
                # and nothing else about the open cells
                assert consistent
                assert {x for x in derived if abs(x) in free} <= set(entailed)
            if not settled:
                found.append(signs)
    return found


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("n", SMALL_AND_LARGE)
def test_propagation_is_complete_where_the_table_says_so(encoding, n):
    gaps = [total for total in range(-1, n + 2) if takes(encoding, n, total) and unsettled(encoding, n, total)]
    assert gaps == ([] if encoding in PROPAGATION_COMPLETE else list(range(2, n - 1)))


def test_what_propagation_misses():
    """Cells 2 and 4 are the two mines: the others are safe."""
    for encoding in set(ENCODINGS) - set(PROPAGATION_COMPLETE):
        assert (0, 1, 0, 1) in unsettled(encoding, 4, 2)


def number_of_models(formula, most):
    """Over all variables, the auxiliary ones included; `most`: no more are counted."""
    with Minicard() as oracle:
        for clause in formula.clauses:
            oracle.add_clause(clause)
        for literals, bound in formula.at_mosts:
            oracle.add_atmost(literals, bound)
        return sum(1 for _ in islice(oracle.enum_models(), most))


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("n", SMALL_AND_LARGE)
def test_models_are_kept_where_the_table_says_so(encoding, n):
    for total in range(n + 1):
        if takes(encoding, n, total):
            formula = encode([list(range(1, n + 1))], [total], encoding, n)
            kept = number_of_models(formula, comb(n, total) + 1) == comb(n, total)
            assert kept == (encoding in KEEPS_MODELS or n < 3 or total in (0, n)), total


@pytest.mark.parametrize(
    ("encoding", "models"),
    [
        *[(encoding, 20) for encoding in KEEPS_MODELS if encoding not in EXTREME],
        ("totalizer", 320),
        ("cardnetwrk", 6144),
    ],
)
def test_models_of_three_in_six(encoding, models):
    """20 choices; always to be counted over the cells alone."""
    formula = encode([[1, 2, 3, 4, 5, 6]], [3], encoding, 6)
    assert number_of_models(formula, 10_000) == models
    assert len(projected(formula, 6)) == 20


# What PySAT does with constraints that are written down without care


def test_native_constraints_are_in_no_clause():
    made = CardEnc.equals(lits=[1, 2, 3, 4], bound=2, encoding=EncType.native)
    assert made.clauses == []
    assert sorted(made.atmosts) == [([-1, -2, -3, -4], 2), ([1, 2, 3, 4], 2)]


@pytest.mark.parametrize(
    ("numbering", "right"),
    [(lambda top: {"top_id": top}, True), (lambda top: {}, False), (lambda top: {"vpool": IDPool()}, False)],
    ids=["top_id", "nothing", "a fresh pool"],
)
def test_auxiliary_variables_collide_without_top_id(numbering, right):
    """Two constraints over the cells 1..6: of the first, cells 5 and 6 become auxiliary variables."""
    clauses, top = [], 6
    for scope in ([1, 2, 3, 4], [3, 4, 5, 6]):
        made = CardEnc.equals(lits=scope, bound=2, encoding=EncType.seqcounter, **numbering(top))
        clauses += made.clauses
        top = made.nv
    with Minicard(clauses) as oracle:
        found = {bits for bits in product((0, 1), repeat=6) if oracle.solve(literals_of(bits))}
    assert (found == {bits for bits in product((0, 1), repeat=6) if sum(bits[:4]) == sum(bits[2:]) == 2}) == right


@pytest.mark.parametrize("encoding", [EncType.seqcounter, EncType.totalizer, EncType.native, EncType.pairwise])
def test_impossible_totals_are_an_error(encoding):
    """So they are settled before it is asked; likewise for a scope without cells."""
    for bound in (-1, 5):
        with pytest.raises(ValueError, match=f"Wrong bound: {bound}"):
            CardEnc.equals(lits=[1, 2, 3, 4], bound=bound, encoding=encoding)
    with pytest.raises(ValueError, match="Wrong bound: 1"):
        CardEnc.equals(lits=[], bound=1, encoding=encoding)


# Counters


@pytest.mark.parametrize("native", [True, False])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 33, 70])
def test_counter_counts(native, n):
    """Exhaustively, or on random assignments where a native counter has several nodes."""
    rng = random.Random(n)
    for most in range(1, n + 1) if n < 7 else (1, 7, n // 2, n):
        formula, q = encode_counter(list(range(1, n + 1)), most, native, n)
        samples = (
            product((0, 1), repeat=n)
            if n < 7
            else [[rng.random() < 0.9 * most / n for _ in range(n)] for _ in range(9)]
        )
        with Minicard() as oracle:
            for clause in formula.clauses:
                oracle.add_clause(clause)
            for literals, bound in formula.at_mosts:
                oracle.add_atmost(literals, bound)
            for bits in samples:
                count = sum(bits)
                assert oracle.solve(literals_of(bits)) == (count <= most)
                for i, x in enumerate(q):
                    assert not oracle.solve([*literals_of(bits), -x if count > i else x])
