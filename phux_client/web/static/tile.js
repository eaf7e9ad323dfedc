// A tile of the overview: a pane's state, names and screen.

import { Screen } from "./screen.js";

const STATES = {
  awaiting_input: "needs input", awaiting_secret: "needs a secret", running: "running", fullscreen: "full screen",
  prompt: "ready", dead: "ended",
};
const SMALLEST = 0.39; // 80 columns fit into a tile of the usual size
const BELL_MS = 1500;

function make(tag, className, ...children) {
  const element = document.createElement(tag);
  element.className = className;
  element.append(...children);
  return element;
}

export function showState(element, pane) {
  element.dataset.state = pane.state;
  element.textContent = STATES[pane.state] ?? pane.state;
}

// Show how the last command, or a dead pane's program, ended.
export function showExit(element, pane) {
  const dead = pane.state === "dead";
  const known = pane.signal ?? pane.exit_code;
  element.hidden = known === null;
  element.dataset.ok = String(pane.exit_code === 0 && !pane.signal);
  element.textContent = pane.signal ? `ended by ${pane.signal}` : `${dead ? "exited with" : "last exit"} ${pane.exit_code}`;
}

export function nameOf(pane) {
  return pane.title || pane.command;
}

export function placeOf(pane) {
  const name = pane.window_name && pane.window_name !== pane.command ? ` ${pane.window_name}` : "";
  return `${pane.session}:${pane.window}.${pane.index}${name}`;
}

export class Tile {
  constructor(id, onOpen) {
    this.id = id;
    this.screen = new Screen();
    this.state = make("span", "state");
    this.title = make("strong", "title");
    this.command = make("span", "command");
    this.number = make("span", "number", `@${id}`);
    this.preview = make("div", "preview", this.screen.element);
    this.preview.setAttribute("aria-hidden", "true");
    this.place = make("span", "place");
    this.cwd = make("span", "cwd");
    this.exit = make("span", "exit");
    this.element = make(
      "article", "tile",
      make("header", "", this.state, this.title, this.command, this.number),
      this.preview,
      make("footer", "", this.place, this.cwd, this.exit),
    );
    this.element.tabIndex = -1;
    this.element.setAttribute("role", "listitem");
    this.element.dataset.pane = id;
    this.element.addEventListener("click", () => onOpen(id));
  }

  update(pane) {
    this.pane = pane;
    const { element } = this;
    element.dataset.state = pane.state;
    element.dataset.attention = pane.attention;
    showState(this.state, pane);
    showExit(this.exit, pane);
    this.title.textContent = nameOf(pane);
    this.title.title = nameOf(pane);
    this.command.textContent = pane.title ? pane.command : "";
    this.place.textContent = placeOf(pane);
    this.cwd.textContent = pane.cwd;
    element.setAttribute("aria-label", `${STATES[pane.state]}: ${nameOf(pane)}, ${placeOf(pane)}, pane ${pane.id}`);
  }

  matches(filter) {
    const { pane } = this;
    const text = [pane.title, pane.command, placeOf(pane), pane.cwd, STATES[pane.state], `@${pane.id}`].join("\n");
    return text.toLowerCase().includes(filter);
  }

  ring() {
    this.element.classList.add("ringing");
    setTimeout(() => this.element.classList.remove("ringing"), BELL_MS);
  }

  apply(frame, size) {
    this.screen.apply(frame);
    this.fit(size);
  }

  // Scale the screen to the width of the preview; a large one is cropped to its left side and its last used rows.
  fit({ width, height }) {
    const { screen } = this;
    if (!screen.cols || !width) return;
    const scale = Math.min(1, Math.max(SMALLEST, width / screen.width));
    const hidden = Math.max(0, screen.used * screen.cell.height - height / scale);
    const rows = Math.ceil(hidden / screen.cell.height - 0.5);
    const transform = `scale(${scale.toFixed(4)}) translateY(${-rows * screen.cell.height}px)`;
    if (transform !== this.transform) {
      this.transform = transform;
      screen.element.style.transform = transform;
    }
  }
}
