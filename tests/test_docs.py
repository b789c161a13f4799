"""The code in the documentation runs as it stands and prints what stands below it; its pictures are what is drawn."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest
from documents import blocks, run

DOCS = Path(__file__).parent.parent / "docs"
PAGES = {str(path.relative_to(DOCS)): path.read_text(encoding="utf-8") for path in sorted(DOCS.rglob("*.md"))}
RUN = [name for name, text in PAGES.items() if any(block.language in ("python", "sh") for block in blocks(text))]
NEEDS = {"environments.md": "gymnasium", "compare.md": "scipy"}


def module(name):
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


QUICK = ("concepts.md", "index.md", "view.md")


@pytest.mark.parametrize("page", [pytest.param(page, marks=() if page in QUICK else pytest.mark.slow) for page in RUN])
def test_the_code_of_a_page_runs(page, tmp_path):
    if page in NEEDS:
        pytest.importorskip(NEEDS[page])
    fault = run(blocks(PAGES[page]), tmp_path, page)
    if fault:
        pytest.fail(fault, pytrace=False)


def test_what_is_not_run_is_the_installation_alone():
    others = {(name, block.language) for name, text in PAGES.items() for block in blocks(text)}
    assert {language for _, language in others} == {"python", "sh", "text", "toml", "console"}
    assert [name for name, language in others if language == "console"] == ["index.md"]
    assert all(block.title for text in PAGES.values() for block in blocks(text, "toml"))


def test_pictures_are_what_is_drawn():
    pytest.importorskip("matplotlib")
    pictures = module("pictures")
    for name, made in pictures.PICTURES.items():
        assert (pictures.FOLDER / f"{name}.svg").read_text(encoding="utf-8") == made() + "\n", name
    assert {path.stem for path in pictures.FOLDER.iterdir()} == {*pictures.PICTURES, "pareto", "view"}


def test_every_picture_is_shown_and_described():
    texts = "".join(PAGES.values())
    shown = re.findall(r"!\[([^\]]*)\]\(pictures/(\w+\.(?:svg|png))\)", texts)
    assert {name for _, name in shown} == {path.name for path in (DOCS / "pictures").iterdir()}
    assert all(len(words) > 10 for words, _ in shown)
    assert len(shown) == texts.count("![")


def test_tables_of_readme_are_put_in():
    hooks = module("hooks")
    page = hooks.on_page_markdown("a\n\n<!-- table of README: strategies -->\n\nb")
    assert page.startswith("a\n\n| Strategy | Claims |")
    assert "| counting |" in page
    assert page.endswith("|\n\n\nb")
    with pytest.raises(ValueError, match="no table 'none'"):
        hooks.on_page_markdown("<!-- table of README: none -->")


def test_docstrings_become_markdown():
    pytest.importorskip("griffe")
    markdown = module("docstrings").markdown
    given = "What :func:`f` does.\n\nParameters\n---\na, b: words,\n    more.\nc: one.\n\nMethod: none.\n\n>>> f(1)"
    made = "What `f` does.\n\n**Parameters**\n\n- `a, b`: words,\n    more.\n- `c`: one.\n\nMethod: none.\n\n"
    assert markdown(given) == f"{made}```pycon\n>>> f(1)\n```"


def test_a_difference_is_found(tmp_path):
    page = "```python\nprint(1)\n```\n\n```text\n2\n```\n"
    assert "page.md:6" in run(blocks(page), tmp_path, "page.md")
    assert not run(blocks(page.replace("2", "1")), tmp_path)
    assert "ZeroDivisionError" in run(blocks("```python\n1 / 0\n```\n"), tmp_path)
    assert "exit code 3" in run(blocks("```sh\nexit 3\n```\n"), tmp_path)
