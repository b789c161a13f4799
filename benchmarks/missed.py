"""What each solver of a run missed: how much of it, some of it chosen, and that drawn."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.corpus import Entry
from benchmarks.judgement import explain
from benchmarks.page import Table
from benchmarks.records import FAILURES, Record, Run
from benchmarks.tables import number
from board import COVERED, Position, to_svg
from board.topology import NAMES
from solvers.registry import solver_names

KINDS = ("wrong", *FAILURES, "incomplete")  #: how a position can be missed, worst first
DRAWN_BYTES = 20_000_000  #: what all drawings of a page may take; larger boards are left as text
_PLACE = ["solver", "corpus", "question", "entry"]


@dataclass(frozen=True, slots=True)
class Shown:
    """One missed position. svg: empty if the board is too large; command: a shell text that asks again."""

    corpus: str
    entry: str
    question: str
    kind: str
    found: str
    facts: tuple[tuple[str, str], ...]
    svg: str
    command: str


@dataclass(frozen=True, slots=True)
class Missed:
    """What one solver missed: of how many questions that it takes, how many by corpus, and some of them."""

    solver: str
    total: int
    asked: int
    unsupported: int
    counts: Table | None
    shown: tuple[Shown, ...]


def missed_positions(run: Run, judged: pd.DataFrame, limit: int) -> Iterator[Missed]:
    """What each solver missed, in the order of the run; up to `limit` positions of each are drawn.

    Missed is what was asked and not solved: not everything entailed was found, something false was said, or
    there was no answer. A question that a solver does not take is not missed.

    judged: `benchmarks.metrics.scores(run)`.
    """
    entries = run.entries()
    records = {tuple(getattr(record, name) for name in _PLACE): record for record in run.records}
    taken = judged[judged["outcome"] != "unsupported"]
    kinds = np.select([taken["wrong"], taken["answered"]], ["wrong", "incomplete"], taken["outcome"])
    taken = taken.assign(kind=pd.Categorical(kinds, KINDS, ordered=True))
    labels = [solver["label"] for solver in run.header["solvers"]]
    twice = "; a position counts twice, as a local and as a global question"
    caption = f"Missed, by corpus{twice if len(run.header['questions']) > 1 else ''}"
    for label in labels:
        mine = taken[taken["solver"] == label]
        missed = mine[~mine["solved"]]
        counts = Table.of(caption, _counts(missed, mine)) if len(missed) else None
        room = DRAWN_BYTES // len(labels)
        shown = []
        for *place, kind in choose(missed, limit)[[*_PLACE, "kind"]].itertuples(index=False, name=None):
            record = records[tuple(place)]
            one = _shown(record, entries[record.corpus, record.entry], kind, room)
            room -= len(one.svg)
            shown.append(one)
        asked = int((judged["solver"] == label).sum())
        yield Missed(label, len(missed), len(mine), asked - len(mine), counts, tuple(shown))


def choose(missed: pd.DataFrame, limit: int) -> pd.DataFrame:
    """Up to `limit` rows, spread over corpora and questions, the same ones each time.

    The worst kind comes first, in the order of KINDS. Within a kind there are rounds: each takes the next
    position of every corpus and question. Where a round is more than what is left, evenly spaced ones of it
    are taken. The rows come back in the order of kind, corpus, question.

    missed: rows of `benchmarks.metrics.scores`, in its order, with `kind`.

    >>> frame = pd.DataFrame({"kind": "incomplete", "corpus": list("aaabc"), "question": "local", "entry": range(5)})
    >>> choose(frame, 2)["entry"].tolist(), choose(frame, 4)["entry"].tolist()
    ([0, 4], [0, 1, 3, 4])
    """
    places = missed.groupby(["kind", "corpus", "question"], observed=True)
    numbered = missed.assign(round=places.cumcount(), row=np.arange(len(missed)))
    rows: list[int] = []
    for _, part in numbered.groupby(["kind", "round"], observed=True)["row"]:
        take = min(limit - len(rows), len(part))
        rows += part.iloc[np.linspace(0, len(part) - 1, take).round().astype(int)].tolist()
        if len(rows) == limit:
            break
    return missed.iloc[sorted(rows)].sort_values("kind", kind="stable")


def _counts(missed: pd.DataFrame, asked: pd.DataFrame) -> pd.DataFrame:
    """By corpus: how many were asked and missed, by question and by kind; corpora without any are left out."""
    frame = pd.DataFrame({"Asked": asked.groupby("corpus", observed=True).size()})
    frame["Missed"] = missed.groupby("corpus", observed=True).size()
    for name in ("question", "kind"):
        split = pd.crosstab(missed["corpus"], missed[name])
        frame = frame.join(split.rename(columns=lambda value: str(value).capitalize()))
    frame = frame[frame["Missed"].notna()].astype(int).astype(str)
    return frame.rename_axis("Corpus").reset_index()


def _shown(record: Record, entry: Entry, kind: str, room: int) -> Shown:
    truth = entry.answer(record.question)
    entailed = len(truth.safe) + len(truth.mines)
    got = len(set(record.safe) & set(truth.safe)) + len(set(record.mines) & set(truth.mines))
    named = {
        "Outcome": record.outcome,
        "Status": "" if record.status == record.outcome else record.status or "none",
        "Message": record.message,
        "Wrong": explain(record, entry),
        "Extract µs": _microseconds(record.extract_nanoseconds),
        "Solve µs": _microseconds(record.solve_nanoseconds),
        "Game": record.game,
    }
    facts = tuple((name, value) for name, value in named.items() if value)
    svg = draw(record, entry)
    found = f"{got:,} of {entailed:,} entailed cells found" if entailed else "nothing is entailed"
    found = found if truth.consistent else "there is no model"
    place = (record.corpus, record.entry, record.question)
    return Shown(*place, kind, found, facts, svg if len(svg) <= room else "", _command(record, entry.position))


def draw(record: Record, entry: Entry) -> str:
    """The position as SVG: what the record found, what it missed, and what it claims falsely."""
    n = entry.position.codes.size
    truth = entry.answer(record.question)
    marks: dict[str, Any] = {}
    for name, said, entailed in (("safe", record.safe, truth.safe), ("mines", record.mines, truth.mines)):
        claimed, true = _mask(said, n), _mask(entailed, n)
        # everything follows from a contradiction, so that nothing is falsely claimed there
        marks[name] = claimed & true if truth.consistent else claimed
        marks[f"missed_{name}"] = true & ~claimed
        marks[f"false_{name}"] = claimed & ~true & truth.consistent
    title = f"{record.solver} on {record.corpus} {record.entry}, {record.question}"
    return to_svg(entry.position, **marks, coordinates=True, theme="page", title=title)


def _mask(cells: Iterable[int], n: int) -> NDArray[np.bool_]:
    """The cells as bool[n], without those that are none: a malformed answer may name them."""
    mask = np.zeros(n, np.bool_)
    mask[[cell for cell in cells if 0 <= cell < n]] = True
    return mask


def _microseconds(nanoseconds: tuple[int, ...], most: int = 10) -> str:
    shown = ", ".join(number(value / 1000) for value in nanoseconds[:most])
    return f"{shown} and {len(nanoseconds) - most} more" if len(nanoseconds) > most else shown


def _command(record: Record, position: Position) -> str:
    """A shell text that puts the question to the same solver; to the usual one if its name is no spec.

    It shows the entry where no text holds the board.
    """
    name = position.topology.name
    if name not in NAMES or position.codes.max() > 8:
        return shlex.join(["sapper", "corpus", "show", record.corpus, record.entry])
    words = ["sapper", "solve", "-", *(() if name == "grid" else ("--topology", name))]
    if record.question == "global" and position.mines is not None:
        words += ["--mines", str(position.mines)]
    if record.solver.partition(":")[0] in solver_names():
        words += ["--solver", record.solver]
    return "\n".join([f"{shlex.join(words)} <<'END'", *position.rows(), "END"])


def marks() -> list[tuple[str, str]]:
    """(drawing of a cell, what it means): the key to :func:`draw`."""
    meanings = {
        "safe": "safe, found",
        "mines": "mine, found",
        "missed_safe": "safe, missed",
        "missed_mines": "mine, missed",
        "false_safe": "called safe, not entailed",
        "false_mines": "called a mine, not entailed",
    }
    cell = Position([[COVERED]])
    one: dict[str, dict[str, Any]] = {name: {name: np.ones(1, np.bool_)} for name in meanings}
    return [(to_svg(cell, theme="page", title=words, **one[name]), words) for name, words in meanings.items()]
