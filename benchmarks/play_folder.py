"""Where games are kept: a folder with `header.json` and `games.jsonl`, a line a block, written as it is done."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

import msgspec

from benchmarks.folder import HEADER, cut_torn_line, locked, new_folder, write_header
from benchmarks.machine import describe
from benchmarks.play import Block, Player, Setting

GAMES = "games.jsonl"
FORMAT = "sapper games 1"


def header_of(players: Sequence[Player], setting: Setting, games: int, seed: int, command: str) -> dict[str, Any]:
    """What the games are, and where they are played."""
    return {
        "format": FORMAT,
        "players": [asdict(player) for player in players],
        "setting": asdict(setting),
        "games": games,
        "seed": seed,
        "command": command,
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": describe(),
    }


def start(folder: Path, header: Mapping[str, Any]) -> TextIO:
    """Make a folder and open its games for `append`. FileExistsError if it holds anything already."""
    with new_folder(folder) as made:
        write_header(made, header)
        (made / GAMES).touch()
    return locked((folder / GAMES).open("a", encoding="utf-8"), folder)


def reopen(folder: Path) -> TextIO:
    """Open the games of a folder that was broken off, for `append`; a torn last line is cut off."""
    kept = locked((folder / GAMES).open("a", encoding="utf-8"), folder)
    cut_torn_line(folder / GAMES)
    return kept


def append(file: TextIO, block: Block) -> None:
    """Write one block and hand it to the operating system at once."""
    file.write(msgspec.json.encode(block).decode() + "\n")
    file.flush()


def read(folder: Path) -> tuple[dict[str, Any], list[Player], Setting, list[Block]]:
    """(header, players, setting, blocks). ValueError where they are damaged, OSError where there are none."""
    text = (folder / HEADER).read_text(encoding="utf-8")
    try:
        header = json.loads(text)
        if header["format"] != FORMAT:
            raise ValueError(f"format {header['format']!r}, and {FORMAT!r} is needed")
        players = [Player(**player) for player in header["players"]]
        setting = Setting(**header["setting"])
        if not all(isinstance(header[name], int) for name in ("games", "seed")):
            raise ValueError("games and seed are integers")
    except (KeyError, TypeError, ValueError) as wrong:
        raise ValueError(f"{folder / HEADER}: not the header of games: {wrong}") from None
    blocks = []
    for number, line in enumerate((folder / GAMES).read_bytes().split(b"\n")[:-1], 1):
        try:
            blocks.append(msgspec.json.decode(line, type=Block))
        except msgspec.DecodeError as wrong:
            raise ValueError(f"{folder / GAMES}, line {number}: not a block of games: {wrong}") from None
    return header, players, setting, blocks
