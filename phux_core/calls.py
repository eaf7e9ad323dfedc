"""The registry of calls: what can be asked of the server, with which parameters, and what comes back.

The server's dispatch checks every request against it, docs/wire.md prints it, and the client learns from it
which calls are safe to repeat, so that each of these facts stands once. Import-light: it is on the CLI's path.
"""

from phux_core.errors import BadRequestError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class Param:
    """One parameter of a call.

    Attributes:
        name: Its key in ``params``.
        kind: A key of ``KINDS``.
        doc: What it means.
        required: Whether it must be there; one that is not required may also be null.
    """

    __slots__ = ("doc", "kind", "name", "required")

    def __init__(self, name: str, kind: str, doc: str, *, required: bool = False) -> None:
        self.name = name
        self.kind = kind
        self.doc = doc
        self.required = required


class Call:
    """One thing that can be asked.

    Attributes:
        name: What stands in the request's ``call``.
        doc: What it does.
        params: Its parameters.
        result: What the reply's ``ok`` holds.
        repeatable: Whether asking again after a lost reply does no harm.
    """

    __slots__ = ("doc", "name", "params", "repeatable", "result")

    def __init__(
        self, name: str, doc: str, params: tuple[Param, ...], result: str, *, repeatable: bool = False
    ) -> None:
        self.name = name
        self.doc = doc
        self.params = params
        self.result = result
        self.repeatable = repeatable


def _is_integer(value: object) -> bool:
    # bool is an int to Python, but `true` is no number to anybody else.
    return isinstance(value, int) and not isinstance(value, bool)


def _is_id(value: object) -> bool:
    return _is_integer(value) and 0 <= value < 2**32  # type: ignore[operator]


def _is_count(value: object) -> bool:
    return _is_integer(value) and 0 <= value < 2**53  # type: ignore[operator]


def _is_text(value: object) -> bool:
    """A string that has bytes: a surrogate may stand for a byte that is not UTF-8, and for nothing else."""
    if not isinstance(value, str):
        return False
    try:
        value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True


def _is_string(value: object) -> bool:
    return _is_text(value) and "\0" not in value  # type: ignore[operator]


def _is_command(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(_is_string(word) for word in value) and bool(value[0])


def _is_environment(value: object) -> bool:
    return isinstance(value, dict) and all(
        name and "=" not in name and _is_string(name) and _is_string(text) for name, text in value.items()
    )


def _is_input(value: object) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(
            isinstance(item, dict)
            and len(item) == 1
            and next(iter(item)) in {"key", "text", "line", "paste"}
            and _is_text(next(iter(item.values())))
            for item in value
        )
    )


SIGNALS = ("INT", "TERM", "HUP", "KILL", "QUIT", "TSTP", "CONT", "USR1", "USR2")
"""Signals that can be sent."""

KINDS: "Mapping[str, tuple[str, Callable[[object], bool]]]" = {
    "id": ("a number from 0 to 4294967295", _is_id),
    "integer": ("a whole number", _is_integer),
    "count": ("a whole number, not negative", _is_count),
    "string": ("a string of text or bytes (as surrogates), without NUL", _is_string),
    "boolean": ("true or false", lambda value: isinstance(value, bool)),
    "command": ("a list of strings, the first not empty, none with a NUL", _is_command),
    "environment": (
        "an object of strings; no name is empty or has a `=`, nothing has a NUL",
        _is_environment,
    ),
    "scope": ('"session", "window" or "pane"', lambda value: value in ("session", "window", "pane")),
    "mode": (
        '"rendered", "stripped" or "raw"',
        lambda value: value in ("rendered", "stripped", "raw"),
    ),
    "signal": (
        "one of " + ", ".join(SIGNALS),
        lambda value: value in SIGNALS,
    ),
    "input": ('a list of objects {"key": NAME}, {"text": TEXT}, {"line": TEXT} or {"paste": TEXT}', _is_input),
}
"""What each kind of parameter takes: words for people, and the check."""

_PANE = Param("pane", "id", "the pane's id", required=True)
_BUDGET = (
    Param("grep", "string", "only lines that match this pattern (Python's re)"),
    Param("context", "count", "lines around each that matches, 0 when omitted, 1000 at the most"),
    Param("head", "count", "the first so many lines of what there is"),
    Param("tail", "count", "the last so many"),
    Param("max_bytes", "count", "how much text to give, 16777216 at the most"),
    Param("mode", "mode", "`rendered` as written when omitted; `stripped` of escape sequences; or `raw`"),
)
_ID = Param("id", "string", "the caller's name for this run, never used before", required=True)
_COMMAND = (
    Param("command", "string", "a shell line, or several"),
    Param("words", "command", "or program and arguments, to be seen by the shell exactly so"),
)
_QUEUE = Param("queue", "boolean", "whether to wait for the prompt while another program runs")

CALLS: "Mapping[str, Call]" = {
    call.name: call
    for call in (
        Call("status", "How the server is.", (), "a Status document", repeatable=True),
        Call("tree", "Every session, window and pane.", (), "a Tree document", repeatable=True),
        Call(
            "new_session",
            "Make a session with one window and one pane, and start a program in it. "
            "The reply comes when the program runs.",
            (
                Param("name", "string", "the session's name; the smallest free number when omitted"),
                Param("cwd", "string", "the working directory", required=True),
                Param("command", "command", "program and arguments; the shell when omitted"),
                Param("env", "environment", "the caller's environment; the server's own when omitted"),
                Param("extra_env", "environment", "variables set on top of it"),
                Param("cols", "integer", "columns, 80 when omitted"),
                Param("rows", "integer", "rows, 24 when omitted"),
                Param("shell", "string", "the shell to start when there is no `command`; the caller's when omitted"),
                Param("login", "boolean", "whether to start it as a login shell"),
                Param(
                    "log", "boolean", "whether to keep what its panes write on disk; as the config says when omitted"
                ),
            ),
            "`session`, `session_id`, `window_id`, `pane_id`",
        ),
        Call(
            "snapshot",
            "Read a pane's screen. Attaches nothing, resizes nothing.",
            (
                _PANE,
                Param("scrollback", "count", "rows of history to add: omitted none, 0 all, N the newest N"),
                Param("cells", "boolean", "whether to add the styled cells"),
            ),
            "a screen (below)",
            repeatable=True,
        ),
        Call(
            "input",
            "Type into a pane, as one piece with nothing in between. What cannot be typed whole is refused before a "
            "byte of it is written; if the program stops reading in the middle, the error says how much it took.",
            (_PANE, Param("items", "input", "what to type, in order", required=True)),
            "`bytes`, how many bytes were written",
        ),
        Call(
            "run",
            "Type a command at a pane's prompt, and wait for what the shell says of it. Asked again with the same id, "
            "it is the same run.",
            (
                _PANE,
                _ID,
                *_COMMAND,
                Param("timeout_ms", "count", "how long to wait; for ever when omitted"),
                _QUEUE,
                Param("interrupt", "boolean", "whether to send C-c when the time is over"),
                Param("max_bytes", "count", "how much output to tell, 1048576 when omitted, 16777216 at the most"),
                Param("raw", "boolean", "whether to keep escape sequences in the output"),
            ),
            "`outcome`: `finished` with a RunResult's keys, or `timed_out` with `started`, `ended`, `state`, "
            "`foreground` and `duration_ms`",
            repeatable=True,
        ),
        Call(
            "start",
            "Type a command at a pane's prompt, and leave it to itself. Asked again with the same id, it is the same.",
            (_PANE, _ID, *_COMMAND, _QUEUE),
            "`command`, its id in the ledger, and `seq`, where the stream stood before it was typed",
            repeatable=True,
        ),
        Call(
            "commands",
            "The ledger: what ran in a pane, or in all of them, oldest first; also of panes that are gone.",
            (
                Param("pane", "id", "only this pane's; every pane's of this server when omitted"),
                Param("id", "string", "only the command of this id"),
                Param("log", "string", "or those of a stored log, by its id"),
            ),
            "`commands`, a list (see Logs)",
            repeatable=True,
        ),
        Call(
            "logs",
            "Read what a pane wrote: the last 500 lines unless told otherwise. Also of panes that are gone, and of "
            "earlier servers.",
            (
                Param("pane", "id", "the pane's id; if there is none now, the newest log of such a pane"),
                Param("log", "string", "or the log's id, as `log_list` gives it"),
                Param("lines", "count", "the last so many lines"),
                Param("from_byte", "count", "or from this place in the stream on, at most `max_bytes` (65536) of it"),
                Param("since", "count", "nothing before this place"),
                *_BUDGET,
                Param("whole_lines", "boolean", "with `from_byte`: leave out a line that is not finished"),
            ),
            "a log text (see Logs)",
            repeatable=True,
        ),
        Call(
            "log_list",
            "Which logs are kept, newest server first.",
            (),
            "`logs`, a list (see Logs)",
            repeatable=True,
        ),
        Call(
            "output",
            "Read what a command wrote: the one of this id, or the pane's latest.",
            (
                Param("id", "string", "the command's id"),
                Param("pane", "id", "or the pane whose latest command is meant"),
                *_BUDGET,
            ),
            "a log text (see Logs), and `command`, the entry of the ledger",
            repeatable=True,
        ),
        Call(
            "search",
            "Look for a pattern in what all panes of this server wrote, escape sequences left out.",
            (
                Param("pattern", "string", "what for, as Python's re reads it", required=True),
                Param("session", "id", "only in this session's panes"),
                Param("context", "count", "lines around each match to tell, too; 1000 at the most"),
                Param("max_matches", "count", "how many to tell, 1000 when omitted, 100000 at the most"),
            ),
            "`matches`, a list of `pane`, `line`, `offset`, `text` (see Logs), and `truncated`",
            repeatable=True,
        ),
        Call(
            "signal",
            "Send a signal to the group of processes that has a pane's terminal.",
            (
                _PANE,
                Param("signal", "signal", "which, INT when omitted"),
                Param("shell", "boolean", "whether it may hit the shell itself"),
            ),
            "`signal`, `pgid`, `pid`, `command`, and `through`: `tty` if its key was typed, else `kill`",
        ),
        Call(
            "stop",
            "End what runs in a pane's shell: INT, then TERM, then KILL, until the prompt is back or the pane is dead.",
            (
                _PANE,
                Param("grace_ms", "count", "how long to wait after each, 2000 when omitted, 60000 at the most"),
            ),
            "`stopped`, whether anything ran; `signals`, those that were sent; `command` and `duration_ms`",
        ),
        Call(
            "history_limit",
            "Change how many rows of history a pane keeps, at once.",
            (_PANE, Param("rows", "count", "how many, up to 1000000", required=True)),
            "nothing",
            repeatable=True,
        ),
        Call(
            "resize",
            "Change the size of a pane's terminal, and tell its program.",
            (
                _PANE,
                Param("cols", "integer", "columns", required=True),
                Param("rows", "integer", "rows", required=True),
            ),
            "nothing",
            repeatable=True,
        ),
        Call(
            "rename",
            "Give a session or a window another name.",
            (
                Param("scope", "scope", "what the id is of: `session` or `window`", required=True),
                Param("id", "id", "which", required=True),
                Param("name", "string", "the name", required=True),
            ),
            "nothing",
        ),
        Call(
            "kill",
            "End programs and forget their panes.",
            (
                Param("scope", "scope", "what the id is of", required=True),
                Param("id", "id", "which session, window or pane", required=True),
            ),
            "`killed`, how many panes",
        ),
        Call("kill_server", "End every program and the server.", (), "nothing; the connection closes"),
        Call(
            "subscribe",
            "Have events pushed on this connection from now on; of a pane that has ended, its pane_closed once more.",
            (
                Param("pane", "id", "only this pane's events; every event when omitted"),
                Param("output", "boolean", "whether to push what the pane writes, as text; needs `pane`"),
                Param("since", "count", "where in the pane's stream the text begins, now when omitted; with `output`"),
                Param("output_only", "boolean", "whether to leave out prompts and what is typed; with `output`"),
                Param("screen", "boolean", "whether to push the screen with the text; with `output`"),
            ),
            "`subscription`, its number; with a pane also `seq`, `since`, `marks` and `command_end` (see Events)",
            repeatable=True,
        ),
        Call(
            "unsubscribe",
            "End a subscription.",
            (Param("subscription", "id", "its number", required=True),),
            "nothing",
            repeatable=True,
        ),
    )
}
"""Every call by its name."""


def check(name: object, params: object) -> "tuple[Call, dict[str, object]]":
    """Check a request against the registry.

    Returns:
        The call, and the parameters with every omitted one as None.

    Raises:
        BadRequestError: Something does not fit; the message says what, and what would.
    """
    call = CALLS.get(name) if isinstance(name, str) else None
    if call is None:
        raise BadRequestError(f"there is no call {name!r:.80}", remedy=f"the calls are: {', '.join(CALLS)}")
    given = {} if params is None else params
    if not isinstance(given, dict):
        raise BadRequestError(f"the params of {call.name} are not an object")
    checked: dict[str, object] = {}
    for param in call.params:
        value = given.get(param.name)
        if value is None:
            if param.required:
                raise BadRequestError(f"{call.name} needs the parameter `{param.name}`: {param.doc}")
        elif not KINDS[param.kind][1](value):
            raise BadRequestError(
                f"the parameter `{param.name}` of {call.name} is {value!r:.80}",
                remedy=f"send {KINDS[param.kind][0]}",
            )
        checked[param.name] = value
    unknown = [name for name in given if name not in checked]
    if unknown:
        known = ", ".join(checked) or "no parameters"
        raise BadRequestError(f"{call.name} has no parameter {unknown[0]!r:.80}", remedy=f"it takes {known}")
    return call, checked
