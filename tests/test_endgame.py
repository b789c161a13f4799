"""Exact search: published optima of tiny boards, and a plain search over all clicks."""

from functools import cache
from itertools import product

import numpy as np
import pytest

from board.topology import grid
from solvers.endgame import Endgame, layouts, optimum

ANY = {
    (3, 3, 1): (8, 9),
    (3, 3, 2): (24, 36),
    (3, 3, 3): (33, 84),
    (3, 3, 4): (27, 126),
    (3, 4, 3): (124, 220),
    (3, 4, 4): (173, 495),
    (4, 4, 1): (15, 16),
    (4, 4, 2): (102, 120),
    (4, 4, 3): (400, 560),
    (3, 5, 3): (299, 455),
    (4, 4, 4): (961, 1820),
    (4, 5, 3): (864, 1140),
    (4, 4, 5): (1461, 4368),
}
SAFE = {
    (3, 3, 3): (33, 56),
    (3, 4, 3): (124, 165),
    (3, 4, 4): (173, 330),
    (4, 4, 3): (400, 455),
    (3, 5, 3): (299, 364),
    (4, 4, 4): (961, 1365),
    (4, 5, 3): (864, 969),
    (4, 4, 5): (1461, 3003),
}


def marked(known, quick):
    return [
        pytest.param(*case, known[case], marks=() if i < quick else pytest.mark.slow) for i, case in enumerate(known)
    ]


@pytest.mark.parametrize(("rows", "columns", "mines", "expected"), marked(ANY, 10))
def test_first_click_may_hit(rows, columns, mines, expected):
    search = Endgame(layouts(rows * columns, mines), grid(rows, columns))
    assert (search.wins(), search.count) == expected


@pytest.mark.parametrize(("rows", "columns", "mines", "expected"), marked(SAFE, 3))
def test_first_click_safe(rows, columns, mines, expected):
    assert optimum(grid(rows, columns), mines, "safe")[:2] == expected


def test_optimum_names_a_first_cell():
    """On 1 x 3 with one mine: a middle cell first shows 1 or loses; an end first shows where the mine is."""
    assert optimum(grid(1, 3), 1) == (2, 3, 0)
    assert optimum(grid(1, 5), 1, "opening") == (3, 3, 0)
    assert optimum(grid(3, 3), 0)[:2] == optimum(grid(3, 3), 8, "safe")[:2] == (1, 1)


@pytest.mark.parametrize(
    ("rows", "columns", "mines", "rule", "message"),
    [
        (5, 5, 8, "any", "1,081,575 layouts are over 10,000"),
        (200, 45, 1, "any", "9,000 layouts of 9,000 cells are too many"),
        (3, 3, 3, "bogus", "unknown first-click rule 'bogus'"),
        (3, 3, 2.5, "any", "not 2.5"),
        (3, 3, -1, "any", "not -1"),
        (2, 2, 1, "opening", "no layout of 1 mines on 4 cells"),
    ],
)
def test_no_optimum(rows, columns, mines, rule, message):
    with pytest.raises(ValueError, match=message):
        optimum(grid(rows, columns), mines, rule)


def plain(models, topology):
    """The same from the definition: every covered cell is tried, and the game is followed model by model."""
    n = models.shape[1]
    clues = [[int(model[topology.of(cell)].sum()) for cell in range(n)] for model in models]

    @cache
    def wins(left, opened):
        done = [m for m in left if all(models[m][c] or c in opened for c in range(n))]
        if done:
            assert len(left) == 1
            return 1
        best = 0
        for cell in range(n):
            if cell in opened:
                continue
            groups = {}
            for m in left:
                if not models[m][cell]:
                    groups.setdefault(clues[m][cell], []).append(m)
            best = max(best, sum(wins(tuple(group), opened | {cell}) for group in groups.values()))
        return best

    return wins(tuple(range(len(models))), frozenset())


@pytest.mark.parametrize(("rows", "columns"), [(1, 4), (2, 2), (2, 3), (3, 3)])
def test_equals_a_plain_search(rows, columns):
    rng = np.random.default_rng(rows * columns)
    for mines, _ in product(range(1, rows * columns - 1), range(4)):
        models = layouts(rows * columns, mines)
        models = models[rng.random(len(models)) < 0.6][:12]
        if len(models):
            assert Endgame(models, grid(rows, columns)).wins() == plain(models, grid(rows, columns))
