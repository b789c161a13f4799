"""What is on the table: positions, layouts, games, and the problems they pose. Knows no solver."""

from typing import TYPE_CHECKING, Any

from board.game import Game, Outcome
from board.layout import Layout
from board.position import COVERED, HIT, UNNUMBERED, Position
from board.problem import Constraint, Problem
from board.topology import Topology, graph, grid, hexagonal, torus

if TYPE_CHECKING:
    from board.drawing import to_svg

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
    "graph",
    "grid",
    "hexagonal",
    "to_svg",
    "torus",
]


def __getattr__(name: str) -> Any:
    if name == "to_svg":  # at first use: most imports draw nothing
        from board.drawing import to_svg

        return to_svg
    raise AttributeError(f"module 'board' has no attribute {name!r}")
