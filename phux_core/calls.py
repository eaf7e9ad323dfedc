"""The registry of calls: what can be asked of the server, with which parameters, and what comes back.

The server's dispatch checks every request against it, docs/wire.md prints it, and the client learns from it
which calls are safe to repeat, so that each of these facts stands once. Import-light: it is on the CLI's path.
"""

from phux_core.call_kinds import KINDS, Call, Param
from phux_core.errors import BadRequestError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


_PANE = Param("pane", "id", "the pane's id", required=True)
_ATTACHMENT = Param("attachment", "id", "its number, as `attach` gave it", required=True)
_BUDGET = (
    Param("grep", "string", "only lines that match this pattern (Python's re)"),
    Param("context", "count", "lines around each that matches, 0 when omitted, 1000 at the most"),
    Param("head", "count", "the first so many lines of what there is"),
    Param("tail", "count", "the last so many"),
    Param("max_bytes", "count", "how much text to give, 16777216 at the most"),
    Param("mode", "mode", "`rendered` as written when omitted; `stripped` of escape sequences; or `raw`"),
)
_ID = Param(
    "id", "string", "the caller's name for this run, never used before: up to 64 ASCII characters", required=True
)
_COMMAND = (
    Param("command", "string", "a shell line, or several"),
    Param("words", "command", "or program and arguments, to be seen by the shell exactly so"),
)
_QUEUE = Param("queue", "boolean", "whether to wait for the prompt while another program runs")
_WINDOW = Param("window", "id", "the window's id", required=True)
_PROGRAM = (
    Param("cwd", "string", "the working directory; that of the pane it is made from when omitted"),
    Param("command", "command", "program and arguments; the shell when omitted"),
    Param("env", "environment", "the caller's environment; the server's own when omitted"),
    Param("extra_env", "environment", "variables set on top of it"),
)
_SELECT = Param("select", "boolean", "whether it gets the focus")
_SHARE = (
    Param("cells", "integer", "how many columns or rows it gets"),
    Param("percent", "integer", "or which part of the target's, 1 to 99; half when both are omitted"),
)
_PLACE = "the place (below)"

CALLS: "Mapping[str, Call]" = {
    call.name: call
    for call in (
        Call("status", "How the server is.", (), "a Status (schemas/status.v1.json)", repeatable=True),
        Call("tree", "Every session, window and pane.", (), "a Tree (schemas/tree.v1.json)", repeatable=True),
        Call(
            "new_session",
            "Make a session with one window and one pane, and start a program in it. "
            "The reply comes when the program runs.",
            (
                Param("name", "string", "the session's name; the smallest free number when omitted"),
                Param("window_name", "string", "its window's name; the program's when omitted"),
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
                Param(
                    "history",
                    "boolean",
                    "whether its shells read and write the user's history file; only a private server's do not when "
                    "omitted",
                ),
            ),
            f"{_PLACE} of its pane",
        ),
        Call(
            "new_window",
            "Make a window with one pane in a session, and start a program in it. The reply comes when the program "
            "runs.",
            (
                Param("session", "id", "the session's id", required=True),
                Param("name", "string", "the window's name; the program's when omitted"),
                Param("index", "id", "its index; the lowest that is free when omitted"),
                *_PROGRAM,
                _SELECT,
            ),
            f"{_PLACE} of its pane",
        ),
        Call(
            "split",
            "Make a pane out of a part of another, and start a program in it. The reply comes when the program runs.",
            (
                _PANE,
                Param("direction", "direction", "where the new one goes", required=True),
                *_SHARE,
                *_PROGRAM,
                _SELECT,
            ),
            f"{_PLACE} of the new pane",
        ),
        Call(
            "snapshot",
            "Read a pane's screen. Attaches nothing, resizes nothing.",
            (
                _PANE,
                Param("scrollback", "count", "rows of history to add: omitted none, 0 all, N the newest N"),
                Param("cells", "boolean", "whether to add the styled cells"),
                Param("since", "count", "a `seq`: whether to say which rows changed after it"),
                Param("painted", "boolean", "whether to wait until the program has drawn its screen (below)"),
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
                Param(
                    "timeout_ms",
                    "count",
                    "how long to wait; for ever when omitted. With 0, nothing is typed: the reply says what became of "
                    "a run that was asked for before",
                ),
                _QUEUE,
                Param("interrupt", "boolean", "whether to send C-c when the time is over"),
                Param("max_bytes", "count", "how much output to tell, 1048576 when omitted, 16777216 at the most"),
                Param("raw", "boolean", "whether to keep escape sequences in the output"),
            ),
            "what became of it (see Running)",
            repeatable=True,
            cancellable=True,
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
                Param("pane", "id", "only this pane's; those of every pane there is now when omitted"),
                Param("id", "string", "only the command of this id, PANE.NUMBER or LOG.NUMBER"),
                Param("log", "string", "or those of a stored log, by its id"),
            ),
            "`commands`, a list of entries (see Logs)",
            repeatable=True,
            cancellable=True,
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
                Param("since", "count", "everything from this place on"),
                *_BUDGET,
                Param("whole_lines", "boolean", "leave out a line that is not finished"),
            ),
            "a log text (see Logs)",
            repeatable=True,
            cancellable=True,
        ),
        Call(
            "log_list",
            "Which logs are kept, newest server first.",
            (),
            "`logs`, a list of what is known of each (see Logs)",
            repeatable=True,
            cancellable=True,
        ),
        Call(
            "output",
            "Read what a command wrote: the one of this id, or the pane's latest.",
            (
                Param("id", "string", "the command's id, PANE.NUMBER or LOG.NUMBER"),
                Param("pane", "id", "or the pane whose latest command is meant"),
                *_BUDGET,
            ),
            "a log text (see Logs), and in it `command`, the entry of the ledger",
            repeatable=True,
            cancellable=True,
        ),
        Call(
            "search",
            "Look for a pattern in the logs of all panes of this server, escape sequences left out.",
            (
                Param("pattern", "string", "what for, as Python's re reads it", required=True),
                Param("session", "id", "only in this session's panes"),
                Param("everywhere", "boolean", "also in logs of panes that are gone, and of earlier servers"),
                Param("context", "count", "lines around each match to tell, too; 1000 at the most"),
                Param("max_matches", "count", "how many to tell, 1000 when omitted, 100000 at the most"),
            ),
            "`matches`, a list (see Logs), and `truncated`, whether there are more",
            repeatable=True,
            cancellable=True,
        ),
        Call(
            "signal",
            "Send a signal to the group of processes that has a pane's terminal.",
            (
                _PANE,
                Param("signal", "signal", "which, INT when omitted"),
                Param("shell", "boolean", "whether it may hit the shell itself"),
            ),
            "`signal`, the name as it was given; `pgid`, the group that got it; `pid` and `command`, number and name "
            'of its leader, or of another process in it; `through`: "tty" if its key was typed, else "kill"',
        ),
        Call(
            "stop",
            "End what runs in a pane's shell: INT, then TERM, then KILL, until the prompt is back or the pane is dead.",
            (
                _PANE,
                Param("grace_ms", "count", "how long to wait after each, 2000 when omitted, 60000 at the most"),
            ),
            "`stopped`, whether anything ran; `signals`, a list of those that were sent; `command`, the name of what "
            "ran, null if nothing did; `duration_ms`, how long it took",
        ),
        Call(
            "history_limit",
            "Change how many rows of history a pane keeps, at once.",
            (_PANE, Param("rows", "count", "how many, up to 1000000", required=True)),
            "nothing",
            repeatable=True,
        ),
        Call(
            "select",
            "Give a session, a window or a pane the focus, and with it what it is in. Another pane that was zoomed in "
            "that window is so no longer.",
            (
                Param("scope", "scope", "what the id is of", required=True),
                Param("id", "id", "which", required=True),
            ),
            f"{_PLACE} of the pane that has the focus there",
            repeatable=True,
        ),
        Call(
            "resize",
            "Change the size of a pane, and tell its program. On an axis on which others are beside it, its dividers "
            "move; else its window changes its size.",
            (
                _PANE,
                Param("cols", "integer", "columns"),
                Param("rows", "integer", "rows"),
            ),
            _PLACE,
            repeatable=True,
        ),
        Call(
            "push_divider",
            "Move a pane's divider: the one behind it on that axis, or if it is the last there, the one before it. It "
            "goes as far as it can.",
            (
                _PANE,
                Param("side", "side", "where to", required=True),
                Param("by", "count", "by how many cells", required=True),
            ),
            _PLACE,
        ),
        Call(
            "resize_window",
            "Change the size of a window that does not follow attached clients, or which of them it follows.",
            (
                _WINDOW,
                Param("cols", "integer", "columns"),
                Param("rows", "integer", "rows"),
                Param("policy", "policy", 'whose size it has from now on; "default" for whose the server is set to'),
            ),
            f"{_PLACE} of its active pane",
            repeatable=True,
        ),
        Call(
            "move_divider",
            "Move one divider of a window, as far as it can go.",
            (
                _WINDOW,
                Param("path", "path", "the way down its layout to the split", required=True),
                Param("by", "integer", "how many cells to the right or down; negative for back", required=True),
            ),
            f"{_PLACE} of its active pane",
        ),
        Call(
            "zoom",
            "Give a pane the whole window for a while, or end that. A pane that is alone in its window has it already.",
            (_PANE, Param("on", "boolean", "which of the two; the other than now when omitted")),
            _PLACE,
        ),
        Call(
            "layout",
            "Lay a window's panes out in a known way.",
            (
                _WINDOW,
                Param("name", "string", "even-horizontal, even-vertical, main-vertical or tiled", required=True),
            ),
            f"{_PLACE} of its active pane",
            repeatable=True,
        ),
        Call(
            "move_pane",
            "Put a pane beside another, or into a window of its own.",
            (
                _PANE,
                Param("target", "id", "the pane it goes beside"),
                Param("direction", "direction", "where it goes there"),
                *_SHARE,
                Param("session", "id", "or the session in which it gets a window of its own"),
                Param("index", "id", "that window's index; the lowest that is free when omitted"),
            ),
            _PLACE,
        ),
        Call(
            "move_window",
            "Put a window at another index or into another session.",
            (
                _WINDOW,
                Param("session", "id", "the session", required=True),
                Param("index", "id", "the index; the lowest that is free when omitted"),
            ),
            f"{_PLACE} of its active pane",
        ),
        Call(
            "swap",
            "Let two panes or two windows change places, also across sessions.",
            (
                Param("scope", "scope", "what the ids are of: `window` or `pane`", required=True),
                Param("id", "id", "the one", required=True),
                Param("other", "id", "the other", required=True),
            ),
            "`places`, a list of two: the place (below) of each pane, or of the active pane of each window",
        ),
        Call(
            "rename",
            "Give a session or a window another name.",
            (
                Param("scope", "scope", "what the id is of: `session` or `window`", required=True),
                Param("id", "id", "which", required=True),
                Param("name", "string", "the name", required=True),
            ),
            f"{_PLACE} of its active pane",
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
                Param(
                    "hold_ms",
                    "count",
                    "have the pane's turn as long as the subscription lasts, so that no command is run in it and "
                    "nobody else holds it; wait so long for it",
                ),
            ),
            "`subscription`, its number; with a pane also `seq`, `since`, `marks` and `command_end` (see Events)",
            repeatable=True,
            cancellable=True,
        ),
        Call(
            "cancel",
            "Give up a `run`, a `subscribe` that waits for a pane's turn, or a read of logs (`logs`, `output`, "
            "`search`, `log_list`, `commands`): it is not answered any more. A command that was not typed yet is not "
            "typed; one that was goes on. An answer that is on its way already still comes.",
            (Param("request", "count", "the id of that request, on this connection", required=True),),
            "nothing",
            repeatable=True,
        ),
        Call(
            "unsubscribe",
            "End a subscription.",
            (Param("subscription", "id", "its number", required=True),),
            "nothing",
            repeatable=True,
        ),
        Call(
            "attach",
            "Have a session's picture pushed on this connection from now on, and count as one of its clients.",
            (
                Param("session", "id", "the session's id", required=True),
                Param("cols", "integer", "columns there are for a window", required=True),
                Param("rows", "integer", "rows there are for a window", required=True),
                Param("read_only", "boolean", "whether this connection may only watch"),
            ),
            "`attachment`, its number",
        ),
        Call(
            "resize_attachment",
            "Say that there is more or less room for a window.",
            (
                _ATTACHMENT,
                Param("cols", "integer", "columns there are for a window", required=True),
                Param("rows", "integer", "rows there are for a window", required=True),
            ),
            "nothing",
            repeatable=True,
        ),
        Call(
            "detach",
            "End attachments, one's own or others': all that fit every parameter that is given.",
            (
                Param("session", "id", "those on this session"),
                Param("attachment", "id", "this one"),
                Param("keep", "id", "all but this one"),
            ),
            "`detached`, how many",
        ),
        Call(
            "freeze",
            "Keep a copy of a pane as it is now, to read in while the pane goes on. An attachment has one at a time.",
            (_ATTACHMENT, _PANE),
            "`cols` and `rows`, the size of its screen; `total`, how many rows there are with the history; `cursor`, "
            "its column and row on the screen; `seq`",
            repeatable=True,
        ),
        Call(
            "frozen_rows",
            "Read rows of the frozen copy.",
            (
                _ATTACHMENT,
                Param("first", "count", "the first row, 0 being the oldest of the history", required=True),
                Param("count", "count", "how many, 1000 at the most", required=True),
            ),
            "`rows`, a list with the runs (see Attaching) of each, and `wrapped`, a list that says of each whether it "
            "goes on in the next",
            repeatable=True,
        ),
        Call("thaw", "Let the frozen copy go.", (_ATTACHMENT,), "nothing", repeatable=True),
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
    checked: dict[str, object] = dict.fromkeys(call.by_name)
    for key, value in given.items():
        param = call.by_name.get(key)
        if param is None:
            known = ", ".join(checked) or "no parameters"
            raise BadRequestError(f"{call.name} has no parameter {key!r:.80}", remedy=f"it takes {known}")
        if value is not None and not KINDS[param.kind][1](value):
            raise BadRequestError(
                f"the parameter `{key}` of {call.name} is {value!r:.80}", remedy=f"send {KINDS[param.kind][0]}"
            )
        checked[key] = value
    for key in call.required:
        if checked[key] is None:
            raise BadRequestError(f"{call.name} needs the parameter `{key}`: {call.by_name[key].doc}")
    return call, checked
