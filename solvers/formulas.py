"""A problem as text for other tools: model counters, SAT, MaxSAT, pseudo-Boolean, integer and constraint programming.

Variable x (from 1) is covered cell x - 1 in all formats, true or 1 where that cell is a mine; comments, or in MPS the
names of the variables, say which cell it is. The mine count, if there is one, is a constraint over all covered cells.
Where no model exists the text has none either, whatever its reader makes of empty clauses and empty sums.

`dimacs`, `wcnf`: clauses of one of `solvers.encodings`. By default kmtotalizer: of those that keep the number of models
(`KEEPS_MODELS`), so that even a counter that does not project counts right, it has the fewest clauses for a mine count
over hundreds or thousands of cells. For clues alone seqcounter is smaller, and complete by unit propagation.
`opb`, `mps`, `minizinc`: the sums as they are.

Cost: the size of the text; for clauses that of the encoding (:mod:`solvers.encodings`).
Sources: DIMACS with a projection as in the Model Counting Competition since 2021 (`c t pmc`, `c p show`; J. Fichte,
M. Hecher, F. Hamiti, "The Model Counting Competition 2020", ACM JEA 2021, for the older form); WCNF as in the MaxSAT
Evaluation since 2022; OPB as in the Pseudo-Boolean Competition (O. Roussel, V. Manquinho); free MPS (IBM);
MiniZinc: N. Nethercote et al., CP 2007.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, groupby, pairwise
from math import log2

import numpy as np

from board.problem import Problem
from board.render import symbols
from solvers.encodings import ENCODINGS, Clause, check_encoding, encode_problem
from solvers.interface import Unsupported

DEFAULT_ENCODING = "kmtotalizer"
_MAX_CLAUSES = 5_000_000  # of the constraints together; half a minute and 2 GB


def to_dimacs(problem: Problem, encoding: str = DEFAULT_ENCODING) -> str:
    """Clauses whose models, projected on the covered cells, are those of the problem.

    Raises ValueError for an unknown encoding, Unsupported for one without clauses or one that does not take a total,
    or takes it in too many clauses.

    >>> print(to_dimacs(Problem.from_sets([({0, 2}, 1)], n=3, covered=[0, 2]), "binomial"))
    c c Minesweeper, written by sapper: 2 covered cells, 1 clue, no mine count
    c c a variable is true, or 1, where the cell is a mine
    c c constraints as clauses: binomial, without auxiliary variables
    c c 1 = cell0
    c c 2 = cell2
    c t pmc
    p cnf 2 2
    c p show 1 2 0
    -1 -2 0
    1 2 0
    """
    variables, clauses, comments = _clauses(problem, encoding)
    cells = range(1, np.count_nonzero(problem.covered) + 1)
    return _text(
        "c c",
        comments,
        ["c t pmc", f"p cnf {variables} {len(clauses)}", " ".join(["c p show", *map(str, cells), "0"])],
        (" ".join(map(str, clause)) + " 0" for clause in clauses),
    )


def to_wcnf(problem: Problem, encoding: str = DEFAULT_ENCODING) -> str:
    """The same clauses as hard ones, and of each covered cell a soft one of weight 1 that it is safe.

    The least cost is the least number of mines. Raises as :func:`to_dimacs`.

    >>> print(to_wcnf(Problem.from_sets([({0, 1}, 1)], n=2), "binomial"))
    c Minesweeper, written by sapper: 2 covered cells, 1 clue, no mine count
    c a variable is true, or 1, where the cell is a mine
    c constraints as clauses: binomial, without auxiliary variables
    c 1 = cell0
    c 2 = cell1
    c the cost is the number of mines
    h -1 -2 0
    h 1 2 0
    1 -1 0
    1 -2 0
    """
    _, clauses, comments = _clauses(problem, encoding)
    return _text(
        "c",
        [*comments, "the cost is the number of mines"],
        (" ".join(["h", *map(str, clause), "0"]) for clause in clauses),
        (f"1 -{x} 0" for x in range(1, np.count_nonzero(problem.covered) + 1)),
    )


def to_opb(problem: Problem) -> str:
    """One pseudo-Boolean equation a constraint.

    >>> print(to_opb(Problem.from_sets([({0, 1}, 1)], n=3, mines=2)))
    * #variable= 3 #constraint= 2
    * Minesweeper, written by sapper: 3 covered cells, 1 clue, mine count 2
    * a variable is true, or 1, where the cell is a mine
    * x1 = cell0
    * x2 = cell1
    * x3 = cell2
    +1 x1 +1 x2 = 1 ;
    +1 x1 +1 x2 +1 x3 = 2 ;
    """
    system = _system(problem)
    head = f"#variable= {len(system.names)} #constraint= {len(system.sums)}"
    return _text(
        "*",
        [head, *system.comments, *(f"x{x} = {name}" for x, name in enumerate(system.names, 1))],
        (" ".join([*(f"+1 x{x}" for x in scope), f"= {total} ;"]) for _, scope, total in system.sums),
    )


def to_mps(problem: Problem) -> str:
    """An integer program without an objective, in free MPS: a binary variable a covered cell, an equation a constraint.

    >>> print(to_mps(Problem.from_sets([({0, 2}, 1)], n=3)))
    * Minesweeper, written by sapper: 3 covered cells, 1 clue, no mine count
    * a variable is true, or 1, where the cell is a mine
    NAME minesweeper
    ROWS
     N COST
     E clue1
    COLUMNS
     MARKER 'MARKER' 'INTORG'
     cell0 clue1 1
     cell1 COST 0
     cell2 clue1 1
     MARKER 'MARKER' 'INTEND'
    RHS
     RHS clue1 1
    BOUNDS
     BV BOUND cell0
     BV BOUND cell1
     BV BOUND cell2
    ENDATA
    """
    system = _system(problem)
    columns: list[list[str]] = [[] for _ in system.names]
    for name, scope, _ in system.sums:
        for x in scope:
            columns[x - 1].append(f"{name} 1")
    # a variable without an entry would be unknown to many readers, or come after the others
    entries = [f" {name} {row}" for name, rows in zip(system.names, columns, strict=True) for row in rows or ["COST 0"]]
    return _text(
        "*",
        system.comments,
        ["NAME minesweeper", "ROWS", " N COST", *(f" E {name}" for name, _, _ in system.sums)],
        ["COLUMNS", " MARKER 'MARKER' 'INTORG'", *entries, " MARKER 'MARKER' 'INTEND'"],
        ["RHS", *(f" RHS {name} {total}" for name, _, total in system.sums)],
        ["BOUNDS", *(f" BV BOUND {name}" for name in system.names), "ENDATA"],
    )


def to_minizinc(problem: Problem) -> str:
    """A complete model; its output draws the board with `M` for mines and `S` for safe cells.

    >>> from board import Position
    >>> print(to_minizinc(Position.parse(["1#", "##"], mines=1).problem()))
    % Minesweeper, written by sapper: 3 covered cells, 1 clue, mine count 1
    % a variable is true, or 1, where the cell is a mine; r2c0 is row 2, column 0, counted from 0
    array[1..3] of var 0..1: mine;
    % mine[1] = r0c1
    % mine[2] = r1c0
    % mine[3] = r1c1
    constraint sum(x in 1..3)(mine[x]) = 1; % clue1
    constraint sum(x in 1..3)(mine[x]) = 1; % mines
    solve satisfy;
    function string: drawn(int: x) = if fix(mine[x]) = 1 then "M" else "S" endif;
    output [
      "1", drawn(1), "\\n",
      drawn(2), drawn(3), "\\n",
    ];
    """
    system = _system(problem)
    return _text(
        "%",
        system.comments,
        [f"array[1..{len(system.names)}] of var 0..1: mine;"],
        (f"% mine[{x}] = {name}" for x, name in enumerate(system.names, 1)),
        (f"constraint sum(x in {_set(scope)})(mine[x]) = {total}; % {name}" for name, scope, total in system.sums),
        ["solve satisfy;"],
        ['function string: drawn(int: x) = if fix(mine[x]) = 1 then "M" else "S" endif;'],
        ["output [", *_drawing(problem), "];"],
    )


_WITH_CLAUSES: dict[str, Callable[[Problem, str], str]] = {"dimacs": to_dimacs, "wcnf": to_wcnf}
_WITHOUT: dict[str, Callable[[Problem], str]] = {"opb": to_opb, "mps": to_mps, "minizinc": to_minizinc}
FORMATS = (*_WITH_CLAUSES, *_WITHOUT)


def formula_text(problem: Problem, to: str, encoding: str | None = None) -> str:
    """The problem in one of the FORMATS; encoding: of those with clauses, `DEFAULT_ENCODING` otherwise.

    Raises ValueError for an unknown format, for an encoding of one without clauses, and as :func:`to_dimacs`.
    """
    if to in _WITH_CLAUSES:
        return _WITH_CLAUSES[to](problem, DEFAULT_ENCODING if encoding is None else encoding)
    if to not in _WITHOUT:
        raise ValueError(f"unknown format {to!r}; known are {', '.join(FORMATS)}")
    if encoding is not None:
        raise ValueError(f"{to} has no clauses and takes no encoding, such as {encoding!r}")
    return _WITHOUT[to](problem)


@dataclass(frozen=True, slots=True)
class _System:
    """Sums of 0-1 variables: names[x - 1] the cell of variable x; of each sum its name, variables and total."""

    names: list[str]
    sums: list[tuple[str, list[int], int]]
    comments: list[str]


def _system(problem: Problem) -> _System:
    """The constraints, the mine count last. Every one has a variable, and a total in -1..scope + 1.

    Totals outside may not fit into the integers of a reader, and not every reader takes an empty sum.
    """
    names = _names(problem)
    comments = _about(problem)
    variable = np.cumsum(problem.covered)[problem.cells].tolist()
    scopes = [variable[a:b] for a, b in pairwise(problem.indptr.tolist())]
    constraints = [(f"clue{i}", s, t) for i, (s, t) in enumerate(zip(scopes, problem.totals.tolist(), strict=True), 1)]
    if problem.mines is not None:
        constraints.append(("mines", list(range(1, len(names) + 1)), problem.mines))
    sums = [(name, scope, min(max(total, -1), len(scope) + 1)) for name, scope, total in constraints if scope]
    impossible = [name for name, scope, total in constraints if not scope and total]
    if impossible:
        comments.append(f"without a cell, but not 0: {', '.join(impossible)}; so there is no solution")
        names = names or ["none"]
        sums += [(name, [1], 2) for name in impossible]
    return _System(names, sums, comments)


def _clauses(problem: Problem, encoding: str) -> tuple[int, list[Clause], list[str]]:
    """(variables, clauses, comments): none of the clauses is empty, since some readers pass over those."""
    check_encoding(encoding)
    if encoding == "native":
        others = ", ".join(name for name in ENCODINGS if name != encoding)
        raise Unsupported(f"encoding 'native' has no clauses; those that have are {others}")
    _check_size(problem, encoding)
    formula, cells = encode_problem(problem, encoding)
    clauses = [clause for clause in formula.clauses if clause]
    variables = formula.variables
    if len(clauses) < len(formula.clauses):
        clauses += [[1], [-1]]
        variables = max(variables, 1)
    auxiliary = "without auxiliary variables"
    if variables > cells.size:
        auxiliary = f"with the auxiliary variables {cells.size + 1} to {variables}"
    about = [*_about(problem), f"constraints as clauses: {encoding}, {auxiliary}"]
    return variables, clauses, [*about, *(f"{x} = {name}" for x, name in enumerate(_names(problem), 1))]


def _check_size(problem: Problem, encoding: str) -> None:
    """Unsupported if that makes more clauses than anyone can wait for."""
    constraints = list(zip(np.diff(problem.indptr).tolist(), problem.totals.tolist(), strict=True))
    if problem.mines is not None:
        constraints.append((int(np.count_nonzero(problem.covered)), problem.mines))
    needed = sum(_estimate(encoding, n, total) for n, total in constraints if 0 < total < n)
    if needed > _MAX_CLAUSES:
        raise Unsupported(
            f"encoding {encoding!r} needs about {needed / 1e6:,.0f} million clauses here, over the limit of "
            f"{_MAX_CLAUSES / 1e6:.0f}; {DEFAULT_ENCODING} needs the fewest, and opb, mps and minizinc need none"
        )


def _estimate(encoding: str, n: int, total: int) -> float:
    """About how many clauses `total` of n makes, if n is large; those not here stay small or refuse."""
    sizes: dict[str, float] = {
        "pairwise": n**2 / 2,
        "seqcounter": 4 * total * (n - total),
        "totalizer": n**2,
        "mtotalizer": 3.2 * n**1.5,
        "kmtotalizer": 2.3 * n**1.5,
        "sortnetwrk": 2.2 * n * log2(n) ** 2,
        "cardnetwrk": 1.7 * n * log2(n) ** 2,
    }
    return sizes.get(encoding, 0)


def _names(problem: Problem) -> list[str]:
    """Of the covered cells: r0c3 is row 0, column 3; cell3 where the problem was not made of a position."""
    cells = np.flatnonzero(problem.covered).tolist()
    if problem.position is None:
        return [f"cell{cell}" for cell in cells]
    columns = problem.position.shape[1]
    return [f"r{cell // columns}c{cell % columns}" for cell in cells]


def _about(problem: Problem) -> list[str]:
    covered, clues, mines = np.count_nonzero(problem.covered), problem.totals.size, problem.mines
    if mines is None:
        count = "no mine count"
    else:  # one that does not fit may have more digits than Python writes
        count = f"mine count {mines}" if 0 <= mines <= covered else "a mine count that does not fit"
    cells = f"{covered} covered cell{'' if covered == 1 else 's'}, {clues} clue{'' if clues == 1 else 's'}"
    names = "" if problem.position is None else "; r2c0 is row 2, column 0, counted from 0"
    return [
        f"Minesweeper, written by sapper: {cells}, {count}",
        f"a variable is true, or 1, where the cell is a mine{names}",
    ]


def _set(variables: list[int]) -> str:
    """Ascending variables as a set in MiniZinc."""
    first, last = variables[0], variables[-1]
    if last - first == len(variables) - 1:
        return f"{first}..{last}"
    return f"{{{', '.join(map(str, variables))}}}"


def _drawing(problem: Problem) -> Iterator[str]:
    """The items of MiniZinc's output, a line a row; without a position one row of all cells, opened ones as dots."""
    signs = np.full((1, problem.n), ".") if problem.position is None else symbols(problem.position)
    signs = signs.astype(object)
    variables = range(1, np.count_nonzero(problem.covered) + 1)
    signs[problem.covered.reshape(signs.shape)] = [f"drawn({x})" for x in variables]
    for row in signs.tolist():
        runs = groupby(row, lambda sign: len(sign) > 1)
        items = chain.from_iterable(run if covered else [f'"{"".join(run)}"'] for covered, run in runs)
        yield "  " + ", ".join([*items, r'"\n"']) + ","


def _text(sign: str, comments: Iterable[str], *parts: Iterable[str]) -> str:
    """The lines of all parts after the comments, which begin with the sign."""
    return "\n".join(chain((f"{sign} {comment}" for comment in comments), *parts)) + "\n"
