"""The registry of calls: the requests a server handles, their parameters and their results.

The server compares its handlers with the registry at import and checks every request against it. The
registry's descriptions are part of docs/wire.md, the CLI's help and the MCP tools. Clients look up which calls are safe
to repeat. Import-light, because the CLI imports this module.
"""

from phux_core import kinds
from phux_core.call import MOST_BYTES, Call, flag
from phux_core.errors import BadRequestError
from phux_core.file_calls import FILE_CALLS
from phux_core.kinds import (
    BOOLEAN,
    COMMAND,
    COUNT,
    DIRECTION,
    ENVIRONMENT,
    ID,
    INPUT,
    INTEGER,
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
from phux_core.log_calls import LOG_CALLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_LONGEST_CHOSEN_ID = 64


def is_chosen_id(value: object) -> bool:
    """Return whether a value can be the key of a request, or the id of a run."""
    return STRING.fits(value) and len(value) <= _LONGEST_CHOSEN_ID and value.isascii()  # type: ignore[arg-type, attr-defined]


_PANE = Param("pane", ID, "the pane's id", required=True)
_SESSION = Param("session", ID, "the session's id", required=True)
_WINDOW = Param("window", ID, "the window's id", required=True)
_ATTACHMENT = Param("attachment", ID, "the attachment's id, as `attach` returned it", required=True)
_OWNER = _ATTACHMENT.but(doc="the attachment that owns the copy", required=False, omitted="the connection owns it")
_NAME = Param("name", STRING, "the window's name", omitted="the program's name")
_INDEX = Param("index", ID, "the window's index", omitted="the lowest free one")
_COLS = Param("cols", INTEGER, "columns")
_ROWS = Param("rows", INTEGER, "rows")
_SCOPE = Param("scope", SCOPE, "the kind of object that the id names", required=True)
_ID = Param("id", ID, "the id of a session, window or pane", required=True)
_CHOSEN_ID = Kind(f"a string of up to {_LONGEST_CHOSEN_ID} ASCII characters", is_chosen_id, STRING.schema)
_COMMAND = (
    Param("id", _CHOSEN_ID, "a unique id chosen by the caller", required=True),
    Param("command", STRING, "the shell command line"),
    Param("words", COMMAND, "instead of `command`: a program and its arguments, passed without shell expansion"),
    flag("queue", "wait for the prompt if another program is running"),
)
_PROGRAM = (
    Param("cwd", STRING, "the program's working directory", omitted="the split or active pane's"),
    Param("command", COMMAND, "the program and its arguments", omitted="a shell"),
    Param("env", ENVIRONMENT, "the caller's environment", omitted="the server's own"),
    Param("extra_env", ENVIRONMENT, "additional environment variables"),
)
_SELECT = flag("select", "focus the new pane")


def _share(pane: str) -> tuple[Param, Param]:
    share = f"instead of `cells`: the {pane} pane's share of the divided pane in percent, 1 to 99"
    return (
        Param("cells", INTEGER, f"columns or rows of the {pane} pane"),
        Param("percent", INTEGER, share, omitted="half"),
    )


_PLACE = "the place (below)"
_ACTIVE_PLACE = f"{_PLACE} of its active pane"

_CALLS = (
    Call("status", "Report the server's status.", result="a Status (schemas/status.v1.json)", repeatable=True),
    Call("tree", "List sessions, windows and panes.", result="a Tree (schemas/tree.v1.json)", repeatable=True),
    Call(
        "new_session",
        "Create a session with one pane and start a program in it. The reply is sent when the program is running.",
        Param("name", STRING, "the session's name", omitted="the smallest free number"),
        Param("window_name", STRING, "the window's name", omitted="the program's name"),
        _PROGRAM[0].but(omitted="the home directory of the server's user"),
        *_PROGRAM[1:],
        _COLS.but(default=80),
        _ROWS.but(default=24),
        Param(
            "shell",
            STRING,
            "the shell to start if no command is given",
            omitted="the shell of the config file, or the caller's SHELL",
        ),
        flag("login", "start the shell as a login shell"),
        Param("log", BOOLEAN, "log the output of the session's panes to disk", omitted="as the config says"),
        Param(
            "history",
            BOOLEAN,
            "let the session's shells use the user's history file",
            omitted="on, except on a private server,",
        ),
        result=f"{_PLACE} of its pane",
        keyed=True,
    ),
    Call(
        "new_window",
        "Create a window with one pane and start a program in it. The reply is sent when the program is running.",
        *(_SESSION, _NAME, _INDEX, *_PROGRAM, _SELECT),
        result=f"{_PLACE} of its pane",
        keyed=True,
    ),
    Call(
        "split",
        "Split a pane and start a program in the new one. The reply is sent when the program is running.",
        _PANE,
        Param("direction", DIRECTION, "the side of the new pane", required=True),
        *(*_share("new"), *_PROGRAM, _SELECT),
        result=f"{_PLACE} of the new pane",
        keyed=True,
    ),
    Call(
        "snapshot",
        "Read a pane's screen, without attaching or resizing.",
        _PANE,
        Param("scrollback", COUNT, "rows of scrollback to add: the newest N, or 0 for all", omitted="none"),
        flag("cells", "add styled cells"),
        Param("since", COUNT, "only rows changed after this sequence number"),
        flag("painted", "wait until the program has drawn its screen (below)"),
        result="a screen (below)",
        repeatable=True,
    ),
    Call(
        "frame",
        "Read a pane's screen as styled rows, or the rows that changed since an earlier frame, without attaching or "
        "resizing. The reply to this call waits for a synchronized update, as a frame of an attachment does.",
        _PANE,
        Param("version", COUNT, "the `version` of the earlier frame; with an unknown one, the frame is whole"),
        result="a frame (see Attaching) with `pane`, `seq`, `version`, `whole`, `writing`, `size`, `rows`, `cursor`, "
        "`modes` and `title`",
        repeatable=True,
    ),
    Call(
        "input",
        "Type into a pane; no other input is typed in between. Input that cannot be typed completely is rejected "
        "before anything is written; if the program stops reading in the middle, the error says how much it read.",
        _PANE,
        Param("items", INPUT, "the items to type, in order", required=True),
        result="`bytes`, the number of bytes written",
        keyed=True,
    ),
    Call(
        "run",
        "Run a command at a pane's prompt and wait for its result. A request with the same id refers to the same run.",
        *(_PANE, *_COMMAND),
        Param(
            "timeout_ms",
            COUNT,
            "how long to wait; 0 types nothing and reports on an earlier run",
            omitted="no limit",
        ),
        flag("interrupt", "send C-c when the timeout expires"),
        flag("until_waiting", "return as soon as the command waits for a person"),
        Param("max_bytes", whole(0, MOST_BYTES), "maximum bytes of output to return", default=1024 * 1024),
        flag("raw", "keep escape sequences in the output"),
        result="the outcome (see Running)",
        repeatable=True,
        cancellable=True,
    ),
    Call(
        "start",
        "Run a command at a pane's prompt without waiting for it. A request with the same id refers to the same run.",
        *(_PANE, *_COMMAND),
        result="`command`, the command's id in the ledger; `seq`, the sequence number before the command was typed; "
        "`start`, where its output begins, null if the shell has not reported that within two seconds",
        repeatable=True,
    ),
    *LOG_CALLS,
    Call(
        "signal",
        "Send a signal to the foreground process group of a pane.",
        _PANE,
        Param("signal", SIGNAL, "the signal", default="INT"),
        flag("shell", "allow a signal to the shell itself"),
        result="`signal`, its name; `pgid`, the group that received it; `pid` and `command`, id and name of the "
        'group\'s leader or of another process in it; `through`, "tty" if the signal\'s key was typed, else "kill"',
        keyed=True,
    ),
    Call(
        "stop",
        "End the program running in a pane's shell: send INT, then TERM, then KILL, until the prompt returns or the "
        "pane is dead.",
        _PANE,
        Param("grace_ms", whole(0, 60_000), "how long to wait after each signal", default=2000),
        result="`stopped`, whether anything was running; `signals`, the list of signals sent; `command`, the "
        "program's name, null if there was none; `duration_ms`, the time until it ended",
        keyed=True,
    ),
    Call(
        "history_limit",
        "Set the number of rows of scrollback that a pane keeps, with immediate effect.",
        _PANE,
        Param("rows", whole(0, 1_000_000), "rows of scrollback to keep", required=True),
        repeatable=True,
    ),
    Call(
        "select",
        "Focus a session, window or pane, and its parents. If another pane of the window is zoomed, the zoom ends.",
        *(_SCOPE, _ID),
        result=f"{_PLACE} of the newly focused pane",
        repeatable=True,
    ),
    Call(
        "resize",
        "Resize a pane: move its dividers on an axis that it shares with other panes, else resize the window.",
        *(_PANE, _COLS, _ROWS),
        result=_PLACE,
        repeatable=True,
    ),
    Call(
        "push_divider",
        "Move a pane's divider on an axis, as far as possible: the divider after the pane or, if there is "
        "none, the divider before it.",
        _PANE,
        Param("side", SIDE, "the direction in which to move the divider", required=True),
        Param("by", COUNT, "the number of cells", required=True),
        result=_PLACE,
        keyed=True,
    ),
    Call(
        "resize_window",
        "Resize a window that does not follow attached clients, or set which client it follows.",
        *(_WINDOW, _COLS, _ROWS),
        Param("policy", POLICY, "how client sizes determine the window's size; `default` follows the config"),
        result=_ACTIVE_PLACE,
        repeatable=True,
    ),
    Call(
        "move_divider",
        "Move a divider of a window, as far as possible.",
        _WINDOW,
        Param("path", PATH, "the path to the split in the window's layout", required=True),
        Param("by", INTEGER, "the number of cells, to the right or down; negative for left or up", required=True),
        result=_ACTIVE_PLACE,
        keyed=True,
    ),
    Call(
        "zoom",
        "Zoom a pane to fill its window, or end the zoom. No effect on the only pane of a window.",
        _PANE,
        Param("on", BOOLEAN, "zoom the pane", omitted="toggles the zoom"),
        result=_PLACE,
        keyed=True,
    ),
    Call(
        "layout",
        "Arrange a window's panes in a preset layout.",
        _WINDOW,
        Param("name", STRING, "even-horizontal, even-vertical, main-vertical or tiled", required=True),
        result=_ACTIVE_PLACE,
        repeatable=True,
    ),
    Call(
        "move_pane",
        "Move a pane next to another, or into a new window.",
        _PANE,
        Param("target", ID, "the pane to move next to"),
        Param("direction", DIRECTION, "the side of the target"),
        *_share("moved"),
        Param("session", ID, "instead of `target`: the session to create the window in"),
        _INDEX,
        result=_PLACE,
        keyed=True,
    ),
    Call(
        "move_window",
        "Move a window to another index or into another session.",
        *(_WINDOW, _SESSION, _INDEX),
        result=_ACTIVE_PLACE,
        keyed=True,
    ),
    Call(
        "swap",
        "Swap two panes or two windows, which may be in different sessions.",
        _SCOPE,
        Param("id", ID, "the id of a window or pane", required=True),
        Param("other", ID, "the id of the other window or pane", required=True),
        result="`places`, two places (below): of each pane, or of the active pane of each window",
        keyed=True,
    ),
    Call(
        "rename",
        "Rename a session or a window.",
        _SCOPE,
        Param("id", ID, "the id of a session or window", required=True),
        Param("name", STRING, "the new name", required=True),
        result=_ACTIVE_PLACE,
        keyed=True,
    ),
    Call(
        "kill", "End programs and close their panes.", _SCOPE, _ID, result="`killed`, the number of panes", keyed=True
    ),
    Call(
        "upgrade",
        "Replace the service by that of another installed release, while programs continue. The other release is "
        "tried first; if it cannot take over, the service stays. If it does not start, the old release is started "
        "again. Private servers refuse it.",
        Param("python", STRING, "the absolute path of the Python interpreter that has the release", required=True),
        Param("version", STRING, "the release that it has", required=True),
        Param("service_pid", ID, "the process id of the service to replace; others have replaced it", required=True),
        result="a Status (schemas/status.v1.json) of the service that answers",
        repeatable=True,
    ),
    Call("kill_server", "End every program and the server.", result="nothing; the connection closes"),
    Call(
        "subscribe",
        "Push events on this connection from now on; for a dead pane, repeat its `pane_closed` event.",
        Param("pane", ID, "only events of this pane", omitted="all events"),
        flag("output", "push the pane's output as text; needs `pane`"),
        Param("since", COUNT, "push text from this sequence number on; needs `output`", omitted="the current one"),
        flag("output_only", "omit prompts and the echo of typed text; needs `output`"),
        flag("screen", "push the screen with the text; needs `output`"),
        Param(
            "hold_ms",
            COUNT,
            "lock the pane while the subscription lasts, so that other clients cannot run commands in it or lock it; "
            "the value is the maximum time to wait for the lock",
        ),
        result="`subscription`, its id; with a pane also `seq`, `since`, `marks` and `command_end` (see Events)",
        repeatable=True,
        cancellable=True,
    ),
    Call(
        "cancel",
        "Cancel a `run`, a `subscribe` that waits for a pane's lock, or a read of logs (`logs`, `output`, `search`, "
        "`log_list`, `commands`, `past_screen`, `timeline`, `film`): no reply is sent, unless it is already on its "
        "way. A command that was not typed yet is not typed; a command that was typed continues. Any other request is "
        "cancelled only if the service has not begun it, for example because it was frozen.",
        Param("request", COUNT, "the id of the request to cancel, on this connection", required=True),
        repeatable=True,
    ),
    Call(
        "unsubscribe",
        "End a subscription.",
        Param("subscription", ID, "the subscription's id", required=True),
        repeatable=True,
    ),
    Call(
        "attach",
        "Attach to a session: push its view on this connection from now on.",
        _SESSION,
        _COLS.but(doc="columns available for a window", required=True),
        _ROWS.but(doc="rows available for a window", required=True),
        flag("read_only", "only watch: reject requests that change anything"),
        result="`attachment`, its id",
    ),
    Call(
        "resize_attachment",
        "Change the size that an attached client has for a window.",
        _ATTACHMENT,
        _COLS.but(doc="columns available for a window", required=True),
        _ROWS.but(doc="rows available for a window", required=True),
        repeatable=True,
    ),
    Call(
        "detach",
        "End the attachments of all clients that match every given parameter.",
        Param("session", ID, "only attachments to this session"),
        Param("attachment", ID, "only this attachment"),
        Param("keep", ID, "all attachments except this one"),
        result="`detached`, the number of attachments",
        keyed=True,
    ),
    Call(
        "freeze",
        "Copy a pane's current contents, to read them while the pane continues. An attachment or a connection owns at "
        "most one copy.",
        *(_OWNER, _PANE),
        result="`cols` and `rows`, the size of its screen; `total`, the number of rows including the scrollback; "
        "`cursor`, its column and row on the screen; `seq`",
        repeatable=True,
    ),
    Call(
        "frozen_rows",
        "Read rows from the frozen copy.",
        _OWNER,
        Param("first", COUNT, "the first row; 0 is the oldest of the scrollback", required=True),
        Param("count", COUNT, "the number of rows; at most 1000 are returned", required=True),
        result="`rows`, a list of the runs (see Attaching) of each row, and `wrapped`, a list that says for each row "
        "whether it continues in the next",
        repeatable=True,
    ),
    Call("thaw", "Drop the frozen copy.", _OWNER, repeatable=True),
    *FILE_CALLS,
)

CALLS: "Mapping[str, Call]" = {call.name: call for call in _CALLS}
"""Every call by its name."""


def check(name: object, params: object) -> "tuple[Call, dict[str, object]]":
    """Check a request against the registry, and return the call and its parameters, None for omitted ones.

    Raises:
        BadRequestError: There is no such call, or its parameters are wrong; the remedy says what to send.
    """
    call = CALLS.get(name) if isinstance(name, str) else None
    if call is None:
        raise BadRequestError(f"unknown call {name!r:.80}", remedy=f"the calls are: {', '.join(CALLS)}")
    if params is not None and not isinstance(params, dict):
        raise BadRequestError(f"the params of {call.name} are not an object", remedy="send a JSON object")
    return call, kinds.check(call.name, call.params, params or {})
