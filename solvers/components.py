"""What the SAT and CP-SAT backends start from: components, boxes of variables, bounds on their mines.

The problem comes stripped of what single clues settle (:mod:`solvers.boxes`), in components of boxes
(:mod:`solvers.splitting`). Cheap bounds on the mines of each component then tell most positions on which the mine count
cannot matter. The same form holds a problem that is not stripped, grouped or rid of its untouched cells, for
experiments on what each of these is worth.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from board.problem import Problem
from solvers.boxes import MINE, NOT_COVERED, SAFE, UNTOUCHED
from solvers.splitting import Place, split_arrays


class Components(NamedTuple):
    """The stripped problem in variables. v variables, b boxes, m constraints, k components.

    Variable x is the cell `cells[x - 1]`. Box j holds the variables `boxes[j] + 1 .. boxes[j + 1]`, component i
    the boxes `components[i] .. components[i + 1] - 1` and the constraints `rows[i] .. rows[i + 1] - 1`; the scope of
    constraint r is `variables[indptr[r]:indptr[r + 1]]`, ascending.
    """

    consistent: bool  # False: the clues contradict each other, and the rest means nothing
    place: Place  # (n,) the cell's box, or MINE, SAFE, UNTOUCHED, NOT_COVERED
    placed: int  # mines that single clues settle
    untouched: int  # covered cells in no constraint
    cells: list[int]  # v
    boxes: list[int]  # b + 1
    components: list[int]  # k + 1
    rows: list[int]  # k + 1
    indptr: list[int]  # m + 1
    variables: list[int]
    totals: list[int]  # m
    least: list[int]  # k: no model has fewer mines in the component
    most: list[int]  # k: nor more


def split(problem: Problem) -> Components:
    """The components of a problem's constraints.

    >>> components = split(Problem.from_sets([({0, 1}, 1), ({1, 2, 3}, 2), ({5}, 1)], n=7))
    >>> components.cells, components.untouched, components.placed
    ([0, 1, 2, 3], 2, 1)
    """
    place, packed = split_arrays(problem.covered, problem.indptr, problem.cells, problem.totals)
    numbers = packed.tolist()
    consistent, placed, untouched, v, b, k, m, w = numbers[:8]
    fields = []
    first = 8
    for size in (v, b + 1, k + 1, k + 1, m + 1, w, m, k, k):
        fields.append(numbers[first : first + size])
        first += size
    return Components(bool(consistent), place, placed, untouched, *fields)


def unsplit(problem: Problem) -> Components:
    """The problem as it stands: one component, nothing stripped or merged, each cell of a constraint its own box.

    >>> unsplit(Problem.from_sets([({0, 1}, 1), ({1, 2, 3}, 2), ({5}, 1)], n=7)).cells
    [0, 1, 2, 3, 5]
    """
    touched = np.zeros(problem.n, np.bool_)
    touched[problem.cells] = True
    cells = np.flatnonzero(touched).tolist()
    v = len(cells)
    place = np.where(problem.covered, UNTOUCHED, NOT_COVERED)
    place[cells] = np.arange(v)
    return Components(
        consistent=True,
        place=place,
        placed=0,
        untouched=int(np.count_nonzero(place == UNTOUCHED)),
        cells=cells,
        boxes=list(range(v + 1)),
        components=[0, v],
        rows=[0, problem.totals.size],
        indptr=problem.indptr.tolist(),
        variables=(place[problem.cells] + 1).tolist(),
        totals=problem.totals.tolist(),
        least=[0],
        most=[v],
    )


def with_untouched(components: Components) -> Components:
    """The untouched cells, if any, as variables, too: one more component of one more box."""
    if not components.untouched:
        return components
    more = np.flatnonzero(components.place == UNTOUCHED).tolist()
    boxes = len(components.boxes) - 1
    place = components.place.copy()
    place[more] = boxes
    return components._replace(
        place=place,
        untouched=0,
        cells=[*components.cells, *more],
        boxes=[*components.boxes, len(components.cells) + len(more)],
        components=[*components.components, boxes + 1],
        rows=[*components.rows, components.rows[-1]],
        least=[*components.least, 0],
        most=[*components.most, len(more)],
    )


def ungrouped(components: Components) -> Components:
    """Each variable a box of its own."""
    place = components.place.copy()
    place[components.cells] = np.arange(len(components.cells))
    return components._replace(
        place=place,
        boxes=list(range(len(components.cells) + 1)),
        components=[components.boxes[j] for j in components.components],
    )


def effect_of_count(components: Components, mines: int | None) -> Literal["none", "some", "no model"]:
    """What cheap bounds say about a mine count: can it matter beside the clues, and can there be a model?

    "none" holds for every model of the clues: the untouched cells take up what is left, and each of them can be either.
    """
    if mines is None:
        return "none"
    left = mines - components.placed
    least, most = sum(components.least), sum(components.most)
    untouched = components.untouched
    if not least <= left <= most + untouched:
        return "no model"
    edge = untouched > 0
    return "none" if most + edge <= left and left + edge <= least + untouched else "some"


def masks(components: Components, safe: list[int], mines: list[int]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """(safe cells, mines), bool[n]: those that single clues settle, and the boxes listed.

    The number after the last box stands for the untouched cells.
    """
    size = len(components.boxes) + 4  # an entry a box, one for the untouched cells; the other places are negative
    safe_of, mine_of = bytearray(size), bytearray(size)
    for j in safe:
        safe_of[j] = 1
    for j in mines:
        mine_of[j] = 1
    safe_of[SAFE] = mine_of[MINE] = 1
    safe_of[UNTOUCHED], mine_of[UNTOUCHED] = safe_of[size - 5], mine_of[size - 5]
    place = components.place
    return np.frombuffer(safe_of, np.bool_)[place], np.frombuffer(mine_of, np.bool_)[place]
