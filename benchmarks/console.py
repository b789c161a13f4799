"""What all commands share: options, how they end, how they complain, how they draw and how they show progress."""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from benchmarks.interrupts import noticed

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from board.decoding import Board

EXIT_WRONG = EXIT_NOT_WRITTEN = 1
EXIT_BAD_INPUT, EXIT_INCONSISTENT, EXIT_INTERRUPTED = 2, 3, 130

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)  # nothing that another argument would mend

_LONGEST_QUOTED = 40  # characters

# Typer brings its own copy of click or uses the installed one, by version.
_UsageError: Any = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")


class BadInput(Exception):
    """What the user gave cannot be used; the message says what and where."""


@contextmanager
def bad_input() -> Iterator[None]:
    """Around everything that reads what the user gave: what is raised there is the user's to mend."""
    from solvers import Unsupported

    try:
        yield
    except OSError as wrong:
        if _not_written(wrong):
            raise
        named = "" if wrong.filename is None else f"{wrong.filename}: "
        raise BadInput(f"{named}{wrong.strerror or wrong}") from None
    except (ValueError, Unsupported) as wrong:
        raise BadInput(str(wrong)) from None


def read_board(file: str, format: str | None, mines: int | None) -> Board:
    """The board in a file, `-` being standard input; ValueError and OSError as `board.formats.read_file`."""
    from board import formats

    if not file:
        raise ValueError(f"{file!r} is not the name of a file")
    try:
        if file == "-":
            return formats.read_stream(sys.stdin.buffer, "standard input", format, mines)
        return formats.read_file(file, format, mines)
    except ValueError as wrong:
        raise ValueError(f"{wrong}{format_hint(str(wrong), format)}") from None


_OTHER_FORMAT = ("the format must be named", "unknown character")  # complaints that end if the format is named


def format_hint(message: str, format: str | None) -> str:
    """What to append to a complaint about the content of a file that is perhaps of another format; "" for others.

    >>> format_hint("the format must be named, this could be layout, minesweepr", None)
    '; name it by --from, `sapper formats` lists them'
    """
    if format is not None or not any(part in message for part in _OTHER_FORMAT):
        return ""
    condition = "" if _OTHER_FORMAT[0] in message else "if it is of another format, "
    return f"; {condition}name it by --from, `sapper formats` lists them"


def path(text: str) -> Path:
    """The parser of an option that names a file or a folder: nothing is no name, though `Path` takes it for `.`."""
    if not text:
        raise typer.BadParameter(f"{text!r} is not the name of a file or a folder")
    return Path(text)


# What several commands take, with one name, one metavar and one help.
PositionFile = Annotated[
    str, typer.Argument(metavar="FILE|-", help="A position: text of 0-8 # F * _, or as `sapper formats` lists.")
]
Mines = Annotated[
    str | None,
    typer.Option("--mines", metavar="N", help="All mines on the board; only the clues count without it."),
]
Source = Annotated[
    str | None,
    typer.Option("--from", metavar="FORMAT", help="What FILE is, of `sapper formats`; else text, or what it says."),
]
TopologyName = Annotated[
    str | None,
    typer.Option("--topology", metavar="NAME", help="The board: grid, torus or hexagonal; grid otherwise."),
]
NewFile = Annotated[
    Path | None, typer.Option("--out", metavar="FILE", parser=path, help="A new file; else standard output.")
]
NewFolder = Annotated[
    Path | None, typer.Option("--out", metavar="DIR", parser=path, help="A new folder; runs/TIME otherwise.")
]
NewDrawing = Annotated[
    Path | None, typer.Option("--svg", metavar="FILE", parser=path, help="Draw it into this new file, too.")
]


def check_new(file: Path | None) -> None:
    """Refuse to write over something, or where there is no folder, before anything is computed; None is no file.

    Raises ValueError and OSError, naming the file.
    """
    if file is None:
        return
    if os.path.lexists(file):
        raise ValueError(f"{str(file)!r} exists already")
    missing = errno.ENOENT if not file.parent.exists() else errno.ENOTDIR if not file.parent.is_dir() else None
    refused = errno.EACCES if missing is None and not os.access(file.parent, os.W_OK) else missing
    if refused is not None:
        raise OSError(refused, os.strerror(refused), str(file))


def write_drawing(svg: str, file: Path) -> None:
    """Write an `<svg>` element into a file, and say so. Raises OSError."""
    file.write_text(svg, encoding="utf-8")
    print(f"sapper: the drawing is in {file}", file=sys.stderr)


def _not_written(wrong: OSError) -> bool:
    """Whether it says that something could not be written, to whatever it was."""
    return isinstance(wrong, BrokenPipeError) or wrong.errno in _FULL


class Commands(TyperGroup):
    """Turns every way to end into an exit code, and every complaint into one line."""

    def main(self, *args: Any, **extra: Any) -> NoReturn:
        """Run the command line, and exit."""
        try:
            with noticed() as interrupts:
                code = super().main(*args, **{**extra, "standalone_mode": False}) or 0
                sys.stdout.flush()
        except BadInput as wrong:
            code = _complain(str(wrong))
        except _UsageError as wrong:
            code = _complain(_quoting(wrong, list(args[0] if args and args[0] else extra.get("args") or sys.argv[1:])))
        except OSError as wrong:
            if not _not_written(wrong):
                raise
            if not isinstance(wrong, BrokenPipeError):  # then the reader has seen enough
                _complain(f"cannot write{'' if wrong.filename is None else f' {wrong.filename}'}: {wrong.strerror}")
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is left in the buffer goes there
            code = EXIT_NOT_WRITTEN
        except (typer.Abort, KeyboardInterrupt):
            code = EXIT_INTERRUPTED
        except Exception:
            if not interrupts.seen:
                raise
            code = EXIT_INTERRUPTED
        sys.exit(code)


def _quoting(wrong: Any, given: list[str]) -> str:
    """The message of a wrong option, with the value that was given: not every version of Typer quotes it.

    A long value is cut off, as its end says nothing more.
    """
    message: str = wrong.format_message()
    joined = (word.partition("=")[::2] for word in given if "=" in word)
    for option, value in (*pairwise(given), *joined):
        if option in getattr(getattr(wrong, "param", None), "opts", ()):
            shown = repr(value if len(value) <= _LONGEST_QUOTED else value[: _LONGEST_QUOTED - 1] + "…")
            return message.replace(repr(value), shown) if repr(value) in message else f"{message}: {shown}"
    return message


def _complain(message: str) -> int:
    print(f"sapper: {' '.join(message.split())}", file=sys.stderr)
    return EXIT_BAD_INPUT


def console() -> Console:
    """Standard output for tables and boards; never narrower than they are if it is no terminal."""
    from rich.console import Console

    return Console() if sys.stdout.isatty() else Console(width=200)


def coloured(drawn: str) -> Text:
    """The text of a board with its marks in colour."""
    from rich.text import Text

    text = Text(drawn)
    marks = {"S": "bold green", "M": "bold red", r"\*": "reverse red", r"[<>]?\d+%": "yellow"}
    for mark, style in marks.items():
        text.highlight_regex(mark, style)
    return text


EXTRACTION, COUNTING = "board.extraction", "solvers.counting"  #: modules of kernels that most commands call


def kernels_of(specs: Iterable[str]) -> tuple[str, ...]:
    """The modules in which kernels of these solvers may be, that of extraction among them.

    >>> kernels_of(["single", "single", "sat"])
    ('board.extraction', 'solvers.single', 'solvers.sat')
    """
    from solvers import make_solver

    return tuple(dict.fromkeys([EXTRACTION, *(type(make_solver(spec)).__module__ for spec in specs)]))


def cold(module: str) -> bool:
    """Whether a module has kernels and none of them is on disk yet, compiled for this machine, numba and source."""
    found = [value for value in vars(import_module(module)).values() if type(value).__name__ == "CPUDispatcher"]
    called = [one for one in found if "no_cpython_wrapper" not in one.targetoptions]  # the others are parts of kernels
    try:
        return bool(called) and not any(one._cache._cache_file._load_index() for one in called)
    except (AttributeError, OSError):  # kept in another way, or not at all: it cannot be told
        return False


@contextmanager
def progress(kernels: Iterable[str] = (EXTRACTION, COUNTING)) -> Iterator[Callable[[int, int], None]]:
    """A bar with the remaining time on standard error, or a line now and then if that is no terminal.

    Nothing is drawn by a thread: only when it is called, so never beside a measurement.

    kernels: the modules of those that will be called; if some are still to be compiled, a line says so first.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    if any(map(cold, kernels)):
        print("sapper: compiling kernels, once, which can take a minute or two", file=sys.stderr, flush=True)
    stderr = Console(stderr=True)
    if not stderr.is_terminal:
        yield _Lines()
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=stderr, auto_refresh=False, transient=True) as bar:
        task = bar.add_task("warming up", start=False)
        bar.refresh()
        drawn: float | None = None

        def report(done: int, total: int) -> None:
            nonlocal drawn
            if drawn is None:
                bar.start_task(task)
            elif time.monotonic() - drawn < 0.2 and done < total:
                return
            bar.update(task, description="working", total=total, completed=done, refresh=True)
            drawn = time.monotonic()

        yield report


class _Lines:
    """Progress for a log: a line every ten seconds."""

    def __init__(self) -> None:
        self.begun = self.told = time.monotonic()

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if not done:
            self.begun = now
        elif now - self.told > 10 and now - self.begun > 3:
            self.told = now
            left = (now - self.begun) / done * (total - done)
            print(f"{done:,} of {total:,}, about {left:.0f} s left", file=sys.stderr, flush=True)
