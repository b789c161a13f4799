"""What there is to show of a board that people change by hand, as JSON: small, and complete for the one who draws it.

:func:`shown` says it all; its names are those of the traits of :class:`board.widget.Board`. :func:`explained` answers
about one cell. :func:`script` and :func:`style` are the front end, which is one for notebooks and for `sapper view`.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import numpy as np

from board.asking import Answer, Tools, tried
from board.drawing import THEMES
from board.interaction import Scene, cell_in
from board.places import places
from board.position import COVERED
from board.topology import Topology
from board.words import count, per_cent

Content = dict[str, Any]


def shown(scene: Scene, tools: Tools) -> Content:
    """Everything to show.

    position: the text; mines: the count or None; solver: its name.
    table: `shifted`, None for squares, for hexagons which rows stand half a cell to the right, 0 the even or 1 the odd
        ones; a `text` where the neighbours are not those of the grid, or "".
    answer: `status`, a `text`, `error`; `marks`, a character a cell, `s` safe, `m` mine, `.` neither; `odds`, whole
        per cent a cell (`"<1"`, `"48"`), None where there is none, or None; `conflict`, None or the
        `clues` (cells) and a `text`.
    game: `outcome` ("" for none), how often there is to `undo` and `redo`; `choice`, None or `cell` and `text`.
    steps: None, or of each step `clues`, `facts`, `safe`, `mines` (cells) and a `text`.

    >>> from board import Position
    >>> from board.interaction import begin
    >>> content = shown(begin(Position.parse("1#", mines=1), Tools()), Tools())
    >>> content["position"], content["answer"]["text"]
    ('1#', 'no solver')
    """
    answer = scene.answer
    return {
        "position": scene.position.text(),
        "mines": scene.position.mines,
        "solver": scene.solver,
        "table": _table(scene.position.topology),
        "answer": {
            "status": answer.status,
            "text": _verdict(scene),
            "error": answer.error,
            "marks": _marks(answer),
            "odds": _odds(answer),
            "conflict": None if scene.conflict is None else _conflict(scene),
        },
        "game": {
            "outcome": "" if scene.game is None else str(scene.game.outcome),
            "undo": len(scene.past),
            "redo": len(scene.future),
            "choice": _choice(scene),
        },
        "steps": None if scene.steps is None else _steps(scene),
    }


def offered(tools: Tools) -> Content:
    """What the tools make possible: the names of `solvers`, and whether there is `explain`, `steps` and a `policy`."""
    return {
        "solvers": list(tools.solvers),
        "explain": tools.explain is not None,
        "steps": tools.steps is not None,
        "policy": tools.policy is not None,
    }


def said(scene: Scene, message: Mapping[str, Any], tools: Tools) -> Content | None:
    """The answer to a message that asks and changes nothing; None for an action.

    >>> from board import Position
    >>> from board.interaction import begin
    >>> scene = begin(Position.parse("0#"), Tools())
    >>> said(scene, {"do": "explain", "cell": 0}, Tools())
    {'cell': 0, 'clues': [], 'text': ''}
    """
    return explained(scene, message.get("cell"), tools) if message.get("do") == "explain" else None


def explained(scene: Scene, cell: object, tools: Tools) -> Content:
    """Why a cell is safe or a mine: `cell`, `clues` (cells) and a `text`; the text is "" for an opened cell.

    Raises ValueError for a cell outside the board.
    """
    number = cell_in(scene, cell)
    found: Content = {"cell": number, "clues": [], "text": ""}
    if scene.position.codes.flat[number] != COVERED:
        return found
    if scene.conflict is not None:
        return {**found, "clues": _clues(scene, scene.conflict), "text": _conflict(scene)["text"]}
    place = _at(scene, number)
    if tools.explain is not None:
        try:
            why = tried(tools.explain, scene.position.problem(), number)
        except ValueError as wrong:
            return {**found, "text": str(wrong)}
        if why is not None:
            text = f"{place} is {'a mine' if why.mine else 'safe'}: follows from {_named(why)}"
            return {**found, "clues": _clues(scene, why), "text": text}
    share = _share(scene.answer, number)
    known = "" if share is None else f": a mine with probability {percent(share)}"
    unsettled = "not settled" if tools.explain is not None else "covered"
    return {**found, "text": f"{place} is {unsettled}{known}"}


def percent(share: float) -> str:
    """A probability for people; what is not certain is never written as 0 or 100.

    >>> percent(0.25), percent(1e-9), percent(1)
    ('25 %', '<0.01 %', '100 %')
    """
    if 0 < share < 0.0001:
        return "<0.01 %"
    if 0.9999 < share < 1:
        return ">99.99 %"
    return f"{100 * share:.4g} %"


def script() -> str:
    """The front end: an ES module whose default export has `render`, as anywidget wants it."""
    return (files("board") / "static" / "widget.js").read_text("utf-8")


def style() -> str:
    """Its style sheet, with the colours of drawings (:data:`board.drawing.THEMES`) in front."""
    light, dark = ("".join(f"--board-{name}:{value};" for name, value in THEMES[t].items()) for t in ("light", "dark"))
    preferred = f"@media (prefers-color-scheme: dark) {{ .sapper-board:not(.light) {{ {dark} }} }}"
    sheet = (files("board") / "static" / "widget.css").read_text("utf-8")
    return f".sapper-board {{ {light} }}\n{preferred}\n.sapper-board.dark {{ {dark} }}\n{sheet}"


def _table(topology: Topology) -> Content:
    where = places(topology)
    # the first row stands at the left where the odd ones are shifted
    shifted = None if where.outline != "hexagon" else int(where.x[0] == where.x.min())
    words = {"grid": "", "torus": "torus: opposite edges meet", "hexagonal": "hexagonal"}
    return {"shifted": shifted, "text": words.get(topology.name, f"topology {topology.name}")}


def _verdict(scene: Scene) -> str:
    answer = scene.answer
    if answer.status == "none":
        return "no solver"
    if answer.deduction is None:
        return answer.error
    if answer.status == "inconsistent":
        return "inconsistent: no arrangement of mines fits"
    safe, mines = (int(np.count_nonzero(mask)) for mask in (answer.deduction.safe, answer.deduction.mines))
    rest = int(np.count_nonzero(scene.position.codes == COVERED)) - safe - mines
    asked = ", from the clues alone" if scene.position.mines is None else ""
    more = "; there may be more" if answer.status == "partial" else ""
    return f"{answer.status}{asked}: {safe} safe, {count(mines, 'mine')}, {rest} not settled{more}"


def _marks(answer: Answer) -> str:
    if answer.deduction is None:
        return ""
    marks = np.full(answer.deduction.safe.size, ord("."), np.uint8)
    marks[answer.deduction.safe] = ord("s")
    marks[answer.deduction.mines] = ord("m")
    return marks.tobytes().decode("ascii")


def _odds(answer: Answer) -> list[str | None] | None:
    if answer.marginals is None or np.isnan(answer.marginals.probability).all():
        return None
    return [None if share != share else per_cent(share) for share in answer.marginals.probability.tolist()]


def _share(answer: Answer, cell: int) -> float | None:
    share = None if answer.marginals is None else float(answer.marginals.probability[cell])
    return None if share is None or np.isnan(share) else share


def _choice(scene: Scene) -> Content | None:
    choice = scene.choice
    if choice is None:
        return None
    done = "the policy would open" if scene.game is None else "opened"
    odds = "" if choice.share is None else f" with probability {percent(choice.share)} of a mine"
    why = "proved safe" if choice.proved else f"a guess{odds}"
    return {"cell": choice.cell, "text": f"{done} {_at(scene, choice.cell)}: {why}"}


def _conflict(scene: Scene) -> Content:
    found = scene.conflict
    clues = len(found.constraints)
    words = [f"the {f'{clues} marked clues' if clues > 1 else 'marked clue'}"] if clues else []
    words += ["the mine count"] if found.mine_count else []
    return {"clues": _clues(scene, found), "text": f"contradiction: no arrangement of mines fits {' and '.join(words)}"}


def _steps(scene: Scene) -> list[Content]:
    clues, total = scene.position.clue_cells().tolist(), len(scene.steps or ())
    return [
        {
            "clues": [clues[i] for i in step.constraints],
            **{name: [int(cell) for cell in getattr(step, name)] for name in ("facts", "safe", "mines")},
            "text": f"step {number} of {total}: {_found(step)} from {_named(step)}{_known(step)}",
        }
        for number, step in enumerate(scene.steps or (), 1)
    ]


def _found(step: Any) -> str:
    kinds = ((f"{len(step.safe)} safe", step.safe), (count(len(step.mines), "mine"), step.mines))
    return " and ".join(text for text, cells in kinds if cells)


def _known(step: Any) -> str:
    return f", with {count(len(step.facts), 'cell')} known" if step.facts else ""


def _clues(scene: Scene, found: Any) -> list[int]:
    cells = scene.position.clue_cells().tolist()
    return [cells[i] for i in found.constraints]


def _named(found: Any) -> str:
    """How many clues it takes."""
    clues = len(found.constraints)
    words = [count(clues, "clue")] if clues else []
    return " and ".join([*words, *(["the mine count"] if found.mine_count else [])])


def _at(scene: Scene, cell: int) -> str:
    row, column = divmod(cell, scene.position.shape[1])
    return f"row {row}, column {column}"
