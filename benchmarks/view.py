"""The board of notebooks as a local web page: what `sapper view` serves.

One process, one board, one reader: the server listens on 127.0.0.1 at a free port and answers only requests whose
address begins with a random token, so no other page can ask it; everything else is 403. (Another user of this machine
who may see the arguments of its processes sees the address that the browser is started with; `--no-browser` leaves it
on the terminal.) The name in `Host` is checked against pages that have their own name resolved to this machine (DNS
rebinding), `Origin` against other pages, and what is sent is bounded.
"""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any

from board import Game, Layout, Position
from board.asking import Tools, one_line
from board.interaction import Scene, begin, changed
from board.showing import offered, said, script, shown, style

MOST_BYTES = 1 << 17  # a stroke over all cells of the largest board is half of that
_SECONDS = 30  # for a request to arrive
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": _POLICY,
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


_QUESTIONS = ("explain", "steps")  # can be slow, and leave the position as it is


@dataclass(slots=True)
class Shared:
    """The board that the page shows, and the lock around it: browsers ask from several threads.

    Scenes are immutable, so questions are answered outside the lock, and no action waits for them.
    """

    scene: Scene
    tools: Tools
    lock: threading.Lock = field(default_factory=threading.Lock)
    number: int = 0

    def state(self) -> dict[str, Any]:
        """Everything to show; `number` counts, so that the page knows the newest."""
        self.number += 1
        return {**shown(self.scene, self.tools), "offers": offered(self.tools), "number": self.number}

    def heard(self, request: object) -> dict[str, Any]:
        """The answer to what the page sends: `{"message": …}` or `{"set": {name: value}}`.

        `state`: everything to show, {} if the message changes nothing. `reply`: to a question, or `{"error": …}`.
        """
        try:
            actions = _actions(request)
            if len(actions) == 1 and actions[0].get("do") in _QUESTIONS:
                return self._asked(actions[0])
            with self.lock:
                for action in actions:
                    self.scene = changed(self.scene, action, self.tools)
                return {"state": self.state(), "reply": None}
        except ValueError as wrong:
            with self.lock:
                return {"state": self.state(), "reply": {"error": one_line(wrong)}}

    def _asked(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to a question. About a position that is no longer there: nothing, or ValueError for steps."""
        scene = self.scene
        reply = said(scene, question, self.tools)
        if reply is not None:
            return {"state": {}, "reply": reply if self.scene.position == scene.position else None}
        steps = changed(scene, question, self.tools).steps
        with self.lock:
            if self.scene.position != scene.position:
                raise ValueError("the board has changed since this was asked: ask again")
            self.scene = replace(self.scene, steps=steps)
            return {"state": self.state(), "reply": None}


_SETTERS = {
    "solver": "name",
    "mines": "count",
    "position": "text",
}  # a trait that can be set, and what its action takes


def _actions(request: object) -> list[dict[str, Any]]:
    """The actions in a request of the page. ValueError for anything else."""
    message = request.get("message") if isinstance(request, dict) else None
    if isinstance(message, dict):
        return [message]
    setting = request.get("set") if isinstance(request, dict) else None
    if not isinstance(setting, dict) or not setting.keys() <= _SETTERS.keys():
        raise ValueError(f"not understood: {str(request)[:80]}")
    return [{"do": name, _SETTERS[name]: value} for name, value in setting.items()]


class Server(ThreadingHTTPServer):
    """Serves one board until it is closed; `url` is its page's address."""

    daemon_threads = True
    allow_reuse_address = False

    def __init__(self, board: Position | Layout | Game, tools: Tools, solver: str | None = None) -> None:
        self.shared = Shared(begin(board, tools, solver), tools)
        self.token = secrets.token_urlsafe(24)
        super().__init__(("127.0.0.1", 0), _Handler)
        self.names = (f"127.0.0.1:{self.server_port}", f"localhost:{self.server_port}")
        self.url = f"http://{self.names[0]}/{self.token}/"
        templates = files("benchmarks.templates")
        text = {name: (templates / name).read_text("utf-8") for name in ("view.html", "view.css", "view.js")}
        self.pages = {
            "": ("text/html", text["view.html"]),
            "view.css": ("text/css", text["view.css"]),
            "view.js": ("text/javascript", text["view.js"]),
            "widget.css": ("text/css", style()),
            "widget.js": ("text/javascript", script()),
        }

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that went away is no news."""


class _Handler(BaseHTTPRequestHandler):
    server: Server
    timeout = _SECONDS
    server_version = "sapper"
    sys_version = ""

    def do_GET(self) -> None:
        path = self._path()
        if path == "state":
            with self.server.shared.lock:
                state = self.server.shared.state()
            self._send("application/json", json.dumps(state))
        elif path in self.server.pages:
            self._send(*self.server.pages[path])
        else:
            self._refuse(HTTPStatus.FORBIDDEN)

    def do_POST(self) -> None:
        kind = self.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        if self._path() != "act" or kind != "application/json":
            self._refuse(HTTPStatus.FORBIDDEN)
            return
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()) or "Transfer-Encoding" in self.headers:
            self._refuse(HTTPStatus.LENGTH_REQUIRED)
            return
        if len(length) > 9 or int(length) > MOST_BYTES:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
            return
        try:
            request = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            self._refuse(HTTPStatus.BAD_REQUEST)
            return
        self._send("application/json", json.dumps(self.server.shared.heard(request)))

    def _path(self) -> str | None:
        """What stands behind the token; None for a request that is not of the page."""
        origin = self.headers.get("Origin")
        hosts = self.headers.get_all("Host", [])
        if len(hosts) != 1 or hosts[0] not in self.server.names or origin not in (None, f"http://{hosts[0]}"):
            return None
        parts = self.path.split("/", 2)
        if len(parts) < 3 or parts[0] or not secrets.compare_digest(parts[1].encode(), self.server.token.encode()):
            return None
        return parts[2]

    def _send(self, kind: str, text: str, status: HTTPStatus = HTTPStatus.OK) -> None:
        content = text.encode()
        self.send_response(status)
        for name, value in (*_HEADERS.items(), ("Content-Type", f"{kind}; charset=utf-8")):
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _refuse(self, status: HTTPStatus) -> None:
        self._send("text/plain", status.phrase, status)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse what is no request of the page: a method that it never uses, a malformed line."""
        self._refuse(HTTPStatus.FORBIDDEN)

    def log_message(self, format: str, *given: Any) -> None:
        """Nothing: the terminal is the command's."""
