"""``python -P -m phux_core.server.takeover SETTINGS FORMAT``: check that this release can replace a running service.

The service runs it with the interpreter of another release, before it lets the keeper replace it. It reads the tree
from stdin as the next service would, tries the engine, and prints the release. Any failure ends it with a traceback.
"""

from __future__ import annotations

import sys

from phux_core.engine import choose, create
from phux_core.keeper.channel import FORMAT
from phux_core.server.service import read_stored_tree
from phux_core.server.settings import Settings
from phux_core.version import __version__


def main(settings_text: str, keeper_format: int, stored_tree: bytes) -> None:
    """Print the release if it can take over; else raise the exception that the service would raise."""
    if keeper_format != FORMAT:
        raise ValueError(f"the keeper stores format {keeper_format}, and this release reads format {FORMAT}")
    settings = Settings.parse(settings_text)
    read_stored_tree(stored_tree, save=lambda: None)
    create(choose(settings.engine), 80, 24).close()
    print(__version__)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.stdin.buffer.read())
