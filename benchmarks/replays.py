"""Replays of games that people played, as positions: what did the player see after each action that opened a cell?

Method: ms_toollib reads the file and plays its mouse events again; what it shows after an event that opened a cell is
compared with the layout, cell by cell, before it counts. Formats: AVF (Minesweeper Arbiter), EVF (Metasweeper), RMV
(Vienna MineSweeper), MVF (Minesweeper Clone 0.97), told apart by the ending of the file's name.
Source: Wang Jianing, ms_toollib, https://github.com/eee555/ms_toollib; tried with 1.5.20.

On almost every damaged file the library aborts the process that it runs in, and leaves a file `crash.log` where that
one works. So it is imported only in a process of its own, with limits on time and memory and a temporary folder.
Cost: a second at most to start the process, then linear in events times cells: tens of milliseconds a game.
"""

from __future__ import annotations

import importlib.util
import os
import resource
import signal
import tempfile
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from os import PathLike, fspath
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.entries import Corpus, Entry
from benchmarks.generation import entry_of
from benchmarks.machine import CAN_BOUND_MEMORY, address_space_bytes
from benchmarks.processes import Context, Process
from board import COVERED, HIT, Layout, Position
from board.decoding import MOST_BYTES
from solvers import Solver, Unsupported, make_solver

Moments = Literal["every", "stuck", "guess"]

READERS = {".avf": "AvfVideo", ".evf": "EvfVideo", ".rmv": "RmvVideo", ".mvf": "MvfVideo"}
DEFINITIONS: Mapping[Moments, str] = {
    "every": "Every moment of games that people played, after the first move that opened something and before the end.",
    "stuck": "Each moment of games that people played at which subset inference finds no safe cell though there are "
    "provably safe ones.",
    "guess": "Each moment of games that people played at which no cell is provably safe.",
}
LIMIT_SECONDS = 20.0  #: to read one file, a hundred times what one takes
_SLACK_SECONDS = 10.0  # beyond the alarm, should it not arrive
_MORE_BYTES = 1 << 30  # of memory, for the library
_CRASH_LOG = "crash.log"  # the library's name for it
_FIRST_COVERED_SIGN = 10  # the library's signs: below are clues, from here on cells that are covered, but for a hit
_FLAG_SIGNS, _HIT_SIGN = (11, 14), 15  # a flag, one that was wrong once the game is lost; a hit mine


@dataclass(frozen=True, slots=True)
class Moment:
    """What the player saw after an action that opened at least one cell.

    seconds: since the first of these actions, as exact as the file's clock.
    """

    seconds: float
    position: Position


@dataclass(frozen=True, slots=True)
class Replay:
    """Where the mines were, and all moments in their order; after the last one the game may be won or lost."""

    layout: Layout
    moments: tuple[Moment, ...]


class _Found(NamedTuple):
    """What the library says of a file."""

    mines: list[list[bool]]
    announced: int  # mines
    boards: list[tuple[float, list[list[int]]]]  # seconds, the library's signs


def replay_positions(path: str | PathLike[str]) -> Replay:
    """The positions of the game in a file `.avf`, `.evf`, `.rmv` or `.mvf`.

    Raises ValueError, naming the file, for one that is damaged, is no replay or shows what its layout does not have;
    OSError; Unsupported without the library ms_toollib.
    """
    with closing(read_replays([path])) as replays:
        return next(replays)


def read_replays(paths: Iterable[str | PathLike[str]]) -> Generator[Replay, None, None]:
    """:func:`replay_positions` of each file in turn, on one bounded process that is replaced when it ends."""
    if importlib.util.find_spec("ms_toollib") is None:
        raise Unsupported("replays need the library 'ms_toollib', which is not installed: pip install 'sapper[peers]'")
    with tempfile.TemporaryDirectory(prefix="sapper-replays-") as folder, closing(_Reader(folder)) as reader:
        for path in paths:
            try:
                yield _checked(_found(reader, Path(path)))
            except ValueError as wrong:
                raise ValueError(f"{fspath(path) or repr('')}: {wrong}") from None


class _Reader:
    """A process that asks the library; when it has ended, the next question starts another one.

    One at a time and started only when it is needed, so that no replacement is under way when everything is closed.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._process: Process | None = None
        self._connection: Connection | None = None

    def ask(self, kind: str, content: bytes) -> _Found | str:
        """What `_read` says. ValueError if that ended the process."""
        log = Path(self._folder, _CRASH_LOG)
        log.unlink(missing_ok=True)
        if self._process is None or self._connection is None:
            self._process, self._connection = self._started()
        try:
            self._connection.send((kind, content, LIMIT_SECONDS))
            if not self._connection.poll(LIMIT_SECONDS + _SLACK_SECONDS):
                raise ValueError(f"not read within {LIMIT_SECONDS:g} s")
            found: _Found | str = self._connection.recv()
        except (EOFError, OSError):
            self._process.join(_SLACK_SECONDS)
            code = self._process.exitcode
            if code is not None and code >= 0:
                raise RuntimeError(f"the process that reads replays ended with code {code}") from None
            if code == -signal.SIGALRM:
                raise ValueError(f"not read within {LIMIT_SECONDS:g} s") from None
            raise ValueError(_reason(log)) from None
        return found

    def _started(self) -> tuple[Process, Connection]:
        context = Context()
        here, there = context.Pipe()
        process = context.Process(target=_serve, args=(there, self._folder), daemon=True)
        process.start()
        there.close()  # so that its end shows here
        return process, here

    def close(self) -> None:
        """End the process, whatever it does."""
        if self._process is not None and self._connection is not None:
            self._connection.close()
            self._process.kill()
            self._process.join()
        self._process = self._connection = None


def _found(reader: _Reader, path: Path) -> _Found:
    """What the library says of that file; ValueError if it says nothing."""
    kind = READERS.get(path.suffix.lower())
    if kind is None:
        raise ValueError(f"not the name of a replay; these end with {', '.join(READERS)}")
    with path.open("rb") as stream:
        content = stream.read(MOST_BYTES + 1)
    if not content:
        raise ValueError("empty: there is no replay")
    if len(content) > MOST_BYTES:
        raise ValueError(f"a replay is read from at most {MOST_BYTES:,} bytes")
    damaged = f"damaged, or no {path.suffix[1:].upper()} replay"
    try:
        found = reader.ask(kind, content)
    except ValueError as wrong:
        reader.close()
        raise ValueError(f"{damaged}: {wrong}") from None
    if isinstance(found, str):
        raise ValueError(f"{damaged}: ms_toollib says {found!r}")
    return found


def _reason(log: Path) -> str:
    """The library's last words, for a message."""
    with suppress(OSError):
        for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("message: "):
                return f"ms_toollib ended with {line.removeprefix('message: ').rpartition(' value: ')[2][:120]!r}"
    return "ms_toollib ended its process"


def _serve(connection: Connection, folder: str) -> None:
    """In the bounded process: answer questions until nobody is there any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who asks ends it
    _prepare(folder)
    with suppress(EOFError, OSError):
        while True:
            connection.send(_read(*connection.recv()))


def _prepare(folder: str) -> None:
    """In the bounded process: limits, and what the library prints and writes is nobody's."""
    os.chdir(folder)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if CAN_BOUND_MEMORY:
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        soft = address_space_bytes() + _MORE_BYTES
        if hard == resource.RLIM_INFINITY or soft < hard:
            resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _read(reader: str, content: bytes, limit_seconds: float) -> _Found | str:
    """In the bounded process: the library's reading, or what it raised."""
    # The system's default for this signal ends the process, whatever compiled code does.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, limit_seconds)
    try:
        import ms_toollib

        video = getattr(ms_toollib, reader)(raw_data=list(content))
        video.parse()
        video.analyse()
        mines = [[cell == -1 for cell in row] for row in video.board]
        # 0: nothing changed, 1: a flag, from 2 on something was opened
        boards = [(e.time, e.next_game_board.game_board) for e in video.events if e.useful_level >= 2]
        return _Found(mines, video.mine_num, boards)
    except BaseException as wrong:  # a panic of Rust is no Exception
        return f"{type(wrong).__name__}: {wrong}"[:120]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _checked(found: _Found) -> Replay:
    """The replay, if all that was shown is what the layout has. ValueError otherwise, saying where."""
    layout = Layout(np.array(found.mines, np.bool_))
    if layout.count != found.announced:
        raise ValueError(f"{found.announced} mines are announced, and {layout.count} cells have one")
    moments: list[Moment] = []
    opened: NDArray[np.bool_] = np.zeros(layout.shape, np.bool_)
    for seconds, board in found.boards:
        since = round(seconds - found.boards[0][0], 3)
        position = _position(layout, np.array(board), since)
        now = position.codes != COVERED
        if (opened & ~now).any():
            raise ValueError(f"at {since} s a cell is covered that was opened before")
        if (now & ~opened).any():
            moments.append(Moment(since, position))
        opened = now
    if not moments:
        raise ValueError("nothing was opened in this game")
    return Replay(layout, tuple(moments))


def _position(layout: Layout, signs: NDArray[np.int_], seconds: float) -> Position:
    """The position that the library's signs show, int (rows, columns)."""
    if signs.shape != layout.shape:
        raise ValueError(f"at {seconds} s the board is of shape {signs.shape}, the layout of {layout.shape}")
    hit = signs == _HIT_SIGN
    opened = hit | (signs < _FIRST_COVERED_SIGN)
    position = layout.position(opened, np.isin(signs, _FLAG_SIGNS))
    unlike = np.argwhere(opened & (position.codes != np.where(hit, HIT, signs)))
    if unlike.size:
        row, column = unlike[0].tolist()
        shown, truth = (
            "a mine" if code == HIT else str(code)
            for code in (HIT if hit[row, column] else int(signs[row, column]), int(position.codes[row, column]))
        )
        raise ValueError(f"at {seconds} s row {row}, column {column} shows {shown}, and the layout has {truth} there")
    return position


def replay_entries(name: str, replay: Replay, moments: Moments = "every") -> list[Entry]:
    """The moments at which the player has to move, with their exact answers; all of one game, `name`.

    An entry is called `name#i`, where i is the place of its moment in `replay.moments`.

    moments: "every" one; "stuck": subset inference finds no safe cell though there are provably safe ones, as in the
        bundled corpora; "guess": no cell is provably safe, with the mine count.
    """
    if moments not in DEFINITIONS:
        raise ValueError(f"unknown moments {moments!r}; known are {', '.join(DEFINITIONS)}")
    cells = tuple(np.flatnonzero(replay.layout.mines).tolist())
    subset = make_solver("subset")
    entries = []
    for number, moment in enumerate(replay.moments):
        position = moment.position
        if _is_over(position) or (moments == "stuck" and _finds(subset, position)):
            continue
        made = entry_of(f"{name}#{number}", position)
        if moments == "every" or bool(made.global_answer.safe) == (moments == "stuck"):
            entries.append(replace(made, game=name, layout=cells))
    return entries


def replay_corpus(
    name: str,
    files: Iterable[str],
    moments: Moments = "every",
    *,
    progress: Callable[[int, int], None] | None = None,
) -> Corpus:
    """The corpus of these moments of these files, a game each; see :func:`replay_entries`.

    progress: called with (files read, all files) before the first and after each file.

    Raises ValueError for a file that cannot be read, for one game in two files, and where no moment is left.
    """
    names = list(dict.fromkeys(files))
    entries: list[Entry] = []
    games: dict[int, str] = {}  # by a hash of what was seen: the boards of many games take much memory
    if progress is not None:
        progress(0, len(names))
    with closing(read_replays(names)) as replays:
        for number, (file, replay) in enumerate(zip(names, replays, strict=True), 1):
            seen = hash((replay.layout, tuple(moment.position for moment in replay.moments)))
            first = games.setdefault(seen, file)
            if first != file:
                raise ValueError(f"{file}: the same game as in {first}, which would count twice")
            entries += replay_entries(file, replay, moments)
            if progress is not None:
                progress(number, len(names))
    if not entries:
        raise ValueError(f"no moment of the kind {moments!r} in {len(names):,} replays")
    return Corpus(name, tuple(entries), {"definition": DEFINITIONS[moments]})


def _finds(solver: Solver, position: Position) -> bool:
    return bool(solver.deduce(position.problem()).safe.any())


def _is_over(position: Position) -> bool:
    """Whether a mine was hit, or no safe cell is covered."""
    covered = np.count_nonzero(position.codes == COVERED)
    return bool((position.codes == HIT).any()) or covered == position.mines
