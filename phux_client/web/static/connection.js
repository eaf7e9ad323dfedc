// The WebSocket to phux web: requests with replies, and reconnection.

const FIRST_PAUSE_MS = 300;
const LONGEST_PAUSE_MS = 5000;
export const WRONG_TOKEN = 4401;

export class Connection {
  // on: handlers by the first key of a message (hello, server, panes, frame, bell), and `closed(code)`.
  constructor(on) {
    this.on = on;
    this.token = "";
    this.socket = null;
    this.pauseMs = FIRST_PAUSE_MS;
    this.next = 1;
    this.waiting = new Map();
    this.timer = 0;
  }

  open(token) {
    this.token = token;
    clearTimeout(this.timer);
    this.socket?.close();
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/live`);
    this.socket = socket;
    socket.onopen = () => socket.send(JSON.stringify({ token }));
    socket.onmessage = (event) => this.take(JSON.parse(event.data));
    socket.onclose = (event) => {
      if (socket === this.socket) this.closed(event.code);
    };
  }

  get isOpen() {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  send(message) {
    if (this.isOpen) this.socket.send(JSON.stringify(message));
  }

  // Send a request; the promise is rejected with an Error if it fails or the connection ends.
  ask(what, params = {}) {
    return new Promise((resolve, reject) => {
      if (!this.isOpen) {
        reject(new Error("not connected"));
        return;
      }
      const ask = this.next++;
      this.waiting.set(ask, { resolve, reject });
      this.send({ ...params, ask, do: what });
    });
  }

  take(message) {
    if ("reply" in message) {
      const waiter = this.waiting.get(message.reply);
      this.waiting.delete(message.reply);
      if (message.error) waiter?.reject(new Error([message.error.message, message.error.remedy].filter(Boolean).join(". ")));
      else waiter?.resolve(message.ok);
      return;
    }
    if (message.hello) this.pauseMs = FIRST_PAUSE_MS;
    for (const name of ["hello", "server", "panes", "frame", "bell"]) {
      if (name in message) {
        this.on[name](message);
        return;
      }
    }
  }

  closed(code) {
    for (const { reject } of this.waiting.values()) reject(new Error("the connection was lost"));
    this.waiting.clear();
    this.on.closed(code);
    if (code === WRONG_TOKEN) return;
    this.timer = setTimeout(() => this.open(this.token), this.pauseMs);
    this.pauseMs = Math.min(this.pauseMs * 2, LONGEST_PAUSE_MS);
  }
}
