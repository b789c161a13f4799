"""Two runs compared: what became slower or faster, and what is answered otherwise.

Only what both runs asked is compared: the same solver (by its label), corpus, entry and question, where the entry
is the same position with the same answers. Times are compared as `benchmarks.paired` does it: a geometric mean of
ratios with an interval of resampled games.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.bootstrap import Floats, Games, Interval, ratio_intervals
from benchmarks.corpus import Entry
from benchmarks.judgement import score
from benchmarks.paired import log_times
from benchmarks.records import Key, Record, Run
from benchmarks.tables import MISSING, markdown, number

LISTED = 20  #: changed positions in a document
FEWEST_GAMES = 10  #: for a verdict on times: resamples of fewer are too much alike, and their interval is too narrow
_RANK = {
    **dict.fromkeys(("complete", "inconsistent"), 0),
    "partial": 1,
    **dict.fromkeys(("unsupported", "timeout", "memory"), 2),
    **dict.fromkeys(("error", "crashed"), 3),
    "wrong": 4,
}  #: from good to bad


@dataclass(frozen=True, slots=True)
class Speed:
    """How a solver's times changed: geometric mean of after / before over the questions answered in both.

    answers, games: how many those are, and of how many games. low, high: 95 % interval; nan where there is
    nothing to estimate it from.
    """

    solver: str
    answers: int
    games: int
    ratio: float
    low: float
    high: float

    @property
    def tells(self) -> bool:
        """Whether it is of enough games for a verdict."""
        return self.games >= FEWEST_GAMES and not math.isnan(self.low)


@dataclass(frozen=True, slots=True)
class Change:
    """A question that is answered otherwise.

    before, after: outcomes. gained, lost: how many claims are new, and gone.
    worse: the outcome is (from good to bad: complete or inconsistent; partial; unsupported, timeout or memory; error
    or crashed; wrong); or it is as good, but an entailed cell was lost or a false claim is new.
    """

    solver: str
    corpus: str
    entry: str
    question: str
    before: str
    after: str
    gained: int
    lost: int
    worse: bool

    @property
    def what(self) -> str:
        """The change in words."""
        cells = ", ".join(f"{n} {name}" for n, name in ((self.gained, "gained"), (self.lost, "lost")) if n)
        if self.before == self.after:
            return f"{self.after}: {cells}"
        return f"{self.before} → {self.after}{': ' if cells else ''}{cells}"


@dataclass(frozen=True, slots=True)
class Diff:
    """What is different between two runs; see `diff`.

    tolerance: of a ratio of times. shared: questions compared. speeds: a solver each. changes: by solver and
    corpus, in the order of the earlier run. notes: what was not compared, and what else is different between the
    runs, a sentence each.
    """

    tolerance: float
    shared: int
    speeds: tuple[Speed, ...]
    changes: tuple[Change, ...]
    notes: tuple[str, ...]

    @property
    def slower(self) -> tuple[str, ...]:
        """The solvers whose whole interval is above the tolerance, of FEWEST_GAMES games or more."""
        return tuple(speed.solver for speed in self.speeds if speed.tells and speed.low > self.tolerance)

    @property
    def faster(self) -> tuple[str, ...]:
        """The solvers whose whole interval is below 1 / tolerance, of FEWEST_GAMES games or more."""
        return tuple(speed.solver for speed in self.speeds if speed.tells and speed.high < 1 / self.tolerance)

    @property
    def untold(self) -> tuple[str, ...]:
        """The solvers that answered in both runs, but in too few games to tell whether their times changed."""
        return tuple(speed.solver for speed in self.speeds if speed.answers and not speed.tells)

    @property
    def worse(self) -> tuple[Change, ...]:
        """The changes for the worse."""
        return tuple(change for change in self.changes if change.worse)

    @property
    def regressed(self) -> bool:
        """Whether any answer became worse or any solver slower than the tolerance."""
        return bool(self.worse or self.slower)

    @property
    def verdict(self) -> str:
        """One sentence: the first thing to read."""
        parts = [f"slower: {', '.join(self.slower)}"] if self.slower else []
        if self.worse:
            counts = Counter(change.solver for change in self.worse)
            parts.append(f"worse answers: {', '.join(f'{solver} {count:,}' for solver, count in counts.items())}")
        if not parts:
            parts = ["no answer is worse"]
            if any(speed.tells for speed in self.speeds) or not self.untold:
                parts[0] += f", no solver slower by more than a factor of {self.tolerance:g}"
        if self.faster:
            parts.append(f"faster: {', '.join(self.faster)}")
        if self.untold:
            parts.append(f"too few games to tell the times of: {', '.join(self.untold)}")
        return f"{'REGRESSED' if self.regressed else 'No regression'}: {'; '.join(parts)}."

    def document(self) -> str:
        """The verdict, the tables and the notes, as markdown."""
        same = self.shared - len(self.changes)
        counts = f"{same:,} of {self.shared:,} questions are answered alike, {len(self.changes):,} otherwise"
        parts = [self.verdict, f"{counts}, {len(self.worse):,} of these worse.", markdown(self._times())]
        if self.changes:
            parts += [markdown(self._counts()), markdown(self._listed())]
        if len(self.changes) > LISTED:
            parts.append(f"And {len(self.changes) - LISTED:,} more; the changes for the worse stand first.")
        parts += [
            "× time: geometric mean of after / before over the questions answered in both, with a 95 % interval "
            f"of resampled games; slower or faster if all of it is beyond a factor of {self.tolerance:g}, and if it is "
            f"of at least {FEWEST_GAMES} games: of fewer the interval is too narrow. That "
            "factor is for what differs from run to run at all positions alike, which no interval shows.",
            *self.notes,
        ]
        return "\n\n".join(parts) + "\n"

    def _times(self) -> pd.DataFrame:
        words = {**dict.fromkeys(self.slower, "slower"), **dict.fromkeys(self.faster, "faster")}
        rows = []
        for speed in self.speeds:
            unknown = math.isnan(speed.low)
            interval = MISSING if unknown else f"{number(speed.low)} to {number(speed.high)}"
            line = {"Strategy": speed.solver, "Answers": f"{speed.answers:,}", "Games": f"{speed.games:,}"}
            verdict = words.get(speed.solver, "alike") if speed.tells else "too few games" if speed.answers else MISSING
            rows.append({**line, "× time": number(speed.ratio), "95 %": interval, "Verdict": verdict})
        return pd.DataFrame(rows)

    def _counts(self) -> pd.DataFrame:
        kinds = Counter((c.solver, _kind(c), c.worse) for c in self.changes)
        return pd.DataFrame(
            [
                {"Strategy": solver, "What": what, "Worse": "yes" if worse else "no", "Questions": f"{count:,}"}
                for (solver, what, worse), count in kinds.items()
            ]
        )

    def _listed(self) -> pd.DataFrame:
        order = sorted(self.changes, key=lambda change: not change.worse)
        return pd.DataFrame(
            [
                {"Strategy": c.solver, "Corpus": c.corpus, "Position": c.entry, "Question": c.question, "What": c.what}
                for c in order[:LISTED]
            ]
        )


def _kind(change: Change) -> str:
    return "other claims" if change.before == change.after else f"{change.before} → {change.after}"


def diff(before: Run, after: Run, *, tolerance: float = 1.1, seed: int = 0) -> Diff:
    """Compare two runs on the (solver, corpus, entry, question) that they share.

    tolerance: the ratio of times, at least 1, beyond which a solver is slower or faster. The intervals tell what
        other positions would give, not what another run would: a clock rate or a load that is the same for all
        positions is in none of them.

    Raises ValueError for a tolerance below 1 and if the runs share nothing.
    """
    if not tolerance >= 1:
        raise ValueError(f"a tolerance is at least 1, not {tolerance!r}")
    entries, others = before.entries(), after.entries()
    unlike = {key for key in entries if key in others and not _same(entries[key], others[key])}
    one, two = ({record.key: record for record in run.records} for run in (before, after))
    order = {item["label"]: i for i, item in enumerate(before.header["solvers"])}
    places = {name: i for i, name in enumerate(before.corpora)}
    shared = [key for key in one if key in two and key[1:3] not in unlike]
    pairs = [(one[key], two[key]) for key in sorted(shared, key=lambda k: (order[k[0]], places[k[1]]))]
    if not pairs:
        raise ValueError(
            f"the runs share nothing: {_summary(before)} before, {_summary(after)} after"
            + (f", {_count(len(unlike), 'position')} of different content" if unlike else "")
        )
    changes = (_change(old, new, entries[old.corpus, old.entry]) for old, new in pairs)
    return Diff(
        tolerance=tolerance,
        shared=len(pairs),
        speeds=_speeds(pairs, entries, seed),
        changes=tuple(change for change in changes if change),
        notes=(*_not_compared(one, two, len(unlike)), *_doubts(before.header, after.header)),
    )


def _same(one: Entry, two: Entry) -> bool:
    return all(getattr(one, name) == getattr(two, name) for name in ("position", "local_answer", "global_answer"))


def _count(n: int, name: str) -> str:
    return f"{n:,} {name}{'' if n == 1 else 's'}"


def _summary(run: Run) -> str:
    solvers, corpora = dict.fromkeys(r.solver for r in run.records), dict.fromkeys(r.corpus for r in run.records)
    return f"{', '.join(solvers) or 'no solver'} on {', '.join(corpora) or 'no corpus'}"


def _change(old: Record, new: Record, entry: Entry) -> Change | None:
    """What is different, if anything is."""
    claims, others = ({("safe", c) for c in r.safe} | {("mines", c) for c in r.mines} for r in (old, new))
    if old.outcome == new.outcome and claims == others:
        return None
    answer = entry.answer(old.question)
    truth = {("safe", c) for c in answer.safe} | {("mines", c) for c in answer.mines}
    gained, lost = others - claims, claims - others
    # Everything follows from a contradiction: where there is no model no claim is false, and none is missed.
    cells = bool(lost & truth or gained - truth) and answer.consistent
    step = _RANK[new.outcome] - _RANK[old.outcome]
    worse = step > 0 or (step == 0 and cells)
    return Change(*old.key, old.outcome, new.outcome, len(gained), len(lost), worse)


def _speeds(pairs: Sequence[tuple[Record, Record]], entries: Mapping[Any, Entry], seed: int) -> tuple[Speed, ...]:
    rows = []
    for old, new in pairs:
        entry = entries[old.corpus, old.entry]
        rows.append((old.solver, old.corpus, entry.game, score(old, entry).total, score(new, entry).total))
    frame = pd.DataFrame(rows, columns=["solver", "corpus", "game", "before", "after"])
    games = Games.of(frame)
    known = (frame["before"].notna() & frame["after"].notna()).to_numpy(np.bool_)
    logs = np.where(known, log_times(frame["after"]) - log_times(frame["before"]), 0)
    solvers = list(dict.fromkeys(frame["solver"]))
    of_solver = [known & (frame["solver"] == solver).to_numpy(np.bool_) for solver in solvers]
    over, under = games.sums(*(logs * mine for mine in of_solver)), games.sums(*of_solver)
    found = ratio_intervals(over, under, games.strata, bounds=[None] * len(solvers), seed=seed)
    return tuple(
        _speed(solver, over[:, j], under[:, j], interval)
        for j, (solver, interval) in enumerate(zip(solvers, found, strict=True))
    )


def _speed(solver: str, logs: Floats, answered: Floats, interval: Interval) -> Speed:
    answers, games = int(answered.sum()), int(np.count_nonzero(answered))
    ratio = math.exp(logs.sum() / answers) if answers else math.nan
    return Speed(solver, answers, games, ratio, math.exp(interval.low), math.exp(interval.high))


def _not_compared(one: Mapping[Key, Record], two: Mapping[Key, Record], unlike: int) -> list[str]:
    """What is in one of the runs only, and how many positions are not the same."""
    sentences = []
    if unlike:
        sentences.append(f"Not compared: {_count(unlike, 'position')} of the same name with different content.")
    for name, mine, others in (("before", one, two), ("after", two, one)):
        left = [key for key in mine if key not in others]
        for part, index in (("solver", 0), ("question", 3), ("corpus", 1)):
            known = {key[index] for key in others}
            for label in dict.fromkeys(key[index] for key in left if key[index] not in known):
                sentences.append(f"Only {name}: the {part} {label}.")
            left = [key for key in left if key[index] in known]
        if left:
            sentences.append(f"Only {name}: {_count(len(left), 'more question')} to a solver that both have.")
    return sentences


def _doubts(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """What else is different between the runs: machine, limits, software."""
    one, two = before["machine"], after["machine"]
    sentences = []
    machine = [
        f"{name} {one.get(name)} and {two.get(name)}" for name in ("cpu", "cores") if one.get(name) != two.get(name)
    ]
    if machine:
        sentences.append(f"Measured on different machines: {'; '.join(machine)}. Their ratios of times mean little.")
    for name, why in (
        ("limits", "Failures may come of that."),
        ("jobs", "Calls that share a machine with others, or a process, take other times."),
    ):
        if before.get(name) != after.get(name):
            sentences.append(f"Run with different {name}: {before.get(name)} and {after.get(name)}. {why}")
    versions = [{"sapper": m.get("sapper"), "Python": m.get("python"), **m.get("libraries", {})} for m in (one, two)]
    software = [
        f"{name} {versions[0].get(name)} and {versions[1].get(name)}"
        for name in dict.fromkeys([*versions[0], *versions[1]])
        if versions[0].get(name) != versions[1].get(name)
    ]
    if software:
        sentences.append(f"Different software: {'; '.join(software)}.")
    commits = [f"{m.get('commit') or 'unknown'}{', with changes' if m.get('dirty') else ''}" for m in (one, two)]
    return [*sentences, f"Commit before: {commits[0]}; after: {commits[1]}."]
