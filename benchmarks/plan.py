"""What to run: solvers, positions, questions, repeats, limits; immutable, and the same wherever it is run.

The unit of work is a group: one question about one position, put to several solvers. A drift of the machine
then falls on all of them alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import Field, asdict, dataclass, fields, is_dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.corpus import Corpus, Entry, Question, load_corpus
from benchmarks.folder import corpus_file
from benchmarks.records import Key
from solvers import Claims, Solver, label_of, make_solver, spec_of
from solvers.interface import HOW_TO_CLAIM
from solvers.registry import write_value

QUESTIONS: tuple[Question, ...] = ("local", "global")
_LARGEST = 10**15  # of a limit, in bytes or seconds: what the system's calls take


@dataclass(frozen=True, slots=True)
class Limits:
    """What one call of a solver may use; None is no limit.

    seconds: by the wall clock. memory_bytes: address space beyond what its process has when it is warmed up.
    warm_up_seconds: for the untimed first call, which may compile; a solver that takes longer is measured cold.
    """

    seconds: float | None = None
    memory_bytes: int | None = None
    warm_up_seconds: float = 120.0

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if value is not None and not 0 < value < _LARGEST:
                raise ValueError(f"the limit {name} is more than 0 and less than {_LARGEST:.0e}, not {value!r}")


@dataclass(frozen=True, slots=True)
class Group:
    """One question about one position, and the labels of the solvers in the order in which they are asked."""

    corpus: str
    index: int  # of the entry in its corpus
    question: Question
    solvers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that decides what is measured.

    solvers: by label. corpora: by name, only the positions that are asked. seed: shuffles the order of the
    questions, so that what was measured when a run ends early is a fair sample; None keeps the corpora's order.
    batch_threads: with how many threads each corpus is put at once to the solvers that take many problems.
    """

    solvers: Mapping[str, Solver]
    corpora: Mapping[str, Corpus]
    questions: tuple[Question, ...]
    repeats: int = 1
    limits: Limits = Limits()
    seed: int | None = None
    batch_threads: tuple[int, ...] = ()

    def __len__(self) -> int:
        """How many records there will be."""
        return len(self.solvers) * len(self.questions) * sum(map(len, self.corpora.values()))

    def entry(self, group: Group) -> Entry:
        """The position of a group."""
        return self.corpora[group.corpus].entries[group.index]

    def key(self, group: Group, solver: str) -> Key:
        """What the record of this solver in this group answers."""
        return solver, group.corpus, self.entry(group).id, group.question

    def groups(self) -> Iterator[Group]:
        """All of them, each with the solvers in a random order: nobody always comes first, or after the same one."""
        labels = list(self.solvers)
        asked = [
            (name, index, question)
            for name, corpus in self.corpora.items()
            for index, question in product(range(len(corpus)), self.questions)
        ]
        random = np.random.default_rng(self.seed or 0)
        turns = random.permuted(np.tile(np.arange(len(labels)), (len(asked), 1)), axis=1)
        order = range(len(asked)) if self.seed is None else random.permutation(len(asked))
        for which in order:
            name, index, question = asked[which]
            yield Group(name, index, question, tuple(labels[i] for i in turns[which]))

    def missing(self, done: frozenset[Key] | set[Key]) -> list[Group]:
        """The groups without what is done already."""
        return self.without(self.groups(), done)

    def without(self, groups: Iterable[Group], done: frozenset[Key] | set[Key]) -> list[Group]:
        """These groups, without what is done already."""
        left = []
        for group in groups:
            labels = tuple(label for label in group.solvers if self.key(group, label) not in done)
            if labels:
                left.append(replace(group, solvers=labels))
        return left


def rotated(labels: Sequence[str], turn: int) -> tuple[str, ...]:
    """The labels, begun at another one each turn.

    >>> rotated("abc", 1)
    ('b', 'c', 'a')
    """
    first = turn % len(labels)
    return (*labels[first:], *labels[:first])


def make_plan(
    solvers: Iterable[Solver | str] | Solver | str,
    corpora: Iterable[Corpus | str | Path] | Corpus | str | Path,
    questions: Sequence[str] | str = QUESTIONS,
    repeats: int = 1,
    limit: int | None = None,
    limits: Limits | None = None,
    seed: int | None = None,
    batch_threads: Sequence[int] = (),
) -> tuple[Plan, dict[str, Any]]:
    """The plan of what people give to `compare`, and what a run's header says of it.

    Raises ValueError for what means nothing, Unsupported for a spec whose library is missing.
    """
    named = _named([solvers] if _is_one(solvers) else solvers)  # type: ignore[list-item, arg-type]
    chosen = _corpora([corpora] if isinstance(corpora, Corpus | str | Path) else corpora, limit)
    asked = _questions((questions,) if isinstance(questions, str) else questions)
    if repeats < 1:
        raise ValueError(f"a question is put at least once, not {repeats} times")
    used = {name: part for name, (_, part) in chosen.items()}
    threads = _threads(batch_threads)
    plan = Plan(named, used, asked, repeats, limits or Limits(), seed, threads)
    header = {
        "solvers": [_solver_header(label, solver) for label, solver in named.items()],
        "corpora": [_corpus_header(i, *pair) for i, pair in enumerate(chosen.values())],
        "questions": list(asked),
        "repeats": repeats,
        "limit": limit,
        "limits": asdict(plan.limits),
        "seed": seed,
        "batch_threads": list(threads),
    }
    return plan, header


def _is_one(solvers: object) -> bool:
    return isinstance(solvers, str) or hasattr(solvers, "deduce")


def _named(solvers: Iterable[Solver | str]) -> dict[str, Solver]:
    """Label -> solver, in the order given."""
    named: dict[str, Solver] = {}
    for given in solvers:
        solver = make_solver(given) if isinstance(given, str) else given
        if isinstance(solver, type) or not callable(getattr(solver, "deduce", None)):
            raise ValueError(f"{solver!r} is no solver: an object with a method deduce(problem) is needed")
        label, number = label_of(solver), 1
        if not isinstance(getattr(solver, "claims", None), Claims):
            raise ValueError(f"{label} has no claims: {HOW_TO_CLAIM}")
        while (name := label if number == 1 else f"{label} ({number})") in named:
            number += 1
        named[name] = solver
    if not named:
        raise ValueError("no solver was given")
    return named


def _questions(given: Iterable[str]) -> tuple[Question, ...]:
    given = list(given)
    for question in given:
        if question not in QUESTIONS:
            raise ValueError(f"unknown question {question!r}; known are {', '.join(QUESTIONS)}")
    if not given:
        raise ValueError("no question was given")
    return tuple(question for question in QUESTIONS if question in given)


def _threads(given: Iterable[int]) -> tuple[int, ...]:
    given = list(given)
    for count in given:
        if not isinstance(count, int) or isinstance(count, bool) or count < 1:
            raise ValueError(f"a number of threads is an integer of at least 1, not {count!r}")
    return tuple(dict.fromkeys(given))


def _corpora(given: Iterable[Corpus | str | Path], limit: int | None) -> dict[str, tuple[Corpus, Corpus]]:
    """Name -> (the whole corpus, the part of it that is asked)."""
    if limit is not None and limit < 1:
        raise ValueError(f"a limit is at least 1, not {limit}")
    chosen: dict[str, tuple[Corpus, Corpus]] = {}
    for item in given:
        corpus = item if isinstance(item, Corpus) else load_corpus(item)
        if corpus.name in chosen:
            raise ValueError(f"two corpora are called {corpus.name!r}")
        if not corpus.entries:
            raise ValueError(f"the corpus {corpus.name!r} is empty")
        part = {key: value for key, value in corpus.header.items() if key not in ("count", "hash")}
        chosen[corpus.name] = corpus, Corpus(corpus.name, corpus.entries[:limit], part)
    if not chosen:
        raise ValueError("no corpus was given")
    return chosen


def _solver_header(label: str, solver: Solver) -> dict[str, Any]:
    try:
        spec = spec_of(solver)
    except ValueError:
        spec = None  # not registered
    parameters = {f.name: write_value(getattr(solver, f.name)) for f in _fields(solver)}
    claims = asdict(solver.claims)
    del claims["steady"]  # every call of a run tells the problem alike
    return {"label": label, "spec": spec, "claims": claims, "parameters": parameters}


def _fields(solver: object) -> list[Field[Any]]:
    """The parameters of a solver; none, if it is no dataclass."""
    known = is_dataclass(solver) and not isinstance(solver, type)
    return [field for field in fields(solver) if field.init] if known else []  # type: ignore[arg-type]


def _corpus_header(index: int, whole: Corpus, part: Corpus) -> dict[str, Any]:
    return {
        "name": whole.name,
        "hash": whole.hash,
        "positions": len(whole),
        "asked": len(part),
        "file": corpus_file(index, whole.name),
    }
