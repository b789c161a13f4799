"""Strategies compared on the same positions: corpora, `compare`, records, metrics, tables, the command."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchmarks.comparison import compare, resume, run_experiment
    from benchmarks.corpus import Corpus, build_corpus, corpus_names, load_corpus, read_corpus, write_corpus
    from benchmarks.experiment import Experiment, experiment_names, load_experiment
    from benchmarks.exploring import explore
    from benchmarks.merging import merge
    from benchmarks.plan import Limits
    from benchmarks.records import Record, Run

__all__ = [
    "Corpus",
    "Experiment",
    "Limits",
    "Record",
    "Run",
    "build_corpus",
    "compare",
    "corpus_names",
    "experiment_names",
    "explore",
    "load_corpus",
    "load_experiment",
    "merge",
    "read_corpus",
    "resume",
    "run_experiment",
    "write_corpus",
]

_MODULES = {
    **dict.fromkeys(("compare", "resume", "run_experiment"), "comparison"),
    **dict.fromkeys(("Experiment", "experiment_names", "load_experiment"), "experiment"),
    "explore": "exploring",
    "merge": "merging",
    "Limits": "plan",
    **dict.fromkeys(("Record", "Run"), "records"),
}


def __getattr__(name: str) -> Any:
    if name in __all__:  # at first use, so that the command answers at once
        return getattr(import_module(f"benchmarks.{_MODULES.get(name, 'corpus')}"), name)
    raise AttributeError(f"module 'benchmarks' has no attribute {name!r}")
