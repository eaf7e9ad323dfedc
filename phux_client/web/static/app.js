// The page: the overview of all panes, and the connection that feeds it.

import { Connection, WRONG_TOKEN } from "./connection.js";
import { FullView } from "./full.js";
import { forgetSizes } from "./screen.js";
import { Tile } from "./tile.js";

const APPLY_MS = 8; // of each frame of the browser, for drawing tiles
const TOGETHER_MS = 100; // tiles are drawn together: the browser paints large parts of the page for each
const REORDER_MS = 1500; // so that a short command does not move its tile twice
const SIZES = [200, 240, 290, 380, 500];
const TOAST_MS = 6000;
const BANNERS = {
  restarting: "The phux service is restarting. Programs keep running; the view continues in a moment.",
  gone: "No phux server is running. Start one with: phux new",
  lost: "The connection to phux web was lost. Trying again\u2026",
  token: "This page needs the URL that phux web printed: its last part is the key. Open that URL again.",
};

const at = (id) => document.getElementById(id);
const tiles = new Map();
const panes = new Map();
const observer = new IntersectionObserver(onIntersect, { root: at("overview"), rootMargin: "200px" });
const visible = new Set();
const pending = new Map(); // the frames to draw, by pane
const drawn = [];
let order = [];
let previewSize = { width: 0, height: 0 };
let sizeIndex = 2;
let current = null; // the focused tile
let reorderTimer = 0;
let showTimer = 0;
let shown = "";
let drawTimer = 0;
let drawnAt = 0;

const link = new Connection({
  hello({ hello }) {
    at("where").textContent = hello.host;
    at("where").title = hello.socket;
    at("mode").textContent = hello.control ? "" : "watching only";
    full.setControl(hello.control);
    setLink("live", "");
    shown = "";
    sendShown();
  },
  server({ server, message }) {
    setLink(server === "up" ? "live" : server, server === "up" ? "" : message || BANNERS[server]);
  },
  panes: takePanes,
  frame(frame) {
    pending.set(frame.frame, frame);
    drawSoon();
  },
  bell({ bell }) {
    tiles.get(bell)?.ring();
  },
  closed(code) {
    pending.clear();
    setLink("lost", code === WRONG_TOKEN ? BANNERS.token : BANNERS.lost);
    if (code === WRONG_TOKEN) at("overview").classList.add("refused");
  },
});

const full = new FullView(link, {
  toast,
  changed: sendShown,
  closed() {
    if (location.hash.startsWith("#pane-")) history.pushState(null, "", location.pathname);
    current?.focus();
  },
});

function setLink(state, banner) {
  const names = { live: "live", restarting: "restarting", gone: "no server", lost: "disconnected" };
  at("link").textContent = names[state];
  at("link").dataset.link = state;
  at("banner").hidden = !banner;
  at("banner").textContent = banner;
  document.body.dataset.link = state;
  showEmpty();
}

// Panes

function takePanes({ panes: changed, order: ids }) {
  let urgent = false;
  const known = new Set(ids);
  for (const id of [...tiles.keys()]) {
    if (!known.has(id)) {
      observer.unobserve(tiles.get(id).element);
      tiles.get(id).element.remove();
      tiles.delete(id);
      panes.delete(id);
      visible.delete(id);
      pending.delete(id);
      full.gone(id);
    }
  }
  for (const pane of changed) {
    const before = panes.get(pane.id);
    urgent ||= !before || (pane.attention === "needed" && before.attention !== "needed");
    panes.set(pane.id, pane);
    if (!tiles.has(pane.id)) {
      const tile = new Tile(pane.id, open);
      tiles.set(pane.id, tile);
    }
    tiles.get(pane.id).update(pane);
    full.update(pane);
  }
  order = ids;
  if (urgent) reorder();
  else if (!reorderTimer) reorderTimer = setTimeout(reorder, REORDER_MS);
  count();
}

function reorder() {
  clearTimeout(reorderTimer);
  reorderTimer = 0;
  const filter = at("filter").value.trim().toLowerCase();
  const focused = document.activeElement;
  for (const section of document.querySelectorAll("#overview > section")) {
    const grid = section.querySelector(".grid");
    const wanted = order.filter((id) => panes.get(id)?.attention === section.dataset.attention)
      .map((id) => tiles.get(id)).filter((tile) => !filter || tile.matches(filter));
    wanted.forEach((tile, index) => {
      if (grid.children[index] !== tile.element) {
        grid.insertBefore(tile.element, grid.children[index] ?? null);
        observer.observe(tile.element);
      }
    });
    while (grid.children.length > wanted.length) grid.lastElementChild.remove();
    section.hidden = !wanted.length;
    section.querySelector("h2 span").textContent = wanted.length;
  }
  if (focused?.classList.contains("tile") && focused.isConnected) focused.focus({ preventScroll: true });
  if (!current?.isConnected) setCurrent(document.querySelector(".tile"), false);
  measure();
  showEmpty();
  openFromUrl();
}

function count() {
  const counts = { needed: 0, running: 0, rest: 0 };
  for (const pane of panes.values()) counts[pane.attention]++;
  const names = { needed: counts.needed === 1 ? "needs you" : "need you", running: "running", rest: "ready" };
  at("counts").replaceChildren(...Object.keys(counts).map((name) => {
    const item = document.createElement("li");
    item.dataset.attention = name;
    item.textContent = `${counts[name]} ${names[name]}`;
    item.hidden = !counts[name];
    return item;
  }));
  document.title = `${counts.needed ? `(${counts.needed}) ` : ""}phux`;
}

function showEmpty() {
  const [title, text, command] = at("empty").children;
  const any = document.querySelector("#overview .tile") !== null;
  at("empty").hidden = any;
  if (any) return;
  const filtered = panes.size > 0;
  const live = at("link").dataset.link === "live";
  title.textContent = filtered ? "No pane matches" : live ? "No panes yet" : "";
  text.textContent = filtered ? "Escape ends the filter." : live ? "Create a session, and it appears here at once:" : "";
  command.textContent = filtered || !live ? "" : "phux new -d -s work";
}

// Drawing

function drawSoon(delay = drawnAt + TOGETHER_MS - performance.now()) {
  if (!drawTimer || full.pane !== null) {
    clearTimeout(drawTimer);
    drawTimer = setTimeout(() => requestAnimationFrame(draw), full.pane === null ? delay : 0);
  }
}

function draw() {
  drawTimer = 0;
  drawnAt = performance.now();
  const until = performance.now() + APPLY_MS;
  for (const [id, frame] of pending) {
    pending.delete(id);
    if (id === full.pane) full.apply(frame);
    else tiles.get(id)?.apply(frame, previewSize);
    drawn.push(id);
    if (performance.now() > until) break;
  }
  if (drawn.length) link.send({ drawn: drawn.splice(0) });
  if (pending.size) drawSoon(0);
}

function measure() {
  const tile = document.querySelector("#overview section:not([hidden]) .tile");
  if (!tile) return;
  const width = tile.clientWidth - 12; // as in style.css; a tile out of view has no layout inside
  const size = { width: width - 10, height: width / 1.652 - 8 };
  if (size.width === previewSize.width && size.height === previewSize.height) return;
  previewSize = size;
  for (const tile of tiles.values()) tile.fit(size);
}

// What the server has to send

function onIntersect(entries) {
  for (const entry of entries) {
    const id = Number(entry.target.dataset.pane);
    if (entry.isIntersecting && tiles.has(id)) visible.add(id);
    else visible.delete(id);
  }
  clearTimeout(showTimer);
  showTimer = setTimeout(sendShown, 50);
}

function sendShown() {
  const hidden = document.hidden;
  const message = {
    show: hidden || full.pane !== null ? [] : [...visible].sort((a, b) => a - b),
    open: hidden ? null : full.pane,
  };
  const text = JSON.stringify(message);
  if (text === shown || !link.isOpen) return;
  shown = text;
  link.send(message);
}

// Focus and keys

function setCurrent(element, focus = true) {
  if (current) current.tabIndex = -1;
  current = element;
  if (!element) return;
  element.tabIndex = 0;
  if (focus) {
    element.focus();
    element.scrollIntoView({ block: "nearest" });
  }
}

function open(id) {
  if (!panes.has(id)) return;
  setCurrent(tiles.get(id).element, false);
  if (location.hash !== `#pane-${id}`) history.pushState(null, "", `#pane-${id}`);
  full.open(panes.get(id));
}

function openFromUrl() {
  const id = Number(/^#pane-(\d+)$/.exec(location.hash)?.[1]);
  if (id && panes.has(id) && full.pane !== id) open(id);
}

// The tile above or below: the nearest one in the next row.
function neighbour(tile, step) {
  const all = [...document.querySelectorAll("#overview .tile")];
  const index = all.indexOf(tile);
  if (step === "ArrowLeft") return all[index - 1];
  if (step === "ArrowRight") return all[index + 1];
  if (step === "Home") return all[0];
  if (step === "End") return all.at(-1);
  const box = tile.getBoundingClientRect();
  const down = step === "ArrowDown";
  const beyond = all.map((one) => [one, one.getBoundingClientRect()])
    .filter(([, other]) => (down ? other.top > box.top + 1 : other.top < box.top - 1));
  if (!beyond.length) return undefined;
  const top = down ? Math.min(...beyond.map(([, other]) => other.top)) : Math.max(...beyond.map(([, other]) => other.top));
  const row = beyond.filter(([, other]) => Math.abs(other.top - top) < 1);
  return row.reduce((best, one) => (Math.abs(one[1].left - box.left) < Math.abs(best[1].left - box.left) ? one : best))[0];
}

function onKey(event) {
  if (full.pane !== null || at("help").open || event.ctrlKey || event.metaKey || event.altKey) return;
  const inFilter = document.activeElement === at("filter");
  if (inFilter) {
    if (event.key === "Escape") {
      at("filter").value = "";
      reorder();
    } else if (event.key !== "Enter" && event.key !== "ArrowDown") {
      return;
    }
    event.preventDefault();
    setCurrent(document.querySelector(".tile"));
    return;
  }
  const actions = {
    "/": () => at("filter").focus(),
    "?": () => at("help").showModal(),
    t: toggleTheme,
    "+": () => resizeTiles(1),
    "=": () => resizeTiles(1),
    "-": () => resizeTiles(-1),
    Escape: () => {
      at("filter").value = "";
      reorder();
    },
  };
  const moves = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"];
  if (event.key in actions) {
    actions[event.key]();
  } else if (moves.includes(event.key)) {
    const onTile = document.activeElement?.classList.contains("tile");
    setCurrent(onTile ? (neighbour(current, event.key) ?? current) : (current ?? document.querySelector(".tile")));
  } else if (event.key === "Enter" && document.activeElement === current && current) {
    open(Number(current.dataset.pane));
  } else {
    return;
  }
  event.preventDefault();
}

function resizeTiles(by) {
  sizeIndex = Math.min(SIZES.length - 1, Math.max(0, sizeIndex + by));
  document.documentElement.style.setProperty("--tile", `${SIZES[sizeIndex]}px`);
  localStorage.setItem("phux-tiles", String(sizeIndex));
  measure();
}

function toggleTheme() {
  const dark = getComputedStyle(document.documentElement).colorScheme === "dark";
  setTheme(dark ? "light" : "dark");
}

function setTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  if (theme) localStorage.setItem("phux-theme", theme);
  full.drawTimeline();
}

function toast(text) {
  const element = document.createElement("p");
  element.textContent = text;
  at("toasts").append(element);
  while (at("toasts").children.length > 3) at("toasts").firstElementChild.remove();
  setTimeout(() => element.remove(), TOAST_MS);
}

// The token: in the URL once, then only in this tab's memory. It leaves the address bar and the history.
function takeToken() {
  const found = /^#([\w-]{20,})$/.exec(location.hash);
  if (found && !location.hash.startsWith("#pane-")) {
    sessionStorage.setItem("phux-token", found[1]);
    history.replaceState(null, "", location.pathname);
    return found[1];
  }
  return null;
}

function connect() {
  const token = takeToken() ?? sessionStorage.getItem("phux-token");
  at("overview").classList.remove("refused");
  if (token) link.open(token);
  else link.on.closed(WRONG_TOKEN);
}

addEventListener("hashchange", () => {
  if (takeToken()) {
    connect();
  } else if (/^#pane-/.test(location.hash)) {
    openFromUrl();
  } else {
    full.close();
  }
});
addEventListener("popstate", () => {
  if (!/^#pane-/.test(location.hash)) full.close();
});
document.addEventListener("keydown", onKey);
document.addEventListener("visibilitychange", sendShown);
document.addEventListener("focusin", (event) => {
  const tile = event.target.closest?.(".tile");
  if (tile && tile !== current) setCurrent(tile, false);
});
at("filter").addEventListener("input", reorder);
at("theme").addEventListener("click", toggleTheme);
at("help-button").addEventListener("click", () => at("help").showModal());
at("help-close").addEventListener("click", () => at("help").close());
new ResizeObserver(measure).observe(at("overview"));
document.fonts.ready.then(() => forgetSizes());
setTheme(localStorage.getItem("phux-theme"));
sizeIndex = Number(localStorage.getItem("phux-tiles") ?? sizeIndex);
resizeTiles(0);
setLink("lost", "");
connect();
