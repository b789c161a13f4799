"""The commands about finished runs: what they print and write, and what they refuse."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pandas as pd
import pytest
from samples import CLEAR, COUNTED, EVEN, MINES, at_once, failed, replace, run_of, said
from typer.testing import CliRunner

from benchmarks import Run, plots
from benchmarks.cli import app

ROOT = Path(__file__).parent.parent
RECORDS = [
    said(CLEAR, "complete", (1, 4, 5)),
    said(COUNTED, "complete", (2, 3)),
    said(MINES, "partial", (), (1,)),
    said(CLEAR, "partial", (1,), solver="two"),
    said(COUNTED, "partial", solver="two"),
    failed(MINES, solver="two"),
]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Every test runs in a folder that holds one run; of the figures only one is drawn, which is quick."""
    monkeypatch.chdir(tmp_path)
    for name in ("cactus", "recall_matrix", "recall_by", "time_scatter", "growth"):
        monkeypatch.setattr(plots, name, lambda *_: None, raising=False)
    run_of(*RECORDS).save("run")


def sapper(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments])


def done(*arguments):
    """What a command printed that went well."""
    result = sapper(*arguments)
    assert result.exit_code == 0, result.stderr or result.exception
    assert result.stderr == ""
    return result.stdout


def one_line(result):
    assert result.exit_code == 2, result.exception
    assert result.stdout == ""
    assert result.stderr.startswith("sapper: ")
    assert result.stderr.count("\n") == 1
    assert len(result.stderr) < 400
    return result.stderr


# what they are for


@pytest.mark.parametrize(
    ("form", "begins"),
    [("markdown", "No wrong claim in 5"), ("latex", "% No wrong claim in 5"), ("html", "<p>No wrong")],
)
@pytest.mark.parametrize("by", [[], ["--by", "corpus"]])
def test_table(form, begins, by):
    printed = done("table", "run", "--format", form, *by)
    assert printed.startswith(begins)
    assert ("Corpus" in printed.partition("Strategy")[0]) is bool(by)


def test_table_as_csv_is_every_metric():
    done("table", "run", "--format", "csv")
    Path("out.csv").write_text(done("table", "run", "--format", "csv", "--by", "corpus"))
    pd.testing.assert_frame_equal(pd.read_csv("out.csv"), Run.load("run").table(), check_dtype=False)


@pytest.mark.parametrize(
    ("form", "mark"),
    [
        ("markdown", "|:---|"),
        pytest.param("latex", r"\begin{tabular}", marks=pytest.mark.slow),
        pytest.param("html", "<table", marks=pytest.mark.slow),
    ],
)
def test_statistics(form, mark):
    printed = done("statistics", "run", "--format", form)
    assert mark in printed
    assert "one" in printed
    against = done("statistics", "run", "--against", "two", "--format", form)
    assert mark in against
    assert against != printed


def test_plot_draws_where_it_says():
    printed = [Path(line) for line in done("plot", "run", "--format", "svg").split()]
    assert printed
    assert sorted(printed) == sorted(Path("run/figures").iterdir())
    assert {path.suffix for path in printed} == {".svg"}
    other = done("plot", "run", "--out", "other", "--format", "pdf", "--format", "svg").split()
    assert {Path(path).suffix for path in other} == {".pdf", ".svg"}
    assert all(Path(path).stat().st_size and Path(path).parent == Path("other") for path in other)


def test_report_writes_one_page():
    assert done("report", "run") == "run/report.html\n"
    assert done("report", "run", "--out", "page.html", "--limit", "0") == "page.html\n"
    pages = [Path(name).read_text() for name in ("run/report.html", "page.html")]
    assert all(page.lstrip().lower().startswith("<!doctype html") for page in pages)
    assert pages[0] != pages[1]


WORSE = {
    "a claim lost": replace(RECORDS[3], safe=()),
    "no longer complete": replace(RECORDS[0], status="partial", outcome="partial"),
    "an error": failed(COUNTED),
    "slower": None,
}


@pytest.mark.parametrize("record", WORSE.values(), ids=WORSE)
def test_diff_fails_for_a_regression(record, monkeypatch):
    if record is None:
        monkeypatch.setattr("benchmarks.diff.FEWEST_GAMES", 2)  # a run of so few games has no verdict otherwise
        after = [replace(r, solve_nanoseconds=tuple(t * 50 for t in r.solve_nanoseconds)) for r in RECORDS]
    else:
        after = [record if r.key == record.key else r for r in RECORDS]
    run_of(*after).save("after")
    result = sapper("diff", "run", "after")
    assert result.exit_code == 1
    assert result.stdout.startswith("REGRESSED: ")
    assert result.stderr == ""
    if record is None:
        assert done("diff", "run", "after", "--tolerance", "100").startswith("No regression: ")
    assert done("diff", "after", "run").startswith("No regression: ")
    assert done("diff", "run", "run").startswith("No regression: ")


def test_merge_makes_a_run_that_every_command_takes():
    run_of(*RECORDS[:3]).save("a")
    run_of(*RECORDS[3:]).save("b")
    assert done("merge", "a", "b", "--out", "made") == "6 records in made\n"
    assert Run.load("made").records == Run.load("run").records
    assert done("table", "made", "--format", "csv") == done("table", "run", "--format", "csv")
    assert done("merge", "made", "run", "--out", "sub/again") == (
        "6 records in sub/again; 6 questions were asked more than once, of each the first record is kept\n"
    )


@pytest.mark.parametrize("form", [".parquet", ".csv", ".sqlite"])
def test_records(form):
    out = f"out{form}"
    if form == ".parquet":
        pytest.importorskip("pyarrow")
    assert done("records", "run", "--out", out) == f"{out}\n"
    if form == ".sqlite":
        with closing(sqlite3.connect(out)) as database:
            frame = pd.read_sql("select * from records", database)
    else:
        frame = pd.read_parquet(out) if form == ".parquet" else pd.read_csv(out)
    assert frame["entry"].tolist() == [record.entry for record in RECORDS]


@pytest.mark.parametrize("form", [".parquet", ".csv", ".sqlite"])
def test_records_carry_the_peak_of_memory(form):
    if form == ".parquet":
        pytest.importorskip("pyarrow")
    run_of(*RECORDS[:2], replace(RECORDS[2], peak_bytes=2**40 + 1)).save("measured")
    done("records", "measured", "--out", f"out{form}")
    if form == ".sqlite":
        with closing(sqlite3.connect("out.sqlite")) as database:
            found = database.execute("select peak_bytes from records").fetchall()
        assert found == [(None,), (None,), (2**40 + 1,)]
    elif form == ".csv":
        frame = pd.read_csv("out.csv", dtype=str, keep_default_na=False)
        assert frame["peak_bytes"].tolist() == ["", "", str(2**40 + 1)]
    else:
        assert pd.read_parquet("out.parquet")["peak_bytes"].tolist() == [pd.NA, pd.NA, 2**40 + 1]


def test_records_of_before_peaks_and_batches_are_read():
    damage_records("run", lambda lines: [line.replace(',"peak_bytes":null', "") for line in lines])
    assert "peak_bytes" not in Path("run/records.jsonl").read_text()
    run = Run.load("run")
    assert run.records == RECORDS
    assert run.batches == []
    assert "batch_threads" not in run.header


def test_a_run_without_records_is_a_run():
    Path("run/records.jsonl").write_text("")
    assert done("table", "run").startswith("No answers.")
    assert "The run is not finished: 0 of 10 records." in done("table", "run")
    for command in (["statistics"], ["plot"], ["report"], ["records", "--out", "out.csv"]):
        done(command[0], "run", *command[1:])
    assert "the runs share nothing" in one_line(sapper("diff", "run", "run"))


def test_a_torn_last_line_is_no_damage():
    path = Path("run/records.jsonl")
    path.write_text(path.read_text()[:-20])
    assert "The run is not finished: 5 of 10 records." in done("table", "run")


# what they refuse

COMMANDS = {
    "table": ["table", "RUN"],
    "statistics": ["statistics", "RUN"],
    "plot": ["plot", "RUN"],
    "report": ["report", "RUN"],
    "diff before": ["diff", "RUN", "run"],
    "diff after": ["diff", "run", "RUN"],
    "merge": ["merge", "run", "RUN", "--out", "new"],
    "records": ["records", "RUN", "--out", "new.csv"],
    "reproduce": ["reproduce", "standard", "--run", "RUN"],
}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.parametrize(
    ("folder", "message"),
    [
        ("gone", "'gone' is not a run folder: it has no header.json"),
        ("a file", "'a file' is not a run folder: it has no header.json"),
        ("empty", "'empty' is not a run folder: it has no header.json"),
        ("torn", "torn/records.jsonl, line 2: "),
        ("damaged", "damaged/header.json, key machine.python: is missing"),
    ],
)
def test_every_command_names_a_folder_that_is_no_run(command, folder, message):
    Path("a file").write_text("text")
    Path("empty").mkdir()
    Path("README.md").write_text("<!-- table: standard -->\n<!-- end -->\n")
    for name in ("torn", "damaged"):
        shutil.copytree("run", name)
    damage_records("torn", lambda lines: [lines[0], lines[1][:30], *lines[2:]])
    damage_header("damaged", lambda header: header["machine"].pop("python"))
    before = sorted(Path().rglob("*"))
    assert message in one_line(sapper(*(folder if word == "RUN" else word for word in command)))
    assert sorted(Path().rglob("*")) == before


def damage_records(folder, change):
    path = Path(folder, "records.jsonl")
    path.write_text("".join(f"{line}\n" for line in change(path.read_text().splitlines())))


def damage_header(folder, change):
    path = Path(folder, "header.json")
    header = json.loads(path.read_text())
    change(header)
    path.write_text(json.dumps(header))


def with_field(**fields):
    """Another third record."""
    return lambda lines: [*lines[:2], json.dumps(json.loads(lines[2]) | fields), *lines[3:]]


DAMAGED_RECORDS = {
    "not JSON": (lambda lines: [lines[0], "nonsense", *lines[1:]], "run/records.jsonl, line 2: "),
    "torn": (lambda lines: [*lines[:3], lines[3][:-9], *lines[4:]], "run/records.jsonl, line 4: "),
    "a blank line": (lambda lines: [*lines[:1], "", *lines[1:]], "run/records.jsonl, line 2: "),
    "a list": (lambda lines: ["[]", *lines], "run/records.jsonl, line 1: not a record"),
    "a number": (lambda lines: ["1", *lines], "run/records.jsonl, line 1: not a record"),
    "twice": (lambda lines: [*lines, lines[1]], "line 7: the record of line 2 again: one, tiny, counted, global"),
    "a field more": (with_field(colour="red"), "run/records.jsonl, line 3: not a record"),
    "a field less": (lambda lines: ['{"solver": "one"}'], "run/records.jsonl, line 1: not a record"),
    "a solver": (with_field(solver="three"), "a record of 'three', 'global', which the header does not name"),
    "a corpus": (with_field(corpus="huge"), "a record of 'mines', which is not in the corpus 'huge'"),
    "an entry": (with_field(entry="nobody"), "a record of 'nobody', which is not in the corpus 'tiny'"),
    "a question": (with_field(question="local"), "a record of 'one', 'local', which the header does not name"),
    "an outcome": (with_field(outcome="fine"), "not a record: outcome 'fine' with status 'partial'"),
    "a type": (with_field(solver={}), "not a record: Expected `str`, got `object` - at `$.solver`"),
}


@pytest.mark.parametrize(("change", "message"), DAMAGED_RECORDS.values(), ids=DAMAGED_RECORDS)
def test_damaged_records_are_named(change, message):
    damage_records("run", change)
    assert message in one_line(sapper("table", "run"))


DAMAGED_BATCHES = {
    "not JSON": ("nonsense", "run/batches.jsonl, line 1: not a batch: "),
    "a type": (at_once().to_json().replace(":1,", ':"1",'), "not a batch: Expected `int`, got `str` - at `$.threads`"),
    "a number": (at_once().to_json().replace(":1,", ":0,"), "not a batch: 0 wrong of 5 positions with 0 threads"),
    "twice": (at_once().to_json() + "\n" + at_once(message="2").to_json(), "line 2: the batch of line 1 again: one, "),
    "a solver": (at_once(solver="three").to_json(), "a batch of 'three', 'global', which the header does not name"),
    "a question": (at_once(question="local").to_json(), "a batch of 'one', 'local', which the header does not name"),
    "a corpus": (at_once().to_json().replace("tiny", "huge"), "5 positions, which the corpus 'huge' has not"),
    "positions": (at_once().to_json().replace(":5,", ":6,"), "6 positions, which the corpus 'tiny' has not"),
}


@pytest.mark.parametrize(("text", "message"), DAMAGED_BATCHES.values(), ids=DAMAGED_BATCHES)
def test_damaged_batches_are_named(text, message):
    Path("run/batches.jsonl").write_text(f"{text}\n")
    assert message in one_line(sapper("table", "run"))


KEYS = [
    *("format", "command", "solvers", "corpora", "questions", "repeats", "limits", "seed", "started", "machine"),
    *("solvers.0.label", "solvers.0.claims", "solvers.1.claims.exact", "limits.seconds", "limits.memory_bytes"),
    *(f"corpora.0.{key}" for key in ("name", "hash", "positions", "asked", "file")),
    *(f"machine.{key}" for key in ("sapper", "commit", "dirty", "python", "cpu", "cores")),
]


def inside(header, key):
    """Where a key of the header lies, and its last part."""
    *path, last = [int(part) if part.isdigit() else part for part in key.split(".")]
    for part in path:
        header = header[part]
    return header, last


@pytest.mark.parametrize("key", KEYS)
def test_a_missing_key_of_the_header_is_named(key):
    def without(header):
        place, last = inside(header, key)
        del place[last]

    damage_header("run", without)
    said_so = one_line(sapper("table", "run"))
    assert "run/header.json" in said_so
    assert key.rpartition(".")[2] in said_so


@pytest.mark.parametrize("value", [{"odd": []}, ["odd"]], ids=str)
@pytest.mark.parametrize("key", [key for key in KEYS if key != "seed"])
def test_a_key_of_another_type_is_named_and_quoted(key, value):
    def otherwise(header):
        place, last = inside(header, key)
        place[last] = value

    damage_header("run", otherwise)
    said_so = one_line(sapper("table", "run"))
    assert "run/header.json" in said_so
    assert key.split(".")[-1] in said_so
    assert "odd" in said_so or "is missing" in said_so


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "run/header.json is not the header of a run"),
        ("[]", "run/header.json is not the header of a run"),
        ("{", "run/header.json is not the header of a run"),
        (b"\xff{}", "run/header.json is not the header of a run"),
        ('{"format": 1}', "run/header.json has format 1; this version reads 2"),
    ],
)
def test_a_header_that_is_none_is_named(content, message):
    Path("run/header.json").write_bytes(content if isinstance(content, bytes) else content.encode())
    assert message in one_line(sapper("table", "run"))


@pytest.mark.parametrize("part", ["questions", "solvers", "corpora"])
def test_a_header_with_an_empty_list_is_refused(part):
    Path("run/records.jsonl").write_text("")
    damage_header("run", lambda header: header.update({part: []}))
    assert f"run/header.json, key {part}: '[]'" in one_line(sapper("report", "run"))


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("records.jsonl", None, "run/records.jsonl: No such file"),
        ("corpora/00-tiny.jsonl", None, "run/corpora/00-tiny.jsonl: cannot be read: No such file"),
        (
            "corpora/00-tiny.jsonl",
            lambda text: text[:-9],
            "run/corpora/00-tiny.jsonl is not what was asked in this run",
        ),
        (
            "corpora/00-tiny.jsonl",
            lambda text: text.replace("game-even", "game-odd"),
            "00-tiny.jsonl is not what was asked in this run",
        ),
    ],
)
def test_a_damaged_file_of_a_run_is_named(name, change, message):
    path = Path("run", name)
    text = path.read_text()
    path.unlink()
    if change:
        path.write_text(change(text))
    assert message in one_line(sapper("table", "run"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["table"], "Missing argument"),
        (["table", "run", "--format", "xml"], "'xml' is not one of 'markdown', 'csv', 'latex', 'html'"),
        (["table", "run", "--by", "solver"], "'solver' is not"),
        (["statistics", "run", "--against", "onee"], "unknown baseline 'onee'; known are one, two"),
        (["statistics", "run", "--format", "csv"], "'csv' is not one of"),
        (["plot", "run", "--format", "gif"], "'gif' is not one of 'svg', 'pdf', 'png'"),
        (["plot", "run", "--out", "a file", "--format", "svg"], "a file"),
        (["report", "run", "--out", "gone/page.html"], "gone/page.html: No such file or directory"),
        (["report", "run", "--out", "."], "'.' exists already"),
        (["report", "run", "--limit", "-1"], "--limit"),
        (["report", "run", "--limit", "x"], "--limit"),
        (["diff", "run"], "Missing argument 'AFTER'"),
        (["diff", "run", "run", "--tolerance", "0.5"], "--tolerance"),
        (["diff", "run", "run", "--tolerance", "nan"], "tolerance"),
        (["diff", "run", "apart"], "the runs share nothing"),
        (["merge", "run", "--out", "new"], "to merge takes at least two runs"),
        (["merge", "run", "run"], "Missing option '--out'"),
        (["merge", "run", "run", "--out", "run"], "'run' exists already; a run is never overwritten"),
        (["merge", "run", "run", "--out", "a file"], "'a file' exists already"),
        (["merge", "run", "other", "--out", "new"], "different answers to one, tiny, clear, global"),
        (["records", "run"], "Missing option '--out'"),
        (["records", "run", "--out", "out.xlsx"], "the suffix of 'out.xlsx' is none of .parquet, .csv, .sqlite"),
        (["records", "run", "--out", "old.csv"], "'old.csv' exists already"),
        (["records", "run", "--out", "gone/new.sqlite"], "'gone/new.sqlite' cannot be made: there is no folder 'gone'"),
    ],
)
def test_bad_arguments_are_one_line_and_write_nothing(arguments, message):
    Path("a file").write_text("text")
    Path("old.csv").write_text("old")
    run_of(said(CLEAR, "complete", (1,))).save("other")
    run_of(said(EVEN, "partial", solver="nobody else")).save("apart")
    before = {path: path.is_file() and path.read_bytes() for path in Path().rglob("*")}
    assert message in one_line(sapper(*arguments))
    assert {path: path.is_file() and path.read_bytes() for path in Path().rglob("*")} == before


def test_a_reader_that_goes_away_is_no_error():
    line = f"{sys.executable} -m benchmarks statistics run | true"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}  # so that every line meets the pipe
    result = subprocess.run(line, shell=True, capture_output=True, env=environment, timeout=60)
    assert result.stderr == b""


def test_a_report_overwrites_nothing_that_was_named():
    Path("mine.txt").write_text("mine")
    wrong = sapper("report", "run", "--out", "mine.txt")
    assert wrong.exit_code == 2
    assert "'mine.txt' exists already" in wrong.stderr
    assert Path("mine.txt").read_text() == "mine"
