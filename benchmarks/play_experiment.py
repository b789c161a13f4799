"""Which games to play, as data: TOML files, and what others have published about the same games.

    title = "One line"
    games = 10_000                                   # of each player on each board
    seed = 1                                         # 0, unless given
    notes = ["A sentence for the reader of the table."]

    [[players]]                                      # each plays on all boards
    solver = "cascade"
    policy = ["safest", "smart"]                     # one or several
    games = 2_000                                    # at most: for a slow one

    [[boards]]
    board = ["beginner", "torus:16x16/40"]           # one or several
    rule = ["sfar", "snr"]                           # one or several; sfar, unless given
    first = "corner"                                 # unless given

    [[boards]]
    board = "16x16"                                  # with densities, of which the mines are computed
    densities = [0.1, 0.2]
    games = 1_000                                    # at most, of each player

    [[published]]
    source = "Who, where, when"
    games = 10_000_000                               # how many they are from, if it is known
    orientation = true                               # the conditions differ or are not known
    figures = [
        {board = "beginner", rule = "sfar", policy = "safest", won = 78.5, no_guess = 36.1},  # per cent
        {board = "beginner", rule = "sfar", by = "a player of theirs", won = 91.7},           # a row of its own
    ]

Instead of players and boards there can be tiny boards, for which the best play is searched:

    [[optima]]
    rule = "any"
    source = "Who, where, when"
    boards = {"3x3/1" = "8/9"}                       # games won of how many
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from benchmarks.experiment import read_experiment
from benchmarks.play import Player, Setting, setting
from benchmarks.play_matches import Match, check
from solvers import Unsupported

T = TypeVar("T")


@lru_cache(maxsize=1024)
def _setting(board: str, rule: str, first: str) -> Setting:
    return setting(board, rule=rule, first=first)


class _Figure(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    board: str
    rule: str
    first: str | None = None
    solver: str | None = None
    policy: str | None = None
    by: str | None = None
    won: float | None = None
    no_guess: float | None = None


class Published(_Figure, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What somebody has published about games, in per cent.

    board, rule, first, solver, policy: of the games; where it is None, whatever it is. by: a player that is none of
    ours. games: from how many; None: unknown, or too many to matter. orientation: for that only, because the
    conditions differ or are not known.
    """

    source: str
    games: int | None = None
    orientation: bool = False

    def is_on(self, where: Setting) -> bool:
        """Whether it is about games of this setting. ValueError for no board and no cell of it."""
        if _setting(self.board, "any", "corner").board != where.board or self.rule != where.rule:
            return False
        return self.first is None or _setting(self.board, self.rule, self.first) == where

    def fits(self, match: Match) -> bool:
        """Whether it is about what is played in this match, by a player of ours."""
        player = match.player
        alike = self.solver in (None, player.solver) and self.policy in (None, player.policy)
        return self.by is None and alike and self.is_on(match.setting)


@dataclass(frozen=True, slots=True)
class GamePlan:
    """What is played: matches, and what is to be compared with them.

    title: of the experiment; empty for games that no experiment describes. notes: sentences for the reader.
    Raises ValueError for two equal matches.
    """

    matches: tuple[Match, ...]
    seed: int = 0
    title: str = ""
    notes: tuple[str, ...] = ()
    published: tuple[Published, ...] = ()

    def __post_init__(self) -> None:
        check(self.matches)

    def shortened(self, games: int) -> GamePlan:
        """The same with so many games a match at most. ValueError for fewer than one."""
        matches = [replace(match, games=min(games, match.games)) for match in self.matches]
        return replace(self, matches=tuple(matches))


class Optimum(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many of how many games the best player wins on a tiny board, as published."""

    board: str
    rule: str
    won: int
    games: int
    source: str

    @property
    def setting(self) -> Setting:
        """Its board."""
        return setting(self.board, rule=self.rule)


@dataclass(frozen=True, slots=True)
class OptimumPlan:
    """Tiny boards for which the best play is searched."""

    optima: tuple[Optimum, ...]
    title: str
    notes: tuple[str, ...] = ()


class _Players(msgspec.Struct, forbid_unknown_fields=True):
    solver: str
    policy: str | list[str]
    games: int | None = None


class _Boards(msgspec.Struct, forbid_unknown_fields=True):
    board: str | list[str]
    rule: str | list[str] = "sfar"
    first: str = "corner"
    densities: list[float] = []
    games: int | None = None


class _Source(msgspec.Struct, forbid_unknown_fields=True):
    source: str
    figures: list[_Figure]
    games: int | None = None
    orientation: bool = False


class _Games(msgspec.Struct, forbid_unknown_fields=True):
    title: str
    games: int
    players: list[_Players]
    boards: list[_Boards]
    seed: int = 0
    notes: list[str] = []
    published: list[_Source] = []


class _Optima(msgspec.Struct, forbid_unknown_fields=True):
    rule: str
    source: str
    boards: dict[str, str]


class _Search(msgspec.Struct, forbid_unknown_fields=True):
    title: str
    optima: list[_Optima]
    notes: list[str] = []


def load_play_experiment(name_or_path: str | Path) -> GamePlan | OptimumPlan:
    """The bundled experiment of that name, or the one in that .toml file.

    Players whose library is missing are left out, and a note says so. Raises ValueError naming the file and the key.
    """
    found, where, _, _ = read_experiment(name_or_path, "play")
    return _search(found, where) if "optima" in found else _games(found, where)


def _typed(found: dict[str, Any], kind: type[T], where: str) -> T:
    try:
        return msgspec.convert(found, kind)
    except msgspec.ValidationError as wrong:
        raise ValueError(f"{where}: {str(wrong).replace('`$.', '`').replace(' - at ', ', key ')}") from None


def _games(found: dict[str, Any], where: str) -> GamePlan:
    file = _typed(found, _Games, where)
    players, notes = _players(file, where)
    if file.seed < 0:
        raise ValueError(f"{where}, key seed: at least 0 is needed, not {file.seed}")
    matches = []
    for number, boards in enumerate(file.boards):
        try:
            for place, (player, games) in product(_settings(boards), players):
                matches.append(Match(player, place, games if boards.games is None else min(games, boards.games)))
        except ValueError as wrong:
            raise ValueError(f"{where}, key boards[{number}]: {wrong}") from None
    if not matches:
        raise ValueError(f"{where}: no board to play on, or no player. {' '.join(notes)}".rstrip())
    published = tuple(_published(file, matches, where, complete=len(notes) == 0))
    try:
        return GamePlan(tuple(matches), file.seed, file.title, (*file.notes, *notes), published)
    except ValueError as wrong:
        raise ValueError(f"{where}: {wrong}") from None


def _players(file: _Games, where: str) -> tuple[list[tuple[Player, int]], list[str]]:
    """(players and how many games each plays at most; who is left out, and why)."""
    players, notes = [], []
    for number, item in enumerate(file.players):
        for policy in [item.policy] if isinstance(item.policy, str) else item.policy:
            try:
                players.append((Player(item.solver, policy), file.games if item.games is None else item.games))
            except Unsupported as why:
                notes.append(f"Left out: {item.solver} {policy}: {why}.")
            except ValueError as wrong:
                raise ValueError(f"{where}, key players[{number}]: {wrong}") from None
    return players, notes


def _settings(item: _Boards) -> Iterator[Setting]:
    names = [item.board] if isinstance(item.board, str) else item.board
    rules = [item.rule] if isinstance(item.rule, str) else item.rule
    for name, rule in product(names, rules):
        if not item.densities:
            yield setting(name, rule=rule, first=item.first)
        for density in item.densities:
            empty = setting(f"{name}/0", rule=rule, first=item.first)
            yield replace(empty, mines=round(density * empty.rows * empty.columns))


def _published(file: _Games, matches: Sequence[Match], where: str, *, complete: bool) -> Iterator[Published]:
    """What is published, each of something that is played; complete: nobody is left out."""
    for number, source in enumerate(file.published):
        for place, item in enumerate(source.figures):
            key = f"{where}, key published[{number}].figures[{place}]"
            told = msgspec.structs.asdict(item)
            made = Published(**told, source=source.source, games=source.games, orientation=source.orientation)
            try:
                if not any(made.is_on(match.setting) for match in matches):
                    raise ValueError(f"nobody plays on {item.board!r} with {item.rule!r} and first {item.first!r}")
                if complete and item.by is None and not any(made.fits(match) for match in matches):
                    player = " ".join(name for name in (item.solver, item.policy) if name)
                    raise ValueError(f"no player {player!r} plays there")
            except ValueError as wrong:
                raise ValueError(f"{key}: {wrong}") from None
            yield made


def _search(found: dict[str, Any], where: str) -> OptimumPlan:
    file = _typed(found, _Search, where)
    optima = []
    for number, item in enumerate(file.optima):
        for board, share in item.boards.items():
            won, slash, games = share.partition("/")
            try:
                if not (slash and won.isdecimal() and games.isdecimal()):
                    raise ValueError(f"{share!r} is not WON/GAMES")
                setting(board, rule=item.rule)
            except ValueError as wrong:
                raise ValueError(f"{where}, key optima[{number}].boards: {wrong}") from None
            optima.append(Optimum(board, item.rule, int(won), int(games), item.source))
    return OptimumPlan(tuple(optima), file.title, tuple(file.notes))
