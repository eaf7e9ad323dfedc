"""An HTML page that plays a recording: one file that loads nothing.

The page draws the frames of a film, so it interprets no escape sequences. Everything that comes from a pane is in
blocks of compressed data, and the player shows it only as text.
"""

import base64
import hashlib
import json
import os
import re
import zlib

from phux_client.export.film import Film
from phux_client.export.text import text_of
from phux_client.export.tracks import tracks_of
from phux_client.pictures.boxes import shapes_of
from phux_client.pictures.themes import css, theme_named
from phux_core.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.export.material import Material
    from phux_client.flows._types import Document
    from phux_core.shapes import ThemeName

_FILES = os.path.join(os.path.dirname(__file__), "player")
_SCRIPTS = ("recording.js", "screen.js", "timeline.js", "search.js", "player.js")


def to_page(material: "Material") -> str:
    """Return the page.

    Raises:
        LimitError: The recording is too large.
    """
    from html import escape

    film = Film(material.first.at)
    for page in material.pages:
        film.add(page)
    tracks = tracks_of(material)
    about = _about(material)
    about["duration"] = max([about["duration"], *(frame[0] for frame in film.frames[-1:])])
    glyphs = {glyph for runs in film.rows for run in runs for glyph in run[2] if glyph >= "─"}
    recording = {
        "about": about,
        "styles": film.styles,
        "rows": film.rows,
        "frames": film.frames,
        **tracks,
        "shapes": {glyph: shapes for glyph in glyphs if (shapes := shapes_of(glyph))},
        "colors": {name: _colors(name) for name in ("light", "dark")},
    }
    text = text_of(film, material.output, [command["start"] for command in tracks["commands"]])
    style, script = _read("page.css"), "".join(map(_read, _SCRIPTS))
    parts = {
        "policy": f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'",
        "generator": f"phux {__version__}",
        "title": escape(f"{about['name']} · phux recording").encode("utf-8", "replace").decode(),
        "style": style,
        "script": script,
        "recording": _packed(recording),
        "text": _packed(text),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], _read("page.html"))


def _about(material: "Material") -> "Document":
    log = material.log
    status, signal = log.get("exit_status"), log.get("signal")
    ending = f"ended by {signal}" if signal else "" if status is None else f"exited with {status}"
    details = (f"@{log['pane']}", log.get("command"), log.get("cwd"), ending)
    return {
        "name": log.get("session") or f"@{log['pane']}",
        "details": "  ·  ".join(str(detail) for detail in details if detail),
        "log": log["log"],
        "started": round(material.first.at * 1000),
        "duration": round((material.last.at - material.first.at) * 1000),
    }


def _colors(name: "ThemeName") -> "dict[str, str]":
    theme = theme_named(name)
    colors = {"foreground": theme.foreground, "background": theme.background, "cursor": theme.cursor}
    colors |= {f"c{index}": color for index, color in enumerate(theme.palette)}
    return {key: css(color) for key, color in colors.items()}


def _read(name: str) -> str:
    with open(os.path.join(_FILES, name), encoding="utf-8") as file:
        return file.read()


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _packed(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode("utf-8", "replace"))).decode()
