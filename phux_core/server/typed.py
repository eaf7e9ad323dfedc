"""What the items of an `input` become: bytes for the program, in the modes it has set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from phux_core.engine.protocol import Mouse
from phux_core.errors import BadRequestError
from phux_core.keys import parse_key

if TYPE_CHECKING:
    from phux_core.engine import Engine


def encode_item(engine: Engine, item: dict[str, Any]) -> bytes:
    """Encode one item (docs/wire.md, "Typing"); it may be nothing, where the program did not ask for it.

    Raises:
        BadRequestError: There is no such key.
    """
    ((kind, value),) = item.items()
    if kind == "paste" or (kind == "line" and not engine.alt_screen):
        # A line that Enter follows goes as a paste, so that a program with an editor of its own takes it as
        # one piece and Enter as a key. Not on the alternate screen, where keys are commands: vim would
        # insert a pasted `:wq` into the text.
        return engine.encode_paste(value.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))
    if kind == "key":
        key = parse_key(value)
        if key is None:
            raise BadRequestError(f"there is no key {value!r:.80}", remedy='send text as {"text": ...}')
        return engine.encode_key(key)
    if kind == "mouse":
        return engine.encode_mouse(Mouse(**({"button": None} | value)))
    if kind == "focus":
        return engine.encode_focus(value)
    data: bytes = value.encode("utf-8", "surrogateescape")
    return data
