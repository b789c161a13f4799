"""Records for other programs: Parquet, CSV, SQLite."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pandas as pd

from benchmarks.entries import plain_rows
from benchmarks.judgement import score
from benchmarks.metrics import features
from benchmarks.records import Record, Run
from board import Position
from solvers import Unsupported

FORMS = (".parquet", ".csv", ".sqlite")
_LISTS = ("safe", "mines", "extract_nanoseconds", "solve_nanoseconds")
_JUDGED = ("solved", "nothing_entailed", "safe_entailed", "safe_found", "mines_entailed", "mines_found")


def records_frame(run: Run) -> pd.DataFrame:
    """A row a record, in the order of measurement: its fields, the faults, and what was entailed and found.

    `stats` is JSON text; the cells and the times are lists; `peak_bytes` are whole numbers, or none.
    """
    entries = run.entries()
    rows = []
    for record in run.records:
        row = {name: getattr(record, name) for name in Record.__struct_fields__}
        row |= {name: list(row[name]) for name in _LISTS} | {"stats": json.dumps(dict(record.stats), default=str)}
        judged = score(record, entries[record.corpus, record.entry])
        row |= {name: getattr(judged, name) for name in _JUDGED} | {"faults": " ".join(judged.faults)}
        rows.append(row)
    columns = [*Record.__struct_fields__, *_JUDGED, "faults"]
    return pd.DataFrame(rows, columns=columns).astype({"peak_bytes": "Int64"})


def positions_frame(run: Run) -> pd.DataFrame:
    """A row a position: its corpus, entry and game, `benchmarks.metrics.features`, and its text."""
    frame = features(run).reset_index()
    known = run.entries()
    entries = [known[key] for key in zip(frame["corpus"], frame["entry"], strict=True)]
    frame["game"] = [entry.game for entry in entries]
    frame["text"] = [_text(entry.position) for entry in entries]
    return frame


def _text(position: Position) -> str:
    """The position's text; clues over 8, which have no symbol, as numbers between spaces."""
    rows = plain_rows(position)
    return "\n".join(row if isinstance(row, str) else " ".join(map(str, row)) for row in rows)


def export(run: Run, path: str | Path) -> None:
    """Write the records to a file; its suffix decides: .parquet, .csv or .sqlite (which holds the positions too).

    Raises ValueError for another suffix, FileExistsError, FileNotFoundError without its folder, Unsupported
    without pyarrow.
    """
    path = Path(path)
    if path.suffix not in FORMS:
        raise ValueError(f"the suffix of {str(path)!r} is none of {', '.join(FORMS)}")
    if path.exists():
        raise FileExistsError(f"{str(path)!r} exists already")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{str(path)!r} cannot be made: there is no folder {str(path.parent)!r}")
    frame = records_frame(run)
    if path.suffix == ".parquet":
        try:
            frame.to_parquet(path, index=False)
        except ImportError:
            raise Unsupported("Parquet needs pyarrow: pip install 'sapper[parquet]'") from None
        return
    for name in _LISTS:
        frame[name] = [json.dumps(cells, separators=(",", ":")) for cells in frame[name]]
    if path.suffix == ".csv":
        frame.to_csv(path, index=False)
        return
    with closing(sqlite3.connect(path)) as database:
        frame.to_sql("records", database, index=False)
        positions_frame(run).to_sql("positions", database, index=False)
