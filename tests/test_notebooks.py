"""The notebooks as they lie in the repository. `pytest --nbmake notebooks` executes them."""

import ast
import json
import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
MOST_BYTES = 300_000
# a home, a temporary folder, a drive: what only the machine has on which a notebook was run
MACHINE_PATH = re.compile(r"(?<![\w.:/<])/(?:home|root|tmp|usr|Users|mnt|opt|var|work)/\w|\b[A-Z]:\\\\\w|file://")


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def notebook(request):
    return json.loads(request.param.read_text("utf-8"))


def texts_of(cell):
    """Everything that a code cell has shown, each as text."""
    for output in cell["outputs"]:
        for shown in [output.get("text", ""), *output.get("data", {}).values()]:
            yield shown if isinstance(shown, str) else "".join(shown)


def test_there_are_notebooks_in_order():
    assert [path.stem[:2] for path in NOTEBOOKS] == [f"{number:02}" for number in range(1, len(NOTEBOOKS) + 1)]
    assert len(NOTEBOOKS) >= 7


def test_the_format_is_valid(notebook):
    nbformat = pytest.importorskip("nbformat")
    nbformat.validate(notebook)
    assert (notebook["nbformat"], notebook["nbformat_minor"]) >= (4, 5)  # from here on cells have ids


def test_it_begins_with_a_title_and_explains_itself(notebook):
    kinds = [cell["cell_type"] for cell in notebook["cells"]]
    assert "".join(notebook["cells"][0]["source"]).startswith("# ")
    assert kinds.count("markdown") >= kinds.count("code") / 2


def test_cell_ids_are_names_and_differ(notebook):
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", name) for name in ids), ids


def test_it_was_executed_from_top_to_bottom(notebook):
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    for cell in cells:
        last = ast.parse("".join(cell["source"])).body[-1]
        assert cell["outputs"] or not isinstance(last, ast.Expr)


def test_nothing_failed_and_nothing_was_complained_about(notebook):
    outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", [])]
    assert not [output for output in outputs if output["output_type"] == "error"]
    assert not [output["text"] for output in outputs if output.get("name") == "stderr"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_is_small(path):
    assert path.stat().st_size < MOST_BYTES


def test_it_tells_nothing_of_the_machine_it_was_run_on(notebook):
    for cell in notebook["cells"]:
        shown = ["".join(cell["source"]), *(texts_of(cell) if cell["cell_type"] == "code" else [])]
        assert not [found for text in shown for found in MACHINE_PATH.findall(text)]
        assert "execution" not in cell["metadata"]


@pytest.mark.parametrize("text", ["in /home/me/x.py", "'/tmp/a'", "file:///a", r"C:\\Users"])
def test_paths_of_a_machine_are_seen(text):
    assert MACHINE_PATH.search(text)


@pytest.mark.parametrize("text", ["runs/notebook", "http://www.w3.org/2000/svg", "</tmp>", "and/or", "row 1/home/x"])
def test_other_slashes_are_no_such_paths(text):
    assert not MACHINE_PATH.search(text)


def test_links_between_notebooks_lead_somewhere(notebook):
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            for target in re.findall(r"\]\(([^):]+\.ipynb)\)", "".join(cell["source"])):
                assert (FOLDER / target).is_file(), target
