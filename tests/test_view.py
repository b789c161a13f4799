"""`sapper view`: who may ask its server, what it answers, the page in a browser with real clicks, and its end."""

import http.client
import json
import signal
import subprocess
import sys
import threading
import urllib.parse
from contextlib import contextmanager

import pytest
from browsing import chromium

from benchmarks.exploring import project_tools
from benchmarks.view import MOST_BYTES, Server, Shared
from board import Layout, Position, hexagonal
from board.asking import Tools
from board.interaction import begin
from solvers import make_solver

OPEN = Position.parse(["##1#1#", "##11##", "######"], mines=5)
LAYOUT = Layout.parse(["*..*", "....", "...."])
COMMAND = [sys.executable, "-m", "benchmarks", "view"]


@contextmanager
def serving(board, tools):
    server = Server(board, tools)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture(scope="module")
def plain():
    with serving(OPEN, Tools()) as server:
        yield server


def ask(server, method, path, body=None, **headers):
    """(status, body); headers by their names with _ for -, None for one that is left out."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    given = {"Host": f"127.0.0.1:{server.server_port}"}
    if body is not None:
        given |= {"Content-Type": "application/json", "Content-Length": str(len(body))}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    for name, value in given.items():
        if value is not None:
            connection.putheader(name, value)
    connection.endheaders(body)
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer.status, content


def act(server, request):
    status, content = ask(server, "POST", f"/{server.token}/act", json.dumps(request).encode())
    assert status == 200
    return json.loads(content)


def test_the_page_and_its_parts_are_served(plain):
    for name in ("", "view.js", "view.css", "widget.js", "widget.css", "state"):
        status, content = ask(plain, "GET", f"/{plain.token}/{name}")
        assert status == 200, name
        assert content
    state = json.loads(ask(plain, "GET", f"/{plain.token}/state")[1])
    assert (state["position"], state["mines"]) == (OPEN.text(), 5)
    assert ask(plain, "GET", f"/{plain.token}/", Host=f"localhost:{plain.server_port}")[0] == 200
    assert plain.server_address[0] == "127.0.0.1"


@pytest.mark.parametrize("method", ["GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "NONSENSE"])
@pytest.mark.parametrize(
    "path",
    [
        *(
            "/",
            "/act",
            "/state",
            "//",
            "/{token}",
            "/{wrong}/",
            "/{wrong}/state",
            "/{token}x/state",
            "/x/{token}/state",
        ),
        *("/{token}/../state", "/{token}/nothing", "/{token}/view.html", "/{token}/act/", "{token}/state", "*"),
    ],
)
def test_everything_else_is_forbidden(plain, method, path):
    wrong = plain.token[:-1] + ("A" if plain.token[-1] != "A" else "B")
    where = path.format(token=plain.token, wrong=wrong)
    assert ask(plain, method, where, b"{}" if method == "POST" else None)[0] == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": None},
        {"Host": "evil.example"},
        {"Host": "evil.example:{port}"},
        {"Host": "127.0.0.1"},
        {"Host": "127.0.0.1:1"},
        {"Host": "127.0.0.1.evil.example:{port}"},
        {"Origin": "http://evil.example"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "https://127.0.0.1:{port}"},
        {"Origin": "null"},
        {"Content_Type": "text/plain"},
        {"Content_Type": "application/x-www-form-urlencoded"},
        {"Content_Type": None},
    ],
    ids=str,
)
def test_other_pages_cannot_ask(plain, headers):
    given = {name: value and value.format(port=plain.server_port) for name, value in headers.items()}
    body = json.dumps({"message": {"do": "clear"}}).encode()
    assert ask(plain, "POST", f"/{plain.token}/act", body, **given)[0] == 403
    if "Content_Type" not in headers:
        assert ask(plain, "GET", f"/{plain.token}/state", **given)[0] == 403
    assert plain.shared.scene.position == OPEN


def test_what_is_sent_is_bounded_and_must_be_json(plain):
    path = f"/{plain.token}/act"
    assert ask(plain, "POST", path, b"{}", Content_Length=str(MOST_BYTES + 1))[0] == 413
    assert ask(plain, "POST", path, b"{}", Content_Length="9" * 5000)[0] == 413
    for length in (None, "-1", "x", "", "1e3", "0x10"):
        assert ask(plain, "POST", path, b"", Content_Length=length)[0] == 411
    assert ask(plain, "POST", path, b"{}", Transfer_Encoding="chunked")[0] == 411
    for body in (b"", b"{", b"\xff", b"[" * 100_000):
        assert ask(plain, "POST", path, body)[0] == 400
    for request in (None, 1, [], {}, {"message": 1}, {"set": {"answer": {}}}, {"set": 1}, {"message": {"do": "x"}}):
        answer = act(plain, request)
        assert "\n" not in answer["reply"]["error"]
        assert answer["state"]["position"] == OPEN.text()


def test_actions_questions_and_settings():
    with serving(LAYOUT, project_tools()) as server:
        answer = act(server, {"message": {"do": "open", "cell": 8}})
        assert answer["state"]["position"] == "####\n1111\n0000"
        assert answer["reply"] is None
        answer = act(server, {"message": {"do": "explain", "cell": 1}})
        assert answer["state"] == {}
        assert answer["reply"]["text"] == "row 0, column 1 is safe: follows from 2 clues"
        answer = act(server, {"set": {"solver": "single"}})
        assert (answer["state"]["solver"], answer["state"]["answer"]["status"]) == ("single", "partial")
        assert act(server, {"set": {"solver": "x"}})["state"]["solver"] == "single"


class Slow:
    """A way to deduce in steps that takes as long as is wanted."""

    def __init__(self):
        self.begun, self.go_on = threading.Event(), threading.Event()

    def __call__(self, problem):
        self.begun.set()
        assert self.go_on.wait(30)
        return []


@contextmanager
def waiting(server, slow):
    """While steps are looked for; what is answered to that is put into the list in the end."""
    answers = []
    asking = threading.Thread(target=lambda: answers.append(act(server, {"message": {"do": "steps"}})))
    asking.start()
    try:
        assert slow.begun.wait(30)
        yield answers
    finally:
        slow.go_on.set()
        asking.join()


def test_nothing_waits_for_a_slow_question():
    slow = Slow()
    with serving(OPEN, Tools(steps=slow)) as server:
        with waiting(server, slow) as answers:
            flagged = act(server, {"message": {"do": "flag", "cell": 0}})
            assert flagged["state"]["position"].startswith("F#")
            assert act(server, {"message": {"do": "undo"}})["state"]["position"] == OPEN.text()
            assert act(server, {"message": {"do": "redo"}})["state"]["position"].startswith("F#")
            assert (
                act(server, {"message": {"do": "explain", "cell": 1}})["reply"]["text"] == "row 0, column 1 is covered"
            )
            assert ask(server, "GET", f"/{server.token}/state")[0] == 200
            assert answers == []
        # they would be those of another position
        assert answers[0]["reply"] == {"error": "the board has changed since this was asked: ask again"}
        assert answers[0]["state"]["position"].startswith("F#")
        assert answers[0]["state"]["steps"] is None
        assert act(server, {"message": {"do": "steps"}})["state"]["steps"] == []


def test_steps_outlast_another_solver_and_a_way_there_and_back():
    slow = Slow()
    with serving(OPEN, Tools({"none": object()}, steps=slow)) as server:
        with waiting(server, slow) as answers:
            act(server, {"set": {"solver": ""}})
            act(server, {"message": {"do": "flag", "cell": 0}})
            act(server, {"message": {"do": "undo"}})
        assert answers[0]["reply"] is None
        state = answers[0]["state"]
        assert (state["steps"], state["solver"], state["game"]["redo"]) == ([], "", 1)


# ---- in a browser


@pytest.fixture(scope="module")
def browser():
    with chromium() as running:
        yield running


@pytest.fixture
def page(browser):
    """A page that fails if it complains or asks for anything but what its server has."""
    complaints, hosts = [], set()
    context = browser.new_context(viewport={"width": 1000, "height": 800})
    opened = context.new_page()
    opened.set_default_timeout(20_000)
    opened.on("console", lambda message: complaints.append(message.text))
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on("request", lambda request: hosts.add(urllib.parse.urlsplit(request.url).hostname or "data"))
    yield opened
    context.close()
    assert complaints == []
    assert hosts <= {"127.0.0.1", "data"}


@pytest.fixture
def show(page):
    """Opens a board's page, and closes its server in the end."""
    servers = []

    def opened(board, tools=None):
        running = serving(board, tools or project_tools())
        servers.append(running)
        page.goto(running.__enter__().url)
        page.locator(".cell").first.wait_for()
        return page

    yield opened
    page.goto("about:blank")
    for running in servers:
        running.__exit__(None, None, None)


def cell(page, row, column):
    return page.locator(f'.cell[aria-label^="row {row}, column {column}:"]')


def labelled(page, row, column, what):
    """Waits until the cell is what is said."""
    page.locator(f'.cell[aria-label="row {row}, column {column}: {what}"]').wait_for()


def pressed(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def test_a_game_is_played(show):
    page = show(LAYOUT)
    cell(page, 2, 0).click()
    labelled(page, 2, 0, "clue 0")
    labelled(page, 0, 1, "covered, proved safe")
    page.get_by_text("complete: 2 safe, 2 mines, 0 not settled").wait_for()
    cell(page, 0, 0).click(button="right")
    labelled(page, 0, 0, "flag, proved a mine")
    cell(page, 0, 0).click()  # locked
    page.locator("label.choice", has_text="Flag").click()
    cell(page, 0, 3).click()
    labelled(page, 0, 3, "flag, proved a mine")
    pressed(page, "Undo")
    labelled(page, 0, 3, "covered, proved a mine")
    pressed(page, "Redo")
    labelled(page, 0, 3, "flag, proved a mine")
    pressed(page, "Next move")
    labelled(page, 0, 1, "clue 1")
    page.get_by_text("opened row 0, column 1: proved safe").wait_for()
    assert cell(page, 0, 1).evaluate("cell => cell.classList.contains('ring')")
    pressed(page, "Next move")
    page.get_by_text("The game is won.").wait_for()
    assert page.get_by_role("button", name="Next move").is_disabled()
    page.reload()
    labelled(page, 0, 0, "flag, proved a mine")  # nothing is lost
    page.locator("label.choice", has_text="Open").click()
    cell(page, 0, 0).click()
    page.get_by_role("alert").get_by_text("the game is won: no move is left").wait_for()
    pressed(page, "Undo")
    page.get_by_role("alert").get_by_text("the game is won").wait_for(state="detached")


def test_solvers_probabilities_and_explanations(show):
    page = show(OPEN)
    percents = page.locator(".cell .percent")
    assert percents.count() == 11
    assert cell(page, 0, 3).text_content() == "3"
    assert cell(page, 0, 3).get_attribute("aria-label").endswith("covered, a mine with 3 per cent")
    colours = [cell(page, *at).evaluate("cell => getComputedStyle(cell).backgroundColor") for at in ((0, 3), (2, 4))]
    assert colours[0] != colours[1]
    page.get_by_label("Probabilities").uncheck()
    assert percents.count() == 0
    page.get_by_label("Probabilities").check()
    page.get_by_label("Deductions").uncheck()
    assert page.locator(".cell .sign").count() == 0
    assert cell(page, 2, 1).text_content() == "0"  # per cent
    page.get_by_label("Deductions").check()
    assert page.locator(".cell .sign.safe").count() == 3
    cell(page, 2, 1).hover()
    page.get_by_text("row 2, column 1 is safe: follows from").wait_for()
    assert page.locator(".cell.used").count() >= 1
    assert page.locator(".cell.ring").count() == 1
    cell(page, 0, 5).hover()
    page.get_by_text("row 0, column 5 is not settled: a mine with probability").wait_for()
    assert page.locator(".cell.used").count() == 0
    page.get_by_label("Solver").select_option("single")
    page.get_by_text("partial: 0 safe, 0 mines, 14 not settled; there may be more").wait_for()
    assert percents.count() == 0
    page.get_by_label("Solver").select_option("")
    page.locator(".verdict", has_text="no solver").wait_for()


def test_explanations_are_asked_for_when_the_pointer_rests(show):
    page = show(OPEN)
    asked = []
    page.on("request", lambda request: asked.append(request.post_data) if request.method == "POST" else None)
    over = """places => places.forEach((at) => document.querySelector(`[data-cell="${at}"]`)
        .dispatchEvent(new PointerEvent("pointerover", { bubbles: true })))"""
    for _ in range(2):
        page.evaluate(over, [0, 1, 2, 7, 13])
        page.get_by_text("row 2, column 1 is safe").wait_for()
    page.evaluate(over, [2])  # an opened cell needs none
    pressed(page, "Steps")
    page.get_by_text("step 1 of").wait_for()
    assert [json.loads(body)["message"]["do"] for body in asked] == ["explain", "steps"]


def test_the_page_waits_for_no_slow_question(show):
    slow = Slow()
    page = show(OPEN, Tools({"single": make_solver("single")}, steps=slow))
    pressed(page, "Steps")
    assert slow.begun.wait(30)
    cell(page, 0, 0).click(button="right")
    page.locator('.cell[aria-label^="row 0, column 0: flag"]').wait_for()
    slow.go_on.set()
    page.get_by_text("the board has changed since this was asked: ask again").wait_for()
    pressed(page, "Steps")
    page.get_by_role("button", name="One step back").wait_for()


def test_an_explanation_that_comes_too_late_is_none():
    slow = Slow()
    shared = Shared(begin(OPEN, Tools()), Tools(explain=lambda problem, cell: slow(problem) or None))
    answers = []
    asking = threading.Thread(target=lambda: answers.append(shared.heard({"message": {"do": "explain", "cell": 0}})))
    asking.start()
    assert slow.begun.wait(30)
    shared.heard({"message": {"do": "flag", "cell": 1}})
    slow.go_on.set()
    asking.join()
    assert answers == [{"state": {}, "reply": None}]


def test_steps(show):
    page = show(OPEN)
    pressed(page, "Steps")
    page.get_by_text("step 1 of").wait_for()
    total = int(page.locator(".reason").text_content().split("step 1 of ")[1].split(":")[0])
    assert page.locator(".percent").count() == 0
    assert page.locator(".cell.used").count() >= 1
    first = page.locator(".cell .sign").count()
    assert 1 <= first <= 3
    pressed(page, "One step back")
    assert page.locator(".cell .sign").count() == 0
    for _ in range(total):
        pressed(page, "One step on")
    assert page.locator(".cell .sign.safe").count() == 3
    assert page.get_by_role("button", name="One step on").is_disabled()
    pressed(page, "Steps")
    assert page.locator(".percent").count() == 11


def test_a_position_is_set_up(show):
    page = show(OPEN)
    page.locator("label.choice", has_text="Edit").click()
    page.locator(".palette label.choice", has_text="2").click()
    cell(page, 0, 0).click()
    labelled(page, 0, 0, "clue 2")
    page.locator(".palette label.choice", has_text="_").click()
    start, end = (cell(page, 2, column).bounding_box() for column in (0, 3))
    page.mouse.move(start["x"] + 9, start["y"] + 9)
    page.mouse.down()
    page.mouse.move(end["x"] + 9, end["y"] + 9, steps=12)
    page.mouse.up()
    for column in range(4):
        labelled(page, 2, column, "opened, number unknown")
    pressed(page, "Undo")  # the whole stroke
    cell(page, 2, 3).locator(".percent, .sign").wait_for()
    page.get_by_label("Mines").fill("0")
    page.get_by_label("Mines").press("Enter")
    page.get_by_text("contradiction: no arrangement of mines fits the").wait_for()
    assert page.locator(".verdict.inconsistent").text_content() == "inconsistent: no arrangement of mines fits"
    page.get_by_label("Mines").fill("")
    page.get_by_label("Mines").press("Enter")
    page.get_by_text("complete, from the clues alone").wait_for()
    page.get_by_label("Mines").fill("-1")
    page.get_by_label("Mines").press("Enter")
    page.get_by_role("alert").get_by_text("a mine count is an integer").wait_for()
    pressed(page, "Clear")
    page.get_by_text("0 safe, 0 mines, 18 not settled").wait_for()


def test_all_by_keyboard(show):
    page = show(LAYOUT)
    page.locator('.cell[tabindex="0"]').focus()
    for key in ("ArrowDown", "PageDown", "Home", "Enter"):
        page.keyboard.press(key)
    labelled(page, 2, 0, "clue 0")
    for key in ("PageUp", "f"):
        page.keyboard.press(key)
    labelled(page, 0, 0, "flag, proved a mine")
    page.keyboard.press("ArrowRight")
    page.get_by_text("row 0, column 1 is safe: follows from 2 clues").wait_for()
    page.keyboard.press("n")
    labelled(page, 0, 1, "clue 1")
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    labelled(page, 0, 0, "covered, proved a mine")
    page.keyboard.press("Control+y")
    labelled(page, 0, 0, "flag, proved a mine")
    page.locator("label.choice", has_text="Edit").click()
    cell(page, 1, 3).click()
    for key in ("End", "7"):
        page.keyboard.press(key)
    labelled(page, 1, 3, "clue 7")
    assert page.locator('.cell[tabindex="0"]').count() == 1
    assert page.evaluate("document.activeElement.getAttribute('role')") == "gridcell"


def test_a_game_of_hexagons_is_played(show):
    page = show(Layout(Layout.parse(["*.*.", "....", "...."]).mines, hexagonal(3, 4)))
    page.get_by_text("hexagonal", exact=True).wait_for()
    boxes = [[cell(page, row, column).bounding_box() for column in range(4)] for row in range(3)]
    wide, high = boxes[0][0]["width"], boxes[0][0]["height"]
    assert high == pytest.approx(wide * 2 / 3**0.5, abs=0.1)
    for row in range(3):
        assert boxes[row][0]["x"] == pytest.approx(boxes[0][0]["x"] + (wide / 2 if row == 1 else 0))
        assert boxes[row][0]["y"] == pytest.approx(boxes[0][0]["y"] + row * high * 3 / 4, abs=0.1)
    # what lies in the boxes of two cells is in the hexagon of one: just above the lower left side of cell 1 in row 0
    x, y = boxes[0][1]["x"] + wide / 8, boxes[0][1]["y"] + high * 0.75
    at = "([x, y]) => document.elementFromPoint(x, y).dataset.cell"
    assert [page.evaluate(at, [x, y + by]) for by in (-4, high / 8)] == ["1", "4"]
    cell(page, 2, 0).click()
    labelled(page, 1, 1, "clue 1")
    labelled(page, 1, 3, "clue 0")
    page.get_by_text("complete: 1 safe, 2 mines, 0 not settled").wait_for()
    cell(page, 0, 1).hover()
    page.get_by_text("row 0, column 1 is safe: follows from 2 clues").wait_for()
    assert page.locator(".cell.used").count() == 2
    face = "cell => getComputedStyle(cell, '::after').backgroundColor"
    assert len({cell(page, *place).evaluate(face) for place in ((0, 0), (0, 1), (1, 0), (1, 1))}) == 4
    cell(page, 0, 0).click(button="right")
    labelled(page, 0, 0, "flag, proved a mine")
    cell(page, 2, 2).click()  # opened already: only chosen
    for key in ("ArrowUp", "ArrowUp", "ArrowLeft", "Enter"):
        page.keyboard.press(key)
    labelled(page, 0, 1, "clue 2")
    edge = "cell => getComputedStyle(cell).backgroundColor"
    assert cell(page, 0, 1).evaluate(edge) != cell(page, 1, 1).evaluate(edge)  # the keyboard's place
    pressed(page, "Undo")
    labelled(page, 0, 1, "covered, proved safe")
    page.locator("label.choice", has_text="Edit").click()
    page.locator(".palette label.choice", has_text="_").click()
    start, end = (cell(page, *place).bounding_box() for place in ((1, 0), (2, 1)))
    page.mouse.move(start["x"] + wide / 2, start["y"] + high / 2)
    page.mouse.down()
    page.mouse.move(end["x"] + wide / 2, end["y"] + high / 2, steps=12)
    page.mouse.up()
    for place in ((1, 0), (2, 1)):
        labelled(page, *place, "opened, number unknown")


def test_a_solver_that_fails_is_one_line(show):
    class Faulty:
        def __getattr__(self, name):
            raise RuntimeError("out of\nluck")

    page = show(OPEN, Tools({"faulty": Faulty()}))
    page.get_by_text("faulty: out of luck").wait_for()
    cell(page, 0, 0).click(button="right")
    labelled(page, 0, 0, "flag")


@pytest.mark.parametrize("board", [Position.parse("#"), Layout.random(50, 50, 400, 1, first=0, rule="opening")])
def test_the_smallest_and_a_large_board(show, board):
    page = show(board)
    cell(page, 0, 0).click()
    page.locator(".verdict", has_text="not settled").wait_for()
    assert page.locator(".cell").count() == (1 if isinstance(board, Position) else 2500)


def test_colours_follow_the_system_and_narrow_pages_do_not_overflow(show):
    page = show(Layout.random(16, 30, 99, 1))
    colours = set()
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        colours.add(page.locator(".cell").first.evaluate("cell => getComputedStyle(cell).borderTopColor"))
    assert len(colours) == 2
    page.set_viewport_size({"width": 360, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


# ---- the command


RULES = '{"rules": [{"num_mines": 1, "cells": ["a", "b"]}], "total_cells": 2, "total_mines": 1}'


@pytest.mark.parametrize(
    ("end", "content", "options", "printed", "hint"),
    [
        (signal.SIGINT, "#1\n##\n", ("--mines", "1"), "F1\n##\n", "(--mines 1)"),
        (signal.SIGTERM, "#1\n##\n", ("--topology", "torus"), "F1\n##\n", "(--topology torus)"),
        (
            signal.SIGINT,
            "..*\n*..\n",
            ("--from", "layout", "--topology", "hexagonal"),
            "F##\n###\n",
            "(--topology hexagonal)",
        ),
    ],
)
def test_ctrl_c_ends_it_and_prints_what_was_changed(tmp_path, end, content, options, printed, hint):
    file = tmp_path / "board.txt"
    file.write_text(content)
    arguments = [*COMMAND, str(file), "--no-browser", "--solver", "single", *options]
    with subprocess.Popen(
        arguments,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # a background job starts with Ctrl-C ignored, and hands that on
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN if end == signal.SIGTERM else signal.SIG_DFL),
    ) as process:
        try:
            url = urllib.parse.urlsplit(process.stderr.readline().strip())
            connection = http.client.HTTPConnection(url.netloc, timeout=30)
            body = json.dumps({"message": {"do": "flag", "cell": 0}})
            connection.request("POST", f"{url.path}act", body, {"Content-Type": "application/json"})
            answer = json.loads(connection.getresponse().read())
            connection.close()
            assert answer["state"]["solver"] == "single"
            assert (answer["state"]["table"]["shifted"] is not None) == ("hexagonal" in options)
            assert (answer["state"]["game"]["outcome"] == "playing") == ("." in content)
            process.send_signal(end)
            out, complaints = process.communicate(timeout=30)
        finally:
            process.kill()
    assert (process.returncode, out) == (0, printed)
    assert complaints.endswith(f"in the end {hint}\n")
    assert "Traceback" not in complaints
    assert file.read_text() == content


@pytest.mark.parametrize(
    ("content", "arguments", "message"),
    [
        ("1y\n", (), "unknown character 'y'"),
        (None, (), "No such file"),
        (RULES, (), "a table of squares or hexagons, not of topology 'rules'"),
        (
            RULES,
            ("--topology", "torus"),
            "the neighbours of its cells stand in the file, the topology 'torus' has no part",
        ),
        ("1#\n", ("--topology", "donut"), "unknown topology 'donut'; known are grid, torus, hexagonal"),
        ("1#\n", ("--solver", "nobody"), "unknown solver 'nobody'"),
        ("1#\n", ("--policy", "nobody"), "unknown policy 'nobody'"),
        ("\n".join(["#" * 101] * 100), (), "at most 10,000 cells"),
    ],
)
def test_bad_input_is_one_line(tmp_path, content, arguments, message):
    file = tmp_path / "board.txt"
    if content is not None:
        file.write_text(content)
    ended = subprocess.run([*COMMAND, file, "--no-browser", *arguments], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert message in ended.stderr
    assert ended.stderr.count("\n") == 1
