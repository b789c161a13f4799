"""Options `--slow` and `--solver SPEC`; the fixtures `solver` and `marginal_solver`: one test body, all backends."""

import sys

import pytest
from hypothesis import settings

from solvers import Unsupported, make_solver, solver_names

# Exact counts of large boards have more digits than Python converts by default.
sys.set_int_max_str_digits(100_000)

# How long an example takes says nothing here: kernels compile, and tests run side by side.
settings.register_profile("sapper", deadline=None)
settings.load_profile("sapper")

VARIANTS = ["counting:exact=true"]


def pytest_addoption(parser):
    parser.addoption("--slow", action="store_true", help="also run the tests marked slow")
    parser.addoption("--solver", action="append", metavar="SPEC", help="only these solvers in tests over all of them")


def pytest_collection_modifyitems(config, items):
    if config.getoption("--slow"):
        return
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(pytest.mark.skip(reason="slow: run with --slow"))


def pytest_generate_tests(metafunc):
    specs = metafunc.config.getoption("--solver") or [*solver_names(), *VARIANTS]
    if "solver" in metafunc.fixturenames:
        metafunc.parametrize("solver", specs, indirect=True)
    if "marginal_solver" in metafunc.fixturenames:
        metafunc.parametrize("marginal_solver", list(filter(_counts, specs)), indirect=True)


def _counts(spec):
    try:
        return make_solver(spec).claims.marginals
    except Unsupported:
        return True  # so that the skipped test shows


def _make(spec):
    """The solver; skips where its library is missing."""
    try:
        return make_solver(spec)
    except Unsupported as missing:
        pytest.skip(str(missing))


@pytest.fixture
def solver(request):
    """Each registered solver in turn."""
    return _make(request.param)


@pytest.fixture
def marginal_solver(request):
    """Each registered solver that claims marginals."""
    return _make(request.param)
