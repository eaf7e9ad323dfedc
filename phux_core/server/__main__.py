"""``python -P -m phux_core.server SETTINGS FD``: the service, started by the keeper."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import sys
from typing import TYPE_CHECKING

from phux_core.keeper.channel import Channel, ChannelClosedError
from phux_core.keeper.children import disable_core_dumps
from phux_core.keeper.restarts import EXCEPTION_STATUS
from phux_core.server.api.dispatch import dispatch
from phux_core.server.keeper_link import receive_inheritance
from phux_core.server.service import Service
from phux_core.server.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable


async def _serve(receive_order: Callable[[], tuple[str, int]]) -> None:
    try:
        settings_text, channel_fd = receive_order()
        settings, channel = Settings.parse(settings_text), Channel(socket.socket(fileno=channel_fd))
        # Not kept in a variable: it holds every pane's checkpoint.
        service = Service(settings, channel, receive_inheritance(channel), asyncio.get_running_loop(), dispatch)
        await service.finished
    except ChannelClosedError:
        raise
    except Exception:
        logging.getLogger("phux.service").exception("the service failed")
        # At once: reading threads may never end, and the keeper must start the next service.
        os._exit(EXCEPTION_STATUS)


def log_to_stderr() -> None:
    """Write warnings to the server's log."""
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(asctime)s service[%(process)d] %(name)s: %(message)s"
    )


def main(receive_order: Callable[[], tuple[str, int]]) -> int:
    """Serve until the keeper closes the channel.

    Args:
        receive_order: Returns the settings, as JSON, and the descriptor of the socket to the keeper. It may wait for
            them, or raise ChannelClosedError.
    """
    log_to_stderr()
    disable_core_dumps()  # a service that was forked in advance does not inherit the keeper's limit
    try:
        asyncio.run(_serve(receive_order))
    except ChannelClosedError as error:  # during the start
        logging.getLogger("phux.service").warning("the channel to the keeper ended: %s", error)
    return 0


if __name__ == "__main__":
    sys.exit(main(lambda: (sys.argv[1], int(sys.argv[2]))))
