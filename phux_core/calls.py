"""The registry of calls: the requests a server handles, their parameters and their results.

The server compares its handlers with the registry at import and checks every request against it. docs/wire.md, the
CLI's help and the MCP tools print its descriptions, and clients look up which calls are safe to repeat.
Import-light: it is on the CLI's path.
"""

from phux_core import kinds
from phux_core.errors import BadRequestError
from phux_core.kinds import (
    BOOLEAN,
    COMMAND,
    COUNT,
    DIRECTION,
    ENVIRONMENT,
    ID,
    INPUT,
    INTEGER,
    MODE,
    PATH,
    POLICY,
    SCOPE,
    SIDE,
    SIGNAL,
    STRING,
    Kind,
    Param,
    whole,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_MOST_BYTES = 16 * 1024 * 1024
_MOST_RUN_ID = 64


class Call:
    """One request that the server handles.

    Attributes:
        name: The request's ``call``.
        doc: Its description.
        params: Its parameters by name.
        result: The content of the reply's ``ok``.
        repeatable: Whether it is safe to repeat after a lost reply.
        cancellable: Whether it can be cancelled before its reply.
        defaults: The default values of parameters that have one.
    """

    __slots__ = ("cancellable", "defaults", "doc", "name", "params", "repeatable", "result")

    def __init__(
        self,
        name: str,
        doc: str,
        *params: Param,
        result: str = "nothing",
        repeatable: bool = False,
        cancellable: bool = False,
    ) -> None:
        self.name = name
        self.doc = doc
        self.params = {param.name: param for param in params}
        self.result = result
        self.repeatable = repeatable
        self.cancellable = cancellable
        self.defaults = {param.name: param.default for param in params if param.default is not None}


def _is_run_id(value: object) -> bool:
    return STRING.fits(value) and len(value) <= _MOST_RUN_ID and value.isascii()  # type: ignore[arg-type, attr-defined]


def _flag(name: str, doc: str) -> Param:
    return Param(name, BOOLEAN, doc, default=False)


_PANE = Param("pane", ID, "the pane's id", required=True)
_SESSION = Param("session", ID, "the session's id", required=True)
_WINDOW = Param("window", ID, "the window's id", required=True)
_ATTACHMENT = Param("attachment", ID, "the attachment's number, as `attach` returned it", required=True)
_NAME = Param("name", STRING, "the window's name", omitted="the program's name")
_INDEX = Param("index", ID, "the window's index", omitted="the lowest free one")
_COLS = Param("cols", INTEGER, "columns")
_ROWS = Param("rows", INTEGER, "rows")
_SCOPE = Param("scope", SCOPE, "what the id names", required=True)
_ID = Param("id", ID, "the id of a session, window or pane", required=True)
_CONTEXT = Param("context", whole(0, 1000), "lines to add around each match", default=0)
_BUDGET = (
    Param("grep", STRING, "only lines that match this Python regex"),
    _CONTEXT,
    Param("head", COUNT, "only the first N lines"),
    Param("tail", COUNT, "only the last N lines"),
    Param("max_bytes", whole(0, _MOST_BYTES), "the most bytes to return", omitted="1048576"),
    Param("mode", MODE, "as a terminal shows it, stripped of escape sequences, or raw", default="rendered"),
)
_COMMAND = (
    Param(
        "id",
        Kind(f"a string of up to {_MOST_RUN_ID} ASCII characters", _is_run_id, STRING.schema),
        "the caller's name for this run, never used before",
        required=True,
    ),
    Param("command", STRING, "the shell command line"),
    Param("words", COMMAND, "instead of `command`: a program and its arguments, not interpreted by the shell"),
    _flag("queue", "wait for the prompt while another program runs"),
)
_PROGRAM = (
    Param("cwd", STRING, "the program's working directory", omitted="that of the pane it is made from"),
    Param("command", COMMAND, "the program and its arguments", omitted="a shell"),
    Param("env", ENVIRONMENT, "the caller's environment", omitted="the server's own"),
    Param("extra_env", ENVIRONMENT, "additional environment variables"),
)
_SELECT = _flag("select", "give it the focus")
_SHARE = (
    Param("cells", INTEGER, "columns or rows of the new pane"),
    Param("percent", INTEGER, "or its share of the target in percent, 1 to 99", omitted="half, if both are"),
)
_PLACE = "the place (below)"
_ACTIVE_PLACE = f"{_PLACE} of its active pane"

_CALLS = (
    Call("status", "Report the server's status.", result="a Status (schemas/status.v1.json)", repeatable=True),
    Call("tree", "List sessions, windows and panes.", result="a Tree (schemas/tree.v1.json)", repeatable=True),
    Call(
        "new_session",
        "Make a session with one pane, and start a program in it. The reply comes when the program runs.",
        Param("name", STRING, "the session's name", omitted="the smallest free number"),
        Param("window_name", STRING, "the window's name", omitted="the program's name"),
        _PROGRAM[0].but(required=True),
        *_PROGRAM[1:],
        _COLS.but(default=80),
        _ROWS.but(default=24),
        Param("shell", STRING, "the shell to start without a command", omitted="the config's, or the caller's SHELL"),
        _flag("login", "start the shell as a login shell"),
        Param("log", BOOLEAN, "keep what its panes write on disk", omitted="as the config says"),
        Param("history", BOOLEAN, "let its shells use the user's history file", omitted="not on a private server"),
        result=f"{_PLACE} of its pane",
    ),
    Call(
        "new_window",
        "Make a window with one pane in a session, and start a program in it. The reply comes when the program runs.",
        *(_SESSION, _NAME, _INDEX, *_PROGRAM, _SELECT),
        result=f"{_PLACE} of its pane",
    ),
    Call(
        "split",
        "Split a pane, and start a program in the new one. The reply comes when the program runs.",
        _PANE,
        Param("direction", DIRECTION, "the side of the new pane", required=True),
        *(*_SHARE, *_PROGRAM, _SELECT),
        result=f"{_PLACE} of the new pane",
    ),
    Call(
        "snapshot",
        "Read a pane's screen. Attaches nothing, resizes nothing.",
        _PANE,
        Param("scrollback", COUNT, "rows of history to add: the newest N, or 0 for all", omitted="none"),
        _flag("cells", "add the styled cells"),
        Param("since", COUNT, "a `seq`: only the rows that changed after it"),
        _flag("painted", "wait until the program has drawn its screen (below)"),
        result="a screen (below)",
        repeatable=True,
    ),
    Call(
        "input",
        "Type into a pane, as one piece with nothing in between. Input that cannot be typed whole is refused before a "
        "byte of it is written; if the program stops reading in the middle, the error says how much it took.",
        _PANE,
        Param("items", INPUT, "what to type, in order", required=True),
        result="`bytes`, how many bytes were written",
    ),
    Call(
        "run",
        "Run a command at a pane's prompt, and wait for its result. A request with the same id is the same run.",
        *(_PANE, *_COMMAND),
        Param(
            "timeout_ms",
            COUNT,
            "how long to wait; with 0 nothing is typed, and the reply reports on an earlier run",
            omitted="for ever",
        ),
        _flag("interrupt", "send C-c when the timeout expires"),
        Param("max_bytes", whole(0, _MOST_BYTES), "the most bytes of output to return", default=1024 * 1024),
        _flag("raw", "keep escape sequences in the output"),
        result="the outcome (see Running)",
        repeatable=True,
        cancellable=True,
    ),
    Call(
        "start",
        "Run a command at a pane's prompt without waiting for it. A request with the same id is the same run.",
        *(_PANE, *_COMMAND),
        result="`command`, its id in the ledger, and `seq`, the sequence number before it was typed",
        repeatable=True,
    ),
    Call(
        "commands",
        "Read the command ledger of a pane or of all panes, oldest first; also of panes that are gone.",
        Param("pane", ID, "only commands of this pane", omitted="those of all panes there are now"),
        Param("id", STRING, "only the command with this id, PANE.NUMBER or LOG.NUMBER"),
        Param("log", STRING, "only commands in the log with this id"),
        result="`commands`, a list of entries (see Logs)",
        repeatable=True,
        cancellable=True,
    ),
    Call(
        "logs",
        "Read what a pane wrote, by default the last 500 lines. Also of panes that are gone, and of earlier servers.",
        Param("pane", ID, "the pane's id; if it is gone, the newest log of a pane with that id"),
        Param("log", STRING, "instead of `pane`: the log's id, as `log_list` returns it"),
        Param("lines", COUNT, "the last N lines"),
        Param("from_byte", COUNT, "the byte to start at; `max_bytes` is 65536 then, unless given"),
        Param("since", COUNT, "a `seq`: only what was written from there on"),
        *_BUDGET,
        _flag("whole_lines", "leave out a last line that is not finished"),
        result="a log text (see Logs)",
        repeatable=True,
        cancellable=True,
    ),
    Call(
        "log_list",
        "List the logs that are kept, newest server first.",
        result="`logs`, a list of logs (see Logs)",
        repeatable=True,
        cancellable=True,
    ),
    Call(
        "output",
        "Read what a command wrote: the command with this id, or the pane's latest.",
        Param("id", STRING, "the command's id, PANE.NUMBER or LOG.NUMBER"),
        Param("pane", ID, "instead of `id`: the pane whose latest command to read"),
        *_BUDGET,
        result="a log text (see Logs), and in it `command`, the entry of the ledger",
        repeatable=True,
        cancellable=True,
    ),
    Call(
        "search",
        "Search the logs of all panes of this server, without their escape sequences.",
        Param("pattern", STRING, "the Python regex to search for", required=True),
        Param("session", ID, "only panes of this session"),
        _flag("everywhere", "also search logs of panes that are gone and of earlier servers"),
        _CONTEXT,
        Param("max_matches", whole(0, 100_000), "the most matches to return", default=1000),
        result="`matches`, a list (see Logs), and `truncated`, whether there are more",
        repeatable=True,
        cancellable=True,
    ),
    Call(
        "signal",
        "Send a signal to the foreground process group of a pane.",
        _PANE,
        Param("signal", SIGNAL, "the signal", default="INT"),
        _flag("shell", "allow a signal to the shell itself"),
        result="`signal`, its name; `pgid`, the group that got it; `pid` and `command`, number and name of its leader, "
        'or of another process in it; `through`: "tty" if its key was typed, else "kill"',
    ),
    Call(
        "stop",
        "End what runs in a pane's shell: INT, then TERM, then KILL, until the prompt is back or the pane is dead.",
        _PANE,
        Param("grace_ms", whole(0, 60_000), "how long to wait after each signal", default=2000),
        result="`stopped`, whether anything ran; `signals`, a list of those that were sent; `command`, the name of "
        "what ran, null if nothing did; `duration_ms`, how long it took",
    ),
    Call(
        "history_limit",
        "Change how many rows of history a pane keeps, at once.",
        _PANE,
        Param("rows", whole(0, 1_000_000), "rows of history to keep", required=True),
        repeatable=True,
    ),
    Call(
        "select",
        "Give a session, window or pane the focus, and with it what it is in. Another pane of that window is no longer "
        "zoomed.",
        *(_SCOPE, _ID),
        result=f"{_PLACE} of the pane that has the focus there",
        repeatable=True,
    ),
    Call(
        "resize",
        "Change the size of a pane. On an axis on which other panes are beside it, its dividers move; else its window "
        "changes its size.",
        *(_PANE, _COLS, _ROWS),
        result=_PLACE,
        repeatable=True,
    ),
    Call(
        "push_divider",
        "Move a pane's divider as far as it can go: the one after it on that axis, or if it is the last there, the one "
        "before it.",
        _PANE,
        Param("side", SIDE, "the direction to move it in", required=True),
        Param("by", COUNT, "the number of cells to move it by", required=True),
        result=_PLACE,
    ),
    Call(
        "resize_window",
        "Change the size of a window that does not follow attached clients, or which of them it follows.",
        *(_WINDOW, _COLS, _ROWS),
        Param("policy", POLICY, "whose size it has: a client's, its own (manual), or the server's default"),
        result=_ACTIVE_PLACE,
        repeatable=True,
    ),
    Call(
        "move_divider",
        "Move one divider of a window, as far as it can go.",
        _WINDOW,
        Param("path", PATH, "the way down its layout to the split", required=True),
        Param("by", INTEGER, "the number of cells to the right or down; negative for back", required=True),
        result=_ACTIVE_PLACE,
    ),
    Call(
        "zoom",
        "Give a pane its whole window, or end that. A pane that is alone in its window has it already.",
        _PANE,
        Param("on", BOOLEAN, "give it the whole window", omitted="toggles"),
        result=_PLACE,
    ),
    Call(
        "layout",
        "Arrange a window's panes by a preset.",
        _WINDOW,
        Param("name", STRING, "even-horizontal, even-vertical, main-vertical or tiled", required=True),
        result=_ACTIVE_PLACE,
        repeatable=True,
    ),
    Call(
        "move_pane",
        "Move a pane beside another, or into a window of its own.",
        _PANE,
        Param("target", ID, "the pane to move it beside"),
        Param("direction", DIRECTION, "its side of the target"),
        *_SHARE,
        Param("session", ID, "instead of `target`: the session in which it gets a window of its own"),
        _INDEX,
        result=_PLACE,
    ),
    Call(
        "move_window",
        "Move a window to another index or into another session.",
        *(_WINDOW, _SESSION, _INDEX),
        result=_ACTIVE_PLACE,
    ),
    Call(
        "swap",
        "Exchange the places of two panes or two windows, also across sessions.",
        _SCOPE,
        Param("id", ID, "the id of a window or pane", required=True),
        Param("other", ID, "the id of the other one", required=True),
        result="`places`, a list of two: the place (below) of each pane, or of the active pane of each window",
    ),
    Call(
        "rename",
        "Rename a session or a window.",
        _SCOPE,
        Param("id", ID, "the id of a session or window", required=True),
        Param("name", STRING, "the new name", required=True),
        result=_ACTIVE_PLACE,
    ),
    Call("kill", "End programs and remove their panes.", _SCOPE, _ID, result="`killed`, how many panes"),
    Call("kill_server", "End every program and the server.", result="nothing; the connection closes"),
    Call(
        "subscribe",
        "Push events on this connection from now on; of a pane that has ended, its pane_closed once more.",
        Param("pane", ID, "only this pane's events", omitted="every event"),
        _flag("output", "push what the pane writes, as text; needs `pane`"),
        Param("since", COUNT, "the `seq` at which the text begins; needs `output`", omitted="the pane's current one"),
        _flag("output_only", "leave out prompts and the echo of typed text; needs `output`"),
        _flag("screen", "push the screen with the text; needs `output`"),
        Param(
            "hold_ms",
            COUNT,
            "lock the pane while the subscription lasts, so that no command is run in it and no other client locks it; "
            "wait at most this long for the lock",
        ),
        result="`subscription`, its number; with a pane also `seq`, `since`, `marks` and `command_end` (see Events)",
        repeatable=True,
        cancellable=True,
    ),
    Call(
        "cancel",
        "Cancel a `run`, a `subscribe` that waits for a pane's lock, or a read of logs (`logs`, `output`, `search`, "
        "`log_list`, `commands`): it gets no reply any more. A command that was not typed yet is not typed; one that "
        "was continues. A reply that is on its way already still comes.",
        Param("request", COUNT, "the id of that request, on this connection", required=True),
        repeatable=True,
    ),
    Call(
        "unsubscribe",
        "End a subscription.",
        Param("subscription", ID, "its number", required=True),
        repeatable=True,
    ),
    Call(
        "attach",
        "Push a session's view on this connection from now on, and count as one of its clients.",
        _SESSION,
        _COLS.but(doc="columns available for a window", required=True),
        _ROWS.but(doc="rows available for a window", required=True),
        _flag("read_only", "only watch: refuse everything that changes something"),
        result="`attachment`, its number",
    ),
    Call(
        "resize_attachment",
        "Change the size that an attachment has for a window.",
        _ATTACHMENT,
        _COLS.but(doc="columns available for a window", required=True),
        _ROWS.but(doc="rows available for a window", required=True),
        repeatable=True,
    ),
    Call(
        "detach",
        "End attachments of any client: all that match every parameter that is given.",
        Param("session", ID, "those on this session"),
        Param("attachment", ID, "this one"),
        Param("keep", ID, "all but this one"),
        result="`detached`, how many",
    ),
    Call(
        "freeze",
        "Keep a copy of a pane as it is now, to read in while the pane continues. An attachment has one at a time.",
        *(_ATTACHMENT, _PANE),
        result="`cols` and `rows`, the size of its screen; `total`, how many rows there are with the history; "
        "`cursor`, its column and row on the screen; `seq`",
        repeatable=True,
    ),
    Call(
        "frozen_rows",
        "Read rows of the frozen copy.",
        _ATTACHMENT,
        Param("first", COUNT, "the first row; 0 is the oldest of the history", required=True),
        Param("count", COUNT, "how many; at most 1000 are returned", required=True),
        result="`rows`, a list with the runs (see Attaching) of each, and `wrapped`, a list that says of each whether "
        "it continues in the next",
        repeatable=True,
    ),
    Call("thaw", "Drop the frozen copy.", _ATTACHMENT, repeatable=True),
)

CALLS: "Mapping[str, Call]" = {call.name: call for call in _CALLS}
"""Every call by its name."""


def check(name: object, params: object) -> "tuple[Call, dict[str, object]]":
    """Check a request against the registry.

    Returns:
        The call and its parameters, None for omitted ones.

    Raises:
        BadRequestError: There is no such call, or its parameters are wrong; the remedy says what to send.
    """
    call = CALLS.get(name) if isinstance(name, str) else None
    if call is None:
        raise BadRequestError(f"there is no call {name!r:.80}", remedy=f"the calls are: {', '.join(CALLS)}")
    if params is not None and not isinstance(params, dict):
        raise BadRequestError(f"the params of {call.name} are not an object")
    return call, kinds.check(call.name, call.params, params or {})
