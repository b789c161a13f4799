"""Strategies that an experiment names and that cannot be asked, and how a reader is told."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A solver that was named and cannot be asked.

    spec: as it was named. why: what it was refused with. parameters: all of its, as a spec writes them.
    """

    spec: str
    why: str
    parameters: Mapping[str, str]


def left_out_notes(left_out: Sequence[LeftOut]) -> list[str]:
    """A sentence a reason; reasons that differ in what they quote are one.

    >>> found = [LeftOut(f"sat:encoding=native,oracle={name}", f"oracle '{name}' has none", {}) for name in ("x", "y")]
    >>> left_out_notes(found)
    ["Left out, 2 strategies: sat:encoding=native with oracle x, y: oracle '…' has none."]
    """
    reasons: dict[str, list[LeftOut]] = {}
    for one in left_out:
        reasons.setdefault(re.sub(r"'[^']*'", "'…'", one.why), []).append(one)
    return [
        f"Left out, {'1 strategy' if len(same) == 1 else f'{len(same):,} strategies'}: "
        f"{_named_together([one.spec for one in same])}: "
        f"{same[0].why if len({one.why for one in same}) == 1 else reason}."
        for reason, same in reasons.items()
    ]


def _named_together(specs: Sequence[str]) -> str:
    """Specs, those that name the same parameters as one: what they have in common is said once."""
    alike: dict[tuple[str, ...], list[dict[str, str]]] = {}
    for spec in specs:
        head, _, tail = spec.partition(":")
        given = dict(part.split("=", 1) for part in tail.split(",") if "=" in part)
        alike.setdefault((head, *given), []).append(given)
    return "; ".join(_combinations(head, names, given) for (head, *names), given in alike.items())


def _combinations(head: str, names: Sequence[str], given: Sequence[Mapping[str, str]]) -> str:
    differ = [name for name in names if len({one[name] for one in given}) > 1]
    same = ",".join(f"{name}={given[0][name]}" for name in names if name not in differ)
    values = ", ".join("/".join(one[name] for name in differ) for one in given)
    return head + (f":{same}" if same else "") + (f" with {'/'.join(differ)} {values}" if differ else "")
