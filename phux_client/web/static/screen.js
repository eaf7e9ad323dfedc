// A terminal screen as DOM: frames go in, rows of text come out. Text is only ever set as text nodes.

import { cssOf } from "./sgr.js";

// Characters that have the width of a cell in any monospace font; others get a box of their own.
const EVEN = /^[\x20-\x7e\u00a0-\u00ac\u00ae-\u017f\u2500-\u259f]*$/;
// Characters that control the direction of text, or are no characters at all.
const CONTROLS = /[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
// The hyperlinks that a browser can follow without harm.
const WEB_LINK = /^https?:\/\//i;
const metrics = new Map();

// The size of a cell for a font size.
export function cellSize(fontSize) {
  let size = metrics.get(fontSize);
  if (!size) {
    const probe = document.createElement("div");
    probe.className = "screen probe";
    probe.style.fontSize = `${fontSize}px`;
    const text = document.createElement("span");
    text.textContent = "0".repeat(100);
    probe.append(text);
    document.body.append(probe);
    size = { width: text.getBoundingClientRect().width / 100, height: Math.round(fontSize * 1.2) };
    probe.remove();
    metrics.set(fontSize, size);
  }
  return size;
}

export function forgetSizes() {
  metrics.clear();
}

function span(text, parameters, width, link) {
  const element = document.createElement(link ? "a" : "span");
  element.textContent = text;
  if (link) {
    element.href = element.title = link;
    element.target = "_blank";
    element.rel = "noopener noreferrer";
    element.tabIndex = -1;
  }
  if (width) element.className = width === 2 ? "wide" : "cell";
  if (parameters) element.style.cssText = cssOf(parameters);
  return element;
}

// Draw the runs of a row into an element.
export function drawRow(row, runs) {
  const parts = [];
  let column = 0;
  for (const [start, width, glyphs, parameters, uri] of runs) {
    const link = WEB_LINK.test(uri) ? uri : null;
    if (start > column) parts.push(" ".repeat(start - column));
    const text = typeof glyphs === "string" ? glyphs : glyphs.join("");
    column = start + width * (typeof glyphs === "string" ? [...glyphs].length : glyphs.length);
    if (width === 1 && EVEN.test(text)) parts.push(parameters || link ? span(text, parameters, 0, link) : text);
    else for (const glyph of glyphs) parts.push(span(glyph.replace(CONTROLS, ""), parameters, width, link));
  }
  row.replaceChildren(...parts);
}

function glyphAt(runs, x) {
  for (const [start, width, glyphs] of runs ?? []) {
    const list = typeof glyphs === "string" ? [...glyphs] : glyphs;
    const index = Math.floor((x - start) / width);
    if (x >= start && index < list.length) return [list[index].replace(CONTROLS, ""), width];
  }
  return [" ", 1];
}

export class Screen {
  constructor(fontSize = 14) {
    this.element = document.createElement("div");
    this.element.className = "screen";
    this.cursorElement = document.createElement("span");
    this.cursorElement.className = "cursor";
    this.cols = this.rows = 0;
    this.runs = [];
    this.lines = [];
    this.cursor = [0, 0, false, 0];
    this.modes = {};
    this.title = "";
    this.setFontSize(fontSize);
  }

  setFontSize(fontSize) {
    this.fontSize = fontSize;
    this.cell = cellSize(fontSize);
    this.element.style.fontSize = `${fontSize}px`;
    this.element.style.lineHeight = `${this.cell.height}px`;
    this.layout();
  }

  get width() {
    return this.cols * this.cell.width;
  }

  get height() {
    return this.rows * this.cell.height;
  }

  // The number of rows up to the last one that is used.
  get used() {
    let last = this.runs.length - 1;
    while (last >= 0 && !this.runs[last]?.length) last--;
    return Math.max(last, this.cursor[1]) + 1;
  }

  layout() {
    this.element.style.width = `${Math.ceil(this.width)}px`;
    this.element.style.height = `${this.height}px`;
  }

  // Apply a frame; return whether the size changed.
  apply(frame) {
    const [cols, rows] = frame.size;
    const resized = cols !== this.cols || rows !== this.rows;
    if (frame.whole) {
      if (rows !== this.lines.length) {
        this.lines = Array.from({ length: rows }, () => {
          const line = document.createElement("div");
          line.className = "row";
          return line;
        });
        this.element.replaceChildren(...this.lines, this.cursorElement);
      }
      this.cols = cols;
      this.rows = rows;
      const fresh = new Map(frame.rows);
      for (let y = 0; y < rows; y++) this.draw(y, fresh.get(y) ?? []);
      this.layout();
    } else {
      for (const [y, runs] of frame.rows) this.draw(y, runs);
    }
    this.cursor = frame.cursor ?? this.cursor;
    this.modes = frame.modes ?? this.modes;
    this.title = frame.title ?? this.title;
    this.drawCursor();
    return resized;
  }

  draw(y, runs) {
    if (y >= this.lines.length || (!runs.length && !this.runs[y]?.length)) return;
    this.runs[y] = runs;
    drawRow(this.lines[y], runs);
  }

  drawCursor() {
    const [x, y, visible, shape] = this.cursor;
    const cursor = this.cursorElement;
    cursor.hidden = !visible || y >= this.rows;
    if (cursor.hidden) return;
    const [glyph, width] = glyphAt(this.runs[y], x);
    cursor.textContent = glyph;
    cursor.dataset.shape = shape <= 2 ? "block" : shape <= 4 ? "underline" : "bar";
    cursor.style.left = `calc(${x} * 1ch)`;
    cursor.style.top = `calc(${y} * 1lh)`;
    cursor.style.width = `${width}ch`;
  }

  // The cell under a mouse event.
  cellAt(event) {
    const box = this.element.getBoundingClientRect();
    const place = (position, size, most) => Math.min(Math.max(0, Math.floor(position / size)), most - 1);
    return {
      x: place(event.clientX - box.left, this.cell.width, this.cols),
      y: place(event.clientY - box.top, this.cell.height, this.rows),
    };
  }
}
