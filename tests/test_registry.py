"""Names and specs: what is built, what is refused and how, and that nothing is imported before its time."""

import importlib.metadata
import re
import subprocess
import sys
import types
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from typing import Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from solvers import Claims, Deduction, Solver, Unsupported, label_of, make_solver, registry, solver_names, spec_of


@dataclass(frozen=True, slots=True)
class Guess:
    """A third party's solver, with a parameter of every kind."""

    depth: int = 3
    share: float = 0.5
    loud: bool = False
    way: Literal["up", "down"] = "up"
    stages: tuple[str, ...] = ("single",)
    sizes: tuple[int, ...] = ()
    limit: int | None = None
    name: str = "x"

    @property
    def claims(self):
        return Claims()

    def deduce(self, problem, /):
        return Deduction.inconsistent(problem.n)


class Plain:
    pass


@dataclass(frozen=True)
class Shown(Guess):
    """Its entry point names it in another module than its own."""


@pytest.fixture
def third_party(monkeypatch):
    """`guess`, `broken`, `plain`, and one that would like to be `single`."""
    targets = {
        "guess": f"{__name__}:Guess",
        "single": f"{__name__}:Guess",
        "broken": "no_such_library.inner:Thing",
        "plain": f"{__name__}:Plain",
        "shown": "a_package:inner.Shown",
    }
    package = types.ModuleType("a_package")
    package.inner = types.SimpleNamespace(Shown=Shown)
    monkeypatch.setitem(sys.modules, "a_package", package)
    points = [EntryPoint(name, target, "sapper.solvers") for name, target in targets.items()]
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: points)
    clear()
    yield
    monkeypatch.undo()
    clear()


def clear():
    registry._third_party.cache_clear()
    registry.solver_class.cache_clear()


BUILT_IN = ["single", "subset", "minmax", "sat", "cpsat", "counting", "cascade", "enumeration", "mstoollib"]


def test_names_come_in_order_of_strength():
    assert [name for name in solver_names() if name in BUILT_IN] == BUILT_IN


def test_each_name_builds_a_frozen_solver_with_defaults(solver):
    spec = spec_of(solver)
    assert isinstance(solver, Solver)
    assert isinstance(solver.claims, Claims)
    assert make_solver(spec) == solver
    assert hash(make_solver(spec)) == hash(solver)
    assert make_solver(f"  {spec}\n") == solver
    assert label_of(solver) == spec
    assert solver.__dataclass_params__.frozen
    assert not hasattr(solver, "__dict__")  # slots


def test_parameters_that_are_defaults_are_not_written():
    assert spec_of(make_solver("counting:exact=false")) == "counting"
    assert spec_of(make_solver("enumeration:max_nodes=7,max_models=5")) == "enumeration:max_models=5,max_nodes=7"


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("", "unknown solver ''"),
        ("subsett", "unknown solver 'subsett'; did you mean 'subset'?"),
        ("Sat", "unknown solver 'Sat'"),
        ("zzz", "unknown solver 'zzz'; known are single, subset"),
        ("single:fast=true", "solver 'single' has no parameter 'fast'"),
        ("counting:exakt=true", "solver 'counting' has no parameter 'exakt'; did you mean 'exact'?"),
        ("counting:exact", "'exact' in the solver spec 'counting:exact' is not of the form key=value"),
        ("counting:", "'' in the solver spec 'counting:' is not of the form key=value"),
        ("counting:exact=true,", "is not of the form key=value"),
        ("counting:exact=true,exact=false", "parameter 'exact' stands twice"),
        ("counting:exact=yes", "parameter 'exact' of solver 'counting': 'yes' is neither true nor false"),
        ("enumeration:max_models=x", "parameter 'max_models' of solver 'enumeration': 'x' is not an integer"),
        ("enumeration:max_models=1.5", "'1.5' is not an integer"),
        ("enumeration:max_models=0", "max_models is at least 1, not 0"),
    ],
)
def test_bad_specs_are_quoted(spec, said):
    with pytest.raises(ValueError, match=re.escape(said)) as caught:
        make_solver(spec)
    assert "\n" not in str(caught.value)


@pytest.mark.usefixtures("third_party")
def test_third_parties_come_last_and_replace_nothing():
    assert solver_names()[-4:] == ["broken", "guess", "plain", "shown"]
    assert type(make_solver("single")).__module__ == "solvers.single"
    assert make_solver("guess:depth=5") == Guess(5)
    assert spec_of(Guess(5)) == "guess:depth=5"


@pytest.mark.usefixtures("third_party")
def test_a_class_may_be_re_exported():
    assert type(make_solver("shown:depth=5")) is Shown
    assert spec_of(Shown(5)) == label_of(Shown(5)) == "shown:depth=5"
    del sys.modules["a_package"]  # what is not imported is not looked up
    assert label_of(Shown(5)) == "Shown:depth=5"


@pytest.mark.usefixtures("third_party")
def test_a_missing_library_is_named():
    with pytest.raises(Unsupported, match="solver 'broken' needs the library 'no_such_library'"):
        make_solver("broken")


def test_a_missing_peer_names_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "ms_toollib", None)
    monkeypatch.delitem(sys.modules, "solvers.mstoollib", raising=False)
    clear()
    with pytest.raises(Unsupported, match=r"'ms_toollib', which is not installed: pip install 'sapper\[peers\]'"):
        make_solver("mstoollib")


@pytest.mark.usefixtures("third_party")
def test_a_class_that_is_no_dataclass_is_refused():
    with pytest.raises(ValueError, match="the solver 'plain' is not a dataclass"):
        make_solver("plain")


WORDS = st.text("abcdefghijklmnop-._", min_size=1)
GUESSES = st.builds(
    Guess,
    depth=st.integers(),
    share=st.floats(allow_nan=False),
    loud=st.booleans(),
    way=st.sampled_from(["up", "down"]),
    stages=st.lists(WORDS, max_size=3).map(tuple),
    sizes=st.lists(st.integers(0, 99), max_size=3).map(tuple),
    limit=st.none() | st.integers(),
    name=WORDS,
)


@pytest.mark.usefixtures("third_party")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(GUESSES)
def test_specs_round_trip(guess):
    spec = spec_of(guess)
    assert not set(spec) & set(" '\"$;|&<>()*?")  # no quoting in a shell
    assert make_solver(spec) == guess


@pytest.mark.usefixtures("third_party")
def test_values_outside_a_choice_are_refused():
    with pytest.raises(ValueError, match="'left' is none of up, down"):
        make_solver("guess:way=left")


def test_solvers_that_are_not_registered_have_a_label_but_no_spec():
    assert label_of(Guess(limit=4)) == "Guess:limit=4"
    assert label_of(Plain()) == "Plain"
    with pytest.raises(ValueError, match="Guess is not a registered solver"):
        spec_of(Guess())


def test_importing_solvers_imports_no_backend():
    code = "import sys, solvers; print(*sorted({m.partition('.')[0] for m in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    libraries = {"numba", "pysat", "ortools", "ms_toollib", "pandas", "rich", "typer"}
    assert not libraries & set(loaded.stdout.split())


def test_importing_solvers_looks_for_no_third_party():
    code = (
        "import sys, numpy; before = set(sys.modules); import solvers; "
        "assert not {'importlib.metadata', 'numpy.random', 'difflib'} & (set(sys.modules) - before)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("subset:max_sentences=-1", "max_sentences is at least 0, not -1"),
        ("minmax:max_clauses=-7", "max_clauses is at least 0, not -7"),
        ("sat:conflicts=-1", "conflicts is at least 0, not -1"),
        ("counting:max_bytes=0", "max_bytes is at least 1, not 0"),
        ("enumeration:max_nodes=-1", "max_nodes is at least 1, not -1"),
        (f"counting:max_bytes={2**63}", f"max_bytes is at most {2**63 - 1}, not {2**63}"),
        (f"subset:max_sentences={10**30}", f"max_sentences is at most {2**63 - 1}, not {10**30}"),
    ],
)
def test_budgets_are_checked_at_once(spec, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        make_solver(spec)


@pytest.mark.parametrize(("kind", "name"), [("subset", "max_sentences"), ("sat", "conflicts"), ("cpsat", "seed")])
def test_budgets_are_integers(kind, name):
    with pytest.raises(ValueError, match=r"is an integer, not 2\.5"):
        registry.solver_class(kind)(**{name: 2.5})
