"""What is on the table: positions, layouts, games, and the problems they pose. Knows no solver."""

from board.position import COVERED, HIT, UNNUMBERED, Position
from board.problem import Constraint, Problem
from board.topology import Topology, grid

__all__ = ["COVERED", "Constraint", "HIT", "Position", "Problem", "Topology", "UNNUMBERED", "grid"]
