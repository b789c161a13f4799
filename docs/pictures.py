"""The pictures of the documentation, made again: `python docs/pictures.py`.

Boards come from the bundled corpora and from drawing alone, so the same code gives the same bytes. The figure of a run
holds times, which differ from one run to the next: `python docs/pictures.py RUN` draws it from the folder of one. A
browser's picture depends on its fonts: `python docs/pictures.py view` makes it, with playwright and Chromium.
"""

from __future__ import annotations

import shutil
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks import Run, load_corpus
from benchmarks.exploring import project_tools
from benchmarks.figure_output import save
from benchmarks.metrics import scores
from benchmarks.plots import pareto
from benchmarks.view import Server
from board import Game, Layout, Position, Topology, to_svg
from board.drawing import differences
from solvers import Deduction, make_solver
from solvers.components import split
from solvers.explanation import explain

FOLDER = Path(__file__).parent / "pictures"
SMALL = Position.parse(["##1#1#", "##11##", "######"], mines=5)  # the position of the examples


def _bundled(corpus: str, number: int) -> Position:
    return load_corpus(corpus).entries[number].position


def _local(position: Position) -> Position:
    """The same board with its number of mines unknown."""
    return Position(position.codes, None, position.flags, position.topology)


def _solved(position: Position, cell: float, *, coordinates: bool = True) -> str:
    found = make_solver("counting").marginals(position.problem())
    marks = found.deduction()
    shares = found.probability
    return to_svg(position, safe=marks.safe, mines=marks.mines, probability=shares, coordinates=coordinates, cell=cell)


def _deduced(position: Position, spec: str) -> Deduction:
    return make_solver(spec).deduce(position.problem())


def position() -> str:
    """The position of the examples as the player sees it."""
    return to_svg(SMALL, coordinates=True, cell=36)


def answered() -> str:
    """The same, answered."""
    return _solved(SMALL, 36)


def expert() -> str:
    """A whole Expert board, answered."""
    return _solved(_bundled("expert-random", 57), 24, coordinates=False)


def local() -> str:
    """An endgame by its clues alone."""
    return _solved(_local(_bundled("beginner-endgame", 0)), 28)


def whole() -> str:
    """The same endgame with the mine count."""
    return _solved(_bundled("beginner-endgame", 0), 28)


def explained() -> str:
    """Why a cell is safe: of all such reasons one of middling length."""
    board = _bundled("beginner-stuck", 1)
    problem = board.problem()
    found = _deduced(board, "counting")
    reasons = [explain(problem, cell) for cell in np.flatnonzero(found.safe).tolist()]
    known = sorted((one for one in reasons if one is not None), key=lambda one: (one.size, one.cell))
    reason = known[len(known) // 2]
    used = np.zeros(problem.n, np.bool_)
    used[board.clue_cells()[list(reason.constraints)]] = True
    safe = np.arange(problem.n) == reason.cell
    return to_svg(board, safe=safe, used=used, explained=reason.cell, coordinates=True, cell=28)


def missed() -> str:
    """What `subset` finds of what is entailed, and what it misses."""
    board = _bundled("beginner-endgame", 12)
    some, every = _deduced(board, "subset"), _deduced(board, "counting")
    missing = {"missed_safe": every.safe & ~some.safe, "missed_mines": every.mines & ~some.mines}
    return to_svg(board, safe=some.safe, mines=some.mines, **missing, coordinates=True, cell=28)


def compared() -> str:
    """What `single` and `subset` find: both, or only the second."""
    board = _bundled("intermediate-random", 15)
    one, other = _deduced(board, "single"), _deduced(board, "subset")
    return to_svg(board, **differences(one.safe, one.mines, other.safe, other.mines), cell=24)


def components() -> str:
    """The parts of a board that share no clue."""
    board = _bundled("intermediate-random", 15)
    found = split(board.problem())
    parts = np.searchsorted(found.components, np.arange(len(found.boxes)), side="right") - 1
    return to_svg(board, components=np.where(found.place >= 0, parts[found.place], -1), cell=24)


def hexagons() -> str:
    """A hexagonal board, answered."""
    layout = Layout.random(6, 9, 11, seed=4, topology=_hexagonal(6, 9))
    return _solved(_opened(layout, 4), 32, coordinates=False)


def circle() -> str:
    """A graph without rows, answered."""
    near = [sorted({(i + step) % 12 for step in (-4, -1, 1, 4)}) for i in range(12)]
    return _solved(_opened(Layout.random(1, 12, 4, seed=4, topology=_topology((1, 12), near)), 5), 32)


def view() -> bytes:
    """The interactive board in Chromium, with the pointer on a cell that is safe: PNG."""
    from playwright.sync_api import sync_playwright  # for tests alone, as the browser

    with Server(_bundled("expert-random", 51), project_tools()) as server, sync_playwright() as started:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = started.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 900, "height": 700}, color_scheme="light")
        page.goto(server.url)
        page.get_by_label("row 9, column 13:").hover()
        page.locator(".used").first.wait_for()
        picture: bytes = page.locator(".sapper-board").screenshot()
        browser.close()
        server.shutdown()
    return picture


def _opened(layout: Layout, clicks: int) -> Position:
    """The position after the first so many cells without a mine were opened, evenly spread over the board."""
    game = Game(layout)
    free = np.flatnonzero(~layout.mines)
    for cell in free[np.linspace(0, len(free) - 1, clicks).astype(int)].tolist():
        game.open(cell)
    return game.position()


def _topology(shape: tuple[int, int], near: list[list[int]]) -> Topology:
    indptr = np.cumsum([0, *map(len, near)]).astype(np.int32)
    return Topology(shape, indptr, np.concatenate(near).astype(np.int32), "graph")


def _hexagonal(rows: int, columns: int) -> Topology:
    """Odd rows are shifted to the right by half a cell."""
    near = []
    for row in range(rows):
        for column in range(columns):
            steps = [(0, -1), (0, 1), *((side, row % 2 - shift) for side in (-1, 1) for shift in (0, 1))]
            inside = [(row + r, column + c) for r, c in steps if 0 <= row + r < rows and 0 <= column + c < columns]
            near.append(sorted(r * columns + c for r, c in inside))
    return _topology((rows, columns), near)


PICTURES: dict[str, Callable[[], str]] = {
    made.__name__: made
    for made in (
        position, answered, expert, local, whole, explained, missed, compared, components, hexagons, circle
    )
}  # fmt: skip


def main(arguments: list[str]) -> None:
    """Write all boards, or of each run that is named its figure, or the view."""
    FOLDER.mkdir(exist_ok=True)
    if arguments == ["view"]:
        (FOLDER / "view.png").write_bytes(view())
        return
    for run in arguments:
        figure = pareto(scores(Run.load(run)))
        if figure is None:
            raise SystemExit(f"{run}: nothing to draw")
        save({"pareto": figure}, FOLDER, ("svg",))
    for name, made in {} if arguments else PICTURES.items():
        (FOLDER / f"{name}.svg").write_text(made() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
