"""Where games are kept: a folder with `header.json` and `games.jsonl`, a line a block, written as it is done."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

import msgspec

from benchmarks.folder import HEADER, cut_torn_line, locked, new_folder, write_header
from benchmarks.machine import describe
from benchmarks.play import Block
from benchmarks.play_experiment import GamePlan, OptimumPlan

GAMES = "games.jsonl"
FORMAT = "sapper games 2"


def header_of(plan: GamePlan | OptimumPlan, command: str) -> dict[str, Any]:
    """What is played, and where."""
    return {
        "format": FORMAT,
        "plan": msgspec.to_builtins(plan),
        "command": command,
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": describe(),
    }


def made_by(header: Mapping[str, Any]) -> str:
    """A sentence on where games come from."""
    machine = header["machine"]
    commit = f"{machine['commit'] or 'unknown'}{', with changes' if machine['dirty'] else ''}"
    return (
        f"Made by `{header['command']}` at {header['started']}, sapper {machine['sapper']}, commit {commit}, "
        f"Python {machine['python']}, {machine['cpu']}, {machine['cores']} cores."
    )


def start(folder: Path, header: Mapping[str, Any]) -> TextIO:
    """Make a folder and open its games for `append`. FileExistsError if it holds anything already."""
    with new_folder(folder) as made:
        write_header(made, header)
        (made / GAMES).touch()
    return locked((folder / GAMES).open("a", encoding="utf-8"), folder)


def reopen(folder: Path) -> TextIO:
    """Open the games of a folder that was broken off, for `append`; a torn last line is cut off.

    ValueError and OSError as :func:`read`, and ValueError if another process plays them.
    """
    read_plan(folder)  # before anything is changed in a folder of something else
    kept = locked((folder / GAMES).open("a", encoding="utf-8"), folder)
    cut_torn_line(folder / GAMES)
    return kept


def append(file: TextIO, block: Block) -> None:
    """Write one block and hand it to the operating system at once."""
    file.write(msgspec.json.encode(block).decode() + "\n")
    file.flush()


def read_plan(folder: Path) -> tuple[dict[str, Any], GamePlan]:
    """(header, plan). ValueError where they are damaged, OSError where there are none."""
    content = (folder / HEADER).read_bytes()
    try:
        header = json.loads(content)
        if header["format"] != FORMAT:
            raise ValueError(f"format {header['format']!r}, and {FORMAT!r} is needed")
        plan = msgspec.convert(header["plan"], GamePlan)
    except (KeyError, TypeError, ValueError, msgspec.ValidationError) as wrong:
        raise ValueError(f"{folder / HEADER}: not the header of games: {wrong}") from None
    return header, plan


def read(folder: Path) -> tuple[dict[str, Any], GamePlan, list[Block]]:
    """(header, plan, blocks), without a torn last line. ValueError and OSError as :func:`read_plan`."""
    header, plan = read_plan(folder)
    known = {match.key: match.blocks for match in plan.matches}
    blocks: dict[tuple[str, str, int], Block] = {}
    for number, line in enumerate((folder / GAMES).read_bytes().split(b"\n")[:-1], 1):
        try:
            block = msgspec.json.decode(line, type=Block)
            if not 0 <= block.block < known.get(block.key, 0):
                raise ValueError(f"block {block.block} of {' '.join(block.key)!r} is not in the plan")
            if (*block.key, block.block) in blocks:
                raise ValueError(f"block {block.block} of {' '.join(block.key)!r} stands twice")
        except (ValueError, msgspec.DecodeError) as wrong:
            raise ValueError(f"{folder / GAMES}, line {number}: not a block of games: {wrong}") from None
        blocks[*block.key, block.block] = block
    return header, plan, list(blocks.values())
