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
from solvers.splitting import Int32, Place, split_arrays


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
    cells: Int32  # (v,)
    boxes: Int32  # (b + 1,)
    components: Int32  # (k + 1,)
    rows: Int32  # (k + 1,)
    indptr: Int32  # (m + 1,)
    variables: Int32
    totals: Int32  # (m,)
    least: Int32  # (k,) no model has fewer mines in the component
    most: Int32  # (k,) nor more


def split(problem: Problem) -> Components:
    """The components of a problem's constraints.

    >>> components = split(Problem.from_sets([({0, 1}, 1), ({1, 2, 3}, 2), ({5}, 1)], n=7))
    >>> components.cells.tolist(), components.untouched, components.placed
    ([0, 1, 2, 3], 2, 1)
    """
    place, packed = split_arrays(problem.covered, problem.indptr, problem.cells, problem.totals)
    consistent, placed, untouched, v, b, k, m, w = packed[:8].tolist()
    fields = []
    first = 8
    for size in (v, b + 1, k + 1, k + 1, m + 1, w, m, k, k):
        fields.append(packed[first : first + size])
        first += size
    return Components(bool(consistent), place, placed, untouched, *fields)


def unsplit(problem: Problem) -> Components:
    """The problem as it stands: one component, nothing stripped or merged, each cell of a constraint its own box.

    >>> unsplit(Problem.from_sets([({0, 1}, 1), ({1, 2, 3}, 2), ({5}, 1)], n=7)).cells.tolist()
    [0, 1, 2, 3, 5]
    """
    touched = np.zeros(problem.n, np.bool_)
    touched[problem.cells] = True
    cells = np.flatnonzero(touched).astype(np.int32)
    v = cells.size
    place = np.where(problem.covered, UNTOUCHED, NOT_COVERED)
    place[cells] = np.arange(v)
    return Components(
        consistent=True,
        place=place,
        placed=0,
        untouched=int(np.count_nonzero(place == UNTOUCHED)),
        cells=cells,
        boxes=np.arange(v + 1, dtype=np.int32),
        components=np.array([0, v], np.int32),
        rows=np.array([0, problem.totals.size], np.int32),
        indptr=problem.indptr,
        variables=(place[problem.cells] + 1).astype(np.int32),
        totals=problem.totals,
        least=np.zeros(1, np.int32),
        most=np.array([v], np.int32),
    )


def with_untouched(components: Components) -> Components:
    """The untouched cells, if any, as variables, too: one more component of one more box."""
    if not components.untouched:
        return components
    more = np.flatnonzero(components.place == UNTOUCHED).astype(np.int32)
    boxes = len(components.boxes) - 1
    place = components.place.copy()
    place[more] = boxes
    return components._replace(
        place=place,
        untouched=0,
        cells=np.concatenate([components.cells, more]),
        boxes=np.append(components.boxes, np.int32(components.cells.size + more.size)),
        components=np.append(components.components, np.int32(boxes + 1)),
        rows=np.append(components.rows, components.rows[-1]),
        least=np.append(components.least, np.int32(0)),
        most=np.append(components.most, np.int32(more.size)),
    )


def ungrouped(components: Components) -> Components:
    """Each variable a box of its own."""
    place = components.place.copy()
    place[components.cells] = np.arange(components.cells.size)
    return components._replace(
        place=place,
        boxes=np.arange(components.cells.size + 1, dtype=np.int32),
        components=components.boxes[components.components],
    )


def effect_of_count(components: Components, mines: int | None) -> Literal["none", "some", "no model"]:
    """What cheap bounds say about a mine count: can it matter beside the clues, and can there be a model?

    "none" holds for every model of the clues: the untouched cells take up what is left, and each of them can be either.
    """
    if mines is None:
        return "none"
    left = mines - components.placed
    least, most = sum(components.least.tolist()), sum(components.most.tolist())
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
