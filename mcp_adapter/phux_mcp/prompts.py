"""Prompts: workflows that a person can choose in a host."""

from __future__ import annotations

from typing import Any, NamedTuple

from phux_mcp.jsonrpc import INVALID_PARAMS, RpcError


class _Prompt(NamedTuple):
    title: str
    description: str
    arguments: dict[str, tuple[str, bool]]  # the description of each, and whether it is required
    text: str


_PROMPTS = {
    "run-and-fix": _Prompt(
        "Run and fix",
        "Run a command until it succeeds, mending what it complains about.",
        {
            "command": ("The command, such as `make test`.", True),
            "target": ("Which pane; a new session if omitted.", False),
        },
        """\
Make `{command}` succeed, in the phux pane `{target}` (if that is `new`, make a session for it with phux_new).

1. Run it with phux_run. If exit_code is 0, say so and stop.
2. Else find the first real error in the output. If something was left out, look for it with `grep` of phux_run, or with
   phux_search, before you guess.
3. Mend the cause, not the symptom, and run it again in the same pane. Stop after five rounds and report.

If the outcome is timed_out, look at `state`: answer a program that awaits input, and leave secrets to the person.
""",
    ),
    "drive-a-TUI": _Prompt(
        "Drive a TUI",
        "Work a full-screen or interactive program by keys, looking at what each step changed.",
        {
            "program": ("What to start, such as `vim notes.txt`.", True),
            "goal": ("What is to be reached in it.", True),
        },
        """\
Start `{program}` in a phux session of its own (phux_new, then phux_act with the command and Enter), and reach this:
{goal}

- Take every step with phux_act: keys, then a wait for what must appear, then the rows that changed.
- Where colour is the only sign of a selection, ask for cells.
- Send keys by name (Escape, C-x, Down), text as it is. One step at a time; do not type ahead of what you have seen.
- At the end leave the program properly, and see with phux_wait that the state is prompt again.
""",
    ),
    "watch-a-server": _Prompt(
        "Watch a server",
        "Start something that keeps running, see it come up, and find out when it goes wrong.",
        {
            "command": ("What to start, such as `npm run dev`.", True),
            "ready": ("A text that says it is up.", False),
        },
        """\
Start `{command}` in a phux session of its own and keep an eye on it.

1. phux_new, then phux_run with `detach`.
2. Wait with phux_wait until `{ready}` appears (if that is `anything`, until it comes to rest). Use `stop` with a
   pattern of errors, so that a failure ends the wait.
3. Later, read only what is new with phux_logs and `since`, and look for trouble with phux_search. phux_watch tells when
   it ends.

Stop it with phux_signal when the work is done, unless it is to stay.
""",
    ),
}
_DEFAULTS = {"target": "new", "ready": "anything"}


def listing() -> list[dict[str, Any]]:
    """Return the result of ``prompts/list``."""
    return [
        {
            "name": name,
            "title": prompt.title,
            "description": prompt.description,
            "arguments": [
                {"name": argument, "description": note, "required": required}
                for argument, (note, required) in prompt.arguments.items()
            ],
        }
        for name, prompt in _PROMPTS.items()
    ]


def get(name: object, given: object) -> dict[str, Any]:
    """Return a prompt with its arguments filled in.

    Raises:
        RpcError: There is no such prompt, or an argument is missing or unknown.
    """
    prompt = _PROMPTS.get(name) if isinstance(name, str) else None
    if prompt is None:
        raise RpcError(INVALID_PARAMS, f"there is no prompt {name!r:.80}; there are {', '.join(_PROMPTS)}")
    if not isinstance(given, dict) or not all(isinstance(value, str) for value in given.values()):
        raise RpcError(INVALID_PARAMS, "`arguments` of a prompt are an object of strings")
    unknown = [argument for argument in given if argument not in prompt.arguments]
    missing = [argument for argument, (_note, needed) in prompt.arguments.items() if needed and not given.get(argument)]
    if unknown or missing:
        problem = f"has no argument {unknown[0]!r:.80}" if unknown else f"needs the argument `{missing[0]}`"
        raise RpcError(INVALID_PARAMS, f"the prompt {name} {problem}; it takes {', '.join(prompt.arguments)}")
    filled = {argument: given.get(argument) or _DEFAULTS.get(argument, "") for argument in prompt.arguments}
    text = prompt.text.format(**filled)
    return {
        "description": prompt.description,
        "messages": [{"role": "user", "content": {"type": "text", "text": text}}],
    }
