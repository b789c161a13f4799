"""What to run, as data: TOML files that people can read, checked key by key.

    title = "One line"
    corpora = ["expert-random", "my/corpus.jsonl"]   # a file's path counts from the experiment's folder
    solvers = ["subset", {spec = "sat", encoding = ["totalizer", "seqcounter"], oracle = "minicard"}]
    questions = ["local", "global"]                  # both, unless given
    limit = 100                                      # positions a corpus; all, unless given
    repeats = 3                                      # 1, unless given
    seed = 1                                         # shuffles the order; 0, unless given
    batch_threads = [1, 2]                           # whole corpora at once, so many threads; none, unless given

    [limits]
    seconds = 10                                     # a call, by the wall clock
    memory_bytes = 2_000_000_000

A table among the solvers is a sweep: every combination of the values of its parameters. What the solver refuses
of them is left out, with a note. A solver that is named alone is left out only where its library is missing.

Experiments in which games are played are read by :mod:`benchmarks.play_experiment`.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from importlib import resources
from itertools import product
from pathlib import Path
from typing import Any, Literal

from benchmarks.corpus import corpus_names, load_corpus
from benchmarks.left_out import LeftOut, left_out_notes
from benchmarks.plan import QUESTIONS, Limits
from solvers import Unsupported, make_solver, spec_of
from solvers.registry import nearest, solver_class, write_value

_BUNDLED = "benchmarks.experiments"
_KEYS: dict[str, Any] = {
    "title": str,
    "corpora": list,
    "solvers": list,
    "questions": list,
    "limit": int,
    "repeats": int,
    "seed": int,
    "batch_threads": list,
    "limits": dict,
}
_LIMITS: dict[str, Any] = {"seconds": int | float, "memory_bytes": int, "warm_up_seconds": int | float}


@dataclass(frozen=True, slots=True)
class Experiment:
    """What to run.

    solvers: spec strings, sweeps written out. corpora: names and paths. limit: positions a corpus, None for all.
    batch_threads: see `benchmarks.plan.Plan`.
    left_out: which of the file are not among `solvers`, and why: a library is missing, a combination impossible.
    """

    name: str
    title: str
    solvers: tuple[str, ...]
    corpora: tuple[str, ...]
    questions: tuple[str, ...] = QUESTIONS
    limit: int | None = None
    repeats: int = 1
    limits: Limits = field(default_factory=Limits)
    seed: int = 0
    left_out: tuple[LeftOut, ...] = ()
    batch_threads: tuple[int, ...] = ()


def experiment_names(command: Literal["bench", "play"] = "bench") -> list[str]:
    """The names of the bundled experiments of a command.

    >>> "standard" in experiment_names(), "win-rates" in experiment_names("play")
    (True, True)
    """
    return [name for name, found in _bundled().items() if command == _command_of(found)]


@cache
def _bundled() -> dict[str, dict[str, Any]]:
    """The bundled experiments by name, in order."""
    files = [item for item in resources.files(_BUNDLED).iterdir() if item.name.endswith(".toml")]
    files.sort(key=lambda item: item.name)
    return {item.name.removesuffix(".toml"): tomllib.loads(item.read_text(encoding="utf-8")) for item in files}


def _command_of(found: Mapping[str, Any]) -> Literal["bench", "play"]:
    return "play" if {"players", "optima"} & set(found) else "bench"


def read_experiment(
    name_or_path: str | Path, command: Literal["bench", "play"]
) -> tuple[dict[str, Any], str, str, Path | None]:
    """(what stands in it, its file in messages, its name, its folder) of a bundled experiment or of a .toml file.

    The folder of a bundled one is None. Raises ValueError, naming the file, also for one of another command.
    """
    name = str(name_or_path)
    if name in _bundled():
        found, where, folder = _bundled()[name], f"{name}.toml", None
    else:
        path = Path(name_or_path)
        if path.suffix != ".toml" and not path.exists():
            raise ValueError(f"unknown experiment {name!r}{nearest(name, experiment_names(command))}")
        found, where, name, folder = _parsed(path), str(path), path.stem, path.parent
    if command == "play" and not {"players", "optima", "solvers", "corpora"} & set(found):
        raise ValueError(f"{where} is no experiment: it has neither players nor optima")
    if _command_of(found) != command:
        raise ValueError(f"{where} is an experiment of another command: sapper {_command_of(found)} {name_or_path}")
    return found, where, name, folder


def _parsed(path: Path) -> dict[str, Any]:
    try:
        text = path.read_bytes().decode()
    except OSError as wrong:
        raise ValueError(f"{path}: cannot be read: {wrong.strerror}") from None
    except UnicodeDecodeError as wrong:
        raise ValueError(f"{path}: is not text: byte {wrong.start} is not UTF-8") from None
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as wrong:  # not only TOMLDecodeError: an integer can be too long for Python
        raise ValueError(f"{path}: is not TOML: {wrong}") from None


def load_experiment(name_or_path: str | Path) -> Experiment:
    """The bundled experiment of that name, or the one in that .toml file.

    Raises ValueError naming the file and the key.
    """
    found, where, name, folder = read_experiment(name_or_path, "bench")
    _check(found, _KEYS, where)
    for key in ("corpora", "solvers"):
        if not found.get(key):
            raise ValueError(f"{where}, key {key}: at least one is needed")
    limits = found.get("limits", {})
    _check(limits, _LIMITS, where, "limits.")
    for key, value in limits.items():
        if not math.isfinite(value):
            raise ValueError(f"{where}, key limits.{key}: a finite number is needed, not {value}")
    specs, left_out = _solvers(found["solvers"], where)
    for key in ("limit", "repeats"):
        if found.get(key, 1) < 1:
            raise ValueError(f"{where}, key {key}: at least 1 is needed, not {found[key]}")
    if found.get("seed", 0) < 0:
        raise ValueError(f"{where}, key seed: at least 0 is needed, not {found['seed']}")
    try:
        bounds = Limits(**limits)
    except ValueError as wrong:
        raise ValueError(f"{where}, key limits: {wrong}") from None
    return Experiment(
        name,
        found.get("title", name),
        specs,
        _corpora(found["corpora"], where, folder),
        _questions(found.get("questions", list(QUESTIONS)), where),
        found.get("limit"),
        found.get("repeats", 1),
        bounds,
        found.get("seed", 0),
        left_out,
        _threads(found.get("batch_threads", []), where),
    )


def _check(found: Mapping[str, Any], known: Mapping[str, Any], where: str, within: str = "") -> None:
    for key, value in found.items():
        if key not in known:
            raise ValueError(f"{where}, key {within}{key}: is unknown{nearest(key, known)}")
        if not isinstance(value, known[key]) or isinstance(value, bool):
            needed = _KINDS[known[key]]
            raise ValueError(f"{where}, key {within}{key}: {value!r} is of the wrong type; {needed} is needed")


_KINDS: dict[Any, str] = {
    str: "a text",
    list: "a list",
    int: "an integer",
    dict: "a table",
    int | float: "a number",
}


def _questions(found: list[Any], where: str) -> tuple[str, ...]:
    for number, question in enumerate(found):
        if question not in QUESTIONS:
            raise ValueError(f"{where}, key questions[{number}]: {question!r} is none of {', '.join(QUESTIONS)}")
    if not found:
        raise ValueError(f"{where}, key questions: at least one is needed")
    return tuple(found)


def _threads(found: list[Any], where: str) -> tuple[int, ...]:
    for number, count in enumerate(found):
        if not isinstance(count, int) or isinstance(count, bool) or count < 1:
            raise ValueError(f"{where}, key batch_threads[{number}]: an integer of at least 1 is needed, not {count!r}")
    return tuple(dict.fromkeys(found))


def _corpora(found: list[Any], where: str, folder: Path | None) -> tuple[str, ...]:
    corpora = []
    for number, item in enumerate(found):
        if not isinstance(item, str):
            raise ValueError(f"{where}, key corpora[{number}]: {item!r} is not a name or a path")
        near = _located(item, folder)
        try:
            if near not in corpus_names():
                load_corpus(near)
        except ValueError as wrong:
            raise ValueError(f"{where}, key corpora[{number}]: {wrong}") from None
        if near in corpora:
            raise ValueError(f"{where}, key corpora[{number}]: {item!r} stands twice")
        corpora.append(near)
    return tuple(corpora)


def _located(item: str, folder: Path | None) -> str:
    """A name as it is; a path counted from the experiment's folder, never from the current one."""
    if folder is None or item in corpus_names():
        return item
    path = folder / item
    return str(path) if path.exists() or path.suffix or path.parent != folder else item


def _solvers(found: list[Any], where: str) -> tuple[tuple[str, ...], tuple[LeftOut, ...]]:
    """Specs, and why some are left out."""
    specs: list[str] = []
    left_out: dict[str, LeftOut] = {}
    for number, item in enumerate(found):
        key = f"{where}, key solvers[{number}]"
        for spec in [item] if isinstance(item, str) else _sweep(item, key):
            try:
                specs.append(spec_of(make_solver(spec)))
            except Unsupported as why:
                parameters = _parameters(spec)
                if parameters is not None and isinstance(item, str):
                    raise ValueError(f"{key}: {spec!r} cannot be asked: {why}") from None
                left_out[spec] = LeftOut(spec, str(why), parameters or {})
            except ValueError as wrong:
                raise ValueError(f"{key}: {wrong}") from None
    if not specs:
        raise ValueError(f"{where}, key solvers: none is left. {' '.join(left_out_notes(list(left_out.values())))}")
    return tuple(dict.fromkeys(specs)), tuple(left_out.values())


def _parameters(spec: str) -> dict[str, str] | None:
    """All parameters of a spec that was refused, as text; None if the solver's library is missing."""
    name, _, tail = spec.strip().partition(":")
    try:
        known = fields(solver_class(name))
    except Unsupported:
        return None
    defaults = {f.name: write_value(f.default) for f in known if f.default is not MISSING}
    return defaults | dict(part.split("=", 1) for part in tail.split(",") if part)


def _sweep(item: Any, where: str) -> list[str]:
    if not isinstance(item, dict) or not isinstance(item.get("spec"), str):
        raise ValueError(f"{where}: {item!r} is neither a spec nor a table with a spec")
    values: list[list[str]] = []
    names = [key for key in item if key != "spec"]
    for name in names:
        given = item[name] if isinstance(item[name], list) else [item[name]]
        if not given or not all(isinstance(value, str | int | float) for value in given):
            raise ValueError(f"{where}, {name}: {item[name]!r} is neither a value nor a list of values")
        values.append([f"{name}={write_value(value)}" for value in given])
    joint = "," if ":" in item["spec"] else ":"
    return [item["spec"] + joint * bool(names) + ",".join(combination) for combination in product(*values)]
