"""Records for other programs: what is read back is what was recorded."""

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from samples import BROKEN, CLEAR, COUNTED, EVEN, MINES, TINY, failed, replace, run_of, said

from benchmarks.exports import FORMS, export, positions_frame, records_frame
from benchmarks.judgement import score
from benchmarks.records import Record, Run

ROOT = Path(__file__).parent.parent
LISTS = ("safe", "mines", "extract_nanoseconds", "solve_nanoseconds")
ODD = 'a "quoted", comma; ünïcode ✓\nand a second line | pipe'
RUN = run_of(
    replace(said(CLEAR, "complete", (1, 4, 5)), stats={"nodes": 7, "note": "a,b"}, preempted=1),
    said(COUNTED, "partial", (2,), question="local", extract=(), solve=(2**62, 1)),  # 2 is not entailed here
    said(MINES, "complete", (), (1,)),  # misses 2
    said(EVEN, "partial", extract=(1, 2, 3), solve=(4, 5, 6), solver="two:a=1,b=2"),
    failed(BROKEN, "crashed", ODD, solver="two:a=1,b=2"),
)
EMPTY = Run(RUN.header, [], RUN.corpora)


def read_parquet(path):
    return pd.read_parquet(path)


def read_csv(path):
    texts = {"message": str, "stats": str, "faults": str}
    frame = pd.read_csv(path, dtype=texts, keep_default_na=False)
    frame["status"] = frame["status"].replace("", None)
    return unpacked(frame)


def read_sqlite(path):
    with closing(sqlite3.connect(path)) as database:
        return unpacked(pd.read_sql("select * from records", database))


def unpacked(frame):
    return frame.assign(**{name: frame[name].map(json.loads) for name in LISTS})


READERS = dict(zip(FORMS, (read_parquet, read_csv, read_sqlite), strict=True))
each_form = pytest.mark.parametrize("form", FORMS)


@each_form
def test_what_is_read_back_is_what_was_recorded(form, tmp_path):
    if form == ".parquet":
        pytest.importorskip("pyarrow")
    export(RUN, tmp_path / f"out{form}")
    frame = READERS[form](tmp_path / f"out{form}")
    rows = frame.to_dict("records")
    assert len(rows) == len(RUN.records)
    entries = RUN.entries()
    for row, record in zip(rows, RUN.records, strict=True):
        fields = {name: row[name] for name in Record.__struct_fields__}
        fields |= {name: tuple(map(int, row[name])) for name in LISTS}
        fields |= {"stats": json.loads(row["stats"]), "status": None if pd.isna(row["status"]) else row["status"]}
        unknown = pd.isna(row["peak_bytes"]) or row["peak_bytes"] == ""
        fields["peak_bytes"] = None if unknown else int(row["peak_bytes"])
        assert Record(**fields) == record
        judged = score(record, entries[record.corpus, record.entry])
        assert row["faults"] == " ".join(judged.faults)
        for name in ("solved", "nothing_entailed", "safe_entailed", "safe_found", "mines_entailed", "mines_found"):
            assert row[name] == getattr(judged, name), name
    assert list(frame["faults"]) == ["", "false_cell", "false_complete", "", ""]
    assert list(frame["mines_found"]) == [0, 0, 1, 0, 0]
    assert list(frame["solved"]) == [True, False, False, True, False]


def test_sqlite_holds_the_positions_too(tmp_path):
    export(RUN, tmp_path / "out.sqlite")
    with closing(sqlite3.connect(tmp_path / "out.sqlite")) as database:
        positions = pd.read_sql("select * from positions", database)
        joined = database.execute(
            "select records.entry, text, positions.mines from records join positions using (corpus, entry)"
        ).fetchall()
    pd.testing.assert_frame_equal(positions, positions_frame(RUN), check_dtype=False)
    entries = {entry.id: entry for entry in TINY}
    assert [row[0] for row in joined] == [record.entry for record in RUN.records]
    for name, text, mines in joined:
        assert text.split("\n") == entries[name].position.rows()
        assert mines == entries[name].position.mines


def test_positions_are_those_of_the_corpora_in_order():
    frame = positions_frame(RUN)
    assert list(frame["entry"]) == [entry.id for entry in TINY]
    assert list(frame["game"]) == [entry.game for entry in TINY]
    assert list(frame["cells"]) == [8, 4, 6, 3, 4]
    assert frame["text"][0] == "0###\n##1#"


def test_the_frame_for_notebooks_has_lists_and_keeps_none():
    frame = records_frame(RUN)
    assert frame["safe"].tolist()[0] == [1, 4, 5]
    assert frame["status"].isna().tolist() == [False, False, False, False, True]
    assert frame["stats"].tolist()[0] == '{"nodes": 7, "note": "a,b"}'
    counted = replace(RUN.records[0], stats={"nodes": np.int64(7)})
    assert records_frame(Run(RUN.header, [counted], RUN.corpora))["stats"].tolist() == ['{"nodes": "7"}']


@each_form
def test_a_run_without_records_has_its_columns(form, tmp_path):
    if form == ".parquet":
        pytest.importorskip("pyarrow")
    export(EMPTY, tmp_path / f"out{form}")
    frame = READERS[form](tmp_path / f"out{form}")
    assert len(frame) == 0
    assert list(frame) == list(records_frame(RUN))


@each_form
def test_an_existing_file_stays(form, tmp_path):
    path = tmp_path / f"out{form}"
    path.write_bytes(b"precious")
    with pytest.raises(FileExistsError, match=f"out{form}' exists already"):
        export(RUN, path)
    assert path.read_bytes() == b"precious"


@each_form
def test_a_missing_folder_is_named(form, tmp_path):
    with pytest.raises(OSError, match=r"out\S+ cannot be made: there is no folder .*gone'"):
        export(RUN, tmp_path / "gone" / f"out{form}")
    assert not (tmp_path / "gone").exists()


@pytest.mark.parametrize("name", ["out.xlsx", "out", "out.CSV", "out.csv.gz", ".csv", "out.sqlite3"])
def test_another_suffix_is_refused_before_anything_is_written(name, tmp_path):
    with pytest.raises(ValueError, match=r"the suffix of '.*' is none of \.parquet, \.csv, \.sqlite"):
        export(RUN, tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_parquet_without_its_library_says_what_to_install(tmp_path):
    RUN.save(tmp_path / "run")
    code = (
        "import sys; sys.modules |= {'pyarrow': None, 'fastparquet': None}; from benchmarks.exports import export; "
        "from benchmarks import Run; run = Run.load('run'); export(run, 'out.csv'); export(run, 'out.parquet')"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, cwd=tmp_path, timeout=60
    )
    assert done.stderr.splitlines()[-1] == (
        "solvers.interface.Unsupported: Parquet needs pyarrow: pip install 'sapper[parquet]'"
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.csv", "run"]
    assert len(read_csv(tmp_path / "out.csv")) == len(RUN.records)
