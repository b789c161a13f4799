"""Positions in other programs' files: `.mine` of JSMinesweeper, text, boards and rules of minesweepr.

Sources: D. N. Hill, JSMinesweeper, https://github.com/DavidNHill/JSMinesweeper; minesweepr,
https://github.com/mrgriscom/minesweepr.

A mine that a file calls known is read as a hit one: like that, it is taken off its neighbours' clues and off the
mine count, and no longer asked about. A flag is a player's mark and stays one.
"""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np

from board.decoding import (
    FLAGGED,
    MOST_CELLS,
    MOST_MINES,
    bounded,
    json_of,
    needed_mines,
    on_grid,
    position_of,
    rows_of,
    shown,
    symbols_of,
    text_of,
    values_of,
    whole_of,
)
from board.position import COVERED, HIT, Position
from board.topology import Topology

_DIGITS = {clue: str(clue) for clue in range(9)}
_MINE = {**_DIGITS, COVERED: "H", FLAGGED: "F", HIT: "?"}
_MINESWEEPR = {**_DIGITS, 0: ".", COVERED: "x", HIT: "*"}
_HEADER = re.compile(r"[ \t]*([0-9]{1,9})x([0-9]{1,9})x([0-9]{1,9})[ \t]*\r?(?:\n|$)")


def looks_like_mine(text: str) -> bool:
    """Whether the first line is that of a `.mine` file."""
    return _HEADER.match(text) is not None


def read_text(content: bytes) -> Position:
    """The position of the project's own text."""
    return Position.parse(rows_of(text_of(content)))


def write_text(position: Position) -> bytes:
    """The project's own text."""
    on_grid(position, "text")
    return f"{position.text()}\n".encode()


def read_mine(content: bytes) -> Position:
    """`.mine`: a line WxHxM, then H rows; `H` covered, `F` flagged, `?` a known mine, digits."""
    text = text_of(content)
    header = _HEADER.match(text)
    if header is None:
        raise ValueError(f"line 1 is WIDTHxHEIGHTxMINES, not {shown(text.partition(chr(10))[0])}")
    columns, rows, mines = map(int, header.groups())
    bounded(rows, columns)
    codes = symbols_of("\n" + text[header.end() :], "board", _MINE)  # lines keep their numbers
    if codes.shape != (rows, columns):
        raise ValueError(f"line 1 says {columns} columns x {rows} rows, and {codes.shape[1]} x {codes.shape[0]} follow")
    return position_of(codes, mines)


def write_mine(position: Position) -> bytes:
    """What :func:`read_mine` reads back."""
    rows = ["".join(row) for row in values_of(position, "mine", _MINE)]
    mines = needed_mines(position, "mine")
    return "\n".join([f"{position.shape[1]}x{position.shape[0]}x{mines}", *rows, ""]).encode()


def read_minesweepr(content: bytes) -> Position:
    """minesweepr's text: `x` unknown, `*` a known mine, `.` no mine beside it, digits."""
    return position_of(symbols_of(text_of(content), "board", _MINESWEEPR))


def write_minesweepr(position: Position) -> bytes:
    """What :func:`read_minesweepr` reads back. Flags and the mine count are left out."""
    return "".join(["".join(row) + "\n" for row in values_of(position, "minesweepr", _MINESWEEPR)]).encode()


def read_board(content: bytes) -> Position:
    """`{"board": minesweepr's text, "total_mines": N}`."""
    payload = json_of(content)
    if not isinstance(payload, dict) or not isinstance(payload.get("board"), str):
        raise ValueError('an object is needed whose "board" is a text')
    mines = whole_of(payload.get("total_mines"), "total_mines", MOST_MINES)
    try:
        return position_of(symbols_of(payload["board"], "board", _MINESWEEPR), mines)
    except ValueError as wrong:
        raise ValueError(f"board: {wrong}") from None


def write_board(position: Position) -> bytes:
    """What :func:`read_board` reads back. Flags are left out."""
    rows = ["".join(row) for row in values_of(position, "minesweepr-json", _MINESWEEPR)]
    payload = {"board": "\n".join(rows), "total_mines": needed_mines(position, "minesweepr-json")}
    return f"{json.dumps(payload)}\n".encode()


def read_rules(content: bytes) -> Position:
    """`{"rules": [{"num_mines", "cells"}], "total_cells", "total_mines"}`: as clues on a board that is a graph.

    Its cells, in one row, are the tags in the order in which the rules name them first, the cells in no rule, then
    an opened cell a rule with these neighbours. The tags themselves are not kept.
    """
    payload = json_of(content)
    if not isinstance(payload, dict) or not isinstance(payload.get("rules"), list):
        raise ValueError('an object is needed whose "rules" is a list')
    if "mine_prob" in payload:
        raise ValueError("mine_prob: a density of mines is no mine count; total_cells and total_mines are needed")
    total = whole_of(payload.get("total_cells"), "total_cells", MOST_CELLS)
    mines = whole_of(payload.get("total_mines"), "total_mines", MOST_MINES)
    numbers: dict[Any, int] = {}
    rules = [_rule(rule, number, numbers) for number, rule in enumerate(payload["rules"])]
    if len(numbers) > total:
        raise ValueError(f"total_cells: {total}, and the rules name {len(numbers)} cells")
    rules = [(count, cells) for count, cells in rules if count or cells]
    _, n = bounded(1, total + len(rules))
    codes = np.full((1, n), COVERED, np.int16)
    codes[0, total:] = [count for count, _ in rules]
    return Position(codes, mines, topology=_graph(n, total, [cells for _, cells in rules]))


def write_rules(position: Position) -> bytes:
    """The constraints over the covered cells, which are named as in `sapper export`; any topology.

    Hit mines are taken off, opened cells left out: what is read back asks the same.
    """
    problem = position.problem()
    left = needed_mines(position, "minesweepr-rules") - int(np.count_nonzero(position.codes == HIT))
    if left < 0:
        raise ValueError(f"minesweepr-rules has no mine count below 0: more mines were hit than {position.mines}")
    columns = position.shape[1]
    rules = []
    for number, constraint in enumerate(problem.constraints):
        if constraint.total < 0:
            raise ValueError(f"minesweepr-rules has no clue below 0: constraint {number} is {constraint}")
        names = [f"r{cell // columns}c{cell % columns}" for cell in sorted(constraint.scope)]
        rules.append({"num_mines": constraint.total, "cells": names})
    covered = int(np.count_nonzero(problem.covered))
    return f"{json.dumps({'rules': rules, 'total_cells': covered, 'total_mines': left})}\n".encode()


def _rule(rule: object, number: int, numbers: dict[Any, int]) -> tuple[int, list[int]]:
    """(mines, cells ascending); a tag that is new gets the next number."""
    if not isinstance(rule, dict) or not isinstance(rule.get("cells"), list):
        raise ValueError(f'rule {number}: an object is needed whose "cells" is a list')
    count = whole_of(rule.get("num_mines"), f"rule {number}: num_mines", np.iinfo(np.int16).max)
    cells: dict[int, None] = {}
    for tag in rule["cells"]:
        if type(tag) not in (str, int):
            raise ValueError(f"rule {number}: a cell is named by a text or an integer, not {shown(tag)}")
        cell = numbers.setdefault(tag, len(numbers))
        if cell in cells:
            raise ValueError(f"rule {number}: the cell {shown(tag)} stands twice")
        cells[cell] = None
    return count, sorted(cells)


def _graph(n: int, total: int, scopes: list[list[int]]) -> Topology:
    """Cell total + i and those in scope i are neighbours of each other."""
    cells = np.array([cell for scope in scopes for cell in scope], np.int32)
    clues = np.repeat(np.arange(total, n, dtype=np.int32), [len(scope) for scope in scopes])
    owners, neighbours = np.concatenate([cells, clues]), np.concatenate([clues, cells])
    order = np.lexsort((neighbours, owners))
    indptr = np.zeros(n + 1, np.int32)
    np.cumsum(np.bincount(owners, minlength=n), out=indptr[1:])
    return Topology((1, n), indptr, neighbours[order], "rules")
