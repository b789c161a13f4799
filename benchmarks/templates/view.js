// The page of `sapper view`: what anywidget's model is to the front end, over requests to the command that serves it.
import widget from "./widget.js";

const QUESTIONS = ["explain", "steps"];

class Model {
  constructor(state) {
    this.state = state;
    this.pending = {};
    this.listeners = new Map();
    this.last = Promise.resolve(); // actions go one after the other, so that answers keep their order
  }

  get(name) {
    return this.state[name];
  }

  set(name, value) {
    this.state[name] = value;
    this.pending[name] = value;
  }

  on(event, act) {
    if (!this.listeners.has(event)) this.listeners.set(event, new Set());
    this.listeners.get(event).add(act);
  }

  off(event, act) {
    this.listeners.get(event)?.delete(act);
  }

  save_changes() {
    const set = this.pending;
    this.pending = {};
    this.post({ set });
  }

  send(message) {
    this.post({ message });
  }

  fire(event, ...given) {
    for (const act of this.listeners.get(event) ?? []) act(...given);
  }

  // A question, which may take long, follows the actions before it; nothing waits for it.
  post(body) {
    const asked = this.last.then(() => this.exchange(body));
    if (!QUESTIONS.includes(body.message?.do)) this.last = asked;
  }

  async exchange(body) {
    const ended = document.getElementById("ended");
    try {
      const answer = await fetch("act", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
      });
      if (!answer.ok) throw new Error(answer.statusText);
      const { state, reply } = await answer.json();
      ended.hidden = true;
      this.take(state);
      if (reply) this.fire("msg:custom", reply);
    } catch {
      ended.hidden = false;
    }
  }

  take(state) {
    if (state.number < this.state.number) return; // overtaken by a newer one
    const changed = Object.keys(state).filter((name) => JSON.stringify(state[name]) !== JSON.stringify(this.state[name]));
    Object.assign(this.state, state);
    for (const name of changed) this.fire(`change:${name}`);
  }
}

const model = new Model(await (await fetch("state")).json());
widget.render({ model, el: document.getElementById("board") });
