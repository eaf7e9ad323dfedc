// The recording: frames, commands and states, by time in milliseconds from the start.

/** Return the text of an embedded block. */
async function unpack(id) {
  const encoded = atob(document.getElementById(id).textContent);
  const bytes = new Uint8Array(encoded.length);
  for (let index = 0; index < encoded.length; index++) bytes[index] = encoded.charCodeAt(index);
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(plain).text();
}

/** Return how many items at the start of a sorted list have a key of at most a limit. */
function countUntil(list, limit, key) {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (key(list[middle]) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

class Recording {
  static KEYFRAME = 128;
  static FRAME = 50; // frames are usually 33 ms apart

  constructor(data) {
    Object.assign(this, data); // about, styles, rows, frames, commands, states, titles, directories, shapes
    this.keyframes = [];
    this.shown = [];
    let cols = 0;
    for (let index = 0; index < this.frames.length; index++) {
      cols = this.apply(index) ?? cols;
      if (index % Recording.KEYFRAME === 0) this.keyframes.push({ cols, shown: this.shown.slice() });
    }
    this.index = -1;
  }

  /** Apply the changes of a frame to the rows shown before it; return the number of columns if the size changed. */
  apply(index) {
    const [, , , changes, size] = this.frames[index];
    if (size) this.shown = new Array(size[1]).fill(0);
    for (const [first, ...numbers] of changes) {
      for (let offset = 0; offset < numbers.length; offset++) this.shown[first + offset] = numbers[offset];
    }
    return size?.[0];
  }

  /** Return the index of the frame that is shown at a time. */
  frameAt(time) {
    return Math.max(0, countUntil(this.frames, time, (frame) => frame[0]) - 1);
  }

  /** Return the screen of a frame: the numbers of its rows, its columns and its cursor. */
  screen(index) {
    if (this.index > index || index - this.index > Recording.KEYFRAME) {
      const number = Math.floor(index / Recording.KEYFRAME);
      this.shown = this.keyframes[number].shown.slice();
      this.cols = this.keyframes[number].cols;
      this.index = number * Recording.KEYFRAME;
    }
    while (this.index < index) this.cols = this.apply(++this.index) ?? this.cols;
    const [x, y, visible, shape] = this.frames[index][2];
    return { rows: this.shown, cols: this.cols, cursor: visible ? { x, y, shape } : null };
  }

  /** Return the value of a track, a list of [time, value], at a time. */
  valueAt(track, time) {
    return track[countUntil(track, time, (item) => item[0]) - 1]?.[1] ?? null;
  }

  /** Return the index of the last command that started until a time; -1 if there is none. */
  commandAt(time) {
    return countUntil(this.commands, time, (command) => command.start) - 1;
  }

  /** Return the time at which to open: when the last failed command ended, or else the end. */
  get opening() {
    const failed = this.commands.findLast((command) => command.exit);
    return failed ? this.shownAt(failed.end) : this.about.duration;
  }

  /** Return when the screen of a time is shown: by the frame after it, unless that is of something later. */
  shownAt(time) {
    const next = this.frames[countUntil(this.frames, time, (frame) => frame[0])];
    return next && next[0] - time <= Recording.FRAME ? next[0] : time;
  }

  /** Return the times at which something happens, in order. */
  get moments() {
    const times = [...this.frames, ...this.states].map((item) => item[0]);
    for (const command of this.commands) times.push(command.start, command.end ?? command.start);
    return times.sort((one, other) => one - other);
  }
}

/** The axis of the timeline: time as it is played, without pauses longer than a limit. */
class Axis {
  constructor(moments, duration, mostIdle) {
    this.cuts = []; // [start and end of the pause that is left out, time left out before it]
    let before = 0;
    let last = 0;
    for (const time of [...moments, duration]) {
      if (time - last > mostIdle) {
        this.cuts.push([last + mostIdle, time, before]);
        before += time - last - mostIdle;
      }
      last = Math.max(last, time);
    }
    this.length = Math.max(1, duration - before);
  }

  /** Return the played time of a time of the recording. */
  played(time) {
    const cut = this.cuts[countUntil(this.cuts, time, (item) => item[0]) - 1];
    return cut ? time - cut[2] - Math.min(time - cut[0], cut[1] - cut[0]) : time;
  }

  /** Return the time of the recording of a played time. */
  real(played) {
    const cut = this.cuts[countUntil(this.cuts, played, (item) => item[0] - item[2]) - 1];
    return cut ? played + cut[2] + cut[1] - cut[0] : played;
  }
}
