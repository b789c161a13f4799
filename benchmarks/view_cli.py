"""`sapper view`: a board from a file as a page to click on, in the browser."""

from __future__ import annotations

import sys
import threading
import webbrowser
from contextlib import suppress
from typing import Annotated

import typer

from benchmarks.console import TopologyName, bad_input, read_board


def view(
    file: Annotated[str, typer.Argument(metavar="FILE|-", help="A position, or a layout to be played.")],
    mines: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="All mines on the board, where FILE does not say.")
    ] = None,
    source: Annotated[str | None, typer.Option("--from", metavar="FORMAT", help="Detected where it is clear.")] = None,
    topology: TopologyName = None,
    solver: Annotated[
        str | None, typer.Option(metavar="SPEC", help="To begin with; all others can be chosen on the page.")
    ] = None,
    policy: Annotated[str | None, typer.Option(metavar="SPEC", help="What the next move is, smart otherwise.")] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only print the address.")] = False,
) -> int:
    """Show a board as a web page on this machine: click, set up positions, ask solvers; Ctrl-C ends it.

    FILE stays as it is. In the end the position is printed if it has changed, as text that FILE may hold.
    """
    with bad_input():
        from benchmarks.exploring import POLICY, project_tools
        from benchmarks.solving import on_topology
        from benchmarks.view import Server
        from board import Layout

        board = on_topology(read_board(file, source, mines), topology, file)
        server = Server(board, project_tools(solver, POLICY if policy is None else policy))
    with server:
        before = server.shared.scene.position
        print(f"{server.url}\nCtrl-C ends it.", file=sys.stderr, flush=True)
        if not no_browser:  # a browser in the terminal would wait for the page
            threading.Thread(target=webbrowser.open, args=(server.url,), daemon=True).start()
        with suppress(KeyboardInterrupt):
            server.serve_forever()
    after = server.shared.scene.position
    if after != before:
        print(after.text())
        options = [] if isinstance(board, Layout) or after.mines is None else [f"--mines {after.mines}"]
        options += [] if after.topology.name == "grid" else [f"--topology {after.topology.name}"]
        known = f" ({' '.join(options)})" if options else ""
        print(f"the position as it was in the end{known}", file=sys.stderr)
    return 0
