// The style of a run: the parameters of an SGR sequence, beginning from the default style, as CSS.

const UNDERLINES = { 1: "solid", 2: "double", 3: "wavy", 4: "dotted", 5: "dashed" };
const MOST = 4096;
const known = new Map();

function palette(index) {
  if (index < 16) return `var(--c${index})`;
  if (index >= 232) {
    const gray = 8 + (index - 232) * 10;
    return `rgb(${gray} ${gray} ${gray})`;
  }
  const level = (n) => (n ? 55 + n * 40 : 0);
  const cube = index - 16;
  return `rgb(${level(Math.floor(cube / 36))} ${level(Math.floor(cube / 6) % 6)} ${level(cube % 6)})`;
}

// Read an extended color (38, 48, 58) at a position; return it and how many parameters it took.
function extended(numbers, at) {
  const byte = (n) => Math.min(255, Math.max(0, numbers[n] | 0));
  if (numbers[at + 1] === 5) return [palette(byte(at + 2)), 3];
  if (numbers[at + 1] === 2) return [`rgb(${byte(at + 2)} ${byte(at + 3)} ${byte(at + 4)})`, 5];
  return [null, 1];
}

function parse(parameters) {
  const style = { flags: new Set(), fg: null, bg: null, line: null, lineColor: null };
  const parts = parameters.split(";");
  const numbers = parts.map((part) => parseInt(part, 10));
  for (let at = 0; at < parts.length; at++) {
    const n = numbers[at];
    if (n === 4) style.line = UNDERLINES[parseInt(parts[at].split(":")[1] ?? "1", 10)] ?? "solid";
    else if ((n >= 1 && n <= 9) || n === 53) style.flags.add(n);
    else if (n >= 30 && n <= 37) style.fg = palette(n - 30);
    else if (n >= 90 && n <= 97) style.fg = palette(n - 82);
    else if (n >= 40 && n <= 47) style.bg = palette(n - 40);
    else if (n >= 100 && n <= 107) style.bg = palette(n - 92);
    else if (n === 58 && parts[at].includes(":")) {
      // 58:5:n or 58:2::r:g:b
      const [, kind, ...rest] = parts[at].split(":");
      style.lineColor = extended([n, Number(kind), ...rest.slice(-3).map(Number)], 0)[0];
    } else if (n === 38 || n === 48 || n === 58) {
      const [color, took] = extended(numbers, at);
      style[{ 38: "fg", 48: "bg", 58: "lineColor" }[n]] = color;
      at += took - 1;
    }
  }
  return style;
}

function toCss({ flags, fg, bg, line, lineColor }) {
  let [text, back] = [fg ?? "var(--fg)", bg];
  if (flags.has(7)) [text, back] = [bg ?? "var(--bg)", fg ?? "var(--fg)"];
  if (flags.has(2)) text = `color-mix(in srgb, ${text} 60%, ${back ?? "var(--bg)"})`;
  if (flags.has(8)) text = "transparent";
  const lines = [line && "underline", flags.has(9) && "line-through", flags.has(53) && "overline"].filter(Boolean);
  return [
    `color:${text}`,
    back && `background:${back}`,
    flags.has(1) && "font-weight:bold",
    flags.has(3) && "font-style:italic",
    lines.length && `text-decoration:${lines.join(" ")} ${line ?? "solid"} ${lineColor ?? ""}`,
  ].filter(Boolean).join(";");
}

export function cssOf(parameters) {
  let css = known.get(parameters);
  if (css === undefined) {
    if (known.size >= MOST) known.clear();
    css = toCss(parse(parameters));
    known.set(parameters, css);
  }
  return css;
}
