"""Two runs, or more, made into one: parts of an experiment that were measured apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from benchmarks.corpus import Corpus
from benchmarks.folder import corpus_file
from benchmarks.records import Batch, BatchKey, Key, Record, Run

_MUST_EQUAL = {
    "repeats": "alike, by the same `repeats=` of `compare` or `--repeats` of `sapper bench`",
    "limits": "alike, by the same `limits=` of `compare` (it has none unless told) or `--seconds` and `--megabytes` of "
    "`sapper bench`",
}  # and how to have it so


def repeated(runs: Sequence[Run]) -> int:
    """How many questions more than one of the runs has a record of; `merge` keeps the first."""
    counts = Counter(record.key for run in runs for record in run.records)
    return sum(count > 1 for count in counts.values())


def merge(runs: Sequence[Run]) -> Run:
    """One run with the records and batches of all. Of a question that several have answered the first record counts.

    Of the same batch, too, the first counts. The runs have the same repeats and limits, and their corpora of one name
    the same content; where they asked different numbers of positions, the merged run has the most. Its header keeps
    each run's machine under `merged`.

    Raises ValueError, saying what does not fit: also where two runs gave different answers.
    """
    if len(runs) < 2:
        raise ValueError("to merge takes at least two runs")
    first, *others = runs
    for key, how in _MUST_EQUAL.items():
        for other in others:
            if other.header[key] != first.header[key]:
                raise ValueError(
                    f"the runs have different {key}: {first.header[key]} and {other.header[key]}; measure them {how}"
                )
    corpora, described = _corpora(runs)
    records: dict[Key, Record] = {}
    for run in runs:
        for record in run.records:
            _check_same(records.setdefault(record.key, record), record)
    batches: dict[BatchKey, Batch] = {}
    for run in runs:
        for batch in run.batches:
            batches.setdefault(batch.key, batch)
    limits: list[Any] = [run.header.get("limit") for run in runs]
    asked = {question for run in runs for question in run.header["questions"]}
    header = {
        **first.header,
        "solvers": _solvers(runs),
        "corpora": described,
        "questions": [question for question in ("local", "global") if question in asked],
        "limit": None if None in limits else max(limits),
        "batch_threads": list(dict.fromkeys(count for run in runs for count in run.header.get("batch_threads", ()))),
        "left_out": list({one["spec"]: one for run in runs for one in run.header.get("left_out", ())}.values()),
        "merged": [origin for run in runs for origin in run.header.get("merged") or [_origin(run)]],
    }
    return Run(header, list(records.values()), corpora, None, list(batches.values()))


def _corpora(runs: Sequence[Run]) -> tuple[dict[str, Corpus], list[dict[str, Any]]]:
    corpora: dict[str, Corpus] = {}
    described: dict[str, dict[str, Any]] = {}
    for run in runs:
        for item in run.header["corpora"]:
            name = item["name"]
            known = described.get(name)
            if known is not None and known["hash"] != item["hash"]:
                raise ValueError(f"the corpus {name!r} is not the same: {known['hash'][:12]} and {item['hash'][:12]}")
            if known is None or item["asked"] > known["asked"]:
                described[name], corpora[name] = item, run.corpora[name]
    return corpora, [{**item, "file": corpus_file(i, name)} for i, (name, item) in enumerate(described.items())]


def _solvers(runs: Sequence[Run]) -> list[dict[str, Any]]:
    solvers: dict[str, dict[str, Any]] = {}
    for run in runs:
        for item in run.header["solvers"]:
            known = solvers.setdefault(item["label"], item)
            if {**known, **item} != {**item, **known}:  # older runs do not have the parameters
                raise ValueError(f"the solver {item['label']!r} is not the same in all runs")
    return list(solvers.values())


def _check_same(one: Record, two: Record) -> None:
    if one.status is None or two.status is None:
        return
    if one.claims != two.claims:
        raise ValueError(f"the runs have different answers to {', '.join(one.key)}")


def _origin(run: Run) -> dict[str, Any]:
    kept = ("command", "started", "finished", "seed", "machine")
    return {**{key: run.header.get(key) for key in kept}, "records": len(run.records)}
