"""Tables: what they say, in which order, and that what is written can be read back."""

import io

import pandas as pd
import pytest
from samples import CLEAR, COUNTED, MINES, TINY, Corpus, failed, run_of, said

from benchmarks.document import document, notes, verdict
from benchmarks.metrics import wrong_claims
from benchmarks.tables import (
    found,
    headline,
    latex,
    markdown,
    matrix,
    metrics_table,
    number,
    percent,
    rich_table,
    times,
    wrong_table,
)

HONEST = run_of(
    *(
        said(entry, "partial", entry.local_answer.safe, entry.local_answer.mines, solver=solver, question=question)
        for entry in (CLEAR, COUNTED, MINES)
        for question in ("local", "global")
        for solver in ("sat:encoding=a_b", "mstoollib")
    )
)
LYING = run_of(said(CLEAR, "complete", (1, 2), solver="liar"), said(COUNTED, "partial", solver="honest"))


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def test_csv_reads_back_unrounded():
    for by_corpus in (True, False):
        read = pd.read_csv(io.StringIO(document(HONEST, by_corpus=by_corpus, form="csv")))
        pd.testing.assert_frame_equal(read, metrics_table(HONEST, by_corpus=by_corpus), check_dtype=False)
    assert "corpus" not in read
    assert read["safe_recall"].tolist() == [1, 1, 0.6, 0.6]


def test_markdown_has_as_many_columns_in_every_line():
    frame = headline(metrics_table(HONEST))
    lines = markdown(frame).splitlines()
    assert cells(lines[0]) == list(frame.columns)
    assert {len(cells(line)) for line in lines} == {len(frame.columns)}
    assert len(lines) == 2 + len(frame)
    assert set(lines[1]) <= set("|:-")


def test_markdown_escapes_its_bars():
    assert markdown(pd.DataFrame({"Strategy": ["a|b"]})).splitlines()[2] == r"| a\|b |"


def test_latex_is_booktabs_and_escaped():
    text = latex(headline(metrics_table(HONEST)))
    for rule in (r"\toprule", r"\midrule", r"\bottomrule"):
        assert text.count(rule) == 1
    assert r"sat:encoding=a\_b" in text
    assert r"\%" in text
    body = text.splitlines()
    assert {line.count(" & ") for line in body if line.endswith(r"\\")} == {len(body[0].partition("}{")[2]) - 2}
    special = latex(pd.DataFrame({"Strategy": [r"a\b~c^d{e}&#$ <1 >2 – × µ"]}))
    wanted = (
        r"a\textbackslash{}b\textasciitilde{}c\textasciicircum{}d\{e\}\&\#\$ "
        r"\textless{}1 \textgreater{}2 -- $\times$ $\mu$ \\"
    )
    assert special.splitlines()[4] == wanted


def test_headline_puts_both_questions_in_one_row():
    frame = headline(metrics_table(HONEST, by_corpus=False))
    row = frame[frame["Strategy"] == "sat:encoding=a_b"].iloc[0]
    assert (row["Safe local %"], row["Safe global %"]) == ("100.0", "60.0")
    assert (row["Solved local %"], row["Solved global %"]) == ("100.0", "33.3")
    assert row["Wrong"] == "0"
    assert "Corpus" not in frame
    assert "Failed" not in frame
    assert headline(metrics_table(HONEST))["Corpus"].tolist() == ["tiny", "tiny"]


def test_one_question_alone_has_only_its_columns():
    frame = headline(metrics_table(LYING))
    assert "Safe global %" in frame
    assert "Safe local %" not in frame
    assert "× peer" not in frame


def test_found_and_times_tell_the_questions_apart():
    metrics = metrics_table(HONEST, by_corpus=False)
    assert found(metrics)["Safe of global %"].tolist() == ["60.0"] * 4
    assert found(metrics)["Mines %"].tolist() == ["100.0", "100.0", "50.0", "50.0"]
    assert times(metrics)["Median µs"].tolist() == ["1.50"] * 4


def test_matrix_has_a_row_a_corpus_and_a_column_a_strategy():
    frame = matrix(metrics_table(HONEST), "safe_recall", "global", percent)
    assert frame.to_dict("records") == [{"Corpus": "tiny", "sat:encoding=a_b": "60.0", "mstoollib": "60.0"}]


def test_wrong_claims_come_first():
    wrong = wrong_claims(LYING)
    assert verdict(HONEST, []) == "No wrong claim in 12 answers."
    assert verdict(LYING, wrong) == "WRONG CLAIMS in 1 of 2 answers: liar 1."
    assert wrong_claims(HONEST) == []
    assert wrong_table(wrong)["What"].tolist() == [
        "not entailed: safe [2], mines []; COMPLETE without the entailed cells [4, 5]"
    ]
    assert document(LYING).startswith("WRONG CLAIMS")
    assert document(LYING).index("| liar | tiny | clear |") < document(LYING).index("| Strategy | Claims |")
    assert document(LYING, form="latex").startswith("% WRONG CLAIMS")
    assert metrics_table(LYING)["wrong"].tolist() == [1, 0]


def test_notes_say_what_a_reader_must_know():
    text = "\n".join(notes(HONEST))
    assert TINY.hash[:12] in text
    assert "commit abc" in text
    assert "sapper bench" in text
    assert "subset inference" not in text
    stuck = Corpus("expert-stuck", TINY.entries)
    assert "The positions of expert-stuck were chosen" in "\n".join(notes(run_of(corpus=stuck)))
    broken = run_of(failed(CLEAR, message="ValueError: oh"), failed(MINES, message="ValueError: oh"))
    assert "one, 2 times: ValueError: oh" in notes(broken)
    assert headline(metrics_table(broken))["Failed"].tolist() == ["2"]


def test_an_unfinished_run_says_so():
    assert "not finished: 2 of 10 records" in "\n".join(notes(LYING))


def test_an_unknown_format_is_named():
    with pytest.raises(ValueError, match="unknown format 'xml'"):
        document(HONEST, form="xml")


def test_only_what_is_exactly_all_reads_100():
    assert [percent(x) for x in (0.0, 1e-9, 0.0005, 0.99949, 0.9995, 1.0)] == [
        "0.0",
        "<0.1",
        "0.1",
        "99.9",
        ">99.9",
        "100.0",
    ]


def test_numbers_have_about_three_digits():
    assert [number(x) for x in (0.0, 9.876, 98.76, 987.6, 9876543.2)] == ["0.00", "9.88", "98.8", "988", "9,876,543"]


def test_rich_table_shows_text_as_it_is():
    from rich.console import Console

    console = Console(width=100, file=io.StringIO())
    console.print(rich_table(pd.DataFrame({"Strategy": ["[red]x"], "Wrong": ["0"]}), "Title"))
    assert "[red]x" in console.file.getvalue()
