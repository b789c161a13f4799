"""What `subset` and `minmax` share: a table of clauses, closed under a rule that takes two overlapping ones.

A clause is a set of cells with two bounds: at most `mines` of its cells are mines and at most `safes` are
safe, that is {size - safes <= cells <= mines}. Known cells are taken out of clauses.

Clauses wait on a stack. One is taken, simplified and paired with those *active* clauses that share a cell
with it, before it becomes active itself; so each pair meets once. What a pair entails goes onto the stack.
For each cell a linked list of the active clauses that hold it gives the size of every overlap in one walk:
pairs that share nothing are never looked at, and scopes may have any size.

The stack is int32[]: for each waiting clause its cells, ascending, then its size, mines, safes and home. The
home is the clue whose scope holds the clause. Arrays grow by doubling.

The scheme is the given-clause loop of saturation theorem provers: W. McCune, *Otter 3.0 reference manual and
guide* (Argonne National Laboratory, 1994).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from board.problem import Cells
from solvers.compiled import ZERO, Integer, part
from solvers.single import MINE, SAFE, UNKNOWN, Known

CELL, NEXT, ROW = 0, 1, 2  # columns of Table.nodes
BEGIN, SIZE, MINES, SAFES, HOME, SHARED = 0, 1, 2, 3, 4, 5  # columns of Table.rows
_FOOT = 4  # what follows the cells of a clause on the stack


class Clause(NamedTuple):
    """The clause in hand; its cells are the first free nodes of the table. Size 0: none, -1: a contradiction."""

    size: Integer
    mines: Integer
    safes: Integer
    home: Integer


class Table(NamedTuple):
    """The active clauses.

    nodes: int32[:, 3]; a cell of a clause, the next node of the same cell, the clause's row. A clause's nodes
        lie side by side, cells ascending.
    rows: int32[:, 6]; for each clause its first node, size (0 when it was dropped), mines, safes, home, and
        the number of cells it shares with the clause in hand, 0 between two of them.
    kept: int32[clues]; how many active clauses have this home.
    head: int32[cells]; the cell's first node or -1.
    touched: int32[]; the rows that share a cell with the clause in hand.
    """

    nodes: Cells
    rows: Cells
    kept: Cells
    head: Cells
    touched: Cells


@part
def _grown(array: NDArray[Any], need: Integer) -> NDArray[Any]:
    bigger = np.empty((max(need, 2 * array.shape[0]),) + array.shape[1:], array.dtype)  # noqa: RUF005
    old, new = array.ravel(), bigger.ravel()  # views
    for i in range(old.size):
        new[i] = old[i]
    return bigger


@part
def load(indptr: Cells, cells: Cells, totals: Cells, known: Known, waiting: Cells) -> tuple[Cells, Integer, Table]:
    """(A stack of the waiting clues, its top, an empty table). The first clue is taken first."""
    need = 64
    for clue in waiting:
        need += indptr[clue + 1] - indptr[clue] + _FOOT
    stack = np.empty(2 * need, np.int32)
    top = ZERO
    for w in range(waiting.size - 1, -1, -1):
        clue = waiting[w]
        begin, mines = top, totals[clue]
        for i in range(indptr[clue], indptr[clue + 1]):
            if known[cells[i]] == UNKNOWN:
                stack[top] = cells[i]
                top += 1
            elif known[cells[i]] == MINE:
                mines -= 1
        top = _finish(stack, begin, top, mines, top - begin - mines, clue)
    table = Table(
        np.empty((2 * need, 3), np.int32),
        np.empty((4 * waiting.size + 16, 6), np.int32),
        np.zeros(totals.size, np.int32),
        np.full(known.size, -1, np.int32),
        np.empty(4 * waiting.size + 16, np.int32),
    )
    return stack, top, table


@part
def _finish(stack: Cells, begin: Integer, top: Integer, mines: Integer, safes: Integer, home: Integer) -> Integer:
    """Close the clause whose cells are stack[begin:top]; the new top."""
    stack[top] = top - begin
    stack[top + 1] = mines
    stack[top + 2] = safes
    stack[top + 3] = home
    return top + _FOOT


@part
def push(
    stack: Cells,
    top: Integer,
    nodes: Cells,
    a: Integer,
    a_end: Integer,
    b: Integer,
    b_end: Integer,
    mines: Integer,
    safes: Integer,
    home: Integer,
) -> tuple[Cells, Integer]:
    """Make a clause over the cells of nodes[a:a_end] that are not in nodes[b:b_end] wait. Returns (stack, top)."""
    if top + a_end - a + _FOOT > stack.size:
        stack = _grown(stack, top + a_end - a + _FOOT)
    begin = top
    for i in range(a, a_end):
        cell = nodes[i, CELL]
        while b < b_end and nodes[b, CELL] < cell:
            b += 1
        if b == b_end or nodes[b, CELL] != cell:
            stack[top] = cell
            top += 1
    return stack, _finish(stack, begin, top, mines, safes, home)


@part
def drop(table: Table, row: Integer) -> None:
    """Make a clause inactive. Its nodes leave the lists when these are walked next."""
    table.rows[row, SIZE] = 0
    table.kept[table.rows[row, HOME]] -= 1


@part
def _learn(
    stack: Cells, top: Integer, table: Table, used: Integer, clause: Clause, known: Known
) -> tuple[Cells, Integer]:
    """Settle the cells of the clause in hand, and make the clauses that hold them wait again."""
    nodes, rows = table.nodes, table.rows
    for i in range(used, used + clause.size):
        cell = nodes[i, CELL]
        known[cell] = MINE if clause.mines else SAFE
        node = table.head[cell]
        while node >= 0:
            row = nodes[node, ROW]
            node = nodes[node, NEXT]
            begin, size = rows[row, BEGIN], rows[row, SIZE]
            if size:
                drop(table, row)
                end, mines, safes, home = begin + size, rows[row, MINES], rows[row, SAFES], rows[row, HOME]
                stack, top = push(stack, top, nodes, begin, end, ZERO, ZERO, mines, safes, home)
    return stack, top


@part
def take(stack: Cells, top: Integer, table: Table, used: Integer, known: Known) -> tuple[Cells, Integer, Table, Clause]:
    """Take clauses from the stack until one is open, and learn from those that are settled.

    Returns (stack, top, table, clause); the clause's cells are in nodes[used : used + size].
    """
    while top:
        size, mines, safes, home = stack[top - 4], stack[top - 3], stack[top - 2], stack[top - 1]
        top -= size + _FOOT
        if used + size > table.nodes.shape[0]:
            nodes = _grown(table.nodes, used + size)
            table = Table(nodes, table.rows, table.kept, table.head, table.touched)
        end = used
        for i in range(top, top + size):
            state = known[stack[i]]
            if state == UNKNOWN:
                table.nodes[end, CELL] = stack[i]
                end += 1
            mines -= state == MINE
            safes -= state == SAFE
        size = end - used
        if mines < 0 or safes < 0 or mines + safes < size:
            return stack, top, table, Clause(-1, 0, 0, 0)
        clause = Clause(size, min(mines, size), min(safes, size), np.int64(home))
        if mines == 0 or safes == 0:
            stack, top = _learn(stack, top, table, used, clause, known)
        elif mines < size or safes < size:
            return stack, top, table, clause
    return stack, top, table, Clause(0, 0, 0, 0)


@part
def overlap(table: Table, used: Integer, clause: Clause) -> Integer:
    """Count the cells that each active clause shares with the one in hand; how many rows are touched."""
    nodes, rows = table.nodes, table.rows
    hits = 0
    for i in range(used, used + clause.size):
        cell = nodes[i, CELL]
        before = -1
        node = table.head[cell]
        while node >= 0:
            row, after = nodes[node, ROW], nodes[node, NEXT]
            if rows[row, SIZE]:
                if rows[row, SHARED] == 0:
                    table.touched[hits] = row
                    hits += 1
                rows[row, SHARED] += 1
                before = node
            elif before < 0:
                table.head[cell] = after
            else:
                nodes[before, NEXT] = after
            node = after
    return hits


@part
def forget(table: Table, hits: Integer) -> None:
    """Set the counts of the touched rows back to 0."""
    for t in range(hits):
        table.rows[table.touched[t], SHARED] = 0


@part
def activate(table: Table, used: Integer, clause: Clause, row: Integer) -> Table:
    """Make the clause in hand the next row."""
    if row == table.rows.shape[0]:
        rows = _grown(table.rows, row + 1)
        table = Table(table.nodes, rows, table.kept, table.head, np.empty(rows.shape[0], np.int32))
    entry = table.rows[row]
    entry[BEGIN], entry[SIZE], entry[HOME], entry[SHARED] = used, clause.size, clause.home, 0
    entry[MINES], entry[SAFES] = clause.mines, clause.safes
    table.kept[clause.home] += 1
    for i in range(used, used + clause.size):
        cell = table.nodes[i, CELL]
        table.nodes[i, NEXT] = table.head[cell]
        table.nodes[i, ROW] = row
        table.head[cell] = i
    return table
