"""The positions and behaviours with known answers in tests/data, read once."""

import json
from functools import cache
from pathlib import Path

import numpy as np

from board import Position

DATA = Path(__file__).parent / "data"


def _lines(name):
    with (DATA / name).open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@cache
def cases():
    """id -> case: 60 positions of public bug reports, with exact answers."""
    return {case["id"]: case for case in _lines("cases.jsonl")}


@cache
def corpora():
    """id -> entry: 1,350 positions of three levels, with the entailed cells as cell numbers."""
    return {entry["id"]: entry for entry in _lines("corpora.jsonl")}


@cache
def behaviours():
    """id -> behaviour: faults that are no position."""
    return {behaviour["id"]: behaviour for behaviour in _lines("behaviours.jsonl")}


def problem_of(entry):
    """The problem of a case or of a corpus entry, with its mine count if it has one."""
    return Position.parse(entry["grid"], entry["mines"]).problem()


def cell_numbers(case, name):
    """The cells that a case lists under `name`, as sorted cell numbers."""
    columns = len(case["grid"][0])
    return sorted(row * columns + column for row, column in case["expect"][name])


def listed(mask):
    """The cells of a mask as a list."""
    return np.flatnonzero(mask).tolist()
