"""README's tables, made again by the experiments behind them.

A table stands between two comments: `<!-- table: NAME -->` and `<!-- end -->`. NAME is an experiment, whose
headline it is, or `strategies`, the registry's table. What is deterministic in a table (everything but times)
must come out as it stands; the rest is replaced.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from benchmarks.document import verdict
from benchmarks.metrics import wrong_claims
from benchmarks.records import Run
from benchmarks.tables import headline, markdown, metrics_table, strategies_table

STRATEGIES = "strategies"  #: the one table that needs no experiment
_START = re.compile(r"<!-- table: (?P<name>\S+) -->\r?\n")
_BLOCK = re.compile(rf"({_START.pattern})(?P<text>(?:(?!<!-- table: ).)*?)(<!-- end -->)", re.DOTALL)
_TIMED = ("µs", "× peer", "PAR-2")  # parts of the names of columns that hold times


@dataclass(frozen=True, slots=True)
class Difference:
    """A cell of a table that came out different though it is deterministic."""

    table: str
    row: str
    column: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"table {self.table}, {self.row}, {self.column}: {self.before!r} became {self.after!r}"


def table_names(document: str) -> list[str]:
    """The names of the tables in a document, each once. ValueError for one without an end, or with ragged rows.

    >>> table_names("<!-- table: standard -->\\n| A |\\n|---|\\n<!-- end -->")
    ['standard']
    """
    blocks = {found.start(): found for found in _BLOCK.finditer(document)}
    for found in _START.finditer(document):
        if found.start() not in blocks:
            raise ValueError(f"the table {found['name']!r} has no <!-- end -->")
    for found in blocks.values():
        _parse(found["name"], found["text"])
    return list(dict.fromkeys(found["name"] for found in blocks.values()))


def block(name: str, run: Run | None) -> str:
    """What stands between the comments: the table, and where it comes from."""
    if run is None:
        return markdown(strategies_table()) + "\n"
    machine = run.header["machine"]
    hashes = ", ".join(f"{item['name']} {item['hash'][:8]}" for item in run.header["corpora"])
    changed = " with changes" if machine["dirty"] else ""
    jobs = run.header.get("jobs") or 1
    made = (
        f"{verdict(run, wrong_claims(run))} Made by `sapper reproduce {name}` on {run.header['started'][:10]}, "
        f"commit {(machine['commit'] or 'unknown')[:12]}{changed}, Python {machine['python']}, "
        f"{machine['cpu']}, {machine['cores']} cores, {'one process' if jobs == 1 else f'{jobs} processes'}."
    )
    corpora = f"Corpora (name, hash): {hashes}."
    return f"{markdown(headline(metrics_table(run, by_corpus=False)))}\n\n<sub>{made} {corpora}</sub>\n"


def replaced(document: str, blocks: Mapping[str, str]) -> str:
    """The document with these tables in it; every other byte stays, and a table has the line ends around it."""

    def new(old: re.Match[str]) -> str:
        start, end = old[1], old[4]
        text = blocks[old["name"]].replace("\n", "\r\n" if start.endswith("\r\n") else "\n")
        return f"{start}{text}{end}"

    return _BLOCK.sub(lambda old: new(old) if old["name"] in blocks else old[0], document)


def differences(document: str, blocks: Mapping[str, str]) -> list[Difference]:
    """Where deterministic parts of the tables in the document are not those of the new ones."""
    found: list[Difference] = []
    for match in _BLOCK.finditer(document):
        name = match["name"]
        if name in blocks:
            found += _compare(name, _parse(name, match["text"]), _parse(name, blocks[name]))
    return found


def _parse(name: str, text: str) -> pd.DataFrame:
    """The markdown table in the text of a block; the first column names the rows."""
    lines = [re.split(r"(?<!\\)\|", line.strip()[1:-1]) for line in text.splitlines() if line.startswith("|")]
    if not lines:
        return pd.DataFrame()
    head, *body = [[cell.strip() for cell in line] for line in lines]
    for line in body:
        if len(line) != len(head):
            raise ValueError(f"table {name}: the row {line[0]!r} has {len(line)} cells, the head {len(head)}")
    return pd.DataFrame(body[1:], columns=head, dtype=str).set_index(head[0])


def _compare(name: str, before: pd.DataFrame, after: pd.DataFrame) -> list[Difference]:
    found = [Difference(name, str(row), "row", "missing", "there") for row in after.index if row not in before.index]
    found += [Difference(name, str(row), "row", "there", "missing") for row in before.index if row not in after.index]
    columns = [c for c in dict.fromkeys([*before.columns, *after.columns]) if not any(t in c for t in _TIMED)]
    for row in (row for row in before.index if row in after.index):
        for column in columns:
            old, new = (str(f.at[row, column]) if column in f.columns else "missing" for f in (before, after))
            if old != new:
                found.append(Difference(name, str(row), column, old, new))
    return found
