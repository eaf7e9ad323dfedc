"""The user's terminal: set the modes that attach needs, and always restore them.

``restore`` switches off everything that this module switches on. It may be called at any time and any number of times.
Output goes through a separate non-blocking descriptor, so that a stalled terminal (a slow line, C-s) does not block
input.
"""

import contextlib
import errno
import os
import re
import signal
import termios

from phux_core.errors import RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

_ENTER = (
    "\x1b[22;0t"  # save the title
    "\x1b[?1049h"  # the alternate screen
    "\x1b[?1l\x1b>"  # normal cursor and keypad keys, as the parser expects them
    "\x1b[?2004h"  # bracketed paste
    "\x1b[?1004h"  # focus events
    "\x1b[>4;2m\x1b[m"  # modifyOtherKeys; old terminals take it for a style
    "\x1b[>5u"  # the kitty keyboard protocol, which takes precedence: unambiguous keys, and their alternatives
    "\x1b[?2026$p"  # query support for synchronized output
)
_LEAVE = (
    "\x1b[<u\x1b[>4m\x1b[?2026l\x1b[?1003l\x1b[?1002l\x1b[?1000l\x1b[?1006l\x1b[?1004l\x1b[?2004l"
    "\x1b]8;;\x1b\\\x1b[m\x1b[r\x1b[0 q\x1b[?25h\x1b[?7h\x1b[?1049l\x1b[23;0t"
)
_MOUSE = {
    "off": "\x1b[?1003l\x1b[?1002l\x1b[?1006l",
    "button": "\x1b[?1003l\x1b[?1002h\x1b[?1006h",
    "any": "\x1b[?1002h\x1b[?1003h\x1b[?1006h",
}
MAX_CLIPBOARD = 74_000
"""The most bytes of text to send with OSC 52: xterm accepts 100,000 of base64, others fewer."""
_BASE64 = re.compile("[A-Za-z0-9+/]*={0,2}")
_MAX_TITLE = 256
_MAX_NOTICE = 500
_GIVE_UP_S = 1.0


def check(verb: str = "attach", instead: str = "read the pane with `phux snapshot`") -> None:
    """Raise RefusedError unless this process has a terminal that can draw.

    Args:
        verb: What needs the terminal.
        instead: What to do without one.
    """
    for stream, name in ((0, "input"), (1, "output")):
        if not os.isatty(stream):
            raise RefusedError(
                f"{verb} needs a terminal, and standard {name} is not one",
                remedy=f"run it in a terminal, or {instead}",
            )
    kind = os.environ.get("TERM", "")
    if kind in {"", "dumb", "unknown"}:
        raise RefusedError(
            f"the terminal (TERM={kind}) cannot show a full screen",
            remedy=f"set TERM to the terminal's type, or {instead}",
        )


class Outer:
    """The terminal on standard input and output."""

    def __init__(self) -> None:
        self.is_gone = False
        self._saved = termios.tcgetattr(0)
        self._active = False
        self._unwritten = bytearray()
        self._mouse = "off"
        self._title = ""
        self._out = _open_again(1)

    def fileno(self) -> int:
        """Return the descriptor for output, for a selector."""
        return self._out

    @property
    def wants_to_write(self) -> bool:
        """Whether there is unwritten output."""
        return bool(self._unwritten)

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows; 80 by 24 if the terminal does not report them."""
        try:
            cols, rows = os.get_terminal_size(1)
        except OSError:
            cols, rows = 0, 0
        return min(cols or 80, 1000), min(rows or 24, 1000)

    def enter(self) -> None:
        """Take over the terminal."""
        raw = termios.tcgetattr(0)
        raw[0] &= ~(termios.IGNBRK | termios.BRKINT | termios.PARMRK | termios.ISTRIP | termios.INLCR)
        raw[0] &= ~(termios.IGNCR | termios.ICRNL | termios.IXON)
        raw[1] &= ~termios.OPOST
        raw[2] = (raw[2] & ~(termios.CSIZE | termios.PARENB)) | termios.CS8
        raw[3] &= ~(termios.ECHO | termios.ECHONL | termios.ICANON | termios.ISIG | termios.IEXTEN)
        raw[6][termios.VMIN], raw[6][termios.VTIME] = 1, 0
        self._active = True
        self._mouse, self._title = "off", ""
        termios.tcsetattr(0, termios.TCSANOW, raw)
        self.write(_ENTER.encode())

    def restore(self) -> None:
        """Restore the terminal's modes and settings, and discard unread input."""
        if not self._active:
            return
        self._active = False
        # CAN ends an unfinished sequence, which would swallow the first one written here.
        left = b"\x18" + _LEAVE.encode() if self._unwritten else _LEAVE.encode()
        self._unwritten.clear()
        _write_all(self._out, left)
        with contextlib.suppress(termios.error, OSError):
            termios.tcsetattr(0, termios.TCSANOW, self._saved)
            # Discard pending replies and keys, which were meant for us.
            termios.tcflush(0, termios.TCIFLUSH)

    def write(self, data: bytes) -> None:
        """Write as much as the terminal accepts now, and buffer the rest."""
        self._unwritten += data
        self.flush()

    def flush(self) -> None:
        """Write as much buffered output as the terminal accepts."""
        while self._unwritten:
            try:
                count = os.write(self._out, self._unwritten[:65536])
            except BlockingIOError:
                return
            except InterruptedError:
                continue
            except OSError:
                self.is_gone = True
                self._unwritten.clear()
                return
            del self._unwritten[:count]

    def set_mouse(self, wanted: str) -> None:
        """Set mouse reports: ``off``, ``button`` (presses and drags) or ``any`` (all motion)."""
        if wanted != self._mouse:
            self._mouse = wanted
            self.write(_MOUSE[wanted].encode())

    def set_title(self, title: str) -> None:
        """Set the title of the terminal's window."""
        clean = "".join(character for character in title if character.isprintable())[:_MAX_TITLE]
        if clean != self._title:
            self._title = clean
            self.write(f"\x1b]2;{clean}\x07".encode("utf-8", "replace"))

    def set_clipboard(self, text: str) -> bool:
        """Copy a text to the clipboard of the user's terminal with OSC 52; return False if the text is too long."""
        import base64

        return self.set_clipboard_data(base64.b64encode(text.encode("utf-8", "replace")).decode())

    def set_clipboard_data(self, data: str) -> bool:
        """Like ``set_clipboard``, for text in base64."""
        if len(data) > MAX_CLIPBOARD * 4 / 3 + 3 or not _BASE64.fullmatch(data):
            return False
        self.write(f"\x1b]52;c;{data}\x07".encode())
        return True

    def notify(self, title: str, text: str) -> None:
        """Ask the terminal to notify the user, with OSC 9, or OSC 777 if there is a title."""
        clean = ["".join(filter(str.isprintable, part))[:_MAX_NOTICE] for part in (title, text)]
        body = f"777;notify;{clean[0].replace(';', ',')};{clean[1]}" if clean[0] else f"9;{clean[1]}"
        self.write(f"\x1b]{body}\x1b\\".encode("utf-8", "replace"))

    def ring(self) -> None:
        """Ring the bell."""
        self.write(b"\x07")

    def suspend(self) -> None:
        """Restore the terminal and stop until the shell resumes us; then take over the terminal again.

        If no shell could resume us (an orphaned process group), the kernel does not stop us.
        """
        self.restore()
        before = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, before)
        self.enter()

    def enter_again(self) -> None:
        """Take over the terminal again after an unexpected stop."""
        self._active = False
        self.enter()

    def close(self) -> None:
        """Restore the terminal, and close our descriptor."""
        self.restore()
        if self._out > 2:
            os.close(self._out)
            self._out = 1


def _open_again(stream: int) -> int:
    """Open the terminal again, so that only our own descriptor becomes non-blocking."""
    try:
        return os.open(os.ttyname(stream), os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return stream


def _write_all(descriptor: int, data: bytes) -> None:
    """Write everything, but give up if the terminal accepts nothing for a second."""
    import select

    while data:
        try:
            data = data[os.write(descriptor, data) :]
        except BlockingIOError:
            if not select.select([], [descriptor], [], _GIVE_UP_S)[1]:
                return
        except OSError as error:
            if error.errno != errno.EINTR:
                return


class Signals:
    """Signals as bytes on a pipe, so that the selector reports them.

    SIGWINCH reports a new size; SIGTSTP suspends and SIGCONT resumes; SIGTERM, SIGHUP and SIGINT end the client.
    """

    _HEARD = (signal.SIGWINCH, signal.SIGTSTP, signal.SIGCONT, signal.SIGTERM, signal.SIGHUP, signal.SIGINT)

    def __init__(self) -> None:
        self._pipe, self._writer = os.pipe()
        for end in (self._pipe, self._writer):
            os.set_blocking(end, False)
        self._before = {number: signal.signal(number, _ignore) for number in self._HEARD}
        self._wakeup = signal.set_wakeup_fd(self._writer, warn_on_full_buffer=False)

    def fileno(self) -> int:
        """Return the descriptor to wait on."""
        return self._pipe

    def read(self) -> set[int]:
        """Return the signals received."""
        with contextlib.suppress(BlockingIOError):
            return set(os.read(self._pipe, 4096))
        return set()

    def close(self) -> None:
        """Restore the previous signal handlers."""
        signal.set_wakeup_fd(self._wakeup)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        os.close(self._pipe)
        os.close(self._writer)


def _ignore(_number: int, _frame: "FrameType | None") -> None:
    """Do nothing: the byte on the pipe reports the signal."""
