// The player: time, controls and keys, and everything that follows the time.

const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16, 32];
const MOST_IDLE = 2000;
const JUMP = 5000;
const KEYS = [
  ["Space", "Play or pause"],
  ["← →", "Back or forward 5 seconds"],
  [", .", "Previous or next frame"],
  ["[ ]", "Previous or next command"],
  ["Home End", "Start or end"],
  ["+ -", "Faster or slower"],
  ["i", "Skip idle time"],
  ["/", "Search; Enter and Shift+Enter go through the results"],
  ["t", "Light or dark"],
  ["?", "This list"],
];
const $ = (id) => document.getElementById(id);

class Player {
  constructor(recording) {
    this.recording = recording;
    this.moments = recording.moments;
    this.screen = new Screen($("screen"), recording);
    this.timeline = new Timeline($("timeline"), recording);
    this.time = 0;
    this.speed = 1;
    this.isPlaying = false;
    this.pattern = null;
    this.found = { lines: [], more: false };
    this.chosen = -1;
    this.describe();
    this.listCommands();
    this.connect();
    this.setSpeed(1);
    this.skipIdle(true);
    const wanted = Number(/^#t=([\d.]+)$/.exec(location.hash)?.[1] ?? NaN);
    this.size = `${innerWidth} ${innerHeight}`;
    this.seek(Number.isNaN(wanted) ? recording.opening : wanted * 1000, { keep: true });
    new ResizeObserver(() => this.resize()).observe(document.body);
  }

  // Time

  /** Show a time; ``keep`` leaves the address alone. */
  seek(time, { keep = false, passed = null } = {}) {
    const { about, frames } = this.recording;
    this.time = Math.min(about.duration, Math.max(0, time));
    const index = this.recording.frameAt(this.time);
    if (frames.length) this.screen.draw(this.recording.screen(index));
    this.showPassed(passed);
    if (this.pattern && !passed) highlight(this.pattern, this.screen.rows.children);
    this.timeline.move(this.time);
    this.follow();
    if (!keep) history.replaceState(null, "", `#t=${(this.time / 1000).toFixed(3)}`);
  }

  play(on) {
    if (on && this.time >= this.recording.about.duration) this.seek(0, { keep: true });
    this.isPlaying = on;
    $("play").classList.toggle("playing", on);
    $("play").setAttribute("aria-label", on ? "Pause" : "Play");
    if (!on) return;
    let last = performance.now();
    const step = (now) => {
      if (!this.isPlaying) return;
      const played = this.timeline.axis.played(this.time) + Math.max(0, now - last) * this.speed;
      last = now;
      this.seek(this.timeline.axis.real(played), { keep: true });
      if (this.time >= this.recording.about.duration) this.play(false);
      else requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  setSpeed(speed) {
    this.speed = speed;
    $("speed").textContent = `${speed}×`;
  }

  changeSpeed(by, wrap = false) {
    const index = SPEEDS.indexOf(this.speed) + by;
    this.setSpeed(SPEEDS[wrap ? index % SPEEDS.length : Math.min(SPEEDS.length - 1, Math.max(0, index))]);
  }

  skipIdle(on) {
    this.skipsIdle = on;
    $("idle").setAttribute("aria-pressed", on);
    this.timeline.draw(new Axis(this.moments, this.recording.about.duration, on ? MOST_IDLE : Infinity));
    this.timeline.move(this.time);
  }

  stepFrame(by) {
    const { frames, about } = this.recording;
    const index = this.recording.frameAt(this.time) + by;
    this.play(false);
    this.seek(index < 0 ? 0 : (frames[index]?.[0] ?? about.duration));
  }

  stepCommand(by) {
    const { commands, about } = this.recording;
    let index = this.recording.commandAt(this.time);
    // As with songs: shortly after a start, "previous" means the command before.
    if (by > 0) index += 1;
    else if (index >= 0 && this.time - commands[index].start < 300) index -= 1;
    if (index < 0) this.seek(0);
    else if (index >= commands.length) this.seek(about.duration);
    else this.seek(commands[index].start);
  }

  // What follows the time

  describe() {
    const { about } = this.recording;
    $("name").textContent = about.name;
    $("about").textContent = about.details;
    const started = new Date(about.started);
    $("when").textContent = started.toLocaleString([], { dateStyle: "medium", timeStyle: "medium" });
    $("timeline").setAttribute("aria-valuemin", 0);
    $("timeline").setAttribute("aria-valuemax", about.duration);
    const seen = new Set(this.recording.states.map(([, state]) => state));
    $("legend").append(
      ...Object.keys(STATES)
        .filter((state) => seen.has(state))
        .map((state) => element("li", state, STATES[state])),
    );
    $("keys")
      .querySelector("dl")
      .append(...KEYS.flatMap(([keys, text]) => [element("dt", "", keys), element("dd", "", text)]));
  }

  follow() {
    const { about, states, titles, directories, sizes } = this.recording;
    $("time").replaceChildren(
      element("b", "", position(this.time)),
      ` / ${position(about.duration)}`,
    );
    $("clock").textContent = new Date(about.started + this.time).toLocaleTimeString();
    const state = this.recording.valueAt(states, this.time);
    $("state").className = state ?? "";
    $("state").textContent = state ? STATES[state] : "";
    const title = this.recording.valueAt(titles, this.time) ?? this.recording.valueAt(directories, this.time);
    $("caption").textContent = title ?? "";
    $("size").textContent = this.screen.size.replace("x", "×");
    const current = this.recording.commandAt(this.time);
    if (current !== this.current) {
      this.items?.[this.current]?.removeAttribute("aria-current");
      this.items?.[current]?.setAttribute("aria-current", "true");
      this.items?.[current]?.scrollIntoView({ block: "nearest" });
      this.current = current;
    }
  }

  /** Show the lines around one that scrolled past between two frames, in place of the screen. */
  showPassed(number) {
    $("passed").hidden = number === null;
    $("screen").hidden = number !== null;
    if (number === null) return;
    const most = this.screen.drawn.length;
    const first = Math.max(0, Math.min(number - Math.floor(most / 2), this.text.count - most));
    $("passed").querySelector("p").textContent = "These lines scrolled past between two frames";
    const lines = Array.from({ length: Math.min(most, this.text.count - first) }, (_, index) => {
      const line = element("div", "row", this.text.line(first + index) || " ");
      if (first + index === number) line.setAttribute("aria-current", "true");
      return line;
    });
    $("lines").replaceChildren(...lines);
    highlight(this.pattern, $("lines").children);
    lines[number - first].scrollIntoView({ block: "nearest" });
  }

  listCommands() {
    const { commands } = this.recording;
    const failed = commands.filter((command) => outcome(command) === "failed").length;
    const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
    $("count").textContent = commands.length ? plural(commands.length, "command") : "No commands were recorded";
    $("failed").hidden = !failed;
    $("failed").textContent = `${failed} failed`;
    this.items = commands.map((command) => {
      const item = element("li", outcome(command));
      const button = element("button");
      button.type = "button";
      button.append(element("span", "mark"), element("code", "", command.line ?? "(unknown command)"));
      const details = element("small");
      details.append(element("span", "", position(command.start, 0)));
      if (command.end !== null) details.append(element("span", "", duration(command.end - command.start)));
      if (command.exit) details.append(element("b", "", `exit ${command.exit}`));
      else if (outcome(command) === "running") details.append(element("span", "", "still running"));
      button.append(details);
      button.addEventListener("click", () => {
        this.seek(command.exit ? this.recording.shownAt(command.end) : command.start);
      });
      item.append(button);
      return item;
    });
    $("commands").append(...this.items);
  }

  // Search

  async search(query) {
    this.pattern = patternOf(query);
    $("commands").hidden = $("summary").hidden = query !== "";
    $("results").hidden = query === "";
    if (query && !this.text) {
      this.loading ??= unpack("text").then((text) => new TextIndex(JSON.parse(text)));
      this.text = await this.loading;
      if ($("query").value !== query) return; // another search has begun
    }
    this.found = query ? this.text.find(this.pattern) : { lines: [], more: false };
    this.chosen = -1;
    this.listResults();
    highlight(this.pattern, this.screen.rows.children);
    this.searched = query;
  }

  listResults() {
    const { lines, more } = this.found;
    const times = lines.map((line) => this.recording.frames[line.frame][0]);
    this.timeline.mark(times);
    const count = element("li", "count", `${lines.length}${more ? "+" : ""} ${lines.length === 1 ? "line" : "lines"}`);
    $("results").replaceChildren(
      count,
      ...lines.map((line, index) => {
        const item = element("li");
        const button = element("button");
        button.type = "button";
        const text = element("code");
        appendMarked(text, line.text, this.pattern);
        button.append(text, element("small", "", position(times[index], 0)));
        button.addEventListener("click", () => this.choose(index));
        item.append(button);
        return item;
      }),
    );
  }

  choose(index) {
    const { lines } = this.found;
    if (!lines.length) return;
    $("results").children[this.chosen + 1]?.removeAttribute("aria-current");
    this.chosen = (index + lines.length) % lines.length;
    const item = $("results").children[this.chosen + 1];
    item.setAttribute("aria-current", "true");
    item.scrollIntoView({ block: "nearest" });
    const line = lines[this.chosen];
    this.play(false);
    this.seek(this.recording.frames[line.frame][0], { passed: line.shown ? null : line.number });
  }

  // Input

  connect() {
    $("play").addEventListener("click", () => this.play(!this.isPlaying));
    $("previous").addEventListener("click", () => this.stepCommand(-1));
    $("next").addEventListener("click", () => this.stepCommand(1));
    $("speed").addEventListener("click", () => this.changeSpeed(1, true));
    $("idle").addEventListener("click", () => this.skipIdle(!this.skipsIdle));
    $("theme").addEventListener("click", () => this.switchTheme());
    $("help").addEventListener("click", () => $("keys").showModal());
    $("failed").addEventListener("click", () => {
      const on = $("commands").classList.toggle("only-failed");
      $("failed").setAttribute("aria-pressed", on);
    });
    $("query").addEventListener("input", () => {
      clearTimeout(this.typing);
      this.typing = setTimeout(() => this.search($("query").value), 100);
    });
    $("query").addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.choose(event.shiftKey ? Math.max(this.chosen, 0) - 1 : this.chosen + 1);
      else if (event.key === "Escape") $("query").blur();
      else return;
      event.preventDefault();
    });
    document.addEventListener("keydown", (event) => this.press(event));
    const timeline = $("timeline");
    const at = (event) => this.timeline.timeAt(event.clientX - timeline.getBoundingClientRect().left);
    timeline.addEventListener("pointerdown", (event) => {
      timeline.setPointerCapture(event.pointerId);
      this.seek(at(event));
    });
    timeline.addEventListener("pointermove", (event) => {
      if (timeline.hasPointerCapture(event.pointerId)) this.seek(at(event));
      this.hover(event, at(event));
    });
    timeline.addEventListener("pointerleave", () => this.hover(null));
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || $("keys").open) return;
    if (event.target === $("query")) return;
    const pressesButton = event.target instanceof HTMLButtonElement && [" ", "Enter"].includes(event.key);
    const actions = {
      " ": () => this.play(!this.isPlaying),
      ArrowLeft: () => this.moveBy(-JUMP),
      ArrowRight: () => this.moveBy(JUMP),
      ",": () => this.stepFrame(-1),
      ".": () => this.stepFrame(1),
      "[": () => this.stepCommand(-1),
      "]": () => this.stepCommand(1),
      Home: () => this.seek(0),
      End: () => this.seek(this.recording.about.duration),
      "+": () => this.changeSpeed(1),
      "=": () => this.changeSpeed(1),
      "-": () => this.changeSpeed(-1),
      i: () => this.skipIdle(!this.skipsIdle),
      "/": () => $("query").select(),
      t: () => this.switchTheme(),
      "?": () => $("keys").showModal(),
    };
    if (pressesButton || !Object.hasOwn(actions, event.key)) return;
    event.preventDefault();
    actions[event.key]();
  }

  moveBy(ms) {
    const { axis } = this.timeline;
    this.seek(axis.real(Math.max(0, axis.played(this.time) + ms)));
  }

  hover(event, time) {
    $("tip").hidden = $("hover").hidden = event === null;
    if (event === null) return;
    const { commands, states } = this.recording;
    const box = $("timeline").getBoundingClientRect();
    $("hover").style.transform = `translateX(${event.clientX - box.left}px)`;
    const command = commands[this.recording.commandAt(time)];
    const state = this.recording.valueAt(states, time);
    const lines = [element("b", "", position(time)), element("span", "", state ? STATES[state] : "")];
    if (command && time <= (command.end ?? Infinity)) {
      const length = command.end === null ? "" : ` · ${duration(command.end - command.start)}`;
      const exit = command.exit === null ? "" : ` · exit ${command.exit}`;
      lines.push(element("code", "", command.line ?? ""), element("small", "", (exit + length).slice(3)));
    }
    $("tip").replaceChildren(...lines);
    const left = Math.min(innerWidth - $("tip").offsetWidth - 8, Math.max(8, event.clientX - $("tip").offsetWidth / 2));
    $("tip").style.transform = `translate(${left}px, ${box.top - $("tip").offsetHeight - 8}px)`;
  }

  switchTheme() {
    const root = document.documentElement;
    const dark = root.style.colorScheme
      ? root.style.colorScheme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    root.style.colorScheme = dark ? "light" : "dark";
  }

  resize() {
    const size = `${innerWidth} ${innerHeight}`;
    if (size === this.size) return;
    this.size = size;
    this.screen.fit();
    this.timeline.draw(this.timeline.axis);
    this.timeline.move(this.time);
  }
}

/** Make the terminal's colors available as custom properties. */
function setColors({ light, dark }) {
  for (const name of Object.keys(light)) {
    document.documentElement.style.setProperty(`--${name}`, `light-dark(${light[name]}, ${dark[name]})`);
  }
}

const data = JSON.parse(await unpack("recording"));
setColors(data.colors);
$("app").hidden = false;
globalThis.player = new Player(new Recording(data));
document.documentElement.dataset.ready = "";
