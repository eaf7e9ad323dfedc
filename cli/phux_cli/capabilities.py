"""What this installation can do, for programs that adapt to it: ``phux --capabilities``."""

from __future__ import annotations

import importlib.util
from typing import get_args

from phux_cli.main import load_verb
from phux_cli.output import print_document, write
from phux_cli.verbs import VERBS
from phux_client.doctor import SHELLS
from phux_client.pictures import FORMATS
from phux_core import schema, shapes
from phux_core.kinds import ENGINE_PACKAGES
from phux_core.version import __version__

_NEEDED = {**ENGINE_PACKAGES, "png": "resvg_py"}


def show(*, as_json: bool) -> None:
    """Print the capabilities."""
    document = {
        "schema_version": 1,
        "version": __version__,
        "verbs": [
            {"name": name, "summary": summary, "json": hasattr(load_verb(name), "JSON")}
            for name, summary in VERBS.items()
        ],
        "schemas": schema.names(),
        "conditions": list(get_args(shapes.Condition)),
        "states": list(get_args(shapes.State)),
        "events": list(get_args(shapes.EventName)),
        "engines": [name for name in ENGINE_PACKAGES if _is_usable(name)],
        "shells": list(SHELLS),
        "formats": [name for name in FORMATS if _is_usable(name)],
    }
    if as_json:
        print_document(document)
        return
    lists = {name: value for name, value in document.items() if isinstance(value, list)}
    lists["verbs"] = list(VERBS)
    write(f"phux {__version__}\n" + "".join(f"{name}: {', '.join(value)}\n" for name, value in lists.items()))


def _is_usable(name: str) -> bool:
    return name not in _NEEDED or importlib.util.find_spec(_NEEDED[name]) is not None
