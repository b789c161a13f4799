"""The command `sapper`: what it prints, where, and how it ends."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from samples import CLEAR, TINY, shared_corpus
from typer.main import get_command
from typer.testing import CliRunner

from benchmarks import Run, console, load_corpus, write_corpus
from benchmarks.cli import app
from benchmarks.solving import drawing, summary
from benchmarks.solving import solve as ask
from board import Position, extraction, to_svg
from solvers import Claims, Deduction, Status, make_solver, registry, solver_names

ROOT = Path(__file__).parent.parent
CASES = [json.loads(line) for line in (Path(__file__).parent / "data" / "cases.jsonl").read_text().splitlines()]


@dataclass(frozen=True)
class Liar:
    """Says one false thing about the first tiny position."""

    lie: str = "cell"
    claims = Claims()

    def deduce(self, problem, /):
        safe, mines = np.zeros((2, problem.n), np.bool_).copy()
        status = {"complete": Status.COMPLETE, "inconsistent": Status.INCONSISTENT}.get(self.lie, Status.PARTIAL)
        if self.lie == "cell":
            mines[np.flatnonzero(problem.covered)[0]] = True
        return Deduction(safe.copy(), mines.copy(), status)


@dataclass(frozen=True)
class Hasty:
    """Answers alone what it does not answer at once."""

    claims = Claims()

    def deduce(self, problem, /):
        return make_solver("enumeration").deduce(problem)

    def deduce_many(self, problems, *, threads=None):
        return [Deduction.inconsistent(problem.n) for problem in problems]


@dataclass(frozen=True)
class Raiser:
    """Raises."""

    claims = Claims()

    def deduce(self, problem, /):
        raise ValueError("never again")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Every test runs in an empty folder, with three more solvers registered."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(registry._BUILT_IN, "liar", f"{__name__}:Liar")
    monkeypatch.setitem(registry._BUILT_IN, "raiser", f"{__name__}:Raiser")
    monkeypatch.setitem(registry._BUILT_IN, "hasty", f"{__name__}:Hasty")
    write_corpus(TINY, tmp_path / "tiny.jsonl")
    return tmp_path


def sapper(*arguments, **more):
    return CliRunner().invoke(app, [str(a) for a in arguments], **more)


def real(*arguments, **more):
    """The command in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **more.pop("env", {})}
    command = [sys.executable, "-m", "benchmarks", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, env=environment, timeout=120, **more)


def write(name, content):
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return name


# solve


def test_solve_draws_and_sums_up():
    done = sapper("solve", write("a.txt", "0###\n##1#\n"), "--mines", 1)
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert [line.split() for line in lines[:3]] == [
        ["0", "1", "2", "3"],
        ["0", "0", "S", "33%", "33%"],
        ["1", "S", "S", "1", "33%"],
    ]
    assert lines[3] == "S safe, % risk"
    assert lines[4] == "complete: 3 safe, 0 mines, 3 not settled"
    assert lines[5] == "3 arrangements of mines fit"
    assert done.stderr == ""


def test_solve_reads_standard_input_and_takes_any_solver():
    done = sapper("solve", "-", "--solver", "subset", input="1##")
    assert done.exit_code == 0
    assert "M" in done.stdout
    assert "partial, from the clues alone: 0 safe, 1 mine, 1 not settled" in done.stdout
    assert "subset does not find everything" in done.stdout


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_solve_answers_every_case_as_json(case):
    if sum(map(len, case["grid"])) > 2000 or "solutions" not in case["expect"]:
        pytest.skip("large: the solvers' own tests have it")
    mines = [] if case["mines"] is None else ["--mines", case["mines"]]
    done = sapper("solve", write("case.txt", "\n".join(case["grid"])), *mines, "--json")
    answer, expect = json.loads(done.stdout), case["expect"]
    assert list(answer) == ["status", "safe", "mines", "probabilities", "models"]
    assert done.exit_code == (0 if expect["consistent"] else 3)
    assert answer["status"] == ("complete" if expect["consistent"] else "inconsistent")
    assert (answer["safe"], answer["mines"]) == (expect["safe"], expect["mines"])
    if not expect["consistent"]:
        assert (answer["probabilities"], answer["models"]) == (None, "0")
        return
    assert answer["models"] == expect["solutions"]
    for place, fraction in (expect.get("probabilities") or {}).items():
        row, column = map(int, place.split(","))
        assert answer["probabilities"][row][column] == pytest.approx(float(Fraction(fraction)), rel=1e-12)
    covered = [[symbol in "#F" for symbol in row] for row in case["grid"]]
    assert [[p is not None for p in row] for row in answer["probabilities"]] == covered


def test_json_without_probabilities_has_null():
    done = sapper("solve", write("a.txt", "1##"), "--solver", "single", "--json")
    assert json.loads(done.stdout) == {
        "status": "partial",
        "safe": [],
        "mines": [[0, 1]],
        "probabilities": None,
        "models": None,
    }


def test_json_gives_all_digits_of_the_number_of_models():
    write("big.txt", "\n".join(["#" * 130] * 120))
    answer = json.loads(sapper("solve", "big.txt", "--json").stdout)
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        assert answer["models"] == str(2 ** (130 * 120))
    finally:
        sys.set_int_max_str_digits(limit)
    assert len(answer["models"]) > 4300
    assert sys.get_int_max_str_digits() == limit


def test_solve_over_the_budget_says_what_to_do():
    done = sapper("solve", write("a.txt", "1##\n##1"), "--mines", 1, "--solver", "counting:exact=true,max_bytes=1")
    assert done.exit_code == 0
    assert "partial" in done.stdout
    assert "--solver sat or --solver counting:exact=true,max_bytes=4" in done.stdout


@pytest.mark.parametrize(
    ("text", "mines", "words"),
    [
        ("1#\n##", 9, "9 mines do not fit into 3 covered cells"),
        ("1#\n0#", 1, "no arrangement of mines fits the clues and the mine count"),
        ("1#\n0#", None, "no arrangement of mines fits the clues"),
        ("1#\n##", "9" * 5000, "over 10^15 mines do not fit into 3 covered cells"),
        ("*#", 0, "no arrangement"),
        ("1", 0, "no arrangement"),
    ],
)
def test_an_inconsistent_position_is_exit_code_3(text, mines, words):
    count = [] if mines is None else ["--mines", mines]
    done = sapper("solve", write("a.txt", text), *count)
    assert done.exit_code == 3
    assert done.stdout.splitlines()[-1].startswith(f"inconsistent: {words}")
    assert json.loads(sapper("solve", "a.txt", *count, "--json").stdout) == {
        "status": "inconsistent",
        "safe": [],
        "mines": [],
        "probabilities": None,
        "models": "0",
    }


def test_a_finished_board_is_answered():
    answer = json.loads(sapper("solve", write("a.txt", "00\n00"), "--mines", 0, "--json").stdout)
    assert answer == {
        "status": "complete",
        "safe": [],
        "mines": [],
        "probabilities": [[None, None], [None, None]],
        "models": "1",
    }
    assert sapper("solve", "a.txt", "--mines", 0).exit_code == 0


def test_a_board_too_wide_for_the_terminal_is_not_wrapped():
    position = Position.parse(["1" + "#" * 29] * 16, mines=99)
    solution = ask(position, make_solver("counting"))
    assert "%" in drawing(solution, None)
    plain = drawing(solution, 100)
    assert "%" not in plain
    assert max(map(len, plain.splitlines())) <= 100
    assert drawing(solution, 40) is None
    assert drawing(ask(Position.parse(["#" * 101] * 100), make_solver("single")), None) is None


def test_the_summary_names_the_least_likely_mine_only_if_nothing_is_safe():
    position = Position.parse(["1##", "###", "###"], mines=3)
    lines = summary(ask(position, make_solver("counting:exact=true")))
    assert lines[1] == "30 arrangements of mines fit"
    assert lines[2] == "least likely mine: row 0, column 1 (33.3 %)"
    large = Position.parse(["#" * 30] * 16, mines=99)
    assert re.fullmatch(r"about 5\.\d\de104 arrangements of mines fit", summary(ask(large, make_solver("counting")))[1])


# bad input


BAD_FILES = [
    ("11\n1", "a.txt: line 2 has 1 cells, the first has 2: '1'"),
    ("11\n1x", "a.txt: unknown character 'x' at line 2, column 2"),
    ("\n 1\n 9\n", "a.txt: unknown character '9' at line 3, column 2"),
    ("٣#", "a.txt: unknown character '٣' at line 1, column 1"),
    ("", "a.txt: the position is empty"),
    (" \n\n", "a.txt: the position is empty"),
    (b"\x89PNG\r\n\x1a\n\0\0", "a.txt: a binary file, not text: it has a NUL byte"),
    ("1#".encode("utf-16"), "a.txt: a binary file"),
    (b"11\n\xff#", "a.txt: not text: byte 0xff on line 2 is not UTF-8"),
]


def one_line(done):
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.startswith("sapper: ")
    assert done.stderr.count("\n") == 1
    assert len(done.stderr) < 400
    return done.stderr


def test_a_file_of_perhaps_another_format_is_told_how_to_name_it():
    hint = "name it by --from, `sapper formats` lists them\n"
    write("a.txt", "x1#\n")
    for command in (["solve", "a.txt"], ["export", "a.txt", "--to", "opb"], ["view", "a.txt"]):
        assert one_line(sapper(*command)).endswith(hint)
    write("layout.txt", ".*.\n...\n")
    ambiguous = "the format must be named, this could be layout, minesweepr; "
    assert one_line(sapper("convert", "layout.txt", "--to", "text")).endswith(ambiguous + hint)
    assert one_line(sapper("convert", "-", "--to", "text", input=".*.\n")).endswith(hint)
    for options in (["a.txt", "--from", "text"], ["layout.txt", "--from", "text"]):
        assert "--from" not in one_line(sapper("convert", *options, "--to", "text"))
    assert "--from" not in one_line(sapper("solve", write("b.txt", "11\n1")))


def test_a_line_says_that_kernels_are_compiled_where_they_are_not_yet(monkeypatch, capsys):
    # a copy of numba's index that has nothing: as after another version of it, or on another machine
    extract, asked = extraction.extract, []
    assert not console.cold("solvers.sat")  # no kernel
    monkeypatch.setattr(type(extract._cache._cache_file), "_load_index", lambda self: asked.append(self) or {})
    assert console.cold(console.EXTRACTION)
    assert console.cold(console.COUNTING)
    assert asked
    with console.progress():
        pass
    assert capsys.readouterr().err == "sapper: compiling kernels, once, which can take a minute or two\n"
    with console.progress(kernels=["solvers.sat"]):
        pass
    monkeypatch.setattr(type(extract._cache._cache_file), "_load_index", lambda self: {"types": "code"})
    with console.progress():
        pass
    assert capsys.readouterr().err == ""


def test_where_the_cache_cannot_be_read_nothing_is_said(monkeypatch):
    def refused(self):
        raise PermissionError

    monkeypatch.setattr(type(extraction.extract._cache._cache_file), "_load_index", refused)
    assert not console.cold(console.EXTRACTION)


@pytest.mark.parametrize(("content", "message"), BAD_FILES)
def test_a_bad_file_is_one_line_that_says_where(content, message):
    assert message in one_line(sapper("solve", write("a.txt", content)))


def test_a_long_bad_line_is_not_printed_whole():
    assert "line 2 has 5000 cells" in one_line(sapper("solve", write("a.txt", "1\n" + "#" * 5000)))


@pytest.mark.parametrize(
    "mines", ["2.5", "nan", "NaN", "-1", "-2.5", "ten", "", "true", "1e3", "0x10", "٣", "x" * 5000]
)
def test_a_bad_mine_count_is_one_line_that_quotes_it(mines):
    said = one_line(sapper("solve", write("a.txt", "1#"), "--mines", mines))
    assert "--mines: a mine count is an integer >= 0" in said
    assert repr(mines)[:30] in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["solve", "missing.txt"], "missing.txt: No such file or directory"),
        (["solve", "."], ".: Is a directory"),
        (["solve", "tiny.jsonl"], "tiny.jsonl: unknown character '{' at line 1"),
        (["solve"], "Missing argument"),
        (["solve", "a.txt", "--solver", "singel"], "unknown solver 'singel'; did you mean 'single'?"),
        (["solve", "a.txt", "--solver", "counting:exakt=true"], "no parameter 'exakt'; did you mean 'exact'?"),
        (["solve", "a.txt", "--solver", "counting:exact=maybe"], "'maybe' is neither true nor false"),
        (["solve", "a.txt", "--solver", "counting:exact"], "'exact' in the solver spec"),
        (["solve", "a.txt", "--colour"], "--colour"),
        (["solv"], "No such command 'solv'"),
        (["bench", "--corpus", "expert-stcuk"], "unknown corpus 'expert-stcuk'; did you mean 'expert-stuck'?"),
        (["bench", "--corpus", "missing.jsonl"], "missing.jsonl"),
        (["bench", "--corpus", "a.txt"], "a.txt, line 1: is not JSON"),
        (["bench", "--corpus", "tiny.jsonl", "--corpus", "tiny.jsonl"], "two corpora are called 'tiny'"),
        (["bench", "--corpus", "tiny.jsonl", "--solver", "nobody"], "unknown solver 'nobody'"),
        (["bench", "--corpus", "tiny.jsonl", "--limit", "0"], "--limit"),
        (["bench", "--corpus", "tiny.jsonl", "--limit", "x"], "--limit"),
        (["bench", "--corpus", "tiny.jsonl", "--question", "both?"], "--question"),
        (["bench", "--corpus", "tiny.jsonl", "--out", "."], "never overwritten"),
        (["table", "missing"], "'missing' is not a run folder"),
        (["table", "."], "is not a run folder"),
        (["table", "tiny.jsonl", "--format", "xml"], "--format"),
        (["corpus", "show", "tiny"], "unknown corpus 'tiny'"),
        (["corpus", "show", "tiny.jsonl", "--entry", "no"], "no position 'no' in the corpus 'tiny'"),
        (["corpus", "build", "cases", "--count", "1", "--seed", "1", "--out", "b.jsonl"], "cases"),
        (["corpus", "build", "beginner-random", "--count", "1", "--seed", "1", "--out", "a.txt"], "'a.txt' exists"),
    ],
)
def test_bad_arguments_are_one_line(arguments, message):
    write("a.txt", "1#")
    assert message in one_line(sapper(*arguments))


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_forbidden_file_is_one_line():
    os.chmod(write("a.txt", "1#"), 0)
    assert "a.txt: Permission denied" in one_line(sapper("solve", "a.txt"))


def test_a_solver_that_cannot_is_one_line():
    pytest.importorskip("ms_toollib")
    assert "mstoollib" in one_line(sapper("solve", write("a.txt", "1#"), "--solver", "mstoollib"))


# bench and table


def bench(*more, out="run"):
    return sapper("bench", "--corpus", "tiny.jsonl", "--out", out, *more)


def test_bench_prints_and_keeps_a_run():
    done = bench("--solver", "subset", "--solver", "counting", "--repeats", 2)
    assert done.exit_code == 0, done.stderr
    assert done.stdout.splitlines()[0] == "No wrong claim in 20 answers."
    for title in ("tiny", "Safe cells found, % (local)", "Median time a position, µs (global)"):
        assert title in done.stdout
    run = Run.load("run")
    assert len(run.records) == 20
    assert {len(r.solve_nanoseconds) for r in run.records} == {2}
    assert run.header["limit"] is None
    assert Path("run/table.md").read_text().startswith("No wrong claim in 20 answers.")
    assert "run" in done.stderr


@pytest.mark.parametrize(
    ("lie", "kind"), [("cell", "false_cell"), ("complete", "false_complete"), ("inconsistent", "false_inconsistent")]
)
def test_a_wrong_claim_is_printed_first_and_fails_the_run(lie, kind):
    done = bench("--solver", "single", "--solver", f"liar:lie={lie}")
    assert done.exit_code == 1
    assert done.stdout.startswith("WRONG CLAIMS in ")
    assert done.stdout.index("Wrong claims") < done.stdout.index("Safe cells found")
    table = sapper("table", "run", "--format", "csv")
    rows = {row["solver"]: row for row in pd.read_csv(pd.io.common.StringIO(table.stdout)).to_dict("records")}
    label = "liar" if lie == "cell" else f"liar:lie={lie}"
    assert rows[label][kind] > 0
    assert rows["single"]["wrong"] == 0


@pytest.mark.slow
def test_a_wrong_batch_fails_the_run():
    write(
        "mine.toml", 'corpora = ["tiny.jsonl"]\nsolvers = ["hasty", "mstoollib"]\nbatch_threads = [1, 2]\nlimit = 3\n'
    )
    done = sapper("bench", "mine.toml", "--out", "run")
    assert done.exit_code == 1, done.stderr
    first = done.stdout.splitlines()[0]
    assert first == "No wrong claim in 9 answers. WRONG BATCHES, of whole corpora put at once: hasty 4."
    text = " ".join(done.stdout.split())
    for said in ("Growth Corpus Question Strategy Exponent", "Batches Corpus Question Strategy Threads Method"):
        assert said in text
    assert "Wrong in a batch: hasty, tiny, global, threads 2: 3 of 3 positions; clear: inconsistent at once" in text
    assert Path("run/table.md").read_text() == sapper("table", "run").stdout
    assert sapper("report", "run").exit_code == 0
    assert "WRONG BATCHES" in Path("run/report.html").read_text()


def test_a_solver_that_raises_does_not_stop_the_run():
    done = bench("--solver", "raiser", "--solver", "single", "--question", "local")
    assert done.exit_code == 0
    assert "raiser, 5 times: ValueError: never again" in done.stdout
    assert [r.outcome for r in Run.load("run").records if r.solver == "raiser"] == ["error"] * 5


def test_one_question_and_a_limit():
    assert bench("--solver", "single", "--question", "global", "--limit", 2).exit_code == 0
    assert [(r.entry, r.question) for r in Run.load("run").records] == [("clear", "global"), ("even", "global")]


def test_runs_get_names_of_their_own():
    for _ in range(2):
        assert sapper("bench", "--corpus", "tiny.jsonl", "--solver", "single").exit_code == 0
    assert len(list(Path("runs").iterdir())) == 2


def test_table_in_every_format():
    bench("--solver", "single", "--solver", "counting")
    for by in ([], ["--by", "corpus"]):
        plain = sapper("table", "run", *by)
        assert plain.exit_code == 0
        assert ("| Corpus | Strategy | Claims |" in plain.stdout) is bool(by)
        tex = sapper("table", "run", "--format", "latex", *by).stdout
        assert tex.count(r"\toprule") == tex.count(r"\bottomrule") == 4  # the boards are of more than three sizes
        csv = pd.read_csv(pd.io.common.StringIO(sapper("table", "run", "--format", "csv", *by).stdout))
        assert ("corpus" in csv) is bool(by)
        assert len(csv) == 4


# the rest


def test_help_and_version():
    for arguments in ([], ["--help"], ["corpus"], ["bench", "--help"], ["solve", "--help"]):
        done = sapper(*arguments)
        assert done.exit_code == 0
        assert "Usage" in done.stdout
    assert re.fullmatch(r"sapper \d+\.\d+\S*\n", sapper("--version").stdout)


def test_solvers_lists_every_name():
    done = sapper("solvers")
    assert done.exit_code == 0
    for name in solver_names():
        assert f" {name} " in done.stdout
    assert "exact=false" in done.stdout
    assert re.search(r"counting +complete, marginals", done.stdout)


def test_a_missing_library_is_shown_as_such(monkeypatch):
    monkeypatch.setitem(registry._BUILT_IN, "absent", "no_such_library:X")
    done = sapper("solvers")
    assert done.exit_code == 0
    assert "'no_such_library', which is not installed" in done.stdout


@pytest.mark.parametrize("name", ["tiny.jsonl", "cases"])
def test_corpus_show_draws_into_a_file(name):
    corpus = load_corpus(name)
    for number, entry in enumerate(list(corpus)[:5]):
        done = sapper("corpus", "show", name, "--entry", entry.id, "--svg", f"{number}.svg")
        assert (done.exit_code, done.stderr) == (0, f"sapper: the drawing is in {number}.svg\n")
        assert done.stdout == sapper("corpus", "show", name, "--entry", entry.id).stdout
        cells = np.arange(entry.position.codes.size)
        marks = {"safe": np.isin(cells, entry.global_answer.safe), "mines": np.isin(cells, entry.global_answer.mines)}
        title = f"{corpus.name}, {entry.id}"
        assert Path(f"{number}.svg").read_text() == to_svg(entry.position, coordinates=True, title=title, **marks)


def test_solve_draws_into_a_file():
    position = Position.parse(["##1#1#", "##11##", "######"], mines=5)
    write("a.txt", position.text())
    found = make_solver("counting:exact=true").marginals(position.problem())
    deduction = found.deduction()
    mask = np.isin(np.arange(18), [13, 14, 15])
    drawings = {
        (): {"safe": deduction.safe, "mines": deduction.mines, "probability": found.probability},
        ("--explain", "2,1"): {"safe": np.arange(18) == 13, "used": np.isin(np.arange(18), [2, 8]), "explained": 13},
        ("--explain", "0,0"): {"probability": np.where(np.arange(18) == 0, found.probability, np.nan), "explained": 0},
        ("--steps",): {"safe": mask},
    }
    for number, (options, marks) in enumerate(drawings.items()):
        done = sapper("solve", "a.txt", "--mines", 5, *options, "--svg", f"{number}.svg")
        assert (done.exit_code, done.stderr) == (0, f"sapper: the drawing is in {number}.svg\n")
        assert Path(f"{number}.svg").read_text() == to_svg(position, coordinates=True, **marks)
    contradiction = Position.parse("1#2")
    write("b.txt", contradiction.text())
    assert sapper("solve", "b.txt", "--explain", "0,1", "--svg", "why.svg").exit_code == 3
    used = np.array([False, False, True])
    assert Path("why.svg").read_text() == to_svg(contradiction, coordinates=True, used=used)


def test_corpus_show_counts_and_draws():
    done = sapper("corpus", "show", "tiny.jsonl", "--entry", "counted")
    assert done.exit_code == 0
    assert "local: 3 safe cells and 1 mines entailed; nothing entailed in 2 positions; 1 inconsistent" in done.stdout
    assert "global: 5 safe cells and 2 mines entailed; nothing entailed in 1 positions; 1 inconsistent" in done.stdout
    assert [line.split() for line in done.stdout.splitlines()[-2:]] == [["0", "1", "#", "S"], ["1", "S", "#", "1"]]


def test_corpus_build_and_bench_it():
    built = sapper("corpus", "build", "beginner-random", "--count", 3, "--seed", 5, "--out", "built.jsonl")
    assert built.exit_code == 0, built.stderr
    assert re.match(r"beginner-random: 3 positions, hash [0-9a-f]{64}", built.stdout)
    done = sapper("bench", "--corpus", "built.jsonl", "--solver", "counting", "--out", "run")
    assert done.exit_code == 0, done.stdout


# in a process of its own


def test_bad_input_never_shows_a_traceback():
    for arguments in (["solve", write("a.txt", "1x")], ["solve", "a.txt", "--mines", "2.5"], ["bench", "--limit", "x"]):
        done = real(*arguments)
        assert done.returncode == 2
        assert done.stderr.count(b"\n") == 1
        assert done.stdout == b""


def test_exit_codes_of_the_process():
    write("a.txt", "1#")
    assert real("solve", "a.txt", "--mines", 1).returncode == 0
    assert real("solve", "a.txt", "--mines", 2).returncode == 3
    assert real("solve", "-", input=b"1#\n", env={"PYTHONIOENCODING": "latin-1"}).returncode == 0


def test_positions_of_ones_own_become_a_corpus():
    write("one.txt", "0###\n##1#\n")
    write("none.txt", "1#\n0#\n")
    done = sapper("corpus", "import", "one.txt", "none.txt", "--mines", "1", "--out", "mine.jsonl")
    assert (done.exit_code, done.stdout.split(",")[0]) == (0, "mine: 2 positions")
    one, none = load_corpus("mine.jsonl")
    assert (one.local_answer, one.global_answer) == (CLEAR.local_answer, CLEAR.global_answer)
    assert not none.local_answer.consistent
    assert not none.global_answer.consistent
    assert bench("--corpus", "mine.jsonl", "--solver", "counting", out="own").exit_code == 0
    assert "'mine.jsonl' exists already" in one_line(sapper("corpus", "import", "one.txt", "--out", "mine.jsonl"))
    assert "'x' at line 1, column 2" in one_line(sapper("corpus", "import", write("x.txt", "1x"), "--out", "b.jsonl"))


def test_a_reader_that_goes_away_is_no_error():
    write("big.txt", "\n".join(["#" * 300] * 300))
    command = f"{sys.executable} -m benchmarks solve big.txt --solver single --json --mines 5 | head -c 10"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for line in (command, command.replace(" --json", ""), f"{sys.executable} -m benchmarks solvers | true"):
        done = subprocess.run(line, shell=True, capture_output=True, env=environment, timeout=60)
        assert done.stderr == b""


def test_ctrl_c_ends_with_130_and_keeps_the_records():
    write_corpus(shared_corpus("expert-scatter", 150), "many.jsonl")
    command = ["bench", "--corpus", "many.jsonl", "--solver", "counting", "--out", "run", "--repeats", "1000"]
    with subprocess.Popen(
        [sys.executable, "-m", "benchmarks", *command],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # a background job starts with it ignored, and hands that on
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        records = Path("run/records.jsonl")
        deadline = time.monotonic() + 60
        while not (records.exists() and records.stat().st_size) and time.monotonic() < deadline:
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert b"Traceback" not in said
    assert b"go on with: sapper bench --resume run" in said
    assert len(Run.load("run").records) >= 1


def test_help_imports_nothing_heavy():
    heavy = ["numpy", "pandas", "numba", "board"]
    code = f"import sys; import benchmarks.cli; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, env={**os.environ, "PYTHONPATH": str(ROOT)}, text=True
    )
    assert done.stdout == "[]\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize(
    "arguments",
    [
        ("solve", "a.txt", "--steps"),
        ("solve", "a.txt"),
        ("export", "a.txt", "--to", "opb"),
        ("solvers",),
        ("experiments",),
        ("--help",),
    ],
)
def test_a_full_disk_is_one_line(arguments):
    write("a.txt", "1#\n")
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run([sys.executable, "-m", "benchmarks", *arguments], stdout=full, stderr=subprocess.PIPE)
    assert ended.stderr == b"sapper: cannot write: No space left on device\n"
    assert ended.returncode == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("bench", "--out", ""),
        ("bench", "--resume", ""),
        ("bench", "--corpus", ""),
        ("bench", ""),
        ("table", ""),
        ("export", "a.txt", "--to", "opb", "--out", ""),
        ("convert", "a.txt", "--to", "codes", "--out", ""),
        ("corpus", "import", "a.txt", "--out", ""),
        ("corpus", "build", "beginner-random", "--count", "1", "--seed", "1", "--out", ""),
        ("corpus", "from-replays", "a.avf", "--out", ""),
        ("corpus", "show", "cases", "--svg", ""),
        ("corpus", "show", ""),
        ("bench", "--limit", ""),
        ("bench", "--limit="),
        ("cs50", "--delay", ""),
        ("play", "--resume", ""),
        ("report", ""),
    ],
)
def test_no_name_is_quoted(arguments):
    wrong = sapper(*arguments)
    assert wrong.exit_code == 2
    assert "''" in wrong.stderr
    assert len(wrong.stderr.splitlines()) == 1


@pytest.mark.parametrize("joined", [False, True])
def test_a_wrong_value_is_quoted_and_a_long_one_cut_off(joined):
    def said(value):
        return one_line(
            sapper("convert", "a.txt", "--to", "codes", *([f"--mines={value}"] if joined else ("--mines", value)))
        )

    assert repr("-1") in said("-1")
    assert repr("9" * 39 + "…") in said("9" * 5000)


NEW = [
    ("export", "a.txt", "--to", "opb", "--out"),
    ("convert", "a.txt", "--to", "codes", "--out"),
    ("corpus", "import", "a.txt", "--out"),
    ("corpus", "build", "expert-stuck", "--count", "1000000", "--seed", "1", "--out"),
    ("corpus", "from-replays", "a.avf", "--out"),
    ("corpus", "show", "tiny.jsonl", "--svg"),
    ("solve", "a.txt", "--svg"),
    ("solve", "a.txt", "--steps", "--svg"),
]


@pytest.mark.parametrize("arguments", NEW, ids=" ".join)
def test_a_new_file_that_cannot_be_is_refused_before_anything_is_computed(arguments):
    write("a.txt", "1#")
    os.symlink("nowhere", "link")
    before = sorted(os.listdir())
    for name, why in (
        ("a.txt", "'a.txt' exists already"),
        ("link", "'link' exists already"),
        (".", "'.' exists already"),
        ("gone/new", "gone/new: No such file or directory"),
        ("a.txt/new", "a.txt/new: Not a directory"),
    ):
        assert one_line(sapper(*arguments, name)) == f"sapper: {why}\n"
    assert sorted(os.listdir()) == before
    assert Path("a.txt").read_text() == "1#"


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
@pytest.mark.parametrize("arguments", NEW, ids=" ".join)
def test_a_new_file_in_a_forbidden_folder(arguments):
    write("a.txt", "1#")
    Path("locked").mkdir(0o500)
    assert one_line(sapper(*arguments, "locked/new")) == "sapper: locked/new: Permission denied\n"


def commands(group, above=""):
    """Of all commands: (name, command)."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{above}{name} ")
        else:
            yield above + name, command


def test_an_option_is_called_the_same_everywhere():
    found = {}
    for name, command in commands(get_command(app)):
        for option in command.params:
            for called in option.opts if option.opts[0].startswith("--") else ():
                found.setdefault(called, {})[name] = option
    kinds = {called: {option.metavar for option in by.values()} for called, by in found.items()}
    assert {called: kind for called, kind in kinds.items() if len(kind) > 1} == {
        "--out": {"DIR", "FILE"},
        "--resume": {"DIR", "RUN"},  # games are not the run that other commands read
    }
    for called, where in {
        "--mines": ["solve", "export", "corpus import"],
        "--from": ["solve", "export", "corpus import"],
        "--topology": ["solve", "export", "corpus import"],
        "--out": ["export", "convert"],
    }.items():
        assert len({found[called][name].help for name in where}) == 1, called
    for called in ("--mines", "--from"):
        assert found[called]["convert"].help == found[called]["view"].help
    for name in {name for by in found.values() for name in by}:
        helped = sapper(*name.split(), "--help").stdout
        assert not re.search("(int|integer|float) range", helped, re.IGNORECASE), name


@pytest.mark.parametrize("option", [("--seed", "0"), ("--solver", "single"), ("--repeats", "1")])
def test_a_run_goes_on_as_it_was_planned(option):
    wrong = sapper("bench", "--resume", "run", *option)
    assert wrong.exit_code == 2
    assert "only --jobs and --dask go with it" in wrong.stderr


def test_a_folder_that_cannot_be_made_is_named_as_it_was_given():
    wrong = sapper("bench", "--corpus", "cases", "--limit", "1", "--solver", "single", "--out", "/proc/x")
    assert wrong.exit_code == 2
    assert wrong.stderr.endswith("sapper: /proc/x: No such file or directory\n")


def test_ctrl_c_after_the_last_record_says_how_to_go_on(monkeypatch):
    from benchmarks import bench_cli

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(bench_cli, "_show", interrupted)
    stopped = sapper("bench", "--corpus", "cases", "--limit", "1", "--solver", "single", "--out", "run")
    assert stopped.exit_code == 130
    assert "go on with: sapper bench --resume run" in stopped.stderr
