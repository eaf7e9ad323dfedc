// Search in all lines that were shown, and in those that scrolled past between two frames.

class TextIndex {
  static MOST = 500;

  constructor({ blocks, text }) {
    this.text = text;
    this.blocks = []; // the first line, the frame, and whether the lines are on its screen
    let line = 0;
    for (const [frame, passed, shown] of blocks) {
      if (passed) this.blocks.push({ line, frame, shown: false });
      if (shown) this.blocks.push({ line: line + passed, frame, shown: true });
      line += passed + shown;
    }
    this.starts = new Uint32Array(line + 1);
    for (let number = 1, place = 0; number <= line; number++) {
      place = text.indexOf("\n", place) + 1 || text.length + 1;
      this.starts[number] = place;
    }
  }

  get count() {
    return this.starts.length - 1;
  }

  line(number) {
    return this.text.slice(this.starts[number], this.starts[number + 1] - 1);
  }

  /** Return the first lines that match, and whether there are more. */
  find(pattern) {
    const lines = [];
    pattern.lastIndex = 0;
    for (let match = pattern.exec(this.text); match; match = pattern.exec(this.text)) {
      const number = countUntil(this.starts, match.index, (start) => start) - 1;
      if (lines.length === TextIndex.MOST) return { lines, more: true };
      const block = this.blocks[countUntil(this.blocks, number, (item) => item.line) - 1];
      lines.push({ number, frame: block.frame, shown: block.shown, text: this.line(number) });
      pattern.lastIndex = this.starts[number + 1];
    }
    return { lines, more: false };
  }
}

/** Return the pattern of a query: plain text, in any case unless it has an upper-case letter. */
function patternOf(query) {
  if (!query) return null;
  return new RegExp(query.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"), /\p{Lu}/u.test(query) ? "g" : "gi");
}

/** Append a text to a node, with the first match marked and near the beginning. */
function appendMarked(node, text, pattern) {
  pattern.lastIndex = 0;
  const match = pattern.exec(text);
  if (!match) {
    node.append(text);
    return;
  }
  const from = Math.max(0, match.index - 12);
  node.append((from ? "…" : "") + text.slice(from, match.index).trimStart());
  node.append(element("mark", "", match[0]), text.slice(match.index + match[0].length).slice(0, 200));
}
