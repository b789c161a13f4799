"""Tiny corpora with answers that can be checked by eye, and runs made of records written by hand."""

import dataclasses
import json
from pathlib import Path

import msgspec

from benchmarks.corpus import Answer, Corpus, Entry
from benchmarks.folder import FORMAT, corpus_file
from benchmarks.records import Batch, Record, Run
from board import Position

DATA = Path(__file__).parent / "data"


def replace(value, **changes):
    """A record, a batch, a run or an entry with other values in some fields."""
    change = msgspec.structs.replace if isinstance(value, Record | Batch) else dataclasses.replace
    return change(value, **changes)


def entry(name, rows, mines, local, whole):
    return Entry(name, f"game-{name}", Position.parse(rows, mines), Answer(True, *local), Answer(True, *whole))


CLEAR = entry("clear", ["0###", "##1#"], 1, ((1, 4, 5), ()), ((1, 4, 5), ()))
EVEN = entry("even", ["1#", "1#"], 1, ((), ()), ((), ()))  # nothing follows
COUNTED = entry("counted", ["1##", "##1"], 1, ((), ()), ((2, 3), ()))  # only the mine count settles it
MINES = entry("mines", ["1##"], 2, ((), (1,)), ((), (1, 2)))
NO_MODEL = Answer(False, (), ())
BROKEN = Entry("broken", "game-broken", Position.parse(["1#", "0#"], mines=1), NO_MODEL, NO_MODEL)
TINY = Corpus("tiny", (CLEAR, EVEN, COUNTED, MINES, BROKEN))


def said(entry, status, safe=(), mines=(), *, solver="one", question="global", solve=(1000,), extract=(500,)):
    """A record of an answer, not judged."""
    return Record(
        solver=solver,
        corpus="tiny",
        entry=entry.id,
        game=entry.game,
        question=question,
        outcome=status,
        status=status,
        safe=tuple(safe),
        mines=tuple(mines),
        extract_nanoseconds=extract,
        solve_nanoseconds=solve,
    )


def failed(entry, outcome="error", message="RuntimeError: no", *, solver="one", question="global"):
    """A record without an answer."""
    return Record(solver, "tiny", entry.id, entry.game, question, outcome, None, (), (), (500,), (9_000_000,), message)


def at_once(threads=1, nanoseconds=(5000, 4000, 9000), *, solver="one", question="global", wrong=0, message=""):
    """A batch of the whole tiny corpus."""
    return Batch(solver, "tiny", question, "deduce_many", threads, len(TINY), nanoseconds, wrong, message)


def run_of(*records, corpus=TINY, batches=()):
    """A run of these records and batches."""
    nothing = {"complete_local": False, "complete_global": False, "marginals": False, "exact": False}
    header = {
        "format": FORMAT,
        "experiment": None,
        "command": "sapper bench",
        "solvers": [{"label": r, "spec": None, "claims": nothing} for r in dict.fromkeys(r.solver for r in records)],
        "corpora": [
            {
                "name": corpus.name,
                "hash": corpus.hash,
                "positions": len(corpus),
                "asked": len(corpus),
                "file": corpus_file(0, corpus.name),
            }
        ],
        "questions": [q for q in ("local", "global") if any(r.question == q for r in records)],
        "repeats": 1,
        "limit": None,
        "limits": {"seconds": None, "memory_bytes": None, "warm_up_seconds": 120.0},
        "seed": None,
        "jobs": None,
        "cluster": None,
        "resumed": [],
        "started": "2026-01-01T00:00:00+00:00",
        "machine": {"commit": "abc", "dirty": False, "sapper": "1", "python": "3", "cpu": "C", "cores": 1},
    }
    return Run(header, list(records), {corpus.name: corpus}, None, list(batches))


def shared_corpus(name, count):
    """The first positions of one kind in tests/data/corpora.jsonl, such as `beginner-random`."""
    entries = []
    for line in (DATA / "corpora.jsonl").read_text().splitlines():
        found = json.loads(line)
        if found["id"].rpartition("-")[0] == name and len(entries) < count:
            local = Answer(True, tuple(found["safe_local"]), tuple(found["mine_local"]))
            whole = Answer(True, tuple(found["safe"]), tuple(found["mine"]))
            position = Position.parse(found["grid"], found["mines"])
            entries.append(Entry(found["id"], found["id"], position, local, whole))
    return Corpus(name, tuple(entries))
