"""Exact counting against plain enumeration on thousands of problems, against a plain tally, and against itself."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from problems import board_of, drawn_board, drawn_problem, drawn_system, with_mines

from board import Game, Layout, Problem, grid
from solvers import Deduction, Status, Unsupported
from solvers.counting import Counting
from solvers.enumeration import Enumeration

pytestmark = pytest.mark.slow  # the same kinds as in `test_counting`, many more of them

COUNTING = Counting()
EXACT = Counting(exact=True)
SMALL = Enumeration(max_models=3000, max_nodes=30_000)
CLOSE = 1e-9


def check(problem, models, fractions):
    """Both ways to count and to deduce give these models and shares (None where not covered, or without a model)."""
    status = Status.COMPLETE if models else Status.INCONSISTENT
    shares = np.array(fractions if models else [None] * problem.n, object)
    entailed = Deduction(np.array(shares == 0, np.bool_), np.array(shares == 1, np.bool_), status)
    probability = np.array([np.nan if share is None else float(share) for share in shares])
    exact, floats = EXACT.marginals(problem), COUNTING.marginals(problem)
    assert exact.models == models
    assert exact.fractions == (tuple(fractions) if models else None)
    for marginals in (exact, floats):
        np.testing.assert_allclose(marginals.probability, probability, rtol=CLOSE, atol=0)
        assert marginals.deduction() == entailed  # so 0 and 1 are exact, and the status right
        assert marginals.log_models == pytest.approx(math.log(models) if models else -math.inf, rel=CLOSE, abs=CLOSE)
    assert COUNTING.deduce(problem) == entailed
    assert EXACT.deduce(problem) == entailed


def check_numbered(number, problem, models, fractions):
    """`check`, which says in a failure which problem it was."""
    try:
        check(problem, models, fractions)
    except Exception as failure:
        cells = np.flatnonzero(problem.covered).tolist()
        failure.add_note(f"problem {number}: {list(map(str, problem.constraints))}, {cells}, mines={problem.mines}")
        raise


# --- against enumeration


def enumerated(number):
    """(problem, its marginals by enumeration): the first one drawn from this seed that has not too many models."""
    rng = np.random.default_rng(number)
    while True:
        problem = drawn_problem(rng)
        try:
            return problem, SMALL.marginals(problem)
        except Unsupported:
            continue


def check_enumerated(numbers):
    for number in numbers:
        problem, truth = enumerated(number)
        check_numbered(number, problem, truth.models, truth.fractions)


def test_equals_enumeration():
    check_enumerated(range(250))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 10_000, 1000))
def test_equals_enumeration_widely(first):
    check_enumerated(range(first, first + 1000))


def test_the_problems_are_of_all_kinds():
    kinds = Counter()
    for number in range(250):
        problem, truth = enumerated(number)
        stats = COUNTING.deduce(problem.local()).stats
        touched = np.unique(problem.cells).size
        if truth.models:
            kinds["components"] += stats["components"] >= 2
            kinds["open clues"] += stats["widest"] >= 10
            kinds["wide boxes"] += 0 < 3 * stats["boxes"] <= touched
            kinds["many models"] += truth.models >= 100
            kinds["by the mine count"] += COUNTING.deduce(problem.local()) != truth.deduction()
        else:
            kinds["no model, by sums"] += stats["boxes"] > 0
            kinds["no model, by the mine count"] += EXACT.marginals(problem.local()).models > 0
        kinds["untouched"] += touched < np.count_nonzero(problem.covered)
        kinds["local"] += problem.mines is None
        kinds["negative"] += problem.mines is not None and problem.mines < 0
        kinds["huge"] += problem.mines is not None and problem.mines > 2**30
    rare = {"negative": 1, "huge": 3, "open clues": 10}
    assert all(count >= rare.get(kind, 25) for kind, count in kinds.items()), kinds


# --- against a tally: boxes of any size


@cache
def binomials(n):
    return [math.comb(n, k) for k in range(n + 1)]


def tally(sizes, clues, mines):
    """(models, share of mines in each box), by adding up all ways to fill the boxes one after the other.

    Two partial ways with the same mines in every clue (the mine count is one more, over all boxes) are one row: how
    many ways, and how many mines they have in each box together.
    """
    clues = clues if mines is None else [*clues, (range(len(sizes)), mines)]
    scopes = [frozenset(scope) for scope, _ in clues]
    room = [sum(sizes[b] for b in scope) for scope in scopes]
    rows = {tuple(total for _, total in clues): [1] + [0] * len(sizes)}  # by the mines still to place
    for b, size in enumerate(sizes):
        room = [cells - size * (b in scope) for cells, scope in zip(room, scopes, strict=True)]
        inside = [i for i, scope in enumerate(scopes) if b in scope]
        after = {}
        for left, row in rows.items():
            for k in range(max([0, *(left[i] - room[i] for i in inside)]), min([size, *(left[i] for i in inside)]) + 1):
                ways = [binomials(size)[k] * x for x in row]
                ways[1 + b] = k * ways[0]
                state = tuple(x - k * (b in scope) for x, scope in zip(left, scopes, strict=True))
                after[state] = [x + y for x, y in zip(after[state], ways, strict=True)] if state in after else ways
        rows = after
    models, *in_box = rows.get((0,) * len(clues), [0] * (1 + len(sizes)))
    return models, [Fraction(x, size * models) if models else None for x, size in zip(in_box, sizes, strict=True)]


def spread_out(rng, sizes, clues, mines):
    """(problem, box of each cell): the boxes' cells in random order."""
    box = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    scopes = [(np.flatnonzero(np.isin(box, list(scope))).tolist(), total) for scope, total in clues]
    return Problem.from_sets(scopes, box.size, mines), box


def drawn_sizes(rng):
    """(sizes, clues over boxes, mines): small boxes, up to two of dozens of cells, and a last one, often untouched."""
    sizes = rng.integers(1, 6, int(rng.integers(2, 12)))
    large = rng.permutation(sizes.size)[: rng.integers(3)]
    sizes[large] = rng.integers(10, 120, large.size)
    sizes[-1] = rng.choice([1, 30, 990, 1500])
    few = np.minimum(rng.integers(0, 4, sizes.size), sizes)
    planted = np.where(rng.random(sizes.size) < 0.7, few, sizes - few)
    touched = sizes.size - int(rng.random() < 0.7)
    picks = rng.random((int(rng.integers(1, 9)), touched)) < rng.uniform(0.2, 0.6)
    clues = [(np.flatnonzero(pick).tolist(), int(planted[:touched][pick].sum())) for pick in picks]
    mines = None if rng.random() < 0.4 else max(int(planted.sum() + rng.integers(-2, 3)), 0)
    return sizes.tolist(), clues, mines


def check_tallied(numbers):
    for number in numbers:
        rng = np.random.default_rng(number)
        sizes, clues, mines = drawn_sizes(rng)
        models, shares = tally(sizes, clues, mines)
        problem, box = spread_out(rng, sizes, clues, mines)
        check_numbered(number, problem, models, [shares[b] for b in box.tolist()])


def test_the_tally_equals_enumeration():
    for number in range(60):
        problem, truth = enumerated(number)
        cells = np.flatnonzero(problem.covered).tolist()
        clues = [(list(map(cells.index, clue.scope)), clue.total) for clue in problem.constraints]
        models, shares = tally([1] * len(cells), clues, problem.mines)
        assert models == truth.models
        assert not models or shares == [truth.fractions[c] for c in cells]


def test_the_tally_by_hand():
    # one mine in {a, a, b}, two in {b, c, c, c}: (a 1, b 0, c 2) in 2 * 3 ways, (a 0, b 1, c 1) in 3
    assert tally([2, 1, 3], [([0, 1], 1), ([1, 2], 2)], None) == (9, [Fraction(1, 3), Fraction(1, 3), Fraction(5, 9)])
    assert tally([2, 1, 3], [([0, 1], 1), ([1, 2], 2)], 3)[0] == 6


def test_equals_the_tally():
    check_tallied(range(40))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 1200, 300))
def test_equals_the_tally_widely(first):
    check_tallied(range(first, first + 300))


@pytest.mark.parametrize("mines", [None, 75])
def test_states_of_several_words(mines):
    """A hub of two cells opens 40 clues at once, 80 bits; a poor order would have 3**40 states."""
    sizes = [2] + [3] * 40
    clues = [([0, i], 2) for i in range(1, 41)]
    models, shares = tally(sizes, clues, mines)
    for number in range(15):
        rng = np.random.default_rng(number)
        problem, box = spread_out(rng, sizes, [clues[i] for i in rng.permutation(40)], mines)
        assert COUNTING.deduce(problem).stats["widest"] == 40
        check_numbered(number, problem, models, [shares[b] for b in box.tolist()])


# --- against itself, on problems too large for both


def scattered(layout, share, rng):
    return layout.position(~layout.mines & (rng.random(layout.shape) < share))


def played(layout, rng, clicks):
    """The position after clicks on cells without a mine beside them."""
    game = Game(layout)
    for cell in rng.choice(np.flatnonzero(~layout.mines & (layout.clues == 0)), clicks).tolist():
        game.open(cell)
    return game.position()


@cache
def large(name):
    """A problem with the mine count of a model."""
    rng = np.random.default_rng(5)
    if name == "played":
        return played(Layout.random(30, 30, 180, rng), rng, 100).problem()
    if name == "systems":
        problem, mines = drawn_system(rng)
        for _ in range(40):
            more, planted = drawn_system(rng)
            if EXACT.marginals(more).models:
                problem, mines = side_by_side(problem, more), mines + planted
        return with_mines(problem, mines)
    if name == "crowd":  # so many clues open at once that a state takes several words
        sizes = rng.integers(2, 5, 16).tolist()
        filled = [int(rng.integers(1, size)) for size in sizes]
        picks = [rng.permutation(16)[:6].tolist() for _ in range(24)]
        clues = [(pick, sum(filled[b] for b in pick)) for pick in picks]
        both = side_by_side(spread_out(rng, sizes, clues, None)[0], large("web"))
        return with_mines(both, sum(filled) + large("web").mines)
    rows, columns, mines, share = SCATTERED[name]
    kind = "grid" if name == "expert" else name
    layout = Layout.random(rows, columns, mines, rng, topology=board_of(kind, rows, columns))
    return scattered(layout, share, rng).problem()


SCATTERED = {
    "expert": (16, 30, 99, 0.4),
    "torus": (16, 16, 51, 0.4),
    "hexagonal": (24, 24, 150, 0.4),
    "knight": (18, 18, 75, 0.35),
    "web": (1, 90, 30, 0.35),
}
LARGE = [*SCATTERED, "played", "systems", "crowd"]


@pytest.fixture(params=[(name, mines) for name in LARGE for mines in ("local", "global")], ids="-".join)
def large_problem(request):
    name, question = request.param
    return large(name) if question == "global" else large(name).local()


def test_the_large_problems_are_large():
    """Many models; some have many components, some many states, and one has wide ones."""
    stats = {name: COUNTING.deduce(large(name)).stats for name in LARGE}
    assert all(EXACT.marginals(large(name)).models >= 1000 for name in LARGE)
    assert sum(s["components"] >= 10 for s in stats.values()) >= 3, stats
    assert sum(s["peak_states"] >= 100 for s in stats.values()) >= 4, stats
    assert stats["crowd"]["widest"] >= 20, stats


def check_like(problem, like, cell_of=None):
    """The problem counts as `like` does, whose cell c is the problem's cell `cell_of[c]`."""
    truth = EXACT.marginals(like)
    assert truth.models
    shares = np.full(problem.n, None, object)
    shares[np.arange(like.n) if cell_of is None else cell_of] = truth.fractions
    check(problem, truth.models, shares.tolist())


def side_by_side(one, other):
    """The clues of both, the cells of `other` after those of `one`; no mine count."""
    covered = np.concatenate([one.covered, other.covered])
    indptr = np.concatenate([one.indptr, one.indptr[-1] + other.indptr[1:]])
    cells = np.concatenate([one.cells, other.cells + one.n])
    return Problem(covered, indptr, cells, np.concatenate([one.totals, other.totals]))


def with_clues(problem, clues):
    """The problem with more clues, its own ones first."""
    cells = np.flatnonzero(problem.covered).tolist()
    return Problem.from_sets([*problem.constraints, *clues], problem.n, problem.mines, cells)


def counts_of(marginals):
    """The models in which each cell is a mine, as integers; 0 where not covered."""
    shares = np.array([share or Fraction(0) for share in marginals.fractions], object) * marginals.models
    assert all(count.denominator == 1 for count in shares)
    return shares


@pytest.mark.parametrize("seed", [1, 2])
def test_names_and_order_do_not_matter(large_problem, seed):
    rng = np.random.default_rng(seed)
    clues = list(large_problem.constraints)
    name = rng.permutation(large_problem.n)
    renamed = [(name[list(clues[i].scope)].tolist(), clues[i].total) for i in rng.permutation(len(clues))]
    covered = name[large_problem.covered].tolist()
    check_like(Problem.from_sets(renamed, large_problem.n, large_problem.mines, covered), large_problem, name)


def test_implied_clues_change_nothing(large_problem):
    rng = np.random.default_rng(3)
    clues = list(large_problem.constraints)
    picked = [clues[i] for i in rng.permutation(len(clues))[:12]]
    pairs = [(a, b) for i, a in enumerate(picked) for b in picked[:i] if not a.scope & b.scope]
    sums = [(a.scope | b.scope, a.total + b.total) for a, b in pairs[:3]]
    assert sums
    check_like(with_clues(large_problem, [*picked[:6], *sums, ((), 0)]), large_problem)


def test_a_clue_split_in_two_parts(large_problem):
    """One more cell that is a mine, or safe: a clue with it says the same of the others."""
    clues = list(large_problem.constraints)
    n = large_problem.n
    extra = [(clue.scope | {n + i}, clue.total + i % 2) for i, clue in enumerate(clues[:8])]
    ends = [({n + i}, i % 2) for i in range(len(extra))]
    covered = [*np.flatnonzero(large_problem.covered).tolist(), *range(n, n + len(extra))]
    mines = large_problem.mines if large_problem.mines is None else large_problem.mines + len(extra) // 2
    made = Problem.from_sets([*extra, *ends, *clues[8:]], n + len(extra), mines, covered)
    truth = EXACT.marginals(large_problem)
    check(made, truth.models, [*truth.fractions, *(Fraction(i % 2) for i in range(len(extra)))])


def test_the_complement(large_problem):
    """Mines for safe cells: every share p becomes 1 - p."""
    p = large_problem
    mines = None if p.mines is None else int(p.covered.sum()) - p.mines
    truth = EXACT.marginals(p)
    fractions = [None if share is None else 1 - share for share in truth.fractions]
    check(Problem(p.covered, p.indptr, p.cells, np.diff(p.indptr) - p.totals, mines), truth.models, fractions)


def test_one_cell_known(large_problem):
    """With a cell safe and with it a mine: the models add up, and so do the models in which any other is a mine."""
    truth = EXACT.marginals(large_problem)
    counts = counts_of(truth)
    open_cells = [c for c, share in enumerate(truth.fractions) if share is not None and 0 < share < 1]
    for cell in np.random.default_rng(4).choice(open_cells, 3, replace=False).tolist():
        safe, mine = (EXACT.marginals(with_clues(large_problem, [({cell}, total)])) for total in (0, 1))
        assert mine.models == counts[cell]
        assert safe.models + mine.models == truth.models
        assert (counts_of(safe) + counts_of(mine) == counts).all()


@pytest.mark.parametrize(("one", "other"), [("expert", "web"), ("torus", "systems"), ("played", "played")])
def test_independent_problems_multiply(one, other):
    one, other = large(one).local(), large(other).local()
    both = EXACT.marginals(one), EXACT.marginals(other)
    models = both[0].models * both[1].models
    check(side_by_side(one, other), models, [*both[0].fractions, *both[1].fractions])


@pytest.mark.parametrize("number", range(12))
def test_every_mine_count_together_is_none(number):
    """Over all mine counts, models add up to those of the local question; two problems side by side convolve."""
    rng = np.random.default_rng(number)
    one = (drawn_board(rng, most=60) if number % 2 else drawn_system(rng))[0]
    local = EXACT.marginals(one)
    by_mines = [EXACT.marginals(with_mines(one, mines)) for mines in range(one.n + 1)]
    assert sum(m.models for m in by_mines) == local.models
    if local.models:
        together = sum(counts_of(m) for m in by_mines if m.models)
        assert (together == counts_of(local)).all()
    both, mines = side_by_side(one, one), one.n // 3
    models = sum(by_mines[k].models * by_mines[mines - k].models for k in range(mines + 1))
    assert EXACT.marginals(with_mines(both, mines)).models == models


@pytest.mark.parametrize("number", range(12))
def test_the_mine_count_is_a_clue_over_all_cells(number):
    """A scope over every cell, and every other clue within it."""
    rng = np.random.default_rng(number)
    problem, mines = drawn_board(rng, most=50) if number % 2 else drawn_system(rng)
    marginals = EXACT.marginals(with_mines(problem, mines))
    clue = (np.flatnonzero(problem.covered).tolist(), mines)
    check(with_clues(problem, [clue]), marginals.models, marginals.fractions)


# --- against what sums must be, on big boards


def check_sums(problem, layout, exact):
    """Shares are where cells are covered, add up for every clue and for the board, and fit what is deduced."""
    covered, mined = problem.covered, layout.mines.reshape(-1)
    floats, deduction = COUNTING.marginals(problem), COUNTING.deduce(problem)
    p = floats.probability
    assert floats.status is Status.COMPLETE
    assert math.isfinite(floats.log_models)
    assert np.array_equal(np.isnan(p), ~covered)
    assert ((p >= 0) & (p <= 1))[covered].all()
    assert (p[covered & mined] > 0).all()
    assert (p[covered & ~mined] < 1).all()
    assert deduction == floats.deduction()
    sums = np.add.reduceat(p[problem.cells], problem.indptr[:-1])
    np.testing.assert_allclose(sums, problem.totals, rtol=CLOSE, atol=CLOSE)
    if problem.mines is not None:
        assert p[covered].sum() == pytest.approx(problem.mines, rel=CLOSE)
    if not exact:
        return
    truth = EXACT.marginals(problem)
    np.testing.assert_allclose(p, truth.probability, rtol=CLOSE, atol=0)
    assert floats.log_models == pytest.approx(truth.log_models, rel=CLOSE)
    assert deduction == truth.deduction() == EXACT.deduce(problem)
    by_share = {id(share): share.numerator * (truth.models // share.denominator) for share in truth.fractions if share}
    counts = [by_share.get(id(share), 0) for share in truth.fractions]
    assert problem.mines is None or sum(counts) == problem.mines * truth.models
    assert all(sum(counts[c] for c in clue.scope) == clue.total * truth.models for clue in problem.constraints)


def opened(size, how, seed):
    """(layout at 20 %, position): so large a share of the safe cells opened, or so many clicks played."""
    rng = np.random.default_rng(seed)
    layout = Layout.random(size, size, size * size // 5, rng, topology=grid(size, size))
    return layout, played(layout, rng, how) if isinstance(how, int) else scattered(layout, how, rng)


slow = pytest.mark.slow


@pytest.mark.parametrize("question", ["local", "global"])
@pytest.mark.parametrize(
    ("size", "how", "exact"),
    [
        (60, 0.1, True),
        (60, 0.6, True),
        (60, 10, True),
        (100, 0.6, True),
        (100, 0.9, True),
        (100, 40, True),
        (200, 0.7, True),
        (200, 0.2, False),
        pytest.param(60, 0.2, True, marks=slow),
        pytest.param(100, 0.15, True, marks=slow),
        pytest.param(200, 0.6, True, marks=slow),
        pytest.param(200, 100, True, marks=slow),
        pytest.param(200, 0.05, False, marks=slow),
    ],
)
def test_sums_on_big_boards(size, how, exact, question):
    layout, position = opened(size, how, size)
    problem = position.problem()
    check_sums(problem if question == "global" else problem.local(), layout, exact)
