// One pane in full size: typing, pasting, the mouse, scrollback, the command ledger and the timeline.

import { buttonOf, itemOf, mouseItem } from "./keys.js";
import { drawRow, Screen } from "./screen.js";
import { nameOf, placeOf, showExit, showState } from "./tile.js";

const CHUNK = 200; // rows of scrollback that are read together
const LARGEST = 18;
const SMALLEST = 8;
const WHEEL_KEYS = 3;
const MOST_PASTE = 1000000;
const SIDE_MS = 1000; // the least time between two reads of the ledger
const TIMELINE_MS = 10000; // the same for the timeline, which is long in a busy pane
const STATE_COLORS = {
  awaiting_input: "--input", awaiting_secret: "--secret", running: "--running", fullscreen: "--full", prompt: "--ready",
  dead: "--dead",
};

const at = (id) => document.getElementById(id);

function time(seconds) {
  return new Date(seconds * 1000).toLocaleTimeString();
}

function duration(seconds) {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}

export class FullView {
  // on: toast(text), changed() when another pane is open, closed().
  constructor(link, on) {
    this.link = link;
    this.on = on;
    this.pane = null;
    this.control = false;
    this.screen = null;
    this.mode = "live"; // or "scrollback", "past"
    this.timeline = null;
    this.timelineAt = 0;
    this.history = null;
    this.sideTimer = 0;
    this.held = null; // the mouse button that a program was told about
    this.wheel = 0;
    this.wanted = null; // the moment to show once the previous one has arrived
    this.isLoading = false;
    this.listen();
  }

  setControl(control) {
    this.control = control;
    at("full").dataset.control = String(control);
    at("fit").hidden = !control;
    this.hint();
    if (this.pane !== null) {
      this.readTimeline();
      this.readCommands();
    }
  }

  open(pane) {
    this.screen = new Screen();
    this.pane = pane.id;
    this.mode = "live";
    this.timeline = null;
    at("live").replaceChildren(this.screen.element);
    at("full").hidden = false;
    document.body.classList.add("opened");
    this.update(pane);
    this.showMode();
    this.hint();
    this.readTimeline();
    this.readCommands();
    this.on.changed();
    this.focus();
  }

  close() {
    if (this.pane === null) return;
    this.leaveScrollback();
    this.pane = null;
    at("full").hidden = true;
    document.body.classList.remove("opened");
    at("live").replaceChildren();
    this.on.changed();
    this.on.closed();
  }

  gone(id) {
    if (id === this.pane) {
      this.on.toast(`@${id} is closed`);
      this.close();
    }
  }

  update(pane) {
    if (pane.id !== this.pane) return;
    const header = at("full").querySelector("header");
    showState(header.querySelector(".state"), pane);
    showExit(header.querySelector(".exit"), pane);
    at("full").dataset.state = pane.state;
    at("full-title").textContent = nameOf(pane);
    at("full-place").textContent = `@${pane.id}  ${placeOf(pane)}  ${pane.cols}\u00d7${pane.rows}  ${pane.cwd}`;
    if (!this.sideTimer) this.sideTimer = setTimeout(() => this.refresh(), SIDE_MS);
  }

  refresh() {
    this.sideTimer = 0;
    if (this.pane === null) return;
    this.readCommands();
    if (this.mode !== "past" && performance.now() - this.timelineAt > TIMELINE_MS) this.readTimeline();
  }

  focus() {
    at("keys").focus({ preventScroll: true });
  }

  hint() {
    at("hint").textContent = this.control
      ? "Keys go to the program. Ctrl Shift Enter: all panes"
      : "You can only watch. Escape: all panes";
  }

  // The screen

  apply(frame) {
    const resized = this.screen.apply(frame);
    if (resized) this.layout();
    this.placeInput();
  }

  // Choose the largest font with which the screen fits.
  layout() {
    if (this.pane === null || !this.screen.cols) return;
    const area = at("live");
    let size = LARGEST;
    for (; size > SMALLEST; size--) {
      this.screen.setFontSize(size);
      if (this.screen.width <= area.clientWidth - 24 && this.screen.height <= area.clientHeight - 20) break;
    }
    if (size === SMALLEST) this.screen.setFontSize(size);
    this.placeInput();
    this.drawTimeline();
  }

  // Put the invisible input field at the cursor, where an input method shows its candidates.
  placeInput() {
    const box = this.screen.cursorElement.getBoundingClientRect();
    const input = at("keys");
    if (box.height) {
      input.style.left = `${Math.max(0, box.left)}px`;
      input.style.top = `${Math.max(0, box.top)}px`;
    }
    input.style.fontSize = `${this.screen.fontSize}px`;
  }

  showMode() {
    at("live").hidden = this.mode !== "live";
    at("scrollback").hidden = this.mode !== "scrollback";
    at("past").hidden = this.mode !== "past";
    at("pinned").hidden = this.mode === "live";
    if (this.mode === "scrollback") at("pinned").textContent = "Scrollback. Escape or the end returns to the live screen";
    if (this.mode !== "past") {
      at("timeline").querySelector("input").value = 2000;
      at("clock").textContent = "Now";
    }
  }

  fit() {
    const area = at("live");
    const { width, height } = this.screen.cell;
    const cols = Math.max(20, Math.floor((area.clientWidth - 24) / width));
    const rows = Math.max(5, Math.floor((area.clientHeight - 20) / height));
    this.request("resize", { pane: this.pane, cols, rows });
    this.focus();
  }

  // Requests

  request(what, params) {
    return this.link.ask(what, params).catch((error) => {
      this.on.toast(error.message);
      return null;
    });
  }

  type(item) {
    if (!this.control) return;
    if (this.mode !== "live") this.live();
    this.request("type", { pane: this.pane, items: [item] });
  }

  paste(text) {
    if (text.length > MOST_PASTE) this.on.toast(`A paste can have ${MOST_PASTE} characters at most`);
    else if (text) this.type({ paste: text });
  }

  live() {
    this.leaveScrollback();
    this.mode = "live";
    this.wanted = null;
    this.showMode();
    this.layout();
    this.focus();
  }

  // Scrollback: a frozen copy of the pane, of which chunks are read as they come into view

  async scrollback() {
    if (this.mode !== "live" || this.screen.modes.alt_screen) return;
    this.mode = "scrollback";
    const { pane } = this;
    const frozen = await this.request("freeze", { pane });
    if (!frozen || this.pane !== pane || this.mode !== "scrollback") {
      if (this.mode === "scrollback") this.mode = "live";
      return;
    }
    const area = at("scrollback");
    const { cell, fontSize } = this.screen;
    const rows = document.createElement("div");
    rows.className = "screen rows";
    rows.style.fontSize = `${fontSize}px`;
    rows.style.lineHeight = `${cell.height}px`;
    rows.style.width = `${Math.ceil(frozen.cols * cell.width)}px`;
    rows.style.height = `${frozen.total * cell.height}px`;
    area.replaceChildren(rows);
    this.history = { rows, total: frozen.total, chunks: new Map(), height: cell.height };
    this.showMode();
    area.scrollTop = area.scrollHeight - area.clientHeight - WHEEL_KEYS * cell.height;
    area.focus({ preventScroll: true });
    this.readVisible();
  }

  async readVisible() {
    const history = this.history;
    const area = at("scrollback");
    if (!history) return;
    const first = Math.floor(area.scrollTop / history.height / CHUNK);
    const last = Math.floor((area.scrollTop + area.clientHeight) / history.height / CHUNK);
    for (let chunk = Math.max(0, first); chunk <= last && chunk * CHUNK < history.total; chunk++) {
      if (history.chunks.has(chunk)) continue;
      const block = document.createElement("div");
      block.className = "chunk";
      block.style.top = `${chunk * CHUNK * history.height}px`;
      history.chunks.set(chunk, block);
      // In the order of the rows, so that a selection across chunks is copied in order.
      const next = [...history.chunks.keys()].filter((other) => other > chunk).sort((a, b) => a - b)[0];
      history.rows.insertBefore(block, next === undefined ? null : history.chunks.get(next));
      const reply = await this.request("rows", { first: chunk * CHUNK, count: CHUNK });
      if (this.history !== history) return;
      for (const runs of reply?.rows ?? []) {
        const row = document.createElement("div");
        row.className = "row";
        drawRow(row, runs);
        block.append(row);
      }
    }
  }

  leaveScrollback() {
    if (!this.history) return;
    this.history = null;
    at("scrollback").replaceChildren();
    this.link.ask("thaw").catch(() => {});
  }

  // The command ledger

  async readCommands() {
    if (this.pane === null || at("side").hidden) return;
    const { pane } = this;
    const reply = await this.link.ask("commands", { pane }).catch(() => null);
    if (!reply || this.pane !== pane) return;
    const list = at("side").querySelector("ol");
    list.replaceChildren(...reply.commands.reverse().map((command) => this.commandItem(command)));
  }

  commandItem(command) {
    const item = document.createElement("li");
    const button = document.createElement("button");
    const line = document.createElement("code");
    const facts = document.createElement("span");
    line.textContent = command.command ?? "(unknown command)";
    const ended = command.ended_at;
    const ending = command.state === "finished" ? `exit ${command.exit_code ?? "?"}` : command.state;
    const took = ended ? `, ${duration(ended - command.started_at)}` : "";
    facts.textContent = `${ending}${took}, ${time(command.started_at)}, ${command.client ?? command.by}`;
    item.dataset.ok = String(command.exit_code === 0);
    item.dataset.state = command.state;
    button.type = "button";
    button.title = "Show its output";
    button.append(line, facts);
    button.addEventListener("click", () => this.showOutput(item, command.id));
    item.append(button);
    return item;
  }

  async showOutput(item, id) {
    const open = item.querySelector("pre");
    if (open) {
      open.remove();
      return;
    }
    const reply = await this.request("output", { id });
    if (!reply) return;
    const output = document.createElement("pre");
    output.textContent = (reply.truncated ? "\u2026\n" : "") + (reply.content || "(no output)");
    item.append(output);
  }

  // The timeline

  async readTimeline() {
    if (this.pane === null) return;
    this.timelineAt = performance.now();
    const { pane } = this;
    const reply = await this.link.ask("timeline", { pane }).catch(() => null);
    if (this.pane !== pane || this.mode === "past") return;
    this.timeline = reply?.start ? reply : null;
    at("timeline").dataset.empty = String(!this.timeline);
    this.drawTimeline();
  }

  drawTimeline() {
    if (this.pane === null) return;
    const canvas = at("timeline").querySelector("canvas");
    const ratio = devicePixelRatio;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    if (!this.timeline) return;
    const context = canvas.getContext("2d");
    const style = getComputedStyle(document.documentElement);
    const color = (name) => style.getPropertyValue(name).trim();
    context.scale(ratio, ratio);
    const { start, end, bars, states } = this.timeline;
    const x = (when) => ((when - start) / Math.max(end - start, 0.01)) * width;
    states.forEach(([when, state], index) => {
      const until = states[index + 1]?.[0] ?? end;
      context.fillStyle = color(STATE_COLORS[state] ?? "--muted");
      context.fillRect(x(when), height - 4, Math.max(1, x(until) - x(when)), 4);
    });
    context.fillStyle = color("--muted");
    const step = width / bars.length;
    bars.forEach((bar, index) => {
      const tall = bar ? Math.max(2, Math.sqrt(bar) * (height - 8)) : 0;
      context.fillRect(index * step, height - 6 - tall, Math.max(1, step - 1), tall);
    });
  }

  // Show the pane as it was; while a moment is loading, only the latest wish is kept.
  async showMoment(value) {
    if (!this.timeline) return;
    if (value >= 2000) {
      this.live();
      return;
    }
    this.leaveScrollback();
    this.mode = "past";
    const { start, end } = this.timeline;
    this.wanted = start + ((end - start) * value) / 2000;
    at("clock").textContent = time(this.wanted);
    if (this.isLoading) return;
    this.isLoading = true;
    const { pane } = this;
    const past = new Screen(this.screen.fontSize);
    at("past").replaceChildren(past.element);
    while (this.wanted !== null && this.mode === "past" && this.pane === pane) {
      const moment = this.wanted;
      this.wanted = null;
      const frame = await this.request("past", { pane, moment });
      if (!frame || this.mode !== "past" || this.pane !== pane) break;
      past.apply(frame);
      at("pinned").textContent = `As it was at ${time(moment)}. Escape returns to the live screen`;
      at("live").hidden = true;
      at("past").hidden = false;
      at("pinned").hidden = false;
    }
    this.isLoading = false;
  }

  // Events of the browser

  listen() {
    const keys = at("keys");
    at("back").addEventListener("click", () => this.close());
    at("fit").addEventListener("click", () => this.fit());
    at("side-button").addEventListener("click", () => this.toggleSide());
    document.addEventListener("keydown", (event) => this.onKey(event), true);
    keys.addEventListener("input", (event) => {
      if (!event.isComposing) this.takeText();
    });
    keys.addEventListener("compositionstart", () => keys.classList.add("composing"));
    keys.addEventListener("compositionend", () => {
      keys.classList.remove("composing");
      this.takeText();
    });
    document.addEventListener("paste", (event) => {
      if (this.pane === null) return;
      event.preventDefault();
      this.paste(event.clipboardData.getData("text/plain"));
    });
    document.addEventListener("copy", (event) => this.onCopy(event));
    const live = at("live");
    live.addEventListener("mousedown", (event) => this.onMouse("press", event));
    addEventListener("mouseup", (event) => this.onMouseUp(event));
    live.addEventListener("mousemove", (event) => this.onMouse("move", event));
    live.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
    live.addEventListener("click", (event) => {
      if (event.target.closest("a") && this.wantsMouse(event)) event.preventDefault();
    });
    live.addEventListener("contextmenu", (event) => {
      if (this.wantsMouse(event)) event.preventDefault();
    });
    const area = at("scrollback");
    area.addEventListener("scroll", () => this.readVisible());
    area.addEventListener("wheel", (event) => {
      if (event.deltaY > 0 && area.scrollTop + area.clientHeight >= area.scrollHeight - 2) this.live();
    });
    const slider = at("timeline").querySelector("input");
    slider.addEventListener("pointerdown", () => {
      if (this.mode !== "past") this.readTimeline();
    });
    slider.addEventListener("input", () => this.showMoment(Number(slider.value)));
    new ResizeObserver(() => this.layout()).observe(live);
  }

  toggleSide() {
    at("side").hidden = !at("side").hidden;
    at("side-button").setAttribute("aria-pressed", String(!at("side").hidden));
    this.readCommands();
    this.focus();
  }

  takeText() {
    const keys = at("keys");
    const text = keys.value;
    keys.value = "";
    if (text) this.type({ text });
  }

  onKey(event) {
    if (this.pane === null || at("help").open) return;
    // After a click on the screen, the page itself has the focus.
    const isInput = event.target === at("keys") || event.target === document.body;
    if (event.key === "Enter" && event.ctrlKey && event.shiftKey) {
      this.close();
    } else if (event.ctrlKey && event.shiftKey && event.key.toLowerCase() === "c") {
      document.execCommand("copy");
    } else if (event.ctrlKey && event.shiftKey && event.key.toLowerCase() === "v") {
      return; // the browser pastes
    } else if (this.mode !== "live" && event.key === "Escape") {
      this.live();
    } else if (event.key === "PageUp" && event.shiftKey) {
      if (this.mode === "live") this.scrollback();
      else return;
    } else if (!isInput) {
      const isText = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
      if (this.control && isText && event.target === at("scrollback")) this.live(); // the text follows into the input
      if (event.key !== "Escape") return;
      if (this.control) this.focus();
      else this.close();
    } else if (!this.control) {
      if (event.key === "Escape") this.close();
      else if (event.key === "Tab") return;
    } else {
      const item = itemOf(event);
      if (!event.metaKey && !["Control", "Shift", "Alt"].includes(event.key)) this.focus();
      if (!item) return;
      this.type(item);
    }
    event.preventDefault();
    event.stopPropagation();
  }

  onCopy(event) {
    const selection = getSelection();
    if (this.pane === null || selection.isCollapsed || !at("stage").contains(selection.anchorNode)) return;
    const text = selection.toString().split("\n").map((line) => line.trimEnd()).join("\n");
    event.clipboardData.setData("text/plain", text);
    event.preventDefault();
  }

  // The mouse

  wantsMouse(event) {
    return this.control && !event.shiftKey && (this.screen?.modes.mouse ?? "off") !== "off";
  }

  onMouse(kind, event) {
    if (this.pane === null) return;
    if (this.wantsMouse(event)) {
      const button = kind === "move" ? this.held : buttonOf(event);
      const { mouse } = this.screen.modes;
      if (kind === "move" && !(mouse === "any" || (mouse === "button" && this.held))) return;
      const cell = this.screen.cellAt(event);
      const place = `${cell.x} ${cell.y}`;
      if (kind === "move" && place === this.lastPlace) return;
      this.lastPlace = place;
      if (kind === "press") this.held = button;
      this.type(mouseItem(kind, button, cell, event));
      event.preventDefault();
      this.focus();
    }
  }

  onMouseUp(event) {
    if (this.pane === null) return;
    if (this.held) {
      const button = this.held;
      this.held = null;
      this.type(mouseItem("release", button, this.screen.cellAt(event), event));
    } else if (at("live").contains(event.target) && getSelection().isCollapsed) {
      this.focus();
    }
  }

  onWheel(event) {
    if (this.pane === null || event.ctrlKey) return;
    event.preventDefault();
    this.wheel += event.deltaMode === 0 ? event.deltaY / (this.screen.cell.height * WHEEL_KEYS) : event.deltaY / WHEEL_KEYS;
    const steps = Math.trunc(this.wheel);
    if (!steps) return;
    this.wheel -= steps;
    const up = steps < 0;
    if (this.wantsMouse(event)) {
      const item = mouseItem("press", up ? "wheel_up" : "wheel_down", this.screen.cellAt(event), event);
      for (let step = 0; step < Math.min(Math.abs(steps), 10); step++) this.type(item);
    } else if (this.screen.modes.alt_screen) {
      for (let step = 0; step < Math.min(Math.abs(steps) * WHEEL_KEYS, 30); step++) this.type({ key: up ? "Up" : "Down" });
    } else if (up) {
      this.scrollback();
    }
  }
}
