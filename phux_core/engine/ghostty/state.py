"""Read single values of a libghostty terminal: numbers, modes, the cursor's style."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from phux_core.engine.ghostty.native import check, ffi, lib
from phux_core.engine.protocol import Modes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

_ORIGIN, _AUTOWRAP = 6, 7

# Programs may set several of these modes; the strongest counts.
_TRACKING = ((1003, "any"), (1002, "button"), (1000, "normal"), (9, "x10"))
_MOUSE_FORMATS = ((1016, "sgr_pixels"), (1006, "sgr"), (1015, "urxvt"), (1005, "utf8"))


_get, _PENDING_WRAP = lib.ghostty_terminal_get, lib.GHOSTTY_TERMINAL_DATA_CURSOR_PENDING_WRAP

# Result buffers, shared by all terminals, because only one thread uses them.
_number, _size, _mode = ffi.new("uint32_t*"), ffi.new("size_t*"), ffi.new("GhosttyTerminalModeConfig*")
_flag = ffi.new("bool*")


def number(terminal: Any, data: int) -> int:
    """Return a value that is a boolean, an enumeration or at most 32 bits wide."""
    _number[0] = 0
    check(lib.ghostty_terminal_get(terminal, data, _number), "terminal_get")
    return int(_number[0])


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


def origin_at_top(terminal: Any) -> AbstractContextManager[None]:
    """Count cursor positions from the top of the screen, without moving the cursor as DECOM would."""
    return _with_mode(terminal, _ORIGIN, on=False)


def wrapping(terminal: Any) -> AbstractContextManager[None]:
    """Enable reflow on resize, which the library only does while autowrap is on."""
    return _with_mode(terminal, _AUTOWRAP, on=True)


@contextmanager
def _with_mode(terminal: Any, private_mode: int, *, on: bool) -> Iterator[None]:
    """Set a mode temporarily, without the side effects of its escape sequence."""
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
    is_set = partial(mode, terminal)
    return Modes(
        bracketed_paste=is_set(2004),
        application_cursor=is_set(1),
        application_keypad=is_set(66),
        mouse=next((name for each, name in _TRACKING if is_set(each)), "off"),
        mouse_format=next((name for each, name in _MOUSE_FORMATS if is_set(each)), "x10"),
        focus_events=is_set(1004),
        synchronized_output=is_set(2026),
        alt_screen=is_alternate(terminal),
        kitty_flags=number(terminal, lib.GHOSTTY_TERMINAL_DATA_KITTY_KEYBOARD_FLAGS),
    )


def rendered_cursor_style(terminal: Any) -> int:
    """Return the DECSCUSR number of the cursor's style, in any state of the parser."""
    out = ffi.new("GhosttyRenderState*")
    check(lib.ghostty_render_state_new(ffi.NULL, out), "render_state_new")
    state = ffi.gc(out[0], lib.ghostty_render_state_free)
    check(lib.ghostty_render_state_update(state, terminal), "render_state_update")
    shape, blinking = ffi.new("int*"), ffi.new("bool*")
    lib.ghostty_render_state_get(state, lib.GHOSTTY_RENDER_STATE_DATA_CURSOR_VISUAL_STYLE, shape)
    lib.ghostty_render_state_get(state, lib.GHOSTTY_RENDER_STATE_DATA_CURSOR_BLINKING, blinking)
    ffi.release(state)
    steady = {
        lib.GHOSTTY_RENDER_STATE_CURSOR_VISUAL_STYLE_UNDERLINE: 4,
        lib.GHOSTTY_RENDER_STATE_CURSOR_VISUAL_STYLE_BAR: 6,
    }.get(shape[0], 2)
    return steady - int(blinking[0])
