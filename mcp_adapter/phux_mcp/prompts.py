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
        "Run a command, and fix the reported errors until it succeeds.",
        {
            "command": ("The command, such as `make test`.", True),
            "target": ("The pane; a new session if omitted.", False),
        },
        """\
Make `{command}` succeed in the phux pane `{target}` (if that is `new`, create a session for it with phux_new).

1. Run it with phux_run. If exit_code is 0, report success and stop.
2. Otherwise find the first real error in the output. If the output was cut, search it with `grep` of phux_run or with
   phux_search before you guess.
3. Fix the cause, not the symptom, and run the command again in the same pane. After five attempts, stop and report.

If there is an outcome, follow the hint: wait for a command that is running, and answer one that awaits input. Let the
person type secrets.
""",
    ),
    "drive-a-TUI": _Prompt(
        "Drive a TUI",
        "Control a full-screen or interactive program with keys, checking the effect of each step.",
        {
            "program": ("The program to start, such as `vim notes.txt`.", True),
            "goal": ("The goal to reach in the program.", True),
        },
        """\
Start `{program}` in a phux session of its own (phux_new, then phux_act with the command and Enter). The goal:
{goal}

- Use phux_act for every step: it types keys, waits for the text you expect, and returns the rows that changed.
- If only color shows what is selected, request highlights.
- Send keys by name (Escape, C-x, Down) and text as it is. Take one step at a time: check the screen before you type
  more.
- At the end, quit the program properly, and check with phux_wait that the state is prompt again.
""",
    ),
    "watch-a-server": _Prompt(
        "Watch a server",
        "Start a long-running program, wait until it is ready, and notice failures.",
        {
            "command": ("The command to start, such as `npm run dev`.", True),
            "ready": ("A text that the command prints when it is ready.", False),
        },
        """\
Start `{command}` in a phux session of its own and monitor it.

1. Use phux_new, then phux_run with `detach`.
2. Wait with phux_wait until `{ready}` appears (if that is `anything`, until nothing is written any more). Set `stop` to
   a pattern for errors, so that a failure ends the wait.
3. Later, read only new output with phux_logs and `since`, and search for errors with phux_search. phux_watch reports
   when the program ends.

Stop the program with phux_signal when the work is done, unless it should keep running.
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


def arguments(name: object) -> list[str]:
    """Return the names of a prompt's arguments."""
    return list(_find(name).arguments)


def get(name: object, given: object) -> dict[str, Any]:
    """Return a prompt with its arguments filled in."""
    prompt = _find(name)
    if not isinstance(given, dict) or not all(isinstance(value, str) for value in given.values()):
        raise RpcError(INVALID_PARAMS, "the `arguments` of a prompt must be an object of strings")
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


def _find(name: object) -> _Prompt:
    prompt = _PROMPTS.get(name) if isinstance(name, str) else None
    if prompt is None:
        raise RpcError(INVALID_PARAMS, f"there is no prompt {name!r:.80}; the prompts are {', '.join(_PROMPTS)}")
    return prompt
