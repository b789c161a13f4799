"""Tables in a document, made again: what stays, what is replaced, what is told."""

from pathlib import Path

import pandas as pd
import pytest
from samples import CLEAR, COUNTED, TINY, at_once, replace, run_of, said
from typer.testing import CliRunner

from benchmarks import comparison, write_corpus
from benchmarks.cli import app
from benchmarks.reproduce import STRATEGIES, block, differences, replaced, table_names
from benchmarks.tables import markdown, strategies_table

RUN = run_of(
    said(CLEAR, "complete", (1, 4, 5), solver="sat|a"),
    said(COUNTED, "complete", (2, 3), solver="sat|a"),
    said(CLEAR, "partial", (1,)),
    said(COUNTED, "partial"),
)
SLOWER = replace(RUN, records=[replace(r, solve_nanoseconds=(77_000,)) for r in RUN.records])
HEAD = (
    "| Strategy | Claims | Wrong | Safe % | Median µs | p95 µs | × peer | PAR-2 ms |\n"
    "|:---|:---|---:|---:|---:|---:|---:|---:|"
)
ONE = "| one | sound | 0 | >99.9 | 12.3 | 1,234 | 0.10 | – |"
TWO = r"| sat:a\|b | complete | 0 | 100.0 | 1.00 | 2.00 | 1.00 | 3.00 |"


def sapper(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments])


def table(name, *lines):
    return f"<!-- table: {name} -->\n" + "".join(f"{line}\n" for line in lines) + "<!-- end -->"


# documents


def test_names_are_those_of_the_tables_each_once():
    document = "\n".join([table("b", HEAD, ONE), "text", table("a"), table("b", HEAD), "`<!-- table: NAME -->` is how"])
    assert table_names(document) == ["b", "a"]
    assert table_names("| A |\n|---|\n<!-- end -->\n<!-- made by -->") == []


@pytest.mark.parametrize(
    "document",
    [
        "<!-- table: a -->\n" + HEAD,
        "<!-- table: a -->\ntext\n" + table("b", HEAD, ONE),
        table("b", HEAD, ONE) + "\n<!-- table: a -->\n",
        table("a", HEAD) + "\n<!-- table: a -->\n" + table("b", HEAD),
    ],
)
def test_a_table_without_an_end_is_refused_and_swallows_nothing(document):
    with pytest.raises(ValueError, match="the table 'a' has no <!-- end -->"):
        table_names(document)
    made = replaced(document, {"a": "NEW\n"})
    assert made.count(HEAD) >= document.count(HEAD) - 1
    assert ("text" in made) is ("text" in document)


def test_ragged_rows_are_refused():
    with pytest.raises(ValueError, match="table a: the row 'one' has 2 cells, the head 8"):
        table_names(table("a", HEAD, "| one | sound |"))


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_everything_around_a_table_stays_as_it_is(end):
    around = ["# Title\t \n\n\n", "\n| not | a table |\n\\1 \\g<0>  \n", "\n", "\r tail without an end ✓"]
    old = [table("a", HEAD, ONE), table("b", HEAD, TWO), table("a", "")]
    pieces = [text for pair in zip(around, [*old, ""], strict=True) for text in pair]
    document = "".join(pieces).replace("\n", end)
    made = replaced(document, {"a": "| new \\1 |\n"})
    new = table("a", "| new \\1 |")
    assert made == document.replace(old[0].replace("\n", end), new.replace("\n", end)).replace(
        old[2].replace("\n", end), new.replace("\n", end)
    )
    assert replaced(made, {"a": "| new \\1 |\n"}) == made
    assert replaced(document, {}) == document
    assert replaced(document, {"unknown": "x"}) == document


# blocks


def test_a_block_is_the_table_and_where_it_comes_from():
    text = block("mine", RUN)
    lines = text.splitlines()
    assert lines[0].startswith("| Strategy | Claims | Wrong | Safe global % |")
    assert lines[2].startswith(r"| sat\|a | sound | 0 | 100.0 |")
    assert lines[3].startswith("| one | sound | 0 | 20.0 |")
    assert lines[4] == ""
    assert lines[5] == (
        "<sub>No wrong claim in 4 answers. Made by `sapper reproduce mine` on 2026-01-01, commit abc, Python 3, C, "
        f"1 cores, one process. Corpora (name, hash): tiny {TINY.hash[:8]}.</sub>"
    )
    assert len(lines) == 6


def test_a_block_says_what_is_special():
    machine = {**RUN.header["machine"], "dirty": True, "commit": "0123456789abcdef"}
    special = replace(RUN, header={**RUN.header, "machine": machine, "jobs": 3})
    assert "commit 0123456789ab with changes, Python 3, C, 1 cores, 3 processes." in block("mine", special)
    unknown = replace(RUN, header={**RUN.header, "machine": {**machine, "commit": None, "dirty": None}})
    assert "commit unknown, Python" in block("mine", unknown)


def test_a_wrong_claim_stands_in_the_block_and_is_a_difference():
    liar = replace(RUN, records=[*RUN.records[:3], said(COUNTED, "partial", (1,))])
    text = block("mine", liar)
    assert "<sub>WRONG CLAIMS in 1 of 4 answers: one 1. Made by" in text
    (found,) = differences(table("mine", block("mine", RUN)), {"mine": text})
    assert (found.row, found.column, found.before, found.after) == ("one", "Wrong", "0", "1")


def test_the_strategies_need_no_run():
    assert block(STRATEGIES, None) == markdown(strategies_table()) + "\n"
    assert not differences(table(STRATEGIES, block(STRATEGIES, None)), {STRATEGIES: block(STRATEGIES, None)})


# differences


def changed(old, new):
    return "\n".join([HEAD, ONE, TWO]).replace(old, new)


WITHOUT_SAFE = "\n".join(
    "|".join(cells[:4] + cells[5:]) for cells in (line.split("|") for line in (*HEAD.split("\n"), ONE))
)
DIFFERENCES = {
    "nothing": (changed("", ""), []),
    "times": (changed("12.3", "99.9").replace("1,234", "–").replace("0.10", "7.00").replace("3.00", "4.00"), []),
    "a recall": (changed(">99.9", "99.9"), ["table t, one, Safe %: '>99.9' became '99.9'"]),
    "all and nearly all": (changed(">99.9", "100.0"), ["table t, one, Safe %: '>99.9' became '100.0'"]),
    "a dash": (changed(">99.9", "–"), ["table t, one, Safe %: '>99.9' became '–'"]),
    "a claim": (changed("sound", "complete"), ["table t, one, Claims: 'sound' became 'complete'"]),
    "two cells": (
        changed("| 0 | >99.9", "| 2 | 0.0"),
        ["table t, one, Wrong: '0' became '2'", "table t, one, Safe %: '>99.9' became '0.0'"],
    ),
    "a cell of a row with a pipe": (
        changed("100.0", "50.0"),
        [r"table t, sat:a\|b, Safe %: '100.0' became '50.0'"],
    ),
    "a row less": (changed("\n" + ONE, ""), ["table t, one, row: 'there' became 'missing'"]),
    "a row more": (
        changed(ONE, ONE + "\n" + ONE.replace("one", "three")),
        ["table t, three, row: 'missing' became 'there'"],
    ),
    "another order": ("\n".join([HEAD, TWO, ONE]), []),
    "a timed column less": (changed(" × peer |", " x µs |"), []),
    "a column renamed": (
        changed("Wrong", "Errors"),
        [
            f"table t, {row}, {column}: {change}"
            for row in ("one", r"sat:a\|b")
            for column, change in (("Wrong", "'0' became 'missing'"), ("Errors", "'missing' became '0'"))
        ],
    ),
    "wider cells": (changed("| sound |", "|   sound    |"), []),
    "what stands below": (changed("", "") + "\n\n<sub>another day</sub>", []),
}


@pytest.mark.parametrize(("new", "expected"), DIFFERENCES.values(), ids=DIFFERENCES)
def test_what_is_deterministic_is_told_and_nothing_else(new, expected):
    document = f"text\n{table('t', HEAD, ONE, TWO)}\n{table('other', HEAD, ONE)}"
    assert sorted(map(str, differences(document, {"t": new + "\n"}))) == sorted(expected)
    assert differences(document, {}) == []


def test_a_column_less_and_an_empty_table():
    assert [d.column for d in differences(table("t", HEAD, ONE), {"t": WITHOUT_SAFE})] == ["Safe %"]
    assert [d.column for d in differences(table("t", WITHOUT_SAFE), {"t": f"{HEAD}\n{ONE}"})] == ["Safe %"]
    (new,) = differences(table("t"), {"t": f"{HEAD}\n{ONE}"})
    assert (new.row, new.column, new.before, new.after) == ("one", "row", "missing", "there")


def test_a_run_made_again_differs_in_times_only():
    before, after = block("mine", RUN), block("mine", SLOWER)
    assert before != after
    assert not differences(table("mine", before), {"mine": after})


# the command


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with an experiment, a corpus, a run of the experiment, and a document with its table."""
    monkeypatch.chdir(tmp_path)
    write_corpus(TINY, "tiny.jsonl")
    Path("mine.toml").write_text(
        'corpora = ["tiny.jsonl"]\nsolvers = ["enumeration", {spec = "sat", oracle = "kissat404"}]\n'
    )
    headed(RUN, "mine").save("run")
    document("mine.toml", block("mine.toml", RUN))
    return tmp_path


def headed(run, experiment):
    return replace(run, header={**run.header, "experiment": experiment})


def document(name, text, **more):
    tables = "\n\n".join(f"<!-- table: {name} -->\n{text}<!-- end -->" for name, text in {name: text, **more}.items())
    Path("README.md").write_bytes(f"# Title\r\n\r\n{tables}\n tail ✓".encode())


def readme():
    return Path("README.md").read_bytes()


def one_line(done):
    assert done.exit_code == 2, done.stdout + done.stderr
    assert done.stdout == ""
    assert done.stderr.startswith("sapper: ")
    assert done.stderr.count("\n") == 1
    return done.stderr


def test_a_run_that_came_out_equal_changes_times_only(folder):
    before = readme()
    assert sapper("reproduce", "mine.toml", "--run", "run").exit_code == 0
    assert readme() == before
    headed(SLOWER, "mine").save("slower")
    done = sapper("reproduce", "mine.toml", "--run", "slower")
    assert (done.exit_code, done.stdout) == (0, "mine.toml: everything deterministic came out equal\n")
    assert readme() == before.replace(block("mine.toml", RUN).encode(), block("mine.toml", SLOWER).encode()) != before


@pytest.mark.parametrize("check", [[], ["--check"]])
def test_a_difference_fails_and_is_written_unless_checked(folder, check):
    better = headed(replace(RUN, records=[*RUN.records[:3], said(COUNTED, "partial", (2, 3))]), "mine").save("better")
    before = readme()
    done = sapper("reproduce", "mine.toml", "--run", "better", *check)
    assert done.exit_code == 1
    assert done.stdout.splitlines()[0] == "table mine.toml, one, Safe global %: '20.0' became '60.0'"
    assert done.stdout.splitlines()[-1] == "mine.toml: 2 deterministic values differ"
    assert (readme() == before) is bool(check)
    assert (block("mine.toml", better).encode() in readme()) is not bool(check)


def test_a_wrong_claim_fails(folder):
    records = [*RUN.records[:3], said(COUNTED, "partial", (1,))]
    headed(replace(RUN, records=records), "mine").save("wrong")
    done = sapper("reproduce", "mine.toml", "--run", "wrong")
    assert done.exit_code == 1
    assert "table mine.toml, one, Wrong: '0' became '1'" in done.stdout
    assert b"WRONG CLAIMS in 1 of 4 answers: one 1." in readme()


def test_a_wrong_batch_fails(folder):
    headed(replace(RUN, batches=[at_once(wrong=2, message="what")]), "mine").save("wrong")
    done = sapper("reproduce", "mine.toml", "--run", "wrong")
    assert done.exit_code == 1
    assert "table mine.toml: Wrong in a batch: one, tiny, global, threads 1: 2 of 5 positions; what." in done.stdout
    assert b"No wrong claim in 4 answers. WRONG BATCHES, of whole corpora put at once: one 1." in readme()


def test_without_a_run_it_measures_and_twice_gives_the_same(folder):
    Path("mine.toml").write_text(Path("mine.toml").read_text() + 'questions = ["global"]\nlimit = 3\n')
    first = sapper("reproduce", "--file", "README.md")
    assert first.exit_code == 1
    assert first.stdout.splitlines()[-1] == "mine.toml: 3 deterministic values differ"
    assert "sapper: mine.toml" in first.stderr
    assert "sapper: Left out, 1 strategy: sat:oracle=kissat404: " in first.stderr
    text = readme().decode()
    assert text.startswith("# Title\r\n\r\n<!-- table: mine.toml -->\n| Strategy |")
    assert text.endswith("<!-- end -->\n tail ✓")
    assert "\n| enumeration | complete | 0 | 100.0 |" in text
    again = sapper("reproduce", "mine.toml", "mine.toml", "--check")
    assert (again.exit_code, again.stdout) == (0, "mine.toml: everything deterministic came out equal\n")
    assert readme().decode() == text


def test_the_strategies_are_made_beside(folder):
    document(STRATEGIES, markdown(pd.DataFrame({"Strategy": ["nobody"], "Claims": ["sound"]})) + "\n")
    done = sapper("reproduce")
    assert done.exit_code == 1
    assert "table strategies, nobody, row: 'there' became 'missing'" in done.stdout
    assert sapper("reproduce", STRATEGIES, "--check").stdout == "strategies: everything deterministic came out equal\n"


def test_a_ctrl_c_leaves_the_document(folder, monkeypatch):
    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(comparison, "run_experiment", stopped)
    before = readme()
    assert sapper("reproduce").exit_code == 130
    assert readme() == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["min"], "README.md has no table 'min'; it has mine.toml"),
        (["mine.toml", "standard"], "README.md has no table 'standard'; it has mine.toml"),
        (["--file", "gone.md"], "gone.md: No such file or directory"),
        (["--file", "."], ".: Is a directory"),
        (["--file", "empty.md"], "empty.md has no table"),
        (["mine.toml", "--file", "empty.md"], "empty.md has no table 'mine.toml'; it has none"),
        (["--file", "latin.md"], "latin.md: is not text: byte 1 is not UTF-8"),
        (["--file", "open.md"], "the table 'mine.toml' has no <!-- end -->"),
        (["--file", "ragged.md"], "table mine.toml: the row 'one' has 1 cells, the head 8"),
        (["--file", "unknown.md"], "unknown experiment 'standrad'; did you mean 'standard'?"),
        (["--run", "run"], "--run goes with one table"),
        (["mine.toml", "mine.toml", "--run", "run"], "--run goes with one table"),
        (["mine.toml", "--run", "gone"], "'gone' is not a run folder"),
        (["mine.toml", "--run", "."], "'.' is not a run folder"),
        (["mine.toml", "--run", "other"], "'other' is a run of the experiment 'cases', not of 'mine.toml'"),
        (["strategies", "--file", "strategies.md", "--run", "run"], "'run' is a run of the experiment 'mine', not of"),
    ],
)
def test_what_cannot_be_is_one_line_and_changes_nothing(folder, arguments, message):
    headed(RUN, "cases").save("other")
    Path("empty.md").write_text("| no | table |\n")
    Path("latin.md").write_bytes(b"\n\xff" + table("mine.toml").encode())
    Path("open.md").write_text(f"<!-- table: mine.toml -->\n{HEAD}\n")
    Path("ragged.md").write_text(table("mine.toml", HEAD, "| one |"))
    Path("unknown.md").write_text(table("mine.toml") + "\n" + table("standrad"))
    Path("strategies.md").write_text(table(STRATEGIES))
    before = {path: path.read_bytes() for path in Path().glob("*.md")}
    assert message in one_line(sapper("reproduce", *arguments))
    assert {path: path.read_bytes() for path in Path().glob("*.md")} == before
