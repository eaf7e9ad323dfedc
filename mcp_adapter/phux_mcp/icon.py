"""The icon of phux, for hosts that show one: a prompt on a dark square."""

from __future__ import annotations

from typing import Any

_PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAADAAAAAwAgMAAAAqbBEUAAAACVBMVEUAAAAdJC5+4KHpR4yEAAAAAXRSTlMAQObYZgAAAIFJREFU"
    "eNqtksENgCAMRevBEdjHETyIB0ZwH0fgIFPaQEt/EzUm2tsLeW2BT0RRiriCwkI0xF4TjQazh2CwPECE+gXKDrBlgHQArAUbqFRB"
    "pQoqVVCpDRWpgUgNRLo4Qcd1c3PcBrgbK6mU3O9jwIoBKwbfXvTlN97nwMXFBQkjdgLSgcQEASLZ5gAAAABJRU5ErkJggg=="
)
ICONS: list[dict[str, Any]] = [
    {"src": f"data:image/png;base64,{_PNG}", "mimeType": "image/png", "sizes": ["48x48"]},
]
