"""The calls that read the past of panes: logs, commands, screens and timelines. Import-light like ``calls``."""

from phux_core.call import MOST_BYTES, Call, flag
from phux_core.kinds import BOOLEAN, COUNT, ID, INTEGER, MODE, MOMENT, STRING, Param, whole

MOST_ENTRIES = 10_000
"""The most entries in a page of a timeline."""
MOST_COMMANDS = 10_000
"""The most commands that a reply lists, unless they are all of one pane."""
FRAME_MS = 16
"""The shortest time between two screens of a film while output follows output."""
_DAY_MS = 24 * 60 * 60 * 1000

_LOG = (
    Param("pane", ID, "the pane's id; for a closed pane, the newest log of a pane with that id"),
    Param("log", STRING, "instead of `pane`: the log's id, as `log_list` returns it"),
)
_CONTEXT = Param("context", whole(0, 1000), "lines to add around each match", default=0)
_BUDGET = (
    Param("grep", STRING, "only lines that match this Python regex"),
    _CONTEXT,
    Param("head", COUNT, "only the first N lines"),
    Param("tail", COUNT, "only the last N lines"),
    Param("max_bytes", whole(0, MOST_BYTES), "maximum bytes to return", omitted="1048576"),
    Param("mode", MODE, "rendered as on a terminal, stripped of escape sequences, or raw", default="rendered"),
)

_PERIOD = (
    Param("since", MOMENT, "only from this time on, in seconds since 1970"),
    Param("until", MOMENT, "only before this time, in seconds since 1970"),
)
_RESULTS = (
    Param("failed", BOOLEAN, "only commands that ended with another exit status than 0"),
    Param("exit_code", INTEGER, "only commands that ended with this exit status"),
)

LOG_CALLS = (
    Call(
        "commands",
        "Read the command ledger of one pane, which may be closed, or of all current panes, oldest first.",
        Param("pane", ID, "only commands of this pane", omitted="all current panes"),
        Param("id", STRING, "only the command with this id, PANE.NUMBER or LOG.NUMBER"),
        Param("log", STRING, "only commands in the log with this id"),
        flag("everywhere", "also commands of closed panes and earlier servers"),
        *_PERIOD,
        *_RESULTS,
        Param("grep", STRING, "only commands whose line matches this Python regex"),
        Param("max_commands", whole(0, MOST_COMMANDS), "only the newest N commands"),
        result="`commands`, a list of entries (see Logs)",
        repeatable=True,
        cancellable=True,
    ),
    Call(
        "logs",
        "Read the log of a pane, also of a closed pane or an earlier server; by default the last 500 lines.",
        *_LOG,
        Param("lines", COUNT, "the last N lines"),
        Param("from_byte", COUNT, "the sequence number to start at; the default of `max_bytes` is then 65536"),
        Param("since", COUNT, "output from this sequence number on"),
        *_BUDGET,
        flag("whole_lines", "omit an incomplete last line"),
        result="a log text (see Logs)",
        repeatable=True,
        cancellable=True,
    ),
    Call(
        "past_screen",
        "Read a pane's screen as it was, from its log, also of a closed pane or an earlier server.",
        *_LOG,
        Param("seq", COUNT, "the sequence number to show", omitted="the end of the log"),
        Param("moment", MOMENT, "instead of `seq`: the time to show"),
        Param("scrollback", COUNT, "rows of scrollback to add: the newest N, or 0 for all", omitted="none"),
        flag("cells", "add styled cells"),
        result="a screen (below) with `log`, and `at`, the time of its last output, null if unknown",
        repeatable=True,
        cancellable=True,
    ),
    Call(
        "film",
        "Read the screens between two moments, one after the other, for a replay (see Timeline).",
        *_LOG,
        Param("seq", COUNT, "the sequence number of the first screen", required=True),
        Param("at", MOMENT, "its time", required=True),
        Param("to_seq", COUNT, "the sequence number of the last screen", required=True),
        Param("to_at", MOMENT, "its time", required=True),
        Param("frame_ms", whole(0, _DAY_MS), "the shortest time between two screens", default=FRAME_MS),
        result="a page of the film (see Timeline)",
        repeatable=True,
        cancellable=True,
    ),
    Call(
        "timeline",
        "Read when the output of a pane was read, and what happened meanwhile (see Timeline).",
        *_LOG,
        Param("from_seq", COUNT, "only entries from this sequence number on", default=0),
        Param("cursor", COUNT, "instead of `from_seq`: the `next` of the page before"),
        Param("most", whole(0, MOST_ENTRIES), "maximum number of entries", default=MOST_ENTRIES),
        flag("without_output", "omit entries of the kind `output`"),
        result="a page of the timeline (see Timeline)",
        repeatable=True,
        cancellable=True,
    ),
    Call(
        "log_list",
        "List logs, newest server first.",
        result="`logs`, a list of logs (see Logs)",
        repeatable=True,
        cancellable=True,
    ),
    Call(
        "output",
        "Read the output of the command with the given id, or of a pane's latest command.",
        Param("id", STRING, "the command's id, PANE.NUMBER or LOG.NUMBER"),
        Param("pane", ID, "instead of `id`: a pane, for its latest command"),
        *_BUDGET,
        result="a log text (see Logs) with `command`, the command's ledger entry",
        repeatable=True,
        cancellable=True,
    ),
    Call(
        "search",
        "Search the logs of all panes of this server, ignoring escape sequences.",
        Param("pattern", STRING, "the Python regex to search for", required=True),
        Param("session", ID, "only panes of this session"),
        flag("everywhere", "also search closed panes and earlier servers"),
        _CONTEXT,
        *_PERIOD,
        *_RESULTS,
        Param("max_matches", whole(0, 100_000), "maximum matches to return", default=1000),
        result="`matches`, a list (see Logs), and `truncated`, whether there are more",
        repeatable=True,
        cancellable=True,
    ),
)
