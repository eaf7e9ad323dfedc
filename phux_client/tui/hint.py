"""The hint in the status line which key is the prefix, until the user has used the prefix once."""

import contextlib
import os

from phux_core.paths import xdg_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_core.bindings import Bindings


class Hint:
    """Whether to show the hint; an empty file in the directory for persistent state records that it is not needed."""

    def __init__(self, bindings: "Bindings") -> None:
        help_key = next(iter(bindings.keys_of("help")), None)
        self._text = "" if help_key is None else f"{bindings.prefix} {help_key}: help"
        state = xdg_directory("XDG_STATE_HOME", os.path.join(".local", "state"))
        self._path = None if state is None else os.path.join(state, "phux", "prefix-used")
        self._is_needed = self._path is None or not os.path.exists(self._path)

    @property
    def text(self) -> str:
        """The hint, empty once it is not needed."""
        return self._text if self._is_needed else ""

    def prefix_used(self) -> None:
        """Record that the user knows the prefix."""
        if not self._is_needed:
            return
        self._is_needed = False
        if self._path is not None:
            with contextlib.suppress(OSError):  # then the next client shows it again
                os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
                os.close(os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
