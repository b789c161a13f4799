"""Docstrings of this project as Markdown, for the reference: an extension of griffe, which mkdocstrings reads with.

A section of parameters or a paragraph of lines `name: what` becomes a list, an example a block of code, and a role such
as :class:`x` plain code. A comment `#: what` at the end of an attribute's line is its docstring.
"""

from __future__ import annotations

import re
from typing import Any

from griffe import Attribute, Docstring, Extension, Object

_ITEM = re.compile(r"(\*{0,2}[a-z_]\w*(?:, [a-z_]\w*)*): (?=\S)")
_COMMENT = re.compile(r"#: (.+)$")
_SECTION = re.compile(r"(\w[\w ]*)\n-{3,}\n")


class Markdown(Extension):
    """Rewrites each docstring when it is read."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Called for every module, class, function and attribute."""
        if isinstance(obj, Attribute) and obj.docstring is None and obj.lines:
            comment = _COMMENT.search(obj.lines[-1])
            obj.docstring = Docstring(comment[1], parent=obj) if comment else None
        if obj.docstring is not None:
            obj.docstring.value = markdown(obj.docstring.value)


def markdown(docstring: str) -> str:
    """The docstring as Markdown.

    >>> print(markdown("What.\\n\\na, b: words,\\n    more; :func:`f`.\\n\\n>>> f(1)\\n2"))
    What.
    <BLANKLINE>
    - `a, b`: words,
        more; `f`.
    <BLANKLINE>
    ```pycon
    >>> f(1)
    2
    ```
    """
    text = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", docstring)
    text = _SECTION.sub(r"**\1**\n\n", text)
    return "\n\n".join(_paragraph(part) for part in re.split(r"\n\n+", text))


def _paragraph(text: str) -> str:
    if text.startswith(">>> "):
        return f"```pycon\n{text}\n```"
    if _ITEM.match(text):
        return "\n".join(
            _ITEM.sub(r"- `\1`: ", line, count=1) if _ITEM.match(line) else line for line in text.split("\n")
        )
    return text
