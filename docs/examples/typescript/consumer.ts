// Run a command, read the tree, and follow the events of a pane, with types that are generated from phux's schemas.
import { execFileSync, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Event } from "./types/event.v1";
import type { RunResult } from "./types/run-result.v1";
import type { Tree } from "./types/tree.v1";

function phux<T>(...words: string[]): T {
  return JSON.parse(execFileSync("phux", [...words, "--json"], { encoding: "utf8" })) as T;
}

async function* watch(session: string): AsyncGenerator<Event> {
  const child = spawn("phux", ["watch", session, "--json"], { stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: child.stdout })) yield JSON.parse(line) as Event;
}

function describe(event: Event): string | undefined {
  switch (event.event) { // in each case, the compiler knows the fields of the event
    case "command_finished":
      return `${event.command ?? "a command"}: exit ${event.exit_code ?? "unknown"}`;
    case "cwd_changed":
      return `now in ${event.cwd}`;
    case "pane_closed":
      return `closed: exit ${event.exit_status ?? event.signal ?? "unknown"}`;
  }
}

async function main(session: string): Promise<void> {
  const result = phux<RunResult>("run", session, "echo hello");
  console.log(result.output, result.exit_code);
  const panes = phux<Tree>("tree").sessions.flatMap((each) => each.windows.flatMap((window) => window.panes));
  console.log(panes.filter((pane) => pane.state === "prompt").length, "pane is at its prompt");
  for await (const event of watch(session)) { // until the program in the pane ends
    const text = describe(event);
    if (text !== undefined) console.log(text);
  }
}

void main(process.argv[2] ?? "=");
