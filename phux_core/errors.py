"""Every error that phux raises, with stable codes.

    PhuxError
    ├── TransportError            communication with the server failed
    │   ├── NoServerError         no_server      no server is listening on the socket
    │   ├── StartFailedError      start_failed   a server was started and did not become ready
    │   ├── DisconnectedError     disconnected   the server disconnected before it replied
    │   ├── ServiceRestartingError  service_restarting  the service died, and the next one is not ready yet
    │   ├── TimedOutError         timed_out      a timeout expired
    │   └── UnsafePathError       unsafe_path    the socket's path or directory is unsafe or unusable
    ├── ProtocolError             protocol       the wire protocol was violated
    │   └── VersionError          version        the two sides speak different protocols
    └── RequestError              the server, or the library before calling it, rejected a request
        ├── BadRequestError       bad_request    a parameter has the wrong type, is unknown or out of range
        ├── BadSelectorError      bad_selector   TARGET is not a valid selector
        ├── BadNameError          bad_name       an invalid session or window name
        ├── BadSizeError          bad_size       columns or rows out of range
        ├── BadCwdError           bad_cwd        the working directory is missing or inaccessible
        ├── BadConfigError        bad_config     the config file is invalid
        ├── NoSuchTargetError     no_such_target TARGET is valid and matches nothing
        ├── NameInUseError        name_in_use    a session with that name exists
        ├── CannotExecuteError    cannot_execute the command cannot be started
        ├── PaneClosedError       pane_closed    the pane's program has exited
        ├── BusyError             busy           another program is in the foreground
        ├── InputTooLongError     input_too_long a line exceeds the terminal's limit
        ├── InputBlockedError     input_blocked  the program does not read its input
        ├── StoppedError          stopped        a wait matched its stop condition
        ├── RefusedError          refused        the request is valid, but not allowed
        ├── LimitError            limit          a limit was reached
        └── InternalError         internal       a bug in phux

Codes appear on the wire and in the Error document; Python programs catch the classes. Messages say what happened,
remedies what to do. Import-light: it is on the CLI's path.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from phux_core.shapes import ScreenChanges


class PhuxError(Exception):
    """The base of every error phux raises.

    Attributes:
        code: A stable code for programs.
        message: One sentence that says what happened.
        remedy: One sentence that says what to do about it; may be empty.
        exit_code: The CLI's exit status.

    Example:
        >>> error = NoSuchTargetError("no session is called 'work'", remedy="phux ls lists them")
        >>> error.code, error.exit_code
        ('no_such_target', 1)
    """

    code = "error"
    exit_code = 1
    default_remedy = ""

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
        }


class TransportError(PhuxError):
    """The conversation with the server failed.

    Example:
        >>> TransportError("what happened").code
        'transport'
    """

    code = "transport"


class NoServerError(TransportError):
    """Nobody listens on the socket.

    Example:
        >>> NoServerError("what happened").code
        'no_server'
    """

    code = "no_server"
    default_remedy = "start one with `phux new` or `phux server`"


class StartFailedError(TransportError):
    """A server was started and did not come up.

    Example:
        >>> StartFailedError("what happened").code
        'start_failed'
    """

    code = "start_failed"


class DisconnectedError(TransportError):
    """The server went away while a reply was awaited; whether the request took effect is unknown.

    Example:
        >>> DisconnectedError("what happened").code
        'disconnected'
    """

    code = "disconnected"
    default_remedy = "look at the state (`phux ls`, `phux snapshot`) before asking again"


class ServiceRestartingError(TransportError):
    """No service answers: the last ones died, or the next one is still starting. The programs in the panes go on.

    Example:
        >>> ServiceRestartingError("what happened").code
        'service_restarting'
    """

    code = "service_restarting"
    default_remedy = "try again in a moment; the programs keep running, and the log says why the service died"


class TimedOutError(TransportError):
    """A deadline passed before what was asked for had come about.

    Attributes:
        changes: The screen changes so far, if the library's ``act`` timed out; None otherwise.

    Example:
        >>> TimedOutError("what happened").code
        'timed_out'
    """

    code = "timed_out"
    changes: "ScreenChanges | None" = None
    default_remedy = "allow more time, or see with `phux status` whether the server is well"


class UnsafePathError(TransportError):
    """The socket's path is too long, or its directory is not private to this user.

    Example:
        >>> UnsafePathError("what happened").code
        'unsafe_path'
    """

    code = "unsafe_path"


class ProtocolError(PhuxError):
    """Somebody broke the rules of the wire.

    Example:
        >>> ProtocolError("what happened").code
        'protocol'
    """

    code = "protocol"
    default_remedy = "check that the socket belongs to a phux server (docs/wire.md)"


class VersionError(ProtocolError):
    """The two sides speak different protocols.

    Example:
        >>> VersionError("what happened").code
        'version'
    """

    code = "version"
    default_remedy = "restart the server, so that both sides are of one release"


class RequestError(PhuxError):
    """The request was understood and answered with no.

    Example:
        >>> RequestError("what happened").code
        'request'
    """

    code = "request"


class BadRequestError(RequestError):
    """A call or parameter that does not exist, has the wrong type or is out of range.

    Example:
        >>> BadRequestError("what happened").code
        'bad_request'
    """

    code = "bad_request"
    exit_code = 2


class BadSelectorError(RequestError):
    """TARGET cannot be read.

    Example:
        >>> BadSelectorError("what happened").code
        'bad_selector'
    """

    code = "bad_selector"
    default_remedy = "use NAME, NAME:WINDOW, NAME:WINDOW.PANE, @ID, `.` or `=` (docs/selectors.md)"


class BadNameError(RequestError):
    """A name that sessions or windows cannot have.

    Example:
        >>> BadNameError("what happened").code
        'bad_name'
    """

    code = "bad_name"
    default_remedy = "use 1 to 64 printable characters, without `:` or `/`, not starting with one of . = @ # % -"


class BadSizeError(RequestError):
    """Columns or rows out of range.

    Example:
        >>> BadSizeError("what happened").code
        'bad_size'
    """

    code = "bad_size"
    default_remedy = "use COLSxROWS, each from 1 to 1000, such as 120x40"


class BadCwdError(RequestError):
    """The working directory does not exist, is no directory or may not be entered.

    Example:
        >>> BadCwdError("what happened").code
        'bad_cwd'
    """

    code = "bad_cwd"
    default_remedy = "name a directory that exists and may be entered"


class BadConfigError(RequestError):
    """Something in the config file is wrong; the message names the line and the key.

    Example:
        >>> BadConfigError("what happened").code
        'bad_config'
    """

    code = "bad_config"
    exit_code = 2


class NoSuchTargetError(RequestError):
    """What is named is well formed and not there: a session, a window, a pane, a command or a log.

    Example:
        >>> NoSuchTargetError("what happened").code
        'no_such_target'
    """

    code = "no_such_target"
    default_remedy = "`phux tree` shows the sessions, windows and panes there are"


class NameInUseError(RequestError):
    """A session of that name lives.

    Example:
        >>> NameInUseError("what happened").code
        'name_in_use'
    """

    code = "name_in_use"
    default_remedy = "choose another name, or end the old session with `phux kill NAME`"


class CannotExecuteError(RequestError):
    """The command cannot be started.

    Example:
        >>> CannotExecuteError("what happened").code
        'cannot_execute'
    """

    code = "cannot_execute"
    default_remedy = "check the command's spelling, its permissions and PATH"


class PaneClosedError(RequestError):
    """The pane's program has ended; it can be read, not typed into.

    Example:
        >>> PaneClosedError("what happened").code
        'pane_closed'
    """

    code = "pane_closed"
    default_remedy = "read it with `phux snapshot`, or make a new one with `phux new`"


class BusyError(RequestError):
    """Another program has the terminal, so that a command cannot be typed at a prompt.

    Example:
        >>> BusyError("vim has the whole screen of @3").code
        'busy'
    """

    code = "busy"
    default_remedy = "end that program, wait for it (phux wait), or let the command wait for the prompt with --queue"


class InputTooLongError(RequestError):
    """A line longer than the terminal can take in canonical mode; nothing was typed.

    Example:
        >>> InputTooLongError("what happened").code
        'input_too_long'
    """

    code = "input_too_long"
    default_remedy = "send it in shorter lines, or put it into a file"


class InputBlockedError(RequestError):
    """The program does not read what is typed; the message says how much it took.

    Example:
        >>> InputBlockedError("what happened").code
        'input_blocked'
    """

    code = "input_blocked"
    default_remedy = "interrupt or end the program, then try again"


class StoppedError(RequestError):
    """A wait saw what it was told to stop at; the message has the line.

    Example:
        >>> StoppedError("'error' came first").code
        'stopped'
    """

    code = "stopped"


class RefusedError(RequestError):
    """Understood, and not allowed.

    Example:
        >>> RefusedError("what happened").code
        'refused'
    """

    code = "refused"
    exit_code = 2


class LimitError(RequestError):
    """A bound of the server was reached.

    Example:
        >>> LimitError("what happened").code
        'limit'
    """

    code = "limit"


class InternalError(RequestError):
    """A bug in phux; the server's log has the traceback.

    Example:
        >>> InternalError("what happened").code
        'internal'
    """

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
    if made.code != code:
        made.code = code
    return made
