"""The line that `phux proxy` sends before the stream of the server, without I/O. Import-light.

The line is ``phux:NONCE WORD``. Startup files of the remote shell may print text before it, which is skipped. The
command that starts the proxy contains the nonce, but no ``phux:`` before it, so an echo of that command is no preamble.
"""

from phux_core import errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_MOST_NOISE = 16 * 1024 * 1024
_SHOWN_NOISE = 200
_LONGEST_LINE = 64


def preamble(nonce: str, word: str) -> bytes:
    """Return the line: the word is ``ok``, ``started`` (a server was started) or ``missing`` (no phux was found)."""
    return f"phux:{nonce} {word}\n".encode()


class Preamble:
    """Skips received bytes up to the end of the preamble.

    Args:
        host: The destination, for errors.
        on_over: Called when the preamble has arrived.

    Attributes:
        word: The word of the preamble; None until it has arrived.
        noise: The beginning of the skipped bytes.
    """

    def __init__(self, host: str, nonce: str, on_over: "Callable[[], None]") -> None:
        self.host = host
        self.word: str | None = None
        self.noise = b""
        self._mark = preamble(nonce, "")[:-1]
        self._on_over = on_over
        self._buffer = bytearray()
        self._skipped = 0

    def feed(self, data: bytes) -> bytes:
        """Return the bytes after the preamble; none until it has arrived.

        Raises:
            HostError: There is no phux on the host, or too much text before the preamble.
        """
        if self.word is not None:
            return data
        self._buffer += data
        at = self._buffer.find(self._mark)
        if at < 0:
            self._skip(len(self._buffer) - len(self._mark) + 1)
            return b""
        self._skip(at)
        end = self._buffer.find(b"\n", 0, _LONGEST_LINE)
        if end < 0:
            return b""
        self.word = self._buffer[len(self._mark) : end].decode("ascii", "replace").strip()
        rest = bytes(self._buffer[end + 1 :])
        self._buffer.clear()
        self._on_over()
        if self.word == "missing":
            raise no_phux(self.host)
        return rest

    def _skip(self, count: int) -> None:
        if count <= 0:
            return
        self.noise += self._buffer[: min(count, _SHOWN_NOISE - len(self.noise))]
        del self._buffer[:count]
        self._skipped += count
        if self._skipped > _MOST_NOISE:
            raise no_answer(self.host, f"printed {self._skipped} bytes before any answer of phux", self.first_line)

    @property
    def first_line(self) -> str:
        """The first line of the skipped text; empty if there is none."""
        lines = (self.noise + self._buffer).decode(errors="replace").split("\n")
        return next((line.strip()[:80] for line in lines if line.strip()), "")


def no_phux(host: str) -> errors.HostError:
    """Return the error for a host where phux was not found."""
    error = errors.HostError(
        f"there is no phux on {host}, in PATH or where phux installs itself",
        remedy=f"install it with `phux host install {host}`, or set `phux` in [hosts.NAME] of the config file",
    )
    error.reason = "no_phux"
    return error


def no_answer(host: str, problem: str, printed: str) -> errors.HostError:
    """Return the error for a host that was reached, and where no phux answered."""
    error = errors.HostError(
        f"{host} {problem}" + (f"; it printed {printed!r}" if printed else ""),
        remedy=f"`phux host check {host}` tells why; make startup files of the shell there print only on terminals",
    )
    error.reason = "no_answer"
    return error
