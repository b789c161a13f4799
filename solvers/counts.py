"""How many mines can each part hold if all parts together hold exactly so many? Sets of counts and their sums.

A set of counts is an integer whose bit t says that t mines are possible. Adding two parts convolves their sets
(a few shifts), and prefix and suffix sums give what all the others can hold together.
Cost: parts x (size of a set) shifts of numbers as long as the counts can vary in all.

Source: the constraint "sum of variables = target" by dynamic programming, M. Trick, "A dynamic programming approach for
consistency and propagation for knapsack constraints", Annals of Operations Research 118, 2003.
"""

from __future__ import annotations

from collections.abc import Iterator


def interval(least: int, most: int) -> int:
    """The counts least..most.

    >>> list(counts(interval(2, 4)))
    [2, 3, 4]
    """
    return (1 << most + 1) - (1 << least) if least <= most else 0


def counts(mask: int) -> Iterator[int]:
    """The members of a set, ascending."""
    while mask:
        bit = mask & -mask
        yield bit.bit_length() - 1
        mask ^= bit


def total(one: int, other: int) -> int:
    """The sums of a member of each.

    >>> list(counts(total(interval(1, 2), 0b10001)))
    [1, 2, 5, 6]
    """
    if one.bit_count() < other.bit_count():
        one, other = other, one
    if not other:
        return 0
    low = (other & -other).bit_length() - 1
    width = other.bit_length() - low
    if other.bit_count() < width:
        result = 0
        for count in counts(other):
            result |= one << count
        return result
    # an interval: doubled until it is wide enough
    result, done = one << low, 1
    while done < width:
        step = min(done, width - done)
        result |= result << step
        done += step
    return result


def completing(parts: list[int], target: int) -> list[int]:
    """For each part the counts that some counts of all the other parts complete to `target`.

    >>> [list(counts(mask)) for mask in completing([0b10, 0b101, 0b11], target=2)]
    [[0, 1, 2], [0, 1], [1]]
    """
    # every part counts from its least member, so that the sums are as short as the slack
    lows = [max((part & -part).bit_length() - 1, 0) for part in parts]
    parts = [part >> low for part, low in zip(parts, lows, strict=True)]
    slack = target - sum(lows)
    limit = interval(0, slack + max(lows))
    after = [1]
    for part in reversed(parts):
        after.append(total(after[-1], part) & limit)
    before = 1
    result = []
    for part, low in zip(parts, lows, strict=True):
        after.pop()
        result.append(_mirror(total(before, after[-1]), slack + low))
        before = total(before, part) & limit
    return result


def _mirror(mask: int, end: int) -> int:
    """`end` minus each member up to it."""
    return int(f"{mask & interval(0, end):0{end + 1}b}"[::-1], 2) if end >= 0 else 0
