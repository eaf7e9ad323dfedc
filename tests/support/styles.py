"""The style of a cell in screen documents."""

from __future__ import annotations

from typing import Any

PLAIN_STYLE: dict[str, Any] = {
    **dict.fromkeys(("bold", "faint", "italic", "underline", "blink"), False),
    **dict.fromkeys(("inverse", "invisible", "strikethrough", "overline"), False),
    "fg": {"kind": "default"},
    "bg": {"kind": "default"},
}
