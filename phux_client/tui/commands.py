"""A command of the command prompt, which runs in the background while its output is collected."""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_MAX_OUTPUT = 256 * 1024
_READ_SIZE = 65536


class Command:
    """One running command; the constructor raises OSError if it cannot be started."""

    def __init__(self, argv: "Sequence[str]", environ: "Mapping[str, str]") -> None:
        import subprocess

        self._process = subprocess.Popen(
            argv,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # it must not access our terminal
        )
        assert self._process.stdout is not None
        self._pipe = self._process.stdout
        os.set_blocking(self._pipe.fileno(), False)
        self._output = bytearray()

    def fileno(self) -> int:
        """Return the descriptor to wait on."""
        return self._pipe.fileno()

    def read(self) -> bool:
        """Read the command's output; return whether the command has ended."""
        try:
            data = os.read(self._pipe.fileno(), _READ_SIZE)
        except BlockingIOError:
            return False
        if data:
            self._output += data[: max(0, _MAX_OUTPUT - len(self._output))]
            return False
        return True

    def lines(self) -> list[str]:
        """Return the command's output, and release its resources."""
        self._pipe.close()
        self._process.wait()
        return self._output.decode("utf-8", "replace").expandtabs().rstrip("\n").splitlines()

    def abandon(self) -> None:
        """Stop waiting for the command, which ends by itself."""
        self._pipe.close()
        self._process.returncode = 0
