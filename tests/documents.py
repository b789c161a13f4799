"""Documents whose code runs as it stands: blocks of a Markdown text, run one after the other in one process.

`python` and `sh` blocks are run, in a folder of their own. A block with a title is a file of that name. A `text` block
says what the block before it printed; `...` stands for anything, and blanks are all alike.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import subprocess
import sys
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, REPORT_NDIFF, Example, OutputChecker
from pathlib import Path
from typing import NamedTuple

_FENCE = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.DOTALL | re.MULTILINE)


class Block(NamedTuple):
    language: str
    title: str | None
    code: str
    line: int  # of the document, the first of the code, from 1


def blocks(document, language=None):
    found = [
        Block(match[1], match[2], match[3], document.count("\n", 0, match.start()) + 2)
        for match in _FENCE.finditer(document)
    ]
    assert 2 * len(found) == len(re.findall(r"^ *```", document, re.MULTILINE)), "a fence that is not a block's"
    return [block for block in found if language in (None, block.language)]


def run(chosen, folder, name="page", timeout=300):
    """Run the blocks in the folder; what went wrong, "" for nothing."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(folder),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "100",
    }
    done = subprocess.run(
        [sys.executable, __file__, name],
        cwd=folder,
        env=environment,
        input=json.dumps(chosen),
        capture_output=True,
        text=True,
        timeout=timeout,
    )
    return "" if done.returncode == 0 else f"{done.stdout}\n{done.stderr}"


def _shell(code):
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", code], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"exit code {done.returncode}: {code}\n{done.stdout}{done.stderr}")
    return done.stdout


def _python(code, where):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, where, "exec"), sys.modules["__main__"].__dict__)
    return printed.getvalue()


def _compare(block, printed, where):
    checker, flags = OutputChecker(), ELLIPSIS | NORMALIZE_WHITESPACE
    if not checker.check_output(block.code, printed, flags):
        said = checker.output_difference(Example("", block.code), printed, flags | REPORT_NDIFF)
        raise SystemExit(f"{where}: printed is\n{printed}\n{said}")


def _main(name):
    printed = None
    for block in (Block(*one) for one in json.load(sys.stdin)):
        where = f"{name}:{block.line}"
        if block.title is not None:
            Path(block.title).write_text(block.code, encoding="utf-8")
        elif block.language == "sh":
            printed = _shell(block.code)
        elif block.language == "python":
            # lines as in the document
            printed = _python("\n" * (block.line - 1) + block.code, where.rpartition(":")[0])
        elif block.language == "text":
            if printed is None:
                raise SystemExit(f"{where}: nothing was printed before")
            _compare(block, printed, where)


if __name__ == "__main__":
    _main(sys.argv[1])
