"""What the header of a run must hold for tables and reports to be made of it."""

from __future__ import annotations

from typing import Any

_CLAIMS = dict.fromkeys(("complete_local", "complete_global", "marginals", "exact"), bool)
_HEADER: dict[str, Any] = {
    "command": str | None,
    "solvers": [{"label": str, "spec": str | None, "claims": _CLAIMS}],
    "corpora": [{"name": str, "hash": str, "positions": int, "asked": int, "file": str}],
    "questions": [("local", "global")],
    "repeats": int,
    "limits": {"seconds": int | float | None, "memory_bytes": int | None, "warm_up_seconds": int | float},
    "jobs": int | None,
    "cluster": str | None,
    "resumed": list,
    "seed": int | None,
    "started": str,
    "machine": {
        "sapper": str | None,
        "commit": str | None,
        "dirty": bool | None,
        "python": str,
        "cpu": str | None,
        "cores": int | None,
    },
    "batch_threads": list,
    "left_out": [{"spec": str, "why": str, "parameters": dict}, ...],
}
_LATER: dict[str, Any] = {"batch_threads": [], "left_out": []}  # keys that older runs do not have


def check_header(header: object) -> None:
    """ValueError, naming the key, if this is not what a run's header holds."""
    _check({**_LATER, **header} if isinstance(header, dict) else header, _HEADER, "")


def _check(found: object, kind: Any, key: str) -> None:
    """ValueError, naming the key, if it is not of a kind: a type, a tuple of values, a dict or a list of kinds.

    A list has at least one item unless `...` comes after the kind of its items.
    """
    if isinstance(kind, dict) and isinstance(found, dict):
        for name, inner in kind.items():
            inside = f"{key}.{name}" if key else name
            if name not in found:
                raise ValueError(f"key {inside}: is missing")
            _check(found[name], inner, inside)
    elif isinstance(kind, list) and isinstance(found, list) and (found or ... in kind):
        for number, item in enumerate(found):
            _check(item, kind[0], f"{key}[{number}]")
    elif isinstance(kind, dict | list) or not (found in kind if isinstance(kind, tuple) else isinstance(found, kind)):
        raise ValueError(f"key {key}: {str(found)[:40]!r} is not what the header of a run has there")
