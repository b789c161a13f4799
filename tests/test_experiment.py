"""Experiments: every key wrong in every way, sweeps, what is left out, where files are looked for."""

import json
import re
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from samples import TINY

from benchmarks import run_experiment
from benchmarks.corpus import corpus_names, load_corpus, write_corpus
from benchmarks.document import notes
from benchmarks.experiment import Experiment, experiment_names, load_experiment
from benchmarks.left_out import LeftOut, left_out_notes
from benchmarks.plan import QUESTIONS, Limits
from benchmarks.records import Run
from solvers import make_solver, registry, spec_of
from solvers.sat import Sat

ROOT = Path(__file__).parent.parent
CORPORA = ROOT / "benchmarks/corpora"
README = (ROOT / "README.md").read_text(encoding="utf-8")
GOOD = {"corpora": '["tiny.jsonl"]', "solvers": '["single"]'}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Every test runs in an empty folder; experiments and a corpus lie in another."""
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    write_corpus(TINY, tmp_path / "there/tiny.jsonl")
    return tmp_path / "there"


def write(content):
    path = Path("../there/mine.toml")
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def toml(bounds=(), **keys):
    """An experiment with these keys, as TOML; None leaves one out."""
    lines = [f"{key} = {value}" for key, value in (GOOD | keys).items() if value is not None]
    return "\n".join([*lines, *(["[limits]", *bounds] if bounds else [])])


def refused(path):
    with pytest.raises(ValueError, match=re.escape(str(path))) as caught:
        load_experiment(path)
    message = str(caught.value)
    assert "\n" not in message
    return message


# what is wrong with one

WRONG = [
    # key, value, the key as the message has it, what the message quotes
    ("solver", '["single"]', "solver", "is unknown; did you mean 'solvers'?"),
    ("corporas", '["tiny.jsonl"]', "corporas", "did you mean 'corpora'?"),
    ("zzz", "1", "zzz", "is unknown; known are title, corpora, solvers"),
    ("title", "1", "title", "1 is of the wrong type; a text is needed"),
    ("title", "true", "title", "True is of the wrong type; a text"),
    ("title", "2026-01-01", "title", "datetime.date(2026, 1, 1) is of the wrong type"),
    ("corpora", None, "corpora", "at least one is needed"),
    ("corpora", "[]", "corpora", "at least one is needed"),
    ("corpora", '"tiny.jsonl"', "corpora", "'tiny.jsonl' is of the wrong type; a list"),
    ("corpora", '["tiny.jsonl", 7]', "corpora[1]", "7 is not a name or a path"),
    ("corpora", '["tiny.jsonl", ["cases"]]', "corpora[1]", "['cases'] is not a name"),
    ("corpora", '["tiny.jsonl", "tiny.jsonl"]', "corpora[1]", "'tiny.jsonl' stands twice"),
    ("corpora", '["expert-stcuk"]', "corpora[0]", "unknown corpus 'expert-stcuk'; did you mean 'expert-stuck'?"),
    ("corpora", '["tiny.jsonl", "gone.jsonl"]', "corpora[1]", "gone.jsonl: cannot be read: No such file"),
    ("corpora", '["gone/tiny"]', "corpora[0]", "gone/tiny: cannot be read"),
    ("corpora", '["mine.toml"]', "corpora[0]", "mine.toml, line 1: is not JSON"),
    ("corpora", '["../there"]', "corpora[0]", "../there: cannot be read: Is a directory"),
    ("corpora", '[""]', "corpora[0]", "cannot be read: Is a directory"),
    ("solvers", None, "solvers", "at least one is needed"),
    ("solvers", "[]", "solvers", "at least one is needed"),
    ("solvers", '"single"', "solvers", "'single' is of the wrong type; a list"),
    ("solvers", '["single", 3]', "solvers[1]", "3 is neither a spec nor a table with a spec"),
    ("solvers", '[["single"]]', "solvers[0]", "['single'] is neither a spec"),
    ("solvers", "[true]", "solvers[0]", "True is neither a spec"),
    ("solvers", '["single", "singel"]', "solvers[1]", "unknown solver 'singel'; did you mean 'single'?"),
    ("solvers", '[""]', "solvers[0]", "unknown solver ''"),
    ("solvers", '["sat:encodin=native"]', "solvers[0]", "no parameter 'encodin'; did you mean 'encoding'?"),
    ("solvers", '["counting:exact=maybe"]', "solvers[0]", "'maybe' is neither true nor false"),
    ("solvers", '[{encoding = "native"}]', "solvers[0]", "{'encoding': 'native'} is neither a spec"),
    ("solvers", '[{spec = ["sat"]}]', "solvers[0]", "{'spec': ['sat']} is neither a spec"),
    ("solvers", '[{spec = "sta", oracle = "ergo"}]', "solvers[0]", "unknown solver 'sta'"),
    ("solvers", '[{spec = "sat", encoding = []}]', "solvers[0], encoding", "[] is neither a value nor a list"),
    ("solvers", '[{spec = "sat", encoding = {}}]', "solvers[0], encoding", "{} is neither a value"),
    ("solvers", '[{spec = "sat", encoding = ["native", ["x"]]}]', "solvers[0], encoding", "['native', ['x']]"),
    ("solvers", '[{spec = "sat", encoding = ["native", "nativ"]}]', "solvers[0]", "'nativ'"),
    ("solvers", '[{spec = "counting", exact = 1}]', "solvers[0]", "'1' is neither true nor false"),
    ("solvers", '[{spec = "single", exact = true}]', "solvers[0]", "no parameter 'exact'"),
    ("solvers", '[{spec = "sat:encoding=native", encoding = "seqcounter"}]', "solvers[0]", "stands twice"),
    ("questions", "[]", "questions", "at least one is needed"),
    ("questions", '"local"', "questions", "'local' is of the wrong type; a list"),
    ("questions", '["local", "globl"]', "questions[1]", "'globl' is none of local, global"),
    ("questions", "[1]", "questions[0]", "1 is none of local, global"),
    ("questions", '[["local"]]', "questions[0]", "['local'] is none of"),
    *[
        (key, value, key, f"{shown} is of the wrong type; an integer")
        for key, (value, shown) in product(
            ("limit", "repeats", "seed"),
            [("true", "True"), ("false", "False"), ("1.0", "1.0"), ('"3"', "'3'"), ("[1]", "[1]"), ("nan", "nan")],
        )
    ],
    ("limit", "0", "limit", "at least 1 is needed, not 0"),
    ("limit", "-5", "limit", "at least 1 is needed, not -5"),
    ("repeats", "0", "repeats", "at least 1 is needed, not 0"),
    ("seed", "-1", "seed", "at least 0 is needed, not -1"),
    ("batch_threads", "2", "batch_threads", "2 is of the wrong type; a list"),
    *[
        ("batch_threads", f"[1, {value}]", "batch_threads[1]", f"an integer of at least 1 is needed, not {shown}")
        for value, shown in (("0", "0"), ("-2", "-2"), ("true", "True"), ("1.0", "1.0"), ('"2"', "'2'"), ("[2]", "[2]"))
    ],
    ("limits", "5", "limits", "5 is of the wrong type; a table"),
    ("limits", '["seconds"]', "limits", "['seconds'] is of the wrong type; a table"),
]


@pytest.mark.parametrize(("key", "value", "named", "quoted"), WRONG, ids=[f"{w[0]}={w[1]}" for w in WRONG])
def test_a_wrong_key_is_named_and_its_value_quoted(key, value, named, quoted):
    message = refused(write(toml(**{key: value})))
    assert f"mine.toml, key {named}: " in message
    assert quoted in message


WRONG_LIMITS = [
    ("second", "1", "is unknown; did you mean 'seconds'?"),
    *[
        (key, value, f"{shown} is of the wrong type; {kind} is needed")
        for key, kind in (("seconds", "a number"), ("warm_up_seconds", "a number"), ("memory_bytes", "an integer"))
        for value, shown in (("true", "True"), ('"10"', "'10'"), ("[1]", "[1]"), ("{}", "{}"))
    ],
    ("memory_bytes", "1.5", "1.5 is of the wrong type; an integer"),
    ("memory_bytes", "2e9", "2000000000.0 is of the wrong type; an integer"),
    *[(key, value, value) for key in ("seconds", "warm_up_seconds") for value in ("0", "-1", "-0.5")],
    *[
        (key, value, f"a finite number is needed, not {value}")
        for key in ("seconds", "warm_up_seconds")
        for value in ("nan", "inf", "-inf")
    ],
    ("memory_bytes", "0", "not 0"),
    ("memory_bytes", "-1", "not -1"),
]


@pytest.mark.parametrize(("key", "value", "quoted"), WRONG_LIMITS)
def test_a_wrong_limit_is_named_and_its_value_quoted(key, value, quoted):
    message = refused(write(toml([f"{key} = {value}"])))
    assert "mine.toml, key limits" in message
    assert key in message.partition("key limits")[2]
    assert quoted in message


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('title = "a"\ncorpora = [\n', "is not TOML: "),
        ('title = "a"\ntitle = "b"\n', "is not TOML: Cannot overwrite a value (at line 2"),
        ("title = a", "is not TOML: Invalid value (at line 1, column 9)"),
        ("limit = " + "9" * 200_000, "is not TOML: "),
        ("corpora = " + "[" * 100_000, "is not TOML: "),
        ("", "key corpora: at least one is needed"),
        (b'title = "\xff"', "is not text: byte 9 is not UTF-8"),
        ('title = "a"'.encode("utf-16"), "is not text: byte 0 is not UTF-8"),
    ],
    ids=range(8),
)
def test_a_file_that_is_no_experiment_is_named(content, message):
    assert f"mine.toml: {message}" in refused(write(content)).replace(", key", ": key")


def test_a_folder_and_a_missing_file_are_named():
    Path("folder.toml").mkdir()
    assert refused("folder.toml").endswith("cannot be read: Is a directory")
    assert refused("gone.toml").endswith("cannot be read: No such file or directory")


@pytest.mark.parametrize(
    ("name", "hint"),
    [("standrad", "; did you mean 'standard'?"), ("zzzz", f"; known are {', '.join(experiment_names())}")],
)
def test_an_unknown_name_comes_with_the_nearest(name, hint):
    assert refused(name) == f"unknown experiment {name!r}{hint}"


# what is right


def test_the_smallest_has_defaults():
    assert load_experiment(write(toml())) == Experiment("mine", "mine", ("single",), ("../there/tiny.jsonl",))


def test_every_key_arrives():
    text = toml(
        ["seconds = 1.5", "memory_bytes = 7_000_000", "warm_up_seconds = 3"],
        title='"A title"',
        questions='["global"]',
        limit="2",
        repeats="3",
        seed="4",
        batch_threads="[2, 1, 2]",
    )
    expected = Experiment(
        name="mine",
        title="A title",
        solvers=("single",),
        corpora=("../there/tiny.jsonl",),
        questions=("global",),
        limit=2,
        repeats=3,
        limits=Limits(1.5, 7_000_000, 3),
        seed=4,
        batch_threads=(2, 1),
    )
    assert load_experiment(write(text)) == expected
    assert load_experiment(write(text.replace("\n", "\r\n"))) == expected
    assert load_experiment(str(write(text))) == expected


@pytest.mark.parametrize(
    ("limits", "expected"), [(["seconds = 1"], Limits(1)), (["memory_bytes = 1"], Limits(None, 1))]
)
def test_limits_may_be_given_apart(limits, expected):
    assert load_experiment(write(toml(limits))).limits == expected


# sweeps

SWEEPS = [
    ('["single", {spec = "subset"}]', ["single", "subset"]),
    (
        '[{spec = "sat", encoding = ["totalizer", "seqcounter"], oracle = ["minicard", "cadical153"]}, "single"]',
        [
            *(
                spec_of(make_solver(f"sat:encoding={encoding},oracle={oracle}"))
                for encoding, oracle in product(["totalizer", "seqcounter"], ["minicard", "cadical153"])
            ),
            "single",
        ],
    ),
    (
        f'[{{spec = "sat:oracle={Sat().oracle}", encoding = ["native", "binomial"]}}]',
        ["sat", "sat:encoding=binomial"],  # as tables name them,
    ),
    ('[{spec = "counting", exact = [false, true]}]', ["counting", "counting:exact=true"]),
    ('[{spec = "counting", exact = true}, "counting:exact=true"]', ["counting:exact=true"]),
    (
        f'["sat", {{spec = "sat", oracle = ["{Sat().oracle}", "glucose4"], encoding = "totalizer"}}, "sat:chunk=999"]',
        ["sat", "sat:encoding=totalizer", "sat:encoding=totalizer,oracle=glucose4", "sat:chunk=999"],
    ),
    ('["subset", "single", "subset"]', ["subset", "single"]),
]


@pytest.mark.parametrize(("solvers", "expected"), SWEEPS)
def test_a_sweep_is_the_product_in_order(solvers, expected):
    found = load_experiment(write(toml(solvers=solvers)))
    assert list(found.solvers) == expected
    assert found.left_out == ()


IMPOSSIBLE = '{spec = "sat", encoding = ["native", "totalizer"], oracle = ["glucose4", "minicard", "kissat404"]}'


def test_what_a_sweep_cannot_combine_is_left_out_and_said():
    found = load_experiment(write(toml(solvers=f"[{IMPOSSIBLE}, {IMPOSSIBLE}]")))
    possible = ("native,oracle=minicard", "totalizer,oracle=glucose4", "totalizer,oracle=minicard")
    assert found.solvers == tuple(spec_of(make_solver(f"sat:encoding={pair}")) for pair in possible)
    assert [one.spec for one in found.left_out] == [  # once, though named twice
        "sat:encoding=native,oracle=glucose4",
        "sat:encoding=native,oracle=kissat404",
        "sat:encoding=totalizer,oracle=kissat404",
    ]
    for one, why in zip(found.left_out, ["no native at-most constraints", "is refused", "is refused"], strict=True):
        assert why in one.why
        assert one.spec == "sat:encoding={encoding},oracle={oracle}".format(**one.parameters)
        assert one.parameters["conflicts"] == "0"  # also what the sweep does not name


def test_what_is_left_out_is_told_once_a_reason():
    one, two = left_out_notes(load_experiment(write(toml(solvers=f"[{IMPOSSIBLE}]"))).left_out)
    assert one.startswith("Left out, 1 strategy: sat:encoding=native,oracle=glucose4: oracle 'glucose4' has no native")
    assert two == (
        "Left out, 2 strategies: sat:oracle=kissat404 with encoding native, totalizer: "
        "oracle 'kissat404' is refused: it ignores assumptions and then answers wrongly."
    )
    pairs = [("a:x=1,y=1", "no '1'"), ("a:x=2,y=3", "no '3'")]
    assert left_out_notes([LeftOut(*pair, {}) for pair in pairs]) == [
        "Left out, 2 strategies: a with x/y 1/1, 2/3: no '…'."
    ]
    mixed = [LeftOut("a:x=1", "no", {}), LeftOut("b:x=1", "no", {}), LeftOut("b", "no", {})]
    assert left_out_notes(mixed) == ["Left out, 3 strategies: a:x=1; b:x=1; b: no."]
    assert left_out_notes([]) == []


def test_a_run_keeps_what_was_left_out_and_its_document_says_it():
    found = load_experiment(write(toml(solvers=f"[{IMPOSSIBLE}]", questions='["local"]')))
    run_experiment(found, jobs=None, folder="run")
    run = Run.load("run")
    assert [LeftOut(**one) for one in run.header["left_out"]] == list(found.left_out)
    parameters = run.header["solvers"][1]["parameters"]
    assert (parameters["encoding"], parameters["oracle"], parameters["conflicts"]) == ("totalizer", "glucose4", "0")
    said = notes(run)
    for line in left_out_notes(found.left_out):
        assert line in said


def test_a_refused_solver_that_is_named_alone_is_an_error():
    message = refused(write(toml(solvers='["single", "sat:oracle=glucose4,encoding=native"]')))
    assert "key solvers[1]: 'sat:oracle=glucose4,encoding=native' cannot be asked: oracle 'glucose4' has no" in message


@pytest.mark.parametrize("item", ['"absent"', '{spec = "absent", x = [1, 2]}'])
def test_a_missing_library_is_left_out_and_said(monkeypatch, item):
    monkeypatch.setitem(registry._BUILT_IN, "absent", "no_such_library:X")
    found = load_experiment(write(toml(solvers=f'[{item}, "single"]')))
    assert found.solvers == ("single",)
    for one in found.left_out:
        assert one.spec.startswith("absent")
        assert "'no_such_library', which is not installed" in one.why


def test_a_typo_in_a_sweep_is_an_error_though_the_rest_is_right():
    message = refused(write(toml(solvers='[{spec = "sat", encoding = ["native", "totaliser"]}, "single"]')))
    assert "'totaliser'" in message


def test_nothing_left_is_refused_with_the_reasons():
    message = refused(write(toml(solvers='[{spec = "sat:oracle=kissat404", encoding = ["native", "totalizer"]}]')))
    assert "key solvers: none is left. Left out, 2 strategies: sat:oracle=kissat404 with encoding native" in message
    assert "is refused" in message


# corpora


def test_a_path_counts_from_the_folder_of_the_experiment(elsewhere):
    (elsewhere / "sub").mkdir()
    write_corpus(replace(TINY, name="deep", header={}), elsewhere / "sub/deep.jsonl")
    absolute = str(elsewhere / "tiny.jsonl")
    for given, expected in (("sub/deep.jsonl", "../there/sub/deep.jsonl"), (absolute, absolute)):
        found = load_experiment(write(toml(corpora=f'["{given}"]'))).corpora
        assert found == (expected,)
        assert load_corpus(found[0]).entries == TINY.entries


def test_a_path_never_counts_from_the_current_folder():
    write_corpus(TINY, "only-here.jsonl")
    message = refused(write(toml(corpora='["only-here.jsonl"]')))
    assert "../there/only-here.jsonl: cannot be read" in message


def test_a_file_beside_the_experiment_hides_no_bundled_corpus(elsewhere):
    (elsewhere / "cases").write_text("no corpus")
    assert load_experiment(write(toml(corpora='["cases"]'))).corpora == ("cases",)


# those that are bundled


@pytest.mark.parametrize("name", experiment_names())
def test_a_bundled_experiment_loads(name):
    found = load_experiment(name)
    assert found.name == name
    assert found.title != name
    assert set(found.corpora) <= set(corpus_names())
    for one in found.left_out:  # only of sweeps: the libraries of the tests are all there
        assert make_solver(one.spec.partition(":")[0])
        assert "not installed" not in one.why
    for spec in found.solvers:
        make_solver(spec)
    if name == "standard":
        asks_what_readme_says(found)


def asks_what_readme_says(standard):
    table = README.partition("<!-- table: standard -->")[2].partition("\n\n")[0]
    assert list(standard.solvers) == re.findall(r"^\| (\w+) \|", table, re.MULTILINE)[1:]
    levels = ("beginner-", "intermediate-", "expert-")
    assert list(standard.corpora) == [name for name in corpus_names() if name.startswith(levels)]
    assert standard.questions == QUESTIONS
    (positions,) = re.findall(r"strategies on ([\d,]+) bundled positions", README)
    files = [CORPORA / f"{corpus}.jsonl" for corpus in standard.corpora]
    counts = [json.loads(file.read_text().partition("\n")[0])["count"] for file in files]
    asked = sum(min(standard.limit or count, count) for count in counts)
    assert asked == int(positions.replace(",", ""))
    assert standard.limits.seconds is not None
