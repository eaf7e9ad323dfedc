"""Encode a client's input as bytes for the pane's program, according to the current modes of its terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from phux_core.engine.encoding import encode_focus, encode_mouse, encode_paste
from phux_core.engine.protocol import Mouse
from phux_core.errors import BadRequestError
from phux_core.keys import parse_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from phux_core.engine.protocol import Engine


def encode(items: Sequence[dict[str, Any]], engine: Engine, *, brackets: bool = True) -> bytes:
    """Encode keys, text, lines, pastes, mouse and focus events, in order.

    Mouse and focus events that the program has not requested are skipped. ``brackets``: the program knows bracketed
    paste, if its terminal is in that mode.

    Raises:
        BadRequestError: There is no such key.
    """
    return b"".join(_encode(item, engine, brackets=brackets) for item in items)


def _encode(item: dict[str, Any], engine: Engine, *, brackets: bool) -> bytes:
    ((kind, value),) = item.items()
    if kind == "paste" or (kind == "line" and value.isprintable() and not engine.alt_screen):
        # A line followed by Enter is sent as a paste, so that a program with its own editor inserts the line as one
        # piece and handles Enter as a key. On the alternate screen, the line is typed, because keys may be commands
        # there: vim would insert a pasted `:wq` into the text. A line with control characters is also typed, because a
        # paste must not contain them.
        modes = engine.modes()
        return encode_paste(value, modes if brackets else modes._replace(bracketed_paste=False))
    if kind == "key":
        key = parse_key(value)
        if key is None:
            raise BadRequestError(f"there is no key {value!r:.80}", remedy='send text as {"text": ...}')
        return engine.encode_key(key)
    if kind == "mouse":
        return encode_mouse(Mouse(**({"button": None} | value)), engine.modes())
    if kind == "focus":
        return encode_focus(value, engine.modes())
    data: bytes = value.encode("utf-8", "surrogateescape")
    return data
