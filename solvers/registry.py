"""Names and spec strings of solvers. Modules are imported when a name is first used.

A spec is `name` or `name:key=value,key=value`: text that needs no quoting in a shell. Values follow the
type of the solver's field: true/false, numbers, words; a tuple joins its items with `+`.
Third parties register a class under the entry-point group `sapper.solvers`.
"""

from __future__ import annotations

import dataclasses
import sys
import types
import typing
from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from solvers.interface import Solver, Unsupported

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_BUILT_IN = {
    "single": "solvers.single:Single",
    "subset": "solvers.subset:Subset",
    "minmax": "solvers.minmax:MinMax",
    "sat": "solvers.sat:Sat",
    "cpsat": "solvers.cpsat:CpSat",
    "counting": "solvers.counting:Counting",
    "cascade": "solvers.cascade:Cascade",
    "enumeration": "solvers.enumeration:Enumeration",
    "explanation": "solvers.explained:Explained",
    "mstoollib": "solvers.mstoollib:MsToollib",
}
_EXTRA_OF = {"ms_toollib": "peers"}


@cache
def _third_party() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points  # a fifth of the time of `import solvers`

    return {
        point.name: point
        for point in sorted(entry_points(group="sapper.solvers"), key=lambda p: p.name)
        if point.name not in _BUILT_IN
    }


def solver_names() -> list[str]:
    """The names `make_solver` knows: the built-in ones in order of strength, then third parties'.

    >>> solver_names()[:3]
    ['single', 'subset', 'minmax']
    """
    return [*_BUILT_IN, *_third_party()]


@cache
def solver_class(name: str) -> type[Any]:
    """The class behind a name. ValueError for an unknown name, Unsupported if its library is missing."""
    if name not in _BUILT_IN and name not in _third_party():
        raise ValueError(f"unknown solver {name!r}{nearest(name, solver_names())}")
    try:
        if name in _BUILT_IN:
            module, _, attribute = _BUILT_IN[name].partition(":")
            found = getattr(import_module(module), attribute)
        else:
            found = _third_party()[name].load()
    except ModuleNotFoundError as missing:
        library = (missing.name or "").partition(".")[0]
        if library in ("board", "solvers", "benchmarks"):
            raise  # a fault of ours, not a missing library
        extra = _EXTRA_OF.get(library)
        hint = f"pip install 'sapper[{extra}]'" if extra else f"install {library}"
        raise Unsupported(f"solver {name!r} needs the library {library!r}, which is not installed: {hint}") from missing
    if not (isinstance(found, type) and dataclasses.is_dataclass(found)):
        raise ValueError(f"the solver {name!r} is not a dataclass but {found!r}")
    return found


def make_solver(spec: str) -> Solver:
    """The solver that a spec describes.

    Raises ValueError quoting an unknown name, parameter or value, Unsupported for a missing library.

    >>> make_solver("counting:exact=true").exact
    True
    """
    made: Solver = build(spec, "solver", solver_class)
    return made


def build(spec: str, what: str, class_of: Callable[[str], type[Any]]) -> Any:
    """What a spec describes: the dataclass that its name has, made with its parameters.

    what: is made, for messages. class_of: the dataclass of a name; raises what it likes for an unknown one.
    Raises ValueError quoting an unknown parameter or a wrong value.
    """
    name, colon, tail = spec.strip().partition(":")
    found = class_of(name)
    types_of = typing.get_type_hints(found)
    names = [f.name for f in dataclasses.fields(found) if f.init]
    given: dict[str, Any] = {}
    for part in tail.split(",") if colon else ():
        key, equals, text = part.partition("=")
        if not equals:
            raise ValueError(f"{part!r} in the {what} spec {spec!r} is not of the form key=value")
        if key not in names:
            raise ValueError(f"{what} {name!r} has no parameter {key!r}{nearest(key, names)}")
        if key in given:
            raise ValueError(f"parameter {key!r} stands twice in the {what} spec {spec!r}")
        try:
            given[key] = _read(text, types_of[key])
        except ValueError as wrong:
            raise ValueError(f"parameter {key!r} of {what} {name!r}: {wrong}") from None
    return found(**given)


def spec_of(solver: Solver) -> str:
    """The spec that makes this solver: its registered name and the parameters that differ from the defaults.

    Raises ValueError for a solver that is not registered (see :func:`label_of`).

    >>> spec_of(make_solver("counting:exact=true"))
    'counting:exact=true'
    """
    name = _name_of(type(solver))
    if name is None:
        raise ValueError(f"{type(solver).__qualname__} is not a registered solver")
    return with_parameters(name, solver)


def label_of(solver: Solver) -> str:
    """What tables call a solver: its spec, or for one that is not registered its class and parameters."""
    name = _name_of(type(solver)) or type(solver).__name__
    return with_parameters(name, solver) if dataclasses.is_dataclass(solver) else name


def _name_of(kind: type[Any]) -> str | None:
    path = f"{kind.__module__}:{kind.__qualname__}"
    for name, target in _BUILT_IN.items():
        if target == path:
            return name
    for name, point in _third_party().items():
        if point.value.replace(" ", "") == path or _imported(point) is kind:
            return name
    return None


def _imported(point: EntryPoint) -> object:
    """What an entry point names, which may be re-exported from another module; None if that is not imported."""
    found: object = sys.modules.get(point.module)
    for attribute in point.attr.split("."):
        found = getattr(found, attribute, None)
    return found


def with_parameters(name: str, made: Any) -> str:
    """The spec of a dataclass that `build` makes under this name."""
    parts = []
    for f in dataclasses.fields(made):
        value = getattr(made, f.name)
        default = f.default if f.default_factory is dataclasses.MISSING else f.default_factory()
        if f.init and value != default:
            parts.append(f"{f.name}={write_value(value)}")
    return f"{name}:{','.join(parts)}" if parts else name


def _read(text: str, kind: Any) -> Any:
    """`text` as a value of the annotated type `kind`."""
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Literal:
        if text not in args:
            raise ValueError(f"{text!r} is none of {', '.join(map(str, args))}")
        return text
    if origin in (types.UnionType, typing.Union):
        if text == "none" and type(None) in args:
            return None
        return _read(text, next(a for a in args if a is not type(None)))
    if origin is tuple:
        return tuple(_read(item, args[0]) for item in text.split("+")) if text else ()
    if kind is bool:
        if text not in ("true", "false"):
            raise ValueError(f"{text!r} is neither true nor false")
        return text == "true"
    if kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            raise ValueError(f"{text!r} is not {'an integer' if kind is int else 'a number'}") from None
    return text


def write_value(value: Any) -> str:
    """A parameter's value as a spec writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if value is None:
        return "none"
    if isinstance(value, tuple):
        return "+".join(map(write_value, value))
    return str(value)


def nearest(word: str, known: Iterable[str]) -> str:
    """How a message about an unknown word ends.

    >>> nearest("subst", ["sat", "subset"])
    "; did you mean 'subset'?"
    """
    import difflib  # only for messages

    known = list(known)
    close = difflib.get_close_matches(word, known, 1)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; known are {', '.join(known)}" if known else "; it takes none"
