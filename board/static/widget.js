// The board that people change by hand: draws what the model has and sends what its reader does. It knows no rules.
// The model is anywidget's in a notebook and a small stand-in on the page of `sapper view`.

const WAIT_MS = 120; // the pointer rests so long on a cell before its explanation is asked for
const SVG = "http://www.w3.org/2000/svg";
// the signs of board/glyphs.py, in a cell of 20 x 20
const SIGNS = {
  safe: '<path class="line" d="M5 10l4 5 6-10"/>',
  mine: '<path class="line thin" d="M10 3v14m-7-7h14m-2.4-4.6l-9.2 9.2m0-9.2l9.2 9.2"/><circle cx="10" cy="10" r="4.6"/>',
  flag: '<path class="line thin" d="M8 4v12m-3 0h8"/><path class="cloth" d="M8 3l8 4-8 4z"/>',
};
const PAINTS = [
  ["#", "covered"], ["F", "flag"], ["*", "hit mine"], ["_", "opened, number unknown"],
  ...[..."012345678"].map((digit) => [digit, `clue ${digit}`]),
];
const NAMES = Object.fromEntries(PAINTS);
const TRAITS = ["position", "mines", "solver", "table", "answer", "game", "steps"];
let boards = 0; // makes names of radio buttons differ

function node(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value != null) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

function sign(name) {
  const made = document.createElementNS(SVG, "svg");
  made.setAttribute("viewBox", "0 0 20 20");
  made.setAttribute("class", `sign ${name}`);
  made.setAttribute("aria-hidden", "true");
  made.innerHTML = SIGNS[name];
  return made;
}

class View {
  constructor(model, el) {
    this.model = model;
    this.el = el;
    this.tool = this.playing() ? "open" : "look";
    this.paint = "0";
    this.at = 0; // the cell that the keyboard is on
    this.step = null; // how many steps are shown, null: none, all marks are
    this.reasons = new Map(); // explanations by cell
    this.hovered = null;
    this.stroke = null; // cells under the pointer since it was pressed, in edit mode
    this.cells = [];
    this.shape = "";
    this.due = false;
    this.stop = new AbortController();
    this.build();
    this.listen();
    this.draw();
  }

  playing() {
    return this.model.get("game").outcome !== "";
  }

  send(action) {
    this.say("");
    this.model.send(action);
  }

  // An error stands where the explanation does, so that the board does not move.
  say(text) {
    this.error.textContent = text;
    this.error.hidden = text === "";
    this.reason.hidden = text !== "";
  }

  // ---- what stands around the board

  build() {
    const offers = this.model.get("offers");
    const number = ++boards;
    const button = (text, title, act) => node("button", { type: "button", title, onclick: act }, text);
    const check = (text, title) => {
      const box = node("input", { type: "checkbox", checked: true, onchange: () => this.draw() });
      return [box, node("label", { title }, box, ` ${text}`)];
    };
    const radio = (group, value, text, title, act) => {
      const input = node("input", { type: "radio", name: `${group}-${number}`, value, onchange: () => act(value) });
      return node("label", { class: "choice", title }, input, node("span", {}, text));
    };
    const use = (tool) => {
      this.tool = tool;
      this.draw();
    };
    this.undo = button("Undo", "Ctrl+Z", () => this.send({ do: "undo" }));
    this.redo = button("Redo", "Ctrl+Y", () => this.send({ do: "redo" }));
    this.clear = button("Clear", "Cover all cells", () => this.send({ do: "clear" }));
    this.next = button("Next move", "What is proved safe, else the policy's guess: N", () => this.send({ do: "next" }));
    this.next.hidden = !offers.policy;
    this.tools = node("div", { class: "group", role: "radiogroup", "aria-label": "What a click does" },
      radio("tool", "open", "Open", "A click opens a cell", use),
      radio("tool", "look", "Look", "A click only chooses a cell; Edit says what it shows", use),
      radio("tool", "flag", "Flag", "A click puts a flag on a cell or takes it off; so do F and the right button", use),
      radio("tool", "edit", "Edit", "Set up a position by hand", use));
    this.palette = node("div", { class: "group palette", role: "radiogroup", "aria-label": "What to paint" },
      ...PAINTS.map(([symbol, name]) => radio("paint", symbol, symbol, name, (value) => { this.paint = value; })));
    this.palette.querySelector(`[value="${this.paint}"]`).checked = true;
    this.mines = node("input", { type: "number", min: 0, step: 1, placeholder: "unknown", "aria-label": "Mines",
      onchange: () => this.setMines() });
    this.solver = node("select", { "aria-label": "Solver", onchange: () => this.setSolver() },
      node("option", { value: "" }, "no solver"), ...offers.solvers.map((name) => node("option", { value: name }, name)));
    const [marks, marksLabel] = check("Deductions", "Mark what the solver proves");
    const [odds, oddsLabel] = check("Probabilities", "How probably each cell is a mine");
    Object.assign(this, { marks, odds, oddsLabel });
    this.steps = button("Steps", "How everything follows, clue by clue", () => this.toggleSteps());
    this.steps.hidden = !offers.steps;
    this.back = button("‹", "One step back", () => this.goTo(this.step - 1));
    this.on = button("›", "One step on", () => this.goTo(this.step + 1));
    this.back.setAttribute("aria-label", "One step back");
    this.on.setAttribute("aria-label", "One step on");
    this.walk = node("span", { class: "group" }, this.back, this.on);
    this.grid = node("div", { class: "grid", role: "grid" });
    this.kind = node("span", { class: "kind" });
    this.verdict = node("p", { class: "verdict", role: "status" });
    this.reason = node("p", { class: "reason", "aria-live": "polite" });
    this.error = node("p", { class: "error", role: "alert", hidden: true });
    const asked = node("div", { class: "bar" }, this.solver, marksLabel, oddsLabel, this.steps, this.walk);
    asked.hidden = !offers.solvers.length;
    this.root = node("div", { class: "sapper-board", "data-lm-suppress-shortcuts": "true" },
      node("div", { class: "bar" }, this.tools, node("span", { class: "group" }, this.undo, this.redo), this.next,
        node("label", { class: "mines" }, "Mines ", this.mines), this.kind),
      node("div", { class: "bar editing" }, this.palette, this.clear), asked,
      this.verdict, this.reason, this.error, node("div", { class: "scroll" }, this.grid));
    this.el.append(this.root);
    this.theme();
  }

  // JupyterLab's own theme counts more than the system's.
  theme() {
    const light = document.body.dataset.jpThemeLight;
    this.root.classList.toggle("dark", light === "false");
    this.root.classList.toggle("light", light === "true");
  }

  listen() {
    const { signal } = this.stop;
    const add = (target, name, act) => target.addEventListener(name, act, { signal });
    this.redraw = () => this.soon();
    this.heard = (message) => this.answered(message);
    for (const name of TRAITS) {
      this.model.on(`change:${name}`, this.redraw);
    }
    this.changed = () => {
      const cell = this.hovered;
      this.reasons.clear();
      this.hovered = null;
      this.step = null;
      this.look(cell);
    };
    this.model.on("change:position", this.changed);
    this.model.on("change:mines", this.changed);
    this.model.on("msg:custom", this.heard);
    this.watcher = new MutationObserver(() => this.theme());
    this.watcher.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light"] });
    const cellOf = (event) => {
      const cell = event.target.closest?.(".cell");
      return cell ? Number(cell.dataset.cell) : null;
    };
    add(this.grid, "pointerdown", (event) => this.pressed(event, cellOf(event)));
    add(this.grid, "pointerover", (event) => this.over(cellOf(event)));
    add(this.grid, "pointerleave", () => this.over(null));
    add(this.grid, "click", (event) => this.clicked(cellOf(event)));
    add(this.grid, "focusin", (event) => this.look(cellOf(event)));
    add(this.grid, "contextmenu", (event) => {
      event.preventDefault();
      event.stopPropagation();
      const cell = cellOf(event);
      if (cell !== null) this.send({ do: "flag", cell });
    });
    add(window, "pointerup", () => this.released());
    add(window, "pointercancel", () => this.released());
    add(this.root, "keydown", (event) => this.key(event));
  }

  destroy() {
    this.stop.abort();
    this.watcher.disconnect();
    clearTimeout(this.timer);
    for (const name of TRAITS) {
      this.model.off(`change:${name}`, this.redraw);
    }
    this.model.off("change:position", this.changed);
    this.model.off("change:mines", this.changed);
    this.model.off("msg:custom", this.heard);
    this.root.remove();
  }

  setMines() {
    const text = this.mines.value.trim();
    if (!this.mines.validity.valid) {
      this.say("a mine count is an integer of at least 0, or empty for an unknown one");
      return;
    }
    this.send({ do: "mines", count: text === "" ? null : Number(text) });
  }

  setSolver() {
    this.say("");
    this.model.set("solver", this.solver.value);
    this.model.save_changes();
  }

  toggleSteps() {
    if (this.step !== null) {
      this.step = null;
      this.draw();
    } else if (this.model.get("steps")) this.goTo(1);
    else {
      this.awaited = true;
      this.send({ do: "steps" });
    }
  }

  goTo(step) {
    const steps = this.model.get("steps");
    this.step = Math.max(0, Math.min(steps.length, step));
    this.draw();
  }

  // ---- what the pointer and the keyboard do

  pressed(event, cell) {
    if (this.tool !== "edit" || cell === null || event.button !== 0) return;
    event.preventDefault(); // no text is selected by drawing
    if (event.target.hasPointerCapture?.(event.pointerId)) event.target.releasePointerCapture(event.pointerId);
    this.focus(cell);
    this.stroke = new Set();
    this.add(cell);
  }

  add(cell) {
    this.stroke.add(cell);
    this.cells[cell]?.classList.add("pending");
  }

  released() {
    if (!this.stroke) return;
    const cells = [...this.stroke];
    this.stroke = null;
    for (const cell of cells) this.cells[cell]?.classList.remove("pending");
    this.send({ do: "paint", cells, as: this.paint });
  }

  over(cell) {
    if (cell !== null && this.stroke) this.add(cell);
    else this.look(cell);
  }

  // The explanation of this cell is wanted, if the pointer rests here.
  look(cell) {
    if (cell === this.hovered) return;
    this.hovered = cell;
    clearTimeout(this.timer);
    this.showReason();
    const symbol = cell === null ? "" : this.symbols()[cell];
    if (cell === null || this.step !== null || this.reasons.has(cell) || (symbol !== "#" && symbol !== "F")) return;
    this.timer = setTimeout(() => this.model.send({ do: "explain", cell }), WAIT_MS);
  }

  clicked(cell) {
    if (cell === null || this.tool === "edit") return;
    this.focus(cell);
    if (this.tool === "look") this.look(cell);
    else this.send({ do: this.tool, cell });
  }

  key(event) {
    const control = event.ctrlKey || event.metaKey;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (control && (key === "z" || key === "y") && event.target !== this.mines) {
      this.send({ do: key === "y" || event.shiftKey ? "redo" : "undo" });
    } else if (!control && !event.altKey && this.grid.contains(event.target) && this.cellKey(event, key)) {
      // done there
    } else {
      event.stopPropagation(); // not for the notebook around
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  cellKey(event, key) {
    const [rows, columns] = this.size();
    const row = Math.floor(this.at / columns);
    const column = this.at % columns;
    const cell = this.at;
    const to = {
      ArrowUp: [row - 1, column], ArrowDown: [row + 1, column], ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1], Home: [row, 0], End: [row, columns - 1], PageUp: [0, column],
      PageDown: [rows - 1, column],
    }[key];
    if (to) {
      this.focus(Math.max(0, Math.min(rows - 1, to[0])) * columns + Math.max(0, Math.min(columns - 1, to[1])));
    } else if (key === "Enter" || key === " ") {
      if (this.tool === "edit") this.send({ do: "paint", cells: [cell], as: this.paint });
      else this.clicked(cell);
    } else if (this.tool === "edit" && NAMES[event.key === "f" ? "F" : event.key]) {
      this.send({ do: "paint", cells: [cell], as: event.key === "f" ? "F" : event.key });
    } else if (key === "f") this.send({ do: "flag", cell });
    else if (key === "n" && !this.next.hidden) this.send({ do: "next" });
    else return false;
    return true;
  }

  focus(cell) {
    this.cells[this.at]?.setAttribute("tabindex", "-1");
    this.at = cell;
    this.cells[cell].setAttribute("tabindex", "0");
    this.cells[cell].focus({ preventScroll: false });
    this.look(cell);
  }

  // ---- what the model says

  answered(message) {
    if (message.error !== undefined) {
      this.awaited = false;
      this.say(message.error);
      return;
    }
    this.reasons.set(message.cell, message);
    if (message.cell === this.hovered) this.showReason();
  }

  rows() {
    return this.model.get("position").split("\n");
  }

  size() {
    const rows = this.rows();
    return [rows.length, rows[0].length];
  }

  symbols() {
    return this.model.get("position").replaceAll("\n", "");
  }

  soon() {
    if (this.due) return;
    this.due = true;
    queueMicrotask(() => {
      this.due = false;
      if (!this.stop.signal.aborted) this.draw();
    });
  }

  draw() {
    const [rows, columns] = this.size();
    const table = this.model.get("table");
    const shape = `${rows}x${columns} ${table.shifted} ${table.text}`;
    if (this.shape !== shape) {
      this.shape = shape;
      this.lay(rows, columns, table);
    }
    if (this.awaited && this.model.get("steps")) {
      this.awaited = false;
      this.step = Math.min(1, this.model.get("steps").length);
    }
    if (!this.model.get("steps")) this.step = null;
    this.drawControls();
    this.drawCells();
    this.showReason();
  }

  lay(rows, columns, { shifted, text }) {
    const most = Math.max(rows, columns);
    const size = most <= 16 ? 34 : most <= 30 ? 28 : 24;
    this.grid.style.setProperty("--cell", `${size}px`);
    this.grid.style.setProperty("--wide", `${2 * Math.round(0.55 * size)}px`); // of hexagons: halves are whole pixels too
    this.grid.classList.toggle("hexagons", shifted !== null);
    this.grid.setAttribute("aria-label", text ? `Board, ${text}` : "Board");
    this.kind.textContent = text;
    this.grid.setAttribute("aria-rowcount", rows);
    this.grid.setAttribute("aria-colcount", columns);
    this.at = 0;
    this.cells = [];
    const lines = [];
    for (let row = 0; row < rows; row++) {
      const line = node("div", { role: "row", class: row % 2 === shifted ? "row shifted" : "row" });
      for (let column = 0; column < columns; column++) {
        const cell = node("div", { role: "gridcell", class: "cell", tabindex: "-1", "data-cell": this.cells.length });
        this.cells.push(cell);
        line.append(cell);
      }
      lines.push(line);
    }
    this.grid.replaceChildren(...lines);
    this.cells[0].setAttribute("tabindex", "0");
    this.drawn = [];
  }

  drawControls() {
    const game = this.model.get("game");
    const answer = this.model.get("answer");
    const steps = this.model.get("steps");
    if (this.tool === "open" && !this.playing()) this.tool = "look";
    if (this.tool === "look" && this.playing()) this.tool = "open";
    for (const input of this.tools.querySelectorAll("input")) {
      input.checked = input.value === this.tool;
      input.parentElement.hidden = input.value === (this.playing() ? "look" : "open");
    }
    const editing = this.tool === "edit";
    this.root.querySelector(".editing").hidden = !editing;
    this.grid.classList.toggle("painting", editing);
    this.undo.disabled = !game.undo;
    this.redo.disabled = !game.redo;
    this.next.disabled = game.outcome === "won" || game.outcome === "lost";
    this.mines.disabled = !editing && this.playing();
    const mines = this.model.get("mines");
    if (document.activeElement !== this.mines) this.mines.value = mines ?? "";
    this.solver.value = this.model.get("solver");
    this.oddsLabel.hidden = !answer.odds;
    this.walk.hidden = this.step === null;
    this.steps.setAttribute("aria-pressed", String(this.step !== null));
    if (this.step !== null) {
      this.back.disabled = this.step === 0;
      this.on.disabled = this.step === steps.length;
    }
    const ended = { won: "The game is won. ", lost: "The game is lost: a mine was opened. " }[game.outcome] ?? "";
    this.verdict.textContent = answer.error && answer.status !== "error" ? `${answer.text} (${answer.error})` : answer.text;
    this.verdict.prepend(ended);
    this.verdict.className = `verdict ${answer.conflict ? "inconsistent" : answer.status}`;
  }

  // of each cell "s", "m" or ".", as far as the steps have come
  marksShown() {
    if (this.step === null) return this.marks.checked ? this.model.get("answer").marks : "";
    const found = Array(this.cells.length).fill(".");
    for (const step of this.model.get("steps").slice(0, this.step)) {
      for (const cell of step.safe) found[cell] = "s";
      for (const cell of step.mines) found[cell] = "m";
    }
    return found.join("");
  }

  drawCells() {
    const [columns, symbols] = [this.size()[1], this.symbols()];
    const marks = this.marksShown();
    const odds = this.odds.checked && this.step === null ? this.model.get("answer").odds : null;
    this.cells.forEach((cell, number) => {
      const [symbol, mark, share] = [symbols[number], marks[number] ?? ".", odds?.[number] ?? null];
      const key = `${symbol}${mark}${share}`;
      if (this.drawn[number] === key) return;
      this.drawn[number] = key;
      this.drawCell(cell, symbol, mark, share);
      const known = { s: ", proved safe", m: ", proved a mine" }[mark] ?? "";
      const likely = share === null || known ? "" : `, a mine with ${share} per cent`;
      const place = `row ${Math.floor(number / columns)}, column ${number % columns}`;
      cell.setAttribute("aria-label", `${place}: ${NAMES[symbol]}${known}${likely}`);
    });
  }

  drawCell(cell, symbol, mark, share) {
    const covered = symbol === "#" || symbol === "F";
    const classes = ["cell", covered ? "covered" : "opened"];
    cell.replaceChildren();
    if (symbol === "F") cell.append(sign("flag"));
    else if (symbol === "*") {
      cell.append(sign("mine"));
      classes.push("hit");
    } else if (symbol === "_") {
      cell.append("?");
      classes.push("unnumbered");
    } else if (symbol > "0" && symbol <= "8") {
      cell.append(symbol);
      classes.push(`clue-${symbol}`);
    }
    if (covered && mark !== ".") {
      classes.push(mark === "s" ? "safe" : "mine");
      if (symbol === "#") cell.append(sign(mark === "s" ? "safe" : "mine"));
    } else if (covered && share !== null) {
      classes.push("odds", `heat-${share === "<1" ? 0 : share === ">99" ? 9 : Math.min(9, Math.floor(share / 10))}`);
      if (symbol === "#") cell.append(node("span", { class: "percent" }, share));
    }
    if (cell.classList.contains("pending")) classes.push("pending"); // frames are drawn after this
    cell.className = classes.join(" ");
  }

  // What is framed, and the sentence below: of a step, else of the cell under the pointer, else of the policy's choice.
  showReason() {
    const conflict = this.model.get("answer").conflict;
    const choice = this.model.get("game").choice;
    const step = this.step ? this.model.get("steps")[this.step - 1] : null;
    const why = step ? null : this.reasons.get(this.hovered);
    let text = why?.text || choice?.text || conflict?.text || "";
    if (step) text = step.text;
    else if (this.step === 0) text = `step 0 of ${this.model.get("steps").length}: nothing is known yet`;
    const settled = step ? [...step.safe, ...step.mines] : why?.clues.length && !conflict ? [why.cell] : [];
    this.frame("used", step ? step.clues : why?.clues.length ? why.clues : conflict?.clues ?? []);
    this.frame("fact", step ? step.facts : []);
    this.frame("ring", settled.length || !choice ? settled : [choice.cell]);
    if (this.reason.textContent !== text) this.reason.textContent = text;
    this.reason.classList.toggle("inconsistent", Boolean(conflict));
  }

  frame(name, cells) {
    for (const cell of this.grid.querySelectorAll(`.${name}`)) cell.classList.remove(name);
    for (const cell of cells) this.cells[cell]?.classList.add(name);
  }
}

function render({ model, el }) {
  const view = new View(model, el);
  return () => view.destroy();
}

export default { render };
