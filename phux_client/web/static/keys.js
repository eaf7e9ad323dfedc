// Keyboard events as phux's key names (as in send-keys); the server encodes them for the program's modes.

const NAMES = {
  Enter: "Enter", Tab: "Tab", Escape: "Escape", Backspace: "BSpace", Insert: "Insert", Delete: "Delete",
  ArrowUp: "Up", ArrowDown: "Down", ArrowLeft: "Left", ArrowRight: "Right",
  Home: "Home", End: "End", PageUp: "PageUp", PageDown: "PageDown",
};
const KEYPAD = {
  NumpadDecimal: "KP.", NumpadDivide: "KP/", NumpadMultiply: "KP*", NumpadSubtract: "KP-", NumpadAdd: "KP+",
  NumpadEnter: "KPEnter",
};

function nameOf(event) {
  if (/^F([1-9]|1[0-2])$/.test(event.key)) return event.key;
  if (event.code in KEYPAD) return KEYPAD[event.code];
  if (/^Numpad[0-9]$/.test(event.code) && /^[0-9]$/.test(event.key)) return `KP${event.key}`;
  return NAMES[event.key] ?? null;
}

// Return the input item of a key press, or null if the browser is to handle it: text, composition, its own shortcuts.
export function itemOf(event) {
  if (event.isComposing || event.keyCode === 229 || event.metaKey) return null;
  const isText = [...event.key].length === 1;
  const altGraph = event.getModifierState("AltGraph");
  const name = nameOf(event);
  if (name) {
    if (name === "Tab" && event.shiftKey && !event.ctrlKey && !event.altKey) return { key: "BTab" };
    return { key: modifiers(event, event.shiftKey) + name };
  }
  if (!isText || altGraph || !(event.ctrlKey || event.altKey)) return null;
  // On a Mac, Option composes characters.
  if (!event.ctrlKey && !/^[\x20-\x7e]$/.test(event.key)) return null;
  if (event.key === " ") return { key: `${modifiers(event, event.shiftKey)}Space` };
  const letter = event.ctrlKey ? event.key.toLowerCase() : event.key;
  return { key: modifiers(event, event.ctrlKey && event.shiftKey && letter !== event.key) + letter };
}

function modifiers(event, shift) {
  return (event.ctrlKey ? "C-" : "") + (event.altKey ? "M-" : "") + (shift ? "S-" : "");
}

const BUTTONS = ["left", "middle", "right"];

export function mouseItem(kind, button, cell, event) {
  const mouse = { kind, ...cell };
  if (button) mouse.button = button;
  for (const [name, held] of [["ctrl", event.ctrlKey], ["alt", event.altKey], ["shift", event.shiftKey]]) {
    if (held) mouse[name] = true;
  }
  return { mouse };
}

export function buttonOf(event) {
  return BUTTONS[event.button] ?? null;
}
