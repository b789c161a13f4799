"""The Python in README.md runs as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_block_runs(block):
    exec(compile(block, "README.md", "exec"), {})


def test_there_are_blocks():
    assert len(BLOCKS) == 2
