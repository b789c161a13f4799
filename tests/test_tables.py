"""Tables: what they say, in which order, and that what is written can be read back."""

import io
import os
import subprocess
import sys
from pathlib import Path
from time import perf_counter_ns

import pandas as pd
import pytest
from samples import CLEAR, COUNTED, EVEN, MINES, TINY, Corpus, at_once, failed, replace, run_of, said

from benchmarks.batch_tables import batches_table
from benchmarks.document import document, notes, verdict
from benchmarks.metrics import scores, wrong_claims
from benchmarks.scaling import growth_table
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
from board import Position
from solvers import make_solver

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


def test_peaks_of_memory_have_a_column_if_any_is_known():
    assert "Peak MB" not in times(metrics_table(HONEST))
    assert "Peak MB" not in document(HONEST)
    known = replace(said(CLEAR, "partial"), peak_bytes=12_345_678)
    less = replace(said(COUNTED, "partial"), peak_bytes=4096)
    run = run_of(known, less, said(CLEAR, "partial", solver="two"))
    assert times(metrics_table(run))["Peak MB"].tolist() == ["12.3", "–"]
    assert "Peak MB: the most memory that the process held during a call" in document(run)


# what only some runs have


def lines_of(text, title):
    """The rows of the table under this title."""
    return [cells(line) for line in text.partition(f"\n{title}\n\n")[2].partition("\n\n")[0].splitlines()]


def square(side, number):
    rows = ["#" * side] * side
    return replace(EVEN, id=f"{side}-{number}", game=f"game-{side}-{number}", position=Position.parse(rows, 1))


SQUARES = Corpus("tiny", tuple(square(side, number) for side in (2, 4, 8) for number in range(3)))


def grown(solver, exponent, without=(), **more):
    """Times of 1 microsecond a cell, to the power; the second a fifth more, the third a fifth less."""
    records = []
    for entry, noise in zip(SQUARES, (5, 6, 4) * 3, strict=True):
        nanoseconds = round(200 * entry.position.codes.size**exponent * noise)
        record = said(entry, "partial", solver=solver, extract=(), solve=(nanoseconds,), **more)
        records.append(failed(entry, without[entry.id], "over", solver=solver) if entry.id in without else record)
    return records


def test_growth_is_the_exponent_of_the_number_of_cells():
    lost = {"8-0": "timeout", "8-1": "timeout", "8-2": "memory", "4-0": "crashed"}
    run = run_of(*grown("square", 2), *grown("linear", 1, lost), corpus=SQUARES)
    head, _, one, two = lines_of(document(run), "Growth")
    assert head == [
        *("Corpus", "Question", "Strategy", "Exponent", "Answered", "Timeouts", "Memory", "Crashes"),
        *("Largest cells", "Median there µs"),
    ]
    exponent, low, high = map(float, one[3].replace(",", "").replace("[", "").replace("]", "").split())
    assert 1.7 < low < exponent < high < 2.3
    assert exponent == pytest.approx(2, abs=0.01)
    assert two[3] == "1.00"  # of two sizes, which give no interval
    assert one[:3] + one[4:] == ["tiny", "global", "square", "9", "0", "0", "0", "64", "4,096"]
    assert two[:3] + two[4:] == ["tiny", "global", "linear", "5", "2", "1", "1", "16", "16.0"]
    assert "Growth: the exponent e in time ~ cells^e" in document(run)
    assert lines_of(document(run), "Growth")[2:] == [one, two]  # the same resamples again
    assert r"% Growth" in document(run, form="latex")
    assert "<p>Growth</p>" in document(run, form="html")


def test_who_answered_one_size_or_nothing_has_no_exponent():
    small = {entry.id: "timeout" for entry in SQUARES.entries[3:]}
    nothing = {entry.id: "memory" for entry in SQUARES}
    run = run_of(*grown("weak", 1, small), *grown("nobody", 1, nothing), corpus=SQUARES)
    weak, nobody = growth_table(run, scores(run)).to_dict("records")
    assert (weak["Exponent"], weak["Largest cells"], weak["Median there µs"]) == ("–", "4", "4.00")
    assert (nobody["Exponent"], nobody["Answered"], nobody["Memory"]) == ("–", "0", "9")
    assert (nobody["Largest cells"], nobody["Median there µs"]) == ("–", "–")


def test_boards_of_two_sizes_have_no_growth():
    two = Corpus("tiny", SQUARES.entries[:6])
    run = run_of(*grown("square", 2)[:6], corpus=two)
    assert growth_table(run, scores(run)).empty
    assert "Growth" not in document(run)
    assert growth_table(run_of(corpus=SQUARES), scores(run_of(corpus=SQUARES))).empty
    assert "Growth" not in document(run_of(corpus=SQUARES))


def test_growth_is_told_without_the_libraries_of_statistics(tmp_path):
    run_of(*grown("square", 2), corpus=SQUARES).save(tmp_path / "run")
    code = (
        "import sys; sys.modules |= {'scipy': None, 'statsmodels': None}; "
        "from benchmarks.document import document; from benchmarks import Run; print(document(Run.load('run')))"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert lines_of(done.stdout, "Growth")[2][3].startswith("2.00 [1."), done.stderr


def alone(solver, solve=(2_000,)):
    return [said(entry, "partial", solver=solver, solve=solve) for entry in TINY]


def test_batches_are_told_by_position_and_against_others():
    batches = [at_once(2, (40_000, 10_000, 20_000)), at_once(1, (40_000,)), at_once(1, (5_000,), solver="two")]
    run = run_of(*alone("one"), *alone("two"), *alone("mstoollib"), batches=batches)
    assert lines_of(document(run), "Batches") == [
        ["Corpus", "Question", "Strategy", "Method", "Threads", "Positions", "µs a position", "× peer", "× one thread"],
        [*([":---"] * 4), *(["---:"] * 5)],
        ["tiny", "global", "one", "deduce_many", "1", "5", "8.00", "3.20", "1.00"],
        ["tiny", "global", "one", "deduce_many", "2", "5", "4.00", "1.60", "0.50"],
        ["tiny", "global", "two", "deduce_many", "1", "5", "1.00", "0.40", "1.00"],
    ]
    assert "Batches: all positions of a corpus put to a strategy at once" in document(run)
    assert "the same batch's with one thread, below 1 is faster." in document(run)
    assert "% Batches" in document(run, form="latex")


def test_a_peer_that_left_a_position_out_is_no_measure():
    peer = [*alone("mstoollib")[:4], failed(TINY.entries[4], "unsupported", solver="mstoollib")]
    run = run_of(*alone("one"), *peer, batches=[at_once(2)])
    table = batches_table(run, scores(run))
    assert "× peer" not in table
    assert "× one thread" not in table
    part = replace(run, batches=[replace(at_once(2, (20_000,)), positions=4)])  # as in a merged run
    assert batches_table(part, scores(part))["× peer"].tolist() == ["2.00"]
    assert "Batches" not in document(replace(run, batches=[]))


def test_of_the_peers_time_its_librarys_share_is_told():
    peer = [
        replace(
            said(entry, "partial", solver="mstoollib", extract=(), solve=(1000, 9)), stats={"library_nanoseconds": n}
        )
        for entry, n in ((CLEAR, 300), (COUNTED, 990), (MINES, 800))
    ]
    assert "Of mstoollib's time 80.0 % (median) is its library's own call" in "\n".join(notes(run_of(*peer)))
    assert "own call" not in "\n".join(notes(HONEST))


def test_the_peer_says_how_long_its_library_took():
    pytest.importorskip("ms_toollib")
    peer = make_solver("mstoollib")
    for position in (CLEAR.position, Position.parse(["1#", "00"], 1), Position.parse(["#1###"], 4)):
        begin = perf_counter_ns()
        inside = peer.deduce(position.problem()).stats["library_nanoseconds"]
        assert 0 < inside < perf_counter_ns() - begin
