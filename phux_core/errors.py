"""Every error that phux raises, with stable codes.

    PhuxError
    ├── TransportError
    │       NoServerError, StartFailedError, DisconnectedError, ServiceRestartingError, TimedOutError,
    │       UnsafePathError, HostError
    ├── ProtocolError
    │       VersionError
    └── RequestError
            BadRequestError, BadSelectorError, BadNameError, BadSizeError, BadCwdError, BadConfigError, BadHostError,
            NoSuchTargetError, AmbiguousError, NameInUseError, CannotExecuteError, PaneClosedError, BusyError,
            InputTooLongError, InputBlockedError, StoppedError, WaitingError, RefusedError, LimitError, InternalError

Codes appear on the wire and in the Error document; Python programs catch the classes. Messages say what happened,
remedies what to do. Import-light, because the CLI imports this module.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from phux_core.shapes import ScreenChanges, State


class PhuxError(Exception):
    """The base of every error phux raises.

    Attributes:
        code: A stable code for programs.
        message: One sentence that says what happened.
        remedy: One sentence that says what to do about it; may be empty.
        exit_code: The CLI's exit status.
        changes: The rows that changed, if the library's ``act`` failed after typing; None otherwise.
        executed: False if the request had no effect, True if it had some, None if the error does not say.
        command_id: The id of the command that the library's ``run`` or ``wait_command`` left running; None otherwise.

    Example:
        >>> error = NoSuchTargetError("no session is called 'work'", remedy="phux ls lists them")
        >>> error.code, error.exit_code
        ('no_such_target', 1)
    """

    code = "error"
    exit_code = 1
    default_remedy = ""
    changes: "ScreenChanges | None" = None
    executed: bool | None = None
    command_id: str | None = None

    def __init__(self, message: str, *, remedy: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = self.default_remedy if remedy is None else remedy

    def to_document(self) -> "dict[str, object]":
        """Return the Error document (schemas/error.v1.json).

        Example:
            >>> document = NoSuchTargetError("no session is called 'work'").to_document()
            >>> document["error"]["code"], document["exit_code"]
            ('no_such_target', 1)
        """
        return {
            "schema_version": 1,
            "error": {"code": self.code, "message": self.message},
            "remedy": self.remedy,
            "exit_code": self.exit_code,
            **({} if self.executed is None else {"executed": self.executed}),
        }


class TransportError(PhuxError):
    """Communication with the server failed."""

    code = "transport"


class NoServerError(TransportError):
    """No server is listening on the socket."""

    code = "no_server"
    default_remedy = "start one with `phux new` or `phux server`"


class StartFailedError(TransportError):
    """A server was started and did not become ready."""

    code = "start_failed"


class DisconnectedError(TransportError):
    """The connection ended before the reply; unless `executed` is false, the request may have taken effect."""

    code = "disconnected"
    default_remedy = "check the state (`phux ls`, `phux snapshot`) before you repeat the request"


class ServiceRestartingError(TransportError):
    """The service died, and the next one is not ready yet; the programs in the panes keep running."""

    code = "service_restarting"
    default_remedy = "try again in a moment; the programs keep running, and the log says why the service died"


class TimedOutError(TransportError):
    """A timeout expired."""

    code = "timed_out"
    default_remedy = "use a longer timeout, or check the server with `phux status`"


class UnsafePathError(TransportError):
    """The socket's path is too long or unusable, or its directory is not private to this user."""

    code = "unsafe_path"


class HostError(TransportError):
    """The server of another machine cannot be reached through ssh; the message says why.

    Attributes:
        reason: What failed: ``no_ssh``, ``ssh_config``, ``unknown_host``, ``unreachable``, ``unknown_host_key``,
            ``changed_host_key``, ``refused_key``, ``no_phux`` or ``no_answer``.
    """

    code = "host"
    reason = "unreachable"

    @property
    def is_transient(self) -> bool:
        """Whether connecting may succeed later without a change.

        Example:
            >>> HostError("cannot connect to box").is_transient
            True
        """
        return self.reason in {"unreachable", "no_answer"}


class ProtocolError(PhuxError):
    """The other side violated the wire protocol."""

    code = "protocol"
    default_remedy = "check that the socket belongs to a phux server (docs/wire.md)"


class VersionError(ProtocolError):
    """The client and the server speak different protocols."""

    code = "version"
    default_remedy = "restart the server, so that client and server are of the same release"


class RequestError(PhuxError):
    """The server, or the library before calling it, rejected a request."""

    code = "request"


class BadRequestError(RequestError):
    """A call or parameter is unknown, has the wrong type or is out of range."""

    code = "bad_request"
    exit_code = 2


class BadSelectorError(RequestError):
    """TARGET is not a valid selector."""

    code = "bad_selector"
    default_remedy = "use NAME, NAME:WINDOW, NAME:WINDOW.PANE, @ID, `.` or `=` (docs/selectors.md)"


class BadNameError(RequestError):
    """The name of a session or window is invalid."""

    code = "bad_name"
    default_remedy = "use 1 to 64 printable characters, without `:` or `/`, not starting with one of . = @ # % -"


class BadSizeError(RequestError):
    """Columns or rows are out of range."""

    code = "bad_size"
    default_remedy = "use COLSxROWS, each from 1 to 1000, such as 120x40"


class BadCwdError(RequestError):
    """The working directory does not exist, is not a directory or is inaccessible."""

    code = "bad_cwd"
    default_remedy = "use an existing directory that you may enter"


class BadConfigError(RequestError):
    """The config file is invalid; the message names the line and the key."""

    code = "bad_config"
    exit_code = 2


class BadHostError(RequestError):
    """The destination of ssh, or the path of a socket on another machine, is invalid."""

    code = "bad_host"
    exit_code = 2
    default_remedy = "use HOST, USER@HOST, USER@HOST:PORT, an alias of your ssh config, or the same after ssh://"


class NoSuchTargetError(RequestError):
    """TARGET is valid and matches nothing; or there is no such command or log."""

    code = "no_such_target"
    default_remedy = "list sessions, windows and panes with `phux tree`"


class AmbiguousError(RequestError):
    """Several regions of the screen match, and one was asked for; the message lists them."""

    code = "ambiguous"
    default_remedy = "give a longer text, a regular expression or a style that matches one region"


class NameInUseError(RequestError):
    """A session with that name exists."""

    code = "name_in_use"
    default_remedy = "choose another name, or end the old session with `phux kill NAME`"


class CannotExecuteError(RequestError):
    """The command cannot be started."""

    code = "cannot_execute"
    default_remedy = "check the command's spelling, its permissions and PATH"


class PaneClosedError(RequestError):
    """The pane's program has exited; the pane can still be read."""

    code = "pane_closed"
    default_remedy = "read it with `phux snapshot`, or create a new one with `phux new`"


class BusyError(RequestError):
    """The shell is not at its prompt, or another client uses the pane."""

    code = "busy"
    default_remedy = "end that program, wait for it (phux wait), or pass --queue to wait for the prompt"


class InputTooLongError(RequestError):
    """A line exceeds the terminal's limit in canonical mode; nothing was typed."""

    code = "input_too_long"
    default_remedy = "send it in shorter lines, or put it into a file"


class InputBlockedError(RequestError):
    """The program stopped reading its input; the message says how much it read."""

    code = "input_blocked"
    default_remedy = "interrupt or end the program, then try again"


class StoppedError(RequestError):
    """A wait matched its stop condition; the message contains the line."""

    code = "stopped"


class WaitingError(RequestError):
    """A command waits for a person: for input or a secret, in a nested shell, or full-screen.

    Attributes:
        state: The state of the command's pane.
    """

    code = "waiting"
    state: "State | None" = None


class RefusedError(RequestError):
    """The request is valid, but not allowed."""

    code = "refused"
    exit_code = 2


class LimitError(RequestError):
    """A limit of the server was reached."""

    code = "limit"


class InternalError(RequestError):
    """A bug in phux; the server's log contains the traceback."""

    code = "internal"
    default_remedy = "please report it, with the server's log (`phux status` names it)"


def _family(base: type[PhuxError]) -> "list[type[PhuxError]]":
    return [base, *(leaf for child in base.__subclasses__() for leaf in _family(child))]


ERRORS: "Mapping[str, type[PhuxError]]" = {kind.code: kind for kind in reversed(_family(PhuxError))}
"""Every error class by its code."""


def from_wire(error: "Mapping[str, object]") -> PhuxError:
    """Return the exception for an error received over the wire.

    An unknown code of a newer server becomes a plain RequestError with that code.
    """
    code = str(error.get("code", "internal"))
    kind = ERRORS.get(code, RequestError)
    remedy = error.get("remedy")
    made = kind(str(error.get("message", code)), remedy=None if remedy is None else str(remedy))
    made.code = code
    executed = error.get("executed")
    made.executed = executed if isinstance(executed, bool) else None
    return made
