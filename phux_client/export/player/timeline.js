// The timeline: commands, activity and states above a time axis.

const LANES = { commands: [6, 22], activity: [32, 58], states: [62, 68], axis: 84 };
const STATES = {
  prompt: "at the prompt",
  running: "running",
  awaiting_input: "awaiting input",
  awaiting_secret: "awaiting a secret",
  fullscreen: "full-screen program",
  dead: "ended",
};
const STEPS_S = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400];

/** Return a duration for people. */
function duration(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours ? `${hours} h ${minutes} min` : `${minutes} min ${seconds % 60} s`;
}

/** Return a position for people, such as 1:05.3. */
function position(ms, digits = 1) {
  const tenths = Math.floor(ms / 100);
  const [hours, minutes] = [Math.floor(tenths / 36_000), Math.floor(tenths / 600) % 60];
  const seconds = String(Math.floor(tenths / 10) % 60).padStart(2, "0") + (digits ? `.${tenths % 10}` : "");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${seconds}` : `${minutes}:${seconds}`;
}

/** Return a new SVG element. */
function shape(name, attributes, text) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  return node;
}

/** Return the result of a command: "failed", "done", "running" or "unknown". */
function outcome(command) {
  if (command.end === null) return command.lost ? "unknown" : "running";
  return command.exit === null ? "unknown" : command.exit ? "failed" : "done";
}

class Timeline {
  constructor(root, recording) {
    this.root = root;
    this.lanes = root.querySelector("#lanes");
    this.head = root.querySelector("#head");
    this.recording = recording;
    this.matches = [];
  }

  /** Draw everything for an axis. */
  draw(axis) {
    this.axis = axis;
    this.width = this.lanes.getBoundingClientRect().width;
    this.lanes.replaceChildren(
      ...this.cuts(),
      this.activity(),
      ...this.states(),
      ...this.ticks(),
      ...this.commands(),
      this.found(),
    );
  }

  x(time) {
    return (this.axis.played(time) / this.axis.length) * this.width;
  }

  /** Return the time at a distance from the left edge; the last pixel is the end. */
  timeAt(x) {
    const played = Math.min(1, Math.max(0, x / (this.width - 1))) * this.axis.length;
    return Math.min(this.recording.about.duration, this.axis.real(played));
  }

  move(time) {
    this.head.style.transform = `translateX(${this.x(time)}px)`;
    this.root.setAttribute("aria-valuenow", Math.round(time));
    this.root.setAttribute("aria-valuetext", position(time));
  }

  mark(times) {
    this.matches = times;
    this.lanes.querySelector(".found")?.replaceWith(this.found());
  }

  *cuts() {
    for (const [from] of this.axis.cuts) {
      const x = Math.round(this.x(from)) + 0.5;
      yield shape("path", { class: "cut", d: `M${x} ${LANES.activity[0] - 2}V${LANES.states[1]}` });
    }
  }

  /** The bytes written in each stretch, on a logarithmic scale. */
  activity() {
    const stretches = new Float64Array(Math.max(1, Math.ceil(this.width / 3)));
    let before = this.recording.frames[0]?.[1] ?? 0;
    for (const [time, seq] of this.recording.frames) {
      const index = Math.floor((this.axis.played(time) / this.axis.length) * stretches.length);
      stretches[Math.min(stretches.length - 1, index)] += seq - before;
      before = seq;
    }
    const most = Math.log1p(Math.max(...stretches)) || 1;
    const [top, bottom] = LANES.activity;
    const bars = Array.from(stretches, (bytes, index) => {
      const height = bytes ? Math.max(1.5, (Math.log1p(bytes) / most) * (bottom - top)) : 0;
      return height ? `M${index * 3 + 1.5} ${bottom}v${-height}` : "";
    });
    return shape("path", { class: "activity", d: bars.join("") });
  }

  *states() {
    const [top, bottom] = LANES.states;
    const { states, about } = this.recording;
    for (let index = 0; index < states.length; index++) {
      const [time, state] = states[index];
      const x = this.x(time);
      const width = this.x(states[index + 1]?.[0] ?? about.duration) - x;
      if (width > 0.2) yield shape("rect", { class: `state ${state}`, x, y: top, width, height: bottom - top });
    }
  }

  *commands() {
    const [top, bottom] = LANES.commands;
    const isFailed = (command) => outcome(command) === "failed";
    // Failed ones last, so that none is hidden behind another command.
    for (const command of this.recording.commands.toSorted((one, other) => isFailed(one) - isFailed(other))) {
      const x = this.x(command.start);
      const width = Math.max(3, this.x(command.end ?? this.recording.about.duration) - x - 1);
      const block = shape("svg", { class: `command ${outcome(command)}`, x, y: top, width, height: bottom - top });
      block.append(shape("rect", { width: "100%", height: "100%", rx: 3 }));
      if (width > 40) block.append(shape("text", { x: 6, y: 11.5 }, command.line ?? ""));
      yield block;
    }
  }

  *ticks() {
    const least = ((this.axis.length / 1000) * 80) / this.width;
    const step = 1000 * (STEPS_S.find((seconds) => seconds >= least) ?? STEPS_S.at(-1));
    for (let played = step; played < this.axis.length; played += step) {
      const x = (played / this.axis.length) * this.width;
      if (this.width - x < 24) break;
      const time = this.axis.real(played);
      yield shape("text", { class: "tick", x, y: LANES.axis }, position(time, step < 1000));
    }
  }

  found() {
    const marks = new Set(this.matches.map((time) => Math.round(this.x(time)) + 0.5));
    const d = Array.from(marks, (x) => `M${x} ${LANES.activity[0] - 2}V${LANES.states[0] - 2}`).join("");
    return shape("path", { class: "found", d });
  }
}
