"""Read single values of a libghostty terminal, and set modes for a moment."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from phux_core.engine.ghostty.native import check, ffi, lib
from phux_core.engine.protocol import Modes

if TYPE_CHECKING:
    from collections.abc import Iterator

ORIGIN, AUTOWRAP = 6, 7  # cursor positions count from the margin; text wraps, and lines reflow on resize

_get, _PENDING_WRAP = lib.ghostty_terminal_get, lib.GHOSTTY_TERMINAL_DATA_CURSOR_PENDING_WRAP

# Result buffers, shared by all terminals, because only one thread uses them.
_number, _size, _mode = ffi.new("uint32_t*"), ffi.new("size_t*"), ffi.new("GhosttyTerminalModeConfig*")
_flag = ffi.new("bool*")


def number(terminal: Any, data: int) -> int:
    """Return a value that is a boolean, an enumeration or at most 32 bits wide."""
    _number[0] = 0
    check(lib.ghostty_terminal_get(terminal, data, _number), "terminal_get")
    return int(_number[0])


def cursor(terminal: Any) -> tuple[int, int]:
    """Return the cursor's column and row."""
    x = number(terminal, lib.GHOSTTY_TERMINAL_DATA_CURSOR_X)
    return x, number(terminal, lib.GHOSTTY_TERMINAL_DATA_CURSOR_Y)


def is_wrap_pending(terminal: Any) -> bool:
    """Return whether a wrap is pending; on the hot path, so as fast as possible."""
    _get(terminal, _PENDING_WRAP, _flag)
    return bool(_flag[0])


def scrollback(terminal: Any) -> int:
    """Return the number of scrollback rows of the screen shown."""
    check(lib.ghostty_terminal_get(terminal, lib.GHOSTTY_TERMINAL_DATA_SCROLLBACK_ROWS, _size), "scrollback_rows")
    return int(_size[0])


def is_alternate(terminal: Any) -> bool:
    """Return whether the alternate screen is shown."""
    return bool(number(terminal, lib.GHOSTTY_TERMINAL_DATA_ACTIVE_SCREEN))


def mode(terminal: Any, private_mode: int) -> bool:
    """Return whether a DEC private mode is set."""
    _mode.mode = private_mode
    check(lib.ghostty_terminal_get(terminal, lib.GHOSTTY_TERMINAL_DATA_MODE, _mode), "mode")
    return bool(_mode.value)


@contextmanager
def with_mode(terminal: Any, private_mode: int, *, on: bool) -> Iterator[None]:
    """Set a DEC private mode temporarily, without the side effects of its escape sequence."""
    config = ffi.new("GhosttyTerminalModeConfig*", {"mode": private_mode})
    check(lib.ghostty_terminal_get(terminal, lib.GHOSTTY_TERMINAL_DATA_MODE, config), "mode")
    was = bool(config.value)
    config.value = on
    check(lib.ghostty_terminal_set(terminal, lib.GHOSTTY_TERMINAL_OPT_MODE, config), "set mode")
    yield
    config.value = was
    check(lib.ghostty_terminal_set(terminal, lib.GHOSTTY_TERMINAL_OPT_MODE, config), "set mode")


def read_modes(terminal: Any) -> Modes:
    """Return the modes that are visible outside the engine."""
    flags = number(terminal, lib.GHOSTTY_TERMINAL_DATA_KITTY_KEYBOARD_FLAGS)
    return Modes.read(partial(mode, terminal), alt_screen=is_alternate(terminal), kitty_flags=flags)
