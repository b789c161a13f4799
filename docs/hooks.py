"""What MkDocs does beside its own: README's tables in these pages, so that each stands in one place only.

`<!-- table of README: NAME -->` becomes what README has between `<!-- table: NAME -->` and `<!-- end -->`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

README = Path(__file__).parent.parent / "README.md"


def on_page_markdown(markdown: str, **_: Any) -> str:
    """The page with the tables in it. ValueError for one that README lacks."""
    return re.sub(r"<!-- table of README: (\S+) -->", lambda found: _table(found[1]), markdown)


def _table(name: str) -> str:
    found = re.search(rf"<!-- table: {re.escape(name)} -->\n(.*?)<!-- end -->", README.read_text("utf-8"), re.DOTALL)
    if found is None:
        raise ValueError(f"README has no table {name!r}")
    return found[1]
