"""The file formats people have: which board is in these bytes, and how is a board written down for others?

Some formats hold a position, what a player sees; others a layout, where the mines are. `FORMATS` is the one table:
a format is a row of it, and takes part in detection, in the command `sapper convert` and in the tests. A format is
detected only where the content has one reading; where it has more, the dialect must be named. Cost linear in cells.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from typing import Any, BinaryIO, Literal

from board import layout_formats, position_formats
from board.array_formats import CODINGS, MAGIC, Coding, PositionCoding, read_lists, read_npy, write_lists, write_npy
from board.decoding import MOST_BYTES, Board, is_text, shown
from board.layout import Layout
from board.position import Position
from board.problem import mine_count


@dataclass(frozen=True, slots=True)
class Format:
    """How one format is known, read and written.

    Parameters
    ----------
    name: what it is called in calls and on the command line.
    holds: a "position" or a "layout".
    what: its description, one line.
    read: from the whole content to the board; ValueError that says where for anything else.
    write: from a board of the kind that it holds to the content; ValueError for one that it cannot hold.
    looks: whether content could be meant so, at a glance; reading it then tells.
    binary: whether the content is no text.
    """

    name: str
    holds: Literal["position", "layout"]
    what: str
    read: Callable[[bytes], Board]
    write: Callable[[Any], bytes]
    looks: Callable[[bytes], bool]
    binary: bool = False


def _is_json(content: bytes, first: bytes, key: bytes = b"") -> bool:
    return content.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n").startswith(first) and key in content


def _is_npy(content: bytes) -> bool:
    return content.startswith(MAGIC)


def _is_mine(content: bytes) -> bool:
    return is_text(content) and position_formats.looks_like_mine(content.decode("utf-8").removeprefix("\ufeff"))


def _is_ptta(content: bytes) -> bool:
    return is_text(content) and layout_formats.looks_like_ptta(content.decode("utf-8"))


def _is_mbf(content: bytes) -> bool:
    return layout_formats.fits_mbf(content) or not (is_text(content) or _is_npy(content))


def _is_rows(content: bytes) -> bool:
    """A character a cell, of some dialect."""
    marked = _is_json(content, b"[") or _is_json(content, b"{") or _is_mine(content) or _is_ptta(content)
    return is_text(content) and not marked


def _is_minesweepr(content: bytes) -> bool:
    """Rows, also where the first one, of digits and covered cells `x`, looks like the first line of `.mine`."""
    return _is_rows(content) or (_is_mine(content) and not content.translate(None, b"0123456789.x* \t\r\n"))


_LISTS = {
    "codes": "nested lists of the project's own codes: 0-8, -1 a hit mine, -2 covered, -3 unnumbered",
    "mstoollib": "nested lists for ms_toollib: 0-8, 10 covered, 11 marked as a mine, 12 as safe",
    "playerfield": "nested lists of an Environment's playerfield: 0-8, 9 hidden, -1 a hit mine",
    "minefield": "nested lists of ms_toollib's layouts and an Environment's minefield: -1 a mine, 0-8",
    "mask": "nested lists: 1 a mine, 0 none",
}


def _tables(coding: Coding) -> tuple[Format, Format]:
    """The two formats of a coding: nested lists and `.npy`."""
    holds: Literal["position", "layout"] = "position" if isinstance(coding, PositionCoding) else "layout"
    name, what = coding.name, _LISTS[coding.name]

    def lists(board: Any) -> bytes:
        return write_lists(coding.encode(board))

    def npy(board: Any) -> bytes:
        return write_npy(coding, coding.encode(board))

    return (
        Format(name, holds, what, partial(read_lists, coding), lists, partial(_is_json, first=b"[")),
        Format(
            f"{name}-npy", holds, "the same as numpy saves it", partial(read_npy, coding), npy, _is_npy, binary=True
        ),
    )


def _texts() -> tuple[Format, ...]:
    p, m = position_formats, layout_formats
    board, rules = (partial(_is_json, first=b"{", key=key) for key in (b'"board"', b'"rules"'))
    mine = ".mine of JSMinesweeper: a line WxHxM, then 0-8 H F ?"
    mbf = "bytes: width, height, number of mines, column and row of each"
    named = "minesweepr's rules over named cells as JSON: a board without geometry"
    plain, whole = "minesweepr's text: 0-8 . x *", "minesweepr's text and total_mines as JSON"
    return (
        Format("text", "position", "the project's own: 0-8 # F * _", p.read_text, p.write_text, _is_rows),
        Format("layout", "layout", "the project's own: * a mine, . none", m.read_layout, m.write_layout, _is_rows),
        Format("mine", "position", mine, p.read_mine, p.write_mine, _is_mine),
        Format("mbf", "layout", mbf, m.read_mbf, m.write_mbf, _is_mbf, binary=True),
        Format("ptta", "layout", "address of PTTA and LlamaSweeper: ?b=&m=", m.read_ptta, m.write_ptta, _is_ptta),
        Format("minesweepr", "position", plain, p.read_minesweepr, p.write_minesweepr, _is_minesweepr),
        Format("minesweepr-json", "position", whole, p.read_board, p.write_board, board),
        Format("minesweepr-rules", "position", named, p.read_rules, p.write_rules, rules),
    )


_TABLES = (format for coding in CODINGS.values() for format in _tables(coding))
FORMATS: Mapping[str, Format] = {format.name: format for format in (*_texts(), *_TABLES)}


def format_of(name: str) -> Format:
    """The format of that name; ValueError that lists them all for another."""
    if name not in FORMATS:
        raise ValueError(f"unknown format {name!r}; known are {', '.join(FORMATS)}")
    return FORMATS[name]


def read(content: bytes | str, format: str | None = None, mines: int | None = None) -> Board:
    """The position or layout that is written in `content`.

    Parameters
    ----------
    format: a name of FORMATS; without it the format is detected.
    mines: all mines on the board, for formats that do not say. One that contradicts the content is refused.

    Raises ValueError: what is wrong and where, or which formats `content` could be.

    >>> print(read("2x1x1\\n1H"))
    1#
    >>> read("?b=0301&m=4")
    Layout.parse(['..*'])
    >>> read(".*")
    Traceback (most recent call last):
    ValueError: the format must be named, this could be layout, minesweepr
    """
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    if len(data) > MOST_BYTES:
        raise ValueError(f"a board is read from at most {MOST_BYTES:,} bytes")
    if not data.strip(b" \t\r\n"):
        raise ValueError("empty: there is no board")
    board = _detected(data) if format is None else _read_as(format_of(format), data)
    return board if mines is None else _with_mines(board, mines)


def write(board: Board, format: str) -> bytes:
    """The board in a format of FORMATS; flags and the mine count are left out where it has no place for them.

    Raises ValueError for a format that cannot hold this board: a position in a format of layouts, clues over 8.

    >>> write(Position.parse("1F", mines=1), "mine")
    b'2x1x1\\n1F\\n'
    """
    form = format_of(format)
    if form.holds == "layout" and isinstance(board, Position):
        raise ValueError(f"{format} holds layouts: a position does not say where the mines are")
    if form.holds == "position" and isinstance(board, Layout):
        raise ValueError(f"{format} holds positions: say of the layout which cells are opened (Layout.position)")
    return form.write(board)


def read_file(source: str | PathLike[str] | bytes, format: str | None = None, mines: int | None = None) -> Board:
    """:func:`read` on a file, or on content given as bytes; the message of a ValueError begins with the file's name."""
    if isinstance(source, bytes):
        return read(source, format, mines)
    with Path(source).open("rb") as stream:
        return read_stream(stream, fspath(source), format, mines)


def read_stream(stream: BinaryIO, name: str, format: str | None = None, mines: int | None = None) -> Board:
    """:func:`read` on an open file, called `name` in messages; no more of it is read than a board may have."""
    try:
        return read(stream.read(MOST_BYTES + 1), format, mines)
    except ValueError as wrong:
        raise ValueError(f"{name}: {wrong}") from None


def _read_as(form: Format, data: bytes) -> Board:
    try:
        return form.read(data)
    except ValueError as wrong:
        raise ValueError(f"as {form.name}: {wrong}") from None


def _detected(data: bytes) -> Board:
    """The only reading of all formats that it looks like."""
    alike = [form for form in FORMATS.values() if form.looks(data)]
    readings: dict[str, Board] = {}
    complaints: dict[str, list[str]] = {}
    for form in alike:
        try:
            readings[form.name] = form.read(data)
        except ValueError as wrong:
            complaints.setdefault(str(wrong), []).append(form.name)
    boards = list(readings.values())
    if boards and all(board == boards[0] for board in boards):
        return boards[0]
    if boards:
        raise ValueError(f"the format must be named, this could be {', '.join(readings)}")
    if not alike:
        raise ValueError(f"of no known format: {shown(data)}; known are {', '.join(FORMATS)}")
    raise ValueError("; ".join(f"as {', '.join(names)}: {wrong}" for wrong, names in complaints.items()))


def _with_mines(board: Board, mines: int) -> Board:
    known = board.mines if isinstance(board, Position) else board.count
    if known is not None and known != mine_count(mines):
        raise ValueError(f"{mines} mines: the board says {known}")
    if isinstance(board, Layout):
        return board
    return Position(board.codes, mines, board.flags, board.topology)
