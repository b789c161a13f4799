"""Problems as text: read back by other tools, they have the models of the problem."""

import re
import shutil
import subprocess
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from problems import problems, with_mines
from pysat.card import CardEnc
from pysat.examples.rc2 import RC2
from pysat.formula import CNF, WCNF
from pysat.solvers import Solver
from typer.testing import CliRunner

from benchmarks.cli import app
from board import Layout, Position, Problem, formats
from board.render import symbols
from board.topology import named
from solvers import Unsupported, make_solver
from solvers.encodings import _PYSAT, ENCODINGS, EXTREME, KEEPS_MODELS
from solvers.formulas import (
    DEFAULT_ENCODING,
    FORMATS,
    _estimate,
    formula_text,
    to_dimacs,
    to_minizinc,
    to_mps,
    to_opb,
    to_wcnf,
)
from solvers.trial_problems import trial_problems

WITH_CLAUSES = [name for name in ENCODINGS if name != "native"]
TRIALS = [p for p in trial_problems(60, seed=5) if np.count_nonzero(p.covered) <= 10]
HIDDEN = ["##1#1#", "##11##", "######"]
IMPOSSIBLE = {
    "a clue without cells": Problem.from_sets([(set(), 1), ({0, 1}, 1)], 3),
    "a clue without cells and nothing else": Problem.from_sets([(set(), 2)], 0),
    "no covered cell": Problem.from_sets([], 4, mines=1, covered=[]),
    "a total over its scope": Problem.from_sets([({0, 1}, 3)], 3),
    "a total under 0": Problem.from_sets([({0, 1}, -1)], 3),
    "too many mines": Problem.from_sets([({0, 1}, 1)], 3, mines=4),
    "far too many mines": Problem.from_sets([({0, 1}, 1)], 3, mines=10**5000),
    "fewer mines than none": with_mines(Problem.from_sets([({0, 1}, 1)], 3), -1),
    "clues that contradict": Problem.from_sets([({0, 1}, 1), ({0, 1}, 2)], 3),
}


# What the texts say, read by other tools where there are some: models as sets of tuples of 0 and 1, one a variable.


def solutions(variables, sums):
    """By trying all assignments; sums: pairs of a dict {variable, from 1: coefficient} and a total."""
    every = np.array(list(product((0, 1), repeat=variables)), np.int64).reshape(2**variables, variables)
    fit = np.ones(len(every), bool)
    for terms, total in sums:
        fit &= sum((every[:, x - 1] * factor for x, factor in terms.items()), np.zeros(len(every))) == float(total)
    return set(map(tuple, every[fit].tolist()))


def models(problem):
    cells = np.flatnonzero(problem.covered).tolist()
    variable = {cell: x for x, cell in enumerate(cells, 1)}
    sums = [({variable[cell]: 1 for cell in c.scope}, c.total) for c in problem.constraints]
    if problem.mines is not None:
        sums.append((dict.fromkeys(variable.values(), 1), min(problem.mines, 99)))
    return solutions(len(cells), sums)


def satisfying(clauses, shown):
    """The assignments to 1..shown under which clauses can be satisfied."""
    found = set()
    with Solver("cadical153", bootstrap_with=clauses) as oracle:
        while oracle.solve():
            true = {x for x in oracle.get_model() if x > 0}
            found.add(tuple(int(x in true) for x in range(1, shown + 1)))
            if not shown:
                break
            oracle.add_clause([-x if x in true else x for x in range(1, shown + 1)])
    return found


def read_dimacs(text):
    """(clauses, variables, shown), checked against each other."""
    assert re.findall(r"^c [tp] \w+", text, re.MULTILINE) == ["c t pmc", "c p show"]
    variables, clauses = map(int, re.search(r"^p cnf (\d+) (\d+)$", text, re.MULTILINE).groups())
    shown = re.search(r"^c p show ((?:\d+ )*)0$", text, re.MULTILINE)[1].split()
    cnf = CNF(from_string=text)
    assert len(cnf.clauses) == clauses
    assert cnf.nv <= variables
    assert all(cnf.clauses)
    return cnf.clauses, variables, list(map(int, shown))


def read_opb(text):
    """(variables, sums): the grammar of the Pseudo-Boolean Competition, as far as it is in use here."""
    head, *lines = text.splitlines()
    variables, constraints = map(int, re.fullmatch(r"\* #variable= (\d+) #constraint= (\d+)", head).groups())
    lines = [line for line in lines if not line.startswith("*")]
    assert len(lines) == constraints
    sums = []
    for line in lines:
        left, total = re.fullmatch(r"((?:\+1 x\d+ )+)= (-?\d+) ;", line).groups()
        sums.append(({int(x): 1 for x in re.findall(r"x(\d+)", left)}, int(total)))
        assert set(sums[-1][0]) <= set(range(1, variables + 1))
    return variables, sums


def read_mps(text):
    """(names of the variables, sums), as OR-Tools reads it."""
    from ortools.linear_solver.python import model_builder

    model = model_builder.Model()
    assert model.import_from_mps_string(text)
    proto = model.export_to_proto()
    assert all((v.is_integer, v.lower_bound, v.upper_bound) == (True, 0, 1) for v in proto.variable)
    assert all(c.lower_bound == c.upper_bound for c in proto.constraint)
    sums = [
        ({x + 1: f for x, f in zip(c.var_index, c.coefficient, strict=True)}, c.lower_bound) for c in proto.constraint
    ]
    return [v.name for v in proto.variable], sums


def read_minizinc(text):
    """(variables, sums, items of the output)."""
    text, output = re.fullmatch(r"(.*)solve satisfy;\n.*output \[\n(.*)\];\n", text, re.DOTALL).groups()
    variables = int(re.search(r"^array\[1\.\.(\d+)\] of var 0\.\.1: mine;$", text, re.MULTILINE)[1])
    sums = []
    for line in text.splitlines():
        if line.startswith("constraint"):
            scope, total = re.fullmatch(r"constraint sum\(x in (.*)\)\(mine\[x\]\) = (-?\d+); % \w+", line).groups()
            first, _, last = scope.partition("..")
            terms = range(int(first), int(last) + 1) if last else map(int, scope.strip("{}").split(", "))
            sums.append((dict.fromkeys(terms, 1), int(total)))
    return variables, sums, re.findall(r'drawn\(\d+\)|"[^"]*"', output)


def check_without_clauses(problem):
    """All three formats have exactly the models of the problem."""
    expected, cells = models(problem), np.count_nonzero(problem.covered)
    assert solutions(*read_opb(to_opb(problem))) == expected
    names, sums = read_mps(to_mps(problem))
    assert len(set(names)) == len(names) == max(cells, names == ["none"])
    assert solutions(len(names), sums) == expected
    variables, sums, _ = read_minizinc(to_minizinc(problem))
    assert variables == len(names)
    assert solutions(variables, sums) == expected


@pytest.mark.parametrize("encoding", WITH_CLAUSES)
def test_dimacs_and_wcnf_have_the_models_of_the_problem_and_the_fewest_mines(encoding):
    asked = 0
    for problem in TRIALS:
        try:
            clauses, variables, shown = read_dimacs(to_dimacs(problem, encoding))
        except Unsupported:
            assert encoding in EXTREME
            continue
        asked += 1
        expected, n = models(problem), np.count_nonzero(problem.covered)
        assert shown == list(range(1, n + 1))
        assert satisfying(clauses, n) == expected
        if encoding in KEEPS_MODELS:
            assert len(satisfying(clauses, variables)) == len(expected)
        formula = WCNF(from_string=to_wcnf(problem, encoding))
        assert (formula.hard, formula.soft) == (clauses, [[-x] for x in shown])
        assert set(formula.wght) <= {1}
        with RC2(formula) as optimizer:
            optimum = optimizer.compute()
            assert (optimizer.cost if optimum is not None else None) == min(map(sum, expected), default=None)
    assert asked > 20


def test_sums_have_the_models_of_the_problem():
    for problem in TRIALS:
        check_without_clauses(problem)


@given(problems())
def test_any_small_problem(problem):
    check_without_clauses(problem)
    n = np.count_nonzero(problem.covered)
    assert satisfying(read_dimacs(to_dimacs(problem))[0], n) == models(problem)


@pytest.mark.parametrize("problem", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_without_a_model_every_reader_finds_none(problem):
    check_without_clauses(problem)
    assert models(problem) == set()
    assert satisfying(read_dimacs(to_dimacs(problem))[0], 0) == set()
    with RC2(WCNF(from_string=to_wcnf(problem))) as optimizer:
        assert optimizer.compute() is None


@pytest.mark.parametrize("mines", [None, 0])
@pytest.mark.parametrize("covered", [[], [1, 3]])
def test_nothing_asked(covered, mines):
    problem = Problem.from_sets([(set(), 0)], 4, mines=mines, covered=covered)
    check_without_clauses(problem)
    clauses, variables, shown = read_dimacs(to_dimacs(problem))
    assert (variables, shown) == (len(covered), list(range(1, len(covered) + 1)))
    assert satisfying(clauses, len(covered)) == models(problem)


def test_every_format_says_which_cell_a_variable_is_in_the_same_order():
    problem = Position.parse(HIDDEN, mines=5).problem()
    covered = [(r, c) for r, row in enumerate(HIDDEN) for c, sign in enumerate(row) if sign == "#"]
    expected = [(x, f"r{r}c{c}") for x, (r, c) in enumerate(covered, 1)]
    patterns = {
        "dimacs": r"^c c (\d+) = (\w+)$",
        "wcnf": r"^c (\d+) = (\w+)$",
        "opb": r"^\* x(\d+) = (\w+)$",
        "minizinc": r"^% mine\[(\d+)\] = (\w+)$",
    }
    for to, pattern in patterns.items():
        found = re.findall(pattern, formula_text(problem, to), re.MULTILINE)
        assert [(int(x), name) for x, name in found] == expected
    assert list(enumerate(read_mps(to_mps(problem))[0], 1)) == expected
    assert set(patterns) | {"mps"} == set(FORMATS)


@pytest.mark.parametrize("to", FORMATS)
def test_every_format_says_what_is_asked(to):
    position = Position.parse(HIDDEN, mines=5)
    assert "14 covered cells, 4 clues, mine count 5\n" in formula_text(position.problem(), to)
    assert "14 covered cells, 4 clues, no mine count\n" in formula_text(position.problem().local(), to)
    assert "a mine count that does not fit\n" in formula_text(Position.parse(HIDDEN, mines=15).problem(), to)


def test_auxiliary_variables_come_after_the_cells_and_are_told():
    text = to_dimacs(Position.parse(HIDDEN, mines=5).problem(), "seqcounter")
    _, variables, shown = read_dimacs(text)
    assert variables > len(shown) == 14
    assert f"constraints as clauses: seqcounter, with the auxiliary variables 15 to {variables}\n" in text


def test_minizinc_draws_the_board():
    position = Position.parse(["F2_1", "#*##", "1#81"], mines=4)
    _, _, items = read_minizinc(to_minizinc(position.problem()))
    mines = np.zeros(12, bool)
    mines[[0, 6]] = True
    covered = np.flatnonzero(position.problem().covered)
    mark = {f"drawn({x})": "M" if mines[cell] else "S" for x, cell in enumerate(covered, 1)}
    drawn = "".join(mark.get(item, item[1:-1]) for item in items)
    expected = symbols(position, position.problem().covered & ~mines, mines).tolist()
    assert drawn.replace("\\n", "\n").split() == ["".join(row) for row in expected]


@pytest.mark.skipif(shutil.which("minizinc") is None, reason="MiniZinc is not installed")
@pytest.mark.parametrize("problem", [*TRIALS[::8], *IMPOSSIBLE.values()])
def test_minizinc_itself_finds_all_models(problem, tmp_path):
    Path(tmp_path, "a.mzn").write_text(to_minizinc(problem))
    command = ["minizinc", "--all-solutions", str(tmp_path / "a.mzn")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines().count("-" * 10) == len(models(problem))


def test_what_cannot_be_written_is_refused():
    problem = Problem.from_sets([({0, 1, 2, 3}, 2)], 4)
    with pytest.raises(ValueError, match="unknown format 'smt'; known are dimacs, wcnf, opb, mps, minizinc"):
        formula_text(problem, "smt")
    for to in ("opb", "mps", "minizinc"):
        with pytest.raises(ValueError, match=f"{to} has no clauses and takes no encoding, such as 'totalizer'"):
            formula_text(problem, to, "totalizer")
    for to in ("dimacs", "wcnf"):
        with pytest.raises(ValueError, match="unknown encoding 'nonsense'; known are native, binomial"):
            formula_text(problem, to, "nonsense")
        with pytest.raises(Unsupported, match="'native' has no clauses; those that have are binomial, pairwise"):
            formula_text(problem, to, "native")
        with pytest.raises(Unsupported, match="'ladder' takes totals of 0, 1, n - 1 and n, not 2 of 4"):
            formula_text(problem, to, "ladder")


def test_the_default_keeps_the_number_of_models():
    assert DEFAULT_ENCODING in KEEPS_MODELS
    problem = Position.parse(HIDDEN, mines=5).problem()
    assert formula_text(problem, "dimacs") == to_dimacs(problem, DEFAULT_ENCODING)
    clauses, variables, shown = read_dimacs(to_dimacs(problem))
    assert len(satisfying(clauses, variables)) == len(satisfying(clauses, len(shown))) == 33


# Large boards.


def large(cells):
    """A board with a fifth of its cells mines, of which a third is open; and its mines."""
    rng = np.random.default_rng(1)
    layout = Layout.random(cells, cells, cells * cells // 5, rng)
    return layout.position(~layout.mines & (rng.random((cells, cells)) < 0.3)).problem(), layout.mines.ravel()


@pytest.mark.parametrize(("n", "total"), [(480, 99), (900, 450), (1500, 1200)])
def test_sizes_are_known_beforehand(n, total):
    for encoding in set(WITH_CLAUSES) - {"binomial", *EXTREME}:
        if (expected := _estimate(encoding, n, total)) < 300_000:
            made = CardEnc.equals(range(1, n + 1), total, n, encoding=_PYSAT[encoding])
            assert 0.5 < len(made.clauses) / expected < 2, encoding


def test_large_boards_are_written_or_refused_at_once():
    problem, _ = large(100)
    assert problem.mines == 2000
    assert len(read_opb(to_opb(problem))[1]) == problem.totals.size + 1
    assert len(read_minizinc(to_minizinc(problem))[1]) == problem.totals.size + 1
    assert to_mps(problem).count(" BV BOUND ") == np.count_nonzero(problem.covered)
    for encoding in ("seqcounter", "totalizer"):
        refusal = rf"{encoding}.* million clauses here, over the limit of 5; {DEFAULT_ENCODING} needs the fewest"
        with pytest.raises(Unsupported, match=refusal):
            to_dimacs(problem, encoding)
        local = large(20)[0].local()
        assert len(read_dimacs(to_dimacs(local, encoding))[2]) == np.count_nonzero(local.covered)


@pytest.mark.slow
def test_a_large_board_with_a_mine_count_as_clauses_and_mps():
    problem, mines = large(50)
    clauses, _, shown = read_dimacs(to_dimacs(problem))
    planted = [x if mine else -x for x, mine in enumerate(mines[problem.covered].tolist(), 1)]
    untouched = np.isin(np.flatnonzero(problem.covered), problem.cells, invert=True)
    moved = [-x if x == planted[np.flatnonzero(untouched)[0]] else x for x in planted]
    with Solver("cadical153", bootstrap_with=clauses) as oracle:
        assert oracle.solve(assumptions=planted)
        assert not oracle.solve(assumptions=moved)
    names, sums = read_mps(to_mps(problem))
    assert (len(names), len(sums)) == (len(shown), problem.totals.size + 1)


# The command.


@pytest.fixture
def position(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("\n".join(HIDDEN))
    return Position.parse(HIDDEN, mines=5)


def export(*arguments, **more):
    return CliRunner().invoke(app, ["export", *map(str, arguments)], **more)


def refused(*arguments, **more):
    """The one line on standard error."""
    done = export(*arguments, **more)
    assert (done.exit_code, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    return line


@pytest.mark.parametrize("to", FORMATS)
def test_export_writes_to_standard_output(position, to):
    done = export("a.txt", "--mines", 5, "--to", to)
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout == formula_text(position.problem(), to)
    assert export("-", "--to", to, input="\n".join(HIDDEN)).stdout == formula_text(position.problem().local(), to)
    assert to in export("--help").stdout


def test_export_takes_an_encoding(position):
    done = export("a.txt", "--to", "wcnf", "--encoding", "cardnetwrk")
    assert done.stdout == to_wcnf(position.problem().local(), "cardnetwrk")


@pytest.mark.parametrize("name", ["torus", "hexagonal"])
def test_export_of_another_board(position, name):
    problem = Position(position.codes, 5, topology=named(name, *position.shape)).problem()
    done = export("a.txt", "--topology", name, "--mines", 5, "--to", "dimacs")
    assert (done.exit_code, done.stdout) == (0, formula_text(problem, "dimacs"))
    clauses, _, shown = read_dimacs(done.stdout)
    found = satisfying(clauses, len(shown))
    listed = make_solver("enumeration").marginals(problem)
    assert len(found) == listed.models > 0
    np.testing.assert_allclose(np.mean(list(found), axis=0), listed.probability[problem.covered])
    assert found == models(problem) != models(position.problem())


@pytest.mark.parametrize("form", ["minesweepr", "mine", "codes", "playerfield"])
def test_export_of_another_format(position, form):
    Path("b").write_bytes(formats.write(position, form))
    done = export("b", "--from", form, "--mines", 5, "--to", "opb")
    assert (done.exit_code, done.stderr, done.stdout) == (0, "", to_opb(position.problem()))


def test_export_guesses_at_no_dialect(position):
    Path("b").write_text("1x")
    assert refused("b", "--to", "opb").startswith("sapper: b: unknown character 'x' at line 1, column 2;")
    assert export("b", "--to", "opb", "--from", "minesweepr").stdout == to_opb(Position.parse("1#").problem())


def test_export_writes_a_new_file_and_never_over_one(position):
    done = export("a.txt", "--mines", 5, "--to", "opb", "--out", "a.opb")
    assert (done.exit_code, done.stdout) == (0, "a.opb\n")
    assert Path("a.opb").read_text() == to_opb(position.problem())
    assert refused("a.txt", "--to", "opb", "--out", "a.opb") == "sapper: 'a.opb' exists already"
    assert Path("a.opb").read_text() == to_opb(position.problem())
    assert refused("a.txt", "--to", "opb", "--out", "b/a.opb") == "sapper: b/a.opb: No such file or directory"


def test_export_of_an_inconsistent_position(position):
    done = export("-", "--to", "dimacs", input="3#")
    assert done.exit_code == 0
    assert satisfying(read_dimacs(done.stdout)[0], 1) == set()


def test_export_says_what_is_wrong(position):
    assert refused("a.txt", "--to", "smt").startswith("sapper: unknown format 'smt'; known are dimacs")
    assert refused("a.txt", "--to", "opb", "--encoding", "ladder").startswith("sapper: opb has no clauses")
    assert refused("a.txt", "--to", "dimacs", "--encoding", "x").startswith("sapper: unknown encoding 'x'")
    assert refused("a.txt", "--to", "dimacs", "--encoding", "native").startswith("sapper: encoding 'native' has no")
    assert refused("a.txt", "--to", "dimacs", "--mines", 5, "--encoding", "ladder").endswith("not 5 of 14")
    assert refused("a.txt", "--to", "opb", "--mines", "-1").startswith("sapper: --mines: a mine count is an integer")
    assert refused("a.txt", "--to", "opb", "--from", "smt").startswith("sapper: a.txt: unknown format 'smt'; known are")
    assert refused("a.txt", "--to", "opb", "--topology", "donut").startswith("sapper: unknown topology 'donut'")
    assert refused("none.txt", "--to", "opb") == "sapper: none.txt: No such file or directory"
    assert "at line 1, column 2" in refused("-", "--to", "opb", input="1x")
    assert "--to" in refused("a.txt")


def test_pairwise_is_refused_in_millions_of_clauses():
    with pytest.raises(Unsupported, match="'pairwise' needs about 50 million clauses"):
        to_dimacs(Problem.from_sets([], n=10_000, mines=1), "pairwise")
