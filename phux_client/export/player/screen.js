// The screen: rows of runs as elements. Text of the recording only becomes text nodes.

/** Return a new element. */
function element(name, className, text) {
  const node = document.createElement(name);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

const FLAGS = { bold: 1, faint: 2, italic: 4, blink: 8, inverse: 16, invisible: 32, strikethrough: 64, overline: 128 };
const LEVELS = [0, 95, 135, 175, 215, 255];

/** Return a color of a style as CSS. */
function cssColor(color, otherwise) {
  if (color === null) return otherwise;
  if (typeof color === "object") return `rgb(${color.join(" ")})`;
  if (color < 16) return `var(--c${color})`;
  if (color >= 232) return `rgb(${Array(3).fill(8 + 10 * (color - 232)).join(" ")})`;
  const cube = color - 16;
  return `rgb(${LEVELS[Math.floor(cube / 36)]} ${LEVELS[Math.floor(cube / 6) % 6]} ${LEVELS[cube % 6]})`;
}

/** Return the declarations of a style. */
function cssOf([flags, underline, foreground, background, underlineColor]) {
  let text = cssColor(foreground, "var(--foreground)");
  let behind = cssColor(background, "var(--background)");
  if (flags & FLAGS.inverse) [text, behind] = [behind, text];
  if (flags & FLAGS.faint) text = `color-mix(in srgb, ${text}, ${behind})`;
  const declarations = [`color:${text}`];
  if (background !== null || flags & FLAGS.inverse) declarations.push(`background-color:${behind}`);
  if (flags & FLAGS.bold) declarations.push("font-weight:bold");
  if (flags & FLAGS.italic) declarations.push("font-style:italic");
  if (flags & FLAGS.invisible) declarations.push("-webkit-text-fill-color:transparent");
  const lines = [];
  if (underline) lines.push("underline");
  if (flags & FLAGS.strikethrough) lines.push("line-through");
  if (flags & FLAGS.overline) lines.push("overline");
  if (lines.length) {
    const kind = { curly: "wavy", single: "solid" }[underline] ?? underline ?? "solid";
    declarations.push(`text-decoration:${lines.join(" ")} ${kind} ${cssColor(underlineColor, "currentcolor")}`);
  }
  return declarations.join(";");
}

class Screen {
  static FONT_SIZES = [6, 18];
  // The room around the rows: margins, the caption and paddings.
  static MARGIN = { x: 74, y: 104 };
  // The last character that every monospace font is expected to have.
  static LAST_COMMON = "\u024f";
  // Characters whose shape may be drawn across several cells.
  static STRETCHED = /^[─━═▀-▇█▔░▒▓]$/u;

  constructor(root, recording) {
    this.root = root;
    this.rows = root.querySelector("#rows");
    this.cursor = root.querySelector("#cursor");
    this.recording = recording;
    this.styles = recording.styles.map(() => null);
    this.drawn = [];
    this.size = "";
  }

  /** Show a screen; only rows that changed are drawn. */
  draw({ rows, cols, cursor }) {
    const size = `${cols}x${rows.length}`;
    if (size !== this.size) {
      this.size = size;
      this.cols = cols;
      this.drawn = new Array(rows.length).fill(-1);
      this.rows.replaceChildren(...rows.map(() => element("div", "row")));
      this.fit();
    }
    for (let y = 0; y < rows.length; y++) {
      if (this.drawn[y] !== rows[y]) {
        this.drawn[y] = rows[y];
        this.rows.children[y].replaceChildren(...this.runs(rows[y]));
      }
    }
    this.drawCursor(cursor);
  }

  /** Return the elements of a row. */
  runs(number) {
    const nodes = [];
    let column = 0;
    for (const [start, width, text, style] of this.recording.rows[number]) {
      if (start > column) nodes.push(this.cells(" ".repeat(start - column), start - column, null));
      const glyphs = typeof text === "string" ? Array.from(text) : text;
      column = start + glyphs.length * width;
      nodes.push(...this.pieces(glyphs, width, style));
    }
    if (!nodes.length) nodes.push(element("br"));
    return nodes;
  }

  /** Yield the elements of a run. Glyphs that may come from another font get cells of their own. */
  *pieces(glyphs, width, style) {
    for (let index = 0; index < glyphs.length; ) {
      const glyph = glyphs[index];
      let end = index + 1;
      const shapes = this.recording.shapes[glyph];
      if (shapes) {
        while (Screen.STRETCHED.test(glyph) && glyphs[end] === glyph) end++;
        const cells = this.cells(glyph.repeat(end - index), end - index, style);
        cells.classList.add("drawn");
        cells.append(...shapes.map((shape) => this.shape(shape)));
        yield cells;
      } else if (width > 1 || glyph > Screen.LAST_COMMON) {
        yield this.cells(glyph, width, style);
      } else {
        while (end < glyphs.length && glyphs[end] <= Screen.LAST_COMMON) end++;
        yield this.cells(glyphs.slice(index, end).join(""), end - index, style);
      }
      index = end;
    }
  }

  cells(text, columns, style) {
    const node = element("span", "", text);
    if (style !== null) node.style.cssText = this.styles[style] ??= cssOf(this.recording.styles[style]);
    node.style.setProperty("--n", columns);
    return node;
  }

  /** Return the element of a shape (see phux_client.pictures.boxes). */
  shape([kind, x1, y1, x2, y2]) {
    const node = element("i", kind.split(" ")[0]);
    const percent = (value) => `${100 * value}%`;
    if (kind.startsWith("fill")) {
      node.style.inset = `${percent(y1)} ${percent(1 - x1 - x2)} ${percent(1 - y1 - y2)} ${percent(x1)}`;
      node.style.opacity = kind.split(" ")[1];
    } else if (kind === "arc") {
      const [down, right] = [Math.max(y1, y2) === 1, Math.max(x1, x2) === 1];
      node.classList.add(down ? "down" : "up", right ? "right" : "left");
    } else {
      node.style.left = `calc(${percent(Math.min(x1, x2))} - var(--w) / 2)`;
      node.style.top = `calc(${percent(Math.min(y1, y2))} - var(--w) / 2)`;
      node.style.width = `calc(${percent(Math.abs(x2 - x1))} + var(--w))`;
      node.style.height = `calc(${percent(Math.abs(y2 - y1))} + var(--w))`;
    }
    return node;
  }

  drawCursor(cursor) {
    this.cursor.hidden = cursor === null;
    if (cursor === null) return;
    const [glyph, width, x] = this.glyphAt(this.drawn[cursor.y], cursor.x);
    this.cursor.className = cursor.shape;
    this.cursor.textContent = cursor.shape === "block" ? glyph : "";
    this.cursor.style.setProperty("--x", x);
    this.cursor.style.setProperty("--y", cursor.y);
    this.cursor.style.setProperty("--n", width);
  }

  /** Return the glyph in a cell, with its width and its column. */
  glyphAt(row, x) {
    for (const [start, width, text] of this.recording.rows[row] ?? []) {
      const glyphs = typeof text === "string" ? Array.from(text) : text;
      const index = Math.floor((x - start) / width);
      if (index >= 0 && index < glyphs.length) return [glyphs[index], width, start + index * width];
    }
    return [" ", 1, x];
  }

  /** Choose the largest font with which the screen fits. */
  fit() {
    const figure = this.root.parentElement;
    const place = figure.parentElement.getBoundingClientRect();
    const room = { width: place.width - Screen.MARGIN.x, height: place.height - Screen.MARGIN.y };
    const rows = this.drawn.length;
    const [least, most] = Screen.FONT_SIZES;
    const perPixel = this.measure(100) / 100;
    let size = most;
    while (size > least && (size * perPixel * this.cols > room.width || Screen.heightOf(size) * rows > room.height)) {
      size -= 0.5;
    }
    // Browsers place elements in units of 1/64 pixel, so that rounding errors of wider cells do not add up.
    this.cell = { width: Math.ceil(this.measure(size) * 64) / 64, height: Screen.heightOf(size) };
    figure.style.setProperty("--font-size", `${size}px`);
    figure.style.setProperty("--cell-width", `${this.cell.width}px`);
    figure.style.setProperty("--cell-height", `${this.cell.height}px`);
    figure.style.setProperty("--cols", this.cols);
    figure.style.setProperty("--rows", rows);
    figure.style.setProperty("--light", `${Math.max(1, Math.round(size / 13))}px`);
  }

  static heightOf(size) {
    return Math.round(size * 1.2);
  }

  /** Return the width of a character in a font size. */
  measure(size) {
    const probe = element("span", "probe", "0".repeat(100));
    probe.style.fontSize = `${size}px`;
    document.body.append(probe);
    const { width } = probe.getBoundingClientRect();
    probe.remove();
    return width / 100;
  }
}

/** Highlight the occurrences of a pattern in elements, without changing them. */
function highlight(pattern, nodes) {
  if (!globalThis.Highlight) return;
  const ranges = [];
  for (const node of pattern ? nodes : []) {
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
    const pieces = [];
    let text = "";
    for (let piece = walker.nextNode(); piece; piece = walker.nextNode()) {
      pieces.push([text.length, piece]);
      text += piece.data;
    }
    const place = (offset) => pieces[countUntil(pieces, offset, (item) => item[0]) - 1];
    pattern.lastIndex = 0;
    for (const match of text.matchAll(pattern)) {
      if (!match[0]) break;
      const [from, first] = place(match.index);
      const [to, last] = place(match.index + match[0].length - 1);
      const range = new Range();
      range.setStart(first, match.index - from);
      range.setEnd(last, match.index + match[0].length - to);
      ranges.push(range);
    }
  }
  CSS.highlights.set("match", new Highlight(...ranges));
}
