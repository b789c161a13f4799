"""A run as one HTML page that needs nothing else: soundness first, tables, figures, and what was missed, drawn.

The page is a pure function of the run: the same run gives the same bytes. Templates, style and script are in
`benchmarks/templates`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks import tables
from benchmarks.corpus import Entry
from benchmarks.judgement import explain
from benchmarks.metrics import PEER, claims_text, scores, wrong_claims
from benchmarks.records import FAILURES, Record, Run
from board import COVERED, Position
from board.drawing import THEMES, to_svg
from solvers.interface import Unsupported
from solvers.registry import solver_names

if TYPE_CHECKING:
    import jinja2

KINDS = ("wrong", *FAILURES, "incomplete")  #: how a position can be missed, worst first
DRAWN_BYTES = 20_000_000  #: what all drawings of a page may take; larger boards are left as text
_NUMBER = re.compile(r"[<>≤≥~]?\s*[-+−]?[\d,]*\.?\d+[^a-df-zA-Z]*")
_PLACE = ["solver", "corpus", "question", "entry"]


@dataclass(frozen=True, slots=True)
class Table:
    """A frame of text for the template: (name, whether its cells are numbers) a column."""

    caption: str
    heads: tuple[tuple[str, bool], ...]
    rows: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, caption: str, frame: pd.DataFrame) -> Table:
        """The table of a frame; a column is one of numbers if each of its cells is one, or several, or missing."""
        rows = tuple(tuple(map(str, row)) for row in frame.to_numpy().tolist())
        columns = zip(*rows, strict=True) if rows else [()] * len(frame.columns)
        numeric = [
            all(cell == tables.MISSING or bool(_NUMBER.fullmatch(cell)) for cell in column) for column in columns
        ]
        return cls(caption, tuple(zip(map(str, frame.columns), numeric, strict=True)), rows)


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


def report(run: Run, *, limit: int = 20) -> str:
    """The run as one self-contained HTML page; it loads nothing from anywhere.

    limit: how many missed positions of a solver are drawn, and how many wrong claims are listed. Which ones:
    :func:`choose`.

    Raises ValueError for a negative limit, Unsupported if the libraries of `sapper[report]` are missing.
    """
    if limit < 0:
        raise ValueError(f"a limit is at least 0, not {limit}")
    template = _environment().get_template("report.html")
    judged = scores(run)
    wrong = wrong_claims(run)
    listed = f"Wrong claims, {min(limit, len(wrong)):,} of {len(wrong):,}"
    return template.render(
        title=str(run.header.get("experiment") or "Minesweeper inference strategies compared"),
        subtitle=_subtitle(run),
        sound=not wrong,
        verdict=tables.verdict(run, wrong),
        wrong=Table.of(listed, tables.wrong_table(wrong, limit)),
        sections=_sections(run, judged) if run.records else [],
        figures=_figures(run, judged) if run.records else [],
        marks=_marks(),
        missed=list(missed_positions(run, judged, limit)),
        notes=tables.notes(run),
        facts=list(_facts(run.header)),
        run_tables=[Table.of("Corpora", _corpora(run)), Table.of("Strategies", _strategies(run))],
        repeat=_repeat(run.header),
        themes=THEMES,
    )


def _sections(run: Run, judged: pd.DataFrame) -> list[tuple[str, str, list[Table]]]:
    """(id, name, tables) a section."""
    from benchmarks.stats import statistics_tables

    pooled = tables.metrics_table(run, by_corpus=False, judged=judged)
    by_corpus = tables.metrics_table(run, judged=judged)
    statistics = statistics_tables(run, judged=judged)
    return [
        ("headline", "Headline", [Table.of("All corpora pooled", tables.headline(pooled))]),
        ("found", "What was found", [Table.of("All corpora pooled", tables.found(pooled))]),
        ("times", "Times", [Table.of("Time a position, extract and solve apart", tables.times(pooled))]),
        ("corpora", "Corpus by corpus", list(_matrices(run, by_corpus))),
        ("statistics", "Statistics", [Table.of(name, frame) for name, frame in statistics.items()]),
    ]


def _figures(run: Run, judged: pd.DataFrame) -> list[tuple[str, str]]:
    """(caption, SVG) a figure."""
    from benchmarks.plots import all_figures, svg_text

    return [
        (str(figure.get_label() or name), svg_text(figure)) for name, figure in all_figures(run, judged=judged).items()
    ]


def _environment() -> jinja2.Environment:
    try:
        import jinja2
    except ModuleNotFoundError as missing:
        raise Unsupported("the report needs jinja2: pip install 'sapper[report]'") from missing
    return jinja2.Environment(
        loader=jinja2.PackageLoader("benchmarks", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _subtitle(run: Run) -> str:
    header = run.header
    counts = (
        (len(header["solvers"]), "strategy", "strategies"),
        (sum(item["asked"] for item in header["corpora"]), "position", "positions"),
        (len(header["corpora"]), "corpus", "corpora"),
        (len(header["questions"]), "question", "questions"),
        (len(run.records), "record", "records"),
    )
    words = (f"{count:,} {one if count == 1 else more}" for count, one, more in counts)
    return f"{', '.join(words)}. Started {header['started']}."


def _matrices(run: Run, metrics: pd.DataFrame) -> Iterator[Table]:
    """One metric a table: a row a corpus, a column a strategy."""
    asked, timed = run.header["questions"], run.header["questions"][-1]
    chosen: list[tuple[str, str, str, Callable[[float], str]]] = [
        *(("Safe cells found, %", "safe_recall", question, tables.percent) for question in asked),
        *(("Positions solved, %", "solved_share", question, tables.percent) for question in asked),
        ("Median time a position, µs", "total_median_us", timed, tables.number),
    ]
    if metrics["ratio"].notna().any():
        chosen.append((f"Median time as a multiple of {PEER}'s", "ratio", timed, tables.number))
    for caption, column, question, form in chosen:
        yield Table.of(f"{caption} ({question})", tables.matrix(metrics, column, question, form))


def missed_positions(run: Run, judged: pd.DataFrame, limit: int) -> Iterator[Missed]:
    """What each solver missed, in the order of the run; up to `limit` positions of each are drawn.

    Missed is what was asked and not solved: not everything entailed was found, something false was said, or
    there was no answer. A question that a solver does not take is not missed.

    judged: `benchmarks.metrics.scores(run)`.
    """
    entries = run.entries()
    records = {tuple(getattr(record, name) for name in _PLACE): record for record in run.records}
    taken = judged[judged["outcome"] != "unsupported"]
    said = [taken[name].astype(bool) for name in ("wrong", "answered")]  # without a record they are objects
    kinds = np.select(said, ["wrong", "incomplete"], taken["outcome"].astype(str))
    taken = taken.assign(kind=pd.Categorical(kinds, KINDS, ordered=True))
    labels = [solver["label"] for solver in run.header["solvers"]]
    for label in labels:
        mine = taken[taken["solver"] == label]
        missed = mine[~mine["solved"].astype(bool)]
        counts = Table.of(f"Missed by {label}, by corpus", _counts(missed, mine)) if len(missed) else None
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
    found = f"{got:,} of {entailed:,} entailed cells found" if truth.consistent else "there is no model"
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
    shown = ", ".join(tables.number(value / 1000) for value in nanoseconds[:most])
    return f"{shown} and {len(nanoseconds) - most} more" if len(nanoseconds) > most else shown


def _command(record: Record, position: Position) -> str:
    """A shell text that puts the question to the same solver; to the usual one if its name is no spec."""
    words = ["sapper", "solve", "-"]
    if record.question == "global" and position.mines is not None:
        words += ["--mines", str(position.mines)]
    if record.solver.partition(":")[0] in solver_names():
        words += ["--solver", record.solver]
    return "\n".join([f"{shlex.join(words)} <<'END'", *position.rows(), "END"])


def _marks() -> list[tuple[str, str]]:
    """(drawing of a cell, what it means)."""
    meanings = {
        "safe": "safe, found",
        "mines": "mine, found",
        "missed_safe": "safe, missed",
        "missed_mines": "mine, missed",
        "false_safe": "called safe, not entailed",
        "false_mines": "called a mine, not entailed",
    }
    cell = Position([[COVERED]])
    marks: dict[str, dict[str, Any]] = {name: {name: np.ones(1, np.bool_)} for name in meanings}
    return [(to_svg(cell, theme="page", title=words, **marks[name]), words) for name, words in meanings.items()]


def _facts(header: Mapping[str, Any], within: str = "") -> Iterator[tuple[str, str]]:
    """Everything in the header that has no table of its own, as (name, value)."""
    for key, value in header.items():
        name = f"{within}{key.replace('_', ' ')}"
        if not within and key in ("format", "solvers", "corpora", "command"):
            continue
        if isinstance(value, Mapping):
            yield from _facts(value, f"{name}: ")
        elif isinstance(value, list | tuple):
            yield name, ", ".join(map(str, value))
        else:
            yield name, tables.MISSING if value is None else str(value)


def _corpora(run: Run) -> pd.DataFrame:
    rows = [
        {
            "Corpus": item["name"],
            "Asked": f"{item['asked']:,}",
            "Positions": f"{item['positions']:,}",
            "What": str(run.corpora[item["name"]].header["definition"]),
            "SHA-256 begins": item["hash"][:16],
        }
        for item in run.header["corpora"]
    ]
    return pd.DataFrame(rows)


def _strategies(run: Run) -> pd.DataFrame:
    solvers = run.header["solvers"]
    return pd.DataFrame([{"Strategy": item["label"], "Claims": claims_text(item["claims"])} for item in solvers])


def _repeat(header: Mapping[str, Any]) -> str:
    """What makes this run again: the command, or the call if it was one from Python."""
    if header["command"]:
        return str(header["command"])
    names = ([item[key] for item in header[part]] for part, key in (("solvers", "label"), ("corpora", "name")))
    rest = (f"{name}={header[name]!r}" for name in ("questions", "repeats", "limit"))
    return f"compare({', '.join([*map(repr, names), *rest])})"
