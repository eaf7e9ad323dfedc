"""Look up the control function of a complete sequence.

The tables extend and correct pyte's own. Each sequence is parsed once: the result, parameters included, is cached for
all terminals, because programs repeat the same few thousand sequences.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

from pyte.streams import Stream as PyteStream

from phux_core.engine.pyte import replies
from phux_core.engine.pyte.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Callable

Action = tuple["Callable[..., Any]", tuple[Any, ...]]
"""A function of a terminal, and its other arguments."""

LARGEST = 65_535
"""Larger parameters are replaced by this value, so that no count causes excessive work."""

_KNOWN_LIMIT = 16_384

_CSI = re.compile(r"\x1b\[([<=>?]?)([0-9:;]*)([ -/]*)([@-~])")
_HIGHLIGHT = 4  # the number of semicolons that turn SD into xterm's highlight tracking
_ALL = 32  # all parameters: DEC's terminals accepted 16

_set_private = partial(Terminal.set_mode, private=True)
_reset_private = partial(Terminal.reset_mode, private=True)

# Private prefix, intermediates and final byte; the function; the number of its parameters.
_FUNCTIONS: dict[str, tuple[Callable[..., Any], int]] = {
    final: (getattr(Terminal, name), 2 if final in "Hfr" else 1)
    for final, name in PyteStream.csi.items()
    if final not in "cnhlm"  # their parameters differ from pyte's
}
_FUNCTIONS |= {
    "`": (Terminal.cursor_to_column, 1),
    "e": (Terminal.cursor_down_anywhere, 1),
    "j": (Terminal.cursor_back, 1),
    "k": (Terminal.cursor_up, 1),
    "I": (Terminal.tab, 1),
    "Z": (Terminal.back_tab, 1),
    "S": (Terminal.scroll_up, 1),
    "T": (Terminal.scroll_down, 1),
    "b": (Terminal.repeat, 1),
    "s": (Terminal.save_cursor, 0),
    "u": (Terminal.restore_cursor, 0),
    "h": (Terminal.set_mode, _ALL),
    "l": (Terminal.reset_mode, _ALL),
    "?h": (_set_private, _ALL),
    "?l": (_reset_private, _ALL),
    "?J": (Terminal.erase_in_display, 1),
    "?K": (Terminal.erase_in_line, 1),
    "!p": (Terminal.soft_reset, 0),
    " q": (Terminal.set_cursor_style, 1),
    ">m": (Terminal.modify_keys, 2),
    ">n": (Terminal.modify_keys, 1),
    ">u": (Terminal.push_keyboard, 1),
    "<u": (Terminal.pop_keyboard, 1),
    "=u": (Terminal.set_keyboard, 2),
    "?u": (replies.report_keyboard, 0),
    "c": (replies.identify, 1),
    ">c": (partial(replies.identify, text=replies.SECONDARY_ATTRIBUTES), 1),
    "=c": (partial(replies.identify, text=replies.TERTIARY_ATTRIBUTES), 1),
    ">q": (partial(replies.identify, text=replies.VERSION), 1),
    "n": (replies.report_status, 1),
    "?n": (replies.report_private_status, 1),
    "$p": (replies.report_mode, 1),
    "?$p": (replies.report_private_mode, 1),
    "t": (replies.window_operation, 2),
}

_ESCAPES: dict[str, Action] = {final: (getattr(Terminal, name), ()) for final, name in PyteStream.escape.items()}
_ESCAPES |= {f"#{final}": (getattr(Terminal, name), ()) for final, name in PyteStream.sharp.items()}
_ESCAPES |= {
    "E": (Terminal.newline, ()),
    "Z": (replies.identify, ()),
    "=": (_set_private, (66,)),
    ">": (_reset_private, (66,)),
}

_KNOWN: dict[str, Action] = {control: (getattr(Terminal, name), ()) for control, name in PyteStream.basic.items()}
_KNOWN |= {"\r\n": (Terminal.newline, ()), "\x0e": (Terminal.use_charset, (1,)), "\x0f": (Terminal.use_charset, (0,))}
_CONTROLS = dict(_KNOWN)


def _nothing(_terminal: Terminal) -> None:
    """Ignore an unknown sequence."""


_NOTHING: Action = (_nothing, ())


known = _KNOWN.get
"""Return the action for a sequence seen before, or None."""


def action_for(token: str) -> Action:
    """Return the action for a complete control, ESC or CSI sequence; unknown or malformed ones do nothing."""
    action = _KNOWN.get(token)
    if action is None:
        if token.startswith("\x1b["):
            action = _csi_action(token)
        elif token[0] == "\x1b":
            action = _escape_action(token[1:])
        else:
            action = _NOTHING
        if len(_KNOWN) >= _KNOWN_LIMIT:
            _KNOWN.clear()
            _KNOWN.update(_CONTROLS)
        _KNOWN[token] = action
    return action


def _csi_action(token: str) -> Action:
    match = _CSI.fullmatch(token)
    if match is None:
        return _NOTHING
    private, parameters, intermediates, final = match.groups()
    name = private + intermediates + final
    if name == "m":
        return Terminal.select_style, (token,)
    found = _FUNCTIONS.get(name)
    if found is None or ":" in parameters or (name == "T" and parameters.count(";") == _HIGHLIGHT):
        return _NOTHING
    function, count = found
    if not count or not parameters:
        return function, ()
    # Leading zeros do not count, and any number of more than nine digits exceeds the maximum anyway.
    numbers = [min(int(text.lstrip("0")[:9] or 0), LARGEST) for text in parameters.split(";")[:count]]
    return function, tuple(numbers)


def _escape_action(body: str) -> Action:
    action = _ESCAPES.get(body)
    if action is not None:
        return action
    slot = "()".find(body[0])
    if slot >= 0 and len(body) == 2:
        return Terminal.designate, (slot, body[1])
    return _NOTHING


def operating_system_command(terminal: Terminal, body: str, end: str) -> None:
    """Execute an OSC: titles, marks, colors. The tap handles directories, links and phux's own marks."""
    number, _, rest = body.partition(";")
    if number in {"0", "2"}:
        terminal.set_title(rest)
    elif number == "133":
        _shell_mark(terminal, rest[:1])
    elif number in {"4", "10", "11", "12"}:
        replies.report_colors(terminal, int(number), rest, end)


def _shell_mark(terminal: Terminal, kind: str) -> None:
    if kind in {"A", "N", "L"}:
        terminal.fresh_line()
    if kind in {"A", "N", "P"}:
        terminal.mark_semantic("prompt")
    elif kind in {"B", "I"}:
        terminal.mark_semantic("input")
    elif kind in {"C", "D"}:
        terminal.mark_semantic(None)


def device_control(terminal: Terminal, body: str) -> None:
    """Execute a DCS: only queries are supported."""
    if body.startswith("$q"):
        replies.request_setting(terminal, body[2:])
    elif body.startswith("+q"):
        replies.request_capabilities(terminal, body[2:])
