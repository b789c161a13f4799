"""What is on the table: positions, layouts, games, and the problems they pose. Knows no solver."""

from board.game import Game, Outcome
from board.layout import Layout
from board.position import COVERED, HIT, UNNUMBERED, Position
from board.problem import Constraint, Problem
from board.topology import Topology, grid

__all__ = [
    "COVERED",
    "Constraint",
    "Game",
    "HIT",
    "Layout",
    "Outcome",
    "Position",
    "Problem",
    "Topology",
    "UNNUMBERED",
    "grid",
]
