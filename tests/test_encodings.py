"""Cardinality encodings, exhaustively for up to six variables: the projected models are those of the constraint."""

import random
from itertools import combinations, product

import pytest
from pysat.solvers import Minicard

from board import Problem
from solvers import Unsupported
from solvers.encodings import ENCODINGS, EXTREME, encode, encode_counter, encode_problem, takes


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
